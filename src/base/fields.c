/* Reads JSON into structs. */
#include "softlab/base/fields.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/internal.h"
#include "base/text/describe.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { EXPECTED_TEXT = 2048 };

/* ---- Tables ---- */

/* Whether a row is an alternative of the row before it. */
static bool is_alternative(const struct sl_fields *fields, const struct sl_field_row *row)
{
    return row > fields->rows && row->kind != SL_FIELD_GROUP &&
           strcmp(row[-1].name, row->name) == 0;
}

static bool has_alternative(const struct sl_field_row *row)
{
    return row[1].name && strcmp(row[1].name, row->name) == 0;
}

const struct sl_field_row *sl_fields_find(const struct sl_fields *fields, const char *name)
{
    for (const struct sl_field_row *row = fields->rows; row->name; row++) {
        const struct sl_field_row *within =
            row->kind == SL_FIELD_GROUP ? sl_fields_find(row->inner, name) : NULL;
        if (within) return within;
        if (row->kind != SL_FIELD_GROUP && strcmp(row->name, name) == 0) return row;
    }
    return NULL;
}

static const char *const kind_words[] = {
    [SL_FIELD_BOOLEAN] = "true or false",
    [SL_FIELD_INTEGER] = "a number",
    [SL_FIELD_NUMBER] = "a number",
    [SL_FIELD_TEXT] = "text",
    [SL_FIELD_TEXTS] = "a list of texts",
    [SL_FIELD_NUMBERS] = "a list of numbers",
    [SL_FIELD_INTEGERS] = "a list of numbers",
    [SL_FIELD_OBJECT] = "an object",
    [SL_FIELD_OBJECTS] = "a list of objects",
    [SL_FIELD_MAP] = "an object",
    [SL_FIELD_FREE] = "an object",
    [SL_FIELD_ANY] = "any value",
    [SL_FIELD_NULL] = "null",
    [SL_FIELD_GROUP] = "",
    [SL_FIELD_SECTION] = "an object",
    [SL_FIELD_COUNT] = "a number",
    [SL_FIELD_SIDES] = "text",
    [SL_FIELD_COUNTS] = "text",
    [SL_FIELD_ENUM] = "text",
    [SL_FIELD_REALS] = "a list of numbers",
    [SL_FIELD_NAME] = "text",
    [SL_FIELD_LINE] = "text",
    [SL_FIELD_LINES] = "a list of texts",
};

char *sl_field_words(const struct sl_field_row *field, char out[SL_FIELD_WORDS_SIZE])
{
    const char *words[8];
    size_t count = 0;
    bool null = false;
    for (const struct sl_field_row *row = field;; row++) {
        words[count++] = row->kind < SL_FIELD_WORD ? kind_words[row->kind] : "an option's word";
        null = null || (row->flags & SL_FIELD_OR_NULL);
        if (!has_alternative(row) || count == 7) break;
    }
    if (null) words[count++] = "null";
    out[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const size_t used = strlen(out);
        snprintf(out + used, SL_FIELD_WORDS_SIZE - used, "%s%s",
                 i == 0           ? ""
                 : i + 1 == count ? " or "
                                  : ", ",
                 words[i]);
    }
    return out;
}

/* ---- Kinds ---- */

static bool all_are(const json_t *list, bool number)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        if (number ? !json_is_number(entry) : !json_is_string(entry)) return false;
    }
    return json_is_array(list);
}

static bool fits(const struct sl_field_row *field, const json_t *value)
{
    switch (field->kind) {
    case SL_FIELD_BOOLEAN: return json_is_boolean(value);
    case SL_FIELD_COUNT:
        return json_is_number(value) || (field->size_max && json_is_string(value) &&
                                         strcmp(json_string_value(value), field->size_max) == 0);
    case SL_FIELD_INTEGER:
    case SL_FIELD_NUMBER: return json_is_number(value);
    case SL_FIELD_TEXT:
    case SL_FIELD_ENUM:
    case SL_FIELD_SIDES:
    case SL_FIELD_COUNTS:
    case SL_FIELD_NAME:
    case SL_FIELD_LINE: return json_is_string(value);
    case SL_FIELD_TEXTS: return all_are(value, false);
    case SL_FIELD_NUMBERS:
    case SL_FIELD_INTEGERS: return all_are(value, true);
    case SL_FIELD_OBJECT:
    case SL_FIELD_MAP:
    case SL_FIELD_SECTION:
    case SL_FIELD_FREE: return json_is_object(value);
    case SL_FIELD_REALS:
    case SL_FIELD_LINES:
    case SL_FIELD_OBJECTS: return json_is_array(value);
    case SL_FIELD_ANY: return true;
    case SL_FIELD_NULL: return json_is_null(value);
    default: break; /* a group is not a value, and a borrowed word would not outlive the JSON */
    }
    return false;
}

/* ---- Values ---- */

static enum sl_status read_integer(const struct sl_field_row *field,
                                   const struct sl_json_cursor *at, int64_t *out,
                                   struct sl_error *err)
{
    const bool any = field->minimum == 0 && field->maximum == 0;
    const int64_t low = any ? INT64_MIN : (int64_t)field->minimum;
    const int64_t high = any || isinf(field->maximum) ? INT64_MAX : (int64_t)field->maximum;
    return sl_json_integer(at, low, high, out, err);
}

static enum sl_status read_number(const struct sl_field_row *field, const struct sl_json_cursor *at,
                                  double *out, struct sl_error *err)
{
    const bool any = field->minimum == 0 && field->maximum == 0;
    return sl_json_number(at, any ? -(double)INFINITY : field->minimum,
                          any ? (double)INFINITY : field->maximum, out, err);
}

static enum sl_status read_text(const struct sl_field_row *field, const struct sl_json_cursor *at,
                                char **out, struct sl_error *err)
{
    const char *text = json_string_value(at->value);
    bool known = !field->choices;
    struct sl_buffer list;
    sl_buffer_init(&list, 4096);
    for (size_t i = 0; field->choices && field->choices[i] && !known; i++) {
        known = strcmp(field->choices[i], text) == 0;
        sl_buffer_printf(&list, "%s%s", i > 0 ? ", " : "", field->choices[i]);
    }
    enum sl_status status = SL_OK;
    if (known) {
        free(*out); /* the fallback */
        *out = sl_string_copy(text);
    } else {
        char shown[SL_DESCRIBE_SIZE];
        status = sl_json_fail(at, err, "%s is not one of: %s",
                              sl_describe_text(text, strlen(text), shown), list.data);
    }
    sl_buffer_release(&list);
    return status;
}

static enum sl_status read_numbers(const struct sl_field_row *field,
                                   const struct sl_json_cursor *at, void *out, struct sl_error *err)
{
    const size_t count = json_array_size(at->value);
    const bool whole = field->kind == SL_FIELD_INTEGERS;
    struct sl_double_list numbers = {.count = count};
    struct sl_integer_list integers = {.count = count};
    if (whole)
        integers.items = sl_alloc(count + 1, sizeof *integers.items);
    else
        numbers.items = sl_alloc(count + 1, sizeof *numbers.items);
    /* Hand over what was read so far, so that a failure frees it. */
    memcpy(out, whole ? (void *)&integers : (void *)&numbers, sizeof numbers);
    for (size_t i = 0; i < count; i++) {
        const struct sl_json_cursor element = sl_json_element(at, i);
        SL_TRY(whole ? read_integer(field, &element, &integers.items[i], err)
                     : read_number(field, &element, &numbers.items[i], err));
    }
    return SL_OK;
}

/* Read JSON text by the rules for typed text. */
static enum sl_status read_typed(const struct sl_field_row *field, const struct sl_json_cursor *at,
                                 void *base, struct sl_error *err)
{
    struct sl_error problem;
    const char *text = json_string_value(at->value);
    if (sl_field_set(field, text, base, &problem) == SL_OK) return SL_OK;
    return sl_json_fail(at, err, "%s", problem.message);
}

static enum sl_status read_count(const struct sl_field_row *field, const struct sl_json_cursor *at,
                                 size_t *out, struct sl_error *err)
{
    int64_t value = 0;
    SL_TRY(read_integer(field, at, &value, err));
    if (value < 0) return sl_json_fail(at, err, "expected an integer of at least 0");
    *out = (size_t)value;
    return SL_OK;
}

static enum sl_status read_reals(const struct sl_field_row *field, const struct sl_json_cursor *at,
                                 struct sl_real_list *out, struct sl_error *err)
{
    struct sl_real_list list = {.count = json_array_size(at->value)};
    if (list.count > SL_FIELD_LIST_MAX)
        return sl_json_fail(at, err, "expected at most %d numbers, got %zu", SL_FIELD_LIST_MAX,
                            list.count);
    for (size_t i = 0; i < list.count; i++) {
        const struct sl_json_cursor element = sl_json_element(at, i);
        SL_TRY(read_number(field, &element, &list.values[i], err));
    }
    *out = list;
    return SL_OK;
}

static void read_texts(const struct sl_json_cursor *at, struct sl_text_list *out)
{
    out->items = sl_alloc(json_array_size(at->value) + 1, sizeof *out->items);
    for (size_t i = 0; i < json_array_size(at->value); i++)
        out->items[out->count++] = sl_string_copy(json_string_value(json_array_get(at->value, i)));
}

/* Whether a list has as many elements as it may. */
static enum sl_status check_size(const struct sl_field_row *field, const struct sl_json_cursor *at,
                                 struct sl_error *err)
{
    const double size = (double)json_array_size(at->value);
    const bool any = field->minimum == 0 && field->maximum == 0;
    if (any || (size >= field->minimum && size <= field->maximum)) return SL_OK;
    struct sl_buffer expected;
    sl_buffer_init(&expected, EXPECTED_TEXT);
    const enum sl_status status =
        sl_json_fail(at, err, "expected %s, got %.0f", sl_field_expected(field, &expected), size);
    sl_buffer_release(&expected);
    return status;
}

static enum sl_status read_lines(const struct sl_field_row *field, const struct sl_json_cursor *at,
                                 void *base, struct sl_error *err)
{
    void *out = (char *)base + field->offset;
    struct sl_text_list list;
    SL_TRY(check_size(field, at, err));
    memcpy(&list, out, sizeof list);
    sl_text_list_release(&list); /* the fallback */
    list.items = sl_alloc(1, sizeof *list.items);
    memcpy(out, &list, sizeof list);
    for (size_t i = 0; i < json_array_size(at->value); i++) {
        const struct sl_json_cursor element = sl_json_element(at, i);
        if (!json_is_string(element.value)) return sl_json_fail_type(&element, "text", err);
        SL_TRY(read_typed(field, &element, base, err));
    }
    return SL_OK;
}

/* ---- Objects ---- */

/* Read a struct from an object, or from a value that a nameless row describes. */
static enum sl_status read_struct(const struct sl_fields *fields, const struct sl_json_cursor *at,
                                  void *out, struct sl_error *err)
{
    const bool nameless = fields->rows[0].kind != SL_FIELD_GROUP && !*fields->rows[0].name;
    return nameless ? sl_field_read(fields->rows, at, out, err)
                    : sl_fields_read(at, fields, out, err);
}

static enum sl_status read_object(const struct sl_fields *fields, const struct sl_json_cursor *at,
                                  void *out, struct sl_error *err)
{
    void *object = sl_alloc(1, fields->size);
    memcpy(out, &object, sizeof object);
    return read_struct(fields, at, object, err);
}

static enum sl_status read_objects(const struct sl_field_row *field,
                                   const struct sl_json_cursor *at, void *out, struct sl_error *err)
{
    SL_TRY(check_size(field, at, err));
    const struct sl_fields *fields = field->inner;
    const size_t count = json_array_size(at->value);
    const struct sl_object_list list = {sl_alloc(count + 1, fields->size), count};
    memcpy(out, &list, sizeof list);
    for (size_t i = 0; i < count; i++) {
        const struct sl_json_cursor element = sl_json_element(at, i);
        SL_TRY(read_struct(fields, &element, (char *)list.items + i * fields->size, err));
    }
    return SL_OK;
}

static enum sl_status read_map(const struct sl_fields *fields, const struct sl_json_cursor *at,
                               void *out, struct sl_error *err)
{
    const size_t count = json_object_size(at->value);
    const struct sl_object_map map = {sl_alloc(count + 1, sizeof *map.names),
                                      sl_alloc(count + 1, fields->size), count};
    size_t i = 0;
    const char *name;
    json_t *value;
    json_object_foreach(at->value, name, value)
    {
        map.names[i++] = sl_string_copy(name);
    }
    memcpy(out, &map, sizeof map);
    for (i = 0; i < count; i++) {
        const struct sl_json_cursor member = sl_json_below(at, map.names[i]);
        SL_TRY(read_struct(fields, &member, (char *)map.items + i * fields->size, err));
    }
    return SL_OK;
}

static enum sl_status read_members(const struct sl_json_cursor *at, const struct sl_fields *fields,
                                   void *out, struct sl_error *err);

/* Read the value of a present member into its field. */
static enum sl_status read_value(const struct sl_field_row *field, const struct sl_json_cursor *at,
                                 void *base, struct sl_error *err)
{
    void *out = (char *)base + field->offset;
    switch (field->kind) {
    case SL_FIELD_BOOLEAN: *(bool *)out = json_is_true(at->value); break;
    case SL_FIELD_INTEGER: return read_integer(field, at, out, err);
    case SL_FIELD_NUMBER: return read_number(field, at, out, err);
    case SL_FIELD_TEXT: return read_text(field, at, out, err);
    case SL_FIELD_TEXTS: read_texts(at, out); break;
    case SL_FIELD_NUMBERS:
    case SL_FIELD_INTEGERS: return read_numbers(field, at, out, err);
    case SL_FIELD_OBJECT: return read_object(field->inner, at, out, err);
    case SL_FIELD_OBJECTS: return read_objects(field, at, out, err);
    case SL_FIELD_MAP: return read_map(field->inner, at, out, err);
    case SL_FIELD_SECTION: return read_members(at, field->inner, out, err);
    case SL_FIELD_FREE:
    case SL_FIELD_ANY: *(json_t **)out = json_deep_copy(at->value); break;
    case SL_FIELD_NULL: *(bool *)out = true; break;
    case SL_FIELD_COUNT:
        return json_is_string(at->value) ? read_typed(field, at, base, err)
                                         : read_count(field, at, out, err);
    case SL_FIELD_REALS: return read_reals(field, at, out, err);
    case SL_FIELD_ENUM:
    case SL_FIELD_SIDES:
    case SL_FIELD_COUNTS:
    case SL_FIELD_NAME:
    case SL_FIELD_LINE: return read_typed(field, at, base, err);
    case SL_FIELD_LINES: return read_lines(field, at, base, err);
    default: break; /* fits() rejects all other kinds */
    }
    return SL_OK;
}

/* A value that no row takes. What it may be is said in full where one row alone decides, in the
 * words of JSON: not of lists as they are typed. */
static enum sl_status fail_kind(const struct sl_field_row *field, bool null,
                                const struct sl_json_cursor *at, struct sl_error *err)
{
    char words[SL_FIELD_WORDS_SIZE];
    struct sl_buffer full;
    sl_buffer_init(&full, EXPECTED_TEXT);
    const char *expected = field->expected;
    const bool same_typed = field->kind < SL_FIELD_WORD && field->kind != SL_FIELD_REALS;
    if (!expected && same_typed && !null && !has_alternative(field))
        expected = sl_field_expected(field, &full);
    const enum sl_status status =
        sl_json_fail_type(at, expected ? expected : sl_field_words(field, words), err);
    sl_buffer_release(&full);
    return status;
}

enum sl_status sl_field_read(const struct sl_field_row *field, const struct sl_json_cursor *at,
                             void *base, struct sl_error *err)
{
    bool null = false;
    for (const struct sl_field_row *row = field;; row++) {
        const bool single = row->kind <= SL_FIELD_TEXT || row->kind == SL_FIELD_COUNT;
        const bool worded = row->expected && single;
        if (fits(row, at->value) && !worded) return read_value(row, at, base, err);
        if (fits(row, at->value) && read_value(row, at, base, NULL) == SL_OK) return SL_OK;
        null = null || (row->flags & SL_FIELD_OR_NULL);
        if (!has_alternative(row)) break;
    }
    if (null && json_is_null(at->value)) return SL_OK;
    return fail_kind(field, null, at, err);
}

static size_t count_names(const struct sl_fields *fields)
{
    size_t count = 0;
    for (const struct sl_field_row *row = fields->rows; row->name; row++)
        count += row->kind == SL_FIELD_GROUP ? count_names(row->inner) : 1;
    return count;
}

static size_t list_names(const struct sl_fields *fields, const char **names)
{
    size_t count = 0;
    for (const struct sl_field_row *row = fields->rows; row->name; row++) {
        if (row->kind == SL_FIELD_GROUP)
            count += list_names(row->inner, names + count);
        else
            names[count++] = row->name;
    }
    return count;
}

static enum sl_status check_known(const struct sl_json_cursor *at, const struct sl_fields *fields,
                                  struct sl_error *err)
{
    const char **known = sl_alloc(count_names(fields) + 1, sizeof *known);
    (void)list_names(fields, known);
    const enum sl_status status = sl_json_only(at, known, err);
    free(known);
    return status;
}

static enum sl_status read_rows(const struct sl_json_cursor *at, const struct sl_fields *fields,
                                void *out, struct sl_error *err)
{
    for (const struct sl_field_row *row = fields->rows; row->name; row++) {
        if (row->kind == SL_FIELD_GROUP) {
            SL_TRY(read_rows(at, row->inner, (char *)out + row->offset, err));
            continue;
        }
        if (is_alternative(fields, row)) continue;
        const struct sl_json_cursor member = sl_json_below(at, row->name);
        const bool ignored = (row->flags & SL_FIELD_SETTING) && json_is_null(member.value);
        if (member.value && !ignored)
            SL_TRY(sl_field_read(row, &member, out, err));
        else if (row->flags & SL_FIELD_REQUIRED)
            return sl_json_fail(at, err, "\"%s\" is missing", row->name);
    }
    return SL_OK;
}

static enum sl_status read_members(const struct sl_json_cursor *at, const struct sl_fields *fields,
                                   void *out, struct sl_error *err)
{
    SL_TRY(check_known(at, fields, err));
    return read_rows(at, fields, out, err);
}

enum sl_status sl_fields_read(const struct sl_json_cursor *at, const struct sl_fields *fields,
                              void *out, struct sl_error *err)
{
    memset(out, 0, fields->size);
    sl_fields_set_defaults(fields->rows, out);
    const enum sl_status status = read_members(at, fields, out, err);
    if (status != SL_OK) sl_fields_release(fields, out);
    return status;
}
