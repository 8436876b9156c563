#include "soft_scene.h"

static const float certain[] = {1, 0, 1, 0};

static void test_the_first_step_is_what_is_worked_by_hand(void **state)
{
    (void)state;
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state out = {0};
    struct soft_scene scene;
    options.max_iterations = 1;
    /* Posterior of the class (.7, .3); the crowd says 0 of such an item with probability
     * .7 x .7 + .3 x .3 = .58; one stated answer and one annotator's worth of that: .79. */
    soft_scene_write(&scene, 1, 1, 2, certain);
    soft_scene_run("ds-soft", &scene, options, &out);
    assert_near(out.posterior[0], .79, 1e-6);
    assert_near(out.posterior[1], .21, 1e-6);
    assert_near(out.trace[0], log(.5), 1e-6);
    sl_crowd_state_release(&out);
    soft_scene_release(&scene);
    /* Each answer predicts the other's vote with (1 + .58 alpha) / (1 + alpha), where the prior
     * of log alpha leaves alpha = .77636. Two answers then count as 2 (1 + alpha) / (2 + alpha) =
     * 1.27963: class 0 has .7^1.27963 / (.7^1.27963 + .3^1.27963) = .747294, the crowd says 0 with
     * .4 x .747294 + .3 = .598917, and (2 + .77636 x .598917) / 2.77636 is the opinion. */
    soft_scene_write(&scene, 1, 2, 2, certain);
    soft_scene_run("ds-soft", &scene, options, &out);
    assert_near(out.posterior[0], .887844, 1e-4);
    sl_crowd_state_release(&out);
    soft_scene_release(&scene);
}

static void test_an_answer_spread_evenly_is_no_evidence(void **state)
{
    (void)state;
    const float rows[] = {.25f, .25f, .25f, .25f, .7f, .1f, .1f, .1f, .25f, .25f, .25f, .25f};
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state out = {0};
    struct soft_scene scene;
    soft_scene_write(&scene, 3, 1, 4, rows);
    options.max_iterations = 1;
    soft_scene_run("ds-soft", &scene, options, &out);
    for (size_t k = 0; k < 4; k++)
        assert_near(out.posterior[k], .25, 1e-6);
    assert_true(out.posterior[4] > .5f && out.posterior[4] < .7f);
    sl_crowd_state_release(&out);
    soft_scene_release(&scene);
}

/* If no item has two answers, any confusion fits, so the confusion must keep its initial value. */
static void test_lone_answers_teach_no_confusion(void **state)
{
    (void)state;
    struct sl_crowd_state out = {0};
    struct soft_scene scene;
    soft_scene_make(&scene, 200, 1, 4, 0, 1);
    soft_scene_run("ds-soft", &scene, sl_crowd_options_default(), &out);
    assert_true(out.converged);
    assert_near(out.confusion[0], .7, 2e-3);
    assert_near(out.confusion[1], .1, 2e-3);
    sl_crowd_state_release(&out);
    soft_scene_release(&scene);
}

/* Annotators see class c as c with their own probability; all state .8 for what they see. */
static void make_seers(struct soft_scene *scene, size_t n_items, const double *skill,
                       size_t n_annotators)
{
    soft_scene_alloc(scene, n_items, n_annotators, 3);
    for (size_t j = 0; j < scene->votes.count; j++) {
        struct sl_rng rng;
        sl_rng_init(&rng, 11, "test.seers", 0, j);
        size_t seen = j / n_annotators % 3;
        if (sl_rng_uniform(&rng) >= skill[j % n_annotators])
            seen = (seen + 1 + sl_rng_below(&rng, 2)) % 3;
        for (size_t k = 0; k < 3; k++)
            scene->rows[j * 3 + k] = k == seen ? .8f : .1f;
    }
}

static void test_skills_are_recovered_in_order(void **state)
{
    (void)state;
    const double skill[] = {.95, .9, .8, .7, .5, 1.0 / 3};
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state out = {0};
    struct soft_scene scene;
    size_t n_right = 0;
    make_seers(&scene, 600, skill, 6);
    soft_scene_run("ds-soft", &scene, options, &out);
    for (size_t a = 0; a + 1 < 6; a++)
        assert_true(out.skill[a] > out.skill[a + 1]);
    assert_true(out.skill[0] > .8 && out.skill[5] < .5);
    for (size_t i = 0; i < 600; i++) {
        const float *row = out.posterior + i * 3;
        n_right += row[i % 3] > row[(i + 1) % 3] && row[i % 3] > row[(i + 2) % 3];
    }
    assert_true(n_right > 560);
    sl_crowd_state_release(&out);
    soft_scene_release(&scene);
}

/* Two items of one class: one that everybody is sure about, one that splits the crowd. */
static void test_what_is_odd_about_an_item_stays(void **state)
{
    (void)state;
    struct sl_crowd_state out = {0};
    struct soft_scene scene;
    soft_scene_alloc(&scene, 60, 6, 2);
    for (size_t j = 0; j < scene.votes.count; j++) {
        bool odd = j / 6 % 6 == 0;
        float first = odd ? (j % 2 ? .9f : .2f) : .95f;
        if (j / 6 % 2) first = 1 - first;
        scene.rows[2 * j] = first;
        scene.rows[2 * j + 1] = 1 - first;
    }
    soft_scene_run("ds-soft", &scene, sl_crowd_options_default(), &out);
    assert_true(out.posterior[0] < .75f && out.posterior[0] > .5f);
    assert_true(out.posterior[2 * 2] > .9f);
    sl_crowd_state_release(&out);
    soft_scene_release(&scene);
}

static void test_a_reference_teaches_confusions_that_the_crowd_cannot_see(void **state)
{
    (void)state;
    const double skill[] = {.9};
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state out = {0};
    struct soft_scene scene;
    make_seers(&scene, 600, skill, 1);
    float *reference = sl_alloc(600 * 3, sizeof *reference);
    for (size_t i = 0; i < 500; i++)
        reference[i * 3 + i % 3] = 1;
    options.reference = reference;
    soft_scene_run("ds-soft", &scene, options, &out);
    assert_true(out.skill[0] > .8);
    sl_crowd_state_release(&out);
    free(reference);
    soft_scene_release(&scene);
}

static void test_a_saved_state_is_a_start(void **state)
{
    (void)state;
    const double skill[] = {.9, .8, .7, .6};
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state first = {0}, second = {0};
    struct soft_scene scene;
    make_seers(&scene, 200, skill, 4);
    soft_scene_run("ds-soft", &scene, options, &first);
    options.resume = &first;
    soft_scene_run("ds-soft", &scene, options, &second);
    for (size_t c = 0; c < 600; c++)
        assert_near(second.posterior[c], first.posterior[c], 5e-3);
    sl_crowd_state_release(&first);
    sl_crowd_state_release(&second);
    soft_scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_step_is_what_is_worked_by_hand),
        cmocka_unit_test(test_an_answer_spread_evenly_is_no_evidence),
        cmocka_unit_test(test_lone_answers_teach_no_confusion),
        cmocka_unit_test(test_skills_are_recovered_in_order),
        cmocka_unit_test(test_what_is_odd_about_an_item_stays),
        cmocka_unit_test(test_a_reference_teaches_confusions_that_the_crowd_cannot_see),
        cmocka_unit_test(test_a_saved_state_is_a_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
