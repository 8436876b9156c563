/* Rows in JSON: {"<item>": [[K] per annotator]} or {"<item>": [K]}. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows/internal.h"
#include "softlab/base/file.h"
#include "softlab/base/json.h"
#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "softlab/base/text.h"

static const size_t file_limit = (size_t)4 << 30;
enum { ROW_LIMIT = 64 << 20 };

static enum sl_status read_row(struct sl_rows_builder *builder, const struct sl_json_cursor *at,
                               const char *item, struct sl_error *err)
{
    size_t count = 0;
    struct sl_rows *rows = builder->rows;
    SL_TRY(sl_json_array_size(at, &count, err));
    if (rows->n_classes == 0) rows->n_classes = count;
    if (count == 0 || count != rows->n_classes) {
        const size_t expected = rows->n_classes > 0 ? rows->n_classes : 1;
        return sl_json_fail(at, err, "expected %zu number%s, got %zu", expected,
                            sl_text_plural(expected, "", "s"), count);
    }
    float *row = sl_rows_push(builder, item, strlen(item), "", 0, err);
    if (!row) return SL_ERR_NOMEM;
    for (size_t k = 0; k < count; k++) {
        struct sl_json_cursor element = sl_json_element(at, k);
        double value = 0;
        SL_TRY(sl_json_number(&element, -(double)FLT_MAX, (double)FLT_MAX, &value, err));
        row[k] = (float)value;
    }
    return SL_OK;
}

static enum sl_status read_item(struct sl_rows_builder *builder, const struct sl_json_cursor *at,
                                const char *item, struct sl_error *err)
{
    size_t count = 0;
    SL_TRY(sl_json_array_size(at, &count, err));
    if (count == 0) return sl_json_fail(at, err, "the item has no rows");
    const bool nested = json_is_array(sl_json_element(at, 0).value);
    if (builder->rows->n_rows == 0) builder->annotators = nested;
    if (nested != builder->annotators)
        return sl_json_fail(at, err, "expected %s, as the earlier items have",
                            nested ? "one row of numbers" : "a row per annotator");
    if (!nested) return read_row(builder, at, item, err);
    for (size_t i = 0; i < count; i++) {
        struct sl_json_cursor row = sl_json_element(at, i);
        SL_TRY(read_row(builder, &row, item, err));
    }
    return SL_OK;
}

enum sl_status sl_rows_read_json(const char *path, const char *array, struct sl_rows **out,
                                 struct sl_error *err)
{
    (void)array;
    struct sl_json json = {0};
    struct sl_rows_builder builder = {.rows = sl_alloc(1, sizeof *builder.rows)};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_json_read(path, file_limit, &json, err));
    const struct sl_json_cursor root = sl_json_root(&json);
    if (!json_is_object(json.root) || json_object_size(json.root) == 0)
        SL_TRY_OUT(sl_json_fail(&root, err, "expected an object with a row for every item"));
    for (void *at = json_object_iter(json.root); at; at = json_object_iter_next(json.root, at)) {
        struct sl_json_cursor member;
        const char *item = json_object_iter_key(at);
        SL_TRY_OUT(sl_json_member(&root, item, &member, err));
        SL_TRY_OUT(read_item(&builder, &member, item, err));
    }
    *out = builder.rows;
    builder.rows = NULL;
out:
    sl_rows_destroy(builder.rows);
    if (json.root) sl_json_release(&json);
    return status;
}

static void append_row(struct sl_buffer *out, const struct sl_rows *rows, size_t row)
{
    char number[SL_NUMBER_TEXT];
    sl_buffer_byte(out, '[');
    for (size_t k = 0; k < rows->n_classes; k++) {
        if (k > 0) sl_buffer_text(out, ", ");
        sl_buffer_append(out, number,
                         sl_text_from_float(rows->values[row * rows->n_classes + k], number));
    }
    sl_buffer_byte(out, ']');
}

/* Rows of the same item, wherever they are: first[i] is the first row of item i and next[r] the row
 * after r, SIZE_MAX at the end. */
struct chains {
    struct sl_name_table *items; /* owned */
    size_t *first, *last, *next; /* owned */
};

static enum sl_status link_rows(const struct sl_rows *rows, struct chains *chains,
                                struct sl_error *err)
{
    chains->items = sl_name_table_create();
    chains->first = sl_data_alloc(rows->n_rows, sizeof *chains->first, err);
    chains->last = sl_data_alloc(rows->n_rows, sizeof *chains->last, err);
    chains->next = sl_data_alloc(rows->n_rows, sizeof *chains->next, err);
    if (!chains->first || !chains->last || !chains->next) return SL_ERR_NOMEM;
    for (size_t i = 0; i < rows->n_rows; i++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        const char *name = rows->items ? rows->items[i] : number;
        const size_t n_items = sl_name_table_count(chains->items);
        uint32_t item = 0;
        SL_TRY(sl_name_table_add(chains->items, name, strlen(name), &item, err));
        if (item == n_items)
            chains->first[item] = i;
        else if (rows->annotators)
            chains->next[chains->last[item]] = i;
        else
            return sl_fail(err, SL_ERR_INPUT,
                           "item %.60s has two rows, and no annotators tell them apart", name);
        chains->last[item] = i;
        chains->next[i] = SIZE_MAX;
    }
    return SL_OK;
}

static enum sl_status append_item(struct sl_buffer *out, const struct sl_rows *rows,
                                  const struct chains *chains, size_t item, struct sl_error *err)
{
    size_t length = 0;
    const char *name = sl_name_table_get(chains->items, (uint32_t)item, &length);
    sl_buffer_text(out, item > 0 ? ", " : "{");
    SL_TRY(sl_json_append_string(out, name, length, "an item", err));
    sl_buffer_text(out, rows->annotators ? ": [" : ": ");
    for (size_t row = chains->first[item]; row != SIZE_MAX; row = chains->next[row]) {
        if (row != chains->first[item]) sl_buffer_text(out, ", ");
        append_row(out, rows, row);
    }
    if (rows->annotators) sl_buffer_byte(out, ']');
    return sl_buffer_check(out, "the rows of an item", err);
}

enum sl_status sl_rows_write_json(const struct sl_rows *rows, const char *array, const char *path,
                                  struct sl_error *err)
{
    (void)array;
    struct chains chains = {0};
    struct sl_writer writer = {.descriptor = -1};
    struct sl_buffer text;
    sl_buffer_init_data(&text, ROW_LIMIT);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(link_rows(rows, &chains, err));
    SL_TRY_OUT(sl_writer_open(&writer, path, err));
    const size_t n_items = sl_name_table_count(chains.items);
    for (size_t item = 0; item < n_items; item++) {
        sl_buffer_clear(&text);
        SL_TRY_OUT(append_item(&text, rows, &chains, item, err));
        SL_TRY_OUT(sl_writer_write(&writer, text.data, text.length, err));
    }
    SL_TRY_OUT(sl_writer_printf(&writer, err, "%s}\n", n_items == 0 ? "{" : ""));
    SL_TRY_OUT(sl_writer_commit(&writer, err));
out:
    sl_writer_discard(&writer);
    sl_buffer_release(&text);
    sl_name_table_destroy(chains.items);
    free(chains.first);
    free(chains.last);
    free(chains.next);
    return status;
}
