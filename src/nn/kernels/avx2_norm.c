/* Batch norm's four passes with AVX2. Each reads every value once, so memory bandwidth limits them.
 */
#include "nn/kernels/avx2.h"

#if defined(__x86_64__)

#include <math.h>

#include "nn/kernels/walk.h"

/* A chunk of pixels is summed in float, in four chains of additions that do not wait for each
 * other, before the sums are added in double. With only 16 terms per chain the rounding error is
 * negligible. */
enum { CHUNK = 64, CHAINS = 4 };

/* Eight sums in double precision. */
struct sums {
    __m256d low, high;
};

SL_AVX2_INLINE void sums_clear(struct sums *sums)
{
    sums->low = sums->high = _mm256_setzero_pd();
}

SL_AVX2_INLINE void sums_add(struct sums *sums, const __m256 chains[CHAINS])
{
    const __m256 all =
        _mm256_add_ps(_mm256_add_ps(chains[0], chains[1]), _mm256_add_ps(chains[2], chains[3]));
    sums->low = _mm256_add_pd(sums->low, _mm256_cvtps_pd(_mm256_castps256_ps128(all)));
    sums->high = _mm256_add_pd(sums->high, _mm256_cvtps_pd(_mm256_extractf128_ps(all, 1)));
}

SL_AVX2_INLINE void sums_store(const struct sums *sums, double out[SL_NN_LANES])
{
    _mm256_storeu_pd(out, sums->low);
    _mm256_storeu_pd(out + 4, sums->high);
}

SL_AVX2_INLINE void moments_step(const float *in, __m256 shift, __m256 *plain, __m256 *square)
{
    const __m256 value = _mm256_sub_ps(_mm256_loadu_ps(in), shift);
    *plain = _mm256_add_ps(*plain, value);
    *square = _mm256_fmadd_ps(value, value, *square);
}

SL_AVX2 static void moments_chunk(const float *in, size_t floats, __m256 shift, struct sums *plain,
                                  struct sums *square)
{
    const size_t step = (size_t)CHAINS * SL_NN_LANES;
    __m256 p[CHAINS], q[CHAINS];
    for (size_t k = 0; k < CHAINS; k++)
        p[k] = q[k] = _mm256_setzero_ps();
    size_t i = 0;
    for (; i + step <= floats; i += step)
        for (size_t k = 0; k < CHAINS; k++)
            moments_step(in + i + k * SL_NN_LANES, shift, &p[k], &q[k]);
    for (; i < floats; i += SL_NN_LANES)
        moments_step(in + i, shift, &p[0], &q[0]);
    sums_add(plain, p);
    sums_add(square, q);
}

/* Sums over the images of blocks [begin, end), at most GROUP of them. For small maps it is faster
 * to read neighbouring blocks of an image than one block of every image. */
enum { GROUP = 16 };

SL_AVX2 static void moments_of_group(const struct sl_nn_tensor *x, size_t begin, size_t end,
                                     struct sl_nn_moments moments[GROUP])
{
    struct sums plain[GROUP], square[GROUP];
    const size_t floats = sl_nn_block_floats(x), chunk = (size_t)CHUNK * SL_NN_LANES;
    for (size_t k = 0; k < end - begin; k++) {
        sl_nn_moments_begin(&moments[k], x, begin + k);
        sums_clear(&plain[k]);
        sums_clear(&square[k]);
    }
    for (size_t image = 0; image < x->images; image++)
        for (size_t k = 0; k < end - begin; k++) {
            const float *in = sl_nn_block_data(x, image, begin + k);
            const __m256 shift = _mm256_loadu_ps(moments[k].shift);
            for (size_t i = 0; i < floats; i += chunk)
                moments_chunk(in + i, floats - i < chunk ? floats - i : chunk, shift, &plain[k],
                              &square[k]);
        }
    for (size_t k = 0; k < end - begin; k++) {
        sums_store(&plain[k], moments[k].sum);
        sums_store(&square[k], moments[k].square);
    }
}

void sl_nn_avx2_statistics(const struct sl_nn_tensor *x, size_t first, size_t count, float *mean,
                           float *variance)
{
    const size_t last = sl_nn_blocks(first + count);
    struct sl_nn_moments moments[GROUP];
    for (size_t begin = first / SL_NN_LANES; count > 0 && begin < last; begin += GROUP) {
        const size_t end = last - begin < GROUP ? last : begin + GROUP;
        moments_of_group(x, begin, end, moments);
        for (size_t k = 0; k < end - begin; k++)
            sl_nn_moments_end(&moments[k], begin + k, first, count, mean, variance);
    }
}

/* Both passes call this: backward recomputes the output to know where the ReLU passed it. */
SL_AVX2_INLINE __m256 normalised(__m256 x, __m256 scale, __m256 shift)
{
    return _mm256_fmadd_ps(x, scale, shift);
}

/* Vectors that are constant over a block; `keep` and `keep_add` mask the lanes that are
 * channels. */
struct coefficients {
    __m256 scale, shift, least, keep, keep_add;
};

SL_AVX2_INLINE void forward_block(const float *x, const float *add, struct coefficients is,
                                  size_t floats, float *y)
{
    for (size_t i = 0; i < floats; i += SL_NN_LANES) {
        __m256 value = normalised(_mm256_loadu_ps(x + i), is.scale, is.shift);
        if (add) value = _mm256_add_ps(value, _mm256_and_ps(_mm256_loadu_ps(add + i), is.keep_add));
        value = sl_nn_at_least(value, is.least);
        _mm256_storeu_ps(y + i, _mm256_and_ps(value, is.keep));
    }
}

/* Here and in bn_apply the last images come first: the previous pass has just read them, so they
 * are most likely still in the cache. */
SL_AVX2 void sl_nn_avx2_bn_forward(const struct sl_nn_bn_forward *args)
{
    const size_t floats = sl_nn_block_floats(args->x);
    for (size_t image = args->x->images; image-- > 0;)
        for (size_t block = 0; block < sl_nn_blocks(args->x->channels); block++) {
            const struct coefficients is = {
                .scale = _mm256_loadu_ps(args->scale + block * SL_NN_LANES),
                .shift = _mm256_loadu_ps(args->shift + block * SL_NN_LANES),
                .least = _mm256_set1_ps(args->relu ? 0 : -INFINITY),
                .keep = sl_nn_lane_mask(sl_nn_block_lanes(args->x, block)),
                .keep_add = sl_nn_lane_mask(sl_nn_block_lanes(args->add, block))};
            const float *x = sl_nn_block_data(args->x, image, block);
            const float *add = sl_nn_block_or_null(args->add, image, block);
            float *y = sl_nn_block_data(args->y, image, block);
            if (add)
                forward_block(x, add, is, floats, y);
            else
                forward_block(x, NULL, is, floats, y);
        }
}

/* How backward knows where the ReLU passed its input: there is no ReLU, it recomputes y, or it
 * reads y. */
enum gate { OPEN, RECOMPUTED, READ };

static enum gate gate_of(const struct sl_nn_bn_backward *args)
{
    if (!args->relu) return OPEN;
    return args->y ? READ : RECOMPUTED;
}

/* Pointers to one block of one image in the backward pass. */
struct place {
    const float *x, *g, *y;
    size_t floats;
    __m256 scale, shift, mean, keep;
};

/* The values of a block's channels; zeros if the array is NULL. */
SL_AVX2_INLINE __m256 of_channels(const float *values, size_t block)
{
    return values ? _mm256_loadu_ps(values + block * SL_NN_LANES) : _mm256_setzero_ps();
}

SL_AVX2_INLINE struct place place_of(const struct sl_nn_bn_backward *args, size_t image,
                                     size_t block)
{
    return (struct place){
        .x = sl_nn_block_data(args->x, image, block),
        .g = sl_nn_block_data(args->g, image, block),
        .y = sl_nn_block_or_null(args->y, image, block),
        .floats = sl_nn_block_floats(args->x),
        .scale = of_channels(args->scale, block),
        .shift = of_channels(args->shift, block),
        .mean = of_channels(args->mean, block),
        .keep = sl_nn_lane_mask(sl_nn_block_lanes(args->x, block)),
    };
}

SL_AVX2_INLINE __m256 gated(struct place at, enum gate gate, size_t i, __m256 x)
{
    const __m256 g = _mm256_and_ps(_mm256_loadu_ps(at.g + i), at.keep);
    if (gate == OPEN) return g;
    const __m256 y = gate == READ ? _mm256_loadu_ps(at.y + i) : normalised(x, at.scale, at.shift);
    return _mm256_and_ps(g, _mm256_cmp_ps(y, _mm256_setzero_ps(), _CMP_GT_OQ));
}

SL_AVX2_INLINE void reduce_step(struct place at, enum gate gate, size_t i, float *masked,
                                __m256 sums[2])
{
    const __m256 x = _mm256_loadu_ps(at.x + i), g = gated(at, gate, i, x);
    sums[0] = _mm256_add_ps(sums[0], g);
    sums[1] = _mm256_fmadd_ps(g, _mm256_sub_ps(x, at.mean), sums[1]);
    if (masked) _mm256_storeu_ps(masked + i, g);
}

SL_AVX2_INLINE void reduce_chunk(struct place at, enum gate gate, size_t begin, size_t end,
                                 float *masked, struct sums out[2])
{
    const size_t step = (size_t)CHAINS * SL_NN_LANES;
    __m256 chains[CHAINS][2];
    for (size_t k = 0; k < CHAINS; k++)
        chains[k][0] = chains[k][1] = _mm256_setzero_ps();
    size_t i = begin;
    for (; i + step <= end; i += step)
        for (size_t k = 0; k < CHAINS; k++)
            reduce_step(at, gate, i + k * SL_NN_LANES, masked, chains[k]);
    for (; i < end; i += SL_NN_LANES)
        reduce_step(at, gate, i, masked, chains[0]);
    for (size_t s = 0; s < 2; s++) {
        const __m256 each[CHAINS] = {chains[0][s], chains[1][s], chains[2][s], chains[3][s]};
        sums_add(&out[s], each);
    }
}

SL_AVX2_INLINE void reduce_block(struct place at, enum gate gate, float *masked, struct sums out[2])
{
    const size_t chunk = (size_t)CHUNK * SL_NN_LANES;
    for (size_t i = 0; i < at.floats; i += chunk)
        reduce_chunk(at, gate, i, at.floats - i < chunk ? at.floats : i + chunk, masked, out);
}

SL_AVX2_INLINE void reduce_gated(struct place at, enum gate gate, float *masked, struct sums out[2])
{
    if (gate == OPEN)
        reduce_block(at, OPEN, masked, out);
    else if (gate == RECOMPUTED)
        reduce_block(at, RECOMPUTED, masked, out);
    else
        reduce_block(at, READ, masked, out);
}

SL_AVX2_INLINE void reduce_end(const struct sl_nn_bn_backward *args, size_t block,
                               const struct sums sums[2], float *sum_g, float *sum_gx)
{
    double totals[2][SL_NN_LANES];
    sums_store(&sums[0], totals[0]);
    sums_store(&sums[1], totals[1]);
    for (size_t lane = 0; lane < SL_NN_LANES; lane++) {
        const size_t channel = block * SL_NN_LANES + lane;
        const bool inside = channel < args->x->channels;
        const double inverse = (double)args->inverse[channel];
        sum_g[channel] = inside ? (float)totals[0][lane] : 0;
        sum_gx[channel] = inside ? (float)(totals[1][lane] * inverse) : 0;
    }
}

SL_AVX2 static void reduce_group(const struct sl_nn_bn_backward *args, size_t begin, size_t end,
                                 struct sums sums[GROUP][2], const struct sl_nn_tensor *masked)
{
    const enum gate gate = gate_of(args);
    for (size_t k = 0; k < end - begin; k++) {
        sums_clear(&sums[k][0]);
        sums_clear(&sums[k][1]);
    }
    for (size_t image = 0; image < args->x->images; image++)
        for (size_t block = begin; block < end; block++) {
            const struct place at = place_of(args, image, block);
            if (masked)
                reduce_gated(at, gate, sl_nn_block_data(masked, image, block), sums[block - begin]);
            else
                reduce_gated(at, gate, NULL, sums[block - begin]);
        }
}

SL_AVX2 void sl_nn_avx2_bn_reduce(const struct sl_nn_bn_backward *args, float *sum_g, float *sum_gx,
                                  const struct sl_nn_tensor *masked)
{
    const size_t last = sl_nn_blocks(args->x->channels);
    struct sums sums[GROUP][2];
    for (size_t begin = 0; begin < last; begin += GROUP) {
        const size_t end = last - begin < GROUP ? last : begin + GROUP;
        reduce_group(args, begin, end, sums, masked);
        for (size_t block = begin; block < end; block++)
            reduce_end(args, block, sums[block - begin], sum_g, sum_gx);
    }
}

/* The coefficients of a g' + b x + c + add over one block. `keep_add` masks the lanes of add that
 * are channels. */
struct line {
    __m256 a, b, c, keep_add;
};

SL_AVX2_INLINE void apply_block(struct place at, struct line line, enum gate gate, const float *add,
                                float *dx)
{
    for (size_t i = 0; i < at.floats; i += SL_NN_LANES) {
        const __m256 x = _mm256_loadu_ps(at.x + i), g = gated(at, gate, i, x);
        __m256 value = _mm256_fmadd_ps(line.a, g, _mm256_fmadd_ps(line.b, x, line.c));
        if (add)
            value = _mm256_add_ps(value, _mm256_and_ps(_mm256_loadu_ps(add + i), line.keep_add));
        _mm256_storeu_ps(dx + i, _mm256_and_ps(value, at.keep));
    }
}

SL_AVX2_INLINE void apply_gated(struct place at, struct line line, enum gate gate, const float *add,
                                float *dx)
{
    if (gate == OPEN)
        apply_block(at, line, OPEN, add, dx);
    else if (gate == RECOMPUTED)
        apply_block(at, line, RECOMPUTED, add, dx);
    else
        apply_block(at, line, READ, add, dx);
}

SL_AVX2 void sl_nn_avx2_bn_apply(const struct sl_nn_bn_backward *args, const float *a,
                                 const float *b, const float *c, const struct sl_nn_tensor *add,
                                 const struct sl_nn_tensor *dx)
{
    const enum gate gate = gate_of(args);
    for (size_t image = args->x->images; image-- > 0;)
        for (size_t block = 0; block < sl_nn_blocks(args->x->channels); block++) {
            const struct line line = {
                .a = _mm256_loadu_ps(a + block * SL_NN_LANES),
                .b = _mm256_loadu_ps(b + block * SL_NN_LANES),
                .c = _mm256_loadu_ps(c + block * SL_NN_LANES),
                .keep_add = sl_nn_lane_mask(sl_nn_block_lanes(add, block)),
            };
            const struct place at = place_of(args, image, block);
            const float *more = sl_nn_block_or_null(add, image, block);
            float *out = sl_nn_block_data(dx, image, block);
            if (more)
                apply_gated(at, line, gate, more, out);
            else
                apply_gated(at, line, gate, NULL, out);
        }
}

#endif
