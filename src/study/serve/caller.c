#include "study/serve/caller.h"

#include <string.h>

static bool is_loopback(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
}

struct sl_caller sl_caller_of(const struct sl_http_exchange *exchange, bool behind_proxy)
{
    struct sl_caller caller = {0};
    const char *peer = sl_http_peer(exchange);
    const char *forwarded =
        behind_proxy ? sl_http_request_header_last(exchange, "X-Forwarded-For") : NULL;
    /* An unreadable header counts against the proxy, and is not exempt either. */
    caller.local = !forwarded && is_loopback(peer);
    if (forwarded) {
        const char *comma = strrchr(forwarded, ',');
        const char *hop = comma ? comma + 1 : forwarded;
        hop += strspn(hop, " \t");
        if (sl_http_network(hop, strcspn(hop, " \t"), caller.network)) return caller;
    }
    if (!sl_http_network(peer, strlen(peer), caller.network)) caller.network[0] = '\0';
    return caller;
}

bool sl_caller_secure(const struct sl_http_exchange *exchange, bool behind_proxy)
{
    const char *scheme =
        behind_proxy ? sl_http_request_header(exchange, "X-Forwarded-Proto") : NULL;
    return scheme && strcmp(scheme, "https") == 0;
}
