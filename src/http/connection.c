#include "http_internal.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "softlab/base/memory.h"

/* How much a client may still send after its last reply; it is read and discarded. Closing with
 * unread bytes would reset the connection, and the client would never see the reply. */
enum { LINGER_BYTES = 1 << 20, LINGER_STEP = 16 << 10 };
static const double linger_seconds = 2;

/* ---- The list of connections, longest idle first ---- */

static void append(struct sl_http_connection *connection)
{
    struct sl_http_listener *listener = connection->listener;
    connection->previous = listener->last;
    connection->next = NULL;
    *(listener->last ? &listener->last->next : &listener->first) = connection;
    listener->last = connection;
}

static void take_out(struct sl_http_connection *connection)
{
    struct sl_http_listener *listener = connection->listener;
    *(connection->previous ? &connection->previous->next : &listener->first) = connection->next;
    *(connection->next ? &connection->next->previous : &listener->last) = connection->previous;
}

/* ---- Closing ---- */

void sl_http_connection_close(struct sl_http_connection *connection)
{
    if (connection->exchange) sl_http_exchange_abandon(connection->exchange);
    take_out(connection);
    connection->listener->n_connections--;
    sl_http_head_release(&connection->head);
    event_free(connection->timer);
    bufferevent_free(connection->stream);
    free(connection);
}

void sl_http_connection_break(struct sl_http_connection *connection)
{
    /* A reset, so that even a client that reads until the end notices the failure. */
    struct linger reset = {.l_onoff = 1};
    setsockopt(bufferevent_getfd(connection->stream), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    sl_http_connection_close(connection);
}

static void set_timer(struct sl_http_connection *connection, double seconds)
{
    struct timeval time = sl_http_timeval(seconds);
    event_add(connection->timer, &time);
}

static void set_limit(struct sl_http_connection *connection, size_t bytes)
{
    bufferevent_setwatermark(connection->stream, EV_READ, 0, bytes);
}

static void linger(struct sl_http_connection *connection)
{
    struct evbuffer *input = bufferevent_get_input(connection->stream);
    connection->state = SL_HTTP_LINGERING;
    evbuffer_drain(input, evbuffer_get_length(input));
    shutdown(bufferevent_getfd(connection->stream), SHUT_WR);
    set_limit(connection, LINGER_STEP);
    set_timer(connection, linger_seconds);
    bufferevent_enable(connection->stream, EV_READ);
}

static void discard(struct sl_http_connection *connection)
{
    struct evbuffer *input = bufferevent_get_input(connection->stream);
    size_t length = evbuffer_get_length(input);
    evbuffer_drain(input, length);
    connection->discarded += length;
    if (connection->discarded > LINGER_BYTES) sl_http_connection_close(connection);
}

/* ---- Requests ---- */

static void be_busy(struct sl_http_connection *connection)
{
    connection->state = SL_HTTP_BUSY;
    bufferevent_disable(connection->stream, EV_READ);
    event_del(connection->timer);
}

static void refuse(struct sl_http_connection *connection, struct sl_http_refusal refusal)
{
    struct sl_http_head nothing = {.close = true};
    be_busy(connection);
    sl_http_exchange_refuse(sl_http_exchange_create(connection, &nothing), refusal);
}

static void serve(struct sl_http_connection *connection, struct evbuffer *input)
{
    be_busy(connection);
    evbuffer_drain(input, connection->head_length);
    struct sl_http_exchange *exchange = sl_http_exchange_create(connection, &connection->head);
    evbuffer_remove(input, exchange->body, exchange->head.body);
    sl_http_exchange_route(exchange);
}

/* Sets `head` once it is complete. */
static struct sl_http_refusal look_for_head(struct sl_http_connection *connection,
                                            struct evbuffer *input)
{
    const struct sl_http_options *options = &connection->listener->options;
    size_t length = evbuffer_get_length(input);
    size_t span = length < options->max_headers ? length : options->max_headers;
    const char *bytes = (const char *)evbuffer_pullup(input, (ev_ssize_t)span);
    struct sl_http_refusal refusal = {0};
    switch (sl_http_head_scan(bytes, span, &connection->scanned)) {
    case SL_HTTP_MORE:
        if (length > options->max_headers)
            refusal = (struct sl_http_refusal){431, "the headers are too large"};
        break;
    case SL_HTTP_BARE: refusal = (struct sl_http_refusal){400, "lines must end in CR LF"}; break;
    case SL_HTTP_HEAD:
        refusal = sl_http_head_parse(bytes, connection->scanned, options, &connection->head);
        if (refusal.status) break;
        connection->head_length = connection->scanned;
        set_limit(connection, connection->head_length + connection->head.body);
        break;
    }
    return refusal;
}

/* Process the bytes received so far. May call handlers. */
static void advance(struct sl_http_connection *connection)
{
    struct evbuffer *input = bufferevent_get_input(connection->stream);
    struct sl_http_refusal refusal = {0};
    if (evbuffer_get_length(input) == 0) return;
    if (connection->state == SL_HTTP_IDLE) {
        connection->state = SL_HTTP_READING;
        set_timer(connection, connection->listener->options.deadline_seconds);
    }
    if (connection->head_length == 0) refusal = look_for_head(connection, input);
    size_t whole = connection->head_length + connection->head.body;
    if (refusal.status)
        refuse(connection, refusal);
    else if (connection->head_length > 0 && evbuffer_get_length(input) >= whole)
        serve(connection, input);
}

static void await_request(struct sl_http_connection *connection)
{
    const struct sl_http_options *options = &connection->listener->options;
    connection->state = SL_HTTP_IDLE;
    connection->scanned = connection->head_length = 0;
    /* One byte more than a head may have reveals that it is too large. */
    set_limit(connection, options->max_headers + 1);
    set_timer(connection, options->idle_seconds);
    bufferevent_enable(connection->stream, EV_READ);
}

void sl_http_connection_rest(struct sl_http_connection *connection, bool last)
{
    connection->exchange = NULL;
    take_out(connection);
    append(connection);
    if (connection->listener->loop->stopping) {
        sl_http_connection_close(connection);
    } else if (last) {
        linger(connection);
    } else {
        await_request(connection);
        advance(connection); /* pipelined bytes */
    }
}

/* ---- Callbacks of libevent ---- */

static void on_read(struct bufferevent *stream, void *context)
{
    (void)stream;
    struct sl_http_connection *connection = context;
    if (connection->state == SL_HTTP_LINGERING)
        discard(connection);
    else if (connection->state != SL_HTTP_BUSY)
        advance(connection);
}

static void on_write(struct bufferevent *stream, void *context)
{
    (void)stream;
    struct sl_http_connection *connection = context;
    struct sl_http_exchange *exchange = connection->exchange;
    if (exchange && exchange->replied) sl_http_exchange_written(exchange);
}

/* The client has gone, or no longer reads its reply. */
static void on_end(struct bufferevent *stream, short what, void *context)
{
    (void)stream;
    (void)what;
    sl_http_connection_close(context);
}

static void on_timer(evutil_socket_t socket, short what, void *context)
{
    (void)socket;
    (void)what;
    struct sl_http_connection *connection = context;
    if (connection->state == SL_HTTP_READING)
        sl_log(connection->listener->loop->log, SL_LOG_DEBUG,
               "a request was not complete by its deadline");
    sl_http_connection_close(connection);
}

/* ---- Opening ---- */

/* Among the connections of one address only, if `peer` is given. */
static struct sl_http_connection *longest_waiting(const struct sl_http_listener *listener,
                                                  const struct sl_http_peer *peer)
{
    struct sl_http_connection *unfinished = NULL;
    for (struct sl_http_connection *at = listener->first; at; at = at->next) {
        if (peer && memcmp(at->peer.network, peer->network, sizeof peer->network) != 0) continue;
        if (at->state == SL_HTTP_IDLE || at->state == SL_HTTP_LINGERING) return at;
        if (at->state == SL_HTTP_READING && !unfinished) unfinished = at;
    }
    return unfinished;
}

static size_t count_of(const struct sl_http_listener *listener, const struct sl_http_peer *peer)
{
    size_t count = 0;
    for (const struct sl_http_connection *at = listener->first; at; at = at->next)
        count += memcmp(at->peer.network, peer->network, sizeof peer->network) == 0;
    return count;
}

static bool close_longest(const struct sl_http_listener *listener, const struct sl_http_peer *peer)
{
    struct sl_http_connection *victim = longest_waiting(listener, peer);
    if (victim) sl_http_connection_close(victim);
    return victim != NULL;
}

bool sl_http_connection_spare(struct sl_http_listener *listener)
{
    return close_longest(listener, NULL);
}

static bool make_room(const struct sl_http_listener *listener, const struct sl_http_peer *peer)
{
    const struct sl_http_options *options = &listener->options;
    if (options->max_per_address && count_of(listener, peer) >= options->max_per_address)
        return close_longest(listener, peer);
    return listener->n_connections < options->max_connections || close_longest(listener, NULL);
}

void sl_http_connection_open(struct sl_http_listener *listener, evutil_socket_t socket,
                             const struct sockaddr *address, socklen_t length)
{
    struct sl_http_peer peer;
    if (listener->loop->stopping || !sl_http_peer_read(address, length, &peer) ||
        !make_room(listener, &peer)) {
        sl_log(listener->loop->log, SL_LOG_DEBUG, "a connection over the limit was closed");
        close(socket);
        return;
    }
    struct event_base *base = listener->loop->base;
    struct timeval stall = sl_http_timeval(listener->options.idle_seconds);
    struct bufferevent *stream = bufferevent_socket_new(base, socket, BEV_OPT_CLOSE_ON_FREE);
    if (!stream) {
        close(socket);
        return;
    }
    struct sl_http_connection *connection = sl_alloc(1, sizeof *connection);
    connection->listener = listener;
    connection->peer = peer;
    connection->stream = stream;
    connection->timer = event_new(base, -1, 0, on_timer, connection);
    listener->n_connections++;
    append(connection);
    /* Each piece of a stream is a whole message; waiting to fill packets would only delay it. */
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    bufferevent_setcb(connection->stream, on_read, on_write, on_end, connection);
    bufferevent_set_timeouts(connection->stream, NULL, &stall);
    await_request(connection);
}

static void close_all(struct sl_http_loop *loop, bool busy_too)
{
    for (struct sl_http_listener *listener = loop->listeners; listener; listener = listener->next) {
        for (struct sl_http_connection *at = listener->first, *next; at; at = next) {
            next = at->next;
            if (busy_too || at->state != SL_HTTP_BUSY) sl_http_connection_close(at);
        }
    }
}

void sl_http_connections_stop(struct sl_http_loop *loop)
{
    close_all(loop, false);
}

void sl_http_connections_close(struct sl_http_loop *loop)
{
    close_all(loop, true);
}
