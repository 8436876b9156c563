/* Rows from .npz, .npy and .csv. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows/internal.h"
#include "softlab/base/array.h"
#include "softlab/base/csv.h"
#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "softlab/base/text.h"

/* Checks only the header: `data` may be NULL. */
static enum sl_status check_matrix(const struct sl_array *array, const char *what,
                                   struct sl_error *err)
{
    static const size_t any[] = {0, 0};
    SL_TRY(sl_array_expect(array, what, 2, any, err));
    if (array->shape[1] == 0) return sl_fail(err, SL_ERR_INPUT, "%s: rows have no values", what);
    if (array->dtype == SL_TEXT)
        return sl_fail(err, SL_ERR_INPUT, "%s: expected numbers, got text", what);
    return SL_OK;
}

/* The matrix as rows without names. `array` is taken. */
static enum sl_status take_matrix(struct sl_array *array, const char *what, struct sl_rows **out,
                                  struct sl_error *err)
{
    struct sl_array floats = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(check_matrix(array, what, err));
    if (array->dtype == SL_F4) {
        floats = *array;
        *array = (struct sl_array){0};
    } else {
        SL_TRY_OUT(sl_array_convert(array, SL_F4, what, &floats, err));
    }
    struct sl_rows *rows = sl_alloc(1, sizeof *rows);
    *rows = (struct sl_rows){
        .n_rows = floats.shape[0], .n_classes = floats.shape[1], .values = floats.data};
    *out = rows;
out:
    sl_array_release(array);
    return status;
}

/* Element `i` of a one-dimensional array of strings or integers. */
static enum sl_status name_at(const struct sl_array *array, size_t i, const char *what, char **out,
                              struct sl_error *err)
{
    switch (array->dtype) {
    case SL_TEXT: return sl_array_string(array, i, out, err);
    case SL_I4: *out = sl_string_printf("%d", (int)((const int32_t *)array->data)[i]); break;
    case SL_I8:
        *out = sl_string_printf("%lld", (long long)((const int64_t *)array->data)[i]);
        break;
    case SL_U1: *out = sl_string_printf("%u", (unsigned)((const uint8_t *)array->data)[i]); break;
    case SL_F4:
    case SL_F8:
    case SL_BOOL:
        return sl_fail(err, SL_ERR_INPUT, "%s: expected strings or integers, got %s", what,
                       sl_dtype_name(array->dtype));
    }
    return SL_OK;
}

/* The strings of an entry, if it exists; NULL otherwise. */
static enum sl_status read_names(struct sl_npz *npz, const char *entry, const char *path,
                                 size_t count, char ***out, struct sl_error *err)
{
    struct sl_array array = {0};
    if (!sl_npz_has(npz, entry)) return SL_OK;
    char *what = sl_string_printf("%s: %s", path, entry);
    char **names = NULL;
    enum sl_status status = SL_OK;
    const size_t shape[] = {count};
    SL_TRY_OUT(sl_npz_peek(npz, entry, &array, err));
    SL_TRY_OUT(sl_array_expect(&array, what, 1, shape, err));
    if (array.shape[0] != count)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s: has %zu name%s, expected %zu", what,
                           array.shape[0], sl_text_plural(array.shape[0], "", "s"), count));
    SL_TRY_OUT(sl_npz_read(npz, entry, &array, err));
    names = sl_data_zeroed(count + 1, sizeof *names, err);
    SL_TRY_OUT(names ? SL_OK : SL_ERR_NOMEM);
    for (size_t i = 0; i < count; i++)
        SL_TRY_OUT(name_at(&array, i, what, &names[i], err));
    *out = names;
    names = NULL;
out:
    sl_strings_destroy(names, count);
    free(what);
    sl_array_release(&array);
    return status;
}

static enum sl_status fail_entry(const struct sl_npz *npz, const char *path, const char *array,
                                 struct sl_error *err)
{
    char names[200] = "";
    size_t used = 0;
    for (size_t i = 0; i < sl_npz_count(npz) && used < sizeof names; i++) {
        int length = snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                              sl_npz_name(npz, i));
        if (length > 0) used += (size_t)length;
    }
    return sl_fail(err, SL_ERR_INPUT, "%s: no array \"%s\"; the file has: %s", path, array, names);
}

enum sl_status sl_rows_read_npz(const char *path, const char *array, struct sl_rows **out,
                                struct sl_error *err)
{
    struct sl_npz *npz = NULL;
    struct sl_rows *rows = NULL;
    struct sl_array matrix = {0};
    char *what = sl_string_printf("%s: %s", path, array);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_npz_open(path, &npz, err));
    if (!sl_npz_has(npz, array)) SL_TRY_OUT(fail_entry(npz, path, array, err));
    SL_TRY_OUT(sl_npz_peek(npz, array, &matrix, err));
    SL_TRY_OUT(check_matrix(&matrix, what, err));
    SL_TRY_OUT(sl_npz_read(npz, array, &matrix, err));
    SL_TRY_OUT(take_matrix(&matrix, what, &rows, err));
    SL_TRY_OUT(read_names(npz, "item", path, rows->n_rows, &rows->items, err));
    SL_TRY_OUT(read_names(npz, "annotator", path, rows->n_rows, &rows->annotators, err));
    SL_TRY_OUT(read_names(npz, "classes", path, rows->n_classes, &rows->classes, err));
    *out = rows;
    rows = NULL;
out:
    sl_rows_destroy(rows);
    sl_npz_close(npz);
    free(what);
    return status;
}

enum sl_status sl_rows_read_npy(const char *path, const char *array, struct sl_rows **out,
                                struct sl_error *err)
{
    (void)array;
    struct sl_array matrix = {0};
    SL_TRY(sl_npy_read(path, &matrix, err));
    return take_matrix(&matrix, path, out, err);
}

static char *column_class(const char *name)
{
    const struct sl_field plain = sl_csv_class((struct sl_field){name, strlen(name)});
    return sl_string_copy_n(plain.text, plain.length);
}

/* Headings that differ only by surrounding blanks are one class. */
static enum sl_status check_classes(const struct sl_csv *csv, const struct sl_rows *rows,
                                    struct sl_error *err)
{
    struct sl_name_table *names = sl_name_table_create();
    enum sl_status status = SL_OK;
    for (size_t k = 0; k < rows->n_classes; k++) {
        uint32_t number = 0;
        const char *name = rows->classes[k];
        SL_TRY_OUT(sl_name_table_add(names, name, strlen(name), &number, err));
        if (number != k)
            SL_TRY_OUT(sl_csv_fail(csv, 1, err, "two columns are called \"%.60s\"", name));
    }
out:
    sl_name_table_destroy(names);
    return status;
}

/* What the columns of a table are. */
static enum sl_status read_header(const struct sl_csv *csv, struct sl_rows_builder *builder,
                                  struct sl_error *err)
{
    const size_t n_columns = sl_csv_column_count(csv);
    struct sl_rows *rows = builder->rows;
    if (!sl_csv_column_is(csv, 0, "item"))
        return sl_csv_fail(
            csv, 1, err,
            "expected the columns item[,annotator],<class>..., with a probability per "
            "class; softlab labels makes such a file of votes");
    builder->annotators = sl_csv_column_is(csv, 1, "annotator");
    const size_t first = builder->annotators ? 2 : 1;
    if (n_columns <= first)
        return sl_csv_fail(csv, 1, err, "no class columns; expected item[,annotator],<class>...");
    rows->n_classes = n_columns - first;
    rows->classes = sl_alloc(rows->n_classes + 1, sizeof *rows->classes);
    for (size_t k = 0; k < rows->n_classes; k++)
        rows->classes[k] = column_class(sl_csv_column_name(csv, first + k));
    return check_classes(csv, rows, err);
}

static enum sl_status keep_line(struct sl_rows_builder *builder, size_t line, struct sl_error *err)
{
    struct sl_rows *rows = builder->rows;
    if (rows->n_rows > builder->line_capacity) {
        const size_t capacity = builder->line_capacity * 2 + 64;
        size_t *lines = realloc(rows->lines, capacity * sizeof *lines);
        if (!lines) return sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu rows", capacity);
        rows->lines = lines;
        builder->line_capacity = capacity;
    }
    rows->lines[rows->n_rows - 1] = line;
    return SL_OK;
}

/* If every row is a distribution within rounding, scale those that are off. A row that is not may
 * be a count, a logit or a mistake; the caller that needs distributions reports it. */
static void settle_rows(struct sl_rows *rows, float *scratch)
{
    const size_t n_classes = rows->n_classes;
    double sum = 0;
    for (size_t i = 0; i < rows->n_rows; i++) {
        memcpy(scratch, rows->values + i * n_classes, n_classes * sizeof *scratch);
        if (sl_distribution_settle(scratch, n_classes, &sum) == SL_SETTLED_NOT) return;
    }
    for (size_t i = 0; i < rows->n_rows; i++)
        rows->n_rescaled += sl_distribution_settle(rows->values + i * n_classes, n_classes, &sum) ==
                            SL_SETTLED_SCALED;
}

static enum sl_status read_table(struct sl_csv *csv, struct sl_rows_builder *builder,
                                 struct sl_error *err)
{
    struct sl_csv_record record;
    const struct sl_field none = {"", 0};
    SL_TRY(read_header(csv, builder, err));
    for (;;) {
        SL_TRY(sl_csv_next(csv, &record, err));
        if (record.count == 0) break;
        const struct sl_field item = sl_csv_plain(record.fields[0]);
        const struct sl_field annotator =
            builder->annotators ? sl_csv_plain(record.fields[1]) : none;
        const size_t first = builder->annotators ? 2 : 1;
        if (item.length == 0) return sl_csv_fail(csv, record.line, err, "the row names no item");
        float *row =
            sl_rows_push(builder, item.text, item.length, annotator.text, annotator.length, err);
        if (!row) return SL_ERR_NOMEM;
        SL_TRY(keep_line(builder, record.line, err));
        for (size_t k = 0; k < builder->rows->n_classes; k++) {
            double value = 0;
            SL_TRY(sl_csv_real(csv, &record, first + k, -(double)FLT_MAX, (double)FLT_MAX, &value,
                               err));
            row[k] = (float)value;
        }
    }
    return builder->rows->n_rows > 0 ? SL_OK : sl_csv_fail(csv, 1, err, "no rows below the header");
}

enum sl_status sl_rows_read_csv(const char *path, const char *array, struct sl_rows **out,
                                struct sl_error *err)
{
    (void)array;
    const struct sl_csv_options options = sl_csv_options_default();
    struct sl_rows_builder builder = {.rows = sl_alloc(1, sizeof *builder.rows)};
    struct sl_csv *csv = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_csv_open(path, &options, &csv, err));
    builder.rows->path = sl_string_copy(path);
    SL_TRY_OUT(read_table(csv, &builder, err));
    float *scratch = sl_alloc(builder.rows->n_classes, sizeof *scratch);
    settle_rows(builder.rows, scratch);
    free(scratch);
    *out = builder.rows;
    builder.rows = NULL;
out:
    sl_rows_destroy(builder.rows);
    sl_csv_close(csv);
    return status;
}
