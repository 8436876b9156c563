/* A store over SQL: the rules and statements that SQLite and PostgreSQL share. A driver runs the
 * statements. Statements and rows are those of one connection; a statement is prepared at its first
 * use and kept. Private to store/. */
#ifndef SOFTLAB_STORE_SQL_H
#define SOFTLAB_STORE_SQL_H

#include "store/backend.h"

/* Rows of the table in sql_statements.c. */
enum sl_sql_statement {
    SL_SQL_PUT_TEXT,
    SL_SQL_GET_TEXT,
    SL_SQL_ADD_ITEM,
    SL_SQL_SET_ITEM_HASH,
    SL_SQL_ANSWERED_SCREEN,
    SL_SQL_ANSWERED_ITEM,
    SL_SQL_VERSION,
    SL_SQL_FIND_ITEM,
    SL_SQL_EACH_ITEM,
    SL_SQL_ADD_BATCH,
    SL_SQL_FIND_BATCH,
    SL_SQL_NEXT_BATCH,
    SL_SQL_SET_TARGET,
    SL_SQL_ADD_BATCH_ITEM,
    SL_SQL_BATCH_ITEMS,
    SL_SQL_EACH_BATCH,
    SL_SQL_EXPIRE,
    SL_SQL_LIVE_SESSION,
    SL_SQL_NETWORK_PLACES,
    SL_SQL_RENEW_SESSION,
    SL_SQL_FINISHED_BEFORE,
    SL_SQL_SEEN_ITEMS,
    SL_SQL_ADD_SESSION,
    SL_SQL_SESSION_OF_TOKEN,
    SL_SQL_LOCK_SESSION_OF_TOKEN,
    SL_SQL_LOCK_SESSIONS_OF_TOKENS,
    SL_SQL_SESSION_EXISTS,
    SL_SQL_LOCK_SESSION,
    SL_SQL_SAVE_SESSION,
    SL_SQL_EACH_SESSION,
    SL_SQL_ANSWER_OF_CLIENT,
    SL_SQL_ADD_ANSWER,
    SL_SQL_EACH_ANSWER,
    SL_SQL_EACH_ANSWER_AFTER,
    SL_SQL_COUNT_ANSWERS,
    SL_SQL_ADD_EVENT,
    SL_SQL_EVENT_BYTES,
    SL_SQL_EACH_EVENT,
    SL_SQL_EACH_EVENT_OF,
    SL_SQL_LOCK_PERSON,
    SL_SQL_PURGE_ANSWERS,
    SL_SQL_PURGE_EVENTS,
    SL_SQL_PURGE_SESSIONS,
    SL_SQL_READ_TEXTS,
    SL_SQL_WRITE_TEXTS,
    SL_SQL_CLEAR_TEXTS,
    SL_SQL_READ_ITEMS,
    SL_SQL_WRITE_ITEMS,
    SL_SQL_CLEAR_ITEMS,
    SL_SQL_READ_BATCHES,
    SL_SQL_WRITE_BATCHES,
    SL_SQL_CLEAR_BATCHES,
    SL_SQL_READ_BATCH_ITEMS,
    SL_SQL_WRITE_BATCH_ITEMS,
    SL_SQL_CLEAR_BATCH_ITEMS,
    SL_SQL_READ_SESSIONS,
    SL_SQL_WRITE_SESSIONS,
    SL_SQL_CLEAR_SESSIONS,
    SL_SQL_READ_ANSWERS,
    SL_SQL_WRITE_ANSWERS,
    SL_SQL_CLEAR_ANSWERS,
    SL_SQL_READ_EVENTS,
    SL_SQL_WRITE_EVENTS,
    SL_SQL_CLEAR_EVENTS,
    SL_SQL_LAST_SESSION,
    SL_SQL_SET_LAST_SESSION,
    SL_SQL_LAST_ANSWER,
    SL_SQL_SET_LAST_ANSWER,
    SL_SQL_IS_FILLED,
    SL_SQL_STATEMENTS /* their number */
};
/* The texts that both databases understand; parameters are ?1, ?2, ... NULL: each database has its
 * own text, or none. */
extern const char *const sl_sql_texts[SL_SQL_STATEMENTS];

/* Columns of every statement that yields sessions, as sl_sql_read_session reads them. */
#define SL_SQL_SESSION                                                                             \
    "s.id, s.token_hash, s.person, s.screen, s.batch, s.seed, s.state, s.place, s.trial, "         \
    "s.started, s.seen, s.finished, s.lease_until, s.test, s.second_run, s.attempts, s.consent, "  \
    "s.parameters"
enum { SL_SQL_SESSION_COLUMNS = 18 };

struct sl_sql {
    struct sl_store base;
    const struct sl_sql_driver *driver;
    char *name;     /* owned; of the database, for messages: never with a password */
    int64_t locked; /* the session that this transaction locked last; 0: none */
    /* Sessions that this transaction has locked, and that nobody has asked for yet. */
    struct sl_store_session *expected; /* owned */
    size_t n_expected, expected_capacity;
};

static inline struct sl_sql *sl_sql_of(struct sl_store *base)
{
    return (struct sl_sql *)base;
}

/* A value bound to ?1, ?2, ... Texts and blobs are borrowed until the statement is finished; a NULL
 * text and a NaN become NULL. */
struct sl_sql_value {
    enum { SL_VALUE_INTEGER, SL_VALUE_REAL, SL_VALUE_TEXT, SL_VALUE_BLOB } kind;
    int64_t integer;
    double real;
    const void *bytes;
    size_t length;
    bool absent; /* NULL, whatever the value */
};
static inline struct sl_sql_value sl_value_integer(int64_t number)
{
    return (struct sl_sql_value){.kind = SL_VALUE_INTEGER, .integer = number};
}
static inline struct sl_sql_value sl_value_size(size_t number)
{
    return sl_value_integer((int64_t)number);
}
static inline struct sl_sql_value sl_value_real(double number)
{
    return (struct sl_sql_value){.kind = SL_VALUE_REAL, .real = number};
}
static inline struct sl_sql_value sl_value_text(const char *text)
{
    return (struct sl_sql_value){.kind = SL_VALUE_TEXT, .bytes = text};
}
static inline struct sl_sql_value sl_value_blob(const void *bytes, size_t length)
{
    return (struct sl_sql_value){.kind = SL_VALUE_BLOB, .bytes = bytes, .length = length};
}
/* A list of values and its length: two arguments. */
#define SL_VALUES(...)                                                                             \
    (const struct sl_sql_value[]){__VA_ARGS__},                                                    \
        sizeof((const struct sl_sql_value[]){__VA_ARGS__}) / sizeof(struct sl_sql_value)

/* The rows of a statement that was started. */
struct sl_sql_rows {
    struct sl_sql *store;
    void *handle; /* the driver's; NULL: nothing to finish */
};

/* What a database must be able to do. Texts end with a NUL; what a column returns is borrowed until
 * the next step. */
struct sl_sql_driver {
    enum sl_status (*start)(struct sl_sql *store, enum sl_sql_statement which,
                            const struct sl_sql_value *values, size_t n_values,
                            struct sl_sql_rows *rows, struct sl_error *err);
    enum sl_status (*step)(struct sl_sql_rows *rows, bool *row, struct sl_error *err);
    void (*finish)(struct sl_sql_rows *rows);
    bool (*is_null)(const struct sl_sql_rows *rows, int column);
    int64_t (*integer)(const struct sl_sql_rows *rows, int column);
    double (*real)(const struct sl_sql_rows *rows, int column);
    /* NULL if the column is. */
    const char *(*bytes)(const struct sl_sql_rows *rows, int column);
    size_t (*length)(const struct sl_sql_rows *rows, int column);
    /* Until end_reading all rows are those of one moment. */
    enum sl_status (*begin_reading)(struct sl_sql *store, struct sl_error *err);
    void (*end_reading)(struct sl_sql *store);
    /* The rows that the last statement wrote. */
    size_t (*changes)(const struct sl_sql *store);
    /* Several programs write at the same time, so a session is locked before it is changed. */
    bool several_writers;
    /* NULL, or send a statement whose result brings no news: it is read with that of the next
     * statement or of the commit, which fails if this one did. Only in a transaction. */
    enum sl_status (*send)(struct sl_sql *store, enum sl_sql_statement which,
                           const struct sl_sql_value *values, size_t n_values,
                           struct sl_error *err);
};

/* Call start, then step until *row is false, then finish; finish also after a failed step. A
 * statement that is being walked cannot be started again (SL_ERR_USAGE). */
enum sl_status sl_sql_start(struct sl_sql *store, enum sl_sql_statement which,
                            const struct sl_sql_value *values, size_t n_values,
                            struct sl_sql_rows *rows, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_step(struct sl_sql_rows *rows, bool *row, struct sl_error *err) SL_MUST_USE;
void sl_sql_finish(struct sl_sql_rows *rows);
bool sl_sql_is_null(const struct sl_sql_rows *rows, int column);
int64_t sl_sql_integer(const struct sl_sql_rows *rows, int column);
double sl_sql_real(const struct sl_sql_rows *rows, int column);
const char *sl_sql_text(const struct sl_sql_rows *rows, int column);
/* Exactly `size` bytes; a blob of another length, which only an edited database has, is cut or
 * followed by zeros. */
void sl_sql_blob(const struct sl_sql_rows *rows, int column, void *out, size_t size);
void sl_sql_read_session(const struct sl_sql_rows *rows, struct sl_store_session *out);
size_t sl_sql_changes(const struct sl_sql *store);

/* Start, step through and finish a statement; its rows are ignored. */
enum sl_status sl_sql_run(struct sl_sql *store, enum sl_sql_statement which,
                          const struct sl_sql_value *values, size_t n_values,
                          struct sl_error *err) SL_MUST_USE;
/* The first column of the first row as a number; *found is false without a row. */
enum sl_status sl_sql_number(struct sl_sql *store, enum sl_sql_statement which,
                             const struct sl_sql_value *values, size_t n_values, int64_t *number,
                             bool *found, struct sl_error *err) SL_MUST_USE;

/* The texts of a column in all rows, owned by the caller (sl_strings_destroy). */
enum sl_status sl_sql_read_names(struct sl_sql_rows *rows, int column, char ***out, size_t *count,
                                 struct sl_error *err) SL_MUST_USE;

/* SL_ERR_USAGE of a walk that is started within itself. */
enum sl_status sl_sql_fail_nested(struct sl_error *err);
/* SL_ERR_NOT_FOUND: there is no such session. */
enum sl_status sl_sql_fail_no_session(int64_t session, struct sl_error *err);
/* That error if there is none; else nobody else writes to the session until the transaction ends.
 * SL_ERR_BUSY, which leaves the transaction usable, while another server does. */
enum sl_status sl_sql_lock_session(struct sl_sql *store, int64_t session,
                                   struct sl_error *err) SL_MUST_USE;

/* Before answers are removed, where the database itself would give their ids again. */
enum sl_status sl_sql_keep_numbers(struct sl_sql *store, struct sl_error *err) SL_MUST_USE;
/* Copies every row of another SQL store, with all its numbers, into this empty one. */
enum sl_status sl_sql_copy_in(struct sl_store *base, struct sl_store *from,
                              struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_clear(struct sl_store *base, struct sl_error *err) SL_MUST_USE;

enum sl_status sl_sql_put_text(struct sl_store *base, const char *key, const char *value,
                               struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_get_text(struct sl_store *base, const char *key, char **value,
                               struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_add_item(struct sl_store *base, const struct sl_store_item *item,
                               struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_set_item_hash(struct sl_store *base, const char *id, const char *hash,
                                    struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_has_answers(struct sl_store *base, const char *screen, const char *item,
                                  bool *found, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_version(struct sl_store *base, int64_t *out,
                              struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_add_batch(struct sl_store *base, size_t batch, size_t target,
                                const char *const *items, size_t n_items,
                                struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_set_target(struct sl_store *base, size_t target,
                                 struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_each_item(struct sl_store *base,
                                enum sl_status (*visit)(const struct sl_store_item *item,
                                                        void *context),
                                void *context, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_batch_items(struct sl_store *base, size_t batch, char ***items, size_t *count,
                                  struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_each_batch(struct sl_store *base,
                                 enum sl_status (*visit)(const struct sl_store_batch_row *row,
                                                         void *context),
                                 void *context, struct sl_error *err) SL_MUST_USE;

enum sl_status sl_sql_arrive(struct sl_store *base, const struct sl_store_arrival *arrival,
                             struct sl_store_session *out, bool *returning,
                             struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_find_session(struct sl_store *base, const uint8_t *token_hash,
                                   struct sl_store_session *out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_expect_sessions(struct sl_store *base, const uint8_t *token_hashes,
                                      size_t count, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_save_session(struct sl_store *base, const struct sl_store_session *session,
                                   struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_expire(struct sl_store *base, int64_t now, size_t *freed,
                             struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_purge(struct sl_store *base, const uint8_t *person, int64_t until,
                            int64_t now, struct sl_store_purged *out,
                            struct sl_error *err) SL_MUST_USE;

enum sl_status sl_sql_peek_answer(struct sl_store *base, const struct sl_store_answer *answer,
                                  enum sl_put_outcome *outcome, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_put_answer(struct sl_store *base, struct sl_store_answer *answer,
                                 enum sl_put_outcome *outcome, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_event_bytes(struct sl_store *base, int64_t session, const char *kind,
                                  size_t *bytes, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_put_event(struct sl_store *base, int64_t session, int64_t now,
                                const char *kind, const char *body,
                                struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_each_session(struct sl_store *base, sl_store_visit visit, void *context,
                                   struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_each_answer(struct sl_store *base, sl_store_visit visit, void *context,
                                  struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_each_answer_after(struct sl_store *base, int64_t after, sl_store_visit visit,
                                        void *context, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_count_batches(struct sl_store *base, size_t *out,
                                    struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_count_answers(struct sl_store *base, size_t *out,
                                    struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_each_event(struct sl_store *base, sl_store_visit visit, void *context,
                                 struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sql_each_event_of(struct sl_store *base, int64_t session, sl_store_visit visit,
                                    void *context, struct sl_error *err) SL_MUST_USE;

/* The members of a backend's table that every SQL store has in common. */
#define SL_SQL_FUNCTIONS                                                                           \
    .put_text = sl_sql_put_text, .get_text = sl_sql_get_text, .add_item = sl_sql_add_item,         \
    .set_item_hash = sl_sql_set_item_hash, .has_answers = sl_sql_has_answers,                      \
    .version = sl_sql_version, .add_batch = sl_sql_add_batch, .set_target = sl_sql_set_target,     \
    .each_item = sl_sql_each_item, .batch_items = sl_sql_batch_items, .arrive = sl_sql_arrive,     \
    .find_session = sl_sql_find_session, .save_session = sl_sql_save_session,                      \
    .expire = sl_sql_expire, .peek_answer = sl_sql_peek_answer, .put_answer = sl_sql_put_answer,   \
    .event_bytes = sl_sql_event_bytes, .put_event = sl_sql_put_event,                              \
    .each_session = sl_sql_each_session, .each_answer = sl_sql_each_answer,                        \
    .each_answer_after = sl_sql_each_answer_after, .count_answers = sl_sql_count_answers,          \
    .count_batches = sl_sql_count_batches, .each_event = sl_sql_each_event,                        \
    .each_event_of = sl_sql_each_event_of, .each_batch = sl_sql_each_batch, .purge = sl_sql_purge, \
    .copy_in = sl_sql_copy_in, .clear = sl_sql_clear

#endif
