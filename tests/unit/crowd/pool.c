#include "soft_scene.h"

static const char *const pools[] = {"pool-linear", "pool-log"};

static void test_two_mirrored_answers_pool_to_what_is_worked_by_hand(void **state)
{
    (void)state;
    const float rows[] = {.6f, .3f, .1f, .3f, .6f, .1f};
    struct sl_crowd_state out = {0};
    struct soft_scene scene;
    soft_scene_write(&scene, 1, 2, 3, rows);
    soft_scene_run("pool-linear", &scene, sl_crowd_options_default(), &out);
    assert_near(out.posterior[0], .45, 1e-6);
    assert_near(out.posterior[1], .45, 1e-6);
    assert_near(out.posterior[2], .1, 1e-6);
    sl_crowd_state_release(&out);
    /* sqrt(.18), sqrt(.18), .1 over their sum .948528 */
    soft_scene_run("pool-log", &scene, sl_crowd_options_default(), &out);
    assert_near(out.posterior[0], .447287, 1e-5);
    assert_near(out.posterior[1], .447287, 1e-5);
    assert_near(out.posterior[2], .105427, 1e-5);
    sl_crowd_state_release(&out);
    soft_scene_release(&scene);
}

static void test_the_background_grows_when_answers_miss_each_other(void **state)
{
    (void)state;
    struct sl_crowd_state out = {0};
    struct soft_scene scene;
    soft_scene_alloc(&scene, 50, 2, 4);
    for (size_t i = 0; i < 50; i++) {
        scene.rows[8 * i + i % 4] = 1;
        scene.rows[8 * i + 4 + (i % 5 ? i % 4 : (i + 1) % 4)] = 1;
    }
    soft_scene_run("pool-linear", &scene, sl_crowd_options_default(), &out);
    /* Of 100 predictions 20 miss: -80 log p(hit) - 20 log p(miss) + w with p(miss) = (w / 4) /
     * (1 + w) is least at w = .35415, p(miss) = .0654. Two answers then weigh 2 against that. */
    assert_near(out.posterior[1 * 4 + 3], .35415 / 4 / 2.35415, 1e-4);
    assert_near(out.posterior[1 * 4 + 1], (2 + .35415 / 4) / 2.35415, 1e-4);
    sl_crowd_state_release(&out);
    soft_scene_release(&scene);
}

static void test_identical_annotators_give_their_distribution(void **state)
{
    (void)state;
    struct soft_scene one, same;
    soft_scene_make(&one, 25, 1, 5, 0, 1);
    soft_scene_alloc(&same, 25, 4, 5);
    for (size_t i = 0; i < 25; i++) {
        float *row = one.rows + i * 5;
        for (size_t k = 0; k < 5; k++)
            if (row[k] > 0 && row[k] < .002f) row[k] = .002f;
        soft_scene_scale(row, 5);
        for (size_t a = 0; a < 4; a++)
            memcpy(same.rows + (i * 4 + a) * 5, row, 5 * sizeof *row);
    }
    for (size_t p = 0; p < 2; p++) {
        struct sl_crowd_state out = {0};
        soft_scene_run(pools[p], &same, sl_crowd_options_default(), &out);
        for (size_t c = 0; c < 25 * 5; c++)
            assert_near(out.posterior[c], one.rows[c], 1e-5);
        for (size_t a = 0; a < 4; a++)
            assert_near(out.skill[a], 1, 0);
        sl_crowd_state_release(&out);
    }
    soft_scene_release(&one);
    soft_scene_release(&same);
}

static void double_scene(const struct soft_scene *from, struct soft_scene *to)
{
    const size_t n_annotators = from->votes.n_annotators, n_classes = from->votes.n_classes;
    soft_scene_alloc(to, from->votes.n_items, 2 * n_annotators, n_classes);
    for (size_t j = 0; j < to->votes.count; j++) {
        size_t item = j / (2 * n_annotators), annotator = j % (2 * n_annotators) % n_annotators;
        memcpy(to->rows + j * n_classes, from->rows + (item * n_annotators + annotator) * n_classes,
               n_classes * sizeof *to->rows);
    }
}

static void test_counting_every_annotator_twice_reorders_no_class(void **state)
{
    (void)state;
    struct soft_scene once, twice;
    soft_scene_make(&once, 60, 4, 5, 1, 5);
    double_scene(&once, &twice);
    for (size_t p = 0; p < 2; p++) {
        struct sl_crowd_state first = {0}, second = {0};
        soft_scene_run(pools[p], &once, sl_crowd_options_default(), &first);
        soft_scene_run(pools[p], &twice, sl_crowd_options_default(), &second);
        for (size_t a = 0; a < 4; a++) {
            assert_near(second.skill[a], first.skill[a], 1e-6);
            assert_near(second.skill[a + 4], first.skill[a], 1e-6);
        }
        for (size_t i = 0; i < 60; i++)
            for (size_t pair = 0; pair < 25; pair++) {
                const float *x = first.posterior + i * 5, *y = second.posterior + i * 5;
                if (x[pair / 5] > x[pair % 5] + 1e-5f) assert_true(y[pair / 5] >= y[pair % 5]);
            }
        sl_crowd_state_release(&first);
        sl_crowd_state_release(&second);
    }
    soft_scene_release(&once);
    soft_scene_release(&twice);
}

static void test_a_random_annotator_gets_a_low_weight(void **state)
{
    (void)state;
    struct soft_scene scene;
    soft_scene_make(&scene, 80, 6, 4, 1, 2);
    for (size_t p = 0; p < 2; p++) {
        struct sl_crowd_state out = {0};
        soft_scene_run(pools[p], &scene, sl_crowd_options_default(), &out);
        for (size_t a = 0; a < 5; a++)
            assert_true(out.skill[5] < .6 * out.skill[a]);
        sl_crowd_state_release(&out);
    }
    soft_scene_release(&scene);
}

static void test_strong_shrinkage_gives_equal_weights(void **state)
{
    (void)state;
    struct soft_scene scene;
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state out = {0};
    options.shrinkage = 1e12;
    soft_scene_make(&scene, 20, 4, 3, 1, 2);
    soft_scene_run("pool-linear", &scene, options, &out);
    for (size_t a = 0; a < 4; a++)
        assert_near(out.skill[a], 1, 1e-9);
    sl_crowd_state_release(&out);
    soft_scene_release(&scene);
}

/* The one who states the reference outweighs the crowd that does not. */
static void test_a_reference_decides_the_weights(void **state)
{
    (void)state;
    struct soft_scene scene;
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state out = {0};
    soft_scene_make(&scene, 40, 4, 3, 1, 6);
    float *reference = sl_alloc(40 * 3, sizeof *reference);
    for (size_t i = 0; i < 30; i++)
        memcpy(reference + i * 3, scene.rows + (i * 4 + 3) * 3, 3 * sizeof *reference);
    options.reference = reference;
    for (size_t p = 0; p < 2; p++) {
        soft_scene_run(pools[p], &scene, options, &out);
        assert_near(out.skill[3], 1, 0);
        for (size_t a = 0; a < 3; a++)
            assert_true(out.skill[a] < .5);
        sl_crowd_state_release(&out);
    }
    free(reference);
    soft_scene_release(&scene);
}

/* One zero of one annotator is a strong opinion, not a veto. */
static void test_no_annotator_can_rule_out_a_class_alone(void **state)
{
    (void)state;
    const float rows[] = {.9f, .1f, .9f, .1f, 0, 1};
    struct sl_crowd_state out = {0};
    struct soft_scene scene;
    soft_scene_write(&scene, 1, 3, 2, rows);
    soft_scene_run("pool-log", &scene, sl_crowd_options_default(), &out);
    assert_true(out.posterior[0] > .1f);
    sl_crowd_state_release(&out);
    soft_scene_release(&scene);
}

static void test_given_weights_take_the_place_of_learned_ones(void **state)
{
    (void)state;
    const float rows[] = {.6f, .3f, .1f, .3f, .6f, .1f};
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state out = {0};
    struct soft_scene scene;
    soft_scene_write(&scene, 1, 2, 3, rows);
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
        options.weights = (const double[]){3, 0};
        soft_scene_run(pools[i], &scene, options, &out);
        assert_near(out.posterior[0], .6, 1e-6);
        assert_near(out.weight[0], 3, 0);
        assert_near(out.weight[1], 0, 0);
        sl_crowd_state_release(&out);
    }
    options.weights = (const double[]){3, 1};
    soft_scene_run("pool-linear", &scene, options, &out);
    assert_true(out.posterior[0] > out.posterior[1]);
    assert_near(out.posterior[2], .1, .05);
    sl_crowd_state_release(&out);
    soft_scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_given_weights_take_the_place_of_learned_ones),
        cmocka_unit_test(test_two_mirrored_answers_pool_to_what_is_worked_by_hand),
        cmocka_unit_test(test_the_background_grows_when_answers_miss_each_other),
        cmocka_unit_test(test_identical_annotators_give_their_distribution),
        cmocka_unit_test(test_counting_every_annotator_twice_reorders_no_class),
        cmocka_unit_test(test_a_random_annotator_gets_a_low_weight),
        cmocka_unit_test(test_strong_shrinkage_gives_equal_weights),
        cmocka_unit_test(test_a_reference_decides_the_weights),
        cmocka_unit_test(test_no_annotator_can_rule_out_a_class_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
