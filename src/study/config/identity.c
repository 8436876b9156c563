#include "study/config/identity.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/hash.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "study/config/config.h"
#include "study/session/stimuli.h"

static const char bound_name[] = "bound";

/* The end of every refusal. */
#define INSTEAD "put it back, or make another study with softlab study init"

enum sl_status sl_identity_id(struct sl_store *store, char out[SL_STUDY_ID_TEXT],
                              struct sl_error *err)
{
    char *key = NULL, hash[SL_SHA256_TEXT];
    enum sl_status status = sl_store_get_text(store, SL_STIMULI_KEY, &key, err);
    *out = '\0';
    if (status == SL_ERR_NOT_FOUND) return SL_OK;
    if (status != SL_OK) return status;
    char *seed = sl_string_printf("softlab study id %s", key);
    sl_sha256(seed, strlen(seed), hash);
    memcpy(out, hash, SL_STUDY_ID_TEXT - 1);
    out[SL_STUDY_ID_TEXT - 1] = '\0';
    free(seed);
    free(key);
    return SL_OK;
}

static enum sl_status check_id(const struct sl_study *study, struct sl_store *store,
                               struct sl_error *err)
{
    char id[SL_STUDY_ID_TEXT];
    SL_TRY(sl_identity_id(store, id, err));
    if (!*study->id || !*id || strcmp(study->id, id) == 0) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT,
                   "id is \"%s\", but the database belongs to the study \"%s\": put the right file "
                   "back or, to use these settings here, change \"id\" to \"%s\"",
                   study->id, id, id);
}

/* ---- Keys of study.json that are fixed once there are answers ---- */

/* Fails, saying what is wrong, if `now` contradicts answers given under `then`. */
typedef enum sl_status (*rule)(struct sl_store *store, const char *key, const json_t *then,
                               const json_t *now, struct sl_error *err);

static enum sl_status same_list(struct sl_store *store, const char *key, const json_t *then,
                                const json_t *now, struct sl_error *err)
{
    (void)store;
    if (json_equal(then, now)) return SL_OK;
    if (json_array_size(then) != json_array_size(now))
        return sl_fail(err, SL_ERR_INPUT,
                       "%s has %zu name%s, but there are answers given when it had "
                       "%zu: " INSTEAD,
                       key, json_array_size(now), sl_text_plural(json_array_size(now), "", "s"),
                       json_array_size(then));
    size_t i = 0;
    while (json_equal(json_array_get(then, i), json_array_get(now, i)))
        i++;
    return sl_fail(err, SL_ERR_INPUT,
                   "name %zu of %s is \"%s\", but there are answers given "
                   "when it was \"%s\": " INSTEAD,
                   i + 1, key, json_string_value(json_array_get(now, i)),
                   json_string_value(json_array_get(then, i)));
}

static enum sl_status same_word(struct sl_store *store, const char *key, const json_t *then,
                                const json_t *now, struct sl_error *err)
{
    (void)store;
    if (json_equal(then, now)) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT,
                   "%s is \"%s\", but there are answers given when it was "
                   "\"%s\": " INSTEAD,
                   key, json_string_value(now), json_string_value(then));
}

static bool in_list(const json_t *list, const json_t *name)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_equal(json_array_get(list, i), name)) return true;
    return false;
}

static enum sl_status keeps_answered(struct sl_store *store, const char *key, const json_t *then,
                                     const json_t *now, struct sl_error *err)
{
    for (size_t i = 0; i < json_array_size(then); i++) {
        const json_t *name = json_array_get(then, i);
        bool answered = false;
        if (in_list(now, name)) continue;
        SL_TRY(sl_store_has_answers(store, json_string_value(name), NULL, &answered, err));
        if (answered)
            return sl_fail(err, SL_ERR_INPUT, "%s leaves out \"%s\", which has answers: " INSTEAD,
                           key, json_string_value(name));
    }
    return SL_OK;
}

/* Keys that are not listed may change at any time. Without answers everything may. */
static const struct {
    const char *section, *name; /* of study.json */
    const char *key;            /* its name in messages and in the database */
    rule check;
} rules[] = {
    {NULL, "classes", "classes", same_list},
    {NULL, "framing", "framing", same_word},
    {"items", "kind", "items.kind", same_word},
    {NULL, "screens", "screens", keeps_answered},
};
enum { N_RULES = sizeof rules / sizeof *rules };

/* A new object: the key of every rule with the study's value. */
static json_t *bound_of(const struct sl_study *study)
{
    json_t *config = sl_study_json(study), *bound = json_object();
    for (size_t i = 0; i < N_RULES; i++) {
        json_t *section = rules[i].section ? json_object_get(config, rules[i].section) : config;
        json_object_set(bound, rules[i].key, json_object_get(section, rules[i].name));
    }
    json_decref(config);
    return bound;
}

/* *out is a new object, or NULL if the database is not bound yet. */
static enum sl_status read_bound(struct sl_store *store, json_t **out, struct sl_error *err)
{
    char *text = NULL;
    struct sl_json document = {0};
    *out = NULL;
    enum sl_status status = sl_store_get_text(store, bound_name, &text, err);
    if (status == SL_ERR_NOT_FOUND) return SL_OK;
    if (status != SL_OK) return status;
    status =
        sl_json_parse(text, strlen(text), "the database's record of the study", 1, &document, err);
    if (status == SL_OK) *out = json_incref(document.root);
    sl_json_release(&document);
    free(text);
    return status;
}

static enum sl_status check_rules(const struct sl_study *study, struct sl_store *store,
                                  struct sl_error *err)
{
    json_t *then = NULL, *now = NULL;
    bool answered = false;
    SL_TRY(sl_store_has_answers(store, NULL, NULL, &answered, err));
    if (!answered) return SL_OK;
    SL_TRY(read_bound(store, &then, err));
    if (!then) return SL_OK;
    now = bound_of(study);
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < N_RULES; i++)
        SL_TRY_OUT(rules[i].check(store, rules[i].key, json_object_get(then, rules[i].key),
                                  json_object_get(now, rules[i].key), err));
out:
    json_decref(then);
    json_decref(now);
    return status;
}

enum sl_status sl_identity_check(const struct sl_study *study, struct sl_store *store,
                                 struct sl_error *err)
{
    enum sl_status status = check_id(study, store, err);
    if (status == SL_OK) status = check_rules(study, store, err);
    return status == SL_OK ? SL_OK : sl_fail_within(err, status, "%s/study.json", study->folder);
}

enum sl_status sl_identity_bind(const struct sl_study *study, struct sl_store *store,
                                struct sl_error *err)
{
    json_t *now = bound_of(study), *then = NULL;
    char *text = json_dumps(now, JSON_COMPACT | JSON_SORT_KEYS);
    enum sl_status status = SL_OK;
    if (!text) {
        status = sl_fail(err, SL_ERR_NOMEM, "no memory for the study's record");
        goto out;
    }
    SL_TRY_OUT(read_bound(store, &then, err));
    if (then && json_equal(then, now)) goto out;
    SL_TRY_OUT(sl_store_begin(store, err));
    status = sl_store_put_text(store, bound_name, text, err);
    if (status == SL_OK)
        status = sl_store_commit(store, err);
    else
        sl_store_rollback(store);
out:
    json_decref(then);
    json_decref(now);
    free(text);
    return status;
}

/* ---- Pictures ---- */

struct changed {
    char *id, hash[SL_SHA256_TEXT];
};

struct picture_walk {
    const struct sl_study *study;
    struct sl_store *store;
    struct changed *changed; /* owned; hashes that the database does not have yet */
    size_t n_changed, capacity;
    struct sl_error *err;
};

static char *picture_path(const struct sl_study *study, const struct sl_store_item *item)
{
    json_t *content = json_loads(item->content, 0, NULL);
    const char *file = json_string_value(json_object_get(content, "image"));
    char *path =
        file ? sl_string_printf("%s/%s/%s", study->folder, study->items_folder, file) : NULL;
    json_decref(content);
    return path;
}

static void note_changed(struct picture_walk *walk, const char *id, const char *hash)
{
    if (walk->n_changed == walk->capacity) {
        walk->capacity = walk->capacity * 2 + 64;
        walk->changed = sl_resize(walk->changed, walk->capacity, sizeof *walk->changed);
    }
    struct changed *one = &walk->changed[walk->n_changed++];
    one->id = sl_string_copy(id);
    memcpy(one->hash, hash, sizeof one->hash);
}

static enum sl_status other_picture(const char *path, struct sl_error *err)
{
    return sl_fail(err, SL_ERR_INPUT,
                   "%s has changed since people answered questions about it: " INSTEAD, path);
}

static enum sl_status check_picture(struct picture_walk *walk, const struct sl_store_item *item,
                                    const char *path)
{
    char hash[SL_SHA256_TEXT];
    bool answered = false;
    enum sl_status status = sl_sha256_file(path, hash, walk->err);
    if (status == SL_ERR_NOT_FOUND) return SL_OK;
    if (status != SL_OK) return status;
    if (item->hash && strcmp(item->hash, hash) == 0) return SL_OK;
    if (item->hash) SL_TRY(sl_store_has_answers(walk->store, NULL, item->id, &answered, walk->err));
    if (answered) return other_picture(path, walk->err);
    note_changed(walk, item->id, hash);
    return SL_OK;
}

static enum sl_status visit_picture(const struct sl_store_item *item, void *context)
{
    struct picture_walk *walk = context;
    char *path = picture_path(walk->study, item);
    enum sl_status status = path ? check_picture(walk, item, path) : SL_OK;
    free(path);
    return status;
}

static enum sl_status keep_hashes(const struct picture_walk *walk, struct sl_error *err)
{
    if (walk->n_changed == 0) return SL_OK;
    SL_TRY(sl_store_begin(walk->store, err));
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < walk->n_changed && status == SL_OK; i++)
        status =
            sl_store_set_item_hash(walk->store, walk->changed[i].id, walk->changed[i].hash, err);
    if (status == SL_OK) return sl_store_commit(walk->store, err);
    sl_store_rollback(walk->store);
    return status;
}

enum sl_status sl_identity_pictures(const struct sl_study *study, struct sl_store *store, bool keep,
                                    struct sl_error *err)
{
    struct picture_walk walk = {.study = study, .store = store, .err = err};
    enum sl_status status = sl_store_each_item(store, visit_picture, &walk, err);
    if (status == SL_OK && keep) status = keep_hashes(&walk, err);
    for (size_t i = 0; i < walk.n_changed; i++)
        free(walk.changed[i].id);
    free(walk.changed);
    return status;
}

enum sl_status sl_identity_picture(const char *path, const char *hash, struct sl_error *err)
{
    char found[SL_SHA256_TEXT];
    if (!hash) return SL_OK;
    SL_TRY(sl_sha256_file(path, found, err));
    return strcmp(found, hash) == 0 ? SL_OK : other_picture(path, err);
}

enum sl_status sl_study_check_pictures(const struct sl_study *study, struct sl_store *store,
                                       struct sl_error *err)
{
    json_t *bound = NULL;
    SL_TRY(read_bound(store, &bound, err));
    /* A database that is not bound yet has no hashes, and an older layout has no column for them.
     */
    if (!bound) return SL_OK;
    json_decref(bound);
    return sl_identity_pictures(study, store, false, err);
}

/* ---- Opening ---- */

enum sl_status sl_study_open(const struct sl_study *study, const struct sl_store_options *options,
                             struct sl_store **out, struct sl_error *err)
{
    struct sl_store *store = NULL;
    enum sl_status status = sl_store_open(study->database, options, &store, err);
    if (status != SL_OK) return status;
    status = sl_identity_check(study, store, err);
    if (status == SL_OK)
        *out = store;
    else
        sl_store_close(store);
    return status;
}

enum sl_status sl_study_store(const struct sl_study *study, bool read_only, struct sl_store **out,
                              struct sl_error *err)
{
    struct sl_store_options options = sl_store_options_default();
    options.read_only = read_only;
    return sl_study_open(study, &options, out, err);
}
