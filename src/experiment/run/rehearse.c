/* A rehearsal runs an experiment in a temporary folder without training or scoring. Its jobs make
 * the label sets and lists of items, trainings stop before their first step, and scoring stops
 * before its first prediction. A dry run thus uses the same checks as the run. */
#include <stdlib.h>
#include <string.h>

#include "experiment/run/runner.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

struct rehearsal {
    struct sl_experiment *experiment;        /* borrowed; its runs get `missing` */
    const struct sl_experiment_hooks *hooks; /* borrowed; the caller's */
    struct sl_experiment plan; /* jobs, runs, steps and scores are owned; the rest is borrowed */
};

/* ---- The plan ---- */

/* The step with the option that makes it stop early. */
static json_t *rehearsed_step(const struct sl_job *job)
{
    json_t *step = json_deep_copy(job->step);
    const bool scores = json_object_get(step, "tests") != NULL;
    const char *word = job->network ? "--untrained" : scores ? "--dry-run" : NULL;
    if (word) json_array_append_new(json_object_get(step, "command"), json_string(word));
    return step;
}

/* Runs that differ only in seed or fold need one rehearsal. */
static bool stands_for(const struct sl_run *a, const struct sl_run *b)
{
    return (a->fold >= 0) == (b->fold >= 0) && sl_text_same(a->part, b->part) &&
           sl_text_same(a->set, b->set) && sl_text_same(a->network, b->network);
}

static bool is_rehearsed(const struct sl_experiment *plan, const struct sl_run *run)
{
    for (size_t i = 0; i < plan->n_runs; i++)
        if (stands_for(&plan->runs[i], run)) return true;
    return false;
}

static void rehearsal_init(struct rehearsal *rehearsal)
{
    const struct sl_experiment *whole = rehearsal->experiment;
    struct sl_experiment *plan = &rehearsal->plan;
    *plan = *whole;
    plan->jobs = sl_alloc(whole->n_jobs + 1, sizeof *plan->jobs);
    for (size_t i = 0; i < whole->n_jobs; i++) {
        plan->jobs[i] = whole->jobs[i];
        plan->jobs[i].step = rehearsed_step(&whole->jobs[i]);
    }
    plan->runs = sl_alloc(whole->n_runs + 1, sizeof *plan->runs);
    plan->n_runs = 0;
    for (size_t i = 0; i < whole->n_runs; i++) {
        const struct sl_run *run = &whole->runs[i];
        if (run->missing || is_rehearsed(plan, run)) continue;
        struct sl_run *rehearsed = &plan->runs[plan->n_runs++];
        *rehearsed = *run;
        rehearsed->scores = NULL;
        rehearsed->n_scores = 0;
        for (size_t j = 0; j < run->n_scores; j++)
            sl_run_add_scores(rehearsed, run->scores[j]);
    }
}

static void rehearsal_release(struct rehearsal *rehearsal)
{
    for (size_t i = 0; i < rehearsal->plan.n_jobs; i++)
        json_decref(rehearsal->plan.jobs[i].step);
    for (size_t i = 0; i < rehearsal->plan.n_runs; i++)
        free(rehearsal->plan.runs[i].scores);
    free(rehearsal->plan.jobs);
    free(rehearsal->plan.runs);
}

/* ---- Failures ---- */

/* Replace every `from` in the text. Takes `text`. */
static char *replaced(char *text, const char *from, const char *to)
{
    char *out = sl_text_replace(text, from, to);
    free(text);
    return out;
}

char *sl_plan_words(const struct sl_experiment *plan, char *text)
{
    static const struct {
        const char *option, *key;
    } words[] = {{"--skip-broken", "\"skip_broken\": true"},
                 {"--channels", "\"channels\":"},
                 {"--size", "\"size\""},
                 {"--dev set", "\"dev\""}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        text = replaced(text, words[i].option, words[i].key);
    for (size_t i = 0; i < plan->n_jobs; i++)
        text = replaced(text, plan->jobs[i].output, plan->jobs[i].title);
    return text;
}

/* The last line of a process's log, without the program's name; the caller frees it. */
static char *sentence_of(const struct sl_experiment *plan, const char *log)
{
    static const char program[] = "softlab ";
    const char *newline = strrchr(log, '\n');
    const char *line = newline ? newline + 1 : log;
    if (strncmp(line, program, sizeof program - 1) == 0) {
        const char *colon = strstr(line, ": ");
        if (colon) line = colon + 2;
    }
    return sl_plan_words(plan, sl_string_copy(line));
}

static void miss_runs(struct rehearsal *rehearsal, const char *title, const char *log)
{
    const struct sl_experiment *plan = &rehearsal->plan;
    struct sl_experiment *whole = rehearsal->experiment;
    for (size_t i = 0; i < plan->n_runs; i++) {
        if (strcmp(plan->runs[i].title, title) != 0) continue;
        for (size_t j = 0; j < whole->n_runs; j++)
            if (!whole->runs[j].missing && stands_for(&plan->runs[i], &whole->runs[j]))
                whole->runs[j].missing = sentence_of(plan, log);
        return;
    }
}

static void hear(void *context, enum sl_run_event event, const char *title, const char *reason)
{
    struct rehearsal *rehearsal = context;
    const struct sl_experiment_hooks *hooks = rehearsal->hooks;
    if (event == SL_RUN_FAILED)
        miss_runs(rehearsal, title, reason);
    else if ((event == SL_RUN_WARNS || event == SL_RUN_RETRIED || event == SL_RUN_WAITS) &&
             hooks->event)
        hooks->event(hooks->context, event, title, reason);
}

static void show(void *context, const struct sl_board *board)
{
    const struct sl_experiment_hooks *hooks = ((struct rehearsal *)context)->hooks;
    if (hooks->board) hooks->board(hooks->context, board);
}

static bool stop(void *context)
{
    const struct sl_experiment_hooks *hooks = ((struct rehearsal *)context)->hooks;
    return hooks->stop && hooks->stop(hooks->context);
}

enum sl_status sl_experiment_rehearse(struct sl_experiment *experiment,
                                      const struct sl_experiment_runner *runner,
                                      struct sl_error *err)
{
    struct rehearsal rehearsal = {.experiment = experiment, .hooks = &runner->hooks};
    struct sl_experiment_runner rehearsing = *runner;
    struct sl_experiment_outcome outcome = {0};
    rehearsing.rehearsal = true;
    rehearsing.hooks = (struct sl_experiment_hooks){&rehearsal, hear, show, stop};
    rehearsal_init(&rehearsal);
    const enum sl_status status = sl_experiment_run(&rehearsal.plan, &rehearsing, &outcome, err);
    rehearsal_release(&rehearsal);
    return status;
}
