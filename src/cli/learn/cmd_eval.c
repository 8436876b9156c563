#include <stdlib.h>
#include <string.h>

#include "eval.h"

static const char *reference_names(size_t index)
{
    static const char *const names[] = {"normalise", "softmax"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

enum { ONE = 1, SEVERAL = 2, ITEMS = 4, TESTS = 8, LISTS = 16 };
enum { CHECKS_ITEMS = 32, CHECKS_TESTS = 64, CHECKS = CHECKS_ITEMS | CHECKS_TESTS };
enum { PREDICTED = ONE | SEVERAL, WEIGHTS = ITEMS | TESTS, MEASURED = ONE | ITEMS | TESTS };

/* The bits of options that measures read. */
#define METRIC_BITS(bits) ((uint64_t)(bits) << 8)
#define METRIC(what)      .modes = METRIC_BITS(SL_METRIC_READS_##what)

/* What the chosen measures and the other outputs read; a name that no measure has is refused
 * later. */
static uint64_t bits_of_measures(const struct eval_values *options)
{
    unsigned reads = 0;
    char **names = options->job.metrics ? sl_text_split(options->job.metrics) : NULL;
    for (const struct sl_metric *m = sl_metrics; m->name && !names; m++)
        reads |= m->reads;
    for (size_t i = 0; names && names[i]; i++) {
        const struct sl_metric *metric = sl_metric_find(names[i]);
        reads |= metric ? metric->reads : UINT8_MAX;
    }
    if (names) sl_names_destroy(names);
    if (options->plots) reads |= SL_METRIC_READS_BINS;
    if (options->job.per_class) reads |= SL_METRIC_READS_CLIP;
    return METRIC_BITS(reads);
}

/* Test sets of a file say themselves what is measured. */
static void add_measures(const struct eval_values *options, struct cli_mode *mode)
{
    if (!(mode->does & (PREDICTED | ITEMS))) return;
    mode->does |= bits_of_measures(options);
    if (!options->job.metrics) return;
    snprintf(mode->text, sizeof mode->text, "%s and --metrics %.40s%s", mode->name,
             options->job.metrics, strlen(options->job.metrics) > 40 ? "..." : "");
    mode->name = mode->text;
}

static void eval_mode(const struct cli *cli, const void *values, struct cli_mode *out)
{
    const struct eval_values *options = values;
    if (options->list)
        *out = (struct cli_mode){LISTS, .name = "--list", .alone = true};
    else if (cli->n_arguments > 0 && sl_eval_is_weights(cli->arguments[0]))
        *out = options->job.tests && options->job.dry_run
                   ? (struct cli_mode){CHECKS_TESTS, .name = "--tests and --dry-run"}
               : options->job.tests   ? (struct cli_mode){TESTS, .name = "--tests"}
               : options->job.dry_run ? (struct cli_mode){CHECKS_ITEMS, .name = "--dry-run"}
                                      : (struct cli_mode){ITEMS, .name = "weights"};
    else if (cli->n_arguments > 0)
        *out = cli->n_arguments == 1
                   ? (struct cli_mode){ONE, .name = "one file of predictions"}
                   : (struct cli_mode){SEVERAL, .name = "several files of predictions"};
    if (out->name) add_measures(options, out);
}

static const char *const eval_samples[] = {"--list",
                                           "a.npz -l b.npz",
                                           "a.npz -l b.npz --metrics accuracy,brier",
                                           "a.npz -l b.npz --metrics ece",
                                           "a.npz b.npz -l b.npz",
                                           "w.safetensors -d shapes",
                                           "w.safetensors -d shapes -m cross_entropy",
                                           "w.safetensors --tests t.json",
                                           "w.safetensors -d shapes --dry-run",
                                           "w.safetensors --tests t.json --dry-run",
                                           NULL};

static const struct cli_option eval_options[] = {
    {.name = "labels",
     .letter = 'l',
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "what people said: distributions, counts, or a class per row; otherwise the array "
             "\"labels\" of the predictions' own .npz",
     .offset = offsetof(struct sl_eval_job, labels),
     .modes = PREDICTED | ITEMS | CHECKS_ITEMS},
    {.name = "reference",
     .kind = CLI_CHOICE,
     .value = "HOW",
     .help = "how counts become distributions; otherwise whole numbers are normalised",
     .offset = offsetof(struct eval_values, reference),
     .choices = reference_names,
     .modes = PREDICTED},
    {.name = "hard",
     .kind = CLI_PATH,
     .value = "FILE|DATASET",
     .help =
         "true classes; otherwise people's first choice. Without --labels, what is scored against",
     .offset = offsetof(struct sl_eval_job, hard),
     .modes = PREDICTED},
    {.name = "order",
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "row r of the predictions is the item whose number stands at r of this file",
     .offset = offsetof(struct sl_eval_job, order),
     .modes = PREDICTED},
    {.name = "subset",
     .kind = CLI_FLAG,
     .help = "leave out labelled items that have no prediction; with --hard alone also predictions "
             "whose class is not known",
     .offset = offsetof(struct sl_eval_job, subset),
     .modes = PREDICTED},
    {.name = "metrics",
     .letter = 'm',
     .kind = CLI_TEXT,
     .value = "NAME,...",
     .help = "only these measures",
     .offset = offsetof(struct sl_eval_job, metrics),
     .modes = PREDICTED | ITEMS},
    {.name = "bin-size",
     .kind = CLI_COUNT,
     .value = "N",
     .help = "items per bin of rms_calibration, mad_calibration and max_calibration",
     .offset = offsetof(struct sl_eval_job, options.bin_size),
     .fallback = "100",
     .minimum = 1,
     .maximum = 1e9,
     METRIC(BIN_SIZE)},
    {.name = "bins",
     .kind = CLI_COUNT,
     .value = "N",
     .help = "bins of ece, mce, adaptive_ece and of reliability.svg",
     .offset = offsetof(struct sl_eval_job, options.n_bins),
     .fallback = "15",
     .minimum = 1,
     .maximum = 1e5,
     METRIC(BINS)},
    {.name = "clip",
     .kind = CLI_REAL,
     .value = "P",
     .help = "probabilities are kept this far from 0 and 1 in cross-entropies",
     .offset = offsetof(struct sl_eval_job, options.clip),
     .fallback = "1e-12",
     .minimum = 0,
     .maximum = 0.4,
     METRIC(CLIP)},
    {.name = "bootstrap",
     .kind = CLI_COUNT,
     .value = "N",
     .help = "95 % intervals by this many resamples of the items; also of --against (1000)",
     .offset = offsetof(struct sl_eval_job, bootstrap),
     .fallback = "0",
     .minimum = 0,
     .maximum = 1e6,
     .modes = MEASURED},
    {.name = "seed",
     .kind = CLI_INTEGER,
     .value = "N",
     .help = "of the bootstrap",
     .offset = offsetof(struct sl_eval_job, seed),
     .fallback = "1",
     .minimum = 0,
     .maximum = 9e15,
     .modes = MEASURED,
     .needs = "bootstrap,against"},
    {.name = "against",
     .kind = CLI_PATH,
     .value = "FILE",
     .help =
         "predictions of another model for the same items, or of weights another network: paired "
         "tests",
     .offset = offsetof(struct sl_eval_job, against),
     .modes = ONE | ITEMS},
    {.name = "each",
     .kind = CLI_FLAG,
     .help = "of several files, the values of every one too",
     .offset = offsetof(struct sl_eval_job, each),
     .modes = SEVERAL},
    {.name = "per-class",
     .kind = CLI_FLAG,
     .help = "a line for every class",
     .offset = offsetof(struct sl_eval_job, per_class),
     .modes = MEASURED},
    {.name = "plots",
     .kind = CLI_FOLDER,
     .value = "FOLDER",
     .help = "write reliability.svg, confidence.svg and risk-coverage.svg there; of several test "
             "sets, a "
             "folder for each",
     .offset = offsetof(struct eval_values, plots),
     .modes = MEASURED},
    {.name = "data",
     .letter = 'd',
     .kind = CLI_SOURCE,
     .value = "DATA",
     .help = "of weights: the items to evaluate them on, as in softlab dataset",
     .offset = offsetof(struct sl_eval_job, data),
     .choices = cli_dataset_names,
     .modes = ITEMS | CHECKS_ITEMS},
    {.name = "split",
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "of weights: these items only, an index file",
     .offset = offsetof(struct sl_eval_job, split),
     .modes = ITEMS | CHECKS_ITEMS},
    CLI_IMAGE_SIZE(struct sl_eval_job,
                   "of weights: bring images to this size first (default: the network's)",
                   ITEMS | CHECKS_ITEMS),
    CLI_CHANNELS(struct sl_eval_job, ITEMS | CHECKS_ITEMS),
    CLI_SKIP_BROKEN(struct sl_eval_job, ITEMS | CHECKS_ITEMS),
    {.name = "tests",
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "of weights: several test sets at once, a JSON file (docs/formats.md)",
     .offset = offsetof(struct sl_eval_job, tests),
     .modes = WEIGHTS | CHECKS},
    {.name = "dry-run",
     .letter = 'n',
     .kind = CLI_FLAG,
     .help = "of weights: read the test sets and their labels, say how many items each has, and "
             "score nothing",
     .offset = offsetof(struct sl_eval_job, dry_run),
     .modes = WEIGHTS | CHECKS},
    {.name = "attack",
     .letter = 'a',
     .kind = CLI_TEXT,
     .value = "NAME,...",
     .help = "of weights: attack them, as fgsm-collins2022; --list has the names",
     .offset = offsetof(struct sl_eval_job, attacks),
     .modes = ITEMS},
    {.name = "attack-items",
     .kind = CLI_COUNT,
     .value = "N",
     .help = "attack only so many items, drawn; 0: all",
     .offset = offsetof(struct sl_eval_job, attack_items),
     .fallback = "0",
     .minimum = 0,
     .maximum = 1e9,
     .modes = ITEMS,
     .needs = "attack"},
    {.name = "attack-hard",
     .kind = CLI_FLAG,
     .help = "the attack's loss is against hard labels",
     .offset = offsetof(struct sl_eval_job, attack_hard),
     .modes = ITEMS,
     .needs = "attack"},
    {.name = "corruptions",
     .letter = 'c',
     .kind = CLI_FLAG,
     .help = "of weights: the 15 corruptions of CIFAR-10-C, made from the items",
     .offset = offsetof(struct eval_values, corruptions),
     .modes = ITEMS},
    {.name = "extra",
     .kind = CLI_FLAG,
     .help = "with --corruptions: the other four too",
     .offset = offsetof(struct sl_eval_job, shift.extra),
     .modes = ITEMS,
     .needs = "corruptions,corruption-folder"},
    {.name = "severity",
     .kind = CLI_REALS,
     .value = "N,...",
     .help = "of --corruptions, 1 to 5 (default 3)",
     .offset = offsetof(struct eval_values, severity),
     .minimum = 1,
     .maximum = 5,
     .modes = ITEMS,
     .needs = "corruptions,corruption-folder"},
    {.name = "corruption-folder",
     .kind = CLI_FOLDER,
     .value = "FOLDER",
     .help = "corruptions as published files: read where they are there, else made and kept",
     .offset = offsetof(struct sl_eval_job, shift.folder),
     .modes = ITEMS},
    {.name = "list",
     .kind = CLI_FLAG,
     .help = "list the measures, where they are defined, and the attacks",
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

static enum sl_status show(struct cli *cli, const struct eval_values *values,
                           const struct sl_evaluation *run, struct sl_error *err)
{
    if (values->plots) SL_TRY(eval_plots(run, values->plots, err));
    if (!values->json) {
        eval_print(run);
        return SL_OK;
    }
    json_t *value = sl_evaluation_json(run);
    json_object_set_new(value, "provenance", cli_provenance(cli));
    enum sl_status status = cli_print_json(value, err);
    json_decref(value);
    return status;
}

/* What options say that are not fields of the job. */
static enum sl_status complete(struct eval_values *values, struct sl_error *err)
{
    struct sl_eval_job *job = &values->job;
    const struct cli_reals *severity = &values->severity;
    const char *folder = job->shift.folder;
    const bool extra = job->shift.extra;
    job->counts = !values->reference                          ? SL_COUNTS_GUESS
                  : strcmp(values->reference, "softmax") == 0 ? SL_COUNTS_SOFTMAX
                                                              : SL_COUNTS_NORMALISE;
    job->corrupted = values->corruptions || folder;
    job->shift = sl_shift_options_default();
    job->shift.folder = folder;
    job->shift.extra = extra;
    if (severity->count > SL_SEVERITIES)
        return sl_fail(err, SL_ERR_USAGE, "--severity: more than %d", SL_SEVERITIES);
    if (severity->count > 0) job->shift.n_severities = severity->count;
    for (size_t i = 0; i < severity->count; i++)
        job->shift.severities[i] = (int)severity->values[i];
    return SL_OK;
}

static enum sl_status run_eval(struct cli *cli, const void *raw, struct sl_error *err)
{
    struct eval_values values = *(const struct eval_values *)raw;
    struct sl_evaluation run;
    if (values.list) return eval_list(values.json, err);
    if (cli->n_arguments == 0) return sl_fail(err, SL_ERR_USAGE, "PREDICTIONS is missing: a file");
    SL_TRY(complete(&values, err));
    if (sl_eval_is_weights(cli->arguments[0])) return eval_weights(cli, &values, err);
    SL_TRY(sl_evaluate_predictions(&values.job, cli->arguments, cli->n_arguments, &cli->workplace,
                                   &run, err));
    const enum sl_status status = show(cli, &values, &run, err);
    sl_evaluation_release(&run);
    return status;
}

static const struct cli_example eval_examples[] = {
    {"softlab eval preds.npz --labels labels.npz", "every measure of one model"},
    {"softlab eval runs/*/preds.npz --labels labels.npz --each", "mean and interval over seeds"},
    {"softlab eval soft.npz --against hard.npz --labels labels.npz -m cross_entropy,accuracy",
     "whether one model is better than another"},
    {"softlab eval preds.npz --hard cifar10:test --bootstrap 1000 --json",
     "labels within the file, true classes from the data set"},
    {"softlab eval labels.npz --hard truth.csv", "the accuracy of an aggregation"},
    {"softlab eval runs/x --data shapes:n=500 --bootstrap 1000 --per-class",
     "a network on items, with intervals and a line per class"},
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
        "Of classes that are equally probable the last by name is the first choice (the last "
        "column, where no file names its classes). "
        "Where a published definition has a quirk it keeps its name and the corrected one stands "
        "beside it; docs/internals/eval.md states each.",
    .arguments = eval_arguments,
    .options = eval_options,
    .examples = eval_examples,
    .values_size = sizeof(struct eval_values),
    .mode = eval_mode,
    .samples = eval_samples,
    .run = run_eval,
};
