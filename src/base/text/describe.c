#include "base/text/describe.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "softlab/base/text.h"

enum { SHOWN_BYTES = 40 };

/* Append one byte, escaped; \xNN takes four, which SL_DESCRIBE_SIZE allows for every byte. */
static size_t escape_byte(char byte, char *out)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char value = (unsigned char)byte;
    if (byte == '"' || byte == '\\') {
        out[0] = '\\';
        out[1] = byte;
        return 2;
    }
    if (value >= 0x20 && value < 0x7F) {
        out[0] = byte;
        return 1;
    }
    out[0] = '\\';
    out[1] = 'x';
    out[2] = digits[value >> 4];
    out[3] = digits[value & 15];
    return 4;
}

char *sl_describe_text(const char *text, size_t length, char out[SL_DESCRIBE_SIZE])
{
    _Static_assert((size_t)4 * SHOWN_BYTES + sizeof "\"...\"" <= SL_DESCRIBE_SIZE,
                   "room for escapes");
    size_t used = 0, at = 0;
    out[used++] = '"';
    while (at < length) {
        size_t left = length - at, size = 1;
        uint32_t code_point = 0;
        if (sl_utf8_valid(text + at, left < 4 ? left : 4))
            size = sl_utf8_decode(text + at, left, &code_point);
        bool whole = code_point >= 0xA0; /* below are ASCII and the C1 controls */
        if (!whole) size = 1;
        if (at + size > SHOWN_BYTES) break;
        if (whole) {
            memcpy(out + used, text + at, size);
            used += size;
        } else {
            used += escape_byte(text[at], out + used);
        }
        at += size;
    }
    out[used++] = '"';
    memcpy(out + used, at < length ? "..." : "", at < length ? 4 : 1);
    return out;
}

char *sl_describe_integers(int64_t minimum, int64_t maximum, char out[SL_DESCRIBE_SIZE])
{
    long long low = minimum, high = maximum;
    if (minimum == INT64_MIN && maximum == INT64_MAX)
        snprintf(out, SL_DESCRIBE_SIZE, "an integer");
    else if (maximum == INT64_MAX)
        snprintf(out, SL_DESCRIBE_SIZE, "an integer of at least %lld", low);
    else if (minimum == INT64_MIN)
        snprintf(out, SL_DESCRIBE_SIZE, "an integer of at most %lld", high);
    else
        snprintf(out, SL_DESCRIBE_SIZE, "an integer from %lld to %lld", low, high);
    return out;
}

char *sl_describe_reals(double minimum, double maximum, char out[SL_DESCRIBE_SIZE])
{
    /* The ends of single precision say no more about what is wanted than infinity does. */
    const bool low = minimum > -(double)FLT_MAX, high = maximum < (double)FLT_MAX;
    if (!low && !high && isfinite(maximum))
        snprintf(out, SL_DESCRIBE_SIZE, "a number up to %.2g", maximum);
    else if (low && high)
        snprintf(out, SL_DESCRIBE_SIZE, "a number from %g to %g", minimum, maximum);
    else if (low)
        snprintf(out, SL_DESCRIBE_SIZE, "a number of at least %g", minimum);
    else if (high)
        snprintf(out, SL_DESCRIBE_SIZE, "a number of at most %g", maximum);
    else
        snprintf(out, SL_DESCRIBE_SIZE, "a number");
    return out;
}
