/* How near a label comes to how other people answered the same item, and whether one method comes
 * nearer than another. */
#ifndef SOFTLAB_BENCH_LABEL_SCORES_H
#define SOFTLAB_BENCH_LABEL_SCORES_H

#include <stddef.h>

#include "softlab/base/stats.h"

/* Cross-entropy of the label (K) to the shares of the reference (K), in nats. The label is mixed
 * with `floor` of the uniform distribution, so that a zero costs much and not everything. */
double label_cross_entropy(const float *reference, const float *label, size_t n_classes,
                           double floor);
/* Squared distance of the label to the distribution from which the reference was drawn: its
 * expectation does not depend on the number of answers in the reference, 2 or more. */
double label_distance(const float *reference, const float *label, size_t n_classes,
                      double n_answers);
/* Jensen-Shannon divergence in nats. It favours labels with zeros where the reference is small. */
double label_divergence(const float *reference, const float *label, size_t n_classes);

/* The mean of own - other over the items, with the 95 % interval of the paired bootstrap. Scores
 * that are NaN are left out. NaN if none is left. */
enum sl_status label_gap(const double *own, const double *other, size_t count,
                         struct sl_interval *out, struct sl_error *err) SL_MUST_USE;
/* What a gap means where smaller is better. */
const char *label_verdict(struct sl_interval gap);

#endif
