#include "softlab/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Messages quote what files and people say. A message stays one line, and cannot steer the terminal
 * it is printed on: control characters, in UTF-8 also those from U+0080 to U+009F, become "?". */
static void mask_controls(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (*c < 0x20 || *c == 0x7f) *c = '?';
        if (*c == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f) c[0] = c[1] = '?';
    }
}

/* vsnprintf that shows where it had to stop. */
SL_PRINTF(3, 0)
static void format_message(char *out, size_t size, const char *format, va_list arguments)
{
    int needed = vsnprintf(out, size, format, arguments);
    if (needed >= 0 && (size_t)needed >= size && size > 3) memcpy(out + size - 4, "...", 4);
    mask_controls(out);
}

enum sl_status sl_fail(struct sl_error *err, enum sl_status code, const char *format, ...)
{
    if (err) {
        va_list arguments;
        va_start(arguments, format);
        format_message(err->message, sizeof err->message, format, arguments);
        va_end(arguments);
        err->code = code;
    }
    return code;
}

enum sl_status sl_fail_errno(struct sl_error *err, const char *format, ...)
{
    int number = errno;
    if (err) {
        char text[sizeof err->message];
        va_list arguments;
        va_start(arguments, format);
        format_message(text, sizeof text, format, arguments);
        va_end(arguments);
        char reason[128];
        if (strerror_r(number, reason, sizeof reason) != 0)
            snprintf(reason, sizeof reason, "error %d", number);
        return sl_fail(err, SL_ERR_IO, "%s: %s", text, reason);
    }
    return SL_ERR_IO;
}

enum sl_status sl_fail_within(struct sl_error *err, enum sl_status code, const char *format, ...)
{
    if (err) {
        struct sl_error inner = *err;
        char context[sizeof err->message];
        va_list arguments;
        va_start(arguments, format);
        format_message(context, sizeof context, format, arguments);
        va_end(arguments);
        return sl_fail(err, code, "%s: %s", context, inner.message);
    }
    return code;
}

const char *sl_status_name(enum sl_status code)
{
    switch (code) {
    case SL_OK: return "ok";
    case SL_ERR_USAGE: return "usage";
    case SL_ERR_INPUT: return "input";
    case SL_ERR_NOT_FOUND: return "not found";
    case SL_ERR_IO: return "io";
    case SL_ERR_NOMEM: return "memory";
    case SL_ERR_BACKEND: return "backend";
    case SL_ERR_NUMERIC: return "numeric";
    case SL_ERR_BUSY: return "busy";
    case SL_ERR_STOPPED: return "stopped";
    }
    return "unknown";
}
