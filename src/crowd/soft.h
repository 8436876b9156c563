/* Shared by the methods that read distributions. Threads compute the terms of a sum, one per item
 * or answer; the terms are added in the order of the answers. */
#ifndef SOFTLAB_CROWD_SOFT_H
#define SOFTLAB_CROWD_SOFT_H

#include "softlab/crowd.h"

/* The vote behind a distribution: 1 at the largest probability, shared by ties. */
void sl_soft_vote(const float *row, size_t n_classes, double *out);

/* The item's known distribution, or NULL. */
const float *sl_soft_reference(const float *reference, size_t item, size_t n_classes);

/* Whether this item is used for learning: with a reference, if it has a row there; otherwise if at
 * least two people answered. */
bool sl_soft_teaches(const struct sl_soft_votes *votes, const float *reference, size_t item);

/* `start` and the terms of the answers to items that teach, in their order; with a reference, an
 * item's only term is at its first answer. */
double sl_soft_sum(const struct sl_soft_votes *votes, const float *reference, double start,
                   const double *terms);

/* The minimum of a function of one variable in [low, high], to within `precision`: golden section,
 * then both ends. */
typedef double sl_soft_objective(double x, void *context);
double sl_soft_minimum(sl_soft_objective *objective, void *context, double low, double high,
                       double precision);

/* The votes for a method, calibrated if the options ask for it. The caller frees `*owned`. */
enum sl_status sl_soft_prepare(const struct sl_soft_votes *votes,
                               const struct sl_crowd_options *options, struct sl_soft_votes *out,
                               float **owned, struct sl_error *err) SL_MUST_USE;

#endif
