#include <math.h>
#include <stdlib.h>

#include "pipeline/advice/advice.h"
#include "softlab/base/memory.h"
#include "softlab/pipeline/files.h"

/* In this order: a part may read those before it. */
static sl_advice_part *const parts[] = {
    sl_advice_measure_crowd,   sl_advice_fit_model,    sl_advice_judge_people,
    sl_advice_compare_methods, sl_advice_choose_items, sl_advice_plan_next,
};

/* The true classes that the answers state; *out stays NULL if there are none. */
static enum sl_status read_stated_truth(const struct sl_answers *answers, int32_t **out,
                                        struct sl_error *err)
{
    const size_t n_items = sl_name_table_count(answers->items);
    int32_t *truth = sl_data_alloc(n_items, sizeof *truth, err);
    bool any = false;
    if (!truth) return SL_ERR_NOMEM;
    for (size_t i = 0; i < n_items; i++)
        truth[i] = -1;
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        if (answer.flags & SL_ANSWER_CHECK || answer.truth < 0) continue;
        if (truth[answers->item[i]] < 0) truth[answers->item[i]] = answer.truth;
        any = true;
    }
    if (any)
        *out = truth;
    else
        free(truth);
    return SL_OK;
}

static enum sl_status measure(const struct sl_workplace *workplace, struct sl_advice *advice,
                              struct sl_error *err)
{
    const struct sl_advise_job *job = advice->job;
    struct sl_advice_input input = {0};
    SL_TRY(sl_answers_read_any(workplace, job->answers, &job->reading, &advice->answers, err));
    const struct sl_known_names names = sl_known_names_of(advice->answers);
    if (job->truth)
        SL_TRY(sl_truth_read_and_tell(workplace, job->truth, &names, &advice->truth, err));
    else
        SL_TRY(read_stated_truth(advice->answers, &advice->truth, err));
    enum sl_status status = sl_advice_input_init(&input, workplace, advice, err);
    if (status != SL_OK)
        return sl_fail_within(err, status, "%s", sl_workplace_shown(workplace, job->answers));
    for (size_t p = 0; p < sizeof parts / sizeof *parts && status == SL_OK; p++)
        status = parts[p](&input, advice, err);
    sl_advice_input_release(&input);
    return status;
}

enum sl_status sl_advise_job_run(const struct sl_advise_job *job,
                                 const struct sl_workplace *workplace, struct sl_advice *out,
                                 struct sl_error *err)
{
    struct sl_advice advice = {.job = job};
    if (!job->answers) return sl_fail(err, SL_ERR_USAGE, "ANSWERS is missing");
    const enum sl_status status = measure(workplace, &advice, err);
    if (status == SL_OK)
        *out = advice;
    else
        sl_advice_release(&advice);
    return status;
}

void sl_advice_release(struct sl_advice *advice)
{
    sl_answers_destroy(advice->answers);
    free(advice->truth);
    sl_crowd_state_release(&advice->model.state);
    free(advice->model.disagreement);
    for (size_t i = 0; i < advice->people.count && advice->people.people; i++)
        free(advice->people.people[i].reasons);
    free(advice->people.people);
    sl_held_out_release(&advice->methods.held_out);
    free(advice->items.risky);
    free(advice->items.split);
    free(advice->items.contrary);
    free(advice->next.items);
    free(advice->next.answers);
    *advice = (struct sl_advice){0};
}
