/* softlab run --dry-run: the runs, what is wrong with them, and how long they would take. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* "3 min", "2.4 h", "5.1 days". */
static const char *long_time(double seconds, char *out, size_t size)
{
    if (seconds < 5400)
        snprintf(out, size, "%.0f min", ceil(seconds / 60));
    else if (seconds < 172800)
        snprintf(out, size, "%.1f h", seconds / 3600);
    else
        snprintf(out, size, "%.1f days", seconds / 86400);
    return out;
}

/* "12 core-seconds", "35 core-minutes", "6.2 core-hours". */
static const char *core_time(double seconds, char *out, size_t size)
{
    if (seconds < 90)
        snprintf(out, size, "%.0f core-seconds", ceil(seconds));
    else if (seconds < 5400)
        snprintf(out, size, "%.0f core-minutes", ceil(seconds / 60));
    else
        snprintf(out, size, "%.1f core-hours", seconds / 3600);
    return out;
}

/* Every reason once, with the first run that has it. */
static void say_missing(const struct run_board *board, const struct sl_experiment *experiment)
{
    const struct sl_run *runs = experiment->runs;
    fflush(stdout);
    for (size_t i = 0; i < experiment->n_runs; i++) {
        size_t n_like = 0;
        bool said = !runs[i].missing;
        for (size_t j = 0; j < experiment->n_runs && !said; j++) {
            const bool like = runs[j].missing && strcmp(runs[j].missing, runs[i].missing) == 0;
            said = like && j < i;
            n_like += like;
        }
        char others[48] = "";
        if (n_like > 1)
            snprintf(others, sizeof others, " and %zu other%s", n_like - 1,
                     sl_text_plural(n_like - 1, "", "s"));
        if (!said)
            sl_log(&board->cli->log, SL_LOG_WARNING, "missing  %s%s: %s", runs[i].title, others,
                   runs[i].missing);
    }
}

/* Of runs that can be made, the tests that they cannot be scored on. */
static void say_lacking(const struct sl_experiment *experiment, struct run_board *board)
{
    const char *test;
    json_t *reason;
    for (size_t i = 0; i < experiment->n_runs; i++) {
        const struct sl_run *run = &experiment->runs[i];
        if (run->missing || run->n_lacking == 0) continue;
        json_object_foreach(run->absent, test, reason)
        {
            char *text = sl_string_printf("%s: %s", test, json_string_value(reason));
            run_board_event(board, SL_RUN_LACKS, run->title, text);
            free(text);
        }
    }
}

static void say_untimed(const struct run_board *board,
                        const struct sl_experiment_estimate *estimate)
{
    if (estimate->n_untimed == 0) return;
    fflush(stdout);
    sl_log(&board->cli->log, SL_LOG_WARNING, "the time of %zu %s is not in the estimate: %s",
           estimate->n_untimed,
           sl_text_plural(estimate->n_untimed, "training or score", "trainings and scores"),
           estimate->problem);
}

enum sl_status run_print_plan(const struct sl_experiment *experiment,
                              const struct sl_experiment_runner *runner, struct run_tally *tally,
                              struct sl_error *err)
{
    struct sl_experiment_estimate estimate;
    char cost[40], time[40], memory[40], missing[60] = "";
    size_t n_missing = 0;
    for (size_t i = 0; i < experiment->n_runs; i++) {
        const struct sl_run *run = &experiment->runs[i];
        n_missing += run->missing != NULL;
        tally->lacking += !run->missing && run->n_lacking > 0;
        printf("%.12s  %s%s\n", run->key, run->title, run->missing ? "  missing" : "");
    }
    tally->missing += n_missing;
    tally->all += experiment->n_runs;
    SL_TRY(sl_estimator_add(tally->estimator, experiment, runner->folder, &estimate, err));
    if (n_missing > 0) snprintf(missing, sizeof missing, "%zu cannot be made here, ", n_missing);
    printf(
        "%s, scale %s: %zu run%s%s, %s%zu to make; about %s, %s with %zu process%s of at most %s\n",
        experiment->name, experiment->scale, experiment->n_runs,
        sl_text_plural(experiment->n_runs, "", "s"),
        strcmp(experiment->kind, "tuning") == 0 ? " to tune it" : "", missing, estimate.n_runs,
        core_time(estimate.seconds, cost, sizeof cost),
        long_time(estimate.elapsed, time, sizeof time), runner->n_processes,
        sl_text_plural(runner->n_processes, "", "es"),
        sl_text_bytes(estimate.memory, memory, sizeof memory));
    say_untimed(runner->hooks.context, &estimate);
    say_missing(runner->hooks.context, experiment);
    say_lacking(experiment, runner->hooks.context);
    return SL_OK;
}

void run_print_sum(const struct run_tally *tally, const char *scale, size_t n_processes)
{
    const struct sl_experiment_estimate sum = sl_estimator_sum(tally->estimator);
    char cost[40], time[40], memory[40], budget[40] = "";
    if (tally->n_experiments < 2) return;
    if (strcmp(scale, "small") == 0)
        snprintf(budget, sizeof budget, " of a budget of %d core-hours", SL_SMALL_CORE_HOURS);
    printf("%zu experiments, scale %s: %zu run%s to make, each once; about %s%s, %s with %zu "
           "process%s of at most %s\n",
           tally->n_experiments, scale, sum.n_runs, sl_text_plural(sum.n_runs, "", "s"),
           core_time(sum.seconds, cost, sizeof cost), budget,
           long_time(sum.elapsed, time, sizeof time), n_processes,
           sl_text_plural(n_processes, "", "es"), sl_text_bytes(sum.memory, memory, sizeof memory));
}

enum sl_status run_rehearse(struct cli *cli, struct sl_experiment *experiment,
                            const struct sl_experiment_runner *runner, struct sl_error *err)
{
    SL_TRY(cli_scratch(cli, err));
    char *scratch = sl_path_absolute(cli->scratch), *folder = sl_path_join(scratch, "rehearsal");
    struct sl_experiment_runner rehearsing = *runner;
    rehearsing.folder = folder;
    const enum sl_status status = sl_experiment_rehearse(experiment, &rehearsing, err);
    run_board_clear(runner->hooks.context);
    sl_folder_remove(folder); /* the next experiment begins anew */
    free(folder);
    free(scratch);
    return status;
}
