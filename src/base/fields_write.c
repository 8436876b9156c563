/* Writes structs to JSON, copies and releases them. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/fields.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* ---- Lists ---- */

void sl_text_list_add(struct sl_text_list *list, const char *text)
{
    list->items = sl_resize(list->items, list->count + 2, sizeof *list->items);
    list->items[list->count++] = sl_string_copy(text);
    list->items[list->count] = NULL;
}

struct sl_text_list sl_text_list_copy(const struct sl_text_list *list)
{
    struct sl_text_list copy = {0};
    for (size_t i = 0; i < list->count; i++)
        sl_text_list_add(&copy, list->items[i]);
    return copy;
}

void sl_text_list_release(struct sl_text_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct sl_text_list){0};
}

bool sl_text_list_has(const struct sl_text_list *list, const char *text)
{
    return sl_names_place(list->items, list->count, text) < list->count;
}

json_t *sl_text_list_json(const struct sl_text_list *list)
{
    json_t *out = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(out, json_string(list->items[i]));
    return out;
}

size_t sl_names_place(char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    return count;
}

/* ---- Writing ---- */

json_t *sl_number_json(double number)
{
    const bool whole = fabs(number) < 9e15 && number == trunc(number);
    return whole ? json_integer((json_int_t)number) : json_real(number);
}

json_t *sl_double_list_json(const struct sl_double_list *list)
{
    json_t *out = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(out, sl_number_json(list->items[i]));
    return out;
}

static json_t *integers_json(const struct sl_integer_list *list)
{
    json_t *out = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(out, json_integer(list->items[i]));
    return out;
}

static json_t *value_json(const struct sl_field_row *field, const void *from);

static json_t *struct_json(const struct sl_fields *fields, const void *from)
{
    const bool nameless = fields->rows[0].kind != SL_FIELD_GROUP && !*fields->rows[0].name;
    return nameless ? value_json(fields->rows, (const char *)from + fields->rows[0].offset)
                    : sl_fields_write(fields, from);
}

static json_t *objects_json(const struct sl_fields *fields, const void *from)
{
    struct sl_object_list list;
    memcpy(&list, from, sizeof list);
    if (!list.items) return NULL;
    json_t *out = json_array();
    for (size_t i = 0; i < list.count; i++)
        json_array_append_new(out,
                              struct_json(fields, (const char *)list.items + i * fields->size));
    return out;
}

static json_t *map_json(const struct sl_fields *fields, const void *from)
{
    struct sl_object_map map;
    memcpy(&map, from, sizeof map);
    if (!map.names) return NULL;
    json_t *out = json_object();
    for (size_t i = 0; i < map.count; i++)
        json_object_set_new(out, map.names[i],
                            struct_json(fields, (const char *)map.items + i * fields->size));
    return out;
}

/* Whether a number or a boolean equals its fallback. A required or nameless field has none. */
static bool is_fallback(const struct sl_field_row *field, double value)
{
    double number = 0;
    if (!*field->name || (field->flags & SL_FIELD_REQUIRED)) return false;
    if (field->kind == SL_FIELD_BOOLEAN)
        number = field->fallback && strcmp(field->fallback, "true") == 0;
    else if (field->fallback && !sl_text_to_real(field->fallback, strlen(field->fallback), &number))
        number = (double)NAN; /* it is "nan" */
    return isnan(number) ? isnan(value) : value == number;
}

/* The pointer that a field holds. */
static void *pointer_at(const void *field)
{
    void *pointer;
    memcpy(&pointer, field, sizeof pointer);
    return pointer;
}

/* Whether a text equals its fallback. */
static bool is_fallback_text(const struct sl_field_row *field, const char *text)
{
    return field->fallback && !(field->flags & SL_FIELD_REQUIRED) &&
           strcmp(text, field->fallback) == 0;
}

/* Kinds that can be typed; NULL if the value equals the fallback. */
static json_t *typed_json(const struct sl_field_row *field, const void *from)
{
    json_t *value = sl_field_json(field, (const char *)from - field->offset);
    const char *text = json_string_value(value); /* NULL of other kinds */
    const bool left_out = json_is_null(value) || (text && is_fallback_text(field, text)) ||
                          (json_is_integer(value) && is_fallback(field, json_number_value(value)));
    if (!left_out) return value;
    json_decref(value);
    return NULL;
}

static json_t *texts_json(const void *from)
{
    struct sl_text_list list;
    memcpy(&list, from, sizeof list);
    return list.items ? sl_text_list_json(&list) : NULL;
}

static bool is_fallback_line(const struct sl_field_row *field, const void *from)
{
    struct sl_text_list list;
    memcpy(&list, from, sizeof list);
    return list.count == 1 && is_fallback_text(field, list.items[0]);
}

/* NULL for a section without members. */
static json_t *section_json(const struct sl_field_row *field, const void *from)
{
    json_t *object = sl_fields_write(field->inner, from);
    const bool kept = field->flags & (SL_FIELD_REQUIRED | SL_FIELD_SETTING);
    if (kept || json_object_size(object) > 0) return object;
    json_decref(object);
    return NULL;
}

/* The field's value as JSON, or NULL if absent. */
static json_t *value_json(const struct sl_field_row *field, const void *from)
{
    switch (field->kind) {
    case SL_FIELD_BOOLEAN: {
        const bool value = *(const bool *)from;
        return is_fallback(field, value) ? NULL : json_boolean(value);
    }
    case SL_FIELD_INTEGER: {
        const int64_t value = *(const int64_t *)from;
        return is_fallback(field, (double)value) ? NULL : json_integer(value);
    }
    case SL_FIELD_NUMBER: {
        const double value = *(const double *)from;
        return is_fallback(field, value) ? NULL : sl_number_json(value);
    }
    case SL_FIELD_TEXT:
    case SL_FIELD_LINE: {
        const char *text = *(char *const *)from;
        return text && !is_fallback_text(field, text) ? json_string(text) : NULL;
    }
    case SL_FIELD_TEXTS:
    case SL_FIELD_LINES: return is_fallback_line(field, from) ? NULL : texts_json(from);
    case SL_FIELD_SECTION: return section_json(field, from);
    case SL_FIELD_NUMBERS: {
        const struct sl_double_list *list = from;
        return list->items ? sl_double_list_json(list) : NULL;
    }
    case SL_FIELD_INTEGERS: {
        const struct sl_integer_list *list = from;
        return list->items ? integers_json(list) : NULL;
    }
    case SL_FIELD_OBJECT: {
        const void *object = pointer_at(from);
        return object ? struct_json(field->inner, object) : NULL;
    }
    case SL_FIELD_OBJECTS: return objects_json(field->inner, from);
    case SL_FIELD_MAP: return map_json(field->inner, from);
    case SL_FIELD_FREE:
    case SL_FIELD_ANY: return json_deep_copy(*(json_t *const *)from);
    case SL_FIELD_NULL: return *(const bool *)from ? json_null() : NULL;
    case SL_FIELD_GROUP: return NULL;
    default: break;
    }
    return typed_json(field, from);
}

static json_t *reals_json(const struct sl_real_list *list)
{
    json_t *out = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(out, json_real(list->values[i]));
    return out;
}

static json_t *words_json(const struct sl_word_list *list)
{
    json_t *out = list->count > 0 ? json_array() : json_null();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(out, json_string(list->values[i]));
    return out;
}

static json_t *sides_json(const size_t *sides)
{
    return sides[0] > 0 ? json_sprintf("%zux%zu", sides[0], sides[1]) : json_null();
}

/* As it is typed; null where nothing was given. */
static json_t *counts_json(const struct sl_count_list *list)
{
    char text[SL_FIELD_LIST_MAX * 24];
    size_t used = 0;
    for (size_t i = 0; i < list->count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu", i > 0 ? "-" : "",
                                 list->values[i]);
    return used > 0 ? json_string(text) : json_null();
}

static json_t *count_json(const struct sl_field_row *field, size_t count)
{
    if (field->size_max && count == SIZE_MAX) return json_string(field->size_max);
    const bool given = count > 0 || field->fallback || (field->flags & SL_FIELD_REQUIRED);
    return given ? json_integer((json_int_t)count) : json_null();
}

static json_t *number_json(double number)
{
    return isnan(number) ? json_null() : json_real(number);
}

static json_t *enum_json(const struct sl_field_row *field, const void *from)
{
    int place = 0;
    memcpy(&place, from, sizeof place);
    return json_string(sl_field_choice(field, (size_t)place));
}

json_t *sl_field_json(const struct sl_field_row *field, const void *of)
{
    const void *from = (const char *)of + field->offset;
    switch (field->kind) {
    case SL_FIELD_BOOLEAN: return json_boolean(*(const bool *)from);
    case SL_FIELD_INTEGER: return json_integer(*(const int64_t *)from);
    case SL_FIELD_NUMBER: return number_json(*(const double *)from);
    case SL_FIELD_COUNT: return count_json(field, *(const size_t *)from);
    case SL_FIELD_SIDES: return sides_json(from);
    case SL_FIELD_COUNTS: return counts_json(from);
    case SL_FIELD_ENUM: return enum_json(field, from);
    case SL_FIELD_REALS: return reals_json(from);
    case SL_FIELD_NAME: return json_string(from);
    case SL_FIELD_WORDS: return words_json(from);
    case SL_FIELD_LINES: return texts_json(from);
    case SL_FIELD_TEXT:
    case SL_FIELD_LINE:
    case SL_FIELD_WORD:
    case SL_FIELD_CHOICE:
    case SL_FIELD_PATH:
    case SL_FIELD_OUTPUT:
    case SL_FIELD_FOLDER:
    case SL_FIELD_SOURCE: {
        const char *text = pointer_at(from);
        return text ? json_string(text) : json_null();
    }
    default: break;
    }
    return value_json(field, from);
}

static bool is_list(enum sl_field_kind kind)
{
    return kind == SL_FIELD_TEXTS || kind == SL_FIELD_LINES || kind == SL_FIELD_OBJECTS ||
           kind == SL_FIELD_NUMBERS || kind == SL_FIELD_INTEGERS;
}

static json_t *setting_json(const struct sl_field_row *row, const void *from)
{
    json_t *value = sl_field_json(row, from);
    return value || !is_list(row->kind) ? value : json_array();
}

static void write_rows(const struct sl_fields *fields, const void *from, json_t *out)
{
    for (const struct sl_field_row *row = fields->rows; row->name; row++) {
        const void *at = (const char *)from + row->offset;
        if (row->kind == SL_FIELD_GROUP) {
            write_rows(row->inner, at, out);
            continue;
        }
        json_t *value =
            row->flags & SL_FIELD_SETTING ? setting_json(row, from) : value_json(row, at);
        if (value) json_object_set_new(out, row->name, value);
    }
}

json_t *sl_fields_write(const struct sl_fields *fields, const void *from)
{
    json_t *out = json_object();
    write_rows(fields, from, out);
    return out;
}

void sl_fields_copy(const struct sl_fields *fields, const void *from, void *out)
{
    /* A table can read back what it writes. */
    struct sl_json document = {.root = sl_fields_write(fields, from)};
    const struct sl_json_cursor root = sl_json_root(&document);
    const enum sl_status status = sl_fields_read(&root, fields, out, NULL);
    assert(status == SL_OK);
    (void)status;
    json_decref(document.root);
}

/* ---- Release ---- */

static void release_structs(const struct sl_fields *fields, void *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sl_fields_release(fields, (char *)items + i * fields->size);
    free(items);
}

static void release_map(const struct sl_fields *fields, void *at)
{
    struct sl_object_map map;
    memcpy(&map, at, sizeof map);
    for (size_t i = 0; i < map.count; i++)
        free(map.names[i]);
    free(map.names);
    release_structs(fields, map.items, map.count);
}

static void release_rows(const struct sl_fields *fields, void *of);

static void release_value(const struct sl_field_row *field, void *at)
{
    switch (field->kind) {
    case SL_FIELD_BOOLEAN:
    case SL_FIELD_INTEGER:
    case SL_FIELD_NUMBER:
    case SL_FIELD_NULL: break;
    case SL_FIELD_TEXT:
    case SL_FIELD_LINE: free(*(char **)at); break;
    case SL_FIELD_TEXTS:
    case SL_FIELD_LINES: {
        struct sl_text_list list;
        memcpy(&list, at, sizeof list);
        sl_text_list_release(&list);
        break;
    }
    case SL_FIELD_NUMBERS: free(((struct sl_double_list *)at)->items); break;
    case SL_FIELD_INTEGERS: free(((struct sl_integer_list *)at)->items); break;
    case SL_FIELD_OBJECT: {
        void *object = pointer_at(at);
        if (object) release_structs(field->inner, object, 1);
        break;
    }
    case SL_FIELD_OBJECTS: {
        struct sl_object_list list;
        memcpy(&list, at, sizeof list);
        release_structs(field->inner, list.items, list.count);
        break;
    }
    case SL_FIELD_MAP: release_map(field->inner, at); break;
    case SL_FIELD_FREE:
    case SL_FIELD_ANY: json_decref(*(json_t **)at); break;
    case SL_FIELD_GROUP:
    case SL_FIELD_SECTION: release_rows(field->inner, at); break;
    default: break; /* typed values are borrowed or stored in the struct */
    }
}

static void release_rows(const struct sl_fields *fields, void *of)
{
    for (const struct sl_field_row *row = fields->rows; row->name; row++)
        release_value(row, (char *)of + row->offset);
}

void sl_fields_release(const struct sl_fields *fields, void *of)
{
    release_rows(fields, of);
    memset(of, 0, fields->size);
}
