#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Far enough for every whole number a double holds exactly. */
#define UNBOUNDED 9e15

#define AT(field) .offset = offsetof(struct cli_common, field)
const struct sl_field_row cli_common_options[] = {
    {"data-folder", SL_FIELD_PATH, AT(data_folder),
     "where fetched data sets are kept (default: $XDG_DATA_HOME/softlab)", .value = "FOLDER"},
    {"log-level", SL_FIELD_CHOICE, AT(log_level), "what to log on standard error", .value = "LEVEL",
     .fallback = "info", .names = cli_log_levels},
    {"quiet", SL_FIELD_BOOLEAN, AT(quiet), "log errors only and draw no progress bar",
     .letter = 'q'},
    {"help", SL_FIELD_BOOLEAN, AT(help), "print this help", .letter = 'h'},
    {.name = NULL},
};

const struct sl_field_row cli_thread_options[] = {
    {"threads", SL_FIELD_INTEGER, AT(threads),
     "threads to use (default: all cores); results are the same for any number", .value = "N",
     .minimum = 1, .maximum = SL_POOL_MOST_THREADS},
    {.name = NULL},
};

const struct sl_field_row cli_rank_options[] = {
    {"ranks", SL_FIELD_INTEGER, AT(ranks),
     "end with an error unless mpirun started this many ranks of softlab-mpi", .value = "N",
     .minimum = 1, .maximum = 1e6},
    {.name = NULL},
};
#undef AT

static const struct sl_field_row *thread_options(const struct cli_command *command)
{
    return command->threads ? cli_thread_options : NULL;
}

static const struct sl_field_row *rank_options(const struct cli_command *command)
{
    return command->ranks ? cli_rank_options : NULL;
}

const char *cli_log_levels(size_t index)
{
    return index <= SL_LOG_DEBUG ? sl_log_level_name((enum sl_log_level)index) : NULL;
}

/* Row `*index` of a table, or NULL with the table's rows taken off *index. */
static const struct sl_field_row *row_at(const struct sl_field_row *rows, size_t *index)
{
    for (const struct sl_field_row *row = rows; row && row->name; row++)
        if ((*index)-- == 0) return row;
    return NULL;
}

const struct sl_field_row *cli_task_options(const struct cli_command *command)
{
    return command->task ? command->task->options : NULL;
}

const struct sl_field_row *cli_option(const struct cli_command *command, size_t index)
{
    const struct sl_field_row *row = row_at(cli_task_options(command), &index);
    return row ? row : row_at(command->options, &index);
}

const struct sl_field_row *cli_any_option(const struct cli_command *command, size_t index)
{
    const struct sl_field_row *row = row_at(cli_task_options(command), &index);
    if (!row) row = row_at(command->options, &index);
    if (!row) row = row_at(thread_options(command), &index);
    if (!row) row = row_at(rank_options(command), &index);
    return row ? row : row_at(cli_common_options, &index);
}

const char *cli_range_text(const struct sl_field_row *option, char *out, size_t size)
{
    const bool given = option->minimum != 0 || option->maximum != 0;
    const bool low = given && option->minimum > -UNBOUNDED;
    const bool high = given && option->maximum < UNBOUNDED;
    bool number = option->kind == SL_FIELD_INTEGER || option->kind == SL_FIELD_NUMBER ||
                  option->kind == SL_FIELD_REALS ||
                  (option->kind == SL_FIELD_COUNT && !option->names);
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
    const struct sl_option_table tables[] = {{cli_task_options(command), values},
                                             {command->options, values},
                                             {thread_options(command), &cli->common},
                                             {rank_options(command), &cli->common},
                                             {cli_common_options, &cli->common}};
    enum { TABLES = sizeof tables / sizeof *tables };
    struct sl_option_words read;
    cli->command = command;
    cli->values = values;
    SL_TRY(sl_options_read(tables, TABLES, command->name, words, n_words, &read, err));
    cli->arguments = read.arguments;
    cli->n_arguments = read.n_arguments;
    cli->given = read.given;
    return cli->common.help ? SL_OK : check_arguments(command, cli, err);
}
