#include "answer_support.h"
#include "softlab/answer/quality.h"

static const char *const pets[] = {"cat", "dog", "cow"};

static void add(struct sl_answers *answers, const char *item, float probability,
                size_t n_impossible, unsigned flags)
{
    static const uint32_t cannot_be[] = {1, 1, 2};
    struct sl_error err;
    struct sl_answer answer = sl_answer_empty();
    const struct sl_belief top = {0, probability};
    answer.item = (struct sl_field){item, strlen(item)};
    answer.kind = SL_ANSWER_SOFT;
    answer.n_top = 1;
    answer.top = &top;
    answer.n_impossible = n_impossible;
    answer.impossible = cannot_be;
    answer.flags = flags;
    assert_ok(sl_answers_add(answers, &answer, &err), err);
}

static void test_a_group_has_means_and_counts_of_what_was_typed(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_answers *answers;
    struct sl_answer_group group;
    assert_ok(sl_answers_create(pets, 3, &answers, &err), err);
    add(answers, "a", .7F, 0, 0); /* a little less as a float */
    add(answers, "a", 1, 1, SL_ANSWER_REPEAT);
    add(answers, "b", .5F, 0, 0); /* of another group */
    add(answers, "c", NAN, 3, 0); /* two classes, one named twice */
    add(answers, "c", .9F, 0, SL_ANSWER_CHECK);
    const bool in[] = {true, false, true};
    assert_ok(sl_answer_group_measure(answers, in, &group, &err), err);
    assert_int_equal(group.n_items, 2);
    assert_int_equal(group.n_answers, 3);
    assert_near(group.mean_probability, .85, 1e-7);
    assert_near(group.mean_possible, 2, 1e-12);
    static const size_t probabilities[] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 1};
    static const size_t possible[] = {0, 1, 1, 1};
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(group.probability_counts[i], probabilities[i]);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(group.possible_counts[i], possible[i]);
    sl_answer_group_release(&group);
    sl_answers_destroy(answers);
}

static void test_a_group_without_answers_has_no_means(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_answers *answers;
    struct sl_answer_group group;
    assert_ok(sl_answers_create(pets, 3, &answers, &err), err);
    add(answers, "a", .5F, 0, 0);
    const bool in[] = {false};
    assert_ok(sl_answer_group_measure(answers, in, &group, &err), err);
    assert_int_equal(group.n_answers, 0);
    assert_true(isnan(group.mean_probability));
    assert_true(isnan(group.mean_possible));
    sl_answer_group_release(&group);
    sl_answers_destroy(answers);
}

static void test_probabilities_out_of_range_are_in_the_outer_bins(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_answers *answers;
    struct sl_answer_group group;
    assert_ok(sl_answers_create(pets, 3, &answers, &err), err);
    add(answers, "a", 1.5F, 0, 0);
    add(answers, "a", -.5F, 0, 0);
    const bool in[] = {true};
    assert_ok(sl_answer_group_measure(answers, in, &group, &err), err);
    assert_int_equal(group.probability_counts[0], 1);
    assert_int_equal(group.probability_counts[9], 1);
    sl_answer_group_release(&group);
    sl_answers_destroy(answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_group_has_means_and_counts_of_what_was_typed),
        cmocka_unit_test(test_a_group_without_answers_has_no_means),
        cmocka_unit_test(test_probabilities_out_of_range_are_in_the_outer_bins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
