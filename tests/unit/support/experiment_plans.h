/* Plans of the built-in specifications. */
#ifndef EXPERIMENT_PLANS_H
#define EXPERIMENT_PLANS_H

#include "experiment/plan/plan.h"

#include "support.h"

static inline struct sl_experiment *plan_of(const char *name, const char *scale,
                                            const struct sl_experiment_options *options)
{
    struct sl_error err = {0};
    struct sl_spec *spec = NULL;
    struct sl_experiment *plan = NULL;
    assert_ok(sl_spec_read(name, scale, &spec, &err), err);
    assert_ok(sl_experiment_create(spec, options, &plan, &err), err);
    sl_spec_destroy(spec);
    return plan;
}

static inline struct sl_experiment *expand(const char *name, const char *scale, bool as_published)
{
    const struct sl_experiment_options options = {.as_published = as_published};
    return plan_of(name, scale, &options);
}

static inline const struct sl_run *find(const struct sl_experiment *plan, const char *set,
                                        const char *network, int64_t seed)
{
    for (size_t i = 0; i < plan->n_runs; i++) {
        const struct sl_run *run = &plan->runs[i];
        if (run->set && strcmp(run->set, set) == 0 && strcmp(run->network, network) == 0 &&
            run->seed == seed)
            return run;
    }
    fail_msg("no run of %s with %s and seed %d", set, network, (int)seed);
    return NULL;
}

/* The job of a plan that writes this output. */
static inline const struct sl_job *find_job(const struct sl_experiment *plan, const char *output)
{
    for (size_t i = 0; i < plan->n_jobs; i++)
        if (strcmp(plan->jobs[i].output, output) == 0) return &plan->jobs[i];
    fail_msg("no job writes %s", output);
    return NULL;
}

/* The command line of a run's training, as one text. */
static inline char *training_words(const struct sl_experiment *plan, const struct sl_run *run)
{
    const json_t *words = json_object_get(plan->jobs[run->training].step, "command");
    struct sl_buffer text;
    sl_buffer_init(&text, 65536);
    for (size_t i = 0; i < json_array_size(words); i++)
        sl_buffer_printf(&text, "%s ", json_string_value(json_array_get(words, i)));
    return text.data;
}

#endif
