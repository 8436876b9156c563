/* Import and export of hard answers.
 *
 * On import the classes are known only at the end of a file, but the sink needs them first. So the
 * file is read twice, the first time for the classes only, unless the user named them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/answer_internal.h"
#include "answer/classes.h"
#include "answer/formats/format.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

struct sl_hard_pass {
    struct sl_import import;
    struct sl_name_table *found; /* owned; the first pass's classes, NULL in the second */
};

struct sl_import *sl_hard_pass_import(struct sl_hard_pass *pass)
{
    return &pass->import;
}

bool sl_hard_pass_collects(const struct sl_hard_pass *pass)
{
    return pass->found != NULL;
}

enum sl_status sl_hard_pass_collect(struct sl_hard_pass *pass, struct sl_field name,
                                    struct sl_error *err)
{
    uint32_t index = 0;
    SL_TRY(sl_name_table_add(pass->found, name.text, name.length, &index, err));
    if (index >= SL_MOST_CLASSES)
        return sl_fail(err, SL_ERR_INPUT,
                       "more than %d classes; is the right column read as labels?",
                       SL_MOST_CLASSES);
    return SL_OK;
}

enum sl_status sl_answer_measures(struct sl_field ms, struct sl_field confidence,
                                  struct sl_answer *answer, struct sl_error *err)
{
    double value = 0;
    if (ms.length) {
        if (!sl_text_to_real(ms.text, ms.length, &value) || !(value >= 0 && value <= SL_LONGEST_MS))
            return sl_fail(err, SL_ERR_INPUT, "ms \"%.*s\" is not a number from 0 to %g",
                           sl_field_shown(ms), ms.text, SL_LONGEST_MS);
        answer->ms = value;
    }
    if (confidence.length) {
        if (!sl_text_to_real(confidence.text, confidence.length, &value) ||
            !(value >= 0 && value <= 1))
            return sl_fail(
                err, SL_ERR_INPUT,
                "confidence \"%.*s\" is not a number from 0 to 1; correct it, or leave it "
                "out with --columns item,worker,label",
                sl_field_shown(confidence), confidence.text);
        answer->mix.confidence = (float)value;
    }
    return SL_OK;
}

/* What all hard answers have in common. */
static struct sl_answer hard_answer(const struct sl_hard_row *row, const struct sl_belief *belief)
{
    struct sl_answer answer = sl_answer_empty();
    answer.item = row->item;
    answer.annotator = row->annotator;
    answer.kind = SL_ANSWER_HARD;
    answer.n_top = 1;
    answer.top = belief;
    return answer;
}

bool sl_hard_row_answer(const struct sl_import *import, const struct sl_hard_row *row,
                        struct sl_belief *belief, struct sl_answer *out)
{
    *out = hard_answer(row, belief);
    *belief = (struct sl_belief){.class_index = sl_import_find_class(import, row->label),
                                 .probability = NAN};
    const uint32_t truth = row->truth.length ? sl_import_find_class(import, row->truth) : 0;
    if (row->truth.length) out->truth = (int32_t)truth;
    return belief->class_index != SL_NO_NAME && truth != SL_NO_NAME &&
           sl_answer_measures(row->ms, row->confidence, out, NULL) == SL_OK;
}

enum sl_status sl_hard_row_put(struct sl_hard_pass *pass, const struct sl_hard_row *row,
                               struct sl_error *err)
{
    if (pass->found) {
        SL_TRY(sl_hard_pass_collect(pass, row->label, err));
        return row->truth.length ? sl_hard_pass_collect(pass, row->truth, err) : SL_OK;
    }
    struct sl_belief belief = {.probability = NAN};
    struct sl_answer answer = hard_answer(row, &belief);
    uint32_t truth = 0;
    const struct sl_field label = row->label, gold = row->truth;
    SL_TRY(sl_import_class(&pass->import, label.text, label.length, &belief.class_index, err));
    if (gold.length) {
        SL_TRY(sl_import_class(&pass->import, gold.text, gold.length, &truth, err));
        answer.truth = (int32_t)truth;
    }
    SL_TRY(sl_answer_measures(row->ms, row->confidence, &answer, err));
    return sl_import_put(&pass->import, &answer, err);
}

static enum sl_status collect_labels(struct sl_hard_pass *pass, const struct sl_field *labels,
                                     size_t n_labels, struct sl_error *err)
{
    for (size_t i = 0; i < n_labels; i++)
        SL_TRY(sl_hard_pass_collect(pass, labels[i], err));
    return SL_OK;
}

/* The classes of several labels, each once. */
static enum sl_status find_labels(const struct sl_import *import, const struct sl_field *labels,
                                  size_t n_labels, struct sl_belief *out, struct sl_error *err)
{
    for (size_t i = 0; i < n_labels; i++) {
        out[i].probability = NAN;
        SL_TRY(sl_import_class(import, labels[i].text, labels[i].length, &out[i].class_index, err));
        for (size_t before = 0; before < i; before++)
            if (out[before].class_index == out[i].class_index)
                return sl_fail(err, SL_ERR_INPUT, "the answer names class \"%.*s\" twice",
                               sl_field_shown(labels[i]), labels[i].text);
    }
    return SL_OK;
}

enum sl_status sl_chosen_row_put(struct sl_hard_pass *pass, const struct sl_hard_row *row,
                                 const struct sl_field *labels, size_t n_labels,
                                 struct sl_error *err)
{
    struct sl_hard_row first = *row;
    first.label = labels[0];
    if (pass->found) SL_TRY(collect_labels(pass, labels, n_labels, err));
    if (pass->found || n_labels == 1) return sl_hard_row_put(pass, &first, err);
    if (n_labels > sl_import_class_count(&pass->import))
        return sl_fail(err, SL_ERR_INPUT, "the answer names %zu classes, there are %zu", n_labels,
                       sl_import_class_count(&pass->import));
    struct sl_belief *top = sl_alloc(n_labels, sizeof *top);
    struct sl_answer answer = hard_answer(row, top);
    uint32_t truth = 0;
    enum sl_status status = SL_OK;
    answer.kind = SL_ANSWER_SELECT;
    answer.n_top = n_labels;
    SL_TRY_OUT(find_labels(&pass->import, labels, n_labels, top, err));
    if (row->truth.length) {
        SL_TRY_OUT(sl_import_class(&pass->import, row->truth.text, row->truth.length, &truth, err));
        answer.truth = (int32_t)truth;
    }
    SL_TRY_OUT(sl_answer_measures(row->ms, row->confidence, &answer, err));
    SL_TRY_OUT(sl_import_put(&pass->import, &answer, err));
out:
    free(top);
    return status;
}

static enum sl_status read_paths(const struct sl_hard_reader *reader, const char *const *paths,
                                 size_t n_paths, struct sl_hard_pass *pass, struct sl_error *err)
{
    for (size_t i = 0; i < n_paths; i++)
        SL_TRY(reader->read(paths[i], reader->settings, pass, err));
    return SL_OK;
}

enum sl_status sl_import_hard(const struct sl_hard_reader *reader, const char *const *paths,
                              size_t n_paths, const struct sl_import_options *options,
                              const struct sl_answer_sink *sink, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct sl_hard_pass pass = {0};
    struct sl_name_table *found = NULL;
    char **classes = NULL;
    sl_import_init(&pass.import, options, sink);
    if (!options || !options->classes) {
        found = pass.found = sl_name_table_create();
        pass.import.quiet = true;
        SL_TRY_OUT(read_paths(reader, paths, n_paths, &pass, err));
        pass.import.quiet = false;
        pass.found = NULL;
        if (sl_name_table_count(found) == 0)
            SL_TRY_OUT(sl_import_finish(&pass.import, paths[0], err));
        classes = sl_classes_of(found, true);
    }
    SL_TRY_OUT(sl_import_begin_found(&pass.import, paths, n_paths, classes, err));
    SL_TRY_OUT(read_paths(reader, paths, n_paths, &pass, err));
    status = sl_import_finish(&pass.import, paths[0], err);
out:
    sl_names_destroy(classes);
    sl_name_table_destroy(found);
    sl_import_release(&pass.import);
    return status;
}

enum sl_status sl_export_kind(const struct sl_answer *answer, size_t index,
                              enum sl_answer_kind kind, const char *format, struct sl_error *err)
{
    if (answer->kind == kind) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT,
                   "answer %zu (item %.*s) is of kind \"%s\", but %s can hold only %s answers; "
                   "answers-csv holds every kind",
                   index + 1, sl_field_shown(answer->item), answer->item.text,
                   sl_answer_kind_names[answer->kind], format, sl_answer_kind_names[kind]);
}

enum sl_status sl_hard_export_get(const struct sl_hard_export *export, size_t index,
                                  struct sl_answer *out, bool *keep, struct sl_error *err)
{
    sl_answers_get(export->answers, index, out);
    *keep = !(out->flags & (SL_ANSWER_CHECK | SL_ANSWER_REPEAT | SL_ANSWER_SECOND_RUN));
    if (!*keep) {
        if (export->notes) export->notes->n_skipped++;
        return SL_OK;
    }
    SL_TRY(sl_export_kind(out, index, SL_ANSWER_HARD, export->format, err));
    if (export->annotators && out->annotator.length == 0)
        return sl_fail(
            err, SL_ERR_INPUT, "answer %zu (item %s) has no annotator, but %s needs one", index + 1,
            sl_name_table_get(export->answers->items, export->answers->item[index], NULL),
            export->format);
    return SL_OK;
}

enum sl_status sl_hard_export_row(const struct sl_hard_export *export,
                                  const struct sl_item_index *index, size_t item, int64_t *row,
                                  struct sl_error *err)
{
    const struct sl_answers *answers = export->answers;
    for (size_t i = 0; i < sl_name_table_count(answers->annotators); i++)
        row[i] = -1;
    for (size_t at = index->begin[item]; at < index->begin[item + 1]; at++) {
        struct sl_answer answer;
        bool keep = false;
        SL_TRY(sl_hard_export_get(export, index->order[at], &answer, &keep, err));
        if (!keep) continue;
        uint32_t annotator = answers->annotator[index->order[at]];
        if (row[annotator] >= 0)
            return sl_fail(err, SL_ERR_INPUT,
                           "annotator %s answered item %s twice, but %s can hold only one answer",
                           sl_name_table_get(answers->annotators, annotator, NULL),
                           sl_name_table_get(answers->items, (uint32_t)item, NULL), export->format);
        row[annotator] = answer.top[0].class_index;
    }
    return SL_OK;
}

/* The number that a name is, written without leading zeros, or SIZE_MAX. */
static size_t number_of(const struct sl_name_table *names, uint32_t index)
{
    size_t length = 0;
    int64_t number = 0;
    const char *name = sl_name_table_get(names, index, &length);
    if (!sl_text_to_integer(name, length, &number) || number < 0) return SIZE_MAX;
    return length > 1 && (name[0] == '0' || name[0] == '-') ? SIZE_MAX : (size_t)number;
}

enum sl_status sl_matrix_order(const struct sl_name_table *names, uint32_t **out, size_t *count,
                               struct sl_error *err)
{
    const size_t n_names = sl_name_table_count(names);
    const size_t farthest = n_names < SIZE_MAX / 32 ? 20 * n_names + 1000 : n_names;
    size_t n_places = 0;
    bool numbers = true;
    for (uint32_t i = 0; i < n_names && numbers; i++) {
        size_t number = number_of(names, i);
        numbers = number < farthest;
        if (numbers && number >= n_places) n_places = number + 1;
    }
    if (!numbers) n_places = n_names;
    uint32_t *order = sl_data_alloc(n_places, sizeof *order, err);
    if (!order) return SL_ERR_NOMEM;
    for (size_t i = 0; i < n_places; i++)
        order[i] = SL_NO_NAME;
    for (uint32_t i = 0; i < n_names; i++)
        order[numbers ? number_of(names, i) : i] = i;
    *out = order;
    *count = n_places;
    return SL_OK;
}

bool sl_classes_are_numbers(const struct sl_answers *answers)
{
    for (size_t i = 0; i < answers->n_classes; i++) {
        int64_t value = 0;
        if (!sl_text_to_integer(answers->classes[i], strlen(answers->classes[i]), &value))
            return false;
    }
    return true;
}
