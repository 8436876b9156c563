/* Buffer: bytes that grow up to a stated maximum.
 *
 * Appending never fails by itself: a buffer that would pass its maximum keeps
 * what it has and remembers. One sl_buffer_check after the last append replaces
 * an error test per line. `data` is NUL-terminated after every append and never
 * NULL once something was appended. */
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
    bool overflowed; /* something did not fit; the content is not whole */
    bool exhausted;  /* because there was no memory for it */
    bool reports;    /* that is remembered; otherwise it goes by sl_alloc */
};

void sl_buffer_init(struct sl_buffer *buffer, size_t maximum);
/* For what is as large as somebody's data: that there is no memory is remembered too, so that
 * sl_buffer_check must be asked. */
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

/* What did not fit into `part`, which was made for `buffer`, did not fit into it either. */
void sl_buffer_blame(struct sl_buffer *buffer, const struct sl_buffer *part);

/* Room for `length` more bytes at data + length, or NULL beyond the maximum or without memory for
 * it (sl_buffer_check says which); the caller writes there and raises `length` itself. */
char *sl_buffer_reserve(struct sl_buffer *buffer, size_t length);

/* SL_ERR_INPUT "<what> is longer than <maximum> bytes", or SL_ERR_NOMEM, if anything did not fit.
 */
enum sl_status sl_buffer_check(const struct sl_buffer *buffer, const char *what,
                               struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
