/* Find a value in the text again, for the line number of an error. jansson keeps no positions, and
 * walking the text once in case of an error costs nothing otherwise. The text is valid JSON, so
 * counting brackets outside strings is enough to skip a value; every step still checks for the end
 * of the text. */
#include <stdlib.h>
#include <string.h>

#include "base/json/internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

struct place {
    const char *at;
    const char *end;
};

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static bool is_scalar_end(char byte)
{
    return is_space(byte) || byte == ',' || byte == ']' || byte == '}' || byte == ':';
}

static void skip_space(struct place *place)
{
    while (place->at < place->end && is_space(*place->at))
        place->at++;
}

/* Step over `byte` and the white space before it, if it is what comes next. */
static bool accept(struct place *place, char byte)
{
    skip_space(place);
    if (place->at == place->end || *place->at != byte) return false;
    place->at++;
    return true;
}

/* From after the opening quote to after the closing one. */
static void skip_string(struct place *place)
{
    while (place->at < place->end && *place->at != '"') {
        if (*place->at == '\\' && place->at + 1 < place->end) place->at++;
        place->at++;
    }
    if (place->at < place->end) place->at++;
}

static void skip_value(struct place *place)
{
    size_t depth = 0;
    skip_space(place);
    do {
        skip_space(place);
        if (place->at == place->end) return;
        char byte = *place->at++;
        if (byte == '"')
            skip_string(place);
        else if (byte == '[' || byte == '{')
            depth++;
        else if ((byte == ']' || byte == '}') && depth > 0)
            depth--;
        else if (!is_scalar_end(byte))
            while (place->at < place->end && !is_scalar_end(*place->at))
                place->at++;
    } while (depth > 0);
}

static uint32_t read_hex(struct place *place)
{
    uint32_t value = 0;
    for (int i = 0; i < 4 && place->at < place->end; i++) {
        char digit = *place->at++;
        uint32_t nibble = digit <= '9' ? (uint32_t)(digit - '0') : (uint32_t)((digit | 32) - 'a');
        value = value << 4 | (digit <= '9' ? nibble : nibble + 10);
    }
    return value;
}

/* After a backslash: write the character as UTF-8; returns the number of bytes. */
static size_t read_escape(struct place *place, char out[4])
{
    static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    char letter = *place->at++;
    if (letter == 'u') {
        uint32_t value = read_hex(place);
        if (value >= 0xD800 && value < 0xDC00 && place->end - place->at >= 6) {
            place->at += 2;
            value = 0x10000 + ((value - 0xD800) << 10) + ((read_hex(place) - 0xDC00) & 0x3FF);
        }
        return sl_utf8_encode(value, out);
    }
    const char *found = memchr(letters, letter, sizeof letters - 1);
    out[0] = found ? meanings[found - letters] : letter;
    return 1;
}

/* After the opening quote of a key: whether it is `key`; ends after the closing quote. */
static bool read_key(struct place *place, const char *key)
{
    const size_t length = strlen(key);
    size_t matched = 0;
    bool equal = true;
    while (place->at < place->end && *place->at != '"') {
        char bytes[4];
        size_t size = 1;
        bytes[0] = *place->at++;
        if (bytes[0] == '\\' && place->at < place->end) size = read_escape(place, bytes);
        equal = equal && size <= length - matched && memcmp(key + matched, bytes, size) == 0;
        if (equal) matched += size;
    }
    if (place->at < place->end) place->at++;
    return equal && matched == length;
}

static bool enter_member(struct place *place, const char *key)
{
    if (!accept(place, '{')) return false;
    while (accept(place, '"')) {
        bool found = read_key(place, key);
        if (!accept(place, ':')) return false;
        if (found) return true;
        skip_value(place);
        if (!accept(place, ',')) return false;
    }
    return false;
}

static bool enter_element(struct place *place, size_t index)
{
    if (!accept(place, '[')) return false;
    for (size_t i = 0; i < index; i++) {
        skip_value(place);
        if (!accept(place, ',')) return false;
    }
    skip_space(place);
    return place->at < place->end && *place->at != ']';
}

const struct sl_json_cursor **sl_json_chain(const struct sl_json_cursor *at, size_t *count)
{
    size_t depth = 0;
    for (const struct sl_json_cursor *cursor = at; cursor; cursor = cursor->parent)
        depth++;
    const struct sl_json_cursor **chain = sl_alloc(depth, sizeof *chain);
    *count = depth;
    for (const struct sl_json_cursor *cursor = at; cursor; cursor = cursor->parent)
        chain[--depth] = cursor;
    return chain;
}

/* Descend as far as the text has the path; true if it has all of it. */
static bool descend(const struct sl_json_cursor *at, size_t *offset)
{
    const struct sl_json *document = at->document;
    struct place place = {document->text, document->text + document->length};
    size_t count = 0;
    const struct sl_json_cursor **chain = sl_json_chain(at, &count);
    bool found = true;
    skip_space(&place);
    *offset = (size_t)(place.at - document->text);
    for (size_t i = 1; i < count && found; i++) {
        found = chain[i]->key ? enter_member(&place, chain[i]->key)
                              : enter_element(&place, chain[i]->index);
        skip_space(&place);
        if (found) *offset = (size_t)(place.at - document->text);
    }
    free(chain);
    return found;
}

bool sl_json_locate(const struct sl_json_cursor *at, size_t *out)
{
    size_t offset = 0;
    if (!descend(at, &offset)) return false;
    *out = offset;
    return true;
}

size_t sl_json_line(const struct sl_json_cursor *at)
{
    const struct sl_json *document = at->document;
    size_t offset = 0, line = document->first_line;
    (void)descend(at, &offset);
    for (size_t i = 0; i < offset; i++)
        line += document->text[i] == '\n';
    return line;
}

size_t sl_json_scalar_length(const struct sl_json *document, size_t offset)
{
    size_t end = offset;
    while (end < document->length && !is_scalar_end(document->text[end]))
        end++;
    return end - offset;
}
