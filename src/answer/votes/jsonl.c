/* Votes of an answers.jsonl: the choice of every answer. Checks, repeats and second runs give
 * their item and no vote. */
#include <math.h>
#include <stdlib.h>

#include "answer/jsonl/jsonl.h"
#include "answer/votes/block.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

struct jsonl_source {
    char *path; /* owned */
    struct sl_jsonl_head head;
    struct sl_record *records; /* owned; one for each worker */
    size_t n_records;
};

static struct sl_vote_records jsonl_records(const char *path)
{
    (void)path;
    return (struct sl_vote_records){.limit = SL_LINE_LIMIT};
}

static void close_jsonl(void *source)
{
    struct jsonl_source *jsonl = source;
    if (!jsonl) return;
    for (size_t i = 0; i < jsonl->n_records; i++)
        sl_record_release(&jsonl->records[i]);
    free(jsonl->records);
    sl_jsonl_head_release(&jsonl->head);
    free(jsonl->path);
    free(jsonl);
}

static enum sl_status open_jsonl(const char *path, const struct sl_import_options *options,
                                 const struct sl_line_block *first, size_t n_workers, void **source,
                                 struct sl_error *err)
{
    (void)options;
    struct jsonl_source *jsonl = sl_alloc(1, sizeof *jsonl);
    enum sl_status status = SL_OK;
    jsonl->path = sl_string_copy(path);
    SL_TRY_OUT(sl_jsonl_head_read(&jsonl->head, path, first, err));
    if (jsonl->head.n_classes > SL_VOTES_CLASSES)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s: %zu classes, expected at most %d", path,
                           jsonl->head.n_classes, SL_VOTES_CLASSES));
    jsonl->records = sl_alloc(n_workers, sizeof *jsonl->records);
    for (; jsonl->n_records < n_workers; jsonl->n_records++)
        sl_record_init(&jsonl->records[jsonl->n_records], jsonl->head.class_names);
    *source = jsonl;
    jsonl = NULL;
out:
    close_jsonl(jsonl);
    return status;
}

static enum sl_status add_answer(const struct sl_answer *answer, size_t n_classes,
                                 struct sl_vote_block *out, struct sl_error *err)
{
    if (!isnan(answer->mix.confidence)) out->n_confident++;
    SL_TRY(sl_vote_block_add_item(out, answer->item, err));
    if (answer->flags) {
        out->n_left_out++;
        return SL_OK;
    }
    if (!isnan(answer->ms)) SL_TRY(sl_vote_block_add_time(out, answer->ms, err));
    return sl_vote_block_add_vote(out, answer->annotator, sl_answer_choice(answer, n_classes), err);
}

static enum sl_status add_lines(const struct jsonl_source *jsonl, struct sl_line_block *block,
                                struct sl_record *record, struct sl_vote_block *out,
                                struct sl_error *err)
{
    struct sl_jsonl_cursor cursor;
    sl_jsonl_cursor_init(&cursor, jsonl->path, block, record);
    for (;;) {
        bool more = false;
        SL_TRY(sl_jsonl_cursor_next(&cursor, &more, err));
        if (!more) break;
        out->n_read++;
        if (record->answered)
            SL_TRY(add_answer(&record->answer, jsonl->head.n_classes, out, err));
        else
            sl_vote_block_skip(out, cursor.line - block->before);
    }
    block->n_lines = cursor.line - block->before;
    return SL_OK;
}

static void parse_jsonl(void *source, struct sl_line_block *block, size_t worker,
                        struct sl_vote_block *out)
{
    const struct jsonl_source *jsonl = source;
    block->failed = add_lines(jsonl, block, &jsonl->records[worker], out, &out->failure) != SL_OK;
}

static const struct sl_name_table *jsonl_classes(const void *source)
{
    const struct jsonl_source *jsonl = source;
    return jsonl->head.class_names;
}

const struct sl_vote_format sl_votes_jsonl = {jsonl_records, open_jsonl, parse_jsonl, jsonl_classes,
                                              close_jsonl};
