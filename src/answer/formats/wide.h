/* Rows of a matrix of hard answers, and the roles of its first row and first column. Private to
 * answer/formats/. */
#ifndef SOFTLAB_ANSWER_FORMATS_WIDE_H
#define SOFTLAB_ANSWER_FORMATS_WIDE_H

#include "softlab/answer.h"

/* A matrix read row by row, cut at commas or at blanks. */
struct sl_wide_rows {
    struct sl_csv *csv; /* owned */
    bool commas;
    struct sl_field *cells; /* owned; of a line that is cut at blanks */
    size_t capacity, width; /* width: columns of the first row; 0 before it */
    /* The row at hand: */
    const struct sl_field *fields;
    size_t count; /* 0 at the end */
    size_t line;
};

/* With `blanks_only` never split at commas; otherwise the first line that has commas or blanks
 * decides. */
enum sl_status sl_wide_open(struct sl_wide_rows *rows, const char *path, bool blanks_only,
                            struct sl_error *err) SL_MUST_USE;
/* SL_ERR_INPUT for a row of another width than the first. */
enum sl_status sl_wide_next(struct sl_wide_rows *rows, struct sl_error *err) SL_MUST_USE;
void sl_wide_close(struct sl_wide_rows *rows);

/* Empty and -1 are no answer. */
bool sl_wide_is_answer(struct sl_field cell);

/* The layout of a matrix. */
struct sl_wide_layout {
    bool header;
    char **names;     /* owned; NULL-ended; of the columns; NULL without a header */
    size_t id, truth; /* columns; SIZE_MAX: there is none */
};
/* From `options`, or else from the content; SL_ERR_INPUT if it is ambiguous. */
enum sl_status sl_wide_layout_find(const char *path, const struct sl_import_options *options,
                                   struct sl_wide_layout *out, struct sl_error *err) SL_MUST_USE;
void sl_wide_layout_release(struct sl_wide_layout *layout);

#endif
