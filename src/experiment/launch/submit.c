/* Hands the runs of an experiment to Slurm as one job array. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/launch/launch.h"
#include "experiment/launch/slurm.h"
#include "experiment/launch/submission.h"
#include "experiment/run/parts.h"
#include "experiment/run/runner.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* Nodes may be slower than the machine that measured, and tasks share them. */
enum { TIME_MARGIN = 3, LEAST_MINUTES = 10, MEGABYTE = 1000000 };
static const double memory_margin = 1.25;

/* A job that is put together. */
struct array {
    const struct sl_experiment *experiment; /* borrowed */
    const struct sl_launch *launch;         /* borrowed */
    struct sl_slurm_words words;
    struct sl_slurm_request request;
    bool *open;    /* owned; n_runs; to be submitted */
    size_t *tasks; /* owned; n_runs; from 1; 0: none */
    char *folder;  /* owned */
    char *script;  /* owned */
    char *job;     /* owned; its number, once it is submitted */
};

/* Runs of one task are made one after another. A cluster limits the tasks of an array, so that a
 * task may have several. */
static size_t divide(struct array *array, size_t limit)
{
    size_t n_open = 0, given = 0;
    for (size_t i = 0; i < array->experiment->n_runs; i++)
        n_open += array->open[i];
    const size_t per_task = (n_open + limit - 1) / limit;
    for (size_t i = 0; i < array->experiment->n_runs; i++)
        if (array->open[i]) array->tasks[i] = 1 + given++ / per_task;
    array->request.n_tasks = per_task > 0 ? (n_open + per_task - 1) / per_task : 0;
    return n_open;
}

/* ---- Time and memory ---- */

/* The estimate of one run by itself: it shares no work with runs on other machines. */
static enum sl_status estimate_run(struct sl_estimator *estimator,
                                   const struct sl_experiment *experiment, size_t index,
                                   struct sl_experiment_estimate *out, struct sl_error *err)
{
    struct sl_experiment one = *experiment;
    one.runs = &experiment->runs[index];
    one.n_runs = 1;
    return sl_estimator_add(estimator, &one, NULL, out, err);
}

static enum sl_status check_estimate(const struct array *array, const struct sl_run *run,
                                     const struct sl_experiment_estimate *estimate,
                                     struct sl_error *err)
{
    if (estimate->n_untimed > 0 && !array->words.times)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: its time is unknown (%s); give the limit with --slurm time=MINUTES",
                       run->title, estimate->problem);
    if (estimate->memory == SIZE_MAX && !array->words.sizes)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: it needs more memory than any machine has; make the size of the items, "
                       "the batch or the network smaller",
                       run->title);
    return SL_OK;
}

static enum sl_status check_stop(const struct array *array, struct sl_error *err)
{
    const struct sl_experiment_hooks *hooks = &array->launch->runner->hooks;
    if (!hooks->stop || !hooks->stop(hooks->context)) return SL_OK;
    return sl_fail(err, SL_ERR_STOPPED,
                   "stopped before %s was submitted; the same command submits it",
                   array->experiment->name);
}

static enum sl_status estimate(struct array *array, struct sl_error *err)
{
    const struct sl_experiment *experiment = array->experiment;
    const struct sl_experiment_runner *runner = array->launch->runner;
    struct sl_estimator *estimator = sl_estimator_create(&runner->roots, 1, runner->threads);
    double *seconds = sl_alloc(array->request.n_tasks + 1, sizeof *seconds);
    double longest = 0, largest = 0;
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < experiment->n_runs && !(array->words.times && array->words.sizes); i++) {
        struct sl_experiment_estimate one;
        if (array->tasks[i] == 0) continue;
        SL_TRY_OUT(check_stop(array, err));
        SL_TRY_OUT(estimate_run(estimator, experiment, i, &one, err));
        SL_TRY_OUT(check_estimate(array, &experiment->runs[i], &one, err));
        seconds[array->tasks[i]] += one.elapsed;
        longest = fmax(longest, seconds[array->tasks[i]]);
        largest = fmax(largest, (double)one.memory);
    }
    if (!array->words.times)
        array->request.minutes = (size_t)ceil(LEAST_MINUTES + TIME_MARGIN * longest / 60);
    if (!array->words.sizes)
        array->request.megabytes = (size_t)ceil(memory_margin * largest / MEGABYTE);
out:
    free(seconds);
    sl_estimator_destroy(estimator);
    return status;
}

/* ---- Files ---- */

static enum sl_status write_text(const char *folder, const char *name, const struct sl_buffer *text,
                                 struct sl_error *err)
{
    char *path = sl_path_join(folder, name);
    enum sl_status status = sl_buffer_check(text, path, err);
    if (status == SL_OK) status = sl_file_write(path, text->data, text->length, err);
    free(path);
    return status;
}

/* Line N has the keys of task N. */
static enum sl_status write_tasks(const struct array *array, struct sl_error *err)
{
    struct sl_buffer text;
    size_t last = 0;
    sl_buffer_init(&text, (size_t)1 << 28);
    for (size_t i = 0; i < array->experiment->n_runs; i++) {
        if (array->tasks[i] == 0) continue;
        const char *before = last == array->tasks[i] ? "," : last > 0 ? "\n" : "";
        sl_buffer_printf(&text, "%s%s", before, array->experiment->runs[i].key);
        last = array->tasks[i];
    }
    sl_buffer_text(&text, "\n");
    const enum sl_status status = write_text(array->folder, "tasks", &text, err);
    sl_buffer_release(&text);
    return status;
}

static enum sl_status write_script(const struct array *array, struct sl_error *err)
{
    struct sl_buffer text;
    char *list = sl_path_join(array->folder, "tasks"), *words[] = {list, NULL};
    sl_buffer_init(&text, SL_LAUNCH_LINE);
    sl_buffer_text(&text, "#!/bin/sh\n"
                          "# Task N makes the runs of line N of this file:\ntasks=");
    sl_shell_line(words, &text);
    sl_buffer_text(&text, "\nkeys=$(sed -n \"${SLURM_ARRAY_TASK_ID}p\" \"$tasks\") || exit 1\n"
                          "# exec: the signals of Slurm go to softlab.\nexec ");
    sl_launch_line(array->launch, &text);
    sl_buffer_text(&text, "\"$keys\"\n");
    const enum sl_status status = write_text(array->folder, "script", &text, err);
    sl_buffer_release(&text);
    free(list);
    return status;
}

/* ---- Submitting ---- */

static void tell(const struct array *array, size_t n_runs)
{
    const struct sl_experiment_hooks *hooks = &array->launch->runner->hooks;
    if (!hooks->event) return;
    const struct sl_slurm_request *request = &array->request;
    char memory[60] = "", minutes[60] = "", size[40];
    if (request->megabytes > 0)
        snprintf(memory, sizeof memory, ", %s of memory",
                 sl_text_bytes((uint64_t)request->megabytes * MEGABYTE, size, sizeof size));
    if (request->minutes > 0)
        snprintf(minutes, sizeof minutes, ", at most %zu minutes", request->minutes);
    char *text =
        sl_string_printf("Slurm job %s: %zu run%s in %zu task%s of %zu core%s%s%s", array->job,
                         n_runs, sl_text_plural(n_runs, "", "s"), request->n_tasks,
                         sl_text_plural(request->n_tasks, "", "s"), request->threads,
                         sl_text_plural(request->threads, "", "s"), memory, minutes);
    hooks->event(hooks->context, SL_RUN_SUBMITTED, array->experiment->name, text);
    free(text);
}

/* A copy: the caller's array keeps what it points to. */
static enum sl_status record(const struct array *array, struct sl_error *err)
{
    struct sl_experiment plan = *array->experiment;
    const struct sl_submission submission = {.folder = array->folder,
                                             .script = array->script,
                                             .job = array->job,
                                             .experiment = &plan,
                                             .tasks = array->tasks};
    return sl_submission_write(&submission, err);
}

/* Runs that an open job has are not submitted twice. True if there are any. */
static enum sl_status leave_out(struct array *array, bool *some, struct sl_error *err)
{
    const struct sl_experiment *experiment = array->experiment;
    struct sl_submissions open = {0};
    SL_TRY(sl_submissions_read(array->launch->runner->folder, &open, err));
    *some = false;
    for (size_t i = 0; i < experiment->n_runs; i++) {
        if (!array->open[i] || !sl_submissions_have(&open, experiment->runs[i].key)) continue;
        array->open[i] = false;
        *some = true;
    }
    sl_submissions_release(&open);
    return SL_OK;
}

/* Write the files of the job, in a turn: of two machines that submit the same runs, one is first.
 */
static enum sl_status claim(struct array *array, struct sl_error *err)
{
    const char *folder = array->launch->runner->folder;
    bool taken = false;
    SL_TRY(leave_out(array, &taken, err));
    if (taken)
        return sl_fail(err, SL_ERR_USAGE,
                       "another softlab run has just submitted runs of %s: follow them with "
                       "softlab run --watch -o %s",
                       array->experiment->name, folder);
    SL_TRY(sl_submission_folder(folder, &array->folder, err));
    SL_TRY(write_tasks(array, err));
    SL_TRY(write_script(array, err));
    array->script = sl_path_join(array->folder, "script");
    return record(array, err);
}

static enum sl_status submit(struct array *array, struct sl_ledger *ledger, size_t n_runs,
                             struct sl_error *err)
{
    bool unsure = false;
    SL_TRY(estimate(array, err));
    SL_TRY(check_stop(array, err));
    SL_TRY(sl_ledger_begin_turn(ledger, err));
    const enum sl_status claimed = claim(array, err);
    sl_ledger_end_turn(ledger);
    if (claimed != SL_OK) return claimed;
    array->request.script = array->script;
    array->request.folder = array->folder;
    array->request.words = array->words.words;
    struct sl_error refusal;
    const enum sl_status status = sl_slurm_submit(&array->request, &array->job, &unsure, &refusal);
    if (status == SL_OK) {
        SL_TRY(record(array, err));
        tell(array, n_runs);
        return SL_OK;
    }
    if (unsure)
        return sl_fail(err, status,
                       "%s; Slurm may run the job all the same: softlab run --watch -o %s looks "
                       "for it",
                       refusal.message, array->launch->runner->folder);
    sl_folder_remove(array->folder); /* nothing runs there */
    return sl_fail(err, status, "%s", refusal.message);
}

/* sbatch replaces no %a in a path with a backslash, and no option has two lines. */
static enum sl_status check_folder(const char *folder, struct sl_error *err)
{
    char *path = sl_path_absolute(folder);
    const bool good = !strpbrk(path, "\\\n");
    free(path);
    if (good) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE,
                   "--output: Slurm cannot write logs into a folder whose path has a backslash or "
                   "a line break; use another folder");
}

enum sl_status sl_launch_slurm(const struct sl_experiment *experiment,
                               const struct sl_launch *launch, struct sl_experiment_outcome *out,
                               struct sl_error *err)
{
    const struct sl_experiment_runner *runner = launch->runner;
    struct array array = {.experiment = experiment,
                          .launch = launch,
                          .request = {.threads = runner->threads},
                          .open = sl_alloc(experiment->n_runs + 1, sizeof *array.open),
                          .tasks = sl_alloc(experiment->n_runs + 1, sizeof *array.tasks)};
    struct sl_ledger ledger = {.lock = -1};
    struct sl_outputs outputs = {0};
    struct sl_experiment_outcome found = {0};
    size_t limit = 1;
    bool handed = false;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(check_folder(runner->folder, err));
    SL_TRY_OUT(sl_slurm_words_read(launch->slurm, &array.words, err));
    SL_TRY_OUT(sl_slurm_array_limit(&limit, err));
    SL_TRY_OUT(sl_results_open(experiment, runner, &ledger, &outputs, err));
    sl_launch_count(experiment, &ledger, &runner->hooks, array.open, &found);
    SL_TRY_OUT(leave_out(&array, &handed, err));
    const size_t n_runs = divide(&array, limit);
    if (n_runs > 0) SL_TRY_OUT(submit(&array, &ledger, n_runs, err));
    *out = found;
out:
    sl_ledger_close(&ledger);
    sl_outputs_close(&outputs);
    if (array.words.words) sl_slurm_words_release(&array.words);
    free(array.open);
    free(array.tasks);
    free(array.folder);
    free(array.script);
    free(array.job);
    return status;
}
