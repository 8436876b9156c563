#include "support.h"

#include "softlab/dataset.h"

static void write_npy(const char *path, enum sl_dtype dtype, const void *values, size_t count)
{
    struct sl_error err;
    struct sl_array array;
    assert_ok(sl_array_create(dtype, 0, 1, &count, &array, &err), err);
    memcpy(array.data, values, count * array.item_size);
    assert_ok(sl_npy_write(&array, SL_ORDER_C, path, &err), err);
    sl_array_release(&array);
}

static void write_text(const char *path, const char *text)
{
    test_write(path, text, strlen(text));
}

static void test_indices_are_read_in_their_order_from_every_form(void **state)
{
    (void)state;
    static const int64_t wide[] = {7, 0, 3};
    static const int32_t narrow[] = {7, 0, 3};
    const char *paths[] = {test_path("wide.npy"), test_path("narrow.npy"), test_path("list.txt"),
                           test_path("windows.txt")};
    write_npy(paths[0], SL_I8, wide, 3);
    write_npy(paths[1], SL_I4, narrow, 3);
    write_text(paths[2], "7\n0\n3");
    write_text(paths[3], "7\r\n0\r\n3\r\n");
    for (size_t i = 0; i < 4; i++) {
        struct sl_error err;
        size_t *indices, count;
        assert_ok(sl_split_read(paths[i], 8, &indices, &count, &err), err);
        assert_int_equal(count, 3);
        assert_int_equal(indices[0], 7);
        assert_int_equal(indices[1], 0);
        assert_int_equal(indices[2], 3);
        free(indices);
    }
}

static void test_a_bad_index_is_named_with_its_row(void **state)
{
    (void)state;
    struct sl_error err;
    size_t *indices = NULL, count = 99;
    const char *path = test_path("bad.npy");
    write_npy(path, SL_I8, (const int64_t[]){4, 8, 1}, 3);
    assert_fails(sl_split_read(path, 8, &indices, &count, &err), SL_ERR_INPUT, err,
                 "row 1: expected an index of at least 0 and below 8, got 8");
    write_npy(path, SL_I8, (const int64_t[]){4, 2, -1}, 3);
    assert_fails(sl_split_read(path, 8, &indices, &count, &err), SL_ERR_INPUT, err, "row 2");
    write_npy(path, SL_I8, (const int64_t[]){4, 2, 5, 2}, 4);
    assert_fails(sl_split_read(path, 8, &indices, &count, &err), SL_ERR_INPUT, err,
                 "row 3: index 2 is already in row 1");
    write_text(path, "4\n2\n4\n");
    assert_fails(sl_split_read(path, 8, &indices, &count, &err), SL_ERR_INPUT, err,
                 "line 3: index 4 is already in line 1");
    assert_null(indices);
    assert_int_equal(count, 99);
}

static void test_a_file_that_is_no_list_is_refused(void **state)
{
    (void)state;
    struct sl_error err;
    size_t *indices, count;
    const char *path = test_path("bad.npy");
    write_npy(path, SL_F8, (const double[]){1, 2}, 2);
    assert_fails(sl_split_read(path, 8, &indices, &count, &err), SL_ERR_INPUT, err, "<f8");
    write_text(path, "4\ntwo\n");
    assert_fails(sl_split_read(path, 8, &indices, &count, &err), SL_ERR_INPUT, err,
                 "line 2: expected one index, got \"two\"");
    write_text(path, "4\n\n5\n");
    assert_fails(sl_split_read(path, 8, &indices, &count, &err), SL_ERR_INPUT, err, "line 2");
    write_text(path, "");
    assert_fails(sl_split_read(path, 8, &indices, &count, &err), SL_ERR_INPUT, err, "empty");
    assert_fails(sl_split_read(test_path("none"), 8, &indices, &count, &err), SL_ERR_NOT_FOUND, err,
                 "none");
}

/* 100 items: 50 of class 0, 30 of class 1, 20 without a label. */
static void fill_labels(int32_t *labels)
{
    for (size_t i = 0; i < 100; i++)
        labels[i] = i % 10 < 5 ? 0 : i % 10 < 8 ? 1 : SL_NO_LABEL;
}

static void check_partition(const size_t *first, size_t n_first, const size_t *rest, size_t n_rest)
{
    bool *seen = calloc(n_first + n_rest, sizeof *seen);
    for (size_t i = 0; i < n_first + n_rest; i++) {
        size_t index = i < n_first ? first[i] : rest[i - n_first];
        assert_in_range(index, 0, n_first + n_rest - 1);
        assert_false(seen[index]);
        seen[index] = true;
    }
    free(seen);
}

static void test_a_balanced_draw_keeps_the_shares(void **state)
{
    (void)state;
    /* Of 33: 16.5, 9.9 and 6.6, so 16, 10 and 7 by the largest remainders. */
    static const struct {
        size_t n_first, counts[3];
    } cases[] = {{0, {0, 0, 0}}, {10, {2, 5, 3}}, {33, {7, 16, 10}}, {100, {20, 50, 30}}};
    int32_t labels[100];
    fill_labels(labels);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct sl_error err;
        struct sl_split split;
        size_t counts[3] = {0};
        const size_t n_first = cases[c].n_first;
        assert_ok(sl_split_balanced(labels, 100, n_first, 4, &split, &err), err);
        assert_int_equal(split.n_first, n_first);
        assert_int_equal(split.n_rest, 100 - n_first);
        check_partition(split.first, n_first, split.rest, 100 - n_first);
        for (size_t i = 0; i < n_first; i++) {
            counts[labels[split.first[i]] + 1]++;
            assert_true(i == 0 || split.first[i - 1] < split.first[i]);
        }
        for (size_t i = 1; i < 100 - n_first; i++)
            assert_true(split.rest[i - 1] < split.rest[i]);
        assert_memory_equal(counts, cases[c].counts, sizeof counts);
        sl_split_release(&split);
    }
}

static void test_equal_remainders_favour_no_class(void **state)
{
    (void)state;
    static const int32_t labels[] = {0, 0, 1, 1, 2, 2, 3, 3};
    int drawn[4] = {0};
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct sl_error err;
        struct sl_split split;
        assert_ok(sl_split_balanced(labels, 8, 1, seed, &split, &err), err);
        drawn[labels[split.first[0]]]++;
        sl_split_release(&split);
    }
    for (size_t k = 0; k < 4; k++) /* 100 expected, standard deviation 8.7 */
        assert_in_range(drawn[k], 60, 140);
}

static void test_a_seed_decides_the_draw(void **state)
{
    (void)state;
    struct sl_error err;
    int32_t labels[100];
    struct sl_split splits[3];
    static const uint64_t seeds[] = {1, 1, 2};
    fill_labels(labels);
    for (size_t i = 0; i < 3; i++)
        assert_ok(sl_split_balanced(labels, 100, 50, seeds[i], &splits[i], &err), err);
    assert_memory_equal(splits[0].first, splits[1].first, 50 * sizeof(size_t));
    assert_memory_not_equal(splits[0].first, splits[2].first, 50 * sizeof(size_t));
    for (size_t i = 0; i < 3; i++)
        sl_split_release(&splits[i]);
}

static void test_more_than_there_is_cannot_be_drawn(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_split split;
    const int32_t labels[] = {0, 1};
    assert_fails(sl_split_balanced(labels, 2, 3, 1, &split, &err), SL_ERR_USAGE, err,
                 "3 items from 2");
}

static void test_folds_hold_every_item_out_once(void **state)
{
    (void)state;
    enum { ITEMS = 23, FOLDS = 5 };
    static const size_t sizes[FOLDS] = {4, 5, 4, 5, 5}; /* [0 4 9 13 18 23) */
    int held[ITEMS] = {0};
    for (size_t fold = 0; fold < FOLDS; fold++) {
        struct sl_error err;
        struct sl_split split;
        assert_ok(sl_split_fold_numpy(ITEMS, FOLDS, fold, 6, &split, &err), err);
        assert_int_equal(split.n_first, sizes[fold]);
        assert_int_equal(split.n_first + split.n_rest, ITEMS);
        check_partition(split.first, split.n_first, split.rest, split.n_rest);
        for (size_t i = 0; i < split.n_first; i++)
            held[split.first[i]]++;
        sl_split_release(&split);
    }
    for (size_t i = 0; i < ITEMS; i++)
        assert_int_equal(held[i], 1);
}

static void test_folds_that_do_not_exist_are_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_split split;
    assert_fails(sl_split_fold_numpy(10, 5, 5, 1, &split, &err), SL_ERR_USAGE, err,
                 "from 0 to 4, got 5");
    assert_fails(sl_split_fold_numpy(10, 1, 0, 1, &split, &err), SL_ERR_USAGE, err, "1 fold");
    assert_fails(sl_split_fold_numpy(3, 4, 0, 1, &split, &err), SL_ERR_USAGE, err, "3 items");
}

static void test_the_published_split_covers_cifar10_test(void **state)
{
    (void)state;
    struct sl_error err;
    size_t *train, *test, n_train, n_test;
    const char *path = test_data("cifar10s/train_indices.npy");
    if (!path) skip();
    assert_ok(sl_split_read(path, 10000, &train, &n_train, &err), err);
    assert_ok(sl_split_read(test_data("cifar10s/test_indices.npy"), 10000, &test, &n_test, &err),
              err);
    assert_int_equal(n_train, 7000);
    assert_int_equal(n_test, 3000);
    check_partition(train, n_train, test, n_test);
    free(train);
    free(test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_indices_are_read_in_their_order_from_every_form),
        cmocka_unit_test(test_a_bad_index_is_named_with_its_row),
        cmocka_unit_test(test_a_file_that_is_no_list_is_refused),
        cmocka_unit_test(test_a_balanced_draw_keeps_the_shares),
        cmocka_unit_test(test_equal_remainders_favour_no_class),
        cmocka_unit_test(test_a_seed_decides_the_draw),
        cmocka_unit_test(test_more_than_there_is_cannot_be_drawn),
        cmocka_unit_test(test_folds_hold_every_item_out_once),
        cmocka_unit_test(test_folds_that_do_not_exist_are_refused),
        cmocka_unit_test(test_the_published_split_covers_cifar10_test),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
