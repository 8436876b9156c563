/* The graph builder: shapes (worked by hand or by PyTorch's formulas), tensors, costs and
 * messages. */
#include "support.h"

#include "nn/graph/graph.h"

static size_t image(struct sl_nn_graph *g, size_t channels, size_t height, size_t width)
{
    sl_nn_graph_init(g);
    return sl_nn_pixels(g, channels, height, width);
}

/* A blocked map of any size, made by a 1x1 convolution. */
static size_t map(struct sl_nn_graph *g, size_t channels, size_t height, size_t width)
{
    size_t x = image(g, 1, height, width);
    return sl_nn_conv(g, x, "first", (struct sl_nn_conv_spec){.channels = channels, .kernel = 1});
}

static void assert_shape(const struct sl_nn_graph *g, size_t node, enum sl_nn_layout layout,
                         size_t channels, size_t height, size_t width)
{
    assert_int_equal(g->status, SL_OK);
    const struct sl_nn_shape *shape = &g->nodes[node].shape;
    assert_int_equal(shape->layout, layout);
    assert_int_equal(shape->channels, channels);
    assert_int_equal(shape->height, height);
    assert_int_equal(shape->width, width);
}

/* Assert that the graph failed with this message; releases it. */
static void assert_failed(struct sl_nn_graph *g, const char *part)
{
    struct sl_error err;
    assert_fails(sl_nn_graph_check(g, &err), SL_ERR_INPUT, err, part);
    sl_nn_graph_release(g);
}

static void test_pixels_are_images_or_rows(void **state)
{
    (void)state;
    struct sl_nn_graph g;
    assert_shape(&g, image(&g, 3, 5, 7), SL_NN_PLAIN, 3, 5, 7);
    sl_nn_graph_release(&g);
    assert_shape(&g, image(&g, 512, 1, 1), SL_NN_ROWS, 512, 1, 1);
    sl_nn_graph_release(&g);
    assert_shape(&g, image(&g, 3, 1, 7), SL_NN_PLAIN, 3, 1, 7);
    sl_nn_graph_release(&g);
}

static void test_convolutions_floor_their_size(void **state)
{
    (void)state;
    static const struct {
        size_t size, kernel, stride, pad, expected;
    } cases[] = {
        {32, 3, 1, 1, 32}, {32, 3, 2, 1, 16}, {7, 3, 2, 1, 4}, {8, 1, 2, 0, 4}, {7, 1, 2, 0, 4},
        {6, 3, 2, 0, 2},   {3, 3, 1, 0, 1},   {2, 3, 2, 1, 1}, {5, 2, 3, 0, 2}, {2, 5, 1, 2, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_nn_graph g;
        size_t x = image(&g, 2, cases[i].size, cases[i].size + 1);
        x = sl_nn_conv(&g, x, "c",
                       (struct sl_nn_conv_spec){.channels = 5,
                                                .kernel = cases[i].kernel,
                                                .stride = cases[i].stride,
                                                .pad = cases[i].pad});
        size_t wider = (cases[i].size + 1 + 2 * cases[i].pad - cases[i].kernel) / cases[i].stride;
        assert_shape(&g, x, SL_NN_BLOCKED, 5, cases[i].expected, wider + 1);
        sl_nn_graph_release(&g);
    }
}

/* Expected sizes are torch.nn.MaxPool2d(kernel, stride, ceil_mode=True)'s. */
static void test_poolings_follow_the_ceil_mode_of_pytorch(void **state)
{
    (void)state;
    static const struct {
        size_t size, kernel, stride, expected;
    } cases[] = {
        {8, 2, 2, 4}, {7, 2, 2, 4}, {2, 2, 2, 1}, {3, 2, 2, 2}, {7, 3, 2, 3},
        {8, 3, 2, 4}, {5, 2, 3, 2}, {4, 2, 3, 2}, {3, 2, 3, 1}, {4, 1, 3, 2},
        {3, 1, 2, 2}, {3, 1, 3, 1}, {2, 3, 2, 1}, {6, 1, 4, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_nn_graph g;
        size_t kernel = cases[i].kernel, stride = cases[i].stride, twelve = 12;
        size_t x = map(&g, 3, cases[i].size, twelve * stride + kernel);
        size_t largest = sl_nn_max_pool(&g, x, kernel, stride);
        size_t mean = sl_nn_average_pool(&g, x, kernel, stride);
        assert_shape(&g, largest, SL_NN_BLOCKED, 3, cases[i].expected, twelve + 1);
        assert_shape(&g, mean, SL_NN_BLOCKED, 3, cases[i].expected, twelve + 1);
        assert_int_equal(g.nodes[largest].op, SL_NN_MAX_POOL);
        assert_int_equal(g.nodes[mean].op, SL_NN_AVERAGE_POOL);
        sl_nn_graph_release(&g);
    }
}

static void test_other_layers_keep_or_join_shapes(void **state)
{
    (void)state;
    struct sl_nn_graph g;
    size_t x = map(&g, 6, 5, 4);
    assert_shape(&g, sl_nn_batch_norm(&g, x, "n"), SL_NN_BLOCKED, 6, 5, 4);
    assert_shape(&g, sl_nn_relu(&g, x, 0), SL_NN_BLOCKED, 6, 5, 4);
    assert_shape(&g, sl_nn_dropout(&g, x, .5F), SL_NN_BLOCKED, 6, 5, 4);
    assert_shape(&g, sl_nn_concat(&g, x, x), SL_NN_BLOCKED, 12, 5, 4);
    assert_shape(&g, sl_nn_add(&g, sl_nn_concat(&g, x, x), x), SL_NN_BLOCKED, 12, 5, 4);
    assert_shape(&g, sl_nn_shake(&g, x, x), SL_NN_BLOCKED, 6, 5, 4);
    assert_shape(&g, sl_nn_subsample(&g, x, 2, 0), SL_NN_BLOCKED, 6, 3, 2);
    assert_shape(&g, sl_nn_subsample(&g, x, 2, 1), SL_NN_BLOCKED, 6, 3, 2);
    assert_shape(&g, sl_nn_subsample(&g, x, 3, 2), SL_NN_BLOCKED, 6, 2, 2);
    assert_shape(&g, sl_nn_global_pool(&g, x), SL_NN_ROWS, 6, 1, 1);
    size_t rows = sl_nn_flatten(&g, x);
    assert_shape(&g, rows, SL_NN_ROWS, 120, 1, 1);
    assert_shape(&g, sl_nn_linear(&g, rows, "l", 7), SL_NN_ROWS, 7, 1, 1);
    assert_shape(&g, sl_nn_concat(&g, rows, rows), SL_NN_ROWS, 240, 1, 1);
    assert_shape(&g, sl_nn_flatten(&g, 0), SL_NN_ROWS, 20, 1, 1);
    sl_nn_graph_release(&g);
}

static void test_sequences_go_from_ids_to_rows(void **state)
{
    (void)state;
    struct sl_nn_graph g;
    sl_nn_graph_init(&g);
    size_t ids = sl_nn_ids(&g, SL_NN_WORDS, 9);
    assert_shape(&g, ids, SL_NN_IDS, 1, 9, 1);
    size_t x = sl_nn_embed(&g, ids, "words", 100, 30);
    assert_shape(&g, x, SL_NN_SEQUENCE, 30, 9, 1);
    size_t both = sl_nn_lstm(&g, x, "lstm", 16, true);
    assert_shape(&g, both, SL_NN_SEQUENCE, 32, 9, 1);
    assert_shape(&g, sl_nn_lstm(&g, x, "one", 16, false), SL_NN_SEQUENCE, 16, 9, 1);
    assert_shape(&g, sl_nn_pick(&g, both, true, 0), SL_NN_ROWS, 32, 1, 1);
    assert_shape(&g, sl_nn_pick(&g, both, false, 8), SL_NN_ROWS, 32, 1, 1);
    assert_shape(&g, sl_nn_pick(&g, both, false, SL_NN_LAST_STEP), SL_NN_ROWS, 32, 1, 1);
    sl_nn_pick(&g, both, false, 9);
    assert_failed(&g, "step 9 is beyond the end of sequences of 9 steps");
}

static void assert_tensor(const struct sl_nn_tensor_spec *tensor, const char *suffix,
                          enum sl_tensor_kind kind, size_t rank, const size_t *dims)
{
    assert_string_equal(tensor->suffix, suffix);
    assert_int_equal(tensor->kind, kind);
    assert_int_equal(tensor->rank, rank);
    assert_memory_equal(tensor->dims, dims, 4 * sizeof *dims);
}

static void test_tensors_have_the_shapes_of_pytorch(void **state)
{
    (void)state;
    struct sl_nn_graph g;
    struct sl_nn_tensor_spec tensors[SL_NN_NODE_TENSORS];
    size_t x = map(&g, 8, 4, 4);
    struct sl_nn_conv_spec spec = {.channels = 12, .kernel = 3, .groups = 4, .bias = true};
    size_t node = sl_nn_conv(&g, x, "c", spec);
    assert_int_equal(sl_nn_node_tensors(&g, node, tensors), 2);
    assert_tensor(&tensors[0], ".weight", SL_TENSOR_VALUE, 4, (size_t[]){12, 2, 3, 3});
    assert_tensor(&tensors[1], ".bias", SL_TENSOR_VALUE, 1, (size_t[]){12, 0, 0, 0});
    spec.bias = false;
    assert_int_equal(sl_nn_node_tensors(&g, sl_nn_conv(&g, x, "d", spec), tensors), 1);

    assert_int_equal(sl_nn_node_tensors(&g, sl_nn_batch_norm(&g, x, "n"), tensors), 4);
    assert_tensor(&tensors[0], ".weight", SL_TENSOR_VALUE, 1, (size_t[]){8, 0, 0, 0});
    assert_tensor(&tensors[1], ".bias", SL_TENSOR_VALUE, 1, (size_t[]){8, 0, 0, 0});
    assert_tensor(&tensors[2], ".running_mean", SL_TENSOR_STATE, 1, (size_t[]){8, 0, 0, 0});
    assert_tensor(&tensors[3], ".running_var", SL_TENSOR_STATE, 1, (size_t[]){8, 0, 0, 0});

    node = sl_nn_linear(&g, sl_nn_global_pool(&g, x), "l", 5);
    assert_int_equal(sl_nn_node_tensors(&g, node, tensors), 2);
    assert_tensor(&tensors[0], ".weight", SL_TENSOR_VALUE, 2, (size_t[]){5, 8, 0, 0});
    assert_int_equal(sl_nn_node_tensors(&g, sl_nn_relu(&g, x, 0), tensors), 0);
    sl_nn_graph_release(&g);
}

static void test_sequences_own_the_tensors_of_pytorch(void **state)
{
    (void)state;
    struct sl_nn_graph g;
    struct sl_nn_tensor_spec tensors[SL_NN_NODE_TENSORS];
    sl_nn_graph_init(&g);
    size_t x = sl_nn_embed(&g, sl_nn_ids(&g, SL_NN_LETTERS, 6), "e", 50, 20);
    assert_int_equal(sl_nn_node_tensors(&g, x, tensors), 1);
    assert_tensor(&tensors[0], ".weight", SL_TENSOR_STATE, 2, (size_t[]){50, 20, 0, 0});
    size_t one = sl_nn_lstm(&g, x, "one", 3, false), both = sl_nn_lstm(&g, x, "both", 3, true);
    assert_int_equal(sl_nn_node_tensors(&g, one, tensors), 4);
    assert_int_equal(sl_nn_node_tensors(&g, both, tensors), 8);
    assert_tensor(&tensors[0], ".weight_ih_l0", SL_TENSOR_VALUE, 2, (size_t[]){12, 20, 0, 0});
    assert_tensor(&tensors[1], ".weight_hh_l0", SL_TENSOR_VALUE, 2, (size_t[]){12, 3, 0, 0});
    assert_tensor(&tensors[2], ".bias_ih_l0", SL_TENSOR_VALUE, 1, (size_t[]){12, 0, 0, 0});
    assert_tensor(&tensors[3], ".bias_hh_l0", SL_TENSOR_VALUE, 1, (size_t[]){12, 0, 0, 0});
    assert_tensor(&tensors[4], ".weight_ih_l0_reverse", SL_TENSOR_VALUE, 2,
                  (size_t[]){12, 20, 0, 0});
    assert_tensor(&tensors[7], ".bias_hh_l0_reverse", SL_TENSOR_VALUE, 1, (size_t[]){12, 0, 0, 0});
    sl_nn_graph_release(&g);
}

static void test_multiply_adds_are_counted_per_item(void **state)
{
    (void)state;
    struct sl_nn_graph g;
    size_t x = map(&g, 8, 4, 6);
    struct sl_nn_conv_spec spec = {.channels = 12, .kernel = 3, .pad = 1, .stride = 2, .groups = 4};
    assert_int_equal(sl_nn_node_multiply_adds(&g, sl_nn_conv(&g, x, "c", spec)),
                     2 * 3 * 12 * 2 * 9);
    size_t rows = sl_nn_flatten(&g, x);
    assert_int_equal(sl_nn_node_multiply_adds(&g, sl_nn_linear(&g, rows, "l", 5)), 8 * 24 * 5);
    assert_int_equal(sl_nn_node_multiply_adds(&g, rows), 0);
    size_t ids = sl_nn_ids(&g, SL_NN_WORDS, 7);
    size_t words = sl_nn_embed(&g, ids, "e", 10, 20);
    assert_int_equal(sl_nn_node_multiply_adds(&g, sl_nn_lstm(&g, words, "r", 3, true)),
                     7 * 2 * 12 * (20 + 3));
    sl_nn_graph_release(&g);
}

static void test_the_first_failure_stays(void **state)
{
    (void)state;
    struct sl_nn_graph g;
    size_t x = image(&g, 3, 2, 2);
    struct sl_nn_conv_spec spec = {.channels = 4, .kernel = 3};
    x = sl_nn_conv(&g, x, "layer4.0.conv2", spec);
    assert_int_equal(x, 0);
    size_t count = g.count;
    x = sl_nn_relu(&g, sl_nn_batch_norm(&g, sl_nn_add(&g, x, 99), "n"), 0);
    sl_nn_linear(&g, sl_nn_flatten(&g, sl_nn_max_pool(&g, x, 2, 2)), "l", 5);
    sl_nn_pixels(&g, 1, 1, 1);
    sl_nn_ids(&g, SL_NN_WORDS, 3);
    sl_nn_graph_fail(&g, SL_ERR_USAGE, "something else");
    assert_int_equal(g.count, count);
    assert_failed(&g, "the image is 2 x 2 at layer4.0.conv2, which needs at least 3 x 3");
}

static void test_what_does_not_fit_is_named(void **state)
{
    (void)state;
    struct sl_nn_graph g;
    size_t x = image(&g, 3, 4, 4);
    sl_nn_max_pool(&g, x, 3, 2);
    assert_failed(&g, "the first max-pool cannot read images");

    x = map(&g, 3, 1, 2);
    sl_nn_max_pool(&g, x, 3, 2);
    assert_failed(&g, "the image is 1 x 2 at the max-pool after first, which needs at least 2 x 2");

    x = map(&g, 3, 1, 2);
    sl_nn_subsample(&g, x, 2, 1);
    assert_failed(&g,
                  "the image is 1 x 2 at the subsample after first, which needs at least 2 x 2");

    x = map(&g, 3, 1, 2);
    sl_nn_conv(&g, x, "c",
               (struct sl_nn_conv_spec){.channels = 4, .kernel = 3, .stride = 2, .pad = 1});
    assert_failed(&g, "the image is 1 x 2 at c, which needs at least 2 x 2");

    x = map(&g, 3, 4, 4);
    sl_nn_linear(&g, x, "fc", 4);
    assert_failed(&g, "fc cannot read maps");

    x = map(&g, 3, 4, 4);
    sl_nn_add(&g, x, sl_nn_subsample(&g, x, 2, 0));
    assert_failed(&g, "the add after first reads maps of 4 x 4 and 2 x 2");

    x = map(&g, 3, 4, 4);
    sl_nn_add(&g, x, sl_nn_concat(&g, x, x));
    assert_failed(&g, "the add after first cannot combine 6 channels with 3");

    x = map(&g, 3, 4, 4);
    sl_nn_shake(&g, sl_nn_concat(&g, x, x), x);
    assert_failed(&g, "the shake after first cannot combine 3 channels with 6");

    x = map(&g, 3, 4, 4);
    sl_nn_conv(&g, x, "grouped", (struct sl_nn_conv_spec){.channels = 4, .kernel = 1, .groups = 2});
    assert_failed(&g, "grouped: 3 input and 4 output channels do not divide into 2 groups");

    x = map(&g, 3, 4, 4);
    sl_nn_dropout(&g, x, NAN);
    assert_failed(&g, "a dropout rate of nan is out of range");

    x = image(&g, 2, 4, 4);
    sl_nn_normalise(&g, x, (float[]){0, 0}, (float[]){1, 0});
    assert_failed(&g, "channel 1 cannot be normalised by mean 0 and deviation 0");

    x = image(&g, 2, 4, 4);
    sl_nn_normalise(&g, x, (float[]){NAN, 0}, (float[]){1, 1});
    assert_failed(&g, "channel 0 cannot be normalised by mean nan and deviation 1");
}

static void test_the_first_conv_of_a_row_names_itself(void **state)
{
    (void)state;
    struct sl_nn_graph g;
    size_t x = image(&g, 512, 1, 1);
    sl_nn_conv(&g, x, "conv1", (struct sl_nn_conv_spec){.channels = 4, .kernel = 1});
    assert_failed(&g, "conv1 cannot read rows");
}

static void test_the_last_layer_must_make_the_logits(void **state)
{
    (void)state;
    struct sl_nn_graph g;
    struct sl_error err;
    sl_nn_graph_init(&g);
    assert_fails(sl_nn_graph_check(&g, &err), SL_ERR_INPUT, err, "no layers");
    size_t x = map(&g, 3, 4, 4);
    g.classes = 3;
    assert_fails(sl_nn_graph_check(&g, &err), SL_ERR_INPUT, err, "does not have 3 outputs");
    x = sl_nn_global_pool(&g, x);
    assert_ok(sl_nn_graph_check(&g, &err), err);
    sl_nn_linear(&g, x, "l", 4);
    assert_fails(sl_nn_graph_check(&g, &err), SL_ERR_INPUT, err, "does not have 3 outputs");
    sl_nn_graph_release(&g);
}

static void test_sizes_that_would_overflow_are_refused(void **state)
{
    (void)state;
    struct sl_nn_graph g;
    image(&g, (size_t)1 << 32, (size_t)1 << 32, 3);
    assert_failed(&g, "numbers per item");
    image(&g, 3, 0, 4);
    assert_failed(&g, "would have an empty output");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pixels_are_images_or_rows),
        cmocka_unit_test(test_convolutions_floor_their_size),
        cmocka_unit_test(test_poolings_follow_the_ceil_mode_of_pytorch),
        cmocka_unit_test(test_other_layers_keep_or_join_shapes),
        cmocka_unit_test(test_sequences_go_from_ids_to_rows),
        cmocka_unit_test(test_tensors_have_the_shapes_of_pytorch),
        cmocka_unit_test(test_sequences_own_the_tensors_of_pytorch),
        cmocka_unit_test(test_multiply_adds_are_counted_per_item),
        cmocka_unit_test(test_the_first_failure_stays),
        cmocka_unit_test(test_what_does_not_fit_is_named),
        cmocka_unit_test(test_the_first_conv_of_a_row_names_itself),
        cmocka_unit_test(test_the_last_layer_must_make_the_logits),
        cmocka_unit_test(test_sizes_that_would_overflow_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
