/* What the pages of a study say: the words of its language (web/words/), with those of its own
 * (words.json in its folder) in their place. Private to study/. */
#ifndef SOFTLAB_STUDY_TEXTS_WORDS_H
#define SOFTLAB_STUDY_TEXTS_WORDS_H

#include "softlab/base/json.h"
#include "softlab/study.h"

#define SL_WORDS_FILE "words.json"

struct sl_words {
    json_t *language; /* owned: key -> text, as the program has them */
    json_t *own;      /* owned: those that the study says otherwise */
    json_t *texts;    /* owned: both together */
};

/* SL_ERR_INPUT, naming file, line and key, for words that no page has or a {place} that its page
 * does not fill. A study without a file of its own says what its language says. */
enum sl_status sl_words_read(const struct sl_study *study, struct sl_words *out,
                             struct sl_error *err) SL_MUST_USE;
void sl_words_release(struct sl_words *words);
/* Whether the program has the language "en". */
bool sl_words_know(const char *language);

/* The text under a key, which must exist. Borrowed. */
const char *sl_words_say(const struct sl_words *words, const char *key);
/* Whether a study may say `text` under `key`: SL_ERR_INPUT naming the key if not. */
enum sl_status sl_words_check(const struct sl_words *words, const char *key, const char *text,
                              struct sl_error *err) SL_MUST_USE;
/* Whether `text` has every {place} that the language's text has: SL_ERR_INPUT naming the key and
 * the place that is missing. */
enum sl_status sl_words_check_places(const struct sl_words *words, const char *key,
                                     const char *text, struct sl_error *err) SL_MUST_USE;
/* Make `own` (borrowed; checked) the study's own words, on disk and in `words`. What equals the
 * language's word is left out. */
enum sl_status sl_words_save(struct sl_words *words, const struct sl_study *study, json_t *own,
                             struct sl_error *err) SL_MUST_USE;

/* Append a page: every {key} of the template becomes its text, and {words} all of them as JSON that
 * may stand in a script element. */
void sl_words_page(const struct sl_words *words, const char *template, size_t length,
                   struct sl_buffer *out);

#endif
