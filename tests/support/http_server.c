#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "http_server.h"

#include <arpa/inet.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct service {
    const struct http_plan *plan;
    struct http_seen *seen;
};

static void note(char *out, const char *text)
{
    snprintf(out, HTTP_SEEN_TEXT, "%s", text ? text : "");
}

static const char *request_header(struct evhttp_request *request, const char *name)
{
    return evhttp_find_header(evhttp_request_get_input_headers(request), name);
}

static void add_header(struct evhttp_request *request, const char *name, const char *value)
{
    evhttp_add_header(evhttp_request_get_output_headers(request), name, value);
}

static void close_connection(struct evhttp_connection *connection, void *context)
{
    (void)context;
    shutdown(bufferevent_getfd(evhttp_connection_get_bufferevent(connection)), SHUT_RDWR);
}

/* Send the beginning of a body whose header promises more, then cut or keep silent. */
static void send_beginning(struct evhttp_request *request, int status, const char *bytes,
                           size_t length, bool cut)
{
    struct evbuffer *buffer = evbuffer_new();
    evbuffer_add(buffer, bytes, length);
    evhttp_send_reply_start(request, status, "OK");
    evhttp_send_reply_chunk_with_cb(request, buffer, cut ? close_connection : NULL, NULL);
    evbuffer_free(buffer);
}

static void send_body(const struct service *service, struct evhttp_request *request, int status,
                      size_t begin)
{
    const struct http_plan *plan = service->plan;
    size_t rest = plan->length - begin;
    char text[64];
    snprintf(text, sizeof text, "%zu", rest);
    if (plan->no_length)
        add_header(request, "Connection", "close");
    else
        add_header(request, "Content-Length", text);
    size_t stop = plan->cut_after ? plan->cut_after : plan->stall_after;
    bool bad =
        stop && stop < rest && (!plan->bad_answers || service->seen->requests <= plan->bad_answers);
    if (bad) {
        send_beginning(request, status, plan->body + begin, stop, plan->cut_after > 0);
        return;
    }
    struct evbuffer *buffer = evbuffer_new();
    evbuffer_add(buffer, plan->body + begin, rest);
    evhttp_send_reply(request, status, "OK", buffer);
    evbuffer_free(buffer);
}

/* "bytes=100-"; other forms are not understood. */
static bool parse_range(const char *range, size_t *begin)
{
    if (!range || strncmp(range, "bytes=", 6) != 0) return false;
    char *end = NULL;
    unsigned long long value = strtoull(range + 6, &end, 10);
    if (end == range + 6 || strcmp(end, "-") != 0) return false;
    *begin = (size_t)value;
    return true;
}

static void answer(struct evhttp_request *request, void *context)
{
    const struct service *service = context;
    const struct http_plan *plan = service->plan;
    struct http_seen *seen = service->seen;
    const char *path = evhttp_request_get_uri(request);
    const char *range = request_header(request, "Range");
    unsigned slot = seen->requests % HTTP_SEEN;
    note(seen->paths[slot], path);
    note(seen->ranges[slot], range);
    note(seen->agents[slot], request_header(request, "User-Agent"));
    seen->requests++;

    if (plan->status) {
        evhttp_send_error(request, plan->status, "no");
        return;
    }
    if (plan->redirect && strncmp(path, "/first", 6) == 0) {
        add_header(request, "Location", plan->redirect);
        evhttp_send_reply(request, 302, "Found", NULL);
        return;
    }
    size_t begin = 0;
    if (plan->no_range || !parse_range(range, &begin)) {
        send_body(service, request, 200, 0);
        return;
    }
    char text[96];
    if (begin >= plan->length) {
        snprintf(text, sizeof text, "bytes */%zu", plan->length);
        add_header(request, "Content-Range", text);
        evhttp_send_reply(request, 416, "Range Not Satisfiable", NULL);
        return;
    }
    if (plan->wrong_range) begin = 0;
    snprintf(text, sizeof text, "bytes %zu-%zu/%zu", begin, plan->length - 1, plan->length);
    add_header(request, "Content-Range", text);
    send_body(service, request, 206, begin);
}

/* Never returns. */
static void serve(const struct http_plan *plan, struct http_seen *seen, int report)
{
    struct service service = {.plan = plan, .seen = seen};
    struct event_base *base = event_base_new();
    struct evhttp *http = base ? evhttp_new(base) : NULL;
    struct evhttp_bound_socket *bound =
        http ? evhttp_bind_socket_with_handle(http, "127.0.0.1", 0) : NULL;
    struct sockaddr_in address = {0};
    socklen_t size = sizeof address;
    if (!bound ||
        getsockname(evhttp_bound_socket_get_fd(bound), (struct sockaddr *)&address, &size) != 0)
        _exit(1);
    evhttp_set_gencb(http, answer, &service);
    unsigned port = ntohs(address.sin_port);
    if (write(report, &port, sizeof port) != (ssize_t)sizeof port) _exit(1);
    close(report);
    event_base_dispatch(base);
    _exit(0);
}

bool http_server_start(struct http_server *server, const struct http_plan *plan)
{
    int ends[2];
    struct http_seen *seen =
        mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seen == MAP_FAILED || pipe(ends) != 0) return false;
    pid_t parent = getpid();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[0]);
        if (getppid() == parent) serve(plan, seen, ends[1]);
        _exit(1);
    }
    close(ends[1]);
    unsigned port = 0;
    bool started = child > 0 && read(ends[0], &port, sizeof port) == (ssize_t)sizeof port;
    close(ends[0]);
    *server = (struct http_server){.child = child, .port = port, .seen = seen};
    snprintf(server->url, sizeof server->url, "http://127.0.0.1:%u", port);
    return started;
}

void http_server_stop(struct http_server *server)
{
    if (server->child > 0) {
        kill(server->child, SIGKILL);
        waitpid(server->child, NULL, 0);
    }
    munmap(server->seen, sizeof *server->seen);
    *server = (struct http_server){.child = -1};
}
