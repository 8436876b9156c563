/* Places the parts of a chart. From the top: title, subtitle, legend, label of the y axis, area,
 * the kind's own strip, numbers or names, label of the x axis, note. */
#include <math.h>

#include "plot/plot_internal.h"

static const double pi = 3.14159265358979323846;
/* The least width of a category, for tilted and for vertical names. */
enum { TILTED_BAND = 21, NARROWEST_BAND = 13 };

static double heights_of_head(struct sl_plot_chart *chart)
{
    const struct sl_plot *plot = chart->plot;
    struct sl_plot_lines lines;
    double inside = chart->width - 2 * SL_PLOT_PADDING, y = SL_PLOT_PADDING;
    sl_plot_text_wrap(plot->title, SL_SIZE_TITLE * 1.11, inside, SL_PLOT_MAX_LINES, &lines);
    y += 20.0 * (double)lines.count;
    if (plot->subtitle) {
        sl_plot_text_wrap(plot->subtitle, SL_SIZE_TEXT, inside, SL_PLOT_MAX_LINES, &lines);
        y += (double)SL_LINE_HEIGHT * (double)lines.count;
    }
    return y + 8;
}

/* The name of a line that ends early would be far from its end. */
static bool reaches_end(const struct sl_plot_chart *chart, const struct sl_plot_series *series)
{
    struct sl_plot_range across = chart->x;
    across.from = 0;
    across.to = 1;
    for (size_t i = series->count; i > 0; i--)
        if (!sl_plot_series_missing(series, i - 1))
            return sl_plot_range_at(&across, sl_plot_series_x(series, i - 1)) > 0.88;
    return false;
}

/* True if names fit at the ends of lines, where they read better than in a legend. */
static bool names_fit(const struct sl_plot_chart *chart, double *width)
{
    const struct sl_plot *plot = chart->plot;
    *width = 0;
    if (!chart->kind->named_ends || plot->n_series < 2 || plot->n_series > 6) return false;
    for (size_t i = 0; i < plot->n_series; i++) {
        *width = fmax(*width, sl_plot_text_width(plot->series[i].name, SL_SIZE_TEXT));
        if (!reaches_end(chart, &plot->series[i])) return false;
    }
    return *width <= chart->width * 0.24;
}

static double names_width(const struct sl_plot_axis *axis, double most)
{
    double width = 0;
    for (size_t i = 0; i < axis->n_categories; i++)
        width = fmax(width, sl_plot_text_width(axis->categories[i], SL_SIZE_TEXT));
    return fmin(width, most);
}

static double left_margin(struct sl_plot_chart *chart, double area_height)
{
    const struct sl_plot_axis *axis = &chart->plot->y;
    double width = 0;
    if (axis->scale == SL_SCALE_CATEGORY) {
        width = names_width(axis, chart->width * 0.4);
    } else {
        sl_plot_ticks_find(&chart->y, axis, (size_t)(area_height / 42), &chart->y_ticks);
        for (size_t i = 0; i < chart->y_ticks.count; i++)
            width = fmax(width, sl_plot_text_width(chart->y_ticks.texts[i], SL_SIZE_TEXT));
    }
    return SL_PLOT_PADDING + width + 7;
}

/* Place category names: horizontal, tilted if too long, vertical if too dense, and only some of
 * them if still too dense. Returns their height. */
static double place_names(struct sl_plot_chart *chart, double area_width)
{
    const struct sl_plot_axis *axis = &chart->plot->x;
    double band = area_width / (double)axis->n_categories;
    double longest = names_width(axis, 120);
    chart->category_step = 1;
    chart->tilt = 0;
    if (longest <= band - 6) return 20;
    chart->tilt = band < TILTED_BAND ? 90 : 35;
    chart->category_step = band < TILTED_BAND ? (size_t)ceil(NARROWEST_BAND / band) : 1;
    return 14 + longest * sin(chart->tilt * pi / 180);
}

static double place_x(struct sl_plot_chart *chart)
{
    const struct sl_plot_axis *axis = &chart->plot->x;
    double area_width = chart->right - chart->left;
    if (axis->scale == SL_SCALE_CATEGORY) return place_names(chart, area_width);
    sl_plot_ticks_find_across(&chart->x, axis, area_width, &chart->x_ticks);
    return chart->x_ticks.count > 0 ? 20 : 4;
}

/* Half of the last number is to the right of its tick. */
static double right_margin(struct sl_plot_chart *chart)
{
    double names;
    chart->named_lines = names_fit(chart, &names);
    if (chart->named_lines) return names + 10 + SL_PLOT_PADDING;
    if (chart->plot->x.scale == SL_SCALE_CATEGORY) return SL_PLOT_PADDING;
    return SL_PLOT_PADDING + 12;
}

static void set_ranges(struct sl_plot_chart *chart)
{
    chart->x.from = chart->left;
    chart->x.to = chart->right;
    bool down = chart->plot->y.scale == SL_SCALE_CATEGORY;
    chart->y.from = down ? chart->top : chart->bottom;
    chart->y.to = down ? chart->bottom : chart->top;
}

void sl_plot_layout(struct sl_plot_chart *chart)
{
    const struct sl_plot *plot = chart->plot;
    char label[SL_PLOT_LINE];
    struct sl_plot_lines lines = {0};
    chart->width = plot->width > 0 ? plot->width : 400;
    chart->legend_top = heights_of_head(chart);
    chart->right = chart->width - right_margin(chart);
    double area_height = plot->height;
    /* The height may depend on the width, and the left margin on the height: start with a guess. */
    chart->left = SL_PLOT_PADDING + 40;
    if (plot->y.scale == SL_SCALE_CATEGORY) chart->left = left_margin(chart, 0);
    if (!(area_height > 0)) area_height = chart->kind->area_height(chart);
    chart->left = left_margin(chart, area_height);
    chart->top = chart->legend_top + chart->kind->legend(chart, false);
    sl_plot_axis_title(&plot->y, label);
    if (*label) chart->top += 18;
    chart->label_base = chart->top - 4;
    chart->top += 8;
    chart->bottom = chart->top + area_height;
    double y = chart->bottom + (chart->kind->below ? chart->kind->below(chart) : 0);
    chart->strip_bottom = y;
    y += place_x(chart);
    sl_plot_axis_title(&plot->x, label);
    if (*label) y += 18;
    chart->x_label_base = y - 3;
    if (plot->note)
        sl_plot_text_wrap(plot->note, SL_SIZE_NOTE, chart->width - 2 * SL_PLOT_PADDING,
                          SL_PLOT_MAX_LINES, &lines);
    chart->note_top = y + 6;
    chart->height = ceil(y + (lines.count ? 6 + 15.0 * (double)lines.count : 0) + 8);
    set_ranges(chart);
}
