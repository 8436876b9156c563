/* A plan as a page, a chart, a table or JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/asking/asking.h"
#include "softlab/base/csv.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/report.h"

/* ---- The chart ---- */

enum { MOST_SERIES = SL_SCREENS * SL_ASK_ALLOCATIONS, SERIES_NAME = 48 };

struct axis {
    const char *label, *unit;
    double (*value)(const struct sl_plan_row *row);
};
static double money_of(const struct sl_plan_row *row)
{
    return row->money;
}
static double hours_of(const struct sl_plan_row *row)
{
    return row->hours;
}
static double answers_of(const struct sl_plan_row *row)
{
    return row->per_item;
}

/* What budgets are shown in: the first of money, time and answers that all rows have. */
static struct axis find_axis(const struct sl_budget_plan *plan)
{
    bool timed = true;
    for (size_t s = 0; s < plan->n_screens; s++)
        timed = timed && !isnan(plan->screens[s].seconds);
    if (timed && plan->job->pay_per_hour > 0)
        return (struct axis){"Cost", plan->job->currency, money_of};
    if (timed) return (struct axis){"Annotators' time", "h", hours_of};
    return (struct axis){"Answers per item", NULL, answers_of};
}

static void fill_series(const struct sl_budget_plan *plan, bool squares, struct axis axis,
                        size_t number, double *columns, struct sl_plot_series *out)
{
    const size_t n = plan->n_budgets;
    const struct sl_plan_row *rows = plan->rows + number * n;
    for (size_t b = 0; b < n; b++) {
        const struct sl_interval *value = squares ? &rows[b].square : &rows[b].risk;
        columns[b] = axis.value(&rows[b]);
        columns[n + b] = value->estimate;
        columns[2 * n + b] =
            value->low > 0 ? value->low : (double)NAN; /* the axis is of logarithms */
        columns[3 * n + b] = value->high;
    }
    *out = (struct sl_plot_series){.count = n,
                                   .x = columns,
                                   .y = columns + n,
                                   .y_low = columns + 2 * n,
                                   .y_high = columns + 3 * n,
                                   .band = true};
}

enum sl_status sl_budget_plan_chart(const struct sl_budget_plan *plan, bool squares,
                                    sl_budget_plan_render *render, void *context,
                                    struct sl_error *err)
{
    const size_t n_series = plan->n_screens * SL_ASK_ALLOCATIONS, n = plan->n_budgets;
    const struct axis axis = find_axis(plan);
    struct sl_plot_series series[MOST_SERIES];
    char names[MOST_SERIES][SERIES_NAME], items[32];
    double *columns = sl_alloc(4 * n * n_series + 1, sizeof *columns);
    for (size_t s = 0; s < n_series; s++) {
        const struct sl_plan_row *row = &plan->rows[s * n];
        const char *screen = sl_plan_screen_names[plan->screens[row->screen].kind];
        const bool several = plan->n_screens > 1;
        fill_series(plan, squares, axis, s, columns + 4 * n * s, &series[s]);
        snprintf(names[s], SERIES_NAME, "%s%s%s", several ? screen : "", several ? ", " : "",
                 row->allocation == SL_ASK_BY_GAIN ? "chosen by gain" : "all alike");
        series[s].name = names[s];
    }
    char *subtitle =
        sl_string_printf("%s items, from a pilot of %zu; bands: 95 %% intervals",
                         sl_text_count(plan->job->items, items, sizeof items), plan->n_pilot_items);
    const struct sl_plot plot = {
        .kind = SL_PLOT_LINES,
        .id = squares ? "plan-distance" : "plan-risk",
        .title =
            squares ? "Expected squared distance of the labels" : "Expected risk of the labels",
        .subtitle = subtitle,
        .x = {.label = axis.label, .unit = axis.unit, .scale = SL_SCALE_LOG},
        .y = {.label = squares ? "Mean squared distance" : "Mean risk",
              .unit = squares ? NULL : "nats",
              .scale = SL_SCALE_LOG},
        .series = series,
        .n_series = n_series,
        .width = 560};
    const enum sl_status status = render(context, &plot, err);
    free(subtitle);
    free(columns);
    return status;
}

static enum sl_status write_chart(void *context, const struct sl_plot *plot, struct sl_error *err)
{
    return sl_plot_write(plot, context, err);
}

static enum sl_status add_chart(void *context, const struct sl_plot *plot, struct sl_error *err)
{
    return sl_report_chart(context, plot, NULL, err);
}

/* ---- The page ---- */

static void add_interval(struct sl_report *report, const struct sl_interval *value)
{
    char text[64];
    snprintf(text, sizeof text, "%#.2g [%#.2g, %#.2g]", value->estimate, value->low, value->high);
    sl_report_cell(report, sl_cell_text(text));
}

static void add_table(const struct sl_budget_plan *plan, struct sl_report *report)
{
    char *money = sl_string_printf("cost%s%s", plan->job->currency ? ", " : "",
                                   plan->job->currency ? plan->job->currency : "");
    const char *const columns[] = {"answers", "allocation", "answers per item", "answers in all",
                                   "hours",   money,        "mean risk (nats)", "squared distance"};
    const struct sl_table_head head = {.id = "plan",
                                       .caption = "What budgets are expected to buy",
                                       .columns = columns,
                                       .n_columns = sizeof columns / sizeof *columns};
    sl_report_table(report, &head);
    for (size_t r = 0; r < plan->n_rows; r++) {
        const struct sl_plan_row *row = &plan->rows[r];
        const double none = (double)NAN;
        sl_report_cell(report, sl_cell_text(sl_plan_screen_names[plan->screens[row->screen].kind]));
        sl_report_cell(report, sl_cell_text(sl_plan_allocation_names[row->allocation]));
        sl_report_cell(report, sl_cell_number(row->per_item, none, 1));
        sl_report_cell(report, sl_cell_number(row->answers, none, 0));
        sl_report_cell(report, sl_cell_number(row->hours, none, 1));
        sl_report_cell(report, sl_cell_number(row->money, none, 0));
        add_interval(report, &row->risk);
        add_interval(report, &row->square);
    }
    free(money);
}

static void add_sentences(const struct sl_budget_plan *plan, struct sl_report *report)
{
    struct sl_buffer text;
    sl_buffer_init(&text, (size_t)1 << 16);
    sl_budget_plan_say(plan, &text);
    for (char *line = text.data, *end; line && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        sl_report_paragraph(report);
        sl_report_text(report, SL_STYLE_PLAIN, "%s", line);
    }
    sl_buffer_release(&text);
}

static void add_method(const struct sl_budget_plan *plan, struct sl_report *report)
{
    sl_report_section(report, 2, "method", "How this was computed");
    sl_report_paragraph(report);
    sl_report_text(
        report, SL_STYLE_PLAIN,
        "The dirichlet model was fitted to the pilot. Items and answers were drawn from the fit, "
        "and a campaign of each allocation was run on them in waves of %.0f %% of the items, with "
        "the model fitted again as answers came. The intervals are those of %zu resamples of the "
        "pilot's items. The mean risk is the expected divergence of a label from how a whole crowd "
        "would answer. The figures hold for items like those of the pilot and for people like "
        "those who answered it.",
        100 * plan->wave, plan->n_resamples);
}

static enum sl_status write_page(const struct sl_budget_plan *plan, struct sl_error *err)
{
    char items[32];
    char *title = sl_string_printf("A plan for %s items",
                                   sl_text_count(plan->job->items, items, sizeof items));
    struct sl_report *report = sl_report_create(title);
    enum sl_status status = SL_OK;
    add_sentences(plan, report);
    sl_report_section(report, 2, "budgets", "Budgets");
    SL_TRY_OUT(sl_budget_plan_chart(plan, false, add_chart, report, err));
    SL_TRY_OUT(sl_budget_plan_chart(plan, true, add_chart, report, err));
    add_table(plan, report);
    add_method(plan, report);
    SL_TRY_OUT(sl_report_write(report, plan->job->output, err));
out:
    sl_report_destroy(report);
    free(title);
    return status;
}

/* ---- The table as CSV ---- */

static void append_word(struct sl_buffer *line, const char *word)
{
    sl_csv_append_text(line, word, strlen(word));
}

/* An unknown value is an empty cell. */
static void append_real(struct sl_buffer *line, double value)
{
    if (isnan(value))
        sl_csv_append_field(line, "", 0);
    else
        sl_csv_append_real(line, value);
}

static void append_interval(struct sl_buffer *line, const struct sl_interval *value)
{
    append_real(line, value->estimate);
    append_real(line, value->low);
    append_real(line, value->high);
}

static enum sl_status write_table(const struct sl_budget_plan *plan, struct sl_error *err)
{
    struct sl_buffer text;
    sl_buffer_init(&text, (size_t)1 << 20);
    sl_buffer_printf(&text, "screen,allocation,answers,answers_per_item,hours,money,risk,risk_low,"
                            "risk_high,squared_distance,squared_distance_low,"
                            "squared_distance_high\n");
    for (size_t r = 0; r < plan->n_rows; r++) {
        const struct sl_plan_row *row = &plan->rows[r];
        append_word(&text, sl_plan_screen_names[plan->screens[row->screen].kind]);
        append_word(&text, sl_plan_allocation_names[row->allocation]);
        append_real(&text, row->answers);
        append_real(&text, row->per_item);
        append_real(&text, row->hours);
        append_real(&text, row->money);
        append_interval(&text, &row->risk);
        append_interval(&text, &row->square);
        sl_csv_end_line(&text);
    }
    const enum sl_status status = sl_file_write(plan->job->output, text.data, text.length, err);
    sl_buffer_release(&text);
    return status;
}

/* ---- By the ending ---- */

static enum sl_status write_svg(const struct sl_budget_plan *plan, struct sl_error *err)
{
    char *path = sl_string_copy(plan->job->output);
    const enum sl_status status = sl_budget_plan_chart(plan, false, write_chart, path, err);
    free(path);
    return status;
}

static enum sl_status write_json(const struct sl_budget_plan *plan, struct sl_error *err)
{
    json_t *value = sl_budget_plan_json(plan, NULL);
    const enum sl_status status = sl_json_write(value, plan->job->output, err);
    json_decref(value);
    return status;
}

enum sl_status sl_budget_plan_write(const struct sl_budget_plan *plan, struct sl_error *err)
{
    static const struct {
        const char *suffix;
        enum sl_status (*write)(const struct sl_budget_plan *plan, struct sl_error *err);
    } formats[] = {
        {".html", write_page}, {".svg", write_svg}, {".csv", write_table}, {".json", write_json}};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        if (sl_path_has_suffix(plan->job->output, formats[f].suffix))
            return formats[f].write(plan, err);
    return sl_fail(err, SL_ERR_USAGE, "%s must end in .html, .svg, .csv or .json",
                   plan->job->output);
}
