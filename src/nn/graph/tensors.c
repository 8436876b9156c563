/* The tensors and the cost of a graph's nodes. */
#include "nn/graph/graph.h"

static const struct sl_nn_node *input_of(const struct sl_nn_graph *graph,
                                         const struct sl_nn_node *node)
{
    return &graph->nodes[node->input[0]];
}

static size_t conv_tensors(const struct sl_nn_graph *graph, const struct sl_nn_node *node,
                           struct sl_nn_tensor_spec *out)
{
    size_t outputs = node->shape.channels, kernel = node->as.conv.kernel;
    size_t inputs = input_of(graph, node)->shape.channels / node->as.conv.groups;
    out[0] = (struct sl_nn_tensor_spec){
        ".weight", SL_TENSOR_VALUE, 4, {outputs, inputs, kernel, kernel}};
    if (!node->as.conv.bias) return 1;
    out[1] = (struct sl_nn_tensor_spec){".bias", SL_TENSOR_VALUE, 1, {outputs}};
    return 2;
}

static size_t linear_tensors(const struct sl_nn_graph *graph, const struct sl_nn_node *node,
                             struct sl_nn_tensor_spec *out)
{
    size_t outputs = node->shape.channels, inputs = input_of(graph, node)->shape.channels;
    out[0] = (struct sl_nn_tensor_spec){".weight", SL_TENSOR_VALUE, 2, {outputs, inputs}};
    if (!node->as.linear.bias) return 1;
    out[1] = (struct sl_nn_tensor_spec){".bias", SL_TENSOR_VALUE, 1, {outputs}};
    return 2;
}

static size_t norm_tensors(const struct sl_nn_node *node, struct sl_nn_tensor_spec *out)
{
    static const struct {
        const char *suffix;
        enum sl_tensor_kind kind;
    } parts[] = {
        {".weight", SL_TENSOR_VALUE},
        {".bias", SL_TENSOR_VALUE},
        {".running_mean", SL_TENSOR_STATE},
        {".running_var", SL_TENSOR_STATE},
    };
    enum { N_PARTS = sizeof parts / sizeof *parts };
    for (size_t i = 0; i < N_PARTS; i++)
        out[i] =
            (struct sl_nn_tensor_spec){parts[i].suffix, parts[i].kind, 1, {node->shape.channels}};
    return N_PARTS;
}

static size_t hidden_size(const struct sl_nn_node *node)
{
    return node->as.lstm.both ? node->shape.channels / 2 : node->shape.channels;
}

static size_t lstm_tensors(const struct sl_nn_graph *graph, const struct sl_nn_node *node,
                           struct sl_nn_tensor_spec *out)
{
    static const char *const suffixes[SL_NN_NODE_TENSORS] = {
        ".weight_ih_l0",       ".weight_hh_l0",         ".bias_ih_l0",
        ".bias_hh_l0",         ".weight_ih_l0_reverse", ".weight_hh_l0_reverse",
        ".bias_ih_l0_reverse", ".bias_hh_l0_reverse",
    };
    size_t hidden = hidden_size(node), gates = 4 * hidden;
    size_t columns[2] = {input_of(graph, node)->shape.channels, hidden};
    size_t count = node->as.lstm.both ? 8 : 4;
    for (size_t i = 0; i < count; i++) {
        bool bias = i % 4 >= 2;
        out[i] = (struct sl_nn_tensor_spec){suffixes[i], SL_TENSOR_VALUE, bias ? 1 : 2, {gates}};
        if (!bias) out[i].dims[1] = columns[i % 4];
    }
    return count;
}

size_t sl_nn_node_tensors(const struct sl_nn_graph *graph, size_t node,
                          struct sl_nn_tensor_spec out[SL_NN_NODE_TENSORS])
{
    const struct sl_nn_node *n = &graph->nodes[node];
    switch (n->op) {
    case SL_NN_CONV: return conv_tensors(graph, n, out);
    case SL_NN_LINEAR: return linear_tensors(graph, n, out);
    case SL_NN_BATCH_NORM: return norm_tensors(n, out);
    case SL_NN_LSTM: return lstm_tensors(graph, n, out);
    case SL_NN_EMBED:
        out[0] = (struct sl_nn_tensor_spec){
            ".weight", SL_TENSOR_STATE, 2, {n->as.embed.count, n->shape.channels}};
        return 1;
    default: return 0;
    }
}

uint64_t sl_nn_node_multiply_adds(const struct sl_nn_graph *graph, size_t node)
{
    const struct sl_nn_node *n = &graph->nodes[node];
    switch (n->op) {
    case SL_NN_CONV:
        return (uint64_t)n->shape.height * n->shape.width * n->shape.channels *
               (input_of(graph, n)->shape.channels / n->as.conv.groups) * n->as.conv.kernel *
               n->as.conv.kernel;
    case SL_NN_LINEAR: return (uint64_t)n->shape.channels * input_of(graph, n)->shape.channels;
    case SL_NN_LSTM:
        return (uint64_t)n->shape.height * n->shape.channels * 4 *
               (input_of(graph, n)->shape.channels + hidden_size(n));
    default: return 0;
    }
}
