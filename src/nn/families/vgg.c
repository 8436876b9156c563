/* VGG (Simonyan and Zisserman 2015) with batch norm and one linear layer, for small images. */
#include <stdio.h>

#include "nn/families/families.h"

enum { DOUBLINGS = 3 }; /* from the fourth stage on, channels are 8 times the width */

struct vgg_options {
    struct sl_count_list n;
    size_t width;
    enum relu_place { RELU_FIRST, RELU_EVERY } relu; /* after a stage's first norm, or all */
    enum sl_nn_names names;
};
static const char *const relus[] = {[RELU_FIRST] = "first", [RELU_EVERY] = "every", NULL};
static const char *const names[] = {[SL_NN_KUANGLIU] = "kuangliu", [SL_NN_HYSTS] = "hysts", NULL};

#define AT(option) .offset = offsetof(struct vgg_options, option)
static const struct sl_field_row vgg_rows[] = {
    {"n", SL_FIELD_COUNTS, AT(n), "convolutions per stage, each stage ending in a pooling",
     .fallback = "1-1-2-2-2", .minimum = 1, .maximum = 64, .most = SL_NN_STAGES},
    {"width", SL_FIELD_COUNT, AT(width), "channels of the first stage; doubled three times",
     .fallback = "64", .minimum = 1, .maximum = 1024},
    {"relu", SL_FIELD_ENUM, AT(relu),
     "every, or first: only after a stage's first batch norm, as hysts' code ran until September "
     "2020",
     .fallback = "every", .choices = relus},
    {"names", SL_FIELD_ENUM, AT(names), "whose parameter names and first values: kuangliu or hysts",
     .fallback = "kuangliu", .choices = names},
    {.name = NULL},
};
#undef AT
const struct sl_fields sl_nn_vgg_options = {vgg_rows, sizeof(struct vgg_options)};

/* The place of a convolution. kuangliu numbers all modules in one sequence, hysts the convolutions
 * of a stage. */
struct place {
    size_t stage, index, module;
};

static const char *name_of(const struct vgg_options *options, const struct place *at, bool norm,
                           char out[SL_NN_NAME])
{
    if (options->names == SL_NN_HYSTS)
        snprintf(out, SL_NN_NAME, "stage%zu.%s%zu", at->stage + 1, norm ? "bn" : "conv", at->index);
    else
        snprintf(out, SL_NN_NAME, "features.%zu", at->module + norm);
    return out;
}

static size_t convolve(struct sl_nn_graph *g, size_t x, const struct vgg_options *options,
                       const struct place *at)
{
    char name[SL_NN_NAME];
    size_t channels = options->width << (at->stage < DOUBLINGS ? at->stage : DOUBLINGS);
    x = sl_nn_stem(g, x, name_of(options, at, false, name), channels, true);
    x = sl_nn_batch_norm(g, x, name_of(options, at, true, name));
    return options->relu == RELU_EVERY || at->index == 0 ? sl_nn_relu(g, x, 0) : x;
}

void sl_nn_vgg_build(struct sl_nn_graph *g, const struct sl_model_options *model,
                     const void *options)
{
    const struct vgg_options *vgg = options;
    const bool hysts = vgg->names == SL_NN_HYSTS;
    if (hysts) {
        g->paper_init = sl_nn_init_hysts;
        g->paper_init.gamma_uniform = true;
        g->paper_init.zero_conv_bias = true;
    }
    size_t x = sl_nn_image_input(g, model);
    struct place at = {0};
    for (at.stage = 0; at.stage < vgg->n.count; at.stage++) {
        for (at.index = 0; at.index < vgg->n.values[at.stage]; at.index++, at.module += 3)
            x = convolve(g, x, vgg, &at);
        x = sl_nn_max_pool(g, x, 2, 2);
        at.module++;
    }
    sl_nn_linear(g, sl_nn_flatten(g, x), hysts ? "fc" : "classifier", g->classes);
}
