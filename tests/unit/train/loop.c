#include <math.h>
#include <string.h>

#include "pictures.h"
#include "softlab/train.h"

enum { ITEMS = 22, CLASSES = 3, SIDE = 8 };

/* A small set of images that can be learnt, with a network that has all the parts that a checkpoint
 * must keep: batch statistics and momentum. */
struct scene {
    struct sl_dataset *set;
    struct sl_feed *feed;
    struct sl_targets *targets;
    struct sl_model *model;
    struct sl_recipe recipe;
    struct sl_train_options options;
    size_t steps_left; /* until hooks.stop says so; SIZE_MAX: never */
    size_t n_epochs;   /* seen */
    struct sl_epoch epochs[64];
    const double *scores; /* of evaluate, by epoch; NULL: none */
    const char *network;
    struct sl_pool *stopped, *resumed; /* threads of a run that is stopped, and of the rest */
};

static void make_model(struct scene *scene)
{
    struct sl_error err;
    struct sl_model_options options = sl_model_options_default();
    sl_model_destroy(scene->model);
    options.network = scene->network;
    options.classes = CLASSES;
    options.input = sl_feed_shape(scene->feed);
    assert_ok(sl_model_create(&options, &scene->model, &err), err);
}

static void scene_init(struct scene *scene)
{
    struct sl_error err;
    *scene = (struct scene){.set = test_pictures(ITEMS, CLASSES, SIDE, SIDE),
                            .steps_left = SIZE_MAX,
                            .network = "resnet:n=1,width=8"};
    for (size_t i = 0; i < ITEMS; i++)
        for (size_t p = 0; p < SIDE * SIDE * 3; p++)
            scene->set->pixels[i * SIDE * SIDE * 3 + p] =
                (uint8_t)(p % 3 == i % CLASSES ? 200 + (i * 7 + p) % 50 : (i * 13 + p * 5) % 60);
    assert_ok(sl_feed_images(scene->set, &scene->feed, &err), err);
    const struct sl_target_items items = {ITEMS, CLASSES, scene->set->items, scene->set->classes,
                                          scene->set->labels};
    const struct sl_target_options options = sl_target_options_default();
    assert_ok(sl_targets_create(&items, &options, false, &scene->targets, &err), err);
    scene->recipe = sl_recipe_default();
    assert_ok(sl_recipe_set_all(&scene->recipe,
                                "network=resnet8,epochs=4,batch=8,rate=0.05,momentum=0.9,crop=1,"
                                "flip=true,clip=1",
                                &err),
              err);
    scene->options = (struct sl_train_options){.recipe = &scene->recipe,
                                               .feed = scene->feed,
                                               .targets = scene->targets,
                                               .seed = 3,
                                               .hooks = {.context = scene}};
    make_model(scene);
}

static void scene_release(struct scene *scene)
{
    sl_model_destroy(scene->model);
    sl_targets_destroy(scene->targets);
    sl_feed_destroy(scene->feed);
    sl_dataset_destroy(scene->set);
}

static bool stop_later(void *context)
{
    struct scene *scene = context;
    return scene->steps_left != SIZE_MAX && --scene->steps_left == 0;
}

static enum sl_status note_epoch(void *context, const struct sl_epoch *epoch, struct sl_error *err)
{
    (void)err;
    struct scene *scene = context;
    scene->epochs[scene->n_epochs++] = *epoch;
    return SL_OK;
}

static enum sl_status give_score(void *context, struct sl_model *model, double *score,
                                 struct sl_error *err)
{
    (void)model, (void)err;
    struct scene *scene = context;
    *score = scene->scores[scene->n_epochs];
    return SL_OK;
}

static struct sl_train_result train(struct scene *scene)
{
    struct sl_error err;
    struct sl_train_result result;
    scene->options.hooks.stop = stop_later;
    scene->options.hooks.epoch_done = note_epoch;
    scene->options.hooks.evaluate = scene->scores ? give_score : NULL;
    assert_ok(sl_train(scene->model, &scene->options, &result, &err), err);
    return result;
}

static float *copy_values(struct scene *scene, size_t *count)
{
    const size_t n = sl_model_n_values(scene->model), m = sl_model_n_state(scene->model);
    float *copy = sl_alloc(n + m, sizeof *copy);
    memcpy(copy, sl_model_values(scene->model), n * sizeof *copy);
    memcpy(copy + n, sl_model_state(scene->model), m * sizeof *copy);
    *count = n + m;
    return copy;
}

static void test_a_network_learns(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene);
    scene.recipe.epochs = 12;
    const struct sl_train_result result = train(&scene);
    assert_int_equal(result.end, SL_TRAIN_FINISHED);
    assert_int_equal(result.epochs, 12);
    assert_int_equal(result.steps, 36);
    assert_int_equal(scene.n_epochs, 12);
    assert_true(scene.epochs[11].loss < .5 * scene.epochs[0].loss);
    assert_true(scene.epochs[11].accuracy > .9);
    scene_release(&scene);
}

/* A run that is stopped after every `stride` steps and resumed gives the same bits. */
static void check_resuming(struct scene *scene, size_t stride)
{
    size_t count = 0;
    const char *path = test_path("checkpoint.safetensors");
    const struct sl_train_result whole = train(scene);
    float *expected = copy_values(scene, &count);
    struct sl_epoch last = scene->epochs[scene->n_epochs - 1];
    scene->options.checkpoint = path;
    for (size_t stop = 1; stop < whole.steps; stop += stride) {
        unlink(path);
        make_model(scene);
        scene->steps_left = stop;
        scene->n_epochs = 0;
        scene->options.pool = scene->stopped;
        assert_int_equal(train(scene).end, SL_TRAIN_STOPPED);
        make_model(scene);
        scene->steps_left = SIZE_MAX;
        scene->options.pool = scene->resumed;
        const struct sl_train_result rest = train(scene);
        assert_int_equal(rest.end, SL_TRAIN_FINISHED);
        assert_int_equal(rest.steps, whole.steps);
        assert_memory_equal(sl_model_values(scene->model), expected,
                            sl_model_n_values(scene->model) * sizeof *expected);
        assert_memory_equal(sl_model_state(scene->model),
                            expected + sl_model_n_values(scene->model),
                            sl_model_n_state(scene->model) * sizeof *expected);
        assert_near(scene->epochs[scene->n_epochs - 1].loss, last.loss, 0);
    }
    free(expected);
}

static void test_a_stopped_run_ends_with_the_same_bits(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene);
    scene.recipe.epochs = 3;
    check_resuming(&scene, 1);
    scene_release(&scene);
}

/* Large enough that threads share its layers. */
static void test_the_number_of_threads_may_change_at_a_stop(void **state)
{
    (void)state;
    static const size_t threads[][2] = {{2, 3}, {3, 1}, {1, 7}};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        struct sl_error err;
        struct scene scene;
        scene_init(&scene);
        scene.network = "resnet:n=1,width=24";
        scene.recipe.epochs = 2;
        make_model(&scene);
        assert_ok(sl_pool_create(threads[i][0], &scene.stopped, &err), err);
        assert_ok(sl_pool_create(threads[i][1], &scene.resumed, &err), err);
        check_resuming(&scene, 2);
        sl_pool_destroy(scene.stopped);
        sl_pool_destroy(scene.resumed);
        scene_release(&scene);
    }
}

static void test_so_does_one_of_every_kind_of_draw(void **state)
{
    (void)state;
    static const char *const kinds[] = {"method=mixup,alpha=0.4",
                                        "method=ent-wc,alpha=0.2,kappa=0.5",
                                        "optimiser=adam,rate=0.001",
                                        "optimiser=radam,rate=0.001",
                                        "schedule=segment,milestones=1,factors=0.1",
                                        "schedule=cosine,nesterov=true,drop_last=true"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct sl_error err;
        struct scene scene;
        scene_init(&scene);
        assert_ok(sl_recipe_set_all(&scene.recipe, kinds[i], &err), err);
        scene.recipe.epochs = 2;
        check_resuming(&scene, 3);
        scene_release(&scene);
    }
}

static void test_a_checkpoint_of_another_run_is_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct scene scene;
    scene_init(&scene);
    scene.options.checkpoint = test_path("other.safetensors");
    scene.steps_left = 2;
    train(&scene);
    scene.steps_left = SIZE_MAX;
    struct sl_train_result result;
    scene.options.seed = 4;
    assert_fails(sl_train(scene.model, &scene.options, &result, &err), SL_ERR_INPUT, err,
                 "belongs to another run");
    scene.options.seed = 3;
    scene.recipe.rate = .06;
    assert_fails(sl_train(scene.model, &scene.options, &result, &err), SL_ERR_INPUT, err,
                 "belongs to another run");
    scene.recipe.rate = .05;
    scene.targets->rows[0] = .5F;
    assert_fails(sl_train(scene.model, &scene.options, &result, &err), SL_ERR_INPUT, err,
                 "belongs to another run");
    scene_release(&scene);
}

static void test_a_loss_that_is_not_finite_stops_the_run(void **state)
{
    (void)state;
    struct sl_error err;
    struct scene scene;
    scene_init(&scene);
    scene.recipe.clip = 0;
    scene.recipe.rate = 1e30;
    scene.options.checkpoint = test_path("nan.safetensors");
    struct sl_train_result result;
    assert_fails(sl_train(scene.model, &scene.options, &result, &err), SL_ERR_NUMERIC, err,
                 "not finite at step");
    assert_true(sl_file_exists(scene.options.checkpoint));
    scene_release(&scene);
}

static void test_the_best_epoch_is_kept(void **state)
{
    (void)state;
    static const double scores[] = {.1, .7, .3, .7};
    struct scene scene;
    scene_init(&scene);
    scene.recipe.epochs = 2;
    train(&scene);
    size_t count = 0;
    float *after_two = copy_values(&scene, &count);
    make_model(&scene);
    scene.n_epochs = 0;
    scene.recipe.epochs = 4;
    scene.recipe.select = SL_SELECT_BEST;
    scene.scores = scores;
    const struct sl_train_result result = train(&scene);
    assert_int_equal(result.best_epoch, 2);
    assert_near(result.best_score, .7, 0);
    assert_true(scene.epochs[0].best && scene.epochs[1].best && !scene.epochs[3].best);
    assert_memory_equal(sl_model_values(scene.model), after_two,
                        sl_model_n_values(scene.model) * sizeof *after_two);
    free(after_two);
    scene_release(&scene);
}

static void test_patience_ends_a_run(void **state)
{
    (void)state;
    static const double scores[] = {.1, .2, .15, .1, .9, .9};
    struct scene scene;
    scene_init(&scene);
    scene.recipe.epochs = 6;
    scene.recipe.patience = 2;
    scene.scores = scores;
    const struct sl_train_result result = train(&scene);
    assert_int_equal(result.end, SL_TRAIN_EARLY);
    assert_int_equal(result.epochs, 4);
    scene_release(&scene);
}

static void test_a_last_batch_is_smaller_or_dropped(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene);
    scene.recipe.epochs = 1;
    assert_int_equal(train(&scene).steps, 3); /* 8, 8 and 6 of 22 */
    scene.recipe.drop_last = true;
    assert_int_equal(train(&scene).steps, 2);
    scene.recipe.batch = 0; /* all of them */
    assert_int_equal(train(&scene).steps, 1);
    scene_release(&scene);
}

static void test_what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct scene scene;
    scene_init(&scene);
    struct sl_train_result result;
    struct sl_targets other = *scene.targets;
    scene.options.targets = &other;
    other.n_classes = 4;
    assert_fails(sl_train(scene.model, &scene.options, &result, &err), SL_ERR_INPUT, err,
                 "the targets have 4 classes, but the network has 3");
    other = *scene.targets;
    other.n_items = 0;
    assert_fails(sl_train(scene.model, &scene.options, &result, &err), SL_ERR_INPUT, err,
                 "there are no items to train on");
    scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_network_learns),
        cmocka_unit_test(test_a_stopped_run_ends_with_the_same_bits),
        cmocka_unit_test(test_the_number_of_threads_may_change_at_a_stop),
        cmocka_unit_test(test_so_does_one_of_every_kind_of_draw),
        cmocka_unit_test(test_a_checkpoint_of_another_run_is_refused),
        cmocka_unit_test(test_a_loss_that_is_not_finite_stops_the_run),
        cmocka_unit_test(test_the_best_epoch_is_kept),
        cmocka_unit_test(test_patience_ends_a_run),
        cmocka_unit_test(test_a_last_batch_is_smaller_or_dropped),
        cmocka_unit_test(test_what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
