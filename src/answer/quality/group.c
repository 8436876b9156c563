#include <math.h>
#include <stdlib.h>

#include "answer/quality/internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"

size_t sl_answer_count_possible(const struct sl_answer *answer, size_t n_classes)
{
    size_t possible = 0;
    for (uint32_t k = 0; k < n_classes; k++) {
        bool is_possible = true;
        for (size_t i = 0; i < answer->n_impossible && is_possible; i++)
            is_possible = answer->impossible[i] != k;
        possible += is_possible;
    }
    return possible;
}

enum sl_status sl_answer_group_measure(const struct sl_answers *answers, const bool *in,
                                       struct sl_answer_group *out, struct sl_error *err)
{
    const size_t n_items = sl_name_table_count(answers->items);
    bool *answered = sl_data_zeroed(n_items, sizeof *answered, err);
    if (!answered) return SL_ERR_NOMEM;
    struct sl_answer_group group = {
        .possible_counts = sl_alloc(answers->n_classes + 1, sizeof *group.possible_counts)};
    double probabilities = 0, possibilities = 0;
    size_t n_stated = 0;
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        if (!in[answers->item[i]] || answer.kind != SL_ANSWER_SOFT || answer.n_top == 0 ||
            (answer.flags & SL_ANSWER_CHECK))
            continue;
        const double probability = (double)answer.top[0].probability;
        const size_t possible = sl_answer_count_possible(&answer, answers->n_classes);
        answered[answers->item[i]] = true;
        group.n_answers++;
        group.possible_counts[possible]++;
        possibilities += (double)possible;
        if (isnan(probability)) continue;
        n_stated++;
        probabilities += probability;
        group.probability_counts[sl_bin_of(probability, SL_ANSWER_BINS)]++;
    }
    for (size_t i = 0; i < n_items; i++)
        group.n_items += answered[i];
    group.mean_probability = n_stated ? probabilities / (double)n_stated : (double)NAN;
    group.mean_possible = group.n_answers ? possibilities / (double)group.n_answers : (double)NAN;
    free(answered);
    *out = group;
    return SL_OK;
}

void sl_answer_group_release(struct sl_answer_group *group)
{
    free(group->possible_counts);
    *group = (struct sl_answer_group){0};
}
