/* Weights: models on disk. Reads and writes safetensors with PyTorch's state_dict names and shapes,
 * writes ONNX, and reads and writes checkpoints from which training resumes bit for bit. All files
 * are written atomically. */
#ifndef SOFTLAB_NN_WEIGHTS_H
#define SOFTLAB_NN_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

#include "softlab/base/declare.h"
#include "softlab/nn.h"

SL_BEGIN_DECLS

struct sl_metadata;

/* Write values and state. The metadata hold the network, its input, its classes, their names and
 * its vocabulary (if it has them), and the caller's extra entries. */
enum sl_status sl_weights_write(const char *path, struct sl_model *model,
                                const struct sl_metadata *extra, size_t n_extra,
                                struct sl_error *err) SL_MUST_USE;

/* Read a state_dict into a model of the same network. SL_ERR_INPUT names the first tensor that is
 * missing, extra, of the wrong shape, or holds NaN or infinity. It is also the status if the
 * vocabulary, the class names or their order differ from the model's. A model without class names
 * takes those of the file. num_batches_tracked is ignored. On failure the model is unchanged. */
enum sl_status sl_weights_read(const char *path, struct sl_model *model,
                               struct sl_error *err) SL_MUST_USE;

/* Create the model that a file written by softlab describes, and read its weights. */
enum sl_status sl_weights_open(const char *path, struct sl_model **out,
                               struct sl_error *err) SL_MUST_USE;

/* The class names of a file: `count` of them and a NULL, for sl_names_destroy. *out is NULL if the
 * file has none; PyTorch's files have none. */
enum sl_status sl_weights_class_names(const char *path, char ***out, size_t *count,
                                      struct sl_error *err) SL_MUST_USE;

/* Write the network as ONNX (opset 13) in evaluation mode, with one input "input" (N, channels,
 * height, width) and one output "logits" (N, classes), for any N. The metadata hold the network,
 * the number of classes and their names. Not for networks that read texts. */
enum sl_status sl_onnx_write(const char *path, struct sl_model *model,
                             struct sl_error *err) SL_MUST_USE;

/* A checkpoint holds the model, any number of flat float buffers (velocity, moments) and one JSON
 * text (epoch, step, seed). Random streams are identified by name, so they have no state to
 * save. */
struct sl_checkpoint_buffer {
    const char *name;
    float *values; /* source of a write, target of a read */
    size_t count;
};
enum sl_status sl_checkpoint_write(const char *path, struct sl_model *model,
                                   const struct sl_checkpoint_buffer *buffers, size_t n_buffers,
                                   const char *progress_json, struct sl_error *err) SL_MUST_USE;
/* On failure neither the model nor any buffer is changed. The caller owns *progress_json. Class
 * names are compared if both the file and the model have them. */
enum sl_status sl_checkpoint_read(const char *path, struct sl_model *model,
                                  const struct sl_checkpoint_buffer *buffers, size_t n_buffers,
                                  char **progress_json, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
