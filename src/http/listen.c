#include "http_internal.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "softlab/base/memory.h"

enum { BACKLOG = 511 };
static const double pause_seconds = 1;

struct sl_http_options sl_http_options_default(void)
{
    return (struct sl_http_options){
        .address = "127.0.0.1",
        .max_body = 64 << 10,
        .max_headers = 8 << 10,
        .deadline_seconds = 10,
        .idle_seconds = 60,
        .max_connections = 4096,
    };
}

static void on_accept(struct evconnlistener *accepting, evutil_socket_t socket,
                      struct sockaddr *address, int length, void *context)
{
    (void)accepting;
    sl_http_connection_open(context, socket, address, (socklen_t)length);
}

/* Most likely no file descriptor is left. The connection that has been idle longest gives up its
 * own; if none is idle, accepting pauses, since retrying at once would only burn CPU time. */
static void on_accept_error(struct evconnlistener *accepting, void *context)
{
    struct sl_http_listener *listener = context;
    struct timeval pause = sl_http_timeval(pause_seconds);
    if (sl_http_connection_spare(listener)) return;
    evconnlistener_disable(accepting);
    event_add(listener->pause, &pause);
}

static void on_pause_over(evutil_socket_t socket, short what, void *context)
{
    (void)socket;
    (void)what;
    struct sl_http_listener *listener = context;
    if (!listener->loop->stopping) evconnlistener_enable(listener->accepting);
}

static uint16_t port_of(evutil_socket_t socket)
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    if (getsockname(socket, (struct sockaddr *)&address, &size) != 0) return 0;
    if (address.ss_family == AF_INET6) {
        struct sockaddr_in6 in6;
        memcpy(&in6, &address, sizeof in6);
        return ntohs(in6.sin6_port);
    }
    struct sockaddr_in in;
    memcpy(&in, &address, sizeof in);
    return ntohs(in.sin_port);
}

static enum sl_status open_socket(struct sl_http_listener *listener, struct sl_error *err)
{
    const struct sl_http_options *options = &listener->options;
    struct addrinfo hints = {
        .ai_socktype = SOCK_STREAM,
        .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
    };
    struct addrinfo *found = NULL;
    char port[8];
    snprintf(port, sizeof port, "%u", (unsigned)options->port);
    int result = getaddrinfo(options->address, port, &hints, &found);
    if (result != 0)
        return sl_fail(err, SL_ERR_IO, "cannot listen on %s port %s: %s", options->address, port,
                       gai_strerror(result));
    unsigned flags = LEV_OPT_REUSEABLE | LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC;
    listener->accepting = evconnlistener_new_bind(listener->loop->base, on_accept, listener, flags,
                                                  BACKLOG, found->ai_addr, (int)found->ai_addrlen);
    freeaddrinfo(found);
    if (!listener->accepting)
        return sl_fail_errno(err, "cannot listen on %s port %s", options->address, port);
    listener->port = port_of(evconnlistener_get_fd(listener->accepting));
    return SL_OK;
}

static void listener_destroy(struct sl_http_listener *listener)
{
    if (listener->accepting) evconnlistener_free(listener->accepting);
    if (listener->pause) event_free(listener->pause);
    free(listener);
}

enum sl_status sl_http_listen(struct sl_http_loop *loop, const struct sl_http_options *options,
                              struct sl_http_listener **out, struct sl_error *err)
{
    struct sl_http_listener *listener = sl_alloc(1, sizeof *listener);
    listener->loop = loop;
    listener->options = *options;
    listener->pause = event_new(loop->base, -1, 0, on_pause_over, listener);
    enum sl_status status = open_socket(listener, err);
    if (status != SL_OK) {
        listener_destroy(listener);
        return status;
    }
    evconnlistener_set_error_cb(listener->accepting, on_accept_error);
    listener->next = loop->listeners;
    loop->listeners = listener;
    *out = listener;
    return SL_OK;
}

uint16_t sl_http_port(const struct sl_http_listener *listener)
{
    return listener->port;
}

size_t sl_http_connections(const struct sl_http_listener *listener)
{
    return listener->n_connections;
}

void sl_http_listeners_destroy(struct sl_http_loop *loop)
{
    while (loop->listeners) {
        struct sl_http_listener *listener = loop->listeners;
        loop->listeners = listener->next;
        listener_destroy(listener);
    }
}
