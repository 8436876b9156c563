#include "crowd_answers.h"

static const struct answer answers[] = {{0, 0, 0}, {0, 1, 0}, {0, 2, 1},
                                        {1, 0, 1}, {1, 1, 1}, {1, 2, 1}};
static const float predictions[] = {0.9f, 0.1f, 0.2f, 0.8f};

static struct sl_crowd_options with(const float *rows)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    options.predictions = rows;
    return options;
}

/* Majorities 0 and 1, so the commonest class errs on half, and the classifier never: its weight
 * is 1 x sqrt(3 answers per item). P = (2/3 + 1) / 2. Annotators 0 and 1 agree with 3 of the 4
 * answers of others, 2 with 2 of 4: weights 1 - .25/.5, the same, and 0, raised to 1e-6. */
static void test_the_mean_is_weighted_as_in_the_paper(void **state)
{
    (void)state;
    struct sl_votes votes = VOTES(answers, 2, 3, 2);
    struct sl_crowd_options options = with(predictions);
    struct sl_crowd_state out = run_method("crowdlab", &votes, &options);
    double agreement = 5.0 / 6, least = 1e-6, root = sqrt(3);
    assert_near(out.skill[0], 0.5, 1e-12);
    assert_near(out.skill[1], 0.5, 1e-12);
    assert_near(out.skill[2], least, 1e-12);
    double first = root * 0.9 + agreement + least * (1 - agreement);
    double second = root * 0.8 + (1 + least) * agreement;
    assert_near(out.posterior[0], first / (root + 1 + least), 1e-6);
    assert_near(out.posterior[3], second / (root + 1 + least), 1e-6);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

static void test_predictions_are_needed(void **state)
{
    (void)state;
    struct sl_votes votes = VOTES(answers, 2, 3, 2);
    struct sl_crowd_options options = with(NULL);
    struct sl_crowd_state out = {0};
    struct sl_error err;
    assert_fails(sl_aggregate(sl_aggregator_find("crowdlab"), &votes, &options, &out, &err),
                 SL_ERR_USAGE, err, "predictions");
    votes_free(&votes);
}

/* One answer each: nobody can be contradicted, P is 1 and so is every weight. The classifier errs
 * on one of two items, no better than the commonest class: weight 1e-6. */
static void test_without_overlap_the_answers_are_believed(void **state)
{
    (void)state;
    static const struct answer single[] = {{0, 0, 0}, {1, 1, 1}};
    static const float wrong_once[] = {0.9f, 0.1f, 0.7f, 0.3f};
    struct sl_votes votes = VOTES(single, 2, 2, 2);
    struct sl_crowd_options options = with(wrong_once);
    struct sl_crowd_state out = run_method("crowdlab", &votes, &options);
    assert_near(out.skill[0], 1, 0);
    assert_near(out.posterior[0], (1 + 1e-6 * 0.9) / (1 + 1e-6), 1e-7);
    assert_near(out.posterior[3], (1 + 1e-6 * 0.3) / (1 + 1e-6), 1e-7);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

static void test_an_item_without_answers_gets_its_prediction(void **state)
{
    (void)state;
    static const float three[] = {0.9f, 0.1f, 0.2f, 0.8f, 0.25f, 0.75f};
    struct sl_votes votes = VOTES(answers, 3, 3, 2);
    struct sl_crowd_options options = with(three);
    struct sl_crowd_state out = run_method("crowdlab", &votes, &options);
    assert_near(out.posterior[4], 0.25, 1e-7);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

/* A tied vote goes where the classifier points, and counts as its success. */
static void test_the_classifier_breaks_ties(void **state)
{
    (void)state;
    static const struct answer tied[] = {{0, 0, 0}, {0, 1, 1}, {1, 0, 0}, {1, 1, 0}};
    static const float rows[] = {0.3f, 0.7f, 0.6f, 0.4f};
    struct sl_votes votes = VOTES(tied, 2, 2, 2);
    struct sl_crowd_options options = with(rows);
    struct sl_crowd_state out = run_method("crowdlab", &votes, &options);
    /* Consensus 1 and 0, classifier right on both; annotators agree on one of two items and the
     * commonest class errs on half, so their weights are 1e-6. */
    assert_near(out.skill[0], 1e-6, 1e-12);
    assert_near(out.posterior[1], 0.7, 1e-5);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

static void test_gold_is_pinned_and_teaches(void **state)
{
    (void)state;
    static const int32_t gold[] = {1, -1};
    struct sl_votes votes = VOTES(answers, 2, 3, 2);
    struct sl_crowd_options options = with(predictions);
    options.gold = gold;
    struct sl_crowd_state out = run_method("crowdlab", &votes, &options);
    assert_near(out.posterior[1], 1, 0);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_mean_is_weighted_as_in_the_paper),
        cmocka_unit_test(test_predictions_are_needed),
        cmocka_unit_test(test_without_overlap_the_answers_are_believed),
        cmocka_unit_test(test_an_item_without_answers_gets_its_prediction),
        cmocka_unit_test(test_the_classifier_breaks_ties),
        cmocka_unit_test(test_gold_is_pinned_and_teaches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
