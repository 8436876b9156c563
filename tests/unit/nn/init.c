/* Initial values: ranges, means and deviations of every rule, and the random stream of each
 * tensor. */
#include "support.h"

#include "nn/graph/model.h"

static struct sl_model *create(const char *network, enum sl_init init, uint64_t seed)
{
    struct sl_error err;
    struct sl_model *model = NULL;
    struct sl_model_options options = sl_model_options_default();
    options.network = network;
    options.init = init;
    options.seed = seed;
    assert_ok(sl_model_create(&options, &model, &err), err);
    return model;
}

struct moments {
    double mean, deviation, lowest, highest;
    size_t count;
};

static struct moments moments_of(struct sl_model *model, const char *name)
{
    const struct sl_tensor_info *tensor = sl_model_tensor_find(model, name);
    assert_non_null(tensor);
    const float *values =
        (tensor->kind == SL_TENSOR_VALUE ? sl_model_values(model) : sl_model_state(model)) +
        tensor->offset;
    struct moments m = {
        .lowest = (double)INFINITY, .highest = (double)-INFINITY, .count = tensor->count};
    double squares = 0;
    for (size_t i = 0; i < tensor->count; i++) {
        double value = (double)values[i];
        m.mean += value;
        squares += value * value;
        m.lowest = fmin(m.lowest, value);
        m.highest = fmax(m.highest, value);
    }
    m.mean /= (double)m.count;
    m.deviation = sqrt(squares / (double)m.count - m.mean * m.mean);
    return m;
}

/* Mean and deviation are within five standard errors; all values are within the bounds, and some
 * are near them. */
static void assert_uniform(struct sl_model *model, const char *name, double lowest, double highest)
{
    struct moments m = moments_of(model, name);
    double range = highest - lowest, error = range / sqrt((double)m.count);
    assert_near(m.mean, (lowest + highest) / 2, 5 * error / sqrt(12));
    assert_near(m.deviation, range / sqrt(12), 5 * error / sqrt(12));
    assert_true(m.lowest >= lowest - 1e-7 && m.highest <= highest + 1e-7);
    assert_near(m.lowest, lowest, 10 * range / (double)m.count);
    assert_near(m.highest, highest, 10 * range / (double)m.count);
}

static void assert_normal(struct sl_model *model, const char *name, double deviation)
{
    struct moments m = moments_of(model, name);
    double error = deviation / sqrt((double)m.count);
    assert_near(m.mean, 0, 5 * error);
    assert_near(m.deviation, deviation, 5 * error);
    assert_true(m.highest > 2.5 * deviation && m.lowest < -2.5 * deviation);
}

static void assert_constant(struct sl_model *model, const char *name, double value)
{
    struct moments m = moments_of(model, name);
    assert_near(m.lowest, value, 0);
    assert_near(m.highest, value, 0);
}

static void test_the_defaults_are_those_of_pytorch(void **state)
{
    (void)state;
    struct sl_model *model = create("vgg11:width=16", SL_INIT_PYTORCH, 3);
    assert_uniform(model, "features.4.weight", -1 / sqrt(16 * 9), 1 / sqrt(16 * 9));
    assert_uniform(model, "features.25.bias", -1 / sqrt(128 * 9), 1 / sqrt(128 * 9));
    assert_constant(model, "features.5.weight", 1);
    assert_constant(model, "features.5.bias", 0);
    assert_uniform(model, "classifier.weight", -1 / sqrt(128), 1 / sqrt(128));
    struct moments bias = moments_of(model, "classifier.bias");
    assert_true(bias.deviation > 0 && bias.highest <= 1 / sqrt(128));
    sl_model_destroy(model);
}

static void test_papers_without_a_rule_keep_the_defaults(void **state)
{
    (void)state;
    struct sl_model *paper = create("resnet34a:n=1", SL_INIT_PAPER, 5);
    struct sl_model *pytorch = create("resnet34a:n=1", SL_INIT_PYTORCH, 5);
    assert_memory_equal(sl_model_values(paper), sl_model_values(pytorch),
                        sl_model_n_values(paper) * sizeof(float));
    sl_model_destroy(paper);
    sl_model_destroy(pytorch);
}

static void test_hysts_draws_by_fan_out(void **state)
{
    (void)state;
    struct sl_model *model = create("resnet_basic_110:n=1", SL_INIT_PAPER, 3);
    assert_normal(model, "stage3.block1.conv1.weight", sqrt(2.0 / (64 * 9)));
    assert_normal(model, "stage3.block1.shortcut.conv.weight", sqrt(2.0 / 64));
    assert_constant(model, "bn.weight", 1);
    assert_uniform(model, "fc.weight", -1 / sqrt(64), 1 / sqrt(64));
    assert_constant(model, "fc.bias", 0);
    sl_model_destroy(model);
}

/* PyTorch computes fan-out from the shape of the weight and ignores groups. */
static void test_groups_do_not_enter_fan_out(void **state)
{
    (void)state;
    struct sl_model *model = create("resnext:n=1,width=8,groups=4", SL_INIT_PAPER, 3);
    const struct sl_tensor_info *tensor = sl_model_tensor_find(model, "stage3.block1.conv2.weight");
    assert_int_equal(tensor->dims[0], 128);
    assert_int_equal(tensor->dims[1], 32);
    assert_normal(model, "stage3.block1.conv2.weight", sqrt(2.0 / (128 * 9)));
    sl_model_destroy(model);
}

static void test_wide_networks_draw_by_fan_in(void **state)
{
    (void)state;
    struct sl_model *model = create("wrn:n=1,factor=2,width=32", SL_INIT_PAPER, 3);
    assert_normal(model, "stage2.block1.conv1.weight", sqrt(2.0 / (64 * 9)));
    assert_uniform(model, "stage3.block1.bn2.weight", 0, 1);
    assert_constant(model, "stage3.block1.bn2.bias", 0);
    assert_constant(model, "fc.bias", 0);
    sl_model_destroy(model);
}

static void test_vgg_of_hysts_zeroes_biases_and_draws_gammas(void **state)
{
    (void)state;
    struct sl_model *model = create("vgg_15_BN_64:width=16", SL_INIT_PAPER, 3);
    assert_normal(model, "stage2.conv0.weight", sqrt(2.0 / (32 * 9)));
    assert_constant(model, "stage2.conv0.bias", 0);
    assert_uniform(model, "stage5.bn2.weight", 0, 1);
    sl_model_destroy(model);
}

static void test_lstms_and_vectors_are_drawn_as_pytorch_draws_them(void **state)
{
    (void)state;
    struct sl_nn_graph g;
    struct sl_error err;
    struct sl_model *model = NULL;
    sl_nn_graph_init(&g);
    size_t x = sl_nn_embed(&g, sl_nn_ids(&g, SL_NN_WORDS, 5), "e", 200, 30);
    x = sl_nn_pick(&g, sl_nn_lstm(&g, x, "r", 25, true), true, 0);
    sl_nn_linear(&g, x, "l", 4);
    assert_ok(sl_model_of_graph(&g, SL_INIT_PAPER, 7, &model, &err), err);
    static const char *const names[] = {"r.weight_ih_l0", "r.weight_hh_l0", "r.bias_ih_l0",
                                        "r.weight_hh_l0_reverse", "r.bias_hh_l0_reverse"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_uniform(model, names[i], -.2, .2);
    assert_normal(model, "e.weight", 1);
    sl_model_destroy(model);
}

static void test_the_seed_decides_every_bit(void **state)
{
    (void)state;
    struct sl_model *first = create("resnet8", SL_INIT_PAPER, 11);
    struct sl_model *same = create("resnet8", SL_INIT_PAPER, 11);
    struct sl_model *other = create("resnet8", SL_INIT_PAPER, 12);
    size_t bytes = sl_model_n_values(first) * sizeof(float);
    assert_memory_equal(sl_model_values(first), sl_model_values(same), bytes);
    assert_memory_not_equal(sl_model_values(first), sl_model_values(other), bytes);
    sl_nn_init_values(other, SL_INIT_PAPER, 11);
    assert_memory_equal(sl_model_values(first), sl_model_values(other), bytes);
    sl_model_destroy(first);
    sl_model_destroy(same);
    sl_model_destroy(other);
}

static const float *values_named(struct sl_model *model, const char *name)
{
    const struct sl_tensor_info *tensor = sl_model_tensor_find(model, name);
    assert_non_null(tensor);
    return sl_model_values(model) + tensor->offset;
}

static void test_another_layer_does_not_change_the_others(void **state)
{
    (void)state;
    struct sl_model *small = create("resnet:n=1", SL_INIT_PAPER, 2);
    struct sl_model *large = create("resnet:n=2", SL_INIT_PAPER, 2);
    size_t count = 0;
    const struct sl_tensor_info *tensors = sl_model_tensors(small, &count);
    for (size_t i = 0; i < count; i++)
        if (tensors[i].kind == SL_TENSOR_VALUE)
            assert_memory_equal(sl_model_values(small) + tensors[i].offset,
                                values_named(large, tensors[i].name),
                                tensors[i].count * sizeof(float));
    assert_memory_not_equal(values_named(large, "layer1.0.conv1.weight"),
                            values_named(large, "layer1.1.conv1.weight"), 64);
    sl_model_destroy(small);
    sl_model_destroy(large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_defaults_are_those_of_pytorch),
        cmocka_unit_test(test_papers_without_a_rule_keep_the_defaults),
        cmocka_unit_test(test_hysts_draws_by_fan_out),
        cmocka_unit_test(test_groups_do_not_enter_fan_out),
        cmocka_unit_test(test_wide_networks_draw_by_fan_in),
        cmocka_unit_test(test_vgg_of_hysts_zeroes_biases_and_draws_gammas),
        cmocka_unit_test(test_lstms_and_vectors_are_drawn_as_pytorch_draws_them),
        cmocka_unit_test(test_the_seed_decides_every_bit),
        cmocka_unit_test(test_another_layer_does_not_change_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
