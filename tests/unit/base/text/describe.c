#include "base/text/describe.h"
#include "support.h"

static void check_text(const char *text, size_t length, const char *expected)
{
    char out[SL_DESCRIBE_SIZE];
    assert_string_equal(sl_describe_text(text, length, out), expected);
}

static void test_text_is_quoted_and_made_one_printable_line(void **state)
{
    (void)state;
    check_text("abc", 3, "\"abc\"");
    check_text("", 0, "\"\"");
    check_text("a\nb\"c\\", 6, "\"a\\x0ab\\\"c\\\\\"");
    check_text("z\xC3\xBCrich \xF0\x9F\x98\x80", 12, "\"z\xC3\xBCrich \xF0\x9F\x98\x80\"");
    check_text("\xC2\x85\xFF\xC3", 4, "\"\\xc2\\x85\\xff\\xc3\"");
    check_text("\0\x7F", 2, "\"\\x00\\x7f\"");
}

static void test_long_text_is_cut_between_characters(void **state)
{
    (void)state;
    char text[64], expected[64];
    memset(text, 'a', sizeof text);
    snprintf(expected, sizeof expected, "\"%.40s\"...", text);
    check_text(text, sizeof text, expected);
    snprintf(expected, sizeof expected, "\"%.40s\"", text);
    check_text(text, 40, expected);
    memcpy(text + 39, "\xC3\xBC", 2);
    snprintf(expected, sizeof expected, "\"%.39s\"...", text);
    check_text(text, sizeof text, expected);
    memset(text, 1, sizeof text);
    char out[SL_DESCRIBE_SIZE];
    assert_int_equal(strlen(sl_describe_text(text, sizeof text, out)), 40 * 4 + 5);
}

static void test_bounds_that_exclude_nothing_are_not_named(void **state)
{
    (void)state;
    char out[SL_DESCRIBE_SIZE];
    const double infinity = (double)INFINITY;
    assert_string_equal(sl_describe_integers(0, 9, out), "an integer from 0 to 9");
    assert_string_equal(sl_describe_integers(1, INT64_MAX, out), "an integer of at least 1");
    assert_string_equal(sl_describe_integers(INT64_MIN, -1, out), "an integer of at most -1");
    assert_string_equal(sl_describe_integers(INT64_MIN, INT64_MAX, out), "an integer");
    assert_string_equal(sl_describe_reals(0, 1, out), "a number from 0 to 1");
    assert_string_equal(sl_describe_reals(0.5, infinity, out), "a number of at least 0.5");
    assert_string_equal(sl_describe_reals(-infinity, 2, out), "a number of at most 2");
    assert_string_equal(sl_describe_reals(-infinity, infinity, out), "a number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_is_quoted_and_made_one_printable_line),
        cmocka_unit_test(test_long_text_is_cut_between_characters),
        cmocka_unit_test(test_bounds_that_exclude_nothing_are_not_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
