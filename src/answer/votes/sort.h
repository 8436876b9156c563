/* Private to answer/votes/: votes in the order of a file, sorted by item. */
#ifndef SOFTLAB_ANSWER_VOTES_SORT_H
#define SOFTLAB_ANSWER_VOTES_SORT_H

#include "softlab/answer.h"

/* Sort votes->annotator and votes->label by items[count], keeping the order of votes on one item,
 * and make votes->begin; n_items and count are set. */
enum sl_status sl_votes_sort(struct sl_votes *votes, const uint32_t *items, struct sl_pool *pool,
                             struct sl_error *err) SL_MUST_USE;

#endif
