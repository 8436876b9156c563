/* Options and arguments that would be ignored. Tables say in which modes an option does something
 * and which others it needs; here that is held against what was typed. */
#include <string.h>

#include "cli.h"

bool cli_is_given(const struct cli *cli, const char *name, size_t length)
{
    const struct sl_field_row *o;
    for (size_t i = 0; (o = cli_option(cli->command, i)) != NULL; i++)
        if (strlen(o->name) == length && memcmp(o->name, name, length) == 0)
            return cli->given >> i & 1;
    return false;
}

/* SL_OK if one of the options that `option` needs was typed too. */
static enum sl_status check_needs(const struct cli *cli, const struct sl_field_row *option,
                                  struct sl_error *err)
{
    char names[120] = "";
    size_t used = 0;
    for (const char *at = option->needs; *at; at += *at == ',') {
        const size_t length = strcspn(at, ",");
        if (cli_is_given(cli, at, length)) return SL_OK;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s--%.*s", used ? " or " : "",
                                 (int)length, at);
        at += length;
    }
    return sl_fail(err, SL_ERR_USAGE, "--%s has no effect without %s", option->name, names);
}

enum sl_status cli_check_modes(const struct cli *cli, const void *values, struct sl_error *err)
{
    const struct cli_command *command = cli->command;
    struct cli_mode mode = {.does = UINT64_MAX};
    if (command->mode) command->mode(cli, values, &mode);
    if (mode.alone && cli->n_arguments > 0)
        return sl_fail(err, SL_ERR_USAGE, "\"%s\" has no effect with %s: leave it out",
                       cli_shown(cli, cli->arguments[0]), mode.name);
    const struct sl_field_row *o;
    for (size_t i = 0; (o = cli_option(command, i)) != NULL; i++) {
        if (!(cli->given >> i & 1)) continue;
        if (o->modes && !(o->modes & mode.does))
            return sl_fail(err, SL_ERR_USAGE, "--%s has no effect with %s: leave it out", o->name,
                           mode.name);
        if (o->needs) SL_TRY(check_needs(cli, o, err));
    }
    return SL_OK;
}
