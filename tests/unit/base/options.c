/* Words of a command line to a struct and back. */
#include "softlab/base/options.h"

#include <math.h>

#include "support.h"

enum colour { RED, GREEN, BLUE };
struct kite {
    bool loud;
    int64_t seed;
    size_t tails, sides[2], string;
    struct sl_count_list spars;
    double height;
    enum colour colour;
    struct sl_real_list knots;
    struct sl_word_list names;
    const char *path, *shape;
    char maker[SL_FIELD_NAME_SIZE];
};
struct common {
    bool quiet;
};

static const char *const colours[] = {"red", "green", "blue", NULL};

static const char *shape_name(size_t index)
{
    static const char *const names[] = {"delta", "box", NULL};
    return names[index];
}

static const char *known_shape(const char *typed)
{
    return strcmp(typed, "cube") == 0 ? "box" : NULL;
}

#define AT(member) .offset = offsetof(struct kite, member)
static const struct sl_field_row kite_rows[] = {
    {"loud", SL_FIELD_BOOLEAN, AT(loud), .letter = 'l'},
    {"seed", SL_FIELD_INTEGER, AT(seed), .letter = 's', .fallback = "7", .minimum = 0,
     .maximum = 100},
    {"tails", SL_FIELD_COUNT, AT(tails), .minimum = 1, .maximum = 9},
    {"size", SL_FIELD_SIDES, AT(sides), .maximum = 64},
    {"spars", SL_FIELD_COUNTS, AT(spars), .fallback = "2-1", .minimum = 1, .maximum = 9, .most = 3},
    {"string", SL_FIELD_COUNT, AT(string), .minimum = 0, .maximum = 50, .size_max = "endless"},
    {"height", SL_FIELD_NUMBER, AT(height), .fallback = "nan", .minimum = -1, .maximum = 1},
    {"colour", SL_FIELD_ENUM, AT(colour), .fallback = "green", .choices = colours},
    {"knots", SL_FIELD_REALS, AT(knots), .minimum = 0, .maximum = 5},
    {"name", SL_FIELD_WORDS, AT(names)},
    {"path", SL_FIELD_PATH, AT(path)},
    {"shape", SL_FIELD_CHOICE, AT(shape), .names = shape_name, .known_as = known_shape},
    {"maker", SL_FIELD_NAME, AT(maker), .fallback = "us"},
    {.name = NULL},
};
static const struct sl_field_row common_rows[] = {
    {"quiet", SL_FIELD_BOOLEAN, .offset = offsetof(struct common, quiet), .letter = 'q'},
    {.name = NULL},
};

enum { MOST_WORDS = 40 };

/* The words of a line with single spaces between them; "_" is an empty word. */
static enum sl_status read_line(const char *line, struct kite *kite, struct common *common,
                                struct sl_option_words *out, struct sl_error *err)
{
    static char text[512];
    static char *words[MOST_WORDS];
    size_t count = 0;
    snprintf(text, sizeof text, "%s", line);
    for (char *at = text; *at;) {
        char *end = strchr(at, ' ');
        assert_true(count < MOST_WORDS);
        words[count++] = strncmp(at, "_", end ? (size_t)(end - at) : strlen(at)) == 0 ? at + 1 : at;
        if (!end) break;
        *end = '\0';
        at = end + 1;
    }
    const struct sl_option_table tables[] = {{kite_rows, kite}, {common_rows, common}};
    return sl_options_read(tables, 2, "fly", words, count, out, err);
}

static void test_every_kind_is_read_in_every_form(void **state)
{
    (void)state;
    struct kite kite = {0};
    struct common common = {0};
    struct sl_option_words words;
    struct sl_error err;
    assert_ok(read_line("a --loud -s9 --tails=3 -q --size 4x5 --spars 3-1-2 --string endless "
                        "--height -.5 b --colour blue "
                        "--knots 1,2.5 --name x --name y,z --path - --shape box --maker me -- -s",
                        &kite, &common, &words, &err),
              err);
    assert_true(kite.loud && common.quiet);
    assert_int_equal(kite.seed, 9);
    assert_int_equal(kite.tails, 3);
    assert_int_equal(kite.sides[0] * 100 + kite.sides[1], 405);
    assert_int_equal(kite.spars.count, 3);
    assert_int_equal(kite.spars.values[0] * 100 + kite.spars.values[2], 302);
    assert_true(kite.string == SIZE_MAX);
    assert_near(kite.height, -.5, 0);
    assert_int_equal(kite.colour, BLUE);
    assert_int_equal(kite.knots.count, 2);
    assert_near(kite.knots.values[1], 2.5, 0);
    assert_int_equal(kite.names.count, 2);
    assert_string_equal(kite.names.values[1], "y,z");
    assert_string_equal(kite.path, "-");
    assert_string_equal(kite.shape, "box");
    assert_string_equal(kite.maker, "me");
    assert_int_equal(words.n_arguments, 3);
    assert_string_equal(words.arguments[1], "b");
    assert_string_equal(words.arguments[2], "-s");
    assert_int_equal(words.given, (1 << 14) - 1); /* all of table 1, one of table 2 */
}

static void test_what_is_not_typed_has_its_default(void **state)
{
    (void)state;
    struct kite kite = {0};
    struct common common = {0};
    struct sl_option_words words;
    struct sl_error err;
    assert_ok(read_line("", &kite, &common, &words, &err), err);
    assert_int_equal(kite.seed, 7);
    assert_true(isnan(kite.height));
    assert_int_equal(kite.colour, GREEN);
    assert_int_equal(kite.spars.count, 2);
    assert_int_equal(kite.spars.values[0], 2);
    assert_string_equal(kite.maker, "us");
    assert_null(kite.path);
    assert_int_equal(words.given, 0);
}

static void test_mistakes_are_named_with_their_option(void **state)
{
    (void)state;
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"--sed 3", "unknown option --sed, did you mean --seed?"},
        {"--hydrogen 3", "unknown option --hydrogen, see softlab fly --help"},
        {"-x", "unknown option -x, see softlab fly --help"},
        {"--loud=yes", "--loud takes no value, got \"yes\""},
        {"--seed", "--seed needs a value: N"},
        {"--path", "--path needs a value: FILE"},
        {"--seed 8p", "--seed: expected an integer from 0 to 100, got \"8p\""},
        {"--seed 101", "--seed: expected an integer from 0 to 100, got \"101\""},
        {"--tails 0", "--tails: expected an integer from 1 to 9, got \"0\""},
        {"--tails -1", "--tails: expected an integer from 1 to 9, got \"-1\""},
        {"--height nan", "--height: expected a number from -1 to 1, got \"nan\""},
        {"--size 4x65", "--size: expected height and width like 32x48, got \"4x65\""},
        {"--spars 1-2-3-4", "--spars: expected at most 3 integers from 1 to 9 with hyphens between "
                            "them, like 3-4-6-3, got \"1-2-3-4\""},
        {"--spars 10", "--spars: expected at most 3 integers"},
        {"--spars 0", "--spars: expected at most 3 integers"},
        {"--spars 3-", "--spars: expected at most 3 integers"},
        {"--spars 3--4", "--spars: expected at most 3 integers"},
        {"--spars -3", "--spars: expected at most 3 integers"},
        {"--spars _", "--spars: expected at most 3 integers"},
        {"--spars 99999999999999999999", "--spars: expected at most 3 integers"},
        {"--string 51", "--string: expected an integer from 0 to 50 or endless, got \"51\""},
        {"--string end", "--string: expected an integer from 0 to 50 or endless, got \"end\""},
        {"--knots 1,9", "--knots: expected numbers from 0 to 5, at most 16, separated by commas"},
        {"--knots _", "--knots: the list is empty"},
        {"--name _", "--name: the name is empty"},
        {"--path _", "--path: the path is empty"},
        {"--colour gren", "--colour: no \"gren\", did you mean \"green\"?"},
        {"--colour mauve", "--colour: expected one of red, green, blue, got \"mauve\""},
        {"--shape Delta", "--shape: \"Delta\" is called delta here"},
        {"--shape cube", "--shape: \"cube\" is called box here"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kite kite = {0};
        struct common common = {0};
        struct sl_option_words words;
        struct sl_error err;
        assert_fails(read_line(cases[i].line, &kite, &common, &words, &err), SL_ERR_USAGE, err,
                     cases[i].message);
    }
}

static void test_what_was_read_is_written_and_read_again(void **state)
{
    (void)state;
    static const char line[] =
        "--loud --seed 9 --tails 3 --size 4x5 --spars 3-1-2 --string endless "
        "--height -0.5 --colour blue --knots 1,2.5 --name x --name y --path p --shape box --maker "
        "me";
    struct kite kite = {0};
    struct common common = {0};
    struct sl_option_words words;
    struct sl_error err;
    assert_ok(read_line(line, &kite, &common, &words, &err), err);
    json_t *written = sl_options_write(kite_rows, &kite);
    struct sl_buffer joined;
    sl_buffer_init(&joined, 1024);
    for (size_t i = 0; i < json_array_size(written); i++)
        sl_buffer_printf(&joined, "%s%s", i > 0 ? " " : "",
                         json_string_value(json_array_get(written, i)));
    assert_string_equal(joined.data, line);
    sl_buffer_release(&joined);
    json_decref(written);

    kite = (struct kite){0};
    assert_ok(read_line("--seed 7 --colour green --spars 02-1", &kite, &common, &words, &err), err);
    written = sl_options_write(kite_rows, &kite);
    assert_int_equal(json_array_size(written), 0); /* every value equals its default */
    json_decref(written);
}

/* The kinds that are typed are read from JSON by the same rules. */
static void test_typed_kinds_are_members_of_objects_too(void **state)
{
    (void)state;
    static const struct sl_fields fields = {kite_rows, sizeof(struct kite)};
    static const struct {
        const char *text, *message; /* NULL: it is fine */
    } cases[] = {
        {"{\"tails\":3,\"size\":\"4x5\",\"colour\":\"blue\",\"knots\":[1.0,2.5],\"maker\":\"me\"}",
         NULL},
        {"{\"spars\":\"3-1\",\"string\":\"endless\",\"knots\":[1.5]}", NULL},
        {"{\"string\":7,\"knots\":[1.5]}", NULL},
        {"{\"spars\":3}", "$.spars: expected at most 3 integers from 1 to 9"},
        {"{\"spars\":\"3,1\"}", "$.spars: expected at most 3 integers from 1 to 9"},
        {"{\"string\":\"7\"}", "$.string: expected an integer from 0 to 50 or endless, got \"7\""},
        {"{\"string\":51}", "$.string: expected an integer from 0 to 50"},
        {"{\"tails\":0}", "$.tails: expected an integer from 1 to 9, got 0"},
        {"{\"tails\":\"3\"}", "$.tails: expected an integer from 1 to 9, got \"3\""},
        {"{\"size\":\"4\"}", "$.size: expected height and width like 32x48, got \"4\""},
        {"{\"colour\":\"gren\"}", "$.colour: no \"gren\", did you mean \"green\"?"},
        {"{\"colour\":\"green\\n\"}", "no \"green\\x0a\", did you mean \"green\"?"},
        {"{\"knots\":[6]}", "$.knots[0]: expected a number from 0 to 5, got 6"},
        {"{\"path\":\"x\"}", "$.path: expected"}, /* no field could own the text */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_error err;
        struct sl_json json;
        struct kite kite;
        assert_ok(sl_json_parse(cases[i].text, strlen(cases[i].text), "kite", 1, &json, &err), err);
        const struct sl_json_cursor root = sl_json_root(&json);
        if (cases[i].message) {
            assert_fails(sl_fields_read(&root, &fields, &kite, &err), SL_ERR_INPUT, err,
                         cases[i].message);
        } else {
            assert_ok(sl_fields_read(&root, &fields, &kite, &err), err);
            json_t *again = sl_fields_write(&fields, &kite);
            assert_true(json_equal(again, json.root));
            json_decref(again);
            sl_fields_release(&fields, &kite);
        }
        sl_json_release(&json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_is_read_in_every_form),
        cmocka_unit_test(test_what_is_not_typed_has_its_default),
        cmocka_unit_test(test_mistakes_are_named_with_their_option),
        cmocka_unit_test(test_what_was_read_is_written_and_read_again),
        cmocka_unit_test(test_typed_kinds_are_members_of_objects_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
