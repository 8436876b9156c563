#include "softlab/dataset.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/images/codec.h"
#include "dataset/readers/reader.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/rows.h"
#include "softlab/base/text.h"

static void forget_notes(struct sl_dataset *dataset)
{
    for (size_t i = 0; i < dataset->n_notes; i++)
        free(dataset->notes[i].text);
    free(dataset->notes);
    dataset->notes = NULL;
    dataset->n_notes = 0;
}

void sl_dataset_note(struct sl_dataset *dataset, enum sl_log_level level, const char *format, ...)
{
    char text[sizeof((struct sl_error *)NULL)->message + 64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    dataset->notes = sl_resize(dataset->notes, dataset->n_notes + 1, sizeof *dataset->notes);
    dataset->notes[dataset->n_notes++] =
        (struct sl_dataset_note){.level = level, .text = sl_string_copy(text)};
}

void sl_dataset_tell(struct sl_dataset *dataset, const struct sl_log *log)
{
    for (size_t i = 0; i < dataset->n_notes; i++)
        sl_log(log, dataset->notes[i].level, "%s", dataset->notes[i].text);
    forget_notes(dataset);
}

void sl_dataset_destroy(struct sl_dataset *dataset)
{
    if (!dataset) return;
    sl_strings_destroy(dataset->classes, dataset->n_classes);
    sl_strings_destroy(dataset->items, dataset->count);
    sl_strings_destroy(dataset->files, dataset->count);
    sl_strings_destroy(dataset->texts, dataset->count);
    sl_strings_destroy(dataset->siblings, dataset->n_siblings);
    forget_notes(dataset);
    free(dataset->parts);
    free(dataset->name);
    free(dataset->labels);
    free(dataset->truth);
    free(dataset->pixels);
    free(dataset->spans);
    free(dataset->features);
    free(dataset);
}

enum sl_status sl_dataset_create(const char *name, size_t count, struct sl_dataset **out,
                                 struct sl_error *err)
{
    struct sl_dataset *dataset = sl_alloc(1, sizeof *dataset);
    enum sl_status status = SL_ERR_NOMEM;
    dataset->name = sl_string_copy(name);
    dataset->items = sl_data_alloc(count, sizeof *dataset->items, err);
    if (!dataset->items) goto out;
    if (count) memset(dataset->items, 0, count * sizeof *dataset->items);
    dataset->count = count;
    dataset->labels = sl_data_alloc(count, sizeof *dataset->labels, err);
    if (!dataset->labels) goto out;
    for (size_t i = 0; i < count; i++)
        dataset->labels[i] = SL_NO_LABEL;
    *out = dataset;
    return SL_OK;
out:
    sl_dataset_destroy(dataset);
    return status;
}

enum sl_status sl_images_check(const char *path, size_t count, size_t height, size_t width,
                               size_t channels, struct sl_error *err)
{
    if (count == 0) return sl_fail(err, SL_ERR_INPUT, "%s: no images", path);
    SL_TRY(sl_image_check_size(height, width, path, err));
    if (count <= SL_MANY_IMAGES || height * width * channels >= SL_LEAST_IMAGE) return SL_OK;
    return sl_fail(
        err, SL_ERR_INPUT,
        "%s: %zu images of %zu x %zu pixels; expected at least %d bytes per image in a set of "
        "more than %d images",
        path, count, width, height, SL_LEAST_IMAGE, SL_MANY_IMAGES);
}

void sl_dataset_number_items(struct sl_dataset *dataset, size_t first)
{
    for (size_t i = 0; i < dataset->count; i++)
        dataset->items[i] = sl_string_printf("%zu", first + i);
}

void sl_dataset_name_classes(struct sl_dataset *dataset, const char *const *names, size_t count)
{
    sl_strings_destroy(dataset->classes, dataset->n_classes);
    dataset->classes = sl_alloc(count, sizeof *dataset->classes);
    for (size_t i = 0; i < count; i++)
        dataset->classes[i] = sl_string_copy(names[i]);
    dataset->n_classes = count;
}

void sl_dataset_number_classes(struct sl_dataset *dataset, size_t count)
{
    sl_strings_destroy(dataset->classes, dataset->n_classes);
    dataset->classes = sl_alloc(count, sizeof *dataset->classes);
    for (size_t i = 0; i < count; i++)
        dataset->classes[i] = sl_string_printf("%zu", i);
    dataset->n_classes = count;
}

enum sl_status sl_dataset_take_labels(struct sl_dataset *dataset, const int32_t *labels,
                                      const char *file, struct sl_error *err)
{
    /* Without class names, a stray value must not create millions of classes. */
    enum { MOST_NUMBERED = 65536 };
    bool named = dataset->n_classes > 0;
    size_t limit = named ? dataset->n_classes : MOST_NUMBERED;
    int32_t largest = -1;
    for (size_t i = 0; i < dataset->count; i++) {
        if (labels[i] < 0 || (size_t)labels[i] >= limit)
            return sl_fail(err, SL_ERR_INPUT, "%s: label %zu is %ld, expected 0 to %zu", file, i,
                           (long)labels[i], limit - 1);
        if (labels[i] > largest) largest = labels[i];
    }
    if (!named) sl_dataset_number_classes(dataset, (size_t)largest + 1);
    if (dataset->count) memcpy(dataset->labels, labels, dataset->count * sizeof *dataset->labels);
    return SL_OK;
}

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum sl_status sl_check_unique(char *const *names, size_t count, const char *file, const char *noun,
                               struct sl_error *err)
{
    if (count < 2) return SL_OK;
    const char **sorted = sl_data_alloc(count, sizeof *sorted, err);
    if (!sorted) return SL_ERR_NOMEM;
    for (size_t i = 0; i < count; i++)
        sorted[i] = names[i];
    qsort(sorted, count, sizeof *sorted, compare_strings);
    enum sl_status status = SL_OK;
    for (size_t i = 1; status == SL_OK && i < count; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            status = sl_fail(err, SL_ERR_INPUT, "%s: %s %s appears twice", file, noun, sorted[i]);
    free(sorted);
    return status;
}

enum sl_status sl_choose(const char *const *names, const char *wanted, const char *what,
                         size_t *out, struct sl_error *err)
{
    if (!wanted || !*wanted) {
        *out = 0;
        return SL_OK;
    }
    for (size_t i = 0; names[i]; i++) {
        if (strcmp(names[i], wanted) == 0) {
            *out = i;
            return SL_OK;
        }
    }
    char ending[SL_SUGGESTION_TEXT], known[264] = ", only ";
    size_t used = strlen(known);
    for (size_t i = 0; names[i] && used < sizeof known; i++)
        used +=
            (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", names[i]);
    return sl_fail(err, SL_ERR_USAGE, "%s has no %s%s", what, wanted,
                   sl_text_suggestion(wanted, names, known, ending));
}

enum sl_status sl_no_split(const char *path, const char *split, struct sl_error *err)
{
    if (!split || !*split) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE, "%s has no splits; leave out \":%s\"", path, split);
}

enum sl_dataset_kind sl_dataset_kind_of(const struct sl_dataset *dataset)
{
    if (dataset->texts) return SL_DATASET_TEXTS;
    return dataset->features ? SL_DATASET_FEATURES : SL_DATASET_IMAGES;
}

const char *sl_dataset_unit(const struct sl_dataset *dataset)
{
    static const char *const units[] = {[SL_DATASET_IMAGES] = "images",
                                        [SL_DATASET_TEXTS] = "texts",
                                        [SL_DATASET_FEATURES] = "rows"};
    return units[sl_dataset_kind_of(dataset)];
}

static size_t image_bytes(const struct sl_dataset *dataset)
{
    return dataset->height * dataset->width * dataset->channels;
}

enum sl_status sl_dataset_image(const struct sl_dataset *dataset, size_t index,
                                struct sl_image *out, struct sl_error *err)
{
    if (index >= dataset->count)
        return sl_fail(err, SL_ERR_USAGE, "%s has %zu item%s and no item number %zu", dataset->name,
                       dataset->count, sl_text_plural(dataset->count, "", "s"), index);
    if (dataset->files) {
        struct sl_error problem = {0};
        const enum sl_status status = sl_image_read(dataset->files[index], out, &problem);
        if (status == SL_OK) return SL_OK;
        return sl_fail(err, status, "%s%s", problem.message,
                       status == SL_ERR_INPUT ? "; --skip-broken leaves it out" : "");
    }
    const enum sl_dataset_kind kind = sl_dataset_kind_of(dataset);
    if (kind != SL_DATASET_IMAGES)
        return sl_fail(err, SL_ERR_USAGE, "%s holds %s, not images", dataset->name,
                       kind == SL_DATASET_TEXTS ? "texts" : "rows of features");
    struct sl_image image;
    SL_TRY(sl_image_create(dataset->height, dataset->width, dataset->channels, &image, err));
    memcpy(image.pixels, dataset->pixels + index * image_bytes(dataset), image_bytes(dataset));
    *out = image;
    return SL_OK;
}

enum sl_status sl_dataset_truth_rows(const struct sl_dataset *dataset, struct sl_rows **out,
                                     struct sl_error *err)
{
    const size_t count = dataset->count, n_classes = dataset->n_classes;
    if (!dataset->truth)
        return sl_fail(err, SL_ERR_USAGE, "%s: the true distributions are not known",
                       dataset->name);
    struct sl_rows *rows = NULL;
    SL_TRY(sl_rows_create(count, n_classes, &rows, err));
    memcpy(rows->values, dataset->truth, count * n_classes * sizeof *rows->values);
    enum sl_status status = sl_names_copy(dataset->items, count, &rows->items, err);
    if (status == SL_OK) status = sl_names_copy(dataset->classes, n_classes, &rows->classes, err);
    if (status == SL_OK)
        *out = rows;
    else
        sl_rows_destroy(rows);
    return status;
}
