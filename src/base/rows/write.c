/* Rows to .npz, .npy and .csv. */
#include <stdio.h>
#include <string.h>

#include "base/rows/internal.h"
#include "softlab/base/array.h"
#include "softlab/base/csv.h"
#include "softlab/base/text.h"

/* The matrix as an array that borrows the rows' values. */
static struct sl_array as_array(const struct sl_rows *rows)
{
    return (struct sl_array){.dtype = SL_F4,
                             .item_size = sizeof(float),
                             .n_dimensions = 2,
                             .shape = {rows->n_rows, rows->n_classes},
                             .data = rows->values};
}

static enum sl_status add_names(struct sl_npz_writer *writer, const char *name, char *const *names,
                                size_t count, struct sl_error *err)
{
    if (!names) return SL_OK;
    struct sl_array array;
    SL_TRY(sl_array_from_strings((const char *const *)names, count, &array, err));
    enum sl_status status = sl_npz_writer_add(writer, name, &array, err);
    sl_array_release(&array);
    return status;
}

/* An array without dimensions, of one string. */
static enum sl_status add_provenance(struct sl_npz_writer *writer, const char *text,
                                     struct sl_error *err)
{
    if (!text) return SL_OK;
    struct sl_array array;
    SL_TRY(sl_array_from_strings(&text, 1, &array, err));
    array.n_dimensions = 0;
    enum sl_status status = sl_npz_writer_add(writer, "provenance", &array, err);
    sl_array_release(&array);
    return status;
}

enum sl_status sl_rows_add_rest_to_npz(const struct sl_rows *rows, struct sl_npz_writer *writer,
                                       struct sl_error *err)
{
    SL_TRY(add_names(writer, "classes", rows->classes, rows->n_classes, err));
    return add_provenance(writer, rows->provenance, err);
}

enum sl_status sl_rows_add_to_npz(const struct sl_rows *rows, const char *array,
                                  struct sl_npz_writer *writer, struct sl_error *err)
{
    const struct sl_array matrix = as_array(rows);
    SL_TRY(sl_npz_writer_add(writer, array, &matrix, err));
    SL_TRY(add_names(writer, "item", rows->items, rows->n_rows, err));
    SL_TRY(add_names(writer, "annotator", rows->annotators, rows->n_rows, err));
    return sl_rows_add_rest_to_npz(rows, writer, err);
}

enum sl_status sl_rows_write_npz(const struct sl_rows *rows, const char *array, const char *path,
                                 struct sl_error *err)
{
    struct sl_npz_writer *writer = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_npz_writer_create(path, SL_NPZ_STORED, &writer, err));
    SL_TRY_OUT(sl_rows_add_to_npz(rows, array, writer, err));
    SL_TRY_OUT(sl_npz_writer_commit(writer, err));
out:
    sl_npz_writer_destroy(writer);
    return status;
}

enum sl_status sl_rows_write_npy(const struct sl_rows *rows, const char *array, const char *path,
                                 struct sl_error *err)
{
    (void)array;
    const struct sl_array matrix = as_array(rows);
    return sl_npy_write(&matrix, SL_ORDER_C, path, err);
}

static void append_text(struct sl_buffer *line, const char *text)
{
    sl_csv_append_text(line, text, strlen(text));
}

void sl_rows_append_csv_header(const struct sl_rows *rows, struct sl_buffer *line)
{
    append_text(line, "item");
    if (rows->annotators) append_text(line, "annotator");
    for (size_t k = 0; k < rows->n_classes; k++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", k);
        append_text(line, rows->classes ? rows->classes[k] : number);
    }
    sl_csv_end_line(line);
}

void sl_rows_append_csv_row(const char *item, const char *annotator, const float *row,
                            size_t n_classes, struct sl_buffer *line)
{
    append_text(line, item);
    if (annotator) append_text(line, annotator);
    for (size_t k = 0; k < n_classes; k++) {
        char number[SL_NUMBER_TEXT];
        size_t length = sl_text_from_float(row[k], number);
        sl_csv_append_field(line, number, length);
    }
    sl_csv_end_line(line);
}

static void append_row(struct sl_buffer *line, const struct sl_rows *rows, size_t row)
{
    char number[SL_NUMBER_TEXT];
    snprintf(number, sizeof number, "%zu", row);
    sl_rows_append_csv_row(rows->items ? rows->items[row] : number,
                           rows->annotators ? rows->annotators[row] : NULL,
                           rows->values + row * rows->n_classes, rows->n_classes, line);
}

void sl_rows_append_csv(const struct sl_rows *rows, size_t begin, size_t end, struct sl_buffer *out)
{
    if (begin == 0) sl_rows_append_csv_header(rows, out);
    for (size_t i = begin; i < end; i++)
        append_row(out, rows, i);
}

enum sl_status sl_rows_write_csv(const struct sl_rows *rows, const char *array, const char *path,
                                 struct sl_error *err)
{
    (void)array;
    struct sl_writer writer = {.descriptor = -1};
    struct sl_buffer line;
    sl_buffer_init(&line, SIZE_MAX);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_writer_open(&writer, path, err));
    /* The header by itself if there are no rows. */
    for (size_t i = 0; i == 0 || i < rows->n_rows; i++) {
        sl_buffer_clear(&line);
        sl_rows_append_csv(rows, i, i < rows->n_rows ? i + 1 : i, &line);
        SL_TRY_OUT(sl_writer_write(&writer, line.data, line.length, err));
    }
    SL_TRY_OUT(sl_writer_commit(&writer, err));
out:
    sl_writer_discard(&writer);
    sl_buffer_release(&line);
    return status;
}
