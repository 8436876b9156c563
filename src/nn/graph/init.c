/* Initial values: PyTorch's defaults and those of the papers' code. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/graph/model.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"

/* The distribution of a tensor's initial values. */
struct draw {
    enum { CONSTANT, UNIFORM, NORMAL } from;
    double a, b; /* the constant; lowest and highest; mean and deviation */
};

static void draw_values(float *out, size_t count, struct draw draw, uint64_t seed, const char *name)
{
    char *purpose = sl_string_printf("init %s", name);
    struct sl_rng rng;
    sl_rng_init(&rng, seed, purpose, 0, 0);
    free(purpose);
    for (size_t i = 0; i < count; i++) {
        double value = draw.a;
        if (draw.from == UNIFORM) value += (draw.b - draw.a) * sl_rng_uniform(&rng);
        if (draw.from == NORMAL) value += draw.b * sl_rng_normal(&rng);
        out[i] = (float)value;
    }
}

static struct draw constant(double value)
{
    return (struct draw){CONSTANT, value, 0};
}

/* PyTorch's default for convolutions, linear layers and their biases. */
static struct draw by_fan_in(size_t fan_in)
{
    double bound = 1 / sqrt((double)fan_in);
    return (struct draw){UNIFORM, -bound, bound};
}

/* Kaiming initialisation for ReLUs. As in PyTorch, both fans come from the shape of the weight, so
 * the number of groups does not affect fan-out. */
static struct draw kaiming(size_t fan)
{
    return (struct draw){NORMAL, 0, sqrt(2 / (double)fan)};
}

static struct draw conv_draw(const struct sl_nn_init_rule *rule,
                             const struct sl_tensor_info *weight, bool bias)
{
    size_t window = weight->dims[2] * weight->dims[3];
    size_t fan_in = weight->dims[1] * window, fan_out = weight->dims[0] * window;
    if (bias) return rule->zero_conv_bias ? constant(0) : by_fan_in(fan_in);
    switch (rule->conv) {
    case SL_NN_KAIMING_OUT: return kaiming(fan_out);
    case SL_NN_KAIMING_IN: return kaiming(fan_in);
    default: return by_fan_in(fan_in);
    }
}

/* `part` is the tensor's index among those of its node, `weight` the first of them. */
static struct draw draw_of(const struct sl_nn_node *node, const struct sl_nn_init_rule *rule,
                           const struct sl_tensor_info *weight, size_t part)
{
    switch (node->op) {
    case SL_NN_CONV: return conv_draw(rule, weight, part == 1);
    case SL_NN_LINEAR:
        if (node->as.linear.normal) return (struct draw){NORMAL, 0, 1};
        return part == 1 && rule->zero_linear_bias ? constant(0) : by_fan_in(weight->dims[1]);
    case SL_NN_BATCH_NORM:
        if (part == 1) return constant(0);
        return rule->gamma_uniform ? (struct draw){UNIFORM, 0, 1} : constant(1);
    case SL_NN_LSTM:
        return by_fan_in(weight->dims[0] / 4); /* the number of hidden units, for every tensor */
    default: return constant(0);
    }
}

void sl_nn_init_values(struct sl_model *model, enum sl_init init, uint64_t seed)
{
    struct sl_nn_init_rule pytorch = {.conv = SL_NN_UNIFORM_FAN_IN};
    const struct sl_nn_init_rule *rule =
        init == SL_INIT_PAPER ? &model->graph.paper_init : &pytorch;
    for (size_t i = 0; i < model->graph.count; i++) {
        const struct sl_tensor_info *weight = &model->tensors[model->first_tensor[i]];
        size_t n_parts = model->first_tensor[i + 1] - model->first_tensor[i];
        for (size_t part = 0; part < n_parts; part++) {
            const struct sl_tensor_info *tensor = &weight[part];
            if (tensor->kind != SL_TENSOR_VALUE) continue;
            draw_values(model->values + tensor->offset, tensor->count,
                        draw_of(&model->graph.nodes[i], rule, weight, part), seed, tensor->name);
        }
    }
    sl_model_touch(model);
}

void sl_nn_init_state(struct sl_model *model, uint64_t seed)
{
    for (size_t i = 0; i < model->graph.count; i++) {
        for (size_t t = model->first_tensor[i]; t < model->first_tensor[i + 1]; t++) {
            const struct sl_tensor_info *tensor = &model->tensors[t];
            if (tensor->kind != SL_TENSOR_STATE) continue;
            bool variance = t == model->first_tensor[i] + 3; /* the fourth tensor of a batch norm */
            struct draw draw = model->graph.nodes[i].op == SL_NN_EMBED ? (struct draw){NORMAL, 0, 1}
                                                                       : constant(variance ? 1 : 0);
            draw_values(model->state + tensor->offset, tensor->count, draw, seed, tensor->name);
        }
    }
    sl_model_touch(model);
}
