/* Replies that wait for a commit shared by many requests. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "study/serve/exchanges.h"
#include "study/serve/site.h"

struct sl_waiting {
    struct sl_http_exchange *exchange;
    char *body; /* owned */
    struct sl_waiting *next;
};

static const struct sl_http_header later[] = {{"Retry-After", "2"}, {NULL, NULL}};
static const char not_stored[] =
    "{\"error\": \"the server cannot store this at the moment, please try again\"}";

static void send_json(struct sl_http_exchange *exchange, int status, const char *body,
                      const struct sl_http_header *headers)
{
    sl_http_send(exchange, &(struct sl_http_reply){.status = status,
                                                   .type = "application/json",
                                                   .body = body,
                                                   .length = strlen(body),
                                                   .headers = headers});
}

static struct sl_waiting *take_all(struct sl_site *site)
{
    struct sl_waiting *all = site->first;
    site->first = NULL;
    site->last = &site->first;
    return all;
}

static void reply_all(struct sl_waiting *all, bool stored)
{
    while (all) {
        struct sl_waiting *next = all->next;
        if (stored)
            send_json(all->exchange, 200, all->body, NULL);
        else
            send_json(all->exchange, 503, not_stored, later);
        free(all->body);
        free(all);
        all = next;
    }
}

/* A database that is away fails every request; one line a second tells enough. */
static void log_failure(struct sl_site *site, const struct sl_error *err)
{
    const double now = sl_clock_seconds();
    if (site->failing && now - site->logged < 1) return;
    site->logged = now;
    sl_log(site->host->options.log, SL_LOG_ERROR, "not stored: %s", err->message);
}

static void count_commit(struct sl_site *site, bool stored)
{
    site->host->monitor.commits += stored;
    site->host->monitor.failed_commits += !stored;
    site->failing = !stored;
}

void sl_site_flush(struct sl_site *site)
{
    struct sl_error err;
    struct sl_waiting *all = take_all(site);
    enum sl_status status = SL_OK;
    if (sl_store_in_transaction(site->store)) status = sl_store_commit(site->store, &err);
    if (status != SL_OK) {
        sl_store_rollback(site->store);
        log_failure(site, &err);
    }
    /* An empty commit proves nothing. */
    if (all || status != SL_OK) count_commit(site, status == SL_OK);
    reply_all(all, status == SL_OK);
}

static void flush_later(void *context)
{
    sl_site_flush(context);
}

void sl_site_reply(struct sl_site *site, struct sl_http_exchange *exchange, json_t *body)
{
    struct sl_waiting *waiting = sl_alloc(1, sizeof *waiting);
    char *text = json_dumps(body, JSON_COMPACT);
    json_decref(body);
    *waiting =
        (struct sl_waiting){.exchange = exchange, .body = text ? text : sl_string_copy("{}")};
    *site->last = waiting;
    site->last = &waiting->next;
    sl_http_defer(site->host->loop, flush_later, site);
}

void sl_site_abort(struct sl_site *site, struct sl_http_exchange *exchange,
                   const struct sl_error *err)
{
    log_failure(site, err);
    sl_store_rollback(site->store);
    count_commit(site, false);
    reply_all(take_all(site), false);
    send_json(exchange, 503, not_stored, later);
}

/* ---- Waiting for another program's lock ---- */

static const double retry_seconds = .05, patience_seconds = 10;

struct sl_parked {
    struct sl_site *site;        /* borrowed */
    struct sl_http_timer *timer; /* the loop's */
    struct sl_exchanges waiting;
    double since; /* when the lock was first seen; 0: there is none */
};

/* Requests that still cannot be served are parked again. */
static void retry(void *context)
{
    struct sl_parked *parked = context;
    struct sl_exchanges all = sl_exchanges_take(&parked->waiting);
    sl_exchanges_again(&all);
}

struct sl_parked *sl_parked_create(struct sl_site *site)
{
    struct sl_parked *parked = sl_alloc(1, sizeof *parked);
    parked->site = site;
    parked->timer = sl_http_timer_create(site->host->loop, retry, parked);
    return parked;
}

void sl_parked_destroy(struct sl_parked *parked)
{
    if (!parked) return;
    sl_exchanges_release(&parked->waiting);
    free(parked);
}

static void park(struct sl_parked *parked, struct sl_http_exchange *exchange)
{
    sl_exchanges_add(&parked->waiting, exchange);
    sl_http_timer_start(parked->timer, retry_seconds);
}

void sl_site_park(struct sl_site *site, struct sl_http_exchange *exchange)
{
    park(site->parked, exchange);
}

size_t sl_site_parked(const struct sl_site *site)
{
    return site->parked->waiting.count;
}

bool sl_site_ready(struct sl_site *site, struct sl_http_exchange *exchange)
{
    struct sl_parked *parked = site->parked;
    struct sl_error err;
    enum sl_status status = SL_OK;
    if (!sl_store_in_transaction(site->store)) status = sl_store_begin_now(site->store, &err);
    if (status == SL_OK) {
        parked->since = 0;
        sl_http_defer(site->host->loop, flush_later, site);
        return true;
    }
    if (status == SL_ERR_BUSY && parked->since == 0) parked->since = sl_clock_seconds();
    if (status == SL_ERR_BUSY && sl_clock_seconds() - parked->since < patience_seconds)
        park(parked, exchange);
    else
        sl_site_abort(site, exchange, &err);
    return false;
}
