/* Sessions, leases and removing a person. */
#include "store/sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"

static enum sl_status no_session(struct sl_error *err)
{
    return sl_fail(err, SL_ERR_NOT_FOUND, "there is no such session");
}

/* The single session that a statement returns. */
static enum sl_status read_one(struct sl_sqlite *store, enum sl_sqlite_statement which,
                               const struct sl_sqlite_value *values, size_t n_values,
                               struct sl_store_session *out, struct sl_error *err)
{
    sqlite3_stmt *statement = NULL;
    SL_TRY(sl_sqlite_start(store, which, values, n_values, &statement, err));
    bool row = false;
    enum sl_status status = sl_sqlite_step(store, statement, &row, err);
    if (status == SL_OK && row)
        sl_sqlite_read_session(statement, out);
    else if (status == SL_OK)
        status = no_session(err);
    sl_sqlite_finish(statement);
    return status;
}

enum sl_status sl_sqlite_find_session(struct sl_store *base, const uint8_t *token_hash,
                                      struct sl_store_session *out, struct sl_error *err)
{
    return read_one(sl_sqlite_of(base), SL_SQL_SESSION_OF_TOKEN,
                    SL_VALUES(sl_sqlite_blob(token_hash, SL_STORE_TOKEN_BYTES)), out, err);
}

/* One of the least filled batches with room, chosen by `tie`. Test sessions need no room; they are
 * counted among themselves, so that a rehearsal spreads over the batches as the study will. */
static enum sl_status choose_batch(struct sl_sqlite *store, const struct sl_store_arrival *arrival,
                                   size_t *batch, struct sl_error *err)
{
    sqlite3_stmt *rows = NULL;
    SL_TRY(sl_sqlite_start(store, SL_SQL_EACH_BATCH, SL_VALUES(sl_sqlite_integer(arrival->test)),
                           &rows, err));
    size_t n_least = 0, capacity = 16;
    int64_t least = INT64_MAX;
    size_t *candidates = sl_alloc(capacity, sizeof *candidates);
    enum sl_status status = SL_OK;
    for (;;) {
        bool row = false;
        SL_TRY_OUT(sl_sqlite_step(store, rows, &row, err));
        if (!row) break;
        int64_t filled = sqlite3_column_int64(rows, 2) + sqlite3_column_int64(rows, 3);
        if (!arrival->test && filled >= sqlite3_column_int64(rows, 1)) continue;
        if (filled > least) continue;
        if (filled < least) n_least = 0;
        least = filled;
        if (n_least == capacity)
            candidates = sl_resize(candidates, capacity *= 2, sizeof *candidates);
        candidates[n_least++] = (size_t)sqlite3_column_int64(rows, 0);
    }
    if (n_least == 0)
        status = sl_fail(err, SL_ERR_NOT_FOUND, "every batch has all the annotators that it wants");
    else
        *batch = candidates[arrival->tie % n_least];
out:
    sl_sqlite_finish(rows);
    free(candidates);
    return status;
}

static int64_t lease_end(const struct sl_store_arrival *arrival)
{
    if (arrival->now > INT64_MAX - arrival->lease_ms) return INT64_MAX;
    return arrival->now + arrival->lease_ms;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A clock that was set back must not shorten a promised lease; a refused session gets no new
 * lease. */
static enum sl_status renew(struct sl_sqlite *store, const struct sl_store_arrival *arrival,
                            const struct sl_store_session *session, struct sl_error *err)
{
    int64_t until = session->state == SL_SESSION_ACTIVE
                        ? later(session->lease_until, lease_end(arrival))
                        : session->lease_until;
    return sl_sqlite_run(store, SL_SQL_RENEW_SESSION,
                         SL_VALUES(sl_sqlite_integer(session->id),
                                   sl_sqlite_blob(arrival->token_hash, SL_STORE_TOKEN_BYTES),
                                   sl_sqlite_integer(later(session->seen, arrival->now)),
                                   sl_sqlite_integer(until)),
                         err);
}

static enum sl_status check_network(struct sl_sqlite *store, const struct sl_store_arrival *arrival,
                                    struct sl_error *err)
{
    int64_t taken = 0;
    bool counted = false;
    if (!arrival->network || arrival->test) return SL_OK;
    SL_TRY(sl_sqlite_number(store, SL_SQL_NETWORK_PLACES,
                            SL_VALUES(sl_sqlite_text(arrival->network)), &taken, &counted, err));
    if (taken < 0 || (uint64_t)taken < arrival->per_network) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE, "this network has %zu place%s, and no place is left",
                   arrival->per_network, sl_text_plural(arrival->per_network, "", "s"));
}

static enum sl_status add_session(struct sl_sqlite *store, const struct sl_store_arrival *arrival,
                                  struct sl_error *err)
{
    size_t batch = 0;
    int64_t one = 0;
    bool finished_before = false;
    SL_TRY(check_network(store, arrival, err));
    SL_TRY(choose_batch(store, arrival, &batch, err));
    SL_TRY(sl_sqlite_number(store, SL_SQL_FINISHED_BEFORE,
                            SL_VALUES(sl_sqlite_blob(arrival->person, SL_STORE_PERSON_BYTES)), &one,
                            &finished_before, err));
    return sl_sqlite_run(
        store, SL_SQL_ADD_SESSION,
        SL_VALUES(sl_sqlite_blob(arrival->token_hash, SL_STORE_TOKEN_BYTES),
                  sl_sqlite_blob(arrival->person, SL_STORE_PERSON_BYTES),
                  sl_sqlite_text(arrival->screen), sl_sqlite_size(batch),
                  sl_sqlite_integer((int64_t)arrival->seed), sl_sqlite_text("consent"),
                  sl_sqlite_integer(arrival->now), sl_sqlite_integer(lease_end(arrival)),
                  sl_sqlite_integer(arrival->test), sl_sqlite_integer(finished_before),
                  sl_sqlite_text(arrival->parameters)),
        err);
}

static enum sl_status place(struct sl_sqlite *store, const struct sl_store_arrival *arrival,
                            struct sl_store_session *out, bool *returning, struct sl_error *err)
{
    SL_TRY(sl_sqlite_run(store, SL_SQL_EXPIRE, SL_VALUES(sl_sqlite_integer(arrival->now)), err));
    enum sl_status status =
        read_one(store, SL_SQL_LIVE_SESSION,
                 SL_VALUES(sl_sqlite_blob(arrival->person, SL_STORE_PERSON_BYTES),
                           sl_sqlite_integer(arrival->test), sl_sqlite_integer(arrival->once)),
                 out, err);
    *returning = status == SL_OK;
    if (status == SL_ERR_NOT_FOUND)
        status = add_session(store, arrival, err);
    else if (status == SL_OK)
        status = renew(store, arrival, out, err);
    if (status == SL_OK)
        status = sl_sqlite_find_session(&store->base, arrival->token_hash, out, err);
    return status;
}

enum sl_status sl_sqlite_arrive(struct sl_store *base, const struct sl_store_arrival *arrival,
                                struct sl_store_session *out, bool *returning, struct sl_error *err)
{
    struct sl_store_session session;
    bool came_back = false;
    SL_TRY(sl_sqlite_begin(base, true, err));
    enum sl_status status = place(sl_sqlite_of(base), arrival, &session, &came_back, err);
    if (status != SL_OK) {
        sl_sqlite_rollback(base);
        return status;
    }
    SL_TRY(sl_sqlite_commit(base, err));
    *out = session;
    *returning = came_back;
    return SL_OK;
}

enum sl_status sl_sqlite_save_session(struct sl_store *base, const struct sl_store_session *session,
                                      struct sl_error *err)
{
    struct sl_sqlite *store = sl_sqlite_of(base);
    SL_TRY(sl_sqlite_run(
        store, SL_SQL_SAVE_SESSION,
        SL_VALUES(sl_sqlite_integer(session->id), sl_sqlite_integer((int64_t)session->state),
                  sl_sqlite_text(session->place), sl_sqlite_size(session->trial),
                  sl_sqlite_integer(session->seen), sl_sqlite_integer(session->finished),
                  sl_sqlite_integer(session->lease_until), sl_sqlite_size(session->attempts),
                  sl_sqlite_text(session->consent)),
        err));
    return sqlite3_changes(store->db) > 0 ? SL_OK : no_session(err);
}

enum sl_status sl_sqlite_expire(struct sl_store *base, int64_t now, size_t *freed,
                                struct sl_error *err)
{
    SL_TRY(
        sl_sqlite_run(sl_sqlite_of(base), SL_SQL_EXPIRE, SL_VALUES(sl_sqlite_integer(now)), err));
    if (freed) *freed = (size_t)sqlite3_changes(sl_sqlite_of(base)->db);
    return SL_OK;
}

static enum sl_status remove_rows(struct sl_sqlite *store, const uint8_t *person, int64_t until,
                                  int64_t now, struct sl_store_purged *out, struct sl_error *err)
{
    const struct {
        enum sl_sqlite_statement statement;
        size_t *count;
    } steps[] = {{SL_SQL_PURGE_ANSWERS, &out->answers},
                 {SL_SQL_PURGE_EVENTS, &out->events},
                 {SL_SQL_PURGE_SESSIONS, &out->sessions}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        SL_TRY(sl_sqlite_run(
            store, steps[i].statement,
            SL_VALUES(sl_sqlite_blob(person, SL_STORE_PERSON_BYTES), sl_sqlite_integer(until)),
            err));
        *steps[i].count = (size_t)sqlite3_changes(store->db);
    }
    if (out->sessions == 0) return SL_OK;
    char body[48];
    snprintf(body, sizeof body, "{\"sessions\":%zu}", out->sessions);
    return sl_sqlite_put_event(&store->base, 0, now, "purge", body, err);
}

enum sl_status sl_sqlite_purge(struct sl_store *base, const uint8_t *person, int64_t until,
                               int64_t now, struct sl_store_purged *out, struct sl_error *err)
{
    struct sl_store_purged removed = {0};
    bool emptied = false;
    SL_TRY(sl_sqlite_begin(base, true, err));
    enum sl_status status = remove_rows(sl_sqlite_of(base), person, until, now, &removed, err);
    if (status != SL_OK) {
        sl_sqlite_rollback(base);
        return status;
    }
    SL_TRY(sl_sqlite_commit(base, err));
    SL_TRY(sl_sqlite_empty_log(base, &emptied, err));
    removed.log_in_use = !emptied;
    *out = removed;
    return SL_OK;
}

/* Old pages stay in the log until it is emptied, which a reader can prevent. */
enum sl_status sl_sqlite_empty_log(struct sl_store *base, bool *emptied, struct sl_error *err)
{
    struct sl_sqlite *store = sl_sqlite_of(base);
    int result = sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    *emptied = result == SQLITE_OK;
    if (result == SQLITE_OK || (result & 0xff) == SQLITE_BUSY) return SL_OK;
    return sl_sqlite_fail(store, result, err);
}
