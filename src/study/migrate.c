/* Where a study's database is, and moving it. */
#define _GNU_SOURCE /* realpath, gethostname */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "study/config/config.h"
#include "study/config/identity.h"
#include "study/secret.h"
#include "study/session/stimuli.h"

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

/* ---- Moving ---- */

/* Both ends, claimed until the folder says where the study is. */
struct ends {
    struct sl_store *source, *target;
};

static void close_ends(struct ends *ends)
{
    sl_store_close(ends->target);
    sl_store_close(ends->source);
}

static enum sl_status open_ends(const struct sl_study *study, const char *to, struct ends *out,
                                struct sl_error *err)
{
    struct sl_store_options options = sl_store_options_default();
    options.alone = options.moved = true;
    SL_TRY(sl_study_open(study, &options, &out->source, err));
    options.create = true;
    return sl_store_open(to, &options, &out->target, err);
}

/* The file's name as people elsewhere must know it; owned by the caller. */
static char *where_is(const char *folder)
{
    char host[HOST_NAME_MAX + 1] = "";
    char *whole = realpath(folder, NULL);
    (void)gethostname(host, sizeof host - 1);
    char *where = sl_string_printf("%s/" SL_STUDY_DATABASE " of %s", whole ? whole : folder, host);
    free(whole);
    return where;
}

/* `where`: see struct sl_store_move. */
static enum sl_status move(const struct ends *ends, const char *where, int64_t now,
                           struct sl_error *err)
{
    char word[SL_STORE_MOVE_TEXT];
    SL_TRY(sl_secret_init(err));
    sl_secret_word(word, sizeof word - 1);
    return sl_store_move(ends->source, ends->target,
                         &(struct sl_store_move){
                             .identity = SL_STIMULI_KEY, .move = word, .where = where, .now = now},
                         err);
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
    struct ends ends = {0};
    char *path = sl_path_join(study->folder, SL_STUDY_DATABASE_URL);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(open_ends(study, url, &ends, err));
    SL_TRY_OUT(move(&ends, NULL, now, err));
    SL_TRY_OUT(write_url(path, url, err));
    status = sl_store_set_aside(ends.source, "migrated", now, kept, err);
out:
    close_ends(&ends);
    free(path);
    return status;
}

static enum sl_status move_back(const struct sl_study *study, int64_t now, char **kept,
                                struct sl_error *err)
{
    struct ends ends = {0};
    char *file = sl_path_join(study->folder, SL_STUDY_DATABASE);
    char *url = sl_path_join(study->folder, SL_STUDY_DATABASE_URL);
    char *where = where_is(study->folder);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(open_ends(study, file, &ends, err));
    SL_TRY_OUT(move(&ends, where, now, err));
    if (unlink(url) == 0)
        *kept = sl_string_copy("the tables in PostgreSQL");
    else
        status = sl_fail_errno(err, "%s", url);
out:
    close_ends(&ends);
    free(where);
    free(url);
    free(file);
    return status;
}

/* A move to PostgreSQL that was killed before study.db got its other name: the folder names the URL
 * already. That study.db is what is left, it says itself. */
static bool is_unfinished(const struct sl_study *study, const char *to, const char *file)
{
    return strcmp(study->database, to) == 0 && sl_file_exists(file);
}

enum sl_status sl_study_migrate(const char *folder, const char *to, int64_t now, char **kept,
                                struct sl_error *err)
{
    struct sl_study *study = NULL;
    if (to) SL_TRY(sl_store_check_url("--to", to, err));
    SL_TRY(sl_study_read(folder, &study, err));
    char *file = sl_path_join(folder, SL_STUDY_DATABASE);
    enum sl_status status = SL_OK;
    if (to && is_unfinished(study, to, file)) sl_study_set_text(&study->database, file);
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
        status = to ? move_out(study, to, now, kept, err) : move_back(study, now, kept, err);
    free(file);
    sl_study_destroy(study);
    return status;
}
