/* Layers that make or read rows of features, and input normalisation: global pooling, flattening,
 * linear layers, dropout. */
#include <stdlib.h>
#include <string.h>

#include "nn/dnn.h"
#include "nn/layers/layer.h"
#include "softlab/base/memory.h"

struct rows_layer {
    const struct sl_nn_kernels *kernels;
    const struct sl_nn_node *node; /* borrowed from the graph */
    size_t weights, bias;          /* offsets in the flat values */
    bool gradients, training;
    size_t noise; /* floats of one item */
};

static struct rows_layer *new_layer(const struct sl_nn_unit *unit)
{
    struct rows_layer *layer = sl_alloc(1, sizeof *layer);
    *layer = (struct rows_layer){
        .kernels = unit->kernels,
        .node = &unit->graph->nodes[unit->node],
        .weights = unit->offset[0],
        .bias = unit->offset[1],
        .gradients = unit->gradients,
        .training = unit->training,
    };
    return layer;
}

static void rows_destroy(void *state)
{
    free(state);
}

static enum sl_status simple_create(const struct sl_nn_unit *unit, struct sl_nn_needs *needs,
                                    void **state, struct sl_error *err)
{
    (void)needs;
    (void)err;
    *state = new_layer(unit);
    return SL_OK;
}

/* ---- (x - mean) / deviation on the plain input ---- */

static void normalise_forward(void *state, const struct sl_nn_args *args)
{
    const struct rows_layer *layer = state;
    const struct sl_nn_tensor *x = &args->input[0];
    const size_t pixels = x->height * x->width;
    for (size_t map = 0; map < x->images * x->channels; map++) {
        const float mean = layer->node->as.normalise.mean[map % x->channels];
        const float deviation = layer->node->as.normalise.deviation[map % x->channels];
        const float *from = x->data + map * pixels;
        float *to = args->output.data + map * pixels;
        for (size_t p = 0; p < pixels; p++)
            to[p] = (from[p] - mean) / deviation;
    }
}

static void normalise_backward(void *state, const struct sl_nn_args *args)
{
    const struct rows_layer *layer = state;
    const struct sl_nn_tensor *dx = &args->input_gradient[0];
    if (!dx->data) return;
    const size_t pixels = dx->height * dx->width;
    for (size_t map = 0; map < dx->images * dx->channels; map++) {
        const float deviation = layer->node->as.normalise.deviation[map % dx->channels];
        const float *from = args->upstream.data + map * pixels;
        float *to = dx->data + map * pixels;
        for (size_t p = 0; p < pixels; p++)
            to[p] = from[p] / deviation;
    }
}

const struct sl_nn_layer_type sl_nn_layer_normalise = {
    .name = "normalise",
    .by_image = true,
    .create = simple_create,
    .destroy = rows_destroy,
    .forward = normalise_forward,
    .backward = normalise_backward,
};

/* ---- the mean of every map ---- */

static enum sl_status global_pool_create(const struct sl_nn_unit *unit, struct sl_nn_needs *needs,
                                         void **state, struct sl_error *err)
{
    needs->adds[0] = true;
    return simple_create(unit, needs, state, err);
}

static void global_pool_forward(void *state, const struct sl_nn_args *args)
{
    const struct rows_layer *layer = state;
    layer->kernels->global_pool_forward(&args->input[0], &args->output);
}

static void global_pool_backward(void *state, const struct sl_nn_args *args)
{
    const struct rows_layer *layer = state;
    if (!args->input_gradient[0].data) return;
    layer->kernels->global_pool_backward(&args->upstream, args->add[0].data ? &args->add[0] : NULL,
                                         &args->input_gradient[0]);
}

const struct sl_nn_layer_type sl_nn_layer_global_pool = {
    .name = "global-pool",
    .by_image = true,
    .strided = true,
    .create = global_pool_create,
    .destroy = rows_destroy,
    .forward = global_pool_forward,
    .backward = global_pool_backward,
};

/* ---- maps to rows in PyTorch's order ---- */

/* Index of element (channel, pixel) of an image in a blocked map of `pixels`. */
static size_t blocked_index(size_t channel, size_t pixel, size_t pixels)
{
    return (channel / SL_NN_LANES * pixels + pixel) * SL_NN_LANES + channel % SL_NN_LANES;
}

static void flatten_forward(void *state, const struct sl_nn_args *args)
{
    (void)state;
    const struct sl_nn_tensor *x = &args->input[0];
    const size_t pixels = x->height * x->width, features = x->channels * pixels;
    if (x->layout == SL_NN_PLAIN) {
        memcpy(args->output.data, x->data, x->images * features * sizeof(float));
        return;
    }
    for (size_t n = 0; n < x->images; n++)
        for (size_t c = 0; c < x->channels; c++)
            for (size_t p = 0; p < pixels; p++)
                args->output.data[n * features + c * pixels + p] =
                    x->data[n * x->image_stride + blocked_index(c, p, pixels)];
}

static void flatten_backward(void *state, const struct sl_nn_args *args)
{
    (void)state;
    const struct sl_nn_tensor *dx = &args->input_gradient[0];
    if (!dx->data) return;
    const size_t pixels = dx->height * dx->width, features = dx->channels * pixels;
    if (dx->layout == SL_NN_PLAIN) {
        memcpy(dx->data, args->upstream.data, dx->images * features * sizeof(float));
        return;
    }
    const size_t padded = sl_nn_blocks(dx->channels) * SL_NN_LANES;
    for (size_t n = 0; n < dx->images; n++)
        for (size_t c = 0; c < padded; c++)
            for (size_t p = 0; p < pixels; p++)
                dx->data[n * dx->image_stride + blocked_index(c, p, pixels)] =
                    c < dx->channels ? args->upstream.data[n * features + c * pixels + p] : 0.0F;
}

const struct sl_nn_layer_type sl_nn_layer_flatten = {
    .name = "flatten",
    .by_image = true,
    .strided = true,
    .create = simple_create,
    .destroy = rows_destroy,
    .forward = flatten_forward,
    .backward = flatten_backward,
};

/* ---- y = x W^T + b ---- */

static enum sl_status linear_create(const struct sl_nn_unit *unit, struct sl_nn_needs *needs,
                                    void **state, struct sl_error *err)
{
    needs->input_in_backward[0] = unit->gradients;
    return simple_create(unit, needs, state, err);
}

static void linear_forward(void *state, const struct sl_nn_args *args)
{
    const struct rows_layer *layer = state;
    const struct sl_nn_tensor *x = &args->input[0], *y = &args->output;
    const bool bias = layer->node->as.linear.bias;
    for (size_t n = 0; bias && n < y->images; n++)
        memcpy(y->data + n * y->channels, args->values + layer->bias, y->channels * sizeof(float));
    sl_nn_gemm(&(struct sl_gemm){
        .transpose_b = true,
        .m = x->images,
        .n = y->channels,
        .k = x->channels,
        .alpha = 1.0F,
        .beta = bias ? 1.0F : 0.0F,
        .a = x->data,
        .b = args->values + layer->weights,
        .c = y->data,
        .lda = x->channels,
        .ldb = x->channels,
        .ldc = y->channels,
    });
}

static void linear_weight_gradients(const struct rows_layer *layer, const struct sl_nn_args *args)
{
    const struct sl_nn_tensor *x = &args->input[0], *g = &args->upstream;
    sl_nn_gemm(&(struct sl_gemm){
        .transpose_a = true,
        .m = g->channels,
        .n = x->channels,
        .k = x->images,
        .alpha = 1.0F,
        .a = g->data,
        .b = x->data,
        .c = args->gradients + layer->weights,
        .lda = g->channels,
        .ldb = x->channels,
        .ldc = x->channels,
    });
    for (size_t c = 0; layer->node->as.linear.bias && c < g->channels; c++) {
        double sum = 0.0;
        for (size_t n = 0; n < g->images; n++)
            sum += (double)g->data[n * g->channels + c];
        args->gradients[layer->bias + c] = (float)sum;
    }
}

static void linear_backward(void *state, const struct sl_nn_args *args)
{
    const struct rows_layer *layer = state;
    const struct sl_nn_tensor *g = &args->upstream, *dx = &args->input_gradient[0];
    if (layer->gradients) linear_weight_gradients(layer, args);
    if (!dx->data) return;
    sl_nn_gemm(&(struct sl_gemm){
        .m = g->images,
        .n = dx->channels,
        .k = g->channels,
        .alpha = 1.0F,
        .a = g->data,
        .b = args->values + layer->weights,
        .c = dx->data,
        .lda = g->channels,
        .ldb = dx->channels,
        .ldc = dx->channels,
    });
}

const struct sl_nn_layer_type sl_nn_layer_linear = {
    .name = "linear",
    .create = linear_create,
    .destroy = rows_destroy,
    .forward = linear_forward,
    .backward = linear_backward,
};

/* ---- dropout: multiplication by the mask in the plan's noise; a copy in evaluation ---- */

static size_t item_floats(const struct sl_nn_unit *unit)
{
    const struct sl_nn_shape *shape = &unit->graph->nodes[unit->node].shape;
    if (shape->layout == SL_NN_ROWS) return shape->channels;
    return sl_nn_blocks(shape->channels) * SL_NN_LANES * shape->height * shape->width;
}

static enum sl_status dropout_create(const struct sl_nn_unit *unit, struct sl_nn_needs *needs,
                                     void **state, struct sl_error *err)
{
    (void)err;
    struct rows_layer *layer = new_layer(unit);
    layer->noise = item_floats(unit);
    needs->overwrites = true;
    if (unit->training) needs->noise = unit->images * layer->noise;
    *state = layer;
    return SL_OK;
}

static void dropout_pass(const struct rows_layer *layer, const struct sl_nn_args *args,
                         const float *from, float *to)
{
    const size_t count = args->output.images * layer->noise;
    if (layer->training)
        layer->kernels->multiply(from, args->noise + args->first_image * layer->noise, count, to);
    else
        memcpy(to, from, count * sizeof(float));
}

static void dropout_forward(void *state, const struct sl_nn_args *args)
{
    dropout_pass(state, args, args->input[0].data, args->output.data);
}

static void dropout_backward(void *state, const struct sl_nn_args *args)
{
    if (args->input_gradient[0].data)
        dropout_pass(state, args, args->upstream.data, args->input_gradient[0].data);
}

const struct sl_nn_layer_type sl_nn_layer_dropout = {
    .name = "dropout",
    .by_image = true,
    .create = dropout_create,
    .destroy = rows_destroy,
    .forward = dropout_forward,
    .backward = dropout_backward,
};
