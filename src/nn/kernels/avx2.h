/* Shared by the files of the AVX2 table. Private to nn/kernels/. */
#ifndef SOFTLAB_NN_KERNELS_AVX2_H
#define SOFTLAB_NN_KERNELS_AVX2_H

#if defined(__x86_64__)

#include <immintrin.h>
#include <stdint.h>

#include "nn/kernels/kernels.h"

#define SL_AVX2 __attribute__((target("avx2,fma")))
/* For functions that are compiled once for every combination of constant arguments. */
#define SL_AVX2_INLINE __attribute__((target("avx2,fma"), always_inline)) static inline

/* A mask with all bits of the first `lanes` lanes set. */
SL_AVX2_INLINE __m256 sl_nn_lane_mask(size_t lanes)
{
    static const int32_t bits[2 * SL_NN_LANES] = {-1, -1, -1, -1, -1, -1, -1, -1};
    return _mm256_castsi256_ps(_mm256_loadu_si256((const __m256i *)(bits + SL_NN_LANES - lanes)));
}

/* NaN stays NaN: maxps returns its second operand if either is NaN. */
SL_AVX2_INLINE __m256 sl_nn_at_least(__m256 value, __m256 least)
{
    return _mm256_max_ps(least, value);
}

void sl_nn_avx2_statistics(const struct sl_nn_tensor *x, size_t first, size_t count, float *mean,
                           float *variance);
void sl_nn_avx2_bn_forward(const struct sl_nn_bn_forward *args);
void sl_nn_avx2_bn_reduce(const struct sl_nn_bn_backward *args, float *sum_g, float *sum_gx,
                          const struct sl_nn_tensor *masked);
void sl_nn_avx2_bn_apply(const struct sl_nn_bn_backward *args, const float *a, const float *b,
                         const float *c, const struct sl_nn_tensor *add,
                         const struct sl_nn_tensor *dx);

#endif
#endif
