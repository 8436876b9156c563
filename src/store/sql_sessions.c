/* Sessions, leases and removing a person. */
#include "store/sql.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"

static enum sl_status no_session(struct sl_error *err)
{
    return sl_fail(err, SL_ERR_NOT_FOUND, "there is no such session");
}

static enum sl_status fail_busy(struct sl_error *err)
{
    return sl_fail(err, SL_ERR_BUSY,
                   "another server is storing something of the same session: try again");
}

/* The single session that a statement returns. */
static enum sl_status read_one(struct sl_sql *store, enum sl_sql_statement which,
                               const struct sl_sql_value *values, size_t n_values,
                               struct sl_store_session *out, struct sl_error *err)
{
    struct sl_sql_rows statement;
    SL_TRY(sl_sql_start(store, which, values, n_values, &statement, err));
    bool row = false;
    enum sl_status status = sl_sql_step(&statement, &row, err);
    if (status == SL_OK && row)
        sl_sql_read_session(&statement, out);
    else if (status == SL_OK)
        status = no_session(err);
    sl_sql_finish(&statement);
    return status;
}

static void expect(struct sl_sql *store, const struct sl_sql_rows *rows)
{
    if (store->n_expected == store->expected_capacity) {
        store->expected_capacity = store->expected_capacity * 2 + 16;
        store->expected =
            sl_resize(store->expected, store->expected_capacity, sizeof *store->expected);
    }
    sl_sql_read_session(rows, &store->expected[store->n_expected++]);
}

enum sl_status sl_sql_expect_sessions(struct sl_store *base, const uint8_t *token_hashes,
                                      size_t count, struct sl_error *err)
{
    struct sl_sql *store = sl_sql_of(base);
    struct sl_sql_rows rows;
    bool row = true;
    enum sl_status status = SL_OK;
    SL_TRY(sl_sql_start(store, SL_SQL_LOCK_SESSIONS_OF_TOKENS,
                        SL_VALUES(sl_value_blob(token_hashes, count * SL_STORE_TOKEN_BYTES)), &rows,
                        err));
    while (status == SL_OK && row) {
        status = sl_sql_step(&rows, &row, err);
        if (status == SL_OK && row) expect(store, &rows);
    }
    sl_sql_finish(&rows);
    return status;
}

static void drop_expected(struct sl_sql *store, size_t i)
{
    store->expected[i] = store->expected[--store->n_expected];
}

/* An expected session is handed out once: this transaction may change it before it is asked for
 * again. */
static bool take_expected(struct sl_sql *store, const uint8_t *token_hash,
                          struct sl_store_session *out)
{
    size_t i = 0;
    while (i < store->n_expected &&
           memcmp(store->expected[i].token_hash, token_hash, SL_STORE_TOKEN_BYTES) != 0)
        i++;
    if (i == store->n_expected) return false;
    *out = store->expected[i];
    drop_expected(store, i);
    store->locked = out->id;
    return true;
}

/* A session that is changed is no longer what was read. */
static void forget_expected(struct sl_sql *store, int64_t session)
{
    for (size_t i = store->n_expected; i-- > 0;)
        if (store->expected[i].id == session) drop_expected(store, i);
}

enum sl_status sl_sql_find_session(struct sl_store *base, const uint8_t *token_hash,
                                   struct sl_store_session *out, struct sl_error *err)
{
    struct sl_sql *store = sl_sql_of(base);
    if (base->in_transaction && take_expected(store, token_hash, out)) return SL_OK;
    const struct sl_sql_value token = sl_value_blob(token_hash, SL_STORE_TOKEN_BYTES);
    /* A session that is read in a transaction will be changed in it. */
    const bool lock = store->driver->several_writers && base->in_transaction;
    if (!lock) return read_one(store, SL_SQL_SESSION_OF_TOKEN, &token, 1, out, err);
    struct sl_store_session seen;
    enum sl_status status = read_one(store, SL_SQL_LOCK_SESSION_OF_TOKEN, &token, 1, out, err);
    if (status == SL_OK) store->locked = out->id;
    if (status != SL_ERR_NOT_FOUND) return status;
    SL_TRY(read_one(store, SL_SQL_SESSION_OF_TOKEN, &token, 1, &seen, err));
    return fail_busy(err);
}

enum sl_status sl_sql_fail_no_session(int64_t session, struct sl_error *err)
{
    return sl_fail(err, SL_ERR_NOT_FOUND, "there is no session %" PRId64, session);
}

/* SL_ERR_NOT_FOUND if there is no such session. */
static enum sl_status check_session(struct sl_sql *store, int64_t session, struct sl_error *err)
{
    int64_t one = 0;
    bool found = false;
    SL_TRY(sl_sql_number(store, SL_SQL_SESSION_EXISTS, SL_VALUES(sl_value_integer(session)), &one,
                         &found, err));
    return found ? SL_OK : sl_sql_fail_no_session(session, err);
}

enum sl_status sl_sql_lock_session(struct sl_sql *store, int64_t session, struct sl_error *err)
{
    int64_t one = 0;
    bool locked = false;
    if (!store->driver->several_writers) return check_session(store, session, err);
    SL_TRY(sl_sql_number(store, SL_SQL_LOCK_SESSION, SL_VALUES(sl_value_integer(session)), &one,
                         &locked, err));
    if (locked) return SL_OK;
    SL_TRY(check_session(store, session, err));
    return fail_busy(err);
}

/* One of the least filled batches with room, chosen by `tie`. Test sessions need no room; they are
 * counted among themselves, so that a rehearsal spreads over the batches as the study will. */
static enum sl_status choose_batch(struct sl_sql *store, const struct sl_store_arrival *arrival,
                                   size_t *batch, struct sl_error *err)
{
    struct sl_sql_rows rows;
    SL_TRY(sl_sql_start(store, SL_SQL_EACH_BATCH, SL_VALUES(sl_value_integer(arrival->test)), &rows,
                        err));
    size_t n_least = 0, capacity = 16;
    int64_t least = INT64_MAX;
    size_t *candidates = sl_alloc(capacity, sizeof *candidates);
    enum sl_status status = SL_OK;
    for (;;) {
        bool row = false;
        SL_TRY_OUT(sl_sql_step(&rows, &row, err));
        if (!row) break;
        int64_t filled = sl_sql_integer(&rows, 2) + sl_sql_integer(&rows, 3);
        if (!arrival->test && filled >= sl_sql_integer(&rows, 1)) continue;
        if (filled > least) continue;
        if (filled < least) n_least = 0;
        least = filled;
        if (n_least == capacity)
            candidates = sl_resize(candidates, capacity *= 2, sizeof *candidates);
        candidates[n_least++] = (size_t)sl_sql_integer(&rows, 0);
    }
    if (n_least == 0)
        status = sl_fail(err, SL_ERR_NOT_FOUND, "every batch has all the annotators that it wants");
    else
        *batch = candidates[arrival->tie % n_least];
out:
    sl_sql_finish(&rows);
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
static enum sl_status renew(struct sl_sql *store, const struct sl_store_arrival *arrival,
                            const struct sl_store_session *session, struct sl_error *err)
{
    int64_t until = session->state == SL_SESSION_ACTIVE
                        ? later(session->lease_until, lease_end(arrival))
                        : session->lease_until;
    return sl_sql_run(store, SL_SQL_RENEW_SESSION,
                      SL_VALUES(sl_value_integer(session->id),
                                sl_value_blob(arrival->token_hash, SL_STORE_TOKEN_BYTES),
                                sl_value_integer(later(session->seen, arrival->now)),
                                sl_value_integer(until)),
                      err);
}

static enum sl_status check_network(struct sl_sql *store, const struct sl_store_arrival *arrival,
                                    struct sl_error *err)
{
    int64_t taken = 0;
    bool counted = false;
    if (!arrival->network || arrival->test) return SL_OK;
    SL_TRY(sl_sql_number(store, SL_SQL_NETWORK_PLACES, SL_VALUES(sl_value_text(arrival->network)),
                         &taken, &counted, err));
    if (taken < 0 || (uint64_t)taken < arrival->per_network) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE, "this network has %zu place%s, and no place is left",
                   arrival->per_network, sl_text_plural(arrival->per_network, "", "s"));
}

/* ---- A batch of the session's own ---- */

static enum sl_status read_seen(struct sl_sql *store, const struct sl_store_arrival *arrival,
                                char ***items, size_t *count, struct sl_error *err)
{
    struct sl_sql_rows rows;
    SL_TRY(sl_sql_start(store, SL_SQL_SEEN_ITEMS,
                        SL_VALUES(sl_value_blob(arrival->person, SL_STORE_PERSON_BYTES),
                                  sl_value_integer(arrival->test)),
                        &rows, err));
    enum sl_status status = sl_sql_read_names(&rows, 1, items, count, err);
    sl_sql_finish(&rows);
    return status;
}

static enum sl_status add_own_batch(struct sl_sql *store, const struct sl_store_choice *choice,
                                    size_t *batch, struct sl_error *err)
{
    if (choice->n_items == 0)
        return sl_fail(err, SL_ERR_NOT_FOUND, "there is nothing to ask this person");
    SL_TRY(sl_sql_count_batches(&store->base, batch, err));
    return sl_sql_add_batch(&store->base, *batch, 0, choice->items, choice->n_items, err);
}

static enum sl_status choose_items(struct sl_sql *store, const struct sl_store_arrival *arrival,
                                   struct sl_store_choice *choice, size_t *batch,
                                   struct sl_error *err)
{
    char **seen = NULL;
    size_t n_seen = 0;
    SL_TRY(read_seen(store, arrival, &seen, &n_seen, err));
    enum sl_status status = arrival->chooser->choose(
        arrival->chooser->context, (const char *const *)seen, n_seen, choice, err);
    sl_strings_destroy(seen, n_seen);
    if (status == SL_OK) status = add_own_batch(store, choice, batch, err);
    return status;
}

/* What the chooser wants to be kept about its choice. */
static enum sl_status log_choice(struct sl_sql *store, const struct sl_store_arrival *arrival,
                                 const struct sl_store_choice *choice, struct sl_error *err)
{
    struct sl_store_session session;
    if (choice->study_kind)
        SL_TRY(sl_sql_put_event(&store->base, 0, arrival->now, choice->study_kind,
                                choice->study_body, err));
    if (!choice->kind) return SL_OK;
    SL_TRY(sl_sql_find_session(&store->base, arrival->token_hash, &session, err));
    return sl_sql_put_event(&store->base, session.id, arrival->now, choice->kind, choice->body,
                            err);
}

static enum sl_status add_session(struct sl_sql *store, const struct sl_store_arrival *arrival,
                                  struct sl_error *err)
{
    struct sl_store_choice choice = {0};
    size_t batch = 0;
    int64_t one = 0;
    bool finished_before = false;
    SL_TRY(check_network(store, arrival, err));
    if (arrival->chooser)
        SL_TRY(choose_items(store, arrival, &choice, &batch, err));
    else
        SL_TRY(choose_batch(store, arrival, &batch, err));
    SL_TRY(sl_sql_number(store, SL_SQL_FINISHED_BEFORE,
                         SL_VALUES(sl_value_blob(arrival->person, SL_STORE_PERSON_BYTES)), &one,
                         &finished_before, err));
    SL_TRY(
        sl_sql_run(store, SL_SQL_ADD_SESSION,
                   SL_VALUES(sl_value_blob(arrival->token_hash, SL_STORE_TOKEN_BYTES),
                             sl_value_blob(arrival->person, SL_STORE_PERSON_BYTES),
                             sl_value_text(arrival->screen), sl_value_size(batch),
                             sl_value_integer((int64_t)arrival->seed), sl_value_text("consent"),
                             sl_value_integer(arrival->now), sl_value_integer(lease_end(arrival)),
                             sl_value_integer(arrival->test), sl_value_integer(finished_before),
                             sl_value_text(arrival->parameters)),
                   err));
    return log_choice(store, arrival, &choice, err);
}

static enum sl_status place(struct sl_sql *store, const struct sl_store_arrival *arrival,
                            struct sl_store_session *out, bool *returning, struct sl_error *err)
{
    SL_TRY(sl_sql_run(store, SL_SQL_EXPIRE, SL_VALUES(sl_value_integer(arrival->now)), err));
    enum sl_status status =
        read_one(store, SL_SQL_LIVE_SESSION,
                 SL_VALUES(sl_value_blob(arrival->person, SL_STORE_PERSON_BYTES),
                           sl_value_integer(arrival->test), sl_value_integer(arrival->once)),
                 out, err);
    *returning = status == SL_OK;
    if (status == SL_ERR_NOT_FOUND)
        status = add_session(store, arrival, err);
    else if (status == SL_OK)
        status = renew(store, arrival, out, err);
    if (status == SL_OK) status = sl_sql_find_session(&store->base, arrival->token_hash, out, err);
    return status;
}

enum sl_status sl_sql_arrive(struct sl_store *base, const struct sl_store_arrival *arrival,
                             struct sl_store_session *out, bool *returning, struct sl_error *err)
{
    struct sl_store_session session;
    bool came_back = false;
    SL_TRY(base->backend->begin(base, true, err));
    enum sl_status status = place(sl_sql_of(base), arrival, &session, &came_back, err);
    if (status != SL_OK) {
        base->backend->rollback(base);
        return status;
    }
    SL_TRY(base->backend->commit(base, err));
    *out = session;
    *returning = came_back;
    return SL_OK;
}

enum sl_status sl_sql_save_session(struct sl_store *base, const struct sl_store_session *session,
                                   struct sl_error *err)
{
    struct sl_sql *store = sl_sql_of(base);
    const struct sl_sql_value values[] = {
        sl_value_integer(session->id),          sl_value_integer((int64_t)session->state),
        sl_value_text(session->place),          sl_value_size(session->trial),
        sl_value_integer(session->seen),        sl_value_integer(session->finished),
        sl_value_integer(session->lease_until), sl_value_size(session->attempts),
        sl_value_text(session->consent)};
    const size_t n_values = sizeof values / sizeof *values;
    forget_expected(store, session->id);
    /* A session that is locked is there. */
    if (store->driver->send && session->id == store->locked)
        return store->driver->send(store, SL_SQL_SAVE_SESSION, values, n_values, err);
    SL_TRY(sl_sql_run(store, SL_SQL_SAVE_SESSION, values, n_values, err));
    return sl_sql_changes(store) > 0 ? SL_OK : no_session(err);
}

enum sl_status sl_sql_expire(struct sl_store *base, int64_t now, size_t *freed,
                             struct sl_error *err)
{
    struct sl_sql *store = sl_sql_of(base);
    store->n_expected = 0; /* any of them may be among those that run out */
    SL_TRY(sl_sql_run(store, SL_SQL_EXPIRE, SL_VALUES(sl_value_integer(now)), err));
    if (freed) *freed = sl_sql_changes(store);
    return SL_OK;
}

static enum sl_status remove_rows(struct sl_sql *store, const uint8_t *person, int64_t until,
                                  int64_t now, struct sl_store_purged *out, struct sl_error *err)
{
    const struct {
        enum sl_sql_statement statement;
        size_t *count;
    } steps[] = {{SL_SQL_PURGE_ANSWERS, &out->answers},
                 {SL_SQL_PURGE_EVENTS, &out->events},
                 {SL_SQL_PURGE_SESSIONS, &out->sessions}};
    const struct sl_sql_value whom[] = {sl_value_blob(person, SL_STORE_PERSON_BYTES),
                                        sl_value_integer(until)};
    if (store->driver->several_writers)
        SL_TRY(sl_sql_run(store, SL_SQL_LOCK_PERSON, whom, 2, err));
    else
        SL_TRY(sl_sql_keep_numbers(store, err));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        SL_TRY(sl_sql_run(store, steps[i].statement, whom, 2, err));
        *steps[i].count = sl_sql_changes(store);
    }
    if (out->sessions == 0) return SL_OK;
    char body[48];
    snprintf(body, sizeof body, "{\"sessions\":%zu}", out->sessions);
    return sl_sql_put_event(&store->base, 0, now, "purge", body, err);
}

enum sl_status sl_sql_purge(struct sl_store *base, const uint8_t *person, int64_t until,
                            int64_t now, struct sl_store_purged *out, struct sl_error *err)
{
    struct sl_store_purged removed = {0};
    bool emptied = false;
    SL_TRY(base->backend->begin(base, true, err));
    enum sl_status status = remove_rows(sl_sql_of(base), person, until, now, &removed, err);
    if (status != SL_OK) {
        base->backend->rollback(base);
        return status;
    }
    SL_TRY(base->backend->commit(base, err));
    SL_TRY(base->backend->empty_log(base, &emptied, err));
    removed.log_in_use = !emptied;
    *out = removed;
    return SL_OK;
}
