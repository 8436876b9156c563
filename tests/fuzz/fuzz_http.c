/* HTTP: the checks by themselves, and whole requests over a socket into a running loop. Whatever
 * comes, the server answers in its own words, and the connection ends. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "http/http_internal.h"
#include "softlab/base.h"

enum { MAX_BODY = 200, MAX_HEADERS = 2000, ROUNDS = 1000 };

/* ---- The checks ---- */

static void check_path(const char *bytes, size_t length)
{
    char *path = sl_alloc(length + 1, 1);
    if (sl_http_path_decode(bytes, length, path)) {
        if (path[0] != '/' || strstr(path, "//") || strstr(path, "/../")) abort();
        if (strlen(path) > length || strchr(path, '\\') || strpbrk(path, "\r\n")) abort();
        if (sl_utf8_valid(path, strlen(path)) != strlen(path)) abort();
    }
    free(path);
}

static void check_pairs(const char *bytes, size_t length)
{
    struct sl_http_pairs pairs;
    if (sl_http_query_parse(bytes, length, &pairs)) {
        for (size_t i = 0; i < pairs.count; i++)
            if (!sl_http_pairs_find(&pairs, pairs.items[i].name)) abort();
        sl_http_pairs_release(&pairs);
    }
    char *text = sl_string_copy_n(bytes, length);
    sl_http_cookies_parse(text, &pairs);
    for (size_t i = 0; i < pairs.count; i++)
        if (pairs.items[i].name[0] == '\0' || strchr(pairs.items[i].value, ';')) abort();
    sl_http_pairs_release(&pairs);
    free(text);
}

static void check_head(const char *bytes, size_t length)
{
    struct sl_http_head head;
    size_t at = 0;
    if (sl_http_head_scan(bytes, length, &at) != SL_HTTP_HEAD) return;
    if (at > length || memcmp(bytes + at - 4, "\r\n\r\n", 4) != 0) abort();
    struct sl_http_options options = sl_http_options_default();
    options.max_body = MAX_BODY;
    struct sl_http_refusal refusal = sl_http_head_parse(bytes, at, &options, &head);
    if (!refusal.status != !refusal.message) abort();
    if (!refusal.status && head.body > MAX_BODY) abort();
    for (size_t i = 0; i < head.headers.count; i++)
        if (strpbrk(head.headers.items[i].value, "\r\n")) abort();
    sl_http_head_release(&head);
}

/* ---- The server ---- */

static void handle(struct sl_http_exchange *exchange, void *context)
{
    size_t length = 0;
    const char *body = sl_http_body(exchange, &length);
    if (length > MAX_BODY) abort();
    (*(unsigned *)context)++;
    sl_http_same_origin(exchange);
    sl_http_send(exchange,
                 &(struct sl_http_reply){
                     .status = 200, .type = "text/plain", .body = body, .length = length});
}

static const struct sl_http_route routes[] = {
    {SL_HTTP_GET, "/", handle},
    {SL_HTTP_GET, "/item/", handle},
    {SL_HTTP_POST, "/post", handle},
    {SL_HTTP_GET, NULL, NULL},
};
static const struct sl_http_header headers[] = {{"X-Ours", "yes"}, {NULL, NULL}};

static int connect_to(uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    struct linger reset = {.l_onoff = 1}; /* or the ports would run out */
    int client = socket(AF_INET, SOCK_STREAM, 0);
    if (client < 0 || connect(client, (struct sockaddr *)&address, sizeof address) != 0) abort();
    setsockopt(client, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    return client;
}

static void turn(struct sl_http_loop *loop)
{
    event_base_loop(loop->base, EVLOOP_NONBLOCK);
}

static void say(int client, const char *bytes, size_t length)
{
    if (length > 0 && send(client, bytes, length, MSG_NOSIGNAL) < 0) return;
}

/* In two parts, so that every cut occurs. */
static void check_server(const char *bytes, size_t length, size_t cut)
{
    unsigned handled = 0;
    struct sl_http_loop *loop = NULL;
    struct sl_http_listener *listener = NULL;
    struct sl_http_options options = sl_http_options_default();
    char reply[4096] = "";
    options.routes = routes;
    options.headers = headers;
    options.context = &handled;
    options.max_body = MAX_BODY;
    options.max_headers = MAX_HEADERS;
    if (sl_http_loop_create(NULL, &loop, NULL) != SL_OK) abort();
    if (sl_http_listen(loop, &options, &listener, NULL) != SL_OK) abort();
    int client = connect_to(sl_http_port(listener));
    say(client, bytes, cut);
    for (int i = 0; i < 3; i++)
        turn(loop);
    say(client, bytes + cut, length - cut);
    shutdown(client, SHUT_WR);
    ssize_t received = -1;
    size_t heard = 0;
    for (int i = 0; i < ROUNDS && received != 0; i++) {
        turn(loop);
        received = recv(client, reply + heard, sizeof reply - 1 - heard, MSG_DONTWAIT);
        if (received > 0) heard += (size_t)received;
    }
    if (received != 0) abort();
    if (heard > 0 && (strncmp(reply, "HTTP/1.", 7) != 0 || !strstr(reply, "\r\nX-Ours: yes\r\n")))
        abort();
    for (int i = 0; i < ROUNDS && listener->n_connections > 0; i++)
        turn(loop);
    if (listener->n_connections > 0 || loop->exchanges) abort();
    if (handled > length / strlen("GET / HTTP/1.0\r\nHost:h\r\n\r\n")) abort();
    close(client);
    sl_http_loop_destroy(loop);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length == 0) return 0;
    size_t cut = bytes[0] % length;
    const char *text = (const char *)bytes + 1;
    length--;
    check_path(text, length);
    check_pairs(text, length);
    check_head(text, length);
    check_server(text, length, cut < length ? cut : length);
    return 0;
}
