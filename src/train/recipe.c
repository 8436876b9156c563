/* Recipes from files: sections over sections, later ones winning. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/describe.h"
#include "softlab/base/memory.h"
#include "train/recipe_internal.h"

#define MAX_RECIPE_BYTES ((size_t)1 << 20)

/* What is wanted of a file. */
struct choice {
    const char *variant;
    const char *network; /* borrowed; the caller's, or NULL */
    const char *of_name; /* borrowed; what the name of the recipe holds, or NULL */
    const char *form;    /* borrowed; NULL: none */
};

static const char *const document_keys[] = {"softlab",  "version",  "name",   "source",
                                            "notes",    "settings", "as-run", "as-published",
                                            "networks", "forms",    NULL};
/* Sections that may stand among the keys of a network and of a form. */
static const char *const network_sections[] = {"as-run", "as-published", NULL};
static const char *const form_sections[] = {"as-run", "as-published", "networks", NULL};

/* The keys of an object, which may have `sections` beside them. */
static enum sl_status apply_keys(const struct sl_json_cursor *object, const char *const *sections,
                                 struct sl_recipe *recipe, struct sl_error *err)
{
    struct sl_recipe changed = *recipe;
    const char **known = sl_recipe_key_names(sections);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_json_only(object, known, err));
    for (const struct sl_field_row *key = sl_recipe_keys; key->name; key++) {
        struct sl_json_cursor member;
        SL_TRY_OUT(sl_json_optional(object, key->name, &member, err));
        if (member.value) SL_TRY_OUT(sl_field_read(key, &member, &changed, err));
    }
    *recipe = changed;
out:
    free(known);
    return status;
}

enum sl_status sl_recipe_overlay(struct sl_recipe *recipe, const struct sl_json_cursor *settings,
                                 struct sl_error *err)
{
    return apply_keys(settings, NULL, recipe, err);
}

/* Sections that were not chosen are applied to a copy, so that their mistakes are found too. */
static enum sl_status apply_variants(const struct sl_json_cursor *object,
                                     const struct choice *choice, struct sl_recipe *recipe,
                                     struct sl_error *err)
{
    for (const char *const *name = network_sections; *name; name++) {
        struct sl_recipe unused = *recipe;
        struct sl_json_cursor section;
        SL_TRY(sl_json_optional(object, *name, &section, err));
        if (!section.value) continue;
        const bool chosen = strcmp(*name, choice->variant) == 0;
        SL_TRY(apply_keys(&section, NULL, chosen ? recipe : &unused, err));
    }
    return SL_OK;
}

/* A member of an object by jansson's own key, which outlives the cursor. */
static struct sl_json_cursor member_of(const struct sl_json_cursor *object, const char *key,
                                       json_t *value)
{
    return (struct sl_json_cursor){
        .document = object->document, .parent = object, .key = key, .value = value};
}

/* The optional object `name` of `object`, for walking: value NULL if it is not there. */
static enum sl_status find_group(const struct sl_json_cursor *object, const char *name,
                                 struct sl_json_cursor *out, struct sl_error *err)
{
    SL_TRY(sl_json_optional(object, name, out, err));
    if (out->value && !json_is_object(out->value))
        return sl_json_fail(out, err, "expected an object");
    return SL_OK;
}

static enum sl_status apply_networks(const struct sl_json_cursor *object,
                                     const struct choice *choice, struct sl_recipe *recipe,
                                     struct sl_error *err)
{
    const struct sl_recipe base = *recipe;
    struct sl_json_cursor group;
    SL_TRY(find_group(object, "networks", &group, err));
    const char *network = choice->network ? choice->network : base.network;
    if (choice->of_name) network = choice->of_name;
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(group.value, name, value)
    {
        struct sl_recipe copy = base;
        const struct sl_json_cursor section = member_of(&group, name, value);
        SL_TRY(apply_keys(&section, network_sections, &copy, err));
        SL_TRY(apply_variants(&section, choice, &copy, err));
        if (strcmp(name, network) == 0) *recipe = copy;
    }
    return SL_OK;
}

static enum sl_status apply_forms(const struct sl_json_cursor *object, const struct choice *choice,
                                  struct sl_recipe *recipe, struct sl_error *err)
{
    const struct sl_recipe base = *recipe;
    struct sl_json_cursor group;
    SL_TRY(find_group(object, "forms", &group, err));
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(group.value, name, value)
    {
        struct sl_recipe copy = base;
        const struct sl_json_cursor section = member_of(&group, name, value);
        SL_TRY(apply_keys(&section, form_sections, &copy, err));
        SL_TRY(apply_variants(&section, choice, &copy, err));
        SL_TRY(apply_networks(&section, choice, &copy, err));
        if (choice->form && strcmp(name, choice->form) == 0) *recipe = copy;
    }
    return SL_OK;
}

static enum sl_status check_header(const struct sl_json_cursor *root, struct sl_error *err)
{
    struct sl_json_cursor kind, version;
    const char *word = NULL;
    int64_t number = 0;
    SL_TRY(sl_json_only(root, document_keys, err));
    SL_TRY(sl_json_member(root, "softlab", &kind, err));
    SL_TRY(sl_json_string(&kind, &word, err));
    if (strcmp(word, "recipe") != 0)
        return sl_json_fail(&kind, err, "expected \"recipe\": this file is something else");
    SL_TRY(sl_json_member(root, "version", &version, err));
    return sl_json_integer(&version, 1, 1, &number, err);
}

static enum sl_status check_prose(const struct sl_json_cursor *root, struct sl_error *err)
{
    struct sl_json_cursor source, notes;
    const char *text = NULL;
    size_t count = 0;
    SL_TRY(sl_json_optional(root, "source", &source, err));
    if (source.value) SL_TRY(sl_json_string(&source, &text, err));
    SL_TRY(sl_json_optional(root, "notes", &notes, err));
    if (notes.value) SL_TRY(sl_json_array_size(&notes, &count, err));
    for (size_t i = 0; i < count; i++) {
        const struct sl_json_cursor note = sl_json_element(&notes, i);
        SL_TRY(sl_json_string(&note, &text, err));
    }
    return SL_OK;
}

static enum sl_status file_name(const struct sl_json_cursor *root, const char **out,
                                struct sl_error *err)
{
    struct sl_json_cursor at;
    SL_TRY(sl_json_member(root, "name", &at, err));
    SL_TRY(sl_json_string(&at, out, err));
    if (**out == '\0' || strlen(*out) >= SL_RECIPE_TEXT_MAX)
        return sl_json_fail(&at, err, "expected a name of 1 to %d bytes", SL_RECIPE_TEXT_MAX - 1);
    return SL_OK;
}

/* "<form>" or "<network>-<form>". */
static bool find_form(const struct sl_json_cursor *root, const char *text, struct choice *out)
{
    json_t *forms = json_object_get(root->value, "forms"), *value = NULL;
    const char *network = NULL;
    out->form = text;
    if (json_object_get(forms, text)) return true;
    json_object_foreach(json_object_get(root->value, "networks"), network, value)
    {
        const size_t length = strlen(network);
        if (strncmp(text, network, length) != 0 || text[length] != '-') continue;
        out->of_name = network;
        out->form = text + length + 1;
        if (json_object_get(forms, out->form)) return true;
    }
    return false;
}

/* A recipe is called as its file is, or that, a hyphen, and its form. */
static enum sl_status split_name(const struct sl_json_cursor *root, const char *file,
                                 const char *called, struct choice *out, struct sl_error *err)
{
    const size_t length = strlen(file);
    if (strcmp(called, file) == 0) return SL_OK;
    if (strncmp(called, file, length) == 0 && called[length] == '-' &&
        find_form(root, called + length + 1, out))
        return SL_OK;
    return sl_json_fail(root, err, "this file does not describe \"%.60s\"", called);
}

static enum sl_status apply_document(const struct sl_json_cursor *root, const struct choice *choice,
                                     struct sl_recipe *recipe, struct sl_error *err)
{
    struct sl_json_cursor settings;
    SL_TRY(sl_json_member(root, "settings", &settings, err));
    SL_TRY(apply_keys(&settings, NULL, recipe, err));
    SL_TRY(apply_variants(root, choice, recipe, err));
    SL_TRY(apply_networks(root, choice, recipe, err));
    SL_TRY(apply_forms(root, choice, recipe, err));
    const char *network = choice->network   ? choice->network
                          : choice->of_name ? choice->of_name
                                            : recipe->network;
    if (strlen(network) >= SL_RECIPE_TEXT_MAX)
        return sl_fail(err, SL_ERR_USAGE, "the name of a network has at most %d bytes",
                       SL_RECIPE_TEXT_MAX - 1);
    memmove(recipe->network, network, strlen(network) + 1);
    return SL_OK;
}

static bool is_path(const char *name)
{
    return strchr(name, '/') || sl_path_has_suffix(name, ".json");
}

static enum sl_status unknown_recipe(const char *name, struct sl_error *err)
{
    size_t count = 0;
    while (sl_builtin_recipes[count].name)
        count++;
    const char **names = sl_alloc(count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = sl_builtin_recipes[i].name;
    enum sl_status status =
        sl_recipe_unknown(SL_ERR_NOT_FOUND, "no recipe is called", name, strlen(name), names, err);
    free(names);
    return status;
}

enum sl_status sl_recipe_document(const char *name, struct sl_json *out, struct sl_error *err)
{
    if (is_path(name)) return sl_json_read(name, MAX_RECIPE_BYTES, out, err);
    for (const struct sl_builtin_recipe *recipe = sl_builtin_recipes; recipe->name; recipe++)
        if (strcmp(recipe->name, name) == 0)
            return sl_json_parse(recipe->text, recipe->length, name, 1, out, err);
    return unknown_recipe(name, err);
}

enum sl_status sl_recipe_from_document(const struct sl_json *json, const char *called,
                                       const char *variant, const char *network,
                                       struct sl_recipe *out, struct sl_error *err)
{
    if (strcmp(variant, "as-run") != 0 && strcmp(variant, "as-published") != 0)
        return sl_fail(err, SL_ERR_USAGE, "expected the variant as-run or as-published, got \"%s\"",
                       variant);
    const struct sl_json_cursor root = sl_json_root(json);
    struct choice choice = {.variant = variant, .network = network};
    struct sl_recipe recipe = sl_recipe_default();
    const char *file = NULL;
    SL_TRY(check_header(&root, err));
    SL_TRY(check_prose(&root, err));
    SL_TRY(file_name(&root, &file, err));
    if (called) SL_TRY(split_name(&root, file, called, &choice, err));
    SL_TRY(apply_document(&root, &choice, &recipe, err));
    snprintf(recipe.name, sizeof recipe.name, "%s", called ? called : file);
    snprintf(recipe.variant, sizeof recipe.variant, "%s", variant);
    *out = recipe;
    return SL_OK;
}

enum sl_status sl_recipe_read_for(const char *name, const char *variant, const char *network,
                                  struct sl_recipe *out, struct sl_error *err)
{
    struct sl_json json;
    SL_TRY(sl_recipe_document(name, &json, err));
    enum sl_status status =
        sl_recipe_from_document(&json, is_path(name) ? NULL : name, variant, network, out, err);
    sl_json_release(&json);
    return status;
}

enum sl_status sl_recipe_read(const char *name, const char *variant, struct sl_recipe *out,
                              struct sl_error *err)
{
    return sl_recipe_read_for(name, variant, NULL, out, err);
}

/* ---- From text ---- */

enum sl_status sl_recipe_set(struct sl_recipe *recipe, const char *key, const char *value,
                             struct sl_error *err)
{
    const struct sl_field_row *row = sl_recipe_key_find(key);
    if (row) return sl_recipe_key_parse(row, value, recipe, err);
    const char **known = sl_recipe_key_names(NULL);
    const enum sl_status status =
        sl_recipe_unknown(SL_ERR_USAGE, "a recipe has no key", key, strlen(key), known, err);
    free(known);
    return status;
}

/* Length of the word at `at`, if '=' follows it; else 0. */
static size_t key_length(const char *at)
{
    size_t length = 0;
    while ((at[length] >= 'a' && at[length] <= 'z') || (at[length] >= 'A' && at[length] <= 'Z') ||
           at[length] == '_' || at[length] == '-' ||
           (length > 0 && at[length] >= '0' && at[length] <= '9'))
        length++;
    return at[length] == '=' ? length : 0;
}

enum sl_status sl_recipe_set_all(struct sl_recipe *recipe, const char *assignments,
                                 struct sl_error *err)
{
    struct sl_recipe changed = *recipe;
    const char *at = assignments;
    while (*at) {
        const size_t name_length = key_length(at);
        char shown[SL_DESCRIBE_SIZE];
        if (name_length == 0)
            return sl_fail(err, SL_ERR_USAGE, "expected key=value, got %s",
                           sl_describe_text(at, strlen(at), shown));
        const char *value = at + name_length + 1, *end = value;
        while (*end && !(*end == ',' && key_length(end + 1) > 0))
            end++;
        char *key = sl_string_copy_n(at, name_length);
        char *text = sl_string_copy_n(value, (size_t)(end - value));
        const enum sl_status status = sl_recipe_set(&changed, key, text, err);
        free(key);
        free(text);
        if (status != SL_OK) return status;
        at = *end ? end + 1 : end;
    }
    *recipe = changed;
    return SL_OK;
}

char *sl_recipe_network(const struct sl_recipe *recipe)
{
    const char *network = recipe->network, *options = recipe->network_options;
    if (!options[0]) return sl_string_copy(network);
    return sl_string_printf("%s%c%s", network, strchr(network, ':') ? ',' : ':', options);
}

json_t *sl_recipe_to_json(const struct sl_recipe *recipe)
{
    const struct sl_recipe plain = sl_recipe_default();
    json_t *object = json_object();
    for (const struct sl_field_row *key = sl_recipe_keys; key->name; key++) {
        json_t *value = sl_field_json(key, recipe);
        json_t *fallback = sl_field_json(key, &plain);
        if (!(key->flags & SL_FIELD_LATE) || !json_equal(value, fallback))
            json_object_set(object, key->name, value);
        json_decref(value);
        json_decref(fallback);
    }
    return object;
}
