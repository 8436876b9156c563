/* pos: tokens with part-of-speech tags, a TSV without header: id, word, a list with one tag or
 * nothing per annotator, gold tag. Blank lines end sentences. Annotators are identified by their
 * position in the list, from 0.
 *
 * A list of another length stops the import; a token without tags is counted. */
#include <stdio.h>
#include <string.h>

#include "answer/formats/format.h"
#include "softlab/base/text.h"

enum { ID, WORD, TAGS, GOLD, COLUMNS, NUMBER = 24 };

static size_t list_length(struct sl_field list)
{
    size_t count = 1;
    for (size_t i = 0; i < list.length; i++)
        count += list.text[i] == ',';
    return count;
}

static enum sl_status put_token(struct sl_hard_pass *pass, const struct sl_csv_record *record,
                                size_t *n_tags, struct sl_error *err)
{
    const char *at = record->fields[TAGS].text, *end = at + record->fields[TAGS].length;
    char annotator_name[NUMBER];
    *n_tags = 0;
    for (size_t annotator = 0;; annotator++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma ? comma : end;
        snprintf(annotator_name, sizeof annotator_name, "%zu", annotator);
        const struct sl_hard_row row = {
            .item = record->fields[ID],
            .annotator = sl_field_of(annotator_name),
            .label = sl_csv_class((struct sl_field){at, (size_t)(stop - at)}),
            .truth = sl_csv_class(record->fields[GOLD])};
        if (row.label.length > 0) {
            SL_TRY(sl_hard_row_put(pass, &row, err));
            ++*n_tags;
        }
        if (!comma) return SL_OK;
        at = comma + 1;
    }
}

static enum sl_status read_tokens(struct sl_csv *csv, const char *path, struct sl_hard_pass *pass,
                                  struct sl_error *err)
{
    size_t n_annotators = 0;
    for (;;) {
        struct sl_csv_record record = {0};
        size_t n_tags = 0;
        SL_TRY(sl_csv_next(csv, &record, err));
        if (record.count == 0) return SL_OK;
        if (record.count != COLUMNS)
            return sl_csv_fail(csv, record.line, err,
                               "expected id, word, tags and gold, got %zu column%s", record.count,
                               sl_text_plural(record.count, "", "s"));
        size_t length = list_length(record.fields[TAGS]);
        if (n_annotators == 0) n_annotators = length;
        if (length != n_annotators)
            return sl_csv_fail(csv, record.line, err, "expected %zu tag%s, got %zu", n_annotators,
                               sl_text_plural(n_annotators, "", "s"), length);
        sl_import_at(sl_hard_pass_import(pass), path, record.line);
        SL_TRY(sl_at_line(put_token(pass, &record, &n_tags, err), path, record.line, err));
        if (n_tags == 0)
            sl_import_empty_item(sl_hard_pass_import(pass), "%s:%zu: item %.*s has no answers",
                                 path, record.line, sl_field_shown(record.fields[ID]),
                                 record.fields[ID].text);
    }
}

static enum sl_status read_pos(const char *path, const void *settings, struct sl_hard_pass *pass,
                               struct sl_error *err)
{
    (void)settings;
    struct sl_csv_options options = sl_csv_options_default();
    options.delimiter = '\t';
    options.header = options.quoting = options.fixed_width = false;
    struct sl_csv *csv = NULL;
    SL_TRY(sl_csv_open(path, &options, &csv, err));
    enum sl_status status = read_tokens(csv, path, pass, err);
    sl_csv_close(csv);
    return status;
}

SL_IMPORTER(sl_import_pos)
{
    const struct sl_hard_reader reader = {read_pos, NULL};
    return sl_import_hard(&reader, paths, n_paths, options, sink, err);
}
