#include "train_method_scene.h"

/* Two items, two classes: log(1 + e^-2) and log 2. */
static void test_the_loss_is_the_cross_entropy_by_hand(void **state)
{
    static const enum sl_reduction reductions[] = {SL_REDUCE_SUM, SL_REDUCE_MEAN};
    float targets[] = {1, 0, .5f, .5f}, gradient[4];
    static const float logits[] = {2, 0, 1, 1};
    (void)state;
    for (size_t r = 0; r < 2; r++) {
        struct method_scene *scene = scene_create("plain");
        scene->recipe.reduction = reductions[r];
        scene_start(scene);
        const struct sl_method_batch batch = {.count = 2, .targets = targets, .n_classes = 2};
        double total = 0;
        scene->method->row->steps->loss(scene->method, &batch, logits, gradient, &total);
        assert_near(total, log1p(exp(-2)) + log(2), 1e-12);
        const double share = r == 0 ? 1 : .5;
        assert_near(gradient[0], -share / (1 + exp(2)), 1e-7);
        assert_near(gradient[1], share / (1 + exp(2)), 1e-7);
        assert_near(gradient[2], 0, 1e-9);
        scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_loss_is_the_cross_entropy_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
