#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answer/answer_internal.h"
#include "answer/formats/answers_csv.h"
#include "softlab/base/file.h"
#include "softlab/base/text.h"

const char *const sl_answer_column_names[SL_ANSWER_COLUMNS] = {
    "answer",     "item",  "worker", "kind",  "part",  "label", "p",        "ms",
    "confidence", "truth", "trial",  "marks", "batch", "study", "generated"};

const char *const sl_answer_part_names[SL_ANSWER_PARTS] = {"top", "impossible", "dist", "a", "b"};

const struct sl_answer_mark sl_answer_marks[SL_ANSWER_MARKS] = {
    {"repeat", SL_ANSWER_REPEAT},
    {"second_run", SL_ANSWER_SECOND_RUN},
    {"check", SL_ANSWER_CHECK},
};

/* The answer whose lines are written. */
struct line_writer {
    struct sl_writer file;
    struct sl_buffer line;
    char *const *classes; /* borrowed */
    const struct sl_answer *answer;
    size_t number; /* from 1 */
};

static void append_name(struct sl_buffer *line, const char *text)
{
    sl_csv_append_text(line, text, strlen(text));
}

static void append_field(struct sl_buffer *line, struct sl_field text)
{
    sl_csv_append_text(line, text.text, text.length);
}

static void append_float(struct sl_buffer *line, float value)
{
    char text[SL_NUMBER_TEXT];
    sl_csv_append_field(line, text, isnan(value) ? 0 : sl_text_from_float(value, text));
}

static void append_whole(struct sl_buffer *line, int64_t value)
{
    char text[24];
    const int length = snprintf(text, sizeof text, "%lld", (long long)value);
    sl_csv_append_field(line, text, value < 0 ? 0 : (size_t)length);
}

static void append_marks(struct sl_buffer *line, unsigned flags)
{
    char text[64] = "";
    for (size_t i = 0; i < SL_ANSWER_MARKS; i++) {
        const size_t used = strlen(text);
        if (flags & sl_answer_marks[i].flag)
            snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "",
                     sl_answer_marks[i].name);
    }
    append_name(line, text);
}

/* What follows the probability on every line of an answer. */
static void append_rest(const struct line_writer *writer, struct sl_buffer *line)
{
    const struct sl_answer *answer = writer->answer;
    char text[SL_NUMBER_TEXT];
    sl_csv_append_field(line, text, isnan(answer->ms) ? 0 : sl_text_from_double(answer->ms, text));
    append_float(line, answer->mix.confidence);
    append_name(line, answer->truth >= 0 ? writer->classes[answer->truth] : "");
    append_whole(line, answer->trial);
    append_marks(line, answer->flags);
    append_field(line, answer->batch);
    append_field(line, answer->study);
    append_float(line, answer->mix.generated);
    sl_csv_end_line(line);
}

static enum sl_status write_line(struct line_writer *writer, enum sl_answer_part part,
                                 uint32_t label, float p, struct sl_error *err)
{
    const struct sl_answer *answer = writer->answer;
    struct sl_buffer *line = &writer->line;
    sl_buffer_clear(line);
    append_whole(line, (int64_t)writer->number);
    append_field(line, answer->item);
    append_field(line, answer->annotator);
    append_name(line, sl_answer_kind_names[answer->kind]);
    append_name(line, sl_answer_part_names[part]);
    append_name(line, writer->classes[label]);
    append_float(line, p);
    append_rest(writer, line);
    return sl_writer_write(&writer->file, line->data, line->length, err);
}

static enum sl_status write_answer(struct line_writer *writer, size_t n_classes,
                                   struct sl_error *err)
{
    const struct sl_answer *answer = writer->answer;
    if (answer->kind == SL_ANSWER_MIX) {
        SL_TRY(write_line(writer, SL_PART_A, answer->mix.a, answer->mix.lambda, err));
        SL_TRY(write_line(writer, SL_PART_B, answer->mix.b, NAN, err));
    }
    for (uint32_t k = 0; answer->kind == SL_ANSWER_DIST && k < n_classes; k++)
        SL_TRY(write_line(writer, SL_PART_DIST, k, answer->distribution[k], err));
    for (size_t i = 0; i < answer->n_top; i++)
        SL_TRY(write_line(writer, SL_PART_TOP, answer->top[i].class_index,
                          answer->top[i].probability, err));
    for (size_t i = 0; i < answer->n_impossible; i++)
        SL_TRY(write_line(writer, SL_PART_IMPOSSIBLE, answer->impossible[i], NAN, err));
    return SL_OK;
}

static enum sl_status write_header(struct line_writer *writer, struct sl_error *err)
{
    for (size_t i = 0; i < SL_ANSWER_COLUMNS; i++)
        append_name(&writer->line, sl_answer_column_names[i]);
    sl_csv_end_line(&writer->line);
    return sl_writer_write(&writer->file, writer->line.data, writer->line.length, err);
}

/* Typed texts and the times of inputs have no column. */
SL_EXPORTER(sl_export_answers_csv)
{
    (void)notes;
    struct sl_answer answer;
    struct line_writer writer = {
        .file = {.descriptor = -1}, .classes = answers->classes, .answer = &answer};
    enum sl_status status = SL_OK;
    sl_buffer_init(&writer.line, SIZE_MAX);
    SL_TRY_OUT(sl_writer_open(&writer.file, path, err));
    SL_TRY_OUT(write_header(&writer, err));
    for (size_t i = 0; i < answers->count; i++) {
        sl_answers_get(answers, i, &answer);
        writer.number = i + 1;
        SL_TRY_OUT(write_answer(&writer, answers->n_classes, err));
    }
    status = sl_writer_commit(&writer.file, err);
out:
    sl_buffer_release(&writer.line);
    sl_writer_discard(&writer.file);
    return status;
}
