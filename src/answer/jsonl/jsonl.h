/* Private to the library: answers.jsonl, read and written one line at a time.
 *
 * Lines (lines.c) are cut from a window over the file, a record (record.c) is one
 * line as an answer, and a reader (read.c) is both with the header's classes. */
#ifndef SOFTLAB_ANSWER_JSONL_JSONL_H
#define SOFTLAB_ANSWER_JSONL_JSONL_H

#include "base/file/stream.h"
#include "base/json/scan.h"
#include "softlab/answer.h"

enum { SL_LINE_LIMIT = 16 << 20 };

struct sl_lines {
    const char *path;            /* borrowed */
    int descriptor;              /* -1 where there is a stream */
    struct sl_stream *stream;    /* owned; of a gzip file, otherwise NULL */
    char *window;                /* owned; SL_SCAN_PADDING bytes longer than its capacity */
    size_t capacity, begin, end; /* the bytes that are not yet taken */
    size_t number;               /* of the line taken last, from 1 */
    bool at_end;
};

enum sl_status sl_lines_open(struct sl_lines *lines, const char *path,
                             struct sl_error *err) SL_MUST_USE;
void sl_lines_close(struct sl_lines *lines);
/* The next line without its '\n', which still follows it; `text` is NULL at the end. */
enum sl_status sl_lines_next(struct sl_lines *lines, struct sl_field *out,
                             struct sl_error *err) SL_MUST_USE;

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

struct sl_jsonl {
    char *path; /* owned */
    struct sl_lines lines;
    struct sl_record record;
    char **classes; /* owned; NULL-ended */
    size_t n_classes;
    struct sl_name_table *class_names; /* owned */
};

enum sl_status sl_jsonl_open(const char *path, struct sl_jsonl **out,
                             struct sl_error *err) SL_MUST_USE;
void sl_jsonl_close(struct sl_jsonl *jsonl);
/* The next answer, borrowed until the next call; NULL at the end. Lines without an answer are
 * skipped and noted. */
enum sl_status sl_jsonl_next(struct sl_jsonl *jsonl, struct sl_import_notes *notes,
                             const struct sl_answer **out, struct sl_error *err) SL_MUST_USE;

/* Append the first line of a file. */
enum sl_status sl_jsonl_append_header(struct sl_buffer *out, const char *const *classes,
                                      size_t n_classes, struct sl_error *err) SL_MUST_USE;
/* Append an answer as a line; the classes are those of the header. */
enum sl_status sl_jsonl_append_answer(struct sl_buffer *out, const char *const *classes,
                                      size_t n_classes, const struct sl_answer *answer,
                                      struct sl_error *err) SL_MUST_USE;

#endif
