#include "train_method_scene.h"

/* Pixels that say whose they are, one-hot targets of the given classes. */
static void give(struct method_scene *scene, const size_t *classes)
{
    scene_fill(scene);
    for (size_t i = 0; i < SCENE_COUNT * SCENE_PIXELS; i++)
        scene->pixels[i] = i % SCENE_PIXELS == i / SCENE_PIXELS;
    for (size_t i = 0; i < SCENE_COUNT * SCENE_CLASSES; i++)
        scene->batch_targets[i] = i % SCENE_CLASSES == classes[i / SCENE_CLASSES];
    scene->method->row->steps->prepare(scene->method, &scene->batch);
}

static size_t partner_of(const struct method_scene *scene, size_t i)
{
    const float *row = scene->pixels + (SCENE_COUNT + i) * SCENE_PIXELS;
    for (size_t j = 0; j < SCENE_COUNT; j++)
        if (j != i && row[j] != 0) return j;
    return i;
}

static void test_items_are_mixed_with_items_of_other_classes_by_one_share(void **state)
{
    static const size_t classes[][SCENE_COUNT] = {
        {0, 1, 2, 3, 4, 0, 1}, {4, 4, 4, 0, 4, 4, 4}, {2, 2, 0, 0, 2, 0, 1}};
    (void)state;
    struct method_scene *scene = scene_create("mix-maxent");
    scene_start(scene);
    for (size_t c = 0; c < 3; c++)
        for (uint64_t step = 0; step < 50; step++) {
            scene->batch.step = step;
            give(scene, classes[c]);
            const float share = scene->pixels[SCENE_COUNT * SCENE_PIXELS];
            for (size_t i = 0; i < SCENE_COUNT; i++) {
                const size_t partner = partner_of(scene, i);
                const float *row = scene->pixels + (SCENE_COUNT + i) * SCENE_PIXELS;
                assert_int_not_equal(classes[c][i], classes[c][partner]);
                assert_true(row[i] == share);
                assert_near(row[partner], 1 - (double)share, 1e-6);
                const float *target = scene->batch_targets + (SCENE_COUNT + i) * SCENE_CLASSES;
                assert_near(target[classes[c][i]], share, 1e-6);
                assert_near(target[classes[c][partner]], 1 - (double)share, 1e-6);
                /* The clean half stays as it was. */
                assert_true(scene->pixels[i * SCENE_PIXELS + i] == 1);
                assert_int_equal(scene_class(scene->batch_targets + i * SCENE_CLASSES),
                                 classes[c][i]);
            }
        }
    scene_destroy(scene);
}

/* Item 0 of class 1; its partners are the four items of classes 0, 2 and 3, each 1/4. */
static void test_every_partner_is_as_likely(void **state)
{
    static const size_t classes[SCENE_COUNT] = {1, 0, 1, 2, 2, 3, 1};
    enum { STEPS = 2000 };
    size_t counts[SCENE_COUNT] = {0};
    (void)state;
    struct method_scene *scene = scene_create("mix-maxent");
    scene_start(scene);
    scene->batch.pixels_per_item = 0;
    for (uint64_t step = 0; step < STEPS; step++) {
        scene->batch.step = step;
        for (size_t i = 0; i < SCENE_COUNT * SCENE_CLASSES; i++)
            scene->batch_targets[i] = i % SCENE_CLASSES == classes[i / SCENE_CLASSES];
        scene->method->row->steps->prepare(scene->method, &scene->batch);
        counts[scene->method->indices[0]]++;
    }
    for (size_t j = 0; j < SCENE_COUNT; j++) {
        const double expected = classes[j] == 1 ? 0 : STEPS / 4.0;
        assert_near(counts[j], expected, 5 * sqrt(expected * .75));
    }
    scene_destroy(scene);
}

/* Two items of two classes: CE = log 2 each; copies with p = (1/2, 1/2) and with p = (1, 0). */
static void test_the_loss_is_cross_entropy_less_entropy_by_hand(void **state)
{
    static const float logits[] = {1, 1, 0, 0, 5, 5, 0, -900};
    float targets[8] = {1, 0, 0, 1}, gradient[8];
    (void)state;
    struct method_scene *scene = scene_create("mix-maxent");
    scene->recipe.eta = .25;
    scene_start(scene);
    struct sl_method_batch batch = {
        .count = 2, .targets = targets, .n_classes = 2, .pixels = scene->pixels};
    double total = 0;
    scene->method->row->steps->prepare(scene->method, &batch);
    scene->method->row->steps->loss(scene->method, &batch, logits, gradient, &total);
    assert_near(total, 2 * log(2) - .25 * log(2), 1e-12);
    assert_near(gradient[0], -.25, 1e-8);
    assert_near(gradient[3], -.25, 1e-8);
    for (size_t k = 4; k < 8; k++)
        assert_near(gradient[k], 0, 1e-12);
    scene_destroy(scene);
}

static void test_a_batch_of_one_class_has_no_mixtures(void **state)
{
    static const size_t classes[SCENE_COUNT] = {3, 3, 3, 3, 3, 3, 3};
    (void)state;
    struct method_scene *scene = scene_create("mix-maxent"), *plain = scene_create("plain");
    scene_start(scene);
    scene_start(plain);
    give(scene, classes);
    memcpy(plain->batch_targets, scene->batch_targets, sizeof plain->batch_targets);
    assert_memory_equal(scene->pixels, scene->pixels + SCENE_COUNT * SCENE_PIXELS,
                        SCENE_COUNT * SCENE_PIXELS * sizeof(float));
    assert_same_loss(scene, plain, 0);
    for (size_t i = SCENE_COUNT * SCENE_CLASSES; i < SCENE_LOGITS; i++)
        assert_near(scene->gradient[i], 0, 0);
    scene->logits[SCENE_LOGITS - 1] = NAN;
    assert_true(isnan(scene_loss(scene)));
    scene_destroy(scene);
    scene_destroy(plain);
}

static void test_with_an_eta_of_0_it_is_plain(void **state)
{
    (void)state;
    struct method_scene *scene = scene_create("mix-maxent"), *plain = scene_create("plain");
    scene->recipe.eta = 0;
    scene_start(scene);
    scene_start(plain);
    assert_same_loss(scene, plain, 0);
    for (size_t i = SCENE_COUNT * SCENE_CLASSES; i < SCENE_LOGITS; i++)
        assert_near(scene->gradient[i], 0, 0);
    scene_destroy(scene);
    scene_destroy(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items_are_mixed_with_items_of_other_classes_by_one_share),
        cmocka_unit_test(test_every_partner_is_as_likely),
        cmocka_unit_test(test_the_loss_is_cross_entropy_less_entropy_by_hand),
        cmocka_unit_test(test_a_batch_of_one_class_has_no_mixtures),
        cmocka_unit_test(test_with_an_eta_of_0_it_is_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
