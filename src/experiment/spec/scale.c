/* Scales. A scale is a patch that is applied to the specification's JSON before it is read. */
#include <string.h>

#include "experiment/plan/plan.h"
#include "experiment/spec/spec_internal.h"

/* ---- Applying ---- */

/* Keep only the members that the list names. */
static void keep(json_t *object, const json_t *list)
{
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(object, next, key, value)
    {
        if (!sl_plan_lists(list, key)) json_object_del(object, key);
    }
}

static void overlay(json_t *target, json_t *over)
{
    const char *key;
    json_t *value;
    json_object_foreach(over, key, value)
    {
        json_t *old = json_object_get(target, key);
        if (json_is_object(old) && json_is_object(value))
            overlay(old, value);
        else if (json_is_array(value) && strcmp(key, "sets") == 0)
            keep(old, value); /* NULL if only parts have sets */
        else
            json_object_set_new(target, key, json_deep_copy(value));
    }
}

/* A key of the scale also applies to each part that has the key. */
static void overlay_part(json_t *part, json_t *scale)
{
    const char *key;
    json_t *value;
    json_object_foreach(scale, key, value)
    {
        if (strcmp(key, "parts") == 0 || !json_object_get(part, key)) continue;
        json_t *one = json_object();
        json_object_set(one, key, value);
        overlay(part, one);
        json_decref(one);
    }
}

enum sl_status sl_spec_apply_scale(const struct sl_spec *spec, json_t *json, struct sl_error *err)
{
    if (!spec->written->scales.names) return SL_OK; /* nothing is trained at any scale */
    json_t *scale = json_object_get(json_object_get(json, "scales"), spec->scale), *part;
    if (!scale && strcmp(spec->scale, "paper") == 0) return SL_OK; /* as it is written */
    if (!scale)
        return sl_fail(err, SL_ERR_USAGE, "%s has no scale \"%s\"", spec->name, spec->scale);
    const char *name;
    json_object_foreach(json_object_get(json, "parts"), name, part)
    {
        overlay_part(part, scale);
    }
    overlay(json, scale);
    return SL_OK;
}

bool sl_spec_is_small(const struct sl_spec *spec)
{
    return spec->written->scales.names && strcmp(spec->scale, "paper") != 0;
}

/* ---- Comparing with the paper's runs ---- */

static enum sl_scale_kind worse(enum sl_scale_kind a, enum sl_scale_kind b)
{
    return a > b ? a : b;
}

/* How these changes affect a design, apart from changes to parts. Some keys only change the number
 * of runs; "networks" is one of them if it names only networks of the paper. */
static enum sl_scale_kind kind_of(json_t *changes, const struct sl_text_list *networks)
{
    static const char *const counts[] = {"networks", "seeds", "sets", "run_folds", NULL};
    enum sl_scale_kind kind = SL_RUNS_ALL;
    const char *key;
    json_t *value;
    json_object_foreach(changes, key, value)
    {
        size_t at = 0;
        if (strcmp(key, "parts") == 0) continue;
        while (counts[at] && strcmp(counts[at], key) != 0)
            at++;
        kind = worse(kind, counts[at] ? SL_RUNS_FEWER : SL_RUNS_OTHER);
        for (size_t i = 0; at == 0 && i < json_array_size(value); i++)
            if (!sl_text_list_has(networks, json_string_value(json_array_get(value, i))))
                kind = SL_RUNS_OTHER;
    }
    return kind;
}

/* The paper's networks of a part, or else of the whole. */
static const struct sl_text_list *networks_of(const struct sl_spec_body *written, const char *part)
{
    const struct sl_spec_parts *parts = &written->parts;
    const size_t place = part ? sl_names_place(parts->names, parts->count, part) : parts->count;
    const bool own = place < parts->count && parts->items[place].networks.items;
    return own ? &parts->items[place].networks : &written->design.networks;
}

enum sl_scale_kind sl_scale_kind_of(const struct sl_spec *spec, const char *part)
{
    json_t *scales = json_object_get(spec->document.root, "scales"), *own;
    json_t *scale = json_object_get(scales, spec->scale);
    const char *name;
    if (!sl_spec_is_small(spec)) return SL_RUNS_ALL;
    if (!scale) return SL_RUNS_OTHER;
    enum sl_scale_kind kind = kind_of(scale, networks_of(spec->written, part));
    json_object_foreach(json_object_get(scale, "parts"), name, own)
    {
        if (!part || strcmp(part, name) == 0)
            kind = worse(kind, kind_of(own, networks_of(spec->written, name)));
    }
    return kind;
}
