/* What is known about each item so far: the mean of its answers' labels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "study/status.h"

/* Classes listed per item, and the least share that is worth a line. */
enum { MOST_LISTED = 8 };
static const double least_share = .005;

struct labels {
    const struct sl_status_gathering *from;
    struct sl_item_index index; /* owned */
    double *row, *mean;         /* owned; n_classes */
    size_t *order;              /* owned; n_classes */
};

/* The mean label of an item's answers; how many entered it. Answers no method can read (a
 * percentage that is no number) stay out. */
static size_t mean_label(const struct labels *labels, uint32_t item)
{
    const struct sl_answers *answers = labels->from->answers;
    size_t used = 0;
    memset(labels->mean, 0, answers->n_classes * sizeof *labels->mean);
    if (item == SL_NO_NAME) return 0;
    for (size_t at = labels->index.begin[item]; at < labels->index.begin[item + 1]; at++) {
        if (!sl_study_label(answers, labels->index.order[at], labels->row)) continue;
        used++;
        for (size_t k = 0; k < answers->n_classes; k++)
            labels->mean[k] += labels->row[k];
    }
    for (size_t k = 0; used > 0 && k < answers->n_classes; k++)
        labels->mean[k] /= (double)used;
    return used;
}

static double entropy(const double *shares, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        if (shares[k] > 0) sum -= shares[k] * log(shares[k]);
    return fabs(sum);
}

/* The largest shares, as [[class, share], ...]. */
static json_t *label_json(const struct labels *labels)
{
    const struct sl_answers *answers = labels->from->answers;
    const size_t n_classes = answers->n_classes;
    json_t *list = json_array();
    for (size_t k = 0; k < n_classes; k++)
        labels->order[k] = k;
    for (size_t place = 0; place < MOST_LISTED && place < n_classes; place++) {
        size_t best = place;
        for (size_t k = place + 1; k < n_classes; k++)
            if (labels->mean[labels->order[k]] > labels->mean[labels->order[best]]) best = k;
        const size_t class_index = labels->order[best];
        labels->order[best] = labels->order[place];
        labels->order[place] = class_index;
        if (!(labels->mean[class_index] >= least_share)) break;
        json_t *pair = json_array();
        json_array_append_new(pair, json_string(answers->classes[class_index]));
        json_array_append_new(pair, sl_status_real(labels->mean[class_index], 4));
        json_array_append_new(list, pair);
    }
    return list;
}

static json_t *item_json(const struct labels *labels, size_t position)
{
    const struct sl_status_gathering *from = labels->from;
    const struct sl_study_item *item = &from->items.items[position];
    const size_t n_classes = from->study->n_classes;
    const uint32_t known = sl_name_table_find(from->answers->items, item->id, strlen(item->id));
    const size_t used = mean_label(labels, known);
    json_t *result = json_pack("{s:s, s:I}", "id", item->id, "answers", (json_int_t)used);
    if (json_object_get(item->content, "image")) {
        char *url = sl_string_printf("admin/image/%zu", position);
        json_object_set_new(result, "image", json_string(url));
        free(url);
    }
    json_t *text = json_object_get(item->content, "text");
    if (json_is_string(text)) json_object_set(result, "text", text);
    if (item->truth >= 0)
        json_object_set_new(result, "truth", json_string(from->study->classes[item->truth]));
    json_object_set_new(result, "label", used > 0 ? label_json(labels) : json_array());
    json_object_set_new(
        result, "entropy",
        sl_status_real(used > 0 ? entropy(labels->mean, n_classes) : (double)NAN, 4));
    return result;
}

enum sl_status sl_status_items(const struct sl_status_gathering *from, json_t **out,
                               struct sl_error *err)
{
    const size_t n_classes = from->study->n_classes;
    struct labels labels = {.from = from};
    SL_TRY(sl_item_index_create(from->answers, &labels.index, err));
    labels.row = sl_alloc(n_classes, sizeof *labels.row);
    labels.mean = sl_alloc(n_classes, sizeof *labels.mean);
    labels.order = sl_alloc(n_classes, sizeof *labels.order);
    json_t *list = json_array();
    for (size_t i = 0; i < from->items.count; i++)
        if (!from->items.items[i].check) json_array_append_new(list, item_json(&labels, i));
    sl_item_index_release(&labels.index);
    free(labels.row);
    free(labels.mean);
    free(labels.order);
    *out = list;
    return SL_OK;
}
