#include "softlab/train/targets.h"

#include "support.h"

enum { ITEMS = 20, ANNOTATORS = 3 };

/* Twenty items "a".."t" with three rows each. */
static struct sl_rows *make_rows(void)
{
    struct sl_error err;
    struct sl_rows *rows;
    assert_ok(sl_rows_create((size_t)ITEMS * ANNOTATORS, 2, &rows, &err), err);
    rows->items = sl_alloc(rows->n_rows, sizeof *rows->items);
    for (size_t r = 0; r < rows->n_rows; r++)
        rows->items[r] = sl_string_printf("%c", (char)('a' + r % ITEMS));
    return rows;
}

static void test_a_recipe_without_hold_out_holds_out_none(void **state)
{
    (void)state;
    struct sl_error err;
    const struct sl_recipe recipe = sl_recipe_default();
    char *other = NULL, **items = &other;
    assert_ok(sl_holdout_create(&recipe, NULL, 1, &items, &err), err);
    assert_null(items);
}

static void test_a_list_is_taken_as_it_is(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_recipe recipe;
    char **items;
    assert_ok(sl_recipe_read("collins2022", "as-run", &recipe, &err), err);
    assert_ok(sl_holdout_create(&recipe, NULL, 1, &items, &err), err);
    size_t count = 0;
    for (; items[count]; count++)
        assert_string_equal(items[count], sl_recipe_holdout("collins2022")[count]);
    assert_int_equal(count, 100);
    sl_names_destroy(items);
    assert_ok(sl_recipe_set(&recipe, "holdout", "mine", &err), err);
    assert_fails(sl_holdout_create(&recipe, NULL, 1, &items, &err), SL_ERR_NOT_FOUND, err,
                 "no hold-out list is called \"mine\"");
}

static void test_a_draw_is_of_different_items_and_by_seed(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_rows *rows = make_rows();
    struct sl_recipe recipe = sl_recipe_default();
    recipe.holdout_draw = 8;
    int times[ITEMS] = {0};
    for (uint64_t seed = 0; seed < 200; seed++) {
        char **items, **again;
        bool drawn[ITEMS] = {false};
        assert_ok(sl_holdout_create(&recipe, rows, seed, &items, &err), err);
        assert_ok(sl_holdout_create(&recipe, rows, seed, &again, &err), err);
        for (size_t i = 0; i < 8; i++) {
            const size_t item = (size_t)(items[i][0] - 'a');
            assert_string_equal(items[i], again[i]);
            assert_false(drawn[item]);
            drawn[item] = true;
            times[item]++;
        }
        assert_null(items[8]);
        sl_names_destroy(items);
        sl_names_destroy(again);
    }
    for (size_t i = 0; i < ITEMS; i++) /* 80 expected, standard deviation 7 */
        assert_true(times[i] > 45 && times[i] < 115);
    sl_rows_destroy(rows);
}

static void test_a_draw_of_more_than_there_is_is_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_rows *rows = make_rows();
    struct sl_recipe recipe = sl_recipe_default();
    char **items = NULL;
    recipe.holdout_draw = ITEMS + 1;
    assert_fails(sl_holdout_create(&recipe, rows, 1, &items, &err), SL_ERR_INPUT, err,
                 "cannot draw 21 items: the label set has 20");
    assert_fails(sl_holdout_create(&recipe, NULL, 1, &items, &err), SL_ERR_INPUT, err,
                 "needs a label set with item names");
    assert_null(items);
    sl_rows_destroy(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_recipe_without_hold_out_holds_out_none),
        cmocka_unit_test(test_a_list_is_taken_as_it_is),
        cmocka_unit_test(test_a_draw_is_of_different_items_and_by_seed),
        cmocka_unit_test(test_a_draw_of_more_than_there_is_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
