/* Says what a trained network sees in pictures, with probabilities:
 *
 *     classify RUN PICTURE...
 *
 * RUN is a folder that softlab train wrote, or a weights file. Pictures are PNG or JPEG of any
 * size; each is resized to what the network reads. */
#include <softlab/base.h>
#include <softlab/dataset/image.h>
#include <softlab/nn.h>
#include <softlab/nn/loss.h>
#include <softlab/pipeline/weights.h>
#include <stdio.h>
#include <stdlib.h>

/* Read a picture as the network reads it: floats from 0 to 1, channel by channel. */
static enum sl_status read_picture(const char *path, struct sl_input_shape shape, float *pixels,
                                   struct sl_error *err)
{
    const size_t plane = shape.height * shape.width;
    struct sl_image original = {0}, image = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_image_read(path, &original, err));
    if (original.channels > shape.channels)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT,
                           "%s has colours, but the network reads grey pictures; convert it first",
                           path));
    SL_TRY_OUT(sl_image_resize(&original, shape.height, shape.width, &image, err));
    for (size_t c = 0; c < shape.channels; c++)
        for (size_t i = 0; i < plane; i++) /* all channels of a grey picture are the same */
            pixels[c * plane + i] =
                (float)image.pixels[i * image.channels + c % image.channels] / 255.0f;
out:
    sl_image_release(&image);
    sl_image_release(&original);
    return status;
}

/* The three most probable classes, the first one first. Spends `probabilities`. */
static void print_top(const struct sl_model *model, float *probabilities)
{
    char *const *names = sl_model_class_names(model);
    const size_t n_classes = sl_model_classes(model);
    for (size_t place = 0; place < 3 && place < n_classes; place++) {
        const size_t k = sl_largest(probabilities, n_classes);
        if (names)
            printf("  %-12s", names[k]);
        else
            printf("  class %-6zu", k);
        printf(" %5.1f %%\n", 100 * (double)probabilities[k]);
        probabilities[k] = -1;
    }
}

static enum sl_status classify(struct sl_model *model, char *const *pictures, struct sl_error *err)
{
    const struct sl_input_shape shape = sl_model_input(model);
    struct sl_plan_options options = sl_plan_options_default();
    struct sl_plan *plan = NULL;
    enum sl_status status = SL_OK;
    float *pixels = sl_alloc(shape.channels * shape.height * shape.width, sizeof *pixels);
    float *probabilities = sl_alloc(sl_model_classes(model), sizeof *probabilities);
    options.batch = 1;
    options.training = false;
    SL_TRY_OUT(sl_plan_create(model, &options, &plan, err));
    for (; *pictures; pictures++) {
        SL_TRY_OUT(read_picture(*pictures, shape, pixels, err));
        const struct sl_batch batch = {.pixels = pixels};
        sl_softmax(sl_plan_forward(plan, &batch), 1, sl_model_classes(model), probabilities);
        printf("%s\n", *pictures);
        print_top(model, probabilities);
    }
out:
    sl_plan_destroy(plan);
    free(probabilities);
    free(pixels);
    return status;
}

static enum sl_status run(const char *path, char *const *pictures, struct sl_error *err)
{
    struct sl_model *model = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_run_open_weights(path, &model, err));
    const struct sl_input_shape shape = sl_model_input(model);
    if (shape.tokens > 0 || (shape.channels != 1 && shape.channels != 3))
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s: %s does not read pictures", path,
                           sl_model_network(model)));
    SL_TRY_OUT(classify(model, pictures, err));
out:
    sl_model_destroy(model);
    return status;
}

int main(int argc, char **argv)
{
    struct sl_error err;
    if (argc < 3) {
        fprintf(stderr, "classify: name a trained run and a picture: classify RUN PICTURE...\n");
        return 2;
    }
    if (run(argv[1], argv + 2, &err) == SL_OK) return 0;
    fprintf(stderr, "classify: %s\n", err.message);
    return 1;
}
