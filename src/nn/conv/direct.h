/* Direct convolution. Private to nn/conv/. It consists of two products:
 *
 *   pixels x channels  Forward and backward-data. A register tile holds a few pixels of the result
 *                      by 16 of its channels; every value of the source is broadcast and multiplied
 *                      by a row of packed weights. Tables, made once, say which source pixels a
 *                      result pixel reads by which taps. Forward and backward-data differ only in
 *                      these tables.
 *   values x channels  Backward-weights. A register tile holds a few rows of the weight gradient by
 *                      16 output channels, summed over pixels.
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
    SL_NN_DIRECT_PANEL = 16, /* channels of a panel: two blocks */
    SL_NN_DIRECT_BLOCKS = 3, /* blocks of the last panel, at most */
    SL_NN_DIRECT_ROWS = 8,   /* rows of a tile, at most */
    SL_NN_DIRECT_PARTS = 4,  /* parities of a pixel's row and column at stride 2 */
};

static inline size_t sl_nn_direct_divide_up(size_t a, size_t b)
{
    return (a + b - 1) / b;
}
/* A panel has two blocks. If the number of blocks is odd, the last panel has three, or one if there
 * is only one block. */
static inline size_t sl_nn_direct_panels(size_t channels)
{
    return channels <= SL_NN_LANES ? 1 : sl_nn_blocks(channels) / 2;
}
static inline size_t sl_nn_direct_panel_blocks(size_t channels, size_t panel)
{
    size_t left = sl_nn_blocks(channels) - panel * 2;
    return left < 4 ? left : 2;
}
/* Rows of a tile that is `n_blocks` wide. Twelve accumulators need the fewest loads per product.
 * Eight just keep the multipliers busy, but lose less time at the ends of a short sum. */
static inline size_t sl_nn_direct_rows(size_t n_blocks, bool short_sum)
{
    return n_blocks == 1 ? SL_NN_DIRECT_ROWS : n_blocks == 2 && !short_sum ? 6 : 4;
}
/* The beginning of part `index`, when `count` rows are cut into parts of at most `most`. If the
 * rest is small, the last two parts share their rows. */
static inline size_t sl_nn_direct_cut(size_t count, size_t most, size_t index)
{
    const size_t cuts = sl_nn_direct_divide_up(count, most), rest = count - (cuts - 1) * most;
    if (index >= cuts) return count;
    if (cuts > 1 && rest + 2 < most && index + 1 == cuts) return count - (most + rest) / 2;
    return index * most;
}

/* How the pixels of a tile lie in memory. */
enum sl_nn_direct_kind {
    SL_NN_DIRECT_TAPS,     /* anywhere; every tap has other pixels */
    SL_NN_DIRECT_STRAIGHT, /* contiguous in source and result, with a single tap */
    SL_NN_DIRECT_PLAIN,    /* in a padded plain image */
    SL_NN_DIRECT_KINDS
};
/* `count` consecutive tiles of equally many pixels, by one panel, in one pass over a chunk of taps
 * and source channels. */
struct sl_nn_direct_tile {
    size_t count;
    const float *source;    /* first block of the chunk in the image */
    const int32_t *offsets; /* in the source, for the first tap; negative: zero */
    size_t n_pixels;        /* distance between the offsets of two taps */
    size_t n_taps, depth;   /* depth: channels of the chunk, or values of a plain pixel */
    size_t step;            /* floats between blocks of the source */
    const int32_t *walk;    /* plain: offsets of a pixel's values from the first of them */
    const float *weights;
    const int32_t *target;       /* offsets in the result */
    const float *initial, *bias; /* added, or NULL; `initial` has the layout of the result */
    float *result;
    size_t apart; /* floats between blocks of the result */
    bool relu;
    bool ahead; /* prefetch the source of the next tile */
};
/* Indexed by kind, blocks of the panel - 1 and pixels of a tile - 1. */
extern void (*const sl_nn_direct_tiles[SL_NN_DIRECT_KINDS][SL_NN_DIRECT_BLOCKS][SL_NN_DIRECT_ROWS])(
    const struct sl_nn_direct_tile *tile);

/* A run of pixels: at a constant distance from each other in the input, contiguous in the upstream
 * gradient. */
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
    size_t apart; /* floats between blocks of a panel */
    float *sum;
    size_t sum_step; /* floats between rows */
    bool first;      /* start with zero sums */
};
/* Indexed by blocks of the panel - 1 and rows - 1. */
extern void (*const sl_nn_direct_outers[SL_NN_DIRECT_BLOCKS][SL_NN_DIRECT_ROWS])(
    const struct sl_nn_direct_outer *outer);

/* The first pixel of each tile in a list of pixels: (count + 1). */
struct sl_nn_direct_tiling {
    size_t count;
    uint32_t *begin; /* owned */
};

/* Result pixels that read the source through the same taps. Offsets count floats within one
 * plane. */
struct sl_nn_direct_part {
    enum sl_nn_direct_kind kind;
    size_t n_taps, n_pixels;
    size_t *taps;    /* owned; tap number ky kernel + kx */
    int32_t *target; /* owned; (pixels): offsets in the result */
    int32_t *source; /* owned; (taps, pixels): offsets in the source; -1: outside the map, zero */
    struct sl_nn_direct_tiling tiling[SL_NN_DIRECT_BLOCKS]; /* for panels of 1, 2, 3 blocks */
    size_t weights; /* offset of its packed weights, in floats of `prepared` */
};

/* Forward and backward-data of blocked tensors. */
struct sl_nn_direct_product {
    size_t images;
    size_t depth, source_plane;   /* source channels; floats of one block's plane */
    size_t source_used;           /* floats of a plane that any tap reads, in whole cache lines */
    size_t lanes, result_plane;   /* result channels */
    size_t lane_step, depth_step; /* strides in the OIHW weights */
    struct sl_nn_direct_part parts[SL_NN_DIRECT_PARTS];
    size_t n_parts;
    bool relu;
    /* Plain input: forward reads a padded copy of each image. */
    struct sl_nn_conv_task plain;
    int32_t *walk; /* owned; (depth): offsets of a window's values; NULL unless plain */
    size_t threads;
};

struct sl_nn_direct_operands {
    const float *source, *weights, *bias, *add;
    float *result, *scratch;
    struct sl_pool *pool;
};

enum sl_status sl_nn_direct_forward_init(struct sl_nn_direct_product *product,
                                         const struct sl_nn_conv_task *task,
                                         struct sl_error *err) SL_MUST_USE;
enum sl_status sl_nn_direct_data_init(struct sl_nn_direct_product *product,
                                      const struct sl_nn_conv_task *task,
                                      struct sl_error *err) SL_MUST_USE;
/* Backward-data into plain images, and the scratch that either kind needs. */
void sl_nn_direct_data_run_plain(const struct sl_nn_direct_product *product,
                                 const struct sl_nn_direct_operands *operands);
size_t sl_nn_direct_data_scratch(const struct sl_nn_direct_product *product); /* floats */
/* Allocates the tables of a part whose counts are set. */
enum sl_status sl_nn_direct_part_alloc(struct sl_nn_direct_part *part,
                                       struct sl_error *err) SL_MUST_USE;
/* Make the tiles of a part whose tables are filled, with pixels in reading order in rows of
 * `width`. Its kind must be set already if it is plain. */
enum sl_status sl_nn_direct_part_tile(struct sl_nn_direct_part *part, size_t width, size_t depth,
                                      struct sl_error *err) SL_MUST_USE;
void sl_nn_direct_product_release(struct sl_nn_direct_product *product);
size_t sl_nn_direct_product_prepared(const struct sl_nn_direct_product *product); /* floats */
size_t sl_nn_direct_product_scratch(const struct sl_nn_direct_product *product);  /* floats */
void sl_nn_direct_product_pack(const struct sl_nn_direct_product *product, const float *weights,
                               float *packed, struct sl_pool *pool);
void sl_nn_direct_product_run(const struct sl_nn_direct_product *product,
                              const struct sl_nn_direct_operands *operands);

/* The runs of all strips and sets, one list after another. */
struct sl_nn_direct_runs {
    struct sl_nn_direct_run *list; /* owned */
    size_t *begin;                 /* owned; (strips, sets) + 1 */
};
/* Backward-weights. The weight gradient has one row for each input value that an output channel
 * reads. Rows that read the same pixels form a set: the channels of one tap. Plain images are
 * copied with their padding, so all their rows form one set. */
struct sl_nn_direct_gradient {
    struct sl_nn_conv_task task;
    size_t together; /* images that are summed over together */
    bool packed;     /* these images are first copied side by side, blocks outermost */
    bool gathered;   /* the pixels that a set reads are first copied side by side, strip by strip */
    size_t n_sets, n_rows;              /* row r of set s is row r n_sets + s in OIHW */
    int32_t *row_offset;                /* owned; (rows): offsets in the input, in floats */
    size_t input_step;                  /* floats from pixel to pixel */
    size_t input_plane, upstream_plane; /* floats between blocks, or between channels */
    size_t input_image, upstream_image; /* floats between images, in the memory that is read */
    size_t n_strips;     /* slices of the pixels, which are summed one after another */
    size_t input_pixels; /* of the longest strip */
    struct sl_nn_direct_runs runs;
    struct sl_nn_direct_runs pieces; /* gathered: the runs to copy */
};
enum sl_status sl_nn_direct_gradient_init(struct sl_nn_direct_gradient *gradient,
                                          const struct sl_nn_conv_task *task,
                                          struct sl_error *err) SL_MUST_USE;
void sl_nn_direct_gradient_release(struct sl_nn_direct_gradient *gradient);
size_t sl_nn_direct_gradient_scratch(const struct sl_nn_direct_gradient *gradient); /* floats */
void sl_nn_direct_gradient_run(const struct sl_nn_direct_gradient *gradient,
                               const struct sl_nn_conv_args *args);

/* Copy one plain image into the middle of a padded one. */
void sl_nn_direct_pad(const struct sl_nn_conv_task *task, const float *images, size_t image,
                      float *padded);

/* Pack lanes x depth x taps of weights into panels (taps, depth, 8 per block). Missing lanes are
 * zero. */
struct sl_nn_direct_packing {
    const float *weights;
    size_t lanes, depth, n_taps;
    size_t lane_step, depth_step;
    const size_t *taps; /* offsets of the taps, in floats */
};
/* Packs blocks [block, end) of the lanes. */
void sl_nn_direct_pack(const struct sl_nn_direct_packing *packing, size_t block, size_t end,
                       float *packed);
/* Unpack rows [begin, end) of panels (rows, 8 per block) of `channels` lanes to (channels, rows).
 */
void sl_nn_direct_unpack(const float *panels, size_t channels, size_t rows, size_t begin,
                         size_t end, float *result);

#endif
