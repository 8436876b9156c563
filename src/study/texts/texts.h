/* The texts of a study, as HTML. Private to study/. */
#ifndef SOFTLAB_STUDY_TEXTS_TEXTS_H
#define SOFTLAB_STUDY_TEXTS_TEXTS_H

#include "softlab/study.h"
#include "study/texts/words.h"

struct sl_texts {
    char *consent, *debrief; /* owned; "" where there is no text */
    char **instructions;     /* owned; a page each */
    size_t n_instructions;
};
/* What the texts leave open (template.h) is filled in: with the pay of study.json and the time that
 * the batches of the store take. A file that is not there is a text that the study does not have.
 */
enum sl_status sl_texts_read(const struct sl_study *study, const struct sl_words *words,
                             struct sl_store *store, struct sl_texts *out,
                             struct sl_error *err) SL_MUST_USE;
void sl_texts_release(struct sl_texts *texts);

#endif
