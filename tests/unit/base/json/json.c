#include "support.h"

static struct sl_json parse(const char *text)
{
    struct sl_json json = {0};
    struct sl_error err;
    assert_ok(sl_json_parse(text, strlen(text), "study.json", 1, &json, &err), err);
    return json;
}

static void check_parse_fails(const char *text, size_t length, const char *part)
{
    struct sl_json json = {0};
    struct sl_error err;
    assert_fails(sl_json_parse(text, length, "study.json", 1, &json, &err), SL_ERR_INPUT, err,
                 part);
    assert_null(json.root);
    assert_null(strchr(err.message, '\n'));
}

static const char study[] = "{\n"
                            "  \"name\": \"pilot\",\n"
                            "  \"classes\": [\"cat\", \"dog\"],\n"
                            "  \"screens\": [\n"
                            "    {\"gamma\": 0.5},\n"
                            "    {\"gamma\": 1e0, \"n\": 7, \"on\": true, \"off\": null},\n"
                            "    {\n"
                            "      \"gamma\": 3\n"
                            "    }\n"
                            "  ]\n"
                            "}\n";

static void test_values_are_read_through_cursors(void **state)
{
    (void)state;
    struct sl_json json = parse(study);
    struct sl_json_cursor root = sl_json_root(&json), screens, screen, member;
    struct sl_error err;
    const char *text = NULL;
    size_t size = 0;
    double number = 0;
    int64_t integer = 0;
    bool flag = false;
    assert_ok(sl_json_member(&root, "name", &member, &err), err);
    assert_ok(sl_json_string(&member, &text, &err), err);
    assert_string_equal(text, "pilot");
    assert_ok(sl_json_member(&root, "screens", &screens, &err), err);
    assert_ok(sl_json_array_size(&screens, &size, &err), err);
    assert_int_equal(size, 3);
    screen = sl_json_element(&screens, 1);
    assert_ok(sl_json_member(&screen, "gamma", &member, &err), err);
    assert_ok(sl_json_number(&member, 0, 1, &number, &err), err);
    assert_near(number, 1, 0);
    assert_ok(sl_json_member(&screen, "n", &member, &err), err);
    assert_ok(sl_json_integer(&member, 7, 7, &integer, &err), err);
    assert_int_equal(integer, 7);
    assert_ok(sl_json_number(&member, 0, 10, &number, &err), err);
    assert_near(number, 7, 0);
    assert_ok(sl_json_member(&screen, "on", &member, &err), err);
    assert_ok(sl_json_boolean(&member, &flag, &err), err);
    assert_true(flag);
    sl_json_release(&json);
}

static void test_a_wrong_value_is_named_with_file_line_and_path(void **state)
{
    (void)state;
    struct sl_json json = parse(study);
    struct sl_json_cursor root = sl_json_root(&json), screens, screen, gamma;
    struct sl_error err;
    double number = 77;
    assert_ok(sl_json_member(&root, "screens", &screens, &err), err);
    screen = sl_json_element(&screens, 2);
    assert_ok(sl_json_member(&screen, "gamma", &gamma, &err), err);
    assert_int_equal(sl_json_number(&gamma, 0, 1, &number, &err), SL_ERR_INPUT);
    assert_string_equal(err.message,
                        "study.json:8: $.screens[2].gamma: expected a number from 0 to 1, got 3");
    assert_near(number, 77, 0);
    assert_int_equal(sl_json_number(&gamma, 0, 1, &number, NULL), SL_ERR_INPUT);
    assert_int_equal(sl_json_fail(&screen, &err, "too %s", "wide"), SL_ERR_INPUT);
    assert_string_equal(err.message, "study.json:7: $.screens[2]: too wide");
    assert_int_equal(sl_json_fail(&root, &err, "odd"), SL_ERR_INPUT);
    assert_string_equal(err.message, "study.json:1: $: odd");
    sl_json_release(&json);
}

static enum sl_status as_string(const struct sl_json_cursor *at, struct sl_error *err)
{
    const char *text = NULL;
    return sl_json_string(at, &text, err);
}

static enum sl_status as_integer(const struct sl_json_cursor *at, struct sl_error *err)
{
    int64_t integer = 0;
    return sl_json_integer(at, 0, 9, &integer, err);
}

static enum sl_status as_number(const struct sl_json_cursor *at, struct sl_error *err)
{
    double number = 0;
    return sl_json_number(at, 0, (double)INFINITY, &number, err);
}

static enum sl_status as_boolean(const struct sl_json_cursor *at, struct sl_error *err)
{
    bool flag = false;
    return sl_json_boolean(at, &flag, err);
}

static enum sl_status as_array(const struct sl_json_cursor *at, struct sl_error *err)
{
    size_t size = 0;
    return sl_json_array_size(at, &size, err);
}

static enum sl_status as_object(const struct sl_json_cursor *at, struct sl_error *err)
{
    struct sl_json_cursor member;
    return sl_json_member(at, "x", &member, err);
}

static void test_every_mismatch_says_what_was_expected_and_found(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum sl_status (*read)(const struct sl_json_cursor *at, struct sl_error *err);
        const char *message;
    } cases[] = {
        {"[]", as_string, "study.json:1: $: expected a string, got an array"},
        {"\n\n{}", as_string, "study.json:3: $: expected a string, got an object"},
        {" 3 ", as_string, "study.json:1: $: expected a string, got 3"},
        {"10", as_integer, "study.json:1: $: expected an integer from 0 to 9, got 10"},
        {"3.0", as_integer, "study.json:1: $: expected an integer from 0 to 9, got 3.0"},
        {"null", as_integer, "study.json:1: $: expected an integer from 0 to 9, got null"},
        {"\"a\\\"\\n\"", as_number,
         "study.json:1: $: expected a number of at least 0, got \"a\\\"\\x0a\""},
        {"-1e-3", as_number, "study.json:1: $: expected a number of at least 0, got -1e-3"},
        {"true", as_number, "study.json:1: $: expected a number of at least 0, got true"},
        {"0", as_boolean, "study.json:1: $: expected true or false, got 0"},
        {"false", as_array, "study.json:1: $: expected an array, got false"},
        {"[1]", as_object, "study.json:1: $: expected an object, got an array"},
        {"{\"y\":1}", as_object, "study.json:1: $: missing key \"x\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_json json = parse(cases[i].text);
        struct sl_json_cursor root = sl_json_root(&json);
        struct sl_error err;
        assert_int_equal(cases[i].read(&root, &err), SL_ERR_INPUT);
        assert_string_equal(err.message, cases[i].message);
        sl_json_release(&json);
    }
}

static void test_a_bound_that_is_not_a_number_admits_nothing(void **state)
{
    (void)state;
    struct sl_json json = parse("0.5");
    struct sl_json_cursor root = sl_json_root(&json);
    double number = 77;
    assert_int_equal(sl_json_number(&root, (double)NAN, 1, &number, NULL), SL_ERR_INPUT);
    assert_int_equal(sl_json_number(&root, 0, (double)NAN, &number, NULL), SL_ERR_INPUT);
    assert_near(number, 77, 0);
    sl_json_release(&json);
}

static void test_an_absent_and_a_null_member_are_alike_when_optional(void **state)
{
    (void)state;
    struct sl_json json = parse("{\"a\": null,\n\"b\": 1}");
    struct sl_json_cursor root = sl_json_root(&json), member = {.index = 7};
    struct sl_error err;
    const char *text = NULL;
    assert_ok(sl_json_optional(&root, "a", &member, &err), err);
    assert_null(member.value);
    assert_ok(sl_json_optional(&root, "c", &member, &err), err);
    assert_null(member.value);
    assert_int_equal(sl_json_string(&member, &text, &err), SL_ERR_INPUT);
    assert_string_equal(err.message, "study.json:1: $.c: expected a string, got nothing");
    assert_ok(sl_json_optional(&root, "b", &member, &err), err);
    assert_non_null(member.value);
    assert_fails(sl_json_optional(&member, "x", &member, &err), SL_ERR_INPUT, err,
                 "study.json:2: $.b: expected an object, got 1");
    /* A required member may be null; the reader then checks its type. */
    assert_ok(sl_json_member(&root, "a", &member, &err), err);
    assert_fails(as_string(&member, &err), SL_ERR_INPUT, err, "$.a: expected a string, got null");
    sl_json_release(&json);
}

static void test_unknown_keys_are_refused_with_a_suggestion(void **state)
{
    (void)state;
    static const char *const known[] = {"gamma", "clamp", NULL};
    struct sl_json json = parse("{\"gamma\": 1,\n \"clamp\": 2}");
    struct sl_json_cursor root = sl_json_root(&json);
    struct sl_error err;
    assert_ok(sl_json_only(&root, known, &err), err);
    sl_json_release(&json);
    json = parse("{\"gamma\": 1,\n \"gama\": 2}");
    root = sl_json_root(&json);
    assert_int_equal(sl_json_only(&root, known, &err), SL_ERR_INPUT);
    assert_string_equal(err.message,
                        "study.json:2: $: unknown key \"gama\", did you mean \"gamma\"?");
    sl_json_release(&json);
    json = parse("{\"wholly different\": 1}");
    root = sl_json_root(&json);
    assert_int_equal(sl_json_only(&root, known, &err), SL_ERR_INPUT);
    assert_string_equal(err.message, "study.json:1: $: unknown key \"wholly different\"");
    sl_json_release(&json);
    json = parse("[]");
    root = sl_json_root(&json);
    assert_fails(sl_json_only(&root, known, &err), SL_ERR_INPUT, err, "expected an object");
    sl_json_release(&json);
}

static void test_odd_keys_are_quoted_in_paths(void **state)
{
    (void)state;
    struct sl_json json = parse("{\"odd key\": {\"\": {\"a\\\"b\": {\"_x1\": {\"1x\": 0}}}}}");
    struct sl_json_cursor at[6] = {sl_json_root(&json)};
    static const char *const keys[] = {"odd key", "", "a\"b", "_x1", "1x"};
    struct sl_error err;
    for (size_t i = 0; i < 5; i++)
        assert_ok(sl_json_member(&at[i], keys[i], &at[i + 1], &err), err);
    sl_json_fail(&at[5], &err, "here");
    assert_string_equal(err.message,
                        "study.json:1: $[\"odd key\"][\"\"][\"a\\\"b\"]._x1[\"1x\"]: here");
    sl_json_release(&json);
}

static void test_a_long_path_keeps_its_end_and_the_message(void **state)
{
    (void)state;
    enum { DEPTH = 500 };
    char text[2 * DEPTH + 2];
    memset(text, '[', DEPTH);
    text[DEPTH] = '1';
    memset(text + DEPTH + 1, ']', DEPTH);
    text[2 * DEPTH + 1] = '\0';
    struct sl_json json = parse(text);
    struct sl_json_cursor at[DEPTH + 1] = {sl_json_root(&json)};
    for (size_t i = 0; i < DEPTH; i++)
        at[i + 1] = sl_json_element(&at[i], 0);
    struct sl_error err;
    assert_fails(as_string(&at[DEPTH], &err), SL_ERR_INPUT, err,
                 "[0][0]: expected a string, got 1");
    assert_memory_equal(err.message, "study.json:1: $...", 18);
    assert_true(strlen(err.message) < 300);
    sl_json_release(&json);
}

static void test_malformed_text_is_refused(void **state)
{
    (void)state;
    check_parse_fails("", 0, "study.json:1: ");
    check_parse_fails("{\"a\": 1,\n \"a\": 2}", 18, "study.json:2: duplicate object key");
    check_parse_fails("{\"a\": 1,\n\n \"b\": }", 18,
                      "study.json:3: unexpected token near '}', column 7");
    check_parse_fails("[1] 2", 5, "study.json:1: end of file expected");
    check_parse_fails("\"a\\u0000b\"", 10, "study.json:1: \\u0000");
    check_parse_fails("\"a\0b\"", 5, "study.json:1: ");
    check_parse_fails("\"a\nb\"", 5, "study.json:1: unexpected newline");
    check_parse_fails("\"\xFF\"", 3, "study.json:1: unable to decode byte 0xff");
    check_parse_fails("[1e999]", 7, "study.json:1: real number overflow");
    check_parse_fails("[9223372036854775808]", 21, "study.json:1: too big integer");
    check_parse_fails("[\"\\ud800\"]", 10, "study.json:1: ");
    check_parse_fails("[\x01]", 3, "study.json:1: invalid token near '?'");
}

static void test_nesting_beyond_the_limit_is_refused(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    char *text = malloc(DEPTH);
    memset(text, '[', DEPTH);
    check_parse_fails(text, DEPTH, "maximum parsing depth");
    free(text);
}

static void test_lines_within_a_jsonl_file_are_its_lines(void **state)
{
    (void)state;
    struct sl_json json = {0};
    struct sl_error err;
    assert_fails(sl_json_parse("{", 1, "a.jsonl", 41, &json, &err), SL_ERR_INPUT, err,
                 "a.jsonl:41: ");
    assert_ok(sl_json_parse("{\"a\":\n1}", 8, "a.jsonl", 41, &json, &err), err);
    struct sl_json_cursor root = sl_json_root(&json), member;
    assert_ok(sl_json_member(&root, "a", &member, &err), err);
    assert_fails(as_string(&member, &err), SL_ERR_INPUT, err, "a.jsonl:42: $.a: ");
    sl_json_release(&json);
}

static void test_a_document_owns_its_text_and_may_be_released_twice(void **state)
{
    (void)state;
    char text[] = "[\"a\"]";
    struct sl_json json = {0};
    struct sl_error err;
    assert_ok(sl_json_parse(text, strlen(text), "m", 1, &json, &err), err);
    memset(text, 'x', sizeof text - 1);
    struct sl_json_cursor root = sl_json_root(&json), element = sl_json_element(&root, 0);
    const char *value = NULL;
    assert_ok(sl_json_string(&element, &value, &err), err);
    assert_string_equal(value, "a");
    sl_json_release(&json);
    sl_json_release(&json);
}

static void test_files_are_read_up_to_a_size(void **state)
{
    (void)state;
    const char *path = test_path("study.json");
    struct sl_json json = {0};
    struct sl_error err;
    test_write(path, study, sizeof study - 1);
    assert_ok(sl_json_read(path, sizeof study - 1, &json, &err), err);
    assert_int_equal(json_object_size(json.root), 3);
    assert_string_equal(json.name, path);
    sl_json_release(&json);
    assert_fails(sl_json_read(path, 10, &json, &err), SL_ERR_INPUT, err, "longer than 10 bytes");
    assert_fails(sl_json_read(test_path("none"), 10, &json, &err), SL_ERR_NOT_FOUND, err, "none");
    test_write(path, "", 0);
    assert_fails(sl_json_read(path, 10, &json, &err), SL_ERR_INPUT, err, "study.json:1: ");
    test_write(path, "[1,\n2,,]\n", 9);
    assert_fails(sl_json_read(path, 10, &json, &err), SL_ERR_INPUT, err,
                 "study.json:2: unexpected");
    assert_null(json.root);
}

static void test_values_are_written_indented_in_insertion_order(void **state)
{
    (void)state;
    const char *path = test_path("out.json");
    struct sl_error err;
    struct sl_buffer text;
    sl_buffer_init(&text, 1000);
    json_t *value = json_pack("{s:i,s:[s,n],s:{}}", "z", 1, "a", "x\"y", "m");
    assert_ok(sl_json_write(value, path, &err), err);
    assert_ok(sl_file_read(path, &text, &err), err);
    assert_string_equal(text.data, "{\n  \"z\": 1,\n  \"a\": [\n    \"x\\\"y\",\n    null\n  ],\n"
                                   "  \"m\": {}\n}\n");
    assert_fails(sl_json_write(value, test_path("no/such/folder"), &err), SL_ERR_IO, err,
                 "no/such");
    json_decref(value);
    sl_buffer_release(&text);
}

static void test_a_value_jansson_refuses_leaves_the_old_file(void **state)
{
    (void)state;
    const char *path = test_path("kept.json");
    struct sl_error err;
    struct sl_buffer text;
    test_write(path, "old", 3);
    json_t *value = json_array();
    json_array_append_new(value, json_string_nocheck("\xFF"));
    assert_fails(sl_json_write(value, path, &err), SL_ERR_BACKEND, err, "kept.json");
    sl_buffer_init(&text, 1000);
    assert_ok(sl_file_read(path, &text, &err), err);
    assert_string_equal(text.data, "old");
    json_decref(value);
    sl_buffer_release(&text);
}

/* A path is cut once it is too long to show; around that length every byte counts. Bytes that are
 * escaped make it grow in one step, so that its buffer has no room to spare. */
static void test_a_path_of_any_length_fits(void **state)
{
    (void)state;
    for (size_t outer_length = 1; outer_length < 60; outer_length++) {
        for (size_t inner_length = 30; inner_length < 50; inner_length++) {
            char outer_key[64] = {0}, inner_key[64] = {0}, text[256];
            memset(outer_key, 'k', outer_length);
            memset(inner_key, '\x7f', inner_length);
            int size = snprintf(text, sizeof text, "{\"%s\": {\"%s\": 1}}", outer_key, inner_key);
            struct sl_json json;
            struct sl_error err;
            assert_ok(sl_json_parse(text, (size_t)size, "f", 1, &json, &err), err);
            struct sl_json_cursor root = sl_json_root(&json), outer, inner;
            assert_ok(sl_json_member(&root, outer_key, &outer, &err), err);
            assert_ok(sl_json_member(&outer, inner_key, &inner, &err), err);
            assert_int_equal(sl_json_fail(&inner, &err, "wrong"), SL_ERR_INPUT);
            assert_memory_equal(err.message, "f:1: $", 6);
            assert_non_null(strstr(err.message, "]: wrong"));
            sl_json_release(&json);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_path_of_any_length_fits),
        cmocka_unit_test(test_values_are_read_through_cursors),
        cmocka_unit_test(test_a_wrong_value_is_named_with_file_line_and_path),
        cmocka_unit_test(test_every_mismatch_says_what_was_expected_and_found),
        cmocka_unit_test(test_a_bound_that_is_not_a_number_admits_nothing),
        cmocka_unit_test(test_an_absent_and_a_null_member_are_alike_when_optional),
        cmocka_unit_test(test_unknown_keys_are_refused_with_a_suggestion),
        cmocka_unit_test(test_odd_keys_are_quoted_in_paths),
        cmocka_unit_test(test_a_long_path_keeps_its_end_and_the_message),
        cmocka_unit_test(test_malformed_text_is_refused),
        cmocka_unit_test(test_nesting_beyond_the_limit_is_refused),
        cmocka_unit_test(test_lines_within_a_jsonl_file_are_its_lines),
        cmocka_unit_test(test_a_document_owns_its_text_and_may_be_released_twice),
        cmocka_unit_test(test_files_are_read_up_to_a_size),
        cmocka_unit_test(test_values_are_written_indented_in_insertion_order),
        cmocka_unit_test(test_a_value_jansson_refuses_leaves_the_old_file),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
