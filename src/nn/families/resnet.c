/* Residual networks whose blocks end with the addition and its ReLU: those of He et al. 2015 for
 * CIFAR-10, and ResNeXt (Xie et al. 2017), which splits the middle convolution into groups. */
#include "nn/families/families.h"

enum { EXPANSION = 4 };

struct design {
    bool bottleneck, bias;
    bool zeros;    /* shortcuts are subsampled, and missing channels are zero */
    size_t groups; /* of the middle convolution, which is `groups` times wider */
};

struct resnet_options {
    enum sl_nn_block_kind block;
    struct sl_count_list n;
    size_t width;
    enum sl_nn_widened widen;
    enum shortcut_kind { SHORTCUT_A, SHORTCUT_CONV } shortcut;
    size_t bias;
    enum sl_nn_names names;
};
static const char *const shortcuts[] = {[SHORTCUT_A] = "A", [SHORTCUT_CONV] = "conv", NULL};
static const char *const biases[] = {"0", "1", NULL};
static const char *const names[] = {
    [SL_NN_KUANGLIU] = "kuangliu", [SL_NN_HYSTS] = "hysts", [SL_NN_JORDAN] = "jordan", NULL};

#define AT(option) .offset = offsetof(struct resnet_options, option)
static const struct sl_field_row resnet_rows[] = {
    {"block", SL_FIELD_ENUM, AT(block), "basic (two 3x3) or bottleneck (1x1, 3x3, 1x1)",
     .fallback = "basic", .choices = sl_nn_block_kinds},
    {"n", SL_FIELD_COUNTS, AT(n),
     "blocks per stage: 7 for three stages of 7, or each stage as 3-4-6-3", .fallback = "3",
     SL_NN_STAGE_BOUNDS},
    {"width", SL_FIELD_COUNT, AT(width), "channels of the first convolution; stages double them",
     .fallback = "16", .minimum = EXPANSION, .maximum = 1024},
    {"widen", SL_FIELD_ENUM, AT(widen),
     "bottleneck stages that make 4 times their width: all, or later than the first",
     .fallback = "all", .choices = sl_nn_widened_stages},
    {"shortcut", SL_FIELD_ENUM, AT(shortcut),
     "A (subsample; new channels are zero and come last) or conv (1x1 and batch norm)",
     .fallback = "A", .choices = shortcuts},
    {"bias", SL_FIELD_COUNT, AT(bias), "1: convolutions have a bias", .fallback = "0",
     .choices = biases},
    {"names", SL_FIELD_ENUM, AT(names),
     "whose parameter names and first values: kuangliu, hysts or jordan", .fallback = "kuangliu",
     .choices = names},
    {.name = NULL},
};
#undef AT
const struct sl_fields sl_nn_resnet_options = {resnet_rows, sizeof(struct resnet_options)};

struct resnext_options {
    struct sl_count_list n;
    size_t width, groups;
};
#define AT(option) .offset = offsetof(struct resnext_options, option)
static const struct sl_field_row resnext_rows[] = {
    {"n", SL_FIELD_COUNTS, AT(n),
     "blocks per stage: 3 for three stages of 3, or each stage as 3-4-6-3", .fallback = "3",
     SL_NN_STAGE_BOUNDS},
    {"width", SL_FIELD_COUNT, AT(width),
     "channels of the first convolution and of a group in the first stage", .fallback = "64",
     .minimum = 1, .maximum = 1024},
    {"groups", SL_FIELD_COUNT, AT(groups), "groups of the 3x3 convolutions (cardinality)",
     .fallback = "8", .minimum = 1, .maximum = 64},
    {.name = NULL},
};
#undef AT
const struct sl_fields sl_nn_resnext_options = {resnext_rows, sizeof(struct resnext_options)};

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

static void build(struct sl_nn_graph *g, const struct sl_model_options *model, size_t width,
                  const struct sl_nn_stages *stages, const struct design *design)
{
    const struct sl_nn_naming *naming = &sl_nn_namings[stages->names];
    if (stages->names == SL_NN_HYSTS) g->paper_init = sl_nn_init_hysts;
    size_t x = sl_nn_image_input(g, model);
    x = sl_nn_stem(g, x, naming->conv, width, design->bias);
    x = sl_nn_relu(g, sl_nn_batch_norm(g, x, naming->norm), 0);
    x = sl_nn_stack(g, x, stages, residual, design);
    sl_nn_head(g, x, naming->linear);
}

void sl_nn_resnet_build(struct sl_nn_graph *g, const struct sl_model_options *model,
                        const void *options)
{
    const struct resnet_options *resnet = options;
    const struct design design = {
        .bottleneck = resnet->block == SL_NN_BOTTLENECK,
        .bias = resnet->bias == 1,
        .zeros = resnet->shortcut == SHORTCUT_A,
        .groups = 1,
    };
    struct sl_nn_stages stages = {.names = resnet->names};
    sl_nn_set_stages(&stages, &resnet->n, resnet->width);
    for (size_t i = resnet->widen == SL_NN_WIDEN_LATER; design.bottleneck && i < stages.count; i++)
        stages.channels[i] *= EXPANSION;
    build(g, model, resnet->width, &stages, &design);
}

void sl_nn_resnext_build(struct sl_nn_graph *g, const struct sl_model_options *model,
                         const void *options)
{
    const struct resnext_options *resnext = options;
    const struct design design = {.bottleneck = true, .groups = resnext->groups};
    struct sl_nn_stages stages = {.names = SL_NN_HYSTS};
    sl_nn_set_stages(&stages, &resnext->n, EXPANSION * resnext->width);
    build(g, model, resnext->width, &stages, &design);
}
