#include "base/arrow/column.h"

#include <string.h>

enum { SHOWN = 40 };
static const int64_t most_children = 1000000;

/* Sizes of the integers, by their letter. */
static const struct {
    char letter;
    unsigned char size;
    bool is_signed;
} integers[] = {{'c', 1, true}, {'C', 1, false}, {'s', 2, true}, {'S', 2, false},
                {'i', 4, true}, {'I', 4, false}, {'l', 8, true}, {'L', 8, false}};
enum { INTEGERS = sizeof integers / sizeof *integers };

static size_t find_integer(char letter)
{
    size_t i = 0;
    while (i < INTEGERS && integers[i].letter != letter)
        i++;
    return i;
}

static const char *name_of(const struct ArrowSchema *schema)
{
    return schema->name ? schema->name : "";
}

/* ---- Checking ---- */

enum sl_status sl_arrow_check_schema(const struct ArrowSchema *schema, struct sl_error *err)
{
    if (!schema->release)
        return sl_fail(err, SL_ERR_INPUT, "arrow: the schema was released before");
    if (!schema->format || strcmp(schema->format, "+s") != 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "arrow: the schema has the format \"%.*s\", expected a "
                       "struct, \"+s\"",
                       SHOWN, schema->format ? schema->format : "");
    if (schema->n_children < 0 || schema->n_children > most_children ||
        (schema->n_children > 0 && !schema->children))
        return sl_fail(err, SL_ERR_INPUT, "arrow: the schema has %lld columns",
                       (long long)schema->n_children);
    for (int64_t i = 0; i < schema->n_children; i++)
        if (!schema->children[i] || !schema->children[i]->release || !schema->children[i]->format)
            return sl_fail(
                err, SL_ERR_INPUT,
                "arrow: column %lld of the schema is missing, released or without format",
                (long long)i);
    return SL_OK;
}

/* Length and offset of an array, of which `need` elements behind the offset are used. */
static enum sl_status check_extent(const struct ArrowArray *array, const char *what, uint64_t need,
                                   struct sl_error *err)
{
    if (array->length < 0 || array->offset < 0 || array->length > INT64_MAX / 2 ||
        array->offset > INT64_MAX / 2)
        return sl_fail(err, SL_ERR_INPUT, "arrow: %.*s has the length %lld and the offset %lld",
                       SHOWN, what, (long long)array->length, (long long)array->offset);
    if ((uint64_t)array->length < need)
        return sl_fail(err, SL_ERR_INPUT, "arrow: %.*s has %lld values for %llu rows", SHOWN, what,
                       (long long)array->length, (unsigned long long)need);
    return SL_OK;
}

/* The buffers that an array must have, and the bitmap of its nulls, which is the first. */
static enum sl_status check_buffers(const struct ArrowArray *array, const char *what,
                                    int64_t n_buffers, const uint8_t **valid, struct sl_error *err)
{
    if (array->n_buffers != n_buffers || !array->buffers)
        return sl_fail(err, SL_ERR_INPUT, "arrow: %.*s has %lld buffers, expected %lld", SHOWN,
                       what, (long long)array->n_buffers, (long long)n_buffers);
    *valid = array->null_count == 0 ? NULL : array->buffers[0];
    if (array->null_count < -1 || (array->null_count > 0 && !*valid))
        return sl_fail(err, SL_ERR_INPUT, "arrow: %.*s has %lld nulls and no bitmap of them", SHOWN,
                       what, (long long)array->null_count);
    return SL_OK;
}

enum sl_status sl_arrow_check_struct(const struct ArrowSchema *schema,
                                     const struct ArrowArray *array, struct sl_error *err)
{
    const uint8_t *valid = NULL;
    SL_TRY(sl_arrow_check_schema(schema, err));
    if (!array->release) return sl_fail(err, SL_ERR_INPUT, "arrow: the array was released before");
    SL_TRY(check_extent(array, "the struct", 0, err));
    SL_TRY(check_buffers(array, "the struct", 1, &valid, err));
    if (array->n_children != schema->n_children || (array->n_children > 0 && !array->children))
        return sl_fail(err, SL_ERR_INPUT, "arrow: the array has %lld columns, and its schema %lld",
                       (long long)array->n_children, (long long)schema->n_children);
    for (int64_t i = 0; valid && i < array->length; i++)
        if (sl_arrow_is_null(valid, (size_t)array->offset, (size_t)i))
            return sl_fail(err, SL_ERR_INPUT, "arrow: row %lld is null", (long long)i);
    return SL_OK;
}

/* ---- Opening ---- */

/* Values from `first` on, behind the array's own offset. */
static enum sl_status open_values(const struct ArrowSchema *schema, const struct ArrowArray *array,
                                  const char *what, size_t first, size_t count,
                                  struct sl_arrow_values *out, struct sl_error *err)
{
    const char *format = schema->format ? schema->format : "";
    const bool text = strcmp(format, "u") == 0 || strcmp(format, "U") == 0;
    const bool integer = strlen(format) == 1 && find_integer(*format) < INTEGERS;
    if (!text && !integer)
        return sl_fail(err, SL_ERR_INPUT,
                       "arrow: %.*s has the format \"%.*s\", expected texts (u, U) or integers (c, "
                       "C, s, S, i, I, l, L)",
                       SHOWN, what, SHOWN, format);
    if (!array || !array->release)
        return sl_fail(err, SL_ERR_INPUT, "arrow: %.*s is missing or released", SHOWN, what);
    SL_TRY(check_extent(array, what, (uint64_t)first + count, err));
    SL_TRY(check_buffers(array, what, text ? 3 : 2, &out->valid, err));
    out->format = *format;
    out->first = (size_t)array->offset + first;
    out->count = count;
    out->data = array->buffers[1];
    out->text = text ? array->buffers[2] : NULL;
    if (!out->data && count > 0)
        return sl_fail(err, SL_ERR_INPUT, "arrow: %.*s has no buffer of %s", SHOWN, what,
                       text ? "offsets" : "values");
    return SL_OK;
}

enum sl_status sl_arrow_column_open(const struct ArrowSchema *schema,
                                    const struct ArrowArray *array, size_t index,
                                    struct sl_arrow_column *out, struct sl_error *err)
{
    const struct ArrowSchema *column = schema->children[index];
    const struct ArrowArray *values = array->children[index];
    const char *what = name_of(column);
    *out = (struct sl_arrow_column){.encoded = column->dictionary != NULL};
    SL_TRY(open_values(column, values, what, (size_t)array->offset, (size_t)array->length,
                       &out->values, err));
    const struct ArrowSchema *entries = column->dictionary;
    const struct ArrowArray *entry_values = values->dictionary;
    if (!entries && !entry_values) return SL_OK;
    if (!entries || !entry_values)
        return sl_fail(err, SL_ERR_INPUT,
                       "arrow: of %.*s only one of schema and array has a dictionary", SHOWN, what);
    if (out->values.text || out->values.format == 'u' || out->values.format == 'U')
        return sl_fail(err, SL_ERR_INPUT, "arrow: the indices of %.*s are texts", SHOWN, what);
    if (entries->dictionary || entry_values->dictionary)
        return sl_fail(err, SL_ERR_INPUT, "arrow: the dictionary of %.*s has a dictionary", SHOWN,
                       what);
    SL_TRY(check_extent(entry_values, what, 0, err));
    return open_values(entries, entry_values, what, 0, (size_t)entry_values->length,
                       &out->dictionary, err);
}

/* ---- Reading ---- */

/* An integer as its bits and its sign. */
static uint64_t integer_at(const struct sl_arrow_values *values, size_t row, bool *negative)
{
    const size_t kind = find_integer(values->format);
    const unsigned size = integers[kind].size;
    const unsigned char *at = (const unsigned char *)values->data + (values->first + row) * size;
    uint64_t bits = 0;
    memcpy(&bits, at, size); /* little-endian, as every machine that softlab runs on */
    *negative = integers[kind].is_signed && bits >> (8 * size - 1) & 1;
    if (*negative && size < sizeof bits) bits |= UINT64_MAX << 8 * size;
    return bits;
}

static struct sl_field write_integer(uint64_t bits, bool negative, char digits[SL_ARROW_DIGITS])
{
    uint64_t rest = negative ? 0 - bits : bits;
    size_t at = SL_ARROW_DIGITS;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (negative) digits[--at] = '-';
    return (struct sl_field){digits + at, SL_ARROW_DIGITS - at};
}

static int64_t offset_at(const struct sl_arrow_values *values, size_t at)
{
    const unsigned char *offsets = values->data;
    int32_t narrow = 0;
    int64_t wide = 0;
    if (values->format == 'U') {
        memcpy(&wide, offsets + at * sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, offsets + at * sizeof narrow, sizeof narrow);
    return narrow;
}

enum sl_status sl_arrow_text(const struct sl_arrow_values *values, size_t row,
                             char digits[SL_ARROW_DIGITS], struct sl_field *out,
                             struct sl_error *err)
{
    bool negative = false;
    if (values->format != 'u' && values->format != 'U') {
        const uint64_t bits = integer_at(values, row, &negative);
        *out = write_integer(bits, negative, digits);
        return SL_OK;
    }
    const int64_t begin = offset_at(values, values->first + row);
    const int64_t end = offset_at(values, values->first + row + 1);
    if (begin < 0 || end < begin || (end > begin && !values->text))
        return sl_fail(err, SL_ERR_INPUT, "the text goes from byte %lld to byte %lld%s",
                       (long long)begin, (long long)end, values->text ? "" : " of no buffer");
    *out = end == begin ? (struct sl_field){"", 0}
                        : (struct sl_field){values->text + begin, (size_t)(end - begin)};
    if (out->length > 0 && memchr(out->text, '\0', out->length))
        return sl_fail(err, SL_ERR_INPUT, "the text contains a NUL byte");
    return SL_OK;
}

enum sl_status sl_arrow_index(const struct sl_arrow_column *column, size_t row, size_t *out,
                              struct sl_error *err)
{
    bool negative = false;
    const uint64_t bits = integer_at(&column->values, row, &negative);
    if (negative || bits >= column->dictionary.count)
        return sl_fail(err, SL_ERR_INPUT, "the index %s%llu is outside the dictionary of %zu",
                       negative ? "-" : "", (unsigned long long)(negative ? 0 - bits : bits),
                       column->dictionary.count);
    *out = (size_t)bits;
    return SL_OK;
}
