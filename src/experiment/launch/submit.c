/* Hands the runs of an experiment to Slurm, as job arrays. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/launch/launch.h"
#include "experiment/launch/slurm.h"
#include "experiment/launch/submission.h"
#include "experiment/launch/waves.h"
#include "experiment/run/parts.h"
#include "experiment/run/runner.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* Nodes may be slower than the machine that measured, and tasks share them. */
enum { TIME_MARGIN = 3, LEAST_MINUTES = 10, MEGABYTE = 1000000 };
static const double memory_margin = 1.25;

struct cost {
    double seconds, bytes;
};

/* What is to be submitted. */
struct queue {
    const struct sl_experiment *experiment; /* borrowed */
    const struct sl_launch *launch;         /* borrowed */
    struct sl_slurm_words words;
    size_t limit;       /* tasks of an array, at most */
    bool *open;         /* owned; n_runs; not submitted yet */
    struct cost *costs; /* owned; n_runs */
    struct sl_ledger ledger;
    struct sl_outputs outputs;
    json_t *makers; /* owned; {"key of a training": "job_task"} */
    size_t n_submitted;
};

/* A job that is put together. */
struct array {
    const struct queue *queue; /* borrowed */
    struct sl_slurm_request request;
    size_t *tasks; /* owned; n_runs of the experiment; from 1; 0: none */
    size_t n_runs;
    char *after;   /* owned; the tasks that it waits for, or NULL */
    char *folder;  /* owned */
    char *script;  /* owned */
    char *job;     /* owned; its number, once it is submitted */
    json_t *makes; /* owned */
};

/* Runs of one task are made one after another. A cluster limits the tasks of an array, so that a
 * task may have several. */
static void divide(struct array *array, const struct sl_wave *wave, size_t group)
{
    const size_t n_runs = array->queue->experiment->n_runs, limit = array->queue->limit;
    size_t given = 0;
    for (size_t i = 0; i < n_runs; i++)
        array->n_runs += wave->group[i] == group;
    const size_t per_task = (array->n_runs + limit - 1) / limit;
    for (size_t i = 0; i < n_runs; i++)
        if (wave->group[i] == group) array->tasks[i] = 1 + given++ / per_task;
    array->request.n_tasks = per_task > 0 ? (array->n_runs + per_task - 1) / per_task : 0;
}

/* ---- Time and memory ---- */

/* The estimate of one run by itself. It has time for trainings that it waits for, since their task
 * may fail. */
static enum sl_status estimate_run(struct sl_estimator *estimator,
                                   const struct sl_experiment *experiment, size_t index,
                                   struct sl_experiment_estimate *out, struct sl_error *err)
{
    struct sl_experiment one = *experiment;
    one.runs = &experiment->runs[index];
    one.n_runs = 1;
    return sl_estimator_add(estimator, &one, NULL, out, err);
}

static enum sl_status check_estimate(const struct queue *queue, const struct sl_run *run,
                                     const struct sl_experiment_estimate *estimate,
                                     struct sl_error *err)
{
    if (estimate->n_untimed > 0 && !queue->words.times)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: its time is unknown (%s); give the limit with --slurm time=MINUTES",
                       run->title, estimate->problem);
    if (estimate->memory == SIZE_MAX && !queue->words.sizes)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: it needs more memory than any machine has; make the size of the items, "
                       "the batch or the network smaller",
                       run->title);
    return SL_OK;
}

static enum sl_status check_stop(const struct queue *queue, struct sl_error *err)
{
    const struct sl_experiment_hooks *hooks = &queue->launch->runner->hooks;
    if (!hooks->stop || !hooks->stop(hooks->context)) return SL_OK;
    if (queue->n_submitted == 0)
        return sl_fail(err, SL_ERR_STOPPED,
                       "stopped before %s was submitted; the same command submits it",
                       queue->experiment->name);
    return sl_fail(err, SL_ERR_STOPPED,
                   "stopped when %zu of the runs of %s were submitted: follow them with softlab "
                   "run --watch -o %s; then the same command submits the others",
                   queue->n_submitted, queue->experiment->name, queue->launch->runner->folder);
}

/* Before anything is submitted, so that a run without an estimate stops all. */
static enum sl_status estimate(struct queue *queue, struct sl_error *err)
{
    const struct sl_experiment *experiment = queue->experiment;
    const struct sl_experiment_runner *runner = queue->launch->runner;
    if (queue->words.times && queue->words.sizes) return SL_OK;
    struct sl_estimator *estimator = sl_estimator_create(&runner->roots, 1, runner->threads);
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < experiment->n_runs; i++) {
        struct sl_experiment_estimate one;
        if (!queue->open[i]) continue;
        SL_TRY_OUT(check_stop(queue, err));
        SL_TRY_OUT(estimate_run(estimator, experiment, i, &one, err));
        SL_TRY_OUT(check_estimate(queue, &experiment->runs[i], &one, err));
        queue->costs[i] = (struct cost){one.elapsed, (double)one.memory};
    }
out:
    sl_estimator_destroy(estimator);
    return status;
}

/* What the longest and the largest task need, all tasks get. */
static void set_limits(struct array *array)
{
    const struct queue *queue = array->queue;
    double *seconds = sl_alloc(array->request.n_tasks + 1, sizeof *seconds);
    struct cost most = {0};
    for (size_t i = 0; i < queue->experiment->n_runs; i++) {
        const size_t task = array->tasks[i];
        if (task == 0) continue;
        seconds[task] += queue->costs[i].seconds;
        most.seconds = fmax(most.seconds, seconds[task]);
        most.bytes = fmax(most.bytes, queue->costs[i].bytes);
    }
    free(seconds);
    if (!queue->words.times)
        array->request.minutes = (size_t)ceil(LEAST_MINUTES + TIME_MARGIN * most.seconds / 60);
    if (!queue->words.sizes)
        array->request.megabytes = (size_t)ceil(memory_margin * most.bytes / MEGABYTE);
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
    for (size_t i = 0; i < array->queue->experiment->n_runs; i++) {
        if (array->tasks[i] == 0) continue;
        const char *before = last == array->tasks[i] ? "," : last > 0 ? "\n" : "";
        sl_buffer_printf(&text, "%s%s", before, array->queue->experiment->runs[i].key);
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
    sl_launch_line(array->queue->launch, &text);
    sl_buffer_text(&text, "\"$keys\"\n");
    const enum sl_status status = write_text(array->folder, "script", &text, err);
    sl_buffer_release(&text);
    free(list);
    return status;
}

/* ---- Submitting ---- */

static void tell(const struct array *array)
{
    const struct sl_experiment_hooks *hooks = &array->queue->launch->runner->hooks;
    if (!hooks->event) return;
    const struct sl_slurm_request *request = &array->request;
    char memory[60] = "", minutes[60] = "", size[40];
    if (request->megabytes > 0)
        snprintf(memory, sizeof memory, ", %s of memory",
                 sl_text_bytes((uint64_t)request->megabytes * MEGABYTE, size, sizeof size));
    if (request->minutes > 0)
        snprintf(minutes, sizeof minutes, ", at most %zu minutes", request->minutes);
    char *text =
        sl_string_printf("Slurm job %s: %zu run%s in %zu task%s of %zu core%s%s%s%s", array->job,
                         array->n_runs, sl_text_plural(array->n_runs, "", "s"), request->n_tasks,
                         sl_text_plural(request->n_tasks, "", "s"), request->threads,
                         sl_text_plural(request->threads, "", "s"), memory, minutes,
                         array->after ? ", after the tasks whose trainings it needs" : "");
    hooks->event(hooks->context, SL_RUN_SUBMITTED, array->queue->experiment->name, text);
    free(text);
}

/* Copies: the caller's array keeps what it points to. */
static enum sl_status record(const struct array *array, struct sl_error *err)
{
    struct sl_experiment plan = *array->queue->experiment;
    const struct sl_submission submission = {.folder = array->folder,
                                             .script = array->script,
                                             .job = array->job,
                                             .experiment = &plan,
                                             .tasks = array->tasks,
                                             .makes = array->makes};
    return sl_submission_write(&submission, err);
}

/* Runs that an open job has are not submitted twice. */
static enum sl_status leave_out(struct queue *queue, struct sl_error *err)
{
    struct sl_submissions open = {0};
    SL_TRY(sl_submissions_read(queue->launch->runner->folder, &open, err));
    for (size_t i = 0; i < queue->experiment->n_runs; i++)
        if (sl_submissions_have(&open, queue->experiment->runs[i].key)) queue->open[i] = false;
    sl_submissions_release(&open);
    return SL_OK;
}

static enum sl_status check_free(const struct array *array, struct sl_error *err)
{
    const struct sl_experiment *experiment = array->queue->experiment;
    const char *folder = array->queue->launch->runner->folder;
    struct sl_submissions open = {0};
    bool taken = false;
    SL_TRY(sl_submissions_read(folder, &open, err));
    for (size_t i = 0; i < experiment->n_runs && !taken; i++)
        taken = array->tasks[i] > 0 && sl_submissions_have(&open, experiment->runs[i].key);
    sl_submissions_release(&open);
    if (!taken) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE,
                   "another softlab run has just submitted runs of %s: follow them with softlab "
                   "run --watch -o %s",
                   experiment->name, folder);
}

/* Write the files of the job, in a turn: of two machines that submit the same runs, one is first.
 */
static enum sl_status claim(struct array *array, struct sl_error *err)
{
    SL_TRY(check_free(array, err));
    SL_TRY(sl_submission_folder(array->queue->launch->runner->folder, &array->folder, err));
    SL_TRY(write_tasks(array, err));
    SL_TRY(write_script(array, err));
    array->script = sl_path_join(array->folder, "script");
    return record(array, err);
}

static enum sl_status refuse(const struct array *array, bool unsure, enum sl_status status,
                             const char *refusal, struct sl_error *err)
{
    const struct queue *queue = array->queue;
    const char *folder = queue->launch->runner->folder;
    if (unsure)
        return sl_fail(err, status,
                       "%s; Slurm may run the job all the same: softlab run --watch -o %s looks "
                       "for it",
                       refusal, folder);
    sl_folder_remove(array->folder); /* nothing runs there */
    if (queue->n_submitted == 0) return sl_fail(err, status, "%s", refusal);
    return sl_fail(err, status,
                   "%s; %zu of the runs of %s are submitted: follow them with softlab run --watch "
                   "-o %s; then the same command submits the others",
                   refusal, queue->n_submitted, queue->experiment->name, folder);
}

static enum sl_status submit(struct array *array, struct sl_ledger *ledger, struct sl_error *err)
{
    bool unsure = false;
    SL_TRY(check_stop(array->queue, err));
    SL_TRY(sl_ledger_begin_turn(ledger, err));
    const enum sl_status claimed = claim(array, err);
    sl_ledger_end_turn(ledger);
    if (claimed != SL_OK) return claimed;
    array->request.script = array->script;
    array->request.folder = array->folder;
    struct sl_error refusal;
    const enum sl_status status = sl_slurm_submit(&array->request, &array->job, &unsure, &refusal);
    if (status != SL_OK) return refuse(array, unsure, status, refusal.message, err);
    SL_TRY(record(array, err));
    tell(array);
    return SL_OK;
}

/* ---- Waves ---- */

/* The trainings that tasks of the array make: for the record, where tasks have their numbers, or
 * for the queue, with the job's. */
static void note_trainings(const struct array *array, json_t *makers)
{
    const struct queue *queue = array->queue;
    for (size_t i = 0; i < queue->experiment->n_runs; i++) {
        if (array->tasks[i] == 0) continue;
        char *task = sl_string_printf("%s%s%zu", array->job ? array->job : "",
                                      array->job ? "_" : "", array->tasks[i]);
        sl_wave_note(queue->experiment, i, &queue->outputs, task, makers);
        free(task);
    }
}

static void array_release(struct array *array)
{
    free(array->tasks);
    free(array->after);
    free(array->folder);
    free(array->script);
    free(array->job);
    json_decref(array->makes);
}

static enum sl_status submit_group(struct queue *queue, const struct sl_wave *wave, size_t group,
                                   struct sl_error *err)
{
    const size_t n_runs = queue->experiment->n_runs;
    struct array array = {
        .queue = queue,
        .request = {.threads = queue->launch->runner->threads, .words = queue->words.words},
        .tasks = sl_alloc(n_runs + 1, sizeof *array.tasks),
        .after = sl_wave_after(wave, group),
        .makes = json_object()};
    enum sl_status status = SL_OK;
    array.request.after = array.after;
    divide(&array, wave, group);
    if (array.n_runs == 0) goto out;
    set_limits(&array);
    note_trainings(&array, array.makes);
    SL_TRY_OUT(submit(&array, &queue->ledger, err));
    note_trainings(&array, queue->makers);
    for (size_t i = 0; i < n_runs; i++)
        if (array.tasks[i] > 0) queue->open[i] = false;
    queue->n_submitted += array.n_runs;
out:
    array_release(&array);
    return status;
}

static enum sl_status submit_all(struct queue *queue, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    size_t n_open = 0;
    for (size_t i = 0; i < queue->experiment->n_runs; i++)
        n_open += queue->open[i];
    while (queue->n_submitted < n_open && status == SL_OK) {
        struct sl_wave wave;
        sl_wave_plan(queue->experiment, queue->open, &queue->outputs, queue->makers, &wave);
        for (size_t i = 1; i <= wave.n_groups && status == SL_OK; i++)
            status = submit_group(queue, &wave, i, err);
        sl_wave_release(&wave);
    }
    return status;
}

/* ---- Trainings of other jobs ---- */

/* Slurm refuses jobs that wait for tasks which it has forgotten, so it is asked. */
static enum sl_status note_job(struct queue *queue, const struct sl_submission *submission,
                               struct sl_error *err)
{
    size_t n_tasks = 0;
    for (size_t i = 0; i < submission->experiment->n_runs; i++)
        if (submission->tasks[i] > n_tasks) n_tasks = submission->tasks[i];
    struct sl_slurm_task *tasks = sl_alloc(n_tasks + 1, sizeof *tasks);
    const enum sl_status status = sl_slurm_ask(submission->job, tasks, n_tasks, err);
    const char *key;
    json_t *task;
    json_object_foreach(submission->makes, key, task)
    {
        const size_t number = strtoul(json_string_value(task), NULL, 10);
        if (status != SL_OK || number > n_tasks || tasks[number].state == SL_SLURM_ENDED) continue;
        if (json_object_get(queue->makers, key)) continue;
        char *text = sl_string_printf("%s_%zu", submission->job, number);
        json_object_set_new(queue->makers, key, json_string(text));
        free(text);
    }
    for (size_t i = 0; i <= n_tasks; i++)
        free(tasks[i].reason);
    free(tasks);
    return status;
}

static enum sl_status note_jobs(struct queue *queue, struct sl_error *err)
{
    const struct sl_experiment *experiment = queue->experiment;
    struct sl_submissions open = {0};
    enum sl_status status = SL_OK;
    SL_TRY(sl_submissions_read(queue->launch->runner->folder, &open, err));
    for (size_t i = 0; i < open.count && status == SL_OK; i++) {
        const struct sl_submission *one = &open.items[i];
        bool needed = false;
        for (size_t j = 0; j < experiment->n_runs && !needed && one->job; j++)
            needed = queue->open[j] && sl_wave_needs(experiment, j, &queue->outputs, one->makes);
        if (needed) status = note_job(queue, one, err);
    }
    sl_submissions_release(&open);
    return status;
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

static void queue_release(struct queue *queue)
{
    sl_ledger_close(&queue->ledger);
    sl_outputs_close(&queue->outputs);
    if (queue->words.words) sl_slurm_words_release(&queue->words);
    free(queue->open);
    free(queue->costs);
    json_decref(queue->makers);
}

enum sl_status sl_launch_slurm(const struct sl_experiment *experiment,
                               const struct sl_launch *launch, struct sl_experiment_outcome *out,
                               struct sl_error *err)
{
    const struct sl_experiment_runner *runner = launch->runner;
    struct queue queue = {.experiment = experiment,
                          .launch = launch,
                          .open = sl_alloc(experiment->n_runs + 1, sizeof *queue.open),
                          .costs = sl_alloc(experiment->n_runs + 1, sizeof *queue.costs),
                          .ledger = {.lock = -1},
                          .makers = json_object()};
    struct sl_experiment_outcome found = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(check_folder(runner->folder, err));
    SL_TRY_OUT(sl_slurm_words_read(launch->slurm, &queue.words, err));
    SL_TRY_OUT(sl_slurm_array_limit(&queue.limit, err));
    SL_TRY_OUT(sl_results_open(experiment, runner, &queue.ledger, &queue.outputs, err));
    sl_launch_count(experiment, &queue.ledger, &runner->hooks, queue.open, &found);
    SL_TRY_OUT(leave_out(&queue, err));
    SL_TRY_OUT(note_jobs(&queue, err));
    SL_TRY_OUT(estimate(&queue, err));
    SL_TRY_OUT(submit_all(&queue, err));
    *out = found;
out:
    queue_release(&queue);
    return status;
}
