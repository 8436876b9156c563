/* Embedding: ids to rows of a table that is not trained. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "nn/layers/layer.h"
#include "softlab/base/memory.h"

struct embed {
    size_t steps, items, width, count;
    size_t table; /* offset of the table in the state */
    bool letters;
};

static enum sl_status create(const struct sl_nn_unit *unit, struct sl_nn_needs *needs, void **state,
                             struct sl_error *err)
{
    (void)err;
    const struct sl_nn_node *node = &unit->graph->nodes[unit->node];
    const enum sl_nn_op source = unit->graph->nodes[unit->input[0]].op;
    assert(source == SL_NN_WORDS || source == SL_NN_LETTERS);
    struct embed *embed = sl_alloc(1, sizeof *embed);
    embed->steps = node->shape.height;
    embed->items = unit->images;
    embed->width = node->shape.channels;
    embed->count = node->as.embed.count;
    embed->table = unit->offset[0];
    embed->letters = source == SL_NN_LETTERS;
    *needs = (struct sl_nn_needs){0};
    *state = embed;
    return SL_OK;
}

static void destroy(void *state)
{
    free(state);
}

/* Positions beyond an item's count may hold anything. Their ids are not read, and their outputs are
 * zero. */
static void forward(void *state, const struct sl_nn_args *args)
{
    const struct embed *embed = state;
    const int32_t *ids = embed->letters ? args->batch->letters : args->batch->words;
    const int32_t *counts = embed->letters ? args->batch->letter_counts : args->batch->word_counts;
    const float *table = args->state + embed->table;
    for (size_t step = 0; step < embed->steps; step++)
        for (size_t item = 0; item < embed->items; item++) {
            float *out = args->output.data + (step * embed->items + item) * embed->width;
            if (counts && (int64_t)step >= counts[item]) {
                memset(out, 0, embed->width * sizeof *out);
                continue;
            }
            const int32_t id = ids[item * embed->steps + step];
            assert(id >= 0 && (size_t)id < embed->count);
            memcpy(out, table + (size_t)id * embed->width, embed->width * sizeof *out);
        }
}

/* The table is not trained, and ids have no gradient, so there is nothing to do. */
static void backward(void *state, const struct sl_nn_args *args)
{
    (void)state;
    (void)args;
}

const struct sl_nn_layer_type sl_nn_layer_embed = {
    .name = "embed",
    .create = create,
    .destroy = destroy,
    .forward = forward,
    .backward = backward,
};
