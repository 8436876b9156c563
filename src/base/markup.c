#include "softlab/base/markup.h"

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
