/* Galleries and charts of a specification as jobs. A gallery is prepared as one file; a chart only
 * names where its numbers are, since most of them are figures of the run. */
#include <stdlib.h>
#include <string.h>

#include "experiment/exhibits.h"
#include "softlab/base/memory.h"

static void copy_member(const json_t *from, json_t *to, const char *key)
{
    json_t *value = json_object_get(from, key);
    if (value) json_object_set(to, key, value);
}

static void say_absent(struct sl_run *run, const char *title, const char *reason)
{
    if (!run->absent) run->absent = json_object();
    json_object_set_new(run->absent, title, json_string(reason));
}

/* ---- Galleries ---- */

/* [["CIFAR-10S", "cache/...npz"], ...]; in *reason, which the caller frees, what is not here. */
static json_t *series_of(struct sl_planner *planner, const json_t *gallery, struct sl_needs *needs,
                         char **reason)
{
    json_t *series = json_array(), *named = json_object_get(gallery, "series");
    const char *name;
    json_t *file;
    json_object_foreach(named, name, file)
    {
        json_t *word = json_pack("[O]", file);
        json_t *filled = sl_expand_words(planner, word, 1, needs);
        const char *place = json_string_value(json_array_get(filled, 0));
        char *path = NULL;
        struct sl_error err;
        if (planner->options->roots && !*reason && *place == '@' &&
            sl_experiment_place(planner->options->roots, place, &path, &err) != SL_OK)
            *reason = sl_string_copy(err.message);
        json_array_append_new(series, json_pack("[s, s]", name, place));
        free(path);
        json_decref(word);
        json_decref(filled);
    }
    return series;
}

static json_t *items_of(struct sl_planner *planner, json_t *items, struct sl_needs *needs)
{
    if (!json_is_object(items)) return json_incref(items);
    const size_t job = sl_expand_command(planner, json_object_get(items, "command"), 1, true,
                                         "the items of a gallery");
    sl_needs_add(needs, job);
    return json_pack("{s:s, s:O}", "output", planner->plan->jobs[job].output, "path",
                     json_object_get(items, "path"));
}

/* The step as it is where everything is here. */
static json_t *gallery_step(struct sl_planner *planner, const json_t *gallery,
                            struct sl_needs *needs, char **reason)
{
    static const char *const kept[] = {"class", "count", "row"};
    json_t *images = json_object_get(gallery, "images"), *items = json_object_get(gallery, "items");
    const bool mixed = json_is_array(images);
    json_t *step = json_pack("{s:s}", "prepare", "gallery");
    json_object_set_new(step, "series", series_of(planner, gallery, needs, reason));
    json_object_set_new(step, "items", items_of(planner, items ? items : images, needs));
    if (images) json_object_set(step, "data", mixed ? json_object_get(gallery, "data") : images);
    if (mixed) json_object_set_new(step, "mixed", json_true());
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        copy_member(gallery, step, kept[i]);
    return step;
}

/* Adds to `named` what it is by name and to `exhibit` where it will be. */
static bool expand_gallery(struct sl_planner *planner, struct sl_run *run, const json_t *gallery,
                           json_t *exhibit, json_t *named)
{
    const char *title = sl_plan_text(exhibit, "title");
    struct sl_needs needs = {0};
    struct sl_error err;
    char *reason = NULL;
    struct sl_plan_set set;
    json_t *step = gallery_step(planner, gallery, &needs, &reason);
    json_object_set_new(named, "gallery", json_deep_copy(step));
    const char *data = sl_plan_text(step, "data");
    /* Distributions can be shown without pictures. */
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

/* Numbers, cells, or the output and path where numbers are; NULL with *reason, borrowed, if they
 * cannot be had here. */
static json_t *numbers_of(struct sl_planner *planner, struct sl_run *run, json_t *numbers,
                          const char **reason)
{
    static const char *const kept[] = {"cells", "path", "times", "share"};
    const json_t *command = json_object_get(numbers, "command");
    const char *file = sl_plan_text(numbers, "file");
    if (!json_is_object(numbers)) return json_incref(numbers);
    json_t *source = json_object();
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        copy_member(numbers, source, kept[i]);
    if (!command && !file) return source;
    const size_t job = command ? sl_expand_command(planner, command, 1, true, "numbers of a chart")
                               : sl_expand_file(planner, file, 1);
    const struct sl_job *made = &planner->plan->jobs[job];
    json_object_set_new(source, "output", json_string(made->output));
    if (made->missing)
        *reason = made->missing;
    else
        sl_run_add_scores(run, job);
    return source;
}

static bool expand_chart(struct sl_planner *planner, struct sl_run *run, const json_t *chart,
                         json_t *exhibit, json_t *named)
{
    static const char *const marks[] = {"reference", "band", "plain"};
    json_t *drawn = json_object(), *all = json_array(), *series;
    const char *reason = NULL, *name;
    copy_member(chart, drawn, "kind");
    copy_member(chart, drawn, "x");
    copy_member(chart, drawn, "y");
    json_object_foreach(json_object_get(chart, "series"), name, series)
    {
        json_t *one = json_pack("{s:s}", "name", name);
        for (size_t i = 0; sl_exhibit_numbers[i]; i++) {
            json_t *numbers = json_object_get(series, sl_exhibit_numbers[i]);
            if (numbers)
                json_object_set_new(one, sl_exhibit_numbers[i],
                                    numbers_of(planner, run, numbers, &reason));
        }
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
            copy_member(series, one, marks[i]);
        json_array_append_new(all, one);
    }
    json_object_set_new(drawn, "series", all);
    json_object_set(named, "chart", drawn);
    json_object_set_new(exhibit, "chart", drawn);
    if (reason) say_absent(run, sl_plan_text(exhibit, "title"), reason);
    return !reason;
}

void sl_expand_show(struct sl_planner *planner, struct sl_run *run, json_t *named)
{
    const json_t *show = json_object_get(planner->spec->json, "show");
    if (!show) return;
    json_t *names = json_array();
    run->exhibits = json_array();
    for (size_t i = 0; i < json_array_size(show); i++) {
        const json_t *entry = json_array_get(show, i);
        const json_t *gallery = json_object_get(entry, "gallery");
        json_t *exhibit = json_object();
        copy_member(entry, exhibit, "title");
        copy_member(entry, exhibit, "note");
        json_t *name = json_copy(exhibit);
        const bool can =
            gallery ? expand_gallery(planner, run, gallery, exhibit, name)
                    : expand_chart(planner, run, json_object_get(entry, "chart"), exhibit, name);
        json_array_append_new(names, name);
        if (can) json_array_append(run->exhibits, exhibit);
        json_decref(exhibit);
    }
    json_object_set_new(named, "show", names);
}
