#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/eval.h"
#include "softlab/nn/tuning.h"
#include "train.h"

enum { RECORD_LIMIT = 1 << 24 };

static const char *rest_names(size_t index)
{
    static const char *const names[] = {"hard", "drop", "fail", NULL};
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

#define FIELD(name) offsetof(struct train_values, name)
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
     .kind = CLI_CHOICE,
     .value = "WHAT",
     .help = "items without a row in --labels: their hard label, out of training, or an error",
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
     .offset = FIELD(as_run),
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
     .kind = CLI_INTEGER,
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
    {.name = "size",
     .kind = CLI_TEXT,
     .value = "HxW",
     .help = "bring images to this size first",
     .offset = FIELD(images.size),
     .modes = TRAINS},
    CLI_CHANNELS(struct train_values, TRAINS),
    CLI_SKIP_BROKEN(struct train_values, TRAINS),
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
     .offset = FIELD(list)},
    {.name = "keys",
     .kind = CLI_FLAG,
     .help = "print the keys of a recipe, with the values of --recipe",
     .offset = FIELD(keys),
     .modes = TRAINS | SHOWS},
    {.name = "json",
     .kind = CLI_FLAG,
     .help = "print the result as JSON",
     .offset = FIELD(json),
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

static enum sl_status print_keys(const struct train_values *values, struct sl_error *err)
{
    struct sl_recipe recipe = sl_recipe_default();
    if (values->recipe)
        SL_TRY(sl_recipe_read(values->recipe, values->as_published ? "as-published" : "as-run",
                              &recipe, err));
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

/* ---- The run ---- */

struct training {
    struct cli *cli;
    const struct train_values *values;
    struct train_inputs *inputs;
    struct train_folder *folder;
    struct sl_predictor *dev;
    struct sl_rows *dev_predictions, *dev_reference;
    size_t *dev_items;
    int32_t *dev_hard;
    const struct sl_metric *metric;
    char label[80]; /* of the progress bar */
    bool drawing;
};

static enum sl_status dev_score(void *context, struct sl_model *model, double *score,
                                struct sl_error *err)
{
    (void)model;
    struct training *training = context;
    const size_t n = training->dev_predictions->n_rows;
    sl_predict(training->dev, training->inputs->dev.feed, training->dev_items, n, NULL,
               training->dev_predictions->values);
    /* --dev-split takes some items of --dev, and --dev-labels may have those of all. */
    const struct sl_scored_options options = {
        .logits = true, .hard = training->dev_hard, .subset = true};
    const struct sl_metric_options settings = sl_metric_options_default();
    struct sl_scored *scored = NULL;
    SL_TRY(sl_scored_create(training->dev_predictions, training->dev_reference, &options, &scored,
                            err));
    *score = training->metric->better * training->metric->value(scored, &settings);
    sl_scored_destroy(scored);
    return SL_OK;
}

static enum sl_status log_epoch(void *context, const struct sl_epoch *epoch, struct sl_error *err)
{
    struct training *training = context;
    SL_TRY(train_folder_log(training->folder, epoch, err));
    char score[40] = "";
    if (!isnan(epoch->score))
        snprintf(score, sizeof score, "  dev %.4f%s", fabs(epoch->score), epoch->best ? " *" : "");
    sl_log(&training->cli->log, SL_LOG_INFO,
           "epoch %zu/%lld  loss %.4f  accuracy %.3f  rate %.3g%s  %.0f %s/s", epoch->epoch,
           (long long)training->inputs->recipe.epochs, epoch->loss, epoch->accuracy, epoch->rate,
           score, epoch->items_per_second, cli_feeding_unit(&training->inputs->data));
    return SL_OK;
}

static void show_progress(void *context, const struct sl_train_state *state)
{
    struct training *training = context;
    struct sl_progress *progress = &training->cli->progress;
    snprintf(training->label, sizeof training->label, "epoch %zu/%zu loss %.3f acc %.3f",
             state->epoch, state->n_epochs, state->loss, state->accuracy);
    const size_t all = state->n_epochs * state->n_steps;
    const size_t batch = (size_t)training->inputs->recipe.batch;
    const size_t per_step = batch > 0 ? batch : training->inputs->targets->n_items;
    if (!training->drawing)
        sl_progress_start(progress, training->label, all * per_step,
                          cli_feeding_unit(&training->inputs->data));
    training->drawing = true;
    sl_progress_set(progress, ((state->epoch - 1) * state->n_steps + state->step) * per_step);
}

/* What the dev items are compared with: their label rows, or one-hot rows of their classes. */
static enum sl_status make_reference(struct training *training, struct sl_error *err)
{
    const struct cli_feeding *dev = &training->inputs->dev;
    const size_t n = cli_feeding_count(dev), n_classes = dev->dataset->n_classes;
    SL_TRY(sl_rows_create(n, n_classes, &training->dev_reference, err));
    for (size_t i = 0; i < n; i++) {
        const int32_t label = training->dev_hard[i];
        if (label == SL_NO_LABEL)
            return sl_fail(err, SL_ERR_INPUT, "%s: item %s has no label to score the epoch by",
                           dev->dataset->name, dev->dataset->items[training->dev_items[i]]);
        training->dev_reference->values[i * n_classes + (size_t)label] = 1;
    }
    return SL_OK;
}

static enum sl_status prepare_dev(struct training *training, struct sl_error *err)
{
    static const char *const names[] = {"accuracy", "cross_entropy", "weighted_f1"};
    struct train_inputs *inputs = training->inputs;
    const struct cli_feeding *dev = &inputs->dev;
    if (!dev->dataset) return SL_OK;
    const size_t n = cli_feeding_count(dev), n_classes = sl_model_classes(inputs->model);
    training->metric = sl_metric_find(names[inputs->recipe.dev_metric]);
    training->dev_items = sl_alloc(n, sizeof *training->dev_items);
    training->dev_hard = sl_alloc(n, sizeof *training->dev_hard);
    SL_TRY(sl_rows_create(n, n_classes, &training->dev_predictions, err));
    training->dev_predictions->items = sl_alloc(n, sizeof(char *));
    for (size_t i = 0; i < n; i++) {
        training->dev_items[i] = cli_feeding_item(dev, i);
        training->dev_hard[i] = dev->dataset->labels[training->dev_items[i]];
        training->dev_predictions->items[i] =
            sl_string_copy(dev->dataset->items[training->dev_items[i]]);
    }
    if (inputs->dev_labels) {
        training->dev_reference = inputs->dev_labels;
        inputs->dev_labels = NULL;
    } else {
        SL_TRY(make_reference(training, err));
    }
    return sl_predictor_create(inputs->model, dev->feed, n < 100 ? n : 100, inputs->tuning,
                               &training->dev, err);
}

static enum sl_status describe(const struct cli *cli, const struct train_values *values,
                               const struct train_inputs *inputs, json_t **out,
                               struct sl_error *err)
{
    json_t *settings = NULL;
    SL_TRY(train_settings(values, inputs, &settings, err));
    *out = json_pack("{s:s, s:i, s:o, s:o, s:b}", "softlab", "run", "version", 1, "settings",
                     settings, "provenance", cli_provenance(cli), "finished", 0);
    return SL_OK;
}

static enum sl_status report(struct cli *cli, const struct train_values *values,
                             const struct train_folder *folder,
                             const struct sl_train_result *result, struct sl_error *err)
{
    if (result->end == SL_TRAIN_STOPPED) {
        sl_log(&cli->log, SL_LOG_WARNING,
               "stopped after step %zu; the same command continues from there (%s)", result->steps,
               folder->checkpoint);
        return sl_fail(err, SL_ERR_STOPPED, "stopped before the end");
    }
    if (values->json) return cli_print_json(folder->record, err);
    printf("%s\n", folder->weights);
    return SL_OK;
}

static struct sl_train_options train_options_of(struct training *training)
{
    struct train_inputs *inputs = training->inputs;
    return (struct sl_train_options){
        .recipe = &inputs->recipe,
        .feed = inputs->data.feed,
        .targets = inputs->targets,
        .mixing = inputs->mixing,
        .tuning = inputs->tuning,
        .seed = (uint64_t)training->values->seed,
        .checkpoint = training->folder->checkpoint,
        .identity = inputs->data_hash,
        .checkpoint_seconds = training->values->checkpoint_seconds,
        .hooks = {.context = training,
                  .evaluate = training->dev ? dev_score : NULL,
                  .epoch_done = log_epoch,
                  .progress = show_progress,
                  .stop = cli_should_stop},
    };
}

/* All that may be refused, before the folder holds anything of the run. */
static enum sl_status prepare(struct training *training, struct sl_error *err)
{
    SL_TRY(prepare_dev(training, err));
    const struct sl_train_options options = train_options_of(training);
    return sl_train_check(training->inputs->model, &options, err);
}

static enum sl_status train(struct training *training, struct sl_train_result *result,
                            struct sl_error *err)
{
    const struct sl_train_options options = train_options_of(training);
    SL_TRY(cli_catch_signals(err));
    const enum sl_status status = sl_train(training->inputs->model, &options, result, err);
    sl_progress_finish(&training->cli->progress);
    return status;
}

static void training_release(struct training *training)
{
    sl_predictor_destroy(training->dev);
    sl_rows_destroy(training->dev_predictions);
    sl_rows_destroy(training->dev_reference);
    free(training->dev_items);
    free(training->dev_hard);
}

static enum sl_status run_in_folder(struct training *training, struct sl_error *err)
{
    struct cli *cli = training->cli;
    struct train_folder *folder = training->folder;
    const struct train_inputs *inputs = training->inputs;
    struct sl_train_result result = {.best_score = NAN};
    char count[32];
    sl_log(&cli->log, SL_LOG_INFO, "%s: %s items, %zu of them with soft labels; %s", folder->path,
           sl_text_count(inputs->targets->n_items, count, sizeof count), inputs->targets->n_soft,
           sl_model_spec(inputs->model));
    if (training->values->untrained)
        SL_TRY(sl_file_write(folder->log, "", 0, err)); /* no epoch, no line */
    else
        SL_TRY(train(training, &result, err));
    if (result.end != SL_TRAIN_STOPPED)
        SL_TRY(train_folder_finish(folder, inputs->model, &result, err));
    return report(cli, training->values, folder, &result, err);
}

/* A run that was finished before: what it printed then. */
static enum sl_status show_finished(const struct train_folder *folder, bool json,
                                    struct sl_error *err)
{
    if (!json) {
        printf("%s\n", folder->weights);
        return SL_OK;
    }
    struct sl_json record = {0};
    SL_TRY(sl_json_read(folder->run, RECORD_LIMIT, &record, err));
    const enum sl_status status = cli_print_json(record.root, err);
    sl_json_release(&record);
    return status;
}

static enum sl_status train_run(struct cli *cli, const void *raw, struct sl_error *err)
{
    const struct train_values *values = raw;
    if (values->list) return print_recipes(err);
    if (values->as_run && values->as_published)
        return sl_fail(err, SL_ERR_USAGE, "--as-run and --as-published exclude each other");
    if (values->keys) return print_keys(values, err);
    if (!values->data) return sl_fail(err, SL_ERR_USAGE, "say what to train on with --data");
    if (!values->output) return sl_fail(err, SL_ERR_USAGE, "say where the run goes with -o FOLDER");
    struct train_inputs inputs = {0};
    struct train_folder folder = {0};
    struct training training = {.cli = cli, .values = values, .inputs = &inputs, .folder = &folder};
    json_t *record = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(train_inputs_read(cli, values, &inputs, err));
    SL_TRY_OUT(prepare(&training, err));
    SL_TRY_OUT(describe(cli, values, &inputs, &record, err));
    SL_TRY_OUT(train_folder_open(values->output, record, values->restart, &folder, err));
    if (folder.finished) {
        sl_log(&cli->log, SL_LOG_INFO, "%s holds this run, finished; --restart makes it anew",
               folder.path);
        SL_TRY_OUT(show_finished(&folder, values->json, err));
    } else {
        SL_TRY_OUT(run_in_folder(&training, err));
    }
out:
    json_decref(record);
    training_release(&training);
    train_folder_release(&folder);
    train_inputs_release(&inputs);
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
