#include "train_method_scene.h"

/* Which item each row was mixed with, and by what share, read off pixels that say whose they are.
 */
static void find_mixture(const struct method_scene *scene, size_t partners[SCENE_COUNT],
                         double shares[SCENE_COUNT])
{
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        const float *row = scene->pixels + i * SCENE_PIXELS;
        partners[i] = i;
        shares[i] = (double)row[i];
        for (size_t j = 0; j < SCENE_COUNT; j++)
            if (j != i && row[j] != 0) partners[i] = j;
        if (partners[i] != i) assert_near(row[partners[i]], 1 - shares[i], 1e-6);
    }
}

static struct method_scene *scene_of_unit_pixels(const struct sl_mixing_functions *mixing)
{
    struct method_scene *scene = scene_create("mixup");
    scene->options.mixing = mixing;
    scene_start(scene);
    scene_fill(scene);
    for (size_t i = 0; i < SCENE_COUNT * SCENE_PIXELS; i++)
        scene->pixels[i] = i % SCENE_PIXELS == i / SCENE_PIXELS;
    scene->method->row->steps->prepare(scene->method, &scene->batch);
    return scene;
}

static void test_a_batch_is_mixed_with_a_permutation_of_itself(void **state)
{
    size_t partners[SCENE_COUNT], n_mixed = 0;
    double shares[SCENE_COUNT], common = -1;
    bool taken[SCENE_COUNT] = {false};
    (void)state;
    struct method_scene *scene = scene_of_unit_pixels(NULL);
    find_mixture(scene, partners, shares);
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        assert_false(taken[partners[i]]);
        taken[partners[i]] = true;
        if (partners[i] == i) continue;
        if (common < 0) common = shares[i];
        assert_true(shares[i] == common);
        n_mixed++;
    }
    assert_true(n_mixed >= 2 && common > 0 && common < 1);
    scene_destroy(scene);
}

static void test_every_pixel_and_target_is_mixed_by_the_same_share(void **state)
{
    size_t partners[SCENE_COUNT];
    double shares[SCENE_COUNT];
    (void)state;
    struct method_scene *units = scene_of_unit_pixels(NULL), *clean = scene_create("plain");
    struct method_scene *mixed = scene_create("mixup");
    find_mixture(units, partners, shares);
    scene_start(clean);
    scene_start(mixed);
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        for (size_t k = 0; k < SCENE_PIXELS; k++)
            assert_near(mixed->pixels[i * SCENE_PIXELS + k],
                        shares[i] * (double)clean->pixels[i * SCENE_PIXELS + k] +
                            (1 - shares[i]) * (double)clean->pixels[partners[i] * SCENE_PIXELS + k],
                        1e-6);
        for (size_t k = 0; k < SCENE_CLASSES; k++)
            assert_near(mixed->batch_targets[i * SCENE_CLASSES + k],
                        shares[i] * (double)clean->batch_targets[i * SCENE_CLASSES + k] +
                            (1 - shares[i]) *
                                (double)clean->batch_targets[partners[i] * SCENE_CLASSES + k],
                        1e-6);
    }
    scene_destroy(units);
    scene_destroy(clean);
    scene_destroy(mixed);
}

/* lambda CE(a) + (1 - lambda) CE(b), as the public program has it. */
static void test_the_loss_is_the_mixture_of_both_endpoints_losses(void **state)
{
    size_t partners[SCENE_COUNT];
    double shares[SCENE_COUNT], own, others;
    float targets[SCENE_LOGITS];
    (void)state;
    struct method_scene *units = scene_of_unit_pixels(NULL), *plain = scene_create("plain");
    struct method_scene *mixed = scene_create("mixup");
    find_mixture(units, partners, shares);
    scene_start(plain);
    scene_start(mixed);
    double expected = 0;
    memcpy(targets, plain->batch_targets, sizeof targets);
    const size_t row = SCENE_CLASSES * sizeof *targets;
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        plain->batch.count = 1;
        memcpy(plain->logits, mixed->logits + i * SCENE_CLASSES, row);
        memcpy(plain->batch_targets, targets + i * SCENE_CLASSES, row);
        own = scene_loss(plain);
        memcpy(plain->batch_targets, targets + partners[i] * SCENE_CLASSES, row);
        others = scene_loss(plain);
        expected += shares[i] * own + (1 - shares[i]) * others;
    }
    assert_near(scene_loss(mixed), expected, 1e-5);
    scene_destroy(units);
    scene_destroy(plain);
    scene_destroy(mixed);
}

/* Mean 1/2 and variance 1 / (4 (2 alpha + 1)) over many steps, within 5 standard errors. */
static void test_shares_are_beta_distributed(void **state)
{
    static const double alphas[] = {.2, 1, 10};
    enum { STEPS = 4000 };
    (void)state;
    for (size_t a = 0; a < 3; a++) {
        struct method_scene *scene = scene_create("mixup");
        scene->recipe.alpha = alphas[a];
        scene_start(scene);
        double sum = 0, squares = 0;
        for (uint64_t step = 0; step < STEPS; step++) {
            float targets[] = {1, 0, 0, 1};
            struct sl_method_batch batch = {.count = 2,
                                            .targets = targets,
                                            .n_classes = 2,
                                            .pixels = scene->pixels,
                                            .step = step};
            scene->method->row->steps->prepare(scene->method, &batch);
            /* The scratch holds the shares, also where the permutation moved nothing. */
            const double share = (double)scene->method->scratch[0];
            assert_true(share >= 0 && share <= 1);
            assert_true(targets[0] == 1 || (double)targets[0] == share);
            sum += share - .5;
            squares += (share - .5) * (share - .5);
        }
        const double variance = 1 / (4 * (2 * alphas[a] + 1));
        assert_near(sum / STEPS, 0, 5 * sqrt(variance / STEPS));
        assert_near(squares / STEPS, variance, 5 * variance * sqrt(2.0 / STEPS));
        scene_destroy(scene);
    }
}

static void test_without_an_alpha_nothing_is_mixed(void **state)
{
    (void)state;
    struct method_scene *scene = scene_create("mixup"), *plain = scene_create("plain");
    scene->recipe.alpha = 0;
    scene->feed.shape = (struct sl_input_shape){.tokens = 10};
    scene_start(scene);
    scene_start(plain);
    assert_memory_equal(scene->pixels, plain->pixels, SCENE_COUNT * SCENE_PIXELS * sizeof(float));
    assert_memory_equal(scene->batch_targets, plain->batch_targets,
                        SCENE_COUNT * SCENE_CLASSES * sizeof(float));
    assert_same_loss(scene, plain, 0);
    scene_destroy(scene);
    scene_destroy(plain);
}

/* Pixels by lambda, targets by tau of the pair: a curve for every pair but (a, c), which is fitted
 * to nobody. The first name of a pair sorts first here, as does its index. */
static void test_targets_are_mixed_as_people_see_the_class_pair(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    struct sl_mixing_functions *mixing = NULL;
    struct sl_error err = {0};
    size_t partners[SCENE_COUNT], n_curved = 0;
    double shares[SCENE_COUNT];
    (void)state;
    const struct sl_logistic curve = {.k = 12, .x0 = .4};
    assert_ok(sl_mixing_constant(names, SCENE_CLASSES, curve, &mixing, &err), err);
    mixing->pairs[0 * SCENE_CLASSES + 2].fitted = false;
    struct method_scene *scene = scene_of_unit_pixels(mixing), *clean = scene_create("plain");
    scene_start(clean);
    find_mixture(scene, partners, shares);
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        const float *own = clean->batch_targets + i * SCENE_CLASSES;
        const float *other = clean->batch_targets + partners[i] * SCENE_CLASSES;
        const size_t a = scene_class(own), b = scene_class(other);
        double share = shares[i];
        if (a < b && !(a == 0 && b == 2)) share = 1 / (1 + exp(-12 * (share - .4)));
        if (b < a && !(b == 0 && a == 2)) share = 1 - 1 / (1 + exp(-12 * (1 - share - .4)));
        n_curved += share != shares[i];
        for (size_t k = 0; k < SCENE_CLASSES; k++)
            assert_near(scene->batch_targets[i * SCENE_CLASSES + k],
                        share * (double)own[k] + (1 - share) * (double)other[k], 1e-6);
    }
    assert_true(n_curved > 0);
    sl_mixing_functions_destroy(mixing);
    scene_destroy(scene);
    scene_destroy(clean);
}

/* RegMixup's batch is the clean one and, behind it, what mixup makes of it. */
static void test_regmixup_keeps_the_clean_batch_beside_the_mixed_one(void **state)
{
    const size_t n_pixels = SCENE_COUNT * SCENE_PIXELS, n_targets = SCENE_COUNT * SCENE_CLASSES;
    (void)state;
    struct method_scene *both = scene_create("regmixup"), *mixed = scene_create("mixup");
    struct method_scene *plain = scene_create("plain");
    scene_start(both);
    scene_start(mixed);
    scene_start(plain);
    assert_memory_equal(both->pixels, plain->pixels, n_pixels * sizeof(float));
    assert_memory_equal(both->pixels + n_pixels, mixed->pixels, n_pixels * sizeof(float));
    assert_memory_equal(both->batch_targets, plain->batch_targets, n_targets * sizeof(float));
    assert_memory_equal(both->batch_targets + n_targets, mixed->batch_targets,
                        n_targets * sizeof(float));
    memcpy(mixed->logits, both->logits + n_targets, n_targets * sizeof(float));
    assert_near(scene_loss(both), (scene_loss(plain) + scene_loss(mixed)) / 2, 1e-12);
    for (size_t i = 0; i < n_targets; i++) {
        assert_near(both->gradient[i], plain->gradient[i] / 2, 1e-8);
        assert_near(both->gradient[n_targets + i], mixed->gradient[i] / 2, 1e-8);
    }
    scene_destroy(both);
    scene_destroy(mixed);
    scene_destroy(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_batch_is_mixed_with_a_permutation_of_itself),
        cmocka_unit_test(test_every_pixel_and_target_is_mixed_by_the_same_share),
        cmocka_unit_test(test_the_loss_is_the_mixture_of_both_endpoints_losses),
        cmocka_unit_test(test_shares_are_beta_distributed),
        cmocka_unit_test(test_without_an_alpha_nothing_is_mixed),
        cmocka_unit_test(test_targets_are_mixed_as_people_see_the_class_pair),
        cmocka_unit_test(test_regmixup_keeps_the_clean_batch_beside_the_mixed_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
