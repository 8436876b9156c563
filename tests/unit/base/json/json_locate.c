#include "base/json/internal.h"
#include "support.h"

/* A document, a path into it (keys end it with NULL; an index is a key "#n"), and the text
 * that must begin at the place found, or NULL if there is no such place. */
struct search {
    const char *text;
    const char *path[4];
    const char *expected;
    size_t line;
};

static const struct search searches[] = {
    {" \n 7", {NULL}, "7", 2},
    {"{\"a\": 1, \"b\": 2}", {"b"}, "2}", 1},
    {"{\"a\": {\"b\": 1}, \"b\":\n 2}", {"b"}, "2}", 2},
    {"{\"a\": {\"b\": 1}, \"b\": 2}", {"a", "b"}, "1}", 1},
    {"{\"a\": \"}\\\"]\", \"b\": [2]}", {"b", "#0"}, "2]", 1},
    {"[[1,\n2],\n[3, [4]],\n\"x,]\", true , null,-1.5e3]", {"#1", "#1", "#0"}, "4]", 3},
    {"[[1,\n2],\n[3, [4]],\n\"x,]\", true , null,-1.5e3]", {"#5"}, "-1.5e3]", 4},
    {"[[1,\n2],\n[3, [4]],\n\"x,]\", true , null,-1.5e3]", {"#4"}, "null,", 4},
    {"[{}, [], {\"k\":\n[]}]", {"#2", "k"}, "[]}", 2},
    {"{\"\": 5}", {""}, "5", 1},
    {"{\"caf\\u00e9\": 1}", {"caf\xC3\xA9"}, "1", 1},
    {"{\"caf\xC3\xA9\": 1}", {"caf\xC3\xA9"}, "1", 1},
    {"{\"\\ud83d\\ude00\": 1}", {"\xF0\x9F\x98\x80"}, "1", 1},
    {"{\"\\uD83D\\uDE00x\": 1, \"\\u20AC\": 2}", {"\xE2\x82\xAC"}, "2", 1},
    {"{\"a\\\"b\\\\\\/\\b\\f\\n\\r\\t\": 1}", {"a\"b\\/\b\f\n\r\t"}, "1", 1},
    {"{\"ab\": 1, \"a\": 2, \"abc\": 3}", {"a"}, "2", 1},
    {"{\"ab\": 1, \"a\": 2, \"abc\": 3}", {"abc"}, "3", 1},
    {"{\"a\":\n{}}", {"a", "b"}, NULL, 2},
    {"{\"a\":\n[1]}", {"a", "#1"}, NULL, 2},
    {"{\"a\":\n[]}", {"a", "#0"}, NULL, 2},
    {"{\"a\":\n1}", {"a", "b", "c"}, NULL, 2},
};

static void test_values_are_found_where_they_stand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        const struct search *search = &searches[i];
        size_t length = strlen(search->text), offset = 12345;
        /* An exact heap copy: the sanitizer sees a step behind the end. */
        char *text = malloc(length);
        memcpy(text, search->text, length);
        struct sl_json json = {.name = NULL, .text = text, .length = length, .first_line = 1};
        struct sl_json_cursor at[5] = {sl_json_root(&json)};
        size_t depth = 0;
        for (; depth < 4 && search->path[depth]; depth++) {
            const char *key = search->path[depth];
            at[depth + 1] = (struct sl_json_cursor){.document = &json, .parent = &at[depth]};
            if (key[0] == '#')
                at[depth + 1].index = (size_t)(key[1] - '0');
            else
                at[depth + 1].key = key;
        }
        bool found = sl_json_locate(&at[depth], &offset);
        assert_int_equal(found, search->expected != NULL);
        if (found && search->expected)
            assert_memory_equal(text + offset, search->expected, strlen(search->expected));
        else
            assert_int_equal(offset, 12345);
        assert_int_equal(sl_json_line(&at[depth]), search->line);
        free(text);
    }
}

static void test_text_that_breaks_off_is_not_read_beyond(void **state)
{
    (void)state;
    static const char whole[] =
        "{\"a\\u00e9\": [1, {\"\\ud83d\\ude00\": \"x\\\"\"}, true], \"b\": 2}";
    for (size_t length = 0; length < sizeof whole; length++) {
        char *text = malloc(length ? length : 1);
        memcpy(text, whole, length);
        struct sl_json json = {.text = text, .length = length, .first_line = 1};
        struct sl_json_cursor root = sl_json_root(&json);
        struct sl_json_cursor b = {.document = &json, .parent = &root, .key = "b"};
        size_t offset = 0;
        if (sl_json_locate(&b, &offset)) assert_true(offset <= length);
        free(text);
    }
}

static void test_scalars_end_before_punctuation(void **state)
{
    (void)state;
    char text[] = "[1.5e3,true]";
    struct sl_json json = {.text = text, .length = strlen(text), .first_line = 1};
    assert_int_equal(sl_json_scalar_length(&json, 1), 5);
    assert_int_equal(sl_json_scalar_length(&json, 7), 4);
    assert_int_equal(sl_json_scalar_length(&json, json.length), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_are_found_where_they_stand),
        cmocka_unit_test(test_text_that_breaks_off_is_not_read_beyond),
        cmocka_unit_test(test_scalars_end_before_punctuation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
