/* Scatter plots and lines. */
#include <math.h>
#include <stdlib.h>

#include "plot/plot_internal.h"

enum { FEW = 40 }; /* the most values of a line with marks */
static const double mark_radius = 4;

double sl_plot_points_height(const struct sl_plot_chart *chart)
{
    return fmax(180, 0.66 * (chart->right - chart->left));
}

/* Many names need a higher chart. */
double sl_plot_scatter_height(const struct sl_plot_chart *chart)
{
    static const double row = 11, head = 60;
    return fmax(sl_plot_points_height(chart),
                head + row * (double)sl_plot_points_named(chart->plot));
}

void sl_plot_group_open(struct sl_plot_chart *chart, size_t series)
{
    sl_plot_put(chart->out, "<g class='c%zu' clip-path='url(#%s-clip)'>\n", chart->colours[series],
                chart->plot->id);
}

void sl_plot_group_close(struct sl_plot_chart *chart)
{
    sl_plot_put(chart->out, "</g>\n");
}

static double x_at(const struct sl_plot_chart *chart, const struct sl_plot_series *series, size_t i)
{
    return sl_plot_range_at(&chart->x, sl_plot_series_x(series, i));
}

static double y_at(const struct sl_plot_chart *chart, const struct sl_plot_series *series, size_t i)
{
    return sl_plot_range_at(&chart->y, sl_plot_series_y(series, i));
}

static void draw_whiskers(struct sl_plot_chart *chart, size_t series)
{
    const struct sl_plot_series *values = &chart->plot->series[series];
    for (size_t i = 0; i < values->count; i++)
        if (!sl_plot_series_missing(values, i))
            sl_plot_whiskers(chart, series, i, x_at(chart, values, i), y_at(chart, values, i));
}

void sl_plot_scatter_draw(struct sl_plot_chart *chart)
{
    for (size_t i = 0; i < chart->plot->n_series; i++) {
        sl_plot_group_open(chart, i);
        draw_whiskers(chart, i);
        sl_plot_marks_draw(chart, i, mark_radius);
        sl_plot_group_close(chart);
    }
    sl_plot_points_name(chart, mark_radius);
}

static bool has_band(const struct sl_plot_series *series, size_t i)
{
    return !sl_plot_series_missing(series, i) &&
           sl_plot_has_interval(series->y_low, series->y_high, i);
}

/* One outline per run of values without a gap: along the upper ends, back along the lower ones. */
static void draw_band(struct sl_plot_chart *chart, const struct sl_plot_series *series)
{
    sl_plot_put(chart->out, "<path class='d' d='");
    for (size_t begin = 0, end; begin < series->count; begin = end + 1) {
        end = begin;
        while (end < series->count && has_band(series, end))
            end++;
        for (size_t i = begin; i < end; i++)
            sl_plot_put(chart->out, i == begin ? "M%f,%f" : "L%f,%f", x_at(chart, series, i),
                        sl_plot_range_at(&chart->y, series->y_high[i]));
        for (size_t i = end; i > begin; i--)
            sl_plot_put(chart->out, "L%f,%f", x_at(chart, series, i - 1),
                        sl_plot_range_at(&chart->y, series->y_low[i - 1]));
        if (end > begin) sl_plot_put(chart->out, "Z");
    }
    sl_plot_put(chart->out, "'/>\n");
}

static void draw_line(struct sl_plot_chart *chart, size_t series)
{
    const struct sl_plot_series *values = &chart->plot->series[series];
    bool joined = false;
    sl_plot_put(chart->out, "<path class='o' stroke-dasharray='%s' d='",
                sl_plot_mark_dashes(chart->colours[series]));
    for (size_t i = 0; i < values->count; i++) {
        bool missing = sl_plot_series_missing(values, i);
        if (!missing)
            sl_plot_put(chart->out, joined ? "L%f,%f" : "M%f,%f", x_at(chart, values, i),
                        y_at(chart, values, i));
        joined = !missing;
    }
    sl_plot_put(chart->out, "'/>\n");
}

struct ending {
    size_t series;
    double x, y; /* of the line's last value */
    double at;   /* y position of the name */
};

static int compare_endings(const void *left, const void *right)
{
    const struct ending *a = left, *b = right;
    if (a->y != b->y) return a->y < b->y ? -1 : 1;
    return a->series < b->series ? -1 : a->series > b->series;
}

/* Space the names from the top down, then move names that leave the bottom back up. */
static void spread(struct ending *endings, size_t count, double top, double bottom)
{
    static const double distance = 14;
    for (size_t i = 0; i < count; i++) {
        endings[i].at = fmax(endings[i].y, top);
        if (i > 0) endings[i].at = fmax(endings[i].at, endings[i - 1].at + distance);
    }
    for (size_t i = count; i > 0; i--) {
        double limit = i == count ? bottom : endings[i].at - distance;
        endings[i - 1].at = fmin(endings[i - 1].at, limit);
    }
}

static void name_lines(struct sl_plot_chart *chart)
{
    struct ending endings[SL_PLOT_MAX_SERIES];
    size_t count = 0;
    for (size_t s = 0; s < chart->plot->n_series; s++) {
        const struct sl_plot_series *series = &chart->plot->series[s];
        size_t last = series->count;
        while (last > 0 && sl_plot_series_missing(series, last - 1))
            last--;
        if (last == 0) continue;
        double y = fmax(chart->top, fmin(chart->bottom, y_at(chart, series, last - 1)));
        double x = fmax(chart->left, fmin(chart->right, x_at(chart, series, last - 1)));
        endings[count++] = (struct ending){.series = s, .x = x, .y = y};
    }
    qsort(endings, count, sizeof *endings, compare_endings);
    spread(endings, count, chart->top, chart->bottom);
    for (size_t i = 0; i < count; i++) {
        sl_plot_put(chart->out, "<g class='c%zu'>", chart->colours[endings[i].series]);
        sl_plot_put(chart->out, "<path class='i' stroke-opacity='.5' d='M%f,%fL%f,%f'/>",
                    fmin(endings[i].x + 4, chart->right), endings[i].y, chart->right + 6,
                    endings[i].at);
        sl_plot_put(chart->out, "<text class='name' x='%f' y='%f'>%s</text></g>\n",
                    chart->right + 9, endings[i].at + 4,
                    chart->plot->series[endings[i].series].name);
    }
}

void sl_plot_lines_draw(struct sl_plot_chart *chart)
{
    const struct sl_plot *plot = chart->plot;
    for (size_t i = 0; i < plot->n_series; i++) {
        const struct sl_plot_series *series = &plot->series[i];
        sl_plot_group_open(chart, i);
        if (series->band && series->y_low)
            draw_band(chart, series);
        else
            draw_whiskers(chart, i);
        draw_line(chart, i);
        /* A value between two gaps has no line, so it needs a mark. */
        if (!series->plain && series->count <= FEW) sl_plot_marks_draw(chart, i, mark_radius - 0.5);
        sl_plot_group_close(chart);
    }
    if (chart->named_lines) name_lines(chart);
}
