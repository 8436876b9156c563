#include "answer/screens.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"

struct sl_subject_state {
    int64_t last_trial;
    bool second_run;
};

void sl_screens_init(struct sl_screens *screens)
{
    *screens = (struct sl_screens){.subjects = sl_name_table_create()};
}

void sl_screens_release(struct sl_screens *screens)
{
    sl_csv_close(screens->csv);
    sl_name_table_destroy(screens->subjects);
    free(screens->states);
    *screens = (struct sl_screens){0};
}

enum sl_status sl_screens_open(struct sl_screens *screens, const char *path, struct sl_error *err)
{
    sl_csv_close(screens->csv);
    screens->csv = NULL;
    const struct sl_csv_options options = sl_csv_options_default();
    SL_TRY(sl_csv_open(path, &options, &screens->csv, err));
    screens->path = path;
    SL_TRY(sl_csv_column(screens->csv, "subject", &screens->subject, err));
    SL_TRY(sl_csv_column(screens->csv, "trial_index", &screens->trial, err));
    SL_TRY(sl_csv_column(screens->csv, "rt", &screens->rt, err));
    SL_TRY(sl_csv_column(screens->csv, "filename", &screens->filename, err));
    SL_TRY(sl_csv_column(screens->csv, "task", &screens->task, err));
    screens->condition = sl_optional_column(screens->csv, "condition");
    screens->study = sl_optional_column(screens->csv, "study_id");
    return SL_OK;
}

static enum sl_status find_state(struct sl_screens *screens, struct sl_field subject,
                                 struct sl_subject_state **out, struct sl_error *err)
{
    uint32_t index = 0;
    SL_TRY(sl_name_table_add(screens->subjects, subject.text, subject.length, &index, err));
    if (index >= screens->capacity) {
        const size_t capacity = screens->capacity ? screens->capacity * 2 : 64;
        struct sl_subject_state *states =
            sl_data_resize(screens->states, capacity, sizeof *states, err);
        if (!states) return SL_ERR_NOMEM;
        screens->states = states;
        screens->capacity = capacity;
    }
    if (index == screens->n_states)
        screens->states[screens->n_states++] = (struct sl_subject_state){.last_trial = -1};
    *out = &screens->states[index];
    return SL_OK;
}

static enum sl_status read_numbers(const struct sl_screens *screens,
                                   const struct sl_csv_record *record, struct sl_answer *answer,
                                   struct sl_error *err)
{
    if (record->fields[screens->trial].length > 0)
        SL_TRY(sl_csv_integer(screens->csv, record, screens->trial, 0, INT32_MAX, &answer->trial,
                              err));
    if (record->fields[screens->rt].length > 0)
        SL_TRY(sl_csv_real(screens->csv, record, screens->rt, 0, SL_LONGEST_MS, &answer->ms, err));
    return SL_OK;
}

static bool begins_with(struct sl_field field, const char *word)
{
    size_t length = strlen(word);
    return field.length >= length && memcmp(field.text, word, length) == 0;
}

enum sl_status sl_screens_next(struct sl_screens *screens, struct sl_csv_record *record,
                               struct sl_answer *answer, struct sl_error *err)
{
    do {
        SL_TRY(sl_csv_next(screens->csv, record, err));
        if (record->count == 0) return SL_OK;
    } while (record->fields[screens->filename].length == 0);
    *answer = sl_answer_empty();
    answer->item = sl_csv_plain(record->fields[screens->filename]);
    answer->annotator = sl_csv_plain(record->fields[screens->subject]);
    answer->batch = sl_csv_plain(sl_column_text(record, screens->condition));
    answer->study = sl_csv_plain(sl_column_text(record, screens->study));
    SL_TRY(read_numbers(screens, record, answer, err));
    if (begins_with(record->fields[screens->task], "rerun")) answer->flags |= SL_ANSWER_REPEAT;
    if (answer->annotator.length == 0) return SL_OK;
    struct sl_subject_state *state = NULL;
    SL_TRY(find_state(screens, answer->annotator, &state, err));
    if (answer->trial >= 0) {
        if (answer->trial <= state->last_trial) state->second_run = true;
        state->last_trial = answer->trial;
    }
    if (state->second_run) answer->flags |= SL_ANSWER_SECOND_RUN;
    return SL_OK;
}
