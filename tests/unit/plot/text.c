#include "plot/plot_internal.h"

#include "support.h"

static void test_widths_grow_with_text_and_size(void **state)
{
    (void)state;
    assert_near(sl_plot_text_width("", 12), 0, 0);
    assert_near(sl_plot_text_width("0000", 10), 25.6, 1e-9);
    assert_true(sl_plot_text_width("iii", 12) < sl_plot_text_width("mmm", 12));
    assert_near(sl_plot_text_width("abc", 24), 2 * sl_plot_text_width("abc", 12), 1e-9);
    /* A letter with a combining accent is as wide as the letter; three bytes are one character. */
    assert_near(sl_plot_text_width("e\xcc\x81", 12), sl_plot_text_width("e", 12), 1e-9);
    assert_true(sl_plot_text_width("\xe6\xbc\xa2", 10) < 11);
    assert_true(sl_plot_text_width("\xff\xfe", 10) > 0);
}

static void test_text_that_fits_is_whole_and_the_rest_is_cut_with_an_ellipsis(void **state)
{
    (void)state;
    char out[SL_PLOT_LINE], long_text[600];
    assert_true(sl_plot_text_fit("airplane", 12, 100, out));
    assert_string_equal(out, "airplane");
    for (double width = 10; width < 130; width += 1) {
        bool whole = sl_plot_text_fit("caf\xc3\xa9 au lait, \xc3\xa9t\xc3\xa9", 12, width, out);
        assert_true(sl_plot_text_width(out, 12) <= width + 4);
        assert_int_equal(sl_utf8_valid(out, strlen(out)), strlen(out));
        assert_true(whole == (strstr(out, "\xe2\x80\xa6") == NULL));
    }
    memset(long_text, 'i', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    assert_false(sl_plot_text_fit(long_text, 1, 1e6, out));
    assert_true(strlen(out) < SL_PLOT_LINE);
}

static void test_wrapping_breaks_at_spaces_and_loses_nothing(void **state)
{
    (void)state;
    struct sl_plot_lines lines;
    const char *text = "Soft labels lower cross-entropy for every network";
    sl_plot_text_wrap(text, 12, 140, 4, &lines);
    assert_in_range(lines.count, 2, 4);
    char joined[256] = "";
    for (size_t i = 0; i < lines.count; i++) {
        size_t length = strlen(joined);
        assert_true(sl_plot_text_width(lines.text[i], 12) <= 140);
        snprintf(joined + length, sizeof joined - length, "%s%s", i ? " " : "", lines.text[i]);
    }
    assert_string_equal(joined, text);
}

static void test_wrapping_cuts_what_is_too_long_and_splits_endless_words(void **state)
{
    (void)state;
    struct sl_plot_lines lines;
    char word[400];
    memset(word, 'm', sizeof word);
    word[sizeof word - 1] = '\0';
    sl_plot_text_wrap(word, 12, 100, 3, &lines);
    assert_int_equal(lines.count, 3);
    assert_non_null(strstr(lines.text[2], "\xe2\x80\xa6"));
    for (size_t i = 0; i < 3; i++)
        assert_true(sl_plot_text_width(lines.text[i], 12) <= 100);
    sl_plot_text_wrap("\xe6\xbc\xa2\xe5\xad\x97", 12, 5, 4, &lines); /* wider than the line */
    for (size_t i = 0; i < lines.count; i++)
        assert_int_equal(sl_utf8_valid(lines.text[i], strlen(lines.text[i])),
                         strlen(lines.text[i]));
    sl_plot_text_wrap("", 12, 100, 4, &lines);
    assert_int_equal(lines.count, 0);
}

static void test_units_stand_behind_labels_but_per_cent_does_not(void **state)
{
    (void)state;
    char out[SL_PLOT_LINE];
    sl_plot_axis_title(&(struct sl_plot_axis){.label = "Time", .unit = "s"}, out);
    assert_string_equal(out, "Time (s)");
    sl_plot_axis_title(&(struct sl_plot_axis){.label = "Share", .unit = "%"}, out);
    assert_string_equal(out, "Share");
    sl_plot_axis_title(&(struct sl_plot_axis){.unit = "s"}, out);
    assert_string_equal(out, "s");
    sl_plot_axis_title(&(struct sl_plot_axis){0}, out);
    assert_string_equal(out, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widths_grow_with_text_and_size),
        cmocka_unit_test(test_text_that_fits_is_whole_and_the_rest_is_cut_with_an_ellipsis),
        cmocka_unit_test(test_wrapping_breaks_at_spaces_and_loses_nothing),
        cmocka_unit_test(test_wrapping_cuts_what_is_too_long_and_splits_endless_words),
        cmocka_unit_test(test_units_stand_behind_labels_but_per_cent_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
