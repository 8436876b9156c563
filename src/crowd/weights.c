/* Annotator weights given by the caller. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/crowd_internal.h"
#include "softlab/base/memory.h"

enum sl_status sl_crowd_weights_check(const struct sl_aggregator *method,
                                      const struct sl_crowd_options *options, size_t n_annotators,
                                      struct sl_error *err)
{
    const double *weights = options->weights;
    double sum = 0;
    if (!weights) return SL_OK;
    if (!(method->needs & SL_CROWD_WEIGHTS))
        return sl_fail(err, SL_ERR_USAGE, "the method takes no annotator weights");
    for (size_t a = 0; a < n_annotators; a++) {
        if (!(weights[a] >= 0) || !isfinite(weights[a]))
            return sl_fail(err, SL_ERR_INPUT,
                           "weight %g of annotator %zu is not a finite number of at least 0",
                           weights[a], a);
        sum += weights[a];
    }
    return sum > 0 ? SL_OK : sl_fail(err, SL_ERR_INPUT, "every annotator has weight 0");
}

void sl_crowd_kept_release(struct sl_crowd_kept *kept)
{
    free(kept->begin);
    free(kept->annotator);
    free(kept->said);
    *kept = (struct sl_crowd_kept){0};
}

/* Answers of either kind of votes; each takes `size` bytes. */
struct answers {
    const size_t *begin;
    const uint32_t *annotator;
    const void *said;
    size_t n_items, count, size;
};

/* The number of answers kept, or SIZE_MAX where all are. */
static enum sl_status keep_weighted(const double *weights, const struct answers *from,
                                    struct sl_crowd_kept *kept, size_t *count, struct sl_error *err)
{
    bool any = false;
    for (size_t i = 0; weights && i < from->count && !any; i++)
        any = weights[from->annotator[i]] == 0;
    *count = SIZE_MAX;
    if (!any) return SL_OK;
    kept->begin = sl_data_alloc(from->n_items + 1, sizeof *kept->begin, err);
    kept->annotator = sl_data_alloc(from->count, sizeof *kept->annotator, err);
    kept->said = sl_data_alloc(from->count, from->size, err);
    if (!kept->begin || !kept->annotator || !kept->said) return SL_ERR_NOMEM;
    *count = 0;
    for (size_t item = 0; item < from->n_items; item++) {
        kept->begin[item] = *count;
        for (size_t i = from->begin[item]; i < from->begin[item + 1]; i++) {
            if (weights[from->annotator[i]] == 0) continue;
            kept->annotator[*count] = from->annotator[i];
            memcpy((char *)kept->said + *count * from->size,
                   (const char *)from->said + i * from->size, from->size);
            ++*count;
        }
    }
    kept->begin[from->n_items] = *count;
    return SL_OK;
}

enum sl_status sl_crowd_keep_votes(const double *weights, struct sl_votes *votes,
                                   struct sl_crowd_kept *kept, struct sl_error *err)
{
    const struct answers from = {votes->begin,   votes->annotator, votes->label,
                                 votes->n_items, votes->count,     sizeof *votes->label};
    size_t count = 0;
    SL_TRY(keep_weighted(weights, &from, kept, &count, err));
    if (count == SIZE_MAX) return SL_OK;
    votes->begin = kept->begin;
    votes->annotator = kept->annotator;
    votes->label = kept->said;
    votes->count = count;
    return SL_OK;
}

enum sl_status sl_crowd_keep_soft(const double *weights, struct sl_soft_votes *votes,
                                  struct sl_crowd_kept *kept, struct sl_error *err)
{
    const struct answers from = {votes->begin, votes->annotator,
                                 votes->rows,  votes->n_items,
                                 votes->count, votes->n_classes * sizeof *votes->rows};
    size_t count = 0;
    SL_TRY(keep_weighted(weights, &from, kept, &count, err));
    if (count == SIZE_MAX) return SL_OK;
    votes->begin = kept->begin;
    votes->annotator = kept->annotator;
    votes->rows = kept->said;
    votes->count = count;
    return SL_OK;
}
