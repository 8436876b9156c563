/* cifar10s-json: {"<item>": [{"Most Probable Class": ..., ...}, ...]}, the release of CIFAR-10S. It
 * does not name annotators and does not mark repeats (498 of its 6,723 answers).
 *
 * An unknown class, or a probability that is neither a number nor null, stops the import with its
 * path. Numbers out of range are kept as given. null for the top class is an answer without a
 * class, skipped and counted; an item with [] is counted. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/formats/format.h"
#include "softlab/base/memory.h"

static const char top_key[] = "Most Probable Class";
static const char top_probability_key[] = "Most Probable Class Prob";
static const char second_key[] = "Second Most Probable Class";
static const char second_probability_key[] = "Second Most Probable Class Prob";
static const char impossible_key[] = "Impossible Class(es)";
static const char no_second[] = "No";
static const size_t largest_file = (size_t)1 << 30;

struct release {
    struct sl_import import;
    struct sl_belief top[2];
    uint32_t *impossible; /* owned; n_classes */
};

static enum sl_status read_class(const struct sl_import *import, const struct sl_json_cursor *at,
                                 uint32_t *out, struct sl_error *err)
{
    const char *name = NULL;
    struct sl_error unknown;
    SL_TRY(sl_json_string(at, &name, err));
    if (sl_import_class(import, name, strlen(name), out, &unknown) == SL_OK) return SL_OK;
    return sl_json_fail(at, err, "%s", unknown.message);
}

static enum sl_status read_probability(const struct sl_json_cursor *answer, const char *key,
                                       float *out, struct sl_error *err)
{
    struct sl_json_cursor at;
    double percent = (double)NAN;
    SL_TRY(sl_json_optional(answer, key, &at, err));
    /* The range of float: a value out of 0-100 is a slip of the annotator, infinity would be
     * ours. */
    if (at.value) SL_TRY(sl_json_number(&at, -(double)FLT_MAX, (double)FLT_MAX, &percent, err));
    *out = sl_from_percent(percent);
    return SL_OK;
}

static enum sl_status read_impossible(struct release *release, const struct sl_json_cursor *from,
                                      struct sl_answer *answer, struct sl_error *err)
{
    struct sl_json_cursor list;
    size_t count = 0;
    answer->impossible = release->impossible;
    SL_TRY(sl_json_optional(from, impossible_key, &list, err));
    if (!list.value) return SL_OK;
    SL_TRY(sl_json_array_size(&list, &count, err));
    if (count > sl_import_class_count(&release->import))
        return sl_json_fail(&list, err, "lists %zu impossible classes, expected at most %zu", count,
                            sl_import_class_count(&release->import));
    for (size_t i = 0; i < count; i++) {
        const struct sl_json_cursor at = sl_json_element(&list, i);
        SL_TRY(read_class(&release->import, &at, &release->impossible[i], err));
    }
    answer->n_impossible = count;
    return SL_OK;
}

static enum sl_status read_top(struct release *release, const struct sl_json_cursor *from,
                               struct sl_answer *answer, struct sl_error *err)
{
    struct sl_json_cursor at;
    answer->n_top = 0;
    answer->top = release->top;
    SL_TRY(sl_json_optional(from, top_key, &at, err));
    if (!at.value) return SL_OK;
    SL_TRY(read_class(&release->import, &at, &release->top[0].class_index, err));
    SL_TRY(read_probability(from, top_probability_key, &release->top[0].probability, err));
    answer->n_top = 1;
    SL_TRY(sl_json_optional(from, second_key, &at, err));
    if (!at.value) return SL_OK;
    if (json_is_string(at.value) && strcmp(json_string_value(at.value), no_second) == 0)
        return SL_OK;
    SL_TRY(read_class(&release->import, &at, &release->top[1].class_index, err));
    SL_TRY(read_probability(from, second_probability_key, &release->top[1].probability, err));
    answer->n_top = 2;
    return SL_OK;
}

static enum sl_status put_item(struct release *release, const struct sl_json_cursor *item,
                               struct sl_error *err)
{
    size_t count = 0;
    SL_TRY(sl_json_array_size(item, &count, err));
    if (count == 0)
        sl_import_empty_item(&release->import, "%s: item %s has no answers", item->document->name,
                             item->key);
    for (size_t i = 0; i < count; i++) {
        const struct sl_json_cursor at = sl_json_element(item, i);
        struct sl_answer answer = sl_answer_empty();
        answer.item = sl_field_of(item->key);
        answer.kind = SL_ANSWER_SOFT;
        SL_TRY(read_top(release, &at, &answer, err));
        SL_TRY(read_impossible(release, &at, &answer, err));
        if (answer.n_top == 0)
            sl_import_skip(&release->import, "%s: item %s: answer %zu has no class",
                           item->document->name, item->key, i + 1);
        else
            SL_TRY(sl_import_put(&release->import, &answer, err));
    }
    return SL_OK;
}

static enum sl_status put_items(struct release *release, const char *path, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct sl_json document = {0};
    SL_TRY_OUT(sl_json_read(path, largest_file, &document, err));
    const struct sl_json_cursor root = sl_json_root(&document);
    const char *key = NULL;
    json_t *value = NULL;
    if (!json_is_object(root.value))
        SL_TRY_OUT(sl_json_fail(&root, err, "expected an object {item: [answers]}"));
    json_object_foreach(root.value, key, value)
    {
        const struct sl_json_cursor item = {
            .document = &document, .parent = &root, .key = key, .value = value};
        SL_TRY_OUT(put_item(release, &item, err));
    }
out:
    sl_json_release(&document);
    return status;
}

SL_IMPORTER(sl_import_cifar10s_json)
{
    enum sl_status status = SL_OK;
    struct release release = {0};
    sl_import_init(&release.import, options, sink);
    SL_TRY_OUT(sl_import_begin(&release.import, sl_cifar10_class_titles, err));
    release.impossible =
        sl_alloc(sl_import_class_count(&release.import), sizeof *release.impossible);
    for (size_t i = 0; i < n_paths; i++)
        SL_TRY_OUT(put_items(&release, paths[i], err));
    status = sl_import_finish(&release.import, paths[0], err);
out:
    free(release.impossible);
    sl_import_release(&release.import);
    return status;
}

static json_t *json_probability(float probability)
{
    return isnan(probability) ? json_null() : json_real(sl_answer_percent(probability));
}

json_t *sl_answer_cifar10s_json(char *const *classes, const struct sl_answer *answer)
{
    const bool second = answer->n_top > 1;
    json_t *object = json_object(), *impossible = json_array();
    json_object_set_new(object, top_key, json_string(classes[answer->top[0].class_index]));
    json_object_set_new(object, top_probability_key, json_probability(answer->top[0].probability));
    json_object_set_new(object, second_key,
                        json_string(second ? classes[answer->top[1].class_index] : no_second));
    json_object_set_new(object, second_probability_key,
                        second ? json_probability(answer->top[1].probability) : json_null());
    for (size_t i = 0; i < answer->n_impossible; i++)
        json_array_append_new(impossible, json_string(classes[answer->impossible[i]]));
    json_object_set_new(object, impossible_key, impossible);
    return object;
}

static enum sl_status fill_items(const struct sl_answers *answers,
                                 const struct sl_item_index *index, json_t *root,
                                 struct sl_import_notes *notes, struct sl_error *err)
{
    for (size_t item = 0; item < sl_name_table_count(answers->items); item++) {
        const char *name = sl_name_table_get(answers->items, (uint32_t)item, NULL);
        json_t *list = json_array();
        if (json_object_set_new(root, name, list) != 0)
            return sl_fail(err, SL_ERR_INPUT, "item %zu: name is not UTF-8", item);
        for (size_t at = index->begin[item]; at < index->begin[item + 1]; at++) {
            struct sl_answer answer;
            sl_answers_get(answers, index->order[at], &answer);
            if (answer.flags & SL_ANSWER_CHECK) {
                if (notes) notes->n_skipped++;
                continue;
            }
            SL_TRY(sl_export_kind(&answer, index->order[at], SL_ANSWER_SOFT, "cifar10s-json", err));
            if (answer.n_top > 2)
                return sl_fail(err, SL_ERR_INPUT,
                               "item %s: an answer names %zu classes, cifar10s-json holds two",
                               name, answer.n_top);
            json_array_append_new(list, sl_answer_cifar10s_json(answers->classes, &answer));
        }
    }
    return SL_OK;
}

/* As in the release: repeats and second runs are not marked, annotators are not named. */
SL_EXPORTER(sl_export_cifar10s_json)
{
    enum sl_status status = SL_OK;
    struct sl_item_index index = {0};
    json_t *root = json_object();
    SL_TRY_OUT(sl_item_index_create(answers, &index, err));
    SL_TRY_OUT(fill_items(answers, &index, root, notes, err));
    status = sl_json_write(root, path, err);
out:
    sl_item_index_release(&index);
    json_decref(root);
    return status;
}
