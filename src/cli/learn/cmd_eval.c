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
#define METRIC(what)      METRIC_BITS(SL_METRIC_READS_##what)

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

#define OF_JOB(field) .offset = offsetof(struct sl_eval_job, field)
#define AT(field)     .offset = offsetof(struct eval_values, field)
static const struct sl_field_row eval_options[] = {
    {"labels", SL_FIELD_PATH, OF_JOB(labels),
     "what people said: distributions, counts, or a class per row; otherwise the array "
     "\"labels\" of the predictions' own .npz",
     .letter = 'l', .modes = PREDICTED | ITEMS | CHECKS_ITEMS},
    {"reference", SL_FIELD_CHOICE, AT(reference),
     "how counts become distributions; otherwise whole numbers are normalised", .value = "HOW",
     .names = reference_names, .modes = PREDICTED},
    {"hard", SL_FIELD_PATH, OF_JOB(hard),
     "true classes; otherwise people's first choice. Without --labels, what is scored against",
     .value = "FILE|DATASET", .modes = PREDICTED},
    {"order", SL_FIELD_PATH, OF_JOB(order),
     "row r of the predictions is the item whose number stands at r of this file",
     .modes = PREDICTED},
    {"subset", SL_FIELD_BOOLEAN, OF_JOB(subset),
     "leave out labelled items that have no prediction; with --hard alone also predictions "
     "whose class is not known",
     .modes = PREDICTED},
    {"metrics", SL_FIELD_WORD, OF_JOB(metrics), "only these measures", .letter = 'm',
     .value = "NAME,...", .modes = PREDICTED | ITEMS},
    {"bin-size", SL_FIELD_COUNT, OF_JOB(options.bin_size),
     "items per bin of rms_calibration, mad_calibration and max_calibration", .fallback = "100",
     .minimum = 1, .maximum = 1e9, .modes = METRIC(BIN_SIZE)},
    {"bins", SL_FIELD_COUNT, OF_JOB(options.n_bins),
     "bins of ece, mce, adaptive_ece and of reliability.svg", .fallback = "15", .minimum = 1,
     .maximum = 1e5, .modes = METRIC(BINS)},
    {"clip", SL_FIELD_NUMBER, OF_JOB(options.clip),
     "probabilities are kept this far from 0 and 1 in cross-entropies", .value = "P",
     .fallback = "1e-12", .minimum = 0, .maximum = 0.4, .modes = METRIC(CLIP)},
    {"bootstrap", SL_FIELD_COUNT, OF_JOB(bootstrap),
     "95 % intervals by this many resamples of the items; also of --against (1000)",
     .fallback = "0", .minimum = 0, .maximum = 1e6, .modes = MEASURED},
    {"seed", SL_FIELD_INTEGER, OF_JOB(seed), "seed of the bootstrap", .fallback = "1", .minimum = 0,
     .maximum = 9e15, .modes = MEASURED, .needs = "bootstrap,against"},
    {"against", SL_FIELD_PATH, OF_JOB(against),
     "predictions of another model for the same items, or of weights another network: paired "
     "tests",
     .modes = ONE | ITEMS},
    {"each", SL_FIELD_BOOLEAN, OF_JOB(each), "of several files, the values of every one too",
     .modes = SEVERAL},
    {"per-class", SL_FIELD_BOOLEAN, OF_JOB(per_class), "a line for every class", .modes = MEASURED},
    {"plots", SL_FIELD_FOLDER, AT(plots),
     "write reliability.svg, confidence.svg and risk-coverage.svg there; of several test "
     "sets, a "
     "folder for each",
     .modes = MEASURED},
    {"data", SL_FIELD_SOURCE, OF_JOB(data),
     "of weights: the items to evaluate them on, as in softlab dataset", .letter = 'd',
     .value = "DATA", .names = sl_dataset_names, .modes = ITEMS | CHECKS_ITEMS},
    {"split", SL_FIELD_PATH, OF_JOB(split), "of weights: these items only, an index file",
     .modes = ITEMS | CHECKS_ITEMS},
    SL_OPTION_IMAGE_SIZE(struct sl_eval_job,
                         "of weights: bring images to this size first (default: the network's)",
                         ITEMS | CHECKS_ITEMS),
    SL_OPTION_CHANNELS(struct sl_eval_job, ITEMS | CHECKS_ITEMS),
    SL_OPTION_SKIP_BROKEN(struct sl_eval_job, ITEMS | CHECKS_ITEMS),
    {"tests", SL_FIELD_PATH, OF_JOB(tests),
     "of weights: several test sets at once, a JSON file (docs/formats.md)",
     .modes = WEIGHTS | CHECKS},
    {"dry-run", SL_FIELD_BOOLEAN, OF_JOB(dry_run),
     "of weights: read the test sets and their labels, say how many items each has, and "
     "score nothing",
     .letter = 'n', .modes = WEIGHTS | CHECKS},
    {"attack", SL_FIELD_WORD, OF_JOB(attacks),
     "of weights: attack them, as fgsm-collins2022; --list has the names", .letter = 'a',
     .value = "NAME,...", .modes = ITEMS},
    {"attack-items", SL_FIELD_COUNT, OF_JOB(attack_items),
     "attack only so many items, drawn; 0: all", .fallback = "0", .minimum = 0, .maximum = 1e9,
     .modes = ITEMS, .needs = "attack"},
    {"attack-hard", SL_FIELD_BOOLEAN, OF_JOB(attack_hard),
     "the attack's loss is against hard labels", .modes = ITEMS, .needs = "attack"},
    {"corruptions", SL_FIELD_BOOLEAN, AT(corruptions),
     "of weights: the 15 corruptions of CIFAR-10-C, made from the items", .letter = 'c',
     .modes = ITEMS},
    {"extra", SL_FIELD_BOOLEAN, OF_JOB(shift.extra), "with --corruptions: the other four too",
     .modes = ITEMS, .needs = "corruptions,corruption-folder"},
    {"severity", SL_FIELD_REALS, AT(severity), "of --corruptions, 1 to 5 (default 3)",
     .value = "N,...", .minimum = 1, .maximum = 5, .modes = ITEMS,
     .needs = "corruptions,corruption-folder"},
    {"corruption-folder", SL_FIELD_FOLDER, OF_JOB(shift.folder),
     "corruptions as published files: read where they are there, else made and kept",
     .modes = ITEMS},
    {"list", SL_FIELD_BOOLEAN, AT(list),
     "list the measures, where they are defined, and the attacks"},
    {"json", SL_FIELD_BOOLEAN, AT(json), "print everything as JSON"},
    {.name = NULL},
};
#undef OF_JOB
#undef AT

static const struct cli_argument eval_arguments[] = {
    {.name = "PREDICTIONS",
     .help = "logits or probabilities (.npz, .npy, .csv); several files are runs of one model with "
             "other seeds",
     .kind = SL_FIELD_PATH,
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
    const struct sl_real_list *severity = &values->severity;
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
    .summary = "score predictions against people: agreement, likelihood, calibration",
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
