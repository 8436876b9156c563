/* Mixing functions from a file of answers to a file of curves. */
#include "softlab/label/mixing.h"

#include "job_scene.h"

#define MIXED(share, who, seen)                                                                    \
    "{\"item\":\"mixed_" share "_Cat_1_Dog_2.png\",\"annotator\":\"" who "\",\"kind\":\"mix\","    \
    "\"endpoints\":[\"cat\",\"dog\"],\"lambda\":" seen ",\"generated\":" share "}\n"

static const char answers_text[] =
    "{\"softlab\":\"answers\",\"version\":1,\"classes\":[\"cat\",\"dog\"]}\n" MIXED("0.25", "ann",
                                                                                    "0.2")
        MIXED("0.5", "ann", "0.5") MIXED("0.75", "ann", "0.9") MIXED("0.75", "bob", "0.8");

static void read_functions(const char *path, struct sl_mixing_functions **out)
{
    struct sl_json json;
    struct sl_error err;
    assert_ok(sl_json_read(path, 1 << 16, &json, &err), err);
    assert_ok(sl_mixing_from_json(&json, out, &err), err);
    sl_json_release(&json);
}

static void test_curves_are_fitted_and_counted(void **state)
{
    (void)state;
    struct test_job_scene scene;
    struct sl_mixing_job job = sl_mixing_job_default();
    struct sl_mixing_functions *functions = NULL;
    struct sl_error err;
    char *answers = test_job_file("mix.jsonl", answers_text);
    char *output = sl_string_copy(test_path("fitted.json"));
    test_job_scene_init(&scene);
    job.answers = answers;
    job.output = output;
    assert_ok(sl_mixing_job_run(&job, &scene.workplace, &err), err);
    assert_string_equal(scene.said, "info: fitted curves: 1 of 1 class pair, answers: 4\n");
    read_functions(output, &functions);
    assert_true(functions->pairs[1].fitted);
    assert_int_equal(functions->pairs[1].n_answers, 4);
    /* The annotators overestimate the cat at a share of 0.75 and underestimate it at 0.25. */
    assert_true(sl_mixing_value(functions, 0, 1, 0.75) > 0.78);
    assert_true(sl_mixing_value(functions, 0, 1, 0.25) < 0.25);
    sl_mixing_functions_destroy(functions);
    free(answers);
    free(output);
}

/* One listed item is too few for a fit, and the log says so; a given curve needs only the
 * classes. */
static void test_the_identity_and_a_given_curve(void **state)
{
    (void)state;
    struct test_job_scene scene;
    struct sl_mixing_job job = sl_mixing_job_default();
    struct sl_mixing_functions *functions = NULL;
    struct sl_error err;
    char *answers = test_job_file("mix.jsonl", answers_text);
    char *only = test_job_file("only.txt", "mixed_0.5_Cat_1_Dog_2.png\nnobody.png\n");
    char *output = sl_string_copy(test_path("few.json"));
    test_job_scene_init(&scene);
    job.answers = answers;
    job.only = only;
    job.output = output;
    assert_ok(sl_mixing_job_run(&job, &scene.workplace, &err), err);
    assert_non_null(strstr(scene.said, "1 of 2 items has no answers, the first is nobody.png"));
    assert_non_null(strstr(scene.said, "warning: fitted curves: 0 of 1 class pair, answers: 1; "
                                       "the identity is used for the rest"));
    read_functions(output, &functions);
    assert_near(sl_mixing_value(functions, 0, 1, 0.3), 0.3, 1e-12);
    sl_mixing_functions_destroy(functions);
    job.only = NULL;
    job.k = 10;
    assert_fails(sl_mixing_job_run(&job, &scene.workplace, &err), SL_ERR_USAGE, err, "together");
    job.x0 = 0.5;
    test_job_scene_init(&scene);
    assert_ok(sl_mixing_job_run(&job, &scene.workplace, &err), err);
    assert_string_equal(scene.said, "");
    read_functions(output, &functions);
    assert_near(sl_mixing_value(functions, 0, 1, 0.6), 1 / (1 + exp(-1)), 1e-9);
    sl_mixing_functions_destroy(functions);
    free(answers);
    free(only);
    free(output);
}

static void test_what_is_missing_is_named_and_nothing_written(void **state)
{
    (void)state;
    struct test_job_scene scene;
    struct sl_mixing_job job = sl_mixing_job_default();
    struct sl_error err;
    char *strangers = test_job_file("strangers.txt", "nobody.png\n");
    char *answers = test_job_file("mix.jsonl", answers_text);
    char *output = sl_string_copy(test_path("none.json"));
    test_job_scene_init(&scene);
    assert_fails(sl_mixing_job_run(&job, &scene.workplace, &err), SL_ERR_USAGE, err, "--output");
    job.output = output;
    assert_fails(sl_mixing_job_run(&job, &scene.workplace, &err), SL_ERR_USAGE, err, "ANSWERS");
    job.answers = answers;
    job.only = strangers;
    assert_fails(sl_mixing_job_run(&job, &scene.workplace, &err), SL_ERR_INPUT, err,
                 "of its 1 line, none is an item that has answers");
    assert_false(sl_file_exists(output));
    free(strangers);
    free(answers);
    free(output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curves_are_fitted_and_counted),
        cmocka_unit_test(test_the_identity_and_a_given_curve),
        cmocka_unit_test(test_what_is_missing_is_named_and_nothing_written),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
