#include "softlab/experiment.h"

#include "support.h"

#define ASKING                                                                                     \
    "{\"softlab\":\"experiment\",\"version\":1,\"name\":\"x\",\"title\":\"X\",\n"                  \
    "\"needs\":[\"train\"],\"sets\":{\"a\":{\"labels\":[\"labels\",\"{spec}/votes.jsonl\","        \
    "\"--method\",\"share\"]}},\"references\":{\"truth\":{\"labels\":[\"labels\","                 \
    "\"{spec}/truth.csv\",\"--method\",\"ensemble\"]}},\n"                                         \
    "\"networks\":[\"resnet8\"],\"recipe\":\"quick\",\"data\":\"shapes:n=6\",\"seeds\":[1],"       \
    "\"tests\":{\"new\":{\"data\":\"shapes:n=6,seed=2\",\"labels\":\"hard\","                      \
    "\"metrics\":[\"accuracy\"]}},\n"                                                              \
    "\"table\":{\"rows\":[\"set\"],\"columns\":[\"labels/js\",\"labels/seconds\",\"new/"           \
    "accuracy\"],"                                                                                 \
    "\"pool\":[\"seed\"],\"interval\":\"t95\",\"cells\":{}},\n"                                    \
    "\"answer\":{\"reference\":\"truth\",\"against\":\"a\",\"distance\":\"labels/js\","            \
    "\"model\":\"new/accuracy\"}}\n"

/* The plan of ASKING with these files in its folder; NULL: no such file. */
static struct sl_experiment *plan_with(const char *votes, const char *truth)
{
    struct sl_error err;
    struct sl_spec *spec = NULL;
    struct sl_experiment *plan = NULL;
    const struct sl_experiment_options options = {.roots = NULL};
    unlink(test_path("votes.jsonl"));
    unlink(test_path("truth.csv"));
    const char *path = test_path("spec.json");
    assert_ok(sl_file_write(path, ASKING, strlen(ASKING), &err), err);
    if (votes) assert_ok(sl_file_write(test_path("votes.jsonl"), votes, strlen(votes), &err), err);
    if (truth) assert_ok(sl_file_write(test_path("truth.csv"), truth, strlen(truth), &err), err);
    assert_ok(sl_spec_read(path, "paper", &spec, &err), err);
    assert_ok(sl_experiment_create(spec, &options, &plan, &err), err);
    sl_spec_destroy(spec);
    assert_int_equal(plan->n_runs, 1);
    return plan;
}

static void test_runs_are_measured_and_named_by_what_is_in_their_files(void **state)
{
    (void)state;
    struct sl_experiment *one = plan_with("votes", "truth"), *same = plan_with("votes", "truth");
    struct sl_experiment *other = plan_with("votes", "another truth");
    const json_t *seconds = json_object_get(one->runs[0].measured, "labels/seconds");
    const json_t *distance = json_object_get(one->runs[0].measured, "labels/js");
    assert_string_equal(json_string_value(json_object_get(distance, "path")), "$.mean.js");
    assert_string_equal(json_string_value(json_object_get(seconds, "path")), "$.seconds_per_label");
    const json_t *items = json_object_get(one->runs[0].measured, "labels/items");
    assert_string_equal(json_string_value(json_object_get(items, "path")), "$.labels");
    assert_string_equal(one->runs[0].key, same->runs[0].key);
    assert_string_not_equal(one->runs[0].key, other->runs[0].key);
    sl_experiment_destroy(one);
    sl_experiment_destroy(same);
    sl_experiment_destroy(other);
}

static void test_a_file_that_is_not_beside_the_specification_is_missed(void **state)
{
    (void)state;
    struct sl_experiment *plan = plan_with("votes", NULL);
    const char *reason = json_string_value(json_object_get(plan->runs[0].absent, "labels/js"));
    assert_non_null(reason);
    assert_non_null(strstr(reason, "truth.csv"));
    sl_experiment_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_are_measured_and_named_by_what_is_in_their_files),
        cmocka_unit_test(test_a_file_that_is_not_beside_the_specification_is_missed),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
