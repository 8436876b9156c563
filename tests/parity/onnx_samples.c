/* Writes every image network that is cheap enough, and a small one of each family that has none,
 * with random weights as ONNX, and what it makes of two random images: onnx_samples FOLDER fills
 * FOLDER/<name>/ with net.onnx, input.npy and logits.npy, and prints the names.
 * tests/e2e/onnx.test.mjs lets ONNX Runtime run them. */
#include <stdio.h>
#include <stdlib.h>

#include "nn_sample_graph.h"
#include "softlab/base/array.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"
#include "softlab/nn/weights.h"

enum { IMAGES = 2, SEED = 5 };
static const uint64_t most_multiply_adds = 1500000000;

static enum sl_status write_npy(const char *folder, const char *name, float *values, size_t rank,
                                const size_t *shape, struct sl_error *err)
{
    struct sl_array array = {
        .dtype = SL_F4, .item_size = sizeof(float), .n_dimensions = rank, .data = values};
    for (size_t i = 0; i < rank; i++)
        array.shape[i] = shape[i];
    char *path = sl_path_join(folder, name);
    enum sl_status status = sl_npy_write(&array, SL_ORDER_C, path, err);
    free(path);
    return status;
}

static enum sl_status write_pixels_and_logits(const char *folder, struct sl_model *model,
                                              struct sl_error *err)
{
    const struct sl_input_shape input = sl_model_input(model);
    const size_t count = input.channels * input.height * input.width;
    const size_t shape[] = {IMAGES, input.channels, input.height, input.width};
    const size_t logits_shape[] = {IMAGES, sl_model_classes(model)};
    struct sl_plan_options options = sl_plan_options_default();
    options.batch = IMAGES;
    options.training = false;
    float *pixels = sl_alloc(IMAGES * count, sizeof *pixels);
    float *logits = sl_alloc(IMAGES * logits_shape[1], sizeof *logits);
    struct sl_plan *plan = NULL;
    struct sl_rng rng;
    sl_rng_init(&rng, SEED, "onnx.pixels", 0, 0);
    for (size_t i = 0; i < IMAGES * count; i++)
        pixels[i] = (float)sl_rng_uniform(&rng);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_plan_create(model, &options, &plan, err));
    const float *made = sl_plan_forward(plan, &(struct sl_batch){.pixels = pixels});
    for (size_t i = 0; i < IMAGES * logits_shape[1]; i++)
        logits[i] = made[i];
    /* What ONNX calls the input has two dimensions where items are rows of features. */
    const bool rows = input.height == 1 && input.width == 1;
    SL_TRY_OUT(write_npy(folder, "input.npy", pixels, rows ? 2 : 4, shape, err));
    SL_TRY_OUT(write_npy(folder, "logits.npy", logits, 2, logits_shape, err));
out:
    sl_plan_destroy(plan);
    free(pixels);
    free(logits);
    return status;
}

/* Takes the model. */
static enum sl_status write_sample(const char *root, const char *name, struct sl_model *model,
                                   struct sl_error *err)
{
    char *folder = sl_path_join(root, name), *path = sl_path_join(folder, "net.onnx");
    enum sl_status status = SL_OK;
    sample_running_statistics(model, SEED);
    SL_TRY_OUT(sl_folder_create(folder, err));
    SL_TRY_OUT(sl_onnx_write(path, model, err));
    SL_TRY_OUT(write_pixels_and_logits(folder, model, err));
    printf("%s\n", name);
out:
    free(folder);
    free(path);
    sl_model_destroy(model);
    return status;
}

static bool reads_pixels(const struct sl_model *model)
{
    return model->graph.nodes[0].op == SL_NN_PIXELS;
}

static enum sl_status write_network(const char *root, const char *network, struct sl_error *err)
{
    static const float mean[] = {0.4914F, 0.4822F, 0.4465F}, deviation[] = {0.2F, 0.21F, 0.22F};
    struct sl_model_options options = sl_model_options_default();
    struct sl_model *model = NULL;
    options.network = network;
    options.mean = mean;
    options.deviation = deviation;
    options.seed = SEED;
    /* So that text networks can be made too, to see that they are that. */
    options.input.tokens = options.input.letters = 10;
    options.input.vocabulary = options.input.alphabet = 30;
    SL_TRY(sl_model_create(&options, &model, err));
    if (reads_pixels(model) && sl_model_multiply_adds(model) <= most_multiply_adds)
        return write_sample(root, network, model, err);
    sl_model_destroy(model);
    return SL_OK;
}

static enum sl_status write_all(const char *root, struct sl_error *err)
{
    static const char *const small[] = {"wrn:n=1,factor=2", "resnext:n=1,width=8,groups=4",
                                        "pyramidnet:n=2,alpha=30", "shake-shake:n=1,width=8"};
    SL_TRY(write_sample(root, "every-operation", sample_image_model(SEED), err));
    SL_TRY(write_sample(root, "features", sample_feature_model(SEED), err));
    for (const struct sl_network *network = sl_networks; network->name; network++)
        SL_TRY(write_network(root, network->name, err));
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        SL_TRY(write_network(root, small[i], err));
    return SL_OK;
}

int main(int argc, char **argv)
{
    struct sl_error err;
    if (argc != 2) {
        fprintf(stderr, "usage: onnx_samples FOLDER\n");
        return 2;
    }
    if (write_all(argv[1], &err) == SL_OK) return EXIT_SUCCESS;
    fprintf(stderr, "onnx_samples: %s\n", err.message);
    return EXIT_FAILURE;
}
