/* What a reading of answers gives, as text: votes or a set with every number, the notes, what was
 * logged, and the error. Two readings of a file must give the same text, whatever the number of
 * threads and the size of blocks. */
#ifndef SOFTLAB_TESTS_READING_H
#define SOFTLAB_TESTS_READING_H

#include <stdlib.h>

#include "answer/formats/format.h"
#include "answer/jsonl/jsonl.h"
#include "answer/votes/votes.h"
#include "softlab/base.h"

static inline void reading_log(void *context, enum sl_log_level level, const char *line)
{
    sl_buffer_printf(context, "%s: %s\n", sl_log_level_name(level), line);
}

static inline void reading_names(struct sl_buffer *out, const struct sl_name_table *names)
{
    for (uint32_t i = 0; i < sl_name_table_count(names); i++) {
        size_t length = 0;
        const char *name = sl_name_table_get(names, i, &length);
        sl_buffer_printf(out, "%u=%zu:", (unsigned)i, length);
        sl_buffer_append(out, name, length);
        sl_buffer_byte(out, '\n');
    }
}

static inline void reading_notes(struct sl_buffer *out, const struct sl_import_notes *notes)
{
    sl_buffer_printf(out, "%zu read, %zu skipped, %zu duplicates, %zu confident, %zu timed: %a\n",
                     notes->n_read, notes->n_skipped, notes->n_duplicates, notes->n_confident,
                     notes->n_timed, notes->ms_timed);
}

static inline void reading_of_votes(struct sl_buffer *out, const struct sl_votes *votes)
{
    for (size_t k = 0; k < votes->n_classes; k++)
        sl_buffer_printf(out, "class %s\n", votes->classes[k]);
    reading_names(out, votes->items);
    reading_names(out, votes->annotators);
    for (size_t item = 0; item < votes->n_items; item++) {
        sl_buffer_printf(out, "item %zu:", item);
        for (size_t i = votes->begin[item]; i < votes->begin[item + 1]; i++)
            sl_buffer_printf(out, " %u=%u", (unsigned)votes->annotator[i],
                             (unsigned)votes->label[i]);
        sl_buffer_byte(out, '\n');
    }
}

static inline void reading_of_set(struct sl_buffer *out, const struct sl_answers *answers)
{
    struct sl_error err;
    reading_names(out, answers->items);
    reading_names(out, answers->annotators);
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        sl_buffer_printf(out, "%u %u ", (unsigned)answers->item[i],
                         (unsigned)answers->annotator[i]);
        if (sl_jsonl_append_answer(out, (const char *const *)answers->classes, answers->n_classes,
                                   &answer, &err) != SL_OK)
            sl_buffer_printf(out, "!%s\n", err.message);
    }
}

/* answers.jsonl, made of a long CSV. */
static inline enum sl_status reading_lines(const char *path,
                                           const struct sl_import_options *options,
                                           const struct sl_block_plan *plan, struct sl_buffer *out,
                                           struct sl_error *err)
{
    char *written = sl_string_printf("%s.written", path);
    struct sl_answer_writer *writer = NULL;
    enum sl_status status = sl_answer_writer_create(written, &writer, err);
    if (status == SL_OK) {
        const struct sl_answer_sink sink = sl_answer_writer_sink(writer);
        status = sl_import_long_csv_blocks(&path, 1, options, plan, &sink, err);
    }
    if (status == SL_OK) status = sl_answer_writer_commit(writer, err);
    if (status == SL_OK) status = sl_file_read(written, out, err);
    sl_answer_writer_destroy(writer);
    free(written);
    return status;
}

enum reading_kind { READING_VOTES, READING_SET, READING_LINES };

static inline void reading(const char *path, enum reading_kind kind,
                           const struct sl_block_plan *plan, struct sl_buffer *out)
{
    const struct sl_log log = {SL_LOG_DEBUG, reading_log, out};
    struct sl_import_notes notes = {.log = &log};
    const struct sl_import_options options = {.notes = &notes, .one_truth = true};
    struct sl_error err = {0};
    struct sl_votes *votes = NULL;
    struct sl_answers *answers = NULL;
    sl_buffer_clear(out);
    const enum sl_status status =
        kind == READING_LINES   ? reading_lines(path, &options, plan, out, &err)
        : kind == READING_VOTES ? sl_votes_read_blocks(path, &options, plan, &votes, &err)
                                : sl_answers_load_blocks(path, &options, plan, &answers, &err);
    if (votes) reading_of_votes(out, votes);
    if (answers) reading_of_set(out, answers);
    reading_notes(out, &notes);
    if (status != SL_OK) sl_buffer_printf(out, "%s: %s", sl_status_name(status), err.message);
    sl_votes_destroy(votes);
    sl_answers_destroy(answers);
}

#endif
