#include "train/optimise.h"

#include "support.h"

static struct sl_recipe read_recipe(const char *name, const char *variant)
{
    struct sl_error err;
    struct sl_recipe recipe;
    assert_ok(sl_recipe_read(name, variant, &recipe, &err), err);
    return recipe;
}

static double rate_at(const struct sl_recipe *recipe, size_t epoch, size_t step)
{
    return sl_schedule_rate(
        recipe, (struct sl_moment){.epoch = epoch, .step = step, .steps_per_epoch = 100});
}

/* The rate of an epoch: the first from which it holds, up to the next row. */
struct stretch {
    size_t from;
    double rate;
};

static void check_stretches(const char *name, const char *variant, const struct stretch *stretches,
                            size_t count)
{
    const struct sl_recipe recipe = read_recipe(name, variant);
    for (size_t i = 0; i < count; i++) {
        const size_t end = i + 1 < count ? stretches[i + 1].from : (size_t)recipe.epochs;
        assert_true(stretches[i].from < end);
        for (size_t epoch = stretches[i].from; epoch < end; epoch++) {
            const double rate = stretches[i].rate;
            assert_near(rate_at(&recipe, epoch, 0), rate, 1e-12 * rate);
            assert_near(rate_at(&recipe, epoch, 99), rate, 1e-12 * rate);
        }
    }
}
#define CHECK_STRETCHES(name, variant, ...)                                                        \
    check_stretches(name, variant, (const struct stretch[]){__VA_ARGS__},                          \
                    sizeof((const struct stretch[]){__VA_ARGS__}) / sizeof(struct stretch))

static void test_collins_drops_the_rate_an_epoch_late_and_writes_of_more(void **state)
{
    (void)state;
    CHECK_STRETCHES("collins2022", "as-run", {0, .1}, {51, .01}, {56, .001});
    CHECK_STRETCHES("collins2022", "as-published", {0, .1}, {50, 1e-5}, {55, 1e-9});
}

static void test_uma_trains_in_segments_of_50_5_and_10(void **state)
{
    (void)state;
    CHECK_STRETCHES("uma2020-cifar10h", "as-run", {0, .1}, {50, .01}, {55, .001});
    CHECK_STRETCHES("uma2020-cifar10h", "as-published", {0, .1}, {50, 1e-5}, {55, 1e-9});
    CHECK_STRETCHES("uma2020-labelme", "as-run", {0, .001});
}

static void test_peterson_runs_into_the_150th_epoch(void **state)
{
    (void)state;
    CHECK_STRETCHES("peterson2019-vgg_15_BN_64-scratch", "as-run", {0, .1}, {80, .01}, {120, .001});
    CHECK_STRETCHES("peterson2019-wrn_28_10-scratch", "as-run", {0, .1}, {60, .02}, {120, .004});
    CHECK_STRETCHES("peterson2019-densenet_BC_100_12-scratch", "as-run", {0, .1});
    CHECK_STRETCHES("peterson2019-pyramidnet_basic_110_270-scratch", "as-run", {0, .1});
    CHECK_STRETCHES("peterson2019-resnext_29_8x64d-scratch", "as-published", {0, .1});
    CHECK_STRETCHES("peterson2019-wrn_28_10-pretrain", "as-run", {0, .1}, {60, .02}, {120, .004},
                    {160, .0008});
    CHECK_STRETCHES("peterson2019-resnext_29_8x64d-pretrain", "as-run", {0, .05}, {150, .005},
                    {225, .0005});
}

static void test_the_thesis_drops_the_rate_after_100_and_150(void **state)
{
    (void)state;
    CHECK_STRETCHES("thesis-ch5", "as-run", {0, .1}, {101, .01}, {151, .001});
    CHECK_STRETCHES("thesis-ch4", "as-published", {0, .1}, {100, .01}, {150, .001});
}

static void test_a_cosine_falls_with_every_step_and_may_be_cut_short(void **state)
{
    (void)state;
    const struct sl_recipe recipe =
        read_recipe("peterson2019-shake_shake_26_2x64d-scratch", "as-run");
    assert_int_equal(recipe.epochs, 150);
    assert_near(rate_at(&recipe, 0, 0), .1, 0);
    assert_near(rate_at(&recipe, 0, 1), .05 * (1 + cos(acos(-1) / 30000)), 1e-15);
    assert_near(rate_at(&recipe, 100, 0), .075, 1e-15); /* cos 60 degrees */
    assert_near(rate_at(&recipe, 150, 0), .05, 1e-15);
    assert_near(rate_at(&recipe, 300, 0), 0, 1e-15);
    double before = 1;
    for (size_t step = 0; step < 15000; step++) {
        const double rate = rate_at(&recipe, step / 100, step % 100);
        assert_true(rate < before && rate > .05);
        before = rate;
    }
    struct sl_recipe whole = recipe;
    whole.cosine_epochs = 0;
    assert_near(rate_at(&whole, 75, 0), .05, 1e-15);
    assert_near(rate_at(&whole, 149, 99), .05 * (1 + cos(acos(-1) * 14999 / 15000)), 1e-15);
    assert_near(rate_at(&whole, 151, 0), 0, 1e-15); /* and never rises again */
}

static void test_only_segments_begin_a_new_optimiser(void **state)
{
    (void)state;
    struct sl_recipe recipe = read_recipe("uma2020-cifar10h", "as-run");
    for (size_t epoch = 0; epoch < 65; epoch++)
        for (size_t step = 0; step < 3; step++) {
            const struct sl_moment moment = {.epoch = epoch, .step = step, .steps_per_epoch = 3};
            const bool begins = step == 0 && (epoch == 50 || epoch == 55);
            recipe.schedule = SL_SCHEDULE_SEGMENT;
            assert_int_equal(sl_schedule_resets(&recipe, moment), begins);
            recipe.schedule = SL_SCHEDULE_STEP;
            assert_false(sl_schedule_resets(&recipe, moment));
            recipe.schedule = SL_SCHEDULE_COSINE;
            assert_false(sl_schedule_resets(&recipe, moment));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collins_drops_the_rate_an_epoch_late_and_writes_of_more),
        cmocka_unit_test(test_uma_trains_in_segments_of_50_5_and_10),
        cmocka_unit_test(test_peterson_runs_into_the_150th_epoch),
        cmocka_unit_test(test_the_thesis_drops_the_rate_after_100_and_150),
        cmocka_unit_test(test_a_cosine_falls_with_every_step_and_may_be_cut_short),
        cmocka_unit_test(test_only_segments_begin_a_new_optimiser),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
