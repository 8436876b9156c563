/* What a verdict rests on: which runs a row is made of, whether their training sets overlap,
 * whether they are the paper's own, and whether another claim asks the same of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/judge/judge.h"

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

static bool lists(const json_t *list, const char *name)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (sl_text_same(json_string_value(json_array_get(list, i)), name)) return true;
    return false;
}

static bool lists_all(const json_t *list, const json_t *names)
{
    for (size_t i = 0; i < json_array_size(names); i++)
        if (!lists(list, json_string_value(json_array_get(names, i)))) return false;
    return true;
}

static enum sl_scale_kind worse(enum sl_scale_kind a, enum sl_scale_kind b)
{
    return a > b ? a : b;
}

/* Of what a scale changes, its parts left aside: some keys only say how many runs are made. */
static enum sl_scale_kind kind_of(json_t *changes, const json_t *networks)
{
    static const char *const counts[] = {"networks", "seeds", "sets", "run_folds", NULL};
    enum sl_scale_kind kind = SL_RUNS_ALL;
    const char *key;
    json_t *value;
    json_object_foreach(changes, key, value)
    {
        size_t at = 0;
        if (strcmp(key, "parts") == 0) continue;
        while (counts[at] && strcmp(counts[at], key) != 0)
            at++;
        if (!counts[at] || (at == 0 && !lists_all(networks, value))) return SL_RUNS_OTHER;
        kind = SL_RUNS_FEWER;
    }
    return kind;
}

enum sl_scale_kind sl_spec_scale_kind(const struct sl_spec *spec, const char *part)
{
    const json_t *paper = spec->document.root;
    json_t *scale = json_object_get(json_object_get(paper, "scales"), spec->scale), *own;
    const char *name;
    if (!sl_spec_is_small(spec)) return SL_RUNS_ALL;
    if (!scale) return SL_RUNS_OTHER;
    enum sl_scale_kind kind = kind_of(scale, design_of(paper, part, "networks"));
    json_object_foreach(json_object_get(scale, "parts"), name, own)
    {
        if (!part || strcmp(part, name) == 0)
            kind = worse(kind, kind_of(own, design_of(paper, name, "networks")));
    }
    return kind;
}

const char *sl_spec_part_of(const struct sl_spec *spec, const char *row)
{
    const char *name;
    json_t *part;
    if (!row) return NULL;
    json_object_foreach(json_object_get(spec->document.root, "parts"), name, part)
    {
        const size_t length = strlen(name);
        if (strncmp(row, name, length) == 0 && row[length] == '/') return name;
    }
    return NULL;
}

enum sl_evidence sl_evidence_of(const struct sl_outcome *outcome, const struct sl_term_runs *terms,
                                size_t count)
{
    bool has_runs = false, is_whole = true;
    enum sl_scale_kind kind = SL_RUNS_ALL;
    for (size_t i = 0; i < count; i++) {
        has_runs = has_runs || terms[i].n_here;
        is_whole = is_whole && (terms[i].n_here == 0 || terms[i].n_here >= terms[i].n_wanted);
        kind = worse(kind, sl_spec_scale_kind(outcome->source.spec, terms[i].part));
    }
    if (!has_runs) return SL_EVIDENCE_FILES;
    if (kind == SL_RUNS_OTHER) return SL_EVIDENCE_SMALL;
    return is_whole && kind == SL_RUNS_ALL ? SL_EVIDENCE_PAPER : SL_EVIDENCE_FEWER;
}

json_t *sl_outcome_planned(const struct sl_outcome *outcome, const char *pattern)
{
    json_t *keys = json_object();
    for (size_t i = 0; i < outcome->source.n_plan; i++)
        if (outcome->planned[i] && sl_verdict_pattern_fits(pattern, outcome->planned[i]))
            json_object_set_new(keys, outcome->source.plan[i].key, json_true());
    return keys;
}
