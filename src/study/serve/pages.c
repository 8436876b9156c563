/* Files of web/ and pictures of items. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/hash.h"
#include "softlab/base/memory.h"
#include "study/config/identity.h"
#include "study/serve/site.h"
#include "study/texts/web.h"

enum { PAGE_BYTES = 4 << 20 };

/* Headers besides those that every such reply has. */
enum { MOST_HEADERS = 8 };

void sl_reply_tag(const void *bytes, size_t length, char out[SL_REPLY_TAG])
{
    char sum[SL_SHA256_TEXT];
    sl_sha256(bytes, length, sum);
    snprintf(out, SL_REPLY_TAG, "\"%.16s\"", sum);
}

void sl_reply_lasts(void *context)
{
    (void)context;
}

void sl_send_tagged(struct sl_http_exchange *exchange, const struct sl_http_reply *reply,
                    const char *tag)
{
    struct sl_http_header headers[MOST_HEADERS + 3] = {{"Cache-Control", "no-cache"},
                                                       {"ETag", tag}};
    for (size_t i = 0; reply->headers && reply->headers[i].name && i < MOST_HEADERS; i++)
        headers[i + 2] = reply->headers[i];
    const char *known = sl_http_request_header(exchange, "If-None-Match");
    struct sl_http_reply whole = *reply;
    whole.status = known && strcmp(known, tag) == 0 ? 304 : 200;
    whole.headers = headers;
    sl_http_send(exchange, &whole);
}

void sl_site_send_page(struct sl_site *site, struct sl_http_exchange *exchange,
                       const struct sl_http_header *headers)
{
    const struct sl_web_file *file = sl_web_find("annotator/index.html");
    struct sl_buffer page;
    char tag[SL_REPLY_TAG];
    sl_buffer_init(&page, PAGE_BYTES);
    sl_words_page(&site->words, (const char *)file->bytes, file->length, &page);
    sl_reply_tag(page.data, page.length, tag);
    sl_send_tagged(
        exchange,
        &(struct sl_http_reply){
            .type = file->type, .body = page.data, .length = page.length, .headers = headers},
        tag);
    sl_buffer_release(&page);
}

void sl_site_send_file(struct sl_http_exchange *exchange, const char *name)
{
    char *path = sl_string_printf("annotator/%s", name);
    const struct sl_web_file *file = sl_web_find(path);
    if (file) {
        char tag[SL_REPLY_TAG];
        sl_reply_tag(file->bytes, file->length, tag);
        sl_send_tagged(exchange,
                       &(struct sl_http_reply){.type = file->type,
                                               .body = file->bytes,
                                               .length = file->length,
                                               .done = sl_reply_lasts},
                       tag);
    } else {
        sl_http_fail(exchange, 404, "there is no such page");
    }
    free(path);
}

void sl_handle_page(struct sl_http_exchange *exchange, void *context)
{
    if (sl_request_admit(context, exchange, NULL)) sl_site_send_page(context, exchange, NULL);
}

void sl_handle_file(struct sl_http_exchange *exchange, void *context)
{
    if (sl_request_admit(context, exchange, NULL))
        sl_site_send_file(exchange, sl_http_segment(exchange));
}

/* ---- Pictures: made on a worker thread ---- */

/* Several requests for a picture that is being made share the work. */
struct sl_picture_job {
    struct sl_site *site;
    struct sl_http_exchange **exchanges; /* owned; those that wait for it */
    size_t n_exchanges;
    size_t index;     /* among the site's images */
    char *path;       /* owned */
    const char *hash; /* borrowed from the stimulus, or NULL */
    struct sl_buffer bytes;
    const char *type;
    enum sl_status status;
    struct sl_error err;
    struct sl_picture_job *next; /* of the pictures that are being made */
};

/* All replies share the same bytes. */
static void send_picture(struct sl_http_exchange *exchange, struct sl_picture *picture)
{
    static const struct sl_http_header headers[] = {
        {"Cache-Control", "private, max-age=86400, immutable"}, {NULL, NULL}};
    sl_picture_hold(picture);
    sl_http_send(exchange, &(struct sl_http_reply){.status = 200,
                                                   .type = picture->type,
                                                   .body = picture->bytes,
                                                   .length = picture->length,
                                                   .headers = headers,
                                                   .done = sl_picture_let_go,
                                                   .context = picture});
}

static void make_picture(void *context)
{
    struct sl_picture_job *job = context;
    const struct sl_study *study = job->site->study;
    job->status = sl_identity_picture(job->path, job->hash, &job->err);
    if (job->status != SL_OK) return;
    const struct sl_picture_look look = {.upsample = study->upsample,
                                         .size = study->size,
                                         .large = job->index >= job->site->stimuli.count};
    job->status = sl_picture_make(job->path, &look, &job->bytes, &job->type, &job->err);
}

static void give_picture(void *context)
{
    struct sl_picture_job *job = context;
    struct sl_picture_job **at = &job->site->pictures;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    struct sl_picture *picture = NULL;
    if (job->status == SL_OK)
        picture = sl_images_put(&job->site->images, job->index, job->type, &job->bytes);
    sl_buffer_release(&job->bytes);
    if (job->status != SL_OK)
        sl_log(job->site->host->options.log, SL_LOG_ERROR, "%s", job->err.message);
    else if (!picture)
        sl_log(job->site->host->options.log, SL_LOG_WARNING,
               "no memory for %s: too many images are being sent to slow clients", job->path);
    /* The first reply may be the picture's only holder. */
    if (picture) sl_picture_hold(picture);
    for (size_t i = 0; i < job->n_exchanges; i++) {
        if (picture)
            send_picture(job->exchanges[i], picture);
        else
            sl_http_fail(job->exchanges[i], 503,
                         job->status == SL_OK ? "too many images are being sent, please try again"
                                              : "the image cannot be read");
    }
    if (picture) sl_picture_let_go(picture);
    free(job->exchanges);
    free(job->path);
    free(job);
}

static void wait_for_picture(struct sl_site *site, struct sl_http_exchange *exchange, size_t index,
                             const char *file)
{
    struct sl_picture_job *job = site->pictures;
    while (job && job->index != index)
        job = job->next;
    if (!job) {
        job = sl_alloc(1, sizeof *job);
        *job = (struct sl_picture_job){
            .site = site,
            .index = index,
            .path =
                sl_string_printf("%s/%s/%s", site->study->folder, site->study->items_folder, file),
            .hash = site->stimuli.items[index % site->stimuli.count].hash,
            .next = site->pictures,
        };
        job->status = sl_fail(&job->err, SL_ERR_STOPPED, "the server is stopping");
        sl_buffer_init(&job->bytes, SL_IMAGES_MAX_BYTES);
        site->pictures = job;
        sl_http_work(site->host->loop, SL_LANE_PICTURES, make_picture, give_picture, job);
    }
    job->exchanges =
        sl_resize(job->exchanges, job->n_exchanges + 1, sizeof(struct sl_http_exchange *));
    job->exchanges[job->n_exchanges++] = exchange;
}

void sl_site_send_image(struct sl_site *site, struct sl_http_exchange *exchange, const char *opaque)
{
    size_t index = sl_stimulus_of_opaque(&site->stimuli, opaque);
    const char *file = NULL;
    if (index != SIZE_MAX)
        file = json_string_value(json_object_get(site->stimuli.items[index].content, "image"));
    if (!file) {
        sl_http_fail(exchange, 404, "there is no such image");
        return;
    }
    if (sl_http_query(exchange, "large")) index += site->stimuli.count;
    struct sl_picture *picture = sl_images_find(&site->images, index);
    if (picture) {
        send_picture(exchange, picture);
        return;
    }
    wait_for_picture(site, exchange, index, file);
}

void sl_handle_image(struct sl_http_exchange *exchange, void *context)
{
    if (sl_request_admit(context, exchange, NULL))
        sl_site_send_image(context, exchange, sl_http_segment(exchange));
}
