/* Named networks: sizes as published, names of layers as in the public codes. */
#include "support.h"

#include "nn/families/families.h"
#include "nn/graph/graph.h"
#include "softlab/nn.h"

/* Parameters, multiply-adds in millions (rounded) and convolutions, for 10 classes and 3x32x32. */
static const struct {
    const char *network;
    size_t values;
    double millions;
    size_t convolutions;
} published[] = {
    {"resnet34a", 660170, 97.2, 43},
    {"resnet50", 23520842, 1298, 53},
    {"vgg11", 9231114, 153, 8},
    {"preact-resnet18", 11171274, 555, 20},
    {"preact-resnet34", 21279434, 1159, 36},
    {"vgg_15_BN_64", 14728266, 313, 13},
    {"resnet_basic_110", 1730714, 253, 111},
    {"resnet_preact_bottleneck_164", 1619290, 169, 165},
    {"wrn_28_10", 36479194, 5243, 28},
    {"resnext_29_8x64d", 34426698, 5387, 31},
    {"densenet_BC_100_12", 769162, 288, 99},
    {"pyramidnet_basic_110_270", 28485477, 4718, 109},
    {"shake_shake_26_2x64d", 11709514, 1742, 53},
    {"resnet8", 75290, 12.2, 7},
    {"resnet20", 269722, 40.6, 19},
    {"mlp", 3072 * 128 + 128 + 128 * 10 + 10, .4, 0},
    {"mlp-uma", 3072 * 128 + 128 + 128 * 10 + 10, .4, 0},
};
enum { N_PUBLISHED = sizeof published / sizeof *published };

static struct sl_model_options options_for(const char *network)
{
    struct sl_model_options options = sl_model_options_default();
    options.network = network;
    return options;
}

static struct sl_outline *outline_of(const struct sl_model_options *options)
{
    struct sl_error err;
    struct sl_outline *outline = NULL;
    assert_ok(sl_outline_create(options, &outline, &err), err);
    return outline;
}

static void test_every_network_has_the_published_size(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_PUBLISHED; i++) {
        struct sl_model_options options = options_for(published[i].network);
        struct sl_outline *outline = outline_of(&options);
        assert_int_equal(outline->values, published[i].values);
        double step = published[i].millions < 100 ? .1 : 1;
        assert_near((double)outline->multiply_adds / 1e6, published[i].millions, step / 2);
        assert_int_equal(outline->n_convolutions, published[i].convolutions);
        sl_outline_destroy(outline);
    }
}

/* Items with pixels, words and letters, so that any network can read them. */
static struct sl_model_options all_inputs(const char *network, size_t channels, size_t height,
                                          size_t width)
{
    struct sl_model_options options = options_for(network);
    options.input = (struct sl_input_shape){.channels = channels,
                                            .height = height,
                                            .width = width,
                                            .tokens = 20,
                                            .letters = 12,
                                            .vocabulary = 100,
                                            .alphabet = 30};
    return options;
}

static void build(const struct sl_model_options *options, struct sl_nn_graph *graph, char **spec)
{
    struct sl_error err;
    assert_ok(sl_nn_build(options, graph, spec, &err), err);
}

static void build_named(const char *network, struct sl_nn_graph *graph)
{
    struct sl_model_options options = options_for(network);
    char *spec = NULL;
    build(&options, graph, &spec);
    free(spec);
}

/* The next node at or after `from` with operation `op`. */
static size_t next_of(const struct sl_nn_graph *graph, enum sl_nn_op op, size_t from)
{
    while (from < graph->count && graph->nodes[from].op != op)
        from++;
    assert_true(from < graph->count);
    return from;
}

static size_t count_of(const struct sl_nn_graph *graph, enum sl_nn_op op)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->count; i++)
        count += graph->nodes[i].op == op;
    return count;
}

static size_t find_node(const struct sl_nn_graph *graph, const char *name)
{
    for (size_t i = 0; i < graph->count; i++)
        if (strcmp(graph->nodes[i].name, name) == 0) return i;
    print_error("no layer %s\n", name);
    fail();
    return 0;
}

static void test_names_within_a_network_are_unique(void **state)
{
    (void)state;
    for (const struct sl_network *n = sl_networks; n->name; n++) {
        struct sl_model_options options = all_inputs(n->name, 3, 32, 32);
        struct sl_outline *outline = outline_of(&options);
        for (size_t i = 0; i < outline->n_layers; i++) {
            const struct sl_layer_info *layer = &outline->layers[i];
            assert_int_equal(layer->values + layer->state > 0, layer->name[0] != '\0');
            for (size_t j = 0; j < i; j++)
                assert_false(layer->name[0] && strcmp(layer->name, outline->layers[j].name) == 0);
        }
        sl_outline_destroy(outline);
    }
}

static void assert_same_tensors(const struct sl_nn_graph *a, const struct sl_nn_graph *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        struct sl_nn_tensor_spec left[SL_NN_NODE_TENSORS] = {0}, right[SL_NN_NODE_TENSORS] = {0};
        assert_string_equal(a->nodes[i].name, b->nodes[i].name);
        size_t count = sl_nn_node_tensors(a, i, left);
        assert_int_equal(sl_nn_node_tensors(b, i, right), count);
        for (size_t t = 0; t < count; t++) {
            assert_string_equal(left[t].suffix, right[t].suffix);
            assert_int_equal(left[t].rank, right[t].rank);
            assert_memory_equal(left[t].dims, right[t].dims, sizeof left[t].dims);
        }
    }
}

static void test_a_spec_spelled_out_makes_the_same_network(void **state)
{
    (void)state;
    for (const struct sl_network *n = sl_networks; n->name; n++) {
        struct sl_nn_graph first, second;
        char *spec = NULL, *again = NULL;
        struct sl_model_options options = all_inputs(n->name, 3, 32, 32);
        build(&options, &first, &spec);
        options.network = spec;
        build(&options, &second, &again);
        assert_string_equal(spec, again);
        assert_same_tensors(&first, &second);
        assert_memory_equal(&first.paper_init, &second.paper_init, sizeof first.paper_init);
        free(spec);
        free(again);
        sl_nn_graph_release(&first);
        sl_nn_graph_release(&second);
    }
}

static void test_a_named_network_takes_options_over_its_own(void **state)
{
    (void)state;
    struct sl_nn_graph graph;
    build_named("vgg_15_BN_64", &graph);
    assert_int_equal(count_of(&graph, SL_NN_RELU), 5);
    size_t relu = next_of(&graph, SL_NN_RELU, 0);
    assert_string_equal(graph.nodes[graph.nodes[relu].input[0]].name, "stage1.bn0");
    sl_nn_graph_release(&graph);
    build_named("vgg_15_BN_64:relu=every", &graph);
    assert_int_equal(count_of(&graph, SL_NN_RELU), 13);
    find_node(&graph, "stage5.conv2");
    sl_nn_graph_release(&graph);
}

static void test_every_image_network_takes_other_sizes(void **state)
{
    (void)state;
    static const size_t shapes[][3] = {{1, 28, 28}, {4, 32, 20}, {3, 27, 31}, {3, 64, 48}};
    for (const struct sl_network *n = sl_networks; n->name; n++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            const size_t *s = shapes[i];
            struct sl_model_options options = all_inputs(n->name, s[0], s[1], s[2]);
            options.classes = 2;
            sl_outline_destroy(outline_of(&options));
        }
}

static void test_shake_shake_of_2020_has_its_own_count(void **state)
{
    (void)state;
    struct sl_model_options options = all_inputs("shake_shake_26_2x64d:code=2020", 3, 32, 32);
    struct sl_outline *outline = outline_of(&options);
    assert_int_equal(outline->values, 11653978);
    sl_outline_destroy(outline);
}

static void test_layers_have_the_public_codes_names_and_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *network, *layer;
        size_t channels, height, inputs;
    } layers[] = {
        {"resnet34a", "conv1", 16, 32, 3},
        {"resnet34a", "norm1", 16, 32, 16},
        {"resnet34a", "layers1.6.bn2", 16, 32, 16},
        {"resnet34a", "layers3.0.conv1", 64, 8, 32},
        {"resnet34a", "linear", 10, 1, 64},
        {"resnet50", "layer1.0.shortcut.0", 256, 32, 64},
        {"resnet50", "layer4.2.bn3", 2048, 4, 2048},
        {"resnet50", "layer4.0.shortcut.1", 2048, 4, 2048},
        {"resnet50", "layer3.5.conv2", 256, 8, 256},
        {"vgg11", "features.0", 64, 32, 3},
        {"vgg11", "features.4", 128, 16, 64},
        {"vgg11", "features.25", 512, 2, 512},
        {"vgg11", "features.26", 512, 2, 512},
        {"vgg11", "classifier", 10, 1, 512},
        {"preact-resnet18", "bn1", 64, 32, 64},
        {"preact-resnet18", "layer2.0.bn1", 64, 32, 64},
        {"preact-resnet18", "layer2.0.shortcut.0", 128, 16, 64},
        {"vgg_15_BN_64", "stage5.bn2", 512, 2, 512},
        {"resnet_basic_110", "stage2.block1.shortcut.conv", 32, 16, 16},
        {"resnet_basic_110", "stage3.block18.bn2", 64, 8, 64},
        {"resnet_preact_bottleneck_164", "stage1.block1.conv1", 4, 32, 16},
        {"resnet_preact_bottleneck_164", "stage1.block18.conv3", 16, 32, 4},
        {"resnet_preact_bottleneck_164", "stage2.block1.shortcut.conv", 128, 16, 16},
        {"resnet_preact_bottleneck_164", "stage3.block2.conv2", 64, 8, 64},
        {"resnet_preact_bottleneck_164", "bn", 256, 8, 256},
        {"wrn_28_10", "stage1.block1.shortcut.conv", 160, 32, 16},
        {"wrn_28_10", "stage3.block4.conv2", 640, 8, 640},
        {"resnext_29_8x64d", "stage1.block1.conv1", 512, 32, 64},
        {"resnext_29_8x64d", "stage3.block3.conv3", 1024, 8, 2048},
        {"densenet_BC_100_12", "stage1.transition.conv", 108, 32, 216},
        {"densenet_BC_100_12", "stage2.transition.conv", 150, 16, 300},
        {"densenet_BC_100_12", "stage3.block16.conv2", 12, 8, 48},
        {"densenet_BC_100_12", "bn", 342, 8, 342},
        {"pyramidnet_basic_110_270", "bn1", 16, 32, 16},
        {"pyramidnet_basic_110_270", "stage1.block1.conv1", 21, 32, 16},
        {"pyramidnet_basic_110_270", "stage3.block18.bn3", 286, 8, 286},
        {"pyramidnet_basic_110_270", "bn2", 286, 8, 286},
        {"shake_shake_26_2x64d", "stage1.block1.residual_path2.bn2", 64, 32, 64},
        {"shake_shake_26_2x64d", "stage2.block1.shortcut.downsample.conv2", 64, 16, 64},
        {"shake_shake_26_2x64d", "stage3.block1.shortcut.downsample.bn", 256, 8, 256},
        {"shake_shake_26_2x64d", "fc", 10, 1, 256},
        {"mlp-uma", "hidden_layer.0", 128, 1, 3072},
        {"mlp-uma", "output_layer.0", 10, 1, 128},
    };
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        struct sl_nn_graph graph;
        build_named(layers[i].network, &graph);
        const struct sl_nn_node *node = &graph.nodes[find_node(&graph, layers[i].layer)];
        assert_int_equal(node->shape.channels, layers[i].channels);
        assert_int_equal(node->shape.height, layers[i].height);
        assert_int_equal(graph.nodes[node->input[0]].shape.channels, layers[i].inputs);
        sl_nn_graph_release(&graph);
    }
}

/* The names that state_dict() of the public code lists, in its order. */
static void test_tensors_come_in_the_order_of_a_state_dict(void **state)
{
    (void)state;
    static const char *const shake[] = {"conv",
                                        "bn",
                                        "stage1.block1.residual_path1.conv1",
                                        "stage1.block1.residual_path1.bn1",
                                        "stage1.block1.residual_path1.conv2",
                                        "stage1.block1.residual_path1.bn2",
                                        "stage1.block1.residual_path2.conv1",
                                        "stage1.block1.residual_path2.bn1",
                                        "stage1.block1.residual_path2.conv2",
                                        "stage1.block1.residual_path2.bn2",
                                        "stage2.block1.residual_path1.conv1",
                                        "stage2.block1.residual_path1.bn1",
                                        "stage2.block1.residual_path1.conv2",
                                        "stage2.block1.residual_path1.bn2",
                                        "stage2.block1.residual_path2.conv1",
                                        "stage2.block1.residual_path2.bn1",
                                        "stage2.block1.residual_path2.conv2",
                                        "stage2.block1.residual_path2.bn2",
                                        "stage2.block1.shortcut.downsample.conv1",
                                        "stage2.block1.shortcut.downsample.conv2",
                                        "stage2.block1.shortcut.downsample.bn",
                                        "fc"};
    static const char *const preact[] = {"conv1",
                                         "bn1",
                                         "layer1.0.bn1",
                                         "layer1.0.conv1",
                                         "layer1.0.bn2",
                                         "layer1.0.conv2",
                                         "layer2.0.bn1",
                                         "layer2.0.conv1",
                                         "layer2.0.bn2",
                                         "layer2.0.conv2",
                                         "layer2.0.shortcut.0",
                                         "linear"};
    static const char *const bottleneck[] = {"conv1",
                                             "bn1",
                                             "layer1.0.conv1",
                                             "layer1.0.bn1",
                                             "layer1.0.conv2",
                                             "layer1.0.bn2",
                                             "layer1.0.conv3",
                                             "layer1.0.bn3",
                                             "layer1.0.shortcut.0",
                                             "layer1.0.shortcut.1",
                                             "layer2.0.conv1",
                                             "layer2.0.bn1",
                                             "layer2.0.conv2",
                                             "layer2.0.bn2",
                                             "layer2.0.conv3",
                                             "layer2.0.bn3",
                                             "layer2.0.shortcut.0",
                                             "layer2.0.shortcut.1",
                                             "linear"};
    static const struct {
        const char *network;
        const char *const *names;
        size_t count;
    } cases[] = {
        {"shake-shake:n=1-1,width=4", shake, sizeof shake / sizeof *shake},
        {"preact-resnet:n=1-1,width=4", preact, sizeof preact / sizeof *preact},
        {"resnet:block=bottleneck,n=1-1,shortcut=conv", bottleneck,
         sizeof bottleneck / sizeof *bottleneck},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct sl_nn_graph graph;
        build_named(cases[c].network, &graph);
        size_t next = 0;
        for (size_t i = 0; i < graph.count; i++) {
            if (!graph.nodes[i].name[0]) continue;
            assert_true(next < cases[c].count);
            assert_string_equal(graph.nodes[i].name, cases[c].names[next++]);
        }
        assert_int_equal(next, cases[c].count);
        sl_nn_graph_release(&graph);
    }
}

/* A letter for every layer of the smallest network of each kind, in the order of the public code's
 * forward method. Spaces only help the reader. */
static void test_layers_run_in_the_order_of_the_public_codes(void **state)
{
    (void)state;
    static const char letters[SL_NN_N_OPS] = {
        [SL_NN_PIXELS] = 'P',  [SL_NN_CONV] = 'C',      [SL_NN_BATCH_NORM] = 'N',
        [SL_NN_RELU] = 'R',    [SL_NN_MAX_POOL] = 'M',  [SL_NN_AVERAGE_POOL] = 'V',
        [SL_NN_FLATTEN] = 'F', [SL_NN_LINEAR] = 'L',    [SL_NN_GLOBAL_POOL] = 'G',
        [SL_NN_ADD] = 'A',     [SL_NN_SUBSAMPLE] = 'S', [SL_NN_CONCAT] = 'J',
        [SL_NN_DROPOUT] = 'D', [SL_NN_SHAKE] = 'K',
    };
    static const struct {
        const char *network, *layers;
    } cases[] = {
        {"resnet:n=1-1", "P CNR CNRCN AR CNRCN SAR GL"},
        {"resnet:n=1-1,shortcut=conv", "P CNR CNRCN AR CNRCN CNAR GL"},
        {"resnet:n=1-1,block=bottleneck,shortcut=conv", "P CNR CNRCNRCN CNAR CNRCNRCN CNAR GL"},
        {"resnext:n=2-1", "P CNR CNRCNRCN CNAR CNRCNRCN AR CNRCNRCN CNAR GL"},
        {"preact-resnet:n=1-1", "P CNR NRCNRC A NRCNRC CA GL"},
        {"preact-resnet:n=1-1,block=bottleneck,norm=last,widen=later",
         "P C NRCNRCNRC A NRCNRCNRC CA NR GL"},
        {"preact-resnet:n=1-1,norm=none", "P C NRCNRC A NRCNRC CA GL"},
        {"wrn:n=1-1", "P C NRCNRC CA NRCNRC CA NR GL"},
        {"wrn:n=1-1,factor=1,dropout=0.1", "P C NRCDNRC A NRCDNRC CA NR GL"},
        {"densenet:n=2-1", "P C NRCNRCJ NRCNRCJ NRCV NRCNRCJ NR GL"},
        {"densenet:n=1-1,block=basic,dropout=0.2", "P C NRCDJ NRCDV NRCDJ NR GL"},
        {"pyramidnet:n=1-1", "P CN NCNRCN A NCNRCN VA NR GL"},
        {"pyramidnet:n=1-1,block=bottleneck", "P CN NCNRCNRCN A NCNRCNRCN VA NR GL"},
        {"shake-shake:n=1-1", "P CNR R CNRCN CNRCN KA R CNRCN CNRCN SCSCJN KA GL"},
        {"vgg:n=2-1", "P CNRCNRM CNRM FL"},
        {"vgg:n=2-1,relu=first", "P CNRCNM CNRM FL"},
        {"mlp:hidden=4-4", "P F LRD LRD L"},
        {"mlp:dropout=0", "P F LR L"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_nn_graph graph;
        build_named(cases[i].network, &graph);
        size_t next = 0;
        for (const char *letter = cases[i].layers; *letter; letter++) {
            if (*letter == ' ') continue;
            assert_true(next < graph.count);
            if (letters[graph.nodes[next++].op] == *letter) continue;
            print_error("%s: layer %zu is not %c\n", cases[i].network, next - 1, *letter);
            fail();
        }
        assert_int_equal(next, graph.count);
        sl_nn_graph_release(&graph);
    }
}

/* Check which layer the addition after `last_layer` reads as its shortcut. */
static void assert_shortcut_of(const char *network, const char *last_layer, enum sl_nn_op op,
                               const char *of)
{
    struct sl_nn_graph graph;
    build_named(network, &graph);
    size_t add = next_of(&graph, SL_NN_ADD, find_node(&graph, last_layer));
    const struct sl_nn_node *taken = &graph.nodes[graph.nodes[add].input[1]];
    assert_int_equal(taken->op, op);
    if (of) assert_string_equal(graph.nodes[taken->input[0]].name, of);
    sl_nn_graph_release(&graph);
}

static void test_shortcuts_take_what_the_public_codes_give_them(void **state)
{
    (void)state;
    assert_shortcut_of("resnet34a", "layers1.1.bn2", SL_NN_RELU, "");
    assert_shortcut_of("resnet34a", "layers2.0.bn2", SL_NN_SUBSAMPLE, "");
    assert_shortcut_of("resnet50", "layer1.0.bn3", SL_NN_BATCH_NORM, "layer1.0.shortcut.0");
    assert_shortcut_of("preact-resnet18", "layer1.1.conv2", SL_NN_RELU, "layer1.1.bn1");
    assert_shortcut_of("preact-resnet:shortcut=first", "layer1.0.conv2", SL_NN_RELU,
                       "layer1.0.bn1");
    assert_shortcut_of("preact-resnet:shortcut=change", "layer1.0.conv2", SL_NN_RELU, "bn1");
    assert_shortcut_of("resnet_preact_bottleneck_164", "stage1.block1.conv3", SL_NN_RELU,
                       "stage1.block1.bn1");
    assert_shortcut_of("resnet_preact_bottleneck_164", "stage1.block2.conv3", SL_NN_ADD, NULL);
    assert_shortcut_of("resnet_preact_bottleneck_164", "stage2.block1.conv3", SL_NN_CONV, "");
    assert_shortcut_of("wrn_28_10", "stage1.block2.conv2", SL_NN_ADD, NULL);
    assert_shortcut_of("pyramidnet_basic_110_270", "stage1.block1.bn3", SL_NN_BATCH_NORM, "conv");
    assert_shortcut_of("pyramidnet_basic_110_270", "stage2.block1.bn3", SL_NN_AVERAGE_POOL, NULL);
    assert_shortcut_of("shake_shake_26_2x64d", "stage1.block1.residual_path2.bn2", SL_NN_RELU,
                       "bn");
    assert_shortcut_of("shake_shake_26_2x64d", "stage2.block1.residual_path2.bn2", SL_NN_BATCH_NORM,
                       "");
}

static void test_dense_layers_put_new_channels_at_the_end(void **state)
{
    (void)state;
    struct sl_nn_graph graph;
    build_named("densenet_BC_100_12", &graph);
    size_t seen = 0;
    for (size_t i = 0; i < graph.count; i++) {
        const struct sl_nn_node *node = &graph.nodes[i];
        if (node->op != SL_NN_CONCAT) continue;
        seen++;
        assert_int_equal(graph.nodes[node->input[1]].op, SL_NN_CONV);
        assert_int_equal(graph.nodes[node->input[1]].shape.channels, 12);
        assert_true(node->input[0] < node->input[1]);
    }
    assert_int_equal(seen, 48);
    sl_nn_graph_release(&graph);
}

static void test_shake_shake_reads_even_and_odd_pixels(void **state)
{
    (void)state;
    struct sl_nn_graph graph;
    build_named("shake_shake_26_2x64d", &graph);
    for (size_t part = 0; part < 2; part++) {
        const char *name = part ? "stage2.block1.shortcut.downsample.conv2"
                                : "stage2.block1.shortcut.downsample.conv1";
        const struct sl_nn_node *node = &graph.nodes[find_node(&graph, name)];
        const struct sl_nn_node *pixels = &graph.nodes[node->input[0]];
        assert_int_equal(pixels->op, SL_NN_SUBSAMPLE);
        assert_int_equal(pixels->as.subsample.stride, 2);
        assert_int_equal(pixels->as.subsample.offset, part);
        assert_int_equal(graph.nodes[pixels->input[0]].op, SL_NN_RELU);
    }
    assert_int_equal(count_of(&graph, SL_NN_SHAKE), 12);
    sl_nn_graph_release(&graph);
}

static void test_each_code_has_its_first_values(void **state)
{
    (void)state;
    static const struct {
        const char *network;
        struct sl_nn_init_rule rule;
    } rules[] = {
        {"resnet34a", {SL_NN_UNIFORM_FAN_IN, false, false, false}},
        {"resnet50", {SL_NN_UNIFORM_FAN_IN, false, false, false}},
        {"vgg11", {SL_NN_UNIFORM_FAN_IN, false, false, false}},
        {"preact-resnet18", {SL_NN_UNIFORM_FAN_IN, false, false, false}},
        {"vgg_15_BN_64", {SL_NN_KAIMING_OUT, true, true, true}},
        {"resnet_basic_110", {SL_NN_KAIMING_OUT, false, true, false}},
        {"resnet_preact_bottleneck_164", {SL_NN_KAIMING_OUT, false, true, false}},
        {"wrn_28_10", {SL_NN_KAIMING_IN, true, true, false}},
        {"resnext_29_8x64d", {SL_NN_KAIMING_OUT, false, true, false}},
        {"densenet_BC_100_12", {SL_NN_KAIMING_OUT, false, true, false}},
        {"pyramidnet_basic_110_270", {SL_NN_KAIMING_OUT, false, true, false}},
        {"shake_shake_26_2x64d", {SL_NN_KAIMING_OUT, false, true, false}},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct sl_nn_graph graph;
        build_named(rules[i].network, &graph);
        assert_int_equal(graph.paper_init.conv, rules[i].rule.conv);
        assert_int_equal(graph.paper_init.gamma_uniform, rules[i].rule.gamma_uniform);
        assert_int_equal(graph.paper_init.zero_linear_bias, rules[i].rule.zero_linear_bias);
        assert_int_equal(graph.paper_init.zero_conv_bias, rules[i].rule.zero_conv_bias);
        sl_nn_graph_release(&graph);
    }
}

static void test_a_mean_and_a_deviation_make_a_normalising_layer(void **state)
{
    (void)state;
    static const float mean[] = {.5F, .4F, .3F}, deviation[] = {.25F, .2F, .1F};
    struct sl_nn_graph graph;
    char *spec = NULL;
    struct sl_model_options options = options_for("resnet8");
    options.mean = mean;
    options.deviation = deviation;
    build(&options, &graph, &spec);
    assert_int_equal(graph.nodes[0].op, SL_NN_PIXELS);
    assert_int_equal(graph.nodes[1].op, SL_NN_NORMALISE);
    assert_memory_equal(graph.nodes[1].as.normalise.mean, mean, sizeof mean);
    assert_int_equal(graph.nodes[2].op, SL_NN_CONV);
    free(spec);
    sl_nn_graph_release(&graph);
    struct sl_error err;
    options.mean = NULL;
    assert_fails(sl_nn_build(&options, &graph, &spec, &err), SL_ERR_USAGE, err,
                 "must be given together");
}

static void test_rows_and_images_go_where_they_can(void **state)
{
    (void)state;
    struct sl_nn_graph graph;
    char *spec = NULL;
    struct sl_error err;
    struct sl_model_options options = all_inputs("mlp", 512, 1, 1);
    build(&options, &graph, &spec);
    assert_int_equal(count_of(&graph, SL_NN_FLATTEN), 0);
    assert_int_equal(graph.nodes[0].shape.layout, SL_NN_ROWS);
    free(spec);
    sl_nn_graph_release(&graph);

    build_named("mlp", &graph);
    assert_int_equal(graph.nodes[next_of(&graph, SL_NN_FLATTEN, 0)].shape.channels, 3072);
    sl_nn_graph_release(&graph);

    options.network = "resnet20";
    assert_fails(sl_nn_build(&options, &graph, &spec, &err), SL_ERR_INPUT, err,
                 "resnet20: it reads images, but the items are rows of 512 numbers");
}

static void test_one_class_and_empty_images_are_refused(void **state)
{
    (void)state;
    struct sl_nn_graph graph;
    char *spec = NULL;
    struct sl_error err;
    struct sl_model_options options = options_for("resnet8");
    options.classes = 1;
    assert_fails(sl_nn_build(&options, &graph, &spec, &err), SL_ERR_INPUT, err,
                 "at least 2 classes");
    options.classes = 2;
    options.input.height = 0;
    assert_fails(sl_nn_build(&options, &graph, &spec, &err), SL_ERR_INPUT, err, "resnet8: ");
    options.input.height = (size_t)1 << 40;
    options.input.width = (size_t)1 << 40;
    assert_fails(sl_nn_build(&options, &graph, &spec, &err), SL_ERR_INPUT, err, "per item");
    assert_null(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_network_has_the_published_size),
        cmocka_unit_test(test_names_within_a_network_are_unique),
        cmocka_unit_test(test_a_spec_spelled_out_makes_the_same_network),
        cmocka_unit_test(test_a_named_network_takes_options_over_its_own),
        cmocka_unit_test(test_every_image_network_takes_other_sizes),
        cmocka_unit_test(test_shake_shake_of_2020_has_its_own_count),
        cmocka_unit_test(test_layers_have_the_public_codes_names_and_shapes),
        cmocka_unit_test(test_tensors_come_in_the_order_of_a_state_dict),
        cmocka_unit_test(test_layers_run_in_the_order_of_the_public_codes),
        cmocka_unit_test(test_shortcuts_take_what_the_public_codes_give_them),
        cmocka_unit_test(test_dense_layers_put_new_channels_at_the_end),
        cmocka_unit_test(test_shake_shake_reads_even_and_odd_pixels),
        cmocka_unit_test(test_each_code_has_its_first_values),
        cmocka_unit_test(test_a_mean_and_a_deviation_make_a_normalising_layer),
        cmocka_unit_test(test_rows_and_images_go_where_they_can),
        cmocka_unit_test(test_one_class_and_empty_images_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
