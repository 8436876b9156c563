/* Functions and tables that networks of stages of blocks share. */
#include <stdio.h>

#include "nn/families/families.h"

const struct sl_nn_naming sl_nn_namings[] = {
    [SL_NN_KUANGLIU] = {.conv = "conv1",
                        .norm = "bn1",
                        .stage = "layer",
                        .joint = ".",
                        .first = 0,
                        .shortcut_conv = "shortcut.0",
                        .shortcut_norm = "shortcut.1",
                        .linear = "linear"},
    [SL_NN_HYSTS] = {.conv = "conv",
                     .norm = "bn",
                     .stage = "stage",
                     .joint = ".block",
                     .first = 1,
                     .shortcut_conv = "shortcut.conv",
                     .shortcut_norm = "shortcut.bn",
                     .linear = "fc"},
    [SL_NN_JORDAN] = {.conv = "conv1",
                      .norm = "norm1",
                      .stage = "layers",
                      .joint = ".",
                      .first = 0,
                      .shortcut_conv = "projection.conv",
                      .shortcut_norm = "projection.bn",
                      .linear = "linear"},
};

const char *const sl_nn_block_kinds[] = {
    [SL_NN_BASIC] = "basic", [SL_NN_BOTTLENECK] = "bottleneck", NULL};
const char *const sl_nn_widened_stages[] = {
    [SL_NN_WIDEN_ALL] = "all", [SL_NN_WIDEN_LATER] = "later", NULL};

const struct sl_nn_init_rule sl_nn_init_hysts = {
    .conv = SL_NN_KAIMING_OUT,
    .zero_linear_bias = true,
};

const char *sl_nn_part(const struct sl_nn_block *block, const char *part, char out[SL_NN_NAME])
{
    snprintf(out, SL_NN_NAME, "%s.%s", block->prefix, part);
    return out;
}

size_t sl_nn_stack(struct sl_nn_graph *g, size_t input, const struct sl_nn_stages *stages,
                   size_t (*build)(struct sl_nn_graph *g, size_t input,
                                   const struct sl_nn_block *block, const void *design),
                   const void *design)
{
    struct sl_nn_block block = {.naming = &sl_nn_namings[stages->names]};
    for (block.stage = 0; block.stage < stages->count; block.stage++) {
        size_t count = stages->blocks[block.stage];
        block.last_stage = block.stage + 1 == stages->count;
        block.channels = stages->channels[block.stage];
        for (size_t i = 0; i < count; i++, block.index++) {
            block.first = i == 0;
            block.last = i + 1 == count;
            block.stride = block.first && block.stage > 0 ? 2 : 1;
            snprintf(block.prefix, sizeof block.prefix, "%s%zu%s%zu", block.naming->stage,
                     block.stage + 1, block.naming->joint, i + block.naming->first);
            input = build(g, input, &block, design);
        }
    }
    return input;
}

void sl_nn_set_stages(struct sl_nn_stages *stages, const struct sl_count_list *blocks, size_t width)
{
    enum { USUAL_STAGES = 3 };
    const bool same = blocks->count == 1;
    stages->count = same ? USUAL_STAGES : blocks->count;
    for (size_t i = 0; i < stages->count; i++) {
        stages->blocks[i] = blocks->values[same ? 0 : i];
        stages->channels[i] = width << i;
    }
}

size_t sl_nn_block_conv(struct sl_nn_graph *g, size_t input, const struct sl_nn_block *block,
                        const char *part, struct sl_nn_conv_spec spec)
{
    char name[SL_NN_NAME];
    spec.pad = spec.kernel / 2;
    return sl_nn_conv(g, input, sl_nn_part(block, part, name), spec);
}

size_t sl_nn_block_norm(struct sl_nn_graph *g, size_t input, const struct sl_nn_block *block,
                        const char *part)
{
    char name[SL_NN_NAME];
    return sl_nn_batch_norm(g, input, sl_nn_part(block, part, name));
}

size_t sl_nn_block_norm_relu(struct sl_nn_graph *g, size_t input, const struct sl_nn_block *block,
                             const char *part)
{
    return sl_nn_relu(g, sl_nn_block_norm(g, input, block, part), 0);
}

bool sl_nn_block_changes(const struct sl_nn_graph *g, size_t input, const struct sl_nn_block *block)
{
    return g->status == SL_OK &&
           (block->stride != 1 || g->nodes[input].shape.channels != block->channels);
}

size_t sl_nn_stem(struct sl_nn_graph *g, size_t input, const char *name, size_t channels, bool bias)
{
    return sl_nn_conv(
        g, input, name,
        (struct sl_nn_conv_spec){.channels = channels, .kernel = 3, .pad = 1, .bias = bias});
}

size_t sl_nn_head(struct sl_nn_graph *g, size_t input, const char *name)
{
    return sl_nn_linear(g, sl_nn_global_pool(g, input), name, g->classes);
}
