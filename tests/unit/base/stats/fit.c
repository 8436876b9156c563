#include "support.h"

enum { SAMPLE = 2000 };

/* Mean 1/2, variance (n - 1) 1/12: a + b = (1/4) / (1/12) - 1 = 2. */
static void test_moments_give_the_beta_by_hand(void **state)
{
    (void)state;
    double half = sqrt(1.0 / 24);
    const double values[] = {0.5 - half, 0.5 + half};
    struct sl_beta beta;
    struct sl_error err;
    assert_ok(sl_beta_from_moments(values, 2, &beta, &err), err);
    assert_near(beta.a, 1, 1e-14);
    assert_near(beta.b, 1, 1e-14);
}

static void test_values_no_beta_can_have_are_named(void **state)
{
    (void)state;
    struct sl_beta beta = {42, 42};
    struct sl_error err;
    static const double above[] = {0.5, 0.4, 1.5};
    static const double unknown[] = {(double)NAN, 0.4};
    static const double same[] = {0.3, 0.3, 0.3}, ends[] = {0, 1, 1, 0};
    assert_fails(sl_beta_from_moments(above, 3, &beta, &err), SL_ERR_INPUT, err, "value 2 is 1.5");
    assert_fails(sl_beta_from_moments(unknown, 2, &beta, &err), SL_ERR_INPUT, err, "value 0");
    assert_fails(sl_beta_from_moments(same, 1, &beta, &err), SL_ERR_INPUT, err,
                 "needs 2 values, got 1");
    assert_fails(sl_beta_from_moments(same, 0, &beta, &err), SL_ERR_INPUT, err,
                 "needs 2 values, got 0");
    assert_fails(sl_beta_from_moments(same, 3, &beta, &err), SL_ERR_NUMERIC, err,
                 "no Beta has mean 0.3");
    assert_fails(sl_beta_from_moments(ends, 4, &beta, &err), SL_ERR_NUMERIC, err,
                 "no Beta has mean 0.5");
    assert_near(beta.a, 42, 0);
}

static void test_the_logistic_curve_never_overflows(void **state)
{
    (void)state;
    struct sl_logistic curve = {.k = 1000, .x0 = 0.5};
    assert_near(sl_logistic_value(curve, 0.5), 0.5, 0);
    assert_near(sl_logistic_value(curve, 100), 1, 0);
    assert_near(sl_logistic_value(curve, -100), 0, 0);
    curve.k = 1;
    assert_near(sl_logistic_value(curve, 0.5 + log(3)), 0.75, 1e-15);
    assert_near(sl_logistic_value(curve, 0.5 - log(3)), 0.25, 1e-15);
}

static void test_points_on_a_curve_give_the_curve_back(void **state)
{
    (void)state;
    static const struct sl_logistic curves[] = {
        {1, 0}, {8, 0.5}, {-5, 0.3}, {0.01, 200}, {50, 0.7}};
    for (size_t k = 0; k < sizeof curves / sizeof *curves; k++) {
        double x[11], y[11];
        for (int i = 0; i <= 10; i++) {
            x[i] = curves[k].x0 + (i - 4) / fabs(curves[k].k);
            y[i] = sl_logistic_value(curves[k], x[i]);
        }
        struct sl_logistic fit;
        struct sl_error err;
        assert_ok(sl_logistic_fit(x, y, 11, &fit, &err), err);
        assert_near(fit.k, curves[k].k, 1e-9 * fabs(curves[k].k));
        assert_near(fit.x0, curves[k].x0, 1e-9 * (fabs(curves[k].x0) + 1));
    }
}

static double squared_error(const double *x, const double *y, size_t count, double k, double x0)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += pow(y[i] - sl_logistic_value((struct sl_logistic){k, x0}, x[i]), 2);
    return sum;
}

static void test_noisy_points_are_fitted_at_the_least_error(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    double x[COUNT], y[COUNT];
    struct sl_rng rng;
    sl_rng_init(&rng, 1, "noisy", 0, 0);
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = sl_rng_uniform(&rng);
        y[i] = sl_logistic_value((struct sl_logistic){9, 0.45}, x[i]) + 0.1 * sl_rng_normal(&rng);
    }
    struct sl_logistic fit;
    struct sl_error err;
    assert_ok(sl_logistic_fit(x, y, COUNT, &fit, &err), err);
    assert_near(fit.k, 9, 1);
    assert_near(fit.x0, 0.45, 0.02);
    double least = squared_error(x, y, COUNT, fit.k, fit.x0);
    for (int direction = 0; direction < 8; direction++) {
        double angle = direction * 0.7853981633974483;
        assert_true(squared_error(x, y, COUNT, fit.k + 1e-4 * cos(angle),
                                  fit.x0 + 1e-5 * sin(angle)) > least);
    }
}

static void test_points_that_fix_no_curve_do_not_settle(void **state)
{
    (void)state;
    static const double x[] = {0, 1, 2, 3, 4, 5};
    static const double step[] = {0, 0, 0, 1, 1, 1}, flat[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    static const double zeros[] = {0, 0, 0, 0, 0, 0}, same[] = {2, 2, 2, 2, 2, 2};
    static const double mixed[] = {0.2, 0.8, 0.3, 0.6, 0.5, 0.1};
    struct sl_logistic fit = {42, 42};
    struct sl_error err;
    assert_fails(sl_logistic_fit(x, step, 6, &fit, &err), SL_ERR_NUMERIC, err, "did not converge");
    assert_fails(sl_logistic_fit(x, flat, 6, &fit, &err), SL_ERR_NUMERIC, err, "did not converge");
    assert_fails(sl_logistic_fit(x, zeros, 6, &fit, &err), SL_ERR_NUMERIC, err, "did not converge");
    assert_fails(sl_logistic_fit(same, mixed, 6, &fit, &err), SL_ERR_NUMERIC, err,
                 "did not converge");
    assert_near(fit.k, 42, 0);
}

static void test_points_that_are_none_are_named(void **state)
{
    (void)state;
    static const double x[] = {0, 1, 2}, y[] = {0, (double)NAN, 1};
    static const double far[] = {0, 1, (double)INFINITY};
    struct sl_logistic fit;
    struct sl_error err;
    assert_fails(sl_logistic_fit(x, y, 3, &fit, &err), SL_ERR_INPUT, err, "point 1 is (1, nan)");
    assert_fails(sl_logistic_fit(far, x, 3, &fit, &err), SL_ERR_INPUT, err, "point 2 is (inf, 2)");
    assert_fails(sl_logistic_fit(x, x, 1, &fit, &err), SL_ERR_INPUT, err, "needs 2 points, got 1");
    assert_fails(sl_logistic_fit(NULL, NULL, 0, &fit, &err), SL_ERR_INPUT, err, "got 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moments_give_the_beta_by_hand),
        cmocka_unit_test(test_values_no_beta_can_have_are_named),
        cmocka_unit_test(test_the_logistic_curve_never_overflows),
        cmocka_unit_test(test_points_on_a_curve_give_the_curve_back),
        cmocka_unit_test(test_noisy_points_are_fitted_at_the_least_error),
        cmocka_unit_test(test_points_that_fix_no_curve_do_not_settle),
        cmocka_unit_test(test_points_that_are_none_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
