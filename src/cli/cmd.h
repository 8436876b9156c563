/* The commands; each is defined in its cmd_<name>.c and listed in commands.c. */
#ifndef SOFTLAB_CLI_CMD_H
#define SOFTLAB_CLI_CMD_H

#include "cli.h"

/* Shared by the commands that open data sets (cmd_dataset.c): the names to complete, and
 * opening with the items of an index file chosen. */
const char *cli_dataset_names(size_t index);
enum sl_status cli_open_dataset(const struct cli *cli, const char *name, const char *split,
                                struct sl_dataset **out, struct sl_error *err);

extern const struct cli_command cmd_completion;
extern const struct cli_command cmd_dataset;
extern const struct cli_command cmd_dataset_mix;
extern const struct cli_command cmd_fetch;
extern const struct cli_command cmd_help;
extern const struct cli_command cmd_manual;
extern const struct cli_command cmd_version;

#endif
