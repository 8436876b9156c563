/* Residual networks whose blocks begin with batch norm and ReLU (He et al. 2016), and wide residual
 * networks (Zagoruyko and Komodakis 2016). Public codes differ in the input of a shortcut (the
 * input of the block, before or after its first ReLU) and in the place of the batch norm outside
 * the blocks. */
#include "nn/families/families.h"

enum { EXPANSION = 4 };
enum activated { IN_EVERY_BLOCK, IN_FIRST_BLOCKS, WHERE_IT_CHANGES };

struct design {
    bool bottleneck;
    enum activated activated; /* blocks whose shortcut takes the activated input */
    double dropout;           /* after the first convolution */
};

struct preact_options {
    enum sl_nn_block_kind block;
    struct sl_count_list n;
    size_t width;
    enum sl_nn_widened widen;
    enum norm_place { NORM_NONE, NORM_STEM, NORM_LAST } norm;
    enum activated shortcut;
    enum sl_nn_names names;
};
static const char *const norms[] = {
    [NORM_NONE] = "none", [NORM_STEM] = "stem", [NORM_LAST] = "last", NULL};
static const char *const shortcuts[] = {
    [IN_EVERY_BLOCK] = "every", [IN_FIRST_BLOCKS] = "first", [WHERE_IT_CHANGES] = "change", NULL};
static const char *const names[] = {[SL_NN_KUANGLIU] = "kuangliu", [SL_NN_HYSTS] = "hysts", NULL};

#define AT(option) .offset = offsetof(struct preact_options, option)
static const struct sl_field_row preact_rows[] = {
    {"block", SL_FIELD_ENUM, AT(block), "basic (two 3x3) or bottleneck (1x1, 3x3, 1x1)",
     .fallback = "basic", .choices = sl_nn_block_kinds},
    {"n", SL_FIELD_COUNTS, AT(n),
     "blocks per stage: 7 for three stages of 7, or each stage as 3-4-6-3", .fallback = "2-2-2-2",
     SL_NN_STAGE_BOUNDS},
    {"width", SL_FIELD_COUNT, AT(width), "channels of the first convolution; stages double them",
     .fallback = "64", .minimum = EXPANSION, .maximum = 1024},
    {"widen", SL_FIELD_ENUM, AT(widen),
     "bottleneck stages that make 4 times their width: all, or later than the first",
     .fallback = "all", .choices = sl_nn_widened_stages},
    {"norm", SL_FIELD_ENUM, AT(norm),
     "batch norm and ReLU outside the blocks: stem (after the first convolution), last (before "
     "pooling) or none",
     .fallback = "stem", .choices = norms},
    {"shortcut", SL_FIELD_ENUM, AT(shortcut),
     "blocks whose shortcut takes the activated input: every, first of each stage, or those that "
     "change the shape",
     .fallback = "every", .choices = shortcuts},
    {"names", SL_FIELD_ENUM, AT(names),
     "code whose parameter names and initial values to use: kuangliu or hysts",
     .fallback = "kuangliu", .choices = names},
    {.name = NULL},
};
#undef AT
const struct sl_fields sl_nn_preact_options = {preact_rows, sizeof(struct preact_options)};

struct wrn_options {
    struct sl_count_list n;
    size_t width, factor;
    double dropout;
};
#define AT(option) .offset = offsetof(struct wrn_options, option)
static const struct sl_field_row wrn_rows[] = {
    {"n", SL_FIELD_COUNTS, AT(n), "blocks per stage: 4 for three stages of 4 (depth 28)",
     .fallback = "4", SL_NN_STAGE_BOUNDS},
    {"width", SL_FIELD_COUNT, AT(width), "channels of the first convolution", .fallback = "16",
     .minimum = 1, .maximum = 1024},
    {"factor", SL_FIELD_COUNT, AT(factor), "how many times wider the stages are", .fallback = "10",
     .minimum = 1, .maximum = 64},
    {"dropout", SL_FIELD_NUMBER, AT(dropout), "rate between a block's convolutions",
     .fallback = "0", .minimum = 0, .maximum = .99},
    {.name = NULL},
};
#undef AT
const struct sl_fields sl_nn_wrn_options = {wrn_rows, sizeof(struct wrn_options)};

static size_t tail(struct sl_nn_graph *g, size_t y, const struct sl_nn_block *block,
                   const struct design *design)
{
    struct sl_nn_conv_spec conv = {.channels = block->channels, .kernel = 3, .stride = 1};
    if (!design->bottleneck) {
        conv.stride = block->stride;
        y = sl_nn_block_conv(g, y, block, "conv1", conv);
        if (design->dropout > 0) y = sl_nn_dropout(g, y, (float)design->dropout);
        conv.stride = 1;
        return sl_nn_block_conv(g, sl_nn_block_norm_relu(g, y, block, "bn2"), block, "conv2", conv);
    }
    struct sl_nn_conv_spec narrow = {.channels = block->channels / EXPANSION, .kernel = 1};
    struct sl_nn_conv_spec middle = narrow;
    middle.kernel = 3;
    middle.stride = block->stride;
    conv.kernel = 1;
    y = sl_nn_block_norm_relu(g, sl_nn_block_conv(g, y, block, "conv1", narrow), block, "bn2");
    y = sl_nn_block_norm_relu(g, sl_nn_block_conv(g, y, block, "conv2", middle), block, "bn3");
    return sl_nn_block_conv(g, y, block, "conv3", conv);
}

static size_t residual(struct sl_nn_graph *g, size_t x, const struct sl_nn_block *block,
                       const void *own)
{
    const struct design *design = own;
    bool changes = sl_nn_block_changes(g, x, block);
    size_t active = sl_nn_block_norm_relu(g, x, block, "bn1");
    size_t y = tail(g, active, block, design);
    if (design->activated == IN_EVERY_BLOCK || changes ||
        (design->activated == IN_FIRST_BLOCKS && block->first))
        x = active;
    if (changes)
        x = sl_nn_block_conv(g, x, block, block->naming->shortcut_conv,
                             (struct sl_nn_conv_spec){.channels = block->channels,
                                                      .kernel = 1,
                                                      .stride = block->stride});
    return sl_nn_add(g, y, x);
}

void sl_nn_preact_build(struct sl_nn_graph *g, const struct sl_model_options *model,
                        const void *options)
{
    const struct preact_options *preact = options;
    const struct design design = {
        .bottleneck = preact->block == SL_NN_BOTTLENECK,
        .activated = preact->shortcut,
    };
    struct sl_nn_stages stages = {.names = preact->names};
    const struct sl_nn_naming *naming = &sl_nn_namings[stages.names];
    sl_nn_set_stages(&stages, &preact->n, preact->width);
    for (size_t i = preact->widen == SL_NN_WIDEN_LATER; design.bottleneck && i < stages.count; i++)
        stages.channels[i] *= EXPANSION;

    if (stages.names == SL_NN_HYSTS) g->paper_init = sl_nn_init_hysts;
    size_t x = sl_nn_stem(g, sl_nn_image_input(g, model), naming->conv, preact->width, false);
    if (preact->norm == NORM_STEM) x = sl_nn_relu(g, sl_nn_batch_norm(g, x, naming->norm), 0);
    x = sl_nn_stack(g, x, &stages, residual, &design);
    if (preact->norm == NORM_LAST) x = sl_nn_relu(g, sl_nn_batch_norm(g, x, naming->norm), 0);
    sl_nn_head(g, x, naming->linear);
}

void sl_nn_wrn_build(struct sl_nn_graph *g, const struct sl_model_options *model,
                     const void *options)
{
    const struct wrn_options *wrn = options;
    const struct design design = {.activated = WHERE_IT_CHANGES, .dropout = wrn->dropout};
    struct sl_nn_stages stages = {.names = SL_NN_HYSTS};
    const struct sl_nn_naming *naming = &sl_nn_namings[stages.names];
    sl_nn_set_stages(&stages, &wrn->n, wrn->factor * wrn->width);

    g->paper_init = sl_nn_init_hysts;
    g->paper_init.conv = SL_NN_KAIMING_IN;
    g->paper_init.gamma_uniform = true;
    size_t x = sl_nn_stem(g, sl_nn_image_input(g, model), naming->conv, wrn->width, false);
    x = sl_nn_stack(g, x, &stages, residual, &design);
    x = sl_nn_relu(g, sl_nn_batch_norm(g, x, naming->norm), 0);
    sl_nn_head(g, x, naming->linear);
}
