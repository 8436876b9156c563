/* Calibration: measures over bins of confidence and over the order by confidence.
 * docs/internals/eval.md lists the published quirks that are kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/eval_internal.h"
#include "softlab/base/memory.h"

/* Gaps between mean confidence and accuracy over bins: weighted sums and the largest. */
struct gaps {
    double sum, sum_of_squares, largest;
};

static void add_gap(struct gaps *gaps, double weight, double gap)
{
    gaps->sum += weight * gap;
    gaps->sum_of_squares += weight * gap * gap;
    gaps->largest = fmax(gaps->largest, gap);
}

/* Bins of `size` items in ascending confidence; the last one extends to the end. PixMix's loop
 * skips the last bin although its weights count those items, and fails without one whole bin.
 * Corrected, all bins count and few items make one bin. */
static struct gaps adaptive_gaps(const struct sl_scored *scored, size_t size, bool corrected)
{
    struct gaps gaps = {0};
    const size_t n = scored->n, whole = n / size;
    if (whole == 0 && !corrected) return (struct gaps){(double)NAN, (double)NAN, (double)NAN};
    const size_t n_bins = whole > 0 ? whole : 1, n_used = corrected ? n_bins : n_bins - 1;
    for (size_t b = 0; b < n_used; b++) {
        const size_t begin = b * size, end = b + 1 == n_bins ? n : begin + size;
        double confidence = 0, right = 0;
        for (size_t i = begin; i < end; i++) {
            size_t row = scored->by_confidence[i];
            confidence += scored->confidence[row];
            right += sl_eval_is_right(scored, row);
        }
        const double count = (double)(end - begin);
        add_gap(&gaps, count / (double)n, fabs(confidence - right) / count);
    }
    return gaps;
}

double sl_eval_rms_published(const struct sl_scored *scored,
                             const struct sl_metric_options *options)
{
    return sqrt(adaptive_gaps(scored, options->bin_size, false).sum_of_squares);
}

double sl_eval_mad_published(const struct sl_scored *scored,
                             const struct sl_metric_options *options)
{
    return adaptive_gaps(scored, options->bin_size, false).sum;
}

double sl_eval_max_published(const struct sl_scored *scored,
                             const struct sl_metric_options *options)
{
    return adaptive_gaps(scored, options->bin_size, false).largest;
}

double sl_eval_rms_corrected(const struct sl_scored *scored,
                             const struct sl_metric_options *options)
{
    return sqrt(adaptive_gaps(scored, options->bin_size, true).sum_of_squares);
}

double sl_eval_mad_corrected(const struct sl_scored *scored,
                             const struct sl_metric_options *options)
{
    return adaptive_gaps(scored, options->bin_size, true).sum;
}

double sl_eval_max_corrected(const struct sl_scored *scored,
                             const struct sl_metric_options *options)
{
    return adaptive_gaps(scored, options->bin_size, true).largest;
}

/* Turn sums into means. */
static void finish_bins(struct sl_reliability_bin *bins, size_t n_bins)
{
    for (size_t b = 0; b < n_bins; b++) {
        bins[b].confidence /= (double)bins[b].count;
        bins[b].accuracy /= (double)bins[b].count;
    }
}

static void count_row(const struct sl_scored *scored, size_t row, struct sl_reliability_bin *bin)
{
    bin->count++;
    bin->confidence += scored->confidence[row];
    bin->accuracy += sl_eval_is_right(scored, row);
}

void sl_reliability(const struct sl_scored *scored, size_t n_bins, struct sl_reliability_bin *out)
{
    for (size_t b = 0; b < n_bins; b++)
        out[b] = (struct sl_reliability_bin){.low = (double)b / (double)n_bins,
                                             .high = (double)(b + 1) / (double)n_bins};
    size_t b = 0;
    for (size_t i = 0; i < scored->n; i++) {
        size_t row = scored->by_confidence[i];
        while (b + 1 < n_bins && scored->confidence[row] > out[b].high)
            b++;
        count_row(scored, row, &out[b]);
    }
    finish_bins(out, n_bins);
}

static struct gaps bin_gaps(const struct sl_reliability_bin *bins, size_t n_bins, size_t n)
{
    struct gaps gaps = {0};
    for (size_t b = 0; b < n_bins; b++)
        if (bins[b].count > 0)
            add_gap(&gaps, (double)bins[b].count / (double)n,
                    fabs(bins[b].confidence - bins[b].accuracy));
    return gaps;
}

static struct gaps equal_width_gaps(const struct sl_scored *scored, size_t n_bins)
{
    struct sl_reliability_bin *bins = sl_alloc(n_bins, sizeof *bins);
    sl_reliability(scored, n_bins, bins);
    struct gaps gaps = bin_gaps(bins, n_bins, scored->n);
    free(bins);
    return gaps;
}

double sl_eval_ece(const struct sl_scored *scored, const struct sl_metric_options *options)
{
    return equal_width_gaps(scored, options->n_bins).sum;
}

double sl_eval_mce(const struct sl_scored *scored, const struct sl_metric_options *options)
{
    return equal_width_gaps(scored, options->n_bins).largest;
}

/* numpy.interp of the sorted confidences at `position`; beyond the last one, the last one. */
static double confidence_at(const struct sl_scored *scored, double position)
{
    const size_t last = scored->n - 1;
    if (position >= (double)last) return scored->confidence[scored->by_confidence[last]];
    const size_t below = (size_t)position;
    const double low = scored->confidence[scored->by_confidence[below]];
    const double high = scored->confidence[scored->by_confidence[below + 1]];
    return low + (position - (double)below) * (high - low);
}

/* Bins (low, high] of equally many items. As published, the first one is open below too, so that no
 * bin has the least confident item. */
static double equal_mass_error(const struct sl_scored *scored, size_t n_bins, bool corrected)
{
    const double step = (double)scored->n / (double)n_bins;
    struct sl_reliability_bin *bins = sl_alloc(n_bins, sizeof *bins);
    for (size_t b = 0; b < n_bins; b++)
        bins[b] =
            (struct sl_reliability_bin){.low = confidence_at(scored, (double)b * step),
                                        .high = confidence_at(scored, (double)(b + 1) * step)};
    size_t b = 0;
    for (size_t i = 0; i < scored->n; i++) {
        size_t row = scored->by_confidence[i];
        if (!corrected && scored->confidence[row] <= bins[0].low) continue;
        while (b + 1 < n_bins && scored->confidence[row] > bins[b].high)
            b++;
        count_row(scored, row, &bins[b]);
    }
    finish_bins(bins, n_bins);
    double error = bin_gaps(bins, n_bins, scored->n).sum;
    free(bins);
    return error;
}

double sl_eval_adaptive_published(const struct sl_scored *scored,
                                  const struct sl_metric_options *options)
{
    return equal_mass_error(scored, options->n_bins, false);
}

double sl_eval_adaptive_corrected(const struct sl_scored *scored,
                                  const struct sl_metric_options *options)
{
    return equal_mass_error(scored, options->n_bins, true);
}

void sl_risk_coverage(const struct sl_scored *scored, double *out)
{
    size_t n_wrong = 0;
    for (size_t i = 0; i < scored->n; i++) {
        n_wrong += !sl_eval_is_right(scored, scored->by_confidence[scored->n - 1 - i]);
        out[i] = (double)n_wrong / (double)(i + 1);
    }
}

double sl_eval_aurra(const struct sl_scored *scored, const struct sl_metric_options *options)
{
    (void)options;
    size_t n_right = 0;
    double sum = 0;
    for (size_t i = 0; i < scored->n; i++) {
        n_right += sl_eval_is_right(scored, scored->by_confidence[scored->n - 1 - i]);
        sum += (double)n_right / (double)(i + 1);
    }
    return sum / (double)scored->n;
}

double sl_eval_soft_f1(const struct sl_scored *scored, const struct sl_metric_options *options)
{
    (void)options;
    double doubt_when_wrong = 0, doubt = 0, wrong = 0;
    for (size_t i = 0; i < scored->n; i++) {
        bool is_wrong = !sl_eval_is_right(scored, i);
        doubt += 1 - scored->confidence[i];
        wrong += is_wrong;
        if (is_wrong) doubt_when_wrong += 1 - scored->confidence[i];
    }
    return 2 * doubt_when_wrong / (doubt + wrong);
}

/* Mean and variance of a row's logits under their softmax; `largest` is the largest of them. */
struct spread {
    double mean, variance;
};
static struct spread spread_of(const double *log_p, size_t n_classes, double largest,
                               double sharpness)
{
    /* exp(-40) of the largest share is below double precision. */
    static const double negligible = -40;
    double sum = 0, first = 0, second = 0;
    for (size_t k = 0; k < n_classes; k++) {
        const double below = log_p[k] - largest, scaled = below * sharpness;
        if (scaled < negligible) continue;
        const double weight = exp(scaled);
        sum += weight;
        first += weight * below;
        second += weight * below * below;
    }
    const double mean = first / sum;
    return (struct spread){mean, second / sum - mean * mean};
}

/* The derivative of the log-likelihood with respect to `sharpness`, the factor of the logits, and
 * minus its second derivative in *fall. Resamples hold the copies of a row side by side; what is
 * known of the first holds for all. */
static double slope_at(const struct sl_scored *scored, double sharpness, double *fall)
{
    const size_t n_classes = scored->n_classes;
    struct spread spread = {0};
    double slope = 0;
    *fall = 0;
    for (size_t i = 0; i < scored->n; i++) {
        const double *log_p = scored->log_predicted + i * n_classes;
        const double largest = log_p[scored->top[i]];
        if (i == 0 || memcmp(log_p, log_p - n_classes, n_classes * sizeof *log_p) != 0)
            spread = spread_of(log_p, n_classes, largest, sharpness);
        slope += log_p[sl_eval_truth(scored, i)] - largest - spread.mean;
        *fall += spread.variance;
    }
    return slope;
}

/* The likelihood is concave in 1 / temperature, so Newton's method finds its maximum, four times
 * faster than the published bisection, which ends within 1e-4 of it. */
double sl_eval_temperature(const struct sl_scored *scored, const struct sl_metric_options *options)
{
    (void)options;
    enum { MOST_STEPS = 100 };
    static const double coldest = 0.2, hottest = 5, small_step = 1e-4;
    double low = 1 / hottest, high = 1 / coldest, sharpness = 1;
    for (size_t step = 0; step < MOST_STEPS; step++) {
        double fall, slope = slope_at(scored, sharpness, &fall);
        if (!isfinite(slope)) return (double)NAN;
        if (slope > 0 ? sharpness >= 1 / coldest : sharpness <= 1 / hottest) break;
        *(slope > 0 ? &low : &high) = sharpness;
        double next = fmin(fmax(sharpness + slope / fall, 1 / hottest), 1 / coldest);
        const bool at_end = next == 1 / hottest || next == 1 / coldest;
        if (!(next > low && next < high) && !(at_end && next >= low && next <= high))
            next = (low + high) / 2;
        const bool settled = fabs(next - sharpness) <= small_step;
        sharpness = next;
        if (settled) break;
    }
    return 1 / sharpness;
}
