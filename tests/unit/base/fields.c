#include "softlab/base/fields.h"

#include <math.h>

#include "support.h"

struct leaf {
    char *name;
    int64_t weight;
};
struct tree {
    bool tall, bare;
    int64_t age;
    double height;
    char *kind, *note;
    struct sl_text_list notes;
    struct sl_double_list rings;
    struct sl_integer_list years;
    struct leaf *first;
    struct {
        struct leaf *items;
        size_t count;
    } leaves;
    struct {
        struct leaf *items;
        size_t count;
    } eggs;
    struct {
        char **names;
        struct leaf *items;
        size_t count;
    } birds;
    json_t *free;
    struct {
        double ph;
        bool wet;
    } soil;
    char *mark;
    char **tags;
    size_t n_tags;
    size_t depth, width;
    struct {
        char *name;
        double reach;
    } roots;
};

static const struct sl_field_row leaf_rows[] = {
    {"name", SL_FIELD_TEXT, .offset = offsetof(struct leaf, name), .flags = SL_FIELD_REQUIRED},
    {"weight", SL_FIELD_INTEGER, .offset = offsetof(struct leaf, weight), .minimum = 1,
     .maximum = 9, .fallback = "3"},
    {.name = NULL},
};
static const struct sl_field_row egg_rows[] = {
    {"", SL_FIELD_INTEGER, .offset = offsetof(struct leaf, weight)},
    {.name = NULL},
};
static const struct sl_fields egg_fields = {egg_rows, sizeof(struct leaf)};
static const struct sl_fields leaf_fields = {leaf_rows, sizeof(struct leaf)};
static const struct sl_field_row word_rows[] = {
    {"", SL_FIELD_TEXT, .offset = offsetof(struct leaf, name)},
    {.name = NULL},
};
static const struct sl_fields word_fields = {word_rows, sizeof(struct leaf)};

#define SOIL(member) .offset = offsetof(struct tree, soil.member) - offsetof(struct tree, soil)
static const struct sl_field_row soil_rows[] = {
    {"ph", SL_FIELD_NUMBER, SOIL(ph), .minimum = 0, .maximum = 14, .fallback = "nan"},
    {"wet", SL_FIELD_BOOLEAN, SOIL(wet), .fallback = "true"},
    {.name = NULL},
};
static const struct sl_fields soil_fields = {soil_rows, sizeof((struct tree *)NULL)->soil};

/* A section of members of the tree, with two sections in it: a struct, and members of the tree. */
#define ROOTS(member) .offset = offsetof(struct tree, roots.member) - offsetof(struct tree, roots)
static const struct sl_field_row roots_rows[] = {
    {"name", SL_FIELD_LINE, ROOTS(name), .fallback = "tap"},
    {"reach", SL_FIELD_NUMBER, ROOTS(reach), .flags = SL_FIELD_REQUIRED},
    {.name = NULL},
};
static const struct sl_fields roots_fields = {roots_rows, sizeof((struct tree *)NULL)->roots};
static const struct sl_field_row path_rows[] = {
    {"width", SL_FIELD_COUNT, .offset = offsetof(struct tree, width), .expected = "steps to walk"},
    {.name = NULL},
};
static const struct sl_fields path_fields = {path_rows, sizeof(struct tree)};
static const struct sl_field_row below_rows[] = {
    {"depth", SL_FIELD_COUNT, .offset = offsetof(struct tree, depth), .maximum = 9,
     .fallback = "4"},
    {"path", SL_FIELD_SECTION, .inner = &path_fields},
    {"roots", SL_FIELD_SECTION, .offset = offsetof(struct tree, roots), .inner = &roots_fields},
    {.name = NULL},
};
static const struct sl_fields below_fields = {below_rows, sizeof(struct tree)};

#define AT(member) .offset = offsetof(struct tree, member)
static const char *const kinds[] = {"oak", "elm", NULL};
static const struct sl_field_row tree_rows[] = {
    {"tall", SL_FIELD_BOOLEAN, AT(tall)},
    {"age", SL_FIELD_INTEGER, AT(age), .flags = SL_FIELD_OR_NULL, .minimum = 1,
     .maximum = INFINITY},
    {"height", SL_FIELD_NUMBER, AT(height), .minimum = 1, .maximum = 2, .expected = "one or two"},
    {"kind", SL_FIELD_TEXT, AT(kind), .choices = kinds},
    {"note", SL_FIELD_TEXT, AT(note)},
    {"note", SL_FIELD_TEXTS, AT(notes)},
    {"note", SL_FIELD_NULL, AT(bare)},
    {"rings", SL_FIELD_NUMBERS, AT(rings)},
    {"years", SL_FIELD_INTEGERS, AT(years), .minimum = 0, .maximum = 3000},
    {"first", SL_FIELD_OBJECT, AT(first), .inner = &leaf_fields},
    {"leaves", SL_FIELD_OBJECTS, AT(leaves), .inner = &leaf_fields, .maximum = 2},
    {"eggs", SL_FIELD_OBJECTS, AT(eggs), .inner = &egg_fields},
    {"birds", SL_FIELD_MAP, AT(birds), .inner = &word_fields},
    {"free", SL_FIELD_FREE, AT(free)},
    {"", SL_FIELD_GROUP, AT(soil), .inner = &soil_fields},
    {"mark", SL_FIELD_LINE, AT(mark), .minimum = 2, .maximum = 5, .fallback = "none"},
    {"tags", SL_FIELD_LINES, AT(tags), .minimum = 1, .maximum = 3, .fallback = "old"},
    {"below", SL_FIELD_SECTION, .inner = &below_fields},
    {.name = NULL},
};
static const struct sl_fields tree_fields = {tree_rows, sizeof(struct tree)};
_Static_assert(offsetof(struct tree, n_tags) - offsetof(struct tree, tags) ==
                   offsetof(struct sl_text_list, count),
               "tags and n_tags are a list of texts");

static enum sl_status read_text(const char *text, const struct sl_fields *fields, void *out,
                                struct sl_error *err)
{
    struct sl_json document;
    struct sl_error own = {0};
    assert_ok(sl_json_parse(text, strlen(text), "tree.json", 1, &document, &own), own);
    const struct sl_json_cursor root = sl_json_root(&document);
    const enum sl_status status = sl_fields_read(&root, fields, out, err);
    sl_json_release(&document);
    return status;
}

static enum sl_status read_tree(const char *text, struct tree *out, struct sl_error *err)
{
    return read_text(text, &tree_fields, out, err);
}

/* Fails unless the struct is written as `expected`. */
static void assert_written(const struct sl_fields *fields, const void *from, const char *expected)
{
    json_t *json = sl_fields_write(fields, from);
    char *text = json_dumps(json, JSON_COMPACT);
    assert_string_equal(text, expected);
    free(text);
    json_decref(json);
}

static const char whole[] =
    "{\"tall\":true,\"age\":7,\"height\":1.5,\"kind\":\"elm\",\"note\":[\"a\",\"b\"],"
    "\"rings\":[1,2.5],\"years\":[],\"first\":{\"name\":\"x\",\"weight\":4},"
    "\"leaves\":[{\"name\":\"y\"},{\"name\":\"z\",\"weight\":9}],"
    "\"eggs\":[0,2],\"birds\":{\"tit\":\"blue\",\"crow\":\"black\"},\"free\":{\"k\":[1]},\"ph\":7,"
    "\"wet\":false,\"mark\":\"mk-1\",\"tags\":[\"a\",\"b\"],"
    "\"below\":{\"depth\":0,\"roots\":{\"name\":\"far\",\"reach\":2}}}";

static void test_an_object_becomes_a_struct(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct tree tree;
    assert_ok(read_tree(whole, &tree, &err), err);
    assert_true(tree.tall);
    assert_int_equal(tree.age, 7);
    assert_near(tree.height, 1.5, 0);
    assert_string_equal(tree.kind, "elm");
    assert_null(tree.note);
    assert_int_equal(tree.notes.count, 2);
    assert_true(sl_text_list_has(&tree.notes, "b"));
    assert_near(tree.rings.items[1], 2.5, 0);
    assert_non_null(tree.years.items);
    assert_int_equal(tree.years.count, 0);
    assert_int_equal(tree.first->weight, 4);
    assert_int_equal(tree.leaves.items[0].weight, 3);
    assert_string_equal(tree.leaves.items[1].name, "z");
    assert_int_equal(sl_names_place(tree.birds.names, tree.birds.count, "crow"), 1);
    assert_string_equal(tree.birds.items[1].name, "black");
    assert_near(tree.soil.ph, 7, 0);
    assert_false(tree.soil.wet);
    assert_string_equal(tree.mark, "mk-1");
    assert_int_equal(tree.n_tags, 2);
    assert_string_equal(tree.tags[1], "b");
    assert_null(tree.tags[2]);
    assert_int_equal(tree.depth, 0);
    assert_string_equal(tree.roots.name, "far");
    assert_near(tree.roots.reach, 2, 0);
    sl_fields_release(&tree_fields, &tree);
}

static void test_what_is_not_there_has_its_fallback(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct tree tree;
    assert_ok(read_tree("{\"age\":null,\"note\":null}", &tree, &err), err);
    assert_int_equal(tree.age, 0);
    assert_true(tree.bare);
    assert_true(tree.soil.wet && isnan(tree.soil.ph));
    assert_null(tree.notes.items);
    assert_null(tree.first);
    assert_null(tree.birds.names);
    assert_string_equal(tree.mark, "none");
    assert_int_equal(tree.n_tags, 1);
    assert_string_equal(tree.tags[0], "old");
    assert_int_equal(tree.depth, 4);
    assert_string_equal(tree.roots.name, "tap");
    sl_fields_release(&tree_fields, &tree);
}

static void test_a_struct_is_written_as_it_was_read(void **state)
{
    (void)state;
    /* The last section has a member that must be given, so it is written even if nobody did. */
#define BARE ",\"below\":{\"roots\":{\"reach\":0}}}"
    static const char *const texts[] = {whole, "{\"note\":null" BARE,
                                        "{\"below\":{\"roots\":{\"reach\":0}}}",
                                        "{\"note\":\"one\"" BARE};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct sl_error err = {0};
        struct tree tree, copy;
        assert_ok(read_tree(texts[i], &tree, &err), err);
        sl_fields_copy(&tree_fields, &tree, &copy);
        sl_fields_release(&tree_fields, &tree);
        assert_written(&tree_fields, &copy, texts[i]);
        sl_fields_release(&tree_fields, &copy);
    }
}

static void test_mistakes_are_named_with_line_and_path(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"{\n\"tal\":true}", "tree.json:2: $: unknown key \"tal\", did you mean \"tall\"?"},
        {"{\"wett\":true}", "unknown key \"wett\", did you mean \"wet\"?"},
        {"{\"tall\":1}", "$.tall: expected true or false"},
        {"{\"age\":\"x\"}", "$.age: expected a number or null"},
        {"{\"age\":0}", "$.age: expected an integer of at least 1, got 0"},
        {"{\"age\":1.5}", "$.age: expected an integer of at least 1, got 1.5"},
        {"{\"height\":3}", "$.height: expected one or two"},
        {"{\"height\":\"3\"}", "$.height: expected one or two"},
        {"{\"kind\":\"ash\"}", "$.kind: \"ash\" is not one of: oak, elm"},
        {"{\"kind\":\"oak\\n\"}", "$.kind: \"oak\\x0a\" is not one of: oak, elm"},
        {"{\"below\":{\"path\":{\"width\":-1}}}",
         "$.below.path.width: expected steps to walk, got -1"},
        {"{\"note\":1}", "$.note: expected text, a list of texts or null"},
        {"{\"rings\":[1,\"2\"]}", "$.rings: expected a list of numbers"},
        {"{\"years\":[1,-2]}", "$.years[1]: expected an integer from 0 to 3000, got -2"},
        {"{\"first\":{\"weight\":2}}", "$.first: \"name\" is missing"},
        {"{\"leaves\":[{\"name\":\"a\"},{\"name\":\"b\",\"weight\":10}]}",
         "$.leaves[1].weight: expected an integer from 1 to 9, got 10"},
        {"{\"leaves\":[1]}", "$.leaves[0]: expected an object, got 1"},
        {"{\"birds\":{\"tit\":1}}", "$.birds.tit: expected text"},
        {"{\"free\":1}", "$.free: expected an object"},
        {"{\"ph\":15}", "$.ph: expected a number from 0 to 14, got 15"},
        {"{\"ph\":\"sour\"}", "$.ph: expected a number from 0 to 14, got \"sour\""},
        {"{\"kind\":1}", "$.kind: expected one of oak, elm, got 1"},
        {"{\"leaves\":{}}", "$.leaves: expected a list of at most 2 objects, got an object"},
        {"{\"leaves\":[{},{},{}]}", "$.leaves: expected a list of at most 2 objects, got 3"},
        {"{\"mark\":\"\"}", "$.mark: must not be empty"},
        {"{\"mark\":\"m\"}", "$.mark: is shorter than 2 bytes"},
        {"{\"mark\":\"m-1234\"}", "$.mark: is longer than 5 bytes"},
        {"{\"mark\":\"a\\tb\"}", "$.mark: contains a control character"},
        {"{\"mark\":\"a\\u007f\"}", "$.mark: contains a control character"},
        {"{\"mark\":1}", "$.mark: expected text of 2 to 5 bytes, got 1"},
        {"{\"tags\":\"a\"}", "$.tags: expected a list of 1 to 3 texts, got \"a\""},
        {"{\"tags\":[]}", "$.tags: expected a list of 1 to 3 texts, got 0"},
        {"{\"tags\":[1,2,3,4]}", "$.tags: expected a list of 1 to 3 texts, got 4"},
        {"{\"tags\":[\"a\",2]}", "$.tags[1]: expected text, got 2"},
        {"{\"tags\":[\"a\",\"\"]}", "$.tags[1]: must not be empty"},
        {"{\"tags\":[\"a\",\"b\",\"a\"]}", "$.tags[2]: \"a\" occurs twice"},
        {"{\"tags\":[\"a\\n\"]}", "$.tags[0]: contains a control character"},
        {"{\"below\":3}", "$.below: expected an object, got 3"},
        {"{\n\"below\":{\n\"dept\":1}}",
         "tree.json:3: $.below: unknown key \"dept\", did you mean \"depth\"?"},
        {"{\"below\":{\"depth\":10}}", "$.below.depth: expected an integer from 0 to 9, got 10"},
        {"{\"below\":{\"roots\":{\"name\":\"x\"}}}", "$.below.roots: \"reach\" is missing"},
        {"{\"depth\":1}", "$: unknown key \"depth\""}, /* it is a member of the section */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sl_error err = {0};
        struct tree tree;
        assert_fails(read_tree(rows[i].text, &tree, &err), SL_ERR_INPUT, err, rows[i].message);
        assert_null(tree.leaves.items); /* what was read before is released */
    }
}

static void test_rows_are_found_by_name(void **state)
{
    (void)state;
    char words[SL_FIELD_WORDS_SIZE];
    assert_ptr_equal(sl_fields_find(&tree_fields, "wet"), &soil_rows[1]);
    assert_null(sl_fields_find(&tree_fields, "dry"));
    assert_string_equal(sl_field_words(sl_fields_find(&tree_fields, "age"), words),
                        "a number or null");
    assert_null(sl_fields_find(&tree_fields, "depth"));
    assert_string_equal(sl_field_words(sl_fields_find(&tree_fields, "below"), words), "an object");
    assert_string_equal(sl_field_words(sl_fields_find(&tree_fields, "mark"), words), "text");
    assert_string_equal(sl_field_words(sl_fields_find(&tree_fields, "tags"), words),
                        "a list of texts");
}

/* ---- Settings, and what must be given ---- */

struct garden {
    char *softlab, *name;
    size_t gates;
    double area;
    bool open;
    char **beds;
    size_t n_beds;
    struct {
        struct leaf *items;
        size_t count;
    } herbs;
    char *owner;
};
#define SETTING(member) .offset = offsetof(struct garden, member), .flags = SL_FIELD_SETTING
#define NEEDED(member)  .offset = offsetof(struct garden, member), .flags = SL_FIELD_REQUIRED
static const struct sl_field_row gate_rows[] = {
    {"owner", SL_FIELD_LINE, SETTING(owner), .fallback = ""},
    {.name = NULL},
};
static const struct sl_fields gate_fields = {gate_rows, sizeof(struct garden)};
static const struct sl_field_row garden_rows[] = {
    {"softlab", SL_FIELD_TEXT, NEEDED(softlab), .fallback = "garden"},
    {"gates", SL_FIELD_COUNT, NEEDED(gates)},
    {"name", SL_FIELD_LINE, SETTING(name), .fallback = "eden"},
    {"area", SL_FIELD_NUMBER, SETTING(area), .fallback = "2"},
    {"open", SL_FIELD_BOOLEAN, SETTING(open), .fallback = "true"},
    {"beds", SL_FIELD_LINES, SETTING(beds), .maximum = 2},
    {"herbs", SL_FIELD_OBJECTS, SETTING(herbs), .inner = &leaf_fields},
    {"gate", SL_FIELD_SECTION, .flags = SL_FIELD_SETTING, .inner = &gate_fields},
    {.name = NULL},
};
static const struct sl_fields garden_fields = {garden_rows, sizeof(struct garden)};

static void test_settings_are_always_written_and_null_is_their_fallback(void **state)
{
    (void)state;
    static const char written[] =
        "{\"softlab\":\"garden\",\"gates\":0,\"name\":\"eden\",\"area\":2.0,\"open\":true,"
        "\"beds\":[],\"herbs\":[],\"gate\":{\"owner\":\"\"}}";
    static const char *const texts[] = {
        "{\"softlab\":\"garden\",\"gates\":0}",
        "{\"softlab\":\"garden\",\"gates\":0,\"name\":null,\"area\":null,\"open\":null,"
        "\"beds\":null,\"herbs\":null,\"gate\":null}",
        "{\"softlab\":\"garden\",\"gates\":0,\"beds\":[],\"gate\":{\"owner\":null}}",
        written,
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct sl_error err = {0};
        struct garden garden, copy;
        assert_ok(read_text(texts[i], &garden_fields, &garden, &err), err);
        sl_fields_copy(&garden_fields, &garden, &copy);
        sl_fields_release(&garden_fields, &garden);
        assert_written(&garden_fields, &copy, written);
        sl_fields_release(&garden_fields, &copy);
    }
}

static void test_what_must_be_given_cannot_be_null(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct garden garden;
    assert_fails(read_text("{\"gates\":0}", &garden_fields, &garden, &err), SL_ERR_INPUT, err,
                 "$: \"softlab\" is missing");
    assert_fails(
        read_text("{\"softlab\":\"garden\",\"gates\":null}", &garden_fields, &garden, &err),
        SL_ERR_INPUT, err, "$.gates: expected an integer, got null");
}

static void test_lines_are_typed_one_by_one(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct garden garden = {0};
    const struct sl_field_row *beds = sl_fields_find(&garden_fields, "beds");
    assert_ok(sl_field_set(beds, "roses", &garden, &err), err);
    assert_fails(sl_field_set(beds, "roses", &garden, &err), SL_ERR_USAGE, err, "occurs twice");
    assert_ok(sl_field_set(beds, "peas", &garden, &err), err);
    assert_fails(sl_field_set(beds, "thyme", &garden, &err), SL_ERR_USAGE, err,
                 "given more than 2 times");
    assert_int_equal(garden.n_beds, 2);
    sl_fields_release(&garden_fields, &garden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_object_becomes_a_struct),
        cmocka_unit_test(test_what_is_not_there_has_its_fallback),
        cmocka_unit_test(test_a_struct_is_written_as_it_was_read),
        cmocka_unit_test(test_mistakes_are_named_with_line_and_path),
        cmocka_unit_test(test_rows_are_found_by_name),
        cmocka_unit_test(test_settings_are_always_written_and_null_is_their_fallback),
        cmocka_unit_test(test_what_must_be_given_cannot_be_null),
        cmocka_unit_test(test_lines_are_typed_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
