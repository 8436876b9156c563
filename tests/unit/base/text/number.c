#include "support.h"

static void assert_double(double value, const char *expected)
{
    char text[SL_NUMBER_TEXT];
    assert_int_equal(sl_text_from_double(value, text), strlen(expected));
    assert_string_equal(text, expected);
}

static void assert_float(float value, const char *expected)
{
    char text[SL_NUMBER_TEXT];
    assert_int_equal(sl_text_from_float(value, text), strlen(expected));
    assert_string_equal(text, expected);
}

static void test_numbers_are_written_as_short_as_they_can_be(void **state)
{
    (void)state;
    assert_double(.1, "0.1");
    assert_double(31960, "31960");
    assert_double(1.0 / 3, "0.3333333333333333");
    assert_double(.1 + .2, "0.30000000000000004");
    assert_double(-0.0, "-0");
    assert_float(.7f, "0.7");
    assert_float(1.f / 3, "0.33333334");
    assert_float(16777217.f, "16777216");
    assert_float(1e9f, "1e+09");
}

static void test_what_is_not_finite_has_a_word(void **state)
{
    (void)state;
    assert_double((double)NAN, "nan");
    assert_double(HUGE_VAL, "inf");
    assert_float(-(float)HUGE_VAL, "-inf");
}

static void test_every_float_tried_comes_back(void **state)
{
    (void)state;
    uint32_t bits = 1;
    for (int i = 0; i < 20000; i++) {
        char text[SL_NUMBER_TEXT];
        float value = 0;
        double wide = 0;
        bits = bits * 1664525u + 1013904223u;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        sl_text_from_float(value, text);
        assert_true(strtof(text, NULL) == value);
        wide = (double)value / 3;
        sl_text_from_double(wide, text);
        assert_true(strtod(text, NULL) == wide);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_written_as_short_as_they_can_be),
        cmocka_unit_test(test_what_is_not_finite_has_a_word),
        cmocka_unit_test(test_every_float_tried_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
