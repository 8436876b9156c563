/* Refuses plots that cannot be drawn, before anything is written. */
#include <math.h>
#include <string.h>

#include "plot/plot_internal.h"
#include "softlab/base/text.h"

static bool is_id(const char *id)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    return id && *id && strchr(letters, *id) && strspn(id, others) == strlen(id) &&
           strlen(id) <= 64;
}

static enum sl_status check_axis(const struct sl_plot_axis *axis, const char *name,
                                 struct sl_error *err)
{
    bool given = axis->low != 0 || axis->high != 0;
    if (axis->scale == SL_SCALE_CATEGORY) {
        if (axis->n_categories == 0 || !axis->categories)
            return sl_fail(err, SL_ERR_USAGE, "the %s axis has no categories", name);
        for (size_t i = 0; i < axis->n_categories; i++)
            if (!axis->categories[i])
                return sl_fail(err, SL_ERR_USAGE, "category %zu of the %s axis has no name", i + 1,
                               name);
        return SL_OK;
    }
    if (given && !(isfinite(axis->low) && isfinite(axis->high) && axis->low <= axis->high))
        return sl_fail(err, SL_ERR_USAGE, "the %s axis ends (%g) before it begins (%g)", name,
                       axis->high, axis->low);
    if (axis->scale == SL_SCALE_LOG && axis->low < axis->high && !(axis->low > 0))
        return sl_fail(err, SL_ERR_USAGE, "a logarithmic %s axis cannot begin at %g", name,
                       axis->low);
    return SL_OK;
}

/* Check one array of a series against its axis; `values` may be NULL. */
static enum sl_status check_values(const struct sl_plot_series *series, const double *values,
                                   const struct sl_plot_axis *axis, const char *name,
                                   struct sl_error *err)
{
    const char *owner = series->name ? series->name : "the series";
    for (size_t i = 0; values && i < series->count; i++) {
        if (!isfinite(values[i])) continue;
        if (axis->scale == SL_SCALE_LOG && values[i] <= 0)
            return sl_fail(err, SL_ERR_INPUT,
                           "%s: a logarithmic %s axis cannot show %g (value %zu)", owner, name,
                           values[i], i + 1);
        if (axis->scale == SL_SCALE_CATEGORY &&
            !(values[i] >= 0 && values[i] < (double)axis->n_categories &&
              values[i] == floor(values[i])))
            return sl_fail(err, SL_ERR_INPUT, "%s: %g is not one of the %zu %s of the %s axis",
                           owner, values[i], axis->n_categories,
                           sl_text_plural(axis->n_categories, "category", "categories"), name);
    }
    if (!values && axis->scale == SL_SCALE_CATEGORY && series->count > axis->n_categories)
        return sl_fail(err, SL_ERR_INPUT, "%s: %zu value%s for %zu %s of the %s axis", owner,
                       series->count, sl_text_plural(series->count, "", "s"), axis->n_categories,
                       sl_text_plural(axis->n_categories, "category", "categories"), name);
    if (!values && axis->scale == SL_SCALE_LOG && series->count > 0)
        return sl_fail(err, SL_ERR_USAGE, "%s: a logarithmic %s axis needs values", owner, name);
    return SL_OK;
}

static enum sl_status check_interval(const struct sl_plot_series *series, const double *low,
                                     const double *high, const char *name, struct sl_error *err)
{
    const char *owner = series->name ? series->name : "the series";
    if (!low != !high)
        return sl_fail(err, SL_ERR_USAGE, "%s: intervals on the %s axis need both ends", owner,
                       name);
    for (size_t i = 0; low && i < series->count; i++)
        if (low[i] > high[i])
            return sl_fail(err, SL_ERR_INPUT,
                           "%s: the interval of value %zu ends (%g) before it begins (%g)", owner,
                           i + 1, high[i], low[i]);
    return SL_OK;
}

enum sl_status sl_plot_check_given(const struct sl_plot *plot, bool on_x, const char *kind,
                                   struct sl_error *err)
{
    for (size_t i = 0; i < plot->n_series; i++) {
        const struct sl_plot_series *series = &plot->series[i];
        if (series->count == 0 || (on_x ? series->x : series->y)) continue;
        return sl_fail(err, SL_ERR_USAGE, "%s has no %s values; %s them",
                       series->name ? series->name : "the series", on_x ? "x" : "y", kind);
    }
    return SL_OK;
}

static enum sl_status check_series(const struct sl_plot *plot, const struct sl_plot_series *series,
                                   struct sl_error *err)
{
    SL_TRY(check_interval(series, series->x_low, series->x_high, "x", err));
    SL_TRY(check_interval(series, series->y_low, series->y_high, "y", err));
    if (plot->kind == SL_PLOT_HEAT) return SL_OK;
    if (series->count > 0 && !series->x && !series->y)
        return sl_fail(err, SL_ERR_USAGE, "%s has neither x nor y values",
                       series->name ? series->name : "the series");
    SL_TRY(check_values(series, series->x, &plot->x, "x", err));
    if (plot->kind == SL_PLOT_HISTOGRAM) return SL_OK;
    SL_TRY(check_values(series, series->y, &plot->y, "y", err));
    const struct sl_plot_axis *axes[] = {&plot->x, &plot->x, &plot->y, &plot->y};
    const double *ends[] = {series->x_low, series->x_high, series->y_low, series->y_high};
    for (size_t i = 0; i < 4; i++)
        if (ends[i]) SL_TRY(check_values(series, ends[i], axes[i], i < 2 ? "x" : "y", err));
    return SL_OK;
}

enum sl_status sl_plot_check(const struct sl_plot *plot, struct sl_error *err)
{
    if ((size_t)plot->kind >= SL_PLOT_KINDS)
        return sl_fail(err, SL_ERR_USAGE, "there is no chart kind %d", (int)plot->kind);
    const char *kind = sl_plot_kinds[plot->kind].name;
    const struct sl_plot_kind_methods *methods = &sl_plot_methods[plot->kind];
    if (!is_id(plot->id))
        return sl_fail(err, SL_ERR_USAGE,
                       "a chart's id must be a letter and up to 63 letters, digits, '-' or '_'");
    if (!plot->title || !*plot->title)
        return sl_fail(err, SL_ERR_USAGE, "chart %s has no title", plot->id);
    if (plot->n_series == 0 || plot->n_series > SL_PLOT_MAX_SERIES)
        return sl_fail(err, SL_ERR_USAGE, "chart %s has %zu series; it can have 1 to %d", plot->id,
                       plot->n_series, SL_PLOT_MAX_SERIES);
    if (!plot->series)
        return sl_fail(err, SL_ERR_USAGE, "chart %s has no series: the pointer is NULL", plot->id);
    if (methods->one_series && plot->n_series != 1)
        return sl_fail(err, SL_ERR_USAGE, "a chart of kind %s takes one series, not %zu", kind,
                       plot->n_series);
    if (!(plot->width == 0 || (plot->width >= 240 && plot->width <= 4000)) ||
        !(plot->height >= 0 && plot->height <= 20000))
        return sl_fail(err, SL_ERR_USAGE, "chart %s cannot be %g wide and %g high", plot->id,
                       plot->width, plot->height);
    SL_TRY(check_axis(&plot->x, "x", err));
    SL_TRY(check_axis(&plot->y, "y", err));
    SL_TRY(check_axis(&plot->z, "z", err));
    for (size_t i = 0; i < plot->n_series; i++)
        if (plot->n_series > 1 && !plot->series[i].name)
            return sl_fail(err, SL_ERR_USAGE, "series %zu of chart %s has no name", i + 1,
                           plot->id);
    if (methods->check) SL_TRY(methods->check(plot, err));
    for (size_t i = 0; i < plot->n_series; i++)
        SL_TRY(check_series(plot, &plot->series[i], err));
    return SL_OK;
}
