/* The bootstrap of Krippendorff's alpha. What alpha needs of an item are sums, so resamples add up
 * sums of groups of items and never look at the answers again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/quality/internal.h"
#include "softlab/answer/measures.h"
#include "softlab/base/memory.h"

enum {
    MOST_GROUPS = 2000,
    FEWEST_GROUPS = 50,
    MOST_SUMS = 200000, /* groups x classes, which every resample adds up */
};

struct grouped {
    size_t n_groups, n_classes;
    double *disagreeing;     /* owned; n_groups */
    uint64_t *totals;        /* owned; (n_groups, K) */
    struct sl_agreement sum; /* owned; of a resample */
};

static size_t count_groups(size_t n_items, size_t n_classes)
{
    size_t most = MOST_SUMS / n_classes;
    if (most > MOST_GROUPS) most = MOST_GROUPS;
    if (most < FEWEST_GROUPS) most = FEWEST_GROUPS;
    return n_items < most ? n_items : most;
}

static double alpha_of(const size_t *indices, size_t count, void *context)
{
    struct grouped *grouped = context;
    struct sl_agreement *sum = &grouped->sum;
    memset(sum->totals, 0, grouped->n_classes * sizeof *sum->totals);
    sum->disagreeing = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t *totals = grouped->totals + indices[i] * grouped->n_classes;
        sum->disagreeing += grouped->disagreeing[indices[i]];
        for (size_t k = 0; k < grouped->n_classes; k++)
            sum->totals[k] += totals[k];
    }
    return sl_agreement_alpha(sum);
}

/* The answers of an item that count, into `said`. */
static size_t collect(const struct sl_votes *votes, size_t item, const bool *without,
                      uint32_t *said)
{
    size_t count = 0;
    for (size_t v = votes->begin[item]; v < votes->begin[item + 1]; v++) {
        const uint32_t who = votes->annotator[v];
        if (without && who != SL_NO_NAME && without[who]) continue;
        said[count++] = votes->label[v];
    }
    return count;
}

static void add_items(struct grouped *grouped, const struct sl_votes *votes, const bool *without,
                      uint32_t *said)
{
    struct sl_agreement *one = &grouped->sum;
    size_t at = 0;
    for (size_t i = 0; i < votes->n_items; i++) {
        const size_t count = collect(votes, i, without, said);
        if (count < 2) continue;
        const size_t group = at++ % grouped->n_groups;
        one->disagreeing = 0;
        sl_agreement_add(one, said, count);
        grouped->disagreeing[group] += one->disagreeing;
        for (size_t v = 0; v < count; v++)
            grouped->totals[group * grouped->n_classes + said[v]]++;
    }
}

static size_t count_compared(const struct sl_votes *votes, const bool *without, uint32_t *said)
{
    size_t count = 0;
    for (size_t i = 0; i < votes->n_items; i++)
        count += collect(votes, i, without, said) > 1;
    return count;
}

enum sl_status sl_votes_alpha_interval(const struct sl_votes *votes, const bool *without,
                                       const struct sl_bootstrap_options *bootstrap,
                                       struct sl_interval *out, struct sl_error *err)
{
    const double unknown = (double)NAN;
    double alpha = unknown; /* checks every answer */
    SL_TRY(sl_votes_alpha(votes, &alpha, err));
    struct grouped grouped = {.n_classes = votes->n_classes};
    uint32_t *said = sl_data_alloc(votes->count, sizeof *said, err);
    enum sl_status status = SL_OK;
    if (!said) SL_TRY_OUT(SL_ERR_NOMEM);
    const size_t n_compared = count_compared(votes, without, said);
    *out = (struct sl_interval){unknown, unknown, unknown};
    if (n_compared == 0) goto out;
    grouped.n_groups = count_groups(n_compared, votes->n_classes);
    grouped.disagreeing = sl_data_zeroed(grouped.n_groups, sizeof *grouped.disagreeing, err);
    grouped.totals =
        sl_data_zeroed(grouped.n_groups, grouped.n_classes * sizeof *grouped.totals, err);
    if (!grouped.disagreeing || !grouped.totals) SL_TRY_OUT(SL_ERR_NOMEM);
    SL_TRY_OUT(sl_agreement_init(&grouped.sum, votes->n_classes, err));
    add_items(&grouped, votes, without, said);
    SL_TRY_OUT(sl_bootstrap(alpha_of, &grouped, grouped.n_groups, bootstrap, out, err));
out:
    sl_agreement_release(&grouped.sum);
    free(grouped.disagreeing);
    free(grouped.totals);
    free(said);
    return status;
}
