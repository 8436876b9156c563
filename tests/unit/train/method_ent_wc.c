#include "train_method_scene.h"

/* One item of four classes that the network cannot tell apart: H = log 4, so the weight is 1/2, or
 * kappa if that is more. */
static void test_the_weight_is_log_2_over_the_entropy_by_hand(void **state)
{
    static const struct {
        double kappa, weight;
    } cases[] = {{0, .5}, {.2, .5}, {.7, .7}, {1, 1}};
    static const float logits[] = {3, 3, 3, 3};
    float targets[] = {0, 1, 0, 0}, gradient[4];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct method_scene *scene = scene_create("ent-wc");
        scene->recipe.kappa = cases[i].kappa;
        scene_start(scene);
        const struct sl_method_batch batch = {.count = 1, .targets = targets, .n_classes = 4};
        double total = 0;
        scene->method->row->steps->loss(scene->method, &batch, logits, gradient, &total);
        assert_near(total, cases[i].weight * log(4), 1e-12);
        /* The entropy is at its maximum: it has no slope. */
        assert_near(gradient[0], cases[i].weight / 4, 1e-7);
        assert_near(gradient[1], -cases[i].weight * 3 / 4, 1e-7);
        scene_destroy(scene);
    }
}

/* p = (1/2, 1/4, 1/8, 1/8): H = 1.75 log 2, so w = 4/7; with a target on the first class the loss
 * is log 2, and dH/dz = -p (log p + H) = log 2 (-3/8, 1/16, 5/32, 5/32). */
static void test_the_gradient_goes_through_the_entropy_unless_detached(void **state)
{
    static const double p[] = {.5, .25, .125, .125};
    static const double entropy_slope[] = {-3 / 8.0, 1 / 16.0, 5 / 32.0, 5 / 32.0};
    float targets[] = {1, 0, 0, 0}, gradient[4], logits[4];
    (void)state;
    for (size_t k = 0; k < 4; k++)
        logits[k] = (float)log(p[k]);
    for (int detach = 0; detach < 2; detach++) {
        struct method_scene *scene = scene_create("ent-wc");
        scene->recipe.detach = detach;
        scene_start(scene);
        const struct sl_method_batch batch = {.count = 1, .targets = targets, .n_classes = 4};
        double total = 0;
        scene->method->row->steps->loss(scene->method, &batch, logits, gradient, &total);
        assert_near(total, 4 / 7.0 * log(2), 1e-7);
        for (size_t k = 0; k < 4; k++) {
            const double plain = 4 / 7.0 * (p[k] - (double)targets[k]);
            const double through = -4 / 7.0 / 1.75 * log(2) * entropy_slope[k];
            assert_near(gradient[k], detach ? plain : plain + through, 1e-7);
        }
        scene_destroy(scene);
    }
}

static void test_with_a_kappa_of_1_it_is_mixup(void **state)
{
    (void)state;
    struct method_scene *scene = scene_create("ent-wc"), *mixup = scene_create("mixup");
    scene->recipe.kappa = 1;
    scene_start(scene);
    scene_start(mixup);
    assert_memory_equal(scene->pixels, mixup->pixels, SCENE_COUNT * SCENE_PIXELS * sizeof(float));
    assert_memory_equal(scene->batch_targets, mixup->batch_targets,
                        SCENE_COUNT * SCENE_CLASSES * sizeof(float));
    assert_same_loss(scene, mixup, 1e-9);
    scene_destroy(scene);
    scene_destroy(mixup);
}

/* H = 0 and a ratio without bound: the weight is 1. */
static void test_a_certain_network_has_weight_1(void **state)
{
    static const float logits[] = {2000, 0, 0};
    float targets[] = {0, 1, 0}, gradient[3];
    (void)state;
    struct method_scene *scene = scene_create("ent-wc");
    scene_start(scene);
    const struct sl_method_batch batch = {.count = 1, .targets = targets, .n_classes = 3};
    double total = 0;
    scene->method->row->steps->loss(scene->method, &batch, logits, gradient, &total);
    assert_near(total, 2000, 0);
    assert_near(gradient[0], 1, 0);
    assert_near(gradient[1], -1, 0);
    scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_weight_is_log_2_over_the_entropy_by_hand),
        cmocka_unit_test(test_the_gradient_goes_through_the_entropy_unless_detached),
        cmocka_unit_test(test_with_a_kappa_of_1_it_is_mixup),
        cmocka_unit_test(test_a_certain_network_has_weight_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
