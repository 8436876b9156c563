/* Backing up and restoring a study's database. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "study/config/identity.h"
#include "study/purge_list.h"

/* A backup is made whatever study.json says: the database may be all that is left. */
static void say_what_differs(const char *folder, struct sl_store *store, const struct sl_log *log)
{
    struct sl_study *study = NULL;
    struct sl_error err;
    enum sl_status status = sl_study_read(folder, &study, &err);
    if (status == SL_OK) status = sl_identity_check(study, store, &err);
    if (status == SL_OK) status = sl_study_check_pictures(study, store, &err);
    if (status != SL_OK) sl_log(log, SL_LOG_WARNING, "the backup is made, but %s", err.message);
    sl_study_destroy(study);
}

enum sl_status sl_study_backup(const char *folder, const char *path, const struct sl_log *log,
                               struct sl_error *err)
{
    struct sl_store_options options = sl_store_options_default();
    struct sl_store *store = NULL;
    if (!sl_folder_exists(folder))
        return sl_fail(err, SL_ERR_NOT_FOUND, "%s: no such folder", folder);
    SL_TRY(sl_study_check_output(folder, path, err));
    char *database = NULL;
    SL_TRY(sl_study_database(folder, &database, err));
    options.read_only = options.any_layout = true;
    enum sl_status status = sl_store_open(database, &options, &store, err);
    if (status == SL_OK) status = sl_store_backup(store, path, err);
    if (status == SL_OK) say_what_differs(folder, store, log);
    sl_store_close(store);
    free(database);
    return status;
}

struct restoring {
    const struct sl_study *study;
    char id[SL_STUDY_ID_TEXT]; /* of the database that is replaced, or "" */
    int64_t now;
    size_t sessions;
};

/* Checks that the copy is of this study, and removes people who withdrew after it was made, before
 * it replaces anything. */
static enum sl_status prepare_copy(struct sl_store *copy, void *context, struct sl_error *err)
{
    struct restoring *restoring = context;
    char id[SL_STUDY_ID_TEXT];
    SL_TRY(sl_identity_id(copy, id, err));
    const char *wanted = *restoring->study->id ? restoring->study->id : restoring->id;
    if (*wanted && strcmp(wanted, id) != 0)
        return sl_fail(
            err, SL_ERR_INPUT,
            "the backup belongs to the study %s, but %s is the study %s: give a backup of this "
            "study",
            *id ? id : "without an id", restoring->study->folder, wanted);
    SL_TRY(sl_identity_check(restoring->study, copy, err));
    return sl_purged_apply(restoring->study->folder, copy, restoring->now, &restoring->sessions,
                           err);
}

/* The id of the current database, if it can be read. */
static void read_present_id(const char *database, char out[SL_STUDY_ID_TEXT])
{
    struct sl_store_options options = sl_store_options_default();
    struct sl_store *store = NULL;
    options.read_only = options.any_layout = options.moved = true;
    *out = '\0';
    if (sl_store_open(database, &options, &store, NULL) != SL_OK) return;
    if (sl_identity_id(store, out, NULL) != SL_OK) *out = '\0';
    sl_store_close(store);
}

enum sl_status sl_study_restore(const char *backup, const char *folder, int64_t now,
                                struct sl_study_restored *out, struct sl_error *err)
{
    struct restoring restoring = {.now = now};
    struct sl_study *study = NULL;
    *out = (struct sl_study_restored){0};
    SL_TRY(sl_study_read(folder, &study, err));
    const char *database = study->database;
    enum sl_status status = SL_OK;
    if (sl_path_same(backup, database)) {
        status =
            sl_fail(err, SL_ERR_INPUT, "%s is the study's own database: give a backup", backup);
        goto out;
    }
    restoring.study = study;
    read_present_id(database, restoring.id);
    const struct sl_store_restoration how = {
        .now = now, .prepare = prepare_copy, .context = &restoring};
    SL_TRY_OUT(sl_store_restore(backup, database, &how, &out->set_aside, err));
    out->purged_sessions = restoring.sessions;
out:
    sl_study_destroy(study);
    return status;
}

void sl_study_restored_release(struct sl_study_restored *restored)
{
    free(restored->set_aside);
    *restored = (struct sl_study_restored){0};
}
