#include "nn/layers/layer.h"
#include "support.h"

enum { STEPS = 3, ITEMS = 2, WIDTH = 5, COUNT = 4, OFFSET = 7 };

struct scene {
    struct sl_nn_node nodes[2];
    struct sl_nn_graph graph;
    struct sl_nn_unit unit;
    float state[OFFSET + COUNT * WIDTH], output[STEPS * ITEMS * WIDTH];
};

static void scene_init(struct scene *scene, enum sl_nn_op ids)
{
    *scene = (struct scene){
        .nodes = {{ids, .shape = {SL_NN_IDS, 1, STEPS, 1}},
                  {SL_NN_EMBED, .n_inputs = 1, .shape = {SL_NN_SEQUENCE, WIDTH, STEPS, 1},
                   .as.embed.count = COUNT}},
        .unit = {.node = 1, .n_inputs = 1, .output = 1, .images = ITEMS, .offset = {OFFSET}},
    };
    scene->graph = (struct sl_nn_graph){.nodes = scene->nodes, .count = 2};
    scene->unit.graph = &scene->graph;
    for (size_t i = 0; i < sizeof scene->state / sizeof *scene->state; i++)
        scene->state[i] = (float)i;
    for (size_t i = 0; i < sizeof scene->output / sizeof *scene->output; i++)
        scene->output[i] = NAN;
}

static void scene_run(struct scene *scene, const struct sl_batch *batch)
{
    struct sl_error err;
    struct sl_nn_needs needs;
    void *state = NULL;
    assert_ok(sl_nn_layer_embed.create(&scene->unit, &needs, &state, &err), err);
    assert_int_equal(needs.kept + needs.prepared + needs.scratch[0] + needs.scratch[1], 0);
    const struct sl_nn_args args = {
        .batch = batch, .state = scene->state, .output.data = scene->output};
    sl_nn_layer_embed.forward(state, &args);
    sl_nn_layer_embed.backward(state, &args);
    sl_nn_layer_embed.destroy(state);
}

static void test_every_id_becomes_its_row_of_the_table(void **state)
{
    (void)state;
    const int32_t ids[ITEMS * STEPS] = {3, 0, 1, 2, 2, 3};
    const struct sl_batch words = {.words = ids}, letters = {.letters = ids};
    for (int by_letter = 0; by_letter < 2; by_letter++) {
        struct scene scene;
        scene_init(&scene, by_letter ? SL_NN_LETTERS : SL_NN_WORDS);
        scene_run(&scene, by_letter ? &letters : &words);
        for (size_t i = 0; i < STEPS * ITEMS * WIDTH; i++) {
            const size_t step = i / WIDTH / ITEMS, item = i / WIDTH % ITEMS;
            const size_t row = (size_t)ids[item * STEPS + step];
            assert_near(scene.output[i], OFFSET + row * WIDTH + i % WIDTH, 0);
        }
    }
}

static void test_beyond_an_item_s_end_there_are_zeros_and_no_ids(void **state)
{
    (void)state;
    const int32_t ids[ITEMS * STEPS] = {3, -1, 99, 2, 2, -7}, counts[ITEMS] = {1, 2};
    const struct sl_batch batch = {.words = ids, .word_counts = counts};
    struct scene scene;
    scene_init(&scene, SL_NN_WORDS);
    scene_run(&scene, &batch);
    for (size_t i = 0; i < STEPS * ITEMS * WIDTH; i++) {
        const size_t step = i / WIDTH / ITEMS, item = i / WIDTH % ITEMS;
        const size_t row = (size_t)ids[item * STEPS + step];
        const bool real = step < (size_t)counts[item];
        assert_near(scene.output[i], real ? (double)(OFFSET + row * WIDTH + i % WIDTH) : 0, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_id_becomes_its_row_of_the_table),
        cmocka_unit_test(test_beyond_an_item_s_end_there_are_zeros_and_no_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
