/* oneDNN's convolutions on the threads of a pool. An object of oneDNN serves one thread at a time,
 * so every thread or part has its own. Forward and backward-data run image by image.
 * Backward-weights runs by ranges of output channels, or of groups, on copies of their maps: a sum
 * over images stays one chain of additions. */
#include <stdlib.h>
#include <string.h>

#include "nn/conv/kernels.h"
#include "nn/tensor.h"
#include "softlab/base/memory.h"

/* A range of groups, or of output channels of the only group; the channels that it reads. */
struct range {
    struct sl_pool_range in, out;
};

struct shared {
    struct sl_nn_conv_task task;
    struct sl_nn_conv *convs; /* owned; one for the whole task, per thread or per range */
    struct range *ranges; /* owned; of each conv in backward-weights; NULL: whole, or by image */
    size_t n_convs;
    size_t scratch_each; /* bytes of a conv's own scratch, and of its copies */
};

static const struct sl_nn_conv_kernel *const alone = &sl_nn_conv_onednn_alone;

static void destroy(struct sl_nn_conv *conv)
{
    struct shared *shared = conv->state;
    if (!shared) return;
    for (size_t i = 0; i < shared->n_convs; i++)
        alone->destroy(&shared->convs[i]);
    free(shared->convs);
    free(shared->ranges);
    free(shared);
    conv->state = NULL;
}

static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t map_floats(size_t channels, size_t height, size_t width)
{
    return sl_nn_blocks(channels) * SL_NN_LANES * height * width;
}

/* ---- Division ---- */

/* True if the maps of one group begin and end with a block. */
static bool has_whole_blocks(const struct sl_nn_conv_task *task)
{
    return !task->plain_input && task->in_channels / task->groups % SL_NN_LANES == 0 &&
           task->out_channels / task->groups % SL_NN_LANES == 0;
}

/* What is divided: groups, or blocks of output channels. */
static size_t n_units(const struct sl_nn_conv_task *task)
{
    return task->groups > 1 ? task->groups : task->out_channels / SL_NN_LANES;
}

static struct range range_at(const struct sl_nn_conv_task *task, size_t n_ranges, size_t index)
{
    const struct sl_pool_range units = sl_pool_range_of(n_units(task), n_ranges, index);
    const size_t out = task->out_channels / n_units(task);
    const size_t in = task->groups > 1 ? task->in_channels / task->groups : 0;
    return (struct range){
        .in = {units.begin * in, task->groups > 1 ? units.end * in : task->in_channels},
        .out = {units.begin * out, units.end * out},
    };
}

/* The task of a range of channels. */
static struct sl_nn_conv_task task_of(const struct sl_nn_conv_task *whole, struct range range)
{
    struct sl_nn_conv_task task = *whole;
    task.in_channels = range.in.end - range.in.begin;
    task.out_channels = range.out.end - range.out.begin;
    if (whole->groups > 1) task.groups = task.out_channels / (whole->out_channels / whole->groups);
    task.threads = 1;
    return task;
}

/* How many convs share a task of backward-weights; 1 if it cannot be divided. */
static size_t count_ranges(const struct sl_nn_conv_task *task)
{
    const size_t units = n_units(task);
    const size_t n_ranges = task->threads < units ? task->threads : units;
    if (n_ranges < 2 || !has_whole_blocks(task)) return 1;
    for (size_t i = 0; i < n_ranges; i++) {
        const struct sl_nn_conv_task part = task_of(task, range_at(task, n_ranges, i));
        if (!alone->suits(&part)) return 1;
    }
    return n_ranges;
}

static bool goes_by_image(const struct sl_nn_conv_task *task)
{
    struct sl_nn_conv_task one = *task;
    one.images = 1;
    return task->threads > 1 && task->images > 1 && task->direction != SL_NN_BACKWARD_WEIGHTS &&
           alone->suits(&one);
}

/* Floats of the copies of a range: its part of the input, if not all is read, and of the upstream
 * gradient. */
static size_t input_copy(const struct shared *shared, struct range range)
{
    const struct sl_nn_conv_task *task = &shared->task;
    if (task->groups == 1) return 0;
    return task->images * map_floats(range.in.end - range.in.begin, task->height, task->width);
}

static size_t upstream_copy(const struct shared *shared, struct range range)
{
    const struct sl_nn_conv_task *task = &shared->task;
    return task->images *
           map_floats(range.out.end - range.out.begin, task->out_height, task->out_width);
}

static enum sl_status make_convs(struct shared *shared, size_t count, bool by_image,
                                 struct sl_error *err)
{
    const struct sl_nn_conv_task *task = &shared->task;
    const bool ranges = !by_image && count > 1;
    shared->convs = sl_alloc(count, sizeof *shared->convs);
    if (ranges) shared->ranges = sl_alloc(count, sizeof *shared->ranges);
    for (size_t i = 0; i < count; i++) {
        struct sl_nn_conv_task part = *task;
        size_t copies = 0;
        if (by_image) part.images = 1;
        if (ranges) {
            shared->ranges[i] = range_at(task, count, i);
            part = task_of(task, shared->ranges[i]);
            copies =
                input_copy(shared, shared->ranges[i]) + upstream_copy(shared, shared->ranges[i]);
        }
        SL_TRY(alone->create(&part, &shared->convs[i], err));
        shared->n_convs = i + 1;
        const size_t bytes =
            round_up(shared->convs[i].scratch_bytes) + round_up(copies * sizeof(float));
        if (bytes > shared->scratch_each) shared->scratch_each = bytes;
    }
    return SL_OK;
}

static enum sl_status create(const struct sl_nn_conv_task *task, struct sl_nn_conv *conv,
                             struct sl_error *err)
{
    struct shared *shared = sl_alloc(1, sizeof *shared);
    struct sl_nn_conv made = {.kernel = &sl_nn_conv_onednn, .state = shared};
    const bool by_image = goes_by_image(task);
    shared->task = *task;
    const size_t count = by_image                                    ? task->threads
                         : task->direction == SL_NN_BACKWARD_WEIGHTS ? count_ranges(task)
                                                                     : 1;
    const enum sl_status status = make_convs(shared, count, by_image, err);
    if (status != SL_OK) {
        destroy(&made);
        return status;
    }
    made.prepared_bytes = shared->convs[0].prepared_bytes;
    made.scratch_bytes = count * shared->scratch_each;
    *conv = made;
    return SL_OK;
}

/* ---- Running ---- */

struct run {
    const struct shared *shared;
    const struct sl_nn_conv_args *args;
};

static void prepare_weights(const struct sl_nn_conv *conv, const struct sl_nn_conv_args *args)
{
    const struct shared *shared = conv->state;
    alone->prepare(&shared->convs[0], args);
}

static const float *image_of(const float *data, size_t image, size_t floats)
{
    return data ? data + image * floats : NULL;
}

static void run_image(void *context, size_t image, size_t worker)
{
    const struct run *run = context;
    const struct sl_nn_conv_task *task = &run->shared->task;
    const size_t plain = task->in_channels * task->height * task->width;
    const size_t in =
        task->plain_input ? plain : map_floats(task->in_channels, task->height, task->width);
    const size_t out = map_floats(task->out_channels, task->out_height, task->out_width);
    const size_t result = task->direction == SL_NN_FORWARD ? out : in;
    struct sl_nn_conv_args args = *run->args;
    args.input = image_of(args.input, image, in);
    args.upstream = image_of(args.upstream, image, out);
    args.add = image_of(args.add, image, result);
    args.result += image * result;
    args.scratch = (char *)args.scratch + worker * run->shared->scratch_each;
    alone->run(&run->shared->convs[worker], &args);
}

/* Copy the blocks of a range of channels of every image, one image after another. */
static void copy_channels(const float *from, size_t images, size_t channels,
                          struct sl_pool_range range, size_t pixels, float *to)
{
    const size_t all = sl_nn_blocks(channels) * SL_NN_LANES * pixels;
    const size_t some = (range.end - range.begin) * pixels;
    for (size_t image = 0; image < images; image++)
        memcpy(to + image * some, from + image * all + range.begin * pixels, some * sizeof *to);
}

static void run_range(void *context, size_t index, size_t worker)
{
    (void)worker;
    const struct run *run = context;
    const struct shared *shared = run->shared;
    const struct sl_nn_conv_task *task = &shared->task;
    const struct range range = shared->ranges[index];
    const size_t row = task->in_channels / task->groups * task->kernel * task->kernel;
    struct sl_nn_conv_args args = *run->args;
    char *scratch = (char *)args.scratch + index * shared->scratch_each;
    float *copy = (float *)(void *)(scratch + round_up(shared->convs[index].scratch_bytes));
    if (task->groups > 1) {
        copy_channels(args.input, task->images, task->in_channels, range.in,
                      task->height * task->width, copy);
        args.input = copy;
        copy += input_copy(shared, range);
    }
    copy_channels(args.upstream, task->images, task->out_channels, range.out,
                  task->out_height * task->out_width, copy);
    args.upstream = copy;
    args.result += range.out.begin * row;
    if (args.bias_gradient) args.bias_gradient += range.out.begin;
    args.scratch = scratch;
    alone->run(&shared->convs[index], &args);
}

static void run_shared(const struct sl_nn_conv *conv, const struct sl_nn_conv_args *args)
{
    const struct shared *shared = conv->state;
    struct run run = {shared, args};
    if (shared->n_convs == 1)
        alone->run(&shared->convs[0], args);
    else if (shared->ranges)
        sl_pool_run(args->pool, shared->n_convs, run_range, &run);
    else
        sl_pool_run(args->pool, shared->task.images, run_image, &run);
}

static bool suits(const struct sl_nn_conv_task *task)
{
    return alone->suits(task);
}

const struct sl_nn_conv_kernel sl_nn_conv_onednn = {
    .name = "onednn",
    .summary = "oneDNN's direct convolution",
    .suits = suits,
    .create = create,
    .destroy = destroy,
    .prepare = prepare_weights,
    .run = run_shared,
};
