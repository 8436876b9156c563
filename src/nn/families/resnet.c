/* Residual networks whose blocks end in the addition and its ReLU: He et al. 2015 for CIFAR-10,
 * and ResNeXt (Xie et al. 2017), which splits the middle convolution into groups. */
#include "nn/families/families.h"

enum { EXPANSION = 4 };

struct design {
    bool bottleneck, bias;
    bool zeros;    /* shortcuts are subsampled and filled up with zero channels */
    size_t groups; /* of the middle convolution, which is as many times wider */
};

const struct sl_network_option sl_nn_resnet_options[] = {
    {"block", "basic", "basic (two 3x3) or bottleneck (1x1, 3x3, 1x1)"},
    {"n", "3", "blocks per stage: 7 for three stages of 7, or each stage as 3-4-6-3"},
    {"width", "16", "channels of the first convolution; stages double them"},
    {"widen", "all",
     "bottleneck stages that make 4 times their width: all, or later than the "
     "first"},
    {"shortcut", "A",
     "A (subsample; new channels are zero and come last) or conv (1x1 and batch norm)"},
    {"bias", "0", "1: convolutions have a bias"},
    {"names", "kuangliu", "whose parameter names and first values: kuangliu, hysts or jordan"},
    {NULL, NULL, NULL},
};

const struct sl_network_option sl_nn_resnext_options[] = {
    {"n", "3", "blocks per stage: 3 for three stages of 3, or each stage as 3-4-6-3"},
    {"width", "64", "channels of the first convolution and of a group in the first stage"},
    {"groups", "8", "groups of the 3x3 convolutions (cardinality)"},
    {NULL, NULL, NULL},
};

static size_t basic(struct sl_nn_graph *g, size_t x, const struct sl_nn_block *block,
                    const struct design *design)
{
    struct sl_nn_conv_spec conv = {
        .channels = block->channels, .kernel = 3, .stride = block->stride, .bias = design->bias};
    x = sl_nn_block_norm_relu(g, sl_nn_block_conv(g, x, block, "conv1", conv), block, "bn1");
    conv.stride = 1;
    return sl_nn_block_norm(g, sl_nn_block_conv(g, x, block, "conv2", conv), block, "bn2");
}

static size_t bottleneck(struct sl_nn_graph *g, size_t x, const struct sl_nn_block *block,
                         const struct design *design)
{
    size_t inner = design->groups * block->channels / EXPANSION;
    struct sl_nn_conv_spec narrow = {.channels = inner, .kernel = 1, .bias = design->bias};
    struct sl_nn_conv_spec middle = narrow, wide = narrow;
    middle.kernel = 3;
    middle.stride = block->stride;
    middle.groups = design->groups;
    wide.channels = block->channels;
    x = sl_nn_block_norm_relu(g, sl_nn_block_conv(g, x, block, "conv1", narrow), block, "bn1");
    x = sl_nn_block_norm_relu(g, sl_nn_block_conv(g, x, block, "conv2", middle), block, "bn2");
    return sl_nn_block_norm(g, sl_nn_block_conv(g, x, block, "conv3", wide), block, "bn3");
}

static size_t shortcut(struct sl_nn_graph *g, size_t x, const struct sl_nn_block *block,
                       const struct design *design)
{
    if (!sl_nn_block_changes(g, x, block)) return x;
    if (design->zeros) return block->stride > 1 ? sl_nn_subsample(g, x, block->stride, 0) : x;
    struct sl_nn_conv_spec conv = {
        .channels = block->channels, .kernel = 1, .stride = block->stride, .bias = design->bias};
    x = sl_nn_block_conv(g, x, block, block->naming->shortcut_conv, conv);
    return sl_nn_block_norm(g, x, block, block->naming->shortcut_norm);
}

static size_t residual(struct sl_nn_graph *g, size_t x, const struct sl_nn_block *block,
                       const void *own)
{
    const struct design *design = own;
    size_t y = design->bottleneck ? bottleneck(g, x, block, design) : basic(g, x, block, design);
    return sl_nn_relu(g, sl_nn_add(g, y, shortcut(g, x, block, design)), 0);
}

static void build(struct sl_nn_graph *g, const struct sl_model_options *options, size_t width,
                  const struct sl_nn_stages *stages, const struct design *design)
{
    const struct sl_nn_naming *naming = &sl_nn_namings[stages->names];
    if (stages->names == SL_NN_HYSTS) g->paper_init = sl_nn_init_hysts;
    size_t x = sl_nn_image_input(g, options);
    x = sl_nn_stem(g, x, naming->conv, width, design->bias);
    x = sl_nn_relu(g, sl_nn_batch_norm(g, x, naming->norm), 0);
    x = sl_nn_stack(g, x, stages, residual, design);
    sl_nn_head(g, x, naming->linear);
}

void sl_nn_resnet_build(struct sl_nn_graph *g, const struct sl_model_options *options,
                        struct sl_nn_spec *spec)
{
    static const char *const blocks[] = {"basic", "bottleneck", NULL};
    static const char *const widen[] = {"all", "later", NULL};
    static const char *const shortcuts[] = {"A", "conv", NULL};
    struct design design = {
        .bottleneck = sl_nn_spec_choice(spec, "block", blocks) == 1,
        .bias = sl_nn_spec_flag(spec, "bias"),
        .zeros = sl_nn_spec_choice(spec, "shortcut", shortcuts) == 0,
        .groups = 1,
    };
    size_t width = sl_nn_spec_count(spec, "width", EXPANSION, 1024);
    bool later = sl_nn_spec_choice(spec, "widen", widen) == 1;
    struct sl_nn_stages stages = {
        .names = (enum sl_nn_names)sl_nn_spec_choice(spec, "names", sl_nn_naming_names)};
    sl_nn_read_stages(spec, width, &stages);
    for (size_t i = later; design.bottleneck && i < stages.count; i++)
        stages.channels[i] *= EXPANSION;
    build(g, options, width, &stages, &design);
}

void sl_nn_resnext_build(struct sl_nn_graph *g, const struct sl_model_options *options,
                         struct sl_nn_spec *spec)
{
    struct design design = {
        .bottleneck = true,
        .groups = sl_nn_spec_count(spec, "groups", 1, 64),
    };
    size_t width = sl_nn_spec_count(spec, "width", 1, 1024);
    struct sl_nn_stages stages = {.names = SL_NN_HYSTS};
    sl_nn_read_stages(spec, EXPANSION * width, &stages);
    build(g, options, width, &stages, &design);
}
