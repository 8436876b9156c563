/* Majority votes of answers that are drawn without replacement. */
#include "softlab/eval/defer.h"

#include "support.h"

enum { K = 4, MOST = 9 };

/* The share that the class has of a vote of these answers. */
static double share(const size_t *votes, size_t n_classes, size_t class_index)
{
    size_t tied = 0;
    for (size_t k = 0; k < n_classes; k++) {
        if (votes[k] > votes[class_index]) return 0;
        tied += votes[k] == votes[class_index];
    }
    return 1.0 / (double)tied;
}

/* The mean over every set of `n_people` answers. */
static double by_all_sets(const uint32_t *counts, size_t class_index, size_t n_people)
{
    size_t answers[MOST], total = 0, n_sets = 0;
    double sum = 0;
    for (size_t k = 0; k < K; k++)
        for (uint32_t i = 0; i < counts[k]; i++)
            answers[total++] = k;
    for (unsigned set = 0; set < 1U << total; set++) {
        size_t votes[K] = {0}, size = 0;
        for (size_t i = 0; i < total; i++)
            if (set >> i & 1) {
                votes[answers[i]]++;
                size++;
            }
        if (size != n_people) continue;
        sum += share(votes, K, class_index);
        n_sets++;
    }
    return sum / (double)n_sets;
}

static void test_the_chance_is_the_mean_over_all_sets_of_answers(void **state)
{
    (void)state;
    size_t n_checked = 0;
    for (uint32_t code = 0; code < 5 * 5 * 4 * 3; code++) {
        const uint32_t counts[K] = {code % 5, code / 5 % 5, code / 25 % 4, code / 100};
        const size_t total = counts[0] + counts[1] + counts[2] + counts[3];
        if (total > MOST) continue;
        for (size_t people = 1; people <= total; people++) {
            double sum = 0;
            for (size_t k = 0; k < K; k++) {
                const double chance = sl_vote_chance(counts, K, k, people);
                assert_near(chance, by_all_sets(counts, k, people), 1e-13);
                sum += chance;
            }
            assert_near(sum, 1, 1e-13);
            n_checked++;
        }
    }
    assert_true(n_checked > 900);
}

static void test_one_person_is_right_as_often_as_the_answers(void **state)
{
    (void)state;
    static const uint32_t counts[] = {7, 0, 2, 1};
    assert_near(sl_vote_chance(counts, 4, 0, 1), 0.7, 1e-15);
    assert_near(sl_vote_chance(counts, 4, 1, 1), 0, 0);
    /* All ten answer. */
    assert_near(sl_vote_chance(counts, 4, 0, 10), 1, 1e-15);
    assert_near(sl_vote_chance(counts, 4, 2, 10), 0, 0);
    /* Two of them, by hand: 42 / 90 agree on class 0, else a tie if one of the two chose it. */
    assert_near(sl_vote_chance(counts, 4, 0, 2), 42.0 / 90 + 0.5 * 2 * 7 * 3 / 90, 1e-15);
}

static void test_too_few_answers_have_no_chance(void **state)
{
    (void)state;
    static const uint32_t counts[] = {2, 1}, none[] = {0, 0};
    assert_true(isnan(sl_vote_chance(counts, 2, 0, 4)));
    assert_true(isnan(sl_vote_chance(none, 2, 0, 1)));
    assert_near(sl_vote_chance(counts, 2, 1, 3), 0, 0);
}

/* Large counts neither overflow nor underflow: with replacement is the limit, and by symmetry a
 * half or a tenth is exact. */
static void test_many_answers_and_many_people(void **state)
{
    (void)state;
    static const uint32_t even[] = {1000000000, 1000000000}, lean[] = {600000000, 400000000};
    static const uint32_t ten[] = {10, 10, 10, 10, 10, 10, 10, 10, 10, 10}, alike[] = {99, 0, 0};
    assert_near(sl_vote_chance(even, 2, 0, 99), 0.5, 1e-12);
    assert_near(sl_vote_chance(even, 2, 1, 98), 0.5, 1e-12);
    /* .6^3 + 3 * .6^2 * .4 */
    assert_near(sl_vote_chance(lean, 2, 0, 3), 0.648, 1e-8);
    assert_near(sl_vote_chance(ten, 10, 4, 99), 0.1, 1e-12);
    assert_near(sl_vote_chance(ten, 10, 4, 5), 0.1, 1e-13);
    assert_near(sl_vote_chance(alike, 3, 0, 99), 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_chance_is_the_mean_over_all_sets_of_answers),
        cmocka_unit_test(test_one_person_is_right_as_often_as_the_answers),
        cmocka_unit_test(test_too_few_answers_have_no_chance),
        cmocka_unit_test(test_many_answers_and_many_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
