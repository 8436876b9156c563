#include <string.h>

#include "experiment/exhibits.h"
#include "experiment/spec_internal.h"
#include "softlab/plot.h"
#include "softlab/report.h"

static struct sl_json_cursor member(const struct sl_json_cursor *at, const char *key)
{
    return (struct sl_json_cursor){.document = at->document,
                                   .parent = at,
                                   .key = key,
                                   .value = json_object_get(at->value, key)};
}

static bool begins(const char *text, const char *head)
{
    return strncmp(text, head, strlen(head)) == 0;
}

/* ---- Galleries ---- */

static enum sl_status check_series(const struct sl_json_cursor *root,
                                   const struct sl_json_cursor *series, struct sl_error *err)
{
    const json_t *files = json_object_get(root->value, "files");
    const size_t count = json_object_size(series->value);
    const char *name;
    json_t *value;
    if (!json_is_object(series->value))
        return sl_json_fail(series, err, "expected an object of names and files");
    if (count < 1 || count > SL_GALLERY_MAX_SERIES)
        return sl_json_fail(series, err, "%zu series, expected 1 to %d", count,
                            SL_GALLERY_MAX_SERIES);
    json_object_foreach(series->value, name, value)
    {
        const struct sl_json_cursor at = member(series, name);
        const char *file = json_string_value(value);
        if (!file) return sl_json_fail(&at, err, "expected text");
        if (!begins(file, "{data}/") && !json_object_get(files, file))
            return sl_json_fail(
                &at, err, "no file of \"files\" is called \"%s\", and it is not in {data}/", file);
    }
    return SL_OK;
}

static enum sl_status check_number(const struct sl_json_cursor *gallery, const char *key,
                                   struct sl_error *err)
{
    const struct sl_json_cursor at = member(gallery, key);
    int64_t number;
    return at.value ? sl_json_integer(&at, 1, 1000, &number, err) : SL_OK;
}

static enum sl_status check_gallery(const struct sl_json_cursor *root,
                                    const struct sl_json_cursor *gallery, struct sl_error *err)
{
    const struct sl_json_cursor series = member(gallery, "series");
    const bool mixed = json_is_array(json_object_get(gallery->value, "images"));
    const struct sl_json_cursor data = member(gallery, "data"), class = member(gallery, "class");
    SL_TRY(check_series(root, &series, err));
    SL_TRY(check_number(gallery, "count", err));
    SL_TRY(check_number(gallery, "row", err));
    if (mixed && !data.value)
        return sl_json_fail(gallery, err, "\"data\" is missing: of what images are mixed");
    if (!mixed && data.value)
        return sl_json_fail(&data, err, "only where \"images\" lists mixed images");
    if (mixed && class.value) return sl_json_fail(&class, err, "mixed images have no true class");
    if (!mixed && !json_object_get(gallery->value, "items"))
        return sl_json_fail(gallery, err, "\"items\" is missing");
    return SL_OK;
}

/* ---- Charts ---- */

static bool has_cell(const struct sl_json_cursor *root, const char *pattern)
{
    static const char *const keys[] = {"compute", "further"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *cell;
        json_t *entry;
        json_object_foreach(json_object_get(root->value, keys[i]), cell, entry)
        {
            if (sl_exhibit_cell_fits(pattern, cell)) return true;
        }
    }
    return false;
}

static enum sl_status check_numbers(const struct sl_json_cursor *root,
                                    const struct sl_json_cursor *at, struct sl_error *err)
{
    const struct sl_json_cursor cells = member(at, "cells");
    if (!json_is_object(at->value)) return SL_OK;
    const bool found = json_object_get(at->value, "path") != NULL;
    const int sources = (json_object_get(at->value, "command") != NULL) +
                        (json_object_get(at->value, "file") != NULL) + (cells.value != NULL);
    if (sources != 1)
        return sl_json_fail(at, err, "one of \"cells\", \"command\" and \"file\" says what it is");
    if (found == (cells.value != NULL))
        return sl_json_fail(at, err, found ? "cells have no \"path\"" : "\"path\" is missing");
    for (size_t i = 0; i < json_array_size(cells.value); i++) {
        const struct sl_json_cursor cell = sl_json_element(&cells, i);
        if (!has_cell(root, json_string_value(cell.value)))
            return sl_json_fail(&cell, err, "neither \"compute\" nor \"further\" has it");
    }
    return SL_OK;
}

/* What a kind of chart cannot do without; kinds that are not here are drawn from runs only. */
static const struct {
    const char *kind, *needed;
} drawn[] = {{"bars", NULL}, {"scatter", "y"}, {"lines", "y"}, {"histogram", "x"}, {"forest", "x"}};

static enum sl_status check_kind(const struct sl_json_cursor *chart, const char **needed,
                                 struct sl_error *err)
{
    const struct sl_json_cursor kind = member(chart, "kind");
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        if (strcmp(drawn[i].kind, json_string_value(kind.value)) != 0) continue;
        *needed = drawn[i].needed;
        if (*needed) return SL_OK;
        /* Bars stand on the axis without categories. */
        const struct sl_json_cursor y = member(chart, "y");
        *needed = json_object_get(y.value, "categories") ? "x" : "y";
        return SL_OK;
    }
    return sl_json_fail(&kind, err, "expected bars, scatter, lines, histogram or forest");
}

static enum sl_status check_chart(const struct sl_json_cursor *root,
                                  const struct sl_json_cursor *chart, struct sl_error *err)
{
    const struct sl_json_cursor all = member(chart, "series");
    const char *needed = NULL, *name;
    json_t *value;
    SL_TRY(check_kind(chart, &needed, err));
    const size_t count = json_object_size(all.value);
    if (count < 1 || count > SL_PLOT_MAX_SERIES)
        return sl_json_fail(&all, err, "%zu series, expected 1 to %d", count, SL_PLOT_MAX_SERIES);
    json_object_foreach(all.value, name, value)
    {
        const struct sl_json_cursor series = member(&all, name);
        if (!json_object_get(value, needed))
            return sl_json_fail(&series, err, "\"%s\" is missing", needed);
        for (size_t i = 0; sl_exhibit_numbers[i]; i++) {
            const struct sl_json_cursor numbers = member(&series, sl_exhibit_numbers[i]);
            if (numbers.value) SL_TRY(check_numbers(root, &numbers, err));
        }
        if (!json_object_get(value, "x_low") != !json_object_get(value, "x_high") ||
            !json_object_get(value, "y_low") != !json_object_get(value, "y_high"))
            return sl_json_fail(&series, err, "an interval has a low and a high end");
    }
    return SL_OK;
}

enum sl_status sl_spec_check_show(const struct sl_json_cursor *root, struct sl_error *err)
{
    const struct sl_json_cursor show = member(root, "show");
    for (size_t i = 0; i < json_array_size(show.value); i++) {
        const struct sl_json_cursor exhibit = sl_json_element(&show, i);
        const struct sl_json_cursor gallery = member(&exhibit, "gallery");
        const struct sl_json_cursor chart = member(&exhibit, "chart");
        if (!gallery.value == !chart.value)
            return sl_json_fail(&exhibit, err, "expected either \"gallery\" or \"chart\"");
        for (size_t j = 0; j < i; j++) {
            const json_t *other = json_object_get(json_array_get(show.value, j), "title");
            if (json_equal(other, json_object_get(exhibit.value, "title")))
                return sl_json_fail(&exhibit, err, "an earlier one has the same title");
        }
        if (gallery.value) SL_TRY(check_gallery(root, &gallery, err));
        if (chart.value) SL_TRY(check_chart(root, &chart, err));
    }
    return SL_OK;
}
