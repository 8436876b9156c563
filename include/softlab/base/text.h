/* Text: strict, locale-free reading of numbers, UTF-8, and the nearest word for
 * "did you mean". Numbers are read whole or not at all: "8p", " 3" and "" are
 * errors, never 8, 3 and 0. */
#ifndef SOFTLAB_BASE_TEXT_H
#define SOFTLAB_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/buffer.h"
#include "softlab/base/error.h"

SL_BEGIN_DECLS

/* Read all `length` bytes of `text` as a number; false (and *out untouched) if
 * they are anything else. Reals accept C's decimal forms of at most 1077 bytes (no
 * double has a longer one), neither "nan" nor "inf". */
bool sl_text_to_integer(const char *text, size_t length, int64_t *out);
bool sl_text_to_real(const char *text, size_t length, double *out);

/* Read "32x48" as height and width, each from 1 to `most`; false (and both untouched) for anything
 * else. */
bool sl_text_to_sides(const char *text, size_t most, size_t *height, size_t *width);

/* Write the shortest decimal of 15 to 17 digits (float: 6 to 9) that reads back as the same number,
 * with '.' in every locale, or "nan", "inf", "-inf". Returns its length. */
enum { SL_NUMBER_TEXT = 64 };
size_t sl_text_from_double(double value, char out[SL_NUMBER_TEXT]);
size_t sl_text_from_float(float value, char out[SL_NUMBER_TEXT]);

/* Length of the longest valid UTF-8 prefix; equal to `length` if all is valid. */
size_t sl_utf8_valid(const char *text, size_t length);

/* Write one code point (at most 0x10FFFF, no surrogate) as UTF-8; the number of
 * bytes, or 0 if it is not a code point. `out` holds 4 bytes. */
size_t sl_utf8_encode(uint32_t code_point, char *out);

/* Read one code point at the start of valid UTF-8; the number of bytes it took. */
size_t sl_utf8_decode(const char *text, size_t length, uint32_t *out);

/* Whether valid UTF-8 is invisible: empty, or only spaces of any script, line breaks, control
 * characters and characters without width. */
bool sl_text_is_blank(const char *text, size_t length);

/* The candidate nearest to `word` by edit distance, borrowed, or NULL if none is
 * near enough to be worth suggesting. `candidates` ends with NULL. */
const char *sl_text_nearest(const char *word, const char *const *candidates);

/* The end of a message about an unknown word: `, did you mean "shapes"?` written into `out`, or
 * `otherwise` if no candidate is near. */
enum { SL_SUGGESTION_TEXT = 96 };
const char *sl_text_suggestion(const char *word, const char *const *candidates,
                               const char *otherwise, char out[SL_SUGGESTION_TEXT]);

/* Whether `word` is one of the names in `list`, separated by spaces. Case, '-' and '_' are ignored:
 * "Dawid_Skene" is "dawid-skene". A NULL list is empty. */
bool sl_text_known_as(const char *word, const char *list);

/* Whether two texts are equal; either may be NULL, and NULL equals only NULL. */
bool sl_text_same(const char *a, const char *b);

/* "1,234,567" / "12.3 MB" into `out`; returns `out`. */
char *sl_text_count(uint64_t value, char *out, size_t size);
char *sl_text_bytes(uint64_t value, char *out, size_t size);

/* `one` for a count of 1, `many` for any other, 0 included; both borrowed. For the noun or verb
 * after a count: printf("%zu %s", n, sl_text_plural(n, "item", "items")). */
const char *sl_text_plural(uint64_t count, const char *one, const char *many);

/* Append bytes in base 64 (RFC 4648, with padding), for pictures inside text. */
void sl_base64_append(struct sl_buffer *out, const void *bytes, size_t length);

/* "a,b,c" as a NULL-ended list on the heap, for sl_names_destroy. */
char **sl_text_split(const char *text) SL_MUST_USE;

/* A heap copy of `text` with every `from`, which is not empty, replaced by `to`. */
char *sl_text_replace(const char *text, const char *from, const char *to) SL_MUST_USE;

SL_END_DECLS

#endif
