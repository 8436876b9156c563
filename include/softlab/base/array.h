/* Array: numpy's arrays in memory, and its files: .npy and .npz.
 *
 * In memory an array is always row-major ("C order"), little-endian and packed;
 * readers convert. A header is never trusted: the sizes it states are checked
 * against the bytes that are there before anything is allocated. */
#ifndef SOFTLAB_BASE_ARRAY_H
#define SOFTLAB_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

enum sl_dtype {
    SL_F4,   /* float */
    SL_F8,   /* double */
    SL_I4,   /* int32_t */
    SL_I8,   /* int64_t */
    SL_U1,   /* uint8_t */
    SL_BOOL, /* uint8_t, 0 or 1 */
    SL_TEXT, /* fixed-width UTF-32, zero-padded: numpy's <U */
};

enum { SL_ARRAY_MAX_DIMENSIONS = 8 };

struct sl_array {
    enum sl_dtype dtype;
    size_t item_size; /* bytes per element; 4 * width for SL_TEXT */
    size_t n_dimensions;
    size_t shape[SL_ARRAY_MAX_DIMENSIONS];
    void *data; /* owned; shape in row-major order */
};

/* Create an array of uninitialised elements. `width` is the number of characters per element for
 * SL_TEXT and ignored otherwise. */
enum sl_status sl_array_create(enum sl_dtype dtype, size_t width, size_t n_dimensions,
                               const size_t *shape, struct sl_array *out,
                               struct sl_error *err) SL_MUST_USE;
void sl_array_release(struct sl_array *array);

size_t sl_array_count(const struct sl_array *array);

/* Bytes per element of a dtype (4 for one character of SL_TEXT); its numpy name ("<f4"). */
size_t sl_dtype_size(enum sl_dtype dtype);
const char *sl_dtype_name(enum sl_dtype dtype);

/* "(10000, 10)" into `out`; returns `out`. */
char *sl_array_shape_text(const struct sl_array *array, char *out, size_t size);

/* SL_ERR_INPUT naming `what` unless the array has this many dimensions and, where
 * `shape` is not 0, these sizes. */
enum sl_status sl_array_expect(const struct sl_array *array, const char *what, size_t n_dimensions,
                               const size_t *shape, struct sl_error *err) SL_MUST_USE;

/* The array as another number type. SL_ERR_INPUT naming the index where a value does
 * not fit (a fraction as an integer, a large integer, NaN as anything but a float). */
enum sl_status sl_array_convert(const struct sl_array *array, enum sl_dtype dtype, const char *what,
                                struct sl_array *out, struct sl_error *err) SL_MUST_USE;

/* SL_ERR_INPUT naming the first index that is NaN or infinite. */
enum sl_status sl_array_check_finite(const struct sl_array *array, const char *what,
                                     struct sl_error *err) SL_MUST_USE;

/* Strings to a one-dimensional SL_TEXT array, and element `index` back as UTF-8 on
 * the heap (SL_ERR_INPUT if it holds no valid code points). */
enum sl_status sl_array_from_strings(const char *const *strings, size_t count, struct sl_array *out,
                                     struct sl_error *err) SL_MUST_USE;
enum sl_status sl_array_string(const struct sl_array *array, size_t index, char **out,
                               struct sl_error *err) SL_MUST_USE;

/* The characters of a string, at most the width of its array; SL_ERR_INPUT names string `index` if
 * it is not UTF-8. Then the string as one element of an SL_TEXT array. */
enum sl_status sl_array_text_width(const char *text, size_t index, size_t *out,
                                   struct sl_error *err) SL_MUST_USE;
void sl_array_text_put(const char *text, size_t width, uint32_t *element);

/* .npy: reads header versions 1.0 to 3.0, both byte orders and both element orders. */
enum sl_order { SL_ORDER_C, SL_ORDER_FORTRAN };
enum sl_status sl_npy_read(const char *path, struct sl_array *out,
                           struct sl_error *err) SL_MUST_USE;
enum sl_status sl_npy_parse(const void *bytes, size_t length, const char *name,
                            struct sl_array *out, struct sl_error *err) SL_MUST_USE;
/* The type and shape stated in the first `length` bytes of an .npy file of `whole` bytes; `data` is
 * NULL. SL_NPY_MOST_HEADER bytes are enough for any header. */
enum { SL_NPY_MOST_HEADER = (1 << 20) + 12 };
enum sl_status sl_npy_peek(const void *bytes, size_t length, uint64_t whole, const char *name,
                           struct sl_array *out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_npy_write(const struct sl_array *array, enum sl_order order, const char *path,
                            struct sl_error *err) SL_MUST_USE;

/* .npz: a zip of .npy entries, stored or deflated, zip64 included. Opening reads the
 * directory only; reading an entry checks its CRC. Bytes in memory are borrowed until
 * close and called `name` in errors. */
struct sl_npz;
enum sl_status sl_npz_open(const char *path, struct sl_npz **out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_npz_open_memory(const void *bytes, size_t length, const char *name,
                                  struct sl_npz **out, struct sl_error *err) SL_MUST_USE;
void sl_npz_close(struct sl_npz *npz);
size_t sl_npz_count(const struct sl_npz *npz);
const char *sl_npz_name(const struct sl_npz *npz, size_t index); /* without ".npy"; borrowed */
bool sl_npz_has(const struct sl_npz *npz, const char *name);
enum sl_status sl_npz_read(struct sl_npz *npz, const char *name, struct sl_array *out,
                           struct sl_error *err) SL_MUST_USE;
/* The type and shape of an array; `data` is NULL. Check them before reading: a small file may hold
 * a large array. */
enum sl_status sl_npz_peek(struct sl_npz *npz, const char *name, struct sl_array *out,
                           struct sl_error *err) SL_MUST_USE;

/* Write an .npz: create, add arrays, commit. Destroying the writer without a commit leaves no
 * file. */
struct sl_npz_writer;
enum sl_npz_packing { SL_NPZ_STORED, SL_NPZ_DEFLATED };
enum sl_status sl_npz_writer_create(const char *path, enum sl_npz_packing packing,
                                    struct sl_npz_writer **out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_npz_writer_add(struct sl_npz_writer *writer, const char *name,
                                 const struct sl_array *array, struct sl_error *err) SL_MUST_USE;
/* The same for an array whose data come in pieces: begin with its type and shape (`data` is not
 * read), append all of its bytes in order, end. Only to an .npz that is stored, and a file. */
enum sl_status sl_npz_writer_begin(struct sl_npz_writer *writer, const char *name,
                                   const struct sl_array *array, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_npz_writer_append(struct sl_npz_writer *writer, const void *bytes, size_t length,
                                    struct sl_error *err) SL_MUST_USE;
enum sl_status sl_npz_writer_end(struct sl_npz_writer *writer, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_npz_writer_commit(struct sl_npz_writer *writer, struct sl_error *err) SL_MUST_USE;
void sl_npz_writer_destroy(struct sl_npz_writer *writer);

SL_END_DECLS

#endif
