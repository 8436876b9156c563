#include "label_scores.h"

#include <math.h>
#include <stdlib.h>

#include "softlab/base/memory.h"

enum { N_RESAMPLES = 2000 };

double label_cross_entropy(const float *reference, const float *label, size_t n_classes,
                           double floor)
{
    double sum = 0;
    for (size_t k = 0; k < n_classes; k++)
        if (reference[k] > 0)
            sum -= (double)reference[k] *
                   log((1 - floor) * (double)label[k] + floor / (double)n_classes);
    return sum;
}

double label_distance(const float *reference, const float *label, size_t n_classes,
                      double n_answers)
{
    double sum = 0, noise = 0;
    for (size_t k = 0; k < n_classes; k++) {
        const double share = (double)reference[k], gap = (double)label[k] - share;
        sum += gap * gap;
        noise += share * (1 - share);
    }
    return sum - noise / (n_answers - 1);
}

double label_divergence(const float *reference, const float *label, size_t n_classes)
{
    double sum = 0;
    for (size_t k = 0; k < n_classes; k++) {
        const double p = (double)reference[k], q = (double)label[k], middle = (p + q) / 2;
        if (p > 0) sum += p * log(p / middle) / 2;
        if (q > 0) sum += q * log(q / middle) / 2;
    }
    return sum;
}

static double mean_of(const size_t *indices, size_t count, void *context)
{
    const double *values = context;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[indices[i]];
    return sum / (double)count;
}

enum sl_status label_gap(const double *own, const double *other, size_t count,
                         struct sl_interval *out, struct sl_error *err)
{
    struct sl_bootstrap_options options = sl_bootstrap_options_default();
    double *gaps = sl_alloc(count + 1, sizeof *gaps);
    size_t kept = 0;
    options.n_resamples = N_RESAMPLES;
    for (size_t i = 0; i < count; i++)
        if (!isnan(own[i]) && !isnan(other[i])) gaps[kept++] = own[i] - other[i];
    *out = (struct sl_interval){(double)NAN, (double)NAN, (double)NAN};
    const enum sl_status status =
        kept > 0 ? sl_bootstrap(mean_of, gaps, kept, &options, out, err) : SL_OK;
    free(gaps);
    return status;
}

const char *label_verdict(struct sl_interval gap)
{
    return gap.high < 0 ? "wins" : gap.low > 0 ? "LOSES" : "-";
}
