/* Opinion pools: one item's distributions to one, linear or logarithmic. */
#ifndef SOFTLAB_CROWD_POOL_H
#define SOFTLAB_CROWD_POOL_H

#include "crowd/crowd_internal.h"
#include "crowd/soft.h"

enum sl_pool_form { SL_POOL_LINEAR, SL_POOL_LOG };

struct sl_pool {
    enum sl_pool_form form;
    const struct sl_soft_votes *votes; /* borrowed */
    const float *reference;            /* borrowed or NULL */
    bool predicts_votes; /* learn the shape from votes, as calibration does, not from what is
                            stated */
    double *weight;      /* owned; n_annotators, mean near 1, all above 0 */
    double *value;       /* owned; (count, K): what is summed, a probability or its logarithm */
    double sharpening;   /* a pool of n answers is raised to n^sharpening; 0 for linear */
    double background;   /* annotators' worth of the uniform distribution mixed in */
    /* The item at hand: */
    double *sum;     /* owned; K: weighted sum of probabilities or of their logarithms */
    double *holders; /* owned; K: answers with any mass on the class */
    double *row;     /* owned; K: a result */
    double *actual;  /* owned; K: what it should have been */
    double total;    /* sum of weights */
    double n_answers;
};

enum sl_status sl_pool_init(struct sl_pool *pool, enum sl_pool_form form,
                            const struct sl_soft_votes *votes,
                            const struct sl_crowd_options *options,
                            struct sl_error *err) SL_MUST_USE;
void sl_pool_release(struct sl_pool *pool);

/* A probability as the logarithmic pool sees it: no answer may veto a class alone. */
double sl_pool_log(float probability);

/* Gather an item's answers; then pool all of them (without sharpening and background), or all
 * but the answer `left_out` (SIZE_MAX: none) into the shape that is learned. Both fill
 * pool->row. */
void sl_pool_gather(struct sl_pool *pool, size_t item);
void sl_pool_plain(struct sl_pool *pool);
void sl_pool_shaped(struct sl_pool *pool, size_t left_out);

/* Learn pool->weight from how far each annotator is from the pool. Returns the rounds taken, and
 * whether the last one changed anything. */
size_t sl_pool_learn_weights(struct sl_pool *pool, const struct sl_crowd_options *options,
                             bool *converged);

#endif
