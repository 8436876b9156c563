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

/* The definition: the fewest digits from 6 on that read back. */
static void assert_as_printf(float value)
{
    char text[SL_NUMBER_TEXT], expected[SL_NUMBER_TEXT];
    if (!isfinite(value)) return;
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(expected, sizeof expected, "%.*g", digits, (double)value);
        if (strtof(expected, NULL) == value) break;
    }
    assert_int_equal(sl_text_from_float(value, text), strlen(expected));
    assert_string_equal(text, expected);
}

static float of_bits(uint32_t bits)
{
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void test_floats_are_written_as_printf_writes_them(void **state)
{
    (void)state;
    uint32_t bits = 7;
    for (uint32_t exponent = 0; exponent < 255; exponent++)
        for (uint32_t i = 0; i < 40; i++) {
            bits = bits * 1664525u + 1013904223u;
            /* The neighbours of a power of two, and others. */
            const uint32_t fraction = i < 3 ? i : i < 6 ? 0x7FFFFF - i + 3 : bits >> 9;
            assert_as_printf(of_bits(exponent << 23 | fraction | (i & 1) << 31));
        }
    for (int power = -30; power < 12; power++) {
        char text[SL_NUMBER_TEXT];
        snprintf(text, sizeof text, "1e%d", power);
        const float value = strtof(text, NULL);
        memcpy(&bits, &value, sizeof bits);
        for (uint32_t i = 0; i < 9; i++)
            assert_as_printf(of_bits(bits - 4 + i));
    }
    for (int i = 0; i <= 10000; i++) {
        assert_as_printf((float)i / 10000);
        assert_as_printf((float)i / 16384);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_written_as_short_as_they_can_be),
        cmocka_unit_test(test_what_is_not_finite_has_a_word),
        cmocka_unit_test(test_every_float_tried_comes_back),
        cmocka_unit_test(test_floats_are_written_as_printf_writes_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
