#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/plan/plan.h"
#include "softlab/base/memory.h"
#include "softlab/label.h"

/* ---- Runs ---- */

static char *copy_or_null(const char *text)
{
    return text ? sl_string_copy(text) : NULL;
}

/* Annotator seconds per item: those of the set, or those that the papers state for their own
 * answers. For other answers `softlab labels` measures them. */
static double annotation_seconds(const struct sl_spec_set *set)
{
    if (!set || !isnan(set->seconds)) return set ? set->seconds : (double)NAN;
    const json_t *annotators = json_object_get(set->options, "annotators");
    if (!set->answers || !annotators) return NAN;
    const double count = json_number_value(annotators);
    if (strncmp(set->answers, "cifar10h", strlen("cifar10h")) == 0)
        return count * SL_CIFAR10H_SECONDS;
    if (strncmp(set->answers, "cifar10s", strlen("cifar10s")) != 0) return NAN;
    const struct sl_label_method *method = sl_label_method_find(set->method);
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

/* Takes the run. A run whose key is already planned is dropped: the fold of a network that is not
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

/* A training is named after the first run that needs it. */
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

/* One run per fold; its network is scored on the held-out fold. */
static void expand_folds(struct sl_planner *planner, struct sl_training_choice choice)
{
    const struct sl_integer_list *some = &planner->design->run_folds;
    const size_t n = some->items ? some->count : (size_t)planner->design->folds;
    for (size_t i = 0; i < n; i++) {
        choice.fold = some->items ? some->items[i] : (int64_t)i;
        expand_run(planner, &choice);
    }
}

/* ---- Designs ---- */

static void expand_cell(struct sl_planner *planner, const char *name, const struct sl_spec_set *set,
                        const char *network)
{
    const struct sl_integer_list *seeds = &planner->design->seeds;
    struct sl_spec_set tuned = sl_tuned_set(planner->options->tuned, name, network, set);
    for (size_t i = 0; i < seeds->count; i++) {
        const struct sl_training_choice choice = {
            .set_name = name,
            .set = &tuned,
            .network = network,
            .seed = seeds->items[i],
            .fold = -1,
        };
        if (planner->design->folds > 0)
            expand_folds(planner, choice);
        else
            expand_run(planner, &choice);
    }
    sl_fields_release(&sl_spec_set_fields, &tuned);
}

static enum sl_status check_design(const struct sl_planner *planner, struct sl_error *err)
{
    const struct sl_spec_design *design = planner->design;
    const struct {
        const char *key;
        bool given;
    } needed[] = {{"networks", design->networks.items},
                  {"recipe", design->recipe},
                  {"data", design->data},
                  {"seeds", design->seeds.items},
                  {"tests", design->tests.names},
                  {"start.recipe", !design->start || design->start->recipe},
                  {"start.data", !design->start || design->start->data}};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!needed[i].given)
            return sl_fail(err, SL_ERR_INPUT,
                           "%s: $%s%s: \"%s\" is missing: an experiment that trains needs it",
                           planner->spec->document.name, planner->part ? ".parts." : "",
                           planner->part ? planner->part : "", needed[i].key);
    return SL_OK;
}

static enum sl_status expand_design(struct sl_planner *planner, const char *part,
                                    const struct sl_spec_design *design, struct sl_error *err)
{
    planner->part = part;
    planner->design = design;
    SL_TRY(check_design(planner, err));
    for (size_t i = 0; i < design->sets.count; i++)
        for (size_t j = 0; j < design->networks.count; j++)
            expand_cell(planner, design->sets.names[i], &design->sets.items[i],
                        design->networks.items[j]);
    return SL_OK;
}

static enum sl_status expand_training(struct sl_planner *planner, struct sl_error *err)
{
    const struct sl_spec_parts *parts = &planner->body->parts;
    if (!parts->names) return expand_design(planner, NULL, &planner->body->design, err);
    for (size_t i = 0; i < parts->count; i++)
        SL_TRY(expand_design(planner, parts->names[i], &parts->items[i], err));
    return SL_OK;
}

static void expand_figures(struct sl_planner *planner)
{
    const struct sl_training_choice none = {.seed = -1, .fold = -1};
    struct sl_run run = new_run(planner, &none);
    planner->part = NULL;
    planner->design = &planner->body->design;
    sl_expand_figures(planner, &run);
    take_run(planner, &run);
}

enum sl_status sl_experiment_plan(const struct sl_spec *spec, const struct sl_spec_body *body,
                                  const struct sl_experiment_options *options,
                                  struct sl_experiment **out, struct sl_error *err)
{
    struct sl_experiment *plan = sl_alloc(1, sizeof *plan);
    struct sl_inputs inputs;
    struct sl_planner planner = {
        .spec = spec,
        .body = body,
        .options = options,
        .plan = plan,
        .variant = options->as_published ? "as-published" : "as-run",
        .seen = options->seen ? options->seen : sl_seen_data_create(),
        .places = json_object(),
        .outputs = json_object(),
        .inputs = &inputs,
    };
    enum sl_status status = SL_OK;
    sl_inputs_init(&inputs, options->remembered);
    plan->name = sl_string_copy(spec->name);
    plan->scale = sl_string_copy(spec->scale);
    plan->kind = "result";
    plan->variant = sl_string_copy(planner.variant);
    if (sl_text_list_has(&body->needs, "train")) SL_TRY_OUT(expand_training(&planner, err));
    if (body->compute.names || body->further.names || body->show.count > 0)
        expand_figures(&planner);
    plan->keys = json_object();
    for (size_t i = 0; i < plan->n_runs; i++)
        json_object_set_new(plan->keys, plan->runs[i].key, json_integer(1));
    *out = plan;
    plan = NULL;
out:
    if (!options->seen) sl_seen_data_destroy(planner.seen);
    json_decref(planner.places);
    json_decref(planner.outputs);
    sl_inputs_release(&inputs);
    sl_experiment_destroy(plan);
    return status;
}

enum sl_status sl_experiment_create(const struct sl_spec *spec,
                                    const struct sl_experiment_options *options,
                                    struct sl_experiment **out, struct sl_error *err)
{
    return sl_experiment_plan(spec, spec->body, options, out, err);
}
