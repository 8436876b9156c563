#include <stdlib.h>

#include "cmd.h"
#include "softlab/base/text.h"
#include "softlab/study.h"

struct backup_values {
    bool unused; /* a command's values are never empty */
};

struct restore_values {
    bool force;
};

static const struct sl_field_row backup_options[] = {{.name = NULL}};

#define AT(field) .offset = offsetof(struct restore_values, field)
static const struct sl_field_row restore_options[] = {
    {"force", SL_FIELD_BOOLEAN, AT(force),
     "replace an existing database, which is kept under another name"},
    {.name = NULL},
};
#undef AT

static const struct cli_argument backup_arguments[] = {
    {.name = "FOLDER", .help = "a folder that softlab study init made", .kind = SL_FIELD_FOLDER},
    {.name = "FILE", .help = "where the copy goes", .kind = SL_FIELD_OUTPUT},
    {.name = NULL},
};

static const struct cli_argument restore_arguments[] = {
    {.name = "FILE", .help = "a file that softlab study backup wrote", .kind = SL_FIELD_PATH},
    {.name = "FOLDER", .help = "the study's folder", .kind = SL_FIELD_FOLDER},
    {.name = NULL},
};

static enum sl_status run_backup(struct cli *cli, const void *values, struct sl_error *err)
{
    (void)values;
    return sl_study_backup(cli->arguments[0], cli->arguments[1], &cli->log, err);
}

static void say_what_was_done(const struct cli *cli, const struct sl_study_restored *restored)
{
    printf("%s is restored\n", cli->arguments[1]);
    if (restored->set_aside) printf("what was there is kept as %s\n", restored->set_aside);
    if (restored->purged_sessions > 0)
        printf("left out %zu session%s of people who were purged since the backup was made\n",
               restored->purged_sessions, sl_text_plural(restored->purged_sessions, "", "s"));
}

static enum sl_status run_restore(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct restore_values *options = values;
    struct sl_study_restored restored = {0};
    char *path = sl_path_join(cli->arguments[1], SL_STUDY_DATABASE);
    enum sl_status status = SL_OK;
    if (sl_file_exists(path) && !options->force)
        status =
            sl_fail(err, SL_ERR_INPUT,
                    "%s is there already: stop the server and say --force to replace it", path);
    else
        status = sl_study_restore(cli->arguments[0], cli->arguments[1], cli_now(), &restored, err);
    if (status == SL_OK) say_what_was_done(cli, &restored);
    sl_study_restored_release(&restored);
    free(path);
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
    .description =
        "Copies the database as it is at one moment. A file of that name is replaced once the copy "
        "is complete, unless the file belongs to the study. Only its owner can read the copy. "
        "Items and texts are ordinary files; keep study.json and study.purged beside the copy.",
    .arguments = backup_arguments,
    .options = backup_options,
    .examples = backup_examples,
    .values_size = sizeof(struct backup_values),
    .run = run_backup,
};

const struct cli_command cmd_study_restore = {
    .name = "study restore",
    .group = "studies",
    .summary = "replace a study's database by a backup",
    .description = "Checks that the backup belongs to this study, then puts a copy of it in place "
                   "in one step. The old database is kept as study.db.before-restore- with the "
                   "time, and is never overwritten. People who were purged after the backup was "
                   "made stay purged: study.purged in the study's folder lists them. The command "
                   "refuses to run while the study is served or another command uses it.",
    .arguments = restore_arguments,
    .options = restore_options,
    .examples = restore_examples,
    .values_size = sizeof(struct restore_values),
    .run = run_restore,
};
