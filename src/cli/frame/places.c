/* "@set/file" on the command line: a file of a data set that softlab fetch made available, wherever
 * that is on this machine. Specs and examples can so name data without naming folders. */
#include <stdlib.h>

#include "cli.h"

static enum sl_status find_place(struct cli *cli, const char *typed, const char **out,
                                 struct sl_error *err)
{
    if (typed[0] != '@') {
        *out = typed;
        return SL_OK;
    }
    char *path = NULL;
    SL_TRY(sl_fetch_place(typed, &cli->workplace.roots, &path, err));
    cli->places = sl_resize(cli->places, cli->n_places + 1, sizeof *cli->places);
    cli->places[cli->n_places++] = (struct cli_place){path, typed, SL_FIELD_WORD};
    *out = path;
    return SL_OK;
}

enum sl_status cli_find_places(struct cli *cli, void *values, struct sl_error *err)
{
    for (const struct sl_field_row *o = cli->command->options; o && o->name; o++) {
        const char **field = (const char **)((char *)values + o->offset);
        if ((o->kind != SL_FIELD_PATH && o->kind != SL_FIELD_SOURCE) || !*field || **field != '@')
            continue;
        SL_TRY(find_place(cli, *field, field, err));
    }
    for (size_t i = 0; i < cli->n_arguments; i++) {
        const char *path = NULL;
        if (cli->arguments[i][0] != '@') continue;
        SL_TRY(find_place(cli, cli->arguments[i], &path, err));
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
        if (cli->places[i].path == text && cli->places[i].stream != SL_FIELD_WORD)
            return cli->places[i].stream == SL_FIELD_PATH ? "standard input" : "standard output";
    return cli_typed(cli, text);
}

void cli_places_release(struct cli *cli)
{
    for (size_t i = 0; i < cli->n_places; i++)
        free(cli->places[i].path);
    free(cli->places);
}
