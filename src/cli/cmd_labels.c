#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "labels.h"

static const char ensemble[] = "ensemble";

static const char *method_names(size_t index)
{
    for (const struct sl_label_method *m = sl_label_methods; m->name; m++)
        if (index-- == 0) return m->name;
    for (const struct sl_aggregator *a = sl_aggregators; a->name; a++)
        if (index-- == 0) return a->name;
    return index == 0 ? ensemble : NULL;
}

static const char *method_known_as(const char *typed)
{
    const struct sl_aggregator *aggregator = sl_aggregator_known_as(typed);
    const struct sl_label_method *method = sl_label_method_known_as(typed);
    if (sl_text_known_as(typed, "distillation distil distill mean-of-models")) return ensemble;
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
    static const char *const names[] = {"share", "first", "random", NULL};
    return names[index];
}

static const char *starts(size_t index)
{
    static const char *const names[] = {"shares", "diagonal", NULL};
    return names[index];
}

/* ---- What does something with which method ---- */

/* The bits of options: what methods' rows say they read, and what is not theirs to say. */
#define CROWD(what)      .modes = SL_CROWD_READS_##what
#define LABEL(what)      .modes = LABEL_BITS(SL_LABEL_READS_##what)
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

static uint64_t method_bits(const struct sl_label_method *method,
                            const struct labels_values *values)
{
    uint64_t bits = MAKES | READS | LABEL_BITS(method->reads);
    if (method->kinds) bits |= ANSWERED | EACH;
    if (method->kinds && !values->per_annotator && !values->mean_first) bits |= WEIGHS;
    if (method->reads & SL_LABEL_READS_MIX && !values->per_annotator) bits |= MEANS;
    if (values->per_annotator) bits &= ~LABEL_BITS(SL_LABEL_READS_TRUTH);
    return bits;
}

static uint64_t aggregator_bits(const struct sl_aggregator *method,
                                const struct labels_values *values)
{
    uint64_t bits = MAKES | READS | ANSWERED | LEARNS | method->reads;
    const bool random = strcmp(values->tie, "random") == 0;
    if (method->reads & SL_CROWD_READS_TIE && !random) bits &= ~(uint64_t)SL_CROWD_READS_SEED;
    if (method->reads & SL_CROWD_READS_VARIATIONAL && !values->em)
        bits &= ~(uint64_t)SL_CROWD_READS_SMOOTHING;
    if (method->needs & SL_CROWD_PREDICTIONS) bits |= PREDICTIONS;
    if (method->needs & SL_CROWD_WEIGHTS) bits |= WEIGHS;
    if (method->learns) bits |= ESTIMATES;
    if (!(method->needs & SL_CROWD_SOFT)) return bits;
    if (bits & WEIGHS && values->weights) bits &= ~(uint64_t)SL_CROWD_READS_ROUNDS;
    const unsigned of_rows = SL_LABEL_READS_GAMMA | SL_LABEL_READS_SIMILARITY | SL_LABEL_READS_MIX;
    const char *rows = values->rows ? values->rows : labels_rows_of_tops;
    return bits | SOFT | LABEL_BITS(sl_label_method_find(rows)->reads & of_rows);
}

/* The method and the words that change what it reads. */
static void name_mode(const struct labels_values *values, struct cli_mode *mode)
{
    const bool soft = mode->does & SOFT, weighs = mode->does & WEIGHS && values->weights;
    const bool means = mode->does & MEANS && values->mean_first;
    const char *more = mode->does & EACH && values->per_annotator ? " --per-annotator"
                       : means                                    ? " --mean-first"
                       : soft && weighs                           ? " --weights"
                       : soft && !values->rows                    ? " without --rows"
                                                                  : "";
    snprintf(mode->text, sizeof mode->text, "--method %s%s%s%s", values->method,
             soft && values->rows ? " --rows " : "", soft && values->rows ? values->rows : "",
             more);
    mode->name = mode->text;
}

static void labels_mode(const struct cli *cli, const void *raw, struct cli_mode *out)
{
    const struct labels_values *values = raw;
    (void)cli;
    if (values->list) {
        *out = (struct cli_mode){.does = OWN(31), .name = "--list", .alone = true};
        return;
    }
    if (!values->method) return;
    const struct sl_label_method *method = sl_label_method_find(values->method);
    const struct sl_aggregator *aggregator = sl_aggregator_find(values->method);
    out->does = method       ? method_bits(method, values)
                : aggregator ? aggregator_bits(aggregator, values)
                             : MAKES | ENSEMBLE;
    if (values->annotators > 0) out->does |= DRAWS;
    if (inputs_of(method, aggregator)) out->does |= COUNTED;
    name_mode(values, out);
}

static const char *const labels_samples[] = {"--list", "--method * x.jsonl -o x.npz", NULL};

#define FIELD(name) .offset = offsetof(struct labels_values, name)

static const struct cli_option labels_options[] = {
    {"method", 'm', CLI_CHOICE, "NAME", "how labels are made, see --list", FIELD(method),
     .choices = method_names, .known_as = method_known_as, .modes = MAKES},
    {"output", 'o', CLI_OUTPUT, "FILE",
     "where they go: .npz, .npy, .csv or .json; - is CSV on the standard output", FIELD(output),
     .modes = MAKES, .suffixes = ".csv .npz .npy .json", .prints = "json"},
    {"list", 'l', CLI_FLAG, NULL, "print the methods", FIELD(list)},
    {"json", 0, CLI_FLAG, NULL,
     "what became of an answers.jsonl and how long it took, or with --list the methods, as JSON",
     FIELD(json)},
    CLI_ANSWER_OPTIONS(offsetof(struct labels_values, input), READS, READS),
    {"annotators", 'a', CLI_INTEGER, "M", "draw this many answers per item; 0 takes all",
     FIELD(annotators), "0", 0, 1e9, .modes = ANSWERED},
    {"seed", 0, CLI_INTEGER, "N", "of whatever is drawn", FIELD(seed), "1", 0, 9e15,
     .modes = DRAWS | LABEL_BITS(SL_LABEL_READS_SEED) | SL_CROWD_READS_SEED},
    {"as-released", 0, CLI_FLAG, NULL, "keep repeats and second runs, as the published labels do",
     FIELD(as_released), .modes = ANSWERED},
    {"seconds-per-input", 0, CLI_REAL, "S",
     "also say what a label costs at so many seconds for every input of an annotator, whatever was "
     "measured; Collins et al. 2022 count 6.4",
     FIELD(seconds_per_input), NULL, 0, 1e6, .modes = COUNTED},
    {"truth", 0, CLI_PATH, "FILE",
     "true classes, for hard, smooth and class; otherwise the answers' own", FIELD(truth),
     LABEL(TRUTH)},
    {"weights", 0, CLI_PATH, "FILE.csv",
     "what each annotator's answers count for, in place of what a method would learn: columns "
     "annotator and weight; for mv, wawa, the pools and means of answers such as share",
     FIELD(weights), .modes = WEIGHS},
    {"gamma", 0, CLI_REAL, "G",
     "mass for possible classes nobody named (default .1); for mix the base of the smoothing "
     "(default .005)",
     FIELD(gamma), NULL, 0, 1, LABEL(GAMMA)},
    {"beta", 0, CLI_REAL, "B", "label smoothing", FIELD(beta), "0.05", 0, 1, LABEL(BETA)},
    {"temperature", 0, CLI_REAL, "T", "of softmax and ensemble", FIELD(temperature), "1", 1e-6, 1e6,
     .modes = ENSEMBLE | LABEL_BITS(SL_LABEL_READS_TEMPERATURE)},
    {"folds", 0, CLI_INTEGER, "N",
     "ensemble: the rows are of N folds one after another, cut from numpy's shuffle of seed 0; "
     "name them by item",
     FIELD(folds), "0", 0, 1e6, .modes = ENSEMBLE},
    {"per-annotator", 'p', CLI_FLAG, NULL, "a row per answer instead of one per item",
     FIELD(per_annotator), .modes = EACH},
    {"mean-first", 0, CLI_FLAG, NULL, "mix: average shares and confidences before smoothing",
     FIELD(mean_first), .modes = MEANS},
    {"generated", 0, CLI_FLAG, NULL, "mix: the share that was mixed instead of the inferred one",
     FIELD(generated), LABEL(MIX)},
    {"vectors", 0, CLI_PATH, "FILE", "word vectors in GloVe's text form, for the semantic methods",
     FIELD(vectors), LABEL(SIMILARITY)},
    {"iterations", 0, CLI_INTEGER, "N", "at most this many rounds", FIELD(iterations), "100", 1,
     1e6, CROWD(ROUNDS)},
    {"tolerance", 0, CLI_REAL, "X", "relative gain of the log-likelihood that ends it",
     FIELD(tolerance), "1e-7", 0, 1, CROWD(TOLERANCE)},
    {"smoothing", 0, CLI_REAL, "X",
     "pseudo-count on every cell of a confusion matrix (default: the method's own)",
     FIELD(smoothing), NULL, 0, 1e6, CROWD(SMOOTHING)},
    {"diagonal", 0, CLI_REAL, "X",
     "further pseudo-count on its diagonal (default: the method's own)", FIELD(diagonal), NULL, 0,
     1e6, CROWD(DIAGONAL)},
    {"start", 0, CLI_CHOICE, "HOW", "where Dawid-Skene starts", FIELD(start), "shares",
     .choices = starts, CROWD(START)},
    {"tie", 0, CLI_CHOICE, "RULE", "how mv breaks a tie", FIELD(tie), "share", .choices = ties,
     CROWD(TIE)},
    {"em", 0, CLI_FLAG, NULL, "mace: plain EM instead of variational", FIELD(em),
     CROWD(VARIATIONAL)},
    {"gold", 0, CLI_PATH, "FILE", "items whose class is known and stays, as for --truth",
     FIELD(gold), CROWD(GOLD)},
    {"predictions", 0, CLI_PATH, "FILE", "a classifier's predictions, for crowdlab",
     FIELD(predictions), .modes = PREDICTIONS},
    {"rows", 0, CLI_CHOICE, "NAME",
     "how one answer becomes the distribution that ds-soft and the pools read (default: t2-clamp "
     "where people named top classes, otherwise share, which takes distributions as they are)",
     FIELD(rows), .choices = row_methods, .modes = SOFT},
    {"calibrate", 0, CLI_FLAG, NULL, "calibrate every annotator's probabilities first",
     FIELD(calibrate), CROWD(CALIBRATE)},
    {"reference", 0, CLI_PATH, "FILE",
     "known distributions of some items, to learn from: weights, unless --weights gives them, and "
     "how far a pool is sharpened",
     FIELD(reference), CROWD(REFERENCE)},
    {"annotators-out", 0, CLI_OUTPUT, "FILE.csv",
     "also write what the method estimates of annotators: skill, weight, confusion; all crowd "
     "methods but mv do",
     FIELD(annotators_out), .modes = ESTIMATES, .suffixes = ".csv", .prints = "json"},
    {"state", 0, CLI_OUTPUT, "FILE.npz",
     "also write posteriors, confusions, skills, prior and log-likelihoods", FIELD(state),
     .modes = LEARNS, .suffixes = ".npz", .prints = "json"},
    {"resume", 0, CLI_PATH, "FILE.npz", "go on from a state, when answers were added",
     FIELD(resume), CROWD(RESUME)},
    {"prior", 0, CLI_PATH, "FILE.npz",
     "a state whose confusion matrices are what is known of annotators beforehand", FIELD(prior),
     CROWD(PRIOR)},
    {"prior-weight", 0, CLI_REAL, "N", "how many answers per class such a matrix counts for",
     FIELD(prior_weight), "10", 0, 1e9, CROWD(PRIOR), .needs = "prior"},
    {"threads", 0, CLI_INTEGER, "N", "threads; the result does not depend on them", FIELD(threads),
     "1", 1, 1024, .modes = LEARNS},
    {.name = NULL},
};

static const struct cli_argument labels_arguments[] = {
    {.name = "FILE",
     .help = "answers.jsonl, answers.slb or CSV, of labels or probabilities, plain or .gz; for "
             "ensemble prediction files",
     .kind = CLI_PATH,
     .optional = true,
     .repeated = true},
    {.name = NULL},
};

/* Only labels of mixed images use confidence. */
static void warn_of_confidence(const struct cli *cli, const struct labels_values *values,
                               const struct sl_answers *answers)
{
    const struct sl_label_method *method = sl_label_method_find(values->method);
    if (!method && values->rows) method = sl_label_method_find(values->rows);
    if (method && (method->reads & SL_LABEL_READS_MIX || !method->kinds)) return;
    const size_t count = sl_answers_count_confident(answers);
    if (count)
        sl_log(&cli->log, SL_LOG_WARNING,
               "%s: %zu answers have a confidence, which %s does not use", cli->arguments[0], count,
               values->method);
}

enum sl_status labels_read(struct cli *cli, const struct labels_values *values,
                           struct labels_input *out, struct sl_error *err)
{
    SL_TRY(cli_read_answers(cli, cli->arguments[0], &values->input, &out->answers, err));
    warn_of_confidence(cli, values, out->answers);
    const struct cli_names names = cli_names_of(out->answers);
    if (values->truth) SL_TRY(cli_read_truth(cli, values->truth, &names, &out->truth, err));
    if (values->vectors)
        SL_TRY(cli_read_similarity(values->vectors, (const char *const *)names.classes,
                                   names.n_classes, &out->similarity, err));
    out->options = sl_label_options_default();
    out->options.gamma = values->gamma;
    out->options.beta = values->beta;
    out->options.temperature = values->temperature;
    out->options.similarity = out->similarity;
    out->options.truth = out->truth;
    out->options.per_annotator = values->per_annotator;
    out->options.mean_first = values->mean_first;
    out->options.generated = values->generated;
    out->options.annotators = (size_t)values->annotators;
    out->options.seed = (uint64_t)values->seed;
    out->options.notes = &out->notes;
    return cli_as_released(cli->arguments[0], out->answers, values->as_released, &out->options.keep,
                           err);
}

void labels_input_release(struct labels_input *input)
{
    sl_answers_destroy(input->answers);
    free(input->truth);
    free(input->similarity);
    free(input->weights);
}

void labels_say_what_became(const struct cli *cli, const struct sl_label_notes *notes,
                            size_t n_labels)
{
    sl_log(&cli->log, SL_LOG_INFO, "%zu answers used", notes->n_used);
    if (notes->n_flagged)
        sl_log(&cli->log, SL_LOG_INFO, "%zu left out: repeats, second runs or checks",
               notes->n_flagged);
    if (notes->n_undrawn) sl_log(&cli->log, SL_LOG_INFO, "%zu not drawn", notes->n_undrawn);
    if (notes->n_weightless)
        sl_log(&cli->log, SL_LOG_INFO, "%zu left out: their annotators have weight 0",
               notes->n_weightless);
    if (notes->n_unusable)
        sl_log(&cli->log, SL_LOG_WARNING, "%zu unusable, the first: %s", notes->n_unusable,
               notes->first_unusable.message);
    if (notes->n_empty_items)
        sl_log(&cli->log, SL_LOG_WARNING, "%zu items have no answer left and no label",
               notes->n_empty_items);
    if (notes->n_timed && notes->n_timed == notes->n_used && n_labels)
        sl_log(&cli->log, SL_LOG_INFO, "the answers took %.1f s per label, as measured",
               notes->ms_used / 1000 / (double)n_labels);
    else if (notes->n_timed)
        sl_log(&cli->log, SL_LOG_INFO, "%zu of %zu answers were timed, %.1f s each", notes->n_timed,
               notes->n_used, notes->ms_timed / 1000 / (double)notes->n_timed);
}

/* What a label costs at --seconds-per-input; NaN without it. */
static double counted_seconds(const struct labels_values *values,
                              const struct sl_label_notes *notes, size_t n_labels)
{
    const int inputs =
        inputs_of(sl_label_method_find(values->method), sl_aggregator_find(values->method));
    return (double)notes->n_used / (double)n_labels * inputs * values->seconds_per_input;
}

static void say_counted_seconds(const struct cli *cli, const struct labels_values *values,
                                const struct sl_label_notes *notes, size_t n_labels)
{
    const double seconds = counted_seconds(values, notes, n_labels);
    const int inputs =
        inputs_of(sl_label_method_find(values->method), sl_aggregator_find(values->method));
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
        "{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "method", values->method, "labels",
        (json_int_t)n_rows, "answers", (json_int_t)notes->n_used, "left_out",
        (json_int_t)notes->n_flagged, "not_drawn", (json_int_t)notes->n_undrawn, "unusable",
        (json_int_t)notes->n_unusable, "items_without", (json_int_t)notes->n_empty_items,
        "seconds_per_label", cli_json_real(seconds), "provenance", cli_provenance(cli));
    if (isfinite(counted))
        json_object_set_new(value, "counted_seconds_per_label", json_real(counted));
    enum sl_status status = cli_print_json(value, err);
    json_decref(value);
    return status;
}

enum sl_status labels_build(const struct cli *cli, const struct sl_label_method *method,
                            const struct sl_answers *answers,
                            const struct sl_label_options *options, struct sl_rows **out,
                            struct sl_error *err)
{
    const enum sl_status status = sl_labels_build(method, answers, options, out, err);
    return status == SL_ERR_INPUT
               ? sl_fail_within(err, status, "%s", cli_shown(cli, cli->arguments[0]))
               : status;
}

static enum sl_status build(struct cli *cli, const struct labels_values *values,
                            const struct sl_label_method *method, struct sl_rows **out,
                            struct sl_label_notes *notes, struct sl_error *err)
{
    struct labels_input input = {0};
    enum sl_status status = labels_read(cli, values, &input, err);
    if (status == SL_OK && values->weights)
        status = labels_weights_read(cli, values->weights, input.answers->annotators,
                                     &input.weights, err);
    input.options.weights = input.weights;
    if (status == SL_OK)
        status = labels_build(cli, method, input.answers, &input.options, out, err);
    if (status == SL_OK) *notes = input.notes;
    if (status == SL_OK) labels_say_what_became(cli, notes, (*out)->n_rows);
    labels_input_release(&input);
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
    cli_table_add(&table, ensemble, "-",
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

/* Name rows that are in the order of folds, as Peterson et al. published theirs. */
static enum sl_status name_by_fold(struct sl_rows *rows, size_t n_folds, struct sl_error *err)
{
    if (rows->items) return sl_fail(err, SL_ERR_USAGE, "--folds: the rows have names already");
    char **items = sl_alloc(rows->n_rows + 1, sizeof *items);
    size_t n_named = 0;
    for (size_t fold = 0; fold < n_folds; fold++) {
        struct sl_split split = {0};
        const enum sl_status status =
            sl_split_fold_numpy(rows->n_rows, n_folds, fold, 0, &split, err);
        if (status != SL_OK) {
            sl_names_destroy(items);
            return status;
        }
        for (size_t i = 0; i < split.n_first; i++)
            items[n_named++] = sl_string_printf("%zu", split.first[i]);
        sl_split_release(&split);
    }
    rows->items = items;
    return SL_OK;
}

static enum sl_status run_labels(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct labels_values *options = values;
    if (options->list) return list_methods(options->json, err);
    if (!options->method) return sl_fail(err, SL_ERR_USAGE, "--method is missing, see --list");
    if (!options->output && !options->json)
        return sl_fail(err, SL_ERR_USAGE, "--output is missing: FILE");
    if (cli->n_arguments == 0) return sl_fail(err, SL_ERR_USAGE, "FILE is missing: the answers");
    bool many = strcmp(options->method, ensemble) == 0;
    if (cli->n_arguments > 1 && !many)
        return sl_fail(
            err, SL_ERR_USAGE,
            "\"%s\": %s reads one file of answers; softlab import joins several of one format",
            cli_shown(cli, cli->arguments[1]), options->method);
    const struct sl_label_method *method = sl_label_method_find(options->method);
    struct sl_label_notes notes = {0};
    struct sl_rows *rows = NULL;
    static const char *const without[] = {"list", "json", "threads", "seconds-per-input", NULL};
    char *provenance = cli_rows_provenance(cli, options->output, without);
    enum sl_status status;
    if (many)
        status = cli_read_ensemble(cli, cli->arguments, cli->n_arguments, options->temperature,
                                   &rows, err);
    else if (method)
        status = build(cli, options, method, &rows, &notes, err);
    else
        status =
            labels_aggregate(cli, options, sl_aggregator_find(options->method), &rows, &notes, err);
    if (status == SL_OK && many && options->folds > 0)
        status = name_by_fold(rows, (size_t)options->folds, err);
    if (status == SL_OK) say_counted_seconds(cli, options, &notes, rows->n_rows);
    if (status == SL_OK && options->output) {
        rows->provenance = provenance;
        provenance = NULL;
        status = sl_rows_write(rows, "labels", options->output, err);
    }
    if (status == SL_OK && options->json)
        status = print_summary(cli, options, &notes, rows->n_rows, err);
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
    .summary = "answers to label distributions, by any of the methods",
    .description =
        "Builds label distributions from answers: one answer's label averaged over annotators "
        "(docs/internals/labels.md), or the posterior of a model of the crowd "
        "(docs/internals/crowd.md). What ds-soft and the pools estimate is how opinions on the "
        "item "
        "are distributed, not which class is right. Repeats, second runs and checks are left out "
        "and counted.",
    .arguments = labels_arguments,
    .options = labels_options,
    .examples = labels_examples,
    .values_size = sizeof(struct labels_values),
    .mode = labels_mode,
    .samples = labels_samples,
    .run = run_labels,
};
