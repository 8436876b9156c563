/* The quality of a file of answers, with truth, a reference and rules beside it. */
#include "job_scene.h"

#define SOFT(item, who, first, percent)                                                            \
    "{\"item\":\"" item "\",\"annotator\":\"" who "\",\"kind\":\"soft\",\"top\":[[\"" first        \
    "\"," percent "]],\"impossible\":[]}\n"

/* ann is right in 3 of 3 answers, bob in 1 of 2. */
static const char answers_text[] =
    "{\"softlab\":\"answers\",\"version\":1,\"classes\":[\"cat\",\"dog\"]}\n" SOFT(
        "1", "ann", "cat", "0.9") SOFT("1", "bob", "dog", "0.8") SOFT("2", "ann", "dog", "0.6")
        SOFT("2", "bob", "dog", "0.7") SOFT("3", "ann", "cat", "1");
static const char truth_text[] = "item,truth\n1,cat\n2,dog\n3,cat\n";
/* Item 2 has high entropy, item 1 low entropy and item 3 neither; the rows are not in the order of
 * the answers. */
static const char reference_text[] = "item,cat,dog\n3,0.96,0.04\n2,0.5,0.5\n1,0.99,0.01\n";

static double number_of(const json_t *value, const char *key)
{
    return json_number_value(json_object_get(value, key));
}

static void test_answers_are_measured_against_truth_and_reference(void **state)
{
    (void)state;
    struct test_job_scene scene;
    struct sl_quality_job job = sl_quality_job_default();
    struct sl_measured_quality measured;
    struct sl_error err;
    char *answers = test_job_file("soft.jsonl", answers_text);
    char *truth = test_job_file("truth.csv", truth_text);
    char *reference = test_job_file("reference.csv", reference_text);
    test_job_scene_init(&scene);
    job.answers = answers;
    job.truth = truth;
    job.reference = reference;
    job.bootstrap = 20;
    assert_ok(sl_quality_job_run(&job, &scene.workplace, &measured, &err), err);
    assert_near(measured.quality.overall.top1, 0.8, 1e-9);
    assert_near(measured.quality.annotators[1].top1, 0.5, 1e-9);
    const struct sl_answer_group *high = &measured.parts[SL_QUALITY_HIGH];
    const struct sl_answer_group *low = &measured.parts[SL_QUALITY_LOW];
    assert_int_equal(high->n_answers, 2);
    assert_near(high->mean_probability, 0.65, 1e-6);
    assert_int_equal(low->n_items, 1);
    assert_near(low->mean_probability, 0.85, 1e-6);
    json_t *value = sl_measured_quality_json(&measured, json_string("here"));
    const json_t *bob = json_object_get(json_object_get(value, "annotators"), "bob");
    assert_near(number_of(bob, "top1"), 0.5, 1e-9);
    assert_non_null(json_object_get(json_object_get(bob, "suspicion"), "score"));
    assert_non_null(json_object_get(json_object_get(value, "intervals"), "top1"));
    const json_t *part = json_object_get(json_object_get(value, "by_entropy"), "low");
    assert_near(number_of(part, "first_probability"), 0.85, 1e-6);
    assert_non_null(json_object_get(json_object_get(part, "intervals"), "possible_classes"));
    assert_string_equal(json_string_value(json_object_get(value, "provenance")), "here");
    json_decref(value);
    sl_measured_quality_release(&measured);
    free(answers);
    free(truth);
    free(reference);
}

/* Without a bootstrap there are no intervals, and the JSON has none. */
static void test_nothing_is_said_of_what_was_not_asked(void **state)
{
    (void)state;
    struct test_job_scene scene;
    struct sl_quality_job job = sl_quality_job_default();
    struct sl_measured_quality measured;
    struct sl_error err;
    char *answers = test_job_file("soft.jsonl", answers_text);
    char *truth = test_job_file("some.csv", "item,truth\n1,cat\n");
    test_job_scene_init(&scene);
    job.answers = answers;
    assert_ok(sl_quality_job_run(&job, &scene.workplace, &measured, &err), err);
    assert_true(isnan(measured.quality.overall.top1));
    json_t *value = sl_measured_quality_json(&measured, NULL);
    assert_true(json_is_null(json_object_get(value, "top1")));
    assert_null(json_object_get(value, "intervals"));
    assert_null(json_object_get(value, "by_entropy"));
    assert_null(json_object_get(value, "provenance"));
    json_decref(value);
    sl_measured_quality_release(&measured);
    assert_string_equal(scene.said, "");
    job.truth = truth;
    assert_ok(sl_quality_job_run(&job, &scene.workplace, &measured, &err), err);
    assert_non_null(strstr(scene.said, "has a class for 1 of 3 items"));
    sl_measured_quality_release(&measured);
    free(answers);
    free(truth);
}

static void test_what_quality_cannot_be_measured_is_named(void **state)
{
    (void)state;
    struct test_job_scene scene;
    struct sl_quality_job job = sl_quality_job_default();
    struct sl_measured_quality measured = {0};
    struct sl_error err;
    char *answers = test_job_file("soft.jsonl", answers_text);
    char *lacking = test_job_file("lacking.csv", "item,cat,dog\n1,1,0\n2,0.5,0.5\n");
    char *percent = test_job_file("percent.csv", "item,cat,dog\n1,100,0\n2,50,50\n3,0,100\n");
    test_job_scene_init(&scene);
    assert_fails(sl_quality_job_run(&job, &scene.workplace, &measured, &err), SL_ERR_USAGE, err,
                 "ANSWERS is missing");
    job.answers = answers;
    job.exclude = "everybody";
    assert_fails(sl_quality_job_run(&job, &scene.workplace, &measured, &err), SL_ERR_USAGE, err,
                 "no rules of exclusion are called \"everybody\"");
    job.exclude = "none";
    job.reference = lacking;
    assert_fails(sl_quality_job_run(&job, &scene.workplace, &measured, &err), SL_ERR_INPUT, err,
                 "lacking.csv has no item 3");
    job.reference = percent;
    assert_fails(sl_quality_job_run(&job, &scene.workplace, &measured, &err), SL_ERR_INPUT, err,
                 "percent.csv");
    assert_null(measured.job);
    free(answers);
    free(lacking);
    free(percent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_are_measured_against_truth_and_reference),
        cmocka_unit_test(test_nothing_is_said_of_what_was_not_asked),
        cmocka_unit_test(test_what_quality_cannot_be_measured_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
