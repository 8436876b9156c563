/* Reading safetensors: a length, a JSON header, and tensors that fill the rest of the
 * file without holes. Everything is checked when the file is opened; reading a tensor
 * only fetches its bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/array/internal.h"
#include "base/array/safetensors.h"
#include "base/file/source.h"
#include "softlab/base/json.h"
#include "softlab/base/memory.h"
#include "softlab/base/safetensors.h"
#include "softlab/base/text.h"

enum { LENGTH_BYTES = 8 };

const struct sl_safetensors_type sl_safetensors_types[] = {
    {"F32", 4, true, SL_F4},      {"F64", 8, true, SL_F8},      {"I32", 4, true, SL_I4},
    {"I64", 8, true, SL_I8},      {"U8", 1, true, SL_U1},       {"BOOL", 1, true, SL_BOOL},
    {"F16", 2, true, SL_F4},      {"BF16", 2, true, SL_F4},     {"I8", 1, false, SL_F4},
    {"I16", 2, false, SL_F4},     {"U16", 2, false, SL_F4},     {"U32", 4, false, SL_F4},
    {"U64", 8, false, SL_F4},     {"F8_E4M3", 1, false, SL_F4}, {"F8_E5M2", 1, false, SL_F4},
    {"F8_E8M0", 1, false, SL_F4}, {NULL, 0, false, SL_F4},
};

struct tensor {
    const char *name; /* borrowed from the header */
    const struct sl_safetensors_type *type;
    size_t n_dimensions;
    size_t shape[SL_ARRAY_MAX_DIMENSIONS];
    uint64_t begin, end; /* from the end of the header */
};

struct sl_safetensors {
    char *path; /* owned */
    struct sl_source source;
    json_t *header;          /* owned */
    struct tensor *tensors;  /* owned; in the file's order */
    struct tensor **by_name; /* owned; the same by name */
    size_t count;
    uint64_t start; /* of the tensors' bytes */
};

static enum sl_status tensor_fail(const struct sl_safetensors *file, const struct tensor *tensor,
                                  const char *what, struct sl_error *err)
{
    return sl_fail(err, SL_ERR_INPUT, "%s: tensor %s: %s", file->path, tensor->name, what);
}

/* A JSON array's integers, at most `capacity` of them and none negative. */
static bool parse_sizes(const json_t *value, size_t capacity, uint64_t *out, size_t *count)
{
    size_t n = json_array_size(value);
    if (!json_is_array(value) || n > capacity) return false;
    for (size_t i = 0; i < n; i++) {
        const json_t *size = json_array_get(value, i);
        if (!json_is_integer(size) || json_integer_value(size) < 0) return false;
        out[i] = (uint64_t)json_integer_value(size);
    }
    *count = n;
    return true;
}

static const struct sl_safetensors_type *find_type(const char *name)
{
    const struct sl_safetensors_type *type = sl_safetensors_types;
    while (type->name && strcmp(type->name, name) != 0)
        type++;
    return type->name ? type : NULL;
}

static bool is_plain(const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || *name == 0x7F) return false;
    return true;
}

static enum sl_status parse_tensor(const struct sl_safetensors *file, const char *name,
                                   const json_t *value, struct tensor *out, struct sl_error *err)
{
    struct tensor tensor = {.name = name};
    if (!is_plain(name))
        return sl_fail(err, SL_ERR_INPUT, "%s: a tensor's name has control characters", file->path);
    const char *dtype = json_string_value(json_object_get(value, "dtype"));
    const json_t *shape = json_object_get(value, "shape");
    const json_t *offsets = json_object_get(value, "data_offsets");
    if (!dtype || !shape || !offsets || json_object_size(value) != 3)
        return tensor_fail(file, &tensor, "expected exactly dtype, shape and data_offsets", err);
    tensor.type = find_type(dtype);
    if (!tensor.type) return tensor_fail(file, &tensor, "unknown dtype", err);
    uint64_t sizes[SL_ARRAY_MAX_DIMENSIONS], places[2];
    size_t n_places = 0, bytes = 0;
    if (!parse_sizes(shape, SL_ARRAY_MAX_DIMENSIONS, sizes, &tensor.n_dimensions))
        return tensor_fail(file, &tensor, "the shape is not a list of at most 8 sizes", err);
    for (size_t i = 0; i < tensor.n_dimensions; i++)
        tensor.shape[i] = (size_t)sizes[i];
    if (!sl_shape_bytes(tensor.type->size, tensor.n_dimensions, tensor.shape, &bytes))
        return tensor_fail(file, &tensor, "the shape is too large", err);
    if (!parse_sizes(offsets, 2, places, &n_places) || n_places != 2 || places[0] > places[1])
        return tensor_fail(file, &tensor, "data_offsets are not two ascending offsets", err);
    if (places[1] - places[0] != bytes)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: tensor %s: the shape needs %zu byte%s, data_offsets hold %llu",
                       file->path, name, bytes, sl_text_plural(bytes, "", "s"),
                       (unsigned long long)(places[1] - places[0]));
    tensor.begin = places[0];
    tensor.end = places[1];
    *out = tensor;
    return SL_OK;
}

static enum sl_status check_metadata(const struct sl_safetensors *file, struct sl_error *err)
{
    json_t *metadata = json_object_get(file->header, SL_SAFETENSORS_METADATA);
    const char *key;
    json_t *value;
    if (!metadata) return SL_OK;
    bool strings = json_is_object(metadata);
    json_object_foreach(metadata, key, value) strings = strings && json_is_string(value);
    if (strings) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s: __metadata__ is not an object of strings", file->path);
}

static int compare_places(const void *a, const void *b)
{
    const struct tensor *left = a, *right = b;
    if (left->begin != right->begin) return left->begin > right->begin ? 1 : -1;
    if (left->end != right->end) return left->end > right->end ? 1 : -1;
    return strcmp(left->name, right->name);
}

static int compare_names(const void *a, const void *b)
{
    const struct tensor *const *left = a, *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

/* The tensors must follow each other and end with the file. */
static enum sl_status check_places(const struct sl_safetensors *file, struct sl_error *err)
{
    uint64_t end = 0, size = file->source.size - file->start;
    for (size_t i = 0; i < file->count; i++) {
        const struct tensor *tensor = &file->tensors[i];
        if (tensor->begin != end)
            return sl_fail(err, SL_ERR_INPUT,
                           "%s: tensor %s begins at %llu, expected %llu: tensors %s", file->path,
                           tensor->name, (unsigned long long)tensor->begin, (unsigned long long)end,
                           tensor->begin > end ? "leave a hole" : "overlap");
        end = tensor->end;
    }
    if (end != size)
        return sl_fail(err, SL_ERR_INPUT, "%s: the tensors take %llu byte%s, the file holds %llu",
                       file->path, (unsigned long long)end, sl_text_plural(end, "", "s"),
                       (unsigned long long)size);
    return SL_OK;
}

static enum sl_status list_tensors(struct sl_safetensors *file, struct sl_error *err)
{
    size_t most = json_object_size(file->header);
    file->tensors = sl_data_alloc(most, sizeof *file->tensors, err);
    file->by_name = sl_data_alloc(most, sizeof *file->by_name, err);
    if (!file->tensors || !file->by_name) return SL_ERR_NOMEM;
    SL_TRY(check_metadata(file, err));
    const char *name;
    json_t *value;
    json_object_foreach(file->header, name, value)
    {
        if (strcmp(name, SL_SAFETENSORS_METADATA) == 0) continue;
        SL_TRY(parse_tensor(file, name, value, &file->tensors[file->count], err));
        file->count++;
    }
    qsort(file->tensors, file->count, sizeof *file->tensors, compare_places);
    for (size_t i = 0; i < file->count; i++)
        file->by_name[i] = &file->tensors[i];
    qsort(file->by_name, file->count, sizeof *file->by_name, compare_names);
    return check_places(file, err);
}

static enum sl_status parse_header(struct sl_safetensors *file, const char *text, size_t length,
                                   struct sl_error *err)
{
    if (length == 0 || text[0] != '{')
        return sl_fail(err, SL_ERR_INPUT, "%s: byte 8: the header does not begin with '{'",
                       file->path);
    json_error_t problem;
    file->header = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    if (!file->header)
        return sl_fail(err, SL_ERR_INPUT, "%s: byte %d: %s", file->path,
                       LENGTH_BYTES + problem.position, problem.text);
    return list_tensors(file, err);
}

static enum sl_status read_header(struct sl_safetensors *file, struct sl_error *err)
{
    unsigned char length_bytes[LENGTH_BYTES];
    char *text = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_source_read(&file->source, 0, length_bytes, sizeof length_bytes, err));
    uint64_t length = 0;
    for (size_t i = LENGTH_BYTES; i-- > 0;)
        length = length << 8 | length_bytes[i];
    if (length > SL_SAFETENSORS_HEADER_LIMIT || length > file->source.size - LENGTH_BYTES) {
        status = sl_fail(err, SL_ERR_INPUT,
                         "%s: byte 0: a header of %llu bytes, expected at most %d within a file "
                         "of %llu",
                         file->path, (unsigned long long)length, SL_SAFETENSORS_HEADER_LIMIT,
                         (unsigned long long)file->source.size);
        goto out;
    }
    text = sl_data_alloc((size_t)length, 1, err);
    if (!text) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    file->start = LENGTH_BYTES + length;
    SL_TRY_OUT(sl_source_read(&file->source, LENGTH_BYTES, text, (size_t)length, err));
    SL_TRY_OUT(parse_header(file, text, (size_t)length, err));
out:
    free(text);
    return status;
}

static enum sl_status open_source(struct sl_safetensors *file, struct sl_safetensors **out,
                                  struct sl_error *err)
{
    enum sl_status status = read_header(file, err);
    if (status == SL_OK)
        *out = file;
    else
        sl_safetensors_close(file);
    return status;
}

enum sl_status sl_safetensors_open(const char *path, struct sl_safetensors **out,
                                   struct sl_error *err)
{
    struct sl_source source;
    SL_TRY(sl_source_open(&source, path, err));
    struct sl_safetensors *file = sl_alloc(1, sizeof *file);
    file->path = sl_string_copy(path);
    file->source = source;
    file->source.name = file->path;
    return open_source(file, out, err);
}

enum sl_status sl_safetensors_open_memory(const void *bytes, size_t length, const char *name,
                                          struct sl_safetensors **out, struct sl_error *err)
{
    struct sl_safetensors *file = sl_alloc(1, sizeof *file);
    file->path = sl_string_copy(name);
    file->source = sl_source_of_memory(bytes, length, file->path);
    return open_source(file, out, err);
}

void sl_safetensors_close(struct sl_safetensors *file)
{
    if (!file) return;
    sl_source_close(&file->source);
    json_decref(file->header);
    free(file->tensors);
    free(file->by_name);
    free(file->path);
    free(file);
}

size_t sl_safetensors_count(const struct sl_safetensors *file)
{
    return file->count;
}

const char *sl_safetensors_name(const struct sl_safetensors *file, size_t index)
{
    return index < file->count ? file->tensors[index].name : NULL;
}

const char *sl_safetensors_metadata(const struct sl_safetensors *file, const char *key)
{
    const json_t *metadata = json_object_get(file->header, SL_SAFETENSORS_METADATA);
    return json_string_value(json_object_get(metadata, key));
}

/* IEEE 754 half precision: ten bits of fraction, five of exponent. */
static float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 0x1F, fraction = half & 0x3FF, bits;
    if (exponent == 0x1F) {
        bits = sign | 0x7F800000 | fraction << 13;
    } else if (exponent > 0) {
        bits = sign | (exponent + 127 - 15) << 23 | fraction << 13;
    } else {
        float magnitude = (float)fraction * 0x1p-24f;
        memcpy(&bits, &magnitude, sizeof bits);
        bits |= sign;
    }
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Widen in place `count` two-byte floats in the second half of `data` to four bytes. A result never
 * overwrites later sources. */
static void widen(void *data, size_t count, bool half)
{
    float *out = data;
    const char *from = (const char *)data + count * sizeof(uint16_t);
    for (size_t i = 0; i < count; i++) {
        uint16_t narrow;
        memcpy(&narrow, from + i * sizeof narrow, sizeof narrow);
        uint32_t bits = (uint32_t)narrow << 16;
        if (half)
            out[i] = half_to_float(narrow);
        else
            memcpy(&out[i], &bits, sizeof bits);
    }
}

static enum sl_status read_tensor(const struct sl_safetensors *file, const struct tensor *tensor,
                                  struct sl_array *array, struct sl_error *err)
{
    const size_t bytes = (size_t)(tensor->end - tensor->begin);
    const size_t total = sl_array_count(array) * array->item_size;
    char *place = (char *)array->data + (total - bytes);
    SL_TRY(sl_source_read(&file->source, file->start + tensor->begin, place, bytes, err));
    if (bytes < total) widen(array->data, sl_array_count(array), tensor->type->name[0] == 'F');
    if (array->dtype != SL_BOOL) return SL_OK;
    enum sl_status status = sl_array_check_bool(array, tensor->name, err);
    return status == SL_OK ? SL_OK : sl_fail_within(err, status, "%s: tensor", file->path);
}

enum sl_status sl_safetensors_read(struct sl_safetensors *file, const char *name,
                                   struct sl_array *out, struct sl_error *err)
{
    const struct tensor wanted = {.name = name}, *key = &wanted;
    struct tensor *const *found =
        bsearch(&key, file->by_name, file->count, sizeof *file->by_name, compare_names);
    if (!found) return sl_fail(err, SL_ERR_NOT_FOUND, "%s: no tensor called %s", file->path, name);
    const struct tensor *tensor = *found;
    if (!tensor->type->readable)
        return sl_fail(err, SL_ERR_INPUT, "%s: tensor %s: dtype %s is not supported", file->path,
                       name, tensor->type->name);
    struct sl_array array;
    SL_TRY(
        sl_array_create(tensor->type->dtype, 0, tensor->n_dimensions, tensor->shape, &array, err));
    enum sl_status status = read_tensor(file, tensor, &array, err);
    if (status == SL_OK)
        *out = array;
    else
        sl_array_release(&array);
    return status;
}
