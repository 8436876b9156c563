/* Searches the grids of a specification. A block becomes a specification of its own, with one set
 * per value and the validation items as its only test. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/run/runner.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/eval.h"

/* ---- Chosen values ---- */

/* The recipe key or option of a parameter; the papers' names differ for three of them. */
static const char *key_of(const char *parameter)
{
    static const struct {
        const char *paper, *ours;
    } names[] = {{"lr", "rate"}, {"beta", "smooth"}, {"gamma", "--gamma"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].paper, parameter) == 0) return names[i].ours;
    return parameter;
}

static void put(struct sl_spec_set *set, const char *key, double value)
{
    if (strncmp(key, "--", 2) != 0) {
        const char *network;
        json_t *as_run;
        if (!set->settings) set->settings = json_object();
        json_object_set_new(set->settings, key, json_real(value));
        /* as_run overrides the settings, so it must not have the key */
        json_object_foreach(set->as_run, network, as_run)
        {
            json_object_del(as_run, key);
        }
        return;
    }
    char number[SL_NUMBER_TEXT];
    if (!set->labels.items) return;
    sl_text_from_double(value, number);
    sl_text_list_add(&set->labels, key);
    sl_text_list_add(&set->labels, number);
}

struct sl_spec_set sl_tuned_set(const json_t *tuned, const char *set_name, const char *network,
                                const struct sl_spec_set *set)
{
    struct sl_spec_set out;
    sl_fields_copy(&sl_spec_set_fields, set, &out);
    const char *const names[] = {"*", set_name};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *cell = sl_string_printf("%s|%s", names[i], network);
        const char *key;
        json_t *value;
        json_object_foreach(json_object_get(tuned, cell), key, value)
        {
            put(&out, key, json_number_value(value));
        }

        free(cell);
    }
    return out;
}

/* ---- A block as a specification ---- */

static char *grid_name(const char *set, const char *key, double value)
{
    char number[SL_NUMBER_TEXT];
    sl_text_from_double(value, number);
    return sl_string_printf("%s@%s=%s", set, key, number);
}

/* True if a block is searched on this set: a set that the block names, or else the first one that
 * is trained. */
static bool is_searched(const struct sl_spec_tune *block, const struct sl_spec_sets *sets,
                        size_t place)
{
    size_t first = 0;
    while (first < sets->count && !sets->items[first].train)
        first++;
    return sets->items[place].train &&
           (block->sets.items ? sl_text_list_has(&block->sets, sets->names[place])
                              : place == first);
}

/* One set per value of the grid; the caller releases them. */
static struct sl_spec_sets grid_sets(const struct sl_spec_tune *block,
                                     const struct sl_spec_sets *sets)
{
    const char *key = key_of(block->parameter);
    const size_t most = sets->count * block->grid.count + 1;
    struct sl_spec_sets out = {sl_alloc(most, sizeof *out.names), sl_alloc(most, sizeof *out.items),
                               0};
    for (size_t i = 0; i < sets->count; i++)
        for (size_t j = 0; is_searched(block, sets, i) && j < block->grid.count; j++) {
            struct sl_spec_set *set = &out.items[out.count];
            sl_fields_copy(&sl_spec_set_fields, &sets->items[i], set);
            put(set, key, block->grid.items[j]);
            out.names[out.count++] = grid_name(sets->names[i], key, block->grid.items[j]);
        }
    return out;
}

/* The networks of a block, or else all. */
static const struct sl_text_list *searched_networks(const struct sl_spec_tune *block,
                                                    const struct sl_spec_body *body)
{
    return block->networks.items ? &block->networks : &body->design.networks;
}

/* The specification of a block, which the caller releases. It validates on items of a data set with
 * hard labels, or on the held-out fold with the labels that choose the set's best epoch. */
static void block_body(const struct sl_spec_body *body, const struct sl_spec_tune *block,
                       struct sl_spec_body *out)
{
    char hard[] = "hard", dev[] = SL_DEV_LABELS, fold[] = "fold", name[] = "validation";
    char train[] = "train", *needs[] = {train, NULL}, *metrics[] = {block->metric, NULL};
    char *names[] = {name, NULL};
    const struct sl_spec_design *whole = &body->design;
    const int64_t most = whole->test_items;
    int64_t folds[] = {whole->run_folds.count > 0 ? whole->run_folds.items[0] : 0};
    struct sl_spec_test test = {
        .data = block->fold ? whole->data : block->set->data,
        .labels = block->fold ? dev : hard,
        .split = block->fold ? fold : NULL,
        .metrics = {metrics, 1},
        .seed = block->fold ? 1 : block->set->seed,
    };
    struct sl_spec_body changed = *body;
    struct sl_spec_design *design = &changed.design;
    changed.needs = (struct sl_text_list){needs, 1};
    changed.compute = changed.further = (struct sl_spec_figures){0};
    design->sets = (struct sl_spec_sets){0};
    design->seeds = block->seeds;
    design->networks = *searched_networks(block, body);
    design->tests = (struct sl_spec_tests){names, &test, 1};
    if (block->fold)
        design->run_folds = (struct sl_integer_list){folds, 1};
    else if (most == 0 || most > block->set->count)
        design->test_items = block->set->count;
    sl_fields_copy(&sl_spec_fields, &changed, out);
    out->design.sets = grid_sets(block, &whole->sets);
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

/* The mean score of a grid set with a network over its runs; NaN if a run has no score. */
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

/* A block whose runs are finished. */
struct searched {
    const struct sl_experiment *plan; /* borrowed */
    const struct sl_spec_tune *block; /* borrowed */
    struct sl_ledger *ledger;         /* borrowed */
};

static enum sl_status choose(const struct searched *searched, const char *set, const char *network,
                             json_t *tuned, struct sl_error *err)
{
    const struct sl_spec_tune *block = searched->block;
    const struct sl_double_list *grid = &block->grid;
    const char *parameter = block->parameter;
    const bool higher = sl_measure_direction(block->metric) > 0;
    json_t *scores = json_array();
    const double *best = NULL;
    double best_score = (double)NAN;
    for (size_t i = 0; i < grid->count; i++) {
        char *name = grid_name(set, key_of(parameter), grid->items[i]);
        const double score =
            mean_score(searched->plan, searched->ledger, name, network, block->metric);
        free(name);
        json_array_append_new(scores, isfinite(score) ? json_real(score) : json_null());
        const bool better = isnan(best_score) || (higher ? score > best_score : score < best_score);
        if (!isfinite(score) || !better) continue;
        best_score = score;
        best = &grid->items[i];
    }
    if (!best) {
        json_decref(scores);
        return sl_fail(err, SL_ERR_INPUT, "%s: no value of %s has a score (set %s, network %s)",
                       searched->plan->name, parameter, set, network);
    }
    const char *held = block->sets.items ? set : "*";
    json_t *line = json_pack(
        "{s:s, s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "softlab", "tuned", "version", 1,
        "spec", searched->plan->name, "scale", searched->plan->scale, "variant",
        searched->plan->variant, "set", held, "network", network, "parameter", parameter, "grid",
        sl_double_list_json(grid), "scores", scores, "selected", sl_number_json(*best));
    char key[65];
    sl_json_hash(line, key);
    json_object_set_new(line, "key", json_string(key));
    /* A resumed search makes the same choice again. */
    const enum sl_status status = sl_ledger_has_key(searched->ledger, key)
                                      ? SL_OK
                                      : sl_ledger_append(searched->ledger, line, err);
    json_decref(line);
    if (status == SL_OK) {
        char *cell = sl_string_printf("%s|%s", held, network);
        if (!json_object_get(tuned, cell)) json_object_set_new(tuned, cell, json_object());
        json_object_set_new(json_object_get(tuned, cell), key_of(parameter), sl_number_json(*best));
        free(cell);
    }
    return status;
}

static enum sl_status choose_all(const struct searched *searched, const struct sl_spec_body *body,
                                 json_t *tuned, struct sl_error *err)
{
    const struct sl_spec_sets *sets = &body->design.sets;
    const struct sl_text_list *networks = searched_networks(searched->block, body);
    for (size_t i = 0; i < sets->count; i++)
        for (size_t j = 0; is_searched(searched->block, sets, i) && j < networks->count; j++)
            SL_TRY(choose(searched, sets->names[i], networks->items[j], tuned, err));
    return SL_OK;
}

size_t sl_experiment_n_grids(const struct sl_spec *spec)
{
    return spec->body->tune.count;
}

enum sl_status sl_experiment_grid(const struct sl_spec *spec,
                                  const struct sl_experiment_options *options, size_t index,
                                  struct sl_experiment **out, struct sl_error *err)
{
    struct sl_spec_body searched;
    block_body(spec->body, &spec->body->tune.items[index], &searched);
    const enum sl_status status = sl_experiment_plan(spec, &searched, options, out, err);
    if (status == SL_OK) (*out)->kind = "tuning";
    sl_fields_release(&sl_spec_fields, &searched);
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
    const struct searched searched = {plan, &spec->body->tune.items[index], &ledger};
    SL_TRY_OUT(choose_all(&searched, spec->body, tuned, err));
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
