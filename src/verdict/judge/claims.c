#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/judge/judge.h"

enum { N_COLUMNS = 7 };

struct question {
    const struct sl_relation *relation;
    struct sl_term terms[SL_CONTRAST_MAX];
    double weights[SL_CONTRAST_MAX];
    size_t count;
};

/* The first or second half of "A>B"; all of it without a '>'. */
static char *half_of(const char *text, bool second)
{
    const char *split = strchr(text, '>');
    if (!split) return sl_string_copy(text);
    return second ? sl_string_copy(split + 1) : sl_string_copy_n(text, (size_t)(split - text));
}

static void add_term(struct question *question, const struct sl_outcome_claim *claim,
                     const char *row, const bool halves[2], double weight)
{
    question->weights[question->count] = weight;
    question->terms[question->count++] =
        (struct sl_term){.row = half_of(row, halves[0]),
                         .test = half_of(claim->test_set, halves[1]),
                         .metric = claim->metric};
}

/* better - worse; for a gain, minus the same in the second case. Otherwise a claim about one row
 * compares its two test sets. */
static void ask(const struct sl_outcome_claim *claim, struct question *question)
{
    const bool first[2] = {false, false}, second[2] = {true, true};
    *question = (struct question){.relation = sl_relation_find(claim->claim)};
    const bool is_gain = question->relation->kind == SL_RELATION_GAIN;
    add_term(question, claim, claim->better, first, 1);
    add_term(question, claim, claim->worse, is_gain ? first : second, -1);
    if (!is_gain) return;
    add_term(question, claim, claim->better, second, -1);
    add_term(question, claim, claim->worse, second, 1);
}

static void question_release(struct question *question)
{
    for (size_t i = 0; i < question->count; i++) {
        free(question->terms[i].row);
        free(question->terms[i].test);
    }
}

static void contrast_release(struct sl_contrast *contrast)
{
    for (size_t i = 0; i < SL_CONTRAST_MAX; i++)
        sl_sample_release(&contrast->samples[i]);
}

typedef bool fill_term(const struct sl_outcome *outcome, const struct sl_term *term,
                       struct sl_contrast *contrast, size_t index);

static bool fill(const struct sl_outcome *outcome, const struct question *question,
                 fill_term *fill_one, struct sl_contrast *out)
{
    *out = (struct sl_contrast){.count = question->count};
    for (size_t i = 0; i < question->count; i++) {
        out->weights[i] = question->weights[i];
        if (fill_one(outcome, &question->terms[i], out, i)) continue;
        contrast_release(out);
        return false;
    }
    return true;
}

static const struct sl_judgement unknown = {.verdict = SL_VERDICT_NOT_RUN,
                                            .holm = SL_VERDICT_NOT_RUN,
                                            .difference = {NAN, NAN, NAN},
                                            .p = NAN,
                                            .means = {NAN, NAN},
                                            .margin = {.value = NAN}};

/* The two means that are compared: of the rows, or for a gain the two advantages. */
static void find_means(const struct sl_contrast *contrast, double means[2])
{
    const struct sl_summary *of = contrast->summaries;
    means[0] = contrast->count == 2 ? of[0].mean : of[0].mean - of[1].mean;
    means[1] = contrast->count == 2 ? of[1].mean : of[2].mean - of[3].mean;
}

static struct sl_judgement judge(const struct sl_outcome *outcome, const struct question *question,
                                 struct sl_contrast *contrast)
{
    const char *name = question->terms[0].metric;
    const struct sl_measure *metric = sl_measure_find(name, strlen(name));
    struct sl_judgement judgement = unknown;
    const int sign = sl_relation_sign(question->relation, metric);
    size_t n_identities = sl_name_table_count(outcome->identities);
    if (sign == 0) return judgement;
    find_means(contrast, judgement.means);
    judgement.margin = sl_relation_margin(question->relation, metric,
                                          sl_outcome_unit(outcome, name), judgement.means);
    for (size_t i = 0; i < contrast->count; i++) {
        contrast->weights[i] *= sign;
        for (size_t r = 0; r < contrast->samples[i].count; r++)
            if (contrast->samples[i].identities[r] >= n_identities)
                n_identities = contrast->samples[i].identities[r] + (size_t)1;
    }
    sl_contrast_judge(contrast, n_identities, &judgement);
    sl_judgement_decide(question->relation, &judgement);
    return judgement;
}

/* Set the kind of evidence and the number of runs of the side with the fewest. */
static void find_evidence(const struct sl_outcome *outcome, const struct question *question,
                          const struct sl_contrast *contrast, struct sl_judgement *out)
{
    struct sl_term_runs runs[SL_CONTRAST_MAX];
    for (size_t i = 0; i < question->count; i++) {
        const struct sl_term *term = &question->terms[i];
        runs[i] = (struct sl_term_runs){contrast->n_runs[i], sl_term_wanted(outcome, term),
                                        sl_spec_part_of(outcome->source.spec, term->row)};
        if (i > 0 && runs[i].n_here >= out->n_runs) continue;
        out->n_runs = runs[i].n_here;
        out->n_wanted = runs[i].n_wanted;
    }
    out->evidence = sl_evidence_of(outcome, runs, question->count);
}

/* Use runs if all sides have them, else computed figures if all have those, else a mixture, unless
 * that would compare a small network with the authors' large ones. */
static struct sl_judgement judge_here(const struct sl_outcome *outcome,
                                      const struct question *question)
{
    static fill_term *const sources[] = {sl_term_fill_runs, sl_term_fill_computed,
                                         sl_term_fill_either};
    const struct sl_spec *spec = outcome->source.spec;
    const char *part = sl_spec_part_of(spec, question->terms[0].row);
    const bool is_small = sl_spec_scale_kind(spec, part) == SL_RUNS_OTHER;
    const size_t n_sources = is_small ? 2 : 3;
    struct sl_judgement here = unknown;
    struct sl_contrast contrast;
    for (size_t i = 0; i < n_sources; i++) {
        if (!fill(outcome, question, sources[i], &contrast)) continue;
        here = judge(outcome, question, &contrast);
        find_evidence(outcome, question, &contrast, &here);
        contrast_release(&contrast);
        return here;
    }
    if (question->relation->kind == SL_RELATION_NONE)
        here.verdict = here.holm = SL_VERDICT_NO_CLAIM;
    here.evidence = is_small ? SL_EVIDENCE_SMALL : SL_EVIDENCE_PAPER;
    return here;
}

/* A text of the relation, the measure and each side's runs or definition. */
static char *identify(const struct sl_outcome *outcome, const struct question *question)
{
    json_t *terms = json_array();
    for (size_t i = 0; i < question->count; i++) {
        const struct sl_term *term = &question->terms[i];
        json_t *rows = sl_term_planned(outcome, term);
        if (json_object_size(rows) == 0) {
            json_decref(rows);
            rows = sl_term_definition(outcome, term);
        }
        json_array_append_new(terms, json_pack("{s:s, s:o}", "test", term->test, "rows", rows));
    }
    json_t *record = json_pack("{s:s, s:s, s:o}", "relation", question->relation->name, "metric",
                               question->terms[0].metric, "terms", terms);
    char *identity = json_dumps(record, JSON_SORT_KEYS | JSON_COMPACT);
    json_decref(record);
    return identity;
}

static void judge_claim(const struct sl_outcome *outcome, struct sl_outcome_claim *claim)
{
    struct question question;
    struct sl_contrast contrast;
    ask(claim, &question);
    claim->unit = sl_outcome_unit(outcome, claim->metric);
    claim->here = judge_here(outcome, &question);
    claim->paper = unknown;
    if (fill(outcome, &question, sl_term_fill_published, &contrast)) {
        claim->paper = judge(outcome, &question, &contrast);
        contrast_release(&contrast);
    }
    claim->identity = identify(outcome, &question);
    question_release(&question);
}

static enum sl_status add_claim(struct sl_outcome *outcome, const struct sl_csv *csv,
                                const struct sl_csv_record *record, struct sl_error *err)
{
    const char *fields[N_COLUMNS];
    char *storage = sl_verdict_copy_record(record, N_COLUMNS, fields);
    if (!sl_relation_find(fields[0])) {
        const enum sl_status status = sl_csv_fail(
            csv, record->line, err,
            "claim \"%.60s\" does not begin with a relation; begin it with better:, not-better:, "
            "similar:, more:, less:, gain: or no-claim:",
            fields[0]);
        free(storage);
        return status;
    }
    outcome->claims = sl_resize(outcome->claims, outcome->n_claims + 1, sizeof *outcome->claims);
    struct sl_outcome_claim *claim = &outcome->claims[outcome->n_claims++];
    *claim = (struct sl_outcome_claim){.claim = fields[0],
                                       .better = fields[1],
                                       .worse = fields[2],
                                       .metric = fields[3],
                                       .test_set = fields[4],
                                       .section = fields[5],
                                       .words = fields[6],
                                       .storage = storage};
    judge_claim(outcome, claim);
    return SL_OK;
}

enum sl_status sl_outcome_read_claims(struct sl_outcome *outcome, struct sl_error *err)
{
    const char *text = outcome->source.spec->claims;
    struct sl_csv_options options = sl_csv_options_default();
    struct sl_csv *csv = NULL;
    struct sl_csv_record record = {.count = 0};
    enum sl_status status = SL_OK;
    if (!text) return SL_OK;
    SL_TRY_OUT(sl_csv_open_memory(text, strlen(text), "claims.csv", &options, &csv, err));
    if (sl_csv_column_count(csv) != N_COLUMNS) {
        status = sl_csv_fail(csv, 1, err,
                             "expected the %d columns claim, better, worse, metric, test_set, "
                             "section, words",
                             N_COLUMNS);
        goto out;
    }
    for (;;) {
        SL_TRY_OUT(sl_csv_next(csv, &record, err));
        if (!record.count) break;
        SL_TRY_OUT(add_claim(outcome, csv, &record, err));
    }
out:
    sl_csv_close(csv);
    return status;
}
