/* Models: flat buffers, their tensors, and their properties. */
#include "support.h"

#include "nn/graph/model.h"

static struct sl_model *create(const char *network)
{
    struct sl_error err;
    struct sl_model *model = NULL;
    struct sl_model_options options = sl_model_options_default();
    options.network = network;
    assert_ok(sl_model_create(&options, &model, &err), err);
    return model;
}

static void test_tensors_lie_one_after_another(void **state)
{
    (void)state;
    static const char *const networks[] = {"resnet34a",
                                           "densenet_BC_100_12:n=4",
                                           "resnet8",
                                           "vgg_15_BN_64:width=4",
                                           "shake-shake:n=1,width=8",
                                           "mlp"};
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
        struct sl_model *model = create(networks[n]);
        size_t count = 0, next[2] = {0, 0};
        const struct sl_tensor_info *tensors = sl_model_tensors(model, &count);
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++) {
            size_t product = 1;
            for (size_t d = 0; d < tensors[i].rank; d++)
                product *= tensors[i].dims[d];
            assert_int_equal(tensors[i].count, product);
            assert_int_equal(tensors[i].offset, next[tensors[i].kind]);
            next[tensors[i].kind] += product;
            assert_ptr_equal(sl_model_tensor_find(model, tensors[i].name), &tensors[i]);
        }
        assert_int_equal(next[SL_TENSOR_VALUE], sl_model_n_values(model));
        assert_int_equal(next[SL_TENSOR_STATE], sl_model_n_state(model));
        assert_int_equal((uintptr_t)sl_model_values(model) % 64, 0);
        assert_int_equal((uintptr_t)sl_model_state(model) % 64, 0);
        assert_int_equal(model->first_tensor[model->graph.count], count);
        sl_model_destroy(model);
    }
}

static void test_a_model_tells_what_it_is(void **state)
{
    (void)state;
    struct sl_model *model = create("resnet8");
    assert_string_equal(sl_model_network(model), "resnet8");
    assert_string_equal(
        sl_model_spec(model),
        "resnet:block=basic,n=1,width=16,widen=all,shortcut=A,bias=0,names=kuangliu");
    assert_int_equal(sl_model_classes(model), 10);
    assert_int_equal(sl_model_input(model).height, 32);
    assert_int_equal(sl_model_multiply_adds(model), 12239488);
    assert_int_equal(sl_model_n_values(model), 75290);
    assert_int_equal(sl_model_n_state(model), 2 * (16 * 3 + 32 * 2 + 64 * 2));
    const struct sl_tensor_info *tensor = sl_model_tensor_find(model, "layer3.0.conv1.weight");
    assert_non_null(tensor);
    assert_int_equal(tensor->dims[0], 64);
    assert_int_equal(tensor->dims[1], 32);
    assert_null(sl_model_tensor_find(model, "layer3.0.conv1"));
    sl_model_destroy(model);
}

static void test_the_spec_of_a_model_makes_the_same_model(void **state)
{
    (void)state;
    struct sl_model *first = create("vgg_15_BN_64:width=4"), *second = create(sl_model_spec(first));
    assert_int_equal(sl_model_n_values(first), sl_model_n_values(second));
    assert_memory_equal(sl_model_values(first), sl_model_values(second),
                        sl_model_n_values(first) * sizeof(float));
    sl_model_destroy(first);
    sl_model_destroy(second);
}

static void test_running_statistics_start_at_zero_and_one(void **state)
{
    (void)state;
    struct sl_model *model = create("resnet8");
    size_t count = 0;
    const struct sl_tensor_info *tensors = sl_model_tensors(model, &count);
    for (size_t i = 0; i < count; i++) {
        if (tensors[i].kind != SL_TENSOR_STATE) continue;
        bool variance = strstr(tensors[i].name, "running_var") != NULL;
        for (size_t k = 0; k < tensors[i].count; k++)
            assert_near(sl_model_state(model)[tensors[i].offset + k], variance ? 1 : 0, 0);
    }
    sl_model_destroy(model);
}

static void test_touching_makes_a_new_version(void **state)
{
    (void)state;
    struct sl_model *model = create("mlp:hidden=4");
    uint64_t version = model->version;
    sl_model_touch(model);
    assert_true(model->version > version);
    sl_model_destroy(model);
}

static void test_bad_options_leave_nothing_behind(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_model *model = NULL;
    struct sl_model_options options = sl_model_options_default();
    assert_fails(sl_model_create(&options, &model, &err), SL_ERR_USAGE, err, "no network");
    options.network = "resnet9";
    assert_fails(sl_model_create(&options, &model, &err), SL_ERR_INPUT, err, "resnet9");
    options.network = "resnet8";
    options.classes = 0;
    assert_fails(sl_model_create(&options, &model, &err), SL_ERR_INPUT, err, "2 classes");
    assert_int_equal(sl_model_create(&options, &model, NULL), SL_ERR_INPUT);
    assert_null(model);
    sl_model_destroy(NULL);
}

static void test_a_graph_of_ones_own_becomes_a_model(void **state)
{
    (void)state;
    struct sl_nn_graph g;
    struct sl_error err;
    struct sl_model *model = NULL;
    sl_nn_graph_init(&g);
    size_t x = sl_nn_pixels(&g, 2, 5, 4);
    x = sl_nn_conv(&g, x, "", (struct sl_nn_conv_spec){.channels = 3, .kernel = 3, .pad = 1});
    sl_nn_flatten(&g, x);
    assert_ok(sl_model_of_graph(&g, SL_INIT_PAPER, 7, &model, &err), err);
    assert_null(g.nodes);
    assert_int_equal(sl_model_classes(model), 60);
    assert_int_equal(sl_model_input(model).channels, 2);
    assert_int_equal(sl_model_input(model).width, 4);
    assert_non_null(sl_model_tensor_find(model, "weight"));
    sl_model_destroy(model);
}

static void test_text_inputs_are_read_off_the_graph(void **state)
{
    (void)state;
    struct sl_nn_graph g;
    struct sl_error err;
    struct sl_model *model = NULL;
    sl_nn_graph_init(&g);
    size_t words = sl_nn_embed(&g, sl_nn_ids(&g, SL_NN_WORDS, 9), "words", 100, 5);
    size_t letters = sl_nn_embed(&g, sl_nn_ids(&g, SL_NN_LETTERS, 7), "letters", 30, 4);
    size_t a = sl_nn_pick(&g, words, true, 0), b = sl_nn_pick(&g, letters, false, 1);
    sl_nn_linear(&g, sl_nn_concat(&g, a, b), "out", 3);
    assert_ok(sl_model_of_graph(&g, SL_INIT_PYTORCH, 7, &model, &err), err);
    struct sl_input_shape input = sl_model_input(model);
    assert_int_equal(input.tokens, 9);
    assert_int_equal(input.letters, 7);
    assert_int_equal(input.vocabulary, 100);
    assert_int_equal(input.alphabet, 30);
    assert_int_equal(sl_model_n_state(model), 100 * 5 + 30 * 4);
    sl_model_destroy(model);
}

static void test_a_graph_that_does_not_fit_makes_no_model(void **state)
{
    (void)state;
    struct sl_nn_graph g;
    struct sl_error err;
    struct sl_model *model = NULL;
    sl_nn_graph_init(&g);
    sl_nn_linear(&g, sl_nn_pixels(&g, 2, 5, 4), "l", 3);
    assert_fails(sl_model_of_graph(&g, SL_INIT_PAPER, 7, &model, &err), SL_ERR_INPUT, err,
                 "l cannot read images");
    assert_null(model);
    assert_null(g.nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensors_lie_one_after_another),
        cmocka_unit_test(test_a_model_tells_what_it_is),
        cmocka_unit_test(test_the_spec_of_a_model_makes_the_same_model),
        cmocka_unit_test(test_running_statistics_start_at_zero_and_one),
        cmocka_unit_test(test_touching_makes_a_new_version),
        cmocka_unit_test(test_bad_options_leave_nothing_behind),
        cmocka_unit_test(test_a_graph_of_ones_own_becomes_a_model),
        cmocka_unit_test(test_text_inputs_are_read_off_the_graph),
        cmocka_unit_test(test_a_graph_that_does_not_fit_makes_no_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
