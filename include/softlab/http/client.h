/* HTTP client: one connection to one server, for simulated annotators and load tests. It shares
 * the loop of softlab/http.h with whatever else runs there. Plain HTTP only.
 *
 * A client does one thing at a time, asking or waiting, and says with a call when it is over. */
#ifndef SOFTLAB_HTTP_CLIENT_H
#define SOFTLAB_HTTP_CLIENT_H

#include "softlab/base/declare.h"
#include "softlab/http.h"

SL_BEGIN_DECLS

struct sl_http_client;

/* Of "http://host:port/" or "http://host:port/birds/", below which all paths are asked for. A
 * request without a reply after `timeout` seconds counts as lost. Destroy clients before their
 * loop, and not from within one of their own calls. */
enum sl_status sl_http_client_create(struct sl_http_loop *loop, const char *url, double timeout,
                                     struct sl_http_client **out, struct sl_error *err) SL_MUST_USE;
void sl_http_client_destroy(struct sl_http_client *client);

struct sl_http_ask {
    enum sl_http_method method;
    const char *path;   /* with its query, escaped */
    const char *cookie; /* "name=value", or NULL */
    const char *body;   /* JSON; NULL for none */
};
struct sl_http_heard {
    int status; /* 0: no reply; the connection is made anew for the next request */
    const char *body;
    size_t length;
    const char *cookie;   /* what Set-Cookie says, or NULL */
    unsigned retry_after; /* seconds, 0 if it does not say */
};
/* `done` comes later, never from within this call; what it hears is borrowed for the call. */
void sl_http_client_ask(struct sl_http_client *client, const struct sl_http_ask *ask,
                        void (*done)(const struct sl_http_heard *heard, void *context),
                        void *context);
void sl_http_client_wait(struct sl_http_client *client, double seconds, void (*run)(void *context),
                         void *context);

SL_END_DECLS

#endif
