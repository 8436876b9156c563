/* DenseNet (Huang et al. 2017) for CIFAR-10: every layer appends a few channels to those of all
 * earlier layers. */
#include <math.h>
#include <stdio.h>

#include "nn/families/families.h"

enum { EXPANSION = 4 };

struct dense_options {
    enum sl_nn_block_kind block;
    struct sl_count_list n;
    size_t growth;
    double compression, dropout;
};
#define AT(option) .offset = offsetof(struct dense_options, option)
static const struct sl_field_row dense_rows[] = {
    {"block", SL_FIELD_ENUM, AT(block), "bottleneck (1x1, 3x3) or basic (3x3)",
     .fallback = "bottleneck", .choices = sl_nn_block_kinds},
    {"n", SL_FIELD_COUNTS, AT(n), "layers per dense block: 16 for three blocks of 16 (depth 100)",
     .fallback = "16", SL_NN_STAGE_BOUNDS},
    {"growth", SL_FIELD_COUNT, AT(growth), "channels that a layer adds", .fallback = "12",
     .minimum = 1, .maximum = 512},
    {"compression", SL_FIELD_NUMBER, AT(compression),
     "share of the channels that a transition keeps", .fallback = "0.5", .minimum = .05,
     .maximum = 1},
    {"dropout", SL_FIELD_NUMBER, AT(dropout), "rate after every convolution but the first",
     .fallback = "0", .minimum = 0, .maximum = .99},
    {.name = NULL},
};
#undef AT
const struct sl_fields sl_nn_densenet_options = {dense_rows, sizeof(struct dense_options)};

static size_t maybe_drop(struct sl_nn_graph *g, size_t x, const struct dense_options *options)
{
    return options->dropout > 0 ? sl_nn_dropout(g, x, (float)options->dropout) : x;
}

static size_t transition(struct sl_nn_graph *g, size_t x, const struct sl_nn_block *block,
                         const struct dense_options *options)
{
    if (g->status != SL_OK) return x;
    double channels = floor((double)g->nodes[x].shape.channels * options->compression);
    struct sl_nn_conv_spec conv = {.channels = (size_t)channels, .kernel = 1};
    struct sl_nn_block own = *block;
    snprintf(own.prefix, sizeof own.prefix, "%s%zu.transition", own.naming->stage, own.stage + 1);
    x = sl_nn_block_norm_relu(g, x, &own, "bn");
    x = maybe_drop(g, sl_nn_block_conv(g, x, &own, "conv", conv), options);
    return sl_nn_average_pool(g, x, 2, 2);
}

static size_t dense(struct sl_nn_graph *g, size_t x, const struct sl_nn_block *block,
                    const void *own)
{
    const struct dense_options *options = own;
    struct sl_nn_conv_spec conv = {.channels = options->growth, .kernel = 3};
    size_t y = x;
    if (options->block == SL_NN_BOTTLENECK) {
        struct sl_nn_conv_spec narrow = {.channels = EXPANSION * options->growth, .kernel = 1};
        y = sl_nn_block_norm_relu(g, y, block, "bn1");
        y = maybe_drop(g, sl_nn_block_conv(g, y, block, "conv1", narrow), options);
        y = sl_nn_block_norm_relu(g, y, block, "bn2");
        y = sl_nn_block_conv(g, y, block, "conv2", conv);
    } else {
        y = sl_nn_block_norm_relu(g, y, block, "bn");
        y = sl_nn_block_conv(g, y, block, "conv", conv);
    }
    x = sl_nn_concat(g, x, maybe_drop(g, y, options));
    return block->last && !block->last_stage ? transition(g, x, block, options) : x;
}

void sl_nn_densenet_build(struct sl_nn_graph *g, const struct sl_model_options *model,
                          const void *options)
{
    const struct dense_options *dense_net = options;
    struct sl_nn_stages stages = {.names = SL_NN_HYSTS};
    const struct sl_nn_naming *naming = &sl_nn_namings[stages.names];
    sl_nn_set_stages(&stages, &dense_net->n, dense_net->growth);

    g->paper_init = sl_nn_init_hysts;
    size_t x = sl_nn_image_input(g, model);
    x = sl_nn_stem(g, x, naming->conv, 2 * dense_net->growth, false);
    x = sl_nn_stack(g, x, &stages, dense, dense_net);
    x = sl_nn_relu(g, sl_nn_batch_norm(g, x, naming->norm), 0);
    sl_nn_head(g, x, naming->linear);
}
