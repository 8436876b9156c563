/* Reliability diagrams: a bar of accuracy per bin of confidence, the gap to the mean confidence,
 * the diagonal of a calibrated model, and a strip with the number of items per bin. */
#include <math.h>

#include "plot/plot_internal.h"
#include "softlab/base/text.h"

enum { STRIP = 56, STRIP_GAP = 10, STRIP_HEAD = 17 };
static const double narrow = 4; /* bins up to this many pixels wide have no outlines */

/* NaN stands for no value, as in every chart. */
static bool is_share(double value)
{
    return isnan(value) || (value >= 0 && value <= 1);
}

enum sl_status sl_plot_reliability_check(const struct sl_plot *plot, struct sl_error *err)
{
    const struct sl_plot_series *series = &plot->series[0];
    if (plot->x.scale != SL_SCALE_LINEAR || plot->y.scale != SL_SCALE_LINEAR)
        return sl_fail(err, SL_ERR_USAGE, "a reliability diagram needs two linear axes");
    if (series->count > 0 &&
        !(series->x && series->y && series->x_low && series->x_high && series->weight))
        return sl_fail(
            err, SL_ERR_USAGE,
            "a reliability diagram needs confidence, accuracy, edges and items of its bins");
    for (size_t i = 0; i < series->count; i++) {
        if (!(isfinite(series->x_low[i]) && isfinite(series->x_high[i])) ||
            !(series->weight[i] >= 0 && isfinite(series->weight[i])))
            return sl_fail(err, SL_ERR_INPUT, "bin %zu has no edges or no number of items", i + 1);
        if (series->weight[i] > 0 && !(is_share(series->x[i]) && is_share(series->y[i])))
            return sl_fail(err, SL_ERR_INPUT,
                           "bin %zu has confidence %g and accuracy %g; both are shares from 0 to 1",
                           i + 1, series->x[i], series->y[i]);
    }
    return SL_OK;
}

enum sl_status sl_plot_reliability_prepare(struct sl_plot_chart *chart, struct sl_error *err)
{
    static const struct sl_plot_axis unit = {.low = 0, .high = 1};
    const struct sl_plot *plot = chart->plot;
    (void)err;
    chart->has_data = sl_plot_series_n_missing(&plot->series[0]) < plot->series[0].count;
    sl_plot_range_settle(&chart->x, plot->x.low < plot->x.high ? &plot->x : &unit, false);
    sl_plot_range_settle(&chart->y, plot->y.low < plot->y.high ? &plot->y : &unit, false);
    return SL_OK;
}

double sl_plot_reliability_height(const struct sl_plot_chart *chart)
{
    return 0.75 * (chart->right - chart->left);
}

double sl_plot_reliability_below(const struct sl_plot_chart *chart)
{
    (void)chart;
    return STRIP + STRIP_GAP;
}

static double most_items(const struct sl_plot_series *series)
{
    double most = 0;
    for (size_t i = 0; i < series->count; i++)
        most = fmax(most, series->weight[i]);
    return most;
}

static double bin_width(const struct sl_plot_chart *chart, size_t bin)
{
    const struct sl_plot_series *series = &chart->plot->series[0];
    return sl_plot_range_at(&chart->x, series->x_high[bin]) -
           sl_plot_range_at(&chart->x, series->x_low[bin]);
}

static void put_rectangle(struct sl_plot_chart *chart, size_t bin, double from, double to)
{
    const struct sl_plot_series *series = &chart->plot->series[0];
    double left = sl_plot_range_at(&chart->x, series->x_low[bin]);
    double width = bin_width(chart, bin), hair = width > narrow ? 0.5 : 0;
    sl_plot_put(chart->out, " x='%f' y='%f' width='%f' height='%f'", left + hair, fmin(from, to),
                fmax(0.5, width - 2 * hair), fabs(to - from));
}

static void put_tooltip(struct sl_plot_chart *chart, size_t bin)
{
    const struct sl_plot_series *series = &chart->plot->series[0];
    const double values[] = {series->x_low[bin], series->x_high[bin], series->y[bin],
                             series->x[bin], series->weight[bin]};
    char text[5][SL_PLOT_NUMBER];
    for (size_t i = 0; i < 5; i++)
        sl_plot_number_brief(values[i], i == 4 ? 7 : 3, text[i]);
    sl_plot_put(chart->out,
                "<title>confidence %s to %s: accuracy %s, mean confidence %s, %s items</title>",
                text[0], text[1], text[2], text[3], text[4]);
}

static void draw_bin(struct sl_plot_chart *chart, size_t bin)
{
    const struct sl_plot_series *series = &chart->plot->series[0];
    double floor_at = sl_plot_range_at(&chart->y, fmax(chart->y.low, 0));
    double accuracy = sl_plot_range_at(&chart->y, series->y[bin]);
    double confidence = sl_plot_range_at(&chart->y, series->x[bin]);
    sl_plot_put(chart->out, "<rect fill='url(#%s-p1)'", chart->plot->id);
    put_rectangle(chart, bin, floor_at, accuracy);
    sl_plot_put(chart->out, ">");
    put_tooltip(chart, bin);
    sl_plot_put(chart->out, "</rect>\n<rect class='c6' fill='url(#%s-lines)'", chart->plot->id);
    if (bin_width(chart, bin) > narrow) sl_plot_put(chart->out, " stroke='currentColor'");
    put_rectangle(chart, bin, accuracy, confidence);
    sl_plot_put(chart->out, ">");
    put_tooltip(chart, bin);
    sl_plot_put(chart->out, "</rect>\n");
    if (!sl_plot_has_interval(series->y_low, series->y_high, bin)) return;
    double middle = (sl_plot_range_at(&chart->x, series->x_low[bin]) +
                     sl_plot_range_at(&chart->x, series->x_high[bin])) /
                    2;
    double low = sl_plot_range_at(&chart->y, series->y_low[bin]);
    double high = sl_plot_range_at(&chart->y, series->y_high[bin]);
    sl_plot_put(chart->out, "<path class='i t' d='M%f,%fV%f'/>", middle, low, high);
    sl_plot_put(chart->out, "<path class='i u' d='M%f,%fV%f'/>\n", middle, low, high);
}

static void draw_counts(struct sl_plot_chart *chart)
{
    const struct sl_plot_series *series = &chart->plot->series[0];
    double most = most_items(series), base = chart->strip_bottom;
    char text[SL_PLOT_NUMBER];
    sl_plot_put(chart->out, "<g class='c0'>\n");
    for (size_t i = 0; i < series->count && most > 0; i++) {
        if (series->weight[i] == 0) continue;
        /* A bin with one item of thousands must still be visible. */
        double height = fmax(0.75, (STRIP - STRIP_HEAD) * series->weight[i] / most);
        sl_plot_put(chart->out, "<rect fill='currentColor'");
        put_rectangle(chart, i, base - height, base);
        sl_plot_put(chart->out, "/>\n");
    }
    sl_plot_number_brief(most, 7, text);
    sl_plot_put(chart->out, "</g>\n<path class='a' d='M%f,%fH%f'/>\n", chart->left, base,
                chart->right);
    sl_plot_put(chart->out, "<text class='q z' x='%f' y='%f'>items per bin, at most %s</text>\n",
                chart->left, base - STRIP + 12, text);
}

void sl_plot_reliability_draw(struct sl_plot_chart *chart)
{
    const struct sl_plot_series *series = &chart->plot->series[0];
    sl_plot_group_open(chart, 0);
    for (size_t i = 0; i < series->count; i++)
        if (!sl_plot_series_missing(series, i)) draw_bin(chart, i);
    double low = fmax(chart->x.low, chart->y.low), high = fmin(chart->x.high, chart->y.high);
    if (low < high)
        sl_plot_put(chart->out, "<path class='i u' stroke-dasharray='4 3' d='M%f,%fL%f,%f'/>\n",
                    sl_plot_range_at(&chart->x, low), sl_plot_range_at(&chart->y, low),
                    sl_plot_range_at(&chart->x, high), sl_plot_range_at(&chart->y, high));
    sl_plot_group_close(chart);
    sl_plot_put(chart->out, "<path class='a' d='M%f,%fH%f'/>\n", chart->left, chart->bottom,
                chart->right);
    draw_counts(chart);
}

void sl_plot_reliability_describe(const struct sl_plot_chart *chart)
{
    const struct sl_plot_series *series = &chart->plot->series[0];
    size_t present = 0, widest = 0;
    double gap = -1, items = 0, error = 0;
    for (size_t i = 0; i < series->count; i++) {
        if (sl_plot_series_missing(series, i)) continue;
        double here = fabs(series->y[i] - series->x[i]);
        present++;
        items += series->weight[i];
        error += series->weight[i] * here;
        if (here > gap) widest = i;
        gap = fmax(gap, here);
    }
    char total[SL_PLOT_NUMBER], mean[SL_PLOT_NUMBER], at[3][SL_PLOT_NUMBER];
    sl_plot_number_brief(items, 9, total);
    sl_plot_number_brief(items > 0 ? error / items : 0, 3, mean);
    sl_plot_put(chart->out, " %zu of %zu bin%s %s %s items.", present, series->count,
                sl_text_plural(series->count, "", "s"), sl_text_plural(present, "holds", "hold"),
                total);
    if (present == 0) return;
    sl_plot_number_brief(series->x[widest], 3, at[0]);
    sl_plot_number_brief(series->y[widest], 3, at[1]);
    sl_plot_number_brief(gap, 3, at[2]);
    sl_plot_put(chart->out,
                " The mean gap between accuracy and confidence is %s, weighted by items; the"
                " largest is %s, where confidence is %s and accuracy %s.",
                mean, at[2], at[0], at[1]);
}
