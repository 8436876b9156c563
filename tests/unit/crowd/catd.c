#include "crowd_answers.h"

/* The lower 2.5 % quantiles of chi-square for 1 and 4 answers (any table). */
static const double one_answer = 0.000982069117, four_answers = 0.484418557;

/* Annotators 0 and 1 agree on all of four items; 2 contradicts them on the first. With a
 * smoothing of 1 the weights are q(4) / (0 + 1) twice and q(1) / (1 + 1). */
static void test_weights_are_quantiles_over_errors(void **state)
{
    (void)state;
    static const struct answer answers[] = {{0, 0, 0}, {0, 1, 0}, {0, 2, 1}, {1, 0, 1}, {1, 1, 1},
                                            {2, 0, 0}, {2, 1, 0}, {3, 0, 1}, {3, 1, 1}};
    struct sl_votes votes = VOTES(answers, 4, 3, 2);
    struct sl_crowd_options options = sl_crowd_options_default();
    options.smoothing = 1;
    struct sl_crowd_state out = run_method("catd", &votes, &options);
    double against = one_answer / 2, together = 2 * four_answers;
    assert_near(out.posterior[1], against / (against + together), 1e-8);
    assert_near(out.posterior[0], together / (against + together), 1e-7);
    assert_near(out.posterior[2], 0, 0);
    assert_true(out.converged);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

/* Two newcomers against one of long standing: the vote is theirs, the weight is his. */
static void test_few_answers_earn_little_trust(void **state)
{
    (void)state;
    struct answer answers[43];
    for (unsigned i = 0; i < 40; i++)
        answers[i] = (struct answer){i, 0, i % 2};
    answers[40] = (struct answer){40, 0, 0};
    answers[41] = (struct answer){40, 1, 1};
    answers[42] = (struct answer){40, 2, 1};
    struct sl_votes votes = votes_of(answers, 43, 41, 3, 2);
    struct sl_crowd_options options = sl_crowd_options_default();
    options.smoothing = 1;
    struct sl_crowd_state out = run_method("catd", &votes, &options);
    assert_true(out.posterior[2 * 40] > 0.99f);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

/* Equal weights on both sides: half an error each, whatever the class numbers. */
static void test_ties_are_shared(void **state)
{
    (void)state;
    static const struct answer answers[] = {{0, 0, 2}, {0, 1, 1}};
    struct sl_votes votes = VOTES(answers, 1, 2, 3);
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state out = run_method("catd", &votes, &options);
    assert_near(out.posterior[0], 0, 0);
    assert_near(out.posterior[1], 0.5, 0);
    assert_near(out.posterior[2], 0.5, 0);
    assert_near(out.skill[0], 0.5, 0);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

static void test_gold_is_the_truth(void **state)
{
    (void)state;
    static const struct answer answers[] = {{0, 0, 0}, {0, 1, 0}, {0, 2, 1},
                                            {1, 0, 0}, {1, 1, 0}, {1, 2, 1}};
    static const int32_t gold[] = {1, -1};
    struct sl_votes votes = VOTES(answers, 2, 3, 2);
    struct sl_crowd_options options = sl_crowd_options_default();
    options.gold = gold;
    options.smoothing = 0; /* an annotator without errors still has a finite weight */
    struct sl_crowd_state out = run_method("catd", &votes, &options);
    assert_near(out.posterior[1], 1, 0);
    /* Errors 1, 1 and 1: the majority keeps item 1, two weights to one. */
    assert_near(out.posterior[2], 2.0 / 3, 1e-6);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

static void test_real_answers_are_mostly_right(void **state)
{
    (void)state;
    static int32_t truth[500];
    struct sl_votes votes = votes_random(500, 23, 4, 5, truth);
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state out = run_method("catd", &votes, &options);
    assert_true(accuracy_of(&out, truth) > 0.9);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_are_quantiles_over_errors),
        cmocka_unit_test(test_few_answers_earn_little_trust),
        cmocka_unit_test(test_ties_are_shared),
        cmocka_unit_test(test_gold_is_the_truth),
        cmocka_unit_test(test_real_answers_are_mostly_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
