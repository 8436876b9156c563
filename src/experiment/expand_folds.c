/* Tests on what folds held out: the folds' predictions, joined in the order of the data set, are
 * scored once. */
#include <stdlib.h>
#include <string.h>

#include "experiment/plan.h"
#include "softlab/base/memory.h"

static const char *output(const struct sl_planner *planner, size_t job)
{
    return planner->plan->jobs[job].output;
}

static void add_images(const json_t *design, json_t *words)
{
    const char *size = sl_plan_text(design, "size");
    const json_t *channels = json_object_get(design, "channels");
    if (size) {
        json_array_append_new(words, json_string("--size"));
        json_array_append_new(words, json_string(size));
    }
    if (channels) {
        json_array_append_new(words, json_string("--channels"));
        json_array_append_new(words, json_string(json_integer_value(channels) == 1 ? "1" : "3"));
    }
    if (json_is_true(json_object_get(design, "skip_broken")))
        json_array_append_new(words, json_string("--skip-broken"));
}

/* What one fold's network says of the items that it was not trained on. */
static size_t predictions(struct sl_planner *planner, const char *data, size_t training,
                          int64_t fold)
{
    const struct sl_item_choice items = {
        .data = data,
        .folds = json_integer_value(json_object_get(planner->design, "folds")),
        .fold = fold,
        .held_out = true,
    };
    struct sl_needs needs = {0};
    char *split = sl_expand_items(planner, &items, &needs);
    sl_needs_add(&needs, training);
    json_t *words = json_pack("[s, s, s, s, s, s]", "predict", output(planner, training), "--data",
                              data, "--split", split);
    add_images(planner->design, words);
    json_t *step = json_pack("{s:o}", "command", words);
    free(split);
    const size_t job = sl_plan_add_job(planner, step, NULL, ".npz", &needs, "predictions");
    size_t count = 0;
    if (planner->options->roots && sl_expand_count(planner, &items, &count, NULL) == SL_OK)
        planner->plan->jobs[job].work.predicted = (double)count;
    return job;
}

static size_t joined(struct sl_planner *planner, const char *data,
                     const struct sl_fold_networks *networks)
{
    struct sl_needs needs = {0};
    json_t *inputs = json_array();
    for (size_t i = 0; i < networks->n; i++) {
        const size_t job = predictions(planner, data, networks->trainings[i], networks->folds[i]);
        sl_needs_add(&needs, job);
        json_array_append_new(inputs, json_string(output(planner, job)));
    }
    json_t *step =
        json_pack("{s:s, s:s, s:o}", "prepare", "joined", "data", data, "inputs", inputs);
    return sl_plan_add_job(planner, step, NULL, ".npz", &needs, "predictions of all folds");
}

static size_t hard_labels(struct sl_planner *planner, const char *data)
{
    json_t *step = json_pack("{s:s, s:s}", "prepare", "hard", "data", data);
    return sl_plan_add_job(planner, step, NULL, ".npz", NULL, "hard labels");
}

static char *metric_list(const char *name, const json_t *test, struct sl_run *run)
{
    json_t *metrics = sl_expand_metrics(name, test, run);
    struct sl_buffer list;
    sl_buffer_init(&list, 65536);
    sl_buffer_text(&list, "");
    for (size_t i = 0; i < json_array_size(metrics); i++)
        sl_buffer_printf(&list, "%s%s", i > 0 ? "," : "",
                         json_string_value(json_array_get(metrics, i)));
    json_decref(metrics);
    return list.data;
}

static size_t score(struct sl_planner *planner, const struct sl_training_choice *choice,
                    const char *name, const json_t *test, struct sl_run *run,
                    const struct sl_fold_networks *networks)
{
    const char *data = sl_plan_text(test, "data");
    struct sl_needs needs = {0};
    const size_t rows = joined(planner, data, networks);
    size_t labels = sl_expand_test_labels(planner, test, choice->seed);
    if (labels == SL_NO_JOB) labels = hard_labels(planner, data);
    sl_needs_add(&needs, rows);
    sl_needs_add(&needs, labels);
    char *metrics = metric_list(name, test, run);
    json_t *step = json_pack("{s:[s, s, s, s, s, s, s, s, s, s], s:b}", "command", "eval",
                             output(planner, rows), "--labels", output(planner, labels), "--hard",
                             data, "--subset", "--metrics", metrics, "--json", "stdout", 1);
    free(metrics);
    return sl_plan_add_job(planner, step, NULL, ".scores.json", &needs, "scores of all folds");
}

bool sl_expand_pooled(struct sl_planner *planner, const struct sl_training_choice *choice,
                      const struct sl_fold_networks *networks, struct sl_run *run)
{
    const char *name;
    json_t *test;
    json_t *keys = json_array();
    json_object_foreach(json_object_get(planner->design, "tests"), name, test)
    {
        if (!sl_test_is_of_folds(test)) continue;
        const size_t job = score(planner, choice, name, test, run, networks);
        const struct sl_job *scores = &planner->plan->jobs[job];
        sl_run_add_scores(run, name, job);
        json_array_append_new(keys, json_pack("[s, s]", name, scores->output));
        if (scores->missing && !run->missing) run->missing = sl_string_copy(scores->missing);
    }
    sl_identity_key("folds", sl_identity_of_value(planner, "", keys), run->key);
    json_decref(keys);
    return run->n_scores > 0;
}
