/* The transforms of weights and of their gradient: between (out, in, 3, 3) and panels of vectors of
 * 8 channels. */
#include "nn/conv/winograd.h"

#include <immintrin.h>
#include <string.h>

#include "nn/conv/gemm_micro.h"
#include "nn/tensor.h"

#define AVX2        __attribute__((target("avx2,fma")))
#define AVX2_INLINE __attribute__((target("avx2,fma"), always_inline)) static inline

enum { LANES = SL_NN_LANES, TAPS = 9, COLUMNS = SL_NN_GEMM_COLUMNS };

/* The dimensions of panels as the loops use them: kernels of 16 `lane` channels for each `inner`
 * channel. */
struct extent {
    size_t lanes, lane_stride;
    size_t inner, inner_stride, inner_padded;
    size_t panels, frequency_stride;
};

static struct extent extent_of(const struct sl_nn_winograd_weights *shape)
{
    struct extent e = {.lanes = shape->out_channels,
                       .lane_stride = shape->in_channels * TAPS,
                       .inner = shape->in_channels,
                       .inner_stride = TAPS};
    if (shape->backward)
        e = (struct extent){.lanes = shape->in_channels,
                            .lane_stride = TAPS,
                            .inner = shape->out_channels,
                            .inner_stride = shape->in_channels * TAPS};
    e.inner_padded = sl_nn_blocks(e.inner) * LANES;
    e.panels = (e.lanes + COLUMNS - 1) / COLUMNS;
    /* One cache line more, so that the 16 frequencies do not compete for the same sets of the
     * cache. */
    e.frequency_stride = e.panels * e.inner_padded * COLUMNS + 16;
    return e;
}

size_t sl_nn_winograd_frequency_stride(const struct sl_nn_winograd_weights *shape)
{
    return extent_of(shape).frequency_stride;
}

size_t sl_nn_winograd_panels(const struct sl_nn_winograd_weights *shape)
{
    return extent_of(shape).panels;
}

AVX2_INLINE void transpose(__m256 r[8])
{
    __m256 a[8], b[8];
    for (size_t i = 0; i < 8; i += 2) {
        a[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        a[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    for (size_t i = 0; i < 8; i += 4) {
        b[i] = _mm256_shuffle_ps(a[i], a[i + 2], 0x44);
        b[i + 1] = _mm256_shuffle_ps(a[i], a[i + 2], 0xee);
        b[i + 2] = _mm256_shuffle_ps(a[i + 1], a[i + 3], 0x44);
        b[i + 3] = _mm256_shuffle_ps(a[i + 1], a[i + 3], 0xee);
    }
    for (size_t i = 0; i < 4; i++) {
        r[i] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x20);
        r[i + 4] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x31);
    }
}

/* Load 8 kernels as 9 vectors, one per tap. */
AVX2_INLINE void load_taps(const float *from, size_t stride, __m256 taps[TAPS])
{
    for (size_t i = 0; i < LANES; i++)
        taps[i] = _mm256_loadu_ps(from + i * stride);
    transpose(taps);
    const float *last = from + 8;
    taps[8] =
        _mm256_setr_ps(last[0], last[stride], last[2 * stride], last[3 * stride], last[4 * stride],
                       last[5 * stride], last[6 * stride], last[7 * stride]);
}

/* Load the kernels of the first `count` of 8 lanes; the other lanes are zero. */
AVX2_INLINE void load_some_taps(const float *from, size_t stride, size_t count, __m256 taps[TAPS])
{
    float kernels[LANES * TAPS] = {0};
    for (size_t i = 0; i < count; i++)
        memcpy(kernels + i * TAPS, from + i * stride, TAPS * sizeof *kernels);
    load_taps(kernels, TAPS, taps);
}

/* G times a column of 3. */
AVX2_INLINE void expand(__m256 w0, __m256 w1, __m256 w2, __m256 out[4])
{
    __m256 half = _mm256_set1_ps(0.5F);
    __m256 outer = _mm256_mul_ps(half, _mm256_add_ps(w0, w2)), inner = _mm256_mul_ps(half, w1);
    out[0] = w0;
    out[1] = _mm256_add_ps(outer, inner);
    out[2] = _mm256_sub_ps(outer, inner);
    out[3] = w2;
}

AVX2_INLINE void expand_kernels(const __m256 taps[TAPS], bool turned, float *to, size_t stride)
{
    __m256 column[3][4];
    for (size_t j = 0; j < 3; j++) {
        if (turned)
            expand(taps[8 - j], taps[5 - j], taps[2 - j], column[j]);
        else
            expand(taps[j], taps[3 + j], taps[6 + j], column[j]);
    }
    for (size_t i = 0; i < 4; i++) {
        __m256 row[4];
        expand(column[0][i], column[1][i], column[2][i], row);
        for (size_t j = 0; j < 4; j++)
            _mm256_store_ps(to + (4 * i + j) * stride, row[j]);
    }
}

static size_t lanes_from(const struct extent *e, size_t first)
{
    size_t left = e->lanes > first ? e->lanes - first : 0;
    return left < LANES ? left : LANES;
}

AVX2 void sl_nn_winograd_prepare(const struct sl_nn_winograd_weights *shape, const float *weights,
                                 size_t panel, float *panels)
{
    const struct extent e = extent_of(shape);
    float *to = panels + panel * e.inner_padded * COLUMNS;
    for (size_t i = 0; i < e.inner_padded; i++)
        for (size_t half = 0; half < COLUMNS; half += LANES, to += LANES) {
            size_t first = panel * COLUMNS + half;
            size_t count = i < e.inner ? lanes_from(&e, first) : 0;
            const float *from = weights + first * e.lane_stride + i * e.inner_stride;
            __m256 taps[TAPS];
            if (count == LANES)
                load_taps(from, e.lane_stride, taps);
            else
                load_some_taps(from, e.lane_stride, count, taps);
            expand_kernels(taps, shape->backward, to, e.frequency_stride);
        }
}

/* G' times a column of 4. */
AVX2_INLINE void contract(const __m256 m[4], __m256 *w0, __m256 *w1, __m256 *w2)
{
    __m256 half = _mm256_set1_ps(0.5F);
    __m256 outer = _mm256_mul_ps(half, _mm256_add_ps(m[1], m[2]));
    *w0 = _mm256_add_ps(m[0], outer);
    *w1 = _mm256_mul_ps(half, _mm256_sub_ps(m[1], m[2]));
    *w2 = _mm256_add_ps(outer, m[3]);
}

AVX2_INLINE void contract_kernels(const float *from, size_t stride, __m256 taps[TAPS])
{
    __m256 column[4][3];
    for (size_t j = 0; j < 4; j++) {
        __m256 m[4];
        for (size_t i = 0; i < 4; i++)
            m[i] = _mm256_load_ps(from + (4 * i + j) * stride);
        contract(m, &column[j][0], &column[j][1], &column[j][2]);
    }
    for (size_t i = 0; i < 3; i++) {
        __m256 m[4] = {column[0][i], column[1][i], column[2][i], column[3][i]};
        contract(m, &taps[3 * i], &taps[3 * i + 1], &taps[3 * i + 2]);
    }
}

AVX2_INLINE void store_taps(__m256 taps[TAPS], float *to, size_t stride, size_t count)
{
    float last[LANES];
    _mm256_storeu_ps(last, taps[8]);
    transpose(taps);
    for (size_t i = 0; i < count; i++) {
        _mm256_storeu_ps(to + i * stride, taps[i]);
        to[i * stride + 8] = last[i];
    }
}

AVX2 void sl_nn_winograd_gradient(const struct sl_nn_winograd_weights *shape, const float *panels,
                                  size_t panel, float *gradient)
{
    const struct extent e = extent_of(shape);
    const float *from = panels + panel * e.inner_padded * COLUMNS;
    for (size_t i = 0; i < e.inner; i++)
        for (size_t half = 0; half < COLUMNS; half += LANES, from += LANES) {
            size_t first = panel * COLUMNS + half, count = lanes_from(&e, first);
            float *to = gradient + first * e.lane_stride + i * e.inner_stride;
            __m256 taps[TAPS];
            if (count == 0) continue;
            contract_kernels(from, e.frequency_stride, taps);
            if (count == LANES)
                store_taps(taps, to, e.lane_stride, LANES);
            else
                store_taps(taps, to, e.lane_stride, count);
        }
}
