/* Follows Slurm jobs by their files and by squeue. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "experiment/launch/slurm.h"
#include "experiment/launch/submission.h"
#include "experiment/run/parts.h"
#include "experiment/run/runner.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/experiment/launch.h"

/* Squeue is asked every second at first and more seldom later, since all users of a cluster share
 * its controller. LATE_SECONDS: a file on a network file system may be seen later than Slurm says
 * that its writer ended. */
enum { MOST_SECONDS = 15, PATIENCE = 20, LATE_SECONDS = 5, TICK_MS = 100, MOST_SHOWN = 8 };

/* Cancelled tasks write a checkpoint, and Slurm kills those that do not end (KillWait, 30 s). */
enum { CANCEL_SECONDS = 120 };

/* A job whose submission was interrupted has no number; Slurm may show it this late. */
enum { UNSEEN_SECONDS = 30 };

/* A job that is followed. */
struct followed {
    struct sl_submission *submission; /* borrowed */
    struct sl_slurm_task *tasks;      /* owned; from 1 to n_tasks */
    size_t n_tasks, n_open;
    double unseen; /* since when Slurm answers that it has no such job; NaN: it has one */
    double
        *ended; /* owned; n_tasks + 1; since when a task is known to have ended; NaN: it has not */
    bool *open; /* owned; one per run; not joined yet */
};

struct watch {
    const char *folder;                      /* borrowed */
    const struct sl_experiment_hooks *hooks; /* borrowed */
    bool cancels;                            /* the jobs when the watch is to stop */
    double cancelled;                        /* when they were; NaN: they were not */
    struct sl_ledger ledger;
    struct sl_outputs outputs;
    struct followed *jobs; /* owned; n_jobs */
    size_t n_jobs;
    struct sl_experiment_outcome outcome;
};

static void tell(const struct watch *watch, enum sl_run_event event, const char *title,
                 const char *reason)
{
    if (watch->hooks->event) watch->hooks->event(watch->hooks->context, event, title, reason);
}

/* A watch that has cancelled its jobs stops when they have ended. */
static bool must_stop(const struct watch *watch)
{
    return isnan(watch->cancelled) && watch->hooks->stop &&
           watch->hooks->stop(watch->hooks->context);
}

/* ---- Runs ---- */

/* Slurm's reason, after the end of what the task printed. */
static char *describe_failure(const struct followed *job, size_t task)
{
    char *path = sl_string_printf("%s/%zu.log", job->submission->folder, task);
    char *tail = sl_log_tail(path);
    char *text = sl_string_printf("%s%stask %s_%zu: %s", tail, *tail ? "\n" : "",
                                  job->submission->job, task, job->tasks[task].reason);
    free(tail);
    free(path);
    return text;
}

static enum sl_status record_failure(struct watch *watch, const struct followed *job, size_t index,
                                     const char *reason, struct sl_error *err)
{
    const struct sl_experiment *experiment = job->submission->experiment;
    json_t *failure = sl_run_head(experiment, &experiment->runs[index], "failure");
    json_object_set_new(failure, "job", json_string("Slurm"));
    json_object_set_new(failure, "log", json_string(reason));
    const enum sl_status status = sl_ledger_fail(&watch->ledger, failure, err);
    json_decref(failure);
    return status;
}

/* The run of a task that has ended, in a turn. Another watch may have joined its part since: one
 * that was killed, or one on a machine that does not see the lock of this one. */
static enum sl_status settle_run(struct watch *watch, const struct followed *job, size_t index,
                                 enum sl_part_state *state, char **reason, struct sl_error *err)
{
    const struct sl_run *run = &job->submission->experiment->runs[index];
    SL_TRY(sl_part_join(&watch->ledger, &watch->outputs, run, state, reason, err));
    if (*state != SL_PART_NONE) return SL_OK;
    if (sl_ledger_has_key(&watch->ledger, run->key)) {
        *state = SL_PART_DONE;
        return SL_OK;
    }
    json_t *failure = sl_ledger_failure(&watch->ledger, run->key);
    const char *log = json_string_value(json_object_get(failure, "log"));
    *state = SL_PART_FAILED;
    *reason = log ? sl_string_copy(log) : describe_failure(job, job->submission->tasks[index]);
    const enum sl_status status = failure ? SL_OK : record_failure(watch, job, index, *reason, err);
    json_decref(failure);
    return status;
}

static enum sl_status judge_run(struct watch *watch, const struct followed *job, size_t index,
                                enum sl_part_state *state, char **reason, struct sl_error *err)
{
    const struct sl_run *run = &job->submission->experiment->runs[index];
    const double ended = job->ended[job->submission->tasks[index]];
    SL_TRY(sl_part_join(&watch->ledger, &watch->outputs, run, state, reason, err));
    if (*state != SL_PART_NONE) return SL_OK;
    if (sl_ledger_has_key(&watch->ledger, run->key)) *state = SL_PART_DONE;
    if (*state != SL_PART_NONE || !(sl_clock_seconds() - ended >= LATE_SECONDS)) return SL_OK;
    SL_TRY(sl_ledger_begin_turn(&watch->ledger, err));
    const enum sl_status status = settle_run(watch, job, index, state, reason, err);
    sl_ledger_end_turn(&watch->ledger);
    return status;
}

static enum sl_status look_at_run(struct watch *watch, struct followed *job, size_t index,
                                  struct sl_error *err)
{
    const char *title = job->submission->experiment->runs[index].title;
    enum sl_part_state state = SL_PART_NONE;
    char *reason = NULL;
    const enum sl_status status = judge_run(watch, job, index, &state, &reason, err);
    if (status == SL_OK && state != SL_PART_NONE) {
        const bool done = state == SL_PART_DONE;
        watch->outcome.done += done;
        watch->outcome.failed += !done;
        tell(watch, done ? SL_RUN_DONE : SL_RUN_FAILED, title, reason);
        job->open[index] = false;
        job->n_open--;
    }
    free(reason);
    return status;
}

/* ---- Jobs ---- */

/* Slurm's answer to the state of a job, whose number is asked for first if it is not known. */
static enum sl_status ask_slurm(const struct watch *watch, struct followed *job,
                                struct sl_error *err)
{
    struct sl_submission *submission = job->submission;
    const bool known = submission->job;
    SL_TRY(sl_submission_identify(submission, err));
    if (!submission->job) {
        if (isnan(job->unseen)) job->unseen = sl_clock_seconds();
        return SL_OK;
    }
    job->unseen = NAN;
    if (!known && !isnan(watch->cancelled)) SL_TRY(sl_slurm_cancel(submission->job, err));
    return sl_slurm_ask(submission->job, job->tasks, job->n_tasks, err);
}

/* An answer that does not come is no answer: the controller may be restarting. */
static enum sl_status ask(struct watch *watch, struct followed *job, struct sl_error *err)
{
    struct sl_error problem;
    const enum sl_status status = ask_slurm(watch, job, &problem);
    if (status == SL_ERR_BACKEND) {
        if (!must_stop(watch))
            tell(watch, SL_RUN_WARNS, job->submission->experiment->name, problem.message);
        return SL_OK;
    }
    if (status != SL_OK) return sl_fail(err, status, "%s", problem.message);
    for (size_t i = 1; i <= job->n_tasks; i++) {
        if (job->tasks[i].state != SL_SLURM_ENDED)
            job->ended[i] = NAN;
        else if (isnan(job->ended[i]))
            job->ended[i] = sl_clock_seconds();
    }
    return SL_OK;
}

/* The runs of a job that Slurm never got are not failed: they are still to be submitted. */
static void give_up(const struct watch *watch, struct followed *job)
{
    tell(watch, SL_RUN_WARNS, job->submission->experiment->name,
         "Slurm has no job of an interrupted submission: the command that submits the runs "
         "continues");
    job->n_open = 0;
}

/* What a watch on another machine joined meanwhile. */
static enum sl_status read_others(struct watch *watch, struct sl_error *err)
{
    SL_TRY(sl_ledger_begin_turn(&watch->ledger, err));
    sl_ledger_end_turn(&watch->ledger);
    return SL_OK;
}

static enum sl_status look_at_job(struct watch *watch, struct followed *job, struct sl_error *err)
{
    const struct sl_submission *submission = job->submission;
    if (job->n_open == 0) return SL_OK;
    /* First Slurm, then the files: a task that has ended has written its part. */
    SL_TRY(ask(watch, job, err));
    SL_TRY(read_others(watch, err));
    for (size_t i = 0; i < submission->experiment->n_runs; i++)
        if (job->open[i]) SL_TRY(look_at_run(watch, job, i, err));
    if (sl_clock_seconds() - job->unseen > UNSEEN_SECONDS) give_up(watch, job);
    if (job->n_open > 0) return SL_OK;
    SL_TRY(sl_ledger_order(&watch->ledger, submission->experiment, err));
    return sl_submission_close(submission, err);
}

static void follow(struct followed *job, struct sl_submission *submission)
{
    const struct sl_experiment *experiment = submission->experiment;
    *job = (struct followed){.submission = submission,
                             .unseen = NAN,
                             .open = sl_alloc(experiment->n_runs + 1, sizeof *job->open)};
    for (size_t i = 0; i < experiment->n_runs; i++) {
        job->open[i] = submission->tasks[i] > 0;
        job->n_open += job->open[i];
        if (submission->tasks[i] > job->n_tasks) job->n_tasks = submission->tasks[i];
    }
    job->tasks = sl_alloc(job->n_tasks + 1, sizeof *job->tasks);
    job->ended = sl_alloc(job->n_tasks + 1, sizeof *job->ended);
    for (size_t i = 0; i <= job->n_tasks; i++)
        job->ended[i] = NAN;
}

static void unfollow(struct followed *job)
{
    for (size_t i = 0; i <= job->n_tasks; i++)
        free(job->tasks[i].reason);
    free(job->tasks);
    free(job->ended);
    free(job->open);
}

/* ---- The board ---- */

static void show(const struct watch *watch)
{
    struct sl_running running[MOST_SHOWN];
    struct sl_board board = {.done = watch->outcome.done,
                             .failed = watch->outcome.failed,
                             .total = watch->outcome.done + watch->outcome.failed,
                             .running = running};
    if (!watch->hooks->board) return;
    for (size_t i = 0; i < watch->n_jobs; i++) {
        const struct followed *job = &watch->jobs[i];
        board.total += job->n_open;
        for (size_t j = 0; j < job->submission->experiment->n_runs; j++) {
            if (!job->open[j]) continue;
            const struct sl_slurm_task *task = &job->tasks[job->submission->tasks[j]];
            board.waiting += task->state == SL_SLURM_WAITS;
            if (task->state == SL_SLURM_WAITS && !board.waiting_for)
                board.waiting_for = task->reason;
            if (task->state == SL_SLURM_RUNS && board.n_running < MOST_SHOWN)
                running[board.n_running++] = (struct sl_running){
                    job->submission->experiment->runs[j].title, task->seconds, NAN};
        }
    }
    watch->hooks->board(watch->hooks->context, &board);
}

/* ---- The loop ---- */

static size_t count_open(const struct watch *watch)
{
    size_t count = 0;
    for (size_t i = 0; i < watch->n_jobs; i++)
        count += watch->jobs[i].n_open;
    return count;
}

static void rest(const struct watch *watch, double seconds)
{
    const struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};
    const double begun = sl_clock_seconds();
    while (sl_clock_seconds() - begun < seconds && !must_stop(watch)) {
        show(watch);
        nanosleep(&tick, NULL);
    }
}

/* A job that Slurm does not know yet is cancelled when it does. */
static enum sl_status cancel(struct sl_submission *submission, struct sl_error *err)
{
    SL_TRY(sl_submission_identify(submission, err));
    return submission->job ? sl_slurm_cancel(submission->job, err) : SL_OK;
}

/* End the jobs, or leave them to another watch. */
static enum sl_status stop(struct watch *watch, struct sl_error *err)
{
    if (!watch->cancels)
        return sl_fail(err, SL_ERR_STOPPED,
                       "watching stopped, and the Slurm jobs go on: follow them again with "
                       "softlab run --watch -o %s, or end them with softlab run --cancel -o %s",
                       watch->folder, watch->folder);
    tell(watch, SL_RUN_STOPS, "Slurm", "once the cancelled jobs have ended");
    for (size_t i = 0; i < watch->n_jobs; i++)
        if (watch->jobs[i].n_open > 0) SL_TRY(cancel(watch->jobs[i].submission, err));
    watch->cancelled = sl_clock_seconds();
    return SL_OK;
}

static enum sl_status work(struct watch *watch, struct sl_error *err)
{
    double begun = sl_clock_seconds();
    for (;;) {
        for (size_t i = 0; i < watch->n_jobs; i++)
            SL_TRY(look_at_job(watch, &watch->jobs[i], err));
        if (count_open(watch) == 0) break;
        if (must_stop(watch)) {
            SL_TRY(stop(watch, err));
            begun = watch->cancelled; /* it does not take long now */
        }
        if (sl_clock_seconds() - watch->cancelled > CANCEL_SECONDS)
            return sl_fail(err, SL_ERR_STOPPED,
                           "the Slurm jobs were cancelled and have not ended yet: join their "
                           "results with softlab run --watch -o %s",
                           watch->folder);
        rest(watch, fmin(MOST_SECONDS, 1 + (sl_clock_seconds() - begun) / PATIENCE));
    }
    if (isnan(watch->cancelled)) return SL_OK;
    return sl_fail(err, SL_ERR_STOPPED,
                   "the Slurm jobs were cancelled, and what they finished is in %s; the command "
                   "that submitted them continues",
                   watch->folder);
}

/* The jobs of a folder; SL_ERR_NOT_FOUND if it has none. */
static enum sl_status read_jobs(const char *folder, struct sl_submissions *out,
                                struct sl_error *err)
{
    SL_TRY(sl_submissions_read(folder, out, err));
    if (out->count > 0) return SL_OK;
    return sl_fail(err, SL_ERR_NOT_FOUND,
                   "%s has no Slurm job to follow: submit one with softlab run NAME --launcher "
                   "slurm -o %s",
                   folder, folder);
}

enum sl_status sl_launch_watch(const char *folder, const struct sl_experiment_hooks *hooks,
                               bool cancels, struct sl_experiment_outcome *out,
                               struct sl_error *err)
{
    struct watch watch = {.folder = folder,
                          .hooks = hooks,
                          .cancels = cancels,
                          .cancelled = NAN,
                          .ledger = {.lock = -1}};
    struct sl_submissions submissions = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(read_jobs(folder, &submissions, err));
    SL_TRY_OUT(sl_ledger_open(folder, &watch.ledger, err));
    SL_TRY_OUT(sl_outputs_open(&watch.outputs, folder, err));
    watch.jobs = sl_alloc(submissions.count, sizeof *watch.jobs);
    for (; watch.n_jobs < submissions.count; watch.n_jobs++)
        follow(&watch.jobs[watch.n_jobs], &submissions.items[watch.n_jobs]);
    SL_TRY_OUT(work(&watch, err));
out:
    *out = watch.outcome;
    for (size_t i = 0; i < watch.n_jobs; i++)
        unfollow(&watch.jobs[i]);
    free(watch.jobs);
    sl_outputs_close(&watch.outputs);
    sl_ledger_close(&watch.ledger);
    sl_submissions_release(&submissions);
    return status;
}

enum sl_status sl_launch_cancel(const char *folder, struct sl_error *err)
{
    struct sl_submissions submissions = {0};
    SL_TRY(read_jobs(folder, &submissions, err));
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < submissions.count && status == SL_OK; i++)
        status = cancel(&submissions.items[i], err);
    sl_submissions_release(&submissions);
    return status;
}
