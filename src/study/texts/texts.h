/* The texts of a study, as HTML. Private to study/. */
#ifndef SOFTLAB_STUDY_TEXTS_TEXTS_H
#define SOFTLAB_STUDY_TEXTS_TEXTS_H

#include "softlab/study.h"
#include "study/texts/words.h"

struct sl_texts {
    char *consent, *debrief; /* owned; "" if there is no text */
    char **instructions;     /* owned; one per page */
    size_t n_instructions;
};
/* Reads the texts and fills in their placeholders (template.h): the pay from study.json, and the
 * time from the store's batches. A file that does not exist is a text that the study does not
 * have. */
enum sl_status sl_texts_read(const struct sl_study *study, const struct sl_words *words,
                             struct sl_store *store, struct sl_texts *out,
                             struct sl_error *err) SL_MUST_USE;
void sl_texts_release(struct sl_texts *texts);

#endif
