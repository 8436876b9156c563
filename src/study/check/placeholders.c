/* Placeholders in a text: words that were meant to be replaced. */
#include <string.h>
#include <strings.h>

#include "study/check/check.h"
#include "study/texts/template.h"

static const char known_names[] = "{minutes}, {trials}, {pay} and {keep_until} are filled in when "
                                  "the study is served; write \\{ for a brace";

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* Single words that stand in brackets only as a placeholder. */
static bool is_stand_in(const char *text, size_t length)
{
    static const char *const words[] = {
        "name",    "e-mail",     "email",       "mail",       "date",   "phone",
        "contact", "title",      "url",         "link",       "amount", "address",
        "insert",  "university", "institution", "researcher", "number", "here"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncasecmp(words[i], text, length) == 0) return true;
    return false;
}

/* "[Name of the researcher]": brackets around several words, or around a word of is_stand_in. A
 * link, "[text](address)", and "[1]" or "[sic]" are no placeholders. */
static size_t match_brackets(const char *text, size_t length, size_t at)
{
    size_t end = at + 1;
    if (text[at] != '[' || (at > 0 && text[at - 1] == '\\')) return 0;
    while (end < length && text[end] != ']' && text[end] != '\n' && text[end] != '[')
        end++;
    if (end == length || text[end] != ']' || end == at + 1) return 0;
    if (end + 1 < length && text[end + 1] == '(') return 0;
    const char *inner = text + at + 1;
    const size_t inner_length = end - at - 1;
    const bool several = is_word(*inner) && memchr(inner, ' ', inner_length);
    return several || is_stand_in(inner, inner_length) ? end + 1 - at : 0;
}

static size_t match_braces(const char *text, size_t length, size_t at)
{
    enum sl_template_name name = SL_TEMPLATE_COUNT;
    if (at > 0 && text[at - 1] == '\\') return 0;
    const size_t match = sl_template_match(text + at, length - at, &name);
    return name == SL_TEMPLATE_COUNT ? match : 0;
}

/* Whole words; "XXX" may have more letters X. */
static size_t match_words(const char *text, size_t length, size_t at)
{
    static const char *const words[] = {"TODO", "FIXME", "TBD", "XXX"};
    size_t end = at;
    if (at > 0 && is_word(text[at - 1])) return 0;
    while (end < length && is_word(text[end]))
        end++;
    const size_t word = end - at;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == word && memcmp(words[i], text + at, word) == 0) return word;
    for (size_t i = at; i < end; i++)
        if (text[i] != 'X') return 0;
    return word > 3 ? word : 0;
}

static size_t match_lorem(const char *text, size_t length, size_t at)
{
    static const char words[] = "lorem ipsum";
    const size_t wanted = sizeof words - 1;
    return length - at >= wanted && strncasecmp(text + at, words, wanted) == 0 ? wanted : 0;
}

static const struct {
    size_t (*match)(const char *text, size_t length, size_t at);
    const char *remedy;
} kinds[] = {
    {match_brackets, "write the real text there, or \\[ for a bracket that people should see"},
    {match_braces, known_names},
    {match_words, "write the real text there"},
    {match_lorem, "write your own text"},
};

bool sl_placeholder_find(const char *text, size_t length, size_t from, struct sl_placeholder *out)
{
    for (size_t at = from; at < length; at++) {
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            const size_t match = kinds[i].match(text, length, at);
            if (match == 0) continue;
            *out = (struct sl_placeholder){at, match, kinds[i].remedy};
            return true;
        }
    }
    return false;
}
