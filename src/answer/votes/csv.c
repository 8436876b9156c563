/* Votes from a long CSV. An empty item stops the reading, an empty label is skipped and counted, an
 * empty annotator is unknown. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "answer/formats/table_columns.h"
#include "answer/votes/block.h"
#include "base/csv/blocks.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* What a thread reads with. */
struct csv_worker {
    struct sl_csv *csv;         /* owned */
    uint32_t short_labels[256]; /* 1 + the label that is this one byte; 0 = not met in the block */
};

struct csv_source {
    struct sl_long_columns columns;
    size_t width; /* fields a record must have */
    size_t truth; /* the column of true classes, which count as classes; SIZE_MAX = none */
    struct csv_worker *workers; /* owned */
    size_t n_workers;
};

/* A block that is being read. */
struct csv_reading {
    const struct csv_source *source;
    struct csv_worker *worker;
    struct sl_csv_record record;
    size_t before; /* lines before the block */
    struct sl_vote_block *out;
};

static struct sl_vote_records csv_records(const char *path)
{
    const struct sl_csv_options options = sl_long_csv_options(path);
    return (struct sl_vote_records){options.quoting, options.record_limit};
}

static void close_csv(void *source)
{
    struct csv_source *csv = source;
    if (!csv) return;
    for (size_t i = 0; i < csv->n_workers; i++)
        sl_csv_close(csv->workers[i].csv);
    free(csv->workers);
    free(csv);
}

static enum sl_status read_first(struct csv_source *csv, const char *path, struct sl_csv *table,
                                 const struct sl_import_options *options, size_t *n_fields,
                                 struct sl_error *err)
{
    struct sl_csv_record record = {0};
    SL_TRY(sl_csv_next(table, &record, err));
    if (record.count == 0)
        return sl_fail(err, SL_ERR_INPUT, "%s: empty, expected a header line", path);
    SL_TRY(
        sl_long_columns_find(table, &record, options->columns, SL_TABLE_VOTES, &csv->columns, err));
    for (size_t i = 0; i < SL_LONG_ROLES; i++) {
        const size_t place = csv->columns.place[i];
        if (place != SIZE_MAX && place >= csv->width) csv->width = place + 1;
    }
    csv->truth = csv->columns.place[SL_LONG_TRUTH];
    *n_fields = record.count;
    return SL_OK;
}

static enum sl_status open_csv(const char *path, const struct sl_import_options *options,
                               const struct sl_line_block *first, size_t n_workers, void **source,
                               struct sl_error *err)
{
    const struct sl_csv_options csv_options = sl_long_csv_options(path);
    struct csv_source *csv = sl_alloc(1, sizeof *csv);
    struct sl_csv *table = NULL;
    enum sl_status status = SL_OK;
    size_t n_fields = 0;
    csv->workers = sl_alloc(n_workers, sizeof *csv->workers);
    SL_TRY_OUT(sl_csv_open_memory(first->bytes, first->length, path, &csv_options, &table, err));
    SL_TRY_OUT(read_first(csv, path, table, options, &n_fields, err));
    for (; csv->n_workers < n_workers; csv->n_workers++)
        SL_TRY_OUT(sl_csv_blocks_create(path, &csv_options, n_fields,
                                        &csv->workers[csv->n_workers].csv, err));
    *source = csv;
    csv = NULL;
out:
    sl_csv_close(table);
    close_csv(csv);
    return status;
}

static enum sl_status add_label(struct csv_reading *reading, struct sl_field text, uint32_t *out,
                                struct sl_error *err)
{
    assert(reading->worker);
    uint32_t *known =
        text.length == 1 ? &reading->worker->short_labels[(unsigned char)text.text[0]] : NULL;
    if (known && *known > 0) {
        *out = *known - 1;
        return SL_OK;
    }
    const size_t line = reading->record.line;
    SL_TRY(sl_vote_block_add_label(reading->out, text, line - reading->before, out, err));
    if (*out >= SL_VOTES_CLASSES)
        return sl_csv_fail(reading->worker->csv, line, err, SL_VOTES_MANY_LABELS, SL_VOTES_CLASSES);
    if (known) *known = *out + 1;
    return SL_OK;
}

/* As in answers.jsonl, a true class that no answer names is a class. The true class on a line
 * without a label is ignored. */
static enum sl_status add_truth(struct csv_reading *reading, struct sl_field label,
                                struct sl_error *err)
{
    const struct sl_field truth = sl_csv_class(reading->record.fields[reading->source->truth]);
    uint32_t number = 0;
    return truth.length && label.length ? add_label(reading, truth, &number, err) : SL_OK;
}

static enum sl_status add_record(struct csv_reading *reading, struct sl_error *err)
{
    const struct csv_source *csv = reading->source;
    const struct sl_csv_record *record = &reading->record;
    struct sl_vote_block *out = reading->out;
    if (record->count < csv->width)
        return sl_csv_fail(reading->worker->csv, record->line, err, "expected %zu field%s, got %zu",
                           csv->width, sl_text_plural(csv->width, "", "s"), record->count);
    const struct sl_field *fields = record->fields;
    const struct sl_field label = sl_csv_class(fields[csv->columns.place[SL_LONG_LABEL]]);
    const struct sl_field item = sl_csv_plain(fields[csv->columns.place[SL_LONG_ITEM]]);
    uint32_t number = 0;
    if (item.length == 0)
        return sl_csv_fail(reading->worker->csv, record->line, err, "the answer names no item");
    out->n_read++;
    if (csv->truth != SIZE_MAX) SL_TRY(add_truth(reading, label, err));
    if (label.length == 0) {
        sl_vote_block_skip(out, record->line - reading->before);
        return SL_OK;
    }
    SL_TRY(add_label(reading, label, &number, err));
    SL_TRY(sl_vote_block_add_item(out, item, err));
    return sl_vote_block_add_vote(out, sl_csv_plain(fields[csv->columns.place[SL_LONG_WORKER]]),
                                  number, err);
}

static enum sl_status add_records(struct csv_reading *reading, struct sl_line_block *block,
                                  struct sl_error *err)
{
    struct sl_csv *csv = reading->worker->csv;
    if (block->first && reading->source->columns.header)
        SL_TRY(sl_csv_next(csv, &reading->record, err));
    for (;;) {
        SL_TRY(sl_csv_next(csv, &reading->record, err));
        if (reading->record.count == 0) break;
        SL_TRY(add_record(reading, err));
    }
    block->n_lines = reading->record.line - 1 - block->before;
    return SL_OK;
}

static void parse_csv(void *source, struct sl_line_block *block, size_t worker,
                      struct sl_vote_block *out)
{
    const struct csv_source *csv = source;
    struct csv_reading reading = {
        .source = csv, .worker = &csv->workers[worker], .before = block->before, .out = out};
    const struct sl_csv_block bytes = {.bytes = block->bytes,
                                       .length = block->length,
                                       .line = block->before + 1,
                                       .first = block->first};
    memset(reading.worker->short_labels, 0, sizeof reading.worker->short_labels);
    sl_csv_blocks_begin(reading.worker->csv, &bytes);
    block->failed = add_records(&reading, block, &out->failure) != SL_OK;
}

const struct sl_vote_format sl_votes_csv = {csv_records, open_csv, parse_csv, NULL, close_csv};
