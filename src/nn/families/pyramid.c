/* PyramidNet (Han et al. 2017) for CIFAR-10: every block is a little wider than the one before.
 * Shortcuts have no parameters. */
#include <math.h>

#include "nn/families/families.h"

enum { EXPANSION = 4 };

struct design {
    bool bottleneck;
    double width, step; /* channels before rounding: width + step per block */
};

struct pyramid_options {
    enum sl_nn_block_kind block;
    struct sl_count_list n;
    size_t width, alpha;
};
#define AT(option) .offset = offsetof(struct pyramid_options, option)
static const struct sl_field_row pyramid_rows[] = {
    {"block", SL_FIELD_ENUM, AT(block), "basic (two 3x3) or bottleneck (1x1, 3x3, 1x1)",
     .fallback = "basic", .choices = sl_nn_block_kinds},
    {"n", SL_FIELD_COUNTS, AT(n), "blocks per stage: 18 for three stages of 18 (depth 110)",
     .fallback = "18", SL_NN_STAGE_BOUNDS},
    {"width", SL_FIELD_COUNT, AT(width), "channels of the first convolution", .fallback = "16",
     .minimum = 1, .maximum = 1024},
    {"alpha", SL_FIELD_COUNT, AT(alpha), "channels by which the last block is wider",
     .fallback = "270", .minimum = 0, .maximum = 4096},
    {.name = NULL},
};
#undef AT
const struct sl_fields sl_nn_pyramidnet_options = {pyramid_rows, sizeof(struct pyramid_options)};

static size_t channels_after(const struct design *design, size_t blocks)
{
    /* The public code adds the step once per block and rounds halves to even. A product could round
     * differently. */
    double channels = design->width;
    for (size_t i = 0; i < blocks; i++)
        channels += design->step;
    return (size_t)rint(channels) * (design->bottleneck ? EXPANSION : 1);
}

static size_t residual(struct sl_nn_graph *g, size_t x, const struct sl_nn_block *block,
                       const void *own)
{
    const struct design *design = own;
    size_t channels = channels_after(design, block->index + 1);
    struct sl_nn_conv_spec conv = {.channels = channels, .kernel = 3, .stride = block->stride};
    size_t y = sl_nn_block_norm(g, x, block, "bn1");
    if (design->bottleneck) {
        struct sl_nn_conv_spec narrow = {.channels = channels / EXPANSION, .kernel = 1};
        y = sl_nn_block_norm_relu(g, sl_nn_block_conv(g, y, block, "conv1", narrow), block, "bn2");
        conv.channels = channels / EXPANSION;
        y = sl_nn_block_norm_relu(g, sl_nn_block_conv(g, y, block, "conv2", conv), block, "bn3");
        conv = (struct sl_nn_conv_spec){.channels = channels, .kernel = 1};
        y = sl_nn_block_norm(g, sl_nn_block_conv(g, y, block, "conv3", conv), block, "bn4");
    } else {
        y = sl_nn_block_norm_relu(g, sl_nn_block_conv(g, y, block, "conv1", conv), block, "bn2");
        conv.stride = 1;
        y = sl_nn_block_norm(g, sl_nn_block_conv(g, y, block, "conv2", conv), block, "bn3");
    }
    if (block->stride > 1) x = sl_nn_average_pool(g, x, block->stride, block->stride);
    return sl_nn_add(g, y, x);
}

void sl_nn_pyramidnet_build(struct sl_nn_graph *g, const struct sl_model_options *model,
                            const void *options)
{
    const struct pyramid_options *pyramid = options;
    struct design design = {
        .bottleneck = pyramid->block == SL_NN_BOTTLENECK,
        .width = (double)pyramid->width,
    };
    struct sl_nn_stages stages = {.names = SL_NN_HYSTS};
    const struct sl_nn_naming *naming = &sl_nn_namings[stages.names];
    sl_nn_set_stages(&stages, &pyramid->n, 1);
    size_t n_blocks = 0;
    for (size_t i = 0; i < stages.count; i++)
        n_blocks += stages.blocks[i];
    design.step = (double)pyramid->alpha / (double)n_blocks;

    g->paper_init = sl_nn_init_hysts;
    size_t x = sl_nn_image_input(g, model);
    x = sl_nn_stem(g, x, naming->conv, channels_after(&design, 0), false);
    x = sl_nn_batch_norm(g, x, "bn1");
    x = sl_nn_stack(g, x, &stages, residual, &design);
    x = sl_nn_relu(g, sl_nn_batch_norm(g, x, "bn2"), 0);
    sl_nn_head(g, x, naming->linear);
}
