#include "nn/layers/layer.h"
#include "support.h"

/* Node numbers of the graph of every scene. */
enum { IDS, INPUT, LSTM, PICK, N_NODES };
enum { PICK_NONE, PICK_POSITION, PICK_STEP_1 };

struct shape {
    size_t steps, items, inputs, hidden, directions;
};

struct scene {
    struct shape shape;
    struct sl_nn_node nodes[N_NODES];
    struct sl_nn_graph graph;
    struct sl_nn_unit unit;
    struct sl_batch batch;
    int32_t *ids, *counts, *positions;
    size_t n_values, n_inputs, n_outputs;
    float *values, *gradients, *input, *output, *upstream, *input_gradient;
};

static float *random_floats(size_t count, uint64_t item, double scale)
{
    float *values = sl_alloc(count, sizeof *values);
    struct sl_rng rng;
    sl_rng_init(&rng, 3, "test.lstm", 0, item);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(scale * sl_rng_normal(&rng));
    return values;
}

/* Memory full of NaN, to detect reads before writes. */
static float *poison(size_t bytes)
{
    struct sl_error err;
    float *memory = sl_data_alloc(bytes, 1, &err);
    assert_non_null(memory);
    for (size_t i = 0; i < bytes / sizeof *memory; i++)
        memory[i] = NAN;
    return memory;
}

static void scene_init(struct scene *scene, struct shape shape, bool with_counts)
{
    const size_t sequence = shape.steps * shape.items;
    const size_t sizes[] = {4 * shape.hidden * shape.inputs, 4 * shape.hidden * shape.hidden,
                            4 * shape.hidden, 4 * shape.hidden};
    *scene = (struct scene){.shape = shape};
    scene->unit = (struct sl_nn_unit){
        .graph = &scene->graph,
        .node = LSTM,
        .input = {INPUT},
        .n_inputs = 1,
        .output = LSTM,
        .images = shape.items,
        .training = true,
        .gradients = true,
        .input_gradient = {true},
    };
    scene->n_values = 3; /* the values of other layers come first */
    for (size_t k = 0; k < 4 * shape.directions; k++) {
        scene->unit.offset[k] = scene->n_values;
        scene->n_values += sizes[k % 4];
    }
    scene->n_inputs = sequence * shape.inputs;
    scene->n_outputs = sequence * shape.hidden * shape.directions;
    scene->values = random_floats(scene->n_values, 1, .5);
    scene->input = random_floats(scene->n_inputs, 2, 1);
    scene->upstream = random_floats(scene->n_outputs, 3, 1);
    scene->gradients = poison(scene->n_values * sizeof(float));
    scene->output = poison(scene->n_outputs * sizeof(float));
    scene->input_gradient = poison(scene->n_inputs * sizeof(float));
    scene->ids = sl_alloc(sequence, sizeof *scene->ids);
    scene->counts = sl_alloc(shape.items, sizeof *scene->counts);
    scene->positions = sl_alloc(shape.items, sizeof *scene->positions);
    for (size_t i = 0; i < shape.items; i++) {
        scene->counts[i] = (int32_t)(1 + i * 5 % shape.steps);
        scene->positions[i] = (int32_t)(i * 7 % (size_t)scene->counts[i]);
    }
    scene->batch = (struct sl_batch){.words = scene->ids, .positions = scene->positions};
    if (with_counts) scene->batch.word_counts = scene->counts;

    scene->nodes[IDS] = (struct sl_nn_node){SL_NN_WORDS, .shape = {SL_NN_IDS, 1, shape.steps, 1}};
    scene->nodes[INPUT] =
        (struct sl_nn_node){SL_NN_DROPOUT, .input = {IDS}, .n_inputs = 1,
                            .shape = {SL_NN_SEQUENCE, shape.inputs, shape.steps, 1}};
    scene->nodes[LSTM] = (struct sl_nn_node){
        SL_NN_LSTM, .input = {INPUT}, .n_inputs = 1,
        .shape = {SL_NN_SEQUENCE, shape.hidden * shape.directions, shape.steps, 1},
        .as.lstm.both = shape.directions == 2};
    scene->graph = (struct sl_nn_graph){.nodes = scene->nodes, .count = LSTM + 1};
}

static void scene_release(struct scene *scene)
{
    free(scene->values);
    free(scene->gradients);
    free(scene->input);
    free(scene->output);
    free(scene->upstream);
    free(scene->input_gradient);
    free(scene->ids);
    free(scene->counts);
    free(scene->positions);
}

/* Make a pick the only reader of the LSTM; other outputs get no gradient. */
static void scene_pick(struct scene *scene, int what)
{
    const struct shape shape = scene->shape;
    const size_t width = shape.hidden * shape.directions;
    scene->nodes[PICK] = (struct sl_nn_node){SL_NN_PICK, .input = {LSTM}, .n_inputs = 1,
                                             .shape = {SL_NN_ROWS, width, 1, 1}};
    scene->nodes[PICK].as.pick.at_position = what == PICK_POSITION;
    scene->nodes[PICK].as.pick.step = 1;
    scene->graph.count = PICK + 1;
    for (size_t t = 0; t < shape.steps; t++)
        for (size_t i = 0; i < shape.items; i++)
            if (t != (what == PICK_POSITION ? (size_t)scene->positions[i] : 1))
                memset(scene->upstream + (t * shape.items + i) * width, 0, width * sizeof(float));
}

/* Give the LSTM the inputs of an embedding: five different sentences, most of them several
 * times. */
static void scene_repeat(struct scene *scene)
{
    const struct shape shape = scene->shape;
    scene->nodes[INPUT].op = SL_NN_EMBED;
    for (size_t i = 0; i < shape.items; i++) {
        scene->counts[i] = (int32_t)(1 + i % 5 * 2 % shape.steps);
        scene->positions[i] = (int32_t)(i * 7 % (size_t)scene->counts[i]);
        for (size_t t = 0; t < shape.steps; t++) {
            /* Ids beyond the end differ, which must not matter. */
            const bool real = t < (size_t)scene->counts[i];
            scene->ids[i * shape.steps + t] = (int32_t)(real ? i % 5 + t : i);
            memcpy(scene->input + (t * shape.items + i) * shape.inputs,
                   scene->input + (t * shape.items + i % 5) * shape.inputs,
                   shape.inputs * sizeof(float));
        }
    }
}

static struct sl_nn_tensor sequence_of(const struct scene *scene, float *data, size_t channels)
{
    return (struct sl_nn_tensor){.data = data,
                                 .layout = SL_NN_SEQUENCE,
                                 .images = scene->shape.items,
                                 .channels = channels,
                                 .height = scene->shape.steps,
                                 .width = 1};
}

/* Run forward and, if `backwards`, backward. Each run has its own scratch, full of NaN. `add` is
 * added to the input gradient. */
static void scene_run(struct scene *scene, bool backwards, float *add)
{
    const size_t width = scene->shape.hidden * scene->shape.directions;
    struct sl_error err;
    struct sl_nn_needs needs;
    void *state = NULL;
    assert_ok(sl_nn_layer_lstm.create(&scene->unit, &needs, &state, &err), err);
    float *kept = poison(needs.kept);
    float *scratch[2] = {poison(needs.scratch[0]), poison(needs.scratch[1])};
    struct sl_nn_args args = {
        .batch = &scene->batch,
        .values = scene->values,
        .gradients = scene->gradients,
        .input = {sequence_of(scene, scene->input, scene->shape.inputs)},
        .output = sequence_of(scene, scene->output, width),
        .kept = kept,
        .scratch = scratch[0],
    };
    sl_nn_layer_lstm.forward(state, &args);
    args.scratch = scratch[1];
    args.upstream = sequence_of(scene, scene->upstream, width);
    if (scene->unit.input_gradient[0])
        args.input_gradient[0] = sequence_of(scene, scene->input_gradient, scene->shape.inputs);
    if (add) args.add[0] = sequence_of(scene, add, scene->shape.inputs);
    if (backwards) sl_nn_layer_lstm.backward(state, &args);
    sl_nn_layer_lstm.destroy(state);
    free(kept);
    free(scratch[0]);
    free(scratch[1]);
}

/* ---- The reference: one row at a time, in double ---- */

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

struct cell {
    double hidden[32], cell[32];
};

static void reference_step(const struct shape *shape, const double *const tensors[4],
                           const double *x, struct cell *cell)
{
    const size_t hidden = shape->hidden;
    double gates[4 * 32] = {0};
    for (size_t g = 0; g < 4 * hidden; g++) {
        gates[g] = tensors[2][g] + tensors[3][g];
        for (size_t k = 0; k < shape->inputs; k++)
            gates[g] += tensors[0][g * shape->inputs + k] * x[k];
        for (size_t k = 0; k < hidden; k++)
            gates[g] += tensors[1][g * hidden + k] * cell->hidden[k];
    }
    for (size_t j = 0; j < hidden; j++) {
        cell->cell[j] = sigmoid(gates[hidden + j]) * cell->cell[j] +
                        sigmoid(gates[j]) * tanh(gates[2 * hidden + j]);
        cell->hidden[j] = sigmoid(gates[3 * hidden + j]) * tanh(cell->cell[j]);
    }
}

static void reference(const struct scene *scene, const double *values, const double *input,
                      double *output)
{
    const struct shape *shape = &scene->shape;
    const size_t width = shape->hidden * shape->directions;
    memset(output, 0, scene->n_outputs * sizeof *output);
    for (size_t d = 0; d < shape->directions; d++) {
        const double *tensors[4];
        for (size_t k = 0; k < 4; k++)
            tensors[k] = values + scene->unit.offset[4 * d + k];
        for (size_t i = 0; i < shape->items; i++) {
            const size_t length =
                scene->batch.word_counts ? (size_t)scene->batch.word_counts[i] : shape->steps;
            struct cell cell = {{0}, {0}};
            for (size_t s = 0; s < length; s++) {
                const size_t row = (d ? length - 1 - s : s) * shape->items + i;
                reference_step(shape, tensors, input + row * shape->inputs, &cell);
                memcpy(output + row * width + d * shape->hidden, cell.hidden,
                       shape->hidden * sizeof *output);
            }
        }
    }
}

static double *doubles_of(const float *values, size_t count)
{
    double *out = sl_alloc(count, sizeof *out);
    for (size_t i = 0; i < count; i++)
        out[i] = (double)values[i];
    return out;
}

static double reference_loss(const struct scene *scene, const double *values, const double *input,
                             double *output)
{
    reference(scene, values, input, output);
    double loss = 0;
    for (size_t i = 0; i < scene->n_outputs; i++)
        loss += (double)scene->upstream[i] * output[i];
    return loss;
}

static void check_outputs(const struct scene *scene)
{
    double *values = doubles_of(scene->values, scene->n_values);
    double *input = doubles_of(scene->input, scene->n_inputs);
    double *output = sl_alloc(scene->n_outputs, sizeof *output);
    reference(scene, values, input, output);
    const size_t width = scene->shape.hidden * scene->shape.directions;
    for (size_t i = 0; i < scene->n_outputs; i++) {
        /* With a pick, only the outputs that it reads are defined. */
        const size_t step = i / width / scene->shape.items, item = i / width % scene->shape.items;
        if (scene->graph.count > PICK &&
            step != (scene->nodes[PICK].as.pick.at_position ? (size_t)scene->positions[item] : 1))
            continue;
        assert_near(scene->output[i], output[i], 2e-6);
    }
    free(values);
    free(input);
    free(output);
}

/* Compare `found` with central differences of the reference's loss with respect to every number of
 * `at`. */
static void check_slopes(const struct scene *scene, bool by_input, const float *found)
{
    const double h = 1e-5;
    double *values = doubles_of(scene->values, scene->n_values);
    double *input = doubles_of(scene->input, scene->n_inputs);
    double *output = sl_alloc(scene->n_outputs, sizeof *output);
    double *at = by_input ? input : values;
    const size_t count = by_input ? scene->n_inputs : scene->n_values;
    for (size_t i = by_input ? 0 : 3; i < count; i++) {
        const double middle = at[i];
        at[i] = middle + h;
        const double above = reference_loss(scene, values, input, output);
        at[i] = middle - h;
        const double below = reference_loss(scene, values, input, output);
        at[i] = middle;
        const double slope = (above - below) / (2 * h);
        assert_near(found[i], slope, 1e-5 * (1 + fabs(slope)));
    }
    free(values);
    free(input);
    free(output);
}

/* ---- Tests ---- */

static void check_forward(struct shape shape, bool with_counts)
{
    struct scene scene;
    scene_init(&scene, shape, with_counts);
    scene_run(&scene, false, NULL);
    check_outputs(&scene);
    scene_release(&scene);
}

static void test_outputs_are_the_reference_s_at_every_shape(void **state)
{
    (void)state;
    for (size_t steps = 1; steps <= 9; steps++)
        for (size_t directions = 1; directions <= 2; directions++)
            for (int counts = 0; counts < 2; counts++) {
                check_forward((struct shape){steps, 1, 7, 5, directions}, counts);
                check_forward((struct shape){steps, 13, 7, 5, directions}, counts);
                check_forward((struct shape){steps, 4, 3, 16, directions}, counts);
                check_forward((struct shape){steps, 13, 8, 11, directions}, counts);
            }
}

static void check_gradients(struct shape shape, bool with_counts)
{
    struct scene scene;
    scene_init(&scene, shape, with_counts);
    scene_run(&scene, true, NULL);
    check_outputs(&scene);
    check_slopes(&scene, false, scene.gradients);
    check_slopes(&scene, true, scene.input_gradient);
    for (size_t i = 0; i < 3; i++)
        assert_true(isnan(scene.gradients[i])); /* gradients of other layers are not written */
    scene_release(&scene);
}

static void test_gradients_are_the_slopes_of_the_reference(void **state)
{
    (void)state;
    for (size_t directions = 1; directions <= 2; directions++)
        for (int counts = 0; counts < 2; counts++) {
            check_gradients((struct shape){1, 3, 7, 5, directions}, counts);
            check_gradients((struct shape){4, 1, 7, 5, directions}, counts);
            check_gradients((struct shape){5, 6, 3, 9, directions}, counts);
        }
    check_gradients((struct shape){4, 13, 7, 5, 2}, true);
}

static void test_rows_of_length_one_and_none_are_steps_from_nothing(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene, (struct shape){4, 6, 7, 5, 2}, true);
    for (size_t i = 0; i < 6; i++)
        scene.counts[i] = 1;
    scene.counts[2] = 0;
    scene_run(&scene, true, NULL);
    check_outputs(&scene);
    check_slopes(&scene, false, scene.gradients);
    check_slopes(&scene, true, scene.input_gradient);
    for (size_t i = 0; i < 6; i++)
        scene.counts[i] = 0;
    scene_run(&scene, true, NULL);
    for (size_t i = 3; i < scene.n_values; i++)
        assert_near(scene.gradients[i], 0, 0);
    for (size_t i = 0; i < scene.n_outputs; i++)
        assert_near(scene.output[i], 0, 0);
    scene_release(&scene);
}

static void test_what_no_pick_reads_is_not_missed(void **state)
{
    (void)state;
    for (int what = PICK_POSITION; what <= PICK_STEP_1; what++)
        for (size_t directions = 1; directions <= 2; directions++)
            for (int counts = 0; counts < 2; counts++) {
                struct scene scene;
                scene_init(&scene, (struct shape){5, 7, 3, 5, directions}, counts);
                scene_pick(&scene, what);
                scene_run(&scene, true, NULL);
                check_outputs(&scene);
                check_slopes(&scene, false, scene.gradients);
                check_slopes(&scene, true, scene.input_gradient);
                scene_release(&scene);
            }
}

static void test_equal_sentences_run_once_and_sum_their_gradients(void **state)
{
    (void)state;
    for (int what = PICK_NONE; what <= PICK_STEP_1; what++) {
        struct scene scene;
        scene_init(&scene, (struct shape){5, 17, 3, 5, 2}, true);
        scene_repeat(&scene);
        if (what != PICK_NONE) scene_pick(&scene, what);
        scene.unit.input_gradient[0] = false;
        scene_run(&scene, true, NULL);
        check_outputs(&scene);
        check_slopes(&scene, false, scene.gradients);
        scene_release(&scene);
    }
}

static void test_evaluation_gives_the_same_bits_and_keeps_nothing(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene, (struct shape){6, 9, 7, 5, 2}, true);
    scene_run(&scene, false, NULL);
    float *trained = poison(scene.n_outputs * sizeof *trained);
    memcpy(trained, scene.output, scene.n_outputs * sizeof *trained);
    scene.unit.training = scene.unit.gradients = scene.unit.input_gradient[0] = false;
    struct sl_error err;
    struct sl_nn_needs needs;
    void *layer = NULL;
    assert_ok(sl_nn_layer_lstm.create(&scene.unit, &needs, &layer, &err), err);
    assert_int_equal(needs.kept, 0);
    assert_int_equal(needs.scratch[1], 0);
    sl_nn_layer_lstm.destroy(layer);
    scene_run(&scene, false, NULL);
    assert_memory_equal(scene.output, trained, scene.n_outputs * sizeof *trained);
    free(trained);
    scene_release(&scene);
}

/* Attacks need the gradient of the input without that of the values, or added to another
 * gradient. */
static void test_the_input_gradient_comes_alone_and_on_top(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene, (struct shape){4, 5, 7, 5, 2}, true);
    float *add = random_floats(scene.n_inputs, 9, 1);
    scene.unit.gradients = false;
    scene_run(&scene, true, add);
    for (size_t i = 0; i < scene.n_values; i++)
        assert_true(isnan(scene.gradients[i]));
    for (size_t i = 0; i < scene.n_inputs; i++)
        scene.input_gradient[i] -= add[i];
    check_slopes(&scene, true, scene.input_gradient);
    memcpy(scene.input_gradient, add, scene.n_inputs * sizeof *add);
    scene_run(&scene, true, scene.input_gradient);
    for (size_t i = 0; i < scene.n_inputs; i++)
        scene.input_gradient[i] -= add[i];
    check_slopes(&scene, true, scene.input_gradient);
    free(add);
    scene_release(&scene);
}

static void test_nan_in_one_row_stays_in_that_row(void **state)
{
    (void)state;
    struct scene scene;
    const size_t items = 5;
    scene_init(&scene, (struct shape){3, items, 7, 5, 2}, false);
    scene.input[(1 * items + 2) * 7 + 4] = NAN;
    scene_run(&scene, false, NULL);
    for (size_t i = 0; i < scene.n_outputs; i++) {
        const size_t step = i / 10 / items, item = i / 10 % items;
        const bool reached = i % 10 < 5 ? step >= 1 : step <= 1;
        assert_int_equal(isnan(scene.output[i]) != 0, item == 2 && reached);
    }
    scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outputs_are_the_reference_s_at_every_shape),
        cmocka_unit_test(test_gradients_are_the_slopes_of_the_reference),
        cmocka_unit_test(test_rows_of_length_one_and_none_are_steps_from_nothing),
        cmocka_unit_test(test_what_no_pick_reads_is_not_missed),
        cmocka_unit_test(test_equal_sentences_run_once_and_sum_their_gradients),
        cmocka_unit_test(test_evaluation_gives_the_same_bits_and_keeps_nothing),
        cmocka_unit_test(test_the_input_gradient_comes_alone_and_on_top),
        cmocka_unit_test(test_nan_in_one_row_stays_in_that_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
