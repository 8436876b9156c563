#include <stdlib.h>
#include <string.h>

#include "base/array/safetensors.h"
#include "softlab/base/file.h"
#include "softlab/base/json.h"
#include "softlab/base/memory.h"
#include "softlab/base/safetensors.h"

enum { LENGTH_BYTES = 8, ALIGNMENT = 8 };

/* Larger elements first, so that every tensor is aligned to its element size; then by name. */
static int compare_tensors(const void *a, const void *b)
{
    const struct sl_named_array *left = a, *right = b;
    size_t left_size = left->array->item_size, right_size = right->array->item_size;
    if (left_size != right_size) return left_size < right_size ? 1 : -1;
    return strcmp(left->name, right->name);
}

static const char *type_name(enum sl_dtype dtype)
{
    const struct sl_safetensors_type *type = sl_safetensors_types;
    while (type->name && type->dtype != dtype)
        type++;
    return type->name;
}

/* Add `value`, taken, under a key that must be new and UTF-8. */
static enum sl_status add_key(json_t *object, const char *key, json_t *value, const char *path,
                              struct sl_error *err)
{
    if (json_object_get(object, key)) {
        json_decref(value);
        return sl_fail(err, SL_ERR_USAGE, "%s: two entries are called %s", path, key);
    }
    if (json_object_set_new(object, key, value) != 0)
        return sl_fail(err, SL_ERR_USAGE, "%s: the name or value of an entry is not UTF-8", path);
    return SL_OK;
}

static enum sl_status add_metadata(json_t *header, const struct sl_metadata *metadata, size_t count,
                                   const char *path, struct sl_error *err)
{
    if (count == 0) return SL_OK;
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++) {
        enum sl_status status =
            add_key(object, metadata[i].key, json_string(metadata[i].value), path, err);
        if (status == SL_OK) continue;
        json_decref(object);
        return status;
    }
    return add_key(header, SL_SAFETENSORS_METADATA, object, path, err);
}

static enum sl_status add_tensor(json_t *header, const struct sl_named_array *tensor,
                                 uint64_t *offset, const char *path, struct sl_error *err)
{
    const struct sl_array *array = tensor->array;
    const char *type = type_name(array->dtype);
    if (!type)
        return sl_fail(err, SL_ERR_USAGE, "%s: tensor %s: text cannot be stored", path,
                       tensor->name);
    if (strcmp(tensor->name, SL_SAFETENSORS_METADATA) == 0)
        return sl_fail(err, SL_ERR_USAGE, "%s: a tensor cannot be called %s", path, tensor->name);
    uint64_t end = *offset + sl_array_count(array) * array->item_size;
    json_t *shape = json_array(), *offsets = json_array(), *entry = json_object();
    for (size_t i = 0; i < array->n_dimensions; i++)
        json_array_append_new(shape, json_integer((json_int_t)array->shape[i]));
    json_array_append_new(offsets, json_integer((json_int_t)*offset));
    json_array_append_new(offsets, json_integer((json_int_t)end));
    json_object_set_new(entry, "dtype", json_string(type));
    json_object_set_new(entry, "shape", shape);
    json_object_set_new(entry, "data_offsets", offsets);
    *offset = end;
    return add_key(header, tensor->name, entry, path, err);
}

/* The header's text, padded with spaces to a multiple of 8 bytes, in `out`. */
static enum sl_status format_header(const struct sl_named_array *tensors, size_t n_tensors,
                                    const struct sl_metadata *metadata, size_t n_metadata,
                                    const char *path, struct sl_buffer *out, struct sl_error *err)
{
    json_t *header = json_object();
    char *text = NULL;
    uint64_t offset = 0;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(add_metadata(header, metadata, n_metadata, path, err));
    for (size_t i = 0; i < n_tensors; i++)
        SL_TRY_OUT(add_tensor(header, &tensors[i], &offset, path, err));
    text = json_dumps(header, JSON_COMPACT);
    if (!text) {
        status = sl_fail(err, SL_ERR_NOMEM, "%s: not enough memory for the header", path);
        goto out;
    }
    sl_buffer_text(out, text);
    while (out->length % ALIGNMENT != 0 && !out->overflowed)
        sl_buffer_byte(out, ' ');
    SL_TRY_OUT(sl_buffer_check(out, "the header", err));
out:
    free(text);
    json_decref(header);
    return status;
}

static enum sl_status write_file(const char *path, const struct sl_buffer *header,
                                 const struct sl_named_array *tensors, size_t n_tensors,
                                 struct sl_error *err)
{
    unsigned char length[LENGTH_BYTES];
    for (size_t i = 0; i < LENGTH_BYTES; i++)
        length[i] = (unsigned char)((uint64_t)header->length >> (8 * i) & 0xFF);
    struct sl_writer writer = {.descriptor = -1};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_writer_open(&writer, path, err));
    SL_TRY_OUT(sl_writer_write(&writer, length, sizeof length, err));
    SL_TRY_OUT(sl_writer_write(&writer, header->data, header->length, err));
    for (size_t i = 0; i < n_tensors; i++) {
        const struct sl_array *array = tensors[i].array;
        SL_TRY_OUT(
            sl_writer_write(&writer, array->data, sl_array_count(array) * array->item_size, err));
    }
    SL_TRY_OUT(sl_writer_commit(&writer, err));
out:
    sl_writer_discard(&writer);
    return status;
}

enum sl_status sl_safetensors_write(const char *path, const struct sl_named_array *tensors,
                                    size_t n_tensors, const struct sl_metadata *metadata,
                                    size_t n_metadata, struct sl_error *err)
{
    struct sl_named_array *ordered = sl_alloc(n_tensors, sizeof *ordered);
    if (n_tensors) memcpy(ordered, tensors, n_tensors * sizeof *ordered);
    qsort(ordered, n_tensors, sizeof *ordered, compare_tensors);
    struct sl_buffer header;
    sl_buffer_init_data(&header, SL_SAFETENSORS_HEADER_LIMIT);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(format_header(ordered, n_tensors, metadata, n_metadata, path, &header, err));
    SL_TRY_OUT(write_file(path, &header, ordered, n_tensors, err));
out:
    sl_buffer_release(&header);
    free(ordered);
    return status;
}
