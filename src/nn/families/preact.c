/* Residual networks whose blocks begin with batch norm and ReLU (He et al. 2016), and wide ones
 * (Zagoruyko and Komodakis 2016). Public codes differ in the input of a shortcut (the block's input
 * or the activated input) and in the place of the batch norm outside the blocks. */
#include "nn/families/families.h"

enum { EXPANSION = 4 };
enum activated { IN_EVERY_BLOCK, IN_FIRST_BLOCKS, WHERE_IT_CHANGES };

struct design {
    bool bottleneck;
    enum activated activated; /* blocks whose shortcut takes the activated input */
    double dropout;           /* after the first convolution */
};

const struct sl_network_option sl_nn_preact_options[] = {
    {"block", "basic", "basic (two 3x3) or bottleneck (1x1, 3x3, 1x1)"},
    {"n", "2-2-2-2", "blocks per stage: 7 for three stages of 7, or each stage as 3-4-6-3"},
    {"width", "64", "channels of the first convolution; stages double them"},
    {"widen", "all",
     "bottleneck stages that make 4 times their width: all, or later than the "
     "first"},
    {"norm", "stem",
     "batch norm and ReLU outside the blocks: stem (after the first "
     "convolution), last (before pooling) or none"},
    {"shortcut", "every",
     "blocks whose shortcut takes the activated input: every, first of each "
     "stage, or those that change the shape"},
    {"names", "kuangliu",
     "code whose parameter names and initial values to use: kuangliu or hysts"},
    {NULL, NULL, NULL},
};

const struct sl_network_option sl_nn_wrn_options[] = {
    {"n", "4", "blocks per stage: 4 for three stages of 4 (depth 28)"},
    {"width", "16", "channels of the first convolution"},
    {"factor", "10", "how many times wider the stages are"},
    {"dropout", "0", "rate between a block's convolutions"},
    {NULL, NULL, NULL},
};

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

void sl_nn_preact_build(struct sl_nn_graph *g, const struct sl_model_options *options,
                        struct sl_nn_spec *spec)
{
    static const char *const blocks[] = {"basic", "bottleneck", NULL};
    static const char *const widen[] = {"all", "later", NULL};
    static const char *const norms[] = {"none", "stem", "last", NULL};
    static const char *const shortcuts[] = {"every", "first", "change", NULL};
    static const char *const names[] = {"kuangliu", "hysts", NULL};
    enum { NO_NORM, STEM, LAST };
    struct design design = {
        .bottleneck = sl_nn_spec_choice(spec, "block", blocks) == 1,
        .activated = (enum activated)sl_nn_spec_choice(spec, "shortcut", shortcuts),
    };
    size_t width = sl_nn_spec_count(spec, "width", EXPANSION, 1024);
    size_t norm = sl_nn_spec_choice(spec, "norm", norms);
    bool later = sl_nn_spec_choice(spec, "widen", widen) == 1;
    struct sl_nn_stages stages = {.names =
                                      (enum sl_nn_names)sl_nn_spec_choice(spec, "names", names)};
    const struct sl_nn_naming *naming = &sl_nn_namings[stages.names];
    sl_nn_read_stages(spec, width, &stages);
    for (size_t i = later; design.bottleneck && i < stages.count; i++)
        stages.channels[i] *= EXPANSION;

    if (stages.names == SL_NN_HYSTS) g->paper_init = sl_nn_init_hysts;
    size_t x = sl_nn_stem(g, sl_nn_image_input(g, options), naming->conv, width, false);
    if (norm == STEM) x = sl_nn_relu(g, sl_nn_batch_norm(g, x, naming->norm), 0);
    x = sl_nn_stack(g, x, &stages, residual, &design);
    if (norm == LAST) x = sl_nn_relu(g, sl_nn_batch_norm(g, x, naming->norm), 0);
    sl_nn_head(g, x, naming->linear);
}

void sl_nn_wrn_build(struct sl_nn_graph *g, const struct sl_model_options *options,
                     struct sl_nn_spec *spec)
{
    struct design design = {
        .activated = WHERE_IT_CHANGES,
        .dropout = sl_nn_spec_real(spec, "dropout", 0, .99),
    };
    size_t width = sl_nn_spec_count(spec, "width", 1, 1024);
    size_t factor = sl_nn_spec_count(spec, "factor", 1, 64);
    struct sl_nn_stages stages = {.names = SL_NN_HYSTS};
    const struct sl_nn_naming *naming = &sl_nn_namings[stages.names];
    sl_nn_read_stages(spec, factor * width, &stages);

    g->paper_init = sl_nn_init_hysts;
    g->paper_init.conv = SL_NN_KAIMING_IN;
    g->paper_init.gamma_uniform = true;
    size_t x = sl_nn_stem(g, sl_nn_image_input(g, options), naming->conv, width, false);
    x = sl_nn_stack(g, x, &stages, residual, &design);
    x = sl_nn_relu(g, sl_nn_batch_norm(g, x, naming->norm), 0);
    sl_nn_head(g, x, naming->linear);
}
