/* Private to base/rows/: a row of the table in rows.c for each kind of file. */
#ifndef SOFTLAB_BASE_ROWS_INTERNAL_H
#define SOFTLAB_BASE_ROWS_INTERNAL_H

#include "softlab/base/array.h"
#include "softlab/base/rows.h"

enum sl_status sl_rows_read_npz(const char *path, const char *array, struct sl_rows **out,
                                struct sl_error *err) SL_MUST_USE;
enum sl_status sl_rows_read_npy(const char *path, const char *array, struct sl_rows **out,
                                struct sl_error *err) SL_MUST_USE;
enum sl_status sl_rows_read_csv(const char *path, const char *array, struct sl_rows **out,
                                struct sl_error *err) SL_MUST_USE;
enum sl_status sl_rows_read_json(const char *path, const char *array, struct sl_rows **out,
                                 struct sl_error *err) SL_MUST_USE;

enum sl_status sl_rows_write_npz(const struct sl_rows *rows, const char *array, const char *path,
                                 struct sl_error *err) SL_MUST_USE;
enum sl_status sl_rows_write_npy(const struct sl_rows *rows, const char *array, const char *path,
                                 struct sl_error *err) SL_MUST_USE;
enum sl_status sl_rows_write_csv(const struct sl_rows *rows, const char *array, const char *path,
                                 struct sl_error *err) SL_MUST_USE;
enum sl_status sl_rows_write_json(const struct sl_rows *rows, const char *array, const char *path,
                                  struct sl_error *err) SL_MUST_USE;

/* The header of a CSV of these rows, and one row; `annotator` may be NULL. */
void sl_rows_append_csv_header(const struct sl_rows *rows, struct sl_buffer *line);
void sl_rows_append_csv_row(const char *item, const char *annotator, const float *row,
                            size_t n_classes, struct sl_buffer *line);
/* Add the classes and the provenance, the last arrays of an .npz of rows. */
enum sl_status sl_rows_add_rest_to_npz(const struct sl_rows *rows, struct sl_npz_writer *writer,
                                       struct sl_error *err) SL_MUST_USE;

/* Rows while their number is not known yet. */
struct sl_rows_builder {
    struct sl_rows *rows; /* owned until taken; n_classes set before the first row */
    size_t capacity, line_capacity;
    bool annotators;
};
/* A new row of zeros with its names, or NULL with SL_ERR_NOMEM. */
float *sl_rows_push(struct sl_rows_builder *builder, const char *item, size_t item_length,
                    const char *annotator, size_t annotator_length, struct sl_error *err);

#endif
