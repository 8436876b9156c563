#include <math.h>
#include <string.h>

#include "softlab/base/json.h"
#include "softlab/base/stats.h"
#include "softlab/base/text.h"

static enum sl_status check_text(const char *text, size_t length, const char *what,
                                 struct sl_error *err)
{
    size_t valid = sl_utf8_valid(text, length);
    if (valid != length)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s is not valid UTF-8 at byte %zu; save the file as UTF-8", what, valid);
    if (memchr(text, '\0', length)) return sl_fail(err, SL_ERR_INPUT, "%s has a NUL byte", what);
    return SL_OK;
}

enum sl_status sl_json_append_string(struct sl_buffer *out, const char *text, size_t length,
                                     const char *what, struct sl_error *err)
{
    if (length > 0) SL_TRY(check_text(text, length, what, err));
    sl_buffer_byte(out, '"');
    size_t plain = 0; /* where the bytes that stand for themselves begin */
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)text[i];
        if (byte >= ' ' && byte != '"' && byte != '\\') continue;
        if (i > plain) sl_buffer_append(out, text + plain, i - plain);
        if (byte < ' ')
            sl_buffer_printf(out, "\\u%04x", (unsigned)byte);
        else
            sl_buffer_printf(out, "\\%c", byte);
        plain = i + 1;
    }
    if (length > plain) sl_buffer_append(out, text + plain, length - plain);
    sl_buffer_byte(out, '"');
    return SL_OK;
}

json_t *sl_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *sl_json_interval(const struct sl_interval *interval)
{
    return json_pack("[o, o]", sl_json_real(interval->low), sl_json_real(interval->high));
}

json_t *sl_json_estimate(const struct sl_interval *interval)
{
    return json_pack("{s:o, s:o}", "estimate", sl_json_real(interval->estimate), "interval",
                     sl_json_interval(interval));
}

json_t *sl_json_counts(const size_t *counts, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_integer((json_int_t)counts[i]));
    return list;
}
