#include "softlab/label/worth.h"

#include <math.h>

/* ---- Scores ---- */

/* Linear in the reference, so noise of the reference does not change its expectation. */
static double cross_entropy(const float *label, const struct sl_worth_reference *reference,
                            size_t n_classes, double floor)
{
    double sum = 0;
    for (size_t k = 0; k < n_classes; k++) {
        const double p = (1 - floor) * (double)label[k] + floor / (double)n_classes;
        if (reference->mean[k] > 0) sum -= reference->mean[k] * log(p);
    }
    return sum;
}

static double squared(const float *label, const struct sl_worth_reference *reference,
                      size_t n_classes, double floor)
{
    (void)floor;
    double sum = -reference->noise;
    for (size_t k = 0; k < n_classes; k++) {
        const double difference = (double)label[k] - reference->mean[k];
        sum += difference * difference;
    }
    return sum;
}

const struct sl_worth_measure sl_worth_measures[SL_WORTH_MEASURES] = {
    {"cross_entropy", "cross-entropy", cross_entropy},
    {"l2", "squared distance", squared},
};

double sl_worth_reference_fill(const float *rows, size_t count, size_t n_classes, double *mean)
{
    const double n = (double)count;
    double spread = 0;
    for (size_t k = 0; k < n_classes; k++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++)
            sum += (double)rows[i * n_classes + k];
        mean[k] = sum / n;
        for (size_t i = 0; i < count; i++) {
            const double off = (double)rows[i * n_classes + k] - mean[k];
            spread += off * off;
        }
    }
    return spread / (n * (n - 1));
}

/* ---- Equal quality ---- */

double sl_worth_at(const struct sl_worth_curve *curve, double score, int *beyond)
{
    const double *numbers = curve->numbers, *scores = curve->scores;
    *beyond = 0;
    if (isnan(score)) return (double)NAN;
    for (size_t i = 0; i < curve->count; i++) {
        if (isnan(scores[i])) return (double)NAN;
        if (scores[i] > score) continue;
        if (i == 0) {
            *beyond = scores[0] < score ? -1 : 0;
            return numbers[0];
        }
        const double share = (scores[i - 1] - score) / (scores[i - 1] - scores[i]);
        return numbers[i - 1] * pow(numbers[i] / numbers[i - 1], share);
    }
    *beyond = 1;
    return numbers[curve->count - 1];
}
