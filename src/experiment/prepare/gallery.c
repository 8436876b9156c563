/* Makes a gallery for the report: items with their images, true classes and distributions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/prepare/prepare.h"
#include "experiment/run/runner.h"
#include "softlab/base/classes.h"
#include "softlab/base/memory.h"
#include "softlab/base/rows.h"
#include "softlab/base/text.h"
#include "softlab/label/compare.h"
#include "softlab/report.h"

/* Photographs are shrunk to this many pixels, so that a report can be sent by mail. */
enum { LONGEST_SIDE = 128 };
enum { PICTURE_LIMIT = 1 << 24, ITEMS_LIMIT = 1 << 28 };

struct series {
    const char *name;     /* borrowed */
    struct sl_rows *rows; /* owned */
    size_t *columns;      /* owned; the column of each class of the gallery */
};

struct gallery {
    const struct sl_prepare_step *step; /* borrowed */
    struct sl_dataset *dataset;         /* owned; NULL: no images */
    struct series series[SL_GALLERY_MAX_SERIES];
    size_t n_series;
    char **classes; /* borrowed from the data set or a series; NULL if the classes have no names */
    size_t n_classes;
    json_t *items; /* owned; item names */
};

static void gallery_release(struct gallery *gallery)
{
    for (size_t s = 0; s < gallery->n_series; s++) {
        sl_rows_destroy(gallery->series[s].rows);
        free(gallery->series[s].columns);
    }
    sl_dataset_destroy(gallery->dataset);
    json_decref(gallery->items);
}

/* ---- Inputs ---- */

static enum sl_status read_series(const struct sl_preparation *preparation,
                                  const struct sl_prepare_series *series, struct series *out,
                                  struct sl_error *err)
{
    char *path = NULL;
    enum sl_status status = SL_OK;
    if (series->words.count != 2)
        return sl_fail(err, SL_ERR_INPUT, "a series must be a name and a path");
    out->name = series->words.items[0];
    SL_TRY_OUT(sl_experiment_place(preparation->roots, series->words.items[1], &path, err));
    SL_TRY_OUT(sl_rows_read(path, "labels", &out->rows, err));
    SL_TRY_OUT(sl_rows_check_distributions(out->rows, out->name, err));
out:
    free(path);
    return status;
}

static enum sl_status match_columns(const struct gallery *gallery, struct series *series,
                                    struct sl_error *err)
{
    const struct sl_rows *rows = series->rows;
    if (rows->n_classes != gallery->n_classes)
        return sl_fail(err, SL_ERR_INPUT, "%s has %zu class%s, expected %zu", series->name,
                       rows->n_classes, sl_text_plural(rows->n_classes, "", "es"),
                       gallery->n_classes);
    series->columns = sl_alloc(rows->n_classes, sizeof *series->columns);
    for (size_t k = 0; k < rows->n_classes; k++) {
        series->columns[k] = k;
        if (!rows->classes || !gallery->classes) continue;
        const char *name = gallery->classes[k];
        series->columns[k] = sl_class_find(rows->classes, rows->n_classes, name, strlen(name));
        if (series->columns[k] == SIZE_MAX)
            return sl_fail(err, SL_ERR_INPUT, "%s has no class \"%s\"", series->name, name);
    }
    return SL_OK;
}

/* All series are brought to these class names: the data set's, or else those of the first series
 * that has any. */
static void choose_classes(struct gallery *gallery)
{
    gallery->n_classes = gallery->series[0].rows->n_classes;
    if (gallery->dataset && gallery->dataset->n_classes > 0) {
        gallery->classes = gallery->dataset->classes;
        gallery->n_classes = gallery->dataset->n_classes;
    }
    for (size_t s = 0; s < gallery->n_series && !gallery->classes; s++)
        gallery->classes = gallery->series[s].rows->classes;
}

static enum sl_status read_items(const struct sl_prepare_step *step, json_t **out,
                                 struct sl_error *err)
{
    struct sl_json document = {0};
    json_t *items = NULL;
    enum sl_status status = SL_OK;
    if (step->items_from) {
        SL_TRY_OUT(sl_json_read(step->items_from->output, ITEMS_LIMIT, &document, err));
        SL_TRY_OUT(sl_figures_at(document.root, step->items_from->path, &items, err));
    } else {
        items = sl_text_list_json(&step->items);
    }
    for (size_t i = 0; i < json_array_size(items); i++)
        if (!json_is_string(json_array_get(items, i))) {
            status = sl_fail(err, SL_ERR_INPUT, "item %zu of the list is not a text", i + 1);
            goto out;
        }
    *out = items;
    items = NULL;
out:
    json_decref(items);
    sl_json_release(&document);
    return status;
}

static enum sl_status open_gallery(const struct sl_preparation *preparation,
                                   struct gallery *gallery, struct sl_error *err)
{
    const struct sl_prepare_step *step = preparation->step;
    if (step->data) {
        SL_TRY(sl_prepare_open(preparation, &gallery->dataset, err));
        if (step->mixed) SL_TRY(sl_dataset_load(gallery->dataset, 0, 0, 3, err));
    }
    while (gallery->n_series < step->series.count && gallery->n_series < SL_GALLERY_MAX_SERIES) {
        const size_t s = gallery->n_series++;
        SL_TRY(read_series(preparation, &step->series.items[s], &gallery->series[s], err));
    }
    if (gallery->n_series == 0) return sl_fail(err, SL_ERR_INPUT, "there is no series to show");
    choose_classes(gallery);
    for (size_t s = 0; s < gallery->n_series; s++)
        SL_TRY(match_columns(gallery, &gallery->series[s], err));
    return read_items(step, &gallery->items, err);
}

/* ---- Rows ---- */

/* The row of an item. If a file has a row per answer, the step's "row" picks one, from 1. */
static enum sl_status find_row(const struct gallery *gallery, const struct series *series,
                               const char *item, size_t *out, struct sl_error *err)
{
    const int64_t wanted = gallery->step->row;
    const struct sl_rows *rows = series->rows;
    const size_t first = sl_rows_find(rows, item, strlen(item));
    size_t n_rows = 0, row = SIZE_MAX;
    if (first == SIZE_MAX)
        return sl_fail(err, SL_ERR_INPUT, "%s has no item \"%.80s\"", series->name, item);
    for (size_t i = first; i < rows->n_rows && rows->items; i++) {
        if (strcmp(rows->items[i], item) != 0) continue;
        if (wanted == (int64_t)++n_rows) row = i;
    }
    if (n_rows <= 1 && wanted == 0) row = first;
    if (n_rows > 1 && wanted == 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s has %zu rows of item \"%.80s\"; choose one with \"row\"", series->name,
                       n_rows, item);
    if (row == SIZE_MAX)
        return sl_fail(err, SL_ERR_INPUT, "%s has %zu row%s of item \"%.80s\", not %lld",
                       series->name, n_rows, sl_text_plural(n_rows, "", "s"), item,
                       (long long)wanted);
    *out = row;
    return SL_OK;
}

static double value_at(const struct series *series, size_t row, size_t k)
{
    return (double)series->rows->values[row * series->rows->n_classes + series->columns[k]];
}

/* ---- True classes ---- */

static enum sl_status find_item(const struct gallery *gallery, const char *item, size_t *out,
                                struct sl_error *err)
{
    for (size_t i = 0; i < gallery->dataset->count; i++)
        if (strcmp(gallery->dataset->items[i], item) == 0) {
            *out = i;
            return SL_OK;
        }
    return sl_fail(err, SL_ERR_INPUT, "%s has no item \"%.80s\"", gallery->dataset->name, item);
}

/* Without a data set, the most probable class of the last series counts as the true class. */
static enum sl_status class_of(const struct gallery *gallery, const char *item, size_t *out,
                               struct sl_error *err)
{
    const struct series *last = &gallery->series[gallery->n_series - 1];
    size_t place = 0;
    if (gallery->dataset) {
        SL_TRY(find_item(gallery, item, &place, err));
        if (gallery->dataset->labels[place] >= 0) {
            *out = (size_t)gallery->dataset->labels[place];
            return SL_OK;
        }
    }
    SL_TRY(find_row(gallery, last, item, &place, err));
    *out = 0;
    for (size_t k = 1; k < gallery->n_classes; k++)
        if (value_at(last, place, k) > value_at(last, place, *out)) *out = k;
    return SL_OK;
}

static enum sl_status class_named(const struct gallery *gallery, const char *name, size_t *out,
                                  struct sl_error *err)
{
    *out = gallery->classes
               ? sl_class_find(gallery->classes, gallery->n_classes, name, strlen(name))
               : SIZE_MAX;
    return *out == SIZE_MAX ? sl_fail(err, SL_ERR_INPUT, "there is no class \"%s\"", name) : SL_OK;
}

/* Move the first item of a class from one list to the other; *taken is false if there is none. */
static enum sl_status take_of_class(const struct gallery *gallery, const char *name, json_t *items,
                                    json_t *chosen, bool *taken, struct sl_error *err)
{
    size_t wanted;
    *taken = false;
    SL_TRY(class_named(gallery, name, &wanted, err));
    for (size_t i = 0; i < json_array_size(items); i++) {
        size_t class;
        SL_TRY(class_of(gallery, json_string_value(json_array_get(items, i)), &class, err));
        if (class != wanted) continue;
        json_array_append(chosen, json_array_get(items, i));
        json_array_remove(items, i);
        *taken = true;
        return SL_OK;
    }
    return SL_OK;
}

/* Keep only items of the step's class, or one item of each class in its list. */
static enum sl_status choose_of_classes(struct gallery *gallery, struct sl_error *err)
{
    const struct sl_text_list *classes = &gallery->step->classes;
    const size_t n_items = json_array_size(gallery->items);
    const size_t n_wanted = classes->items ? classes->count : n_items;
    json_t *chosen = json_array();
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < n_wanted; i++) {
        const char *name = classes->items ? classes->items[i] : gallery->step->class;
        bool taken;
        SL_TRY_OUT(take_of_class(gallery, name, gallery->items, chosen, &taken, err));
        if (!taken && (classes->items || i == 0)) {
            status = sl_fail(err, SL_ERR_INPUT, "of the %zu item%s left, none is of class \"%s\"",
                             json_array_size(gallery->items),
                             sl_text_plural(json_array_size(gallery->items), "", "s"), name);
            goto out;
        }
        if (!taken) break;
    }
    json_decref(gallery->items);
    gallery->items = json_incref(chosen);
out:
    json_decref(chosen);
    return status;
}

static enum sl_status choose(struct gallery *gallery, struct sl_error *err)
{
    const size_t count = (size_t)gallery->step->count;
    if (gallery->step->class || gallery->step->classes.items)
        SL_TRY(choose_of_classes(gallery, err));
    while (count > 0 && json_array_size(gallery->items) > count)
        json_array_remove(gallery->items, json_array_size(gallery->items) - 1);
    if (json_array_size(gallery->items) == 0)
        return sl_fail(err, SL_ERR_INPUT, "there is no item to show");
    return SL_OK;
}

/* ---- Images ---- */

static enum sl_status shrink(struct sl_image *image, struct sl_error *err)
{
    const size_t longest = image->height > image->width ? image->height : image->width;
    if (longest <= LONGEST_SIDE) return SL_OK;
    const size_t height = image->height * LONGEST_SIDE / longest;
    const size_t width = image->width * LONGEST_SIDE / longest;
    struct sl_image small;
    SL_TRY(sl_image_resize(image, height ? height : 1, width ? width : 1, &small, err));
    sl_image_release(image);
    *image = small;
    return SL_OK;
}

static enum sl_status mix_picture(const struct sl_dataset *dataset, const char *item,
                                  struct sl_image *out, struct sl_error *err)
{
    struct sl_image image;
    SL_TRY(sl_image_create(dataset->height, dataset->width, dataset->channels, &image, err));
    enum sl_status status = sl_prepare_mix(dataset, item, image.pixels, err);
    if (status == SL_OK)
        *out = image;
    else
        sl_image_release(&image);
    return status;
}

static enum sl_status add_picture(const struct gallery *gallery, const char *item, json_t *shown,
                                  struct sl_error *err)
{
    const struct sl_dataset *dataset = gallery->dataset;
    const bool mixed = gallery->step->mixed;
    struct sl_image image = {0};
    struct sl_buffer text;
    size_t place = 0;
    enum sl_status status = SL_OK;
    sl_buffer_init(&text, PICTURE_LIMIT);
    if (mixed) {
        SL_TRY_OUT(mix_picture(dataset, item, &image, err));
    } else {
        SL_TRY_OUT(find_item(gallery, item, &place, err));
        SL_TRY_OUT(sl_dataset_image(dataset, place, &image, err));
    }
    SL_TRY_OUT(shrink(&image, err));
    SL_TRY_OUT(sl_image_encode_base64(&image, &text, err));
    json_object_set_new(shown, "png", json_stringn(text.data, text.length));
    if (!mixed && dataset->labels[place] >= 0)
        json_object_set_new(shown, "truth", json_string(dataset->classes[dataset->labels[place]]));
out:
    sl_buffer_release(&text);
    sl_image_release(&image);
    return status;
}

static enum sl_status add_item(const struct gallery *gallery, const char *item, json_t *list,
                               struct sl_error *err)
{
    json_t *values = json_array(), *shown = json_pack("{s:s, s:O}", "item", item, "values", values);
    enum sl_status status = SL_OK;
    for (size_t s = 0; s < gallery->n_series; s++) {
        size_t row;
        SL_TRY_OUT(find_row(gallery, &gallery->series[s], item, &row, err));
        json_t *shares = json_array();
        for (size_t k = 0; k < gallery->n_classes; k++)
            json_array_append_new(
                shares, json_real(round(value_at(&gallery->series[s], row, k) * 1e6) / 1e6));
        json_array_append_new(values, shares);
    }
    if (gallery->dataset) SL_TRY_OUT(add_picture(gallery, item, shown, err));
    json_array_append(list, shown);
out:
    json_decref(values);
    json_decref(shown);
    return status;
}

static json_t *class_names(const struct gallery *gallery)
{
    json_t *names = json_array();
    for (size_t k = 0; k < gallery->n_classes; k++)
        json_array_append_new(names, gallery->classes ? json_string(gallery->classes[k])
                                                      : json_sprintf("%zu", k));
    return names;
}

enum sl_status sl_prepare_gallery(const struct sl_preparation *preparation, struct sl_error *err)
{
    struct gallery gallery = {.step = preparation->step};
    json_t *items = json_array(), *series = json_array(), *made = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(open_gallery(preparation, &gallery, err));
    SL_TRY_OUT(choose(&gallery, err));
    for (size_t i = 0; i < json_array_size(gallery.items); i++)
        SL_TRY_OUT(
            add_item(&gallery, json_string_value(json_array_get(gallery.items, i)), items, err));
    for (size_t s = 0; s < gallery.n_series; s++)
        json_array_append_new(series, json_string(gallery.series[s].name));
    made = json_pack("{s:O, s:o, s:O}", "series", series, "classes", class_names(&gallery), "items",
                     items);
    SL_TRY_OUT(sl_json_write(made, preparation->output, err));
out:
    json_decref(made);
    json_decref(items);
    json_decref(series);
    gallery_release(&gallery);
    return status;
}
