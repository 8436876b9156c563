#include "softlab/base/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows/internal.h"
#include "softlab/base/classes.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/names.h"

enum { LEAST_CAPACITY = 64 };

static const double sum_tolerance = 1e-3;

static const struct {
    const char *suffix;
    enum sl_status (*read)(const char *path, const char *array, struct sl_rows **out,
                           struct sl_error *err);
    enum sl_status (*write)(const struct sl_rows *rows, const char *array, const char *path,
                            struct sl_error *err);
} formats[] = {
    {".npz", sl_rows_read_npz, sl_rows_write_npz},    {".npy", sl_rows_read_npy, sl_rows_write_npy},
    {".csv", sl_rows_read_csv, sl_rows_write_csv},    {".csv.gz", sl_rows_read_csv, NULL},
    {".json", sl_rows_read_json, sl_rows_write_json},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

enum sl_status sl_rows_create(size_t n_rows, size_t n_classes, struct sl_rows **out,
                              struct sl_error *err)
{
    if (n_classes > 0 && n_rows > SIZE_MAX / n_classes)
        return sl_fail(err, SL_ERR_INPUT, "%zu x %zu values are more than memory can address",
                       n_rows, n_classes);
    float *values = sl_data_alloc(n_rows * n_classes, sizeof *values, err);
    if (!values) return SL_ERR_NOMEM;
    memset(values, 0, n_rows * n_classes * sizeof *values);
    struct sl_rows *rows = sl_alloc(1, sizeof *rows);
    *rows = (struct sl_rows){.n_rows = n_rows, .n_classes = n_classes, .values = values};
    *out = rows;
    return SL_OK;
}

void sl_rows_destroy(struct sl_rows *rows)
{
    if (!rows) return;
    sl_strings_destroy(rows->items, rows->n_rows);
    sl_strings_destroy(rows->annotators, rows->n_rows);
    sl_strings_destroy(rows->classes, rows->n_classes);
    free(rows->provenance);
    free(rows->lines);
    free(rows->path);
    free(rows->values);
    free(rows);
}

enum sl_status sl_rows_copy(const struct sl_rows *rows, struct sl_rows **out, struct sl_error *err)
{
    struct sl_rows *copy = NULL;
    SL_TRY(sl_rows_create(rows->n_rows, rows->n_classes, &copy, err));
    enum sl_status status = SL_OK;
    memcpy(copy->values, rows->values, rows->n_rows * rows->n_classes * sizeof *copy->values);
    SL_TRY_OUT(sl_names_copy(rows->items, rows->n_rows, &copy->items, err));
    SL_TRY_OUT(sl_names_copy(rows->annotators, rows->n_rows, &copy->annotators, err));
    SL_TRY_OUT(sl_names_copy(rows->classes, rows->n_classes, &copy->classes, err));
    *out = copy;
    copy = NULL;
out:
    sl_rows_destroy(copy);
    return status;
}

/* realloc that reports; the block stays where it is on failure. */
static bool grow(void *block, size_t count, size_t size)
{
    void *old = NULL;
    memcpy(&old, block, sizeof old);
    void *grown = count < SIZE_MAX / size ? realloc(old, count * size) : NULL;
    if (grown) memcpy(block, &grown, sizeof grown);
    return grown != NULL;
}

float *sl_rows_push(struct sl_rows_builder *builder, const char *item, size_t item_length,
                    const char *annotator, size_t annotator_length, struct sl_error *err)
{
    struct sl_rows *rows = builder->rows;
    const size_t row_bytes = rows->n_classes * sizeof *rows->values;
    if (rows->n_rows == builder->capacity) {
        size_t capacity = builder->capacity * 2 + LEAST_CAPACITY;
        if (!grow(&rows->values, capacity, row_bytes) ||
            !grow(&rows->items, capacity, sizeof *rows->items) ||
            (builder->annotators && !grow(&rows->annotators, capacity, sizeof(char *)))) {
            sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu x %zu values", capacity,
                    rows->n_classes);
            return NULL;
        }
        builder->capacity = capacity;
    }
    const size_t at = rows->n_rows++;
    float *values = rows->values + at * rows->n_classes;
    memset(values, 0, row_bytes);
    rows->items[at] = sl_string_copy_n(item, item_length);
    if (builder->annotators) rows->annotators[at] = sl_string_copy_n(annotator, annotator_length);
    return values;
}

/* "labels.csv:14: item 977", "labels: row 12 (item 977)" or "labels: row 12". */
static char *describe_row(const struct sl_rows *rows, const char *what, size_t row)
{
    if (rows->lines)
        return sl_string_printf("%s:%zu: item %.60s", rows->path, rows->lines[row],
                                rows->items[row]);
    return rows->items ? sl_string_printf("%s: row %zu (item %.60s)", what, row, rows->items[row])
                       : sl_string_printf("%s: row %zu", what, row);
}

static enum sl_status check_finite(const struct sl_rows *rows, const char *path,
                                   struct sl_error *err)
{
    for (size_t i = 0; i < rows->n_rows * rows->n_classes; i++) {
        if (isfinite(rows->values[i])) continue;
        char *row = describe_row(rows, path, i / rows->n_classes);
        enum sl_status status = sl_fail(err, SL_ERR_INPUT, "%s: value %zu is %g", row,
                                        i % rows->n_classes, (double)rows->values[i]);
        free(row);
        return status;
    }
    return SL_OK;
}

/* Without annotators an item has one row. */
static enum sl_status check_items(const struct sl_rows *rows, const char *path,
                                  struct sl_error *err)
{
    if (!rows->items || rows->annotators) return SL_OK;
    struct sl_name_table *names = sl_name_table_create();
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < rows->n_rows; i++) {
        uint32_t number = 0;
        SL_TRY_OUT(sl_name_table_add(names, rows->items[i], strlen(rows->items[i]), &number, err));
        if (number != i)
            SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT,
                               "%s: rows %u and %zu are both of item %.60s, and no annotators tell "
                               "them apart; keep one of them or name the annotators",
                               path, (unsigned)number, i, rows->items[i]));
    }
out:
    sl_name_table_destroy(names);
    return status;
}

enum sl_status sl_rows_read(const char *path, const char *array, struct sl_rows **out,
                            struct sl_error *err)
{
    struct sl_rows *rows = NULL;
    size_t format = 0;
    while (format < N_FORMATS && !sl_path_has_suffix(path, formats[format].suffix))
        format++;
    if (format == N_FORMATS)
        return sl_fail(err, SL_ERR_USAGE,
                       "%s: expected a file name that ends in .npz, .npy, .csv or .json", path);
    SL_TRY(formats[format].read(path, array, &rows, err));
    enum sl_status status = check_finite(rows, path, err);
    if (status == SL_OK) status = check_items(rows, path, err);
    if (status == SL_OK)
        *out = rows;
    else
        sl_rows_destroy(rows);
    return status;
}

enum sl_status sl_rows_write(const struct sl_rows *rows, const char *array, const char *path,
                             struct sl_error *err)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (formats[i].write && sl_path_has_suffix(path, formats[i].suffix))
            return formats[i].write(rows, array, path, err);
    return sl_fail(err, SL_ERR_USAGE,
                   "%s: expected a file name that ends in .npz, .npy, .csv or .json", path);
}

static double rounding_of(size_t n_classes)
{
    return fmin(.005 * (double)n_classes, .05) + 1e-6;
}

enum sl_settled sl_distribution_settle(float *row, size_t n_classes, double *sum)
{
    bool possible = true;
    *sum = 0;
    for (size_t k = 0; k < n_classes; k++) {
        possible = possible && row[k] >= 0 && isfinite(row[k]);
        *sum += (double)row[k];
    }
    if (!possible || !(fabs(*sum - 1) <= rounding_of(n_classes))) return SL_SETTLED_NOT;
    if (fabs(*sum - 1) <= 1e-6) return SL_SETTLED_EXACT;
    for (size_t k = 0; k < n_classes; k++)
        row[k] = (float)((double)row[k] / *sum);
    return SL_SETTLED_SCALED;
}

/* The first row that has a negative value or is off 1 by more than `tolerance`, or n_rows. */
static size_t find_improper(const struct sl_rows *rows, double tolerance, double *sum)
{
    for (size_t i = 0; i < rows->n_rows; i++) {
        const float *row = rows->values + i * rows->n_classes;
        bool negative = false;
        *sum = 0;
        for (size_t k = 0; k < rows->n_classes; k++) {
            *sum += (double)row[k];
            negative = negative || !(row[k] >= 0);
        }
        if (negative) *sum = (double)NAN;
        if (!(fabs(*sum - 1) <= tolerance)) return i;
    }
    return rows->n_rows;
}

enum sl_status sl_rows_check_distributions(const struct sl_rows *rows, const char *what,
                                           struct sl_error *err)
{
    double sum = 0;
    size_t improper = find_improper(rows, rounding_of(rows->n_classes), &sum);
    if (improper == rows->n_rows) improper = find_improper(rows, sum_tolerance, &sum);
    if (improper == rows->n_rows) return SL_OK;
    char *row = describe_row(rows, what, improper);
    enum sl_status status =
        isnan(sum) ? sl_fail(err, SL_ERR_INPUT, "%s has a negative value", row)
                   : sl_fail(err, SL_ERR_INPUT, "%s sums to %g, expected 1%s", row, sum,
                             fabs(sum - 100) < 1 ? ": divide percentages by 100" : "");
    free(row);
    return status;
}

enum sl_status sl_rows_reorder(struct sl_rows *rows, const char *what,
                               const struct sl_class_list *like, struct sl_error *err)
{
    const struct sl_class_list own = {what, rows->classes, rows->n_classes};
    size_t *columns = sl_alloc(own.count + 1, sizeof *columns);
    enum sl_status status = sl_classes_pair(&own, like, columns, err);
    if (status == SL_OK && like->names)
        status = sl_rows_spread(rows, columns, like->names, like->count, err);
    free(columns);
    return status;
}

enum sl_status sl_rows_spread(struct sl_rows *rows, const size_t *columns, char *const *classes,
                              size_t n_classes, struct sl_error *err)
{
    struct sl_rows *wider = NULL;
    SL_TRY(sl_rows_create(rows->n_rows, n_classes, &wider, err));
    for (size_t i = 0; i < rows->n_rows; i++)
        for (size_t k = 0; k < rows->n_classes; k++)
            wider->values[i * n_classes + columns[k]] = rows->values[i * rows->n_classes + k];
    char **names = sl_alloc(n_classes, sizeof *names);
    for (size_t k = 0; k < n_classes; k++)
        names[k] = sl_string_copy(classes[k]);
    sl_strings_destroy(rows->classes, rows->n_classes);
    rows->classes = names;
    rows->n_classes = n_classes;
    float *const values = rows->values;
    rows->values = wider->values;
    wider->values = values;
    sl_rows_destroy(wider);
    return SL_OK;
}
