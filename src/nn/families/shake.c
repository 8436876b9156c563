/* Shake-Shake (Gastaldi 2017) as in hysts' code of 2018 and 2019, or of 2020. That of 2020 has a
 * first convolution of 16 channels without ReLU, and a ReLU after the last block. */
#include "nn/families/families.h"

struct shake_options {
    struct sl_count_list n;
    size_t width;
    enum code_year { CODE_OF_2018, CODE_OF_2020 } code;
};
static const char *const codes[] = {[CODE_OF_2018] = "2018", [CODE_OF_2020] = "2020", NULL};

#define AT(option) .offset = offsetof(struct shake_options, option)
static const struct sl_field_row shake_rows[] = {
    {"n", SL_FIELD_COUNTS, AT(n), "blocks per stage: 4 for three stages of 4 (depth 26)",
     .fallback = "4", SL_NN_STAGE_BOUNDS},
    {"width", SL_FIELD_COUNT, AT(width), "channels of the first convolution; stages double them",
     .fallback = "64", .minimum = 2, .maximum = 1024},
    {"code", SL_FIELD_ENUM, AT(code), "the year of the public code: 2018 or 2020",
     .fallback = "2018", .choices = codes},
    {.name = NULL},
};
#undef AT
const struct sl_fields sl_nn_shake_shake_options = {shake_rows, sizeof(struct shake_options)};

enum { STEM_WIDTH_2020 = 16 };

static size_t branch(struct sl_nn_graph *g, size_t active, const struct sl_nn_block *block,
                     const char *const parts[4])
{
    struct sl_nn_conv_spec conv = {
        .channels = block->channels, .kernel = 3, .stride = block->stride};
    size_t y = sl_nn_block_conv(g, active, block, parts[0], conv);
    conv.stride = 1;
    y = sl_nn_block_conv(g, sl_nn_block_norm_relu(g, y, block, parts[1]), block, parts[2], conv);
    return sl_nn_block_norm(g, y, block, parts[3]);
}

/* Two 1x1 convolutions make half the channels each. The first reads every stride-th pixel. The
 * second reads the same pixels of the map shifted by one pixel up and left, with zeros at the
 * border. */
static size_t shortcut(struct sl_nn_graph *g, size_t active, const struct sl_nn_block *block)
{
    struct sl_nn_conv_spec conv = {.channels = block->channels / 2, .kernel = 1};
    size_t even = sl_nn_block_conv(g, sl_nn_subsample(g, active, block->stride, 0), block,
                                   "shortcut.downsample.conv1", conv);
    size_t odd = sl_nn_block_conv(g, sl_nn_subsample(g, active, block->stride, 1), block,
                                  "shortcut.downsample.conv2", conv);
    return sl_nn_block_norm(g, sl_nn_concat(g, even, odd), block, "shortcut.downsample.bn");
}

static size_t residual(struct sl_nn_graph *g, size_t x, const struct sl_nn_block *block,
                       const void *own)
{
    static const char *const first[] = {"residual_path1.conv1", "residual_path1.bn1",
                                        "residual_path1.conv2", "residual_path1.bn2"};
    static const char *const second[] = {"residual_path2.conv1", "residual_path2.bn1",
                                         "residual_path2.conv2", "residual_path2.bn2"};
    (void)own;
    bool changes = sl_nn_block_changes(g, x, block);
    size_t active = sl_nn_relu(g, x, 0);
    size_t a = branch(g, active, block, first);
    size_t b = branch(g, active, block, second);
    if (changes) x = shortcut(g, active, block);
    return sl_nn_add(g, sl_nn_shake(g, a, b), x);
}

void sl_nn_shake_shake_build(struct sl_nn_graph *g, const struct sl_model_options *model,
                             const void *options)
{
    const struct shake_options *shake = options;
    const bool later = shake->code == CODE_OF_2020;
    struct sl_nn_stages stages = {.names = SL_NN_HYSTS};
    const struct sl_nn_naming *naming = &sl_nn_namings[stages.names];
    sl_nn_set_stages(&stages, &shake->n, shake->width);

    g->paper_init = sl_nn_init_hysts;
    size_t x = sl_nn_image_input(g, model);
    x = sl_nn_stem(g, x, naming->conv, later ? STEM_WIDTH_2020 : shake->width, false);
    x = sl_nn_batch_norm(g, x, naming->norm);
    if (!later) x = sl_nn_relu(g, x, 0);
    x = sl_nn_stack(g, x, &stages, residual, NULL);
    if (later) x = sl_nn_relu(g, x, 0);
    sl_nn_head(g, x, naming->linear);
}
