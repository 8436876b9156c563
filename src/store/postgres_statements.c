/* Running statements on PostgreSQL. Everything crosses the connection in binary form: numbers as
 * eight bytes, the highest first, texts and blobs as they are. */
#include "store/postgres.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"

enum { MAX_VALUES = 18, NAME_TEXT = 32, FETCHED = 256 };

/* Types of parameters: numbers of PostgreSQL's catalogue, which never change. */
enum { TYPE_BYTEA = 17, TYPE_INT8 = 20, TYPE_FLOAT8 = 701 };

/* What only PostgreSQL says in this way. A session that another server has locked is passed over:
 * the requests of two servers do not wait for each other. */
static const char *const own_texts[SL_SQL_STATEMENTS] = {
    [SL_SQL_PUT_TEXT] = ("INSERT INTO texts(key, value) VALUES(?1, ?2) "
                         "ON CONFLICT(sha256(key)) DO UPDATE SET value = excluded.value"),
    [SL_SQL_GET_TEXT] = "SELECT value FROM texts WHERE sha256(key) = sha256(?1)",
    /* The set of finished transactions, which every commit changes. */
    [SL_SQL_VERSION] = "SELECT hashtextextended(pg_current_snapshot()::text, 0)",
    /* Sequences are not copied with the rows that they numbered. */
    [SL_SQL_LAST_SESSION] = ("SELECT COALESCE(pg_sequence_last_value("
                             "pg_get_serial_sequence('sessions', 'id')::regclass), 0)"),
    [SL_SQL_SET_LAST_SESSION] =
        ("SELECT setval(pg_get_serial_sequence('sessions', 'id'), GREATEST(?1, 1), ?1 > 0), "
         "setval(pg_get_serial_sequence('items', 'position'), "
         "(SELECT COALESCE(MAX(position), 0) + 1 FROM items), false), "
         "setval(pg_get_serial_sequence('events', 'id'), "
         "(SELECT COALESCE(MAX(id), 0) + 1 FROM events), false)"),
    [SL_SQL_LAST_ANSWER] = ("SELECT COALESCE(pg_sequence_last_value("
                            "pg_get_serial_sequence('answers', 'id')::regclass), 0)"),
    [SL_SQL_SET_LAST_ANSWER] =
        "SELECT setval(pg_get_serial_sequence('answers', 'id'), GREATEST(?1, 1), ?1 > 0)",
    [SL_SQL_NETWORK_PLACES] = ("SELECT COUNT(*) FROM sessions WHERE state IN (0, 1) AND test = 0 "
                               "AND position(?1 in parameters) > 0"),
    /* One pass over the index instead of two questions per batch. */
    [SL_SQL_EACH_BATCH] = ("SELECT b.batch, b.target, COUNT(*) FILTER (WHERE s.state = 1), "
                           "COUNT(*) FILTER (WHERE s.state = 0) FROM batches b "
                           "LEFT JOIN sessions s ON s.batch = b.batch AND s.test = ?1 "
                           "AND s.state IN (0, 1) WHERE b.target > 0 GROUP BY b.batch "
                           "ORDER BY b.batch"),
    [SL_SQL_EXPIRE] = ("UPDATE sessions SET state = 3 WHERE id IN (SELECT id FROM sessions "
                       "WHERE state = 0 AND lease_until < ?1 FOR NO KEY UPDATE SKIP LOCKED)"),
    [SL_SQL_LOCK_SESSION_OF_TOKEN] = ("SELECT " SL_SQL_SESSION " FROM sessions s "
                                      "WHERE s.token_hash = ?1 FOR NO KEY UPDATE SKIP LOCKED"),
    /* Tokens of 32 bytes, one behind the other. The array makes it a search in the index, whatever
     * the planner thinks of their number. */
    [SL_SQL_LOCK_SESSIONS_OF_TOKENS] =
        ("SELECT " SL_SQL_SESSION " FROM sessions s WHERE s.token_hash = ANY(ARRAY("
         "SELECT substr(?1, n::integer, 32) FROM generate_series(1, length(?1), 32) n)) "
         "FOR NO KEY UPDATE SKIP LOCKED"),
    [SL_SQL_LOCK_SESSION] = "SELECT 1 FROM sessions WHERE id = ?1 FOR NO KEY UPDATE SKIP LOCKED",
    [SL_SQL_LOCK_PERSON] = "SELECT 1 FROM sessions WHERE person = ?1 AND started <= ?2 FOR UPDATE",
    /* The session is locked. */
    [SL_SQL_ADD_ANSWER] =
        ("WITH s AS MATERIALIZED (SELECT id FROM sessions WHERE id = ?2 "
         "FOR NO KEY UPDATE SKIP LOCKED) "
         "INSERT INTO answers(client_id, session, trial, practice, revision, "
         "item, body, received, elapsed, repeat) "
         "SELECT ?1, s.id, ?3, ?4, (SELECT COALESCE(MAX(a.revision) + 1, 0) "
         "FROM answers a WHERE a.session = ?2 AND a.trial = ?3 "
         "AND a.practice = ?4), i.position, ?6, ?7, ?8, ?9 "
         "FROM s, items i WHERE i.id = ?5 ON CONFLICT DO NOTHING RETURNING revision"),
    [SL_SQL_EVENT_BYTES] = ("SELECT COALESCE(SUM(length(body)), 0)::bigint FROM events "
                            "WHERE session = ?1 AND kind = ?2"),
};

/* Walks over data that need not fit into memory: their rows come in pieces, through a cursor. */
static const bool streamed[SL_SQL_STATEMENTS] = {
    [SL_SQL_EACH_ITEM] = true,         [SL_SQL_EACH_SESSION] = true,  [SL_SQL_EACH_ANSWER] = true,
    [SL_SQL_EACH_ANSWER_AFTER] = true, [SL_SQL_EACH_EVENT] = true,    [SL_SQL_EACH_EVENT_OF] = true,
    [SL_SQL_READ_TEXTS] = true,        [SL_SQL_READ_ITEMS] = true,    [SL_SQL_READ_BATCHES] = true,
    [SL_SQL_READ_BATCH_ITEMS] = true,  [SL_SQL_READ_SESSIONS] = true, [SL_SQL_READ_ANSWERS] = true,
    [SL_SQL_READ_EVENTS] = true,
};

/* ---- Requests ---- */

struct bound {
    Oid types[MAX_VALUES];
    const char *values[MAX_VALUES];
    int lengths[MAX_VALUES], formats[MAX_VALUES];
    uint8_t numbers[MAX_VALUES][8];
};

static void put_number(uint64_t number, uint8_t out[8])
{
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)(number >> (56 - 8 * i));
}

static uint64_t get_number(const uint8_t *bytes, int length)
{
    uint64_t number = bytes[0] & 0x80 ? UINT64_MAX : 0; /* the sign of a shorter number */
    for (int i = 0; i < length; i++)
        number = number << 8 | bytes[i];
    return number;
}

static void bind_one(struct bound *bound, size_t i, const struct sl_sql_value *value)
{
    uint64_t bits = (uint64_t)value->integer;
    bool absent = value->absent;
    switch (value->kind) {
    case SL_VALUE_REAL:
        memcpy(&bits, &value->real, sizeof bits);
        absent = absent || isnan(value->real);
        /* fall through */
    case SL_VALUE_INTEGER:
        put_number(bits, bound->numbers[i]);
        bound->types[i] = value->kind == SL_VALUE_REAL ? TYPE_FLOAT8 : TYPE_INT8;
        bound->values[i] = absent ? NULL : (const char *)bound->numbers[i];
        bound->lengths[i] = 8;
        break;
    case SL_VALUE_TEXT:
    case SL_VALUE_BLOB:
        bound->types[i] = TYPE_BYTEA;
        bound->values[i] = absent ? NULL : value->bytes;
        bound->lengths[i] = value->kind == SL_VALUE_BLOB ? (int)value->length
                            : value->bytes               ? (int)strlen(value->bytes)
                                                         : 0;
        break;
    }
    bound->formats[i] = 1;
}

/* ?1 becomes $1; no statement has a question mark of its own. Owned by the caller. */
static char *text_of(enum sl_sql_statement which, const char *before)
{
    char *text =
        sl_string_printf("%s%s", before, own_texts[which] ? own_texts[which] : sl_sql_texts[which]);
    for (char *mark = strchr(text, '?'); mark; mark = strchr(mark, '?'))
        *mark = '$';
    return text;
}

/* What to send: SQL as it is, or a statement with values. */
struct request {
    const char *sql; /* or NULL */
    enum sl_sql_statement which;
    const struct sl_sql_value *values;
    size_t n_values;
};

static bool is_good(const PGresult *result)
{
    const ExecStatusType kind = PQresultStatus(result);
    return kind == PGRES_TUPLES_OK || kind == PGRES_COMMAND_OK;
}

static void name_of(enum sl_sql_statement which, char out[NAME_TEXT])
{
    snprintf(out, NAME_TEXT, "softlab_%d", (int)which);
}

/* The result of the statement that was sent first among those whose results were not read. */
static PGresult *take_result(PGconn *link)
{
    PGresult *result = PQgetResult(link);
    PQclear(result ? PQgetResult(link) : NULL); /* a NULL ends it */
    return result;
}

/* Read what is owed, and the results of `more` statements that were sent behind it. Returns the
 * first failed result, else the last; NULL: nothing was owed, or the connection is lost. */
static PGresult *read_owed(struct sl_postgres *store, size_t more)
{
    PGresult *kept = NULL;
    const size_t count = store->owed + more;
    store->owed = 0;
    PQpipelineSync(store->link);
    for (size_t i = 0; i < count; i++) {
        PGresult *result = take_result(store->link);
        if (!kept || is_good(kept)) {
            PQclear(kept);
            kept = result;
        } else {
            PQclear(result);
        }
    }
    PQclear(PQgetResult(store->link)); /* of the sync */
    PQexitPipelineMode(store->link);
    return kept;
}

/* Whether nothing is owed any more, without an error. *failed, owned by the caller, may be NULL. */
static bool settle(struct sl_postgres *store, PGresult **failed)
{
    if (store->owed == 0) return true;
    PGresult *result = read_owed(store, 0);
    const bool good = is_good(result);
    if (good)
        PQclear(result);
    else
        *failed = result;
    return good;
}

void sl_postgres_drop_owed(struct sl_postgres *store)
{
    PGresult *failed = NULL;
    if (!settle(store, &failed)) PQclear(failed);
}

/* The first time it takes a round trip. *failed as in settle. */
static bool prepare(struct sl_postgres *store, const struct request *request,
                    const struct bound *bound, PGresult **failed)
{
    char name[NAME_TEXT];
    if (store->prepared[request->which]) return true;
    if (!settle(store, failed)) return false;
    char *text = text_of(request->which, "");
    name_of(request->which, name);
    PGresult *prepared = PQprepare(store->link, name, text, (int)request->n_values, bound->types);
    free(text);
    store->prepared[request->which] = is_good(prepared);
    if (!is_good(prepared)) {
        *failed = prepared;
        return false;
    }
    PQclear(prepared);
    return true;
}

/* Send, behind what is owed, without waiting. */
static int send_behind(struct sl_postgres *store, const struct request *request,
                       const struct bound *bound)
{
    char name[NAME_TEXT];
    if (request->sql)
        return PQsendQueryParams(store->link, request->sql, 0, NULL, NULL, NULL, NULL, 1);
    name_of(request->which, name);
    return PQsendQueryPrepared(store->link, name, (int)request->n_values, bound->values,
                               bound->lengths, bound->formats, 1);
}

static PGresult *declare_cursor(struct sl_postgres *store, const struct request *request,
                                const struct bound *bound)
{
    char name[NAME_TEXT], before[2 * NAME_TEXT];
    name_of(request->which, name);
    snprintf(before, sizeof before, "DECLARE %s NO SCROLL CURSOR FOR ", name);
    char *text = text_of(request->which, before);
    PGresult *declared = PQexecParams(store->link, text, (int)request->n_values, bound->types,
                                      bound->values, bound->lengths, bound->formats, 1);
    free(text);
    return declared;
}

/* A walk declares its cursor, anything else runs a statement that is prepared once. */
static PGresult *send_once(struct sl_postgres *store, const struct request *request)
{
    struct bound bound;
    for (size_t i = 0; i < request->n_values; i++)
        bind_one(&bound, i, &request->values[i]);
    PGresult *failed = NULL;
    if (!request->sql && streamed[request->which])
        return settle(store, &failed) ? declare_cursor(store, request, &bound) : failed;
    if (!request->sql && !prepare(store, request, &bound, &failed)) return failed;
    if (!send_behind(store, request, &bound)) return NULL;
    return store->owed > 0 ? read_owed(store, 1) : take_result(store->link);
}

/* Only in a transaction, where the commit waits for it. */
static enum sl_status send_later(struct sl_sql *sql, enum sl_sql_statement which,
                                 const struct sl_sql_value *values, size_t n_values,
                                 struct sl_error *err)
{
    struct sl_postgres *store = (struct sl_postgres *)sql;
    const struct request request = {.which = which, .values = values, .n_values = n_values};
    struct bound bound;
    SL_TRY(sl_postgres_connect(store, err));
    for (size_t i = 0; i < n_values; i++)
        bind_one(&bound, i, &values[i]);
    PGresult *failed = NULL;
    const bool sent = prepare(store, &request, &bound, &failed) &&
                      (store->owed > 0 || PQenterPipelineMode(store->link)) &&
                      send_behind(store, &request, &bound);
    const enum sl_status status = sent ? SL_OK : sl_postgres_fail(store, failed, err);
    store->owed += sent;
    if (store->owed == 0) PQexitPipelineMode(store->link);
    PQclear(failed);
    return status;
}

/* An idle connection may have been lost without notice. Outside a transaction nothing depends on
 * it, and the request is sent once more on a new one. */
static enum sl_status send(struct sl_postgres *store, const struct request *request, PGresult **out,
                           struct sl_error *err)
{
    for (int attempt = 0;; attempt++) {
        SL_TRY(sl_postgres_connect(store, err));
        PGresult *result = send_once(store, request);
        if (is_good(result)) {
            *out = result;
            return SL_OK;
        }
        const bool again = attempt == 0 && sl_postgres_lost(store) && !store->transaction;
        enum sl_status status = again ? SL_OK : sl_postgres_fail(store, result, err);
        PQclear(result);
        if (!again) return status;
    }
}

/* Several statements in one text are possible only without binary results. */
enum sl_status sl_postgres_exec(struct sl_postgres *store, const char *sql, PGresult **out,
                                struct sl_error *err)
{
    PGresult *result = NULL;
    enum sl_status status = SL_OK;
    if (out) return send(store, &(struct request){.sql = sql}, out, err);
    SL_TRY(sl_postgres_connect(store, err));
    if (settle(store, &result)) result = PQexec(store->link, sql);
    if (!is_good(result)) status = sl_postgres_fail(store, result, err);
    PQclear(result);
    return status;
}

static int64_t number_at(const PGresult *result, int row, int column)
{
    if (PQgetisnull(result, row, column)) return 0;
    return (int64_t)get_number((const uint8_t *)PQgetvalue(result, row, column),
                               PQgetlength(result, row, column));
}

enum sl_status sl_postgres_ask(struct sl_postgres *store, const char *sql, int64_t *number,
                               struct sl_error *err)
{
    PGresult *result = NULL;
    SL_TRY(sl_postgres_exec(store, sql, &result, err));
    *number = PQntuples(result) > 0 ? number_at(result, 0, 0) : 0;
    PQclear(result);
    return SL_OK;
}

/* ---- Rows ---- */

struct rows {
    enum sl_sql_statement which;
    PGresult *result; /* the piece that was fetched last */
    int row;
    bool own_transaction; /* begun for this walk alone */
};

static const struct rows *rows_of(const struct sl_sql_rows *rows)
{
    return rows->handle;
}

/* A cursor needs a transaction; a walk outside one gets its own, which sees one moment. */
static enum sl_status begin_reading(struct sl_sql *sql, struct sl_error *err)
{
    struct sl_postgres *store = (struct sl_postgres *)sql;
    PGresult *ignored = NULL;
    SL_TRY(
        sl_postgres_exec(store, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", &ignored, err));
    PQclear(ignored);
    store->transaction = true;
    return SL_OK;
}

static void end_reading(struct sl_sql *sql)
{
    sl_postgres_rollback(&sql->base);
}

/* A failed transaction has closed its cursors. */
static void close_cursor(struct sl_postgres *store, enum sl_sql_statement which)
{
    char name[NAME_TEXT], sql[2 * NAME_TEXT];
    sl_postgres_drop_owed(store);
    if (sl_postgres_lost(store) || PQtransactionStatus(store->link) != PQTRANS_INTRANS) return;
    name_of(which, name);
    snprintf(sql, sizeof sql, "CLOSE %s", name);
    PQclear(PQexec(store->link, sql));
}

static void finish(struct sl_sql_rows *out)
{
    struct sl_postgres *store = (struct sl_postgres *)out->store;
    struct rows *rows = out->handle;
    PQclear(rows->result);
    store->walking[rows->which] = false;
    if (rows->own_transaction)
        end_reading(out->store);
    else if (streamed[rows->which])
        close_cursor(store, rows->which);
    free(rows);
}

static enum sl_status start(struct sl_sql *sql, enum sl_sql_statement which,
                            const struct sl_sql_value *values, size_t n_values,
                            struct sl_sql_rows *out, struct sl_error *err)
{
    struct sl_postgres *store = (struct sl_postgres *)sql;
    if (store->walking[which]) return sl_sql_fail_nested(err);
    struct rows *rows = sl_alloc(1, sizeof *rows);
    *rows = (struct rows){.which = which};
    const bool begin = streamed[which] && !store->transaction;
    enum sl_status status = begin ? begin_reading(sql, err) : SL_OK;
    rows->own_transaction = begin && status == SL_OK;
    if (status == SL_OK) {
        const struct request request = {.which = which, .values = values, .n_values = n_values};
        status = send(store, &request, &rows->result, err);
    }
    store->walking[which] = true;
    out->handle = rows;
    if (status != SL_OK)
        sl_sql_finish(out);
    else if (!streamed[which])
        store->changes = (size_t)strtoull(PQcmdTuples(rows->result), NULL, 10);
    return status;
}

static enum sl_status fetch(struct sl_postgres *store, struct rows *rows, struct sl_error *err)
{
    char name[NAME_TEXT], sql[2 * NAME_TEXT];
    name_of(rows->which, name);
    snprintf(sql, sizeof sql, "FETCH %d FROM %s", FETCHED, name);
    PQclear(rows->result);
    rows->result = NULL;
    rows->row = 0;
    return send(store, &(struct request){.sql = sql}, &rows->result, err);
}

/* The handle stands before the first row until the first step. */
static enum sl_status step(struct sl_sql_rows *out, bool *row, struct sl_error *err)
{
    struct sl_postgres *store = (struct sl_postgres *)out->store;
    struct rows *rows = out->handle;
    if (sl_store_stopping(&out->store->base))
        return sl_fail(err, SL_ERR_STOPPED, "stopped before the end");
    if (streamed[rows->which] && rows->row == PQntuples(rows->result))
        SL_TRY(fetch(store, rows, err));
    *row = rows->row < PQntuples(rows->result);
    if (*row) rows->row++;
    return SL_OK;
}

static bool is_null(const struct sl_sql_rows *rows, int column)
{
    return PQgetisnull(rows_of(rows)->result, rows_of(rows)->row - 1, column);
}

static int64_t integer(const struct sl_sql_rows *rows, int column)
{
    return number_at(rows_of(rows)->result, rows_of(rows)->row - 1, column);
}

static double real(const struct sl_sql_rows *rows, int column)
{
    const int64_t bits = integer(rows, column);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* libpq adds a NUL to every value. */
static const char *bytes(const struct sl_sql_rows *rows, int column)
{
    const struct rows *from = rows_of(rows);
    return is_null(rows, column) ? NULL : PQgetvalue(from->result, from->row - 1, column);
}

static size_t length(const struct sl_sql_rows *rows, int column)
{
    return (size_t)PQgetlength(rows_of(rows)->result, rows_of(rows)->row - 1, column);
}

static size_t changes(const struct sl_sql *sql)
{
    return ((const struct sl_postgres *)sql)->changes;
}

const struct sl_sql_driver sl_postgres_driver = {
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
    .several_writers = true,
    .send = send_later,
};
