/* The state of each item: the mean of its answers' labels, and how far they differ. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/stats.h"
#include "softlab/label/compare.h"
#include "study/status/status.h"

struct labels {
    const struct sl_status_gathering *from;
    struct sl_status_asking *asking; /* borrowed; or NULL */
    struct sl_item_index index;      /* owned */
    double *row, *mean;              /* owned; n_classes */
    /* For the current item: */
    size_t used;                     /* answers that entered the mean */
    double spread;                   /* mean entropy of one answer's label */
    struct sl_status_series seconds; /* owned; times of those answers */
};

static void take_answer(struct labels *labels, size_t index)
{
    const struct sl_answers *answers = labels->from->answers;
    struct sl_answer answer;
    labels->used++;
    labels->spread += sl_entropy(labels->row, answers->n_classes);
    for (size_t k = 0; k < answers->n_classes; k++)
        labels->mean[k] += labels->row[k];
    sl_answers_get(answers, index, &answer);
    if (!isnan(answer.ms)) sl_status_series_add(&labels->seconds, answer.ms / 1000);
}

/* The mean label of an item's answers. Answers that no method can use (a percentage that is not a
 * number) are left out. */
static void mean_label(struct labels *labels, uint32_t item)
{
    const struct sl_answers *answers = labels->from->answers;
    memset(labels->mean, 0, answers->n_classes * sizeof *labels->mean);
    labels->used = labels->seconds.count = 0;
    labels->spread = 0;
    if (item == SL_NO_NAME) return;
    for (size_t at = labels->index.begin[item]; at < labels->index.begin[item + 1]; at++)
        if (sl_study_label(answers, labels->index.order[at], labels->row))
            take_answer(labels, labels->index.order[at]);
    if (labels->used == 0) return;
    for (size_t k = 0; k < answers->n_classes; k++)
        labels->mean[k] /= (double)labels->used;
    labels->spread /= (double)labels->used;
}

void sl_status_show_item(const struct sl_study_item *item, size_t number, json_t *to)
{
    json_t *text = json_object_get(item->content, "text");
    if (json_object_get(item->content, "image"))
        json_object_set_new(to, "image", json_sprintf("admin/image/%zu", number));
    if (json_is_string(text)) json_object_set(to, "text", text);
    json_t *instructed = json_object_get(item->content, "instructed");
    if (instructed) json_object_set(to, "instructed", instructed);
}

/* `disagreement` is the part of the entropy between people: the entropy of the mean label minus the
 * mean entropy of the single labels. 0: all people give the same distribution. */
static json_t *item_json(struct labels *labels, size_t number)
{
    const struct sl_status_gathering *from = labels->from;
    const struct sl_study_item *item = &from->items.items[number];
    mean_label(labels, sl_name_table_find(from->answers->items, item->id, strlen(item->id)));
    const bool any = labels->used > 0;
    const double whole = any ? fabs(sl_entropy(labels->mean, from->study->n_classes)) : (double)NAN;
    json_t *result = json_pack("{s:s, s:I, s:I}", "id", item->id, "number", (json_int_t)number,
                               "answers", (json_int_t)labels->used);
    sl_status_show_item(item, number, result);
    if (item->truth >= 0)
        json_object_set_new(result, "truth", json_string(from->study->classes[item->truth]));
    json_object_set_new(result, "label",
                        any ? sl_status_shares(from->study, labels->mean) : json_array());
    json_object_set_new(result, "asking", sl_status_asking_item(labels->asking, item->id));
    json_object_set_new(result, "entropy", sl_status_real(whole, 4));
    json_object_set_new(result, "disagreement",
                        sl_status_real(any ? fmax(whole - labels->spread, 0) : whole, 4));
    json_object_set_new(
        result, "seconds",
        sl_status_real(sl_median(labels->seconds.values, labels->seconds.count), 1));
    return result;
}

static enum sl_status labels_init(struct labels *labels, const struct sl_status_gathering *from,
                                  struct sl_status_asking *asking, struct sl_error *err)
{
    *labels = (struct labels){.from = from, .asking = asking};
    SL_TRY(sl_item_index_create(from->answers, &labels->index, err));
    labels->row = sl_alloc(from->study->n_classes, sizeof *labels->row);
    labels->mean = sl_alloc(from->study->n_classes, sizeof *labels->mean);
    return SL_OK;
}

static void labels_release(struct labels *labels)
{
    sl_item_index_release(&labels->index);
    sl_status_series_release(&labels->seconds);
    free(labels->row);
    free(labels->mean);
}

enum sl_status sl_status_one_item(const struct sl_status_gathering *from, size_t number,
                                  json_t **out, struct sl_error *err)
{
    struct sl_status_asking *asking = NULL;
    struct labels labels;
    SL_TRY(sl_status_asking_create(from, &asking, err));
    enum sl_status status = labels_init(&labels, from, asking, err);
    if (status == SL_OK) {
        *out = item_json(&labels, number);
        labels_release(&labels);
    }
    sl_status_asking_destroy(asking);
    return status;
}

enum sl_status sl_status_items(const struct sl_status_gathering *from,
                               struct sl_status_asking *asking, json_t **out, struct sl_error *err)
{
    struct labels labels;
    SL_TRY(labels_init(&labels, from, asking, err));
    json_t *list = json_array();
    size_t i = 0;
    for (; i < from->items.count && !sl_store_stopping(from->store); i++)
        if (!from->items.items[i].check &&
            !json_is_true(json_object_get(from->items.items[i].content, "training")))
            json_array_append_new(list, item_json(&labels, i));
    labels_release(&labels);
    if (i < from->items.count) {
        json_decref(list);
        return sl_fail(err, SL_ERR_STOPPED, "stopped before the end");
    }
    *out = list;
    return SL_OK;
}
