#include <string.h>

#include "cmd.h"

/* The first words of commands. */
static const char *command_names(size_t index)
{
    for (size_t i = 0; cli_commands[i]; i++)
        if (!strchr(cli_commands[i]->name, ' ') && index-- == 0) return cli_commands[i]->name;
    return NULL;
}

static const struct cli_argument help_arguments[] = {
    {.name = "COMMAND",
     .help = "the command to describe (default: all)",
     .kind = SL_FIELD_CHOICE,
     .choices = command_names,
     .optional = true,
     .repeated = true},
    {.name = NULL},
};

static enum sl_status run_help(struct cli *cli, const void *values, struct sl_error *err)
{
    (void)values;
    if (cli->n_arguments == 0) {
        cli_help_overview(stdout);
        return SL_OK;
    }
    size_t n_used = 0;
    const struct cli_command *command = cli_find_command(cli->arguments, cli->n_arguments, &n_used);
    if (!command || n_used != cli->n_arguments)
        return cli_unknown_command(cli->arguments, cli->n_arguments, err);
    cli_help_command(command, stdout);
    return SL_OK;
}

const struct cli_command cmd_help = {
    .name = "help",
    .group = "about",
    .summary = "describe the commands, or one of them",
    .description = "Prints what softlab COMMAND --help prints.",
    .arguments = help_arguments,
    .run = run_help,
};
