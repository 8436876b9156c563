/* Held-out: which way of making labels predicts best the answers that it has not seen.
 *
 * The answers of every item that has two or more are dealt to folds. A method makes labels from all
 * folds but one, and its label of an item predicts the item's left-out answers. A label says how a
 * crowd would answer, so its score is the log-likelihood of an answer,
 *
 *     log((1 - s) label[answer] + s share[answer]),
 *
 * with the shares of the classes among all answers and the smoothing s that is best for the method
 * on the other half of the items; of a stated distribution the mean over its classes. Equations and
 * limits: docs/internals/advice.md. */
#ifndef SOFTLAB_CROWD_HELD_OUT_H
#define SOFTLAB_CROWD_HELD_OUT_H

#include "softlab/base/stats.h"
#include "softlab/crowd/subset.h"

SL_BEGIN_DECLS

struct sl_held_out_options {
    size_t n_folds;       /* 5, at least 2 */
    size_t most_answers;  /* 100,000: no further fold is left out after this many answers */
    uint64_t seed;        /* of the folds */
    struct sl_pool *pool; /* borrowed; NULL: the calling thread alone */
};
struct sl_held_out_options sl_held_out_options_default(void);

/* How well one method predicts. */
struct sl_held_out_score {
    double *sum;         /* owned; n_items: of the item's left-out answers; 0 without */
    double mean;         /* per left-out answer; NaN without */
    double smoothing[2]; /* s of the two halves of the items */
    double hits;         /* share of the left-out answers that name the label's first class */
};
struct sl_held_out {
    size_t n_items, n_methods;
    size_t *left_out;                  /* owned; n_items: left-out answers */
    size_t n_left_out, n_scored;       /* left-out answers in all; items with some */
    struct sl_held_out_score *methods; /* owned; n_methods */
};
/* A method is an aggregator that reads such answers, or NULL: the mean of an item's answers. */
enum sl_status sl_held_out_measure(const struct sl_crowd_answers *crowd,
                                   const struct sl_aggregator *const *methods, size_t n_methods,
                                   const struct sl_held_out_options *options,
                                   struct sl_held_out *out, struct sl_error *err) SL_MUST_USE;
void sl_held_out_release(struct sl_held_out *held_out);

/* By how much method a's score per answer is higher than b's, with its bootstrap interval over
 * items; above 2,000 items, over 2,000 groups of them. Fewer than two scored items: the ends are
 * NaN. */
enum sl_status sl_held_out_difference(const struct sl_held_out *held_out, size_t a, size_t b,
                                      const struct sl_bootstrap_options *bootstrap,
                                      struct sl_interval *out, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
