#include "http_internal.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"

static int hex_value(char digit)
{
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

static bool is_control(char byte)
{
    return (unsigned char)byte < 0x20 || byte == 0x7F;
}

/* Decodes percent escapes, and '+' as a space if `plus`; `out` holds length + 1 bytes. False if an
 * escape is bad or the result contains control characters (NUL included) or is not UTF-8. */
static bool decode(const char *text, size_t length, bool plus, char *out)
{
    size_t written = 0;
    for (size_t i = 0; i < length; i++) {
        char byte = text[i];
        if (byte == '%') {
            if (length - i < 3) return false;
            int high = hex_value(text[i + 1]), low = hex_value(text[i + 2]);
            if (high < 0 || low < 0) return false;
            byte = (char)(unsigned char)(high * 16 + low);
            i += 2;
        } else if (byte == '+' && plus) {
            byte = ' ';
        }
        if (is_control(byte)) return false;
        out[written++] = byte;
    }
    out[written] = '\0';
    return sl_utf8_valid(out, written) == written;
}

static bool has_escaped_slash(const char *path, size_t length)
{
    for (size_t i = 0; i + 2 < length; i++)
        if (path[i] == '%' && path[i + 1] == '2' && (path[i + 2] == 'f' || path[i + 2] == 'F'))
            return true;
    return false;
}

bool sl_http_path_decode(const char *path, size_t length, char *out)
{
    if (length == 0 || path[0] != '/' || has_escaped_slash(path, length)) return false;
    if (!decode(path, length, false, out) || strchr(out, '\\')) return false;
    /* Every segment except an empty last one must be a name. */
    for (const char *segment = out + 1; *segment;) {
        size_t size = strcspn(segment, "/");
        bool is_dots = (size == 1 || size == 2) && strspn(segment, ".") >= size;
        if (size == 0 || is_dots) return false;
        segment += size;
        if (*segment == '/') segment++;
    }
    return true;
}

static size_t count_parts(const char *text, size_t length, char separator)
{
    size_t count = 1;
    for (size_t i = 0; i < length; i++)
        count += text[i] == separator;
    return count;
}

/* Room for all pairs of `length` bytes: a pair needs two NULs and has at least one separator. */
static struct sl_http_pairs room_for(const char *text, size_t length, char separator)
{
    if (length == 0) return (struct sl_http_pairs){0};
    size_t count = count_parts(text, length, separator);
    return (struct sl_http_pairs){
        .items = sl_alloc(count, sizeof(struct sl_http_pair)),
        .text = sl_alloc(length + 2 * count, 1),
    };
}

bool sl_http_query_parse(const char *query, size_t length, struct sl_http_pairs *out)
{
    struct sl_http_pairs pairs = room_for(query, length, '&');
    char *at = pairs.text;
    for (size_t begin = 0; begin < length;) {
        const char *part = query + begin;
        const char *end = memchr(part, '&', length - begin);
        size_t size = end ? (size_t)(end - part) : length - begin;
        begin += size + 1;
        if (size == 0) continue;
        const char *equals = memchr(part, '=', size);
        size_t name_size = equals ? (size_t)(equals - part) : size;
        size_t value_size = equals ? size - name_size - 1 : 0;
        char *name = at, *value = at + name_size + 1;
        if (!decode(part, name_size, true, name) ||
            !decode(part + size - value_size, value_size, true, value)) {
            sl_http_pairs_release(&pairs);
            return false;
        }
        at = value + value_size + 1;
        pairs.items[pairs.count++] = (struct sl_http_pair){.name = name, .value = value};
    }
    *out = pairs;
    return true;
}

void sl_http_cookies_parse(const char *header, struct sl_http_pairs *out)
{
    size_t length = strlen(header);
    struct sl_http_pairs pairs = room_for(header, length, ';');
    char *at = pairs.text;
    for (const char *end = header + length; header < end;) {
        header += strspn(header, " \t;");
        size_t size = strcspn(header, ";");
        const char *part = header;
        header += size;
        while (size > 0 && (part[size - 1] == ' ' || part[size - 1] == '\t'))
            size--;
        const char *equals = memchr(part, '=', size);
        if (!equals || equals == part) continue;
        size_t name_size = (size_t)(equals - part);
        memcpy(at, part, size);
        at[name_size] = '\0';
        at[size] = '\0';
        pairs.items[pairs.count++] = (struct sl_http_pair){.name = at, .value = at + name_size + 1};
        at += size + 1;
    }
    *out = pairs;
}

const char *sl_http_pairs_find(const struct sl_http_pairs *pairs, const char *name)
{
    for (size_t i = 0; i < pairs->count; i++)
        if (strcmp(pairs->items[i].name, name) == 0) return pairs->items[i].value;
    return NULL;
}

void sl_http_pairs_release(struct sl_http_pairs *pairs)
{
    free(pairs->items);
    free(pairs->text);
    *pairs = (struct sl_http_pairs){0};
}
