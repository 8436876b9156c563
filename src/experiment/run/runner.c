/* Runs one process per job. Only files tell which jobs are done, so a runner that was killed
 * resumes where it stopped. */
#include "experiment/run/runner.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "experiment/run/parts.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/system.h"
#include "softlab/base/text.h"
#include "softlab/experiment/launch.h"

enum { MOST_TRIES = 3, TICK_MS = 50, STOP_SECONDS = 20, SETTLE_SECONDS = 5 };

enum job_state { UNNEEDED, WAITING, RUNNING, DONE, FAILED };
enum run_state { OPEN, CLOSED };

struct state {
    const struct sl_experiment *experiment;    /* borrowed */
    const struct sl_experiment_runner *runner; /* borrowed */
    struct sl_ledger ledger;
    struct sl_outputs outputs;
    enum job_state *jobs;         /* owned; n_jobs */
    size_t *memory;               /* owned; n_jobs; 0: not estimated yet */
    unsigned *tries;              /* owned; n_jobs */
    double *seconds;              /* owned; n_jobs; time of each job until it is charged to a run */
    char **logs;                  /* owned; n_jobs; what went wrong, for failed jobs */
    enum run_state *runs;         /* owned; n_runs */
    struct sl_process *processes; /* owned; runner->n_processes */
    size_t *working;              /* owned; the job of each process; SL_NO_JOB: idle */
    struct sl_running *shown;     /* owned; for the board */
    struct sl_experiment_outcome outcome;
    size_t waits, told; /* the job that waits for memory, and the last one reported */
};

static void tell(const struct state *state, enum sl_run_event event, const char *title,
                 const char *reason)
{
    const struct sl_experiment_hooks *hooks = &state->runner->hooks;
    if (hooks->event) hooks->event(hooks->context, event, title, reason);
}

/* True if the output is unchanged since its job wrote it; a changed output is deleted. */
static bool has_output(struct state *state, size_t index)
{
    const struct sl_job *job = &state->experiment->jobs[index];
    const enum sl_output_state found = sl_outputs_look(&state->outputs, job);
    if (found == SL_OUTPUT_SPOILT) {
        tell(state, SL_RUN_SPOILT, job->title, job->output);
        sl_outputs_forget(&state->outputs, job);
    }
    return found == SL_OUTPUT_GOOD;
}

/* ---- Needed jobs ---- */

static void need(struct state *state, size_t index)
{
    const struct sl_job *job = &state->experiment->jobs[index];
    if (state->jobs[index] != UNNEEDED) return;
    state->jobs[index] = WAITING;
    if (has_output(state, index)) {
        state->jobs[index] = DONE;
        return;
    }
    for (size_t i = 0; i < job->n_needs; i++)
        need(state, job->needs[i]);
}

static void open_runs(struct state *state)
{
    for (size_t i = 0; i < state->experiment->n_runs; i++) {
        const struct sl_run *run = &state->experiment->runs[i];
        state->runs[i] = CLOSED;
        if (sl_ledger_has(&state->ledger, run)) {
            state->outcome.skipped++;
        } else if (run->missing) {
            state->outcome.missing++;
            tell(state, SL_RUN_MISSING, run->title, run->missing);
        } else {
            state->runs[i] = OPEN;
            for (size_t j = 0; j < run->n_scores; j++)
                need(state, run->scores[j]);
            /* The result line has the training curve, so the training is needed even if its scores
             * are cached. */
            if (run->training != SL_NO_JOB) need(state, run->training);
        }
    }
}

/* ---- Finished and failed runs ---- */

static enum sl_status fail_run(struct state *state, const struct sl_run *run, const char *what,
                               const char *log, struct sl_error *err)
{
    json_t *failure = sl_run_head(state->experiment, run, "failure");
    json_object_set_new(failure, "job", json_string(what));
    json_object_set_new(failure, "log", json_string(log));
    const enum sl_status status = sl_ledger_fail(&state->ledger, failure, err);
    json_decref(failure);
    state->outcome.failed++;
    tell(state, SL_RUN_FAILED, run->title, log);
    return status;
}

/* The time of a job and of all jobs it needs. Each job is charged to the first run that asks, so
 * that the runs add up to the time spent. */
static double take_seconds(struct state *state, size_t index)
{
    const struct sl_job *job = &state->experiment->jobs[index];
    double seconds = state->seconds[index];
    state->seconds[index] = 0;
    for (size_t i = 0; i < job->n_needs; i++)
        seconds += take_seconds(state, job->needs[i]);
    return seconds;
}

/* Delete the weights of a rehearsal, which are large, unless another training starts from them. */
static void drop_weights(struct state *state, const struct sl_run *run)
{
    const struct sl_experiment *experiment = state->experiment;
    if (run->training == SL_NO_JOB) return;
    for (size_t i = 0; i < experiment->n_runs; i++)
        if (state->runs[i] == OPEN && experiment->runs[i].training == run->training) return;
    for (size_t i = 0; i < experiment->n_jobs; i++)
        for (size_t j = 0; experiment->jobs[i].network && j < experiment->jobs[i].n_needs; j++)
            if (experiment->jobs[i].needs[j] == run->training) return;
    char *path = sl_path_join(state->runner->folder, experiment->jobs[run->training].output);
    unlink(path);
    free(path);
}

static enum sl_status finish_run(struct state *state, const struct sl_run *run,
                                 struct sl_error *err)
{
    json_t *line = NULL;
    struct sl_error problem;
    double seconds = 0;
    if (state->runner->rehearsal) {
        drop_weights(state, run);
        state->outcome.done++;
        return SL_OK;
    }
    for (size_t i = 0; i < run->n_scores; i++)
        seconds += take_seconds(state, run->scores[i]);
    if (sl_collect(state->experiment, run, state->runner, seconds, &line, &problem) != SL_OK)
        return fail_run(state, run, "collecting its scores", problem.message, err);
    const enum sl_status status = sl_ledger_append(&state->ledger, line, err);
    json_decref(line);
    if (status != SL_OK) return status;
    state->outcome.done++;
    tell(state, SL_RUN_DONE, run->title, NULL);
    const char *test;
    json_t *reason;
    json_object_foreach(run->absent, test, reason)
    {
        char *text = sl_string_printf("%s: %s", test, json_string_value(reason));
        tell(state, SL_RUN_LACKS, run->title, text);
        free(text);
    }
    return SL_OK;
}

/* The failed job among a job and its needs; SL_NO_JOB if none failed. */
static size_t failed_below(const struct state *state, size_t index)
{
    const struct sl_job *job = &state->experiment->jobs[index];
    if (state->jobs[index] == FAILED) return index;
    if (state->jobs[index] == DONE) return SL_NO_JOB;
    for (size_t i = 0; i < job->n_needs; i++) {
        const size_t failed = failed_below(state, job->needs[i]);
        if (failed != SL_NO_JOB) return failed;
    }
    return SL_NO_JOB;
}

static enum sl_status close_run(struct state *state, size_t index, struct sl_error *err)
{
    const struct sl_run *run = &state->experiment->runs[index];
    bool all = run->training == SL_NO_JOB || state->jobs[run->training] == DONE;
    size_t failed = run->training == SL_NO_JOB ? SL_NO_JOB : failed_below(state, run->training);
    for (size_t i = 0; i < run->n_scores; i++) {
        all = all && state->jobs[run->scores[i]] == DONE;
        if (failed == SL_NO_JOB) failed = failed_below(state, run->scores[i]);
    }
    if (!all && failed == SL_NO_JOB) return SL_OK;
    state->runs[index] = CLOSED;
    if (all) return finish_run(state, run, err);
    return fail_run(state, run, state->experiment->jobs[failed].title, state->logs[failed], err);
}

static enum sl_status close_runs(struct state *state, size_t *n_open, struct sl_error *err)
{
    *n_open = 0;
    for (size_t i = 0; i < state->experiment->n_runs; i++) {
        if (state->runs[i] == CLOSED) continue;
        SL_TRY(close_run(state, i, err));
        *n_open += state->runs[i] == OPEN;
    }
    return SL_OK;
}

/* ---- Processes ---- */

static void fail_job(struct state *state, size_t job, char *log)
{
    state->jobs[job] = FAILED;
    free(state->logs[job]);
    state->logs[job] = log;
}

static char *describe_end(const struct sl_process *process, int status, unsigned tries)
{
    char *tail = sl_log_tail(process->log), *text = NULL;
    if (WIFSIGNALED(status))
        text = sl_string_printf(
            "%s%skilled by signal %d, tried %u time%s%s", tail, *tail ? "\n" : "", WTERMSIG(status),
            tries, sl_text_plural(tries, "", "s"),
            WTERMSIG(status) == SIGKILL ? "; the system may have run out of memory" : "");
    else if (WEXITSTATUS(status) == SL_CANNOT_START)
        text = sl_string_printf("the results folder cannot be used: %s cannot be written",
                                process->log);
    else
        text = sl_string_copy(*tail ? tail : "the process failed without a message");
    free(tail);
    return text;
}

/* Report the warnings of a successful process, whose log nobody reads. */
static void pass_on_warnings(const struct state *state, const struct sl_job *job,
                             const struct sl_process *process)
{
    static const char mark[] = "warning: ";
    if (!state->runner->spec) return;
    char *log = sl_log_text(process->log), *next = NULL;
    for (char *line = log; line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        if (strncmp(line, mark, sizeof mark - 1) != 0) continue;
        char *words = sl_plan_words(state->experiment, sl_string_copy(line + sizeof mark - 1));
        tell(state, SL_RUN_WARNS, job->title, words);
        free(words);
    }
    free(log);
}

static void end_process(struct state *state, size_t slot, int status)
{
    const size_t index = state->working[slot];
    const struct sl_job *job = &state->experiment->jobs[index];
    struct sl_process *process = &state->processes[slot];
    struct sl_error err;
    state->seconds[index] += sl_clock_seconds() - process->started;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        if (sl_process_keep(job, state->runner, &err) == SL_OK &&
            sl_outputs_keep(&state->outputs, job, &err) == SL_OK)
            state->jobs[index] = DONE;
        else
            fail_job(state, index, sl_string_copy(err.message));
        pass_on_warnings(state, job, process);
    } else if (WIFSIGNALED(status) && state->tries[index] < MOST_TRIES) {
        char *reason = sl_string_printf("killed by signal %d", WTERMSIG(status));
        tell(state, SL_RUN_RETRIED, job->title, reason);
        free(reason);
        state->jobs[index] = WAITING;
    } else {
        fail_job(state, index, describe_end(process, status, state->tries[index]));
    }
    sl_process_release(process);
    state->working[slot] = SL_NO_JOB;
}

static void look_after(struct state *state)
{
    for (size_t slot = 0; slot < state->runner->n_processes; slot++) {
        int status = 0;
        if (state->working[slot] == SL_NO_JOB) continue;
        const pid_t ended = waitpid(state->processes[slot].pid, &status, WNOHANG);
        if (ended == state->processes[slot].pid) end_process(state, slot, status);
    }
}

static bool is_ready(const struct state *state, size_t index)
{
    const struct sl_job *job = &state->experiment->jobs[index];
    if (state->jobs[index] != WAITING) return false;
    for (size_t i = 0; i < job->n_needs; i++)
        if (state->jobs[job->needs[i]] != DONE) return false;
    return true;
}

/* Why the job can never run, or NULL if it may fit later. */
static char *never_fits(const struct state *state, size_t index, size_t available, size_t n_running)
{
    const size_t needed = state->memory[index], limit = state->runner->memory;
    char need[40], there[40];
    if (needed == SIZE_MAX)
        return sl_string_copy("it needs more memory than this machine has; make the size of the "
                              "items, the batch or the network smaller");
    if (limit > 0 ? needed <= limit : n_running > 0) return NULL;
    return sl_string_printf("it needs about %s of memory, but only %s %s",
                            sl_text_bytes(needed, need, sizeof need),
                            sl_text_bytes(available, there, sizeof there),
                            limit > 0 ? "may be used (--memory)" : "is free");
}

/* True if the job fits into memory next to the running jobs. */
static bool fits(struct state *state, size_t index)
{
    const size_t limit = state->runner->memory;
    size_t promised = 0, n_running = 0;
    if (state->memory[index] == 0)
        state->memory[index] = sl_job_memory(&state->experiment->jobs[index]);
    for (size_t slot = 0; slot < state->runner->n_processes; slot++) {
        if (state->working[slot] == SL_NO_JOB) continue;
        n_running++;
        /* Without a limit, count only processes that have just started: the others have taken their
         * memory, which is no longer free. */
        if (limit > 0 ||
            sl_clock_seconds() - state->processes[slot].started < (double)SETTLE_SECONDS)
            promised += state->memory[state->working[slot]];
    }
    const size_t available = limit > 0 ? limit : sl_memory_free();
    if (available >= promised && available - promised >= state->memory[index]) return true;
    char *never = never_fits(state, index, available, n_running);
    if (never)
        fail_job(state, index, never);
    else if (state->waits == SL_NO_JOB)
        state->waits = index;
    return false;
}

/* Threads for the next job: an equal share of those that no process has, among the jobs that can
 * start beside it. */
static size_t share_of_threads(const struct state *state)
{
    size_t idle = 0, ready = 0, taken = 0;
    for (size_t slot = 0; slot < state->runner->n_processes; slot++) {
        const bool works = state->working[slot] != SL_NO_JOB;
        idle += !works;
        taken += works ? state->processes[slot].threads : 0;
    }
    for (size_t i = 0; i < state->experiment->n_jobs; i++)
        ready += is_ready(state, i);
    const size_t starting = ready < idle ? ready : idle;
    const size_t left = state->runner->threads > taken ? state->runner->threads - taken : 0;
    return starting > 0 && left > starting ? left / starting : 1;
}

static void start_job(struct state *state, size_t slot, size_t index)
{
    struct sl_error err;
    const struct sl_job *job = &state->experiment->jobs[index];
    state->tries[index]++;
    if (sl_process_start(job, state->runner, share_of_threads(state), &state->processes[slot],
                         &err) != SL_OK) {
        fail_job(state, index, sl_string_copy(err.message));
        return;
    }
    state->jobs[index] = RUNNING;
    state->working[slot] = index;
}

static void start_jobs(struct state *state)
{
    size_t slot = 0;
    state->waits = SL_NO_JOB;
    for (size_t i = 0; i < state->experiment->n_jobs; i++) {
        while (slot < state->runner->n_processes && state->working[slot] != SL_NO_JOB)
            slot++;
        if (slot == state->runner->n_processes) break;
        if (is_ready(state, i) && fits(state, i)) start_job(state, slot, i);
    }
    if (state->waits == SL_NO_JOB || state->waits == state->told) return;
    state->told = state->waits;
    tell(state, SL_RUN_WAITS, state->experiment->jobs[state->waits].title, "not enough memory now");
}

/* The remaining time of a training, by the duration of its last epoch. */
static double seconds_left(const struct state *state, size_t index)
{
    const struct sl_job *job = &state->experiment->jobs[index];
    if (!job->network || job->n_epochs == 0) return NAN;
    char *weights = sl_path_join(state->runner->folder, job->output);
    char *path = sl_string_printf("%.*slog.jsonl",
                                  (int)(strlen(weights) - strlen("weights.safetensors")), weights);
    const struct sl_training_log log = sl_training_log_read(path);
    free(path);
    free(weights);
    if (log.n_epochs == 0 || log.n_epochs > job->n_epochs) return NAN;
    return fmax(0, log.seconds * (double)(job->n_epochs - log.n_epochs) - log.age);
}

static void show(struct state *state)
{
    const struct sl_experiment_hooks *hooks = &state->runner->hooks;
    if (!hooks->board) return;
    size_t running = 0;
    for (size_t slot = 0; slot < state->runner->n_processes; slot++) {
        const size_t job = state->working[slot];
        if (job == SL_NO_JOB) continue;
        const double elapsed = sl_clock_seconds() - state->processes[slot].started;
        state->shown[running++] = (struct sl_running){state->experiment->jobs[job].title, elapsed,
                                                      seconds_left(state, job)};
    }
    const struct sl_board board = {
        .done = state->outcome.done + state->outcome.skipped,
        .failed = state->outcome.failed,
        .missing = state->outcome.missing,
        .total = state->experiment->n_runs,
        .running = state->shown,
        .n_running = running,
        .waits = state->waits == SL_NO_JOB ? NULL : state->experiment->jobs[state->waits].title,
    };
    hooks->board(hooks->context, &board);
}

/* ---- The loop ---- */

static size_t count_working(const struct state *state)
{
    size_t count = 0;
    for (size_t slot = 0; slot < state->runner->n_processes; slot++)
        count += state->working[slot] != SL_NO_JOB;
    return count;
}

static void signal_all(const struct state *state, int number)
{
    for (size_t slot = 0; slot < state->runner->n_processes; slot++)
        if (state->working[slot] != SL_NO_JOB) kill(state->processes[slot].pid, number);
}

static void rest(void)
{
    const struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};
    nanosleep(&tick, NULL);
}

/* Trainings write a checkpoint on SIGTERM. */
static void stop_all(struct state *state)
{
    const double begun = sl_clock_seconds();
    for (size_t i = 0; i < state->experiment->n_jobs; i++)
        state->tries[i] = MOST_TRIES;
    if (count_working(state) > 0)
        tell(state, SL_RUN_STOPS, state->experiment->name, "once checkpoints are written");
    signal_all(state, SIGTERM);
    while (count_working(state) > 0) {
        rest();
        look_after(state);
        if (sl_clock_seconds() - begun > STOP_SECONDS) signal_all(state, SIGKILL);
    }
}

static enum sl_status work(struct state *state, struct sl_error *err)
{
    const struct sl_experiment_hooks *hooks = &state->runner->hooks;
    for (;;) {
        size_t n_open = 0;
        /* Check this first: Ctrl-C in a terminal also ends the children, which is not a failure. */
        if (hooks->stop && hooks->stop(hooks->context))
            return sl_fail(err, SL_ERR_STOPPED,
                           "stopped before the end; the same command continues");
        look_after(state);
        SL_TRY(close_runs(state, &n_open, err));
        if (n_open == 0) return SL_OK;
        start_jobs(state);
        show(state);
        if (count_working(state) > 0) rest();
    }
}

static void state_init(struct state *state)
{
    const size_t n_jobs = state->experiment->n_jobs + 1;
    const size_t n_processes = state->runner->n_processes;
    state->jobs = sl_alloc(n_jobs, sizeof *state->jobs);
    state->memory = sl_alloc(n_jobs, sizeof *state->memory);
    state->tries = sl_alloc(n_jobs, sizeof *state->tries);
    state->seconds = sl_alloc(n_jobs, sizeof *state->seconds);
    state->logs = sl_alloc(n_jobs, sizeof *state->logs);
    state->runs = sl_alloc(state->experiment->n_runs + 1, sizeof *state->runs);
    state->processes = sl_alloc(n_processes, sizeof *state->processes);
    state->working = sl_alloc(n_processes, sizeof *state->working);
    state->shown = sl_alloc(n_processes, sizeof *state->shown);
    state->waits = state->told = SL_NO_JOB;
    for (size_t i = 0; i < n_processes; i++)
        state->working[i] = SL_NO_JOB;
}

static void state_release(struct state *state)
{
    for (size_t i = 0; i < state->experiment->n_jobs; i++)
        free(state->logs[i]);
    sl_ledger_close(&state->ledger);
    sl_outputs_close(&state->outputs);
    free(state->jobs);
    free(state->memory);
    free(state->tries);
    free(state->seconds);
    free(state->logs);
    free(state->runs);
    free(state->processes);
    free(state->working);
    free(state->shown);
}

enum sl_status sl_experiment_run(const struct sl_experiment *experiment,
                                 const struct sl_experiment_runner *runner,
                                 struct sl_experiment_outcome *out, struct sl_error *err)
{
    struct state state = {.experiment = experiment, .runner = runner, .ledger = {.lock = -1}};
    enum sl_status status = SL_OK;
    state_init(&state);
    SL_TRY_OUT(sl_launch_check(runner->folder, err));
    SL_TRY_OUT(sl_results_open(experiment, runner, &state.ledger, &state.outputs, err));
    open_runs(&state);
    SL_TRY_OUT(work(&state, err));
    SL_TRY_OUT(sl_ledger_order(&state.ledger, experiment, err));
out:
    stop_all(&state);
    *out = state.outcome;
    state_release(&state);
    return status;
}
