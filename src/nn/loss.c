#include "softlab/nn/loss.h"

#include <math.h>

/* The parts of a row's softmax: p_k = exp(z_k - largest) / total. A NaN logit makes `total` NaN,
 * and so every result that uses it. */
struct partition {
    double largest, total;
};

static struct partition partition_of(const float *logits, size_t classes)
{
    struct partition row = {.largest = (double)logits[0]};
    for (size_t k = 1; k < classes; k++)
        if ((double)logits[k] > row.largest) row.largest = (double)logits[k];
    for (size_t k = 0; k < classes; k++)
        row.total += exp((double)logits[k] - row.largest);
    return row;
}

static double probability(struct partition row, float logit)
{
    return exp((double)logit - row.largest) / row.total;
}

void sl_softmax(const float *logits, size_t n, size_t classes, float *probabilities)
{
    for (size_t i = 0; i < n; i++) {
        const struct partition row = partition_of(logits + i * classes, classes);
        for (size_t k = 0; k < classes; k++)
            probabilities[i * classes + k] = (float)probability(row, logits[i * classes + k]);
    }
}

/* -sum_k target log p. A class with target 0 adds nothing even if its probability is 0, but a NaN
 * always reaches the sum. */
static double cross_entropy(struct partition row, const float *logits, const float *targets,
                            size_t classes)
{
    const double log_total = row.largest + log(row.total);
    double loss = 0;
    for (size_t k = 0; k < classes; k++) {
        const double surprise = log_total - (double)logits[k];
        if (targets[k] != 0 || isnan(surprise)) loss += (double)targets[k] * surprise;
    }
    return loss;
}

static void row_gradient(struct partition row, const float *logits, const float *targets,
                         size_t classes, double factor, float *gradient)
{
    double mass = 0;
    for (size_t k = 0; k < classes; k++)
        mass += (double)targets[k];
    for (size_t k = 0; k < classes; k++) {
        const double slope = mass * probability(row, logits[k]) - (double)targets[k];
        gradient[k] = factor == 0 ? 0 : (float)(factor * slope);
    }
}

double sl_soft_cross_entropy(const float *logits, const struct sl_soft_targets *targets,
                             float scale, float *losses, float *gradient)
{
    const size_t classes = targets->classes;
    double sum = 0;
    for (size_t i = 0; i < targets->n; i++) {
        const float *logit = logits + i * classes, *target = targets->rows + i * classes;
        const double weight = targets->weights ? (double)targets->weights[i] : 1;
        const struct partition row = partition_of(logit, classes);
        const double loss = cross_entropy(row, logit, target, classes);
        if (weight != 0 || isnan(loss)) sum += weight * loss;
        if (losses) losses[i] = (float)loss;
        if (gradient)
            row_gradient(row, logit, target, classes, (double)scale * weight,
                         gradient + i * classes);
    }
    return sum;
}

double sl_softmax_entropy(const float *logits, size_t classes, double factor, float *gradient)
{
    const struct partition row = partition_of(logits, classes);
    const double log_total = log(row.total);
    double entropy = 0;
    for (size_t k = 0; k < classes; k++) {
        const double p = probability(row, logits[k]);
        if (p != 0) entropy -= p * ((double)logits[k] - row.largest - log_total);
    }
    if (!gradient || factor == 0) return entropy;
    for (size_t k = 0; k < classes; k++) {
        const double p = probability(row, logits[k]);
        if (p == 0) continue;
        const double log_p = (double)logits[k] - row.largest - log_total;
        gradient[k] -= (float)(factor * p * (log_p + entropy));
    }
    return entropy;
}
