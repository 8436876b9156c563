/* Replies that wait for a commit which many requests share. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "study/server.h"

struct sl_waiting {
    struct sl_http_exchange *exchange;
    char *body; /* owned */
    struct sl_waiting *next;
};

static const struct sl_http_header later[] = {{"Retry-After", "2"}, {NULL, NULL}};
static const char not_stored[] =
    "{\"error\": \"this cannot be stored at present, please try again\"}";

static void send_json(struct sl_http_exchange *exchange, int status, const char *body,
                      const struct sl_http_header *headers)
{
    sl_http_send(exchange, &(struct sl_http_reply){.status = status,
                                                   .type = "application/json",
                                                   .body = body,
                                                   .length = strlen(body),
                                                   .headers = headers});
}

static struct sl_waiting *take_all(struct sl_study_server *server)
{
    struct sl_waiting *all = server->first;
    server->first = NULL;
    server->last = &server->first;
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

enum sl_status sl_server_begin(struct sl_study_server *server, struct sl_error *err)
{
    if (sl_store_in_transaction(server->store)) return SL_OK;
    return sl_store_begin(server->store, err);
}

void sl_server_flush(struct sl_study_server *server)
{
    struct sl_error err;
    struct sl_waiting *all = take_all(server);
    enum sl_status status = SL_OK;
    if (sl_store_in_transaction(server->store)) status = sl_store_commit(server->store, &err);
    if (status != SL_OK) {
        sl_store_rollback(server->store);
        sl_log(server->options.log, SL_LOG_ERROR, "not stored: %s", err.message);
    }
    reply_all(all, status == SL_OK);
}

static void flush_later(void *context)
{
    sl_server_flush(context);
}

void sl_server_reply(struct sl_study_server *server, struct sl_http_exchange *exchange,
                     json_t *body)
{
    struct sl_waiting *waiting = sl_alloc(1, sizeof *waiting);
    char *text = json_dumps(body, JSON_COMPACT);
    json_decref(body);
    *waiting =
        (struct sl_waiting){.exchange = exchange, .body = text ? text : sl_string_copy("{}")};
    *server->last = waiting;
    server->last = &waiting->next;
    sl_http_defer(server->loop, flush_later, server);
}

void sl_server_abort(struct sl_study_server *server, struct sl_http_exchange *exchange,
                     const struct sl_error *err)
{
    sl_log(server->options.log, SL_LOG_ERROR, "not stored: %s", err->message);
    sl_store_rollback(server->store);
    reply_all(take_all(server), false);
    send_json(exchange, 503, not_stored, later);
}
