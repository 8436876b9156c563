#include "nn/layers/layer.h"
#include "support.h"

enum { STEPS = 4, ITEMS = 3, WIDTH = 6, STRIDE = 8, SEQUENCE = STEPS * ITEMS * WIDTH };

/* Letters, an LSTM of one or both directions, and a pick. */
struct scene {
    struct sl_nn_node nodes[3];
    struct sl_nn_graph graph;
    struct sl_nn_unit unit;
    float input[SEQUENCE], output[ITEMS * STRIDE];
    float upstream[ITEMS * STRIDE], gradient[SEQUENCE], add[SEQUENCE];
};

static const int32_t positions[ITEMS] = {2, 0, 3}, counts[ITEMS] = {4, 1, 3};

static void scene_init(struct scene *scene, bool both, bool at_position, size_t step)
{
    *scene = (struct scene){
        .nodes = {{SL_NN_LETTERS, .shape = {SL_NN_IDS, 1, STEPS, 1}},
                  {SL_NN_LSTM, .n_inputs = 1, .shape = {SL_NN_SEQUENCE, WIDTH, STEPS, 1},
                   .as.lstm.both = both},
                  {SL_NN_PICK, .input = {1}, .n_inputs = 1, .shape = {SL_NN_ROWS, WIDTH, 1, 1},
                   .as.pick = {at_position, step}}},
        .unit = {.node = 2,
                 .input = {1},
                 .n_inputs = 1,
                 .output = 2,
                 .images = ITEMS,
                 .input_gradient = {true}},
    };
    scene->graph = (struct sl_nn_graph){.nodes = scene->nodes, .count = 3};
    scene->unit.graph = &scene->graph;
    for (size_t i = 0; i < SEQUENCE; i++) {
        scene->input[i] = (float)i;
        scene->add[i] = (float)(1000 + i);
        scene->gradient[i] = NAN;
    }
    for (size_t i = 0; i < ITEMS * STRIDE; i++) {
        scene->output[i] = -1;
        scene->upstream[i] = (float)(10 + i);
    }
}

static void scene_run(struct scene *scene, const struct sl_batch *batch, float *add)
{
    struct sl_error err;
    struct sl_nn_needs needs;
    void *state = NULL;
    assert_ok(sl_nn_layer_pick.create(&scene->unit, &needs, &state, &err), err);
    assert_true(needs.adds[0]);
    const struct sl_nn_args args = {
        .batch = batch,
        .input[0].data = scene->input,
        .output = {.data = scene->output, .image_stride = STRIDE},
        .upstream = {.data = scene->upstream, .image_stride = STRIDE},
        .input_gradient[0].data = scene->gradient,
        .add[0].data = add,
    };
    sl_nn_layer_pick.forward(state, &args);
    sl_nn_layer_pick.backward(state, &args);
    sl_nn_layer_pick.destroy(state);
}

/* Check that every item's step is `steps`, for the first and the second half of its channels. */
static void check(const struct scene *scene, const size_t steps[ITEMS][2], const float *add)
{
    for (size_t i = 0; i < SEQUENCE; i++) {
        const size_t step = i / WIDTH / ITEMS, item = i / WIDTH % ITEMS, j = i % WIDTH;
        const float *above = add ? add + i : NULL;
        const bool picked = steps[item][j >= WIDTH / 2] == step;
        if (picked) assert_near(scene->output[item * STRIDE + j], i, 0);
        assert_near(scene->gradient[i],
                    (picked ? 10 + (double)(item * STRIDE + j) : 0) + (above ? (double)*above : 0),
                    0);
    }
    for (size_t item = 0; item < ITEMS; item++)
        for (size_t j = WIDTH; j < STRIDE; j++)
            assert_near(scene->output[item * STRIDE + j], -1, 0);
}

static void test_positions_say_which_step(void **state)
{
    (void)state;
    const size_t steps[ITEMS][2] = {{2, 2}, {0, 0}, {3, 3}};
    const struct sl_batch batch = {.positions = positions, .letter_counts = counts};
    struct scene scene;
    scene_init(&scene, true, true, 0);
    scene_run(&scene, &batch, NULL);
    check(&scene, steps, NULL);
}

static void test_a_fixed_step_is_the_same_for_all(void **state)
{
    (void)state;
    const size_t steps[ITEMS][2] = {{1, 1}, {1, 1}, {1, 1}};
    const struct sl_batch batch = {.letter_counts = counts};
    struct scene scene;
    scene_init(&scene, true, false, 1);
    scene_run(&scene, &batch, NULL);
    check(&scene, steps, NULL);
}

static void test_the_last_step_is_where_each_direction_ends(void **state)
{
    (void)state;
    const size_t both[ITEMS][2] = {{3, 0}, {0, 0}, {2, 0}};
    const size_t one[ITEMS][2] = {{3, 3}, {0, 0}, {2, 2}},
                 full[ITEMS][2] = {{3, 3}, {3, 3}, {3, 3}};
    const struct sl_batch batch = {.letter_counts = counts}, no_counts = {0};
    struct scene scene;
    scene_init(&scene, true, false, SL_NN_LAST_STEP);
    scene_run(&scene, &batch, NULL);
    check(&scene, both, NULL);
    scene_init(&scene, false, false, SL_NN_LAST_STEP);
    scene_run(&scene, &batch, NULL);
    check(&scene, one, NULL);
    scene_init(&scene, false, false, SL_NN_LAST_STEP);
    scene_run(&scene, &no_counts, NULL);
    check(&scene, full, NULL);
}

static void test_the_gradient_goes_on_top_of_another(void **state)
{
    (void)state;
    const size_t steps[ITEMS][2] = {{1, 1}, {1, 1}, {1, 1}};
    const struct sl_batch batch = {0};
    struct scene scene;
    scene_init(&scene, true, false, 1);
    scene_run(&scene, &batch, scene.add);
    check(&scene, steps, scene.add);
    memcpy(scene.gradient, scene.add, sizeof scene.gradient);
    scene_run(&scene, &batch, scene.gradient);
    check(&scene, steps, scene.add);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positions_say_which_step),
        cmocka_unit_test(test_a_fixed_step_is_the_same_for_all),
        cmocka_unit_test(test_the_last_step_is_where_each_direction_ends),
        cmocka_unit_test(test_the_gradient_goes_on_top_of_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
