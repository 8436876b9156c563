#include "experiment/launch/waves.h"

#include <stdlib.h>
#include <string.h>

#include "experiment/plan/plan.h"
#include "softlab/base/memory.h"

enum { MOST_GROUPS = 32 };

/* ---- What a run still needs ---- */

static void need(const struct sl_experiment *experiment, size_t index,
                 const struct sl_outputs *made, bool *needed)
{
    const struct sl_job *job = &experiment->jobs[index];
    if (needed[index] || sl_outputs_know(made, job)) return;
    needed[index] = true;
    for (size_t i = 0; i < job->n_needs; i++)
        need(experiment, job->needs[i], made, needed);
}

/* True for every training that the run needs and that is not made; the caller frees the list. */
static bool *trainings_of(const struct sl_experiment *experiment, size_t index,
                          const struct sl_outputs *made)
{
    const struct sl_run *run = &experiment->runs[index];
    bool *needed = sl_alloc(experiment->n_jobs + 1, sizeof *needed);
    for (size_t i = 0; i < run->n_scores; i++)
        need(experiment, run->scores[i], made, needed);
    if (run->training != SL_NO_JOB) need(experiment, run->training, made, needed);
    for (size_t i = 0; i < experiment->n_jobs; i++)
        needed[i] = needed[i] && experiment->jobs[i].network;
    return needed;
}

void sl_wave_note(const struct sl_experiment *experiment, size_t run, const struct sl_outputs *made,
                  const char *task, json_t *makers)
{
    bool *needed = trainings_of(experiment, run, made);
    for (size_t i = 0; i < experiment->n_jobs; i++)
        if (needed[i] && !json_object_get(makers, experiment->jobs[i].key))
            json_object_set_new(makers, experiment->jobs[i].key, json_string(task));
    free(needed);
}

bool sl_wave_needs(const struct sl_experiment *experiment, size_t run,
                   const struct sl_outputs *made, const json_t *makers)
{
    bool found = false, *needed = trainings_of(experiment, run, made);
    for (size_t i = 0; i < experiment->n_jobs && !found; i++)
        found = needed[i] && json_object_get(makers, experiment->jobs[i].key);
    free(needed);
    return found;
}

/* ---- Groups ---- */

/* Group 1 waits for nothing. */
static void wave_init(struct sl_wave *wave, size_t n_runs)
{
    *wave = (struct sl_wave){.group = sl_alloc(n_runs + 1, sizeof *wave->group),
                             .after = sl_alloc(2, sizeof *wave->after),
                             .n_groups = 1};
    wave->after[1] = json_object();
}

/* The group that waits for exactly these tasks; it is added if there is none. Takes `after`. */
static size_t group_of(struct sl_wave *wave, json_t *after)
{
    for (size_t i = 1; i <= wave->n_groups; i++) {
        if (!json_equal(wave->after[i], after)) continue;
        json_decref(after);
        return i;
    }
    wave->n_groups++;
    wave->after = sl_resize(wave->after, wave->n_groups + 1, sizeof *wave->after);
    wave->after[wave->n_groups] = after;
    return wave->n_groups;
}

/* Of too many groups that wait, neighbours become one: they are neighbours in the plan, too, and
 * thus alike. */
static size_t merged(size_t group, size_t n_groups)
{
    return group <= 1 ? group : 2 + (group - 2) * MOST_GROUPS / (n_groups - 1);
}

static void merge_groups(struct sl_wave *wave, size_t n_runs)
{
    const size_t before = wave->n_groups;
    if (before - 1 <= MOST_GROUPS) return;
    for (size_t i = 0; i < n_runs; i++)
        wave->group[i] = merged(wave->group[i], before);
    wave->n_groups = 1;
    for (size_t i = 2; i <= before; i++) {
        json_t *after = wave->after[i];
        const size_t target = merged(i, before);
        if (target > wave->n_groups) {
            wave->after[++wave->n_groups] = after;
            continue;
        }
        json_object_update(wave->after[target], after);
        json_decref(after);
    }
}

/* ---- Waves ---- */

/* The tasks that make trainings of a run; NULL if a run that comes earlier in this wave will make
 * one of them. */
static json_t *tasks_for(const struct sl_experiment *experiment, const bool *needed,
                         const bool *claimed, const json_t *makers)
{
    json_t *tasks = json_object();
    for (size_t i = 0; i < experiment->n_jobs; i++) {
        const json_t *task = json_object_get(makers, experiment->jobs[i].key);
        if (!needed[i]) continue;
        if (task) {
            json_object_set_new(tasks, json_string_value(task), json_true());
        } else if (claimed[i]) {
            json_decref(tasks);
            return NULL;
        }
    }
    return tasks;
}

void sl_wave_plan(const struct sl_experiment *experiment, const bool *open,
                  const struct sl_outputs *made, const json_t *makers, struct sl_wave *out)
{
    bool *claimed = sl_alloc(experiment->n_jobs + 1, sizeof *claimed);
    wave_init(out, experiment->n_runs);
    for (size_t i = 0; i < experiment->n_runs; i++) {
        if (!open[i]) continue;
        bool *needed = trainings_of(experiment, i, made);
        json_t *after = tasks_for(experiment, needed, claimed, makers);
        if (after) out->group[i] = group_of(out, after);
        for (size_t j = 0; after && j < experiment->n_jobs; j++)
            claimed[j] = claimed[j] || needed[j];
        free(needed);
    }
    free(claimed);
    merge_groups(out, experiment->n_runs);
}

void sl_wave_release(struct sl_wave *wave)
{
    for (size_t i = 1; i <= wave->n_groups; i++)
        json_decref(wave->after[i]);
    free((void *)wave->after);
    free(wave->group);
    *wave = (struct sl_wave){0};
}

char *sl_wave_after(const struct sl_wave *wave, size_t group)
{
    struct sl_buffer text;
    const char *task;
    json_t *ignored;
    if (json_object_size(wave->after[group]) == 0) return NULL;
    sl_buffer_init(&text, (size_t)1 << 20);
    json_object_foreach(wave->after[group], task, ignored)
    {
        sl_buffer_printf(&text, "%s%s", text.length > 0 ? ":" : "", task);
    }
    return text.data;
}
