/* What a study's texts leave open, {minutes} and the like, filled in when the server starts.
 * Private to study/. */
#ifndef SOFTLAB_STUDY_TEXTS_TEMPLATE_H
#define SOFTLAB_STUDY_TEXTS_TEMPLATE_H

#include "softlab/base/buffer.h"
#include "softlab/study/check.h"
#include "study/texts/words.h"

enum sl_template_name {
    SL_TEMPLATE_MINUTES,    /* how long it takes */
    SL_TEMPLATE_TRIALS,     /* how many there are */
    SL_TEMPLATE_PAY,        /* one or two sentences; "" where nothing is paid */
    SL_TEMPLATE_KEEP_UNTIL, /* a date; "" where none is set */
    SL_TEMPLATE_COUNT
};
extern const char *const sl_template_names[SL_TEMPLATE_COUNT + 1]; /* ends with NULL */

struct sl_template_values {
    char *texts[SL_TEMPLATE_COUNT]; /* owned */
};
void sl_template_values_init(struct sl_template_values *values, const struct sl_study *study,
                             const struct sl_words *words, const struct sl_study_effort *effort);
void sl_template_values_release(struct sl_template_values *values);

/* "{minutes}" at the start of `text`: its length with the braces, 0 if no word in braces stands
 * there. *name is SL_TEMPLATE_COUNT for a word that is none of ours. */
size_t sl_template_match(const char *text, size_t length, enum sl_template_name *name);
/* Append `text` with the values in the place of their names. A line with a value that is "" is left
 * out. "\{" is a brace. */
void sl_template_fill(const struct sl_template_values *values, const char *text, size_t length,
                      struct sl_buffer *out);

#endif
