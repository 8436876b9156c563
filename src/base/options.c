#include "softlab/base/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { MOST_NAMES = 127 };

/* ---- Reading ---- */

static const struct sl_field_row *find_long(const struct sl_field_row *rows, const char *name,
                                            size_t length)
{
    for (const struct sl_field_row *row = rows; row && row->name; row++)
        if (strlen(row->name) == length && memcmp(row->name, name, length) == 0) return row;
    return NULL;
}

static const struct sl_field_row *find_short(const struct sl_field_row *rows, char letter)
{
    for (const struct sl_field_row *row = rows; row && row->name; row++)
        if (row->letter == letter) return row;
    return NULL;
}

/* The words, and how far they are read. */
struct reading {
    const struct sl_option_table *tables;
    size_t n_tables;
    const char *command;
    char **words;
    size_t n_words, at;
    uint64_t given;
};

static enum sl_status fail_unknown(const struct reading *reading, const char *word,
                                   struct sl_error *err)
{
    char typed[64];
    const char *names[MOST_NAMES + 1] = {NULL};
    size_t used = 0;
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word, "="), word);
    for (size_t t = 0; t < reading->n_tables; t++)
        for (const struct sl_field_row *row = reading->tables[t].rows; row && row->name; row++)
            if (used < MOST_NAMES) names[used++] = row->name;
    const char *nearest = typed[1] == '-' ? sl_text_nearest(typed + 2, names) : NULL;
    if (nearest)
        return sl_fail(err, SL_ERR_USAGE, "unknown option %s, did you mean --%s?", typed, nearest);
    return sl_fail(err, SL_ERR_USAGE, "unknown option %s, see softlab %s --help", typed,
                   reading->command);
}

static enum sl_status set_value(const struct sl_field_row *row, const char *text, void *values,
                                struct sl_error *err)
{
    struct sl_error problem;
    if (!*text && row->kind == SL_FIELD_REALS)
        return sl_fail(err, SL_ERR_USAGE, "--%s: the list is empty", row->name);
    const enum sl_status status = sl_field_set(row, text, values, &problem);
    if (status == SL_OK) return SL_OK;
    return sl_fail(err, status, "--%s: %s", row->name, problem.message);
}

static uint64_t bit_of(const struct reading *reading, size_t table, const struct sl_field_row *row)
{
    size_t number = (size_t)(row - reading->tables[table].rows);
    for (size_t t = 0; t < table; t++)
        for (const struct sl_field_row *r = reading->tables[t].rows; r && r->name; r++)
            number++;
    return number < 64 ? UINT64_C(1) << number : 0;
}

/* A flag that is typed twice says the same, and words add up; of other values only the last would
 * have an effect. */
static bool may_repeat(const struct sl_field_row *row)
{
    return row->kind == SL_FIELD_BOOLEAN || row->kind == SL_FIELD_WORDS;
}

static enum sl_status fail_repeated(const struct sl_field_row *row, struct sl_error *err)
{
    const bool list = strstr(sl_field_value_name(row), ",...") != NULL;
    return sl_fail(err, SL_ERR_USAGE, "--%s is given twice; give it once%s", row->name,
                   list ? ", with commas between its values" : "");
}

/* Read the option at words[at]; moves `at` to its value if that is the next word. */
static enum sl_status read_option(struct reading *reading, struct sl_error *err)
{
    const char *word = reading->words[reading->at];
    const bool is_long = word[1] == '-';
    const size_t length = is_long ? strcspn(word + 2, "=") : 1;
    const struct sl_field_row *row = NULL;
    size_t table = 0;
    for (; table < reading->n_tables; table++) {
        const struct sl_field_row *rows = reading->tables[table].rows;
        row = is_long ? find_long(rows, word + 2, length) : find_short(rows, word[1]);
        if (row) break;
    }
    if (!row) return fail_unknown(reading, word, err);
    const uint64_t bit = bit_of(reading, table, row);
    if (reading->given & bit && !may_repeat(row)) return fail_repeated(row, err);
    reading->given |= bit;

    void *values = reading->tables[table].values;
    const bool has_attached = is_long ? word[2 + length] == '=' : word[2] != '\0';
    const char *attached = is_long ? word + 2 + length + has_attached : word + 2;
    if (row->kind == SL_FIELD_BOOLEAN) {
        if (has_attached)
            return sl_fail(err, SL_ERR_USAGE, "--%s takes no value, got \"%s\"", row->name,
                           attached);
        return set_value(row, "true", values, err);
    }
    if (has_attached) return set_value(row, attached, values, err);
    if (reading->at + 1 == reading->n_words)
        return sl_fail(err, SL_ERR_USAGE, "--%s needs a value: %s", row->name,
                       sl_field_value_name(row));
    return set_value(row, reading->words[++reading->at], values, err);
}

enum sl_status sl_options_read(const struct sl_option_table *tables, size_t n_tables,
                               const char *command, char **words, size_t n_words,
                               struct sl_option_words *out, struct sl_error *err)
{
    struct reading reading = {tables, n_tables, command, words, n_words, 0, 0};
    bool only_arguments = false;
    *out = (struct sl_option_words){.arguments = words};
    for (size_t t = 0; t < n_tables; t++)
        sl_fields_set_defaults(tables[t].rows, tables[t].values);
    for (; reading.at < n_words; reading.at++) {
        char *word = words[reading.at];
        if (only_arguments || word[0] != '-' || word[1] == '\0')
            out->arguments[out->n_arguments++] = word;
        else if (strcmp(word, "--") == 0)
            only_arguments = true;
        else
            SL_TRY(read_option(&reading, err));
        out->given = reading.given;
    }
    return SL_OK;
}

/* ---- Options without effect ---- */

bool sl_option_is_given(const struct sl_option_table *tables, size_t n_tables, uint64_t given,
                        const char *name, size_t length)
{
    size_t number = 0;
    for (size_t t = 0; t < n_tables; t++)
        for (const struct sl_field_row *row = tables[t].rows; row && row->name; row++, number++)
            if (strlen(row->name) == length && memcmp(row->name, name, length) == 0)
                return number < 64 && given >> number & 1;
    return false;
}

/* SL_OK if one of the options that the row needs was typed. */
static enum sl_status check_needs(const struct sl_option_table *tables, size_t n_tables,
                                  uint64_t given, const struct sl_field_row *row,
                                  struct sl_error *err)
{
    char names[120] = "";
    size_t used = 0;
    for (const char *at = row->needs; *at; at += *at == ',') {
        const size_t length = strcspn(at, ",");
        if (sl_option_is_given(tables, n_tables, given, at, length)) return SL_OK;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s--%.*s", used ? " or " : "",
                                 (int)length, at);
        at += length;
    }
    return sl_fail(err, SL_ERR_USAGE, "--%s has no effect without %s", row->name, names);
}

enum sl_status sl_options_check(const struct sl_option_table *tables, size_t n_tables,
                                uint64_t given, const struct sl_option_mode *mode,
                                const char *argument, struct sl_error *err)
{
    if (mode->alone && argument)
        return sl_fail(err, SL_ERR_USAGE, "\"%s\" has no effect with %s: leave it out", argument,
                       mode->name);
    for (size_t t = 0; t < n_tables; t++)
        for (const struct sl_field_row *row = tables[t].rows; row && row->name; row++) {
            if (!sl_option_is_given(tables, n_tables, given, row->name, strlen(row->name)))
                continue;
            if (row->modes && !(row->modes & mode->does))
                return sl_fail(err, SL_ERR_USAGE, "--%s has no effect with %s: leave it out",
                               row->name, mode->name);
            if (row->needs) SL_TRY(check_needs(tables, n_tables, given, row, err));
        }
    return SL_OK;
}

/* ---- Writing ---- */

static void add_word(json_t *out, const struct sl_field_row *row, const char *value)
{
    char *option = sl_string_printf("--%s", row->name);
    json_array_append_new(out, json_string(option));
    if (row->kind != SL_FIELD_BOOLEAN) json_array_append_new(out, json_string(value));
    free(option);
}

char *sl_option_text(const json_t *value)
{
    char number[SL_NUMBER_TEXT];
    struct sl_buffer list;
    if (json_is_string(value)) return sl_string_copy(json_string_value(value));
    if (json_is_boolean(value)) return sl_string_copy(json_is_true(value) ? "true" : "false");
    if (json_is_integer(value))
        return sl_string_printf("%lld", (long long)json_integer_value(value));
    if (!json_is_array(value)) {
        sl_text_from_double(json_number_value(value), number);
        return sl_string_copy(number);
    }
    sl_buffer_init(&list, 4096);
    sl_buffer_text(&list, "");
    for (size_t i = 0; i < json_array_size(value); i++) {
        sl_text_from_double(json_number_value(json_array_get(value, i)), number);
        sl_buffer_printf(&list, "%s%s", i > 0 ? "," : "", number);
    }
    return list.data;
}

static bool is_default(const struct sl_field_row *row, const json_t *value, const char *text)
{
    if (json_is_null(value) || json_is_false(value) || !*text) return true;
    return row->fallback && strcmp(row->fallback, text) == 0;
}

json_t *sl_options_write(const struct sl_field_row *rows, const void *values)
{
    json_t *out = json_array();
    for (const struct sl_field_row *row = rows; row->name; row++) {
        json_t *value = sl_field_json(row, values);
        if (row->kind == SL_FIELD_WORDS) {
            for (size_t i = 0; i < json_array_size(value); i++)
                add_word(out, row, json_string_value(json_array_get(value, i)));
        } else {
            char *text = sl_option_text(value);
            if (!is_default(row, value, text)) add_word(out, row, text);
            free(text);
        }
        json_decref(value);
    }
    return out;
}
