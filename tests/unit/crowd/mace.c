#include "crowd_answers.h"

static const struct answer two_agree[] = {{0, 0, 0}, {0, 1, 0}};

/* A start that is known: theta one half, strategies uniform. */
static double halves[] = {0.5, 0.5};
static const struct sl_crowd_state start = {.n_annotators = 2, .n_classes = 2, .skill = halves};

/* Naming the true class has probability .75, any other .25: the first posterior is .5625 to
 * .0625, or .9. Then .9 x 2/3 of each answer was knowledge: .6, and .4 spam. */
static const double known = 0.6;

static void test_one_step_of_em_is_the_one_worked_by_hand(void **state)
{
    (void)state;
    struct sl_votes votes = VOTES(two_agree, 1, 2, 2);
    struct sl_crowd_options options = sl_crowd_options_default();
    options.variational = false;
    options.smoothing = 0;
    options.max_iterations = 1;
    options.resume = &start;
    struct sl_crowd_state out = run_method("mace", &votes, &options);
    /* theta .6, all spam is class 0: naming 0 has .6 + .4 if true, .4 if not. */
    assert_near(out.posterior[0], 1 / (1 + 0.16), 1e-7);
    assert_near(out.trace[0], log(0.5 * 1.16), 1e-8);
    /* Skill is theta after this posterior: knowledge is .6 of what was named and true. */
    assert_near(out.skill[0], known / 1.16, 1e-7);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

static void test_one_variational_step_uses_digammas(void **state)
{
    (void)state;
    struct sl_votes votes = VOTES(two_agree, 1, 2, 2);
    struct sl_crowd_options options = sl_crowd_options_default();
    options.max_iterations = 1;
    options.resume = &start;
    struct sl_crowd_state out = run_method("mace", &votes, &options);
    double theta = exp(sl_digamma(known + 0.5) - sl_digamma(2));
    double spam = exp(sl_digamma(1 - known + 0.5) - sl_digamma(2));
    double strategy = exp(sl_digamma(10 + 1 - known) - sl_digamma(20 + 1 - known));
    double right = (theta + spam * strategy) * (theta + spam * strategy);
    double wrong = spam * strategy * spam * strategy;
    assert_near(out.posterior[0], right / (right + wrong), 1e-7);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

/* The same with 3 answers known and 2 spammed beforehand. What is said when spamming is the mean of
 * the Dirichlet after the last posterior. */
static void test_the_beta_prior_is_the_one_given(void **state)
{
    (void)state;
    struct sl_votes votes = VOTES(two_agree, 1, 2, 2);
    struct sl_crowd_options options = sl_crowd_options_default();
    options.max_iterations = 1;
    options.resume = &start;
    options.mace.know_prior = 3;
    options.mace.spam_prior = 2;
    struct sl_crowd_state out = run_method("mace", &votes, &options);
    double theta = exp(sl_digamma(known + 3) - sl_digamma(6));
    double spam = exp(sl_digamma(1 - known + 2) - sl_digamma(6));
    double strategy = exp(sl_digamma(10 + 1 - known) - sl_digamma(20 + 1 - known));
    double right = (theta + spam * strategy) * (theta + spam * strategy);
    double wrong = spam * strategy * spam * strategy, posterior = right / (right + wrong);
    assert_near(out.posterior[0], posterior, 1e-7);
    double spammed = 1 - posterior * theta / (theta + spam * strategy);
    assert_near(out.skill[1], 1 - (spammed + 2) / 6, 1e-7);
    assert_near(out.strategy[2], (10 + spammed) / (20 + spammed), 1e-7);
    assert_near(out.strategy[3], 10 / (20 + spammed), 1e-7);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

/* More rounds than the method's own are done if they are asked for. */
static void test_rounds_are_those_asked_for(void **state)
{
    (void)state;
    struct sl_votes votes = VOTES(two_agree, 1, 2, 2);
    struct sl_crowd_options options = sl_crowd_options_default();
    options.tolerance = 0;
    struct sl_crowd_state out = run_method("mace", &votes, &options);
    assert_int_equal(out.n_iterations, 50);
    sl_crowd_state_release(&out);
    options.max_iterations = 70;
    out = run_method("mace", &votes, &options);
    assert_int_equal(out.n_iterations, 70);
    sl_crowd_state_release(&out);
    out = run_method("kos", &votes, &options);
    assert_int_equal(out.n_iterations, 70);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

/* Without answers the bound is that of the prior. */
static void test_the_bound_without_answers_is_zero(void **state)
{
    (void)state;
    struct sl_votes votes = votes_of(NULL, 0, 3, 2, 2);
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state out = run_method("mace", &votes, &options);
    assert_near(out.trace[0], 0, 1e-12);
    assert_near(out.skill[0], 0.5, 1e-12);
    assert_near(out.posterior[0], 0.5, 0);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

static void test_the_bound_never_falls(void **state)
{
    (void)state;
    int32_t truth[300];
    struct sl_votes votes = votes_random(300, 23, 4, 5, truth);
    struct sl_crowd_options options = sl_crowd_options_default();
    options.tolerance = 0;
    for (int variational = 0; variational < 2; variational++) {
        options.variational = variational;
        struct sl_crowd_state out = run_method("mace", &votes, &options);
        assert_trace_rises(&out);
        assert_true(out.n_iterations <= 50);
        assert_true(accuracy_of(&out, truth) > 0.9);
        sl_crowd_state_release(&out);
    }
    votes_free(&votes);
}

/* Annotator 3 always says 1; the others are right. His strategy shows in his matrix. */
static void test_a_spammer_is_found_out(void **state)
{
    (void)state;
    struct answer answers[160];
    for (unsigned i = 0; i < 40; i++)
        for (unsigned a = 0; a < 4; a++)
            answers[4 * i + a] = (struct answer){i, a, a == 3 ? 1 : i % 4};
    struct sl_votes votes = votes_of(answers, 160, 40, 4, 4);
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state out = run_method("mace", &votes, &options);
    assert_true(out.skill[0] > 0.9);
    assert_true(out.skill[3] < 0.1);
    const float *spammer = out.confusion + 3 * 16;
    for (size_t k = 0; k < 4; k++) {
        float sum = spammer[4 * k] + spammer[4 * k + 1] + spammer[4 * k + 2] + spammer[4 * k + 3];
        assert_near(sum, 1, 1e-6);
        assert_true(spammer[4 * k + 1] > 0.5f);
    }
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

static void test_more_starts_never_find_a_worse_bound(void **state)
{
    (void)state;
    int32_t truth[200];
    struct sl_votes votes = votes_random(200, 41, 3, 3, truth);
    struct sl_crowd_options options = sl_crowd_options_default();
    options.restarts = 1;
    struct sl_crowd_state one = run_method("mace", &votes, &options);
    options.restarts = 10;
    struct sl_crowd_state ten = run_method("mace", &votes, &options);
    assert_true(ten.trace[ten.n_iterations - 1] >= one.trace[one.n_iterations - 1]);
    sl_crowd_state_release(&one);
    sl_crowd_state_release(&ten);
    votes_free(&votes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_step_of_em_is_the_one_worked_by_hand),
        cmocka_unit_test(test_one_variational_step_uses_digammas),
        cmocka_unit_test(test_the_beta_prior_is_the_one_given),
        cmocka_unit_test(test_rounds_are_those_asked_for),
        cmocka_unit_test(test_the_bound_without_answers_is_zero),
        cmocka_unit_test(test_the_bound_never_falls),
        cmocka_unit_test(test_a_spammer_is_found_out),
        cmocka_unit_test(test_more_starts_never_find_a_worse_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
