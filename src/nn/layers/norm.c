/* Batch norm as a layer, with the addition and the ReLU that may follow it.
 *
 *     y = relu?(x scale + shift + added),  scale = gamma / sqrt(variance + eps),
 *                                          shift = beta - mean scale
 *
 * Backward, with g the upstream gradient behind the ReLU, m values per channel and
 * xhat = (x - mean) inverse:
 *
 *     dbeta = sum g,  dgamma = sum g xhat,  dx = gamma inverse (g - dbeta / m - xhat dgamma / m)
 *
 * which is a g + b x + c with three coefficients per channel. The first norm that reads a channel
 * computes its statistics; other norms of a dense block reuse them. */
#include <math.h>
#include <stdlib.h>

#include "nn/layers/layer.h"
#include "nn/threads.h"
#include "softlab/base/memory.h"

#define NORM_MOMENTUM 0.1

struct norm_layer {
    const struct sl_nn_kernels *kernels;
    size_t channels, padded; /* whole blocks */
    size_t statistics_from;
    bool add, relu, training, gradients;
    size_t gamma, beta, running_mean, running_variance; /* offsets */
};

/* Arrays with a value per channel that forward keeps for backward. */
struct norm_arrays {
    float *scale, *shift, *inverse;
    float *mean; /* in evaluation; in training they are in the plan's memory */
};
enum { N_KEPT_ARRAYS = 4, N_SCRATCH_ARRAYS = 5 };

static struct norm_arrays kept_arrays(const struct norm_layer *layer, const struct sl_nn_args *args)
{
    float *kept = args->kept;
    return (struct norm_arrays){
        .scale = kept,
        .shift = kept + layer->padded,
        .inverse = kept + 2 * layer->padded,
        .mean = kept + 3 * layer->padded,
    };
}

static void norm_destroy(void *state)
{
    free(state);
}

static enum sl_status norm_create(const struct sl_nn_unit *unit, struct sl_nn_needs *needs,
                                  void **state, struct sl_error *err)
{
    const struct sl_nn_node *node = &unit->graph->nodes[unit->node];
    const size_t values = unit->images * node->shape.height * node->shape.width;
    if (unit->training && values < 2)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s would see one value per channel; train with a larger batch", node->name);
    struct norm_layer *layer = sl_alloc(1, sizeof *layer);
    *layer = (struct norm_layer){
        .kernels = unit->kernels,
        .channels = node->shape.channels,
        .padded = sl_nn_blocks(node->shape.channels) * SL_NN_LANES,
        .statistics_from = unit->statistics_from,
        .add = unit->add,
        .relu = unit->relu,
        .training = unit->training,
        .gradients = unit->gradients,
        .gamma = unit->offset[0],
        .beta = unit->offset[1],
        .running_mean = unit->offset[2],
        .running_variance = unit->offset[3],
    };
    needs->kept = N_KEPT_ARRAYS * layer->padded * sizeof(float);
    needs->scratch[1] = N_SCRATCH_ARRAYS * layer->padded * sizeof(float);
    needs->input_in_backward[0] = true;
    needs->output_in_backward = unit->add && unit->relu; /* the sign of y; otherwise x gives it */
    needs->adds[0] = true;
    needs->overwrites = true;
    needs->passes[1] = unit->add;
    needs->masks = unit->add && unit->relu;
    *state = layer;
    return SL_OK;
}

static void update_running(const struct norm_layer *layer, const struct sl_nn_args *args)
{
    const struct sl_nn_tensor *x = &args->input[0];
    const double values = (double)(x->images * x->height * x->width);
    float *mean = args->state + layer->running_mean;
    float *variance = args->state + layer->running_variance;
    for (size_t c = 0; c < layer->channels; c++) {
        const double unbiased = (double)args->variance[c] * values / (values - 1.0);
        mean[c] = (float)((1.0 - NORM_MOMENTUM) * (double)mean[c] +
                          NORM_MOMENTUM * (double)args->mean[c]);
        variance[c] =
            (float)((1.0 - NORM_MOMENTUM) * (double)variance[c] + NORM_MOMENTUM * unbiased);
    }
}

/* Scale and shift from the batch statistics (training) or the running ones. Tail lanes get
 * zeros. */
static void set_scale(const struct norm_layer *layer, const struct sl_nn_args *args,
                      const struct norm_arrays *arrays)
{
    const float *mean = layer->training ? args->mean : args->state + layer->running_mean;
    const float *variance =
        layer->training ? args->variance : args->state + layer->running_variance;
    for (size_t c = 0; c < layer->padded; c++) {
        const bool real = c < layer->channels;
        const double inverse = real ? 1.0 / sqrt((double)variance[c] + SL_NN_NORM_EPSILON) : 0.0;
        const double scale = real ? (double)args->values[layer->gamma + c] * inverse : 0.0;
        arrays->inverse[c] = (float)inverse;
        arrays->mean[c] = real ? mean[c] : 0.0F;
        arrays->scale[c] = (float)scale;
        arrays->shift[c] =
            real ? (float)((double)args->values[layer->beta + c] - (double)mean[c] * scale) : 0.0F;
    }
}

/* A pass of batch norm, divided among threads: sums by block of channels, the rest by image. */
struct norm_pass {
    const struct norm_layer *layer;
    const struct sl_nn_args *args;
    struct norm_arrays arrays;
    size_t n_parts;
    const struct sl_nn_bn_backward *backward;
    const struct sl_nn_tensor *masked; /* or NULL */
    float *sum_g, *sum_gx;
    const float *abc;
};

/* Blocks of channels per part. Neighbouring blocks of an image are read together. */
static size_t block_parts(struct sl_pool *pool, const struct sl_nn_tensor *x, size_t blocks)
{
    if (!sl_nn_shares_pass(x->images * x->image_stride)) return 1;
    const size_t threads = sl_pool_threads(pool);
    return blocks < threads ? blocks : threads;
}

static void statistics_part(void *context, size_t part, size_t worker)
{
    (void)worker;
    const struct norm_pass *pass = context;
    const struct norm_layer *layer = pass->layer;
    const struct sl_nn_args *args = pass->args;
    const size_t from = layer->statistics_from / SL_NN_LANES;
    const struct sl_pool_range blocks =
        sl_pool_range_of(sl_nn_blocks(layer->channels) - from, pass->n_parts, part);
    size_t first = (from + blocks.begin) * SL_NN_LANES, end = (from + blocks.end) * SL_NN_LANES;
    if (first < layer->statistics_from) first = layer->statistics_from;
    if (end > layer->channels) end = layer->channels;
    layer->kernels->statistics(&args->input[0], first, end - first, args->mean, args->variance);
}

static void compute_statistics(struct norm_pass *pass)
{
    const struct norm_layer *layer = pass->layer;
    if (layer->statistics_from >= layer->channels) return;
    const size_t blocks = sl_nn_blocks(layer->channels) - layer->statistics_from / SL_NN_LANES;
    pass->n_parts = block_parts(pass->args->pool, &pass->args->input[0], blocks);
    sl_pool_run(pass->args->pool, pass->n_parts, statistics_part, pass);
}

static void forward_part(void *context, size_t part, size_t worker)
{
    (void)worker;
    const struct norm_pass *pass = context;
    const struct sl_nn_args *args = pass->args;
    const struct sl_pool_range range = sl_pool_range_of(args->output.images, pass->n_parts, part);
    const size_t first = range.begin, count = range.end - range.begin;
    const struct sl_nn_tensor x = sl_nn_image_view(&args->input[0], first, count);
    const struct sl_nn_tensor add = sl_nn_image_view(&args->input[1], first, count);
    const struct sl_nn_tensor y = sl_nn_image_view(&args->output, first, count);
    pass->layer->kernels->bn_forward(&(struct sl_nn_bn_forward){
        .x = &x,
        .scale = pass->arrays.scale,
        .shift = pass->arrays.shift,
        .add = pass->layer->add ? &add : NULL,
        .relu = pass->layer->relu,
        .y = &y,
    });
}

static void norm_forward(void *state, const struct sl_nn_args *args)
{
    const struct norm_layer *layer = state;
    struct norm_pass pass = {.layer = layer, .args = args, .arrays = kept_arrays(layer, args)};
    if (layer->training) {
        compute_statistics(&pass);
        update_running(layer, args);
    }
    set_scale(layer, args, &pass.arrays);
    pass.n_parts = sl_nn_image_parts(args->pool, &args->output);
    sl_pool_run(args->pool, pass.n_parts, forward_part, &pass);
}

/* The coefficients of dx = a g + b x + c. */
static void set_coefficients(const struct norm_layer *layer, const struct norm_arrays *arrays,
                             double values, const float *sum_g, const float *sum_gx, float *abc)
{
    float *a = abc, *b = abc + layer->padded, *c = abc + 2 * layer->padded;
    for (size_t i = 0; i < layer->padded; i++) {
        const double scale = (double)arrays->scale[i], inverse = (double)arrays->inverse[i];
        a[i] = arrays->scale[i];
        b[i] = 0.0F;
        c[i] = 0.0F;
        if (!layer->training || i >= layer->channels) continue;
        const double slope = scale * inverse * (double)sum_gx[i] / values;
        b[i] = (float)-slope;
        c[i] = (float)(slope * (double)arrays->mean[i] - scale * (double)sum_g[i] / values);
    }
}

/* A view of a range of blocks; NULL if there is no tensor. */
static const struct sl_nn_tensor *block_range(const struct sl_nn_tensor *tensor,
                                              struct sl_pool_range range, struct sl_nn_tensor *view)
{
    if (!tensor) return NULL;
    *view = sl_nn_block_view(tensor, range.begin, range.end);
    return view;
}

static void reduce_part(void *context, size_t part, size_t worker)
{
    (void)worker;
    const struct norm_pass *pass = context;
    const struct sl_nn_bn_backward *whole = pass->backward;
    const struct sl_pool_range blocks =
        sl_pool_range_of(pass->layer->padded / SL_NN_LANES, pass->n_parts, part);
    const size_t first = blocks.begin * SL_NN_LANES;
    struct sl_nn_tensor x, g, y, masked;
    const struct sl_nn_bn_backward some = {
        .x = block_range(whole->x, blocks, &x),
        .g = block_range(whole->g, blocks, &g),
        .relu = whole->relu,
        .y = block_range(whole->y, blocks, &y),
        .scale = whole->scale + first,
        .shift = whole->shift + first,
        .mean = whole->mean + first,
        .inverse = whole->inverse + first,
    };
    pass->layer->kernels->bn_reduce(&some, pass->sum_g + first, pass->sum_gx + first,
                                    block_range(pass->masked, blocks, &masked));
}

static void apply_part(void *context, size_t part, size_t worker)
{
    (void)worker;
    const struct norm_pass *pass = context;
    const struct sl_nn_bn_backward *whole = pass->backward;
    const struct sl_nn_args *args = pass->args;
    const struct sl_pool_range range = sl_pool_range_of(whole->x->images, pass->n_parts, part);
    const size_t first = range.begin, count = range.end - range.begin;
    const size_t padded = pass->layer->padded;
    const struct sl_nn_tensor x = sl_nn_image_view(whole->x, first, count);
    const struct sl_nn_tensor g = sl_nn_image_view(whole->g, first, count);
    const struct sl_nn_tensor y =
        whole->y ? sl_nn_image_view(whole->y, first, count) : (struct sl_nn_tensor){0};
    const struct sl_nn_tensor add = sl_nn_image_view(&args->add[0], first, count);
    const struct sl_nn_tensor dx = sl_nn_image_view(&args->input_gradient[0], first, count);
    struct sl_nn_bn_backward some = *whole;
    some.x = &x;
    some.g = &g;
    some.y = whole->y ? &y : NULL;
    pass->layer->kernels->bn_apply(&some, pass->abc, pass->abc + padded, pass->abc + 2 * padded,
                                   add.data ? &add : NULL, &dx);
}

static void norm_backward(void *state, const struct sl_nn_args *args)
{
    const struct norm_layer *layer = state;
    const struct norm_arrays arrays = kept_arrays(layer, args);
    float *sum_g = args->scratch, *sum_gx = sum_g + layer->padded, *abc = sum_gx + layer->padded;
    const struct sl_nn_tensor *x = &args->input[0];
    struct sl_nn_bn_backward backward = {
        .x = x,
        .g = &args->upstream,
        .relu = layer->relu,
        .y = layer->add && layer->relu ? &args->output : NULL,
        .scale = arrays.scale,
        .shift = arrays.shift,
        .mean = arrays.mean,
        .inverse = arrays.inverse,
    };
    struct norm_pass pass = {
        .layer = layer,
        .args = args,
        .backward = &backward,
        /* The masked gradient is also the gradient of the addend. */
        .masked = args->masked.data ? &args->masked : NULL,
        .sum_g = sum_g,
        .sum_gx = sum_gx,
        .abc = abc,
    };
    if (layer->training || layer->gradients || pass.masked) {
        pass.n_parts = block_parts(args->pool, x, layer->padded / SL_NN_LANES);
        sl_pool_run(args->pool, pass.n_parts, reduce_part, &pass);
    }
    if (layer->gradients)
        for (size_t c = 0; c < layer->channels; c++) {
            args->gradients[layer->gamma + c] = sum_gx[c];
            args->gradients[layer->beta + c] = sum_g[c];
        }
    if (!args->input_gradient[0].data) return;
    if (pass.masked) {
        backward.g = pass.masked;
        backward.relu = false;
    }
    set_coefficients(layer, &arrays, (double)(x->images * x->height * x->width), sum_g, sum_gx,
                     abc);
    pass.n_parts = sl_nn_image_parts(args->pool, x);
    sl_pool_run(args->pool, pass.n_parts, apply_part, &pass);
}

const struct sl_nn_layer_type sl_nn_layer_batch_norm = {
    .name = "batch-norm",
    .strided = true,
    .create = norm_create,
    .destroy = norm_destroy,
    .forward = norm_forward,
    .backward = norm_backward,
};
