#include "experiment/launch/launch.h"

#include <stdlib.h>
#include <string.h>

#include "experiment/launch/waves.h"
#include "experiment/run/ledger.h"
#include "experiment/run/runner.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"

static enum sl_status start_here(const struct sl_experiment *experiment,
                                 const struct sl_launch *launch, struct sl_experiment_outcome *out,
                                 struct sl_error *err)
{
    return sl_experiment_run(experiment, launch->runner, out, err);
}

/* Sort the runs into those that are there, those that cannot be made and those to make. */
void sl_launch_count(const struct sl_experiment *experiment, const struct sl_ledger *ledger,
                     const struct sl_experiment_hooks *hooks, bool *open,
                     struct sl_experiment_outcome *out)
{
    for (size_t i = 0; i < experiment->n_runs; i++) {
        const struct sl_run *run = &experiment->runs[i];
        open[i] = !sl_ledger_has(ledger, run) && !run->missing;
        if (sl_ledger_has(ledger, run)) {
            out->skipped++;
        } else if (run->missing) {
            out->missing++;
            if (hooks->event)
                hooks->event(hooks->context, SL_RUN_MISSING, run->title, run->missing);
        }
    }
}

void sl_launch_line(const struct sl_launch *launch, struct sl_buffer *out)
{
    static const char run_option[] = " --run ";
    sl_shell_line(launch->command, out);
    sl_buffer_text(out, run_option);
}

/* A command is a line. */
static enum sl_status check_words(char *const *words, struct sl_error *err)
{
    for (; *words; words++)
        if (strchr(*words, '\n'))
            return sl_fail(err, SL_ERR_USAGE,
                           "--launcher print prints one command per line, and a path has a line "
                           "break: \"%.*s...\"; rename it",
                           (int)strcspn(*words, "\n"), *words);
    return SL_OK;
}

/* A command per run. Runs that make what others share come first: the more of them are made before
 * the others begin, the less is made twice. */
static void print_lines(const struct sl_experiment *experiment, const struct sl_launch *launch,
                        bool *open, const struct sl_outputs *made, struct sl_buffer *line)
{
    json_t *makers = json_object();
    size_t n_open = 0;
    for (size_t i = 0; i < experiment->n_runs; i++)
        n_open += open[i];
    while (n_open > 0) {
        struct sl_wave wave;
        sl_wave_plan(experiment, open, made, makers, &wave);
        for (size_t i = 0; i < experiment->n_runs; i++) {
            if (wave.group[i] == 0) continue;
            sl_buffer_clear(line);
            sl_launch_line(launch, line);
            sl_buffer_text(line, experiment->runs[i].key);
            launch->print(launch->context, line->data);
            sl_wave_note(experiment, i, made, "", makers);
            open[i] = false;
            n_open--;
        }
        sl_wave_release(&wave);
    }
    json_decref(makers);
}

static enum sl_status start_print(const struct sl_experiment *experiment,
                                  const struct sl_launch *launch, struct sl_experiment_outcome *out,
                                  struct sl_error *err)
{
    const char *folder = launch->runner->folder;
    struct sl_ledger ledger = {.lock = -1};
    struct sl_outputs made = {0};
    struct sl_buffer line;
    bool *open = NULL;
    enum sl_status status = SL_OK;
    SL_TRY(check_words(launch->command, err));
    sl_buffer_init(&line, SL_LAUNCH_LINE);
    if (sl_folder_exists(folder)) SL_TRY_OUT(sl_ledger_read(folder, &ledger, err));
    SL_TRY_OUT(sl_outputs_open(&made, folder, err));
    open = sl_alloc(experiment->n_runs + 1, sizeof *open);
    *out = (struct sl_experiment_outcome){0};
    sl_launch_count(experiment, &ledger, &launch->runner->hooks, open, out);
    print_lines(experiment, launch, open, &made, &line);
    status = sl_buffer_check(&line, "the command of a run", err);
out:
    sl_buffer_release(&line);
    free(open);
    sl_outputs_close(&made);
    sl_ledger_close(&ledger);
    return status;
}

const struct sl_launcher sl_launchers[] = {
    {"local", .start = start_here},
    {"slurm", .away = true, .watched = true, .start = sl_launch_slurm},
    {"print", .away = true, .start = start_print},
    {.name = NULL},
};

const struct sl_launcher *sl_launcher_find(const char *name)
{
    for (const struct sl_launcher *launcher = sl_launchers; launcher->name; launcher++)
        if (strcmp(launcher->name, name) == 0) return launcher;
    return NULL;
}
