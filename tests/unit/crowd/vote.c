#include "crowd_three.h"

static void test_the_majority_takes_the_item(void **state)
{
    struct sl_crowd_state crowd;
    (void)state;
    run("mv", sl_crowd_options_default(), &crowd);
    assert_near(crowd.posterior[0], 1, 0);
    assert_near(crowd.posterior[2], 0, 0);
    assert_near(crowd.posterior[4], 0.5, 0);
    assert_near(crowd.class_prior[0], 0.5, 1e-12);
    assert_null(crowd.confusion);
    assert_null(crowd.trace);
    sl_crowd_state_release(&crowd);
}

static void test_a_tie_goes_to_the_first_class_when_asked(void **state)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state crowd;
    (void)state;
    options.tie = SL_TIE_FIRST;
    run("mv", options, &crowd);
    assert_near(crowd.posterior[4], 1, 0);
    assert_near(crowd.posterior[5], 0, 0);
    sl_crowd_state_release(&crowd);
}

static void test_a_random_tie_depends_on_the_seed_alone(void **state)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    unsigned first = 0;
    (void)state;
    options.tie = SL_TIE_RANDOM;
    for (options.seed = 0; options.seed < 200; options.seed++) {
        struct sl_crowd_state crowd, again;
        run("mv", options, &crowd);
        run("mv", options, &again);
        assert_true(crowd.posterior[4] == 1.0f || crowd.posterior[5] == 1.0f);
        assert_near(crowd.posterior[4], again.posterior[4], 0);
        first += crowd.posterior[4] == 1.0f;
        sl_crowd_state_release(&crowd);
        sl_crowd_state_release(&again);
    }
    assert_in_range(first, 70, 130);
}

/* a agrees with 1 + 1 + 1/2 of 3, b with 2 of 2, c with 1/2 of 3. */
static void test_wawa_weighs_by_agreement_with_the_majority(void **state)
{
    struct sl_crowd_state crowd;
    (void)state;
    run("wawa", sl_crowd_options_default(), &crowd);
    assert_near(crowd.skill[0], 5.0 / 6, 1e-12);
    assert_near(crowd.skill[1], 1, 1e-12);
    assert_near(crowd.skill[2], 1.0 / 6, 1e-12);
    assert_near(crowd.posterior[0], 11.0 / 12, 1e-7);
    assert_near(crowd.posterior[2], 1.0 / 12, 1e-7);
    assert_near(crowd.posterior[4], 5.0 / 6, 1e-7);
    sl_crowd_state_release(&crowd);
}

static void test_gold_corrects_the_agreement(void **state)
{
    const int32_t gold[] = {1, -1, -1};
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state crowd;
    (void)state;
    options.gold = gold;
    run("wawa", options, &crowd);
    assert_near(crowd.skill[0], 0.5, 1e-12);
    assert_near(crowd.skill[1], 0.5, 1e-12);
    assert_near(crowd.skill[2], 0.5, 1e-12);
    assert_near(crowd.posterior[1], 1, 0);
    sl_crowd_state_release(&crowd);
}

/* Gold says that the only annotator was wrong both times: the votes count all the same. */
static void test_without_any_weight_the_votes_are_equal(void **state)
{
    size_t begin[] = {0, 1, 2};
    uint32_t annotator[] = {0, 1};
    uint16_t label[] = {0, 1};
    const int32_t gold[] = {1, 0};
    const struct scene scene = {.votes = {.n_items = 2,
                                          .n_annotators = 2,
                                          .n_classes = 2,
                                          .count = 2,
                                          .begin = begin,
                                          .annotator = annotator,
                                          .label = label}};
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state crowd;
    (void)state;
    options.gold = gold;
    scene_run(sl_aggregator_find("wawa"), &scene, options, &crowd);
    assert_near(crowd.skill[0], 0, 0);
    assert_near(crowd.posterior[1], 1, 0);
    assert_near(crowd.posterior[2], 1, 0);
    sl_crowd_state_release(&crowd);
}

static void test_given_weights_count_and_nought_is_no_answer(void **state)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state crowd;
    struct sl_error err;
    (void)state;
    options.weights = (const double[]){1, 1, 3};
    run("mv", options, &crowd);
    assert_near(crowd.posterior[0], 0, 0); /* c outweighs a and b */
    assert_near(crowd.posterior[1], 1, 0);
    sl_crowd_state_release(&crowd);
    run("wawa", options, &crowd);
    assert_near(crowd.posterior[0], 2. / 5, 1e-7);
    assert_near(crowd.weight[2], 3, 0);
    sl_crowd_state_release(&crowd);
    options.weights = (const double[]){0, 1, 0};
    run("mv", options, &crowd);
    assert_near(crowd.posterior[0], 1, 0);
    assert_near(crowd.posterior[2], 0, 0);
    assert_near(crowd.posterior[4], .5, 0); /* no answer is left: class shares */
    assert_near(crowd.class_prior[0], .5, 1e-12);
    sl_crowd_state_release(&crowd);
    static const double improper[][3] = {{0, 0, 0}, {1, -1, 1}, {1, (double)NAN, 1}};
    for (size_t i = 0; i < 3; i++) {
        options.weights = improper[i];
        assert_fails(sl_aggregate(sl_aggregator_find("mv"), &three.votes, &options, &crowd, &err),
                     SL_ERR_INPUT, err, "mv: ");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_given_weights_count_and_nought_is_no_answer),
        cmocka_unit_test(test_the_majority_takes_the_item),
        cmocka_unit_test(test_a_tie_goes_to_the_first_class_when_asked),
        cmocka_unit_test(test_a_random_tie_depends_on_the_seed_alone),
        cmocka_unit_test(test_wawa_weighs_by_agreement_with_the_majority),
        cmocka_unit_test(test_gold_corrects_the_agreement),
        cmocka_unit_test(test_without_any_weight_the_votes_are_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
