/* The layout of the database, version by version. A released row never changes: a new layout is a
 * new row. */
#include "store/sqlite.h"

#include <inttypes.h>
#include <stdio.h>

/* "slab": distinguishes a study from any other SQLite file. */
enum { APPLICATION_ID = 0x736c6162 };

/* Session ids are never reused (AUTOINCREMENT), so that exports before and after a purge do not
 * give one number to two people. The counts of a batch are computed on request, so they cannot
 * drift. */
const struct sl_sqlite_migration sl_sqlite_migrations[] = {
    {"CREATE TABLE texts(key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT;"
     "CREATE TABLE items(position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
     " content TEXT NOT NULL, truth TEXT, entropy REAL,"
     " is_check INTEGER NOT NULL CHECK(is_check IN (0, 1))) STRICT;"
     "CREATE TABLE batches(batch INTEGER PRIMARY KEY, target INTEGER NOT NULL) STRICT;"
     "CREATE TABLE batch_items(batch INTEGER NOT NULL REFERENCES batches(batch),"
     " position INTEGER NOT NULL, item INTEGER NOT NULL REFERENCES items(position),"
     " PRIMARY KEY(batch, position)) STRICT, WITHOUT ROWID;"
     "CREATE TABLE sessions(id INTEGER PRIMARY KEY AUTOINCREMENT,"
     " token_hash BLOB NOT NULL UNIQUE CHECK(length(token_hash) = 32),"
     " person BLOB NOT NULL CHECK(length(person) = 32), screen TEXT NOT NULL,"
     " batch INTEGER NOT NULL REFERENCES batches(batch), seed INTEGER NOT NULL,"
     " state INTEGER NOT NULL CHECK(state BETWEEN 0 AND 4), place TEXT NOT NULL,"
     " trial INTEGER NOT NULL, started INTEGER NOT NULL, seen INTEGER NOT NULL,"
     " finished INTEGER NOT NULL, lease_until INTEGER NOT NULL,"
     " test INTEGER NOT NULL CHECK(test IN (0, 1)),"
     " second_run INTEGER NOT NULL CHECK(second_run IN (0, 1)), attempts INTEGER NOT NULL,"
     " consent TEXT NOT NULL, parameters TEXT NOT NULL) STRICT;"
     "CREATE INDEX sessions_person ON sessions(person);"
     "CREATE INDEX sessions_batch ON sessions(batch, state, test);"
     "CREATE INDEX sessions_lease ON sessions(lease_until) WHERE state = 0;"
     "CREATE TABLE answers(id INTEGER PRIMARY KEY,"
     " client_id BLOB NOT NULL UNIQUE CHECK(length(client_id) = 16),"
     " session INTEGER NOT NULL REFERENCES sessions(id), trial INTEGER NOT NULL,"
     " practice INTEGER NOT NULL CHECK(practice IN (0, 1)), revision INTEGER NOT NULL,"
     " item INTEGER NOT NULL REFERENCES items(position), body TEXT NOT NULL,"
     " received INTEGER NOT NULL, elapsed INTEGER NOT NULL,"
     " repeat INTEGER NOT NULL CHECK(repeat IN (0, 1))) STRICT;"
     "CREATE UNIQUE INDEX answers_order ON answers(session, trial, practice DESC, revision);"
     "CREATE TABLE events(id INTEGER PRIMARY KEY,"
     " session INTEGER REFERENCES sessions(id), at INTEGER NOT NULL,"
     " kind TEXT NOT NULL, body TEXT NOT NULL) STRICT;"
     "CREATE INDEX events_session ON events(session);"},
    {"ALTER TABLE items ADD COLUMN hash TEXT;"},
};
const size_t sl_sqlite_n_migrations = sizeof sl_sqlite_migrations / sizeof *sl_sqlite_migrations;

static enum sl_status read_version(struct sl_sqlite *store, size_t newest, size_t *version,
                                   struct sl_error *err)
{
    int64_t number = 0, application = 0, objects = 0;
    SL_TRY(sl_sqlite_pragma(store, "PRAGMA user_version", &number, err));
    SL_TRY(sl_sqlite_pragma(store, "PRAGMA application_id", &application, err));
    SL_TRY(sl_sqlite_pragma(store, "SELECT COUNT(*) FROM sqlite_schema", &objects, err));
    bool fresh = number == 0 && application == 0 && objects == 0;
    if (fresh && !store->create)
        return sl_fail(err, SL_ERR_INPUT, "%s is empty: " SL_SQLITE_RESTORE, store->sql.name);
    if (!fresh && (application != APPLICATION_ID || number < 0))
        return sl_fail(err, SL_ERR_INPUT,
                       "%s is a database of another program, not of a study: " SL_SQLITE_RESTORE,
                       store->sql.name);
    if (number > (int64_t)newest)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s was written by a newer softlab (layout %" PRId64
                       ", this one knows %zu): use the newer softlab, or " SL_SQLITE_RESTORE,
                       store->sql.name, number, newest);
    *version = (size_t)number;
    return SL_OK;
}

static enum sl_status migrate_from(struct sl_sqlite *store, size_t version,
                                   const struct sl_sqlite_migration *rows, size_t count,
                                   struct sl_error *err)
{
    for (size_t i = version; i < count; i++)
        SL_TRY(sl_sqlite_exec(store, rows[i].sql, err));
    char mark[96];
    snprintf(mark, sizeof mark, "PRAGMA application_id = %d; PRAGMA user_version = %zu",
             APPLICATION_ID, count);
    return sl_sqlite_exec(store, mark, err);
}

enum sl_status sl_sqlite_migrate(struct sl_sqlite *store, const struct sl_sqlite_migration *rows,
                                 size_t count, struct sl_error *err)
{
    size_t version = 0;
    SL_TRY(read_version(store, count, &version, err));
    if (version == count || store->any_layout) return SL_OK;
    if (store->sql.base.read_only)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s has an older layout: start the server once to upgrade it",
                       store->sql.name);
    SL_TRY(sl_sqlite_begin(&store->sql.base, true, err));
    /* Another process may have been faster. */
    enum sl_status status = read_version(store, count, &version, err);
    if (status == SL_OK && version < count) status = migrate_from(store, version, rows, count, err);
    if (status == SL_OK) return sl_sqlite_commit(&store->sql.base, err);
    sl_sqlite_rollback(&store->sql.base);
    return status;
}
