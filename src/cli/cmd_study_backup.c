#include <stdlib.h>

#include "cmd.h"
#include "softlab/study.h"

struct backup_values {
    bool unused; /* a command's values are never empty */
};

struct restore_values {
    bool force;
};

static const struct cli_option backup_options[] = {{.name = NULL}};

static const struct cli_option restore_options[] = {
    {.name = "force",
     .kind = CLI_FLAG,
     .help = "also where there is a database, which is kept as study.db.before-restore",
     .offset = offsetof(struct restore_values, force)},
    {.name = NULL},
};

static const struct cli_argument backup_arguments[] = {
    {.name = "FOLDER", .help = "a study that softlab study init made", .kind = CLI_FOLDER},
    {.name = "FILE", .help = "where the copy goes", .kind = CLI_OUTPUT},
    {.name = NULL},
};

static const struct cli_argument restore_arguments[] = {
    {.name = "FILE", .help = "a copy that softlab study backup made", .kind = CLI_PATH},
    {.name = "FOLDER", .help = "the study it is of", .kind = CLI_FOLDER},
    {.name = NULL},
};

static enum sl_status run_backup(struct cli *cli, const void *values, struct sl_error *err)
{
    (void)values;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_study_read(cli->arguments[0], &study, err));
    SL_TRY_OUT(sl_study_store(study, true, &store, err));
    status = sl_store_backup(store, cli->arguments[1], err);
out:
    sl_store_close(store);
    sl_study_destroy(study);
    return status;
}

/* The store checks the copy before it takes the place of anything. */
static enum sl_status run_restore(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct restore_values *options = values;
    struct sl_study *study = NULL;
    SL_TRY(sl_study_read(cli->arguments[1], &study, err));
    char *path = sl_path_join(study->folder, "study.db");
    enum sl_status status = SL_OK;
    if (sl_file_exists(path) && !options->force)
        status =
            sl_fail(err, SL_ERR_INPUT,
                    "%s is there already: stop the server and say --force to replace it", path);
    else
        status = sl_store_restore(cli->arguments[0], path, err);
    free(path);
    sl_study_destroy(study);
    return status;
}

static const struct cli_example backup_examples[] = {
    {"softlab study backup birds birds-monday.db", "while the study goes on"},
    {NULL, NULL},
};

static const struct cli_example restore_examples[] = {
    {"softlab study restore birds-monday.db birds --force", "with the server stopped"},
    {NULL, NULL},
};

const struct cli_command cmd_study_backup = {
    .name = "study backup",
    .also = "dump snapshot",
    .group = "studies",
    .summary = "a consistent copy of a study's database, also while it is served",
    .description = "Copies the database as it is at one moment; a file of that name is replaced "
                   "when the copy is whole. Items and texts are files and can be copied as such.",
    .arguments = backup_arguments,
    .options = backup_options,
    .examples = backup_examples,
    .values_size = sizeof(struct backup_values),
    .run = run_backup,
};

const struct cli_command cmd_study_restore = {
    .name = "study restore",
    .group = "studies",
    .summary = "put a backup in the place of a study's database",
    .description = "Checks the backup, then puts a copy of it in place in one step. What was there "
                   "is kept as study.db.before-restore. The server must not run.",
    .arguments = restore_arguments,
    .options = restore_options,
    .examples = restore_examples,
    .values_size = sizeof(struct restore_values),
    .run = run_restore,
};
