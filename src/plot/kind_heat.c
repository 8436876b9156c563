/* Heat maps: a larger value has a stronger tint of one hue over the background, so that the same
 * markup serves light and dark. Values below zero have a second hue. */
#include <math.h>
#include <string.h>

#include "plot/plot_internal.h"
#include "softlab/base/text.h"

enum { SCALE_WIDTH = 120, LARGEST_CELL = 44, SMALLEST_CELL = 16 };

/* The colour of a cell's number: ink on pale tints, the darker of ink and background on medium
 * ones, background on strong ones. */
static const char *pen(double strong)
{
    return strong < 0.5 ? "" : strong < 0.68 ? " p" : " b";
}

enum sl_status sl_plot_heat_check(const struct sl_plot *plot, struct sl_error *err)
{
    const struct sl_plot_series *series = &plot->series[0];
    if (plot->x.scale != SL_SCALE_CATEGORY || plot->y.scale != SL_SCALE_CATEGORY)
        return sl_fail(err, SL_ERR_USAGE, "a heat map needs categories on both axes");
    if (plot->z.scale != SL_SCALE_LINEAR)
        return sl_fail(err, SL_ERR_USAGE, "the colours of a heat map need a linear scale");
    if (!series->z || series->count != plot->x.n_categories * plot->y.n_categories)
        return sl_fail(err, SL_ERR_USAGE, "a heat map of %zu by %zu cells cannot have %zu value%s",
                       plot->y.n_categories, plot->x.n_categories, series->z ? series->count : 0,
                       sl_text_plural(series->z ? series->count : 0, "", "s"));
    return SL_OK;
}

/* Zero has no tint, so the scale begins there unless a range is given. */
enum sl_status sl_plot_heat_prepare(struct sl_plot_chart *chart, struct sl_error *err)
{
    const struct sl_plot *plot = chart->plot;
    const struct sl_plot_series *series = &plot->series[0];
    (void)err;
    for (size_t i = 0; i < series->count; i++) {
        sl_plot_range_widen(&chart->z, series->z[i]);
        chart->has_data = chart->has_data || isfinite(series->z[i]);
    }
    if (plot->z.low < plot->z.high) {
        chart->z.low = plot->z.low;
        chart->z.high = plot->z.high;
    } else {
        sl_plot_range_widen(&chart->z, 0);
        if (chart->z.low == chart->z.high) chart->z.high = 1;
    }
    sl_plot_range_settle(&chart->x, &plot->x, false);
    sl_plot_range_settle(&chart->y, &plot->y, false);
    return SL_OK;
}

double sl_plot_heat_height(const struct sl_plot_chart *chart)
{
    double cell = (chart->right - chart->left) / (double)chart->plot->x.n_categories;
    cell = fmax(SMALLEST_CELL, fmin(LARGEST_CELL, cell * 0.85));
    return cell * (double)chart->plot->y.n_categories;
}

/* The strength of the tint, 0 to 1, and its hue. */
static double strength(const struct sl_plot_range *range, double value, bool *below)
{
    double low = range->low, high = range->high;
    value = fmax(low, fmin(high, value));
    *below = low < 0 && value < 0;
    if (low < 0 && high <= 0) return value / low;
    if (low < 0) return fabs(value) / fmax(-low, high);
    double span = high / 2 - low / 2;
    return (value / 2 - low / 2) / span;
}

/* The number of decimals: two digits of the largest value. */
static int find_decimals(const struct sl_plot_range *range)
{
    double most = fmax(fabs(range->low), fabs(range->high));
    int decimals = 1 - (int)floor(log10(most) - 1e-9);
    return decimals < 0 ? 0 : decimals > 6 ? 6 : decimals;
}

static bool all_whole(const struct sl_plot_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (isfinite(series->z[i]) && series->z[i] != floor(series->z[i])) return false;
    return true;
}

struct cells {
    double width, height;
    int decimals;
    bool numbered;
};

static struct cells measure_cells(const struct sl_plot_chart *chart)
{
    const struct sl_plot *plot = chart->plot;
    const struct sl_plot_series *series = &plot->series[0];
    struct cells cells = {
        .width = (chart->right - chart->left) / (double)plot->x.n_categories,
        .height = (chart->bottom - chart->top) / (double)plot->y.n_categories,
        .decimals = all_whole(series) ? 0 : find_decimals(&chart->z),
    };
    double longest = 0;
    for (size_t i = 0; i < series->count; i++) {
        char text[SL_PLOT_NUMBER];
        if (!isfinite(series->z[i])) continue;
        sl_plot_number_fixed(series->z[i], cells.decimals, text);
        longest = fmax(longest, sl_plot_text_width(text, SL_SIZE_NOTE));
    }
    cells.numbered = !plot->hide_values && longest + 4 <= cells.width && cells.height >= 14;
    return cells;
}

static void put_name_of_cell(struct sl_plot_chart *chart, size_t row, size_t column)
{
    char number[SL_PLOT_NUMBER];
    const struct sl_plot *plot = chart->plot;
    sl_plot_number_brief(plot->series[0].z[row * plot->x.n_categories + column], 4, number);
    sl_plot_put(chart->out, "%s, %s: %s", plot->y.categories[row], plot->x.categories[column],
                number);
    if (plot->z.unit) sl_plot_put(chart->out, plot->z.unit[0] == '%' ? "%s" : " %s", plot->z.unit);
}

static void draw_cell(struct sl_plot_chart *chart, const struct cells *cells, size_t row,
                      size_t column)
{
    double value = chart->plot->series[0].z[row * chart->plot->x.n_categories + column];
    double x = chart->left + cells->width * (double)column;
    double y = chart->top + cells->height * (double)row;
    bool below = false, missing = !isfinite(value);
    double strong = missing ? 0 : strength(&chart->z, value, &below);
    sl_plot_put(chart->out, "<rect x='%f' y='%f' width='%f' height='%f'", x + 0.5, y + 0.5,
                cells->width - 1, cells->height - 1);
    if (missing)
        sl_plot_put(chart->out, " fill='url(#%s-lines)' opacity='.5'>", chart->plot->id);
    else
        sl_plot_put(chart->out, " class='%s' fill-opacity='%f'>", below ? "x" : "y",
                    0.04 + 0.96 * strong);
    sl_plot_put(chart->out, "<title>");
    put_name_of_cell(chart, row, column);
    sl_plot_put(chart->out, "</title></rect>\n");
    if (missing || !cells->numbered) return;
    char text[SL_PLOT_NUMBER];
    sl_plot_number_fixed(value, cells->decimals, text);
    /* Most cells of a confusion matrix are nearly zero; show them faintly. */
    bool nothing = strspn(text, "0.") == strlen(text);
    sl_plot_put(chart->out, "<text class='z m%s' x='%f' y='%f'>%s</text>\n",
                nothing ? " q" : pen(strong), x + cells->width / 2, y + cells->height / 2 + 4,
                nothing ? "0" : text);
}

void sl_plot_heat_draw(struct sl_plot_chart *chart)
{
    struct cells cells = measure_cells(chart);
    for (size_t row = 0; row < chart->plot->y.n_categories; row++)
        for (size_t column = 0; column < chart->plot->x.n_categories; column++)
            draw_cell(chart, &cells, row, column);
}

void sl_plot_heat_describe(const struct sl_plot_chart *chart)
{
    const struct sl_plot *plot = chart->plot;
    const struct sl_plot_series *series = &plot->series[0];
    size_t least = SIZE_MAX, most = SIZE_MAX, missing = 0;
    for (size_t i = 0; i < series->count; i++) {
        if (!isfinite(series->z[i])) {
            missing++;
            continue;
        }
        if (least == SIZE_MAX || series->z[i] < series->z[least]) least = i;
        if (most == SIZE_MAX || series->z[i] > series->z[most]) most = i;
    }
    sl_plot_put(chart->out, " %zu row%s and %zu column%s", plot->y.n_categories,
                sl_text_plural(plot->y.n_categories, "", "s"), plot->x.n_categories,
                sl_text_plural(plot->x.n_categories, "", "s"));
    const size_t cells[] = {most, least};
    for (size_t i = 0; chart->has_data && i < 2; i++) {
        char number[SL_PLOT_NUMBER];
        sl_plot_number_brief(series->z[cells[i]], 4, number);
        sl_plot_put(chart->out, "%s %s in row %s, column %s", i == 0 ? "; highest" : "; lowest",
                    number, plot->y.categories[cells[i] / plot->x.n_categories],
                    plot->x.categories[cells[i] % plot->x.n_categories]);
    }
    sl_plot_put(chart->out, ".");
    if (missing > 0)
        sl_plot_put(chart->out, " %zu of %zu value%s %s missing.", missing, series->count,
                    sl_text_plural(series->count, "", "s"), sl_text_plural(missing, "is", "are"));
}

static void put_stop(struct sl_plot_chart *chart, double offset, double value)
{
    bool below;
    double strong = strength(&chart->z, value, &below);
    /* At zero both hues are at their palest. */
    sl_plot_put(chart->out, "<stop offset='%f' class='%s' stop-opacity='%f'/>", offset,
                below ? "x" : "y", 0.04 + 0.96 * strong);
}

double sl_plot_heat_legend(struct sl_plot_chart *chart, bool draw)
{
    char label[SL_PLOT_LINE], low[SL_PLOT_NUMBER], high[SL_PLOT_NUMBER];
    sl_plot_axis_title(&chart->plot->z, label);
    double height = *label ? 38 : 22;
    if (!draw) return height;
    double y = chart->legend_top;
    if (*label) {
        sl_plot_put(chart->out, "<g transform='translate(%f,%f)'>", (double)SL_PLOT_PADDING,
                    y + 12);
        sl_plot_text_write(chart->out, "class='q'", label, SL_SIZE_TEXT,
                           chart->width - 2 * SL_PLOT_PADDING);
        sl_plot_put(chart->out, "</g>\n");
        y += SL_LINE_HEIGHT;
    }
    sl_plot_number_brief(chart->z.low, 2, low);
    sl_plot_number_brief(chart->z.high, 2, high);
    double x = SL_PLOT_PADDING + sl_plot_text_width(low, SL_SIZE_TEXT) + 6;
    sl_plot_put(chart->out, "<linearGradient id='%s-scale'>", chart->plot->id);
    put_stop(chart, 0, chart->z.low);
    if (chart->z.low < 0 && chart->z.high > 0) {
        double zero = -chart->z.low / (chart->z.high - chart->z.low);
        put_stop(chart, zero, -1e-300);
        put_stop(chart, zero, 0);
    }
    put_stop(chart, 1, chart->z.high);
    sl_plot_put(chart->out, "</linearGradient>\n<text class='q' x='%f' y='%f'>%s</text>",
                (double)SL_PLOT_PADDING, y + 12, low);
    sl_plot_put(chart->out,
                "<rect x='%f' y='%f' width='%f' height='10' fill='url(#%s-scale)'/>"
                "<text class='q' x='%f' y='%f'>%s</text>\n",
                x, y + 3, (double)SCALE_WIDTH, chart->plot->id, x + SCALE_WIDTH + 6, y + 12, high);
    return height;
}
