#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "study/admin_internal.h"
#include "study/images.h"
#include "study/lanes.h"
#include "study/secret.h"

enum { LARGEST_IMAGE = 16 << 20 };

/* One request on its way over the other thread. */
struct job {
    struct sl_study_admin *admin;
    struct sl_http_exchange *exchange;
    int64_t now;
    enum sl_status status;
    struct sl_error err;
    char *text;                           /* owned; a status */
    const struct sl_study_export *export; /* or an export, into */
    int file;                             /* owned; a file without a name; -1 */
    size_t item;                          /* or the picture of this item */
    struct sl_buffer image;               /* owned */
    const char *type;
};

/* It stays as it is if the server stops before the work begins. */
static struct job *make_job(struct sl_study_admin *admin, struct sl_http_exchange *exchange)
{
    struct job *job = sl_alloc(1, sizeof *job);
    *job =
        (struct job){.admin = admin, .exchange = exchange, .now = sl_admin_now(admin), .file = -1};
    job->status = sl_fail(&job->err, SL_ERR_STOPPED, "the server is being stopped");
    sl_buffer_init(&job->image, LARGEST_IMAGE);
    return job;
}

static void free_job(void *context)
{
    struct job *job = context;
    if (job->file >= 0) close(job->file);
    sl_buffer_release(&job->image);
    free(job->text);
    free(job);
}

static int http_status_of(enum sl_status status)
{
    switch (status) {
    case SL_ERR_NOT_FOUND: return 404;
    case SL_ERR_INPUT: return 409;
    case SL_ERR_STOPPED: return 503;
    default: return 500;
    }
}

static void send_failure(struct job *job)
{
    sl_log(job->admin->options.log, SL_LOG_WARNING, "researcher's page: %s", job->err.message);
    sl_http_fail(job->exchange, http_status_of(job->status), job->err.message);
    free_job(job);
}

static bool is_stopping(void *loop)
{
    return sl_http_loop_stopping(loop);
}

static enum sl_status with_store(struct job *job,
                                 enum sl_status (*run)(struct job *job, struct sl_store *store,
                                                       struct sl_error *err))
{
    struct sl_store *store = NULL;
    SL_TRY(sl_study_store(job->admin->options.study, true, &store, &job->err));
    sl_store_stop_when(store, is_stopping, job->admin->options.loop);
    enum sl_status status = run(job, store, &job->err);
    sl_store_close(store);
    return status;
}

/* ---- Status ---- */

/* '<' stands in strings only; written as an escape no browser can take the reply for a page. */
static char *without_markup(const char *text)
{
    struct sl_buffer out;
    sl_buffer_init(&out, (size_t)1 << 30);
    for (; *text; text++) {
        if (*text == '<')
            sl_buffer_text(&out, "\\u003c");
        else
            sl_buffer_byte(&out, *text);
    }
    return out.data ? out.data : sl_string_copy("");
}

static enum sl_status run_status(struct job *job, struct sl_store *store, struct sl_error *err)
{
    json_t *value = NULL;
    SL_TRY(sl_study_status(job->admin->options.study, store, job->now, &value, err));
    char *text = json_dumps(value, JSON_COMPACT);
    json_decref(value);
    if (!text) return sl_fail(err, SL_ERR_NOMEM, "no memory for the status");
    job->text = without_markup(text);
    free(text);
    return SL_OK;
}

static void work_status(void *context)
{
    struct job *job = context;
    job->status = with_store(job, run_status);
}

static void done_status(void *context)
{
    struct job *job = context;
    if (job->status != SL_OK) {
        send_failure(job);
        return;
    }
    const struct sl_http_header headers[] = {{"Cache-Control", "no-store"}, {NULL, NULL}};
    sl_http_send(job->exchange, &(struct sl_http_reply){.status = 200,
                                                        .type = "application/json",
                                                        .body = job->text,
                                                        .length = strlen(job->text),
                                                        .headers = headers});
    free_job(job);
}

void sl_admin_get_status(struct sl_http_exchange *exchange, void *context)
{
    struct sl_study_admin *admin = context;
    if (!sl_admin_require(admin, exchange)) return;
    sl_http_work(admin->options.loop, SL_LANE_STATUS, work_status, done_status,
                 make_job(admin, exchange));
}

/* ---- Exports: written whole beside the database, then sent as the client takes them ---- */

static enum sl_status write_all(void *context, const void *bytes, size_t length,
                                struct sl_error *err)
{
    const struct job *job = context;
    for (const char *at = bytes; length > 0;) {
        ssize_t written = write(job->file, at, length);
        if (written < 0) return sl_fail_errno(err, "the export");
        at += written;
        length -= (size_t)written;
    }
    return SL_OK;
}

static enum sl_status open_nameless(const char *folder, int *out, struct sl_error *err)
{
    char word[17];
    sl_secret_word(word, sizeof word - 1);
    char *path = sl_string_printf("%s/.export-%s", folder, word);
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    enum sl_status status = file >= 0 ? SL_OK : sl_fail_errno(err, "%s", folder);
    if (file >= 0) {
        (void)unlink(path);
        *out = file;
    }
    free(path);
    return status;
}

static enum sl_status run_export(struct job *job, struct sl_store *store, struct sl_error *err)
{
    const struct sl_study *study = job->admin->options.study;
    SL_TRY(open_nameless(study->folder, &job->file, err));
    SL_TRY(job->export->write(study, store, write_all, job, err));
    return lseek(job->file, 0, SEEK_SET) == 0 ? SL_OK : sl_fail_errno(err, "the export");
}

static void work_export(void *context)
{
    struct job *job = context;
    job->status = with_store(job, run_export);
}

static size_t next_piece(void *context, char *buffer, size_t size)
{
    const struct job *job = context;
    ssize_t got = read(job->file, buffer, size);
    return got < 0 ? SIZE_MAX : (size_t)got;
}

static const char *type_of(const char *name)
{
    static const struct {
        const char *suffix, *type;
    } types[] = {{".csv", "text/csv; charset=utf-8"},
                 {".json", "application/json"},
                 {".jsonl", "application/jsonl"},
                 {".npy", "application/octet-stream"},
                 {".png", "image/png"},
                 {".jpg", "image/jpeg"},
                 {".jpeg", "image/jpeg"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (sl_path_has_suffix(name, types[i].suffix)) return types[i].type;
    return NULL;
}

static void done_export(void *context)
{
    struct job *job = context;
    if (job->status != SL_OK) {
        send_failure(job);
        return;
    }
    sl_admin_note(job->admin, job->exchange, "admin-export", job->export->name);
    char *disposition = sl_string_printf("attachment; filename=\"%s\"", job->export->file);
    const struct sl_http_header headers[] = {
        {"Content-Disposition", disposition}, {"Cache-Control", "no-store"}, {NULL, NULL}};
    sl_http_stream(job->exchange,
                   &(struct sl_http_reply){
                       .status = 200, .type = type_of(job->export->file), .headers = headers},
                   (struct sl_http_source){.next = next_piece, .done = free_job, .context = job});
    free(disposition);
}

void sl_admin_get_export(struct sl_http_exchange *exchange, void *context)
{
    struct sl_study_admin *admin = context;
    const struct sl_study_export *export = sl_study_exports;
    if (!sl_admin_require(admin, exchange)) return;
    while (export->name && strcmp(export->name, sl_http_segment(exchange)) != 0)
        export ++;
    if (!export->name) {
        sl_http_fail(exchange, 404, "there is no such export");
        return;
    }
    struct job *job = make_job(admin, exchange);
    job->export = export;
    sl_http_work(admin->options.loop, SL_LANE_EXPORTS, work_export, done_export, job);
}

/* ---- Pictures, by the item's number in the list ---- */

/* Names come from the set-up, not from the request; still none may lead out of the folder. */
static bool is_inside(const char *name)
{
    return *name && *name != '/' && !strstr(name, "..") && type_of(name) &&
           strncmp(type_of(name), "image/", 6) == 0;
}

static enum sl_status read_image(struct job *job, const char *name, struct sl_error *err)
{
    const struct sl_study *study = job->admin->options.study;
    char *path = sl_string_printf("%s/%s/%s", study->folder, study->items_folder, name);
    enum sl_status status = SL_OK;
    if (sl_file_exists(path))
        status = sl_picture_make(path, &(struct sl_picture_look){.upsample = "none"}, &job->image,
                                 &job->type, err);
    else
        status = sl_fail(err, SL_ERR_NOT_FOUND, "the picture's file is missing");
    free(path);
    return status;
}

static void work_image(void *context)
{
    struct job *job = context;
    const struct sl_study_item *item = &job->admin->items.items[job->item];
    const char *name = json_string_value(json_object_get(item->content, "image"));
    if (name && is_inside(name))
        job->status = read_image(job, name, &job->err);
    else
        job->status = sl_fail(&job->err, SL_ERR_NOT_FOUND, "there is no such picture");
}

static void done_image(void *context)
{
    struct job *job = context;
    if (job->status != SL_OK) {
        send_failure(job);
        return;
    }
    const struct sl_http_header headers[] = {{"Cache-Control", "private, max-age=3600"},
                                             {NULL, NULL}};
    sl_http_send(job->exchange, &(struct sl_http_reply){.status = 200,
                                                        .type = job->type,
                                                        .body = job->image.data,
                                                        .length = job->image.length,
                                                        .headers = headers});
    free_job(job);
}

void sl_admin_get_image(struct sl_http_exchange *exchange, void *context)
{
    struct sl_study_admin *admin = context;
    const char *segment = sl_http_segment(exchange);
    int64_t item = -1;
    if (!sl_admin_require(admin, exchange)) return;
    if (!sl_text_to_integer(segment, strlen(segment), &item) || item < 0 ||
        (uint64_t)item >= admin->items.count) {
        sl_http_fail(exchange, 404, "there is no such picture");
        return;
    }
    struct job *job = make_job(admin, exchange);
    job->item = (size_t)item;
    sl_http_work(admin->options.loop, SL_LANE_PICTURES, work_image, done_image, job);
}
