/* Replaces the paths in a specification by absolute paths, since commands run in the results
 * folder. {spec}/x is in the specification's folder; x is in the folder where softlab was started,
 * or else in the specification's. */
#include <stdlib.h>
#include <string.h>

#include "experiment/plan/plan.h"
#include "experiment/spec/spec_internal.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"

static bool is_here(const char *path)
{
    return sl_file_exists(path) || sl_folder_exists(path);
}

/* The absolute path, which the caller frees; NULL if the file does not exist. */
static char *whole(const char *folder, const char *name)
{
    char *path = name[0] == '/' ? sl_string_copy(name) : sl_path_join(folder, name);
    char *found = is_here(path) ? sl_path_absolute(path) : NULL;
    free(path);
    return found;
}

/* {spec}/x need not exist: the command that reads it reports the error. */
static json_t *beside(const struct sl_spec *spec, const char *text)
{
    const char *name = text + strlen(SL_BESIDE_SPEC);
    char *near = sl_path_join(spec->folder, name), *path = sl_path_absolute(near);
    json_t *value = json_string(path);
    free(near);
    free(path);
    return value;
}

/* For "photos:train", a part of a folder, only the folder is looked up. */
static enum sl_status find(const struct sl_spec *spec, const char *text, json_t **out,
                           struct sl_error *err)
{
    const char *folder = spec->folder, *colon = strrchr(text, ':');
    const size_t length = is_here(text) || !colon ? strlen(text) : (size_t)(colon - text);
    char *name = sl_string_copy_n(text, length);
    char *here = whole(".", name), *there = whole(folder, name);
    enum sl_status status = SL_OK;
    if (here && there && !sl_path_same(here, there)) {
        status = sl_fail(err, SL_ERR_INPUT,
                         "%s: \"%s\" exists in this folder and also in the specification's; write "
                         "{spec}/%s or an absolute path",
                         spec->name, name, name);
    } else {
        const char *found = here ? here : there;
        char *path = sl_string_printf("%s%s", found ? found : name, text + length);
        *out = json_string(path);
        free(path);
    }
    free(name);
    free(here);
    free(there);
    return status;
}

/* A data set may be a folder. The name of a known data set always means that set, even if there is
 * a folder of the same name. */
static bool may_be_folder(const char *key, const char *text)
{
    static const char *const keys[] = {"data", "dev", "images"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0) return text[0] && !sl_plan_names_data(text);
    return false;
}

bool sl_word_names_file(const char *word)
{
    static const char *const suffixes[] = {".csv",  ".csv.gz", ".tsv", ".txt", ".jsonl",
                                           ".json", ".npz",    ".npy", ".slb"};
    if (word[0] == '-' || word[0] == '{' || word[0] == '@') return false;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (sl_path_has_suffix(word, suffixes[i])) return true;
    return false;
}

static enum sl_status place(const struct sl_spec *spec, const char *key, json_t *value,
                            json_t **out, struct sl_error *err);

static enum sl_status place_text(const struct sl_spec *spec, const char *key, json_t *value,
                                 json_t **out, struct sl_error *err)
{
    const char *text = json_string_value(value);
    const bool path = may_be_folder(key, text) || sl_word_names_file(text);
    if (strncmp(text, SL_BESIDE_SPEC, strlen(SL_BESIDE_SPEC)) == 0)
        *out = beside(spec, text);
    else if (path && !sl_spec_file_find(spec->written, text))
        return find(spec, text, out, err);
    else
        *out = json_incref(value);
    return SL_OK;
}

static enum sl_status place_list(const struct sl_spec *spec, const char *key, json_t *list,
                                 json_t **out, struct sl_error *err)
{
    json_t *placed = json_array();
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *entry = NULL;
        const enum sl_status status = place(spec, key, json_array_get(list, i), &entry, err);
        if (status != SL_OK) {
            json_decref(placed);
            return status;
        }
        json_array_append_new(placed, entry);
    }
    *out = placed;
    return SL_OK;
}

static enum sl_status place_object(const struct sl_spec *spec, json_t *object, json_t **out,
                                   struct sl_error *err)
{
    json_t *placed = json_object(), *member;
    const char *name;
    json_object_foreach(object, name, member)
    {
        json_t *value = NULL;
        const enum sl_status status = place(spec, name, member, &value, err);
        if (status != SL_OK) {
            json_decref(placed);
            return status;
        }
        json_object_set_new(placed, name, value);
    }
    *out = placed;
    return SL_OK;
}

static enum sl_status place(const struct sl_spec *spec, const char *key, json_t *value,
                            json_t **out, struct sl_error *err)
{
    if (json_is_string(value)) return place_text(spec, key, value, out, err);
    if (json_is_array(value)) return place_list(spec, key, value, out, err);
    if (json_is_object(value)) return place_object(spec, value, out, err);
    *out = json_incref(value);
    return SL_OK;
}

enum sl_status sl_spec_places(const struct sl_spec *spec, json_t *json, json_t **out,
                              struct sl_error *err)
{
    if (spec->folder) return place_object(spec, json, out, err);
    *out = json_incref(json);
    return SL_OK;
}
