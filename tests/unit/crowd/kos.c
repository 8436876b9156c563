#include "crowd_answers.h"

enum { ITEMS = 12, ANNOTATORS = 7, PER_ITEM = 4 };

static double sign_of(const struct sl_votes *votes, size_t answer)
{
    return votes->label[answer] == 0 ? 1 : -1;
}

/* The paper's two equations as they stand, every sum over all answers. */
static void naive_round(const struct sl_votes *votes, const size_t *item, double *y)
{
    double x[ITEMS * PER_ITEM];
    for (size_t j = 0; j < votes->count; j++) {
        x[j] = 0;
        for (size_t other = 0; other < votes->count; other++)
            if (item[other] == item[j] && other != j) x[j] += sign_of(votes, other) * y[other];
    }
    for (size_t j = 0; j < votes->count; j++) {
        y[j] = 0;
        for (size_t other = 0; other < votes->count; other++)
            if (votes->annotator[other] == votes->annotator[j] && other != j)
                y[j] += sign_of(votes, other) * x[other];
    }
}

static void test_messages_follow_the_paper(void **state)
{
    (void)state;
    int32_t truth[ITEMS];
    struct sl_votes votes = votes_random(ITEMS, ANNOTATORS, 2, PER_ITEM, truth);
    struct sl_crowd_options options = sl_crowd_options_default();
    options.seed = 3;
    double y[ITEMS * PER_ITEM];
    size_t item[ITEMS * PER_ITEM];
    for (size_t j = 0; j < votes.count; j++) {
        struct sl_rng rng;
        item[j] = j / PER_ITEM;
        sl_rng_init(&rng, options.seed, "crowd.kos", votes.annotator[j], item[j]);
        y[j] = 1 + sl_rng_normal(&rng);
    }
    for (int round = 0; round < 10; round++)
        naive_round(&votes, item, y);
    struct sl_crowd_state out = run_method("kos", &votes, &options);
    assert_int_equal(out.n_iterations, 10);
    for (size_t i = 0; i < ITEMS; i++) {
        double total = 0, loudness = 0;
        for (size_t j = votes.begin[i]; j < votes.begin[i + 1]; j++) {
            total += sign_of(&votes, j) * y[j];
            loudness += fabs(y[j]);
        }
        assert_near(out.posterior[2 * i], 0.5 + 0.5 * total / loudness, 1e-6);
    }
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

static void test_the_signs_are_those_of_the_truth(void **state)
{
    (void)state;
    static int32_t truth[2000];
    struct sl_votes votes = votes_random(2000, 101, 2, 7, truth);
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state out = run_method("kos", &votes, &options);
    assert_true(accuracy_of(&out, truth) > 0.95);
    assert_true(out.skill[100] > out.skill[0]);
    assert_null(out.trace);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

static void test_an_item_with_one_answer_hears_it(void **state)
{
    (void)state;
    static const struct answer answers[] = {{0, 0, 1}, {0, 1, 1}, {1, 0, 0}, {1, 1, 0},
                                            {2, 0, 1}, {2, 1, 1}, {3, 1, 0}};
    struct sl_votes votes = VOTES(answers, 5, 2, 2);
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state out = run_method("kos", &votes, &options);
    assert_true(out.posterior[2 * 3] > 0.5f);
    /* Nobody answered item 4: it gets the class shares. */
    assert_near(out.posterior[2 * 4], out.class_prior[0], 1e-7);
    sl_crowd_state_release(&out);
    votes_free(&votes);
}

static void test_three_classes_are_refused(void **state)
{
    (void)state;
    static const struct answer one[] = {{0, 0, 2}};
    struct sl_votes votes = VOTES(one, 1, 1, 3);
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state out = {0};
    struct sl_error err;
    assert_fails(sl_aggregate(sl_aggregator_find("kos"), &votes, &options, &out, &err),
                 SL_ERR_INPUT, err, "needs 2 classes");
    votes_free(&votes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_follow_the_paper),
        cmocka_unit_test(test_the_signs_are_those_of_the_truth),
        cmocka_unit_test(test_an_item_with_one_answer_hears_it),
        cmocka_unit_test(test_three_classes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
