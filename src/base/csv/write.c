#include <string.h>

#include "softlab/base/csv.h"
#include "softlab/base/text.h"

static bool needs_quotes(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r') return true;
    /* Readers skip a byte order mark at the start of a file. */
    return length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
}

/* An apostrophe may stand before the first byte of what is written. */
static void append(struct sl_buffer *line, bool apostrophe, const char *text, size_t length)
{
    /* A line break within a field comes before a closing quote, so this one ended a line. */
    bool first = line->length == 0 || line->data[line->length - 1] == '\n';
    if (!first) sl_buffer_byte(line, ',');
    /* An empty first field is quoted: otherwise the next append would take itself for the first,
     * and readers skip empty lines. */
    const bool quoted = needs_quotes(text, length) || (first && length == 0);
    if (quoted) sl_buffer_byte(line, '"');
    if (apostrophe) sl_buffer_byte(line, '\'');
    while (quoted && length > 0) {
        const char *quote = memchr(text, '"', length);
        size_t part = quote ? (size_t)(quote - text) + 1 : length;
        sl_buffer_append(line, text, part);
        if (quote) sl_buffer_byte(line, '"');
        text += part;
        length -= part;
    }
    if (quoted)
        sl_buffer_byte(line, '"');
    else
        sl_buffer_append(line, text, length);
}

void sl_csv_append_field(struct sl_buffer *line, const char *text, size_t length)
{
    append(line, false, text, length);
}

bool sl_csv_is_formula(const char *text, size_t length)
{
    double number = 0;
    while (length > 0 && *text == '\'') {
        text++;
        length--;
    }
    if (length == 0 || !memchr("=+-@\t\r\n", *text, 7)) return false;
    return *text != '-' || !sl_text_to_real(text, length, &number);
}

void sl_csv_append_text(struct sl_buffer *line, const char *text, size_t length)
{
    append(line, sl_csv_is_formula(text, length), text, length);
}

void sl_csv_append_real(struct sl_buffer *line, double value)
{
    char text[SL_NUMBER_TEXT];
    size_t length = sl_text_from_double(value, text);
    sl_csv_append_field(line, text, length);
}

void sl_csv_end_line(struct sl_buffer *line)
{
    sl_buffer_byte(line, '\n');
}
