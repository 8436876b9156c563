#include "study/texts/media.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "softlab/base/memory.h"
#include "study/serve/site.h"

enum { MEDIA_BYTES = 64 << 20, MAX_NAME = 200 };

const char *sl_media_type(const char *name, size_t length)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    static const struct {
        const char *ending, *type;
    } types[] = {{".png", "image/png"},
                 {".jpg", "image/jpeg"},
                 {".jpeg", "image/jpeg"},
                 {".webp", "image/webp"},
                 {".gif", "image/gif"}};
    if (length == 0 || length > MAX_NAME || *name == '.') return NULL;
    for (size_t i = 0; i < length; i++)
        if (!name[i] || !strchr(plain, name[i])) return NULL;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        size_t ending = strlen(types[i].ending);
        if (length > ending && strncasecmp(name + length - ending, types[i].ending, ending) == 0)
            return types[i].type;
    }
    return NULL;
}

const char *sl_media_name(const char *address, size_t length, size_t *name_length)
{
    static const char folder[] = SL_MEDIA_FOLDER "/";
    const size_t skipped = length > strlen(folder) && memcmp(address, folder, strlen(folder)) == 0
                               ? strlen(folder)
                               : 0;
    *name_length = length - skipped;
    return sl_media_type(address + skipped, *name_length) ? address + skipped : NULL;
}

static enum sl_status take_file(struct sl_media *media, const char *folder, const char *name,
                                size_t *room, struct sl_error *err)
{
    const char *type = sl_media_type(name, strlen(name));
    if (!type) return SL_OK;
    struct sl_buffer bytes;
    struct stat about;
    char *path = sl_path_join(folder, name);
    sl_buffer_init(&bytes, *room);
    const bool too_large =
        stat(path, &about) == 0 && S_ISREG(about.st_mode) && (uintmax_t)about.st_size > *room;
    enum sl_status status =
        too_large ? sl_fail(err, SL_ERR_INPUT,
                            "%s: the pictures of the texts have more than %d MB in all; make "
                            "them smaller",
                            path, MEDIA_BYTES >> 20)
                  : sl_file_read(path, &bytes, err);
    if (status == SL_OK) {
        struct sl_media_file *file = &media->files[media->count++];
        *file = (struct sl_media_file){.name = sl_string_copy(name),
                                       .type = type,
                                       .bytes = bytes.data, /* owned from here on */
                                       .length = bytes.length};
        sl_reply_tag(file->bytes, file->length, file->tag);
        *room -= bytes.length;
        bytes.data = NULL;
    }
    sl_buffer_release(&bytes);
    free(path);
    return status;
}

enum sl_status sl_media_read(const struct sl_study *study, struct sl_media *out,
                             struct sl_error *err)
{
    struct sl_media media = {0};
    char *folder = sl_path_join(study->folder, SL_MEDIA_FOLDER), **names = NULL;
    size_t count = 0, room = MEDIA_BYTES;
    enum sl_status status = SL_OK;
    if (sl_folder_exists(folder)) status = sl_folder_list(folder, &names, &count, err);
    if (status == SL_OK) media.files = sl_alloc(count ? count : 1, sizeof *media.files);
    for (size_t i = 0; status == SL_OK && i < count; i++)
        status = take_file(&media, folder, names[i], &room, err);
    sl_names_destroy(names);
    free(folder);
    if (status == SL_OK)
        *out = media;
    else
        sl_media_release(&media);
    return status;
}

void sl_media_release(struct sl_media *media)
{
    for (size_t i = 0; i < media->count; i++) {
        free(media->files[i].name);
        free(media->files[i].bytes);
    }
    free(media->files);
    *media = (struct sl_media){0};
}

void sl_site_send_media(const struct sl_site *site, struct sl_http_exchange *exchange,
                        const char *name)
{
    const struct sl_media *media = &site->media;
    size_t i = 0;
    while (i < media->count && strcmp(media->files[i].name, name) != 0)
        i++;
    if (i == media->count) {
        sl_http_fail(exchange, 404, "there is no such picture");
        return;
    }
    const struct sl_media_file *file = &media->files[i];
    sl_send_tagged(exchange,
                   &(struct sl_http_reply){.type = file->type,
                                           .body = file->bytes,
                                           .length = file->length,
                                           /* They outlive the study's last reply. */
                                           .done = sl_reply_lasts},
                   file->tag);
}

void sl_handle_media(struct sl_http_exchange *exchange, void *context)
{
    if (sl_request_admit(context, exchange, NULL))
        sl_site_send_media(context, exchange, sl_http_segment(exchange));
}
