/* GET requests per second over loopback against a handler that replies 100 bytes, beside a bare
 * evhttp that does the same in the same run. 32 connections of one thread are kept open; every
 * one has one request under way. */
#include <arpa/inet.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "softlab/base.h"
#include "softlab/http.h"

enum { CONNECTIONS = 32, ROUNDS = 1500, REPEATS = 5, BODY = 100 };

static const double floor_ratio = 0.5; /* of bare evhttp's rate that must be reached */
static const char request[] = "GET /page?id=7 HTTP/1.1\r\nHost: localhost\r\n"
                              "User-Agent: bench\r\nAccept: */*\r\nCookie: softlab=abc\r\n\r\n";

static void check(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "%s failed\n", what);
    exit(1);
}

/* ---- The two servers ---- */

static void handle(struct sl_http_exchange *exchange, void *context)
{
    sl_http_send(exchange,
                 &(struct sl_http_reply){
                     .status = 200, .type = "text/plain", .body = context, .length = BODY});
}

static void *run_ours(void *context)
{
    check(sl_http_loop_run(context, NULL) == SL_OK, "the loop");
    return NULL;
}

static void handle_bare(struct evhttp_request *asked, void *context)
{
    struct evbuffer *body = evbuffer_new();
    evbuffer_add(body, context, BODY);
    evhttp_add_header(evhttp_request_get_output_headers(asked), "Content-Type", "text/plain");
    evhttp_send_reply(asked, 200, "OK", body);
    evbuffer_free(body);
}

/* Ends with the program: a loop without locks cannot be stopped by another thread. */
static void *run_bare(void *context)
{
    event_base_dispatch(context);
    return NULL;
}

static uint16_t start_bare(char *body)
{
    struct event_base *base = event_base_new();
    struct evhttp *http = evhttp_new(base);
    evhttp_set_gencb(http, handle_bare, body);
    struct evhttp_bound_socket *bound = evhttp_bind_socket_with_handle(http, "127.0.0.1", 0);
    check(bound != NULL, "binding");
    struct sockaddr_in address = {0};
    socklen_t size = sizeof address;
    getsockname(evhttp_bound_socket_get_fd(bound), (struct sockaddr *)&address, &size);
    pthread_t thread;
    check(pthread_create(&thread, NULL, run_bare, base) == 0, "a thread");
    pthread_detach(thread);
    return ntohs(address.sin_port);
}

/* ---- The client ---- */

static void connect_all(uint16_t port, int clients[CONNECTIONS])
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    for (int i = 0; i < CONNECTIONS; i++) {
        clients[i] = socket(AF_INET, SOCK_STREAM, 0);
        check(connect(clients[i], (struct sockaddr *)&address, sizeof address) == 0, "connecting");
    }
}

/* A reply ends with the last of its BODY bytes, all of which are 'x'. */
static void hear(int client)
{
    char reply[2048];
    size_t length = 0;
    do {
        ssize_t received = recv(client, reply + length, sizeof reply - length, 0);
        check(received > 0, "hearing a reply");
        length += (size_t)received;
    } while (length < BODY || reply[length - BODY] != 'x' || reply[length - 1] != 'x');
}

static double requests_per_second(const int clients[CONNECTIONS])
{
    double begun = sl_clock_seconds();
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < CONNECTIONS; i++)
            check(send(clients[i], request, sizeof request - 1, 0) > 0, "asking");
        for (int i = 0; i < CONNECTIONS; i++)
            hear(clients[i]);
    }
    return CONNECTIONS * (double)ROUNDS / (sl_clock_seconds() - begun);
}

int main(void)
{
    char body[BODY];
    memset(body, 'x', sizeof body);
    static const struct sl_http_header headers[] = {
        {"X-Content-Type-Options", "nosniff"}, {"Referrer-Policy", "no-referrer"}, {NULL, NULL}};
    static const struct sl_http_route routes[] = {{SL_HTTP_GET, "/page", handle},
                                                  {SL_HTTP_GET, NULL, NULL}};
    struct sl_http_options options = sl_http_options_default();
    options.routes = routes;
    options.headers = headers;
    options.context = body;
    struct sl_http_loop *loop = NULL;
    struct sl_http_listener *listener = NULL;
    struct sl_error err;
    check(sl_http_loop_create(NULL, &loop, &err) == SL_OK, "a loop");
    check(sl_http_listen(loop, &options, &listener, &err) == SL_OK, err.message);
    pthread_t thread;
    check(pthread_create(&thread, NULL, run_ours, loop) == 0, "a thread");

    int ours[CONNECTIONS], bare[CONNECTIONS];
    connect_all(sl_http_port(listener), ours);
    connect_all(start_bare(body), bare);
    double best_ours = 0, best_bare = 0;
    for (int i = 0; i < REPEATS; i++) {
        double rate = requests_per_second(ours), bare_rate = requests_per_second(bare);
        if (rate > best_ours) best_ours = rate;
        if (bare_rate > best_bare) best_bare = bare_rate;
    }
    sl_http_loop_stop(loop);
    pthread_join(thread, NULL);
    sl_http_loop_destroy(loop);
    double ratio = best_ours / best_bare;
    printf("http: %.0f GET/s, bare evhttp %.0f GET/s, ratio %.2f (at least %.2f)\n", best_ours,
           best_bare, ratio, floor_ratio);
    return ratio >= floor_ratio ? 0 : 1;
}
