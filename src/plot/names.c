/* Names of points: beside their mark if there is room, otherwise at the end of a line. */
#include <math.h>
#include <stdlib.h>

#include "plot/plot_internal.h"
#include "softlab/base/memory.h"

enum { MAX_NAMED = 200 };
static const double half_height = 6, gap = 3;

/* Rectangles that names must not cover: points first, then placed names. */
struct box {
    double left, top, right, bottom;
};
struct boxes {
    struct box *items; /* owned */
    size_t count, n_points;
};

/* A point whose name is not placed yet. */
struct point {
    double x, y;
    struct box own; /* its mark and whiskers */
    const char *name;
};

static bool is_covered(const struct box *box, const struct box *other)
{
    return box->left < other->right && other->left < box->right && box->top < other->bottom &&
           other->top < box->bottom;
}

static bool is_free(const struct sl_plot_chart *chart, const struct boxes *boxes,
                    const struct box *box)
{
    if (box->left < chart->left || box->right > chart->width - 4 || box->top < chart->top - 6 ||
        box->bottom > chart->bottom)
        return false;
    for (size_t i = 0; i < boxes->count; i++)
        if (is_covered(box, &boxes->items[i])) return false;
    return true;
}

static void add_box(struct boxes *boxes, double left, double top, double right, double bottom)
{
    boxes->items[boxes->count++] =
        (struct box){fmin(left, right), fmin(top, bottom), fmax(left, right), fmax(top, bottom)};
}

/* Add the boxes of a point's mark and whiskers, at most three. */
static void add_point(const struct sl_plot_chart *chart, const struct sl_plot_series *series,
                      size_t i, double radius, struct boxes *boxes)
{
    static const double cap = 3;
    double x = sl_plot_range_at(&chart->x, sl_plot_series_x(series, i));
    double y = sl_plot_range_at(&chart->y, sl_plot_series_y(series, i));
    add_box(boxes, x - radius, y - radius, x + radius, y + radius);
    if (sl_plot_has_interval(series->x_low, series->x_high, i))
        add_box(boxes, sl_plot_range_at(&chart->x, series->x_low[i]), y - cap,
                sl_plot_range_at(&chart->x, series->x_high[i]), y + cap);
    if (sl_plot_has_interval(series->y_low, series->y_high, i))
        add_box(boxes, x - cap, sl_plot_range_at(&chart->y, series->y_low[i]), x + cap,
                sl_plot_range_at(&chart->y, series->y_high[i]));
}

static struct point make_point(const struct sl_plot_chart *chart,
                               const struct sl_plot_series *series, size_t i, double radius)
{
    struct box parts[3];
    struct boxes boxes = {.items = parts};
    add_point(chart, series, i, radius, &boxes);
    struct box own = parts[0];
    for (size_t p = 1; p < boxes.count; p++) {
        own.left = fmin(own.left, parts[p].left);
        own.top = fmin(own.top, parts[p].top);
        own.right = fmax(own.right, parts[p].right);
        own.bottom = fmax(own.bottom, parts[p].bottom);
    }
    return (struct point){.x = sl_plot_range_at(&chart->x, sl_plot_series_x(series, i)),
                          .y = sl_plot_range_at(&chart->y, sl_plot_series_y(series, i)),
                          .own = own,
                          .name = series->texts[i]};
}

static void put_name(struct sl_plot_chart *chart, struct boxes *boxes, const struct box *box,
                     const char *name)
{
    boxes->items[boxes->count++] = *box;
    sl_plot_put(chart->out, "<text class='z' x='%f' y='%f'>%s</text>\n", box->left, box->bottom - 2,
                name);
}

/* Place the name at the first free place: beside the point beyond its whiskers, between them, above
 * or below. */
static bool place_beside(struct sl_plot_chart *chart, struct boxes *boxes,
                         const struct point *point)
{
    const struct box *own = &point->own;
    double width = sl_plot_text_width(point->name, SL_SIZE_NOTE);
    double x = (own->left + own->right) / 2, y = point->y;
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
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (is_free(chart, boxes, &places[i])) {
            put_name(chart, boxes, &places[i], point->name);
            return true;
        }
    return false;
}

/* True if a line between two places crosses a name. */
static bool crosses_name(const struct boxes *boxes, const double from[2], const double to[2])
{
    enum { STEPS = 24 };
    for (size_t i = boxes->n_points; i < boxes->count; i++)
        for (size_t step = 0; step <= STEPS; step++) {
            double part = (double)step / STEPS;
            double x = from[0] + part * (to[0] - from[0]), y = from[1] + part * (to[1] - from[1]);
            const struct box at = {x - 1, y - 1, x + 1, y + 1};
            if (is_covered(&at, &boxes->items[i])) return true;
        }
    return false;
}

/* Place the name at the end of a line from the point, as near as possible; `strict`: the line must
 * cross no name. */
static bool place_away(struct sl_plot_chart *chart, struct boxes *boxes, const struct point *point,
                       bool strict)
{
    enum { DIRECTIONS = 24 };
    static const double pi = 3.14159265358979323846, nearest = 14, step = 7;
    double width = sl_plot_text_width(point->name, SL_SIZE_NOTE);
    const double farthest = hypot(chart->width, chart->bottom - chart->top);
    const size_t rings = (size_t)fmax(0, ceil((farthest - nearest) / step));
    for (size_t ring = 0; ring < rings; ring++)
        for (size_t i = 0; i < DIRECTIONS; i++) {
            const double radius = nearest + (double)ring * step;
            double angle = 2 * pi * (double)i / DIRECTIONS;
            double from[2] = {point->x, point->y};
            double end[2] = {point->x + radius * cos(angle), point->y + radius * sin(angle)};
            double left = cos(angle) >= 0 ? end[0] + 2 : end[0] - 2 - width;
            const struct box box = {left, end[1] - half_height, left + width, end[1] + half_height};
            if (!is_free(chart, boxes, &box)) continue;
            if (strict && crosses_name(boxes, from, end)) continue;
            sl_plot_put(chart->out, "<path class='a' d='M%f,%fL%f,%f'/>\n", point->x, point->y,
                        end[0], end[1]);
            put_name(chart, boxes, &box, point->name);
            return true;
        }
    return false;
}

size_t sl_plot_points_named(const struct sl_plot *plot)
{
    size_t total = 0, named = 0;
    for (size_t s = 0; s < plot->n_series; s++) {
        const struct sl_plot_series *series = &plot->series[s];
        total += series->count;
        for (size_t i = 0; series->texts && i < series->count; i++)
            named += series->texts[i] && !sl_plot_series_missing(series, i);
    }
    return total > MAX_NAMED ? 0 : named;
}

/* Names with room beside their point are placed first, so that lines to other names avoid them. */
void sl_plot_points_name(struct sl_plot_chart *chart, double radius)
{
    const struct sl_plot *plot = chart->plot;
    const size_t n_named = sl_plot_points_named(plot);
    size_t total = 0, n_left = 0;
    if (n_named == 0) return;
    for (size_t s = 0; s < plot->n_series; s++)
        total += plot->series[s].count;
    struct boxes boxes = {.items = sl_alloc(4 * total, sizeof *boxes.items)};
    struct point *left = sl_alloc(n_named, sizeof *left);
    for (size_t s = 0; s < plot->n_series; s++)
        for (size_t i = 0; i < plot->series[s].count; i++)
            if (!sl_plot_series_missing(&plot->series[s], i))
                add_point(chart, &plot->series[s], i, radius, &boxes);
    boxes.n_points = boxes.count;
    for (size_t s = 0; s < plot->n_series; s++) {
        const struct sl_plot_series *series = &plot->series[s];
        for (size_t i = 0; series->texts && i < series->count; i++) {
            if (sl_plot_series_missing(series, i) || !series->texts[i]) continue;
            const struct point point = make_point(chart, series, i, radius);
            if (!place_beside(chart, &boxes, &point)) left[n_left++] = point;
        }
    }
    for (size_t i = 0; i < n_left; i++)
        if (!place_away(chart, &boxes, &left[i], true)) place_away(chart, &boxes, &left[i], false);
    free(left);
    free(boxes.items);
}
