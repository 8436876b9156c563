#include "softlab/study/check.h"
#include "study_scene.h"

static void test_a_review_has_findings_effort_and_links(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_findings findings = {0};
    const struct sl_study_inspection how = {.now = 1700000000000, .pictures = true, .texts = true};
    struct sl_study_review review;
    struct sl_study_effort effort;
    struct sl_error err;
    scene_make(&scene, 12, 4, "{\"title\": \"TODO\", \"lease_minutes\": 1}");
    assert_ok(sl_study_read(scene.folder, &study, &err), err);
    assert_ok(sl_study_store(study, false, &store, &err), err);
    assert_ok(sl_study_inspect(study, store, &how, &findings, &err), err);
    assert_ok(sl_study_effort(study, store, &effort, &err), err);
    assert_ok(sl_study_review(study, store, "https://x.org", 1700000000000, &review, &err), err);
    assert_true(review.findings.n_errors > 0);
    assert_true(review.findings.count > review.findings.n_errors);
    assert_int_equal(review.findings.count, findings.count);
    assert_int_equal(review.findings.n_errors, findings.n_errors);
    assert_int_equal(review.effort.n_trials, effort.n_trials);
    json_t *json = sl_study_review_json(&review);
    const size_t n_errors = (size_t)json_integer_value(json_object_get(json, "errors"));
    const size_t n_warnings = (size_t)json_integer_value(json_object_get(json, "warnings"));
    assert_int_equal(n_errors, review.findings.n_errors);
    assert_int_equal(n_errors + n_warnings, json_array_size(json_object_get(json, "findings")));
    const json_t *links = json_object_get(json, "links");
    assert_string_equal(json_string_value(json_object_get(links, "annotators")), "https://x.org/");
    /* The token of the test link was made. */
    assert_non_null(strstr(json_string_value(json_object_get(links, "test")), "?test="));
    json_decref(json);
    sl_study_review_release(&review);
    assert_null(review.links);
    assert_int_equal(review.findings.count, 0);
    sl_findings_release(&findings);
    sl_store_close(store);
    sl_study_destroy(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_review_has_findings_effort_and_links),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
