/* Buffer: bytes that grow up to a stated maximum.
 *
 * Appending never fails: a buffer that would exceed its maximum keeps its content and remembers the
 * failure, so that one sl_buffer_check after the last append replaces an error test per line.
 * `data` is NUL-terminated after every append, and not NULL once something was appended. */
#ifndef SOFTLAB_BASE_BUFFER_H
#define SOFTLAB_BASE_BUFFER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

struct sl_buffer {
    char *data; /* owned */
    size_t length;
    size_t capacity;
    size_t maximum;
    bool overflowed; /* something did not fit; the content is incomplete */
    bool exhausted;  /* ... because memory ran out */
    bool reports; /* running out of memory is remembered; otherwise it is handled as in sl_alloc */
};

void sl_buffer_init(struct sl_buffer *buffer, size_t maximum);
/* For content whose size the data decide: running out of memory is remembered too, so
 * sl_buffer_check must be called. */
void sl_buffer_init_data(struct sl_buffer *buffer, size_t maximum);
void sl_buffer_release(struct sl_buffer *buffer);

/* Forget the content, keep the memory. */
void sl_buffer_clear(struct sl_buffer *buffer);

void sl_buffer_append(struct sl_buffer *buffer, const void *bytes, size_t length);
void sl_buffer_text(struct sl_buffer *buffer, const char *text);
void sl_buffer_byte(struct sl_buffer *buffer, char byte);
void sl_buffer_printf(struct sl_buffer *buffer, const char *format, ...) SL_PRINTF(2, 3);
void sl_buffer_vprintf(struct sl_buffer *buffer, const char *format, va_list arguments)
    SL_PRINTF(2, 0);

/* Take over the failure of `part`, a buffer whose content was made for `buffer`. */
void sl_buffer_blame(struct sl_buffer *buffer, const struct sl_buffer *part);

/* Reserve `length` more bytes at data + length; NULL beyond the maximum or without memory
 * (sl_buffer_check says which). The caller writes there and raises `length`. */
char *sl_buffer_reserve(struct sl_buffer *buffer, size_t length);

/* SL_ERR_INPUT "<what> is longer than <maximum> bytes", or SL_ERR_NOMEM, if anything did not fit.
 */
enum sl_status sl_buffer_check(const struct sl_buffer *buffer, const char *what,
                               struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
