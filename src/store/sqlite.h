/* The SQLite backend: one connection, one writer. Private to store/. */
#ifndef SOFTLAB_STORE_SQLITE_H
#define SOFTLAB_STORE_SQLITE_H

#include <sqlite3.h>

#include "store/sql.h"

struct sl_sqlite {
    struct sl_sql sql;
    sqlite3 *db;
    bool create;     /* an empty file may become a study */
    bool any_layout; /* do not upgrade an older layout */
    int lock;        /* -1: none */
    sqlite3_stmt *statements[SL_SQL_STATEMENTS];
};

/* Runs the shared statements. */
extern const struct sl_sql_driver sl_sqlite_driver;

static inline struct sl_sqlite *sl_sqlite_of(struct sl_store *base)
{
    return (struct sl_sqlite *)base;
}

/* SQLite's result as an error that says what happened and what to do. */
enum sl_status sl_sqlite_fail(struct sl_sqlite *store, int result, struct sl_error *err);

/* The remedy for a database that cannot be trusted, after "<path> ... ". */
#define SL_SQLITE_RESTORE "restore a backup with softlab study restore"

/* One row per version of the layout: the SQL that turns version i into version i + 1. */
struct sl_sqlite_migration {
    const char *sql;
};
extern const struct sl_sqlite_migration sl_sqlite_migrations[];
extern const size_t sl_sqlite_n_migrations;

/* Upgrade the database to version `count` in one transaction. Refuses a database that is newer, of
 * another program, or (read-only) older. */
enum sl_status sl_sqlite_migrate(struct sl_sqlite *store, const struct sl_sqlite_migration *rows,
                                 size_t count, struct sl_error *err) SL_MUST_USE;

/* The single number that a PRAGMA returns. */
enum sl_status sl_sqlite_pragma(struct sl_sqlite *store, const char *sql, int64_t *number,
                                struct sl_error *err) SL_MUST_USE;
/* Run statements without rows once. */
enum sl_status sl_sqlite_exec(struct sl_sqlite *store, const char *sql,
                              struct sl_error *err) SL_MUST_USE;

/* Open a file that nobody else knows yet: no lock, and no log beside it. `create`: an empty file
 * becomes a store. */
enum sl_status sl_sqlite_open_alone(const char *path, bool create, struct sl_store **out,
                                    struct sl_error *err) SL_MUST_USE;

/* End the connection and keep the lock; only closing may follow. */
void sl_sqlite_disconnect(struct sl_sqlite *store);

enum sl_status sl_sqlite_begin(struct sl_store *base, bool wait, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_commit(struct sl_store *base, struct sl_error *err) SL_MUST_USE;
void sl_sqlite_rollback(struct sl_store *base);
enum sl_status sl_sqlite_backup(struct sl_store *base, const char *path,
                                struct sl_error *err) SL_MUST_USE;
/* The same for a store of another kind, row by row. */
enum sl_status sl_sqlite_backup_rows(struct sl_store *from, const char *path,
                                     struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_set_aside(struct sl_store *base, const char *what, int64_t now,
                                   char **name, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_restore(const char *backup, const char *path,
                                 const struct sl_store_restoration *how, char **set_aside,
                                 struct sl_error *err) SL_MUST_USE;

#endif
