/* Private to answer: what the set, the files and the votes share. */
#ifndef SOFTLAB_ANSWER_ANSWER_INTERNAL_H
#define SOFTLAB_ANSWER_ANSWER_INTERNAL_H

#include "softlab/answer.h"

/* How many warnings of a sort are worth reading. */
enum { SL_NOTES_SHOWN = 5 };

/* SL_ERR_INPUT if the answer has no item, names a class that does not exist or lacks what its
 * kind needs. */
enum sl_status sl_answer_check(const struct sl_answer *answer, size_t n_classes,
                               struct sl_error *err) SL_MUST_USE;

/* Count a skipped answer, and warn of the first few. */
void sl_notes_skip(struct sl_import_notes *notes, const char *path, size_t line, const char *why);

/* Count one more answer of a person to an item, and warn of the first few. */
void sl_notes_duplicate(struct sl_import_notes *notes, const char *path, const char *item,
                        const char *annotator);

#endif
