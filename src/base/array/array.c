#include "softlab/base/array.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array/internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { CHUNK = 1024, SHAPE_TEXT = 200 };

/* Integers from minimum to maximum keep their value in the type; a float holds every integer of as
 * many bits as its mantissa. */
static const struct {
    const char *name;
    size_t size;
    bool real;
    int64_t minimum, maximum;
} dtypes[] = {
    [SL_F4] = {"<f4", 4, true, -(1LL << FLT_MANT_DIG), 1LL << FLT_MANT_DIG},
    [SL_F8] = {"<f8", 8, true, -(1LL << DBL_MANT_DIG), 1LL << DBL_MANT_DIG},
    [SL_I4] = {"<i4", 4, false, INT32_MIN, INT32_MAX},
    [SL_I8] = {"<i8", 8, false, INT64_MIN, INT64_MAX},
    [SL_U1] = {"|u1", 1, false, 0, UINT8_MAX},
    [SL_BOOL] = {"|b1", 1, false, 0, 1},
    [SL_TEXT] = {"<U", 4, false, 0, 0},
};

size_t sl_dtype_size(enum sl_dtype dtype)
{
    return dtypes[dtype].size;
}

const char *sl_dtype_name(enum sl_dtype dtype)
{
    return dtypes[dtype].name;
}

bool sl_shape_bytes(size_t item_size, size_t n_dimensions, const size_t *shape, size_t *out)
{
    size_t bytes = item_size;
    bool empty = false;
    for (size_t i = 0; i < n_dimensions; i++) {
        empty = empty || shape[i] == 0;
        size_t factor = shape[i] ? shape[i] : 1;
        if (factor > (size_t)PTRDIFF_MAX / bytes) return false;
        bytes *= factor;
    }
    *out = empty ? 0 : bytes;
    return true;
}

enum sl_status sl_array_create(enum sl_dtype dtype, size_t width, size_t n_dimensions,
                               const size_t *shape, struct sl_array *out, struct sl_error *err)
{
    if (n_dimensions > SL_ARRAY_MAX_DIMENSIONS)
        return sl_fail(err, SL_ERR_USAGE, "an array has at most %d dimensions, not %zu",
                       SL_ARRAY_MAX_DIMENSIONS, n_dimensions);
    struct sl_array array = {.dtype = dtype, .item_size = sl_dtype_size(dtype)};
    if (dtype == SL_TEXT) {
        if (width == 0 || width > (size_t)PTRDIFF_MAX / array.item_size)
            return sl_fail(err, SL_ERR_USAGE, "text cannot be %zu characters wide", width);
        array.item_size *= width;
    }
    array.n_dimensions = n_dimensions;
    for (size_t i = 0; i < n_dimensions; i++)
        array.shape[i] = shape[i];
    size_t bytes = 0;
    if (!sl_shape_bytes(array.item_size, n_dimensions, array.shape, &bytes)) {
        char text[SHAPE_TEXT];
        return sl_fail(err, SL_ERR_NOMEM, "not enough memory for %s elements of %zu byte%s",
                       sl_array_shape_text(&array, text, sizeof text), array.item_size,
                       sl_text_plural(array.item_size, "", "s"));
    }
    array.data = sl_data_alloc(bytes, 1, err);
    if (!array.data) return SL_ERR_NOMEM;
    *out = array;
    return SL_OK;
}

void sl_array_release(struct sl_array *array)
{
    free(array->data);
    *array = (struct sl_array){.dtype = array->dtype};
}

size_t sl_array_count(const struct sl_array *array)
{
    size_t count = 1;
    for (size_t i = 0; i < array->n_dimensions; i++)
        count *= array->shape[i];
    return count;
}

/* A tuple as Python shows it; with `wildcard`, 0 stands for any size. */
static char *tuple_text(const size_t *values, size_t count, bool wildcard, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "(");
    for (size_t i = 0; i < count && used < size; i++) {
        const char *separator = i > 0 ? ", " : "";
        int length = wildcard && values[i] == 0
                         ? snprintf(out + used, size - used, "%sany", separator)
                         : snprintf(out + used, size - used, "%s%zu", separator, values[i]);
        used += (size_t)length;
    }
    if (used < size) snprintf(out + used, size - used, count == 1 ? ",)" : ")");
    return out;
}

char *sl_array_shape_text(const struct sl_array *array, char *out, size_t size)
{
    return tuple_text(array->shape, array->n_dimensions, false, out, size);
}

/* Where the element at `flat` in row-major order stands. */
static char *index_text(const struct sl_array *array, size_t flat, char *out, size_t size)
{
    size_t index[SL_ARRAY_MAX_DIMENSIONS] = {0};
    for (size_t i = array->n_dimensions; i-- > 0;) {
        index[i] = flat % array->shape[i];
        flat /= array->shape[i];
    }
    return tuple_text(index, array->n_dimensions, false, out, size);
}

enum sl_status sl_array_expect(const struct sl_array *array, const char *what, size_t n_dimensions,
                               const size_t *shape, struct sl_error *err)
{
    static const size_t any[SL_ARRAY_MAX_DIMENSIONS] = {0};
    if (!shape) shape = any;
    bool fits = array->n_dimensions == n_dimensions;
    for (size_t i = 0; fits && i < n_dimensions; i++)
        fits = shape[i] == 0 || shape[i] == array->shape[i];
    if (fits) return SL_OK;
    char wanted[SHAPE_TEXT], found[SHAPE_TEXT];
    return sl_fail(err, SL_ERR_INPUT, "%s: expected shape %s, got %s", what,
                   tuple_text(shape, n_dimensions, true, wanted, sizeof wanted),
                   sl_array_shape_text(array, found, sizeof found));
}

/* A run of elements in one of the two types that every number type goes through. */
union chunk {
    int64_t integers[CHUNK];
    double reals[CHUNK];
};

static void load(const struct sl_array *array, size_t first, size_t count, union chunk *out)
{
    const void *from = (const char *)array->data + first * array->item_size;
    const float *f4 = from;
    const int32_t *i4 = from;
    const uint8_t *u1 = from;
    switch (array->dtype) {
    case SL_F4:
        for (size_t i = 0; i < count; i++)
            out->reals[i] = (double)f4[i];
        break;
    case SL_F8: memcpy(out->reals, from, count * sizeof(double)); break;
    case SL_I4:
        for (size_t i = 0; i < count; i++)
            out->integers[i] = i4[i];
        break;
    case SL_I8: memcpy(out->integers, from, count * sizeof(int64_t)); break;
    case SL_U1:
    case SL_BOOL:
        for (size_t i = 0; i < count; i++)
            out->integers[i] = u1[i];
        break;
    case SL_TEXT: break;
    }
}

/* Make integers reals or reals integers; every value is known to fit. */
static void change_class(bool to_real, size_t count, union chunk *chunk)
{
    for (size_t i = 0; i < count; i++) {
        if (to_real)
            chunk->reals[i] = (double)chunk->integers[i];
        else
            chunk->integers[i] = (int64_t)chunk->reals[i];
    }
}

static void store(const union chunk *chunk, size_t first, size_t count, struct sl_array *array)
{
    void *to = (char *)array->data + first * array->item_size;
    float *f4 = to;
    int32_t *i4 = to;
    uint8_t *u1 = to;
    switch (array->dtype) {
    case SL_F4:
        for (size_t i = 0; i < count; i++)
            f4[i] = (float)chunk->reals[i];
        break;
    case SL_F8: memcpy(to, chunk->reals, count * sizeof(double)); break;
    case SL_I4:
        for (size_t i = 0; i < count; i++)
            i4[i] = (int32_t)chunk->integers[i];
        break;
    case SL_I8: memcpy(to, chunk->integers, count * sizeof(int64_t)); break;
    case SL_U1:
    case SL_BOOL:
        for (size_t i = 0; i < count; i++)
            u1[i] = (uint8_t)chunk->integers[i];
        break;
    case SL_TEXT: break;
    }
}

static bool real_fits(double value, enum sl_dtype dtype)
{
    if (dtype == SL_F8) return true;
    /* Rounding to float is accepted; turning a finite value into infinity is not. */
    if (dtype == SL_F4) return !isfinite(value) || isfinite((float)value);
    /* maximum + 1 is exact as a double where INT64_MAX is not. */
    return value >= (double)dtypes[dtype].minimum && value < (double)dtypes[dtype].maximum + 1 &&
           value == trunc(value);
}

/* The first value that `dtype` cannot hold, or `count`. */
static size_t first_misfit(const union chunk *chunk, size_t count, bool real, enum sl_dtype dtype)
{
    size_t i = 0;
    if (real) {
        while (i < count && real_fits(chunk->reals[i], dtype))
            i++;
    } else {
        while (i < count && chunk->integers[i] >= dtypes[dtype].minimum &&
               chunk->integers[i] <= dtypes[dtype].maximum)
            i++;
    }
    return i;
}

static enum sl_status convert_elements(const struct sl_array *array, const char *what,
                                       struct sl_array *out, struct sl_error *err)
{
    const bool real = dtypes[array->dtype].real, to_real = dtypes[out->dtype].real;
    const size_t count = sl_array_count(array);
    union chunk chunk;
    for (size_t first = 0; first < count; first += CHUNK) {
        size_t n = count - first < CHUNK ? count - first : CHUNK;
        load(array, first, n, &chunk);
        size_t bad = first_misfit(&chunk, n, real, out->dtype);
        if (bad < n) {
            char value[40], index[SHAPE_TEXT];
            if (real)
                snprintf(value, sizeof value, "%.9g", chunk.reals[bad]);
            else
                snprintf(value, sizeof value, "%lld", (long long)chunk.integers[bad]);
            return sl_fail(err, SL_ERR_INPUT, "%s: %s at %s does not fit %s", what, value,
                           index_text(array, first + bad, index, sizeof index),
                           sl_dtype_name(out->dtype));
        }
        if (real != to_real) change_class(to_real, n, &chunk);
        store(&chunk, first, n, out);
    }
    return SL_OK;
}

enum sl_status sl_array_convert(const struct sl_array *array, enum sl_dtype dtype, const char *what,
                                struct sl_array *out, struct sl_error *err)
{
    if ((array->dtype == SL_TEXT) != (dtype == SL_TEXT))
        return sl_fail(err, SL_ERR_INPUT, "%s: expected %s, got %s", what, sl_dtype_name(dtype),
                       sl_dtype_name(array->dtype));
    struct sl_array result;
    SL_TRY(sl_array_create(dtype, array->item_size / sl_dtype_size(SL_TEXT), array->n_dimensions,
                           array->shape, &result, err));
    enum sl_status status = SL_OK;
    if (array->dtype == dtype)
        memcpy(result.data, array->data, sl_array_count(array) * array->item_size);
    else
        status = convert_elements(array, what, &result, err);
    if (status == SL_OK)
        *out = result;
    else
        sl_array_release(&result);
    return status;
}

enum sl_status sl_array_check_finite(const struct sl_array *array, const char *what,
                                     struct sl_error *err)
{
    if (array->dtype != SL_F4 && array->dtype != SL_F8) return SL_OK;
    const size_t count = sl_array_count(array);
    union chunk chunk;
    for (size_t first = 0; first < count; first += CHUNK) {
        size_t n = count - first < CHUNK ? count - first : CHUNK;
        load(array, first, n, &chunk);
        for (size_t i = 0; i < n; i++) {
            if (isfinite(chunk.reals[i])) continue;
            char index[SHAPE_TEXT];
            return sl_fail(err, SL_ERR_INPUT, "%s: %s at %s is not finite", what,
                           isnan(chunk.reals[i]) ? "nan" : "infinity",
                           index_text(array, first + i, index, sizeof index));
        }
    }
    return SL_OK;
}

enum sl_status sl_array_check_bool(const struct sl_array *array, const char *what,
                                   struct sl_error *err)
{
    const uint8_t *values = array->data;
    const size_t count = sl_array_count(array);
    uint8_t all = 0;
    for (size_t i = 0; i < count; i++)
        all |= values[i];
    if (all <= 1) return SL_OK;
    size_t first = 0;
    while (values[first] <= 1)
        first++;
    char index[SHAPE_TEXT];
    return sl_fail(err, SL_ERR_INPUT, "%s: the boolean at %s is byte %d, expected 0 or 1", what,
                   index_text(array, first, index, sizeof index), values[first]);
}

/* Code points of valid UTF-8; SL_ERR_INPUT naming the string otherwise. */
enum sl_status sl_array_text_width(const char *text, size_t index, size_t *out,
                                   struct sl_error *err)
{
    size_t length = strlen(text), valid = sl_utf8_valid(text, length);
    if (valid != length)
        return sl_fail(err, SL_ERR_INPUT, "string %zu is not UTF-8 at byte %zu", index, valid);
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    *out = count;
    return SL_OK;
}

void sl_array_text_put(const char *text, size_t width, uint32_t *element)
{
    size_t left = strlen(text), used = 0;
    while (left > 0) {
        size_t taken = sl_utf8_decode(text, left, &element[used++]);
        text += taken;
        left -= taken;
    }
    memset(element + used, 0, (width - used) * sizeof *element);
}

enum sl_status sl_array_from_strings(const char *const *strings, size_t count, struct sl_array *out,
                                     struct sl_error *err)
{
    size_t width = 1; /* numpy's minimum too */
    for (size_t i = 0; i < count; i++) {
        size_t characters = 0;
        SL_TRY(sl_array_text_width(strings[i], i, &characters, err));
        if (characters > width) width = characters;
    }
    struct sl_array array;
    SL_TRY(sl_array_create(SL_TEXT, width, 1, &count, &array, err));
    uint32_t *element = array.data;
    for (size_t i = 0; i < count; i++, element += width)
        sl_array_text_put(strings[i], width, element);
    *out = array;
    return SL_OK;
}

enum sl_status sl_array_string(const struct sl_array *array, size_t index, char **out,
                               struct sl_error *err)
{
    if (array->dtype != SL_TEXT)
        return sl_fail(err, SL_ERR_INPUT, "expected an array of text, got %s",
                       sl_dtype_name(array->dtype));
    if (index >= sl_array_count(array))
        return sl_fail(err, SL_ERR_USAGE, "no element %zu in an array of %zu", index,
                       sl_array_count(array));
    size_t width = array->item_size / sizeof(uint32_t);
    const uint32_t *element = (const uint32_t *)array->data + index * width;
    while (width > 0 && element[width - 1] == 0)
        width--;
    char *text = sl_data_alloc(width + 1, 4, err);
    if (!text) return SL_ERR_NOMEM;
    size_t length = 0;
    for (size_t i = 0; i < width; i++) {
        size_t taken = element[i] ? sl_utf8_encode(element[i], text + length) : 0;
        if (taken == 0) {
            free(text);
            return sl_fail(err, SL_ERR_INPUT, "element %zu: character %zu is no code point (%#x)",
                           index, i, (unsigned)element[i]);
        }
        length += taken;
    }
    text[length] = '\0';
    *out = text;
    return SL_OK;
}
