/* The text alternative: describes the chart in sentences that can be read aloud. */
#include <math.h>

#include "plot/plot_internal.h"
#include "softlab/base/text.h"

enum { ALL_SAID = 12, DIGITS = 4 }; /* a series with more values is summarised */

/* The axes' titles, which come first, name the units; only per cent is repeated. */
static void put_value(struct sl_buffer *out, const struct sl_plot_axis *axis, double value)
{
    char number[SL_PLOT_NUMBER];
    sl_plot_number_brief(value, DIGITS, number);
    sl_plot_put(out, "%s%s", number, axis->unit && axis->unit[0] == '%' ? "%" : "");
}

static void put_interval(struct sl_buffer *out, const double *low, const double *high, size_t i)
{
    if (!sl_plot_has_interval(low, high, i)) return;
    char from[SL_PLOT_NUMBER], to[SL_PLOT_NUMBER];
    sl_plot_number_brief(low[i], DIGITS, from);
    sl_plot_number_brief(high[i], DIGITS, to);
    sl_plot_put(out, " (%s to %s)", from, to);
}

static bool is_across(const struct sl_plot *plot)
{
    return plot->y.scale == SL_SCALE_CATEGORY;
}

static bool is_named(const struct sl_plot_chart *chart, const struct sl_plot_series *series,
                     size_t i)
{
    const struct sl_plot *plot = chart->plot;
    return (series->texts && series->texts[i]) || plot->x.scale == SL_SCALE_CATEGORY ||
           plot->y.scale == SL_SCALE_CATEGORY;
}

/* The place of a value: its own name, its category's name, or its number on the other axis. */
static void put_place(const struct sl_plot_chart *chart, const struct sl_plot_series *series,
                      size_t i)
{
    const struct sl_plot *plot = chart->plot;
    bool across = is_across(plot);
    const struct sl_plot_axis *axis = across ? &plot->y : &plot->x;
    double place = across ? sl_plot_series_y(series, i) : sl_plot_series_x(series, i);
    if (series->texts && series->texts[i])
        sl_plot_put(chart->out, "%s", series->texts[i]);
    else if (axis->scale == SL_SCALE_CATEGORY)
        sl_plot_put(chart->out, "%s", axis->categories[(size_t)place]);
    else
        put_value(chart->out, axis, place);
}

static void put_height(const struct sl_plot_chart *chart, const struct sl_plot_series *series,
                       size_t i)
{
    const struct sl_plot *plot = chart->plot;
    bool across = is_across(plot);
    const struct sl_plot_axis *axis = across ? &plot->x : &plot->y;
    if (plot->kind == SL_PLOT_SCATTER && series->texts && series->texts[i]) {
        put_value(chart->out, &plot->x, sl_plot_series_x(series, i));
        put_interval(chart->out, series->x_low, series->x_high, i);
        sl_plot_put(chart->out, ", ");
    }
    put_value(chart->out, axis, across ? sl_plot_series_x(series, i) : sl_plot_series_y(series, i));
    put_interval(chart->out, across ? series->x_low : series->y_low,
                 across ? series->x_high : series->y_high, i);
}

void sl_plot_describe_value(const struct sl_plot_chart *chart, size_t series, size_t i)
{
    const struct sl_plot_series *values = &chart->plot->series[series];
    if (values->name && chart->plot->n_series > 1) sl_plot_put(chart->out, "%s, ", values->name);
    put_place(chart, values, i);
    sl_plot_put(chart->out, ": ");
    put_height(chart, values, i);
}

void sl_plot_describe_missing(const struct sl_plot_chart *chart,
                              const struct sl_plot_series *series)
{
    size_t missing = sl_plot_series_n_missing(series), outside = 0;
    for (size_t i = 0; i < series->count; i++)
        if (!sl_plot_series_missing(series, i))
            outside += !sl_plot_range_holds(&chart->x, sl_plot_series_x(series, i)) ||
                       (chart->plot->kind != SL_PLOT_HISTOGRAM &&
                        !sl_plot_range_holds(&chart->y, sl_plot_series_y(series, i)));
    if (missing > 0)
        sl_plot_put(chart->out, " %zu of %zu value%s %s missing.", missing, series->count,
                    sl_text_plural(series->count, "", "s"), sl_text_plural(missing, "is", "are"));
    if (outside > 0)
        sl_plot_put(chart->out, " %zu of %zu value%s %s outside the axes.", outside, series->count,
                    sl_text_plural(series->count, "", "s"), sl_text_plural(outside, "lies", "lie"));
}

/* Find the lowest and the highest value; returns how many values there are. */
static size_t find_extremes(const struct sl_plot *plot, const struct sl_plot_series *series,
                            size_t *least, size_t *most)
{
    double low = (double)INFINITY, high = -(double)INFINITY;
    size_t present = 0;
    for (size_t i = 0; i < series->count; i++) {
        if (sl_plot_series_missing(series, i)) continue;
        double height = is_across(plot) ? sl_plot_series_x(series, i) : sl_plot_series_y(series, i);
        present++;
        if (height < low) *least = i;
        if (height > high) *most = i;
        low = fmin(low, height);
        high = fmax(high, height);
    }
    return present;
}

/* "VGG 1.12 (1.07 to 1.18)" if places have names, else "1.12 (1.07 to 1.18) at 4". */
static void put_sentence_part(const struct sl_plot_chart *chart,
                              const struct sl_plot_series *series, size_t i)
{
    bool named = is_named(chart, series, i);
    if (named) {
        put_place(chart, series, i);
        sl_plot_put(chart->out, " ");
    }
    put_height(chart, series, i);
    if (named) return;
    sl_plot_put(chart->out, " at ");
    put_place(chart, series, i);
}

static void describe_one(const struct sl_plot_chart *chart, const struct sl_plot_series *series)
{
    size_t least = 0, most = 0;
    size_t present = find_extremes(chart->plot, series, &least, &most);
    if (series->name) sl_plot_put(chart->out, " %s:", series->name);
    if (present == 0 && chart->has_data) sl_plot_put(chart->out, " no values.");
    for (size_t i = 0, said = 0; i < series->count && present <= ALL_SAID; i++) {
        if (sl_plot_series_missing(series, i)) continue;
        sl_plot_put(chart->out, " ");
        put_sentence_part(chart, series, i);
        sl_plot_put(chart->out, ++said < present ? ";" : ".");
    }
    if (present > ALL_SAID) {
        sl_plot_put(chart->out, " %zu values; lowest: ", present);
        put_sentence_part(chart, series, least);
        sl_plot_put(chart->out, "; highest: ");
        put_sentence_part(chart, series, most);
        sl_plot_put(chart->out, ".");
    }
    sl_plot_describe_missing(chart, series);
}

void sl_plot_describe_series(const struct sl_plot_chart *chart)
{
    for (size_t i = 0; i < chart->plot->n_series; i++)
        describe_one(chart, &chart->plot->series[i]);
}

/* " of Loss (nats) against Epoch", without the names that are not given. */
static void put_subject(const struct sl_plot_chart *chart)
{
    const struct sl_plot *plot = chart->plot;
    bool across = is_across(plot);
    char x[SL_PLOT_LINE], y[SL_PLOT_LINE], z[SL_PLOT_LINE];
    sl_plot_axis_title(&plot->x, x);
    sl_plot_axis_title(&plot->y, y);
    sl_plot_axis_title(&plot->z, z);
    if (plot->kind == SL_PLOT_HEAT && *z) sl_plot_put(chart->out, " of %s", z);
    if (plot->kind == SL_PLOT_HEAT && *x && *y)
        sl_plot_put(chart->out, "%s rows: %s, columns: %s", *z ? ";" : ":", y, x);
    else if (plot->kind != SL_PLOT_HEAT && *x && *y)
        sl_plot_put(chart->out, " of %s %s %s", across ? x : y,
                    across || plot->x.scale == SL_SCALE_CATEGORY ? "by" : "against",
                    across ? y : x);
    else if (plot->kind != SL_PLOT_HEAT && (*x || *y))
        sl_plot_put(chart->out, " of %s", *x ? x : y);
    sl_plot_put(chart->out, ".");
}

void sl_plot_describe(struct sl_plot_chart *chart)
{
    const struct sl_plot *plot = chart->plot;
    sl_plot_put(chart->out, "<desc id='%s-desc'>", plot->id);
    chart->parts.description.begin = chart->out->length;
    if (plot->summary) sl_plot_put(chart->out, "%s ", plot->summary);
    sl_plot_put(chart->out, "%s", chart->kind->noun);
    put_subject(chart);
    if (!chart->has_data) sl_plot_put(chart->out, " No data.");
    chart->kind->describe(chart);
    if (plot->note) sl_plot_put(chart->out, " Note: %s", plot->note);
    chart->parts.description.end = chart->out->length;
    sl_plot_put(chart->out, "</desc>\n");
}
