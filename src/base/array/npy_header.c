/* The header of an .npy file: a magic string, a version, a length, and a Python dict literal of
 * exactly three keys. The parser knows only that much Python. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array/internal.h"
#include "base/array/npy.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { ALIGNMENT = 64, SHAPE_TEXT = 200 };

static const char magic[6] = "\x93NUMPY";

struct parser {
    const char *bytes; /* borrowed; from the start of the .npy */
    size_t length;
    size_t at;
    const char *name; /* borrowed */
    struct sl_error *err;
};

static enum sl_status unexpected(const struct parser *parser, const char *wanted)
{
    if (parser->at >= parser->length)
        return sl_fail(parser->err, SL_ERR_INPUT, "%s: byte %zu: expected %s, got the header's end",
                       parser->name, parser->at, wanted);
    unsigned char found = (unsigned char)parser->bytes[parser->at];
    return sl_fail(parser->err, SL_ERR_INPUT,
                   found > ' ' && found < 0x7F ? "%s: byte %zu: expected %s, got '%c'"
                                               : "%s: byte %zu: expected %s, got byte %#x",
                   parser->name, parser->at, wanted, found);
}

static void skip_space(struct parser *parser)
{
    while (parser->at < parser->length && memchr(" \t\r\n", parser->bytes[parser->at], 4))
        parser->at++;
}

/* Step over `wanted` and the space before it, if it is next. */
static bool accept(struct parser *parser, char wanted)
{
    skip_space(parser);
    if (parser->at >= parser->length || parser->bytes[parser->at] != wanted) return false;
    parser->at++;
    return true;
}

static enum sl_status expect(struct parser *parser, char wanted)
{
    const char quoted[] = {'\'', wanted, '\'', '\0'};
    return accept(parser, wanted) ? SL_OK : unexpected(parser, quoted);
}

struct token {
    const char *text; /* borrowed */
    size_t length;
    size_t at;
};

static bool token_is(const struct token *token, const char *text)
{
    return strlen(text) == token->length && memcmp(token->text, text, token->length) == 0;
}

/* Plain ASCII without escapes: none of the strings that we know need more. */
static enum sl_status parse_string(struct parser *parser, struct token *out)
{
    skip_space(parser);
    char quote = parser->at < parser->length ? parser->bytes[parser->at] : '\0';
    if (quote != '\'' && quote != '"') return unexpected(parser, "a string");
    size_t start = ++parser->at;
    for (; parser->at < parser->length; parser->at++) {
        char c = parser->bytes[parser->at];
        if (c == quote) break;
        if (c < ' ' || c > '~' || c == '\\') return unexpected(parser, "a plain character");
    }
    if (parser->at >= parser->length) return unexpected(parser, "a closing quote");
    *out = (struct token){parser->bytes + start, parser->at - start, start};
    parser->at++;
    return SL_OK;
}

static enum sl_status parse_size(struct parser *parser, size_t *out)
{
    skip_space(parser);
    size_t start = parser->at;
    while (parser->at < parser->length && parser->bytes[parser->at] >= '0' &&
           parser->bytes[parser->at] <= '9')
        parser->at++;
    size_t length = parser->at - start;
    if (length == 0) return unexpected(parser, "a size");
    int64_t value = 0;
    if (!sl_text_to_integer(parser->bytes + start, length, &value))
        return sl_fail(parser->err, SL_ERR_INPUT, "%s: byte %zu: the size is out of range",
                       parser->name, start);
    /* Python 2 marked its long integers. */
    if (parser->at < parser->length && parser->bytes[parser->at] == 'L') parser->at++;
    *out = (size_t)value;
    return SL_OK;
}

/* The types we read, after the byte order. */
static const struct {
    const char *code;
    enum sl_dtype dtype;
} types[] = {
    {"f4", SL_F4}, {"f8", SL_F8}, {"i4", SL_I4}, {"i8", SL_I8}, {"u1", SL_U1}, {"b1", SL_BOOL},
};

static bool find_type(const struct token *code, struct sl_array *out)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!token_is(code, types[i].code)) continue;
        out->dtype = types[i].dtype;
        out->item_size = sl_dtype_size(out->dtype);
        return true;
    }
    int64_t width = 0;
    if (code->length < 2 || code->text[0] != 'U' ||
        !sl_text_to_integer(code->text + 1, code->length - 1, &width))
        return false;
    if (width < 1 || (size_t)width > (size_t)PTRDIFF_MAX / sizeof(uint32_t)) return false;
    out->dtype = SL_TEXT;
    out->item_size = (size_t)width * sizeof(uint32_t);
    return true;
}

static enum sl_status parse_descr(struct parser *parser, struct sl_npy_header *out)
{
    skip_space(parser);
    if (parser->at < parser->length && parser->bytes[parser->at] == '[')
        return sl_fail(parser->err, SL_ERR_INPUT,
                       "%s: byte %zu: descr is a list; structured arrays are not supported",
                       parser->name, parser->at);
    struct token descr;
    SL_TRY(parse_string(parser, &descr));
    struct token code = {descr.text + 1, descr.length - 1, descr.at + 1};
    if (descr.length < 2 || !memchr("<>=|", descr.text[0], 4) || !find_type(&code, &out->array))
        return sl_fail(parser->err, SL_ERR_INPUT,
                       "%s: byte %zu: descr '%.*s' is not supported; expected one of <f4 <f8 <i4 "
                       "<i8 |u1 |b1 <U1 ...",
                       parser->name, descr.at, descr.length < 40 ? (int)descr.length : 40,
                       descr.text);
    out->big_endian = descr.text[0] == '>';
    return SL_OK;
}

static enum sl_status parse_order(struct parser *parser, struct sl_npy_header *out)
{
    skip_space(parser);
    size_t left = parser->length - parser->at;
    const char *text = parser->bytes + parser->at;
    out->fortran = left >= 4 && memcmp(text, "True", 4) == 0;
    if (!out->fortran && !(left >= 5 && memcmp(text, "False", 5) == 0))
        return unexpected(parser, "True or False");
    parser->at += out->fortran ? 4 : 5;
    return SL_OK;
}

static enum sl_status parse_shape(struct parser *parser, struct sl_npy_header *out)
{
    struct sl_array *array = &out->array;
    SL_TRY(expect(parser, '('));
    bool comma = true; /* between elements, and after a single one */
    while (!accept(parser, ')')) {
        if (!comma) return unexpected(parser, "',' or ')'");
        if (array->n_dimensions == SL_ARRAY_MAX_DIMENSIONS)
            return sl_fail(parser->err, SL_ERR_INPUT,
                           "%s: byte %zu: the shape has more than %d dimensions", parser->name,
                           parser->at, SL_ARRAY_MAX_DIMENSIONS);
        SL_TRY(parse_size(parser, &array->shape[array->n_dimensions]));
        array->n_dimensions++;
        comma = accept(parser, ',');
        if (array->n_dimensions == 1 && !comma) return unexpected(parser, "','");
    }
    return SL_OK;
}

static const struct field {
    const char *key;
    enum sl_status (*parse)(struct parser *parser, struct sl_npy_header *out);
} fields[] = {
    {"descr", parse_descr},
    {"fortran_order", parse_order},
    {"shape", parse_shape},
};
enum { N_FIELDS = sizeof fields / sizeof *fields };

static enum sl_status parse_pair(struct parser *parser, bool *seen, struct sl_npy_header *out)
{
    struct token key;
    SL_TRY(parse_string(parser, &key));
    size_t i = 0;
    while (i < N_FIELDS && !token_is(&key, fields[i].key))
        i++;
    if (i == N_FIELDS || seen[i])
        return sl_fail(parser->err, SL_ERR_INPUT, "%s: byte %zu: %s key '%.*s'", parser->name,
                       key.at, i == N_FIELDS ? "unknown" : "second",
                       key.length < 40 ? (int)key.length : 40, key.text);
    seen[i] = true;
    SL_TRY(expect(parser, ':'));
    return fields[i].parse(parser, out);
}

static enum sl_status parse_dict(struct parser *parser, struct sl_npy_header *out)
{
    bool seen[N_FIELDS] = {false}, comma = true;
    SL_TRY(expect(parser, '{'));
    while (!accept(parser, '}')) {
        if (!comma) return unexpected(parser, "',' or '}'");
        SL_TRY(parse_pair(parser, seen, out));
        comma = accept(parser, ',');
    }
    for (size_t i = 0; i < N_FIELDS; i++)
        if (!seen[i])
            return sl_fail(parser->err, SL_ERR_INPUT, "%s: byte %zu: the header has no key '%s'",
                           parser->name, parser->at, fields[i].key);
    skip_space(parser);
    return parser->at == parser->length ? SL_OK : unexpected(parser, "nothing after '}'");
}

/* The offsets of the dict and of the data, from the first bytes. */
static enum sl_status parse_preamble(const unsigned char *bytes, size_t length, const char *name,
                                     size_t *dict, size_t *data, struct sl_error *err)
{
    if (length < 10 || memcmp(bytes, magic, sizeof magic) != 0)
        return sl_fail(err, SL_ERR_INPUT, "%s: byte 0: not an .npy file (no \\x93NUMPY)", name);
    unsigned major = bytes[6], minor = bytes[7];
    if (major < 1 || major > 3 || minor != 0)
        return sl_fail(err, SL_ERR_INPUT, "%s: byte 6: .npy version %u.%u, expected 1.0 to 3.0",
                       name, major, minor);
    size_t start = major == 1 ? 10 : 12;
    if (length < start)
        return sl_fail(err, SL_ERR_INPUT, "%s: byte %zu: the file ends in the header", name,
                       length);
    size_t size = bytes[8] | (size_t)bytes[9] << 8;
    if (major > 1) size |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (size > SL_NPY_HEADER_LIMIT)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: byte 8: the header has %zu bytes, expected at most %d", name, size,
                       SL_NPY_HEADER_LIMIT);
    *dict = start;
    *data = start + size;
    return SL_OK;
}

enum sl_status sl_npy_header_size(const unsigned char *bytes, size_t length, const char *name,
                                  size_t *out, struct sl_error *err)
{
    size_t dict = 0;
    return parse_preamble(bytes, length, name, &dict, out, err);
}

static enum sl_status check_size(struct sl_npy_header *header, uint64_t available, const char *name,
                                 struct sl_error *err)
{
    const struct sl_array *array = &header->array;
    char shape[SHAPE_TEXT];
    sl_array_shape_text(array, shape, sizeof shape);
    if (!sl_shape_bytes(array->item_size, array->n_dimensions, array->shape, &header->data_size))
        return sl_fail(err, SL_ERR_INPUT, "%s: the shape %s is too large", name, shape);
    if (header->data_size != available)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: byte %zu: the shape %s needs %zu byte%s of data, got %llu", name,
                       header->header_size, shape, header->data_size,
                       sl_text_plural(header->data_size, "", "s"), (unsigned long long)available);
    return SL_OK;
}

enum sl_status sl_npy_header_read(const struct sl_source *source, uint64_t offset, uint64_t length,
                                  const char *name, struct sl_npy_header *out, struct sl_error *err)
{
    unsigned char preamble[SL_NPY_PREAMBLE];
    size_t first = length < SL_NPY_PREAMBLE ? (size_t)length : SL_NPY_PREAMBLE, dict = 0, data = 0;
    char *bytes = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_source_read(source, offset, preamble, first, err));
    SL_TRY_OUT(parse_preamble(preamble, first, name, &dict, &data, err));
    if (data > length) {
        status = sl_fail(err, SL_ERR_INPUT, "%s: byte %llu: the file ends in the header", name,
                         (unsigned long long)length);
        goto out;
    }
    bytes = sl_alloc(data, 1);
    SL_TRY_OUT(sl_source_read(source, offset, bytes, data, err));
    struct parser parser = {bytes, data, dict, name, err};
    struct sl_npy_header header = {.header_size = data};
    SL_TRY_OUT(parse_dict(&parser, &header));
    SL_TRY_OUT(check_size(&header, length - data, name, err));
    *out = header;
out:
    free(bytes);
    return status;
}

void sl_npy_header_format(const struct sl_array *array, enum sl_order order, struct sl_buffer *out)
{
    char shape[SHAPE_TEXT], width[24] = "";
    if (array->dtype == SL_TEXT)
        snprintf(width, sizeof width, "%zu", array->item_size / sizeof(uint32_t));
    const size_t start = out->length;
    sl_buffer_append(out, magic, sizeof magic);
    sl_buffer_append(out, "\1\0\0\0", 4);
    sl_buffer_printf(out, "{'descr': '%s%s', 'fortran_order': %s, 'shape': %s, }",
                     sl_dtype_name(array->dtype), width,
                     order == SL_ORDER_FORTRAN ? "True" : "False",
                     sl_array_shape_text(array, shape, sizeof shape));
    while ((out->length - start + 1) % ALIGNMENT != 0)
        sl_buffer_byte(out, ' ');
    sl_buffer_byte(out, '\n');
    /* At most eight sizes of twenty digits: the 65,535 bytes of version 1.0 are always enough. */
    size_t size = out->length - start - 10;
    if (out->overflowed) return;
    out->data[start + 8] = (char)(size & 0xFF);
    out->data[start + 9] = (char)(size >> 8);
}
