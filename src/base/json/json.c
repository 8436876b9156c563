#include "softlab/base/json.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/internal.h"
#include "base/text/describe.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { PATH_MAXIMUM = 1 << 20, PATH_SHOWN = 200, KEY_SHOWN = 40 };

static void *take_memory(size_t size)
{
    void *block = malloc(size ? size : 1);
    if (!block) sl_memory_exhausted(size);
    return block;
}

void sl_json_use_memory(void)
{
    json_set_alloc_funcs(take_memory, free);
}

static enum sl_status fail_parsing(const char *name, size_t line, const json_error_t *problem,
                                   struct sl_error *err)
{
    if (json_error_code(problem) == json_error_out_of_memory)
        return sl_fail(err, SL_ERR_NOMEM, "%s: not enough memory to parse it", name);
    char text[JSON_ERROR_TEXT_LENGTH];
    snprintf(text, sizeof text, "%s", problem->text);
    /* jansson's message quotes the bytes at which it stopped. */
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7F) *at = '?';
    if (problem->line < 1) return sl_fail(err, SL_ERR_INPUT, "%s:%zu: %s", name, line, text);
    return sl_fail(err, SL_ERR_INPUT, "%s:%zu: %s, column %d", name,
                   line + (size_t)problem->line - 1, text, problem->column);
}

/* Parse and, on success, take `text`. */
static enum sl_status parse_taking(char *text, size_t length, const char *name, size_t line,
                                   struct sl_json *out, struct sl_error *err)
{
    json_error_t problem;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &problem);
    if (!root) return fail_parsing(name, line, &problem, err);
    *out = (struct sl_json){.name = sl_string_copy(name),
                            .text = text,
                            .length = length,
                            .first_line = line,
                            .root = root};
    return SL_OK;
}

enum sl_status sl_json_parse(const char *text, size_t length, const char *name, size_t line,
                             struct sl_json *out, struct sl_error *err)
{
    char *copy = sl_data_alloc(length, 1, err);
    if (!copy) return SL_ERR_NOMEM;
    if (length) memcpy(copy, text, length);
    enum sl_status status = parse_taking(copy, length, name, line, out, err);
    if (status != SL_OK) free(copy);
    return status;
}

enum sl_status sl_json_read(const char *path, size_t maximum, struct sl_json *out,
                            struct sl_error *err)
{
    struct sl_buffer text;
    sl_buffer_init(&text, maximum);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_file_read(path, &text, err));
    sl_buffer_text(&text, ""); /* so that there is a block even for an empty file */
    SL_TRY_OUT(parse_taking(text.data, text.length, path, 1, out, err));
    text.data = NULL;
out:
    sl_buffer_release(&text);
    return status;
}

void sl_json_release(struct sl_json *json)
{
    json_decref(json->root);
    free(json->text);
    free(json->name);
    *json = (struct sl_json){0};
}

struct sl_json_cursor sl_json_root(const struct sl_json *document)
{
    return (struct sl_json_cursor){.document = document, .value = document->root};
}

static bool is_identifier(const char *key, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bool letter = (key[i] >= 'a' && key[i] <= 'z') || (key[i] >= 'A' && key[i] <= 'Z');
        bool digit = key[i] >= '0' && key[i] <= '9';
        if (!letter && key[i] != '_' && !(digit && i > 0)) return false;
    }
    return length > 0 && length <= KEY_SHOWN;
}

/* "$.screens[2].gamma"; a long path is cut at the front, since the mistake is at its end. */
static void append_path(const struct sl_json_cursor *at, struct sl_buffer *out)
{
    size_t count = 0;
    const struct sl_json_cursor **chain = sl_json_chain(at, &count);
    sl_buffer_text(out, "$");
    for (size_t i = 1; i < count; i++) {
        const char *key = chain[i]->key;
        char shown[SL_DESCRIBE_SIZE];
        if (!key)
            sl_buffer_printf(out, "[%zu]", chain[i]->index);
        else if (is_identifier(key, strlen(key)))
            sl_buffer_printf(out, ".%s", key);
        else
            sl_buffer_printf(out, "[%s]", sl_describe_text(key, strlen(key), shown));
    }
    free(chain);
    if (out->length <= PATH_SHOWN) return;
    size_t cut = out->length - PATH_SHOWN + 4; /* the replacement is not longer */
    while (((unsigned char)out->data[cut] & 0xC0) == 0x80)
        cut++;
    memcpy(out->data, "$...", 4);
    memmove(out->data + 4, out->data + cut, out->length - cut + 1);
    out->length -= cut - 4;
}

/* An error with the path of one place and the line of another, which may be a member of it. */
static enum sl_status fail_with_line(const struct sl_json_cursor *at,
                                     const struct sl_json_cursor *line_of, const char *message,
                                     struct sl_error *err)
{
    struct sl_buffer path;
    sl_buffer_init(&path, PATH_MAXIMUM);
    append_path(at, &path);
    enum sl_status status = sl_fail(err, SL_ERR_INPUT, "%s:%zu: %s: %s", at->document->name,
                                    sl_json_line(line_of), path.data, message);
    sl_buffer_release(&path);
    return status;
}

enum sl_status sl_json_fail(const struct sl_json_cursor *at, struct sl_error *err,
                            const char *format, ...)
{
    if (!err) return SL_ERR_INPUT;
    char message[sizeof err->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return fail_with_line(at, at, message, err);
}

/* The value at a place, for "got ...": numbers as written in the file. */
static const char *describe_value(const struct sl_json_cursor *at, char out[SL_DESCRIBE_SIZE])
{
    if (!at->value) return "nothing";
    size_t offset = 0, length = 0;
    switch (json_typeof(at->value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "an array";
    case JSON_TRUE: return "true";
    case JSON_FALSE: return "false";
    case JSON_NULL: return "null";
    case JSON_STRING:
        return sl_describe_text(json_string_value(at->value), json_string_length(at->value), out);
    case JSON_INTEGER:
    case JSON_REAL: break;
    }
    if (!sl_json_locate(at, &offset)) return "a number";
    length = sl_json_scalar_length(at->document, offset);
    snprintf(out, SL_DESCRIBE_SIZE, "%.*s", length < KEY_SHOWN ? (int)length : KEY_SHOWN,
             at->document->text + offset);
    return out;
}

enum sl_status sl_json_fail_type(const struct sl_json_cursor *at, const char *expected,
                                 struct sl_error *err)
{
    char found[SL_DESCRIBE_SIZE];
    return sl_json_fail(at, err, "expected %s, got %s", expected, describe_value(at, found));
}

enum sl_status sl_json_optional(const struct sl_json_cursor *object, const char *key,
                                struct sl_json_cursor *out, struct sl_error *err)
{
    if (!json_is_object(object->value)) return sl_json_fail_type(object, "an object", err);
    json_t *value = json_object_get(object->value, key);
    *out = (struct sl_json_cursor){.document = object->document,
                                   .parent = object,
                                   .key = key,
                                   .value = json_is_null(value) ? NULL : value};
    return SL_OK;
}

enum sl_status sl_json_member(const struct sl_json_cursor *object, const char *key,
                              struct sl_json_cursor *out, struct sl_error *err)
{
    if (!json_is_object(object->value)) return sl_json_fail_type(object, "an object", err);
    json_t *value = json_object_get(object->value, key);
    if (!value) return sl_json_fail(object, err, "missing key \"%s\"", key);
    *out = (struct sl_json_cursor){
        .document = object->document, .parent = object, .key = key, .value = value};
    return SL_OK;
}

struct sl_json_cursor sl_json_below(const struct sl_json_cursor *object, const char *key)
{
    return (struct sl_json_cursor){.document = object->document,
                                   .parent = object,
                                   .key = key,
                                   .value = json_object_get(object->value, key)};
}

enum sl_status sl_json_array_size(const struct sl_json_cursor *array, size_t *out,
                                  struct sl_error *err)
{
    if (!json_is_array(array->value)) return sl_json_fail_type(array, "an array", err);
    *out = json_array_size(array->value);
    return SL_OK;
}

struct sl_json_cursor sl_json_element(const struct sl_json_cursor *array, size_t index)
{
    assert(json_is_array(array->value) && index < json_array_size(array->value));
    return (struct sl_json_cursor){.document = array->document,
                                   .parent = array,
                                   .index = index,
                                   .value = json_array_get(array->value, index)};
}

enum sl_status sl_json_string(const struct sl_json_cursor *at, const char **out,
                              struct sl_error *err)
{
    if (!json_is_string(at->value)) return sl_json_fail_type(at, "a string", err);
    *out = json_string_value(at->value);
    return SL_OK;
}

enum sl_status sl_json_integer(const struct sl_json_cursor *at, int64_t minimum, int64_t maximum,
                               int64_t *out, struct sl_error *err)
{
    if (json_is_integer(at->value)) {
        int64_t value = json_integer_value(at->value);
        if (value >= minimum && value <= maximum) {
            *out = value;
            return SL_OK;
        }
    }
    char expected[SL_DESCRIBE_SIZE];
    return sl_json_fail_type(at, sl_describe_integers(minimum, maximum, expected), err);
}

enum sl_status sl_json_number(const struct sl_json_cursor *at, double minimum, double maximum,
                              double *out, struct sl_error *err)
{
    if (json_is_number(at->value)) {
        double value = json_number_value(at->value);
        if (value >= minimum && value <= maximum) {
            *out = value;
            return SL_OK;
        }
    }
    char expected[SL_DESCRIBE_SIZE];
    return sl_json_fail_type(at, sl_describe_reals(minimum, maximum, expected), err);
}

enum sl_status sl_json_boolean(const struct sl_json_cursor *at, bool *out, struct sl_error *err)
{
    if (!json_is_boolean(at->value)) return sl_json_fail_type(at, "true or false", err);
    *out = json_is_true(at->value);
    return SL_OK;
}

static bool is_listed(const char *key, const char *const *known)
{
    for (; *known; known++)
        if (strcmp(key, *known) == 0) return true;
    return false;
}

enum sl_status sl_json_only(const struct sl_json_cursor *object, const char *const *known,
                            struct sl_error *err)
{
    if (!json_is_object(object->value)) return sl_json_fail_type(object, "an object", err);
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(object->value, key, value)
    {
        if (is_listed(key, known)) continue;
        char shown[SL_DESCRIBE_SIZE], ending[SL_SUGGESTION_TEXT];
        char message[SL_DESCRIBE_SIZE + SL_SUGGESTION_TEXT];
        snprintf(message, sizeof message, "unknown key %s%s",
                 sl_describe_text(key, strlen(key), shown),
                 sl_text_suggestion(key, known, "", ending));
        struct sl_json_cursor member = {
            .document = object->document, .parent = object, .key = key, .value = value};
        return fail_with_line(object, &member, message, err);
    }
    return SL_OK;
}

/* Where json_dump_callback's pieces go. */
struct dump {
    struct sl_writer *writer;
    enum sl_status status;
    struct sl_error *err;
};

static int write_piece(const char *bytes, size_t length, void *context)
{
    struct dump *dump = context;
    dump->status = sl_writer_write(dump->writer, bytes, length, dump->err);
    return dump->status == SL_OK ? 0 : -1;
}

enum sl_status sl_json_write(const json_t *value, const char *path, struct sl_error *err)
{
    struct sl_writer writer;
    SL_TRY(sl_writer_open(&writer, path, err));
    struct dump dump = {&writer, SL_OK, err};
    int result = json_dump_callback(value, write_piece, &dump, JSON_INDENT(2) | JSON_ENCODE_ANY);
    enum sl_status status = dump.status;
    if (result != 0 && status == SL_OK)
        status = sl_fail(err, SL_ERR_BACKEND, "%s: jansson cannot write this value", path);
    if (status == SL_OK) status = sl_writer_write(&writer, "\n", 1, err);
    if (status == SL_OK) status = sl_writer_commit(&writer, err);
    sl_writer_discard(&writer);
    return status;
}
