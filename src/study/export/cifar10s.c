/* The layouts of CIFAR-10S: the screen log as jsPsych wrote it, and the released JSON. Both hold
 * answers of the kind soft (most probable class, second, impossible); answers of other screens are
 * left out, and a study without any soft answer is an error. Checks are left out, since the layouts
 * cannot mark them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "study/export/export.h"

struct screen_log {
    const struct sl_study *study;
    struct sl_study_out *out;
    size_t row;
    struct sl_error *err;
};

/* The typed text, except where readers of this layout would not find the page's number in it:
 * "33,5" and "70 %" are written as numbers. */
static void set_percent(json_t *response, const char *key, const struct sl_answer *answer,
                        size_t which)
{
    char number[SL_NUMBER_TEXT] = "";
    double read = (double)NAN;
    const struct sl_field raw = answer->raw[which];
    const bool known = which < answer->n_top && !isnan(answer->top[which].probability);
    if (raw.length > 0 && (!known || sl_text_to_real(raw.text, raw.length, &read))) {
        json_object_set_new(response, key, json_stringn(raw.text, raw.length));
        return;
    }
    if (known) sl_text_from_double(sl_answer_percent(answer->top[which].probability), number);
    json_object_set_new(response, key, json_string(number));
}

static void set_class(json_t *response, const char *key, const char *prefix, const char *name)
{
    char *value = sl_string_printf("%s%s", prefix, name);
    json_object_set_new(response, key, json_string(value));
    free(value);
}

/* The form's fields under their original names. */
static json_t *response_of(const struct sl_study *study, const struct sl_answer *answer)
{
    json_t *response = json_object();
    const bool second = answer->n_top > 1;
    set_class(response, "classSelect", "mostProb", study->classes[answer->top[0].class_index]);
    set_percent(response, "prob", answer, 0);
    set_class(response, "classSelect2", "secondProb",
              second ? study->classes[answer->top[1].class_index] : "No");
    set_percent(response, "prob2", answer, 1);
    for (size_t i = 0; i < answer->n_impossible; i++) {
        char *key = sl_string_printf("improbClassSelect%s", study->classes[answer->impossible[i]]);
        json_object_set_new(response, key, json_string("1"));
        free(key);
    }
    return response;
}

static const char *file_of(const struct sl_study_item *item)
{
    const char *image = json_string_value(json_object_get(item->content, "image"));
    return image ? image : item->id;
}

/* Writes the columns trial_index to condition. */
static void begin_row(struct screen_log *log, const char *type, int64_t trial, int64_t elapsed,
                      const struct sl_store_session *session)
{
    struct sl_buffer *line = &log->out->pending;
    char annotator[SL_STUDY_ANNOTATOR_TEXT];
    sl_study_annotator(session->person, annotator);
    sl_study_cell_integer(line, (int64_t)log->row++);
    sl_study_cell(line, type);
    sl_study_cell_integer(line, trial);
    sl_study_cell_integer(line, elapsed);
    sl_study_cell(line, annotator);
    sl_study_cell_integer(line, (int64_t)session->batch);
}

static enum sl_status write_trial(const struct sl_study_given *given, void *context,
                                  struct sl_error *err)
{
    struct screen_log *log = context;
    struct sl_buffer *line = &log->out->pending;
    struct sl_study_record record;
    SL_TRY(sl_study_record_make(log->study, given, &record, err));
    const struct sl_answer *answer = &record.answer;
    if (answer->kind != SL_ANSWER_SOFT || answer->n_top == 0 || given->item->check) {
        sl_study_record_release(&record);
        return SL_OK;
    }
    json_t *response = response_of(log->study, answer);
    begin_row(log, "survey-html-form", answer->trial,
              given->answer->received - given->session->started, given->session);
    sl_study_cell_real(line, answer->ms);
    sl_study_cell(line, "");
    sl_study_cell_json(line, response);
    sl_study_cell(line, file_of(given->item));
    sl_study_cell(line, given->answer->repeat ? "rerun_spec_conf" : "spec_conf");
    sl_study_cell(line, answer->truth >= 0 ? log->study->classes[answer->truth] : "");
    sl_study_cell(line, given->item->id);
    sl_csv_end_line(line);
    json_decref(response);
    sl_study_record_release(&record);
    return sl_study_out_flow(log->out, err);
}

/* [ms, ...] as [{"page_index": 0, "viewing_time": ms}, ...]. */
static json_t *history_of(json_t *pages)
{
    json_t *history = json_array(), *page = NULL;
    size_t index = 0;
    json_array_foreach(pages, index, page)
    {
        json_array_append_new(history, json_pack("{s:I, s:O}", "page_index", (json_int_t)index,
                                                 "viewing_time", page));
    }
    return history;
}

/* ["...", 7] as {"Q0": "...", "Q1": 7}. */
static json_t *questions_of(json_t *answers)
{
    json_t *response = json_object(), *answer = NULL;
    size_t index = 0;
    json_array_foreach(answers, index, answer)
    {
        char *key = sl_string_printf("Q%zu", index);
        json_object_set(response, key, answer);
        free(key);
    }
    return response;
}

/* The pages before and after the trials, and the jsPsych screens that stand for them. */
static const struct {
    const char *kind, *type, *member;
    json_t *(*convert)(json_t *value);
    bool history; /* goes into view_history */
} screens[] = {
    {"instructions", "instructions", "pages", history_of, true},
    {"check", "survey-multi-choice", "answers", questions_of, false},
    {"debrief", "survey-text", "answers", questions_of, false},
};

static enum sl_status write_event(const struct sl_store_row *row, void *context)
{
    struct screen_log *log = context;
    size_t which = 0;
    while (which < sizeof screens / sizeof *screens && strcmp(screens[which].kind, row->kind) != 0)
        which++;
    if (which == sizeof screens / sizeof *screens || !row->session || row->session->test ||
        row->session->state == SL_SESSION_RETURNED || row->session->state == SL_SESSION_REFUSED)
        return SL_OK;
    struct sl_buffer *line = &log->out->pending;
    struct sl_json body = {0};
    SL_TRY(sl_json_parse(row->body, strlen(row->body), row->kind, 1, &body, log->err));
    json_t *value = screens[which].convert(json_object_get(body.root, screens[which].member));
    begin_row(log, screens[which].type, 0, row->at - row->session->started, row->session);
    sl_study_cell(line, "");
    sl_study_cell_json(line, screens[which].history ? value : NULL);
    sl_study_cell_json(line, screens[which].history ? NULL : value);
    for (int column = 0; column < 4; column++)
        sl_study_cell(line, "");
    sl_csv_end_line(line);
    json_decref(value);
    sl_json_release(&body);
    return sl_study_out_flow(log->out, log->err);
}

static enum sl_status nothing_soft(const struct sl_study *study, struct sl_error *err)
{
    return sl_fail(
        err, SL_ERR_INPUT,
        "%s: no answer names a most probable class with a percentage, but the layouts of "
        "CIFAR-10S hold nothing else; export \"answers\" instead",
        study->name);
}

SL_STUDY_EXPORTER(sl_study_export_cifar10s_raw)
{
    static const char *const columns[] = {"",         "trial_type", "trial_index", "time_elapsed",
                                          "subject",  "condition",  "rt",          "view_history",
                                          "response", "filename",   "task",        "label",
                                          "img_id",   NULL};
    enum sl_status status = SL_OK;
    struct sl_study_items items = {0};
    struct sl_study_out out;
    struct screen_log log = {.study = study, .out = &out, .err = err};
    sl_study_out_init(&out, sink, context);
    SL_TRY_OUT(sl_study_items_read(study, store, &items, err));
    sl_study_header(&out.pending, columns);
    SL_TRY_OUT(
        sl_study_each_given(study, store, &items, SL_STUDY_COUNTING, write_trial, &log, err));
    if (log.row == 0) SL_TRY_OUT(nothing_soft(study, err));
    SL_TRY_OUT(sl_store_each_event(store, write_event, &log, err));
    status = sl_study_out_finish(&out, err);
out:
    sl_study_items_release(&items);
    sl_study_out_release(&out);
    return status;
}

static enum sl_status write_release(const struct sl_answers *answers,
                                    const struct sl_item_index *index, struct sl_study_out *out,
                                    struct sl_error *err)
{
    bool first = true;
    for (size_t item = 0; item < sl_name_table_count(answers->items); item++) {
        json_t *list = json_array();
        for (size_t at = index->begin[item]; at < index->begin[item + 1]; at++) {
            struct sl_answer answer;
            sl_answers_get(answers, index->order[at], &answer);
            if (answer.flags & SL_ANSWER_CHECK || answer.n_top == 0) continue;
            json_array_append_new(list, sl_answer_cifar10s_json(answers->classes, &answer));
        }
        if (json_array_size(list) > 0) {
            size_t length = 0;
            const char *name = sl_name_table_get(answers->items, (uint32_t)item, &length);
            char *text = json_dumps(list, JSON_COMPACT);
            sl_buffer_text(&out->pending, first ? "{\n" : ",\n");
            first = false;
            enum sl_status status =
                sl_json_append_string(&out->pending, name, length, "an item", err);
            sl_buffer_printf(&out->pending, ": %s", text);
            free(text);
            if (status == SL_OK) status = sl_study_out_flow(out, err);
            if (status != SL_OK) {
                json_decref(list);
                return status;
            }
        }
        json_decref(list);
    }
    sl_buffer_text(&out->pending, "\n}\n");
    return sl_study_out_finish(out, err);
}

SL_STUDY_EXPORTER(sl_study_export_cifar10s_json)
{
    enum sl_status status = SL_OK;
    struct sl_study_items items = {0};
    struct sl_answers *answers = NULL;
    struct sl_item_index index = {0};
    struct sl_study_out out;
    sl_study_out_init(&out, sink, context);
    SL_TRY_OUT(sl_study_items_read(study, store, &items, err));
    const struct sl_study_choice soft = {.extent = SL_STUDY_COUNTING,
                                         .kinds = 1u << SL_ANSWER_SOFT};
    SL_TRY_OUT(sl_study_answers(study, store, &items, &soft, &answers, err));
    if (answers->count == 0) SL_TRY_OUT(nothing_soft(study, err));
    SL_TRY_OUT(sl_item_index_create(answers, &index, err));
    status = write_release(answers, &index, &out, err);
out:
    sl_item_index_release(&index);
    sl_answers_destroy(answers);
    sl_study_items_release(&items);
    sl_study_out_release(&out);
    return status;
}
