/* Shared by the JSON exports of annotation tools: their records, names, and the question that is
 * read if a tool asked several. Private to answer/formats/. */
#ifndef SOFTLAB_ANSWER_FORMATS_EXPORTS_H
#define SOFTLAB_ANSWER_FORMATS_EXPORTS_H

#include "answer/formats/format.h"
#include "answer/formats/table_columns.h"

/* Call `visit` for every record of a file, plain or gzip: the elements of a JSON list, or the lines
 * of a file with a JSON value on each. */
struct sl_record_visitor {
    enum sl_status (*visit)(void *context, const struct sl_json_cursor *record,
                            struct sl_error *err);
    void *context;
};
enum sl_status sl_records_read(const char *path, const struct sl_record_visitor *visitor,
                               struct sl_error *err) SL_MUST_USE;

/* Whether the first byte of a file that is no white space begins a JSON list or object. */
enum sl_status sl_file_is_json(const char *path, bool *out, struct sl_error *err) SL_MUST_USE;

/* A name that is a string or a whole number, which is written into `digits`. `what` says what an
 * error expected: "a label". */
enum { SL_NAME_DIGITS = 24 };
enum sl_status sl_record_name(const struct sl_json_cursor *at, const char *what,
                              char digits[SL_NAME_DIGITS], struct sl_field *out,
                              struct sl_error *err) SL_MUST_USE;

/* A complaint about an answer, with the place of the answer in its document. */
enum sl_status sl_record_blame(enum sl_status status, const struct sl_json_cursor *at,
                               struct sl_error *err) SL_MUST_USE;

/* SL_ERR_INPUT unless the record is an object. */
enum sl_status sl_record_check(const struct sl_json_cursor *record, const char *what,
                               struct sl_error *err) SL_MUST_USE;

/* Names that --columns gives in pairs, such as item=image,label=topic; empty where it gives none.
 * SL_ERR_USAGE for other roles than those in the bit set `roles`. */
enum sl_status sl_columns_pairs(const char *columns, unsigned roles,
                                struct sl_field out[SL_LONG_ROLES],
                                struct sl_error *err) SL_MUST_USE;

/* The question whose answers are read. A tool may have asked several; then the user must choose,
 * since mixed classes would be wrong labels. One question serves all files of an import. */
struct sl_question {
    struct sl_field asked;       /* borrowed; the user's choice; empty: there must be only one */
    const char *noun;            /* "control" */
    struct sl_name_table *names; /* owned; of the questions met so far */
};
void sl_question_init(struct sl_question *question, struct sl_field asked, const char *noun);
void sl_question_release(struct sl_question *question);
/* Whether answers to the question `name` are read. SL_ERR_INPUT, without a place, if the user did
 * not choose and this is another question than before. */
enum sl_status sl_question_meet(struct sl_question *question, struct sl_field name, bool *read,
                                struct sl_error *err) SL_MUST_USE;
/* SL_ERR_INPUT listing the questions if the user chose one that no file has. */
enum sl_status sl_question_finish(const struct sl_question *question, const char *path,
                                  struct sl_error *err) SL_MUST_USE;

#endif
