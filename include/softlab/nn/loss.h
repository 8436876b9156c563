/* Loss: softmax, its entropy, and cross-entropy against distributions. */
#ifndef SOFTLAB_NN_LOSS_H
#define SOFTLAB_NN_LOSS_H

#include <stddef.h>

#include "softlab/base/declare.h"

SL_BEGIN_DECLS

/* Rows of softmax, with the largest logit taken off first. (n, classes); in place allowed. */
void sl_softmax(const float *logits, size_t n, size_t classes, float *probabilities);

/* What rows of logits are compared with. */
struct sl_soft_targets {
    const float *rows;    /* (n, classes); need not sum to 1 */
    const float *weights; /* (n); NULL: all 1 */
    size_t n, classes;
};

/* Cross-entropy -sum_k target[k] log softmax(logits)[k] of every row, into `losses` (n; NULL: not
 * wanted), and the gradient of  scale * sum_i weight[i] loss_i  by the logits into `gradient` (n,
 * classes; NULL: not wanted; may be the logits' own memory). Returns the sum of weight[i] loss_i,
 * in double and in row order.
 *
 * A class of probability 0 without a target costs nothing, and a row of weight 0 adds nothing and
 * has gradient 0, even if its loss is infinite. But NaN is never hidden: one among the logits or
 * targets of a row, or a logit of +infinity, makes its loss and the sum NaN whatever its weight. */
double sl_soft_cross_entropy(const float *logits, const struct sl_soft_targets *targets,
                             float scale, float *losses, float *gradient);

/* Entropy -sum_k p_k log p_k, natural logarithm, of the softmax of a row of logits; `factor` times
 * its gradient by the logits is added to `gradient` (classes; NULL or factor 0: nothing is). NaN is
 * never hidden, as above. */
double sl_softmax_entropy(const float *logits, size_t classes, double factor, float *gradient);

SL_END_DECLS

#endif
