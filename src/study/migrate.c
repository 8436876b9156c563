/* Where a study's database is, and moving it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "study/config/identity.h"

enum { URL_BYTES = 4096 };

/* ---- study.database: one line, a URL ---- */

static enum sl_status read_url(const char *path, char **out, struct sl_error *err)
{
    struct sl_buffer text;
    sl_buffer_init(&text, URL_BYTES);
    enum sl_status status = sl_file_read(path, &text, err);
    if (status == SL_OK) {
        char *url = sl_string_copy_n(text.data, strcspn(text.data, "\r\n"));
        if (sl_store_is_shared(url)) {
            *out = url;
        } else {
            free(url);
            status =
                sl_fail(err, SL_ERR_INPUT,
                        "%s:1: this is no URL of PostgreSQL: write postgresql://HOST/DATABASE, "
                        "or remove the file to use study.db",
                        path);
        }
    }
    sl_buffer_release(&text);
    return status;
}

enum sl_status sl_study_database(const char *folder, char **out, struct sl_error *err)
{
    char *path = sl_path_join(folder, SL_STUDY_DATABASE_URL);
    enum sl_status status = SL_OK;
    if (sl_file_exists(path))
        status = read_url(path, out, err);
    else
        *out = sl_path_join(folder, SL_STUDY_DATABASE);
    free(path);
    return status;
}

/* Whether a URL names a password: user:password@, or a parameter. */
static bool has_password(const char *url)
{
    const char *authority = strstr(url, "://") + 3;
    const size_t length = strcspn(authority, "/?");
    const char *at = memchr(authority, '@', length);
    if (at && memchr(authority, ':', (size_t)(at - authority))) return true;
    return strstr(url, "password=") != NULL;
}

static enum sl_status check_url(const char *url, struct sl_error *err)
{
    if (!sl_store_is_shared(url))
        return sl_fail(err, SL_ERR_USAGE,
                       "--to takes a URL of PostgreSQL: write postgresql://USER@HOST/DATABASE");
    if (has_password(url))
        return sl_fail(err, SL_ERR_USAGE,
                       "the URL contains a password, and study.database would keep it: put it into "
                       "~/.pgpass or PGPASSWORD instead");
    return SL_OK;
}

/* ---- Moving ---- */

static enum sl_status copy(const struct sl_study *study, const char *to, struct sl_error *err)
{
    struct sl_store_options options = sl_store_options_default();
    struct sl_store *source = NULL, *target = NULL;
    options.alone = true;
    SL_TRY(sl_study_open(study, &options, &source, err));
    options.create = true;
    enum sl_status status = sl_store_open(to, &options, &target, err);
    if (status == SL_OK) status = sl_store_copy(source, target, err);
    sl_store_close(target);
    sl_store_close(source);
    return status;
}

/* The file that was moved must not be taken for the study's database again. */
static enum sl_status set_aside(const char *database, int64_t now, char **kept,
                                struct sl_error *err)
{
    const time_t seconds = (time_t)(now / 1000);
    struct tm date;
    char when[32];
    if (!gmtime_r(&seconds, &date) || !strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", &date))
        return sl_fail(err, SL_ERR_USAGE, "%lld is not a time", (long long)now);
    char *name = sl_string_printf("%s.migrated-%s", database, when);
    enum sl_status status = SL_OK;
    if (sl_file_exists(name))
        status = sl_fail(err, SL_ERR_INPUT, "%s exists: move it away", name);
    else if (rename(database, name) != 0)
        status = sl_fail_errno(err, "%s", database);
    if (status == SL_OK)
        *kept = name;
    else
        free(name);
    return status;
}

/* Readable by its owner alone, like all files of a study. */
static enum sl_status write_url(const char *path, const char *url, struct sl_error *err)
{
    struct sl_writer writer;
    char *line = sl_string_printf("%s\n", url);
    enum sl_status status = sl_writer_open_private(&writer, path, err);
    if (status == SL_OK) {
        status = sl_writer_write(&writer, line, strlen(line), err);
        if (status == SL_OK) status = sl_writer_commit(&writer, err);
        sl_writer_discard(&writer);
    }
    free(line);
    return status;
}

static enum sl_status move_out(const struct sl_study *study, const char *url, int64_t now,
                               char **kept, struct sl_error *err)
{
    SL_TRY(check_url(url, err));
    SL_TRY(copy(study, url, err));
    char *path = sl_path_join(study->folder, SL_STUDY_DATABASE_URL);
    enum sl_status status = write_url(path, url, err);
    free(path);
    return status == SL_OK ? set_aside(study->database, now, kept, err) : status;
}

static enum sl_status move_back(const struct sl_study *study, char **kept, struct sl_error *err)
{
    char *file = sl_path_join(study->folder, SL_STUDY_DATABASE);
    char *url = sl_path_join(study->folder, SL_STUDY_DATABASE_URL);
    enum sl_status status = copy(study, file, err);
    if (status == SL_OK && unlink(url) != 0) status = sl_fail_errno(err, "%s", url);
    if (status == SL_OK) *kept = sl_string_copy("the tables in PostgreSQL");
    free(url);
    free(file);
    return status;
}

enum sl_status sl_study_migrate(const char *folder, const char *to, int64_t now, char **kept,
                                struct sl_error *err)
{
    struct sl_study *study = NULL;
    SL_TRY(sl_study_read(folder, &study, err));
    enum sl_status status = SL_OK;
    const bool shared = sl_store_is_shared(study->database);
    if (shared && to)
        status = sl_fail(
            err, SL_ERR_USAGE,
            "%s is in PostgreSQL already: move it back to study.db first, without --to", folder);
    else if (!shared && !to)
        status =
            sl_fail(err, SL_ERR_USAGE,
                    "%s is in study.db already: say --to postgresql://USER@HOST/DATABASE", folder);
    else
        status = to ? move_out(study, to, now, kept, err) : move_back(study, kept, err);
    sl_study_destroy(study);
    return status;
}
