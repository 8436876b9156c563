/* Arrow: tables shared with other libraries in memory, through Arrow's C data interface. Only the
 * structs of the published ABI are used (arrow.apache.org/docs/format/CDataInterface.html), no
 * library; pyarrow, polars, DuckDB, R's arrow and others produce and consume them.
 *
 * Ownership is the interface's: whoever holds a struct whose `release` is not NULL must call it
 * once. A function here that takes a struct releases it, also on failure. */
#ifndef SOFTLAB_BASE_ARROW_H
#define SOFTLAB_BASE_ARROW_H

#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/rows.h"

SL_BEGIN_DECLS

/* Other headers may define the same structs under the same guards. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE           2
#define ARROW_FLAG_MAP_KEYS_SORTED    4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *schema);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *array);
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *stream, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *stream, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *stream);
    void (*release)(struct ArrowArrayStream *stream);
    void *private_data;
};

#endif

/* Rows as a struct array: a column `item` (utf8), `annotator` (utf8) if there are annotators, then
 * a float32 column for each class, called by its name or number. The values are copied, so the rows
 * may be destroyed before the arrays. On success the caller owns both structs and calls their
 * `release`; on failure they are untouched. */
enum sl_status sl_rows_to_arrow(const struct sl_rows *rows, struct ArrowSchema *schema,
                                struct ArrowArray *array, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
