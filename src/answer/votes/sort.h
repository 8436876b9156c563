/* Private to answer/votes/: votes in any order, sorted by item. */
#ifndef SOFTLAB_ANSWER_VOTES_SORT_H
#define SOFTLAB_ANSWER_VOTES_SORT_H

#include "softlab/answer.h"

struct sl_unsorted_votes {
    const uint32_t *item, *annotator; /* borrowed; as many as votes->count */
    const uint16_t *label;            /* borrowed; the same */
};

/* Make votes->begin, votes->annotator and votes->label, where the votes on one item keep their
 * order; n_items and count are set. What the three point to before is not freed. */
enum sl_status sl_votes_sort(struct sl_votes *votes, const struct sl_unsorted_votes *unsorted,
                             struct sl_pool *pool, struct sl_error *err) SL_MUST_USE;
/* The same for votes->annotator and votes->label themselves, which are replaced; `item` is the item
 * of each. */
enum sl_status sl_votes_sort_own(struct sl_votes *votes, const uint32_t *item, struct sl_pool *pool,
                                 struct sl_error *err) SL_MUST_USE;

#endif
