/* The options of softlab eval. */
#include "softlab/pipeline/options.h"
#include <stdio.h>
#include <string.h>

#include "pipeline/scoring/evaluate.h"
#include "softlab/base/text.h"

static const char *reference_names(size_t index)
{
    static const char *const names[] = {"guess", "normalise", "softmax", NULL}; /* sl_eval_counts */
    return names[index];
}

static const char *certainty_names(size_t index)
{
    return sl_certainties[index].name;
}

enum {
    PREDICTED = SL_EVAL_ONE | SL_EVAL_SEVERAL,
    ITEMS = SL_EVAL_ITEMS,
    WEIGHTS = SL_EVAL_ITEMS | SL_EVAL_TESTS,
    MEASURED = SL_EVAL_ONE | WEIGHTS,
    CHECKS_ITEMS = SL_EVAL_CHECKS_ITEMS,
    CHECKS = SL_EVAL_CHECKS_ITEMS | SL_EVAL_CHECKS_TESTS,
};
#define METRIC(what) SL_EVAL_READS(SL_METRIC_READS_##what)

#define FIELD(name) .offset = offsetof(struct sl_eval_job, name)
const struct sl_field_row sl_eval_job_options[] = {
    {"labels", SL_FIELD_PATH, FIELD(labels),
     "what people said: distributions, counts, or a class per row; otherwise the array "
     "\"labels\" of the predictions' own .npz",
     .letter = 'l', .modes = PREDICTED | ITEMS | CHECKS_ITEMS},
    {"reference", SL_FIELD_ENUM, FIELD(counts),
     "how counts become distributions; guess: whole numbers are normalised", .value = "HOW",
     .fallback = "guess", .names = reference_names, .modes = PREDICTED},
    {"hard", SL_FIELD_PATH, FIELD(hard),
     "true classes (default: people's first choice); without --labels, predictions are scored "
     "against them",
     .value = "FILE|DATASET", .modes = PREDICTED},
    {"order", SL_FIELD_PATH, FIELD(order),
     "the item number of each row of the predictions: a file with one number per row",
     .modes = PREDICTED},
    {"subset", SL_FIELD_BOOLEAN, FIELD(subset),
     "leave out labelled items that have no prediction; with --hard alone also predictions "
     "whose class is not known",
     .modes = PREDICTED},
    {"metrics", SL_FIELD_WORD, FIELD(metrics), "only these measures", .letter = 'm',
     .value = "NAME,...", .modes = PREDICTED | ITEMS},
    {"bin-size", SL_FIELD_COUNT, FIELD(options.bin_size),
     "items per bin of rms_calibration, mad_calibration and max_calibration", .fallback = "100",
     .minimum = 1, .maximum = 1e9, .modes = METRIC(BIN_SIZE)},
    {"bins", SL_FIELD_COUNT, FIELD(options.n_bins),
     "bins of ece, mce, adaptive_ece and of reliability.svg", .fallback = "15", .minimum = 1,
     .maximum = 1e5, .modes = METRIC(BINS)},
    {"clip", SL_FIELD_NUMBER, FIELD(options.clip),
     "probabilities are kept this far from 0 and 1 in cross-entropies", .value = "P",
     .fallback = "1e-12", .minimum = 0, .maximum = 0.4, .modes = METRIC(CLIP)},
    {"bootstrap", SL_FIELD_COUNT, FIELD(bootstrap),
     "95 % intervals by this many resamples of the items; also of --against and --defer (1000)",
     .fallback = "0", .minimum = 0, .maximum = 1e6, .modes = MEASURED},
    {"seed", SL_FIELD_INTEGER, FIELD(seed), "seed of the bootstrap", .fallback = "1", .minimum = 0,
     .maximum = 9e15, .modes = MEASURED, .needs = "bootstrap,against,defer"},
    {"against", SL_FIELD_PATH, FIELD(against),
     "paired tests against the predictions of another model for the same items, or against other "
     "weights",
     .modes = SL_EVAL_ONE | ITEMS},
    {"each", SL_FIELD_BOOLEAN, FIELD(each), "with several files: also the values of each file",
     .modes = SL_EVAL_SEVERAL},
    {"per-class", SL_FIELD_BOOLEAN, FIELD(per_class), "a line for every class", .modes = MEASURED},
    {"defer", SL_FIELD_REALS, FIELD(defer),
     "accuracy and cost if the least certain items are decided by a vote of this many people; "
     "needs "
     "true classes and counts of answers as --labels, or --answers",
     .value = "PEOPLE,...", .minimum = 1, .maximum = SL_MOST_PEOPLE, .modes = SL_EVAL_ONE},
    {"defer-by", SL_FIELD_ENUM, FIELD(defer_by), "how certain the classifier is of an item",
     .value = "HOW", .fallback = "confidence", .names = certainty_names, .modes = SL_EVAL_ONE,
     .needs = "defer"},
    {"answers", SL_FIELD_PATH, FIELD(answers),
     "people's answers for --defer, one by one: any file that softlab labels reads",
     .modes = SL_EVAL_ONE, .needs = "defer"},
    {"seconds-per-answer", SL_FIELD_NUMBER, FIELD(seconds_per_answer),
     "seconds that an answer takes, for the cost of --defer (default: the times in --answers)",
     .value = "S", .minimum = 0.001, .maximum = 1e6, .modes = SL_EVAL_ONE, .needs = "defer"},
    {"data", SL_FIELD_SOURCE, FIELD(data),
     "of weights: the items to evaluate them on, as in softlab dataset", .letter = 'd',
     .value = "DATA", .names = sl_dataset_names, .modes = ITEMS | CHECKS_ITEMS},
    {"split", SL_FIELD_PATH, FIELD(split), "of weights: these items only, an index file",
     .modes = ITEMS | CHECKS_ITEMS},
    SL_OPTION_IMAGE_SIZE(struct sl_eval_job,
                         "of weights: resize images to this size (default: the network's)",
                         ITEMS | CHECKS_ITEMS),
    SL_OPTION_CHANNELS(struct sl_eval_job, ITEMS | CHECKS_ITEMS),
    SL_OPTION_SKIP_BROKEN(struct sl_eval_job, ITEMS | CHECKS_ITEMS),
    {"tests", SL_FIELD_PATH, FIELD(tests),
     "of weights: several test sets at once, a JSON file (docs/formats.md)",
     .modes = WEIGHTS | CHECKS},
    {"dry-run", SL_FIELD_BOOLEAN, FIELD(dry_run),
     "of weights: read the test sets and their labels, say how many items each has, and "
     "score nothing",
     .letter = 'n', .modes = WEIGHTS | CHECKS},
    {"attack", SL_FIELD_WORD, FIELD(attacks),
     "of weights: attack them, as fgsm-collins2022; --list has the names", .letter = 'a',
     .value = "NAME,...", .modes = ITEMS},
    {"attack-items", SL_FIELD_COUNT, FIELD(attack_items),
     "attack only this many items, drawn at random; 0: all", .fallback = "0", .minimum = 0,
     .maximum = 1e9, .modes = ITEMS, .needs = "attack"},
    {"attack-hard", SL_FIELD_BOOLEAN, FIELD(attack_hard), "attack the loss on hard labels",
     .modes = ITEMS, .needs = "attack"},
    {"corruptions", SL_FIELD_BOOLEAN, FIELD(corrupted),
     "of weights: the 15 corruptions of CIFAR-10-C, made from the items", .letter = 'c',
     .modes = ITEMS},
    {"extra", SL_FIELD_BOOLEAN, FIELD(extra), "with --corruptions: the other four too",
     .modes = ITEMS, .needs = "corruptions,corruption-folder"},
    {"severity", SL_FIELD_REALS, FIELD(severities), "of --corruptions, 1 to 5 (default 3)",
     .value = "N,...", .minimum = 1, .maximum = 5, .modes = ITEMS,
     .needs = "corruptions,corruption-folder"},
    {"corruption-folder", SL_FIELD_FOLDER, FIELD(corruption_folder),
     "a folder of published corruption files: existing files are read, missing ones are made and "
     "kept",
     .modes = ITEMS},
    {"plots", SL_FIELD_FOLDER, FIELD(plots),
     "write reliability.svg, confidence.svg and risk-coverage.svg there, with --defer also "
     "defer.svg "
     "and defer-cost.svg; of several test sets, a folder for each",
     .modes = SL_EVAL_ONE | SL_EVAL_ITEMS | SL_EVAL_TESTS},
    {.name = NULL},
};
#undef FIELD

struct sl_eval_job sl_eval_job_default(void)
{
    struct sl_eval_job job = {.options = sl_metric_options_default()};
    sl_fields_set_defaults(sl_eval_job_options, &job);
    return job;
}

/* The mode bits of what the chosen measures read. An unknown name gets all bits and is refused
 * later. */
static uint64_t bits_of_measures(const struct sl_eval_job *job)
{
    unsigned reads = 0;
    char **names = job->metrics ? sl_text_split(job->metrics) : NULL;
    for (const struct sl_metric *m = sl_metrics; m->name && !names; m++)
        reads |= m->reads;
    for (size_t i = 0; names && names[i]; i++) {
        const struct sl_metric *metric = sl_metric_find(names[i]);
        reads |= metric ? metric->reads : UINT8_MAX;
    }
    if (names) sl_names_destroy(names);
    if (job->per_class) reads |= SL_METRIC_READS_CLIP;
    if (job->plots) reads |= SL_METRIC_READS_BINS;
    return SL_EVAL_READS(reads);
}

/* A file of tests names its own measures, so --metrics matters only without one. */
static void add_measures(const struct sl_eval_job *job, struct sl_option_mode *mode)
{
    if (!(mode->does & (PREDICTED | ITEMS))) return;
    mode->does |= bits_of_measures(job);
    if (!job->metrics) return;
    snprintf(mode->text, sizeof mode->text, "%s and --metrics %.40s%s", mode->name, job->metrics,
             strlen(job->metrics) > 40 ? "..." : "");
    mode->name = mode->text;
}

static void find_mode(const void *raw, char *const *arguments, size_t n_arguments,
                      struct sl_option_mode *out)
{
    const struct sl_eval_job *job = raw;
    if (n_arguments == 0) return;
    if (sl_eval_is_weights(arguments[0]))
        *out = job->tests && job->dry_run
                   ? (struct sl_option_mode){SL_EVAL_CHECKS_TESTS, .name = "--tests and --dry-run"}
               : job->tests   ? (struct sl_option_mode){SL_EVAL_TESTS, .name = "--tests"}
               : job->dry_run ? (struct sl_option_mode){SL_EVAL_CHECKS_ITEMS, .name = "--dry-run"}
                              : (struct sl_option_mode){SL_EVAL_ITEMS, .name = "weights"};
    else
        *out =
            n_arguments == 1
                ? (struct sl_option_mode){SL_EVAL_ONE, .name = "one file of predictions"}
                : (struct sl_option_mode){SL_EVAL_SEVERAL, .name = "several files of predictions"};
    add_measures(job, out);
}

static enum sl_status score_weights(const struct sl_eval_job *job, const struct sl_task_call *call,
                                    json_t **result, struct sl_error *err)
{
    struct sl_weights_evaluation tests = {0};
    if (call->n_arguments > 1)
        return sl_fail(err, SL_ERR_USAGE, "one network at a time: \"%s\" is too many",
                       call->arguments[1]);
    SL_TRY(sl_evaluate_weights(job, call->arguments[0], call->workplace, &tests, err));
    *result = sl_weights_evaluation_json(&tests);
    sl_weights_evaluation_release(&tests);
    return SL_OK;
}

static enum sl_status score_predictions(const struct sl_eval_job *job,
                                        const struct sl_task_call *call, json_t **result,
                                        struct sl_error *err)
{
    struct sl_evaluation run;
    SL_TRY(sl_evaluate_predictions(job, call->arguments, call->n_arguments, call->workplace, &run,
                                   err));
    *result = sl_evaluation_json(&run);
    sl_evaluation_release(&run);
    return SL_OK;
}

static enum sl_status run_evaluation(const void *job, const struct sl_task_call *call,
                                     json_t **result, struct sl_error *err)
{
    if (call->n_arguments == 0) return sl_fail(err, SL_ERR_USAGE, "PREDICTIONS is missing: a file");
    SL_TRY(sl_eval_is_weights(call->arguments[0]) ? score_weights(job, call, result, err)
                                                  : score_predictions(job, call, result, err));
    json_object_set_new(*result, "provenance", sl_asked_json(call->asked));
    return SL_OK;
}

const struct sl_task sl_eval_task = {
    .name = "eval",
    .options = sl_eval_job_options,
    .size = sizeof(struct sl_eval_job),
    .mode = find_mode,
    .most_arguments = SIZE_MAX,
    .reports = true,
    .run = run_evaluation,
};
