/* A server on a thread of its own, and a client that speaks in bytes. */
#ifndef SOFTLAB_TESTS_HTTP_SCENE_H
#define SOFTLAB_TESTS_HTTP_SCENE_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#include "softlab/http.h"
#include "support.h"

struct scene {
    struct sl_http_loop *loop;
    struct sl_http_listener *listener;
    pthread_t thread;
    bool running;
};

static inline struct sl_http_options scene_options(const struct sl_http_route *routes)
{
    static const struct sl_http_header headers[] = {
        {"X-Content-Type-Options", "nosniff"}, {"Cache-Control", "no-store"}, {NULL, NULL}};
    struct sl_http_options options = sl_http_options_default();
    options.routes = routes;
    options.headers = headers;
    return options;
}

static inline void scene_open(struct scene *scene, const struct sl_http_options *options)
{
    struct sl_error err;
    *scene = (struct scene){0};
    assert_ok(sl_http_loop_create(NULL, &scene->loop, &err), err);
    assert_ok(sl_http_listen(scene->loop, options, &scene->listener, &err), err);
}

static inline void *scene_run(void *context)
{
    struct scene *scene = context;
    struct sl_error err;
    return sl_http_loop_run(scene->loop, &err) == SL_OK ? NULL : scene;
}

static inline void scene_start(struct scene *scene)
{
    assert_int_equal(pthread_create(&scene->thread, NULL, scene_run, scene), 0);
    scene->running = true;
}

static inline void scene_stop(struct scene *scene)
{
    void *failed = scene;
    sl_http_loop_stop(scene->loop);
    assert_int_equal(pthread_join(scene->thread, &failed), 0);
    assert_null(failed);
    scene->running = false;
}

static inline void scene_close(struct scene *scene)
{
    if (scene->running) scene_stop(scene);
    sl_http_loop_destroy(scene->loop);
}

/* A connection; it gives up on a silent server after ten seconds. */
static inline int scene_connect(const struct scene *scene)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(sl_http_port(scene->listener)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    struct timeval patience = {.tv_sec = 10};
    int client = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(client >= 0);
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof address), 0);
    return client;
}

/* False if the server closed before all was sent; the reply says why. */
static inline bool scene_say_bytes(int client, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(client, bytes, length, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes += sent;
        length -= (size_t)sent;
    }
    return true;
}

static inline void scene_say(int client, const char *text)
{
    scene_say_bytes(client, text, strlen(text));
}

/* All until the server closes; the length, or -1 if it never does. */
static inline ssize_t scene_hear_all(int client, char *out, size_t size)
{
    size_t length = 0;
    for (;;) {
        ssize_t received = recv(client, out + length, size - 1 - length, 0);
        if (received < 0) return -1;
        length += (size_t)received;
        out[length] = '\0';
        if (received == 0 || length == size - 1) return (ssize_t)length;
    }
}

/* One reply with Content-Length, on a connection that stays open. */
static inline void scene_hear(int client, char *out, size_t size)
{
    size_t length = 0;
    for (;;) {
        ssize_t received = recv(client, out + length, size - 1 - length, 0);
        assert_true(received > 0);
        length += (size_t)received;
        out[length] = '\0';
        const char *end = strstr(out, "\r\n\r\n"), *field = strstr(out, "Content-Length: ");
        if (!end || !field) continue;
        size_t body = strtoul(field + strlen("Content-Length: "), NULL, 10);
        if (length >= (size_t)(end + 4 - out) + body) return;
    }
}

/* The pause between two looks at what the server's thread has noted. */
static inline void scene_doze(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static inline int scene_status(const char *reply)
{
    bool is_reply = strncmp(reply, "HTTP/1.", 7) == 0 && reply[8] == ' ';
    return is_reply ? (int)strtol(reply + 9, NULL, 10) : 0;
}

static inline const char *scene_body(const char *reply)
{
    const char *end = strstr(reply, "\r\n\r\n");
    return end ? end + 4 : "";
}

/* Send a request on a new connection and read until the server closes; the caller sends
 * "Connection: close". */
static inline ssize_t scene_ask(const struct scene *scene, const char *request, char *out,
                                size_t size)
{
    int client = scene_connect(scene);
    scene_say(client, request);
    ssize_t length = scene_hear_all(client, out, size);
    close(client);
    return length;
}

#endif
