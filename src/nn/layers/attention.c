/* Attention over the two representations in a row: tanh for the scores, and weighting by the
 * softmax of the scores. */
#include <math.h>
#include <stdlib.h>

#include "nn/layers/layer.h"
#include "softlab/base/memory.h"

/* ---- tanh ---- */

static enum sl_status tanh_create(const struct sl_nn_unit *unit, struct sl_nn_needs *needs,
                                  void **state, struct sl_error *err)
{
    (void)unit;
    (void)err;
    *needs = (struct sl_nn_needs){.output_in_backward = true, .overwrites = true};
    *state = NULL;
    return SL_OK;
}

static void destroy(void *state)
{
    free(state);
}

static void tanh_forward(void *state, const struct sl_nn_args *args)
{
    (void)state;
    const struct sl_nn_tensor *x = &args->input[0];
    for (size_t i = 0; i < x->images * x->channels; i++)
        args->output.data[i] = tanhf(x->data[i]);
}

static void tanh_backward(void *state, const struct sl_nn_args *args)
{
    (void)state;
    const struct sl_nn_tensor *y = &args->output;
    float *gradient = args->input_gradient[0].data;
    for (size_t i = 0; gradient && i < y->images * y->channels; i++)
        gradient[i] = args->upstream.data[i] * (1 - y->data[i] * y->data[i]);
}

const struct sl_nn_layer_type sl_nn_layer_tanh = {
    .name = "tanh",
    .create = tanh_create,
    .destroy = destroy,
    .forward = tanh_forward,
    .backward = tanh_backward,
};

/* ---- weighing: channels below `split` are multiplied by the first weight, the others by the
 * second */

struct weigh {
    size_t split, width;
};

static enum sl_status weigh_create(const struct sl_nn_unit *unit, struct sl_nn_needs *needs,
                                   void **state, struct sl_error *err)
{
    (void)err;
    const struct sl_nn_node *node = &unit->graph->nodes[unit->node];
    struct weigh *weigh = sl_alloc(1, sizeof *weigh);
    *weigh = (struct weigh){.split = node->as.weigh.split, .width = node->shape.channels};
    *needs = (struct sl_nn_needs){.input_in_backward = {true, true}};
    *state = weigh;
    return SL_OK;
}

/* The softmax of an item's two scores. */
static void find_weights(const float scores[2], float weights[2])
{
    weights[0] = 1 / (1 + expf(scores[1] - scores[0]));
    weights[1] = 1 / (1 + expf(scores[0] - scores[1]));
}

static void weigh_forward(void *state, const struct sl_nn_args *args)
{
    const struct weigh *weigh = state;
    for (size_t n = 0; n < args->output.images; n++) {
        const float *x = args->input[0].data + n * weigh->width;
        float *y = args->output.data + n * weigh->width, weights[2];
        find_weights(args->input[1].data + 2 * n, weights);
        for (size_t c = 0; c < weigh->width; c++)
            y[c] = weights[c >= weigh->split] * x[c];
    }
}

static void weigh_backward(void *state, const struct sl_nn_args *args)
{
    const struct weigh *weigh = state;
    float *dx = args->input_gradient[0].data, *dscores = args->input_gradient[1].data;
    for (size_t n = 0; n < args->output.images; n++) {
        const float *x = args->input[0].data + n * weigh->width;
        const float *g = args->upstream.data + n * weigh->width;
        float weights[2];
        double by_weight[2] = {0, 0};
        find_weights(args->input[1].data + 2 * n, weights);
        for (size_t c = 0; c < weigh->width; c++) {
            const size_t part = c >= weigh->split;
            by_weight[part] += (double)g[c] * (double)x[c];
            if (dx) dx[n * weigh->width + c] = weights[part] * g[c];
        }
        if (!dscores) continue;
        const float slope = weights[0] * weights[1] * (float)(by_weight[0] - by_weight[1]);
        dscores[2 * n] = slope;
        dscores[2 * n + 1] = -slope;
    }
}

const struct sl_nn_layer_type sl_nn_layer_weigh = {
    .name = "weigh",
    .create = weigh_create,
    .destroy = destroy,
    .forward = weigh_forward,
    .backward = weigh_backward,
};
