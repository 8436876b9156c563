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

/* ---- Floats of common size, by exact integers ----
 *
 * A float is m 2^-s. Its digits at a precision are m 10^k / 2^s, rounded; they read back as the
 * same float if they are within half a step of m, that is if the rounding changed less than 10^k
 * / 2. All of this fits 128 bits for values from 1e-22 to 1e6. printf and strtof find the same
 * digits in a microsecond or two, which a table of ten million probabilities makes half a minute.
 */

__extension__ typedef unsigned __int128 wide;

enum { LEAST_DIGITS = 6, MOST_DIGITS = 9, LEAST_PLACE = -22, MOST_PLACE = 5 };

static wide power_of_ten(int exponent)
{
    static const uint64_t powers[] = {1,
                                      10,
                                      100,
                                      1000,
                                      10000,
                                      100000,
                                      1000000,
                                      10000000,
                                      100000000,
                                      1000000000,
                                      10000000000,
                                      100000000000,
                                      1000000000000,
                                      10000000000000,
                                      100000000000000,
                                      1000000000000000};
    enum { LARGEST = sizeof powers / sizeof *powers - 1 };
    wide power = 1;
    for (; exponent > LARGEST; exponent -= LARGEST)
        power *= powers[LARGEST];
    return power * powers[exponent];
}

struct mantissa {
    uint32_t m; /* 2^23 to 2^24 - 1 */
    int s;
};

/* The value at 10^scale times its size, rounded half to even; *same: reads back as the float. */
static uint64_t round_scaled(struct mantissa from, int scale, bool *same)
{
    const wide power = power_of_ten(scale), product = from.m * power, one = (wide)1 << from.s;
    const wide rest = product & (one - 1), half = one >> 1;
    const uint64_t floor = (uint64_t)(product >> from.s);
    const bool up = rest > half || (rest == half && floor % 2 == 1);
    const wide changed = up ? one - rest : rest;
    if (from.m == (uint32_t)1 << 23 && !up)
        *same = 4 * changed <= power; /* the steps below a power of two are half as large */
    else
        *same = 2 * changed < power || (2 * changed == power && from.m % 2 == 0);
    return floor + up;
}

/* `count` digits, the first of which has the place 10^place, as %g writes them. */
static size_t write_digits(uint64_t digits, int count, int place, char *out)
{
    char text[MOST_DIGITS + 1];
    size_t used = 0;
    for (int i = count; i-- > 0; digits /= 10)
        text[i] = (char)('0' + digits % 10);
    const int whole = place < -4 ? 1 : place < 0 ? 0 : place + 1;
    while (count > whole && text[count - 1] == '0')
        count--;
    if (whole == 0) out[used++] = '0';
    for (int i = 0; i < count; i++) {
        if (i == whole) out[used++] = '.';
        for (int zeros = i == 0 && whole == 0 ? -1 - place : 0; zeros > 0; zeros--)
            out[used++] = '0';
        out[used++] = text[i];
    }
    if (place < -4) {
        memcpy(out + used, "e-", 2);
        out[used + 2] = (char)('0' - place / 10);
        out[used + 3] = (char)('0' - place % 10);
        used += 4;
    }
    out[used] = '\0';
    return used;
}

/* 0 if the value is not of common size. */
static size_t write_common(float value, char *out)
{
    static const double most = 1e6;
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    const int exponent = (int)(bits >> 23 & 255);
    const struct mantissa from = {(bits & 0x7FFFFF) | (uint32_t)1 << 23, 150 - exponent};
    /* By log10(2) = .301029995...: the place, or one less. */
    const int least = (int)floor((exponent - 127) * (exponent < 127 ? .30103 : .30102));
    if (exponent == 0 || least < LEAST_PLACE || fabs((double)value) >= most) return 0;
    size_t used = 0;
    if (bits >> 31) out[used++] = '-';
    for (int count = LEAST_DIGITS;; count++) {
        bool same = false;
        int place = least;
        uint64_t digits = round_scaled(from, count - 1 - place, &same);
        if (digits >= power_of_ten(count)) {
            if (place == MOST_PLACE) return 0;
            digits = round_scaled(from, count - 1 - ++place, &same);
        }
        if (same || count == MOST_DIGITS)
            return used + write_digits(digits, count, place, out + used);
    }
}

size_t sl_text_from_float(float value, char out[SL_NUMBER_TEXT])
{
    if (!isfinite(value)) return write_word((double)value, out);
    const size_t length = write_common(value, out);
    if (length > 0) return length;
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
