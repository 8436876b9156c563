#include "support.h"

#include "verdict/judge/judge.h"

static struct sl_contrast make_contrast(size_t count, const struct sl_sample *samples)
{
    struct sl_contrast contrast = {.count = count};
    for (size_t i = 0; i < count; i++) {
        contrast.samples[i] = samples[i];
        contrast.summaries[i] = sl_summary_of(&samples[i]);
        contrast.weights[i] = i % 2 ? -1 : 1;
    }
    return contrast;
}

static void test_runs_that_pair_are_compared_pair_by_pair(void **state)
{
    (void)state;
    /* Differences .5 .4 .6: mean .5, sd .1; t(.975, 2) = 4.30265, times .1 / sqrt 3 = .24841. The
     * order of runs does not matter. */
    double a[] = {1.5, 1.6, 2.0}, b[] = {1.4, 1.2, 1.0};
    uint32_t a_ids[] = {0, 1, 2}, b_ids[] = {2, 1, 0};
    struct sl_sample samples[] = {{a, a_ids, 3, 0}, {b, b_ids, 3, 0}};
    struct sl_contrast contrast = make_contrast(2, samples);
    struct sl_judgement judgement = {0};
    sl_contrast_judge(&contrast, 3, &judgement);
    assert_int_equal(judgement.test, SL_TEST_PAIRED);
    assert_int_equal(judgement.n_pairs, 3);
    assert_near(judgement.difference.estimate, .5, 1e-12);
    assert_near(judgement.difference.low, .5 - .2484137, 1e-6);
    assert_near(judgement.difference.high, .5 + .2484137, 1e-6);
}

static void test_runs_that_only_one_side_has_do_not_pair(void **state)
{
    (void)state;
    double a[] = {1, 2, 9}, b[] = {0, 0, 100};
    uint32_t a_ids[] = {0, 1, 2}, b_ids[] = {0, 1, 3};
    struct sl_sample samples[] = {{a, a_ids, 3, 0}, {b, b_ids, 3, 0}};
    struct sl_contrast contrast = make_contrast(2, samples);
    struct sl_judgement judgement = {0};
    sl_contrast_judge(&contrast, 4, &judgement);
    assert_int_equal(judgement.test, SL_TEST_PAIRED);
    assert_int_equal(judgement.n_pairs, 2);
    assert_near(judgement.difference.estimate, 1.5, 1e-12);
}

static void test_runs_that_do_not_pair_are_compared_by_welch(void **state)
{
    (void)state;
    /* Both have variance .04 / 3 of the mean, so 4 degrees of freedom: t = 2.77645 times
     * sqrt(.08 / 3) = .45340. */
    double a[] = {1.1, 1.3, 1.5}, b[] = {1, 1.2, 1.4};
    uint32_t a_ids[] = {3, 4, 5}, b_ids[] = {0, 1, 2};
    struct sl_sample samples[] = {{a, a_ids, 3, 0}, {b, b_ids, 3, 0}};
    struct sl_contrast contrast = make_contrast(2, samples);
    struct sl_judgement judgement = {0};
    sl_contrast_judge(&contrast, 6, &judgement);
    assert_int_equal(judgement.test, SL_TEST_WELCH);
    assert_near(judgement.difference.estimate, .1, 1e-12);
    assert_near(judgement.difference.high - .1, 2.7764451 * sqrt(.08 / 3), 1e-6);
}

static void test_a_side_without_spread_gives_welch_the_other_sides_freedom(void **state)
{
    (void)state;
    double a[] = {1, 1.2, 1.4}, b[] = {2, 2, 2, 2};
    uint32_t a_ids[] = {0, 1, 2}, b_ids[] = {3, 4, 5, 6};
    struct sl_sample samples[] = {{a, a_ids, 3, 0}, {b, b_ids, 4, 0}};
    struct sl_contrast contrast = make_contrast(2, samples);
    struct sl_judgement judgement = {0};
    sl_contrast_judge(&contrast, 7, &judgement);
    assert_near(judgement.difference.estimate, -.8, 1e-12);
    assert_near(judgement.difference.high + .8, 4.3026527 * .2 / sqrt(3), 1e-6);
}

static void test_gains_pair_over_four_samples(void **state)
{
    (void)state;
    /* Advantages .5 .4 .6 and .1 .15 .2: gains .4 .25 .4, mean .35, sd .0866. */
    double a[] = {1.5, 1.6, 2.0}, b[] = {1, 1.2, 1.4}, c[] = {1.1, 1.15, 1.2}, d[] = {1, 1, 1};
    uint32_t ids[] = {0, 1, 2};
    struct sl_sample samples[] = {{a, ids, 3, 0}, {b, ids, 3, 0}, {c, ids, 3, 0}, {d, ids, 3, 0}};
    struct sl_contrast contrast = make_contrast(4, samples);
    contrast.weights[2] = -1;
    contrast.weights[3] = 1;
    struct sl_judgement judgement = {0};
    sl_contrast_judge(&contrast, 3, &judgement);
    assert_int_equal(judgement.n_pairs, 3);
    assert_near(judgement.difference.estimate, .35, 1e-12);
    assert_near(judgement.difference.low, .35 - 4.3026527 * .08660254 / sqrt(3), 1e-6);
}

static void test_one_run_a_side_leaves_no_interval(void **state)
{
    (void)state;
    double a[] = {1}, b[] = {2};
    uint32_t ids[] = {0};
    struct sl_sample samples[] = {{a, ids, 1, 0}, {b, ids, 1, 0}};
    struct sl_contrast contrast = make_contrast(2, samples);
    struct sl_judgement judgement = {0};
    sl_contrast_judge(&contrast, 1, &judgement);
    assert_near(judgement.difference.estimate, -1, 1e-12);
    assert_true(isnan(judgement.difference.low) && isnan(judgement.difference.high));
}

static void test_figures_without_chance_are_exact(void **state)
{
    (void)state;
    struct sl_contrast contrast = {
        .count = 2, .weights = {1, -1}, .summaries = {{.mean = 3, .freedom = 1}, {.mean = 1}}};
    struct sl_judgement judgement = {0};
    sl_contrast_judge(&contrast, 0, &judgement);
    assert_int_equal(judgement.test, SL_TEST_EXACT);
    assert_near(judgement.difference.low, 2, 0);
    assert_near(judgement.difference.high, 2, 0);
}

static void test_folds_are_corrected_for_the_training_items_that_they_share(void **state)
{
    (void)state;
    /* Differences .5 .4 .6 of three folds, n_test / n_train = 1/2: variance .01 (1/3 + 1/2), so the
     * interval is sqrt(2.5) times as wide as for independent runs. */
    double a[] = {1.5, 1.6, 2.0}, b[] = {1.0, 1.2, 1.4};
    uint32_t ids[] = {0, 1, 2};
    struct sl_sample samples[] = {{a, ids, 3, .5}, {b, ids, 3, .5}};
    struct sl_contrast contrast = make_contrast(2, samples);
    struct sl_judgement judgement = {0};
    sl_contrast_judge(&contrast, 3, &judgement);
    assert_near(judgement.difference.estimate, .5, 1e-12);
    assert_near(judgement.difference.high - .5, 4.3026527 * sqrt(.01 * (1. / 3 + .5)), 1e-6);
    assert_near(judgement.overlap, .5, 0);
    assert_near(judgement.error, sqrt(.01 * (1. / 3 + .5)), 1e-12);
    /* The same for samples without pairs. */
    uint32_t others[] = {3, 4, 5};
    contrast.samples[1].identities = others;
    sl_contrast_judge(&contrast, 6, &judgement);
    assert_int_equal(judgement.test, SL_TEST_WELCH);
    assert_near(judgement.error, sqrt((.07 + .04) * (1. / 3 + .5)), 1e-9);
}

static void test_the_interval_of_a_mean_over_folds_is_corrected_too(void **state)
{
    (void)state;
    double values[] = {1, 2, 3};
    uint32_t ids[] = {0, 1, 2};
    const struct sl_sample sample = {values, ids, 3, .5};
    const struct sl_interval mean = sl_sample_interval(&sample);
    assert_near(mean.estimate, 2, 0);
    assert_near(mean.high - 2, 4.3026527 * sqrt(1. / 3 + .5), 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_that_pair_are_compared_pair_by_pair),
        cmocka_unit_test(test_runs_that_only_one_side_has_do_not_pair),
        cmocka_unit_test(test_runs_that_do_not_pair_are_compared_by_welch),
        cmocka_unit_test(test_a_side_without_spread_gives_welch_the_other_sides_freedom),
        cmocka_unit_test(test_gains_pair_over_four_samples),
        cmocka_unit_test(test_one_run_a_side_leaves_no_interval),
        cmocka_unit_test(test_figures_without_chance_are_exact),
        cmocka_unit_test(test_folds_are_corrected_for_the_training_items_that_they_share),
        cmocka_unit_test(test_the_interval_of_a_mean_over_folds_is_corrected_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
