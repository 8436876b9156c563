/* Opinion pools: combine an item's distributions into one, linear or logarithmic. */
#ifndef SOFTLAB_CROWD_OPINIONS_H
#define SOFTLAB_CROWD_OPINIONS_H

#include "crowd/crowd_internal.h"
#include "crowd/soft.h"

enum sl_opinions_form { SL_OPINIONS_LINEAR, SL_OPINIONS_LOG };

struct sl_opinions {
    enum sl_opinions_form form;
    const struct sl_soft_votes *votes; /* borrowed */
    const float *reference;            /* borrowed or NULL */
    bool predicts_votes;  /* learn the shape from votes, as calibration does, not from stated
                             distributions */
    double *weight;       /* owned; n_annotators, mean near 1, all above 0 */
    double *value;        /* owned; (count, K): what is summed, a probability or its logarithm */
    double sharpening;    /* a pool of n answers is raised to n^sharpening; 0 for linear */
    double background;    /* weight of the uniform distribution, in annotators */
    struct sl_pool *pool; /* borrowed; NULL: the calling thread alone */
    double *scratch;      /* owned; 4 K per worker, apart */
    double *term;         /* owned; count: what each answer adds to a sum */
    float *posterior;     /* borrowed; (n_items, K) */
};

/* A worker's item at hand. */
struct sl_opinions_item {
    double *sum;     /* K: weighted sum of probabilities or of their logarithms */
    double *holders; /* K: answers with any mass on the class */
    double *row;     /* K: a result */
    double *actual;  /* K: the actual distribution */
    double total;    /* sum of weights */
    double n_answers;
};

enum sl_status sl_opinions_init(struct sl_opinions *opinions, enum sl_opinions_form form,
                                const struct sl_soft_votes *votes,
                                const struct sl_crowd_options *options,
                                struct sl_error *err) SL_MUST_USE;
void sl_opinions_release(struct sl_opinions *opinions);

/* The logarithm of a probability, bounded so that no single answer can veto a class. */
double sl_opinions_log(float probability);

/* Gather an item's answers; then pool all of them (without sharpening and background), or all
 * except the answer `left_out` (SIZE_MAX: none) with the learned shape. Both fill at->row. */
struct sl_opinions_item sl_opinions_item_of(const struct sl_opinions *opinions, size_t worker);
void sl_opinions_gather(const struct sl_opinions *opinions, size_t item,
                        struct sl_opinions_item *at);
void sl_opinions_plain(const struct sl_opinions *opinions, struct sl_opinions_item *at);
void sl_opinions_shaped(const struct sl_opinions *opinions, size_t left_out,
                        struct sl_opinions_item *at);

/* Learn opinions->weight from each annotator's distance to the pool. Returns the number of rounds,
 * and whether the last one changed anything. */
size_t sl_opinions_learn_weights(struct sl_opinions *opinions,
                                 const struct sl_crowd_options *options, bool *converged);

#endif
