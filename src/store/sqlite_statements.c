/* Running statements on SQLite. */
#include "store/sqlite.h"

#include <math.h>

/* The highest id of an answer that is there, and of one that was there before a purge. */
#define LAST_ANSWERS                                                                               \
    "COALESCE((SELECT MAX(id) FROM answers), 0), "                                                 \
    "COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'answers'), 0)"

/* What only SQLite says in this way. */
static const char *const own_texts[SL_SQL_STATEMENTS] = {
    [SL_SQL_VERSION] = "PRAGMA data_version",
    [SL_SQL_LAST_SESSION] = "SELECT seq FROM sqlite_sequence WHERE name = 'sessions'",
    [SL_SQL_SET_LAST_SESSION] = ("INSERT OR REPLACE INTO sqlite_sequence(rowid, name, seq) VALUES("
                                 "(SELECT rowid FROM sqlite_sequence WHERE name = 'sessions'), "
                                 "'sessions', ?1)"),
    /* Kept beside the numbers of sessions, whose ids SQLite does not give again by itself. */
    [SL_SQL_LAST_ANSWER] = ("SELECT MAX(" LAST_ANSWERS ")"),
    [SL_SQL_SET_LAST_ANSWER] = ("INSERT OR REPLACE INTO sqlite_sequence(rowid, name, seq) VALUES("
                                "(SELECT rowid FROM sqlite_sequence WHERE name = 'answers'), "
                                "'answers', ?1)"),
    /* One statement, since PostgreSQL's costs a round trip. Without a row: something is missing, or
     * there is such an answer. */
    [SL_SQL_ADD_ANSWER] = ("INSERT INTO answers(id, client_id, session, trial, practice, revision, "
                           "item, body, received, elapsed, repeat) "
                           "SELECT 1 + MAX(" LAST_ANSWERS "), ?1, s.id, ?3, ?4, "
                           "(SELECT COALESCE(MAX(a.revision) + 1, 0) "
                           "FROM answers a WHERE a.session = ?2 AND a.trial = ?3 "
                           "AND a.practice = ?4), i.position, ?6, ?7, ?8, ?9 "
                           "FROM sessions s, items i WHERE s.id = ?2 AND i.id = ?5 "
                           "ON CONFLICT DO NOTHING RETURNING revision"),
    [SL_SQL_NETWORK_PLACES] = ("SELECT COUNT(*) FROM sessions "
                               "WHERE state IN (0, 1) AND test = 0 AND instr(parameters, ?1) > 0"),
    [SL_SQL_EVENT_BYTES] = ("SELECT COALESCE(SUM(LENGTH(CAST(body AS BLOB))), 0) FROM events "
                            "WHERE session = ?1 AND kind = ?2"),
};

enum sl_status sl_sqlite_fail(struct sl_sqlite *store, int result, struct sl_error *err)
{
    const char *path = store->sql.name;
    const char *said = store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(result);
    int kind = result & 0xff;
    if (kind != SQLITE_CONSTRAINT) store->sql.base.failed = true;
    /* Mapping the shared index needs address space, not disk. */
    if (kind == SQLITE_NOMEM || result == SQLITE_IOERR_NOMEM || result == SQLITE_IOERR_SHMMAP)
        return sl_fail(err, SL_ERR_NOMEM, "%s: not enough memory for the database", path);
    switch (kind) {
    case SQLITE_FULL:
        return sl_fail(err, SL_ERR_IO, "%s: the disk is full: free some space and try again", path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return sl_fail(err, SL_ERR_IO,
                       "%s cannot be written: make the file and its folder writable for the server",
                       path);
    case SQLITE_IOERR:
        return sl_fail(err, SL_ERR_IO,
                       "%s: the disk reported an error (%s, code %d): check the disk, then start "
                       "again; if the database is refused then, " SL_SQLITE_RESTORE,
                       path, said, result);
    case SQLITE_CANTOPEN:
        return sl_fail(err, SL_ERR_IO, "%s cannot be opened (%s): check its folder and permissions",
                       path, said);
    case SQLITE_NOTADB:
        return sl_fail(err, SL_ERR_INPUT, "%s is not a study's database: " SL_SQLITE_RESTORE, path);
    case SQLITE_CORRUPT:
        return sl_fail(err, SL_ERR_INPUT, "%s is damaged (%s): " SL_SQLITE_RESTORE, path, said);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return sl_fail(err, SL_ERR_BUSY,
                       "%s is locked by another program: end it, or try again later", path);
    case SQLITE_INTERRUPT: return sl_fail(err, SL_ERR_STOPPED, "stopped before the end");
    case SQLITE_CONSTRAINT: return sl_fail(err, SL_ERR_INPUT, "%s: %s", path, said);
    default: return sl_fail(err, SL_ERR_BACKEND, "%s: SQLite: %s", path, said);
    }
}

static int bind_one(sqlite3_stmt *statement, int index, const struct sl_sql_value *value)
{
    if (value->absent) return sqlite3_bind_null(statement, index);
    switch (value->kind) {
    case SL_VALUE_INTEGER: return sqlite3_bind_int64(statement, index, value->integer);
    case SL_VALUE_REAL:
        return isnan(value->real) ? sqlite3_bind_null(statement, index)
                                  : sqlite3_bind_double(statement, index, value->real);
    case SL_VALUE_TEXT: return sqlite3_bind_text(statement, index, value->bytes, -1, SQLITE_STATIC);
    case SL_VALUE_BLOB:
        return sqlite3_bind_blob64(statement, index, value->bytes, value->length, SQLITE_STATIC);
    }
    return SQLITE_MISUSE;
}

static void finish(struct sl_sql_rows *rows)
{
    sqlite3_reset(rows->handle);
    sqlite3_clear_bindings(rows->handle);
}

static int prepare(struct sl_sqlite *store, enum sl_sql_statement which)
{
    const char *text = own_texts[which] ? own_texts[which] : sl_sql_texts[which];
    return sqlite3_prepare_v3(store->db, text, -1, SQLITE_PREPARE_PERSISTENT,
                              &store->statements[which], NULL);
}

static enum sl_status start(struct sl_sql *sql, enum sl_sql_statement which,
                            const struct sl_sql_value *values, size_t n_values,
                            struct sl_sql_rows *rows, struct sl_error *err)
{
    struct sl_sqlite *store = (struct sl_sqlite *)sql;
    int result = store->statements[which] ? SQLITE_OK : prepare(store, which);
    if (result != SQLITE_OK) return sl_sqlite_fail(store, result, err);
    sqlite3_stmt *kept = store->statements[which];
    if (sqlite3_stmt_busy(kept)) return sl_sql_fail_nested(err);
    for (size_t i = 0; i < n_values && result == SQLITE_OK; i++)
        result = bind_one(kept, (int)i + 1, &values[i]);
    rows->handle = kept;
    if (result == SQLITE_OK) return SL_OK;
    enum sl_status status = sl_sqlite_fail(store, result, err);
    sl_sql_finish(rows);
    return status;
}

static enum sl_status step(struct sl_sql_rows *rows, bool *row, struct sl_error *err)
{
    int result = sqlite3_step(rows->handle);
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        return sl_sqlite_fail((struct sl_sqlite *)rows->store, result, err);
    *row = result == SQLITE_ROW;
    return SL_OK;
}

static bool is_null(const struct sl_sql_rows *rows, int column)
{
    return sqlite3_column_type(rows->handle, column) == SQLITE_NULL;
}

static int64_t integer(const struct sl_sql_rows *rows, int column)
{
    return sqlite3_column_int64(rows->handle, column);
}

static double real(const struct sl_sql_rows *rows, int column)
{
    return sqlite3_column_double(rows->handle, column);
}

/* SQLite adds the NUL to a text only, and gives the blob's own bytes as its text. */
static const char *bytes(const struct sl_sql_rows *rows, int column)
{
    const bool text = sqlite3_column_type(rows->handle, column) == SQLITE_TEXT;
    const void *found = text ? sqlite3_column_text(rows->handle, column)
                             : sqlite3_column_blob(rows->handle, column);
    return found;
}

static size_t length(const struct sl_sql_rows *rows, int column)
{
    return (size_t)sqlite3_column_bytes(rows->handle, column);
}

static enum sl_status begin_reading(struct sl_sql *sql, struct sl_error *err)
{
    return sl_sqlite_exec((struct sl_sqlite *)sql, "BEGIN", err);
}

static void end_reading(struct sl_sql *sql)
{
    sl_sqlite_rollback(&sql->base);
}

static size_t changes(const struct sl_sql *sql)
{
    return (size_t)sqlite3_changes(((const struct sl_sqlite *)sql)->db);
}

const struct sl_sql_driver sl_sqlite_driver = {
    .start = start,
    .step = step,
    .finish = finish,
    .is_null = is_null,
    .integer = integer,
    .real = real,
    .bytes = bytes,
    .length = length,
    .begin_reading = begin_reading,
    .end_reading = end_reading,
    .changes = changes,
};

enum sl_status sl_sqlite_exec(struct sl_sqlite *store, const char *sql, struct sl_error *err)
{
    int result = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    return result == SQLITE_OK ? SL_OK : sl_sqlite_fail(store, result, err);
}

enum sl_status sl_sqlite_pragma(struct sl_sqlite *store, const char *sql, int64_t *number,
                                struct sl_error *err)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
    if (result == SQLITE_OK) result = sqlite3_step(statement);
    if (result == SQLITE_ROW) *number = sqlite3_column_int64(statement, 0);
    enum sl_status status = result == SQLITE_ROW ? SL_OK : sl_sqlite_fail(store, result, err);
    sqlite3_finalize(statement);
    return status;
}
