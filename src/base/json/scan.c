#include "base/json/scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* Digits that always fit 63 bits, digits that are always exact in a double, and the largest exact
 * power of ten. */
enum { SAFE_INTEGER_DIGITS = 18, SAFE_REAL_DIGITS = 15, SAFE_EXPONENT = 22 };
enum { LARGE_EXPONENT = 100000 };

static const double powers_of_ten[SAFE_EXPONENT + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

void sl_scan_start(struct sl_scan *scan, const char *line, size_t length)
{
    scan->begin = scan->at = line;
    scan->end = line + length;
    scan->decoded_used = scan->n_keys = 0;
    scan->exhausted = false;
}

void sl_scan_release(struct sl_scan *scan)
{
    free(scan->decoded);
    free(scan->keys);
    *scan = (struct sl_scan){0};
}

bool sl_scan_refuse(struct sl_scan *scan, const char *problem)
{
    snprintf(scan->problem, sizeof scan->problem, "%s", problem);
    return false;
}

bool sl_scan_exhaust(struct sl_scan *scan)
{
    scan->exhausted = true;
    return sl_scan_refuse(scan, "not enough memory for the line");
}

/* Room for everything that can still be decoded in this line, or NULL. Decoding never makes text
 * longer, and earlier results must not move, so the room is allocated once per line. */
static char *decoding_room(struct sl_scan *scan)
{
    const size_t needed = (size_t)(scan->end - scan->begin) + 1;
    if (scan->decoded_used == 0 && scan->decoded_capacity < needed) {
        char *decoded = sl_data_resize(scan->decoded, needed + needed / 2, 1, NULL);
        if (!decoded) {
            sl_scan_exhaust(scan);
            return NULL;
        }
        scan->decoded = decoded;
        scan->decoded_capacity = needed + needed / 2;
    }
    return scan->decoded + scan->decoded_used;
}

/* The first byte from `at` on that does not stand for itself in a string: a quote, a backslash, a
 * control character or the start of a longer UTF-8 sequence. */
static const char *skip_plain(const char *at)
{
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
    const __m128i space = _mm_set1_epi8(' ');
    for (;; at += 16) {
        /* Bytes of 0x80 and more are negative, so one comparison finds them and controls. */
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i special = _mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, backslash));
        special = _mm_or_si128(special, _mm_cmplt_epi8(x, space));
        unsigned mask = (unsigned)_mm_movemask_epi8(special);
        if (mask != 0) return at + __builtin_ctz(mask);
    }
#else
    while ((unsigned char)*at >= ' ' && (unsigned char)*at < 0x80 && *at != '"' && *at != '\\')
        at++;
    return at;
#endif
}

static int hex_digit(char byte)
{
    if (byte >= '0' && byte <= '9') return byte - '0';
    if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
    return -1;
}

/* The four digits of a \u escape, or -1. */
static int32_t hex_unit(const char *at)
{
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(at[i]);
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* A \u escape whose 'u' is at `at`; surrogates come in pairs. */
static bool decode_unicode(struct sl_scan *scan, char **out)
{
    int32_t unit = hex_unit(scan->at + 1);
    if (unit < 0) return sl_scan_refuse(scan, "expected four hexadecimal digits after \\u");
    if (unit == 0) return sl_scan_refuse(scan, "\\u0000 is not supported");
    uint32_t point = (uint32_t)unit;
    if (point >= 0xD800 && point <= 0xDFFF) {
        int32_t low = scan->at[5] == '\\' && scan->at[6] == 'u' ? hex_unit(scan->at + 7) : -1;
        if (point >= 0xDC00 || low < 0xDC00 || low > 0xDFFF)
            return sl_scan_refuse(scan, "a surrogate without the other half of its pair");
        point = 0x10000 + ((point - 0xD800) << 10) + ((uint32_t)low - 0xDC00);
        scan->at += 6;
    }
    scan->at += 5;
    *out += sl_utf8_encode(point, *out);
    return true;
}

/* An escape whose backslash is at `at`. */
static bool decode_escape(struct sl_scan *scan, char **out)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char letter = *++scan->at;
    if (letter == 'u') return decode_unicode(scan, out);
    const char *found = letter ? strchr(letters, letter) : NULL;
    if (!found) return sl_scan_refuse(scan, "unknown escape in a string");
    *(*out)++ = meanings[found - letters];
    scan->at++;
    return true;
}

static bool skip_sequence(struct sl_scan *scan)
{
    uint32_t point = 0;
    size_t size = sl_utf8_decode(scan->at, (size_t)(scan->end - scan->at), &point);
    if (size == 0) return sl_scan_refuse(scan, "invalid UTF-8");
    scan->at += size;
    return true;
}

static bool refuse_in_string(struct sl_scan *scan)
{
    return sl_scan_refuse(scan, scan->at == scan->end ? "a string is not closed"
                                                      : "control character in a string");
}

/* The rest of a string from its first escape on. */
static bool decode_string(struct sl_scan *scan, const char *begin, struct sl_field *out)
{
    char *const text = decoding_room(scan), *write = text;
    if (!text) return false;
    memcpy(write, begin, (size_t)(scan->at - begin));
    write += scan->at - begin;
    while (*scan->at != '"') {
        const char *from = scan->at;
        if (*scan->at == '\\') {
            if (!decode_escape(scan, &write)) return false;
            continue;
        }
        if ((unsigned char)*scan->at >= 0x80) {
            if (!skip_sequence(scan)) return false;
        } else {
            scan->at = skip_plain(scan->at);
            if (scan->at == from) return refuse_in_string(scan);
        }
        memcpy(write, from, (size_t)(scan->at - from));
        write += scan->at - from;
    }
    scan->at++;
    scan->decoded_used += (size_t)(write - text);
    *out = (struct sl_field){text, (size_t)(write - text)};
    return true;
}

bool sl_scan_string(struct sl_scan *scan, struct sl_field *out)
{
    if (*scan->at != '"') return sl_scan_refuse(scan, "expected a string");
    const char *const begin = ++scan->at;
    for (;;) {
        scan->at = skip_plain(scan->at);
        if (*scan->at == '"') break;
        if (*scan->at == '\\') return decode_string(scan, begin, out);
        if ((unsigned char)*scan->at < 0x80) return refuse_in_string(scan);
        if (!skip_sequence(scan)) return false;
    }
    *out = (struct sl_field){begin, (size_t)(scan->at - begin)};
    scan->at++;
    return true;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* The parts of a number's text. */
struct digits {
    const char *begin;
    uint64_t mantissa; /* of all digits, if there are few */
    size_t n_digits;   /* without leading zeros */
    int64_t exponent;  /* of the last digit */
    bool negative, is_integer;
};

/* Take digits into the mantissa; how many. */
static size_t take_digits(struct sl_scan *scan, struct digits *digits)
{
    const char *begin = scan->at;
    for (; is_digit(*scan->at); scan->at++) {
        if (digits->n_digits < SAFE_INTEGER_DIGITS)
            digits->mantissa = digits->mantissa * 10 + (uint64_t)(*scan->at - '0');
        digits->n_digits += digits->n_digits > 0 || *scan->at != '0';
    }
    return (size_t)(scan->at - begin);
}

static bool take_exponent(struct sl_scan *scan, struct digits *digits)
{
    scan->at++;
    bool negative = *scan->at == '-';
    if (negative || *scan->at == '+') scan->at++;
    if (!is_digit(*scan->at)) return sl_scan_refuse(scan, "expected a digit of an exponent");
    int64_t exponent = 0;
    for (; is_digit(*scan->at); scan->at++)
        if (exponent < LARGE_EXPONENT) exponent = exponent * 10 + (*scan->at - '0');
    digits->exponent += negative ? -exponent : exponent;
    digits->is_integer = false;
    return true;
}

/* The grammar of a number: [-] int [frac] [exp]. */
static bool take_number(struct sl_scan *scan, struct digits *digits)
{
    *digits = (struct digits){.begin = scan->at, .negative = *scan->at == '-', .is_integer = true};
    if (digits->negative) scan->at++;
    const char first = *scan->at;
    size_t whole = take_digits(scan, digits);
    if (whole == 0) return sl_scan_refuse(scan, "expected a number");
    if (first == '0' && whole > 1) return sl_scan_refuse(scan, "a number may not begin with 0");
    if (*scan->at == '.') {
        scan->at++;
        digits->is_integer = false;
        size_t fraction = take_digits(scan, digits);
        if (fraction == 0) return sl_scan_refuse(scan, "expected a digit of a fraction");
        digits->exponent = -(int64_t)fraction;
    }
    if (*scan->at == 'e' || *scan->at == 'E') return take_exponent(scan, digits);
    return true;
}

static bool convert_integer(struct sl_scan *scan, const struct digits *digits, int64_t *out)
{
    if (digits->n_digits <= SAFE_INTEGER_DIGITS) {
        *out = digits->negative ? -(int64_t)digits->mantissa : (int64_t)digits->mantissa;
        return true;
    }
    if (sl_text_to_integer(digits->begin, (size_t)(scan->at - digits->begin), out)) return true;
    return sl_scan_refuse(scan, "an integer does not fit 64 bits");
}

/* If the mantissa and the power of ten are both exact, their product or quotient is rounded once
 * and is the nearest double (Clinger 1990). Everything else is left to strtod. */
static bool convert_real(struct sl_scan *scan, const struct digits *digits, double *out)
{
    int64_t exponent = digits->exponent;
    if (digits->n_digits <= SAFE_REAL_DIGITS && exponent >= -SAFE_EXPONENT &&
        exponent <= SAFE_EXPONENT) {
        double value = (double)digits->mantissa;
        value = exponent < 0 ? value / powers_of_ten[-exponent] : value * powers_of_ten[exponent];
        *out = digits->negative ? -value : value;
        return true;
    }
    const size_t length = (size_t)(scan->at - digits->begin);
    char *text = decoding_room(scan);
    memcpy(text, digits->begin, length);
    text[length] = '\0';
    double value = strtod(text, NULL);
    if (!isfinite(value)) return sl_scan_refuse(scan, "a number beyond the range of a double");
    *out = value;
    return true;
}

bool sl_scan_number(struct sl_scan *scan, struct sl_scan_number *out)
{
    struct digits digits;
    struct sl_scan_number number = {0};
    if (!take_number(scan, &digits)) return false;
    number.is_integer = digits.is_integer;
    if (digits.is_integer) {
        if (!convert_integer(scan, &digits, &number.integer)) return false;
        number.value = (double)number.integer;
    } else if (!convert_real(scan, &digits, &number.value)) {
        return false;
    }
    *out = number;
    return true;
}

bool sl_scan_literal(struct sl_scan *scan, char *first)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if (memcmp(scan->at, words[i], length) != 0) continue;
        scan->at += length;
        *first = words[i][0];
        return true;
    }
    return sl_scan_refuse(scan, "expected a value");
}

bool sl_scan_finish(struct sl_scan *scan)
{
    sl_scan_peek(scan);
    return scan->at == scan->end ? true : sl_scan_refuse(scan, "text after the end of the value");
}
