#include "allocations.h"
#include "train_method_scene.h"

static void test_every_method_is_found_by_its_name(void **state)
{
    (void)state;
    for (const struct sl_train_method *row = sl_train_methods; row->name; row++) {
        assert_ptr_equal(sl_train_method_find(row->name), row);
        assert_true(strlen(row->summary) > 0 && strlen(row->keys) > 0);
        assert_true(row->steps->copies == 1 || row->steps->copies == 2);
        assert_non_null(row->steps->loss);
    }
    assert_null(sl_train_method_find("mixdown"));
}

/* ---- What cannot work ---- */

static void expect_refusal(struct method_scene *scene, enum sl_status status, const char *part)
{
    struct sl_error err = {0};
    struct sl_method *method = NULL;
    assert_fails(sl_method_create(&scene->options, SCENE_CLASSES, &method, &err), status, err,
                 part);
    assert_null(method);
    scene_destroy(scene);
}

static void test_unknown_methods_and_other_classes_are_refused(void **state)
{
    (void)state;
    expect_refusal(scene_create("mixdown"), SL_ERR_USAGE,
                   "no training method is called \"mixdown\"");
    struct method_scene *scene = scene_create("plain");
    scene->targets.n_classes = 4;
    expect_refusal(scene, SL_ERR_INPUT, "the targets have 4 classes, but the network has 5");
}

static void test_text_cannot_be_mixed(void **state)
{
    static const char *const names[] = {"mixup", "regmixup", "mix-maxent", "ent-wc"};
    static const char *const others[] = {"plain", "crowd-layer"};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct method_scene *scene = scene_create(names[i]);
        scene->feed.shape = (struct sl_input_shape){.tokens = 10, .letters = 5};
        char text[64];
        snprintf(text, sizeof text, "method %s mixes images or features, not text", names[i]);
        expect_refusal(scene, SL_ERR_INPUT, text);
    }
    for (size_t i = 0; i < 2; i++) {
        struct method_scene *scene = scene_create(others[i]);
        scene->feed.shape = (struct sl_input_shape){.tokens = 10, .letters = 5};
        scene_start(scene);
        scene_destroy(scene);
    }
}

static void test_numbers_out_of_range_are_refused(void **state)
{
    static const struct {
        const char *method;
        double alpha, kappa;
        const char *text;
    } cases[] = {
        {"mixup", -1, .5, "method mixup: alpha = -1, expected 0 or more"},
        {"mixup", (double)NAN, .5, "alpha = nan"},
        {"ent-wc", (double)INFINITY, .5, "alpha = inf"},
        {"regmixup", 0, .5, "method regmixup: alpha = 0, expected more than 0"},
        {"mix-maxent", (double)NAN, .5, "alpha = nan, expected more than 0"},
        {"ent-wc", 1, 1.5, "method ent-wc: kappa = 1.5, expected 0 to 1"},
        {"ent-wc", 1, (double)NAN, "kappa = nan"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct method_scene *scene = scene_create(cases[i].method);
        scene->recipe.alpha = cases[i].alpha;
        scene->recipe.kappa = cases[i].kappa;
        expect_refusal(scene, SL_ERR_INPUT, cases[i].text);
    }
}

static void test_mixing_functions_need_mixed_targets_over_the_same_classes(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    struct sl_mixing_functions *four = NULL, *five = NULL;
    struct sl_error err = {0};
    const struct sl_logistic curve = {10, .5};
    (void)state;
    assert_ok(sl_mixing_constant(names, 4, curve, &four, &err), err);
    assert_ok(sl_mixing_constant(names, SCENE_CLASSES, curve, &five, &err), err);
    for (const struct sl_train_method *row = sl_train_methods; row->name; row++) {
        struct method_scene *scene = scene_create(row->name);
        scene->options.mixing = five;
        if (!row->steps->takes_mixing) {
            expect_refusal(scene, SL_ERR_INPUT, "does not mix targets");
            continue;
        }
        scene_start(scene);
        scene_destroy(scene);
        scene = scene_create(row->name);
        scene->options.mixing = four;
        expect_refusal(scene, SL_ERR_INPUT, "the mixing functions have 4 classes");
    }
    sl_mixing_functions_destroy(four);
    sl_mixing_functions_destroy(five);
}

static void test_a_crowd_layer_needs_annotators(void **state)
{
    (void)state;
    struct method_scene *scene = scene_create("crowd-layer");
    scene->targets.annotators = NULL;
    expect_refusal(scene, SL_ERR_INPUT, "method crowd-layer needs labels that name their annotat");
    scene = scene_create("crowd-layer");
    scene->targets.n_annotators = 0;
    expect_refusal(scene, SL_ERR_INPUT, "name their annotators");
    scene = scene_create("crowd-layer");
    scene->annotators[4] = -1;
    expect_refusal(scene, SL_ERR_INPUT, "an annotator for every label, but label 4 has none");
    scene = scene_create("crowd-layer");
    scene->annotators[5] = SCENE_ANNOTATORS;
    expect_refusal(scene, SL_ERR_INPUT, "label 5 has none");
    scene = scene_create("crowd-layer");
    scene->recipe.crowd_masked_mean = true;
    scene->recipe.reduction = SL_REDUCE_SUM;
    expect_refusal(scene, SL_ERR_INPUT, "crowd_masked_mean needs reduction=mean");
}

/* ---- What every method promises ---- */

static void test_the_reductions_differ_by_the_number_of_items(void **state)
{
    (void)state;
    for (const struct sl_train_method *row = sl_train_methods; row->name; row++) {
        if (row->steps == &sl_method_crowd_layer) continue; /* means are over its answers */
        struct method_scene *sum = scene_create(row->name), *mean = scene_create(row->name);
        sum->recipe.reduction = SL_REDUCE_SUM;
        scene_start(sum);
        scene_start(mean);
        assert_near(scene_loss(sum), scene_loss(mean), 0);
        for (size_t i = 0; i < scene_n_logits(sum); i++)
            assert_near(mean->gradient[i], (double)sum->gradient[i] / SCENE_COUNT, 1e-7);
        scene_destroy(sum);
        scene_destroy(mean);
    }
}

static void test_nan_among_the_logits_is_never_hidden(void **state)
{
    (void)state;
    for (const struct sl_train_method *row = sl_train_methods; row->name; row++)
        for (int on_logits = 0; on_logits < 2; on_logits++) {
            struct method_scene *scene = scene_create(row->name);
            scene->recipe.crowd_on_logits = on_logits;
            scene->recipe.eta = on_logits;
            scene_start(scene);
            for (size_t i = 0; i < scene_n_logits(scene); i++) {
                const float kept = scene->logits[i];
                scene->logits[i] = NAN;
                assert_true(isnan(scene_loss(scene)));
                scene->logits[i] = INFINITY;
                assert_true(!isfinite(scene_loss(scene)));
                scene->logits[i] = kept;
            }
            assert_true(isfinite(scene_loss(scene)));
            scene_destroy(scene);
        }
}

static bool same_outcome(const struct method_scene *a, const struct method_scene *b)
{
    const size_t copies = a->method->row->steps->copies;
    return memcmp(a->pixels, b->pixels, copies * SCENE_COUNT * SCENE_PIXELS * sizeof(float)) == 0 &&
           memcmp(a->batch_targets, b->batch_targets,
                  copies * SCENE_COUNT * SCENE_CLASSES * sizeof(float)) == 0;
}

/* A batch does not depend on earlier batches, so a resumed run continues with the same batches. */
static void test_a_batch_depends_on_seed_epoch_and_step_alone(void **state)
{
    (void)state;
    for (const struct sl_train_method *row = sl_train_methods; row->name; row++) {
        struct method_scene *scene = scene_create(row->name), *other = scene_create(row->name);
        struct method_scene *sown = scene_create(row->name);
        sown->options.seed++;
        scene_start(scene);
        scene_start(sown);
        scene_start(other);
        const bool draws = row->steps->prepare;
        assert_true(same_outcome(scene, other));
        assert_true(same_outcome(scene, sown) == !draws);
        other->batch.step++;
        scene_prepare(other);
        assert_true(same_outcome(scene, other) == !draws);
        other->batch.step--;
        other->batch.epoch++;
        scene_prepare(other);
        assert_true(same_outcome(scene, other) == !draws);
        other->batch.epoch--;
        scene_prepare(other);
        assert_true(same_outcome(scene, other));
        scene_destroy(scene);
        scene_destroy(other);
        scene_destroy(sown);
    }
}

static void test_a_step_allocates_nothing(void **state)
{
    (void)state;
    for (const struct sl_train_method *row = sl_train_methods; row->name; row++) {
        struct method_scene *scene = scene_create(row->name);
        scene_start(scene);
        const size_t before = n_allocations;
        assert_true(before > 0);
        scene_prepare(scene);
        scene_loss(scene);
        assert_int_equal(n_allocations, before);
        scene_destroy(scene);
    }
}

static void test_running_out_of_memory_is_reported(void **state)
{
    size_t failures = 0;
    (void)state;
    for (const struct sl_train_method *row = sl_train_methods; row->name; row++)
        for (size_t left = 0; left < 3; left++) {
            struct method_scene *scene = scene_create(row->name);
            struct sl_error err = {0};
            allocations_left = left;
            const enum sl_status status =
                sl_method_create(&scene->options, SCENE_CLASSES, &scene->method, &err);
            allocations_left = SIZE_MAX;
            failures += status != SL_OK;
            assert_true(status == SL_OK ? scene->method != NULL
                                        : status == SL_ERR_NOMEM && !scene->method);
            scene_destroy(scene);
        }
    assert_int_equal(failures, 4 * 2 + 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method_is_found_by_its_name),
        cmocka_unit_test(test_unknown_methods_and_other_classes_are_refused),
        cmocka_unit_test(test_text_cannot_be_mixed),
        cmocka_unit_test(test_numbers_out_of_range_are_refused),
        cmocka_unit_test(test_mixing_functions_need_mixed_targets_over_the_same_classes),
        cmocka_unit_test(test_a_crowd_layer_needs_annotators),
        cmocka_unit_test(test_the_reductions_differ_by_the_number_of_items),
        cmocka_unit_test(test_nan_among_the_logits_is_never_hidden),
        cmocka_unit_test(test_a_batch_depends_on_seed_epoch_and_step_alone),
        cmocka_unit_test(test_a_step_allocates_nothing),
        cmocka_unit_test(test_running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
