#include "cmd.h"
#include "softlab/base/text.h"
#include "softlab/study.h"

struct purge_values {
    const char *participant;
};

#define AT(field) .offset = offsetof(struct purge_values, field)
static const struct sl_field_row purge_options[] = {
    {"participant", SL_FIELD_WORD, AT(participant),
     "the person to remove, by the recruiter's id or the name in exports", .letter = 'p',
     .value = "ID"},
    {.name = NULL},
};
#undef AT

static void say_what_went(const struct cli *cli, const struct sl_store_purged *removed)
{
    if (removed->sessions == 0)
        printf("nothing of this participant is left: they were removed before\n");
    else
        printf("removed %zu session%s, %zu answer%s and %zu event%s; backups, files exported "
               "before and databases set aside by a restore still have them\n",
               removed->sessions, sl_text_plural(removed->sessions, "", "s"), removed->answers,
               sl_text_plural(removed->answers, "", "s"), removed->events,
               sl_text_plural(removed->events, "", "s"));
    if (removed->log_in_use)
        sl_log(&cli->log, SL_LOG_WARNING,
               "%s/study.db-wal still has their bytes, since another program reads the database: "
               "run softlab study purge again when it has ended",
               cli->arguments[0]);
}

static enum sl_status run_purge(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct purge_values *options = values;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_store_purged removed = {0};
    enum sl_status status = SL_OK;
    if (!options->participant)
        return sl_fail(err, SL_ERR_USAGE, "whom? Say --participant with the recruiter's id");
    SL_TRY_OUT(sl_study_read(cli->arguments[0], &study, err));
    SL_TRY_OUT(sl_study_store(study, false, &store, err));
    SL_TRY_OUT(sl_study_purge(study, store, options->participant, cli_now(), &removed, err));
    say_what_went(cli, &removed);
out:
    sl_store_close(store);
    sl_study_destroy(study);
    return status;
}

static const struct cli_example purge_examples[] = {
    {"softlab study purge birds --participant 5f0c...", "all of one person, for good"},
    {NULL, NULL},
};

const struct cli_command cmd_study_purge = {
    .name = "study purge",
    .also = "forget erase",
    .group = "studies",
    .summary = "delete everything of one participant",
    .description =
        "Removes the sessions, answers and events of one person from the database and their bytes "
        "from the disk, also while the study is served. The database stores people under a keyed "
        "hash; the command computes it from the recruiter's id, or finds it by the name in "
        "exports. The export format changes says when somebody was removed, not who. Delete "
        "earlier copies yourself; a restored backup is purged again, by the list study.purged.",
    .arguments = cli_study_argument,
    .options = purge_options,
    .examples = purge_examples,
    .values_size = sizeof(struct purge_values),
    .run = run_purge,
};
