#include <stdlib.h>
#include <string.h>

#include "cmd.h"

struct train_values {
    struct sl_train_job job; /* first, so that its offsets are those of the values */
    bool as_run, list, keys, json;
};
_Static_assert(offsetof(struct train_values, job) == 0, "options name fields of the job");

static const char *rest_names(size_t index)
{
    static const char *const names[] = {"fail", "hard", "drop", NULL}; /* enum sl_target_rest */
    return names[index];
}

static const char *recipe_names(size_t index)
{
    return sl_builtin_recipes[index].name;
}

enum { TRAINS = 1, SHOWS = 2, LISTS = 4 };

static void train_mode(const struct cli *cli, const void *values, struct cli_mode *out)
{
    (void)cli;
    const struct train_values *options = values;
    *out = options->list   ? (struct cli_mode){LISTS, .name = "--list", .alone = true}
           : options->keys ? (struct cli_mode){SHOWS, .name = "--keys", .alone = true}
                           : (struct cli_mode){TRAINS, .name = "a training"};
}

static const char *const train_samples[] = {"--list", "--keys --recipe quick",
                                            "--data shapes --network resnet8 -o out", NULL};

#define FIELD(name) offsetof(struct sl_train_job, name)
static const struct cli_option train_options[] = {
    {.name = "data",
     .letter = 'd',
     .kind = CLI_SOURCE,
     .value = "DATA",
     .help = "what to train on: a data set's name or path, as in softlab dataset",
     .offset = FIELD(data),
     .choices = cli_dataset_names,
     .modes = TRAINS},
    {.name = "split",
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "train on these items only: an index file",
     .offset = FIELD(split),
     .modes = TRAINS},
    {.name = "labels",
     .letter = 'l',
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "label distributions: a row per item, or one per annotator (default: hard labels)",
     .offset = FIELD(labels),
     .modes = TRAINS},
    {.name = "rest",
     .kind = CLI_ENUM,
     .value = "WHAT",
     .help = "items without a row in --labels: an error, their hard label, or out of training",
     .offset = FIELD(rest),
     .fallback = "fail",
     .choices = rest_names,
     .modes = TRAINS,
     .needs = "labels"},
    {.name = "holdout",
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "items never trained on, a name on each line; or collins2022, its list of 100; or "
             "none (default: the recipe's)",
     .offset = FIELD(holdout),
     .modes = TRAINS},
    {.name = "network",
     .letter = 'n',
     .kind = CLI_TEXT,
     .value = "NETWORK",
     .help = "a name from softlab models, or a family with options",
     .offset = FIELD(network),
     .choices = cli_network_names,
     .modes = TRAINS},
    {.name = "recipe",
     .letter = 'r',
     .kind = CLI_PATH,
     .value = "RECIPE",
     .help = "every constant of a training: a name from --list, or a JSON file",
     .offset = FIELD(recipe),
     .choices = recipe_names,
     .modes = TRAINS | SHOWS},
    {.name = "as-run",
     .kind = CLI_FLAG,
     .help = "the recipe as the paper's program ran it, which is the default",
     .offset = offsetof(struct train_values, as_run),
     .modes = TRAINS | SHOWS,
     .needs = "recipe"},
    {.name = "as-published",
     .kind = CLI_FLAG,
     .help = "the recipe as the paper's text states it",
     .offset = FIELD(as_published),
     .modes = TRAINS | SHOWS,
     .needs = "recipe"},
    {.name = "set",
     .kind = CLI_TEXT,
     .value = "KEY=VALUE,...",
     .help = "change keys of the recipe; --keys lists them",
     .offset = FIELD(set),
     .modes = TRAINS},
    {.name = "epochs",
     .letter = 'e',
     .kind = CLI_COUNT,
     .value = "N",
     .help = "times that every item is shown (default: the recipe's)",
     .offset = FIELD(epochs),
     .minimum = 1,
     .maximum = 1e6,
     .modes = TRAINS},
    {.name = "seed",
     .letter = 's',
     .kind = CLI_INTEGER,
     .value = "N",
     .help = "of first values, order, augmentation and draws",
     .offset = FIELD(seed),
     .fallback = "1",
     .minimum = 0,
     .maximum = 9007199254740992.0,
     .modes = TRAINS},
    {.name = "output",
     .letter = 'o',
     .kind = CLI_FOLDER,
     .value = "FOLDER",
     .help = "the run's folder; an unfinished run in this folder is resumed",
     .offset = FIELD(output),
     .modes = TRAINS},
    {.name = "restart",
     .kind = CLI_FLAG,
     .help = "forget what the folder holds of a run",
     .offset = FIELD(restart),
     .modes = TRAINS},
    {.name = "untrained",
     .kind = CLI_FLAG,
     .help = "read and check everything, and write the weights as they are before the first step",
     .offset = FIELD(untrained),
     .modes = TRAINS},
    {.name = "weights",
     .letter = 'w',
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "begin with these weights, or those of a run's folder: fine-tuning; classes are "
             "matched by name",
     .offset = FIELD(weights),
     .modes = TRAINS},
    {.name = "dev",
     .kind = CLI_SOURCE,
     .value = "DATA",
     .help = "score every epoch on these items, for select=best and patience",
     .offset = FIELD(dev),
     .choices = cli_dataset_names,
     .modes = TRAINS},
    {.name = "dev-split",
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "these items of --dev only",
     .offset = FIELD(dev_split),
     .modes = TRAINS},
    {.name = "dev-labels",
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "label distributions of --dev (default: hard labels)",
     .offset = FIELD(dev_labels),
     .modes = TRAINS},
    {.name = "teacher",
     .kind = CLI_SOURCE,
     .value = "FILE,...",
     .help = "predictions to distil: their mean enters targets by the key teacher_share",
     .offset = FIELD(teacher),
     .modes = TRAINS},
    {.name = "mixing",
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "class-pair mixing functions of softlab mixing, for the targets of mixup",
     .offset = FIELD(mixing),
     .modes = TRAINS},
    {.name = "extra",
     .kind = CLI_SOURCE,
     .value = "DATA",
     .help =
         "more images to train on, such as mixed ones; their classes are found by name in --data",
     .offset = FIELD(extra),
     .modes = TRAINS},
    {.name = "extra-labels",
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "label distributions of --extra",
     .offset = FIELD(extra_labels),
     .modes = TRAINS,
     .needs = "extra"},
    CLI_IMAGE_SIZE(struct sl_train_job, "bring images to this size first", TRAINS),
    CLI_CHANNELS(struct sl_train_job, TRAINS),
    CLI_SKIP_BROKEN(struct sl_train_job, TRAINS),
    {.name = "vectors",
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "vectors of words (GloVe), for texts (default: those of softlab fetch glove100d)",
     .offset = FIELD(vectors),
     .modes = TRAINS},
    {.name = "tuning",
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "a table of kernels that softlab bench --tune wrote",
     .offset = FIELD(tuning),
     .modes = TRAINS},
    {.name = "checkpoint-seconds",
     .kind = CLI_REAL,
     .value = "S",
     .help = "least time between two checkpoints",
     .offset = FIELD(checkpoint_seconds),
     .fallback = "30",
     .minimum = 0,
     .maximum = 1e6,
     .modes = TRAINS},
    {.name = "list",
     .kind = CLI_FLAG,
     .help = "print the recipes that have a name",
     .offset = offsetof(struct train_values, list)},
    {.name = "keys",
     .kind = CLI_FLAG,
     .help = "print the keys of a recipe, with the values of --recipe",
     .offset = offsetof(struct train_values, keys),
     .modes = TRAINS | SHOWS},
    {.name = "json",
     .kind = CLI_FLAG,
     .help = "print the result as JSON",
     .offset = offsetof(struct train_values, json),
     .modes = TRAINS},
    {.name = NULL},
};
#undef FIELD

/* ---- Lists ---- */

static enum sl_status add_recipe(struct cli_table *table, const char *name, struct sl_error *err)
{
    struct sl_recipe recipe;
    struct sl_json document = {0};
    SL_TRY(sl_recipe_read(name, "as-run", &recipe, err));
    SL_TRY(sl_recipe_document(name, &document, err));
    char source[80] = "";
    snprintf(source, sizeof source, "%s",
             json_string_value(json_object_get(document.root, "source")));
    /* Authors and year are enough to find the rest in the recipe's own file. */
    const size_t year = strcspn(source, "0123456789");
    if (source[year]) source[year + strspn(source + year, "0123456789")] = '\0';
    cli_table_add(table, name, recipe.network[0] ? recipe.network : "any", source);
    sl_json_release(&document);
    return SL_OK;
}

static enum sl_status print_recipes(struct sl_error *err)
{
    struct cli_table table;
    cli_table_init(&table, "lll");
    cli_table_add(&table, "recipe", "network", "source");
    enum sl_status status = SL_OK;
    for (const struct sl_builtin_recipe *r = sl_builtin_recipes; r->name && status == SL_OK; r++)
        status = add_recipe(&table, r->name, err);
    if (status == SL_OK) cli_table_print(&table, stdout);
    cli_table_release(&table);
    return status;
}

static enum sl_status print_keys(const struct sl_train_job *job, struct sl_error *err)
{
    struct sl_recipe recipe = sl_recipe_default();
    if (job->recipe)
        SL_TRY(sl_recipe_read(job->recipe, job->as_published ? "as-published" : "as-run", &recipe,
                              err));
    struct cli_table table;
    cli_table_init(&table, "lll");
    cli_table_add(&table, "key", "value", "what");
    for (const struct sl_recipe_key *key = sl_recipe_keys; key->name; key++) {
        json_t *json = sl_recipe_key_json(key, &recipe);
        char *value = json_dumps(json, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
        cli_table_add(&table, key->name, value, key->help);
        free(value);
        json_decref(json);
    }
    cli_table_print(&table, stdout);
    cli_table_release(&table);
    return SL_OK;
}

static enum sl_status train(struct cli *cli, const struct train_values *values,
                            struct sl_train_session *session, struct sl_error *err)
{
    SL_TRY(cli_catch_signals(err));
    SL_TRY(sl_train_session_run(session, err));
    if (values->json) return cli_print_json(sl_train_session_record(session), err);
    printf("%s\n", cli_shown(cli, sl_train_session_weights(session)));
    return SL_OK;
}

static enum sl_status train_run(struct cli *cli, const void *raw, struct sl_error *err)
{
    const struct train_values *values = raw;
    const struct sl_train_job *job = &values->job;
    struct sl_train_session *session = NULL;
    if (values->list) return print_recipes(err);
    if (values->as_run && job->as_published)
        return sl_fail(err, SL_ERR_USAGE, "--as-run and --as-published exclude each other");
    if (values->keys) return print_keys(job, err);
    json_t *provenance = cli_provenance(cli);
    enum sl_status status = sl_train_session_open(job, provenance, &cli->workplace, &session, err);
    if (status == SL_OK) status = train(cli, values, session, err);
    sl_train_session_destroy(session);
    json_decref(provenance);
    return status;
}

static const struct cli_example train_examples[] = {
    {"softlab train --data shapes --network resnet8 --recipe quick -o runs/shapes",
     "a first network, in a minute"},
    {"softlab train --data cifar10:test --split train_indices.npy --labels labels.npz --rest hard "
     "--network resnet34a --recipe collins2022 --seed 1 -o runs/x",
     "as Collins et al. 2022 did"},
    {"softlab train --data photos/ --size 32x32 --labels people.npz --set draw=annotator "
     "--network resnet20 -o runs/y",
     "one annotator's label at each presentation"},
    {"softlab train --keys --recipe uma2020-cifar10h", "every constant of a recipe"},
    {NULL, NULL},
};

const struct cli_command cmd_train = {
    .name = "train",
    .also = "fit learn finetune fine-tune tag tagger",
    .group = "learn",
    .summary = "data and label distributions to weights",
    .description =
        "Trains a network. Everything it reads is checked before the first step. The folder gets "
        "weights.safetensors, log.jsonl with a line per epoch, and run.json with every setting and "
        "hash. A run that was stopped (Ctrl-C) or killed continues when the same command is given "
        "again, and ends with the same weights to the bit.",
    .options = train_options,
    .examples = train_examples,
    .values_size = sizeof(struct train_values),
    .mode = train_mode,
    .samples = train_samples,
    .run = train_run,
};
