/* Layer: a part of a plan. A unit is one or more nodes of the graph that run as one, such as batch
 * norm, addition and ReLU. A layer type compiles a unit and runs it. The type says how much memory
 * it needs; the plan places that memory and passes it to every run. */
#ifndef SOFTLAB_NN_LAYERS_LAYER_H
#define SOFTLAB_NN_LAYERS_LAYER_H

#include <stdbool.h>
#include <stddef.h>

#include "nn/conv/conv.h"
#include "nn/graph/graph.h"
#include "nn/kernels/kernels.h"
#include "nn/tensor.h"

struct sl_tuning;

#define SL_NN_NO_NODE      ((size_t)-1)
#define SL_NN_NORM_EPSILON 1e-5 /* PyTorch's epsilon under the root of every batch norm */

struct sl_nn_unit {
    const struct sl_nn_graph *graph;
    size_t node;     /* the node that decides the layer type */
    size_t norm;     /* evaluation only: the batch norm folded into a convolution; or none */
    bool add;        /* input[1] is added to the result (convolution, batch norm) */
    bool relu;       /* negative results then become 0 */
    size_t input[2]; /* nodes whose tensors the unit reads */
    size_t n_inputs;
    size_t output; /* the node whose tensor the unit makes */
    size_t images;
    bool training;          /* batch statistics and noise */
    bool gradients;         /* compute the gradients of its values */
    bool input_gradient[2]; /* compute the gradient of input k */
    size_t statistics_from; /* batch norm: the channels below this one have statistics already */
    size_t threads;         /* of the plan's pool, at least 1 */
    const struct sl_tuning *tuning; /* borrowed while compiling */
    const struct sl_nn_kernels *kernels;
    /* Offsets of the tensors of `node` (and of `norm`), in the order of sl_nn_node_tensors, in the
     * flat values or the flat state. */
    size_t offset[SL_NN_NODE_TENSORS];
    size_t norm_offset[SL_NN_NODE_TENSORS];
};

/* What a compiled unit needs from the plan; all zero if it needs nothing. */
struct sl_nn_needs {
    bool input_in_backward[2]; /* backward reads input k */
    bool output_in_backward;
    bool passes[2];    /* the gradient of input k is the upstream gradient itself */
    bool masks;        /* that gradient first passes the unit's ReLU, in backward */
    bool overwrites;   /* the gradient of input 0 may overwrite the upstream gradient */
    bool adds[2];      /* backward can add an existing gradient to that of input k */
    size_t kept;       /* bytes written by forward for backward */
    size_t prepared;   /* bytes that live as long as the plan */
    size_t scratch[2]; /* bytes needed during a forward run, a backward run */
    size_t noise;      /* floats of noise */
};

/* The arguments of a run of a unit. */
struct sl_nn_args {
    const struct sl_batch *batch;
    const float *values; /* the model's */
    float *state;        /* the model's */
    float *gradients;    /* flat, like values */
    struct sl_nn_tensor input[2], output;
    struct sl_nn_tensor upstream;          /* backward: the gradient of the output */
    struct sl_nn_tensor input_gradient[2]; /* backward: to write; data NULL: not needed */
    struct sl_nn_tensor add[2];            /* backward: to add to it; data NULL: nothing */
    struct sl_nn_tensor masked;            /* backward: upstream behind the ReLU; data NULL: none */
    float *mean, *variance; /* batch norm: of the input's channels; a dense block shares them */
    void *kept, *prepared, *scratch;
    float *noise;
    size_t first_image;      /* the number in the batch of the tensors' first image */
    struct sl_pool *pool;    /* NULL: the calling thread alone */
    double *weights_seconds; /* backward-weights of a convolution adds its time; or NULL */
};

struct sl_nn_layer_type {
    const char *name; /* "conv" */
    bool strided;     /* it can read and write the first channels of a larger tensor */
    /* Images do not depend on each other and it keeps nothing but noise: the plan may run some
     * images at a time, on several threads. */
    bool by_image;
    enum sl_status (*create)(const struct sl_nn_unit *unit, struct sl_nn_needs *needs, void **state,
                             struct sl_error *err);
    void (*destroy)(void *state); /* accepts NULL */
    /* Renew the copies in `prepared` after values or state have changed. May be NULL. */
    void (*prepare)(void *state, const struct sl_nn_args *args);
    void (*forward)(void *state, const struct sl_nn_args *args);
    /* Writes the gradients of the layer's values and of the inputs that need one. */
    void (*backward)(void *state, const struct sl_nn_args *args);
    /* The name of the implementation of a direction; NULL: there is only one. */
    const char *(*kernel)(const void *state, enum sl_nn_direction direction);
};
/* The layer type of each operation; NULL for inputs. */
extern const struct sl_nn_layer_type *const sl_nn_layer_types[SL_NN_N_OPS];

extern const struct sl_nn_layer_type sl_nn_layer_normalise, sl_nn_layer_conv,
    sl_nn_layer_batch_norm, sl_nn_layer_relu, sl_nn_layer_pool, sl_nn_layer_global_pool,
    sl_nn_layer_flatten, sl_nn_layer_linear, sl_nn_layer_add, sl_nn_layer_subsample,
    sl_nn_layer_concat, sl_nn_layer_dropout, sl_nn_layer_shake, sl_nn_layer_embed, sl_nn_layer_lstm,
    sl_nn_layer_pick, sl_nn_layer_tanh, sl_nn_layer_weigh;

#endif
