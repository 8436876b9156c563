/* The AVX2 table: passes over maps. Those of batch norm are in avx2_norm.c. */
#include "nn/kernels/avx2.h"

#if defined(__x86_64__)

#include <math.h>
#include <string.h>

#include "nn/kernels/walk.h"

/* The addend of one block: `from` is NULL if there is none, `keep` masks the lanes that are
 * channels. */
struct addend {
    const float *from;
    __m256 keep;
};

SL_AVX2_INLINE struct addend addend_of(const struct sl_nn_tensor *tensor, size_t image,
                                       size_t block)
{
    return (struct addend){sl_nn_block_or_null(tensor, image, block),
                           sl_nn_lane_mask(sl_nn_block_lanes(tensor, block))};
}

SL_AVX2_INLINE __m256 added(__m256 value, struct addend add, size_t i)
{
    if (!add.from) return value;
    return _mm256_add_ps(value, _mm256_and_ps(_mm256_loadu_ps(add.from + i), add.keep));
}

SL_AVX2 static void add(const struct sl_nn_tensor *a, const struct sl_nn_tensor *b, bool relu,
                        const struct sl_nn_tensor *y)
{
    const __m256 least = _mm256_set1_ps(relu ? 0 : -INFINITY);
    for (size_t image = 0; image < a->images; image++)
        for (size_t block = 0; block < sl_nn_blocks(a->channels); block++) {
            const __m256 keep = sl_nn_lane_mask(sl_nn_block_lanes(a, block));
            const struct addend more = addend_of(b, image, block);
            const float *in = sl_nn_block_data(a, image, block);
            float *out = sl_nn_block_data(y, image, block);
            for (size_t i = 0; i < sl_nn_block_floats(a); i += SL_NN_LANES) {
                const __m256 sum = added(_mm256_loadu_ps(in + i), more, i);
                _mm256_storeu_ps(out + i, _mm256_and_ps(sl_nn_at_least(sum, least), keep));
            }
        }
}

/* `value` in lanes where `by` is above 0, elsewhere slope value. With slope 0 the result is 0 even
 * for infinity. */
SL_AVX2_INLINE __m256 leaky(__m256 value, __m256 by, __m256 slope)
{
    const __m256 zero = _mm256_setzero_ps();
    const __m256 below =
        _mm256_and_ps(_mm256_mul_ps(value, slope), _mm256_cmp_ps(slope, zero, _CMP_NEQ_OQ));
    return _mm256_blendv_ps(below, value, _mm256_cmp_ps(by, zero, _CMP_GT_OQ));
}

SL_AVX2 static void relu_forward(const struct sl_nn_tensor *x, float slope,
                                 const struct sl_nn_tensor *y)
{
    const __m256 slopes = _mm256_set1_ps(slope), zero = _mm256_setzero_ps();
    for (size_t image = 0; image < x->images; image++)
        for (size_t block = 0; block < sl_nn_blocks(x->channels); block++) {
            const __m256 keep = sl_nn_lane_mask(sl_nn_block_lanes(x, block));
            const float *in = sl_nn_block_data(x, image, block);
            float *out = sl_nn_block_data(y, image, block);
            for (size_t i = 0; i < sl_nn_block_floats(x); i += SL_NN_LANES) {
                const __m256 value = _mm256_loadu_ps(in + i);
                const __m256 result =
                    slope == 0 ? sl_nn_at_least(value, zero) : leaky(value, value, slopes);
                _mm256_storeu_ps(out + i, _mm256_and_ps(result, keep));
            }
        }
}

SL_AVX2 static void relu_backward(const struct sl_nn_tensor *y, const struct sl_nn_tensor *g,
                                  float slope, const struct sl_nn_tensor *add_to,
                                  const struct sl_nn_tensor *dx)
{
    const __m256 slopes = _mm256_set1_ps(slope);
    for (size_t image = 0; image < y->images; image++)
        for (size_t block = 0; block < sl_nn_blocks(y->channels); block++) {
            const __m256 keep = sl_nn_lane_mask(sl_nn_block_lanes(y, block));
            const struct addend more = addend_of(add_to, image, block);
            const float *from = sl_nn_block_data(y, image, block);
            const float *upstream = sl_nn_block_data(g, image, block);
            float *out = sl_nn_block_data(dx, image, block);
            for (size_t i = 0; i < sl_nn_block_floats(y); i += SL_NN_LANES) {
                const __m256 value =
                    leaky(_mm256_loadu_ps(upstream + i), _mm256_loadu_ps(from + i), slopes);
                _mm256_storeu_ps(out + i, _mm256_and_ps(added(value, more, i), keep));
            }
        }
}

SL_AVX2 static void subsample_forward(const struct sl_nn_tensor *x, size_t stride, size_t offset,
                                      const struct sl_nn_tensor *y)
{
    for (size_t image = 0; image < y->images; image++)
        for (size_t block = 0; block < sl_nn_blocks(y->channels); block++) {
            const __m256 keep = sl_nn_lane_mask(sl_nn_block_lanes(y, block));
            const float *in = sl_nn_block_data(x, image, block);
            float *out = sl_nn_block_data(y, image, block);
            for (size_t i = 0; i < y->height * y->width; i++, out += SL_NN_LANES) {
                const size_t row = offset + i / y->width * stride;
                const size_t column = offset + i % y->width * stride;
                __m256 value = _mm256_setzero_ps();
                if (row < x->height && column < x->width)
                    value = _mm256_loadu_ps(in + (row * x->width + column) * SL_NN_LANES);
                _mm256_storeu_ps(out, _mm256_and_ps(value, keep));
            }
        }
}

/* Write dx = g in every stride-th vector from `offset` on, 0 in the others, plus the addend in
 * all. */
SL_AVX2_INLINE void spread_row(const float *g, size_t stride, size_t offset, size_t width,
                               struct addend more, __m256 keep, float *dx)
{
    size_t next = g ? offset : width;
    for (size_t column = 0; column < width; column++) {
        __m256 value = _mm256_setzero_ps();
        if (column == next) {
            value = _mm256_loadu_ps(g);
            g += SL_NN_LANES;
            next += stride;
        }
        const size_t i = column * SL_NN_LANES;
        _mm256_storeu_ps(dx + i, _mm256_and_ps(added(value, more, i), keep));
    }
}

SL_AVX2 static void subsample_backward(const struct sl_nn_tensor *g, size_t stride, size_t offset,
                                       const struct sl_nn_tensor *add_to,
                                       const struct sl_nn_tensor *dx)
{
    const size_t row_floats = dx->width * SL_NN_LANES;
    for (size_t image = 0; image < dx->images; image++)
        for (size_t block = 0; block < sl_nn_blocks(dx->channels); block++) {
            const __m256 keep = sl_nn_lane_mask(sl_nn_block_lanes(dx, block));
            const float *upstream = sl_nn_block_data(g, image, block);
            float *out = sl_nn_block_data(dx, image, block);
            struct addend more = addend_of(add_to, image, block);
            for (size_t row = 0; row < dx->height; row++, out += row_floats) {
                const bool taken = row >= offset && (row - offset) % stride == 0;
                spread_row(taken ? upstream : NULL, stride, offset, dx->width, more, keep, out);
                if (taken) upstream += g->width * SL_NN_LANES;
                if (more.from) more.from += row_floats;
            }
        }
}

/* Eight channels that begin at some lane of one block and end in the next. A blend picks their
 * lanes, a permutation puts them in order. */
struct turn {
    __m256 from_next; /* mask of the lanes that come from the next block */
    __m256i from;     /* the source lane of each lane, after the blend */
};

SL_AVX2_INLINE struct turn turn_of(size_t lanes)
{
    const __m256i count = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i by = _mm256_set1_epi32((int)lanes);
    return (struct turn){
        .from = _mm256_and_si256(_mm256_add_epi32(count, by), _mm256_set1_epi32(SL_NN_LANES - 1)),
        .from_next = sl_nn_lane_mask(lanes)};
}

SL_AVX2_INLINE __m256 turned(struct turn turn, const float *block, const float *next)
{
    const __m256 both =
        _mm256_blendv_ps(_mm256_loadu_ps(block), _mm256_loadu_ps(next), turn.from_next);
    return _mm256_permutevar8x32_ps(both, turn.from);
}

/* A block of `whole` begins first % 8 channels before a block of `part`. So it receives the end of
 * one block of `part` and the beginning of the next. At either edge only one of the two exists; it
 * is read in place of the missing one, but none of those lanes is kept. */
SL_AVX2 static void insert_channels(const struct sl_nn_tensor *part, size_t first,
                                    const struct sl_nn_tensor *whole)
{
    const size_t end = first + part->channels, floats = sl_nn_block_floats(part);
    const size_t first_block = first / SL_NN_LANES, part_blocks = sl_nn_blocks(part->channels);
    const bool shifted = first % SL_NN_LANES != 0;
    const struct turn turn = turn_of((SL_NN_LANES - first % SL_NN_LANES) % SL_NN_LANES);
    for (size_t image = 0; image < part->images; image++)
        for (size_t block = first_block; block * SL_NN_LANES < end; block++) {
            const size_t begin = block * SL_NN_LANES;
            const size_t before = first > begin ? first - begin : 0;
            const size_t filled = end - begin < SL_NN_LANES ? end - begin : SL_NN_LANES;
            const __m256 keep = _mm256_andnot_ps(sl_nn_lane_mask(before), sl_nn_lane_mask(filled));
            const size_t at = block - first_block;
            const float *low = sl_nn_block_data(part, image, at > 0 && shifted ? at - 1 : at);
            const float *high = sl_nn_block_data(part, image, at < part_blocks ? at : at - 1);
            float *out = sl_nn_block_data(whole, image, block);
            for (size_t i = 0; i < floats; i += SL_NN_LANES)
                _mm256_storeu_ps(out + i, _mm256_blendv_ps(_mm256_loadu_ps(out + i),
                                                           turned(turn, low + i, high + i), keep));
        }
}

SL_AVX2 static void extract_channels(const struct sl_nn_tensor *whole, size_t first,
                                     const struct sl_nn_tensor *part)
{
    const size_t floats = sl_nn_block_floats(part), whole_blocks = sl_nn_blocks(whole->channels);
    const bool shifted = first % SL_NN_LANES != 0;
    const struct turn turn = turn_of(first % SL_NN_LANES);
    for (size_t image = 0; image < part->images; image++)
        for (size_t block = 0; block < sl_nn_blocks(part->channels); block++) {
            const __m256 keep = sl_nn_lane_mask(sl_nn_block_lanes(part, block));
            const size_t at = first / SL_NN_LANES + block;
            const float *low = sl_nn_block_data(whole, image, at);
            const float *high =
                sl_nn_block_data(whole, image, shifted && at + 1 < whole_blocks ? at + 1 : at);
            float *out = sl_nn_block_data(part, image, block);
            for (size_t i = 0; i < floats; i += SL_NN_LANES)
                _mm256_storeu_ps(out + i, _mm256_and_ps(turned(turn, low + i, high + i), keep));
        }
}

/* The sum of a block's vectors. Four chains of additions hide the latency. */
SL_AVX2_INLINE __m256 block_sum(const float *in, size_t floats)
{
    const size_t step = 4 * (size_t)SL_NN_LANES;
    __m256 sum[4];
    for (size_t k = 0; k < 4; k++)
        sum[k] = _mm256_setzero_ps();
    size_t i = 0;
    for (; i + step <= floats; i += step)
        for (size_t k = 0; k < 4; k++)
            sum[k] = _mm256_add_ps(sum[k], _mm256_loadu_ps(in + i + k * SL_NN_LANES));
    for (; i < floats; i += SL_NN_LANES)
        sum[0] = _mm256_add_ps(sum[0], _mm256_loadu_ps(in + i));
    return _mm256_add_ps(_mm256_add_ps(sum[0], sum[1]), _mm256_add_ps(sum[2], sum[3]));
}

SL_AVX2 static void global_pool_forward(const struct sl_nn_tensor *x,
                                        const struct sl_nn_tensor *rows)
{
    const __m256 pixels = _mm256_set1_ps((float)(x->height * x->width));
    for (size_t image = 0; image < x->images; image++)
        for (size_t block = 0; block < sl_nn_blocks(x->channels); block++) {
            const float *in = sl_nn_block_data(x, image, block);
            float mean[SL_NN_LANES];
            _mm256_storeu_ps(mean, _mm256_div_ps(block_sum(in, sl_nn_block_floats(x)), pixels));
            memcpy(rows->data + image * rows->image_stride + block * SL_NN_LANES, mean,
                   sl_nn_block_lanes(x, block) * sizeof *mean);
        }
}

SL_AVX2 static void global_pool_backward(const struct sl_nn_tensor *row_gradient,
                                         const struct sl_nn_tensor *add_to,
                                         const struct sl_nn_tensor *dx)
{
    const __m256 pixels = _mm256_set1_ps((float)(dx->height * dx->width));
    for (size_t image = 0; image < dx->images; image++)
        for (size_t block = 0; block < sl_nn_blocks(dx->channels); block++) {
            const size_t lanes = sl_nn_block_lanes(dx, block);
            const __m256 keep = sl_nn_lane_mask(lanes);
            const struct addend more = addend_of(add_to, image, block);
            float row[SL_NN_LANES] = {0};
            memcpy(row,
                   row_gradient->data + image * row_gradient->image_stride + block * SL_NN_LANES,
                   lanes * sizeof *row);
            const __m256 value = _mm256_div_ps(_mm256_loadu_ps(row), pixels);
            float *out = sl_nn_block_data(dx, image, block);
            for (size_t i = 0; i < sl_nn_block_floats(dx); i += SL_NN_LANES)
                _mm256_storeu_ps(out + i, _mm256_and_ps(added(value, more, i), keep));
        }
}

SL_AVX2 static void shake_forward(const struct sl_nn_tensor *a, const struct sl_nn_tensor *b,
                                  const float *alpha, const struct sl_nn_tensor *y)
{
    for (size_t image = 0; image < a->images; image++)
        for (size_t block = 0; block < sl_nn_blocks(a->channels); block++) {
            const __m256 keep = sl_nn_lane_mask(sl_nn_block_lanes(a, block));
            const __m256 share = _mm256_set1_ps(alpha[image]),
                         rest = _mm256_set1_ps(1 - alpha[image]);
            const float *one = sl_nn_block_data(a, image, block);
            const float *other = sl_nn_block_data(b, image, block);
            float *out = sl_nn_block_data(y, image, block);
            for (size_t i = 0; i < sl_nn_block_floats(a); i += SL_NN_LANES) {
                const __m256 mixed =
                    _mm256_fmadd_ps(_mm256_loadu_ps(one + i), share,
                                    _mm256_mul_ps(_mm256_loadu_ps(other + i), rest));
                _mm256_storeu_ps(out + i, _mm256_and_ps(mixed, keep));
            }
        }
}

SL_AVX2 static void shake_backward(const struct sl_nn_tensor *g, const float *factor,
                                   bool complement, const struct sl_nn_tensor *add_to,
                                   const struct sl_nn_tensor *dx)
{
    for (size_t image = 0; image < g->images; image++)
        for (size_t block = 0; block < sl_nn_blocks(g->channels); block++) {
            const __m256 keep = sl_nn_lane_mask(sl_nn_block_lanes(g, block));
            const __m256 share = _mm256_set1_ps(complement ? 1 - factor[image] : factor[image]);
            const struct addend more = addend_of(add_to, image, block);
            const float *upstream = sl_nn_block_data(g, image, block);
            float *out = sl_nn_block_data(dx, image, block);
            for (size_t i = 0; i < sl_nn_block_floats(g); i += SL_NN_LANES) {
                const __m256 value = _mm256_mul_ps(_mm256_loadu_ps(upstream + i), share);
                _mm256_storeu_ps(out + i, _mm256_and_ps(added(value, more, i), keep));
            }
        }
}

SL_AVX2 static void multiply(const float *a, const float *b, size_t count, float *out)
{
    size_t i = 0;
    for (; i + SL_NN_LANES <= count; i += SL_NN_LANES)
        _mm256_storeu_ps(out + i, _mm256_mul_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i)));
    for (; i < count; i++)
        out[i] = a[i] * b[i];
}

SL_AVX2 static void accumulate(const float *a, const float *b, size_t count, float *out)
{
    size_t i = 0;
    for (; i + SL_NN_LANES <= count; i += SL_NN_LANES)
        _mm256_storeu_ps(out + i, _mm256_add_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i)));
    for (; i < count; i++)
        out[i] = a[i] + b[i];
}

const struct sl_nn_kernels sl_nn_kernels_avx2 = {
    .name = "avx2",
    .statistics = sl_nn_avx2_statistics,
    .bn_forward = sl_nn_avx2_bn_forward,
    .bn_reduce = sl_nn_avx2_bn_reduce,
    .bn_apply = sl_nn_avx2_bn_apply,
    .add = add,
    .relu_forward = relu_forward,
    .relu_backward = relu_backward,
    .subsample_forward = subsample_forward,
    .subsample_backward = subsample_backward,
    .insert_channels = insert_channels,
    .extract_channels = extract_channels,
    .global_pool_forward = global_pool_forward,
    .global_pool_backward = global_pool_backward,
    .shake_forward = shake_forward,
    .shake_backward = shake_backward,
    .multiply = multiply,
    .accumulate = accumulate,
};

#endif
