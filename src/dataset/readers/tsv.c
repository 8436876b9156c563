/* Texts: tab-separated lines under a header with a column `text` and, if known, `item`,
 * `label`, and `start` and `end`, the bytes of the text that the question is about. A field that
 * begins with a quote is quoted as in CSV and may hold tabs and line breaks; a quote elsewhere is
 * an ordinary character.
 *
 * Classes are the labels that occur, sorted; if all of them are whole numbers they are the
 * classes' numbers. An empty label is an unknown one. */
#include <stdlib.h>
#include <string.h>

#include "dataset/readers/reader.h"
#include "softlab/base/csv.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { NO_COLUMN = -1 };

struct row {
    char *text, *item, *label; /* owned; item and label may be NULL */
    struct sl_span span;
    size_t line;
};

struct table {
    const char *path;   /* borrowed */
    struct sl_csv *csv; /* owned */
    ptrdiff_t text, item, label, start, end;
    struct row *rows; /* owned */
    size_t count, capacity;
};

static void release_table(struct table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        free(table->rows[i].text);
        free(table->rows[i].item);
        free(table->rows[i].label);
    }
    free(table->rows);
    sl_csv_close(table->csv);
}

static ptrdiff_t column_of(const struct sl_csv *csv, const char *name)
{
    for (size_t i = 0; i < sl_csv_column_count(csv); i++)
        if (strcmp(sl_csv_column_name(csv, i), name) == 0) return (ptrdiff_t)i;
    return NO_COLUMN;
}

static enum sl_status find_columns(struct table *table, struct sl_error *err)
{
    size_t text = 0;
    SL_TRY(sl_csv_column(table->csv, "text", &text, err));
    table->text = (ptrdiff_t)text;
    table->item = column_of(table->csv, "item");
    table->label = column_of(table->csv, "label");
    table->start = column_of(table->csv, "start");
    table->end = column_of(table->csv, "end");
    if ((table->start == NO_COLUMN) != (table->end == NO_COLUMN))
        return sl_csv_fail(table->csv, 1, err,
                           "the columns start and end must come together, found only %s",
                           table->start == NO_COLUMN ? "end" : "start");
    return SL_OK;
}

static bool at_boundary(struct sl_field text, size_t at)
{
    return at == text.length || ((unsigned char)text.text[at] & 0xC0) != 0x80;
}

/* Both fields empty, or both 0, mean the whole text. */
static enum sl_status read_span(const struct table *table, const struct sl_csv_record *record,
                                struct sl_span *out, struct sl_error *err)
{
    if (table->start == NO_COLUMN) return SL_OK;
    size_t start = (size_t)table->start, end = (size_t)table->end;
    if (record->fields[start].length == 0 && record->fields[end].length == 0) return SL_OK;
    struct sl_field text = record->fields[table->text];
    int64_t from = 0, to = 0, most = (int64_t)text.length;
    SL_TRY(sl_csv_integer(table->csv, record, start, 0, most, &from, err));
    SL_TRY(sl_csv_integer(table->csv, record, end, 0, most, &to, err));
    if (from == 0 && to == 0) return SL_OK;
    if (from >= to)
        return sl_csv_fail(table->csv, record->line, err, "span from %lld to %lld is empty",
                           (long long)from, (long long)to);
    if (!at_boundary(text, (size_t)from) || !at_boundary(text, (size_t)to))
        return sl_csv_fail(table->csv, record->line, err,
                           "span from %lld to %lld cuts a UTF-8 character", (long long)from,
                           (long long)to);
    *out = (struct sl_span){(size_t)from, (size_t)to};
    return SL_OK;
}

static enum sl_status copy_field(const struct table *table, const struct sl_csv_record *record,
                                 ptrdiff_t column, char **out, struct sl_error *err)
{
    struct sl_field field = record->fields[column];
    size_t valid = sl_utf8_valid(field.text, field.length);
    if (valid != field.length)
        return sl_csv_fail(table->csv, record->line, err, "byte %zu of column %s is not UTF-8",
                           valid + 1, sl_csv_column_name(table->csv, (size_t)column));
    *out = sl_data_string(field.text, field.length, err);
    return *out ? SL_OK : SL_ERR_NOMEM;
}

static enum sl_status add_row(struct table *table, const struct sl_csv_record *record,
                              struct sl_error *err)
{
    if (table->count == table->capacity) {
        const size_t capacity = table->capacity ? table->capacity * 2 : 256;
        struct row *grown = sl_data_resize(table->rows, capacity, sizeof *grown, err);
        if (!grown) return SL_ERR_NOMEM;
        table->rows = grown;
        table->capacity = capacity;
    }
    struct row *row = &table->rows[table->count++];
    *row = (struct row){.line = record->line};
    SL_TRY(copy_field(table, record, table->text, &row->text, err));
    if (sl_text_is_blank(record->fields[table->text].text, record->fields[table->text].length))
        return sl_csv_fail(table->csv, record->line, err,
                           "the text is blank; give every item a text or leave out its line");
    if (table->item != NO_COLUMN) {
        if (record->fields[table->item].length == 0)
            return sl_csv_fail(table->csv, record->line, err, "the item has no id");
        SL_TRY(copy_field(table, record, table->item, &row->item, err));
    }
    if (table->label != NO_COLUMN && record->fields[table->label].length > 0)
        SL_TRY(copy_field(table, record, table->label, &row->label, err));
    return read_span(table, record, &row->span, err);
}

static enum sl_status read_rows(struct table *table, struct sl_error *err)
{
    struct sl_csv_options options = sl_csv_options_default();
    options.delimiter = '\t';
    options.inner_quotes = true;
    SL_TRY(sl_csv_open(table->path, &options, &table->csv, err));
    SL_TRY(find_columns(table, err));
    for (;;) {
        struct sl_csv_record record;
        SL_TRY(sl_csv_next(table->csv, &record, err));
        if (record.count == 0) break;
        SL_TRY(add_row(table, &record, err));
    }
    if (table->count > 0) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s: no texts below the header", table->path);
}

struct id {
    const char *item; /* borrowed */
    size_t line;
};

static int compare_ids(const void *a, const void *b)
{
    const struct id *x = a, *y = b;
    int order = strcmp(x->item, y->item);
    if (order != 0) return order;
    return x->line < y->line ? -1 : x->line > y->line;
}

static enum sl_status check_ids(const struct table *table, struct sl_error *err)
{
    struct id *ids = sl_data_alloc(table->count, sizeof *ids, err);
    if (!ids) return SL_ERR_NOMEM;
    for (size_t i = 0; i < table->count; i++)
        ids[i] = (struct id){table->rows[i].item, table->rows[i].line};
    qsort(ids, table->count, sizeof *ids, compare_ids);
    enum sl_status status = SL_OK;
    for (size_t i = 1; status == SL_OK && i < table->count; i++)
        if (strcmp(ids[i - 1].item, ids[i].item) == 0)
            status = sl_csv_fail(table->csv, ids[i].line, err, "item %s is on line %zu too",
                                 ids[i].item, ids[i - 1].line);
    free(ids);
    return status;
}

static bool number_of(const char *label, int32_t *out)
{
    int64_t value = 0;
    if (!sl_text_to_integer(label, strlen(label), &value) || value < 0 || value > INT32_MAX)
        return false;
    *out = (int32_t)value;
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum sl_status set_named_labels(struct sl_dataset *dataset, const struct table *table,
                                       struct sl_error *err)
{
    const char **names = sl_data_alloc(table->count, sizeof *names, err);
    if (!names) return SL_ERR_NOMEM;
    size_t count = 0, n_classes = 0;
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].label) names[count++] = table->rows[i].label;
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(names[i], names[n_classes - 1]) != 0) names[n_classes++] = names[i];
    sl_dataset_name_classes(dataset, names, n_classes);
    for (size_t i = 0; i < table->count; i++) {
        const char *const *found = NULL;
        if (table->rows[i].label)
            found = bsearch(&table->rows[i].label, names, n_classes, sizeof *names, compare_names);
        if (found) dataset->labels[i] = (int32_t)(found - names);
    }
    free(names);
    return SL_OK;
}

static enum sl_status set_labels(struct sl_dataset *dataset, const struct table *table,
                                 struct sl_error *err)
{
    /* The largest number decides the number of classes, so a stray one must not create millions. */
    enum { MOST_NUMBERED = 65536 };
    size_t n_classes = 0;
    for (size_t i = 0; i < table->count; i++) {
        int32_t number = 0;
        if (!table->rows[i].label) continue;
        if (!number_of(table->rows[i].label, &number)) return set_named_labels(dataset, table, err);
        if (number >= MOST_NUMBERED)
            return sl_csv_fail(table->csv, table->rows[i].line, err,
                               "label %ld is too large; expected less than %d", (long)number,
                               MOST_NUMBERED);
        dataset->labels[i] = number;
        if ((size_t)number >= n_classes) n_classes = (size_t)number + 1;
    }
    sl_dataset_number_classes(dataset, n_classes);
    return SL_OK;
}

static enum sl_status build(struct table *table, struct sl_dataset **out, struct sl_error *err)
{
    struct sl_dataset *dataset = NULL;
    enum sl_status status;
    SL_TRY_OUT(sl_dataset_create(table->path, table->count, &dataset, err));
    SL_TRY_OUT(set_labels(dataset, table, err));
    dataset->texts = sl_data_zeroed(table->count, sizeof *dataset->texts, err);
    SL_TRY_OUT(dataset->texts ? SL_OK : SL_ERR_NOMEM);
    if (table->start != NO_COLUMN) {
        dataset->spans = sl_data_zeroed(table->count, sizeof *dataset->spans, err);
        SL_TRY_OUT(dataset->spans ? SL_OK : SL_ERR_NOMEM);
    }
    if (table->item == NO_COLUMN) sl_dataset_number_items(dataset, 0);
    for (size_t i = 0; i < table->count; i++) {
        struct row *row = &table->rows[i];
        dataset->texts[i] = row->text;
        row->text = NULL;
        if (dataset->spans) dataset->spans[i] = row->span;
        if (table->item == NO_COLUMN) continue;
        dataset->items[i] = row->item;
        row->item = NULL;
    }
    *out = dataset;
    dataset = NULL;
out:
    sl_dataset_destroy(dataset);
    return status;
}

static enum sl_status open_tsv(const char *path, const char *split, struct sl_dataset **out,
                               struct sl_error *err)
{
    struct table table = {.path = path};
    enum sl_status status;
    SL_TRY_OUT(sl_no_split(path, split, err));
    SL_TRY_OUT(read_rows(&table, err));
    if (table.item != NO_COLUMN) SL_TRY_OUT(check_ids(&table, err));
    SL_TRY_OUT(build(&table, out, err));
out:
    release_table(&table);
    return status;
}

static bool probe(const char *path)
{
    return sl_path_has_suffix(path, ".tsv");
}

const struct sl_reader sl_reader_tsv = {
    "tsv",
    "a .tsv with a column text",
    probe,
    open_tsv,
};
