/* Copies of the database, made with SQLite's backup API while others write. */
#include "store/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "store/lock.h"

static enum sl_status sync_path(const char *path, struct sl_error *err)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return sl_fail_errno(err, "%s", path);
    enum sl_status status = fsync(descriptor) == 0 ? SL_OK : sl_fail_errno(err, "%s", path);
    close(descriptor);
    return status;
}

/* A rename is durable once its folder is; some file systems refuse to sync folders. */
static void sync_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? sl_string_copy_n(path, slash == path ? 1 : (size_t)(slash - path))
                         : sl_string_copy(".");
    (void)!sync_path(folder, NULL);
    free(folder);
}

/* Fills an empty file that nobody else knows. */
typedef enum sl_status (*fill)(struct sl_store *from, const char *path, struct sl_error *err);

/* The copy needs no journal: nobody reads it until it is renamed. */
static enum sl_status copy_pages(struct sl_store *from, const char *path, struct sl_error *err)
{
    const struct sl_sqlite *store = sl_sqlite_of(from);
    struct sl_sqlite copy = {.sql.name = sl_string_copy(path)};
    enum sl_status status = SL_OK;
    int result = sqlite3_open_v2(path, &copy.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_exec(copy.db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", NULL,
                              NULL, NULL);
    sqlite3_backup *backup =
        result == SQLITE_OK ? sqlite3_backup_init(copy.db, "main", store->db, "main") : NULL;
    if (backup) {
        int stepped = sqlite3_backup_step(backup, -1);
        result = sqlite3_backup_finish(backup);
        /* finish does not report that the source was locked */
        if (result == SQLITE_OK && stepped != SQLITE_DONE) result = stepped;
        /* DELETE mode keeps it one file: opening a copy in WAL mode would leave a log beside it. */
        if (result == SQLITE_OK)
            result = sqlite3_exec(copy.db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    }
    if (!backup || result != SQLITE_OK)
        status =
            sl_sqlite_fail(&copy, result != SQLITE_OK ? result : sqlite3_errcode(copy.db), err);
    sqlite3_close(copy.db);
    free(copy.sql.name);
    return status;
}

static enum sl_status copy_rows(struct sl_store *from, const char *path, struct sl_error *err)
{
    struct sl_store *copy = NULL;
    SL_TRY(sl_sqlite_open_alone(path, true, &copy, err));
    enum sl_status status = sl_store_copy(from, copy, err);
    sl_store_close(copy);
    return status;
}

/* A complete copy under a name beside `path`, owned by the caller; on failure nothing is left. */
static enum sl_status copy_beside(struct sl_store *from, fill fill_file, const char *path,
                                  char **temporary, struct sl_error *err)
{
    char *name = sl_string_printf("%s.%ld.tmp", path, (long)getpid());
    (void)unlink(name); /* left by a killed process with the same number */
    int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    enum sl_status status = SL_OK;
    if (descriptor < 0) {
        status = sl_fail_errno(err, "%s", name);
        free(name);
        return status;
    }
    (void)fchmod(descriptor, 0600); /* whatever the umask */
    close(descriptor);
    SL_TRY_OUT(fill_file(from, name, err));
    SL_TRY_OUT(sync_path(name, err));
    *temporary = name;
    return SL_OK;
out:
    (void)unlink(name);
    free(name);
    return status;
}

static enum sl_status rename_to(const char *from, const char *to, struct sl_error *err)
{
    return rename(from, to) == 0 ? SL_OK : sl_fail_errno(err, "%s", to);
}

/* A log beside `path` belongs to a database that is or was in use: beside other pages it would
 * damage them. */
static enum sl_status check_free(const char *path, struct sl_error *err)
{
    char *log = sl_string_printf("%s-wal", path);
    bool used = sl_file_exists(log);
    free(log);
    if (!used) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s is a database in use: give the backup another name",
                   path);
}

static enum sl_status back_up(struct sl_store *from, fill fill_file, const char *path,
                              struct sl_error *err)
{
    SL_TRY(check_free(path, err));
    char *temporary = NULL;
    SL_TRY(copy_beside(from, fill_file, path, &temporary, err));
    enum sl_status status = rename_to(temporary, path, err);
    if (status == SL_OK)
        sync_folder_of(path);
    else
        (void)unlink(temporary);
    free(temporary);
    return status;
}

enum sl_status sl_sqlite_backup(struct sl_store *base, const char *path, struct sl_error *err)
{
    return back_up(base, copy_pages, path, err);
}

enum sl_status sl_sqlite_backup_rows(struct sl_store *from, const char *path, struct sl_error *err)
{
    return back_up(from, copy_rows, path, err);
}

static bool is_free(const char *path)
{
    struct stat info;
    return lstat(path, &info) != 0 && errno == ENOENT;
}

/* A new name for `path` that neither a file nor its log has. */
static enum sl_status choose_name(const char *path, const char *what, int64_t now, char **out,
                                  struct sl_error *err)
{
    enum { TRIES = 1000 };
    time_t seconds = (time_t)(now / 1000);
    struct tm date;
    char when[32];
    if (!gmtime_r(&seconds, &date) || !strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", &date))
        return sl_fail(err, SL_ERR_USAGE, "%lld is not a time", (long long)now);
    for (int i = 1; i <= TRIES; i++) {
        char *name = i == 1 ? sl_string_printf("%s.%s-%s", path, what, when)
                            : sl_string_printf("%s.%s-%s-%d", path, what, when, i);
        char *log = sl_string_printf("%s-wal", name);
        const bool unused = is_free(name) && is_free(log);
        free(log);
        if (unused) {
            *out = name;
            return SL_OK;
        }
        free(name);
    }
    return sl_fail(err, SL_ERR_INPUT,
                   "%d names like %s.%s-%s are taken: move some of these files away", TRIES, path,
                   what, when);
}

/* Rename `path``suffix` to `name``suffix` if it exists. */
static enum sl_status set_aside_one(const char *path, const char *suffix, const char *name,
                                    bool *moved, struct sl_error *err)
{
    char *from = sl_string_printf("%s%s", path, suffix);
    char *to = sl_string_printf("%s%s", name, suffix);
    enum sl_status status = SL_OK;
    if (rename(from, to) == 0)
        *moved = true;
    else if (errno != ENOENT)
        status = sl_fail_errno(err, "%s", from);
    free(from);
    free(to);
    return status;
}

/* The log is moved first, so that a log never lies beside foreign pages. *name, owned by the
 * caller, is NULL if there was nothing. */
static enum sl_status set_aside(const char *path, const char *what, int64_t now, char **name,
                                struct sl_error *err)
{
    char *chosen = NULL;
    bool moved = false;
    SL_TRY(choose_name(path, what, now, &chosen, err));
    char *index = sl_string_printf("%s-shm", path);
    (void)unlink(index);
    free(index);
    enum sl_status status = set_aside_one(path, "-wal", chosen, &moved, err);
    if (status == SL_OK) status = set_aside_one(path, "", chosen, &moved, err);
    if (status == SL_OK && moved) {
        *name = chosen;
        return SL_OK;
    }
    free(chosen);
    return status;
}

/* The lock stays, and the connection's end leaves no log. */
enum sl_status sl_sqlite_set_aside(struct sl_store *base, const char *what, int64_t now,
                                   char **name, struct sl_error *err)
{
    struct sl_sqlite *store = sl_sqlite_of(base);
    sl_sqlite_disconnect(store);
    SL_TRY(set_aside(store->sql.name, what, now, name, err));
    sync_folder_of(store->sql.name);
    return SL_OK;
}

/* The copy is moved last: after a power cut the restore can be repeated. */
static enum sl_status replace(const char *temporary, const char *path, int64_t now, char **kept,
                              struct sl_error *err)
{
    char *name = NULL;
    SL_TRY(set_aside(path, "before-restore", now, &name, err));
    enum sl_status status = rename_to(temporary, path, err);
    if (status != SL_OK) {
        free(name);
        return status;
    }
    sync_folder_of(path);
    *kept = name;
    return SL_OK;
}

/* The copy is upgraded and prepared before anybody can see it. */
static enum sl_status prepare_copy(const char *temporary, const struct sl_store_restoration *how,
                                   struct sl_error *err)
{
    struct sl_store *copy = NULL;
    SL_TRY(sl_sqlite_open_alone(temporary, false, &copy, err));
    enum sl_status status = sl_store_forget_move(copy, err);
    if (status == SL_OK && how->prepare) status = how->prepare(copy, how->context, err);
    sl_store_close(copy);
    return status == SL_OK ? sync_path(temporary, err) : status;
}

enum sl_status sl_sqlite_restore(const char *backup, const char *path,
                                 const struct sl_store_restoration *how, char **set_aside,
                                 struct sl_error *err)
{
    struct sl_store_options options = sl_store_options_default();
    options.read_only = options.any_layout = options.moved = true;
    struct sl_store *source = NULL;
    char *temporary = NULL;
    int lock = -1;
    *set_aside = NULL;
    SL_TRY(sl_store_open(backup, &options, &source, err));
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_store_lock(path, SL_CLAIM_REPLACE, &lock, err));
    SL_TRY_OUT(copy_beside(source, copy_pages, path, &temporary, err));
    SL_TRY_OUT(prepare_copy(temporary, how, err));
    SL_TRY_OUT(replace(temporary, path, how->now, set_aside, err));
out:
    if (status != SL_OK && temporary) (void)unlink(temporary);
    free(temporary);
    sl_store_unlock(lock);
    sl_store_close(source);
    return status;
}
