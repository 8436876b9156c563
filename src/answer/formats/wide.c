/* Matrices of hard answers: wide (MACE) and labelme. A row is an item, a column an annotator; both
 * are identified by their number from 0, or in wide by names in the first row and in one column.
 *
 * Empty and -1 mean no answer. A row without any answer is counted, a row of another width stops
 * the import. On export items and annotators are at their numbers, or, if their names are not
 * numbers, in their order and without names; two answers for one cell stop the export, and so does
 * a class name that would be read as no answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/formats/format.h"
#include "answer/formats/wide.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { NUMBER = 24 };

struct settings {
    bool blanks_only; /* never commas */
    struct sl_wide_layout layout;
};

static enum sl_status put_row(struct sl_hard_pass *pass, const struct sl_wide_rows *rows,
                              const struct sl_wide_layout *layout, struct sl_field item,
                              struct sl_error *err)
{
    char annotator_name[NUMBER];
    const struct sl_field none = sl_field_of("");
    for (size_t c = 0; c < rows->count; c++) {
        const struct sl_field cell = sl_csv_class(rows->fields[c]);
        if (c == layout->id || c == layout->truth || !sl_wide_is_answer(cell)) continue;
        snprintf(annotator_name, sizeof annotator_name, "%zu", c);
        const struct sl_hard_row row = {
            .item = item,
            .annotator = sl_field_of(layout->names ? layout->names[c] : annotator_name),
            .label = cell,
            .truth = layout->truth == SIZE_MAX ? none : sl_csv_class(rows->fields[layout->truth])};
        SL_TRY(sl_hard_row_put(pass, &row, err));
    }
    return SL_OK;
}

static bool has_answer(const struct sl_wide_rows *rows, const struct sl_wide_layout *layout)
{
    for (size_t c = 0; c < rows->count; c++)
        if (c != layout->id && c != layout->truth &&
            sl_wide_is_answer(sl_csv_class(rows->fields[c])))
            return true;
    return false;
}

static enum sl_status read_rows(struct sl_wide_rows *rows, const char *path,
                                const struct sl_wide_layout *layout, struct sl_hard_pass *pass,
                                struct sl_error *err)
{
    if (layout->header) SL_TRY(sl_wide_next(rows, err));
    for (size_t number = 0;; number++) {
        char item_name[NUMBER];
        SL_TRY(sl_wide_next(rows, err));
        if (rows->count == 0) return SL_OK;
        snprintf(item_name, sizeof item_name, "%zu", number);
        const struct sl_field item = layout->id == SIZE_MAX
                                         ? sl_field_of(item_name)
                                         : sl_csv_plain(rows->fields[layout->id]);
        if (!has_answer(rows, layout))
            sl_import_empty_item(sl_hard_pass_import(pass), "%s:%zu: item %.*s has no answers",
                                 path, rows->line, sl_field_shown(item), item.text);
        sl_import_at(sl_hard_pass_import(pass), path, rows->line);
        SL_TRY(sl_at_line(put_row(pass, rows, layout, item, err), path, rows->line, err));
    }
}

static enum sl_status read_wide(const char *path, const void *settings, struct sl_hard_pass *pass,
                                struct sl_error *err)
{
    const struct settings *how = settings;
    struct sl_wide_rows rows = {0};
    enum sl_status status = sl_wide_open(&rows, path, how->blanks_only, err);
    if (status == SL_OK) status = read_rows(&rows, path, &how->layout, pass, err);
    sl_wide_close(&rows);
    return status;
}

static void say_layout(const struct sl_wide_layout *layout, const char *path,
                       const struct sl_import_options *options)
{
    char id[2 * NUMBER] = "no column of item names";
    if (!options || !options->notes) return;
    if (layout->id != SIZE_MAX) snprintf(id, sizeof id, "item names in column %zu", layout->id + 1);
    sl_log(options->notes->log, SL_LOG_INFO, "%s: header %s, %s", path,
           layout->header ? "yes" : "no", id);
}

SL_IMPORTER(sl_import_wide)
{
    struct settings settings = {.blanks_only = false};
    const struct sl_hard_reader reader = {read_wide, &settings};
    SL_TRY(sl_import_one_path("wide", n_paths, err));
    SL_TRY(sl_wide_layout_find(paths[0], options, &settings.layout, err));
    say_layout(&settings.layout, paths[0], options);
    enum sl_status status = sl_import_hard(&reader, paths, n_paths, options, sink, err);
    sl_wide_layout_release(&settings.layout);
    return status;
}

SL_IMPORTER(sl_import_labelme)
{
    const struct settings settings = {.blanks_only = true,
                                      .layout = {.id = SIZE_MAX, .truth = SIZE_MAX}};
    const struct sl_hard_reader reader = {read_wide, &settings};
    SL_TRY(sl_import_one_path("labelme", n_paths, err));
    return sl_import_hard(&reader, paths, n_paths, options, sink, err);
}

/* How a cell is written, for each format. */
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
    sl_csv_append_text(line, name, strlen(name));
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
        if (!sl_wide_is_answer(sl_field_of(answers->classes[k])))
            return sl_fail(err, SL_ERR_INPUT,
                           "class \"%s\" would be read as no answer in %s; rename it",
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
