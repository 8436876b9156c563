#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/csv.h"

static bool needs_quotes(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r') return true;
    /* At the start of a file it would be skipped. */
    return length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
}

void sl_csv_append_field(struct sl_buffer *line, const char *text, size_t length)
{
    /* A line break within a field stands before a closing quote, so this one ended a line. */
    bool first = line->length == 0 || line->data[line->length - 1] == '\n';
    if (!first) sl_buffer_byte(line, ',');
    /* An empty first field is quoted: the next one could not tell that it was there, and a
     * reader skips empty lines. */
    if (!needs_quotes(text, length) && !(first && length == 0)) {
        sl_buffer_append(line, text, length);
        return;
    }
    sl_buffer_byte(line, '"');
    while (length > 0) {
        const char *quote = memchr(text, '"', length);
        size_t part = quote ? (size_t)(quote - text) + 1 : length;
        sl_buffer_append(line, text, part);
        if (quote) sl_buffer_byte(line, '"');
        text += part;
        length -= part;
    }
    sl_buffer_byte(line, '"');
}

/* Replace the decimal point of the program's locale, whatever it is, by '.'. */
static size_t make_point(char *text)
{
    size_t used = 0;
    bool point = false;
    for (const char *at = text; *at; at++) {
        bool kept = (*at >= '0' && *at <= '9') || *at == '-' || *at == '+' || *at == 'e';
        if (!kept && point) continue;
        point = !kept;
        text[used++] = kept ? *at : '.';
    }
    text[used] = '\0';
    return used;
}

void sl_csv_append_real(struct sl_buffer *line, double value)
{
    char text[64];
    if (!isfinite(value)) {
        const char *word = isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
        sl_csv_append_field(line, word, strlen(word));
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    sl_csv_append_field(line, text, make_point(text));
}

void sl_csv_end_line(struct sl_buffer *line)
{
    sl_buffer_byte(line, '\n');
}
