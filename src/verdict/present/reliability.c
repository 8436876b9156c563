#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/present/present.h"

enum { MOST_DIAGRAMS = 6, MOST_TESTS = MOST_DIAGRAMS / 2, N_BINS = 10, BIN_FIELDS = 5 };

/* The pooled runs of one row on one test set. */
struct diagram {
    uint32_t row, test;
    size_t n_runs;
    double low[N_BINS], high[N_BINS], confidence[N_BINS], accuracy[N_BINS], weight[N_BINS];
    double gap; /* mean over items of how far their bin is from the diagonal */
    bool is_chosen;
};

/* Runs with adaptive bins have different ones, so bins are pooled by their mean confidence. */
static void add_bins(struct diagram *diagram, const struct sl_numbers *rows)
{
    if (rows->width != BIN_FIELDS) return;
    for (size_t i = 0; i < rows->count; i++) {
        const double *row = &rows->values[i * BIN_FIELDS];
        double count = row[2], confidence = row[3], accuracy = row[4];
        if (!(count > 0) || !(confidence >= 0 && confidence <= 1) || isnan(accuracy)) continue;
        size_t bin = (size_t)(confidence * N_BINS);
        if (bin == N_BINS) bin--;
        diagram->weight[bin] += count;
        diagram->confidence[bin] += count * confidence;
        diagram->accuracy[bin] += count * accuracy;
    }
}

static void finish(struct diagram *diagram)
{
    double items = 0;
    for (size_t i = 0; i < N_BINS; i++) {
        double weight = diagram->weight[i];
        diagram->low[i] = (double)i / N_BINS;
        diagram->high[i] = (double)(i + 1) / N_BINS;
        diagram->gap += fabs(diagram->confidence[i] - diagram->accuracy[i]);
        diagram->confidence[i] = weight > 0 ? diagram->confidence[i] / weight : (double)NAN;
        diagram->accuracy[i] = weight > 0 ? diagram->accuracy[i] / weight : (double)NAN;
        items += weight;
    }
    diagram->gap = items > 0 ? diagram->gap / items : (double)NAN;
}

static enum sl_status draw(const struct sl_presentation *show, const struct diagram *diagram,
                           const char *test, struct sl_error *err)
{
    char subtitle[120];
    snprintf(subtitle, sizeof subtitle,
             "%zu run%s; accuracy and confidence differ by %.3f on average", diagram->n_runs,
             diagram->n_runs == 1 ? "" : "s", diagram->gap);
    char *row = sl_verdict_row_title(show->outcome, diagram->row);
    char *title = sl_string_printf("Reliability of %s on %s", row, test);
    struct sl_plot_series series = {.count = N_BINS,
                                    .x = diagram->confidence,
                                    .y = diagram->accuracy,
                                    .x_low = diagram->low,
                                    .x_high = diagram->high,
                                    .weight = diagram->weight};
    struct sl_plot plot = {.kind = SL_PLOT_RELIABILITY,
                           .title = title,
                           .subtitle = subtitle,
                           .x = {.label = "Confidence"},
                           .y = {.label = "Accuracy"},
                           .series = &series,
                           .n_series = 1};
    enum sl_status status = sl_report_chart(show->report, &plot, show->badge, err);
    free(row);
    free(title);
    return status;
}

/* The test sets of the specification and of its parts. */
static void list_tests(const struct sl_brief *brief, struct sl_name_table *out)
{
    for (size_t i = 0; i < brief->n_designs; i++)
        for (size_t t = 0; t < brief->designs[i].tests.count; t++) {
            const char *name = brief->designs[i].tests.names[t];
            uint32_t index;
            if (sl_name_table_add(out, name, strlen(name), &index, NULL) != SL_OK) return;
        }
}

/* A diagram per test set and row that runs have bins for, test by test. */
static size_t collect(const struct sl_outcome *outcome, const struct sl_name_table *tests,
                      struct diagram *out)
{
    size_t count = 0, n_rows = sl_name_table_count(outcome->rows);
    for (uint32_t test = 0; test < sl_name_table_count(tests); test++) {
        const char *name = sl_name_table_get(tests, test, NULL);
        for (uint32_t row = 0; row < n_rows; row++)
            out[count + row] = (struct diagram){.row = row, .test = test};
        for (size_t i = 0; i < outcome->n_runs; i++) {
            const struct sl_outcome_run *run = &outcome->runs[i];
            const struct sl_numbers *rows = sl_numbers_find(&run->result->reliability, name);
            if (!rows) continue;
            add_bins(&out[count + run->row_number], rows);
            out[count + run->row_number].n_runs++;
        }
        size_t first = count;
        for (size_t row = 0; row < n_rows; row++) {
            if (out[first + row].n_runs == 0) continue;
            out[count] = out[first + row];
            finish(&out[count++]);
        }
    }
    return count;
}

/* Choose, of one test set, `each` diagrams nearest to the diagonal and `each` farthest from it. */
static void choose_extremes(struct diagram *diagrams, size_t count, size_t each)
{
    for (size_t taken = 0; taken < 2 * each; taken++) {
        double sign = taken < each ? 1 : -1;
        struct diagram *best = NULL;
        for (size_t i = 0; i < count; i++)
            if (!diagrams[i].is_chosen && !isnan(diagrams[i].gap) &&
                (!best || sign * diagrams[i].gap < sign * best->gap))
                best = &diagrams[i];
        if (best) best->is_chosen = true;
    }
}

static void choose(struct diagram *diagrams, size_t count)
{
    size_t n_tests = 0;
    for (size_t i = 0; i < count; i++)
        n_tests += i == 0 || diagrams[i].test != diagrams[i - 1].test;
    size_t each = n_tests == 1 ? MOST_DIAGRAMS / 2 : 1, seen = 0;
    for (size_t first = 0, end; first < count && seen < MOST_TESTS; first = end, seen++) {
        for (end = first; end < count && diagrams[end].test == diagrams[first].test;)
            end++;
        choose_extremes(&diagrams[first], end - first, each);
    }
}

/* Says which diagrams are shown, and of how many. */
static void explain(const struct sl_presentation *show, const struct diagram *diagrams,
                    size_t count)
{
    size_t n_chosen = 0, n_tests = 0;
    for (size_t i = 0; i < count; i++) {
        n_chosen += diagrams[i].is_chosen;
        n_tests += i == 0 || diagrams[i].test != diagrams[i - 1].test;
    }
    sl_report_paragraph(show->report);
    if (n_tests == 1)
        sl_report_text(show->report, SL_STYLE_PLAIN,
                       "%zu of %zu reliability diagrams are shown: the rows nearest to the "
                       "diagonal and those farthest from it, by the mean gap between confidence "
                       "and accuracy.",
                       n_chosen, count);
    else
        sl_report_text(show->report, SL_STYLE_PLAIN,
                       "%zu of %zu reliability diagrams are shown: on %s the row nearest to the "
                       "diagonal and the one farthest from it, by the mean gap between confidence "
                       "and accuracy.",
                       n_chosen, count,
                       n_tests > MOST_TESTS ? "the first three test sets" : "every test set");
}

enum sl_status sl_present_reliability(const struct sl_presentation *show, struct sl_error *err)
{
    const struct sl_outcome *outcome = show->outcome;
    struct sl_name_table *tests = sl_name_table_create();
    enum sl_status status = SL_OK;
    list_tests(outcome->source.spec->brief, tests);
    size_t n_rows = sl_name_table_count(outcome->rows), n_tests = sl_name_table_count(tests);
    struct diagram *diagrams = sl_alloc(n_tests * n_rows + 1, sizeof *diagrams);
    size_t count = collect(outcome, tests, diagrams);
    if (count > MOST_DIAGRAMS) {
        choose(diagrams, count);
        explain(show, diagrams, count);
    }
    for (size_t i = 0; i < count; i++)
        if (diagrams[i].is_chosen || count <= MOST_DIAGRAMS)
            SL_TRY_OUT(
                draw(show, &diagrams[i], sl_name_table_get(tests, diagrams[i].test, NULL), err));
out:
    free(diagrams);
    sl_name_table_destroy(tests);
    return status;
}
