#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

json_t *cli_provenance(const struct cli *cli)
{
    json_t *arguments = json_array(), *options = json_object();
    for (size_t i = 0; i < cli->n_arguments; i++)
        json_array_append_new(arguments, sl_asked_text(cli_typed(cli, cli->arguments[i])));
    sl_asked_options(cli->command->task, cli->values, &cli->places, options);
    sl_asked_options(cli->command->options, cli->values, &cli->places, options);
    return sl_asked(cli->command->name, arguments, options);
}

/* A hash takes a second for so many bytes; of 100 million answers it would take a third of the time
 * that they need. */
static const off_t hash_limit = 256 << 20;

/* A pipe can be read once, and not by us. One that cannot be read is for its reader to report. */
static json_t *input_json(const struct cli *cli, const char *path)
{
    json_t *input = json_object();
    json_object_set_new(input, "name", sl_asked_text(sl_path_name(cli_typed(cli, path))));
    char hash[SL_SHA256_TEXT];
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return input;
    if (info.st_size > hash_limit)
        json_object_set_new(input, "bytes", json_integer(info.st_size));
    else if (sl_sha256_file(path, hash, NULL) == SL_OK)
        json_object_set_new(input, "sha256", json_string(hash));
    return input;
}

static bool is_listed(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0) return true;
    return false;
}

char *cli_rows_provenance(const struct cli *cli, const char *output, const char *const *without)
{
    if (!output || !sl_path_has_suffix(output, ".npz")) return NULL;
    json_t *inputs = json_array(), *options = json_object();
    for (size_t i = 0; i < cli->n_arguments; i++)
        json_array_append_new(inputs, input_json(cli, cli->arguments[i]));
    const struct sl_field_row *o;
    for (size_t i = 0; (o = cli_option(cli->command, i)) != NULL; i++) {
        if (o->kind == SL_FIELD_OUTPUT || is_listed(o->name, without)) continue;
        json_t *value = sl_asked_value(o, cli->values, &cli->places);
        if (o->kind == SL_FIELD_PATH && json_is_string(value)) {
            json_decref(value);
            const char *path;
            memcpy(&path, (const char *)cli->values + o->offset, sizeof path);
            value = input_json(cli, path);
        }
        if (json_is_null(value) || json_is_false(value))
            json_decref(value);
        else
            json_object_set_new(options, o->name, value);
    }
    json_t *all = json_pack("{s:s, s:s, s:o, s:o}", "softlab", sl_version(), "command",
                            cli->command->name, "inputs", inputs, "options", options);
    char *text = json_dumps(all, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
    json_decref(all);
    return text;
}
