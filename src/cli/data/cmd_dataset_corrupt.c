#include "cmd.h"

struct corrupt_values {
    const char *output;
    const char *only;
    const char *split;
    struct sl_real_list severities;
    int64_t seed;
    bool list;
    bool json;
    struct sl_load_options images;
};

enum { MAKES = 1, LISTS = 2 };

static void corrupt_mode(const struct cli *cli, const void *values, struct sl_option_mode *out)
{
    (void)cli;
    const struct corrupt_values *options = values;
    *out = options->list ? (struct sl_option_mode){LISTS, .name = "--list", .alone = true}
                         : (struct sl_option_mode){MAKES, .name = "a data set"};
}

static const char *const corrupt_samples[] = {"--list", "shapes -o out", NULL};

#define AT(field) .offset = offsetof(struct corrupt_values, field)
static const struct sl_field_row corrupt_options[] = {
    {"output", SL_FIELD_FOLDER, AT(output),
     "where <corruption>.npy, labels.npy and corruptions.json go; DATA/cifar10-c, with "
     "DATA the data folder, is where cifar10-c:fog and the like look for them",
     .letter = 'o', .modes = MAKES},
    {"only", SL_FIELD_WORD, AT(only), "these corruptions of --list (default: all 19)",
     .value = "NAME,...", .modes = MAKES},
    {"severity", SL_FIELD_REALS, AT(severities), "severities, in this order in each file",
     .value = "S,S,...", .fallback = "1,2,3,4,5", .minimum = 1, .maximum = SL_SEVERITIES,
     .modes = MAKES},
    {"split", SL_FIELD_PATH, AT(split), "use only these items: an index file", .value = "FILE.npy",
     .modes = MAKES},
    SL_OPTION_IMAGE_SIZE(struct corrupt_values, "resize images to this size", MAKES),
    SL_OPTION_CHANNELS(struct corrupt_values, MAKES),
    SL_OPTION_SKIP_BROKEN(struct corrupt_values, MAKES),
    {"seed", SL_FIELD_INTEGER, AT(seed), "seed of noise, directions, weather and displacements",
     .fallback = "1", .minimum = 0, .maximum = 9e15, .modes = MAKES},
    {"list", SL_FIELD_BOOLEAN, AT(list), "print the corruptions", .letter = 'l'},
    {"json", SL_FIELD_BOOLEAN, AT(json), "with --list: as JSON", .modes = LISTS},
    {.name = NULL},
};
#undef AT

static const struct cli_argument corrupt_arguments[] = {
    {.name = "NAME",
     .help = "the images to corrupt, as in softlab dataset",
     .kind = SL_FIELD_SOURCE,
     .choices = sl_dataset_names,
     .optional = true},
    {.name = NULL},
};

static enum sl_status list_corruptions(bool json, struct sl_error *err)
{
    if (json) {
        json_t *list = json_array();
        for (const struct sl_corruption *c = sl_corruptions; c->name; c++)
            json_array_append_new(list,
                                  json_pack("{s:s, s:b, s:b, s:s}", "name", c->name, "benchmark",
                                            !c->extra, "random", c->random, "summary", c->summary));
        return cli_print_json(list, err);
    }
    struct cli_table table;
    cli_table_begin(&table, "llll", "name", "benchmark", "random", "what");
    for (const struct sl_corruption *c = sl_corruptions; c->name; c++)
        cli_table_add(&table, c->name, c->extra ? "extra" : "yes", c->random ? "yes" : "no",
                      c->summary);
    cli_table_end(&table);
    return SL_OK;
}

static enum sl_status run_corrupt(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct corrupt_values *typed = values;
    if (typed->list) return list_corruptions(typed->json, err);
    if (cli->n_arguments == 0)
        return sl_fail(err, SL_ERR_USAGE, "NAME is missing, see softlab dataset --list");
    if (!typed->output)
        return sl_fail(err, SL_ERR_USAGE, "--output FOLDER is missing: where the images go");
    const struct sl_corruption *chosen[SL_CORRUPTIONS + 1] = {NULL};
    struct sl_corrupt_options options = sl_corrupt_options_default();
    options.seed = (uint64_t)typed->seed;
    options.progress = &cli->progress;
    options.pool = cli->workplace.pool;
    enum sl_status status = sl_corruptions_choose(typed->only, chosen, err);
    if (status != SL_OK) return sl_fail_within(err, status, "--only");
    status =
        sl_corrupt_set_severities(&options, typed->severities.values, typed->severities.count, err);
    if (status != SL_OK) return sl_fail_within(err, status, "--severity");
    struct sl_dataset *set = NULL;
    SL_TRY(sl_workplace_open_split(&cli->workplace, cli->arguments[0], typed->split, &set, err));
    size_t n_chosen = 0, n_made = 0;
    while (chosen[n_chosen])
        n_chosen++;
    status = sl_workplace_load_images(&cli->workplace, &typed->images, set, NULL, err);
    if (status == SL_OK)
        status = sl_corrupt_write(set, chosen, &options, typed->output, &n_made, err);
    if (status == SL_OK)
        printf("%zu corruption%s of %zu image%s at %zu %s in %s, %zu of them new\n", n_chosen,
               sl_text_plural(n_chosen, "", "s"), set->count, sl_text_plural(set->count, "", "s"),
               options.n_severities, sl_text_plural(options.n_severities, "severity", "severities"),
               typed->output, n_made);
    sl_dataset_destroy(set);
    return status;
}

static const struct cli_example corrupt_examples[] = {
    {"softlab dataset corrupt cifar10:test -o DATA/cifar10-c", "CIFAR-10-C, 2.9 GB"},
    {"softlab dataset corrupt cifar10:test --only fog,snow --severity 3 -o shifted",
     "two of them at one severity"},
    {NULL, NULL},
};

const struct cli_command cmd_dataset_corrupt = {
    .name = "dataset corrupt",
    .also = "corruptions cifar-10-c noise",
    .group = "data",
    .summary = "corrupted images, as in CIFAR-10-C",
    .description =
        "Writes the corruptions of CIFAR-10-C with its constants and in its layout: one uint8 "
        "array of shape (severities x N, H, W, 3) per corruption, severity by severity. Files "
        "that are there for the same images, severities and seed are kept. Random corruptions "
        "have the published distributions, not the published draws. Frost is drawn by a formula, "
        "since the photographs of the published set cannot be handed on: its figures are not "
        "comparable with published ones.",
    .arguments = corrupt_arguments,
    .options = corrupt_options,
    .examples = corrupt_examples,
    .threads = true,
    .values_size = sizeof(struct corrupt_values),
    .mode = corrupt_mode,
    .samples = corrupt_samples,
    .run = run_corrupt,
};
