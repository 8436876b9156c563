/* Optimiser: one step of SGD, Adam or RAdam over flat buffers, with PyTorch's equations. A step
 * reads and writes each buffer once. */
#ifndef SOFTLAB_NN_OPTIMISER_H
#define SOFTLAB_NN_OPTIMISER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/declare.h"
#include "softlab/pool.h"

SL_BEGIN_DECLS

/* The Euclidean norm, summed in double in a fixed order. `pool` may be NULL here and below. */
double sl_flat_norm(const float *values, size_t count, struct sl_pool *pool);

struct sl_sgd {
    float rate, momentum, weight_decay;
    bool nesterov;
    bool first;           /* first step: it sets the velocity instead of updating it */
    float gradient_scale; /* for clipping: factor of the gradient; 1 = none */
    struct sl_pool *pool;
};
/* v = momentum v + (scale g + decay w);  w -= rate v,  or with Nesterov rate (g' + momentum v). */
void sl_sgd_step(const struct sl_sgd *sgd, float *values, const float *gradients, float *velocity,
                 size_t count);

struct sl_adam {
    float rate, beta1, beta2, epsilon, weight_decay;
    uint64_t step; /* 1 for the first */
    float gradient_scale;
    bool rectified; /* RAdam (Liu et al. 2020) */
    struct sl_pool *pool;
};
/* m and v are running means of g' = scale g + decay w and of its square;
 * w -= rate m' / (sqrt(v') + epsilon), where m' and v' are bias-corrected. Rectified, once the
 * variance of v is defined: w -= rate r m' sqrt(1 - beta2^step) / (sqrt(v) + epsilon); before that
 * w -= rate m'. */
void sl_adam_step(const struct sl_adam *adam, float *values, const float *gradients, float *first,
                  float *second, size_t count);

SL_END_DECLS

#endif
