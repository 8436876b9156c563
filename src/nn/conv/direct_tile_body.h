/* The register tiles of direct convolution, for one kind of vector. A file that includes this
 * defines before:
 *
 *   TILE_TARGET        the attribute of functions that use the vectors
 *   VECTOR             the type; VECTOR_BLOCKS: how many blocks of 8 channels it has
 *   MOST_ROWS, MOST_VECTORS   rows and vectors of a tile, at most
 *   vector_zero(), vector_all(value), vector_add(a, b), vector_max(a, b), vector_fma(a, b, sum)
 *   vector_packed(from)               load contiguous blocks
 *   vector_spread(from, apart)        load blocks that are `apart` floats apart
 *   vector_put(to, apart, value)      store them so; vector_store(to, value): contiguous
 *
 * All sizes are compile-time constants, so that the accumulators stay in registers. A lane sees the
 * same operations in the same order with every kind of vector. Private to nn/conv/. */
#include "nn/conv/direct.h"

#define TILE_INLINE TILE_TARGET __attribute__((always_inline)) static inline

enum { VECTOR_FLOATS = VECTOR_BLOCKS * SL_NN_LANES };

/* The accumulators of a tile. */
typedef VECTOR tile_sums[MOST_ROWS][MOST_VECTORS];

/* sum[row][v] += rows[row][at] vector[v] */
TILE_INLINE void add_products(tile_sums sum, const float *const *rows, size_t at,
                              const VECTOR *vector, int n_rows, int n_vectors)
{
#pragma GCC unroll 12
    for (int row = 0; row < n_rows; row++) {
        const VECTOR value = vector_all(rows[row][at]);
#pragma GCC unroll 3
        for (int v = 0; v < n_vectors; v++)
            sum[row][v] = vector_fma(value, vector[v], sum[row][v]);
    }
}

/* The same with packed weights. */
TILE_INLINE void add_packed(tile_sums sum, const float *const *rows, size_t at,
                            const float *weights, int n_rows, int n_vectors)
{
    VECTOR vector[MOST_VECTORS];
#pragma GCC unroll 3
    for (int v = 0; v < n_vectors; v++)
        vector[v] = vector_packed(weights + (size_t)v * VECTOR_FLOATS);
    add_products(sum, rows, at, vector, n_rows, n_vectors);
}

/* Where vector `v` of a row begins whose blocks are `apart` floats apart. */
TILE_INLINE size_t spread_place(int v, size_t apart)
{
    return (size_t)v * VECTOR_BLOCKS * apart;
}

static const float outside[SL_NN_LANES];

TILE_INLINE ptrdiff_t place(const int32_t *offsets, int row, enum sl_nn_direct_kind kind)
{
    return kind == SL_NN_DIRECT_STRAIGHT ? offsets[0] + (ptrdiff_t)row * SL_NN_LANES : offsets[row];
}

/* Prefetches `initial`, which store_sums adds at the end. */
TILE_INLINE void begin_sums(tile_sums sum, const struct sl_nn_direct_tile *tile,
                            const int32_t *target, enum sl_nn_direct_kind kind, int n_rows,
                            int n_vectors)
{
#pragma GCC unroll 3
    for (int v = 0; v < n_vectors; v++) {
        const VECTOR first =
            tile->bias ? vector_packed(tile->bias + (size_t)v * VECTOR_FLOATS) : vector_zero();
#pragma GCC unroll 12
        for (int row = 0; row < n_rows; row++)
            sum[row][v] = first;
    }
    if (!tile->initial) return;
#pragma GCC unroll 12
    for (int row = 0; row < n_rows; row += 2)
#pragma GCC unroll 3
        for (int block = 0; block < n_vectors * VECTOR_BLOCKS; block++)
            __builtin_prefetch(tile->initial + place(target, row, kind) +
                               (size_t)block * tile->apart);
}

TILE_INLINE void store_sums(tile_sums sum, const struct sl_nn_direct_tile *tile,
                            const int32_t *target, enum sl_nn_direct_kind kind, int n_rows,
                            int n_vectors)
{
    float *result[MOST_ROWS];
    if (tile->initial) {
#pragma GCC unroll 12
        for (int row = 0; row < n_rows; row++)
#pragma GCC unroll 3
            for (int v = 0; v < n_vectors; v++) {
                const float *initial =
                    tile->initial + place(target, row, kind) + spread_place(v, tile->apart);
                sum[row][v] = vector_add(sum[row][v], vector_spread(initial, tile->apart));
            }
    }
    if (tile->relu) {
#pragma GCC unroll 12
        for (int row = 0; row < n_rows; row++)
#pragma GCC unroll 3
            for (int v = 0; v < n_vectors; v++)
                sum[row][v] = vector_max(sum[row][v], vector_zero());
    }
#pragma GCC unroll 12
    for (int row = 0; row < n_rows; row++)
        result[row] = tile->result + place(target, row, kind);
#pragma GCC unroll 3
    for (int v = 0; v < n_vectors; v++)
#pragma GCC unroll 12
        for (int row = 0; row < n_rows; row++)
            vector_put(result[row] + spread_place(v, tile->apart), tile->apart, sum[row][v]);
}

/* In a padded plain image, the offsets of a window's values are the same for every pixel. */
TILE_INLINE void add_plain(tile_sums sum, const struct sl_nn_direct_tile *tile,
                           const int32_t *offsets, int n_rows, int n_vectors)
{
    const float *rows[MOST_ROWS];
    const float *weights = tile->weights;
#pragma GCC unroll 12
    for (int row = 0; row < n_rows; row++)
        rows[row] = tile->source + offsets[row];
    for (size_t d = 0; d < tile->depth; d++, weights += (size_t)n_vectors * VECTOR_FLOATS)
        add_packed(sum, rows, (size_t)tile->walk[d], weights, n_rows, n_vectors);
}

/* Add one tap: `depth` channels from `rows` on, block by block. Each row has its own step; it is 0
 * for pixels outside the map. */
TILE_INLINE void add_blocks(tile_sums sum, const struct sl_nn_direct_tile *tile,
                            const float *weights, const float **rows, const size_t *step,
                            int n_rows, int n_vectors)
{
    const size_t width = (size_t)n_vectors * VECTOR_FLOATS;
    size_t left = tile->depth;
    for (; left >= SL_NN_LANES; left -= SL_NN_LANES) {
#pragma GCC unroll 8
        for (size_t at = 0; at < SL_NN_LANES; at++)
            add_packed(sum, rows, at, weights + at * width, n_rows, n_vectors);
        weights += SL_NN_LANES * width;
        if (tile->ahead) {
#pragma GCC unroll 12
            for (int row = 0; row < n_rows; row += 2)
                __builtin_prefetch(rows[row] + (size_t)n_rows * SL_NN_LANES);
        }
#pragma GCC unroll 12
        for (int row = 0; row < n_rows; row++)
            rows[row] += step[row];
    }
    for (size_t at = 0; at < left; at++, weights += width)
        add_packed(sum, rows, at, weights, n_rows, n_vectors);
}

/* The same for contiguous pixels: one pointer for all rows. */
TILE_INLINE void add_straight(tile_sums sum, const struct sl_nn_direct_tile *tile,
                              const float *source, int n_rows, int n_vectors)
{
    const size_t width = (size_t)n_vectors * VECTOR_FLOATS;
    const float *weights = tile->weights;
    size_t left = tile->depth;
    for (;; left -= SL_NN_LANES, source += tile->step, weights += SL_NN_LANES * width) {
        const float *rows[MOST_ROWS];
#pragma GCC unroll 12
        for (int row = 0; row < n_rows; row++)
            rows[row] = source + (size_t)row * SL_NN_LANES;
        if (left < SL_NN_LANES) {
            for (size_t at = 0; at < left; at++)
                add_packed(sum, rows, at, weights + at * width, n_rows, n_vectors);
            return;
        }
#pragma GCC unroll 8
        for (size_t at = 0; at < SL_NN_LANES; at++)
            add_packed(sum, rows, at, weights + at * width, n_rows, n_vectors);
        if (!tile->ahead) continue;
#pragma GCC unroll 12
        for (int row = 0; row < n_rows; row += 2)
            __builtin_prefetch(rows[row] + (size_t)n_rows * SL_NN_LANES);
    }
}

TILE_INLINE void add_tap(tile_sums sum, const struct sl_nn_direct_tile *tile,
                         const int32_t *offsets, const float *weights, int n_rows, int n_vectors)
{
    const float *rows[MOST_ROWS];
    size_t step[MOST_ROWS];
    int32_t any = 0, all = -1;
#pragma GCC unroll 12
    for (int row = 0; row < n_rows; row++) {
        any |= offsets[row];
        rows[row] = tile->source + offsets[row];
        step[row] = tile->step;
    }
    if (any < 0) {
#pragma GCC unroll 12
        for (int row = 0; row < n_rows; row++) {
            all &= offsets[row];
            rows[row] = offsets[row] < 0 ? outside : rows[row];
            step[row] = offsets[row] < 0 ? 0 : step[row];
        }
        if (all < 0) return;
    }
    add_blocks(sum, tile, weights, rows, step, n_rows, n_vectors);
}

TILE_INLINE void run_tiles(const struct sl_nn_direct_tile *given, enum sl_nn_direct_kind kind,
                           int n_rows, int n_vectors)
{
    /* The compiler knows that stores cannot change this copy. */
    const struct sl_nn_direct_tile copy = *given, *const tile = &copy;
    const int32_t *offsets = tile->offsets, *target = tile->target;
    for (size_t i = tile->count; i > 0; i--, offsets += n_rows, target += n_rows) {
        tile_sums sum;
        begin_sums(sum, tile, target, kind, n_rows, n_vectors);
        if (kind == SL_NN_DIRECT_PLAIN) {
            add_plain(sum, tile, offsets, n_rows, n_vectors);
        } else if (kind == SL_NN_DIRECT_STRAIGHT) {
            add_straight(sum, tile, tile->source + offsets[0], n_rows, n_vectors);
        } else {
            const float *weights = tile->weights;
            const int32_t *at = offsets;
            for (size_t tap = 0; tap < tile->n_taps; tap++) {
                add_tap(sum, tile, at, weights, n_rows, n_vectors);
                at += tile->n_pixels;
                weights += tile->depth * (size_t)n_vectors * VECTOR_FLOATS;
            }
        }
        store_sums(sum, tile, target, kind, n_rows, n_vectors);
    }
}

TILE_INLINE void run_outer(const struct sl_nn_direct_outer *outer, int n_rows, int n_vectors)
{
    tile_sums sum;
    const float *rows[MOST_ROWS];
    const size_t input_step = outer->input_step, apart = outer->apart;
#pragma GCC unroll 12
    for (int row = 0; row < n_rows; row++) {
        rows[row] = outer->input + outer->row_offset[row];
#pragma GCC unroll 3
        for (int v = 0; v < n_vectors; v++) {
            const float *from =
                outer->sum + (size_t)row * outer->sum_step + (size_t)v * VECTOR_FLOATS;
            sum[row][v] = outer->first ? vector_zero() : vector_packed(from);
        }
    }
    for (size_t i = 0; i < outer->n_runs; i++) {
        const float *upstream = outer->upstream + outer->runs[i].upstream;
        size_t at = (size_t)outer->runs[i].input;
        for (uint32_t left = outer->runs[i].count; left > 0; left--) {
            VECTOR vector[MOST_VECTORS];
#pragma GCC unroll 3
            for (int v = 0; v < n_vectors; v++)
                vector[v] = vector_spread(upstream + spread_place(v, apart), apart);
            add_products(sum, rows, at, vector, n_rows, n_vectors);
            at += input_step;
            upstream += SL_NN_LANES;
        }
    }
#pragma GCC unroll 12
    for (int row = 0; row < n_rows; row++)
#pragma GCC unroll 3
        for (int v = 0; v < n_vectors; v++)
            vector_store(outer->sum + (size_t)row * outer->sum_step + (size_t)v * VECTOR_FLOATS,
                         sum[row][v]);
}

/* Functions of n_rows rows and n_vectors vectors: for each kind of tile, and for outer products. */
#define TILE_FUNCTIONS(n_rows, n_vectors)                                                          \
    TILE_TARGET static void taps_##n_rows##_##n_vectors(const struct sl_nn_direct_tile *tile)      \
    {                                                                                              \
        run_tiles(tile, SL_NN_DIRECT_TAPS, n_rows, n_vectors);                                     \
    }                                                                                              \
    TILE_TARGET static void straight_##n_rows##_##n_vectors(const struct sl_nn_direct_tile *tile)  \
    {                                                                                              \
        run_tiles(tile, SL_NN_DIRECT_STRAIGHT, n_rows, n_vectors);                                 \
    }                                                                                              \
    TILE_TARGET static void plain_##n_rows##_##n_vectors(const struct sl_nn_direct_tile *tile)     \
    {                                                                                              \
        run_tiles(tile, SL_NN_DIRECT_PLAIN, n_rows, n_vectors);                                    \
    }                                                                                              \
    TILE_TARGET static void outer_##n_rows##_##n_vectors(const struct sl_nn_direct_outer *outer)   \
    {                                                                                              \
        run_outer(outer, n_rows, n_vectors);                                                       \
    }
