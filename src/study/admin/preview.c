/* Previews: the annotators' own pages on the researcher's port, for any screen and any place, with
 * the study's first items. Each request gets an invented session and nothing is stored, so that a
 * page can be answered again and again.
 *
 * Addresses are preview/<screen>/<place>/<frame>/<address of the page>; the frame distinguishes two
 * views of the same page, since the browser keeps unsent answers by session. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "study/admin/internal.h"
#include "study/serve/site.h"

struct preview {
    struct sl_site *site; /* borrowed */
    struct sl_http_exchange *exchange;
    const struct sl_screen *screen;
    enum sl_place place;
    char frame[SL_WORD_MAX + 1];
    const char *address; /* borrowed: the address that the page asks for */
};

static bool suits(const struct sl_study *study, const struct sl_screen *screen)
{
    return !(screen->flags & SL_SCREEN_MIXTURES) || study->kind == SL_ITEM_MIXTURES;
}

/* Copies the part before the next slash into `out`; returns what follows the slash, or NULL. */
static const char *take_part(const char *text, char *out, size_t size)
{
    const size_t length = strcspn(text, "/");
    if (length == 0 || length >= size || text[length] != '/') return NULL;
    snprintf(out, size, "%.*s", (int)length, text);
    return text + length + 1;
}

static bool read_address(struct preview *preview, const char *rest)
{
    char screen[32], place[32];
    rest = take_part(rest, screen, sizeof screen);
    if (rest) rest = take_part(rest, place, sizeof place);
    if (rest) rest = take_part(rest, preview->frame, sizeof preview->frame);
    if (!rest || !sl_request_is_word(preview->frame, strlen(preview->frame))) return false;
    preview->screen = sl_screen_find(screen);
    preview->address = rest;
    for (int p = 0; p < SL_PLACE_COUNT; p++) {
        preview->place = (enum sl_place)p;
        if (strcmp(sl_place_names[p], place) == 0)
            return preview->screen && suits(preview->site->study, preview->screen);
    }
    return false;
}

/* ---- Replies to the pages ---- */

/* The only page of ours that may be in a frame, and only in a frame of ours. */
static void send_page(const struct preview *preview)
{
    static const struct sl_http_header headers[] = {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
         "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'"},
        {"X-Frame-Options", "SAMEORIGIN"},
        {NULL, NULL}};
    sl_site_send_page(preview->site, preview->exchange, headers);
}

static enum sl_status first_batch(const struct sl_store_batch_row *row, void *context)
{
    size_t *batch = context;
    if (row->batch < *batch) *batch = row->batch;
    return SL_OK;
}

/* Invents a test session that has just reached the place. */
static enum sl_status make_up(const struct preview *preview, struct sl_request *out,
                              struct sl_error *err)
{
    struct sl_site *site = preview->site;
    struct sl_store_session *session = &out->session;
    size_t batch = SIZE_MAX;
    *out =
        (struct sl_request){.site = site, .exchange = preview->exchange, .now = sl_site_now(site)};
    SL_TRY(sl_store_each_batch(site->store, first_batch, &batch, err));
    *session = (struct sl_store_session){.batch = batch, .seed = 1, .test = true};
    snprintf(session->screen, sizeof session->screen, "%s", preview->screen->name);
    snprintf(session->place, sizeof session->place, "%s", sl_place_names[preview->place]);
    return sl_request_find_flow(out, err);
}

static enum sl_status describe_preview(const struct preview *preview, json_t **out,
                                       struct sl_error *err)
{
    struct sl_request request;
    SL_TRY(make_up(preview, &request, err));
    SL_TRY(sl_session_describe(&request, out, err));
    json_object_set_new(*out, "session",
                        json_sprintf("preview-%s-%s-%s", preview->screen->name,
                                     sl_place_names[preview->place], preview->frame));
    return SL_OK;
}

static void send_session(const struct preview *preview)
{
    struct sl_error err;
    json_t *session = NULL;
    const enum sl_status status = describe_preview(preview, &session, &err);
    if (status == SL_OK)
        sl_admin_send_json(preview->exchange, session, NULL);
    else
        sl_admin_fail(preview->site->admin, preview->exchange, status, &err);
}

static enum sl_status feedback(const struct preview *preview, json_t *body, json_t **out,
                               struct sl_error *err)
{
    struct sl_request request;
    json_t *answer = json_object_get(body, "answer");
    if (!preview->site->flow.has[SL_PLACE_TRAINING] || preview->place != SL_PLACE_TRAINING ||
        !answer)
        return SL_OK;
    SL_TRY(make_up(preview, &request, err));
    return sl_exercise_feedback(&request, answer, out, err);
}

/* Acknowledges whatever the page sent; for an exercise it also says whether the answer was
 * right. */
static void acknowledge(const struct preview *preview)
{
    size_t length = 0;
    struct sl_error err;
    json_t *said = NULL;
    const char *bytes = sl_http_body(preview->exchange, &length);
    json_t *body = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, NULL);
    const char *id = json_string_value(json_object_get(body, "id"));
    const json_int_t trial = json_integer_value(json_object_get(body, "trial"));
    if (!json_is_object(body))
        sl_http_fail(preview->exchange, 400, "the body is not a JSON object");
    else if (feedback(preview, body, &said, &err) != SL_OK)
        sl_http_fail(preview->exchange, 400, err.message);
    else
        sl_admin_send_json(preview->exchange,
                           json_pack("{s:s, s:s, s:I, s:b, s:[], s:I, s:o*}", "saved", id ? id : "",
                                     "place", sl_place_names[preview->place], "trial", trial + 1,
                                     "passed", true, "wrong", "attempts_left",
                                     (json_int_t)preview->site->study->attempts, "feedback", said),
                           NULL);
    json_decref(body);
}

/* ---- Handlers ---- */

static bool open_preview(struct preview *preview, struct sl_study_admin *admin,
                         struct sl_http_exchange *exchange)
{
    if (!sl_admin_require(admin, exchange)) return false;
    *preview = (struct preview){.site = admin->options.site, .exchange = exchange};
    if (preview->site && read_address(preview, sl_http_segment(exchange))) return true;
    sl_http_fail(exchange, 404, "there is no such preview");
    return false;
}

void sl_admin_get_preview(struct sl_http_exchange *exchange, void *context)
{
    struct preview preview;
    char folder[8];
    if (!open_preview(&preview, context, exchange)) return;
    const char *name = take_part(preview.address, folder, sizeof folder);
    if (strcmp(preview.address, "study") == 0)
        send_page(&preview);
    else if (strcmp(preview.address, "api/session") == 0)
        send_session(&preview);
    else if (name && strcmp(folder, "web") == 0)
        sl_site_send_file(exchange, name);
    else if (name && strcmp(folder, "image") == 0)
        sl_site_send_image(preview.site, exchange, name);
    else if (name && strcmp(folder, "media") == 0)
        sl_site_send_media(preview.site, exchange, name);
    else
        sl_http_fail(exchange, 404, "there is no such preview");
}

void sl_admin_post_preview(struct sl_http_exchange *exchange, void *context)
{
    struct preview preview;
    if (!sl_http_same_origin(exchange))
        sl_http_fail(exchange, 403, "the request came from another site's page");
    else if (open_preview(&preview, context, exchange))
        acknowledge(&preview);
}

/* The available previews: screens that suit the items, and places that the study has. */
void sl_admin_get_previews(struct sl_http_exchange *exchange, void *context)
{
    struct sl_study_admin *admin = context;
    const struct sl_site *site = admin->options.site;
    if (!sl_admin_require(admin, exchange)) return;
    if (!site) {
        sl_http_fail(exchange, 404, "there is no such preview");
        return;
    }
    json_t *screens = json_array(), *places = json_array();
    for (const struct sl_screen *screen = sl_screens; screen->name; screen++) {
        bool asked = false;
        for (size_t i = 0; i < site->study->n_screens; i++)
            asked = asked || strcmp(site->study->screens[i], screen->name) == 0;
        if (suits(site->study, screen))
            json_array_append_new(screens, json_pack("{s:s, s:s, s:b}", "name", screen->name,
                                                     "summary", screen->summary, "asked", asked));
    }
    for (int place = 0; place < SL_PLACE_COUNT; place++)
        if (site->flow.has[place] || place == SL_PLACE_TRIALS || place >= SL_PLACE_DONE)
            json_array_append_new(places, json_string(sl_place_names[place]));
    sl_admin_send_json(exchange, json_pack("{s:o, s:o}", "screens", screens, "places", places),
                       NULL);
}
