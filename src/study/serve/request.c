#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "study/serve/site.h"

/* A page sends an answer every few seconds and little else; retries come in bursts. */
static const struct sl_limit per_session = {"session", 10, 100};
static const struct sl_limit per_address = {"address", 100, 2000};

static void fail_later(struct sl_http_exchange *exchange, unsigned seconds)
{
    static const char body[] = "{\"error\": \"too many requests, please wait\"}";
    char wait[24];
    snprintf(wait, sizeof wait, "%u", seconds);
    const struct sl_http_header headers[] = {{"Retry-After", wait}, {NULL, NULL}};
    sl_http_send(exchange, &(struct sl_http_reply){.status = 429,
                                                   .type = "application/json",
                                                   .body = body,
                                                   .length = sizeof body - 1,
                                                   .headers = headers});
}

/* Load tests and simulated annotators on this machine are not limited. */
bool sl_request_admit(struct sl_site *site, struct sl_http_exchange *exchange,
                      const struct sl_limit *limit)
{
    const struct sl_caller caller = sl_caller_of(exchange, site->host->options.behind_proxy);
    if (caller.local) return true;
    unsigned wait = sl_limits_take(site->limits, limit ? limit : &per_address, caller.network,
                                   strlen(caller.network), sl_site_now(site));
    if (wait == 0) return true;
    fail_later(exchange, wait);
    return false;
}

static bool admit_session(struct sl_request *request)
{
    const struct sl_site *site = request->site;
    const struct sl_store_session *session = &request->session;
    if (sl_caller_of(request->exchange, site->host->options.behind_proxy).local) return true;
    unsigned wait =
        sl_limits_take(site->limits, &per_session, &session->id, sizeof session->id, request->now);
    if (wait == 0) return true;
    fail_later(request->exchange, wait);
    return false;
}

static bool find_session(struct sl_request *request)
{
    uint8_t hash[SL_STORE_TOKEN_BYTES];
    struct sl_error err;
    enum sl_status status = SL_ERR_NOT_FOUND;
    if (sl_secret_token_hash(sl_http_cookie(request->exchange, "softlab"), hash))
        status = sl_store_find_session(request->site->store, hash, &request->session, &err);
    if (status == SL_OK) return true;
    if (status == SL_ERR_NOT_FOUND)
        sl_http_fail(request->exchange, 401, "there is no session: open the study link again");
    else if (status == SL_ERR_BUSY && sl_store_usable(request->site->store))
        sl_site_park(request->site, request->exchange);
    else
        sl_site_abort(request->site, request->exchange, &err);
    return false;
}

/* A place whose lease ran out may belong to somebody else by now. */
static bool check_lease(struct sl_request *request)
{
    struct sl_store_session *session = &request->session;
    struct sl_error err;
    bool over = session->state == SL_SESSION_ACTIVE && session->lease_until <= request->now;
    if (!over && session->state != SL_SESSION_EXPIRED) return true;
    if (over) {
        session->state = SL_SESSION_EXPIRED;
        if (sl_store_save_session(request->site->store, session, &err) != SL_OK) {
            sl_site_abort(request->site, request->exchange, &err);
            return false;
        }
        sl_site_flush(request->site);
    }
    sl_http_fail(request->exchange, 410,
                 "the session was idle for too long, and its place went to somebody else: open "
                 "the study link again");
    return false;
}

/* A form of another site cannot send this content type. */
static bool is_json(const char *type)
{
    static const char json[] = "application/json";
    if (!type) return true;
    size_t length = strcspn(type, "; \t");
    return length == strlen(json) && strncasecmp(type, json, length) == 0;
}

static bool read_body(struct sl_request *request)
{
    struct sl_error err;
    if (!is_json(sl_http_request_header(request->exchange, "Content-Type"))) {
        sl_http_fail(request->exchange, 415, "the body must be application/json");
        return false;
    }
    size_t length = 0;
    const char *body = sl_http_body(request->exchange, &length);
    enum sl_status status =
        sl_json_parse(body ? body : "", length, "request", 1, &request->body, &err);
    if (status == SL_OK && json_is_object(request->body.root)) return true;
    if (status == SL_OK) sl_json_release(&request->body);
    request->body = (struct sl_json){0};
    sl_http_fail(request->exchange, 400, status == SL_OK ? "expected an object" : err.message);
    return false;
}

enum sl_status sl_request_find_flow(struct sl_request *request, struct sl_error *err)
{
    struct sl_site *site = request->site;
    bool *practice = &request->flow.has[SL_PLACE_PRACTICE];
    request->flow = site->flow;
    if (!*practice) return SL_OK;
    return sl_stimuli_has_practice(&site->stimuli, site->study, site->store, request->session.batch,
                                   practice, err);
}

static bool find_flow(struct sl_request *request)
{
    struct sl_error err;
    if (sl_request_find_flow(request, &err) == SL_OK) return true;
    sl_site_abort(request->site, request->exchange, &err);
    return false;
}

bool sl_request_open(struct sl_request *request, struct sl_site *site,
                     struct sl_http_exchange *exchange, enum sl_http_method method)
{
    *request = (struct sl_request){.site = site, .exchange = exchange, .now = sl_site_now(site)};
    if (!sl_site_gather(site, exchange)) return false;
    /* This check comes first: a request that has to wait is handled again from the beginning, and
     * must not count against limits each time. */
    if (!sl_site_ready(site, exchange)) return false;
    if (!sl_request_admit(site, exchange, NULL)) return false;
    if (method == SL_HTTP_POST && !sl_http_same_origin(exchange)) {
        sl_http_fail(exchange, 403, "the request came from another site's page");
        return false;
    }
    if (!find_session(request) || !admit_session(request)) return false;
    if (site->host->options.rehearse && !request->session.test) {
        sl_http_fail(exchange, 403, "the study has not started yet");
        return false;
    }
    if (!check_lease(request) || !find_flow(request)) return false;
    if (method == SL_HTTP_POST && !read_body(request)) return false;
    sl_session_renew(&request->session, site->study, request->now);
    return true;
}

void sl_request_close(struct sl_request *request)
{
    if (request->body.root) sl_json_release(&request->body);
}

void sl_request_fail(struct sl_request *request, const struct sl_error *err)
{
    if (err->code == SL_ERR_INPUT)
        sl_http_fail(request->exchange, 400, err->message);
    else if (err->code == SL_ERR_USAGE)
        sl_http_fail(request->exchange, 409, err->message);
    else
        sl_site_abort(request->site, request->exchange, err);
}

void sl_request_finish(struct sl_request *request, json_t *body)
{
    struct sl_site *site = request->site;
    struct sl_error err;
    if (sl_store_save_session(site->store, &request->session, &err) == SL_OK) {
        sl_site_reply(site, request->exchange, body);
        return;
    }
    json_decref(body);
    sl_site_abort(site, request->exchange, &err);
}

enum sl_status sl_request_note(struct sl_request *request, const char *kind, json_t *body,
                               struct sl_error *err)
{
    char *text = json_dumps(body, JSON_COMPACT);
    json_decref(body);
    enum sl_status status = sl_store_put_event(request->site->store, request->session.id,
                                               request->now, kind, text ? text : "{}", err);
    free(text);
    return status;
}

bool sl_request_is_word(const char *text, size_t length)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    return length > 0 && length <= SL_WORD_MAX && strspn(text, plain) >= length && *text != '-';
}
