/* Ranges of axes and their ticks. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/plot_internal.h"

static const double room = 0.04; /* at both ends, as a share of the range */
enum { MOST_TARGET = 20 };       /* there may be a few more ticks */

/* The position between low (0) and high (1); scaled first, because high - low may overflow. */
static double fraction(const struct sl_plot_range *range, double value)
{
    if (range->log)
        return (log10(value) - log10(range->low)) / (log10(range->high) - log10(range->low));
    double scale = fmax(fabs(range->low), fabs(range->high));
    double low = range->low / scale;
    return (value / scale - low) / (range->high / scale - low);
}

double sl_plot_range_at(const struct sl_plot_range *range, double value)
{
    double at = fraction(range, value);
    return range->from + fmax(-100, fmin(100, at)) * (range->to - range->from);
}

bool sl_plot_range_holds(const struct sl_plot_range *range, double value)
{
    double at = fraction(range, value);
    return at >= -1e-9 && at <= 1 + 1e-9;
}

void sl_plot_range_empty(struct sl_plot_range *range)
{
    *range = (struct sl_plot_range){.low = (double)INFINITY, .high = -(double)INFINITY};
}

void sl_plot_range_widen(struct sl_plot_range *range, double value)
{
    if (!isfinite(value)) return;
    if (value < range->low) range->low = value;
    if (value > range->high) range->high = value;
}

/* Widen a range of one value around it. */
static void open_up(struct sl_plot_range *range)
{
    double by = range->low == 0 ? 0.5 : fabs(range->low) / 10;
    if (range->low < range->high) return;
    if (range->log) {
        range->low = fmax(range->low / 2, DBL_TRUE_MIN);
        range->high = fmin(range->high * 2, DBL_MAX);
    } else {
        range->low = fmax(range->low - by, -DBL_MAX);
        range->high = fmin(range->high + by, DBL_MAX);
    }
    if (!(range->low < range->high)) *range = (struct sl_plot_range){.low = 0, .high = 1};
}

/* Add room at both ends, but not across zero, where shares and counts begin. */
static void give_room(struct sl_plot_range *range)
{
    double low = range->low, high = range->high;
    if (range->log) {
        double factor = pow(10, room * (log10(high) - log10(low)));
        range->low = fmax(low / factor, DBL_TRUE_MIN);
        range->high = fmin(high * factor, DBL_MAX);
        return;
    }
    double by = high * room - low * room;
    range->low = low >= 0 ? fmax(low - by, 0) : fmax(low - by, -DBL_MAX);
    range->high = high <= 0 ? fmin(high + by, 0) : fmin(high + by, DBL_MAX);
}

void sl_plot_range_settle(struct sl_plot_range *range, const struct sl_plot_axis *axis, bool zero)
{
    range->log = axis->scale == SL_SCALE_LOG;
    if (axis->scale == SL_SCALE_CATEGORY) {
        range->low = -0.5;
        range->high = (double)axis->n_categories - 0.5;
    } else if (axis->low < axis->high) {
        range->low = axis->low;
        range->high = axis->high;
    } else {
        if (range->low > range->high) range->low = range->high = range->log ? 1 : 0;
        if (zero) sl_plot_range_widen(range, 0);
        if (zero && range->low == range->high) range->high = 1;
        open_up(range);
        give_room(range);
    }
}

/* A step of 1, 2 or 5 times a power of ten, as (multiple, exponent), so that 0.3 is 3 / 10 and not
 * 3 times 0.1. */
struct step {
    double multiple;
    int exponent;
};

static struct step find_step(double low, double high, size_t target)
{
    double raw = high / (double)target - low / (double)target;
    struct step step = {.exponent = (int)floor(log10(raw))};
    double ratio = raw / pow(10, step.exponent);
    step.multiple = ratio >= sqrt(50) ? 10 : ratio >= sqrt(10) ? 5 : ratio >= sqrt(2) ? 2 : 1;
    if (step.multiple == 10) {
        step.multiple = 1;
        step.exponent++;
    }
    return step;
}

static double step_times(struct step step, double n)
{
    double product = n * step.multiple;
    return step.exponent < 0 ? product / pow(10, -step.exponent) : product * pow(10, step.exponent);
}

double sl_plot_round_step(double low, double high, size_t target)
{
    return step_times(find_step(low, high, target), 1);
}

static void add_tick(struct sl_plot_ticks *ticks, const struct sl_plot_range *range, double value)
{
    if (ticks->count >= SL_PLOT_MAX_TICKS || !isfinite(value)) return;
    if (!sl_plot_range_holds(range, value)) return;
    ticks->values[ticks->count++] = value;
}

static void append_unit(const struct sl_plot_axis *axis, char text[SL_PLOT_NUMBER])
{
    size_t length = strlen(text);
    if (axis->unit && strcmp(axis->unit, "%") == 0 && length + 2 <= SL_PLOT_NUMBER)
        snprintf(text + length, SL_PLOT_NUMBER - length, "%%");
}

/* All numbers of an axis have the same form, so that they are easy to compare. */
static void write_linear(struct sl_plot_ticks *ticks, struct step step)
{
    double most = 0;
    for (size_t i = 0; i < ticks->count; i++)
        most = fmax(most, fabs(ticks->values[i]));
    int exponent = most > 0 ? (int)floor(log10(most) + 1e-9) : 0;
    int decimals = step.exponent < 0 ? -step.exponent : 0;
    bool power = most >= 1e7 || (most < 1e-3 && step.exponent < -4) || decimals > 12;
    for (size_t i = 0; i < ticks->count; i++) {
        if (power && ticks->values[i] != 0)
            sl_plot_number_power(ticks->values[i], exponent, exponent - step.exponent,
                                 ticks->texts[i]);
        else
            sl_plot_number_fixed(ticks->values[i], power ? 0 : decimals, ticks->texts[i]);
    }
}

static void find_linear(const struct sl_plot_range *range, size_t target, struct sl_plot_ticks *out)
{
    struct step step = find_step(range->low, range->high, target);
    if (range->whole && step.exponent < 0) step = (struct step){1, 0};
    double unit = step_times(step, 1);
    out->count = 0;
    if (!(unit > 0)) return;
    double first = ceil(range->low / unit - 1e-9);
    for (size_t i = 0; i < SL_PLOT_MAX_TICKS; i++) {
        double value = step_times(step, first + (double)i);
        if (value > range->high && !sl_plot_range_holds(range, value)) break;
        add_tick(out, range, value == 0 ? 0 : value);
    }
    write_linear(out, step);
}

/* From dense to sparse: 1, 2 and 5 of every decade, 1 and 3, or 1 of every n-th decade. */
static void find_logarithmic(const struct sl_plot_range *range, size_t target,
                             struct sl_plot_ticks *out)
{
    static const struct {
        double multiples[3];
        int stride;
    } sets[] = {{{1, 2, 5}, 1},  {{1, 3, 0}, 1},   {{1, 0, 0}, 1},  {{1, 0, 0}, 2},
                {{1, 0, 0}, 3},  {{1, 0, 0}, 5},   {{1, 0, 0}, 10}, {{1, 0, 0}, 20},
                {{1, 0, 0}, 50}, {{1, 0, 0}, 100}, {{1, 0, 0}, 200}};
    int low = (int)floor(log10(range->low)), high = (int)ceil(log10(range->high));
    for (size_t set = 0; set < sizeof sets / sizeof *sets; set++) {
        out->count = 0;
        for (int exponent = low; exponent <= high; exponent++) {
            if (exponent % sets[set].stride != 0) continue;
            for (size_t i = 0; i < 3 && sets[set].multiples[i] > 0; i++)
                add_tick(out, range,
                         step_times((struct step){sets[set].multiples[i], exponent}, 1));
        }
        if (out->count <= target) break;
    }
    for (size_t i = 0; i < out->count; i++)
        sl_plot_number_brief(out->values[i], 3, out->texts[i]);
}

void sl_plot_ticks_find(const struct sl_plot_range *range, const struct sl_plot_axis *axis,
                        size_t target, struct sl_plot_ticks *out)
{
    out->count = 0;
    if (axis->scale == SL_SCALE_CATEGORY) return;
    target = target < 1 ? 1 : target > MOST_TARGET ? MOST_TARGET : target;
    if (range->log) find_logarithmic(range, target, out);
    /* A log axis over little more than a decade is easier to read with linear ticks. */
    const bool is_short = range->log && out->count < 3 && range->high < 20 * range->low;
    if (!range->log || out->count < 2 || is_short) find_linear(range, target, out);
    for (size_t i = 0; i < out->count; i++)
        append_unit(axis, out->texts[i]);
}

static bool stand_apart(const struct sl_plot_range *range, const struct sl_plot_ticks *ticks,
                        double width)
{
    static const double gap = 10;
    for (size_t i = 0; i + 1 < ticks->count; i++) {
        double left = sl_plot_text_width(ticks->texts[i], SL_SIZE_TEXT);
        double right = sl_plot_text_width(ticks->texts[i + 1], SL_SIZE_TEXT);
        double between =
            (fraction(range, ticks->values[i + 1]) - fraction(range, ticks->values[i])) * width;
        if (between < left / 2 + right / 2 + gap) return false;
    }
    return true;
}

void sl_plot_ticks_find_across(const struct sl_plot_range *range, const struct sl_plot_axis *axis,
                               double width, struct sl_plot_ticks *out)
{
    for (size_t target = (size_t)(width / 55) + 1; target > 0; target--) {
        sl_plot_ticks_find(range, axis, target, out);
        if (stand_apart(range, out, width)) return;
    }
    if (!stand_apart(range, out, width)) out->count = 1;
}
