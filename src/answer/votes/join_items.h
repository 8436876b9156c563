/* Private to answer/votes/: which items of several sets are one, by their names. */
#ifndef SOFTLAB_ANSWER_VOTES_JOIN_ITEMS_H
#define SOFTLAB_ANSWER_VOTES_JOIN_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/answer.h"

/* The items of all sets in a row have places, from 0: set 0, then set 1 ... Items with different
 * names have numbers in the order of their first places. */
struct sl_join_items {
    size_t n_sets, n_places;
    size_t n_items;    /* numbers are below */
    size_t *first;     /* owned; n_sets + 1; the place of each set's first item */
    size_t *first_new; /* owned; n_sets + 1; the number of the next item that is new */
    uint64_t *came;    /* owned; a bit per place: an earlier place has the same name */
    uint32_t *number;  /* owned; by place; only of those that came before. May be a file's */
    size_t mapped;     /* bytes of that file; 0: in memory */
};

/* About `memory` bytes are taken, and beyond them a bit per place. If the numbers take more, they
 * are in a file without a name beside `path`. */
enum sl_status sl_join_items_find(struct sl_votes *const *votes, size_t count, size_t memory,
                                  const char *path, struct sl_join_items *out,
                                  struct sl_error *err) SL_MUST_USE;
void sl_join_items_release(struct sl_join_items *items);

static inline bool sl_join_came(const struct sl_join_items *items, size_t place)
{
    return items->came[place / 64] >> place % 64 & 1;
}

/* Whether all items of a set are new, so that their numbers follow each other. */
static inline bool sl_join_is_new(const struct sl_join_items *items, size_t set)
{
    return items->first_new[set + 1] - items->first_new[set] ==
           items->first[set + 1] - items->first[set];
}

#endif
