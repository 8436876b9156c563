#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "nn/conv/direct.h"
#include "nn/tensor.h"
#include "softlab/base/memory.h"

enum {
    SHORT_SUM = 144,          /* a sum over at most so many panel rows counts as short */
    CHUNK_ROWS = 256,         /* rows of a packed panel per chunk: 16 KiB stay in the L1 cache */
    GROUP_BYTES = 192 * 1024, /* source bytes of the images that all panels run over */
    SLICE_BYTES = 96 * 1024, /* the same of one large image, whose planes share sets of the cache */
    WEIGHTS_BYTES = 1024 * 1024, /* threads share larger weights by panels, smaller by images */
};

/* A part of the reduction: several whole taps, or some channels of one tap. */
struct chunk {
    size_t tap, n_taps, channel, n_channels;
    bool first, last;
};

static size_t count_chunks(const struct sl_nn_direct_product *product, size_t n_taps)
{
    if (n_taps == 0) return 1;
    if (product->walk) return 1;
    if (product->depth > CHUNK_ROWS)
        return n_taps * sl_nn_direct_divide_up(product->depth, CHUNK_ROWS);
    return sl_nn_direct_divide_up(n_taps, CHUNK_ROWS / product->depth);
}

static struct chunk get_chunk(const struct sl_nn_direct_product *product, size_t n_taps,
                              size_t index)
{
    size_t count = count_chunks(product, n_taps);
    assert(count > 0);
    struct chunk chunk = {.first = index == 0, .last = index + 1 == count};
    if (count <= n_taps || n_taps == 0) {
        chunk.tap = n_taps * index / count;
        chunk.n_taps = n_taps * (index + 1) / count - chunk.tap;
        chunk.n_channels = product->depth;
        return chunk;
    }
    size_t pieces = count / n_taps, piece = index % pieces;
    size_t blocks = sl_nn_blocks(product->depth);
    chunk.tap = index / pieces;
    chunk.n_taps = 1;
    chunk.channel = blocks * piece / pieces * SL_NN_LANES;
    size_t end = blocks * (piece + 1) / pieces * SL_NN_LANES;
    chunk.n_channels = (end < product->depth ? end : product->depth) - chunk.channel;
    return chunk;
}

/* A group of images and pixels, and panels of their result. All chunks and panels run over a group
 * before the next group begins. */
struct group {
    size_t image, image_end;
    size_t panel, panel_end;
    size_t slice, slices;
};

static void run_panel(const struct sl_nn_direct_product *product,
                      const struct sl_nn_direct_operands *operands,
                      const struct sl_nn_direct_part *part, const struct group *group,
                      const struct chunk *chunk, size_t panel)
{
    const size_t result_blocks = sl_nn_blocks(product->lanes);
    const size_t n_blocks = sl_nn_direct_panel_blocks(product->lanes, panel);
    const struct sl_nn_direct_tiling *tiling = &part->tiling[n_blocks - 1];
    const size_t first = tiling->count * group->slice / group->slices;
    const size_t last = tiling->count * (group->slice + 1) / group->slices;
    const float *weights = operands->weights + part->weights +
                           panel * SL_NN_DIRECT_PANEL * part->n_taps * product->depth +
                           (chunk->tap * product->depth + chunk->channel) * n_blocks * SL_NN_LANES;
    const float *initial = chunk->first ? operands->add : operands->result;
    for (size_t image = group->image; image < group->image_end; image++) {
        size_t source = image * sl_nn_blocks(product->depth) * product->source_plane +
                        chunk->channel / SL_NN_LANES * product->source_plane;
        size_t result = (image * result_blocks + panel * 2) * product->result_plane;
        struct sl_nn_direct_tile tile = {
            .source = operands->source + source,
            .n_pixels = part->n_pixels,
            .n_taps = chunk->n_taps,
            .depth = chunk->n_channels,
            .step = product->source_plane,
            .walk = product->walk,
            .weights = weights,
            .initial = initial ? initial + result : NULL,
            .bias = chunk->first && operands->bias ? operands->scratch + panel * SL_NN_DIRECT_PANEL
                                                   : NULL,
            .result = operands->result + result,
            .apart = product->result_plane,
            .relu = product->relu && chunk->last,
            .ahead = panel == group->panel && part->n_taps == 1,
        };
        for (size_t i = first; i < last; i += tile.count) {
            const uint32_t *begin = &tiling->begin[i];
            tile.offsets = part->source + chunk->tap * part->n_pixels + begin[0];
            tile.target = part->target + begin[0];
            for (tile.count = 1; i + tile.count < last; tile.count++)
                if (begin[tile.count + 1] - begin[tile.count] != begin[1] - begin[0]) break;
            sl_nn_direct_tiles[part->kind][n_blocks - 1][begin[1] - begin[0] - 1](&tile);
        }
    }
}

static void run_group(const struct sl_nn_direct_product *product,
                      const struct sl_nn_direct_operands *operands,
                      const struct sl_nn_direct_part *part, const struct group *group)
{
    const size_t n_chunks = count_chunks(product, part->n_taps);
    for (size_t i = 0; i < n_chunks; i++) {
        struct chunk chunk = get_chunk(product, part->n_taps, i);
        for (size_t panel = group->panel; panel < group->panel_end; panel++)
            run_panel(product, operands, part, group, &chunk, panel);
    }
}

/* Initialise the results of a group, for pixels that no tap reaches. */
static void fill_group(const struct sl_nn_direct_product *product,
                       const struct sl_nn_direct_operands *operands, const struct group *group)
{
    const size_t n_blocks = sl_nn_blocks(product->lanes);
    const size_t last = sl_nn_direct_panels(product->lanes);
    const size_t block = 2 * group->panel;
    const size_t block_end = group->panel_end == last ? n_blocks : 2 * group->panel_end;
    const size_t count = (block_end - block) * product->result_plane;
    for (size_t image = group->image; image < group->image_end; image++) {
        const size_t begin = (image * n_blocks + block) * product->result_plane;
        if (!operands->add)
            memset(operands->result + begin, 0, count * sizeof(float));
        else if (operands->add != operands->result)
            memcpy(operands->result + begin, operands->add + begin, count * sizeof(float));
    }
}

static void run_parts(const struct sl_nn_direct_product *product,
                      const struct sl_nn_direct_operands *operands, const struct group *images,
                      size_t slices)
{
    bool gaps = false;
    for (size_t i = 0; i < product->n_parts; i++)
        gaps = gaps || product->parts[i].n_taps == 0;
    if (gaps) fill_group(product, operands, images);
    for (size_t slice = 0; slice < slices; slice++)
        for (size_t i = 0; i < product->n_parts; i++) {
            const struct sl_nn_direct_part *part = &product->parts[i];
            struct group group = *images;
            group.slice = slice;
            group.slices = slices;
            if (part->n_taps > 0 && part->n_pixels > 0) run_group(product, operands, part, &group);
        }
}

/* How the work is divided: groups of images, and for each the panels in equal ranges. */
struct division {
    const struct sl_nn_direct_product *product;
    const struct sl_nn_direct_operands *operands;
    size_t n_groups, n_ranges, slices;
};

static void run_range(void *context, size_t part, size_t worker)
{
    (void)worker;
    const struct division *division = context;
    const struct sl_nn_direct_product *product = division->product;
    const size_t n_panels = sl_nn_direct_panels(product->lanes);
    /* A thread's parts have the same panels: their weights stay in its cache. */
    const struct sl_pool_range images =
        sl_pool_range_of(product->images, division->n_groups, part % division->n_groups);
    const struct sl_pool_range panels =
        sl_pool_range_of(n_panels, division->n_ranges, part / division->n_groups);
    const struct group group = {images.begin, images.end, panels.begin, panels.end, 0, 0};
    run_parts(product, division->operands, &group, division->slices);
}

static struct division divide(const struct sl_nn_direct_product *product,
                              const struct sl_nn_direct_operands *operands)
{
    const size_t channels = product->depth < CHUNK_ROWS ? product->depth : CHUNK_ROWS;
    const size_t image_bytes = sl_nn_blocks(channels) * product->source_used * sizeof(float);
    const size_t fit = image_bytes < GROUP_BYTES ? GROUP_BYTES / image_bytes : 1;
    const size_t weights = sl_nn_direct_product_prepared(product) * sizeof(float);
    const size_t threads = sl_pool_threads(operands->pool);
    struct division division = {
        .product = product,
        .operands = operands,
        .n_groups = sl_nn_direct_divide_up(product->images, fit),
        .n_ranges = 1,
        .slices = fit > 1 ? 1 : sl_nn_direct_divide_up(image_bytes, SLICE_BYTES),
    };
    if (weights > WEIGHTS_BYTES && sl_nn_direct_panels(product->lanes) >= 2 * threads)
        division.n_ranges = threads;
    else
        division.n_groups = sl_nn_direct_divide_up(division.n_groups, threads) * threads;
    if (division.n_groups > product->images) division.n_groups = product->images;
    return division;
}

static void run_images(const struct sl_nn_direct_product *product,
                       const struct sl_nn_direct_operands *operands)
{
    struct division division = divide(product, operands);
    sl_pool_run(operands->pool, division.n_groups * division.n_ranges, run_range, &division);
}

static size_t panels_size(const struct sl_nn_direct_product *product)
{
    return sl_nn_blocks(product->lanes) * SL_NN_LANES;
}

static size_t padded_size(const struct sl_nn_direct_product *product)
{
    if (!product->walk) return 0;
    return sl_nn_direct_divide_up(product->plain.in_channels * product->source_plane, 16) * 16;
}

/* One plain image, from a padded copy. */
static void run_plain(void *context, size_t image, size_t worker)
{
    const struct division *division = context;
    const struct sl_nn_direct_product *product = division->product;
    const size_t result = sl_nn_blocks(product->lanes) * product->result_plane;
    struct sl_nn_direct_product one = *product;
    struct sl_nn_direct_operands shifted = *division->operands;
    float *padded = shifted.scratch + panels_size(product) + worker * padded_size(product);
    sl_nn_direct_pad(&product->plain, shifted.source, image, padded);
    one.images = 1;
    shifted.source = padded;
    shifted.result += image * result;
    shifted.pool = NULL;
    if (shifted.add) shifted.add += image * result;
    run_images(&one, &shifted);
}

void sl_nn_direct_product_run(const struct sl_nn_direct_product *product,
                              const struct sl_nn_direct_operands *operands)
{
    const size_t threads = sl_pool_threads(operands->pool);
    if (operands->bias) {
        memset(operands->scratch, 0, panels_size(product) * sizeof(float));
        memcpy(operands->scratch, operands->bias, product->lanes * sizeof(float));
    }
    if (!product->walk) {
        run_images(product, operands);
        return;
    }
    memset(operands->scratch + panels_size(product), 0,
           threads * padded_size(product) * sizeof(float));
    struct division division = {.product = product, .operands = operands};
    sl_pool_run(operands->pool, product->images, run_plain, &division);
}

size_t sl_nn_direct_product_scratch(const struct sl_nn_direct_product *product)
{
    return panels_size(product) + product->threads * padded_size(product);
}

size_t sl_nn_direct_product_prepared(const struct sl_nn_direct_product *product)
{
    size_t n_taps = 0;
    for (size_t i = 0; i < product->n_parts; i++)
        n_taps += product->parts[i].n_taps;
    return n_taps * product->depth * sl_nn_blocks(product->lanes) * SL_NN_LANES;
}

struct pack {
    const struct sl_nn_direct_product *product;
    const float *weights;
    float *packed;
    size_t n_ranges;
};

/* Pack a range of the result's blocks, for every part. */
static void pack_range(void *context, size_t index, size_t worker)
{
    (void)worker;
    const struct pack *pack = context;
    const struct sl_nn_direct_product *product = pack->product;
    const struct sl_pool_range blocks =
        sl_pool_range_of(sl_nn_blocks(product->lanes), pack->n_ranges, index);
    for (size_t i = 0; i < product->n_parts; i++) {
        const struct sl_nn_direct_part *part = &product->parts[i];
        struct sl_nn_direct_packing packing = {
            .weights = pack->weights,
            .lanes = product->lanes,
            .depth = product->depth,
            .n_taps = part->n_taps,
            .lane_step = product->lane_step,
            .depth_step = product->depth_step,
            .taps = part->taps,
        };
        sl_nn_direct_pack(&packing, blocks.begin, blocks.end, pack->packed + part->weights);
    }
}

void sl_nn_direct_product_pack(const struct sl_nn_direct_product *product, const float *weights,
                               float *packed, struct sl_pool *pool)
{
    struct pack pack = {product, weights, packed, sl_pool_threads(pool)};
    sl_pool_run(pool, pack.n_ranges, pack_range, &pack);
}

enum sl_status sl_nn_direct_part_alloc(struct sl_nn_direct_part *part, struct sl_error *err)
{
    part->taps = sl_alloc(part->n_taps + 1, sizeof *part->taps);
    part->target = sl_data_alloc(part->n_pixels, sizeof *part->target, err);
    if (!part->target) return SL_ERR_NOMEM;
    part->source = sl_data_alloc(part->n_taps * part->n_pixels, sizeof *part->source, err);
    return part->source ? SL_OK : SL_ERR_NOMEM;
}

/* Each row is cut into tiles of its own if such tiles keep the multipliers busy. A tile of the
 * first or last row can then skip the taps that lie outside the map. */
static enum sl_status make_tiling(struct sl_nn_direct_tiling *tiling, size_t n_pixels, size_t width,
                                  size_t most, struct sl_error *err)
{
    const size_t rows = n_pixels / (width > 0 ? width : 1),
                 cuts = sl_nn_direct_divide_up(width, most);
    tiling->begin = sl_data_alloc(rows * cuts + 1, sizeof *tiling->begin, err);
    if (!tiling->begin) return SL_ERR_NOMEM;
    tiling->count = rows * cuts;
    for (size_t row = 0; row < rows; row++)
        for (size_t cut = 0; cut < cuts; cut++)
            tiling->begin[row * cuts + cut] =
                (uint32_t)(row * width + sl_nn_direct_cut(width, most, cut));
    tiling->begin[rows * cuts] = (uint32_t)n_pixels;
    return SL_OK;
}

/* STRAIGHT if there is a single tap and its pixels are contiguous in source and result. */
static enum sl_nn_direct_kind find_kind(const struct sl_nn_direct_part *part,
                                        enum sl_nn_direct_kind kind)
{
    if (kind == SL_NN_DIRECT_PLAIN || part->n_taps != 1) return kind;
    for (size_t pixel = 0; pixel < part->n_pixels; pixel++) {
        const int32_t offset = (int32_t)(pixel * SL_NN_LANES);
        if (part->source[pixel] != offset || part->target[pixel] != offset) return kind;
    }
    return SL_NN_DIRECT_STRAIGHT;
}

enum sl_status sl_nn_direct_part_tile(struct sl_nn_direct_part *part, size_t width, size_t depth,
                                      struct sl_error *err)
{
    part->kind = find_kind(part, part->kind);
    const bool by_row = part->n_taps > 1 && width % 4 == 0;
    const bool short_sum =
        by_row || (part->n_taps * depth <= SHORT_SUM && part->kind != SL_NN_DIRECT_PLAIN);
    for (size_t i = 0; i < SL_NN_DIRECT_BLOCKS; i++)
        SL_TRY(make_tiling(&part->tiling[i], part->n_pixels, by_row ? width : part->n_pixels,
                           sl_nn_direct_rows(i + 1, short_sum), err));
    return SL_OK;
}

void sl_nn_direct_product_release(struct sl_nn_direct_product *product)
{
    free(product->walk);
    for (size_t i = 0; i < product->n_parts; i++) {
        struct sl_nn_direct_part *part = &product->parts[i];
        free(part->taps);
        free(part->target);
        free(part->source);
        for (size_t k = 0; k < SL_NN_DIRECT_BLOCKS; k++)
            free(part->tiling[k].begin);
    }
}
