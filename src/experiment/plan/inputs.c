#include "experiment/plan/inputs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/experiment.h"

/* Hashes of smaller inputs are not cached. */
enum { LARGE = 4 << 20, MEMORY_LIMIT = 1 << 26 };
/* A file that changed this recently may change again within the resolution of its time stamp. */
enum { SETTLED_SECONDS = 2 };

void sl_inputs_init(struct sl_inputs *inputs, const char *path)
{
    struct sl_json json = {0};
    *inputs = (struct sl_inputs){.path = path ? sl_string_copy(path) : NULL};
    if (path && sl_file_exists(path) && sl_json_read(path, MEMORY_LIMIT, &json, NULL) == SL_OK &&
        json_is_object(json.root))
        inputs->memory = json_incref(json.root);
    else
        inputs->memory = json_object();
    sl_json_release(&json);
}

void sl_inputs_release(struct sl_inputs *inputs)
{
    if (inputs->path && inputs->changed) (void)!sl_json_write(inputs->memory, inputs->path, NULL);
    free(inputs->path);
    json_decref(inputs->memory);
    *inputs = (struct sl_inputs){0};
}

/* ---- Signatures ---- */

/* Size, times and inodes of files. */
struct look {
    struct sl_hasher *hasher;
    uint64_t bytes;
    time_t newest;
};

static void look_at(struct look *look, const char *path)
{
    struct stat info;
    sl_hasher_text(look->hasher, path);
    if (stat(path, &info) != 0) return;
    sl_hasher_number(look->hasher, (uint64_t)info.st_size);
    sl_hasher_number(look->hasher, (uint64_t)info.st_mtim.tv_sec);
    sl_hasher_number(look->hasher, (uint64_t)info.st_mtim.tv_nsec);
    sl_hasher_number(look->hasher, (uint64_t)info.st_ino);
    look->bytes += (uint64_t)info.st_size;
    if (info.st_mtime > look->newest) look->newest = info.st_mtime;
}

/* An input whose hash may be cached. */
struct subject {
    const char *name; /* borrowed; the key in the cache */
    char signature[SL_SHA256_TEXT];
    bool worth_it; /* large, and unchanged for long enough */
};

static void finish_look(struct look *look, struct subject *subject)
{
    sl_hasher_finish(look->hasher, subject->signature);
    subject->worth_it = look->bytes >= LARGE && look->newest + SETTLED_SECONDS < time(NULL);
}

static bool recall(const struct sl_inputs *inputs, const struct subject *subject, char *out)
{
    const json_t *known = json_object_get(inputs->memory, subject->name);
    const char *signature = json_string_value(json_array_get(known, 0));
    const char *hash = json_string_value(json_array_get(known, 1));
    if (!subject->worth_it || !signature || !hash || strlen(hash) != SL_SHA256_TEXT - 1 ||
        strcmp(signature, subject->signature) != 0)
        return false;
    memcpy(out, hash, SL_SHA256_TEXT);
    return true;
}

static void remember(struct sl_inputs *inputs, const struct subject *subject, const char *hash)
{
    if (!subject->worth_it) return;
    json_object_set_new(inputs->memory, subject->name,
                        json_pack("[s, s]", subject->signature, hash));
    inputs->changed = true;
}

/* ---- Files and folders ---- */

static enum sl_status hash_folder(struct sl_inputs *inputs, const char *path,
                                  char out[SL_SHA256_TEXT], struct sl_error *err)
{
    char **names = NULL;
    size_t count = 0;
    SL_TRY(sl_folder_list(path, &names, &count, err));
    struct sl_hasher *hasher = sl_hasher_create();
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < count && status == SL_OK; i++) {
        char *below = sl_path_join(path, names[i]), hash[SL_SHA256_TEXT];
        status = sl_inputs_hash_path(inputs, below, hash, err);
        sl_hasher_text(hasher, names[i]);
        if (status == SL_OK) sl_hasher_text(hasher, hash);
        free(below);
    }
    char hash[SL_SHA256_TEXT];
    sl_hasher_finish(hasher, hash);
    if (status == SL_OK) memcpy(out, hash, sizeof hash);
    sl_names_destroy(names);
    return status;
}

enum sl_status sl_inputs_hash_path(struct sl_inputs *inputs, const char *path,
                                   char out[SL_SHA256_TEXT], struct sl_error *err)
{
    if (sl_folder_exists(path)) return hash_folder(inputs, path, out, err);
    struct look look = {.hasher = sl_hasher_create()};
    struct subject subject = {.name = path};
    look_at(&look, path);
    finish_look(&look, &subject);
    if (recall(inputs, &subject, out)) return SL_OK;
    SL_TRY(sl_sha256_file(path, out, err));
    remember(inputs, &subject, out);
    return SL_OK;
}

/* ---- Data sets ---- */

enum sl_status sl_inputs_hash_dataset(struct sl_inputs *inputs, const struct sl_dataset *dataset,
                                      char out[SL_SHA256_TEXT], struct sl_error *err)
{
    if (!dataset->files) return sl_dataset_hash(dataset, out, err);
    struct look look = {.hasher = sl_hasher_create()};
    struct subject subject = {.name = dataset->name};
    for (size_t i = 0; i < dataset->count; i++) {
        look_at(&look, dataset->files[i]);
        sl_hasher_text(look.hasher, dataset->items[i]);
        sl_hasher_number(look.hasher, (uint64_t)(int64_t)dataset->labels[i]);
    }
    for (size_t i = 0; i < dataset->n_classes; i++)
        sl_hasher_text(look.hasher, dataset->classes[i]);
    finish_look(&look, &subject);
    if (recall(inputs, &subject, out)) return SL_OK;
    SL_TRY(sl_dataset_hash(dataset, out, err));
    remember(inputs, &subject, out);
    return SL_OK;
}

/* ---- Published inputs ---- */

const char *sl_input_published(const char *name)
{
    const struct sl_builtin_experiment *table = sl_builtin_experiment_find("inputs.csv");
    const size_t length = strlen(name);
    for (const char *line = table ? table->text : ""; *line;) {
        const char *end = strchr(line, '\n');
        if (strncmp(line, name, length) == 0 && line[length] == ',') return line + length + 1;
        line = end ? end + 1 : line + strlen(line);
    }
    return NULL;
}
