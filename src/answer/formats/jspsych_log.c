#include "answer/formats/jspsych_log.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"

struct sl_subject_state {
    int64_t last_trial;
    bool second_run;
};

void sl_jspsych_log_init(struct sl_jspsych_log *log)
{
    *log = (struct sl_jspsych_log){.subjects = sl_name_table_create()};
}

void sl_jspsych_log_release(struct sl_jspsych_log *log)
{
    sl_csv_close(log->csv);
    sl_name_table_destroy(log->subjects);
    free(log->states);
    *log = (struct sl_jspsych_log){0};
}

enum sl_status sl_jspsych_log_open(struct sl_jspsych_log *log, const char *path,
                                   struct sl_error *err)
{
    sl_csv_close(log->csv);
    log->csv = NULL;
    const struct sl_csv_options options = sl_csv_options_default();
    SL_TRY(sl_csv_open(path, &options, &log->csv, err));
    log->path = path;
    SL_TRY(sl_csv_column(log->csv, "subject", &log->subject, err));
    SL_TRY(sl_csv_column(log->csv, "trial_index", &log->trial, err));
    SL_TRY(sl_csv_column(log->csv, "rt", &log->rt, err));
    SL_TRY(sl_csv_column(log->csv, "filename", &log->filename, err));
    SL_TRY(sl_csv_column(log->csv, "task", &log->task, err));
    log->condition = sl_optional_column(log->csv, "condition");
    log->study = sl_optional_column(log->csv, "study_id");
    return SL_OK;
}

static enum sl_status find_state(struct sl_jspsych_log *log, struct sl_field subject,
                                 struct sl_subject_state **out, struct sl_error *err)
{
    uint32_t index = 0;
    SL_TRY(sl_name_table_add(log->subjects, subject.text, subject.length, &index, err));
    if (index >= log->capacity) {
        const size_t capacity = log->capacity ? log->capacity * 2 : 64;
        struct sl_subject_state *states =
            sl_data_resize(log->states, capacity, sizeof *states, err);
        if (!states) return SL_ERR_NOMEM;
        log->states = states;
        log->capacity = capacity;
    }
    if (index == log->n_states)
        log->states[log->n_states++] = (struct sl_subject_state){.last_trial = -1};
    *out = &log->states[index];
    return SL_OK;
}

static enum sl_status read_numbers(const struct sl_jspsych_log *log,
                                   const struct sl_csv_record *record, struct sl_answer *answer,
                                   struct sl_error *err)
{
    if (record->fields[log->trial].length > 0)
        SL_TRY(sl_csv_integer(log->csv, record, log->trial, 0, INT32_MAX, &answer->trial, err));
    if (record->fields[log->rt].length > 0)
        SL_TRY(sl_csv_real(log->csv, record, log->rt, 0, SL_LONGEST_MS, &answer->ms, err));
    return SL_OK;
}

static bool begins_with(struct sl_field field, const char *word)
{
    size_t length = strlen(word);
    return field.length >= length && memcmp(field.text, word, length) == 0;
}

enum sl_status sl_jspsych_log_next(struct sl_jspsych_log *log, struct sl_csv_record *record,
                                   struct sl_answer *answer, struct sl_error *err)
{
    do {
        SL_TRY(sl_csv_next(log->csv, record, err));
        if (record->count == 0) return SL_OK;
    } while (record->fields[log->filename].length == 0);
    *answer = sl_answer_empty();
    answer->item = sl_csv_plain(record->fields[log->filename]);
    answer->annotator = sl_csv_plain(record->fields[log->subject]);
    answer->batch = sl_csv_plain(sl_column_text(record, log->condition));
    answer->study = sl_csv_plain(sl_column_text(record, log->study));
    SL_TRY(read_numbers(log, record, answer, err));
    if (begins_with(record->fields[log->task], "rerun")) answer->flags |= SL_ANSWER_REPEAT;
    if (answer->annotator.length == 0) return SL_OK;
    struct sl_subject_state *state = NULL;
    SL_TRY(find_state(log, answer->annotator, &state, err));
    if (answer->trial >= 0) {
        if (answer->trial <= state->last_trial) state->second_run = true;
        state->last_trial = answer->trial;
    }
    if (state->second_run) answer->flags |= SL_ANSWER_SECOND_RUN;
    return SL_OK;
}
