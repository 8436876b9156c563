#include "softlab/base/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"

/* Neumaier's sum: `rest` collects what each addition rounds away. */
struct running_sum {
    double sum, rest;
};

static void add_value(struct running_sum *running, double value)
{
    double sum = running->sum + value;
    if (fabs(running->sum) >= fabs(value))
        running->rest += (running->sum - sum) + value;
    else
        running->rest += (value - sum) + running->sum;
    running->sum = sum;
}

/* If the sum is infinite, the rest is inf - inf and meaningless. */
static double total(const struct running_sum *running)
{
    return isfinite(running->sum) ? running->sum + running->rest : running->sum;
}

double sl_sum(const double *values, size_t count)
{
    struct running_sum running = {0};
    for (size_t i = 0; i < count; i++)
        add_value(&running, values[i]);
    return total(&running);
}

double sl_mean(const double *values, size_t count)
{
    return count ? sl_sum(values, count) / (double)count : (double)NAN;
}

/* Sum of (x - mean x)(y - mean y). The second pass corrects the rounding of the means by the sums
 * of the deviations, which would be 0 with exact means. */
static double codeviation(const double *x, const double *y, size_t count)
{
    double x_mean = sl_mean(x, count), y_mean = sl_mean(y, count);
    struct running_sum products = {0}, x_rest = {0}, y_rest = {0};
    for (size_t i = 0; i < count; i++) {
        double dx = x[i] - x_mean, dy = y[i] - y_mean;
        add_value(&products, dx * dy);
        add_value(&x_rest, dx);
        add_value(&y_rest, dy);
    }
    return total(&products) - total(&x_rest) * total(&y_rest) / (double)count;
}

static bool is_constant(const double *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (values[i] != values[0]) return false;
    return true;
}

double sl_sd(const double *values, size_t count)
{
    if (count < 2) return (double)NAN;
    if (is_constant(values, count) && isfinite(values[0])) return 0;
    return sqrt(codeviation(values, values, count) / (double)(count - 1));
}

size_t sl_largest(const float *values, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (values[i] > values[best]) best = i;
    return best;
}

static size_t place(const size_t *order, size_t i)
{
    return order ? order[i] : i;
}

size_t sl_first_choice(const float *values, size_t count, const size_t *order)
{
    size_t best = place(order, 0);
    for (size_t i = 1; i < count; i++)
        if (values[place(order, i)] >= values[best]) best = place(order, i);
    return best;
}

bool sl_first_two(const double *values, size_t count, const size_t *order, size_t *first,
                  size_t *second)
{
    *first = *second = 0;
    if (count < 2) return true;
    size_t top = place(order, 1), next = place(order, 0);
    if (values[top] < values[next]) {
        top = place(order, 0);
        next = place(order, 1);
    }
    double third = -(double)INFINITY;
    for (size_t i = 2; i < count; i++) {
        const size_t k = place(order, i);
        if (values[k] >= values[top]) {
            third = values[next];
            next = top;
            top = k;
        } else if (values[k] >= values[next]) {
            third = values[next];
            next = k;
        } else if (values[k] > third) {
            third = values[k];
        }
    }
    *first = top;
    *second = next;
    return values[next] > third;
}

double sl_pearson(const double *x, const double *y, size_t count)
{
    if (count < 2 || is_constant(x, count) || is_constant(y, count)) return (double)NAN;
    double spread = sqrt(codeviation(x, x, count)) * sqrt(codeviation(y, y, count));
    double r = codeviation(x, y, count) / spread;
    return r > 1 ? 1 : r < -1 ? -1 : r;
}

static double entropy_part(double share)
{
    return share > 0 ? share * log(share) : 0;
}

double sl_entropy(const double *distribution, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum -= entropy_part(distribution[k]);
    return sum;
}

double sl_entropy_of_row(const float *row, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum -= entropy_part((double)row[k]);
    return sum;
}

double sl_quantile_sorted(const double *values, size_t count, double p)
{
    if (count == 0 || !(p >= 0 && p <= 1)) return (double)NAN;
    double position = p * (double)(count - 1);
    size_t below = (size_t)position;
    if (below >= count - 1) return values[count - 1];
    double low = values[below], high = values[below + 1];
    if (low == high) return low; /* also two infinities, whose difference is NaN */
    double part = position - (double)below;
    /* From the nearer end, as in numpy, so that both ends are exact. */
    return part < 0.5 ? low + (high - low) * part : high - (high - low) * (1 - part);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double sl_quantile(const double *values, size_t count, double p)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(values[i])) return (double)NAN;
    if (count == 0) return (double)NAN;
    double *sorted = sl_alloc(count, sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    double quantile = sl_quantile_sorted(sorted, count, p);
    free(sorted);
    return quantile;
}

double sl_median(const double *values, size_t count)
{
    return sl_quantile(values, count, 0.5);
}

double sl_trimmed_mean(double *values, size_t count)
{
    const size_t trimmed = count / 10;
    for (size_t i = 0; i < count; i++)
        if (isnan(values[i])) return (double)NAN;
    if (count == 0) return (double)NAN;
    qsort(values, count, sizeof *values, compare_doubles);
    return sl_mean(values + trimmed, count - 2 * trimmed);
}

size_t sl_bin_of(double value, size_t n_bins)
{
    const double place = floor(value * (double)n_bins + 1e-6);
    if (!(place > 0)) return 0;
    return place < (double)n_bins ? (size_t)place : n_bins - 1;
}

static bool is_level(double level)
{
    return level > 0 && level < 1;
}

struct sl_interval sl_mean_interval(const double *values, size_t count, double level)
{
    double mean = sl_mean(values, count);
    if (count < 2 || !is_level(level))
        return (struct sl_interval){.estimate = mean, .low = (double)NAN, .high = (double)NAN};
    /* The lower quantile, because 1 - level / 2 would round for levels near 1. */
    double t = -sl_student_t_quantile((1 - level) / 2, (double)(count - 1));
    double half = t * sl_sd(values, count) / sqrt((double)count);
    return (struct sl_interval){.estimate = mean, .low = mean - half, .high = mean + half};
}

struct sl_bootstrap_options sl_bootstrap_options_default(void)
{
    return (struct sl_bootstrap_options){.n_resamples = 10000, .level = 0.95, .seed = 1};
}

enum sl_status sl_bootstrap_check(size_t count, const struct sl_bootstrap_options *options,
                                  struct sl_error *err)
{
    if (count == 0) return sl_fail(err, SL_ERR_INPUT, "bootstrap needs at least 1 value");
    if (options->n_resamples == 0)
        return sl_fail(err, SL_ERR_USAGE, "bootstrap needs at least 1 resample");
    if (!is_level(options->level))
        return sl_fail(err, SL_ERR_USAGE, "level %g is not between 0 and 1", options->level);
    return SL_OK;
}

void sl_bootstrap_draw(const struct sl_bootstrap_options *options, size_t resample, size_t *indices,
                       size_t count)
{
    struct sl_rng rng;
    sl_rng_init(&rng, options->seed, "bootstrap", 0, resample);
    for (size_t i = 0; i < count; i++)
        indices[i] = (size_t)sl_rng_below(&rng, count);
}

enum sl_status sl_bootstrap(sl_statistic *statistic, void *context, size_t count,
                            const struct sl_bootstrap_options *options, struct sl_interval *out,
                            struct sl_error *err)
{
    const size_t n_resamples = options->n_resamples;
    const double level = options->level;
    SL_TRY(sl_bootstrap_check(count, options, err));
    enum sl_status status = SL_OK;
    size_t *indices = sl_data_alloc(count, sizeof *indices, err);
    double *replicates = indices ? sl_data_alloc(n_resamples, sizeof *replicates, err) : NULL;
    if (!replicates) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    size_t kept = 0;
    for (size_t r = 0; r < n_resamples; r++) {
        sl_bootstrap_draw(options, r, indices, count);
        replicates[kept] = statistic(indices, count, context);
        if (!isnan(replicates[kept])) kept++;
    }
    for (size_t i = 0; i < count; i++)
        indices[i] = i;
    *out = (struct sl_interval){
        .estimate = statistic(indices, count, context),
        .low = sl_quantile(replicates, kept, (1 - level) / 2),
        .high = sl_quantile(replicates, kept, 1 - (1 - level) / 2),
    };
out:
    free(replicates);
    free(indices);
    return status;
}
