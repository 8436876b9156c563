/* doccano: the JSONL or JSON export of text and image classification, {"id": 1, "text": "...",
 * "label": ["positive"]}, one file for each annotator.
 *
 * The annotator is the file's name without its suffix. all.jsonl (annotations that annotators
 * share) and unknown.jsonl (texts without a label) name nobody. The item is `id`, or the member
 * that --columns item=NAME names. Several labels are one answer of kind select. A text without a
 * label is skipped and counted; a label that is a span ([0, 5, "LOC"]) stops the import. */
#include <stdlib.h>
#include <string.h>

#include "answer/formats/exports.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"

struct doccano_reading {
    const char *item, *label;  /* borrowed; members of a record */
    struct sl_field annotator; /* of the current file */
    struct sl_hard_pass *pass; /* borrowed */
};

static struct sl_field annotator_of(const char *path)
{
    static const char *const suffixes[] = {".gz", ".jsonl", ".json"};
    static const char *const nobody[] = {"all", "unknown"};
    const char *name = sl_path_name(path);
    struct sl_field annotator = sl_field_of(name);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        const size_t length = strlen(suffixes[i]);
        if (annotator.length > length &&
            memcmp(name + annotator.length - length, suffixes[i], length) == 0)
            annotator.length -= length;
    }
    for (size_t i = 0; i < sizeof nobody / sizeof *nobody; i++)
        if (annotator.length == strlen(nobody[i]) && memcmp(name, nobody[i], annotator.length) == 0)
            annotator.length = 0;
    return annotator;
}

static enum sl_status read_labels(const struct sl_json_cursor *list, struct sl_field *labels,
                                  size_t count, struct sl_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct sl_json_cursor at = sl_json_element(list, i);
        const char *text = NULL;
        if (json_is_array(at.value))
            return sl_json_fail(&at, err,
                                "the label is a span; softlab reads exports of classification");
        SL_TRY(sl_json_string(&at, &text, err));
        if (*text == '\0') return sl_json_fail(&at, err, "the label has no name");
        labels[i] = sl_field_of(text);
    }
    return SL_OK;
}

static enum sl_status put_text(void *context, const struct sl_json_cursor *record,
                               struct sl_error *err)
{
    const struct doccano_reading *reading = context;
    struct sl_hard_row row = {.annotator = reading->annotator};
    struct sl_json_cursor item, list;
    struct sl_field *labels = NULL;
    char digits[SL_NAME_DIGITS];
    size_t count = 0;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_record_check(record, "an object {\"id\": ..., \"label\": [...]}", err));
    SL_TRY_OUT(sl_json_member(record, reading->item, &item, err));
    SL_TRY_OUT(sl_record_name(&item, "an item's name", digits, &row.item, err));
    SL_TRY_OUT(sl_json_member(record, reading->label, &list, err));
    SL_TRY_OUT(sl_json_array_size(&list, &count, err));
    labels = sl_alloc(count + 1, sizeof *labels);
    SL_TRY_OUT(read_labels(&list, labels, count, err));
    if (count == 0)
        sl_import_skip(sl_hard_pass_import(reading->pass), "%s: item %.*s has no label",
                       record->document->name, sl_field_shown(row.item), row.item.text);
    else
        SL_TRY_OUT(sl_record_blame(sl_chosen_row_put(reading->pass, &row, labels, count, err),
                                   &list, err));
out:
    free(labels);
    return status;
}

static enum sl_status read_doccano(const char *path, const void *settings,
                                   struct sl_hard_pass *pass, struct sl_error *err)
{
    struct doccano_reading reading = *(const struct doccano_reading *)settings;
    const struct sl_record_visitor visitor = {put_text, &reading};
    reading.annotator = annotator_of(path);
    reading.pass = pass;
    return sl_records_read(path, &visitor, err);
}

/* The user's name of a member, or ours, on the heap. */
static char *member_name(struct sl_field named, const char *ours)
{
    return named.length > 0 ? sl_string_copy_n(named.text, named.length) : sl_string_copy(ours);
}

SL_IMPORTER(sl_import_doccano)
{
    struct sl_field named[SL_LONG_ROLES];
    SL_TRY(sl_columns_pairs(options ? options->columns : NULL,
                            1u << SL_LONG_ITEM | 1u << SL_LONG_LABEL, named, err));
    char *item = member_name(named[SL_LONG_ITEM], "id");
    char *label = member_name(named[SL_LONG_LABEL], "label");
    const struct doccano_reading settings = {.item = item, .label = label};
    const struct sl_hard_reader reader = {read_doccano, &settings};
    const enum sl_status status = sl_import_hard(&reader, paths, n_paths, options, sink, err);
    free(item);
    free(label);
    return status;
}
