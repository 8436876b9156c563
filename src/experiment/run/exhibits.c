/* Collects the numbers and images of a run's exhibits from the outputs of its jobs. */
#include "experiment/run/exhibits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/run/runner.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"
#include "softlab/base/text.h"

enum { EXHIBIT_LIMIT = 1 << 28 };

const char *const sl_exhibit_numbers[] = {"x", "y", "x_low", "x_high", "y_low", "y_high", NULL};

bool sl_exhibit_cell_fits(const char *pattern, const char *cell)
{
    const char *star = strchr(pattern, '*');
    if (!star) return strcmp(pattern, cell) == 0;
    const size_t head = (size_t)(star - pattern), tail = strlen(star + 1), length = strlen(cell);
    return length >= head + tail && strncmp(pattern, cell, head) == 0 &&
           strcmp(cell + length - tail, star + 1) == 0;
}

/* ---- Charts ---- */

static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* The value of a cell; for a key with a star, the mean over the matching cells with its interval.
 */
static struct sl_interval cell_value(json_t *computed, const char *pattern)
{
    double *values = sl_alloc(json_object_size(computed) + 1, sizeof *values);
    size_t count = 0;
    const char *cell;
    json_t *value;
    json_object_foreach(computed, cell, value)
    {
        if (sl_exhibit_cell_fits(pattern, cell) && json_is_number(value))
            values[count++] = json_number_value(value);
    }
    const struct sl_interval mean = sl_mean_interval(values, count, .95);
    free(values);
    return mean;
}

struct chart {
    const char *folder; /* the results folder */
    json_t *computed;   /* borrowed */
};

/* Write cells to `series`; means come with their interval. */
static void put_cells(const struct chart *chart, const json_t *source, const char *key,
                      json_t *series)
{
    const json_t *cells = json_object_get(source, "cells"),
                 *times = json_object_get(source, "times");
    const double factor = times ? json_number_value(times) : 1;
    json_t *values = json_array(), *low = json_array(), *high = json_array();
    bool means = false;
    for (size_t i = 0; i < json_array_size(cells); i++) {
        const char *pattern = json_string_value(json_array_get(cells, i));
        const struct sl_interval mean = cell_value(chart->computed, pattern);
        means = means || strchr(pattern, '*');
        json_array_append_new(values, number_or_null(factor * mean.estimate));
        json_array_append_new(low, number_or_null(factor * mean.low));
        json_array_append_new(high, number_or_null(factor * mean.high));
    }
    json_object_set_new(series, key, values);
    if (means) {
        char *name = sl_string_printf("%s_low", key);
        json_object_set(series, name, low);
        free(name);
        name = sl_string_printf("%s_high", key);
        json_object_set(series, name, high);
        free(name);
    }
    json_decref(low);
    json_decref(high);
}

/* Write the numbers at a path of a job's output, in the chart's unit. */
static enum sl_status put_found(const struct chart *chart, const json_t *source, const char *key,
                                json_t *series, struct sl_error *err)
{
    char *path = sl_path_join(chart->folder, sl_plan_text(source, "output"));
    const json_t *times = json_object_get(source, "times");
    struct sl_json document = {0};
    json_t *found = NULL, *values = json_array();
    double sum = 0, factor = times ? json_number_value(times) : 1;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_json_read(path, EXHIBIT_LIMIT, &document, err));
    SL_TRY_OUT(sl_figures_at(document.root, sl_plan_text(source, "path"), &found, err));
    for (size_t i = 0; i < json_array_size(found); i++)
        sum += json_number_value(json_array_get(found, i));
    if (json_is_true(json_object_get(source, "share"))) factor *= 100 / sum;
    for (size_t i = 0; i < json_array_size(found); i++) {
        const json_t *value = json_array_get(found, i);
        if (!json_is_number(value) && !json_is_null(value)) {
            status = sl_fail(err, SL_ERR_INPUT, "%s: value %zu is not a number",
                             sl_plan_text(source, "path"), i + 1);
            goto out;
        }
        json_array_append_new(values, json_is_null(value)
                                          ? json_null()
                                          : number_or_null(factor * json_number_value(value)));
    }
    json_object_set(series, key, values);
out:
    json_decref(values);
    json_decref(found);
    sl_json_release(&document);
    free(path);
    return status;
}

/* All lists of numbers in a series must have the same length. */
static enum sl_status check_lengths(const json_t *series, struct sl_error *err)
{
    const char *first = NULL;
    for (size_t i = 0; sl_exhibit_numbers[i]; i++) {
        const json_t *numbers = json_object_get(series, sl_exhibit_numbers[i]);
        if (!numbers) continue;
        if (!first) first = sl_exhibit_numbers[i];
        const size_t count = json_array_size(numbers);
        const size_t wanted = json_array_size(json_object_get(series, first));
        if (count != wanted)
            return sl_fail(err, SL_ERR_INPUT,
                           "series \"%.80s\" has %zu value%s for %s and %zu for %s",
                           sl_plan_text(series, "name"), wanted, sl_text_plural(wanted, "", "s"),
                           first, count, sl_exhibit_numbers[i]);
    }
    return SL_OK;
}

static enum sl_status draw_series(const struct chart *chart, const json_t *from, json_t *series,
                                  struct sl_error *err)
{
    for (size_t i = 0; sl_exhibit_numbers[i]; i++) {
        const char *key = sl_exhibit_numbers[i];
        const json_t *source = json_object_get(from, key);
        if (json_object_get(source, "cells"))
            put_cells(chart, source, key, series);
        else if (json_object_get(source, "output"))
            SL_TRY(put_found(chart, source, key, series, err));
    }
    return check_lengths(series, err);
}

static enum sl_status draw_chart(const struct chart *chart, const json_t *exhibit, json_t *charts,
                                 struct sl_error *err)
{
    json_t *drawn = json_deep_copy(json_object_get(exhibit, "chart"));
    json_t *all = json_object_get(drawn, "series"), *note = json_object_get(exhibit, "note");
    enum sl_status status = SL_OK;
    json_object_set(drawn, "title", json_object_get(exhibit, "title"));
    if (note) json_object_set(drawn, "note", note);
    for (size_t i = 0; i < json_array_size(all); i++) {
        json_t *series = json_array_get(all, i), *from = json_copy(series);
        status = draw_series(chart, from, series, err);
        json_decref(from);
        SL_TRY_OUT(status);
    }
    json_array_append(charts, drawn);
out:
    json_decref(drawn);
    return status;
}

/* ---- Galleries ---- */

static enum sl_status take_gallery(const struct sl_run *run, const char *folder,
                                   const json_t *exhibit, json_t *galleries, struct sl_error *err)
{
    const char *title = sl_plan_text(exhibit, "title");
    char *path = sl_path_join(folder, sl_plan_text(exhibit, "gallery"));
    struct sl_json gallery = {0};
    const enum sl_status status = sl_json_read(path, EXHIBIT_LIMIT, &gallery, err);
    free(path);
    if (status != SL_OK) return status;
    json_t *note = json_object_get(exhibit, "note"), *lacks = json_object_get(run->absent, title);
    json_t *shown = json_pack("{s:s}", "title", title);
    if (note) json_object_set(shown, "note", note);
    if (lacks) json_object_set(shown, "lacks", lacks);
    json_object_update(shown, gallery.root);
    json_array_append_new(galleries, shown);
    sl_json_release(&gallery);
    return SL_OK;
}

enum sl_status sl_exhibits_collect(const struct sl_run *run,
                                   const struct sl_experiment_runner *runner, json_t *line,
                                   struct sl_error *err)
{
    const struct chart chart = {runner->folder, json_object_get(line, "computed")};
    json_t *charts = json_array(), *galleries = json_array();
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < json_array_size(run->exhibits) && status == SL_OK; i++) {
        const json_t *exhibit = json_array_get(run->exhibits, i);
        status = json_object_get(exhibit, "chart")
                     ? draw_chart(&chart, exhibit, charts, err)
                     : take_gallery(run, runner->folder, exhibit, galleries, err);
        if (status != SL_OK) sl_fail_within(err, status, "%.120s", sl_plan_text(exhibit, "title"));
    }
    if (json_array_size(galleries)) json_object_set(line, "galleries", galleries);
    if (json_array_size(charts)) json_object_set(line, "charts", charts);
    json_decref(galleries);
    json_decref(charts);
    return status;
}
