/* JSON: whatever parses can be walked by cursors, and every value is found in the text
 * again, at bytes that begin such a value. */
#include <stdlib.h>
#include <string.h>

#include "base/json/internal.h"
#include "fuzz.h"
#include "softlab/base.h"

enum { DEPTH_LIMIT = 4096, VALUES_LIMIT = 2000 };

/* A container on the way down, and how far its walk has come. */
struct level {
    struct sl_json_cursor cursor;
    void *iterator; /* of objects */
    size_t next;    /* of arrays */
};

static bool begins(const json_t *value, char byte)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT: return byte == '{';
    case JSON_ARRAY: return byte == '[';
    case JSON_STRING: return byte == '"';
    case JSON_TRUE: return byte == 't';
    case JSON_FALSE: return byte == 'f';
    case JSON_NULL: return byte == 'n';
    case JSON_INTEGER:
    case JSON_REAL: return byte == '-' || (byte >= '0' && byte <= '9');
    }
    return false;
}

static void check_value(const struct sl_json_cursor *at)
{
    size_t offset = 0;
    struct sl_error err;
    const char *text = NULL;
    int64_t integer = 0;
    static const char *const known[] = {"classes", "screens", NULL};
    if (!sl_json_locate(at, &offset)) abort();
    if (offset >= at->document->length) abort();
    if (!begins(at->value, at->document->text[offset])) abort();
    if (sl_json_fail(at, &err, "here") != SL_ERR_INPUT) abort();
    if (strchr(err.message, '\n')) abort();
    if (sl_json_string(at, &text, &err) == SL_OK && !text) abort();
    if (sl_json_integer(at, 0, 1, &integer, &err) == SL_OK && integer > 1) abort();
    if (sl_json_only(at, known, &err) != SL_OK && strchr(err.message, '\n')) abort();
}

static bool next_child(struct level *level, struct sl_json_cursor *out)
{
    json_t *value = level->cursor.value;
    if (json_is_array(value)) {
        if (level->next == json_array_size(value)) return false;
        *out = sl_json_element(&level->cursor, level->next++);
        return true;
    }
    if (!level->iterator) return false;
    if (sl_json_member(&level->cursor, json_object_iter_key(level->iterator), out, NULL) != SL_OK)
        abort();
    level->iterator = json_object_iter_next(value, level->iterator);
    return true;
}

static void walk(const struct sl_json *json)
{
    struct level *levels = sl_alloc(DEPTH_LIMIT, sizeof *levels);
    size_t depth = 0, values = 0;
    struct sl_json_cursor at = sl_json_root(json);
    for (;;) {
        /* Locating is linear in the text, so all values of a large text are too many. */
        if (values++ < VALUES_LIMIT) check_value(&at);
        if (json_is_object(at.value) || json_is_array(at.value)) {
            if (depth == DEPTH_LIMIT) abort();
            levels[depth++] = (struct level){.cursor = at, .iterator = json_object_iter(at.value)};
        }
        while (depth > 0 && !next_child(&levels[depth - 1], &at))
            depth--;
        if (depth == 0) break;
    }
    free(levels);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct sl_json json;
    struct sl_error err;
    if (sl_json_parse((const char *)bytes, length, "fuzz", 1, &json, &err) != SL_OK) {
        if (strchr(err.message, '\n')) abort();
        return 0;
    }
    walk(&json);
    sl_json_release(&json);
    return 0;
}
