/* The attributes of functions that use AVX2. Private to nn/conv/. */
#ifndef SOFTLAB_NN_CONV_AVX2_H
#define SOFTLAB_NN_CONV_AVX2_H

#include <immintrin.h>

#define SL_NN_AVX2        __attribute__((target("avx2,fma")))
#define SL_NN_AVX2_INLINE static inline __attribute__((target("avx2,fma"), always_inline))

#endif
