#include "experiment/run/runner.h"

#include "support.h"

static const char text[] =
    "{\"a\":1.5,\"b c\":[2,3],\"rows\":[{\"name\":\"x\",\"share\":0.1,\"v\":7},"
    "{\"name\":\"x\",\"share\":0.5,\"v\":8},{\"name\":\"y\",\"share\":0.5,\"v\":9}],"
    "\"pairs\":[{\"classes\":[\"Cat\",\"Dog\"],\"v\":4},{\"classes\":[\"Cat\"],\"v\":5}],"
    "\"people\":{\"p\":{},\"q\":{}}}";

static void test_paths_lead_to_one_number(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        double value;
    } rows[] = {
        {"$.a", 1.5},
        {"$['b c'][1]", 3},
        {"$['b c'].#", 2},
        {"$.rows[?name=y].v", 9},
        {"$.rows[?name=x][?share=0.5].v", 8},
        {"$.rows[?share=0.1].v", 7},
        {"$.rows[*].#", 3},
        {"$.rows[?name=x].#", 2},
        {"$.pairs[?classes=Cat,Dog].v", 4},
        {"$.pairs[?classes=Cat].v", 5},
        {"$.people.#", 2},
    };
    struct sl_error err = {0};
    json_t *document = json_loads(text, 0, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value = 0;
        assert_ok(sl_figure_at(document, rows[i].path, &value, &err), err);
        assert_near(value, rows[i].value, 0);
    }
    json_decref(document);
}

static void test_paths_that_lead_nowhere_are_named(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "$.none", "$['b c'][2]", "$.rows[?name=x].v", "$.rows[?name=z].v", "$['b c'",
        "$a",     "a",           "$.people"};
    struct sl_error err = {0};
    json_t *document = json_loads(text, 0, NULL);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        double value = 42;
        assert_fails(sl_figure_at(document, paths[i], &value, &err), SL_ERR_INPUT, err, paths[i]);
        assert_near(value, 42, 0);
    }
    json_decref(document);
}

static void test_paths_lead_to_all_that_they_find(void **state)
{
    (void)state;
    struct sl_error err = {0};
    json_t *document = json_loads(text, 0, NULL), *found = NULL;
    assert_ok(sl_figures_at(document, "$.rows[*].v", &found, &err), err);
    assert_int_equal(json_array_size(found), 3);
    for (size_t i = 0; i < 3; i++)
        assert_near(json_number_value(json_array_get(found, i)), 7 + (double)i, 0);
    json_decref(found);
    assert_ok(sl_figures_at(document, "$.rows[?name=x].name", &found, &err), err);
    assert_int_equal(json_array_size(found), 2);
    json_decref(found);
    found = NULL;
    assert_fails(sl_figures_at(document, "$.rows[?name=z].v", &found, &err), SL_ERR_INPUT, err,
                 "the path finds nothing");
    assert_null(found);
    json_decref(document);
}

static void test_figures_are_summed_and_scaled(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *folder = test_path("figures");
    assert_ok(sl_folder_create(folder, &err), err);
    char *path = sl_path_join(folder, "x.json");
    assert_ok(sl_file_write(path, text, strlen(text), &err), err);
    const struct sl_data_roots roots = {0};
    json_t *figure = json_pack("{s:s, s:[s, s], s:i, s:i}", "output", "x.json", "path", "$.a",
                               "$['b c'][0]", "times", 10, "divide", 4);
    struct sl_figure read;
    assert_ok(sl_figure_read(figure, folder, &roots, &read, &err), err);
    assert_near(read.value, 8.75, 1e-12);
    assert_true(isnan(read.error) && !read.sample);
    json_decref(figure);
    free(path);
}

static void test_columns_are_averaged_over_rows_and_then_files(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const struct sl_data_roots roots = {0};
    const char *one = test_path("one.csv"), *two = test_path("two.csv");
    assert_ok(sl_file_write(one, "a,b\n1,10\n3,30\n", 14, &err), err);
    assert_ok(sl_file_write(two, "a,b\n6,0\n", 8, &err), err);
    json_t *figure = json_pack("{s:{s:[s, s], s:{s:f, s:f}}}", "mean_of", "files", one, two,
                               "columns", "a", .5, "b", .1);
    struct sl_figure read;
    assert_ok(sl_figure_read(figure, ".", &roots, &read, &err), err);
    assert_near(read.value, ((1 + 2) + 3) / 2.0, 1e-12);
    /* Files with different numbers of rows have no folds in common. */
    assert_null(read.sample);
    json_decref(figure);
}

static void test_rows_that_files_share_are_the_sample(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const struct sl_data_roots roots = {0};
    const char *one = test_path("one.csv"), *two = test_path("two.csv");
    assert_ok(sl_file_write(one, "a\n1\n2\n6\n", 8, &err), err);
    assert_ok(sl_file_write(two, "a\n3\n4\n8\n", 8, &err), err);
    json_t *figure = json_pack("{s:{s:[s, s], s:{s:f}}, s:i}", "mean_of", "files", one, two,
                               "columns", "a", 1., "times", 10);
    struct sl_figure read;
    assert_ok(sl_figure_read(figure, ".", &roots, &read, &err), err);
    assert_near(read.value, 40, 1e-12);
    assert_int_equal(json_array_size(read.sample), 3);
    assert_near(json_number_value(json_array_get(read.sample, 2)), 70, 1e-12);
    json_decref(read.sample);
    json_decref(figure);
}

static void test_two_figures_are_related_as_wholes_and_fold_by_fold(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const struct sl_data_roots roots = {0};
    const char *one = test_path("one.csv"), *two = test_path("two.csv");
    assert_ok(sl_file_write(one, "a\n2\n4\n", 6, &err), err);
    assert_ok(sl_file_write(two, "a\n1\n3\n", 6, &err), err);
    static const struct {
        const char *as;
        double value, first, second;
    } rows[] = {{"reduction", 100 / 3., 50, 25}, {"difference", 100, 100, 100}};
    for (size_t i = 0; i < 2; i++) {
        json_t *figure = json_pack("{s:s, s:i, s:[{s:{s:[s], s:{s:i}}}, {s:{s:[s], s:{s:i}}}]}",
                                   "as", rows[i].as, "times", 100, "of", "mean_of", "files", one,
                                   "columns", "a", 1, "mean_of", "files", two, "columns", "a", 1);
        struct sl_figure read;
        assert_ok(sl_figure_read(figure, ".", &roots, &read, &err), err);
        assert_near(read.value, rows[i].value, 1e-12);
        assert_int_equal(json_array_size(read.sample), 2);
        assert_near(json_number_value(json_array_get(read.sample, 0)), rows[i].first, 1e-12);
        assert_near(json_number_value(json_array_get(read.sample, 1)), rows[i].second, 1e-12);
        json_decref(read.sample);
        json_decref(figure);
    }
    /* The two figures have different numbers of folds. */
    assert_ok(sl_file_write(two, "a\n1\n3\n5\n", 8, &err), err);
    json_t *figure = json_pack("{s:s, s:[{s:{s:[s], s:{s:i}}}, {s:{s:[s], s:{s:i}}}]}", "as",
                               "difference", "of", "mean_of", "files", one, "columns", "a", 1,
                               "mean_of", "files", two, "columns", "a", 1);
    struct sl_figure read;
    assert_ok(sl_figure_read(figure, ".", &roots, &read, &err), err);
    assert_near(read.value, 0, 1e-12);
    assert_null(read.sample);
    json_decref(figure);
}

static void test_a_figure_has_the_error_that_its_interval_says(void **state)
{
    (void)state;
    static const char said[] =
        "{\"x\": [{\"g\": 1, \"m\": 0.5, \"intervals\": {\"m\": [0.4, 0.6]}},"
        "{\"g\": 2, \"m\": 0.7}]}";
    static const struct {
        const char *path;
        double error;
    } cases[] = {{"$.x[?g=1].m", 100 * .1 / 1.9599640}, {"$.x[?g=2].m", NAN}, {"$.x[0].g", NAN}};
    struct sl_error err = {0};
    const char *folder = test_path("figures");
    assert_ok(sl_folder_create(folder, &err), err);
    char *path = sl_path_join(folder, "said.json");
    assert_ok(sl_file_write(path, said, strlen(said), &err), err);
    const struct sl_data_roots roots = {0};
    for (size_t i = 0; i < 3; i++) {
        json_t *figure = json_pack("{s:s, s:s, s:i}", "output", "said.json", "path", cases[i].path,
                                   "times", 100);
        struct sl_figure read;
        assert_ok(sl_figure_read(figure, folder, &roots, &read, &err), err);
        if (isnan(cases[i].error))
            assert_true(isnan(read.error));
        else
            assert_near(read.error, cases[i].error, 1e-6);
        json_decref(figure);
    }
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths_lead_to_one_number),
        cmocka_unit_test(test_paths_that_lead_nowhere_are_named),
        cmocka_unit_test(test_paths_lead_to_all_that_they_find),
        cmocka_unit_test(test_figures_are_summed_and_scaled),
        cmocka_unit_test(test_columns_are_averaged_over_rows_and_then_files),
        cmocka_unit_test(test_rows_that_files_share_are_the_sample),
        cmocka_unit_test(test_two_figures_are_related_as_wholes_and_fold_by_fold),
        cmocka_unit_test(test_a_figure_has_the_error_that_its_interval_says),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
