/* Convolution as one matrix product per tap of the kernel, for any shape.
 *
 * Images are copied to rows of channels, in the order (pixel, image). A tap shifts pixels by a
 * fixed step. In one row of the map, the outputs that it reaches and the inputs that they read are
 * therefore both contiguous rows, called a run, and no patches have to be gathered. Pixels in the
 * padding belong to no run. On small maps most taps fall into the padding; a run there consists of
 * all images at a few pixels. With a stride, columns of the input are sorted by their remainder, so
 * that runs are contiguous again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/conv/kernels.h"
#include "nn/dnn.h"
#include "nn/tensor.h"
#include "softlab/base/memory.h"

enum { CHUNK_BYTES = 4 << 20, ALIGNMENT = 64, COLUMNS = 64 };

/* The input or the output of the layer: its map, and its memory in blocks of `lanes` channels. */
struct side {
    size_t channels, height, width, lanes;
    size_t row;    /* floats between rows of channels */
    size_t phases; /* columns x, x + phases, x + 2 phases ... follow each other in rows */
};

struct gemm_state {
    struct sl_nn_conv_task task;
    struct side input, output;
    size_t weight_row;                         /* floats between the weights of two outputs */
    size_t chunk;                              /* images at a time */
    size_t output_at, weights_at, bias_sum_at; /* bytes in scratch; input rows are first */
};

/* Pixels in a row of the output map, and the input pixels that a tap reads for them. */
struct run {
    size_t output, input, pixels;
};

static size_t round_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Avoid strides that are multiples of 512 bytes: rows would compete for few sets of the cache, and
 * a product of 512 x 512 x 512 would take three times as long. */
static size_t row_floats(size_t channels)
{
    return channels % 128 == 0 ? channels + 16 : channels;
}

static bool gemm_suits(const struct sl_nn_conv_task *task)
{
    (void)task;
    return true;
}

static size_t side_bytes(const struct side *side)
{
    return side->row * side->height * side->width * sizeof(float);
}

static enum sl_status gemm_create(const struct sl_nn_conv_task *task, struct sl_nn_conv *conv,
                                  struct sl_error *err)
{
    (void)err;
    struct gemm_state *state = sl_alloc(1, sizeof *state);
    state->task = *task;
    state->input = (struct side){.channels = task->in_channels,
                                 .height = task->height,
                                 .width = task->width,
                                 .lanes = task->plain_input ? 1 : SL_NN_LANES,
                                 .row = row_floats(task->in_channels),
                                 .phases = task->stride};
    state->output = (struct side){.channels = task->out_channels,
                                  .height = task->out_height,
                                  .width = task->out_width,
                                  .lanes = SL_NN_LANES,
                                  .row = row_floats(task->out_channels),
                                  .phases = 1};
    size_t in = side_bytes(&state->input), out = side_bytes(&state->output);
    state->chunk = smaller(task->images, 1 + CHUNK_BYTES / (in + out));
    state->output_at = round_up(state->chunk * in);
    state->weights_at = state->output_at + round_up(state->chunk * out);
    state->bias_sum_at = state->weights_at;

    state->weight_row = row_floats(task->in_channels / task->groups);
    size_t taps = task->kernel * task->kernel;
    size_t weights = round_up(taps * task->out_channels * state->weight_row * sizeof(float));
    bool backward_weights = task->direction == SL_NN_BACKWARD_WEIGHTS;
    if (backward_weights) state->bias_sum_at += weights;
    *conv = (struct sl_nn_conv){
        .kernel = &sl_nn_conv_gemm,
        .prepared_bytes = backward_weights ? 0 : weights,
        .scratch_bytes = state->bias_sum_at + task->out_channels * sizeof(double),
        .state = state,
    };
    return SL_OK;
}

static void gemm_destroy(struct sl_nn_conv *conv)
{
    free(conv->state);
    conv->state = NULL;
}

/* The place of column x in its row of pixels, after sorting by phase. */
static size_t column_place(const struct side *side, size_t x)
{
    size_t place = x / side->phases;
    for (size_t phase = 0; phase < x % side->phases; phase++)
        place += (side->width - phase + side->phases - 1) / side->phases;
    return place;
}

/* The outputs of one row or column that a tap reaches: [*first, *end). */
static void reached(size_t size, size_t out_size, size_t tap, const struct sl_nn_conv_task *task,
                    size_t *first, size_t *end)
{
    size_t stride = task->stride, pad = task->pad;
    *first = tap < pad ? (pad - tap + stride - 1) / stride : 0;
    *end = size + pad > tap ? smaller(out_size, (size + pad - tap - 1) / stride + 1) : 0;
}

/* The next run of a tap, from output row *row on; false if there is none. */
static bool next_run(const struct gemm_state *state, size_t tap, size_t *row, struct run *out)
{
    const struct sl_nn_conv_task *task = &state->task;
    size_t tap_y = tap / task->kernel, tap_x = tap % task->kernel;
    size_t first_row, end_row, first, end;
    reached(task->height, task->out_height, tap_y, task, &first_row, &end_row);
    reached(task->width, task->out_width, tap_x, task, &first, &end);
    if (*row < first_row) *row = first_row;
    if (*row >= end_row || first >= end) return false;

    size_t y = *row * task->stride + tap_y - task->pad;
    size_t x = first * task->stride + tap_x - task->pad;
    out->output = *row * task->out_width + first;
    out->input = y * task->width + column_place(&state->input, x);
    out->pixels = end - first;
    bool whole_rows =
        task->stride == 1 && out->pixels == task->width && out->pixels == task->out_width;
    if (whole_rows) out->pixels *= end_row - *row;
    *row = whole_rows ? end_row : *row + 1;
    return true;
}

static bool tap_reaches(const struct gemm_state *state, size_t tap)
{
    size_t row = 0;
    struct run run;
    return next_run(state, tap, &row, &run);
}

/* A run of the kernel, for its parts. */
struct gemm_run {
    const struct gemm_state *state;
    const struct sl_nn_conv_args *args;
    size_t n_parts;
    size_t first, count; /* images of the chunk */
    float *input, *output, *weights;
};

/* Copy OIHW to (tap, out, in), for taps that reach any pixel. */
static void prepare_outputs(void *context, size_t part, size_t worker)
{
    (void)worker;
    const struct gemm_run *run = context;
    const struct sl_nn_conv_task *task = &run->state->task;
    const struct sl_pool_range range = sl_pool_range_of(task->out_channels, run->n_parts, part);
    size_t in = task->in_channels / task->groups, taps = task->kernel * task->kernel;
    float *prepared = run->args->prepared;
    for (size_t out = range.begin; out < range.end; out++)
        for (size_t tap = 0; tap < taps; tap++) {
            if (!tap_reaches(run->state, tap)) continue;
            const float *from = run->args->weights + out * in * taps + tap;
            float *to = prepared + (tap * task->out_channels + out) * run->state->weight_row;
            for (size_t i = 0; i < in; i++)
                to[i] = from[i * taps];
        }
}

static size_t parts_for(const struct sl_nn_conv_args *args)
{
    enum { PARTS_PER_THREAD = 2 };
    const size_t threads = sl_pool_threads(args->pool);
    return threads == 1 ? 1 : PARTS_PER_THREAD * threads;
}

static void gemm_prepare(const struct sl_nn_conv *conv, const struct sl_nn_conv_args *args)
{
    struct gemm_run run = {.state = conv->state, .args = args, .n_parts = parts_for(args)};
    if (run.state->task.direction == SL_NN_BACKWARD_WEIGHTS) return;
    sl_pool_run(args->pool, run.n_parts, prepare_outputs, &run);
}

/* Copy (tap, out, in) back to OIHW. A tap that reaches no pixel has gradient 0. */
static void write_weights(void *context, size_t part, size_t worker)
{
    (void)worker;
    const struct gemm_run *run = context;
    const struct gemm_state *state = run->state;
    const struct sl_nn_conv_task *task = &state->task;
    const struct sl_pool_range range = sl_pool_range_of(task->out_channels, run->n_parts, part);
    size_t in = task->in_channels / task->groups, taps = task->kernel * task->kernel;
    for (size_t out = range.begin; out < range.end; out++)
        for (size_t tap = 0; tap < taps; tap++) {
            bool reaches = tap_reaches(state, tap);
            const float *row = run->weights + (tap * task->out_channels + out) * state->weight_row;
            float *to = run->args->result + out * in * taps + tap;
            for (size_t i = 0; i < in; i++)
                to[i * taps] = reaches ? row[i] : 0;
        }
}

static size_t image_floats(const struct side *side)
{
    size_t blocks = (side->channels + side->lanes - 1) / side->lanes;
    return blocks * side->lanes * side->height * side->width;
}

/* `lanes` channels of one image in the rows, from channel `first` on. The rows of an image are
 * `row_stride` floats apart. */
struct strip {
    float *rows; /* channel `first` in the image's first row */
    size_t row_stride, lanes;
};

static struct strip strip_of(const struct side *side, float *rows, size_t count, size_t image,
                             size_t first)
{
    return (struct strip){rows + image * side->row + first, count * side->row,
                          smaller(side->lanes, side->channels - first)};
}

static void strip_to_rows(const struct side *side, const float *map, struct strip strip)
{
    for (size_t y = 0; y < side->height; y++, map += side->width * side->lanes)
        for (size_t phase = 0; phase < side->phases; phase++)
            for (size_t x = phase; x < side->width; x += side->phases) {
                const float *from = map + x * side->lanes;
                if (strip.lanes == SL_NN_LANES)
                    memcpy(strip.rows, from, SL_NN_LANES * sizeof(float));
                else
                    memcpy(strip.rows, from, strip.lanes * sizeof(float));
                strip.rows += strip.row_stride;
            }
}

/* Lanes past the last channel become zero. */
static void strip_from_rows(const struct side *side, struct strip strip, float floor, float *map)
{
    for (size_t y = 0; y < side->height; y++, map += side->width * side->lanes)
        for (size_t phase = 0; phase < side->phases; phase++)
            for (size_t x = phase; x < side->width; x += side->phases) {
                float *to = map + x * side->lanes;
                for (size_t lane = 0; lane < strip.lanes; lane++)
                    to[lane] = strip.rows[lane] < floor ? floor : strip.rows[lane];
                for (size_t lane = strip.lanes; lane < side->lanes; lane++)
                    to[lane] = 0;
                strip.rows += strip.row_stride;
            }
}

/* Image `image` of a chunk of `count`, to its rows. */
static void to_rows(const struct side *side, const float *images, size_t count, size_t image,
                    float *rows)
{
    size_t plane = side->height * side->width;
    const float *from = images + image * image_floats(side);
    for (size_t first = 0; first < side->channels; first += side->lanes)
        strip_to_rows(side, from + first * plane, strip_of(side, rows, count, image, first));
}

/* Values below `floor` become `floor`. */
static void from_rows(const struct side *side, float *rows, size_t count, size_t image, float floor,
                      float *images)
{
    size_t plane = side->height * side->width;
    float *to = images + image * image_floats(side);
    for (size_t first = 0; first < side->channels; first += side->lanes)
        strip_from_rows(side, strip_of(side, rows, count, image, first), floor, to + first * plane);
}

/* Initialise the rows to which products will be added. */
static void begin_rows(const struct side *side, const float *add, const float *bias, size_t count,
                       size_t image, float *rows)
{
    if (add) to_rows(side, add, count, image, rows);
    for (size_t pixel = 0; pixel < side->height * side->width; pixel++) {
        float *row = rows + (pixel * count + image) * side->row;
        if (!add) memset(row, 0, side->row * sizeof *row);
        for (size_t channel = 0; bias && channel < side->channels; channel++)
            row[channel] += bias[channel];
    }
}

/* The operands of a product. */
struct operands {
    float *input, *output, *weights;
    bool first; /* first product: overwrite the weights */
};

/* Add the product of one run and one group, in the direction of the task: `columns` of the input
 * channels, or, forward, of the output channels. */
static void multiply(const struct gemm_state *state, const struct operands *operands, size_t n_rows,
                     struct sl_pool_range columns)
{
    const struct sl_nn_conv_task *task = &state->task;
    size_t in = task->in_channels / task->groups, out = task->out_channels / task->groups;
    size_t in_row = state->input.row, out_row = state->output.row;
    float *input = operands->input, *output = operands->output, *weights = operands->weights;
    struct sl_gemm gemm = {
        .alpha = 1, .beta = operands->first ? 0 : 1, .n = columns.end - columns.begin};
    switch (task->direction) {
    case SL_NN_FORWARD:
        gemm.m = n_rows, gemm.k = in;
        gemm.a = input, gemm.lda = in_row;
        gemm.b = weights + columns.begin * state->weight_row, gemm.ldb = state->weight_row;
        gemm.transpose_b = true;
        gemm.c = output + columns.begin, gemm.ldc = out_row;
        break;
    case SL_NN_BACKWARD_DATA:
        gemm.m = n_rows, gemm.k = out;
        gemm.a = output, gemm.lda = out_row;
        gemm.b = weights + columns.begin, gemm.ldb = state->weight_row;
        gemm.c = input + columns.begin, gemm.ldc = in_row;
        break;
    case SL_NN_BACKWARD_WEIGHTS:
        gemm.m = out, gemm.k = n_rows;
        gemm.a = output, gemm.lda = out_row, gemm.transpose_a = true;
        gemm.b = input + columns.begin, gemm.ldb = in_row;
        gemm.c = weights + columns.begin, gemm.ldc = state->weight_row;
        break;
    }
    sl_nn_gemm(&gemm);
}

/* All products of a range of columns of the chunk; their number of columns is a multiple of
 * COLUMNS, which leaves oneDNN no reason to sum in another order. */
static void multiply_columns(void *context, size_t part, size_t worker)
{
    (void)worker;
    const struct gemm_run *run = context;
    const struct gemm_state *state = run->state;
    const struct sl_nn_conv_task *task = &state->task;
    size_t in = task->in_channels / task->groups, out = task->out_channels / task->groups;
    const size_t all = task->direction == SL_NN_FORWARD ? out : in;
    struct sl_pool_range columns =
        sl_pool_range_of((all + COLUMNS - 1) / COLUMNS, run->n_parts, part);
    columns.begin *= COLUMNS;
    columns.end = smaller(columns.end * COLUMNS, all);
    if (columns.begin >= columns.end) return;
    for (size_t tap = 0; tap < task->kernel * task->kernel; tap++) {
        bool fresh = task->direction == SL_NN_BACKWARD_WEIGHTS && run->first == 0;
        struct run pixels;
        for (size_t row = 0; next_run(state, tap, &row, &pixels); fresh = false)
            for (size_t group = 0; group < task->groups; group++) {
                size_t weight = tap * task->out_channels + group * out;
                const struct operands operands = {
                    .first = fresh,
                    .input = run->input + pixels.input * run->count * state->input.row + group * in,
                    .output =
                        run->output + pixels.output * run->count * state->output.row + group * out,
                    .weights = run->weights + weight * state->weight_row,
                };
                multiply(state, &operands, pixels.pixels * run->count, columns);
            }
    }
}

static void add_up(const struct side *side, const float *rows, size_t count, double *sums)
{
    for (size_t row = 0; row < count * side->height * side->width; row++)
        for (size_t channel = 0; channel < side->channels; channel++)
            sums[channel] += (double)rows[row * side->row + channel];
}

static void weights_rows(void *context, size_t image, size_t worker)
{
    (void)worker;
    const struct gemm_run *run = context;
    const struct side *in = &run->state->input, *out = &run->state->output;
    to_rows(in, run->args->input + run->first * image_floats(in), run->count, image, run->input);
    to_rows(out, run->args->upstream + run->first * image_floats(out), run->count, image,
            run->output);
}

static void run_backward_weights(struct gemm_run *run)
{
    const struct gemm_state *state = run->state;
    const struct sl_nn_conv_task *task = &state->task;
    const struct sl_nn_conv_args *args = run->args;
    double *sums = (double *)(void *)((char *)args->scratch + state->bias_sum_at);
    run->weights = (float *)(void *)((char *)args->scratch + state->weights_at);
    memset(sums, 0, task->out_channels * sizeof *sums);
    for (; run->first < task->images; run->first += state->chunk) {
        run->count = smaller(state->chunk, task->images - run->first);
        sl_pool_run(args->pool, run->count, weights_rows, run);
        sl_pool_run(args->pool, run->n_parts, multiply_columns, run);
        if (task->bias) add_up(&state->output, run->output, run->count, sums);
    }
    sl_pool_run(args->pool, run->n_parts, write_weights, run);
    if (task->bias)
        for (size_t channel = 0; channel < task->out_channels; channel++)
            args->bias_gradient[channel] = (float)sums[channel];
}

static bool is_forward(const struct gemm_run *run)
{
    return run->state->task.direction == SL_NN_FORWARD;
}

static void begin_image(void *context, size_t image, size_t worker)
{
    (void)worker;
    const struct gemm_run *run = context;
    const struct gemm_state *state = run->state;
    const struct sl_nn_conv_args *args = run->args;
    const bool forward = is_forward(run);
    const struct side *read = forward ? &state->input : &state->output;
    const struct side *written = forward ? &state->output : &state->input;
    const float *source = forward ? args->input : args->upstream;
    const float *add =
        state->task.add && args->add ? args->add + run->first * image_floats(written) : NULL;
    to_rows(read, source + run->first * image_floats(read), run->count, image,
            forward ? run->input : run->output);
    begin_rows(written, add, forward && state->task.bias ? args->bias : NULL, run->count, image,
               forward ? run->output : run->input);
}

static void end_image(void *context, size_t image, size_t worker)
{
    (void)worker;
    const struct gemm_run *run = context;
    const bool forward = is_forward(run);
    const struct side *written = forward ? &run->state->output : &run->state->input;
    from_rows(written, forward ? run->output : run->input, run->count, image,
              forward && run->state->task.relu ? 0 : -INFINITY,
              run->args->result + run->first * image_floats(written));
}

static void gemm_run(const struct sl_nn_conv *conv, const struct sl_nn_conv_args *args)
{
    const struct gemm_state *state = conv->state;
    const struct sl_nn_conv_task *task = &state->task;
    struct gemm_run run = {
        .state = state,
        .args = args,
        .n_parts = parts_for(args),
        .input = args->scratch,
        .output = (float *)(void *)((char *)args->scratch + state->output_at),
        .weights = args->prepared,
    };
    if (task->direction == SL_NN_BACKWARD_WEIGHTS) {
        run_backward_weights(&run);
        return;
    }
    for (; run.first < task->images; run.first += state->chunk) {
        run.count = smaller(state->chunk, task->images - run.first);
        sl_pool_run(args->pool, run.count, begin_image, &run);
        sl_pool_run(args->pool, run.n_parts, multiply_columns, &run);
        sl_pool_run(args->pool, run.count, end_image, &run);
    }
}

const struct sl_nn_conv_kernel sl_nn_conv_gemm = {
    .name = "gemm",
    .summary = "one matrix product per tap of the kernel: any shape",
    .suits = gemm_suits,
    .create = gemm_create,
    .destroy = gemm_destroy,
    .prepare = gemm_prepare,
    .run = gemm_run,
};
