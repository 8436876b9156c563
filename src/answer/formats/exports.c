#include "answer/formats/exports.h"

#include <stdio.h>
#include <string.h>

#include "base/file/stream.h"
#include "softlab/base/memory.h"

enum { CHUNK = 1 << 16, FIRST_BYTES = 64, NAMES_SHOWN = 200 };
static const size_t largest_file = (size_t)1 << 30;

/* ---- Records ---- */

static enum sl_status read_text(const char *path, struct sl_buffer *text, struct sl_error *err)
{
    struct sl_stream *stream = NULL;
    size_t got = CHUNK;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_file_stream_open(path, &stream, err));
    while (got == CHUNK) {
        char *room = sl_buffer_reserve(text, CHUNK);
        if (!room) SL_TRY_OUT(sl_buffer_check(text, path, err));
        SL_TRY_OUT(sl_stream_read(stream, room, CHUNK, &got, err));
        text->length += got;
    }
out:
    sl_file_stream_close(stream);
    return status;
}

static enum sl_status visit_list(const char *path, const struct sl_buffer *text,
                                 const struct sl_record_visitor *visitor, struct sl_error *err)
{
    struct sl_json document = {0};
    size_t count = 0;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_json_parse(text->data, text->length, path, 1, &document, err));
    const struct sl_json_cursor root = sl_json_root(&document);
    SL_TRY_OUT(sl_json_array_size(&root, &count, err));
    for (size_t i = 0; i < count; i++) {
        const struct sl_json_cursor record = sl_json_element(&root, i);
        SL_TRY_OUT(visitor->visit(visitor->context, &record, err));
    }
out:
    sl_json_release(&document);
    return status;
}

static enum sl_status visit_line(const char *path, const char *text, size_t length, size_t line,
                                 const struct sl_record_visitor *visitor, struct sl_error *err)
{
    struct sl_json document = {0};
    enum sl_status status = sl_json_parse(text, length, path, line, &document, err);
    const struct sl_json_cursor record = sl_json_root(&document);
    if (status == SL_OK) status = visitor->visit(visitor->context, &record, err);
    sl_json_release(&document);
    return status;
}

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static bool is_blank(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length && is_space(text[i]))
        i++;
    return i == length;
}

static enum sl_status visit_lines(const char *path, const struct sl_buffer *text,
                                  const struct sl_record_visitor *visitor, struct sl_error *err)
{
    size_t line = 1;
    for (size_t at = 0; at < text->length; line++) {
        const char *begin = text->data + at;
        const char *end = memchr(begin, '\n', text->length - at);
        const size_t length = end ? (size_t)(end - begin) : text->length - at;
        if (!is_blank(begin, length)) SL_TRY(visit_line(path, begin, length, line, visitor, err));
        at += length + 1;
    }
    return SL_OK;
}

enum sl_status sl_records_read(const char *path, const struct sl_record_visitor *visitor,
                               struct sl_error *err)
{
    struct sl_buffer text;
    size_t first = 0;
    enum sl_status status = SL_OK;
    sl_buffer_init_data(&text, largest_file);
    SL_TRY_OUT(read_text(path, &text, err));
    while (first < text.length && is_space(text.data[first]))
        first++;
    if (first == text.length)
        status = sl_fail(err, SL_ERR_INPUT, "%s: empty, expected JSON", path);
    else if (text.length > 3 && memcmp(text.data, "PK\3\4", 4) == 0)
        status = sl_fail(err, SL_ERR_INPUT, "%s: is a zip; unpack it and give its files", path);
    else if (text.data[first] == '[')
        status = visit_list(path, &text, visitor, err);
    else
        status = visit_lines(path, &text, visitor, err);
out:
    sl_buffer_release(&text);
    return status;
}

enum sl_status sl_file_is_json(const char *path, bool *out, struct sl_error *err)
{
    struct sl_stream *stream = NULL;
    char beginning[FIRST_BYTES];
    size_t length = 0, first = 0;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_file_stream_open(path, &stream, err));
    SL_TRY_OUT(sl_stream_read(stream, beginning, sizeof beginning, &length, err));
    while (first < length && is_space(beginning[first]))
        first++;
    *out = first < length && (beginning[first] == '{' || beginning[first] == '[');
out:
    sl_file_stream_close(stream);
    return status;
}

enum sl_status sl_record_name(const struct sl_json_cursor *at, const char *what,
                              char digits[SL_NAME_DIGITS], struct sl_field *out,
                              struct sl_error *err)
{
    const char *text = digits;
    if (json_is_string(at->value) && json_string_length(at->value) > 0)
        text = json_string_value(at->value);
    else if (json_is_integer(at->value))
        snprintf(digits, SL_NAME_DIGITS, "%lld", (long long)json_integer_value(at->value));
    else
        return sl_json_fail(at, err, "expected %s: a whole number or a string", what);
    *out = sl_field_of(text);
    return SL_OK;
}

enum sl_status sl_record_blame(enum sl_status status, const struct sl_json_cursor *at,
                               struct sl_error *err)
{
    if (status != SL_ERR_INPUT || !err) return status;
    const struct sl_error inner = *err;
    return sl_json_fail(at, err, "%s", inner.message);
}

enum sl_status sl_record_check(const struct sl_json_cursor *record, const char *what,
                               struct sl_error *err)
{
    return json_is_object(record->value) ? SL_OK : sl_json_fail(record, err, "expected %s", what);
}

/* ---- The question that is read ---- */

void sl_question_init(struct sl_question *question, struct sl_field asked, const char *noun)
{
    *question = (struct sl_question){.asked = asked, .noun = noun, .names = sl_name_table_create()};
}

void sl_question_release(struct sl_question *question)
{
    sl_name_table_destroy(question->names);
    question->names = NULL;
}

enum sl_status sl_question_meet(struct sl_question *question, struct sl_field name, bool *read,
                                struct sl_error *err)
{
    uint32_t number = 0;
    SL_TRY(sl_name_table_add(question->names, name.text, name.length, &number, err));
    const struct sl_field asked = question->asked;
    *read = asked.length == 0 ||
            (asked.length == name.length && memcmp(asked.text, name.text, name.length) == 0);
    if (asked.length > 0 || number == 0) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT,
                   "there are answers to the %s \"%.60s\" and to \"%.*s\"; choose one with "
                   "--columns label=%.60s",
                   question->noun, sl_name_table_get(question->names, 0, NULL),
                   sl_field_shown(name), name.text, sl_name_table_get(question->names, 0, NULL));
}

enum sl_status sl_question_finish(const struct sl_question *question, const char *path,
                                  struct sl_error *err)
{
    const struct sl_field asked = question->asked;
    const size_t count = sl_name_table_count(question->names);
    if (asked.length == 0 || count == 0 ||
        sl_name_table_find(question->names, asked.text, asked.length) != SL_NO_NAME)
        return SL_OK;
    char list[NAMES_SHOWN] = "";
    for (uint32_t i = 0; i < count; i++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%.60s", used ? ", " : "",
                 sl_name_table_get(question->names, i, NULL));
    }
    return sl_fail(err, SL_ERR_INPUT, "%s: no %s is called \"%.*s\"; the file has %s", path,
                   question->noun, sl_field_shown(asked), asked.text, list);
}
