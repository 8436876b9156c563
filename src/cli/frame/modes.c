/* Options and arguments that would be ignored. Tables say in which modes an option does something
 * and which others it needs; here that is held against what was typed. */
#include <string.h>

#include "cli.h"

enum { TABLES = 2 };

static void tables_of(const struct cli *cli, struct sl_option_table out[TABLES])
{
    out[0] = (struct sl_option_table){.rows = cli_task_options(cli->command)};
    out[1] = (struct sl_option_table){.rows = cli->command->options};
}

bool cli_is_given(const struct cli *cli, const char *name)
{
    struct sl_option_table tables[TABLES];
    tables_of(cli, tables);
    return sl_option_is_given(tables, TABLES, cli->given, name, strlen(name));
}

void cli_find_mode(const struct cli *cli, const void *values, struct sl_option_mode *out)
{
    const struct cli_command *command = cli->command;
    *out = (struct sl_option_mode){.does = UINT64_MAX};
    if (command->mode)
        command->mode(cli, values, out);
    else if (command->task && command->task->mode)
        command->task->mode(values, cli->arguments, cli->n_arguments, out);
}

enum sl_status cli_check_modes(const struct cli *cli, const void *values, struct sl_error *err)
{
    struct sl_option_table tables[TABLES];
    struct sl_option_mode mode;
    tables_of(cli, tables);
    cli_find_mode(cli, values, &mode);
    const char *argument = cli->n_arguments > 0 ? cli_shown(cli, cli->arguments[0]) : NULL;
    return sl_options_check(tables, TABLES, cli->given, &mode, argument, err);
}
