/* The evidence of a verdict: the runs of a row, whether their training sets overlap, and whether
 * they are the paper's network and number of runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/judge/judge.h"

double sl_outcome_overlap(const struct sl_spec *spec, const char *part, int64_t fold)
{
    const struct sl_brief_design *design = sl_brief_design_find(spec->brief, part);
    return fold >= 0 && design->fold_overlap > 0 ? design->fold_overlap : design->seed_overlap;
}

enum sl_scale_kind sl_spec_scale_kind(const struct sl_spec *spec, const char *part)
{
    return sl_brief_design_find(spec->brief, part)->scale_kind;
}

const char *sl_spec_part_of(const struct sl_spec *spec, const char *row)
{
    for (size_t i = 1; row && i < spec->brief->n_designs; i++) {
        const char *name = spec->brief->designs[i].name;
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
        const enum sl_scale_kind own = sl_spec_scale_kind(outcome->source.spec, terms[i].part);
        if (own > kind) kind = own;
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
