/* Private to the library: pieces of error messages about values from outside. Messages are one
 * line whatever a file holds, so text is escaped and cut before it is shown. */
#ifndef SOFTLAB_BASE_TEXT_DESCRIBE_H
#define SOFTLAB_BASE_TEXT_DESCRIBE_H

#include <stddef.h>
#include <stdint.h>

enum { SL_DESCRIBE_SIZE = 192 };

/* "text" in quotes; control bytes and invalid UTF-8 as \xNN, '"' and '\' after a
 * backslash, at most 40 bytes of it and then "...". Returns `out`. */
char *sl_describe_text(const char *text, size_t length, char out[SL_DESCRIBE_SIZE]);

/* "an integer from 0 to 9", "an integer of at least 1", "a number of at most 1",
 * "a number": a bound at the end of the type's range is not worth naming. */
char *sl_describe_integers(int64_t minimum, int64_t maximum, char out[SL_DESCRIBE_SIZE]);
char *sl_describe_reals(double minimum, double maximum, char out[SL_DESCRIBE_SIZE]);

#endif
