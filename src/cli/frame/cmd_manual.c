#include <stdlib.h>
#include <string.h>

#include "cmd.h"

struct manual_values {
    const char *output;
};

static void manual_mode(const struct cli *cli, const void *values, struct sl_option_mode *out)
{
    (void)cli;
    const struct manual_values *options = values;
    *out = options->output ? (struct sl_option_mode){1, .name = "--output", .alone = true}
                           : (struct sl_option_mode){1, .name = "one page"};
}

static const char *const manual_samples[] = {"--output out", "eval", NULL};

#define AT(field) .offset = offsetof(struct manual_values, field)
static const struct sl_field_row manual_options[] = {
    {"output", SL_FIELD_FOLDER, AT(output),
     "write every man page, the Markdown manual and the completions into this folder",
     .letter = 'o'},
    {.name = NULL},
};
#undef AT

static const struct cli_argument manual_arguments[] = {
    {.name = "COMMAND",
     .help = "the command whose page to print; without it, softlab(1)",
     .kind = SL_FIELD_WORD,
     .optional = true,
     .repeated = true},
    {.name = NULL},
};

/* Run `print` into memory and write the file atomically. */
static enum sl_status write_page(const char *folder, const char *name,
                                 const struct cli_command *command,
                                 void (*print_page)(const struct cli_command *, FILE *),
                                 void (*print_whole)(FILE *), struct sl_error *err)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (!memory) return sl_fail_errno(err, "%s", name);
    if (print_page)
        print_page(command, memory);
    else
        print_whole(memory);
    enum sl_status status = SL_OK;
    char *path = sl_path_join(folder, name);
    if (fclose(memory) != 0)
        status = sl_fail_errno(err, "%s", name);
    else
        status = sl_file_write(path, text, length, err);
    free(path);
    free(text);
    return status;
}

static enum sl_status write_man_pages(const char *folder, struct sl_error *err)
{
    SL_TRY(sl_folder_create(folder, err));
    SL_TRY(write_page(folder, "softlab.1", NULL, cli_manual_man, NULL, err));
    for (size_t i = 0; cli_commands[i]; i++) {
        char name[80];
        snprintf(name, sizeof name, "softlab-%s.1", cli_commands[i]->name);
        for (char *c = name; *c; c++)
            if (*c == ' ') *c = '-';
        SL_TRY(write_page(folder, name, cli_commands[i], cli_manual_man, NULL, err));
    }
    return SL_OK;
}

static enum sl_status write_everything(const char *folder, struct sl_error *err)
{
    static const struct {
        const char *name;
        void (*print)(FILE *);
    } files[] = {
        {"commands.md", cli_manual_markdown},
        {"completions/softlab.bash", cli_completion_bash},
        {"completions/_softlab", cli_completion_zsh},
        {"completions/softlab.fish", cli_completion_fish},
    };
    char *man = sl_path_join(folder, "man"), *completions = sl_path_join(folder, "completions");
    enum sl_status status = write_man_pages(man, err);
    if (status == SL_OK) status = sl_folder_create(completions, err);
    for (size_t i = 0; i < sizeof files / sizeof *files && status == SL_OK; i++)
        status = write_page(folder, files[i].name, NULL, NULL, files[i].print, err);
    free(completions);
    free(man);
    return status;
}

static enum sl_status run_manual(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct manual_values *options = values;
    if (options->output) return write_everything(options->output, err);
    size_t n_used = 0;
    const struct cli_command *command = cli_find_command(cli->arguments, cli->n_arguments, &n_used);
    if (n_used != cli->n_arguments)
        return cli_unknown_command(cli->arguments, cli->n_arguments, err);
    cli_manual_man(command, stdout);
    return SL_OK;
}

const struct cli_command cmd_manual = {
    .name = "manual",
    .also = "man docs doc",
    .group = "about",
    .summary = "print manual pages",
    .description = "Prints one page in man(7), to be read as in: softlab manual fetch | man -l -. "
                   "With --output it writes all that make docs keeps under docs/: the pages, "
                   "commands.md and the completions of bash, zsh and fish.",
    .arguments = manual_arguments,
    .options = manual_options,
    .values_size = sizeof(struct manual_values),
    .mode = manual_mode,
    .samples = manual_samples,
    .run = run_manual,
};
