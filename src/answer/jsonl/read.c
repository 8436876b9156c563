#include <stdlib.h>
#include <string.h>

#include "answer/answer_internal.h"
#include "answer/jsonl/jsonl.h"
#include "softlab/base/memory.h"

static const char byte_order_mark[] = "\xEF\xBB\xBF";

static enum sl_status fail_long(const char *path, size_t line, struct sl_error *err)
{
    return sl_fail(err, SL_ERR_INPUT, "%s:%zu: line is longer than %d bytes", path, line,
                   SL_LINE_LIMIT);
}

static enum sl_status read_classes(struct sl_jsonl_head *head, const struct sl_json_cursor *classes,
                                   struct sl_error *err)
{
    size_t count = 0;
    SL_TRY(sl_json_array_size(classes, &count, err));
    if (count == 0) return sl_json_fail(classes, err, "expected at least one class");
    head->classes = sl_alloc(count + 1, sizeof *head->classes);
    for (; head->n_classes < count; head->n_classes++) {
        struct sl_json_cursor at = sl_json_element(classes, head->n_classes);
        const char *name = NULL;
        uint32_t number = 0;
        SL_TRY(sl_json_string(&at, &name, err));
        SL_TRY(sl_name_table_add(head->class_names, name, strlen(name), &number, err));
        if (*name == '\0') return sl_json_fail(&at, err, "a class has an empty name");
        if (number != head->n_classes)
            return sl_json_fail(&at, err, "two classes are called \"%.60s\"", name);
        head->classes[head->n_classes] = sl_string_copy(name);
    }
    return SL_OK;
}

static enum sl_status check_header(struct sl_jsonl_head *head, const struct sl_json *json,
                                   struct sl_error *err)
{
    static const char *const known[] = {"softlab", "version", "classes", NULL};
    const struct sl_json_cursor root = sl_json_root(json);
    struct sl_json_cursor at;
    const char *format = NULL;
    int64_t version = 0;
    SL_TRY(sl_json_member(&root, "softlab", &at, err));
    SL_TRY(sl_json_string(&at, &format, err));
    if (strcmp(format, "answers") != 0)
        return sl_json_fail(&at, err, "expected \"answers\", got \"%.60s\"", format);
    SL_TRY(sl_json_member(&root, "version", &at, err));
    SL_TRY(sl_json_integer(&at, 1, 1, &version, err));
    SL_TRY(sl_json_only(&root, known, err));
    SL_TRY(sl_json_member(&root, "classes", &at, err));
    return read_classes(head, &at, err);
}

enum sl_status sl_jsonl_head_read(struct sl_jsonl_head *head, const char *path,
                                  const struct sl_line_block *first, struct sl_error *err)
{
    const char *end = first->length > 0 ? memchr(first->bytes, '\n', first->length) : NULL;
    const size_t length = end ? (size_t)(end - first->bytes) : first->length;
    struct sl_json json;
    *head = (struct sl_jsonl_head){.class_names = sl_name_table_create()};
    if (first->length == 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: empty, expected {\"softlab\":\"answers\",...} as its first line", path);
    if (length > SL_LINE_LIMIT) return fail_long(path, 1, err);
    if (length >= 3 && memcmp(first->bytes, byte_order_mark, 3) == 0)
        return sl_fail(err, SL_ERR_INPUT, "%s:1: begins with a byte order mark, expected '{'",
                       path);
    SL_TRY(sl_json_parse(first->bytes, length, path, 1, &json, err));
    enum sl_status status = check_header(head, &json, err);
    sl_json_release(&json);
    return status;
}

void sl_jsonl_head_release(struct sl_jsonl_head *head)
{
    sl_names_destroy(head->classes);
    sl_name_table_destroy(head->class_names);
    *head = (struct sl_jsonl_head){0};
}

static enum sl_status fail_record(const struct sl_jsonl_cursor *cursor, size_t length,
                                  struct sl_error *err)
{
    const struct sl_scan *scan = &cursor->record->scan;
    if (length == 0)
        return sl_fail(err, SL_ERR_INPUT, "%s:%zu: empty line, expected an answer", cursor->path,
                       cursor->line);
    return sl_fail(err, scan->exhausted ? SL_ERR_NOMEM : SL_ERR_INPUT, "%s:%zu: column %zu: %s",
                   cursor->path, cursor->line, (size_t)(scan->at - scan->begin) + 1, scan->problem);
}

/* The length of the line that begins at `at`. */
static size_t line_length(const char *at, const char *end)
{
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return (size_t)((found ? found : end) - at);
}

void sl_jsonl_cursor_init(struct sl_jsonl_cursor *cursor, const char *path,
                          const struct sl_line_block *block, struct sl_record *record)
{
    *cursor = (struct sl_jsonl_cursor){.path = path,
                                       .record = record,
                                       .at = block->bytes,
                                       .end = block->bytes + block->length,
                                       .line = block->before};
    if (!block->first) return;
    cursor->at += line_length(cursor->at, cursor->end);
    if (cursor->at < cursor->end) cursor->at++;
    cursor->line++;
}

enum sl_status sl_jsonl_cursor_next(struct sl_jsonl_cursor *cursor, bool *more,
                                    struct sl_error *err)
{
    *more = cursor->at < cursor->end;
    if (!*more) return SL_OK;
    const size_t length = line_length(cursor->at, cursor->end);
    const char *line = cursor->at;
    cursor->line++;
    if (length > SL_LINE_LIMIT) return fail_long(cursor->path, cursor->line, err);
    if (!sl_record_read(cursor->record, line, length)) return fail_record(cursor, length, err);
    cursor->at += length;
    if (cursor->at < cursor->end) cursor->at++;
    return SL_OK;
}

/* Count answers by the same person to the same item that are not marked as repeats. */
enum sl_status sl_answers_note_duplicates(const struct sl_answers *answers, const char *path,
                                          struct sl_import_notes *notes, struct sl_error *err)
{
    const size_t n_items = sl_name_table_count(answers->items);
    struct sl_item_index index;
    SL_TRY(sl_item_index_create(answers, &index, err));
    size_t *seen_at = sl_data_alloc(sl_name_table_count(answers->annotators), sizeof *seen_at, err);
    if (seen_at) memset(seen_at, 0, sl_name_table_count(answers->annotators) * sizeof *seen_at);
    for (size_t item = 0; item < n_items && seen_at; item++) {
        for (size_t i = index.begin[item]; i < index.begin[item + 1]; i++) {
            struct sl_answer answer;
            const uint32_t annotator = answers->annotator[index.order[i]];
            sl_answers_get(answers, index.order[i], &answer);
            if (annotator == SL_NO_NAME || answer.flags & (SL_ANSWER_REPEAT | SL_ANSWER_SECOND_RUN))
                continue;
            const bool again = seen_at[annotator] > 2 * item;
            if (again)
                sl_notes_duplicate(notes, path, answer.item.text, answer.annotator.text,
                                   seen_at[annotator] == 2 * item + 2);
            seen_at[annotator] = 2 * item + 1 + again; /* once, or more often */
        }
    }
    enum sl_status status = seen_at ? SL_OK : SL_ERR_NOMEM;
    free(seen_at);
    sl_item_index_release(&index);
    return status;
}
