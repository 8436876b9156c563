/* potato: annotated_instances of Potato, as .jsonl (an object on each line, of one annotator or of
 * all) or as .csv and .tsv (columns user, instance_id, displayed_text and <schema>:::<label>).
 *
 * An answer is what an annotator chose in one schema: the labels with a value other than empty or
 * false, several of them as kind select. If there are several schemas, --columns label=SCHEMA
 * chooses one. The annotator of a .jsonl line is its `user_id` or `user`, or else the folder of the
 * file, as Potato names it; then a second line about an item stops the import, since the file would
 * be one of several annotators without their names. A free text or a number of a slider is no
 * class and stops the import. An instance without an answer is skipped and counted. */
#include <stdlib.h>
#include <string.h>

#include "answer/formats/exports.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"

static const char separator[] = ":::";
static const char span_schema[] = "span_annotation";

struct potato_reading {
    struct sl_question *question; /* borrowed */
    struct sl_hard_pass *pass;    /* borrowed */
    struct sl_field folder;       /* the annotator if lines name nobody; may be empty */
    struct sl_name_table *items;  /* owned; of lines that name nobody */
    struct sl_field *labels;      /* owned; the chosen ones of one instance */
    size_t n_labels, capacity;
};

static void choose(struct potato_reading *reading, struct sl_field label)
{
    if (reading->n_labels == reading->capacity) {
        reading->capacity = reading->capacity * 2 + 8;
        reading->labels = sl_resize(reading->labels, reading->capacity, sizeof *reading->labels);
    }
    reading->labels[reading->n_labels++] = label;
}

static bool is(struct sl_field field, const char *word)
{
    return field.length == strlen(word) && memcmp(field.text, word, field.length) == 0;
}

/* Inputs of Potato that hold no class. */
static enum sl_status check_label(struct sl_field label, struct sl_error *err)
{
    static const char *const inputs[] = {"text_box", "slider"};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (is(label, inputs[i]))
            return sl_fail(err, SL_ERR_INPUT,
                           "the answer is a %s, which holds no class; choose another schema with "
                           "--columns label=SCHEMA",
                           i == 0 ? "free text" : "number of a slider");
    return SL_OK;
}

/* The chosen labels as an answer. */
static enum sl_status put_chosen(const struct potato_reading *reading,
                                 const struct sl_hard_row *row, const char *path, size_t line,
                                 struct sl_error *err)
{
    struct sl_import *import = sl_hard_pass_import(reading->pass);
    sl_import_at(import, path, line);
    if (reading->n_labels > 0)
        return sl_chosen_row_put(reading->pass, row, reading->labels, reading->n_labels, err);
    sl_import_skip(import, "%s:%zu: instance %.*s has no answer", path, line,
                   sl_field_shown(row->item), row->item.text);
    return SL_OK;
}

/* ---- Lines of JSON ---- */

/* true, a number other than 0, or a text: Potato stores what the browser sends. */
static bool is_chosen(const json_t *value)
{
    if (json_is_string(value)) {
        const char *text = json_string_value(value);
        return *text && strcmp(text, "false") != 0 && strcmp(text, "False") != 0;
    }
    return json_is_true(value) || (json_is_number(value) && json_number_value(value) > 0);
}

static enum sl_status read_schema(struct potato_reading *reading,
                                  const struct sl_json_cursor *schema, struct sl_error *err)
{
    const char *label = NULL;
    json_t *value = NULL;
    SL_TRY(sl_record_check(schema, "an object {label: value}", err));
    json_object_foreach(schema->value, label, value)
    {
        const struct sl_json_cursor at = sl_json_below(schema, label);
        if (!is_chosen(value)) continue;
        SL_TRY(sl_record_blame(check_label(sl_field_of(label), err), &at, err));
        if (*label == '\0') return sl_json_fail(&at, err, "the label has no name");
        choose(reading, sl_field_of(label));
    }
    return SL_OK;
}

static enum sl_status read_schemas(struct potato_reading *reading,
                                   const struct sl_json_cursor *record, struct sl_error *err)
{
    struct sl_json_cursor schemas;
    const char *name = NULL;
    json_t *value = NULL;
    reading->n_labels = 0;
    SL_TRY(sl_json_member(record, "label_annotations", &schemas, err));
    SL_TRY(sl_record_check(&schemas, "an object {schema: {label: value}}", err));
    json_object_foreach(schemas.value, name, value)
    {
        const struct sl_json_cursor at = sl_json_below(&schemas, name);
        bool read = false;
        SL_TRY(sl_record_blame(sl_question_meet(reading->question, sl_field_of(name), &read, err),
                               &at, err));
        if (read) SL_TRY(read_schema(reading, &at, err));
    }
    return SL_OK;
}

/* The first of two members that is there. */
static enum sl_status either(const struct sl_json_cursor *record, const char *first,
                             const char *second, struct sl_json_cursor *out, struct sl_error *err)
{
    SL_TRY(sl_json_optional(record, first, out, err));
    return out->value ? SL_OK : sl_json_optional(record, second, out, err);
}

/* The annotator of a line that names nobody: the folder's, unless the item was answered before. */
static enum sl_status take_folder(struct potato_reading *reading,
                                  const struct sl_json_cursor *record, struct sl_hard_row *row,
                                  struct sl_error *err)
{
    const size_t before = sl_name_table_count(reading->items);
    uint32_t number = 0;
    SL_TRY(sl_name_table_add(reading->items, row->item.text, row->item.length, &number, err));
    row->annotator = reading->folder;
    if (number == before) return SL_OK;
    return sl_json_fail(record, err,
                        "instance %.*s appears twice and no line names its user; give the "
                        "annotated_instances.jsonl of each user's folder",
                        sl_field_shown(row->item), row->item.text);
}

static enum sl_status put_instance(void *context, const struct sl_json_cursor *record,
                                   struct sl_error *err)
{
    struct potato_reading *reading = context;
    struct sl_hard_row row = {0};
    struct sl_json_cursor at;
    char item[SL_NAME_DIGITS], user[SL_NAME_DIGITS];
    SL_TRY(sl_record_check(record, "an object {\"id\": ..., \"label_annotations\": ...}", err));
    SL_TRY(either(record, "instance_id", "id", &at, err));
    if (!at.value) SL_TRY(sl_json_member(record, "id", &at, err));
    SL_TRY(sl_record_name(&at, "the instance's id", item, &row.item, err));
    SL_TRY(either(record, "user_id", "user", &at, err));
    if (at.value)
        SL_TRY(sl_record_name(&at, "a user", user, &row.annotator, err));
    else
        SL_TRY(take_folder(reading, record, &row, err));
    SL_TRY(read_schemas(reading, record, err));
    return sl_record_blame(
        put_chosen(reading, &row, record->document->name, record->document->first_line, err),
        record, err);
}

/* The name of the folder that a file is in; empty for the working folder. */
static struct sl_field folder_of(const char *path)
{
    const char *end = sl_path_name(path);
    while (end > path && end[-1] == '/')
        end--;
    const char *begin = end;
    while (begin > path && begin[-1] != '/')
        begin--;
    const struct sl_field folder = {begin, (size_t)(end - begin)};
    return is(folder, ".") || is(folder, "..") ? (struct sl_field){"", 0} : folder;
}

static enum sl_status read_instances(const char *path, struct potato_reading *reading,
                                     struct sl_error *err)
{
    const struct sl_record_visitor visitor = {put_instance, reading};
    reading->folder = folder_of(path);
    reading->items = sl_name_table_create();
    const enum sl_status status = sl_records_read(path, &visitor, err);
    sl_name_table_destroy(reading->items);
    return status;
}

/* ---- Tables ---- */

/* A column <schema>:::<label> of the schema that is read, or not. */
static enum sl_status look_at_column(const struct potato_reading *reading, const char *name,
                                     bool *read, struct sl_field *label, struct sl_error *err)
{
    const char *at = strstr(name, separator);
    *read = false;
    if (!at) return SL_OK;
    const struct sl_field schema = {name, (size_t)(at - name)};
    if (is(schema, span_schema)) return SL_OK;
    SL_TRY(sl_question_meet(reading->question, schema, read, err));
    *label = sl_field_of(at + strlen(separator));
    return *read ? check_label(*label, err) : SL_OK;
}

static enum sl_status put_row(struct potato_reading *reading, const struct sl_csv *csv,
                              const char *path, const struct sl_csv_record *record,
                              const size_t place[2], struct sl_error *err)
{
    const struct sl_hard_row row = {.item = sl_csv_plain(record->fields[place[0]]),
                                    .annotator = sl_csv_plain(record->fields[place[1]])};
    reading->n_labels = 0;
    if (row.item.length == 0) return sl_fail(err, SL_ERR_INPUT, "instance_id is empty");
    for (size_t i = 0; i < record->count; i++) {
        const struct sl_field value = record->fields[i];
        struct sl_field label;
        bool read = false;
        SL_TRY(look_at_column(reading, sl_csv_column_name(csv, i), &read, &label, err));
        if (read && value.length > 0 && !is(value, "false") && !is(value, "False"))
            choose(reading, label);
    }
    return put_chosen(reading, &row, path, record->line, err);
}

static enum sl_status read_table(const char *path, bool tabs, struct potato_reading *reading,
                                 struct sl_error *err)
{
    struct sl_csv_options options = sl_csv_options_default();
    struct sl_csv_record record = {0};
    struct sl_csv *csv = NULL;
    size_t place[2] = {0};
    enum sl_status status = SL_OK;
    if (tabs) options.delimiter = '\t';
    SL_TRY_OUT(sl_csv_open(path, &options, &csv, err));
    SL_TRY_OUT(sl_csv_column(csv, "instance_id", &place[0], err));
    SL_TRY_OUT(sl_csv_column(csv, "user", &place[1], err));
    for (;;) {
        SL_TRY_OUT(sl_csv_next(csv, &record, err));
        if (record.count == 0) break;
        SL_TRY_OUT(
            sl_at_line(put_row(reading, csv, path, &record, place, err), path, record.line, err));
    }
out:
    sl_csv_close(csv);
    return status;
}

/* ---- Both ---- */

static enum sl_status read_potato(const char *path, const void *settings, struct sl_hard_pass *pass,
                                  struct sl_error *err)
{
    struct potato_reading reading = {.question = *(struct sl_question *const *)settings,
                                     .pass = pass};
    const bool tabs = sl_path_has_suffix(path, ".tsv") || sl_path_has_suffix(path, ".tsv.gz");
    bool json = false;
    SL_TRY(sl_file_is_json(path, &json, err));
    enum sl_status status =
        json ? read_instances(path, &reading, err) : read_table(path, tabs, &reading, err);
    free(reading.labels);
    return status == SL_OK ? sl_question_finish(reading.question, path, err) : status;
}

SL_IMPORTER(sl_import_potato)
{
    struct sl_field named[SL_LONG_ROLES];
    struct sl_question question, *const settings = &question;
    SL_TRY(sl_columns_pairs(options ? options->columns : NULL, 1u << SL_LONG_LABEL, named, err));
    sl_question_init(&question, named[SL_LONG_LABEL], "schema");
    const struct sl_hard_reader reader = {read_potato, &settings};
    const enum sl_status status = sl_import_hard(&reader, paths, n_paths, options, sink, err);
    sl_question_release(&question);
    return status;
}
