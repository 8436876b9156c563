/* Answers: how a file of them is read, wherever a job begins with one. */
#ifndef SOFTLAB_PIPELINE_ANSWERS_H
#define SOFTLAB_PIPELINE_ANSWERS_H

#include "softlab/answer.h"
#include "softlab/pipeline/workplace.h"

SL_BEGIN_DECLS

/* How a table of answers is read; all NULL: as its columns suggest, nothing left out. */
struct sl_answer_reading {
    const char *columns; /* "A,B,C" or "item=A,p=B": the columns of item, worker, label ... */
    char **abstain;      /* NULL-ended; classes that mean no answer */
    char **leave_out;    /* NULL-ended; classes to take out */
};
/* sl_answers_load, with what was left out or scaled in the log. */
enum sl_status sl_answers_read_any(const struct sl_workplace *workplace, const char *path,
                                   const struct sl_answer_reading *reading, struct sl_answers **out,
                                   struct sl_error *err) SL_MUST_USE;
/* The options of the readers in softlab/answer.h, with notes that the caller keeps. */
struct sl_import_options sl_answer_reading_options(const struct sl_answer_reading *reading,
                                                   const struct sl_workplace *workplace,
                                                   struct sl_import_notes *notes);
/* Log what was left out or scaled. */
void sl_say_imported(const struct sl_workplace *workplace, const struct sl_import_notes *notes);
/* Which flags of answers are no reason to leave them out, into *keep: with `asked`, repeats and
 * second runs. SL_ERR_USAGE where that changes nothing. */
enum sl_status sl_keep_as_released(const char *path, const struct sl_answers *answers, bool asked,
                                   unsigned *keep, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
