/* Estimates text widths and breaks lines. The reader's font is unknown, so widths are those of
 * DejaVu Sans, one of the widest system-ui fonts: with other fonts texts are shorter than planned
 * and never overlap. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "plot/plot_internal.h"
#include "softlab/base/text.h"

#define ELLIPSIS "\xe2\x80\xa6"

/* Hundredths of the font size, from ' ' to '~'. */
static const unsigned char widths[] = {
    32, 40, 46, 84, 64, 95, 78, 27, 39,  39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79,
    60, 79, 69, 63, 61, 73, 68, 99, 69,  61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63,
    63, 28, 28, 58, 28, 97, 63, 61, 63,  63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
};

static double character_width(uint32_t code_point)
{
    if (code_point >= ' ' && code_point <= '~') return widths[code_point - ' '] / 100.0;
    if (code_point < ' ' || (code_point >= 0x300 && code_point < 0x370)) return 0; /* accents */
    if (code_point >= 0x1100 && code_point < 0x2000) return 0.8;
    if ((code_point >= 0x2070 && code_point < 0x2090) || code_point == 0xb2 || code_point == 0xb3 ||
        code_point == 0xb9)
        return 0.41; /* raised digits */
    if (code_point < 0x2e80) return code_point < 0x500 ? 0.66 : 0.84;
    return 1.05;
}

/* The first character of a text; a byte that is not UTF-8 is one replacement character. */
static size_t next_character(const char *text, uint32_t *code_point)
{
    size_t length = strnlen(text, 4);
    for (size_t size = 1; size <= length; size++) {
        if (sl_utf8_valid(text, size) != size) continue;
        return sl_utf8_decode(text, size, code_point);
    }
    *code_point = 0xfffd;
    return 1;
}

/* How many bytes of the text fit into `width`; *used is how wide they are. */
static size_t fitting_length(const char *text, double size, double width, double *used)
{
    double total = 0;
    size_t at = 0;
    while (text[at]) {
        uint32_t code_point;
        size_t step = next_character(text + at, &code_point);
        double wide = character_width(code_point) * size;
        if (total + wide > width) break;
        total += wide;
        at += step;
    }
    *used = total;
    return at;
}

double sl_plot_text_width(const char *text, double size)
{
    double width;
    fitting_length(text, size, 1e9, &width);
    return width;
}

bool sl_plot_text_fit(const char *text, double size, double width, char out[SL_PLOT_LINE])
{
    enum { MOST = SL_PLOT_LINE - (int)sizeof ELLIPSIS };
    double used;
    size_t length = fitting_length(text, size, width, &used);
    bool whole = !text[length] && length <= MOST;
    if (!whole) {
        length = fitting_length(text, size, width - size, &used);
        /* Cut between characters. */
        while (length > MOST || (length > 0 && (text[length] & 0xc0) == 0x80))
            length--;
        while (length > 0 && text[length - 1] == ' ')
            length--;
    }
    snprintf(out, SL_PLOT_LINE, "%.*s%s", (int)length, text, whole ? "" : ELLIPSIS);
    return whole;
}

/* Where to break: after the last space before `length`, or at `length` if a word fills the line. */
static size_t break_at(const char *text, size_t length)
{
    for (size_t at = length; at > 0; at--)
        if (text[at] == ' ' || text[at - 1] == ' ') return at;
    uint32_t code_point;
    return length > 0 ? length : next_character(text, &code_point);
}

void sl_plot_text_wrap(const char *text, double size, double width, size_t most,
                       struct sl_plot_lines *out)
{
    out->count = 0;
    while (*text && out->count < most) {
        double used;
        char *line = out->text[out->count++];
        size_t length = fitting_length(text, size, width, &used);
        bool last = !text[length] || out->count == most;
        if (last) {
            sl_plot_text_fit(text, size, width, line);
            break;
        }
        length = break_at(text, length);
        while (length >= SL_PLOT_LINE || (text[length] & 0xc0) == 0x80)
            length--;
        size_t shown = length;
        while (shown > 0 && text[shown - 1] == ' ')
            shown--;
        snprintf(line, SL_PLOT_LINE, "%.*s", (int)shown, text);
        text += length;
        while (*text == ' ')
            text++;
    }
}

void sl_plot_text_write(struct sl_buffer *out, const char *attributes, const char *text,
                        double size, double width)
{
    char line[SL_PLOT_LINE];
    bool whole = sl_plot_text_fit(text, size, width, line);
    sl_buffer_text(out, "<text ");
    sl_buffer_text(out, attributes);
    sl_plot_put(out, ">%s", line);
    if (!whole) sl_plot_put(out, "<title>%s</title>", text);
    sl_buffer_text(out, "</text>\n");
}

void sl_plot_axis_title(const struct sl_plot_axis *axis, char out[SL_PLOT_LINE])
{
    const char *label = axis->label ? axis->label : "";
    /* "%" follows every number instead. */
    const char *unit = axis->unit && strcmp(axis->unit, "%") != 0 ? axis->unit : "";
    const char *scale = axis->scale == SL_SCALE_LOG ? "log scale" : "";
    const char *between = *unit && *scale ? ", " : "";
    if (*label && (*unit || *scale))
        snprintf(out, SL_PLOT_LINE, "%s (%s%s%s)", label, unit, between, scale);
    else
        snprintf(out, SL_PLOT_LINE, "%s%s%s%s", label, unit, between, scale);
}
