/* Jobs for galleries and charts. A gallery is one prepared file. A chart only records where its
 * numbers are, since most of them are figures of the run. */
#include <stdlib.h>
#include <string.h>

#include "experiment/run/exhibits.h"
#include "softlab/base/memory.h"

static void say_absent(struct sl_run *run, const char *title, const char *reason)
{
    if (!run->absent) run->absent = json_object();
    json_object_set_new(run->absent, title, json_string(reason));
}

/* ---- Galleries ---- */

/* [["CIFAR-10S", "cache/...npz"], ...]; *reason, which the caller frees, names a file that is
 * missing. */
static json_t *series_of(struct sl_planner *planner, const struct sl_spec_gallery *gallery,
                         struct sl_needs *needs, char **reason)
{
    json_t *series = json_array();
    for (size_t i = 0; i < gallery->series.count; i++) {
        char *place = sl_expand_word(planner, gallery->series.items[i].text, 1, needs);
        char *path = NULL;
        struct sl_error err;
        if (planner->options->roots && !*reason && *place == '@' &&
            sl_experiment_place(planner->options->roots, place, &path, &err) != SL_OK)
            *reason = sl_string_copy(err.message);
        json_array_append_new(series, json_pack("[s, s]", gallery->series.names[i], place));
        free(path);
        free(place);
    }
    return series;
}

static json_t *items_of(struct sl_planner *planner, const struct sl_spec_gallery *gallery,
                        struct sl_needs *needs)
{
    const struct sl_spec_items *from = gallery->items_from;
    if (!from) return sl_text_list_json(gallery->items.items ? &gallery->items : &gallery->mixed);
    const size_t job =
        sl_expand_command(planner, &from->command, 1, true, "the items of a gallery");
    sl_needs_add(needs, job);
    return json_pack("{s:s, s:s}", "output", planner->plan->jobs[job].output, "path", from->path);
}

/* The gallery's step, with all inputs. */
static json_t *gallery_step(struct sl_planner *planner, const struct sl_spec_gallery *gallery,
                            struct sl_needs *needs, char **reason)
{
    const bool mixed = gallery->mixed.items;
    const char *data = mixed ? gallery->data : gallery->images;
    json_t *step = sl_fields_write(&sl_spec_choice_fields, gallery);
    json_object_set_new(step, "prepare", json_string("gallery"));
    json_object_set_new(step, "series", series_of(planner, gallery, needs, reason));
    json_object_set_new(step, "items", items_of(planner, gallery, needs));
    if (data) json_object_set_new(step, "data", json_string(data));
    if (mixed) json_object_set_new(step, "mixed", json_true());
    return step;
}

/* Add the gallery to `named`, for the key, and its output to `exhibit`. False if it cannot be made.
 */
static bool expand_gallery(struct sl_planner *planner, struct sl_run *run,
                           const struct sl_spec_exhibit *shown, json_t *exhibit, json_t *named)
{
    const char *title = shown->title;
    struct sl_needs needs = {0};
    struct sl_error err;
    char *reason = NULL;
    struct sl_plan_set set;
    json_t *step = gallery_step(planner, shown->gallery, &needs, &reason);
    json_object_set_new(named, "gallery", json_deep_copy(step));
    const char *data = sl_plan_text(step, "data");
    /* Without images the gallery still shows the distributions. */
    if (data && planner->options->roots && sl_plan_data(planner, data, &set, &err) != SL_OK) {
        say_absent(run, title, err.message);
        json_object_del(step, "data");
        json_object_del(step, "mixed");
    }
    const size_t job = sl_plan_add_job(planner, step, NULL, ".gallery.json", &needs, title);
    if (reason) sl_plan_miss(planner, job, reason);
    free(reason);
    const struct sl_job *made = &planner->plan->jobs[job];
    if (made->missing) {
        say_absent(run, title, made->missing);
        return false;
    }
    json_object_set_new(exhibit, "gallery", json_string(made->output));
    sl_run_add_scores(run, job);
    return true;
}

/* ---- Charts ---- */

/* Cells, or the output and path of the numbers; *reason, borrowed, says why they cannot be
 * computed. */
static json_t *source_of(struct sl_planner *planner, struct sl_run *run,
                         const struct sl_spec_source *from, const char **reason)
{
    json_t *source = sl_fields_write(&sl_spec_numbers_fields, from);
    if (from->cells.items) return source;
    const size_t job =
        from->file ? sl_expand_file(planner, from->file, 1)
                   : sl_expand_command(planner, &from->command, 1, true, "numbers of a chart");
    const struct sl_job *made = &planner->plan->jobs[job];
    json_object_set_new(source, "output", json_string(made->output));
    if (made->missing)
        *reason = made->missing;
    else
        sl_run_add_scores(run, job);
    return source;
}

/* The series as written, with its sources resolved. */
static json_t *series_json(struct sl_planner *planner, struct sl_run *run,
                           const struct sl_spec_chart *chart, size_t place, const char **reason)
{
    const struct sl_spec_series *series = &chart->series.items[place];
    json_t *one = json_pack("{s:s}", "name", chart->series.names[place]);
    json_t *written = sl_fields_write(&sl_spec_series_fields, series);
    json_object_update(one, written);
    json_decref(written);
    for (size_t i = 0; i < SL_SPEC_AXES; i++)
        if (series->numbers[i].from)
            json_object_set_new(one, sl_exhibit_numbers[i],
                                source_of(planner, run, series->numbers[i].from, reason));
    return one;
}

static bool expand_chart(struct sl_planner *planner, struct sl_run *run,
                         const struct sl_spec_exhibit *shown, json_t *exhibit, json_t *named)
{
    json_t *drawn = sl_fields_write(&sl_spec_frame_fields, shown->chart), *all = json_array();
    const char *reason = NULL;
    for (size_t i = 0; i < shown->chart->series.count; i++)
        json_array_append_new(all, series_json(planner, run, shown->chart, i, &reason));
    json_object_set_new(drawn, "series", all);
    json_object_set(named, "chart", drawn);
    json_object_set_new(exhibit, "chart", drawn);
    if (reason) say_absent(run, shown->title, reason);
    return !reason;
}

void sl_expand_show(struct sl_planner *planner, struct sl_run *run, json_t *named)
{
    const struct sl_spec_exhibits *show = &planner->body->show;
    if (!show->items) return;
    json_t *names = json_array();
    run->exhibits = json_array();
    for (size_t i = 0; i < show->count; i++) {
        const struct sl_spec_exhibit *shown = &show->items[i];
        json_t *exhibit = sl_fields_write(&sl_spec_heading_fields, shown);
        json_t *name = json_copy(exhibit);
        const bool can = shown->gallery ? expand_gallery(planner, run, shown, exhibit, name)
                                        : expand_chart(planner, run, shown, exhibit, name);
        json_array_append_new(names, name);
        if (can) json_array_append(run->exhibits, exhibit);
        json_decref(exhibit);
    }
    json_object_set_new(named, "show", names);
}
