/* Whether the values of a specification are of the kinds that its keys may have. */
#include <stdlib.h>

#include "experiment/spec_fields.h"
#include "softlab/base/memory.h"

static bool all_are(const json_t *list, bool (*is)(const json_t *))
{
    size_t i;
    json_t *entry;
    json_array_foreach(list, i, entry) if (!is(entry)) return false;
    return json_is_array(list);
}

static bool is_text(const json_t *value)
{
    return json_is_string(value);
}

static bool is_number(const json_t *value)
{
    return json_is_number(value);
}

bool sl_spec_is_kind(const json_t *value, unsigned kinds)
{
    return (kinds & ANY) || ((kinds & NOTHING) && json_is_null(value)) ||
           ((kinds & TEXT) && json_is_string(value)) ||
           ((kinds & NUMBER) && json_is_number(value)) ||
           ((kinds & BOOLEAN) && json_is_boolean(value)) ||
           ((kinds & TEXTS) && all_are(value, is_text)) ||
           ((kinds & NUMBERS) && all_are(value, is_number)) ||
           ((kinds & (OBJECT | MAP)) && json_is_object(value)) ||
           ((kinds & OBJECTS) && json_is_array(value));
}

static const char *kind_words(unsigned kinds)
{
    static const struct {
        unsigned kinds;
        const char *words;
    } rows[] = {
        {NUMBERS | OBJECT, "a list of numbers or an object"},
        {TEXTS | OBJECT, "a list of texts or an object"},
        {TEXT | TEXTS | NOTHING, "text, a list of texts or null"},
        {TEXT | TEXTS, "text or a list of texts"},
        {TEXTS | NOTHING, "a list of texts or null"},
        {TEXT | NOTHING, "text or null"},
        {NUMBER | NOTHING, "a number or null"},
        {TEXT, "text"},
        {TEXTS, "a list of texts"},
        {NUMBER, "a number"},
        {NUMBERS, "a list of numbers"},
        {BOOLEAN, "true or false"},
        {OBJECTS, "a list of objects"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((kinds & ~(unsigned)REQUIRED) == rows[i].kinds) return rows[i].words;
    return "an object";
}

struct sl_json_cursor sl_spec_below(const struct sl_json_cursor *at, const char *key, json_t *value)
{
    return (struct sl_json_cursor){
        .document = at->document, .parent = at, .key = key, .value = value};
}

static enum sl_status check_inner(const struct sl_json_cursor *at,
                                  const struct sl_spec_field *field, struct sl_error *err)
{
    if ((field->kinds & OBJECT) && json_is_object(at->value))
        return sl_spec_check_fields(at, field->inner, err);
    if (field->kinds & OBJECTS) {
        for (size_t i = 0; i < json_array_size(at->value); i++) {
            const struct sl_json_cursor element = sl_json_element(at, i);
            SL_TRY(sl_spec_check_fields(&element, field->inner, err));
        }
    }
    if (field->kinds & MAP) {
        const char *key;
        json_t *value;
        json_object_foreach(at->value, key, value)
        {
            const struct sl_json_cursor member = sl_spec_below(at, key, value);
            SL_TRY(sl_spec_check_fields(&member, field->inner, err));
        }
    }
    return SL_OK;
}

static enum sl_status check_known(const struct sl_json_cursor *at,
                                  const struct sl_spec_field *fields, struct sl_error *err)
{
    size_t count = 0;
    while (fields[count].name)
        count++;
    const char **known = sl_alloc(count + 1, sizeof *known);
    for (size_t i = 0; i < count; i++)
        known[i] = fields[i].name;
    const enum sl_status status = sl_json_only(at, known, err);
    free(known);
    return status;
}

enum sl_status sl_spec_check_fields(const struct sl_json_cursor *at,
                                    const struct sl_spec_field *fields, struct sl_error *err)
{
    SL_TRY(check_known(at, fields, err));
    for (const struct sl_spec_field *field = fields; field->name; field++) {
        json_t *value = json_object_get(at->value, field->name);
        if (!value && !(field->kinds & REQUIRED)) continue;
        if (!value) return sl_json_fail(at, err, "\"%s\" is missing", field->name);
        const struct sl_json_cursor member = sl_spec_below(at, field->name, value);
        if (!sl_spec_is_kind(value, field->kinds))
            return sl_json_fail(&member, err, "expected %s", kind_words(field->kinds));
        SL_TRY(check_inner(&member, field, err));
    }
    return SL_OK;
}
