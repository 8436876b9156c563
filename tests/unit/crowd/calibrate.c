#include "soft_scene.h"

static void fit(const struct soft_scene *scene, const float *reference, struct sl_calibration *out)
{
    struct sl_error err;
    assert_ok(sl_calibration_fit(&scene->votes, reference, NULL, out, &err), err);
}

static void apply(const struct sl_calibration *calibration, struct soft_scene *scene)
{
    struct sl_error err;
    assert_ok(sl_calibration_apply(calibration, &scene->votes, NULL, scene->rows, &err), err);
}

static void test_a_calibrated_row_is_what_is_worked_by_hand(void **state)
{
    (void)state;
    double temperature[] = {2, .5}, bias[] = {0, 1};
    const struct sl_calibration calibration = {2, 1, 0, temperature, bias};
    struct soft_scene scene;
    /* q' = .99 q + .005 = (.797, .203): its square roots .892749, .450555, over 1.343304. */
    soft_scene_write(&scene, 1, 2, 2, (const float[]){.8f, .2f, .8f, .2f});
    apply(&calibration, &scene);
    assert_near(scene.rows[0], .664592, 1e-5);
    assert_near(scene.rows[1], .335408, 1e-5);
    /* Squares .635209, .041209; the first times e: 1.726677, over 1.767886. */
    assert_near(scene.rows[2], .976690, 1e-5);
    assert_near(scene.rows[3], .023310, 1e-5);
    soft_scene_release(&scene);
}

static void test_a_bias_is_shared_by_ties(void **state)
{
    (void)state;
    double temperature[] = {1}, bias[] = {2};
    const struct sl_calibration calibration = {1, 1, 0, temperature, bias};
    struct soft_scene scene;
    soft_scene_write(&scene, 1, 1, 3, (const float[]){.4f, .4f, .2f});
    apply(&calibration, &scene);
    assert_near(scene.rows[0], scene.rows[1], 1e-7);
    assert_near(scene.rows[0] / scene.rows[2], exp(1) * (.396 + .01 / 3) / (.198 + .01 / 3), 1e-4);
    soft_scene_release(&scene);
}

static void test_nothing_to_learn_from_changes_nothing(void **state)
{
    (void)state;
    struct soft_scene scene;
    struct sl_calibration calibration = {0};
    soft_scene_make(&scene, 20, 1, 3, 0, 1);
    fit(&scene, NULL, &calibration);
    assert_near(calibration.crowd_temperature, 1, 0);
    assert_near(calibration.crowd_bias, 0, 0);
    assert_near(calibration.temperature[0], 1, 0);
    assert_near(calibration.bias[0], 0, 0);
    sl_calibration_release(&calibration);
    soft_scene_release(&scene);
}

/* Annotator a states p^power[a] exp(-bias[a] on its top), so that undoing it takes the
 * temperature power[a] and, after that, the bias. */
static void make_distorted(struct soft_scene *scene, float *reference, size_t n_items,
                           size_t n_annotators, const double *power, const double *bias)
{
    soft_scene_alloc(scene, n_items, n_annotators, 4);
    for (size_t i = 0; i < n_items; i++) {
        struct sl_rng rng;
        float *p = reference + i * 4;
        sl_rng_init(&rng, 3, "test.distorted", 0, i);
        for (size_t k = 0; k < 4; k++)
            p[k] = (float)(.05 + sl_rng_gamma(&rng, 1));
        p[i % 4] += 12;
        soft_scene_scale(p, 4);
        for (size_t a = 0; a < n_annotators; a++) {
            float *row = scene->rows + (i * n_annotators + a) * 4;
            for (size_t k = 0; k < 4; k++)
                row[k] = (float)(pow((double)p[k], power[a]) * exp(k == i % 4 ? -bias[a] : 0));
            soft_scene_scale(row, 4);
        }
    }
}

static void test_known_temperatures_are_recovered(void **state)
{
    (void)state;
    const double power[] = {.7, 1, 1.4}, bias[] = {0, 0, 0};
    struct soft_scene scene;
    struct sl_calibration calibration = {0};
    float *reference = sl_alloc(2000 * 4, sizeof *reference);
    make_distorted(&scene, reference, 2000, 3, power, bias);
    fit(&scene, reference, &calibration);
    for (size_t a = 0; a < 3; a++) {
        assert_near(calibration.temperature[a], power[a], .1 * power[a]);
        assert_near(calibration.bias[a], 0, .2);
    }
    sl_calibration_release(&calibration);
    soft_scene_release(&scene);
    free(reference);
}

static void test_a_known_bias_is_recovered(void **state)
{
    (void)state;
    const double power[] = {1, 1}, bias[] = {0, .8};
    struct soft_scene scene;
    struct sl_calibration calibration = {0};
    float *reference = sl_alloc(2000 * 4, sizeof *reference);
    make_distorted(&scene, reference, 2000, 2, power, bias);
    fit(&scene, reference, &calibration);
    assert_near(calibration.bias[0], 0, .15);
    assert_near(calibration.bias[1], .8, .15);
    sl_calibration_release(&calibration);
    soft_scene_release(&scene);
    free(reference);
}

static void test_few_answers_stay_near_the_crowd(void **state)
{
    (void)state;
    const double power[] = {1, 1, 1, 2}, bias[] = {0, 0, 0, 0};
    struct soft_scene scene;
    struct sl_calibration calibration = {0};
    float *reference = sl_alloc(3 * 4, sizeof *reference);
    make_distorted(&scene, reference, 3, 4, power, bias);
    fit(&scene, reference, &calibration);
    for (size_t a = 0; a < 4; a++)
        assert_near(calibration.temperature[a], calibration.crowd_temperature, .2);
    sl_calibration_release(&calibration);
    soft_scene_release(&scene);
    free(reference);
}

/* Everybody sees the class with probability .7 of 3; the even ones state .97 for it, the odd ones
 * .5. Whom they state it to agrees with them with probability .49 + .09 / 2 = .535. */
static void test_the_bold_and_the_shy_come_to_what_the_others_bear_out(void **state)
{
    (void)state;
    struct soft_scene scene;
    struct sl_calibration calibration = {0};
    soft_scene_alloc(&scene, 1000, 4, 3);
    for (size_t j = 0; j < scene.votes.count; j++) {
        struct sl_rng rng;
        sl_rng_init(&rng, 5, "test.bold", 0, j);
        size_t seen = j / 4 % 3;
        if (sl_rng_uniform(&rng) >= .7) seen = (seen + 1 + sl_rng_below(&rng, 2)) % 3;
        for (size_t k = 0; k < 3; k++)
            scene.rows[j * 3 + k] = j % 2 ? (k == seen ? .5f : .25f) : (k == seen ? .97f : .015f);
    }
    fit(&scene, NULL, &calibration);
    assert_true(calibration.temperature[0] > calibration.temperature[1]);
    apply(&calibration, &scene);
    for (size_t j = 0; j < 4; j++) {
        float largest = scene.rows[j * 3];
        for (size_t k = 1; k < 3; k++)
            largest = fmaxf(largest, scene.rows[j * 3 + k]);
        assert_near(largest, .535, .04);
    }
    sl_calibration_release(&calibration);
    soft_scene_release(&scene);
}

/* An annotator who is always wrong is flattened, never inverted. */
static void test_a_temperature_is_always_positive(void **state)
{
    (void)state;
    struct soft_scene scene;
    struct sl_calibration calibration = {0};
    float *reference = sl_alloc(300 * 2, sizeof *reference);
    soft_scene_alloc(&scene, 300, 1, 2);
    for (size_t i = 0; i < 300; i++) {
        reference[2 * i + i % 2] = 1;
        scene.rows[2 * i + i % 2] = .01f;
        scene.rows[2 * i + 1 - i % 2] = .99f;
    }
    fit(&scene, reference, &calibration);
    assert_true(calibration.temperature[0] > 0 && calibration.temperature[0] <= 20.0001);
    assert_true(isfinite(calibration.bias[0]));
    sl_calibration_release(&calibration);
    soft_scene_release(&scene);
    free(reference);
}

static void test_bad_answers_are_refused(void **state)
{
    (void)state;
    struct soft_scene scene;
    struct sl_calibration calibration = {0};
    struct sl_error err;
    soft_scene_write(&scene, 1, 1, 2, (const float[]){NAN, .5f});
    assert_fails(sl_calibration_fit(&scene.votes, NULL, NULL, &calibration, &err), SL_ERR_INPUT,
                 err, "answer 0");
    assert_null(calibration.temperature);
    soft_scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_calibrated_row_is_what_is_worked_by_hand),
        cmocka_unit_test(test_a_bias_is_shared_by_ties),
        cmocka_unit_test(test_nothing_to_learn_from_changes_nothing),
        cmocka_unit_test(test_known_temperatures_are_recovered),
        cmocka_unit_test(test_a_known_bias_is_recovered),
        cmocka_unit_test(test_few_answers_stay_near_the_crowd),
        cmocka_unit_test(test_the_bold_and_the_shy_come_to_what_the_others_bear_out),
        cmocka_unit_test(test_a_temperature_is_always_positive),
        cmocka_unit_test(test_bad_answers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
