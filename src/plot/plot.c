/* The table of kinds, and the assembly of a chart. */
#include <math.h>
#include <stdlib.h>

#include "plot/plot_internal.h"
#include "softlab/base/file.h"

enum { MAX_FILE = 64 << 20 };

const struct sl_plot_kind_info sl_plot_kinds[] = {
    [SL_PLOT_BARS] = {"bars", "values by category with intervals, in groups"},
    [SL_PLOT_SCATTER] = {"scatter", "points with intervals on both axes"},
    [SL_PLOT_LINES] = {"lines", "lines with bands or intervals"},
    [SL_PLOT_HEAT] = {"heat", "a table of values as colours"},
    [SL_PLOT_HISTOGRAM] = {"histogram", "distributions of values, several sets overlaid"},
    [SL_PLOT_RELIABILITY] = {"reliability", "accuracy against confidence, with the gap and counts"},
    [SL_PLOT_FOREST] = {"forest", "values with intervals side by side, one row per comparison"},
    [SL_PLOT_KINDS] = {0},
};

const struct sl_plot_kind_methods sl_plot_methods[SL_PLOT_KINDS] = {
    [SL_PLOT_BARS] = {.noun = "Bar chart",
                      .key = SL_KEY_SWATCH,
                      .zero = true,
                      .hatched = true,
                      .check = sl_plot_bars_check,
                      .prepare = sl_plot_prepare,
                      .area_height = sl_plot_bars_height,
                      .legend = sl_plot_legend,
                      .draw = sl_plot_bars_draw,
                      .describe = sl_plot_describe_series},
    [SL_PLOT_SCATTER] = {.noun = "Scatter plot",
                         .key = SL_KEY_MARK,
                         .prepare = sl_plot_prepare,
                         .area_height = sl_plot_scatter_height,
                         .legend = sl_plot_legend,
                         .draw = sl_plot_scatter_draw,
                         .describe = sl_plot_describe_series},
    [SL_PLOT_LINES] = {.noun = "Line chart",
                       .key = SL_KEY_LINE,
                       .named_ends = true,
                       .prepare = sl_plot_prepare,
                       .area_height = sl_plot_points_height,
                       .legend = sl_plot_legend,
                       .draw = sl_plot_lines_draw,
                       .describe = sl_plot_describe_series},
    [SL_PLOT_HEAT] = {.noun = "Heat map",
                      .lined = true,
                      .one_series = true,
                      .check = sl_plot_heat_check,
                      .prepare = sl_plot_heat_prepare,
                      .area_height = sl_plot_heat_height,
                      .legend = sl_plot_heat_legend,
                      .draw = sl_plot_heat_draw,
                      .describe = sl_plot_heat_describe},
    [SL_PLOT_HISTOGRAM] = {.noun = "Histogram",
                           .key = SL_KEY_AREA,
                           .check = sl_plot_histogram_check,
                           .prepare = sl_plot_histogram_prepare,
                           .area_height = sl_plot_points_height,
                           .legend = sl_plot_legend,
                           .draw = sl_plot_histogram_draw,
                           .describe = sl_plot_histogram_describe},
    [SL_PLOT_RELIABILITY] = {.noun = "Reliability diagram",
                             .hatched = true,
                             .lined = true,
                             .one_series = true,
                             .check = sl_plot_reliability_check,
                             .prepare = sl_plot_reliability_prepare,
                             .area_height = sl_plot_reliability_height,
                             .below = sl_plot_reliability_below,
                             .legend = sl_plot_legend,
                             .draw = sl_plot_reliability_draw,
                             .describe = sl_plot_reliability_describe},
    [SL_PLOT_FOREST] = {.noun = "Forest plot",
                        .key = SL_KEY_MARK,
                        .check = sl_plot_forest_check,
                        .prepare = sl_plot_prepare,
                        .area_height = sl_plot_forest_height,
                        .legend = sl_plot_legend,
                        .draw = sl_plot_forest_draw,
                        .describe = sl_plot_describe_series},
};

double sl_plot_series_x(const struct sl_plot_series *series, size_t i)
{
    return series->x ? series->x[i] : (double)i;
}

double sl_plot_series_y(const struct sl_plot_series *series, size_t i)
{
    return series->y ? series->y[i] : (double)i;
}

bool sl_plot_series_missing(const struct sl_plot_series *series, size_t i)
{
    return !isfinite(sl_plot_series_x(series, i)) || !isfinite(sl_plot_series_y(series, i));
}

size_t sl_plot_series_n_missing(const struct sl_plot_series *series)
{
    size_t missing = 0;
    for (size_t i = 0; i < series->count; i++)
        missing += sl_plot_series_missing(series, i);
    return missing;
}

bool sl_plot_has_interval(const double *low, const double *high, size_t i)
{
    return low && high && isfinite(low[i]) && isfinite(high[i]);
}

static void widen_by_interval(struct sl_plot_range *range, const double *low, const double *high,
                              size_t i)
{
    if (!sl_plot_has_interval(low, high, i)) return;
    sl_plot_range_widen(range, low[i]);
    sl_plot_range_widen(range, high[i]);
}

enum sl_status sl_plot_prepare(struct sl_plot_chart *chart, struct sl_error *err)
{
    const struct sl_plot *plot = chart->plot;
    (void)err;
    chart->x.whole = true;
    for (size_t s = 0; s < plot->n_series; s++) {
        const struct sl_plot_series *series = &plot->series[s];
        for (size_t i = 0; i < series->count; i++) {
            if (sl_plot_series_missing(series, i)) continue;
            chart->has_data = true;
            double x = sl_plot_series_x(series, i);
            chart->x.whole = chart->x.whole && x == floor(x);
            sl_plot_range_widen(&chart->x, x);
            sl_plot_range_widen(&chart->y, sl_plot_series_y(series, i));
            widen_by_interval(&chart->x, series->x_low, series->x_high, i);
            widen_by_interval(&chart->y, series->y_low, series->y_high, i);
        }
    }
    bool across = plot->y.scale == SL_SCALE_CATEGORY;
    sl_plot_range_settle(&chart->x, &plot->x, chart->kind->zero && across);
    sl_plot_range_settle(&chart->y, &plot->y, chart->kind->zero && !across);
    return SL_OK;
}

static void give_colours(struct sl_plot_chart *chart)
{
    size_t next = 1, next_reference = 1;
    for (size_t i = 0; i < chart->plot->n_series; i++) {
        bool is_reference = chart->plot->series[i].reference;
        chart->colours[i] = is_reference ? 0 : next++;
        chart->shapes[i] = is_reference ? next_reference++ : chart->colours[i];
    }
}

static void write_chart(struct sl_plot_chart *chart)
{
    struct sl_buffer *out = chart->out;
    const char *id = chart->plot->id;
    sl_plot_put(out,
                "<svg xmlns='http://www.w3.org/2000/svg' id='%s' class='sl-plot' width='%f'"
                " height='%f' viewBox='0 0 %f %f' role='img'",
                id, chart->width, chart->height, chart->width, chart->height);
    sl_plot_put(out, " aria-labelledby='%s-title' aria-describedby='%s-desc'>\n", id, id);
    sl_plot_put(out, "<title id='%s-title'>%s</title>\n", id, chart->plot->title);
    sl_plot_describe(chart);
    sl_plot_style(chart);
    sl_plot_put(out, "<rect class='b' width='%f' height='%f'/>\n", chart->width, chart->height);
    sl_plot_frame(chart);
    if (chart->has_data) chart->kind->draw(chart);
    sl_plot_put(out, "</svg>\n");
}

enum sl_status sl_plot_svg(const struct sl_plot *plot, struct sl_buffer *out, struct sl_error *err)
{
    struct sl_plot_parts parts;
    return sl_plot_svg_parts(plot, out, &parts, err);
}

enum sl_status sl_plot_svg_parts(const struct sl_plot *plot, struct sl_buffer *out,
                                 struct sl_plot_parts *parts, struct sl_error *err)
{
    SL_TRY(sl_plot_check(plot, err));
    struct sl_plot_chart chart = {.plot = plot, .kind = &sl_plot_methods[plot->kind], .out = out};
    size_t begin = out->length;
    sl_plot_range_empty(&chart.x);
    sl_plot_range_empty(&chart.y);
    sl_plot_range_empty(&chart.z);
    give_colours(&chart);
    enum sl_status status;
    SL_TRY_OUT(chart.kind->prepare(&chart, err));
    sl_plot_layout(&chart);
    write_chart(&chart);
    status = sl_buffer_check(out, "a chart", err);
    if (status != SL_OK) {
        out->length = begin;
        if (out->data) out->data[begin] = '\0';
    } else {
        *parts = chart.parts;
    }
out:
    for (size_t i = 0; i < plot->n_series; i++)
        free(chart.bins.heights[i]);
    return status;
}

enum sl_status sl_plot_write(const struct sl_plot *plot, const char *path, struct sl_error *err)
{
    struct sl_buffer out;
    enum sl_status status;
    sl_buffer_init_data(&out, MAX_FILE);
    SL_TRY_OUT(sl_plot_svg(plot, &out, err));
    SL_TRY_OUT(sl_file_write(path, out.data, out.length, err));
out:
    sl_buffer_release(&out);
    return status;
}
