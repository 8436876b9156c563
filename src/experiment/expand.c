#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/plan.h"
#include "experiment/spec_internal.h"
#include "softlab/base/memory.h"
#include "softlab/label.h"

/* ---- Runs ---- */

static char *copy_or_null(const char *text)
{
    return text ? sl_string_copy(text) : NULL;
}

/* Seconds of annotators behind an item's label, where the set states them or the papers do, of
 * their own answers: how long others took is for `softlab labels` to measure. */
static double annotation_seconds(const json_t *set)
{
    const json_t *stated = json_object_get(set, "seconds");
    const char *answers = sl_plan_text(set, "answers"), *name = sl_plan_text(set, "method");
    const json_t *options = json_object_get(set, "options");
    const json_t *annotators = json_object_get(options, "annotators");
    if (stated) return json_number_value(stated);
    if (!answers || !name || !annotators) return NAN;
    const double count = json_number_value(annotators);
    if (strncmp(answers, "cifar10h", strlen("cifar10h")) == 0) return count * SL_CIFAR10H_SECONDS;
    if (strncmp(answers, "cifar10s", strlen("cifar10s")) != 0) return NAN;
    const struct sl_label_method *method = sl_label_method_find(name);
    if (!method) return NAN;
    return sl_label_seconds(method, count, NULL, 0);
}

static char *title_of(const struct sl_run *run)
{
    struct sl_buffer title;
    sl_buffer_init(&title, 4096);
    sl_buffer_printf(&title, "%s%s%s", run->part ? run->part : "", run->part ? ", " : "",
                     run->set ? run->set : "figures that need no training");
    if (run->network) sl_buffer_printf(&title, ", %s", run->network);
    if (run->seed >= 0) sl_buffer_printf(&title, ", seed %lld", (long long)run->seed);
    if (run->fold >= 0) sl_buffer_printf(&title, ", fold %lld", (long long)run->fold);
    return title.data;
}

static struct sl_run new_run(const struct sl_planner *planner,
                             const struct sl_training_choice *choice)
{
    struct sl_run run = {
        .part = copy_or_null(planner->part),
        .set = copy_or_null(choice->set_name),
        .network = copy_or_null(choice->network),
        .seed = choice->seed,
        .fold = choice->fold,
        .training = SL_NO_JOB,
        .seconds = annotation_seconds(choice->set),
    };
    run.title = title_of(&run);
    return run;
}

/* Takes the run; one whose key is there already is dropped: the fold of a network that was not
 * trained again. */
static void take_run(struct sl_planner *planner, struct sl_run *run)
{
    struct sl_experiment *plan = planner->plan;
    plan->runs = sl_resize(plan->runs, plan->n_runs + 1, sizeof *plan->runs);
    plan->runs[plan->n_runs++] = *run;
    for (size_t i = 0; i + 1 < plan->n_runs; i++) {
        if (strcmp(plan->runs[i].key, run->key) != 0) continue;
        sl_run_release(&plan->runs[--plan->n_runs]);
        return;
    }
}

/* A training is called after the first run that needs it. */
static void name_training(struct sl_planner *planner, size_t training, const char *run)
{
    struct sl_job *job = &planner->plan->jobs[training];
    if (strcmp(job->title, "training") != 0) return;
    free(job->title);
    job->title = sl_string_printf("training %s", run);
}

static void expand_run(struct sl_planner *planner, const struct sl_training_choice *choice)
{
    struct sl_run run = new_run(planner, choice);
    const size_t training = sl_expand_training(planner, choice);
    run.training = training;
    if (training != SL_NO_JOB) name_training(planner, training, run.title);
    if (sl_expand_tests(planner, choice, training, &run)) {
        sl_expand_answer(planner, choice, &run);
        take_run(planner, &run);
    } else {
        sl_run_release(&run);
    }
}

/* A run for each fold that is asked for: its network is scored on what the fold held out. */
static void expand_folds(struct sl_planner *planner, struct sl_training_choice choice)
{
    const json_t *some = json_object_get(planner->design, "run_folds");
    const int64_t all = json_integer_value(json_object_get(planner->design, "folds"));
    const size_t n = some ? json_array_size(some) : (size_t)all;
    for (size_t i = 0; i < n; i++) {
        choice.fold = some ? json_integer_value(json_array_get(some, i)) : (int64_t)i;
        expand_run(planner, &choice);
    }
}

/* ---- Designs ---- */

static void expand_cell(struct sl_planner *planner, const char *name, json_t *set,
                        const char *network)
{
    const json_t *seeds = json_object_get(planner->design, "seeds");
    json_t *tuned = sl_tuned_set(planner->options->tuned, name, network, set);
    for (size_t i = 0; i < json_array_size(seeds); i++) {
        const struct sl_training_choice choice = {
            .set_name = name,
            .set = tuned,
            .network = network,
            .seed = json_integer_value(json_array_get(seeds, i)),
            .fold = -1,
        };
        if (json_integer_value(json_object_get(planner->design, "folds")) > 0)
            expand_folds(planner, choice);
        else
            expand_run(planner, &choice);
    }
    json_decref(tuned);
}

static enum sl_status check_design(const struct sl_planner *planner, struct sl_error *err)
{
    static const char *const needed[] = {"networks", "recipe", "data", "seeds", "tests"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!json_object_get(planner->design, needed[i]))
            return sl_fail(err, SL_ERR_INPUT, "%s: $%s%s: \"%s\" is missing, and it is to train",
                           planner->spec->document.name, planner->part ? ".parts." : "",
                           planner->part ? planner->part : "", needed[i]);
    return SL_OK;
}

static enum sl_status expand_design(struct sl_planner *planner, struct sl_error *err)
{
    SL_TRY(check_design(planner, err));
    const json_t *networks = json_object_get(planner->design, "networks");
    const char *name;
    json_t *set;
    json_object_foreach(json_object_get(planner->design, "sets"), name, set)
    {
        for (size_t i = 0; i < json_array_size(networks); i++)
            expand_cell(planner, name, set, json_string_value(json_array_get(networks, i)));
    }
    return SL_OK;
}

static enum sl_status expand_part(struct sl_planner *planner, const char *part, json_t *over,
                                  struct sl_error *err)
{
    planner->part = part;
    planner->design = json_copy(planner->spec->json);
    if (over) json_object_update(planner->design, over);
    const enum sl_status status = expand_design(planner, err);
    json_decref(planner->design);
    planner->design = NULL;
    return status;
}

static enum sl_status expand_training(struct sl_planner *planner, struct sl_error *err)
{
    json_t *parts = json_object_get(planner->spec->json, "parts");
    if (!parts) return expand_part(planner, NULL, NULL, err);
    const char *name;
    json_t *part;
    json_object_foreach(parts, name, part) SL_TRY(expand_part(planner, name, part, err));
    return SL_OK;
}

static void expand_figures(struct sl_planner *planner)
{
    const struct sl_training_choice none = {.seed = -1, .fold = -1};
    struct sl_run run = new_run(planner, &none);
    planner->part = NULL;
    sl_expand_figures(planner, &run);
    take_run(planner, &run);
}

enum sl_status sl_experiment_create(const struct sl_spec *spec,
                                    const struct sl_experiment_options *options,
                                    struct sl_experiment **out, struct sl_error *err)
{
    struct sl_spec placed = *spec;
    SL_TRY(sl_spec_places(spec, &placed.json, err));
    struct sl_experiment *plan = sl_alloc(1, sizeof *plan);
    struct sl_inputs inputs;
    struct sl_planner planner = {
        .spec = &placed,
        .options = options,
        .plan = plan,
        .variant = options->as_published ? "as-published" : "as-run",
        .data = json_object(),
        .places = json_object(),
        .inputs = &inputs,
    };
    enum sl_status status = SL_OK;
    sl_inputs_init(&inputs, options->remembered);
    plan->name = sl_string_copy(spec->name);
    plan->scale = sl_string_copy(spec->scale);
    plan->kind = "result";
    plan->variant = sl_string_copy(planner.variant);
    if (sl_plan_lists(json_object_get(spec->json, "needs"), "train"))
        SL_TRY_OUT(expand_training(&planner, err));
    if (json_object_get(spec->json, "compute") || json_object_get(spec->json, "further") ||
        json_array_size(json_object_get(spec->json, "show")) > 0)
        expand_figures(&planner);
    plan->keys = json_object();
    for (size_t i = 0; i < plan->n_runs; i++)
        json_object_set_new(plan->keys, plan->runs[i].key, json_integer(1));
    *out = plan;
    plan = NULL;
out:
    json_decref(placed.json);
    json_decref(planner.data);
    json_decref(planner.places);
    sl_inputs_release(&inputs);
    sl_experiment_destroy(plan);
    return status;
}
