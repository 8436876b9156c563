#include "study/media.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "softlab/base/memory.h"
#include "study/site.h"

enum { MEDIA_BYTES = 16 << 20, MAX_NAME = 200 };

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

void sl_site_send_media(const struct sl_site *site, struct sl_http_exchange *exchange,
                        const char *name)
{
    const char *type = sl_media_type(name, strlen(name));
    char *path = sl_string_printf("%s/" SL_MEDIA_FOLDER "/%s", site->study->folder, name);
    struct sl_buffer bytes;
    struct sl_error err;
    sl_buffer_init(&bytes, MEDIA_BYTES);
    if (!type || !sl_file_exists(path) || sl_file_read(path, &bytes, &err) != SL_OK)
        sl_http_fail(exchange, 404, "there is no such picture");
    else
        sl_send_tagged(exchange, type, NULL, bytes.data, bytes.length);
    sl_buffer_release(&bytes);
    free(path);
}

void sl_handle_media(struct sl_http_exchange *exchange, void *context)
{
    if (sl_request_admit(context, exchange, NULL))
        sl_site_send_media(context, exchange, sl_http_segment(exchange));
}
