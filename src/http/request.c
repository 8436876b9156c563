#include "http_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "softlab/base/memory.h"

/* ---- The parts of a request ---- */

const char *sl_http_segment(const struct sl_http_exchange *exchange)
{
    return exchange->segment;
}

const char *sl_http_query(const struct sl_http_exchange *exchange, const char *name)
{
    return sl_http_pairs_find(&exchange->head.query, name);
}

const char *sl_http_request_header(const struct sl_http_exchange *exchange, const char *name)
{
    const struct sl_http_pairs *headers = &exchange->head.headers;
    for (size_t i = 0; i < headers->count; i++)
        if (strcasecmp(headers->items[i].name, name) == 0) return headers->items[i].value;
    return NULL;
}

const char *sl_http_request_header_last(const struct sl_http_exchange *exchange, const char *name)
{
    const struct sl_http_pairs *headers = &exchange->head.headers;
    for (size_t i = headers->count; i-- > 0;)
        if (strcasecmp(headers->items[i].name, name) == 0) return headers->items[i].value;
    return NULL;
}

const char *sl_http_cookie(const struct sl_http_exchange *exchange, const char *name)
{
    return sl_http_pairs_find(&exchange->head.cookies, name);
}

const char *sl_http_body(const struct sl_http_exchange *exchange, size_t *length)
{
    *length = exchange->head.body;
    return exchange->body;
}

const char *sl_http_peer(const struct sl_http_exchange *exchange)
{
    return exchange->peer;
}

bool sl_http_is_head(const struct sl_http_exchange *exchange)
{
    return exchange->head.bodiless;
}

bool sl_http_same_origin(const struct sl_http_exchange *exchange)
{
    const char *site = sl_http_request_header(exchange, "Sec-Fetch-Site");
    if (site) return strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0;
    const char *origin = sl_http_request_header(exchange, "Origin");
    if (!origin) return true;
    const char *scheme_end = strstr(origin, "://");
    if (!scheme_end) return false; /* such as "null" */
    size_t scheme = (size_t)(scheme_end - origin);
    bool is_web = (scheme == 4 && strncmp(origin, "http", 4) == 0) ||
                  (scheme == 5 && strncmp(origin, "https", 5) == 0);
    return is_web && strcasecmp(scheme_end + 3, sl_http_request_header(exchange, "Host")) == 0;
}

/* ---- Exchanges ---- */

struct sl_http_exchange *sl_http_exchange_create(struct sl_http_connection *connection,
                                                 struct sl_http_head *head)
{
    struct sl_http_listener *listener = connection->listener;
    struct sl_http_loop *loop = listener->loop;
    struct sl_http_exchange *exchange = sl_alloc(1, sizeof *exchange);
    exchange->loop = loop;
    exchange->listener = listener;
    exchange->connection = connection;
    exchange->head = *head;
    *head = (struct sl_http_head){0};
    exchange->body = sl_alloc(exchange->head.body + 1, 1);
    exchange->segment = "";
    exchange->began = sl_clock_seconds();
    memcpy(exchange->peer, connection->peer.text, sizeof exchange->peer);
    exchange->next = loop->exchanges;
    if (loop->exchanges) loop->exchanges->previous = exchange;
    loop->exchanges = exchange;
    connection->exchange = exchange;
    return exchange;
}

static void tell_served(const struct sl_http_exchange *exchange)
{
    const struct sl_http_options *options = &exchange->listener->options;
    const struct sl_http_head *head = &exchange->head;
    const char *name = head->bodiless ? "HEAD" : "GET";
    const struct sl_http_served served = {
        .method = head->method == SL_HTTP_POST ? "POST" : name,
        .path = head->path,
        .status = exchange->status,
        .bytes = exchange->sent,
        .seconds = sl_clock_seconds() - exchange->began,
    };
    if (options->served) options->served(&served, options->context);
}

void sl_http_exchange_destroy(struct sl_http_exchange *exchange)
{
    struct sl_http_loop *loop = exchange->loop;
    tell_served(exchange);
    if (exchange->source.done) exchange->source.done(exchange->source.context);
    if (exchange->next) exchange->next->previous = exchange->previous;
    *(exchange->previous ? &exchange->previous->next : &loop->exchanges) = exchange->next;
    sl_http_head_release(&exchange->head);
    free(exchange->body);
    free(exchange->piece);
    free(exchange);
    sl_http_loop_settled(loop);
}

void sl_http_exchange_abandon(struct sl_http_exchange *exchange)
{
    exchange->connection = NULL;
    /* The handler may still read an exchange that has no reply. */
    if (exchange->replied) sl_http_exchange_destroy(exchange);
}

/* ---- Routes ---- */

static bool matches(const struct sl_http_route *route, const char *path, const char **segment)
{
    size_t length = strlen(route->path);
    const bool deep = length > 2 && route->path[length - 1] == '*';
    *segment = "";
    if (deep && strncmp(route->path, path, length - 1) == 0) {
        *segment = path + length - 1;
        return **segment;
    }
    if (strcmp(route->path, path) == 0) return length == 1 || path[length - 1] != '/';
    if (length < 2 || route->path[length - 1] != '/' || strncmp(route->path, path, length) != 0)
        return false;
    *segment = path + length;
    return !strchr(*segment, '/');
}

/* True if a handler was called; *is_known if the page exists, but with the other method. */
static bool try_routes(struct sl_http_exchange *exchange, const struct sl_http_route *routes,
                       const char *path, void *context, bool *is_known)
{
    for (const struct sl_http_route *at = routes; at && at->path; at++) {
        if (!matches(at, path, &exchange->segment)) continue;
        if (at->method == exchange->head.method) {
            at->handle(exchange, context);
            return true;
        }
        *is_known = true;
    }
    return false;
}

/* The query belongs to the page: it is passed on unchanged. */
static void send_to_slash(struct sl_http_exchange *exchange, const char *prefix)
{
    const char *query = exchange->head.query_text;
    char *location = sl_string_printf("%s/%s%s", prefix, *query ? "?" : "", query);
    const struct sl_http_header headers[] = {{"Location", location}, {NULL, NULL}};
    sl_http_send(exchange, &(struct sl_http_reply){.status = 308, .headers = headers});
    free(location);
}

static bool try_mounts(struct sl_http_exchange *exchange, const struct sl_http_mount *mounts,
                       bool *is_known)
{
    const char *path = exchange->head.path;
    for (const struct sl_http_mount *at = mounts; at && at->prefix; at++) {
        size_t length = strlen(at->prefix);
        if (strncmp(path, at->prefix, length) != 0) continue;
        if (path[length] == '\0' && exchange->head.method == SL_HTTP_GET) {
            send_to_slash(exchange, at->prefix);
            return true;
        }
        if (path[length] == '/' &&
            try_routes(exchange, at->routes, path + length, at->context, is_known))
            return true;
    }
    return false;
}

void sl_http_exchange_route(struct sl_http_exchange *exchange)
{
    const struct sl_http_options *options = &exchange->listener->options;
    bool is_known = false;
    if (try_mounts(exchange, options->mounts, &is_known)) return;
    if (try_routes(exchange, options->routes, exchange->head.path, options->context, &is_known))
        return;
    if (!is_known) {
        sl_http_fail(exchange, 404, "there is no such page");
        return;
    }
    const struct sl_http_header allow[] = {
        {"Allow", exchange->head.method == SL_HTTP_GET ? "POST" : "GET, HEAD"}, {NULL, NULL}};
    sl_http_fail_with(exchange, 405, "the page does not accept this method", allow);
}

void sl_http_again(struct sl_http_exchange *exchange)
{
    assert(!exchange->replied);
    sl_http_exchange_route(exchange);
}

void sl_http_exchange_refuse(struct sl_http_exchange *exchange, struct sl_http_refusal refusal)
{
    static const struct sl_http_header allow[] = {{"Allow", "GET, HEAD, POST"}, {NULL, NULL}};
    sl_http_fail_with(exchange, refusal.status, refusal.message,
                      refusal.status == 405 ? allow : NULL);
}
