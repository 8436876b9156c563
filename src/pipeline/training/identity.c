/* The identity of a run, for run.json: its settings and a hash of every input. A folder counts as
 * finished only for a run with the same inputs. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/training/train.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/system.h"
#include "softlab/nn/tuning.h"
#include "softlab/pipeline/weights.h"

static void hash_rows(struct sl_hasher *hasher, const struct sl_rows *rows)
{
    sl_hasher_number(hasher, rows->n_rows);
    sl_hasher_number(hasher, rows->n_classes);
    for (size_t i = 0; rows->items && i < rows->n_rows; i++)
        sl_hasher_text(hasher, rows->items[i]);
    for (size_t i = 0; rows->classes && i < rows->n_classes; i++)
        sl_hasher_text(hasher, rows->classes[i]);
    sl_hasher_add(hasher, rows->values, rows->n_rows * rows->n_classes * sizeof *rows->values);
}

/* Hash the dev set: its items, the split and the labels. */
static enum sl_status hash_dev(const struct sl_train_inputs *inputs, char out[SL_SHA256_TEXT],
                               struct sl_error *err)
{
    char items[SL_SHA256_TEXT];
    SL_TRY(sl_dataset_hash(inputs->dev.dataset, items, err));
    struct sl_hasher *hasher = sl_hasher_create();
    sl_hasher_text(hasher, items);
    for (size_t i = 0; i < sl_feeding_count(&inputs->dev); i++)
        sl_hasher_number(hasher, sl_feeding_item(&inputs->dev, i));
    if (inputs->dev_labels) hash_rows(hasher, inputs->dev_labels);
    sl_hasher_finish(hasher, out);
    return SL_OK;
}

static void hash_values(struct sl_model *model, char out[SL_SHA256_TEXT])
{
    struct sl_hasher *hasher = sl_hasher_create();
    sl_hasher_add(hasher, sl_model_values(model), sl_model_n_values(model) * sizeof(float));
    sl_hasher_add(hasher, sl_model_state(model), sl_model_n_state(model) * sizeof(float));
    sl_hasher_finish(hasher, out);
}

/* The weights file stores class names, so a run with other names is a different run. */
static json_t *names_of(const struct sl_model *model)
{
    char *const *names = sl_model_class_names(model);
    json_t *list = json_array();
    for (size_t k = 0; names && k < sl_model_classes(model); k++)
        json_array_append_new(list, json_string(names[k]));
    return list;
}

static void put(json_t *settings, const char *key, const char *hash)
{
    json_object_set_new(settings, key, json_string(hash));
}

enum sl_status sl_train_settings(const struct sl_train_job *job,
                                 const struct sl_train_inputs *inputs, json_t **out,
                                 struct sl_error *err)
{
    char hash[SL_SHA256_TEXT];
    json_t *settings = json_pack(
        "{s:s, s:s, s:o, s:I, s:s, s:I, s:I, s:o, s:i}", "recipe",
        inputs->recipe.name[0] ? inputs->recipe.name : "none", "variant", inputs->recipe.variant,
        "keys", sl_recipe_to_json(&inputs->recipe), "seed", (json_int_t)job->seed, "network",
        sl_model_spec(inputs->model), "items", (json_int_t)inputs->targets->n_items, "soft_items",
        (json_int_t)inputs->targets->n_soft, "classes", names_of(inputs->model), "arithmetic",
        SL_ARITHMETIC_VERSION);
    enum sl_status status = SL_OK;
    put(settings, "data_sha256", inputs->data_hash);
    sl_tuning_hash(inputs->tuning, hash);
    put(settings, "tuning_sha256", hash);
    sl_targets_hash(inputs->targets, hash);
    put(settings, "targets_sha256", hash);
    if (job->untrained) json_object_set_new(settings, "untrained", json_true());
    if (job->weights) {
        hash_values(inputs->model, hash);
        put(settings, "start_sha256", hash);
    }
    if (inputs->dev.dataset) {
        SL_TRY_OUT(hash_dev(inputs, hash, err));
        put(settings, "dev_sha256", hash);
    }
    if (job->mixing) {
        SL_TRY_OUT(sl_sha256_file(job->mixing, hash, err));
        put(settings, "mixing_sha256", hash);
    }
    *out = settings;
    settings = NULL;
out:
    json_decref(settings);
    return status;
}

/* ---- Differences ---- */

static const struct {
    const char *key, *words;
} words_of[] = {
    {"keys", "recipe settings"},
    {"data_sha256", "data"},
    {"targets_sha256", "labels or choice of items"},
    {"tuning_sha256", "kernel tuning"},
    {"start_sha256", "weights to begin with"},
    {"dev_sha256", "dev set"},
    {"mixing_sha256", "mixing functions"},
    {"untrained", "whether it is trained"},
    {"arithmetic", "version of softlab's arithmetic"},
};

static void say_key(struct sl_buffer *out, const char *key)
{
    const char *words = key;
    for (size_t i = 0; i < sizeof words_of / sizeof *words_of; i++)
        if (strcmp(words_of[i].key, key) == 0) words = words_of[i].words;
    sl_buffer_printf(out, "%s%s", out->length > 0 ? ", " : "", words);
}

char *sl_train_difference(json_t *was, json_t *now)
{
    struct sl_buffer out;
    const char *key;
    json_t *value;
    sl_buffer_init(&out, 4096);
    json_object_foreach(now, key, value)
    {
        if (!json_equal(value, json_object_get(was, key))) say_key(&out, key);
    }
    json_object_foreach(was, key, value)
    {
        if (!json_object_get(now, key)) say_key(&out, key);
    }
    if (out.length == 0) sl_buffer_text(&out, "settings");
    return out.data;
}
