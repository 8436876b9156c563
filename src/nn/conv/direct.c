#include "nn/conv/direct.h"

#include <stdlib.h>

#include "nn/conv/avx512.h"
#include "nn/conv/kernels.h"
#include "softlab/base/memory.h"
#include "softlab/base/system.h"

struct direct {
    struct sl_nn_conv_task task;
    union {
        struct sl_nn_direct_product product; /* forward, backward-data */
        struct sl_nn_direct_gradient gradient;
    } as;
};

const struct sl_nn_direct_tiles *sl_nn_direct_tiles_for(size_t n_blocks)
{
    if (n_blocks == 2 && sl_nn_has_avx512()) return &sl_nn_direct_avx512;
    return &sl_nn_direct_avx2[n_blocks - 1];
}

/* True if offsets within a tensor of this shape fit in 32 bits. */
static bool fits(size_t images, size_t channels, size_t height, size_t width)
{
    return images * sl_nn_blocks(channels) * SL_NN_LANES * height * width <= INT32_MAX;
}

/* False for tasks on which oneDNN is faster (bench_nn_direct): strided 1x1 forward, for which it
 * gathers the pixels first, and strided gradients of few channels. */
static bool pays(const struct sl_nn_conv_task *task)
{
    if (task->stride == 1) return true;
    switch (task->direction) {
    case SL_NN_FORWARD: return task->kernel > 1;
    case SL_NN_BACKWARD_DATA: return task->kernel > 1 || task->add || task->in_channels >= 64;
    default: return task->out_channels >= 48;
    }
}

static bool suits(const struct sl_nn_conv_task *task)
{
    struct sl_cpu cpu;
    sl_cpu_detect(&cpu);
    return cpu.avx2 && cpu.fma && task->groups == 1 && task->stride <= 2 && pays(task) &&
           fits(task->images, task->in_channels, task->height + 2 * task->pad,
                task->width + 2 * task->pad) &&
           fits(task->images, task->out_channels, task->out_height, task->out_width);
}

static void destroy(struct sl_nn_conv *conv)
{
    struct direct *direct = conv->state;
    if (!direct) return;
    if (direct->task.direction == SL_NN_BACKWARD_WEIGHTS)
        sl_nn_direct_gradient_release(&direct->as.gradient);
    else
        sl_nn_direct_product_release(&direct->as.product);
    free(direct);
    conv->state = NULL;
}

static enum sl_status init(struct direct *direct, struct sl_error *err)
{
    switch (direct->task.direction) {
    case SL_NN_FORWARD: return sl_nn_direct_forward_init(&direct->as.product, &direct->task, err);
    case SL_NN_BACKWARD_DATA:
        return sl_nn_direct_data_init(&direct->as.product, &direct->task, err);
    default: return sl_nn_direct_gradient_init(&direct->as.gradient, &direct->task, err);
    }
}

static enum sl_status create(const struct sl_nn_conv_task *task, struct sl_nn_conv *conv,
                             struct sl_error *err)
{
    struct direct *direct = sl_alloc(1, sizeof *direct);
    direct->task = *task;
    struct sl_nn_conv made = {.kernel = &sl_nn_conv_direct, .state = direct};
    enum sl_status status = init(direct, err);
    if (status != SL_OK) {
        destroy(&made);
        return status;
    }
    if (task->direction == SL_NN_BACKWARD_WEIGHTS) {
        made.scratch_bytes = sl_nn_direct_gradient_scratch(&direct->as.gradient) * sizeof(float);
    } else {
        made.prepared_bytes = sl_nn_direct_product_prepared(&direct->as.product) * sizeof(float);
        made.scratch_bytes =
            (task->direction == SL_NN_FORWARD ? sl_nn_direct_product_scratch(&direct->as.product)
                                              : sl_nn_direct_data_scratch(&direct->as.product)) *
            sizeof(float);
    }
    *conv = made;
    return SL_OK;
}

static void prepare_weights(const struct sl_nn_conv *conv, const struct sl_nn_conv_args *args)
{
    const struct direct *direct = conv->state;
    if (direct->task.direction == SL_NN_BACKWARD_WEIGHTS) return;
    sl_nn_direct_product_pack(&direct->as.product, args->weights, args->prepared, args->pool);
}

static void run(const struct sl_nn_conv *conv, const struct sl_nn_conv_args *args)
{
    const struct direct *direct = conv->state;
    const bool forward = direct->task.direction == SL_NN_FORWARD;
    if (direct->task.direction == SL_NN_BACKWARD_WEIGHTS) {
        sl_nn_direct_gradient_run(&direct->as.gradient, args);
        return;
    }
    struct sl_nn_direct_operands operands = {
        .source = forward ? args->input : args->upstream,
        .weights = args->prepared,
        .bias = forward && direct->task.bias ? args->bias : NULL,
        .add = direct->task.add ? args->add : NULL,
        .result = args->result,
        .scratch = args->scratch,
        .pool = args->pool,
    };
    if (direct->task.plain_input && !forward)
        sl_nn_direct_data_run_plain(&direct->as.product, &operands);
    else
        sl_nn_direct_product_run(&direct->as.product, &operands);
}

const struct sl_nn_conv_kernel sl_nn_conv_direct = {
    .name = "direct",
    .summary = "softlab's own, for AVX2: 1x1, stride 2 and the first layer",
    .suits = suits,
    .create = create,
    .destroy = destroy,
    .prepare = prepare_weights,
    .run = run,
};
