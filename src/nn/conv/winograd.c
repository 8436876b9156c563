/* Convolution by Winograd's F(2x2, 3x3), in all three directions (winograd.h has the formulas).
 *
 * Tiles are processed in strips, so that the transformed tiles of a strip are still in the cache
 * when the products read them. Transformed tensors never exist as a whole. Backward-data is a
 * forward convolution with input and output channels exchanged and kernels rotated by 180 degrees.
 * Backward-weights sums its 16 products over all strips and transforms the sums back once. */
#include <stdlib.h>
#include <string.h>

#include "nn/conv/gemm_micro.h"
#include "nn/conv/kernels.h"
#include "nn/conv/winograd.h"
#include "nn/tensor.h"
#include "softlab/base/memory.h"
#include "softlab/base/system.h"

enum { LANES = SL_NN_LANES, GROUP = SL_NN_GEMM_ROWS, COLUMNS = SL_NN_GEMM_COLUMNS };

/* Chosen by measurement on a core with 32 KB of L1 and 512 KB of L2 cache, at 16 to 512
 * channels. */
enum {
    CHANNELS_AT_ONCE = 512, /* channels that a product sums before it writes */
    WEIGHTS_STRIP = 96      /* tiles at once in backward-weights, at most */
};

struct winograd {
    struct sl_nn_conv_task task;
    struct sl_nn_map from, to; /* input and result of the products; backward-weights reads both */
    struct sl_nn_winograd_weights weights;
    size_t tiles, strip;     /* all tiles, tiles per strip at most */
    size_t n_strips;         /* forward */
    bool together;           /* forward: all threads work on one strip at a time */
    size_t rows, panels;     /* backward-weights: rows of frequencies and panels of a part */
    struct sl_nn_tiles v, m; /* layouts; data is NULL */
    size_t v_floats, m_floats, max_runs;         /* scratch of every worker */
    size_t zero_floats, bias_floats, sum_floats; /* scratch that all share */
    size_t n_workers, worker_bytes;
};

static struct sl_nn_map map_of(const struct sl_nn_conv_task *task, size_t channels)
{
    return (struct sl_nn_map){.blocks = sl_nn_blocks(channels),
                              .height = task->height,
                              .width = task->width,
                              .tiles_high = (task->height + 1) / 2,
                              .tiles_wide = (task->width + 1) / 2};
}

static bool suits(const struct sl_nn_conv_task *task)
{
    struct sl_cpu cpu;
    sl_cpu_detect(&cpu);
    return cpu.avx2 && cpu.fma && task->kernel == 3 && task->stride == 1 && task->pad == 1 &&
           task->groups == 1 && !task->plain_input && task->images * task->height * task->width > 0;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* One cache line more than needed separates frequencies, so that not all 16 compete for the same
 * set of the cache. */
static struct sl_nn_tiles tiles_of(size_t blocks, size_t group)
{
    struct sl_nn_tiles tiles = {.group = group, .block_stride = group * LANES};
    tiles.frequency_stride = blocks * tiles.block_stride + 16;
    tiles.group_stride = SL_NN_FREQUENCIES * tiles.frequency_stride;
    return tiles;
}

/* The size of the parts when `total` is divided into equal parts of at most `most`. */
static size_t part_of(size_t total, size_t most)
{
    size_t parts = (total + most - 1) / most;
    return (total + parts - 1) / parts;
}

static size_t groups_of_tiles(const struct winograd *w)
{
    return (w->tiles + GROUP - 1) / GROUP;
}

/* The number of groups of tiles in a strip. The transformed tiles should stay in the cache, so a
 * strip is short. But with many channels the transformed weights do not fit in the cache, and a
 * longer strip reads them less often. The constants are measured as above. */
static size_t groups_at_once(const struct winograd *w)
{
    double from = (double)(w->from.blocks * LANES), to = (double)(w->to.blocks * LANES);
    double group_bytes = SL_NN_FREQUENCIES * GROUP * (from + to) * sizeof(float);
    double weights_bytes = SL_NN_FREQUENCIES * from * to * sizeof(float);
    return 1 + (size_t)(80e3 / group_bytes + weights_bytes / 740e3);
}

/* Strips of equal length for every thread, or, if there are too few for that, one strip after
 * another that the threads share. Tiles do not depend on each other, so strips may be cut anywhere.
 */
static void plan_forward(struct winograd *w)
{
    const size_t all = groups_of_tiles(w), threads = w->task.threads;
    const size_t strips = (all + groups_at_once(w) - 1) / groups_at_once(w);
    w->together = threads > 1 && strips < 2 * threads;
    w->n_strips = w->together ? strips : (strips + threads - 1) / threads * threads;
    if (w->n_strips > all) w->n_strips = all;
    const size_t groups = (all + w->n_strips - 1) / w->n_strips;
    w->strip = GROUP * groups;
    w->v = tiles_of(w->from.blocks, GROUP);
    w->m = tiles_of(w->to.blocks, GROUP);
    w->v_floats = groups * w->v.group_stride;
    w->m_floats = groups * w->m.group_stride;
    w->bias_floats = w->to.blocks * LANES;
}

/* Threads share the frequencies, not the tiles: a sum over tiles stays one chain of additions, in
 * the order of one thread. A row of frequencies takes a quarter of the transforms. With more
 * threads than rows, the panels of the result are shared too, and every part transforms the input.
 */
static void plan_weights(struct winograd *w)
{
    const size_t threads = w->task.threads, n_panels = sl_nn_winograd_panels(&w->weights);
    w->rows = threads == 1 ? 4 : threads == 2 ? 2 : 1;
    w->panels = threads <= 4 ? n_panels : part_of(n_panels, 1 + 4 * n_panels / threads);
    w->strip = part_of(w->tiles, WEIGHTS_STRIP);
    w->v = tiles_of(w->from.blocks, w->strip);
    w->m = tiles_of(w->to.blocks, w->strip);
    w->v_floats = w->v.group_stride;
    w->m_floats = w->m.group_stride;
    w->bias_floats = 2 * w->to.blocks * LANES; /* doubles */
    w->sum_floats = SL_NN_FREQUENCIES * sl_nn_winograd_frequency_stride(&w->weights);
}

static size_t line_floats(size_t floats)
{
    return (floats + 15) / 16 * 16;
}

static void plan_scratch(struct winograd *w)
{
    /* Runs to prefetch: the input of the next strip, and either the output and addend of this strip
     * or the upstream gradient of the next. */
    w->max_runs =
        sl_nn_winograd_max_runs(&w->from, w->strip) + 2 * sl_nn_winograd_max_runs(&w->to, w->strip);
    w->zero_floats = line_floats(w->task.width * LANES);
    w->bias_floats = line_floats(w->bias_floats);
    w->sum_floats = line_floats(w->sum_floats);
    w->n_workers = w->together ? 1 : w->task.threads;
    w->worker_bytes = (w->v_floats + w->m_floats) * sizeof(float) +
                      (w->max_runs * sizeof(struct sl_nn_run) + 63) / 64 * 64;
}

static enum sl_status create(const struct sl_nn_conv_task *task, struct sl_nn_conv *conv,
                             struct sl_error *err)
{
    (void)err;
    struct winograd *w = sl_alloc(1, sizeof *w);
    bool backward = task->direction == SL_NN_BACKWARD_DATA;
    w->task = *task;
    w->from = map_of(task, backward ? task->out_channels : task->in_channels);
    w->to = map_of(task, backward ? task->in_channels : task->out_channels);
    w->weights = (struct sl_nn_winograd_weights){
        .out_channels = task->out_channels, .in_channels = task->in_channels, .backward = backward};
    w->tiles = task->images * w->from.tiles_high * w->from.tiles_wide;
    if (task->direction == SL_NN_BACKWARD_WEIGHTS)
        plan_weights(w);
    else
        plan_forward(w);
    plan_scratch(w);
    conv->state = w;
    conv->scratch_bytes = (w->zero_floats + w->bias_floats + w->sum_floats) * sizeof(float) +
                          w->n_workers * w->worker_bytes;
    conv->prepared_bytes = 0;
    if (task->direction != SL_NN_BACKWARD_WEIGHTS)
        conv->prepared_bytes =
            SL_NN_FREQUENCIES * sizeof(float) * sl_nn_winograd_frequency_stride(&w->weights);
    return SL_OK;
}

static void destroy(struct sl_nn_conv *conv)
{
    free(conv->state);
    conv->state = NULL;
}

/* The arguments of a run, and the scratch memory that all threads share. */
struct run {
    const struct winograd *w;
    const struct sl_nn_conv_args *args;
    float *zeros, *bias, *sums;
    char *workers;
    const float *input;               /* forward */
    struct sl_nn_winograd_output out; /* forward */
    struct sl_nn_strip strip;         /* together: the current one */
};

static struct run run_of(const struct winograd *w, const struct sl_nn_conv_args *args)
{
    struct run run = {.w = w, .args = args, .zeros = args->scratch};
    run.bias = run.zeros + w->zero_floats;
    run.sums = run.bias + w->bias_floats;
    run.workers = (char *)(run.sums + w->sum_floats);
    memset(run.zeros, 0, (w->zero_floats + w->bias_floats) * sizeof(float));
    return run;
}

static void prepare_panel(void *context, size_t panel, size_t worker)
{
    (void)worker;
    const struct run *run = context;
    sl_nn_winograd_prepare(&run->w->weights, run->args->weights, panel, run->args->prepared);
}

static void prepare_weights(const struct sl_nn_conv *conv, const struct sl_nn_conv_args *args)
{
    const struct winograd *w = conv->state;
    if (w->task.direction == SL_NN_BACKWARD_WEIGHTS) return;
    struct run run = {.w = w, .args = args};
    sl_pool_run(args->pool, sl_nn_winograd_panels(&w->weights), prepare_panel, &run);
}

/* A worker's part of the scratch memory. */
struct work {
    struct sl_nn_tiles v, m;
    struct sl_nn_run *runs;
};

static struct work work_of(const struct run *run, size_t worker)
{
    const struct winograd *w = run->w;
    struct work work = {.v = w->v, .m = w->m};
    work.v.data = (float *)(void *)(run->workers + worker * w->worker_bytes);
    work.m.data = work.v.data + w->v_floats;
    work.runs = (struct sl_nn_run *)(void *)(work.m.data + w->m_floats);
    return work;
}

/* A range of the 16 products and of their columns, in panels. */
struct products {
    size_t frequency, n_frequencies;
    size_t panel, n_panels;
};

static size_t columns_of(const struct winograd *w, const struct products *part)
{
    return smaller(part->n_panels * COLUMNS, w->to.blocks * LANES - part->panel * COLUMNS);
}

/* Prefetch the first `n_runs` of work->runs, spread evenly over products of `rows` rows (or
 * channels). */
static struct sl_nn_ahead ahead_of(const struct work *work, const struct products *part,
                                   size_t n_runs, size_t rows)
{
    size_t lines = 0;
    size_t pieces = part->n_frequencies * part->n_panels * ((rows + GROUP - 1) / GROUP);
    for (size_t i = 0; i < n_runs; i++)
        lines += work->runs[i].lines;
    return (struct sl_nn_ahead){
        .runs = work->runs, .n_runs = n_runs, .at_once = 1 + lines / (pieces + 1)};
}

/* Compute M for the `count` tiles of a strip. */
static void multiply_strip(const struct run *run, const struct work *work,
                           const struct products *part, size_t count, size_t n_runs)
{
    const struct winograd *w = run->w;
    const size_t channels = w->from.blocks * LANES, f = part->frequency;
    const size_t u_next = sl_nn_winograd_frequency_stride(&w->weights);
    const float *panels = run->args->prepared;
    for (size_t c = 0; c < channels; c += CHANNELS_AT_ONCE) {
        struct sl_nn_gemm_rows gemm = {
            .a = work->v.data + f * work->v.frequency_stride + c / LANES * work->v.block_stride,
            .a_block = work->v.block_stride,
            .a_group = work->v.group_stride,
            .a_next = work->v.frequency_stride,
            .u = panels + f * u_next + (part->panel * channels + c) * COLUMNS,
            .u_panel = channels * COLUMNS,
            .u_next = u_next,
            .d = work->m.data + f * work->m.frequency_stride +
                 2 * part->panel * work->m.block_stride,
            .d_block = work->m.block_stride,
            .d_group = work->m.group_stride,
            .d_next = work->m.frequency_stride,
            .rows = count,
            .channels = smaller(channels - c, CHANNELS_AT_ONCE),
            .columns = columns_of(w, part),
            .batch = part->n_frequencies,
            .accumulate = c > 0,
            .ahead = ahead_of(work, part, c == 0 ? n_runs : 0, count)};
        sl_nn_gemm_rows(&gemm);
    }
}

/* Strip `index` of the forward pass: whole groups of tiles. No tiles past the end. */
static struct sl_nn_strip strip_of_groups(const struct winograd *w, size_t index)
{
    if (index >= w->n_strips) return (struct sl_nn_strip){w->tiles, 0};
    const struct sl_pool_range groups = sl_pool_range_of(groups_of_tiles(w), w->n_strips, index);
    const size_t first = groups.begin * GROUP;
    return (struct sl_nn_strip){first, smaller(groups.end * GROUP, w->tiles) - first};
}

static struct sl_nn_band whole_band(const struct sl_nn_map *map)
{
    return (struct sl_nn_band){.rows = 4, .end = map->blocks};
}

static void forward_strip(void *context, size_t index, size_t worker)
{
    const struct run *run = context;
    const struct winograd *w = run->w;
    const struct work work = work_of(run, worker);
    const struct sl_nn_strip strip = strip_of_groups(w, index);
    const struct sl_nn_strip next = strip_of_groups(w, index + 1);
    const struct sl_nn_winograd_output *out = &run->out;
    const struct products all = {.n_frequencies = SL_NN_FREQUENCIES,
                                 .n_panels = (w->to.blocks + 1) / 2};
    const struct sl_nn_band band = whole_band(&w->from);
    size_t n_runs = sl_nn_winograd_runs(&w->from, run->input, true, next, work.runs);
    n_runs += sl_nn_winograd_runs(&w->to, out->result, false, strip, work.runs + n_runs);
    if (out->add && out->add != out->result)
        n_runs += sl_nn_winograd_runs(&w->to, out->add, false, strip, work.runs + n_runs);
    sl_nn_winograd_input(&w->from, run->input, run->zeros, strip, &band, &work.v);
    multiply_strip(run, &work, &all, strip.count, n_runs);
    sl_nn_winograd_output(&w->to, &work.m, strip, out);
}

/* ---- One strip at a time: its tiles are shared for the transforms, its products by frequency and
 * panel. ---- */

/* A few groups of the current strip, and their transformed tiles. */
static struct sl_nn_strip few_groups(const struct run *run, size_t part, struct sl_nn_tiles *tiles)
{
    const size_t first = part * GROUP;
    tiles->data += part * tiles->group_stride;
    return (struct sl_nn_strip){run->strip.first + first, smaller(GROUP, run->strip.count - first)};
}

static void input_groups(void *context, size_t part, size_t worker)
{
    (void)worker;
    const struct run *run = context;
    struct work work = work_of(run, 0);
    const struct sl_nn_band band = whole_band(&run->w->from);
    const struct sl_nn_strip few = few_groups(run, part, &work.v);
    sl_nn_winograd_input(&run->w->from, run->input, run->zeros, few, &band, &work.v);
}

static void output_groups(void *context, size_t part, size_t worker)
{
    (void)worker;
    const struct run *run = context;
    struct work work = work_of(run, 0);
    const struct sl_nn_strip few = few_groups(run, part, &work.m);
    sl_nn_winograd_output(&run->w->to, &work.m, few, &run->out);
}

static void multiply_panel(void *context, size_t part, size_t worker)
{
    (void)worker;
    const struct run *run = context;
    const struct work work = work_of(run, 0);
    const size_t n_panels = (run->w->to.blocks + 1) / 2;
    const struct products one = {
        .frequency = part / n_panels, .n_frequencies = 1, .panel = part % n_panels, .n_panels = 1};
    multiply_strip(run, &work, &one, run->strip.count, 0);
}

static void run_together(struct run *run)
{
    const struct winograd *w = run->w;
    struct sl_pool *pool = run->args->pool;
    const size_t n_panels = (w->to.blocks + 1) / 2;
    for (size_t i = 0; i < w->n_strips; i++) {
        run->strip = strip_of_groups(w, i);
        const size_t groups = (run->strip.count + GROUP - 1) / GROUP;
        sl_pool_run(pool, groups, input_groups, run);
        sl_pool_run(pool, SL_NN_FREQUENCIES * n_panels, multiply_panel, run);
        sl_pool_run(pool, groups, output_groups, run);
    }
}

static void run_forward(const struct winograd *w, const struct sl_nn_conv_args *args)
{
    struct run run = run_of(w, args);
    bool forward = w->task.direction == SL_NN_FORWARD;
    if (forward && w->task.bias)
        memcpy(run.bias, args->bias, w->task.out_channels * sizeof *args->bias);
    run.input = forward ? args->input : args->upstream;
    run.out = (struct sl_nn_winograd_output){.bias = run.bias,
                                             .add = w->task.add ? args->add : NULL,
                                             .relu = forward && w->task.relu,
                                             .result = args->result};
    if (w->together)
        run_together(&run);
    else
        sl_pool_run(args->pool, w->n_strips, forward_strip, &run);
}

/* ---- Backward-weights ---- */

/* Frequency 5 of a tile of the upstream gradient is the sum over the tile. */
static void add_bias(const struct work *work, const struct sl_nn_band *band, size_t count,
                     double *sums)
{
    for (size_t b = band->block; b < band->end; b++) {
        const float *tiles = work->m.data + 5 * work->m.frequency_stride + b * work->m.block_stride;
        float sum[LANES] = {0};
        for (size_t t = 0; t < count; t++)
            for (size_t lane = 0; lane < LANES; lane++)
                sum[lane] += tiles[t * LANES + lane];
        for (size_t lane = 0; lane < LANES; lane++)
            sums[b * LANES + lane] += (double)sum[lane];
    }
}

static void add_products(const struct run *run, const struct work *work,
                         const struct products *part, struct sl_nn_strip strip, size_t n_runs)
{
    const struct winograd *w = run->w;
    const size_t channels = w->from.blocks * LANES, f = part->frequency;
    const size_t d_next = sl_nn_winograd_frequency_stride(&w->weights);
    struct sl_nn_gemm_outer gemm = {.a = work->v.data + f * work->v.frequency_stride,
                                    .a_block = work->v.block_stride,
                                    .a_next = work->v.frequency_stride,
                                    .b = work->m.data + f * work->m.frequency_stride +
                                         2 * part->panel * work->m.block_stride,
                                    .b_block = work->m.block_stride,
                                    .b_next = work->m.frequency_stride,
                                    .d = run->sums + f * d_next + part->panel * channels * COLUMNS,
                                    .d_panel = channels * COLUMNS,
                                    .d_next = d_next,
                                    .rows = strip.count,
                                    .channels = channels,
                                    .columns = columns_of(w, part),
                                    .batch = part->n_frequencies,
                                    .accumulate = strip.first > 0,
                                    .ahead = ahead_of(work, part, n_runs, channels)};
    sl_nn_gemm_outer(&gemm);
}

/* The strip that begins at tile `first`; it has no tiles past the end. */
static struct sl_nn_strip strip_at(const struct winograd *w, size_t first)
{
    return (struct sl_nn_strip){first, smaller(w->strip, w->tiles - first)};
}

/* List what the next strip reads, to prefetch it. Threads that share the frequencies read the same
 * maps; twice as many prefetches for the same products made them slower. */
static size_t list_next(const struct run *run, struct sl_nn_strip next, struct sl_nn_run *runs)
{
    const struct winograd *w = run->w;
    if (w->rows < 4) return 0;
    const size_t n_runs = sl_nn_winograd_runs(&w->from, run->args->input, true, next, runs);
    return n_runs + sl_nn_winograd_runs(&w->to, run->args->upstream, false, next, runs + n_runs);
}

/* A part of the weight gradient: some rows of frequencies of some panels, over all tiles. */
static void weights_part(void *context, size_t part, size_t worker)
{
    const struct run *run = context;
    const struct winograd *w = run->w;
    const struct sl_nn_conv_args *args = run->args;
    const struct work work = work_of(run, worker);
    const size_t row_parts = 4 / w->rows, row = part % row_parts * w->rows;
    const struct products products = {.frequency = 4 * row,
                                      .n_frequencies = 4 * w->rows,
                                      .panel = part / row_parts * w->panels,
                                      .n_panels = w->panels};
    const struct sl_nn_band from = {.row = row, .rows = w->rows, .end = w->from.blocks};
    const struct sl_nn_band to = {.row = row,
                                  .rows = w->rows,
                                  .block = 2 * products.panel,
                                  .end = 2 * products.panel + columns_of(w, &products) / LANES};
    for (size_t first = 0; first < w->tiles; first += w->strip) {
        struct sl_nn_strip strip = strip_at(w, first), next = strip_at(w, first + strip.count);
        const size_t n_runs = list_next(run, next, work.runs);
        sl_nn_winograd_input(&w->from, args->input, run->zeros, strip, &from, &work.v);
        sl_nn_winograd_upstream(&w->to, args->upstream, run->zeros, strip, &to, &work.m);
        if (w->task.bias && row <= 1 && 1 < row + w->rows)
            add_bias(&work, &to, strip.count, (double *)(void *)run->bias);
        add_products(run, &work, &products, strip, n_runs);
    }
}

static void gradient_panel(void *context, size_t panel, size_t worker)
{
    (void)worker;
    const struct run *run = context;
    sl_nn_winograd_gradient(&run->w->weights, run->sums, panel, run->args->result);
}

static void run_weights(const struct winograd *w, const struct sl_nn_conv_args *args)
{
    struct run run = run_of(w, args);
    const size_t n_panels = sl_nn_winograd_panels(&w->weights);
    const size_t panel_parts = (n_panels + w->panels - 1) / w->panels;
    sl_pool_run(args->pool, 4 / w->rows * panel_parts, weights_part, &run);
    sl_pool_run(args->pool, n_panels, gradient_panel, &run);
    const double *bias = (const double *)(const void *)run.bias;
    for (size_t k = 0; w->task.bias && k < w->task.out_channels; k++)
        args->bias_gradient[k] = (float)bias[k];
}

static void run(const struct sl_nn_conv *conv, const struct sl_nn_conv_args *args)
{
    const struct winograd *w = conv->state;
    if (w->task.direction == SL_NN_BACKWARD_WEIGHTS)
        run_weights(w, args);
    else
        run_forward(w, args);
}

const struct sl_nn_conv_kernel sl_nn_conv_winograd = {
    .name = "winograd2",
    .summary = "3x3 kernels with 16 multiplications per 2x2 outputs, AVX2",
    .suits = suits,
    .create = create,
    .destroy = destroy,
    .prepare = prepare_weights,
    .run = run,
};
