/* The sparse form of confusion matrices beside the dense one. */
#include "crowd/confusion.h"

#include "crowd/confusion_sparse.h"
#include "crowd_scene.h"

static const struct sl_confusion_model *const models[] = {
    &sl_confusion_ds, &sl_confusion_ds_fast, &sl_confusion_ds_hybrid, &sl_confusion_ibcc};
enum { MODELS = sizeof models / sizeof *models };

static void run(size_t model, enum sl_confusion_form form, const struct sl_votes *votes,
                const struct sl_crowd_options *options, struct sl_crowd_state *out)
{
    struct sl_confusion_model formed = *models[model];
    struct sl_crowd_options own = *options;
    struct sl_error err;
    formed.form = form;
    *out = (struct sl_crowd_state){0};
    if (own.max_iterations == SL_CROWD_OWN_ROUNDS) own.max_iterations = 100;
    if (own.tolerance == SL_CROWD_OWN) own.tolerance = 1e-7;
    assert_ok(sl_confusion_run(&formed, votes, &own, out, &err), err);
}

static void assert_same(const struct sl_crowd_state *a, const struct sl_crowd_state *b,
                        double tolerance)
{
    const size_t k = a->n_classes, n = a->n_annotators;
    assert_int_equal(a->n_iterations, b->n_iterations);
    assert_int_equal(a->converged, b->converged);
    assert_memory_equal(a->posterior, b->posterior, a->n_items * k * sizeof *a->posterior);
    assert_memory_equal(a->class_prior, b->class_prior, k * sizeof *a->class_prior);
    assert_memory_equal(a->skill, b->skill, n * sizeof *a->skill);
    assert_int_equal(!a->confusion, !b->confusion);
    if (a->confusion)
        assert_memory_equal(a->confusion, b->confusion, n * k * k * sizeof *a->confusion);
    for (size_t i = 0; i < a->n_iterations; i++)
        assert_near(a->trace[i], b->trace[i], tolerance * fabs(a->trace[i]));
}

/* Both forms, and the sparse one with threads. */
static void compare(const struct scene *scene, struct sl_crowd_options options)
{
    static const size_t threads[] = {1, 2, 3, 7};
    for (size_t m = 0; m < MODELS; m++) {
        struct sl_crowd_state dense, sparse, more;
        options.pool = NULL;
        run(m, SL_CONFUSION_DENSE, &scene->votes, &options, &dense);
        run(m, SL_CONFUSION_SPARSE, &scene->votes, &options, &sparse);
        assert_same(&dense, &sparse, 1e-12);
        for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
            options.pool = scene_pool(threads[i]);
            run(m, SL_CONFUSION_SPARSE, &scene->votes, &options, &more);
            assert_same(&sparse, &more, 0);
            sl_crowd_state_release(&more);
            sl_pool_destroy(options.pool);
        }
        sl_crowd_state_release(&dense);
        sl_crowd_state_release(&sparse);
    }
}

/* From one answer per row of a matrix to dozens; from few classes with mass per item to all. */
static const size_t shapes[][4] = {{60, 9, 2, 5},  {1, 5, 2, 5},   {60, 1, 3, 1},  {0, 3, 2, 0},
                                   {4, 0, 2, 0},   {12, 3, 1, 2},  {200, 8, 5, 4}, {150, 20, 80, 4},
                                   {90, 5, 80, 2}, {400, 4, 40, 3}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void scene_of_shape(struct scene *scene, size_t shape)
{
    const size_t *sizes = shapes[shape];
    scene_make(scene, sizes[0], sizes[1], sizes[2], sizes[3], 0.4, 0.95);
}

static void test_both_forms_agree(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        struct scene scene;
        scene_of_shape(&scene, i);
        compare(&scene, sl_crowd_options_default());
        scene_release(&scene);
    }
}

static void test_both_forms_agree_with_other_options(void **state)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct scene scene;
    (void)state;
    scene_make(&scene, 120, 12, 70, 3, 0.4, 0.95);
    options.max_iterations = 6;
    options.tolerance = 0;
    options.smoothing = options.diagonal = 0;
    compare(&scene, options);
    options.smoothing = 2;
    compare(&scene, options);
    options.smoothing = options.diagonal = SL_CROWD_OWN;
    options.start = SL_START_DIAGONAL;
    compare(&scene, options);
    scene_release(&scene);
}

/* Gold on a third of the items, also where all answers say otherwise, and an item that has gold and
 * no answer. */
static void test_both_forms_agree_about_gold(void **state)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct scene scene;
    int32_t gold[120];
    (void)state;
    scene_make(&scene, 120, 12, 70, 3, 0.4, 0.95);
    for (size_t i = 0; i < 120; i++)
        gold[i] = i % 3 ? -1 : i % 2 ? scene.truth[i] : (scene.truth[i] + 1) % 70;
    gold[119] = 5;
    scene.votes.count = scene.votes.begin[118];
    scene.votes.begin[119] = scene.votes.begin[120] = scene.votes.count;
    options.gold = gold;
    compare(&scene, options);
    options.start = SL_START_DIAGONAL;
    compare(&scene, options);
    scene_release(&scene);
}

/* The last annotators answered nothing, and one answered every question twice. */
static void test_both_forms_agree_about_silent_and_repeating_annotators(void **state)
{
    struct scene scene;
    (void)state;
    scene_make(&scene, 100, 9, 70, 4, 0.4, 0.95);
    scene.votes.n_annotators = 12;
    for (size_t v = 1; v < scene.votes.count; v += 4) {
        scene.votes.annotator[v] = 2;
        scene.votes.annotator[v - 1] = 2;
        scene.votes.label[v - 1] = scene.votes.label[v];
    }
    compare(&scene, sl_crowd_options_default());
    scene_release(&scene);
}

static void test_both_forms_continue_a_saved_state(void **state)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct scene scene;
    (void)state;
    scene_make(&scene, 120, 12, 70, 3, 0.4, 0.95);
    for (size_t m = 0; m < MODELS; m++) {
        struct sl_crowd_state saved;
        options.resume = NULL;
        run(m, SL_CONFUSION_SPARSE, &scene.votes, &options, &saved);
        saved.n_annotators = 10; /* two start from the mean of the others */
        options.resume = &saved;
        compare(&scene, options);
        sl_crowd_state_release(&saved);
    }
    scene_release(&scene);
}

/* Somebody without answers has the prior's matrix: smoothing 1 and diagonal 3 over 70 classes. */
static void test_a_silent_annotator_has_the_prior(void **state)
{
    const struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state crowd;
    struct scene scene;
    (void)state;
    scene_make(&scene, 50, 5, 70, 3, 0.4, 0.95);
    scene.votes.n_annotators = 6;
    run(3, SL_CONFUSION_SPARSE, &scene.votes, &options, &crowd);
    for (size_t k = 0; k < 70; k++)
        for (size_t said = 0; said < 70; said++)
            assert_near(crowd.confusion[(5 * 70 + k) * 70 + said], (k == said ? 4.0 : 1.0) / 73,
                        1e-8);
    assert_near(crowd.skill[5], 4.0 / 73, 1e-8);
    sl_crowd_state_release(&crowd);
    scene_release(&scene);
}

static void test_confusions_are_left_out_where_nobody_wants_them(void **state)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state with, without;
    struct scene scene;
    (void)state;
    scene_make(&scene, 50, 5, 70, 3, 0.4, 0.95);
    run(0, SL_CONFUSION_SPARSE, &scene.votes, &options, &with);
    options.confusions = false;
    run(0, SL_CONFUSION_SPARSE, &scene.votes, &options, &without);
    assert_non_null(with.confusion);
    assert_null(without.confusion);
    free(with.confusion);
    with.confusion = NULL;
    assert_same(&with, &without, 0);
    sl_crowd_state_release(&with);
    sl_crowd_state_release(&without);
    scene_release(&scene);
}

/* By name, the form follows from the sizes; prior counts are for the dense form. */
static void test_many_classes_are_sparse(void **state)
{
    const struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state dense, named = {0};
    struct scene scene;
    (void)state;
    scene_make(&scene, 40, 10, 10, 3, 0.4, 0.95);
    assert_false(sl_sparse_pays(&scene.votes));
    scene_release(&scene);
    scene_make(&scene, 40, 10, 400, 3, 0.4, 0.95);
    assert_true(sl_sparse_pays(&scene.votes));
    run(0, SL_CONFUSION_DENSE, &scene.votes, &options, &dense);
    scene_run(sl_aggregator_find("ds"), &scene, options, &named);
    assert_same(&dense, &named, 1e-12);
    sl_crowd_state_release(&dense);
    sl_crowd_state_release(&named);
    scene_release(&scene);
}

static void test_a_state_without_matrices_is_refused(void **state)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state saved = {0}, out = {0};
    struct scene scene;
    struct sl_error err;
    (void)state;
    scene_make(&scene, 40, 10, 400, 3, 0.4, 0.95);
    scene_run(sl_aggregator_find("mv"), &scene, options, &saved);
    options.resume = &saved;
    assert_fails(scene_try(sl_aggregator_find("ds"), &scene, options, &out, &err), SL_ERR_INPUT,
                 err, "ds: the saved state has no confusion matrices");
    sl_crowd_state_release(&saved);
    scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_forms_agree),
        cmocka_unit_test(test_both_forms_agree_with_other_options),
        cmocka_unit_test(test_both_forms_agree_about_gold),
        cmocka_unit_test(test_both_forms_agree_about_silent_and_repeating_annotators),
        cmocka_unit_test(test_both_forms_continue_a_saved_state),
        cmocka_unit_test(test_a_silent_annotator_has_the_prior),
        cmocka_unit_test(test_confusions_are_left_out_where_nobody_wants_them),
        cmocka_unit_test(test_many_classes_are_sparse),
        cmocka_unit_test(test_a_state_without_matrices_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
