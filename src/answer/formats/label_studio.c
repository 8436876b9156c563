/* label-studio: the JSON export of Label Studio, a list of tasks with their annotations; and
 * label-studio-min, its JSON-MIN, a list of annotations with the members of their tasks.
 *
 * The item is the task's id, or the member of its `data` that --columns item=NAME names. An answer
 * is what an annotation says in one control: choices, or a rating, whose number is the class. If
 * there are several controls, --columns label=NAME chooses one. An annotation that was cancelled,
 * or without an answer in this control, is skipped and counted; one with results of other types
 * only (rectangles, ...) stops the import. Predictions are not answers and are not read.
 *
 * JSON-MIN does not say which members are controls: a member that holds {"choices": [...]}, or is
 * called choice or by a word for labels, is one; others need --columns label=NAME. */
#include <stdlib.h>
#include <string.h>

#include "answer/formats/exports.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { MS_PER_SECOND = 1000 };

struct studio_reading {
    struct sl_field item;         /* a member of `data`; empty: the task's id */
    struct sl_question *question; /* borrowed */
    struct sl_hard_pass *pass;    /* borrowed */
    struct sl_field task_name;    /* the item of the current task */
};

/* What an annotation says in the control that is read. */
struct studio_said {
    struct sl_field *labels; /* owned; n_labels */
    size_t n_labels;
    char digits[SL_NAME_DIGITS]; /* the text of a rating */
    bool answered;
    const char *other; /* borrowed; a type of result that is no answer, NULL: none */
};

static enum sl_status read_choices(const struct sl_json_cursor *value, struct studio_said *said,
                                   struct sl_error *err)
{
    struct sl_json_cursor list;
    size_t count = 0;
    SL_TRY(sl_json_member(value, "choices", &list, err));
    SL_TRY(sl_json_array_size(&list, &count, err));
    said->labels = sl_alloc(count + 1, sizeof *said->labels);
    for (; said->n_labels < count; said->n_labels++) {
        const struct sl_json_cursor at = sl_json_element(&list, said->n_labels);
        const char *text = NULL;
        SL_TRY(sl_json_string(&at, &text, err));
        if (*text == '\0') return sl_json_fail(&at, err, "the choice has no name");
        said->labels[said->n_labels] = sl_field_of(text);
    }
    return SL_OK;
}

static enum sl_status read_rating(const struct sl_json_cursor *value, struct studio_said *said,
                                  struct sl_error *err)
{
    struct sl_json_cursor at;
    SL_TRY(sl_json_member(value, "rating", &at, err));
    said->labels = sl_alloc(1, sizeof *said->labels);
    SL_TRY(sl_record_name(&at, "a rating", said->digits, said->labels, err));
    said->n_labels = 1;
    return SL_OK;
}

/* Types of results that are answers. */
static const struct {
    const char *type;
    enum sl_status (*read)(const struct sl_json_cursor *value, struct studio_said *said,
                           struct sl_error *err);
} answers[] = {{"choices", read_choices}, {"rating", read_rating}};
enum { ANSWERS = sizeof answers / sizeof *answers };

static enum sl_status read_result(const struct studio_reading *reading,
                                  const struct sl_json_cursor *result, struct studio_said *said,
                                  struct sl_error *err)
{
    struct sl_json_cursor at;
    const char *type = NULL, *control = NULL;
    size_t kind = 0;
    bool read = false;
    SL_TRY(sl_json_member(result, "type", &at, err));
    SL_TRY(sl_json_string(&at, &type, err));
    while (kind < ANSWERS && strcmp(answers[kind].type, type) != 0)
        kind++;
    if (kind == ANSWERS) {
        said->other = type;
        return SL_OK;
    }
    SL_TRY(sl_json_member(result, "from_name", &at, err));
    SL_TRY(sl_json_string(&at, &control, err));
    SL_TRY(sl_record_blame(sl_question_meet(reading->question, sl_field_of(control), &read, err),
                           &at, err));
    if (!read) return SL_OK;
    if (said->answered)
        return sl_json_fail(&at, err,
                            "the annotation answers \"%.60s\" twice; a control that is asked for "
                            "each region holds no answer about the item",
                            control);
    said->answered = true;
    SL_TRY(sl_json_member(result, "value", &at, err));
    return answers[kind].read(&at, said, err);
}

/* The annotator: a number or a text, or an object with `email` or `id`; empty if unknown. */
static enum sl_status read_annotator(const struct sl_json_cursor *annotation, const char *key,
                                     char digits[SL_NAME_DIGITS], struct sl_field *out,
                                     struct sl_error *err)
{
    struct sl_json_cursor at, inner;
    *out = sl_field_of("");
    SL_TRY(sl_json_optional(annotation, key, &at, err));
    if (!at.value) return SL_OK;
    if (!json_is_object(at.value)) return sl_record_name(&at, "an annotator", digits, out, err);
    SL_TRY(sl_json_optional(&at, "email", &inner, err));
    if (!inner.value) SL_TRY(sl_json_member(&at, "id", &inner, err));
    return sl_record_name(&inner, "an annotator", digits, out, err);
}

static enum sl_status read_time(const struct sl_json_cursor *annotation, char out[SL_NUMBER_TEXT],
                                struct sl_field *ms, struct sl_error *err)
{
    struct sl_json_cursor at;
    double seconds = 0;
    SL_TRY(sl_json_optional(annotation, "lead_time", &at, err));
    if (!at.value) return SL_OK;
    SL_TRY(sl_json_number(&at, 0, SL_LONGEST_MS / MS_PER_SECOND, &seconds, err));
    *ms = (struct sl_field){out, sl_text_from_double(seconds * MS_PER_SECOND, out)};
    return SL_OK;
}

static enum sl_status read_flag(const struct sl_json_cursor *annotation, const char *key, bool *out,
                                struct sl_error *err)
{
    struct sl_json_cursor at;
    *out = false;
    SL_TRY(sl_json_optional(annotation, key, &at, err));
    return at.value ? sl_json_boolean(&at, out, err) : SL_OK;
}

static enum sl_status put_said(const struct studio_reading *reading,
                               const struct sl_json_cursor *annotation,
                               const struct studio_said *said, struct sl_error *err)
{
    char digits[SL_NAME_DIGITS], number[SL_NUMBER_TEXT];
    struct sl_hard_row row = {.item = reading->task_name};
    struct sl_import *import = sl_hard_pass_import(reading->pass);
    bool truth = false;
    if (!said->answered && said->other && reading->question->asked.length == 0)
        return sl_json_fail(annotation, err,
                            "the annotation has results of type \"%.40s\" only; softlab reads "
                            "choices and ratings",
                            said->other);
    if (said->n_labels == 0) {
        sl_import_skip(import, "%s: task %.*s: an annotation names no class",
                       annotation->document->name, sl_field_shown(row.item), row.item.text);
        return SL_OK;
    }
    SL_TRY(read_annotator(annotation, "completed_by", digits, &row.annotator, err));
    SL_TRY(read_time(annotation, number, &row.ms, err));
    SL_TRY(read_flag(annotation, "ground_truth", &truth, err));
    if (truth && said->n_labels == 1) row.truth = said->labels[0];
    return sl_record_blame(
        sl_chosen_row_put(reading->pass, &row, said->labels, said->n_labels, err), annotation, err);
}

static enum sl_status put_annotation(const struct studio_reading *reading,
                                     const struct sl_json_cursor *annotation, struct sl_error *err)
{
    struct sl_json_cursor results;
    struct studio_said said = {0};
    size_t count = 0;
    bool cancelled = false;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_record_check(annotation, "an annotation {\"result\": [...], ...}", err));
    SL_TRY_OUT(read_flag(annotation, "was_cancelled", &cancelled, err));
    if (cancelled) {
        sl_import_skip(sl_hard_pass_import(reading->pass),
                       "%s: task %.*s: an annotation was cancelled", annotation->document->name,
                       sl_field_shown(reading->task_name), reading->task_name.text);
        goto out;
    }
    SL_TRY_OUT(sl_json_member(annotation, "result", &results, err));
    SL_TRY_OUT(sl_json_array_size(&results, &count, err));
    for (size_t i = 0; i < count; i++) {
        const struct sl_json_cursor result = sl_json_element(&results, i);
        SL_TRY_OUT(sl_record_check(&result, "a result {\"type\": ..., \"value\": ...}", err));
        SL_TRY_OUT(read_result(reading, &result, &said, err));
    }
    SL_TRY_OUT(put_said(reading, annotation, &said, err));
out:
    free(said.labels);
    return status;
}

/* The item of a task: its id, or the member of `data` that the user named. */
static enum sl_status name_task(struct studio_reading *reading, const struct sl_json_cursor *task,
                                const struct sl_json_cursor *data, char digits[SL_NAME_DIGITS],
                                struct sl_error *err)
{
    struct sl_json_cursor at;
    const bool named = reading->item.length > 0;
    char *key =
        sl_string_copy_n(named ? reading->item.text : "id", named ? reading->item.length : 2);
    enum sl_status status = sl_json_member(named ? data : task, key, &at, err);
    if (status == SL_OK)
        status = sl_record_name(&at, "an item's name", digits, &reading->task_name, err);
    free(key);
    return status;
}

static enum sl_status put_task(void *context, const struct sl_json_cursor *task,
                               struct sl_error *err)
{
    struct studio_reading *reading = context;
    struct sl_json_cursor list, data;
    char digits[SL_NAME_DIGITS];
    size_t count = 0;
    SL_TRY(sl_record_check(task, "a task {\"id\": ..., \"annotations\": [...]}", err));
    SL_TRY(sl_json_member(task, "annotations", &list, err));
    SL_TRY(sl_json_array_size(&list, &count, err));
    SL_TRY(sl_json_optional(task, "data", &data, err));
    SL_TRY(name_task(reading, task, &data, digits, err));
    if (count == 0)
        sl_import_empty_item(sl_hard_pass_import(reading->pass), "%s: task %.*s has no answers",
                             task->document->name, sl_field_shown(reading->task_name),
                             reading->task_name.text);
    for (size_t i = 0; i < count; i++) {
        const struct sl_json_cursor annotation = sl_json_element(&list, i);
        SL_TRY(put_annotation(reading, &annotation, err));
    }
    return SL_OK;
}

/* ---- JSON-MIN ---- */

/* What Label Studio adds to the members of a task and to the controls. */
static const char *const min_members[] = {
    "id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", NULL};

static bool is_control(const char *key, const json_t *value)
{
    for (const char *const *member = min_members; *member; member++)
        if (strcmp(key, *member) == 0) return false;
    return json_is_array(json_object_get(value, "choices")) || strcmp(key, "choice") == 0 ||
           sl_is_label_word(sl_field_of(key));
}

/* One choice is its text, several are {"choices": [...]}; a rating is a number. */
static enum sl_status read_min_value(const struct sl_json_cursor *at, struct studio_said *said,
                                     struct sl_error *err)
{
    if (json_is_object(at->value)) return read_choices(at, said, err);
    said->labels = sl_alloc(1, sizeof *said->labels);
    SL_TRY(sl_record_name(at, "a choice", said->digits, said->labels, err));
    said->n_labels = 1;
    return SL_OK;
}

static enum sl_status read_controls(const struct studio_reading *reading,
                                    const struct sl_json_cursor *record, struct studio_said *said,
                                    struct sl_error *err)
{
    const char *key = NULL;
    json_t *value = NULL;
    const struct sl_field asked = reading->question->asked;
    json_object_foreach(record->value, key, value)
    {
        const struct sl_json_cursor at = sl_json_below(record, key);
        bool read = false;
        if (asked.length == 0 && !is_control(key, value)) continue;
        SL_TRY(sl_record_blame(sl_question_meet(reading->question, sl_field_of(key), &read, err),
                               &at, err));
        if (read && !json_is_null(value)) SL_TRY(read_min_value(&at, said, err));
    }
    if (sl_name_table_count(reading->question->names) > 0) return SL_OK;
    return sl_json_fail(record, err,
                        "no member holds choices or is called label, class or choice; name the "
                        "one that holds the answer with --columns label=NAME");
}

static enum sl_status put_record(void *context, const struct sl_json_cursor *record,
                                 struct sl_error *err)
{
    struct studio_reading *reading = context;
    struct studio_said said = {0};
    char item[SL_NAME_DIGITS], digits[SL_NAME_DIGITS], number[SL_NUMBER_TEXT];
    struct sl_hard_row row = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_record_check(record, "an annotation {\"id\": ..., ...}", err));
    SL_TRY_OUT(name_task(reading, record, record, item, err));
    SL_TRY_OUT(read_controls(reading, record, &said, err));
    row.item = reading->task_name;
    SL_TRY_OUT(read_annotator(record, "annotator", digits, &row.annotator, err));
    SL_TRY_OUT(read_time(record, number, &row.ms, err));
    if (said.n_labels == 0)
        sl_import_skip(sl_hard_pass_import(reading->pass),
                       "%s: task %.*s: an annotation names no class", record->document->name,
                       sl_field_shown(row.item), row.item.text);
    else
        SL_TRY_OUT(sl_record_blame(
            sl_chosen_row_put(reading->pass, &row, said.labels, said.n_labels, err), record, err));
out:
    free(said.labels);
    return status;
}

/* ---- Both ---- */

static enum sl_status
read_with(enum sl_status (*put)(void *, const struct sl_json_cursor *, struct sl_error *),
          const char *path, const void *settings, struct sl_hard_pass *pass, struct sl_error *err)
{
    struct studio_reading reading = *(const struct studio_reading *)settings;
    const struct sl_record_visitor visitor = {put, &reading};
    reading.pass = pass;
    SL_TRY(sl_records_read(path, &visitor, err));
    return sl_question_finish(reading.question, path, err);
}

static enum sl_status read_tasks(const char *path, const void *settings, struct sl_hard_pass *pass,
                                 struct sl_error *err)
{
    return read_with(put_task, path, settings, pass, err);
}

static enum sl_status read_min(const char *path, const void *settings, struct sl_hard_pass *pass,
                               struct sl_error *err)
{
    return read_with(put_record, path, settings, pass, err);
}

static enum sl_status import_with(enum sl_status (*read)(const char *, const void *,
                                                         struct sl_hard_pass *, struct sl_error *),
                                  const char *const *paths, size_t n_paths,
                                  const struct sl_import_options *options,
                                  const struct sl_answer_sink *sink, struct sl_error *err)
{
    struct sl_field named[SL_LONG_ROLES];
    struct sl_question question;
    SL_TRY(sl_columns_pairs(options ? options->columns : NULL,
                            1u << SL_LONG_ITEM | 1u << SL_LONG_LABEL, named, err));
    sl_question_init(&question, named[SL_LONG_LABEL], "control");
    const struct studio_reading settings = {.item = named[SL_LONG_ITEM], .question = &question};
    const struct sl_hard_reader reader = {read, &settings};
    const enum sl_status status = sl_import_hard(&reader, paths, n_paths, options, sink, err);
    sl_question_release(&question);
    return status;
}

SL_IMPORTER(sl_import_label_studio)
{
    return import_with(read_tasks, paths, n_paths, options, sink, err);
}

SL_IMPORTER(sl_import_label_studio_min)
{
    return import_with(read_min, paths, n_paths, options, sink, err);
}
