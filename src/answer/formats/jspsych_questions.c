/* The screen of collins2022: the most probable class with its probability, the second one or none,
 * and classes that are definitely impossible.
 *
 * If a text is not a number, the probability is unknown, the text is kept, and the answer counts as
 * mended. A number out of range is kept as typed. A screen without a top class is skipped and
 * counted; an unknown class stops the import. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/formats/jspsych_log.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

static const char top_prefix[] = "mostProb";
static const char second_prefix[] = "secondProb";
static const char impossible_prefix[] = "improbClassSelect";
static const char no_second[] = "No";

/* A row of the log while it is turned into an answer. */
struct screen_row {
    struct sl_import *import;
    const char *path;
    size_t line;
    struct sl_belief top[2];
    uint32_t *impossible; /* owned; n_classes */
};

/* The class after `prefix`, borrowed; NULL if the member is absent, empty or not of that form. */
static enum sl_status choice(const struct sl_json_cursor *response, const char *key,
                             const char *prefix, const char **out, struct sl_error *err)
{
    struct sl_json_cursor at;
    const char *text = NULL;
    *out = NULL;
    SL_TRY(sl_json_optional(response, key, &at, err));
    if (!at.value) return SL_OK;
    SL_TRY(sl_json_string(&at, &text, err));
    if (text[0] == '\0') return SL_OK;
    if (strncmp(text, prefix, strlen(prefix)) != 0)
        return sl_json_fail(&at, err, "expected \"%s<class>\", got \"%s\"", prefix, text);
    *out = text + strlen(prefix);
    return SL_OK;
}

static struct sl_field without_blanks(struct sl_field text)
{
    for (; text.length > 0 && text.text[0] == ' '; text.length--)
        text.text++;
    while (text.length > 0 && text.text[text.length - 1] == ' ')
        text.length--;
    return text;
}

static enum sl_status probability(struct screen_row *row, const struct sl_json_cursor *response,
                                  const char *key, bool asked, struct sl_field *raw, float *out,
                                  struct sl_error *err)
{
    struct sl_json_cursor at;
    const char *text = "";
    SL_TRY(sl_json_optional(response, key, &at, err));
    if (at.value) SL_TRY(sl_json_string(&at, &text, err));
    *raw = sl_field_of(text);
    const struct sl_field number = without_blanks(*raw);
    double percent = (double)NAN;
    if (!sl_text_to_real(number.text, number.length, &percent) || fabs(percent) > (double)FLT_MAX) {
        percent = (double)NAN;
        if (number.length > 0 && asked)
            sl_import_mend(row->import, "%s:%zu: %s \"%s\" is not a number; read as not given",
                           row->path, row->line, key, text);
    }
    *out = sl_from_percent(percent);
    return SL_OK;
}

static enum sl_status read_impossible(struct screen_row *row, const struct sl_json_cursor *response,
                                      struct sl_answer *answer, struct sl_error *err)
{
    const size_t length = strlen(impossible_prefix);
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(response->value, key, value)
    {
        if (strncmp(key, impossible_prefix, length) != 0) continue;
        /* Keys are distinct, and so are their names; only numbers could make two keys name one
         * class. */
        if (answer->n_impossible == sl_import_class_count(row->import)) break;
        uint32_t *class_index = &row->impossible[answer->n_impossible];
        SL_TRY(sl_import_class(row->import, key + length, strlen(key + length), class_index, err));
        answer->n_impossible++;
    }
    answer->impossible = row->impossible;
    return SL_OK;
}

/* The answer, or `n_top` 0 if there is no top class. */
static enum sl_status read_response(struct screen_row *row, const struct sl_json *document,
                                    struct sl_answer *answer, struct sl_error *err)
{
    const struct sl_json_cursor response = sl_json_root(document);
    const char *first = NULL, *second = NULL;
    answer->kind = SL_ANSWER_SOFT;
    answer->top = row->top;
    SL_TRY(choice(&response, "classSelect", top_prefix, &first, err));
    SL_TRY(choice(&response, "classSelect2", second_prefix, &second, err));
    if (!first) return SL_OK;
    if (second && strcmp(second, no_second) == 0) second = NULL;
    SL_TRY(sl_at_line(
        sl_import_class(row->import, first, strlen(first), &row->top[0].class_index, err),
        row->path, row->line, err));
    SL_TRY(
        probability(row, &response, "prob", true, &answer->raw[0], &row->top[0].probability, err));
    SL_TRY(probability(row, &response, "prob2", second != NULL, &answer->raw[1],
                       &row->top[1].probability, err));
    answer->n_top = 1;
    if (second) {
        SL_TRY(sl_at_line(
            sl_import_class(row->import, second, strlen(second), &row->top[1].class_index, err),
            row->path, row->line, err));
        answer->n_top = 2;
    }
    return sl_at_line(read_impossible(row, &response, answer, err), row->path, row->line, err);
}

static enum sl_status import_row(struct screen_row *row, struct sl_field text,
                                 struct sl_answer *answer, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct sl_json document = {0};
    if (text.length > 0) {
        SL_TRY_OUT(sl_json_parse(text.text, text.length, row->path, row->line, &document, err));
        SL_TRY_OUT(read_response(row, &document, answer, err));
    }
    if (answer->n_top == 0)
        sl_import_skip(row->import, "%s:%zu: the answer names no class", row->path, row->line);
    else
        status = sl_at_line(sl_import_put(row->import, answer, err), row->path, row->line, err);
out:
    sl_json_release(&document);
    return status;
}

/* "1128.0", as data frames write whole numbers in columns with gaps, is item 1128. */
static struct sl_field without_point_zero(struct sl_field text)
{
    if (text.length > 2 && memcmp(text.text + text.length - 2, ".0", 2) == 0) text.length -= 2;
    return text;
}

struct question_columns {
    size_t response, item, truth;
};

static enum sl_status find_columns(const struct sl_question_log *log, const struct sl_csv *csv,
                                   struct question_columns *out, struct sl_error *err)
{
    struct question_columns columns = {.item = SIZE_MAX, .truth = SIZE_MAX};
    SL_TRY(sl_csv_column(csv, "response", &columns.response, err));
    if (log->item_column) SL_TRY(sl_csv_column(csv, log->item_column, &columns.item, err));
    if (log->truth_column) SL_TRY(sl_csv_column(csv, log->truth_column, &columns.truth, err));
    *out = columns;
    return SL_OK;
}

static enum sl_status import_log(const struct sl_question_log *log, struct sl_jspsych_log *screens,
                                 struct screen_row *row, struct sl_error *err)
{
    struct question_columns columns;
    SL_TRY(find_columns(log, screens->csv, &columns, err));
    row->path = screens->path;
    for (;;) {
        struct sl_csv_record record = {0};
        struct sl_answer answer;
        SL_TRY(sl_jspsych_log_next(screens, &record, &answer, err));
        if (record.count == 0) return SL_OK;
        row->line = record.line;
        if (log->item_column) answer.item = without_point_zero(record.fields[columns.item]);
        if (answer.item.length == 0)
            return sl_csv_fail(screens->csv, record.line, err, "column %s is empty",
                               log->item_column);
        struct sl_field label = sl_column_text(&record, columns.truth);
        uint32_t truth = 0;
        if (label.length > 0) {
            SL_TRY(sl_at_line(sl_import_class(row->import, label.text, label.length, &truth, err),
                              row->path, row->line, err));
            answer.truth = (int32_t)truth;
        }
        SL_TRY(import_row(row, record.fields[columns.response], &answer, err));
    }
}

enum sl_status sl_import_questions(const struct sl_question_log *log, const char *const *paths,
                                   size_t n_paths, const struct sl_import_options *options,
                                   const struct sl_answer_sink *sink, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct sl_import import;
    struct sl_jspsych_log screens;
    struct screen_row row = {.import = &import};
    sl_import_init(&import, options, sink);
    sl_jspsych_log_init(&screens);
    SL_TRY_OUT(sl_import_begin(&import, sl_cifar10_class_titles, err));
    row.impossible = sl_alloc(sl_import_class_count(&import), sizeof *row.impossible);
    for (size_t i = 0; i < n_paths; i++) {
        SL_TRY_OUT(sl_jspsych_log_open(&screens, paths[i], err));
        SL_TRY_OUT(import_log(log, &screens, &row, err));
    }
    status = sl_import_finish(&import, paths[0], err);
out:
    free(row.impossible);
    sl_jspsych_log_release(&screens);
    sl_import_release(&import);
    return status;
}
