#include <string.h>

#include "cmd.h"

static const struct {
    const char *name;
    void (*print)(FILE *);
} shells[] = {
    {"bash", cli_completion_bash},
    {"zsh", cli_completion_zsh},
    {"fish", cli_completion_fish},
};

static const char *shell_names(size_t index)
{
    return index < sizeof shells / sizeof *shells ? shells[index].name : NULL;
}

static const struct cli_argument completion_arguments[] = {
    {.name = "SHELL", .help = "bash, zsh or fish", .kind = SL_FIELD_CHOICE, .choices = shell_names},
    {.name = NULL},
};

static enum sl_status run_completion(struct cli *cli, const void *values, struct sl_error *err)
{
    (void)values;
    for (size_t i = 0; shell_names(i); i++) {
        if (strcmp(cli->arguments[0], shells[i].name) != 0) continue;
        shells[i].print(stdout);
        return SL_OK;
    }
    return sl_fail(err, SL_ERR_USAGE, "no completion for \"%s\", only for bash, zsh and fish",
                   cli->arguments[0]);
}

static const struct cli_example completion_examples[] = {
    {"source <(softlab completion bash)", "complete commands and options in this shell"},
    {NULL, NULL},
};

const struct cli_command cmd_completion = {
    .name = "completion",
    .also = "completions autocomplete",
    .group = "about",
    .summary = "print a completion script for a shell",
    .description = "Prints a script that completes commands, options and known names. make install "
                   "puts the three of them where the shells look.",
    .arguments = completion_arguments,
    .examples = completion_examples,
    .run = run_completion,
};
