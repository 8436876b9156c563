/* Files and pictures for the researcher's page, made on worker threads. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "study/admin/internal.h"
#include "study/secret.h"
#include "study/serve/lanes.h"
#include "study/session/images.h"

enum { LARGEST_IMAGE = 16 << 20 };

static int http_status_of(enum sl_status status)
{
    switch (status) {
    case SL_ERR_NOT_FOUND: return 404;
    case SL_ERR_INPUT: return 409;
    case SL_ERR_STOPPED: return 503;
    default: return 500;
    }
}

void sl_admin_fail(const struct sl_study_admin *admin, struct sl_http_exchange *exchange,
                   enum sl_status status, const struct sl_error *err)
{
    sl_log(admin->options.log, SL_LOG_WARNING, "researcher's page: %s", err->message);
    sl_http_fail(exchange, http_status_of(status), err->message);
}

/* ---- Downloads: first written to a file beside the database, then streamed ---- */

static void free_download(void *context)
{
    struct sl_admin_download *download = context;
    if (download->descriptor >= 0) close(download->descriptor);
    free(download->file);
    free(download->what);
    free(download);
}

static bool is_stopping(void *loop)
{
    return sl_http_loop_stopping(loop);
}

enum sl_status sl_admin_open_store(const struct sl_study_admin *admin, struct sl_store **out,
                                   struct sl_error *err)
{
    SL_TRY(sl_study_store(admin->options.study, true, out, err));
    sl_store_stop_when(*out, is_stopping, admin->options.loop);
    return SL_OK;
}

static enum sl_status fill(struct sl_admin_download *download, struct sl_error *err)
{
    struct sl_store *store = NULL;
    SL_TRY(sl_admin_open_store(download->admin, &store, err));
    enum sl_status status = download->fill(download, store, err);
    sl_store_close(store);
    if (status != SL_OK) return status;
    return lseek(download->descriptor, 0, SEEK_SET) == 0 ? SL_OK : sl_fail_errno(err, "the export");
}

static void work_download(void *context)
{
    struct sl_admin_download *download = context;
    download->status = fill(download, &download->err);
}

static size_t next_piece(void *context, char *buffer, size_t size)
{
    const struct sl_admin_download *download = context;
    ssize_t got = read(download->descriptor, buffer, size);
    return got < 0 ? SIZE_MAX : (size_t)got;
}

static void done_download(void *context)
{
    struct sl_admin_download *download = context;
    if (download->status != SL_OK) {
        sl_admin_fail(download->admin, download->exchange, download->status, &download->err);
        free_download(download);
        return;
    }
    sl_admin_note(download->admin, download->exchange, "admin-export", download->what);
    char *disposition = sl_string_printf("attachment; filename=\"%s\"", download->file);
    const struct sl_http_header headers[] = {
        {"Content-Disposition", disposition}, {"Cache-Control", "no-store"}, {NULL, NULL}};
    sl_http_stream(
        download->exchange,
        &(struct sl_http_reply){.status = 200, .type = download->type, .headers = headers},
        (struct sl_http_source){.next = next_piece, .done = free_download, .context = download});
    free(disposition);
}

void sl_admin_send(struct sl_study_admin *admin, struct sl_http_exchange *exchange,
                   struct sl_admin_download *download)
{
    download->admin = admin;
    download->exchange = exchange;
    download->descriptor = -1;
    /* This status remains if the server stops before the work begins. */
    download->status = sl_fail(&download->err, SL_ERR_STOPPED, "the server is stopping");
    sl_http_work(admin->options.loop, SL_LANE_EXPORTS, work_download, done_download, download);
}

/* ---- Exports ---- */

static enum sl_status write_all(void *context, const void *bytes, size_t length,
                                struct sl_error *err)
{
    const struct sl_admin_download *download = context;
    for (const char *at = bytes; length > 0;) {
        ssize_t written = write(download->descriptor, at, length);
        if (written < 0) return sl_fail_errno(err, "the export");
        at += written;
        length -= (size_t)written;
    }
    return SL_OK;
}

char *sl_admin_hidden_path(const struct sl_study_admin *admin, const char *suffix)
{
    char word[17];
    sl_secret_word(word, sizeof word - 1);
    return sl_string_printf("%s/.export-%s%s", admin->options.study->folder, word, suffix);
}

static enum sl_status fill_export(struct sl_admin_download *download, struct sl_store *store,
                                  struct sl_error *err)
{
    const struct sl_study *study = download->admin->options.study;
    const struct sl_study_export *export = download->source;
    char *path = sl_admin_hidden_path(download->admin, "");
    download->descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    enum sl_status status =
        download->descriptor >= 0 ? SL_OK : sl_fail_errno(err, "%s", study->folder);
    if (download->descriptor >= 0) (void)unlink(path);
    free(path);
    if (status == SL_OK) status = export->write(study, store, write_all, download, err);
    return status;
}

static const char *type_of(const char *name)
{
    static const struct {
        const char *suffix, *type;
    } types[] = {{".csv", "text/csv; charset=utf-8"},
                 {".json", "application/json"},
                 {".jsonl", "application/jsonl"},
                 {".npy", "application/octet-stream"},
                 {".npz", "application/octet-stream"},
                 {".png", "image/png"},
                 {".jpg", "image/jpeg"},
                 {".jpeg", "image/jpeg"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (sl_path_has_suffix(name, types[i].suffix)) return types[i].type;
    return NULL;
}

struct sl_admin_download *sl_admin_download_create(const char *file, const char *what,
                                                   const void *source)
{
    struct sl_admin_download *download = sl_alloc(1, sizeof *download);
    *download = (struct sl_admin_download){.source = source,
                                           .file = sl_string_copy(file),
                                           .what = sl_string_copy(what),
                                           .type = type_of(file)};
    return download;
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
    struct sl_admin_download *download =
        sl_admin_download_create(export->file, export->name, export);
    download->fill = fill_export;
    sl_admin_send(admin, exchange, download);
}

/* ---- Pictures, by the item's number in the list ---- */

struct picture {
    struct sl_study_admin *admin;
    struct sl_http_exchange *exchange;
    size_t item;
    enum sl_status status;
    struct sl_error err;
    struct sl_buffer image; /* owned */
    const char *type;
};

/* Names come from the set-up, not from the request; even so, none may leave the folder. */
static bool is_inside(const char *name)
{
    return *name && *name != '/' && !strstr(name, "..") && type_of(name) &&
           strncmp(type_of(name), "image/", 6) == 0;
}

static enum sl_status read_image(struct picture *picture, const char *name, struct sl_error *err)
{
    const struct sl_study *study = picture->admin->options.study;
    char *path = sl_string_printf("%s/%s/%s", study->folder, study->items_folder, name);
    enum sl_status status = SL_OK;
    if (sl_file_exists(path))
        status = sl_picture_make(path, &(struct sl_picture_look){.upsample = "none"},
                                 &picture->image, &picture->type, err);
    else
        status = sl_fail(err, SL_ERR_NOT_FOUND, "the picture's file is missing");
    free(path);
    return status;
}

static void work_image(void *context)
{
    struct picture *picture = context;
    const struct sl_study_item *item = &picture->admin->items.items[picture->item];
    const char *name = json_string_value(json_object_get(item->content, "image"));
    if (name && is_inside(name))
        picture->status = read_image(picture, name, &picture->err);
    else
        picture->status = sl_fail(&picture->err, SL_ERR_NOT_FOUND, "there is no such picture");
}

static void done_image(void *context)
{
    struct picture *picture = context;
    static const struct sl_http_header headers[] = {{"Cache-Control", "private, max-age=3600"},
                                                    {NULL, NULL}};
    if (picture->status != SL_OK)
        sl_admin_fail(picture->admin, picture->exchange, picture->status, &picture->err);
    else
        sl_http_send(picture->exchange, &(struct sl_http_reply){.status = 200,
                                                                .type = picture->type,
                                                                .body = picture->image.data,
                                                                .length = picture->image.length,
                                                                .headers = headers});
    sl_buffer_release(&picture->image);
    free(picture);
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
    struct picture *picture = sl_alloc(1, sizeof *picture);
    *picture = (struct picture){.admin = admin, .exchange = exchange, .item = (size_t)item};
    picture->status = sl_fail(&picture->err, SL_ERR_STOPPED, "the server is stopping");
    sl_buffer_init(&picture->image, LARGEST_IMAGE);
    sl_http_work(admin->options.loop, SL_LANE_PICTURES, work_image, done_image, picture);
}
