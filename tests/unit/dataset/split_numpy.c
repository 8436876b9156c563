#include "dataset/split_numpy.h"

#include "softlab/dataset.h"
#include "support.h"

static void check_order(uint64_t seed, const size_t *expected, size_t count)
{
    size_t order[16];
    sl_split_shuffle_numpy(seed, order, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(order[i], expected[i]);
}

/* What numpy 1.24 prints. */
static void test_small_shuffles_are_numpys(void **state)
{
    (void)state;
    check_order(0, (const size_t[]){2, 8, 4, 9, 1, 6, 7, 3, 0, 5}, 10);
    check_order(1, (const size_t[]){2, 9, 6, 4, 0, 3, 1, 7, 8, 5}, 10);
    check_order(17, (const size_t[]){2, 3, 11, 8, 7, 4, 9, 5, 0, 10, 6, 1}, 12);
    check_order(4294967295, (const size_t[]){1, 5, 0, 6, 4, 2, 3}, 7);
    check_order(0, (const size_t[]){0}, 1);
    sl_split_shuffle_numpy(0, NULL, 0);
}

/* Beyond 624 draws the generator renews itself; the weighted sum sees any two items swapped. */
static void test_a_long_shuffle_is_numpys(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    static size_t order[COUNT];
    uint64_t sum = 0;
    sl_split_shuffle_numpy(0, order, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        sum += (i + 1) * order[i];
    assert_int_equal(sum, 249247434393);
    assert_int_equal(order[0], 9394);
    assert_int_equal(order[COUNT - 1], 2732);
}

static void test_the_last_fold_is_the_published_one(void **state)
{
    (void)state;
    struct sl_error err;
    size_t *published, count;
    struct sl_split split;
    const char *path = test_data("peterson2019/val_idx_seed_0.npy");
    if (!path) skip();
    assert_ok(sl_split_read(path, 10000, &published, &count, &err), err);
    assert_ok(sl_split_fold_numpy(10000, 10, 9, 0, &split, &err), err);
    assert_int_equal(split.n_first, count);
    assert_int_equal(split.n_rest, 9000);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(split.first[i], published[i]);
    free(published);
    sl_split_release(&split);
}

static void test_folds_hold_every_item_out_once(void **state)
{
    (void)state;
    enum { ITEMS = 23, FOLDS = 5 };
    int held[ITEMS] = {0}, kept[ITEMS] = {0};
    for (size_t fold = 0; fold < FOLDS; fold++) {
        struct sl_error err;
        struct sl_split split;
        assert_ok(sl_split_fold_numpy(ITEMS, FOLDS, fold, 6, &split, &err), err);
        for (size_t i = 0; i < split.n_first; i++)
            held[split.first[i]]++;
        for (size_t i = 0; i < split.n_rest; i++)
            kept[split.rest[i]]++;
        sl_split_release(&split);
    }
    for (size_t i = 0; i < ITEMS; i++) {
        assert_int_equal(held[i], 1);
        assert_int_equal(kept[i], FOLDS - 1);
    }
}

static void test_what_numpy_cannot_do_is_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_split split;
    assert_fails(sl_split_fold_numpy(10, 5, 0, (uint64_t)1 << 32, &split, &err), SL_ERR_USAGE, err,
                 "below 2^32, got 4294967296");
    assert_fails(sl_split_fold_numpy(10, 5, 5, 0, &split, &err), SL_ERR_USAGE, err,
                 "from 0 to 4, got 5");
    assert_fails(sl_split_fold_numpy(3, 4, 0, 0, &split, &err), SL_ERR_USAGE, err, "3 items");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_shuffles_are_numpys),
        cmocka_unit_test(test_a_long_shuffle_is_numpys),
        cmocka_unit_test(test_the_last_fold_is_the_published_one),
        cmocka_unit_test(test_folds_hold_every_item_out_once),
        cmocka_unit_test(test_what_numpy_cannot_do_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
