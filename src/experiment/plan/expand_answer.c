/* Figures that a specification's question needs from every run: the distance of its labels from the
 * reference, and the annotator time behind them. */
#include <stdlib.h>
#include <string.h>

#include "experiment/plan/plan.h"
#include "softlab/base/memory.h"

/* Add a figure that a job prints, unless the job cannot run here. */
static void measure(struct sl_planner *planner, struct sl_run *run, const char *name, size_t job,
                    const char *path)
{
    const struct sl_job *made = &planner->plan->jobs[job];
    if (made->missing) {
        if (!run->absent) run->absent = json_object();
        json_object_set_new(run->absent, name, json_string(made->missing));
        return;
    }
    json_object_set_new(run->measured, name,
                        json_pack("{s:s, s:s}", "output", made->output, "path", path));
    sl_run_add_scores(run, job);
}

static void measure_distance(struct sl_planner *planner, const struct sl_training_choice *choice,
                             size_t labels, struct sl_run *run)
{
    const char *name = planner->body->answer->reference;
    const char *distance = planner->body->answer->distance;
    const char *slash = strrchr(distance, '/');
    const struct sl_spec_set *reference = sl_spec_set_find(&planner->design->references, name);
    const size_t truth = sl_expand_labels(planner, name, reference, choice->seed);
    if (truth == SL_NO_JOB) return;
    struct sl_needs needs = {0};
    sl_needs_add(&needs, labels);
    sl_needs_add(&needs, truth);
    json_t *step = json_pack("{s:[s, s, s, s, s, s], s:b}", "command", "compare",
                             planner->plan->jobs[labels].output, planner->plan->jobs[truth].output,
                             "--top", "0", "--json", "stdout", true);
    const size_t job = sl_plan_add_job(planner, step, NULL, ".printed.json", &needs, "a distance");
    char *path = sl_string_printf("$.mean.%s", slash ? slash + 1 : distance);
    measure(planner, run, distance, job, path);
    free(path);
}

static void measure_seconds(struct sl_planner *planner, const struct sl_training_choice *choice,
                            struct sl_run *run)
{
    const struct sl_text_list *labels = &choice->set->labels;
    if (labels->count == 0 || strcmp(labels->items[0], "labels") != 0) return;
    struct sl_text_list words = sl_text_list_copy(labels);
    sl_text_list_add(&words, "--json");
    const size_t job = sl_expand_command(planner, &words, choice->seed, true, "times");
    measure(planner, run, SL_ANSWER_SECONDS, job, "$.seconds_per_label");
    sl_text_list_release(&words);
}

/* The number of labels, next to their time. It follows from the same job, so the key does not
 * include it. */
static void measure_items(struct sl_run *run)
{
    const char *output = json_string_value(
        json_object_get(json_object_get(run->measured, SL_ANSWER_SECONDS), "output"));
    if (output)
        json_object_set_new(run->measured, SL_ANSWER_ITEMS,
                            json_pack("{s:s, s:s}", "output", output, "path", "$.labels"));
}

void sl_expand_answer(struct sl_planner *planner, const struct sl_training_choice *choice,
                      struct sl_run *run)
{
    if (!planner->body->answer) return;
    const size_t labels = sl_expand_labels(planner, choice->set_name, choice->set, choice->seed);
    if (labels == SL_NO_JOB) return;
    run->measured = json_object();
    measure_distance(planner, choice, labels, run);
    measure_seconds(planner, choice, run);
    json_t *named = json_pack("{s:s, s:O}", "run", run->key, "measured", run->measured);
    sl_identity_key("answer", sl_identity_of_value(planner, "", named), run->key);
    json_decref(named);
    measure_items(run);
}
