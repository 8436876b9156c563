/* mv-shares, gold-mv and zbs on examples that are worked by hand. */
#include "crowd_three.h"

static void test_shares_are_those_of_the_votes(void **state)
{
    struct sl_crowd_state crowd;
    (void)state;
    run("mv-shares", sl_crowd_options_default(), &crowd);
    assert_near(crowd.posterior[0], 2. / 3, 1e-7);
    assert_near(crowd.posterior[2], 1. / 3, 1e-7);
    assert_near(crowd.posterior[4], .5, 0);
    assert_near(crowd.skill[0], 2.5 / 3, 1e-12); /* half of the tied item */
    assert_near(crowd.skill[1], 1, 0);
    assert_near(crowd.skill[2], .5 / 3, 1e-12);
    assert_null(crowd.weight);
    sl_crowd_state_release(&crowd);
}

/* The tie of item 2 goes to class 0, which c did not say. */
static void test_agreement_follows_the_rule_for_ties(void **state)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state crowd;
    uint32_t chosen[3];
    (void)state;
    options.tie = SL_TIE_FIRST;
    run("mv-shares", options, &crowd);
    assert_near(crowd.skill[0], 1, 0);
    assert_near(crowd.skill[2], 0, 0);
    assert_near(crowd.posterior[4], .5, 0);
    sl_crowd_choices(&crowd, chosen);
    assert_int_equal(chosen[0], 0);
    assert_int_equal(chosen[1], 1);
    assert_int_equal(chosen[2], 0);
    sl_crowd_state_release(&crowd);
}

static void test_given_weights_make_weighted_shares(void **state)
{
    const double weights[] = {.5, .25, 2};
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state crowd;
    (void)state;
    options.weights = weights;
    run("mv-shares", options, &crowd);
    assert_near(crowd.posterior[0], .75 / 2.75, 1e-7);
    assert_near(crowd.posterior[4], .2, 1e-7);
    assert_near(crowd.skill[2], 1, 0); /* the weighted majority is what c says */
    sl_crowd_state_release(&crowd);
}

/* First a and b are right on both gold items and c on none, then c alone is right. */
static void test_gold_weights_votes_by_accuracy_on_gold(void **state)
{
    const int32_t gold[] = {0, 1, -1}, one[] = {1, -1, -1};
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state crowd;
    (void)state;
    options.gold = gold;
    run("gold-mv", options, &crowd);
    assert_near(crowd.skill[0], 1, 0);
    assert_near(crowd.skill[1], 1, 0);
    assert_near(crowd.skill[2], 0, 0);
    assert_near(crowd.posterior[4], 1, 0);
    sl_crowd_state_release(&crowd);
    options.gold = one; /* c alone is right */
    run("gold-mv", options, &crowd);
    assert_near(crowd.skill[0], 0, 0);
    assert_near(crowd.posterior[1], 1, 0); /* pinned */
    assert_near(crowd.posterior[2], 1, 0);
    assert_near(crowd.weight[2], 1, 0);
    sl_crowd_state_release(&crowd);
}

/* b did not answer item 2, so b gets the share of both answers that are right. */
static void test_without_gold_answers_the_accuracy_is_that_of_all(void **state)
{
    const int32_t gold[] = {-1, -1, 0}, none[] = {-1, -1, -1};
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state crowd = {0};
    struct sl_error err;
    (void)state;
    options.gold = gold;
    run("gold-mv", options, &crowd);
    assert_near(crowd.skill[0], 1, 0);
    assert_near(crowd.skill[1], .5, 0);
    assert_near(crowd.skill[2], 0, 0);
    assert_near(crowd.posterior[0], 1, 0); /* a 1 and b .5 against c 0 */
    sl_crowd_state_release(&crowd);
    const struct sl_aggregator *method = sl_aggregator_find("gold-mv");
    options.gold = none;
    assert_fails(sl_aggregate(method, &three.votes, &options, &crowd, &err), SL_ERR_INPUT, err,
                 "gold-mv: nobody answered a gold item");
    options.gold = NULL;
    assert_fails(sl_aggregate(method, &three.votes, &options, &crowd, &err), SL_ERR_USAGE, err,
                 "gold-mv: the method needs gold items");
}

/* Skills after a round at rate r from 1/2: agreements with the unweighted majority are 5/6, 1 and
 * 1/6 (the tie counts half). */
static void test_zero_based_skills_move_by_the_rate(void **state)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state crowd;
    (void)state;
    options.max_iterations = 1;
    options.zbs.margin = 0;
    options.zbs.rate = .5;
    options.zbs.period = 5;
    run("zbs", options, &crowd);
    assert_near(crowd.skill[0], .5 + .5 * (2.5 / 3 - .5), 1e-9);
    assert_near(crowd.skill[1], .75, 1e-9);
    assert_near(crowd.skill[2], .5 + .5 * (.5 / 3 - .5), 1e-9);
    assert_near(crowd.posterior[4], 2. / 3, 1e-7); /* 2/3 of a against 1/3 of c */
    sl_crowd_state_release(&crowd);
    options.zbs.period = 1; /* the first round has the reduced rate */
    options.zbs.factor = .1;
    run("zbs", options, &crowd);
    assert_near(crowd.skill[1], .5 + .05 * .5, 1e-9);
    sl_crowd_state_release(&crowd);
}

/* After a round a outweighs c, so that c is always wrong: 1, 1, 0, and nothing moves any more. */
static void test_zero_based_skills_settle(void **state)
{
    struct sl_crowd_state crowd;
    (void)state;
    run("zbs", sl_crowd_options_default(), &crowd);
    assert_near(crowd.skill[0], 1, 0);
    assert_near(crowd.skill[2], 0, 0);
    assert_near(crowd.weight[1], 1, 0);
    assert_near(crowd.posterior[4], 1, 0);
    assert_true(crowd.converged);
    assert_int_equal(crowd.n_iterations, 3);
    sl_crowd_state_release(&crowd);
}

static void test_an_even_confusion_spreads_mistakes(void **state)
{
    float matrix[9];
    (void)state;
    sl_crowd_even_confusion(.7, 3, matrix);
    for (size_t i = 0; i < 9; i++)
        assert_near(matrix[i], i % 4 == 0 ? .7 : .15, 1e-7);
    sl_crowd_even_confusion(1, 1, matrix);
    assert_near(matrix[0], 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares_are_those_of_the_votes),
        cmocka_unit_test(test_agreement_follows_the_rule_for_ties),
        cmocka_unit_test(test_given_weights_make_weighted_shares),
        cmocka_unit_test(test_gold_weights_votes_by_accuracy_on_gold),
        cmocka_unit_test(test_without_gold_answers_the_accuracy_is_that_of_all),
        cmocka_unit_test(test_zero_based_skills_move_by_the_rate),
        cmocka_unit_test(test_zero_based_skills_settle),
        cmocka_unit_test(test_an_even_confusion_spreads_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
