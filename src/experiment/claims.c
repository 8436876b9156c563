#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/outcome_internal.h"

enum { N_COLUMNS = 7 };

/* Two that differ by less than this share of the larger are alike. */
static const double alike = .05;

/* One mean of a claim: a row on a test set, or on its own if that is empty. */
struct term {
    char *row, *test; /* owned */
    double weight;
};
struct question {
    struct term terms[SL_CONTRAST_MAX];
    size_t count;
    const char *metric;
};

/* The first or second half of "A>B"; all of it without a '>'. */
static char *half_of(const char *text, bool second)
{
    const char *split = strchr(text, '>');
    if (!split) return sl_string_copy(text);
    return second ? sl_string_copy(split + 1) : sl_string_copy_n(text, (size_t)(split - text));
}

static void add_term(struct question *question, const char *row, const char *test,
                     const bool halves[2], double weight)
{
    question->terms[question->count++] =
        (struct term){half_of(row, halves[0]), half_of(test, halves[1]), weight};
}

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* better - worse; for gains, the same in the second case taken away. The same row on both sides of
 * another claim means its two test sets. */
static void ask(const struct sl_outcome_claim *claim, struct question *question)
{
    bool is_gain = begins(claim->claim, "gain:");
    const bool first[2] = {false, false}, second[2] = {true, true};
    *question = (struct question){.metric = claim->metric};
    add_term(question, claim->better, claim->test_set, first, 1);
    add_term(question, claim->worse, claim->test_set, is_gain ? first : second, -1);
    if (!is_gain) return;
    add_term(question, claim->better, claim->test_set, second, -1);
    add_term(question, claim->worse, claim->test_set, second, 1);
}

static void question_release(struct question *question)
{
    for (size_t i = 0; i < question->count; i++) {
        free(question->terms[i].row);
        free(question->terms[i].test);
    }
}

static bool has_row(const char *cell, const char *row)
{
    size_t length = sl_experiment_row_length(cell);
    return strlen(row) == length && memcmp(cell, row, length) == 0;
}

/* A row key as coordinates: "pos/softmax" to "pos|softmax". */
static char *pattern_of(const char *row)
{
    char *pattern = sl_string_copy(row);
    for (char *at = pattern; *at; at++)
        if (*at == '/') *at = '|';
    return pattern;
}

/* Whether a published row is what a term asks for. */
static bool fits_term(const struct sl_expected_row *row, const struct term *term,
                      const char *metric)
{
    return has_row(row->cell, term->row) && strcmp(row->metric, metric) == 0 &&
           (*term->test == '\0' || strcmp(row->test_set, term->test) == 0);
}

/* The published figure of the row that the term names. */
static const struct sl_expected_row *find_named(const struct sl_outcome *outcome,
                                                const struct term *term, const char *metric)
{
    for (size_t i = 0; i < outcome->expected->count; i++)
        if (fits_term(&outcome->expected->rows[i], term, metric) &&
            !isnan(outcome->expected->rows[i].value))
            return &outcome->expected->rows[i];
    return NULL;
}

/* Or else the one that is printed for its coordinates, perhaps for others too: "0 % for each
 * network". */
static const struct sl_expected_row *find_published(const struct sl_outcome *outcome,
                                                    const struct term *term, const char *metric)
{
    const struct sl_expected_row *named = find_named(outcome, term, metric);
    if (named) return named;
    char *pattern = pattern_of(term->row);
    char *column = sl_string_printf("%s/%s", term->test, metric);
    const char *cell = sl_outcome_published(outcome, pattern, column);
    free(pattern);
    free(column);
    return cell ? sl_expected_find(outcome->expected, cell) : NULL;
}

/* The paper's mean with its variance, as far as it prints them. Without an uncertainty the printed
 * figures stand for themselves. */
static bool summarise_published(const struct sl_outcome *outcome, const struct term *term,
                                const char *metric, struct sl_summary *out)
{
    const struct sl_expected_row *row = find_published(outcome, term, metric);
    if (!row || isnan(row->value)) return false;
    double n = (double)row->n_runs, error = 0;
    if (!isnan(row->uncertainty) && row->n_runs >= 2) {
        if (strcmp(row->kind, "ci95") == 0)
            error = row->uncertainty / sl_student_t_quantile(.975, n - 1);
        if (strcmp(row->kind, "sd") == 0) error = row->uncertainty / sqrt(n);
        if (strcmp(row->kind, "se") == 0) error = row->uncertainty;
    }
    *out = (struct sl_summary){row->value, error * error, n - 1};
    return true;
}

/* The column of a metric on the term's test set; on the first that gives values where the claim
 * names none. */
static void collect_column(const struct sl_outcome *outcome, const char *pattern,
                           const struct term *term, const char *metric, struct sl_sample *out)
{
    json_t *columns =
        json_object_get(json_object_get(outcome->source.spec->json, "table"), "columns");
    for (size_t i = 0; i < json_array_size(columns); i++) {
        const char *column = json_string_value(json_array_get(columns, i));
        const char *slash = column ? strrchr(column, '/') : NULL;
        if (!slash || strcmp(slash + 1, metric) != 0) continue;
        size_t length = (size_t)(slash - column);
        bool is_asked = strlen(term->test) == length && memcmp(term->test, column, length) == 0;
        if (*term->test && !is_asked) continue;
        sl_sample_release(out);
        sl_outcome_collect(outcome, pattern, column, out);
        if (out->count) return;
    }
}

/* Runs of a term: by its coordinates, as a label set, or by the cell that it names. Not by a cell
 * that is printed for its coordinates among others: those others are not what was claimed. */
static bool collect_runs(const struct sl_outcome *outcome, const struct term *term,
                         const char *metric, struct sl_sample *out)
{
    *out = (struct sl_sample){0};
    char *patterns[3] = {pattern_of(term->row), sl_outcome_set_pattern(outcome, term->row), NULL};
    const struct sl_expected_row *row = find_named(outcome, term, metric);
    const char *column;
    if (row && !sl_outcome_place(outcome, row->cell, &patterns[2], &column)) patterns[2] = NULL;
    for (size_t i = 0; i < 3 && out->count == 0; i++)
        if (patterns[i]) collect_column(outcome, patterns[i], term, metric, out);
    for (size_t i = 0; i < 3; i++)
        free(patterns[i]);
    return out->count > 0;
}

/* True if a column key ("ce-v6", "entropy") stands for the metric on the test set. */
static bool column_means(const char *column, const struct sl_experiment_metric *metric,
                         const char *test)
{
    char *dashed = sl_string_copy(metric->name);
    for (char *at = dashed; *at; at++)
        if (*at == '_') *at = '-';
    const char *names[2] = {metric->column ? metric->column : dashed, dashed};
    bool means = false;
    for (size_t i = 0; i < 2 && !means; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(column, names[i], length) != 0) continue;
        means = column[length] == '\0' ||
                (column[length] == '-' && strcmp(column + length + 1, test) == 0);
    }
    free(dashed);
    return means;
}

static bool find_computed(const struct sl_outcome *outcome, const struct term *term,
                          const char *metric, double *out)
{
    const struct sl_experiment_metric *known = sl_experiment_metric_find(metric, strlen(metric));
    const char *key;
    json_t *value;
    json_object_foreach(outcome->computed, key, value)
    {
        if (!json_is_number(value) || !has_row(key, term->row)) continue;
        const struct sl_expected_row *row = sl_expected_find(outcome->expected, key);
        bool fits = row ? fits_term(row, term, metric)
                        : known && column_means(key + strlen(term->row) + 1, known, term->test);
        if (!fits) continue;
        *out = json_number_value(value);
        return true;
    }
    /* A row that is a number by definition, such as the share that was mixed. */
    const json_t *name =
        json_object_get(json_object_get(outcome->source.spec->json, "names"), term->row);
    if (!json_is_number(name)) return false;
    *out = json_number_value(name);
    return true;
}

typedef bool fill_term(const struct sl_outcome *outcome, const struct term *term,
                       const char *metric, struct sl_contrast *contrast, size_t index);

static bool fill_published(const struct sl_outcome *outcome, const struct term *term,
                           const char *metric, struct sl_contrast *contrast, size_t index)
{
    return summarise_published(outcome, term, metric, &contrast->summaries[index]);
}

static bool fill_runs(const struct sl_outcome *outcome, const struct term *term, const char *metric,
                      struct sl_contrast *contrast, size_t index)
{
    struct sl_sample *sample = &contrast->samples[index];
    if (!collect_runs(outcome, term, metric, sample)) return false;
    contrast->summaries[index] = sl_summary_of(sample->values, sample->count);
    return true;
}

static bool fill_computed(const struct sl_outcome *outcome, const struct term *term,
                          const char *metric, struct sl_contrast *contrast, size_t index)
{
    double value;
    if (!find_computed(outcome, term, metric, &value)) return false;
    contrast->summaries[index] = (struct sl_summary){value, 0, 1};
    return true;
}

static bool fill_either(const struct sl_outcome *outcome, const struct term *term,
                        const char *metric, struct sl_contrast *contrast, size_t index)
{
    if (fill_runs(outcome, term, metric, contrast, index)) return true;
    sl_sample_release(&contrast->samples[index]);
    return fill_computed(outcome, term, metric, contrast, index);
}

static void contrast_release(struct sl_contrast *contrast)
{
    for (size_t i = 0; i < SL_CONTRAST_MAX; i++)
        sl_sample_release(&contrast->samples[i]);
}

static bool fill(const struct sl_outcome *outcome, const struct question *question,
                 fill_term *fill_one, struct sl_contrast *out)
{
    *out = (struct sl_contrast){.count = question->count};
    for (size_t i = 0; i < question->count; i++) {
        out->weights[i] = question->terms[i].weight;
        if (fill_one(outcome, &question->terms[i], question->metric, out, i)) continue;
        contrast_release(out);
        return false;
    }
    return true;
}

/* NaN ends leave everything undecided. */
static enum sl_verdict decide(const struct sl_judgement *judgement)
{
    const struct sl_interval *range = &judgement->difference;
    double margin = judgement->margin;
    if (isnan(margin)) {
        if (range->low > 0) return SL_VERDICT_HOLDS;
        if (range->high < 0) return SL_VERDICT_FAILS;
        /* Exact figures that are equal do not differ. */
        return judgement->test == SL_TEST_EXACT && range->estimate == 0 ? SL_VERDICT_FAILS
                                                                        : SL_VERDICT_UNDECIDED;
    }
    if (range->low >= -margin && range->high <= margin) return SL_VERDICT_HOLDS;
    if (range->low > margin || range->high < -margin) return SL_VERDICT_FAILS;
    return SL_VERDICT_UNDECIDED;
}

/* Which way a positive difference must point: 0 if nothing says. */
static int orientation(const struct sl_outcome_claim *claim)
{
    const struct sl_experiment_metric *metric =
        sl_experiment_metric_find(claim->metric, strlen(claim->metric));
    if (begins(claim->claim, "more:") || begins(claim->claim, "similar:")) return 1;
    if (begins(claim->claim, "less:")) return -1;
    return metric ? metric->better : 0;
}

static struct sl_judgement judge(const struct sl_outcome *outcome,
                                 const struct sl_outcome_claim *claim, struct sl_contrast *contrast)
{
    struct sl_judgement judgement = {.verdict = SL_VERDICT_NOT_RUN, .margin = NAN};
    int sign = orientation(claim);
    if (sign == 0) return judgement;
    if (begins(claim->claim, "similar:"))
        judgement.margin =
            alike * fmax(fabs(contrast->summaries[0].mean), fabs(contrast->summaries[1].mean));
    for (size_t i = 0; i < contrast->count; i++)
        contrast->weights[i] *= sign;
    sl_contrast_judge(contrast, sl_name_table_count(outcome->identities), &judgement);
    judgement.verdict = decide(&judgement);
    return judgement;
}

/* Runs if all sides have them, else figures computed from data if all sides have those, else
 * whatever there is, unless that were a small network against large ones. */
static void judge_claim(const struct sl_outcome *outcome, struct sl_outcome_claim *claim)
{
    static fill_term *const sources[] = {fill_runs, fill_computed, fill_either};
    static const struct sl_judgement unknown = {
        .verdict = SL_VERDICT_NOT_RUN, .difference = {NAN, NAN, NAN}, .margin = NAN};
    const size_t n_sources = sl_spec_is_small(outcome->source.spec) ? 2 : 3;
    struct question question;
    struct sl_contrast contrast;
    ask(claim, &question);
    claim->here = claim->paper = unknown;
    for (size_t i = 0; i < n_sources; i++) {
        if (!fill(outcome, &question, sources[i], &contrast)) continue;
        claim->here = judge(outcome, claim, &contrast);
        contrast_release(&contrast);
        break;
    }
    if (fill(outcome, &question, fill_published, &contrast)) {
        claim->paper = judge(outcome, claim, &contrast);
        contrast_release(&contrast);
    }
    question_release(&question);
}

static void add_claim(struct sl_outcome *outcome, const struct sl_csv_record *record)
{
    const char *fields[N_COLUMNS];
    char *storage = sl_experiment_copy_record(record, N_COLUMNS, fields);
    outcome->claims = sl_resize(outcome->claims, outcome->n_claims + 1, sizeof *outcome->claims);
    struct sl_outcome_claim *claim = &outcome->claims[outcome->n_claims++];
    *claim = (struct sl_outcome_claim){.claim = fields[0],
                                       .better = fields[1],
                                       .worse = fields[2],
                                       .metric = fields[3],
                                       .test_set = fields[4],
                                       .section = fields[5],
                                       .words = fields[6],
                                       .storage = storage};
    judge_claim(outcome, claim);
}

enum sl_status sl_outcome_read_claims(struct sl_outcome *outcome, struct sl_error *err)
{
    const char *text = outcome->source.spec->claims;
    struct sl_csv_options options = sl_csv_options_default();
    struct sl_csv *csv = NULL;
    struct sl_csv_record record = {.count = 0};
    enum sl_status status = SL_OK;
    if (!text) return SL_OK;
    SL_TRY_OUT(sl_csv_open_memory(text, strlen(text), "claims.csv", &options, &csv, err));
    if (sl_csv_column_count(csv) != N_COLUMNS) {
        status = sl_csv_fail(csv, 1, err, "expected %d columns", N_COLUMNS);
        goto out;
    }
    for (;;) {
        SL_TRY_OUT(sl_csv_next(csv, &record, err));
        if (!record.count) break;
        add_claim(outcome, &record);
    }
out:
    sl_csv_close(csv);
    return status;
}
