/* nn network|layer [--plant sign|factor] FOLDER
 * nn loss|optimiser [--plant sign|factor] FOLDER
 * nn list
 * Runs a network, or a graph of a few layers, on what FOLDER holds, for check_nn_networks.py and
 * check_nn_layers.py, which compare with PyTorch. FOLDER/case.json says what to run, inputs.npz
 * holds the pixels, the noise and either targets or the gradient by the output, and
 * weights.safetensors the values. Everything computed goes to FOLDER/results.npz.
 *
 * A layer's case lists the nodes of its graph, {"op": "conv", "from": [1], "name": "layer", ...};
 * node 0 is the pixels. `--plant` falsifies the result as a wrong sign or a forgotten factor in one
 * layer would: a comparison that lets it pass compares nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/graph/model.h"
#include "nn/tensor.h"
#include "nn_case.h"
#include "softlab/base/array.h"
#include "softlab/base/json.h"
#include "softlab/base/memory.h"
#include "softlab/nn.h"
#include "softlab/nn/loss.h"
#include "softlab/nn/optimiser.h"
#include "softlab/nn/weights.h"

enum { MAX_TEXT = 1 << 20 };
enum plant { PLANT_NOTHING, PLANT_SIGN, PLANT_FACTOR };

struct task {
    char *folder; /* borrowed */
    enum plant plant;
    struct sl_json json;
    struct sl_npz *inputs;
    struct sl_npz_writer *results;
    struct sl_model *model;
    struct sl_plan *plan;
    struct sl_array pixels, targets, upstream; /* data NULL: not given */
    size_t batch, steps;
    float rate, momentum, weight_decay;
};

static char *path_in(const struct task *task, const char *name)
{
    return sl_string_printf("%s/%s", task->folder, name);
}

/* ---- inputs.npz, results.npz ---- */

static enum sl_status read_input(struct task *task, const char *name, struct sl_array *out,
                                 struct sl_error *err)
{
    if (!sl_npz_has(task->inputs, name)) return SL_OK;
    SL_TRY(sl_npz_read(task->inputs, name, out, err));
    if (out->dtype != SL_F4) return sl_fail(err, SL_ERR_INPUT, "%s is not float32", name);
    return SL_OK;
}

static enum sl_status write_values(struct task *task, const char *prefix, const char *name,
                                   const float *values, size_t count, struct sl_error *err)
{
    struct sl_array array = {0};
    SL_TRY(sl_array_create(SL_F4, 0, 1, &count, &array, err));
    if (count) memcpy(array.data, values, count * sizeof *values);
    char *full = sl_string_printf("%s%s", prefix, name);
    const enum sl_status status = sl_npz_writer_add(task->results, full, &array, err);
    free(full);
    sl_array_release(&array);
    return status;
}

/* Every tensor of a kind, from a flat buffer laid out as the model's own. */
static enum sl_status write_tensors(struct task *task, const char *prefix, enum sl_tensor_kind kind,
                                    const float *flat, struct sl_error *err)
{
    size_t count;
    const struct sl_tensor_info *tensors = sl_model_tensors(task->model, &count);
    for (size_t i = 0; i < count; i++)
        if (tensors[i].kind == kind)
            SL_TRY(write_values(task, prefix, tensors[i].name, flat + tensors[i].offset,
                                tensors[i].count, err));
    return SL_OK;
}

/* Masks are given as PyTorch has them, (n, C, H, W); a plan wants them as its tensor lies. */
static void write_mask(const struct sl_nn_shape *shape, size_t images, const float *mask,
                       float *noise)
{
    if (shape->layout != SL_NN_BLOCKED) {
        memcpy(noise, mask, images * shape->channels * sizeof *mask);
        return;
    }
    const size_t pixels = shape->height * shape->width;
    const size_t blocks = sl_nn_blocks(shape->channels);
    memset(noise, 0, images * blocks * SL_NN_LANES * pixels * sizeof *noise);
    for (size_t n = 0; n < images; n++)
        for (size_t c = 0; c < shape->channels; c++)
            for (size_t p = 0; p < pixels; p++) {
                const size_t block = (n * blocks + c / SL_NN_LANES) * pixels + p;
                noise[block * SL_NN_LANES + c % SL_NN_LANES] =
                    mask[(n * shape->channels + c) * pixels + p];
            }
}

static bool is_noisy(const struct sl_nn_node *node)
{
    return node->op == SL_NN_DROPOUT || node->op == SL_NN_SHAKE;
}

/* The arrays noise0, noise1, ... belong to the noisy nodes in their order. */
static enum sl_status give_noise(struct task *task, struct sl_error *err)
{
    const struct sl_nn_graph *graph = &task->model->graph;
    for (size_t i = 0, index = 0; i < graph->count; i++) {
        const struct sl_nn_node *node = &graph->nodes[i];
        if (!is_noisy(node)) continue;
        char key[32];
        snprintf(key, sizeof key, "noise%zu", index);
        struct sl_array given = {0};
        SL_TRY(read_input(task, key, &given, err));
        size_t count = 0;
        const char *kind;
        float *noise = sl_plan_noise(task->plan, index++, &count, &kind);
        if (given.data && noise && node->op == SL_NN_SHAKE)
            memcpy(noise, given.data, count * sizeof *noise);
        else if (given.data && noise)
            write_mask(&node->shape, task->batch, given.data, noise);
        const bool missing = !given.data || !noise;
        sl_array_release(&given);
        if (missing) return sl_fail(err, SL_ERR_INPUT, "no %s, or no such layer", key);
    }
    return SL_OK;
}

/* ---- Running ---- */

/* What a sign error, or a mean that forgot to divide, in one layer would do. */
static void falsify(const struct task *task, float *values, size_t count)
{
    const float forgotten = task->batch > 1 ? (float)task->batch : 2.0F;
    const float factor = task->plant == PLANT_SIGN ? -1.0F : forgotten;
    for (size_t i = 0; i < count && task->plant != PLANT_NOTHING; i++)
        values[i] *= factor;
}

/* The tensor in the middle of the network; of a single layer, its own. */
static const struct sl_tensor_info *layer_to_falsify(const struct sl_model *model)
{
    const struct sl_tensor_info *layer = sl_model_tensor_find(model, "layer.weight");
    size_t count;
    const struct sl_tensor_info *tensors = sl_model_tensors(model, &count);
    for (size_t i = 0; i < count && !layer; i++) {
        const struct sl_tensor_info *tensor = &tensors[(i + count / 2) % count];
        if (tensor->kind == SL_TENSOR_VALUE && tensor->rank != 1) layer = tensor;
    }
    return layer;
}

/* Gradient by the logits: as given, or of the mean cross-entropy, whose value is returned. */
static double logit_gradient(const struct task *task, const float *logits, float *gradient)
{
    const size_t classes = sl_model_classes(task->model);
    if (task->upstream.data) {
        memcpy(gradient, task->upstream.data, task->batch * classes * sizeof *gradient);
        return 0;
    }
    const struct sl_soft_targets targets = {
        .rows = task->targets.data, .n = task->batch, .classes = classes};
    const float scale = 1.0F / (float)task->batch;
    return sl_soft_cross_entropy(logits, &targets, scale, NULL, gradient) / (double)task->batch;
}

static enum sl_status write_first_run(struct task *task, const float *logits, double loss,
                                      struct sl_error *err)
{
    const size_t n_logits = task->batch * sl_model_classes(task->model);
    const float loss_value = (float)loss;
    SL_TRY(write_values(task, "logits", "", logits, n_logits, err));
    SL_TRY(write_values(task, "loss", "", &loss_value, 1, err));
    SL_TRY(write_tensors(task, "state.", SL_TENSOR_STATE, sl_model_state(task->model), err));
    float *gradients = sl_plan_gradients(task->plan);
    if (gradients) {
        const struct sl_tensor_info *layer = layer_to_falsify(task->model);
        if (layer) falsify(task, gradients + layer->offset, layer->count);
        SL_TRY(write_tensors(task, "gradient.", SL_TENSOR_VALUE, gradients, err));
    }
    const float *by_input = sl_plan_input_gradient(task->plan);
    if (!by_input) return SL_OK;
    const size_t count = sl_array_count(&task->pixels);
    float *copy = sl_alloc(count, sizeof *copy);
    memcpy(copy, by_input, count * sizeof *copy);
    falsify(task, copy, count);
    const enum sl_status status = write_values(task, "input_gradient", "", copy, count, err);
    free(copy);
    return status;
}

/* A first pass, written down; then the steps of SGD on the same batch, the first of which takes the
 * gradient that is already there. */
static enum sl_status run(struct task *task, struct sl_error *err)
{
    const size_t n_values = sl_model_n_values(task->model);
    const struct sl_batch batch = {.pixels = task->pixels.data};
    float *gradient = sl_alloc(task->batch * sl_model_classes(task->model), sizeof *gradient);
    float *velocity = sl_alloc(n_values + 1, sizeof *velocity);
    enum sl_status status = SL_OK;
    for (size_t step = 0; step == 0 || step < task->steps; step++) {
        const float *logits = sl_plan_forward(task->plan, &batch);
        if (!task->upstream.data && !task->targets.data) {
            status = write_first_run(task, logits, 0, err);
            goto out;
        }
        const double loss = logit_gradient(task, logits, gradient);
        sl_plan_backward(task->plan, gradient);
        if (step == 0) SL_TRY_OUT(write_first_run(task, logits, loss, err));
        if (!task->steps) break;
        const struct sl_sgd sgd = {.rate = task->rate,
                                   .momentum = task->momentum,
                                   .weight_decay = task->weight_decay,
                                   .first = step == 0,
                                   .gradient_scale = 1};
        sl_sgd_step(&sgd, sl_model_values(task->model), sl_plan_gradients(task->plan), velocity,
                    n_values);
        sl_model_touch(task->model);
    }
    if (task->steps)
        SL_TRY_OUT(
            write_tensors(task, "after.", SL_TENSOR_VALUE, sl_model_values(task->model), err));
out:
    free(gradient);
    free(velocity);
    return status;
}

static enum sl_status check_inputs(const struct task *task, struct sl_error *err)
{
    const struct sl_input_shape input = task->model->input;
    const size_t pixels = task->batch * input.channels * input.height * input.width;
    const size_t rows = task->batch * sl_model_classes(task->model);
    if (!task->pixels.data || (pixels && sl_array_count(&task->pixels) != pixels))
        return sl_fail(err, SL_ERR_INPUT, "input: expected %zu numbers", pixels);
    if ((task->targets.data && sl_array_count(&task->targets) != rows) ||
        (task->upstream.data && sl_array_count(&task->upstream) != rows))
        return sl_fail(err, SL_ERR_INPUT, "targets or upstream: expected %zu numbers", rows);
    return SL_OK;
}

static enum sl_status read_task(struct task *task, bool is_network, struct sl_error *err)
{
    const struct sl_json_cursor root = sl_json_root(&task->json);
    struct sl_plan_options options = sl_plan_options_default();
    options.input_gradient = true;
    SL_TRY(case_size(&root, "batch", &options.batch, err));
    SL_TRY(case_flag(&root, "training", &options.training, err));
    SL_TRY(case_size(&root, "steps", &task->steps, err));
    SL_TRY(case_real(&root, "rate", &task->rate, err));
    SL_TRY(case_real(&root, "momentum", &task->momentum, err));
    SL_TRY(case_real(&root, "weight_decay", &task->weight_decay, err));
    task->batch = options.batch;
    SL_TRY((is_network ? case_create_network : case_create_layer)(&root, &task->model, err));
    char *path = path_in(task, "weights.safetensors");
    const enum sl_status status = sl_weights_read(path, task->model, err);
    free(path);
    SL_TRY(status);
    SL_TRY(sl_plan_create(task->model, &options, &task->plan, err));
    SL_TRY(read_input(task, "input", &task->pixels, err));
    SL_TRY(read_input(task, "targets", &task->targets, err));
    SL_TRY(read_input(task, "upstream", &task->upstream, err));
    SL_TRY(check_inputs(task, err));
    if (options.training) SL_TRY(give_noise(task, err));
    return SL_OK;
}

/* sl_soft_cross_entropy alone: logits, targets and weights to losses and a gradient. */
static enum sl_status run_loss(struct task *task, struct sl_error *err)
{
    const struct sl_json_cursor root = sl_json_root(&task->json);
    struct sl_array weights = {0}, losses = {0}, gradient = {0};
    float scale = 1;
    SL_TRY(case_real(&root, "scale", &scale, err));
    SL_TRY(read_input(task, "input", &task->pixels, err));
    SL_TRY(read_input(task, "targets", &task->targets, err));
    const size_t *shape = task->pixels.shape;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(read_input(task, "weights", &weights, err));
    SL_TRY_OUT(sl_array_create(SL_F4, 0, 1, shape, &losses, err));
    SL_TRY_OUT(sl_array_create(SL_F4, 0, 2, shape, &gradient, err));
    const struct sl_soft_targets targets = {
        .rows = task->targets.data, .weights = weights.data, .n = shape[0], .classes = shape[1]};
    const double sum =
        sl_soft_cross_entropy(task->pixels.data, &targets, scale, losses.data, gradient.data);
    const float total = (float)sum;
    falsify(task, gradient.data, shape[0] * shape[1]);
    SL_TRY_OUT(write_values(task, "loss", "", &total, 1, err));
    SL_TRY_OUT(write_values(task, "logits", "", losses.data, shape[0], err));
    SL_TRY_OUT(write_values(task, "input_gradient", "", gradient.data, shape[0] * shape[1], err));
out:
    sl_array_release(&weights);
    sl_array_release(&losses);
    sl_array_release(&gradient);
    return status;
}

/* The optimisers alone: "input" is the values, "gradients" (steps, values); "after" is the values
 * behind one another after each step. */
struct optimiser {
    const char *kind; /* borrowed */
    struct sl_sgd sgd;
    struct sl_adam adam;
};

static enum sl_status read_optimiser(const struct task *task, struct optimiser *out,
                                     struct sl_error *err)
{
    const struct sl_json_cursor root = sl_json_root(&task->json);
    struct sl_json_cursor at;
    SL_TRY(sl_json_member(&root, "kind", &at, err));
    SL_TRY(sl_json_string(&at, &out->kind, err));
    SL_TRY(case_real(&root, "rate", &out->sgd.rate, err));
    SL_TRY(case_real(&root, "momentum", &out->sgd.momentum, err));
    SL_TRY(case_real(&root, "weight_decay", &out->sgd.weight_decay, err));
    SL_TRY(case_flag(&root, "nesterov", &out->sgd.nesterov, err));
    SL_TRY(case_real(&root, "beta1", &out->adam.beta1, err));
    SL_TRY(case_real(&root, "beta2", &out->adam.beta2, err));
    SL_TRY(case_real(&root, "epsilon", &out->adam.epsilon, err));
    out->adam.rate = out->sgd.rate;
    out->adam.weight_decay = out->sgd.weight_decay;
    out->adam.rectified = strcmp(out->kind, "radam") == 0;
    out->sgd.gradient_scale = out->adam.gradient_scale = 1;
    return SL_OK;
}

static enum sl_status run_optimiser(struct task *task, struct sl_error *err)
{
    struct optimiser optimiser = {0};
    struct sl_array gradients = {0};
    SL_TRY(read_optimiser(task, &optimiser, err));
    SL_TRY(read_input(task, "input", &task->pixels, err));
    SL_TRY(read_input(task, "gradients", &gradients, err));
    const size_t steps = gradients.shape[0], count = gradients.shape[1];
    float *state[2] = {sl_alloc(count, sizeof(float)), sl_alloc(count, sizeof(float))};
    float *values = task->pixels.data, *after = sl_alloc(steps * count, sizeof *after);
    for (size_t step = 0; step < steps; step++) {
        const float *gradient = (const float *)gradients.data + step * count;
        optimiser.sgd.first = step == 0;
        optimiser.adam.step = step + 1;
        if (strcmp(optimiser.kind, "sgd") == 0)
            sl_sgd_step(&optimiser.sgd, values, gradient, state[0], count);
        else
            sl_adam_step(&optimiser.adam, values, gradient, state[0], state[1], count);
        memcpy(after + step * count, values, count * sizeof *after);
    }
    falsify(task, after, steps * count);
    const enum sl_status status = write_values(task, "after", "", after, steps * count, err);
    free(state[0]);
    free(state[1]);
    free(after);
    sl_array_release(&gradients);
    return status;
}

static enum sl_status open_folder(struct task *task, struct sl_error *err)
{
    char *json = path_in(task, "case.json"), *inputs = path_in(task, "inputs.npz");
    char *results = path_in(task, "results.npz");
    enum sl_status status = sl_json_read(json, MAX_TEXT, &task->json, err);
    if (status == SL_OK) status = sl_npz_open(inputs, &task->inputs, err);
    if (status == SL_OK) status = sl_npz_writer_create(results, SL_NPZ_STORED, &task->results, err);
    free(json);
    free(inputs);
    free(results);
    return status;
}

static enum sl_status run_folder(struct task *task, const char *mode, struct sl_error *err)
{
    SL_TRY(open_folder(task, err));
    task->batch = 2; /* what a forgotten mean would leave out, where there is no batch */
    if (strcmp(mode, "loss") == 0) {
        SL_TRY(run_loss(task, err));
    } else if (strcmp(mode, "optimiser") == 0) {
        SL_TRY(run_optimiser(task, err));
    } else {
        SL_TRY(read_task(task, strcmp(mode, "network") == 0, err));
        SL_TRY(run(task, err));
    }
    return sl_npz_writer_commit(task->results, err);
}

static void task_release(struct task *task)
{
    sl_plan_destroy(task->plan);
    sl_model_destroy(task->model);
    sl_array_release(&task->pixels);
    sl_array_release(&task->targets);
    sl_array_release(&task->upstream);
    sl_npz_writer_destroy(task->results);
    sl_npz_close(task->inputs);
    sl_json_release(&task->json);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (const struct sl_network *network = sl_networks; network->name; network++)
            printf("%s %s\n", network->name, network->spec);
        return 0;
    }
    const bool planted = argc == 5 && strcmp(argv[2], "--plant") == 0;
    if (argc != 3 && !planted) {
        fputs("usage: nn network|layer|loss|optimiser [--plant sign|factor] FOLDER, or nn list\n",
              stderr);
        return 2;
    }
    struct task task = {.folder = argv[argc - 1]};
    if (planted) task.plant = strcmp(argv[3], "sign") == 0 ? PLANT_SIGN : PLANT_FACTOR;
    struct sl_error err = {0};
    const enum sl_status status = run_folder(&task, argv[1], &err);
    if (status != SL_OK) fprintf(stderr, "nn: %s\n", err.message);
    task_release(&task);
    return status != SL_OK;
}
