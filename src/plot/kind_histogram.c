/* Histograms: raw values counted into bins that all series share. */
#include <math.h>
#include <stdlib.h>

#include "plot/plot_internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"
#include "softlab/base/text.h"

enum { MOST_BINS = 500, USUAL_BINS = 24 };

enum sl_status sl_plot_histogram_check(const struct sl_plot *plot, struct sl_error *err)
{
    if (plot->x.scale != SL_SCALE_LINEAR || plot->y.scale != SL_SCALE_LINEAR)
        return sl_fail(err, SL_ERR_USAGE, "a histogram needs two linear axes");
    if (plot->n_bins > MOST_BINS)
        return sl_fail(err, SL_ERR_USAGE, "a histogram takes at most %d bins, not %zu", MOST_BINS,
                       plot->n_bins);
    for (size_t i = 0; i < plot->n_series; i++)
        if (plot->series[i].count > 0 && !plot->series[i].x)
            return sl_fail(err, SL_ERR_USAGE, "series %zu of a histogram has no x values", i + 1);
    return SL_OK;
}

/* Edges are round numbers unless the caller chose the range or the number of bins. */
static void choose_bins(struct sl_plot_chart *chart)
{
    const struct sl_plot_axis *axis = &chart->plot->x;
    struct sl_plot_range *range = &chart->x;
    struct sl_plot_bins *bins = &chart->bins;
    bool given = axis->low < axis->high;
    struct sl_plot_axis none = {.low = range->low, .high = range->high};
    sl_plot_range_settle(range, given ? axis : &none, false);
    bins->count = chart->plot->n_bins;
    if (bins->count == 0) {
        double step = sl_plot_round_step(range->low, range->high, USUAL_BINS);
        double low = floor(range->low / step + 1e-9) * step;
        double high = ceil(range->high / step - 1e-9) * step;
        /* Near the limits of double there are no round numbers. */
        if (!given && isfinite(low) && isfinite(high) && low < high) {
            range->low = low;
            range->high = high;
        }
        double count = round(range->high / step - range->low / step);
        bins->count = count >= 1 && count <= MOST_BINS ? (size_t)count : USUAL_BINS;
    }
    bins->low = range->low;
    bins->width = range->high / (double)bins->count - range->low / (double)bins->count;
}

static void fill_bins(struct sl_plot_chart *chart, size_t series)
{
    const struct sl_plot_series *values = &chart->plot->series[series];
    struct sl_plot_bins *bins = &chart->bins;
    bins->heights[series] = sl_alloc(bins->count, sizeof(double));
    for (size_t i = 0; i < values->count; i++) {
        double value = values->x[i];
        if (!isfinite(value)) continue;
        if (!sl_plot_range_holds(&chart->x, value)) continue;
        /* Add a little, so that 0.3 falls into the bin that begins with it. */
        double at = floor(value / bins->width - bins->low / bins->width + 1e-9);
        size_t bin = at <= 0 ? 0 : (size_t)at;
        bins->heights[series][bin < bins->count ? bin : bins->count - 1]++;
    }
    for (size_t b = 0; b < bins->count; b++) {
        if (chart->plot->share && bins->n_values[series] > 0)
            bins->heights[series][b] *= 100.0 / (double)bins->n_values[series];
        sl_plot_range_widen(&chart->y, bins->heights[series][b]);
    }
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static enum sl_status find_quartiles(struct sl_plot_chart *chart, size_t series,
                                     struct sl_error *err)
{
    const struct sl_plot_series *values = &chart->plot->series[series];
    double *present = sl_data_alloc(values->count, sizeof *present, err);
    size_t count = 0;
    if (!present) return SL_ERR_NOMEM;
    for (size_t i = 0; i < values->count; i++)
        if (isfinite(values->x[i])) present[count++] = values->x[i];
    if (count > 0) qsort(present, count, sizeof *present, compare);
    for (size_t i = 0; i < 3; i++)
        chart->bins.quartiles[series][i] =
            sl_quantile_sorted(present, count, 0.25 * (double)(i + 1));
    chart->bins.n_values[series] = count;
    chart->has_data = chart->has_data || count > 0;
    free(present);
    return SL_OK;
}

enum sl_status sl_plot_histogram_prepare(struct sl_plot_chart *chart, struct sl_error *err)
{
    const struct sl_plot *plot = chart->plot;
    for (size_t s = 0; s < plot->n_series; s++) {
        SL_TRY(find_quartiles(chart, s, err));
        for (size_t i = 0; i < plot->series[s].count; i++)
            sl_plot_range_widen(&chart->x, plot->series[s].x[i]);
    }
    choose_bins(chart);
    for (size_t s = 0; s < plot->n_series; s++)
        fill_bins(chart, s);
    sl_plot_range_settle(&chart->y, &plot->y, true);
    return SL_OK;
}

/* Outline from the first bin with values to the last, without empty bins at the ends. */
static void draw_series(struct sl_plot_chart *chart, size_t series)
{
    const struct sl_plot_bins *bins = &chart->bins;
    const double *heights = bins->heights[series];
    double floor_at = sl_plot_range_at(&chart->y, fmax(chart->y.low, 0));
    size_t begin = 0, end = bins->count;
    while (begin < end && heights[begin] == 0)
        begin++;
    while (end > begin && heights[end - 1] == 0)
        end--;
    sl_plot_put(chart->out, "<path class='s' stroke-dasharray='%s' d='M%f,%f",
                sl_plot_mark_dashes(chart->colours[series]),
                sl_plot_range_at(&chart->x, bins->low + bins->width * (double)begin), floor_at);
    for (size_t b = begin; b < end; b++)
        sl_plot_put(chart->out, "V%fH%f", sl_plot_range_at(&chart->y, heights[b]),
                    sl_plot_range_at(&chart->x, bins->low + bins->width * (double)(b + 1)));
    sl_plot_put(chart->out, "V%f'/>\n", floor_at);
}

void sl_plot_histogram_draw(struct sl_plot_chart *chart)
{
    for (size_t i = 0; i < chart->plot->n_series; i++) {
        sl_plot_group_open(chart, i);
        draw_series(chart, i);
        sl_plot_group_close(chart);
    }
    sl_plot_put(chart->out, "<path class='a' d='M%f,%fH%f'/>\n", chart->left, chart->bottom,
                chart->right);
}

void sl_plot_histogram_describe(const struct sl_plot_chart *chart)
{
    for (size_t s = 0; s < chart->plot->n_series; s++) {
        const struct sl_plot_series *series = &chart->plot->series[s];
        size_t count = chart->bins.n_values[s];
        char text[3][SL_PLOT_NUMBER];
        for (size_t i = 0; i < 3; i++)
            sl_plot_number_brief(chart->bins.quartiles[s][i], 3, text[i]);
        if (series->name) sl_plot_put(chart->out, " %s:", series->name);
        if (count > 0)
            sl_plot_put(chart->out, " %zu value%s, median %s, middle half from %s to %s.", count,
                        sl_text_plural(count, "", "s"), text[1], text[0], text[2]);
        else if (chart->has_data)
            sl_plot_put(chart->out, " no values.");
        sl_plot_describe_missing(chart, series);
    }
}
