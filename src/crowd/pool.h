/* Opinion pools: combine an item's distributions into one, linear or logarithmic. */
#ifndef SOFTLAB_CROWD_POOL_H
#define SOFTLAB_CROWD_POOL_H

#include "crowd/crowd_internal.h"
#include "crowd/soft.h"

enum sl_pool_form { SL_POOL_LINEAR, SL_POOL_LOG };

struct sl_pool {
    enum sl_pool_form form;
    const struct sl_soft_votes *votes; /* borrowed */
    const float *reference;            /* borrowed or NULL */
    bool predicts_votes; /* learn the shape from votes, as calibration does, not from stated
                            distributions */
    double *weight;      /* owned; n_annotators, mean near 1, all above 0 */
    double *value;       /* owned; (count, K): what is summed, a probability or its logarithm */
    double sharpening;   /* a pool of n answers is raised to n^sharpening; 0 for linear */
    double background;   /* weight of the uniform distribution, in annotators */
    /* The item at hand: */
    double *sum;     /* owned; K: weighted sum of probabilities or of their logarithms */
    double *holders; /* owned; K: answers with any mass on the class */
    double *row;     /* owned; K: a result */
    double *actual;  /* owned; K: the actual distribution */
    double total;    /* sum of weights */
    double n_answers;
};

enum sl_status sl_pool_init(struct sl_pool *pool, enum sl_pool_form form,
                            const struct sl_soft_votes *votes,
                            const struct sl_crowd_options *options,
                            struct sl_error *err) SL_MUST_USE;
void sl_pool_release(struct sl_pool *pool);

/* The logarithm of a probability, bounded so that no single answer can veto a class. */
double sl_pool_log(float probability);

/* Gather an item's answers; then pool all of them (without sharpening and background), or all
 * except the answer `left_out` (SIZE_MAX: none) with the learned shape. Both fill pool->row. */
void sl_pool_gather(struct sl_pool *pool, size_t item);
void sl_pool_plain(struct sl_pool *pool);
void sl_pool_shaped(struct sl_pool *pool, size_t left_out);

/* Learn pool->weight from each annotator's distance to the pool. Returns the number of rounds, and
 * whether the last one changed anything. */
size_t sl_pool_learn_weights(struct sl_pool *pool, const struct sl_crowd_options *options,
                             bool *converged);

#endif
