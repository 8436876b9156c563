/* Kernels: fused passes over blocked tensors. One table per instruction set, with the same results
 * up to rounding; sl_nn_kernels_select chooses one.
 *
 * `struct sl_nn_tensor` arguments are SL_NN_BLOCKED unless said otherwise. Arrays `per channel` are
 * padded to whole blocks of 8. In every function the output may be the same memory as an input of
 * the same shape. Tail lanes of outputs are zero, whatever the inputs and coefficients hold there,
 * because a tensor may be the first channels of a larger buffer. An addend may have fewer channels
 * than the tensor it is added to; its tail lanes count as zero too.
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
    const struct sl_nn_tensor *add; /* same height and width, at most as many channels; or NULL */
    bool relu;
    const struct sl_nn_tensor *y; /* written */
};

/* If `relu`, the upstream gradient g passes the ReLU first: it becomes 0 where the output was not
 * above 0. If `y` is NULL, the output is recomputed as x scale + shift, with the same bits as in
 * forward; otherwise it is read from `y`. */
struct sl_nn_bn_backward {
    const struct sl_nn_tensor *x;
    const struct sl_nn_tensor *g;
    bool relu;
    const struct sl_nn_tensor *y; /* or NULL */
    const float *scale, *shift;   /* per channel, as in forward; NULL if y is not recomputed */
    const float *mean, *inverse;  /* per channel; 1 / sqrt(variance + eps); NULL in bn_apply */
};

struct sl_nn_kernels {
    const char *name; /* "plain", "avx2" */

    /* Mean and biased variance of channels [first, first + count) over images and pixels. It reads
     * x once and stays accurate when the mean is far from 0. Results are written at [first, first +
     * count). */
    void (*statistics)(const struct sl_nn_tensor *x, size_t first, size_t count, float *mean,
                       float *variance);
    void (*bn_forward)(const struct sl_nn_bn_forward *args);
    /* Per channel, the sums over images and pixels of g' (g after the ReLU) and of g' (x - mean)
     * inverse. Also writes g' to `masked` unless it is NULL. */
    void (*bn_reduce)(const struct sl_nn_bn_backward *args, float *sum_g, float *sum_gx,
                      const struct sl_nn_tensor *masked);
    /* dx = a g' + b x + c (per channel) + add (or NULL). */
    void (*bn_apply)(const struct sl_nn_bn_backward *args, const float *a, const float *b,
                     const float *c, const struct sl_nn_tensor *add, const struct sl_nn_tensor *dx);

    /* y = relu?(a + b), where b has at most as many channels as a. */
    void (*add)(const struct sl_nn_tensor *a, const struct sl_nn_tensor *b, bool relu,
                const struct sl_nn_tensor *y);
    /* y = x > 0 ? x : slope x;  dx = (y > 0 ? g : slope g) + add (or NULL). */
    void (*relu_forward)(const struct sl_nn_tensor *x, float slope, const struct sl_nn_tensor *y);
    void (*relu_backward)(const struct sl_nn_tensor *y, const struct sl_nn_tensor *g, float slope,
                          const struct sl_nn_tensor *add, const struct sl_nn_tensor *dx);

    /* Forward: y(i, j) = x(offset + i stride, offset + j stride), or 0 where that is outside x.
     * Backward: the gradient is 0 at pixels that were not taken; adds `add`. */
    void (*subsample_forward)(const struct sl_nn_tensor *x, size_t stride, size_t offset,
                              const struct sl_nn_tensor *y);
    void (*subsample_backward)(const struct sl_nn_tensor *g, size_t stride, size_t offset,
                               const struct sl_nn_tensor *add, const struct sl_nn_tensor *dx);

    /* insert copies all channels of `part` to channels [first, ...) of `whole`, at any offset, and
     * leaves the others. extract copies them back and zeroes the tail lanes of `part`. */
    void (*insert_channels)(const struct sl_nn_tensor *part, size_t first,
                            const struct sl_nn_tensor *whole);
    void (*extract_channels)(const struct sl_nn_tensor *whole, size_t first,
                             const struct sl_nn_tensor *part);

    /* Forward: mean over the map, from blocked to rows (n, channels). Backward: its gradient, plus
     * `add` (or NULL). */
    void (*global_pool_forward)(const struct sl_nn_tensor *x, const struct sl_nn_tensor *rows);
    void (*global_pool_backward)(const struct sl_nn_tensor *row_gradient,
                                 const struct sl_nn_tensor *add, const struct sl_nn_tensor *dx);

    /* Forward: y = a alpha[n] + b (1 - alpha[n]). Backward, for either branch: dx = g factor[n], or
     * g (1 - factor[n]) if `complement`, plus add. */
    void (*shake_forward)(const struct sl_nn_tensor *a, const struct sl_nn_tensor *b,
                          const float *alpha, const struct sl_nn_tensor *y);
    void (*shake_backward)(const struct sl_nn_tensor *g, const float *factor, bool complement,
                           const struct sl_nn_tensor *add, const struct sl_nn_tensor *dx);

    /* Flat arrays of `count` floats. */
    void (*multiply)(const float *a, const float *b, size_t count, float *out);
    void (*accumulate)(const float *a, const float *b, size_t count, float *out); /* out = a + b */
};

extern const struct sl_nn_kernels sl_nn_kernels_plain, sl_nn_kernels_avx2;
/* The fastest table that this processor can run. */
const struct sl_nn_kernels *sl_nn_kernels_select(void);

#endif
