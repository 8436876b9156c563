#include <stdlib.h>
#include <string.h>

#include "answer/answer_internal.h"
#include "answer/jsonl/jsonl.h"
#include "softlab/base/memory.h"

static const char byte_order_mark[] = "\xEF\xBB\xBF";

static enum sl_status read_classes(struct sl_jsonl *jsonl, const struct sl_json_cursor *classes,
                                   struct sl_error *err)
{
    size_t count = 0;
    SL_TRY(sl_json_array_size(classes, &count, err));
    if (count == 0) return sl_json_fail(classes, err, "expected at least one class");
    jsonl->classes = sl_alloc(count + 1, sizeof *jsonl->classes);
    for (; jsonl->n_classes < count; jsonl->n_classes++) {
        struct sl_json_cursor at = sl_json_element(classes, jsonl->n_classes);
        const char *name = NULL;
        uint32_t number = 0;
        SL_TRY(sl_json_string(&at, &name, err));
        SL_TRY(sl_name_table_add(jsonl->class_names, name, strlen(name), &number, err));
        if (*name == '\0') return sl_json_fail(&at, err, "a class has an empty name");
        if (number != jsonl->n_classes)
            return sl_json_fail(&at, err, "two classes are called \"%.60s\"", name);
        jsonl->classes[jsonl->n_classes] = sl_string_copy(name);
    }
    return SL_OK;
}

static enum sl_status check_header(struct sl_jsonl *jsonl, const struct sl_json *json,
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
    return read_classes(jsonl, &at, err);
}

static enum sl_status read_header(struct sl_jsonl *jsonl, struct sl_error *err)
{
    struct sl_field line;
    struct sl_json json;
    SL_TRY(sl_lines_next(&jsonl->lines, &line, err));
    if (!line.text)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: empty, expected {\"softlab\":\"answers\",...} as its first line",
                       jsonl->path);
    if (line.length >= 3 && memcmp(line.text, byte_order_mark, 3) == 0)
        return sl_fail(err, SL_ERR_INPUT, "%s:1: begins with a byte order mark, expected '{'",
                       jsonl->path);
    SL_TRY(sl_json_parse(line.text, line.length, jsonl->path, 1, &json, err));
    enum sl_status status = check_header(jsonl, &json, err);
    sl_json_release(&json);
    return status;
}

enum sl_status sl_jsonl_open(const char *path, struct sl_jsonl **out, struct sl_error *err)
{
    struct sl_jsonl *jsonl = sl_alloc(1, sizeof *jsonl);
    enum sl_status status = SL_OK;
    jsonl->path = sl_string_copy(path);
    jsonl->class_names = sl_name_table_create();
    SL_TRY_OUT(sl_lines_open(&jsonl->lines, jsonl->path, err));
    SL_TRY_OUT(read_header(jsonl, err));
    sl_record_init(&jsonl->record, jsonl->class_names);
    *out = jsonl;
    jsonl = NULL;
out:
    sl_jsonl_close(jsonl);
    return status;
}

void sl_jsonl_close(struct sl_jsonl *jsonl)
{
    if (!jsonl) return;
    sl_lines_close(&jsonl->lines);
    sl_record_release(&jsonl->record);
    sl_names_destroy(jsonl->classes);
    sl_name_table_destroy(jsonl->class_names);
    free(jsonl->path);
    free(jsonl);
}

static enum sl_status fail_record(const struct sl_jsonl *jsonl, size_t length, struct sl_error *err)
{
    const struct sl_scan *scan = &jsonl->record.scan;
    if (length == 0)
        return sl_fail(err, SL_ERR_INPUT, "%s:%zu: empty line, expected an answer", jsonl->path,
                       jsonl->lines.number);
    return sl_fail(err, SL_ERR_INPUT, "%s:%zu: column %zu: %s", jsonl->path, jsonl->lines.number,
                   (size_t)(scan->at - scan->begin) + 1, scan->problem);
}

enum sl_status sl_jsonl_next(struct sl_jsonl *jsonl, struct sl_import_notes *notes,
                             const struct sl_answer **out, struct sl_error *err)
{
    for (;;) {
        struct sl_field line;
        SL_TRY(sl_lines_next(&jsonl->lines, &line, err));
        if (!line.text) {
            *out = NULL;
            return SL_OK;
        }
        if (!sl_record_read(&jsonl->record, line.text, line.length))
            return fail_record(jsonl, line.length, err);
        if (notes) notes->n_read++;
        if (jsonl->record.answered) {
            *out = &jsonl->record.answer;
            return SL_OK;
        }
        sl_notes_skip(notes, jsonl->path, jsonl->lines.number, "the answer names no class");
    }
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
            if (seen_at[annotator] == item + 1)
                sl_notes_duplicate(notes, path, answer.item.text, answer.annotator.text);
            seen_at[annotator] = item + 1;
        }
    }
    enum sl_status status = seen_at ? SL_OK : SL_ERR_NOMEM;
    free(seen_at);
    sl_item_index_release(&index);
    return status;
}

enum sl_status sl_answers_read(const char *path, struct sl_answers **out,
                               struct sl_import_notes *notes, struct sl_error *err)
{
    struct sl_jsonl *jsonl = NULL;
    struct sl_answers *answers = NULL;
    const struct sl_answer *answer = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_jsonl_open(path, &jsonl, err));
    SL_TRY_OUT(
        sl_answers_create((const char *const *)jsonl->classes, jsonl->n_classes, &answers, err));
    for (;;) {
        SL_TRY_OUT(sl_jsonl_next(jsonl, notes, &answer, err));
        if (!answer) break;
        SL_TRY_OUT(sl_answers_add(answers, answer, err));
    }
    if (notes) SL_TRY_OUT(sl_answers_note_duplicates(answers, path, notes, err));
    *out = answers;
    answers = NULL;
out:
    sl_answers_destroy(answers);
    sl_jsonl_close(jsonl);
    return status;
}
