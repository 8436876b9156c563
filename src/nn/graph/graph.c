#include "nn/graph/graph.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* The largest size of one item's tensor. A larger one could not run, and products of sizes up to
 * this limit cannot overflow. */
static const size_t tensor_limit = (size_t)1 << 31;

const char *sl_nn_op_name(enum sl_nn_op op)
{
    static const char *const names[SL_NN_N_OPS] = {
        [SL_NN_PIXELS] = "pixels",
        [SL_NN_WORDS] = "words",
        [SL_NN_LETTERS] = "letters",
        [SL_NN_NORMALISE] = "normalise",
        [SL_NN_CONV] = "conv",
        [SL_NN_BATCH_NORM] = "batch-norm",
        [SL_NN_RELU] = "relu",
        [SL_NN_MAX_POOL] = "max-pool",
        [SL_NN_AVERAGE_POOL] = "average-pool",
        [SL_NN_GLOBAL_POOL] = "global-pool",
        [SL_NN_FLATTEN] = "flatten",
        [SL_NN_LINEAR] = "linear",
        [SL_NN_ADD] = "add",
        [SL_NN_SUBSAMPLE] = "subsample",
        [SL_NN_CONCAT] = "concat",
        [SL_NN_DROPOUT] = "dropout",
        [SL_NN_SHAKE] = "shake",
        [SL_NN_EMBED] = "embed",
        [SL_NN_LSTM] = "lstm",
        [SL_NN_PICK] = "pick",
        [SL_NN_TANH] = "tanh",
        [SL_NN_WEIGH] = "weigh",
    };
    return names[op];
}

void sl_nn_graph_init(struct sl_nn_graph *graph)
{
    *graph = (struct sl_nn_graph){0};
}

void sl_nn_graph_release(struct sl_nn_graph *graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        struct sl_nn_node *node = &graph->nodes[i];
        free(node->name);
        if (node->op != SL_NN_NORMALISE) continue;
        free(node->as.normalise.mean);
        free(node->as.normalise.deviation);
    }
    free(graph->nodes);
    sl_nn_graph_init(graph);
}

enum sl_status sl_nn_graph_check(const struct sl_nn_graph *graph, struct sl_error *err)
{
    if (graph->status != SL_OK) return sl_fail(err, graph->status, "%s", graph->error.message);
    if (graph->count == 0) return sl_fail(err, SL_ERR_INPUT, "the network has no layers");
    const struct sl_nn_shape *last = &graph->nodes[graph->count - 1].shape;
    if (last->layout != SL_NN_ROWS || last->channels != graph->classes)
        return sl_fail(err, SL_ERR_INPUT, "the network's last layer does not have %zu output%s",
                       graph->classes, sl_text_plural(graph->classes, "", "s"));
    return SL_OK;
}

size_t sl_nn_graph_fail(struct sl_nn_graph *graph, enum sl_status code, const char *format, ...)
{
    if (graph->status != SL_OK) return 0;
    char message[sizeof graph->error.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    graph->status = sl_fail(&graph->error, code, "%s", message);
    return 0;
}

/* How a message names a new node: by its name, or by its kind and the last named layer before
 * it. */
enum { PLACE_TEXT = 160 };
static const char *place(const struct sl_nn_graph *g, enum sl_nn_op op, const char *name,
                         char out[PLACE_TEXT])
{
    if (*name) {
        snprintf(out, PLACE_TEXT, "%s", name);
        return out;
    }
    size_t i = g->count;
    while (i > 0 && !*g->nodes[i - 1].name)
        i--;
    if (i > 0)
        snprintf(out, PLACE_TEXT, "the %s after %s", sl_nn_op_name(op), g->nodes[i - 1].name);
    else
        snprintf(out, PLACE_TEXT, "the first %s", sl_nn_op_name(op));
    return out;
}

static size_t append_node(struct sl_nn_graph *g, const struct sl_nn_node *node, const char *name)
{
    const struct sl_nn_shape *shape = &node->shape;
    char where[PLACE_TEXT];
    if (shape->channels == 0 || shape->height == 0 || shape->width == 0)
        return sl_nn_graph_fail(g, SL_ERR_INPUT, "%s would have an empty output: %zu x %zu x %zu",
                                place(g, node->op, name, where), shape->channels, shape->height,
                                shape->width);
    if (shape->height > tensor_limit / shape->width ||
        shape->channels > tensor_limit / (shape->height * shape->width))
        return sl_nn_graph_fail(
            g, SL_ERR_INPUT, "%s would have %zu x %zu x %zu numbers per item, which is too large",
            place(g, node->op, name, where), shape->channels, shape->height, shape->width);
    if (g->count == g->capacity) {
        g->capacity = g->capacity ? 2 * g->capacity : 64;
        g->nodes = sl_resize(g->nodes, g->capacity, sizeof *g->nodes);
    }
    g->nodes[g->count] = *node;
    g->nodes[g->count].name = sl_string_copy(name);
    return g->count++;
}

static const struct sl_nn_shape *shape_of(const struct sl_nn_graph *g, size_t node)
{
    return &g->nodes[node].shape;
}

/* The layouts that an operation can read, as bits. */
enum {
    PLAIN = 1 << SL_NN_PLAIN,
    BLOCKED = 1 << SL_NN_BLOCKED,
    ROWS = 1 << SL_NN_ROWS,
    SEQUENCE = 1 << SL_NN_SEQUENCE,
    IDS = 1 << SL_NN_IDS,
};

/* True if nothing has failed so far and `input` has a layout that the operation can read. */
static bool fits(struct sl_nn_graph *g, enum sl_nn_op op, const char *name, size_t input,
                 unsigned wanted)
{
    static const char *const made[] = {"images", "maps", "rows", "sequences", "ids"};
    if (g->status != SL_OK) return false;
    if (input < g->count && (wanted >> shape_of(g, input)->layout & 1)) return true;
    char where[PLACE_TEXT];
    if (input >= g->count)
        sl_nn_graph_fail(g, SL_ERR_INPUT, "%s reads a layer that does not exist",
                         place(g, op, name, where));
    else
        sl_nn_graph_fail(g, SL_ERR_INPUT, "%s cannot read %s", place(g, op, name, where),
                         made[shape_of(g, input)->layout]);
    return false;
}

static struct sl_nn_node one_input(const struct sl_nn_graph *g, enum sl_nn_op op, size_t input)
{
    return (struct sl_nn_node){
        .op = op, .input = {input}, .n_inputs = 1, .shape = *shape_of(g, input)};
}

size_t sl_nn_pixels(struct sl_nn_graph *g, size_t channels, size_t height, size_t width)
{
    if (g->status != SL_OK) return 0;
    bool rows = height == 1 && width == 1;
    struct sl_nn_node node = {
        .op = SL_NN_PIXELS,
        .shape = {rows ? SL_NN_ROWS : SL_NN_PLAIN, channels, height, width},
    };
    return append_node(g, &node, "");
}

size_t sl_nn_ids(struct sl_nn_graph *g, enum sl_nn_op words_or_letters, size_t steps)
{
    if (g->status != SL_OK) return 0;
    struct sl_nn_node node = {.op = words_or_letters, .shape = {SL_NN_IDS, 1, steps, 1}};
    return append_node(g, &node, "");
}

static float *copy_floats(const float *values, size_t count)
{
    float *copy = sl_alloc(count, sizeof *copy);
    memcpy(copy, values, count * sizeof *copy);
    return copy;
}

size_t sl_nn_normalise(struct sl_nn_graph *g, size_t input, const float *mean,
                       const float *deviation)
{
    if (!fits(g, SL_NN_NORMALISE, "", input, PLAIN | ROWS)) return 0;
    size_t channels = shape_of(g, input)->channels;
    for (size_t c = 0; c < channels; c++)
        if (!isfinite(mean[c]) || !isfinite(deviation[c]) || !(deviation[c] > 0))
            return sl_nn_graph_fail(g, SL_ERR_INPUT,
                                    "channel %zu cannot be normalised by mean %g and deviation %g",
                                    c, (double)mean[c], (double)deviation[c]);
    struct sl_nn_node node = one_input(g, SL_NN_NORMALISE, input);
    node.as.normalise.mean = copy_floats(mean, channels);
    node.as.normalise.deviation = copy_floats(deviation, channels);
    return append_node(g, &node, "");
}

/* The number of positions of a kernel along one side. */
static size_t conv_places(size_t size, size_t kernel, size_t stride, size_t pad)
{
    return size + 2 * pad < kernel ? 0 : (size + 2 * pad - kernel) / stride + 1;
}

/* A stride larger than the map would read one pixel only, so the image is too small for the
 * network. */
static bool is_too_small(struct sl_nn_graph *g, enum sl_nn_op op, const char *name, size_t input,
                         size_t needed)
{
    const struct sl_nn_shape *in = shape_of(g, input);
    char where[PLACE_TEXT];
    if (in->height >= needed && in->width >= needed) return false;
    sl_nn_graph_fail(g, SL_ERR_INPUT,
                     "the image is %zu x %zu at %s, which needs at least %zu x %zu", in->height,
                     in->width, *name ? name : place(g, op, "", where), needed, needed);
    return true;
}

size_t sl_nn_conv(struct sl_nn_graph *g, size_t input, const char *name,
                  struct sl_nn_conv_spec spec)
{
    if (!fits(g, SL_NN_CONV, name, input, PLAIN | BLOCKED)) return 0;
    const struct sl_nn_shape *in = shape_of(g, input);
    size_t groups = spec.groups ? spec.groups : 1, stride = spec.stride ? spec.stride : 1;
    if (in->channels % groups != 0 || spec.channels % groups != 0)
        return sl_nn_graph_fail(
            g, SL_ERR_INPUT, "%s: %zu input and %zu output channels do not divide into %zu groups",
            name, in->channels, spec.channels, groups);
    size_t needed = spec.kernel > 2 * spec.pad ? spec.kernel - 2 * spec.pad : 1;
    if (is_too_small(g, SL_NN_CONV, name, input, needed > stride ? needed : stride)) return 0;
    struct sl_nn_node node = one_input(g, SL_NN_CONV, input);
    node.shape = (struct sl_nn_shape){
        .layout = SL_NN_BLOCKED,
        .channels = spec.channels,
        .height = conv_places(in->height, spec.kernel, stride, spec.pad),
        .width = conv_places(in->width, spec.kernel, stride, spec.pad),
    };
    node.as.conv.kernel = spec.kernel;
    node.as.conv.stride = stride;
    node.as.conv.pad = spec.pad;
    node.as.conv.groups = groups;
    node.as.conv.bias = spec.bias;
    return append_node(g, &node, name);
}

size_t sl_nn_batch_norm(struct sl_nn_graph *g, size_t input, const char *name)
{
    if (!fits(g, SL_NN_BATCH_NORM, name, input, BLOCKED)) return 0;
    struct sl_nn_node node = one_input(g, SL_NN_BATCH_NORM, input);
    return append_node(g, &node, name);
}

size_t sl_nn_relu(struct sl_nn_graph *g, size_t input, float slope)
{
    if (!fits(g, SL_NN_RELU, "", input, BLOCKED | ROWS)) return 0;
    struct sl_nn_node node = one_input(g, SL_NN_RELU, input);
    node.as.relu.slope = slope;
    return append_node(g, &node, "");
}

/* As PyTorch's ceil_mode without padding: the last window may extend beyond the map but must begin
 * inside it. */
static size_t pool_places(size_t size, size_t kernel, size_t stride)
{
    if (size + stride - 1 < kernel) return 0;
    size_t places = (size + stride - 1 - kernel) / stride + 1;
    return (places - 1) * stride >= size ? places - 1 : places;
}

static size_t pool(struct sl_nn_graph *g, enum sl_nn_op op, size_t input, size_t kernel,
                   size_t stride)
{
    assert(kernel > 0 && stride > 0);
    if (!fits(g, op, "", input, BLOCKED)) return 0;
    const size_t needed = kernel > stride ? kernel - stride + 1 : 1;
    if (is_too_small(g, op, "", input, needed > stride ? needed : stride)) return 0;
    const struct sl_nn_shape *in = shape_of(g, input);
    struct sl_nn_node node = one_input(g, op, input);
    node.shape.height = pool_places(in->height, kernel, stride);
    node.shape.width = pool_places(in->width, kernel, stride);
    node.as.pool.kernel = kernel;
    node.as.pool.stride = stride;
    return append_node(g, &node, "");
}

size_t sl_nn_max_pool(struct sl_nn_graph *g, size_t input, size_t kernel, size_t stride)
{
    return pool(g, SL_NN_MAX_POOL, input, kernel, stride);
}

size_t sl_nn_average_pool(struct sl_nn_graph *g, size_t input, size_t kernel, size_t stride)
{
    return pool(g, SL_NN_AVERAGE_POOL, input, kernel, stride);
}

size_t sl_nn_global_pool(struct sl_nn_graph *g, size_t input)
{
    if (!fits(g, SL_NN_GLOBAL_POOL, "", input, BLOCKED)) return 0;
    struct sl_nn_node node = one_input(g, SL_NN_GLOBAL_POOL, input);
    node.shape = (struct sl_nn_shape){SL_NN_ROWS, node.shape.channels, 1, 1};
    return append_node(g, &node, "");
}

size_t sl_nn_flatten(struct sl_nn_graph *g, size_t input)
{
    if (!fits(g, SL_NN_FLATTEN, "", input, PLAIN | BLOCKED)) return 0;
    struct sl_nn_node node = one_input(g, SL_NN_FLATTEN, input);
    size_t features = node.shape.channels * node.shape.height * node.shape.width;
    node.shape = (struct sl_nn_shape){SL_NN_ROWS, features, 1, 1};
    return append_node(g, &node, "");
}

size_t sl_nn_linear(struct sl_nn_graph *g, size_t input, const char *name, size_t outputs)
{
    if (!fits(g, SL_NN_LINEAR, name, input, ROWS)) return 0;
    struct sl_nn_node node = one_input(g, SL_NN_LINEAR, input);
    node.shape.channels = outputs;
    node.as.linear.bias = true;
    return append_node(g, &node, name);
}

size_t sl_nn_score(struct sl_nn_graph *g, size_t input, const char *name)
{
    if (!fits(g, SL_NN_LINEAR, name, input, ROWS)) return 0;
    struct sl_nn_node node = one_input(g, SL_NN_LINEAR, input);
    node.shape.channels = 1;
    node.as.linear.normal = true;
    return append_node(g, &node, name);
}

size_t sl_nn_tanh(struct sl_nn_graph *g, size_t input)
{
    if (!fits(g, SL_NN_TANH, "", input, ROWS)) return 0;
    struct sl_nn_node node = one_input(g, SL_NN_TANH, input);
    return append_node(g, &node, "");
}

/* Checks a node with two inputs, which must have the same layout, height and width. The node's
 * shape is that of the first. */
static bool two_inputs(struct sl_nn_graph *g, enum sl_nn_op op, size_t a, size_t b,
                       struct sl_nn_node *out)
{
    if (!fits(g, op, "", a, BLOCKED | ROWS)) return false;
    if (!fits(g, op, "", b, 1U << shape_of(g, a)->layout)) return false;
    const struct sl_nn_shape *first = shape_of(g, a), *second = shape_of(g, b);
    if (first->height != second->height || first->width != second->width) {
        char where[PLACE_TEXT];
        sl_nn_graph_fail(g, SL_ERR_INPUT, "%s reads maps of %zu x %zu and %zu x %zu",
                         place(g, op, "", where), first->height, first->width, second->height,
                         second->width);
        return false;
    }
    *out = (struct sl_nn_node){.op = op, .input = {a, b}, .n_inputs = 2, .shape = *first};
    return true;
}

static size_t channels_differ(struct sl_nn_graph *g, const struct sl_nn_node *node)
{
    char where[PLACE_TEXT];
    return sl_nn_graph_fail(g, SL_ERR_INPUT, "%s cannot combine %zu channel%s with %zu",
                            place(g, node->op, "", where), shape_of(g, node->input[1])->channels,
                            sl_text_plural(shape_of(g, node->input[1])->channels, "", "s"),
                            node->shape.channels);
}

size_t sl_nn_add(struct sl_nn_graph *g, size_t a, size_t b)
{
    struct sl_nn_node node;
    if (!two_inputs(g, SL_NN_ADD, a, b, &node)) return 0;
    if (shape_of(g, b)->channels > node.shape.channels) return channels_differ(g, &node);
    return append_node(g, &node, "");
}

size_t sl_nn_weigh(struct sl_nn_graph *g, size_t input, size_t scores, size_t split)
{
    struct sl_nn_node node;
    char where[PLACE_TEXT];
    if (!fits(g, SL_NN_WEIGH, "", input, ROWS) || !two_inputs(g, SL_NN_WEIGH, input, scores, &node))
        return 0;
    if (shape_of(g, scores)->channels != 2 || split == 0 || split >= node.shape.channels)
        return sl_nn_graph_fail(g, SL_ERR_INPUT,
                                "%s weighs two parts of %zu channels, split at %zu, by %zu scores",
                                place(g, SL_NN_WEIGH, "", where), node.shape.channels, split,
                                shape_of(g, scores)->channels);
    node.as.weigh.split = split;
    return append_node(g, &node, "");
}

size_t sl_nn_subsample(struct sl_nn_graph *g, size_t input, size_t stride, size_t offset)
{
    if (!fits(g, SL_NN_SUBSAMPLE, "", input, BLOCKED)) return 0;
    if (is_too_small(g, SL_NN_SUBSAMPLE, "", input, stride)) return 0;
    const struct sl_nn_shape *in = shape_of(g, input);
    struct sl_nn_node node = one_input(g, SL_NN_SUBSAMPLE, input);
    node.shape.height = (in->height + stride - 1) / stride;
    node.shape.width = (in->width + stride - 1) / stride;
    node.as.subsample.stride = stride;
    node.as.subsample.offset = offset;
    return append_node(g, &node, "");
}

size_t sl_nn_concat(struct sl_nn_graph *g, size_t a, size_t b)
{
    struct sl_nn_node node;
    if (!two_inputs(g, SL_NN_CONCAT, a, b, &node)) return 0;
    node.shape.channels += shape_of(g, b)->channels;
    return append_node(g, &node, "");
}

size_t sl_nn_dropout(struct sl_nn_graph *g, size_t input, float rate)
{
    if (!fits(g, SL_NN_DROPOUT, "", input, BLOCKED | ROWS)) return 0;
    if (!(rate >= 0 && rate < 1))
        return sl_nn_graph_fail(g, SL_ERR_INPUT,
                                "a dropout rate of %g is out of range; give 0 to below 1",
                                (double)rate);
    struct sl_nn_node node = one_input(g, SL_NN_DROPOUT, input);
    node.as.dropout.rate = rate;
    return append_node(g, &node, "");
}

size_t sl_nn_shake(struct sl_nn_graph *g, size_t a, size_t b)
{
    struct sl_nn_node node;
    if (!two_inputs(g, SL_NN_SHAKE, a, b, &node)) return 0;
    if (shape_of(g, b)->channels != node.shape.channels) return channels_differ(g, &node);
    return append_node(g, &node, "");
}

size_t sl_nn_embed(struct sl_nn_graph *g, size_t ids, const char *name, size_t count, size_t width)
{
    if (!fits(g, SL_NN_EMBED, name, ids, IDS)) return 0;
    if (count == 0) return sl_nn_graph_fail(g, SL_ERR_INPUT, "%s has no ids", name);
    struct sl_nn_node node = one_input(g, SL_NN_EMBED, ids);
    node.shape.layout = SL_NN_SEQUENCE;
    node.shape.channels = width;
    node.as.embed.count = count;
    return append_node(g, &node, name);
}

size_t sl_nn_lstm(struct sl_nn_graph *g, size_t input, const char *name, size_t hidden,
                  bool both_directions)
{
    if (!fits(g, SL_NN_LSTM, name, input, SEQUENCE)) return 0;
    struct sl_nn_node node = one_input(g, SL_NN_LSTM, input);
    node.shape.channels = both_directions ? 2 * hidden : hidden;
    node.as.lstm.both = both_directions;
    return append_node(g, &node, name);
}

size_t sl_nn_pick(struct sl_nn_graph *g, size_t input, bool at_position, size_t step)
{
    if (!fits(g, SL_NN_PICK, "", input, SEQUENCE)) return 0;
    const struct sl_nn_shape *in = shape_of(g, input);
    if (!at_position && step != SL_NN_LAST_STEP && step >= in->height)
        return sl_nn_graph_fail(g, SL_ERR_INPUT,
                                "step %zu is beyond the end of sequences of %zu step%s", step,
                                in->height, sl_text_plural(in->height, "", "s"));
    struct sl_nn_node node = one_input(g, SL_NN_PICK, input);
    node.shape = (struct sl_nn_shape){SL_NN_ROWS, in->channels, 1, 1};
    node.as.pick.at_position = at_position;
    node.as.pick.step = at_position ? 0 : step;
    return append_node(g, &node, "");
}
