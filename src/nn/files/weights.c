/* Reads and writes a model as safetensors. A file is read and checked completely before the model
 * is changed. */
#include "nn/files/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/nn/weights.h"

static const char vocabulary_key[] = "vocabulary";

/* ---- Writing ---- */

/* Index of the first value that is NaN or infinite; `count` if all are finite. */
static size_t find_not_finite(const float *values, size_t count)
{
    size_t i = 0;
    while (i < count && isfinite(values[i]))
        i++;
    return i;
}

static float *tensor_data(const struct sl_model *model, const struct sl_tensor_info *info)
{
    return (info->kind == SL_TENSOR_VALUE ? model->values : model->state) + info->offset;
}

/* Refuse to write a model that sl_weights_read would refuse. */
static enum sl_status check_model(const char *path, const struct sl_model *model,
                                  struct sl_error *err)
{
    for (size_t i = 0; i < model->n_tensors; i++) {
        const struct sl_tensor_info *info = &model->tensors[i];
        const float *values = tensor_data(model, info);
        const size_t bad = find_not_finite(values, info->count);
        if (bad < info->count)
            return sl_fail(err, SL_ERR_NUMERIC, "%s is not written: %s[%zu] is %g", path,
                           info->name, bad, (double)values[bad]);
    }
    return SL_OK;
}

/* List the model's tensors without copying their data. */
static void list_tensors(const struct sl_model *model, struct sl_array *arrays,
                         struct sl_named_array *tensors)
{
    for (size_t i = 0; i < model->n_tensors; i++) {
        const struct sl_tensor_info *info = &model->tensors[i];
        arrays[i] = (struct sl_array){.dtype = SL_F4,
                                      .item_size = sizeof(float),
                                      .n_dimensions = info->rank,
                                      .data = tensor_data(model, info)};
        memcpy(arrays[i].shape, info->dims, sizeof info->dims);
        tensors[i] = (struct sl_named_array){info->name, &arrays[i]};
    }
}

enum sl_status sl_weights_write(const char *path, struct sl_model *model,
                                const struct sl_metadata *extra, size_t n_extra,
                                struct sl_error *err)
{
    SL_TRY(check_model(path, model, err));
    char *texts[SL_NN_N_METADATA];
    struct sl_array *arrays = sl_alloc(model->n_tensors, sizeof *arrays);
    struct sl_named_array *tensors = sl_alloc(model->n_tensors, sizeof *tensors);
    struct sl_metadata *metadata = sl_alloc(SL_NN_N_METADATA + 2 + n_extra, sizeof *metadata);
    size_t n_metadata = 0;
    sl_nn_metadata_describe(model, texts);
    for (size_t i = 0; i < SL_NN_N_METADATA; i++)
        if (texts[i])
            metadata[n_metadata++] = (struct sl_metadata){sl_nn_metadata_keys[i], texts[i]};
    /* Python libraries require this entry to recognise PyTorch files. */
    metadata[n_metadata++] = (struct sl_metadata){"format", "pt"};
    if (model->vocabulary)
        metadata[n_metadata++] = (struct sl_metadata){vocabulary_key, model->vocabulary};
    for (size_t i = 0; i < n_extra; i++)
        metadata[n_metadata++] = extra[i];
    list_tensors(model, arrays, tensors);
    enum sl_status status =
        sl_safetensors_write(path, tensors, model->n_tensors, metadata, n_metadata, err);
    sl_strings_release(texts, SL_NN_N_METADATA);
    free(metadata);
    free(tensors);
    free(arrays);
    return status;
}

/* ---- Reading ---- */

static const char *dtype_words(enum sl_dtype dtype)
{
    static const char *const words[] = {
        [SL_F4] = "32-bit floats",   [SL_F8] = "64-bit floats", [SL_I4] = "32-bit integers",
        [SL_I8] = "64-bit integers", [SL_U1] = "bytes",         [SL_BOOL] = "booleans",
        [SL_TEXT] = "text",
    };
    return words[dtype];
}

static bool has_suffix(const char *name, const char *suffix)
{
    const size_t length = strlen(name), tail = strlen(suffix);
    return length >= tail && strcmp(name + length - tail, suffix) == 0;
}

static enum sl_status check_shape(const struct sl_array *array, const struct sl_tensor_info *info,
                                  const char *path, struct sl_error *err)
{
    if (array->n_dimensions == info->rank &&
        memcmp(array->shape, info->dims, info->rank * sizeof *info->dims) == 0)
        return SL_OK;
    struct sl_array wanted = {.n_dimensions = info->rank};
    memcpy(wanted.shape, info->dims, sizeof info->dims);
    char have[128], want[128];
    return sl_fail(err, SL_ERR_INPUT, "%s is %s in %s, but the network needs %s", info->name,
                   sl_array_shape_text(array, have, sizeof have), path,
                   sl_array_shape_text(&wanted, want, sizeof want));
}

static enum sl_status check_numbers(const struct sl_array *array, const struct sl_tensor_info *info,
                                    const char *path, struct sl_error *err)
{
    if (array->dtype != SL_F4)
        return sl_fail(err, SL_ERR_INPUT, "%s holds %s in %s, but the network needs %s", info->name,
                       dtype_words(array->dtype), path, dtype_words(SL_F4));
    const float *values = array->data;
    size_t bad = find_not_finite(values, info->count);
    if (bad < info->count)
        return sl_fail(err, SL_ERR_INPUT, "%s[%zu] is %g in %s", info->name, bad,
                       (double)values[bad], path);
    if (!has_suffix(info->name, "running_var")) return SL_OK;
    for (bad = 0; bad < info->count; bad++)
        if (values[bad] < 0)
            return sl_fail(err, SL_ERR_INPUT,
                           "%s[%zu] is %g in %s, but a variance cannot be negative", info->name,
                           bad, (double)values[bad], path);
    return SL_OK;
}

static enum sl_status stage_tensor(struct sl_safetensors *file, const char *path,
                                   const struct sl_tensor_info *info, float *out,
                                   struct sl_error *err)
{
    struct sl_array array = {0};
    enum sl_status status = sl_safetensors_read(file, info->name, &array, err);
    if (status == SL_ERR_NOT_FOUND)
        return sl_fail(err, SL_ERR_INPUT, "%s has no tensor %s, which the network needs", path,
                       info->name);
    if (status != SL_OK) return status;
    SL_TRY_OUT(check_shape(&array, info, path, err));
    SL_TRY_OUT(check_numbers(&array, info, path, err));
    if (info->count) memcpy(out, array.data, info->count * sizeof *out);
out:
    sl_array_release(&array);
    return status;
}

/* Fail for tensors that the model lacks. num_batches_tracked is accepted: PyTorch saves it for
 * every batch norm, and nothing reads it. */
static enum sl_status check_no_others(const struct sl_safetensors *file, const char *path,
                                      const struct sl_model *model, struct sl_error *err)
{
    for (size_t i = 0; i < sl_safetensors_count(file); i++) {
        const char *name = sl_safetensors_name(file, i);
        if (!sl_model_tensor_find(model, name) && !has_suffix(name, "num_batches_tracked"))
            return sl_fail(err, SL_ERR_INPUT, "%s has a tensor %s, which the network does not have",
                           path, name);
    }
    return SL_OK;
}

/* If both have a vocabulary, they must be equal: the tensors of another vocabulary may have the
 * same shapes, but its ids have other meanings. */
static enum sl_status check_vocabulary(const struct sl_safetensors *file, const char *path,
                                       const struct sl_model *model, struct sl_error *err)
{
    const char *text = sl_safetensors_metadata(file, vocabulary_key);
    if (!text || !model->vocabulary || strcmp(text, model->vocabulary) == 0) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s was trained with another vocabulary", path);
}

/* A model without class names takes those of the file. If both have names, they must be equal and
 * in the same order: otherwise predictions would be given to the wrong classes. */
static enum sl_status take_names(const struct sl_safetensors *file, const char *path,
                                 struct sl_model *model, struct sl_error *err)
{
    const size_t count = sl_model_classes(model);
    char *const *own = sl_model_class_names(model);
    char **names = NULL;
    SL_TRY(sl_nn_metadata_names(file, path, count, &names, err));
    if (!names) return SL_OK;
    enum sl_status status = SL_OK;
    for (size_t k = 0; own && k < count && status == SL_OK; k++)
        if (strcmp(names[k], own[k]) != 0)
            status =
                sl_fail(err, SL_ERR_INPUT, "class %zu is \"%.60s\", but the network has \"%.60s\"",
                        k, names[k], own[k]);
    if (!own) status = sl_model_set_class_names(model, names, err);
    sl_names_destroy(names);
    return status == SL_OK ? status : sl_fail_within(err, status, "%s", path);
}

/* Copy the staged tensors into the model. */
static void take_values(struct sl_model *model, float *const staged[])
{
    for (size_t i = 0; i < model->n_tensors; i++) {
        const struct sl_tensor_info *info = &model->tensors[i];
        if (info->count)
            memcpy(tensor_data(model, info), staged[info->kind] + info->offset,
                   info->count * sizeof(float));
    }
    sl_model_touch(model);
}

enum sl_status sl_nn_weights_load(struct sl_safetensors *file, const char *path,
                                  struct sl_model *model, struct sl_error *err)
{
    if (sl_safetensors_metadata(file, "checkpoint"))
        return sl_fail(err, SL_ERR_INPUT, "%s is a checkpoint of a training, not weights", path);
    SL_TRY(sl_nn_metadata_check(file, path, model, err));
    SL_TRY(check_vocabulary(file, path, model, err));
    float *staged[] = {[SL_TENSOR_VALUE] = sl_data_alloc(model->n_values, sizeof(float), err),
                       [SL_TENSOR_STATE] = sl_data_alloc(model->n_state, sizeof(float), err)};
    enum sl_status status = SL_ERR_NOMEM;
    if (!staged[SL_TENSOR_VALUE] || !staged[SL_TENSOR_STATE]) goto out;
    for (size_t i = 0; i < model->n_tensors; i++) {
        const struct sl_tensor_info *info = &model->tensors[i];
        SL_TRY_OUT(stage_tensor(file, path, info, staged[info->kind] + info->offset, err));
    }
    SL_TRY_OUT(check_no_others(file, path, model, err));
    SL_TRY_OUT(take_names(file, path, model, err));
    take_values(model, staged);
out:
    free(staged[SL_TENSOR_VALUE]);
    free(staged[SL_TENSOR_STATE]);
    return status;
}

enum sl_status sl_weights_read(const char *path, struct sl_model *model, struct sl_error *err)
{
    struct sl_safetensors *file = NULL;
    SL_TRY(sl_safetensors_open(path, &file, err));
    enum sl_status status = sl_nn_weights_load(file, path, model, err);
    sl_safetensors_close(file);
    return status;
}

/* Create the model that the file describes. An unknown network is an error of the file here, not of
 * the caller. */
static enum sl_status create_model(const struct sl_safetensors *file, const char *path,
                                   struct sl_model **out, struct sl_error *err)
{
    struct sl_model_options options;
    struct sl_model *model = NULL;
    float *numbers = NULL;
    SL_TRY(sl_nn_metadata_options(file, path, &options, &numbers, err));
    enum sl_status status = sl_nn_model_create_empty(&options, &model, err);
    free(numbers);
    if (status != SL_OK)
        return sl_fail_within(err, status == SL_ERR_USAGE ? SL_ERR_INPUT : status, "%s", path);
    free(model->network);
    model->network = sl_string_copy(sl_safetensors_metadata(file, "network"));
    sl_model_set_vocabulary(model, sl_safetensors_metadata(file, vocabulary_key));
    *out = model;
    return SL_OK;
}

enum sl_status sl_weights_open(const char *path, struct sl_model **out, struct sl_error *err)
{
    struct sl_safetensors *file = NULL;
    struct sl_model *model = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_safetensors_open(path, &file, err));
    SL_TRY_OUT(create_model(file, path, &model, err));
    SL_TRY_OUT(sl_nn_weights_load(file, path, model, err));
    *out = model;
    model = NULL;
out:
    sl_model_destroy(model);
    sl_safetensors_close(file);
    return status;
}

enum sl_status sl_weights_class_names(const char *path, char ***out, size_t *count,
                                      struct sl_error *err)
{
    struct sl_safetensors *file = NULL;
    int64_t classes = 0;
    SL_TRY(sl_safetensors_open(path, &file, err));
    const char *text = sl_safetensors_metadata(file, sl_nn_metadata_keys[SL_NN_METADATA_CLASSES]);
    *out = NULL;
    enum sl_status status = SL_OK;
    if (text && sl_text_to_integer(text, strlen(text), &classes) && classes >= 0)
        status = sl_nn_metadata_names(file, path, (size_t)classes, out, err);
    sl_safetensors_close(file);
    if (status == SL_OK) *count = *out ? (size_t)classes : 0;
    return status;
}
