/* Bars in groups: vertical, or horizontal if the categories are on the y axis. */
#include <math.h>

#include "plot/plot_internal.h"

static const double group_share = 0.78; /* of a category's band */
static const double widest = 64;        /* bar, in pixels */

static bool is_lying(const struct sl_plot *plot)
{
    return plot->y.scale == SL_SCALE_CATEGORY;
}

enum sl_status sl_plot_bars_check(const struct sl_plot *plot, struct sl_error *err)
{
    if ((plot->x.scale == SL_SCALE_CATEGORY) == (plot->y.scale == SL_SCALE_CATEGORY))
        return sl_fail(err, SL_ERR_USAGE,
                       "bars need categories on one axis and values on the other");
    if (plot->x.scale == SL_SCALE_LOG || plot->y.scale == SL_SCALE_LOG)
        return sl_fail(
            err, SL_ERR_USAGE,
            "bars begin at zero, which a logarithmic axis cannot show; use a linear axis");
    return sl_plot_check_given(plot, is_lying(plot), "bars need", err);
}

double sl_plot_bars_height(const struct sl_plot_chart *chart)
{
    const struct sl_plot *plot = chart->plot;
    if (!is_lying(plot)) return fmax(180, 0.55 * (chart->right - chart->left));
    return (double)plot->y.n_categories * fmax(22, 12.0 * (double)plot->n_series + 8);
}

/* A rectangle between two positions along the categories and two along the values. */
static void put_bar(struct sl_plot_chart *chart, size_t series, size_t i, const double along[2],
                    const double value[2])
{
    bool lying = is_lying(chart->plot);
    const double *across = lying ? value : along, *up = lying ? along : value;
    sl_plot_put(chart->out, "<rect fill='url(#%s-p%zu)' x='%f' y='%f' width='%f' height='%f'>",
                chart->plot->id, chart->colours[series], fmin(across[0], across[1]),
                fmin(up[0], up[1]), fabs(across[1] - across[0]), fabs(up[1] - up[0]));
    sl_plot_put(chart->out, "<title>");
    sl_plot_describe_value(chart, series, i);
    sl_plot_put(chart->out, "</title></rect>\n");
}

static void draw_series(struct sl_plot_chart *chart, size_t series)
{
    const struct sl_plot *plot = chart->plot;
    const struct sl_plot_series *values = &plot->series[series];
    bool lying = is_lying(plot);
    const struct sl_plot_range *names = lying ? &chart->y : &chart->x;
    const struct sl_plot_range *range = lying ? &chart->x : &chart->y;
    double band = fabs(sl_plot_range_at(names, 1) - sl_plot_range_at(names, 0));
    double slot = fmin(group_share / (double)plot->n_series, widest / band);
    double half = slot * (double)plot->n_series / 2;
    double zero = fmax(range->low, fmin(range->high, 0));
    for (size_t i = 0; i < values->count; i++) {
        if (sl_plot_series_missing(values, i)) continue;
        double place = lying ? sl_plot_series_y(values, i) : sl_plot_series_x(values, i);
        double height = lying ? sl_plot_series_x(values, i) : sl_plot_series_y(values, i);
        double begin = place - half + slot * (double)series;
        /* Leave half a pixel between neighbours. */
        double along[2] = {sl_plot_range_at(names, begin) + 0.5,
                           sl_plot_range_at(names, begin + slot) - 0.5};
        if (along[1] < along[0] + 0.5) along[1] = along[0] + 0.5;
        height = fmax(range->low, fmin(range->high, height));
        double value[2] = {sl_plot_range_at(range, zero), sl_plot_range_at(range, height)};
        put_bar(chart, series, i, along, value);
        double middle = (along[0] + along[1]) / 2;
        /* A light line below the dark one, so that the whisker shows on the bar and beside it. */
        for (size_t layer = 0; layer < 2; layer++) {
            sl_plot_put(chart->out, "<g class='%s'>", layer == 0 ? "t" : "u");
            sl_plot_whiskers(chart, series, i, lying ? value[1] : middle,
                             lying ? middle : value[1]);
            sl_plot_put(chart->out, "</g>\n");
        }
    }
}

void sl_plot_bars_draw(struct sl_plot_chart *chart)
{
    for (size_t i = 0; i < chart->plot->n_series; i++) {
        sl_plot_group_open(chart, i);
        draw_series(chart, i);
        sl_plot_group_close(chart);
    }
    if (is_lying(chart->plot))
        sl_plot_put(chart->out, "<path class='a' d='M%f,%fV%f'/>\n",
                    sl_plot_range_at(&chart->x, fmax(chart->x.low, fmin(chart->x.high, 0))),
                    chart->top, chart->bottom);
    else
        sl_plot_put(chart->out, "<path class='a' d='M%f,%fH%f'/>\n", chart->left,
                    sl_plot_range_at(&chart->y, fmax(chart->y.low, fmin(chart->y.high, 0))),
                    chart->right);
}
