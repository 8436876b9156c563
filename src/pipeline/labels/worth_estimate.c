/* Means of scores, and how many clicks the other answers are worth, with bootstrap intervals over
 * items. */
#include <math.h>
#include <stdlib.h>

#include "pipeline/labels/worth.h"
#include "softlab/base/memory.h"

/* Scores of one group by one measure. */
struct scores {
    const double *sum, *weight; /* borrowed: (n_sets, n_items), n_items */
    size_t n_items;
};

/* The mean score of a set over resampled items. */
static double mean_of(const struct scores *scores, size_t set, const size_t *indices, size_t count)
{
    const double *sums = scores->sum + set * scores->n_items;
    double sum = 0, weight = 0;
    for (size_t i = 0; i < count; i++) {
        sum += sums[indices[i]];
        weight += scores->weight[indices[i]];
    }
    return sum / weight;
}

struct mean_question {
    struct scores scores;
    size_t set;
};

static double mean_statistic(const size_t *indices, size_t count, void *context)
{
    const struct mean_question *question = context;
    return mean_of(&question->scores, question->set, indices, count);
}

/* What one set is worth beside a run of sets of clicks. */
struct worth_question {
    struct scores scores;
    size_t set, first; /* first: the set of the fewest clicks */
    const struct sl_real_list *numbers;
    int beyond; /* of the last call */
};

static double worth_statistic(const size_t *indices, size_t count, void *context)
{
    struct worth_question *question = context;
    const struct sl_real_list *numbers = question->numbers;
    double scores[SL_FIELD_LIST_MAX];
    for (size_t i = 0; i < numbers->count; i++)
        scores[i] = mean_of(&question->scores, question->first + i, indices, count);
    const struct sl_worth_curve curve = {numbers->values, scores, numbers->count};
    return sl_worth_at(&curve, mean_of(&question->scores, question->set, indices, count),
                       &question->beyond);
}

static struct sl_bootstrap_options resampling(const struct sl_worth_job *job)
{
    return (struct sl_bootstrap_options){
        .n_resamples = (size_t)job->bootstrap, .level = .95, .seed = job->seed};
}

/* The statistic of all items, with its interval if the job asks for one. */
static enum sl_status find(const struct sl_worth_replay *replay, sl_statistic *statistic,
                           void *context, struct sl_interval *out, struct sl_error *err)
{
    const struct sl_bootstrap_options options = resampling(&replay->result->job);
    if (options.n_resamples > 0)
        SL_TRY(sl_bootstrap(statistic, context, replay->n_items, &options, out, err));
    else
        out->low = out->high = (double)NAN;
    size_t *all = sl_alloc(replay->n_items, sizeof *all);
    for (size_t i = 0; i < replay->n_items; i++)
        all[i] = i;
    /* Last, so that what the statistic notes is about all items. */
    out->estimate = statistic(all, replay->n_items, context);
    free(all);
    return SL_OK;
}

static enum sl_status find_means(struct sl_worth_replay *replay, enum sl_worth_group group,
                                 size_t measure, struct sl_error *err)
{
    struct sl_worth_result *result = replay->result;
    for (size_t i = 0; i < result->n_sets; i++) {
        struct mean_question question = {
            {replay->sum[group][measure], replay->weight[group], replay->n_items}, i};
        SL_TRY(
            find(replay, mean_statistic, &question, &result->sets[i].score[group][measure], err));
    }
    return SL_OK;
}

static enum sl_status add_worth(struct sl_worth_replay *replay, const struct sl_worth *asked,
                                size_t first, struct sl_error *err)
{
    struct sl_worth_result *result = replay->result;
    struct sl_worth worth = *asked;
    struct worth_question question = {.scores = {replay->sum[worth.group][worth.measure],
                                                 replay->weight[worth.group], replay->n_items},
                                      .set = worth.set,
                                      .first = first,
                                      .numbers = &result->job.numbers[SL_WORTH_CLICKS]};
    SL_TRY(find(replay, worth_statistic, &question, &worth.clicks, err));
    worth.beyond = question.beyond;
    result->worths = sl_resize(result->worths, result->n_worths + 1, sizeof *result->worths);
    result->worths[result->n_worths++] = worth;
    return SL_OK;
}

/* Every set of the other answers beside every method of the clicks. */
static enum sl_status find_worths(struct sl_worth_replay *replay, enum sl_worth_group group,
                                  size_t measure, struct sl_error *err)
{
    const struct sl_worth_result *result = replay->result;
    const struct sl_word_list *methods = &result->job.methods[SL_WORTH_CLICKS];
    for (size_t i = 0; i < result->n_sets; i++)
        for (size_t m = 0; m < methods->count && result->sets[i].side == SL_WORTH_OTHER; m++) {
            const struct sl_worth asked = {
                .set = i, .against = methods->values[m], .measure = measure, .group = group};
            SL_TRY(add_worth(replay, &asked, m * result->job.numbers[SL_WORTH_CLICKS].count, err));
        }
    return SL_OK;
}

enum sl_status sl_worth_estimate(struct sl_worth_replay *replay, struct sl_error *err)
{
    struct sl_worth_result *result = replay->result;
    for (enum sl_worth_group g = 0; g < SL_WORTH_GROUPS; g++) {
        double weight = 0;
        for (size_t i = 0; i < replay->n_items; i++)
            weight += replay->weight[g][i];
        result->n_group[g] = weight / (double)result->job.draws;
        for (size_t m = 0; m < SL_WORTH_MEASURES && weight > 0; m++) {
            SL_TRY(find_means(replay, g, m, err));
            SL_TRY(find_worths(replay, g, m, err));
        }
    }
    return SL_OK;
}
