/* Opening, closing and transactions. */
#include "store/sqlite.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "store/lock.h"

enum { BUSY_MS = 5000 };

/* Every connection overwrites deleted data with zeros (secure_delete) and checks foreign keys; the
 * journal mode is stored in the file. */
static enum sl_status set_up(struct sl_sqlite *store, const struct sl_store_options *options,
                             struct sl_error *err)
{
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(store->db, BUSY_MS);
    SL_TRY(sl_sqlite_exec(store, "PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;", err));
    SL_TRY(sl_sqlite_exec(
        store, options->durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = OFF", err));
    return SL_OK;
}

/* SQLite opens a write-protected file read-only without an error. */
static enum sl_status check_writable(struct sl_sqlite *store, struct sl_error *err)
{
    if (store->sql.base.read_only || !sqlite3_db_readonly(store->db, "main")) return SL_OK;
    return sl_sqlite_fail(store, SQLITE_READONLY, err);
}

static enum sl_status use_log(struct sl_sqlite *store, struct sl_error *err)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(store->db, "PRAGMA journal_mode = WAL", -1, &statement, NULL);
    if (result == SQLITE_OK) result = sqlite3_step(statement);
    enum sl_status status = SL_OK;
    if (result != SQLITE_ROW) {
        status = sl_sqlite_fail(store, result, err);
    } else {
        const char *mode = (const char *)sqlite3_column_text(statement, 0);
        /* A database in memory has no log and nothing that must survive. */
        if (!mode || (strcmp(mode, "wal") != 0 && strcmp(mode, "memory") != 0))
            status = sl_fail(err, SL_ERR_IO,
                             "%s cannot have a write-ahead log: keep it on a local disk, not on a "
                             "network file system",
                             store->sql.name);
    }
    sqlite3_finalize(statement);
    return status;
}

static enum sl_status check_integrity(struct sl_sqlite *store, struct sl_error *err)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(store->db, "PRAGMA quick_check(1)", -1, &statement, NULL);
    if (result == SQLITE_OK) result = sqlite3_step(statement);
    enum sl_status status = SL_OK;
    if (result != SQLITE_ROW) {
        status = sl_sqlite_fail(store, result, err);
    } else {
        const char *found = (const char *)sqlite3_column_text(statement, 0);
        if (!found || strcmp(found, "ok") != 0) {
            int length = found ? (int)strcspn(found, "\n") : 0;
            status = sl_fail(err, SL_ERR_INPUT, "%s is damaged (%.*s): " SL_SQLITE_RESTORE,
                             store->sql.name, length, found ? found : "");
        }
    }
    sqlite3_finalize(statement);
    return status;
}

void sl_sqlite_disconnect(struct sl_sqlite *store)
{
    for (size_t i = 0; i < SL_SQL_STATEMENTS; i++) {
        sqlite3_finalize(store->statements[i]);
        store->statements[i] = NULL;
    }
    sqlite3_close_v2(store->db);
    store->db = NULL;
}

static void close_store(struct sl_store *base)
{
    struct sl_sqlite *store = sl_sqlite_of(base);
    sl_sqlite_disconnect(store);
    sl_store_unlock(store->lock);
    free(store->sql.name);
    free(store);
}

static enum sl_status check_there(const char *path, const struct sl_store_options *options,
                                  struct sl_error *err)
{
    if (sl_folder_exists(path))
        return sl_fail(err, SL_ERR_INPUT, "%s is a folder, not a database", path);
    if (options->create || sl_file_exists(path)) return SL_OK;
    return sl_fail(err, SL_ERR_NOT_FOUND,
                   "%s does not exist: make a study with softlab study init, or " SL_SQLITE_RESTORE,
                   path);
}

/* SQLite would create it with the umask's permissions, and its logs inherit those of the database.
 * If this fails, SQLite reports why. */
static void make_private(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return;
    (void)fchmod(file, 0600);
    close(file);
}

static struct sl_sqlite *make_store(const char *path, const struct sl_store_options *options)
{
    struct sl_sqlite *store = sl_alloc(1, sizeof *store);
    *store = (struct sl_sqlite){
        .sql = {.base = {.backend = &sl_sqlite_backend, .read_only = options->read_only},
                .driver = &sl_sqlite_driver,
                .name = sl_string_copy(path)},
        .create = options->create,
        .any_layout = options->any_layout && options->read_only,
        .lock = -1};
    return store;
}

/* `alone`: nobody else knows the file, so it needs no log for readers. */
static enum sl_status open_connection(struct sl_sqlite *store,
                                      const struct sl_store_options *options, bool alone,
                                      struct sl_error *err)
{
    int flags = options->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    if (options->create) flags |= SQLITE_OPEN_CREATE;
    int result =
        sqlite3_open_v2(store->sql.name, &store->db, flags | SQLITE_OPEN_NOMUTEX, options->vfs);
    if (result != SQLITE_OK) return sl_sqlite_fail(store, result, err);
    /* A database that is refused stays unchanged, its log included. */
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    SL_TRY(check_writable(store, err));
    SL_TRY(set_up(store, options, err));
    SL_TRY(check_integrity(store, err));
    if (alone) SL_TRY(sl_sqlite_exec(store, "PRAGMA journal_mode = MEMORY", err));
    if (!options->read_only && !alone) SL_TRY(use_log(store, err));
    SL_TRY(sl_sqlite_migrate(store, sl_sqlite_migrations, sl_sqlite_n_migrations, err));
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    store->sql.base.failed = false;
    return SL_OK;
}

static enum sl_status open_store(const char *path, const struct sl_store_options *options,
                                 struct sl_store **out, struct sl_error *err)
{
    SL_TRY(check_there(path, options, err));
    struct sl_sqlite *store = make_store(path, options);
    enum sl_status status = SL_OK;
    /* In memory, or with a test's own VFS, there is no file to lock. */
    if (!options->vfs && strcmp(path, ":memory:") != 0) {
        if (options->create) make_private(path);
        SL_TRY_OUT(sl_store_lock(path,
                                 options->alone       ? SL_CLAIM_REPLACE
                                 : options->serve     ? SL_CLAIM_SERVE
                                 : options->read_only ? SL_CLAIM_READ
                                                      : SL_CLAIM_WRITE,
                                 &store->lock, err));
    }
    SL_TRY_OUT(open_connection(store, options, false, err));
    *out = &store->sql.base;
    return SL_OK;
out:
    close_store(&store->sql.base);
    return status;
}

enum sl_status sl_sqlite_open_alone(const char *path, bool create, struct sl_store **out,
                                    struct sl_error *err)
{
    struct sl_store_options options = sl_store_options_default();
    options.create = create;
    struct sl_sqlite *store = make_store(path, &options);
    enum sl_status status = open_connection(store, &options, true, err);
    if (status == SL_OK)
        *out = &store->sql.base;
    else
        close_store(&store->sql.base);
    return status;
}

enum sl_status sl_sqlite_begin(struct sl_store *base, bool wait, struct sl_error *err)
{
    struct sl_sqlite *store = sl_sqlite_of(base);
    if (!wait) sqlite3_busy_timeout(store->db, 0);
    enum sl_status status = sl_sqlite_exec(store, "BEGIN IMMEDIATE", err);
    if (!wait) sqlite3_busy_timeout(store->db, BUSY_MS);
    return status;
}

static int ask_whether_to_stop(void *context)
{
    return sl_store_stopping(context);
}

static void stop_changed(struct sl_store *base)
{
    /* SQLite instructions between two calls of `stop`: some thousand rows at most. */
    enum { STEPS = 10000 };
    sqlite3_progress_handler(sl_sqlite_of(base)->db, STEPS, base->stop ? ask_whether_to_stop : NULL,
                             base);
}

/* Whether a failed COMMIT leaves the transaction open depends on the error. */
enum sl_status sl_sqlite_commit(struct sl_store *base, struct sl_error *err)
{
    enum sl_status status = sl_sqlite_exec(sl_sqlite_of(base), "COMMIT", err);
    if (status != SL_OK) sl_sqlite_rollback(base);
    return status;
}

void sl_sqlite_rollback(struct sl_store *base)
{
    if (sqlite3_get_autocommit(sl_sqlite_of(base)->db)) return;
    /* An error does not matter: uncommitted data are gone when the connection closes. */
    (void)!sl_sqlite_exec(sl_sqlite_of(base), "ROLLBACK", NULL);
}

/* Old pages stay in the log until it is emptied, which a reader can prevent. */
static enum sl_status empty_log(struct sl_store *base, bool *emptied, struct sl_error *err)
{
    struct sl_sqlite *store = sl_sqlite_of(base);
    int result = sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    *emptied = result == SQLITE_OK;
    if (result == SQLITE_OK || (result & 0xff) == SQLITE_BUSY) return SL_OK;
    return sl_sqlite_fail(store, result, err);
}

const struct sl_store_backend sl_sqlite_backend = {
    .name = "sqlite",
    .open = open_store,
    .close = close_store,
    .begin = sl_sqlite_begin,
    .commit = sl_sqlite_commit,
    .rollback = sl_sqlite_rollback,
    .stop_changed = stop_changed,
    .backup = sl_sqlite_backup,
    .restore = sl_sqlite_restore,
    .set_aside = sl_sqlite_set_aside,
    .empty_log = empty_log,
    SL_SQL_FUNCTIONS,
};
