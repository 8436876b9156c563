/* The caller of a request, as the rate limits count callers. Both ports follow the same rule.
 * Private to study/. */
#ifndef SOFTLAB_STUDY_SERVE_CALLER_H
#define SOFTLAB_STUDY_SERVE_CALLER_H

#include "softlab/http.h"

struct sl_caller {
    char network[SL_HTTP_NETWORK]; /* sl_http_network */
    bool local; /* on this machine and not through a proxy: exempt from limits per address */
};

/* The peer; behind a proxy the last hop of X-Forwarded-For, which the proxy itself appended.
 * Several header lines are one list; anybody can forge the hops before the last. */
struct sl_caller sl_caller_of(const struct sl_http_exchange *exchange, bool behind_proxy);
/* Whether the caller's own connection is encrypted, according to the proxy. */
bool sl_caller_secure(const struct sl_http_exchange *exchange, bool behind_proxy);

#endif
