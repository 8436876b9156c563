/* Figures that need no training: commands of the program, and where in their JSON the figure is. */
#include <stdlib.h>
#include <string.h>

#include "experiment/exhibits.h"
#include "experiment/spec_internal.h"
#include "softlab/base/memory.h"

/* Commands whose figures are of a sample of people or items, and that say how far chance moves
 * them if they are asked: a figure without its interval decides nothing. */
static const struct sampled {
    const char *command, *option; /* an option that must be there, or NULL */
} sampled[] = {{"quality", NULL}, {"compare", "--mix"}, {"eval", NULL}};
static const char n_resamples[] = "1000";

/* The words of a command, asked for intervals; the caller owns them. */
static json_t *with_intervals(const json_t *command)
{
    const char *name = json_string_value(json_array_get(command, 0));
    json_t *words = json_deep_copy(command);
    for (size_t i = 0; name && i < sizeof sampled / sizeof *sampled; i++) {
        if (strcmp(sampled[i].command, name) != 0 || sl_plan_lists(command, "--bootstrap") ||
            !sl_plan_lists(command, "--json") ||
            (sampled[i].option && !sl_plan_lists(command, sampled[i].option)))
            continue;
        json_array_append_new(words, json_string("--bootstrap"));
        json_array_append_new(words, json_string(n_resamples));
    }
    return words;
}

/* The job behind an entry, SL_NO_JOB if it reads published files by itself. */
static size_t job_of(struct sl_planner *planner, const json_t *entry)
{
    const json_t *command = json_object_get(entry, "command");
    const char *file = sl_plan_text(entry, "file");
    if (command) {
        json_t *words = with_intervals(command);
        const size_t job = sl_expand_command(planner, words, 1, true, "a figure");
        json_decref(words);
        return job;
    }
    return file ? sl_expand_file(planner, file, 1) : SL_NO_JOB;
}

static json_t *with_places(struct sl_planner *planner, const json_t *mean_of)
{
    struct sl_needs needs = {0};
    json_t *files = sl_expand_words(planner, json_object_get(mean_of, "files"), 1, &needs);
    return json_pack("{s:o, s:O}", "files", files, "columns", json_object_get(mean_of, "columns"));
}

/* How an entry's figure is read; into *job what it is read from, or SL_NO_JOB, and into *reason why
 * it cannot be had. */
static json_t *figure_of(struct sl_planner *planner, const json_t *entry, size_t *job,
                         const char **reason)
{
    static const char *const kept[] = {"path", "times", "divide", "as"};
    const json_t *mean_of = json_object_get(entry, "mean_of");
    const json_t *cells = json_object_get(entry, "cells");
    const char *missing = sl_plan_text(entry, "missing");
    json_t *figure = json_object(), *of = cells ? json_array() : NULL;
    *job = missing ? SL_NO_JOB : job_of(planner, entry);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (json_object_get(entry, kept[i]))
            json_object_set(figure, kept[i], json_object_get(entry, kept[i]));
    if (mean_of) json_object_set_new(figure, "mean_of", with_places(planner, mean_of));
    if (*job != SL_NO_JOB)
        json_object_set_new(figure, "output", json_string(planner->plan->jobs[*job].output));
    if (*job != SL_NO_JOB) missing = planner->plan->jobs[*job].missing;
    if (missing) *reason = missing;
    for (size_t i = 0; i < json_array_size(cells); i++) {
        size_t other; /* a job of the cell's own entry */
        const char *cell = json_string_value(json_array_get(cells, i));
        json_array_append_new(
            of, figure_of(planner, sl_spec_figure(planner->spec->json, cell), &other, reason));
    }
    if (of) json_object_set_new(figure, "of", of);
    return figure;
}

/* Adds the figure to `named`, from which the key is made, and if it can be had to the run. */
static void add_figure(struct sl_planner *planner, struct sl_run *run, const char *cell,
                       const json_t *entry, json_t *named)
{
    const char *reason = NULL;
    size_t job;
    json_t *figure = figure_of(planner, entry, &job, &reason);
    json_object_set(named, cell, figure);
    if (reason) {
        if (!run->absent) run->absent = json_object();
        json_object_set_new(run->absent, cell, json_string(reason));
    } else {
        json_object_set(run->figures, cell, figure);
        if (job != SL_NO_JOB) sl_run_add_scores(run, job);
    }
    json_decref(figure);
}

void sl_expand_figures(struct sl_planner *planner, struct sl_run *run)
{
    static const char *const keys[] = {"compute", "further"};
    json_t *named = json_object();
    run->figures = json_object();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *cell;
        json_t *entry;
        json_object_foreach(json_object_get(planner->spec->json, keys[i]), cell, entry)
        {
            add_figure(planner, run, cell, entry, named);
        }
    }
    sl_expand_show(planner, run, named);
    sl_identity_key("figures", sl_identity_of_value(planner, "", named), run->key);
    json_decref(named);
    if (json_object_size(run->figures) > 0 || json_array_size(run->exhibits) > 0) return;
    const char *cell = json_object_iter_key(json_object_iter(run->absent));
    run->missing =
        sl_string_printf("none of its figures can be computed here%s%s",
                         cell ? "; the first: " : "", cell ? sl_plan_text(run->absent, cell) : "");
}
