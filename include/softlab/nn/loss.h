/* Loss: softmax, its entropy, and cross-entropy against distributions. */
#ifndef SOFTLAB_NN_LOSS_H
#define SOFTLAB_NN_LOSS_H

#include <stddef.h>

#include "softlab/base/declare.h"

SL_BEGIN_DECLS

/* Softmax of each row of (n, classes). It subtracts the largest logit first, so that exp cannot
 * overflow. May run in place. */
void sl_softmax(const float *logits, size_t n, size_t classes, float *probabilities);

/* The targets of rows of logits. */
struct sl_soft_targets {
    const float *rows;    /* (n, classes); need not sum to 1 */
    const float *weights; /* (n); NULL: all 1 */
    size_t n, classes;
};

/* Write the cross-entropy -sum_k target[k] log softmax(logits)[k] of every row to `losses` (n;
 * NULL: not wanted), and the gradient of  scale * sum_i weight[i] loss_i  with respect to the
 * logits to `gradient` (n, classes; NULL: not wanted; may be the logits' own memory). Returns the
 * sum of weight[i] loss_i, in double and in row order.
 *
 * A class with probability 0 and target 0 adds nothing. A row with weight 0 adds nothing and has
 * gradient 0, even if its loss is infinite. NaN is never hidden: a NaN logit or target, or a logit
 * of +infinity, makes the loss of its row and the sum NaN at any weight. */
double sl_soft_cross_entropy(const float *logits, const struct sl_soft_targets *targets,
                             float scale, float *losses, float *gradient);

/* Return the entropy -sum_k p_k log p_k, in nats, of the softmax of a row of logits. Add `factor`
 * times its gradient with respect to the logits to `gradient` (classes; NULL or factor 0: add
 * nothing). NaN is never hidden, as above. */
double sl_softmax_entropy(const float *logits, size_t classes, double factor, float *gradient);

SL_END_DECLS

#endif
