#include "softlab/eval/shift.h"

#include "corrupt_scene.h"
#include "pools.h"

enum { COUNT = 9, SIDE = 8, BYTES = SIDE * SIDE * 3, CLASSES = 3, CHOSEN = 7 };

/* Photographs, and a network that was not trained. */
struct scene {
    uint8_t pixels[COUNT * BYTES];
    int32_t labels[COUNT];
    struct sl_dataset set;
    struct sl_model *model;
    size_t chosen[CHOSEN];
    float targets[CHOSEN * CLASSES];
    int32_t hard[CHOSEN];
};

static void scene_init(struct scene *scene)
{
    struct sl_error err;
    *scene = (struct scene){.set = {.name = (char[]){"photos"},
                                    .count = COUNT,
                                    .height = SIDE,
                                    .width = SIDE,
                                    .channels = 3}};
    scene->set.pixels = scene->pixels;
    scene->set.labels = scene->labels;
    for (size_t i = 0; i < COUNT; i++) {
        struct sl_image image = test_photo(SIDE, SIDE, 3, i);
        memcpy(scene->pixels + i * BYTES, image.pixels, BYTES);
        sl_image_release(&image);
    }
    for (size_t i = 0; i < CHOSEN; i++) {
        scene->chosen[i] = COUNT - 1 - i;
        scene->hard[i] = (int32_t)(i % CLASSES);
        for (size_t k = 0; k < CLASSES; k++)
            scene->targets[i * CLASSES + k] = k == i % CLASSES ? .5F : .25F;
    }
    struct sl_model_options options = sl_model_options_default();
    options.network = "vgg:n=1-1,width=8";
    options.classes = CLASSES;
    options.input = (struct sl_input_shape){.channels = 3, .height = SIDE, .width = SIDE};
    assert_ok(sl_model_create(&options, &scene->model, &err), err);
}

static struct sl_shift_result shift(const struct scene *scene, struct sl_pool *pool,
                                    const char *folder)
{
    struct sl_error err;
    const struct sl_shift_items items = {&scene->set, scene->chosen, CHOSEN, scene->targets,
                                         scene->hard};
    struct sl_shift_options options = sl_shift_options_default();
    struct sl_shift_result result;
    options.extra = true;
    options.pool = pool;
    options.folder = folder;
    assert_ok(sl_shift(scene->model, &items, &options, NULL, &result, &err), err);
    return result;
}

static void assert_same_scores(const struct sl_shift_result *a, const struct sl_shift_result *b)
{
    assert_int_equal(a->count, SL_CORRUPTIONS);
    assert_int_equal(b->count, SL_CORRUPTIONS);
    for (size_t i = 0; i < a->count; i++) {
        assert_near(a->scores[i].cross_entropy, b->scores[i].cross_entropy, 0);
        assert_near(a->scores[i].cross_entropy_hard, b->scores[i].cross_entropy_hard, 0);
        assert_near(a->scores[i].accuracy, b->scores[i].accuracy, 0);
    }
    assert_near(a->cross_entropy_all, b->cross_entropy_all, 0);
}

/* Images in memory and images in a folder, with one thread and with several. */
static void test_threads_find_the_same_scores(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene);
    struct sl_shift_result alone = shift(&scene, NULL, NULL);
    for (size_t i = 0; i < N_POOLS; i++) {
        char folder[32];
        snprintf(folder, sizeof folder, "shifted-%zu", i);
        struct sl_pool *pool = test_pool(i);
        struct sl_shift_result shared = shift(&scene, pool, NULL);
        struct sl_shift_result kept = shift(&scene, pool, test_path(folder));
        assert_same_scores(&shared, &alone);
        assert_same_scores(&kept, &alone);
        sl_shift_result_release(&shared);
        sl_shift_result_release(&kept);
        sl_pool_destroy(pool);
    }
    sl_shift_result_release(&alone);
    sl_model_destroy(scene.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_find_the_same_scores),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
