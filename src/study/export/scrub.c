/* Removes from free text what could identify its author. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/buffer.h"
#include "softlab/base/memory.h"
#include "softlab/study.h"

enum {
    LONGEST_TEXT = 16 << 20,
    LEAST_ID = 20, /* hexadecimal digits; Prolific's ids have 24, our own names for people 12 */
};

static bool in_name(char byte)
{
    return isalnum((unsigned char)byte) || (unsigned char)byte >= 0x80 || strchr("._%+-", byte);
}

static bool in_domain(char byte)
{
    return isalnum((unsigned char)byte) || (unsigned char)byte >= 0x80 || byte == '.' ||
           byte == '-';
}

/* The length of an e-mail address that begins here, or 0. */
static size_t address_length(const char *text)
{
    size_t at = 0;
    while (text[at] && in_name(text[at]))
        at++;
    if (at == 0 || text[at] != '@') return 0;
    size_t end = at + 1;
    while (text[end] && in_domain(text[end]))
        end++;
    /* A full stop after the address ends the sentence. */
    while (end > at + 1 && (text[end - 1] == '.' || text[end - 1] == '-'))
        end--;
    for (size_t dot = at + 2; dot + 1 < end; dot++)
        if (text[dot] == '.') return end;
    return 0;
}

/* The length of a long hexadecimal number that begins here, dashes allowed, or 0. */
static size_t id_length(const char *text)
{
    size_t end = 0, digits = 0;
    if (!isxdigit((unsigned char)text[0])) return 0;
    while (isxdigit((unsigned char)text[end]) || text[end] == '-')
        digits += text[end++] != '-';
    while (text[end - 1] == '-')
        end--;
    return digits >= LEAST_ID ? end : 0;
}

/* ---- Telephone numbers ---- */

enum { MOST_GROUPS = 8 };

/* Digits in groups, as written: "+44 (0)20 7946 0958" is 44, 0, 20, 7946, 0958. */
struct number {
    char first, second;         /* digits */
    char start;                 /* '+', '(' or the first digit */
    char separator;             /* after the first group */
    size_t groups[MOST_GROUPS]; /* their lengths */
    size_t n_groups, n_digits;
    bool all_years; /* every group looks like a year */
    size_t length;  /* in bytes */
};

/* Bytes of a separator within a number, or 0: " ", "-", ".", "/", and the spaces and dashes that
 * word processors use instead. */
static size_t separator_length(const char *text)
{
    static const char *const wide[] = {"\xc2\xa0", "\xe2\x80\x91", "\xe2\x80\x93", "\xe2\x80\xaf"};
    if (*text && strchr(" -./()", *text)) return 1;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (strncmp(text, wide[i], strlen(wide[i])) == 0) return strlen(wide[i]);
    return 0;
}

static void read_group(const char *text, struct number *number, size_t at)
{
    size_t length = 0;
    while (isdigit((unsigned char)text[at + length]))
        length++;
    const bool year =
        length == 4 && (strncmp(text + at, "19", 2) == 0 || strncmp(text + at, "20", 2) == 0);
    if (number->n_digits == 0) number->first = text[at];
    if (number->n_digits == 0) number->second = length > 1 ? text[at + 1] : '\0';
    number->all_years = number->all_years && year;
    number->groups[number->n_groups++] = length;
    number->n_digits += length;
    number->length = at + length;
}

/* The digits from here on, up to a byte that cannot be in a telephone number. */
static struct number read_number(const char *text)
{
    enum { MOST_SEPARATORS = 3 }; /* ") -" */
    struct number number = {.start = *text, .all_years = true};
    size_t at = *text == '+';
    while (number.n_groups < MOST_GROUPS) {
        size_t separators = 0, length = 0;
        while (separators < MOST_SEPARATORS && (length = separator_length(text + at)) > 0) {
            at += length;
            separators++;
        }
        if (!isdigit((unsigned char)text[at])) break;
        if (number.n_groups == 1) number.separator = text[number.length];
        read_group(text, &number, at);
        at = number.length;
    }
    return number;
}

/* 31.12.2024, 2024-12-31, 1/2/24, also followed by a time. */
static bool is_date(const struct number *number)
{
    const size_t *groups = number->groups;
    if (!isdigit((unsigned char)number->start) || number->n_groups < 3) return false;
    if (number->n_groups > 3 && !strchr("./-", number->separator)) return false;
    if (groups[0] == 4) return number->first != '0' && groups[1] <= 2 && groups[2] <= 2;
    return groups[0] <= 2 && groups[1] <= 2 &&
           (groups[2] == 4 || (groups[2] == 2 && number->n_groups == 3));
}

static bool all_short(const struct number *number)
{
    for (size_t i = 0; i < number->n_groups; i++)
        if (number->groups[i] > 2) return false;
    return true;
}

/* "+44 20 7946 0958" */
static bool is_international(const struct number *number)
{
    return number->start == '+' && number->n_digits >= 8 && number->n_digits <= 16;
}

/* "0044 20 7946 0958" */
static bool is_dialled_abroad(const struct number *number)
{
    return number->first == '0' && number->second == '0' && number->n_digits >= 10 &&
           number->n_digits <= 18 && number->groups[0] != number->n_digits;
}

/* "020 7946 0958", "0171/1234567", "06 12 34 56 78", but not a list of small numbers */
static bool is_national(const struct number *number)
{
    return number->first == '0' && number->second > '0' && number->n_digits >= 8 &&
           number->n_digits <= 13 && (number->n_digits >= 10 || !all_short(number));
}

/* "(555) 123-4567" */
static bool has_area_code(const struct number *number)
{
    return number->start == '(' && number->n_groups >= 2 && number->groups[0] >= 2 &&
           number->groups[0] <= 5 && number->n_digits - number->groups[0] >= 5 &&
           number->n_digits <= 13;
}

/* "555-123-4567", "1 555 123 4567", "612 345 678" */
static bool is_grouped(const struct number *number)
{
    const size_t *groups = number->groups;
    if (number->n_groups == 4 && groups[0] == 1 && number->first == '1')
        groups++;
    else if (number->n_groups != 3)
        return false;
    if (groups[0] != 3 || groups[1] != 3) return false;
    return groups[2] == 4 || (groups[2] == 3 && number->first >= '5');
}

/* "5551234567": a count has fewer digits without a separator, an id has more. */
static bool is_one_run(const struct number *number)
{
    return number->n_groups == 1 && number->n_digits >= 9 && number->n_digits <= 15;
}

/* The length of a telephone number that begins here, or 0. A number that is too short to be
 * distinguished from a count, such as a local number of seven digits, stays. */
static size_t telephone_length(const char *text)
{
    static bool (*const forms[])(const struct number *) = {
        is_international, is_dialled_abroad, is_national, has_area_code, is_grouped, is_one_run};
    if (*text != '+' && *text != '(' && !isdigit((unsigned char)*text)) return 0;
    const struct number number = read_number(text);
    if (number.n_groups == 0 || is_date(&number) || number.all_years) return 0;
    if (isalnum((unsigned char)text[number.length]) && tolower(text[number.length]) != 'x')
        return 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i](&number)) return number.length;
    return 0;
}

/* Not inside a word or a number, and not after a decimal point. */
static bool number_may_begin(const char *text, const char *at)
{
    if (at == text) return true;
    const unsigned char before = (unsigned char)at[-1];
    if (isalnum(before) || before == '_' || before == '+') return false;
    const bool point = before == '.' || before == ',' || before == '/' || before == '-';
    return !point || at - text < 2 || !isdigit((unsigned char)at[-2]);
}

char *sl_study_scrub(const char *text)
{
    struct sl_buffer out;
    sl_buffer_init(&out, LONGEST_TEXT);
    sl_buffer_text(&out, "");
    for (const char *at = text; *at;) {
        /* Look for an address only where a word begins, or its tail would match again. */
        const bool begins = at == text || !in_name(at[-1]);
        size_t secret = begins ? address_length(at) : 0;
        if (secret == 0) secret = id_length(at);
        if (secret == 0 && number_may_begin(text, at)) secret = telephone_length(at);
        if (secret > 0) {
            sl_buffer_text(&out, "[removed]");
            at += secret;
        } else {
            sl_buffer_byte(&out, *at++);
        }
    }
    return out.data ? out.data : sl_string_copy("");
}
