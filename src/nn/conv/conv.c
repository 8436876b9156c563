#include "nn/conv/conv.h"

#include <assert.h>
#include <string.h>

#include "nn/conv/kernels.h"
#include "nn/conv/tuning.h"
#include "softlab/nn/tuning.h"

const struct sl_nn_conv_kernel *const sl_nn_conv_kernels[] = {
    &sl_nn_conv_winograd, &sl_nn_conv_direct, &sl_nn_conv_onednn, &sl_nn_conv_gemm, NULL,
};

const char *sl_conv_kernel_name(size_t index, const char **summary)
{
    const size_t count = sizeof sl_nn_conv_kernels / sizeof *sl_nn_conv_kernels - 1;
    if (index >= count) return NULL;
    if (summary) *summary = sl_nn_conv_kernels[index]->summary;
    return sl_nn_conv_kernels[index]->name;
}

const struct sl_nn_conv_kernel *sl_nn_conv_find(const char *name)
{
    for (const struct sl_nn_conv_kernel *const *kernel = sl_nn_conv_kernels; *kernel; kernel++)
        if (strcmp((*kernel)->name, name) == 0) return *kernel;
    return NULL;
}

struct sl_nn_conv_task sl_nn_conv_task_of(const struct sl_nn_graph *graph, size_t node,
                                          size_t images, enum sl_nn_direction direction)
{
    const struct sl_nn_node *conv = &graph->nodes[node];
    assert(conv->op == SL_NN_CONV);
    const struct sl_nn_shape *input = &graph->nodes[conv->input[0]].shape;
    return (struct sl_nn_conv_task){
        .direction = direction,
        .images = images,
        .in_channels = input->channels,
        .height = input->height,
        .width = input->width,
        .out_channels = conv->shape.channels,
        .out_height = conv->shape.height,
        .out_width = conv->shape.width,
        .kernel = conv->as.conv.kernel,
        .stride = conv->as.conv.stride,
        .pad = conv->as.conv.pad,
        .groups = conv->as.conv.groups,
        .plain_input = input->layout == SL_NN_PLAIN,
        .bias = conv->as.conv.bias,
        .threads = 1,
    };
}

const struct sl_nn_conv_kernel *sl_nn_conv_choose(const struct sl_tuning *tuning,
                                                  const struct sl_nn_conv_task *task)
{
    const struct sl_nn_conv_kernel *named = sl_nn_tuning_find(tuning, task);
    if (named && named->suits(task)) return named;
    for (const struct sl_nn_conv_kernel *const *kernel = sl_nn_conv_kernels; *kernel; kernel++)
        if ((*kernel)->suits(task)) return *kernel;
    return NULL;
}
