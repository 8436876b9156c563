/* Forest plots: one row per comparison, one mark per series, intervals across. */
#include <math.h>

#include "plot/plot_internal.h"

static const double mark_radius = 4, distance = 11; /* between the series of a row */

enum sl_status sl_plot_forest_check(const struct sl_plot *plot, struct sl_error *err)
{
    if (plot->y.scale != SL_SCALE_CATEGORY || plot->x.scale == SL_SCALE_CATEGORY)
        return sl_fail(err, SL_ERR_USAGE,
                       "a forest plot needs categories on its y axis and values on its x axis");
    return sl_plot_check_given(plot, true, "a forest plot needs", err);
}

static bool has_intervals(const struct sl_plot *plot)
{
    for (size_t i = 0; i < plot->n_series; i++)
        if (plot->series[i].x_low) return true;
    return false;
}

double sl_plot_forest_height(const struct sl_plot_chart *chart)
{
    const struct sl_plot *plot = chart->plot;
    double row = has_intervals(plot) ? 12 + distance * (double)plot->n_series : 24;
    return row * (double)plot->y.n_categories;
}

/* The y position of the mark of value i. */
static double place(const struct sl_plot_chart *chart, size_t series, size_t i)
{
    const struct sl_plot *plot = chart->plot;
    double row = sl_plot_range_at(&chart->y, sl_plot_series_y(&plot->series[series], i));
    if (!has_intervals(plot)) return row;
    return row + distance * ((double)series - ((double)plot->n_series - 1) / 2);
}

static void draw_series(struct sl_plot_chart *chart, size_t series)
{
    const struct sl_plot_series *values = &chart->plot->series[series];
    for (size_t i = 0; i < values->count; i++) {
        if (sl_plot_series_missing(values, i)) continue;
        double value = sl_plot_series_x(values, i), y = place(chart, series, i);
        double x = sl_plot_range_at(&chart->x, value);
        sl_plot_whiskers(chart, series, i, x, y);
        if (!sl_plot_range_holds(&chart->x, value)) continue;
        sl_plot_put(chart->out, "<path class='%s' d='", chart->colours[series] == 0 ? "k" : "f");
        sl_plot_mark_path(chart->out, chart->shapes[series], x, y, mark_radius);
        sl_plot_put(chart->out, "'><title>");
        sl_plot_describe_value(chart, series, i);
        sl_plot_put(chart->out, "</title></path>\n");
    }
}

/* Draw a line from the lowest to the highest value of each row. */
static void join_rows(struct sl_plot_chart *chart)
{
    const struct sl_plot *plot = chart->plot;
    sl_plot_put(chart->out, "<path class='a' stroke-width='3' stroke-opacity='.5' d='");
    for (size_t row = 0; row < plot->y.n_categories; row++) {
        struct sl_plot_range span;
        sl_plot_range_empty(&span);
        for (size_t s = 0; s < plot->n_series; s++)
            for (size_t i = 0; i < plot->series[s].count; i++)
                if (!sl_plot_series_missing(&plot->series[s], i) &&
                    sl_plot_series_y(&plot->series[s], i) == (double)row)
                    sl_plot_range_widen(&span, sl_plot_series_x(&plot->series[s], i));
        if (!(span.low < span.high)) continue;
        sl_plot_put(chart->out, "M%f,%fH%f",
                    fmax(chart->left, sl_plot_range_at(&chart->x, span.low)),
                    sl_plot_range_at(&chart->y, (double)row),
                    fmin(chart->right, sl_plot_range_at(&chart->x, span.high)));
    }
    sl_plot_put(chart->out, "'/>\n");
}

void sl_plot_forest_draw(struct sl_plot_chart *chart)
{
    const struct sl_plot *plot = chart->plot;
    sl_plot_put(chart->out, "<path class='g' d='");
    for (size_t row = 1; row < plot->y.n_categories; row++)
        sl_plot_put(chart->out, "M%f,%fH%f", chart->left,
                    sl_plot_range_at(&chart->y, (double)row - 0.5), chart->right);
    sl_plot_put(chart->out, "'/>\n");
    /* A line at zero, if values have both signs. */
    if (chart->x.low < 0 && chart->x.high > 0)
        sl_plot_put(chart->out, "<path class='a' d='M%f,%fV%f'/>\n", sl_plot_range_at(&chart->x, 0),
                    chart->top, chart->bottom);
    if (!has_intervals(plot)) join_rows(chart);
    for (size_t i = 0; i < plot->n_series; i++) {
        sl_plot_group_open(chart, i);
        draw_series(chart, i);
        sl_plot_group_close(chart);
    }
}
