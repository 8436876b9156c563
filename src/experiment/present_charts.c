#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/outcome_internal.h"

enum { MOST_ROWS = 40, MOST_RELIABILITIES = 6, N_BINS = 10, BIN_FIELDS = 5 };

/* ---- Ours beside the paper's ---- */

/* The values of a forest chart: one category per row of the table. */
struct forest {
    const char *categories[MOST_ROWS];
    double x[2][MOST_ROWS], low[2][MOST_ROWS], high[2][MOST_ROWS]; /* paper, here */
    size_t count, n_left_out;
    bool has_paper, has_here;
};

static void set_place(struct forest *forest, size_t series, double value, double spread)
{
    forest->x[series][forest->count] = value;
    forest->low[series][forest->count] = value - spread;
    forest->high[series][forest->count] = value + spread;
}

static void add_to_forest(struct forest *forest, const struct sl_outcome_cell *cell)
{
    if (forest->count == MOST_ROWS) {
        forest->n_left_out++;
        return;
    }
    forest->categories[forest->count] = cell->row;
    set_place(forest, 0, cell->paper, cell->uncertainty);
    set_place(forest, 1, cell->here.mean, cell->here.spread);
    forest->has_paper = forest->has_paper || !isnan(cell->paper);
    forest->has_here = forest->has_here || !isnan(cell->here.mean);
    forest->count++;
}

static enum sl_status show_forest(const struct sl_presentation *show, const struct forest *forest,
                                  const char *title, struct sl_error *err)
{
    struct sl_plot_series series[2];
    for (size_t i = 0; i < 2; i++)
        series[i] = (struct sl_plot_series){.name = i == 0 ? "paper" : "here",
                                            .count = forest->count,
                                            .x = forest->x[i],
                                            .x_low = forest->low[i],
                                            .x_high = forest->high[i],
                                            .reference = i == 0};
    char note[96];
    snprintf(note, sizeof note, "%zu further rows are in the table only.", forest->n_left_out);
    struct sl_plot plot = {.kind = SL_PLOT_FOREST,
                           .title = title,
                           .note = forest->n_left_out ? note : NULL,
                           .y = {.scale = SL_SCALE_CATEGORY,
                                 .categories = forest->categories,
                                 .n_categories = forest->count},
                           .series = series,
                           .n_series = 2};
    return sl_report_chart(show->report, &plot, show->badge, err);
}

static bool same_column(const struct sl_outcome_cell *a, const struct sl_outcome_cell *b)
{
    return strcmp(a->metric, b->metric) == 0 && strcmp(a->test_set, b->test_set) == 0;
}

/* One chart per measure and test set for which both the paper and we have figures. */
enum sl_status sl_present_forests(const struct sl_presentation *show, struct sl_error *err)
{
    const struct sl_outcome *outcome = show->outcome;
    for (size_t first = 0; first < outcome->n_cells; first++) {
        const struct sl_outcome_cell *head = &outcome->cells[first];
        bool was_shown = !head->status;
        for (size_t i = 0; i < first && !was_shown; i++)
            was_shown = same_column(&outcome->cells[i], head);
        if (was_shown) continue;
        struct forest forest = {.count = 0};
        for (size_t i = first; i < outcome->n_cells; i++)
            if (same_column(&outcome->cells[i], head) && outcome->cells[i].status)
                add_to_forest(&forest, &outcome->cells[i]);
        if (!forest.has_here || !forest.has_paper || forest.count < 2) continue;
        char *column = sl_string_printf("%s/%s", head->test_set, head->metric);
        char *title = sl_experiment_column_title(*head->test_set ? column : head->metric);
        enum sl_status status = show_forest(show, &forest, title, err);
        free(column);
        free(title);
        SL_TRY(status);
    }
    return SL_OK;
}

/* The measure that most published figures of all outcomes have both here and there. */
static const struct sl_metric *commonest_metric(const struct sl_outcome *const *outcomes,
                                                size_t count)
{
    const struct sl_metric *found = NULL;
    size_t most = 1;
    for (const struct sl_metric *metric = sl_experiment_metrics; metric->name; metric++) {
        size_t n_figures = 0;
        for (size_t i = 0; i < count; i++)
            for (size_t c = 0; c < outcomes[i]->n_cells; c++) {
                const struct sl_outcome_cell *cell = &outcomes[i]->cells[c];
                n_figures += strcmp(cell->metric, metric->name) == 0 &&
                             !isnan(cell->here.mean - cell->paper);
            }
        if (n_figures > most) {
            most = n_figures;
            found = metric;
        }
    }
    return found;
}

/* The first test set on which the outcome has figures of the metric. */
static void add_outcome(struct forest *forest, const struct sl_outcome *outcome,
                        const struct sl_metric *metric, char **labels)
{
    const struct sl_outcome_cell *first = NULL;
    for (size_t i = 0; i < outcome->n_cells; i++) {
        const struct sl_outcome_cell *cell = &outcome->cells[i];
        if (strcmp(cell->metric, metric->name) != 0 || isnan(cell->here.mean - cell->paper))
            continue;
        if (!first) first = cell;
        if (!same_column(cell, first)) continue;
        size_t place = forest->count;
        add_to_forest(forest, cell);
        if (forest->count == place) continue;
        labels[place] = sl_string_printf("%s: %s", outcome->source.spec->name, cell->row);
        forest->categories[place] = labels[place];
    }
}

enum sl_status sl_present_overview(const struct sl_presentation *show,
                                   const struct sl_outcome *const *outcomes, size_t count,
                                   struct sl_error *err)
{
    struct forest forest = {.count = 0};
    char *labels[MOST_ROWS] = {NULL};
    const struct sl_metric *metric = commonest_metric(outcomes, count);
    if (!metric) return SL_OK;
    for (size_t i = 0; i < count; i++)
        add_outcome(&forest, outcomes[i], metric, labels);
    char *title = sl_string_printf("Here and in the papers: %s", metric->title);
    enum sl_status status = show_forest(show, &forest, title, err);
    free(title);
    for (size_t i = 0; i < forest.count; i++)
        free(labels[i]);
    return status;
}

/* ---- Scores against annotators, seconds or items ---- */

static json_t *plot_of(const struct sl_outcome *outcome, const char *key)
{
    return json_object_get(json_object_get(outcome->source.spec->json, "plot"), key);
}

/* Where a label set stands on the x axis; NaN if the specification does not say. */
static double place_of(const struct sl_outcome *outcome, const char *axis, const char *series,
                       const char *set)
{
    const json_t *labels =
        json_object_get(json_object_get(outcome->source.spec->json, "sets"), set);
    if (strcmp(axis, "count") == 0) {
        const json_t *count = json_object_get(labels, "count");
        return json_is_number(count) ? json_number_value(count) : (double)NAN;
    }
    const json_t *drawn = json_object_get(json_object_get(labels, "options"), "annotators");
    const json_t *all = json_object_get(plot_of(outcome, "all"), series);
    double annotators = json_is_number(drawn) ? json_number_value(drawn)
                        : json_is_number(all) ? json_number_value(all)
                                              : (double)NAN;
    if (strcmp(axis, "seconds") != 0) return annotators;
    const json_t *seconds = json_object_get(plot_of(outcome, "seconds_per_answer"), series);
    return json_is_number(seconds) ? annotators * json_number_value(seconds) : (double)NAN;
}

/* Arrays of one series, in one block. */
static struct sl_plot_series make_series(const char *name, size_t count, double **storage)
{
    double *block = sl_alloc(4 * count + 1, sizeof *block);
    *storage = block;
    return (struct sl_plot_series){.name = name,
                                   .count = count,
                                   .x = block,
                                   .y = block + count,
                                   .y_low = block + 2 * count,
                                   .y_high = block + 3 * count};
}

/* The scores of a series' label sets in one column; false if there is none. */
static bool fill_series(const struct sl_outcome *outcome, const char *column, const char *name,
                        const json_t *sets, double *block)
{
    const char *axis = json_string_value(plot_of(outcome, "x"));
    size_t count = json_array_size(sets);
    bool has_any = false;
    for (size_t i = 0; i < count; i++) {
        const char *set = json_string_value(json_array_get(sets, i));
        struct sl_sample sample;
        sl_outcome_collect(outcome, set ? set : "", column, &sample);
        struct sl_estimate estimate = sl_outcome_estimate(outcome, &sample);
        block[i] = set ? place_of(outcome, axis, name, set) : (double)NAN;
        block[count + i] = estimate.mean;
        block[2 * count + i] = estimate.mean - estimate.spread;
        block[3 * count + i] = estimate.mean + estimate.spread;
        has_any = has_any || sample.count > 0;
        sl_sample_release(&sample);
    }
    return has_any;
}

static const char *axis_label(const char *axis)
{
    if (strcmp(axis, "seconds") == 0) return "Seconds of annotators' time per item";
    if (strcmp(axis, "annotators") == 0) return "Annotators per item";
    return strcmp(axis, "count") == 0 ? "Items with soft labels" : axis;
}

static enum sl_status show_column(const struct sl_presentation *show, const char *column,
                                  struct sl_error *err)
{
    const struct sl_outcome *outcome = show->outcome;
    struct sl_plot_series series[SL_PLOT_MAX_SERIES];
    double *storage[SL_PLOT_MAX_SERIES];
    size_t count = 0;
    const char *name, *axis = json_string_value(plot_of(outcome, "x"));
    json_t *sets;
    json_object_foreach(plot_of(outcome, "series"), name, sets)
    {
        if (count == SL_PLOT_MAX_SERIES) break;
        series[count] = make_series(name, json_array_size(sets), &storage[count]);
        if (fill_series(outcome, column, name, sets, storage[count]))
            count++;
        else
            free(storage[count]);
    }
    char *title = sl_experiment_column_title(column);
    struct sl_plot plot = {
        .kind = SL_PLOT_LINES,
        .title = title,
        .x = {.label = axis_label(axis),
              .scale = strcmp(axis, "count") == 0 ? SL_SCALE_LINEAR : SL_SCALE_LOG},
        .note = "Mean over runs; whiskers are 95 % intervals.",
        .series = series,
        .n_series = count};
    enum sl_status status = count ? sl_report_chart(show->report, &plot, show->badge, err) : SL_OK;
    free(title);
    while (count > 0)
        free(storage[--count]);
    return status;
}

enum sl_status sl_present_series(const struct sl_presentation *show, struct sl_error *err)
{
    const struct sl_outcome *outcome = show->outcome;
    json_t *columns =
        json_object_get(json_object_get(outcome->source.spec->json, "table"), "columns");
    if (!json_is_object(plot_of(outcome, "series")) || !json_is_string(plot_of(outcome, "x")))
        return SL_OK;
    for (size_t i = 0; i < json_array_size(columns); i++) {
        const char *column = json_string_value(json_array_get(columns, i));
        if (column) SL_TRY(show_column(show, column, err));
    }
    return SL_OK;
}

/* ---- Reliability ---- */

struct reliability {
    double low[N_BINS], high[N_BINS], confidence[N_BINS], accuracy[N_BINS], weight[N_BINS];
};

/* Bins of runs differ where they are adaptive: they are put together by their mean confidence. */
static void add_bins(struct reliability *bins, const struct sl_numbers *rows)
{
    if (rows->width != BIN_FIELDS) return;
    for (size_t i = 0; i < rows->count; i++) {
        const double *row = &rows->values[i * BIN_FIELDS];
        double count = row[2], confidence = row[3], accuracy = row[4];
        if (!(count > 0) || !(confidence >= 0 && confidence <= 1) || isnan(accuracy)) continue;
        size_t bin = (size_t)(confidence * N_BINS);
        if (bin == N_BINS) bin--;
        bins->weight[bin] += count;
        bins->confidence[bin] += count * confidence;
        bins->accuracy[bin] += count * accuracy;
    }
}

static enum sl_status show_bins(const struct sl_presentation *show, struct reliability *bins,
                                const char *title, size_t n_runs, struct sl_error *err)
{
    for (size_t i = 0; i < N_BINS; i++) {
        bins->low[i] = (double)i / N_BINS;
        bins->high[i] = (double)(i + 1) / N_BINS;
        bins->confidence[i] =
            bins->weight[i] > 0 ? bins->confidence[i] / bins->weight[i] : (double)NAN;
        bins->accuracy[i] = bins->weight[i] > 0 ? bins->accuracy[i] / bins->weight[i] : (double)NAN;
    }
    char subtitle[96];
    snprintf(subtitle, sizeof subtitle, "Confidence against accuracy, %zu run%s together", n_runs,
             n_runs == 1 ? "" : "s");
    struct sl_plot_series series = {.count = N_BINS,
                                    .x = bins->confidence,
                                    .y = bins->accuracy,
                                    .x_low = bins->low,
                                    .x_high = bins->high,
                                    .weight = bins->weight};
    struct sl_plot plot = {.kind = SL_PLOT_RELIABILITY,
                           .title = title,
                           .subtitle = subtitle,
                           .x = {.label = "Confidence"},
                           .y = {.label = "Accuracy"},
                           .series = &series,
                           .n_series = 1};
    return sl_report_chart(show->report, &plot, show->badge, err);
}

/* The diagram of one row on one test set; *was_shown false if no run has bins for it. */
static enum sl_status show_row(const struct sl_presentation *show, const char *row,
                               const char *test, bool *was_shown, struct sl_error *err)
{
    struct reliability bins = {.low = {0}};
    size_t n_runs = 0;
    for (size_t i = 0; i < show->outcome->n_runs; i++) {
        const struct sl_outcome_run *run = &show->outcome->runs[i];
        const struct sl_numbers *rows = sl_numbers_find(&run->result->reliability, test);
        if (!rows || strcmp(run->row, row) != 0) continue;
        add_bins(&bins, rows);
        n_runs++;
    }
    *was_shown = n_runs > 0;
    if (n_runs == 0) return SL_OK;
    char *title = sl_string_printf("%s on %s", row, test);
    for (char *at = title; *at; at++)
        if (*at == '|') *at = ' ';
    enum sl_status status = show_bins(show, &bins, title, n_runs, err);
    free(title);
    return status;
}

/* The test sets of the specification, with those of its parts. */
static void list_tests(const json_t *spec, struct sl_name_table *out)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(spec, "tests"), name, value)
    {
        uint32_t index;
        if (sl_name_table_add(out, name, strlen(name), &index, NULL) != SL_OK) return;
    }
    json_object_foreach(json_object_get(spec, "parts"), name, value)
    {
        list_tests(value, out);
    }
}

enum sl_status sl_present_reliability(const struct sl_presentation *show, struct sl_error *err)
{
    struct sl_name_table *tests = sl_name_table_create();
    const struct sl_name_table *rows = show->outcome->rows;
    enum sl_status status = SL_OK;
    size_t n_shown = 0;
    list_tests(show->outcome->source.spec->json, tests);
    for (uint32_t test = 0; test < sl_name_table_count(tests); test++)
        for (uint32_t row = 0; row < sl_name_table_count(rows); row++) {
            bool was_shown;
            if (n_shown == MOST_RELIABILITIES) goto out;
            SL_TRY_OUT(show_row(show, sl_name_table_get(rows, row, NULL),
                                sl_name_table_get(tests, test, NULL), &was_shown, err));
            n_shown += was_shown;
        }
out:
    sl_name_table_destroy(tests);
    return status;
}
