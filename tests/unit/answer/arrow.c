/* Votes from Arrow arrays of our own making, valid and broken; every array must be released once.
 */
#include "arrow_support.h"

#include "softlab/answer/arrow.h"

static struct sl_error err;

static const char *const items[] = {"i1", "i2", "i1", "i3"};
static const char *const workers[] = {"ann", "ann", "bob", NULL};
static const char *const labels[] = {"cat", "dog", "dog", "cat"};

static struct arrow_table make_table(bool large)
{
    const char *format = large ? "U" : "u";
    struct arrow_table table = arrow_table(4);
    arrow_add(&table, arrow_schema(format, "task"), arrow_texts(items, 4, large));
    arrow_add(&table, arrow_schema(format, "worker"), arrow_texts(workers, 4, large));
    arrow_add(&table, arrow_schema(format, "label"), arrow_texts(labels, 4, large));
    return table;
}

static struct sl_votes *read_table(struct arrow_table *table,
                                   const struct sl_import_options *options)
{
    struct sl_votes *votes = NULL;
    assert_ok(sl_votes_from_arrow(&table->schema, &table->array, options, &votes, &err), err);
    assert_int_equal(arrow_alive, 0);
    return votes;
}

static void assert_table_fails(struct arrow_table *table, const char *part)
{
    struct sl_votes *votes = NULL;
    assert_fails(sl_votes_from_arrow(&table->schema, &table->array, NULL, &votes, &err),
                 SL_ERR_INPUT, err, part);
    assert_null(votes);
    assert_int_equal(arrow_alive, 0);
}

static void assert_vote(const struct sl_votes *votes, size_t index, const char *annotator,
                        const char *label)
{
    const uint32_t number = votes->annotator[index];
    assert_string_equal(
        number == SL_NO_NAME ? "" : sl_name_table_get(votes->annotators, number, NULL), annotator);
    assert_string_equal(votes->classes[votes->label[index]], label);
}

static void assert_the_votes(const struct sl_votes *votes)
{
    assert_int_equal(votes->count, 4);
    assert_int_equal(votes->n_items, 3);
    assert_int_equal(votes->n_annotators, 2);
    assert_int_equal(votes->begin[1], 2);
    assert_string_equal(sl_name_table_get(votes->items, 0, NULL), "i1");
    assert_vote(votes, 0, "ann", "cat");
    assert_vote(votes, 1, "bob", "dog");
    assert_vote(votes, 2, "ann", "dog");
    assert_vote(votes, 3, "", "cat");
}

static void test_texts_become_votes(void **state)
{
    (void)state;
    for (int large = 0; large < 2; large++) {
        struct arrow_table table = make_table(large);
        struct sl_votes *votes = read_table(&table, NULL);
        assert_the_votes(votes);
        sl_votes_destroy(votes);
    }
}

static void test_integers_are_their_decimals(void **state)
{
    (void)state;
    static const int8_t c[] = {-128, 127};
    static const uint8_t C[] = {255, 0};
    static const int16_t s[] = {-32768, 5};
    static const uint16_t S[] = {65535, 5};
    static const int32_t i[] = {INT32_MIN, 7};
    static const uint32_t I[] = {UINT32_MAX, 7};
    static const int64_t l[] = {INT64_MIN, -9};
    static const uint64_t L[] = {UINT64_MAX, 10};
    static const struct {
        const char *format;
        const void *values;
        size_t size;
        const char *names[2];
    } cases[] = {
        {"c", c, 1, {"-128", "127"}},
        {"C", C, 1, {"255", "0"}},
        {"s", s, 2, {"-32768", "5"}},
        {"S", S, 2, {"65535", "5"}},
        {"i", i, 4, {"-2147483648", "7"}},
        {"I", I, 4, {"4294967295", "7"}},
        {"l", l, 8, {"-9223372036854775808", "-9"}},
        {"L", L, 8, {"18446744073709551615", "10"}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct arrow_table table = arrow_table(2);
        arrow_add(&table, arrow_schema(cases[k].format, "item"),
                  arrow_numbers(cases[k].values, 2, cases[k].size));
        arrow_add(&table, arrow_schema(cases[k].format, "worker"),
                  arrow_numbers(cases[k].values, 2, cases[k].size));
        arrow_add(&table, arrow_schema("u", "label"), arrow_texts(labels, 2, false));
        struct sl_votes *votes = read_table(&table, NULL);
        for (uint32_t n = 0; n < 2; n++) {
            assert_string_equal(sl_name_table_get(votes->items, n, NULL), cases[k].names[n]);
            assert_string_equal(sl_name_table_get(votes->annotators, n, NULL), cases[k].names[n]);
        }
        sl_votes_destroy(votes);
    }
}

/* item and label by dictionary, with a value that no row uses and a null one. */
static struct arrow_table make_encoded(void)
{
    static const int8_t item_index[] = {2, 0, 2, 1};
    static const uint16_t label_index[] = {1, 0, 0, 1};
    static const char *const item_values[] = {"i2", "i3", "i1", "none"};
    static const char *const label_values[] = {"dog", "cat", NULL};
    struct arrow_table table = arrow_table(4);
    arrow_add(&table, arrow_schema("c", "item"), arrow_numbers(item_index, 4, 1));
    arrow_encode(&table, 0, arrow_schema("u", ""), arrow_texts(item_values, 4, false));
    arrow_add(&table, arrow_schema("u", "worker"), arrow_texts(workers, 4, false));
    arrow_add(&table, arrow_schema("S", "label"), arrow_numbers(label_index, 4, 2));
    arrow_encode(&table, 2, arrow_schema("U", ""), arrow_texts(label_values, 3, true));
    return table;
}

static void test_dictionaries_give_only_the_names_that_rows_use(void **state)
{
    (void)state;
    struct arrow_table table = make_encoded();
    struct sl_votes *votes = read_table(&table, NULL);
    assert_the_votes(votes);
    assert_int_equal(votes->n_classes, 2);
    sl_votes_destroy(votes);
}

static void test_rows_without_a_label_are_skipped_and_leave_no_names(void **state)
{
    (void)state;
    static const char *const some[] = {"cat", NULL, "", "dog"};
    static const char *const who[] = {"ann", "cy", "dee", "bob"};
    static const char *const what[] = {"i1", "i7", NULL, "i2"};
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.notes = &notes};
    struct arrow_table table = arrow_table(4);
    arrow_add(&table, arrow_schema("u", "item"), arrow_texts(what, 4, false));
    arrow_add(&table, arrow_schema("u", "worker"), arrow_texts(who, 4, false));
    arrow_add(&table, arrow_schema("u", "label"), arrow_texts(some, 4, false));
    struct sl_votes *votes = read_table(&table, &options);
    assert_int_equal(votes->count, 2);
    assert_int_equal(votes->n_items, 2);
    assert_int_equal(votes->n_annotators, 2);
    assert_int_equal(notes.n_skipped, 2);
    assert_int_equal(notes.n_read, 4);
    sl_votes_destroy(votes);
}

static void test_offsets_of_struct_and_columns_add_up(void **state)
{
    (void)state;
    struct arrow_table table = make_table(false);
    table.array.offset = 1;
    table.array.length = 2;
    /* The labels begin one later too: "cat", "dog", "dog", "cat" from 2 on. */
    table.array.children[2]->offset = 1;
    table.array.children[2]->length = 3;
    struct sl_votes *votes = read_table(&table, NULL);
    assert_int_equal(votes->count, 2);
    assert_string_equal(sl_name_table_get(votes->items, 0, NULL), "i2");
    assert_vote(votes, 0, "ann", "dog");
    assert_vote(votes, 1, "bob", "cat");
    sl_votes_destroy(votes);
}

static void test_columns_are_named_or_found_by_words(void **state)
{
    (void)state;
    const struct sl_import_options named = {.columns = "item=label,label=task"};
    struct arrow_table table = make_table(false);
    struct sl_votes *votes = read_table(&table, &named);
    assert_string_equal(sl_name_table_get(votes->items, 0, NULL), "cat");
    sl_votes_destroy(votes);
    table = make_table(false);
    table.schema.children[0]->name = "x";
    assert_table_fails(&table, "arrow: expected one column called item or similar, found 0");
    table = make_table(false);
    table.schema.children[1]->name = NULL;
    assert_table_fails(&table, "called worker or similar, found 0");
    table = make_table(false);
    const struct sl_import_options absent = {.columns = "label=y"};
    votes = NULL;
    assert_fails(sl_votes_from_arrow(&table.schema, &table.array, &absent, &votes, &err),
                 SL_ERR_INPUT, err, "no column is called \"y\"");
    assert_int_equal(arrow_alive, 0);
}

static void test_a_null_item_names_its_row(void **state)
{
    (void)state;
    static const char *const some[] = {"i1", "i2", NULL, "i3"};
    struct arrow_table table = arrow_table(4);
    arrow_add(&table, arrow_schema("u", "item"), arrow_texts(some, 4, false));
    arrow_add(&table, arrow_schema("u", "worker"), arrow_texts(workers, 4, false));
    arrow_add(&table, arrow_schema("u", "label"), arrow_texts(labels, 4, false));
    assert_table_fails(&table, "arrow: row 2 has no item");
}

/* ---- Broken producers ---- */

static void break_format(struct arrow_table *t)
{
    t->schema.format = "u";
}
static void break_no_format(struct arrow_table *t)
{
    t->schema.format = NULL;
}
static void break_column_format(struct arrow_table *t)
{
    t->schema.children[2]->format = "+l";
}
static void break_nested(struct arrow_table *t)
{
    t->schema.children[0]->format = "+s";
}
static void break_length(struct arrow_table *t)
{
    t->array.length = -1;
}
static void break_offset(struct arrow_table *t)
{
    t->array.offset = -1;
}
static void break_huge_length(struct arrow_table *t)
{
    t->array.length = INT64_MAX;
}
static void break_column_length(struct arrow_table *t)
{
    t->array.children[1]->length = 3;
}
static void break_column_offset(struct arrow_table *t)
{
    t->array.children[1]->offset = INT64_MIN;
}
static void break_struct_buffers(struct arrow_table *t)
{
    t->array.n_buffers = 0;
}
static void break_null_buffers(struct arrow_table *t)
{
    t->array.children[0]->buffers = NULL;
}
static void break_no_offsets(struct arrow_table *t)
{
    t->array.children[0]->buffers[1] = NULL;
}
static void break_no_text(struct arrow_table *t)
{
    t->array.children[0]->buffers[2] = NULL;
}
static void break_buffer_count(struct arrow_table *t)
{
    t->array.children[2]->n_buffers = 2;
}
static void break_bitmap(struct arrow_table *t)
{
    t->array.children[2]->null_count = 1;
}
static void break_null_count(struct arrow_table *t)
{
    t->array.children[2]->null_count = -2;
}
static void break_decreasing(struct arrow_table *t)
{
    struct arrow_owned *owned = t->array.children[0]->private_data;
    ((int32_t *)owned->blocks[1])[2] = 1;
}
static void break_negative(struct arrow_table *t)
{
    struct arrow_owned *owned = t->array.children[0]->private_data;
    ((int32_t *)owned->blocks[1])[0] = -1;
}
static void break_nul(struct arrow_table *t)
{
    struct arrow_owned *owned = t->array.children[0]->private_data;
    ((char *)owned->blocks[2])[3] = '\0';
}
static void break_child_released(struct arrow_table *t)
{
    t->array.children[1]->release(t->array.children[1]);
}
static void break_schema_child_released(struct arrow_table *t)
{
    t->schema.children[1]->release(t->schema.children[1]);
}
static void break_row(struct arrow_table *t)
{
    arrow_nulls(&t->array, "+-++");
}
static void break_dictionary(struct arrow_table *t)
{
    t->array.children[0]->dictionary = malloc(sizeof(struct ArrowArray));
    *t->array.children[0]->dictionary = arrow_texts(items, 1, false);
}

static void test_broken_arrays_are_refused_and_released(void **state)
{
    (void)state;
    static const struct {
        void (*spoil)(struct arrow_table *table);
        const char *part;
    } cases[] = {
        {break_format, "the schema has the format \"u\", expected a struct"},
        {break_no_format, "the schema has the format \"\""},
        {break_column_format, "label has the format \"+l\", expected texts"},
        {break_nested, "task has the format \"+s\""},
        {break_length, "the struct has the length -1"},
        {break_offset, "and the offset -1"},
        {break_huge_length, "the struct has the length 9223372036854775807"},
        {break_column_length, "worker has 3 values for 4 rows"},
        {break_column_offset, "worker has the length 4 and the offset -9223372036854775808"},
        {break_struct_buffers, "the struct has 0 buffers, expected 1"},
        {break_null_buffers, "task has 3 buffers, expected 3"},
        {break_no_offsets, "task has no buffer of offsets"},
        {break_no_text, "row 0: item: the text goes from byte 0 to byte 2 of no buffer"},
        {break_buffer_count, "label has 2 buffers, expected 3"},
        {break_bitmap, "label has 1 nulls and no bitmap"},
        {break_null_count, "label has -2 nulls"},
        {break_decreasing, "row 1: item: the text goes from byte 2 to byte 1"},
        {break_negative, "row 0: item: the text goes from byte -1"},
        {break_nul, "row 1: item: the text contains a NUL byte"},
        {break_child_released, "worker is missing or released"},
        {break_schema_child_released, "column 1 of the schema is missing, released"},
        {break_row, "row 1 is null"},
        {break_dictionary, "of task only one of schema and array has a dictionary"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arrow_table table = make_table(false);
        cases[i].spoil(&table);
        assert_table_fails(&table, cases[i].part);
    }
}

static void test_wrong_counts_of_columns_are_refused(void **state)
{
    (void)state;
    struct arrow_table table = make_table(false);
    struct sl_votes *votes = NULL;
    table.array.children[2]->release(table.array.children[2]);
    free(table.array.children[2]);
    table.array.n_children = 2;
    assert_fails(sl_votes_from_arrow(&table.schema, &table.array, NULL, &votes, &err), SL_ERR_INPUT,
                 err, "the array has 2 columns, and its schema 3");
    table = make_table(false);
    table.schema.release(&table.schema);
    assert_fails(sl_votes_from_arrow(&table.schema, &table.array, NULL, &votes, &err), SL_ERR_INPUT,
                 err, "the schema was released before");
    table = make_table(false);
    table.array.release(&table.array);
    assert_fails(sl_votes_from_arrow(&table.schema, &table.array, NULL, &votes, &err), SL_ERR_INPUT,
                 err, "the array was released before");
}

static void test_broken_dictionaries_are_refused(void **state)
{
    (void)state;
    struct arrow_table table = make_encoded();
    struct arrow_owned *owned = table.array.children[2]->private_data;
    ((uint16_t *)owned->blocks[1])[1] = 3;
    assert_table_fails(&table, "row 1: label: the index 3 is outside the dictionary of 3");
    table = make_encoded();
    owned = table.array.children[0]->private_data;
    ((int8_t *)owned->blocks[1])[3] = -1;
    assert_table_fails(&table, "row 3: item: the index -1 is outside");
    table = make_encoded();
    table.schema.children[0]->format = "u";
    assert_table_fails(&table, "item has 2 buffers, expected 3");
    table = make_encoded();
    table.array.children[2]->dictionary->length = -1;
    assert_table_fails(&table, "label has the length -1");
    table = make_encoded();
    table.schema.children[2]->dictionary->format = "f";
    assert_table_fails(&table, "label has the format \"f\"");
    table = make_encoded();
    struct ArrowSchema *deep = table.schema.children[2]->dictionary;
    deep->dictionary = malloc(sizeof *deep);
    *deep->dictionary = arrow_schema("u", "");
    assert_table_fails(&table, "the dictionary of label has a dictionary");
}

/* ---- Streams ---- */

struct test_stream {
    size_t given, count;
    int schema_code, next_code;
    bool released;
};

static int give_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    const struct test_stream *test = stream->private_data;
    if (test->schema_code) return test->schema_code;
    struct arrow_table table = make_table(false);
    table.array.release(&table.array);
    *out = table.schema;
    return 0;
}

static int give_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    struct test_stream *test = stream->private_data;
    if (test->given == test->count && test->next_code) return test->next_code;
    *out = (struct ArrowArray){0};
    if (test->given == test->count) return 0;
    test->given++;
    struct arrow_table table = make_table(false);
    table.schema.release(&table.schema);
    *out = table.array;
    return 0;
}

static const char *say_why(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "the disk is full";
}

static void release_stream(struct ArrowArrayStream *stream)
{
    ((struct test_stream *)stream->private_data)->released = true;
    stream->release = NULL;
}

static struct ArrowArrayStream make_stream(struct test_stream *test)
{
    return (struct ArrowArrayStream){give_schema, give_next, say_why, release_stream, test};
}

static void test_streams_are_read_to_their_end(void **state)
{
    (void)state;
    struct sl_votes *votes = NULL;
    struct test_stream test = {.count = 50};
    struct ArrowArrayStream stream = make_stream(&test);
    assert_ok(sl_votes_from_arrow_stream(&stream, NULL, &votes, &err), err);
    assert_int_equal(votes->count, 200);
    assert_int_equal(votes->n_items, 3);
    assert_int_equal(votes->begin[1], 100);
    assert_true(test.released);
    assert_int_equal(arrow_alive, 0);
    sl_votes_destroy(votes);
}

static void test_streams_that_fail_are_released(void **state)
{
    (void)state;
    static const struct {
        struct test_stream test;
        const char *part;
    } cases[] = {
        {{.schema_code = 5}, "arrow: the stream reports the disk is full"},
        {{.count = 2, .next_code = 5}, "arrow: the stream reports the disk is full"},
        {{.count = 0}, "arrow: no answers in 0 rows"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_votes *votes = NULL;
        struct test_stream test = cases[i].test;
        struct ArrowArrayStream stream = make_stream(&test);
        assert_fails(sl_votes_from_arrow_stream(&stream, NULL, &votes, &err), SL_ERR_INPUT, err,
                     cases[i].part);
        assert_true(test.released);
        assert_int_equal(arrow_alive, 0);
        assert_fails(sl_votes_from_arrow_stream(&stream, NULL, &votes, &err), SL_ERR_INPUT, err,
                     "the stream was released before");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_become_votes),
        cmocka_unit_test(test_integers_are_their_decimals),
        cmocka_unit_test(test_dictionaries_give_only_the_names_that_rows_use),
        cmocka_unit_test(test_rows_without_a_label_are_skipped_and_leave_no_names),
        cmocka_unit_test(test_offsets_of_struct_and_columns_add_up),
        cmocka_unit_test(test_columns_are_named_or_found_by_words),
        cmocka_unit_test(test_a_null_item_names_its_row),
        cmocka_unit_test(test_broken_arrays_are_refused_and_released),
        cmocka_unit_test(test_wrong_counts_of_columns_are_refused),
        cmocka_unit_test(test_broken_dictionaries_are_refused),
        cmocka_unit_test(test_streams_are_read_to_their_end),
        cmocka_unit_test(test_streams_that_fail_are_released),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
