#include "experiment/run/probe.h"
#include "experiment/run/runner.h"
#include "softlab/train.h"

#include "support.h"

/* A table on generated shapes: a training with dev items, and a test with attacks and corruptions.
 */
static const char text[] =
    "{\"softlab\":\"experiment\",\"version\":1,\"name\":\"test/cost\",\"title\":\"What it costs\","
    "\"needs\":[\"train\"],\"sets\":{\"hard\":{\"labels\":null}},"
    "\"networks\":[\"resnet:n=1,width=4\"],\"recipe\":\"quick\","
    "\"settings\":{\"epochs\":5,\"batch\":16,\"select\":\"best\"},"
    "\"data\":\"shapes:n=90,size=16\",\"dev\":\"shapes:n=40,size=16,seed=3\",\"dev_items\":20,"
    "\"items\":80,\"seeds\":[1,2],\"test_items\":50,\"tests\":{\"new\":{\"data\":"
    "\"shapes:n=60,size=16,seed=2\",\"labels\":\"hard\",\"metrics\":[\"accuracy\",\"fgsm_loss\","
    "\"pgd_loss\",\"corruption_ce\"],\"settings\":{\"attack_items\":30}}}}";

static const struct sl_data_roots nowhere = {0};

static void assert_in_factor(double value, double expected, double factor)
{
    if (!(value <= expected * factor) || !(value >= expected / factor))
        fail_msg("%g is not within a factor of %g of %g", value, factor, expected);
}

static struct sl_experiment *expand(const char *specification)
{
    const struct sl_experiment_options options = {.roots = &nowhere};
    struct sl_error err = {0};
    struct sl_spec *spec = NULL;
    struct sl_experiment *plan = NULL;
    const char *path = test_path("spec.json");
    test_write(path, specification, strlen(specification));
    assert_ok(sl_spec_read(path, "paper", &spec, &err), err);
    assert_ok(sl_experiment_create(spec, &options, &plan, &err), err);
    sl_spec_destroy(spec);
    return plan;
}

static void test_what_a_training_and_its_scores_do_is_counted(void **state)
{
    (void)state;
    struct sl_experiment *plan = expand(text);
    assert_int_equal(plan->n_runs, 2);
    const struct sl_work *training = &plan->jobs[plan->runs[0].training].work;
    assert_near(training->trained, 80 * 5, 0);
    assert_near(training->predicted, 20 * 5, 0);
    const struct sl_work *scoring = &plan->jobs[plan->runs[0].scores[0]].work;
    assert_near(scoring->trained, 0, 0);
    assert_near(scoring->attacked, 30 * (1 + 10), 0);
    assert_near(scoring->corrupted, 50 * 15, 0);
    /* clean images, 15 corruptions, and images before and after two attacks */
    assert_near(scoring->predicted, 50 + 50 * 15 + 30 * 2 * 2, 0);
    sl_experiment_destroy(plan);
}

static void test_methods_that_show_items_twice_count_twice(void **state)
{
    (void)state;
    char *mixed = sl_string_copy(text), *at = strstr(mixed, "\"batch\":16,");
    struct sl_buffer with;
    sl_buffer_init(&with, 1 << 16);
    sl_buffer_append(&with, mixed, (size_t)(at - mixed));
    sl_buffer_printf(&with, "\"method\":\"regmixup\",%s", at);
    struct sl_experiment *plan = expand(with.data);
    assert_null(plan->runs[0].missing);
    assert_near(plan->jobs[plan->runs[0].training].work.trained, 2 * 80 * 5, 0);
    sl_experiment_destroy(plan);
    sl_buffer_release(&with);
    free(mixed);
}

/* The estimated seconds of a bootstrap by softlab eval on a file of 1,200,000 bytes. */
static double seconds_of_resamples(const char *n_resamples)
{
    const char *predictions = test_path("predictions.npz");
    char *bytes = sl_alloc(1200000, 1);
    test_write(predictions, bytes, 1200000);
    char *spec = sl_string_printf(
        "{\"softlab\":\"experiment\",\"version\":1,\"name\":\"e\",\"title\":\"E\",\"compute\":"
        "{\"a/b\":{\"command\":[\"eval\",\"{spec}/predictions.npz\",\"--json\",\"--bootstrap\","
        "\"%s\"],\"path\":\"$.accuracy\"}}}",
        n_resamples);
    struct sl_error err = {0};
    struct sl_experiment *plan = expand(spec);
    struct sl_experiment_estimate cost;
    struct sl_estimator *estimator = sl_estimator_create(&nowhere, 1, 1);
    assert_ok(sl_estimator_add(estimator, plan, NULL, &cost, &err), err);
    sl_estimator_destroy(estimator);
    sl_experiment_destroy(plan);
    free(spec);
    free(bytes);
    return cost.seconds;
}

/* Measured: 10,000 predictions took 6.4 s with 1,000 resamples and .03 s without. */
static void test_resampled_predictions_take_their_time(void **state)
{
    (void)state;
    assert_in_factor(seconds_of_resamples("1000"), 6.4, 1.5);
    assert_in_factor(seconds_of_resamples("100"), .64, 1.5);
}

static void test_what_is_made_already_is_not_estimated(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_experiment *plan = expand(text);
    struct sl_experiment_estimate all, rest, none;
    struct sl_estimator *estimator = sl_estimator_create(&nowhere, 1, 1);
    const char *folder = test_path("made");
    assert_ok(sl_estimator_add(estimator, plan, NULL, &all, &err), err);
    assert_int_equal(all.n_runs, 2);
    assert_int_equal(all.n_untimed, 0);
    assert_true(all.seconds > 0);
    assert_true(all.memory > (size_t)400 << 20);
    for (size_t i = 0; i < plan->n_jobs; i++) {
        char *path = sl_path_join(folder, plan->jobs[i].output);
        *strrchr(path, '/') = '\0';
        assert_ok(sl_folder_create(path, &err), err);
        free(path);
        path = sl_path_join(folder, plan->jobs[i].output);
        test_write(path, "x", 1);
        free(path);
    }
    assert_ok(sl_estimator_add(estimator, plan, folder, &none, &err), err);
    assert_int_equal(none.n_runs, 2);
    assert_near(none.seconds, 0, 0);
    char *weights = sl_path_join(folder, plan->jobs[plan->runs[1].scores[0]].output);
    assert_int_equal(unlink(weights), 0);
    free(weights);
    assert_ok(sl_estimator_add(estimator, plan, folder, &rest, &err), err);
    assert_true(rest.seconds > 0);
    sl_estimator_destroy(estimator);
    sl_experiment_destroy(plan);
}

static void test_what_experiments_share_counts_once(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_experiment *plan = expand(text);
    struct sl_experiment_estimate one, two;
    struct sl_estimator *estimator = sl_estimator_create(&nowhere, 1, 1);
    assert_ok(sl_estimator_add(estimator, plan, NULL, &two, &err), err);
    assert_near(sl_estimator_sum(estimator).seconds, two.seconds, 1e-9);
    assert_ok(sl_experiment_only(plan, "1", &err), err);
    assert_ok(sl_estimator_add(estimator, plan, NULL, &one, &err), err);
    assert_int_equal(one.n_runs, 1);
    assert_true(one.seconds > 0 && one.seconds < two.seconds);
    const struct sl_experiment_estimate sum = sl_estimator_sum(estimator);
    assert_int_equal(sum.n_runs, 2);
    assert_near(sum.seconds, two.seconds, 1e-9);
    assert_true(sum.memory == two.memory);
    sl_estimator_destroy(estimator);
    sl_experiment_destroy(plan);
}

/* A network that cannot be timed must not count as 0 s. */
static void test_what_cannot_be_timed_is_said(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_experiment *plan = expand(text);
    struct sl_experiment_estimate estimate;
    struct sl_estimator *estimator = sl_estimator_create(&nowhere, 1, 1);
    plan->jobs[plan->runs[0].training].network = "resnet:n=none";
    assert_ok(sl_experiment_only(plan, "1", &err), err);
    assert_ok(sl_estimator_add(estimator, plan, NULL, &estimate, &err), err);
    assert_int_equal(estimate.n_untimed, 2);
    assert_non_null(strstr(estimate.problem, "none"));
    assert_int_equal(sl_estimator_sum(estimator).n_untimed, 2);
    assert_string_equal(sl_estimator_sum(estimator).problem, estimate.problem);
    sl_estimator_destroy(estimator);
    sl_experiment_destroy(plan);
}

/* The probe trains for more epochs than a short schedule allows. */
static void test_a_schedule_of_few_epochs_is_timed_too(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_experiment *plan = expand(text);
    const struct sl_job *training = &plan->jobs[plan->runs[0].training];
    struct sl_probe probe = {NAN, NAN, NAN};
    json_t *recipe = json_object_get(training->step, "recipe");
    json_object_set_new(recipe, "schedule", json_string("cosine"));
    json_object_set_new(recipe, "cosine_epochs", json_integer(5));
    assert_ok(sl_probe_training(training, &nowhere, 0, &probe, &err), err);
    assert_true(probe.trained > 0);
    sl_experiment_destroy(plan);
}

static void test_every_method_is_timed_by_its_own_steps(void **state)
{
    (void)state;
    for (const struct sl_train_method *method = sl_train_methods; method->name; method++) {
        struct sl_error err = {0};
        struct sl_experiment *plan = expand(text);
        const struct sl_job *training = &plan->jobs[plan->runs[0].training];
        struct sl_probe probe = {NAN, NAN, NAN};
        json_object_set_new(json_object_get(training->step, "recipe"), "method",
                            json_string(method->name));
        assert_ok(sl_probe_training(training, &nowhere, 0, &probe, &err), err);
        assert_true(probe.trained > 0);
        assert_true(probe.predicted > 0);
        assert_true(probe.attacked > 0);
        sl_experiment_destroy(plan);
    }
}

static void test_memory_grows_with_the_network_and_its_batch(void **state)
{
    (void)state;
    struct sl_experiment *plan = expand(text);
    struct sl_job job = plan->jobs[plan->runs[0].training];
    const size_t small = sl_job_memory(&job);
    json_t *step = json_deep_copy(job.step);
    job.step = step;
    json_object_set_new(json_object_get(step, "recipe"), "batch", json_integer(128));
    const size_t wide = sl_job_memory(&job);
    json_object_set_new(step, "network", json_string("mlp:hidden=2000"));
    const size_t large = sl_job_memory(&job);
    assert_true(small > (size_t)400 << 20);
    assert_true(wide > small);
    /* at least 768 x 2000 weights of 24 bytes */
    assert_true(large > ((size_t)400 << 20) + (size_t)768 * 2000 * 24);
    assert_true(sl_job_memory(&plan->jobs[plan->runs[0].scores[0]]) > (size_t)400 << 20);
    json_decref(step);
    sl_experiment_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_training_and_its_scores_do_is_counted),
        cmocka_unit_test(test_methods_that_show_items_twice_count_twice),
        cmocka_unit_test(test_resampled_predictions_take_their_time),
        cmocka_unit_test(test_what_is_made_already_is_not_estimated),
        cmocka_unit_test(test_what_experiments_share_counts_once),
        cmocka_unit_test(test_what_cannot_be_timed_is_said),
        cmocka_unit_test(test_a_schedule_of_few_epochs_is_timed_too),
        cmocka_unit_test(test_every_method_is_timed_by_its_own_steps),
        cmocka_unit_test(test_memory_grows_with_the_network_and_its_batch),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
