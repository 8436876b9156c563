/* Answers: how a file of them is read, wherever a job begins with one. */
#ifndef SOFTLAB_PIPELINE_ANSWERS_H
#define SOFTLAB_PIPELINE_ANSWERS_H

#include "softlab/answer.h"
#include "softlab/base/fields.h"
#include "softlab/pipeline/workplace.h"

SL_BEGIN_DECLS

/* How a table of answers is read; zeros: as its columns suggest, nothing left out. Words are
 * borrowed, and each may be several with commas between them. */
struct sl_answer_reading {
    const char *columns; /* "A,B,C" or "item=A,p=B": the columns of item, worker, label ... */
    struct sl_word_list abstain;   /* classes that mean no answer */
    struct sl_word_list leave_out; /* classes to take out */
};
/* sl_answers_load, with what was left out or scaled in the log. */
enum sl_status sl_answers_read_any(const struct sl_workplace *workplace, const char *path,
                                   const struct sl_answer_reading *reading, struct sl_answers **out,
                                   struct sl_error *err) SL_MUST_USE;
/* The options of the readers in softlab/answer.h. */
struct sl_answer_reader {
    struct sl_import_options options;
    char **abstain, **leave_out; /* owned; what the options name */
};
/* `notes` are the caller's, and counted into. */
void sl_answer_reader_init(struct sl_answer_reader *reader, const struct sl_answer_reading *reading,
                           const struct sl_workplace *workplace, struct sl_import_notes *notes);
void sl_answer_reader_release(struct sl_answer_reader *reader);
/* Log what was left out or scaled. */
void sl_say_imported(const struct sl_workplace *workplace, const struct sl_import_notes *notes);
/* Which flags of answers are no reason to leave them out, into *keep: with `asked`, repeats and
 * second runs. SL_ERR_USAGE where that changes nothing. */
enum sl_status sl_keep_as_released(const char *path, const struct sl_answers *answers, bool asked,
                                   unsigned *keep, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
