/* Simulated labels, from a fit to answers or from a saved model. */
#include "job_scene.h"

#define SOFT(item, who, first, second)                                                             \
    "{\"item\":\"" item "\",\"annotator\":\"" who "\",\"kind\":\"soft\",\"top\":[[\"cat\"," first  \
    "],[\"dog\"," second "]],\"impossible\":[]}\n"

static const char answers_text[] =
    "{\"softlab\":\"answers\",\"version\":1,\"classes\":[\"cat\",\"dog\",\"ship\"]}\n" SOFT(
        "1", "ann", "0.9", "0.05") SOFT("1", "bob", "0.8", "0.1") SOFT("2", "ann", "0.7", "0.2")
        SOFT("3", "ann", "0.5", "0.4") SOFT("3", "bob", "0.6", "0.3")
            SOFT("4", "ann", "0.4", "0.35");
static const char vectors_text[] = "cat 1 0.1\ndog 0.9 0.3\nship 0 1\n";
static const char reference_text[] =
    "item,cat,dog,ship\n1,1,0,0\n2,0.98,0.02,0\n3,0.5,0.5,0\n4,0.4,0.4,0.2\n";
/* The same reference with its columns reversed. */
static const char turned_text[] =
    "item,ship,dog,cat\n1,0,0,1\n2,0,0.02,0.98\n3,0,0.5,0.5\n4,0.2,0.4,0.4\n";

struct simulation_files {
    char *answers, *vectors, *reference, *turned, *model, *labels;
};

static void write_files(struct simulation_files *files)
{
    files->answers = test_job_file("soft.jsonl", answers_text);
    files->vectors = test_job_file("vectors.txt", vectors_text);
    files->reference = test_job_file("reference.csv", reference_text);
    files->turned = test_job_file("turned.csv", turned_text);
    files->model = sl_string_copy(test_path("model.json"));
    files->labels = sl_string_copy(test_path("labels.npz"));
}

static void files_release(struct simulation_files *files)
{
    free(files->answers);
    free(files->vectors);
    free(files->reference);
    free(files->turned);
    free(files->model);
    free(files->labels);
}

static struct sl_rows *run_simulation(const struct sl_simulation_job *job,
                                      struct sl_simulation_fit *fit)
{
    struct test_job_scene scene;
    struct sl_rows *rows = NULL;
    struct sl_error err;
    test_job_scene_init(&scene);
    assert_ok(sl_simulation_job_run(job, &scene.workplace, fit, &err), err);
    assert_ok(sl_rows_read(job->output, "labels", &rows, &err), err);
    return rows;
}

/* Columns of a reference are matched by name, and a saved model gives the same draws as the fitted
 * one. */
static void test_a_fit_a_saved_model_and_turned_columns_draw_the_same(void **state)
{
    (void)state;
    struct simulation_files files;
    struct sl_simulation_job job = sl_simulation_job_default();
    struct sl_simulation_fit fit[SL_SIMULATOR_PARTS] = {{0}};
    write_files(&files);
    job.fit = files.answers;
    job.reference = files.reference;
    job.vectors = files.vectors;
    job.annotators = 3;
    job.save = files.model;
    job.output = files.labels;
    struct sl_rows *fitted = run_simulation(&job, fit);
    assert_int_equal(fitted->n_rows, 4);
    assert_string_equal(fitted->classes[0], "cat");
    job.reference = files.turned;
    struct sl_rows *turned = run_simulation(&job, fit);
    assert_memory_equal(fitted->values, turned->values, 12 * sizeof(float));
    job = (struct sl_simulation_job){.parameters = files.model,
                                     .reference = files.reference,
                                     .vectors = files.vectors,
                                     .annotators = 3,
                                     .seed = 1,
                                     .output = files.labels,
                                     .provenance = "{\"of\":\"a test\"}"};
    struct sl_rows *saved = run_simulation(&job, NULL);
    assert_memory_equal(fitted->values, saved->values, 12 * sizeof(float));
    struct sl_error err;
    bool stated = false;
    assert_ok(sl_npz_file_has(files.labels, "provenance", &stated, &err), err);
    assert_true(stated);
    sl_rows_destroy(fitted);
    sl_rows_destroy(turned);
    sl_rows_destroy(saved);
    files_release(&files);
}

/* The result has the fit for low and for high entropy, as numbers and as JSON. */
static void test_a_fit_says_how_close_it_is(void **state)
{
    (void)state;
    struct simulation_files files;
    struct test_job_scene scene;
    struct sl_simulation_job job = sl_simulation_job_default();
    struct sl_simulation_fit fit[SL_SIMULATOR_PARTS] = {{0}};
    struct sl_error err;
    write_files(&files);
    test_job_scene_init(&scene);
    job.fit = files.answers;
    job.reference = files.reference;
    job.vectors = files.vectors;
    job.save = files.model;
    assert_ok(sl_simulation_job_run(&job, &scene.workplace, fit, &err), err);
    assert_false(sl_file_exists(files.labels));
    /* Answers 1 to 3 are about items of low entropy, answers 4 to 6 about items of high entropy. */
    assert_int_equal(fit[SL_SIMULATOR_LOW].n_real, 3);
    assert_near(fit[SL_SIMULATOR_LOW].real_mean[SL_SIMULATION_TOP], 0.8, 1e-6);
    assert_near(fit[SL_SIMULATOR_HIGH].real_mean[SL_SIMULATION_TOP], 0.5, 1e-6);
    json_t *value = sl_simulation_json(fit, json_string("here"));
    assert_near(json_real_value(json_object_get(
                    json_object_get(json_object_get(value, "high"),
                                    sl_simulation_statistic_names[SL_SIMULATION_TOP]),
                    "real")),
                0.5, 1e-6);
    assert_string_equal(json_string_value(json_object_get(value, "provenance")), "here");
    json_decref(value);
    files_release(&files);
}

static void test_what_a_simulation_lacks_is_named(void **state)
{
    (void)state;
    struct simulation_files files;
    struct test_job_scene scene;
    struct sl_simulation_job job = sl_simulation_job_default();
    struct sl_error err;
    struct sl_simulation_fit fit[SL_SIMULATOR_PARTS];
    write_files(&files);
    test_job_scene_init(&scene);
    const struct {
        const char **field, *value, *message;
    } steps[] = {
        {&job.parameters, files.model, "one of --fit and --parameters"},
        {&job.reference, files.reference, "--reference is missing"},
        {&job.vectors, files.vectors, "--vectors is missing"},
        {&job.output, files.labels, "nothing to do without --output or --save"},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_fails(sl_simulation_job_run(&job, &scene.workplace, fit, &err), SL_ERR_USAGE, err,
                     steps[i].message);
        *steps[i].field = steps[i].value;
    }
    job.fit = files.answers;
    assert_fails(sl_simulation_job_run(&job, &scene.workplace, fit, &err), SL_ERR_USAGE, err,
                 "one of --fit and --parameters");
    job.parameters = NULL;
    job.as_released = true;
    assert_fails(sl_simulation_job_run(&job, &scene.workplace, fit, &err), SL_ERR_USAGE, err,
                 "--as-released has no effect");
    assert_false(sl_file_exists(files.labels));
    files_release(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_simulation_lacks_is_named),
        cmocka_unit_test(test_a_fit_says_how_close_it_is),
        cmocka_unit_test(test_a_fit_a_saved_model_and_turned_columns_draw_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
