/* Private to the library: a column of names in an Arrow struct array, checked once and then read
 * without further questions. */
#ifndef SOFTLAB_BASE_ARROW_COLUMN_H
#define SOFTLAB_BASE_ARROW_COLUMN_H

#include <stdbool.h>

#include "softlab/base/arrow.h"
#include "softlab/base/csv.h"

enum { SL_ARROW_DIGITS = 24 };

/* Texts or integers. */
struct sl_arrow_values {
    char format;          /* 'u', 'U', or the letter of an integer */
    size_t first, count;  /* elements; `first` is where they begin in the buffers */
    const uint8_t *valid; /* borrowed; a bitmap; NULL: no value is null */
    const void *data;     /* borrowed; integers, or offsets of texts */
    const char *text;     /* borrowed; of texts */
};

/* The values of a column; with a dictionary they are indices into it. */
struct sl_arrow_column {
    struct sl_arrow_values values;
    bool encoded;
    struct sl_arrow_values dictionary; /* if encoded */
};

/* SL_ERR_INPUT unless these are a struct schema and an array of it that are not released. */
enum sl_status sl_arrow_check_struct(const struct ArrowSchema *schema,
                                     const struct ArrowArray *array,
                                     struct sl_error *err) SL_MUST_USE;
/* The same for a schema alone. */
enum sl_status sl_arrow_check_schema(const struct ArrowSchema *schema,
                                     struct sl_error *err) SL_MUST_USE;

/* Column `index` of a struct array that was checked. */
enum sl_status sl_arrow_column_open(const struct ArrowSchema *schema,
                                    const struct ArrowArray *array, size_t index,
                                    struct sl_arrow_column *out, struct sl_error *err) SL_MUST_USE;

/* Whether row `row` of a bitmap that begins at bit `first` is null. */
static inline bool sl_arrow_is_null(const uint8_t *valid, size_t first, size_t row)
{
    const size_t bit = first + row;
    return valid && !(valid[bit / 8] >> bit % 8 & 1);
}

/* The text of value `row`, which is not null; integers are written into `digits`. SL_ERR_INPUT if
 * the offsets of the text decrease or it contains a NUL byte. */
enum sl_status sl_arrow_text(const struct sl_arrow_values *values, size_t row,
                             char digits[SL_ARROW_DIGITS], struct sl_field *out,
                             struct sl_error *err) SL_MUST_USE;

/* The index into the dictionary that row `row`, which is not null, of an encoded column states. */
enum sl_status sl_arrow_index(const struct sl_arrow_column *column, size_t row, size_t *out,
                              struct sl_error *err) SL_MUST_USE;

#endif
