/* Answers, events and the walks for status and export. */
#include "store/sql.h"

#include <string.h>

/* Whether the row of SL_SQL_ANSWER_OF_CLIENT is this same answer. */
static bool is_same(const struct sl_sql_rows *row, const struct sl_store_answer *answer)
{
    return sl_sql_integer(row, 0) == answer->session &&
           sl_sql_integer(row, 1) == (int64_t)answer->trial &&
           (sl_sql_integer(row, 2) != 0) == answer->practice &&
           strcmp(sl_sql_text(row, 3), answer->item) == 0 &&
           strcmp(sl_sql_text(row, 4), answer->body) == 0;
}

static enum sl_status find_before(struct sl_sql *store, const struct sl_store_answer *answer,
                                  enum sl_put_outcome *outcome, int64_t *revision,
                                  struct sl_error *err)
{
    struct sl_sql_rows statement;
    SL_TRY(sl_sql_start(store, SL_SQL_ANSWER_OF_CLIENT,
                        SL_VALUES(sl_value_blob(answer->client_id, SL_STORE_CLIENT_BYTES)),
                        &statement, err));
    bool row = false;
    enum sl_status status = sl_sql_step(&statement, &row, err);
    if (status == SL_OK && row) {
        *outcome = is_same(&statement, answer) ? SL_PUT_REPLAYED : SL_PUT_CONFLICT;
        *revision = sl_sql_integer(&statement, 5);
    } else if (status == SL_OK) {
        *outcome = SL_PUT_STORED;
    }
    sl_sql_finish(&statement);
    return status;
}

static enum sl_status add_answer(struct sl_sql *store, const struct sl_store_answer *answer,
                                 int64_t *revision, bool *added, struct sl_error *err)
{
    return sl_sql_number(store, SL_SQL_ADD_ANSWER,
                         SL_VALUES(sl_value_blob(answer->client_id, SL_STORE_CLIENT_BYTES),
                                   sl_value_integer(answer->session), sl_value_size(answer->trial),
                                   sl_value_integer(answer->practice), sl_value_text(answer->item),
                                   sl_value_text(answer->body), sl_value_integer(answer->received),
                                   sl_value_integer(answer->elapsed),
                                   sl_value_integer(answer->repeat)),
                         revision, added, err);
}

/* Why no answer was added: the session or the item does not exist, or another server has the
 * session. SL_OK: neither, and the session is ours now. */
static enum sl_status explain(struct sl_sql *store, const struct sl_store_answer *answer,
                              struct sl_error *err)
{
    int64_t item = 0;
    bool found = false;
    SL_TRY(sl_sql_lock_session(store, answer->session, err));
    SL_TRY(sl_sql_number(store, SL_SQL_FIND_ITEM, SL_VALUES(sl_value_text(answer->item)), &item,
                         &found, err));
    if (!found) return sl_fail(err, SL_ERR_NOT_FOUND, "there is no item \"%s\"", answer->item);
    return SL_OK;
}

enum sl_status sl_sql_peek_answer(struct sl_store *base, const struct sl_store_answer *answer,
                                  enum sl_put_outcome *outcome, struct sl_error *err)
{
    int64_t revision = 0;
    return find_before(sl_sql_of(base), answer, outcome, &revision, err);
}

/* The statement comes first and the questions only if it added nothing. It locks the session when
 * several servers write, but sees what was committed before it began: if another server answered in
 * between, its revision is taken, and the second attempt sees the other's. */
enum sl_status sl_sql_put_answer(struct sl_store *base, struct sl_store_answer *answer,
                                 enum sl_put_outcome *outcome, struct sl_error *err)
{
    enum sl_put_outcome found = SL_PUT_STORED;
    int64_t revision = 0;
    bool added = false;
    struct sl_sql *store = sl_sql_of(base);
    SL_TRY(add_answer(store, answer, &revision, &added, err));
    if (!added) SL_TRY(find_before(store, answer, &found, &revision, err));
    if (!added && found == SL_PUT_STORED) {
        SL_TRY(explain(store, answer, err));
        SL_TRY(add_answer(store, answer, &revision, &added, err));
        if (!added) SL_TRY(find_before(store, answer, &found, &revision, err));
        if (!added && found == SL_PUT_STORED)
            return sl_fail(err, SL_ERR_BUSY, "another server has changed the session: try again");
    }
    if (found != SL_PUT_CONFLICT) answer->revision = (size_t)revision;
    *outcome = found;
    return SL_OK;
}

enum sl_status sl_sql_event_bytes(struct sl_store *base, int64_t session, const char *kind,
                                  size_t *bytes, struct sl_error *err)
{
    int64_t number = 0;
    bool found = false;
    SL_TRY(sl_sql_number(sl_sql_of(base), SL_SQL_EVENT_BYTES,
                         SL_VALUES(sl_value_integer(session), sl_value_text(kind)), &number, &found,
                         err));
    *bytes = (size_t)number;
    return SL_OK;
}

enum sl_status sl_sql_put_event(struct sl_store *base, int64_t session, int64_t now,
                                const char *kind, const char *body, struct sl_error *err)
{
    struct sl_sql *store = sl_sql_of(base);
    SL_TRY(sl_sql_run(store, SL_SQL_ADD_EVENT,
                      SL_VALUES(sl_value_integer(session), sl_value_integer(now),
                                sl_value_text(kind), sl_value_text(body)),
                      err));
    return sl_sql_changes(store) > 0 ? SL_OK : sl_sql_fail_no_session(session, err);
}

/* Fills the row of a walk and, if there is one, the answer. */
typedef void (*fill_row)(const struct sl_sql_rows *rows, struct sl_store_row *row,
                         struct sl_store_answer *answer);

static void fill_session(const struct sl_sql_rows *rows, struct sl_store_row *row,
                         struct sl_store_answer *answer)
{
    (void)answer;
    row->parameters = sl_sql_text(rows, SL_SQL_SESSION_COLUMNS - 1);
}

static void fill_answer(const struct sl_sql_rows *rows, struct sl_store_row *row,
                        struct sl_store_answer *answer)
{
    enum { FIRST = SL_SQL_SESSION_COLUMNS };
    *answer = (struct sl_store_answer){
        .id = sl_sql_integer(rows, FIRST + 9),
        .session = row->session->id,
        .trial = (size_t)sl_sql_integer(rows, FIRST + 1),
        .revision = (size_t)sl_sql_integer(rows, FIRST + 2),
        .item = sl_sql_text(rows, FIRST + 3),
        .body = sl_sql_text(rows, FIRST + 4),
        .received = sl_sql_integer(rows, FIRST + 5),
        .elapsed = sl_sql_integer(rows, FIRST + 6),
        .repeat = sl_sql_integer(rows, FIRST + 7) != 0,
        .practice = sl_sql_integer(rows, FIRST + 8) != 0,
    };
    sl_sql_blob(rows, FIRST, answer->client_id, SL_STORE_CLIENT_BYTES);
    row->answer = answer;
}

static void fill_event(const struct sl_sql_rows *rows, struct sl_store_row *row,
                       struct sl_store_answer *answer)
{
    (void)answer;
    row->at = sl_sql_integer(rows, SL_SQL_SESSION_COLUMNS);
    row->kind = sl_sql_text(rows, SL_SQL_SESSION_COLUMNS + 1);
    row->body = sl_sql_text(rows, SL_SQL_SESSION_COLUMNS + 2);
}

struct walk {
    enum sl_sql_statement statement;
    fill_row fill;
    const struct sl_sql_value *values; /* borrowed */
    size_t n_values;
};

static enum sl_status each(struct sl_sql *store, const struct walk *walk, sl_store_visit visit,
                           void *context, struct sl_error *err)
{
    struct sl_sql_rows rows;
    SL_TRY(sl_sql_start(store, walk->statement, walk->values, walk->n_values, &rows, err));
    struct sl_store_session session = {.id = -1};
    enum sl_status status = SL_OK;
    for (;;) {
        bool found = false;
        SL_TRY_OUT(sl_sql_step(&rows, &found, err));
        if (!found) break;
        const bool whole_study = sl_sql_is_null(&rows, 0);
        if (!whole_study && session.id != sl_sql_integer(&rows, 0))
            sl_sql_read_session(&rows, &session);
        struct sl_store_answer answer;
        struct sl_store_row row = {.session = whole_study ? NULL : &session};
        walk->fill(&rows, &row, &answer);
        SL_TRY_OUT(visit(&row, context));
    }
out:
    sl_sql_finish(&rows);
    return status;
}

enum sl_status sl_sql_each_session(struct sl_store *base, sl_store_visit visit, void *context,
                                   struct sl_error *err)
{
    return each(sl_sql_of(base), &(struct walk){SL_SQL_EACH_SESSION, fill_session, NULL, 0}, visit,
                context, err);
}

enum sl_status sl_sql_each_answer(struct sl_store *base, sl_store_visit visit, void *context,
                                  struct sl_error *err)
{
    return each(sl_sql_of(base), &(struct walk){SL_SQL_EACH_ANSWER, fill_answer, NULL, 0}, visit,
                context, err);
}

enum sl_status sl_sql_each_answer_after(struct sl_store *base, int64_t after, sl_store_visit visit,
                                        void *context, struct sl_error *err)
{
    const struct walk walk = {SL_SQL_EACH_ANSWER_AFTER, fill_answer,
                              SL_VALUES(sl_value_integer(after))};
    return each(sl_sql_of(base), &walk, visit, context, err);
}

static enum sl_status count_by(struct sl_store *base, enum sl_sql_statement which, size_t *out,
                               struct sl_error *err)
{
    int64_t count = 0;
    bool found = false;
    SL_TRY(sl_sql_number(sl_sql_of(base), which, NULL, 0, &count, &found, err));
    *out = (size_t)count;
    return SL_OK;
}

enum sl_status sl_sql_count_batches(struct sl_store *base, size_t *out, struct sl_error *err)
{
    return count_by(base, SL_SQL_NEXT_BATCH, out, err);
}

enum sl_status sl_sql_count_answers(struct sl_store *base, size_t *out, struct sl_error *err)
{
    return count_by(base, SL_SQL_COUNT_ANSWERS, out, err);
}

enum sl_status sl_sql_each_event(struct sl_store *base, sl_store_visit visit, void *context,
                                 struct sl_error *err)
{
    return each(sl_sql_of(base), &(struct walk){SL_SQL_EACH_EVENT, fill_event, NULL, 0}, visit,
                context, err);
}

enum sl_status sl_sql_each_event_of(struct sl_store *base, int64_t session, sl_store_visit visit,
                                    void *context, struct sl_error *err)
{
    const struct walk walk = {SL_SQL_EACH_EVENT_OF, fill_event,
                              SL_VALUES(sl_value_integer(session))};
    return each(sl_sql_of(base), &walk, visit, context, err);
}
