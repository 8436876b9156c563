/* A graph as JSON, for programs that rebuild the network elsewhere. */
#include "nn/graph/model.h"
#include "softlab/nn/describe.h"

static json_t *floats_json(const float *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_real((double)values[i]));
    return list;
}

static void set_size(json_t *node, const char *key, size_t value)
{
    json_object_set_new(node, key, json_integer((json_int_t)value));
}

static void add_settings(const struct sl_nn_node *node, json_t *out)
{
    switch (node->op) {
    case SL_NN_CONV:
        set_size(out, "kernel", node->as.conv.kernel);
        set_size(out, "stride", node->as.conv.stride);
        set_size(out, "pad", node->as.conv.pad);
        set_size(out, "groups", node->as.conv.groups);
        break;
    case SL_NN_NORMALISE:
        json_object_set_new(out, "mean",
                            floats_json(node->as.normalise.mean, node->shape.channels));
        json_object_set_new(out, "deviation",
                            floats_json(node->as.normalise.deviation, node->shape.channels));
        break;
    case SL_NN_MAX_POOL:
    case SL_NN_AVERAGE_POOL:
        set_size(out, "kernel", node->as.pool.kernel);
        set_size(out, "stride", node->as.pool.stride);
        set_size(out, "pad", node->as.pool.pad);
        break;
    case SL_NN_SUBSAMPLE:
        set_size(out, "stride", node->as.subsample.stride);
        set_size(out, "offset", node->as.subsample.offset);
        break;
    case SL_NN_RELU:
        json_object_set_new(out, "slope", json_real((double)node->as.relu.slope));
        break;
    case SL_NN_DROPOUT:
        json_object_set_new(out, "rate", json_real((double)node->as.dropout.rate));
        break;
    default: break;
    }
}

json_t *sl_model_graph_json(const struct sl_model *model)
{
    json_t *nodes = json_array();
    for (size_t i = 0; i < model->graph.count; i++) {
        const struct sl_nn_node *node = &model->graph.nodes[i];
        json_t *inputs = json_array();
        for (size_t k = 0; k < node->n_inputs; k++)
            json_array_append_new(inputs, json_integer((json_int_t)node->input[k]));
        json_t *one =
            json_pack("{s:s, s:s, s:o, s:[I, I, I]}", "op", sl_nn_op_name(node->op), "name",
                      node->name, "inputs", inputs, "shape", (json_int_t)node->shape.channels,
                      (json_int_t)node->shape.height, (json_int_t)node->shape.width);
        add_settings(node, one);
        json_array_append_new(nodes, one);
    }
    return json_pack("{s:s, s:s, s:I, s:o}", "network", sl_model_network(model), "spec",
                     sl_model_spec(model), "classes", (json_int_t)sl_model_classes(model), "nodes",
                     nodes);
}
