#include "crowd/em.h"

#include "crowd_scene.h"

static void test_our_exponential_is_that_of_libm(void **state)
{
    (void)state;
    for (int i = 0; i <= 800000; i++) {
        double x = -80.0 * i / 800000, expected = exp(x);
        if (!(fabs(sl_em_exp(x) - expected) <= 3e-13 * expected))
            fail_msg("exp(%.17g) is %.17g, not %.17g", x, sl_em_exp(x), expected);
    }
    assert_near(sl_em_exp(0), 1, 0);
}

static void test_log_scores_become_probabilities(void **state)
{
    (void)state;
    double scores[] = {log(1), log(3), -1e5, -1e5 + log(4), 700, -HUGE_VAL};
    double log_sum = sl_em_normalise(scores, 3, 2);
    assert_near(log_sum, log(4) + (-1e5 + log(5)) + 700, 1e-9);
    assert_near(scores[0], 0.25, 1e-12);
    assert_near(scores[1], 0.75, 1e-12);
    assert_near(scores[2], 0.2, 1e-11);
    assert_near(scores[3], 0.8, 1e-11);
    assert_near(scores[4], 1, 1e-12);
    assert_near(scores[5], 0, 1e-30);
}

static void test_sums_over_many_classes_stay_finite(void **state)
{
    (void)state;
    enum { ROWS = 40, CLASSES = 65536 };
    double *scores = sl_alloc((size_t)ROWS * CLASSES, sizeof *scores);
    assert_near(sl_em_normalise(scores, ROWS, CLASSES), ROWS * log(CLASSES), 1e-9);
    assert_near(scores[12345], 1.0 / CLASSES, 1e-18);
    free(scores);
}

static void test_units_are_exact_for_whole_and_binary_parts(void **state)
{
    (void)state;
    assert_int_equal(sl_em_units(0), 0);
    assert_int_equal(sl_em_units(1), 1 << 30);
    assert_int_equal(sl_em_units(0.375), 3 << 27);
    assert_near(sl_em_count(sl_em_units(1.0 / 3)), 1.0 / 3, 0x1p-31);
    assert_near(sl_em_count(100000000 * sl_em_units(1)), 1e8, 0);
}

struct visits {
    unsigned char seen[1000], chunks[SL_CROWD_CHUNKS];
    size_t n_workers;
};

static void visit(void *context, const struct sl_em_range *range)
{
    struct visits *visits = context;
    for (size_t i = range->begin; i < range->end; i++)
        visits->seen[i]++;
    if (range->worker < visits->n_workers) visits->chunks[range->chunk]++;
}

static void test_every_item_is_visited_once_by_any_number_of_threads(void **state)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65, 1000};
    (void)state;
    for (size_t threads = 0; threads <= 8; threads++) {
        struct sl_pool *pool = threads ? scene_pool(threads) : NULL;
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct visits visits = {.n_workers = sl_pool_threads(pool)};
            sl_em_run(sizes[s], pool, visit, &visits);
            for (size_t i = 0; i < sizeof visits.seen; i++)
                assert_int_equal(visits.seen[i], i < sizes[s]);
            for (size_t i = 0; i < sizeof visits.chunks; i++)
                assert_int_equal(visits.chunks[i], 1);
        }
        sl_pool_destroy(pool);
    }
}

static void test_the_iteration_ends_when_the_gain_is_small(void **state)
{
    (void)state;
    double trace[8];
    struct sl_crowd_state crowd = {.trace = trace};
    const struct sl_em_stop stop = {.tolerance = 1e-3}, never = {0};
    assert_false(sl_em_step(&crowd, -100, stop, false));
    assert_false(sl_em_step(&crowd, -99, stop, false));
    assert_false(sl_em_step(&crowd, -98.98, stop, true));
    assert_false(sl_em_step(&crowd, -98.97, never, false));
    assert_true(sl_em_step(&crowd, -98.96, stop, false));
    assert_true(crowd.converged);
    assert_int_equal(crowd.n_iterations, 5);
    assert_near(crowd.trace[1], -99, 0);
}

static void test_a_gain_per_answer_ends_the_iteration(void **state)
{
    (void)state;
    double trace[8];
    struct sl_crowd_state crowd = {.trace = trace};
    struct sl_crowd_options options = sl_crowd_options_default();
    options.tolerance = 1e-3;
    options.stop = SL_STOP_PER_ANSWER;
    assert_false(sl_em_step(&crowd, -1000, sl_em_stop_of(&options, 50), false));
    assert_false(sl_em_step(&crowd, -999.9, sl_em_stop_of(&options, 50), false));
    assert_true(sl_em_step(&crowd, -999.86, sl_em_stop_of(&options, 50), false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_gain_per_answer_ends_the_iteration),
        cmocka_unit_test(test_our_exponential_is_that_of_libm),
        cmocka_unit_test(test_log_scores_become_probabilities),
        cmocka_unit_test(test_sums_over_many_classes_stay_finite),
        cmocka_unit_test(test_units_are_exact_for_whole_and_binary_parts),
        cmocka_unit_test(test_every_item_is_visited_once_by_any_number_of_threads),
        cmocka_unit_test(test_the_iteration_ends_when_the_gain_is_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
