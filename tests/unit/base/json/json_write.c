#include "support.h"

static void test_strings_are_escaped_as_jansson_reads_them(void **state)
{
    (void)state;
    static const char *const texts[] = {"",           "deer", "a\"b\\c/", "\x01\n\t\x1F\x7F",
                                        "\xC3\xA9\"", "\"",   "\\"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct sl_buffer out;
        struct sl_error err;
        sl_buffer_init(&out, 1000);
        assert_ok(sl_json_append_string(&out, texts[i], strlen(texts[i]), "a text", &err), err);
        json_t *value = json_loadb(out.data, out.length, JSON_DECODE_ANY, NULL);
        assert_non_null(value);
        assert_string_equal(json_string_value(value), texts[i]);
        json_decref(value);
        sl_buffer_release(&out);
    }
}

static void test_what_json_cannot_hold_is_refused(void **state)
{
    (void)state;
    struct sl_buffer out;
    struct sl_error err;
    sl_buffer_init(&out, 1000);
    assert_fails(sl_json_append_string(&out, "a\xFF", 2, "an item", &err), SL_ERR_INPUT, err,
                 "an item is not valid UTF-8 at byte 1");
    assert_fails(sl_json_append_string(&out, "a\0b", 3, "an item", &err), SL_ERR_INPUT, err,
                 "an item has a NUL byte");
    assert_int_equal(out.length, 0);
    sl_buffer_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings_are_escaped_as_jansson_reads_them),
        cmocka_unit_test(test_what_json_cannot_hold_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
