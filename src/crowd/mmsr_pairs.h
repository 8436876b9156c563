/* Private to mmsr: which annotators answered the same items, and how often they agree. */
#ifndef SOFTLAB_CROWD_MMSR_PAIRS_H
#define SOFTLAB_CROWD_MMSR_PAIRS_H

#include "softlab/crowd.h"

/* The others of annotator a are other[begin[a] .. begin[a + 1]]. */
struct sl_mmsr_pairs {
    size_t *begin;     /* owned; n_annotators + 1 */
    uint32_t *other;   /* owned */
    double *agreement; /* owned; (K share of equal answers - 1) / (K - 1): 1 if all are equal, 0 if
                          as many as by chance */
    size_t fewest, most; /* others of an annotator who has any */
};

enum sl_status sl_mmsr_pairs_create(const struct sl_votes *votes, struct sl_pool *pool,
                                    struct sl_mmsr_pairs *out, struct sl_error *err) SL_MUST_USE;
void sl_mmsr_pairs_release(struct sl_mmsr_pairs *pairs);

#endif
