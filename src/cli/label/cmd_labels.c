#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

struct labels_values {
    struct sl_labels_job job; /* first, so that its offsets are those of the values */
    struct cli_answer_words input;
    const char *output;
    double seconds_per_input;
    bool list, json;
};
_Static_assert(offsetof(struct labels_values, job) == 0, "options name fields of the job");

static const char *method_names(size_t index)
{
    for (const struct sl_label_method *m = sl_label_methods; m->name; m++)
        if (index-- == 0) return m->name;
    for (const struct sl_aggregator *a = sl_aggregators; a->name; a++)
        if (index-- == 0) return a->name;
    return index == 0 ? SL_LABELS_ENSEMBLE : NULL;
}

static const char *method_known_as(const char *typed)
{
    const struct sl_aggregator *aggregator = sl_aggregator_known_as(typed);
    const struct sl_label_method *method = sl_label_method_known_as(typed);
    if (sl_text_known_as(typed, "distillation distil distill mean-of-models"))
        return SL_LABELS_ENSEMBLE;
    return aggregator ? aggregator->name : method ? method->name : NULL;
}

static const char *row_methods(size_t index)
{
    for (const struct sl_label_method *m = sl_label_methods; m->name; m++)
        if (m->row && index-- == 0) return m->name;
    return NULL;
}

static const char *ties(size_t index)
{
    static const char *const names[] = {"share", "first", "random", NULL}; /* enum sl_tie */
    return names[index];
}

static const char *starts(size_t index)
{
    static const char *const names[] = {"shares", "diagonal", NULL}; /* enum sl_crowd_start */
    return names[index];
}

/* ---- What does something with which method ---- */

/* The bits of options: what methods' rows say they read, and what is not theirs to say. */
#define CROWD(what)      SL_CROWD_READS_##what
#define LABEL(what)      LABEL_BITS(SL_LABEL_READS_##what)
#define LABEL_BITS(bits) ((uint64_t)(bits) << 16)
#define OWN(number)      (UINT64_C(1) << (32 + (number)))
#define MAKES            OWN(0) /* labels are made, not methods listed */
#define ANSWERED         OWN(1) /* of answers, of which some may be left out */
#define DRAWS            OWN(2) /* of which some are drawn */
#define EACH             OWN(3) /* a row per answer is possible */
#define MEANS            OWN(4) /* shares may be averaged first */
#define ENSEMBLE         OWN(5)
#define PREDICTIONS      OWN(6)
#define SOFT             OWN(7)  /* distributions are read */
#define LEARNS           OWN(8)  /* about annotators */
#define COUNTED          OWN(9)  /* the annotators' inputs can be counted */
#define READS            OWN(10) /* answers are read, if only for their items */
#define ESTIMATES        OWN(11) /* skills, weights or confusions of annotators */
#define WEIGHS           OWN(12) /* annotators' answers as the user says */

/* Inputs that an annotator is asked for; 0 where that is not known. */
static int inputs_of(const struct sl_label_method *method, const struct sl_aggregator *aggregator)
{
    if (method) return method->inputs;
    return aggregator && !(aggregator->needs & SL_CROWD_SOFT) ? 1 : 0;
}

static uint64_t method_bits(const struct sl_label_method *method, const struct sl_labels_job *job)
{
    uint64_t bits = MAKES | READS | LABEL_BITS(method->reads);
    if (method->kinds) bits |= ANSWERED | EACH;
    if (method->kinds && !job->per_annotator && !job->mean_first) bits |= WEIGHS;
    if (method->reads & SL_LABEL_READS_MIX && !job->per_annotator) bits |= MEANS;
    if (job->per_annotator) bits &= ~LABEL_BITS(SL_LABEL_READS_TRUTH);
    return bits;
}

static uint64_t aggregator_bits(const struct sl_aggregator *method, const struct sl_labels_job *job)
{
    uint64_t bits = MAKES | READS | ANSWERED | LEARNS | method->reads;
    const bool random = job->tie == SL_TIE_RANDOM;
    if (method->reads & SL_CROWD_READS_TIE && !random) bits &= ~(uint64_t)SL_CROWD_READS_SEED;
    if (method->reads & SL_CROWD_READS_VARIATIONAL && !job->em)
        bits &= ~(uint64_t)SL_CROWD_READS_SMOOTHING;
    if (method->needs & SL_CROWD_PREDICTIONS) bits |= PREDICTIONS;
    if (method->needs & SL_CROWD_WEIGHTS) bits |= WEIGHS;
    if (method->learns) bits |= ESTIMATES;
    if (!(method->needs & SL_CROWD_SOFT)) return bits;
    if (bits & WEIGHS && job->weights) bits &= ~(uint64_t)SL_CROWD_READS_ROUNDS;
    const unsigned of_rows = SL_LABEL_READS_GAMMA | SL_LABEL_READS_SIMILARITY | SL_LABEL_READS_MIX;
    const char *rows = job->rows ? job->rows : sl_labels_rows_of_tops;
    return bits | SOFT | LABEL_BITS(sl_label_method_find(rows)->reads & of_rows);
}

/* The method and the words that change what it reads. */
static void name_mode(const struct sl_labels_job *job, struct cli_mode *mode)
{
    const bool soft = mode->does & SOFT, weighs = mode->does & WEIGHS && job->weights;
    const bool means = mode->does & MEANS && job->mean_first;
    const char *more = mode->does & EACH && job->per_annotator ? " --per-annotator"
                       : means                                 ? " --mean-first"
                       : soft && weighs                        ? " --weights"
                       : soft && !job->rows                    ? " without --rows"
                                                               : "";
    snprintf(mode->text, sizeof mode->text, "--method %s%s%s%s", job->method,
             soft && job->rows ? " --rows " : "", soft && job->rows ? job->rows : "", more);
    mode->name = mode->text;
}

static void labels_mode(const struct cli *cli, const void *raw, struct cli_mode *out)
{
    const struct labels_values *values = raw;
    const struct sl_labels_job *job = &values->job;
    (void)cli;
    if (values->list) {
        *out = (struct cli_mode){.does = OWN(31), .name = "--list", .alone = true};
        return;
    }
    if (!job->method) return;
    const struct sl_label_method *method = sl_label_method_find(job->method);
    const struct sl_aggregator *aggregator = sl_aggregator_find(job->method);
    out->does = method       ? method_bits(method, job)
                : aggregator ? aggregator_bits(aggregator, job)
                             : MAKES | ENSEMBLE;
    if (job->annotators > 0) out->does |= DRAWS;
    if (inputs_of(method, aggregator)) out->does |= COUNTED;
    name_mode(job, out);
}

static const char *const labels_samples[] = {"--list", "--method * x.jsonl -o x.npz", NULL};

#define FIELD(name) .offset = offsetof(struct sl_labels_job, name)
#define AT(name)    .offset = offsetof(struct labels_values, name)
static const struct sl_field_row labels_options[] = {
    {"method", SL_FIELD_CHOICE, FIELD(method), "the method, see --list", .letter = 'm',
     .value = "NAME", .names = method_names, .known_as = method_known_as, .modes = MAKES},
    {"output", SL_FIELD_OUTPUT, AT(output),
     "the labels: .npz, .npy, .csv or .json; - is CSV on standard output", .letter = 'o',
     .suffixes = ".csv .npz .npy .json", .prints = "json", .modes = MAKES},
    {"list", SL_FIELD_BOOLEAN, AT(list), "print the methods", .letter = 'l'},
    {"json", SL_FIELD_BOOLEAN, AT(json),
     "print as JSON how the answers were used and how long annotators took, or with --list the "
     "methods"},
    CLI_ANSWER_OPTIONS(offsetof(struct labels_values, input), READS, READS),
    {"annotators", SL_FIELD_COUNT, FIELD(annotators), "answers to draw per item; 0 takes all",
     .letter = 'a', .value = "M", .fallback = "0", .minimum = 0, .maximum = 1e9, .modes = ANSWERED},
    {"seed", SL_FIELD_INTEGER, FIELD(seed), "seed of all random draws", .fallback = "1",
     .minimum = 0, .maximum = 9e15,
     .modes = DRAWS | LABEL_BITS(SL_LABEL_READS_SEED) | SL_CROWD_READS_SEED},
    {"as-released", SL_FIELD_BOOLEAN, FIELD(as_released),
     "keep repeats and second runs, as the published labels do", .modes = ANSWERED},
    {"seconds-per-input", SL_FIELD_NUMBER, AT(seconds_per_input),
     "also print what a label costs at this many seconds per input of an annotator, in place of "
     "measured times; Collins et al. 2022 use 6.4",
     .value = "S", .fallback = "nan", .minimum = 0, .maximum = 1e6, .modes = COUNTED},
    {"truth", SL_FIELD_PATH, FIELD(truth),
     "true classes, for hard, smooth and class; otherwise the answers' own", .modes = LABEL(TRUTH)},
    {"weights", SL_FIELD_PATH, FIELD(weights),
     "weights of annotators, in place of those that a method would learn: columns annotator and "
     "weight; for mv, wawa, the pools and means of answers such as share",
     .value = "FILE.csv", .modes = WEIGHS},
    {"gamma", SL_FIELD_NUMBER, FIELD(gamma),
     "probability of possible classes that nobody named (default .1); for mix the base of the "
     "smoothing (default .005)",
     .value = "G", .fallback = "nan", .minimum = 0, .maximum = 1, .modes = LABEL(GAMMA)},
    {"beta", SL_FIELD_NUMBER, FIELD(beta), "label smoothing", .value = "B", .fallback = "0.05",
     .minimum = 0, .maximum = 1, .modes = LABEL(BETA)},
    {"temperature", SL_FIELD_NUMBER, FIELD(temperature), "temperature of softmax and ensemble",
     .value = "T", .fallback = "1", .minimum = 1e-6, .maximum = 1e6,
     .modes = ENSEMBLE | LABEL_BITS(SL_LABEL_READS_TEMPERATURE)},
    {"folds", SL_FIELD_COUNT, FIELD(folds),
     "ensemble: the rows are those of N folds in turn, cut from numpy's shuffle with seed 0; name "
     "them by item",
     .fallback = "0", .minimum = 0, .maximum = 1e6, .modes = ENSEMBLE},
    {"per-annotator", SL_FIELD_BOOLEAN, FIELD(per_annotator),
     "a row per answer instead of one per item", .letter = 'p', .modes = EACH},
    {"mean-first", SL_FIELD_BOOLEAN, FIELD(mean_first),
     "mix: average shares and confidences before smoothing", .modes = MEANS},
    {"generated", SL_FIELD_BOOLEAN, FIELD(generated),
     "mix: use the share that was mixed instead of the inferred one", .modes = LABEL(MIX)},
    {"vectors", SL_FIELD_PATH, FIELD(vectors),
     "word vectors in GloVe's text form, for the semantic methods", .modes = LABEL(SIMILARITY)},
    {"iterations", SL_FIELD_COUNT, FIELD(iterations), "most rounds", .fallback = "100",
     .minimum = 1, .maximum = 1e6, .modes = CROWD(ROUNDS)},
    {"tolerance", SL_FIELD_NUMBER, FIELD(tolerance),
     "stop when the relative gain of the log-likelihood is below this", .fallback = "1e-7",
     .minimum = 0, .maximum = 1, .modes = CROWD(TOLERANCE)},
    {"smoothing", SL_FIELD_NUMBER, FIELD(smoothing),
     "pseudo-count on every cell of a confusion matrix (default: the method's own)",
     .fallback = "nan", .minimum = 0, .maximum = 1e6, .modes = CROWD(SMOOTHING)},
    {"diagonal", SL_FIELD_NUMBER, FIELD(diagonal),
     "additional pseudo-count on the diagonal (default: the method's own)", .fallback = "nan",
     .minimum = 0, .maximum = 1e6, .modes = CROWD(DIAGONAL)},
    {"start", SL_FIELD_ENUM, FIELD(start), "starting point of Dawid-Skene", .value = "HOW",
     .fallback = "shares", .modes = CROWD(START), .names = starts},
    {"tie", SL_FIELD_ENUM, FIELD(tie), "how mv breaks a tie", .value = "RULE", .fallback = "share",
     .modes = CROWD(TIE), .names = ties},
    {"em", SL_FIELD_BOOLEAN, FIELD(em), "mace: plain EM instead of variational",
     .modes = CROWD(VARIATIONAL)},
    {"gold", SL_FIELD_PATH, FIELD(gold),
     "items whose class is known and fixed, in a file as for --truth", .modes = CROWD(GOLD)},
    {"predictions", SL_FIELD_PATH, FIELD(predictions), "a classifier's predictions, for crowdlab",
     .modes = PREDICTIONS},
    {"rows", SL_FIELD_CHOICE, FIELD(rows),
     "how one answer becomes the distribution that ds-soft and the pools read (default: t2-clamp "
     "where people named top classes, otherwise share, which takes distributions as they are)",
     .value = "NAME", .names = row_methods, .modes = SOFT},
    {"calibrate", SL_FIELD_BOOLEAN, FIELD(calibrate),
     "calibrate every annotator's probabilities first", .modes = CROWD(CALIBRATE)},
    {"reference", SL_FIELD_PATH, FIELD(reference),
     "known distributions of some items, from which the weights (unless --weights gives them) and "
     "the sharpening of a pool are learned",
     .modes = CROWD(REFERENCE)},
    {"annotators-out", SL_FIELD_OUTPUT, FIELD(annotators_out),
     "also write the method's estimates of annotators: skill, weight, confusion; every crowd "
     "method but mv has some",
     .value = "FILE.csv", .suffixes = ".csv", .prints = "json", .modes = ESTIMATES},
    {"state", SL_FIELD_OUTPUT, FIELD(state),
     "also write posteriors, confusions, skills, prior and log-likelihoods", .value = "FILE.npz",
     .suffixes = ".npz", .prints = "json", .modes = LEARNS},
    {"resume", SL_FIELD_PATH, FIELD(resume), "continue from a state after answers were added",
     .value = "FILE.npz", .modes = CROWD(RESUME)},
    {"prior", SL_FIELD_PATH, FIELD(prior),
     "a state whose confusion matrices are the prior of annotators", .value = "FILE.npz",
     .modes = CROWD(PRIOR)},
    {"prior-weight", SL_FIELD_NUMBER, FIELD(prior_weight),
     "answers per class that a prior matrix counts for", .value = "N", .fallback = "10",
     .minimum = 0, .maximum = 1e9, .modes = CROWD(PRIOR), .needs = "prior"},
    {"threads", SL_FIELD_COUNT, FIELD(threads),
     "threads; the result does not depend on their number", .fallback = "1", .minimum = 1,
     .maximum = 1024, .modes = LEARNS},
    {.name = NULL},
};
#undef AT

static const struct cli_argument labels_arguments[] = {
    {.name = "FILE",
     .help = "answers.jsonl, answers.slb or CSV, of labels or probabilities, plain or .gz; for "
             "ensemble, files of predictions",
     .kind = SL_FIELD_PATH,
     .optional = true,
     .repeated = true},
    {.name = NULL},
};

/* What a label costs at --seconds-per-input; NaN without it. */
static double counted_seconds(const struct labels_values *values,
                              const struct sl_label_notes *notes, size_t n_labels)
{
    const int inputs =
        inputs_of(sl_label_method_find(values->job.method), sl_aggregator_find(values->job.method));
    return (double)notes->n_used / (double)n_labels * inputs * values->seconds_per_input;
}

static void say_counted_seconds(const struct cli *cli, const struct labels_values *values,
                                const struct sl_label_notes *notes, size_t n_labels)
{
    const double seconds = counted_seconds(values, notes, n_labels);
    const int inputs =
        inputs_of(sl_label_method_find(values->job.method), sl_aggregator_find(values->job.method));
    if (isfinite(seconds))
        sl_log(&cli->log, SL_LOG_INFO,
               "a label costs %.1f s of annotators' time at %g s per input: %.2f answers of %d "
               "input%s",
               seconds, values->seconds_per_input, (double)notes->n_used / (double)n_labels, inputs,
               inputs == 1 ? "" : "s");
}

static enum sl_status print_summary(const struct cli *cli, const struct labels_values *values,
                                    const struct sl_label_notes *notes, size_t n_rows,
                                    struct sl_error *err)
{
    const double counted = counted_seconds(values, notes, n_rows);
    double seconds = notes->n_used && n_rows ? notes->ms_used / 1000 / (double)n_rows : (double)NAN;
    json_t *value = json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "method", values->job.method, "labels",
        (json_int_t)n_rows, "answers", (json_int_t)notes->n_used, "left_out",
        (json_int_t)notes->n_flagged, "not_drawn", (json_int_t)notes->n_undrawn, "unusable",
        (json_int_t)notes->n_unusable, "items_without", (json_int_t)notes->n_empty_items,
        "seconds_per_label", sl_json_real(seconds), "provenance", cli_provenance(cli));
    if (isfinite(counted))
        json_object_set_new(value, "counted_seconds_per_label", json_real(counted));
    enum sl_status status = cli_print_json(value, err);
    json_decref(value);
    return status;
}

static enum sl_status list_methods(bool json, struct sl_error *err)
{
    json_t *methods = json_array();
    struct cli_table table;
    cli_table_init(&table, "lrl");
    cli_table_add(&table, "method", "inputs", "what");
    for (const struct sl_label_method *m = sl_label_methods; m->name; m++) {
        char inputs[16];
        snprintf(inputs, sizeof inputs, m->inputs ? "%d" : "-", m->inputs);
        cli_table_add(&table, m->name, inputs, m->summary);
        json_array_append_new(methods, json_pack("{s:s, s:i, s:s}", "name", m->name, "inputs",
                                                 m->inputs, "summary", m->summary));
    }
    for (const struct sl_aggregator *a = sl_aggregators; a->name; a++) {
        cli_table_add(&table, a->name, a->needs & SL_CROWD_SOFT ? "-" : "1", a->summary);
        json_array_append_new(methods, json_pack("{s:s, s:s, s:s?}", "name", a->name, "summary",
                                                 a->summary, "source", a->source));
    }
    cli_table_add(&table, SL_LABELS_ENSEMBLE, "-",
                  "mean of classifiers' predictions, classes by name (distillation)");
    enum sl_status status = SL_OK;
    if (json)
        status = cli_print_json(methods, err);
    else
        cli_table_print(&table, stdout);
    cli_table_release(&table);
    json_decref(methods);
    return status;
}

static enum sl_status check_words(const struct cli *cli, const struct labels_values *values,
                                  struct sl_error *err)
{
    const char *method = values->job.method;
    if (!method) return sl_fail(err, SL_ERR_USAGE, "--method is missing, see --list");
    if (!values->output && !values->json)
        return sl_fail(err, SL_ERR_USAGE, "--output is missing: FILE");
    if (cli->n_arguments == 0) return sl_fail(err, SL_ERR_USAGE, "FILE is missing: the answers");
    if (cli->n_arguments > 1 && strcmp(method, SL_LABELS_ENSEMBLE) != 0)
        return sl_fail(
            err, SL_ERR_USAGE,
            "\"%s\": %s reads one file of answers; softlab import joins several of one format",
            cli_shown(cli, cli->arguments[1]), method);
    return SL_OK;
}

/* The labels to their file, with how they came about in an .npz; what became of the answers. */
static enum sl_status show(struct cli *cli, const struct labels_values *values,
                           struct sl_rows *rows, const struct sl_label_notes *notes,
                           struct sl_error *err)
{
    say_counted_seconds(cli, values, notes, rows->n_rows);
    if (values->output) SL_TRY(sl_rows_write(rows, "labels", values->output, err));
    return values->json ? print_summary(cli, values, notes, rows->n_rows, err) : SL_OK;
}

static enum sl_status run_labels(struct cli *cli, const void *raw, struct sl_error *err)
{
    static const char *const without[] = {"list", "json", "threads", "seconds-per-input", NULL};
    const struct labels_values *values = raw;
    if (values->list) return list_methods(values->json, err);
    SL_TRY(check_words(cli, values, err));
    struct sl_labels_job job = values->job;
    struct sl_label_notes notes = {0};
    struct sl_rows *rows = NULL;
    char *provenance = cli_rows_provenance(cli, values->output, without);
    job.paths = cli->arguments;
    job.n_paths = cli->n_arguments;
    job.timed = values->json;
    job.reading = cli_answer_reading(&values->input);
    enum sl_status status = sl_labels_job_run(&job, &cli->workplace, &rows, &notes, err);
    if (status == SL_OK) {
        rows->provenance = provenance;
        provenance = NULL;
        status = show(cli, values, rows, &notes, err);
    }
    cli_answer_reading_release(&job.reading);
    sl_rows_destroy(rows);
    free(provenance);
    return status;
}

static const struct cli_example labels_examples[] = {
    {"softlab labels answers.jsonl --method t2-clamp -o labels.npz",
     "top two classes and what is possible, averaged per item"},
    {"softlab labels votes.csv.gz --method ds --annotators-out skills.csv -o labels.npz",
     "Dawid-Skene posteriors, with what it learned about every annotator"},
    {"softlab labels votes.csv --method mv --abstain skip -o labels.npz",
     "a majority vote in which skipping is no answer"},
    {"softlab labels answers.jsonl --method t2-clamp --annotators 2 --seed 3 -o labels.npz",
     "as if only two people had been asked"},
    {NULL, NULL},
};

const struct cli_command cmd_labels = {
    .name = "labels",
    .also = "aggregate aggregation combine consensus vote majority crowd dawid-skene ds mv label "
            "soft-labels",
    .group = "label",
    .summary = "turn answers into label distributions",
    .description = "Builds label distributions from answers: the mean of the labels of single "
                   "answers (docs/internals/labels.md), or the posterior of a model of the crowd "
                   "(docs/internals/crowd.md). ds-soft and the pools estimate how opinions on the "
                   "item are distributed, not which class is right. Repeats, second runs and "
                   "checks are left out and counted.",
    .arguments = labels_arguments,
    .options = labels_options,
    .examples = labels_examples,
    .values_size = sizeof(struct labels_values),
    .mode = labels_mode,
    .samples = labels_samples,
    .run = run_labels,
};
