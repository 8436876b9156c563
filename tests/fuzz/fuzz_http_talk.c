/* HTTP as a conversation: the input is a programme for a few clients that open, say (good requests,
 * bad ones, pieces, many at once, bytes of the input), read a little, stop reading, half-close,
 * reset, while the server's loop turns now and then. Whatever they do, the server holds of each no
 * more than a request may have, no handler sees a request without a Host, what is heard begins as
 * HTTP, and in the end nothing of the conversation is left. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "http/http_internal.h"
#include "softlab/base.h"

enum {
    CLIENTS = 4,
    HELD = 16,
    MAX_BODY = 2000,
    MAX_HEADERS = 1000,
    LARGE = 1 << 20,
    MAX_STEPS = 400,
    ROUNDS = 20000
};

/* ---- The server ---- */

struct desk {
    struct sl_http_loop *loop;
    struct sl_http_listener *listener;
    struct sl_http_exchange *held[HELD];
    size_t n_held, lent;
    unsigned pieces;
};

static char large[LARGE];

static void check_request(const struct sl_http_exchange *exchange)
{
    size_t length = 0;
    const char *body = sl_http_body(exchange, &length);
    if (length > MAX_BODY || !body || !sl_http_request_header(exchange, "Host")) abort();
    sl_http_same_origin(exchange);
    sl_http_cookie(exchange, "c");
    sl_http_query(exchange, "q");
}

static void at_once(struct sl_http_exchange *exchange, void *context)
{
    (void)context;
    check_request(exchange);
    size_t length = 0;
    const char *body = sl_http_body(exchange, &length);
    sl_http_send(exchange,
                 &(struct sl_http_reply){
                     .status = 200, .type = "text/plain", .body = body, .length = length});
}

static void give_back(void *context)
{
    ((struct desk *)context)->lent--;
}

static void lend(struct sl_http_exchange *exchange, void *context)
{
    check_request(exchange);
    ((struct desk *)context)->lent++;
    sl_http_send(exchange, &(struct sl_http_reply){.status = 200,
                                                   .type = "image/png",
                                                   .body = large,
                                                   .length = sizeof large,
                                                   .done = give_back,
                                                   .context = context});
}

static size_t next_piece(void *context, char *buffer, size_t size)
{
    struct desk *desk = context;
    if (++desk->pieces % 7 == 0) return 0;
    if (desk->pieces % 23 == 0) return SIZE_MAX;
    memset(buffer, 's', size);
    return size;
}

static void stream(struct sl_http_exchange *exchange, void *context)
{
    check_request(exchange);
    ((struct desk *)context)->lent++;
    struct sl_http_reply head = {.status = 200, .type = "text/csv"};
    sl_http_stream(exchange, &head, (struct sl_http_source){next_piece, give_back, context});
}

static void release(struct desk *desk)
{
    while (desk->n_held > 0)
        at_once(desk->held[--desk->n_held], desk);
}

static void hold(struct sl_http_exchange *exchange, void *context)
{
    struct desk *desk = context;
    if (desk->n_held == HELD) release(desk);
    desk->held[desk->n_held++] = exchange;
}

static const struct sl_http_route routes[] = {
    {SL_HTTP_GET, "/", at_once},      {SL_HTTP_POST, "/post", at_once},
    {SL_HTTP_GET, "/item/", at_once}, {SL_HTTP_GET, "/lend", lend},
    {SL_HTTP_GET, "/stream", stream}, {SL_HTTP_GET, "/hold", hold},
    {SL_HTTP_POST, "/keep", hold},    {SL_HTTP_GET, NULL, NULL},
};

static void turn(struct desk *desk, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        event_base_loop(desk->loop->base, EVLOOP_NONBLOCK);
    for (const struct sl_http_connection *at = desk->listener->first; at; at = at->next) {
        size_t held = evbuffer_get_length(bufferevent_get_input(at->stream));
        size_t entitled = at->state == SL_HTTP_LINGERING ? 16 << 10 : MAX_HEADERS + 1 + MAX_BODY;
        if (held > entitled) abort();
    }
}

/* ---- The clients ---- */

#define H "Host: h\r\n"

static const char *const phrases[] = {
    "GET / HTTP/1.1\r\n" H "\r\n",
    "POST /post HTTP/1.1\r\n" H "Content-Length: 5\r\n\r\n12345",
    "GET /lend HTTP/1.1\r\n" H "\r\n",
    "GET /stream HTTP/1.1\r\n" H "\r\n",
    "GET /stream HTTP/1.0\r\n" H "\r\n",
    "GET /hold HTTP/1.1\r\n" H "\r\n",
    "POST /keep HTTP/1.1\r\n" H "Content-Length: 5\r\n\r\n12345",
    "HEAD /lend HTTP/1.1\r\n" H "\r\n",
    "HEAD /stream HTTP/1.1\r\n" H "\r\n",
    "GET /item/x?q=1 HTTP/1.1\r\n" H "Cookie: c=1\r\nConnection: close\r\n\r\n",
    "POST /post HTTP/1.1\r\nOrigin: http://h\r\nContent-Length: 0\r\n\r\n",
    "POST /post HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
    "GET /item/../x HTTP/1.1\r\n" H "\r\n",
    "GET / HTTP/1.1\r\nOrigin: http://h\r\n\r\n",
    "POST /post HTTP/1.1\r\n" H "Content-Length: 2000\r\n\r\n",
    "POST /post HTTP/1.1\r\n" H "Content-Length: 2001\r\n\r\n",
    "GET / HT",
    "TP/1.1\r\n" H,
    "X: y\r\n",
    "\r\n",
    "\n",
    "Content-Length: 3\r\n",
    "Expect: 100-continue\r\n",
    "BREW / HTTP/1.1\r\n" H "\r\n",
    "\x16\x03\x01",
};

struct client {
    int socket; /* -1: none */
    size_t heard;
};

struct talk {
    struct desk desk;
    struct client clients[CLIENTS];
    const uint8_t *bytes;
    size_t length;
};

static uint8_t next_byte(struct talk *talk)
{
    if (talk->length == 0) return 0;
    talk->length--;
    return *talk->bytes++;
}

/* From another address of this machine each time, or the ports would run out. */
static void bind_somewhere(int socket)
{
    static uint32_t number;
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK + number++ % 60000),
    };
    if (bind(socket, (struct sockaddr *)&address, sizeof address) != 0) abort();
}

/* False if the system has no port left just now; that it never has any is not to go unseen. */
static bool open_client(struct talk *talk, struct client *client, bool small)
{
    static unsigned refused;
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(sl_http_port(talk->desk.listener)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    if (client->socket >= 0) return true;
    *client = (struct client){.socket = socket(AF_INET, SOCK_STREAM, 0)};
    if (client->socket < 0) abort();
    bind_somewhere(client->socket);
    if (small) setsockopt(client->socket, SOL_SOCKET, SO_RCVBUF, &(int){2048}, sizeof(int));
    if (connect(client->socket, (struct sockaddr *)&address, sizeof address) == 0) {
        refused = 0;
        return true;
    }
    close(client->socket);
    client->socket = -1;
    if (++refused > 1000) abort();
    return false;
}

static void say(const struct client *client, const void *bytes, size_t length)
{
    ssize_t sent = send(client->socket, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)sent; /* a full buffer or a server that closed cut it short, which is as good */
}

static void hear(struct client *client, size_t length)
{
    static const char beginning[] = "HTTP/1.";
    char bytes[4096];
    if (length > sizeof bytes) length = sizeof bytes;
    ssize_t received = recv(client->socket, bytes, length, MSG_DONTWAIT);
    for (ssize_t i = 0; i < received; i++, client->heard++)
        if (client->heard < sizeof beginning - 1 && bytes[i] != beginning[client->heard]) abort();
}

static void close_client(struct client *client, bool reset)
{
    struct linger linger = {.l_onoff = 1};
    if (reset) setsockopt(client->socket, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    close(client->socket);
    client->socket = -1;
}

static void say_input(struct talk *talk, const struct client *client, size_t wanted)
{
    size_t length = wanted < talk->length ? wanted : talk->length;
    say(client, talk->bytes, length);
    talk->bytes += length;
    talk->length -= length;
}

/* One step: what, who, and an argument. */
static void step(struct talk *talk)
{
    uint8_t what = next_byte(talk), argument = next_byte(talk);
    struct client *client = &talk->clients[what / 16 % CLIENTS];
    const char *phrase = phrases[argument % (sizeof phrases / sizeof *phrases)];
    if (what % 16 < 2) turn(&talk->desk, 1 + argument % 8);
    if (what % 16 == 2) release(&talk->desk);
    if (!open_client(talk, client, argument % 2)) return;
    switch (what % 16) {
    case 4:
    case 5:
    case 6:
    case 7: say(client, phrase, strlen(phrase)); break;
    case 8:
        for (int i = 0; i < 40; i++)
            say(client, phrase, strlen(phrase));
        break;
    case 9: say_input(talk, client, argument % 64); break;
    case 10: say(client, large, argument * 64); break;
    case 11: hear(client, argument); break;
    case 12: hear(client, SIZE_MAX); break;
    case 13: shutdown(client->socket, SHUT_WR); break;
    case 14: close_client(client, argument % 2); break;
    default: turn(&talk->desk, 1); break;
    }
}

static void end(struct talk *talk)
{
    struct desk *desk = &talk->desk;
    for (size_t i = 0; i < CLIENTS; i++)
        if (talk->clients[i].socket >= 0) close_client(&talk->clients[i], true);
    for (int i = 0; i < ROUNDS && (desk->listener->n_connections > 0 || desk->loop->exchanges);
         i++) {
        turn(desk, 1);
        release(desk);
    }
    if (desk->listener->n_connections > 0 || desk->loop->exchanges) abort();
    sl_http_loop_destroy(desk->loop);
    if (desk->lent > 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct talk talk = {.bytes = bytes, .length = length};
    struct desk *desk = &talk.desk;
    struct sl_http_options options = sl_http_options_default();
    for (size_t i = 0; i < CLIENTS; i++)
        talk.clients[i].socket = -1;
    signal(SIGPIPE, SIG_IGN); /* sl_http_loop_run sees to it, which is not called here */
    options.routes = routes;
    options.context = desk;
    options.max_body = MAX_BODY;
    options.max_headers = MAX_HEADERS;
    if (sl_http_loop_create(NULL, &desk->loop, NULL) != SL_OK) abort();
    if (sl_http_listen(desk->loop, &options, &desk->listener, NULL) != SL_OK) abort();
    for (int i = 0; i < MAX_STEPS && talk.length > 0; i++)
        step(&talk);
    end(&talk);
    return 0;
}
