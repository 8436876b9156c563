#include <stdlib.h>
#include <string.h>

#include "experiment/plan/plan.h"
#include "experiment/spec/spec_internal.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { SPEC_LIMIT = 1 << 24 };

/* ---- Files ---- */

static enum sl_status read_text(const char *path, char **out, struct sl_error *err)
{
    if (!sl_file_exists(path)) return SL_OK;
    struct sl_buffer text;
    sl_buffer_init(&text, SPEC_LIMIT);
    const enum sl_status status = sl_file_read(path, &text, err);
    if (status == SL_OK) *out = sl_string_copy_n(text.length ? text.data : "", text.length);
    sl_buffer_release(&text);
    return status;
}

static enum sl_status read_folder(const char *name, struct sl_spec *spec, struct sl_error *err)
{
    const bool file = sl_path_has_suffix(name, ".json");
    const char *slash = strrchr(name, '/');
    char *folder = !file   ? sl_string_copy(name)
                   : slash ? sl_string_copy_n(name, (size_t)(slash - name))
                           : sl_string_copy(".");
    char *path = file ? sl_string_copy(name) : sl_path_join(folder, "spec.json");
    char *expected = sl_path_join(folder, "expected.csv");
    char *claims = sl_path_join(folder, "claims.csv");
    enum sl_status status = sl_json_read(path, SPEC_LIMIT, &spec->document, err);
    if (status == SL_OK) status = read_text(expected, &spec->expected, err);
    if (status == SL_OK) status = read_text(claims, &spec->claims, err);
    spec->folder = folder;
    free(path);
    free(expected);
    free(claims);
    return status;
}

static char *builtin_text(const char *name, const char *file)
{
    char *path = sl_path_join(name, file);
    const struct sl_builtin_experiment *found = sl_builtin_experiment_find(path);
    free(path);
    return found ? sl_string_copy_n(found->text, found->length) : NULL;
}

/* Suggests the nearest specification or paper; a paper's name means all its tables. */
static enum sl_status fail_name(const char *name, struct sl_error *err)
{
    char ending[SL_SUGGESTION_TEXT];
    char **names = sl_alloc(1, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; sl_builtin_specs[i]; i++) {
        const char *spec = sl_builtin_specs[i];
        names = sl_resize(names, count + 3, sizeof *names);
        names[count++] = sl_string_copy_n(spec, strcspn(spec, "/"));
        names[count++] = sl_string_copy(spec);
    }
    names[count] = NULL;
    const char *meant = sl_text_suggestion(name, (const char *const *)names, "", ending);
    sl_names_destroy(names);
    return sl_fail(err, SL_ERR_NOT_FOUND, "no experiment or folder is called \"%s\"%s", name,
                   meant);
}

static enum sl_status read_builtin(const char *name, struct sl_spec *spec, struct sl_error *err)
{
    char *path = sl_path_join(name, "spec.json");
    const struct sl_builtin_experiment *found = sl_builtin_experiment_find(path);
    enum sl_status status;
    if (found) {
        status = sl_json_parse(found->text, found->length, path, 1, &spec->document, err);
        spec->expected = builtin_text(name, "expected.csv");
        spec->claims = builtin_text(name, "claims.csv");
    } else {
        status = fail_name(name, err);
    }
    free(path);
    return status;
}

/* ---- Reading ---- */

/* Copy the keys of the whole into each part that does not set them. Keys that only reports use,
 * such as the scale's `stands_for`, are left out. */
static json_t *fill_parts(json_t *placed)
{
    json_t *whole = json_object(), *value;
    const char *key, *name;
    json_object_foreach(placed, key, value)
    {
        if (sl_fields_find(&sl_spec_fields, key)) json_object_set(whole, key, value);
    }
    json_t *parts = json_object(), *part;
    json_object_foreach(json_object_get(whole, "parts"), name, part)
    {
        json_t *filled = json_object();
        json_object_foreach(whole, key, value)
        {
            if (sl_fields_find(&sl_spec_design_fields, key)) json_object_set(filled, key, value);
        }
        json_object_update(filled, part);
        json_object_set_new(parts, name, filled);
    }
    if (json_object_get(whole, "parts")) json_object_set(whole, "parts", parts);
    json_decref(parts);
    return whole;
}

static enum sl_status read_body(const struct sl_spec *spec, json_t *json, struct sl_spec_body **out,
                                struct sl_error *err)
{
    const struct sl_json_cursor root = {.document = &spec->document, .value = json};
    struct sl_spec_body *body = sl_alloc(1, sizeof *body);
    const enum sl_status status = sl_fields_read(&root, &sl_spec_fields, body, err);
    if (status == SL_OK)
        *out = body;
    else
        free(body);
    return status;
}

/* Read the specification as it is run: scale applied, absolute paths, parts and defaults filled in.
 */
static enum sl_status read_planned(struct sl_spec *spec, struct sl_error *err)
{
    json_t *scaled = json_deep_copy(spec->document.root), *placed = NULL, *filled = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_spec_apply_scale(spec, scaled, err));
    SL_TRY_OUT(sl_spec_places(spec, scaled, &placed, err));
    filled = fill_parts(placed);
    SL_TRY_OUT(read_body(spec, filled, &spec->body, err));
    sl_spec_complete(spec->body);
out:
    json_decref(filled);
    json_decref(placed);
    json_decref(scaled);
    return status;
}

/* Check and complete a specification whose JSON is parsed and whose scale is set. */
static enum sl_status finish(struct sl_spec *spec, struct sl_error *err)
{
    const struct sl_json_cursor root = sl_json_root(&spec->document);
    if (!json_is_object(root.value)) return sl_json_fail(&root, err, "expected an object");
    SL_TRY(read_body(spec, root.value, &spec->written, err));
    SL_TRY(sl_spec_check(spec->written, &root, err));
    spec->name = sl_string_copy(spec->written->name);
    SL_TRY(read_planned(spec, err));
    spec->brief = sl_brief_create(spec);
    return SL_OK;
}

enum sl_status sl_spec_read(const char *name, const char *scale, struct sl_spec **out,
                            struct sl_error *err)
{
    struct sl_spec *spec = sl_alloc(1, sizeof *spec);
    enum sl_status status = SL_OK;
    spec->scale = sl_string_copy(scale);
    if (sl_path_has_suffix(name, ".json") || sl_folder_exists(name))
        SL_TRY_OUT(read_folder(name, spec, err));
    else
        SL_TRY_OUT(read_builtin(name, spec, err));
    SL_TRY_OUT(finish(spec, err));
    *out = spec;
    return SL_OK;
out:
    sl_spec_destroy(spec);
    return status;
}

/* ---- Result lines ---- */

json_t *sl_spec_record(const struct sl_spec *spec)
{
    char key[65];
    json_t *named = json_pack("{s:s}", "spec", spec->name);
    sl_json_hash(named, key);
    json_decref(named);
    return json_pack("{s:s, s:i, s:s, s:s, s:O, s:s*, s:s*}", "softlab", "spec", "version", 1,
                     "key", key, "spec", spec->name, "document", spec->document.root, "expected",
                     spec->expected, "claims", spec->claims);
}

static char *record_text(const json_t *record, const char *key)
{
    const char *text = json_string_value(json_object_get(record, key));
    return text ? sl_string_copy(text) : NULL;
}

enum sl_status sl_spec_from_record(const json_t *record, const char *scale, struct sl_spec **out,
                                   struct sl_error *err)
{
    struct sl_spec *spec = sl_alloc(1, sizeof *spec);
    const char *name = json_string_value(json_object_get(record, "spec"));
    char *text = json_dumps(json_object_get(record, "document"), JSON_INDENT(1));
    enum sl_status status = SL_OK;
    spec->scale = sl_string_copy(scale);
    spec->expected = record_text(record, "expected");
    spec->claims = record_text(record, "claims");
    if (!text) {
        status = sl_fail(err, SL_ERR_INPUT, "the results hold no document of the specification %s",
                         name ? name : "without a name");
        goto out;
    }
    SL_TRY_OUT(sl_json_parse(text, strlen(text), name, 1, &spec->document, err));
    SL_TRY_OUT(finish(spec, err));
    *out = spec;
    spec = NULL;
out:
    free(text);
    sl_spec_destroy(spec);
    return status;
}

static void destroy_body(struct sl_spec_body *body)
{
    if (body) sl_fields_release(&sl_spec_fields, body);
    free(body);
}

void sl_spec_destroy(struct sl_spec *spec)
{
    if (!spec) return;
    destroy_body(spec->written);
    destroy_body(spec->body);
    free(spec->name);
    free(spec->scale);
    sl_json_release(&spec->document);
    sl_brief_destroy(spec->brief);
    free(spec->expected);
    free(spec->claims);
    free(spec->folder);
    free(spec);
}
