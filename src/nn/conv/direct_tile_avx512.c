/* Tiles of direct convolution with AVX-512: a vector is the two blocks of a panel. Panels of one or
 * three blocks have the tiles of AVX2. */
#include "nn/conv/avx512.h"

#define TILE_TARGET SL_NN_AVX512
#define VECTOR      __m512
enum { VECTOR_BLOCKS = 2, MOST_ROWS = 12, MOST_VECTORS = 1 };

#define vector_zero()                _mm512_setzero_ps()
#define vector_all(value)            _mm512_set1_ps(value)
#define vector_add(a, b)             _mm512_add_ps(a, b)
#define vector_max(a, b)             _mm512_max_ps(a, b)
#define vector_fma(a, b, sum)        _mm512_fmadd_ps(a, b, sum)
#define vector_packed(from)          _mm512_loadu_ps(from)
#define vector_spread(from, apart)   sl_nn_load_halves(from, apart)
#define vector_put(to, apart, value) sl_nn_store_halves(to, apart, value)
#define vector_store(to, value)      _mm512_storeu_ps(to, value)

#include "nn/conv/direct_tile_body.h"

#define EACH(DO)                                                                                   \
    DO(1, 1)                                                                                       \
    DO(2, 1)                                                                                       \
    DO(3, 1)                                                                                       \
    DO(4, 1) DO(5, 1) DO(6, 1) DO(7, 1) DO(8, 1) DO(9, 1) DO(10, 1) DO(11, 1) DO(12, 1)
EACH(TILE_FUNCTIONS)

#define TABLE(name)                                                                                \
    {                                                                                              \
        name##_1_1, name##_2_1, name##_3_1, name##_4_1, name##_5_1, name##_6_1, name##_7_1,        \
            name##_8_1, name##_9_1, name##_10_1, name##_11_1, name##_12_1                          \
    }
const struct sl_nn_direct_tiles sl_nn_direct_avx512 = {
    .rows = 12,
    .short_rows = 8,
    .tiles = {[SL_NN_DIRECT_TAPS] = TABLE(taps),
              [SL_NN_DIRECT_STRAIGHT] = TABLE(straight),
              [SL_NN_DIRECT_PLAIN] = TABLE(plain)},
    .outers = TABLE(outer),
};
