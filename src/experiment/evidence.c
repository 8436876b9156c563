/* What a verdict rests on: which runs a row is made of, whether their training sets overlap,
 * whether they are the paper's own, and whether another claim asks the same of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/outcome_internal.h"
#include "experiment/plan.h"

/* A key of the design, of the part if that has it. */
static const json_t *design_of(const json_t *spec, const char *part, const char *key)
{
    const json_t *own = part ? json_object_get(json_object_get(spec, "parts"), part) : NULL;
    const json_t *value = json_object_get(own, key);
    return value ? value : json_object_get(spec, key);
}

double sl_outcome_overlap(const json_t *spec, const char *part, int64_t fold)
{
    static const char drawn[] = "share:"; /* a share of the items, drawn anew for every seed */
    const double folds = json_number_value(design_of(spec, part, "folds"));
    const char *split = json_string_value(design_of(spec, part, "split"));
    double share;
    if (fold >= 0 && folds >= 2) return 1 / (folds - 1);
    if (!split || strncmp(split, drawn, sizeof drawn - 1) != 0) return 0;
    split += sizeof drawn - 1;
    if (!sl_text_to_real(split, strlen(split), &share) || !(share > 0 && share < 1)) return 0;
    return (1 - share) / share;
}

/* Whether a scale changes nothing but how many of the paper's runs are made. */
static bool only_counts(json_t *changes, const json_t *paper)
{
    static const char *const counts[] = {"networks", "seeds", "sets", "run_folds", "parts", NULL};
    const char *key;
    json_t *value;
    json_object_foreach(changes, key, value)
    {
        size_t at = 0;
        while (counts[at] && strcmp(counts[at], key) != 0)
            at++;
        if (!counts[at]) return false;
        if (strcmp(key, "networks") == 0)
            for (size_t i = 0; i < json_array_size(value); i++)
                if (!sl_plan_lists(json_object_get(paper, key),
                                   json_string_value(json_array_get(value, i))))
                    return false;
        if (strcmp(key, "parts") != 0) continue;
        const char *part;
        json_t *own;
        json_object_foreach(value, part, own)
        {
            if (!only_counts(own, json_object_get(json_object_get(paper, "parts"), part)))
                return false;
        }
    }
    return true;
}

bool sl_spec_trains_as_published(const struct sl_spec *spec)
{
    const json_t *paper = spec->document.root;
    json_t *scale = json_object_get(json_object_get(paper, "scales"), spec->scale);
    return !sl_spec_is_small(spec) || (scale && only_counts(scale, paper));
}

enum sl_evidence sl_evidence_of(const struct sl_outcome *outcome, const struct sl_term_runs *terms,
                                size_t count)
{
    bool has_runs = false, is_whole = true;
    for (size_t i = 0; i < count; i++) {
        has_runs = has_runs || terms[i].n_here;
        is_whole = is_whole && (terms[i].n_here == 0 || terms[i].n_here >= terms[i].n_wanted);
    }
    if (!has_runs) return SL_EVIDENCE_FILES;
    if (!sl_spec_trains_as_published(outcome->source.spec)) return SL_EVIDENCE_SMALL;
    return is_whole ? SL_EVIDENCE_PAPER : SL_EVIDENCE_FEWER;
}

json_t *sl_outcome_planned(const struct sl_outcome *outcome, const char *pattern)
{
    json_t *keys = json_object();
    for (size_t i = 0; i < outcome->source.n_plan; i++)
        if (outcome->planned[i] && sl_experiment_pattern_fits(pattern, outcome->planned[i]))
            json_object_set_new(keys, outcome->source.plan[i].key, json_true());
    return keys;
}
