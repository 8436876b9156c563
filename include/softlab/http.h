/* HTTP: a small, strict server on libevent's loop and buffers. It knows nothing about studies.
 *
 * One loop, one thread: handlers run one after another and may reply at once or later (after a
 * commit, after slow work on another thread). The server accepts GET, HEAD and POST only, exact
 * paths, and bodies with a Content-Length up to a limit. It refuses before any handler runs:
 * Transfer-Encoding, a repeated Content-Length or Host, a missing or foreign Host, other methods,
 * oversized headers and bodies, and paths that are not plain. A refusal closes the connection. A
 * request that is not complete by its deadline, counted from its first byte, is closed without a
 * reply. While a request has no reply, nothing more is read from its connection: pipelined bytes
 * wait in the kernel and cost no memory here. Every reply has the listener's security headers. */
#ifndef SOFTLAB_HTTP_H
#define SOFTLAB_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/log.h"

SL_BEGIN_DECLS

/* For programs: libevent aborts when memory runs out, as sl_alloc does. libevent has one allocator
 * per process, so call this before the first loop. */
void sl_http_use_memory(void);

/* ---- The loop ---- */

struct sl_http_loop;
enum sl_status sl_http_loop_create(const struct sl_log *log, struct sl_http_loop **out,
                                   struct sl_error *err) SL_MUST_USE;
/* Destroys its listeners too. Deferred calls run first. Work that has begun is waited for, work
 * that has not is skipped; `done` is called for both. Exchanges that still have no reply are
 * destroyed. */
void sl_http_loop_destroy(struct sl_http_loop *loop);
/* Runs until sl_http_loop_stop, which may be called from a signal handler or another thread.
 * Requests in progress get their replies first, for at most a second. */
enum sl_status sl_http_loop_run(struct sl_http_loop *loop, struct sl_error *err) SL_MUST_USE;
void sl_http_loop_stop(struct sl_http_loop *loop);
/* From any thread: whether the loop is stopping, so that long work should end. */
bool sl_http_loop_stopping(const struct sl_http_loop *loop);

/* Run once, after the events at hand: for commits that many requests share. Asking twice with the
 * same function and context before it runs counts once. */
void sl_http_defer(struct sl_http_loop *loop, void (*run)(void *context), void *context);
/* Run every `seconds` as long as the loop lives. */
void sl_http_every(struct sl_http_loop *loop, double seconds, void (*run)(void *context),
                   void *context);
/* Runs once, `seconds` after each start; a new start resets it. Lives as long as the loop. */
struct sl_http_timer;
struct sl_http_timer *sl_http_timer_create(struct sl_http_loop *loop, void (*run)(void *context),
                                           void *context);
void sl_http_timer_start(struct sl_http_timer *timer, double seconds);
/* Run `work` on another thread, then `done` on the loop. Every lane is its own thread, which runs
 * its jobs one at a time in order. When the loop stops, `work` that has not begun is skipped;
 * `done` is always called. */
enum { SL_HTTP_LANES = 5 };
void sl_http_work(struct sl_http_loop *loop, unsigned lane, void (*work)(void *context),
                  void (*done)(void *context), void *context);

/* ---- Listeners ---- */

/* The handler sees a HEAD as a GET; the reply is sent without its body. */
enum sl_http_method { SL_HTTP_GET, SL_HTTP_POST };

struct sl_http_exchange;
struct sl_http_route {
    enum sl_http_method method;
    const char *path; /* exact; "/x/" takes one more segment, which must not be empty ("/" itself
                       * takes none); a path that ends in "/" and a star takes one or more */
    void (*handle)(struct sl_http_exchange *exchange, void *context);
};

/* Serves routes below a prefix; their handlers do not see the prefix. */
struct sl_http_mount {
    const char *prefix;                 /* "/birds"; "": everything */
    const struct sl_http_route *routes; /* borrowed; ends with a NULL path */
    void *context;                      /* for their handlers */
};

struct sl_http_header {
    const char *name, *value;
};

/* A finished exchange, for an access log. */
struct sl_http_served {
    const char *method, *path; /* "GET"; decoded, without the query; "" if it was refused unread */
    int status;                /* 0: there was no reply */
    size_t bytes;              /* of the body */
    double seconds;            /* since the request was complete */
};

struct sl_http_options {
    const char *address;                /* "127.0.0.1" */
    uint16_t port;                      /* 0: any that is free */
    const struct sl_http_route *routes; /* borrowed; ends with a NULL path */
    /* Searched before `routes`; borrowed; ends with a NULL prefix; or NULL. A request for a prefix
     * without its slash is redirected to it. */
    const struct sl_http_mount *mounts;
    const struct sl_http_header
        *headers;  /* on every reply; borrowed; ends with a NULL name; or NULL */
    void *context; /* for the handlers */
    /* Called after every reply, or NULL; its context is that of the handlers. */
    void (*served)(const struct sl_http_served *served, void *context);
    size_t max_body;         /* 64 KiB */
    size_t max_headers;      /* 8 KiB */
    double deadline_seconds; /* 10: a request must be complete by then */
    double idle_seconds;     /* 60: a connection without a request is closed after this time */
    /* Connections at once: 4096 in all, and per address (IPv6: per /64), where 0 means no limit.
     * One more closes the connection that has been idle longest; if none is idle, the new one is
     * closed. */
    size_t max_connections, max_per_address;
    /* Host names that a request may ask for, without port; ends with NULL; borrowed. NULL: any. */
    const char *const *hosts;
};
struct sl_http_options sl_http_options_default(void);

struct sl_http_listener;
/* SL_ERR_IO naming address and port if they are not available. Lives as long as the loop. */
enum sl_status sl_http_listen(struct sl_http_loop *loop, const struct sl_http_options *options,
                              struct sl_http_listener **out, struct sl_error *err) SL_MUST_USE;
uint16_t sl_http_port(const struct sl_http_listener *listener);
size_t sl_http_connections(const struct sl_http_listener *listener); /* that are open */

/* ---- Requests: everything borrowed until the reply ---- */

/* The part of the path that a route ending in "/" or a star matched, decoded; "" if none. */
const char *sl_http_segment(const struct sl_http_exchange *exchange);
/* A query parameter, decoded, or NULL. If repeated, the first. */
const char *sl_http_query(const struct sl_http_exchange *exchange, const char *name);
/* The name is compared without case. If repeated, the first, or the last. */
const char *sl_http_request_header(const struct sl_http_exchange *exchange, const char *name);
const char *sl_http_request_header_last(const struct sl_http_exchange *exchange, const char *name);
const char *sl_http_cookie(const struct sl_http_exchange *exchange, const char *name);
const char *sl_http_body(const struct sl_http_exchange *exchange, size_t *length); /* no NUL */
const char *sl_http_peer(const struct sl_http_exchange *exchange);                 /* its address */
/* The network of an address, for limits: "192.0.2.7", or "2001:db8:0:1::/64" for IPv6, where one
 * customer has 2^64 addresses. `text` may have a port or brackets. False if it is no address. */
enum { SL_HTTP_NETWORK = 50 };
bool sl_http_network(const char *text, size_t length, char out[SL_HTTP_NETWORK]);
/* Whether the request is a HEAD: the handler must not change anything. */
bool sl_http_is_head(const struct sl_http_exchange *exchange);
/* Whether the request came from a page of ours: Sec-Fetch-Site is same-origin or none; without that
 * header, Origin names our Host; without either header it is not a browser and is let through. */
bool sl_http_same_origin(const struct sl_http_exchange *exchange);

/* Give the request to its handler again: for a handler that has to wait and has neither written nor
 * replied yet. */
void sl_http_again(struct sl_http_exchange *exchange);

/* ---- Replies: exactly one per exchange, on the loop's thread ---- */

struct sl_http_reply {
    int status;
    const char *type; /* "application/json" */
    const void *body;
    size_t length;
    const struct sl_http_header *headers; /* ends with a NULL name; or NULL; replace the listener's
                                           * headers of the same name */
    /* If set, the body is not copied and must not change until `done` is called. It is called once,
     * when the body is no longer needed (at once if the client is gone). */
    void (*done)(void *context);
    void *context;
};
void sl_http_send(struct sl_http_exchange *exchange, const struct sl_http_reply *reply);
/* {"error": "..."} with the status. */
void sl_http_fail(struct sl_http_exchange *exchange, int status, const char *message);
/* A body produced piece by piece as the client reads it: `next` fills `buffer` and returns the
 * number of bytes, 0 at the end, or SIZE_MAX to abort; `done` (or NULL) is called once in every
 * case. The body of `head` is ignored. */
struct sl_http_source {
    size_t (*next)(void *context, char *buffer, size_t size);
    void (*done)(void *context);
    void *context;
};
void sl_http_stream(struct sl_http_exchange *exchange, const struct sl_http_reply *head,
                    struct sl_http_source source);

SL_END_DECLS

#endif
