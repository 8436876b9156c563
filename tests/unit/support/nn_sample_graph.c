#include "nn_sample_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/random.h"

static char cat[] = "cat", quoted[] = "a \"b\"", umlaut[] = "K\xc3\xa4se", dog[] = "dog",
            empty[] = "";
char *const sample_class_names[SAMPLE_CLASSES] = {cat, quoted, umlaut, dog, empty};

static struct sl_model *finish(struct sl_nn_graph *graph, uint64_t seed)
{
    struct sl_model *model = NULL;
    struct sl_error err;
    graph->classes = SAMPLE_CLASSES;
    if (sl_model_of_graph(graph, SL_INIT_PYTORCH, seed, &model, &err) != SL_OK) {
        fprintf(stderr, "%s\n", err.message);
        abort();
    }
    return model;
}

struct sl_model *sample_image_model(uint64_t seed)
{
    static const float mean[SAMPLE_CHANNELS] = {0.49F, 0.48F, 0.45F};
    static const float deviation[SAMPLE_CHANNELS] = {0.25F, 0.24F, 0.26F};
    struct sl_nn_graph graph, *g = &graph;
    sl_nn_graph_init(g);
    size_t pixels = sl_nn_pixels(g, SAMPLE_CHANNELS, SAMPLE_SIDE, SAMPLE_SIDE);
    size_t x = sl_nn_normalise(g, pixels, mean, deviation);
    x = sl_nn_conv(g, x, "conv1",
                   (struct sl_nn_conv_spec){.channels = 8, .kernel = 3, .pad = 1, .bias = true});
    x = sl_nn_batch_norm(g, x, "bn1");
    size_t stem = sl_nn_relu(g, x, 0);
    x = sl_nn_conv(
        g, stem, "layer1.0.conv1",
        (struct sl_nn_conv_spec){.channels = 12, .kernel = 3, .stride = 2, .pad = 1, .groups = 2});
    x = sl_nn_batch_norm(g, x, "layer1.0.bn1");
    x = sl_nn_add(g, x, sl_nn_subsample(g, stem, 2, 0));
    size_t block = sl_nn_relu(g, x, 0.1F);
    size_t largest = sl_nn_max_pool(g, block, 2, 2);
    size_t mixed = sl_nn_shake(g, largest, sl_nn_average_pool(g, block, 2, 2));
    x = sl_nn_dropout(g, sl_nn_concat(g, largest, mixed), 0.3F);
    size_t rows = sl_nn_linear(g, sl_nn_flatten(g, x), "head.fc1", 30);
    x = sl_nn_relu(g, sl_nn_add(g, rows, sl_nn_global_pool(g, x)), 0);
    sl_nn_linear(g, x, "head.fc2", SAMPLE_CLASSES);
    return finish(g, seed);
}

struct sl_model *sample_text_model(uint64_t seed)
{
    struct sl_nn_graph graph, *g = &graph;
    sl_nn_graph_init(g);
    size_t x = sl_nn_embed(g, sl_nn_ids(g, SL_NN_WORDS, 6), "words", 20, 7);
    x = sl_nn_lstm(g, x, "lstm", 4, true);
    sl_nn_linear(g, sl_nn_pick(g, x, true, 0), "fc", SAMPLE_CLASSES);
    return finish(g, seed);
}

struct sl_model *sample_feature_model(uint64_t seed)
{
    struct sl_nn_graph graph, *g = &graph;
    sl_nn_graph_init(g);
    size_t x = sl_nn_linear(g, sl_nn_pixels(g, 4, 1, 1), "fc1", 6);
    sl_nn_linear(g, sl_nn_dropout(g, sl_nn_relu(g, x, 0), 0.5F), "fc2", SAMPLE_CLASSES);
    return finish(g, seed);
}

void sample_running_statistics(struct sl_model *model, uint64_t seed)
{
    for (size_t i = 0; i < model->n_tensors; i++) {
        const struct sl_tensor_info *info = &model->tensors[i];
        const bool mean = strstr(info->name, "running_mean") != NULL;
        if (!mean && !strstr(info->name, "running_var")) continue;
        struct sl_rng rng;
        sl_rng_init(&rng, seed, "sample.statistics", 0, i);
        for (size_t j = 0; j < info->count; j++)
            model->state[info->offset + j] =
                (float)(mean ? 0.1 * sl_rng_normal(&rng) : 0.5 + sl_rng_uniform(&rng));
    }
    sl_model_touch(model);
}
