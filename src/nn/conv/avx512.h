/* Vectors of two blocks of 8 channels, with AVX-512. Private to nn/conv/. */
#ifndef SOFTLAB_NN_CONV_AVX512_H
#define SOFTLAB_NN_CONV_AVX512_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>

#define SL_NN_AVX512        __attribute__((target("avx512f,avx2,fma")))
#define SL_NN_AVX512_INLINE SL_NN_AVX512 __attribute__((always_inline)) static inline

static inline bool sl_nn_has_avx512(void)
{
    return __builtin_cpu_supports("avx512f");
}

/* Blocks that are `apart` floats apart. */
SL_NN_AVX512_INLINE __m512 sl_nn_load_halves(const float *from, size_t apart)
{
    const __m512d low = _mm512_castpd256_pd512(_mm256_castps_pd(_mm256_loadu_ps(from)));
    const __m256d high = _mm256_castps_pd(_mm256_loadu_ps(from + apart));
    return _mm512_castpd_ps(_mm512_insertf64x4(low, high, 1));
}

SL_NN_AVX512_INLINE void sl_nn_store_halves(float *to, size_t apart, __m512 value)
{
    const __m256d high = _mm512_extractf64x4_pd(_mm512_castps_pd(value), 1);
    _mm256_storeu_ps(to, _mm512_castps512_ps256(value));
    _mm256_storeu_ps(to + apart, _mm256_castpd_ps(high));
}

#endif
