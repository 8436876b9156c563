/* HTTP: a small, strict server on libevent's loop and buffers. It knows nothing of studies.
 *
 * One loop, one thread: handlers run one after another and may reply at once or later (after a
 * commit, after slow work on another thread). GET, HEAD and POST only, exact paths; bodies by
 * Content-Length up to a limit. Refused before any handler sees them: Transfer-Encoding, repeated
 * Content-Length or Host, a missing or foreign Host, other methods, oversized headers and bodies,
 * paths that are not plain, requests that are not whole within the deadline counted from their
 * first byte (these are closed without a word). A refusal closes the connection. While a request
 * has no reply nothing further is read from its connection: what a client sends ahead waits in the
 * kernel and costs no memory here. Every reply carries the security headers of the listener. */
#ifndef SOFTLAB_HTTP_H
#define SOFTLAB_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/log.h"

SL_BEGIN_DECLS

/* For programs: from now on libevent finds memory or does not return, as sl_alloc. Its allocator is
 * one for the process: call this before the first loop. */
void sl_http_use_memory(void);

/* ---- The loop ---- */

struct sl_http_loop;
enum sl_status sl_http_loop_create(const struct sl_log *log, struct sl_http_loop **out,
                                   struct sl_error *err) SL_MUST_USE;
/* And its listeners. Deferred calls asked for before are made first. Work that has begun is waited
 * for, work that has not is left out; both have their `done`. Exchanges that still have no reply
 * are gone afterwards. */
void sl_http_loop_destroy(struct sl_http_loop *loop);
/* Until sl_http_loop_stop, which may be called from a signal handler or another thread. Requests
 * in work get their replies first, for at most a second. */
enum sl_status sl_http_loop_run(struct sl_http_loop *loop, struct sl_error *err) SL_MUST_USE;
void sl_http_loop_stop(struct sl_http_loop *loop);
/* From any thread: the loop is being stopped, and long work had better end. */
bool sl_http_loop_stopping(const struct sl_http_loop *loop);

/* Once, when the events at hand have been handled: for commits that many requests share. Asking
 * twice with the same function and context before it runs counts once. */
void sl_http_defer(struct sl_http_loop *loop, void (*run)(void *context), void *context);
/* Every `seconds`, until the loop goes. */
void sl_http_every(struct sl_http_loop *loop, double seconds, void (*run)(void *context),
                   void *context);
/* Once, `seconds` after each start; started again before, it counts anew. Lives as long as the
 * loop. */
struct sl_http_timer;
struct sl_http_timer *sl_http_timer_create(struct sl_http_loop *loop, void (*run)(void *context),
                                           void *context);
void sl_http_timer_start(struct sl_http_timer *timer, double seconds);
/* `work` on another thread, then `done` on the loop. Every lane is a thread of its own, whose jobs
 * run one at a time in order. When the loop stops, `work` that has not begun is left out; `done`
 * always comes. */
enum { SL_HTTP_LANES = 4 };
void sl_http_work(struct sl_http_loop *loop, unsigned lane, void (*work)(void *context),
                  void (*done)(void *context), void *context);

/* ---- Listeners ---- */

/* A HEAD is a GET to its handler; its reply goes out without the body. */
enum sl_http_method { SL_HTTP_GET, SL_HTTP_POST };

struct sl_http_exchange;
struct sl_http_route {
    enum sl_http_method method;
    const char *path; /* exact; one that ends in "/" takes one further segment, not empty,
                       * except "/" itself; one that ends in "/" and a star takes one or more */
    void (*handle)(struct sl_http_exchange *exchange, void *context);
};

/* Pages below a prefix, as if it were not there. */
struct sl_http_mount {
    const char *prefix;                 /* "/birds"; "": everything */
    const struct sl_http_route *routes; /* borrowed, as in the options */
    void *context;                      /* for their handlers */
};

struct sl_http_header {
    const char *name, *value;
};

/* A request whose reply is over, as a log of requests sees it. */
struct sl_http_served {
    const char *method, *path; /* "GET"; decoded, without the query; "" if it was refused unread */
    int status;                /* 0: there was no reply */
    size_t bytes;              /* of the body */
    double seconds;            /* since the request was whole */
};

struct sl_http_options {
    const char *address;                /* "127.0.0.1" */
    uint16_t port;                      /* 0: any that is free */
    const struct sl_http_route *routes; /* borrowed; ends with a NULL path */
    /* Looked into before `routes`; borrowed; ends with a NULL prefix; or NULL. A prefix asked for
     * without the slash behind it is sent there. */
    const struct sl_http_mount *mounts;
    const struct sl_http_header
        *headers;  /* on every reply; borrowed; ends with a NULL name; or NULL */
    void *context; /* for the handlers */
    /* Called after every reply, or NULL; its context is that of the handlers. */
    void (*served)(const struct sl_http_served *served, void *context);
    size_t max_body;         /* 64 KiB */
    size_t max_headers;      /* 8 KiB */
    double deadline_seconds; /* 10: a request must be whole by then */
    double idle_seconds;     /* 60: a connection without a request is closed */
    /* Connections at once, 4096. One more closes the one that has been without a request for
     * longest; is none, it is closed itself. The same within one address (IPv6: one /64), 0 for
     * no such limit. */
    size_t max_connections, max_per_address;
    /* The names a Host may have, without the port; ends with NULL; borrowed. NULL: any. */
    const char *const *hosts;
};
struct sl_http_options sl_http_options_default(void);

struct sl_http_listener;
/* SL_ERR_IO naming address and port if they cannot be had. Lives as long as the loop. */
enum sl_status sl_http_listen(struct sl_http_loop *loop, const struct sl_http_options *options,
                              struct sl_http_listener **out, struct sl_error *err) SL_MUST_USE;
uint16_t sl_http_port(const struct sl_http_listener *listener);
size_t sl_http_connections(const struct sl_http_listener *listener); /* that are open */

/* ---- Requests: everything borrowed until the reply ---- */

/* What a route that ends in "/" or a star has taken, decoded; "" if nothing. */
const char *sl_http_segment(const struct sl_http_exchange *exchange);
/* A query parameter, decoded, or NULL. Repeated: the first. */
const char *sl_http_query(const struct sl_http_exchange *exchange, const char *name);
/* In any case of letters. Repeated: the first, or the last. */
const char *sl_http_request_header(const struct sl_http_exchange *exchange, const char *name);
const char *sl_http_request_header_last(const struct sl_http_exchange *exchange, const char *name);
const char *sl_http_cookie(const struct sl_http_exchange *exchange, const char *name);
const char *sl_http_body(const struct sl_http_exchange *exchange, size_t *length); /* no NUL */
const char *sl_http_peer(const struct sl_http_exchange *exchange);                 /* its address */
/* Who an address belongs to, for limits: "192.0.2.7", or "2001:db8:0:1::/64" for IPv6, where one
 * customer has 2^64 addresses. `text` may have a port or brackets. False if it is no address. */
enum { SL_HTTP_NETWORK = 50 };
bool sl_http_network(const char *text, size_t length, char out[SL_HTTP_NETWORK]);
/* Whether only the head of the reply is wanted: nothing is to change for it. */
bool sl_http_is_head(const struct sl_http_exchange *exchange);
/* Whether a browser sent this from a page of ours: Sec-Fetch-Site is same-origin or none, or,
 * without that header, Origin names our Host, or there is neither (not a browser). */
bool sl_http_same_origin(const struct sl_http_exchange *exchange);

/* Let the handler have the request again, from the beginning: for one that has to wait and has
 * neither written nor replied yet. */
void sl_http_again(struct sl_http_exchange *exchange);

/* ---- Replies: exactly one per exchange, on the loop's thread ---- */

struct sl_http_reply {
    int status;
    const char *type; /* "application/json" */
    const void *body;
    size_t length;
    const struct sl_http_header *headers; /* ends with a NULL name; or NULL; they stand for the
                                           * listener's of the same name */
    /* If set, the body is not copied: it stays as it is until `done`, which is called once, when
     * nobody needs it any more (at once, if there is nobody to reply to). */
    void (*done)(void *context);
    void *context;
};
void sl_http_send(struct sl_http_exchange *exchange, const struct sl_http_reply *reply);
/* {"error": "..."} with the status. */
void sl_http_fail(struct sl_http_exchange *exchange, int status, const char *message);
/* A body made piece by piece as the client takes it: `next` fills `buffer` and returns how many
 * bytes, 0 at the end, or SIZE_MAX to break off; `done` (or NULL) is called once, whatever
 * happened. Of `head` the body is not used. */
struct sl_http_source {
    size_t (*next)(void *context, char *buffer, size_t size);
    void (*done)(void *context);
    void *context;
};
void sl_http_stream(struct sl_http_exchange *exchange, const struct sl_http_reply *head,
                    struct sl_http_source source);

SL_END_DECLS

#endif
