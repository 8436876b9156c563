/* Kernels: fused passes over blocked tensors. One table per instruction set, with the same results
 * up to rounding; sl_nn_kernels_select chooses one.
 *
 * `struct sl_nn_tensor` arguments are SL_NN_BLOCKED unless said otherwise. Arrays `per channel` are
 * padded to whole blocks of 8. In every function the output may be the same memory as an input of
 * the same shape. Tail lanes of outputs are zero, whatever the inputs and coefficients hold there:
 * a tensor may be the first channels of a larger buffer. An addend may have fewer channels than
 * what it is added to, and its tail lanes are not read as values either.
 *
 * Batch norm in training. With m = images height width, gamma and beta the layer's own:
 *     forward:   scale = gamma inverse,  shift = beta - mean scale
 *     backward:  dgamma = sum_gx,  dbeta = sum_g, and
 *                dx = gamma inverse (g' - sum_g / m - (x - mean) inverse sum_gx / m), that is
 *                a = scale,  b = -scale inverse sum_gx / m,  c = -scale sum_g / m - b mean
 * Tensors of many channels are larger than the caches, so bn_apply with dx in the memory of g is
 * much faster than with dx elsewhere: memory that is written must be fetched first. */
#ifndef SOFTLAB_NN_KERNELS_KERNELS_H
#define SOFTLAB_NN_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "nn/tensor.h"

struct sl_nn_bn_forward {
    const struct sl_nn_tensor *x;
    const float *scale, *shift;     /* per channel */
    const struct sl_nn_tensor *add; /* same map, as many channels or fewer; or NULL */
    bool relu;
    const struct sl_nn_tensor *y; /* written */
};

/* The upstream gradient g passes a ReLU first if `relu`: where the output was not above 0 it is 0.
 * The output is recomputed as x scale + shift (bit for bit as forward did) when `y` is NULL, else
 * read. */
struct sl_nn_bn_backward {
    const struct sl_nn_tensor *x;
    const struct sl_nn_tensor *g;
    bool relu;
    const struct sl_nn_tensor *y; /* or NULL */
    const float *scale, *shift;   /* per channel, as in forward; NULL if nothing is recomputed */
    const float *mean, *inverse;  /* per channel: mean, 1 / sqrt(variance + eps); NULL in apply */
};

struct sl_nn_kernels {
    const char *name; /* "plain", "avx2" */

    /* Mean and biased variance of channels [first, first + count) over images and pixels, in one
     * pass over x, accurate when the mean is far from 0. Written at [first, first + count). */
    void (*statistics)(const struct sl_nn_tensor *x, size_t first, size_t count, float *mean,
                       float *variance);
    void (*bn_forward)(const struct sl_nn_bn_forward *args);
    /* Sums over images and pixels of g' (g after the ReLU) and of g' (x - mean) inverse, per
     * channel; g' itself goes to `masked` unless NULL. */
    void (*bn_reduce)(const struct sl_nn_bn_backward *args, float *sum_g, float *sum_gx,
                      const struct sl_nn_tensor *masked);
    /* dx = a g' + b x + c (per channel) + add (or NULL). */
    void (*bn_apply)(const struct sl_nn_bn_backward *args, const float *a, const float *b,
                     const float *c, const struct sl_nn_tensor *add, const struct sl_nn_tensor *dx);

    /* y = relu?(a + b), b with as many channels as a or fewer. */
    void (*add)(const struct sl_nn_tensor *a, const struct sl_nn_tensor *b, bool relu,
                const struct sl_nn_tensor *y);
    /* y = x > 0 ? x : slope x;  dx = (y > 0 ? g : slope g) + add (or NULL). */
    void (*relu_forward)(const struct sl_nn_tensor *x, float slope, const struct sl_nn_tensor *y);
    void (*relu_backward)(const struct sl_nn_tensor *y, const struct sl_nn_tensor *g, float slope,
                          const struct sl_nn_tensor *add, const struct sl_nn_tensor *dx);

    /* y(i, j) = x(offset + i stride, offset + j stride), 0 where that is outside of x; backward
     * zeroes the rest and adds `add`. */
    void (*subsample_forward)(const struct sl_nn_tensor *x, size_t stride, size_t offset,
                              const struct sl_nn_tensor *y);
    void (*subsample_backward)(const struct sl_nn_tensor *g, size_t stride, size_t offset,
                               const struct sl_nn_tensor *add, const struct sl_nn_tensor *dx);

    /* Copy all channels of `part` to channels [first, ...) of `whole`, any offset, leaving the
     * others; and back, with the tail lanes of `part` zeroed. */
    void (*insert_channels)(const struct sl_nn_tensor *part, size_t first,
                            const struct sl_nn_tensor *whole);
    void (*extract_channels)(const struct sl_nn_tensor *whole, size_t first,
                             const struct sl_nn_tensor *part);

    /* Mean over the map, blocked to rows (n, channels); and back, adding `add` (or NULL). */
    void (*global_pool_forward)(const struct sl_nn_tensor *x, const struct sl_nn_tensor *rows);
    void (*global_pool_backward)(const struct sl_nn_tensor *row_gradient,
                                 const struct sl_nn_tensor *add, const struct sl_nn_tensor *dx);

    /* y = a alpha[n] + b (1 - alpha[n]); either factor's gradient: dx = g factor[n] (or
     * g (1 - factor[n]) if `complement`) + add. */
    void (*shake_forward)(const struct sl_nn_tensor *a, const struct sl_nn_tensor *b,
                          const float *alpha, const struct sl_nn_tensor *y);
    void (*shake_backward)(const struct sl_nn_tensor *g, const float *factor, bool complement,
                           const struct sl_nn_tensor *add, const struct sl_nn_tensor *dx);

    /* Flat arrays of `count` floats. */
    void (*multiply)(const float *a, const float *b, size_t count, float *out);
    void (*accumulate)(const float *a, const float *b, size_t count, float *out); /* out = a + b */
};

extern const struct sl_nn_kernels sl_nn_kernels_plain, sl_nn_kernels_avx2;
/* The best table that this processor can run. */
const struct sl_nn_kernels *sl_nn_kernels_select(void);

#endif
