#include "http_internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "softlab/base/json.h"
#include "softlab/base/memory.h"

enum { PIECE_BYTES = 32 << 10 };

/* evhttp's table of phrases ends before these. */
static const char *phrase_of(int status)
{
    switch (status) {
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    default: return NULL;
    }
}

static bool has_body(int status)
{
    return status >= 200 && status != 204 && status != 304;
}

/* What a handler copies out of a request must not become a header line of its own. */
static void add_header(struct sl_http_exchange *exchange, const char *name, const char *value)
{
    for (const char *at = value; *at; at++) {
        if ((unsigned char)*at >= 0x20 || *at == '\t') continue;
        sl_log(exchange->loop->log, SL_LOG_WARNING, "left out: header %s with a control character",
               name);
        return;
    }
    evhttp_add_header(evhttp_request_get_output_headers(exchange->request), name, value);
}

static bool is_among(const struct sl_http_header *headers, const char *name)
{
    for (; headers && headers->name; headers++)
        if (strcasecmp(headers->name, name) == 0) return true;
    return false;
}

/* A header of the reply stands for one of the same name of the listener. */
static void add_headers(struct sl_http_exchange *exchange, const struct sl_http_reply *reply)
{
    const struct sl_http_header *at = exchange->listener->options.headers;
    for (; at && at->name; at++)
        if (!is_among(reply->headers, at->name)) add_header(exchange, at->name, at->value);
    for (at = reply->headers; at && at->name; at++)
        add_header(exchange, at->name, at->value);
    if (reply->type && has_body(reply->status)) add_header(exchange, "Content-Type", reply->type);
    if (!exchange->head.close && !exchange->head.old && !exchange->loop->stopping) return;
    /* evhttp would answer a client's keep-alive with another. */
    struct evkeyvalq *input = evhttp_request_get_input_headers(exchange->request);
    while (evhttp_remove_header(input, "Connection") == 0) {
    }
    add_header(exchange, "Connection", "close");
}

/* True if there is still somebody to reply to. */
static bool begin_reply(struct sl_http_exchange *exchange)
{
    assert(!exchange->replied && "an exchange gets one reply");
    exchange->replied = true;
    if (exchange->connection) return true;
    sl_http_exchange_destroy(exchange);
    return false;
}

/* A body that is not ours, on its way. */
struct lent {
    void (*done)(void *context);
    void *context;
};

static void give_back(const void *bytes, size_t length, void *context)
{
    struct lent *lent = context;
    (void)bytes;
    (void)length;
    lent->done(lent->context);
    free(lent);
}

static void add_body(struct evbuffer *output, const struct sl_http_reply *reply)
{
    if (!reply->done) {
        evbuffer_add(output, reply->body, reply->length);
        return;
    }
    struct lent *lent = sl_alloc(1, sizeof *lent);
    *lent = (struct lent){reply->done, reply->context};
    if (evbuffer_add_reference(output, reply->body, reply->length, give_back, lent) != 0)
        give_back(NULL, 0, lent);
}

void sl_http_send(struct sl_http_exchange *exchange, const struct sl_http_reply *reply)
{
    bool wanted = begin_reply(exchange);
    if (reply->done && (!wanted || !has_body(reply->status))) reply->done(reply->context);
    if (!wanted) return;
    struct evhttp_request *request = exchange->request;
    add_headers(exchange, reply);
    if (has_body(reply->status)) {
        char length[24];
        snprintf(length, sizeof length, "%zu", reply->length);
        add_header(exchange, "Content-Length", length);
        add_body(evhttp_request_get_output_buffer(request), reply);
    }
    evhttp_send_reply(request, reply->status, phrase_of(reply->status), NULL);
}

void sl_http_fail_with(struct sl_http_exchange *exchange, int status, const char *message,
                       const struct sl_http_header *headers)
{
    json_t *object = json_pack("{s:s}", "error", message);
    char *body = object ? json_dumps(object, 0) : NULL;
    struct sl_http_reply reply = {
        .status = status,
        .type = "application/json",
        .body = body ? body : "{}",
        .length = body ? strlen(body) : 2,
        .headers = headers,
    };
    sl_http_send(exchange, &reply);
    free(body);
    json_decref(object);
}

void sl_http_fail(struct sl_http_exchange *exchange, int status, const char *message)
{
    sl_http_fail_with(exchange, status, message, NULL);
}

/* ---- Streams ---- */

static void send_piece(struct sl_http_exchange *exchange);

/* evhttp calls this when the piece before is written. */
static void on_drained(struct evhttp_connection *evhttp, void *context)
{
    (void)evhttp;
    send_piece(context);
}

static void source_end(struct sl_http_exchange *exchange)
{
    if (exchange->source.done) exchange->source.done(exchange->source.context);
    exchange->source = (struct sl_http_source){0};
}

static void send_piece(struct sl_http_exchange *exchange)
{
    const struct sl_http_source *source = &exchange->source;
    size_t length = source->next(source->context, exchange->piece, PIECE_BYTES);
    if (length == SIZE_MAX) {
        source_end(exchange);
        sl_http_connection_doom(exchange->connection);
    } else if (length == 0) {
        source_end(exchange);
        evhttp_send_reply_end(exchange->request); /* which may free the exchange */
    } else {
        assert(length <= PIECE_BYTES);
        struct evbuffer *piece = evbuffer_new();
        evbuffer_add(piece, exchange->piece, length);
        evhttp_send_reply_chunk_with_cb(exchange->request, piece, on_drained, exchange);
        evbuffer_free(piece);
    }
}

void sl_http_stream(struct sl_http_exchange *exchange, const struct sl_http_reply *head,
                    struct sl_http_source source)
{
    assert(has_body(head->status));
    exchange->source = source;
    if (!begin_reply(exchange)) return;
    add_headers(exchange, head);
    exchange->piece = sl_alloc(PIECE_BYTES, 1);
    evhttp_send_reply_start(exchange->request, head->status, phrase_of(head->status));
    send_piece(exchange);
}
