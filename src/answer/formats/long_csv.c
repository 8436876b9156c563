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
#include "answer/votes/block.h"
#include "base/csv/blocks.h"
#include "softlab/base/memory.h"

struct settings {
    const char *columns;
    const struct sl_block_plan *plan;
};

/* What threads make of a block. */
struct slot {
    struct sl_vote_block found; /* labels of the first pass, skipped lines, and what went wrong */
    void *part;                 /* owned; of the sink; NULL in the first pass */
    size_t count;               /* answers in the part */
    bool plain;                 /* nothing: its lines are read when it is taken */
};

/* One pass over a file. */
struct reading {
    const char *path;
    const struct settings *settings;
    struct sl_hard_pass *pass;
    struct sl_long_columns columns;
    bool parts;              /* answers are put into parts of the sink */
    struct sl_csv **readers; /* owned; one for each worker */
    size_t n_readers;
    struct slot *slots; /* owned */
    size_t n_slots;
};

static struct sl_hard_row row_of(const struct sl_long_columns *columns,
                                 const struct sl_csv_record *record)
{
    return (struct sl_hard_row){
        .item = sl_long_field(columns, record, SL_LONG_ITEM),
        .annotator = sl_long_field(columns, record, SL_LONG_WORKER),
        .label = sl_long_field(columns, record, SL_LONG_LABEL),
        .truth = sl_long_field(columns, record, SL_LONG_TRUTH),
        .ms = sl_long_field(columns, record, SL_LONG_MS),
        .confidence = sl_long_field(columns, record, SL_LONG_CONFIDENCE),
    };
}

static void skip_line(const struct reading *reading, size_t line)
{
    sl_import_skip(sl_hard_pass_import(reading->pass), "%s:%zu: the answer names no class",
                   reading->path, line);
}

/* ---- The beginning of a file ---- */

static enum sl_status read_first(struct reading *reading, struct sl_csv *csv, size_t *width,
                                 struct sl_error *err)
{
    struct sl_csv_record record = {0};
    SL_TRY(sl_csv_next(csv, &record, err));
    if (record.count == 0)
        return sl_fail(err, SL_ERR_INPUT, "%s: empty file, expected a line per answer",
                       reading->path);
    SL_TRY(sl_long_columns_find(csv, &record, reading->settings->columns, SL_TABLE_VOTES,
                                &reading->columns, err));
    const struct sl_import *import = sl_hard_pass_import(reading->pass);
    if (!import->quiet && import->options)
        sl_long_columns_warn(&reading->columns, 0, reading->path, import->options->notes);
    *width = record.count;
    return SL_OK;
}

static enum sl_status make_slots(struct reading *reading, struct sl_error *err)
{
    const struct sl_import *import = sl_hard_pass_import(reading->pass);
    const size_t n_slots = sl_block_slots(reading->settings->plan);
    const bool truths = reading->columns.place[SL_LONG_TRUTH] != SIZE_MAX;
    reading->parts = !sl_hard_pass_collects(reading->pass) && sl_import_takes_parts(import, truths);
    reading->slots = sl_alloc(n_slots, sizeof *reading->slots);
    for (; reading->n_slots < n_slots; reading->n_slots++) {
        struct slot *slot = &reading->slots[reading->n_slots];
        sl_vote_block_init(&slot->found);
        if (!reading->parts) continue;
        SL_TRY(import->sink->parts->create(import->sink->context, &slot->part, err));
    }
    return SL_OK;
}

static enum sl_status begin(void *context, const struct sl_line_block *first, struct sl_error *err)
{
    struct reading *reading = context;
    const struct sl_csv_options options = sl_long_csv_options(reading->path);
    const size_t n_readers = sl_pool_threads(reading->settings->plan->pool);
    struct sl_csv *csv = NULL;
    size_t width = 0;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_csv_open_memory(first->bytes, first->length, reading->path, &options, &csv, err));
    SL_TRY_OUT(read_first(reading, csv, &width, err));
    reading->readers = sl_alloc(n_readers, sizeof *reading->readers);
    for (; reading->n_readers < n_readers; reading->n_readers++)
        SL_TRY_OUT(sl_csv_blocks_create(reading->path, &options, width,
                                        &reading->readers[reading->n_readers], err));
    SL_TRY_OUT(make_slots(reading, err));
out:
    sl_csv_close(csv);
    return status;
}

/* ---- Blocks, by any thread ---- */

/* The reader of a worker, at the first answer of the block. */
static enum sl_status start_block(const struct reading *reading, const struct sl_line_block *block,
                                  size_t worker, struct sl_csv **out, struct sl_error *err)
{
    struct sl_csv_record record;
    const struct sl_csv_block bytes = {.bytes = block->bytes,
                                       .length = block->length,
                                       .line = block->before + 1,
                                       .first = block->first};
    *out = reading->readers[worker];
    sl_csv_blocks_begin(*out, &bytes);
    return block->first && reading->columns.header ? sl_csv_next(*out, &record, err) : SL_OK;
}

static enum sl_status collect_label(const struct sl_csv *csv, struct slot *slot,
                                    struct sl_field name, size_t line, size_t before,
                                    struct sl_error *err)
{
    uint32_t number = 0;
    SL_TRY(sl_vote_block_add_label(&slot->found, name, line - before, &number, err));
    if (number < SL_MOST_CLASSES) return SL_OK;
    return sl_csv_fail(csv, line, err, SL_VOTES_MANY_LABELS, SL_MOST_CLASSES);
}

/* Put an answer into the slot's part. False if something is wrong with it: reading the block line
 * by line says what. */
static bool share_row(const struct reading *reading, const struct sl_hard_row *row,
                      struct slot *slot)
{
    const struct sl_import *import = sl_hard_pass_import(reading->pass);
    struct sl_belief belief;
    struct sl_answer answer;
    if (!sl_hard_row_answer(import, row, &belief, &answer) ||
        import->sink->parts->put(slot->part, &answer, NULL) != SL_OK)
        return false;
    slot->count++;
    return true;
}

static enum sl_status read_block(const struct reading *reading, struct sl_line_block *block,
                                 size_t worker, struct slot *slot, struct sl_error *err)
{
    const bool collects = sl_hard_pass_collects(reading->pass);
    struct sl_csv *csv = NULL;
    struct sl_csv_record record = {0};
    SL_TRY(start_block(reading, block, worker, &csv, err));
    for (;;) {
        SL_TRY(sl_csv_next(csv, &record, err));
        if (record.count == 0) break;
        const struct sl_hard_row row = row_of(&reading->columns, &record);
        if (row.item.length == 0)
            return sl_csv_fail(csv, record.line, err, "the answer names no item");
        if (row.label.length == 0) {
            sl_vote_block_skip(&slot->found, record.line - block->before);
        } else if (!collects) {
            slot->plain = !share_row(reading, &row, slot);
            if (slot->plain) return SL_OK;
        } else {
            SL_TRY(collect_label(csv, slot, row.label, record.line, block->before, err));
            if (row.truth.length)
                SL_TRY(collect_label(csv, slot, row.truth, record.line, block->before, err));
        }
    }
    block->n_lines = record.line - 1 - block->before;
    return SL_OK;
}

static void parse(void *context, struct sl_line_block *block, size_t number, size_t worker)
{
    const struct reading *reading = context;
    struct slot *slot = &reading->slots[number];
    const struct sl_answer_sink *sink = sl_hard_pass_import(reading->pass)->sink;
    sl_vote_block_clear(&slot->found);
    if (slot->part) sink->parts->clear(slot->part);
    slot->count = 0;
    slot->plain = !reading->parts && !sl_hard_pass_collects(reading->pass);
    block->failed =
        !slot->plain && read_block(reading, block, worker, slot, &slot->found.failure) != SL_OK;
    if (slot->plain) block->n_lines = sl_count_bytes(block->bytes, block->length, '\n');
}

/* ---- Blocks, in order ---- */

static enum sl_status take_labels(struct reading *reading, const struct slot *slot, size_t before,
                                  struct sl_error *err)
{
    const struct sl_name_table *labels = slot->found.labels;
    for (uint32_t i = 0; i < sl_name_table_count(labels); i++) {
        struct sl_field name;
        name.text = sl_name_table_get(labels, i, &name.length);
        SL_TRY(sl_at_line(sl_hard_pass_collect(reading->pass, name, err), reading->path,
                          before + slot->found.label_lines[i], err));
    }
    return SL_OK;
}

/* Read the lines of a block and put their answers one by one. */
static enum sl_status put_lines(struct reading *reading, const struct sl_line_block *block,
                                struct sl_error *err)
{
    struct sl_csv *csv = NULL;
    struct sl_csv_record record = {0};
    SL_TRY(start_block(reading, block, 0, &csv, err));
    for (;;) {
        SL_TRY(sl_csv_next(csv, &record, err));
        if (record.count == 0) return SL_OK;
        const struct sl_hard_row row = row_of(&reading->columns, &record);
        if (row.item.length == 0)
            return sl_csv_fail(csv, record.line, err, "the answer names no item");
        if (row.label.length == 0) {
            skip_line(reading, record.line);
            continue;
        }
        sl_import_at(sl_hard_pass_import(reading->pass), reading->path, record.line);
        SL_TRY(
            sl_at_line(sl_hard_row_put(reading->pass, &row, err), reading->path, record.line, err));
    }
}

static enum sl_status take(void *context, const struct sl_line_block *block, size_t number,
                           struct sl_error *err)
{
    struct reading *reading = context;
    struct sl_import *import = sl_hard_pass_import(reading->pass);
    const struct slot *slot = &reading->slots[number];
    const struct sl_vote_block *found = &slot->found;
    if (slot->plain) return put_lines(reading, block, err);
    for (size_t i = 0; i < found->n_skipped; i++)
        skip_line(reading, block->before + found->skipped[i < SL_NOTES_SHOWN ? i : 0]);
    if (sl_hard_pass_collects(reading->pass))
        SL_TRY(take_labels(reading, slot, block->before, err));
    else
        SL_TRY(sl_import_take_part(import, slot->part, slot->count, err));
    if (block->failed && err) *err = found->failure;
    return found->failure.code;
}

static void release(struct reading *reading)
{
    const struct sl_answer_sink *sink = sl_hard_pass_import(reading->pass)->sink;
    for (size_t i = 0; i < reading->n_readers; i++)
        sl_csv_close(reading->readers[i]);
    for (size_t i = 0; i < reading->n_slots; i++) {
        sl_vote_block_release(&reading->slots[i].found);
        if (reading->slots[i].part) sink->parts->destroy(reading->slots[i].part);
    }
    free(reading->readers);
    free(reading->slots);
}

static enum sl_status read_long_csv(const char *path, const void *settings,
                                    struct sl_hard_pass *pass, struct sl_error *err)
{
    const struct sl_csv_options options = sl_long_csv_options(path);
    struct reading reading = {.path = path, .settings = settings, .pass = pass};
    const struct sl_block_work work = {.quoting = options.quoting,
                                       .limit = options.record_limit,
                                       .begin = begin,
                                       .parse = parse,
                                       .take = take,
                                       .context = &reading};
    const enum sl_status status = sl_blocks_run(path, reading.settings->plan, &work, err);
    release(&reading);
    return status;
}

enum sl_status sl_import_long_csv_blocks(const char *const *paths, size_t n_paths,
                                         const struct sl_import_options *options,
                                         const struct sl_block_plan *plan,
                                         const struct sl_answer_sink *sink, struct sl_error *err)
{
    const struct settings settings = {options ? options->columns : NULL, plan};
    const struct sl_hard_reader reader = {read_long_csv, &settings};
    return sl_import_hard(&reader, paths, n_paths, options, sink, err);
}

SL_IMPORTER(sl_import_long_csv)
{
    const struct sl_block_plan plan = sl_block_plan_default(options ? options->pool : NULL);
    return sl_import_long_csv_blocks(paths, n_paths, options, &plan, sink, err);
}

/* ---- Writing ---- */

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
