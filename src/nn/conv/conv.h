/* Convolution: the table of kernels. A kernel takes a task (shape, direction) and creates an object
 * that runs it. Activations are nChw8c with zero tail lanes; only the input images are plain nchw.
 * Weights and their gradients are the model's own, OIHW. A kernel that needs another layout copies
 * them in `prepare`, which runs after every change of the weights. */
#ifndef SOFTLAB_NN_CONV_CONV_H
#define SOFTLAB_NN_CONV_CONV_H

#include <stdbool.h>
#include <stddef.h>

#include "nn/graph/graph.h"
#include "softlab/base/error.h"
#include "softlab/pool.h"

enum sl_nn_direction { SL_NN_FORWARD, SL_NN_BACKWARD_DATA, SL_NN_BACKWARD_WEIGHTS };

struct sl_nn_conv_task {
    enum sl_nn_direction direction;
    size_t images;
    size_t in_channels, height, width;          /* of the layer's input, whatever the direction */
    size_t out_channels, out_height, out_width; /* of its output */
    size_t kernel, stride, pad, groups;
    bool plain_input; /* the input is nchw */
    bool bias;        /* forward adds the bias, backward-weights computes its gradient */
    bool add;         /* forward and backward-data add `add` to the result */
    bool relu;        /* forward: negative results become 0, after bias and add */
    size_t threads;   /* of the pool that runs get, at least 1; for the size of the scratch only */
};

/* The arguments of one run. */
struct sl_nn_conv_args {
    const float *input;    /* forward, backward-weights */
    const float *upstream; /* backward: the gradient of the layer's output */
    const float *weights;  /* (out, in / groups, kernel, kernel) */
    const float *bias;     /* (out) */
    const float *add;      /* layout of the result; may be the result itself; NULL: none */
    float *result;         /* output, input gradient, or weight gradient */
    float *bias_gradient;  /* backward-weights, overwritten */
    void *prepared;        /* sl_nn_conv.prepared_bytes, kept between runs; 64-byte aligned */
    void *scratch;         /* sl_nn_conv.scratch_bytes, for one run; 64-byte aligned */
    struct sl_pool *pool;  /* task.threads threads; NULL: the calling thread alone */
};

struct sl_nn_conv_kernel;
/* A task ready to run. */
struct sl_nn_conv {
    const struct sl_nn_conv_kernel *kernel;
    size_t prepared_bytes, scratch_bytes;
    void *state; /* private to the kernel */
};

struct sl_nn_conv_kernel {
    const char *name;
    const char *summary;
    /* True if the kernel can do the task on this processor. */
    bool (*suits)(const struct sl_nn_conv_task *task);
    /* Fills state, prepared_bytes and scratch_bytes of a conv whose kernel is set. */
    enum sl_status (*create)(const struct sl_nn_conv_task *task, struct sl_nn_conv *conv,
                             struct sl_error *err);
    void (*destroy)(struct sl_nn_conv *conv);
    void (*prepare)(const struct sl_nn_conv *conv,
                    const struct sl_nn_conv_args *args); /* or NULL */
    void (*run)(const struct sl_nn_conv *conv, const struct sl_nn_conv_args *args);
};
/* The table, in order of preference for tasks that the tuning table lacks. The last kernel suits
 * every task. Ends with NULL. */
extern const struct sl_nn_conv_kernel *const sl_nn_conv_kernels[];

const struct sl_nn_conv_kernel *sl_nn_conv_find(const char *name); /* NULL: unknown name */

/* The task of convolution `node` for a batch of `images`, without add and ReLU. */
struct sl_nn_conv_task sl_nn_conv_task_of(const struct sl_nn_graph *graph, size_t node,
                                          size_t images, enum sl_nn_direction direction);

struct sl_tuning;
/* The kernel that `tuning` (NULL: the built-in table) names for the task, if it suits; otherwise
 * the first that suits. NULL if none does. */
const struct sl_nn_conv_kernel *sl_nn_conv_choose(const struct sl_tuning *tuning,
                                                  const struct sl_nn_conv_task *task);

#endif
