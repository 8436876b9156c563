/* Votes from Arrow arrays. Names are numbered in batches, and those of a dictionary once, so that a
 * row costs a few loads and no allocation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/filter.h"
#include "answer/formats/format.h"
#include "answer/formats/table_columns.h"
#include "answer/votes/block.h"
#include "answer/votes/sort.h"
#include "base/arrow/column.h"
#include "softlab/answer/arrow.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { BATCH = 64, ROLES = SL_LONG_LABEL + 1 };
/* A value of a dictionary that no row used so far. */
static const uint32_t unused = SL_NO_NAME - 1;

static const char *const role_names[ROLES] = {"item", "worker", "label"};

struct arrow_builder {
    const struct sl_import_options *options; /* borrowed */
    size_t place[SL_LONG_ROLES];             /* columns */
    struct sl_votes *votes;                  /* owned */
    struct sl_name_table *labels;            /* owned; in the order in which they are met */
    uint32_t *items;                         /* owned; of each vote */
    size_t capacity;                         /* of items, and of the votes' arrays */
    size_t n_batches, n_rows;                /* read before this array */
};

/* A column of the current array, with the numbers that its dictionary's names have. */
struct numbered_column {
    struct sl_arrow_column column;
    struct sl_name_table *names; /* borrowed; of the whole set */
    uint32_t *numbers;           /* owned; by index of the dictionary; NULL: no dictionary */
};

/* ---- Names ---- */

static enum sl_status blame_row(enum sl_status status, const struct arrow_builder *builder,
                                size_t row, unsigned role, struct sl_error *err)
{
    if (status != SL_ERR_INPUT) return status;
    return sl_fail_within(err, status, "arrow: row %zu: %s", builder->n_rows + row,
                          role_names[role]);
}

static enum sl_status start_dictionary(struct numbered_column *column, struct sl_error *err)
{
    const size_t count = column->column.dictionary.count;
    if (!column->column.encoded) return SL_OK;
    column->numbers = sl_data_alloc(count, sizeof *column->numbers, err);
    if (!column->numbers) return SL_ERR_NOMEM;
    for (size_t i = 0; i < count; i++)
        column->numbers[i] = unused;
    return SL_OK;
}

/* The number of a dictionary's value; SL_NO_NAME for null and empty ones. */
static enum sl_status number_value(const struct numbered_column *column, size_t index,
                                   struct sl_error *err)
{
    const struct sl_arrow_values *values = &column->column.dictionary;
    char digits[SL_ARROW_DIGITS];
    struct sl_field text = {"", 0};
    column->numbers[index] = SL_NO_NAME;
    if (!sl_arrow_is_null(values->valid, values->first, index))
        SL_TRY(sl_arrow_text(values, index, digits, &text, err));
    if (text.length == 0) return SL_OK;
    return sl_name_table_add(column->names, text.text, text.length, &column->numbers[index], err);
}

static enum sl_status number_encoded(const struct numbered_column *column, size_t row,
                                     uint32_t *out, struct sl_error *err)
{
    size_t index = 0;
    SL_TRY(sl_arrow_index(&column->column, row, &index, err));
    if (column->numbers[index] == unused) SL_TRY(number_value(column, index, err));
    *out = column->numbers[index];
    return SL_OK;
}

/* Up to BATCH rows. */
struct row_batch {
    size_t first, count;
    uint32_t numbers[ROLES][BATCH]; /* SL_NO_NAME for null and empty values */
};

/* Number the names of the rows in a column; but for labels, only of rows that have a label, so that
 * others leave no names. */
static enum sl_status number_rows(const struct arrow_builder *builder,
                                  const struct numbered_column *column, unsigned role,
                                  struct row_batch *batch, struct sl_error *err)
{
    const struct sl_arrow_values *values = &column->column.values;
    char digits[BATCH][SL_ARROW_DIGITS];
    struct sl_field texts[BATCH] = {0};
    uint32_t numbers[BATCH], *out = batch->numbers[role];
    size_t rows[BATCH], n_texts = 0;
    for (size_t i = 0; i < batch->count; i++) {
        const size_t row = batch->first + i;
        struct sl_field text = {"", 0};
        out[i] = SL_NO_NAME;
        if (role != SL_LONG_LABEL && batch->numbers[SL_LONG_LABEL][i] == SL_NO_NAME) continue;
        if (sl_arrow_is_null(values->valid, values->first, row)) continue;
        SL_TRY(blame_row(column->numbers ? number_encoded(column, row, &out[i], err)
                                         : sl_arrow_text(values, row, digits[i], &text, err),
                         builder, row, role, err));
        if (text.length == 0) continue;
        rows[n_texts] = i;
        texts[n_texts++] = text;
    }
    SL_TRY(sl_name_table_add_many(column->names, texts, n_texts, numbers, err));
    for (size_t i = 0; i < n_texts; i++)
        out[rows[i]] = numbers[i];
    return SL_OK;
}

/* ---- Rows ---- */

static enum sl_status reserve(struct arrow_builder *builder, size_t more, struct sl_error *err)
{
    struct sl_votes *votes = builder->votes;
    const size_t count = votes->count + more;
    if (count <= builder->capacity) return SL_OK;
    const size_t capacity = count + builder->capacity / 2;
    uint32_t *items = sl_data_resize(builder->items, capacity, sizeof *items, err);
    if (!items) return SL_ERR_NOMEM;
    builder->items = items;
    uint32_t *annotator = sl_data_resize(votes->annotator, capacity, sizeof *annotator, err);
    if (!annotator) return SL_ERR_NOMEM;
    votes->annotator = annotator;
    uint16_t *label = sl_data_resize(votes->label, capacity, sizeof *label, err);
    if (!label) return SL_ERR_NOMEM;
    votes->label = label;
    builder->capacity = capacity;
    return SL_OK;
}

static void skip_row(const struct arrow_builder *builder, size_t row)
{
    struct sl_import_notes *notes = builder->options->notes;
    if (notes) sl_notes_skip(notes, "arrow", row, "the row has no label");
}

static enum sl_status add_rows(struct arrow_builder *builder, const struct numbered_column *columns,
                               struct row_batch *batch, struct sl_error *err)
{
    struct sl_votes *votes = builder->votes;
    SL_TRY(number_rows(builder, &columns[SL_LONG_LABEL], SL_LONG_LABEL, batch, err));
    SL_TRY(number_rows(builder, &columns[SL_LONG_ITEM], SL_LONG_ITEM, batch, err));
    SL_TRY(number_rows(builder, &columns[SL_LONG_WORKER], SL_LONG_WORKER, batch, err));
    for (size_t i = 0; i < batch->count; i++) {
        const uint32_t item = batch->numbers[SL_LONG_ITEM][i];
        const uint32_t label = batch->numbers[SL_LONG_LABEL][i];
        const size_t row = builder->n_rows + batch->first + i;
        if (label == SL_NO_NAME) {
            skip_row(builder, row);
            continue;
        }
        if (item == SL_NO_NAME)
            return sl_fail(err, SL_ERR_INPUT, "arrow: row %zu has no item", row);
        if (label >= SL_VOTES_CLASSES)
            return sl_fail(err, SL_ERR_INPUT, "arrow: row %zu: " SL_VOTES_MANY_LABELS, row,
                           SL_VOTES_CLASSES);
        builder->items[votes->count] = item;
        votes->annotator[votes->count] = batch->numbers[SL_LONG_WORKER][i];
        votes->label[votes->count++] = (uint16_t)label;
    }
    return SL_OK;
}

/* ---- Arrays ---- */

static void warn_of_columns(const struct arrow_builder *builder, const struct ArrowSchema *schema)
{
    char left[200] = "";
    const struct sl_import_notes *notes = builder->options->notes;
    for (int64_t i = 0; i < schema->n_children; i++) {
        const size_t used = strlen(left);
        const char *name = schema->children[i]->name;
        bool read = false;
        for (unsigned role = 0; role < ROLES; role++)
            read = read || builder->place[role] == (size_t)i;
        if (!read)
            snprintf(left + used, sizeof left - used, "%s%.40s", used ? ", " : "",
                     name ? name : "");
    }
    if (notes && left[0] && !builder->options->columns)
        sl_log(notes->log, SL_LOG_WARNING, "arrow: these columns are not read: %s", left);
}

static enum sl_status begin(struct arrow_builder *builder, const struct ArrowSchema *schema,
                            struct sl_error *err)
{
    SL_TRY(sl_arrow_check_schema(schema, err));
    const size_t count = (size_t)schema->n_children;
    struct sl_field *names = sl_alloc(count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = sl_field_of(schema->children[i]->name ? schema->children[i]->name : "");
    enum sl_status status =
        sl_columns_place(names, count, builder->options->columns, builder->place, err);
    free(names);
    if (status != SL_OK) return sl_fail_within(err, status, "arrow");
    warn_of_columns(builder, schema);
    builder->votes = sl_votes_create();
    builder->labels = sl_name_table_create();
    return SL_OK;
}

static enum sl_status add_array(struct arrow_builder *builder, const struct ArrowSchema *schema,
                                const struct ArrowArray *array, struct sl_error *err)
{
    struct numbered_column columns[ROLES] = {
        [SL_LONG_ITEM] = {.names = builder->votes->items},
        [SL_LONG_WORKER] = {.names = builder->votes->annotators},
        [SL_LONG_LABEL] = {.names = builder->labels}};
    struct row_batch batch;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_arrow_check_struct(schema, array, err));
    const size_t count = (size_t)array->length;
    for (unsigned role = 0; role < ROLES; role++) {
        SL_TRY_OUT(
            sl_arrow_column_open(schema, array, builder->place[role], &columns[role].column, err));
        SL_TRY_OUT(start_dictionary(&columns[role], err));
    }
    SL_TRY_OUT(reserve(builder, count, err));
    for (size_t first = 0; first < count; first += BATCH) {
        batch.first = first;
        batch.count = count - first < BATCH ? count - first : BATCH;
        SL_TRY_OUT(add_rows(builder, columns, &batch, err));
    }
    builder->n_rows += count;
out:
    for (unsigned role = 0; role < ROLES; role++)
        free(columns[role].numbers);
    return status;
}

static enum sl_status finish(struct arrow_builder *builder, struct sl_votes **out,
                             struct sl_error *err)
{
    struct sl_votes *votes = builder->votes;
    const struct sl_import_options *options = builder->options;
    if (votes->count == 0)
        return sl_fail(err, SL_ERR_INPUT, "arrow: no answers in %zu rows", builder->n_rows);
    votes->n_items = sl_name_table_count(votes->items);
    votes->n_annotators = sl_name_table_count(votes->annotators);
    SL_TRY(sl_votes_sort_own(votes, builder->items, options->pool, err));
    const struct sl_vote_labels labels = {.names = builder->labels};
    SL_TRY(sl_votes_set_classes(votes, &labels, options->classes, "arrow", err));
    if (options->notes) options->notes->n_read += builder->n_rows;
    SL_TRY(sl_votes_note_duplicates(votes, "arrow", options->notes, err));
    if (sl_class_filter_is_asked(options)) SL_TRY(sl_votes_filter(&builder->votes, options, err));
    *out = builder->votes;
    builder->votes = NULL;
    return SL_OK;
}

static void release(struct arrow_builder *builder)
{
    sl_votes_destroy(builder->votes);
    sl_name_table_destroy(builder->labels);
    free(builder->items);
}

static const struct sl_import_options no_options;

enum sl_status sl_votes_from_arrow(struct ArrowSchema *schema, struct ArrowArray *array,
                                   const struct sl_import_options *options, struct sl_votes **out,
                                   struct sl_error *err)
{
    struct arrow_builder builder = {.options = options ? options : &no_options};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(begin(&builder, schema, err));
    SL_TRY_OUT(add_array(&builder, schema, array, err));
    SL_TRY_OUT(finish(&builder, out, err));
out:
    release(&builder);
    if (schema->release) schema->release(schema);
    if (array->release) array->release(array);
    return status;
}

/* ---- Streams ---- */

static enum sl_status fail_stream(struct ArrowArrayStream *stream, int code, struct sl_error *err)
{
    const char *why = stream->get_last_error ? stream->get_last_error(stream) : NULL;
    return sl_fail(err, SL_ERR_INPUT, "arrow: the stream reports %.200s",
                   why ? why : strerror(code));
}

static enum sl_status add_arrays(struct arrow_builder *builder, struct ArrowArrayStream *stream,
                                 const struct ArrowSchema *schema, struct sl_error *err)
{
    for (;; builder->n_batches++) {
        struct ArrowArray array = {0};
        const int code = stream->get_next(stream, &array);
        if (code != 0) return fail_stream(stream, code, err);
        if (!array.release) return SL_OK;
        const enum sl_status status = add_array(builder, schema, &array, err);
        array.release(&array);
        if (status != SL_OK) return sl_fail_within(err, status, "batch %zu", builder->n_batches);
    }
}

enum sl_status sl_votes_from_arrow_stream(struct ArrowArrayStream *stream,
                                          const struct sl_import_options *options,
                                          struct sl_votes **out, struct sl_error *err)
{
    struct arrow_builder builder = {.options = options ? options : &no_options};
    struct ArrowSchema schema = {0};
    enum sl_status status = SL_OK;
    if (!stream->release)
        return sl_fail(err, SL_ERR_INPUT, "arrow: the stream was released before");
    const int code = stream->get_schema(stream, &schema);
    if (code != 0) SL_TRY_OUT(fail_stream(stream, code, err));
    SL_TRY_OUT(begin(&builder, &schema, err));
    SL_TRY_OUT(add_arrays(&builder, stream, &schema, err));
    SL_TRY_OUT(finish(&builder, out, err));
out:
    release(&builder);
    if (schema.release) schema.release(&schema);
    stream->release(stream);
    return status;
}
