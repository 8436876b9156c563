#include "softlab/base/buffer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"

void sl_buffer_init(struct sl_buffer *buffer, size_t maximum)
{
    *buffer = (struct sl_buffer){.maximum = maximum};
}

void sl_buffer_init_data(struct sl_buffer *buffer, size_t maximum)
{
    *buffer = (struct sl_buffer){.maximum = maximum, .reports = true};
}

void sl_buffer_release(struct sl_buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct sl_buffer){.maximum = buffer->maximum, .reports = buffer->reports};
}

void sl_buffer_clear(struct sl_buffer *buffer)
{
    buffer->length = 0;
    buffer->overflowed = buffer->exhausted = false;
    if (buffer->data) buffer->data[0] = '\0';
}

static bool grow(struct sl_buffer *buffer, size_t capacity)
{
    char *data = sl_data_resize(buffer->data, capacity, 1, NULL);
    if (!data) return false;
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

char *sl_buffer_reserve(struct sl_buffer *buffer, size_t length)
{
    /* With a maximum of SIZE_MAX there is no room for the NUL at the very end. */
    if (length > buffer->maximum - buffer->length || length == SIZE_MAX - buffer->length) {
        buffer->overflowed = true;
        return NULL;
    }
    size_t needed = buffer->length + length + 1; /* the NUL */
    if (needed > buffer->capacity) {
        size_t doubled = buffer->capacity < 64 ? 64 : buffer->capacity * 2;
        size_t most = buffer->maximum < SIZE_MAX ? buffer->maximum + 1 : SIZE_MAX;
        size_t capacity = doubled < needed ? needed : doubled;
        if (capacity > most) capacity = most;
        if (!grow(buffer, capacity) && !(needed < capacity && grow(buffer, needed))) {
            buffer->overflowed = buffer->exhausted = true;
            return NULL;
        }
    }
    buffer->data[buffer->length] = '\0';
    return buffer->data + buffer->length;
}

/* The same for callers that ignore failure. */
static char *reserve(struct sl_buffer *buffer, size_t length)
{
    char *room = sl_buffer_reserve(buffer, length);
    if (!room && buffer->exhausted && !buffer->reports)
        sl_memory_exhausted(buffer->length + length + 1);
    return room;
}

void sl_buffer_append(struct sl_buffer *buffer, const void *bytes, size_t length)
{
    char *room = reserve(buffer, length);
    if (!room) return;
    if (length) memcpy(room, bytes, length);
    room[length] = '\0';
    buffer->length += length;
}

void sl_buffer_text(struct sl_buffer *buffer, const char *text)
{
    sl_buffer_append(buffer, text, strlen(text));
}

void sl_buffer_byte(struct sl_buffer *buffer, char byte)
{
    sl_buffer_append(buffer, &byte, 1);
}

void sl_buffer_vprintf(struct sl_buffer *buffer, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length < 0) buffer->overflowed = true; /* longer than INT_MAX, or not convertible */
    char *room = length < 0 ? NULL : reserve(buffer, (size_t)length);
    if (room) {
        vsnprintf(room, (size_t)length + 1, format, again);
        buffer->length += (size_t)length;
    }
    va_end(again);
}

void sl_buffer_printf(struct sl_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sl_buffer_vprintf(buffer, format, arguments);
    va_end(arguments);
}

void sl_buffer_blame(struct sl_buffer *buffer, const struct sl_buffer *part)
{
    buffer->overflowed = buffer->overflowed || part->overflowed;
    buffer->exhausted = buffer->exhausted || part->exhausted;
}

enum sl_status sl_buffer_check(const struct sl_buffer *buffer, const char *what,
                               struct sl_error *err)
{
    if (!buffer->overflowed) return SL_OK;
    if (buffer->exhausted)
        return sl_fail(err, SL_ERR_NOMEM, "not enough memory for %s beyond %zu bytes", what,
                       buffer->length);
    return sl_fail(err, SL_ERR_INPUT, "%s is longer than %zu bytes", what, buffer->maximum);
}
