#include <stdlib.h>

#include "cmd.h"
#include "softlab/base/text.h"

struct mix_values {
    const char *output;
    const char *split;
    struct sl_real_list lambdas;
    int64_t count;
    int64_t pairs;
    int64_t batch;
    int64_t seed;
    struct sl_load_options images;
};

enum { BY_PAIRS = 1, BY_COUNT = 2 };

static void mix_mode(const struct cli *cli, const void *values, struct sl_option_mode *out)
{
    (void)cli;
    const struct mix_values *options = values;
    *out = options->count > 0 ? (struct sl_option_mode){BY_COUNT, .name = "--count"}
                              : (struct sl_option_mode){BY_PAIRS, .name = "pairs of classes"};
}

static const char *const mix_samples[] = {"shapes -o out", "shapes -o out --count 10", NULL};

#define AT(field) .offset = offsetof(struct mix_values, field)
static const struct sl_field_row mix_options[] = {
    {"output", SL_FIELD_FOLDER, AT(output),
     "the folder of the images, batches.json and provenance.json", .letter = 'o'},
    {"lambdas", SL_FIELD_REALS, AT(lambdas),
     "shares of the first image at which every pair is mixed (default, as in the thesis: .5, one "
     "of .1 and .25, one of .75 and .9)",
     .value = "L,L,...", .minimum = 0, .maximum = 1},
    {"pairs", SL_FIELD_INTEGER, AT(pairs), "image pairs per pair of classes", .fallback = "6",
     .minimum = 1, .maximum = 1e6, .modes = BY_PAIRS},
    {"count", SL_FIELD_INTEGER, AT(count), "mixed images in all, instead of --pairs", .minimum = 1,
     .maximum = 1e7},
    {"batch", SL_FIELD_INTEGER, AT(batch), "images per batch in batches.json", .fallback = "25",
     .minimum = 1, .maximum = 1e6},
    {"split", SL_FIELD_PATH, AT(split), "draw only from these items: an index file",
     .value = "FILE.npy"},
    SL_OPTION_IMAGE_SIZE(struct mix_values, "resize images to this size", 0),
    SL_OPTION_CHANNELS(struct mix_values, 0),
    SL_OPTION_SKIP_BROKEN(struct mix_values, 0),
    {"seed", SL_FIELD_INTEGER, AT(seed), "seed of the pairs", .fallback = "1", .minimum = 0,
     .maximum = 9e15},
    {.name = NULL},
};
#undef AT

static const struct cli_argument mix_arguments[] = {
    {.name = "NAME",
     .help = "the labelled data set to draw from, as in softlab dataset",
     .kind = SL_FIELD_SOURCE,
     .choices = sl_dataset_names},
    {.name = NULL},
};

static enum sl_status write_provenance(const struct cli *cli, const char *folder,
                                       struct sl_error *err)
{
    char *path = sl_path_join(folder, "provenance.json");
    json_t *provenance = cli_provenance(cli);
    enum sl_status status = sl_json_write(provenance, path, err);
    json_decref(provenance);
    free(path);
    return status;
}

static enum sl_status run_mix(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct mix_values *options = values;
    if (!options->output)
        return sl_fail(err, SL_ERR_USAGE, "--output FOLDER is missing: where the images go");
    struct sl_dataset *set = NULL;
    SL_TRY(sl_workplace_open_split(&cli->workplace, cli->arguments[0], options->split, &set, err));
    const struct sl_mix_plan_options mix = {
        .pairs_per_class_pair = (size_t)options->pairs,
        .count = (size_t)options->count,
        .lambdas = options->lambdas.count ? options->lambdas.values : NULL,
        .n_lambdas = options->lambdas.count,
        .seed = (uint64_t)options->seed,
    };
    struct sl_mix_plan plan = {0};
    enum sl_status status =
        sl_workplace_load_images(&cli->workplace, &options->images, set, NULL, err);
    if (status == SL_OK) status = sl_mix_plan_create(set, &mix, &plan, err);
    if (status == SL_OK)
        status =
            sl_mix_write(set, &plan, (size_t)options->batch, options->output, &cli->progress, err);
    if (status == SL_OK) status = write_provenance(cli, options->output, err);
    if (status == SL_OK)
        printf("%zu image%s in %s\n", plan.count, sl_text_plural(plan.count, "", "s"),
               options->output);
    sl_mix_plan_release(&plan);
    sl_dataset_destroy(set);
    return status;
}

static const struct cli_example mix_examples[] = {
    {"softlab dataset mix cifar10:test --split train_indices.npy -o mixed",
     "810 images as in chapter 4 of the thesis"},
    {"softlab dataset mix cifar10:test --lambdas .25,.5,.75 --count 100 -o mixed",
     "100 images as in its chapter 5"},
    {NULL, NULL},
};

const struct cli_command cmd_dataset_mix = {
    .name = "dataset mix",
    .also = "mixup blend",
    .group = "data",
    .summary = "mixed images for a study of mixing",
    .description =
        "Draws pairs of images of different classes and writes lambda A + (1 - lambda) B, in pixel "
        "space, as mixed_<lambda>_<A>_<idA>_<B>_<idB>.png, with a batches file in the published "
        "layout.",
    .arguments = mix_arguments,
    .options = mix_options,
    .examples = mix_examples,
    .values_size = sizeof(struct mix_values),
    .mode = mix_mode,
    .samples = mix_samples,
    .run = run_mix,
};
