/* Answers: reading a file of annotators' answers, for every job that begins with one. */
#ifndef SOFTLAB_PIPELINE_ANSWERS_H
#define SOFTLAB_PIPELINE_ANSWERS_H

#include "softlab/answer.h"
#include "softlab/base/buffer.h"
#include "softlab/base/fields.h"
#include "softlab/base/stats.h"
#include "softlab/pipeline/workplace.h"

SL_BEGIN_DECLS

/* How a table of answers is read. Zeros: columns are recognised by name and nothing is left out.
 * Texts are borrowed; each may list several names with commas. */
struct sl_answer_reading {
    const char *columns; /* "A,B,C" or "item=A,p=B": the columns of item, worker, label and so on */
    struct sl_word_list abstain;   /* classes that mean no answer */
    struct sl_word_list leave_out; /* classes to remove */
};
/* sl_answers_load; the log says how many answers were left out or scaled. */
enum sl_status sl_answers_read_any(const struct sl_workplace *workplace, const char *path,
                                   const struct sl_answer_reading *reading, struct sl_answers **out,
                                   struct sl_error *err) SL_MUST_USE;
/* Votes that the caller lends under this name (softlab/pipeline/exchange.h); *out is NULL if there
 * are none. SL_ERR_USAGE if `reading` asks for something that only the reader of a file does. */
enum sl_status sl_votes_get_lent(const struct sl_workplace *workplace, const char *path,
                                 const struct sl_answer_reading *reading,
                                 const struct sl_votes **out, struct sl_error *err) SL_MUST_USE;
/* Options for the readers of softlab/answer.h. */
struct sl_answer_reader {
    struct sl_import_options options;
    char **abstain, **leave_out; /* owned; the options borrow them */
};
/* The reader counts into `notes`, which the caller owns. */
void sl_answer_reader_init(struct sl_answer_reader *reader, const struct sl_answer_reading *reading,
                           const struct sl_workplace *workplace, struct sl_import_notes *notes);
void sl_answer_reader_release(struct sl_answer_reader *reader);
/* Log how many answers were left out or scaled. */
void sl_say_imported(const struct sl_workplace *workplace, const struct sl_import_notes *notes);
/* With `asked`, put the flags of repeats and second runs into *keep, otherwise 0: answers with
 * these flags are kept. SL_ERR_USAGE if no answer has such a flag, since `asked` would have no
 * effect. */
enum sl_status sl_keep_as_released(const char *path, const struct sl_answers *answers, bool asked,
                                   unsigned *keep, struct sl_error *err) SL_MUST_USE;

/* The recorded times, in seconds, of the answers of these kinds (bits 1 << enum sl_answer_kind)
 * that are no checks and no repeats. `out` has room for all answers. Returns their number. */
size_t sl_answers_seconds(const struct sl_answers *answers, unsigned kinds, double *out);

/* Items with two answers or more that a crowd is judged by. */
enum { SL_ALPHA_FEWEST_ITEMS = 10 };
/* Krippendorff's alpha of votes with a 95 % interval that holds it, by 1,000 resamples of the
 * items; `without` as for sl_votes_alpha_interval. */
enum sl_status sl_alpha_measure(const struct sl_votes *votes, const bool *without, uint64_t seed,
                                struct sl_interval *out, struct sl_error *err) SL_MUST_USE;
/* The answers look like chance: the interval reaches 0 and excludes agreement. */
bool sl_alpha_is_chance(const struct sl_interval *alpha);
/* A sentence and a line break if they do. */
void sl_alpha_warn(const struct sl_interval *alpha, struct sl_buffer *out);

SL_END_DECLS

#endif
