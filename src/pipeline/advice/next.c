/* What the next hours of annotation are to be spent on. */
#include <math.h>
#include <stdlib.h>

#include "pipeline/advice/advice.h"
#include "softlab/base/memory.h"

/* Labels that cost a reader less than this, in nats of cross-entropy, need no more answers. */
static const double LITTLE_RISK = .02;

/* The time of an answer, and how many fit. */
static enum sl_status count_answers(const struct sl_advice *advice, struct sl_advice_next *next,
                                    struct sl_error *err)
{
    const struct sl_advise_job *job = advice->job;
    next->seconds = isnan(job->seconds) ? advice->crowd.seconds : job->seconds;
    next->hours = isnan(job->hours) ? 1 : job->hours;
    if (!(next->seconds > 0)) {
        if (!isnan(job->hours))
            return sl_fail(err, SL_ERR_USAGE,
                           "--hours needs the time of an answer: the answers have no times; give "
                           "--seconds too");
        next->seconds = next->hours = (double)NAN;
        next->n_answers = next->n_afforded = advice->crowd.n_items;
        return SL_OK;
    }
    const double count = floor(next->hours * 3600 / next->seconds);
    const double most = 1e3 * (double)advice->crowd.n_items; /* beyond that nothing changes */
    next->n_afforded = (size_t)fmin(count, 1e15);
    next->n_answers = (size_t)fmin(count, most);
    return SL_OK;
}

static enum sl_status list_items(const struct sl_advice_input *input, struct sl_advice *advice,
                                 const struct sl_advice_plan *plan, struct sl_error *err)
{
    struct sl_advice_next *next = &advice->next;
    const size_t n_items = sl_crowd_shape_of(&input->crowd).n_items;
    struct sl_dirichlet_view view = {0};
    enum sl_status status = SL_OK;
    double *keys = sl_data_alloc(n_items, sizeof *keys, err);
    uint32_t *found = NULL;
    if (!keys) SL_TRY_OUT(SL_ERR_NOMEM);
    for (size_t i = 0; i < n_items; i++) {
        next->n_items += plan->answers[i] > 0;
        /* Of items with equally many answers, those of the greater gain come first. */
        keys[i] = plan->answers[i] > 0 ? plan->answers[i] + fmin(advice->model.state.gain[i], .99)
                                       : (double)NAN;
    }
    SL_TRY_OUT(
        sl_advice_greatest(keys, n_items, (size_t)advice->job->top, &found, &next->n_named, err));
    next->items = sl_alloc(next->n_named + 1, sizeof *next->items);
    next->answers = sl_alloc(next->n_named + 1, sizeof *next->answers);
    SL_TRY_OUT(sl_dirichlet_view_init(&view, advice->model.state.dirichlet, err));
    for (size_t i = 0; i < next->n_named; i++) {
        next->items[i] = sl_advice_describe(input, advice, &view, found[i]);
        next->answers[i] = plan->answers[found[i]];
    }
out:
    sl_dirichlet_view_release(&view);
    free(keys);
    free(found);
    return status;
}

enum sl_status sl_advice_plan_next(const struct sl_advice_input *input, struct sl_advice *advice,
                                   struct sl_error *err)
{
    struct sl_advice_next *next = &advice->next;
    struct sl_advice_plan plan = {0};
    next->risk = next->chosen = next->equal = (double)NAN;
    SL_TRY(count_answers(advice, next, err));
    if (advice->model.missing) return SL_OK;
    SL_TRY(sl_advice_plan_init(&plan, input, &advice->model.state, next->n_answers, err));
    const double n_items = (double)advice->crowd.n_items;
    next->risk = advice->model.risk;
    next->chosen = fmax(next->risk - plan.drop / n_items, 0);
    next->equal = fmax(next->risk - plan.equal_drop / n_items, 0);
    next->stop = next->risk < LITTLE_RISK;
    const enum sl_status status = list_items(input, advice, &plan, err);
    sl_advice_plan_release(&plan);
    return status;
}
