/* The placeholders of a study's texts, {minutes} and the like, filled in when the server starts.
 * Private to study/. */
#ifndef SOFTLAB_STUDY_TEXTS_TEMPLATE_H
#define SOFTLAB_STUDY_TEXTS_TEMPLATE_H

#include "softlab/base/buffer.h"
#include "softlab/study/check.h"
#include "study/texts/words.h"

enum sl_template_name {
    SL_TEMPLATE_MINUTES,    /* the time of a session */
    SL_TEMPLATE_TRIALS,     /* the number of trials */
    SL_TEMPLATE_PAY,        /* one or two sentences; "" if nothing is paid */
    SL_TEMPLATE_KEEP_UNTIL, /* a date; "" if none is set */
    SL_TEMPLATE_COUNT
};
extern const char *const sl_template_names[SL_TEMPLATE_COUNT + 1]; /* ends with NULL */

struct sl_template_values {
    char *texts[SL_TEMPLATE_COUNT]; /* owned */
};
void sl_template_values_init(struct sl_template_values *values, const struct sl_study *study,
                             const struct sl_words *words, const struct sl_study_effort *effort);
void sl_template_values_release(struct sl_template_values *values);

/* The length of "{minutes}" at the start of `text`, braces included; 0 if there is no word in
 * braces. *name is SL_TEMPLATE_COUNT for an unknown word. */
size_t sl_template_match(const char *text, size_t length, enum sl_template_name *name);
/* Append `text` with names replaced by their values. A line with an empty value is left out. "\{"
 * is a brace. */
void sl_template_fill(const struct sl_template_values *values, const char *text, size_t length,
                      struct sl_buffer *out);

#endif
