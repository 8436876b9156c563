#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "nn/conv/direct.h"
#include "nn/conv/direct_step.h"
#include "nn/tensor.h"
#include "softlab/base/memory.h"

enum {
    STRIP_PIXELS = 384, /* pixels per strip of a large map */
    GROUP_PIXELS = 256, /* pixels of small maps summed together: 16 KiB of upstream gradient */
    SMALL_MAP = 32,     /* pixels; smaller images lie too far apart for the cache and are packed */
    GATHER_CHANNELS = 48, /* output channels from which gathering strided pixels pays */
    FEW_ROWS = 16,        /* up to so many rows, tiles of six rows would leave too many over */
    ROW_BLOCK = 96,       /* rows over which all panels run before the next rows */
};

/* A pass over the pixels of one strip, for rows [row, row_end) of every set. Threads share the
 * rows, not the pixels: a sum over pixels stays one chain of additions, in the order of one thread.
 */
struct pass {
    const float *input, *upstream;
    size_t row, row_end;
    size_t strip, set, set_end;
    size_t images; /* images that exist, at most gradient->together */
    bool first;
    float *sums;
};

/* The runs of a set in the strip and the images of a pass. */
static const struct sl_nn_direct_run *runs_of(const struct sl_nn_direct_gradient *gradient,
                                              const struct sl_nn_direct_runs *runs,
                                              const struct pass *pass, size_t set, size_t *count)
{
    const size_t index = pass->strip * gradient->n_sets + set;
    const size_t all = runs->begin[index + 1] - runs->begin[index];
    *count = all * pass->images / gradient->together;
    return runs->list + runs->begin[index];
}

/* Run rows [first, last) of the sets by one panel. */
static void run_rows(const struct sl_nn_direct_gradient *gradient, const struct pass *pass,
                     size_t panel, size_t first, size_t last)
{
    const size_t n_sets = gradient->n_sets;
    float *sums = pass->sums + panel * SL_NN_DIRECT_PANEL * gradient->n_rows * n_sets;
    const size_t n_blocks = sl_nn_direct_panel_blocks(gradient->task.out_channels, panel);
    const size_t width = n_blocks * SL_NN_LANES;
    const size_t rows = last - first, most = sl_nn_direct_rows(n_blocks, rows <= FEW_ROWS);
    const size_t cuts = sl_nn_direct_divide_up(rows, most);
    struct sl_nn_direct_outer outer = {
        .input = pass->input,
        .upstream = pass->upstream + panel * 2 * gradient->upstream_plane,
        .input_step = gradient->input_step,
        .apart = gradient->upstream_plane,
        .sum_step = n_sets * width,
        .first = pass->first,
    };
    for (size_t set = pass->set; set < pass->set_end; set++) {
        outer.runs = runs_of(gradient, &gradient->runs, pass, set, &outer.n_runs);
        for (size_t cut = 0; cut < cuts; cut++) {
            size_t row = first + sl_nn_direct_cut(rows, most, cut);
            size_t end = first + sl_nn_direct_cut(rows, most, cut + 1);
            outer.row_offset = gradient->row_offset + row;
            outer.sum = sums + (row * n_sets + set) * width;
            assert(row < end && end - row <= most);
            sl_nn_direct_outers[n_blocks - 1][end - row - 1](&outer);
        }
    }
}

static void run_pass(const struct sl_nn_direct_gradient *gradient, const struct pass *pass)
{
    const size_t n_panels = sl_nn_direct_panels(gradient->task.out_channels);
    for (size_t row = pass->row; row < pass->row_end; row += ROW_BLOCK) {
        size_t end = row + ROW_BLOCK < pass->row_end ? row + ROW_BLOCK : pass->row_end;
        for (size_t panel = 0; panel < n_panels; panel++)
            run_rows(gradient, pass, panel, row, end);
    }
}

/* The blocks of the input that the rows of a pass read. */
static struct sl_pool_range blocks_of(const struct pass *pass)
{
    return (struct sl_pool_range){pass->row / SL_NN_LANES, sl_nn_blocks(pass->row_end)};
}

/* Copy the pixels that the pass's set reads, block by block without gaps. */
SL_NN_AVX2 static void gather(const struct sl_nn_direct_gradient *gradient, const struct pass *pass,
                              float *to)
{
    const struct sl_nn_conv_task *task = &gradient->task;
    const size_t plane = task->height * task->width * SL_NN_LANES;
    const size_t step = task->stride * SL_NN_LANES;
    size_t n_pieces;
    const struct sl_nn_direct_run *pieces =
        runs_of(gradient, &gradient->pieces, pass, pass->set, &n_pieces);
    const struct sl_pool_range blocks = blocks_of(pass);
    for (size_t block = blocks.begin; block < blocks.end; block++) {
        float *out = to + block * gradient->input_plane;
        for (size_t i = 0; i < n_pieces; i++) {
            const float *in = pass->input + block * plane + pieces[i].input;
            for (uint32_t k = 0; k < pieces[i].count; k++, in += step, out += SL_NN_LANES)
                _mm256_storeu_ps(out, _mm256_loadu_ps(in));
        }
    }
}

/* Add the products of the images of a pass, strip by strip. */
static void run_images(const struct sl_nn_direct_gradient *gradient, const struct pass *images,
                       float *gathered)
{
    for (size_t strip = 0; strip < gradient->n_strips; strip++) {
        struct pass pass = *images;
        pass.strip = strip;
        pass.set_end = gradient->n_sets;
        pass.first = images->first && strip == 0;
        if (!gradient->gathered) {
            run_pass(gradient, &pass);
            continue;
        }
        for (size_t set = 0; set < gradient->n_sets; set++) {
            pass.set = set;
            pass.set_end = set + 1;
            pass.input = images->input;
            gather(gradient, &pass, gathered);
            pass.input = gathered;
            run_pass(gradient, &pass);
        }
    }
}

/* Images to copy side by side. */
struct packing {
    const float *from;
    size_t images, n_blocks, plane; /* of `from` */
    size_t first, together;         /* the images to copy; those that are missing are zero */
};

static void pack_images(const struct packing *pack, struct sl_pool_range blocks, float *to)
{
    const size_t plane = pack->plane;
    for (size_t block = blocks.begin; block < blocks.end; block++)
        for (size_t i = 0; i < pack->together; i++) {
            const size_t image = pack->first + i;
            float *out = to + (block * pack->together + i) * plane;
            if (image < pack->images)
                memcpy(out, pack->from + (image * pack->n_blocks + block) * plane,
                       plane * sizeof *out);
            else
                memset(out, 0, plane * sizeof *out);
        }
}

SL_NN_AVX2 static void sum_bias(const struct sl_nn_conv_task *task, const float *upstream,
                                size_t block, float *result)
{
    const size_t pixels = task->out_height * task->out_width;
    const size_t blocks = sl_nn_blocks(task->out_channels);
    __m256 total = _mm256_setzero_ps();
    for (size_t image = 0; image < task->images; image++) {
        const float *from = upstream + (image * blocks + block) * pixels * SL_NN_LANES;
        __m256 sum[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
        for (size_t pixel = 0; pixel < pixels; pixel++)
            sum[pixel % 2] =
                _mm256_add_ps(sum[pixel % 2], _mm256_loadu_ps(from + pixel * SL_NN_LANES));
        total = _mm256_add_ps(total, _mm256_add_ps(sum[0], sum[1]));
    }
    float lanes[SL_NN_LANES];
    _mm256_storeu_ps(lanes, total);
    for (size_t i = 0; i < SL_NN_LANES && block * SL_NN_LANES + i < task->out_channels; i++)
        result[block * SL_NN_LANES + i] = lanes[i];
}

static size_t sums_size(const struct sl_nn_direct_gradient *gradient)
{
    return gradient->n_rows * gradient->n_sets * sl_nn_blocks(gradient->task.out_channels) *
           SL_NN_LANES;
}

static size_t input_size(const struct sl_nn_direct_gradient *gradient)
{
    if (gradient->task.plain_input) return gradient->task.in_channels * gradient->input_plane;
    if (!gradient->packed && !gradient->gathered) return 0;
    return sl_nn_blocks(gradient->task.in_channels) * gradient->input_plane;
}

static size_t upstream_size(const struct sl_nn_direct_gradient *gradient)
{
    if (!gradient->packed) return 0;
    return sl_nn_blocks(gradient->task.out_channels) * gradient->upstream_plane;
}

static size_t copies_size(const struct sl_nn_direct_gradient *gradient)
{
    return input_size(gradient) + upstream_size(gradient);
}

size_t sl_nn_direct_gradient_scratch(const struct sl_nn_direct_gradient *gradient)
{
    return sums_size(gradient) + gradient->task.threads * copies_size(gradient);
}

struct gradient_run {
    const struct sl_nn_direct_gradient *gradient;
    const struct sl_nn_conv_args *args;
    size_t n_ranges; /* of rows */
};

/* Copy what the kernels cannot read in place. */
static void copy_images(const struct gradient_run *run, struct pass *pass, size_t image,
                        float *input_copy, float *upstream_copy)
{
    const struct sl_nn_direct_gradient *gradient = run->gradient;
    const struct sl_nn_conv_task *task = &gradient->task;
    const size_t out_blocks = sl_nn_blocks(task->out_channels), together = gradient->together;
    if (task->plain_input) {
        sl_nn_direct_pad(task, run->args->input, image, input_copy);
        pass->input = input_copy;
    }
    if (!gradient->packed) return;
    const struct packing upstream = {run->args->upstream,
                                     task->images,
                                     out_blocks,
                                     gradient->upstream_plane / together,
                                     image,
                                     together};
    pack_images(&upstream, (struct sl_pool_range){0, out_blocks}, upstream_copy);
    pass->upstream = upstream_copy;
    if (gradient->gathered) return;
    const struct packing input = {
        run->args->input,
        task->images,
        sl_nn_blocks(task->in_channels),
        gradient->input_plane / together,
        image,
        together,
    };
    pack_images(&input, blocks_of(pass), input_copy);
    pass->input = input_copy;
    pass->images = together; /* missing images are zero */
}

/* Rows that begin with a block, so that threads copy different blocks; plain rows are no blocks. */
static struct sl_pool_range rows_of(const struct gradient_run *run, size_t part)
{
    const size_t n_rows = run->gradient->n_rows;
    const size_t unit = run->gradient->task.plain_input ? 1 : SL_NN_LANES;
    struct sl_pool_range range =
        sl_pool_range_of(sl_nn_direct_divide_up(n_rows, unit), run->n_ranges, part);
    range.begin *= unit;
    range.end *= unit;
    if (range.end > n_rows) range.end = n_rows;
    return range;
}

/* A range of rows of the weight gradient, or the sum of one block of the bias. */
static void run_part(void *context, size_t part, size_t worker)
{
    const struct gradient_run *run = context;
    const struct sl_nn_direct_gradient *gradient = run->gradient;
    const struct sl_nn_conv_task *task = &gradient->task;
    const struct sl_nn_conv_args *args = run->args;
    const size_t together = gradient->together, n_sets = gradient->n_sets;
    assert(together > 0);
    if (part >= run->n_ranges) {
        sum_bias(task, args->upstream, part - run->n_ranges, args->bias_gradient);
        return;
    }
    const struct sl_pool_range rows = rows_of(run, part);
    if (rows.begin == rows.end) return;
    float *sums = args->scratch;
    float *input_copy = sums + sums_size(gradient) + worker * copies_size(gradient);
    if (task->plain_input) memset(input_copy, 0, input_size(gradient) * sizeof *input_copy);
    for (size_t image = 0; image < task->images; image += together) {
        const size_t left = task->images - image;
        struct pass pass = {
            .input = args->input + image * gradient->input_image,
            .upstream = args->upstream + image * gradient->upstream_image,
            .row = rows.begin,
            .row_end = rows.end,
            .images = left < together ? left : together,
            .first = image == 0,
            .sums = sums,
        };
        copy_images(run, &pass, image, input_copy, input_copy + input_size(gradient));
        run_images(gradient, &pass, input_copy);
    }
    sl_nn_direct_unpack(sums, task->out_channels, gradient->n_rows * n_sets, rows.begin * n_sets,
                        rows.end * n_sets, args->result);
}

void sl_nn_direct_gradient_run(const struct sl_nn_direct_gradient *gradient,
                               const struct sl_nn_conv_args *args)
{
    struct gradient_run run = {gradient, args, sl_pool_threads(args->pool)};
    const size_t bias_parts = gradient->task.bias ? sl_nn_blocks(gradient->task.out_channels) : 0;
    sl_pool_run(args->pool, run.n_ranges + bias_parts, run_part, &run);
}

/* The offset in the input of an output pixel under a tap; -1 outside the map. */
static int32_t input_offset(const struct sl_nn_direct_gradient *gradient, size_t pixel, size_t tap)
{
    const struct sl_nn_conv_task *task = &gradient->task;
    size_t y = pixel / task->out_width * task->stride + tap / task->kernel;
    size_t x = pixel % task->out_width * task->stride + tap % task->kernel;
    if (task->plain_input) return (int32_t)(y * (task->width + 2 * task->pad) + x);
    /* Above or left of the map the unsigned difference wraps round and is too large as well. */
    y -= task->pad;
    x -= task->pad;
    if (y >= task->height || x >= task->width) return -1;
    return (int32_t)((y * task->width + x) * SL_NN_LANES);
}

/* Write the runs of the pixels [begin, end), counted over all images of a group, that a set reads;
 * returns their number. Every image has the same number of runs, unless images are packed. */
static size_t make_runs(const struct sl_nn_direct_gradient *gradient, size_t set, size_t begin,
                        size_t end, struct sl_nn_direct_run *runs)
{
    const size_t pixels = gradient->task.out_height * gradient->task.out_width;
    const size_t step =
        gradient->task.stride * (gradient->task.plain_input ? 1 : (size_t)SL_NN_LANES);
    size_t n_runs = 0;
    int32_t next = -1;
    for (size_t pixel = begin; pixel < end; pixel++) {
        int32_t offset = input_offset(gradient, pixel % pixels, set);
        if (pixel % pixels == 0 && (gradient->gathered || !gradient->packed)) next = -1;
        if (offset < 0) {
            next = -1;
            continue;
        }
        offset += (int32_t)(pixel / pixels * gradient->input_image);
        if (offset == next)
            runs[n_runs - 1].count++;
        else
            runs[n_runs++] = (struct sl_nn_direct_run){
                .input = offset,
                .upstream = (int32_t)(pixel / pixels * gradient->upstream_image +
                                      pixel % pixels * SL_NN_LANES),
                .count = 1,
            };
        next = offset + (int32_t)step;
    }
    return n_runs;
}

/* Turn pieces into runs of the gathered copy. Pieces of one image that follow each other become one
 * run. */
static size_t join_pieces(const struct sl_nn_direct_gradient *gradient,
                          const struct sl_nn_direct_run *pieces, size_t n_pieces,
                          struct sl_nn_direct_run *runs)
{
    const size_t image = gradient->upstream_image;
    size_t n_runs = 0, done = 0;
    for (size_t i = 0; i < n_pieces; i++) {
        const size_t upstream = (size_t)pieces[i].upstream;
        struct sl_nn_direct_run *last = n_runs > 0 ? &runs[n_runs - 1] : NULL;
        if (last && (size_t)last->upstream + (size_t)last->count * SL_NN_LANES == upstream &&
            upstream % image != 0) {
            last->count += pieces[i].count;
        } else {
            runs[n_runs] = pieces[i];
            runs[n_runs++].input = (int32_t)(done * SL_NN_LANES);
        }
        done += pieces[i].count;
    }
    return n_runs;
}

static enum sl_status runs_alloc(struct sl_nn_direct_runs *runs, size_t lists, size_t pixels,
                                 struct sl_error *err)
{
    runs->begin = sl_alloc(lists + 1, sizeof *runs->begin);
    runs->list = sl_data_alloc(lists * pixels, sizeof *runs->list, err);
    return runs->list ? SL_OK : SL_ERR_NOMEM;
}

static size_t strip_begin(const struct sl_nn_direct_gradient *gradient, size_t strip)
{
    const size_t rows = gradient->together * gradient->task.out_height;
    return rows * strip / gradient->n_strips * gradient->task.out_width;
}

static enum sl_status make_strips(struct sl_nn_direct_gradient *gradient, struct sl_error *err)
{
    const size_t lists = gradient->n_strips * gradient->n_sets;
    const size_t pixels = gradient->input_pixels;
    struct sl_nn_direct_runs *runs = &gradient->runs, *pieces = &gradient->pieces;
    SL_TRY(runs_alloc(runs, lists, pixels, err));
    if (gradient->gathered) SL_TRY(runs_alloc(pieces, lists, pixels, err));
    for (size_t i = 0; i < lists; i++) {
        struct sl_nn_direct_runs *made = gradient->gathered ? pieces : runs;
        const size_t strip = i / gradient->n_sets;
        made->begin[i + 1] =
            made->begin[i] + make_runs(gradient, i % gradient->n_sets, strip_begin(gradient, strip),
                                       strip_begin(gradient, strip + 1),
                                       made->list + made->begin[i]);
        if (gradient->gathered)
            runs->begin[i + 1] =
                runs->begin[i] + join_pieces(gradient, pieces->list + pieces->begin[i],
                                             pieces->begin[i + 1] - pieces->begin[i],
                                             runs->list + runs->begin[i]);
    }
    return SL_OK;
}

/* Decide how many images are summed together, so that they fill a strip, and how they lie in
 * memory. */
static void lay_out(struct sl_nn_direct_gradient *gradient)
{
    const struct sl_nn_conv_task *task = &gradient->task;
    const size_t in_plane = task->height * task->width * SL_NN_LANES;
    const size_t out_pixels = task->out_height * task->out_width;
    const size_t in_blocks = sl_nn_blocks(task->in_channels);
    const size_t out_blocks = sl_nn_blocks(task->out_channels);
    size_t together = task->plain_input ? 1 : sl_nn_direct_divide_up(GROUP_PIXELS, out_pixels);
    if (together > task->images) together = task->images;
    gradient->together = together;
    gradient->packed = together > 1 && out_pixels <= SMALL_MAP;
    gradient->gathered =
        !task->plain_input && task->stride > 1 && task->out_channels >= GATHER_CHANNELS;
    gradient->n_strips = together > 1 ? 1 : sl_nn_direct_divide_up(out_pixels, STRIP_PIXELS);
    if (gradient->n_strips > task->out_height) gradient->n_strips = task->out_height;
    for (size_t strip = 0; strip < gradient->n_strips; strip++) {
        size_t pixels = strip_begin(gradient, strip + 1) - strip_begin(gradient, strip);
        if (pixels > gradient->input_pixels) gradient->input_pixels = pixels;
    }
    const size_t lanes = task->plain_input ? 1 : SL_NN_LANES;
    gradient->input_step = gradient->gathered ? lanes : task->stride * lanes;
    gradient->input_plane = gradient->gathered ? gradient->input_pixels * SL_NN_LANES
                            : gradient->packed ? together * in_plane
                                               : in_plane;
    if (task->plain_input)
        gradient->input_plane = (task->width + 2 * task->pad) * (task->height + 2 * task->pad);
    gradient->upstream_plane = (gradient->packed ? together : 1) * out_pixels * SL_NN_LANES;
    gradient->input_image =
        gradient->packed && !gradient->gathered ? in_plane : in_blocks * in_plane;
    gradient->upstream_image = (gradient->packed ? 1 : out_blocks) * out_pixels * SL_NN_LANES;
}

enum sl_status sl_nn_direct_gradient_init(struct sl_nn_direct_gradient *gradient,
                                          const struct sl_nn_conv_task *task, struct sl_error *err)
{
    const size_t kernel = task->kernel, taps = kernel * kernel;
    const size_t pitch = task->width + 2 * task->pad;
    *gradient = (struct sl_nn_direct_gradient){.task = *task};
    lay_out(gradient);
    gradient->n_sets = task->plain_input ? 1 : taps;
    gradient->n_rows = task->in_channels * taps / gradient->n_sets;
    gradient->row_offset = sl_alloc(gradient->n_rows, sizeof *gradient->row_offset);
    for (size_t row = 0; row < gradient->n_rows; row++) {
        size_t block = row / SL_NN_LANES * gradient->input_plane + row % SL_NN_LANES;
        size_t plain =
            row / taps * gradient->input_plane + row % taps / kernel * pitch + row % kernel;
        gradient->row_offset[row] = (int32_t)(task->plain_input ? plain : block);
    }
    return make_strips(gradient, err);
}

void sl_nn_direct_gradient_release(struct sl_nn_direct_gradient *gradient)
{
    free(gradient->row_offset);
    free(gradient->runs.list);
    free(gradient->runs.begin);
    free(gradient->pieces.list);
    free(gradient->pieces.begin);
}
