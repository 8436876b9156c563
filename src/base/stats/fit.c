#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "softlab/base/stats.h"

enum { LOGISTIC_STEPS = 500 };

enum sl_status sl_beta_from_moments(const double *values, size_t count, struct sl_beta *out,
                                    struct sl_error *err)
{
    if (count < 2) return sl_fail(err, SL_ERR_INPUT, "a Beta fit needs 2 values, got %zu", count);
    for (size_t i = 0; i < count; i++)
        if (!(values[i] >= 0 && values[i] <= 1))
            return sl_fail(err, SL_ERR_INPUT, "value %zu is %g, expected 0 to 1", i, values[i]);
    double mean = sl_mean(values, count);
    double sd = sl_sd(values, count);
    double concentration = mean * (1 - mean) / (sd * sd) - 1;
    if (!(concentration > 0 && isfinite(concentration)))
        return sl_fail(err, SL_ERR_NUMERIC, "no Beta has mean %g and standard deviation %g", mean,
                       sd);
    *out = (struct sl_beta){.a = mean * concentration, .b = (1 - mean) * concentration};
    return SL_OK;
}

double sl_logistic_value(struct sl_logistic curve, double x)
{
    double z = curve.k * (x - curve.x0);
    if (z >= 0) return 1 / (1 + exp(-z));
    double e = exp(z);
    return e / (1 + e);
}

/* The sums of one pass over the points: the squared error and, for its minimum, J'J and J'r. */
struct normal_equations {
    double error;
    double kk, kx, xx;
    double k, x;
};

static struct normal_equations sum_equations(const double *x, const double *y, size_t count,
                                             struct sl_logistic curve)
{
    struct normal_equations sums = {0};
    for (size_t i = 0; i < count; i++) {
        double value = sl_logistic_value(curve, x[i]);
        double residual = y[i] - value;
        double slope = value * (1 - value);
        double by_k = slope * (x[i] - curve.x0);
        double by_x0 = -slope * curve.k;
        sums.error += residual * residual;
        sums.kk += by_k * by_k;
        sums.kx += by_k * by_x0;
        sums.xx += by_x0 * by_x0;
        sums.k += by_k * residual;
        sums.x += by_x0 * residual;
    }
    return sums;
}

static struct sl_logistic damped_step(const struct normal_equations *sums, double damping)
{
    double kk = sums->kk * (1 + damping), xx = sums->xx * (1 + damping);
    double determinant = kk * xx - sums->kx * sums->kx;
    return (struct sl_logistic){.k = (xx * sums->k - sums->kx * sums->x) / determinant,
                                .x0 = (kk * sums->x - sums->kx * sums->k) / determinant};
}

/* False where the curve no longer depends on the parameters (steps, constants, a single x): the
 * search stopped there for lack of a slope, not at a minimum. */
static bool is_determined(const struct normal_equations *sums, struct sl_logistic curve,
                          double width)
{
    double determinant = sums->kk * sums->xx - sums->kx * sums->kx;
    return sqrt(sums->kk) * fabs(curve.k) > 1e-8 && sqrt(sums->xx) * width > 1e-8 &&
           determinant > 1e-12 * sums->kk * sums->xx;
}

static enum sl_status check_points(const double *x, const double *y, size_t count,
                                   struct sl_error *err)
{
    if (count < 2)
        return sl_fail(err, SL_ERR_INPUT, "a logistic fit needs 2 points, got %zu", count);
    for (size_t i = 0; i < count; i++)
        if (!(isfinite(x[i]) && isfinite(y[i])))
            return sl_fail(err, SL_ERR_INPUT, "point %zu is (%g, %g), expected finite numbers", i,
                           x[i], y[i]);
    return SL_OK;
}

enum sl_status sl_logistic_fit(const double *x, const double *y, size_t count,
                               struct sl_logistic *out, struct sl_error *err)
{
    SL_TRY(check_points(x, y, count, err));
    double width = sl_quantile(x, count, 1) - sl_quantile(x, count, 0);
    struct sl_logistic curve = {.k = 1, .x0 = sl_median(x, count)};
    struct normal_equations sums = sum_equations(x, y, count, curve);
    const double noise = DBL_EPSILON * DBL_EPSILON;
    double damping = 1e-3;
    for (int round = 0; round < LOGISTIC_STEPS; round++) {
        struct sl_logistic step = damped_step(&sums, damping);
        struct sl_logistic next = {.k = curve.k + step.k, .x0 = curve.x0 + step.x0};
        if (!(isfinite(next.k) && isfinite(next.x0))) break;
        bool small = fabs(step.k) <= 1e-10 * fabs(curve.k) && fabs(step.x0) <= 1e-10 * width;
        if (small && damping <= 1e-3) {
            if (!is_determined(&sums, curve, width)) break;
            *out = next;
            return SL_OK;
        }
        struct normal_equations next_sums = sum_equations(x, y, count, next);
        /* Near the end rounding hides the difference between better and worse, so it is
         * tolerated. */
        if (next_sums.error <= sums.error * (1 + 1e-14) + (double)count * noise) {
            curve = next;
            sums = next_sums;
            damping = fmax(damping / 10, 1e-12);
        } else {
            damping *= 10;
        }
    }
    return sl_fail(err, SL_ERR_NUMERIC, "the logistic fit did not converge; last k = %g, x0 = %g",
                   curve.k, curve.x0);
}
