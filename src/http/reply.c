#include "http_internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "softlab/base/json.h"
#include "softlab/base/memory.h"

enum { PIECE_BYTES = 32 << 10 };

static const struct {
    int status;
    const char *phrase;
} phrases[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
};

/* The phrase is only for people; an unknown status gets none. */
static const char *phrase_of(int status)
{
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (phrases[i].status == status) return phrases[i].phrase;
    return "";
}

static bool has_body(int status)
{
    return status >= 200 && status != 204 && status != 304;
}

static struct evbuffer *output_of(const struct sl_http_exchange *exchange)
{
    return bufferevent_get_output(exchange->connection->stream);
}

/* Text copied from a request must not start a header line of its own. */
static void add_header(struct sl_http_exchange *exchange, const char *name, const char *value)
{
    for (const char *at = value; *at; at++) {
        if ((unsigned char)*at >= 0x20 || *at == '\t') continue;
        sl_log(exchange->loop->log, SL_LOG_WARNING,
               "left out header %s: it has a control character", name);
        return;
    }
    evbuffer_add_printf(output_of(exchange), "%s: %s\r\n", name, value);
}

static bool is_among(const struct sl_http_header *headers, const char *name)
{
    for (; headers && headers->name; headers++)
        if (strcasecmp(headers->name, name) == 0) return true;
    return false;
}

/* RFC 9110, section 5.6.7; strftime would follow the locale. */
static void add_date(struct sl_http_exchange *exchange)
{
    static const char days[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct tm now;
    time_t seconds = time(NULL);
    if (!gmtime_r(&seconds, &now)) return;
    evbuffer_add_printf(output_of(exchange), "Date: %s, %02d %s %d %02d:%02d:%02d GMT\r\n",
                        days[now.tm_wday], now.tm_mday, months[now.tm_mon], now.tm_year + 1900,
                        now.tm_hour, now.tm_min, now.tm_sec);
}

/* The whole head except the headers that frame the body. A header of the reply replaces the
 * listener's header of the same name. */
static void begin_head(struct sl_http_exchange *exchange, const struct sl_http_reply *reply)
{
    const struct sl_http_header *at = exchange->listener->options.headers;
    exchange->status = reply->status;
    evbuffer_add_printf(output_of(exchange), "HTTP/1.1 %d %s\r\n", reply->status,
                        phrase_of(reply->status));
    add_date(exchange);
    for (; at && at->name; at++)
        if (!is_among(reply->headers, at->name)) add_header(exchange, at->name, at->value);
    for (at = reply->headers; at && at->name; at++)
        add_header(exchange, at->name, at->value);
    if (reply->type && has_body(reply->status)) add_header(exchange, "Content-Type", reply->type);
    if (exchange->loop->stopping) exchange->head.close = true;
    if (exchange->head.close) add_header(exchange, "Connection", "close");
}

static void end_head(struct sl_http_exchange *exchange)
{
    evbuffer_add(output_of(exchange), "\r\n", 2);
}

/* True if the client is still there. */
static bool begin_reply(struct sl_http_exchange *exchange)
{
    assert(!exchange->replied && "an exchange gets one reply");
    exchange->replied = true;
    if (exchange->connection) return true;
    sl_http_exchange_destroy(exchange);
    return false;
}

/* A borrowed body that is being sent. */
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
    bool sends_body = wanted && has_body(reply->status) && !exchange->head.bodiless;
    if (wanted) {
        begin_head(exchange, reply);
        if (has_body(reply->status))
            evbuffer_add_printf(output_of(exchange), "Content-Length: %zu\r\n", reply->length);
        end_head(exchange);
    }
    if (sends_body) {
        exchange->sent = reply->length;
        add_body(output_of(exchange), reply);
    } else if (reply->done) {
        reply->done(reply->context);
    }
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

static void source_end(struct sl_http_exchange *exchange)
{
    struct sl_http_source source = exchange->source;
    exchange->source = (struct sl_http_source){0};
    if (source.done) source.done(source.context);
}

static void send_piece(struct sl_http_exchange *exchange)
{
    const struct sl_http_source *source = &exchange->source;
    struct evbuffer *output = output_of(exchange);
    const bool in_chunks = !exchange->head.old;
    size_t length = source->next(source->context, exchange->piece, PIECE_BYTES);
    if (length == SIZE_MAX) {
        sl_http_connection_break(exchange->connection);
        return;
    }
    assert(length <= PIECE_BYTES);
    if (length > 0) {
        if (in_chunks) evbuffer_add_printf(output, "%zx\r\n", length);
        evbuffer_add(output, exchange->piece, length);
        exchange->sent += length;
        if (in_chunks) evbuffer_add(output, "\r\n", 2);
        return;
    }
    source_end(exchange);
    if (in_chunks)
        evbuffer_add(output, "0\r\n\r\n", 5);
    else if (evbuffer_get_length(output) == 0)
        sl_http_exchange_written(exchange); /* libevent will not call it: nothing is queued */
}

void sl_http_stream(struct sl_http_exchange *exchange, const struct sl_http_reply *head,
                    struct sl_http_source source)
{
    assert(has_body(head->status));
    exchange->source = source;
    if (!begin_reply(exchange)) return;
    begin_head(exchange, head);
    if (!exchange->head.old) add_header(exchange, "Transfer-Encoding", "chunked");
    end_head(exchange);
    if (exchange->head.bodiless) {
        source_end(exchange);
        return;
    }
    exchange->piece = sl_alloc(PIECE_BYTES, 1);
    send_piece(exchange);
}

void sl_http_exchange_written(struct sl_http_exchange *exchange)
{
    if (exchange->source.next) {
        send_piece(exchange);
        return;
    }
    struct sl_http_connection *connection = exchange->connection;
    bool last = exchange->head.close;
    connection->exchange = NULL;
    sl_http_exchange_destroy(exchange);
    sl_http_connection_rest(connection, last);
}
