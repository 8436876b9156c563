#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Texts as they were typed, whatever place they stand for. */
static json_t *value_json(const struct cli *cli, const struct sl_field_row *option,
                          const void *values)
{
    if (option->kind == SL_FIELD_WORDS) {
        const struct sl_word_list *words = (const void *)((const char *)values + option->offset);
        json_t *list = words->count > 0 ? json_array() : json_null();
        for (size_t i = 0; i < words->count; i++)
            json_array_append_new(list, text_json(words->values[i]));
        return list;
    }
    if (option->kind < SL_FIELD_WORD) return sl_field_json(option, values);
    const char *text;
    memcpy(&text, (const char *)values + option->offset, sizeof text);
    return text ? text_json(cli_typed(cli, text)) : json_null();
}

json_t *cli_provenance(const struct cli *cli)
{
    json_t *arguments = json_array();
    for (size_t i = 0; i < cli->n_arguments; i++)
        json_array_append_new(arguments, text_json(cli_typed(cli, cli->arguments[i])));
    json_t *options = json_object();
    for (const struct sl_field_row *o = cli->command->options; o && o->name; o++)
        json_object_set_new(options, o->name, value_json(cli, o, cli->values));
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "softlab", sl_version(), "build", sl_build_id(),
                     "command", cli->command->name, "arguments", arguments, "options", options);
}

/* A hash takes a second for so many bytes; of 100 million answers it would take a third of the time
 * that they need. */
static const off_t hash_limit = 256 << 20;

/* A pipe can be read once, and not by us. One that cannot be read is for its reader to report. */
static json_t *input_json(const struct cli *cli, const char *path)
{
    json_t *input = json_object();
    json_object_set_new(input, "name", text_json(sl_path_name(cli_typed(cli, path))));
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
    for (const struct sl_field_row *o = cli->command->options; o && o->name; o++) {
        if (o->kind == SL_FIELD_OUTPUT || is_listed(o->name, without)) continue;
        json_t *value = value_json(cli, o, cli->values);
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
