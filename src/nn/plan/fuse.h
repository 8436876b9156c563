/* Fuse: which nodes of a graph run as one unit. Private to nn/plan/. */
#ifndef SOFTLAB_NN_PLAN_FUSE_H
#define SOFTLAB_NN_PLAN_FUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "nn/layers/layer.h"

/* Fill `units` (room for graph->count) in running order; returns their number. Sets node, norm,
 * add, relu, inputs and output; the other members are zero. With `fold` (evaluation without
 * gradients) batch norms and ReLUs are folded into the convolution before them. Input nodes have no
 * unit. */
size_t sl_nn_fuse(const struct sl_nn_graph *graph, bool fold, struct sl_nn_unit *units);

#endif
