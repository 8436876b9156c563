#include "crowd/named.h"

#include <stdlib.h>
#include <string.h>

#include "crowd/em.h"
#include "softlab/base/memory.h"

/* A resumed skill of exactly 0 or 1 could never change again. */
static const double skill_margin = 1e-3;

static void pin(double *row, size_t n_classes, int32_t gold)
{
    for (size_t k = 0; k < n_classes; k++)
        row[k] = 0;
    row[gold] = 1;
}

double sl_named_posterior(double *scores, size_t n_classes, int32_t gold, float *out)
{
    double log_sum;
    if (gold >= 0) {
        log_sum = scores[gold];
        pin(scores, n_classes, gold);
    } else {
        log_sum = sl_em_normalise(scores, 1, n_classes);
    }
    for (size_t k = 0; k < n_classes; k++)
        out[k] = (float)scores[k];
    return log_sum;
}

void sl_named_shares(double *weights, size_t n_classes, int32_t gold)
{
    double sum = 0;
    for (size_t k = 0; k < n_classes; k++)
        sum += weights[k];
    for (size_t k = 0; k < n_classes; k++)
        weights[k] /= sum;
    if (gold >= 0) pin(weights, n_classes, gold);
}

enum sl_status sl_named_counts(const struct sl_votes *votes, size_t **out, struct sl_error *err)
{
    size_t *counts = sl_data_alloc(votes->n_annotators, sizeof *counts, err);
    if (!counts) return SL_ERR_NOMEM;
    memset(counts, 0, votes->n_annotators * sizeof *counts);
    for (size_t j = 0; j < votes->count; j++)
        counts[votes->annotator[j]]++;
    *out = counts;
    return SL_OK;
}

enum sl_status sl_named_skill(const struct sl_votes *votes, struct sl_crowd_state *state,
                              struct sl_error *err)
{
    size_t *counts;
    double total = 0;
    SL_TRY(sl_named_counts(votes, &counts, err));
    for (size_t a = 0; a < votes->n_annotators; a++)
        state->skill[a] = 0;
    for (size_t i = 0; i < votes->n_items; i++) {
        const float *row = state->posterior + i * votes->n_classes;
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1]; j++)
            state->skill[votes->annotator[j]] += (double)row[votes->label[j]];
    }
    for (size_t a = 0; a < votes->n_annotators; a++)
        total += state->skill[a];
    for (size_t a = 0; a < votes->n_annotators; a++)
        state->skill[a] = counts[a] ? state->skill[a] / (double)counts[a]
                                    : total / (double)(votes->count ? votes->count : 1);
    free(counts);
    return SL_OK;
}

double sl_named_resumed(const struct sl_crowd_options *options, size_t annotator, double none)
{
    const struct sl_crowd_state *resume = options->resume;
    if (!resume || !resume->skill || annotator >= resume->n_annotators) return none;
    double skill = resume->skill[annotator];
    if (!(skill > skill_margin)) return skill_margin;
    return skill < 1 - skill_margin ? skill : 1 - skill_margin;
}

enum sl_status sl_named_index_create(const struct sl_votes *votes, struct sl_named_index *out,
                                     struct sl_error *err)
{
    struct sl_named_index index = {
        .begin = sl_data_alloc(votes->n_annotators + 1, sizeof *index.begin, err),
        .item = sl_data_alloc(votes->count, sizeof *index.item, err),
        .label = sl_data_alloc(votes->count, sizeof *index.label, err),
    };
    if (!index.begin || !index.item || !index.label) {
        sl_named_index_release(&index);
        return SL_ERR_NOMEM;
    }
    memset(index.begin, 0, (votes->n_annotators + 1) * sizeof *index.begin);
    for (size_t j = 0; j < votes->count; j++)
        index.begin[votes->annotator[j] + 1]++;
    for (size_t a = 0; a < votes->n_annotators; a++)
        index.begin[a + 1] += index.begin[a];
    /* Filling moves every begin to its end, which is the begin of the next: shift back
     * afterwards. */
    for (size_t i = 0; i < votes->n_items; i++)
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1]; j++) {
            size_t slot = index.begin[votes->annotator[j]]++;
            index.item[slot] = (uint32_t)i;
            index.label[slot] = votes->label[j];
        }
    memmove(index.begin + 1, index.begin, votes->n_annotators * sizeof *index.begin);
    index.begin[0] = 0;
    *out = index;
    return SL_OK;
}

void sl_named_index_release(struct sl_named_index *index)
{
    free(index->begin);
    free(index->item);
    free(index->label);
    *index = (struct sl_named_index){0};
}
