/* One mean of a claim: a row on a test set, from runs, from computed figures or from the paper's
 * table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/judge/judge.h"

static bool has_row(const char *cell, const char *row)
{
    size_t length = sl_verdict_row_length(cell);
    return strlen(row) == length && memcmp(cell, row, length) == 0;
}

/* The coordinates of a row key: "pos|softmax" for "pos/softmax". */
static char *pattern_of(const char *row)
{
    char *pattern = sl_string_copy(row);
    for (char *at = pattern; *at; at++)
        if (*at == '/') *at = '|';
    return pattern;
}

/* ---- The paper ---- */

/* True if a published row is the term's. */
static bool fits_term(const struct sl_expected_row *row, const struct sl_term *term)
{
    return has_row(row->cell, term->row) && strcmp(row->metric, term->metric) == 0 &&
           (*term->test == '\0' || strcmp(row->test_set, term->test) == 0);
}

/* The published figure of the row that the term names. */
static const struct sl_expected_row *find_named(const struct sl_outcome *outcome,
                                                const struct sl_term *term)
{
    for (size_t i = 0; i < outcome->expected->count; i++)
        if (fits_term(&outcome->expected->rows[i], term) &&
            !isnan(outcome->expected->rows[i].value))
            return &outcome->expected->rows[i];
    return NULL;
}

/* The named figure, or else one printed for the term's coordinates among others, such as "0 % for
 * each network". */
static const struct sl_expected_row *find_published(const struct sl_outcome *outcome,
                                                    const struct sl_term *term)
{
    const struct sl_expected_row *named = find_named(outcome, term);
    if (named) return named;
    char *pattern = pattern_of(term->row);
    char *column = sl_string_printf("%s/%s", term->test, term->metric);
    const char *cell = sl_outcome_published(outcome, pattern, column);
    free(pattern);
    free(column);
    return cell ? sl_expected_find(outcome->expected, cell) : NULL;
}

struct sl_summary sl_expected_summary(const struct sl_expected_row *row)
{
    const double n = (double)row->n_runs;
    const bool has_n = row->n_runs >= 2;
    struct sl_summary summary = {.mean = row->value, .freedom = has_n ? n - 1 : 1};
    double error = row->uncertainty;
    if (isnan(error)) return summary; /* printed without ±: taken as exact */
    if (strcmp(row->kind, "ci95") == 0) {
        if (!has_n) summary.freedom = (double)INFINITY;
        error /= sl_student_t_quantile(.975, summary.freedom);
    } else if (strcmp(row->kind, "sd") == 0) {
        error /= sqrt(has_n ? n : 2);
    }
    /* An unknown kind is read as a standard error, which gives the widest interval. */
    summary.variance = error * error;
    return summary;
}

bool sl_term_fill_published(const struct sl_outcome *outcome, const struct sl_term *term,
                            struct sl_contrast *contrast, size_t index)
{
    const struct sl_expected_row *row = find_published(outcome, term);
    if (!row || isnan(row->value)) return false;
    contrast->summaries[index] = sl_expected_summary(row);
    return true;
}

/* ---- Runs ---- */

/* Collect a metric on the term's test set; if the claim names none, on the first with values. */
static void collect_column(const struct sl_outcome *outcome, const char *pattern,
                           const struct sl_term *term, struct sl_sample *out)
{
    const struct sl_name_list *columns = &outcome->source.spec->brief->columns;
    for (size_t i = 0; i < columns->count; i++) {
        const char *column = columns->names[i], *slash = strrchr(column, '/');
        if (!slash || strcmp(slash + 1, term->metric) != 0) continue;
        size_t length = (size_t)(slash - column);
        bool is_asked = strlen(term->test) == length && memcmp(term->test, column, length) == 0;
        if (*term->test && !is_asked) continue;
        sl_sample_release(out);
        sl_outcome_collect(outcome, pattern, column, out);
        if (out->count) return;
    }
}

/* Patterns of a term's runs: its coordinates, its name as a label set, or the cell it names. A cell
 * printed for these coordinates among others is not used, because the claim is not about those. */
enum { N_PATTERNS = 3 };
static void find_patterns(const struct sl_outcome *outcome, const struct sl_term *term,
                          char *patterns[N_PATTERNS])
{
    const struct sl_expected_row *row = find_named(outcome, term);
    const char *column;
    patterns[0] = pattern_of(term->row);
    patterns[1] = sl_outcome_set_pattern(outcome, term->row);
    patterns[2] = NULL;
    if (row && !sl_outcome_place(outcome, row->cell, &patterns[2], &column)) patterns[2] = NULL;
}

json_t *sl_term_planned(const struct sl_outcome *outcome, const struct sl_term *term)
{
    char *patterns[N_PATTERNS];
    json_t *keys = json_object();
    find_patterns(outcome, term, patterns);
    for (size_t i = 0; i < N_PATTERNS && json_object_size(keys) == 0; i++) {
        if (!patterns[i]) continue;
        json_decref(keys);
        keys = sl_outcome_planned(outcome, patterns[i]);
    }
    for (size_t i = 0; i < N_PATTERNS; i++)
        free(patterns[i]);
    return keys;
}

size_t sl_term_wanted(const struct sl_outcome *outcome, const struct sl_term *term)
{
    const struct sl_expected_row *row = find_named(outcome, term);
    if (row && row->n_runs >= 2) return row->n_runs;
    json_t *planned = sl_term_planned(outcome, term);
    const size_t count = json_object_size(planned);
    json_decref(planned);
    return count;
}

bool sl_term_fill_runs(const struct sl_outcome *outcome, const struct sl_term *term,
                       struct sl_contrast *contrast, size_t index)
{
    struct sl_sample *sample = &contrast->samples[index];
    char *patterns[N_PATTERNS];
    find_patterns(outcome, term, patterns);
    *sample = (struct sl_sample){0};
    for (size_t i = 0; i < N_PATTERNS && sample->count == 0; i++)
        if (patterns[i]) collect_column(outcome, patterns[i], term, sample);
    for (size_t i = 0; i < N_PATTERNS; i++)
        free(patterns[i]);
    if (sample->count == 0) {
        sl_sample_release(sample);
        return false;
    }
    contrast->summaries[index] = sl_summary_of(sample);
    contrast->n_runs[index] = sample->count;
    return true;
}

/* ---- Figures computed from data ---- */

/* True if a column key ("ce-v6", "entropy") stands for the metric on the test set. */
static bool column_means(const char *column, const struct sl_measure *metric, const char *test)
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

/* True if the term is about this cell. */
static bool is_about(const struct sl_outcome *outcome, const struct sl_term *term, const char *cell)
{
    if (!has_row(cell, term->row)) return false;
    const struct sl_expected_row *row = sl_expected_find(outcome->expected, cell);
    if (row) return fits_term(row, term);
    const struct sl_measure *known = sl_measure_find(term->metric, strlen(term->metric));
    return known && column_means(cell + strlen(term->row) + 1, known, term->test);
}

/* The computed cell that the term is about, or NULL. */
static const char *find_computed(const struct sl_outcome *outcome, const struct sl_term *term)
{
    const char *cell;
    json_t *value;
    json_object_foreach(outcome->computed, cell, value)
    {
        if (is_about(outcome, term, cell)) return cell;
    }
    return NULL;
}

/* The number of a row that is one by definition, such as a mixing share; or NaN. */
static double defined(const struct sl_outcome *outcome, const struct sl_term *term)
{
    const struct sl_brief *brief = outcome->source.spec->brief;
    for (size_t i = 0; i < brief->n_defined; i++)
        if (strcmp(brief->defined[i].name, term->row) == 0) return brief->defined[i].value;
    return NAN;
}

json_t *sl_term_definition(const struct sl_outcome *outcome, const struct sl_term *term)
{
    const struct sl_brief *brief = outcome->source.spec->brief;
    for (size_t i = 0; i < brief->n_figures; i++)
        if (is_about(outcome, term, brief->figures[i].cell))
            return json_deep_copy(brief->figures[i].definition);
    const double number = defined(outcome, term);
    if (!isnan(number)) return json_real(number);
    return json_pack("{s:s, s:s}", "table", outcome->source.spec->name, "row", term->row);
}

struct sl_sample sl_sample_of_folds(const json_t *values, uint32_t first)
{
    const size_t count = json_array_size(values);
    struct sl_sample sample = {.values = sl_alloc(count + 1, sizeof(double)),
                               .identities = sl_alloc(count + 1, sizeof(uint32_t)),
                               .count = count,
                               .overlap = count > 1 ? 1 / ((double)count - 1) : 0};
    for (size_t i = 0; i < count; i++) {
        sample.values[i] = json_number_value(json_array_get(values, i));
        sample.identities[i] = first + (uint32_t)i;
    }
    return sample;
}

double sl_computed_spread(const struct sl_outcome *outcome, const char *cell)
{
    const json_t *error = json_object_get(outcome->errors, cell);
    const json_t *values = json_object_get(outcome->samples, cell);
    if (json_array_size(values) < 2)
        return json_is_number(error) ? sl_normal_quantile(.975) * json_number_value(error)
                                     : (double)NAN;
    struct sl_sample sample = sl_sample_of_folds(values, 0);
    const struct sl_interval mean = sl_sample_interval(&sample);
    sl_sample_release(&sample);
    return (mean.high - mean.low) / 2;
}

bool sl_term_fill_computed(const struct sl_outcome *outcome, const struct sl_term *term,
                           struct sl_contrast *contrast, size_t index)
{
    const char *cell = find_computed(outcome, term);
    const json_t *figure = cell ? json_object_get(outcome->computed, cell) : NULL;
    const double value = json_is_number(figure) ? json_number_value(figure)
                         : cell                 ? (double)NAN
                                                : defined(outcome, term);
    if (isnan(value)) return false;
    const struct sl_measure *metric = sl_measure_find(term->metric, strlen(term->metric));
    const json_t *values = cell ? json_object_get(outcome->samples, cell) : NULL;
    const json_t *error = cell ? json_object_get(outcome->errors, cell) : NULL;
    struct sl_summary *summary = &contrast->summaries[index];
    *summary = (struct sl_summary){.mean = value, .freedom = 1};
    if (json_array_size(values)) {
        /* Identities after those of runs, so that folds do not pair with runs. */
        contrast->samples[index] =
            sl_sample_of_folds(values, (uint32_t)sl_name_table_count(outcome->identities));
        *summary = sl_summary_of(&contrast->samples[index]);
    } else if (json_is_number(error)) {
        summary->variance = json_number_value(error) * json_number_value(error);
        summary->freedom = (double)INFINITY;
        contrast->is_sampled[index] = true;
    } else if (cell && !(metric && metric->kind == SL_MEASURE_COUNT)) {
        /* The sampling error is unknown, so nothing can be decided. */
        summary->variance = (double)NAN;
    }
    return true;
}

bool sl_term_fill_either(const struct sl_outcome *outcome, const struct sl_term *term,
                         struct sl_contrast *contrast, size_t index)
{
    return sl_term_fill_runs(outcome, term, contrast, index) ||
           sl_term_fill_computed(outcome, term, contrast, index);
}
