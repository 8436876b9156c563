#include "experiment/run/outputs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment/run/ledger.h"
#include "softlab/base/file.h"
#include "softlab/base/hash.h"
#include "softlab/base/memory.h"

#define OUTPUTS_LIMIT ((size_t)1 << 30)
static const char weights[] = "weights.safetensors";

/* ---- Files of a job ---- */

/* The files of a training that other jobs read; the first is the job's output. */
static const char *const training_files[] = {weights, "log.jsonl", "run.json"};
enum { N_TRAINING_FILES = sizeof training_files / sizeof *training_files };

static size_t count_files(const struct sl_job *job)
{
    return sl_path_has_suffix(job->output, weights) ? N_TRAINING_FILES : 1;
}

static char *file_of(const struct sl_outputs *outputs, const struct sl_job *job, size_t index)
{
    const char *name = training_files[index];
    if (index == 0) return sl_path_join(outputs->folder, job->output);
    return sl_string_printf("%s/%.*s%s", outputs->folder,
                            (int)(strlen(job->output) - strlen(weights)), job->output, name);
}

static enum sl_status hash_files(const struct sl_outputs *outputs, const struct sl_job *job,
                                 char out[SL_SHA256_TEXT], struct sl_error *err)
{
    struct sl_hasher *hasher = sl_hasher_create();
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < count_files(job) && status == SL_OK; i++) {
        char *path = file_of(outputs, job, i), hash[SL_SHA256_TEXT];
        status = sl_sha256_file(path, hash, err);
        if (status == SL_OK) sl_hasher_text(hasher, hash);
        free(path);
    }
    char all[SL_SHA256_TEXT];
    sl_hasher_finish(hasher, all);
    if (status == SL_OK) memcpy(out, all, sizeof all);
    return status;
}

/* ---- The list ---- */

static void take_line(struct sl_outputs *outputs, const char *line, size_t length)
{
    json_t *entry = json_loadb(line, length, 0, NULL);
    const char *output = json_string_value(json_object_get(entry, "output"));
    json_t *hash = json_object_get(entry, "sha256");
    if (output && json_is_string(hash)) json_object_set(outputs->known, output, hash);
    json_decref(entry);
}

enum sl_status sl_outputs_update(struct sl_outputs *outputs, struct sl_error *err)
{
    struct sl_buffer text;
    if (!sl_file_exists(outputs->path)) return SL_OK;
    sl_buffer_init(&text, OUTPUTS_LIMIT);
    const enum sl_status status = sl_file_read(outputs->path, &text, err);
    while (status == SL_OK && outputs->read < text.length) {
        const char *line = text.data + outputs->read;
        const char *newline = memchr(line, '\n', text.length - outputs->read);
        if (!newline) break;
        take_line(outputs, line, (size_t)(newline - line));
        outputs->read += (size_t)(newline - line) + 1;
    }
    sl_buffer_release(&text);
    return status;
}

enum sl_status sl_outputs_open(struct sl_outputs *outputs, const char *folder, struct sl_error *err)
{
    *outputs = (struct sl_outputs){.folder = sl_string_copy(folder),
                                   .path = sl_path_join(folder, "outputs.jsonl"),
                                   .known = json_object()};
    return sl_outputs_update(outputs, err);
}

void sl_outputs_close(struct sl_outputs *outputs)
{
    free(outputs->folder);
    free(outputs->path);
    json_decref(outputs->known);
    *outputs = (struct sl_outputs){0};
}

bool sl_outputs_know(const struct sl_outputs *outputs, const struct sl_job *job)
{
    return json_object_get(outputs->known, job->output) != NULL;
}

enum sl_output_state sl_outputs_look(const struct sl_outputs *outputs, const struct sl_job *job)
{
    const char *known = json_string_value(json_object_get(outputs->known, job->output));
    char hash[SL_SHA256_TEXT], *path = file_of(outputs, job, 0);
    const bool there = sl_file_exists(path);
    free(path);
    if (!known || !there) return SL_OUTPUT_NONE;
    if (hash_files(outputs, job, hash, NULL) != SL_OK) return SL_OUTPUT_SPOILT;
    return strcmp(hash, known) == 0 ? SL_OUTPUT_GOOD : SL_OUTPUT_SPOILT;
}

void sl_outputs_forget(struct sl_outputs *outputs, const struct sl_job *job)
{
    for (size_t i = 0; i < count_files(job); i++) {
        char *path = file_of(outputs, job, i);
        unlink(path);
        free(path);
    }
    json_object_del(outputs->known, job->output);
}

static enum sl_status list(struct sl_outputs *outputs, const char *output, const char *hash,
                           struct sl_error *err)
{
    json_t *entry = json_pack("{s:s, s:s}", "output", output, "sha256", hash);
    json_object_set_new(outputs->known, output, json_string(hash));
    const enum sl_status status = sl_line_append(outputs->path, entry, err);
    json_decref(entry);
    return status;
}

enum sl_status sl_outputs_keep(struct sl_outputs *outputs, const struct sl_job *job,
                               struct sl_error *err)
{
    char hash[SL_SHA256_TEXT];
    SL_TRY(hash_files(outputs, job, hash, err));
    return list(outputs, job->output, hash, err);
}

/* ---- Outputs of another folder ---- */

/* The folder in which an output is: "cache", or that of a training. The caller frees it. */
static char *folder_of(const struct sl_outputs *outputs, const char *output)
{
    return sl_string_printf("%s/%.*s", outputs->folder, (int)(sl_path_name(output) - output - 1),
                            output);
}

/* A hard link under a temporary name first: what is there, such as the log of an unfinished
 * training, stays until it can be replaced. */
static bool link_file(const char *from, const char *to)
{
    char *temporary = sl_string_printf("%s.adopted", to);
    unlink(temporary);
    const bool linked = link(from, temporary) == 0 && rename(temporary, to) == 0;
    /* rename does nothing if both names are links of one file */
    unlink(temporary);
    free(temporary);
    return linked;
}

enum sl_status sl_outputs_adopt(struct sl_outputs *outputs, const struct sl_outputs *from,
                                const struct sl_job *job, struct sl_error *err)
{
    const char *hash = json_string_value(json_object_get(from->known, job->output));
    if (!hash || sl_outputs_know(outputs, job)) return SL_OK;
    char *folder = folder_of(outputs, job->output);
    const enum sl_status status = sl_folder_create(folder, err);
    free(folder);
    if (status != SL_OK) return status;
    for (size_t i = 0; i < count_files(job); i++) {
        char *source = file_of(from, job, i), *target = file_of(outputs, job, i);
        const bool linked = link_file(source, target);
        free(source);
        free(target);
        if (!linked) return SL_OK;
    }
    return list(outputs, job->output, hash, err);
}

/* Move an output: the folder of a training, or a file. */
static enum sl_status move_one(const struct sl_outputs *outputs, const struct sl_outputs *from,
                               const char *output, struct sl_error *err)
{
    const bool trained = sl_path_has_suffix(output, weights);
    char *source = trained ? folder_of(from, output) : sl_path_join(from->folder, output);
    char *target = trained ? folder_of(outputs, output) : sl_path_join(outputs->folder, output);
    char *parent = sl_string_copy_n(target, (size_t)(sl_path_name(target) - target));
    enum sl_status status = sl_folder_create(parent, err);
    if (status == SL_OK && (sl_folder_exists(source) || sl_file_exists(source))) {
        if (trained) sl_folder_remove(target);
        if (rename(source, target) != 0)
            status = sl_fail_errno(err, "%s: cannot be moved to %s", source, target);
    }
    free(parent);
    free(source);
    free(target);
    return status;
}

enum sl_status sl_outputs_move(struct sl_outputs *outputs, const struct sl_outputs *from,
                               struct sl_error *err)
{
    const char *output;
    json_t *hash;
    json_object_foreach(from->known, output, hash)
    {
        if (json_object_get(outputs->known, output)) continue;
        SL_TRY(move_one(outputs, from, output, err));
        SL_TRY(list(outputs, output, json_string_value(hash), err));
    }
    return SL_OK;
}
