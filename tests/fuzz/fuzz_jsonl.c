/* answers.jsonl: our scanner and jansson agree on whether a line is JSON and on every value in
 * it; a line that is an answer is JSON, and is the same answer when written and read again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/answer_internal.h"
#include "answer/jsonl/jsonl.h"
#include "fuzz.h"
#include "softlab/base.h"

enum { OUTPUT_LIMIT = 64 << 20 };

static const char *const classes[] = {"cat", "dog", "\xC3\xA9lan"};
enum { N_CLASSES = sizeof classes / sizeof *classes };

/* Values as text that both readings must share: lengths before strings, all digits of reals. */
static void write_text(struct sl_buffer *out, char mark, const char *text, size_t length)
{
    sl_buffer_printf(out, "%c%zu:", mark, length);
    sl_buffer_append(out, text, length);
}

static void on_bracket(void *context, char bracket)
{
    sl_buffer_byte(context, bracket);
}

static void on_key(void *context, struct sl_field key)
{
    write_text(context, 'k', key.text, key.length);
}

static void on_string(void *context, struct sl_field text)
{
    write_text(context, 's', text.text, text.length);
}

static void on_number(void *context, const struct sl_scan_number *number)
{
    if (number->is_integer)
        sl_buffer_printf(context, "i%lld ", (long long)number->integer);
    else
        sl_buffer_printf(context, "r%a ", number->value);
}

static void write_tree(struct sl_buffer *out, json_t *value)
{
    const char *key = NULL;
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        sl_buffer_byte(out, '{');
        for (void *at = json_object_iter(value); at; at = json_object_iter_next(value, at)) {
            key = json_object_iter_key(at);
            write_text(out, 'k', key, strlen(key));
            write_tree(out, json_object_iter_value(at));
        }
        sl_buffer_byte(out, '}');
        break;
    case JSON_ARRAY:
        sl_buffer_byte(out, '[');
        for (size_t i = 0; i < json_array_size(value); i++)
            write_tree(out, json_array_get(value, i));
        sl_buffer_byte(out, ']');
        break;
    case JSON_STRING:
        write_text(out, 's', json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER: sl_buffer_printf(out, "i%lld ", json_integer_value(value)); break;
    case JSON_REAL: sl_buffer_printf(out, "r%a ", json_real_value(value)); break;
    case JSON_TRUE: sl_buffer_byte(out, 't'); break;
    case JSON_FALSE: sl_buffer_byte(out, 'f'); break;
    case JSON_NULL: sl_buffer_byte(out, 'n'); break;
    }
}

static void compare_values(const char *line, size_t length, json_t *tree)
{
    struct sl_scan scan = {0};
    struct sl_buffer ours, theirs;
    sl_buffer_init(&ours, OUTPUT_LIMIT);
    sl_buffer_init(&theirs, OUTPUT_LIMIT);
    const struct sl_scan_visitor visitor = {.open = on_bracket,
                                            .close = on_bracket,
                                            .key = on_key,
                                            .string = on_string,
                                            .number = on_number,
                                            .literal = on_bracket,
                                            .context = &ours};
    sl_scan_start(&scan, line, length);
    bool valid = sl_scan_walk(&scan, &visitor, 1) && sl_scan_finish(&scan);
    if (valid != (tree != NULL)) abort();
    if (scan.at < scan.begin || scan.at > scan.end) abort();
    if (tree) {
        write_tree(&theirs, tree);
        if (ours.length != theirs.length || memcmp(ours.data, theirs.data, ours.length) != 0)
            abort();
    }
    sl_buffer_release(&ours);
    sl_buffer_release(&theirs);
    sl_scan_release(&scan);
}

static void check_item(const struct sl_answer *answer, json_t *tree)
{
    const json_t *item = json_object_get(tree, "item");
    if (json_string_length(item) != answer->item.length) abort();
    if (memcmp(json_string_value(item), answer->item.text, answer->item.length) != 0) abort();
    const json_t *trial = json_object_get(tree, "trial");
    if (json_is_integer(trial) && json_integer_value(trial) != answer->trial) abort();
    const json_t *ms = json_object_get(tree, "ms");
    if (json_is_number(ms) && !(json_number_value(ms) == answer->ms)) abort();
}

static void check_record(const char *line, size_t length, json_t *tree,
                         const struct sl_name_table *names)
{
    struct sl_record first, second;
    struct sl_buffer once, twice;
    struct sl_error err;
    sl_record_init(&first, names);
    sl_record_init(&second, names);
    sl_buffer_init(&once, OUTPUT_LIMIT);
    sl_buffer_init(&twice, OUTPUT_LIMIT);
    bool accepted = sl_record_read(&first, line, length);
    if (accepted && !tree) abort();
    if (accepted) check_item(&first.answer, tree);
    if (accepted && first.answered) {
        if (sl_answer_check(&first.answer, N_CLASSES, &err) != SL_OK) abort();
        if (sl_answer_choice(&first.answer, N_CLASSES) >= N_CLASSES) abort();
        if (sl_jsonl_append_answer(&once, classes, N_CLASSES, &first.answer, &err) != SL_OK)
            abort();
        size_t written = once.length - 1;
        memset(sl_buffer_reserve(&once, SL_SCAN_PADDING), 0, SL_SCAN_PADDING);
        if (!sl_record_read(&second, once.data, written)) abort();
        if (sl_jsonl_append_answer(&twice, classes, N_CLASSES, &second.answer, &err) != SL_OK)
            abort();
        if (once.length != twice.length || memcmp(once.data, twice.data, once.length) != 0) abort();
    }
    if (!accepted && strchr(first.scan.problem, '\n')) abort();
    sl_buffer_release(&once);
    sl_buffer_release(&twice);
    sl_record_release(&first);
    sl_record_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const uint8_t *end = length > 0 ? memchr(bytes, '\n', length) : NULL;
    if (end) length = (size_t)(end - bytes);
    char *line = sl_alloc(length + 1 + SL_SCAN_PADDING, 1);
    if (length > 0) memcpy(line, bytes, length);
    line[length] = '\n';
    struct sl_name_table *names = sl_name_table_create();
    for (size_t i = 0; i < N_CLASSES; i++) {
        uint32_t number = 0;
        if (sl_name_table_add(names, classes[i], strlen(classes[i]), &number, NULL) != SL_OK)
            abort();
    }
    /* A NUL byte is never JSON, but jansson 2.14 overlooks one behind a number. */
    json_t *tree = NULL;
    if (!memchr(line, '\0', length))
        tree = json_loadb(line, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
    compare_values(line, length, tree);
    check_record(line, length, tree, names);
    json_decref(tree);
    sl_name_table_destroy(names);
    free(line);
    return 0;
}
