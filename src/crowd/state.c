/* What a method learned: its memory, and what callers derive from it. */
#include <stdlib.h>

#include "crowd/crowd_internal.h"
#include "softlab/base/memory.h"
#include "softlab/crowd/dirichlet.h"

void *sl_crowd_confusion_alloc(size_t n_annotators, size_t n_classes, size_t cell,
                               struct sl_error *err)
{
    void *cells = NULL;
    const size_t per_annotator = n_classes * n_classes * cell;
    if (n_annotators <= SIZE_MAX / 2 / per_annotator)
        cells = sl_data_alloc(n_annotators, per_annotator, err);
    if (!cells)
        sl_fail(err, SL_ERR_NOMEM,
                "not enough memory for %zu annotators x %zu x %zu classes x %zu bytes",
                n_annotators, n_classes, n_classes, cell);
    return cells;
}

enum sl_status sl_crowd_state_alloc(struct sl_crowd_state *state, struct sl_crowd_size size,
                                    unsigned parts, size_t max_iterations, struct sl_error *err)
{
    state->n_items = size.n_items;
    state->n_annotators = size.n_annotators;
    state->n_classes = size.n_classes;
    if (!(parts & SL_STATE_STREAMED)) {
        state->posterior =
            sl_data_alloc(size.n_items * size.n_classes, sizeof *state->posterior, err);
        if (!state->posterior) return SL_ERR_NOMEM;
    }
    state->class_prior = sl_alloc(size.n_classes, sizeof *state->class_prior);
    if (parts & SL_STATE_CONFUSION) {
        state->confusion = sl_crowd_confusion_alloc(size.n_annotators, size.n_classes,
                                                    sizeof *state->confusion, err);
        if (!state->confusion) return SL_ERR_NOMEM;
    }
    if (parts & SL_STATE_SKILL) {
        state->skill = sl_data_alloc(size.n_annotators, sizeof *state->skill, err);
        if (!state->skill) return SL_ERR_NOMEM;
    }
    if (parts & SL_STATE_WEIGHT) {
        state->weight = sl_data_alloc(size.n_annotators, sizeof *state->weight, err);
        if (!state->weight) return SL_ERR_NOMEM;
    }
    if (parts & SL_STATE_STRATEGY) {
        state->strategy =
            sl_data_alloc(size.n_annotators * size.n_classes, sizeof *state->strategy, err);
        if (!state->strategy) return SL_ERR_NOMEM;
    }
    if (parts & SL_STATE_RISK) {
        state->risk = sl_data_alloc(size.n_items, sizeof *state->risk, err);
        state->gain = sl_data_alloc(size.n_items, sizeof *state->gain, err);
        if (!state->risk || !state->gain) return SL_ERR_NOMEM;
    }
    if (parts & SL_STATE_INTERVALS) {
        state->low = sl_data_alloc(size.n_items * size.n_classes, sizeof *state->low, err);
        state->high = sl_data_alloc(size.n_items * size.n_classes, sizeof *state->high, err);
        if (!state->low || !state->high) return SL_ERR_NOMEM;
    }
    if (parts & SL_STATE_TRACE) state->trace = sl_alloc(max_iterations, sizeof *state->trace);
    return SL_OK;
}

void sl_crowd_state_release(struct sl_crowd_state *state)
{
    free(state->posterior);
    free(state->class_prior);
    free(state->confusion);
    free(state->skill);
    free(state->weight);
    free(state->ability);
    free(state->easiness);
    free(state->strategy);
    free(state->trace);
    free(state->risk);
    free(state->gain);
    free(state->low);
    free(state->high);
    sl_dirichlet_destroy(state->dirichlet);
    *state = (struct sl_crowd_state){0};
}

void sl_crowd_choices(const struct sl_crowd_state *state, uint32_t *out)
{
    for (size_t i = 0; i < state->n_items; i++) {
        const float *row = state->posterior + i * state->n_classes;
        out[i] = 0;
        for (uint32_t k = 1; k < state->n_classes; k++)
            if (row[k] > row[out[i]]) out[i] = k;
    }
}

void sl_crowd_even_confusion(double skill, size_t n_classes, float *out)
{
    const double wrong = n_classes > 1 ? (1 - skill) / (double)(n_classes - 1) : 0;
    for (size_t k = 0; k < n_classes; k++)
        for (size_t said = 0; said < n_classes; said++)
            out[k * n_classes + said] = (float)(k == said ? skill : wrong);
}
