/* Tiles of direct convolution with AVX2: a vector is a block. At most 12 of the 16 registers are
 * accumulators. */
#include <immintrin.h>

#define TILE_TARGET __attribute__((target("avx2,fma")))
#define VECTOR      __m256
enum { VECTOR_BLOCKS = 1, MOST_ROWS = 8, MOST_VECTORS = 3 };

#define vector_zero()                _mm256_setzero_ps()
#define vector_all(value)            _mm256_set1_ps(value)
#define vector_add(a, b)             _mm256_add_ps(a, b)
#define vector_max(a, b)             _mm256_max_ps(a, b)
#define vector_fma(a, b, sum)        _mm256_fmadd_ps(a, b, sum)
#define vector_packed(from)          _mm256_loadu_ps(from)
#define vector_spread(from, apart)   ((void)(apart), _mm256_loadu_ps(from))
#define vector_put(to, apart, value) ((void)(apart), _mm256_storeu_ps(to, value))
#define vector_store(to, value)      _mm256_storeu_ps(to, value)

#include "nn/conv/direct_tile_body.h"

#define EACH(DO)                                                                                   \
    DO(1, 1)                                                                                       \
    DO(2, 1)                                                                                       \
    DO(3, 1)                                                                                       \
    DO(4, 1)                                                                                       \
    DO(5, 1)                                                                                       \
    DO(6, 1)                                                                                       \
    DO(7, 1)                                                                                       \
    DO(8, 1)                                                                                       \
    DO(1, 2)                                                                                       \
    DO(2, 2) DO(3, 2) DO(4, 2) DO(5, 2) DO(6, 2) DO(1, 3) DO(2, 3) DO(3, 3) DO(4, 3)
EACH(TILE_FUNCTIONS)

#define TABLE_1(name)                                                                              \
    {                                                                                              \
        name##_1_1, name##_2_1, name##_3_1, name##_4_1, name##_5_1, name##_6_1, name##_7_1,        \
            name##_8_1                                                                             \
    }
#define TABLE_2(name)                                                                              \
    {                                                                                              \
        name##_1_2, name##_2_2, name##_3_2, name##_4_2, name##_5_2, name##_6_2                     \
    }
#define TABLE_3(name)                                                                              \
    {                                                                                              \
        name##_1_3, name##_2_3, name##_3_3, name##_4_3                                             \
    }
#define TILES(TABLE)                                                                               \
    {                                                                                              \
        [SL_NN_DIRECT_TAPS] = TABLE(taps), [SL_NN_DIRECT_STRAIGHT] = TABLE(straight),              \
        [SL_NN_DIRECT_PLAIN] = TABLE(plain)                                                        \
    }
const struct sl_nn_direct_tiles sl_nn_direct_avx2[SL_NN_DIRECT_BLOCKS] = {
    {.rows = 8, .short_rows = 8, .tiles = TILES(TABLE_1), .outers = TABLE_1(outer)},
    {.rows = 6, .short_rows = 4, .tiles = TILES(TABLE_2), .outers = TABLE_2(outer)},
    {.rows = 4, .short_rows = 4, .tiles = TILES(TABLE_3), .outers = TABLE_3(outer)},
};
