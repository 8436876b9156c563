#include "support.h"

/* Relative, and NaN fails. */
#define assert_close(value, expected)                                                              \
    assert_near((value), (expected), 1e-13 * fabs((double)(expected)))

static const double pi = 3.14159265358979323846;
static const double euler = 0.57721566490153286061;

static void test_log_gamma_has_its_known_values(void **state)
{
    (void)state;
    assert_near(sl_log_gamma(1), 0, 0);
    assert_close(sl_log_gamma(0.5), 0.5 * log(pi));
    assert_close(sl_log_gamma(11), log(3628800));
    assert_true(isnan(sl_log_gamma(0)));
    assert_true(isnan(sl_log_gamma(-0.5)));
}

static void test_digamma_has_its_known_values(void **state)
{
    (void)state;
    assert_close(sl_digamma(1), -euler);
    assert_close(sl_digamma(2), 1 - euler);
    assert_close(sl_digamma(0.5), -euler - 2 * log(2));
    assert_close(sl_digamma(0.25), -euler - pi / 2 - 3 * log(2));
    assert_close(sl_digamma(10), 7129.0 / 2520 - euler); /* the ninth harmonic number */
    assert_close(sl_digamma(1e-10), -1e10 - euler);
    assert_close(sl_digamma(1e-300), -1e300);
    assert_close(sl_digamma(1e15), log(1e15));
    assert_true(isinf(sl_digamma((double)INFINITY)));
}

/* At the root a relative claim is a claim about the slope: values from 40 digits. */
static void test_digamma_keeps_its_digits_at_its_root(void **state)
{
    (void)state;
    assert_close(sl_digamma(1.4616321449683622), -9.2412655217294275e-17);
    assert_close(sl_digamma(1.4616321449683625), 1.2245374622004069e-16);
    assert_close(sl_digamma(1.4616), -3.110625123034165e-5);
    assert_close(sl_digamma(1.5), 0.03648997397857652);
    assert_close(sl_digamma(1.3416321449683622 + 1e-9),
                 -0.12298005838153282); /* the series begins */
    assert_close(sl_digamma(1.3416321449683622 - 1e-9), -0.12298006055425192);
}

static void test_digamma_obeys_its_recurrence(void **state)
{
    (void)state;
    for (double x = 0.013; x < 40; x *= 1.37)
        assert_near(sl_digamma(x + 1) - sl_digamma(x), 1 / x, 1e-14 * (1 / x + 4));
}

static void test_outside_their_domain_all_are_nan(void **state)
{
    (void)state;
    const double nan = (double)NAN;
    static const double none[] = {0, -1, -0.5};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_true(isnan(sl_digamma(none[i])));
        assert_true(isnan(sl_incomplete_beta(none[i], 1, 0.5)));
        assert_true(isnan(sl_incomplete_beta(1, none[i], 0.5)));
        assert_true(isnan(sl_student_t_cdf(1, none[i])));
        assert_true(isnan(sl_student_t_quantile(0.3, none[i])));
    }
    assert_true(isnan(sl_digamma(nan)));
    assert_true(isnan(sl_incomplete_beta(1, 1, nan)));
    assert_true(isnan(sl_incomplete_beta(1, 1, 1.1)));
    assert_true(isnan(sl_incomplete_beta(1, 1, -0.1)));
    assert_true(isnan(sl_incomplete_beta((double)INFINITY, 1, 0.5)));
    assert_true(isnan(sl_normal_quantile(nan)));
    assert_true(isnan(sl_normal_quantile(-0.1)));
    assert_true(isnan(sl_normal_quantile(1.1)));
    assert_true(isnan(sl_student_t_cdf(nan, 3)));
    assert_true(isnan(sl_student_t_quantile(nan, 3)));
    assert_true(isnan(sl_student_t_quantile(2, 3)));
    assert_true(isnan(sl_student_t_quantile(0.5, nan)));
}

static void test_incomplete_beta_has_its_closed_forms(void **state)
{
    (void)state;
    for (double x = 0.01; x < 1; x += 0.07) {
        assert_close(sl_incomplete_beta(1, 1, x), x);
        assert_close(sl_incomplete_beta(3.5, 1, x), pow(x, 3.5));
        assert_close(sl_incomplete_beta(1, 2.5, x), 1 - pow(1 - x, 2.5));
        assert_close(sl_incomplete_beta(2, 2, x), x * x * (3 - 2 * x));
        assert_close(sl_incomplete_beta(0.5, 0.5, x), 2 / pi * asin(sqrt(x)));
    }
    assert_near(sl_incomplete_beta(2, 3, 0), 0, 0);
    assert_near(sl_incomplete_beta(2, 3, 1), 1, 0);
}

static void test_incomplete_beta_holds_for_large_parameters(void **state)
{
    (void)state;
    assert_near(sl_incomplete_beta(1e5, 1e5, 0.5), 0.5, 1e-13);
    assert_near(sl_incomplete_beta(1e8, 1e8, 0.5), 0.5, 1e-11);
    assert_close(sl_incomplete_beta(1e5, 1, 0.9999), pow(0.9999, 1e5));
    assert_close(sl_incomplete_beta(1e5, 1e5, 0.49), 1.8571347290404196e-19);
    for (double x = 0.1; x < 1; x += 0.2) /* the two sides of the switch add up */
        assert_near(sl_incomplete_beta(30, 70, x) + sl_incomplete_beta(70, 30, 1 - x), 1, 1e-14);
}

static void test_normal_quantiles_are_those_of_the_tables(void **state)
{
    (void)state;
    assert_near(sl_normal_quantile(0.5), 0, 0);
    assert_close(sl_normal_quantile(0.975), 1.9599639845400542);
    assert_close(sl_normal_quantile(0.025), -1.9599639845400542);
    assert_close(sl_normal_quantile(1e-10), -6.3613409024040561);
    assert_close(sl_normal_quantile(1e-300), -37.047096299361199);
    assert_near(sl_normal_quantile(0.5 + 0x1p-40), 0x1p-40 * sqrt(2 * pi), 1e-25);
    assert_true(isinf(sl_normal_quantile(0)) && sl_normal_quantile(0) < 0);
    assert_true(isinf(sl_normal_quantile(1)) && sl_normal_quantile(1) > 0);
}

/* One and two degrees of freedom have closed forms. */
static void test_student_t_has_its_closed_forms(void **state)
{
    (void)state;
    static const double points[] = {-1e200, -1e12, -1e6, -20, -3, -1, -0.01, 0, 0.5, 2, 100};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        double t = points[i];
        double one = t < 0 ? atan(-1 / t) / pi : 0.5 + atan(t) / pi;
        double root = sqrt(2 + t * t);
        double two = t < 0 ? 1 / (root * (root - t)) : 0.5 + t / (2 * root);
        assert_close(sl_student_t_cdf(t, 1), one);
        if (t > -1e100) assert_close(sl_student_t_cdf(t, 2), two);
    }
    static const double levels[] = {1e-300, 1e-20, 1e-10, 0.001, 0.2, 0.3, 0.49, 0.6, 0.999};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        double p = levels[i];
        assert_near(sl_student_t_quantile(p, 1), -1 / tan(pi * p), 2e-13 / fabs(tan(pi * p)));
        assert_near(sl_student_t_quantile(p, 2), (2 * p - 1) / sqrt(2 * p * (1 - p)),
                    2e-13 * fabs(2 * p - 1) / sqrt(2 * p * (1 - p)));
    }
}

static void test_student_t_is_that_of_the_tables(void **state)
{
    (void)state;
    assert_close(sl_student_t_quantile(0.975, 4), 2.7764451051977935);
    assert_close(sl_student_t_quantile(0.975, 29), 2.0452296421327039);
    assert_close(sl_student_t_quantile(0.025, 1e6), -1.959966356814107);
    assert_close(sl_student_t_quantile(1e-10, 1e6), -6.3614068488767426);
    assert_close(sl_student_t_cdf(-3, 1e6), 0.0013499312707108985);
    assert_near(sl_student_t_quantile(0.5, 7), 0, 0);
    assert_near(sl_student_t_cdf(0, 7), 0.5, 0);
    assert_near(sl_student_t_cdf((double)INFINITY, 7), 1, 0);
    assert_near(sl_student_t_cdf(-(double)INFINITY, 7), 0, 0);
    assert_true(isinf(sl_student_t_quantile(1, 7)));
}

static void test_with_infinite_freedom_student_is_gauss(void **state)
{
    (void)state;
    const double infinity = (double)INFINITY;
    assert_close(sl_student_t_quantile(0.2, infinity), sl_normal_quantile(0.2));
    assert_near(sl_student_t_quantile(0.025, 1e12), sl_normal_quantile(0.025), 1e-11);
    assert_close(sl_student_t_cdf(-1.5, infinity), 0.06680720126885807);
}

static void test_quantiles_invert_distributions(void **state)
{
    (void)state;
    for (double freedom = 0.1; freedom < 2e6; freedom *= 7)
        for (double p = 1e-10; p < 1; p = p < 0.01 ? p * 19 : p + 0.083) {
            double back = sl_student_t_cdf(sl_student_t_quantile(p, freedom), freedom);
            /* Far quantiles are logarithmic: their digits shrink with the exponent. */
            assert_near(back, p, 5e-13 * p);
        }
}

/* Two degrees of freedom are an exponential, one is a squared normal. */
static void test_chi_square_quantiles_have_their_closed_forms(void **state)
{
    (void)state;
    static const double levels[] = {1e-300, 1e-12, 0.001, 0.025, 0.3, 0.5, 0.8, 0.975, 0.9999};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        double p = levels[i];
        double root = sl_normal_quantile(0.5 + p / 2);
        assert_close(sl_chi2_quantile(p, 2), -2 * log1p(-p));
        if (p > 1e-3) assert_near(sl_chi2_quantile(p, 1), root * root, 1e-12 * root * root);
    }
    assert_close(sl_chi2_quantile(0.025, 1), 0.00098206911717525566);
    assert_close(sl_chi2_quantile(0.025, 30), 16.790772265566623);
    assert_close(sl_chi2_quantile(0.975, 10), 20.483177350807388);
    assert_near(sl_chi2_quantile(0, 5), 0, 0);
    assert_true(isinf(sl_chi2_quantile(1, 5)));
    assert_true(isnan(sl_chi2_quantile(0.5, 0)));
    assert_true(isnan(sl_chi2_quantile(-0.1, 5)));
    assert_true(isnan(sl_chi2_quantile((double)NAN, 5)));
    assert_true(isnan(sl_chi2_quantile(0.5, (double)INFINITY)));
}

/* With 2 n degrees of freedom the mass below x is that of n or more events of a Poisson(x / 2). */
static void test_chi_square_quantiles_invert_sums_of_poisson(void **state)
{
    (void)state;
    for (int n = 1; n < 300; n = n * 3 + 1)
        for (double p = 1e-10; p < 1; p = p < 0.01 ? p * 19 : p + 0.083) {
            const double mean = sl_chi2_quantile(p, 2.0 * n) / 2;
            double term = exp(n * log(mean) - mean - sl_log_gamma(n + 1.0)), mass = 0;
            for (int events = n; term > 1e-17 * mass; events++) {
                mass += term;
                term *= mean / (events + 1);
            }
            assert_near(mass, p, 5e-12 * p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log_gamma_has_its_known_values),
        cmocka_unit_test(test_digamma_has_its_known_values),
        cmocka_unit_test(test_digamma_keeps_its_digits_at_its_root),
        cmocka_unit_test(test_digamma_obeys_its_recurrence),
        cmocka_unit_test(test_outside_their_domain_all_are_nan),
        cmocka_unit_test(test_incomplete_beta_has_its_closed_forms),
        cmocka_unit_test(test_incomplete_beta_holds_for_large_parameters),
        cmocka_unit_test(test_normal_quantiles_are_those_of_the_tables),
        cmocka_unit_test(test_student_t_has_its_closed_forms),
        cmocka_unit_test(test_student_t_is_that_of_the_tables),
        cmocka_unit_test(test_with_infinite_freedom_student_is_gauss),
        cmocka_unit_test(test_quantiles_invert_distributions),
        cmocka_unit_test(test_chi_square_quantiles_have_their_closed_forms),
        cmocka_unit_test(test_chi_square_quantiles_invert_sums_of_poisson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
