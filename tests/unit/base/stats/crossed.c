#include "support.h"

#include "softlab/base/stats.h"

enum { ITEMS = 30, PEOPLE = 20, ANSWERS = ITEMS * PEOPLE };

/* Every person answers every item; an answer is a level per item plus a level per person plus
 * little noise. */
static void make_answers(double of_items, double of_people, double *values, uint32_t *items,
                         uint32_t *people)
{
    struct sl_rng rng;
    double item[ITEMS], person[PEOPLE];
    sl_rng_init(&rng, 3, "answers", 0, 0);
    for (size_t i = 0; i < ITEMS; i++)
        item[i] = of_items * sl_rng_normal(&rng);
    for (size_t i = 0; i < PEOPLE; i++)
        person[i] = of_people * sl_rng_normal(&rng);
    for (uint32_t i = 0; i < ANSWERS; i++) {
        items[i] = i / PEOPLE;
        people[i] = i % PEOPLE;
        values[i] = item[items[i]] + person[people[i]] + .1 * sl_rng_normal(&rng);
    }
}

static double width(double of_items, double of_people, enum sl_crossed_statistic statistic,
                    bool has_people)
{
    double values[ANSWERS];
    uint32_t items[ANSWERS], people[ANSWERS];
    struct sl_error err;
    struct sl_interval interval;
    make_answers(of_items, of_people, values, items, people);
    const struct sl_crossed data = {.values = values,
                                    .first = items,
                                    .second = has_people ? people : NULL,
                                    .count = ANSWERS,
                                    .n_first = ITEMS,
                                    .n_second = has_people ? PEOPLE : 0};
    struct sl_bootstrap_options options = sl_bootstrap_options_default();
    options.n_resamples = 2000;
    assert_ok(sl_bootstrap_crossed(statistic, &data, &options, &interval, &err), err);
    assert_true(interval.low < interval.estimate && interval.estimate < interval.high);
    return interval.high - interval.low;
}

static void test_both_groupings_widen_the_interval(void **state)
{
    (void)state;
    /* A mean over 30 items of spread 1 and 20 people of spread 1 has a standard error of
     * sqrt(1/30 + 1/20) = .289, of which 3.92 times is 1.13; an interval over 600 answers as if
     * they were independent would have .23. */
    assert_in_range((int)(100 * width(1, 1, SL_CROSSED_MEAN, true)), 80, 150);
    assert_true(width(1, 1, SL_CROSSED_MEAN, false) < width(1, 1, SL_CROSSED_MEAN, true));
    assert_true(width(0, 1, SL_CROSSED_MEAN, false) < .1);
    assert_true(width(0, 1, SL_CROSSED_MEAN, true) > .5);
    assert_true(width(0, 1, SL_CROSSED_MEAN_OF_MEANS, true) > .5);
    assert_true(width(1, 0, SL_CROSSED_MEDIAN, true) > .4);
}

static void test_the_estimate_is_the_plain_statistic(void **state)
{
    (void)state;
    const double values[] = {1, 5, 2, 4};
    const uint32_t items[] = {0, 0, 1, 1}, people[] = {0, 0, 0, 1};
    const struct sl_crossed data = {values, items, people, 4, 2, 2};
    const struct sl_bootstrap_options options = {.n_resamples = 50, .level = .95, .seed = 1};
    static const double wanted[] = {
        [SL_CROSSED_MEAN] = 3,
        [SL_CROSSED_MEDIAN] = 3,
        [SL_CROSSED_MEAN_OF_MEANS] = (8. / 3 + 4) / 2,
    };
    struct sl_error err;
    struct sl_interval once, again;
    for (int i = 0; i < 3; i++) {
        const enum sl_crossed_statistic statistic = (enum sl_crossed_statistic)i;
        assert_ok(sl_bootstrap_crossed(statistic, &data, &options, &once, &err), err);
        assert_near(once.estimate, wanted[i], 1e-12);
        /* The same seed draws the same. */
        assert_ok(sl_bootstrap_crossed(statistic, &data, &options, &again, &err), err);
        assert_near(again.low, once.low, 0);
        assert_near(again.high, once.high, 0);
    }
}

static void test_no_values_have_no_interval(void **state)
{
    (void)state;
    const struct sl_crossed data = {.n_first = 3};
    const struct sl_bootstrap_options options = {.n_resamples = 5, .level = .95};
    struct sl_error err;
    struct sl_interval interval;
    assert_ok(sl_bootstrap_crossed(SL_CROSSED_MEAN, &data, &options, &interval, &err), err);
    assert_true(isnan(interval.estimate) && isnan(interval.low) && isnan(interval.high));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_groupings_widen_the_interval),
        cmocka_unit_test(test_the_estimate_is_the_plain_statistic),
        cmocka_unit_test(test_no_values_have_no_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
