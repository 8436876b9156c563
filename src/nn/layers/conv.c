/* Convolution as a layer: three tasks (forward, backward-data, backward-weights), each with the
 * kernel that the tuning table names. Kernels copy the weights to their own layout. In training the
 * weights change with every step, so they are copied before every run; in evaluation they are
 * copied once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/conv/conv.h"
#include "nn/layers/layer.h"
#include "nn/plan/buffer_layout.h"
#include "nn/threads.h"
#include "softlab/base/log.h"
#include "softlab/base/memory.h"

enum { N_DIRECTIONS = 3 };

struct conv_layer {
    struct sl_nn_conv conv[N_DIRECTIONS]; /* kernel NULL: this direction is not needed */
    size_t weights, bias;                 /* offsets in the flat values */
    bool has_bias;
    size_t threads;  /* 1 if the convolution is too small to share */
    bool persistent; /* prepared copies are kept from run to run */
    size_t prepared_offset[N_DIRECTIONS];
    /* With a folded batch norm, `prepared` holds the folded weights and bias. */
    bool folded;
    size_t out_channels, weights_per_channel;
    size_t gamma, beta, mean, variance; /* offsets of the norm's tensors */
    size_t folded_bias;                 /* offset in `prepared`; the weights are at 0 */
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static enum sl_status make_direction(struct conv_layer *layer, const struct sl_nn_unit *unit,
                                     enum sl_nn_direction direction, bool *adds,
                                     struct sl_error *err)
{
    struct sl_nn_conv_task task =
        sl_nn_conv_task_of(unit->graph, unit->node, unit->images, direction);
    task.threads = layer->threads;
    if (direction == SL_NN_FORWARD) {
        task.add = unit->add;
        task.relu = unit->relu;
        task.bias = task.bias || layer->folded;
    }
    const struct sl_nn_conv_kernel *kernel = sl_nn_conv_choose(unit->tuning, &task);
    if (!kernel)
        return sl_fail(err, SL_ERR_BACKEND, "%s: no convolution kernel can do this shape",
                       unit->graph->nodes[unit->node].name);
    if (direction == SL_NN_BACKWARD_DATA) {
        struct sl_nn_conv_task adding = task;
        adding.add = true;
        *adds = kernel->suits(&adding);
        task.add = *adds;
    }
    layer->conv[direction].kernel = kernel;
    return kernel->create(&task, &layer->conv[direction], err);
}

/* Decide where the copies of the weights go and how much memory the runs need. */
static void plan_memory(struct conv_layer *layer, struct sl_nn_needs *needs)
{
    size_t prepared = 0;
    if (layer->folded) {
        layer->folded_bias =
            sl_nn_aligned(layer->out_channels * layer->weights_per_channel * sizeof(float));
        prepared = layer->folded_bias + sl_nn_aligned(layer->out_channels * sizeof(float));
    }
    for (size_t d = 0; d < N_DIRECTIONS; d++) {
        const struct sl_nn_conv *conv = &layer->conv[d];
        const size_t pass = d == SL_NN_FORWARD ? 0 : 1;
        size_t scratch = sl_nn_aligned(conv->scratch_bytes);
        if (layer->persistent) {
            layer->prepared_offset[d] = prepared;
            prepared += sl_nn_aligned(conv->prepared_bytes);
        } else {
            scratch += sl_nn_aligned(conv->prepared_bytes);
        }
        needs->scratch[pass] = larger(needs->scratch[pass], scratch);
    }
    needs->prepared = prepared;
}

static void find_tensors(struct conv_layer *layer, const struct sl_nn_unit *unit)
{
    const struct sl_nn_node *node = &unit->graph->nodes[unit->node];
    const struct sl_nn_node *input = &unit->graph->nodes[node->input[0]];
    layer->has_bias = node->as.conv.bias;
    layer->threads =
        sl_nn_shares_product((double)sl_nn_node_multiply_adds(unit->graph, unit->node) *
                             (double)unit->images)
            ? unit->threads
            : 1;
    layer->weights = unit->offset[0];
    layer->bias = unit->offset[1];
    layer->persistent = !unit->training;
    layer->out_channels = node->shape.channels;
    layer->weights_per_channel =
        input->shape.channels / node->as.conv.groups * node->as.conv.kernel * node->as.conv.kernel;
    layer->folded = unit->norm != SL_NN_NO_NODE;
    if (layer->folded) {
        layer->gamma = unit->norm_offset[0];
        layer->beta = unit->norm_offset[1];
        layer->mean = unit->norm_offset[2];
        layer->variance = unit->norm_offset[3];
    }
}

static void conv_destroy(void *state)
{
    struct conv_layer *layer = state;
    if (!layer) return;
    for (size_t d = 0; d < N_DIRECTIONS; d++)
        if (layer->conv[d].kernel) layer->conv[d].kernel->destroy(&layer->conv[d]);
    free(layer);
}

static enum sl_status conv_create(const struct sl_nn_unit *unit, struct sl_nn_needs *needs,
                                  void **state, struct sl_error *err)
{
    struct conv_layer *layer = sl_alloc(1, sizeof *layer);
    enum sl_status status = SL_OK;
    find_tensors(layer, unit);
    SL_TRY_OUT(make_direction(layer, unit, SL_NN_FORWARD, NULL, err));
    if (unit->input_gradient[0])
        SL_TRY_OUT(make_direction(layer, unit, SL_NN_BACKWARD_DATA, &needs->adds[0], err));
    if (unit->gradients) SL_TRY_OUT(make_direction(layer, unit, SL_NN_BACKWARD_WEIGHTS, NULL, err));
    plan_memory(layer, needs);
    needs->input_in_backward[0] = unit->gradients;
    needs->passes[1] = unit->add;
    *state = layer;
out:
    if (status != SL_OK) conv_destroy(layer);
    return status;
}

/* The arguments of a kernel in one direction. */
static struct sl_nn_conv_args conv_args(const struct conv_layer *layer,
                                        enum sl_nn_direction direction,
                                        const struct sl_nn_args *args)
{
    char *scratch = args->scratch, *prepared = args->prepared;
    const struct sl_nn_conv *conv = &layer->conv[direction];
    struct sl_nn_conv_args out = {
        .input = args->input[0].data,
        .upstream = args->upstream.data,
        .weights = args->values + layer->weights,
        .bias = layer->has_bias ? args->values + layer->bias : NULL,
        .pool = layer->threads > 1 ? args->pool : NULL,
    };
    if (layer->folded) {
        out.weights = (const float *)(const void *)prepared;
        out.bias = (const float *)(const void *)(prepared + layer->folded_bias);
    }
    if (layer->persistent) {
        out.prepared = prepared + layer->prepared_offset[direction];
        out.scratch = scratch;
    } else {
        out.prepared = scratch;
        out.scratch = scratch + sl_nn_aligned(conv->prepared_bytes);
    }
    return out;
}

static void run_direction(const struct conv_layer *layer, enum sl_nn_direction direction,
                          const struct sl_nn_conv_args *args)
{
    const struct sl_nn_conv *conv = &layer->conv[direction];
    if (!layer->persistent && conv->kernel->prepare) conv->kernel->prepare(conv, args);
    conv->kernel->run(conv, args);
}

/* w' = w gamma / sqrt(variance + eps),  b' = (b - mean) gamma / sqrt(variance + eps) + beta */
static void fold_norm(const struct conv_layer *layer, const struct sl_nn_args *args)
{
    float *weights = args->prepared;
    float *bias = (float *)(void *)((char *)args->prepared + layer->folded_bias);
    const float *source = args->values + layer->weights;
    for (size_t o = 0; o < layer->out_channels; o++) {
        const double variance = (double)args->state[layer->variance + o];
        const double scale =
            (double)args->values[layer->gamma + o] / sqrt(variance + SL_NN_NORM_EPSILON);
        const double before = layer->has_bias ? (double)args->values[layer->bias + o] : 0.0;
        bias[o] = (float)((before - (double)args->state[layer->mean + o]) * scale +
                          (double)args->values[layer->beta + o]);
        const size_t row = o * layer->weights_per_channel;
        for (size_t i = 0; i < layer->weights_per_channel; i++)
            weights[row + i] = (float)((double)source[row + i] * scale);
    }
}

static void conv_prepare(void *state, const struct sl_nn_args *args)
{
    const struct conv_layer *layer = state;
    if (!layer->persistent) return;
    if (layer->folded) fold_norm(layer, args);
    for (size_t d = 0; d < N_DIRECTIONS; d++) {
        const struct sl_nn_conv *conv = &layer->conv[d];
        if (!conv->kernel || !conv->kernel->prepare) continue;
        const struct sl_nn_conv_args prepare_args = conv_args(layer, (enum sl_nn_direction)d, args);
        conv->kernel->prepare(conv, &prepare_args);
    }
}

static void conv_forward(void *state, const struct sl_nn_args *args)
{
    struct sl_nn_conv_args forward = conv_args(state, SL_NN_FORWARD, args);
    forward.add = args->input[1].data;
    forward.result = args->output.data;
    run_direction(state, SL_NN_FORWARD, &forward);
}

static void backward_weights(const struct conv_layer *layer, const struct sl_nn_args *args)
{
    const double start = args->weights_seconds ? sl_clock_seconds() : 0.0;
    struct sl_nn_conv_args weights = conv_args(layer, SL_NN_BACKWARD_WEIGHTS, args);
    weights.result = args->gradients + layer->weights;
    weights.bias_gradient = layer->has_bias ? args->gradients + layer->bias : NULL;
    run_direction(layer, SL_NN_BACKWARD_WEIGHTS, &weights);
    if (args->weights_seconds) *args->weights_seconds += sl_clock_seconds() - start;
}

static void conv_backward(void *state, const struct sl_nn_args *args)
{
    const struct conv_layer *layer = state;
    if (layer->conv[SL_NN_BACKWARD_WEIGHTS].kernel) backward_weights(layer, args);
    if (!args->input_gradient[0].data) return;
    struct sl_nn_conv_args data = conv_args(layer, SL_NN_BACKWARD_DATA, args);
    data.add = args->add[0].data;
    data.result = args->input_gradient[0].data;
    run_direction(layer, SL_NN_BACKWARD_DATA, &data);
}

static const char *conv_kernel(const void *state, enum sl_nn_direction direction)
{
    const struct conv_layer *layer = state;
    return layer->conv[direction].kernel ? layer->conv[direction].kernel->name : "";
}

const struct sl_nn_layer_type sl_nn_layer_conv = {
    .name = "conv",
    .create = conv_create,
    .destroy = conv_destroy,
    .prepare = conv_prepare,
    .forward = conv_forward,
    .backward = conv_backward,
    .kernel = conv_kernel,
};
