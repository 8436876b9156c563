/* The texts of a study's pages: those of its language (web/words/), some replaced by its own
 * (words.json in its folder). Private to study/. */
#ifndef SOFTLAB_STUDY_TEXTS_WORDS_H
#define SOFTLAB_STUDY_TEXTS_WORDS_H

#include "softlab/base/json.h"
#include "softlab/study.h"

#define SL_WORDS_FILE "words.json"

struct sl_words {
    json_t *language; /* owned: key -> text, from the program */
    json_t *own;      /* owned: the texts that the study replaces */
    json_t *texts;    /* owned: both merged */
};

/* SL_ERR_INPUT, naming file, line and key, for an unknown key or a {place} that its page does not
 * fill. A study without words.json uses the texts of its language. */
enum sl_status sl_words_read(const struct sl_study *study, struct sl_words *out,
                             struct sl_error *err) SL_MUST_USE;
void sl_words_release(struct sl_words *words);
/* Whether the program has the language, such as "en". */
bool sl_words_know(const char *language);

/* The text under a key, which must exist. Borrowed. */
const char *sl_words_say(const struct sl_words *words, const char *key);
/* Whether a study may use `text` for `key`: SL_ERR_INPUT naming the key if not. */
enum sl_status sl_words_check(const struct sl_words *words, const char *key, const char *text,
                              struct sl_error *err) SL_MUST_USE;
/* Whether `text` has every {place} of the language's text: SL_ERR_INPUT naming the key and the
 * missing place. */
enum sl_status sl_words_check_places(const struct sl_words *words, const char *key,
                                     const char *text, struct sl_error *err) SL_MUST_USE;
/* Make `own` (borrowed; checked) the study's own texts, on disk and in `words`. Texts that equal
 * the language's are left out. */
enum sl_status sl_words_save(struct sl_words *words, const struct sl_study *study, json_t *own,
                             struct sl_error *err) SL_MUST_USE;

/* Append a page: every {key} of the template becomes its text, and {words} becomes all texts as
 * JSON for a script element. */
void sl_words_page(const struct sl_words *words, const char *template, size_t length,
                   struct sl_buffer *out);

#endif
