#include "http_internal.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "softlab/base/memory.h"

/* What evhttp is given instead of a request that is refused. */
static const char stand_in[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

/* How much of what a refused client still sends is read and thrown away. */
enum { LINGER_BYTES = 1 << 20 };
static const double linger_seconds = 2;

/* ---- The table of connections ---- */

static void enter(struct sl_http_loop *loop, evutil_socket_t socket,
                  struct sl_http_connection *connection)
{
    size_t slot = (size_t)socket, capacity = loop->connections_capacity;
    if (slot >= capacity) {
        size_t wanted = slot + 1 > 2 * capacity ? slot + 1 : 2 * capacity;
        loop->connections = sl_resize((void *)loop->connections, wanted, sizeof *loop->connections);
        for (size_t i = capacity; i < wanted; i++)
            loop->connections[i] = NULL;
        loop->connections_capacity = wanted;
    }
    loop->connections[slot] = connection;
}

struct sl_http_connection *sl_http_connection_of(struct sl_http_loop *loop,
                                                 struct evhttp_request *request)
{
    struct evhttp_connection *evhttp = evhttp_request_get_connection(request);
    return loop->connections[bufferevent_getfd(evhttp_connection_get_bufferevent(evhttp))];
}

/* ---- Lingering: a close with unread bytes would reset the connection, and the client would
 * never read why it was refused. So the socket is kept, written to its end by evhttp, until
 * the client closes too, for a while. ---- */

struct sl_http_linger {
    struct sl_http_listener *listener;
    evutil_socket_t socket;
    struct event *event;
    double until;
    size_t bytes;
    struct sl_http_linger *next;
};

static void linger_destroy(struct sl_http_linger *linger)
{
    linger->listener->n_connections--;
    event_free(linger->event);
    close(linger->socket);
    free(linger);
}

static void on_linger(evutil_socket_t socket, short what, void *context)
{
    struct sl_http_linger *linger = context;
    char bytes[16384];
    ssize_t length = what & EV_READ ? recv(socket, bytes, sizeof bytes, MSG_DONTWAIT) : 0;
    if (length > 0) linger->bytes += (size_t)length;
    bool goes_on =
        length > 0 && linger->bytes <= LINGER_BYTES && sl_clock_seconds() <= linger->until;
    if (goes_on) return;
    struct sl_http_linger **at = &linger->listener->loop->lingering;
    while (*at != linger)
        at = &(*at)->next;
    *at = linger->next;
    linger_destroy(linger);
}

static void linger_begin(struct sl_http_listener *listener, evutil_socket_t socket)
{
    struct sl_http_loop *loop = listener->loop;
    evutil_socket_t kept = dup(socket);
    if (kept < 0) return;
    struct sl_http_linger *linger = sl_alloc(1, sizeof *linger);
    struct timeval timeout = sl_http_timeval(linger_seconds);
    *linger = (struct sl_http_linger){
        .listener = listener,
        .socket = kept,
        .event = event_new(loop->base, kept, EV_READ | EV_PERSIST, on_linger, linger),
        .until = sl_clock_seconds() + linger_seconds,
        .next = loop->lingering,
    };
    loop->lingering = linger;
    listener->n_connections++;
    event_add(linger->event, &timeout);
}

void sl_http_linger_release(struct sl_http_loop *loop)
{
    for (struct sl_http_linger *at = loop->lingering, *next; at; at = next) {
        next = at->next;
        linger_destroy(at);
    }
    loop->lingering = NULL;
}

/* ---- The watcher ---- */

static void pass_on(struct sl_http_connection *connection)
{
    connection->state = SL_HTTP_BUSY;
    bufferevent_setwatermark(connection->stream, EV_READ, 0, 0);
}

static void refuse(struct sl_http_connection *connection, struct evbuffer *input)
{
    connection->state = SL_HTTP_BUSY; /* what follows calls the watcher again */
    connection->lingers = true;
    evbuffer_drain(input, evbuffer_get_length(input));
    evbuffer_unfreeze(input, 0);
    evbuffer_add(input, stand_in, sizeof stand_in - 1);
    evbuffer_freeze(input, 0);
    pass_on(connection);
}

/* Sets `refusal`, or `whole` once the head is there. */
static void look_for_head(struct sl_http_connection *connection, struct evbuffer *input)
{
    const struct sl_http_options *options = &connection->listener->options;
    size_t length = evbuffer_get_length(input);
    size_t span = length < options->max_headers ? length : options->max_headers;
    const char *bytes = (const char *)evbuffer_pullup(input, (ev_ssize_t)span);
    switch (sl_http_head_scan(bytes, span, &connection->scanned)) {
    case SL_HTTP_MORE:
        if (length > options->max_headers)
            connection->refusal = (struct sl_http_refusal){431, "the headers are too large"};
        break;
    case SL_HTTP_BARE:
        connection->refusal = (struct sl_http_refusal){400, "lines must end in CR LF"};
        break;
    case SL_HTTP_HEAD:
        connection->refusal =
            sl_http_head_check(bytes, connection->scanned, options->max_body, &connection->head);
        connection->whole = connection->scanned + connection->head.body;
        break;
    }
}

static void watch(struct evbuffer *input, const struct evbuffer_cb_info *info, void *context)
{
    struct sl_http_connection *connection = context;
    if (info->n_added == 0 || connection->state == SL_HTTP_BUSY) return;
    if (connection->whole == 0) look_for_head(connection, input);
    size_t length = evbuffer_get_length(input);
    if (connection->refusal.status) {
        refuse(connection, input);
    } else if (connection->whole > 0 && length >= connection->whole) {
        if (length > connection->whole) connection->head.close = connection->lingers = true;
        pass_on(connection);
    } else if (connection->state == SL_HTTP_IDLE) {
        struct timeval deadline = sl_http_timeval(connection->listener->options.deadline_seconds);
        connection->state = SL_HTTP_READING;
        event_add(connection->timer, &deadline);
    }
}

/* ---- Life ---- */

/* Called by evhttp when it frees the connection, for whatever reason. */
static void on_close(struct evhttp_connection *evhttp, void *context)
{
    (void)evhttp;
    struct sl_http_connection *connection = context;
    struct sl_http_listener *listener = connection->listener;
    evutil_socket_t socket = bufferevent_getfd(connection->stream);
    if (connection->exchange) sl_http_exchange_abandon(connection->exchange);
    if (connection->lingers && !listener->loop->stopping) linger_begin(listener, socket);
    enter(listener->loop, socket, NULL);
    listener->n_connections--;
    evbuffer_remove_cb_entry(bufferevent_get_input(connection->stream), connection->watcher);
    event_free(connection->timer);
    free(connection);
}

static void await_request(struct sl_http_connection *connection)
{
    struct timeval idle = sl_http_timeval(connection->listener->options.idle_seconds);
    connection->state = SL_HTTP_IDLE;
    connection->scanned = connection->whole = 0;
    bufferevent_setwatermark(connection->stream, EV_READ, SIZE_MAX, 0);
    event_add(connection->timer, &idle);
}

/* evhttp makes its connection after it has asked for the bufferevent, and shows it to nobody
 * before a request is whole. It is the context of its own callbacks, though, and what we need
 * to know is when it goes. */
static void adopt(struct sl_http_connection *connection)
{
    struct sl_http_listener *listener = connection->listener;
    const struct sl_http_options *options = &listener->options;
    struct timeval stall = sl_http_timeval(options->idle_seconds);
    void *evhttp = NULL;
    bufferevent_getcb(connection->stream, NULL, NULL, NULL, &evhttp);
    connection->evhttp = evhttp;
    evhttp_connection_set_closecb(evhttp, on_close, connection);
    evutil_socket_t socket = bufferevent_getfd(connection->stream);
    enter(listener->loop, socket, connection);
    if (++listener->n_connections > options->max_connections || listener->loop->stopping) {
        sl_log(listener->loop->log, SL_LOG_DEBUG, "a connection over the limit was closed");
        evhttp_connection_free(evhttp);
        return;
    }
    /* Pieces of streams are whole messages; waiting to fill packets only delays them. */
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    bufferevent_set_timeouts(connection->stream, NULL, &stall);
    await_request(connection);
}

static void on_timer(evutil_socket_t socket, short what, void *context)
{
    (void)socket;
    (void)what;
    struct sl_http_connection *connection = context;
    if (!connection->evhttp) {
        adopt(connection);
    } else if (connection->doomed || connection->state != SL_HTTP_BUSY) {
        if (connection->state == SL_HTTP_READING)
            sl_log(connection->listener->loop->log, SL_LOG_DEBUG,
                   "a request was not whole by its deadline");
        evhttp_connection_free(connection->evhttp);
    }
}

struct bufferevent *sl_http_connection_create(struct event_base *base, void *context)
{
    struct bufferevent *stream = bufferevent_socket_new(base, -1, 0);
    if (!stream) return NULL;
    struct sl_http_connection *connection = sl_alloc(1, sizeof *connection);
    connection->listener = context;
    connection->stream = stream;
    connection->timer = event_new(base, -1, 0, on_timer, connection);
    connection->watcher = evbuffer_add_cb(bufferevent_get_input(stream), watch, connection);
    bufferevent_setwatermark(stream, EV_READ, SIZE_MAX, 0);
    /* Runs before the socket is looked at for the first time. */
    event_active(connection->timer, 0, 0);
    return stream;
}

void sl_http_connection_rest(struct sl_http_connection *connection)
{
    connection->exchange = NULL;
    await_request(connection);
    if (connection->listener->loop->stopping) sl_http_connection_doom(connection);
}

void sl_http_connection_doom(struct sl_http_connection *connection)
{
    connection->doomed = true;
    event_active(connection->timer, 0, 0);
}

void sl_http_connections_stop(struct sl_http_loop *loop)
{
    for (size_t i = 0; i < loop->connections_capacity; i++) {
        struct sl_http_connection *connection = loop->connections[i];
        if (connection && connection->state != SL_HTTP_BUSY)
            evhttp_connection_free(connection->evhttp);
    }
}
