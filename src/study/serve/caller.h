/* The caller of a request, as the rate limits count callers. Both ports follow the same rule.
 * Private to study/. */
#ifndef SOFTLAB_STUDY_SERVE_CALLER_H
#define SOFTLAB_STUDY_SERVE_CALLER_H

#include "softlab/http.h"

struct sl_caller {
    char network[SL_HTTP_NETWORK]; /* sl_http_network */
    bool local; /* sits at this machine and came by no proxy: exempt from limits of addresses */
};

/* The peer; behind a proxy the last hop of X-Forwarded-For, which the proxy put there itself.
 * Several header lines are one list; what stands before the last hop anybody can write. */
struct sl_caller sl_caller_of(const struct sl_http_exchange *exchange, bool behind_proxy);
/* Whether the caller's own connection is encrypted, as the proxy says. */
bool sl_caller_secure(const struct sl_http_exchange *exchange, bool behind_proxy);

#endif
