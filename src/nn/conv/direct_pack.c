/* Packs weights from OIHW into panels, and unpacks their gradient. */
#include <string.h>

#include "nn/conv/direct.h"
#include "nn/conv/direct_step.h"

enum { DEPTH_SPAN = 16 };

/* Transpose 8 x 8 floats: row i of `from` becomes column i of the rows that `to` points at. */
SL_NN_AVX2_INLINE void transpose(const float *from, size_t from_step, float *const to[SL_NN_LANES])
{
    __m256 a[SL_NN_LANES], b[SL_NN_LANES];
#pragma GCC unroll 8
    for (size_t i = 0; i < SL_NN_LANES; i++)
        a[i] = _mm256_loadu_ps(from + i * from_step);
#pragma GCC unroll 4
    for (size_t i = 0; i < SL_NN_LANES; i += 2) {
        b[i] = _mm256_unpacklo_ps(a[i], a[i + 1]);
        b[i + 1] = _mm256_unpackhi_ps(a[i], a[i + 1]);
    }
#pragma GCC unroll 2
    for (size_t i = 0; i < SL_NN_LANES; i += 4) {
        a[i] = _mm256_shuffle_ps(b[i], b[i + 2], 0x44);
        a[i + 1] = _mm256_shuffle_ps(b[i], b[i + 2], 0xee);
        a[i + 2] = _mm256_shuffle_ps(b[i + 1], b[i + 3], 0x44);
        a[i + 3] = _mm256_shuffle_ps(b[i + 1], b[i + 3], 0xee);
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < SL_NN_LANES / 2; i++) {
        _mm256_storeu_ps(to[i], _mm256_permute2f128_ps(a[i], a[i + 4], 0x20));
        _mm256_storeu_ps(to[i + 4], _mm256_permute2f128_ps(a[i], a[i + 4], 0x31));
    }
}

/* One block of a panel: lanes [0, n_lanes) of `in` go to rows that are `width` floats apart. */
struct block {
    const float *in;
    size_t n_lanes;
    float *out;
    size_t width;
};

/* A position among the rows of a block in OIHW's order, taps innermost. It is incremented step by
 * step, because a division would cost as much as the copying. */
struct cursor {
    size_t tap, d;
};

static float *next_row(const struct sl_nn_direct_packing *packing, const struct block *block,
                       struct cursor *cursor)
{
    float *row = block->out + (cursor->tap * packing->depth + cursor->d) * block->width;
    if (++cursor->tap == packing->n_taps) {
        cursor->tap = 0;
        cursor->d++;
    }
    return row;
}

/* Pack rows from the cursor up to depth `end`. */
static void pack_rows(const struct sl_nn_direct_packing *packing, const struct block *block,
                      struct cursor cursor, size_t end)
{
    while (cursor.d < end) {
        const float *in = block->in + cursor.d * packing->depth_step + packing->taps[cursor.tap];
        float *out = next_row(packing, block, &cursor);
        if (packing->lane_step == 1 && block->n_lanes == SL_NN_LANES) {
            memcpy(out, in, SL_NN_LANES * sizeof *out);
            continue;
        }
        for (size_t i = 0; i < block->n_lanes; i++)
            out[i] = in[i * packing->lane_step];
        for (size_t i = block->n_lanes; i < SL_NN_LANES; i++)
            out[i] = 0;
    }
}

/* Pack rows that are contiguous in the weights, eight lanes at a time. Moves the cursor past
 * them. */
SL_NN_AVX2 static void pack_transposed(const struct sl_nn_direct_packing *packing,
                                       const struct block *block, struct cursor *cursor)
{
    const size_t rows = packing->depth * packing->n_taps;
    for (size_t order = 0; order + SL_NN_LANES <= rows; order += SL_NN_LANES) {
        float *to[SL_NN_LANES];
        for (size_t i = 0; i < SL_NN_LANES; i++)
            to[i] = next_row(packing, block, cursor);
        transpose(block->in + order, packing->lane_step, to);
    }
}

void sl_nn_direct_pack(const struct sl_nn_direct_packing *packing, size_t first_block,
                       size_t end_block, float *packed)
{
    /* The packing has all taps of the kernel, in their order in the weights. */
    const bool contiguous = packing->depth_step == packing->n_taps;
    /* Otherwise neighbours in the weights belong to neighbouring panels. A small span of rows of
     * all panels stays in the cache. */
    const size_t span = contiguous ? packing->depth : DEPTH_SPAN, n_taps = packing->n_taps;
    if (n_taps == 0) return;
    for (size_t d = 0; d < packing->depth; d += span)
        for (size_t i = first_block; i < end_block; i++) {
            const size_t end = d + span < packing->depth ? d + span : packing->depth;
            const size_t last = sl_nn_direct_panels(packing->lanes) - 1;
            const size_t panel = i / 2 < last ? i / 2 : last;
            const size_t left = packing->lanes - i * SL_NN_LANES;
            const struct block block = {
                .in = packing->weights + i * SL_NN_LANES * packing->lane_step,
                .n_lanes = left < SL_NN_LANES ? left : SL_NN_LANES,
                .out = packed + panel * SL_NN_DIRECT_PANEL * n_taps * packing->depth +
                       (i - panel * 2) * SL_NN_LANES,
                .width = sl_nn_direct_panel_blocks(packing->lanes, panel) * SL_NN_LANES,
            };
            struct cursor cursor = {.d = d};
            if (contiguous && block.n_lanes == SL_NN_LANES)
                pack_transposed(packing, &block, &cursor);
            pack_rows(packing, &block, cursor, end);
        }
}

/* The rows of a block to unpack, of all `n_rows`. */
struct unpacking {
    const float *from;
    size_t width, n_rows, begin, end, n_lanes;
    float *to;
};

SL_NN_AVX2 static void unpack_block(const struct unpacking *block)
{
    const size_t n_rows = block->n_rows, width = block->width;
    size_t row = block->begin;
    for (; block->n_lanes == SL_NN_LANES && row + SL_NN_LANES <= block->end; row += SL_NN_LANES) {
        float *lanes[SL_NN_LANES];
        for (size_t i = 0; i < SL_NN_LANES; i++)
            lanes[i] = block->to + i * n_rows + row;
        transpose(block->from + row * width, width, lanes);
    }
    for (; row < block->end; row++)
        for (size_t i = 0; i < block->n_lanes; i++)
            block->to[i * n_rows + row] = block->from[row * width + i];
}

void sl_nn_direct_unpack(const float *panels, size_t channels, size_t rows, size_t begin,
                         size_t end, float *result)
{
    for (size_t panel = 0; panel < sl_nn_direct_panels(channels); panel++) {
        const size_t n_blocks = sl_nn_direct_panel_blocks(channels, panel);
        for (size_t i = 0; i < n_blocks; i++) {
            const size_t lane = panel * SL_NN_DIRECT_PANEL + i * SL_NN_LANES;
            const size_t left = channels - lane;
            unpack_block(&(struct unpacking){
                .from = panels + panel * SL_NN_DIRECT_PANEL * rows + i * SL_NN_LANES,
                .width = n_blocks * SL_NN_LANES,
                .n_rows = rows,
                .begin = begin,
                .end = end,
                .n_lanes = left < SL_NN_LANES ? left : SL_NN_LANES,
                .to = result + lane * rows,
            });
        }
    }
}
