/* Private to the library: answers.jsonl, read and written one line at a time.
 *
 * A head (read.c) is the first line with its classes, a record (record.c) is one line as an answer,
 * and a cursor (read.c) goes through the lines of a block. */
#ifndef SOFTLAB_ANSWER_JSONL_JSONL_H
#define SOFTLAB_ANSWER_JSONL_JSONL_H

#include "answer/blocks/blocks.h"
#include "base/json/scan.h"
#include "softlab/answer.h"

enum { SL_LINE_LIMIT = 16 << 20 };

struct sl_record_top {
    struct sl_belief *beliefs; /* owned */
    size_t count, capacity;
    bool pairs, names; /* kinds of its elements */
};

/* One line of an answers file. The arrays are kept from line to line. */
struct sl_record {
    struct sl_scan scan;
    const struct sl_name_table *classes; /* borrowed */
    struct sl_answer answer;
    unsigned keys; /* bit set of what the line has */
    bool has_kind;
    bool answered; /* false: well-formed, but class, top, dist or lambda is missing */
    uint32_t chosen;
    struct sl_record_top top;
    uint32_t *impossible; /* owned */
    size_t impossible_capacity;
    float *distribution; /* owned; as many as classes */
    uint8_t order[32];   /* keys of the previous line in order: the first guess for this one */
};

void sl_record_init(struct sl_record *record, const struct sl_name_table *classes);
void sl_record_release(struct sl_record *record);
/* Read a line (sl_scan says what must follow it) into record->answer. False with the problem in
 * record->scan. */
bool sl_record_read(struct sl_record *record, const char *line, size_t length);

/* The first line of a file. */
struct sl_jsonl_head {
    char **classes; /* owned; NULL-ended */
    size_t n_classes;
    struct sl_name_table *class_names; /* owned */
};
enum sl_status sl_jsonl_head_read(struct sl_jsonl_head *head, const char *path,
                                  const struct sl_line_block *first,
                                  struct sl_error *err) SL_MUST_USE;
void sl_jsonl_head_release(struct sl_jsonl_head *head);

/* The answers of a block, one after another. */
struct sl_jsonl_cursor {
    const char *path;         /* borrowed */
    struct sl_record *record; /* borrowed */
    const char *at, *end;
    size_t line; /* of the file: the one taken last */
};
void sl_jsonl_cursor_init(struct sl_jsonl_cursor *cursor, const char *path,
                          const struct sl_line_block *block, struct sl_record *record);
/* Read the next line into cursor->record; false in *more at the end. Calls no sl_alloc. */
enum sl_status sl_jsonl_cursor_next(struct sl_jsonl_cursor *cursor, bool *more,
                                    struct sl_error *err) SL_MUST_USE;

/* sl_answers_read by all threads. */
enum sl_status sl_jsonl_read_set(const char *path, const struct sl_block_plan *plan,
                                 struct sl_answers **out, struct sl_import_notes *notes,
                                 struct sl_error *err) SL_MUST_USE;

/* sl_answers_load with blocks of another size. */
enum sl_status sl_answers_load_blocks(const char *path, const struct sl_import_options *options,
                                      const struct sl_block_plan *plan, struct sl_answers **out,
                                      struct sl_error *err) SL_MUST_USE;

/* Append the first line of a file. */
enum sl_status sl_jsonl_append_header(struct sl_buffer *out, const char *const *classes,
                                      size_t n_classes, struct sl_error *err) SL_MUST_USE;
/* Append an answer as a line; the classes are those of the header. */
enum sl_status sl_jsonl_append_answer(struct sl_buffer *out, const char *const *classes,
                                      size_t n_classes, const struct sl_answer *answer,
                                      struct sl_error *err) SL_MUST_USE;

#endif
