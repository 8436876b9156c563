#include "softlab/pipeline/workplace.h"

#include "support.h"

static void test_a_split_keeps_its_items_in_its_order(void **state)
{
    (void)state;
    const struct sl_workplace workplace = {.roots = {.folder = "."}};
    struct sl_dataset *all = NULL, *some = NULL;
    struct sl_error err;
    test_write(test_path("split.txt"), "4\n1\n", 4);
    assert_ok(sl_workplace_open_split(&workplace, "shapes:n=6,seed=3", NULL, &all, &err), err);
    assert_int_equal(all->count, 6);
    assert_ok(sl_workplace_open_split(&workplace, "shapes:n=6,seed=3", test_path("split.txt"),
                                      &some, &err),
              err);
    assert_int_equal(some->count, 2);
    assert_string_equal(some->items[0], all->items[4]);
    assert_string_equal(some->items[1], all->items[1]);
    sl_dataset_destroy(some);
    some = NULL;
    assert_fails(
        sl_workplace_open_split(&workplace, "shapes:n=4", test_path("split.txt"), &some, &err),
        SL_ERR_INPUT, err, "split.txt");
    assert_null(some);
    sl_dataset_destroy(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_split_keeps_its_items_in_its_order),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
