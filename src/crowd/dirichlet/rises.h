/* Rises: what a count of answers adds to the log-likelihood of every component, and the slope of
 * that, in a table that is made once per round. */
#ifndef SOFTLAB_CROWD_RISES_H
#define SOFTLAB_CROWD_RISES_H

#include "crowd/dirichlet/tallies.h"
#include "softlab/crowd/dirichlet.h"

struct sl_rises {
    const struct sl_dirichlet *model; /* borrowed */
    size_t step;                      /* units between counts of the table: all, or whole answers */
    size_t most;                      /* whole counts below this are in the table; 0: none */
    uint64_t *used; /* owned; K + 1: bit f is set if a count has the fraction f / units */
    double *table;  /* owned; (K + 1, most x units / step, 2, n_components); the last is about sums
                      of counts */
};

enum sl_status sl_rises_init(struct sl_rises *rises, const struct sl_dirichlet *model,
                             const struct sl_crowd_tallies *tallies,
                             struct sl_error *err) SL_MUST_USE;
void sl_rises_release(struct sl_rises *rises);
/* Make the table anew after the model has changed. */
void sl_rises_update(struct sl_rises *rises, struct sl_pool *pool);
/* For class c (K: the sum) and a count in units: n_components values of
 * log(alpha (alpha + 1) ... (alpha + n - 1)), then n_components of their derivatives by alpha.
 * Borrowed from the table, or written into `scratch`, 2 x n_components. */
const double *sl_rises_get(const struct sl_rises *rises, size_t c, uint64_t units, double *scratch);

#endif
