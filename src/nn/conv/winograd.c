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
    size_t tiles, strip;     /* all tiles, tiles per strip */
    struct sl_nn_tiles v, m; /* layouts; data is NULL */
    size_t v_floats, m_floats, zero_floats, bias_floats, sum_floats, max_runs;
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

/* The number of groups of tiles in a strip. The transformed tiles should stay in the cache, so a
 * strip is short. But with many channels the transformed weights do not fit in the cache, and a
 * longer strip reads them less often. The constants are measured as above. */
static size_t groups_of(const struct winograd *w)
{
    double from = (double)(w->from.blocks * LANES), to = (double)(w->to.blocks * LANES);
    double group_bytes = SL_NN_FREQUENCIES * GROUP * (from + to) * sizeof(float);
    double weights_bytes = SL_NN_FREQUENCIES * from * to * sizeof(float);
    size_t most = 1 + (size_t)(80e3 / group_bytes + weights_bytes / 740e3);
    return part_of((w->tiles + GROUP - 1) / GROUP, most);
}

static void plan_forward(struct winograd *w)
{
    size_t groups = groups_of(w);
    w->strip = GROUP * groups;
    w->v = tiles_of(w->from.blocks, GROUP);
    w->m = tiles_of(w->to.blocks, GROUP);
    w->v_floats = groups * w->v.group_stride;
    w->m_floats = groups * w->m.group_stride;
    w->bias_floats = w->to.blocks * LANES;
}

static void plan_weights(struct winograd *w)
{
    w->strip = part_of(w->tiles, WEIGHTS_STRIP);
    w->v = tiles_of(w->from.blocks, w->strip);
    w->m = tiles_of(w->to.blocks, w->strip);
    w->v_floats = w->v.group_stride;
    w->m_floats = w->m.group_stride;
    w->bias_floats = 2 * w->to.blocks * LANES; /* doubles */
    w->sum_floats = SL_NN_FREQUENCIES * sl_nn_winograd_frequency_stride(&w->weights);
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
    w->zero_floats = (task->width * LANES + 15) / 16 * 16;
    if (task->direction == SL_NN_BACKWARD_WEIGHTS)
        plan_weights(w);
    else
        plan_forward(w);
    w->bias_floats = (w->bias_floats + 15) / 16 * 16;
    /* Runs to prefetch: the input of the next strip, and either the output and addend of this strip
     * or the upstream gradient of the next. */
    w->max_runs =
        sl_nn_winograd_max_runs(&w->from, w->strip) + 2 * sl_nn_winograd_max_runs(&w->to, w->strip);
    conv->state = w;
    conv->scratch_bytes =
        (w->v_floats + w->m_floats + w->zero_floats + w->bias_floats + w->sum_floats) *
            sizeof(float) +
        w->max_runs * sizeof(struct sl_nn_run);
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

static void prepare_weights(const struct sl_nn_conv *conv, const struct sl_nn_conv_args *args)
{
    const struct winograd *w = conv->state;
    if (w->task.direction != SL_NN_BACKWARD_WEIGHTS)
        sl_nn_winograd_prepare(&w->weights, args->weights, args->prepared);
}

/* The parts of the scratch memory. */
struct work {
    struct sl_nn_tiles v, m;
    float *zeros, *bias, *sums;
    struct sl_nn_run *runs;
};

static struct work work_of(const struct winograd *w, float *scratch)
{
    struct work work = {.v = w->v, .m = w->m};
    work.v.data = scratch;
    work.m.data = work.v.data + w->v_floats;
    work.zeros = work.m.data + w->m_floats;
    work.bias = work.zeros + w->zero_floats;
    work.sums = work.bias + w->bias_floats;
    work.runs = (struct sl_nn_run *)(void *)(work.sums + w->sum_floats);
    memset(work.zeros, 0, (w->zero_floats + w->bias_floats) * sizeof *scratch);
    return work;
}

/* Prefetch the first `n_runs` of work->runs, spread evenly over products of `rows` rows (or
 * channels). */
static struct sl_nn_ahead ahead_of(const struct winograd *w, const struct work *work, size_t n_runs,
                                   size_t rows)
{
    size_t lines = 0;
    size_t pieces = SL_NN_FREQUENCIES * ((w->to.blocks + 1) / 2) * ((rows + GROUP - 1) / GROUP);
    for (size_t i = 0; i < n_runs; i++)
        lines += work->runs[i].lines;
    return (struct sl_nn_ahead){
        .runs = work->runs, .n_runs = n_runs, .at_once = 1 + lines / (pieces + 1)};
}

/* Compute M for the `count` tiles of a strip. */
static void multiply_strip(const struct winograd *w, const struct work *work, const float *panels,
                           size_t count, size_t n_runs)
{
    size_t channels = w->from.blocks * LANES;
    for (size_t c = 0; c < channels; c += CHANNELS_AT_ONCE) {
        struct sl_nn_gemm_rows gemm = {.a = work->v.data + c / LANES * work->v.block_stride,
                                       .a_block = work->v.block_stride,
                                       .a_group = work->v.group_stride,
                                       .a_next = work->v.frequency_stride,
                                       .u = panels + c * COLUMNS,
                                       .u_panel = channels * COLUMNS,
                                       .u_next = sl_nn_winograd_frequency_stride(&w->weights),
                                       .d = work->m.data,
                                       .d_block = work->m.block_stride,
                                       .d_group = work->m.group_stride,
                                       .d_next = work->m.frequency_stride,
                                       .rows = count,
                                       .channels = smaller(channels - c, CHANNELS_AT_ONCE),
                                       .columns = w->to.blocks * LANES,
                                       .batch = SL_NN_FREQUENCIES,
                                       .accumulate = c > 0,
                                       .ahead = ahead_of(w, work, c == 0 ? n_runs : 0, count)};
        sl_nn_gemm_rows(&gemm);
    }
}

/* The strip that begins at tile `first`; it has no tiles past the end. */
static struct sl_nn_strip strip_at(const struct winograd *w, size_t first)
{
    return (struct sl_nn_strip){first, smaller(w->strip, w->tiles - first)};
}

static void run_forward(const struct winograd *w, const struct sl_nn_conv_args *args)
{
    struct work work = work_of(w, args->scratch);
    bool forward = w->task.direction == SL_NN_FORWARD;
    if (forward && w->task.bias)
        memcpy(work.bias, args->bias, w->task.out_channels * sizeof *args->bias);
    struct sl_nn_winograd_output out = {.bias = work.bias,
                                        .add = w->task.add ? args->add : NULL,
                                        .relu = forward && w->task.relu,
                                        .result = args->result};
    const float *input = forward ? args->input : args->upstream;
    for (size_t first = 0; first < w->tiles; first += w->strip) {
        struct sl_nn_strip strip = strip_at(w, first), next = strip_at(w, first + strip.count);
        size_t n_runs = sl_nn_winograd_runs(&w->from, input, true, next, work.runs);
        n_runs += sl_nn_winograd_runs(&w->to, out.result, false, strip, work.runs + n_runs);
        if (out.add && out.add != out.result)
            n_runs += sl_nn_winograd_runs(&w->to, out.add, false, strip, work.runs + n_runs);
        sl_nn_winograd_input(&w->from, input, work.zeros, strip, &work.v);
        multiply_strip(w, &work, args->prepared, strip.count, n_runs);
        sl_nn_winograd_output(&w->to, &work.m, strip, &out);
    }
}

/* Frequency 5 of a tile of the upstream gradient is the sum over the tile. */
static void add_bias(const struct winograd *w, const struct work *work, size_t count, double *sums)
{
    for (size_t b = 0; b < w->to.blocks; b++) {
        const float *tiles = work->m.data + 5 * work->m.frequency_stride + b * work->m.block_stride;
        float sum[LANES] = {0};
        for (size_t t = 0; t < count; t++)
            for (size_t lane = 0; lane < LANES; lane++)
                sum[lane] += tiles[t * LANES + lane];
        for (size_t lane = 0; lane < LANES; lane++)
            sums[b * LANES + lane] += (double)sum[lane];
    }
}

static void add_products(const struct winograd *w, const struct work *work,
                         struct sl_nn_strip strip, size_t n_runs)
{
    size_t channels = w->from.blocks * LANES;
    struct sl_nn_gemm_outer gemm = {.a = work->v.data,
                                    .a_block = work->v.block_stride,
                                    .a_next = work->v.frequency_stride,
                                    .b = work->m.data,
                                    .b_block = work->m.block_stride,
                                    .b_next = work->m.frequency_stride,
                                    .d = work->sums,
                                    .d_panel = channels * COLUMNS,
                                    .d_next = sl_nn_winograd_frequency_stride(&w->weights),
                                    .rows = strip.count,
                                    .channels = channels,
                                    .columns = w->to.blocks * LANES,
                                    .batch = SL_NN_FREQUENCIES,
                                    .accumulate = strip.first > 0,
                                    .ahead = ahead_of(w, work, n_runs, channels)};
    sl_nn_gemm_outer(&gemm);
}

static void run_weights(const struct winograd *w, const struct sl_nn_conv_args *args)
{
    struct work work = work_of(w, args->scratch);
    double *bias = (double *)(void *)work.bias;
    for (size_t first = 0; first < w->tiles; first += w->strip) {
        struct sl_nn_strip strip = strip_at(w, first), next = strip_at(w, first + strip.count);
        size_t n_runs = sl_nn_winograd_runs(&w->from, args->input, true, next, work.runs);
        n_runs += sl_nn_winograd_runs(&w->to, args->upstream, false, next, work.runs + n_runs);
        sl_nn_winograd_input(&w->from, args->input, work.zeros, strip, &work.v);
        sl_nn_winograd_upstream(&w->to, args->upstream, work.zeros, strip, &work.m);
        if (w->task.bias) add_bias(w, &work, strip.count, bias);
        add_products(w, &work, strip, n_runs);
    }
    sl_nn_winograd_gradient(&w->weights, work.sums, args->result);
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
