#include "nn_reference.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"

struct walk {
    struct reference *reference;
    const struct sl_nn_node *node, *input[2];
    size_t index;
    double *y, *dy, *x[2], *dx[2];
    const float *noise;
};

static size_t features(const struct sl_nn_node *node)
{
    return node->shape.channels * node->shape.height * node->shape.width;
}

static size_t offset_of(const struct walk *walk, size_t tensor)
{
    const struct sl_model *model = walk->reference->model;
    return model->tensors[model->first_tensor[walk->index] + tensor].offset;
}

static struct walk walk_at(struct reference *reference, size_t index, const float *noise)
{
    const struct sl_nn_node *nodes = reference->model->graph.nodes;
    struct walk walk = {
        .reference = reference,
        .node = &nodes[index],
        .index = index,
        .y = reference->value[index],
        .dy = reference->gradient[index],
        .noise = noise,
    };
    for (size_t k = 0; k < walk.node->n_inputs; k++) {
        walk.input[k] = &nodes[walk.node->input[k]];
        walk.x[k] = reference->value[walk.node->input[k]];
        walk.dx[k] = reference->gradient[walk.node->input[k]];
    }
    return walk;
}

static size_t at(const struct sl_nn_shape *shape, size_t n, size_t c, size_t i, size_t j)
{
    return ((n * shape->channels + c) * shape->height + i) * shape->width + j;
}

/* ---- convolution: every product once; backward sends the same products the other way ---- */

struct tap {
    size_t x, w, y; /* indices of input, weight, output */
};

static void conv_taps(const struct walk *walk, void (*use)(const struct walk *, struct tap))
{
    const struct sl_nn_shape *in = &walk->input[0]->shape, *out = &walk->node->shape;
    const size_t kernel = walk->node->as.conv.kernel, groups = walk->node->as.conv.groups;
    const size_t per_group = in->channels / groups, out_per_group = out->channels / groups;
    for (size_t n = 0; n < walk->reference->images; n++)
        for (size_t o = 0; o < out->channels; o++)
            for (size_t p = 0; p < out->height * out->width; p++)
                for (size_t t = 0; t < per_group * kernel * kernel; t++) {
                    const size_t c = t / (kernel * kernel), u = t / kernel % kernel, v = t % kernel;
                    const size_t i = p / out->width * walk->node->as.conv.stride + u;
                    const size_t j = p % out->width * walk->node->as.conv.stride + v;
                    const size_t pad = walk->node->as.conv.pad;
                    if (i < pad || j < pad || i - pad >= in->height || j - pad >= in->width)
                        continue;
                    const size_t channel = o / out_per_group * per_group + c;
                    use(walk, (struct tap){
                                  .x = at(in, n, channel, i - pad, j - pad),
                                  .w = offset_of(walk, 0) + o * per_group * kernel * kernel + t,
                                  .y = at(out, n, o, p / out->width, p % out->width),
                              });
                }
}

static void conv_tap_forward(const struct walk *walk, struct tap tap)
{
    walk->y[tap.y] += walk->x[0][tap.x] * walk->reference->values[tap.w];
}

static void conv_tap_backward(const struct walk *walk, struct tap tap)
{
    walk->reference->value_gradient[tap.w] += walk->dy[tap.y] * walk->x[0][tap.x];
    walk->dx[0][tap.x] += walk->dy[tap.y] * walk->reference->values[tap.w];
}

static void conv_bias(const struct walk *walk, bool backward)
{
    if (!walk->node->as.conv.bias) return;
    const size_t pixels = walk->node->shape.height * walk->node->shape.width;
    for (size_t i = 0; i < walk->reference->images * features(walk->node); i++) {
        const size_t bias = offset_of(walk, 1) + i / pixels % walk->node->shape.channels;
        if (backward)
            walk->reference->value_gradient[bias] += walk->dy[i];
        else
            walk->y[i] += walk->reference->values[bias];
    }
}

static void conv_forward(const struct walk *walk)
{
    conv_taps(walk, conv_tap_forward);
    conv_bias(walk, false);
}

static void conv_backward(const struct walk *walk)
{
    conv_taps(walk, conv_tap_backward);
    conv_bias(walk, true);
}

/* ---- batch norm ---- */

struct norm_channel {
    double mean, variance, gamma, beta;
    size_t count;
};

static double channel_mean(const struct walk *walk, const double *values, const double *weights,
                           size_t c)
{
    const struct sl_nn_shape *shape = &walk->node->shape;
    const size_t pixels = shape->height * shape->width;
    double sum = 0;
    for (size_t n = 0; n < walk->reference->images; n++)
        for (size_t p = 0; p < pixels; p++) {
            const size_t i = (n * shape->channels + c) * pixels + p;
            sum += values[i] * (weights ? weights[i] : 1.0);
        }
    return sum / (double)(walk->reference->images * pixels);
}

static struct norm_channel norm_channel(const struct walk *walk, size_t c)
{
    const struct reference *reference = walk->reference;
    struct norm_channel channel = {
        .gamma = reference->values[offset_of(walk, 0) + c],
        .beta = reference->values[offset_of(walk, 1) + c],
        .mean = reference->state[offset_of(walk, 2) + c],
        .variance = reference->state[offset_of(walk, 3) + c],
        .count = reference->images * walk->node->shape.height * walk->node->shape.width,
    };
    if (!reference->training) return channel;
    channel.mean = channel_mean(walk, walk->x[0], NULL, c);
    channel.variance = channel_mean(walk, walk->x[0], walk->x[0], c) - channel.mean * channel.mean;
    return channel;
}

static void norm_forward(const struct walk *walk)
{
    const struct sl_nn_shape *shape = &walk->node->shape;
    const size_t pixels = shape->height * shape->width;
    for (size_t c = 0; c < shape->channels; c++) {
        const struct norm_channel channel = norm_channel(walk, c);
        const double inverse = 1 / sqrt(channel.variance + 1e-5);
        for (size_t n = 0; n < walk->reference->images; n++)
            for (size_t p = 0; p < pixels; p++) {
                const size_t i = (n * shape->channels + c) * pixels + p;
                walk->y[i] =
                    (walk->x[0][i] - channel.mean) * inverse * channel.gamma + channel.beta;
            }
        if (!walk->reference->training) continue;
        double *mean = &walk->reference->state[offset_of(walk, 2) + c];
        double *variance = &walk->reference->state[offset_of(walk, 3) + c];
        const double count = (double)channel.count;
        *mean = .9 * *mean + .1 * channel.mean;
        *variance = .9 * *variance + .1 * channel.variance * count / (count - 1);
    }
}

static void norm_backward(const struct walk *walk)
{
    const struct sl_nn_shape *shape = &walk->node->shape;
    const size_t pixels = shape->height * shape->width;
    for (size_t c = 0; c < shape->channels; c++) {
        const struct norm_channel channel = norm_channel(walk, c);
        const double inverse = 1 / sqrt(channel.variance + 1e-5);
        const double g = channel_mean(walk, walk->dy, NULL, c);
        const double gx =
            (channel_mean(walk, walk->dy, walk->x[0], c) - g * channel.mean) * inverse;
        walk->reference->value_gradient[offset_of(walk, 0) + c] += gx * (double)channel.count;
        walk->reference->value_gradient[offset_of(walk, 1) + c] += g * (double)channel.count;
        for (size_t n = 0; n < walk->reference->images; n++)
            for (size_t p = 0; p < pixels; p++) {
                const size_t i = (n * shape->channels + c) * pixels + p;
                const double normal = (walk->x[0][i] - channel.mean) * inverse;
                const double through = walk->reference->training ? g + normal * gx : 0.0;
                walk->dx[0][i] += channel.gamma * inverse * (walk->dy[i] - through);
            }
    }
}

/* ---- pooling ---- */

/* What one output pixel is made of. */
struct window {
    size_t top, left, bottom, right; /* within the map */
    size_t map;                      /* (image, channel) */
    size_t largest;                  /* where its largest input is */
    double sum;
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static struct window window_at(const struct walk *walk, size_t y)
{
    const struct sl_nn_shape *in = &walk->input[0]->shape, *out = &walk->node->shape;
    const size_t kernel = walk->node->as.pool.kernel, stride = walk->node->as.pool.stride;
    const size_t pixel = y % (out->height * out->width);
    struct window window = {.map = y / (out->height * out->width), .largest = SIZE_MAX};
    window.top = pixel / out->width * stride;
    window.left = pixel % out->width * stride;
    window.bottom = smaller(window.top + kernel, in->height);
    window.right = smaller(window.left + kernel, in->width);
    for (size_t i = window.top; i < window.bottom; i++)
        for (size_t j = window.left; j < window.right; j++) {
            const size_t x = (window.map * in->height + i) * in->width + j;
            const size_t best = window.largest;
            if (best == SIZE_MAX || walk->x[0][x] > walk->x[0][best]) window.largest = x;
            window.sum += walk->x[0][x];
        }
    return window;
}

static void pool(const struct walk *walk, bool backward)
{
    const struct sl_nn_shape *in = &walk->input[0]->shape;
    const bool max = walk->node->op == SL_NN_MAX_POOL;
    for (size_t y = 0; y < walk->reference->images * features(walk->node); y++) {
        const struct window w = window_at(walk, y);
        const double count = (double)((w.bottom - w.top) * (w.right - w.left));
        if (!backward) {
            walk->y[y] = max ? walk->x[0][w.largest] : w.sum / count;
            continue;
        }
        if (max) walk->dx[0][w.largest] += walk->dy[y];
        for (size_t i = w.top; !max && i < w.bottom; i++)
            for (size_t j = w.left; j < w.right; j++)
                walk->dx[0][(w.map * in->height + i) * in->width + j] += walk->dy[y] / count;
    }
}

static void pool_forward(const struct walk *walk)
{
    pool(walk, false);
}

static void pool_backward(const struct walk *walk)
{
    pool(walk, true);
}

static void global_forward(const struct walk *walk)
{
    const size_t pixels = walk->input[0]->shape.height * walk->input[0]->shape.width;
    for (size_t i = 0; i < walk->reference->images * features(walk->input[0]); i++)
        walk->y[i / pixels] += walk->x[0][i] / (double)pixels;
}

static void global_backward(const struct walk *walk)
{
    const size_t pixels = walk->input[0]->shape.height * walk->input[0]->shape.width;
    for (size_t i = 0; i < walk->reference->images * features(walk->input[0]); i++)
        walk->dx[0][i] += walk->dy[i / pixels] / (double)pixels;
}

/* ---- linear ---- */

static void linear(const struct walk *walk, bool backward)
{
    struct reference *reference = walk->reference;
    const size_t inputs = features(walk->input[0]), outputs = features(walk->node);
    for (size_t n = 0; n < reference->images; n++)
        for (size_t o = 0; o < outputs; o++) {
            const size_t y = n * outputs + o, bias = offset_of(walk, 1) + o;
            if (backward)
                reference->value_gradient[bias] += walk->dy[y];
            else
                walk->y[y] = reference->values[bias];
            for (size_t i = 0; i < inputs; i++) {
                const size_t x = n * inputs + i, w = offset_of(walk, 0) + o * inputs + i;
                if (!backward) {
                    walk->y[y] += walk->x[0][x] * reference->values[w];
                    continue;
                }
                reference->value_gradient[w] += walk->dy[y] * walk->x[0][x];
                walk->dx[0][x] += walk->dy[y] * reference->values[w];
            }
        }
}

static void linear_forward(const struct walk *walk)
{
    linear(walk, false);
}

static void linear_backward(const struct walk *walk)
{
    linear(walk, true);
}

/* ---- what is linear in its inputs, element by element: y[to] += factor x[k][from] ---- */

static void element(const struct walk *walk, bool backward, size_t k, size_t from, size_t to,
                    double factor)
{
    if (backward)
        walk->dx[k][from] += factor * walk->dy[to];
    else
        walk->y[to] += factor * walk->x[k][from];
}

/* Channels of input k begin at channel `first` of the output; every stride-th pixel is taken. */
static void move_maps(const struct walk *walk, bool backward, size_t k, size_t first)
{
    const struct sl_nn_shape *in = &walk->input[k]->shape, *out = &walk->node->shape;
    const bool sub = walk->node->op == SL_NN_SUBSAMPLE;
    const size_t stride = sub ? walk->node->as.subsample.stride : 1;
    const size_t offset = sub ? walk->node->as.subsample.offset : 0;
    for (size_t n = 0; n < walk->reference->images; n++)
        for (size_t c = 0; c < in->channels; c++)
            for (size_t p = 0; p < out->height * out->width; p++) {
                const size_t i = p / out->width * stride + offset;
                const size_t j = p % out->width * stride + offset;
                if (i >= in->height || j >= in->width) continue;
                element(walk, backward, k, at(in, n, c, i, j),
                        at(out, n, first + c, p / out->width, p % out->width), 1);
            }
}

static void elementwise(const struct walk *walk, bool backward)
{
    const struct sl_nn_node *node = walk->node;
    const size_t images = walk->reference->images, count = images * features(node);
    switch (node->op) {
    case SL_NN_ADD:
        move_maps(walk, backward, 0, 0);
        move_maps(walk, backward, 1, 0);
        break;
    case SL_NN_CONCAT:
        move_maps(walk, backward, 0, 0);
        move_maps(walk, backward, 1, walk->input[0]->shape.channels);
        break;
    case SL_NN_SUBSAMPLE: move_maps(walk, backward, 0, 0); break;
    case SL_NN_SHAKE:
        for (size_t i = 0; i < count; i++) {
            const size_t n = i / features(node) + (backward ? images : 0);
            const double alpha = walk->reference->training ? (double)walk->noise[n] : 0.5;
            element(walk, backward, 0, i, i, alpha);
            element(walk, backward, 1, i, i, 1 - alpha);
        }
        break;
    default:
        for (size_t i = 0; i < count; i++) {
            double factor = 1;
            if (node->op == SL_NN_DROPOUT && walk->reference->training)
                factor = (double)walk->noise[i];
            if (node->op == SL_NN_RELU && !(walk->x[0][i] > 0))
                factor = (double)node->as.relu.slope;
            element(walk, backward, 0, i, i, factor);
        }
    }
}

static void elementwise_forward(const struct walk *walk)
{
    elementwise(walk, false);
}

static void elementwise_backward(const struct walk *walk)
{
    elementwise(walk, true);
}

static void normalise(const struct walk *walk, bool backward)
{
    const struct sl_nn_node *node = walk->node;
    const size_t pixels = node->shape.height * node->shape.width;
    for (size_t i = 0; i < walk->reference->images * features(node); i++) {
        const size_t c = i / pixels % node->shape.channels;
        const double deviation = (double)node->as.normalise.deviation[c];
        if (backward)
            walk->dx[0][i] += walk->dy[i] / deviation;
        else
            walk->y[i] = (walk->x[0][i] - (double)node->as.normalise.mean[c]) / deviation;
    }
}

static void normalise_forward(const struct walk *walk)
{
    normalise(walk, false);
}

static void normalise_backward(const struct walk *walk)
{
    normalise(walk, true);
}

/* ---- the whole ---- */

struct operation {
    void (*forward)(const struct walk *walk);
    void (*backward)(const struct walk *walk);
};
static const struct operation operations[SL_NN_N_OPS] = {
    [SL_NN_NORMALISE] = {normalise_forward, normalise_backward},
    [SL_NN_CONV] = {conv_forward, conv_backward},
    [SL_NN_BATCH_NORM] = {norm_forward, norm_backward},
    [SL_NN_RELU] = {elementwise_forward, elementwise_backward},
    [SL_NN_MAX_POOL] = {pool_forward, pool_backward},
    [SL_NN_AVERAGE_POOL] = {pool_forward, pool_backward},
    [SL_NN_GLOBAL_POOL] = {global_forward, global_backward},
    [SL_NN_FLATTEN] = {elementwise_forward, elementwise_backward},
    [SL_NN_LINEAR] = {linear_forward, linear_backward},
    [SL_NN_ADD] = {elementwise_forward, elementwise_backward},
    [SL_NN_SUBSAMPLE] = {elementwise_forward, elementwise_backward},
    [SL_NN_CONCAT] = {elementwise_forward, elementwise_backward},
    [SL_NN_DROPOUT] = {elementwise_forward, elementwise_backward},
    [SL_NN_SHAKE] = {elementwise_forward, elementwise_backward},
};

static size_t noise_of(const struct reference *reference, size_t node)
{
    const struct sl_nn_node *at_node = &reference->model->graph.nodes[node];
    if (at_node->op == SL_NN_SHAKE) return 2 * reference->images;
    return at_node->op == SL_NN_DROPOUT ? reference->images * features(at_node) : 0;
}

void reference_init(struct reference *reference, const struct sl_model *model, size_t images,
                    bool training)
{
    const size_t count = model->graph.count;
    *reference = (struct reference){
        .model = model,
        .images = images,
        .training = training,
        .value = sl_alloc(count, sizeof(double *)),
        .gradient = sl_alloc(count, sizeof(double *)),
        .values = sl_alloc(model->n_values + 1, sizeof(double)),
        .value_gradient = sl_alloc(model->n_values + 1, sizeof(double)),
        .state = sl_alloc(model->n_state + 1, sizeof(double)),
    };
    for (size_t i = 0; i < model->n_values; i++)
        reference->values[i] = (double)model->values[i];
    for (size_t i = 0; i < model->n_state; i++)
        reference->state[i] = (double)model->state[i];
    for (size_t i = 0; i < count; i++) {
        const size_t size = images * features(&model->graph.nodes[i]);
        reference->value[i] = sl_alloc(size, sizeof(double));
        reference->gradient[i] = sl_alloc(size, sizeof(double));
    }
}

void reference_release(struct reference *reference)
{
    for (size_t i = 0; i < reference->model->graph.count; i++) {
        free(reference->value[i]);
        free(reference->gradient[i]);
    }
    free((void *)reference->value);
    free((void *)reference->gradient);
    free(reference->values);
    free(reference->value_gradient);
    free(reference->state);
}

const double *reference_forward(struct reference *reference, const float *pixels,
                                const float *noise)
{
    const struct sl_nn_graph *graph = &reference->model->graph;
    reference->noise = noise;
    for (size_t i = 0; i < graph->count; i++) {
        const size_t count = reference->images * features(&graph->nodes[i]);
        memset(reference->value[i], 0, count * sizeof(double));
        if (graph->nodes[i].op == SL_NN_PIXELS) {
            for (size_t j = 0; j < count; j++)
                reference->value[i][j] = (double)pixels[j];
            continue;
        }
        const struct walk walk = walk_at(reference, i, noise);
        assert(operations[graph->nodes[i].op].forward);
        operations[graph->nodes[i].op].forward(&walk);
        noise += noise_of(reference, i);
    }
    return reference->value[graph->count - 1];
}

void reference_backward(struct reference *reference, const float *logit_gradient)
{
    const struct sl_nn_graph *graph = &reference->model->graph;
    const float *noise = reference->noise;
    for (size_t i = 0; i < graph->count; i++) {
        const size_t count = reference->images * features(&graph->nodes[i]);
        memset(reference->gradient[i], 0, count * sizeof(double));
        noise += noise_of(reference, i);
        for (size_t j = 0; i == graph->count - 1 && j < count; j++)
            reference->gradient[i][j] = (double)logit_gradient[j];
    }
    memset(reference->value_gradient, 0, reference->model->n_values * sizeof(double));
    for (size_t i = graph->count; i-- > 0;) {
        noise -= noise_of(reference, i);
        if (graph->nodes[i].op == SL_NN_PIXELS) continue;
        const struct walk walk = walk_at(reference, i, noise);
        operations[graph->nodes[i].op].backward(&walk);
    }
}
