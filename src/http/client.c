#include <assert.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "client_internal.h"
#include "http_internal.h"
#include "softlab/base/memory.h"

struct sl_http_client {
    struct sl_http_loop *loop;       /* borrowed */
    struct sockaddr_storage address; /* of the server */
    socklen_t address_length;
    char *host;   /* owned; for the header */
    char *prefix; /* owned; of every path; "" or "/birds" */
    double timeout;
    struct bufferevent *stream; /* owned; NULL if there is no connection */
    struct sl_http_answer answer;
    struct event *timer; /* owned */
    void (*done)(const struct sl_http_heard *heard, void *context);
    void (*run)(void *context);
    void *context;
};

static void disconnect(struct sl_http_client *client)
{
    if (client->stream) bufferevent_free(client->stream);
    client->stream = NULL;
}

/* `done` may ask the next question. */
static void finish(struct sl_http_client *client, const struct sl_http_heard *heard)
{
    void (*done)(const struct sl_http_heard *heard, void *context) = client->done;
    event_del(client->timer);
    client->done = NULL;
    done(heard, client->context);
}

static void give_up(struct sl_http_client *client)
{
    disconnect(client);
    if (client->done) finish(client, &(struct sl_http_heard){.status = 0});
}

static void hand_over(struct sl_http_client *client)
{
    const struct sl_http_answer answer = client->answer;
    struct evbuffer *body = evbuffer_new();
    evbuffer_add_buffer(body, answer.body);
    struct sl_http_heard heard = {
        .status = answer.status,
        .length = evbuffer_get_length(body),
        .cookie = answer.cookie,
        .retry_after = answer.retry_after,
    };
    heard.body = (const char *)evbuffer_pullup(body, -1);
    client->answer.cookie = NULL;
    if (answer.close) disconnect(client);
    finish(client, &heard);
    evbuffer_free(body);
    free(answer.cookie);
}

/* ---- Callbacks of libevent ---- */

static void on_read(struct bufferevent *stream, void *context)
{
    struct sl_http_client *client = context;
    struct evbuffer *input = bufferevent_get_input(stream);
    enum sl_http_reading reading =
        client->done ? sl_http_answer_read(&client->answer, input) : SL_HTTP_NONSENSE;
    if (reading == SL_HTTP_FINISHED && evbuffer_get_length(input) == 0)
        hand_over(client);
    else if (reading != SL_HTTP_UNFINISHED)
        give_up(client); /* such as a reply that nobody asked for */
}

static void on_event(struct bufferevent *stream, short what, void *context)
{
    (void)stream;
    struct sl_http_client *client = context;
    const struct sl_http_answer *answer = &client->answer;
    if (what & BEV_EVENT_CONNECTED) return;
    bool whole = client->done && (what & BEV_EVENT_EOF) && answer->has_head &&
                 answer->framing == SL_HTTP_UNTIL_CLOSE;
    if (whole)
        hand_over(client);
    else
        give_up(client);
}

/* The wait is over, a reply did not come in time, or the request could not be sent. */
static void on_timer(evutil_socket_t socket, short what, void *context)
{
    (void)socket;
    (void)what;
    struct sl_http_client *client = context;
    if (client->done) {
        give_up(client);
        return;
    }
    void (*run)(void *context) = client->run;
    client->run = NULL;
    run(client->context);
}

/* ---- Life ---- */

/* Splits "http://host:port/prefix/"; the caller owns the parts. False if it is no such URL. */
static bool cut_url(const char *url, char **host, char **port, char **prefix)
{
    static const char scheme[] = "http://";
    if (strncmp(url, scheme, sizeof scheme - 1) != 0) return false;
    const char *at = url + sizeof scheme - 1;
    bool in_brackets = *at == '[';
    if (in_brackets) at++;
    size_t length = strcspn(at, in_brackets ? "]" : ":/?#");
    const char *rest = at + length;
    if (length == 0 || (in_brackets && *rest++ != ']')) return false;
    size_t digits = *rest == ':' ? strspn(rest + 1, "0123456789") : 0;
    if ((*rest == ':' && (digits == 0 || digits > 5)) || !strchr(":/?#", *rest)) return false;
    *host = sl_string_copy_n(at, length);
    *port = digits ? sl_string_copy_n(rest + 1, digits) : sl_string_copy("80");
    const char *path = rest + strcspn(rest, "/?#");
    size_t kept = strcspn(path, "?#");
    while (kept > 0 && path[kept - 1] == '/')
        kept--;
    *prefix = sl_string_copy_n(path, kept);
    return true;
}

static enum sl_status find_server(struct sl_http_client *client, const char *url,
                                  struct sl_error *err)
{
    char *host = NULL, *port = NULL;
    if (!cut_url(url, &host, &port, &client->prefix))
        return sl_fail(err, SL_ERR_USAGE, "%s: expected an address like http://127.0.0.1:8080/",
                       url);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    enum sl_status status = SL_OK;
    int result = getaddrinfo(host, port, &hints, &found);
    if (result != 0) {
        status = sl_fail(err, SL_ERR_IO, "%s: cannot find the host: %s", url, gai_strerror(result));
    } else {
        memcpy(&client->address, found->ai_addr, found->ai_addrlen);
        client->address_length = found->ai_addrlen;
        client->host = sl_string_printf(strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
        freeaddrinfo(found);
    }
    free(host);
    free(port);
    return status;
}

enum sl_status sl_http_client_create(struct sl_http_loop *loop, const char *url, double timeout,
                                     struct sl_http_client **out, struct sl_error *err)
{
    struct sl_http_client *client = sl_alloc(1, sizeof *client);
    client->loop = loop;
    client->timeout = timeout;
    enum sl_status status = find_server(client, url, err);
    if (status != SL_OK) {
        free(client->prefix);
        free(client);
        return status;
    }
    client->timer = event_new(loop->base, -1, 0, on_timer, client);
    client->answer.body = evbuffer_new();
    *out = client;
    return SL_OK;
}

void sl_http_client_destroy(struct sl_http_client *client)
{
    if (!client) return;
    disconnect(client);
    sl_http_answer_clear(&client->answer);
    evbuffer_free(client->answer.body);
    event_free(client->timer);
    free(client->host);
    free(client->prefix);
    free(client);
}

/* ---- Questions ---- */

static bool connect_to_server(struct sl_http_client *client)
{
    client->stream = bufferevent_socket_new(client->loop->base, -1, BEV_OPT_CLOSE_ON_FREE);
    if (!client->stream) return false;
    bufferevent_setcb(client->stream, on_read, NULL, on_event, client);
    bufferevent_enable(client->stream, EV_READ | EV_WRITE);
    const struct sockaddr *address = (const struct sockaddr *)&client->address;
    return bufferevent_socket_connect(client->stream, address, (int)client->address_length) == 0;
}

static void write_request(const struct sl_http_client *client, const struct sl_http_ask *ask)
{
    struct evbuffer *output = bufferevent_get_output(client->stream);
    const bool is_post = ask->method == SL_HTTP_POST;
    evbuffer_add_printf(output, "%s %s%s HTTP/1.1\r\nHost: %s\r\n", is_post ? "POST" : "GET",
                        client->prefix, ask->path, client->host);
    if (ask->cookie) evbuffer_add_printf(output, "Cookie: %s\r\n", ask->cookie);
    if (ask->body) evbuffer_add_printf(output, "Content-Type: application/json\r\n");
    if (is_post)
        evbuffer_add_printf(output, "Content-Length: %zu\r\n", ask->body ? strlen(ask->body) : 0);
    evbuffer_add_printf(output, "\r\n%s", ask->body ? ask->body : "");
}

void sl_http_client_ask(struct sl_http_client *client, const struct sl_http_ask *ask,
                        void (*done)(const struct sl_http_heard *heard, void *context),
                        void *context)
{
    struct timeval patience = sl_http_timeval(client->timeout);
    assert(!client->done && !client->run);
    client->done = done;
    client->context = context;
    sl_http_answer_clear(&client->answer);
    if (client->stream || connect_to_server(client))
        write_request(client, ask);
    else
        patience = (struct timeval){0};
    event_add(client->timer, &patience);
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
