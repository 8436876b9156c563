/* How the server is put together.
 *
 * evhttp accepts, parses, frames replies and keeps connections open, but it believes what it
 * reads. So every connection's bufferevent comes from us (connection.c), and a watcher on its
 * input sees the bytes before evhttp does. Until a whole request has arrived and passed the
 * checks of head.c, the low-water mark of the bufferevent keeps evhttp from being called. A
 * request that fails them never reaches evhttp: the watcher puts a harmless one in its place
 * and notes the refusal, so that refusals leave by the same way as all replies.
 *
 * 1. A connection is idle, reading or busy. It is busy from the moment that evhttp may see
 *    the request until the last byte of the reply is written; evhttp does not read meanwhile.
 * 2. A busy connection has one exchange. An exchange without a reply outlives its connection
 *    and keeps the request; with one it dies with it.
 * 3. Bytes beyond a whole request close the connection after its reply, so that evhttp never
 *    finds bytes the watcher has not seen. */
#ifndef SOFTLAB_HTTP_INTERNAL_H
#define SOFTLAB_HTTP_INTERNAL_H

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <pthread.h>
#include <stdatomic.h>

#include "softlab/http.h"

/* ---- Checks of bytes (head.c, pairs.c): no libevent in here ---- */

/* Why a request is refused; status 0: it is not. */
struct sl_http_refusal {
    int status;
    const char *message;
};

struct sl_http_head {
    enum sl_http_method method;
    bool old;    /* HTTP/1.0 */
    bool close;  /* the client wants no further request */
    size_t body; /* Content-Length */
};

enum sl_http_scan { SL_HTTP_MORE, SL_HTTP_HEAD, SL_HTTP_BARE };
/* Look for the end of a head in `bytes` from `*at` on, which moves to where to go on or, with
 * SL_HTTP_HEAD, just behind the empty line. SL_HTTP_BARE: a line does not end in CR LF. */
enum sl_http_scan sl_http_head_scan(const char *bytes, size_t length, size_t *at);

/* Check a head that sl_http_head_scan has found. */
struct sl_http_refusal sl_http_head_check(const char *head, size_t length, size_t max_body,
                                          struct sl_http_head *out);

/* Decode a path into `out` (length + 1 bytes); false if it is not plain: no leading slash, an
 * empty, "." or ".." segment before the last, a bad or needless escape ('/', control characters),
 * a backslash, or not UTF-8. */
bool sl_http_path_decode(const char *path, size_t length, char *out);

/* Names and values that share one block of text. */
struct sl_http_pair {
    const char *name, *value;
};
struct sl_http_pairs {
    struct sl_http_pair *items; /* owned */
    size_t count;
    char *text; /* owned */
};
/* False if an escape is bad or what is decoded holds control characters or is not UTF-8; `out`
 * is then untouched. */
bool sl_http_query_parse(const char *query, size_t length, struct sl_http_pairs *out);
/* What is no name=value is passed over. */
void sl_http_cookies_parse(const char *header, struct sl_http_pairs *out);
const char *sl_http_pairs_find(const struct sl_http_pairs *pairs, const char *name);
void sl_http_pairs_release(struct sl_http_pairs *pairs);

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
    pthread_t thread;
    bool started;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    struct sl_http_jobs waiting, finished;
    bool quit;
};

struct sl_http_call {
    void (*run)(void *context);
    void *context;
};

struct sl_http_ticker {
    struct sl_http_call call;
    struct event *event;         /* owned */
    struct sl_http_ticker *next; /* owned */
};

struct sl_http_connection;
struct sl_http_linger;

struct sl_http_loop {
    const struct sl_log *log; /* borrowed */
    struct event_base *base;
    int wake[2]; /* a pipe, so that a signal handler or the worker can wake the loop */
    struct event *woken;
    atomic_bool stop;
    bool stopping;
    struct event *grace; /* the second that replies get after a stop */

    struct event *deferred;
    struct sl_http_call *calls; /* owned */
    size_t n_calls, calls_capacity;
    bool running_calls;

    struct sl_http_ticker *tickers;
    struct sl_http_worker worker;

    struct sl_http_listener *listeners;      /* owned chain */
    struct sl_http_connection **connections; /* by socket; owned by evhttp's connections */
    size_t connections_capacity;
    struct sl_http_exchange *exchanges; /* without a reply, or with one being written */
    struct sl_http_linger *lingering;
};

void sl_http_worker_init(struct sl_http_worker *worker);
/* Runs what is waiting and ends the thread; what is finished stays. */
void sl_http_worker_finish(struct sl_http_worker *worker);
void sl_http_worker_release(struct sl_http_worker *worker);
/* Call `done` of every finished job. */
void sl_http_worker_collect(struct sl_http_worker *worker);
void sl_http_loop_wake(struct sl_http_loop *loop);
/* Ends a stopping loop when no exchange is left. */
void sl_http_loop_settled(struct sl_http_loop *loop);
struct timeval sl_http_timeval(double seconds);

/* ---- Listeners and connections ---- */

struct sl_http_listener {
    struct sl_http_loop *loop; /* borrowed */
    struct sl_http_options options;
    struct evhttp *http; /* owned; owns `accepting` */
    struct evconnlistener *accepting;
    struct event *tick; /* accepting goes on, should it have failed */
    uint16_t port;
    size_t n_connections;
    struct sl_http_listener *next;
};

void sl_http_listeners_destroy(struct sl_http_loop *loop);

enum sl_http_state { SL_HTTP_IDLE, SL_HTTP_READING, SL_HTTP_BUSY };

struct sl_http_connection {
    struct sl_http_listener *listener; /* borrowed */
    struct bufferevent *stream;        /* evhttp's */
    struct evhttp_connection *evhttp;  /* which owns this one; NULL until adopted */
    struct event *timer;               /* idle, or the deadline of a request */
    struct evbuffer_cb_entry *watcher;
    enum sl_http_state state;
    bool doomed;           /* to be closed by the timer, where evhttp is not on the stack */
    size_t scanned, whole; /* bytes looked at; length of the request, 0 if not yet known */
    struct sl_http_head head;
    struct sl_http_refusal refusal;
    bool lingers;                      /* the client may send on for a while after the close */
    struct sl_http_exchange *exchange; /* when busy; borrowed */
};

/* For evhttp_set_bevcb. */
struct bufferevent *sl_http_connection_create(struct event_base *base, void *listener);
struct sl_http_connection *sl_http_connection_of(struct sl_http_loop *loop,
                                                 struct evhttp_request *request);
/* The reply is written: the next request may come. */
void sl_http_connection_rest(struct sl_http_connection *connection);
/* Close, but not from within evhttp's own functions. */
void sl_http_connection_doom(struct sl_http_connection *connection);
void sl_http_connections_stop(struct sl_http_loop *loop);
void sl_http_linger_release(struct sl_http_loop *loop);

/* ---- Exchanges ---- */

struct sl_http_exchange {
    struct sl_http_loop *loop;
    struct sl_http_listener *listener;
    struct sl_http_connection *connection; /* NULL when the client is gone */
    struct evhttp_request *request;
    struct sl_http_head head;
    char *path; /* decoded; owned */
    const char *segment;
    struct sl_http_pairs query, cookies;
    char *peer; /* owned */
    bool replied;
    struct sl_http_source source; /* of a streamed reply */
    char *piece;                  /* owned */
    struct sl_http_exchange *next, *previous;
};

/* evhttp's general callback. */
void sl_http_handle(struct evhttp_request *request, void *listener);
/* The connection goes down. */
void sl_http_exchange_abandon(struct sl_http_exchange *exchange);
void sl_http_exchange_destroy(struct sl_http_exchange *exchange);
/* As sl_http_fail, with further headers. */
void sl_http_fail_with(struct sl_http_exchange *exchange, int status, const char *message,
                       const struct sl_http_header *headers);

#endif
