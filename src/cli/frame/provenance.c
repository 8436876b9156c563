#include "cli.h"

struct sl_asked cli_asked(const struct cli *cli)
{
    return (struct sl_asked){.command = cli->command->name,
                             .arguments = cli->arguments,
                             .n_arguments = cli->n_arguments,
                             .tables = {cli_task_options(cli->command), cli->command->options},
                             .values = cli->values,
                             .places = &cli->places};
}

json_t *cli_provenance(const struct cli *cli)
{
    const struct sl_asked asked = cli_asked(cli);
    return sl_asked_json(&asked);
}

char *cli_rows_provenance(const struct cli *cli, const char *output, const char *const *without)
{
    const struct sl_asked asked = cli_asked(cli);
    return sl_asked_for_rows(&asked, output, without);
}
