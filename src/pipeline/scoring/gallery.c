#include <stdlib.h>

#include "pipeline/scoring/evaluate.h"
#include "softlab/base/array.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { TEXT_LIMIT = 1 << 22 };

static json_t *row_json(const double *row, size_t count)
{
    json_t *list = json_array();
    for (size_t k = 0; k < count; k++)
        json_array_append_new(list, json_real(row[k]));
    return list;
}

static json_t *picture_json(const struct sl_dataset *dataset, size_t item)
{
    const size_t bytes = dataset->height * dataset->width * dataset->channels;
    const struct sl_image image = {dataset->height, dataset->width, dataset->channels,
                                   dataset->pixels + item * bytes};
    struct sl_buffer text;
    sl_buffer_init(&text, TEXT_LIMIT);
    json_t *value = NULL;
    if (sl_image_encode_base64(&image, &text, NULL) == SL_OK)
        value = json_stringn(text.data, text.length);
    sl_buffer_release(&text);
    return value ? value : json_null();
}

/* The gallery alternates between the item with the least certain labels and the item on which the
 * network differs most from the labels. */
struct candidate {
    size_t row;
    double worth;
};

static int by_worth(const void *a, const void *b)
{
    const struct candidate *left = a, *right = b;
    if (left->worth != right->worth) return left->worth < right->worth ? 1 : -1;
    return left->row < right->row ? -1 : 1;
}

static struct candidate *rank(const struct sl_scored *scored, bool by_difference)
{
    struct candidate *list = sl_alloc(scored->n, sizeof *list);
    for (size_t i = 0; i < scored->n; i++) {
        list[i] = (struct candidate){i, scored->human_entropy[i]};
        if (!by_difference) continue;
        list[i].worth = 0;
        for (size_t k = 0; k < scored->n_classes; k++) {
            const double gap = scored->human[i * scored->n_classes + k] -
                               scored->predicted[i * scored->n_classes + k];
            list[i].worth += gap < 0 ? -gap : gap;
        }
    }
    qsort(list, scored->n, sizeof *list, by_worth);
    return list;
}

json_t *sl_eval_gallery(const struct sl_feeding *feeding, const struct sl_scored *scored,
                        size_t count)
{
    const struct sl_dataset *dataset = feeding->dataset;
    json_t *gallery = json_array();
    if (!dataset->pixels || count == 0) return gallery;
    struct candidate *ranks[2] = {rank(scored, false), rank(scored, true)};
    bool *shown = sl_alloc(scored->n, sizeof *shown);
    size_t next[2] = {0, 0}, n_shown = 0;
    for (size_t turn = 0; n_shown < count && n_shown < scored->n; turn++) {
        size_t *at = &next[turn % 2];
        while (*at < scored->n && shown[ranks[turn % 2][*at].row])
            (*at)++;
        if (*at == scored->n) break;
        const size_t row = ranks[turn % 2][*at].row, item = sl_feeding_item(feeding, row);
        const int32_t truth = dataset->labels[item];
        shown[row] = true;
        n_shown++;
        json_array_append_new(
            gallery,
            json_pack("{s:s, s:s?, s:o, s:o, s:o}", "item", dataset->items[item], "truth",
                      truth >= 0 ? dataset->classes[truth] : NULL, "human",
                      row_json(scored->human + row * scored->n_classes, scored->n_classes), "model",
                      row_json(scored->predicted + row * scored->n_classes, scored->n_classes),
                      "png", picture_json(dataset, item)));
    }
    free(shown);
    free(ranks[0]);
    free(ranks[1]);
    return gallery;
}
