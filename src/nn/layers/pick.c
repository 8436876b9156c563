/* Pick: takes one step of every row of a sequence. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "nn/layers/layer.h"
#include "softlab/base/memory.h"

struct pick {
    size_t steps, items, width;
    bool at_position;
    size_t step;
    size_t turn;          /* first channel of the reverse direction, which ends at step 0 */
    enum sl_nn_op source; /* the ids whose counts tell the last step */
};

static enum sl_status create(const struct sl_nn_unit *unit, struct sl_nn_needs *needs, void **state,
                             struct sl_error *err)
{
    (void)err;
    const struct sl_nn_node *node = &unit->graph->nodes[unit->node];
    const struct sl_nn_node *input = &unit->graph->nodes[unit->input[0]];
    struct pick *pick = sl_alloc(1, sizeof *pick);
    pick->steps = input->shape.height;
    pick->items = unit->images;
    pick->width = input->shape.channels;
    pick->at_position = node->as.pick.at_position;
    pick->step = node->as.pick.step;
    pick->turn = pick->width;
    if (input->op == SL_NN_LSTM && input->as.lstm.both) pick->turn = pick->width / 2;
    while (input->n_inputs > 0)
        input = &unit->graph->nodes[input->input[0]];
    pick->source = input->op;
    *needs = (struct sl_nn_needs){.adds = {true, false}};
    *state = pick;
    return SL_OK;
}

static void destroy(void *state)
{
    free(state);
}

/* The step to take for an item's first `turn` channels, and for the others. All steps of an item
 * without ids are zero. */
static void find_steps(const struct pick *pick, const struct sl_batch *batch, size_t item,
                       size_t step[2])
{
    if (!pick->at_position && pick->step == SL_NN_LAST_STEP) {
        const int32_t *counts = NULL;
        if (pick->source == SL_NN_WORDS) counts = batch->word_counts;
        if (pick->source == SL_NN_LETTERS) counts = batch->letter_counts;
        step[0] = counts ? (size_t)counts[item] - (counts[item] > 0) : pick->steps - 1;
        step[1] = 0;
    } else {
        assert(!pick->at_position || batch->positions[item] >= 0);
        step[0] = pick->at_position ? (size_t)batch->positions[item] : pick->step;
        step[1] = step[0];
    }
    assert(step[0] < pick->steps);
}

static void forward(void *state, const struct sl_nn_args *args)
{
    const struct pick *pick = state;
    for (size_t item = 0; item < pick->items; item++) {
        size_t step[2];
        find_steps(pick, args->batch, item, step);
        const float *first = args->input[0].data + (step[0] * pick->items + item) * pick->width;
        const float *second = args->input[0].data + (step[1] * pick->items + item) * pick->width;
        float *out = args->output.data + item * args->output.image_stride;
        memcpy(out, first, pick->turn * sizeof *out);
        memcpy(out + pick->turn, second + pick->turn, (pick->width - pick->turn) * sizeof *out);
    }
}

static void backward(void *state, const struct sl_nn_args *args)
{
    const struct pick *pick = state;
    float *gradient = args->input_gradient[0].data;
    if (!gradient) return;
    const size_t bytes = pick->steps * pick->items * pick->width * sizeof *gradient;
    if (!args->add[0].data)
        memset(gradient, 0, bytes);
    else if (args->add[0].data != gradient)
        memcpy(gradient, args->add[0].data, bytes);
    for (size_t item = 0; item < pick->items; item++) {
        size_t step[2];
        find_steps(pick, args->batch, item, step);
        const float *upstream = args->upstream.data + item * args->upstream.image_stride;
        for (size_t j = 0; j < pick->width; j++) {
            const size_t row = step[j >= pick->turn] * pick->items + item;
            gradient[row * pick->width + j] += upstream[j];
        }
    }
}

const struct sl_nn_layer_type sl_nn_layer_pick = {
    .name = "pick",
    .create = create,
    .destroy = destroy,
    .forward = forward,
    .backward = backward,
};
