/* Subset: a crowd without some of its answers, for everything that leaves answers out and looks
 * what changes. */
#ifndef SOFTLAB_CROWD_SUBSET_H
#define SOFTLAB_CROWD_SUBSET_H

#include "softlab/crowd.h"

SL_BEGIN_DECLS

/* The answers of a crowd: classes, or distributions. One of the two is NULL. */
struct sl_crowd_answers {
    const struct sl_votes *votes;     /* borrowed */
    const struct sl_soft_votes *soft; /* borrowed */
};
/* The parts that both have. */
struct sl_crowd_shape {
    size_t n_items, n_annotators, n_classes, count;
    const size_t *begin;       /* n_items + 1 */
    const uint32_t *annotator; /* count; SL_NO_NAME where unknown */
};
struct sl_crowd_shape sl_crowd_shape_of(const struct sl_crowd_answers *crowd);
/* What answer `answer` says of class `k`: 0 or 1, or the stated probability. */
double sl_crowd_said(const struct sl_crowd_answers *crowd, size_t answer, size_t k);

/* Copies of the answers that are kept; all items, annotators and classes stay. */
struct sl_crowd_subset {
    struct sl_crowd_answers crowd; /* borrows what follows */
    struct sl_votes votes;
    struct sl_soft_votes soft;
    size_t *begin;       /* owned */
    uint32_t *annotator; /* owned */
    uint16_t *label;     /* owned, or NULL */
    float *rows;         /* owned, or NULL */
};
/* Keep answer i if keep[i]. Do not move the subset: `crowd` points into it. */
enum sl_status sl_crowd_subset_init(struct sl_crowd_subset *subset,
                                    const struct sl_crowd_answers *crowd, const bool *keep,
                                    struct sl_error *err) SL_MUST_USE;
void sl_crowd_subset_release(struct sl_crowd_subset *subset);

/* sl_aggregate or sl_aggregate_soft, whichever reads these answers. Without a method (NULL) a label
 * is the mean of the item's answers, which for votes is their shares; zeros without answers. */
enum sl_status sl_crowd_aggregate(const struct sl_aggregator *method,
                                  const struct sl_crowd_answers *crowd,
                                  const struct sl_crowd_options *options,
                                  struct sl_crowd_state *out, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
