/* The POSTs of the pages between places (docs/internals/study.md). Every handler checks the whole
 * request before it writes, so that a refused request leaves no trace. */
#include <string.h>

#include "softlab/base/text.h"
#include "study/serve/site.h"

enum { MAX_EVENTS = 200, MAX_PAGES = 200, MAX_TEXT = 10000 };
/* What pages may note about one session; an hour of work uses a tenth of it. */
enum { MAX_EVENT_BYTES = 256 << 10 };
/* A time stamp or duration in ms: a page left open for years is no error. */
static const double MAX_MS = 1e15;

static json_t *place_json(const struct sl_request *request)
{
    return json_pack("{s:s}", "place", request->session.place);
}

static enum sl_status read_number(const struct sl_json_cursor *at, struct sl_error *err)
{
    double number = 0;
    return sl_json_number(at, -MAX_MS, MAX_MS, &number, err);
}

/* ---- Consent ---- */

static enum sl_status take_consent(struct sl_request *request, struct sl_error *err)
{
    static const char *const known[] = {"version", "agreed", NULL};
    struct sl_json_cursor root = sl_json_root(&request->body), at;
    const char *version = NULL;
    bool agreed = false, behind = false;
    SL_TRY(sl_json_only(&root, known, err));
    SL_TRY(sl_json_member(&root, "version", &at, err));
    SL_TRY(sl_json_string(&at, &version, err));
    SL_TRY(sl_json_member(&root, "agreed", &at, err));
    SL_TRY(sl_json_boolean(&at, &agreed, err));
    SL_TRY(sl_session_reach(&request->session, SL_PLACE_CONSENT, &behind, err));
    if (behind) return SL_OK;
    SL_TRY(sl_session_consent(&request->session, request->site->study, &request->flow, agreed,
                              version, request->now, err));
    return sl_request_note(request, "consent", json_incref(request->body.root), err);
}

/* ---- Instructions ---- */

static enum sl_status take_instructions(struct sl_request *request, struct sl_error *err)
{
    static const char *const known[] = {"pages", NULL};
    struct sl_json_cursor root = sl_json_root(&request->body), pages;
    size_t count = 0;
    bool behind = false;
    SL_TRY(sl_json_only(&root, known, err));
    SL_TRY(sl_json_member(&root, "pages", &pages, err));
    SL_TRY(sl_json_array_size(&pages, &count, err));
    if (count > MAX_PAGES) return sl_json_fail(&pages, err, "expected at most %d", MAX_PAGES);
    for (size_t i = 0; i < count; i++) {
        struct sl_json_cursor at = sl_json_element(&pages, i);
        SL_TRY(read_number(&at, err));
    }
    SL_TRY(sl_session_reach(&request->session, SL_PLACE_INSTRUCTIONS, &behind, err));
    if (behind) return SL_OK;
    SL_TRY(sl_session_leave(&request->session, &request->flow, SL_PLACE_INSTRUCTIONS, request->now,
                            err));
    return sl_request_note(request, "instructions", json_incref(request->body.root), err);
}

/* ---- Events of the page ---- */

static enum sl_status check_event(const struct sl_json_cursor *event, struct sl_error *err)
{
    static const char *const known[] = {"kind", "at", NULL};
    struct sl_json_cursor at;
    const char *kind = NULL;
    SL_TRY(sl_json_only(event, known, err));
    SL_TRY(sl_json_member(event, "kind", &at, err));
    SL_TRY(sl_json_string(&at, &kind, err));
    if (!sl_request_is_word(kind, strlen(kind)))
        return sl_json_fail(&at, err, "expected a word of 1 to %d letters", SL_WORD_MAX);
    SL_TRY(sl_json_member(event, "at", &at, err));
    return read_number(&at, err);
}

/* Refused when the session's notes reach the limit. */
static enum sl_status keep_events(struct sl_request *request, struct sl_error *err)
{
    size_t kept = 0, length = 0;
    SL_TRY(sl_store_event_bytes(request->site->store, request->session.id, "page", &kept, err));
    (void)sl_http_body(request->exchange, &length);
    if (kept + length > MAX_EVENT_BYTES)
        return sl_fail(err, SL_ERR_USAGE, "this session has noted too many events");
    return sl_request_note(request, "page", json_incref(request->body.root), err);
}

static enum sl_status take_events(struct sl_request *request, struct sl_error *err)
{
    static const char *const known[] = {"events", NULL};
    struct sl_json_cursor root = sl_json_root(&request->body), events;
    size_t count = 0;
    SL_TRY(sl_json_only(&root, known, err));
    SL_TRY(sl_json_member(&root, "events", &events, err));
    SL_TRY(sl_json_array_size(&events, &count, err));
    if (count > MAX_EVENTS) return sl_json_fail(&events, err, "expected at most %d", MAX_EVENTS);
    for (size_t i = 0; i < count; i++) {
        struct sl_json_cursor at = sl_json_element(&events, i);
        SL_TRY(check_event(&at, err));
    }
    if (count == 0 || request->session.state != SL_SESSION_ACTIVE) return SL_OK;
    return keep_events(request, err);
}

/* ---- Debrief ---- */

static enum sl_status check_debrief(const struct sl_json_cursor *at, enum sl_debrief_kind kind,
                                    struct sl_error *err)
{
    const char *text = NULL;
    int64_t number = 0;
    if (json_is_null(at->value)) return SL_OK;
    if (kind == SL_DEBRIEF_SCALE) return sl_json_integer(at, 1, 10, &number, err);
    SL_TRY(sl_json_string(at, &text, err));
    if (strlen(text) > MAX_TEXT) return sl_json_fail(at, err, "is longer than %d bytes", MAX_TEXT);
    return SL_OK;
}

static enum sl_status take_debrief(struct sl_request *request, struct sl_error *err)
{
    static const char *const known[] = {"answers", NULL};
    const struct sl_study *study = request->site->study;
    struct sl_json_cursor root = sl_json_root(&request->body), answers;
    size_t count = 0;
    bool behind = false;
    SL_TRY(sl_json_only(&root, known, err));
    SL_TRY(sl_json_member(&root, "answers", &answers, err));
    SL_TRY(sl_json_array_size(&answers, &count, err));
    if (count != study->n_debrief)
        return sl_json_fail(&answers, err, "expected %zu answer%s, got %zu", study->n_debrief,
                            sl_text_plural(study->n_debrief, "", "s"), count);
    for (size_t i = 0; i < count; i++) {
        struct sl_json_cursor at = sl_json_element(&answers, i);
        SL_TRY(check_debrief(&at, study->debrief[i].kind, err));
    }
    SL_TRY(sl_session_reach(&request->session, SL_PLACE_DEBRIEF, &behind, err));
    if (behind) return SL_OK;
    SL_TRY(
        sl_session_leave(&request->session, &request->flow, SL_PLACE_DEBRIEF, request->now, err));
    return sl_request_note(request, "debrief", json_incref(request->body.root), err);
}

/* ---- Returning the place ---- */

static enum sl_status take_return(struct sl_request *request, struct sl_error *err)
{
    static const char *const known[] = {NULL};
    struct sl_json_cursor root = sl_json_root(&request->body);
    bool before = request->session.state == SL_SESSION_RETURNED;
    SL_TRY(sl_json_only(&root, known, err));
    SL_TRY(sl_session_return(&request->session, request->now, err));
    return before ? SL_OK : sl_request_note(request, "return", json_object(), err);
}

/* ---- Routes ---- */

static void handle(struct sl_http_exchange *exchange, struct sl_site *site,
                   enum sl_status (*take)(struct sl_request *request, struct sl_error *err),
                   bool says_place)
{
    struct sl_request request;
    struct sl_error err;
    if (!sl_request_open(&request, site, exchange, SL_HTTP_POST)) return;
    if (take(&request, &err) == SL_OK)
        sl_request_finish(&request, says_place ? place_json(&request) : json_object());
    else
        sl_request_fail(&request, &err);
    sl_request_close(&request);
}

static void handle_consent(struct sl_http_exchange *exchange, void *context)
{
    handle(exchange, context, take_consent, true);
}

static void handle_instructions(struct sl_http_exchange *exchange, void *context)
{
    handle(exchange, context, take_instructions, true);
}

static void handle_events(struct sl_http_exchange *exchange, void *context)
{
    handle(exchange, context, take_events, false);
}

static void handle_debrief(struct sl_http_exchange *exchange, void *context)
{
    handle(exchange, context, take_debrief, true);
}

static void handle_return(struct sl_http_exchange *exchange, void *context)
{
    handle(exchange, context, take_return, true);
}

const struct sl_http_route sl_study_routes[] = {
    {SL_HTTP_GET, "/", sl_handle_arrival},
    {SL_HTTP_GET, "/study", sl_handle_page},
    {SL_HTTP_GET, "/web/", sl_handle_file},
    {SL_HTTP_GET, "/image/", sl_handle_image},
    {SL_HTTP_GET, "/media/", sl_handle_media},
    {SL_HTTP_GET, "/api/session", sl_handle_session},
    {SL_HTTP_POST, "/api/consent", handle_consent},
    {SL_HTTP_POST, "/api/instructions", handle_instructions},
    {SL_HTTP_POST, "/api/check", sl_handle_check},
    {SL_HTTP_POST, "/api/answer", sl_handle_answer},
    {SL_HTTP_POST, "/api/events", handle_events},
    {SL_HTTP_POST, "/api/debrief", handle_debrief},
    {SL_HTTP_POST, "/api/return", handle_return},
    {.path = NULL},
};
