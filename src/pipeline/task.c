#include "softlab/pipeline/task.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/pipeline/advice.h"
#include "softlab/pipeline/asking.h"
#include "softlab/pipeline/compare.h"
#include "softlab/pipeline/evaluation.h"
#include "softlab/pipeline/import.h"
#include "softlab/pipeline/labels.h"
#include "softlab/pipeline/mixing.h"
#include "softlab/pipeline/quality.h"
#include "softlab/pipeline/simulation.h"
#include "softlab/pipeline/training.h"
#include "softlab/pipeline/weights.h"
#include "softlab/pipeline/worth.h"

static const struct sl_task *const tasks[] = {
    &sl_import_task, &sl_labels_task,     &sl_quality_task, &sl_advise_task,  &sl_compare_task,
    &sl_mixing_task, &sl_simulation_task, &sl_train_task,   &sl_predict_task, &sl_eval_task,
    &sl_next_task,   &sl_worth_task,      &sl_plan_task,
};
enum { N_TASKS = sizeof tasks / sizeof *tasks };

const struct sl_task *sl_task_at(size_t index)
{
    return index < N_TASKS ? tasks[index] : NULL;
}

const struct sl_task *sl_task_find(const char *name)
{
    for (size_t i = 0; i < N_TASKS; i++)
        if (strcmp(tasks[i]->name, name) == 0) return tasks[i];
    return NULL;
}

enum sl_status sl_task_check(const char *name, struct sl_error *err)
{
    const char *names[N_TASKS + 1] = {NULL};
    char more[SL_SUGGESTION_TEXT];
    if (sl_task_find(name)) return SL_OK;
    for (size_t i = 0; i < N_TASKS; i++)
        names[i] = tasks[i]->name;
    return sl_fail(err, SL_ERR_NOT_FOUND, "no task is called \"%s\"%s", name,
                   sl_text_suggestion(name, names, "", more));
}

/* ---- Assignments ---- */

/* --json is accepted and has no effect here: a task always returns its result as JSON. */
static const struct sl_field_row report_options[] = {
    {"json", SL_FIELD_BOOLEAN, 0, "the result as JSON", .flags = 0},
    {.name = NULL},
};
enum { TABLES = 2 };

/* The checks that need only the words, no files. */
static enum sl_status check_words(const struct sl_task *task, const void *job,
                                  const struct sl_option_table tables[TABLES],
                                  const struct sl_option_words *words, struct sl_error *err)
{
    struct sl_option_mode mode = {.does = UINT64_MAX};
    const size_t count = words->n_arguments;
    if (task->mode) task->mode(job, words->arguments, count, &mode);
    SL_TRY(sl_options_check(tables, TABLES, words->given, &mode,
                            count > 0 ? words->arguments[0] : NULL, err));
    if (count > task->most_arguments)
        return sl_fail(err, SL_ERR_USAGE, "one word too many: \"%s\"",
                       words->arguments[task->most_arguments]);
    for (const struct sl_field_row *row = task->options; row->name; row++) {
        const char *path = NULL;
        if (row->kind != SL_FIELD_OUTPUT || !row->suffixes) continue;
        memcpy(&path, (const char *)job + row->offset, sizeof path);
        if (path) SL_TRY(sl_path_check_suffix(row->name, path, row->suffixes, err));
    }
    return SL_OK;
}

enum sl_status sl_assignment_read(const char *name, char **words, size_t n_words,
                                  const struct sl_data_roots *roots, struct sl_assignment *out,
                                  struct sl_error *err)
{
    SL_TRY(sl_task_check(name, err));
    const struct sl_task *task = sl_task_find(name);
    *out = (struct sl_assignment){.task = task, .job = sl_alloc(1, task->size)};
    bool json = false;
    const struct sl_option_table tables[TABLES] = {{task->options, out->job},
                                                   {task->reports ? report_options : NULL, &json}};
    struct sl_option_words read;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_options_read(tables, TABLES, name, words, n_words, &read, err));
    SL_TRY_OUT(check_words(task, out->job, tables, &read, err));
    SL_TRY_OUT(sl_places_find_fields(&out->places, roots, task->options, out->job, err));
    SL_TRY_OUT(sl_places_find_all(&out->places, roots, read.arguments, read.n_arguments, err));
    out->arguments = read.arguments;
    out->n_arguments = read.n_arguments;
out:
    if (status != SL_OK) sl_assignment_release(out);
    return status;
}

void sl_assignment_release(struct sl_assignment *assignment)
{
    sl_places_release(&assignment->places);
    free(assignment->job);
    *assignment = (struct sl_assignment){0};
}

enum sl_status sl_assignment_do(const struct sl_assignment *assignment,
                                const struct sl_workplace *workplace, json_t **result,
                                struct sl_error *err)
{
    const struct sl_task *task = assignment->task;
    const struct sl_asked asked = {.command = task->name,
                                   .arguments = assignment->arguments,
                                   .n_arguments = assignment->n_arguments,
                                   .tables = {task->options},
                                   .values = assignment->job,
                                   .places = &assignment->places};
    const struct sl_task_call call = {.arguments = assignment->arguments,
                                      .n_arguments = assignment->n_arguments,
                                      .asked = &asked,
                                      .workplace = workplace};
    *result = NULL;
    return task->run(assignment->job, &call, result, err);
}
