#include "nn/plan/fuse.h"

#include <stdlib.h>

#include "softlab/base/memory.h"

struct fuser {
    const struct sl_nn_graph *graph;
    size_t *reader; /* the only node that reads a node's tensor, or SL_NN_NO_NODE */
    bool *inside;   /* it belongs to the unit of an earlier node */
    bool fold;
};

static const struct sl_nn_node *node_at(const struct fuser *fuser, size_t node)
{
    return &fuser->graph->nodes[node];
}

static void find_readers(struct fuser *fuser)
{
    const struct sl_nn_graph *graph = fuser->graph;
    size_t *readers = sl_alloc(graph->count + 1, sizeof *readers);
    for (size_t i = 0; i < graph->count; i++) {
        fuser->reader[i] = SL_NN_NO_NODE;
        for (size_t k = 0; k < graph->nodes[i].n_inputs; k++) {
            const size_t input = graph->nodes[i].input[k];
            readers[input]++;
            fuser->reader[input] = readers[input] == 1 ? i : SL_NN_NO_NODE;
        }
    }
    free(readers);
}

/* The only reader of a node, if it has operation `op`; otherwise SL_NN_NO_NODE. */
static size_t followed_by(const struct fuser *fuser, size_t node, enum sl_nn_op op)
{
    const size_t reader = fuser->reader[node];
    if (reader == SL_NN_NO_NODE || node_at(fuser, reader)->op != op) return SL_NN_NO_NODE;
    return reader;
}

static bool is_plain_relu(const struct fuser *fuser, size_t node)
{
    return node != SL_NN_NO_NODE && node_at(fuser, node)->as.relu.slope == 0.0F;
}

/* True if the unit that ends in node `last` can do the addition `add`: no other unit does it, and
 * `last` has all channels of the sum. A convolution adds only a tensor with the layout of its own
 * output. */
static bool can_take_add(const struct fuser *fuser, const struct sl_nn_unit *unit, size_t last,
                         size_t add)
{
    if (add == SL_NN_NO_NODE || fuser->inside[add]) return false;
    const struct sl_nn_node *node = node_at(fuser, add);
    const size_t other = node->input[0] == last ? node->input[1] : node->input[0];
    const size_t here = node_at(fuser, last)->shape.channels;
    const size_t there = node_at(fuser, other)->shape.channels;
    if (other == last) return false;
    return node_at(fuser, unit->node)->op == SL_NN_CONV ? here == there : here >= there;
}

/* Extend the unit by following nodes that its layer can do as well. */
static void extend(struct fuser *fuser, struct sl_nn_unit *unit)
{
    const enum sl_nn_op op = node_at(fuser, unit->node)->op;
    const bool conv = op == SL_NN_CONV;
    if (!conv && op != SL_NN_BATCH_NORM && op != SL_NN_ADD) return;
    size_t last = unit->node;
    if (conv && fuser->fold) {
        unit->norm = followed_by(fuser, last, SL_NN_BATCH_NORM);
        if (unit->norm != SL_NN_NO_NODE) last = unit->norm;
    }
    if (op != SL_NN_ADD) {
        const size_t add = followed_by(fuser, last, SL_NN_ADD);
        if (can_take_add(fuser, unit, last, add)) {
            const struct sl_nn_node *node = node_at(fuser, add);
            unit->input[1] = node->input[0] == last ? node->input[1] : node->input[0];
            unit->n_inputs = 2;
            unit->add = true;
            last = add;
        }
    }
    const size_t relu = followed_by(fuser, last, SL_NN_RELU);
    /* In training, the ReLU after a convolution stays separate: its backward pass needs the sign of
     * the output. */
    if (is_plain_relu(fuser, relu) && (!conv || fuser->fold)) {
        unit->relu = true;
        last = relu;
    }
    unit->output = last;
}

static struct sl_nn_unit unit_of(const struct fuser *fuser, size_t node)
{
    const struct sl_nn_node *source = node_at(fuser, node);
    return (struct sl_nn_unit){
        .graph = fuser->graph,
        .node = node,
        .norm = SL_NN_NO_NODE,
        .input = {source->input[0], source->input[1]},
        .n_inputs = source->n_inputs,
        .output = node,
    };
}

static void mark_inside(struct fuser *fuser, const struct sl_nn_unit *unit)
{
    for (size_t node = unit->node; node != unit->output;) {
        node = fuser->reader[node];
        fuser->inside[node] = true;
    }
}

size_t sl_nn_fuse(const struct sl_nn_graph *graph, bool fold, struct sl_nn_unit *units)
{
    struct fuser fuser = {
        .graph = graph,
        .reader = sl_alloc(graph->count + 1, sizeof *fuser.reader),
        .inside = sl_alloc(graph->count + 1, sizeof *fuser.inside),
        .fold = fold,
    };
    /* A unit runs at the place of its last node, because its addend may be computed after its first
     * node. */
    struct sl_nn_unit *ending = sl_alloc(graph->count + 1, sizeof *ending);
    find_readers(&fuser);
    for (size_t i = 0; i < graph->count; i++) {
        if (fuser.inside[i] || graph->nodes[i].n_inputs == 0) continue;
        struct sl_nn_unit unit = unit_of(&fuser, i);
        extend(&fuser, &unit);
        mark_inside(&fuser, &unit);
        ending[unit.output] = unit;
    }
    size_t count = 0;
    for (size_t i = 0; i < graph->count; i++)
        if (ending[i].graph) units[count++] = ending[i];
    free(fuser.reader);
    free(fuser.inside);
    free(ending);
    return count;
}
