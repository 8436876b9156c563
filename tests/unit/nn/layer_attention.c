/* Attention: tanh and weighing against formulas and finite differences. */
#include "nn/layers/layer.h"
#include "support.h"

enum { ITEMS = 5, WIDTH = 7, SPLIT = 3, X = ITEMS * WIDTH, SCORES = 2 * ITEMS };

static struct sl_nn_tensor rows(float *data, size_t channels)
{
    return (struct sl_nn_tensor){.data = data,
                                 .layout = SL_NN_ROWS,
                                 .images = ITEMS,
                                 .channels = channels,
                                 .image_stride = channels,
                                 .height = 1,
                                 .width = 1};
}

struct scene {
    struct sl_nn_node node;
    struct sl_nn_graph graph;
    struct sl_nn_unit unit;
    void *state;
    float x[X], scores[SCORES], y[X], upstream[X], dx[X], dscores[SCORES];
    struct sl_nn_args args;
};

static void scene_init(struct scene *scene, const struct sl_nn_layer_type *type, enum sl_nn_op op)
{
    struct sl_error err;
    struct sl_nn_needs needs = {0};
    *scene = (struct scene){.node = {op, .n_inputs = 1, .shape = {SL_NN_ROWS, WIDTH, 1, 1}}};
    if (op == SL_NN_WEIGH) scene->node.as.weigh.split = SPLIT;
    scene->graph = (struct sl_nn_graph){.nodes = &scene->node, .count = 1};
    scene->unit = (struct sl_nn_unit){.graph = &scene->graph,
                                      .images = ITEMS,
                                      .training = true,
                                      .gradients = true,
                                      .input_gradient = {true, true}};
    for (size_t i = 0; i < X; i++) {
        scene->x[i] = (float)sin(1.7 * (double)i) * 2;
        scene->upstream[i] = (float)cos(.9 * (double)i);
        scene->dx[i] = NAN;
    }
    for (size_t i = 0; i < SCORES; i++) {
        scene->scores[i] = (float)sin(2.3 * (double)i + 1) * 3;
        scene->dscores[i] = NAN;
    }
    assert_ok(type->create(&scene->unit, &needs, &scene->state, &err), err);
    scene->args =
        (struct sl_nn_args){.input = {rows(scene->x, WIDTH), rows(scene->scores, 2)},
                            .output = rows(scene->y, WIDTH),
                            .upstream = rows(scene->upstream, WIDTH),
                            .input_gradient = {rows(scene->dx, WIDTH), rows(scene->dscores, 2)}};
}

/* The sum of the outputs times the upstream gradient. */
static double objective(struct scene *scene, const struct sl_nn_layer_type *type)
{
    double sum = 0;
    type->forward(scene->state, &scene->args);
    for (size_t i = 0; i < X; i++)
        sum += (double)scene->y[i] * (double)scene->upstream[i];
    return sum;
}

static void assert_gradient(struct scene *scene, const struct sl_nn_layer_type *type, float *at,
                            const float *found, size_t count)
{
    const float step = 1e-2F;
    for (size_t i = 0; i < count; i++) {
        const float value = at[i];
        at[i] = value + step;
        const double above = objective(scene, type), high = (double)at[i];
        at[i] = value - step;
        const double below = objective(scene, type), low = (double)at[i];
        at[i] = value;
        assert_near(found[i], (above - below) / (high - low), 2e-4);
    }
}

static void test_tanh_and_its_gradient(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene, &sl_nn_layer_tanh, SL_NN_TANH);
    objective(&scene, &sl_nn_layer_tanh);
    for (size_t i = 0; i < X; i++)
        assert_near(scene.y[i], tanh((double)scene.x[i]), 1e-6);
    sl_nn_layer_tanh.backward(scene.state, &scene.args);
    assert_gradient(&scene, &sl_nn_layer_tanh, scene.x, scene.dx, X);
    /* The plan may ask the layer to overwrite the upstream gradient. */
    objective(&scene, &sl_nn_layer_tanh);
    float expected[X];
    memcpy(expected, scene.dx, sizeof expected);
    scene.args.input_gradient[0].data = scene.upstream;
    sl_nn_layer_tanh.backward(scene.state, &scene.args);
    assert_memory_equal(scene.upstream, expected, sizeof expected);
    sl_nn_layer_tanh.destroy(scene.state);
}

static void test_parts_are_weighed_by_the_softmax_of_their_scores(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene, &sl_nn_layer_weigh, SL_NN_WEIGH);
    objective(&scene, &sl_nn_layer_weigh);
    for (size_t n = 0; n < ITEMS; n++) {
        const double first = exp((double)scene.scores[2 * n]);
        const double second = exp((double)scene.scores[2 * n + 1]);
        for (size_t c = 0; c < WIDTH; c++) {
            const double weight = (c < SPLIT ? first : second) / (first + second);
            assert_near(scene.y[n * WIDTH + c], weight * (double)scene.x[n * WIDTH + c], 1e-6);
        }
    }
    sl_nn_layer_weigh.backward(scene.state, &scene.args);
    assert_gradient(&scene, &sl_nn_layer_weigh, scene.x, scene.dx, X);
    assert_gradient(&scene, &sl_nn_layer_weigh, scene.scores, scene.dscores, SCORES);
    sl_nn_layer_weigh.destroy(scene.state);
}

static void test_scores_far_apart_stay_finite(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene, &sl_nn_layer_weigh, SL_NN_WEIGH);
    for (size_t n = 0; n < ITEMS; n++) {
        scene.scores[2 * n] = n % 2 ? 1e4F : -1e4F;
        scene.scores[2 * n + 1] = 0;
    }
    objective(&scene, &sl_nn_layer_weigh);
    sl_nn_layer_weigh.backward(scene.state, &scene.args);
    for (size_t n = 0; n < ITEMS; n++)
        for (size_t c = 0; c < WIDTH; c++) {
            const bool counts = (c < SPLIT) == (n % 2 == 1);
            assert_near(scene.y[n * WIDTH + c], counts ? scene.x[n * WIDTH + c] : 0, 0);
            assert_near(scene.dscores[2 * n], 0, 0);
        }
    sl_nn_layer_weigh.destroy(scene.state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tanh_and_its_gradient),
        cmocka_unit_test(test_parts_are_weighed_by_the_softmax_of_their_scores),
        cmocka_unit_test(test_scores_far_apart_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
