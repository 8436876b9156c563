/* The columns of a CSV table by name, and fields as numbers. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv/reader.h"
#include "base/text/describe.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { NAMES_SHOWN = 300 };

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted, so that a header of a million columns does not take quadratic time. */
static enum sl_status check_unique(struct sl_csv *csv, size_t line)
{
    char **sorted = sl_data_alloc(csv->n_columns, sizeof *sorted, &csv->failure);
    if (!sorted) return SL_ERR_NOMEM;
    memcpy(sorted, csv->column_names, csv->n_columns * sizeof *sorted);
    qsort(sorted, csv->n_columns, sizeof *sorted, compare_names);
    enum sl_status status = SL_OK;
    for (size_t i = 1; i < csv->n_columns && status == SL_OK; i++) {
        if (strcmp(sorted[i - 1], sorted[i]) != 0) continue;
        char shown[SL_DESCRIBE_SIZE];
        status = sl_csv_fail(csv, line, &csv->failure, "two columns are called %s",
                             sl_describe_text(sorted[i], strlen(sorted[i]), shown));
    }
    free(sorted);
    return status;
}

enum sl_status sl_csv_check_commas(const struct sl_csv *csv, const struct sl_csv_record *first,
                                   struct sl_error *err)
{
    if (csv->options.delimiter != ',' || first->count != 1) return SL_OK;
    const struct sl_field field = first->fields[0];
    const bool tabs = memchr(field.text, '\t', field.length) != NULL;
    if (!tabs && !memchr(field.text, ';', field.length)) return SL_OK;
    return sl_csv_fail(csv, first->line, err,
                       "the columns are separated by %s; save the file with commas",
                       tabs ? "tabs" : "semicolons");
}

enum sl_status sl_csv_read_header(struct sl_csv *csv)
{
    struct sl_csv_record header;
    SL_TRY(sl_csv_next(csv, &header, NULL));
    if (header.count == 0)
        return sl_fail(&csv->failure, SL_ERR_INPUT, "%s: empty, expected a header line", csv->name);
    SL_TRY(sl_csv_check_commas(csv, &header, &csv->failure));
    size_t bytes = header.count;
    for (size_t i = 0; i < header.count; i++)
        bytes += header.fields[i].length;
    csv->column_names = sl_data_alloc(header.count, sizeof *csv->column_names, &csv->failure);
    csv->column_text = sl_data_alloc(bytes, 1, &csv->failure);
    if (!csv->column_names || !csv->column_text) return SL_ERR_NOMEM;
    char *text = csv->column_text;
    for (size_t i = 0; i < header.count; i++) {
        const struct sl_field field = header.fields[i];
        memcpy(text, field.text, field.length);
        text[field.length] = '\0';
        csv->column_names[i] = text;
        text += field.length + 1;
    }
    csv->n_columns = header.count;
    return check_unique(csv, header.line);
}

size_t sl_csv_column_count(const struct sl_csv *csv)
{
    return csv->n_columns;
}

const char *sl_csv_column_name(const struct sl_csv *csv, size_t column)
{
    return csv->column_names[column];
}

/* "a", "b", "c" for an error message, cut with "..." if there are too many. */
static void list_columns(const struct sl_csv *csv, struct sl_buffer *out)
{
    for (size_t i = 0; i < csv->n_columns; i++) {
        char shown[SL_DESCRIBE_SIZE];
        const char *name = csv->column_names[i];
        if (out->length > NAMES_SHOWN) {
            sl_buffer_text(out, ", ...");
            return;
        }
        sl_buffer_printf(out, "%s%s", i > 0 ? ", " : "",
                         sl_describe_text(name, strlen(name), shown));
    }
}

static char small(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

/* Whether a heading is the same word, ignoring capitals and surrounding blanks. */
static bool is_like(const char *heading, const char *name)
{
    const struct sl_field word = sl_csv_class((struct sl_field){heading, strlen(heading)});
    if (word.length != strlen(name)) return false;
    size_t same = 0;
    while (same < word.length && small(word.text[same]) == small(name[same]))
        same++;
    return same == word.length;
}

bool sl_csv_column_is(const struct sl_csv *csv, size_t column, const char *name)
{
    return column < csv->n_columns && is_like(csv->column_names[column], name);
}

enum sl_status sl_csv_column(const struct sl_csv *csv, const char *name, size_t *out,
                             struct sl_error *err)
{
    size_t like = SIZE_MAX, n_like = 0;
    for (size_t i = csv->n_columns; i-- > 0;) {
        if (!is_like(csv->column_names[i], name)) continue;
        like = i;
        n_like++;
        if (strcmp(csv->column_names[i], name) != 0) continue;
        n_like = 1;
        break;
    }
    if (n_like > 1)
        return sl_fail(
            err, SL_ERR_INPUT,
            "%s: %zu columns are called \"%s\" if capitals are ignored; rename all but one",
            csv->name, n_like, name);
    if (n_like == 1) {
        *out = like;
        return SL_OK;
    }
    if (csv->n_columns == 0)
        return sl_fail(err, SL_ERR_INPUT, "%s: no column \"%s\": the table has no header line",
                       csv->name, name);
    struct sl_buffer columns;
    sl_buffer_init(&columns, NAMES_SHOWN + 2 * SL_DESCRIBE_SIZE);
    list_columns(csv, &columns);
    enum sl_status status = sl_fail(err, SL_ERR_INPUT, "%s: no column \"%s\"; the file has %s",
                                    csv->name, name, columns.data);
    sl_buffer_release(&columns);
    return status;
}

enum sl_status sl_csv_fail(const struct sl_csv *csv, size_t line, struct sl_error *err,
                           const char *format, ...)
{
    if (!err) return SL_ERR_INPUT;
    char message[sizeof err->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return sl_fail(err, SL_ERR_INPUT, "%s:%zu: %s", csv->name, line, message);
}

static enum sl_status find_field(const struct sl_csv *csv, const struct sl_csv_record *record,
                                 size_t column, struct sl_field *out, struct sl_error *err)
{
    if (column >= record->count)
        return sl_csv_fail(csv, record->line, err, "expected at least %zu field%s, got %zu",
                           column + 1, sl_text_plural(column + 1, "", "s"), record->count);
    *out = record->fields[column];
    return SL_OK;
}

static enum sl_status fail_field(const struct sl_csv *csv, const struct sl_csv_record *record,
                                 size_t column, const char *expected, struct sl_error *err)
{
    char name[SL_DESCRIBE_SIZE], found[SL_DESCRIBE_SIZE];
    if (column < csv->n_columns)
        sl_describe_text(csv->column_names[column], strlen(csv->column_names[column]), name);
    else
        snprintf(name, sizeof name, "%zu", column + 1);
    const struct sl_field field = record->fields[column];
    return sl_csv_fail(csv, record->line, err, "column %s: expected %s, got %s", name, expected,
                       sl_describe_text(field.text, field.length, found));
}

enum sl_status sl_csv_integer(const struct sl_csv *csv, const struct sl_csv_record *record,
                              size_t column, int64_t minimum, int64_t maximum, int64_t *out,
                              struct sl_error *err)
{
    struct sl_field field = {0};
    int64_t value = 0;
    SL_TRY(find_field(csv, record, column, &field, err));
    if (sl_text_to_integer(field.text, field.length, &value) && value >= minimum &&
        value <= maximum) {
        *out = value;
        return SL_OK;
    }
    char expected[SL_DESCRIBE_SIZE];
    return fail_field(csv, record, column, sl_describe_integers(minimum, maximum, expected), err);
}

enum sl_status sl_csv_real(const struct sl_csv *csv, const struct sl_csv_record *record,
                           size_t column, double minimum, double maximum, double *out,
                           struct sl_error *err)
{
    struct sl_field field = {0};
    double value = 0;
    SL_TRY(find_field(csv, record, column, &field, err));
    if (sl_text_to_real(field.text, field.length, &value) && value >= minimum && value <= maximum) {
        *out = value;
        return SL_OK;
    }
    char expected[SL_DESCRIBE_SIZE];
    return fail_field(csv, record, column, sl_describe_reals(minimum, maximum, expected), err);
}
