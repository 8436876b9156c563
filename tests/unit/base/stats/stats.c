#include "support.h"

static const double one_to_five[] = {1, 2, 3, 4, 5};

static void test_sums_keep_what_plain_addition_loses(void **state)
{
    (void)state;
    static const double cancelling[] = {1, 1e100, 1, -1e100};
    assert_near(sl_sum(cancelling, 4), 2, 0);
    double tenths[1000];
    for (size_t i = 0; i < 1000; i++)
        tenths[i] = 0.1;
    assert_near(sl_sum(tenths, 1000), 100, 0);
    assert_near(sl_sum(NULL, 0), 0, 0);
}

static void test_sums_do_not_depend_on_the_order(void **state)
{
    (void)state;
    double values[1000];
    size_t order[1000];
    struct sl_rng rng;
    sl_rng_init(&rng, 1, "order", 0, 0);
    for (size_t i = 0; i < 1000; i++)
        values[i] = sl_rng_normal(&rng) * pow(10, (double)(i % 12));
    double first = sl_sum(values, 1000);
    sl_rng_permutation(&rng, order, 1000);
    double shuffled[1000];
    for (size_t i = 0; i < 1000; i++)
        shuffled[i] = values[order[i]];
    assert_near(sl_sum(shuffled, 1000), first, 0);
}

static void test_infinity_sums_to_infinity(void **state)
{
    (void)state;
    static const double values[] = {1, (double)INFINITY, 2};
    static const double both[] = {(double)INFINITY, -(double)INFINITY};
    assert_true(isinf(sl_sum(values, 3)));
    assert_true(isnan(sl_sum(both, 2)));
}

static void test_trimmed_means_leave_a_tenth_of_each_end_out(void **state)
{
    (void)state;
    double values[20], few[] = {1, 2, 6}, bad[] = {1, (double)NAN};
    for (size_t i = 0; i < 20; i++)
        values[i] = (double)((7 * i) % 20); /* 0 to 19, in no order */
    for (size_t i = 0; i < 20; i++)
        if (values[i] == 19) values[i] = 1e6; /* somebody left for lunch */
    assert_near(sl_trimmed_mean(values, 20), 9.5, 1e-12);
    assert_near(sl_trimmed_mean(few, 3), 3, 0);
    assert_true(isnan(sl_trimmed_mean(NULL, 0)));
    assert_true(isnan(sl_trimmed_mean(bad, 2)));
}

static void test_mean_and_deviation_of_small_samples(void **state)
{
    (void)state;
    assert_near(sl_mean(one_to_five, 5), 3, 0);
    assert_near(sl_sd(one_to_five, 5), sqrt(2.5), 1e-15);
    assert_near(sl_sd(one_to_five, 2), sqrt(0.5), 1e-15);
    assert_true(isnan(sl_sd(one_to_five, 1)));
    assert_true(isnan(sl_sd(NULL, 0)));
    assert_true(isnan(sl_mean(NULL, 0)));
}

static void test_deviation_survives_a_large_offset(void **state)
{
    (void)state;
    static const double values[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
    assert_near(sl_sd(values, 4), sqrt(30), 1e-14);
    static const double same[] = {0.1, 0.1, 0.1};
    assert_near(sl_sd(same, 3), 0, 0);
}

static void test_pearson_of_lines_and_by_hand(void **state)
{
    (void)state;
    static const double up[] = {2, 4, 6, 8, 10}, down[] = {5, 4, 3, 2, 1};
    static const double other[] = {2, 1, 4, 3, 5};
    assert_near(sl_pearson(one_to_five, up, 5), 1, 1e-15);
    assert_near(sl_pearson(one_to_five, down, 5), -1, 1e-15);
    assert_near(sl_pearson(one_to_five, other, 5), 0.8, 1e-15); /* 8 / sqrt(10 * 10) */
}

static void test_pearson_of_a_constant_is_nan(void **state)
{
    (void)state;
    static const double same[] = {0.1, 0.1, 0.1, 0.1, 0.1};
    assert_true(isnan(sl_pearson(one_to_five, same, 5)));
    assert_true(isnan(sl_pearson(same, one_to_five, 5)));
    assert_true(isnan(sl_pearson(one_to_five, one_to_five, 1)));
    assert_true(isnan(sl_pearson(NULL, NULL, 0)));
}

static void test_quantiles_interpolate_like_numpy(void **state)
{
    (void)state;
    static const double values[] = {40, 10, 30, 20};
    assert_near(sl_quantile(values, 4, 0), 10, 0);
    assert_near(sl_quantile(values, 4, 1), 40, 0);
    assert_near(sl_quantile(values, 4, 0.5), 25, 0);
    assert_near(sl_quantile(values, 4, 0.1), 13, 1e-14);
    assert_near(sl_quantile(values, 4, 1 / 3.0), 20, 1e-14);
    assert_near(sl_median(values, 3), 30, 0);
    assert_near(sl_quantile(values, 1, 0.7), 40, 0);
    static const double sorted[] = {1, 2, 4, 8};
    assert_near(sl_quantile_sorted(sorted, 4, 0.75), 5, 1e-15);
    static const double endless[] = {-(double)INFINITY, (double)INFINITY, (double)INFINITY};
    assert_true(isinf(sl_quantile(endless, 3, 0.75)));
}

static void test_quantiles_of_nothing_or_at_nowhere_are_nan(void **state)
{
    (void)state;
    assert_true(isnan(sl_quantile(NULL, 0, 0.5)));
    assert_true(isnan(sl_median(NULL, 0)));
    assert_true(isnan(sl_quantile(one_to_five, 5, -0.1)));
    assert_true(isnan(sl_quantile(one_to_five, 5, 1.1)));
    assert_true(isnan(sl_quantile(one_to_five, 5, (double)NAN)));
}

static void test_nan_in_gives_nan_out(void **state)
{
    (void)state;
    for (size_t at = 0; at < 5; at++) {
        double values[5] = {1, 2, 3, 4, 5};
        values[at] = (double)NAN;
        assert_true(isnan(sl_sum(values, 5)));
        assert_true(isnan(sl_mean(values, 5)));
        assert_true(isnan(sl_sd(values, 5)));
        assert_true(isnan(sl_pearson(values, one_to_five, 5)));
        assert_true(isnan(sl_pearson(one_to_five, values, 5)));
        assert_true(isnan(sl_quantile(values, 5, 0)));
        assert_true(isnan(sl_median(values, 5)));
        struct sl_interval interval = sl_mean_interval(values, 5, 0.95);
        assert_true(isnan(interval.estimate) && isnan(interval.low) && isnan(interval.high));
    }
}

/* 3 +- 2.776 * sqrt(2.5 / 5). */
static void test_the_interval_of_a_mean_is_students(void **state)
{
    (void)state;
    struct sl_interval interval = sl_mean_interval(one_to_five, 5, 0.95);
    assert_near(interval.estimate, 3, 0);
    assert_near(interval.low, 3 - 2.7764451051977944 * sqrt(0.5), 1e-13);
    assert_near(interval.high, 3 + 2.7764451051977944 * sqrt(0.5), 1e-13);
    interval = sl_mean_interval(one_to_five, 1, 0.95);
    assert_near(interval.estimate, 1, 0);
    assert_true(isnan(interval.low) && isnan(interval.high));
    interval = sl_mean_interval(one_to_five, 5, 95);
    assert_true(isnan(interval.low) && isnan(interval.high));
}

static double mean_of(const size_t *indices, size_t count, void *context)
{
    const double *values = context;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[indices[i]];
    return sum / (double)count;
}

static void test_the_bootstrap_of_a_mean_has_its_standard_error(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    double values[COUNT];
    struct sl_rng rng;
    sl_rng_init(&rng, 1, "values", 0, 0);
    for (size_t i = 0; i < COUNT; i++)
        values[i] = sl_rng_normal(&rng);
    struct sl_interval boot, student = sl_mean_interval(values, COUNT, 0.95);
    struct sl_error err;
    assert_ok(sl_bootstrap(mean_of, values, COUNT, &(struct sl_bootstrap_options){4000, 0.95, 7},
                           &boot, &err),
              err);
    assert_near(boot.estimate, sl_mean(values, COUNT), 1e-15);
    assert_near(boot.low, student.low, 0.008); /* of a half width of 0.1 */
    assert_near(boot.high, student.high, 0.008);
}

static void test_the_bootstrap_uses_the_streams_it_names(void **state)
{
    (void)state;
    double values[] = {1, 10, 100};
    struct sl_interval out;
    struct sl_error err;
    assert_ok(
        sl_bootstrap(mean_of, values, 3, &(struct sl_bootstrap_options){2, 0.5, 99}, &out, &err),
        err);
    double means[2];
    for (size_t r = 0; r < 2; r++) {
        struct sl_rng rng;
        size_t indices[3];
        sl_rng_init(&rng, 99, "bootstrap", 0, r);
        for (size_t i = 0; i < 3; i++)
            indices[i] = sl_rng_below(&rng, 3);
        means[r] = mean_of(indices, 3, values);
    }
    assert_near(out.estimate, 37, 0);
    assert_near(out.low, sl_quantile(means, 2, 0.25), 1e-14);
    assert_near(out.high, sl_quantile(means, 2, 0.75), 1e-14);
}

/* The mean of the values that are not 0; NaN if there is none. */
static double mean_of_some(const size_t *indices, size_t count, void *context)
{
    const double *values = context;
    double sum = 0, n = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[indices[i]];
        n += values[indices[i]] != 0;
    }
    return sum / n;
}

static void test_resamples_that_lack_what_is_asked_are_left_out(void **state)
{
    (void)state;
    static double rare[8] = {0, 0, 3, 0, 0, 5, 0, 0}, none[8];
    const struct sl_bootstrap_options options = sl_bootstrap_options_default();
    struct sl_interval interval;
    struct sl_error err;
    assert_ok(sl_bootstrap(mean_of_some, rare, 8, &options, &interval, &err), err);
    assert_near(interval.estimate, 4, 0);
    assert_near(interval.low, 3, 0);
    assert_near(interval.high, 5, 0);
    assert_ok(sl_bootstrap(mean_of_some, none, 8, &options, &interval, &err), err);
    assert_true(isnan(interval.low) && isnan(interval.high));
}

static void test_a_bootstrap_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    double values[] = {1, 2};
    struct sl_interval out = {.estimate = 42};
    struct sl_error err;
    assert_fails(
        sl_bootstrap(mean_of, values, 0, &(struct sl_bootstrap_options){10, 0.95, 1}, &out, &err),
        SL_ERR_INPUT, err, "at least 1 value");
    assert_fails(
        sl_bootstrap(mean_of, values, 2, &(struct sl_bootstrap_options){0, 0.95, 1}, &out, &err),
        SL_ERR_USAGE, err, "at least 1 resample");
    assert_fails(
        sl_bootstrap(mean_of, values, 2, &(struct sl_bootstrap_options){10, 95, 1}, &out, &err),
        SL_ERR_USAGE, err, "level 95 is not between 0 and 1");
    assert_fails(sl_bootstrap(mean_of, values, 2,
                              &(struct sl_bootstrap_options){10, (double)NAN, 1}, &out, &err),
                 SL_ERR_USAGE, err, "level");
    assert_fails(sl_bootstrap(mean_of, values, 2, &(struct sl_bootstrap_options){SIZE_MAX, 0.9, 1},
                              &out, &err),
                 SL_ERR_NOMEM, err, "not enough memory");
    assert_near(out.estimate, 42, 0);
}

static void test_of_equal_values_the_later_is_the_first_choice(void **state)
{
    (void)state;
    static const struct {
        double values[4];
        size_t count, first, second;
        bool unique;
    } cases[] = {
        {{1}, 1, 0, 0, true},
        {{.5, .5}, 2, 1, 0, true},
        {{.6, .4}, 2, 0, 1, true},
        {{.5, .5, 0}, 3, 1, 0, true},
        {{.4, .4, .2, 0}, 4, 1, 0, true},
        {{0, 0, 0, 1}, 4, 3, 2, false},
        {{1, 0, 0, 0}, 4, 0, 3, false},
        {{.25, .25, .25, .25}, 4, 3, 2, false},
        {{.3, .1, .3, .3}, 4, 3, 2, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t first = 9, second = 9;
        float row[4];
        for (size_t k = 0; k < 4; k++)
            row[k] = (float)cases[i].values[k];
        assert_int_equal(sl_first_two(cases[i].values, cases[i].count, NULL, &first, &second),
                         cases[i].unique);
        assert_int_equal(first, cases[i].first);
        assert_int_equal(second, cases[i].second);
        assert_int_equal(sl_first_choice(row, cases[i].count, NULL), cases[i].first);
        /* The same values in other places, which `order` finds again. */
        static const size_t orders[][4] = {{0}, {0}, {1, 0}, {2, 0, 1}, {2, 0, 3, 1}};
        const size_t count = cases[i].count, *order = orders[count];
        double turned[4];
        float turned_row[4];
        for (size_t k = 0; k < count; k++) {
            turned[order[k]] = cases[i].values[k];
            turned_row[order[k]] = (float)cases[i].values[k];
        }
        assert_int_equal(sl_first_two(turned, count, order, &first, &second), cases[i].unique);
        assert_int_equal(first, order[cases[i].first]);
        assert_int_equal(second, order[cases[i].second]);
        assert_int_equal(sl_first_choice(turned_row, count, order), order[cases[i].first]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_of_equal_values_the_later_is_the_first_choice),
        cmocka_unit_test(test_sums_keep_what_plain_addition_loses),
        cmocka_unit_test(test_sums_do_not_depend_on_the_order),
        cmocka_unit_test(test_infinity_sums_to_infinity),
        cmocka_unit_test(test_trimmed_means_leave_a_tenth_of_each_end_out),
        cmocka_unit_test(test_mean_and_deviation_of_small_samples),
        cmocka_unit_test(test_deviation_survives_a_large_offset),
        cmocka_unit_test(test_pearson_of_lines_and_by_hand),
        cmocka_unit_test(test_pearson_of_a_constant_is_nan),
        cmocka_unit_test(test_quantiles_interpolate_like_numpy),
        cmocka_unit_test(test_quantiles_of_nothing_or_at_nowhere_are_nan),
        cmocka_unit_test(test_nan_in_gives_nan_out),
        cmocka_unit_test(test_the_interval_of_a_mean_is_students),
        cmocka_unit_test(test_the_bootstrap_of_a_mean_has_its_standard_error),
        cmocka_unit_test(test_the_bootstrap_uses_the_streams_it_names),
        cmocka_unit_test(test_resamples_that_lack_what_is_asked_are_left_out),
        cmocka_unit_test(test_a_bootstrap_that_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
