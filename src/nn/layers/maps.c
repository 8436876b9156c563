/* Layers that make one pass over their tensors: addition, ReLU, subsampling, concatenation,
 * shake-shake. */
#include <stdlib.h>
#include <string.h>

#include "nn/layers/layer.h"
#include "softlab/base/memory.h"

/* The state of any of these layers. */
struct map_layer {
    const struct sl_nn_kernels *kernels;
    bool relu;
    float slope;
    size_t stride, offset;
    size_t first;  /* concatenation: first channel of the second input */
    size_t images; /* of the batch */
    bool training;
};

static struct map_layer *new_layer(const struct sl_nn_unit *unit)
{
    struct map_layer *layer = sl_alloc(1, sizeof *layer);
    layer->kernels = unit->kernels;
    layer->training = unit->training;
    layer->images = unit->images;
    layer->relu = unit->relu;
    return layer;
}

static void map_destroy(void *state)
{
    free(state);
}

static const struct sl_nn_tensor *or_null(const struct sl_nn_tensor *tensor)
{
    return tensor->data ? tensor : NULL;
}

/* ---- addition, with a ReLU behind it or not ---- */

static enum sl_status add_create(const struct sl_nn_unit *unit, struct sl_nn_needs *needs,
                                 void **state, struct sl_error *err)
{
    (void)err;
    needs->output_in_backward = unit->relu;
    needs->masks = unit->relu;
    needs->passes[0] = needs->passes[1] = true;
    *state = new_layer(unit);
    return SL_OK;
}

static void add_forward(void *state, const struct sl_nn_args *args)
{
    const struct map_layer *layer = state;
    layer->kernels->add(&args->input[0], &args->input[1], layer->relu, &args->output);
}

static void add_backward(void *state, const struct sl_nn_args *args)
{
    const struct map_layer *layer = state;
    if (layer->relu)
        layer->kernels->relu_backward(&args->output, &args->upstream, 0.0F, NULL, &args->masked);
}

const struct sl_nn_layer_type sl_nn_layer_add = {
    .name = "add",
    .by_image = true,
    .strided = true,
    .create = add_create,
    .destroy = map_destroy,
    .forward = add_forward,
    .backward = add_backward,
};

/* ---- ReLU by itself, on maps or rows ---- */

static enum sl_status relu_create(const struct sl_nn_unit *unit, struct sl_nn_needs *needs,
                                  void **state, struct sl_error *err)
{
    (void)err;
    struct map_layer *layer = new_layer(unit);
    layer->slope = unit->graph->nodes[unit->node].as.relu.slope;
    needs->output_in_backward = true;
    needs->adds[0] = true;
    needs->overwrites = true;
    *state = layer;
    return SL_OK;
}

static void relu_forward(void *state, const struct sl_nn_args *args)
{
    const struct map_layer *layer = state;
    if (args->input[0].layout == SL_NN_BLOCKED) {
        layer->kernels->relu_forward(&args->input[0], layer->slope, &args->output);
        return;
    }
    const size_t count = args->input[0].images * args->input[0].channels;
    for (size_t i = 0; i < count; i++) {
        const float x = args->input[0].data[i];
        args->output.data[i] = x > 0.0F ? x : layer->slope * x;
    }
}

static void relu_backward(void *state, const struct sl_nn_args *args)
{
    const struct map_layer *layer = state;
    const struct sl_nn_tensor *dx = &args->input_gradient[0], *add = or_null(&args->add[0]);
    if (!dx->data) return;
    if (dx->layout == SL_NN_BLOCKED) {
        layer->kernels->relu_backward(&args->output, &args->upstream, layer->slope, add, dx);
        return;
    }
    const size_t count = dx->images * dx->channels;
    for (size_t i = 0; i < count; i++) {
        const float g = args->upstream.data[i];
        const float passed = args->output.data[i] > 0.0F ? g : layer->slope * g;
        dx->data[i] = passed + (add ? add->data[i] : 0.0F);
    }
}

const struct sl_nn_layer_type sl_nn_layer_relu = {
    .name = "relu",
    .by_image = true,
    .strided = true,
    .create = relu_create,
    .destroy = map_destroy,
    .forward = relu_forward,
    .backward = relu_backward,
};

/* ---- every n-th pixel ---- */

static enum sl_status subsample_create(const struct sl_nn_unit *unit, struct sl_nn_needs *needs,
                                       void **state, struct sl_error *err)
{
    (void)err;
    struct map_layer *layer = new_layer(unit);
    layer->stride = unit->graph->nodes[unit->node].as.subsample.stride;
    layer->offset = unit->graph->nodes[unit->node].as.subsample.offset;
    needs->adds[0] = true;
    *state = layer;
    return SL_OK;
}

static void subsample_forward(void *state, const struct sl_nn_args *args)
{
    const struct map_layer *layer = state;
    layer->kernels->subsample_forward(&args->input[0], layer->stride, layer->offset, &args->output);
}

static void subsample_backward(void *state, const struct sl_nn_args *args)
{
    const struct map_layer *layer = state;
    if (!args->input_gradient[0].data) return;
    layer->kernels->subsample_backward(&args->upstream, layer->stride, layer->offset,
                                       or_null(&args->add[0]), &args->input_gradient[0]);
}

const struct sl_nn_layer_type sl_nn_layer_subsample = {
    .name = "subsample",
    .by_image = true,
    .strided = true,
    .create = subsample_create,
    .destroy = map_destroy,
    .forward = subsample_forward,
    .backward = subsample_backward,
};

/* ---- concatenation of channels. In a dense block the output lies in the memory of the first input
 * and uses more of its channels, so only the new channels are copied. ---- */

static enum sl_status concat_create(const struct sl_nn_unit *unit, struct sl_nn_needs *needs,
                                    void **state, struct sl_error *err)
{
    (void)err;
    struct map_layer *layer = new_layer(unit);
    layer->first = unit->graph->nodes[unit->input[0]].shape.channels;
    needs->passes[0] = unit->graph->nodes[unit->node].shape.layout == SL_NN_BLOCKED;
    *state = layer;
    return SL_OK;
}

static void copy_rows(const struct sl_nn_tensor *from, size_t from_first,
                      const struct sl_nn_tensor *to, size_t to_first, size_t channels)
{
    for (size_t n = 0; n < from->images; n++)
        memcpy(to->data + n * to->channels + to_first, from->data + n * from->channels + from_first,
               channels * sizeof(float));
}

static void concat_forward(void *state, const struct sl_nn_args *args)
{
    const struct map_layer *layer = state;
    const struct sl_nn_tensor *a = &args->input[0], *b = &args->input[1];
    if (a->layout == SL_NN_ROWS) {
        copy_rows(a, 0, &args->output, 0, a->channels);
        copy_rows(b, 0, &args->output, layer->first, b->channels);
        return;
    }
    if (a->data != args->output.data) layer->kernels->insert_channels(a, 0, &args->output);
    layer->kernels->insert_channels(b, layer->first, &args->output);
}

static void concat_backward(void *state, const struct sl_nn_args *args)
{
    const struct map_layer *layer = state;
    const struct sl_nn_tensor *da = &args->input_gradient[0], *db = &args->input_gradient[1];
    if (args->upstream.layout == SL_NN_ROWS) {
        if (da->data) copy_rows(&args->upstream, 0, da, 0, da->channels);
        if (db->data) copy_rows(&args->upstream, layer->first, db, 0, db->channels);
        return;
    }
    if (db->data) layer->kernels->extract_channels(&args->upstream, layer->first, db);
}

const struct sl_nn_layer_type sl_nn_layer_concat = {
    .name = "concat",
    .by_image = true,
    .strided = true,
    .create = concat_create,
    .destroy = map_destroy,
    .forward = concat_forward,
    .backward = concat_backward,
};

/* ---- shake-shake: a random mixture of two branches. Each image has one coefficient in the forward
 * pass and another in the backward pass; evaluation takes the mean of the branches ---- */

static enum sl_status shake_create(const struct sl_nn_unit *unit, struct sl_nn_needs *needs,
                                   void **state, struct sl_error *err)
{
    (void)err;
    if (unit->training)
        needs->noise = 2 * unit->images;
    else
        needs->kept = 2 * unit->images * sizeof(float);
    needs->adds[0] = true;
    needs->adds[1] = true;
    *state = new_layer(unit);
    return SL_OK;
}

/* The coefficients of the images of a run: for the forward pass (pass 0) or the backward pass. */
static float *coefficients(const struct map_layer *layer, const struct sl_nn_args *args,
                           size_t pass)
{
    float *all = layer->training ? args->noise : args->kept;
    return all + pass * layer->images + args->first_image;
}

static void shake_forward(void *state, const struct sl_nn_args *args)
{
    const struct map_layer *layer = state;
    float *alpha = coefficients(layer, args, 0), *beta = coefficients(layer, args, 1);
    for (size_t i = 0; !layer->training && i < args->output.images; i++)
        alpha[i] = beta[i] = 0.5F;
    layer->kernels->shake_forward(&args->input[0], &args->input[1], alpha, &args->output);
}

static void shake_backward(void *state, const struct sl_nn_args *args)
{
    const struct map_layer *layer = state;
    const float *beta = coefficients(layer, args, 1);
    for (size_t k = 0; k < 2; k++)
        if (args->input_gradient[k].data)
            layer->kernels->shake_backward(&args->upstream, beta, k == 1, or_null(&args->add[k]),
                                           &args->input_gradient[k]);
}

const struct sl_nn_layer_type sl_nn_layer_shake = {
    .name = "shake",
    .by_image = true,
    .strided = true,
    .create = shake_create,
    .destroy = map_destroy,
    .forward = shake_forward,
    .backward = shake_backward,
};
