#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "softlab/base/file.h"
#include "softlab/base/json.h"
#include "softlab/base/memory.h"
#include "softlab/dataset.h"

void sl_mix_pixels(const uint8_t *a, const uint8_t *b, double lambda, size_t count, uint8_t *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (uint8_t)floor(lambda * a[i] + (1 - lambda) * b[i] + 0.5);
}

static enum sl_status write_image(const struct sl_dataset *dataset, const struct sl_mix_item *item,
                                  const char *folder, struct sl_error *err)
{
    struct sl_image a = {0}, b = {0};
    char *path = sl_path_join(folder, item->file);
    enum sl_status status = sl_dataset_image(dataset, item->a, &a, err);
    if (status != SL_OK) goto out;
    SL_TRY_OUT(sl_dataset_image(dataset, item->b, &b, err));
    if (a.height != b.height || a.width != b.width || a.channels != b.channels) {
        status = sl_fail(err, SL_ERR_INPUT,
                         "%s is %zux%zux%zu but %s is %zux%zux%zu; load the images at one size",
                         dataset->items[item->a], a.width, a.height, a.channels,
                         dataset->items[item->b], b.width, b.height, b.channels);
        goto out;
    }
    sl_mix_pixels(a.pixels, b.pixels, item->lambda, a.height * a.width * a.channels, a.pixels);
    SL_TRY_OUT(sl_image_write_png(&a, NULL, path, err));
out:
    sl_image_release(&a);
    sl_image_release(&b);
    free(path);
    return status;
}

/* The published layout of batches.js, {"0": [{"filename": ...}, ...], ...}, with the keys
 * that the published answers to mixed images have. */
static json_t *describe_item(const struct sl_dataset *dataset, const struct sl_mix_item *item)
{
    return json_pack("{s:s, s:f, s:s, s:s, s:s, s:s}", "filename", item->file, "mixtureCoeff",
                     item->lambda, "label1", dataset->classes[dataset->labels[item->a]], "id1",
                     dataset->items[item->a], "label2", dataset->classes[dataset->labels[item->b]],
                     "id2", dataset->items[item->b]);
}

static enum sl_status write_batches(const struct sl_dataset *dataset,
                                    const struct sl_mix_plan *plan, size_t batch_size,
                                    const char *folder, struct sl_error *err)
{
    json_t *batches = json_object();
    bool whole = batches != NULL;
    json_t *batch = NULL; /* borrowed from `batches` */
    for (size_t i = 0; whole && i < plan->count; i++) {
        if (i % batch_size == 0) {
            char key[24];
            snprintf(key, sizeof key, "%zu", i / batch_size);
            batch = json_array();
            whole = json_object_set_new(batches, key, batch) == 0;
        }
        if (whole)
            whole = json_array_append_new(batch, describe_item(dataset, &plan->items[i])) == 0;
    }
    char *path = sl_path_join(folder, "batches.json");
    enum sl_status status =
        whole ? sl_json_write(batches, path, err)
              : sl_fail(err, SL_ERR_INPUT, "%s: a class or item name is not UTF-8", path);
    free(path);
    json_decref(batches);
    return status;
}

static enum sl_status write_all(const struct sl_dataset *dataset, const struct sl_mix_plan *plan,
                                size_t batch_size, const char *folder, struct sl_progress *progress,
                                struct sl_error *err)
{
    sl_progress_start(progress, "mixing", plan->count, "images");
    for (size_t i = 0; i < plan->count; i++) {
        SL_TRY(write_image(dataset, &plan->items[i], folder, err));
        sl_progress_set(progress, i + 1);
    }
    sl_progress_finish(progress);
    return write_batches(dataset, plan, batch_size, folder, err);
}

/* Remove the files, and the folder if it is new. */
static void remove_all(const struct sl_mix_plan *plan, const char *folder, size_t existing)
{
    for (size_t i = 0; i < plan->count; i++) {
        char *path = sl_path_join(folder, plan->items[i].file);
        const bool gone = unlink(path) != 0;
        free(path);
        if (gone) break;
    }
    sl_folder_remove_empty(folder, existing);
}

enum sl_status sl_mix_write(const struct sl_dataset *dataset, const struct sl_mix_plan *plan,
                            size_t batch_size, const char *folder, struct sl_progress *progress,
                            struct sl_error *err)
{
    if (batch_size == 0) return sl_fail(err, SL_ERR_USAGE, "expected a batch size above 0");
    const size_t existing = sl_folder_existing(folder);
    enum sl_status status = sl_folder_create(folder, err);
    if (status == SL_OK) status = write_all(dataset, plan, batch_size, folder, progress, err);
    if (status != SL_OK && existing < strlen(folder)) remove_all(plan, folder, existing);
    return status;
}
