/* What bench/nn_torch.py calls through ctypes: one training step or one inference of a network,
 * and the speed of fused multiply-adds that nothing could exceed. A shared object for benchmarks
 * only; errors go to standard error and come back as NULL. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/nn.h"
#include "softlab/nn/loss.h"
#include "softlab/nn/optimiser.h"
#include "softlab/nn/tuning.h"

struct bench_nn {
    struct sl_pool *pool;
    struct sl_model *model;
    struct sl_plan *plan;
    float *logit_gradient, *velocity;
    bool first;
};

struct bench_nn *bench_nn_create(const char *network, size_t batch, int training, size_t threads);
void bench_nn_destroy(struct bench_nn *bench);
float *bench_nn_tensor(struct bench_nn *bench, const char *name, size_t count);
void bench_nn_touch(struct bench_nn *bench);
double bench_nn_step(struct bench_nn *bench, const float *pixels, const float *targets, float rate);
void bench_nn_infer(struct bench_nn *bench, const float *pixels, float *logits);
double bench_nn_multiply_adds(const struct bench_nn *bench);
double bench_nn_memory(const struct bench_nn *bench);
double bench_fma_peak(void);

struct bench_nn *bench_nn_create(const char *network, size_t batch, int training, size_t threads)
{
    struct sl_error err = {0};
    struct bench_nn *bench = sl_alloc(1, sizeof *bench);
    struct sl_model_options model = sl_model_options_default();
    struct sl_plan_options plan = sl_plan_options_default();
    model.network = network;
    plan.batch = batch;
    plan.training = training != 0;
    enum sl_status status = sl_pool_create(threads, &bench->pool, &err);
    plan.pool = bench->pool;
    if (status == SL_OK) status = sl_model_create(&model, &bench->model, &err);
    if (status == SL_OK) status = sl_plan_create(bench->model, &plan, &bench->plan, &err);
    if (status != SL_OK) {
        fprintf(stderr, "%s: %s\n", network, err.message);
        bench_nn_destroy(bench);
        return NULL;
    }
    bench->logit_gradient = sl_alloc(batch * model.classes, sizeof(float));
    if (plan.training) bench->velocity = sl_alloc(sl_model_n_values(bench->model), sizeof(float));
    bench->first = true;
    return bench;
}

void bench_nn_destroy(struct bench_nn *bench)
{
    if (!bench) return;
    sl_plan_destroy(bench->plan);
    sl_model_destroy(bench->model);
    sl_pool_destroy(bench->pool);
    free(bench->logit_gradient);
    free(bench->velocity);
    free(bench);
}

/* Where a tensor of PyTorch's name and size lies, to be written; NULL if there is none. */
float *bench_nn_tensor(struct bench_nn *bench, const char *name, size_t count)
{
    const struct sl_tensor_info *tensor = sl_model_tensor_find(bench->model, name);
    if (!tensor || tensor->count != count) return NULL;
    float *flat = tensor->kind == SL_TENSOR_VALUE ? sl_model_values(bench->model)
                                                  : sl_model_state(bench->model);
    return flat + tensor->offset;
}

void bench_nn_touch(struct bench_nn *bench)
{
    sl_model_touch(bench->model);
}

/* Forward, mean soft cross-entropy, backward, clipping of the whole gradient's norm to 1, SGD with
 * momentum .9 and weight decay 1e-4. Returns the loss before the step. */
double bench_nn_step(struct bench_nn *bench, const float *pixels, const float *targets, float rate)
{
    const size_t batch = sl_plan_batch(bench->plan), classes = sl_model_classes(bench->model);
    const size_t n_values = sl_model_n_values(bench->model);
    const struct sl_batch input = {.pixels = pixels};
    const float *logits = sl_plan_forward(bench->plan, &input);
    const struct sl_soft_targets rows = {.rows = targets, .n = batch, .classes = classes};
    const double loss =
        sl_soft_cross_entropy(logits, &rows, 1.0F / (float)batch, NULL, bench->logit_gradient);
    sl_plan_backward(bench->plan, bench->logit_gradient);
    const float *gradients = sl_plan_gradients(bench->plan);
    const double scale = 1 / (sl_flat_norm(gradients, n_values, bench->pool) + 1e-6);
    const struct sl_sgd sgd = {.rate = rate,
                               .momentum = 0.9F,
                               .weight_decay = 1e-4F,
                               .first = bench->first,
                               .gradient_scale = scale < 1 ? (float)scale : 1,
                               .pool = bench->pool};
    sl_sgd_step(&sgd, sl_model_values(bench->model), gradients, bench->velocity, n_values);
    sl_model_touch(bench->model);
    bench->first = false;
    return loss / (double)batch;
}

void bench_nn_infer(struct bench_nn *bench, const float *pixels, float *logits)
{
    const struct sl_batch input = {.pixels = pixels};
    const size_t count = sl_plan_batch(bench->plan) * sl_model_classes(bench->model);
    memcpy(logits, sl_plan_forward(bench->plan, &input), count * sizeof *logits);
}

double bench_nn_multiply_adds(const struct bench_nn *bench)
{
    return (double)sl_model_multiply_adds(bench->model);
}

double bench_nn_memory(const struct bench_nn *bench)
{
    return (double)sl_plan_memory(bench->plan);
}

double bench_fma_peak(void)
{
    return sl_fma_peak();
}
