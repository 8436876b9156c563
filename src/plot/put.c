/* Writes markup: numbers in a fixed form, escaped text. */
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "plot/plot_internal.h"
#include "softlab/base/markup.h"
#include "softlab/base/text.h"

/* Farther than any chart reaches; keeps values outside an axis printable. */
static const double far_away = 1e5;

/* Hundredths of a pixel are finer than any screen and hide the last bits in which mathematical
 * libraries differ. */
static void put_number(struct sl_buffer *out, double value)
{
    assert(!isnan(value));
    long hundredths = lround(fmax(-far_away, fmin(far_away, value)) * 100);
    unsigned long size = (unsigned long)(hundredths < 0 ? -hundredths : hundredths);
    sl_buffer_printf(out, "%s%lu", hundredths < 0 ? "-" : "", size / 100);
    if (size % 100 == 0) return;
    sl_buffer_printf(out, size % 10 == 0 ? ".%lu" : ".%02lu",
                     size % 10 == 0 ? size % 100 / 10 : size % 100);
}

void sl_plot_put_text(struct sl_buffer *out, const char *text)
{
    size_t length = strlen(text);
    while (length > 0) {
        size_t valid = sl_utf8_valid(text, length);
        for (size_t at = 0, size; at < valid; at += size) {
            uint32_t code_point;
            size = sl_utf8_decode(text + at, valid - at, &code_point);
            /* The two code points that are UTF-8 but not XML. */
            if (code_point != 0xfffe && code_point != 0xffff) sl_html_escape(out, text + at, size);
        }
        text += valid;
        length -= valid;
        if (length == 0) break;
        sl_buffer_text(out, "\xef\xbf\xbd"); /* U+FFFD for a byte that is not UTF-8 */
        text++;
        length--;
    }
}

void sl_plot_put(struct sl_buffer *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    while (*format) {
        size_t plain = strcspn(format, "%");
        sl_buffer_append(out, format, plain);
        format += plain;
        if (!*format) break;
        switch (format[1]) {
        case 'f': put_number(out, va_arg(arguments, double)); break;
        case 's': sl_plot_put_text(out, va_arg(arguments, const char *)); break;
        case 'z': sl_buffer_printf(out, "%zu", va_arg(arguments, size_t)); break;
        default: assert(format[1] == '%'); sl_buffer_byte(out, '%');
        }
        format += format[1] == 'z' ? 3 : 2;
    }
    va_end(arguments);
}
