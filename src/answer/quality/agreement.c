#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/quality/internal.h"
#include "softlab/base/memory.h"

enum sl_status sl_agreement_init(struct sl_agreement *agreement, size_t n_classes,
                                 struct sl_error *err)
{
    uint32_t *counts = sl_data_alloc(n_classes, sizeof *counts, err);
    uint64_t *totals = sl_data_alloc(n_classes, sizeof *totals, err);
    if (!counts || !totals) {
        free(counts);
        free(totals);
        return SL_ERR_NOMEM;
    }
    memset(counts, 0, n_classes * sizeof *counts);
    memset(totals, 0, n_classes * sizeof *totals);
    *agreement = (struct sl_agreement){.n_classes = n_classes, .counts = counts, .totals = totals};
    return SL_OK;
}

void sl_agreement_release(struct sl_agreement *agreement)
{
    free(agreement->counts);
    free(agreement->totals);
    *agreement = (struct sl_agreement){0};
}

void sl_agreement_add(struct sl_agreement *agreement, const uint32_t *votes, size_t count)
{
    if (count == 0) return;
    double agreeing = 0; /* ordered pairs of votes for one class */
    for (size_t i = 0; i < count; i++)
        agreeing += 2 * agreement->counts[votes[i]]++;
    for (size_t i = 0; i < count; i++)
        agreement->counts[votes[i]] = 0;
    agreement->n_items++;
    agreement->n_votes += count;
    const double others = (double)count - 1, pairs = (double)count * others;
    agreement->agreement += count == 1 ? 1 : agreeing / pairs;
    if (count == 1) return;
    agreement->disagreeing += (pairs - agreeing) / others;
    for (size_t i = 0; i < count; i++)
        agreement->totals[votes[i]]++;
}

double sl_agreement_observed(const struct sl_agreement *agreement)
{
    if (agreement->n_items == 0) return (double)NAN;
    return agreement->agreement / (double)agreement->n_items;
}

/* Krippendorff (2011), nominal data: 1 - (n - 1) D_o / D_e over the n votes of items with two or
 * more; D_o counts the disagreeing pairs within items, divided by the item's votes - 1, D_e all
 * pairs. */
double sl_agreement_alpha(const struct sl_agreement *agreement)
{
    double n = 0, same = 0;
    for (size_t k = 0; k < agreement->n_classes; k++) {
        n += (double)agreement->totals[k];
        same += (double)agreement->totals[k] * (double)agreement->totals[k];
    }
    const double expected = n * n - same;
    if (expected <= 0) return (double)NAN;
    return 1 - (n - 1) * agreement->disagreeing / expected;
}
