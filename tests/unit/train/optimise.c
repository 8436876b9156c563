#include "train/optimise.h"

#include "support.h"

static struct sl_optimiser make(const struct sl_recipe *recipe, size_t count)
{
    struct sl_error err;
    struct sl_optimiser optimiser;
    assert_ok(sl_optimiser_create(recipe, count, &optimiser, &err), err);
    return optimiser;
}

/* w = 1, g = 1 then 2; decay .5, momentum .5, rate .1:
 *   g' = 1.5,   v = 1.5,   w = .85
 *   g' = 2.425, v = 3.175, w = .5325 */
static void test_sgd_steps_are_the_hand_worked_ones(void **state)
{
    (void)state;
    struct sl_recipe recipe = sl_recipe_default();
    recipe.momentum = .5;
    recipe.weight_decay = .5;
    struct sl_optimiser optimiser = make(&recipe, 1);
    float value = 1;
    sl_optimiser_step(&optimiser, &recipe, .1, 1, &value, &(const float){1});
    assert_near(value, .85, 1e-7);
    sl_optimiser_step(&optimiser, &recipe, .1, 1, &value, &(const float){2});
    assert_near(value, .5325, 1e-7);
    assert_int_equal(optimiser.steps, 2);
    assert_int_equal(optimiser.n_state, 1);
    assert_near(optimiser.state[0][0], 3.175, 1e-6);
    sl_optimiser_release(&optimiser);
    assert_null(optimiser.state[0]);
}

/* The same with Nesterov: w -= .1 (1.5 + .75) = .775; g' = 2.3875, v = 3.1375,
 * w -= .1 (2.3875 + 1.56875). */
static void test_nesterov_looks_ahead(void **state)
{
    (void)state;
    struct sl_recipe recipe = sl_recipe_default();
    recipe.momentum = .5;
    recipe.weight_decay = .5;
    recipe.nesterov = true;
    struct sl_optimiser optimiser = make(&recipe, 1);
    float value = 1;
    sl_optimiser_step(&optimiser, &recipe, .1, 1, &value, &(const float){1});
    assert_near(value, .775, 1e-7);
    sl_optimiser_step(&optimiser, &recipe, .1, 1, &value, &(const float){2});
    assert_near(value, .775 - .395625, 1e-7);
    sl_optimiser_release(&optimiser);
}

/* Adam's first step is rate * sign(g) up to epsilon. Then with g = 1 and 3 and betas .9, .99:
 * m = .39, v = .0999, so m / (1 - .81) = 2.0526316, sqrt(v / (1 - .9801)) = 2.2405742. */
static void test_adam_steps_are_the_hand_worked_ones(void **state)
{
    (void)state;
    struct sl_recipe recipe = sl_recipe_default();
    recipe.optimiser = SL_OPTIMISER_ADAM;
    recipe.beta2 = .99;
    struct sl_optimiser optimiser = make(&recipe, 2);
    float values[2] = {0, 0};
    sl_optimiser_step(&optimiser, &recipe, .1, 1, values, (const float[]){1, -1});
    assert_near(values[0], -.1, 1e-7);
    assert_near(values[1], .1, 1e-7);
    sl_optimiser_step(&optimiser, &recipe, .1, 1, values, (const float[]){3, -3});
    const double second = .1 * (.39 / .19) / sqrt(.0999 / .0199);
    assert_near(values[0], -.1 - second, 1e-6);
    assert_near(values[1], .1 + second, 1e-6);
    assert_int_equal(optimiser.n_state, 2);
    sl_optimiser_release(&optimiser);
}

/* RAdam with betas .5 and .9: the average's length is 19 - 2 t .9^t / (1 - .9^t): 1, 1.95, 2.86,
 * 3.74, 4.58 and 5.39, beyond 5 for the first time. Before, the step is rate m / (1 - .5^t),
 * whatever the size of the gradient; of a constant one, the gradient itself. */
static void test_radam_steps_are_the_hand_worked_ones(void **state)
{
    (void)state;
    struct sl_recipe recipe = sl_recipe_default();
    recipe.optimiser = SL_OPTIMISER_RADAM;
    recipe.beta1 = .5;
    recipe.beta2 = .9;
    recipe.weight_decay = 0;
    struct sl_optimiser optimiser = make(&recipe, 1);
    float value = 0;
    for (int t = 1; t <= 5; t++) {
        sl_optimiser_step(&optimiser, &recipe, .1, 1, &value, &(const float){2});
        assert_near(value, -.2 * t, 1e-6);
    }
    sl_optimiser_step(&optimiser, &recipe, .1, 1, &value, &(const float){2});
    /* m' = 2, sqrt(v') = 2: the step is as long as the rate, times the rectification. */
    const double length = 19 - 12 * .531441 / (1 - .531441);
    const double share = sqrt((length - 4) * (length - 2) * 19 / (15 * 17 * length));
    assert_near(value, -1 - .1 * share, 1e-6);
    assert_true(share > .255 && share < .256);
    assert_int_equal(optimiser.n_state, 2);
    sl_optimiser_release(&optimiser);
}

/* Every optimiser, reset, does what a new one does. */
static void test_a_reset_forgets_every_step(void **state)
{
    (void)state;
    static const float gradients[] = {1, -2, .5f};
    for (int kind = SL_OPTIMISER_SGD; kind <= SL_OPTIMISER_RADAM; kind++) {
        struct sl_recipe recipe = sl_recipe_default();
        recipe.optimiser = (enum sl_optimiser_kind)kind;
        struct sl_optimiser used = make(&recipe, 3), fresh = make(&recipe, 3);
        float a[] = {1, 2, 3}, b[] = {1, 2, 3}, other[] = {4, 5, 6};
        for (int i = 0; i < 3; i++)
            sl_optimiser_step(&used, &recipe, .1, 1, other, other);
        sl_optimiser_reset(&used);
        assert_int_equal(used.steps, 0);
        for (int i = 0; i < 2; i++) {
            sl_optimiser_step(&used, &recipe, .1, 1, a, gradients);
            sl_optimiser_step(&fresh, &recipe, .1, 1, b, gradients);
        }
        assert_memory_equal(a, b, sizeof a);
        /* Without the reset it would not be so. */
        sl_optimiser_step(&used, &recipe, .1, 1, a, gradients);
        sl_optimiser_step(&fresh, &recipe, .1, 1, b, other);
        assert_true(a[0] != b[0]);
        sl_optimiser_release(&used);
        sl_optimiser_release(&fresh);
    }
}

static void test_clipping_scales_the_gradient_before_the_decay(void **state)
{
    (void)state;
    struct sl_recipe recipe = sl_recipe_default();
    recipe.momentum = 0;
    recipe.weight_decay = .5;
    struct sl_optimiser optimiser = make(&recipe, 1);
    float value = 2;
    sl_optimiser_step(&optimiser, &recipe, .1, .25, &value, &(const float){4});
    assert_near(value, 2 - .1 * (1 + 1), 1e-7);
    sl_optimiser_release(&optimiser);
}

static void test_the_clip_is_pytorchs(void **state)
{
    (void)state;
    assert_near(sl_clip_scale(0, 1e9), 1, 0);
    assert_near(sl_clip_scale(1, .5), 1, 0);
    assert_near(sl_clip_scale(1, 0), 1, 0);
    assert_near(sl_clip_scale(1, 4), 1 / 4.000001, 1e-15);
    assert_near(sl_clip_scale(1, 1), 1 / 1.000001, 1e-15);
    assert_near(sl_clip_scale(2, 4), 2 / 4.000001, 1e-15);
    assert_near(sl_clip_scale(1, INFINITY), 0, 0);
    assert_true(isnan(sl_clip_scale(1, NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sgd_steps_are_the_hand_worked_ones),
        cmocka_unit_test(test_nesterov_looks_ahead),
        cmocka_unit_test(test_adam_steps_are_the_hand_worked_ones),
        cmocka_unit_test(test_radam_steps_are_the_hand_worked_ones),
        cmocka_unit_test(test_a_reset_forgets_every_step),
        cmocka_unit_test(test_clipping_scales_the_gradient_before_the_decay),
        cmocka_unit_test(test_the_clip_is_pytorchs),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
