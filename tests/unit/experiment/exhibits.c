#include "experiment/run/exhibits.h"

#include "experiment/run/runner.h"
#include "support.h"

/* The line that the exhibits give, next to these figures. Takes `exhibits`. */
static enum sl_status collect(const char *exhibits, json_t **out, struct sl_error *err)
{
    struct sl_run run = {.exhibits = json_loads(exhibits, 0, NULL),
                         .absent = json_pack("{s:s}", "Pictures", "no images")};
    struct sl_experiment_runner runner = {.folder = test_path("results")};
    *out = json_pack("{s:{s:f, s:f, s:f, s:n}}", "computed", "n1/hard/ce", 1.0, "n2/hard/ce", 3.0,
                     "hard/ce", 5.0, "gone/ce");
    assert_non_null(run.exhibits);
    assert_ok(sl_folder_create(runner.folder, err), *err);
    const char text[] = "{\"counts\":[1,3],\"rows\":[{\"x\":0.25},{\"x\":null}],\"word\":\"w\"}";
    test_write(test_path("results/out.json"), text, sizeof text - 1);
    const enum sl_status status = sl_exhibits_collect(&run, &runner, *out, err);
    json_decref(run.exhibits);
    json_decref(run.absent);
    return status;
}

static const json_t *first_series(const json_t *line)
{
    const json_t *chart = json_array_get(json_object_get(line, "charts"), 0);
    return json_array_get(json_object_get(chart, "series"), 0);
}

static double number(const json_t *series, const char *key, size_t index)
{
    const json_t *value = json_array_get(json_object_get(series, key), index);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static void test_stars_stand_for_any_text_of_a_cell(void **state)
{
    (void)state;
    assert_true(sl_exhibit_cell_fits("a/b", "a/b"));
    assert_false(sl_exhibit_cell_fits("a/b", "a/bc"));
    assert_true(sl_exhibit_cell_fits("*/hard/ce", "net/hard/ce"));
    assert_false(sl_exhibit_cell_fits("*/hard/ce", "hard/ce"));
    assert_true(sl_exhibit_cell_fits("net/*", "net/"));
    assert_false(sl_exhibit_cell_fits("ab*ba", "aba"));
}

static void test_cells_are_values_and_means_have_intervals(void **state)
{
    (void)state;
    struct sl_error err;
    json_t *line;
    assert_ok(collect("[{\"title\":\"t\",\"note\":\"n\",\"chart\":{\"kind\":\"bars\",\"series\":["
                      "{\"name\":\"s\",\"y\":{\"cells\":[\"hard/ce\",\"*/hard/ce\",\"gone/ce\"],"
                      "\"times\":10}}]}}]",
                      &line, &err),
              err);
    const json_t *series = first_series(line);
    assert_near(number(series, "y", 0), 50, 0);
    assert_near(number(series, "y", 1), 20, 1e-12);
    assert_true(isnan(number(series, "y", 2)));
    /* t(.975, 1) = 12.706, sd = sqrt(2), over sqrt(2). */
    assert_near(number(series, "y_high", 1), 20 + 127.06, .01);
    assert_near(number(series, "y_low", 1), 20 - 127.06, .01);
    assert_true(isnan(number(series, "y_low", 0)));
    const json_t *chart = json_array_get(json_object_get(line, "charts"), 0);
    assert_string_equal(sl_plan_text(chart, "title"), "t");
    assert_string_equal(sl_plan_text(chart, "note"), "n");
    assert_null(json_object_get(line, "galleries"));
    json_decref(line);
}

static void test_paths_find_numbers_and_shares_are_per_cent(void **state)
{
    (void)state;
    struct sl_error err;
    json_t *line;
    assert_ok(collect("[{\"title\":\"t\",\"chart\":{\"kind\":\"lines\",\"series\":[{\"name\":\"s\","
                      "\"x\":{\"output\":\"out.json\",\"path\":\"$.rows[*].x\"},"
                      "\"y\":{\"output\":\"out.json\",\"path\":\"$.counts[*]\",\"share\":true},"
                      "\"y_low\":[1,2],\"y_high\":{\"output\":\"out.json\",\"path\":"
                      "\"$.counts[*]\",\"times\":2}}]}}]",
                      &line, &err),
              err);
    const json_t *series = first_series(line);
    assert_near(number(series, "x", 0), .25, 0);
    assert_true(isnan(number(series, "x", 1)));
    assert_near(number(series, "y", 0), 25, 1e-12);
    assert_near(number(series, "y", 1), 75, 1e-12);
    assert_near(number(series, "y_low", 1), 2, 0);
    assert_near(number(series, "y_high", 1), 6, 0);
    json_decref(line);
}

static void test_numbers_that_do_not_fit_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *numbers, *part;
    } rows[] = {
        {"\"x\":[1,2,3],\"y\":{\"output\":\"out.json\",\"path\":\"$.counts[*]\"}",
         "t: series \"s\" has 3 values for x and 2 for y"},
        {"\"y\":{\"output\":\"out.json\",\"path\":\"$.word\"}",
         "t: $.word: value 1 is not a number"},
        {"\"y\":{\"output\":\"out.json\",\"path\":\"$.none\"}",
         "t: $.none: the path finds nothing"},
        {"\"y\":{\"output\":\"none.json\",\"path\":\"$.x\"}", "none.json"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sl_error err;
        json_t *line;
        char *text = sl_string_printf("[{\"title\":\"t\",\"chart\":{\"kind\":\"lines\",\"series\":"
                                      "[{\"name\":\"s\",%s}]}}]",
                                      rows[i].numbers);
        const enum sl_status status = collect(text, &line, &err);
        if (status == SL_OK || !strstr(err.message, rows[i].part))
            fail_msg("\"%s\" is not in: %s", rows[i].part, status == SL_OK ? "" : err.message);
        json_decref(line);
        free(text);
    }
}

static void test_a_gallery_says_what_it_lacks(void **state)
{
    (void)state;
    struct sl_error err;
    json_t *line;
    assert_ok(
        collect("[{\"title\":\"Pictures\",\"note\":\"n\",\"gallery\":\"out.json\"}]", &line, &err),
        err);
    const json_t *gallery = json_array_get(json_object_get(line, "galleries"), 0);
    assert_string_equal(sl_plan_text(gallery, "title"), "Pictures");
    assert_string_equal(sl_plan_text(gallery, "note"), "n");
    assert_string_equal(sl_plan_text(gallery, "lacks"), "no images");
    assert_string_equal(sl_plan_text(gallery, "word"), "w");
    json_decref(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stars_stand_for_any_text_of_a_cell),
        cmocka_unit_test(test_cells_are_values_and_means_have_intervals),
        cmocka_unit_test(test_paths_find_numbers_and_shares_are_per_cent),
        cmocka_unit_test(test_numbers_that_do_not_fit_are_named),
        cmocka_unit_test(test_a_gallery_says_what_it_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
