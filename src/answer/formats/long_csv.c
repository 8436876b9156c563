/* long-csv: a line per answer. Columns of time, confidence and true class are read if they exist;
 * one warning names the unknown columns.
 *
 * An empty label is an answer without a class, skipped and counted; an empty worker is unknown; an
 * empty item stops the import. All answers of one worker to one item are kept: detecting repeats
 * needs memory for every answer, which only readers of whole sets have. */
#include <stdlib.h>
#include <string.h>

#include "answer/formats/format.h"
#include "answer/formats/table_columns.h"

static enum sl_status put_record(const struct sl_csv *csv, const char *path,
                                 const struct sl_long_columns *columns,
                                 const struct sl_csv_record *record, struct sl_hard_pass *pass,
                                 struct sl_error *err)
{
    const struct sl_hard_row row = {
        .item = sl_long_field(columns, record, SL_LONG_ITEM),
        .annotator = sl_long_field(columns, record, SL_LONG_WORKER),
        .label = sl_long_field(columns, record, SL_LONG_LABEL),
        .truth = sl_long_field(columns, record, SL_LONG_TRUTH),
        .ms = sl_long_field(columns, record, SL_LONG_MS),
        .confidence = sl_long_field(columns, record, SL_LONG_CONFIDENCE),
    };
    if (row.item.length == 0)
        return sl_csv_fail(csv, record->line, err, "the answer names no item");
    if (row.label.length == 0) {
        sl_import_skip(sl_hard_pass_import(pass), "%s:%zu: the answer names no class", path,
                       record->line);
        return SL_OK;
    }
    sl_import_at(sl_hard_pass_import(pass), path, record->line);
    return sl_at_line(sl_hard_row_put(pass, &row, err), path, record->line, err);
}

static enum sl_status read_long_csv(const char *path, const void *settings,
                                    struct sl_hard_pass *pass, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    const struct sl_csv_options options = sl_long_csv_options(path);
    struct sl_long_columns columns = {0};
    struct sl_csv_record record = {0};
    struct sl_csv *csv = NULL;
    SL_TRY_OUT(sl_csv_open(path, &options, &csv, err));
    SL_TRY_OUT(sl_csv_next(csv, &record, err));
    if (record.count == 0)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s: empty file, expected a line per answer", path));
    SL_TRY_OUT(sl_long_columns_find(csv, &record, settings, SL_TABLE_VOTES, &columns, err));
    const struct sl_import *import = sl_hard_pass_import(pass);
    if (!import->quiet && import->options)
        sl_long_columns_warn(&columns, 0, path, import->options->notes);
    if (columns.header) SL_TRY_OUT(sl_csv_next(csv, &record, err));
    while (record.count > 0) {
        SL_TRY_OUT(put_record(csv, path, &columns, &record, pass, err));
        SL_TRY_OUT(sl_csv_next(csv, &record, err));
    }
out:
    sl_csv_close(csv);
    return status;
}

SL_IMPORTER(sl_import_long_csv)
{
    const struct sl_hard_reader reader = {read_long_csv, options ? options->columns : NULL};
    return sl_import_hard(&reader, paths, n_paths, options, sink, err);
}

SL_EXPORTER(sl_export_long_csv)
{
    static const char header[] = "item,worker,label\n";
    enum sl_status status = SL_OK;
    const struct sl_hard_export export = {.answers = answers, .format = "long-csv", .notes = notes};
    struct sl_writer writer = {.descriptor = -1};
    struct sl_buffer line;
    sl_buffer_init(&line, SIZE_MAX);
    SL_TRY_OUT(sl_writer_open(&writer, path, err));
    SL_TRY_OUT(sl_writer_write(&writer, header, sizeof header - 1, err));
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        bool keep = false;
        SL_TRY_OUT(sl_hard_export_get(&export, i, &answer, &keep, err));
        if (!keep) continue;
        const char *label = answers->classes[answer.top[0].class_index];
        sl_buffer_clear(&line);
        sl_csv_append_text(&line, answer.item.text, answer.item.length);
        sl_csv_append_text(&line, answer.annotator.text, answer.annotator.length);
        sl_csv_append_text(&line, label, strlen(label));
        sl_csv_end_line(&line);
        SL_TRY_OUT(sl_writer_write(&writer, line.data, line.length, err));
    }
    status = sl_writer_commit(&writer, err);
out:
    sl_buffer_release(&line);
    sl_writer_discard(&writer);
    return status;
}
