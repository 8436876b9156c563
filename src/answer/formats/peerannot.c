/* peerannot: {"<item>": {"<worker>": label}} with numbers as labels.
 *
 * A label that is neither a whole number nor a string stops the import with its path; null is an
 * answer without a class, skipped and counted; an item with {} is counted. On export labels are
 * numbers: the class names if these are numbers, their indices otherwise. */
#include <stdlib.h>
#include <string.h>

#include "answer/formats/exports.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

static const size_t largest_file = (size_t)1 << 30;

static enum sl_status put_item(const struct sl_json_cursor *item, struct sl_hard_pass *pass,
                               struct sl_error *err)
{
    const char *worker = NULL;
    json_t *value = NULL;
    char digits[SL_NAME_DIGITS];
    if (!json_is_object(item->value))
        return sl_json_fail(item, err, "expected an object {worker: label}");
    json_object_foreach(item->value, worker, value)
    {
        const struct sl_json_cursor at = {
            .document = item->document, .parent = item, .key = worker, .value = value};
        struct sl_hard_row row = {.item = sl_field_of(item->key), .annotator = sl_field_of(worker)};
        if (json_is_null(value)) {
            sl_import_skip(sl_hard_pass_import(pass), "%s: item %s, worker %s: no class",
                           item->document->name, item->key, worker);
            continue;
        }
        SL_TRY(sl_record_name(&at, "a label", digits, &row.label, err));
        SL_TRY(sl_record_blame(sl_hard_row_put(pass, &row, err), &at, err));
    }
    return SL_OK;
}

static enum sl_status read_items(const void *settings, struct sl_hard_pass *pass,
                                 struct sl_error *err)
{
    const struct sl_json *document = settings;
    const struct sl_json_cursor root = sl_json_root(document);
    const char *key = NULL;
    json_t *value = NULL;
    if (!json_is_object(root.value))
        return sl_json_fail(&root, err, "expected an object {item: {worker: label}}");
    json_object_foreach(root.value, key, value)
    {
        const struct sl_json_cursor item = {
            .document = document, .parent = &root, .key = key, .value = value};
        SL_TRY(put_item(&item, pass, err));
        if (json_object_size(value) == 0)
            sl_import_empty_item(sl_hard_pass_import(pass), "%s: item %s has no answers",
                                 document->name, key);
    }
    return SL_OK;
}

static enum sl_status read_peerannot(const char *path, const void *settings,
                                     struct sl_hard_pass *pass, struct sl_error *err)
{
    (void)settings;
    struct sl_json document = {0};
    SL_TRY(sl_json_read(path, largest_file, &document, err));
    enum sl_status status = read_items(&document, pass, err);
    sl_json_release(&document);
    return status;
}

SL_IMPORTER(sl_import_peerannot)
{
    const struct sl_hard_reader reader = {read_peerannot, NULL};
    return sl_import_hard(&reader, paths, n_paths, options, sink, err);
}

static json_int_t label_number(const struct sl_answers *answers, bool numbers, int64_t label)
{
    int64_t value = label;
    const char *name = answers->classes[label];
    if (numbers) (void)sl_text_to_integer(name, strlen(name), &value);
    return value;
}

static enum sl_status fill_items(const struct sl_hard_export *export,
                                 const struct sl_item_index *index, int64_t *row, json_t *root,
                                 struct sl_error *err)
{
    const struct sl_answers *answers = export->answers;
    const size_t n_annotators = sl_name_table_count(answers->annotators);
    const bool numbers = sl_classes_are_numbers(answers);
    for (size_t item = 0; item < sl_name_table_count(answers->items); item++) {
        SL_TRY(sl_hard_export_row(export, index, item, row, err));
        const char *item_name = sl_name_table_get(answers->items, (uint32_t)item, NULL);
        json_t *workers = json_object();
        if (json_object_set_new(root, item_name, workers) != 0)
            return sl_fail(err, SL_ERR_INPUT, "item %zu: name is not UTF-8", item);
        for (size_t i = 0; i < n_annotators; i++) {
            if (row[i] < 0) continue;
            const char *name = sl_name_table_get(answers->annotators, (uint32_t)i, NULL);
            json_t *label = json_integer(label_number(answers, numbers, row[i]));
            if (json_object_set_new(workers, name, label) != 0)
                return sl_fail(err, SL_ERR_INPUT, "annotator %zu: name is not UTF-8", i);
        }
    }
    return SL_OK;
}

SL_EXPORTER(sl_export_peerannot)
{
    enum sl_status status = SL_OK;
    const struct sl_hard_export export = {
        .answers = answers, .format = "peerannot", .notes = notes, .annotators = true};
    struct sl_item_index index = {0};
    json_t *root = json_object();
    int64_t *row = sl_alloc(sl_name_table_count(answers->annotators), sizeof *row);
    SL_TRY_OUT(sl_item_index_create(answers, &index, err));
    SL_TRY_OUT(fill_items(&export, &index, row, root, err));
    status = sl_json_write(root, path, err);
out:
    sl_item_index_release(&index);
    json_decref(root);
    free(row);
    return status;
}
