#include <stdio.h>
#include <string.h>

#include "cmd.h"

/* Commands of one group stand together: the overview prints a heading where it changes. */
const struct cli_command *const cli_commands[] = {
    &cmd_study_init,   &cmd_study_serve,     &cmd_study_password, &cmd_study_simulate,
    &cmd_study_status, &cmd_study_export,    &cmd_study_backup,   &cmd_study_restore,
    &cmd_study_purge,  &cmd_import,          &cmd_labels,         &cmd_quality,
    &cmd_compare,      &cmd_simulate_labels, &cmd_mixing,         &cmd_models,
    &cmd_train,        &cmd_predict,         &cmd_eval,           &cmd_run,
    &cmd_report,       &cmd_export,          &cmd_bench,          &cmd_fetch,
    &cmd_dataset,      &cmd_dataset_corrupt, &cmd_dataset_mix,    &cmd_help,
    &cmd_version,      &cmd_manual,          &cmd_completion,     NULL,
};

/* How many of `words` spell the command's name; 0 if they do not. */
static size_t words_matched(const char *name, char **words, size_t n_words)
{
    size_t used = 0;
    while (used < n_words) {
        size_t length = strcspn(name, " ");
        if (strlen(words[used]) != length || memcmp(words[used], name, length) != 0) return 0;
        used++;
        if (name[length] == '\0') return used;
        name += length + 1;
    }
    return 0;
}

const struct cli_command *cli_find_command(char **words, size_t n_words, size_t *n_used)
{
    const struct cli_command *found = NULL;
    *n_used = 0;
    for (size_t i = 0; cli_commands[i]; i++) {
        size_t used = words_matched(cli_commands[i]->name, words, n_words);
        if (used > *n_used) {
            found = cli_commands[i];
            *n_used = used;
        }
    }
    return found;
}

const char *cli_nearest_command(const char *typed)
{
    const char *names[sizeof cli_commands / sizeof *cli_commands] = {NULL};
    for (size_t i = 0; cli_commands[i]; i++)
        names[i] = cli_commands[i]->name;
    return sl_text_nearest(typed, names);
}
