/* Shared by methods in which an answer supports the class it names and treats the others alike:
 * GLAD, MACE and ZenCrowd as models, KOS, CATD and CROWDLAB as weighted votes. */
#ifndef SOFTLAB_CROWD_NAMED_H
#define SOFTLAB_CROWD_NAMED_H

#include "softlab/crowd.h"

/* One item's K log scores become its posterior, in `scores` and in `out`; a gold class (not -1)
 * is pinned. Returns log(sum(exp(score))), or the gold class's score. */
double sl_named_posterior(double *scores, size_t n_classes, int32_t gold, float *out);

/* K weights, not all zero, become shares of their sum; a gold class is pinned. */
void sl_named_shares(double *weights, size_t n_classes, int32_t gold);

/* How many answers each annotator gave: n_annotators counts, the caller's to free. */
enum sl_status sl_named_counts(const struct sl_votes *votes, size_t **out,
                               struct sl_error *err) SL_MUST_USE;

/* Skill is the mean posterior of the classes that an annotator named; without answers, the
 * crowd's. */
enum sl_status sl_named_skill(const struct sl_votes *votes, struct sl_crowd_state *state,
                              struct sl_error *err) SL_MUST_USE;

/* The skill of an annotator in a resumed state, kept away from 0 and 1; `none` for a new one. */
double sl_named_resumed(const struct sl_crowd_options *options, size_t annotator, double none);

/* A copy of the answers by annotator: item and label of answers begin[a] .. begin[a + 1], items
 * ascending. */
struct sl_named_index {
    size_t *begin;   /* owned; n_annotators + 1 */
    uint32_t *item;  /* owned; count */
    uint16_t *label; /* owned; count */
};
enum sl_status sl_named_index_create(const struct sl_votes *votes, struct sl_named_index *out,
                                     struct sl_error *err) SL_MUST_USE;
void sl_named_index_release(struct sl_named_index *index);

#endif
