/* Numbers as the shortest text that reads back as the same number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/text.h"

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

static size_t write_word(double value, char out[SL_NUMBER_TEXT])
{
    const char *word = isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    return (size_t)snprintf(out, SL_NUMBER_TEXT, "%s", word);
}

size_t sl_text_from_double(double value, char out[SL_NUMBER_TEXT])
{
    if (!isfinite(value)) return write_word(value, out);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, SL_NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(out, NULL) == value) break;
    }
    return make_point(out);
}

size_t sl_text_from_float(float value, char out[SL_NUMBER_TEXT])
{
    if (!isfinite(value)) return write_word((double)value, out);
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(out, SL_NUMBER_TEXT, "%.*g", digits, (double)value);
        if (strtof(out, NULL) == value) break;
    }
    return make_point(out);
}

bool sl_text_to_sides(const char *text, size_t most, size_t *height, size_t *width)
{
    const size_t length = strcspn(text, "x");
    const char *rest = text + length + (text[length] == 'x');
    int64_t sides[2];
    if (!sl_text_to_integer(text, length, &sides[0]) ||
        !sl_text_to_integer(rest, strlen(rest), &sides[1]))
        return false;
    for (size_t i = 0; i < 2; i++)
        if (sides[i] < 1 || (uint64_t)sides[i] > most) return false;
    *height = (size_t)sides[0];
    *width = (size_t)sides[1];
    return true;
}
