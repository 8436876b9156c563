/* Dirichlet: what the answers so far say about how a whole crowd would answer each item, how sure
 * that is, and what one more answer would change.
 *
 * An item has a distribution theta over the answers that people would give. Items come in kinds,
 * called components: component j = (class k, level t) has theta ~ Dirichlet(alpha_j),
 *
 *     alpha_j = s_t ((1 - eps_t) e_k + eps_t c_k),
 *
 * with the concentration s_t and the spread eps_t of a level, and the profile c_k of the classes
 * that k is confused with. Easy items are of a level with small spread. Everything is fitted to the
 * answers. Equations: docs/internals/crowd-dirichlet.md. */
#ifndef SOFTLAB_CROWD_DIRICHLET_H
#define SOFTLAB_CROWD_DIRICHLET_H

#include "softlab/crowd.h"

SL_BEGIN_DECLS

enum { SL_DIRICHLET_LEVELS = 3, SL_DIRICHLET_BINS = 8 };

/* A fitted model. Component j is class j / SL_DIRICHLET_LEVELS, level j % SL_DIRICHLET_LEVELS. */
struct sl_dirichlet {
    size_t n_classes, n_components;            /* K, K x SL_DIRICHLET_LEVELS */
    double concentration[SL_DIRICHLET_LEVELS]; /* s */
    double spread[SL_DIRICHLET_LEVELS];        /* eps */
    double *profile;                           /* owned; (K, K): c, zero on the diagonal */
    double *share;                             /* owned; n_components: how common each is */
    double *alpha; /* owned; (K + 1, n_components); the last row has the sums A over the classes */
    /* How a classifier's probabilities p become shares: p^sharpness, and the levels by its
     * confidence. */
    double sharpness;
    double confidence[SL_DIRICHLET_BINS - 1]; /* borders of the bins */
    double level_share[SL_DIRICHLET_BINS][SL_DIRICHLET_LEVELS];
    double rich_weight; /* how many clicks a stated distribution counts as; 1 for clicks */
    double spammers;    /* the share of annotators who answer by chance */
};

/* The model before it saw answers: equal shares, uniform profiles. */
enum sl_status sl_dirichlet_create(size_t n_classes, struct sl_dirichlet **out,
                                   struct sl_error *err) SL_MUST_USE;
enum sl_status sl_dirichlet_copy(const struct sl_dirichlet *model, struct sl_dirichlet **out,
                                 struct sl_error *err) SL_MUST_USE;
void sl_dirichlet_destroy(struct sl_dirichlet *model);

/* What is known about one item. Buffers of n_components and K doubles, for one thread; fill them
 * with sl_dirichlet_look. */
struct sl_dirichlet_view {
    const struct sl_dirichlet *model; /* borrowed */
    double *count;                    /* owned; K: answers per class, may be fractions */
    double total;                     /* their sum */
    double *prior;                    /* owned; n_components: shares before the answers */
    double *weight;                   /* owned; n_components: shares after them */
    double *label;                    /* owned; K: the mean of theta */
    double *scratch;                  /* owned; private */
};
enum sl_status sl_dirichlet_view_init(struct sl_dirichlet_view *view,
                                      const struct sl_dirichlet *model,
                                      struct sl_error *err) SL_MUST_USE;
void sl_dirichlet_view_release(struct sl_dirichlet_view *view);
/* Use the model's shares as prior, or those that follow from a classifier's probabilities (K). */
void sl_dirichlet_expect(struct sl_dirichlet_view *view, const float *prediction);
/* Set weight and label from count and prior. `gold` is a known class, or -1. */
void sl_dirichlet_look(struct sl_dirichlet_view *view, int32_t gold);

/* The expected Kullback-Leibler divergence of the label from theta: the cross-entropy that the item
 * costs a reader of the label beyond what cannot be avoided. */
double sl_dirichlet_risk(const struct sl_dirichlet_view *view);
/* How much one more answer lowers the risk, in expectation. */
double sl_dirichlet_gain(struct sl_dirichlet_view *view);
/* The expectation of 1 - sum of theta^2: how much people disagree about the item. */
double sl_dirichlet_disagreement(const struct sl_dirichlet_view *view);
/* The central credible interval of theta[k], of probability `level` or a little more: its ends are
 * found by bisection to 1e-4, and it holds the label. */
struct sl_interval sl_dirichlet_interval(const struct sl_dirichlet_view *view, size_t k,
                                         double level);

SL_END_DECLS

#endif
