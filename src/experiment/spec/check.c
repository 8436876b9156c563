/* Checks a specification, whose keys and types are right already, for contradictions. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/spec/spec_internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/dataset/image.h"
#include "softlab/eval.h"

/* A design to check: that of the whole specification, or of a part. */
struct checked {
    const struct sl_spec_body *body;
    const struct sl_spec_design *design;
    const struct sl_json_cursor *at; /* the design's place in the file */
};

/* ---- Label sets ---- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* True if two lists have the same texts in any order, since the order of options does not matter.
 */
static bool same_texts(const struct sl_text_list *a, const struct sl_text_list *b)
{
    const size_t n = a->count;
    if (!a->items || b->count != n) return false;
    const char **texts[] = {sl_alloc(n + 1, sizeof **texts), sl_alloc(n + 1, sizeof **texts)};
    bool same = true;
    for (size_t i = 0; i < n; i++) {
        texts[0][i] = a->items[i];
        texts[1][i] = b->items[i];
    }
    for (size_t i = 0; i < 2; i++)
        qsort(texts[i], n, sizeof *texts[i], compare_texts);
    for (size_t i = 0; i < n; i++)
        same = same && strcmp(texts[0][i], texts[1][i]) == 0;
    free(texts[0]);
    free(texts[1]);
    return same;
}

/* "labels" may be given together with "answers" and "method" if both mean the same command. */
static enum sl_status check_words(const struct sl_spec_set *set, const struct sl_json_cursor *at,
                                  struct sl_error *err)
{
    if (!set->answers || (!set->labels.items && !set->hard)) return SL_OK;
    struct sl_text_list words = sl_spec_label_words(set);
    const bool same = same_texts(&set->labels, &words);
    sl_text_list_release(&words);
    if (same) return SL_OK;
    const struct sl_json_cursor labels = sl_json_below(at, "labels");
    return sl_json_fail(&labels, err,
                        "differs from \"answers\", \"method\" and \"options\"; leave out "
                        "\"labels\", or those three");
}

/* A set has "labels", or "answers" with a known "method". */
static enum sl_status check_method(const struct sl_spec_set *set, const struct sl_json_cursor *at,
                                   struct sl_error *err)
{
    struct sl_error problem;
    if (!set->answers != !set->method)
        return sl_json_fail(at, err, "\"answers\" and \"method\" go together");
    if (set->method && !sl_spec_knows_method(set->method, &problem)) {
        const struct sl_json_cursor method = sl_json_below(at, "method");
        return sl_json_fail(&method, err, "%s", problem.message);
    }
    return check_words(set, at, err);
}

/* Keys that have no effect on hard labels are errors. */
static enum sl_status check_hard(const struct sl_spec_set *set, const struct sl_json_cursor *at,
                                 struct sl_error *err)
{
    const struct {
        const char *key;
        bool given;
    } rows[] = {{"only", set->only},
                {"count", set->count > 0},
                {"labelled", set->labelled > 0},
                {"harden", set->harden}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].given || set->labels.items || set->answers) continue;
        const struct sl_json_cursor member = sl_json_below(at, rows[i].key);
        return sl_json_fail(&member, err,
                            "has no effect on hard labels; give \"answers\" and a "
                            "\"method\", or leave it out");
    }
    return SL_OK;
}

/* `labelled` says how many items are trained on, which another key may say already. */
static enum sl_status check_labelled(const struct sl_spec_set *set, const struct sl_json_cursor *at,
                                     struct sl_error *err)
{
    const bool others_too = set->rest && strcmp(set->rest, "none") != 0;
    if (set->labelled == 0 || !(set->count > 0 || others_too)) return SL_OK;
    const struct sl_json_cursor member = sl_json_below(at, "labelled");
    return sl_json_fail(&member, err, "has no effect beside \"%s\"; leave it out",
                        others_too ? "rest" : "count");
}

/* "as_run" maps networks to objects of recipe keys. */
static enum sl_status check_as_run(const struct sl_spec_set *set, const struct sl_json_cursor *at,
                                   struct sl_error *err)
{
    const struct sl_json_cursor as_run = sl_json_below(at, "as_run");
    const char *network;
    json_t *keys;
    json_object_foreach(set->as_run, network, keys)
    {
        const struct sl_json_cursor entry = sl_json_below(&as_run, network);
        if (!json_is_object(keys)) return sl_json_fail(&entry, err, "expected an object");
    }
    return SL_OK;
}

/* The name must be a reference, or "hard". */
static enum sl_status check_reference(const struct checked *checked, const char *name,
                                      const struct sl_json_cursor *object, const char *key,
                                      struct sl_error *err)
{
    const struct sl_spec_sets *own = &checked->design->references;
    const struct sl_spec_sets *references = own->names ? own : &checked->body->design.references;
    if (!name || strcmp(name, "hard") == 0 || sl_spec_set_find(references, name)) return SL_OK;
    const struct sl_json_cursor at = sl_json_below(object, key);
    return sl_json_fail(&at, err, "no reference is called \"%s\"", name);
}

/* Keys that name a file must name one of "files". */
static enum sl_status check_files(const struct checked *checked, const struct sl_spec_set *set,
                                  const struct sl_json_cursor *at, struct sl_error *err)
{
    const bool word =
        set->rest && (strcmp(set->rest, "hard") == 0 || strcmp(set->rest, "none") == 0);
    const struct {
        const char *key, *name;
    } rows[] = {{"only", set->only}, {"rest", word ? NULL : set->rest}, {"mixing", set->mixing}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].name || sl_spec_file_find(checked->body, rows[i].name)) continue;
        const struct sl_json_cursor member = sl_json_below(at, rows[i].key);
        return sl_json_fail(&member, err, "no file of \"files\" is called \"%s\"", rows[i].name);
    }
    return SL_OK;
}

static enum sl_status check_set(const struct checked *checked, const struct sl_spec_set *set,
                                const struct sl_json_cursor *at, struct sl_error *err)
{
    const struct sl_json_cursor extra = sl_json_below(at, "extra");
    SL_TRY(check_method(set, at, err));
    if (set->extra) SL_TRY(check_method(set->extra, &extra, err));
    SL_TRY(check_as_run(set, at, err));
    SL_TRY(check_reference(checked, set->dev_labels, at, "dev_labels", err));
    SL_TRY(check_files(checked, set, at, err));
    SL_TRY(check_hard(set, at, err));
    return check_labelled(set, at, err);
}

/* ---- Tests ---- */

/* Measures that softlab eval computes from weights, not from predictions. */
static const char *const other_metrics[] = {
    "fgsm_loss",           "fgsm_accuracy",    "pgd_loss",
    "pgd_accuracy",        "corruption_ce",    "corruption_ce_hard",
    "corruption_accuracy", "corruption_error",
};
enum { OTHER_METRICS = sizeof other_metrics / sizeof *other_metrics };

/* A test on joined data sets averages over items, so its measures must be means over items. */
static enum sl_status check_metric(const char *name, bool joined, const struct sl_json_cursor *at,
                                   struct sl_error *err)
{
    const struct sl_metric *metric = sl_metric_find(name);
    size_t count = 0;
    if (metric && joined && !metric->per_item)
        return sl_json_fail(at, err,
                            "\"%s\" is not a mean over items, which a test on several data sets "
                            "needs; leave it out, or give one data set",
                            name);
    if (metric) return SL_OK;
    while (sl_metrics[count].name)
        count++;
    const char **known = sl_alloc(count + OTHER_METRICS + 1, sizeof *known);
    for (size_t i = 0; i < count; i++)
        known[i] = sl_metrics[i].name;
    memcpy(known + count, other_metrics, sizeof other_metrics);
    bool found = false;
    for (size_t i = 0; i < OTHER_METRICS; i++)
        found = found || strcmp(other_metrics[i], name) == 0;
    char ending[SL_SUGGESTION_TEXT];
    const char *meant = sl_text_suggestion(name, known, "", ending);
    free(known);
    return found ? SL_OK : sl_json_fail(at, err, "no measure is called \"%s\"%s", name, meant);
}

static enum sl_status check_test(const struct checked *checked, const struct sl_spec_test *test,
                                 const struct sl_json_cursor *at, struct sl_error *err)
{
    const struct sl_json_cursor metrics = sl_json_below(at, "metrics");
    const bool folds = checked->design->folds > 0 || checked->body->design.folds > 0;
    if (test->metrics.items && test->metrics.count == 0)
        return sl_json_fail(&metrics, err,
                            "is empty: name at least one measure of softlab eval "
                            "--list");
    for (size_t i = 0; test->metrics.items && i < test->metrics.count; i++) {
        const struct sl_json_cursor metric = sl_json_element(&metrics, i);
        SL_TRY(check_metric(test->metrics.items[i], test->joined.count > 1, &metric, err));
    }
    if (test->split && strcmp(test->split, "fold") == 0 && !folds) {
        const struct sl_json_cursor split = sl_json_below(at, "split");
        return sl_json_fail(&split, err, "\"fold\" needs \"folds\", the number of folds");
    }
    return check_reference(checked, test->labels, at, "labels", err);
}

/* ---- Designs ---- */

/* No seed may be listed twice. */
static enum sl_status check_seeds(const struct checked *checked, struct sl_error *err)
{
    const struct sl_integer_list *seeds = &checked->design->seeds;
    const struct sl_json_cursor list = sl_json_below(checked->at, "seeds");
    for (size_t i = 0; i < seeds->count; i++)
        for (size_t j = 0; j < i; j++) {
            if (seeds->items[i] != seeds->items[j]) continue;
            const struct sl_json_cursor at = sl_json_element(&list, i);
            return sl_json_fail(&at, err, "seed %lld is listed twice", (long long)seeds->items[i]);
        }
    return SL_OK;
}

/* An empty list or object would leave nothing to run, unless parts have their own. */
static enum sl_status check_some(const struct checked *checked, struct sl_error *err)
{
    const struct sl_spec_design *design = checked->design;
    const struct {
        const char *key;
        bool empty;
    } rows[] = {{"sets", design->sets.names && !design->sets.count},
                {"networks", design->networks.items && !design->networks.count},
                {"seeds", design->seeds.items && !design->seeds.count},
                {"tests", design->tests.names && !design->tests.count}};
    const bool whole = design == &checked->body->design;
    if (whole && checked->body->parts.names) return SL_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sl_json_cursor at = sl_json_below(checked->at, rows[i].key);
        if (rows[i].empty)
            return sl_json_fail(&at, err, "is empty: name at least one, or leave it out");
    }
    return SL_OK;
}

/* "32x48": height and width. */
static enum sl_status check_size(const struct checked *checked, struct sl_error *err)
{
    const struct sl_json_cursor at = sl_json_below(checked->at, "size");
    const char *text = checked->design->size ? checked->design->size : "1x1";
    size_t height = 0, width = 0;
    if (sl_text_to_sides(text, SIZE_MAX, &height, &width))
        return width <= SL_IMAGE_MAX_PIXELS / height
                   ? SL_OK
                   : sl_json_fail(&at, err,
                                  "\"%s\" is too large; an image may have at most %zu pixels", text,
                                  SL_IMAGE_MAX_PIXELS);
    return sl_json_fail(&at, err, "\"%s\" is not a size; give height and width like \"32x32\"",
                        text);
}

static enum sl_status check_channels(const struct checked *checked, struct sl_error *err)
{
    const struct sl_json_cursor at = sl_json_below(checked->at, "channels");
    if (checked->design->channels != 2) return SL_OK;
    return sl_json_fail(&at, err, "expected 1 (grey) or 3 (colour)");
}

/* A hold-out is a list of names, the same in all runs; only a split is drawn by seed. */
static enum sl_status check_holdout(const struct checked *checked, struct sl_error *err)
{
    const struct sl_json_cursor at = sl_json_below(checked->at, "holdout");
    const char *name = checked->design->holdout;
    if (!name || strncmp(name, "share:", 6) != 0) return SL_OK;
    return sl_json_fail(&at, err,
                        "\"%s\" is for \"split\"; a hold-out is a file with an item's "
                        "name on each line, or \"collins2022\"",
                        name);
}

static enum sl_status check_design(const struct checked *checked, struct sl_error *err)
{
    const struct sl_spec_design *design = checked->design;
    const struct sl_json_cursor sets = sl_json_below(checked->at, "sets");
    const struct sl_json_cursor references = sl_json_below(checked->at, "references");
    const struct sl_json_cursor tests = sl_json_below(checked->at, "tests");
    SL_TRY(check_size(checked, err));
    SL_TRY(check_channels(checked, err));
    SL_TRY(check_holdout(checked, err));
    SL_TRY(check_seeds(checked, err));
    SL_TRY(check_some(checked, err));
    for (size_t i = 0; i < design->sets.count; i++) {
        const struct sl_json_cursor at = sl_json_below(&sets, design->sets.names[i]);
        SL_TRY(check_set(checked, &design->sets.items[i], &at, err));
    }
    for (size_t i = 0; i < design->references.count; i++) {
        const struct sl_json_cursor at = sl_json_below(&references, design->references.names[i]);
        SL_TRY(check_method(&design->references.items[i], &at, err));
    }
    for (size_t i = 0; i < design->tests.count; i++) {
        const struct sl_json_cursor at = sl_json_below(&tests, design->tests.names[i]);
        SL_TRY(check_test(checked, &design->tests.items[i], &at, err));
    }
    return SL_OK;
}

/* ---- Scales ---- */

/* The network that a small one stands for must be in "networks". */
static enum sl_status check_stands_for(const struct sl_spec_body *body,
                                       const struct sl_spec_scale *scale,
                                       const struct sl_json_cursor *at, struct sl_error *err)
{
    const struct sl_json_cursor stands_for = sl_json_below(at, "stands_for");
    for (size_t i = 0; i < scale->stands_for.count; i++) {
        const struct sl_json_cursor entry = sl_json_below(&stands_for, scale->stands_for.names[i]);
        if (!sl_text_list_has(&body->design.networks, scale->stands_for.items[i].text))
            return sl_json_fail(&entry, err, "expected one of \"networks\"");
    }
    return SL_OK;
}

static bool has_set(const struct sl_spec_body *body, const char *name)
{
    bool found = sl_spec_set_find(&body->design.sets, name);
    for (size_t i = 0; i < body->parts.count; i++)
        found = found || sl_spec_set_find(&body->parts.items[i].sets, name);
    return found;
}

/* The sets that a scale keeps must exist. */
static enum sl_status check_scale(const struct sl_spec_body *body,
                                  const struct sl_spec_scale *scale,
                                  const struct sl_json_cursor *at, struct sl_error *err)
{
    const struct sl_json_cursor sets = sl_json_below(at, "sets");
    for (size_t i = 0; i < scale->sets.count; i++) {
        const struct sl_json_cursor entry = sl_json_element(&sets, i);
        if (!has_set(body, scale->sets.items[i]))
            return sl_json_fail(&entry, err, "no set is called \"%s\"", scale->sets.items[i]);
    }
    return check_stands_for(body, scale, at, err);
}

/* ---- The specification ---- */

/* "Better" is only defined for a measure that has a direction. */
static enum sl_status check_direction(const char *measure, const struct sl_json_cursor *at,
                                      struct sl_error *err)
{
    if (sl_measure_direction(measure) != 0) return SL_OK;
    return sl_json_fail(at, err,
                        "\"%s\" has no direction that is better; name a measure that has one, such "
                        "as cross_entropy",
                        measure);
}

/* The sets of a grid must exist and be trained. */
static enum sl_status check_grid(const struct sl_spec_body *body, const struct sl_spec_tune *tune,
                                 const struct sl_json_cursor *at, struct sl_error *err)
{
    const struct sl_json_cursor sets = sl_json_below(at, "sets");
    for (size_t i = 0; i < tune->sets.count; i++) {
        const struct sl_json_cursor entry = sl_json_element(&sets, i);
        const char *name = tune->sets.items[i];
        const struct sl_spec_set *set = sl_spec_set_find(&body->design.sets, name);
        if (body->design.sets.names && !set)
            return sl_json_fail(&entry, err, "no set is called \"%s\"", name);
        if (set && !set->train)
            return sl_json_fail(&entry, err, "set \"%s\" trains nothing: leave it out", name);
    }
    const struct sl_json_cursor metric = sl_json_below(at, "metric");
    SL_TRY(check_metric(tune->metric, false, &metric, err));
    return check_direction(tune->metric, &metric, err);
}

/* A cell's key needs a column to be filled. */
static enum sl_status check_table(const struct sl_spec_table *table,
                                  const struct sl_json_cursor *root, struct sl_error *err)
{
    const struct sl_json_cursor at = sl_json_below(root, "table");
    const struct sl_json_cursor cells = sl_json_below(&at, "cells");
    for (size_t i = 0; table && i < table->cells.count; i++) {
        const struct sl_json_cursor cell = sl_json_below(&cells, table->cells.names[i]);
        if (!strchr(table->cells.names[i], '|'))
            return sl_json_fail(&cell, err,
                                "has no column; write the row's coordinates, a bar and a column: "
                                "\"set|test/metric\"");
    }
    return SL_OK;
}

/* The sets of a plot must exist, and each series needs a position on the axis. */
static enum sl_status check_plot(const struct sl_spec_body *body, const struct sl_json_cursor *root,
                                 struct sl_error *err)
{
    const struct sl_spec_plot *plot = body->plot;
    const struct sl_json_cursor at = sl_json_below(root, "plot");
    const struct sl_json_cursor all = sl_json_below(&at, "series");
    for (size_t i = 0; plot && i < plot->series.count; i++) {
        const struct sl_json_cursor series = sl_json_below(&all, plot->series.names[i]);
        const struct sl_text_list *sets = &plot->series.items[i].sets;
        for (size_t j = 0; j < sets->count; j++) {
            const struct sl_json_cursor set = sl_json_element(&series, j);
            if (!has_set(body, sets->items[j]))
                return sl_json_fail(&set, err, "no set is called \"%s\"", sets->items[j]);
        }
        if (strcmp(plot->x, "seconds") == 0 &&
            sl_names_place(plot->seconds_per_answer.names, plot->seconds_per_answer.count,
                           plot->series.names[i]) == plot->seconds_per_answer.count)
            return sl_json_fail(&series, err,
                                "\"seconds_per_answer\" has no number for this series");
    }
    return SL_OK;
}

/* The reference, set and columns that a question names must exist. */
static enum sl_status check_answer(const struct sl_spec_body *body,
                                   const struct sl_json_cursor *root, struct sl_error *err)
{
    const struct sl_spec_question *question = body->answer;
    if (!question) return SL_OK;
    const struct {
        const char *key, *among, *name;
        const struct sl_spec_sets *sets;
    } names[] = {{"reference", "references", question->reference, &body->design.references},
                 {"against", "sets", question->against, &body->design.sets}};
    const char *columns[] = {question->distance, question->model, "labels/seconds"};
    const struct sl_json_cursor answer = sl_json_below(root, "answer");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct sl_json_cursor at = sl_json_below(&answer, names[i].key);
        if (!sl_spec_set_find(names[i].sets, names[i].name))
            return sl_json_fail(&at, err, "%s has no \"%s\"", names[i].among, names[i].name);
    }
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!body->table || !sl_text_list_has(&body->table->columns, columns[i]))
            return sl_json_fail(&answer, err, "the table has no column \"%s\"", columns[i]);
    const struct sl_json_cursor model = sl_json_below(&answer, "model");
    const char *slash = strrchr(question->model, '/');
    return check_direction(slash ? slash + 1 : question->model, &model, err);
}

static enum sl_status check_designs(const struct sl_spec_body *body,
                                    const struct sl_json_cursor *root, struct sl_error *err)
{
    const struct checked whole = {body, &body->design, root};
    const struct sl_json_cursor parts = sl_json_below(root, "parts");
    SL_TRY(check_design(&whole, err));
    for (size_t i = 0; i < body->parts.count; i++) {
        const struct sl_json_cursor at = sl_json_below(&parts, body->parts.names[i]);
        const struct checked part = {body, &body->parts.items[i], &at};
        SL_TRY(check_design(&part, err));
    }
    return SL_OK;
}

enum sl_status sl_spec_check(const struct sl_spec_body *body, const struct sl_json_cursor *root,
                             struct sl_error *err)
{
    const struct sl_json_cursor kind = sl_json_below(root, "softlab");
    const struct sl_json_cursor grids = sl_json_below(root, "tune");
    const struct sl_json_cursor scales = sl_json_below(root, "scales");
    if (strcmp(body->softlab, "experiment") != 0)
        return sl_json_fail(&kind, err, "expected \"experiment\"");
    SL_TRY(check_table(body->table, root, err));
    SL_TRY(check_plot(body, root, err));
    SL_TRY(check_answer(body, root, err));
    if (body->tune.count > 0 && body->parts.names)
        return sl_json_fail(
            &grids, err, "cannot be combined with \"parts\"; write a specification for each part");
    for (size_t i = 0; i < body->tune.count; i++) {
        const struct sl_json_cursor at = sl_json_element(&grids, i);
        SL_TRY(check_grid(body, &body->tune.items[i], &at, err));
    }
    SL_TRY(sl_spec_check_figures(body, root, err));
    SL_TRY(sl_spec_check_show(body, root, err));
    SL_TRY(check_designs(body, root, err));
    for (size_t i = 0; i < body->scales.count; i++) {
        const struct sl_json_cursor at = sl_json_below(&scales, body->scales.names[i]);
        SL_TRY(check_scale(body, &body->scales.items[i], &at, err));
    }
    return SL_OK;
}
