/* Graph: a network without batch size or buffers. Nodes are in running order; each makes one tensor
 * and names its inputs by node number. Families build graphs with the sl_nn_<op> functions below,
 * which compute shapes. The graph keeps the first failure, and sl_nn_graph_check reports it, so
 * that families read like PyTorch modules. */
#ifndef SOFTLAB_NN_GRAPH_GRAPH_H
#define SOFTLAB_NN_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/nn.h"

/* The step of a pick that takes the last real step of every row. For a bidirectional LSTM this is
 * the end of each direction (PyTorch's h_n). */
#define SL_NN_LAST_STEP ((size_t)-1)

enum sl_nn_op {
    SL_NN_PIXELS,       /* the images, or rows of features */
    SL_NN_WORDS,        /* word ids */
    SL_NN_LETTERS,      /* letter ids */
    SL_NN_NORMALISE,    /* (x - mean) / deviation, per channel */
    SL_NN_CONV,         /* 2-D convolution, square kernel */
    SL_NN_BATCH_NORM,   /* eps 1e-5, momentum .1 */
    SL_NN_RELU,         /* slope below zero: 0, or LeakyReLU's */
    SL_NN_MAX_POOL,     /* ceil mode */
    SL_NN_AVERAGE_POOL, /* ceil mode, padding not counted */
    SL_NN_GLOBAL_POOL,  /* mean over the map: rows */
    SL_NN_FLATTEN,      /* map to rows, in PyTorch's (C, H, W) order */
    SL_NN_LINEAR,
    SL_NN_ADD,       /* the second input may have fewer channels; missing ones count as zero */
    SL_NN_SUBSAMPLE, /* pixel (i, j) is x(offset + i stride, offset + j stride), or 0 outside */
    SL_NN_CONCAT,    /* channels of two tensors */
    SL_NN_DROPOUT,
    SL_NN_SHAKE, /* alpha a + (1 - alpha) b; backward with beta */
    SL_NN_EMBED, /* ids to fixed vectors: a sequence */
    SL_NN_LSTM,  /* one layer, both directions, PyTorch's gates and two biases */
    SL_NN_PICK,  /* one step of a sequence: rows */
    SL_NN_TANH,
    SL_NN_WEIGH, /* two parts of a row, weighted by the softmax of two scores */
    SL_NN_N_OPS
};

/* The memory layout of a tensor; outside images, channels are features. */
enum sl_nn_layout {
    SL_NN_PLAIN,    /* (n, channels, height, width): the input images only */
    SL_NN_BLOCKED,  /* nChw8c: (n, blocks of 8 channels, height, width, 8), tail lanes zero */
    SL_NN_ROWS,     /* (n, channels) */
    SL_NN_SEQUENCE, /* (height steps, n, channels) */
    SL_NN_IDS,      /* int32 (n, height) */
};
struct sl_nn_shape {
    enum sl_nn_layout layout;
    size_t channels, height, width;
};

struct sl_nn_node {
    enum sl_nn_op op;
    size_t input[2]; /* node numbers, all smaller than this node's own */
    size_t n_inputs;
    char *name;               /* owned; PyTorch's module path, "" where there are no parameters */
    struct sl_nn_shape shape; /* of its output */
    union {
        struct {
            size_t kernel, stride, pad, groups;
            bool bias;
        } conv; /* output channels: shape.channels */
        struct {
            float *mean, *deviation; /* owned; per channel */
        } normalise;
        struct {
            size_t kernel, stride, pad;
        } pool;
        struct {
            bool bias;
            bool normal; /* weights begin as N(0, 1), as torch.randn draws them */
        } linear;
        struct {
            size_t stride, offset;
        } subsample;
        struct {
            float slope;
        } relu;
        struct {
            float rate;
        } dropout;
        struct {
            size_t count; /* number of distinct ids */
        } embed;
        struct {
            bool both; /* both directions; shape.channels is hidden or 2 hidden */
        } lstm;
        struct {
            bool at_position; /* take the step of sl_batch.positions instead of `step` */
            size_t step;
        } pick;
        struct {
            size_t split; /* where the second part begins */
        } weigh;
    } as;
};

enum sl_nn_fan { SL_NN_UNIFORM_FAN_IN, SL_NN_KAIMING_OUT, SL_NN_KAIMING_IN };
/* How the paper's code draws initial values, where that is not PyTorch's default. */
struct sl_nn_init_rule {
    enum sl_nn_fan conv;
    bool gamma_uniform; /* U(0,1) rather than 1 */
    bool zero_linear_bias;
    bool zero_conv_bias;
};

struct sl_nn_graph {
    struct sl_nn_node *nodes; /* owned */
    size_t count, capacity;
    size_t classes;
    struct sl_nn_init_rule paper_init;
    enum sl_status status; /* the first failure */
    struct sl_error error;
};

void sl_nn_graph_init(struct sl_nn_graph *graph);
void sl_nn_graph_release(struct sl_nn_graph *graph);
/* Fail with the first failure while building, or if the last node does not make rows of
 * `classes`. */
enum sl_status sl_nn_graph_check(const struct sl_nn_graph *graph, struct sl_error *err) SL_MUST_USE;

/* Record a failure unless the graph has one already; returns 0. For checks that only a family can
 * make. */
size_t sl_nn_graph_fail(struct sl_nn_graph *graph, enum sl_status code, const char *format, ...)
    SL_PRINTF(3, 4);

/* "conv", "batch-norm", ...: for messages and tables. */
const char *sl_nn_op_name(enum sl_nn_op op);

/* Each function appends a node and returns its number. After a failure it appends nothing and
 * returns 0. Names are copied. */
size_t sl_nn_pixels(struct sl_nn_graph *g, size_t channels, size_t height, size_t width);
size_t sl_nn_ids(struct sl_nn_graph *g, enum sl_nn_op words_or_letters, size_t steps);
size_t sl_nn_normalise(struct sl_nn_graph *g, size_t input, const float *mean,
                       const float *deviation);
struct sl_nn_conv_spec {
    size_t channels, kernel, stride, pad, groups; /* groups 0 means 1, stride 0 means 1 */
    bool bias;
};
size_t sl_nn_conv(struct sl_nn_graph *g, size_t input, const char *name,
                  struct sl_nn_conv_spec spec);
size_t sl_nn_batch_norm(struct sl_nn_graph *g, size_t input, const char *name);
size_t sl_nn_relu(struct sl_nn_graph *g, size_t input, float slope);
size_t sl_nn_max_pool(struct sl_nn_graph *g, size_t input, size_t kernel, size_t stride);
size_t sl_nn_average_pool(struct sl_nn_graph *g, size_t input, size_t kernel, size_t stride);
size_t sl_nn_global_pool(struct sl_nn_graph *g, size_t input);
size_t sl_nn_flatten(struct sl_nn_graph *g, size_t input);
size_t sl_nn_linear(struct sl_nn_graph *g, size_t input, const char *name, size_t outputs);
/* One number per row: its product with a trained vector, without a bias. The vector is initialised
 * from N(0, 1). */
size_t sl_nn_score(struct sl_nn_graph *g, size_t input, const char *name);
size_t sl_nn_tanh(struct sl_nn_graph *g, size_t input);
size_t sl_nn_weigh(struct sl_nn_graph *g, size_t input, size_t scores, size_t split);
size_t sl_nn_add(struct sl_nn_graph *g, size_t a, size_t b);
size_t sl_nn_subsample(struct sl_nn_graph *g, size_t input, size_t stride, size_t offset);
size_t sl_nn_concat(struct sl_nn_graph *g, size_t a, size_t b);
size_t sl_nn_dropout(struct sl_nn_graph *g, size_t input, float rate);
size_t sl_nn_shake(struct sl_nn_graph *g, size_t a, size_t b);
size_t sl_nn_embed(struct sl_nn_graph *g, size_t ids, const char *name, size_t count, size_t width);
size_t sl_nn_lstm(struct sl_nn_graph *g, size_t input, const char *name, size_t hidden,
                  bool both_directions);
size_t sl_nn_pick(struct sl_nn_graph *g, size_t input, bool at_position, size_t step);

/* Describe the tensors of a node in PyTorch's order; returns their number, at most
 * SL_NN_NODE_TENSORS. Names are suffixes (".weight"). */
enum { SL_NN_NODE_TENSORS = 8 };
struct sl_nn_tensor_spec {
    const char *suffix;
    enum sl_tensor_kind kind;
    size_t rank, dims[4];
};
size_t sl_nn_node_tensors(const struct sl_nn_graph *graph, size_t node,
                          struct sl_nn_tensor_spec out[SL_NN_NODE_TENSORS]);

/* Multiply-adds of one item's forward pass through a node. Convolutions, linear layers and LSTMs
 * count; other layers cost 0. */
uint64_t sl_nn_node_multiply_adds(const struct sl_nn_graph *graph, size_t node);

/* Build the graph of a named network or of a family with options. *spec (owned by the caller)
 * becomes the family with every option. */
enum sl_status sl_nn_build(const struct sl_model_options *options, struct sl_nn_graph *graph,
                           char **spec, struct sl_error *err) SL_MUST_USE;

#endif
