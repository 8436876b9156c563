/* The PostgreSQL backend: one connection per store, many stores per database. A database, or a
 * schema of it, holds one study. Texts are bytea, since a study's texts need not be UTF-8. Private
 * to store/. */
#ifndef SOFTLAB_STORE_POSTGRES_H
#define SOFTLAB_STORE_POSTGRES_H

#include <libpq-fe.h>

#include "store/sql.h"

struct sl_postgres {
    struct sl_sql sql;
    char *url;               /* owned; may contain a password: never in a message */
    PGconn *link;            /* NULL: not connected */
    bool create;             /* an empty schema may become a study */
    bool serve;              /* statements must not take long: an event loop waits for them */
    bool alone;              /* nobody else may open the study */
    bool moved;              /* also a study that is away */
    bool ready;              /* it was open: its texts are there */
    bool durable;            /* refuse a database that would lose a commit */
    bool transaction;        /* a lost connection must not be replaced inside one */
    double retry_at;         /* by sl_clock_seconds: no attempt to connect before; 0: at once */
    struct sl_error refusal; /* of the last attempt */
    int64_t schema;          /* the number of the study's schema, for locks */
    size_t changes;          /* rows that the last statement wrote */
    size_t owed;             /* statements that were sent, and whose results were not read */
    bool prepared[SL_SQL_STATEMENTS]; /* on this connection */
    bool walking[SL_SQL_STATEMENTS];  /* started and not finished */
};

static inline struct sl_postgres *sl_postgres_of(struct sl_store *base)
{
    return (struct sl_postgres *)base;
}

/* Runs the shared statements. */
extern const struct sl_sql_driver sl_postgres_driver;

/* Advisory locks; a lock's number is the purpose and the schema. */
enum sl_postgres_lock {
    SL_LOCK_OPEN = 0x736c6101,  /* held by every open store: shared, or exclusively to replace */
    SL_LOCK_WRITE = 0x736c6102, /* held until the end of a transaction that waited for its turn */
};
int64_t sl_postgres_lock_number(const struct sl_postgres *store, enum sl_postgres_lock purpose);

/* The URL without user, password and options, for messages; owned by the caller. SL_ERR_USAGE if
 * the text is no URL of a database. */
enum sl_status sl_postgres_name(const char *url, char **out, struct sl_error *err) SL_MUST_USE;

/* Connect unless there is a working connection. After a failure the next attempts fail at once for
 * a while, so that an event loop does not wait for every request. A lost connection inside a
 * transaction is an error. */
enum sl_status sl_postgres_connect(struct sl_postgres *store, struct sl_error *err) SL_MUST_USE;
/* Whether the connection is lost. */
bool sl_postgres_lost(const struct sl_postgres *store);

/* Read the results of the statements that were sent, and ignore their errors. */
void sl_postgres_drop_owed(struct sl_postgres *store);
/* Run SQL without parameters. Outside a transaction it is tried again once on a new connection if
 * the old one turns out to be lost. *out, owned by the caller, or NULL to ignore the rows. */
enum sl_status sl_postgres_exec(struct sl_postgres *store, const char *sql, PGresult **out,
                                struct sl_error *err) SL_MUST_USE;
/* The first column of the first row as a number; 0 if it is NULL. */
enum sl_status sl_postgres_ask(struct sl_postgres *store, const char *sql, int64_t *number,
                               struct sl_error *err) SL_MUST_USE;
/* What the database refused, as an error that says what to do. `result` may be NULL. */
enum sl_status sl_postgres_fail(struct sl_postgres *store, const PGresult *result,
                                struct sl_error *err);

/* One row per version of the layout: the SQL that turns version i into version i + 1. */
extern const char *const sl_postgres_migrations[];
extern const size_t sl_postgres_n_migrations;
/* Upgrade the schema to version `count` in one transaction. Refuses a schema that is newer, of
 * another program, or (read-only) older. */
enum sl_status sl_postgres_migrate(struct sl_postgres *store, const char *const *rows, size_t count,
                                   struct sl_error *err) SL_MUST_USE;

enum sl_status sl_postgres_begin(struct sl_store *base, bool wait,
                                 struct sl_error *err) SL_MUST_USE;
enum sl_status sl_postgres_commit(struct sl_store *base, struct sl_error *err) SL_MUST_USE;
void sl_postgres_rollback(struct sl_store *base);

#endif
