/* Join two data sets of images: an augmenting set is appended to the one that it augments. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/classes.h"
#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "softlab/base/text.h"
#include "softlab/dataset.h"

static enum sl_status check(const struct sl_dataset *dataset, const struct sl_dataset *more,
                            struct sl_error *err)
{
    if (!dataset->pixels || !more->pixels)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s and %s: only images that are loaded into memory can be joined",
                       dataset->name, more->name);
    if (dataset->height != more->height || dataset->width != more->width ||
        dataset->channels != more->channels)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s has images of %zux%zux%zu, %s of %zux%zux%zu; bring both to one size",
                       dataset->name, dataset->height, dataset->width, dataset->channels,
                       more->name, more->height, more->width, more->channels);
    struct sl_name_table *names = sl_name_table_create();
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < dataset->count && status == SL_OK; i++) {
        uint32_t index;
        status =
            sl_name_table_add(names, dataset->items[i], strlen(dataset->items[i]), &index, err);
    }
    for (size_t i = 0; i < more->count && status == SL_OK; i++)
        if (sl_name_table_find(names, more->items[i], strlen(more->items[i])) != SL_NO_NAME)
            status = sl_fail(err, SL_ERR_INPUT,
                             "%s and %s both have an item \"%s\"; rename it in one of them",
                             dataset->name, more->name, more->items[i]);
    sl_name_table_destroy(names);
    return status;
}

/* For each class of `more` its index in `dataset`; NULL if one of them has no classes. The caller
 * frees it. */
static enum sl_status match_classes(const struct sl_dataset *dataset, const struct sl_dataset *more,
                                    size_t **out, struct sl_error *err)
{
    const struct sl_class_list from = {more->name, more->classes, more->n_classes};
    const struct sl_class_list to = {dataset->name, dataset->classes, dataset->n_classes};
    if (from.count == 0 || to.count == 0) return SL_OK;
    size_t *columns = sl_alloc(from.count, sizeof *columns);
    const enum sl_status status = sl_classes_match(&from, &to, columns, NULL, err);
    if (status == SL_OK)
        *out = columns;
    else
        free(columns);
    return status;
}

/* `count` elements followed by `n_more`, in new memory. */
static void *join(const void *first, size_t count, const void *second, size_t n_more, size_t size,
                  struct sl_error *err)
{
    char *both = sl_data_alloc(count + n_more, size, err);
    if (!both) return NULL;
    if (count) memcpy(both, first, count * size);
    if (n_more) memcpy(both + count * size, second, n_more * size);
    return both;
}

enum sl_status sl_dataset_append(struct sl_dataset *dataset, const struct sl_dataset *more,
                                 struct sl_error *err)
{
    size_t *columns = NULL;
    SL_TRY(check(dataset, more, err));
    SL_TRY(match_classes(dataset, more, &columns, err));
    const size_t image = dataset->height * dataset->width * dataset->channels;
    const size_t count = dataset->count + more->count;
    uint8_t *pixels = join(dataset->pixels, dataset->count, more->pixels, more->count, image, err);
    int32_t *labels =
        join(dataset->labels, dataset->count, more->labels, more->count, sizeof *labels, err);
    char **items =
        join(dataset->items, dataset->count, more->items, more->count, sizeof *items, err);
    if (!pixels || !labels || !items) {
        free(pixels);
        free(labels);
        free(items);
        free(columns);
        return SL_ERR_NOMEM;
    }
    /* The class numbers of the second set differ from those of the first. */
    for (size_t i = dataset->count; i < count; i++) {
        if (labels[i] != SL_NO_LABEL)
            labels[i] = columns ? (int32_t)columns[labels[i]] : SL_NO_LABEL;
        items[i] = sl_string_copy(items[i]);
    }
    free(columns);
    free(dataset->pixels);
    free(dataset->labels);
    free(dataset->items);
    free(dataset->truth);
    dataset->pixels = pixels;
    dataset->labels = labels;
    dataset->items = items;
    dataset->truth = NULL;
    dataset->count = count;
    return SL_OK;
}
