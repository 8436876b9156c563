/* Matrices of hard answers: wide (MACE) and labelme. A row is an item, a column an annotator,
 * both known by their number from 0.
 *
 * Empty and -1 are no answer. A row without any answer is counted, a row of another
 * width stops the import. Out: items and annotators stand at their number, or, if their names are
 * none, in their order and without their names; two answers in one cell stop the export, and so
 * does a class that would read as none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/format.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { NUMBER = 24 };

struct settings {
    bool blanks_only; /* never commas */
};

/* Records of one field, the line: what separates cells is decided here. No text holds 0x01. */
static struct sl_csv_options line_options(void)
{
    struct sl_csv_options options = sl_csv_options_default();
    options.delimiter = '\x01';
    options.header = options.quoting = options.fixed_width = false;
    return options;
}

/* Commas or blanks, by the first line that has either; a single column is read as CSV. */
static enum sl_status uses_commas(const char *path, bool *out, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct sl_csv_options options = line_options();
    struct sl_csv *csv = NULL;
    struct sl_csv_record record = {0};
    bool commas = false, blanks = false;
    SL_TRY_OUT(sl_csv_open(path, &options, &csv, err));
    do {
        SL_TRY_OUT(sl_csv_next(csv, &record, err));
        if (record.count == 0) break;
        commas = memchr(record.fields[0].text, ',', record.fields[0].length);
        blanks = memchr(record.fields[0].text, ' ', record.fields[0].length) ||
                 memchr(record.fields[0].text, '\t', record.fields[0].length);
    } while (record.fields[0].length == 0);
    *out = commas || !blanks;
out:
    sl_csv_close(csv);
    return status;
}

/* Cells of a line; `fields` grows. */
struct cells {
    struct sl_field *fields; /* owned */
    size_t count, capacity;
};

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static void split_at_blanks(struct sl_field line, struct cells *out)
{
    out->count = 0;
    for (size_t at = 0; at < line.length;) {
        size_t begin = at;
        while (at < line.length && !is_blank(line.text[at]))
            at++;
        if (at > begin) {
            if (out->count == out->capacity) {
                out->capacity = out->capacity ? out->capacity * 2 : 64;
                out->fields = sl_resize(out->fields, out->capacity, sizeof *out->fields);
            }
            out->fields[out->count++] = (struct sl_field){line.text + begin, at - begin};
        }
        while (at < line.length && is_blank(line.text[at]))
            at++;
    }
}

static bool is_answer(struct sl_field cell)
{
    return cell.length > 0 && !(cell.length == 2 && memcmp(cell.text, "-1", 2) == 0);
}

static enum sl_status put_row(struct sl_hard_pass *pass, const struct sl_field *cells, size_t count,
                              size_t item, struct sl_error *err)
{
    char item_name[NUMBER], annotator_name[NUMBER];
    snprintf(item_name, sizeof item_name, "%zu", item);
    for (size_t i = 0; i < count; i++) {
        if (!is_answer(cells[i])) continue;
        snprintf(annotator_name, sizeof annotator_name, "%zu", i);
        const struct sl_hard_row row = {.item = sl_field_of(item_name),
                                        .annotator = sl_field_of(annotator_name),
                                        .label = cells[i]};
        SL_TRY(sl_hard_row_put(pass, &row, err));
    }
    return SL_OK;
}

static bool has_answer(const struct sl_field *cells, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_answer(cells[i])) return true;
    return false;
}

static enum sl_status read_rows(struct sl_csv *csv, const char *path, bool commas,
                                struct sl_hard_pass *pass, struct cells *cells,
                                struct sl_error *err)
{
    size_t width = 0, item = 0;
    for (;;) {
        struct sl_csv_record record = {0};
        SL_TRY(sl_csv_next(csv, &record, err));
        if (record.count == 0) return SL_OK;
        if (!commas) split_at_blanks(record.fields[0], cells);
        const struct sl_field *fields = commas ? record.fields : cells->fields;
        size_t count = commas ? record.count : cells->count;
        if (count == 0) continue; /* a blank line between rows */
        if (width == 0) width = count;
        if (count != width)
            return sl_csv_fail(csv, record.line, err, "expected %zu columns, got %zu", width,
                               count);
        if (!has_answer(fields, count))
            sl_import_empty_item(sl_hard_pass_import(pass), "%s:%zu: item %zu has no answers", path,
                                 record.line, item);
        SL_TRY(sl_at_line(put_row(pass, fields, count, item, err), path, record.line, err));
        item++;
    }
}

static enum sl_status read_wide(const char *path, const void *settings, struct sl_hard_pass *pass,
                                struct sl_error *err)
{
    const struct settings *how = settings;
    bool commas = false;
    if (!how->blanks_only) SL_TRY(uses_commas(path, &commas, err));
    struct sl_csv_options options = line_options();
    if (commas) {
        options.delimiter = ',';
        options.quoting = true;
    }
    struct sl_csv *csv = NULL;
    struct cells cells = {0};
    SL_TRY(sl_csv_open(path, &options, &csv, err));
    enum sl_status status = read_rows(csv, path, commas, pass, &cells, err);
    free(cells.fields);
    sl_csv_close(csv);
    return status;
}

SL_IMPORTER(sl_import_wide)
{
    const struct settings settings = {.blanks_only = false};
    const struct sl_hard_reader reader = {read_wide, &settings};
    SL_TRY(sl_import_one_path("wide", n_paths, err));
    return sl_import_hard(&reader, paths, n_paths, options, sink, err);
}

SL_IMPORTER(sl_import_labelme)
{
    const struct settings settings = {.blanks_only = true};
    const struct sl_hard_reader reader = {read_wide, &settings};
    SL_TRY(sl_import_one_path("labelme", n_paths, err));
    return sl_import_hard(&reader, paths, n_paths, options, sink, err);
}

/* How a cell is written: a row of the table below for each format. */
struct cell_style {
    const char *format;
    void (*append)(struct sl_buffer *line, const struct sl_answers *answers, bool numbers,
                   int64_t label);
};

static void append_wide(struct sl_buffer *line, const struct sl_answers *answers, bool numbers,
                        int64_t label)
{
    (void)numbers;
    const char *name = label < 0 ? "" : answers->classes[label];
    sl_csv_append_field(line, name, strlen(name));
}

static void append_labelme(struct sl_buffer *line, const struct sl_answers *answers, bool numbers,
                           int64_t label)
{
    if (line->length > 0) sl_buffer_byte(line, ' ');
    if (label < 0 || !numbers)
        sl_buffer_printf(line, "%lld", (long long)label);
    else
        sl_buffer_text(line, answers->classes[label]);
}

struct matrix {
    struct sl_hard_export export;
    const struct cell_style *style;
    struct sl_item_index index;
    int64_t *row;             /* owned; by annotator */
    uint32_t *rows, *columns; /* owned; the items and annotators there */
    size_t n_rows, n_columns;
};

static enum sl_status append_row(const struct matrix *matrix, size_t at, struct sl_buffer *line,
                                 struct sl_error *err)
{
    const struct sl_answers *answers = matrix->export.answers;
    const bool numbers = sl_classes_are_numbers(answers);
    const uint32_t item = matrix->rows[at];
    if (item != SL_NO_NAME)
        SL_TRY(sl_hard_export_row(&matrix->export, &matrix->index, item, matrix->row, err));
    for (size_t i = 0; i < matrix->n_columns; i++) {
        const uint32_t annotator = matrix->columns[i];
        const bool none = item == SL_NO_NAME || annotator == SL_NO_NAME;
        matrix->style->append(line, answers, numbers, none ? -1 : matrix->row[annotator]);
    }
    sl_buffer_byte(line, '\n');
    return SL_OK;
}

static enum sl_status write_rows(const struct matrix *matrix, const char *path,
                                 struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct sl_writer writer = {.descriptor = -1};
    struct sl_buffer line;
    sl_buffer_init(&line, SIZE_MAX);
    SL_TRY_OUT(sl_writer_open(&writer, path, err));
    for (size_t i = 0; i < matrix->n_rows; i++) {
        sl_buffer_clear(&line);
        SL_TRY_OUT(append_row(matrix, i, &line, err));
        SL_TRY_OUT(sl_writer_write(&writer, line.data, line.length, err));
    }
    status = sl_writer_commit(&writer, err);
out:
    sl_buffer_release(&line);
    sl_writer_discard(&writer);
    return status;
}

static enum sl_status export_matrix(const struct sl_answers *answers,
                                    const struct cell_style *style, const char *path,
                                    struct sl_import_notes *notes, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (size_t k = 0; k < answers->n_classes; k++)
        if (!is_answer(sl_field_of(answers->classes[k])))
            return sl_fail(err, SL_ERR_INPUT, "class \"%s\" means no answer in %s",
                           answers->classes[k], style->format);
    struct matrix matrix = {
        .export = {.answers = answers, .format = style->format, .notes = notes, .annotators = true},
        .style = style};
    matrix.row = sl_data_alloc(sl_name_table_count(answers->annotators), sizeof *matrix.row, err);
    if (!matrix.row) return SL_ERR_NOMEM;
    SL_TRY_OUT(sl_item_index_create(answers, &matrix.index, err));
    SL_TRY_OUT(sl_matrix_order(answers->items, &matrix.rows, &matrix.n_rows, err));
    SL_TRY_OUT(sl_matrix_order(answers->annotators, &matrix.columns, &matrix.n_columns, err));
    status = write_rows(&matrix, path, err);
out:
    sl_item_index_release(&matrix.index);
    free(matrix.row);
    free(matrix.rows);
    free(matrix.columns);
    return status;
}

SL_EXPORTER(sl_export_wide)
{
    const struct cell_style style = {"wide", append_wide};
    return export_matrix(answers, &style, path, notes, err);
}

SL_EXPORTER(sl_export_labelme)
{
    const struct cell_style style = {"labelme", append_labelme};
    return export_matrix(answers, &style, path, notes, err);
}
