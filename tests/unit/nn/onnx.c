/* A small reader parses the written file, as far as onnx.proto goes. tests/e2e/onnx.test.mjs checks
 * that another program computes the same logits. */
#include "nn/graph/model.h"
#include "nn_sample_graph.h"
#include "softlab/nn/weights.h"
#include "support.h"

/* The bytes of one message that are left to read. */
struct span {
    const unsigned char *at, *end;
};
struct field {
    uint64_t number;
    uint64_t integer; /* wire types 0 and 5 */
    struct span bytes;
};

static uint64_t read_varint(struct span *span)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        assert_true(span->at < span->end && shift < 64);
        value |= (uint64_t)(*span->at & 0x7F) << shift;
        if (!(*span->at++ & 0x80)) return value;
    }
}

static bool read_field(struct span *span, struct field *out)
{
    if (span->at == span->end) return false;
    const uint64_t tag = read_varint(span);
    *out = (struct field){.number = tag >> 3, .bytes = {span->at, span->at}};
    const uint64_t type = tag & 7;
    assert_true(type == 0 || type == 2 || type == 5);
    if (type == 0) {
        out->integer = read_varint(span);
        return true;
    }
    const uint64_t length = type == 5 ? 4 : read_varint(span);
    assert_true(length <= (uint64_t)(span->end - span->at));
    out->bytes = (struct span){span->at, span->at + length};
    span->at += length;
    return true;
}

static void copy_text(struct span bytes, char *out, size_t size)
{
    const size_t length = (size_t)(bytes.end - bytes.at);
    assert_true(length < size);
    if (length) memcpy(out, bytes.at, length);
    out[length] = '\0';
}

enum { MOST = 64, NAME = 80 };
struct attribute {
    char name[NAME];
    int64_t integers[8];
    size_t n_integers;
    float real;
    uint64_t type;
};
struct node {
    char op[NAME], name[NAME], inputs[8][NAME], output[NAME];
    size_t n_inputs, n_attributes;
    struct attribute attributes[8];
};
struct tensor {
    char name[NAME];
    size_t rank, dims[8];
    uint64_t type;
    struct span data;
};
struct value {
    char name[NAME], dims[NAME]; /* "N,3,9,9" */
    uint64_t type;
};
struct property {
    char key[NAME], value[2 * NAME];
};
struct onnx {
    uint64_t ir_version, opset;
    char producer[NAME], graph[NAME];
    struct node nodes[MOST];
    struct tensor tensors[MOST];
    struct value inputs[4], outputs[4];
    struct property properties[8];
    size_t n_nodes, n_tensors, n_inputs, n_outputs, n_properties;
    struct sl_buffer file;
};

static void parse_property(struct span span, struct onnx *onnx)
{
    struct property *out = &onnx->properties[onnx->n_properties++];
    for (struct field field; read_field(&span, &field);)
        copy_text(field.bytes, field.number == 1 ? out->key : out->value,
                  field.number == 1 ? sizeof out->key : sizeof out->value);
}

static void parse_attribute(struct span span, struct attribute *out)
{
    for (struct field field; read_field(&span, &field);) {
        if (field.number == 1) copy_text(field.bytes, out->name, NAME);
        if (field.number == 2) {
            assert_true(field.bytes.end - field.bytes.at == sizeof out->real);
            memcpy(&out->real, field.bytes.at, sizeof out->real);
        }
        if (field.number == 3 || field.number == 8)
            out->integers[out->n_integers++] = (int64_t)field.integer;
        if (field.number == 20) out->type = field.integer;
    }
    assert_int_equal(out->type, out->n_integers == 0 ? 1 : out->n_integers == 1 ? 2 : 7);
}

static void parse_node(struct span span, struct node *out)
{
    for (struct field field; read_field(&span, &field);) {
        if (field.number == 1) copy_text(field.bytes, out->inputs[out->n_inputs++], NAME);
        if (field.number == 2) copy_text(field.bytes, out->output, NAME);
        if (field.number == 3) copy_text(field.bytes, out->name, NAME);
        if (field.number == 4) copy_text(field.bytes, out->op, NAME);
        if (field.number == 5) parse_attribute(field.bytes, &out->attributes[out->n_attributes++]);
    }
}

static void parse_tensor(struct span span, struct tensor *out)
{
    for (struct field field; read_field(&span, &field);) {
        if (field.number == 1) out->dims[out->rank++] = (size_t)field.integer;
        if (field.number == 2) out->type = field.integer;
        if (field.number == 8) copy_text(field.bytes, out->name, NAME);
        if (field.number == 9) out->data = field.bytes;
    }
}

static void parse_shape(struct span span, struct value *out)
{
    for (struct field dim; read_field(&span, &dim);) {
        struct field field = {0};
        char text[NAME] = "";
        assert_true(read_field(&dim.bytes, &field));
        if (field.number == 1)
            snprintf(text, sizeof text, "%llu", (unsigned long long)field.integer);
        else
            copy_text(field.bytes, text, sizeof text);
        const size_t used = strlen(out->dims);
        snprintf(out->dims + used, sizeof out->dims - used, "%s%s", used ? "," : "", text);
    }
}

static void parse_value(struct span span, struct value *out)
{
    struct field type = {0}, tensor = {0};
    for (struct field field; read_field(&span, &field);) {
        if (field.number == 1) copy_text(field.bytes, out->name, NAME);
        if (field.number != 2) continue;
        assert_true(read_field(&field.bytes, &type));
        assert_int_equal(type.number, 1);
        while (read_field(&type.bytes, &tensor)) {
            if (tensor.number == 1) out->type = tensor.integer;
            if (tensor.number == 2) parse_shape(tensor.bytes, out);
        }
    }
}

static void parse_graph(struct span span, struct onnx *out)
{
    for (struct field field; read_field(&span, &field);) {
        assert_true(out->n_nodes < MOST && out->n_tensors < MOST);
        if (field.number == 1) parse_node(field.bytes, &out->nodes[out->n_nodes++]);
        if (field.number == 2) copy_text(field.bytes, out->graph, NAME);
        if (field.number == 5) parse_tensor(field.bytes, &out->tensors[out->n_tensors++]);
        if (field.number == 11) parse_value(field.bytes, &out->inputs[out->n_inputs++]);
        if (field.number == 12) parse_value(field.bytes, &out->outputs[out->n_outputs++]);
    }
}

static struct onnx *parse_file(const char *path)
{
    struct onnx *onnx = sl_alloc(1, sizeof *onnx);
    struct sl_error err;
    sl_buffer_init(&onnx->file, 1 << 26);
    assert_ok(sl_file_read(path, &onnx->file, &err), err);
    const unsigned char *bytes = (const unsigned char *)onnx->file.data;
    struct span span = {bytes, bytes + onnx->file.length};
    for (struct field field; read_field(&span, &field);) {
        if (field.number == 1) onnx->ir_version = field.integer;
        if (field.number == 2) copy_text(field.bytes, onnx->producer, NAME);
        if (field.number == 7) parse_graph(field.bytes, onnx);
        if (field.number == 14) parse_property(field.bytes, onnx);
        if (field.number != 8) continue;
        struct field version = {0};
        assert_true(read_field(&field.bytes, &version));
        assert_int_equal(version.number, 2);
        onnx->opset = version.integer;
    }
    return onnx;
}

static void onnx_destroy(struct onnx *onnx)
{
    sl_buffer_release(&onnx->file);
    free(onnx);
}

static struct onnx *export(struct sl_model *model)
{
    const char *path = test_path("model.onnx");
    struct sl_error err;
    assert_ok(sl_onnx_write(path, model, &err), err);
    return parse_file(path);
}

static const struct tensor *find_tensor(const struct onnx *onnx, const char *name)
{
    for (size_t i = 0; i < onnx->n_tensors; i++)
        if (strcmp(onnx->tensors[i].name, name) == 0) return &onnx->tensors[i];
    return NULL;
}

/* The n-th node of an operation. */
static const struct node *find_node(const struct onnx *onnx, const char *op, size_t n)
{
    for (size_t i = 0; i < onnx->n_nodes; i++)
        if (strcmp(onnx->nodes[i].op, op) == 0 && n-- == 0) return &onnx->nodes[i];
    print_error("no %s\n", op);
    fail();
    return NULL;
}

static const struct attribute *find_attribute(const struct node *node, const char *name)
{
    for (size_t i = 0; i < node->n_attributes; i++)
        if (strcmp(node->attributes[i].name, name) == 0) return &node->attributes[i];
    print_error("%s has no %s\n", node->name, name);
    fail();
    return NULL;
}

static int64_t integer(const struct node *node, const char *name)
{
    return find_attribute(node, name)->integers[0];
}

static void expect_integers(const struct onnx *onnx, const char *name, size_t count,
                            const int64_t *expected)
{
    const struct tensor *tensor = find_tensor(onnx, name);
    assert_non_null(tensor);
    assert_int_equal(tensor->type, 7);
    assert_int_equal(tensor->rank, 1);
    assert_int_equal(tensor->dims[0], count);
    assert_int_equal(tensor->data.end - tensor->data.at, count * sizeof *expected);
    assert_memory_equal(tensor->data.at, expected, count * sizeof *expected);
}

static void test_the_file_says_what_it_is(void **state)
{
    (void)state;
    struct sl_model *model = sample_image_model(1);
    struct onnx *onnx = export(model);
    assert_int_equal(onnx->ir_version, 7);
    assert_int_equal(onnx->opset, 13);
    assert_string_equal(onnx->producer, "softlab");
    assert_int_equal(onnx->n_properties, 3);
    assert_string_equal(onnx->properties[2].key, "classes");
    assert_string_equal(onnx->properties[2].value, "5");
    assert_int_equal(onnx->n_inputs, 1);
    assert_string_equal(onnx->inputs[0].name, "input");
    assert_string_equal(onnx->inputs[0].dims, "N,3,9,9");
    assert_int_equal(onnx->inputs[0].type, 1);
    assert_int_equal(onnx->n_outputs, 1);
    assert_string_equal(onnx->outputs[0].name, "logits");
    assert_string_equal(onnx->outputs[0].dims, "N,5");
    assert_int_equal(onnx->outputs[0].type, 1);
    onnx_destroy(onnx);
    sl_model_destroy(model);
}

static void test_the_file_names_the_classes(void **state)
{
    (void)state;
    struct sl_model *model = sample_feature_model(1);
    struct sl_error err;
    assert_ok(sl_model_set_class_names(model, sample_class_names, &err), err);
    struct onnx *onnx = export(model);
    assert_int_equal(onnx->n_properties, 4);
    assert_string_equal(onnx->properties[3].key, "class_names");
    assert_string_equal(onnx->properties[3].value,
                        "[\"cat\",\"a \\\"b\\\"\",\"K\xc3\xa4se\",\"dog\",\"\"]");
    onnx_destroy(onnx);
    sl_model_destroy(model);
}

static void test_every_tensor_of_the_model_is_there_to_the_bit(void **state)
{
    (void)state;
    struct sl_model *model = sample_image_model(1);
    sample_running_statistics(model, 2);
    struct onnx *onnx = export(model);
    for (size_t i = 0; i < model->n_tensors; i++) {
        const struct sl_tensor_info *info = &model->tensors[i];
        const struct tensor *tensor = find_tensor(onnx, info->name);
        const float *values = info->kind == SL_TENSOR_VALUE ? model->values : model->state;
        assert_non_null(tensor);
        assert_int_equal(tensor->type, 1);
        assert_int_equal(tensor->rank, info->rank);
        for (size_t j = 0; j < info->rank; j++)
            assert_int_equal(tensor->dims[j], info->dims[j]);
        assert_int_equal(tensor->data.end - tensor->data.at, info->count * sizeof(float));
        assert_memory_equal(tensor->data.at, values + info->offset, info->count * sizeof(float));
    }
    onnx_destroy(onnx);
    sl_model_destroy(model);
}

/* Every name is defined once, and before it is read: the nodes can run in their order in the
 * file. */
static void test_nodes_read_only_what_was_made_before_them(void **state)
{
    (void)state;
    struct sl_model *model = sample_image_model(1);
    struct onnx *onnx = export(model);
    for (size_t i = 0; i < onnx->n_nodes; i++) {
        const struct node *node = &onnx->nodes[i];
        assert_null(find_tensor(onnx, node->output));
        assert_string_not_equal(node->output, "input");
        for (size_t j = 0; j < node->n_inputs; j++) {
            bool made = strcmp(node->inputs[j], "input") == 0 || find_tensor(onnx, node->inputs[j]);
            for (size_t k = 0; k < i; k++)
                made = made || strcmp(onnx->nodes[k].output, node->inputs[j]) == 0;
            if (!made) print_error("%s reads %s\n", node->name, node->inputs[j]);
            assert_true(made);
        }
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(onnx->nodes[j].output, node->output);
    }
    assert_string_equal(onnx->nodes[onnx->n_nodes - 1].output, "logits");
    onnx_destroy(onnx);
    sl_model_destroy(model);
}

static void test_nodes_are_those_of_the_network_in_its_order(void **state)
{
    (void)state;
    static const char expected[] =
        " Sub Div Conv BatchNormalization Relu Conv BatchNormalization Slice Pad Add LeakyRelu"
        " MaxPool AveragePool Add Mul Concat Flatten Gemm GlobalAveragePool Flatten Pad Add Relu"
        " Gemm";
    char found[1000] = "";
    struct sl_model *model = sample_image_model(1);
    struct onnx *onnx = export(model);
    for (size_t i = 0; i < onnx->n_nodes; i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), " %s", onnx->nodes[i].op);
    assert_string_equal(found, expected);
    onnx_destroy(onnx);
    sl_model_destroy(model);
}

static void test_layers_carry_their_settings(void **state)
{
    (void)state;
    struct sl_model *model = sample_image_model(1);
    struct onnx *onnx = export(model);
    const struct node *conv = find_node(onnx, "Conv", 1);
    assert_string_equal(conv->name, "layer1.0.conv1.output");
    assert_int_equal(conv->n_inputs, 2); /* no bias */
    assert_string_equal(conv->inputs[1], "layer1.0.conv1.weight");
    assert_int_equal(integer(conv, "group"), 2);
    assert_int_equal(integer(conv, "strides"), 2);
    assert_int_equal(find_attribute(conv, "pads")->n_integers, 4);
    assert_int_equal(integer(conv, "pads"), 1);
    assert_int_equal(integer(conv, "kernel_shape"), 3);
    assert_string_equal(find_node(onnx, "Conv", 0)->inputs[2], "conv1.bias");

    const struct node *norm = find_node(onnx, "BatchNormalization", 0);
    assert_int_equal(norm->n_inputs, 5);
    assert_string_equal(norm->inputs[1], "bn1.weight");
    assert_string_equal(norm->inputs[2], "bn1.bias");
    assert_string_equal(norm->inputs[3], "bn1.running_mean");
    assert_string_equal(norm->inputs[4], "bn1.running_var");
    assert_near(find_attribute(norm, "epsilon")->real, 1e-5F, 0);
    assert_near(find_attribute(find_node(onnx, "LeakyRelu", 0), "alpha")->real, 0.1F, 0);

    const struct node *pool = find_node(onnx, "AveragePool", 0);
    assert_int_equal(integer(pool, "ceil_mode"), 1);
    assert_int_equal(integer(pool, "count_include_pad"), 0);
    assert_int_equal(integer(find_node(onnx, "MaxPool", 0), "ceil_mode"), 1);
    assert_int_equal(integer(find_node(onnx, "Concat", 0), "axis"), 1);
    assert_int_equal(integer(find_node(onnx, "Gemm", 0), "transB"), 1);
    assert_string_equal(find_node(onnx, "Gemm", 1)->inputs[2], "head.fc2.bias");

    const struct node *slice = find_node(onnx, "Slice", 0), *pad = find_node(onnx, "Pad", 0);
    expect_integers(onnx, slice->inputs[1], 2, (const int64_t[]){0, 0});
    expect_integers(onnx, slice->inputs[2], 2, (const int64_t[]){9, 9});
    expect_integers(onnx, slice->inputs[3], 2, (const int64_t[]){2, 3});
    expect_integers(onnx, slice->inputs[4], 2, (const int64_t[]){2, 2});
    expect_integers(onnx, pad->inputs[1], 8, (const int64_t[]){0, 0, 0, 0, 0, 4, 0, 0});
    pad = find_node(onnx, "Pad", 1); /* rows */
    expect_integers(onnx, pad->inputs[1], 4, (const int64_t[]){0, 0, 0, 6});
    onnx_destroy(onnx);
    sl_model_destroy(model);
}

static void test_a_pool_that_fits_does_not_ask_for_ceil_mode(void **state)
{
    (void)state;
    struct sl_nn_graph graph;
    struct sl_model *model = NULL;
    struct sl_error err;
    sl_nn_graph_init(&graph);
    const struct sl_nn_conv_spec spec = {.channels = 4, .kernel = 1};
    size_t x = sl_nn_conv(&graph, sl_nn_pixels(&graph, 3, 8, 8), "conv", spec);
    x = sl_nn_max_pool(&graph, x, 2, 2);
    x = sl_nn_max_pool(&graph, x, 1, 2); /* ceil mode would add a third window, wholly outside */
    sl_nn_dropout(&graph, sl_nn_flatten(&graph, x), 0.5F);
    graph.classes = 16;
    assert_ok(sl_model_of_graph(&graph, SL_INIT_PYTORCH, 1, &model, &err), err);
    struct onnx *onnx = export(model);
    assert_int_equal(integer(find_node(onnx, "MaxPool", 0), "ceil_mode"), 0);
    assert_int_equal(integer(find_node(onnx, "MaxPool", 1), "ceil_mode"), 0);
    /* A dropout at the end computes nothing, so an Identity gives its input the name "logits". */
    assert_string_equal(find_node(onnx, "Identity", 0)->output, "logits");
    onnx_destroy(onnx);
    sl_model_destroy(model);
}

static void test_features_make_an_input_of_rows(void **state)
{
    (void)state;
    struct sl_model *model = sample_feature_model(1);
    struct onnx *onnx = export(model);
    assert_string_equal(onnx->inputs[0].dims, "N,4");
    assert_string_equal(onnx->outputs[0].dims, "N,5");
    assert_int_equal(onnx->n_nodes, 3); /* Gemm, Relu, Gemm: dropout does nothing here */
    assert_string_equal(onnx->nodes[2].inputs[0], onnx->nodes[1].output);
    onnx_destroy(onnx);
    sl_model_destroy(model);
}

static void test_text_networks_are_refused_and_leave_no_file(void **state)
{
    (void)state;
    struct sl_model *model = sample_text_model(1);
    const char *path = test_path("text.onnx");
    struct sl_error err;
    assert_fails(sl_onnx_write(path, model, &err), SL_ERR_INPUT, err, "reads text");
    assert_false(sl_file_exists(path));
    sl_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_file_says_what_it_is),
        cmocka_unit_test(test_the_file_names_the_classes),
        cmocka_unit_test(test_every_tensor_of_the_model_is_there_to_the_bit),
        cmocka_unit_test(test_nodes_read_only_what_was_made_before_them),
        cmocka_unit_test(test_nodes_are_those_of_the_network_in_its_order),
        cmocka_unit_test(test_layers_carry_their_settings),
        cmocka_unit_test(test_a_pool_that_fits_does_not_ask_for_ceil_mode),
        cmocka_unit_test(test_features_make_an_input_of_rows),
        cmocka_unit_test(test_text_networks_are_refused_and_leave_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
