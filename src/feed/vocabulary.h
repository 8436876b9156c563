/* Vocabulary: shared by its two files and the feed of texts. */
#ifndef SOFTLAB_FEED_VOCABULARY_H
#define SOFTLAB_FEED_VOCABULARY_H

#include <stdbool.h>
#include <stdint.h>

#include "softlab/base/names.h"
#include "softlab/feed/text.h"

struct sl_vocabulary {
    struct sl_name_table *words; /* owned; id = number + 1 */
    uint32_t *alphabet;          /* owned; ascending code points, id = place + 1 */
    size_t n_letters;
    size_t tokens, letters; /* of the longest sentence and word that are read without cutting */
    size_t dimensions;      /* of a word's vector */
    float *vectors;         /* owned; (words + 1, dimensions), or NULL if read from a model */
};

/* The next word of a text at or after *at, which moves past it; false if there is none. */
bool sl_vocabulary_next(const char *text, size_t *at, struct sl_span *out);

/* Ids; 0 if unknown. */
int32_t sl_vocabulary_word(const struct sl_vocabulary *vocabulary, const char *text, size_t length);
int32_t sl_vocabulary_letter(const struct sl_vocabulary *vocabulary, uint32_t code_point);

/* The number of a word in a table, as written or in lower case; SL_NO_NAME if the table has
 * neither. */
uint32_t sl_vocabulary_find(const struct sl_name_table *words, const char *text, size_t length);

/* To JSON text, which the caller frees; and back, SL_ERR_INPUT if the text is not a vocabulary. */
char *sl_vocabulary_to_text(const struct sl_vocabulary *vocabulary);
enum sl_status sl_vocabulary_from_text(const char *text, struct sl_vocabulary **out,
                                       struct sl_error *err) SL_MUST_USE;

#endif
