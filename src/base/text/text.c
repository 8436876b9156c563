#include "softlab/base/text.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"

/* "-0." and 1074 digits: the longest exact decimal of a double. */
enum { NUMBER_LENGTH = 1077, NEAREST_LENGTH = 63 };

bool sl_text_to_integer(const char *text, size_t length, int64_t *out)
{
    size_t at = 0;
    bool negative = length > 0 && text[0] == '-';
    if (negative) at++;
    if (at == length) return false;
    uint64_t magnitude = 0;
    const uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    for (; at < length; at++) {
        if (text[at] < '0' || text[at] > '9') return false;
        uint64_t digit = (uint64_t)(text[at] - '0');
        if (magnitude > (limit - digit) / 10) return false;
        magnitude = magnitude * 10 + digit;
    }
    *out = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

/* Only the bytes of a decimal number, so that strtod sees neither hexadecimal nor
 * white space, nor a decimal comma in any locale we did not set. */
static bool is_decimal(const char *text, size_t length)
{
    bool digit = false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] >= '0' && text[i] <= '9')
            digit = true;
        else if (!memchr("+-.eE", text[i], 5))
            return false;
    }
    return digit;
}

bool sl_text_to_real(const char *text, size_t length, double *out)
{
    if (length == 0 || length > NUMBER_LENGTH || !is_decimal(text, length)) return false;
    char copy[NUMBER_LENGTH + 1];
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *end = NULL;
    double value = strtod(copy, &end);
    if (end != copy + length || !isfinite(value)) return false;
    *out = value;
    return true;
}

/* Length of the well-formed sequence at `text` (Unicode table 3-7), 0 if there is none. */
static size_t utf8_sequence(const unsigned char *text, size_t length)
{
    if (length == 0) return 0;
    unsigned char first = text[0];
    if (first < 0x80) return 1;
    size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || size > length) return 0;
    unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (text[1] < low || text[1] > high) return 0;
    for (size_t i = 2; i < size; i++)
        if (text[i] < 0x80 || text[i] > 0xBF) return 0;
    return size;
}

size_t sl_utf8_valid(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length) {
        size_t size = utf8_sequence((const unsigned char *)text + at, length - at);
        if (size == 0) break;
        at += size;
    }
    return at;
}

size_t sl_utf8_encode(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        if (c >= 0xD800 && c <= 0xDFFF) return 0;
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    if (c > 0x10FFFF) return 0;
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

size_t sl_utf8_decode(const char *text, size_t length, uint32_t *out)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t size = utf8_sequence(bytes, length);
    static const unsigned char first_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t value = size > 0 ? bytes[0] & first_bits[size] : 0;
    for (size_t i = 1; i < size; i++)
        value = value << 6 | (bytes[i] & 0x3F);
    *out = value;
    return size;
}

static bool is_invisible(uint32_t code_point)
{
    /* Spaces (Zs), line and paragraph separators, and what has no width (Cf) of every script. */
    static const uint32_t ranges[][2] = {
        {0x00, 0x20},     {0x7F, 0xA0},     {0xAD, 0xAD},     {0x034F, 0x034F},   {0x061C, 0x061C},
        {0x115F, 0x1160}, {0x1680, 0x1680}, {0x17B4, 0x17B5}, {0x180B, 0x180E},   {0x2000, 0x200F},
        {0x2028, 0x202F}, {0x205F, 0x206F}, {0x2800, 0x2800}, {0x3000, 0x3000},   {0x3164, 0x3164},
        {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xE0000, 0xE0FFF},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code_point >= ranges[i][0] && code_point <= ranges[i][1]) return true;
    return false;
}

bool sl_text_is_blank(const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        uint32_t code_point = 0;
        size_t size = sl_utf8_decode(text + at, length - at, &code_point);
        if (size == 0 || !is_invisible(code_point)) return false;
        at += size;
    }
    return true;
}

static size_t minimum3(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t row[NEAREST_LENGTH + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t above = row[j];
            row[j] = minimum3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[b_length];
}

const char *sl_text_nearest(const char *word, const char *const *candidates)
{
    size_t length = strlen(word);
    if (length == 0 || length > NEAREST_LENGTH) return NULL;
    const char *nearest = NULL;
    size_t best = length / 3 + 2; /* exclusive: one slip in short words, more in longer ones */
    for (; *candidates; candidates++) {
        size_t candidate_length = strlen(*candidates);
        if (candidate_length > NEAREST_LENGTH) continue;
        size_t distance = edit_distance(word, length, *candidates, candidate_length);
        /* A prefix of a candidate is near it. */
        if (length >= 3 && distance > 1 && strncmp(word, *candidates, length) == 0) distance = 1;
        /* A word that would be replaced completely is not a slip. */
        if (distance < best && distance < length) {
            best = distance;
            nearest = *candidates;
        }
    }
    return nearest;
}

const char *sl_text_suggestion(const char *word, const char *const *candidates,
                               const char *otherwise, char out[SL_SUGGESTION_TEXT])
{
    const char *nearest = sl_text_nearest(word, candidates);
    if (!nearest) return otherwise;
    snprintf(out, SL_SUGGESTION_TEXT, ", did you mean \"%s\"?", nearest);
    return out;
}

/* Skip characters that do not count in a name. */
static const char *skip_joints(const char *at)
{
    return at + strspn(at, "-_");
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool sl_text_known_as(const char *word, const char *list)
{
    for (const char *name = list ? list : ""; *name; name += strspn(name, " ")) {
        const char *at = skip_joints(word);
        for (name = skip_joints(name); *name && *name != ' ' && lower(*at) == lower(*name);) {
            at = skip_joints(at + 1);
            name = skip_joints(name + 1);
        }
        if (*at == '\0' && (*name == '\0' || *name == ' ')) return true;
        name += strcspn(name, " ");
    }
    return false;
}

bool sl_text_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

char *sl_text_count(uint64_t value, char *out, size_t size)
{
    char digits[24], grouped[32];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    size_t used = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) grouped[used++] = ',';
        grouped[used++] = digits[i];
    }
    snprintf(out, size, "%.*s", (int)used, grouped);
    return out;
}

char *sl_text_bytes(uint64_t value, char *out, size_t size)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double amount = (double)value;
    size_t unit = 0;
    while (amount >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        amount /= 1000;
        unit++;
    }
    snprintf(out, size, unit > 0 && amount < 99.95 ? "%.1f %s" : "%.0f %s", amount, units[unit]);
    return out;
}

const char *sl_text_plural(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

char **sl_text_split(const char *text)
{
    size_t count = 1;
    for (const char *at = text; *at; at++)
        count += *at == ',';
    char **names = sl_alloc(count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        const size_t length = strcspn(text, ",");
        names[i] = sl_string_copy_n(text, length);
        text += length + (text[length] == ',');
    }
    return names;
}

char *sl_text_replace(const char *text, const char *from, const char *to)
{
    const size_t from_length = strlen(from), to_length = strlen(to);
    size_t count = 0;
    assert(from_length > 0);
    for (const char *at = strstr(text, from); at; at = strstr(at + from_length, from))
        count++;
    char *out = sl_alloc(strlen(text) + count * to_length + 1, 1), *end = out;
    for (const char *at; (at = strstr(text, from)); text = at + from_length) {
        memcpy(end, text, (size_t)(at - text));
        end += at - text;
        memcpy(end, to, to_length);
        end += to_length;
    }
    memcpy(end, text, strlen(text) + 1);
    return out;
}

void sl_base64_append(struct sl_buffer *out, const void *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *from = bytes;
    for (size_t i = 0; i < length; i += 3) {
        const size_t n = length - i < 3 ? length - i : 3;
        uint32_t group = 0;
        for (size_t b = 0; b < 3; b++)
            group = group << 8 | (b < n ? from[i + b] : 0U);
        for (size_t d = 0; d < 4; d++)
            sl_buffer_byte(out, d <= n ? digits[group >> (18 - 6 * d) & 63] : '=');
    }
}
