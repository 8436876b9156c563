/* What stands for a path on the command line: see softlab/pipeline/places.h. */
#include <stdlib.h>

#include "cli.h"

enum sl_status cli_find_places(struct cli *cli, void *values, struct sl_error *err)
{
    const struct sl_data_roots *roots = &cli->workplace.roots;
    SL_TRY(sl_places_find_fields(&cli->places, roots, cli_task_options(cli->command), values, err));
    SL_TRY(sl_places_find_fields(&cli->places, roots, cli->command->options, values, err));
    return sl_places_find_all(&cli->places, roots, cli->arguments, cli->n_arguments, err);
}

const char *cli_typed(const struct cli *cli, const char *text)
{
    return sl_places_typed(&cli->places, text);
}

const char *cli_shown(const struct cli *cli, const char *text)
{
    const struct sl_places *places = &cli->places;
    for (size_t i = 0; i < places->count; i++)
        if (places->items[i].path == text && places->items[i].stream != SL_FIELD_WORD)
            return places->items[i].stream == SL_FIELD_PATH ? "standard input" : "standard output";
    return cli_typed(cli, text);
}
