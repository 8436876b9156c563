#include "base/json/scan.h"
#include "support.h"

/* A scan over a copy of the text with what a scan needs behind it. */
static struct sl_scan *start(const char *text, size_t length)
{
    static char *line;
    static struct sl_scan scan;
    sl_scan_release(&scan);
    free(line);
    line = NULL;
    if (!text) return NULL;
    line = sl_alloc(length + 1 + SL_SCAN_PADDING, 1);
    memcpy(line, text, length);
    line[length] = '\n';
    sl_scan_start(&scan, line, length);
    return &scan;
}

static int forget(void **state)
{
    (void)state;
    start(NULL, 0);
    return 0;
}

static void assert_text(const char *json, const char *expected)
{
    struct sl_scan *scan = start(json, strlen(json));
    struct sl_field text;
    assert_true(sl_scan_string(scan, &text) && sl_scan_finish(scan));
    assert_int_equal(text.length, strlen(expected));
    assert_memory_equal(text.text, expected, text.length);
}

static void test_strings_are_decoded(void **state)
{
    (void)state;
    assert_text("\"deer\"", "deer");
    assert_text("\"\"", "");
    assert_text("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t");
    assert_text("\"a\\u00e9\\u20AC\\ud83d\\ude00z\"", "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z");
    assert_text("\"caf\xC3\xA9 and more text than one block of it\"",
                "caf\xC3\xA9 and more text than one block of it");
    assert_text("\"before\\nafter, \xE2\x82\xAC again\\t\"", "before\nafter, \xE2\x82\xAC again\t");
    assert_text("\"\x7F\"", "\x7F");
}

static void test_two_decoded_strings_of_a_line_both_stay(void **state)
{
    (void)state;
    const char *text = "\"a\\nb\"\"c\\td\"";
    struct sl_scan *scan = start(text, strlen(text));
    struct sl_field first = {0}, second = {0};
    assert_true(sl_scan_string(scan, &first));
    assert_true(sl_scan_string(scan, &second));
    assert_memory_equal(first.text, "a\nb", 3);
    assert_memory_equal(second.text, "c\td", 3);
}

static void assert_refused(const char *json, size_t length, const char *problem, size_t column)
{
    struct sl_scan *scan = start(json, length);
    bool valid = sl_scan_walk(scan, NULL, 1) && sl_scan_finish(scan);
    if (valid) print_error("accepted: %s\n", json);
    assert_false(valid);
    if (!strstr(scan->problem, problem)) print_error("%s: %s\n", json, scan->problem);
    assert_non_null(strstr(scan->problem, problem));
    assert_int_equal(scan->at - scan->begin + 1, column);
}

static void test_what_is_not_json_is_refused_where_it_goes_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text, *problem;
        size_t column;
    } cases[] = {
        {"", "expected a value", 1},
        {"\"abc", "not closed", 5},
        {"\"a\tb\"", "control character", 3},
        {"\"\\x\"", "unknown escape", 3},
        {"\"\\u12g4\"", "four hexadecimal digits", 3},
        {"\"\\u0000\"", "\\u0000", 3},
        {"\"\\ud800\"", "other half", 3},
        {"\"\\ud800\\u0041\"", "other half", 3},
        {"\"\\udc00\"", "other half", 3},
        {"\"\xC3(\"", "UTF-8", 2},
        {"\"\xED\xA0\x80\"", "UTF-8", 2},
        {"\"\\n\xFF\"", "UTF-8", 4},
        {"01", "may not begin with 0", 3},
        {"-", "expected a number", 2},
        {"1.", "digit of a fraction", 3},
        {"1e", "digit of an exponent", 3},
        {".5", "expected a value", 1},
        {"+1", "expected a value", 1},
        {"NaN", "expected a value", 1},
        {"1e400", "range of a double", 6},
        {"9223372036854775808", "64 bits", 20},
        {"-9223372036854775809", "64 bits", 21},
        {"tru", "expected a value", 1},
        {"[1,]", "expected a value", 4},
        {"[1 2]", "expected ',' or ']'", 4},
        {"{\"a\"}", "expected ':'", 5},
        {"{\"a\":1,}", "expected a string", 8},
        {"{a:1}", "expected a string", 2},
        {"{\"a\":1 \"b\":2}", "expected ',' or '}'", 8},
        {"{\"a\":1,\"b\":2,\"a\":3}", "already has this key", 17},
        {"{\"a\":1,\"\\u0061\":3}", "already has this key", 16},
        {"{} {}", "after the end", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(cases[i].text, strlen(cases[i].text), cases[i].problem, cases[i].column);
    assert_refused("\"a\0b\"", 5, "control character", 3);
    assert_refused("1\0", 2, "after the end", 2);
}

static void assert_number(const char *text, double expected)
{
    struct sl_scan *scan = start(text, strlen(text));
    struct sl_scan_number number;
    assert_true(sl_scan_number(scan, &number) && sl_scan_finish(scan));
    assert_near(number.value, expected, 0);
    assert_int_equal(number.is_integer, !strpbrk(text, ".eE"));
}

static void test_numbers_are_the_nearest_doubles(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "7",
        "-31960",
        "999999999999999999",
        "0.7",
        "-0.26",
        "1e22",
        "1e23",
        "9007199254740993",
        "123456789012345678",
        "0.1e-6",
        "2.5E+3",
        "4.35",
        "9007199254740992.5",
        "1e-400",
        "5e-324",
        "1.7976931348623157e308",
        "0.000000000000000000000000001",
        "123456789012345.6789",
        "100000000000000000000000.0",
        "3.0e-23",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_number(texts[i], strtod(texts[i], NULL));
}

static void test_integers_keep_all_64_bits(void **state)
{
    (void)state;
    struct sl_scan_number number;
    struct sl_scan *scan = start("9223372036854775807", 19);
    assert_true(sl_scan_number(scan, &number));
    assert_int_equal(number.integer, INT64_MAX);
    scan = start("-9223372036854775808", 20);
    assert_true(sl_scan_number(scan, &number));
    assert_int_equal(number.integer, INT64_MIN);
}

/* jansson counts every value, so the innermost array may be the 2048th and hold nothing. */
static void test_nesting_ends_where_janssons_does(void **state)
{
    (void)state;
    for (size_t depth = SL_SCAN_DEPTH - 1; depth <= SL_SCAN_DEPTH + 1; depth++) {
        for (int inner = 0; inner < 2; inner++) {
            struct sl_buffer text;
            sl_buffer_init(&text, 10000);
            for (size_t i = 0; i < depth; i++)
                sl_buffer_byte(&text, '[');
            if (inner) sl_buffer_byte(&text, '1');
            for (size_t i = 0; i < depth; i++)
                sl_buffer_byte(&text, ']');
            json_t *tree = json_loadb(text.data, text.length, JSON_REJECT_DUPLICATES, NULL);
            struct sl_scan *scan = start(text.data, text.length);
            assert_int_equal(sl_scan_walk(scan, NULL, 1) && sl_scan_finish(scan), tree != NULL);
            json_decref(tree);
            sl_buffer_release(&text);
        }
    }
}

static void test_a_duplicate_among_many_keys_is_found(void **state)
{
    (void)state;
    for (int twice = 0; twice < 2; twice++) {
        struct sl_buffer text;
        sl_buffer_init(&text, 100000);
        sl_buffer_text(&text, "{\"x\":{\"k3\":1}");
        for (int i = 0; i < 1000; i++)
            sl_buffer_printf(&text, ",\"k%d\":%d", i, i);
        if (twice) sl_buffer_text(&text, ",\"k500\":0");
        sl_buffer_text(&text, "}");
        struct sl_scan *scan = start(text.data, text.length);
        assert_int_equal(sl_scan_walk(scan, NULL, 1) && sl_scan_finish(scan), !twice);
        sl_buffer_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings_are_decoded),
        cmocka_unit_test(test_two_decoded_strings_of_a_line_both_stay),
        cmocka_unit_test(test_what_is_not_json_is_refused_where_it_goes_wrong),
        cmocka_unit_test(test_numbers_are_the_nearest_doubles),
        cmocka_unit_test(test_integers_keep_all_64_bits),
        cmocka_unit_test(test_nesting_ends_where_janssons_does),
        cmocka_unit_test(test_a_duplicate_among_many_keys_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, forget);
}
