/* Figures that need no training: commands of softlab, and the path of each figure in their JSON. */
#include <stdlib.h>
#include <string.h>

#include "experiment/run/exhibits.h"
#include "softlab/base/memory.h"

/* Commands whose figures come from a sample of people or items. They report an interval if asked;
 * without one a figure cannot decide a claim. */
static const struct sampled {
    const char *command, *option; /* an option that the command must have, or NULL */
} sampled[] = {{"quality", NULL}, {"compare", "--mix"}, {"eval", NULL}};
static const char n_resamples[] = "1000";

/* The command with a request for intervals; the caller releases it. */
static struct sl_text_list with_intervals(const struct sl_text_list *command)
{
    struct sl_text_list words = sl_text_list_copy(command);
    for (size_t i = 0; command->count > 0 && i < sizeof sampled / sizeof *sampled; i++) {
        if (strcmp(sampled[i].command, command->items[0]) != 0 ||
            sl_text_list_has(command, "--bootstrap") || !sl_text_list_has(command, "--json") ||
            (sampled[i].option && !sl_text_list_has(command, sampled[i].option)))
            continue;
        sl_text_list_add(&words, "--bootstrap");
        sl_text_list_add(&words, n_resamples);
    }
    return words;
}

/* The job of an entry; SL_NO_JOB if the entry reads published files. */
static size_t job_of(struct sl_planner *planner, const struct sl_spec_figure *entry)
{
    if (entry->command.items) {
        struct sl_text_list words = with_intervals(&entry->command);
        const size_t job = sl_expand_command(planner, &words, 1, true, "a figure");
        sl_text_list_release(&words);
        return job;
    }
    return entry->file ? sl_expand_file(planner, entry->file, 1) : SL_NO_JOB;
}

static json_t *with_places(struct sl_planner *planner, const struct sl_spec_mean *mean_of)
{
    struct sl_needs needs = {0};
    json_t *files = sl_expand_words(planner, &mean_of->files, 1, &needs);
    return json_pack("{s:o, s:O}", "files", files, "columns", mean_of->columns);
}

/* How a figure is read. *job is the job that prints it, or SL_NO_JOB; *reason says why it cannot be
 * computed, and is untouched if it can. */
static json_t *figure_of(struct sl_planner *planner, const struct sl_spec_figure *entry,
                         size_t *job, const char **reason)
{
    const char *missing = entry->missing;
    json_t *figure = sl_fields_write(&sl_spec_reading_fields, entry);
    json_t *of = entry->cells.items ? json_array() : NULL;
    *job = missing ? SL_NO_JOB : job_of(planner, entry);
    if (entry->mean_of)
        json_object_set_new(figure, "mean_of", with_places(planner, entry->mean_of));
    if (*job != SL_NO_JOB)
        json_object_set_new(figure, "output", json_string(planner->plan->jobs[*job].output));
    if (*job != SL_NO_JOB) missing = planner->plan->jobs[*job].missing;
    if (missing) *reason = missing;
    for (size_t i = 0; of && i < entry->cells.count; i++) {
        size_t other; /* not used: the cell's own entry adds this job */
        const struct sl_spec_figure *cell =
            sl_spec_figure_find(planner->body, entry->cells.items[i]);
        json_array_append_new(of, figure_of(planner, cell, &other, reason));
    }
    if (of) json_object_set_new(figure, "of", of);
    return figure;
}

/* Add the figure to `named`, which gives the key, and to the run if it can be computed. */
static void add_figure(struct sl_planner *planner, struct sl_run *run, const char *cell,
                       const struct sl_spec_figure *entry, json_t *named)
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
    const struct sl_spec_figures *const blocks[] = {&planner->body->compute,
                                                    &planner->body->further};
    json_t *named = json_object();
    run->figures = json_object();
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (size_t j = 0; j < blocks[i]->count; j++)
            add_figure(planner, run, blocks[i]->names[j], &blocks[i]->items[j], named);
    sl_expand_show(planner, run, named);
    sl_identity_key("figures", sl_identity_of_value(planner, "", named), run->key);
    json_decref(named);
    if (json_object_size(run->figures) > 0 || json_array_size(run->exhibits) > 0) return;
    const char *cell = json_object_iter_key(json_object_iter(run->absent));
    run->missing =
        sl_string_printf("none of its figures can be computed here%s%s",
                         cell ? "; the first: " : "", cell ? sl_plan_text(run->absent, cell) : "");
}
