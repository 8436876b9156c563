/* Scatter plots and lines. */
#include <math.h>
#include <stdlib.h>

#include "plot/plot_internal.h"
#include "softlab/base/memory.h"

enum { FEW = 40, MAX_NAMED = 200 }; /* values on a line with marks; points with names */
static const double mark_radius = 4;

double sl_plot_points_height(const struct sl_plot_chart *chart)
{
    return fmax(180, 0.66 * (chart->right - chart->left));
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

/* Rectangles that names may not cover: points, and names that have their place. */
struct boxes {
    struct box {
        double left, top, right, bottom;
    } * items; /* owned */
    size_t count;
};

static bool is_free(const struct boxes *boxes, const struct box *box)
{
    for (size_t i = 0; i < boxes->count; i++) {
        const struct box *other = &boxes->items[i];
        if (box->left < other->right && other->left < box->right && box->top < other->bottom &&
            other->top < box->bottom)
            return false;
    }
    return true;
}

static void add_box(struct boxes *boxes, double left, double top, double right, double bottom)
{
    boxes->items[boxes->count++] =
        (struct box){fmin(left, right), fmin(top, bottom), fmax(left, right), fmax(top, bottom)};
}

/* A point's mark and whiskers. */
static void add_point(const struct sl_plot_chart *chart, const struct sl_plot_series *series,
                      size_t i, struct boxes *boxes)
{
    static const double cap = 3;
    double x = x_at(chart, series, i), y = y_at(chart, series, i);
    add_box(boxes, x - mark_radius, y - mark_radius, x + mark_radius, y + mark_radius);
    if (sl_plot_has_interval(series->x_low, series->x_high, i))
        add_box(boxes, sl_plot_range_at(&chart->x, series->x_low[i]), y - cap,
                sl_plot_range_at(&chart->x, series->x_high[i]), y + cap);
    if (sl_plot_has_interval(series->y_low, series->y_high, i))
        add_box(boxes, x - cap, sl_plot_range_at(&chart->y, series->y_low[i]), x + cap,
                sl_plot_range_at(&chart->y, series->y_high[i]));
}

/* Beside the point beyond its whiskers, between them, above or below: the first place that is
 * free; else nowhere, since the name is in the tooltip and the text alternative too. */
static void place_name(struct sl_plot_chart *chart, struct boxes *boxes, const struct box *own,
                       const char *name)
{
    double width = sl_plot_text_width(name, SL_SIZE_NOTE), gap = 3;
    double x = (own->left + own->right) / 2, y = (own->top + own->bottom) / 2;
    const struct box places[] = {
        {own->right + gap, y - 6, own->right + gap + width, y + 6},
        {own->left - gap - width, y - 6, own->left - gap, y + 6},
        {x + 5, own->top - 9, x + 5 + width, own->top + 3},
        {x - 5 - width, own->top - 9, x - 5, own->top + 3},
        {x + 5, own->bottom - 3, x + 5 + width, own->bottom + 9},
        {x - 5 - width, own->bottom - 3, x - 5, own->bottom + 9},
        {x - width / 2, own->top - gap - 12, x + width / 2, own->top - gap},
        {x - width / 2, own->bottom + gap, x + width / 2, own->bottom + gap + 12},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const struct box *box = &places[i];
        if (box->left < chart->left || box->right > chart->width - 4 || box->top < chart->top - 6 ||
            box->bottom > chart->bottom || !is_free(boxes, box))
            continue;
        boxes->items[boxes->count++] = *box;
        sl_plot_put(chart->out, "<text class='z' x='%f' y='%f'>%s</text>\n", box->left,
                    box->bottom - 2, name);
        return;
    }
}

static void name_series(struct sl_plot_chart *chart, const struct sl_plot_series *series,
                        struct boxes *boxes)
{
    for (size_t i = 0; series->texts && i < series->count; i++) {
        if (sl_plot_series_missing(series, i) || !series->texts[i]) continue;
        struct box parts[3];
        struct boxes point = {.items = parts};
        add_point(chart, series, i, &point);
        for (size_t p = 1; p < point.count; p++) {
            parts[0].left = fmin(parts[0].left, parts[p].left);
            parts[0].top = fmin(parts[0].top, parts[p].top);
            parts[0].right = fmax(parts[0].right, parts[p].right);
            parts[0].bottom = fmax(parts[0].bottom, parts[p].bottom);
        }
        place_name(chart, boxes, &parts[0], series->texts[i]);
    }
}

static void name_points(struct sl_plot_chart *chart)
{
    const struct sl_plot *plot = chart->plot;
    size_t total = 0;
    bool named = false;
    for (size_t s = 0; s < plot->n_series; s++) {
        total += plot->series[s].count;
        named = named || plot->series[s].texts;
    }
    if (!named || total > MAX_NAMED) return;
    /* Three boxes for a point, one for its name. */
    struct boxes boxes = {.items = sl_alloc(4 * total, sizeof *boxes.items)};
    for (size_t s = 0; s < plot->n_series; s++)
        for (size_t i = 0; i < plot->series[s].count; i++)
            if (!sl_plot_series_missing(&plot->series[s], i))
                add_point(chart, &plot->series[s], i, &boxes);
    for (size_t s = 0; s < plot->n_series; s++)
        name_series(chart, &plot->series[s], &boxes);
    free(boxes.items);
}

void sl_plot_scatter_draw(struct sl_plot_chart *chart)
{
    for (size_t i = 0; i < chart->plot->n_series; i++) {
        sl_plot_group_open(chart, i);
        draw_whiskers(chart, i);
        sl_plot_marks_draw(chart, i, mark_radius);
        sl_plot_group_close(chart);
    }
    name_points(chart);
}

static bool has_band(const struct sl_plot_series *series, size_t i)
{
    return !sl_plot_series_missing(series, i) &&
           sl_plot_has_interval(series->y_low, series->y_high, i);
}

/* One outline per stretch without gaps: along the upper ends, back along the lower ones. */
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
    double at;   /* where the name stands */
};

static int compare_endings(const void *left, const void *right)
{
    const struct ending *a = left, *b = right;
    if (a->y != b->y) return a->y < b->y ? -1 : 1;
    return a->series < b->series ? -1 : a->series > b->series;
}

/* From the top down each name keeps its distance; what that pushes out below moves back up. */
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
        /* A value between two gaps has no line; only its mark shows it. */
        if (!series->plain && series->count <= FEW) sl_plot_marks_draw(chart, i, mark_radius - 0.5);
        sl_plot_group_close(chart);
    }
    if (chart->named_lines) name_lines(chart);
}
