#include "softlab/nn/loss.h"
#include "train_method_scene.h"

static struct method_scene *scene_of(enum sl_crowd_layer layer, bool on_logits)
{
    struct method_scene *scene = scene_create("crowd-layer");
    scene->recipe.crowd = layer;
    scene->recipe.crowd_on_logits = on_logits;
    scene->recipe.reduction = SL_REDUCE_SUM;
    return scene;
}

/* One item of two classes, p = (3/4, 1/4), and one answer, the first class. */
struct tiny {
    struct sl_recipe recipe;
    struct sl_targets targets;
    struct sl_method *method;
    size_t begin[2];
    int32_t annotator;
    float row[2], gradient[2];
    double total;
};

static void tiny_run(struct tiny *tiny, enum sl_crowd_layer layer, bool on_logits,
                     const float *values)
{
    const size_t position = 0;
    const float logits[] = {(float)log(3), 0};
    struct sl_error err = {0};
    *tiny = (struct tiny){.recipe = {.method = "crowd-layer",
                                     .batch = 1,
                                     .crowd = layer,
                                     .crowd_on_logits = on_logits},
                          .begin = {0, 1},
                          .row = {1, 0}};
    tiny->targets = (struct sl_targets){.n_items = 1,
                                        .n_classes = 2,
                                        .begin = tiny->begin,
                                        .rows = tiny->row,
                                        .annotators = &tiny->annotator,
                                        .n_annotators = 1};
    const struct sl_train_options options = {.recipe = &tiny->recipe, .targets = &tiny->targets};
    assert_ok(sl_method_create(&options, 2, &tiny->method, &err), err);
    memcpy(tiny->method->values, values, tiny->method->n_values * sizeof *values);
    const struct sl_method_batch batch = {.count = 1, .positions = &position, .n_classes = 2};
    tiny->method->row->steps->loss(tiny->method, &batch, logits, tiny->gradient, &tiny->total);
}

static void test_a_matrix_takes_probabilities_by_row_to_answers_by_column(void **state)
{
    static const float values[] = {.2f, .8f, .6f, .4f};
    struct tiny tiny;
    (void)state;
    tiny_run(&tiny, SL_CROWD_MW, false, values);
    /* p M = (.3, .7); the softmax of it gives the answer 1 / (1 + e^.4). */
    const double slope = 1 / (1 + exp(.4)) - 1;
    assert_near(tiny.total, log1p(exp(.4)), 1e-6);
    const float *gradients = tiny.method->gradients;
    assert_near(gradients[0], .75 * slope, 1e-6);
    assert_near(gradients[1], -.75 * slope, 1e-6);
    assert_near(gradients[2], .25 * slope, 1e-6);
    assert_near(gradients[3], -.25 * slope, 1e-6);
    /* By p: slope (-.6, .2); through the softmax p (g - p . g) = +-.75 * .25 * -.8 slope. */
    assert_near(tiny.gradient[0], -.15 * slope, 1e-6);
    assert_near(tiny.gradient[1], .15 * slope, 1e-6);
    sl_method_destroy(tiny.method);
}

static void test_weights_and_biases_by_hand(void **state)
{
    static const float both[] = {2, 1, -.5f, .25f};
    static const struct {
        enum sl_crowd_layer layer;
        const float *values;
        bool on_logits;
        double margin; /* of the first class over the second, after the layer */
        double weight_1;
    } cases[] = {
        {SL_CROWD_VW, both, false, 1.5 - .25, 2},
        {SL_CROWD_VB, both + 2, false, .75 - .5 - .25 - .25, 1},
        {SL_CROWD_VWB, both, false, 1.5 - .5 - .25 - .25, 2},
        {SL_CROWD_VWB, both, true, 2 * 1.0986122886681098 - .75, 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tiny tiny;
        tiny_run(&tiny, cases[i].layer, cases[i].on_logits, cases[i].values);
        const double slope = 1 / (1 + exp(-cases[i].margin)) - 1;
        assert_near(tiny.total, log1p(exp(-cases[i].margin)), 1e-6);
        const double by_input = cases[i].weight_1 * slope; /* the second's is -slope */
        assert_near(tiny.gradient[0],
                    cases[i].on_logits ? by_input : .75 * .25 * (by_input + slope), 1e-6);
        const float *gradients = tiny.method->gradients;
        const double input = cases[i].on_logits ? log(3) : .75;
        assert_near(gradients[0], cases[i].layer == SL_CROWD_VB ? slope : input * slope, 1e-6);
        assert_near(gradients[1],
                    cases[i].layer == SL_CROWD_VB ? -slope
                    : cases[i].on_logits          ? 0
                                                  : -.25 * slope,
                    1e-6);
        if (cases[i].layer == SL_CROWD_VWB) assert_near(gradients[3], -slope, 1e-6);
        sl_method_destroy(tiny.method);
    }
}

/* One answer per item, all by one annotator: at first its layer changes nothing. */
static void test_one_annotator_on_logits_is_plain_at_first(void **state)
{
    (void)state;
    for (int layer = SL_CROWD_MW; layer <= SL_CROWD_VWB; layer++) {
        struct method_scene *scene = scene_of((enum sl_crowd_layer)layer, true);
        struct method_scene *plain = scene_create("plain");
        plain->recipe.reduction = SL_REDUCE_SUM;
        memset(scene->annotators, 0, sizeof scene->annotators);
        scene->targets.n_annotators = 1;
        for (size_t i = 0; i <= SCENE_ITEMS; i++)
            scene->begin[i] = plain->begin[i] = i;
        scene_start(scene);
        scene_start(plain);
        assert_same_loss(scene, plain, 1e-6);
        scene_destroy(scene);
        scene_destroy(plain);
    }
}

/* On probabilities they are what the second softmax reads. */
static void test_one_annotator_on_probabilities_is_plain_on_them_at_first(void **state)
{
    (void)state;
    struct method_scene *scene = scene_of(SL_CROWD_MW, false), *plain = scene_create("plain");
    memset(scene->annotators, 0, sizeof scene->annotators);
    for (size_t i = 0; i <= SCENE_ITEMS; i++)
        scene->begin[i] = plain->begin[i] = i;
    scene_start(scene);
    scene_start(plain);
    sl_softmax(plain->logits, SCENE_COUNT, SCENE_CLASSES, plain->logits);
    assert_near(scene_loss(scene), scene_loss(plain), 1e-6);
    scene_destroy(scene);
    scene_destroy(plain);
}

static void test_an_annotator_without_answers_has_no_gradient(void **state)
{
    (void)state;
    for (int layer = SL_CROWD_MW; layer <= SL_CROWD_VWB; layer++) {
        struct method_scene *scene = scene_of((enum sl_crowd_layer)layer, layer % 2);
        scene_start(scene);
        struct sl_method *method = scene->method;
        const size_t each = method->n_values / SCENE_ANNOTATORS;
        for (size_t i = 0; i < method->n_values; i++)
            method->gradients[i] = 9; /* of an earlier step */
        scene_loss(scene);
        for (size_t r = 0; r < SCENE_ANNOTATORS; r++) {
            double size = 0;
            for (size_t i = 0; i < each; i++)
                size += fabs((double)method->gradients[r * each + i]);
            if (r == SCENE_SILENT) assert_near(size, 0, 0);
            if (r != SCENE_SILENT) assert_true(size > 0 && size < 100);
        }
        /* Nor has an item without answers. */
        for (size_t i = 0; i < SCENE_COUNT; i++)
            if (scene->positions[i] == SCENE_UNANSWERED)
                for (size_t k = 0; k < SCENE_CLASSES; k++)
                    assert_near(scene->gradient[i * SCENE_CLASSES + k], 0, 0);
        scene_destroy(scene);
    }
}

/* The batch has 12 answers; 7 items and 4 annotators could have given 28. */
static void test_means_are_over_answers_or_over_all_that_could_be(void **state)
{
    (void)state;
    struct method_scene *sum = scene_of(SL_CROWD_MW, false), *mean = scene_of(SL_CROWD_MW, false);
    struct method_scene *masked = scene_of(SL_CROWD_MW, false);
    mean->recipe.reduction = masked->recipe.reduction = SL_REDUCE_MEAN;
    masked->recipe.crowd_masked_mean = true;
    scene_start(sum);
    scene_start(mean);
    scene_start(masked);
    const double total = scene_loss(sum);
    assert_near(scene_loss(mean), total, 0);
    assert_near(scene_loss(masked), total, 0);
    for (size_t i = 0; i < SCENE_COUNT * SCENE_CLASSES; i++) {
        assert_near(mean->gradient[i], (double)sum->gradient[i] / 12, 1e-7);
        assert_near(masked->gradient[i], (double)sum->gradient[i] / 28, 1e-7);
    }
    for (size_t i = 0; i < sum->method->n_values; i++) {
        assert_near(mean->method->gradients[i], (double)sum->method->gradients[i] / 12, 1e-7);
        assert_near(masked->method->gradients[i], (double)sum->method->gradients[i] / 28, 1e-7);
    }
    scene_destroy(sum);
    scene_destroy(mean);
    scene_destroy(masked);
}

static void test_a_batch_without_answers_costs_nothing(void **state)
{
    (void)state;
    struct method_scene *scene = scene_of(SL_CROWD_MW, false);
    scene->recipe.reduction = SL_REDUCE_MEAN;
    scene_start(scene);
    scene->batch.count = 1;
    scene->positions[0] = SCENE_UNANSWERED;
    assert_near(scene_loss(scene), 0, 0);
    for (size_t k = 0; k < SCENE_CLASSES; k++)
        assert_near(scene->gradient[k], 0, 0);
    for (size_t i = 0; i < scene->method->n_values; i++)
        assert_near(scene->method->gradients[i], 0, 0);
    scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_matrix_takes_probabilities_by_row_to_answers_by_column),
        cmocka_unit_test(test_weights_and_biases_by_hand),
        cmocka_unit_test(test_one_annotator_on_logits_is_plain_at_first),
        cmocka_unit_test(test_one_annotator_on_probabilities_is_plain_on_them_at_first),
        cmocka_unit_test(test_an_annotator_without_answers_has_no_gradient),
        cmocka_unit_test(test_means_are_over_answers_or_over_all_that_could_be),
        cmocka_unit_test(test_a_batch_without_answers_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
