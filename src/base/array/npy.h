/* The .npy format without its files: .npz entries have the same headers. */
#ifndef SOFTLAB_BASE_ARRAY_NPY_H
#define SOFTLAB_BASE_ARRAY_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file/source.h"
#include "softlab/base/array.h"
#include "softlab/base/buffer.h"

/* The first bytes, which state the length of the header. */
enum { SL_NPY_PREAMBLE = 12, SL_NPY_HEADER_LIMIT = 1 << 20 };

struct sl_npy_header {
    struct sl_array array; /* dtype, item size and shape; `data` is NULL */
    bool big_endian;
    bool fortran;
    size_t header_size; /* offset of the data */
    size_t data_size;
};

/* Read and check the header of the .npy in the `length` bytes at `offset`, whose data must fill the
 * rest exactly. Errors show `name`, with offsets from `offset`. */
enum sl_status sl_npy_header_read(const struct sl_source *source, uint64_t offset, uint64_t length,
                                  const char *name, struct sl_npy_header *out,
                                  struct sl_error *err) SL_MUST_USE;

/* The offset of the data, from the first SL_NPY_PREAMBLE bytes of an .npy, or fewer if it is
 * shorter. */
enum sl_status sl_npy_header_size(const unsigned char *bytes, size_t length, const char *name,
                                  size_t *out, struct sl_error *err) SL_MUST_USE;

/* Append the header of an array, version 1.0, padded to a multiple of 64 bytes. */
void sl_npy_header_format(const struct sl_array *array, enum sl_order order, struct sl_buffer *out);

/* Turn the data as stored in the file into an array: byte order, element order, check of booleans.
 * Takes `data`, also on failure. */
enum sl_status sl_npy_finish(const struct sl_npy_header *header, void *data, const char *name,
                             struct sl_array *out, struct sl_error *err) SL_MUST_USE;

#endif
