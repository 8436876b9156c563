/* DenseNet (Huang et al. 2017) for CIFAR-10: every layer appends a few channels to all earlier
 * ones.
 */
#include <math.h>
#include <stdio.h>

#include "nn/families/families.h"

enum { EXPANSION = 4 };

struct design {
    bool bottleneck;
    size_t growth;
    double compression, dropout;
};

const struct sl_network_option sl_nn_densenet_options[] = {
    {"block", "bottleneck", "bottleneck (1x1, 3x3) or basic (3x3)"},
    {"n", "16", "layers per dense block: 16 for three blocks of 16 (depth 100)"},
    {"growth", "12", "channels that a layer adds"},
    {"compression", "0.5", "share of the channels that a transition keeps"},
    {"dropout", "0", "rate after every convolution but the first"},
    {NULL, NULL, NULL},
};

static size_t maybe_drop(struct sl_nn_graph *g, size_t x, const struct design *design)
{
    return design->dropout > 0 ? sl_nn_dropout(g, x, (float)design->dropout) : x;
}

static size_t transition(struct sl_nn_graph *g, size_t x, const struct sl_nn_block *block,
                         const struct design *design)
{
    if (g->status != SL_OK) return x;
    double channels = floor((double)g->nodes[x].shape.channels * design->compression);
    struct sl_nn_conv_spec conv = {.channels = (size_t)channels, .kernel = 1};
    struct sl_nn_block own = *block;
    snprintf(own.prefix, sizeof own.prefix, "%s%zu.transition", own.naming->stage, own.stage + 1);
    x = sl_nn_block_norm_relu(g, x, &own, "bn");
    x = maybe_drop(g, sl_nn_block_conv(g, x, &own, "conv", conv), design);
    return sl_nn_average_pool(g, x, 2, 2);
}

static size_t dense(struct sl_nn_graph *g, size_t x, const struct sl_nn_block *block,
                    const void *own)
{
    const struct design *design = own;
    struct sl_nn_conv_spec conv = {.channels = design->growth, .kernel = 3};
    size_t y = x;
    if (design->bottleneck) {
        struct sl_nn_conv_spec narrow = {.channels = EXPANSION * design->growth, .kernel = 1};
        y = sl_nn_block_norm_relu(g, y, block, "bn1");
        y = maybe_drop(g, sl_nn_block_conv(g, y, block, "conv1", narrow), design);
        y = sl_nn_block_norm_relu(g, y, block, "bn2");
        y = sl_nn_block_conv(g, y, block, "conv2", conv);
    } else {
        y = sl_nn_block_norm_relu(g, y, block, "bn");
        y = sl_nn_block_conv(g, y, block, "conv", conv);
    }
    x = sl_nn_concat(g, x, maybe_drop(g, y, design));
    return block->last && !block->last_stage ? transition(g, x, block, design) : x;
}

void sl_nn_densenet_build(struct sl_nn_graph *g, const struct sl_model_options *options,
                          struct sl_nn_spec *spec)
{
    static const char *const blocks[] = {"basic", "bottleneck", NULL};
    struct design design = {
        .bottleneck = sl_nn_spec_choice(spec, "block", blocks) == 1,
        .growth = sl_nn_spec_count(spec, "growth", 1, 512),
        .compression = sl_nn_spec_real(spec, "compression", .05, 1),
        .dropout = sl_nn_spec_real(spec, "dropout", 0, .99),
    };
    struct sl_nn_stages stages = {.names = SL_NN_HYSTS};
    const struct sl_nn_naming *naming = &sl_nn_namings[stages.names];
    sl_nn_read_stages(spec, design.growth, &stages);

    g->paper_init = sl_nn_init_hysts;
    size_t x = sl_nn_image_input(g, options);
    x = sl_nn_stem(g, x, naming->conv, 2 * design.growth, false);
    x = sl_nn_stack(g, x, &stages, dense, &design);
    x = sl_nn_relu(g, sl_nn_batch_norm(g, x, naming->norm), 0);
    sl_nn_head(g, x, naming->linear);
}
