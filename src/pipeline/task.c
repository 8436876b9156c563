#include "softlab/pipeline/task.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/options.h"
#include "softlab/base/system.h"
#include "softlab/base/text.h"
#include "softlab/pipeline/evaluation.h"
#include "softlab/pipeline/training.h"

static const struct sl_task *const tasks[] = {&sl_train_task, &sl_eval_task};

const struct sl_task *sl_task_find(const char *name)
{
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
        if (strcmp(tasks[i]->name, name) == 0) return tasks[i];
    return NULL;
}

/* ---- Assignments ---- */

enum sl_status sl_assignment_read(const char *name, char **words, size_t n_words,
                                  const struct sl_data_roots *roots, struct sl_assignment *out,
                                  struct sl_error *err)
{
    const struct sl_task *task = sl_task_find(name);
    if (!task) return sl_fail(err, SL_ERR_NOT_FOUND, "no task is called \"%s\"", name);
    *out = (struct sl_assignment){.task = task, .job = sl_alloc(1, task->size)};
    const struct sl_option_table table = {task->options, out->job};
    struct sl_option_words read;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_options_read(&table, 1, name, words, n_words, &read, err));
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
    const struct sl_places *places = &assignment->places;
    json_t *arguments = json_array(), *options = json_object();
    for (size_t i = 0; i < assignment->n_arguments; i++) {
        const char *typed = sl_places_typed(places, assignment->arguments[i]);
        json_array_append_new(arguments, sl_asked_text(typed));
    }
    sl_asked_options(task->options, assignment->job, places, options);
    const struct sl_task_call call = {.arguments = assignment->arguments,
                                      .n_arguments = assignment->n_arguments,
                                      .record = sl_asked(task->name, arguments, options),
                                      .workplace = workplace};
    *result = NULL;
    const enum sl_status status = task->run(assignment->job, &call, result, err);
    json_decref(call.record);
    return status;
}

/* ---- Records ---- */

json_t *sl_asked(const char *command, json_t *arguments, json_t *options)
{
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "softlab", sl_version(), "build", sl_build_id(),
                     "command", command, "arguments", arguments, "options", options);
}

json_t *sl_asked_text(const char *text)
{
    char *copy = sl_string_copy(text);
    const size_t length = strlen(copy);
    for (size_t valid; (valid = sl_utf8_valid(copy, length)) < length;)
        copy[valid] = '?';
    json_t *value = json_string(copy);
    free(copy);
    return value;
}

json_t *sl_asked_value(const struct sl_field_row *row, const void *values,
                       const struct sl_places *places)
{
    if (row->kind == SL_FIELD_WORDS) {
        const struct sl_word_list *words = (const void *)((const char *)values + row->offset);
        json_t *list = words->count > 0 ? json_array() : json_null();
        for (size_t i = 0; i < words->count; i++)
            json_array_append_new(list, sl_asked_text(words->values[i]));
        return list;
    }
    if (row->kind < SL_FIELD_WORD) return sl_field_json(row, values);
    const char *text;
    memcpy(&text, (const char *)values + row->offset, sizeof text);
    return text ? sl_asked_text(sl_places_typed(places, text)) : json_null();
}

void sl_asked_options(const struct sl_field_row *rows, const void *values,
                      const struct sl_places *places, json_t *options)
{
    for (const struct sl_field_row *row = rows; row && row->name; row++)
        json_object_set_new(options, row->name, sl_asked_value(row, values, places));
}
