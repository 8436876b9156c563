#include "nn/conv/direct.h"
#include "nn/conv/direct_step.h"

static const float outside[SL_NN_LANES];

SL_NN_AVX2_INLINE ptrdiff_t place(const int32_t *offsets, int row, enum sl_nn_direct_kind kind)
{
    return kind == SL_NN_DIRECT_STRAIGHT ? offsets[0] + (ptrdiff_t)row * SL_NN_LANES : offsets[row];
}

/* Prefetches `initial`, which store_sums adds at the end. */
SL_NN_AVX2_INLINE void begin_sums(sl_nn_direct_sums sum, const struct sl_nn_direct_tile *tile,
                                  const int32_t *target, enum sl_nn_direct_kind kind, int n_rows,
                                  int n_blocks)
{
#pragma GCC unroll 3
    for (int block = 0; block < n_blocks; block++) {
        __m256 first = tile->bias ? _mm256_loadu_ps(tile->bias + (size_t)block * SL_NN_LANES)
                                  : _mm256_setzero_ps();
#pragma GCC unroll 8
        for (int row = 0; row < n_rows; row++)
            sum[row][block] = first;
    }
    if (!tile->initial) return;
#pragma GCC unroll 8
    for (int row = 0; row < n_rows; row += 2)
#pragma GCC unroll 3
        for (int block = 0; block < n_blocks; block++)
            __builtin_prefetch(tile->initial + place(target, row, kind) +
                               (size_t)block * tile->apart);
}

SL_NN_AVX2_INLINE void store_sums(sl_nn_direct_sums sum, const struct sl_nn_direct_tile *tile,
                                  const int32_t *target, enum sl_nn_direct_kind kind, int n_rows,
                                  int n_blocks)
{
    float *result[SL_NN_DIRECT_ROWS];
    if (tile->initial) {
#pragma GCC unroll 8
        for (int row = 0; row < n_rows; row++)
#pragma GCC unroll 3
            for (int block = 0; block < n_blocks; block++) {
                const float *initial =
                    tile->initial + place(target, row, kind) + (size_t)block * tile->apart;
                sum[row][block] = _mm256_add_ps(sum[row][block], _mm256_loadu_ps(initial));
            }
    }
    if (tile->relu) {
        const __m256 zero = _mm256_setzero_ps();
#pragma GCC unroll 8
        for (int row = 0; row < n_rows; row++)
#pragma GCC unroll 3
            for (int block = 0; block < n_blocks; block++)
                sum[row][block] = _mm256_max_ps(sum[row][block], zero);
    }
#pragma GCC unroll 8
    for (int row = 0; row < n_rows; row++)
        result[row] = tile->result + place(target, row, kind);
#pragma GCC unroll 3
    for (int block = 0; block < n_blocks; block++)
#pragma GCC unroll 8
        for (int row = 0; row < n_rows; row++)
            _mm256_storeu_ps(result[row] + (size_t)block * tile->apart, sum[row][block]);
}

/* In a padded plain image, the offsets of a window's values are the same for every pixel. */
SL_NN_AVX2_INLINE void add_plain(sl_nn_direct_sums sum, const struct sl_nn_direct_tile *tile,
                                 const int32_t *offsets, int n_rows, int n_blocks)
{
    const float *rows[SL_NN_DIRECT_ROWS];
    const float *weights = tile->weights;
#pragma GCC unroll 8
    for (int row = 0; row < n_rows; row++)
        rows[row] = tile->source + offsets[row];
    for (size_t d = 0; d < tile->depth; d++, weights += (size_t)n_blocks * SL_NN_LANES)
        sl_nn_direct_step(sum, rows, (size_t)tile->walk[d], weights, SL_NN_LANES, n_rows, n_blocks);
}

/* Add one tap: `depth` channels from `rows` on, block by block. Each row has its own step; it is 0
 * for pixels outside the map. */
SL_NN_AVX2_INLINE void add_blocks(sl_nn_direct_sums sum, const struct sl_nn_direct_tile *tile,
                                  const float *weights, const float **rows, const size_t *step,
                                  int n_rows, int n_blocks)
{
    const size_t width = (size_t)n_blocks * SL_NN_LANES;
    size_t left = tile->depth;
    for (; left >= SL_NN_LANES; left -= SL_NN_LANES) {
#pragma GCC unroll 8
        for (size_t at = 0; at < SL_NN_LANES; at++)
            sl_nn_direct_step(sum, rows, at, weights + at * width, SL_NN_LANES, n_rows, n_blocks);
        weights += SL_NN_LANES * width;
        if (tile->ahead) {
#pragma GCC unroll 8
            for (int row = 0; row < n_rows; row += 2)
                __builtin_prefetch(rows[row] + (size_t)n_rows * SL_NN_LANES);
        }
#pragma GCC unroll 8
        for (int row = 0; row < n_rows; row++)
            rows[row] += step[row];
    }
    for (size_t at = 0; at < left; at++, weights += width)
        sl_nn_direct_step(sum, rows, at, weights, SL_NN_LANES, n_rows, n_blocks);
}

SL_NN_AVX2_INLINE void add_tap(sl_nn_direct_sums sum, const struct sl_nn_direct_tile *tile,
                               const int32_t *offsets, const float *weights,
                               enum sl_nn_direct_kind kind, int n_rows, int n_blocks)
{
    const float *rows[SL_NN_DIRECT_ROWS];
    size_t step[SL_NN_DIRECT_ROWS];
    int32_t any = 0, all = -1;
#pragma GCC unroll 8
    for (int row = 0; row < n_rows; row++) {
        if (kind == SL_NN_DIRECT_TAPS) any |= offsets[row];
        rows[row] = tile->source + place(offsets, row, kind);
        step[row] = tile->step;
    }
    if (any < 0) {
#pragma GCC unroll 8
        for (int row = 0; row < n_rows; row++) {
            all &= offsets[row];
            rows[row] = offsets[row] < 0 ? outside : rows[row];
            step[row] = offsets[row] < 0 ? 0 : step[row];
        }
        if (all < 0) return;
    }
    add_blocks(sum, tile, weights, rows, step, n_rows, n_blocks);
}

SL_NN_AVX2_INLINE void run_tiles(const struct sl_nn_direct_tile *given, enum sl_nn_direct_kind kind,
                                 int n_rows, int n_blocks)
{
    /* The compiler knows that stores cannot change this copy. */
    const struct sl_nn_direct_tile copy = *given, *const tile = &copy;
    const int32_t *offsets = tile->offsets, *target = tile->target;
    for (size_t i = tile->count; i > 0; i--, offsets += n_rows, target += n_rows) {
        sl_nn_direct_sums sum;
        begin_sums(sum, tile, target, kind, n_rows, n_blocks);
        if (kind == SL_NN_DIRECT_PLAIN) {
            add_plain(sum, tile, offsets, n_rows, n_blocks);
        } else if (kind == SL_NN_DIRECT_STRAIGHT) {
            add_tap(sum, tile, offsets, tile->weights, kind, n_rows, n_blocks);
        } else {
            const float *weights = tile->weights;
            const int32_t *at = offsets;
            for (size_t tap = 0; tap < tile->n_taps; tap++) {
                add_tap(sum, tile, at, weights, kind, n_rows, n_blocks);
                at += tile->n_pixels;
                weights += tile->depth * (size_t)n_blocks * SL_NN_LANES;
            }
        }
        store_sums(sum, tile, target, kind, n_rows, n_blocks);
    }
}

#define TILE(name, kind, rows, blocks)                                                             \
    SL_NN_AVX2 static void name##_##rows##_##blocks(const struct sl_nn_direct_tile *tile)          \
    {                                                                                              \
        run_tiles(tile, kind, rows, blocks);                                                       \
    }
#define TAPS(rows, blocks)     TILE(taps, SL_NN_DIRECT_TAPS, rows, blocks)
#define STRAIGHT(rows, blocks) TILE(straight, SL_NN_DIRECT_STRAIGHT, rows, blocks)
#define PLAIN(rows, blocks)    TILE(plain, SL_NN_DIRECT_PLAIN, rows, blocks)
SL_NN_DIRECT_TILES(TAPS)
SL_NN_DIRECT_TILES(STRAIGHT)
SL_NN_DIRECT_TILES(PLAIN)

void (*const sl_nn_direct_tiles[SL_NN_DIRECT_KINDS][SL_NN_DIRECT_BLOCKS][SL_NN_DIRECT_ROWS])(
    const struct sl_nn_direct_tile *tile) = {
    [SL_NN_DIRECT_TAPS] = SL_NN_DIRECT_TABLE(taps),
    [SL_NN_DIRECT_STRAIGHT] = SL_NN_DIRECT_TABLE(straight),
    [SL_NN_DIRECT_PLAIN] = SL_NN_DIRECT_TABLE(plain),
};

SL_NN_AVX2_INLINE void run_outer(const struct sl_nn_direct_outer *outer, int n_rows, int n_blocks)
{
    sl_nn_direct_sums sum;
    const float *rows[SL_NN_DIRECT_ROWS];
    const size_t input_step = outer->input_step, apart = outer->apart;
#pragma GCC unroll 8
    for (int row = 0; row < n_rows; row++) {
        rows[row] = outer->input + outer->row_offset[row];
#pragma GCC unroll 3
        for (int block = 0; block < n_blocks; block++) {
            const float *from =
                outer->sum + (size_t)row * outer->sum_step + (size_t)block * SL_NN_LANES;
            sum[row][block] = outer->first ? _mm256_setzero_ps() : _mm256_loadu_ps(from);
        }
    }
    for (size_t i = 0; i < outer->n_runs; i++) {
        const float *upstream = outer->upstream + outer->runs[i].upstream;
        size_t at = (size_t)outer->runs[i].input;
        for (uint32_t left = outer->runs[i].count; left > 0; left--) {
            sl_nn_direct_step(sum, rows, at, upstream, apart, n_rows, n_blocks);
            at += input_step;
            upstream += SL_NN_LANES;
        }
    }
#pragma GCC unroll 8
    for (int row = 0; row < n_rows; row++)
#pragma GCC unroll 3
        for (int block = 0; block < n_blocks; block++) {
            float *to = outer->sum + (size_t)row * outer->sum_step + (size_t)block * SL_NN_LANES;
            _mm256_storeu_ps(to, sum[row][block]);
        }
}

#define OUTER(rows, blocks)                                                                        \
    SL_NN_AVX2 static void outer_##rows##_##blocks(const struct sl_nn_direct_outer *outer)         \
    {                                                                                              \
        run_outer(outer, rows, blocks);                                                            \
    }
SL_NN_DIRECT_TILES(OUTER)

void (*const sl_nn_direct_outers[SL_NN_DIRECT_BLOCKS][SL_NN_DIRECT_ROWS])(
    const struct sl_nn_direct_outer *outer) = SL_NN_DIRECT_TABLE(outer);
