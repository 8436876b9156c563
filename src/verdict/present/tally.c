/* Counts of verdicts by kind of evidence. A claim that several tables or papers make about the same
 * runs counts once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/present/present.h"

size_t sl_tally_judged(const struct sl_tally *tally)
{
    return tally->verdicts[SL_VERDICT_HOLDS] + tally->verdicts[SL_VERDICT_FAILS] +
           tally->verdicts[SL_VERDICT_UNDECIDED];
}

struct sl_tally sl_tally_sum(const struct sl_tally *a, const struct sl_tally *b)
{
    struct sl_tally sum = *a;
    sum.n_tables += b->n_tables;
    sum.n_runs += b->n_runs;
    sum.n_filled += b->n_filled;
    for (size_t i = 0; i < SL_VERDICTS; i++) {
        sum.verdicts[i] += b->verdicts[i];
        sum.holm[i] += b->holm[i];
    }
    return sum;
}

/* What was counted before. */
struct seen {
    struct sl_name_table *claims;   /* by identity and by place, at any scale */
    struct sl_name_table *verdicts; /* the same per kind of evidence */
    struct sl_name_table *judged;   /* those of `claims` that were tested at some scale */
    struct sl_name_table *runs;
};

static bool is_new(struct sl_name_table *seen, const char *name)
{
    const size_t before = sl_name_table_count(seen);
    uint32_t index = 0;
    return sl_name_table_add(seen, name, strlen(name), &index, NULL) == SL_OK && index == before;
}

/* The kind of evidence that a cell's figure is. */
static enum sl_evidence cell_evidence(const struct sl_outcome *outcome,
                                      const struct sl_outcome_cell *cell)
{
    if (cell->here.is_computed) return SL_EVIDENCE_FILES;
    const struct sl_spec *spec = outcome->source.spec;
    const struct sl_term_runs runs = {cell->here.n_runs, cell->paper_runs,
                                      sl_spec_part_of(spec, cell->cell)};
    return sl_evidence_of(outcome, &runs, 1);
}

static void add_cells(const struct sl_outcome *outcome, struct sl_tallies *out,
                      bool is_in[SL_EVIDENCE_COUNT])
{
    for (size_t i = 0; i < outcome->n_cells; i++) {
        const struct sl_outcome_cell *cell = &outcome->cells[i];
        out->n_published += cell->status != NULL;
        if (isnan(cell->here.mean)) continue;
        const enum sl_evidence evidence = cell_evidence(outcome, cell);
        is_in[evidence] = true;
        out->sources[evidence].n_filled += cell->status != NULL;
        out->n_filled += cell->status != NULL;
    }
}

/* A comparison at another scale has another identity but the same place in its table. */
static bool is_new_claim(const struct sl_outcome *outcome, const struct sl_outcome_claim *claim,
                         struct seen *seen)
{
    char *place = sl_string_printf("%s: %s", outcome->source.spec->name, claim->claim);
    const bool by_identity = is_new(seen->claims, claim->identity);
    const bool by_place = is_new(seen->claims, place);
    free(place);
    return by_identity && by_place;
}

static void add_claims(const struct sl_outcome *outcome, struct sl_tallies *out, struct seen *seen,
                       bool is_in[SL_EVIDENCE_COUNT])
{
    for (size_t i = 0; i < outcome->n_claims; i++) {
        const struct sl_outcome_claim *claim = &outcome->claims[i];
        const struct sl_judgement *here = &claim->here;
        const bool is_first = is_new_claim(outcome, claim, seen);
        if (here->verdict == SL_VERDICT_NO_CLAIM) {
            out->n_no_claims += is_first;
            continue;
        }
        out->n_claims += is_first;
        out->n_repeated += !is_first;
        if (here->verdict == SL_VERDICT_NOT_RUN) continue;
        char *verdict = sl_string_printf("%d %s", (int)here->evidence, claim->identity);
        is_in[here->evidence] = true;
        if (is_new(seen->verdicts, verdict)) {
            out->sources[here->evidence].verdicts[here->verdict]++;
            out->sources[here->evidence].holm[here->holm]++;
        }
        free(verdict);
        char *place = sl_string_printf("%s: %s", outcome->source.spec->name, claim->claim);
        const bool by_identity = is_new(seen->judged, claim->identity);
        const bool by_place = is_new(seen->judged, place);
        out->n_judged += by_identity && by_place;
        free(place);
    }
}

/* Runs of several tables count once. */
static void add_runs(const struct sl_outcome *outcome, struct sl_tallies *out, struct seen *seen,
                     const bool is_in[SL_EVIDENCE_COUNT])
{
    for (size_t i = 0; i < outcome->n_runs; i++) {
        const struct sl_outcome_run *run = &outcome->runs[i];
        const enum sl_scale_kind kind = sl_spec_scale_kind(outcome->source.spec, run->part);
        const bool is_fewer = kind == SL_RUNS_FEWER || is_in[SL_EVIDENCE_FEWER];
        if (!is_new(seen->runs, run->result->key)) continue;
        out->sources[kind == SL_RUNS_OTHER ? SL_EVIDENCE_SMALL
                     : is_fewer            ? SL_EVIDENCE_FEWER
                                           : SL_EVIDENCE_PAPER]
            .n_runs++;
        out->n_runs++;
    }
}

bool sl_outcome_has_paper(const struct sl_outcome *outcome)
{
    return outcome->expected->count || outcome->source.spec->brief->source;
}

/* Beside papers' tables, experiments of our own do not count: the sums are about papers. */
struct sl_tallies sl_tallies_count(const struct sl_presentation *shows, size_t count)
{
    struct sl_tallies tallies = {0};
    bool of_papers = false;
    for (size_t i = 0; i < count; i++)
        of_papers = of_papers || sl_outcome_has_paper(shows[i].outcome);
    struct seen seen = {sl_name_table_create(), sl_name_table_create(), sl_name_table_create(),
                        sl_name_table_create()};
    for (size_t i = 0; i < count; i++) {
        bool is_in[SL_EVIDENCE_COUNT] = {false};
        if (of_papers && !sl_outcome_has_paper(shows[i].outcome)) continue;
        tallies.n_tables++;
        add_cells(shows[i].outcome, &tallies, is_in);
        add_claims(shows[i].outcome, &tallies, &seen, is_in);
        add_runs(shows[i].outcome, &tallies, &seen, is_in);
        for (size_t e = 0; e < SL_EVIDENCE_COUNT; e++)
            tallies.sources[e].n_tables += is_in[e];
    }
    sl_name_table_destroy(seen.claims);
    sl_name_table_destroy(seen.verdicts);
    sl_name_table_destroy(seen.judged);
    sl_name_table_destroy(seen.runs);
    return tallies;
}
