#include <stdlib.h>
#include <string.h>

#include "base/array/internal.h"
#include "base/array/npy.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are little-endian in memory");

enum { TILE = 32, HEADER_BYTES = 1024 };

static void swap_bytes(void *data, size_t unit, size_t bytes)
{
    if (unit == 4) {
        uint32_t *values = data;
        for (size_t i = 0; i < bytes / unit; i++)
            values[i] = __builtin_bswap32(values[i]);
    } else if (unit == 8) {
        uint64_t *values = data;
        for (size_t i = 0; i < bytes / unit; i++)
            values[i] = __builtin_bswap64(values[i]);
    }
}

/* Two dimensions of an array: the slowest and the fastest of the source. */
struct plane {
    size_t rows, columns;
    size_t from_stride; /* bytes between rows in the source */
    size_t to_stride;   /* bytes between columns in the result */
};

/* In tiles, so that both sides stay in cache. */
static inline void transpose_plane(const struct plane *plane, const char *from, char *to,
                                   size_t size)
{
    for (size_t tile = 0; tile < plane->rows; tile += TILE) {
        size_t end = plane->rows - tile < TILE ? plane->rows : tile + TILE;
        for (size_t column = 0; column < plane->columns; column++)
            for (size_t row = tile; row < end; row++)
                memcpy(to + column * plane->to_stride + row * size,
                       from + row * plane->from_stride + column * size, size);
    }
}

/* Row-major elements of `shape`, not empty, to row-major elements of the shape reversed. */
static void reverse_dimensions(const void *from, size_t size, size_t n, const size_t *shape,
                               void *to)
{
    size_t from_strides[SL_ARRAY_MAX_DIMENSIONS] = {0}, to_strides[SL_ARRAY_MAX_DIMENSIONS] = {0};
    size_t from_stride = size, to_stride = size, n_planes = 1;
    for (size_t i = 0; i < n; i++) {
        from_strides[n - 1 - i] = from_stride;
        from_stride *= shape[n - 1 - i];
        to_strides[i] = to_stride;
        to_stride *= shape[i];
        if (i > 0 && i < n - 1) n_planes *= shape[i];
    }
    const struct plane plane = {shape[0], shape[n - 1], from_strides[0], to_strides[n - 1]};
    for (size_t p = 0; p < n_planes; p++) {
        const char *source = from;
        char *target = to;
        for (size_t i = n - 1, rest = p; i-- > 1; rest /= shape[i]) {
            source += rest % shape[i] * from_strides[i];
            target += rest % shape[i] * to_strides[i];
        }
        /* A constant size turns memcpy into one move. */
        switch (size) {
        case 1: transpose_plane(&plane, source, target, 1); break;
        case 4: transpose_plane(&plane, source, target, 4); break;
        case 8: transpose_plane(&plane, source, target, 8); break;
        default: transpose_plane(&plane, source, target, size); break;
        }
    }
}

/* Data of a Fortran-ordered `array`, as a new block in C order. */
static void *from_fortran(const struct sl_array *array, const void *data, size_t bytes,
                          struct sl_error *err)
{
    size_t reversed[SL_ARRAY_MAX_DIMENSIONS];
    for (size_t i = 0; i < array->n_dimensions; i++)
        reversed[i] = array->shape[array->n_dimensions - 1 - i];
    void *result = sl_data_alloc(bytes, 1, err);
    if (result && bytes)
        reverse_dimensions(data, array->item_size, array->n_dimensions, reversed, result);
    return result;
}

enum sl_status sl_npy_finish(const struct sl_npy_header *header, void *data, const char *name,
                             struct sl_array *out, struct sl_error *err)
{
    struct sl_array array = header->array;
    array.data = data;
    if (header->big_endian) swap_bytes(data, sl_dtype_size(array.dtype), header->data_size);
    if (header->fortran && array.n_dimensions > 1) {
        array.data = from_fortran(&array, data, header->data_size, err);
        free(data);
        if (!array.data) return SL_ERR_NOMEM;
    }
    if (array.dtype == SL_BOOL) {
        enum sl_status status = sl_array_check_bool(&array, name, err);
        if (status != SL_OK) {
            sl_array_release(&array);
            return status;
        }
    }
    *out = array;
    return SL_OK;
}

static enum sl_status read_source(const struct sl_source *source, struct sl_array *out,
                                  struct sl_error *err)
{
    struct sl_npy_header header;
    SL_TRY(sl_npy_header_read(source, 0, source->size, source->name, &header, err));
    void *data = sl_data_alloc(header.data_size, 1, err);
    if (!data) return SL_ERR_NOMEM;
    enum sl_status status = sl_source_read(source, header.header_size, data, header.data_size, err);
    if (status == SL_OK) return sl_npy_finish(&header, data, source->name, out, err);
    free(data);
    return status;
}

enum sl_status sl_npy_read(const char *path, struct sl_array *out, struct sl_error *err)
{
    struct sl_source source;
    SL_TRY(sl_source_open(&source, path, err));
    enum sl_status status = read_source(&source, out, err);
    sl_source_close(&source);
    return status;
}

enum sl_status sl_npy_parse(const void *bytes, size_t length, const char *name,
                            struct sl_array *out, struct sl_error *err)
{
    struct sl_source source = sl_source_of_memory(bytes, length, name);
    return read_source(&source, out, err);
}

enum sl_status sl_npy_peek(const void *bytes, size_t length, uint64_t whole, const char *name,
                           struct sl_array *out, struct sl_error *err)
{
    const struct sl_source source = sl_source_of_memory(bytes, length, name);
    struct sl_npy_header header;
    SL_TRY(sl_npy_header_read(&source, 0, whole, name, &header, err));
    *out = header.array;
    return SL_OK;
}

enum sl_status sl_npy_write(const struct sl_array *array, enum sl_order order, const char *path,
                            struct sl_error *err)
{
    const size_t bytes = sl_array_count(array) * array->item_size;
    void *reordered = NULL; /* owned */
    if (order == SL_ORDER_FORTRAN && array->n_dimensions > 1 && bytes) {
        reordered = sl_data_alloc(bytes, 1, err);
        if (!reordered) return SL_ERR_NOMEM;
        reverse_dimensions(array->data, array->item_size, array->n_dimensions, array->shape,
                           reordered);
    }
    struct sl_writer writer = {.descriptor = -1};
    struct sl_buffer header;
    sl_buffer_init(&header, HEADER_BYTES);
    sl_npy_header_format(array, order, &header);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_writer_open(&writer, path, err));
    SL_TRY_OUT(sl_writer_write(&writer, header.data, header.length, err));
    SL_TRY_OUT(sl_writer_write(&writer, reordered ? reordered : array->data, bytes, err));
    SL_TRY_OUT(sl_writer_commit(&writer, err));
out:
    sl_writer_discard(&writer);
    sl_buffer_release(&header);
    free(reordered);
    return status;
}
