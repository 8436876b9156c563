/* Stats: summaries, intervals and the two fits softlab needs, over plain arrays.
 * NaN in gives NaN out; empty input gives NaN, but its sum is 0. Sums are compensated,
 * so the order of values does not matter to the digits shown. */
#ifndef SOFTLAB_BASE_STATS_H
#define SOFTLAB_BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/random.h"

SL_BEGIN_DECLS

double sl_sum(const double *values, size_t count);
double sl_mean(const double *values, size_t count);
double sl_sd(const double *values, size_t count);                  /* n - 1; NaN below two values */
double sl_pearson(const double *x, const double *y, size_t count); /* NaN if one is constant */

/* Index of the largest value, the first of equal ones; count > 0. For displays during training and
 * where ties do not matter. */
size_t sl_largest(const float *values, size_t count);

/* A distribution's first choice. Used wherever two distributions are compared or one stands for a
 * class. Of equal values the later one is chosen, as the last of numpy's stable argsort; later
 * means later in `order`, the indices 0 to count - 1 sorted by class name (sl_classes_order in
 * softlab/base/classes.h), or NULL for the given order. sl_first_two also finds the second choice
 * (the same index if there is only one value) and says whether it outweighs the third. count > 0.
 * docs/internals/eval.md says why. */
size_t sl_first_choice(const float *values, size_t count, const size_t *order);
bool sl_first_two(const double *values, size_t count, const size_t *order, size_t *first,
                  size_t *second);

/* Entropy of a distribution, and of a row of floats, in nats; 0 log 0 = 0. */
double sl_entropy(const double *distribution, size_t count);
double sl_entropy_of_row(const float *row, size_t count);

/* Quantile by linear interpolation (numpy's default); sl_quantile_sorted needs
 * ascending values, sl_quantile copies and sorts. 0 <= p <= 1. */
double sl_quantile_sorted(const double *values, size_t count, double p);
double sl_quantile(const double *values, size_t count, double p);
double sl_median(const double *values, size_t count);
/* The mean without the lowest and the highest tenth (rounded down). Sorts the values. */
double sl_trimmed_mean(double *values, size_t count);

/* The bin, from 0, of a value among `n_bins` equal parts of 0 to 1; values outside go to the first
 * or last bin. A float typed as .7 falls into the bin that begins at .7, whatever its last bit
 * is. */
size_t sl_bin_of(double value, size_t n_bins);

struct sl_interval {
    double estimate, low, high;
};

/* Mean with its Student t interval at `level` (0.95). With fewer than two values low and high are
 * NaN. */
struct sl_interval sl_mean_interval(const double *values, size_t count, double level);

/* Percentile bootstrap of any statistic: `statistic` sees `count` indices drawn with
 * replacement. Resample r uses the stream (seed, "bootstrap", 0, r). A resample that lacks what the
 * statistic is about (it is NaN) is left out. */
typedef double sl_statistic(const size_t *indices, size_t count, void *context);
struct sl_bootstrap_options {
    size_t n_resamples; /* 10,000 */
    double level;       /* .95 */
    uint64_t seed;
};
struct sl_bootstrap_options sl_bootstrap_options_default(void);
enum sl_status sl_bootstrap(sl_statistic *statistic, void *context, size_t count,
                            const struct sl_bootstrap_options *options, struct sl_interval *out,
                            struct sl_error *err) SL_MUST_USE;
/* What sl_bootstrap refuses, and the indices of its resample, for callers that divide the resamples
 * among threads. */
enum sl_status sl_bootstrap_check(size_t count, const struct sl_bootstrap_options *options,
                                  struct sl_error *err) SL_MUST_USE;
void sl_bootstrap_draw(const struct sl_bootstrap_options *options, size_t resample, size_t *indices,
                       size_t count);

/* The same for values in two crossed groupings, such as answers to images by annotators: both are
 * resampled, so that the interval holds for other images and other annotators. Resample r draws
 * groups from the streams (seed, "bootstrap first", 0, r) and (seed, "bootstrap second", 0, r).
 * Without values the ends are NaN. */
#define SL_NO_GROUP UINT32_MAX
struct sl_crossed {
    const double *values;   /* (count), without NaN */
    const uint32_t *first;  /* (count), below n_first */
    const uint32_t *second; /* (count), below n_second, or SL_NO_GROUP; or NULL: one grouping */
    size_t count, n_first, n_second;
};
enum sl_crossed_statistic {
    SL_CROSSED_MEAN,
    SL_CROSSED_MEDIAN,
    SL_CROSSED_MEAN_OF_MEANS /* the mean over the second grouping of the means of its groups */
};
enum sl_status sl_bootstrap_crossed(enum sl_crossed_statistic statistic,
                                    const struct sl_crossed *data,
                                    const struct sl_bootstrap_options *options,
                                    struct sl_interval *out, struct sl_error *err) SL_MUST_USE;

/* Special functions; NaN outside their domain. */
double sl_log_gamma(double x);                           /* x > 0 */
double sl_digamma(double x);                             /* x > 0 */
double sl_incomplete_beta(double a, double b, double x); /* regularised I_x(a, b) */
double sl_normal_quantile(double p);
double sl_student_t_cdf(double t, double freedom);
double sl_student_t_quantile(double p, double freedom);
double sl_chi2_quantile(double p, double freedom); /* freedom may be a fraction */

/* The Beta distribution that has the mean and the sl_sd of the values in [0, 1], as fitted in the
 * thesis. SL_ERR_NUMERIC if all values are equal, or all are 0 or 1. */
struct sl_beta {
    double a, b;
};
enum sl_status sl_beta_from_moments(const double *values, size_t count, struct sl_beta *out,
                                    struct sl_error *err) SL_MUST_USE;

/* Least squares of y = 1 / (1 + exp(-k (x - x0))) by Levenberg-Marquardt from k = 1, x0 = median of
 * x. SL_ERR_NUMERIC if it does not converge. */
struct sl_logistic {
    double k, x0;
};
double sl_logistic_value(struct sl_logistic curve, double x);
enum sl_status sl_logistic_fit(const double *x, const double *y, size_t count,
                               struct sl_logistic *out, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
