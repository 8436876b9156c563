/* Write answers.jsonl: keys in a fixed order, without those that are unknown. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/answer_internal.h"
#include "answer/jsonl/jsonl.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

struct sl_answer_writer {
    struct sl_writer file;
    char **classes; /* owned; NULL before begin */
    size_t n_classes;
    struct sl_buffer line;
};

static enum sl_status append_string(struct sl_buffer *out, struct sl_field text, const char *what,
                                    struct sl_error *err)
{
    return sl_json_append_string(out, text.text, text.length, what, err);
}

static enum sl_status append_name(struct sl_buffer *out, const char *name, struct sl_error *err)
{
    return sl_json_append_string(out, name, strlen(name), "a class", err);
}

static void append_float(struct sl_buffer *out, float value)
{
    char text[SL_NUMBER_TEXT];
    if (isnan(value))
        sl_buffer_text(out, "null");
    else
        sl_buffer_append(out, text, sl_text_from_float(value, text));
}

static enum sl_status append_text_member(struct sl_buffer *out, const char *key,
                                         struct sl_field text, struct sl_error *err)
{
    if (text.length == 0) return SL_OK;
    sl_buffer_text(out, ",\"");
    sl_buffer_text(out, key);
    sl_buffer_text(out, "\":");
    return append_string(out, text, key, err);
}

static enum sl_status append_classes(struct sl_buffer *out, const char *const *classes,
                                     const uint32_t *list, size_t count, struct sl_error *err)
{
    sl_buffer_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0) sl_buffer_byte(out, ',');
        SL_TRY(append_name(out, classes[list[i]], err));
    }
    sl_buffer_byte(out, ']');
    return SL_OK;
}

static enum sl_status append_top(struct sl_buffer *out, const char *const *classes,
                                 const struct sl_answer *answer, struct sl_error *err)
{
    const bool pairs = answer->kind == SL_ANSWER_SOFT;
    sl_buffer_text(out, ",\"top\":[");
    for (size_t i = 0; i < answer->n_top; i++) {
        if (i > 0) sl_buffer_byte(out, ',');
        if (pairs) sl_buffer_byte(out, '[');
        SL_TRY(append_name(out, classes[answer->top[i].class_index], err));
        if (!pairs) continue;
        sl_buffer_byte(out, ',');
        append_float(out, answer->top[i].probability);
        sl_buffer_byte(out, ']');
    }
    sl_buffer_byte(out, ']');
    if (answer->n_impossible == 0) return SL_OK;
    sl_buffer_text(out, ",\"impossible\":");
    return append_classes(out, classes, answer->impossible, answer->n_impossible, err);
}

static void append_dist(struct sl_buffer *out, const float *distribution, size_t n_classes)
{
    sl_buffer_text(out, ",\"dist\":[");
    for (size_t i = 0; i < n_classes; i++) {
        if (i > 0) sl_buffer_byte(out, ',');
        append_float(out, distribution[i]);
    }
    sl_buffer_byte(out, ']');
}

static enum sl_status append_mix(struct sl_buffer *out, const char *const *classes,
                                 const struct sl_mix_answer *mix, struct sl_error *err)
{
    const uint32_t endpoints[] = {mix->a, mix->b};
    sl_buffer_text(out, ",\"endpoints\":");
    SL_TRY(append_classes(out, classes, endpoints, 2, err));
    sl_buffer_text(out, ",\"lambda\":");
    append_float(out, mix->lambda);
    if (isnan(mix->generated)) return SL_OK;
    sl_buffer_text(out, ",\"generated\":");
    append_float(out, mix->generated);
    return SL_OK;
}

static enum sl_status append_kind(struct sl_buffer *out, const char *const *classes,
                                  size_t n_classes, const struct sl_answer *answer,
                                  struct sl_error *err)
{
    sl_buffer_text(out, ",\"kind\":\"");
    sl_buffer_text(out, sl_answer_kind_names[answer->kind]);
    sl_buffer_byte(out, '"');
    switch (answer->kind) {
    case SL_ANSWER_HARD:
        sl_buffer_text(out, ",\"class\":");
        return append_name(out, classes[answer->top[0].class_index], err);
    case SL_ANSWER_SOFT:
    case SL_ANSWER_SELECT: return append_top(out, classes, answer, err);
    case SL_ANSWER_DIST: append_dist(out, answer->distribution, n_classes); return SL_OK;
    case SL_ANSWER_MIX: return append_mix(out, classes, &answer->mix, err);
    }
    return SL_OK;
}

static void append_numbers(struct sl_buffer *out, const struct sl_answer *answer)
{
    char number[SL_NUMBER_TEXT];
    if (!isnan(answer->mix.confidence)) {
        sl_buffer_text(out, ",\"confidence\":");
        append_float(out, answer->mix.confidence);
    }
    if (!isnan(answer->ms)) {
        sl_text_from_double(answer->ms, number);
        sl_buffer_printf(out, ",\"ms\":%s", number);
    }
    if (answer->trial >= 0) sl_buffer_printf(out, ",\"trial\":%lld", (long long)answer->trial);
    if (answer->flags & SL_ANSWER_REPEAT) sl_buffer_text(out, ",\"repeat\":true");
    if (answer->flags & SL_ANSWER_SECOND_RUN) sl_buffer_text(out, ",\"second_run\":true");
    if (answer->flags & SL_ANSWER_CHECK) sl_buffer_text(out, ",\"check\":true");
}

static enum sl_status append_texts(struct sl_buffer *out, const char *const *classes,
                                   const struct sl_answer *answer, struct sl_error *err)
{
    if (answer->truth >= 0) {
        sl_buffer_text(out, ",\"truth\":");
        SL_TRY(append_name(out, classes[answer->truth], err));
    }
    SL_TRY(append_text_member(out, "batch", answer->batch, err));
    SL_TRY(append_text_member(out, "study", answer->study, err));
    if (answer->raw[0].length > 0 || answer->raw[1].length > 0) {
        sl_buffer_text(out, ",\"raw\":[");
        SL_TRY(append_string(out, answer->raw[0], "raw", err));
        sl_buffer_byte(out, ',');
        SL_TRY(append_string(out, answer->raw[1], "raw", err));
        sl_buffer_byte(out, ']');
    }
    if (answer->inputs.length == 0) return SL_OK;
    sl_buffer_text(out, ",\"inputs\":");
    sl_buffer_append(out, answer->inputs.text, answer->inputs.length);
    return SL_OK;
}

enum sl_status sl_jsonl_append_header(struct sl_buffer *out, const char *const *classes,
                                      size_t n_classes, struct sl_error *err)
{
    sl_buffer_text(out, "{\"softlab\":\"answers\",\"version\":1,\"classes\":[");
    for (size_t i = 0; i < n_classes; i++) {
        if (i > 0) sl_buffer_byte(out, ',');
        SL_TRY(append_name(out, classes[i], err));
    }
    sl_buffer_text(out, "]}\n");
    return SL_OK;
}

enum sl_status sl_jsonl_append_answer(struct sl_buffer *out, const char *const *classes,
                                      size_t n_classes, const struct sl_answer *answer,
                                      struct sl_error *err)
{
    sl_buffer_text(out, "{\"item\":");
    SL_TRY(append_string(out, answer->item, "item", err));
    SL_TRY(append_text_member(out, "annotator", answer->annotator, err));
    SL_TRY(append_kind(out, classes, n_classes, answer, err));
    append_numbers(out, answer);
    SL_TRY(append_texts(out, classes, answer, err));
    sl_buffer_text(out, "}\n");
    return SL_OK;
}

enum sl_status sl_answer_writer_create(const char *path, struct sl_answer_writer **out,
                                       struct sl_error *err)
{
    struct sl_writer file;
    SL_TRY(sl_writer_open(&file, path, err));
    struct sl_answer_writer *writer = sl_alloc(1, sizeof *writer);
    writer->file = file;
    sl_buffer_init_data(&writer->line, SL_LINE_LIMIT);
    *out = writer;
    return SL_OK;
}

void sl_answer_writer_destroy(struct sl_answer_writer *writer)
{
    if (!writer) return;
    sl_writer_discard(&writer->file);
    sl_names_destroy(writer->classes);
    sl_buffer_release(&writer->line);
    free(writer);
}

static enum sl_status write_line(struct sl_answer_writer *writer, struct sl_error *err)
{
    SL_TRY(sl_buffer_check(&writer->line, "a line of answers", err));
    return sl_writer_write(&writer->file, writer->line.data, writer->line.length, err);
}

/* An object on one line. */
static enum sl_status check_inputs(struct sl_field inputs, struct sl_error *err)
{
    struct sl_json json;
    if (inputs.length == 0) return SL_OK;
    if (memchr(inputs.text, '\n', inputs.length))
        return sl_fail(err, SL_ERR_INPUT, "inputs must be one line of text");
    SL_TRY(sl_json_parse(inputs.text, inputs.length, "inputs", 1, &json, err));
    bool object = json_is_object(json.root);
    sl_json_release(&json);
    return object ? SL_OK : sl_fail(err, SL_ERR_INPUT, "inputs are not a JSON object");
}

static enum sl_status begin(void *context, const char *const *classes, size_t n_classes,
                            struct sl_error *err)
{
    struct sl_answer_writer *writer = context;
    if (writer->classes)
        return sl_fail(err, SL_ERR_USAGE, "%s: the classes were given twice", writer->file.path);
    SL_TRY(sl_jsonl_append_header(&writer->line, classes, n_classes, err));
    writer->classes = sl_alloc(n_classes + 1, sizeof *writer->classes);
    for (; writer->n_classes < n_classes; writer->n_classes++)
        writer->classes[writer->n_classes] = sl_string_copy(classes[writer->n_classes]);
    return write_line(writer, err);
}

static enum sl_status put(void *context, const struct sl_answer *answer, struct sl_error *err)
{
    struct sl_answer_writer *writer = context;
    SL_TRY(sl_answer_check(answer, writer->n_classes, err));
    SL_TRY(check_inputs(answer->inputs, err));
    sl_buffer_clear(&writer->line);
    SL_TRY(sl_jsonl_append_answer(&writer->line, (const char *const *)writer->classes,
                                  writer->n_classes, answer, err));
    return write_line(writer, err);
}

/* Lines that a thread writes. */
struct part {
    const struct sl_answer_writer *writer; /* borrowed */
    struct sl_buffer lines;
};

static enum sl_status create_part(void *context, void **out, struct sl_error *err)
{
    struct part *part = sl_alloc(1, sizeof *part);
    (void)err;
    part->writer = context;
    sl_buffer_init_data(&part->lines, SIZE_MAX);
    *out = part;
    return SL_OK;
}

static enum sl_status put_in_part(void *context, const struct sl_answer *answer,
                                  struct sl_error *err)
{
    struct part *part = context;
    const struct sl_answer_writer *writer = part->writer;
    const size_t before = part->lines.length;
    SL_TRY(sl_answer_check(answer, writer->n_classes, err));
    SL_TRY(check_inputs(answer->inputs, err));
    SL_TRY(sl_jsonl_append_answer(&part->lines, (const char *const *)writer->classes,
                                  writer->n_classes, answer, err));
    SL_TRY(sl_buffer_check(&part->lines, "a line of answers", err));
    return part->lines.length - before <= SL_LINE_LIMIT
               ? SL_OK
               : sl_fail(err, SL_ERR_INPUT, "a line of answers is too long");
}

static enum sl_status take_part(void *context, const void *from, struct sl_error *err)
{
    struct sl_answer_writer *writer = context;
    const struct part *part = from;
    if (part->lines.length == 0) return SL_OK;
    return sl_writer_write(&writer->file, part->lines.data, part->lines.length, err);
}

static void clear_part(void *context)
{
    struct part *part = context;
    sl_buffer_clear(&part->lines);
}

static void destroy_part(void *context)
{
    struct part *part = context;
    if (part) sl_buffer_release(&part->lines);
    free(part);
}

struct sl_answer_sink sl_answer_writer_sink(struct sl_answer_writer *writer)
{
    static const struct sl_answer_parts parts = {create_part, put_in_part, take_part, clear_part,
                                                 destroy_part};
    return (struct sl_answer_sink){.begin = begin, .put = put, .context = writer, .parts = &parts};
}

enum sl_status sl_answer_writer_commit(struct sl_answer_writer *writer, struct sl_error *err)
{
    if (!writer->classes)
        return sl_fail(err, SL_ERR_USAGE, "%s: the classes were not given before the end",
                       writer->file.path);
    return sl_writer_commit(&writer->file, err);
}
