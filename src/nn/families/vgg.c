/* VGG (Simonyan and Zisserman 2015) with batch norm and one linear layer, for small images. */
#include <stdio.h>

#include "nn/families/families.h"

enum { DOUBLINGS = 3 }; /* the fourth stage and all after it have 8 times the width */

struct design {
    bool hysts;
    bool every; /* convolution has its ReLU; else only a stage's first */
    size_t width;
};

const struct sl_network_option sl_nn_vgg_options[] = {
    {"n", "1-1-2-2-2", "convolutions per stage, each stage ending in a pooling"},
    {"width", "64", "channels of the first stage; doubled three times"},
    {"relu", "every",
     "every, or first: only after a stage's first batch norm, as hysts' code "
     "ran until September 2020"},
    {"names", "kuangliu", "whose parameter names and first values: kuangliu or hysts"},
    {NULL, NULL, NULL},
};

/* kuangliu numbers everything in one sequence, hysts convolutions within a stage. */
struct place {
    size_t stage, index, module;
};

static const char *name_of(const struct design *design, const struct place *at, bool norm,
                           char out[SL_NN_NAME])
{
    if (design->hysts)
        snprintf(out, SL_NN_NAME, "stage%zu.%s%zu", at->stage + 1, norm ? "bn" : "conv", at->index);
    else
        snprintf(out, SL_NN_NAME, "features.%zu", at->module + norm);
    return out;
}

static size_t convolve(struct sl_nn_graph *g, size_t x, const struct design *design,
                       const struct place *at)
{
    char name[SL_NN_NAME];
    size_t channels = design->width << (at->stage < DOUBLINGS ? at->stage : DOUBLINGS);
    x = sl_nn_stem(g, x, name_of(design, at, false, name), channels, true);
    x = sl_nn_batch_norm(g, x, name_of(design, at, true, name));
    return design->every || at->index == 0 ? sl_nn_relu(g, x, 0) : x;
}

void sl_nn_vgg_build(struct sl_nn_graph *g, const struct sl_model_options *options,
                     struct sl_nn_spec *spec)
{
    static const char *const relus[] = {"first", "every", NULL};
    static const char *const names[] = {"kuangliu", "hysts", NULL};
    struct design design = {
        .hysts = sl_nn_spec_choice(spec, "names", names) == 1,
        .every = sl_nn_spec_choice(spec, "relu", relus) == 1,
        .width = sl_nn_spec_count(spec, "width", 1, 1024),
    };
    size_t blocks[SL_NN_STAGES];
    size_t n_stages = sl_nn_spec_list(spec, "n", 64, blocks);
    if (design.hysts) {
        g->paper_init = sl_nn_init_hysts;
        g->paper_init.gamma_uniform = true;
        g->paper_init.zero_conv_bias = true;
    }
    size_t x = sl_nn_image_input(g, options);
    struct place at = {0};
    for (at.stage = 0; at.stage < n_stages; at.stage++) {
        for (at.index = 0; at.index < blocks[at.stage]; at.index++, at.module += 3)
            x = convolve(g, x, &design, &at);
        x = sl_nn_max_pool(g, x, 2, 2);
        at.module++;
    }
    sl_nn_linear(g, sl_nn_flatten(g, x), design.hysts ? "fc" : "classifier", g->classes);
}
