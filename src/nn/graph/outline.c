/* Outline: the layers and sizes of a network, without its values. */
#include <stdlib.h>

#include "nn/graph/graph.h"
#include "softlab/base/memory.h"

static struct sl_layer_info describe_layer(const struct sl_nn_graph *graph, size_t index)
{
    const struct sl_nn_node *node = &graph->nodes[index];
    struct sl_layer_info layer = {
        .name = sl_string_copy(node->name),
        .kind = sl_nn_op_name(node->op),
        .channels = node->shape.channels,
        .height = node->shape.height,
        .width = node->shape.width,
        .multiply_adds = sl_nn_node_multiply_adds(graph, index),
    };
    struct sl_nn_tensor_spec tensors[SL_NN_NODE_TENSORS];
    size_t n_tensors = sl_nn_node_tensors(graph, index, tensors);
    for (size_t t = 0; t < n_tensors; t++) {
        size_t count = 1;
        for (size_t d = 0; d < tensors[t].rank; d++)
            count *= tensors[t].dims[d];
        *(tensors[t].kind == SL_TENSOR_VALUE ? &layer.values : &layer.state) += count;
    }
    return layer;
}

enum sl_status sl_outline_create(const struct sl_model_options *options, struct sl_outline **out,
                                 struct sl_error *err)
{
    struct sl_nn_graph graph;
    char *spec = NULL;
    SL_TRY(sl_nn_build(options, &graph, &spec, err));
    struct sl_outline *outline = sl_alloc(1, sizeof *outline);
    outline->spec = spec;
    outline->n_layers = graph.count;
    outline->layers = sl_alloc(graph.count, sizeof *outline->layers);
    for (size_t i = 0; i < graph.count; i++) {
        struct sl_layer_info *layer = &outline->layers[i];
        *layer = describe_layer(&graph, i);
        outline->values += layer->values;
        outline->state += layer->state;
        outline->multiply_adds += layer->multiply_adds;
        if (graph.nodes[i].op == SL_NN_CONV) outline->n_convolutions++;
    }
    sl_nn_graph_release(&graph);
    *out = outline;
    return SL_OK;
}

void sl_outline_destroy(struct sl_outline *outline)
{
    if (!outline) return;
    for (size_t i = 0; i < outline->n_layers; i++)
        free(outline->layers[i].name);
    free(outline->layers);
    free(outline->spec);
    free(outline);
}
