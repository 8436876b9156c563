/* Special functions to about 1e-13 relative. lgamma_r because lgamma writes the global
 * signgam; _DEFAULT_SOURCE because POSIX does not know it. */
#define _DEFAULT_SOURCE
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "softlab/base/stats.h"

enum { FRACTION_TERMS = 200000, QUANTILE_STEPS = 200 };

/* Beyond this t^2 / freedom the tail of Student's t is a power law to the last digit. */
static const double far_ratio = 1e17;

static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

double sl_log_gamma(double x)
{
    return x > 0 ? log_gamma(x) : (double)NAN;
}

/* The asymptotic series of both functions want an argument of at least this. */
static const double asymptotic_from = 12;

/* Coefficients of h^1, h^2, ... of digamma at its positive root: (-1)^(n+1) zeta(n + 1, root). */
static const double digamma_root = 1.4616321449683622;
static const double digamma_root_rest = 9.549995429965697e-17;
static const double digamma_at_root[] = {
    0.9676722454476214,    -0.44276316898359214,   0.2584997609556512,   -0.16394270544240658,
    0.10782405069126239,   -0.07219956125645476,   0.048804288164143145, -0.033161126474847376,
    0.022597648232218125,  -0.015424765904948968,  0.010538791616612182, -0.007204534386356875,
    0.004926781395729858,  -0.0033698016554393317, 0.00230512632673493,  -0.0015769367714301987,
    0.0010788252019162975,
};

/* Around the root the recurrence would cancel to noise. */
static double digamma_near_root(double x)
{
    double h = (x - digamma_root) - digamma_root_rest;
    double sum = 0;
    for (size_t i = sizeof digamma_at_root / sizeof *digamma_at_root; i-- > 0;)
        sum = (sum + digamma_at_root[i]) * h;
    return sum;
}

double sl_digamma(double x)
{
    if (!(x > 0)) return (double)NAN;
    if (fabs(x - digamma_root) < 0.12) return digamma_near_root(x);
    double sum = 0;
    while (x < asymptotic_from) {
        sum -= 1 / x;
        x += 1;
    }
    /* log x - 1/2x - sum of B_2k / (2k x^2k) */
    static const double terms[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                   1.0 / 132, -691.0 / 32760, 1.0 / 12,  -3617.0 / 8160};
    double inverse = 1 / (x * x), series = 0;
    for (size_t i = sizeof terms / sizeof *terms; i-- > 0;)
        series = (series + terms[i]) * inverse;
    return sum + (log(x) - 0.5 / x - series);
}

/* log Gamma(x + 1) minus Stirling's formula for it. */
static double stirling_rest(double x)
{
    const double half_log_two_pi = 0.9189385332046727;
    if (x < 15) return log_gamma(x + 1) - ((x + 0.5) * log(x) - x + half_log_two_pi);
    static const double terms[] = {1.0 / 12,    -1.0 / 360, 1.0 / 1260,
                                   -1.0 / 1680, 1.0 / 1188, -691.0 / 360360};
    double inverse = 1 / (x * x), series = 0;
    for (size_t i = sizeof terms / sizeof *terms; i-- > 0;)
        series = series * inverse + terms[i];
    return series / x;
}

/* x log(x / mean) + mean - x without cancellation when the two are close (Loader 2000). */
static double deviance(double x, double mean)
{
    double difference = x - mean;
    if (!(fabs(difference) < 0.1 * (x + mean))) return x * log(x / mean) - difference;
    double v = difference / (x + mean);
    double sum = difference * v, term = 2 * x * v;
    for (int odd = 3;; odd += 2) {
        term *= v * v;
        double next = sum + term / odd;
        if (next == sum) return sum;
        sum = next;
    }
}

/* x^a y^b / B(a, b) with y = 1 - x. Differences of log Gamma would lose the digits that
 * log Gamma has before the point; this form keeps them for parameters of any size. */
static double beta_power(double a, double b, double x, double y)
{
    const double two_pi = 6.283185307179586;
    double n = a + b;
    double exponent = stirling_rest(n) - stirling_rest(a) - stirling_rest(b) - deviance(a, n * x) -
                      deviance(b, n * y);
    return sqrt(a / n * b / two_pi) * exp(exponent);
}

/* The continued fraction of I_x(a, b) in the form of Didonato and Morris (1992, equation 9),
 * which sums positive terms where the usual one subtracts nearly equal ones when x is close
 * to 1; by Lentz's method. Quick for x below the mean, where no denominator vanishes. */
static double beta_fraction(double a, double b, double x, double y)
{
    double lambda = x < y ? a - (a + b) * x : (a + b) * y - b;
    double value = a / (a + 1) * (lambda + 1);
    double c = value, d = 0;
    for (int n = 1; n <= FRACTION_TERMS; n++) {
        double odd = a + 2.0 * n - 1;
        double numerator = (a + n - 1) / odd * ((a + b + n - 1) / odd) * (n * (b - n) * x * x);
        double denominator =
            n + n * (b - n) * x / odd + (a + n) / (odd + 2) * (lambda + 1 + n * (1 + y));
        d = 1 / (denominator + numerator * d);
        c = denominator + numerator / c;
        value *= c * d;
        if (fabs(c * d - 1) <= 2 * DBL_EPSILON) return 1 / value;
    }
    return (double)NAN; /* parameters beyond 1e10; better no digits than wrong ones */
}

/* I_x(a, b) with y = 1 - x given apart, so that neither loses digits near 0. */
static double beta_regularised(double a, double b, double x, double y)
{
    if (x <= 0) return 0;
    if (y <= 0) return 1;
    double power = beta_power(a, b, x, y);
    if (x < (a + 1) / (a + b + 2)) return power * beta_fraction(a, b, x, y);
    return 1 - power * beta_fraction(b, a, y, x);
}

double sl_incomplete_beta(double a, double b, double x)
{
    if (!(a > 0 && b > 0 && isfinite(a) && isfinite(b) && x >= 0 && x <= 1)) return (double)NAN;
    return beta_regularised(a, b, x, 1 - x);
}

static double normal_density(double z)
{
    return 0.3989422804014327 * exp(-0.5 * z * z);
}

double sl_normal_quantile(double p)
{
    if (!(p >= 0 && p <= 1)) return (double)NAN;
    double tail = p < 0.5 ? p : 1 - p;
    if (tail == 0) return p < 0.5 ? -(double)INFINITY : (double)INFINITY;
    const double inverse_root_two = 0.7071067811865476;
    /* Abramowitz and Stegun 26.2.23, good to 5e-4, then Newton's method with Halley's
     * correction. In the middle the distance from the median is what is known exactly. */
    double t = sqrt(-2 * log(tail));
    double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                       (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int step = 0; step < 4; step++) {
        double excess = tail < 0.25 ? 0.5 * erfc(z * inverse_root_two) - tail
                                    : (0.5 - tail) - 0.5 * erf(z * inverse_root_two);
        double newton = excess / normal_density(z);
        z += newton / (1 - 0.5 * z * newton);
    }
    return p < 0.5 ? -z : z;
}

/* log of the mass beyond t far out, where it is proportional to t^-freedom. */
static double log_far_tail_at_one(double freedom)
{
    const double half_log_pi = 0.5723649429247001;
    double a = freedom / 2;
    double log_beta = log_gamma(a) + half_log_pi - log_gamma(a + 0.5);
    return a * log(freedom) - log(freedom) - log_beta;
}

/* P(T > t) for t >= 0. */
static double student_t_tail(double t, double freedom)
{
    double ratio = t / sqrt(freedom) * (t / sqrt(freedom));
    if (ratio > far_ratio) return exp(log_far_tail_at_one(freedom) - freedom * log(t));
    return 0.5 * beta_regularised(freedom / 2, 0.5, 1 / (1 + ratio), ratio / (1 + ratio));
}

/* P(0 < T < t). */
static double student_t_middle(double t, double freedom)
{
    double ratio = t / sqrt(freedom) * (t / sqrt(freedom));
    return 0.5 * beta_regularised(0.5, freedom / 2, ratio / (1 + ratio), 1 / (1 + ratio));
}

static double student_t_density(double t, double freedom)
{
    double ratio = t / sqrt(freedom) * (t / sqrt(freedom));
    double power = beta_power(freedom / 2, 0.5, 1 / (1 + ratio), ratio / (1 + ratio));
    return power / t;
}

double sl_student_t_cdf(double t, double freedom)
{
    if (!(freedom > 0) || isnan(t)) return (double)NAN;
    if (isinf(freedom)) return 0.5 * erfc(-t * 0.7071067811865476);
    if (isinf(t)) return t < 0 ? 0 : 1;
    double tail = student_t_tail(fabs(t), freedom);
    return t < 0 ? tail : 1 - tail;
}

/* The t > 0 beyond which `tail` (at most one half) lies. Newton's method on logarithms,
 * in which both the power law and the normal shape are gentle, kept inside a bracket. */
static double student_t_upper(double tail, double freedom)
{
    double far = exp((log_far_tail_at_one(freedom) - log(tail)) / freedom);
    if (far / sqrt(freedom) > sqrt(far_ratio)) return far;
    bool outer = tail < 0.25;
    double wanted = outer ? tail : 0.5 - tail;
    double low = 0, high = (double)INFINITY;
    double t = outer ? -sl_normal_quantile(tail) : wanted / 0.4;
    for (int step = 0; step < QUANTILE_STEPS; step++) {
        double mass = outer ? student_t_tail(t, freedom) : student_t_middle(t, freedom);
        bool beyond = outer ? mass < wanted : mass > wanted;
        if (beyond)
            high = t;
        else
            low = t;
        double slope = t * student_t_density(t, freedom) / mass;
        double move = log(mass / wanted) / slope;
        double next = t * exp(outer ? move : -move);
        if (!(next > low && next < high)) next = isinf(high) ? 2 * t : 0.5 * (low + high);
        double change = fabs(next - t);
        t = next;
        if (change <= 4 * DBL_EPSILON * t) break;
    }
    return t;
}

double sl_student_t_quantile(double p, double freedom)
{
    if (!(freedom > 0 && p >= 0 && p <= 1)) return (double)NAN;
    if (isinf(freedom) || p == 0 || p == 1) return sl_normal_quantile(p);
    if (p == 0.5) return 0;
    return p < 0.5 ? -student_t_upper(p, freedom) : student_t_upper(1 - p, freedom);
}

/* x^a exp(-x) / Gamma(a + 1), to the same digits as beta_power. */
static double gamma_power(double a, double x)
{
    const double two_pi = 6.283185307179586;
    return exp(-stirling_rest(a) - deviance(a, x)) / sqrt(two_pi * a);
}

/* P(a, x) by its power series: quick for x below the mean. */
static double gamma_series(double a, double x)
{
    double sum = 1, term = 1;
    for (int n = 1; n <= FRACTION_TERMS; n++) {
        term *= x / (a + n);
        sum += term;
        if (term <= 0.5 * DBL_EPSILON * sum) return gamma_power(a, x) * sum;
    }
    return (double)NAN;
}

/* 1 - P(a, x) by Legendre's continued fraction (Abramowitz and Stegun 6.5.31, contracted), by
 * Lentz's method. */
static double gamma_fraction(double a, double x)
{
    double b = x + 1 - a;
    double value = b, c = b, d = 0;
    for (int n = 1; n <= FRACTION_TERMS; n++) {
        double numerator = -n * (n - a);
        b += 2;
        d = 1 / (b + numerator * d);
        c = b + numerator / c;
        value *= c * d;
        if (fabs(c * d - 1) <= 2 * DBL_EPSILON) return gamma_power(a, x) * (a / value);
    }
    return (double)NAN;
}

/* The mass below x, or with `upper` above it. */
static double gamma_mass(double a, double x, bool upper)
{
    if (x <= 0) return upper ? 1 : 0;
    if (isinf(x)) return upper ? 0 : 1;
    if (x < a + 1) {
        double below = gamma_series(a, x);
        return upper ? 1 - below : below;
    }
    double above = gamma_fraction(a, x);
    return upper ? above : 1 - above;
}

/* Wilson and Hilferty's cube; where that is useless, the first term of the power series. */
static double chi2_start(double p, double a)
{
    double spread = 1 / (9 * a);
    double root = 1 - spread + sl_normal_quantile(p) * sqrt(spread);
    double cube = a * root * root * root;
    return root > 0.3 ? cube : exp((log(p) + log_gamma(a + 1)) / a);
}

/* Newton's method on logarithms, in the smaller tail and inside a bracket, as for Student's t.
 * Chi-square with n degrees of freedom is twice a Gamma of shape n / 2. */
double sl_chi2_quantile(double p, double freedom)
{
    if (!(freedom > 0 && isfinite(freedom) && p >= 0 && p <= 1)) return (double)NAN;
    if (p == 0) return 0;
    if (p == 1) return (double)INFINITY;
    double a = freedom / 2;
    bool upper = p > 0.5;
    double wanted = upper ? 1 - p : p;
    double low = 0, high = (double)INFINITY;
    double x = chi2_start(p, a);
    if (x < DBL_MIN) return 0; /* below the smallest number with all its digits */
    for (int step = 0; step < QUANTILE_STEPS; step++) {
        double mass = gamma_mass(a, x, upper);
        if (upper ? mass < wanted : mass > wanted)
            high = x;
        else
            low = x;
        double move = log(mass / wanted) * mass / (a * gamma_power(a, x));
        double next = x * exp(upper ? move : -move);
        if (!(next > low && next < high)) next = isinf(high) ? 2 * x : 0.5 * (low + high);
        double change = fabs(next - x);
        x = next;
        if (change <= 4 * DBL_EPSILON * x) break;
    }
    return 2 * x;
}
