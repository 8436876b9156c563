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
    {"leaves", SL_FIELD_OBJECTS, AT(leaves), .inner = &leaf_fields},
    {"eggs", SL_FIELD_OBJECTS, AT(eggs), .inner = &egg_fields},
    {"birds", SL_FIELD_MAP, AT(birds), .inner = &word_fields},
    {"free", SL_FIELD_FREE, AT(free)},
    {"", SL_FIELD_GROUP, AT(soil), .inner = &soil_fields},
    {.name = NULL},
};
static const struct sl_fields tree_fields = {tree_rows, sizeof(struct tree)};

static enum sl_status read_tree(const char *text, struct tree *out, struct sl_error *err)
{
    struct sl_json document;
    struct sl_error own = {0};
    assert_ok(sl_json_parse(text, strlen(text), "tree.json", 1, &document, &own), own);
    const struct sl_json_cursor root = sl_json_root(&document);
    const enum sl_status status = sl_fields_read(&root, &tree_fields, out, err);
    sl_json_release(&document);
    return status;
}

static const char whole[] =
    "{\"tall\":true,\"age\":7,\"height\":1.5,\"kind\":\"elm\",\"note\":[\"a\",\"b\"],"
    "\"rings\":[1,2.5],\"years\":[],\"first\":{\"name\":\"x\",\"weight\":4},"
    "\"leaves\":[{\"name\":\"y\"},{\"name\":\"z\",\"weight\":9}],"
    "\"eggs\":[0,2],\"birds\":{\"tit\":\"blue\",\"crow\":\"black\"},\"free\":{\"k\":[1]},\"ph\":7,"
    "\"wet\":false}";

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
    sl_fields_release(&tree_fields, &tree);
}

static void test_a_struct_is_written_as_it_was_read(void **state)
{
    (void)state;
    static const char *const texts[] = {whole, "{\"note\":null}", "{}", "{\"note\":\"one\"}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct sl_error err = {0};
        struct tree tree, copy;
        assert_ok(read_tree(texts[i], &tree, &err), err);
        sl_fields_copy(&tree_fields, &tree, &copy);
        sl_fields_release(&tree_fields, &tree);
        json_t *json = sl_fields_write(&tree_fields, &copy);
        char *text = json_dumps(json, JSON_COMPACT);
        assert_string_equal(text, texts[i]);
        free(text);
        json_decref(json);
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_object_becomes_a_struct),
        cmocka_unit_test(test_what_is_not_there_has_its_fallback),
        cmocka_unit_test(test_a_struct_is_written_as_it_was_read),
        cmocka_unit_test(test_mistakes_are_named_with_line_and_path),
        cmocka_unit_test(test_rows_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
