/* What a specification of one's own may leave out: the words of `needs`, and the table that its
 * sets and tests make. */
#include <stdlib.h>

#include "experiment/plan.h"
#include "experiment/spec_internal.h"
#include "softlab/base/memory.h"

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
    if (!json_object_get(spec, "needs")) json_object_set_new(spec, "needs", needs_of(spec));
    if (!json_object_get(spec, "table") && any_has(spec, "tests"))
        json_object_set_new(spec, "table", table_of(spec));
}
