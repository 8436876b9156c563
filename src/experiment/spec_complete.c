/* What a specification of one's own may leave out: the words of `needs`, those that make labels of
 * answers, and the table that its sets and tests make. */
#include <stdlib.h>
#include <string.h>

#include "experiment/plan.h"
#include "experiment/spec_internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/crowd.h"
#include "softlab/label.h"

/* ---- Labels ---- */

bool sl_spec_knows_method(const char *name, struct sl_error *err)
{
    const char *names[128] = {NULL};
    size_t count = 0;
    for (const struct sl_label_method *m = sl_label_methods; m->name && count < 64; m++)
        names[count++] = m->name;
    for (const struct sl_aggregator *a = sl_aggregators; a->name && count < 127; a++)
        names[count++] = a->name;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    const struct sl_aggregator *aggregator = sl_aggregator_known_as(name);
    const struct sl_label_method *method = sl_label_method_known_as(name);
    if (aggregator || method) {
        (void)sl_fail(err, SL_ERR_NOT_FOUND, "\"%s\" is called \"%s\" here", name,
                      aggregator ? aggregator->name : method->name);
        return false;
    }
    const char *near = sl_text_nearest(name, names);
    (void)sl_fail(err, SL_ERR_NOT_FOUND, "no label method is called \"%s\"%s%s%s", name,
                  near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    return false;
}

static void add_option(json_t *words, const char *name, const json_t *value)
{
    char number[SL_NUMBER_TEXT];
    if (json_is_false(value) || json_is_null(value)) return;
    char *option = sl_string_printf("--%s", name);
    json_array_append_new(words, json_string(option));
    free(option);
    if (json_is_string(value)) {
        json_array_append_new(words, json_string(json_string_value(value)));
    } else if (json_is_number(value)) {
        sl_text_from_double(json_number_value(value), number);
        json_array_append_new(words, json_string(number));
    }
}

json_t *sl_spec_label_words(const json_t *set)
{
    json_t *answers = json_object_get(set, "answers"), *value;
    const char *name;
    if (!answers) return json_null();
    json_t *words =
        json_pack("[s, O, s, O]", "labels", answers, "--method", json_object_get(set, "method"));
    json_object_foreach(json_object_get(set, "options"), name, value)
    {
        add_option(words, name, value);
    }
    return words;
}

static void complete_set(json_t *set)
{
    if (!json_object_get(set, "labels"))
        json_object_set_new(set, "labels", sl_spec_label_words(set));
}

static void complete_sets(json_t *design)
{
    static const char *const keys[] = {"sets", "references"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *name;
        json_t *set;
        json_object_foreach(json_object_get(design, keys[i]), name, set)
        {
            complete_set(set);
            if (json_object_get(set, "extra")) complete_set(json_object_get(set, "extra"));
        }
    }
}

/* ---- Needs and table ---- */

static bool any_has(const json_t *spec, const char *key)
{
    const char *name;
    json_t *part;
    if (json_object_get(spec, key)) return true;
    json_object_foreach(json_object_get(spec, "parts"), name, part)
    {
        if (json_object_get(part, key)) return true;
    }
    return false;
}

static json_t *needs_of(const json_t *spec)
{
    static const char *const computed[] = {"compute", "further", "show"};
    json_t *needs = json_array();
    bool labels = false;
    for (size_t i = 0; i < sizeof computed / sizeof *computed; i++)
        labels = labels || json_object_get(spec, computed[i]);
    if (any_has(spec, "sets")) json_array_append_new(needs, json_string("train"));
    if (labels) json_array_append_new(needs, json_string("labels"));
    return needs;
}

static void add_once(json_t *list, const char *text)
{
    if (!sl_plan_lists(list, text)) json_array_append_new(list, json_string(text));
}

/* A column for every measure of every test. */
static void add_columns(json_t *columns, const json_t *design)
{
    const char *test;
    json_t *value;
    json_object_foreach(json_object_get(design, "tests"), test, value)
    {
        const json_t *metrics = json_object_get(value, "metrics");
        for (size_t i = 0; i < json_array_size(metrics); i++) {
            char *column =
                sl_string_printf("%s/%s", test, json_string_value(json_array_get(metrics, i)));
            add_once(columns, column);
            free(column);
        }
    }
}

static bool has_several_networks(const json_t *spec)
{
    const char *name;
    json_t *part;
    if (json_array_size(json_object_get(spec, "networks")) > 1) return true;
    json_object_foreach(json_object_get(spec, "parts"), name, part)
    {
        if (json_array_size(json_object_get(part, "networks")) > 1) return true;
    }
    return false;
}

static json_t *table_of(const json_t *spec)
{
    json_t *rows = json_array(), *columns = json_array();
    json_t *pool = json_pack("[s, s]", "seed", "fold");
    const char *name;
    json_t *part;
    if (json_object_get(spec, "parts")) json_array_append_new(rows, json_string("part"));
    json_array_append_new(rows, json_string("set"));
    if (has_several_networks(spec))
        json_array_append_new(rows, json_string("network"));
    else
        json_array_append_new(pool, json_string("network"));
    add_columns(columns, spec);
    json_object_foreach(json_object_get(spec, "parts"), name, part)
    {
        add_columns(columns, part);
    }
    return json_pack("{s:o, s:o, s:o, s:s, s:{}}", "rows", rows, "columns", columns, "pool", pool,
                     "interval", "t95", "cells");
}

void sl_spec_complete(json_t *spec)
{
    const char *name;
    json_t *part;
    complete_sets(spec);
    json_object_foreach(json_object_get(spec, "parts"), name, part)
    {
        complete_sets(part);
    }
    if (!json_object_get(spec, "needs")) json_object_set_new(spec, "needs", needs_of(spec));
    if (!json_object_get(spec, "table") && any_has(spec, "tests"))
        json_object_set_new(spec, "table", table_of(spec));
}
