#include "softlab/base/markup.h"

#include <string.h>

void sl_html_escape(struct sl_buffer *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        switch (text[i]) {
        case '&': sl_buffer_text(out, "&amp;"); break;
        case '<': sl_buffer_text(out, "&lt;"); break;
        case '>': sl_buffer_text(out, "&gt;"); break;
        case '"': sl_buffer_text(out, "&quot;"); break;
        case '\'': sl_buffer_text(out, "&#39;"); break;
        default:
            /* HTML has no place for control characters. */
            if ((unsigned char)text[i] >= ' ' || text[i] == '\n' || text[i] == '\t')
                sl_buffer_byte(out, text[i]);
        }
    }
}

void sl_url_escape(struct sl_buffer *out, const char *text, const char *also_plain)
{
    static const char unreserved[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    for (const char *c = text; *c; c++) {
        if (strchr(unreserved, *c) || strchr(also_plain, *c))
            sl_buffer_byte(out, *c);
        else
            sl_buffer_printf(out, "%%%02X", (unsigned)(unsigned char)*c);
    }
}
