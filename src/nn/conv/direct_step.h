/* The inner step of direct convolution: `rows` values, each from its own pointer, are multiplied by
 * one to three vectors. All sizes are compile-time constants, so that the accumulators stay in
 * registers. Private to nn/conv/. */
#ifndef SOFTLAB_NN_CONV_DIRECT_STEP_H
#define SOFTLAB_NN_CONV_DIRECT_STEP_H

#include <immintrin.h>
#include <stddef.h>

#include "nn/conv/direct.h"

#define SL_NN_AVX2        __attribute__((target("avx2,fma")))
#define SL_NN_AVX2_INLINE static inline __attribute__((target("avx2,fma"), always_inline))

/* The accumulators of a tile: at most 12 of the 16 registers. */
typedef __m256 sl_nn_direct_sums[SL_NN_DIRECT_ROWS][SL_NN_DIRECT_BLOCKS];

/* sum[row][block] += rows[row][at] vectors[block]; the vectors are `apart` floats apart. */
SL_NN_AVX2_INLINE void sl_nn_direct_step(sl_nn_direct_sums sum, const float *const *rows, size_t at,
                                         const float *vectors, size_t apart, int n_rows,
                                         int n_blocks)
{
    __m256 vector[SL_NN_DIRECT_BLOCKS];
#pragma GCC unroll 3
    for (int block = 0; block < n_blocks; block++)
        vector[block] = _mm256_loadu_ps(vectors + (size_t)block * apart);
#pragma GCC unroll 8
    for (int row = 0; row < n_rows; row++) {
        __m256 value = _mm256_broadcast_ss(rows[row] + at);
#pragma GCC unroll 3
        for (int block = 0; block < n_blocks; block++)
            sum[row][block] = _mm256_fmadd_ps(value, vector[block], sum[row][block]);
    }
}

/* Defines a function for each number of rows and blocks of a tile: name_<rows>_<blocks>. */
#define SL_NN_DIRECT_TILES(TILE)                                                                   \
    TILE(1, 1)                                                                                     \
    TILE(2, 1)                                                                                     \
    TILE(3, 1)                                                                                     \
    TILE(4, 1)                                                                                     \
    TILE(5, 1)                                                                                     \
    TILE(6, 1)                                                                                     \
    TILE(7, 1)                                                                                     \
    TILE(8, 1)                                                                                     \
    TILE(1, 2)                                                                                     \
    TILE(2, 2)                                                                                     \
    TILE(3, 2) TILE(4, 2) TILE(5, 2) TILE(6, 2) TILE(1, 3) TILE(2, 3) TILE(3, 3) TILE(4, 3)
/* The table of these functions: [blocks - 1][rows - 1]. */
#define SL_NN_DIRECT_TABLE(name)                                                                   \
    {                                                                                              \
        {name##_1_1, name##_2_1, name##_3_1, name##_4_1,                                           \
         name##_5_1, name##_6_1, name##_7_1, name##_8_1},                                          \
            {name##_1_2, name##_2_2, name##_3_2, name##_4_2, name##_5_2, name##_6_2, NULL, NULL},  \
            {name##_1_3, name##_2_3, name##_3_3, name##_4_3, NULL, NULL, NULL, NULL},              \
    }

#endif
