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

enum { CHUNK_BYTES = 4 << 20, ALIGNMENT = 64 };

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

/* Copy OIHW to (tap, out, in), for taps that reach any pixel. */
static void gemm_prepare(const struct sl_nn_conv *conv, const struct sl_nn_conv_args *args)
{
    const struct gemm_state *state = conv->state;
    const struct sl_nn_conv_task *task = &state->task;
    if (task->direction == SL_NN_BACKWARD_WEIGHTS) return;
    size_t in = task->in_channels / task->groups, taps = task->kernel * task->kernel;
    float *prepared = args->prepared;
    for (size_t out = 0; out < task->out_channels; out++)
        for (size_t tap = 0; tap < taps; tap++) {
            if (!tap_reaches(state, tap)) continue;
            const float *from = args->weights + out * in * taps + tap;
            float *to = prepared + (tap * task->out_channels + out) * state->weight_row;
            for (size_t i = 0; i < in; i++)
                to[i] = from[i * taps];
        }
}

/* Copy (tap, out, in) back to OIHW. A tap that reaches no pixel has gradient 0. */
static void write_weights(const struct gemm_state *state, const float *from, float *result)
{
    const struct sl_nn_conv_task *task = &state->task;
    size_t in = task->in_channels / task->groups, taps = task->kernel * task->kernel;
    for (size_t out = 0; out < task->out_channels; out++)
        for (size_t tap = 0; tap < taps; tap++) {
            bool reaches = tap_reaches(state, tap);
            const float *row = from + (tap * task->out_channels + out) * state->weight_row;
            float *to = result + out * in * taps + tap;
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

static void to_rows(const struct side *side, const float *images, size_t count, float *rows)
{
    size_t plane = side->height * side->width;
    for (size_t image = 0; image < count; image++, images += image_floats(side))
        for (size_t first = 0; first < side->channels; first += side->lanes)
            strip_to_rows(side, images + first * plane, strip_of(side, rows, count, image, first));
}

/* Values below `floor` become `floor`. */
static void from_rows(const struct side *side, float *rows, size_t count, float floor,
                      float *images)
{
    size_t plane = side->height * side->width;
    for (size_t image = 0; image < count; image++, images += image_floats(side))
        for (size_t first = 0; first < side->channels; first += side->lanes)
            strip_from_rows(side, strip_of(side, rows, count, image, first), floor,
                            images + first * plane);
}

/* Initialise the rows to which products will be added. */
static void begin_rows(const struct side *side, const float *add, const float *bias, size_t count,
                       float *rows)
{
    size_t n_rows = side->height * side->width * count;
    if (add)
        to_rows(side, add, count, rows);
    else
        memset(rows, 0, n_rows * side->row * sizeof *rows);
    if (!bias) return;
    for (size_t row = 0; row < n_rows; row++)
        for (size_t channel = 0; channel < side->channels; channel++)
            rows[row * side->row + channel] += bias[channel];
}

/* The operands of the products of a chunk of images. */
struct operands {
    size_t count; /* images */
    float *input, *output, *weights;
    bool first; /* first product: overwrite the weights */
};

/* Add the product of one run and one group, in the direction of the task. */
static void multiply(const struct gemm_state *state, const struct operands *operands, size_t n_rows)
{
    const struct sl_nn_conv_task *task = &state->task;
    size_t in = task->in_channels / task->groups, out = task->out_channels / task->groups;
    size_t in_row = state->input.row, out_row = state->output.row;
    float *input = operands->input, *output = operands->output, *weights = operands->weights;
    struct sl_gemm gemm = {.alpha = 1, .beta = operands->first ? 0 : 1};
    switch (task->direction) {
    case SL_NN_FORWARD:
        gemm.m = n_rows, gemm.n = out, gemm.k = in;
        gemm.a = input, gemm.lda = in_row;
        gemm.b = weights, gemm.ldb = state->weight_row, gemm.transpose_b = true;
        gemm.c = output, gemm.ldc = out_row;
        break;
    case SL_NN_BACKWARD_DATA:
        gemm.m = n_rows, gemm.n = in, gemm.k = out;
        gemm.a = output, gemm.lda = out_row;
        gemm.b = weights, gemm.ldb = state->weight_row;
        gemm.c = input, gemm.ldc = in_row;
        break;
    case SL_NN_BACKWARD_WEIGHTS:
        gemm.m = out, gemm.n = in, gemm.k = n_rows;
        gemm.a = output, gemm.lda = out_row, gemm.transpose_a = true;
        gemm.b = input, gemm.ldb = in_row;
        gemm.c = weights, gemm.ldc = state->weight_row;
        break;
    }
    sl_nn_gemm(&gemm);
}

static void multiply_taps(const struct gemm_state *state, const struct operands *all)
{
    const struct sl_nn_conv_task *task = &state->task;
    size_t in = task->in_channels / task->groups, out = task->out_channels / task->groups;
    for (size_t tap = 0; tap < task->kernel * task->kernel; tap++) {
        bool fresh = all->first;
        struct run run;
        for (size_t row = 0; next_run(state, tap, &row, &run); fresh = false)
            for (size_t group = 0; group < task->groups; group++) {
                size_t weight = tap * task->out_channels + group * out;
                const struct operands part = {
                    .first = fresh,
                    .input = all->input + run.input * all->count * state->input.row + group * in,
                    .output =
                        all->output + run.output * all->count * state->output.row + group * out,
                    .weights = all->weights + weight * state->weight_row,
                };
                multiply(state, &part, run.pixels * all->count);
            }
    }
}

static void add_up(const struct side *side, const float *rows, size_t count, double *sums)
{
    for (size_t row = 0; row < count * side->height * side->width; row++)
        for (size_t channel = 0; channel < side->channels; channel++)
            sums[channel] += (double)rows[row * side->row + channel];
}

static void run_backward_weights(const struct gemm_state *state, const struct sl_nn_conv_args *args)
{
    const struct sl_nn_conv_task *task = &state->task;
    const struct side *in = &state->input, *out = &state->output;
    char *scratch = args->scratch;
    float *input = args->scratch, *output = (float *)(void *)(scratch + state->output_at);
    float *weights = (float *)(void *)(scratch + state->weights_at);
    double *sums = (double *)(void *)(scratch + state->bias_sum_at);
    memset(sums, 0, task->out_channels * sizeof *sums);
    for (size_t first = 0; first < task->images; first += state->chunk) {
        size_t count = smaller(state->chunk, task->images - first);
        to_rows(in, args->input + first * image_floats(in), count, input);
        to_rows(out, args->upstream + first * image_floats(out), count, output);
        const struct operands operands = {count, input, output, weights, first == 0};
        multiply_taps(state, &operands);
        if (task->bias) add_up(out, output, count, sums);
    }
    write_weights(state, weights, args->result);
    if (task->bias)
        for (size_t channel = 0; channel < task->out_channels; channel++)
            args->bias_gradient[channel] = (float)sums[channel];
}

static void gemm_run(const struct sl_nn_conv *conv, const struct sl_nn_conv_args *args)
{
    const struct gemm_state *state = conv->state;
    const struct sl_nn_conv_task *task = &state->task;
    if (task->direction == SL_NN_BACKWARD_WEIGHTS) {
        run_backward_weights(state, args);
        return;
    }
    bool forward = task->direction == SL_NN_FORWARD;
    const struct side *read = forward ? &state->input : &state->output;
    const struct side *written = forward ? &state->output : &state->input;
    float *input = args->scratch;
    float *output = (float *)(void *)((char *)args->scratch + state->output_at);
    float *read_rows = forward ? input : output, *written_rows = forward ? output : input;
    const float *source = forward ? args->input : args->upstream;
    const float *add = task->add ? args->add : NULL;
    const float *bias = forward && task->bias ? args->bias : NULL;
    for (size_t first = 0; first < task->images; first += state->chunk) {
        size_t count = smaller(state->chunk, task->images - first);
        size_t at = first * image_floats(written);
        to_rows(read, source + first * image_floats(read), count, read_rows);
        begin_rows(written, add ? add + at : NULL, bias, count, written_rows);
        const struct operands operands = {count, input, output, args->prepared, false};
        multiply_taps(state, &operands);
        from_rows(written, written_rows, count, forward && task->relu ? 0 : -INFINITY,
                  args->result + at);
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
