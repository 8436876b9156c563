#include "softlab/base/rows.h"
#include "study/simulate/simulate.h"
#include "study_scene.h"

/* Two people who never agree: one says circle of everything, the other square. */
static void make_answers(struct scene *scene)
{
    static const char *const said[] = {"circle", "square"};
    scene_make(scene, 3, 3, "{\"flow\": {\"practice\": false}, \"batch\": {\"repeats\": 0}}");
    scene_start(scene);
    for (unsigned person = 0; person < 2; person++) {
        char cookie[65];
        arrive(scene, "/", cookie);
        pass_to_trials(scene, cookie);
        for (unsigned trial = 0; trial < 3; trial++)
            assert_int_equal(posted(scene, "/api/answer", cookie,
                                    hard_answer(10 * person + trial, trial, false, said[person])),
                             200);
    }
    scene_stop(scene);
}

/* Every item is this class, without a doubt. */
static const char *truth_file(const struct scene *scene, size_t class_index)
{
    static char path[600];
    struct sl_rows *rows = NULL;
    struct sl_error err;
    snprintf(path, sizeof path, "%s/" SL_STUDY_TRUTH_FILE, scene->folder);
    assert_ok(sl_rows_read(path, "labels", &rows, &err), err);
    assert_int_equal(rows->n_rows, 3);
    for (size_t i = 0; i < 9; i++)
        rows->values[i] = i % 3 == class_index ? 1 : 0;
    snprintf(path, sizeof path, "%s/certain.npz", scene->folder);
    assert_ok(sl_rows_write(rows, "labels", path, &err), err);
    sl_rows_destroy(rows);
    return path;
}

static enum sl_status measure(const struct scene *scene, const char *truth, struct sl_power *power,
                              struct sl_error *err)
{
    const struct sl_power_options options = {.truth = truth, .seed = 1};
    return sl_study_power(scene->folder, &options, power, err);
}

static void test_the_error_is_what_two_who_disagree_make_it(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_power power;
    struct sl_error err;
    make_answers(&scene);
    assert_ok(measure(&scene, truth_file(&scene, 0), &power, &err), err);
    assert_int_equal(power.n_items, 3);
    assert_int_equal(power.n_answers, 6);
    /* The mean of both is (1/2, 1/2, 0): nobody is wrong in the mean but by chance. */
    assert_near(power.floor, 0, 1e-9);
    assert_near(power.spread, 1, 1e-9);
    assert_int_equal(power.rows[0].annotators, 1);
    assert_near(power.rows[0].error, 1, 1e-9);
    assert_near(power.rows[0].seconds, 1.8, 1e-9);
    assert_true(power.rows[0].variation > 0 && power.rows[0].variation < 1);
    assert_near(power.rows[1].error, sqrt(.5), 1e-9);
    assert_near(power.rows[1].variation, .5, 1e-9);
    assert_near(power.rows[1].right, 0, 1e-9); /* of equals the later */
    assert_near(power.rows[3].error, .5, 1e-9);
    assert_true(isnan(power.rows[3].variation));
    assert_int_equal(sl_power_needed(&power, 1.5), 1);
    assert_int_equal(sl_power_needed(&power, 1), 1);
    assert_int_equal(sl_power_needed(&power, .5), 4);
    assert_int_equal(sl_power_needed(&power, .1), 100);
    assert_int_equal(sl_power_needed(&power, 0), 0);
    sl_power_release(&power);
}

/* What nobody says cannot be reached by asking more people. */
static void test_what_is_wrong_in_the_mean_stays(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_power power;
    struct sl_error err;
    make_answers(&scene);
    assert_ok(measure(&scene, truth_file(&scene, 2), &power, &err), err);
    assert_near(power.floor, 1, 1e-9);
    assert_near(power.rows[1].error, sqrt(1.5), 1e-9);
    assert_near(power.rows[1].variation, 1, 1e-9);
    assert_near(power.rows[1].right, 0, 1e-9);
    assert_int_equal(sl_power_needed(&power, 1), 0);
    assert_int_equal(sl_power_needed(&power, sqrt(1.5)), 2);
    sl_power_release(&power);
}

static void test_without_answers_nothing_is_said(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_power power;
    struct sl_error err;
    scene_make(&scene, 3, 3, NULL);
    assert_fails(measure(&scene, NULL, &power, &err), SL_ERR_INPUT, err, "no item has two answers");
    snprintf(scene.folder, sizeof scene.folder, "%s", test_path("nowhere"));
    assert_fails(measure(&scene, NULL, &power, &err), SL_ERR_NOT_FOUND, err, "nowhere");
}

/* The error of one simulated annotator; `model` may be NULL. They come as test sessions, after
 * others with much more noise, whose answers are not looked at. */
static double simulated_error(double noise, const char *model)
{
    struct scene scene;
    struct sl_study_simulation options = sl_study_simulation_default();
    struct sl_simulation_result result;
    struct sl_power power;
    struct sl_error err;
    char url[64];
    scene_make(&scene, 24, 12, "{\"screens\": [\"bars\"]}");
    scene_start(&scene);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", (unsigned)scene.port);
    options.url = url;
    options.folder = scene.folder;
    options.annotators = options.at_once = 4;
    options.speed = options.slips = 0;
    options.images = false;
    options.noise = 10;
    assert_ok(sl_study_simulate(&options, &result, &err), err);
    assert_int_equal(result.after, 0);
    options.noise = noise;
    options.model = model;
    assert_ok(sl_study_simulate(&options, &result, &err), err);
    assert_int_equal(result.after, 4);
    scene_stop(&scene);
    const struct sl_power_options tests = {.seed = 1, .tests = true, .after = result.after};
    assert_ok(sl_study_power(scene.folder, &tests, &power, &err), err);
    double error = power.rows[0].error;
    assert_int_equal(power.n_items, 24);
    assert_int_equal(power.n_answers, 4 * 12);
    sl_power_release(&power);
    return error;
}

/* Drawn shapes have a true distribution, which study init keeps: who has no doubts says it. */
static void test_noise_is_what_costs_annotators(void **state)
{
    (void)state;
    double sure = simulated_error(0, NULL), unsure = simulated_error(.3, NULL);
    assert_true(sure < .03); /* percentages are rounded */
    assert_true(unsure > 3 * sure);
}

/* People who are certain of a class that is drawn from the truth. */
static void write_model(const char *path, int n_classes, const char *possible)
{
    char text[600];
    int length = snprintf(
        text, sizeof text,
        "{\"softlab\": \"simulator\", \"version\": 1, \"classes\": %d, \"threshold\": 0.25, "
        "\"low\": {\"top1\": [500, 0.5], \"top2\": [1, 500], \"answers\": 10, \"second\": 10, "
        "\"possible\": %s}, \"high\": {\"top1\": [500, 0.5], \"top2\": [1, 500], \"answers\": "
        "10, \"second\": 10, \"possible\": %s}}",
        n_classes, possible, possible);
    test_write(path, text, (size_t)length);
}

static void test_people_may_be_as_a_model_found_them(void **state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("model.json"));
    write_model(path, 3, "[1, 0, 0]");
    assert_true(simulated_error(0, path) > .1);
    struct sl_study_simulation options = sl_study_simulation_default();
    struct sl_simulation_result result;
    struct sl_error err;
    options.url = "http://127.0.0.1:1/";
    options.count = true;
    options.model = path;
    assert_fails(sl_study_simulate(&options, &result, &err), SL_ERR_USAGE, err, "study's folder");
    struct scene scene;
    scene_make(&scene, 3, 3, NULL);
    options.folder = scene.folder;
    write_model(path, 2, "[1, 0]");
    assert_fails(sl_study_simulate(&options, &result, &err), SL_ERR_INPUT, err, "2 classes");
}

static void test_json_has_the_rows_and_what_is_needed(void **state)
{
    (void)state;
    struct sl_power_row rows[] = {{.annotators = 1, .error = .5, .variation = (double)NAN},
                                  {.annotators = 2, .error = .25, .seconds = 8}};
    const struct sl_power power = {.n_items = 3, .spread = .5, .rows = rows, .n_rows = 2};
    json_t *json = sl_power_json(&power, .25);
    const json_t *list = json_object_get(json, "rows");
    assert_int_equal(json_integer_value(json_object_get(json, "needed")), 4);
    assert_int_equal(json_array_size(list), 2);
    assert_true(json_is_null(json_object_get(json_array_get(list, 0), "variation")));
    assert_near(json_number_value(json_object_get(json_array_get(list, 1), "seconds")), 8, 0);
    json_decref(json);
    json = sl_power_json(&power, 0);
    assert_true(json_is_null(json_object_get(json, "needed")));
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_error_is_what_two_who_disagree_make_it),
        cmocka_unit_test(test_what_is_wrong_in_the_mean_stays),
        cmocka_unit_test(test_without_answers_nothing_is_said),
        cmocka_unit_test(test_noise_is_what_costs_annotators),
        cmocka_unit_test(test_people_may_be_as_a_model_found_them),
        cmocka_unit_test(test_json_has_the_rows_and_what_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
