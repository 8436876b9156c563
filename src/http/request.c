#include "http_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "softlab/base/memory.h"

/* ---- What a request holds ---- */

const char *sl_http_segment(const struct sl_http_exchange *exchange)
{
    return exchange->segment;
}

const char *sl_http_query(const struct sl_http_exchange *exchange, const char *name)
{
    return sl_http_pairs_find(&exchange->query, name);
}

const char *sl_http_request_header(const struct sl_http_exchange *exchange, const char *name)
{
    return evhttp_find_header(evhttp_request_get_input_headers(exchange->request), name);
}

const char *sl_http_cookie(const struct sl_http_exchange *exchange, const char *name)
{
    return sl_http_pairs_find(&exchange->cookies, name);
}

const char *sl_http_body(const struct sl_http_exchange *exchange, size_t *length)
{
    struct evbuffer *body = evhttp_request_get_input_buffer(exchange->request);
    *length = evbuffer_get_length(body);
    return *length ? (const char *)evbuffer_pullup(body, -1) : "";
}

const char *sl_http_peer(const struct sl_http_exchange *exchange)
{
    return exchange->peer;
}

bool sl_http_same_origin(const struct sl_http_exchange *exchange)
{
    const char *site = sl_http_request_header(exchange, "Sec-Fetch-Site");
    if (site) return strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0;
    const char *origin = sl_http_request_header(exchange, "Origin");
    if (!origin) return true;
    const char *scheme_end = strstr(origin, "://");
    if (!scheme_end) return false; /* "null" among others */
    size_t scheme = (size_t)(scheme_end - origin);
    bool is_web = (scheme == 4 && strncmp(origin, "http", 4) == 0) ||
                  (scheme == 5 && strncmp(origin, "https", 5) == 0);
    return is_web && strcasecmp(scheme_end + 3, sl_http_request_header(exchange, "Host")) == 0;
}

/* ---- Exchanges ---- */

/* The head has been checked, so that decoding cannot fail; a refused one left nothing. */
static void read_target(struct sl_http_exchange *exchange)
{
    const char *target = evhttp_request_get_uri(exchange->request);
    size_t length = strcspn(target, "?");
    const char *query = target[length] ? target + length + 1 : "";
    exchange->path = sl_alloc(length + 1, 1);
    bool is_plain = sl_http_path_decode(target, length, exchange->path) &&
                    sl_http_query_parse(query, strlen(query), &exchange->query);
    assert(is_plain);
    (void)is_plain;
    const char *cookies = sl_http_request_header(exchange, "Cookie");
    if (cookies) sl_http_cookies_parse(cookies, &exchange->cookies);
}

static struct sl_http_exchange *exchange_create(struct sl_http_listener *listener,
                                                struct sl_http_connection *connection,
                                                struct evhttp_request *request)
{
    struct sl_http_loop *loop = listener->loop;
    struct sl_http_exchange *exchange = sl_alloc(1, sizeof *exchange);
    char *peer = NULL;
    ev_uint16_t port = 0;
    evhttp_connection_get_peer(connection->evhttp, &peer, &port);
    exchange->loop = loop;
    exchange->listener = listener;
    exchange->connection = connection;
    exchange->request = request;
    exchange->head = connection->head;
    exchange->segment = "";
    exchange->peer = sl_string_copy(peer ? peer : "");
    exchange->next = loop->exchanges;
    if (loop->exchanges) loop->exchanges->previous = exchange;
    loop->exchanges = exchange;
    connection->exchange = exchange;
    return exchange;
}

void sl_http_exchange_destroy(struct sl_http_exchange *exchange)
{
    struct sl_http_loop *loop = exchange->loop;
    if (exchange->source.done) exchange->source.done(exchange->source.context);
    /* Left over by a client that went before the reply. */
    if (!exchange->connection && exchange->request) evhttp_request_free(exchange->request);
    if (exchange->next) exchange->next->previous = exchange->previous;
    *(exchange->previous ? &exchange->previous->next : &loop->exchanges) = exchange->next;
    sl_http_pairs_release(&exchange->query);
    sl_http_pairs_release(&exchange->cookies);
    free(exchange->path);
    free(exchange->peer);
    free(exchange->piece);
    free(exchange);
    sl_http_loop_settled(loop);
}

void sl_http_exchange_abandon(struct sl_http_exchange *exchange)
{
    exchange->connection = NULL;
    if (!exchange->replied) {
        evhttp_request_own(exchange->request); /* the handler may still read it */
        return;
    }
    /* evhttp frees the request with its connection, unless it took them apart because of an
     * error in the middle of a stream. */
    if (evhttp_request_get_connection(exchange->request)) exchange->request = NULL;
    sl_http_exchange_destroy(exchange);
}

static void on_written(struct evhttp_request *request, void *context)
{
    (void)request;
    struct sl_http_exchange *exchange = context;
    struct sl_http_connection *connection = exchange->connection;
    sl_http_exchange_destroy(exchange);
    sl_http_connection_rest(connection);
}

/* ---- Routes ---- */

static bool matches(const struct sl_http_route *route, const char *path, const char **segment)
{
    size_t length = strlen(route->path);
    *segment = "";
    if (strcmp(route->path, path) == 0) return length == 1 || path[length - 1] != '/';
    if (length < 2 || route->path[length - 1] != '/' || strncmp(route->path, path, length) != 0)
        return false;
    *segment = path + length;
    return !strchr(*segment, '/');
}

static void route(struct sl_http_exchange *exchange)
{
    const struct sl_http_options *options = &exchange->listener->options;
    bool is_known = false;
    for (const struct sl_http_route *at = options->routes; at && at->path; at++) {
        if (!matches(at, exchange->path, &exchange->segment)) continue;
        if (at->method == exchange->head.method) {
            at->handle(exchange, options->context);
            return;
        }
        is_known = true;
    }
    if (!is_known) {
        sl_http_fail(exchange, 404, "there is no such page");
        return;
    }
    const struct sl_http_header allow[] = {
        {"Allow", exchange->head.method == SL_HTTP_GET ? "POST" : "GET"}, {NULL, NULL}};
    sl_http_fail_with(exchange, 405, "the page does not take this method", allow);
}

static void refuse(struct sl_http_exchange *exchange, struct sl_http_refusal refusal)
{
    static const struct sl_http_header allow[] = {{"Allow", "GET, POST"}, {NULL, NULL}};
    exchange->head = (struct sl_http_head){.close = true};
    sl_http_fail_with(exchange, refusal.status, refusal.message,
                      refusal.status == 405 ? allow : NULL);
}

void sl_http_handle(struct evhttp_request *request, void *context)
{
    struct sl_http_listener *listener = context;
    struct sl_http_connection *connection = sl_http_connection_of(listener->loop, request);
    struct sl_http_exchange *exchange = exchange_create(listener, connection, request);
    evhttp_request_set_on_complete_cb(request, on_written, exchange);
    if (connection->refusal.status) {
        refuse(exchange, connection->refusal);
        return;
    }
    read_target(exchange);
    route(exchange);
}
