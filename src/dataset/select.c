/* Keep some items of a data set. Everything is copied into new arrays before the old ones are
 * freed, so that a failure leaves the set unchanged. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/dataset.h"

/* Elements `indices` of an array of `size` bytes each; NULL stays NULL. */
static enum sl_status gather_rows(const void *from, size_t size, const size_t *indices,
                                  size_t count, void **out, struct sl_error *err)
{
    if (!from) return SL_OK;
    char *to = sl_data_alloc(count, size, err);
    if (!to) return SL_ERR_NOMEM;
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * size, (const char *)from + indices[i] * size, size);
    *out = to;
    return SL_OK;
}

static enum sl_status gather_strings(char *const *from, const size_t *indices, size_t count,
                                     char ***out, struct sl_error *err)
{
    if (!from) return SL_OK;
    char **to = sl_data_alloc(count, sizeof *to, err);
    if (!to) return SL_ERR_NOMEM;
    for (size_t i = 0; i < count; i++)
        to[i] = sl_string_copy(from[indices[i]]);
    *out = to;
    return SL_OK;
}

static enum sl_status gather_all(const struct sl_dataset *dataset, const size_t *indices,
                                 size_t count, struct sl_dataset *kept, struct sl_error *err)
{
    void *labels = NULL, *truth = NULL, *pixels = NULL, *spans = NULL, *features = NULL;
    size_t image = dataset->height * dataset->width * dataset->channels;
    size_t row = dataset->n_classes * sizeof *dataset->truth;
    size_t numbers = dataset->n_features * sizeof *dataset->features;
    enum sl_status status;
    kept->count = count;
    SL_TRY_OUT(gather_rows(dataset->labels, sizeof *dataset->labels, indices, count, &labels, err));
    SL_TRY_OUT(gather_rows(dataset->truth, row, indices, count, &truth, err));
    SL_TRY_OUT(gather_rows(dataset->pixels, image, indices, count, &pixels, err));
    SL_TRY_OUT(gather_rows(dataset->spans, sizeof *dataset->spans, indices, count, &spans, err));
    SL_TRY_OUT(gather_rows(dataset->features, numbers, indices, count, &features, err));
    SL_TRY_OUT(gather_strings(dataset->items, indices, count, &kept->items, err));
    SL_TRY_OUT(gather_strings(dataset->files, indices, count, &kept->files, err));
    SL_TRY_OUT(gather_strings(dataset->texts, indices, count, &kept->texts, err));
out:
    kept->labels = labels;
    kept->truth = truth;
    kept->pixels = pixels;
    kept->spans = spans;
    kept->features = features;
    return status;
}

enum sl_status sl_dataset_select(struct sl_dataset *dataset, const size_t *indices, size_t count,
                                 struct sl_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (indices[i] >= dataset->count)
            return sl_fail(err, SL_ERR_USAGE, "%s has %zu item%s and no item number %zu",
                           dataset->name, dataset->count, sl_text_plural(dataset->count, "", "s"),
                           indices[i]);
    struct sl_dataset *kept = sl_alloc(1, sizeof *kept);
    enum sl_status status = gather_all(dataset, indices, count, kept, err);
    if (status == SL_OK) {
        struct sl_dataset old = *dataset;
        kept->height = old.height;
        kept->width = old.width;
        kept->channels = old.channels;
        kept->n_features = old.n_features;
        kept->n_classes = old.n_classes;
        kept->classes = old.classes;
        kept->name = old.name;
        kept->n_siblings = old.n_siblings;
        kept->siblings = old.siblings;
        kept->parts = old.parts;
        kept->n_notes = old.n_notes;
        kept->notes = old.notes;
        old.parts = NULL;
        old.n_notes = 0;
        old.notes = NULL;
        old.n_siblings = 0;
        old.siblings = NULL;
        old.n_classes = 0;
        old.classes = NULL;
        old.name = NULL;
        *dataset = *kept;
        *kept = old;
    }
    sl_dataset_destroy(kept);
    return status;
}
