#include <string.h>

#include "nn/conv/direct.h"
#include "nn/tensor.h"

/* The part of the input gradient with pixels whose (row + pad) % stride is `row` and whose
 * (column + pad) % stride is `column`. Only taps with the same remainders reach these pixels. */
static enum sl_status make_part(struct sl_nn_direct_part *part, const struct sl_nn_conv_task *task,
                                size_t row, size_t column, struct sl_error *err)
{
    const size_t kernel = task->kernel, stride = task->stride;
    const size_t top = (row + stride - task->pad % stride) % stride;
    const size_t left = (column + stride - task->pad % stride) % stride;
    const size_t rows = task->height > top ? (task->height - top - 1) / stride + 1 : 0;
    const size_t columns = task->width > left ? (task->width - left - 1) / stride + 1 : 0;
    const size_t tap_rows = kernel > row ? (kernel - row - 1) / stride + 1 : 0;
    const size_t tap_columns = kernel > column ? (kernel - column - 1) / stride + 1 : 0;
    part->n_taps = tap_rows * tap_columns;
    part->n_pixels = rows * columns;
    SL_TRY(sl_nn_direct_part_alloc(part, err));
    if (columns == 0 || rows == 0) return sl_nn_direct_part_tile(part, 0, task->out_channels, err);
    for (size_t tap = 0; tap < part->n_taps; tap++)
        part->taps[tap] =
            (row + tap / tap_columns * stride) * kernel + column + tap % tap_columns * stride;
    for (size_t pixel = 0; pixel < part->n_pixels; pixel++) {
        const size_t y = top + pixel / columns * stride, x = left + pixel % columns * stride;
        part->target[pixel] = (int32_t)((y * task->width + x) * SL_NN_LANES);
        for (size_t tap = 0; tap < part->n_taps; tap++) {
            /* If the tap lies beyond the pixel, the unsigned difference wraps round to a number
             * that is too large. */
            size_t down = y + task->pad - part->taps[tap] / kernel;
            size_t across = x + task->pad - part->taps[tap] % kernel;
            bool inside = down / stride < task->out_height && across / stride < task->out_width;
            part->source[tap * part->n_pixels + pixel] =
                inside
                    ? (int32_t)((down / stride * task->out_width + across / stride) * SL_NN_LANES)
                    : -1;
        }
    }
    return sl_nn_direct_part_tile(part, columns, task->out_channels, err);
}

/* Plain images have too few channels to fill the lanes of a block, but taps times channels fill
 * them. So one product computes what every output pixel contributes to each input value that it
 * read, and scatter_image adds these contributions up. */
static enum sl_status init_plain(struct sl_nn_direct_product *product,
                                 const struct sl_nn_conv_task *task, struct sl_error *err)
{
    struct sl_nn_conv_task spread = *task;
    spread.in_channels = task->in_channels * task->kernel * task->kernel;
    spread.height = task->out_height;
    spread.width = task->out_width;
    spread.kernel = spread.stride = spread.images = 1;
    spread.pad = 0;
    spread.plain_input = false;
    spread.threads = 1;
    SL_TRY(sl_nn_direct_data_init(product, &spread, err));
    product->plain = *task;
    return SL_OK;
}

/* The outputs [begin, end) for which tap `tap` lies inside a map of `size`. */
static void find_inside(const struct sl_nn_conv_task *task, size_t tap, size_t size, size_t outputs,
                        size_t *begin, size_t *end)
{
    *begin = task->pad > tap ? (task->pad - tap + task->stride - 1) / task->stride : 0;
    *end = size + task->pad > tap ? (size + task->pad - tap - 1) / task->stride + 1 : 0;
    if (*end > outputs) *end = outputs;
}

static void scatter_image(const struct sl_nn_conv_task *task, const float *spread, float *result)
{
    const size_t kernel = task->kernel, taps = kernel * kernel, stride = task->stride;
    const size_t plane = task->out_height * task->out_width * SL_NN_LANES;
    for (size_t lane = 0; lane < task->in_channels * taps; lane++) {
        const size_t down = lane % taps / kernel, across = lane % kernel;
        size_t top, bottom, left, right;
        find_inside(task, down, task->height, task->out_height, &top, &bottom);
        find_inside(task, across, task->width, task->out_width, &left, &right);
        for (size_t row = top; row < bottom; row++) {
            const float *from = spread + lane / SL_NN_LANES * plane +
                                (row * task->out_width + left) * SL_NN_LANES + lane % SL_NN_LANES;
            float *to =
                result +
                (lane / taps * task->height + row * stride + down - task->pad) * task->width +
                left * stride + across - task->pad;
            for (size_t i = 0; i + left < right; i++)
                to[i * stride] += from[i * SL_NN_LANES];
        }
    }
}

struct spreading {
    const struct sl_nn_direct_product *product;
    const struct sl_nn_direct_operands *operands;
};

/* Scratch of one image: that of the product, and what its pixels contribute. */
static size_t spread_size(const struct sl_nn_direct_product *product)
{
    return sl_nn_direct_product_scratch(product) +
           sl_nn_blocks(product->lanes) * product->result_plane;
}

static void spread_image(void *context, size_t index, size_t worker)
{
    const struct spreading *spreading = context;
    const struct sl_nn_direct_product *product = spreading->product;
    const struct sl_nn_direct_operands *operands = spreading->operands;
    const struct sl_nn_conv_task *task = &product->plain;
    const size_t image = task->in_channels * task->height * task->width;
    float *result = operands->result + index * image;
    struct sl_nn_direct_operands one = *operands;
    one.scratch += worker * spread_size(product);
    float *spread = one.scratch + sl_nn_direct_product_scratch(product);
    one.source += index * sl_nn_blocks(product->depth) * product->source_plane;
    one.result = spread;
    one.add = NULL;
    one.pool = NULL;
    sl_nn_direct_product_run(product, &one);
    if (!operands->add)
        memset(result, 0, image * sizeof *result);
    else if (operands->add != operands->result)
        memcpy(result, operands->add + index * image, image * sizeof *result);
    scatter_image(task, spread, result);
}

void sl_nn_direct_data_run_plain(const struct sl_nn_direct_product *product,
                                 const struct sl_nn_direct_operands *operands)
{
    struct spreading spreading = {product, operands};
    sl_pool_run(operands->pool, product->plain.images, spread_image, &spreading);
}

size_t sl_nn_direct_data_scratch(const struct sl_nn_direct_product *product)
{
    if (!product->plain.plain_input) return sl_nn_direct_product_scratch(product);
    return product->plain.threads * spread_size(product);
}

enum sl_status sl_nn_direct_data_init(struct sl_nn_direct_product *product,
                                      const struct sl_nn_conv_task *task, struct sl_error *err)
{
    if (task->plain_input) return init_plain(product, task, err);
    *product = (struct sl_nn_direct_product){
        .images = task->images,
        .depth = task->out_channels,
        .source_plane = task->out_height * task->out_width * SL_NN_LANES,
        .source_used = task->out_height * task->out_width * SL_NN_LANES,
        .lanes = task->in_channels,
        .result_plane = task->height * task->width * SL_NN_LANES,
        .lane_step = task->kernel * task->kernel,
        .depth_step = task->in_channels * task->kernel * task->kernel,
        .n_parts = task->stride * task->stride,
        .threads = task->threads,
    };
    size_t weights = 0;
    for (size_t i = 0; i < product->n_parts; i++) {
        struct sl_nn_direct_part *part = &product->parts[i];
        SL_TRY(make_part(part, task, i / task->stride, i % task->stride, err));
        part->weights = weights;
        weights += part->n_taps * product->depth * sl_nn_blocks(product->lanes) * SL_NN_LANES;
    }
    return SL_OK;
}
