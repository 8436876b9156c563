/* Direct convolution, private to nn/conv/. Two products do all of it:
 *
 *   pixels x channels  Forward and backward-data: a register tile of a few pixels of the result by
 *                      16 of its channels; every value of the source is broadcast against a row of
 *                      packed weights. What forward and backward-data differ in (which source
 *                      pixels a result pixel reads, and by which taps) is in tables made once.
 *   values x channels  Backward-weights: a register tile of a few rows of the weight gradient by 16
 *                      output channels, summed over pixels.
 *
 * Both run sl_nn_direct_step (direct_step.h). */
#ifndef SOFTLAB_NN_CONV_DIRECT_H
#define SOFTLAB_NN_CONV_DIRECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nn/conv/conv.h"
#include "nn/tensor.h"

enum {
    SL_NN_DIRECT_PANEL = 16, /* result channels, two blocks */
    SL_NN_DIRECT_BLOCKS = 3, /* of the last panel, at most */
    SL_NN_DIRECT_ROWS = 8,   /* of a tile, at most */
    SL_NN_DIRECT_PARTS = 4,  /* parities of a pixel, at stride 2 */
};

static inline size_t sl_nn_direct_divide_up(size_t a, size_t b)
{
    return (a + b - 1) / b;
}
/* Panels are of two blocks; where the number of blocks is odd the last one has three, or one if
 * that is all there is. */
static inline size_t sl_nn_direct_panels(size_t channels)
{
    return channels <= SL_NN_LANES ? 1 : sl_nn_blocks(channels) / 2;
}
static inline size_t sl_nn_direct_panel_blocks(size_t channels, size_t panel)
{
    size_t left = sl_nn_blocks(channels) - panel * 2;
    return left < 4 ? left : 2;
}
/* Rows of a tile by so many blocks. Twelve accumulators need the fewest loads; eight, which just
 * fill the multipliers, lose less at the ends of a short sum. */
static inline size_t sl_nn_direct_rows(size_t n_blocks, bool short_sum)
{
    return n_blocks == 1 ? SL_NN_DIRECT_ROWS : n_blocks == 2 && !short_sum ? 6 : 4;
}
/* Where part `index` of `count` rows begins, cut into parts of at most `most`; a small rest is
 * shared by the last two. */
static inline size_t sl_nn_direct_cut(size_t count, size_t most, size_t index)
{
    const size_t cuts = sl_nn_direct_divide_up(count, most), rest = count - (cuts - 1) * most;
    if (index >= cuts) return count;
    if (cuts > 1 && rest + 2 < most && index + 1 == cuts) return count - (most + rest) / 2;
    return index * most;
}

/* How the pixels of a tile lie. */
enum sl_nn_direct_kind {
    SL_NN_DIRECT_TAPS,     /* anywhere, other pixels for every tap */
    SL_NN_DIRECT_STRAIGHT, /* one after the other in source and result, of one tap */
    SL_NN_DIRECT_PLAIN,    /* in a padded plain image */
    SL_NN_DIRECT_KINDS
};
/* Tiles of as many pixels each, one after the other, by one panel, in one pass over a chunk of taps
 * and source channels. */
struct sl_nn_direct_tile {
    size_t count;
    const float *source;    /* the chunk's first block in the image */
    const int32_t *offsets; /* in the source, of the first tap; negative: zero */
    size_t n_pixels;        /* from one tap's offsets to the next */
    size_t n_taps, depth;   /* depth: channels of the chunk, or values of a plain pixel */
    size_t step;            /* from block to block of the source */
    const int32_t *walk;    /* plain: where a pixel's values lie from its first */
    const float *weights;
    const int32_t *target;       /* offsets in the result */
    const float *initial, *bias; /* added; or NULL. The first is laid out as the result */
    float *result;
    size_t apart; /* between the blocks of the result */
    bool relu;
    bool ahead; /* fetch the next tile's source */
};
/* By the number of blocks of the panel and of pixels of a tile, each less one. */
extern void (*const sl_nn_direct_tiles[SL_NN_DIRECT_KINDS][SL_NN_DIRECT_BLOCKS][SL_NN_DIRECT_ROWS])(
    const struct sl_nn_direct_tile *tile);

/* Pixels at a constant distance from each other in the input, and next to each other upstream. */
struct sl_nn_direct_run {
    int32_t input, upstream; /* offsets of the first pixel */
    uint32_t count;
};
/* A few rows of the weight gradient by one panel, summed over runs of pixels. */
struct sl_nn_direct_outer {
    const float *input, *upstream;
    const int32_t *row_offset;
    size_t input_step;
    const struct sl_nn_direct_run *runs;
    size_t n_runs;
    size_t apart; /* between the blocks of a panel */
    float *sum;
    size_t sum_step; /* from row to row */
    bool first;      /* sums begin at zero */
};
/* By the number of blocks of the panel and of rows, each less one. */
extern void (*const sl_nn_direct_outers[SL_NN_DIRECT_BLOCKS][SL_NN_DIRECT_ROWS])(
    const struct sl_nn_direct_outer *outer);

/* Where tiles begin among a list of pixels: (count + 1). */
struct sl_nn_direct_tiling {
    size_t count;
    uint32_t *begin; /* owned */
};

/* Result pixels that read the source through the same taps. Offsets are floats within one plane. */
struct sl_nn_direct_part {
    enum sl_nn_direct_kind kind;
    size_t n_taps, n_pixels;
    size_t *taps;    /* owned; ky kernel + kx */
    int32_t *target; /* owned; (pixels), in the result */
    int32_t *source; /* owned; (taps, pixels), in the source; -1: outside the map, zero */
    struct sl_nn_direct_tiling tiling[SL_NN_DIRECT_BLOCKS]; /* for panels of 1, 2, 3 blocks */
    size_t weights; /* where its packed weights begin, floats in `prepared` */
};

/* Forward and backward-data of blocked tensors. */
struct sl_nn_direct_product {
    size_t images;
    size_t depth, source_plane;   /* source channels, floats of one block's plane */
    size_t source_used;           /* floats of it that any tap reads, in whole cache lines */
    size_t lanes, result_plane;   /* result channels */
    size_t lane_step, depth_step; /* of the OIHW weights */
    struct sl_nn_direct_part parts[SL_NN_DIRECT_PARTS];
    size_t n_parts;
    bool relu;
    /* Plain input: forward reads a copy of each image with its padding. */
    struct sl_nn_conv_task plain;
    int32_t *walk; /* owned; (depth): where a pixel's values lie from its first; else NULL */
};

struct sl_nn_direct_operands {
    const float *source, *weights, *bias, *add;
    float *result, *scratch;
};

enum sl_status sl_nn_direct_forward_init(struct sl_nn_direct_product *product,
                                         const struct sl_nn_conv_task *task,
                                         struct sl_error *err) SL_MUST_USE;
enum sl_status sl_nn_direct_data_init(struct sl_nn_direct_product *product,
                                      const struct sl_nn_conv_task *task,
                                      struct sl_error *err) SL_MUST_USE;
/* Backward-data into plain images, and the scratch of either kind. */
void sl_nn_direct_data_run_plain(const struct sl_nn_direct_product *product,
                                 const struct sl_nn_direct_operands *operands);
size_t sl_nn_direct_data_scratch(const struct sl_nn_direct_product *product); /* floats */
/* Allocates the tables of a part whose counts are set. */
enum sl_status sl_nn_direct_part_alloc(struct sl_nn_direct_part *part,
                                       struct sl_error *err) SL_MUST_USE;
/* Tiles for a part whose tables are filled, pixels in reading order in rows of `width`; its kind is
 * set if it is plain. */
enum sl_status sl_nn_direct_part_tile(struct sl_nn_direct_part *part, size_t width, size_t depth,
                                      struct sl_error *err) SL_MUST_USE;
void sl_nn_direct_product_release(struct sl_nn_direct_product *product);
size_t sl_nn_direct_product_prepared(const struct sl_nn_direct_product *product); /* floats */
size_t sl_nn_direct_product_scratch(const struct sl_nn_direct_product *product);  /* floats */
void sl_nn_direct_product_pack(const struct sl_nn_direct_product *product, const float *weights,
                               float *packed);
void sl_nn_direct_product_run(const struct sl_nn_direct_product *product,
                              const struct sl_nn_direct_operands *operands);

/* Runs of every strip and set, one after the other. */
struct sl_nn_direct_runs {
    struct sl_nn_direct_run *list; /* owned */
    size_t *begin;                 /* owned; (strips, sets) + 1 */
};
/* Backward-weights. The rows of the weight gradient, one for each input value that an output
 * channel's weights meet, fall into sets that read the same pixels: the channels of one tap, or, of
 * plain images that are copied with their padding, all rows. */
struct sl_nn_direct_gradient {
    struct sl_nn_conv_task task;
    size_t together;       /* images that are summed over at a time */
    bool packed;           /* and copied side by side for that, blocks outermost */
    bool gathered;         /* the pixels that a set reads are copied side by side, strip by strip */
    size_t n_sets, n_rows; /* row r of set s is the (r n_sets + s)-th in OIHW */
    int32_t *row_offset;   /* owned; (rows), floats in the input */
    size_t input_step;     /* floats from pixel to pixel */
    size_t input_plane, upstream_plane; /* from block to block, or channel to channel */
    size_t input_image, upstream_image; /* from image to image, where they are read from */
    size_t n_strips;                    /* slices of the pixels, summed one after the other */
    size_t input_pixels;                /* of the longest strip */
    struct sl_nn_direct_runs runs;
    struct sl_nn_direct_runs pieces; /* gathered: what to copy */
};
enum sl_status sl_nn_direct_gradient_init(struct sl_nn_direct_gradient *gradient,
                                          const struct sl_nn_conv_task *task,
                                          struct sl_error *err) SL_MUST_USE;
void sl_nn_direct_gradient_release(struct sl_nn_direct_gradient *gradient);
size_t sl_nn_direct_gradient_scratch(const struct sl_nn_direct_gradient *gradient); /* floats */
void sl_nn_direct_gradient_run(const struct sl_nn_direct_gradient *gradient,
                               const struct sl_nn_conv_args *args);

/* One plain image into the middle of its padding. */
void sl_nn_direct_pad(const struct sl_nn_conv_task *task, const float *images, size_t image,
                      float *padded);

/* Pack lanes x depth x taps of weights into panels (taps, depth, 8 a block), missing lanes zero. */
struct sl_nn_direct_packing {
    const float *weights;
    size_t lanes, depth, n_taps;
    size_t lane_step, depth_step;
    const size_t *taps; /* floats from the first tap */
};
void sl_nn_direct_pack(const struct sl_nn_direct_packing *packing, float *packed);
/* Panels (rows, 8 a block) of `channels` lanes to (channels, rows). */
void sl_nn_direct_unpack(const float *panels, size_t channels, size_t rows, float *result);

#endif
