/* The statements of the store, and running them. */
#include "store/sqlite.h"

#include <math.h>
#include <string.h>

/* In the order of sl_sqlite_read_session. */
#define SESSION                                                                                    \
    "s.id, s.token_hash, s.person, s.screen, s.batch, s.seed, s.state, s.place, s.trial, "         \
    "s.started, s.seen, s.finished, s.lease_until, s.test, s.second_run, s.attempts, s.consent, "  \
    "s.parameters"

/* States are numbers of enum sl_session_state: 0 is live, 1 finished, 3 expired, 4 refused. */
static const char *const texts[SL_SQL_STATEMENTS] = {
    [SL_SQL_BEGIN] = "BEGIN IMMEDIATE",
    [SL_SQL_COMMIT] = "COMMIT",
    [SL_SQL_ROLLBACK] = "ROLLBACK",

    [SL_SQL_PUT_TEXT] = "INSERT INTO texts(key, value) VALUES(?1, ?2) "
                        "ON CONFLICT(key) DO UPDATE SET value = excluded.value",
    [SL_SQL_GET_TEXT] = "SELECT value FROM texts WHERE key = ?1",

    [SL_SQL_ADD_ITEM] = "INSERT INTO items(id, content, truth, entropy, is_check, hash) "
                        "VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
    [SL_SQL_SET_ITEM_HASH] = "UPDATE items SET hash = ?2 WHERE id = ?1",
    [SL_SQL_ANSWERED_SCREEN] = "SELECT 1 FROM sessions s WHERE s.test = 0 "
                               "AND (?1 IS NULL OR s.screen = ?1) "
                               "AND EXISTS(SELECT 1 FROM answers a WHERE a.session = s.id) LIMIT 1",
    [SL_SQL_ANSWERED_ITEM] = "SELECT 1 FROM answers a JOIN items i ON i.position = a.item "
                             "JOIN sessions s ON s.id = a.session "
                             "WHERE i.id = ?1 AND s.test = 0 LIMIT 1",
    [SL_SQL_VERSION] = "PRAGMA data_version",
    [SL_SQL_FIND_ITEM] = "SELECT position FROM items WHERE id = ?1",
    [SL_SQL_EACH_ITEM] = "SELECT id, content, truth, entropy, is_check, hash FROM items "
                         "ORDER BY position",
    [SL_SQL_ADD_BATCH] = "INSERT INTO batches(batch, target) VALUES(?1, ?2)",
    [SL_SQL_FIND_BATCH] = "SELECT target FROM batches WHERE batch = ?1",
    [SL_SQL_SET_TARGET] = "UPDATE batches SET target = ?1 WHERE target <> ?1",
    [SL_SQL_ADD_BATCH_ITEM] = "INSERT INTO batch_items(batch, position, item) VALUES(?1, ?2, ?3)",
    [SL_SQL_BATCH_ITEMS] = "SELECT i.id FROM batch_items b JOIN items i ON i.position = b.item "
                           "WHERE b.batch = ?1 ORDER BY b.position",
    [SL_SQL_EACH_BATCH] = "SELECT b.batch, b.target, "
                          "(SELECT COUNT(*) FROM sessions s "
                          "WHERE s.batch = b.batch AND s.state = 1 AND s.test = ?1), "
                          "(SELECT COUNT(*) FROM sessions s "
                          "WHERE s.batch = b.batch AND s.state = 0 AND s.test = ?1) "
                          "FROM batches b ORDER BY b.batch",

    [SL_SQL_EXPIRE] = "UPDATE sessions SET state = 3 WHERE state = 0 AND lease_until < ?1",
    [SL_SQL_LIVE_SESSION] = "SELECT " SESSION " FROM sessions s "
                            "WHERE s.person = ?1 AND s.test = ?2 "
                            "AND (s.state IN (0, 4) OR (?3 AND s.state = 1)) "
                            "ORDER BY s.state, s.id DESC LIMIT 1",
    [SL_SQL_NETWORK_PLACES] = "SELECT COUNT(*) FROM sessions "
                              "WHERE state IN (0, 1) AND test = 0 AND instr(parameters, ?1) > 0",
    [SL_SQL_RENEW_SESSION] = "UPDATE sessions SET token_hash = ?2, seen = ?3, lease_until = ?4 "
                             "WHERE id = ?1",
    [SL_SQL_FINISHED_BEFORE] = "SELECT 1 FROM sessions "
                               "WHERE person = ?1 AND state = 1 AND test = 0 LIMIT 1",
    [SL_SQL_ADD_SESSION] = "INSERT INTO sessions(token_hash, person, screen, batch, seed, state, "
                           "place, trial, started, seen, finished, lease_until, test, second_run, "
                           "attempts, consent, parameters) VALUES(?1, ?2, ?3, ?4, ?5, 0, ?6, 0, "
                           "?7, ?7, 0, ?8, ?9, ?10, (SELECT COALESCE(MAX(attempts), 0) FROM "
                           "sessions WHERE person = ?2 AND test = ?9 AND state <> 1), '', ?11)",
    [SL_SQL_SESSION_OF_TOKEN] = "SELECT " SESSION " FROM sessions s WHERE s.token_hash = ?1",
    [SL_SQL_SESSION_EXISTS] = "SELECT 1 FROM sessions WHERE id = ?1",
    [SL_SQL_SAVE_SESSION] = "UPDATE sessions SET state = ?2, place = ?3, trial = ?4, seen = ?5, "
                            "finished = ?6, lease_until = ?7, attempts = ?8, consent = ?9 "
                            "WHERE id = ?1",
    [SL_SQL_EACH_SESSION] = "SELECT " SESSION " FROM sessions s ORDER BY s.id",

    [SL_SQL_ANSWER_OF_CLIENT] = "SELECT a.session, a.trial, a.practice, i.id, a.body, a.revision "
                                "FROM answers a JOIN items i ON i.position = a.item "
                                "WHERE a.client_id = ?1",
    [SL_SQL_NEXT_REVISION] = "SELECT COALESCE(MAX(revision) + 1, 0) FROM answers "
                             "WHERE session = ?1 AND trial = ?2 AND practice = ?3",
    [SL_SQL_ADD_ANSWER] = "INSERT INTO answers(client_id, session, trial, practice, revision, "
                          "item, body, received, elapsed, repeat) "
                          "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    [SL_SQL_EACH_ANSWER] = "SELECT " SESSION ", a.client_id, a.trial, a.revision, i.id, a.body, "
                           "a.received, a.elapsed, a.repeat, a.practice "
                           "FROM answers a JOIN sessions s ON s.id = a.session "
                           "JOIN items i ON i.position = a.item "
                           "ORDER BY a.session, a.trial, a.practice DESC, a.revision",
    [SL_SQL_ADD_EVENT] = "INSERT INTO events(session, at, kind, body) "
                         "VALUES(NULLIF(?1, 0), ?2, ?3, ?4)",
    [SL_SQL_EVENT_BYTES] = "SELECT COALESCE(SUM(LENGTH(CAST(body AS BLOB))), 0) FROM events "
                           "WHERE session = ?1 AND kind = ?2",
    [SL_SQL_EACH_EVENT] = "SELECT " SESSION ", e.at, e.kind, e.body "
                          "FROM events e LEFT JOIN sessions s ON s.id = e.session ORDER BY e.id",
    [SL_SQL_EACH_EVENT_OF] = "SELECT " SESSION ", e.at, e.kind, e.body "
                             "FROM events e JOIN sessions s ON s.id = e.session "
                             "WHERE e.session = ?1 ORDER BY e.id",

    [SL_SQL_PURGE_ANSWERS] = "DELETE FROM answers WHERE session IN "
                             "(SELECT id FROM sessions WHERE person = ?1 AND started <= ?2)",
    [SL_SQL_PURGE_EVENTS] = "DELETE FROM events WHERE session IN "
                            "(SELECT id FROM sessions WHERE person = ?1 AND started <= ?2)",
    [SL_SQL_PURGE_SESSIONS] = "DELETE FROM sessions WHERE person = ?1 AND started <= ?2",
};

enum sl_status sl_sqlite_fail(struct sl_sqlite *store, int result, struct sl_error *err)
{
    const char *path = store->path;
    const char *said = store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(result);
    int kind = result & 0xff;
    if (kind != SQLITE_CONSTRAINT) store->base.failed = true;
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

static int bind_one(sqlite3_stmt *statement, int index, const struct sl_sqlite_value *value)
{
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

enum sl_status sl_sqlite_start(struct sl_sqlite *store, enum sl_sqlite_statement which,
                               const struct sl_sqlite_value *values, size_t n_values,
                               sqlite3_stmt **out, struct sl_error *err)
{
    sqlite3_stmt **kept = &store->statements[which];
    int result = SQLITE_OK;
    if (!*kept)
        result =
            sqlite3_prepare_v3(store->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT, kept, NULL);
    if (result != SQLITE_OK) return sl_sqlite_fail(store, result, err);
    if (sqlite3_stmt_busy(*kept))
        return sl_fail(err, SL_ERR_USAGE, "a visitor cannot start the walk that it is part of");
    for (size_t i = 0; i < n_values && result == SQLITE_OK; i++)
        result = bind_one(*kept, (int)i + 1, &values[i]);
    if (result == SQLITE_OK) {
        *out = *kept;
        return SL_OK;
    }
    enum sl_status status = sl_sqlite_fail(store, result, err);
    sl_sqlite_finish(*kept);
    return status;
}

enum sl_status sl_sqlite_step(struct sl_sqlite *store, sqlite3_stmt *statement, bool *row,
                              struct sl_error *err)
{
    int result = sqlite3_step(statement);
    if (result != SQLITE_ROW && result != SQLITE_DONE) return sl_sqlite_fail(store, result, err);
    *row = result == SQLITE_ROW;
    return SL_OK;
}

void sl_sqlite_finish(sqlite3_stmt *statement)
{
    if (!statement) return;
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

enum sl_status sl_sqlite_run(struct sl_sqlite *store, enum sl_sqlite_statement which,
                             const struct sl_sqlite_value *values, size_t n_values,
                             struct sl_error *err)
{
    int64_t ignored;
    bool found;
    return sl_sqlite_number(store, which, values, n_values, &ignored, &found, err);
}

enum sl_status sl_sqlite_number(struct sl_sqlite *store, enum sl_sqlite_statement which,
                                const struct sl_sqlite_value *values, size_t n_values,
                                int64_t *number, bool *found, struct sl_error *err)
{
    sqlite3_stmt *statement = NULL;
    SL_TRY(sl_sqlite_start(store, which, values, n_values, &statement, err));
    bool row = false;
    enum sl_status status = sl_sqlite_step(store, statement, &row, err);
    if (status == SL_OK && row) *number = sqlite3_column_int64(statement, 0);
    if (status == SL_OK) *found = row;
    sl_sqlite_finish(statement);
    return status;
}

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

/* A blob of a wrong length can only come from an edited file. */
static void read_bytes(sqlite3_stmt *statement, int column, uint8_t *out, size_t size)
{
    const void *bytes = sqlite3_column_blob(statement, column);
    size_t length = (size_t)sqlite3_column_bytes(statement, column);
    memset(out, 0, size);
    if (bytes) memcpy(out, bytes, length < size ? length : size);
}

static void read_name(sqlite3_stmt *statement, int column, char *out, size_t size)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    size_t length = (size_t)sqlite3_column_bytes(statement, column);
    memset(out, 0, size);
    if (text) memcpy(out, text, length < size ? length : size - 1);
}

void sl_sqlite_read_session(sqlite3_stmt *statement, struct sl_store_session *out)
{
    out->id = sqlite3_column_int64(statement, 0);
    read_bytes(statement, 1, out->token_hash, sizeof out->token_hash);
    read_bytes(statement, 2, out->person, sizeof out->person);
    read_name(statement, 3, out->screen, sizeof out->screen);
    out->batch = (size_t)sqlite3_column_int64(statement, 4);
    out->seed = (uint64_t)sqlite3_column_int64(statement, 5);
    out->state = (enum sl_session_state)sqlite3_column_int(statement, 6);
    read_name(statement, 7, out->place, sizeof out->place);
    out->trial = (size_t)sqlite3_column_int64(statement, 8);
    out->started = sqlite3_column_int64(statement, 9);
    out->seen = sqlite3_column_int64(statement, 10);
    out->finished = sqlite3_column_int64(statement, 11);
    out->lease_until = sqlite3_column_int64(statement, 12);
    out->test = sqlite3_column_int(statement, 13) != 0;
    out->second_run = sqlite3_column_int(statement, 14) != 0;
    out->attempts = (size_t)sqlite3_column_int64(statement, 15);
    read_name(statement, 16, out->consent, sizeof out->consent);
}
