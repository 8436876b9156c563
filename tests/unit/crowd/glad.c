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

/* At first ability, easiness and class shares are those given: sigma(2 e^0) for the class that is
 * named, whose prior is .3. */
static void test_priors_are_those_given(void **state)
{
    (void)state;
    static const struct answer one[] = {{0, 0, 1}};
    static const double ability[] = {2}, easiness[] = {0}, classes[] = {.7, .3};
    struct sl_votes votes = VOTES(one, 1, 1, 2);
    struct sl_crowd_options options = sl_crowd_options_default();
    options.max_iterations = 1;
    options.glad.ability = ability;
    options.glad.easiness = easiness;
    options.glad.class_prior = classes;
    struct sl_crowd_state out = run_method("glad", &votes, &options);
    const double right = 1 / (1 + exp(-2)), named = .3 * right, other = .7 * (1 - right);
    assert_near(out.posterior[1], named / (named + other), 1e-7);
    assert_near(out.ability[0], 2, 0);
    assert_near(out.easiness[0], 0, 0);
    assert_near(out.skill[0], right, 1e-12);
    assert_near(out.trace[0], log(named + other), 1e-12);
    sl_crowd_state_release(&out);
    /* With equal classes every step leaves them where they are. */
    options.glad.class_prior = NULL;
    options.max_iterations = 200;
    options.tolerance = 0;
    out = run_method("glad", &votes, &options);
    assert_near(out.ability[0], 2, 1e-6);
    assert_near(out.easiness[0], 0, 1e-6);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

/* Item 0 has three answers that agree, item 1 a tie: the first is the easier one. Longer M-steps
 * end at the same maximum, in fewer iterations. */
static void test_longer_steps_reach_the_same_maximum(void **state)
{
    (void)state;
    static const struct answer five[] = {{0, 0, 1}, {0, 1, 1}, {0, 2, 1}, {1, 0, 0}, {1, 1, 1}};
    struct sl_votes votes = VOTES(five, 2, 3, 2);
    struct sl_crowd_options options = to_the_end();
    struct sl_crowd_state slow = run_method("glad", &votes, &options);
    options.glad.steps = 25;
    options.glad.accuracy = 1e-12;
    options.max_iterations = 2000;
    struct sl_crowd_state quick = run_method("glad", &votes, &options);
    assert_near(quick.posterior[0], slow.posterior[0], 1e-5);
    for (size_t a = 0; a < 3; a++)
        assert_near(quick.ability[a], slow.ability[a], 1e-5);
    for (size_t i = 0; i < 2; i++)
        assert_near(quick.easiness[i], slow.easiness[i], 1e-5);
    assert_true(slow.easiness[0] > slow.easiness[1] + .1);
    sl_crowd_state_release(&slow);
    sl_crowd_state_release(&quick);
    options.max_iterations = 5;
    options.glad.steps = 1;
    slow = run_method("glad", &votes, &options);
    options.glad.steps = 25;
    quick = run_method("glad", &votes, &options);
    assert_true(quick.trace[4] > slow.trace[4]);
    sl_crowd_state_release(&slow);
    sl_crowd_state_release(&quick);
    votes_free(&votes);
}

static void test_bad_priors_are_refused(void **state)
{
    (void)state;
    static const struct answer one[] = {{0, 0, 1}};
    static const double ability[] = {(double)NAN}, none[] = {1, 0}, much[] = {.6, .6};
    struct sl_votes votes = VOTES(one, 1, 1, 2);
    struct sl_crowd_options options = sl_crowd_options_default();
    const struct sl_aggregator *glad = sl_aggregator_find("glad");
    struct sl_crowd_state out;
    struct sl_error err;
    options.glad.ability = ability;
    assert_fails(sl_aggregate(glad, &votes, &options, &out, &err), SL_ERR_INPUT, err,
                 "glad: prior ability of annotator 0 is not a finite number");
    options.glad.ability = NULL;
    options.glad.class_prior = none;
    assert_fails(sl_aggregate(glad, &votes, &options, &out, &err), SL_ERR_INPUT, err,
                 "glad: prior 0 of class 1 is not above 0");
    options.glad.class_prior = much;
    assert_fails(sl_aggregate(glad, &votes, &options, &out, &err), SL_ERR_INPUT, err,
                 "glad: the class prior sums to 1.2");
    options.glad.class_prior = NULL;
    options.zbs.period = 0;
    assert_fails(sl_aggregate(glad, &votes, &options, &out, &err), SL_ERR_USAGE, err,
                 "zbs.period is 0");
    options.zbs.period = 1;
    options.mace.spam_prior = 0;
    assert_fails(sl_aggregate(glad, &votes, &options, &out, &err), SL_ERR_USAGE, err,
                 "mace.spam_prior 0 is not a finite number above 0");
    options.mace.spam_prior = 1;
    options.mace.noise = (double)NAN;
    assert_fails(sl_aggregate(glad, &votes, &options, &out, &err), SL_ERR_USAGE, err,
                 "mace.noise nan is not a finite number of at least 0");
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
        cmocka_unit_test(test_priors_are_those_given),
        cmocka_unit_test(test_longer_steps_reach_the_same_maximum),
        cmocka_unit_test(test_bad_priors_are_refused),
        cmocka_unit_test(test_gold_moves_ability_to_the_maximum),
        cmocka_unit_test(test_the_fit_is_the_maximum_of_the_posterior_density),
        cmocka_unit_test(test_the_posterior_density_never_falls),
        cmocka_unit_test(test_an_item_of_thousands_of_answers_is_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
