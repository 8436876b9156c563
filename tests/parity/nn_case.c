#include "nn_case.h"

#include <string.h>

#include "nn/graph/graph.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { MAX_CHANNELS = 64 };

/* One node of a case; what its op has no use for stays 0. */
struct node {
    const char *op, *name;
    size_t from[2];
    size_t channels, kernel, stride, pad, groups, offset;
    bool bias;
    float slope, rate;
    float mean[MAX_CHANNELS], deviation[MAX_CHANNELS];
};

enum sl_status case_size(const struct sl_json_cursor *object, const char *key, size_t *value,
                         struct sl_error *err)
{
    struct sl_json_cursor at;
    SL_TRY(sl_json_optional(object, key, &at, err));
    if (!at.value) return SL_OK;
    int64_t number = 0;
    SL_TRY(sl_json_integer(&at, 0, INT32_MAX, &number, err));
    *value = (size_t)number;
    return SL_OK;
}

enum sl_status case_real(const struct sl_json_cursor *object, const char *key, float *value,
                         struct sl_error *err)
{
    struct sl_json_cursor at;
    SL_TRY(sl_json_optional(object, key, &at, err));
    if (!at.value) return SL_OK;
    double number = 0;
    SL_TRY(sl_json_number(&at, -1e9, 1e9, &number, err));
    *value = (float)number;
    return SL_OK;
}

enum sl_status case_flag(const struct sl_json_cursor *object, const char *key, bool *value,
                         struct sl_error *err)
{
    struct sl_json_cursor at;
    SL_TRY(sl_json_optional(object, key, &at, err));
    if (at.value) SL_TRY(sl_json_boolean(&at, value, err));
    return SL_OK;
}

static enum sl_status text_member(const struct sl_json_cursor *object, const char *key,
                                  const char **value, struct sl_error *err)
{
    struct sl_json_cursor at;
    SL_TRY(sl_json_optional(object, key, &at, err));
    if (at.value) SL_TRY(sl_json_string(&at, value, err));
    return SL_OK;
}

/* At most `maximum` numbers; how many there are goes to *count. */
static enum sl_status list_member(const struct sl_json_cursor *object, const char *key,
                                  size_t maximum, float *values, size_t *count,
                                  struct sl_error *err)
{
    struct sl_json_cursor at;
    *count = 0;
    SL_TRY(sl_json_optional(object, key, &at, err));
    if (!at.value) return SL_OK;
    SL_TRY(sl_json_array_size(&at, count, err));
    if (*count > maximum) return sl_json_fail(&at, err, "more than %zu numbers", maximum);
    for (size_t i = 0; i < *count; i++) {
        const struct sl_json_cursor element = sl_json_element(&at, i);
        double number = 0;
        SL_TRY(sl_json_number(&element, -1e9, 1e9, &number, err));
        values[i] = (float)number;
    }
    return SL_OK;
}

static enum sl_status read_input_shape(const struct sl_json_cursor *root,
                                       struct sl_input_shape *shape, struct sl_error *err)
{
    float sizes[3] = {0};
    size_t count;
    SL_TRY(list_member(root, "input", COUNT(sizes), sizes, &count, err));
    if (count != COUNT(sizes)) return sl_json_fail(root, err, "input is not (C, H, W)");
    shape->channels = (size_t)sizes[0];
    shape->height = (size_t)sizes[1];
    shape->width = (size_t)sizes[2];
    return SL_OK;
}

static enum sl_status read_node(const struct sl_json_cursor *at, struct node *node,
                                struct sl_error *err)
{
    *node = (struct node){.op = "", .name = "", .stride = 1, .groups = 1};
    SL_TRY(text_member(at, "op", &node->op, err));
    SL_TRY(text_member(at, "name", &node->name, err));
    float from[2] = {0};
    size_t count;
    SL_TRY(list_member(at, "from", COUNT(from), from, &count, err));
    for (size_t i = 0; i < count; i++)
        node->from[i] = (size_t)from[i];
    SL_TRY(case_size(at, "channels", &node->channels, err));
    SL_TRY(case_size(at, "kernel", &node->kernel, err));
    SL_TRY(case_size(at, "stride", &node->stride, err));
    SL_TRY(case_size(at, "pad", &node->pad, err));
    SL_TRY(case_size(at, "groups", &node->groups, err));
    SL_TRY(case_size(at, "offset", &node->offset, err));
    SL_TRY(case_flag(at, "bias", &node->bias, err));
    SL_TRY(case_real(at, "slope", &node->slope, err));
    SL_TRY(case_real(at, "rate", &node->rate, err));
    SL_TRY(list_member(at, "mean", MAX_CHANNELS, node->mean, &count, err));
    SL_TRY(list_member(at, "deviation", MAX_CHANNELS, node->deviation, &count, err));
    return SL_OK;
}

static void add_conv(struct sl_nn_graph *g, const struct node *n)
{
    const struct sl_nn_conv_spec spec = {.channels = n->channels,
                                         .kernel = n->kernel,
                                         .stride = n->stride,
                                         .pad = n->pad,
                                         .groups = n->groups,
                                         .bias = n->bias};
    sl_nn_conv(g, n->from[0], n->name, spec);
}

static void add_batch_norm(struct sl_nn_graph *g, const struct node *n)
{
    sl_nn_batch_norm(g, n->from[0], n->name);
}

static void add_relu(struct sl_nn_graph *g, const struct node *n)
{
    sl_nn_relu(g, n->from[0], n->slope);
}

static void add_max_pool(struct sl_nn_graph *g, const struct node *n)
{
    sl_nn_max_pool(g, n->from[0], n->kernel, n->stride);
}

static void add_average_pool(struct sl_nn_graph *g, const struct node *n)
{
    sl_nn_average_pool(g, n->from[0], n->kernel, n->stride);
}

static void add_global_pool(struct sl_nn_graph *g, const struct node *n)
{
    sl_nn_global_pool(g, n->from[0]);
}

static void add_flatten(struct sl_nn_graph *g, const struct node *n)
{
    sl_nn_flatten(g, n->from[0]);
}

static void add_linear(struct sl_nn_graph *g, const struct node *n)
{
    sl_nn_linear(g, n->from[0], n->name, n->channels);
}

static void add_add(struct sl_nn_graph *g, const struct node *n)
{
    sl_nn_add(g, n->from[0], n->from[1]);
}

static void add_subsample(struct sl_nn_graph *g, const struct node *n)
{
    sl_nn_subsample(g, n->from[0], n->stride, n->offset);
}

static void add_concat(struct sl_nn_graph *g, const struct node *n)
{
    sl_nn_concat(g, n->from[0], n->from[1]);
}

static void add_dropout(struct sl_nn_graph *g, const struct node *n)
{
    sl_nn_dropout(g, n->from[0], n->rate);
}

static void add_shake(struct sl_nn_graph *g, const struct node *n)
{
    sl_nn_shake(g, n->from[0], n->from[1]);
}

static void add_normalise(struct sl_nn_graph *g, const struct node *n)
{
    sl_nn_normalise(g, n->from[0], n->mean, n->deviation);
}

static const struct {
    const char *name;
    void (*add)(struct sl_nn_graph *g, const struct node *node);
} ops[] = {
    {"conv", add_conv},       {"batch_norm", add_batch_norm},
    {"relu", add_relu},       {"max_pool", add_max_pool},
    {"linear", add_linear},   {"average_pool", add_average_pool},
    {"flatten", add_flatten}, {"global_pool", add_global_pool},
    {"add", add_add},         {"subsample", add_subsample},
    {"concat", add_concat},   {"dropout", add_dropout},
    {"shake", add_shake},     {"normalise", add_normalise},
};

static enum sl_status add_node(struct sl_nn_graph *graph, const struct sl_json_cursor *at,
                               struct sl_error *err)
{
    struct node node;
    SL_TRY(read_node(at, &node, err));
    for (size_t i = 0; i < COUNT(ops); i++) {
        if (strcmp(ops[i].name, node.op) != 0) continue;
        ops[i].add(graph, &node);
        return SL_OK;
    }
    return sl_json_fail(at, err, "no op is called '%s'", node.op);
}

enum sl_status case_create_layer(const struct sl_json_cursor *root, struct sl_model **out,
                                 struct sl_error *err)
{
    struct sl_input_shape input = {0};
    struct sl_json_cursor nodes;
    size_t count;
    SL_TRY(read_input_shape(root, &input, err));
    SL_TRY(sl_json_member(root, "nodes", &nodes, err));
    SL_TRY(sl_json_array_size(&nodes, &count, err));
    struct sl_nn_graph graph;
    sl_nn_graph_init(&graph);
    sl_nn_pixels(&graph, input.channels, input.height, input.width);
    for (size_t i = 0; i < count; i++) {
        const struct sl_json_cursor at = sl_json_element(&nodes, i);
        const enum sl_status status = add_node(&graph, &at, err);
        if (status == SL_OK && graph.status == SL_OK) continue;
        if (status == SL_OK && err) *err = graph.error;
        sl_nn_graph_release(&graph);
        return status == SL_OK ? SL_ERR_INPUT : status;
    }
    graph.classes = graph.nodes[graph.count - 1].shape.channels;
    return sl_model_of_graph(&graph, SL_INIT_PYTORCH, 1, out, err);
}

enum sl_status case_create_network(const struct sl_json_cursor *root, struct sl_model **out,
                                   struct sl_error *err)
{
    struct sl_model_options options = sl_model_options_default();
    float mean[MAX_CHANNELS], deviation[MAX_CHANNELS];
    size_t n_mean, n_deviation;
    SL_TRY(read_input_shape(root, &options.input, err));
    SL_TRY(text_member(root, "network", &options.network, err));
    SL_TRY(case_size(root, "classes", &options.classes, err));
    SL_TRY(list_member(root, "mean", MAX_CHANNELS, mean, &n_mean, err));
    SL_TRY(list_member(root, "deviation", MAX_CHANNELS, deviation, &n_deviation, err));
    if (n_mean) options.mean = mean;
    if (n_deviation) options.deviation = deviation;
    return sl_model_create(&options, out, err);
}
