#include "plot/plot_internal.h"

#include "support.h"

static const char *brief(double value, int digits)
{
    static char text[SL_PLOT_NUMBER];
    sl_plot_number_brief(value, digits, text);
    return text;
}

static const char *fixed(double value, int decimals)
{
    static char text[SL_PLOT_NUMBER];
    sl_plot_number_fixed(value, decimals, text);
    return text;
}

static void test_brief_numbers_have_no_idle_zeros(void **state)
{
    (void)state;
    assert_string_equal(brief(0.1, 4), "0.1");
    assert_string_equal(brief(0.1 + 0.2, 4), "0.3");
    assert_string_equal(brief(1, 4), "1");
    assert_string_equal(brief(0, 4), "0");
    assert_string_equal(brief(0.44432, 4), "0.4443");
    assert_string_equal(brief(0.99999, 3), "1");
    assert_string_equal(brief(1234.56, 4), "1,235");
    assert_string_equal(brief(1234567, 3), "1,234,567");
    assert_string_equal(brief(100, 2), "100");
}

static void test_numbers_far_from_one_have_a_power_of_ten(void **state)
{
    (void)state;
    assert_string_equal(brief(2.5e7, 3), "2.5×10⁷");
    assert_string_equal(brief(1e10, 3), "10¹⁰");
    assert_string_equal(brief(9.9999e9, 3), "10¹⁰");
    assert_string_equal(brief(3e-9, 3), "3×10⁻⁹");
    assert_string_equal(brief(1.7976931348623157e308, 3), "1.8×10³⁰⁸");
    assert_string_equal(brief(2e-320, 2), "2×10⁻³²⁰");
    assert_string_equal(fixed(1e17, 2), "10¹⁷");
}

static void test_negative_numbers_have_a_true_minus_sign_and_zero_has_none(void **state)
{
    (void)state;
    assert_string_equal(brief(-0.25, 3), "−0.25");
    assert_string_equal(fixed(-12345.678, 1), "−12,345.7");
    assert_string_equal(fixed(-0.001, 2), "0.00");
    assert_string_equal(brief(-0.0, 3), "0");
    assert_string_equal(brief(-2e9, 3), "−2×10⁹");
}

static void test_fixed_numbers_keep_their_decimals(void **state)
{
    (void)state;
    assert_string_equal(fixed(0.5, 2), "0.50");
    assert_string_equal(fixed(1999.999, 2), "2,000.00");
    assert_string_equal(fixed(0.05, 2), "0.05");
    assert_string_equal(fixed((double)NAN, 2), "missing");
}

/* Coordinates: at most two decimals, no idle zeros, no minus before zero. */
static void test_put_writes_numbers_short_and_text_escaped(void **state)
{
    (void)state;
    struct sl_buffer out;
    sl_buffer_init(&out, 1000);
    sl_plot_put(&out, "%f %f %f %f %f|", 1.0, 0.5, -0.004, 12.345, -3.07);
    sl_plot_put(&out, "%s %zu 100%%|", "<a b='c'>&\"\x01", (size_t)7);
    sl_plot_put(&out, "%f %f", 1e300, -1e300);
    assert_string_equal(out.data, "1 0.5 0 12.35 -3.07|&lt;a b=&#39;c&#39;&gt;&amp;&quot; 7 100%|"
                                  "100000 -100000");
    sl_buffer_release(&out);
}

static void test_put_replaces_what_is_not_utf8_or_not_xml(void **state)
{
    (void)state;
    struct sl_buffer out;
    sl_buffer_init(&out, 1000);
    sl_plot_put(&out, "%s", "a\xff\xc3z\xef\xbf\xbe\xc3\xa9");
    assert_string_equal(out.data, "a\xef\xbf\xbd\xef\xbf\xbdz\xc3\xa9");
    sl_buffer_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brief_numbers_have_no_idle_zeros),
        cmocka_unit_test(test_numbers_far_from_one_have_a_power_of_ten),
        cmocka_unit_test(test_negative_numbers_have_a_true_minus_sign_and_zero_has_none),
        cmocka_unit_test(test_fixed_numbers_keep_their_decimals),
        cmocka_unit_test(test_put_writes_numbers_short_and_text_escaped),
        cmocka_unit_test(test_put_replaces_what_is_not_utf8_or_not_xml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
