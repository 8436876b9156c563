#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "http_internal.h"
#include "softlab/base/memory.h"
#include "softlab/http/client.h"

enum { MAX_REPLY = 64 << 20 };

struct sl_http_client {
    struct evhttp_connection *connection; /* owned */
    char *host;                           /* owned; for the header */
    struct event *timer;                  /* owned */
    void (*done)(const struct sl_http_heard *heard, void *context);
    void (*run)(void *context);
    void *context;
};

static void finish(struct sl_http_client *client, const struct sl_http_heard *heard)
{
    void (*done)(const struct sl_http_heard *heard, void *context) = client->done;
    client->done = NULL;
    done(heard, client->context);
}

/* The wait is over, or a request could not even be begun. */
static void on_timer(evutil_socket_t socket, short what, void *context)
{
    (void)socket;
    (void)what;
    struct sl_http_client *client = context;
    if (client->done) {
        finish(client, &(struct sl_http_heard){.status = 0});
        return;
    }
    void (*run)(void *context) = client->run;
    client->run = NULL;
    run(client->context);
}

static void on_reply(struct evhttp_request *request, void *context)
{
    struct sl_http_heard heard = {0};
    if (request) heard.status = evhttp_request_get_response_code(request);
    if (heard.status != 0) {
        struct evbuffer *body = evhttp_request_get_input_buffer(request);
        struct evkeyvalq *headers = evhttp_request_get_input_headers(request);
        const char *later = evhttp_find_header(headers, "Retry-After");
        heard.cookie = evhttp_find_header(headers, "Set-Cookie");
        heard.retry_after = later ? (unsigned)strtoul(later, NULL, 10) : 0;
        heard.length = evbuffer_get_length(body);
        heard.body = (const char *)evbuffer_pullup(body, -1);
    }
    finish(context, &heard);
}

static enum sl_status read_url(const char *url, struct sl_http_loop *loop,
                               struct sl_http_client *client, struct sl_error *err)
{
    struct evhttp_uri *uri = evhttp_uri_parse(url);
    const char *scheme = uri ? evhttp_uri_get_scheme(uri) : NULL;
    const char *host = uri ? evhttp_uri_get_host(uri) : NULL;
    enum sl_status status = SL_OK;
    if (!scheme || strcmp(scheme, "http") != 0 || !host || !*host) {
        status =
            sl_fail(err, SL_ERR_USAGE, "%s: expected an address like http://127.0.0.1:8080/", url);
    } else {
        int port = evhttp_uri_get_port(uri) > 0 ? evhttp_uri_get_port(uri) : 80;
        client->host = sl_string_printf("%s:%d", host, port);
        client->connection =
            evhttp_connection_base_new(loop->base, NULL, host, (unsigned short)port);
        if (!client->connection)
            status = sl_fail(err, SL_ERR_BACKEND, "libevent cannot make a connection");
    }
    if (uri) evhttp_uri_free(uri);
    return status;
}

enum sl_status sl_http_client_create(struct sl_http_loop *loop, const char *url, double timeout,
                                     struct sl_http_client **out, struct sl_error *err)
{
    struct timeval patience = sl_http_timeval(timeout);
    struct sl_http_client *client = sl_alloc(1, sizeof *client);
    enum sl_status status = read_url(url, loop, client, err);
    if (status != SL_OK) {
        sl_http_client_destroy(client);
        return status;
    }
    evhttp_connection_set_timeout_tv(client->connection, &patience);
    evhttp_connection_set_max_body_size(client->connection, MAX_REPLY);
    client->timer = event_new(loop->base, -1, 0, on_timer, client);
    *out = client;
    return SL_OK;
}

void sl_http_client_destroy(struct sl_http_client *client)
{
    if (!client) return;
    if (client->timer) event_free(client->timer);
    if (client->connection) evhttp_connection_free(client->connection);
    free(client->host);
    free(client);
}

void sl_http_client_ask(struct sl_http_client *client, const struct sl_http_ask *ask,
                        void (*done)(const struct sl_http_heard *heard, void *context),
                        void *context)
{
    static const struct timeval now = {0};
    assert(!client->done && !client->run);
    client->done = done;
    client->context = context;
    struct evhttp_request *request = evhttp_request_new(on_reply, client);
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
    evhttp_add_header(headers, "Host", client->host);
    if (ask->cookie) evhttp_add_header(headers, "Cookie", ask->cookie);
    if (ask->body) {
        evhttp_add_header(headers, "Content-Type", "application/json");
        evbuffer_add(evhttp_request_get_output_buffer(request), ask->body, strlen(ask->body));
    }
    enum evhttp_cmd_type type = ask->method == SL_HTTP_POST ? EVHTTP_REQ_POST : EVHTTP_REQ_GET;
    if (evhttp_make_request(client->connection, request, type, ask->path) != 0)
        event_add(client->timer, &now);
}

void sl_http_client_wait(struct sl_http_client *client, double seconds, void (*run)(void *context),
                         void *context)
{
    struct timeval time = sl_http_timeval(seconds);
    assert(!client->done && !client->run);
    client->run = run;
    client->context = context;
    event_add(client->timer, &time);
}
