/* Counting votes: shared by majority vote, its weighted forms and zbs. */
#ifndef SOFTLAB_CROWD_VOTE_H
#define SOFTLAB_CROWD_VOTE_H

#include "softlab/crowd.h"

/* The votes for each class of an item, weighted by annotator unless `weight` is NULL; returns their
 * sum. */
double sl_vote_tally(const struct sl_votes *votes, size_t item, const double *weight,
                     double *counts);

/* The same, but unweighted where everybody on the item has weight 0. */
double sl_vote_tally_any(const struct sl_votes *votes, size_t item, const double *weight,
                         double *counts);

/* The row of an item whose classes have these counts: all to the largest, ties by options->tie. */
void sl_vote_majority(const double *counts, size_t n_classes, size_t item,
                      const struct sl_crowd_options *options, float *row);

/* Each class's share of the weight of an item's votes, for the items that have votes. */
enum sl_status sl_vote_shares(const struct sl_votes *votes, const double *weight, float *posterior,
                              struct sl_error *err) SL_MUST_USE;

#endif
