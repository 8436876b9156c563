/* answers.jsonl as a set. Threads make a set of each block of lines; these are joined in order. */
#include <stdlib.h>

#include "answer/answer_internal.h"
#include "answer/jsonl/jsonl.h"
#include "softlab/base/memory.h"

/* The answers of a block. */
struct part {
    struct sl_answers *answers; /* owned */
    size_t n_read, n_skipped;
    size_t skipped[SL_NOTES_SHOWN]; /* the first lines of the block that were, from 1 */
    struct sl_error failure;
};

struct reading {
    const char *path; /* borrowed */
    const struct sl_block_plan *plan;
    struct sl_import_notes *notes;
    struct sl_jsonl_head head;
    struct sl_record *records; /* owned; one for each worker */
    size_t n_records;
    struct part *parts; /* owned; one for each slot */
    struct sl_answers *answers;
    struct sl_numbering numbers;
};

static enum sl_status begin(void *context, const struct sl_line_block *first, struct sl_error *err)
{
    struct reading *reading = context;
    const struct sl_jsonl_head *head = &reading->head;
    const size_t n_workers = sl_pool_threads(reading->plan->pool);
    SL_TRY(sl_jsonl_head_read(&reading->head, reading->path, first, err));
    const char *const *classes = (const char *const *)head->classes;
    SL_TRY(sl_answers_create(classes, head->n_classes, &reading->answers, err));
    for (size_t i = 0; i < sl_block_slots(reading->plan); i++)
        SL_TRY(sl_answers_create(classes, head->n_classes, &reading->parts[i].answers, err));
    reading->records = sl_alloc(n_workers, sizeof *reading->records);
    for (; reading->n_records < n_workers; reading->n_records++)
        sl_record_init(&reading->records[reading->n_records], head->class_names);
    return SL_OK;
}

static void skip(struct part *part, size_t line)
{
    if (part->n_skipped < SL_NOTES_SHOWN) part->skipped[part->n_skipped] = line;
    part->n_skipped++;
}

static enum sl_status add_lines(const struct reading *reading, struct sl_line_block *block,
                                struct sl_record *record, struct part *part, struct sl_error *err)
{
    struct sl_jsonl_cursor cursor;
    sl_jsonl_cursor_init(&cursor, reading->path, block, record);
    for (;;) {
        bool more = false;
        SL_TRY(sl_jsonl_cursor_next(&cursor, &more, err));
        if (!more) break;
        part->n_read++;
        if (record->answered)
            SL_TRY(sl_answers_add(part->answers, &record->answer, err));
        else
            skip(part, cursor.line - block->before);
    }
    block->n_lines = cursor.line - block->before;
    return SL_OK;
}

static void parse(void *context, struct sl_line_block *block, size_t slot, size_t worker)
{
    const struct reading *reading = context;
    struct part *part = &reading->parts[slot];
    sl_answers_clear(part->answers);
    *part = (struct part){.answers = part->answers};
    block->failed =
        add_lines(reading, block, &reading->records[worker], part, &part->failure) != SL_OK;
}

static enum sl_status take(void *context, const struct sl_line_block *block, size_t slot,
                           struct sl_error *err)
{
    struct reading *reading = context;
    struct sl_import_notes *notes = reading->notes;
    const struct part *part = &reading->parts[slot];
    if (notes) notes->n_read += part->n_read;
    for (size_t i = 0; i < part->n_skipped && i < SL_NOTES_SHOWN; i++)
        sl_notes_skip(notes, reading->path, block->before + part->skipped[i],
                      "the answer names no class");
    if (notes && part->n_skipped > SL_NOTES_SHOWN)
        notes->n_skipped += part->n_skipped - SL_NOTES_SHOWN;
    SL_TRY(sl_answers_append(reading->answers, part->answers, &reading->numbers, err));
    if (block->failed && err) *err = part->failure;
    return part->failure.code;
}

static void release(struct reading *reading)
{
    for (size_t i = 0; i < sl_block_slots(reading->plan); i++)
        sl_answers_destroy(reading->parts[i].answers);
    for (size_t i = 0; i < reading->n_records; i++)
        sl_record_release(&reading->records[i]);
    free(reading->parts);
    free(reading->records);
    free(reading->numbers.values);
    sl_jsonl_head_release(&reading->head);
    sl_answers_destroy(reading->answers);
}

enum sl_status sl_jsonl_read_set(const char *path, const struct sl_block_plan *plan,
                                 struct sl_answers **out, struct sl_import_notes *notes,
                                 struct sl_error *err)
{
    struct reading reading = {.path = path, .plan = plan, .notes = notes};
    const struct sl_block_work work = {
        .limit = SL_LINE_LIMIT, .begin = begin, .parse = parse, .take = take, .context = &reading};
    reading.parts = sl_alloc(sl_block_slots(plan), sizeof *reading.parts);
    enum sl_status status = sl_blocks_run(path, plan, &work, err);
    if (status == SL_OK && notes)
        status = sl_answers_note_duplicates(reading.answers, path, notes, err);
    if (status == SL_OK) {
        *out = reading.answers;
        reading.answers = NULL;
    }
    release(&reading);
    return status;
}

enum sl_status sl_answers_read(const char *path, struct sl_answers **out,
                               struct sl_import_notes *notes, struct sl_error *err)
{
    const struct sl_block_plan plan = sl_block_plan_default(NULL);
    return sl_jsonl_read_set(path, &plan, out, notes, err);
}
