#include <stdio.h>
#include <string.h>

#include "cmd.h"

/* Commands of one group stand together: the overview prints a heading where it changes. */
const struct cli_command *const cli_commands[] = {
    &cmd_study,
    &cmd_study_init,
    &cmd_study_check,
    &cmd_study_serve,
    &cmd_study_links,
    &cmd_study_password,
    &cmd_study_simulate,
    &cmd_study_status,
    &cmd_study_audit,
    &cmd_study_export,
    &cmd_study_backup,
    &cmd_study_restore,
    &cmd_study_migrate,
    &cmd_study_purge,
    &cmd_import,
    &cmd_labels,
    &cmd_quality,
    &cmd_advise,
    &cmd_compare,
    &cmd_worth,
    &cmd_simulate_labels,
    &cmd_mixing,
    &cmd_next,
    &cmd_plan,
    &cmd_models,
    &cmd_train,
    &cmd_predict,
    &cmd_eval,
    &cmd_run,
    &cmd_report,
    &cmd_export,
    &cmd_bench,
    &cmd_fetch,
    &cmd_dataset,
    &cmd_dataset_corrupt,
    &cmd_dataset_mix,
    &cmd_help,
    &cmd_version,
    &cmd_manual,
    &cmd_completion,
    NULL,
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

const struct cli_command *const *cli_next_within(const struct cli_command *family,
                                                 const struct cli_command *const *at)
{
    size_t length = strlen(family->name);
    for (at = at ? at + 1 : cli_commands; *at; at++)
        if (strncmp((*at)->name, family->name, length) == 0 && (*at)->name[length] == ' ')
            return at;
    return NULL;
}

static const char *last_word(const char *name)
{
    const char *space = strrchr(name, ' ');
    return space ? space + 1 : name;
}

/* The command that people may call `word`: by another name, or by its second word alone. */
static const struct cli_command *find_by_word(const struct cli_command *family, const char *word,
                                              bool second)
{
    for (size_t i = 0; cli_commands[i]; i++) {
        const struct cli_command *command = cli_commands[i];
        const char *space = strchr(command->name, ' ');
        if (family && (!space || strncmp(command->name, family->name, strlen(family->name)) != 0))
            continue;
        if (second ? space && strcmp(space + 1, word) == 0 : sl_text_known_as(word, command->also))
            return command;
    }
    return NULL;
}

enum sl_status cli_unknown_command(char **words, size_t n_words, struct sl_error *err)
{
    size_t n_used = 0;
    const struct cli_command *family = cli_find_command(words, 1, &n_used);
    if (n_words < 2 || (family && !cli_next_within(family, NULL))) family = NULL;
    char typed[160];
    snprintf(typed, sizeof typed, "%s%s%s", words[0], family ? " " : "", family ? words[1] : "");
    const char *names[sizeof cli_commands / sizeof *cli_commands] = {NULL};
    for (size_t i = 0; cli_commands[i]; i++)
        names[i] = cli_commands[i]->name;
    const struct cli_command *meant = find_by_word(family, last_word(typed), false);
    char ending[SL_SUGGESTION_TEXT];
    const char *near = meant ? NULL : sl_text_suggestion(typed, names, NULL, ending);
    if (near) return sl_fail(err, SL_ERR_USAGE, "no command \"%s\"%s", typed, near);
    if (!meant) meant = find_by_word(family, last_word(typed), true);
    if (meant)
        return sl_fail(err, SL_ERR_USAGE, "no command \"%s\", softlab %s is for that: %s", typed,
                       meant->name, meant->summary);
    return sl_fail(err, SL_ERR_USAGE, "no command \"%s\", see softlab help%s%s", typed,
                   family ? " " : "", family ? family->name : "");
}
