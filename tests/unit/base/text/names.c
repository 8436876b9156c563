#include "support.h"

static uint32_t add(struct sl_name_table *names, const char *text)
{
    struct sl_error err;
    uint32_t number = 0;
    assert_ok(sl_name_table_add(names, text, strlen(text), &number, &err), err);
    return number;
}

static void test_names_are_numbered_as_they_first_appear(void **state)
{
    (void)state;
    struct sl_name_table *names = sl_name_table_create();
    assert_int_equal(sl_name_table_find(names, "cat", 3), SL_NO_NAME);
    assert_int_equal(add(names, "cat"), 0);
    assert_int_equal(add(names, "dog"), 1);
    assert_int_equal(add(names, "cat"), 0);
    assert_int_equal(add(names, ""), 2);
    assert_int_equal(add(names, ""), 2);
    assert_int_equal(sl_name_table_count(names), 3);
    size_t length = 9;
    assert_string_equal(sl_name_table_get(names, 1, &length), "dog");
    assert_int_equal(length, 3);
    assert_string_equal(sl_name_table_get(names, 2, &length), "");
    assert_int_equal(length, 0);
    assert_int_equal(sl_name_table_find(names, "dog", 3), 1);
    assert_int_equal(sl_name_table_find(names, "do", 2), SL_NO_NAME);
    sl_name_table_destroy(names);
    sl_name_table_destroy(NULL);
}

static void test_numbers_as_names_are_those_that_printf_writes(void **state)
{
    (void)state;
    enum { COUNT = 100012 };
    struct sl_name_table *names = NULL;
    struct sl_error err;
    assert_ok(sl_name_table_numbers(COUNT, &names, &err), err);
    assert_int_equal(sl_name_table_count(names), COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        char expected[20];
        size_t length = 0;
        snprintf(expected, sizeof expected, "%u", i);
        assert_string_equal(sl_name_table_get(names, i, &length), expected);
        assert_int_equal(length, strlen(expected));
        assert_int_equal(sl_name_table_find(names, expected, length), i);
    }
    assert_int_equal(sl_name_table_find(names, "100012", 6), SL_NO_NAME);
    assert_int_equal(add(names, "more"), COUNT);
    assert_int_equal(sl_name_table_pool(names).length, 588974 + 5);
    sl_name_table_destroy(names);
}

static void test_no_numbers_and_too_many_numbers(void **state)
{
    (void)state;
    struct sl_name_table *names = NULL;
    struct sl_error err;
    assert_ok(sl_name_table_numbers(0, &names, &err), err);
    assert_int_equal(sl_name_table_count(names), 0);
    assert_int_equal(add(names, "0"), 0);
    sl_name_table_destroy(names);
    names = NULL;
    assert_fails(sl_name_table_numbers(500000000, &names, &err), SL_ERR_INPUT, err,
                 "too many names: 500000000, or more than 4 GiB of text");
    assert_fails(sl_name_table_numbers(SL_NO_NAME, &names, &err), SL_ERR_INPUT, err, "too many");
    assert_null(names);
}

/* Names of every length from 0 to 80, and numbers: more than any table holds at its start. */
static void name_of(size_t i, char *out, size_t size)
{
    if (i < 80) {
        memset(out, 'x', i);
        out[i] = '\0';
    } else {
        snprintf(out, size, "item-%zu", i * 7919);
    }
}

static void test_many_names_are_found_again_with_and_without_the_index(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    struct sl_name_table *names = sl_name_table_create();
    char text[100];
    for (size_t i = 0; i < COUNT; i++) {
        name_of(i, text, sizeof text);
        assert_int_equal(add(names, text), i);
    }
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            name_of(i, text, sizeof text);
            assert_int_equal(sl_name_table_find(names, text, strlen(text)), i);
            assert_string_equal(sl_name_table_get(names, (uint32_t)i, NULL), text);
        }
        assert_int_equal(sl_name_table_find(names, "item-1", 6), SL_NO_NAME);
        sl_name_table_compact(names);
    }
    assert_int_equal(add(names, "item-1"), COUNT);
    assert_int_equal(add(names, "x"), 1);
    sl_name_table_destroy(names);
}

static void test_many_at_once_give_the_same_numbers_as_one_by_one(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static char texts[COUNT][16];
    static struct sl_field fields[COUNT];
    static uint32_t numbers[COUNT];
    struct sl_name_table *together = sl_name_table_create(), *single = sl_name_table_create();
    struct sl_error err;
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(texts[i], sizeof texts[i], "%zu", i * i % 331);
        fields[i] = (struct sl_field){texts[i], strlen(texts[i])};
    }
    assert_ok(sl_name_table_add_many(together, fields, COUNT, numbers, &err), err);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(numbers[i], add(single, texts[i]));
    assert_int_equal(sl_name_table_count(together), sl_name_table_count(single));
    sl_name_table_destroy(together);
    sl_name_table_destroy(single);
}

static void test_a_table_over_borrowed_memory_finds_and_refuses_to_grow(void **state)
{
    (void)state;
    struct sl_name_table *names = sl_name_table_create(), *view = NULL;
    struct sl_error err;
    add(names, "b");
    add(names, "");
    add(names, "ccc");
    struct sl_name_pool pool = sl_name_table_pool(names);
    assert_int_equal(pool.count, 3);
    assert_int_equal(pool.length, 7);
    assert_ok(sl_name_table_borrow(&pool, "names", &view, &err), err);
    assert_int_equal(sl_name_table_find(view, "ccc", 3), 2);
    assert_int_equal(sl_name_table_find(view, "", 0), 1);
    assert_int_equal(sl_name_table_find(view, "c", 1), SL_NO_NAME);
    assert_string_equal(sl_name_table_get(view, 0, NULL), "b");
    uint32_t number = 77;
    assert_fails(sl_name_table_add(view, "d", 1, &number, &err), SL_ERR_USAGE, err, "borrowed");
    assert_int_equal(number, 77);
    sl_name_table_compact(view);
    assert_int_equal(sl_name_table_find(view, "b", 1), 0);
    sl_name_table_destroy(view);
    sl_name_table_destroy(names);
}

static void test_borrowed_memory_that_lies_is_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t offsets[3];
        const char *text, *message;
    } cases[] = {
        {{0, 2, 4}, "a\0b\0", NULL},
        {{1, 2, 4}, "a\0b\0", "first name begins at byte 1"},
        {{0, 0, 4}, "a\0b\0", "name 0 ends at byte 0"},
        {{0, 2, 5}, "a\0b\0", "name 1 ends at byte 5"},
        {{0, 2, 3}, "a\0b\0", "name 1 must have one NUL byte"},
        {{0, 1, 4}, "\0\0b\0", "name 1 must have one NUL byte"},
        {{0, 1, 2}, "\0\0b\0", "names end at byte 2, expected 4"},
        {{0, 2, 4}, "a\0bb", "name 1 must have one NUL byte"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_name_pool pool = {cases[i].text, cases[i].offsets, 4, 2};
        struct sl_name_table *view = NULL;
        struct sl_error err;
        enum sl_status status = sl_name_table_borrow(&pool, "pool", &view, &err);
        if (cases[i].message)
            assert_fails(status, SL_ERR_INPUT, err, cases[i].message);
        else
            assert_ok(status, err);
        sl_name_table_destroy(view);
    }
}

static void assert_matching(const char *const *texts, size_t n_rows, enum sl_row_matching expected)
{
    struct sl_name_table *names = sl_name_table_create();
    struct sl_error err;
    for (; *texts; texts++) {
        uint32_t place;
        assert_int_equal(sl_name_table_add(names, *texts, strlen(*texts), &place, &err), SL_OK);
    }
    assert_int_equal(sl_name_table_match_rows(names, n_rows), expected);
    sl_name_table_destroy(names);
}

static void test_rows_go_by_number_or_order_or_are_unclear(void **state)
{
    (void)state;
    static const char *const counted[] = {"2", "0", "1", NULL}, *const some[] = {"7", "3", NULL},
                             *const from_one[] = {"1", "2", "3", NULL},
                             *const words[] = {"a", "0", NULL}, *const zeros[] = {"00", "1", NULL};
    assert_matching(counted, 3, SL_ROWS_BY_NUMBER);
    assert_matching(counted, 2, SL_ROWS_BY_NUMBER);
    assert_matching(counted, 9, SL_ROWS_BY_NUMBER);
    assert_matching(some, 8, SL_ROWS_BY_NUMBER);
    assert_matching(some, 7, SL_ROWS_UNCLEAR);
    assert_matching(some, 2, SL_ROWS_BY_ORDER);
    assert_matching(from_one, 3, SL_ROWS_BY_ORDER);
    assert_matching(from_one, 4, SL_ROWS_UNCLEAR);
    assert_matching(words, 2, SL_ROWS_BY_ORDER);
    assert_matching(words, 3, SL_ROWS_UNCLEAR);
    assert_matching(zeros, 2, SL_ROWS_BY_ORDER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_numbered_as_they_first_appear),
        cmocka_unit_test(test_numbers_as_names_are_those_that_printf_writes),
        cmocka_unit_test(test_no_numbers_and_too_many_numbers),
        cmocka_unit_test(test_many_names_are_found_again_with_and_without_the_index),
        cmocka_unit_test(test_many_at_once_give_the_same_numbers_as_one_by_one),
        cmocka_unit_test(test_a_table_over_borrowed_memory_finds_and_refuses_to_grow),
        cmocka_unit_test(test_borrowed_memory_that_lies_is_refused),
        cmocka_unit_test(test_rows_go_by_number_or_order_or_are_unclear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
