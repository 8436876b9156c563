#include "nn_conv_reference.h"

#include <stdlib.h>

#include "nn/tensor.h"
#include "softlab/base/memory.h"

/* A place in a map: which image, channel and pixel. */
struct place {
    size_t image, channel, y, x;
};

static size_t lanes_of_input(const struct sl_nn_conv_task *task)
{
    return task->plain_input ? 1 : SL_NN_LANES;
}

static size_t index_of(struct place at, size_t channels, size_t height, size_t width, size_t lanes)
{
    size_t blocks = (channels + lanes - 1) / lanes;
    size_t block = at.image * blocks + at.channel / lanes;
    return ((block * height + at.y) * width + at.x) * lanes + at.channel % lanes;
}

static size_t input_index(const struct sl_nn_conv_task *task, struct place at)
{
    return index_of(at, task->in_channels, task->height, task->width, lanes_of_input(task));
}

static size_t output_index(const struct sl_nn_conv_task *task, struct place at)
{
    return index_of(at, task->out_channels, task->out_height, task->out_width, SL_NN_LANES);
}

size_t reference_input_floats(const struct sl_nn_conv_task *task)
{
    return input_index(task, (struct place){.image = task->images});
}

size_t reference_output_floats(const struct sl_nn_conv_task *task)
{
    return output_index(task, (struct place){.image = task->images});
}

size_t reference_weight_floats(const struct sl_nn_conv_task *task)
{
    return task->out_channels * task->in_channels / task->groups * task->kernel * task->kernel;
}

/* Every product that the output at `out` is made of, added to where the direction wants it. */
static void add_products(const struct sl_nn_conv_task *task, const struct sl_nn_conv_args *args,
                         struct place out, double *sums)
{
    size_t in = task->in_channels / task->groups, kernel = task->kernel;
    size_t group = out.channel / (task->out_channels / task->groups);
    size_t to = output_index(task, out);
    for (size_t i = 0; i < in * kernel * kernel; i++) {
        size_t tap_y = i / kernel % kernel, tap_x = i % kernel;
        struct place at = {out.image, group * in + i / (kernel * kernel),
                           out.y * task->stride + tap_y - task->pad,
                           out.x * task->stride + tap_x - task->pad};
        /* Before the first row or column is beyond the last, since sizes have no sign. */
        if (at.y >= task->height || at.x >= task->width) continue;
        size_t from = input_index(task, at), weight = out.channel * in * kernel * kernel + i;
        switch (task->direction) {
        case SL_NN_FORWARD:
            sums[to] += (double)args->weights[weight] * (double)args->input[from];
            break;
        case SL_NN_BACKWARD_DATA:
            sums[from] += (double)args->weights[weight] * (double)args->upstream[to];
            break;
        case SL_NN_BACKWARD_WEIGHTS:
            sums[weight] += (double)args->upstream[to] * (double)args->input[from];
            break;
        }
    }
}

static void for_every_output(const struct sl_nn_conv_task *task, const struct sl_nn_conv_args *args,
                             double *sums, double *bias_sums)
{
    for (size_t image = 0; image < task->images; image++)
        for (size_t channel = 0; channel < task->out_channels; channel++)
            for (size_t pixel = 0; pixel < task->out_height * task->out_width; pixel++) {
                struct place out = {image, channel, pixel / task->out_width,
                                    pixel % task->out_width};
                size_t at = output_index(task, out);
                add_products(task, args, out, sums);
                if (task->direction == SL_NN_FORWARD && task->bias)
                    sums[at] += (double)args->bias[channel];
                if (task->direction == SL_NN_BACKWARD_WEIGHTS)
                    bias_sums[channel] += (double)args->upstream[at];
            }
}

void reference_conv(const struct sl_nn_conv_task *task, const struct sl_nn_conv_args *args)
{
    bool weights = task->direction == SL_NN_BACKWARD_WEIGHTS;
    bool forward = task->direction == SL_NN_FORWARD;
    size_t count = weights   ? reference_weight_floats(task)
                   : forward ? reference_output_floats(task)
                             : reference_input_floats(task);
    double *sums = sl_alloc(count, sizeof *sums);
    double *bias_sums = sl_alloc(task->out_channels, sizeof *bias_sums);
    for_every_output(task, args, sums, bias_sums);
    for (size_t i = 0; i < count; i++) {
        if (!weights && task->add && args->add) sums[i] += (double)args->add[i];
        if (forward && task->relu && sums[i] < 0) sums[i] = 0;
        args->result[i] = (float)sums[i];
    }
    for (size_t i = 0; weights && task->bias && i < task->out_channels; i++)
        args->bias_gradient[i] = (float)bias_sums[i];
    free(sums);
    free(bias_sums);
}
