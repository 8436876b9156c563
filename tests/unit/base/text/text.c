#include "support.h"

static bool reads_integer(const char *text, int64_t expected)
{
    int64_t value = 0;
    return sl_text_to_integer(text, strlen(text), &value) && value == expected;
}

static void test_integers_are_read_whole(void **state)
{
    (void)state;
    assert_true(reads_integer("0", 0));
    assert_true(reads_integer("-0", 0));
    assert_true(reads_integer("007", 7));
    assert_true(reads_integer("-12", -12));
    assert_true(reads_integer("9223372036854775807", INT64_MAX));
    assert_true(reads_integer("-9223372036854775808", INT64_MIN));
}

static void test_anything_else_is_not_an_integer(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "-",
        "+1",
        " 1",
        "1 ",
        "8p",
        "1.0",
        "1e3",
        "0x1",
        "--1",
        "1-",
        "1,000",
        "nan",
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551617",
        "1111111111111111111111111111111111111111111111111111111111111111", /* 64 digits */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int64_t value = 42;
        if (sl_text_to_integer(wrong[i], strlen(wrong[i]), &value))
            fail_msg("\"%s\" was read as %lld", wrong[i], (long long)value);
        assert_int_equal(value, 42);
    }
    int64_t value = 42;
    assert_false(sl_text_to_integer("1\0", 2, &value));
    assert_true(sl_text_to_integer("123", 2, &value)); /* only the bytes given */
    assert_int_equal(value, 12);
}

static void test_reals_are_read_in_the_decimal_forms_of_c(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0", 0},
        {"-1.5", -1.5},
        {"+1", 1},
        {".5", 0.5},
        {"5.", 5},
        {"1e3", 1000},
        {"1E-3", 0.001},
        {"2.5e+2", 250},
        {"1e-999", 0},
        {"0.1", 0.1},
        {"4.9e-324", 4.9e-324},
        {"1.7976931348623157e308", 1.7976931348623157e308},
        {"0.1000000000000000055511151231257827021181583404541015625000000000000", 0.1},
        {"1000000000000000000000000000000000000000000000000000000000000000", 1e63},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 42;
        if (!sl_text_to_real(cases[i].text, strlen(cases[i].text), &value))
            fail_msg("\"%s\" was not read", cases[i].text);
        assert_near(value, cases[i].value, 0);
    }
}

static void test_anything_else_is_not_a_real(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",      " 1",  "1 ",    "8p",   "1e999", "-1e999", "0x10",
                                        "0x1p3", "nan", "inf",   "-inf", "1,5",   ".",      "e5",
                                        "1e",    "+-1", "1.2.3", "-",    "1e5.0", "\t1",    "1f"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        double value = 42;
        if (sl_text_to_real(wrong[i], strlen(wrong[i]), &value))
            fail_msg("\"%s\" was read as %g", wrong[i], value);
        assert_near(value, 42, 0);
    }
    double value = 42;
    assert_false(sl_text_to_real("1\0", 2, &value));
    char endless[4000];
    memset(endless, '1', sizeof endless);
    assert_false(sl_text_to_real(endless, sizeof endless, &value));
}

static void test_valid_utf8_is_valid_to_its_end(void **state)
{
    (void)state;
    static const char *const valid[] = {
        "",
        "plain",
        "\xC2\x80",
        "\xDF\xBF",
        "\xE0\xA0\x80",
        "\xED\x9F\xBF",
        "\xEE\x80\x80",
        "\xEF\xBF\xBF",
        "\xF0\x90\x80\x80",
        "\xF4\x8F\xBF\xBF",
    };
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++)
        assert_int_equal(sl_utf8_valid(valid[i], strlen(valid[i])), strlen(valid[i]));
    assert_int_equal(sl_utf8_valid("a\0b", 3), 3);
}

static void test_invalid_utf8_of_every_kind_ends_the_prefix(void **state)
{
    (void)state;
    static const char *const invalid[] = {
        "\x80",             /* a continuation alone */
        "\xBF",             /* the last of them */
        "\xC0\x80",         /* overlong NUL */
        "\xC1\xBF",         /* overlong DEL */
        "\xC3",             /* cut after one of two */
        "\xC3\x28",         /* no continuation */
        "\xE0\x9F\xBF",     /* overlong in three */
        "\xE2\x82",         /* cut after two of three */
        "\xE2\x28\xA1",     /* second byte wrong */
        "\xE2\x82\x28",     /* third byte wrong */
        "\xED\xA0\x80",     /* the first surrogate */
        "\xED\xBF\xBF",     /* the last surrogate */
        "\xF0\x8F\xBF\xBF", /* overlong in four */
        "\xF0\x9F\x98",     /* cut after three of four */
        "\xF0\x9F\x98\x28", /* fourth byte wrong */
        "\xF0\x9F\xC0\x80", /* third byte wrong */
        "\xF4\x90\x80\x80", /* beyond U+10FFFF */
        "\xF5\x80\x80\x80", /* no such first byte */
        "\xF8\x88\x80\x80\x80",
        "\xFC\x84\x80\x80\x80\x80",
        "\xFE",
        "\xFF",
    };
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        char text[16];
        int length = snprintf(text, sizeof text, "ab%sz", invalid[i]);
        assert_int_equal(sl_utf8_valid(text, (size_t)length), 2);
        assert_int_equal(sl_utf8_valid(invalid[i], strlen(invalid[i])), 0);
    }
}

static void test_every_code_point_survives_encoding(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        char bytes[4];
        size_t length = sl_utf8_encode(code, bytes);
        if (code >= 0xD800 && code <= 0xDFFF) {
            assert_int_equal(length, 0);
            continue;
        }
        uint32_t decoded = 0;
        if (sl_utf8_valid(bytes, length) != length ||
            sl_utf8_decode(bytes, length, &decoded) != length || decoded != code)
            fail_msg("U+%04X came back as U+%04X", code, decoded);
    }
    char bytes[4];
    uint32_t code = 1;
    assert_int_equal(sl_utf8_encode(0x110000, bytes), 0);
    assert_int_equal(sl_utf8_encode(UINT32_MAX, bytes), 0);
    assert_int_equal(sl_utf8_decode("", 0, &code), 0);
}

static void test_a_text_that_shows_nothing_is_blank(void **state)
{
    (void)state;
    /* No-break space, ideographic space, zero width space, byte order mark, Arabic letter mark. */
    static const char *const blank[] = {
        "", " ", "\t\r\n", "\xc2\xa0", "\xe3\x80\x80 ", "\xe2\x80\x8b\xef\xbb\xbf", "\xd8\x9c"};
    static const char *const shown[] = {".", " a", "\xd9\x86\xd8\xb9\xd9\x85", "\xf0\x9f\x90\x88",
                                        "0"};
    for (size_t i = 0; i < sizeof blank / sizeof *blank; i++)
        assert_true(sl_text_is_blank(blank[i], strlen(blank[i])));
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        assert_false(sl_text_is_blank(shown[i], strlen(shown[i])));
}

static void test_the_nearest_word_is_suggested(void **state)
{
    (void)state;
    static const char *const words[] = {"train", "eval", "predict", "labels", "label", "run", NULL};
    assert_string_equal(sl_text_nearest("trian", words), "train");
    assert_string_equal(sl_text_nearest("evla", words), "eval");
    assert_string_equal(sl_text_nearest("predikt", words), "predict");
    assert_string_equal(sl_text_nearest("pre", words), "predict"); /* unfinished */
    assert_string_equal(sl_text_nearest("label", words),
                        "label"); /* not the first that it begins */
    assert_string_equal(sl_text_nearest("rn", words), "run");
}

static void test_far_words_are_not_suggested(void **state)
{
    (void)state;
    static const char *const words[] = {"train", "eval", "x", NULL};
    static const char *const none[] = {NULL};
    assert_null(sl_text_nearest("database", words));
    assert_null(sl_text_nearest("", words));
    assert_null(sl_text_nearest("q", words));
    assert_null(sl_text_nearest("train", none));
    char endless[300];
    memset(endless, 't', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_null(sl_text_nearest(endless, words));
}

static void test_a_sentence_ends_with_the_nearest_word_or_otherwise(void **state)
{
    (void)state;
    static const char *const words[] = {"train", "eval", NULL};
    char ending[SL_SUGGESTION_TEXT], longest[64];
    assert_string_equal(sl_text_suggestion("trian", words, "", ending),
                        ", did you mean \"train\"?");
    assert_string_equal(sl_text_suggestion("database", words, ", see --list", ending),
                        ", see --list");
    memset(longest, 'e', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    const char *const one[] = {longest, NULL};
    const char *end = sl_text_suggestion("eee", one, "", ending);
    assert_string_equal(end + strlen(end) - 2, "\"?"); /* nothing of it is cut off */
}

static void test_names_are_known_however_they_are_joined(void **state)
{
    (void)state;
    static const char list[] = "dawid-skene em  d";
    assert_true(sl_text_known_as("dawid-skene", list));
    assert_true(sl_text_known_as("Dawid_Skene", list));
    assert_true(sl_text_known_as("DAWIDSKENE", list));
    assert_true(sl_text_known_as("E-M", list));
    assert_true(sl_text_known_as("d", list));
    assert_false(sl_text_known_as("dawid", list));
    assert_false(sl_text_known_as("skene", list));
    assert_false(sl_text_known_as("emm", list));
    assert_false(sl_text_known_as("dawid-skene em", list));
    assert_false(sl_text_known_as("", list));
    assert_false(sl_text_known_as("", ""));
    assert_false(sl_text_known_as("em", NULL));
}

static void test_counts_have_thousands_separators(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal(sl_text_count(0, text, sizeof text), "0");
    assert_string_equal(sl_text_count(999, text, sizeof text), "999");
    assert_string_equal(sl_text_count(1000, text, sizeof text), "1,000");
    assert_string_equal(sl_text_count(1234567, text, sizeof text), "1,234,567");
    assert_string_equal(sl_text_count(UINT64_MAX, text, sizeof text), "18,446,744,073,709,551,615");
    char exact[4];
    assert_string_equal(sl_text_count(123, exact, sizeof exact), "123");
}

static void test_only_a_count_of_one_is_singular(void **state)
{
    (void)state;
    assert_string_equal(sl_text_plural(0, "item", "items"), "items");
    assert_string_equal(sl_text_plural(1, "item", "items"), "item");
    assert_string_equal(sl_text_plural(2, "item", "items"), "items");
    assert_string_equal(sl_text_plural(UINT64_MAX, "is", "are"), "are");
}

static void test_bytes_have_three_digits_and_a_unit(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal(sl_text_bytes(0, text, sizeof text), "0 B");
    assert_string_equal(sl_text_bytes(999, text, sizeof text), "999 B");
    assert_string_equal(sl_text_bytes(1000, text, sizeof text), "1.0 kB");
    assert_string_equal(sl_text_bytes(12345678, text, sizeof text), "12.3 MB");
    assert_string_equal(sl_text_bytes(138900000, text, sizeof text), "139 MB");
    assert_string_equal(sl_text_bytes(999499, text, sizeof text), "999 kB");
    assert_string_equal(sl_text_bytes(999500, text, sizeof text), "1.0 MB");
    assert_string_equal(sl_text_bytes(99960000, text, sizeof text), "100 MB");
    assert_string_equal(sl_text_bytes(2500000000000, text, sizeof text), "2.5 TB");
    assert_string_equal(sl_text_bytes(UINT64_MAX, text, sizeof text), "18446744 TB");
}

static void test_every_occurrence_is_replaced_and_nothing_twice(void **state)
{
    (void)state;
    static const struct {
        const char *text, *from, *to, *out;
    } rows[] = {
        {"{seed} and {seed}", "{seed}", "7", "7 and 7"},
        {"aaa", "a", "aa", "aaaaaa"},
        {"aaa", "aa", "a", "aa"},
        {"nothing", "x", "y", "nothing"},
        {"all", "all", "", ""},
        {"", "x", "y", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *out = sl_text_replace(rows[i].text, rows[i].from, rows[i].to);
        assert_string_equal(out, rows[i].out);
        free(out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_are_read_whole),
        cmocka_unit_test(test_anything_else_is_not_an_integer),
        cmocka_unit_test(test_reals_are_read_in_the_decimal_forms_of_c),
        cmocka_unit_test(test_anything_else_is_not_a_real),
        cmocka_unit_test(test_valid_utf8_is_valid_to_its_end),
        cmocka_unit_test(test_invalid_utf8_of_every_kind_ends_the_prefix),
        cmocka_unit_test(test_every_code_point_survives_encoding),
        cmocka_unit_test(test_a_text_that_shows_nothing_is_blank),
        cmocka_unit_test(test_the_nearest_word_is_suggested),
        cmocka_unit_test(test_far_words_are_not_suggested),
        cmocka_unit_test(test_a_sentence_ends_with_the_nearest_word_or_otherwise),
        cmocka_unit_test(test_names_are_known_however_they_are_joined),
        cmocka_unit_test(test_counts_have_thousands_separators),
        cmocka_unit_test(test_only_a_count_of_one_is_singular),
        cmocka_unit_test(test_bytes_have_three_digits_and_a_unit),
        cmocka_unit_test(test_every_occurrence_is_replaced_and_nothing_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
