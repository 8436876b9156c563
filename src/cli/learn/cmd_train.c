#include <stdlib.h>
#include <string.h>

#include "cmd.h"

struct train_values {
    struct sl_train_job job; /* first, so that its offsets are those of the values */
    bool as_run, list, keys, json;
};
_Static_assert(offsetof(struct train_values, job) == 0, "options name fields of the job");

enum { TRAINS = SL_TRAIN_RUNS, SHOWS = SL_TRAIN_KEYS, LISTS = 4 };

static void train_mode(const struct cli *cli, const void *values, struct sl_option_mode *out)
{
    (void)cli;
    const struct train_values *options = values;
    *out = options->list   ? (struct sl_option_mode){LISTS, .name = "--list", .alone = true}
           : options->keys ? (struct sl_option_mode){SHOWS, .name = "--keys", .alone = true}
                           : (struct sl_option_mode){TRAINS, .name = "a training"};
}

static const char *const train_samples[] = {"--list", "--keys --recipe quick",
                                            "--data shapes --network resnet8 -o out", NULL};

#define AT(field) .offset = offsetof(struct train_values, field)
static const struct sl_field_row train_options[] = {
    {"as-run", SL_FIELD_BOOLEAN, AT(as_run),
     "the recipe as the paper's program ran it, which is the default", .modes = TRAINS | SHOWS,
     .needs = "recipe"},
    {"list", SL_FIELD_BOOLEAN, AT(list), "print the recipes that have a name"},
    {"keys", SL_FIELD_BOOLEAN, AT(keys), "print the keys of a recipe, with the values of --recipe",
     .modes = TRAINS | SHOWS},
    {"json", SL_FIELD_BOOLEAN, AT(json), "print the result as JSON", .modes = TRAINS},
    {.name = NULL},
};
#undef AT

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
    cli_table_begin(&table, "lll", "recipe", "network", "source");
    enum sl_status status = SL_OK;
    for (const struct sl_builtin_recipe *r = sl_builtin_recipes; r->name && status == SL_OK; r++)
        status = add_recipe(&table, r->name, err);
    if (status == SL_OK) cli_table_end(&table);
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
    cli_table_begin(&table, "lll", "key", "value", "what");
    for (const struct sl_field_row *key = sl_recipe_keys; key->name; key++) {
        json_t *json = sl_field_json(key, &recipe);
        char *value = json_dumps(json, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
        cli_table_add(&table, key->name, value, key->help);
        free(value);
        json_decref(json);
    }
    cli_table_end(&table);
    return SL_OK;
}

static enum sl_status train(struct cli *cli, const struct train_values *values,
                            struct sl_train_session *session, struct sl_error *err)
{
    SL_TRY(cli_catch_signals(err));
    SL_TRY(sl_train_session_run(session, err));
    if (values->json) return cli_print_json(json_deep_copy(sl_train_session_record(session)), err);
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
    .summary = "train a network on data and label distributions",
    .description =
        "Trains a network. Everything it reads is checked before the first step. The folder gets "
        "weights.safetensors, log.jsonl with a line per epoch, and run.json with every setting and "
        "hash. A run that was stopped (Ctrl-C) or killed continues when the same command is given "
        "again, and ends with the same weights to the bit.",
    .task = &sl_train_task,
    .options = train_options,
    .examples = train_examples,
    .threads = true,
    .values_size = sizeof(struct train_values),
    .mode = train_mode,
    .samples = train_samples,
    .run = train_run,
};
