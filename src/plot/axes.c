/* Draws what is around the area: title, axes with grid, labels, note. */
#include <math.h>

#include "plot/plot_internal.h"

static void put_lines(struct sl_plot_chart *chart, const char *classes,
                      const struct sl_plot_lines *lines, double base, double step)
{
    for (size_t i = 0; i < lines->count; i++)
        sl_plot_put(chart->out, "<text class='%s' x='%f' y='%f'>%s</text>\n", classes,
                    (double)SL_PLOT_PADDING, base + step * (double)i, lines->text[i]);
}

static void draw_head(struct sl_plot_chart *chart)
{
    const struct sl_plot *plot = chart->plot;
    struct sl_plot_lines lines;
    double inside = chart->width - 2 * SL_PLOT_PADDING;
    sl_plot_text_wrap(plot->title, SL_SIZE_TITLE * 1.11, inside, SL_PLOT_MAX_LINES, &lines);
    put_lines(chart, "h", &lines, SL_PLOT_PADDING + 14, 20);
    double base = SL_PLOT_PADDING + 20.0 * (double)lines.count + 13;
    if (plot->subtitle) {
        sl_plot_text_wrap(plot->subtitle, SL_SIZE_TEXT, inside, SL_PLOT_MAX_LINES, &lines);
        put_lines(chart, "q", &lines, base, SL_LINE_HEIGHT);
    }
    if (plot->note) {
        sl_plot_text_wrap(plot->note, SL_SIZE_NOTE, inside, SL_PLOT_MAX_LINES, &lines);
        put_lines(chart, "q z", &lines, chart->note_top + 11, 15);
    }
}

static void draw_labels(struct sl_plot_chart *chart)
{
    char label[SL_PLOT_LINE];
    sl_plot_axis_title(&chart->plot->y, label);
    double inside = chart->width - 2 * SL_PLOT_PADDING;
    if (*label) {
        sl_plot_put(chart->out, "<g transform='translate(%f,%f)'>", (double)SL_PLOT_PADDING,
                    chart->label_base);
        sl_plot_text_write(chart->out, "class='q'", label, SL_SIZE_TEXT, inside);
        sl_plot_put(chart->out, "</g>\n");
    }
    sl_plot_axis_title(&chart->plot->x, label);
    if (!*label) return;
    /* Centre it below the area, but keep it inside the chart. */
    double half = fmin(sl_plot_text_width(label, SL_SIZE_TEXT), inside) / 2;
    double middle = (chart->left + chart->right) / 2;
    middle = fmax(SL_PLOT_PADDING + half, fmin(chart->width - SL_PLOT_PADDING - half, middle));
    sl_plot_put(chart->out, "<g transform='translate(%f,%f)'>", middle, chart->x_label_base);
    sl_plot_text_write(chart->out, "class='q m'", label, SL_SIZE_TEXT, inside);
    sl_plot_put(chart->out, "</g>\n");
}

static void draw_grid(struct sl_plot_chart *chart)
{
    sl_plot_put(chart->out, "<path class='g' d='");
    for (size_t i = 0; i < chart->y_ticks.count; i++)
        sl_plot_put(chart->out, "M%f,%fH%f", chart->left,
                    sl_plot_range_at(&chart->y, chart->y_ticks.values[i]), chart->right);
    for (size_t i = 0; i < chart->x_ticks.count; i++)
        sl_plot_put(chart->out, "M%f,%fV%f", sl_plot_range_at(&chart->x, chart->x_ticks.values[i]),
                    chart->top, chart->bottom);
    sl_plot_put(chart->out, "'/>\n");
}

static void draw_numbers(struct sl_plot_chart *chart)
{
    for (size_t i = 0; i < chart->y_ticks.count; i++)
        sl_plot_put(chart->out, "<text class='q e' x='%f' y='%f'>%s</text>\n", chart->left - 7,
                    sl_plot_range_at(&chart->y, chart->y_ticks.values[i]) + 4,
                    chart->y_ticks.texts[i]);
    for (size_t i = 0; i < chart->x_ticks.count; i++) {
        double half = sl_plot_text_width(chart->x_ticks.texts[i], SL_SIZE_TEXT) / 2;
        double x = sl_plot_range_at(&chart->x, chart->x_ticks.values[i]);
        /* A long number at the end of the axis moves inwards. */
        x = fmax(half + 2, fmin(chart->width - half - 2, x));
        sl_plot_put(chart->out, "<text class='q m' x='%f' y='%f'>%s</text>\n", x,
                    chart->strip_bottom + 16, chart->x_ticks.texts[i]);
    }
}

static void draw_x_names(struct sl_plot_chart *chart)
{
    const struct sl_plot_axis *axis = &chart->plot->x;
    double band = (chart->right - chart->left) / (double)axis->n_categories;
    double y = chart->strip_bottom + (chart->tilt > 0 ? 12 : 16);
    for (size_t i = 0; i < axis->n_categories; i += chart->category_step) {
        double x = sl_plot_range_at(&chart->x, (double)i);
        /* A tilted name extends to the left and must stay inside the chart. */
        bool is_upright = chart->tilt >= 90;
        double most = is_upright ? 120 : chart->tilt > 0 ? fmin(120, (x - 4) / 0.82) : band;
        sl_plot_put(chart->out, "<g transform='translate(%f,%f)", chart->tilt > 0 ? x + 4 : x, y);
        if (chart->tilt > 0) sl_plot_put(chart->out, "rotate(%f)", -chart->tilt);
        sl_plot_put(chart->out, "'>");
        sl_plot_text_write(chart->out, chart->tilt > 0 ? "class='q e'" : "class='q m'",
                           axis->categories[i], SL_SIZE_TEXT, most);
        sl_plot_put(chart->out, "</g>\n");
    }
}

/* Uses two lines if one is too short and the rows are high enough. */
static void draw_y_name(struct sl_plot_chart *chart, const char *name, double y, double band)
{
    double width = chart->left - 7 - SL_PLOT_PADDING + 1;
    struct sl_plot_lines lines;
    sl_plot_text_wrap(name, SL_SIZE_TEXT, width, 2, &lines);
    if (band < 28 || lines.count < 2) {
        sl_plot_put(chart->out, "<g transform='translate(%f,%f)'>", chart->left - 7, y + 4);
        sl_plot_text_write(chart->out, "class='e'", name, SL_SIZE_TEXT, width);
        sl_plot_put(chart->out, "</g>\n");
        return;
    }
    sl_plot_put(chart->out, "<text class='e' x='%f' y='%f'>%s<tspan x='%f' dy='13'>%s</tspan>",
                chart->left - 7, y - 2.5, lines.text[0], chart->left - 7, lines.text[1]);
    sl_plot_put(chart->out, "<title>%s</title></text>\n", name);
}

static void draw_y_names(struct sl_plot_chart *chart)
{
    const struct sl_plot_axis *axis = &chart->plot->y;
    double band = (chart->bottom - chart->top) / (double)axis->n_categories;
    size_t step = (size_t)fmax(1, ceil(13 / band));
    for (size_t i = 0; i < axis->n_categories; i += step)
        draw_y_name(chart, axis->categories[i], sl_plot_range_at(&chart->y, (double)i), band);
}

void sl_plot_frame(struct sl_plot_chart *chart)
{
    draw_head(chart);
    draw_labels(chart);
    chart->kind->legend(chart, true);
    if (!chart->has_data) {
        sl_plot_put(chart->out, "<text class='q m' x='%f' y='%f'>No data</text>\n",
                    (chart->left + chart->right) / 2, (chart->top + chart->bottom) / 2);
        return;
    }
    draw_grid(chart);
    draw_numbers(chart);
    if (chart->plot->x.scale == SL_SCALE_CATEGORY) draw_x_names(chart);
    if (chart->plot->y.scale == SL_SCALE_CATEGORY) draw_y_names(chart);
}
