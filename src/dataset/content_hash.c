/* The hash of a data set's content, independent of its packing. */
#include <string.h>

#include "softlab/base/hash.h"
#include "softlab/dataset.h"

static void add_names(struct sl_hasher *hasher, char *const *names, size_t count)
{
    sl_hasher_number(hasher, count);
    for (size_t i = 0; i < count; i++)
        sl_hasher_text(hasher, names[i]);
}

static void add_texts(struct sl_hasher *hasher, const struct sl_dataset *dataset)
{
    for (size_t i = 0; i < dataset->count; i++) {
        const struct sl_span span = dataset->spans ? dataset->spans[i] : (struct sl_span){0};
        sl_hasher_number(hasher, span.begin);
        sl_hasher_number(hasher, span.end);
        sl_hasher_text(hasher, dataset->texts[i]);
    }
}

/* Files are hashed by their bytes, since decoding them would take much longer. */
static enum sl_status add_files(struct sl_hasher *hasher, const struct sl_dataset *dataset,
                                struct sl_error *err)
{
    for (size_t i = 0; i < dataset->count; i++) {
        char hash[SL_SHA256_TEXT];
        SL_TRY(sl_sha256_file(dataset->files[i], hash, err));
        sl_hasher_text(hasher, hash);
    }
    return SL_OK;
}

enum sl_status sl_dataset_hash(const struct sl_dataset *dataset, char out[SL_SHA256_TEXT],
                               struct sl_error *err)
{
    const size_t n = dataset->count;
    struct sl_hasher *hasher = sl_hasher_create();
    enum sl_status status = SL_OK;
    add_names(hasher, dataset->classes, dataset->n_classes);
    add_names(hasher, dataset->items, n);
    sl_hasher_add(hasher, dataset->labels, n * sizeof *dataset->labels);
    if (dataset->truth)
        sl_hasher_add(hasher, dataset->truth, n * dataset->n_classes * sizeof *dataset->truth);
    const size_t sizes[] = {dataset->height, dataset->width, dataset->channels,
                            dataset->n_features};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        sl_hasher_number(hasher, sizes[i]);
    if (dataset->pixels) sl_hasher_add(hasher, dataset->pixels, n * sizes[0] * sizes[1] * sizes[2]);
    if (dataset->features)
        sl_hasher_add(hasher, dataset->features, n * sizes[3] * sizeof *dataset->features);
    if (dataset->texts) add_texts(hasher, dataset);
    if (dataset->files) status = add_files(hasher, dataset, err);
    char hash[SL_SHA256_TEXT];
    sl_hasher_finish(hasher, hash);
    if (status == SL_OK) memcpy(out, hash, sizeof hash);
    return status;
}
