/* Charts and galleries of a result line without training. Any program may have written the line:
 * incomplete pictures are left out, and a chart that cannot be drawn says why. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/present/present.h"

static const char *text_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static bool read_values(const json_t *list, size_t count, double *out)
{
    if (json_array_size(list) != count) return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(list, i);
        out[i] = json_is_number(value) ? json_number_value(value) : (double)NAN;
    }
    return true;
}

/* A text for each element, which the caller frees; the texts are borrowed. */
static const char **read_names(const json_t *list)
{
    const size_t count = json_array_size(list);
    const char **names = sl_alloc(count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        names[i] = name ? name : "?";
    }
    return names;
}

/* ---- Galleries ---- */

/* Shares that are none, such as null, make a picture incomplete. */
static bool are_shares(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(values[i] >= -SL_SHARE_ROUNDING && values[i] <= 1 + SL_SHARE_ROUNDING)) return false;
    return true;
}

static void show_picture(const struct sl_presentation *show, const struct sl_shown_gallery *gallery,
                         const json_t *entry, double *values)
{
    const size_t n_classes = json_array_size(gallery->classes);
    const char *name = text_at(entry, "item");
    for (size_t s = 0; s < gallery->n_series; s++)
        if (!read_values(gallery->values(entry, s), n_classes, values + s * n_classes)) return;
    if (!are_shares(values, gallery->n_series * n_classes)) return;
    const struct sl_gallery_item item = {.name = name ? name : "",
                                         .truth = text_at(entry, "truth"),
                                         .png = text_at(entry, "png"),
                                         .values = values};
    sl_report_picture(show->report, &item);
}

void sl_present_gallery(const struct sl_presentation *show, const struct sl_shown_gallery *gallery)
{
    const size_t n_classes = json_array_size(gallery->classes);
    if (n_classes == 0 || gallery->n_series == 0) { /* nothing to draw; the note may say why */
        sl_report_paragraph(show->report);
        sl_report_text(show->report, SL_STYLE_STRONG, "%s", gallery->title);
        if (gallery->note) sl_report_text(show->report, SL_STYLE_PLAIN, ". %s", gallery->note);
        return;
    }
    const char **classes = read_names(gallery->classes);
    double *values = sl_alloc(gallery->n_series * n_classes + 1, sizeof *values);
    const struct sl_gallery_head head = {.title = gallery->title,
                                         .badge = show->badge,
                                         .note = gallery->note,
                                         .series = gallery->series,
                                         .n_series = gallery->n_series,
                                         .classes = classes,
                                         .n_classes = n_classes};
    sl_report_gallery(show->report, &head);
    for (size_t i = 0; i < json_array_size(gallery->items); i++)
        show_picture(show, gallery, json_array_get(gallery->items, i), values);
    free(values);
    free(classes);
}

static const json_t *values_of(const json_t *item, size_t series)
{
    return json_array_get(json_object_get(item, "values"), series);
}

static void show_gallery(const struct sl_presentation *show, const json_t *from)
{
    const json_t *list = json_object_get(from, "series");
    const char *title = text_at(from, "title"), *note = text_at(from, "note");
    const char *lacks = text_at(from, "lacks"), **series = read_names(list);
    size_t n_series = json_array_size(list);
    if (n_series > SL_GALLERY_MAX_SERIES) n_series = SL_GALLERY_MAX_SERIES;
    char *words = sl_string_printf("%s%s%s%s%s", note ? note : "", note && lacks ? " " : "",
                                   lacks ? "The pictures are missing: " : "", lacks ? lacks : "",
                                   lacks ? "." : "");
    const struct sl_shown_gallery gallery = {.title = title ? title : "Pictures",
                                             .note = *words ? words : NULL,
                                             .series = series,
                                             .n_series = n_series,
                                             .classes = json_object_get(from, "classes"),
                                             .items = json_object_get(from, "items"),
                                             .values = values_of};
    sl_present_gallery(show, &gallery);
    free(words);
    free(series);
}

/* ---- Charts ---- */

static double number_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : 0;
}

/* The categories are the caller's to free. */
static struct sl_plot_axis read_axis(const json_t *axis, const char ***categories)
{
    const json_t *list = json_object_get(axis, "categories");
    *categories = read_names(list);
    return (struct sl_plot_axis){
        .label = text_at(axis, "label"),
        .unit = text_at(axis, "unit"),
        .scale = json_array_size(list)                        ? SL_SCALE_CATEGORY
                 : json_is_true(json_object_get(axis, "log")) ? SL_SCALE_LOG
                                                              : SL_SCALE_LINEAR,
        .low = number_at(axis, "low"),
        .high = number_at(axis, "high"),
        .categories = *categories,
        .n_categories = json_array_size(list),
    };
}

/* The caller frees *storage, which holds the numbers. False if the lists differ in length. */
static bool read_series(const json_t *from, struct sl_plot_series *out, double **storage)
{
    const double *arrays[6] = {NULL};
    size_t count = 0;
    for (size_t i = 0; sl_exhibit_numbers[i]; i++) {
        const size_t length = json_array_size(json_object_get(from, sl_exhibit_numbers[i]));
        count = length > count ? length : count;
    }
    *storage = sl_alloc(6 * count + 1, sizeof **storage);
    for (size_t i = 0; sl_exhibit_numbers[i]; i++) {
        const json_t *list = json_object_get(from, sl_exhibit_numbers[i]);
        if (!list) continue;
        if (!read_values(list, count, *storage + i * count)) return false;
        arrays[i] = *storage + i * count;
    }
    const char *name = text_at(from, "name");
    *out = (struct sl_plot_series){
        .name = name ? name : "?",
        .count = count,
        .x = arrays[0],
        .y = arrays[1],
        .x_low = arrays[2],
        .x_high = arrays[3],
        .y_low = arrays[4],
        .y_high = arrays[5],
        .reference = json_is_true(json_object_get(from, "reference")),
        .band = json_is_true(json_object_get(from, "band")),
        .plain = json_is_true(json_object_get(from, "plain")),
    };
    return true;
}

static bool read_kind(const json_t *from, enum sl_plot_kind *out)
{
    const char *name = text_at(from, "kind");
    for (size_t i = 0; name && sl_plot_kinds[i].name; i++)
        if (strcmp(sl_plot_kinds[i].name, name) == 0) {
            *out = (enum sl_plot_kind)i;
            return true;
        }
    return false;
}

static enum sl_status draw_chart(const struct sl_presentation *show, const json_t *from,
                                 struct sl_error *err)
{
    const json_t *list = json_object_get(from, "series");
    const char **categories[2] = {NULL};
    double *storage[SL_PLOT_MAX_SERIES] = {NULL};
    struct sl_plot_series series[SL_PLOT_MAX_SERIES];
    struct sl_plot plot = {.title = text_at(from, "title"),
                           .note = text_at(from, "note"),
                           .x = read_axis(json_object_get(from, "x"), &categories[0]),
                           .y = read_axis(json_object_get(from, "y"), &categories[1]),
                           .series = series,
                           .share = true};
    bool is_whole = read_kind(from, &plot.kind) && json_array_size(list) <= SL_PLOT_MAX_SERIES;
    while (is_whole && plot.n_series < json_array_size(list)) {
        const size_t s = plot.n_series++;
        is_whole = read_series(json_array_get(list, s), &series[s], &storage[s]);
    }
    const enum sl_status status = is_whole
                                      ? sl_report_chart(show->report, &plot, show->badge, err)
                                      : sl_fail(err, SL_ERR_INPUT,
                                                "its kind is unknown, it has more than %d series, "
                                                "or lists of a series differ in length",
                                                SL_PLOT_MAX_SERIES);
    for (size_t s = 0; s < SL_PLOT_MAX_SERIES; s++)
        free(storage[s]);
    free(categories[0]);
    free(categories[1]);
    return status;
}

static void show_chart(const struct sl_presentation *show, const json_t *from)
{
    struct sl_error err;
    const char *title = text_at(from, "title");
    if (draw_chart(show, from, &err) == SL_OK) return;
    sl_report_note(show->report, SL_TONE_WARNING);
    sl_report_text(show->report, SL_STYLE_STRONG, "%s", title ? title : "A chart");
    sl_report_text(show->report, SL_STYLE_PLAIN, " cannot be drawn: %s.", err.message);
}

/* ---- Both ---- */

void sl_present_exhibits(const struct sl_presentation *show)
{
    const struct sl_result *result = show->outcome->exhibits;
    const json_t *charts = json_object_get(result->json, "charts");
    json_t *galleries = result->galleries ? json_loads(result->galleries, 0, NULL) : NULL;
    for (size_t i = 0; i < json_array_size(charts); i++)
        show_chart(show, json_array_get(charts, i));
    for (size_t i = 0; i < json_array_size(galleries); i++)
        show_gallery(show, json_array_get(galleries, i));
    json_decref(galleries);
}
