#include "crowd_answers.h"

static struct sl_crowd_options to_the_end(void)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    options.tolerance = 0;
    options.max_iterations = 20000;
    return options;
}

/* One answer says nothing about its annotator: ability and easiness stay at their prior mean,
 * and sigma(1 x e) is what it is worth. */
static void test_one_answer_leaves_the_priors(void **state)
{
    (void)state;
    static const struct answer one[] = {{0, 0, 1}};
    struct sl_votes votes = VOTES(one, 1, 1, 2);
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state out = run_method("glad", &votes, &options);
    double right = 1 / (1 + exp(-exp(1)));
    assert_near(out.posterior[1], right, 1e-7);
    assert_near(out.skill[0], right, 1e-7);
    assert_near(out.trace[0], log(0.5), 1e-12);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

/* With gold the maximum is that of log sigma(alpha e^b) - (alpha-1)^2/2 - (b-1)^2/2, or of
 * log(1 - sigma) when the answer is wrong. Reference: SciPy's BFGS on that expression. */
static void test_gold_moves_ability_to_the_maximum(void **state)
{
    (void)state;
    static const struct answer one[] = {{0, 0, 0}};
    static const int32_t golds[] = {0, 1};
    static const double skills[] = {0.9663001373, 0.3505272073};
    static const double values[] = {-0.739084105489, -1.84758318673};
    struct sl_votes votes = VOTES(one, 1, 1, 2);
    for (size_t i = 0; i < 2; i++) {
        struct sl_crowd_options options = to_the_end();
        options.gold = &golds[i];
        struct sl_crowd_state out = run_method("glad", &votes, &options);
        assert_near(out.skill[0], skills[i], 1e-5);
        assert_near(out.trace[out.n_iterations - 1], values[i], 1e-9);
        assert_near(out.posterior[golds[i]], 1, 0);
        sl_crowd_state_release(&out);
    }
    votes_free(&votes);
}

/* Reference: the same posterior density maximised over all seven parameters by SciPy. */
static void test_the_fit_is_the_maximum_of_the_posterior_density(void **state)
{
    (void)state;
    static const struct answer answers[] = {{0, 0, 0}, {0, 1, 0}, {0, 2, 1}, {1, 0, 1},
                                            {1, 1, 1}, {1, 2, 1}, {2, 0, 2}, {2, 1, 2},
                                            {2, 2, 0}, {3, 0, 1}, {3, 2, 2}};
    static const double posterior[] = {9.999647752e-01, 1.391793361e-05, 2.130685311e-05,
                                       8.499379522e-04, 9.983001241e-01, 8.499379522e-04,
                                       1.391793558e-05, 2.130685580e-05, 9.999647752e-01,
                                       6.692194382e-03, 9.885089438e-01, 4.798861802e-03};
    struct sl_votes votes = VOTES(answers, 4, 3, 3);
    struct sl_crowd_options options = to_the_end();
    struct sl_crowd_state out = run_method("glad", &votes, &options);
    assert_near(out.trace[out.n_iterations - 1], -9.63093870795, 1e-8);
    for (size_t i = 0; i < 12; i++)
        assert_near(out.posterior[i], posterior[i], 1e-5);
    assert_near(out.skill[0], 0.9782968428, 1e-5);
    assert_near(out.skill[2], 0.2733317137, 1e-5);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

static void test_the_posterior_density_never_falls(void **state)
{
    (void)state;
    int32_t truth[300];
    struct sl_votes votes = votes_random(300, 23, 4, 5, truth);
    struct sl_crowd_options options = sl_crowd_options_default();
    options.tolerance = 0;
    struct sl_crowd_state out = run_method("glad", &votes, &options);
    assert_trace_rises(&out);
    assert_true(accuracy_of(&out, truth) > 0.9);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

/* More answers than fit into one product of factors before its logarithm is taken. */
static void test_an_item_of_thousands_of_answers_is_finite(void **state)
{
    (void)state;
    struct answer answers[3000];
    for (unsigned j = 0; j < 3000; j++)
        answers[j] = (struct answer){0, j, j % 3 == 0};
    struct sl_votes votes = votes_of(answers, 3000, 1, 3000, 2);
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state out = run_method("glad", &votes, &options);
    assert_true(isfinite(out.trace[0]));
    /* 2,000 against 1,000 at the prior means: log sigma is -.06390, log(1 - sigma) -2.78218. */
    assert_near(out.trace[0], 2000 * -0.063902102 + 1000 * -2.782183931 + log(0.5), 1e-3);
    assert_near(out.posterior[0], 1, 1e-6);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_answer_leaves_the_priors),
        cmocka_unit_test(test_gold_moves_ability_to_the_maximum),
        cmocka_unit_test(test_the_fit_is_the_maximum_of_the_posterior_density),
        cmocka_unit_test(test_the_posterior_density_never_falls),
        cmocka_unit_test(test_an_item_of_thousands_of_answers_is_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
