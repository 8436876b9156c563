/* The final trials with every time stamp, and the log of everything that was ever stored. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "study/export/export.h"

/* Input names come from pages. More columns than our screens have would be abuse; further inputs
 * appear in the log of changes only. */
enum { MOST_INPUTS = 2100 };

struct trial_lines {
    const struct sl_study *study;
    struct sl_study_out *out;
    struct sl_name_table *inputs; /* owned; every input that has a time */
    struct sl_error *err;         /* for walks whose visitors get none */
};

static enum sl_status note_inputs(const struct sl_study_given *given, void *context,
                                  struct sl_error *err)
{
    struct trial_lines *lines = context;
    const char *name = NULL;
    json_t *value = NULL;
    uint32_t index = 0;
    json_object_foreach(given->times, name, value)
    {
        if (sl_name_table_count(lines->inputs) == MOST_INPUTS) break;
        SL_TRY(sl_name_table_add(lines->inputs, name, strlen(name), &index, err));
    }
    return SL_OK;
}

static void write_trial_header(struct trial_lines *lines)
{
    static const char *const columns[] = {
        "annotator", "session",     "screen",     "batch",  "state",  "second_run",
        "trial",     "item",        "truth",      "check",  "repeat", "revision",
        "shown_ms",  "received_ms", "elapsed_ms", "choice", "answer", NULL};
    struct sl_buffer *line = &lines->out->pending;
    for (const char *const *column = columns; *column; column++)
        sl_study_cell(line, *column);
    for (uint32_t i = 0; i < sl_name_table_count(lines->inputs); i++) {
        static const char *const moments[] = {"first", "last"};
        for (size_t m = 0; m < 2; m++) {
            char *column =
                sl_string_printf("%s_%s_ms", sl_name_table_get(lines->inputs, i, NULL), moments[m]);
            sl_study_cell_free_text(line, column);
            free(column);
        }
    }
    sl_csv_end_line(line);
}

static void write_times(const struct trial_lines *lines, json_t *times, struct sl_buffer *line)
{
    for (uint32_t i = 0; i < sl_name_table_count(lines->inputs); i++) {
        json_t *pair = json_object_get(times, sl_name_table_get(lines->inputs, i, NULL));
        for (size_t m = 0; m < 2; m++) {
            json_t *moment = json_array_get(pair, m);
            sl_study_cell_real(line,
                               json_is_number(moment) ? json_number_value(moment) : (double)NAN);
        }
    }
}

static const char *class_name(const struct sl_study *study, int64_t class_index)
{
    return class_index >= 0 ? study->classes[class_index] : "";
}

static enum sl_status write_trial(const struct sl_study_given *given, void *context,
                                  struct sl_error *err)
{
    struct trial_lines *lines = context;
    struct sl_buffer *line = &lines->out->pending;
    const struct sl_store_session *session = given->session;
    const struct sl_store_answer *answer = given->answer;
    struct sl_study_record record;
    SL_TRY(sl_study_record_make(lines->study, given, &record, err));
    sl_study_cell(line, given->annotator);
    sl_study_cell_integer(line, session->id);
    sl_study_cell(line, session->screen);
    sl_study_cell_integer(line, (int64_t)session->batch);
    sl_study_cell(line, sl_session_state_name(session->state));
    sl_study_cell_integer(line, session->second_run);
    sl_study_cell_integer(line, (int64_t)answer->trial);
    sl_study_cell(line, given->item->id);
    sl_study_cell(line, class_name(lines->study, given->item->truth));
    sl_study_cell_integer(line, given->item->check);
    sl_study_cell_integer(line, answer->repeat);
    sl_study_cell_integer(line, (int64_t)answer->revision);
    sl_study_cell_integer(line, answer->received - answer->elapsed);
    sl_study_cell_integer(line, answer->received);
    sl_study_cell_integer(line, answer->elapsed);
    sl_study_cell(line, class_name(lines->study, sl_study_top_class(lines->study, &record.answer)));
    sl_study_cell_json(line, given->answered);
    write_times(lines, given->times, line);
    sl_csv_end_line(line);
    sl_study_record_release(&record);
    return sl_study_out_flow(lines->out, err);
}

/* Walks twice over the answers: first for the names of the columns. */
SL_STUDY_EXPORTER(sl_study_export_trials)
{
    enum sl_status status = SL_OK;
    struct sl_study_items items = {0};
    struct sl_study_out out;
    struct trial_lines lines = {
        .study = study, .out = &out, .inputs = sl_name_table_create(), .err = err};
    sl_study_out_init(&out, sink, context);
    SL_TRY_OUT(sl_study_items_read(study, store, &items, err));
    SL_TRY_OUT(
        sl_study_each_given(study, store, &items, SL_STUDY_COUNTING, note_inputs, &lines, err));
    write_trial_header(&lines);
    SL_TRY_OUT(
        sl_study_each_given(study, store, &items, SL_STUDY_COUNTING, write_trial, &lines, err));
    status = sl_study_out_finish(&out, err);
out:
    sl_name_table_destroy(lines.inputs);
    sl_study_items_release(&items);
    sl_study_out_release(&out);
    return status;
}

static void begin_change(struct sl_buffer *line, int64_t at, const struct sl_store_session *session)
{
    char annotator[SL_STUDY_ANNOTATOR_TEXT] = "";
    if (session) sl_study_annotator(session->person, annotator);
    sl_study_cell_integer(line, at);
    sl_study_cell(line, annotator);
    if (session)
        sl_study_cell_integer(line, session->id);
    else
        sl_study_cell(line, "");
    sl_study_cell_integer(line, session && session->test);
}

static enum sl_status write_revision(const struct sl_study_given *given, void *context,
                                     struct sl_error *err)
{
    struct trial_lines *lines = context;
    struct sl_buffer *line = &lines->out->pending;
    json_t *body = json_pack("{s:O, s:O*, s:I}", "answer", given->answered, "times", given->times,
                             "elapsed", (json_int_t)given->answer->elapsed);
    begin_change(line, given->answer->received, given->session);
    sl_study_cell(line, given->answer->practice ? "practice" : "answer");
    sl_study_cell_integer(line, (int64_t)given->answer->trial);
    sl_study_cell_integer(line, (int64_t)given->answer->revision);
    sl_study_cell(line, given->item->id);
    sl_study_cell_json(line, body);
    sl_csv_end_line(line);
    json_decref(body);
    return sl_study_out_flow(lines->out, err);
}

static enum sl_status write_event(const struct sl_store_row *row, void *context)
{
    struct trial_lines *lines = context;
    struct sl_buffer *line = &lines->out->pending;
    json_t *body = json_loads(row->body, JSON_DECODE_ANY, NULL);
    begin_change(line, row->at, row->session);
    sl_study_cell_free_text(line, row->kind);
    for (int column = 0; column < 3; column++)
        sl_study_cell(line, "");
    if (body)
        sl_study_cell_json(line, body);
    else
        sl_study_cell_free_text(line, row->body);
    sl_csv_end_line(line);
    json_decref(body);
    return sl_study_out_flow(lines->out, lines->err);
}

SL_STUDY_EXPORTER(sl_study_export_changes)
{
    static const char *const columns[] = {"at_ms", "annotator", "session", "test", "what",
                                          "trial", "revision",  "item",    "body", NULL};
    enum sl_status status = SL_OK;
    struct sl_study_items items = {0};
    struct sl_study_out out;
    struct trial_lines lines = {.study = study, .out = &out, .err = err};
    sl_study_out_init(&out, sink, context);
    SL_TRY_OUT(sl_study_items_read(study, store, &items, err));
    sl_study_header(&out.pending, columns);
    SL_TRY_OUT(
        sl_study_each_given(study, store, &items, SL_STUDY_EVERY, write_revision, &lines, err));
    SL_TRY_OUT(sl_store_each_event(store, write_event, &lines, err));
    status = sl_study_out_finish(&out, err);
out:
    sl_study_items_release(&items);
    sl_study_out_release(&out);
    return status;
}
