#include <stdlib.h>

#include "cmd.h"
#include "softlab/study.h"

struct migrate_values {
    const char *to;
};

#define AT(field) .offset = offsetof(struct migrate_values, field)
static const struct sl_field_row migrate_options[] = {
    {"to", SL_FIELD_WORD, AT(to),
     "the PostgreSQL database to move the study into; without this option the study moves back "
     "into study.db",
     .value = "URL"},
    {.name = NULL},
};
#undef AT

static const struct cli_argument migrate_arguments[] = {
    {.name = "FOLDER", .help = "the study's folder", .kind = SL_FIELD_FOLDER},
    {.name = NULL},
};

static enum sl_status run_migrate(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct migrate_values *options = values;
    char *kept = NULL;
    enum sl_status status = sl_study_migrate(cli->arguments[0], options->to, cli_now(), &kept, err);
    if (status == SL_OK)
        printf("%s is now in %s; what was there before is kept: %s\n", cli->arguments[0],
               options->to ? "PostgreSQL" : SL_STUDY_DATABASE, kept);
    free(kept);
    return status;
}

static const struct cli_example migrate_examples[] = {
    {"softlab study migrate birds --to postgresql://lab@db.example.org/birds",
     "before several servers serve it"},
    {"softlab study migrate birds", "back into birds/study.db"},
    {NULL, NULL},
};

const struct cli_command cmd_study_migrate = {
    .name = "study migrate",
    .also = "move database",
    .group = "studies",
    .summary = "move a study's database into PostgreSQL, or back into a file",
    .description =
        "Copies everything in one transaction; exports before and after are equal byte by byte. "
        "The database, or the schema that search_path in the URL names, must be empty, or hold "
        "what "
        "an earlier move of this study left. Nobody can open the database that a study left; a "
        "move "
        "that was interrupted ends when the command is given again. The "
        "study's folder remembers the URL in study.database, so that other commands need no "
        "option; put the password into ~/.pgpass or PGPASSWORD. Stop the server first: the command "
        "refuses to run while anybody has the database open. docs/scale-postgresql.md says how "
        "several servers share a study.",
    .arguments = migrate_arguments,
    .options = migrate_options,
    .examples = migrate_examples,
    .values_size = sizeof(struct migrate_values),
    .run = run_migrate,
};
