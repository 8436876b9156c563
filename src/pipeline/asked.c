#include "softlab/pipeline/asked.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "softlab/base/file.h"
#include "softlab/base/hash.h"
#include "softlab/base/memory.h"
#include "softlab/base/system.h"
#include "softlab/base/text.h"

/* Paths may hold any bytes, but JSON only UTF-8: other bytes become question marks. */
static json_t *text_json(const char *text)
{
    char *copy = sl_string_copy(text);
    const size_t length = strlen(copy);
    for (size_t valid; (valid = sl_utf8_valid(copy, length)) < length;)
        copy[valid] = '?';
    json_t *value = json_string(copy);
    free(copy);
    return value;
}

/* A path is written as it was typed, not as the place it stands for. */
static json_t *value_json(const struct sl_asked *asked, const struct sl_field_row *row)
{
    const char *field = (const char *)asked->values + row->offset;
    if (row->kind == SL_FIELD_WORDS) {
        const struct sl_word_list *words = (const void *)field;
        json_t *list = words->count > 0 ? json_array() : json_null();
        for (size_t i = 0; i < words->count; i++)
            json_array_append_new(list, text_json(words->values[i]));
        return list;
    }
    if (row->kind < SL_FIELD_WORD) return sl_field_json(row, asked->values);
    const char *text;
    memcpy(&text, field, sizeof text);
    return text ? text_json(sl_places_typed(asked->places, text)) : json_null();
}

json_t *sl_asked_json(const struct sl_asked *asked)
{
    json_t *arguments = json_array(), *options = json_object();
    for (size_t i = 0; i < asked->n_arguments; i++)
        json_array_append_new(arguments,
                              text_json(sl_places_typed(asked->places, asked->arguments[i])));
    for (size_t t = 0; t < 2; t++)
        for (const struct sl_field_row *row = asked->tables[t]; row && row->name; row++)
            json_object_set_new(options, row->name, value_json(asked, row));
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "softlab", sl_version(), "build", sl_build_id(),
                     "command", asked->command, "arguments", arguments, "options", options);
}

/* ---- Rows ---- */

/* Hashing this many bytes takes about a second. Larger files are not hashed: for 100 million
 * answers it would take a third of the reading time. */
static const off_t hash_limit = 256 << 20;

/* A pipe is not hashed because it can be read only once. A file that cannot be read is not hashed
 * either; its reader reports the error. */
static json_t *input_json(const struct sl_asked *asked, const char *path)
{
    json_t *input = json_object();
    const char *typed = sl_places_typed(asked->places, path);
    json_object_set_new(input, "name", text_json(sl_path_name(typed)));
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

/* An option's value; for a file to read, its name and hash. */
static json_t *content_json(const struct sl_asked *asked, const struct sl_field_row *row)
{
    const char *path;
    if (row->kind != SL_FIELD_PATH) return value_json(asked, row);
    memcpy(&path, (const char *)asked->values + row->offset, sizeof path);
    return path ? input_json(asked, path) : json_null();
}

char *sl_asked_for_rows(const struct sl_asked *asked, const char *output,
                        const char *const *without)
{
    if (!output || !sl_path_has_suffix(output, ".npz")) return NULL;
    json_t *inputs = json_array(), *options = json_object();
    for (size_t i = 0; i < asked->n_arguments; i++)
        json_array_append_new(inputs, input_json(asked, asked->arguments[i]));
    for (size_t t = 0; t < 2; t++)
        for (const struct sl_field_row *row = asked->tables[t]; row && row->name; row++) {
            if (row->kind == SL_FIELD_OUTPUT || is_listed(row->name, without)) continue;
            json_t *value = content_json(asked, row);
            if (json_is_null(value) || json_is_false(value))
                json_decref(value);
            else
                json_object_set_new(options, row->name, value);
        }
    json_t *all = json_pack("{s:s, s:s, s:o, s:o}", "softlab", sl_version(), "command",
                            asked->command, "inputs", inputs, "options", options);
    char *text = json_dumps(all, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
    json_decref(all);
    return text;
}
