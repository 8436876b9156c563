/* The tables of the program as JSON, for signatures and documentation in other languages. */
#include <stdlib.h>

#include "bind/bind_internal.h"
#include "softlab/base/fields.h"
#include "softlab/base/memory.h"
#include "softlab/base/system.h"
#include "softlab/eval.h"
#include "softlab/pipeline/labels.h"
#include "softlab/pipeline/task.h"

/* {"name", "help", "value" (null: a flag), "default" (null: none), "choices" (null: any)} */
static json_t *option_json(const struct sl_field_row *row)
{
    const char *value = sl_field_value_name(row);
    json_t *choices = NULL;
    for (size_t i = 0; sl_field_choice(row, i); i++) {
        if (!choices) choices = json_array();
        json_array_append_new(choices, json_string(sl_field_choice(row, i)));
    }
    return json_pack("{s:s, s:s?, s:s?, s:s?, s:o, s:b, s:b}", "name", row->name, "help", row->help,
                     "value", value, "default", row->fallback, "choices",
                     choices ? choices : json_null(), "file", (int)sl_field_is_path(row->kind),
                     "many", row->kind == SL_FIELD_WORDS || row->kind == SL_FIELD_LINES);
}

static json_t *task_json(const struct sl_task *task)
{
    json_t *options = json_array();
    for (const struct sl_field_row *row = task->options; row->name; row++)
        json_array_append_new(options, option_json(row));
    return json_pack("{s:s, s:o, s:b}", "name", task->name, "options", options, "arguments",
                     task->most_arguments > 0);
}

static json_t *metrics_json(void)
{
    json_t *list = json_array();
    for (const struct sl_metric *metric = sl_metrics; metric->name; metric++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", metric->name, "summary",
                                              metric->summary, "source", metric->source));
    return list;
}

static json_t *formats_json(void)
{
    json_t *list = json_array();
    for (const struct sl_answer_format *format = sl_answer_formats; format->name; format++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:b, s:b}", "name", format->name, "summary",
                                        format->summary, "reads", format->import != NULL, "writes",
                                        format->write != NULL));
    return list;
}

static enum sl_status describe(void *context, struct sl_error *err)
{
    (void)err;
    char **out = context;
    json_t *tasks = json_array();
    for (size_t i = 0; sl_task_at(i); i++)
        json_array_append_new(tasks, task_json(sl_task_at(i)));
    json_t *all =
        json_pack("{s:s, s:o, s:o, s:o, s:o}", "version", sl_version(), "tasks", tasks, "methods",
                  sl_label_methods_json(), "metrics", metrics_json(), "formats", formats_json());
    *out = json_dumps(all, JSON_COMPACT);
    json_decref(all);
    return SL_OK;
}

enum sl_status sl_bind_describe(char **out, struct sl_error *err)
{
    struct sl_bind_call call = {describe, out, false};
    return sl_bind_guard(&call, err);
}

struct columns {
    const struct sl_joined_names *names;
    size_t count, *place;
};

static enum sl_status find_columns(void *context, struct sl_error *err)
{
    const struct columns *columns = context;
    char **names = NULL;
    SL_TRY(sl_bind_names(columns->names, columns->count, "column", &names, err));
    const enum sl_status status = sl_answer_columns(
        (const char *const *)names, names ? columns->count : 0, columns->place, err);
    free(names);
    return status;
}

enum sl_status sl_bind_columns(const struct sl_joined_names *names, size_t count, size_t place[3],
                               struct sl_error *err)
{
    struct columns columns = {names, count, place};
    struct sl_bind_call call = {find_columns, &columns, false};
    return sl_bind_guard(&call, err);
}
