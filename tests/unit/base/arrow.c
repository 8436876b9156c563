/* Rows as Arrow arrays, read by a consumer of our own. */
#include "support.h"

#include "softlab/base/arrow.h"

static struct sl_error err;

static struct sl_rows *make_rows(bool annotators)
{
    static const char *const names[] = {"cat", "d\xC3\xB6g"}, *const items[] = {"a", "", "c c"};
    struct sl_rows *rows = NULL;
    assert_ok(sl_rows_create(3, 2, &rows, &err), err);
    for (size_t i = 0; i < 6; i++)
        rows->values[i] = (float)i / 8;
    rows->items = calloc(3, sizeof *rows->items);
    rows->classes = calloc(2, sizeof *rows->classes);
    for (size_t i = 0; i < 3; i++)
        rows->items[i] = strdup(items[i]);
    for (size_t i = 0; i < 2; i++)
        rows->classes[i] = strdup(names[i]);
    if (!annotators) return rows;
    rows->annotators = calloc(3, sizeof *rows->annotators);
    for (size_t i = 0; i < 3; i++)
        rows->annotators[i] = strdup(i == 1 ? "" : "ann");
    return rows;
}

static void assert_text(const struct ArrowArray *array, size_t row, const char *expected)
{
    const int32_t *offsets = array->buffers[1];
    const size_t length = (size_t)(offsets[row + 1] - offsets[row]);
    assert_int_equal(array->n_buffers, 3);
    assert_int_equal(length, strlen(expected));
    if (length)
        assert_memory_equal((const char *)array->buffers[2] + offsets[row], expected, length);
}

static void test_rows_have_a_column_for_each_class(void **state)
{
    (void)state;
    struct ArrowSchema schema;
    struct ArrowArray array;
    struct sl_rows *rows = make_rows(true);
    assert_ok(sl_rows_to_arrow(rows, &schema, &array, &err), err);
    sl_rows_destroy(rows);
    static const char *const formats[] = {"u", "u", "f", "f"};
    static const char *const names[] = {"item", "annotator", "cat", "d\xC3\xB6g"};
    assert_string_equal(schema.format, "+s");
    assert_int_equal(schema.n_children, 4);
    assert_int_equal(array.n_children, 4);
    assert_int_equal(array.length, 3);
    assert_int_equal(array.n_buffers, 1);
    assert_null(array.buffers[0]);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(schema.children[i]->format, formats[i]);
        assert_string_equal(schema.children[i]->name, names[i]);
        assert_int_equal(array.children[i]->length, 3);
        assert_int_equal(array.children[i]->null_count, 0);
        assert_int_equal(array.children[i]->offset, 0);
        assert_null(array.children[i]->dictionary);
    }
    assert_text(array.children[0], 0, "a");
    assert_text(array.children[0], 1, "");
    assert_text(array.children[0], 2, "c c");
    assert_text(array.children[1], 1, "");
    const float *dog = array.children[3]->buffers[1];
    assert_near(dog[0], 0.125, 0);
    assert_near(dog[2], 0.625, 0);
    schema.release(&schema);
    array.release(&array);
    assert_null(schema.release);
    assert_null(array.release);
}

static void test_names_that_are_unknown_are_numbers(void **state)
{
    (void)state;
    struct ArrowSchema schema;
    struct ArrowArray array;
    struct sl_rows *rows = NULL;
    assert_ok(sl_rows_create(12, 1, &rows, &err), err);
    assert_ok(sl_rows_to_arrow(rows, &schema, &array, &err), err);
    sl_rows_destroy(rows);
    assert_int_equal(schema.n_children, 2);
    assert_string_equal(schema.children[1]->name, "0");
    assert_text(array.children[0], 11, "11");
    schema.release(&schema);
    array.release(&array);
}

/* A consumer may move a child out of its parent and keep it longer. */
static void test_a_child_may_outlive_its_parent(void **state)
{
    (void)state;
    struct ArrowSchema schema;
    struct ArrowArray array;
    struct sl_rows *rows = make_rows(false);
    assert_ok(sl_rows_to_arrow(rows, &schema, &array, &err), err);
    sl_rows_destroy(rows);
    struct ArrowArray moved = *array.children[1];
    struct ArrowSchema moved_schema = *schema.children[1];
    array.children[1]->release = NULL;
    schema.children[1]->release = NULL;
    array.release(&array);
    schema.release(&schema);
    assert_near(((const float *)moved.buffers[1])[1], 0.25, 0);
    assert_string_equal(moved_schema.name, "cat");
    moved.release(&moved);
    moved_schema.release(&moved_schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_have_a_column_for_each_class),
        cmocka_unit_test(test_names_that_are_unknown_are_numbers),
        cmocka_unit_test(test_a_child_may_outlive_its_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
