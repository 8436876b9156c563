/* The SQLite backend. One connection, one writer; a statement is prepared at its first use and
 * kept. */
#ifndef SOFTLAB_STORE_SQLITE_H
#define SOFTLAB_STORE_SQLITE_H

#include <sqlite3.h>

#include "store/backend.h"

/* Rows of the table in sqlite_statements.c. */
enum sl_sqlite_statement {
    SL_SQL_BEGIN,
    SL_SQL_COMMIT,
    SL_SQL_ROLLBACK,
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
    SL_SQL_SET_TARGET,
    SL_SQL_ADD_BATCH_ITEM,
    SL_SQL_BATCH_ITEMS,
    SL_SQL_EACH_BATCH,
    SL_SQL_EXPIRE,
    SL_SQL_LIVE_SESSION,
    SL_SQL_NETWORK_PLACES,
    SL_SQL_RENEW_SESSION,
    SL_SQL_FINISHED_BEFORE,
    SL_SQL_ADD_SESSION,
    SL_SQL_SESSION_OF_TOKEN,
    SL_SQL_SESSION_EXISTS,
    SL_SQL_SAVE_SESSION,
    SL_SQL_EACH_SESSION,
    SL_SQL_ANSWER_OF_CLIENT,
    SL_SQL_NEXT_REVISION,
    SL_SQL_ADD_ANSWER,
    SL_SQL_EACH_ANSWER,
    SL_SQL_ADD_EVENT,
    SL_SQL_EVENT_BYTES,
    SL_SQL_EACH_EVENT,
    SL_SQL_EACH_EVENT_OF,
    SL_SQL_PURGE_ANSWERS,
    SL_SQL_PURGE_EVENTS,
    SL_SQL_PURGE_SESSIONS,
    SL_SQL_STATEMENTS /* their number */
};

/* Columns 0..17 of every statement that yields sessions, as sl_sqlite_read_session reads them. */
enum { SL_SQLITE_SESSION_COLUMNS = 18 };

struct sl_sqlite {
    struct sl_store base;
    sqlite3 *db;
    char *path;                  /* owned; for messages */
    bool create;                 /* an empty file may become a study */
    bool any_layout;             /* do not upgrade an older layout */
    int lock;                    /* -1: none */
    bool (*stop)(void *context); /* or NULL */
    void *stop_context;
    sqlite3_stmt *statements[SL_SQL_STATEMENTS];
};

static inline struct sl_sqlite *sl_sqlite_of(struct sl_store *base)
{
    return (struct sl_sqlite *)base;
}

/* A value bound to ?1, ?2, ... Texts and blobs are borrowed until the statement is finished; a NULL
 * text and a NaN become NULL. */
struct sl_sqlite_value {
    enum { SL_VALUE_INTEGER, SL_VALUE_REAL, SL_VALUE_TEXT, SL_VALUE_BLOB } kind;
    int64_t integer;
    double real;
    const void *bytes;
    size_t length;
};
static inline struct sl_sqlite_value sl_sqlite_integer(int64_t number)
{
    return (struct sl_sqlite_value){.kind = SL_VALUE_INTEGER, .integer = number};
}
static inline struct sl_sqlite_value sl_sqlite_size(size_t number)
{
    return sl_sqlite_integer((int64_t)number);
}
static inline struct sl_sqlite_value sl_sqlite_real(double number)
{
    return (struct sl_sqlite_value){.kind = SL_VALUE_REAL, .real = number};
}
static inline struct sl_sqlite_value sl_sqlite_text(const char *text)
{
    return (struct sl_sqlite_value){.kind = SL_VALUE_TEXT, .bytes = text};
}
static inline struct sl_sqlite_value sl_sqlite_blob(const void *bytes, size_t length)
{
    return (struct sl_sqlite_value){.kind = SL_VALUE_BLOB, .bytes = bytes, .length = length};
}
/* A list of values and its length: two arguments. */
#define SL_VALUES(...)                                                                             \
    (const struct sl_sqlite_value[]){__VA_ARGS__},                                                 \
        sizeof((const struct sl_sqlite_value[]){__VA_ARGS__}) / sizeof(struct sl_sqlite_value)

/* Call start, then step until *row is false, then finish; finish also after a failure, and with
 * NULL. A statement that is being walked cannot be started again (SL_ERR_USAGE). */
enum sl_status sl_sqlite_start(struct sl_sqlite *store, enum sl_sqlite_statement which,
                               const struct sl_sqlite_value *values, size_t n_values,
                               sqlite3_stmt **out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_step(struct sl_sqlite *store, sqlite3_stmt *statement, bool *row,
                              struct sl_error *err) SL_MUST_USE;
void sl_sqlite_finish(sqlite3_stmt *statement);

/* Start, step through and finish a statement; its rows are ignored. */
enum sl_status sl_sqlite_run(struct sl_sqlite *store, enum sl_sqlite_statement which,
                             const struct sl_sqlite_value *values, size_t n_values,
                             struct sl_error *err) SL_MUST_USE;

/* The first column of the first row as a number; *found is false without a row. */
enum sl_status sl_sqlite_number(struct sl_sqlite *store, enum sl_sqlite_statement which,
                                const struct sl_sqlite_value *values, size_t n_values,
                                int64_t *number, bool *found, struct sl_error *err) SL_MUST_USE;

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

/* Open a file that nobody else knows yet: no lock, and no log beside it. */
enum sl_status sl_sqlite_open_alone(const char *path, struct sl_store **out,
                                    struct sl_error *err) SL_MUST_USE;

void sl_sqlite_read_session(sqlite3_stmt *statement, struct sl_store_session *out);

enum sl_status sl_sqlite_begin(struct sl_store *base, bool wait, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_commit(struct sl_store *base, struct sl_error *err) SL_MUST_USE;
void sl_sqlite_rollback(struct sl_store *base);
enum sl_status sl_sqlite_backup(struct sl_store *base, const char *path,
                                struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_restore(const char *backup, const char *path,
                                 const struct sl_store_restoration *how, char **set_aside,
                                 struct sl_error *err) SL_MUST_USE;

enum sl_status sl_sqlite_put_text(struct sl_store *base, const char *key, const char *value,
                                  struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_get_text(struct sl_store *base, const char *key, char **value,
                                  struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_add_item(struct sl_store *base, const struct sl_store_item *item,
                                  struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_set_item_hash(struct sl_store *base, const char *id, const char *hash,
                                       struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_has_answers(struct sl_store *base, const char *screen, const char *item,
                                     bool *found, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_version(struct sl_store *base, int64_t *out,
                                 struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_add_batch(struct sl_store *base, size_t batch, size_t target,
                                   const char *const *items, size_t n_items,
                                   struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_set_target(struct sl_store *base, size_t target,
                                    struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_each_item(struct sl_store *base,
                                   enum sl_status (*visit)(const struct sl_store_item *item,
                                                           void *context),
                                   void *context, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_batch_items(struct sl_store *base, size_t batch, char ***items,
                                     size_t *count, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_each_batch(struct sl_store *base,
                                    enum sl_status (*visit)(const struct sl_store_batch_row *row,
                                                            void *context),
                                    void *context, struct sl_error *err) SL_MUST_USE;

enum sl_status sl_sqlite_arrive(struct sl_store *base, const struct sl_store_arrival *arrival,
                                struct sl_store_session *out, bool *returning,
                                struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_find_session(struct sl_store *base, const uint8_t *token_hash,
                                      struct sl_store_session *out,
                                      struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_save_session(struct sl_store *base, const struct sl_store_session *session,
                                      struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_expire(struct sl_store *base, int64_t now, size_t *freed,
                                struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_purge(struct sl_store *base, const uint8_t *person, int64_t until,
                               int64_t now, struct sl_store_purged *out,
                               struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_empty_log(struct sl_store *base, bool *emptied,
                                   struct sl_error *err) SL_MUST_USE;

enum sl_status sl_sqlite_peek_answer(struct sl_store *base, const struct sl_store_answer *answer,
                                     enum sl_put_outcome *outcome, struct sl_error *err);
enum sl_status sl_sqlite_put_answer(struct sl_store *base, struct sl_store_answer *answer,
                                    enum sl_put_outcome *outcome, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_event_bytes(struct sl_store *base, int64_t session, const char *kind,
                                     size_t *bytes, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_put_event(struct sl_store *base, int64_t session, int64_t now,
                                   const char *kind, const char *body,
                                   struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_each_session(struct sl_store *base, sl_store_visit visit, void *context,
                                      struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_each_answer(struct sl_store *base, sl_store_visit visit, void *context,
                                     struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_each_event(struct sl_store *base, sl_store_visit visit, void *context,
                                    struct sl_error *err) SL_MUST_USE;
enum sl_status sl_sqlite_each_event_of(struct sl_store *base, int64_t session, sl_store_visit visit,
                                       void *context, struct sl_error *err) SL_MUST_USE;

#endif
