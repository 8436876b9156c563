/* hmix: the share of each of two images that people see in their mixture, and their confidence.
 *
 * `mixingcoeff` runs from 0 (all of label1) to 100 (all of label2), so the share of label1 is 1 -
 * mixingcoeff/100; `mixtureCoeff` is the share of label1 that was mixed. A missing confidence is
 * unknown; a missing or impossible coefficient and an unknown class stop the import. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/formats/jspsych_log.h"
#include "softlab/base/memory.h"

struct mix_columns {
    size_t responses, label1, label2, generated;
};

static enum sl_status find_columns(const struct sl_csv *csv, struct mix_columns *out,
                                   struct sl_error *err)
{
    struct mix_columns columns;
    SL_TRY(sl_csv_column(csv, "responses", &columns.responses, err));
    SL_TRY(sl_csv_column(csv, "label1", &columns.label1, err));
    SL_TRY(sl_csv_column(csv, "label2", &columns.label2, err));
    SL_TRY(sl_csv_column(csv, "mixtureCoeff", &columns.generated, err));
    *out = columns;
    return SL_OK;
}

static enum sl_status read_sliders(const struct sl_json *document, struct sl_mix_answer *out,
                                   struct sl_error *err)
{
    const struct sl_json_cursor root = sl_json_root(document);
    struct sl_json_cursor at;
    double coefficient = 0, confidence = (double)NAN;
    SL_TRY(sl_json_member(&root, "mixingcoeff", &at, err));
    SL_TRY(sl_json_number(&at, 0, 100, &coefficient, err));
    SL_TRY(sl_json_optional(&root, "confidence", &at, err));
    if (at.value) SL_TRY(sl_json_number(&at, 0, 100, &confidence, err));
    out->lambda = sl_from_percent(100 - coefficient);
    out->confidence = sl_from_percent(confidence);
    return SL_OK;
}

static enum sl_status read_mix(struct sl_import *import, const struct sl_jspsych_log *log,
                               const struct mix_columns *columns,
                               const struct sl_csv_record *record, struct sl_mix_answer *out,
                               struct sl_error *err)
{
    const struct sl_field text = record->fields[columns->responses];
    const struct sl_field a = sl_csv_class(record->fields[columns->label1]);
    const struct sl_field b = sl_csv_class(record->fields[columns->label2]);
    struct sl_json document = {0};
    SL_TRY(sl_json_parse(text.text, text.length, log->path, record->line, &document, err));
    enum sl_status status = read_sliders(&document, out, err);
    sl_json_release(&document);
    SL_TRY(status);
    SL_TRY(sl_at_line(sl_import_class(import, a.text, a.length, &out->a, err), log->path,
                      record->line, err));
    SL_TRY(sl_at_line(sl_import_class(import, b.text, b.length, &out->b, err), log->path,
                      record->line, err));
    double generated = (double)NAN;
    if (record->fields[columns->generated].length > 0)
        SL_TRY(sl_csv_real(log->csv, record, columns->generated, 0, 1, &generated, err));
    out->generated = (float)generated;
    return SL_OK;
}

static enum sl_status import_log(struct sl_import *import, struct sl_jspsych_log *log,
                                 struct sl_error *err)
{
    struct mix_columns columns;
    SL_TRY(find_columns(log->csv, &columns, err));
    for (;;) {
        struct sl_csv_record record = {0};
        struct sl_answer answer;
        SL_TRY(sl_jspsych_log_next(log, &record, &answer, err));
        if (record.count == 0) return SL_OK;
        if (record.fields[columns.responses].length == 0) {
            sl_import_skip(import, "%s:%zu: the screen has no response", log->path, record.line);
            continue;
        }
        answer.kind = SL_ANSWER_MIX;
        SL_TRY(read_mix(import, log, &columns, &record, &answer.mix, err));
        sl_import_at(import, log->path, record.line);
        SL_TRY(sl_at_line(sl_import_put(import, &answer, err), log->path, record.line, err));
    }
}

SL_IMPORTER(sl_import_hmix)
{
    enum sl_status status = SL_OK;
    struct sl_import import;
    struct sl_jspsych_log log;
    sl_import_init(&import, options, sink);
    sl_jspsych_log_init(&log);
    SL_TRY_OUT(sl_import_begin(&import, sl_cifar10_class_titles, err));
    for (size_t i = 0; i < n_paths; i++) {
        SL_TRY_OUT(sl_jspsych_log_open(&log, paths[i], err));
        SL_TRY_OUT(import_log(&import, &log, err));
    }
    status = sl_import_finish(&import, paths[0], err);
out:
    sl_jspsych_log_release(&log);
    sl_import_release(&import);
    return status;
}

static const char *const export_columns[] = {
    "trial_index", "subject", "study_id", "condition", "rt",           "responses",
    "filename",    "task",    "label1",   "label2",    "mixtureCoeff", NULL};

static void append_text(struct sl_buffer *line, const char *text)
{
    sl_csv_append_text(line, text, strlen(text));
}

static void append_real_or_nothing(struct sl_buffer *line, double value)
{
    if (isnan(value))
        append_text(line, "");
    else
        sl_csv_append_real(line, value);
}

static json_t *json_percent(double percent)
{
    return percent == floor(percent) ? json_integer((json_int_t)percent) : json_real(percent);
}

static void append_responses(struct sl_buffer *line, const struct sl_mix_answer *mix)
{
    json_t *sliders = json_object();
    json_object_set_new(sliders, "mixingcoeff", json_percent(sl_answer_percent(1 - mix->lambda)));
    if (!isnan(mix->confidence))
        json_object_set_new(sliders, "confidence",
                            json_percent(sl_answer_percent(mix->confidence)));
    char *text = json_dumps(sliders, JSON_COMPACT);
    append_text(line, text ? text : "");
    free(text);
    json_decref(sliders);
}

static void append_answer(struct sl_buffer *line, const struct sl_answers *answers,
                          const struct sl_answer *answer)
{
    const bool repeat = answer->flags & SL_ANSWER_REPEAT;
    append_real_or_nothing(line, answer->trial < 0 ? (double)NAN : (double)answer->trial);
    sl_csv_append_text(line, answer->annotator.text, answer->annotator.length);
    sl_csv_append_text(line, answer->study.text, answer->study.length);
    sl_csv_append_text(line, answer->batch.text, answer->batch.length);
    append_real_or_nothing(line, answer->ms);
    append_responses(line, &answer->mix);
    sl_csv_append_text(line, answer->item.text, answer->item.length);
    append_text(line, repeat ? "rerun_rate_mixture" : "rate_mixture");
    append_text(line, answers->classes[answer->mix.a]);
    append_text(line, answers->classes[answer->mix.b]);
    append_real_or_nothing(line, sl_answer_percent(answer->mix.generated) / 100);
    sl_csv_end_line(line);
}

/* Repeats and second runs are written as such; the trials of a second run start again. */
SL_EXPORTER(sl_export_hmix)
{
    enum sl_status status = SL_OK;
    struct sl_writer writer = {.descriptor = -1};
    struct sl_buffer line;
    sl_buffer_init(&line, SIZE_MAX);
    SL_TRY_OUT(sl_writer_open(&writer, path, err));
    for (const char *const *column = export_columns; *column; column++)
        append_text(&line, *column);
    sl_csv_end_line(&line);
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        if (answer.flags & SL_ANSWER_CHECK) {
            if (notes) notes->n_skipped++;
            continue;
        }
        SL_TRY_OUT(sl_export_kind(&answer, i, SL_ANSWER_MIX, "hmix", err));
        append_answer(&line, answers, &answer);
        SL_TRY_OUT(sl_writer_write(&writer, line.data, line.length, err));
        sl_buffer_clear(&line);
    }
    if (line.length > 0) SL_TRY_OUT(sl_writer_write(&writer, line.data, line.length, err));
    status = sl_writer_commit(&writer, err);
out:
    sl_buffer_release(&line);
    sl_writer_discard(&writer);
    return status;
}
