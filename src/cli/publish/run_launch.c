#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"
#include "softlab/experiment/launch.h"

enum { MOST_WORDS = 24, PATH_BYTES = 4096 };

/* The words of a command that makes runs on another machine; texts are owned. */
struct command {
    char *words[MOST_WORDS + 1];
    size_t count;
};

/* Takes `word`. */
static void add(struct command *command, char *word)
{
    command->words[command->count++] = word;
}

static void add_option(struct command *command, const char *option, char *value)
{
    add(command, sl_string_copy(option));
    add(command, value);
}

static void command_release(struct command *command)
{
    for (size_t i = 0; i < command->count; i++)
        free(command->words[i]);
}

/* The path of this program, which may not be in the PATH of other machines. */
static char *program_path(void)
{
    char path[PATH_BYTES];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    if (length <= 0 || (size_t)length == sizeof path) return sl_string_copy("softlab");
    return sl_string_copy_n(path, (size_t)length);
}

/* Paths are absolute: other machines start elsewhere. */
static void make_command(const struct run_values *values, const char *name,
                         const struct sl_experiment_runner *runner, struct command *command)
{
    const bool own = sl_file_exists(name) || sl_folder_exists(name);
    if (runner->roots.given)
        add_option(command, "env", sl_string_printf("SOFTLAB_DATA=%s", runner->roots.given));
    add(command, program_path());
    add_option(command, "run", own ? sl_path_absolute(name) : sl_string_copy(name));
    add_option(command, "--scale", sl_string_copy(values->scale));
    if (values->as_published) add(command, sl_string_copy("--as-published"));
    add_option(command, "--output", sl_path_absolute(runner->folder));
    if (runner->roots.folder)
        add_option(command, "--data-folder", sl_string_copy(runner->roots.folder));
    add_option(command, "--jobs", sl_string_copy("1"));
    add_option(command, "--threads", sl_string_printf("%zu", runner->threads));
}

static void print_line(void *context, const char *line)
{
    (void)context;
    puts(line);
}

enum sl_status run_launch(const struct run_values *values, const char *name,
                          const struct sl_experiment *experiment,
                          const struct sl_experiment_runner *runner,
                          struct sl_experiment_outcome *out, struct sl_error *err)
{
    struct command command = {.count = 0};
    make_command(values, name, runner, &command);
    const struct sl_launch launch = {
        .runner = runner, .command = command.words, .slurm = values->slurm, .print = print_line};
    const enum sl_status status =
        sl_launcher_find(values->launcher)->start(experiment, &launch, out, err);
    command_release(&command);
    return status;
}

enum sl_status run_follow(struct cli *cli, const struct run_values *values,
                          const struct sl_experiment_hooks *hooks, struct run_tally *tally,
                          struct sl_error *err)
{
    struct sl_experiment_outcome outcome = {0};
    const enum sl_status status =
        sl_launch_watch(values->output, hooks, values->cancel, &outcome, err);
    run_board_clear(hooks->context);
    if (status == SL_OK || status == SL_ERR_STOPPED)
        sl_log(&cli->log, SL_LOG_INFO, "Slurm: %zu run%s made, %zu failed", outcome.done,
               sl_text_plural(outcome.done, "", "s"), outcome.failed);
    tally->there += outcome.done;
    tally->failed += outcome.failed;
    return status;
}

enum sl_status run_follow_only(struct cli *cli, const struct run_values *values,
                               struct sl_error *err)
{
    struct run_board board = {.cli = cli};
    struct run_tally tally = {0};
    const struct sl_experiment_hooks hooks = run_board_hooks(&board);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(cli_catch_signals(err));
    const bool at_once = values->cancel && !values->watch;
    if (at_once) SL_TRY_OUT(sl_launch_cancel(values->output, err));
    SL_TRY_OUT(run_follow(cli, values, &hooks, &tally, err));
    /* Runs that were cancelled have failed, which is what was asked for. */
    if (tally.failed > 0 && !at_once)
        status = sl_fail(err, SL_ERR_INPUT, "%zu run%s failed, see %s/failures.jsonl", tally.failed,
                         sl_text_plural(tally.failed, "", "s"), values->output);
    else
        printf("%s/results.jsonl\n", values->output);
out:
    run_board_release(&board);
    return status;
}
