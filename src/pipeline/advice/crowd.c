/* What the answers are: counts, agreement and times. */
#include <math.h>
#include <stdlib.h>

#include "pipeline/advice/advice.h"
#include "softlab/answer/measures.h"
#include "softlab/base/memory.h"

struct sl_bootstrap_options sl_advice_bootstrap(const struct sl_advise_job *job)
{
    return (struct sl_bootstrap_options){.n_resamples = 1000, .level = .95, .seed = job->seed};
}

static void count_items(const struct sl_votes *votes, struct sl_advice_crowd *crowd)
{
    crowd->fewest = SIZE_MAX;
    for (size_t i = 0; i < votes->n_items; i++) {
        const size_t count = votes->begin[i + 1] - votes->begin[i];
        if (count == 0) continue;
        crowd->n_items++;
        crowd->n_compared += count > 1;
        if (count < crowd->fewest) crowd->fewest = count;
        if (count > crowd->most) crowd->most = count;
    }
}

static void count_classes(const struct sl_votes *votes, size_t *counts,
                          struct sl_advice_crowd *crowd)
{
    crowd->n_classes = votes->n_classes;
    for (size_t v = 0; v < votes->count; v++)
        counts[votes->label[v]]++;
    for (size_t k = 0; k < votes->n_classes; k++)
        crowd->n_unused += counts[k] == 0;
    crowd->only_class = crowd->n_unused + 1 == crowd->n_classes ? votes->label[0] : SL_NO_NAME;
}

static void count_annotators(const struct sl_votes *votes, size_t *counts,
                             struct sl_advice_crowd *crowd)
{
    crowd->busiest = SL_NO_NAME;
    for (size_t v = 0; v < votes->count; v++) {
        if (votes->annotator[v] == SL_NO_NAME)
            crowd->n_unknown++;
        else
            counts[votes->annotator[v]]++;
    }
    for (size_t a = 0; a < votes->n_annotators; a++) {
        crowd->n_annotators += counts[a] > 0;
        if (counts[a] <= crowd->n_busiest) continue;
        crowd->busiest = (uint32_t)a;
        crowd->n_busiest = counts[a];
    }
}

/* The time of an answer that labels are made of, by which a budget of hours is divided: stating
 * probabilities takes longer than a click. */
static enum sl_status measure_time(const struct sl_advice_input *input, double *seconds,
                                   struct sl_error *err)
{
    const struct sl_answers *answers = input->answers;
    const unsigned kinds = input->row_method ? sl_label_method_find(input->row_method)->kinds : ~0U;
    double *times = sl_data_alloc(answers->count + 1, sizeof *times, err);
    if (!times) return SL_ERR_NOMEM;
    *seconds = sl_trimmed_mean(times, sl_answers_seconds(answers, kinds, times));
    free(times);
    return SL_OK;
}

enum sl_status sl_advice_measure_crowd(const struct sl_advice_input *input,
                                       struct sl_advice *advice, struct sl_error *err)
{
    const struct sl_votes *votes = input->votes;
    struct sl_advice_crowd *crowd = &advice->crowd;
    const size_t room =
        votes->n_annotators > votes->n_classes ? votes->n_annotators : votes->n_classes;
    size_t *counts = sl_data_zeroed(2 * room + 1, sizeof *counts, err);
    if (!counts) return SL_ERR_NOMEM;
    crowd->n_answers = votes->count;
    crowd->rich = input->row_method != NULL;
    if (crowd->rich) crowd->n_unread = votes->count - input->soft.votes.count;
    count_items(votes, crowd);
    count_classes(votes, counts, crowd);
    count_annotators(votes, counts + room, crowd);
    free(counts);
    SL_TRY(measure_time(input, &crowd->seconds, err));
    return sl_alpha_measure(votes, NULL, advice->job->seed, &crowd->alpha, err);
}
