#include "softlab/nn/timing.h"

#include <stdlib.h>

#include "softlab/base/memory.h"
#include "softlab/base/random.h"
#include "softlab/base/system.h"
#include "softlab/nn/loss.h"
#include "softlab/nn/optimiser.h"
#include "softlab/nn/tuning.h"

struct sl_timing_options sl_timing_options_default(void)
{
    return (struct sl_timing_options){.batch = 32, .steps = 10};
}

/* What a step reads and writes beside the model and its plan. */
struct bench {
    float *pixels, *targets, *gradient, *velocity;
};

static void bench_release(struct bench *bench)
{
    free(bench->pixels);
    free(bench->targets);
    free(bench->gradient);
    free(bench->velocity);
}

static enum sl_status make_bench(const struct sl_timing *timing, struct bench *out,
                                 struct sl_error *err)
{
    const struct sl_input_shape input = sl_model_input(timing->model);
    const size_t classes = sl_model_classes(timing->model);
    const size_t n_pixels = timing->batch * input.channels * input.height * input.width;
    struct sl_rng rng;
    out->pixels = sl_data_alloc(n_pixels, sizeof *out->pixels, err);
    out->targets = sl_data_alloc(timing->batch * classes, sizeof *out->targets, err);
    out->gradient = sl_data_alloc(timing->batch * classes, sizeof *out->gradient, err);
    out->velocity = sl_data_alloc(sl_model_n_values(timing->model), sizeof *out->velocity, err);
    if (!out->pixels || !out->targets || !out->gradient || !out->velocity) return SL_ERR_NOMEM;
    sl_rng_init(&rng, 1, "bench", 0, 0);
    for (size_t i = 0; i < n_pixels; i++)
        out->pixels[i] = (float)sl_rng_uniform(&rng);
    for (size_t i = 0; i < timing->batch; i++)
        out->targets[i * classes + sl_rng_below(&rng, classes)] = 1;
    return SL_OK;
}

static void take_step(struct sl_timing *timing, struct bench *bench, struct sl_pool *pool,
                      bool first)
{
    const struct sl_batch batch = {.pixels = bench->pixels};
    const size_t classes = sl_model_classes(timing->model), n = sl_model_n_values(timing->model);
    const float *logits = sl_plan_forward(timing->plan, &batch);
    if (!timing->training) return;
    const struct sl_soft_targets targets = {
        .rows = bench->targets, .n = timing->batch, .classes = classes};
    sl_soft_cross_entropy(logits, &targets, 1.0F / (float)timing->batch, NULL, bench->gradient);
    sl_plan_backward(timing->plan, bench->gradient);
    const float *gradients = sl_plan_gradients(timing->plan);
    const double norm = sl_flat_norm(gradients, n, pool);
    const struct sl_sgd sgd = {
        .rate = .01F,
        .momentum = .9F,
        .weight_decay = 1e-4F,
        .first = first,
        .gradient_scale = norm > 1 ? (float)(1 / norm) : 1,
        .pool = pool,
    };
    sl_sgd_step(&sgd, sl_model_values(timing->model), gradients, bench->velocity, n);
    sl_model_touch(timing->model);
}

static void time_steps(struct sl_timing *timing, struct bench *bench,
                       const struct sl_timing_options *options)
{
    double total = 0;
    struct sl_progress silent = {0};
    struct sl_progress *progress = options->progress ? options->progress : &silent;
    sl_progress_start(progress, timing->training ? "training" : "evaluating", options->steps,
                      "steps");
    /* The first step generates code and touches new memory. */
    take_step(timing, bench, options->pool, true);
    sl_plan_profile_clear(timing->plan);
    struct sl_pool_use use = {0};
    if (options->pool) sl_pool_watch(options->pool, &use);
    for (size_t i = 0; i < options->steps; i++) {
        const double start = sl_clock_seconds();
        take_step(timing, bench, options->pool, false);
        const double seconds = sl_clock_seconds() - start;
        if (i == 0 || seconds < timing->best) timing->best = seconds;
        total += seconds;
        sl_progress_set(progress, i + 1);
    }
    if (options->pool) sl_pool_watch(options->pool, NULL);
    sl_progress_finish(progress);
    timing->mean = total / (double)options->steps;
    timing->serial = (total - use.seconds) / (double)options->steps;
    timing->barriers = (double)use.runs / (double)options->steps;
}

static enum sl_status check_options(const struct sl_model_options *model,
                                    const struct sl_timing_options *options, struct sl_error *err)
{
    if (sl_network_reads_texts(model->network))
        return sl_fail(err, SL_ERR_USAGE, "%s reads texts: time a network of images or rows",
                       model->network);
    if (options->batch == 0 || options->steps == 0)
        return sl_fail(err, SL_ERR_USAGE, "timing needs at least one step of one item");
    return SL_OK;
}

static enum sl_status measure(struct sl_timing *timing, const struct sl_model_options *model,
                              const struct sl_timing_options *options, struct sl_error *err)
{
    const double passes = timing->training ? 3 : 1; /* forward, two gradients */
    const struct sl_plan_options plan = {
        .batch = timing->batch,
        .training = timing->training,
        .tuning = options->tuning,
        .profile = options->profile,
        .pool = options->pool,
    };
    struct bench bench = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_model_create(model, &timing->model, err));
    SL_TRY_OUT(sl_plan_create(timing->model, &plan, &timing->plan, err));
    SL_TRY_OUT(make_bench(timing, &bench, err));
    const double before = sl_fma_peak();
    time_steps(timing, &bench, options);
    const double after = sl_fma_peak();
    timing->fma_peak = before > after ? before : after;
    timing->flops = 2 * passes * (double)sl_model_multiply_adds(timing->model) *
                    (double)timing->batch / timing->best;
    timing->memory = sl_plan_memory(timing->plan);
    timing->layers = sl_plan_profile(timing->plan, &timing->n_layers);
out:
    bench_release(&bench);
    return status;
}

enum sl_status sl_network_time(const struct sl_model_options *model,
                               const struct sl_timing_options *options, struct sl_timing *out,
                               struct sl_error *err)
{
    SL_TRY(check_options(model, options, err));
    struct sl_timing timing = {.batch = options->batch,
                               .threads = sl_pool_threads(options->pool),
                               .training = !options->inference};
    const enum sl_status status = measure(&timing, model, options, err);
    if (status == SL_OK)
        *out = timing;
    else
        sl_timing_release(&timing);
    return status;
}

void sl_timing_release(struct sl_timing *timing)
{
    sl_plan_destroy(timing->plan);
    sl_model_destroy(timing->model);
    *timing = (struct sl_timing){0};
}

double sl_timing_speedup(const struct sl_timing *one, const struct sl_timing *all, size_t cores)
{
    const double serial = all->serial < one->mean ? all->serial : one->mean;
    return one->mean / (serial + (one->mean - serial) / (double)cores);
}

struct sl_timing_shares sl_timing_shares_of(const struct sl_timing *timing)
{
    struct sl_timing_shares shares = {0};
    for (size_t i = 0; i < timing->n_layers; i++) {
        const struct sl_profile_row *row = &timing->layers[i];
        if (row->runs == 0) continue;
        if (row->flops > 0) {
            shares.products += sl_profile_seconds(row);
            shares.product_flops += row->flops;
        } else {
            shares.passes += sl_profile_seconds(row);
        }
    }
    return shares;
}

double sl_profile_seconds(const struct sl_profile_row *row)
{
    return row->runs ? row->seconds / (double)row->runs : 0;
}

static json_t *layers_json(const struct sl_timing *timing)
{
    json_t *list = json_array();
    for (size_t i = 0; i < timing->n_layers; i++) {
        const struct sl_profile_row *row = &timing->layers[i];
        if (row->runs)
            json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:f, s:f}", "layer",
                                                  row->name, "kind", row->kind, "direction",
                                                  row->direction, "kernel", row->kernel, "seconds",
                                                  sl_profile_seconds(row), "flops", row->flops));
    }
    return list;
}

json_t *sl_timing_json(const struct sl_timing *timing)
{
    json_t *out = json_pack(
        "{s:s, s:b, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "network",
        sl_model_network(timing->model), "training", (int)timing->training, "batch",
        (json_int_t)timing->batch, "threads", (json_int_t)timing->threads, "serial_seconds",
        timing->serial, "barriers", timing->barriers, "seconds", timing->best, "mean_seconds",
        timing->mean, "items_per_second", (double)timing->batch / timing->best, "flops",
        timing->flops, "fma_peak", timing->fma_peak, "memory", (double)timing->memory);
    if (timing->n_layers > 0) json_object_set_new(out, "layers", layers_json(timing));
    return out;
}
