/* The part of the store that is the same for every backend: arguments and transactions. */
#include "softlab/store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "store/backend.h"

struct sl_store_options sl_store_options_default(void)
{
    return (struct sl_store_options){.durable = true};
}

/* How the name of a database begins, and who opens it; the first row that matches is taken. */
static const struct {
    const char *prefix;
    const struct sl_store_backend *backend; /* NULL: left out of this build */
} backends[] = {
#if SL_HAS_POSTGRESQL
    {"postgresql://", &sl_postgres_backend},
    {"postgres://", &sl_postgres_backend},
#else
    {"postgresql://", NULL},
    {"postgres://", NULL},
#endif
    {"", &sl_sqlite_backend},
};

static size_t row_of(const char *name)
{
    size_t row = 0;
    while (strncmp(name, backends[row].prefix, strlen(backends[row].prefix)) != 0)
        row++;
    return row;
}

bool sl_store_is_shared(const char *name)
{
    return *backends[row_of(name)].prefix != '\0';
}

static enum sl_status find_backend(const char *path, const struct sl_store_backend **out,
                                   struct sl_error *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    const char *rest = strstr(path, "://");
    if (rest && !sl_store_is_shared(path)) {
        /* Only the scheme is shown: the rest may hold a password. */
        const bool scheme = strspn(path, letters) == (size_t)(rest - path);
        return sl_fail(err, SL_ERR_USAGE,
                       "%.*s:// is not a database that softlab knows: write "
                       "postgresql://USER@HOST:PORT/DATABASE",
                       scheme ? (int)(rest - path) : 0, path);
    }
    *out = backends[row_of(path)].backend;
    if (*out) return SL_OK;
    return sl_fail(
        err, SL_ERR_USAGE,
        "this softlab was built without PostgreSQL: install libpq-dev and build it again "
        "with -DSL_POSTGRESQL=ON");
}

static bool is_one_line(const char *text)
{
    while ((unsigned char)*text >= ' ' && *text != 0x7f)
        text++;
    return *text == '\0';
}

enum sl_status sl_store_check_url(const char *option, const char *url, struct sl_error *err)
{
    const struct sl_store_backend *backend = NULL;
    SL_TRY(find_backend(url, &backend, err));
    if (!sl_store_is_shared(url) || !is_one_line(url))
        return sl_fail(err, SL_ERR_USAGE,
                       "%s takes a URL of PostgreSQL: write postgresql://USER@HOST/DATABASE",
                       option);
#if SL_HAS_POSTGRESQL
    if (sl_postgres_has_password(url))
        return sl_fail(err, SL_ERR_USAGE,
                       "the URL of %s contains a password, which everybody on this machine could "
                       "read: put it into ~/.pgpass or PGPASSWORD instead",
                       option);
#endif
    return SL_OK;
}

enum sl_status sl_store_open(const char *path, const struct sl_store_options *options,
                             struct sl_store **out, struct sl_error *err)
{
    assert(path && out);
    const struct sl_store_options defaults = sl_store_options_default();
    if (!options) options = &defaults;
    if (!*path) return sl_fail(err, SL_ERR_USAGE, "the store has no name");
    if (options->read_only && options->create)
        return sl_fail(err, SL_ERR_USAGE, "%s cannot be both created and read-only", path);
    const struct sl_store_backend *backend = NULL;
    SL_TRY(find_backend(path, &backend, err));
    struct sl_store *store = NULL;
    SL_TRY(backend->open(path, options, &store, err));
    enum sl_status status = options->moved ? SL_OK : sl_store_check_here(store, err);
    if (status == SL_OK)
        *out = store;
    else
        sl_store_close(store);
    return status;
}

void sl_store_close(struct sl_store *store)
{
    if (!store) return;
    sl_store_rollback(store);
    store->backend->close(store);
}

static enum sl_status check_outside(const struct sl_store *store, const char *what,
                                    struct sl_error *err)
{
    if (!store->in_transaction) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE, "cannot %s inside a transaction", what);
}

static enum sl_status check_writable(const struct sl_store *store, struct sl_error *err)
{
    if (!store->read_only) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE, "the store was opened for reading only");
}

static enum sl_status check_inside(const struct sl_store *store, struct sl_error *err)
{
    if (!store->in_transaction)
        return sl_fail(err, SL_ERR_USAGE, "writing needs a transaction: begin one first");
    if (store->failed)
        return sl_fail(err, SL_ERR_USAGE, "a write in this transaction failed: roll it back first");
    return SL_OK;
}

static enum sl_status check_text(const char *text, const char *what, struct sl_error *err)
{
    assert(text);
    if (strnlen(text, (size_t)SL_STORE_TEXT_BYTES + 1) <= SL_STORE_TEXT_BYTES) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "the %s is longer than %d bytes", what, SL_STORE_TEXT_BYTES);
}

static enum sl_status check_number(size_t number, const char *what, struct sl_error *err)
{
    if (number <= INT64_MAX) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "the %s %zu is too large", what, number);
}

/* A text for one of the fixed arrays of a session. */
static enum sl_status check_short(const char *text, size_t size, const char *what,
                                  struct sl_error *err)
{
    if (strnlen(text, size) < size) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "the %s is longer than %zu bytes", what, size - 1);
}

static enum sl_status begin_transaction(struct sl_store *store, bool wait, struct sl_error *err)
{
    SL_TRY(check_outside(store, "begin a transaction", err));
    SL_TRY(check_writable(store, err));
    SL_TRY(store->backend->begin(store, wait, err));
    store->in_transaction = true;
    store->failed = false;
    return SL_OK;
}

enum sl_status sl_store_begin(struct sl_store *store, struct sl_error *err)
{
    return begin_transaction(store, true, err);
}

enum sl_status sl_store_begin_now(struct sl_store *store, struct sl_error *err)
{
    return begin_transaction(store, false, err);
}

void sl_store_stop_when(struct sl_store *store, bool (*stop)(void *context), void *context)
{
    store->stop = stop;
    store->stop_context = context;
    if (store->backend->stop_changed) store->backend->stop_changed(store);
}

bool sl_store_stopping(const struct sl_store *store)
{
    return store->stop && store->stop(store->stop_context);
}

enum sl_status sl_store_commit(struct sl_store *store, struct sl_error *err)
{
    if (!store->in_transaction)
        return sl_fail(err, SL_ERR_USAGE, "there is no transaction to commit");
    if (store->failed) {
        sl_store_rollback(store);
        return sl_fail(err, SL_ERR_IO,
                       "nothing of the transaction was stored: a write in it failed");
    }
    enum sl_status status = store->backend->commit(store, err);
    store->in_transaction = store->failed = false;
    return status;
}

void sl_store_rollback(struct sl_store *store)
{
    if (!store->in_transaction) return;
    store->backend->rollback(store);
    store->in_transaction = store->failed = false;
}

bool sl_store_in_transaction(const struct sl_store *store)
{
    return store->in_transaction;
}

bool sl_store_usable(const struct sl_store *store)
{
    return !store->failed;
}

enum sl_status sl_store_backup(struct sl_store *store, const char *path, struct sl_error *err)
{
    SL_TRY(check_outside(store, "make a backup", err));
    return store->backend->backup(store, path, err);
}

enum sl_status sl_store_restore(const char *backup, const char *path,
                                const struct sl_store_restoration *how, char **set_aside,
                                struct sl_error *err)
{
    const struct sl_store_backend *backend = NULL;
    SL_TRY(find_backend(path, &backend, err));
    return backend->restore(backup, path, how, set_aside, err);
}

enum sl_status sl_store_copy(struct sl_store *from, struct sl_store *to, struct sl_error *err)
{
    SL_TRY(check_outside(from, "be copied", err));
    SL_TRY(sl_store_begin(to, err));
    enum sl_status status = to->backend->copy_in(to, from, err);
    if (status == SL_OK) return sl_store_commit(to, err);
    sl_store_rollback(to);
    return status;
}

enum sl_status sl_store_set_aside(struct sl_store *store, const char *what, int64_t now,
                                  char **name, struct sl_error *err)
{
    SL_TRY(check_outside(store, "be set aside", err));
    *name = NULL;
    return store->backend->set_aside ? store->backend->set_aside(store, what, now, name, err)
                                     : SL_OK;
}

enum sl_status sl_store_put_text(struct sl_store *store, const char *key, const char *value,
                                 struct sl_error *err)
{
    SL_TRY(check_inside(store, err));
    SL_TRY(check_text(key, "key", err));
    SL_TRY(check_text(value, "text", err));
    return store->backend->put_text(store, key, value, err);
}

enum sl_status sl_store_get_text(struct sl_store *store, const char *key, char **value,
                                 struct sl_error *err)
{
    return store->backend->get_text(store, key, value, err);
}

enum sl_status sl_store_add_item(struct sl_store *store, const struct sl_store_item *item,
                                 struct sl_error *err)
{
    SL_TRY(check_inside(store, err));
    SL_TRY(check_text(item->id, "item's name", err));
    SL_TRY(check_text(item->content, "item's content", err));
    if (item->truth) SL_TRY(check_text(item->truth, "item's class", err));
    if (item->hash) SL_TRY(check_text(item->hash, "item's hash", err));
    if (!*item->id)
        return sl_fail(err, SL_ERR_INPUT, "an item has no name: give every item a name");
    return store->backend->add_item(store, item, err);
}

enum sl_status sl_store_set_item_hash(struct sl_store *store, const char *id, const char *hash,
                                      struct sl_error *err)
{
    SL_TRY(check_inside(store, err));
    SL_TRY(check_text(hash, "item's hash", err));
    return store->backend->set_item_hash(store, id, hash, err);
}

enum sl_status sl_store_has_answers(struct sl_store *store, const char *screen, const char *item,
                                    bool *found, struct sl_error *err)
{
    return store->backend->has_answers(store, screen, item, found, err);
}

enum sl_status sl_store_version(struct sl_store *store, int64_t *out, struct sl_error *err)
{
    return store->backend->version(store, out, err);
}

enum sl_status sl_store_add_batch(struct sl_store *store, size_t batch, size_t target,
                                  const char *const *items, size_t n_items, struct sl_error *err)
{
    SL_TRY(check_inside(store, err));
    SL_TRY(check_number(batch, "batch", err));
    SL_TRY(check_number(target, "target", err));
    if (n_items == 0) return sl_fail(err, SL_ERR_INPUT, "batch %zu has no items", batch);
    return store->backend->add_batch(store, batch, target, items, n_items, err);
}

enum sl_status sl_store_set_target(struct sl_store *store, size_t target, struct sl_error *err)
{
    SL_TRY(check_inside(store, err));
    SL_TRY(check_number(target, "target", err));
    return store->backend->set_target(store, target, err);
}

enum sl_status sl_store_each_item(struct sl_store *store,
                                  enum sl_status (*visit)(const struct sl_store_item *item,
                                                          void *context),
                                  void *context, struct sl_error *err)
{
    return store->backend->each_item(store, visit, context, err);
}

enum sl_status sl_store_batch_items(struct sl_store *store, size_t batch, char ***items,
                                    size_t *count, struct sl_error *err)
{
    SL_TRY(check_number(batch, "batch", err));
    return store->backend->batch_items(store, batch, items, count, err);
}

enum sl_status sl_store_arrive(struct sl_store *store, const struct sl_store_arrival *arrival,
                               struct sl_store_session *out, bool *returning, struct sl_error *err)
{
    assert(arrival->person && arrival->token_hash && out && returning);
    SL_TRY(check_outside(store, "place an arrival", err));
    SL_TRY(check_writable(store, err));
    SL_TRY(check_short(arrival->screen, sizeof out->screen, "screen's name", err));
    SL_TRY(check_text(arrival->parameters, "list of URL parameters", err));
    if (arrival->lease_ms < 0) return sl_fail(err, SL_ERR_USAGE, "a lease cannot be negative");
    return store->backend->arrive(store, arrival, out, returning, err);
}

enum sl_status sl_store_find_session(struct sl_store *store, const uint8_t *token_hash,
                                     struct sl_store_session *out, struct sl_error *err)
{
    return store->backend->find_session(store, token_hash, out, err);
}

bool sl_store_expects(const struct sl_store *store)
{
    return store->backend->expect_sessions != NULL;
}

enum sl_status sl_store_expect_sessions(struct sl_store *store, const uint8_t *token_hashes,
                                        size_t count, struct sl_error *err)
{
    if (!store->in_transaction)
        return sl_fail(err, SL_ERR_USAGE, "sessions are expected within a transaction");
    if (count == 0 || !sl_store_expects(store)) return SL_OK;
    return store->backend->expect_sessions(store, token_hashes, count, err);
}

enum sl_status sl_store_save_session(struct sl_store *store, const struct sl_store_session *session,
                                     struct sl_error *err)
{
    SL_TRY(check_inside(store, err));
    if (session->state > SL_SESSION_REFUSED)
        return sl_fail(err, SL_ERR_USAGE, "%d is not a state of a session", (int)session->state);
    SL_TRY(check_short(session->place, sizeof session->place, "place's name", err));
    SL_TRY(check_short(session->consent, sizeof session->consent, "consent's version", err));
    SL_TRY(check_number(session->trial, "trial", err));
    SL_TRY(check_number(session->attempts, "number of attempts", err));
    return store->backend->save_session(store, session, err);
}

enum sl_status sl_store_expire(struct sl_store *store, int64_t now, size_t *freed,
                               struct sl_error *err)
{
    SL_TRY(check_inside(store, err));
    return store->backend->expire(store, now, freed, err);
}

enum sl_status sl_store_put_answer(struct sl_store *store, struct sl_store_answer *answer,
                                   enum sl_put_outcome *outcome, struct sl_error *err)
{
    SL_TRY(check_inside(store, err));
    SL_TRY(check_number(answer->trial, "trial", err));
    SL_TRY(check_text(answer->item, "item's name", err));
    SL_TRY(check_text(answer->body, "answer", err));
    return store->backend->put_answer(store, answer, outcome, err);
}

enum sl_status sl_store_peek_answer(struct sl_store *store, const struct sl_store_answer *answer,
                                    enum sl_put_outcome *outcome, struct sl_error *err)
{
    return store->backend->peek_answer(store, answer, outcome, err);
}

enum sl_status sl_store_event_bytes(struct sl_store *store, int64_t session, const char *kind,
                                    size_t *bytes, struct sl_error *err)
{
    return store->backend->event_bytes(store, session, kind, bytes, err);
}

enum sl_status sl_store_put_event(struct sl_store *store, int64_t session, int64_t now,
                                  const char *kind, const char *body, struct sl_error *err)
{
    SL_TRY(check_inside(store, err));
    SL_TRY(check_text(kind, "event's kind", err));
    SL_TRY(check_text(body, "event", err));
    return store->backend->put_event(store, session, now, kind, body, err);
}

enum sl_status sl_store_each_session(struct sl_store *store, sl_store_visit visit, void *context,
                                     struct sl_error *err)
{
    return store->backend->each_session(store, visit, context, err);
}

enum sl_status sl_store_each_answer(struct sl_store *store, sl_store_visit visit, void *context,
                                    struct sl_error *err)
{
    return store->backend->each_answer(store, visit, context, err);
}

enum sl_status sl_store_each_answer_after(struct sl_store *store, int64_t after,
                                          sl_store_visit visit, void *context, struct sl_error *err)
{
    return store->backend->each_answer_after(store, after, visit, context, err);
}

enum sl_status sl_store_count_batches(struct sl_store *store, size_t *out, struct sl_error *err)
{
    return store->backend->count_batches(store, out, err);
}

enum sl_status sl_store_count_answers(struct sl_store *store, size_t *out, struct sl_error *err)
{
    return store->backend->count_answers(store, out, err);
}

enum sl_status sl_store_each_event(struct sl_store *store, sl_store_visit visit, void *context,
                                   struct sl_error *err)
{
    return store->backend->each_event(store, visit, context, err);
}

enum sl_status sl_store_each_event_of(struct sl_store *store, int64_t session, sl_store_visit visit,
                                      void *context, struct sl_error *err)
{
    return store->backend->each_event_of(store, session, visit, context, err);
}

enum sl_status sl_store_each_batch(struct sl_store *store,
                                   enum sl_status (*visit)(const struct sl_store_batch_row *row,
                                                           void *context),
                                   void *context, struct sl_error *err)
{
    return store->backend->each_batch(store, visit, context, err);
}

enum sl_status sl_store_purge(struct sl_store *store, const uint8_t *person, int64_t until,
                              int64_t now, struct sl_store_purged *out, struct sl_error *err)
{
    SL_TRY(check_outside(store, "purge", err));
    SL_TRY(check_writable(store, err));
    return store->backend->purge(store, person, until, now, out, err);
}

enum sl_status sl_store_empty_log(struct sl_store *store, bool *emptied, struct sl_error *err)
{
    SL_TRY(check_outside(store, "empty the log", err));
    SL_TRY(check_writable(store, err));
    return store->backend->empty_log(store, emptied, err);
}
