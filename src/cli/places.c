/* "@set/file" on the command line: a file of a data set that softlab fetch made available, wherever
 * that is on this machine. Specs and examples can so name data without naming folders. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum sl_status cli_find_place(struct cli *cli, const char *typed, const char **out,
                              struct sl_error *err)
{
    if (typed[0] != '@') {
        *out = typed;
        return SL_OK;
    }
    const char *name = typed + 1;
    const size_t length = strcspn(name, "/");
    char *set = sl_string_copy_n(name, length), *folder = NULL;
    enum sl_status status = SL_OK;
    if (!sl_fetch_find(set)) {
        status = sl_fail(err, SL_ERR_NOT_FOUND,
                         "%s: no data set is called \"%s\", see softlab fetch --list; a file of "
                         "that name is ./%s",
                         typed, set, typed);
        goto out;
    }
    SL_TRY_OUT(sl_fetch_locate(set, &cli->roots, &folder, err));
    char *path = name[length] ? sl_path_join(folder, name + length + 1) : sl_string_copy(folder);
    if (!sl_file_exists(path) && !sl_folder_exists(path)) {
        status = sl_fail(err, SL_ERR_NOT_FOUND, "%s: %s has no such file", typed, set);
        free(path);
        goto out;
    }
    cli->places = sl_resize(cli->places, cli->n_places + 1, sizeof *cli->places);
    cli->places[cli->n_places++] = (struct cli_place){path, typed, CLI_TEXT};
    *out = path;
out:
    free(set);
    free(folder);
    return status;
}

enum sl_status cli_find_places(struct cli *cli, void *values, struct sl_error *err)
{
    for (const struct cli_option *o = cli->command->options; o && o->name; o++) {
        const char **field = (const char **)((char *)values + o->offset);
        if ((o->kind != CLI_PATH && o->kind != CLI_SOURCE) || !*field || **field != '@') continue;
        SL_TRY(cli_find_place(cli, *field, field, err));
    }
    for (size_t i = 0; i < cli->n_arguments; i++) {
        const char *path = NULL;
        if (cli->arguments[i][0] != '@') continue;
        SL_TRY(cli_find_place(cli, cli->arguments[i], &path, err));
        cli->arguments[i] = cli->places[cli->n_places - 1].path;
    }
    return SL_OK;
}

const char *cli_typed(const struct cli *cli, const char *text)
{
    for (size_t i = 0; i < cli->n_places; i++)
        if (cli->places[i].path == text) return cli->places[i].typed;
    return text;
}

const char *cli_shown(const struct cli *cli, const char *text)
{
    for (size_t i = 0; i < cli->n_places; i++)
        if (cli->places[i].path == text && cli->places[i].stream != CLI_TEXT)
            return cli->places[i].stream == CLI_PATH ? "standard input" : "standard output";
    return cli_typed(cli, text);
}

void cli_places_release(struct cli *cli)
{
    for (size_t i = 0; i < cli->n_places; i++)
        free(cli->places[i].path);
    free(cli->places);
}
