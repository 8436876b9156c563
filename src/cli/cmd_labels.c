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

#define FIELD(name) .offset = offsetof(struct labels_values, name)

static const struct cli_option labels_options[] = {
    {"method", 'm', CLI_CHOICE, "NAME", "how labels are made, see --list", FIELD(method),
     .choices = method_names},
    {"output", 'o', CLI_PATH, "FILE", "where they go: .npz, .npy, .csv or .json", FIELD(output)},
    {"list", 'l', CLI_FLAG, NULL, "print the methods", FIELD(list)},
    {"json", 0, CLI_FLAG, NULL,
     "what became of an answers.jsonl and how long it took, or with --list the methods, as JSON",
     FIELD(json)},
    CLI_ANSWER_OPTIONS(offsetof(struct labels_values, input)),
    {"annotators", 'a', CLI_INTEGER, "M", "draw this many answers per item; 0 takes all",
     FIELD(annotators), "0", 0, 1e9},
    {"seed", 0, CLI_INTEGER, "N", "of whatever is drawn", FIELD(seed), "1", 0, 9e15},
    {"as-released", 0, CLI_FLAG, NULL, "keep repeats and second runs, as the published labels do",
     FIELD(as_released)},
    {"truth", 0, CLI_PATH, "FILE",
     "true classes, for hard, smooth and class; otherwise the answers' own", FIELD(truth)},
    {"weights", 0, CLI_PATH, "FILE.csv",
     "what each annotator's answers count for, in place of what a method would learn: columns "
     "annotator and weight",
     FIELD(weights)},
    {"gamma", 0, CLI_REAL, "G",
     "mass for possible classes nobody named (default .1); for mix the base of the smoothing "
     "(default .005)",
     FIELD(gamma), NULL, 0, 1},
    {"beta", 0, CLI_REAL, "B", "label smoothing", FIELD(beta), "0.05", 0, 1},
    {"temperature", 0, CLI_REAL, "T", "of softmax and ensemble", FIELD(temperature), "1", 1e-6,
     1e6},
    {"folds", 0, CLI_INTEGER, "N",
     "ensemble: the rows are of N folds one after another, cut from numpy's shuffle of seed 0; "
     "name them by item",
     FIELD(folds), "0", 0, 1e6},
    {"per-annotator", 'p', CLI_FLAG, NULL, "a row per answer instead of one per item",
     FIELD(per_annotator)},
    {"mean-first", 0, CLI_FLAG, NULL, "mix: average shares and confidences before smoothing",
     FIELD(mean_first)},
    {"generated", 0, CLI_FLAG, NULL, "mix: the share that was mixed instead of the inferred one",
     FIELD(generated)},
    {"vectors", 0, CLI_PATH, "FILE", "word vectors in GloVe's text form, for the semantic methods",
     FIELD(vectors)},
    {"iterations", 0, CLI_INTEGER, "N", "at most this many rounds", FIELD(iterations), "100", 1,
     1e6},
    {"tolerance", 0, CLI_REAL, "X", "relative gain of the log-likelihood that ends it",
     FIELD(tolerance), "1e-7", 0, 1},
    {"smoothing", 0, CLI_REAL, "X",
     "pseudo-count on every cell of a confusion matrix (default: the method's own)",
     FIELD(smoothing), NULL, 0, 1e6},
    {"diagonal", 0, CLI_REAL, "X",
     "further pseudo-count on its diagonal (default: the method's own)", FIELD(diagonal), NULL, 0,
     1e6},
    {"start", 0, CLI_CHOICE, "HOW", "where Dawid-Skene starts", FIELD(start), "shares",
     .choices = starts},
    {"tie", 0, CLI_CHOICE, "RULE", "how mv breaks a tie", FIELD(tie), "share", .choices = ties},
    {"em", 0, CLI_FLAG, NULL, "mace: plain EM instead of variational", FIELD(em)},
    {"gold", 0, CLI_PATH, "FILE", "items whose class is known and stays, as for --truth",
     FIELD(gold)},
    {"predictions", 0, CLI_PATH, "FILE", "a classifier's predictions, for crowdlab",
     FIELD(predictions)},
    {"rows", 0, CLI_CHOICE, "NAME",
     "how one answer becomes the distribution that ds-soft and the pools read (default: t2-clamp "
     "where people named top classes, otherwise share, which takes distributions as they are)",
     FIELD(rows), .choices = row_methods},
    {"calibrate", 0, CLI_FLAG, NULL, "calibrate every annotator's probabilities first",
     FIELD(calibrate)},
    {"reference", 0, CLI_PATH, "FILE", "known distributions of some items, to learn weights from",
     FIELD(reference)},
    {"annotators-out", 0, CLI_PATH, "FILE.csv",
     "also write what the method estimates of annotators: skill, weight, confusion",
     FIELD(annotators_out)},
    {"state", 0, CLI_PATH, "FILE.npz",
     "also write posteriors, confusions, skills, prior and log-likelihoods", FIELD(state)},
    {"resume", 0, CLI_PATH, "FILE.npz", "go on from a state, when answers were added",
     FIELD(resume)},
    {"prior", 0, CLI_PATH, "FILE.npz",
     "a state whose confusion matrices are what is known of annotators beforehand", FIELD(prior)},
    {"prior-weight", 0, CLI_REAL, "N", "how many answers per class such a matrix counts for",
     FIELD(prior_weight), "10", 0, 1e9},
    {"threads", 0, CLI_INTEGER, "N", "threads; the result does not depend on them", FIELD(threads),
     "1", 1, 1024},
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

enum sl_status labels_read(struct cli *cli, const struct labels_values *values,
                           struct labels_input *out, struct sl_error *err)
{
    SL_TRY(cli_read_answers(cli, cli->arguments[0], &values->input, &out->answers, err));
    const struct cli_names names = cli_names_of(out->answers);
    if (values->truth) SL_TRY(cli_read_truth(values->truth, &names, &out->truth, err));
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
    out->options.keep = values->as_released ? SL_ANSWER_REPEAT | SL_ANSWER_SECOND_RUN : 0;
    out->options.seed = (uint64_t)values->seed;
    out->options.notes = &out->notes;
    return SL_OK;
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
    if (notes->n_used && n_labels && !isnan(notes->ms_used))
        sl_log(&cli->log, SL_LOG_INFO, "the answers took %.1f s per label, as measured",
               notes->ms_used / 1000 / (double)n_labels);
}

static enum sl_status print_summary(const struct cli *cli, const char *method,
                                    const struct sl_label_notes *notes, size_t n_rows,
                                    struct sl_error *err)
{
    double seconds = notes->n_used && n_rows ? notes->ms_used / 1000 / (double)n_rows : (double)NAN;
    json_t *value = json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "method", method, "labels",
        (json_int_t)n_rows, "answers", (json_int_t)notes->n_used, "left_out",
        (json_int_t)notes->n_flagged, "not_drawn", (json_int_t)notes->n_undrawn, "unusable",
        (json_int_t)notes->n_unusable, "items_without", (json_int_t)notes->n_empty_items,
        "seconds_per_label", cli_json_real(seconds), "provenance", cli_provenance(cli));
    enum sl_status status = cli_print_json(value, err);
    json_decref(value);
    return status;
}

static enum sl_status build(struct cli *cli, const struct labels_values *values,
                            const struct sl_label_method *method, struct sl_rows **out,
                            struct sl_label_notes *notes, struct sl_error *err)
{
    struct labels_input input = {0};
    SL_TRY(labels_check_annotators(values, method->name, 0, true, err));
    enum sl_status status = labels_read(cli, values, &input, err);
    if (status == SL_OK && values->weights)
        status = labels_weights_read(cli, values->weights, input.answers->annotators,
                                     &input.weights, err);
    input.options.weights = input.weights;
    if (status == SL_OK) status = sl_labels_build(method, input.answers, &input.options, out, err);
    if (status == SL_OK) *notes = input.notes;
    if (status == SL_OK) labels_say_what_became(cli, notes, (*out)->n_rows);
    if (status == SL_OK && method->inputs && (*out)->n_rows) {
        double answers = (double)input.notes.n_used / (double)(*out)->n_rows;
        sl_log(&cli->log, SL_LOG_INFO,
               "a label cost %.1f s of annotators' time: %.2f answers of %d input%s, %.1f s each",
               sl_label_seconds(method, answers, NULL, 0), answers, method->inputs,
               method->inputs == 1 ? "" : "s", SL_SECONDS_PER_INPUT);
    }
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
    cli_table_add(&table, ensemble, "-", "mean of classifiers' predictions (distillation)");
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

/* Predictions have neither answers nor annotators. */
static enum sl_status check_ensemble(const struct labels_values *values, struct sl_error *err)
{
    const struct {
        bool given;
        const char *name;
    } options[] = {{values->input.columns, "columns"},
                   {values->input.abstain.count, "abstain"},
                   {values->input.leave_out.count, "leave-out"}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given)
            return sl_fail(err, SL_ERR_USAGE, "--%s: ensemble reads predictions, not answers",
                           options[i].name);
    return labels_check_annotators(values, ensemble, 0, false, err);
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
        return sl_fail(err, SL_ERR_USAGE, "one word too many: \"%s\"", cli->arguments[1]);
    const struct sl_label_method *method = sl_label_method_find(options->method);
    struct sl_label_notes notes = {0};
    struct sl_rows *rows = NULL;
    static const char *const without[] = {"output", "list",    "json", "annotators-out",
                                          "state",  "threads", NULL};
    char *provenance = cli_rows_provenance(cli, options->output, without);
    enum sl_status status = many ? check_ensemble(options, err) : SL_OK;
    if (many && status == SL_OK)
        status =
            cli_read_ensemble(cli->arguments, cli->n_arguments, options->temperature, &rows, err);
    else if (!many && method)
        status = build(cli, options, method, &rows, &notes, err);
    else if (!many)
        status =
            labels_aggregate(cli, options, sl_aggregator_find(options->method), &rows, &notes, err);
    if (status == SL_OK && many && options->folds > 0)
        status = name_by_fold(rows, (size_t)options->folds, err);
    if (status == SL_OK && options->output) {
        rows->provenance = provenance;
        provenance = NULL;
        status = sl_rows_write(rows, "labels", options->output, err);
    }
    if (status == SL_OK && options->json)
        status = print_summary(cli, options->method, &notes, rows->n_rows, err);
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
    .run = run_labels,
};
