#include "crowd/soft.h"

#include <stdlib.h>

#include "softlab/base/memory.h"

void sl_soft_vote(const float *row, size_t n_classes, double *out)
{
    float largest = row[0];
    size_t n_tied = 0;
    for (size_t k = 1; k < n_classes; k++)
        largest = row[k] > largest ? row[k] : largest;
    for (size_t k = 0; k < n_classes; k++)
        n_tied += row[k] == largest;
    for (size_t k = 0; k < n_classes; k++)
        out[k] = row[k] == largest ? 1 / (double)n_tied : 0;
}

const float *sl_soft_reference(const float *reference, size_t item, size_t n_classes)
{
    if (!reference) return NULL;
    const float *row = reference + item * n_classes;
    for (size_t k = 0; k < n_classes; k++)
        if (row[k] > 0) return row;
    return NULL;
}

bool sl_soft_teaches(const struct sl_soft_votes *votes, const float *reference, size_t item)
{
    size_t n_answers = votes->begin[item + 1] - votes->begin[item];
    if (reference)
        return n_answers > 0 && sl_soft_reference(reference, item, votes->n_classes) != NULL;
    return n_answers > 1;
}

double sl_soft_sum(const struct sl_soft_votes *votes, const float *reference, double start,
                   const double *terms)
{
    double sum = start;
    for (size_t i = 0; i < votes->n_items; i++) {
        if (!sl_soft_teaches(votes, reference, i)) continue;
        const size_t begin = votes->begin[i], end = reference ? begin + 1 : votes->begin[i + 1];
        for (size_t j = begin; j < end; j++)
            sum += terms[j];
    }
    return sum;
}

double sl_soft_minimum(sl_soft_objective *objective, void *context, double low, double high,
                       double precision)
{
    const double golden = 0.61803398874989484820;
    const double ends[2] = {low, high};
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = objective(left, context), at_right = objective(right, context);
    while (high - low > precision) {
        if (at_left <= at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = objective(left, context);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = objective(right, context);
        }
    }
    double best = at_left <= at_right ? left : right;
    double least = at_left <= at_right ? at_left : at_right;
    for (size_t i = 0; i < 2; i++) {
        double value = objective(ends[i], context);
        if (value > least) continue;
        best = ends[i];
        least = value;
    }
    return best;
}

enum sl_status sl_soft_prepare(const struct sl_soft_votes *votes,
                               const struct sl_crowd_options *options, struct sl_soft_votes *out,
                               float **owned, struct sl_error *err)
{
    struct sl_calibration calibration = {0};
    float *rows = NULL;
    enum sl_status status = SL_OK;
    if (!options->calibrate) {
        *out = *votes;
        *owned = NULL;
        return SL_OK;
    }
    rows = sl_data_alloc(votes->count * votes->n_classes, sizeof *rows, err);
    if (!rows) return SL_ERR_NOMEM;
    SL_TRY_OUT(sl_calibration_fit(votes, options->reference, options->pool, &calibration, err));
    SL_TRY_OUT(sl_calibration_apply(&calibration, votes, options->pool, rows, err));
    *out = *votes;
    out->rows = rows;
    *owned = rows;
    rows = NULL;
out:
    sl_calibration_release(&calibration);
    free(rows);
    return status;
}
