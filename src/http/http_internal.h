/* The structure of the HTTP server.
 *
 * libevent waits, reads and writes; only this module interprets the bytes. A connection
 * (connection.c) collects a head, has it parsed (head.c), collects the body, and makes an exchange
 * of both (request.c), which owns the request. Replies are written into the connection's output
 * (reply.c).
 *
 * 1. A connection is idle, reading, busy or lingering. It is busy from the moment a request is
 *    complete until the last byte of its reply is in the kernel, and reads nothing meanwhile. Its
 *    input buffer is limited to what the current request may send.
 * 2. A busy connection has one exchange. An exchange without a reply outlives its connection; one
 *    with a reply is destroyed with it.
 * 3. Handlers run last: when a handler returns, its connection may be gone. */
#ifndef SOFTLAB_HTTP_INTERNAL_H
#define SOFTLAB_HTTP_INTERNAL_H

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "softlab/http.h"

/* ---- Requests as bytes (head.c, pairs.c, address.c): no libevent in here ---- */

/* Why a request is refused; status 0: it is accepted. */
struct sl_http_refusal {
    int status;
    const char *message;
};

/* Names and values that share one block of text. */
struct sl_http_pair {
    const char *name, *value;
};
struct sl_http_pairs {
    struct sl_http_pair *items; /* owned */
    size_t count;
    char *text; /* owned */
};
/* False if an escape is bad or the decoded text contains control characters or is not UTF-8; `out`
 * is then untouched. */
bool sl_http_query_parse(const char *query, size_t length, struct sl_http_pairs *out);
/* Skips parts that are not name=value. */
void sl_http_cookies_parse(const char *header, struct sl_http_pairs *out);
const char *sl_http_pairs_find(const struct sl_http_pairs *pairs, const char *name);
void sl_http_pairs_release(struct sl_http_pairs *pairs);

enum { SL_HTTP_MAX_PATH = 256 }; /* no route is that long */

struct sl_http_head {
    enum sl_http_method method;
    bool bodiless;               /* HEAD: the reply is sent without its body */
    bool old;                    /* HTTP/1.0 */
    bool close;                  /* no further request on this connection */
    size_t body;                 /* Content-Length */
    char path[SL_HTTP_MAX_PATH]; /* decoded */
    struct sl_http_pairs query, headers, cookies;
    const char *query_text; /* as received; in the text of the headers */
};
void sl_http_head_release(struct sl_http_head *head);

enum sl_http_scan { SL_HTTP_MORE, SL_HTTP_HEAD, SL_HTTP_BARE };
/* Look for the end of a head in `bytes` from `*at` on. `*at` moves to where the next scan starts
 * or, with SL_HTTP_HEAD, just behind the empty line. SL_HTTP_BARE: a line does not end in CR LF. */
enum sl_http_scan sl_http_head_scan(const char *bytes, size_t length, size_t *at);

/* Parse a head that sl_http_head_scan has found; if it is refused, `out` is empty. */
struct sl_http_refusal sl_http_head_parse(const char *bytes, size_t length,
                                          const struct sl_http_options *options,
                                          struct sl_http_head *out);

/* Decode a path into `out` (length + 1 bytes). False if it is not plain: no leading slash, an
 * empty, "." or ".." segment before the last, a bad or needless escape ('/', control characters),
 * a backslash, or not UTF-8. */
bool sl_http_path_decode(const char *path, size_t length, char *out);

/* A peer as text and as the bytes that count as one address; false if it is not IPv4 or IPv6. */
struct sl_http_peer {
    char text[SL_HTTP_NETWORK];
    unsigned char network[16];
};
bool sl_http_peer_read(const struct sockaddr *address, socklen_t length, struct sl_http_peer *out);

/* ---- The loop ---- */

struct sl_http_job {
    void (*work)(void *context);
    void (*done)(void *context);
    void *context;
    struct sl_http_job *next; /* owned */
};

struct sl_http_jobs {
    struct sl_http_job *first, **end; /* owned chain */
};

/* One thread, started by the first job. */
struct sl_http_worker {
    struct sl_http_loop *loop; /* borrowed; woken when a job is finished */
    pthread_t thread;
    bool started;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    struct sl_http_jobs waiting, finished;
    bool quit; /* start no further job */
};

struct sl_http_call {
    void (*run)(void *context);
    void *context;
};

struct sl_http_timer {
    struct sl_http_call call;
    struct event *event;        /* owned */
    struct sl_http_timer *next; /* owned */
};

struct sl_http_loop {
    const struct sl_log *log; /* borrowed */
    struct event_base *base;
    int wake[2]; /* a pipe, so that a signal handler or the worker can wake the loop */
    struct event *woken;
    atomic_bool stop;   /* requested, not yet seen by the loop */
    atomic_bool ending; /* requested; stays set until the loop runs again */
    bool stopping;
    struct event *grace; /* ends the second that replies get after a stop */

    struct event *deferred;
    struct sl_http_call *calls; /* owned */
    size_t n_calls, calls_capacity;
    bool running_calls;

    struct sl_http_timer *timers;
    struct sl_http_worker workers[SL_HTTP_LANES];

    struct sl_http_listener *listeners; /* owned chain */
    struct sl_http_exchange *exchanges; /* without a reply, or still writing one */
};

void sl_http_worker_init(struct sl_http_worker *worker, struct sl_http_loop *loop);
/* Marks waiting jobs as finished without running them. */
void sl_http_worker_skip(struct sl_http_worker *worker);
/* Waits for the current job and ends the thread; finished jobs stay in their list. */
void sl_http_worker_finish(struct sl_http_worker *worker);
void sl_http_worker_release(struct sl_http_worker *worker);
/* Call `done` of every finished job. */
void sl_http_worker_collect(struct sl_http_worker *worker);
void sl_http_loop_wake(struct sl_http_loop *loop);
/* Ends a stopping loop once no exchange is left. */
void sl_http_loop_settled(struct sl_http_loop *loop);
struct timeval sl_http_timeval(double seconds);

/* ---- Listeners and connections ---- */

struct sl_http_listener {
    struct sl_http_loop *loop; /* borrowed */
    struct sl_http_options options;
    struct evconnlistener *accepting; /* owned */
    struct event *pause;              /* resumes accepting after an error */
    uint16_t port;
    /* Owned; the connections that have been idle longest come first. */
    struct sl_http_connection *first, *last;
    size_t n_connections;
    struct sl_http_listener *next;
};

void sl_http_listeners_destroy(struct sl_http_loop *loop);

enum sl_http_state { SL_HTTP_IDLE, SL_HTTP_READING, SL_HTTP_BUSY, SL_HTTP_LINGERING };

struct sl_http_connection {
    struct sl_http_listener *listener; /* borrowed */
    struct bufferevent *stream;        /* owned, with the socket */
    struct event *timer; /* idle, the deadline of a request, or the end of lingering */
    enum sl_http_state state;
    struct sl_http_peer peer;
    size_t scanned;                    /* bytes searched for the end of the head */
    size_t head_length;                /* 0 until the head is complete */
    struct sl_http_head head;          /* valid from then on */
    struct sl_http_exchange *exchange; /* while busy; borrowed */
    size_t discarded;                  /* while lingering */
    struct sl_http_connection *next, *previous;
};

/* Takes the socket and closes it at once if there is no room for it. */
void sl_http_connection_open(struct sl_http_listener *listener, evutil_socket_t socket,
                             const struct sockaddr *address, socklen_t length);
void sl_http_connection_close(struct sl_http_connection *connection);
/* Close so that the client notices that the reply is incomplete. */
void sl_http_connection_break(struct sl_http_connection *connection);
/* The exchange is over; `last`: accept no further request. */
void sl_http_connection_rest(struct sl_http_connection *connection, bool last);
/* Close the connection that has been idle longest; false if all are busy. */
bool sl_http_connection_spare(struct sl_http_listener *listener);
/* Close the connections that are not busy; close all. */
void sl_http_connections_stop(struct sl_http_loop *loop);
void sl_http_connections_close(struct sl_http_loop *loop);

/* ---- Exchanges ---- */

struct sl_http_exchange {
    struct sl_http_loop *loop;
    struct sl_http_listener *listener;
    struct sl_http_connection *connection; /* NULL when the client is gone */
    struct sl_http_head head;
    char *body; /* owned; head.body bytes, and a NUL */
    const char *segment;
    char peer[SL_HTTP_NETWORK];
    double began; /* sl_clock_seconds */
    bool replied;
    int status;                   /* of the reply */
    size_t sent;                  /* bytes of its body */
    struct sl_http_source source; /* of a streamed reply */
    char *piece;                  /* owned */
    struct sl_http_exchange *next, *previous;
};

/* Takes the contents of `head`; the caller fills in the body. */
struct sl_http_exchange *sl_http_exchange_create(struct sl_http_connection *connection,
                                                 struct sl_http_head *head);
/* Call the handler, or refuse the request. */
void sl_http_exchange_route(struct sl_http_exchange *exchange);
void sl_http_exchange_refuse(struct sl_http_exchange *exchange, struct sl_http_refusal refusal);
/* The bytes given to the connection so far have been written. */
void sl_http_exchange_written(struct sl_http_exchange *exchange);
/* The connection is closing. */
void sl_http_exchange_abandon(struct sl_http_exchange *exchange);
void sl_http_exchange_destroy(struct sl_http_exchange *exchange);
/* As sl_http_fail, with further headers. */
void sl_http_fail_with(struct sl_http_exchange *exchange, int status, const char *message,
                       const struct sl_http_header *headers);

#endif
