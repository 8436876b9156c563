/* Opening, closing and transactions. */
#include "store/postgres.h"

#include <inttypes.h>
#include <stdlib.h>

#include "softlab/base/memory.h"
#include "store/sqlite.h"

static void close_store(struct sl_store *base)
{
    struct sl_postgres *store = sl_postgres_of(base);
    PQfinish(store->link);
    free(store->url);
    free(store->sql.expected);
    free(store->sql.name);
    free(store);
}

static enum sl_status open_store(const char *url, const struct sl_store_options *options,
                                 struct sl_store **out, struct sl_error *err)
{
    char *name = NULL;
    SL_TRY(sl_postgres_name(url, &name, err));
    struct sl_postgres *store = sl_alloc(1, sizeof *store);
    *store = (struct sl_postgres){
        .sql = {.base = {.backend = &sl_postgres_backend, .read_only = options->read_only},
                .driver = &sl_postgres_driver,
                .name = name},
        .url = sl_string_copy(url),
        .create = options->create,
        .serve = options->serve,
        .alone = options->alone,
        .moved = options->moved,
        .durable = options->durable};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_postgres_connect(store, err));
    SL_TRY_OUT(sl_postgres_migrate(store, sl_postgres_migrations, sl_postgres_n_migrations, err));
    store->sql.base.failed = false;
    store->ready = true;
    *out = &store->sql.base;
    return SL_OK;
out:
    close_store(&store->sql.base);
    return status;
}

/* A server's requests do not wait for each other: each locks the sessions that it changes. Who can
 * wait (arrivals, purges, setting up) takes turns, so that nobody acts on what another changes. */
enum sl_status sl_postgres_begin(struct sl_store *base, bool wait, struct sl_error *err)
{
    struct sl_postgres *store = sl_postgres_of(base);
    PGresult *ignored = NULL;
    if (store->transaction)
        return sl_fail(err, SL_ERR_USAGE, "a visitor cannot begin a transaction");
    SL_TRY(sl_postgres_exec(store, "BEGIN", &ignored, err));
    PQclear(ignored);
    store->transaction = true;
    store->sql.locked = 0;
    store->sql.n_expected = 0;
    if (!wait) return SL_OK;
    char *lock = sl_string_printf("SELECT pg_advisory_xact_lock(%" PRId64 ")",
                                  sl_postgres_lock_number(store, SL_LOCK_WRITE));
    enum sl_status status = sl_postgres_exec(store, lock, NULL, err);
    free(lock);
    if (status != SL_OK) sl_postgres_rollback(base);
    return status;
}

/* If the connection is lost during COMMIT, nobody knows whether the data are stored. The caller is
 * told that they are not: a page sends its answer again, and the client id shows whether it is
 * there. */
enum sl_status sl_postgres_commit(struct sl_store *base, struct sl_error *err)
{
    struct sl_postgres *store = sl_postgres_of(base);
    /* The COMMIT of a failed transaction would succeed, as a ROLLBACK. */
    const bool broken =
        !sl_postgres_lost(store) && PQtransactionStatus(store->link) == PQTRANS_INERROR;
    PGresult *ignored = NULL;
    enum sl_status status =
        broken ? sl_fail(err, SL_ERR_BACKEND, "%s has stored nothing: a statement failed before",
                         store->sql.name)
               : sl_postgres_exec(store, "COMMIT", &ignored, err);
    PQclear(ignored);
    if (status != SL_OK) sl_postgres_rollback(base);
    store->transaction = false;
    return status;
}

void sl_postgres_rollback(struct sl_store *base)
{
    struct sl_postgres *store = sl_postgres_of(base);
    /* Errors do not matter: uncommitted data are gone when the connection ends. */
    sl_postgres_drop_owed(store);
    if (!sl_postgres_lost(store) && PQtransactionStatus(store->link) != PQTRANS_IDLE)
        PQclear(PQexec(store->link, "ROLLBACK"));
    store->transaction = false;
}

/* PostgreSQL keeps its log itself. Vacuuming lets it write over the space of deleted rows. */
static enum sl_status empty_log(struct sl_store *base, bool *emptied, struct sl_error *err)
{
    SL_TRY(sl_postgres_exec(sl_postgres_of(base), "VACUUM answers, events, sessions", NULL, err));
    *emptied = true;
    return SL_OK;
}

static enum sl_status restore(const char *from, const char *url,
                              const struct sl_store_restoration *how, char **set_aside,
                              struct sl_error *err)
{
    (void)from;
    (void)url;
    (void)how;
    (void)set_aside;
    return sl_fail(err, SL_ERR_USAGE,
                   "a study in PostgreSQL cannot be restored in its place: remove study.database "
                   "from the study's folder, restore the backup there, and move it into an empty "
                   "database with softlab study migrate");
}

const struct sl_store_backend sl_postgres_backend = {
    .name = "postgresql",
    .open = open_store,
    .close = close_store,
    .begin = sl_postgres_begin,
    .commit = sl_postgres_commit,
    .rollback = sl_postgres_rollback,
    .backup = sl_sqlite_backup_rows, /* one form of backups for both */
    .restore = restore,
    .empty_log = empty_log,
    .expect_sessions = sl_sql_expect_sessions,
    SL_SQL_FUNCTIONS,
};
