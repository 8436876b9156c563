/* ONNX: writes a model as a ModelProto of opset 13, for evaluation. Field numbers are those of
 * onnx.proto. Tensor data go straight from the model to the file; the other messages are built in
 * memory. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "nn/files/protobuf.h"
#include "nn/files/weights.h"
#include "nn/graph/model.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/system.h"
#include "softlab/nn/weights.h"

enum { IR_VERSION = 7, OPSET = 13 };
enum { TEXT_LIMIT = 1 << 28 }; /* bytes besides tensor data */
static const float batch_norm_epsilon = 1e-5F;

enum {
    MODEL_IR_VERSION = 1,
    MODEL_PRODUCER_NAME = 2,
    MODEL_PRODUCER_VERSION = 3,
    MODEL_GRAPH = 7,
    MODEL_OPSET_IMPORT = 8,
    MODEL_METADATA_PROPS = 14,
    OPSET_VERSION = 2,
    ENTRY_KEY = 1,
    ENTRY_VALUE = 2,
    GRAPH_NODE = 1,
    GRAPH_NAME = 2,
    GRAPH_INITIALIZER = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_OP_TYPE = 4,
    NODE_ATTRIBUTE = 5,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_F = 2,
    ATTRIBUTE_I = 3,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_TYPE = 20,
    TENSOR_DIMS = 1,
    TENSOR_DATA_TYPE = 2,
    TENSOR_NAME = 8,
    TENSOR_RAW_DATA = 9,
    VALUE_INFO_NAME = 1,
    VALUE_INFO_TYPE = 2,
    TYPE_TENSOR = 1,
    TENSOR_TYPE_ELEM_TYPE = 1,
    TENSOR_TYPE_SHAPE = 2,
    SHAPE_DIM = 1,
    DIM_VALUE = 1,
    DIM_PARAM = 2,
};
enum attribute_type { ATTRIBUTE_IS_FLOAT = 1, ATTRIBUTE_IS_INT = 2, ATTRIBUTE_IS_INTS = 7 };
enum data_type { DATA_FLOAT = 1, DATA_INT64 = 7 };

/* Tensor data of the model that belong into `initializers`, before its byte `at`. */
struct blob {
    size_t at, length;
    const void *bytes; /* borrowed */
};

struct exporter {
    const struct sl_model *model;
    char **values; /* owned strings: what the file calls each output; NULL before its turn */
    struct sl_buffer nodes, initializers, tail; /* fields of the GraphProto */
    struct sl_buffer node, tensor, small;       /* messages under construction */
    struct blob *blobs;                         /* owned; one per tensor of the model at most */
    size_t n_blobs;
};

static size_t rank_of(const struct sl_nn_node *node)
{
    return node->shape.layout == SL_NN_ROWS ? 2 : 4;
}

static const struct sl_nn_node *input_node(const struct exporter *exporter, size_t index, size_t n)
{
    const struct sl_nn_graph *graph = &exporter->model->graph;
    return &graph->nodes[graph->nodes[index].input[n]];
}

/* The name in the file of a node's n-th input. */
static const char *input_value(const struct exporter *exporter, size_t index, size_t n)
{
    return exporter->values[exporter->model->graph.nodes[index].input[n]];
}

/* ---- Nodes and tensors of the file ---- */

static void node_begin(struct exporter *exporter, const char *op_type, const char *output)
{
    sl_nn_pb_text(&exporter->node, NODE_OUTPUT, output);
    sl_nn_pb_text(&exporter->node, NODE_NAME, output);
    sl_nn_pb_text(&exporter->node, NODE_OP_TYPE, op_type);
}

static void node_input(struct exporter *exporter, const char *name)
{
    sl_nn_pb_text(&exporter->node, NODE_INPUT, name);
}

static void attribute_end(struct exporter *exporter, enum attribute_type type)
{
    sl_nn_pb_integer(&exporter->small, ATTRIBUTE_TYPE, type);
    sl_nn_pb_message(&exporter->node, NODE_ATTRIBUTE, &exporter->small);
}

static void attribute_float(struct exporter *exporter, const char *name, float value)
{
    sl_nn_pb_text(&exporter->small, ATTRIBUTE_NAME, name);
    sl_nn_pb_float(&exporter->small, ATTRIBUTE_F, value);
    attribute_end(exporter, ATTRIBUTE_IS_FLOAT);
}

static void attribute_int(struct exporter *exporter, const char *name, size_t value)
{
    sl_nn_pb_text(&exporter->small, ATTRIBUTE_NAME, name);
    sl_nn_pb_integer(&exporter->small, ATTRIBUTE_I, (int64_t)value);
    attribute_end(exporter, ATTRIBUTE_IS_INT);
}

/* `count` times the same number: ONNX has one per axis and end, and our layers are square. */
static void attribute_repeat(struct exporter *exporter, const char *name, size_t value,
                             size_t count)
{
    sl_nn_pb_text(&exporter->small, ATTRIBUTE_NAME, name);
    for (size_t i = 0; i < count; i++)
        sl_nn_pb_integer(&exporter->small, ATTRIBUTE_INTS, (int64_t)value);
    attribute_end(exporter, ATTRIBUTE_IS_INTS);
}

static void node_end(struct exporter *exporter)
{
    sl_nn_pb_message(&exporter->nodes, GRAPH_NODE, &exporter->node);
}

static void tensor_begin(struct exporter *exporter, const char *name, enum data_type type,
                         size_t rank, const size_t *dims)
{
    for (size_t i = 0; i < rank; i++)
        sl_nn_pb_integer(&exporter->tensor, TENSOR_DIMS, (int64_t)dims[i]);
    sl_nn_pb_integer(&exporter->tensor, TENSOR_DATA_TYPE, type);
    sl_nn_pb_text(&exporter->tensor, TENSOR_NAME, name);
}

/* A tensor of the model. Its data are copied only when the file is written. */
static void add_model_tensor(struct exporter *exporter, const struct sl_tensor_info *info)
{
    const struct sl_model *model = exporter->model;
    const float *buffer = info->kind == SL_TENSOR_VALUE ? model->values : model->state;
    const size_t length = info->count * sizeof(float);
    tensor_begin(exporter, info->name, DATA_FLOAT, info->rank, info->dims);
    sl_nn_pb_head(&exporter->tensor, TENSOR_RAW_DATA, length);
    sl_nn_pb_head(&exporter->initializers, GRAPH_INITIALIZER, exporter->tensor.length + length);
    sl_buffer_append(&exporter->initializers, exporter->tensor.data, exporter->tensor.length);
    sl_buffer_clear(&exporter->tensor);
    exporter->blobs[exporter->n_blobs++] =
        (struct blob){exporter->initializers.length, length, buffer + info->offset};
}

static void add_floats(struct exporter *exporter, const char *name, const float *values,
                       size_t rank, const size_t *dims)
{
    size_t count = 1;
    for (size_t i = 0; i < rank; i++)
        count *= dims[i];
    tensor_begin(exporter, name, DATA_FLOAT, rank, dims);
    sl_nn_pb_bytes(&exporter->tensor, TENSOR_RAW_DATA, values, count * sizeof *values);
    sl_nn_pb_message(&exporter->initializers, GRAPH_INITIALIZER, &exporter->tensor);
}

/* Add a vector of integers as an input of the current node. */
static void input_integers(struct exporter *exporter, const char *of, const char *role,
                           const int64_t *values, size_t count)
{
    char *name = sl_string_printf("%s.%s", of, role);
    tensor_begin(exporter, name, DATA_INT64, 1, &count);
    sl_nn_pb_bytes(&exporter->tensor, TENSOR_RAW_DATA, values, count * sizeof *values);
    sl_nn_pb_message(&exporter->initializers, GRAPH_INITIALIZER, &exporter->tensor);
    node_input(exporter, name);
    free(name);
}

/* ---- One function per operation ---- */

/* A node that reads its inputs and then its tensors, whose order in PyTorch is also that of
 * ONNX. */
static void begin_plain(struct exporter *exporter, size_t index, const char *op_type)
{
    const struct sl_model *model = exporter->model;
    node_begin(exporter, op_type, exporter->values[index]);
    for (size_t i = 0; i < model->graph.nodes[index].n_inputs; i++)
        node_input(exporter, input_value(exporter, index, i));
    for (size_t i = model->first_tensor[index]; i < model->first_tensor[index + 1]; i++) {
        node_input(exporter, model->tensors[i].name);
        add_model_tensor(exporter, &model->tensors[i]);
    }
}

/* The operation computes nothing: its value gets the name of its input, unless it is the output of
 * the network. */
static void emit_nothing(struct exporter *exporter, size_t index)
{
    if (index + 1 == exporter->model->graph.count) {
        begin_plain(exporter, index, "Identity");
        node_end(exporter);
        return;
    }
    free(exporter->values[index]);
    exporter->values[index] = sl_string_copy(input_value(exporter, index, 0));
}

static void emit_pixels(struct exporter *exporter, size_t index)
{
    free(exporter->values[index]);
    exporter->values[index] = sl_string_copy("input");
}

static void emit_normalise(struct exporter *exporter, size_t index)
{
    const struct sl_nn_node *node = &exporter->model->graph.nodes[index];
    const char *value = exporter->values[index];
    const size_t rank = rank_of(node) == 2 ? 1 : 3, dims[3] = {node->shape.channels, 1, 1};
    char *centred = sl_string_printf("%s.centred", value);
    char *mean = sl_string_printf("%s.mean", value);
    char *deviation = sl_string_printf("%s.deviation", value);
    add_floats(exporter, mean, node->as.normalise.mean, rank, dims);
    add_floats(exporter, deviation, node->as.normalise.deviation, rank, dims);
    node_begin(exporter, "Sub", centred);
    node_input(exporter, input_value(exporter, index, 0));
    node_input(exporter, mean);
    node_end(exporter);
    node_begin(exporter, "Div", value);
    node_input(exporter, centred);
    node_input(exporter, deviation);
    node_end(exporter);
    free(centred);
    free(mean);
    free(deviation);
}

static void emit_conv(struct exporter *exporter, size_t index)
{
    const struct sl_nn_node *node = &exporter->model->graph.nodes[index];
    begin_plain(exporter, index, "Conv");
    attribute_repeat(exporter, "kernel_shape", node->as.conv.kernel, 2);
    attribute_repeat(exporter, "strides", node->as.conv.stride, 2);
    attribute_repeat(exporter, "pads", node->as.conv.pad, 4);
    attribute_repeat(exporter, "dilations", 1, 2);
    attribute_int(exporter, "group", node->as.conv.groups);
    node_end(exporter);
}

static void emit_batch_norm(struct exporter *exporter, size_t index)
{
    begin_plain(exporter, index, "BatchNormalization");
    attribute_float(exporter, "epsilon", batch_norm_epsilon);
    node_end(exporter);
}

static void emit_relu(struct exporter *exporter, size_t index)
{
    const float slope = exporter->model->graph.nodes[index].as.relu.slope;
    begin_plain(exporter, index, slope > 0 ? "LeakyRelu" : "Relu");
    if (slope > 0) attribute_float(exporter, "alpha", slope);
    node_end(exporter);
}

/* The number of windows that lie wholly within the padded map. */
static size_t whole_windows(size_t size, size_t kernel, size_t stride, size_t pad)
{
    return size + 2 * pad < kernel ? 0 : (size + 2 * pad - kernel) / stride + 1;
}

/* Use ceil mode only if it adds a window: runtimes disagree about windows that begin beyond the
 * map, which our layers never have. */
static void emit_pool(struct exporter *exporter, size_t index)
{
    const struct sl_nn_node *node = &exporter->model->graph.nodes[index];
    const struct sl_nn_shape in = input_node(exporter, index, 0)->shape, out = node->shape;
    const size_t kernel = node->as.pool.kernel, stride = node->as.pool.stride;
    const size_t pad = node->as.pool.pad;
    const bool average = node->op == SL_NN_AVERAGE_POOL;
    begin_plain(exporter, index, average ? "AveragePool" : "MaxPool");
    attribute_repeat(exporter, "kernel_shape", kernel, 2);
    attribute_repeat(exporter, "strides", stride, 2);
    attribute_repeat(exporter, "pads", pad, 4);
    attribute_int(exporter, "ceil_mode",
                  whole_windows(in.height, kernel, stride, pad) < out.height ||
                      whole_windows(in.width, kernel, stride, pad) < out.width);
    if (average) attribute_int(exporter, "count_include_pad", 0);
    node_end(exporter);
}

static void emit_flatten(struct exporter *exporter, size_t index)
{
    begin_plain(exporter, index, "Flatten");
    attribute_int(exporter, "axis", 1);
    node_end(exporter);
}

static void emit_global_pool(struct exporter *exporter, size_t index)
{
    char *mean = sl_string_printf("%s.mean", exporter->values[index]);
    node_begin(exporter, "GlobalAveragePool", mean);
    node_input(exporter, input_value(exporter, index, 0));
    node_end(exporter);
    node_begin(exporter, "Flatten", exporter->values[index]);
    node_input(exporter, mean);
    attribute_int(exporter, "axis", 1);
    node_end(exporter);
    free(mean);
}

static void emit_linear(struct exporter *exporter, size_t index)
{
    begin_plain(exporter, index, "Gemm");
    attribute_int(exporter, "transB", 1);
    node_end(exporter);
}

/* Pad with zeros. `pads` has the numbers of zeros at the beginnings of all axes, then at their
 * ends. */
static void emit_pad(struct exporter *exporter, const char *from, const char *to,
                     const int64_t *pads, size_t rank)
{
    node_begin(exporter, "Pad", to);
    node_input(exporter, from);
    input_integers(exporter, to, "pads", pads, 2 * rank);
    node_end(exporter);
}

static void emit_add(struct exporter *exporter, size_t index)
{
    const struct sl_nn_node *node = &exporter->model->graph.nodes[index];
    const size_t fewer = input_node(exporter, index, 1)->shape.channels, rank = rank_of(node);
    if (fewer == node->shape.channels) {
        begin_plain(exporter, index, "Add");
        node_end(exporter);
        return;
    }
    const char *value = exporter->values[index];
    char *padded = sl_string_printf("%s.padded", value);
    int64_t pads[8] = {0};
    pads[rank + 1] = (int64_t)(node->shape.channels - fewer);
    emit_pad(exporter, input_value(exporter, index, 1), padded, pads, rank);
    node_begin(exporter, "Add", value);
    node_input(exporter, input_value(exporter, index, 0));
    node_input(exporter, padded);
    node_end(exporter);
    free(padded);
}

/* How far beyond the edge the last taken pixel lies. */
static int64_t beyond(size_t taken, size_t stride, size_t offset, size_t size)
{
    const size_t needed = offset + (taken - 1) * stride + 1;
    return needed > size ? (int64_t)(needed - size) : 0;
}

static void emit_subsample(struct exporter *exporter, size_t index)
{
    const struct sl_nn_node *node = &exporter->model->graph.nodes[index];
    const struct sl_nn_shape in = input_node(exporter, index, 0)->shape;
    const size_t by = node->as.subsample.stride, from = node->as.subsample.offset;
    const int64_t pads[8] = {[6] = beyond(node->shape.height, by, from, in.height),
                             [7] = beyond(node->shape.width, by, from, in.width)};
    const int64_t starts[2] = {(int64_t)from, (int64_t)from}, axes[2] = {2, 3};
    const int64_t steps[2] = {(int64_t)by, (int64_t)by};
    const int64_t ends[2] = {(int64_t)in.height + pads[6], (int64_t)in.width + pads[7]};
    const char *value = exporter->values[index];
    char *padded = sl_string_printf("%s.padded", value);
    const bool pad = pads[6] || pads[7];
    if (pad) emit_pad(exporter, input_value(exporter, index, 0), padded, pads, 4);
    node_begin(exporter, "Slice", value);
    node_input(exporter, pad ? padded : input_value(exporter, index, 0));
    input_integers(exporter, value, "starts", starts, 2);
    input_integers(exporter, value, "ends", ends, 2);
    input_integers(exporter, value, "axes", axes, 2);
    input_integers(exporter, value, "steps", steps, 2);
    node_end(exporter);
    free(padded);
}

static void emit_concat(struct exporter *exporter, size_t index)
{
    begin_plain(exporter, index, "Concat");
    attribute_int(exporter, "axis", 1);
    node_end(exporter);
}

/* Evaluation takes the mean of the two branches. */
static void emit_shake(struct exporter *exporter, size_t index)
{
    static const float half = 0.5F;
    const char *value = exporter->values[index];
    char *sum = sl_string_printf("%s.sum", value), *factor = sl_string_printf("%s.half", value);
    add_floats(exporter, factor, &half, 0, NULL);
    node_begin(exporter, "Add", sum);
    node_input(exporter, input_value(exporter, index, 0));
    node_input(exporter, input_value(exporter, index, 1));
    node_end(exporter);
    node_begin(exporter, "Mul", value);
    node_input(exporter, sum);
    node_input(exporter, factor);
    node_end(exporter);
    free(sum);
    free(factor);
}

/* How to write each operation; NULL: only text networks have it, and they are not written. */
static void (*const emitters[SL_NN_N_OPS])(struct exporter *exporter, size_t index) = {
    [SL_NN_PIXELS] = emit_pixels,     [SL_NN_NORMALISE] = emit_normalise,
    [SL_NN_CONV] = emit_conv,         [SL_NN_BATCH_NORM] = emit_batch_norm,
    [SL_NN_RELU] = emit_relu,         [SL_NN_MAX_POOL] = emit_pool,
    [SL_NN_AVERAGE_POOL] = emit_pool, [SL_NN_GLOBAL_POOL] = emit_global_pool,
    [SL_NN_FLATTEN] = emit_flatten,   [SL_NN_LINEAR] = emit_linear,
    [SL_NN_ADD] = emit_add,           [SL_NN_SUBSAMPLE] = emit_subsample,
    [SL_NN_CONCAT] = emit_concat,     [SL_NN_DROPOUT] = emit_nothing,
    [SL_NN_SHAKE] = emit_shake,
};

/* ---- The file ---- */

/* An input or output of floats, (N, channels[, height, width]), where N is free. */
static void add_value_info(struct exporter *exporter, uint32_t field, const char *name,
                           const struct sl_nn_node *node)
{
    const size_t sizes[3] = {node->shape.channels, node->shape.height, node->shape.width};
    struct sl_buffer dim, shape;
    sl_buffer_init(&dim, TEXT_LIMIT);
    sl_buffer_init(&shape, TEXT_LIMIT);
    sl_nn_pb_text(&dim, DIM_PARAM, "N");
    sl_nn_pb_message(&shape, SHAPE_DIM, &dim);
    for (size_t i = 0; i + 1 < rank_of(node); i++) {
        sl_nn_pb_integer(&dim, DIM_VALUE, (int64_t)sizes[i]);
        sl_nn_pb_message(&shape, SHAPE_DIM, &dim);
    }
    sl_nn_pb_integer(&exporter->tensor, TENSOR_TYPE_ELEM_TYPE, DATA_FLOAT);
    sl_nn_pb_message(&exporter->tensor, TENSOR_TYPE_SHAPE, &shape);
    sl_nn_pb_message(&exporter->small, TYPE_TENSOR, &exporter->tensor);
    sl_nn_pb_text(&exporter->node, VALUE_INFO_NAME, name);
    sl_nn_pb_message(&exporter->node, VALUE_INFO_TYPE, &exporter->small);
    sl_nn_pb_message(&exporter->tail, field, &exporter->node);
    sl_buffer_release(&dim);
    sl_buffer_release(&shape);
}

static void build_graph(struct exporter *exporter)
{
    const struct sl_nn_graph *graph = &exporter->model->graph;
    const char *network = sl_model_network(exporter->model);
    sl_nn_pb_text(&exporter->tail, GRAPH_NAME, network[0] ? network : "network");
    for (size_t i = 0; i < graph->count; i++) {
        const struct sl_nn_node *node = &graph->nodes[i];
        const bool named = node->name && node->name[0];
        exporter->values[i] = i + 1 == graph->count ? sl_string_copy("logits")
                              : named               ? sl_string_printf("%s.output", node->name)
                                      : sl_string_printf("%s_%zu", sl_nn_op_name(node->op), i);
        emitters[node->op](exporter, i);
        if (node->op == SL_NN_PIXELS) add_value_info(exporter, GRAPH_INPUT, "input", node);
    }
    add_value_info(exporter, GRAPH_OUTPUT, "logits", &graph->nodes[graph->count - 1]);
}

static void append_property(struct sl_buffer *out, const char *key, const char *value)
{
    struct sl_buffer entry;
    sl_buffer_init(&entry, TEXT_LIMIT);
    sl_nn_pb_text(&entry, ENTRY_KEY, key);
    sl_nn_pb_text(&entry, ENTRY_VALUE, value);
    sl_nn_pb_message(out, MODEL_METADATA_PROPS, &entry);
    sl_buffer_release(&entry);
}

static void append_properties(struct sl_buffer *out, const struct sl_model *model)
{
    static const size_t keys[] = {SL_NN_METADATA_NETWORK, SL_NN_METADATA_SPEC,
                                  SL_NN_METADATA_CLASSES, SL_NN_METADATA_NAMES};
    char *values[SL_NN_N_METADATA];
    sl_nn_metadata_describe(model, values);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (values[keys[i]]) append_property(out, sl_nn_metadata_keys[keys[i]], values[keys[i]]);
    sl_strings_release(values, SL_NN_N_METADATA);
}

/* The bytes of the ModelProto before and after those of its graph. */
static void build_envelope(const struct exporter *exporter, uint64_t graph_length,
                           struct sl_buffer *head, struct sl_buffer *foot)
{
    sl_nn_pb_integer(head, MODEL_IR_VERSION, IR_VERSION);
    sl_nn_pb_text(head, MODEL_PRODUCER_NAME, "softlab");
    sl_nn_pb_text(head, MODEL_PRODUCER_VERSION, sl_version());
    sl_nn_pb_head(head, MODEL_GRAPH, graph_length);
    struct sl_buffer opset;
    sl_buffer_init(&opset, TEXT_LIMIT);
    sl_nn_pb_integer(&opset, OPSET_VERSION, OPSET);
    sl_nn_pb_message(foot, MODEL_OPSET_IMPORT, &opset);
    sl_buffer_release(&opset);
    append_properties(foot, exporter->model);
}

static enum sl_status write_initializers(const struct exporter *exporter, struct sl_writer *writer,
                                         struct sl_error *err)
{
    const struct sl_buffer *text = &exporter->initializers;
    size_t done = 0;
    for (size_t i = 0; i < exporter->n_blobs; i++) {
        const struct blob *blob = &exporter->blobs[i];
        SL_TRY(sl_writer_write(writer, text->data + done, blob->at - done, err));
        SL_TRY(sl_writer_write(writer, blob->bytes, blob->length, err));
        done = blob->at;
    }
    return done < text->length
               ? sl_writer_write(writer, text->data + done, text->length - done, err)
               : SL_OK;
}

static enum sl_status write_file(const struct exporter *exporter, const char *path,
                                 struct sl_error *err)
{
    const struct sl_buffer *nodes = &exporter->nodes, *tail = &exporter->tail;
    uint64_t length = (uint64_t)nodes->length + exporter->initializers.length + tail->length;
    for (size_t i = 0; i < exporter->n_blobs; i++)
        length += exporter->blobs[i].length;
    struct sl_writer writer = {.descriptor = -1};
    struct sl_buffer head, foot;
    sl_buffer_init(&head, TEXT_LIMIT);
    sl_buffer_init(&foot, TEXT_LIMIT);
    enum sl_status status = SL_OK;
    build_envelope(exporter, length, &head, &foot);
    if (length + head.length + foot.length > INT_MAX) {
        status = sl_fail(err, SL_ERR_INPUT,
                         "%s: the network takes %llu bytes, but an ONNX file holds at most %d",
                         path, (unsigned long long)length, INT_MAX);
        goto out;
    }
    SL_TRY_OUT(sl_writer_open(&writer, path, err));
    SL_TRY_OUT(sl_writer_write(&writer, head.data, head.length, err));
    SL_TRY_OUT(sl_writer_write(&writer, nodes->data, nodes->length, err));
    SL_TRY_OUT(write_initializers(exporter, &writer, err));
    SL_TRY_OUT(sl_writer_write(&writer, tail->data, tail->length, err));
    SL_TRY_OUT(sl_writer_write(&writer, foot.data, foot.length, err));
    SL_TRY_OUT(sl_writer_commit(&writer, err));
out:
    sl_writer_discard(&writer);
    sl_buffer_release(&head);
    sl_buffer_release(&foot);
    return status;
}

static enum sl_status check_operations(const char *path, const struct sl_model *model,
                                       struct sl_error *err)
{
    for (size_t i = 0; i < model->graph.count; i++)
        if (!emitters[model->graph.nodes[i].op])
            return sl_fail(err, SL_ERR_INPUT,
                           "%s: the network %s reads text, but only networks that read images or "
                           "features can be written as ONNX",
                           path, sl_model_network(model));
    return SL_OK;
}

enum sl_status sl_onnx_write(const char *path, struct sl_model *model, struct sl_error *err)
{
    SL_TRY(check_operations(path, model, err));
    struct exporter exporter = {.model = model};
    struct sl_buffer *const buffers[] = {&exporter.nodes, &exporter.initializers, &exporter.tail,
                                         &exporter.node,  &exporter.tensor,       &exporter.small};
    enum { N_BUFFERS = sizeof buffers / sizeof *buffers };
    for (size_t i = 0; i < N_BUFFERS; i++)
        sl_buffer_init(buffers[i], TEXT_LIMIT);
    exporter.values = sl_alloc(model->graph.count, sizeof *exporter.values);
    exporter.blobs = sl_alloc(model->n_tensors, sizeof *exporter.blobs);
    build_graph(&exporter);
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < N_BUFFERS; i++)
        SL_TRY_OUT(sl_buffer_check(buffers[i], "the network's graph", err));
    SL_TRY_OUT(write_file(&exporter, path, err));
out:
    for (size_t i = 0; i < N_BUFFERS; i++)
        sl_buffer_release(buffers[i]);
    sl_strings_destroy(exporter.values, model->graph.count);
    free(exporter.blobs);
    return status;
}
