#include "softlab/dataset/summary.h"

#include <math.h>
#include <stdlib.h>

#include "softlab/base/memory.h"
#include "softlab/base/stats.h"

enum { SIZES_LOOKED_AT = 500 };

static void count_labels(const struct sl_dataset *set, struct sl_dataset_summary *out)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->labels[i] == SL_NO_LABEL) continue;
        out->per_class[set->labels[i]]++;
        out->n_labelled++;
    }
}

static double mean_entropy(const struct sl_dataset *set)
{
    double total = 0;
    if (!set->truth || set->count == 0) return (double)NAN;
    for (size_t i = 0; i < set->count; i++)
        total += sl_entropy_of_row(set->truth + i * set->n_classes, set->n_classes);
    return total / (double)set->count;
}

static void note_size(struct sl_dataset_summary *summary, size_t height, size_t width)
{
    const size_t sides[2] = {height, width};
    const bool first = summary->n_sizes_seen++ == 0;
    for (size_t i = 0; i < 2; i++) {
        if (first || sides[i] < summary->smallest[i]) summary->smallest[i] = sides[i];
        if (first || sides[i] > summary->largest[i]) summary->largest[i] = sides[i];
    }
}

static enum sl_status look_at_sizes(const struct sl_dataset *set, struct sl_dataset_summary *out,
                                    struct sl_error *err)
{
    const size_t step = set->count / SIZES_LOOKED_AT + 1;
    if (set->pixels && set->count) note_size(out, set->height, set->width);
    for (size_t i = 0; set->files && i < set->count; i += step) {
        struct sl_image image;
        SL_TRY(sl_dataset_image(set, i, &image, err));
        note_size(out, image.height, image.width);
        sl_image_release(&image);
    }
    return SL_OK;
}

enum sl_status sl_dataset_summarise(const struct sl_dataset *dataset,
                                    struct sl_dataset_summary *out, struct sl_error *err)
{
    struct sl_dataset_summary summary = {.mean_entropy = mean_entropy(dataset)};
    summary.per_class = sl_alloc(dataset->n_classes, sizeof *summary.per_class);
    count_labels(dataset, &summary);
    const enum sl_status status = look_at_sizes(dataset, &summary, err);
    if (status == SL_OK)
        *out = summary;
    else
        sl_dataset_summary_release(&summary);
    return status;
}

void sl_dataset_summary_release(struct sl_dataset_summary *summary)
{
    free(summary->per_class);
    summary->per_class = NULL;
}

static json_t *sides_json(const size_t sides[2])
{
    return json_pack("[I, I]", (json_int_t)sides[0], (json_int_t)sides[1]);
}

json_t *sl_dataset_summary_json(const struct sl_dataset *dataset,
                                const struct sl_dataset_summary *summary)
{
    static const char *const kinds[] = {[SL_DATASET_IMAGES] = "image",
                                        [SL_DATASET_TEXTS] = "text",
                                        [SL_DATASET_FEATURES] = "features"};
    json_t *classes = json_array();
    for (size_t k = 0; k < dataset->n_classes; k++)
        json_array_append_new(classes, json_pack("{s:s, s:I}", "name", dataset->classes[k], "items",
                                                 (json_int_t)summary->per_class[k]));
    json_t *result =
        json_pack("{s:s, s:I, s:s, s:I, s:o}", "name", dataset->name, "items",
                  (json_int_t)dataset->count, "kind", kinds[sl_dataset_kind_of(dataset)],
                  "labelled", (json_int_t)summary->n_labelled, "classes", classes);
    if (summary->n_sizes_seen) {
        json_object_set_new(result, "smallest", sides_json(summary->smallest));
        json_object_set_new(result, "largest", sides_json(summary->largest));
    }
    if (dataset->features)
        json_object_set_new(result, "features", json_integer((json_int_t)dataset->n_features));
    if (dataset->truth)
        json_object_set_new(result, "mean_true_entropy", json_real(summary->mean_entropy));
    return result;
}
