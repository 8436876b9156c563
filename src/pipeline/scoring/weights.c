#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/scoring/evaluate.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/pipeline/weights.h"
#include "softlab/train/targets.h"

enum { RELIABILITY_BINS = 10, BATCH = 100 };

/* One test set while it is scored. */
struct testing {
    const struct sl_workplace *workplace;
    struct sl_model *model;
    const struct sl_eval_test *test;
    struct sl_evaluation *run; /* receives the scores */
    struct sl_feeding feeding;
    struct sl_targets *reference; /* annotators' labels, in the order of the items */
    struct sl_rows *predictions;
    struct sl_scored *scored;
    int32_t *hard; /* per item; the annotators' first choice if the set has no class */
    size_t *items; /* per item, its index in the data set */
    size_t n;
};

bool sl_eval_is_weights(const char *path)
{
    return sl_folder_exists(path) || sl_path_has_suffix(path, ".safetensors");
}

/* ---- Reading ---- */

/* Find the indices of items by name. */
static enum sl_status choose_items(struct testing *testing, struct sl_error *err)
{
    const struct sl_dataset *dataset = testing->feeding.dataset;
    struct sl_name_table *names = sl_name_table_create();
    enum sl_status status = SL_OK;
    size_t count = 0;
    uint32_t index = 0;
    for (size_t i = 0; i < dataset->count; i++)
        SL_TRY_OUT(
            sl_name_table_add(names, dataset->items[i], strlen(dataset->items[i]), &index, err));
    while (testing->test->items[count])
        count++;
    testing->feeding.only = sl_alloc(count, sizeof *testing->feeding.only);
    testing->feeding.n_only = count;
    for (size_t i = 0; i < count; i++) {
        const char *item = testing->test->items[i];
        index = sl_name_table_find(names, item, strlen(item));
        if (index == SL_NO_NAME) {
            status = sl_fail(err, SL_ERR_INPUT, "%s has no item \"%s\"", dataset->name, item);
            goto out;
        }
        testing->feeding.only[i] = index;
    }
out:
    sl_name_table_destroy(names);
    return status;
}

static enum sl_status read_reference(struct testing *testing, struct sl_error *err)
{
    const struct sl_dataset *dataset = testing->feeding.dataset;
    const char *labels = testing->test->labels;
    struct sl_rows *rows = NULL;
    enum sl_status status = SL_OK;
    if (strcmp(labels, "truth") == 0) {
        SL_TRY_OUT(sl_dataset_truth_rows(dataset, &rows, err));
    } else if (strcmp(labels, "hard") != 0) {
        SL_TRY_OUT(sl_rows_get(testing->workplace, labels, "labels", &rows, err));
        sl_say_rescaled(testing->workplace, labels, rows);
        SL_TRY_OUT(sl_feeding_labels(testing->workplace, &testing->feeding, labels, rows, err));
    }
    const struct sl_target_items items = {dataset->count, dataset->n_classes, dataset->items,
                                          dataset->classes, dataset->labels};
    struct sl_target_options options = sl_target_options_default();
    options.labels = rows;
    options.siblings = dataset->siblings;
    options.n_siblings = dataset->n_siblings;
    options.only = testing->feeding.only;
    options.n_only = testing->feeding.n_only;
    options.rest = rows ? SL_REST_FAIL : SL_REST_HARD;
    SL_TRY_OUT(sl_targets_create(&items, &options, false, &testing->reference, err));
out:
    sl_rows_destroy(rows);
    return status;
}

static void list_items(struct testing *testing)
{
    const struct sl_targets *reference = testing->reference;
    size_t *order = sl_alloc(reference->n_classes, sizeof *order);
    sl_classes_order(testing->feeding.dataset->classes, reference->n_classes, order);
    testing->n = reference->n_items;
    testing->hard = sl_alloc(testing->n, sizeof *testing->hard);
    testing->items = sl_alloc(testing->n, sizeof *testing->items);
    for (size_t i = 0; i < testing->n; i++) {
        const size_t item = reference->items[i];
        const int32_t label = testing->feeding.dataset->labels[item];
        testing->items[i] = item;
        testing->hard[i] =
            label >= 0 ? label
                       : (int32_t)sl_first_choice(reference->rows + i * reference->n_classes,
                                                  reference->n_classes, order);
    }
    free(order);
}

/* The annotators' labels as rows in the order of the items. `named` adds item names, which only
 * files of other predictions need: our own rows are in this order. */
static enum sl_status reference_rows(const struct testing *testing, bool named,
                                     struct sl_rows **out, struct sl_error *err)
{
    const struct sl_dataset *dataset = testing->feeding.dataset;
    struct sl_rows *rows = NULL;
    SL_TRY(sl_rows_create(testing->n, testing->reference->n_classes, &rows, err));
    memcpy(rows->values, testing->reference->rows,
           testing->n * rows->n_classes * sizeof *rows->values);
    if (named) rows->items = sl_alloc(rows->n_rows, sizeof *rows->items);
    for (size_t i = 0; named && i < rows->n_rows; i++)
        rows->items[i] = sl_string_copy(dataset->items[testing->items[i]]);
    rows->classes = sl_alloc(rows->n_classes, sizeof *rows->classes);
    for (size_t k = 0; k < rows->n_classes; k++)
        rows->classes[k] = sl_string_copy(dataset->classes[k]);
    *out = rows;
    return SL_OK;
}

static enum sl_status predict(struct testing *testing, struct sl_error *err)
{
    struct sl_rows *reference = NULL;
    SL_TRY(sl_predict_items(testing->workplace, testing->model, &testing->feeding, BATCH,
                            &testing->predictions, err));
    SL_TRY(reference_rows(testing, false, &reference, err));
    struct sl_rows unnamed = *testing->predictions;
    unnamed.items = NULL;
    unnamed.classes = NULL;
    const struct sl_scored_options options = {.logits = true, .hard = testing->hard};
    const enum sl_status status =
        sl_scored_create(&unnamed, reference, &options, &testing->scored, err);
    sl_rows_destroy(reference);
    return status;
}

/* Open the items and their labels; everything that can be refused is refused here. */
static enum sl_status open_test(struct testing *testing, struct sl_error *err)
{
    const struct sl_eval_test *test = testing->test;
    SL_TRY(sl_feeding_for(testing->workplace, testing->model, test->data, test->split,
                          &test->images, &testing->feeding, err));
    if (test->n_attacks > 0 && !testing->feeding.dataset->pixels)
        return sl_fail(err, SL_ERR_INPUT, "%s: only images can be attacked", test->data);
    if (test->items) SL_TRY(choose_items(testing, err));
    SL_TRY(read_reference(testing, err));
    list_items(testing);
    return SL_OK;
}

static enum sl_status score(struct testing *testing, struct sl_error *err)
{
    SL_TRY(open_test(testing, err));
    return predict(testing, err);
}

static void testing_release(struct testing *testing)
{
    sl_scored_destroy(testing->scored);
    sl_rows_destroy(testing->predictions);
    sl_targets_destroy(testing->reference);
    sl_feeding_release(&testing->feeding);
    free(testing->hard);
    free(testing->items);
}

/* ---- The other model ---- */

static enum sl_status score_other_weights(const struct testing *testing, const char *path,
                                          struct sl_evaluated_model *out, struct sl_error *err)
{
    struct testing other = {.workplace = testing->workplace, .test = testing->test};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_run_open_weights(path, &other.model, err));
    SL_TRY_OUT(score(&other, err));
    out->kind = SL_PREDICTION_LOGITS;
    out->scored = other.scored;
    other.scored = NULL;
out:
    testing_release(&other);
    sl_model_destroy(other.model);
    return status;
}

static enum sl_status score_other_rows(const struct testing *testing, const char *path,
                                       struct sl_evaluated_model *out, struct sl_error *err)
{
    struct sl_rows *predictions = NULL, *reference = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_predictions_read(testing->workplace, path, &predictions, &out->kind, err));
    SL_TRY_OUT(reference_rows(testing, true, &reference, err));
    const struct sl_class_list own = {path, predictions->classes, predictions->n_classes};
    const struct sl_class_list like = {testing->feeding.dataset->name, reference->classes,
                                       reference->n_classes};
    sl_say_unnamed(testing->workplace, &own, &like);
    const struct sl_scored_options options = {.logits = out->kind == SL_PREDICTION_LOGITS,
                                              .labels_hard = testing->hard};
    status = sl_scored_create(predictions, reference, &options, &out->scored, err);
    if (status != SL_OK) sl_fail_within(err, status, "%s", path);
out:
    sl_rows_destroy(predictions);
    sl_rows_destroy(reference);
    return status;
}

/* Score what --against names on the same items. */
static enum sl_status score_other(const struct testing *testing, const char *path,
                                  struct sl_evaluated_model *out, struct sl_error *err)
{
    out->path = sl_workplace_shown(testing->workplace, path);
    return sl_eval_is_weights(path) ? score_other_weights(testing, path, out, err)
                                    : score_other_rows(testing, path, out, err);
}

/* ---- Measuring ---- */

static json_t *metrics_json(const struct sl_evaluation *run)
{
    json_t *metrics = json_object();
    for (size_t m = 0; m < run->n_metrics; m++)
        json_object_set_new(metrics, run->metrics[m]->name,
                            sl_json_real(run->intervals[m].estimate));
    return metrics;
}

static json_t *reliability_json(const struct sl_scored *scored)
{
    struct sl_reliability_bin bins[RELIABILITY_BINS];
    sl_reliability(scored, RELIABILITY_BINS, bins);
    json_t *list = json_array();
    for (size_t b = 0; b < RELIABILITY_BINS; b++)
        json_array_append_new(
            list, json_pack("[f, f, I, o, o]", bins[b].low, bins[b].high, (json_int_t)bins[b].count,
                            sl_json_real(bins[b].confidence), sl_json_real(bins[b].accuracy)));
    return list;
}

/* Add loss and accuracy after an attack, under the preset's name and under its family's. */
static void add_attack_metrics(json_t *metrics, const char *preset,
                               const struct sl_attack_result *result)
{
    char family[16];
    snprintf(family, sizeof family, "%.*s", (int)strcspn(preset, "-"), preset);
    char *keys[] = {sl_string_printf("%s_loss", family), sl_string_printf("%s_accuracy", family)};
    json_object_set_new(metrics, keys[0], sl_json_real(result->loss));
    json_object_set_new(metrics, keys[1], sl_json_real(result->accuracy));
    free(keys[0]);
    free(keys[1]);
}

static json_t *attack_json(const struct sl_attack_result *result, size_t n)
{
    json_t *losses = json_array();
    for (size_t i = 0; i <= result->n_iterations; i++) {
        double sum = 0;
        for (size_t r = 0; r < result->n_restarts; r++)
            sum += result->losses[r * (result->n_iterations + 1) + i];
        json_array_append_new(losses, sl_json_real(sum / (double)result->n_restarts));
    }
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}", "n", (json_int_t)n, "clean_loss",
                     sl_json_real(result->clean_loss), "clean_accuracy",
                     sl_json_real(result->clean_accuracy), "loss", sl_json_real(result->loss),
                     "accuracy", sl_json_real(result->accuracy), "losses", losses);
}

/* Attack the first items of a seeded random order. */
static enum sl_status attack(struct testing *testing, const struct sl_attack_preset *preset,
                             json_t *metrics, json_t *attacks, struct sl_error *err)
{
    const size_t wanted = testing->test->attack_items, k = testing->reference->n_classes;
    const size_t n = wanted > 0 && wanted < testing->n ? wanted : testing->n;
    size_t *rows = sl_alloc(n, sizeof *rows);
    int32_t *hard = sl_alloc(n, sizeof *hard);
    float *targets = sl_data_alloc(n, k * sizeof *targets, err);
    struct sl_attack_result result = {0};
    enum sl_status status = targets ? SL_OK : SL_ERR_NOMEM;
    if (status != SL_OK) goto out;
    struct sl_rng rng;
    sl_rng_init(&rng, 1, "attack.items", 0, 0);
    sl_rng_sample(&rng, testing->n, n, rows);
    for (size_t i = 0; i < n; i++) {
        hard[i] = testing->hard[rows[i]];
        for (size_t c = 0; c < k; c++)
            targets[i * k + c] = testing->test->attack_hard
                                     ? (float)(c == (size_t)hard[i])
                                     : testing->reference->rows[rows[i] * k + c];
        rows[i] = testing->items[rows[i]];
    }
    const struct sl_attack_items items = {testing->feeding.feed, rows, n, targets, hard};
    struct sl_attack_options options = preset->options;
    options.pool = testing->workplace->pool;
    SL_TRY_OUT(
        sl_attack(testing->model, &items, &options, testing->workplace->progress, &result, err));
    add_attack_metrics(metrics, preset->name, &result);
    json_object_set_new(attacks, preset->name, attack_json(&result, n));
out:
    sl_attack_result_release(&result);
    free(targets);
    free(hard);
    free(rows);
    return status;
}

static enum sl_status corrupt(struct testing *testing, json_t *metrics, json_t **out,
                              struct sl_error *err)
{
    const struct sl_shift_items items = {testing->feeding.dataset, testing->items, testing->n,
                                         testing->reference->rows, testing->hard};
    struct sl_shift_options options = testing->test->shift;
    struct sl_shift_result result = {0};
    options.pool = testing->workplace->pool;
    SL_TRY(sl_shift(testing->model, &items, &options, testing->workplace->progress, &result, err));
    json_object_set_new(metrics, "corruption_ce", sl_json_real(result.cross_entropy));
    json_object_set_new(metrics, "corruption_ce_hard", sl_json_real(result.cross_entropy_hard));
    json_object_set_new(metrics, "corruption_accuracy", sl_json_real(result.accuracy));
    json_object_set_new(metrics, "corruption_error", sl_json_real(1 - result.accuracy));
    if (testing->test->shift.extra)
        json_object_set_new(metrics, "corruption_ce_19", sl_json_real(result.cross_entropy_all));
    *out = json_array();
    for (size_t i = 0; i < result.count; i++) {
        const struct sl_shift_score *score = &result.scores[i];
        json_array_append_new(*out, json_pack("{s:s, s:i, s:o, s:o, s:o}", "corruption",
                                              score->corruption->name, "severity", score->severity,
                                              "cross_entropy", sl_json_real(score->cross_entropy),
                                              "cross_entropy_hard",
                                              sl_json_real(score->cross_entropy_hard), "accuracy",
                                              sl_json_real(score->accuracy)));
    }
    sl_shift_result_release(&result);
    return SL_OK;
}

static json_t *class_names(const struct sl_dataset *dataset)
{
    json_t *names = json_array();
    for (size_t k = 0; k < dataset->n_classes; k++)
        json_array_append_new(names, json_string(dataset->classes[k]));
    return names;
}

/* Add the scores under attacks and corruptions. */
static enum sl_status disturb(struct testing *testing, json_t *metrics, json_t *result,
                              struct sl_error *err)
{
    const struct sl_eval_test *test = testing->test;
    json_t *attacks = json_object(), *corruptions = NULL;
    json_object_set_new(result, "attacks", attacks);
    for (size_t i = 0; i < test->n_attacks; i++)
        SL_TRY(attack(testing, test->attacks[i], metrics, attacks, err));
    if (!test->corrupted) return SL_OK;
    SL_TRY(corrupt(testing, metrics, &corruptions, err));
    json_object_set_new(result, "corruptions", corruptions);
    return SL_OK;
}

/* Whether the labels are those of the data set rather than a file. */
static bool are_own(const char *labels)
{
    return strcmp(labels, "hard") == 0 || strcmp(labels, "truth") == 0;
}

static const char *reference_name(const char *labels)
{
    if (strcmp(labels, "hard") == 0) return "one class per item";
    return strcmp(labels, "truth") == 0 ? "true distributions" : "as given";
}

static enum sl_status measure(struct testing *testing, const struct sl_eval_job *job,
                              json_t *result, struct sl_error *err)
{
    const struct sl_eval_test *test = testing->test;
    struct sl_evaluation *run = testing->run;
    run->models[0] = (struct sl_evaluated_model){
        .path = test->title,
        .kind = SL_PREDICTION_LOGITS,
        .scored = testing->scored,
        .labels = are_own(test->labels) ? "those of the data set" : test->labels_shown,
        .reference = reference_name(test->labels),
        .hard = sl_string_copy("those of the data set")};
    testing->scored = NULL; /* moved to the run */
    SL_TRY(sl_eval_choose_metrics(run, test->metrics, err));
    if (job->against) SL_TRY(score_other(testing, job->against, &run->models[run->n_models], err));
    SL_TRY(sl_eval_measure(run, err));
    json_t *metrics = metrics_json(run);
    json_object_set_new(result, "n", json_integer((json_int_t)testing->n));
    json_object_set_new(result, "metrics", metrics);
    json_object_set_new(result, "reliability", reliability_json(run->models[0].scored));
    SL_TRY(disturb(testing, metrics, result, err));
    sl_evaluation_json_more(run, result);
    if (test->gallery > 0)
        json_object_set_new(
            result, "gallery",
            sl_eval_gallery(&testing->feeding, run->models[0].scored, test->gallery));
    return SL_OK;
}

/* Put the scores of one test set into testing->run and `result`, and its class names into *classes
 * if that is NULL. */
static enum sl_status run_test(struct testing *testing, const struct sl_eval_job *job,
                               json_t *result, json_t **classes, struct sl_error *err)
{
    enum sl_status status = job->dry_run ? open_test(testing, err) : score(testing, err);
    if (status == SL_OK && job->dry_run)
        json_object_set_new(result, "n", json_integer((json_int_t)testing->n));
    else if (status == SL_OK)
        status = measure(testing, job, result, err);
    if (status == SL_OK && !*classes) *classes = class_names(testing->feeding.dataset);
    if (status != SL_OK) sl_fail_within(err, status, "test \"%s\"", testing->test->name);
    testing_release(testing);
    return status;
}

/* ---- All of it ---- */

enum sl_status sl_evaluate_weights(const struct sl_eval_job *job, const char *weights,
                                   const struct sl_workplace *workplace,
                                   struct sl_weights_evaluation *out, struct sl_error *err)
{
    struct sl_weights_evaluation all = {.scores = json_object()};
    struct sl_eval_tests *tests = sl_alloc(1, sizeof *tests);
    struct sl_model *model = NULL;
    enum sl_status status = SL_OK;
    all.described = tests;
    SL_TRY_OUT(sl_eval_tests_read(workplace, job, weights, tests, err));
    SL_TRY_OUT(sl_run_open_weights(weights, &model, err));
    all.names = sl_alloc(tests->count + 1, sizeof *all.names);
    all.tests = sl_alloc(tests->count, sizeof *all.tests);
    for (size_t t = 0; t < tests->count; t++) {
        struct testing testing = {
            .workplace = workplace, .model = model, .test = &tests->tests[t], .run = &all.tests[t]};
        json_t *one = json_object();
        all.names[all.n_tests++] = sl_string_copy(tests->tests[t].name);
        sl_evaluation_init(&all.tests[t], job, workplace, &tests->tests[t].options, 1);
        json_object_set_new(all.scores, tests->tests[t].name, one);
        SL_TRY_OUT(run_test(&testing, job, one, &all.classes, err));
    }
    if (job->plots) SL_TRY_OUT(sl_weights_evaluation_write_plots(&all, job->plots, err));
    *out = all;
    all = (struct sl_weights_evaluation){0};
out:
    sl_model_destroy(model);
    sl_weights_evaluation_release(&all);
    return status;
}

void sl_weights_evaluation_release(struct sl_weights_evaluation *evaluation)
{
    for (size_t t = 0; t < evaluation->n_tests; t++)
        sl_evaluation_release(&evaluation->tests[t]);
    free(evaluation->tests);
    sl_names_destroy(evaluation->names);
    json_decref(evaluation->scores);
    json_decref(evaluation->classes);
    if (evaluation->described) sl_eval_tests_release(evaluation->described);
    free(evaluation->described);
}
