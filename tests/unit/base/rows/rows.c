#include "softlab/base/classes.h"

#include "support.h"

static struct sl_rows *make(size_t n_rows, size_t n_classes, const float *values)
{
    struct sl_error err;
    struct sl_rows *rows = NULL;
    assert_ok(sl_rows_create(n_rows, n_classes, &rows, &err), err);
    memcpy(rows->values, values, n_rows * n_classes * sizeof *values);
    return rows;
}

static char **names(size_t count, const char *const *texts)
{
    char **copies = sl_alloc(count + 1, sizeof *copies);
    for (size_t i = 0; i < count; i++)
        copies[i] = sl_string_copy(texts[i]);
    return copies;
}

static const float values[] = {.1f, .9f, .0f, .25f, .25f, .5f, 1.f / 3, 1.f / 3, 1.f / 3};
static const char *const classes[] = {"cat", "d,og", "\xC3\xA9lan"};

static struct sl_rows *three_rows(void)
{
    static const char *const items[] = {"7", "x \"y\"", "12"};
    struct sl_rows *rows = make(3, 3, values);
    rows->items = names(3, items);
    rows->classes = names(3, classes);
    return rows;
}

static struct sl_rows *read_rows(const char *path, const char *array)
{
    struct sl_error err;
    struct sl_rows *rows = NULL;
    assert_ok(sl_rows_read(path, array, &rows, &err), err);
    return rows;
}

static void write_rows(const struct sl_rows *rows, const char *path)
{
    struct sl_error err;
    assert_ok(sl_rows_write(rows, "labels", path, &err), err);
}

static void test_an_npz_says_how_it_was_made_and_readers_leave_that_alone(void **state)
{
    (void)state;
    static const char made[] = "{\"command\":\"labels\"}";
    struct sl_error err;
    struct sl_rows *rows = three_rows();
    rows->provenance = sl_string_copy(made);
    const char *path = test_path("made.npz");
    write_rows(rows, path);
    sl_rows_destroy(rows);
    struct sl_npz *npz = NULL;
    struct sl_array array;
    char *text = NULL;
    assert_ok(sl_npz_open(path, &npz, &err), err);
    assert_ok(sl_npz_read(npz, "provenance", &array, &err), err);
    assert_int_equal(array.n_dimensions, 0);
    assert_ok(sl_array_string(&array, 0, &text, &err), err);
    assert_string_equal(text, made);
    free(text);
    sl_array_release(&array);
    sl_npz_close(npz);
    rows = read_rows(path, "labels");
    assert_null(rows->provenance);
    assert_int_equal(rows->n_rows, 3);
    sl_rows_destroy(rows);
}

static void test_named_rows_survive_every_format_that_has_names(void **state)
{
    (void)state;
    static const char *const files[] = {"r.npz", "r.csv", "r.json"};
    struct sl_rows *rows = three_rows();
    for (size_t i = 0; i < 3; i++) {
        const char *path = test_path(files[i]);
        write_rows(rows, path);
        struct sl_rows *got = read_rows(path, "labels");
        assert_int_equal(got->n_rows, 3);
        assert_int_equal(got->n_classes, 3);
        assert_memory_equal(got->values, values, sizeof values);
        assert_string_equal(got->items[1], "x \"y\"");
        assert_null(got->annotators);
        if (i < 2) assert_string_equal(got->classes[2], classes[2]);
        sl_rows_destroy(got);
    }
    sl_rows_destroy(rows);
}

static void test_rows_per_annotator_survive_and_json_groups_them_by_item(void **state)
{
    (void)state;
    static const char *const items[] = {"a", "b", "a", "a"};
    static const char *const annotators[] = {"p", "q", "", "r"};
    struct sl_rows *rows = make(4, 2, values);
    rows->items = names(4, items);
    rows->annotators = names(4, annotators);
    write_rows(rows, test_path("p.npz"));
    write_rows(rows, test_path("p.csv"));
    write_rows(rows, test_path("p.json"));
    struct sl_rows *got = read_rows(test_path("p.npz"), "labels");
    assert_string_equal(got->annotators[1], "q");
    assert_string_equal(got->annotators[2], "");
    sl_rows_destroy(got);
    got = read_rows(test_path("p.csv"), "labels");
    assert_string_equal(got->annotators[0], "p");
    assert_string_equal(got->classes[1], "1");
    sl_rows_destroy(got);
    got = read_rows(test_path("p.json"), "labels");
    assert_int_equal(got->n_rows, 4);
    assert_string_equal(got->items[2], "a");
    assert_string_equal(got->items[3], "b");
    assert_string_equal(got->annotators[0], "");
    assert_memory_equal(got->values + 2, values + 4, 4 * sizeof *values);
    assert_memory_equal(got->values + 6, values + 2, 2 * sizeof *values);
    sl_rows_destroy(got);
    sl_rows_destroy(rows);
}

static void test_a_matrix_alone_has_no_names(void **state)
{
    (void)state;
    struct sl_rows *rows = three_rows();
    write_rows(rows, test_path("m.npy"));
    struct sl_rows *got = read_rows(test_path("m.npy"), "labels");
    assert_memory_equal(got->values, values, sizeof values);
    assert_null(got->items);
    assert_null(got->classes);
    write_rows(got, test_path("m.json"));
    sl_rows_destroy(got);
    got = read_rows(test_path("m.json"), "labels");
    assert_string_equal(got->items[2], "2");
    sl_rows_destroy(got);
    sl_rows_destroy(rows);
}

static void test_integers_are_read_as_values_and_as_names(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_array counts, items;
    struct sl_npz_writer *writer = NULL;
    const size_t shape[] = {2, 2};
    assert_ok(sl_array_create(SL_I8, 0, 2, shape, &counts, &err), err);
    assert_ok(sl_array_create(SL_I4, 0, 1, shape, &items, &err), err);
    memcpy(counts.data, (const int64_t[]){51, 0, 3, 48}, 32);
    memcpy(items.data, (const int32_t[]){9500, -1}, 8);
    assert_ok(sl_npz_writer_create(test_path("i.npz"), SL_NPZ_DEFLATED, &writer, &err), err);
    assert_ok(sl_npz_writer_add(writer, "counts", &counts, &err), err);
    assert_ok(sl_npz_writer_add(writer, "item", &items, &err), err);
    assert_ok(sl_npz_writer_commit(writer, &err), err);
    sl_npz_writer_destroy(writer);
    sl_array_release(&counts);
    sl_array_release(&items);
    struct sl_rows *rows = read_rows(test_path("i.npz"), "counts");
    assert_near(rows->values[3], 48, 0);
    assert_string_equal(rows->items[0], "9500");
    assert_string_equal(rows->items[1], "-1");
    sl_rows_destroy(rows);
    rows = NULL;
    assert_fails(sl_rows_read(test_path("i.npz"), "labels", &rows, &err), SL_ERR_INPUT, err,
                 "no array \"labels\"; the file has: counts, item");
    assert_null(rows);
}

static void test_files_that_are_not_rows_are_refused_by_place(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *message;
    } cases[] = {
        {"a.csv", "item,cat,dog\n1,.5,nan\n", "a.csv:2: column \"dog\""},
        {"b.csv", "id,cat\n1,1\n", "b.csv:1: expected the columns item"},
        {"c.csv", "item\n1\n", "no class columns"},
        {"d.csv", "item,cat\n1,1\n2,0\n1,1\n", "rows 0 and 2 are both of item 1"},
        {"e.csv", "item,cat\n", "no rows"},
        {"f.csv", "item,cat\n,1\n", "f.csv:2: the row names no item"},
        {"a.json", "{\"a\":[0.5,0.5],\"b\":[1]}", "expected 2 numbers, got 1"},
        {"b.json", "{\"a\":[[0.5,0.5]],\"b\":[0.5,0.5]}", "expected a row per annotator"},
        {"c.json", "{\"a\":[]}", "the item has no rows"},
        {"d.json", "{}", "expected an object"},
        {"e.json", "{\"a\":[1e99,0]}", "$.a[0]"},
        {"f.json", "{\"a\":[1],\"a\":[1]}", "duplicate"},
        {"g.json", "[1]", "expected an object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_error err;
        struct sl_rows *rows = NULL;
        const char *path = test_path(cases[i].name);
        test_write(path, cases[i].text, strlen(cases[i].text));
        assert_fails(sl_rows_read(path, "labels", &rows, &err), SL_ERR_INPUT, err,
                     cases[i].message);
        assert_null(rows);
    }
}

static void test_a_value_that_is_not_finite_is_named(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_rows *rows = three_rows(), *got = NULL;
    rows->values[4] = NAN;
    write_rows(rows, test_path("n.npz"));
    assert_fails(sl_rows_read(test_path("n.npz"), "labels", &got, &err), SL_ERR_INPUT, err,
                 "row 1 (item x \"y\"): value 1 is nan");
    sl_rows_destroy(rows);
}

static void test_other_suffixes_are_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_rows *rows = three_rows(), *got = NULL;
    assert_fails(sl_rows_write(rows, "labels", test_path("r.txt"), &err), SL_ERR_USAGE, err,
                 ".npz, .npy, .csv or .json");
    assert_fails(sl_rows_read(test_path("r.txt"), "labels", &got, &err), SL_ERR_USAGE, err,
                 "r.txt");
    sl_rows_destroy(rows);
}

static void test_distributions_are_checked_by_row(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_rows *rows = three_rows();
    assert_ok(sl_rows_check_distributions(rows, "labels", &err), err);
    rows->values[5] = .502f;
    assert_fails(sl_rows_check_distributions(rows, "labels", &err), SL_ERR_INPUT, err,
                 "labels: row 1 (item x \"y\") sums to 1.002");
    rows->values[5] = .5009f;
    assert_ok(sl_rows_check_distributions(rows, "labels", &err), err);
    rows->values[0] = -.1f;
    rows->values[1] = 1.1f;
    assert_fails(sl_rows_check_distributions(rows, "labels", &err), SL_ERR_INPUT, err,
                 "row 0 (item 7) has a negative value");
    rows->values[0] = NAN;
    assert_fails(sl_rows_check_distributions(rows, "labels", &err), SL_ERR_INPUT, err, "row 0");
    sl_rows_destroy(rows);
}

static void test_columns_follow_another_order_of_classes(void **state)
{
    (void)state;
    struct sl_error err;
    char *names[4];
    static const char ship[] = "ship";
    const char *const texts[] = {classes[2], classes[0], classes[1], ship};
    memcpy(names, texts, sizeof names);
    static const char *const wrong_texts[] = {"cat", "dog", "deer"};
    char *wrong_names[3];
    memcpy(wrong_names, wrong_texts, sizeof wrong_names);
    const struct sl_class_list other = {"the answers", names, 3};
    const struct sl_class_list fewer = {"the answers", names, 2}, more = {"the answers", names, 4};
    const struct sl_class_list wrong = {"the answers", wrong_names, 3};
    struct sl_rows *rows = three_rows();
    assert_ok(sl_rows_reorder(rows, "labels", &other, &err), err);
    assert_near(rows->values[0], 0, 0);
    assert_near(rows->values[1], .1f, 0);
    assert_near(rows->values[2], .9f, 0);
    assert_near(rows->values[3], .5f, 0);
    assert_string_equal(rows->classes[0], classes[2]);
    assert_fails(sl_rows_reorder(rows, "labels", &wrong, &err), SL_ERR_INPUT, err,
                 "labels: class \"\xC3\xA9lan\" is unknown to the answers (cat, dog, deer)");
    assert_fails(sl_rows_reorder(rows, "labels", &fewer, &err), SL_ERR_INPUT, err,
                 "labels: class \"d,og\" is unknown to the answers");
    assert_fails(sl_rows_reorder(rows, "labels", &more, &err), SL_ERR_INPUT, err,
                 "labels: class \"ship\" of the answers is missing; give it a column");
    sl_rows_destroy(rows);
    rows = make(3, 3, values);
    assert_fails(sl_rows_reorder(rows, "labels", &more, &err), SL_ERR_INPUT, err,
                 "labels: has 3 classes without names; expected the 4 of the answers (");
    assert_ok(sl_rows_reorder(rows, "labels", &wrong, &err), err);
    assert_memory_equal(rows->values, values, sizeof values);
    assert_string_equal(rows->classes[2], "deer");
    sl_rows_destroy(rows);
}

static void test_columns_are_spread_over_more_classes(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_rows *rows = three_rows();
    char a[] = "a", b[] = "b", c[] = "c", d[] = "d", *names[] = {a, b, c, d};
    assert_ok(sl_rows_spread(rows, (size_t[]){3, 0, 1}, names, 4, &err), err);
    assert_int_equal(rows->n_classes, 4);
    for (size_t i = 0; i < 3; i++) {
        assert_near(rows->values[i * 4 + 3], values[i * 3], 0);
        assert_near(rows->values[i * 4 + 0], values[i * 3 + 1], 0);
        assert_near(rows->values[i * 4 + 1], values[i * 3 + 2], 0);
        assert_near(rows->values[i * 4 + 2], 0, 0);
    }
    assert_string_equal(rows->classes[3], "d");
    assert_non_null(rows->items);
    sl_rows_destroy(rows);
    rows = make(3, 3, values);
    assert_ok(sl_rows_spread(rows, (size_t[]){0, 1, 2}, names, 3, &err), err);
    assert_memory_equal(rows->values, values, sizeof values);
    assert_string_equal(rows->classes[2], "c");
    sl_rows_destroy(rows);
}

static void test_the_published_hmix_labels_are_read(void **state)
{
    (void)state;
    const char *path = test_data("hmix/hmix_individ_soft_labels.json");
    if (!path) skip();
    struct sl_rows *rows = read_rows(path, "labels");
    assert_int_equal(rows->n_rows, 216);
    assert_int_equal(rows->n_classes, 10);
    assert_non_null(rows->annotators);
    assert_string_equal(rows->items[0], "mixed_0.25_Ship_8717_Truck_8922.png");
    assert_string_equal(rows->items[1], rows->items[0]);
    assert_near(rows->values[9], 0.9090909090909091, 1e-7);
    struct sl_error err;
    assert_ok(sl_rows_check_distributions(rows, path, &err), err);
    write_rows(rows, test_path("hmix.json"));
    struct sl_rows *again = read_rows(test_path("hmix.json"), "labels");
    assert_memory_equal(again->values, rows->values, 216 * 10 * sizeof(float));
    sl_rows_destroy(again);
    sl_rows_destroy(rows);
}

static void test_published_counts_are_read(void **state)
{
    (void)state;
    const char *path = test_data("cifar10h/cifar10h-counts.npy");
    if (!path) skip();
    struct sl_rows *rows = read_rows(path, "labels");
    double sum = 0;
    for (size_t i = 0; i < rows->n_rows * rows->n_classes; i++)
        sum += (double)rows->values[i];
    assert_near(sum, 511000, 0);
    sl_rows_destroy(rows);
}

static void test_rows_of_a_csv_are_scaled_where_all_are_distributions_but_for_rounding(void **state)
{
    (void)state;
    struct sl_error err;
    static const char rounded[] = "item,a,b,c\nx,.33,.33,.33\n\"y\nz\",.5,.25,.25\n";
    test_write(test_path("r.csv"), rounded, sizeof rounded - 1);
    struct sl_rows *rows = read_rows(test_path("r.csv"), "labels");
    assert_int_equal(rows->n_rescaled, 1);
    assert_near(rows->values[0], 1. / 3, 1e-6);
    assert_near(rows->values[3], .5, 0);
    assert_ok(sl_rows_check_distributions(rows, "labels", &err), err);
    sl_rows_destroy(rows);
    /* A row that is off by more than rounding: no row is changed, and the error names this row, not
     * a rounded one. */
    static const char wrong[] = "item,a,b,c\nx,.33,.33,.33\n\"y\nz\",.5,.25,.25\nw,.5,.5,.5\n";
    test_write(test_path("r.csv"), wrong, sizeof wrong - 1);
    rows = read_rows(test_path("r.csv"), "labels");
    assert_int_equal(rows->n_rescaled, 0);
    assert_near(rows->values[0], .33f, 0);
    assert_fails(sl_rows_check_distributions(rows, "labels", &err), SL_ERR_INPUT, err,
                 "r.csv:5: item w sums to 1.5, expected 1");
    sl_rows_destroy(rows);
}

static void test_rounding_is_half_a_hundredth_a_class(void **state)
{
    (void)state;
    float two[] = {.5f, .489f}, hundred[100], negative[] = {1.005f, -.005f};
    double sum = 0;
    assert_int_equal(sl_distribution_settle(two, 2, &sum), SL_SETTLED_NOT);
    two[1] = .491f;
    assert_int_equal(sl_distribution_settle(two, 2, &sum), SL_SETTLED_SCALED);
    assert_near(sum, .991, 1e-6);
    assert_near(two[0] + two[1], 1, 1e-6);
    assert_int_equal(sl_distribution_settle(two, 2, &sum), SL_SETTLED_EXACT);
    for (size_t k = 0; k < 100; k++)
        hundred[k] = .0094f;
    assert_int_equal(sl_distribution_settle(hundred, 100, &sum), SL_SETTLED_NOT);
    assert_int_equal(sl_distribution_settle(negative, 2, &sum), SL_SETTLED_NOT);
    two[0] = NAN;
    assert_int_equal(sl_distribution_settle(two, 2, &sum), SL_SETTLED_NOT);
}

static void test_names_that_look_like_formulas_survive_a_csv(void **state)
{
    (void)state;
    static const char *const texts[] = {"=1+1", "'=1", "-5"}, *const cells[] = {"'=1+1", "''=1",
                                                                                "-5"};
    struct sl_rows *rows = three_rows();
    for (size_t i = 0; i < 3; i++) {
        free(rows->items[i]);
        rows->items[i] = sl_string_copy(texts[i]);
    }
    write_rows(rows, test_path("f.csv"));
    struct sl_buffer bytes;
    struct sl_error err;
    sl_buffer_init(&bytes, 1 << 16);
    assert_ok(sl_file_read(test_path("f.csv"), &bytes, &err), err);
    sl_buffer_byte(&bytes, '\0');
    const char *line = bytes.data;
    for (size_t i = 0; i < 3; i++) {
        line = strchr(line, '\n') + 1;
        assert_memory_equal(line, cells[i], strlen(cells[i]));
    }
    sl_buffer_release(&bytes);
    struct sl_rows *again = read_rows(test_path("f.csv"), "labels");
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(again->items[i], texts[i]);
    sl_rows_destroy(again);
    sl_rows_destroy(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_rows_of_a_csv_are_scaled_where_all_are_distributions_but_for_rounding),
        cmocka_unit_test(test_rounding_is_half_a_hundredth_a_class),
        cmocka_unit_test(test_names_that_look_like_formulas_survive_a_csv),
        cmocka_unit_test(test_named_rows_survive_every_format_that_has_names),
        cmocka_unit_test(test_an_npz_says_how_it_was_made_and_readers_leave_that_alone),
        cmocka_unit_test(test_rows_per_annotator_survive_and_json_groups_them_by_item),
        cmocka_unit_test(test_a_matrix_alone_has_no_names),
        cmocka_unit_test(test_integers_are_read_as_values_and_as_names),
        cmocka_unit_test(test_files_that_are_not_rows_are_refused_by_place),
        cmocka_unit_test(test_a_value_that_is_not_finite_is_named),
        cmocka_unit_test(test_other_suffixes_are_refused),
        cmocka_unit_test(test_distributions_are_checked_by_row),
        cmocka_unit_test(test_columns_follow_another_order_of_classes),
        cmocka_unit_test(test_columns_are_spread_over_more_classes),
        cmocka_unit_test(test_the_published_hmix_labels_are_read),
        cmocka_unit_test(test_published_counts_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
