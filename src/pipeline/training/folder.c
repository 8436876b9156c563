#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/training/train.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/nn/weights.h"
#include "softlab/pipeline/weights.h"

enum { RECORD_LIMIT = 1 << 24, LOG_LIMIT = 1 << 28 };

static json_t *settings_of(const json_t *record)
{
    return json_object_get(record, "settings");
}

static enum sl_status fail_other(const struct sl_train_folder *folder, const json_t *was,
                                 struct sl_error *err)
{
    char *difference = sl_train_difference(settings_of(was), settings_of(folder->record));
    const enum sl_status status = sl_fail(
        err, SL_ERR_INPUT,
        "%s holds a run that differs in: %s; choose another folder, or replace it with --restart",
        folder->path, difference);
    free(difference);
    return status;
}

/* Compare the folder's run.json, if there is one, with this run. */
static enum sl_status compare_records(struct sl_train_folder *folder, struct sl_error *err)
{
    struct sl_json json = {0};
    SL_TRY(sl_json_read(folder->run, RECORD_LIMIT, &json, err));
    enum sl_status status = SL_OK;
    folder->finished = json_is_true(json_object_get(json.root, "finished"));
    if (!json_equal(settings_of(json.root), settings_of(folder->record)))
        status = fail_other(folder, json.root, err);
    else if (folder->finished)
        status = sl_run_check_weights(folder->weights, json.root, err);
    if (status == SL_OK && folder->finished) {
        json_decref(folder->record);
        folder->record = json_incref(json.root);
    }
    sl_json_release(&json);
    return status;
}

static enum sl_status remove_file(const char *path, struct sl_error *err)
{
    if (unlink(path) == 0 || errno == ENOENT) return SL_OK;
    return sl_fail(err, SL_ERR_IO, "%s: cannot be removed: %s", path, strerror(errno));
}

static enum sl_status forget(const struct sl_train_folder *folder, struct sl_error *err)
{
    const char *const paths[] = {folder->run, folder->checkpoint, folder->log, folder->weights};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        SL_TRY(remove_file(paths[i], err));
    return SL_OK;
}

enum sl_status sl_train_folder_open(const char *path, json_t *record, bool restart,
                                    struct sl_train_folder *out, struct sl_error *err)
{
    struct sl_train_folder folder = {
        .path = sl_string_copy(path),
        .run = sl_path_join(path, "run.json"),
        .log = sl_path_join(path, "log.jsonl"),
        .checkpoint = sl_path_join(path, "checkpoint.safetensors"),
        .weights = sl_path_join(path, "weights.safetensors"),
        .record = json_incref(record),
    };
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_folder_create(path, err));
    if (restart) SL_TRY_OUT(forget(&folder, err));
    if (sl_file_exists(folder.run))
        SL_TRY_OUT(compare_records(&folder, err));
    else
        SL_TRY_OUT(sl_json_write(record, folder.run, err));
    *out = folder;
    return SL_OK;
out:
    sl_train_folder_release(&folder);
    return status;
}

void sl_train_folder_release(struct sl_train_folder *folder)
{
    free(folder->path);
    free(folder->run);
    free(folder->log);
    free(folder->checkpoint);
    free(folder->weights);
    json_decref(folder->record);
    *folder = (struct sl_train_folder){0};
}

static char *epoch_line(const struct sl_epoch *epoch)
{
    json_t *json = json_pack("{s:I, s:o, s:o, s:f}", "epoch", (json_int_t)epoch->epoch, "loss",
                             sl_json_real(epoch->loss), "accuracy", sl_json_real(epoch->accuracy),
                             "rate", epoch->rate);
    if (!isnan(epoch->score)) {
        json_object_set_new(json, "score", sl_json_real(epoch->score));
        json_object_set_new(json, "best", json_boolean(epoch->best));
    }
    json_object_set_new(json, "seconds", sl_json_real(epoch->seconds));
    json_object_set_new(json, "items_per_second", sl_json_real(epoch->items_per_second));
    char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(json);
    return text;
}

/* The length of the lines before this epoch; line n is epoch n. */
static size_t length_before(const struct sl_buffer *text, size_t epoch)
{
    const char *at = text->data, *end = text->data + text->length;
    for (size_t line = 1; line < epoch && at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline) break; /* the run was killed while it wrote this line */
        at = newline + 1;
    }
    return (size_t)(at - text->data);
}

enum sl_status sl_train_folder_log(const struct sl_train_folder *folder,
                                   const struct sl_epoch *epoch, struct sl_error *err)
{
    struct sl_buffer text;
    sl_buffer_init_data(&text, LOG_LIMIT);
    char *line = epoch_line(epoch);
    enum sl_status status = SL_OK;
    if (sl_file_exists(folder->log)) SL_TRY_OUT(sl_file_read(folder->log, &text, err));
    if (text.length > 0) text.length = length_before(&text, epoch->epoch);
    sl_buffer_printf(&text, "%s\n", line);
    SL_TRY_OUT(sl_buffer_check(&text, folder->log, err));
    SL_TRY_OUT(sl_file_write(folder->log, text.data, text.length, err));
out:
    free(line);
    sl_buffer_release(&text);
    return status;
}

enum sl_status sl_train_folder_finish(struct sl_train_folder *folder, struct sl_model *model,
                                      const struct sl_train_result *result, struct sl_error *err)
{
    char hash[SL_SHA256_TEXT];
    SL_TRY(sl_weights_write(folder->weights, model, NULL, 0, err));
    SL_TRY(sl_sha256_file(folder->weights, hash, err));
    static const char *const ends[] = {"all epochs", "no better score", "stopped"};
    json_t *outcome =
        json_pack("{s:s, s:I, s:I, s:I, s:o, s:s}", "end", ends[result->end], "epochs",
                  (json_int_t)result->epochs, "steps", (json_int_t)result->steps, "best_epoch",
                  (json_int_t)result->best_epoch, "best_score", sl_json_real(result->best_score),
                  "weights_sha256", hash);
    json_object_set_new(folder->record, "result", outcome);
    json_object_set_new(folder->record, "finished", json_true());
    SL_TRY(sl_json_write(folder->record, folder->run, err));
    return remove_file(folder->checkpoint, err);
}
