#include <string.h>

#include "experiment/run/exhibits.h"
#include "experiment/spec/spec_internal.h"
#include "softlab/plot.h"
#include "softlab/report.h"

/* ---- Galleries ---- */

static enum sl_status check_series(const struct sl_spec_body *body,
                                   const struct sl_spec_gallery *gallery,
                                   const struct sl_json_cursor *at, struct sl_error *err)
{
    static const char data[] = "{data}/";
    const struct sl_json_cursor series = sl_json_below(at, "series");
    const size_t count = gallery->series.count;
    if (count < 1 || count > SL_GALLERY_MAX_SERIES)
        return sl_json_fail(&series, err, "%zu series, expected 1 to %d", count,
                            SL_GALLERY_MAX_SERIES);
    for (size_t i = 0; i < count; i++) {
        const struct sl_json_cursor entry = sl_json_below(&series, gallery->series.names[i]);
        const char *file = gallery->series.items[i].text;
        if (strncmp(file, data, sizeof data - 1) != 0 && !sl_spec_file_find(body, file))
            return sl_json_fail(&entry, err,
                                "no file of \"files\" is called \"%s\", and it is not in {data}/",
                                file);
    }
    return SL_OK;
}

static enum sl_status check_gallery(const struct sl_spec_body *body,
                                    const struct sl_spec_gallery *gallery,
                                    const struct sl_json_cursor *at, struct sl_error *err)
{
    const bool mixed = gallery->mixed.items;
    const struct sl_json_cursor data = sl_json_below(at, "data"),
                                class = sl_json_below(at, "class");
    SL_TRY(check_series(body, gallery, at, err));
    if (mixed && !gallery->data)
        return sl_json_fail(at, err,
                            "\"data\" is missing: name the data set whose images are mixed");
    if (!mixed && gallery->data)
        return sl_json_fail(&data, err,
                            "has no effect unless \"images\" lists mixed images; leave it out");
    if (mixed && (gallery->class || gallery->classes.items))
        return sl_json_fail(&class, err, "mixed images have no true class");
    if (!mixed && !gallery->items.items && !gallery->items_from)
        return sl_json_fail(at, err, "\"items\" is missing");
    return SL_OK;
}

/* ---- Charts ---- */

static bool has_cell(const struct sl_spec_body *body, const char *pattern)
{
    const struct sl_spec_figures *const blocks[] = {&body->compute, &body->further};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (size_t j = 0; j < blocks[i]->count; j++)
            if (sl_exhibit_cell_fits(pattern, blocks[i]->names[j])) return true;
    return false;
}

static enum sl_status check_source(const struct sl_spec_body *body,
                                   const struct sl_spec_source *source,
                                   const struct sl_json_cursor *at, struct sl_error *err)
{
    const struct sl_json_cursor cells = sl_json_below(at, "cells");
    const int sources =
        (source->command.items != NULL) + (source->file != NULL) + (source->cells.items != NULL);
    if (sources != 1)
        return sl_json_fail(at, err, "give exactly one of \"cells\", \"command\" and \"file\"");
    if (!source->path == !source->cells.items)
        return sl_json_fail(at, err,
                            source->path ? "\"path\" has no effect on \"cells\"; leave it out"
                                         : "\"path\" is missing");
    for (size_t i = 0; source->cells.items && i < source->cells.count; i++) {
        const struct sl_json_cursor cell = sl_json_element(&cells, i);
        if (!has_cell(body, source->cells.items[i]))
            return sl_json_fail(&cell, err, "neither \"compute\" nor \"further\" has this cell");
    }
    return SL_OK;
}

/* Indices into sl_exhibit_numbers. */
enum { X, Y, X_LOW, X_HIGH, Y_LOW, Y_HIGH };

/* The numbers that each kind of chart needs; bars need those of the axis without categories. Other
 * kinds are drawn from runs only. */
static const struct {
    const char *kind;
    int needed;
} drawn[] = {{"bars", Y}, {"scatter", Y}, {"lines", Y}, {"histogram", X}, {"forest", X}};

static enum sl_status check_kind(const struct sl_spec_chart *chart, const struct sl_json_cursor *at,
                                 int *needed, struct sl_error *err)
{
    const struct sl_json_cursor kind = sl_json_below(at, "kind");
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        if (strcmp(drawn[i].kind, chart->kind) != 0) continue;
        *needed = i == 0 && chart->y && chart->y->categories.items ? X : drawn[i].needed;
        return SL_OK;
    }
    return sl_json_fail(&kind, err, "expected bars, scatter, lines, histogram or forest");
}

static bool has(const struct sl_spec_series *series, int place)
{
    return series->numbers[place].values.items || series->numbers[place].from;
}

static enum sl_status check_drawn(const struct sl_spec_body *body,
                                  const struct sl_spec_series *series, int needed,
                                  const struct sl_json_cursor *at, struct sl_error *err)
{
    if (!has(series, needed))
        return sl_json_fail(at, err, "\"%s\" is missing", sl_exhibit_numbers[needed]);
    for (size_t i = 0; i < SL_SPEC_AXES; i++) {
        const struct sl_json_cursor numbers = sl_json_below(at, sl_exhibit_numbers[i]);
        if (series->numbers[i].from)
            SL_TRY(check_source(body, series->numbers[i].from, &numbers, err));
    }
    if (has(series, X_LOW) != has(series, X_HIGH) || has(series, Y_LOW) != has(series, Y_HIGH))
        return sl_json_fail(at, err, "an interval needs a low and a high end");
    return SL_OK;
}

static enum sl_status check_chart(const struct sl_spec_body *body,
                                  const struct sl_spec_chart *chart,
                                  const struct sl_json_cursor *at, struct sl_error *err)
{
    const struct sl_json_cursor all = sl_json_below(at, "series");
    const size_t count = chart->series.count;
    int needed = X;
    SL_TRY(check_kind(chart, at, &needed, err));
    if (count < 1 || count > SL_PLOT_MAX_SERIES)
        return sl_json_fail(&all, err, "%zu series, expected 1 to %d", count, SL_PLOT_MAX_SERIES);
    for (size_t i = 0; i < count; i++) {
        const struct sl_json_cursor series = sl_json_below(&all, chart->series.names[i]);
        SL_TRY(check_drawn(body, &chart->series.items[i], needed, &series, err));
    }
    return SL_OK;
}

enum sl_status sl_spec_check_show(const struct sl_spec_body *body,
                                  const struct sl_json_cursor *root, struct sl_error *err)
{
    const struct sl_json_cursor show = sl_json_below(root, "show");
    for (size_t i = 0; i < body->show.count; i++) {
        const struct sl_spec_exhibit *exhibit = &body->show.items[i];
        const struct sl_json_cursor at = sl_json_element(&show, i);
        const struct sl_json_cursor gallery = sl_json_below(&at, "gallery");
        const struct sl_json_cursor chart = sl_json_below(&at, "chart");
        if (!exhibit->gallery == !exhibit->chart)
            return sl_json_fail(&at, err, "expected either \"gallery\" or \"chart\"");
        for (size_t j = 0; j < i; j++)
            if (strcmp(body->show.items[j].title, exhibit->title) == 0)
                return sl_json_fail(&at, err, "an earlier exhibit has the same title");
        if (exhibit->gallery) SL_TRY(check_gallery(body, exhibit->gallery, &gallery, err));
        if (exhibit->chart) SL_TRY(check_chart(body, exhibit->chart, &chart, err));
    }
    return SL_OK;
}
