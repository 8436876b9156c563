#include "softlab/label/compare.h"
#include "label_support.h"

static double between(enum sl_label_distance_kind kind, const double *a, const double *b, size_t n)
{
    return sl_label_distances[kind].between(a, b, n);
}

static void test_distances_by_hand(void **state)
{
    (void)state;
    static const double a[] = {0.5, 0.5, 0}, b[] = {0.25, 0.25, 0.5};
    /* Values 0 .5 .5 against .25 .25 .5: (.25 + .25 + 0) / 3. */
    assert_near(between(SL_DISTANCE_WASSERSTEIN_VALUES, a, b, 3), 1.0 / 6, 1e-15);
    /* .25 ahead after the first class, .5 after the second. */
    assert_near(between(SL_DISTANCE_WASSERSTEIN_CLASSES, a, b, 3), 0.75, 1e-15);
    assert_near(between(SL_DISTANCE_L1, a, b, 3), 1, 1e-15);
    assert_near(between(SL_DISTANCE_KL, a, b, 3), log(2), 1e-15);
    assert_true(isinf(between(SL_DISTANCE_KL, b, a, 3)));
    /* Middle (3/8, 3/8, 1/4): half of log(4/3) and half of (log(2/3) + log 2) / 2. */
    double js = log(4.0 / 3) / 2 + (log(2.0 / 3) + log(2)) / 4;
    assert_near(between(SL_DISTANCE_JENSEN_SHANNON, a, b, 3), js, 1e-15);
    assert_near(sl_entropy(a, 3), log(2), 1e-15);
}

static void test_every_distance_is_zero_between_equals_alone_but_one(void **state)
{
    (void)state;
    static const double a[] = {0.7, 0.2, 0.1}, b[] = {0.2, 0.7, 0.1}, c[] = {0.5, 0.3, 0.2};
    for (size_t d = 0; d < SL_DISTANCE_COUNT; d++) {
        const struct sl_label_distance *distance = &sl_label_distances[d];
        assert_non_null(distance->name);
        assert_near(distance->between(a, a, 3), 0, 1e-15);
        assert_true(distance->between(a, c, 3) > 0.01);
        /* The values of a and b are the same: the papers' distance does not see a difference. */
        bool blind = d == SL_DISTANCE_WASSERSTEIN_VALUES;
        assert_true(blind ? distance->between(a, b, 3) == 0 : distance->between(a, b, 3) > 0.1);
    }
}

/* scipy.stats.wasserstein_distance([0, 1, 3], [5, 6, 8]) = 5, ([0, 1], [3, 1, 2]) = 1.5. */
static void test_wasserstein_of_samples_as_scipy_gives_it(void **state)
{
    (void)state;
    static const double u[] = {3, 0, 1}, v[] = {5, 8, 6}, pair[] = {0, 1}, three[] = {3, 1, 2};
    assert_near(sl_wasserstein(u, 3, v, 3), 5, 1e-15);
    assert_near(sl_wasserstein(pair, 2, three, 3), 1.5, 1e-15);
    assert_near(sl_wasserstein(three, 3, pair, 2), 1.5, 1e-15);
    assert_near(sl_wasserstein(u, 3, u, 3), 0, 0);
    assert_true(isnan(sl_wasserstein(u, 0, v, 3)));
}

static const char *const classes[] = {"cat", "cow", "dog"}, *const turned[] = {"dog", "Cat", "cow"};
static const char *const items[] = {"x", "y", "z"}, *const others[] = {"z", "w", "x"};

static void test_rows_are_matched_by_item_and_columns_by_class(void **state)
{
    (void)state;
    static const float left[] = {1, 0, 0, 0, 1, 0, 0.5F, 0.25F, 0.25F};
    static const float right[] = {0.25F, 0.5F, 0.25F, 1, 0, 0, 0.5F, 0.5F, 0};
    struct sl_rows *a = test_rows(left, 3, 3, items, classes);
    struct sl_rows *b = test_rows(right, 3, 3, others, turned);
    struct sl_comparison comparison;
    struct sl_error err;
    assert_ok(sl_labels_compare(a, b, NULL, &comparison, &err), err);
    assert_int_equal(comparison.n_items, 2);
    assert_int_equal(comparison.n_only_a, 1);
    assert_int_equal(comparison.n_only_b, 1);
    /* z is the same in both; x is cat against half dog, half cat. */
    assert_int_equal(comparison.items[0].row_a, 0);
    assert_int_equal(comparison.items[0].row_b, 2);
    assert_near(comparison.items[0].distance[SL_DISTANCE_L1], 1, 1e-7);
    assert_near(comparison.items[1].distance[SL_DISTANCE_L1], 0, 0);
    assert_near(comparison.mean[SL_DISTANCE_L1], 0.5, 1e-7);
    /* Of half dog, half cat the first choice is the dog, which is last by name. */
    assert_near(comparison.top1_agreement, .5, 0);
    assert_int_equal(comparison.n_tied_a, 0);
    assert_int_equal(comparison.n_tied_b, 1);
    assert_near(comparison.entropy_r, 1, 1e-12);
    assert_near(comparison.mean[SL_DISTANCE_KL], log(2) / 2, 1e-7);
    assert_int_equal(comparison.n_infinite_kl, 0);
    sl_comparison_release(&comparison);
    assert_ok(sl_labels_compare(b, a, NULL, &comparison, &err), err);
    assert_near(comparison.top1_agreement, .5, 0);
    assert_int_equal(comparison.n_tied_a, 1);
    assert_int_equal(comparison.n_infinite_kl, 1);
    assert_near(comparison.mean[SL_DISTANCE_KL], 0, 0);
    sl_comparison_release(&comparison);
    sl_rows_destroy(a);
    sl_rows_destroy(b);
}

static void test_rows_without_names_are_items_by_number(void **state)
{
    (void)state;
    static const char *const numbers[] = {"2", "0"};
    static const float left[] = {1, 0, 0, 1}, right[] = {0, 1, 0.5F, 0.5F, 1, 0};
    struct sl_rows *a = test_rows(left, 2, 2, numbers, NULL);
    struct sl_rows *b = test_rows(right, 3, 2, NULL, NULL);
    struct sl_comparison comparison;
    struct sl_error err;
    assert_ok(sl_labels_compare(a, b, NULL, &comparison, &err), err);
    assert_int_equal(comparison.n_items, 2);
    assert_near(comparison.mean[SL_DISTANCE_L1], 0, 0);
    sl_comparison_release(&comparison);
    assert_int_equal(sl_rows_find(b, "2", 1), 2);
    assert_int_equal(sl_rows_find(b, "3", 1), SIZE_MAX);
    assert_int_equal(sl_rows_find(b, "x", 1), SIZE_MAX);
    assert_int_equal(sl_rows_find(a, "0", 1), 1);
    assert_int_equal(sl_rows_find(a, "00", 2), SIZE_MAX);
    sl_rows_destroy(a);
    sl_rows_destroy(b);
}

static void
test_sorting_puts_the_most_or_least_different_first_and_keeps_ties_in_order(void **state)
{
    (void)state;
    static const float left[] = {1, 0, 1, 0, 1, 0, 1, 0};
    static const float right[] = {0.5F, 0.5F, 1, 0, 0, 1, 0.5F, 0.5F};
    struct sl_rows *a = test_rows(left, 4, 2, NULL, NULL), *b = test_rows(right, 4, 2, NULL, NULL);
    struct sl_comparison comparison;
    struct sl_error err;
    assert_ok(sl_labels_compare(a, b, NULL, &comparison, &err), err);
    static const size_t orders[2][4] = {{2, 0, 3, 1}, {1, 0, 3, 2}};
    for (int least = 0; least < 2; least++) {
        assert_ok(sl_comparison_sort(&comparison, SL_DISTANCE_L1, least, &err), err);
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(comparison.items[i].row_a, orders[least][i]);
    }
    /* Of equal values the later class is the first choice. */
    assert_near(comparison.top1_agreement, 0.25, 0);
    sl_comparison_release(&comparison);
    sl_rows_destroy(a);
    sl_rows_destroy(b);
}

/* Items 0 and 1 agree in the first class, the later of equals; entropies of b are 0, log 2, .56, 0.
 */
static void test_items_are_kept_by_first_class_and_by_entropy(void **state)
{
    (void)state;
    static const float left[] = {1, 0, 0.25F, 0.75F, 0.5F, 0.5F, 1, 0};
    static const float right[] = {1, 0, 0.5F, 0.5F, 0.75F, 0.25F, 0, 1};
    static const struct {
        struct sl_comparison_filter filter;
        size_t count, rows[4];
    } cases[] = {{{.same_first = false}, 4, {0, 1, 2, 3}},
                 {{.same_first = true}, 2, {0, 1}},
                 {{.min_entropy = .56}, 2, {1, 2}},
                 {{.max_entropy_b = .6}, 3, {0, 2, 3}},
                 {{.same_first = true, .min_entropy = .1, .max_entropy_b = .7}, 1, {1}}};
    struct sl_rows *a = test_rows(left, 4, 2, NULL, NULL), *b = test_rows(right, 4, 2, NULL, NULL);
    struct sl_error err;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct sl_comparison comparison;
        assert_ok(sl_labels_compare(a, b, NULL, &comparison, &err), err);
        assert_int_equal(sl_comparison_keep(&comparison, &cases[c].filter), cases[c].count);
        for (size_t i = 0; i < cases[c].count; i++)
            assert_int_equal(comparison.items[i].row_a, cases[c].rows[i]);
        assert_near(comparison.top1_agreement, .5, 0);
        sl_comparison_release(&comparison);
    }
    sl_rows_destroy(a);
    sl_rows_destroy(b);
}

static void assert_incomparable(struct sl_rows *a, struct sl_rows *b, const char *part)
{
    struct sl_comparison comparison;
    struct sl_error err;
    assert_fails(sl_labels_compare(a, b, NULL, &comparison, &err), SL_ERR_INPUT, err, part);
    sl_rows_destroy(a);
    sl_rows_destroy(b);
}

static void test_sets_that_cannot_be_compared_say_why(void **state)
{
    (void)state;
    static const float two[] = {1, 0, 0, 1}, half[] = {0.5F, 0, 0, 1}, three[] = {1, 0, 0};
    static const char *const twice[] = {"x", "x"}, *const fish[] = {"cat", "eel"},
                             *const unknown[] = {"no", "none"};
    assert_incomparable(test_rows(two, 2, 2, twice, NULL), test_rows(two, 2, 2, items, NULL),
                        "the first set: rows 0 and 1 are both of item x");
    assert_incomparable(test_rows(two, 2, 2, items, NULL), test_rows(two, 2, 2, unknown, NULL),
                        "no item is in both the first set and the second set");
    assert_incomparable(test_rows(two, 2, 2, items, NULL), test_rows(two, 1, 2, NULL, NULL),
                        "the first set has 2 rows, the second set has 1, and no item names tell");
    assert_incomparable(test_rows(two, 1, 2, NULL, NULL), test_rows(two, 2, 2, NULL, NULL),
                        "the first set has 1 row, the second set has 2, and no item names tell");
    assert_incomparable(test_rows(two, 2, 2, NULL, NULL), test_rows(three, 1, 3, NULL, NULL),
                        "2 classes; expected the 3 of the second set");
    assert_incomparable(test_rows(two, 2, 2, NULL, classes), test_rows(two, 2, 2, NULL, fish),
                        "class \"cow\" is unknown to the second set");
    assert_incomparable(test_rows(two, 2, 2, NULL, NULL), test_rows(half, 2, 2, NULL, NULL),
                        "second set");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances_by_hand),
        cmocka_unit_test(test_every_distance_is_zero_between_equals_alone_but_one),
        cmocka_unit_test(test_wasserstein_of_samples_as_scipy_gives_it),
        cmocka_unit_test(test_rows_are_matched_by_item_and_columns_by_class),
        cmocka_unit_test(test_rows_without_names_are_items_by_number),
        cmocka_unit_test(
            test_sorting_puts_the_most_or_least_different_first_and_keeps_ties_in_order),
        cmocka_unit_test(test_items_are_kept_by_first_class_and_by_entropy),
        cmocka_unit_test(test_sets_that_cannot_be_compared_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
