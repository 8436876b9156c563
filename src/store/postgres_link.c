/* The connection: its URL, its settings and its errors. */
#include "store/postgres.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "softlab/base/log.h"
#include "softlab/base/memory.h"

enum { OLDEST_SERVER = 130000, STATE_TEXT = 6 };

/* ---- Names and errors ---- */

static const char *option_of(const PQconninfoOption *options, const char *keyword)
{
    for (; options->keyword; options++)
        if (strcmp(options->keyword, keyword) == 0) return options->val ? options->val : "";
    return "";
}

enum sl_status sl_postgres_name(const char *url, char **out, struct sl_error *err)
{
    char *said = NULL;
    PQconninfoOption *options = PQconninfoParse(url, &said);
    /* What libpq says about a wrong URL may repeat the password. */
    PQfreemem(said);
    if (!options)
        return sl_fail(err, SL_ERR_USAGE,
                       "the URL of the database cannot be read: write "
                       "postgresql://USER@HOST:PORT/DATABASE");
    const char *host = option_of(options, "host"), *port = option_of(options, "port");
    const char *database = option_of(options, "dbname");
    *out = *host == '/'
               ? sl_string_printf("postgresql:///%s?host=%s", database, host)
               : sl_string_printf("postgresql://%s%s%s/%s", host, *port ? ":" : "", port, database);
    PQconninfoFree(options);
    return SL_OK;
}

/* What SQLSTATEs mean, by their first characters; the first row that matches is taken. The message
 * is what follows the database's name. */
static const struct {
    const char *state;
    enum sl_status status;
    const char *meaning;
} refusals[] = {
    {"23", SL_ERR_INPUT, "refused the data"},
    {"25006", SL_ERR_BACKEND, "cannot be written: connect to the primary server, not to a standby"},
    {"28", SL_ERR_BACKEND,
     "refused the user: give the user in the URL and the password in ~/.pgpass or PGPASSWORD"},
    {"3D", SL_ERR_NOT_FOUND,
     "does not exist: create the database first, for example with createdb"},
    {"3F", SL_ERR_NOT_FOUND, "has no such schema: create it first, with CREATE SCHEMA"},
    {"40", SL_ERR_BUSY, "is being changed by another server: try again"},
    {"42501", SL_ERR_BACKEND, "may not be changed by this user: grant the user the right to do so"},
    {"53100", SL_ERR_IO, "has no space left on its disk: free some space and try again"},
    {"53", SL_ERR_BUSY, "has no resources left: try again later"},
    {"55000", SL_ERR_BUSY, "is not ready for this: try again later"},
    {"55P03", SL_ERR_BUSY, "is locked by another program: end it, or try again later"},
    {"57014", SL_ERR_BUSY, "did not answer in time: try again later"},
    {"57P", SL_ERR_BUSY, "is starting or shutting down: try again later"},
    {"", SL_ERR_BACKEND, "refused a statement"},
};

/* A message of libpq is one line or several, of which the first says most. */
static int first_line(const char *text)
{
    return (int)strcspn(text, "\n");
}

bool sl_postgres_lost(const struct sl_postgres *store)
{
    return !store->link || PQstatus(store->link) == CONNECTION_BAD;
}

static enum sl_status fail_lost(struct sl_postgres *store, struct sl_error *err)
{
    const char *said = store->link ? PQerrorMessage(store->link) : "";
    return sl_fail(
        err, SL_ERR_BUSY,
        "%s is away (%.*s): check that PostgreSQL runs; softlab connects again by itself",
        store->sql.name, first_line(said), said);
}

static enum sl_status refuse(struct sl_postgres *store, const char *state, const char *said,
                             struct sl_error *err)
{
    size_t row = 0;
    while (strncmp(refusals[row].state, state, strlen(refusals[row].state)) != 0)
        row++;
    return sl_fail(err, refusals[row].status, "%s %s (%.*s)", store->sql.name,
                   refusals[row].meaning, first_line(said), said);
}

enum sl_status sl_postgres_fail(struct sl_postgres *store, const PGresult *result,
                                struct sl_error *err)
{
    const char *state = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
    const char *said = result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
    store->sql.base.failed = true;
    if (sl_postgres_lost(store)) return fail_lost(store, err);
    if (!said) said = PQerrorMessage(store->link);
    return refuse(store, state ? state : "", said, err);
}

bool sl_postgres_has_password(const char *url)
{
    PQconninfoOption *options = PQconninfoParse(url, NULL);
    const bool has =
        options && (*option_of(options, "password") || *option_of(options, "sslpassword"));
    PQconninfoFree(options);
    return has;
}

/* ---- Connecting ---- */

int64_t sl_postgres_lock_number(const struct sl_postgres *store, enum sl_postgres_lock purpose)
{
    return ((int64_t)purpose << 32) | store->schema;
}

static void ignore_notice(void *context, const PGresult *result)
{
    (void)context;
    (void)result;
}

/* Why the server refused a connection is in no result: only a verbose message has the SQLSTATE, and
 * only a connection that exists can be told to be verbose. Whoever refuses does so quickly; a host
 * that does not answer is not asked twice. */
static void ask_why(PGconn *link, double began)
{
    static const double quick = 1;
    if (PQstatus(link) != CONNECTION_BAD || sl_clock_seconds() - began > quick) return;
    PQsetErrorVerbosity(link, PQERRORS_VERBOSE);
    PQreset(link);
    PQsetErrorVerbosity(link, PQERRORS_DEFAULT);
}

/* "... FATAL:  28P01: text": *said becomes the text. */
static bool find_state(const char **said, char state[STATE_TEXT])
{
    static const char before[] = ":  ";
    enum { BEFORE = sizeof before - 1, LENGTH = STATE_TEXT - 1 };
    for (const char *at = strstr(*said, before); at; at = strstr(at + 1, before)) {
        at += BEFORE;
        if (strspn(at, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") != LENGTH || at[LENGTH] != ':')
            continue;
        memcpy(state, at, LENGTH);
        state[LENGTH] = '\0';
        *said = at + LENGTH + strspn(at + LENGTH, ": ");
        return true;
    }
    return false;
}

static enum sl_status fail_to_connect(struct sl_postgres *store, struct sl_error *err)
{
    const char *said = PQerrorMessage(store->link);
    char state[STATE_TEXT];
    if (PQconnectionNeedsPassword(store->link)) return refuse(store, "28P01", said, err);
    return find_state(&said, state) ? refuse(store, state, said, err) : fail_lost(store, err);
}

/* The URL comes last, so that it can set other limits. */
static PGconn *open_link(const char *url)
{
    const double began = sl_clock_seconds();
    static const char *const keys[] = {
        "connect_timeout",  "tcp_user_timeout",          "keepalives_idle", "keepalives_interval",
        "keepalives_count", "fallback_application_name", "dbname",          NULL};
    const char *const values[] = {"3", "5000", "5", "2", "3", "softlab", url, NULL};
    PGconn *link = PQconnectdbParams(keys, values, true);
    if (link) PQsetNoticeReceiver(link, ignore_notice, NULL);
    ask_why(link, began);
    return link;
}

/* A statement of the setup; `sql` may have several. */
static enum sl_status set_up_by(struct sl_postgres *store, const char *sql, int64_t *number,
                                struct sl_error *err)
{
    PGresult *result = PQexec(store->link, sql);
    const ExecStatusType kind = PQresultStatus(result);
    enum sl_status status = SL_OK;
    if (kind != PGRES_TUPLES_OK && kind != PGRES_COMMAND_OK)
        status = sl_postgres_fail(store, result, err);
    else if (number)
        *number = PQntuples(result) > 0 && !PQgetisnull(result, 0, 0)
                      ? strtoll(PQgetvalue(result, 0, 0), NULL, 10)
                      : 0;
    PQclear(result);
    return status;
}

/* Settings of this connection, whatever those of the database are. A server's statements must end
 * before its pages give up; a host that vanishes must not keep its locks for hours. */
static const char settings[] = "SET default_transaction_isolation = 'read committed';"
                               "SET lock_timeout = '5s';"
                               "SET idle_in_transaction_session_timeout = '60s';"
                               "SET tcp_keepalives_idle = 10;"
                               "SET tcp_keepalives_interval = 5;"
                               "SET tcp_keepalives_count = 3;";

static enum sl_status check_server(struct sl_postgres *store, struct sl_error *err)
{
    int64_t unsafe = 0;
    const int version = PQserverVersion(store->link);
    if (version < OLDEST_SERVER)
        return sl_fail(err, SL_ERR_BACKEND,
                       "%s is PostgreSQL %d, and softlab needs %d or newer: upgrade the server",
                       store->sql.name, version / 10000, OLDEST_SERVER / 10000);
    if (!store->durable) return set_up_by(store, "SET synchronous_commit = off", NULL, err);
    SL_TRY(set_up_by(store,
                     "SELECT set_config('synchronous_commit', 'on', false) "
                     "WHERE current_setting('synchronous_commit') = 'off'",
                     NULL, err));
    SL_TRY(set_up_by(store, "SELECT 1 WHERE current_setting('fsync') = 'off'", &unsafe, err));
    if (!unsafe) return SL_OK;
    return sl_fail(err, SL_ERR_BACKEND,
                   "%s runs with fsync = off and would lose answers in a power cut: set fsync = on "
                   "in postgresql.conf",
                   store->sql.name);
}

static enum sl_status try_claim(struct sl_postgres *store, bool *granted, struct sl_error *err)
{
    int64_t number = 0;
    char *sql = sl_string_printf("SELECT pg_try_advisory_lock%s(%" PRId64 ")::int",
                                 store->alone ? "" : "_shared",
                                 sl_postgres_lock_number(store, SL_LOCK_OPEN));
    const enum sl_status status = set_up_by(store, sql, &number, err);
    free(sql);
    *granted = number != 0;
    return status;
}

/* The claim ends with the connection, but the database notices the end of a program only some
 * milliseconds later, so whoever opens a study waits a little. A server that connects again does
 * not: its event loop tries again by itself. */
static enum sl_status claim(struct sl_postgres *store, struct sl_error *err)
{
    static const struct timespec pause = {.tv_nsec = 20000000};
    static const double patience = 1;
    const double began = sl_clock_seconds();
    bool granted = false;
    SL_TRY(try_claim(store, &granted, err));
    while (!granted && !store->ready && sl_clock_seconds() - began < patience) {
        nanosleep(&pause, NULL);
        SL_TRY(try_claim(store, &granted, err));
    }
    if (granted) return SL_OK;
    return sl_fail(err, SL_ERR_BACKEND,
                   "%s is in use by another softlab server or command: wait until it has ended, "
                   "then try again",
                   store->sql.name);
}

/* A server whose connection was cut comes back after the study has left. */
static enum sl_status check_here(struct sl_postgres *store, struct sl_error *err)
{
    static const char sql[] = "SELECT value FROM texts WHERE key = '" SL_STORE_MOVED "'";
    PGresult *result = PQexecParams(store->link, sql, 0, NULL, NULL, NULL, NULL, 1);
    enum sl_status status = SL_OK;
    if (PQresultStatus(result) != PGRES_TUPLES_OK)
        status = sl_postgres_fail(store, result, err);
    else if (PQntuples(result) > 0)
        status = sl_store_check_moved(store->sql.name, PQgetvalue(result, 0, 0), err);
    PQclear(result);
    return status;
}

static enum sl_status set_up(struct sl_postgres *store, struct sl_error *err)
{
    if (sl_postgres_lost(store)) return fail_to_connect(store, err);
    SL_TRY(check_server(store, err));
    SL_TRY(set_up_by(store, settings, NULL, err));
    if (store->serve) SL_TRY(set_up_by(store, "SET statement_timeout = '10s'", NULL, err));
    if (store->sql.base.read_only)
        SL_TRY(set_up_by(store, "SET default_transaction_read_only = on", NULL, err));
    SL_TRY(set_up_by(store, "SELECT current_schema()::regnamespace::oid::bigint", &store->schema,
                     err));
    if (store->schema == 0)
        return sl_fail(err, SL_ERR_NOT_FOUND,
                       "%s has no schema to keep the study in: create one with CREATE SCHEMA, or "
                       "correct search_path in the URL",
                       store->sql.name);
    SL_TRY(claim(store, err));
    return store->ready && !store->moved ? check_here(store, err) : SL_OK;
}

/* A refused connection fails within a millisecond, one to a host that does not answer after
 * seconds: waiting longer after a slow failure leaves the caller most of its time. */
static void wait_before_next(struct sl_postgres *store, double began)
{
    enum { SHARE = 4 };
    static const double shortest = .25;
    const double now = sl_clock_seconds(), rest = SHARE * (now - began);
    store->retry_at = now + (rest > shortest ? rest : shortest);
}

enum sl_status sl_postgres_connect(struct sl_postgres *store, struct sl_error *err)
{
    if (!sl_postgres_lost(store)) return SL_OK;
    const double began = sl_clock_seconds();
    /* What was read under a claim is old once the claim has ended. */
    if (store->transaction || (store->alone && store->ready)) {
        store->sql.base.failed = true;
        return fail_lost(store, err);
    }
    if (began >= store->retry_at) {
        PQfinish(store->link);
        memset(store->prepared, 0, sizeof store->prepared);
        store->link = open_link(store->url);
        if (set_up(store, &store->refusal) == SL_OK) return SL_OK;
        /* A connection that works must not be taken for one that was accepted. */
        PQfinish(store->link);
        store->link = NULL;
        wait_before_next(store, began);
    }
    store->sql.base.failed = true;
    return sl_fail(err, store->refusal.code, "%s", store->refusal.message);
}
