/* Weights: models on disk. Safetensors with PyTorch's state_dict names and shapes, both ways; ONNX
 * one way; checkpoints that a training can go on from to the bit. All are written atomically. */
#ifndef SOFTLAB_NN_WEIGHTS_H
#define SOFTLAB_NN_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

#include "softlab/base/declare.h"
#include "softlab/nn.h"

SL_BEGIN_DECLS

struct sl_metadata;

/* Values and state; metadata holds the network, its input, its classes with their names if they
 * have any, its vocabulary if it has one, and what the caller adds. */
enum sl_status sl_weights_write(const char *path, struct sl_model *model,
                                const struct sl_metadata *extra, size_t n_extra,
                                struct sl_error *err) SL_MUST_USE;

/* Read a state_dict into a model of the same network. SL_ERR_INPUT naming the first tensor that is
 * missing, extra, mis-shaped or holds NaN or infinity; the model is unchanged on failure.
 * num_batches_tracked is passed over. A vocabulary other than the model's is SL_ERR_INPUT too, and
 * so are other names of classes or another order of them; a model without names takes the file's.
 */
enum sl_status sl_weights_read(const char *path, struct sl_model *model,
                               struct sl_error *err) SL_MUST_USE;

/* Make the model that a file of ours describes, and read it. */
enum sl_status sl_weights_open(const char *path, struct sl_model **out,
                               struct sl_error *err) SL_MUST_USE;

/* The names of classes that a file has, `count` and a NULL behind them, for sl_names_destroy; *out
 * is NULL if it has none, as PyTorch's have not. */
enum sl_status sl_weights_class_names(const char *path, char ***out, size_t *count,
                                      struct sl_error *err) SL_MUST_USE;

/* The network as ONNX (opset 13) with one input "input" (N, channels, height, width) and one output
 * "logits" (N, classes), N free; evaluation mode. Metadata hold the network, the number of classes
 * and their names. Image networks only. */
enum sl_status sl_onnx_write(const char *path, struct sl_model *model,
                             struct sl_error *err) SL_MUST_USE;

/* A checkpoint: the model, any number of flat float buffers beside it (velocity, moments) and one
 * JSON text (epoch, step, seed: random streams are named, so their names are their state). */
struct sl_checkpoint_buffer {
    const char *name;
    float *values; /* written from, or read into */
    size_t count;
};
enum sl_status sl_checkpoint_write(const char *path, struct sl_model *model,
                                   const struct sl_checkpoint_buffer *buffers, size_t n_buffers,
                                   const char *progress_json, struct sl_error *err) SL_MUST_USE;
/* All or nothing: on failure neither the model nor a buffer is changed. *progress_json is owned
 * by the caller. Names of classes are compared where both have some. */
enum sl_status sl_checkpoint_read(const char *path, struct sl_model *model,
                                  const struct sl_checkpoint_buffer *buffers, size_t n_buffers,
                                  char **progress_json, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
