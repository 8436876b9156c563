#include "crowd_answers.h"

static const struct answer two_against_one[] = {{0, 0, 0}, {0, 1, 0}, {0, 2, 1}};

/* Everyone starts at .8: .8 .8 .2 against .2 .2 .8, which is .128 against .032. */
static void test_the_first_posterior_uses_the_start(void **state)
{
    (void)state;
    struct sl_votes votes = VOTES(two_against_one, 1, 3, 2);
    struct sl_crowd_options options = sl_crowd_options_default();
    options.max_iterations = 1;
    struct sl_crowd_state out = run_method("zencrowd", &votes, &options);
    assert_near(out.posterior[0], 0.8, 1e-7);
    assert_near(out.posterior[1], 0.2, 1e-7);
    assert_int_equal(out.n_iterations, 1);
    assert_near(out.trace[0], log(0.5 * 0.16), 1e-12);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

/* Then q = .8 .8 .2, so .8 .8 .8 against .2 .2 .2. */
static void test_reliability_is_the_mean_posterior_of_what_was_said(void **state)
{
    (void)state;
    struct sl_votes votes = VOTES(two_against_one, 1, 3, 2);
    struct sl_crowd_options options = sl_crowd_options_default();
    options.max_iterations = 2;
    struct sl_crowd_state out = run_method("zencrowd", &votes, &options);
    assert_near(out.skill[0], 0.8, 1e-8);
    assert_near(out.skill[2], 0.2, 1e-8);
    assert_near(out.posterior[0], 0.512 / 0.52, 1e-7);
    assert_near(out.trace[1], log(0.5 * 0.52), 1e-7);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

static void test_a_wrong_answer_names_any_other_class_alike(void **state)
{
    (void)state;
    static const struct answer one[] = {{0, 0, 1}};
    struct sl_votes votes = VOTES(one, 1, 1, 3);
    struct sl_crowd_options options = sl_crowd_options_default();
    options.max_iterations = 1;
    struct sl_crowd_state out = run_method("zencrowd", &votes, &options);
    assert_near(out.posterior[0], 0.1, 1e-7);
    assert_near(out.posterior[1], 0.8, 1e-7);
    assert_near(out.posterior[2], 0.1, 1e-7);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

/* Gold says the two were wrong: q = 0, 0 and 1, kept a millionth off. */
static void test_gold_teaches_who_is_right(void **state)
{
    (void)state;
    static const struct answer answers[] = {{0, 0, 0}, {0, 1, 0}, {0, 2, 1},
                                            {1, 0, 0}, {1, 1, 0}, {1, 2, 1}};
    static const int32_t gold[] = {1, -1};
    struct sl_votes votes = VOTES(answers, 2, 3, 2);
    struct sl_crowd_options options = sl_crowd_options_default();
    options.gold = gold;
    struct sl_crowd_state out = run_method("zencrowd", &votes, &options);
    assert_near(out.posterior[1], 1, 0);
    assert_true(out.posterior[3] > 0.99f);
    assert_true(out.skill[2] > 0.99 && out.skill[0] < 0.01);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

/* Four right of five before, and the answer here at .8: (4 + .8) / (5 + 1). */
static void test_earlier_answers_count(void **state)
{
    (void)state;
    static const double prior[] = {3, 0, 1, 1};
    static const struct answer one[] = {{0, 0, 0}};
    struct sl_votes votes = VOTES(one, 1, 1, 2);
    struct sl_crowd_options options = sl_crowd_options_default();
    options.prior = prior;
    options.max_iterations = 2;
    struct sl_crowd_state out = run_method("zencrowd", &votes, &options);
    assert_near(out.skill[0], 0.8, 1e-8);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

static void test_a_resumed_state_is_where_it_starts(void **state)
{
    (void)state;
    double skill[] = {0.6, 0.9};
    const struct sl_crowd_state saved = {.n_annotators = 2, .n_classes = 2, .skill = skill};
    static const struct answer answers[] = {{0, 0, 0}, {0, 1, 1}, {0, 2, 0}};
    struct sl_votes votes = VOTES(answers, 1, 3, 2);
    struct sl_crowd_options options = sl_crowd_options_default();
    options.max_iterations = 1;
    options.resume = &saved;
    struct sl_crowd_state out = run_method("zencrowd", &votes, &options);
    double one = 0.6 * 0.1 * 0.8, other = 0.4 * 0.9 * 0.2; /* the newcomer starts at .8 */
    assert_near(out.posterior[0], one / (one + other), 1e-7);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

static void test_the_likelihood_never_falls(void **state)
{
    (void)state;
    int32_t truth[300];
    struct sl_votes votes = votes_random(300, 23, 4, 5, truth);
    struct sl_crowd_options options = sl_crowd_options_default();
    options.tolerance = 0;
    struct sl_crowd_state out = run_method("zencrowd", &votes, &options);
    assert_trace_rises(&out);
    assert_true(accuracy_of(&out, truth) > 0.9);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_posterior_uses_the_start),
        cmocka_unit_test(test_reliability_is_the_mean_posterior_of_what_was_said),
        cmocka_unit_test(test_a_wrong_answer_names_any_other_class_alike),
        cmocka_unit_test(test_gold_teaches_who_is_right),
        cmocka_unit_test(test_earlier_answers_count),
        cmocka_unit_test(test_a_resumed_state_is_where_it_starts),
        cmocka_unit_test(test_the_likelihood_never_falls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
