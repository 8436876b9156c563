#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Paths may hold any bytes, JSON only UTF-8: what is not becomes a question mark. */
static json_t *text_json(const char *text)
{
    char *copy = sl_string_copy(text);
    size_t length = strlen(copy);
    for (size_t valid; (valid = sl_utf8_valid(copy, length)) < length;)
        copy[valid] = '?';
    json_t *value = json_string(copy);
    free(copy);
    return value;
}

static json_t *value_json(const struct cli *cli, const struct cli_option *option,
                          const void *values)
{
    const void *field = (const char *)values + option->offset;
    switch (option->kind) {
    case CLI_FLAG: return json_boolean(*(const bool *)field);
    case CLI_INTEGER: return json_integer(*(const int64_t *)field);
    case CLI_REAL: {
        double value = *(const double *)field;
        return isnan(value) ? json_null() : json_real(value);
    }
    case CLI_REALS: {
        const struct cli_reals *reals = field;
        json_t *list = json_array();
        for (size_t i = 0; i < reals->count; i++)
            json_array_append_new(list, json_real(reals->values[i]));
        return list;
    }
    case CLI_TEXT:
    case CLI_PATH:
    case CLI_CHOICE: break;
    }
    const char *text = *(const char *const *)field;
    return text ? text_json(cli_typed(cli, text)) : json_null();
}

json_t *cli_provenance(const struct cli *cli)
{
    json_t *arguments = json_array();
    for (size_t i = 0; i < cli->n_arguments; i++)
        json_array_append_new(arguments, text_json(cli_typed(cli, cli->arguments[i])));
    json_t *options = json_object();
    for (const struct cli_option *o = cli->command->options; o && o->name; o++)
        json_object_set_new(options, o->name, value_json(cli, o, cli->values));
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "softlab", sl_version(), "build", sl_build_id(),
                     "command", cli->command->name, "arguments", arguments, "options", options);
}
