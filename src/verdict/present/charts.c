#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/present/present.h"

enum { MOST_ROWS = 40 };

char *sl_verdict_row_title(const struct sl_outcome *outcome, uint32_t row)
{
    char *title = sl_string_copy(sl_name_table_get(outcome->rows, row, NULL));
    for (char *at = title; *at; at++)
        if (*at == '|') *at = ' ';
    return title;
}

char *sl_verdict_axis_title(const char *name)
{
    const struct sl_measure *metric = sl_measure_find(name, strlen(name));
    if (!metric) return sl_string_copy(name);
    const char *better = metric->better > 0   ? " (higher is better)"
                         : metric->better < 0 ? " (lower is better)"
                                              : "";
    return sl_string_printf("%s%s", metric->title, better);
}

char *sl_verdict_heading(char *text)
{
    text[0] = (char)toupper((unsigned char)text[0]);
    return text;
}

/* ---- Our figures and the paper's ---- */

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
                                  const char *title, const char *metric, struct sl_error *err)
{
    struct sl_plot_series series[2];
    char *axis = sl_verdict_axis_title(metric);
    for (size_t i = 0; i < 2; i++)
        series[i] = (struct sl_plot_series){.name = i == 0 ? "paper" : "here",
                                            .count = forest->count,
                                            .x = forest->x[i],
                                            .x_low = forest->low[i],
                                            .x_high = forest->high[i],
                                            .reference = i == 0};
    char note[96];
    snprintf(note, sizeof note, "The first %zu of %zu rows; the tables show all.", forest->count,
             forest->count + forest->n_left_out);
    struct sl_plot plot = {.kind = SL_PLOT_FOREST,
                           .title = title,
                           .note = forest->n_left_out ? note : NULL,
                           .x = {.label = axis},
                           .y = {.scale = SL_SCALE_CATEGORY,
                                 .categories = forest->categories,
                                 .n_categories = forest->count},
                           .series = series,
                           .n_series = 2};
    const enum sl_status status = sl_report_chart(show->report, &plot, show->badge, err);
    free(axis);
    return status;
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
        char *name = sl_verdict_chart_title(*head->test_set ? column : head->metric);
        char *title = sl_verdict_heading(sl_string_copy(name));
        enum sl_status status = show_forest(show, &forest, title, head->metric, err);
        free(column);
        free(name);
        free(title);
        SL_TRY(status);
    }
    return SL_OK;
}

/* The measure with the most published figures that also have a value here. */
static const struct sl_measure *commonest_metric(const struct sl_presentation *shows, size_t count)
{
    const struct sl_measure *found = NULL;
    size_t most = 1;
    for (const struct sl_measure *metric = sl_measures; metric->name; metric++) {
        size_t n_figures = 0;
        for (size_t i = 0; i < count; i++)
            for (size_t c = 0; c < shows[i].outcome->n_cells; c++) {
                const struct sl_outcome_cell *cell = &shows[i].outcome->cells[c];
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

/* Add the outcome's figures of the metric on the first test set that has them. */
static void add_outcome(struct forest *forest, const struct sl_presentation *show,
                        const struct sl_measure *metric, char **labels)
{
    const struct sl_outcome *outcome = show->outcome;
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
        labels[place] = sl_string_printf("%s: %s", show->id, cell->row);
        forest->categories[place] = labels[place];
    }
}

enum sl_status sl_present_figures(struct sl_report *report, const struct sl_presentation *shows,
                                  size_t count, struct sl_error *err)
{
    struct forest forest = {.count = 0};
    struct sl_presentation show = {.report = report, .badge = sl_present_mixed(shows, count)};
    char *labels[MOST_ROWS] = {NULL};
    const struct sl_measure *metric = commonest_metric(shows, count);
    if (!metric) return SL_OK;
    for (size_t i = 0; i < count; i++)
        add_outcome(&forest, &shows[i], metric, labels);
    char *fold = sl_string_printf("All tables in one chart: %s", metric->title);
    char *title = sl_verdict_heading(sl_string_printf("%s in every table", metric->title));
    sl_report_fold(report, fold);
    enum sl_status status = show_forest(&show, &forest, title, metric->name, err);
    sl_report_fold_end(report);
    free(fold);
    free(title);
    for (size_t i = 0; i < forest.count; i++)
        free(labels[i]);
    return status;
}

/* ---- Scores against annotators, seconds or items ---- */

/* The label set of that name; its numbers are NaN if the specification has none. */
static struct sl_brief_set find_set(const struct sl_outcome *outcome, const char *name)
{
    const struct sl_brief *brief = outcome->source.spec->brief;
    for (size_t i = 0; i < brief->n_sets; i++)
        if (strcmp(brief->sets[i].name, name) == 0) return brief->sets[i];
    return (struct sl_brief_set){.count = NAN, .annotators = NAN};
}

/* Where a label set stands on the x axis; NaN if the specification does not say. */
static double place_of(const struct sl_outcome *outcome, const struct sl_brief_series *series,
                       const char *name)
{
    const char *axis = outcome->source.spec->brief->plot_x;
    const struct sl_brief_set set = find_set(outcome, name);
    if (strcmp(axis, "count") == 0) return set.count;
    const double annotators = isnan(set.annotators) ? series->all : set.annotators;
    return strcmp(axis, "seconds") == 0 ? annotators * series->seconds : annotators;
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

static void set_point(double *block, size_t count, size_t i, const double point[3])
{
    block[i] = point[0];
    block[count + i] = point[1];
    block[2 * count + i] = point[1] - point[2];
    block[3 * count + i] = point[1] + point[2];
}

/* The published mean and ± of a label set, or NaN. */
static void find_paper(const struct sl_outcome *outcome, const char *set, const char *column,
                       double *mean, double *spread)
{
    const char *cell = sl_outcome_published(outcome, set, column);
    const struct sl_expected_row *row = cell ? sl_expected_find(outcome->expected, cell) : NULL;
    *mean = row ? row->value : (double)NAN;
    *spread = row ? row->uncertainty : (double)NAN;
}

/* The scores of a series' label sets in one column, ours or the paper's; false if there is none. */
static bool fill_series(const struct sl_outcome *outcome, const char *column,
                        const struct sl_brief_series *series, bool is_paper, double *block)
{
    size_t count = series->sets.count;
    bool has_any = false;
    for (size_t i = 0; i < count; i++) {
        const char *set = series->sets.names[i];
        double point[3] = {place_of(outcome, series, set), NAN, NAN};
        if (is_paper) {
            find_paper(outcome, set, column, &point[1], &point[2]);
        } else {
            struct sl_sample sample;
            sl_outcome_collect(outcome, set, column, &sample);
            struct sl_estimate estimate = sl_outcome_estimate(outcome, &sample);
            point[1] = estimate.mean;
            point[2] = estimate.spread;
            sl_sample_release(&sample);
        }
        set_point(block, count, i, point);
        has_any = has_any || !isnan(point[0] + point[1]);
    }
    return has_any;
}

/* The x axis: its name in the specification, its words in a title, its label and unit. */
static const struct axis {
    const char *name, *words, *label, *unit;
} axes[] = {{"seconds", "annotator time", "Annotator time per item", "s"},
            {"annotators", "annotators per item", "Annotators per item", NULL},
            {"count", "number of soft labels", "Items with soft labels", NULL}};

static struct axis find_axis(const char *name)
{
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        if (strcmp(axes[i].name, name) == 0) return axes[i];
    return (struct axis){name, name, name, NULL};
}

/* Our lines first, then the published ones. */
struct lines {
    struct sl_plot_series series[SL_PLOT_MAX_SERIES];
    double *storage[SL_PLOT_MAX_SERIES];
    char *names[SL_PLOT_MAX_SERIES];
    size_t count, n_papers;
};

static void add_lines(const struct sl_outcome *outcome, const char *column, bool is_paper,
                      struct lines *lines)
{
    const struct sl_brief *brief = outcome->source.spec->brief;
    for (size_t i = 0; i < brief->n_series && lines->count < SL_PLOT_MAX_SERIES; i++) {
        const struct sl_brief_series *series = &brief->series[i];
        const size_t at = lines->count;
        lines->series[at] = make_series(series->name, series->sets.count, &lines->storage[at]);
        if (!fill_series(outcome, column, series, is_paper, lines->storage[at])) {
            free(lines->storage[at]);
            continue;
        }
        lines->names[at] = sl_string_printf("%s%s", series->name, is_paper ? ", paper" : "");
        lines->series[at].name = lines->names[at];
        lines->series[at].reference = is_paper;
        lines->count++;
        lines->n_papers += is_paper;
    }
}

static enum sl_status show_column(const struct sl_presentation *show, const char *column,
                                  struct sl_error *err)
{
    const struct sl_outcome *outcome = show->outcome;
    struct lines lines = {.count = 0};
    const struct axis axis = find_axis(outcome->source.spec->brief->plot_x);
    enum sl_status status = SL_OK;
    add_lines(outcome, column, false, &lines);
    if (lines.count) add_lines(outcome, column, true, &lines);
    const char *slash = strrchr(column, '/');
    char *name = sl_verdict_chart_title(column);
    char *title = sl_verdict_heading(sl_string_printf("%s, by %s", name, axis.words));
    char *y_label = sl_verdict_axis_title(slash ? slash + 1 : column);
    struct sl_plot plot = {
        .kind = SL_PLOT_LINES,
        .title = title,
        .y = {.label = y_label},
        .x = {.label = axis.label,
              .unit = axis.unit,
              .scale = strcmp(axis.name, "count") == 0 ? SL_SCALE_LINEAR : SL_SCALE_LOG},
        .note = lines.n_papers ? "Mean over runs; whiskers are 95 % intervals. Grey: the points "
                                 "that the paper prints, with its ±."
                               : "Mean over runs; whiskers are 95 % intervals.",
        .series = lines.series,
        .n_series = lines.count};
    if (lines.count) status = sl_report_chart(show->report, &plot, show->badge, err);
    free(name);
    free(title);
    free(y_label);
    while (lines.count > 0) {
        free(lines.storage[--lines.count]);
        free(lines.names[lines.count]);
    }
    return status;
}

enum sl_status sl_present_series(const struct sl_presentation *show, struct sl_error *err)
{
    const struct sl_outcome *outcome = show->outcome;
    const struct sl_brief *brief = outcome->source.spec->brief;
    if (brief->n_series == 0 || !brief->plot_x) return SL_OK;
    for (size_t i = 0; i < brief->columns.count; i++)
        SL_TRY(show_column(show, brief->columns.names[i], err));
    return SL_OK;
}
