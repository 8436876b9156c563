/* A second, slow implementation of the image networks: every node by the plainest loops, in double
 * precision, over plain (n, c, h, w) arrays, forward and backward. What a plan computes is compared
 * with it. */
#ifndef SOFTLAB_TESTS_NN_REFERENCE_H
#define SOFTLAB_TESTS_NN_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "nn/graph/model.h"

struct reference {
    const struct sl_model *model;
    size_t images;
    bool training;
    double **value, **gradient; /* per node */
    double *values, *value_gradient, *state;
    const float
        *noise; /* of all noisy nodes in order: dropout masks as (n, c), shake alpha, beta */
};

/* Copies the model's values and state. */
void reference_init(struct reference *reference, const struct sl_model *model, size_t images,
                    bool training);
void reference_release(struct reference *reference);
/* Updates running statistics in reference->state when training. Returns the logits. */
const double *reference_forward(struct reference *reference, const float *pixels,
                                const float *noise);
/* Fills value_gradient, and gradient[0] of the pixels. */
void reference_backward(struct reference *reference, const float *logit_gradient);

#endif
