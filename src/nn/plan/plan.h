/* Plan: a model compiled for one batch size. build.c decides the order of the units and their
 * memory; plan.c runs them. Private to nn/plan/. */
#ifndef SOFTLAB_NN_PLAN_PLAN_H
#define SOFTLAB_NN_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "nn/graph/model.h"
#include "nn/layers/layer.h"
#include "nn/plan/buffer_layout.h"

/* Buffer numbers that stand for memory outside the plan. */
#define SL_NN_NOWHERE        ((size_t)-1)
#define SL_NN_CALLERS_PIXELS ((size_t)-2)
#define SL_NN_CALLERS_LOGITS ((size_t)-3) /* the gradient of the logits */

/* A tensor and its buffer. */
struct sl_nn_slot {
    size_t buffer;
    struct sl_nn_tensor tensor; /* data is set once all buffers are placed */
};

/* An addition after a unit's backward run: out = a + b, or a copy of a if b is nowhere. */
struct sl_nn_mend {
    struct sl_nn_slot a, b, out;
};
enum { SL_NN_MENDS = 2 };

struct sl_nn_step {
    struct sl_nn_unit unit;
    const struct sl_nn_layer_type *type;
    void *state; /* owned; private to the layer type */
    struct sl_nn_needs needs;
    bool backward; /* it runs in the backward pass */
    struct sl_nn_slot input[2], output, upstream, input_gradient[2], add[2], masked;
    size_t kept, scratch[2], statistics; /* buffers */
    size_t prepared, noise;              /* offsets in the plan's lasting memory and noise */
    struct sl_nn_mend mends[SL_NN_MENDS];
    size_t n_mends;
    struct sl_nn_args args;
    void *scratch_place[2]; /* of forward, of backward */
    size_t profile;         /* index of its first row */
    double weights_seconds;
};

struct sl_plan {
    struct sl_model *model; /* borrowed */
    struct sl_plan_options options;
    const struct sl_nn_kernels *kernels;
    struct sl_nn_step *steps; /* owned */
    size_t n_steps;
    struct sl_batch batch;    /* of the current run */
    struct sl_nn_slot logits; /* the last step's output */
    struct sl_nn_slot pixels_gradient;
    char *memory; /* activations, their gradients, scratch; may be another plan's */
    size_t memory_bytes;
    bool owns_memory;
    char *lasting; /* owned; copies of the weights */
    size_t lasting_bytes;
    float *noise; /* owned */
    size_t n_noise;
    float *gradients; /* flat; may be another plan's */
    bool owns_gradients;
    uint64_t prepared_version;      /* of the model at the last prepare */
    struct sl_profile_row *profile; /* owned */
    size_t n_profile;
};

/* Fill steps, logits, pixels_gradient and the sizes and offsets of buffers. The caller owns
 * *buffers. The tensors have no data yet. */
enum sl_status sl_nn_plan_build(struct sl_plan *plan, struct sl_nn_buffer **buffers,
                                struct sl_error *err) SL_MUST_USE;

#endif
