/* Shared by the readers and writers of models on disk and by their tests. Private to nn/files/. */
#ifndef SOFTLAB_NN_FILES_WEIGHTS_H
#define SOFTLAB_NN_FILES_WEIGHTS_H

#include "nn/graph/model.h"
#include "softlab/base/safetensors.h"

/* Like sl_weights_read, for an open file that messages call `path`. */
enum sl_status sl_nn_weights_load(struct sl_safetensors *file, const char *path,
                                  struct sl_model *model, struct sl_error *err) SL_MUST_USE;

/* The keys of a file's metadata. */
enum {
    SL_NN_METADATA_SOFTLAB,   /* version of softlab */
    SL_NN_METADATA_NETWORK,   /* as the user named it */
    SL_NN_METADATA_SPEC,      /* the family with every option */
    SL_NN_METADATA_CLASSES,   /* a number */
    SL_NN_METADATA_NAMES,     /* ["cat","dog"]; absent if classes have no names */
    SL_NN_METADATA_INPUT,     /* {"channels":3,"height":32,"width":32}: struct sl_input_shape */
    SL_NN_METADATA_NORMALISE, /* {"mean":[...],"deviation":[...]}, {} if there is no such layer */
    SL_NN_N_METADATA
};
extern const char *const sl_nn_metadata_keys[SL_NN_N_METADATA];

/* Describe a model. The caller frees the values one by one; the value of an absent key is NULL. */
void sl_nn_metadata_describe(const struct sl_model *model, char *values[SL_NN_N_METADATA]);

/* The class names of a file, for sl_names_destroy; *out is NULL if it has none. SL_ERR_INPUT unless
 * there are n_classes of them. */
enum sl_status sl_nn_metadata_names(const struct sl_safetensors *file, const char *path,
                                    size_t n_classes, char ***out,
                                    struct sl_error *err) SL_MUST_USE;

/* SL_ERR_INPUT, with both names, if the file is of another network than the model. A file without a
 * network, such as PyTorch's, and a model without a name are accepted. */
enum sl_status sl_nn_metadata_check(const struct sl_safetensors *file, const char *path,
                                    const struct sl_model *model, struct sl_error *err) SL_MUST_USE;

/* The options of the model that was written. Texts are borrowed from the file. The caller frees
 * *numbers, to which mean and deviation point. */
enum sl_status sl_nn_metadata_options(const struct sl_safetensors *file, const char *path,
                                      struct sl_model_options *out, float **numbers,
                                      struct sl_error *err) SL_MUST_USE;

#endif
