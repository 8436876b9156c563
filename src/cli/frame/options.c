#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Far enough for every whole number a double holds exactly. */
#define UNBOUNDED 9e15

const struct cli_option cli_common_options[] = {
    {.name = "data-folder",
     .kind = CLI_PATH,
     .value = "FOLDER",
     .help = "where fetched data sets are kept (default: $XDG_DATA_HOME/softlab)",
     .offset = offsetof(struct cli_common, data_folder)},
    {.name = "log-level",
     .kind = CLI_CHOICE,
     .value = "LEVEL",
     .help = "how much to say on stderr",
     .offset = offsetof(struct cli_common, log_level),
     .fallback = "info",
     .choices = cli_log_levels},
    {.name = "quiet",
     .letter = 'q',
     .kind = CLI_FLAG,
     .help = "say nothing but errors, draw no progress bar",
     .offset = offsetof(struct cli_common, quiet)},
    {.name = "help",
     .letter = 'h',
     .kind = CLI_FLAG,
     .help = "print this help",
     .offset = offsetof(struct cli_common, help)},
    {.name = NULL},
};

const char *cli_log_levels(size_t index)
{
    return index <= SL_LOG_DEBUG ? sl_log_level_name((enum sl_log_level)index) : NULL;
}

const char *cli_range_text(const struct cli_option *option, char *out, size_t size)
{
    bool low = option->minimum > -UNBOUNDED, high = option->maximum < UNBOUNDED;
    bool number = option->kind == CLI_INTEGER || option->kind == CLI_REAL ||
                  option->kind == CLI_REALS || (option->kind == CLI_COUNT && !option->choices);
    if (!number || (!low && !high))
        out[0] = '\0';
    else if (low && high)
        snprintf(out, size, "%.15g to %.15g", option->minimum, option->maximum);
    else if (low)
        snprintf(out, size, "at least %.15g", option->minimum);
    else
        snprintf(out, size, "at most %.15g", option->maximum);
    return out;
}

static enum sl_status out_of_range(const struct cli_option *option, const char *text,
                                   struct sl_error *err)
{
    char range[80];
    cli_range_text(option, range, sizeof range);
    return sl_fail(err, SL_ERR_USAGE, "--%s: expected %s%s%s%s, got \"%s\"", option->name,
                   option->kind == CLI_INTEGER || option->kind == CLI_COUNT ? "a whole number"
                                                                            : "a number",
                   range[0] ? " (" : "", range, range[0] ? ")" : "", text);
}

static enum sl_status set_integer(const struct cli_option *option, const char *text, int64_t *field,
                                  struct sl_error *err)
{
    int64_t value;
    if (!sl_text_to_integer(text, strlen(text), &value) || (double)value < option->minimum ||
        (double)value > option->maximum)
        return out_of_range(option, text, err);
    *field = value;
    return SL_OK;
}

static enum sl_status read_real(const struct cli_option *option, const char *text, size_t length,
                                double *out, struct sl_error *err)
{
    double value;
    if (!sl_text_to_real(text, length, &value) || !(value >= option->minimum) ||
        !(value <= option->maximum)) {
        char shown[64];
        snprintf(shown, sizeof shown, "%.*s", (int)(length < 60 ? length : 60), text);
        return out_of_range(option, shown, err);
    }
    *out = value;
    return SL_OK;
}

static enum sl_status set_reals(const struct cli_option *option, const char *text,
                                struct cli_reals *field, struct sl_error *err)
{
    struct cli_reals reals = {0};
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        if (reals.count == CLI_REALS_MAX)
            return sl_fail(err, SL_ERR_USAGE, "--%s: at most %d values", option->name,
                           CLI_REALS_MAX);
        SL_TRY(read_real(option, at, length, &reals.values[reals.count++], err));
        at += length;
        if (*at == '\0') break;
    }
    *field = reals;
    return SL_OK;
}

static enum sl_status set_choice(const struct cli_option *option, const char *text,
                                 const char **field, struct sl_error *err)
{
    const char *names[64] = {NULL}, *here = option->known_as ? option->known_as(text) : NULL;
    struct sl_buffer list;
    sl_buffer_init(&list, 300);
    for (size_t i = 0; i + 1 < sizeof names / sizeof *names && option->choices(i); i++) {
        names[i] = option->choices(i);
        sl_buffer_printf(&list, "%s%s", i ? ", " : "", names[i]);
        if (strcmp(names[i], text) == 0) {
            *field = names[i];
            sl_buffer_release(&list);
            return SL_OK;
        }
        if (sl_text_known_as(text, names[i])) here = names[i]; /* DS is ds */
    }
    const char *nearest = sl_text_nearest(text, names);
    enum sl_status status =
        here ? sl_fail(err, SL_ERR_USAGE, "--%s: \"%s\" is called %s here: --%s %s", option->name,
                       text, here, option->name, here)
        : nearest ? sl_fail(err, SL_ERR_USAGE, "--%s: no \"%s\", did you mean \"%s\"?",
                            option->name, text, nearest)
                  : sl_fail(err, SL_ERR_USAGE, "--%s: no \"%s\", expected one of %s", option->name,
                            text, list.data);
    sl_buffer_release(&list);
    return status;
}

static enum sl_status set_enum(const struct cli_option *option, const char *text, unsigned *field,
                               struct sl_error *err)
{
    unsigned index = 0;
    SL_TRY(set_choice(option, text, &text, err));
    while (strcmp(option->choices(index), text) != 0)
        index++;
    *field = index;
    return SL_OK;
}

static enum sl_status set_count(const struct cli_option *option, const char *text, size_t *field,
                                struct sl_error *err)
{
    struct cli_option whole = *option;
    int64_t value = 0;
    if (option->choices) {
        SL_TRY(set_choice(option, text, &text, err));
        whole.maximum = UNBOUNDED;
    }
    SL_TRY(set_integer(&whole, text, &value, err));
    *field = (size_t)value;
    return SL_OK;
}

static enum sl_status set_size(const struct cli_option *option, const char *text, size_t *field,
                               struct sl_error *err)
{
    if (!sl_image_size_read(text, SL_IMAGE_MAX_SIDE, &field[0], &field[1]))
        return sl_fail(err, SL_ERR_USAGE, "--%s: \"%s\" is not like 32x32", option->name, text);
    return SL_OK;
}

static enum sl_status add_text(const struct cli_option *option, const char *text,
                               struct cli_texts *field, struct sl_error *err)
{
    if (!text[0]) return sl_fail(err, SL_ERR_USAGE, "--%s: the name is empty", option->name);
    if (field->count == CLI_TEXTS_MAX)
        return sl_fail(err, SL_ERR_USAGE,
                       "--%s: given more than %d times; separate names by commas", option->name,
                       CLI_TEXTS_MAX);
    field->values[field->count++] = text;
    return SL_OK;
}

static enum sl_status set_value(const struct cli_option *option, const char *text, void *values,
                                struct sl_error *err)
{
    void *field = (char *)values + option->offset;
    switch (option->kind) {
    case CLI_FLAG: *(bool *)field = true; return SL_OK;
    case CLI_TEXT: *(const char **)field = text; return SL_OK;
    case CLI_TEXTS: return add_text(option, text, field, err);
    case CLI_PATH:
    case CLI_OUTPUT:
    case CLI_FOLDER:
    case CLI_SOURCE:
        if (!text[0]) return sl_fail(err, SL_ERR_USAGE, "--%s: the path is empty", option->name);
        *(const char **)field = text;
        return SL_OK;
    case CLI_CHOICE: return set_choice(option, text, field, err);
    case CLI_ENUM: return set_enum(option, text, field, err);
    case CLI_INTEGER: return set_integer(option, text, field, err);
    case CLI_COUNT: return set_count(option, text, field, err);
    case CLI_SIZE: return set_size(option, text, field, err);
    case CLI_REAL: return read_real(option, text, strlen(text), field, err);
    case CLI_REALS: return set_reals(option, text, field, err);
    }
    return SL_OK;
}

static void set_defaults(const struct cli_option *options, void *values)
{
    for (const struct cli_option *o = options; o && o->name; o++) {
        struct sl_error err;
        if (o->kind == CLI_REAL) *(double *)(void *)((char *)values + o->offset) = (double)NAN;
        if (o->fallback && set_value(o, o->fallback, values, &err) != SL_OK) {
            fprintf(stderr, "softlab: default of %s\n", err.message);
            abort(); /* a mistake in one of our own tables; tests walk them all */
        }
    }
}

static const struct cli_option *find_long(const struct cli_option *options, const char *name,
                                          size_t length)
{
    for (const struct cli_option *o = options; o && o->name; o++)
        if (strlen(o->name) == length && memcmp(o->name, name, length) == 0) return o;
    return NULL;
}

static const struct cli_option *find_short(const struct cli_option *options, char letter)
{
    for (const struct cli_option *o = options; o && o->name; o++)
        if (o->letter == letter) return o;
    return NULL;
}

static enum sl_status unknown_option(const struct cli_command *command, const char *word,
                                     struct sl_error *err)
{
    char typed[64];
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word, "="), word);
    const char *names[64] = {NULL};
    size_t used = 0;
    const struct cli_option *tables[] = {command->options, cli_common_options};
    for (size_t t = 0; t < 2; t++)
        for (const struct cli_option *o = tables[t]; o && o->name && used < 63; o++)
            names[used++] = o->name;
    const char *nearest = typed[1] == '-' ? sl_text_nearest(typed + 2, names) : NULL;
    if (nearest)
        return sl_fail(err, SL_ERR_USAGE, "unknown option %s, did you mean --%s?", typed, nearest);
    return sl_fail(err, SL_ERR_USAGE, "unknown option %s, see softlab %s --help", typed,
                   command->name);
}

/* One option at words[*at]; moves *at past its value. */
static enum sl_status parse_option(struct cli *cli, char **words, size_t n_words, size_t *at,
                                   void *tables_values[2], struct sl_error *err)
{
    const struct cli_command *command = cli->command;
    const struct cli_option *tables[2] = {command->options, cli_common_options};
    const char *word = words[*at];
    bool is_long = word[1] == '-';
    size_t length = is_long ? strcspn(word + 2, "=") : 1;
    const struct cli_option *option = NULL;
    void *values = NULL;
    for (size_t t = 0; t < 2 && !option; t++) {
        option = is_long ? find_long(tables[t], word + 2, length) : find_short(tables[t], word[1]);
        values = tables_values[t];
    }
    if (!option) return unknown_option(command, word, err);
    if (values == tables_values[0]) cli->given |= UINT64_C(1) << (option - command->options);

    const char *attached = is_long ? word + 2 + length + (word[2 + length] == '=') : word + 2;
    bool has_attached = is_long ? word[2 + length] == '=' : word[2] != '\0';
    if (option->kind == CLI_FLAG) {
        if (has_attached)
            return sl_fail(err, SL_ERR_USAGE, "--%s takes no value, got \"%s\"", option->name,
                           attached);
        return set_value(option, NULL, values, err);
    }
    if (has_attached) return set_value(option, attached, values, err);
    if (*at + 1 == n_words)
        return sl_fail(err, SL_ERR_USAGE, "--%s needs a value: %s", option->name, option->value);
    *at += 1;
    return set_value(option, words[*at], values, err);
}

static enum sl_status check_arguments(const struct cli_command *command, const struct cli *cli,
                                      struct sl_error *err)
{
    size_t needed = 0, allowed = 0;
    bool unlimited = false;
    for (const struct cli_argument *a = command->arguments; a && a->name; a++) {
        if (!a->optional && cli->n_arguments == needed)
            return sl_fail(err, SL_ERR_USAGE, "%s is missing: %s", a->name, a->help);
        needed += !a->optional;
        allowed++;
        unlimited = unlimited || a->repeated;
    }
    if (!unlimited && cli->n_arguments > allowed)
        return sl_fail(err, SL_ERR_USAGE, "one word too many: \"%s\"", cli->arguments[allowed]);
    return SL_OK;
}

enum sl_status cli_parse(const struct cli_command *command, char **words, size_t n_words,
                         struct cli *cli, void *values, struct sl_error *err)
{
    cli->command = command;
    cli->values = values;
    cli->arguments = words; /* arguments are moved to the front of the words */
    cli->n_arguments = 0;
    cli->given = 0;
    set_defaults(command->options, values);
    set_defaults(cli_common_options, &cli->common);
    void *tables_values[2] = {values, &cli->common};
    bool only_arguments = false;
    for (size_t at = 0; at < n_words; at++) {
        char *word = words[at];
        if (only_arguments || word[0] != '-' || word[1] == '\0')
            cli->arguments[cli->n_arguments++] = word;
        else if (strcmp(word, "--") == 0)
            only_arguments = true;
        else
            SL_TRY(parse_option(cli, words, n_words, &at, tables_values, err));
    }
    return cli->common.help ? SL_OK : check_arguments(command, cli, err);
}
