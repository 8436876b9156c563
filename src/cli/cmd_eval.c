#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval.h"
#include "eval_weights.h"

static const char *reference_names(size_t index)
{
    static const char *const names[] = {"normalise", "softmax"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const struct cli_option eval_options[] = {
    {.name = "labels",
     .letter = 'l',
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "what people said: distributions, counts, or a class per row; otherwise the array "
             "\"labels\" of the predictions' own .npz",
     .offset = offsetof(struct eval_values, labels)},
    {.name = "reference",
     .kind = CLI_CHOICE,
     .value = "HOW",
     .help = "how counts become distributions; otherwise whole numbers are normalised",
     .offset = offsetof(struct eval_values, reference),
     .choices = reference_names},
    {.name = "hard",
     .kind = CLI_TEXT,
     .value = "FILE|DATASET",
     .help = "true classes; otherwise people's first choice",
     .offset = offsetof(struct eval_values, hard)},
    {.name = "order",
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "row r of the predictions is the item whose number stands at r of this file",
     .offset = offsetof(struct eval_values, order)},
    {.name = "subset",
     .kind = CLI_FLAG,
     .help = "leave out labelled items that have no prediction",
     .offset = offsetof(struct eval_values, subset)},
    {.name = "metrics",
     .letter = 'm',
     .kind = CLI_TEXT,
     .value = "NAME,...",
     .help = "only these measures",
     .offset = offsetof(struct eval_values, metrics)},
    {.name = "bin-size",
     .kind = CLI_INTEGER,
     .value = "N",
     .help = "items per bin of rms_calibration, mad_calibration and max_calibration",
     .offset = offsetof(struct eval_values, bin_size),
     .fallback = "100",
     .minimum = 1,
     .maximum = 1e9},
    {.name = "bins",
     .kind = CLI_INTEGER,
     .value = "N",
     .help = "bins of ece, mce and adaptive_ece",
     .offset = offsetof(struct eval_values, bins),
     .fallback = "15",
     .minimum = 1,
     .maximum = 1e5},
    {.name = "clip",
     .kind = CLI_REAL,
     .value = "P",
     .help = "probabilities are kept this far from 0 and 1 in cross-entropies",
     .offset = offsetof(struct eval_values, clip),
     .fallback = "1e-12",
     .minimum = 0,
     .maximum = 0.4},
    {.name = "bootstrap",
     .kind = CLI_INTEGER,
     .value = "N",
     .help = "95 % intervals by this many resamples of the items; also of --against (1000)",
     .offset = offsetof(struct eval_values, bootstrap),
     .fallback = "0",
     .minimum = 0,
     .maximum = 1e6},
    {.name = "seed",
     .kind = CLI_INTEGER,
     .value = "N",
     .help = "of the bootstrap",
     .offset = offsetof(struct eval_values, seed),
     .fallback = "1",
     .minimum = 0,
     .maximum = 9e15},
    {.name = "against",
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "predictions of another model for the same items: paired tests",
     .offset = offsetof(struct eval_values, against)},
    {.name = "each",
     .kind = CLI_FLAG,
     .help = "of several files, the values of every one too",
     .offset = offsetof(struct eval_values, each)},
    {.name = "per-class",
     .kind = CLI_FLAG,
     .help = "a line for every class",
     .offset = offsetof(struct eval_values, per_class)},
    {.name = "plots",
     .kind = CLI_PATH,
     .value = "FOLDER",
     .help = "write reliability.svg, confidence.svg and risk-coverage.svg there",
     .offset = offsetof(struct eval_values, plots)},
    {.name = "data",
     .letter = 'd',
     .kind = CLI_TEXT,
     .value = "DATA",
     .help = "of weights: the items to evaluate them on, as in softlab dataset",
     .offset = offsetof(struct eval_values, data),
     .choices = cli_dataset_names},
    {.name = "split",
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "of weights: these items only, an index file",
     .offset = offsetof(struct eval_values, split)},
    {.name = "size",
     .kind = CLI_TEXT,
     .value = "HxW",
     .help = "of weights: bring images to this size first (default: the network's)",
     .offset = offsetof(struct eval_values, size)},
    {.name = "tests",
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "of weights: several test sets at once, a JSON file (docs/formats.md)",
     .offset = offsetof(struct eval_values, tests)},
    {.name = "attack",
     .letter = 'a',
     .kind = CLI_TEXT,
     .value = "NAME,...",
     .help = "of weights: attack them, as fgsm-collins2022; --list has the names",
     .offset = offsetof(struct eval_values, attack)},
    {.name = "attack-items",
     .kind = CLI_INTEGER,
     .value = "N",
     .help = "attack only so many items, drawn; 0: all",
     .offset = offsetof(struct eval_values, attack_items),
     .fallback = "0",
     .minimum = 0,
     .maximum = 1e9},
    {.name = "attack-hard",
     .kind = CLI_FLAG,
     .help = "the attack's loss is against hard labels",
     .offset = offsetof(struct eval_values, attack_hard)},
    {.name = "corruptions",
     .letter = 'c',
     .kind = CLI_FLAG,
     .help = "of weights: the 15 corruptions of CIFAR-10-C, made from the items",
     .offset = offsetof(struct eval_values, corruptions)},
    {.name = "extra",
     .kind = CLI_FLAG,
     .help = "with --corruptions: the other four too",
     .offset = offsetof(struct eval_values, extra)},
    {.name = "severity",
     .kind = CLI_REALS,
     .value = "N,...",
     .help = "of --corruptions, 1 to 5 (default 3)",
     .offset = offsetof(struct eval_values, severity),
     .minimum = 1,
     .maximum = 5},
    {.name = "corruption-folder",
     .kind = CLI_PATH,
     .value = "FOLDER",
     .help = "corruptions as published files: read where they are there, else made and kept",
     .offset = offsetof(struct eval_values, corruption_folder)},
    {.name = "list",
     .kind = CLI_FLAG,
     .help = "list the measures and where they are defined",
     .offset = offsetof(struct eval_values, list)},
    {.name = "json",
     .kind = CLI_FLAG,
     .help = "everything as JSON",
     .offset = offsetof(struct eval_values, json)},
    {.name = NULL},
};

static const struct cli_argument eval_arguments[] = {
    {.name = "PREDICTIONS",
     .help = "logits or probabilities (.npz, .npy, .csv); several files are runs of one model with "
             "other seeds",
     .kind = CLI_PATH,
     .optional = true,
     .repeated = true},
    {.name = NULL},
};

/* What was asked for together must make sense together. */
static enum sl_status check_words(const struct cli *cli, const struct eval_values *values,
                                  struct sl_error *err)
{
    if (cli->n_arguments == 0) return sl_fail(err, SL_ERR_USAGE, "PREDICTIONS is missing: a file");
    if (cli->n_arguments == 1) return SL_OK;
    const char *alone = values->bootstrap   ? "--bootstrap"
                        : values->against   ? "--against"
                        : values->per_class ? "--per-class"
                        : values->plots     ? "--plots"
                                            : NULL;
    if (alone)
        return sl_fail(err, SL_ERR_USAGE, "%s is for one file of predictions, got %zu", alone,
                       cli->n_arguments);
    return SL_OK;
}

/* The measures named in `list`, in the order of the table; all without one. */
static enum sl_status choose_metrics(struct eval_run *run, const char *list, struct sl_error *err)
{
    const size_t count = sl_metric_count();
    const char **known = sl_alloc(count + 1, sizeof *known);
    bool *wanted = sl_alloc(count, sizeof *wanted);
    char **names = list ? cli_split_list(list) : NULL;
    enum sl_status status = SL_OK;
    for (size_t m = 0; m < count; m++) {
        known[m] = sl_metrics[m].name;
        wanted[m] = !list;
    }
    for (size_t i = 0; names && names[i] && status == SL_OK; i++) {
        const struct sl_metric *metric = sl_metric_find(names[i]);
        const struct sl_metric *here = metric ? NULL : sl_metric_known_as(names[i]);
        const char *nearest = metric ? NULL : sl_text_nearest(names[i], known);
        if (metric)
            wanted[metric - sl_metrics] = true;
        else if (here)
            status = sl_fail(err, SL_ERR_USAGE, "--metrics: \"%s\" is called %s here", names[i],
                             here->name);
        else
            status = sl_fail(err, SL_ERR_USAGE, "--metrics: no measure \"%s\"%s%s%s, see --list",
                             names[i], nearest ? ", did you mean \"" : "", nearest ? nearest : "",
                             nearest ? "\"" : "");
    }
    for (size_t m = 0; m < count && status == SL_OK; m++)
        if (wanted[m]) run->metrics[run->n_metrics++] = &sl_metrics[m];
    if (names) sl_names_destroy(names);
    free(known);
    free(wanted);
    return status;
}

static enum sl_status read_models(struct eval_run *run, struct sl_error *err)
{
    const struct cli *cli = run->cli;
    for (size_t i = 0; i < run->n_models; i++)
        SL_TRY(eval_read(cli, run->values, cli->arguments[i], &run->models[i], err));
    for (size_t i = 1; i < run->n_models; i++)
        if (run->models[i].scored->n != run->models[0].scored->n)
            return sl_fail(err, SL_ERR_INPUT, "%s has %zu items, %s has %zu", run->models[0].path,
                           run->models[0].scored->n, run->models[i].path, run->models[i].scored->n);
    if (!run->values->against) return SL_OK;
    return eval_read(cli, run->values, run->values->against, &run->models[run->n_models], err);
}

static void measure(struct eval_run *run)
{
    const size_t n_models = run->n_models, n_metrics = run->n_metrics;
    double *column = sl_alloc(n_models, sizeof *column);
    for (size_t m = 0; m < n_metrics; m++) {
        for (size_t i = 0; i < n_models; i++) {
            column[i] = run->metrics[m]->value(run->models[i].scored, &run->options);
            run->each[i * n_metrics + m] = column[i];
        }
        run->intervals[m] = sl_mean_interval(column, n_models, 0.95);
    }
    if (n_models > 1) run->interval = "95 %, Student's t over files";
    free(column);
}

/* By bootstrap, or of the difference from another model. */
static enum sl_status find_intervals(struct eval_run *run, struct sl_error *err)
{
    const struct eval_values *values = run->values;
    struct sl_bootstrap_options bootstrap = sl_bootstrap_options_default();
    bootstrap.n_resamples = values->bootstrap ? (size_t)values->bootstrap : 1000;
    bootstrap.seed = (uint64_t)values->seed;
    const struct sl_scored *const models[] = {run->models[0].scored,
                                              run->models[run->n_models].scored};
    if (values->against) {
        run->paired = sl_alloc(run->n_metrics, sizeof *run->paired);
        return sl_metrics_compare(run->metrics, run->n_metrics, models, &run->options, &bootstrap,
                                  run->paired, err);
    }
    if (!values->bootstrap) return SL_OK;
    run->interval = "95 %, bootstrap over items";
    return sl_metrics_intervals(run->metrics, run->n_metrics, run->models[0].scored, &run->options,
                                &bootstrap, run->intervals, err);
}

/* Whether a measure is over bins of --bin-size, as published. */
static bool needs_bins(const struct sl_metric *metric)
{
    return strstr(metric->name, "_calibration") && !strstr(metric->name, "_corrected");
}

static void warn(const struct eval_run *run)
{
    const struct sl_log *log = &run->cli->log;
    const size_t n = run->models[0].scored->n, bin_size = run->options.bin_size;
    bool binned = false;
    for (size_t m = 0; m < run->n_metrics; m++) {
        binned = binned || needs_bins(run->metrics[m]);
        if (isinf(run->intervals[m].estimate))
            sl_log(log, SL_LOG_WARNING,
                   "%s is infinite: a class that people chose is given no probability",
                   run->metrics[m]->name);
    }
    if (binned && n < bin_size)
        sl_log(log, SL_LOG_WARNING,
               "%zu items are fewer than one bin of %zu, so the published calibration errors have "
               "no value; --bin-size makes bins smaller",
               n, bin_size);
    else if (binned && n < 2 * bin_size)
        sl_log(log, SL_LOG_WARNING,
               "%zu items are fewer than two bins of %zu, so the published calibration errors are "
               "0; --bin-size makes bins smaller",
               n, bin_size);
}

static void release(struct eval_run *run)
{
    for (size_t i = 0; i <= run->n_models; i++)
        eval_model_release(&run->models[i]);
    free(run->models);
    free(run->metrics);
    free(run->each);
    free(run->intervals);
    free(run->paired);
}

static enum sl_status show(const struct eval_run *run, struct sl_error *err)
{
    if (!run->values->json) {
        eval_print(run);
        return SL_OK;
    }
    json_t *value = eval_json(run);
    enum sl_status status = cli_print_json(value, err);
    json_decref(value);
    return status;
}

static enum sl_status run_eval(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct eval_values *options = values;
    if (options->list) return eval_list(options->json, err);
    if (cli->n_arguments > 0 && eval_is_weights(cli->arguments[0]))
        return eval_weights(cli, options, err);
    SL_TRY(check_words(cli, options, err));
    struct eval_run run = {.cli = cli, .values = options, .n_models = cli->n_arguments};
    const size_t most = sl_metric_count();
    run.options = (struct sl_metric_options){.bin_size = (size_t)options->bin_size,
                                             .n_bins = (size_t)options->bins,
                                             .clip = options->clip};
    run.metrics = sl_alloc(most, sizeof *run.metrics);
    run.models = sl_alloc(run.n_models + 1, sizeof *run.models);
    run.each = sl_alloc(run.n_models * most, sizeof *run.each);
    run.intervals = sl_alloc(most, sizeof *run.intervals);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(choose_metrics(&run, options->metrics, err));
    SL_TRY_OUT(read_models(&run, err));
    measure(&run);
    SL_TRY_OUT(find_intervals(&run, err));
    warn(&run);
    if (options->plots) SL_TRY_OUT(eval_plots(&run, err));
    SL_TRY_OUT(show(&run, err));
out:
    release(&run);
    return status;
}

static const struct cli_example eval_examples[] = {
    {"softlab eval preds.npz --labels labels.npz", "every measure of one model"},
    {"softlab eval runs/*/preds.npz --labels labels.npz --each", "mean and interval over seeds"},
    {"softlab eval soft.npz --against hard.npz --labels labels.npz -m cross_entropy,accuracy",
     "whether one model is better than another"},
    {"softlab eval preds.npz --hard cifar10:test --bootstrap 1000 --json",
     "labels within the file, true classes from the data set"},
    {"softlab eval preds.npz --labels labels.npz --plots figures",
     "reliability, confidence when right and wrong, risk against coverage"},
    {NULL, NULL},
};

const struct cli_command cmd_eval = {
    .name = "eval",
    .also = "evaluate score test metrics calibration",
    .group = "learn",
    .summary = "predictions against people: agreement, likelihood, calibration",
    .description =
        "Scores predictions from any framework against what people said. Rows are matched by item "
        "where both files name items, otherwise in order; classes by name where both have names. "
        "Where a published definition has a quirk it keeps its name and the corrected one stands "
        "beside it; docs/internals/eval.md states each.",
    .arguments = eval_arguments,
    .options = eval_options,
    .examples = eval_examples,
    .values_size = sizeof(struct eval_values),
    .run = run_eval,
};
