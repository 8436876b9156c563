/* Which items to ask about next: one answer after the other goes to the item where it is expected to
 * lower the risk most. Answers that were given to an item but have not come yet count as if they were
 * distributed like its label, so that its gain falls. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/advice/advice.h"
#include "softlab/base/memory.h"

/* As many answers to an item are pending at most: after them the plan is made anew. */
enum { MOST_PENDING = 5 };

struct planning {
    const struct sl_advice_input *input;
    const struct sl_crowd_state *state;
    struct sl_dirichlet_view view;
    struct sl_crowd_shape shape;
    uint32_t *heap; /* owned; items, the greatest gain first */
    double *gain;   /* owned; n_items: of the next answer */
    size_t count;   /* items in the heap */
};

/* The gain of one more answer after `pending` others. */
static double gain_after(struct planning *planning, size_t item, double pending)
{
    if (pending == 0) return planning->state->gain[item];
    sl_advice_look(planning->input, planning->state, item, pending, &planning->view);
    return sl_dirichlet_gain(&planning->view);
}

static bool is_before(const struct planning *planning, uint32_t a, uint32_t b)
{
    const double x = planning->gain[a], y = planning->gain[b];
    return x > y || (x == y && a < b);
}

static void sift_down(struct planning *planning, size_t at)
{
    uint32_t *heap = planning->heap;
    for (;;) {
        size_t best = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < planning->count; child++)
            if (is_before(planning, heap[child], heap[best])) best = child;
        if (best == at) return;
        const uint32_t moved = heap[at];
        heap[at] = heap[best];
        heap[best] = moved;
        at = best;
    }
}

static void fill_heap(struct planning *planning)
{
    const size_t *begin = planning->shape.begin;
    for (size_t i = 0; i < planning->shape.n_items; i++) {
        planning->gain[i] = planning->state->gain[i];
        if (begin[i] < begin[i + 1]) planning->heap[planning->count++] = (uint32_t)i;
    }
    for (size_t at = planning->count / 2; at-- > 0;)
        sift_down(planning, at);
}

static void allocate_greedily(struct planning *planning, size_t n_answers,
                              struct sl_advice_plan *plan)
{
    const size_t rounds = (n_answers + planning->count - 1) / planning->count;
    for (size_t n = 0; n < n_answers; n++) {
        const uint32_t item = planning->heap[0];
        plan->drop += planning->gain[item];
        plan->answers[item]++;
        planning->gain[item] = plan->answers[item] < rounds * MOST_PENDING
                                   ? gain_after(planning, item, plan->answers[item])
                                   : -1;
        sift_down(planning, 0);
    }
}

/* What answers spread over all items buy. A round that is not complete counts by its share. */
static double spread_equally(struct planning *planning, size_t n_answers)
{
    const size_t *begin = planning->shape.begin;
    double drop = 0;
    for (size_t round = 0; round * planning->count < n_answers; round++) {
        double sum = 0;
        for (size_t i = 0; i < planning->shape.n_items; i++)
            if (begin[i] < begin[i + 1]) sum += gain_after(planning, i, (double)round);
        const double left = (double)(n_answers - round * planning->count);
        drop += sum * fmin(1, left / (double)planning->count);
    }
    return drop;
}

enum sl_status sl_advice_plan_init(struct sl_advice_plan *plan, const struct sl_advice_input *input,
                                   const struct sl_crowd_state *state, size_t n_answers,
                                   struct sl_error *err)
{
    struct planning planning = {
        .input = input, .state = state, .shape = sl_crowd_shape_of(&input->crowd)};
    const size_t n_items = planning.shape.n_items;
    enum sl_status status = SL_OK;
    *plan = (struct sl_advice_plan){0};
    plan->answers = sl_data_zeroed(n_items, sizeof *plan->answers, err);
    planning.heap = sl_data_alloc(n_items, sizeof *planning.heap, err);
    planning.gain = sl_data_alloc(n_items, sizeof *planning.gain, err);
    if (!plan->answers || !planning.heap || !planning.gain) SL_TRY_OUT(SL_ERR_NOMEM);
    SL_TRY_OUT(sl_dirichlet_view_init(&planning.view, state->dirichlet, err));
    fill_heap(&planning);
    allocate_greedily(&planning, n_answers, plan);
    plan->equal_drop = spread_equally(&planning, n_answers);
out:
    sl_dirichlet_view_release(&planning.view);
    free(planning.heap);
    free(planning.gain);
    if (status != SL_OK) sl_advice_plan_release(plan);
    return status;
}

void sl_advice_plan_release(struct sl_advice_plan *plan)
{
    free(plan->answers);
    *plan = (struct sl_advice_plan){0};
}
