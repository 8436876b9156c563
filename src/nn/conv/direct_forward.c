#include <string.h>

#include "nn/conv/direct.h"
#include "nn/tensor.h"
#include "softlab/base/memory.h"

void sl_nn_direct_pad(const struct sl_nn_conv_task *task, const float *images, size_t image,
                      float *padded)
{
    const size_t lines = task->height + 2 * task->pad, pitch = task->width + 2 * task->pad;
    const float *from = images + image * task->in_channels * task->height * task->width;
    for (size_t channel = 0; channel < task->in_channels; channel++)
        for (size_t y = 0; y < task->height; y++, from += task->width)
            memcpy(padded + (channel * lines + y + task->pad) * pitch + task->pad, from,
                   task->width * sizeof *padded);
}

/* Treat all values of a pixel's window as the channels of a single tap. */
static enum sl_status init_plain(struct sl_nn_direct_product *product,
                                 const struct sl_nn_conv_task *task, struct sl_error *err)
{
    const size_t kernel = task->kernel, taps = kernel * kernel;
    const size_t lines = task->height + 2 * task->pad, pitch = task->width + 2 * task->pad;
    struct sl_nn_direct_part *part = &product->parts[0];
    product->plain = *task;
    product->depth = task->in_channels * taps;
    product->depth_step = 1;
    product->source_plane = lines * pitch;
    product->walk = sl_alloc(product->depth, sizeof *product->walk);
    for (size_t d = 0; d < product->depth; d++)
        product->walk[d] =
            (int32_t)(d / taps * product->source_plane + d % taps / kernel * pitch + d % kernel);
    part->n_taps = 1;
    part->kind = SL_NN_DIRECT_PLAIN;
    SL_TRY(sl_nn_direct_part_alloc(part, err));
    for (size_t pixel = 0; pixel < part->n_pixels; pixel++) {
        part->target[pixel] = (int32_t)(pixel * SL_NN_LANES);
        part->source[pixel] = (int32_t)(pixel / task->out_width * task->stride * pitch +
                                        pixel % task->out_width * task->stride);
    }
    return sl_nn_direct_part_tile(part, task->out_width, product->depth, err);
}

enum sl_status sl_nn_direct_forward_init(struct sl_nn_direct_product *product,
                                         const struct sl_nn_conv_task *task, struct sl_error *err)
{
    const size_t kernel = task->kernel, n_pixels = task->out_height * task->out_width;
    *product = (struct sl_nn_direct_product){
        .images = task->images,
        .depth = task->in_channels,
        .source_plane = task->height * task->width * SL_NN_LANES,
        .source_used = task->height * task->width * SL_NN_LANES,
        .lanes = task->out_channels,
        .result_plane = n_pixels * SL_NN_LANES,
        .lane_step = task->in_channels * kernel * kernel,
        .depth_step = kernel * kernel,
        .n_parts = 1,
        .relu = task->relu,
        .threads = task->threads,
    };
    if (kernel < task->stride) product->source_used /= task->stride;
    struct sl_nn_direct_part *part = &product->parts[0];
    part->n_taps = kernel * kernel;
    part->n_pixels = n_pixels;
    if (task->plain_input) return init_plain(product, task, err);
    SL_TRY(sl_nn_direct_part_alloc(part, err));
    for (size_t pixel = 0; pixel < n_pixels; pixel++)
        part->target[pixel] = (int32_t)(pixel * SL_NN_LANES);
    for (size_t tap = 0; tap < part->n_taps; tap++) {
        part->taps[tap] = tap;
        for (size_t pixel = 0; pixel < n_pixels; pixel++) {
            /* Above or left of the map the unsigned difference wraps round and is too large as
             * well. */
            size_t y = pixel / task->out_width * task->stride + tap / kernel - task->pad;
            size_t x = pixel % task->out_width * task->stride + tap % kernel - task->pad;
            bool inside = y < task->height && x < task->width;
            part->source[tap * n_pixels + pixel] =
                inside ? (int32_t)((y * task->width + x) * SL_NN_LANES) : -1;
        }
    }
    return sl_nn_direct_part_tile(part, task->out_width, product->depth, err);
}
