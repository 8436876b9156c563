/* Checkpoints: a safetensors file with the flat buffers and a SHA-256 of its whole content. A file
 * that is incomplete or altered is refused. */
#include <stdlib.h>
#include <string.h>

#include "nn/files/weights.h"
#include "softlab/base/hash.h"
#include "softlab/base/json.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/nn/weights.h"

enum { TEXT_LIMIT = 1 << 28 };
static const char values_name[] = "values", state_name[] = "state";

enum { KEY_CHECKPOINT = SL_NN_N_METADATA, KEY_PROGRESS, N_HASHED, KEY_HASH = N_HASHED, N_KEYS };
static const char checkpoint_version[] = "1";

static const char *key_name(size_t key)
{
    static const char *const own[] = {[KEY_CHECKPOINT - SL_NN_N_METADATA] = "checkpoint",
                                      [KEY_PROGRESS - SL_NN_N_METADATA] = "progress",
                                      [KEY_HASH - SL_NN_N_METADATA] = "sha256"};
    return key < SL_NN_N_METADATA ? sl_nn_metadata_keys[key] : own[key - SL_NN_N_METADATA];
}

/* One tensor of the file: a flat buffer of the training run. */
struct part {
    char *name;    /* owned */
    float *values; /* borrowed from the training run */
    size_t count;
    const char *role;    /* what messages call it; borrowed */
    struct sl_array was; /* owned; the content of the file */
};

struct parts {
    struct part *list; /* owned; by name */
    size_t count;
};

static int compare_parts(const void *a, const void *b)
{
    const struct part *left = a, *right = b;
    return strcmp(left->name, right->name);
}

static void parts_init(struct parts *parts, const struct sl_model *model,
                       const struct sl_checkpoint_buffer *buffers, size_t n_buffers)
{
    parts->count = n_buffers + 2;
    parts->list = sl_alloc(parts->count, sizeof *parts->list);
    parts->list[0] = (struct part){.name = sl_string_copy(values_name),
                                   .values = model->values,
                                   .count = model->n_values,
                                   .role = values_name};
    parts->list[1] = (struct part){.name = sl_string_copy(state_name),
                                   .values = model->state,
                                   .count = model->n_state,
                                   .role = state_name};
    for (size_t i = 0; i < n_buffers; i++)
        parts->list[i + 2] = (struct part){.name = sl_string_printf("buffer.%s", buffers[i].name),
                                           .values = buffers[i].values,
                                           .count = buffers[i].count,
                                           .role = buffers[i].name};
    qsort(parts->list, parts->count, sizeof *parts->list, compare_parts);
}

static void parts_release(struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        free(parts->list[i].name);
        sl_array_release(&parts->list[i].was);
    }
    free(parts->list);
}

static const float *part_now(const struct part *part)
{
    return part->values;
}

static const float *part_read(const struct part *part)
{
    return part->was.data;
}

/* The hash of the texts and of the name, size and hash of every part, sorted by name. */
static void hash_of(const struct parts *parts, const float *(*data)(const struct part *),
                    const char *const texts[N_HASHED], char out[SL_SHA256_TEXT])
{
    struct sl_buffer all;
    sl_buffer_init(&all, TEXT_LIMIT);
    for (size_t i = 0; i < N_HASHED; i++)
        if (texts[i])
            sl_buffer_printf(&all, "%s %zu %s\n", key_name(i), strlen(texts[i]), texts[i]);
    for (size_t i = 0; i < parts->count; i++) {
        const struct part *part = &parts->list[i];
        char hash[SL_SHA256_TEXT];
        sl_sha256(data(part), part->count * sizeof(float), hash);
        sl_buffer_printf(&all, "%s %zu %s\n", part->name, part->count, hash);
    }
    sl_sha256(all.data, all.length, out);
    sl_buffer_release(&all);
}

static enum sl_status check_progress(const char *path, const char *text, struct sl_error *err)
{
    struct sl_json json = {0};
    struct sl_error reason;
    enum sl_status status = sl_json_parse(text, strlen(text), "progress", 1, &json, &reason);
    sl_json_release(&json);
    if (status == SL_OK) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE, "%s: %s", path, reason.message);
}

enum sl_status sl_checkpoint_write(const char *path, struct sl_model *model,
                                   const struct sl_checkpoint_buffer *buffers, size_t n_buffers,
                                   const char *progress_json, struct sl_error *err)
{
    SL_TRY(check_progress(path, progress_json, err));
    char *described[SL_NN_N_METADATA], hash[SL_SHA256_TEXT];
    const char *texts[N_KEYS] = {
        [KEY_CHECKPOINT] = checkpoint_version, [KEY_PROGRESS] = progress_json, [KEY_HASH] = hash};
    struct sl_metadata metadata[N_KEYS];
    struct parts parts;
    parts_init(&parts, model, buffers, n_buffers);
    struct sl_array *arrays = sl_alloc(parts.count, sizeof *arrays);
    struct sl_named_array *tensors = sl_alloc(parts.count, sizeof *tensors);
    for (size_t i = 0; i < parts.count; i++) {
        const struct part *part = &parts.list[i];
        arrays[i] = (struct sl_array){.dtype = SL_F4,
                                      .item_size = sizeof(float),
                                      .n_dimensions = 1,
                                      .shape = {part->count},
                                      .data = part->values};
        tensors[i] = (struct sl_named_array){part->name, &arrays[i]};
    }
    sl_nn_metadata_describe(model, described);
    for (size_t i = 0; i < SL_NN_N_METADATA; i++)
        texts[i] = described[i];
    hash_of(&parts, part_now, texts, hash);
    size_t n_metadata = 0;
    for (size_t i = 0; i < N_KEYS; i++)
        if (texts[i]) metadata[n_metadata++] = (struct sl_metadata){key_name(i), texts[i]};
    enum sl_status status =
        sl_safetensors_write(path, tensors, parts.count, metadata, n_metadata, err);
    sl_strings_release(described, SL_NN_N_METADATA);
    free(tensors);
    free(arrays);
    parts_release(&parts);
    return status;
}

/* ---- Reading ---- */

/* Find the metadata, borrowed, and check that they are complete and of a version that we read. */
static enum sl_status find_texts(const struct sl_safetensors *file, const char *path,
                                 const struct sl_model *model, const char *texts[N_KEYS],
                                 struct sl_error *err)
{
    for (size_t i = 0; i < N_KEYS; i++) {
        texts[i] = sl_safetensors_metadata(file, key_name(i));
        if (!texts[i] && i != SL_NN_METADATA_NAMES)
            return sl_fail(err, SL_ERR_INPUT, "%s is not a checkpoint: its metadata has no \"%s\"",
                           path, key_name(i));
    }
    if (strcmp(texts[KEY_CHECKPOINT], checkpoint_version) != 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s is a checkpoint of version %.20s; this softlab reads version %s", path,
                       texts[KEY_CHECKPOINT], checkpoint_version);
    return sl_nn_metadata_check(file, path, model, err);
}

/* Check that network, input and classes equal the model's. */
static enum sl_status check_described(const char *path, const struct sl_model *model,
                                      const char *const texts[N_KEYS], struct sl_error *err)
{
    static const size_t keys[] = {SL_NN_METADATA_CLASSES, SL_NN_METADATA_NAMES,
                                  SL_NN_METADATA_INPUT, SL_NN_METADATA_NORMALISE};
    char *own[SL_NN_N_METADATA];
    enum sl_status status = SL_OK;
    sl_nn_metadata_describe(model, own);
    for (size_t i = 0; i < sizeof keys / sizeof *keys && status == SL_OK; i++) {
        const char *was = texts[keys[i]], *now = own[keys[i]];
        /* Only class names may be absent. */
        if (was && now && strcmp(was, now) != 0)
            status = sl_fail(err, SL_ERR_INPUT, "%s: \"%s\" is %.150s, but the network has %.150s",
                             path, key_name(keys[i]), was, now);
    }
    sl_strings_release(own, SL_NN_N_METADATA);
    return status;
}

static enum sl_status read_part(struct sl_safetensors *file, const char *path, struct part *part,
                                struct sl_error *err)
{
    enum sl_status status = sl_safetensors_read(file, part->name, &part->was, err);
    if (status == SL_ERR_NOT_FOUND)
        return sl_fail(err, SL_ERR_INPUT, "%s has no %s, which this training needs", path,
                       part->role);
    if (status != SL_OK) return status;
    if (part->was.dtype != SL_F4 || part->was.n_dimensions != 1)
        return sl_fail(err, SL_ERR_INPUT, "%s: %s is not a row of 32-bit floats", path, part->role);
    if (part->was.shape[0] != part->count)
        return sl_fail(err, SL_ERR_INPUT, "%s: %s has %zu number%s, but this training needs %zu",
                       path, part->role, part->was.shape[0],
                       sl_text_plural(part->was.shape[0], "", "s"), part->count);
    return SL_OK;
}

static enum sl_status check_no_others(const struct sl_safetensors *file, const char *path,
                                      const struct parts *parts, struct sl_error *err)
{
    for (size_t i = 0; i < sl_safetensors_count(file); i++) {
        const struct part key = {.name = sl_string_copy(sl_safetensors_name(file, i))};
        const bool known =
            bsearch(&key, parts->list, parts->count, sizeof *parts->list, compare_parts) != NULL;
        free(key.name);
        if (!known)
            return sl_fail(err, SL_ERR_INPUT,
                           "%s has a tensor %s, which this training does not have", path,
                           sl_safetensors_name(file, i));
    }
    return SL_OK;
}

static enum sl_status check_hash(const char *path, const struct parts *parts,
                                 const char *const texts[N_KEYS], struct sl_error *err)
{
    char hash[SL_SHA256_TEXT];
    hash_of(parts, part_read, texts, hash);
    if (strcmp(hash, texts[KEY_HASH]) == 0) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT,
                   "%s was altered after it was written: its SHA-256 does not match its content",
                   path);
}

enum sl_status sl_checkpoint_read(const char *path, struct sl_model *model,
                                  const struct sl_checkpoint_buffer *buffers, size_t n_buffers,
                                  char **progress_json, struct sl_error *err)
{
    struct sl_safetensors *file = NULL;
    const char *texts[N_KEYS];
    struct parts parts;
    SL_TRY(sl_safetensors_open(path, &file, err));
    parts_init(&parts, model, buffers, n_buffers);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(find_texts(file, path, model, texts, err));
    SL_TRY_OUT(check_described(path, model, texts, err));
    for (size_t i = 0; i < parts.count; i++)
        SL_TRY_OUT(read_part(file, path, &parts.list[i], err));
    SL_TRY_OUT(check_no_others(file, path, &parts, err));
    SL_TRY_OUT(check_hash(path, &parts, texts, err));
    for (size_t i = 0; i < parts.count; i++) {
        const struct part *part = &parts.list[i];
        if (part->count) memcpy(part->values, part->was.data, part->count * sizeof(float));
    }
    sl_model_touch(model);
    *progress_json = sl_string_copy(texts[KEY_PROGRESS]);
out:
    parts_release(&parts);
    sl_safetensors_close(file);
    return status;
}
