/* Searching the grids that a paper searched. A block becomes a specification of its own, with a set
 * for every value and the validation items as its only test. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/runner.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/eval.h"

/* ---- What was chosen ---- */

/* The papers' names of what is tuned; others are recipe keys as they stand. */
static const char *key_of(const char *parameter)
{
    static const struct {
        const char *paper, *ours;
    } names[] = {{"lr", "rate"}, {"beta", "smooth"}, {"gamma", "--gamma"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].paper, parameter) == 0) return names[i].ours;
    return parameter;
}

static void put(json_t *set, const char *key, json_t *value)
{
    if (strncmp(key, "--", 2) != 0) {
        const char *network;
        json_t *as_run;
        if (!json_object_get(set, "settings")) json_object_set_new(set, "settings", json_object());
        json_object_set(json_object_get(set, "settings"), key, value);
        /* What the public code ran with stands over the settings. */
        json_object_foreach(json_object_get(set, "as_run"), network, as_run)
        {
            json_object_del(as_run, key);
        }
        return;
    }
    json_t *words = json_object_get(set, "labels");
    char number[SL_NUMBER_TEXT];
    if (!json_is_array(words)) return;
    sl_text_from_double(json_number_value(value), number);
    json_array_append_new(words, json_string(key));
    json_array_append_new(words, json_string(number));
}

json_t *sl_tuned_set(const json_t *tuned, const char *set_name, const char *network, json_t *set)
{
    json_t *out = json_deep_copy(set);
    const char *const names[] = {"*", set_name};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *cell = sl_string_printf("%s|%s", names[i], network);
        const char *key;
        json_t *value;
        json_object_foreach(json_object_get(tuned, cell), key, value)
        {
            put(out, key, value);
        }

        free(cell);
    }
    return out;
}

/* ---- A block as a specification ---- */

static char *grid_name(const char *set, const char *key, const json_t *value)
{
    char number[SL_NUMBER_TEXT];
    sl_text_from_double(json_number_value(value), number);
    return sl_string_printf("%s@%s=%s", set, key, number);
}

/* The sets that a block is searched on: its own that the scale has, else the first that trains. */
static json_t *searched_sets(const json_t *block, json_t *sets)
{
    const json_t *own = json_object_get(block, "sets");
    const char *name;
    json_t *set, *list = json_array();
    json_object_foreach(sets, name, set)
    {
        const bool trains = !json_is_false(json_object_get(set, "train"));
        const bool searched = own ? sl_plan_lists(own, name) : json_array_size(list) == 0;
        if (trains && searched) json_array_append_new(list, json_string(name));
    }
    return list;
}

static json_t *grid_sets(const json_t *block, json_t *sets)
{
    const json_t *grid = json_object_get(block, "grid");
    const char *key = key_of(sl_plan_text(block, "parameter"));
    json_t *names = searched_sets(block, sets), *out = json_object();
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        for (size_t j = 0; j < json_array_size(grid); j++) {
            json_t *set = json_deep_copy(json_object_get(sets, name));
            char *title = grid_name(name, key, json_array_get(grid, j));
            put(set, key, json_array_get(grid, j));
            json_object_set_new(out, title, set);
            free(title);
        }
    }
    json_decref(names);
    return out;
}

/* Validation on items of a data set by their hard labels, or on the fold that is held out by those
 * that an epoch of the set is chosen by. */
static void set_validation(json_t *design, const json_t *block)
{
    json_t *validation = json_object_get(block, "validation");
    const bool on_fold = json_is_string(validation);
    json_t *test = json_pack("{s:s, s:[s]}", "labels", on_fold ? SL_DEV_LABELS : "hard", "metrics",
                             sl_plan_text(block, "metric"));
    if (on_fold) {
        const json_t *folds = json_object_get(design, "run_folds");
        json_object_set(test, "data", json_object_get(design, "data"));
        json_object_set_new(test, "split", json_string("fold"));
        json_object_set_new(design, "run_folds",
                            json_pack("[I]", json_integer_value(json_array_get(folds, 0))));
    } else {
        const json_t *smaller = json_object_get(design, "test_items");
        json_int_t count = json_integer_value(json_object_get(validation, "count"));
        if (smaller && json_integer_value(smaller) < count) count = json_integer_value(smaller);
        json_object_set(test, "data", json_object_get(validation, "data"));
        json_object_set(test, "seed", json_object_get(validation, "seed"));
        json_object_set_new(design, "test_items", json_integer(count));
    }
    json_object_set_new(design, "tests", json_pack("{s:o}", "validation", test));
}

/* Networks that a block is searched with: its own, else all. */
static json_t *searched_networks(const json_t *block, const struct sl_spec *spec)
{
    json_t *own = json_object_get(block, "networks");
    return own ? own : json_object_get(spec->json, "networks");
}

static json_t *block_design(const struct sl_spec *spec, const json_t *block)
{
    json_t *design = json_copy(spec->json);
    json_object_set_new(design, "sets", grid_sets(block, json_object_get(spec->json, "sets")));
    json_object_set(design, "seeds", json_object_get(block, "seeds"));
    json_object_set(design, "networks", searched_networks(block, spec));
    json_object_set_new(design, "needs", json_pack("[s]", "train"));
    json_object_del(design, "compute");
    json_object_del(design, "further");
    set_validation(design, block);
    return design;
}

/* ---- Choosing ---- */

static double score_of(const struct sl_ledger *ledger, const struct sl_run *run, const char *metric)
{
    char *name = sl_string_printf("validation/%s", metric);
    double score = (double)NAN;
    for (size_t i = 0; i < ledger->n_lines; i++) {
        if (strcmp(ledger->lines[i].key, run->key) != 0) continue;
        json_t *line = json_loads(ledger->lines[i].text, 0, NULL);
        const json_t *value = json_object_get(json_object_get(line, "metrics"), name);
        if (json_is_number(value)) score = json_number_value(value);
        json_decref(line);
    }
    free(name);
    return score;
}

/* The mean score of a grid set with a network over its seeds; NaN if a run is not there. */
static double mean_score(const struct sl_experiment *plan, const struct sl_ledger *ledger,
                         const char *set, const char *network, const char *metric)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < plan->n_runs; i++) {
        const struct sl_run *run = &plan->runs[i];
        if (strcmp(run->set, set) != 0 || strcmp(run->network, network) != 0) continue;
        sum += score_of(ledger, run, metric);
        count++;
    }
    return sum / (double)count;
}

/* A block that has been run. */
struct searched {
    const struct sl_experiment *plan; /* borrowed */
    const json_t *block;              /* borrowed */
    struct sl_ledger *ledger;         /* borrowed */
};

static enum sl_status choose(const struct searched *searched, const char *set, const char *network,
                             json_t *tuned, struct sl_error *err)
{
    const json_t *grid = json_object_get(searched->block, "grid");
    const char *metric = sl_plan_text(searched->block, "metric");
    const char *parameter = sl_plan_text(searched->block, "parameter");
    const struct sl_metric *known = sl_metric_find(metric);
    json_t *scores = json_array(), *best = NULL;
    double best_score = (double)NAN;
    for (size_t i = 0; i < json_array_size(grid); i++) {
        char *name = grid_name(set, key_of(parameter), json_array_get(grid, i));
        const double score = mean_score(searched->plan, searched->ledger, name, network, metric);
        free(name);
        json_array_append_new(scores, isfinite(score) ? json_real(score) : json_null());
        const bool better = isnan(best_score) ||
                            (known && known->better > 0 ? score > best_score : score < best_score);
        if (!isfinite(score) || !better) continue;
        best_score = score;
        best = json_array_get(grid, i);
    }
    if (!best) {
        json_decref(scores);
        return sl_fail(err, SL_ERR_INPUT, "%s: no value of %s has a score to choose it by (%s, %s)",
                       searched->plan->name, parameter, set, network);
    }
    const char *held = json_object_get(searched->block, "sets") ? set : "*";
    json_t *line =
        json_pack("{s:s, s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:O, s:o, s:O}", "softlab", "tuned",
                  "version", 1, "spec", searched->plan->name, "scale", searched->plan->scale,
                  "variant", searched->plan->variant, "set", held, "network", network, "parameter",
                  parameter, "grid", grid, "scores", scores, "selected", best);
    char key[65];
    sl_json_hash(line, key);
    json_object_set_new(line, "key", json_string(key));
    /* One who goes on chooses again, and the same. */
    const enum sl_status status = sl_ledger_has_key(searched->ledger, key)
                                      ? SL_OK
                                      : sl_ledger_append(searched->ledger, line, err);
    json_decref(line);
    if (status == SL_OK) {
        char *cell = sl_string_printf("%s|%s", held, network);
        if (!json_object_get(tuned, cell)) json_object_set_new(tuned, cell, json_object());
        json_object_set(json_object_get(tuned, cell), key_of(parameter), best);
        free(cell);
    }
    return status;
}

static enum sl_status choose_all(const struct searched *searched, const struct sl_spec *spec,
                                 json_t *tuned, struct sl_error *err)
{
    json_t *sets = searched_sets(searched->block, json_object_get(spec->json, "sets"));
    const json_t *networks = searched_networks(searched->block, spec);
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < json_array_size(sets); i++)
        for (size_t j = 0; j < json_array_size(networks) && status == SL_OK; j++)
            status = choose(searched, json_string_value(json_array_get(sets, i)),
                            json_string_value(json_array_get(networks, j)), tuned, err);
    json_decref(sets);
    return status;
}

static const json_t *grid_block(const struct sl_spec *spec, size_t index)
{
    return json_array_get(json_object_get(spec->json, "tune"), index);
}

size_t sl_experiment_n_grids(const struct sl_spec *spec)
{
    return json_array_size(json_object_get(spec->json, "tune"));
}

enum sl_status sl_experiment_grid(const struct sl_spec *spec,
                                  const struct sl_experiment_options *options, size_t index,
                                  struct sl_experiment **out, struct sl_error *err)
{
    struct sl_spec searched = *spec;
    searched.json = block_design(spec, grid_block(spec, index));
    const enum sl_status status = sl_experiment_create(&searched, options, out, err);
    if (status == SL_OK) (*out)->kind = "tuning";
    json_decref(searched.json);
    return status;
}

static enum sl_status search(const struct sl_spec *spec, size_t index,
                             const struct sl_experiment_options *options,
                             const struct sl_experiment_runner *runner, json_t *tuned,
                             struct sl_error *err)
{
    struct sl_experiment_options searched_options = *options;
    struct sl_experiment *plan = NULL;
    struct sl_experiment_outcome outcome;
    struct sl_ledger ledger = {.lock = -1};
    enum sl_status status = SL_OK;
    searched_options.tuned = tuned;
    SL_TRY_OUT(sl_experiment_grid(spec, &searched_options, index, &plan, err));
    SL_TRY_OUT(sl_experiment_run(plan, runner, &outcome, err));
    SL_TRY_OUT(sl_ledger_open(runner->folder, &ledger, err));
    const struct searched searched = {plan, grid_block(spec, index), &ledger};
    SL_TRY_OUT(choose_all(&searched, spec, tuned, err));
out:
    sl_ledger_close(&ledger);
    sl_experiment_destroy(plan);
    return status;
}

enum sl_status sl_experiment_tune(const struct sl_spec *spec,
                                  const struct sl_experiment_options *options,
                                  const struct sl_experiment_runner *runner, json_t **out,
                                  struct sl_error *err)
{
    json_t *tuned = json_object();
    for (size_t i = 0; i < sl_experiment_n_grids(spec); i++) {
        const enum sl_status status = search(spec, i, options, runner, tuned, err);
        if (status == SL_OK) continue;
        json_decref(tuned);
        return status;
    }
    *out = tuned;
    return SL_OK;
}
