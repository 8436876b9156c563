/* Requests that come together, and the one question to the store for all their sessions. */
#include <stdlib.h>

#include "softlab/base/memory.h"
#include "study/secret.h"
#include "study/serve/exchanges.h"
#include "study/serve/site.h"

struct sl_gathered {
    struct sl_site *site; /* borrowed */
    struct sl_exchanges waiting;
    bool handling; /* the requests that were gathered are being handled */
};

struct sl_gathered *sl_gathered_create(struct sl_site *site)
{
    struct sl_gathered *gathered = sl_alloc(1, sizeof *gathered);
    gathered->site = site;
    return gathered;
}

void sl_gathered_destroy(struct sl_gathered *gathered)
{
    if (!gathered) return;
    sl_exchanges_release(&gathered->waiting);
    free(gathered);
}

/* If it fails, each request asks for itself and says what is wrong. */
static void expect_sessions(struct sl_store *store, const struct sl_exchanges *list)
{
    uint8_t *hashes = sl_alloc(list->count, SL_STORE_TOKEN_BYTES);
    struct sl_error ignored;
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += sl_secret_token_hash(sl_http_cookie(list->all[i], "softlab"),
                                      hashes + count * SL_STORE_TOKEN_BYTES);
    if (count > 1 && sl_store_begin_now(store, &ignored) == SL_OK &&
        sl_store_expect_sessions(store, hashes, count, &ignored) != SL_OK)
        sl_store_rollback(store);
    free(hashes);
}

static void handle_all(void *context)
{
    struct sl_gathered *gathered = context;
    struct sl_site *site = gathered->site;
    struct sl_exchanges all = sl_exchanges_take(&gathered->waiting);
    sl_site_flush(site); /* sessions are expected in a transaction that begins with them */
    expect_sessions(site->store, &all);
    gathered->handling = true;
    sl_exchanges_again(&all);
    gathered->handling = false;
    sl_site_flush(site);
}

bool sl_site_gather(struct sl_site *site, struct sl_http_exchange *exchange)
{
    struct sl_gathered *gathered = site->gathered;
    if (gathered->handling || !sl_store_expects(site->store)) return true;
    sl_exchanges_add(&gathered->waiting, exchange);
    sl_http_defer(site->host->loop, handle_all, gathered);
    return false;
}
