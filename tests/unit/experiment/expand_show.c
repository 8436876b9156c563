#include "experiment/run/exhibits.h"

#include "support.h"

#define HEAD                                                                                       \
    "{\"softlab\":\"experiment\",\"version\":1,\"name\":\"x\",\"title\":\"X\","                    \
    "\"needs\":[\"labels\"],\"files\":{\"a.npz\":[\"labels\",\"{data}/cifar10h/votes\"]}"
#define SERIES "\"series\":{\"A\":\"a.npz\",\"B\":\"{data}/cifar10h/b.npy\"}"
#define GALLERY(images)                                                                            \
    "{\"title\":\"Pictures\",\"gallery\":{" images SERIES                                          \
    ",\"items\":{\"command\":[\"compare\",\"a.npz\"],\"path\":\"$.x[*]\"},\"count\":2}}"
#define CHART                                                                                      \
    "{\"title\":\"Numbers\",\"note\":\"n\",\"chart\":{\"kind\":\"bars\",\"x\":{\"label\":\"l\"},"  \
    "\"series\":{\"s\":{\"y\":{\"command\":[\"compare\",\"a.npz\"],\"path\":\"$.y[*]\","           \
    "\"times\":100},\"reference\":true}}}}"

static struct sl_experiment *expand(const char *text, const struct sl_data_roots *roots)
{
    const struct sl_experiment_options options = {.roots = roots};
    struct sl_error err = {0};
    struct sl_spec *spec = NULL;
    struct sl_experiment *plan = NULL;
    test_write(test_path("spec.json"), text, strlen(text));
    assert_ok(sl_spec_read(test_path("spec.json"), "paper", &spec, &err), err);
    assert_ok(sl_experiment_create(spec, &options, &plan, &err), err);
    sl_spec_destroy(spec);
    return plan;
}

static const struct sl_job *find_job(const struct sl_experiment *plan, const char *output)
{
    for (size_t i = 0; i < plan->n_jobs; i++)
        if (strcmp(plan->jobs[i].output, output) == 0) return &plan->jobs[i];
    fail_msg("no job makes %s", output);
    abort();
}

static void test_what_is_only_shown_has_one_run_without_figures(void **state)
{
    (void)state;
    struct sl_experiment *plan = expand(HEAD ",\"show\":[" GALLERY("") "," CHART "]}", NULL);
    assert_int_equal(plan->n_runs, 1);
    const struct sl_run *run = &plan->runs[0];
    assert_null(run->missing);
    assert_null(run->absent);
    assert_int_equal(json_object_size(run->figures), 0);
    assert_int_equal(json_array_size(run->exhibits), 2);
    sl_experiment_destroy(plan);
}

static void test_a_gallery_is_a_job_that_reads_its_series_and_items(void **state)
{
    (void)state;
    struct sl_experiment *plan =
        expand(HEAD ",\"show\":[" GALLERY("\"images\":\"shapes:n=9\",") "]}", NULL);
    const json_t *exhibit = json_array_get(plan->runs[0].exhibits, 0);
    const struct sl_job *job = find_job(plan, sl_plan_text(exhibit, "gallery"));
    assert_string_equal(sl_plan_text(exhibit, "title"), "Pictures");
    assert_string_equal(sl_plan_text(job->step, "prepare"), "gallery");
    assert_string_equal(sl_plan_text(job->step, "data"), "shapes:n=9");
    assert_int_equal(json_integer_value(json_object_get(job->step, "count")), 2);
    assert_int_equal(job->n_needs, 2);
    const json_t *series = json_object_get(job->step, "series");
    const char *made = json_string_value(json_array_get(json_array_get(series, 0), 1));
    assert_string_equal(made, plan->jobs[job->needs[0]].output);
    assert_string_equal(json_string_value(json_array_get(json_array_get(series, 1), 1)),
                        "@cifar10h/b.npy");
    assert_string_equal(sl_plan_text(json_object_get(job->step, "items"), "output"),
                        plan->jobs[job->needs[1]].output);
    sl_experiment_destroy(plan);
}

static void test_a_chart_names_where_its_numbers_are(void **state)
{
    (void)state;
    struct sl_experiment *plan = expand(HEAD ",\"show\":[" CHART "]}", NULL);
    const json_t *chart = json_object_get(json_array_get(plan->runs[0].exhibits, 0), "chart");
    const json_t *series = json_array_get(json_object_get(chart, "series"), 0);
    const json_t *numbers = json_object_get(series, "y");
    assert_string_equal(sl_plan_text(series, "name"), "s");
    assert_true(json_is_true(json_object_get(series, "reference")));
    assert_true(json_is_true(
        json_object_get(find_job(plan, sl_plan_text(numbers, "output"))->step, "stdout")));
    assert_string_equal(sl_plan_text(numbers, "path"), "$.y[*]");
    assert_near(json_number_value(json_object_get(numbers, "times")), 100, 0);
    sl_experiment_destroy(plan);
}

/* The key of the only run. */
static char *key_of(const char *text, const struct sl_data_roots *roots)
{
    struct sl_experiment *plan = expand(text, roots);
    assert_int_equal(plan->n_runs, 1);
    char *key = sl_string_copy(plan->runs[0].key);
    sl_experiment_destroy(plan);
    return key;
}

static void test_the_key_is_of_all_that_is_shown_and_not_of_what_is_here(void **state)
{
    (void)state;
    static const char *const others[] = {
        HEAD ",\"show\":[" GALLERY("\"images\":\"cifar10:test\",") "]}",
        HEAD ",\"show\":[" GALLERY("") "]}",
        HEAD ",\"show\":[" GALLERY("\"images\":\"cifar10:test\",") "," CHART "]}",
    };
    const struct sl_data_roots nothing = {.given = test_path("nothing"),
                                          .folder = test_path("nothing")};
    char *keys[3];
    for (size_t i = 0; i < 3; i++)
        keys[i] = key_of(others[i], NULL);
    for (size_t i = 0; i < 3; i++)
        assert_string_not_equal(keys[i], keys[(i + 1) % 3]);
    char *here = key_of(others[0], &nothing);
    assert_string_equal(here, keys[0]);
    free(here);
    for (size_t i = 0; i < 3; i++)
        free(keys[i]);
}

static void test_labels_that_are_not_here_make_a_gallery_absent(void **state)
{
    (void)state;
    const struct sl_data_roots nothing = {.given = test_path("nothing"),
                                          .folder = test_path("nothing")};
    struct sl_experiment *plan = expand(HEAD ",\"show\":[" GALLERY("") "]}", &nothing);
    assert_int_equal(json_array_size(plan->runs[0].exhibits), 0);
    assert_non_null(sl_plan_text(plan->runs[0].absent, "Pictures"));
    assert_non_null(plan->runs[0].missing);
    sl_experiment_destroy(plan);
}

static void test_images_that_are_not_here_leave_the_distributions(void **state)
{
    (void)state;
    struct sl_error err;
    const struct sl_data_roots roots = {.given = test_path("data"), .folder = test_path("data")};
    assert_ok(sl_folder_create(test_path("data/some"), &err), err);
    test_write(test_path("data/some/a.csv"), "x", 1);
    struct sl_experiment *plan =
        expand("{\"softlab\":\"experiment\",\"version\":1,\"name\":\"x\",\"title\":\"X\","
               "\"needs\":[],\"show\":[{\"title\":\"t\",\"gallery\":{\"images\":\"cifar10:test\","
               "\"series\":{\"A\":\"{data}/some/a.csv\"},\"items\":[\"1\"]}}]}",
               &roots);
    const struct sl_run *run = &plan->runs[0];
    assert_null(run->missing);
    assert_int_equal(json_array_size(run->exhibits), 1);
    assert_non_null(strstr(sl_plan_text(run->absent, "t"), "cifar10"));
    const json_t *exhibit = json_array_get(run->exhibits, 0);
    assert_null(json_object_get(find_job(plan, sl_plan_text(exhibit, "gallery"))->step, "data"));
    sl_experiment_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_only_shown_has_one_run_without_figures),
        cmocka_unit_test(test_a_gallery_is_a_job_that_reads_its_series_and_items),
        cmocka_unit_test(test_a_chart_names_where_its_numbers_are),
        cmocka_unit_test(test_the_key_is_of_all_that_is_shown_and_not_of_what_is_here),
        cmocka_unit_test(test_labels_that_are_not_here_make_a_gallery_absent),
        cmocka_unit_test(test_images_that_are_not_here_leave_the_distributions),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
