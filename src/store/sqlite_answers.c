/* Answers, events and the walks for status and export. */
#include "store/sqlite.h"

#include <inttypes.h>
#include <string.h>

/* Whether the row of SL_SQL_ANSWER_OF_CLIENT is this same answer. */
static bool is_same(sqlite3_stmt *row, const struct sl_store_answer *answer)
{
    return sqlite3_column_int64(row, 0) == answer->session &&
           sqlite3_column_int64(row, 1) == (int64_t)answer->trial &&
           (sqlite3_column_int(row, 2) != 0) == answer->practice &&
           strcmp((const char *)sqlite3_column_text(row, 3), answer->item) == 0 &&
           strcmp((const char *)sqlite3_column_text(row, 4), answer->body) == 0;
}

static enum sl_status find_before(struct sl_sqlite *store, const struct sl_store_answer *answer,
                                  enum sl_put_outcome *outcome, int64_t *revision,
                                  struct sl_error *err)
{
    sqlite3_stmt *statement = NULL;
    SL_TRY(sl_sqlite_start(store, SL_SQL_ANSWER_OF_CLIENT,
                           SL_VALUES(sl_sqlite_blob(answer->client_id, SL_STORE_CLIENT_BYTES)),
                           &statement, err));
    bool row = false;
    enum sl_status status = sl_sqlite_step(store, statement, &row, err);
    if (status == SL_OK && row) {
        *outcome = is_same(statement, answer) ? SL_PUT_REPLAYED : SL_PUT_CONFLICT;
        *revision = sqlite3_column_int64(statement, 5);
    } else if (status == SL_OK) {
        *outcome = SL_PUT_STORED;
    }
    sl_sqlite_finish(statement);
    return status;
}

static enum sl_status check_session(struct sl_sqlite *store, int64_t session, struct sl_error *err)
{
    int64_t one = 0;
    bool found = false;
    SL_TRY(sl_sqlite_number(store, SL_SQL_SESSION_EXISTS, SL_VALUES(sl_sqlite_integer(session)),
                            &one, &found, err));
    return found ? SL_OK : sl_fail(err, SL_ERR_NOT_FOUND, "there is no session %" PRId64, session);
}

static enum sl_status add_answer(struct sl_sqlite *store, const struct sl_store_answer *answer,
                                 int64_t *revision, struct sl_error *err)
{
    int64_t item = 0;
    bool found = false;
    SL_TRY(check_session(store, answer->session, err));
    SL_TRY(sl_sqlite_number(store, SL_SQL_FIND_ITEM, SL_VALUES(sl_sqlite_text(answer->item)), &item,
                            &found, err));
    if (!found) return sl_fail(err, SL_ERR_NOT_FOUND, "there is no item \"%s\"", answer->item);
    SL_TRY(sl_sqlite_number(store, SL_SQL_NEXT_REVISION,
                            SL_VALUES(sl_sqlite_integer(answer->session),
                                      sl_sqlite_size(answer->trial),
                                      sl_sqlite_integer(answer->practice)),
                            revision, &found, err));
    return sl_sqlite_run(
        store, SL_SQL_ADD_ANSWER,
        SL_VALUES(sl_sqlite_blob(answer->client_id, SL_STORE_CLIENT_BYTES),
                  sl_sqlite_integer(answer->session), sl_sqlite_size(answer->trial),
                  sl_sqlite_integer(answer->practice), sl_sqlite_integer(*revision),
                  sl_sqlite_integer(item), sl_sqlite_text(answer->body),
                  sl_sqlite_integer(answer->received), sl_sqlite_integer(answer->elapsed),
                  sl_sqlite_integer(answer->repeat)),
        err);
}

enum sl_status sl_sqlite_peek_answer(struct sl_store *base, const struct sl_store_answer *answer,
                                     enum sl_put_outcome *outcome, struct sl_error *err)
{
    int64_t revision = 0;
    return find_before(sl_sqlite_of(base), answer, outcome, &revision, err);
}

enum sl_status sl_sqlite_put_answer(struct sl_store *base, struct sl_store_answer *answer,
                                    enum sl_put_outcome *outcome, struct sl_error *err)
{
    enum sl_put_outcome found = SL_PUT_STORED;
    int64_t revision = 0;
    SL_TRY(find_before(sl_sqlite_of(base), answer, &found, &revision, err));
    if (found == SL_PUT_STORED) SL_TRY(add_answer(sl_sqlite_of(base), answer, &revision, err));
    if (found != SL_PUT_CONFLICT) answer->revision = (size_t)revision;
    *outcome = found;
    return SL_OK;
}

enum sl_status sl_sqlite_event_bytes(struct sl_store *base, int64_t session, const char *kind,
                                     size_t *bytes, struct sl_error *err)
{
    int64_t number = 0;
    bool found = false;
    SL_TRY(sl_sqlite_number(sl_sqlite_of(base), SL_SQL_EVENT_BYTES,
                            SL_VALUES(sl_sqlite_integer(session), sl_sqlite_text(kind)), &number,
                            &found, err));
    *bytes = (size_t)number;
    return SL_OK;
}

enum sl_status sl_sqlite_put_event(struct sl_store *base, int64_t session, int64_t now,
                                   const char *kind, const char *body, struct sl_error *err)
{
    if (session != 0) SL_TRY(check_session(sl_sqlite_of(base), session, err));
    return sl_sqlite_run(sl_sqlite_of(base), SL_SQL_ADD_EVENT,
                         SL_VALUES(sl_sqlite_integer(session), sl_sqlite_integer(now),
                                   sl_sqlite_text(kind), sl_sqlite_text(body)),
                         err);
}

/* Fills the row of a walk and, if there is one, the answer. */
typedef void (*fill_row)(sqlite3_stmt *rows, struct sl_store_row *row,
                         struct sl_store_answer *answer);

static void fill_session(sqlite3_stmt *rows, struct sl_store_row *row,
                         struct sl_store_answer *answer)
{
    (void)answer;
    row->parameters = (const char *)sqlite3_column_text(rows, SL_SQLITE_SESSION_COLUMNS - 1);
}

static void fill_answer(sqlite3_stmt *rows, struct sl_store_row *row,
                        struct sl_store_answer *answer)
{
    enum { FIRST = SL_SQLITE_SESSION_COLUMNS };
    const void *client_id = sqlite3_column_blob(rows, FIRST);
    *answer = (struct sl_store_answer){
        .session = row->session->id,
        .trial = (size_t)sqlite3_column_int64(rows, FIRST + 1),
        .revision = (size_t)sqlite3_column_int64(rows, FIRST + 2),
        .item = (const char *)sqlite3_column_text(rows, FIRST + 3),
        .body = (const char *)sqlite3_column_text(rows, FIRST + 4),
        .received = sqlite3_column_int64(rows, FIRST + 5),
        .elapsed = sqlite3_column_int64(rows, FIRST + 6),
        .repeat = sqlite3_column_int(rows, FIRST + 7) != 0,
        .practice = sqlite3_column_int(rows, FIRST + 8) != 0,
    };
    if (client_id && sqlite3_column_bytes(rows, FIRST) == SL_STORE_CLIENT_BYTES)
        memcpy(answer->client_id, client_id, SL_STORE_CLIENT_BYTES);
    row->answer = answer;
}

static void fill_event(sqlite3_stmt *rows, struct sl_store_row *row, struct sl_store_answer *answer)
{
    (void)answer;
    row->at = sqlite3_column_int64(rows, SL_SQLITE_SESSION_COLUMNS);
    row->kind = (const char *)sqlite3_column_text(rows, SL_SQLITE_SESSION_COLUMNS + 1);
    row->body = (const char *)sqlite3_column_text(rows, SL_SQLITE_SESSION_COLUMNS + 2);
}

struct walk {
    enum sl_sqlite_statement statement;
    fill_row fill;
    const struct sl_sqlite_value *values; /* borrowed */
    size_t n_values;
};

static enum sl_status each(struct sl_sqlite *store, const struct walk *walk, sl_store_visit visit,
                           void *context, struct sl_error *err)
{
    sqlite3_stmt *rows = NULL;
    SL_TRY(sl_sqlite_start(store, walk->statement, walk->values, walk->n_values, &rows, err));
    struct sl_store_session session = {.id = -1};
    enum sl_status status = SL_OK;
    for (;;) {
        bool found = false;
        SL_TRY_OUT(sl_sqlite_step(store, rows, &found, err));
        if (!found) break;
        const bool whole_study = sqlite3_column_type(rows, 0) == SQLITE_NULL;
        if (!whole_study && session.id != sqlite3_column_int64(rows, 0))
            sl_sqlite_read_session(rows, &session);
        struct sl_store_answer answer;
        struct sl_store_row row = {.session = whole_study ? NULL : &session};
        walk->fill(rows, &row, &answer);
        SL_TRY_OUT(visit(&row, context));
    }
out:
    sl_sqlite_finish(rows);
    return status;
}

enum sl_status sl_sqlite_each_session(struct sl_store *base, sl_store_visit visit, void *context,
                                      struct sl_error *err)
{
    return each(sl_sqlite_of(base), &(struct walk){SL_SQL_EACH_SESSION, fill_session, NULL, 0},
                visit, context, err);
}

enum sl_status sl_sqlite_each_answer(struct sl_store *base, sl_store_visit visit, void *context,
                                     struct sl_error *err)
{
    return each(sl_sqlite_of(base), &(struct walk){SL_SQL_EACH_ANSWER, fill_answer, NULL, 0}, visit,
                context, err);
}

enum sl_status sl_sqlite_each_event(struct sl_store *base, sl_store_visit visit, void *context,
                                    struct sl_error *err)
{
    return each(sl_sqlite_of(base), &(struct walk){SL_SQL_EACH_EVENT, fill_event, NULL, 0}, visit,
                context, err);
}

enum sl_status sl_sqlite_each_event_of(struct sl_store *base, int64_t session, sl_store_visit visit,
                                       void *context, struct sl_error *err)
{
    const struct walk walk = {SL_SQL_EACH_EVENT_OF, fill_event,
                              SL_VALUES(sl_sqlite_integer(session))};
    return each(sl_sqlite_of(base), &walk, visit, context, err);
}
