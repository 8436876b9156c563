#include <float.h>
#include <locale.h>

#include "csv_support.h"

static void append_text(struct sl_buffer *line, const char *text)
{
    sl_csv_append_field(line, text, strlen(text));
}

static void test_fields_are_quoted_only_where_they_must(void **state)
{
    (void)state;
    struct sl_buffer line;
    sl_buffer_init(&line, 1000);
    append_text(&line, "plain");
    append_text(&line, "with space; and 'these'");
    append_text(&line, "a,b");
    append_text(&line, "say \"hi\"");
    append_text(&line, "two\nlines");
    append_text(&line, "");
    append_text(&line, "\r");
    sl_csv_end_line(&line);
    assert_string_equal(line.data, "plain,with space; and 'these',\"a,b\",\"say \"\"hi\"\"\","
                                   "\"two\nlines\",,\"\r\"\n");
    sl_buffer_release(&line);
}

static void test_empty_first_fields_stay_visible(void **state)
{
    (void)state;
    struct sl_buffer line;
    sl_buffer_init(&line, 1000);
    append_text(&line, "");
    append_text(&line, "");
    sl_csv_end_line(&line);
    append_text(&line, "");
    sl_csv_end_line(&line);
    append_text(&line, "\n");
    append_text(&line, "x");
    sl_csv_end_line(&line);
    assert_string_equal(line.data, "\"\",\n\"\"\n\"\n\",x\n");
    sl_buffer_release(&line);
}

static void test_what_is_written_is_read_back(void **state)
{
    (void)state;
    static const char *const fields[] = {"\xEF\xBB\xBFx", "\"", "\"\"", ",", "\r\n", "", "x"};
    const size_t count = sizeof fields / sizeof *fields;
    struct sl_buffer text, found;
    sl_buffer_init(&text, 100000);
    sl_buffer_init(&found, 100000);
    struct sl_csv_options options = sl_csv_options_default();
    options.header = false;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            char expected[64];
            sl_buffer_clear(&text);
            append_text(&text, fields[i]);
            append_text(&text, fields[j]);
            sl_csv_end_line(&text);
            struct sl_csv_source source = memory_source(text.data, text.length);
            snprintf(expected, sizeof expected, "1[%s|%s]", fields[i], fields[j]);
            assert_string_equal(read_all(&source, &options, &found), expected);
        }
    }
    sl_buffer_release(&text);
    sl_buffer_release(&found);
}

static void check_real(double value, const char *expected)
{
    struct sl_buffer line;
    sl_buffer_init(&line, 1000);
    sl_csv_append_real(&line, value);
    assert_string_equal(line.data, expected);
    sl_buffer_release(&line);
}

static void test_reals_take_the_fewest_digits_that_read_back(void **state)
{
    (void)state;
    check_real(0, "0");
    check_real(-0.0, "-0");
    check_real(1, "1");
    check_real(0.1, "0.1");
    check_real(0.1 + 0.2, "0.30000000000000004");
    check_real(1.0 / 3, "0.3333333333333333");
    check_real(-2.5e-7, "-2.5e-07");
    check_real(1e21, "1e+21");
    check_real((double)0.1f, "0.10000000149011612");
    check_real((double)INFINITY, "inf");
    check_real(-(double)INFINITY, "-inf");
    check_real(-(double)NAN, "nan");
    check_real(DBL_MAX, "1.7976931348623157e+308");
    check_real(4.9406564584124654e-324, "4.94065645841247e-324");
}

static void test_random_reals_read_back_the_same(void **state)
{
    (void)state;
    struct sl_buffer line;
    sl_buffer_init(&line, 1000);
    uint64_t bits = 1;
    for (int i = 0; i < 20000; i++) {
        double value, back = 0;
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        sl_buffer_clear(&line);
        sl_csv_append_real(&line, value);
        assert_true(sl_text_to_real(line.data, line.length, &back));
        assert_memory_equal(&value, &back, sizeof value);
    }
    sl_buffer_release(&line);
}

static void test_reals_are_separated_like_other_fields(void **state)
{
    (void)state;
    struct sl_buffer line;
    sl_buffer_init(&line, 1000);
    append_text(&line, "item");
    sl_csv_append_real(&line, 0.5);
    sl_csv_append_real(&line, 0.25);
    sl_csv_end_line(&line);
    sl_csv_append_real(&line, 2);
    assert_string_equal(line.data, "item,0.5,0.25\n2");
    sl_buffer_release(&line);
}

static void test_a_decimal_comma_of_the_program_does_not_get_in(void **state)
{
    (void)state;
    locale_t german = newlocale(LC_ALL_MASK, "de_DE.UTF-8", (locale_t)0);
    if (!german) {
        print_message("skipped: needs the locale de_DE.UTF-8\n");
        skip();
    }
    locale_t before = uselocale(german);
    check_real(0.5, "0.5");
    check_real(0.1 + 0.2, "0.30000000000000004");
    uselocale(before);
    freelocale(german);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_are_quoted_only_where_they_must),
        cmocka_unit_test(test_empty_first_fields_stay_visible),
        cmocka_unit_test(test_what_is_written_is_read_back),
        cmocka_unit_test(test_reals_take_the_fewest_digits_that_read_back),
        cmocka_unit_test(test_random_reals_read_back_the_same),
        cmocka_unit_test(test_reals_are_separated_like_other_fields),
        cmocka_unit_test(test_a_decimal_comma_of_the_program_does_not_get_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
