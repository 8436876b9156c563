/* Outcome: a paper's table with our results. Every cell has our figure beside the published one,
 * and every claim of the paper has a verdict. docs/internals/report.md says how claims are judged.
 */
#ifndef SOFTLAB_VERDICT_OUTCOME_H
#define SOFTLAB_VERDICT_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/stats.h"
#include "softlab/eval/measure.h"
#include "softlab/experiment/contract.h"
#include "softlab/verdict/results.h"

SL_BEGIN_DECLS

/* The mean over the runs of a cell. `spread` is half the 95 % interval, or the standard deviation
 * if the table asks for it; NaN with fewer than two runs. A computed figure has no runs. */
struct sl_estimate {
    double mean, spread;
    size_t n_runs;
    bool is_computed;
};

struct sl_outcome_cell {
    char *cell;         /* owned; its key in expected.csv, or "<row>/<column>" if not published */
    char *row, *column; /* owned; titles, in the paper's words or ours */
    const char *metric; /* borrowed */
    char *test_set;     /* owned */
    char *pattern;      /* owned; coordinates of its runs, joined by '|'; or NULL */
    struct sl_estimate here;
    double paper, uncertainty;    /* NaN: not printed */
    const char *uncertainty_kind; /* "ci95", "sd", "se" or "" */
    const char *status, *note;    /* from expected.csv; NULL if not published */
    const char *reason;           /* why there is no figure here, or NULL */
    size_t paper_runs;            /* 0: not known */
    unsigned decimals;            /* of our figure */
    unsigned paper_decimals;      /* as printed */
};

/* SL_VERDICT_NO_CLAIM: the paper compares but claims no direction, so nothing can hold or fail. */
enum sl_verdict {
    SL_VERDICT_NOT_RUN,
    SL_VERDICT_HOLDS,
    SL_VERDICT_FAILS,
    SL_VERDICT_UNDECIDED,
    SL_VERDICT_NO_CLAIM,
    SL_VERDICTS
};

/* The evidence of a verdict, from the weakest to the strongest test of a paper's training. */
enum sl_evidence {
    SL_EVIDENCE_FILES, /* figures computed from files that authors released, without training */
    SL_EVIDENCE_SMALL, /* runs of another network or number of epochs than the paper's */
    SL_EVIDENCE_FEWER, /* the paper's network and recipe, fewer runs than in the paper */
    SL_EVIDENCE_PAPER, /* the paper's network and recipe, as many runs */
    SL_EVIDENCE_COUNT
};

enum sl_claim_test { SL_TEST_NONE, SL_TEST_PAIRED, SL_TEST_WELCH, SL_TEST_EXACT };
/* The largest difference that counts as alike, or as no advantage. */
struct sl_margin {
    double value;     /* in the printed unit; NaN if the claim needs none */
    bool is_absolute; /* for shares; otherwise 5 % of the larger mean */
};
/* How a claim was judged. */
struct sl_judgement {
    enum sl_verdict verdict;
    enum sl_verdict holm; /* the verdict after Holm's correction over the claim's family */
    enum sl_claim_test test;
    enum sl_evidence evidence;
    struct sl_interval difference; /* with its 95 % interval; positive supports the claim */
    double error, freedom; /* standard error of the difference (0: exact), degrees of freedom */
    double p;              /* the level at which the verdict changes; NaN: exact, or no interval */
    double overlap;        /* n_test / n_train if training sets overlap; 0: they do not */
    double means[2];       /* the two rows, or for a gain the two advantages; in the printed unit */
    size_t n_pairs;        /* for SL_TEST_PAIRED */
    size_t n_runs;         /* runs of the side with the fewest; 0: no side has runs */
    size_t n_wanted;       /* runs of that side in the paper, or else in the plan */
    struct sl_margin margin;
};

struct sl_outcome_claim {
    const char *claim, *better, *worse, *metric, *test_set, *section, *words; /* owned as one */
    double unit; /* what a share of 1 is in print: 1, or 100 */
    struct sl_judgement here;
    struct sl_judgement paper; /* by the paper's own figures; SL_VERDICT_NOT_RUN: not printed */
    /* owned; equal for claims of one relation about the same runs and measure, which count once
     * over all tables and papers */
    char *identity;
    char *storage; /* owned */
};

/* A run of the specification. */
struct sl_outcome_run {
    const struct sl_result *result; /* borrowed */
    const char *part, *set, *network;
    int64_t seed, fold;
    double overlap;        /* n_test / n_train if the training sets of its row overlap, or 0 */
    const json_t *renamed; /* borrowed; {column: its name in the result line}, or NULL */
    char *row;             /* owned; its coordinates in the table's rows, joined by '|' */
    uint32_t identity;     /* equal for runs that differ in their label set only */
    uint32_t row_number;   /* equal for runs of one row */
};

struct sl_outcome_source {
    const struct sl_spec *spec;
    const char *variant; /* "as-run", "as-published" */
    const struct sl_results *results;
    /* The planned runs with their keys, so that runs of other specifications count too; NULL: only
     * results under the specification's name count. */
    const struct sl_planned_run *plan;
    size_t n_plan;
};

struct sl_outcome {
    struct sl_outcome_source source; /* borrowed */
    struct sl_outcome_run *runs;     /* owned */
    size_t n_runs;
    struct sl_outcome_cell *cells; /* owned; published ones first */
    size_t n_cells;
    struct sl_outcome_claim *claims; /* owned */
    size_t n_claims;
    json_t *computed; /* owned; figures without training, by key */
    json_t *samples;  /* owned; {key: [values]} of computed figures that are means */
    json_t *errors;   /* owned; {key: standard error} of other computed figures */
    const struct sl_result *exhibits; /* borrowed; the line with galleries and charts, or NULL */
    struct sl_expected *expected;     /* owned */
    struct sl_name_table *identities; /* owned */
    struct sl_name_table *places;     /* owned; coordinates that have a run */
    struct sl_name_table *rows;       /* owned; in the order of their first runs */
    char **planned; /* owned; (n_plan) rows of the planned runs; NULL: without a row */
    double *values; /* owned; (n_runs, columns of the table), in the printed unit; NaN: none */
};

enum sl_status sl_outcome_create(const struct sl_outcome_source *source, struct sl_outcome **out,
                                 struct sl_error *err) SL_MUST_USE;
void sl_outcome_destroy(struct sl_outcome *outcome);

/* The values of a column ("test/metric", in the printed unit) of the runs whose row matches the
 * pattern: coordinates joined by '|', "*" for any. */
struct sl_sample {
    double *values;       /* owned */
    uint32_t *identities; /* owned */
    size_t count;
    double overlap; /* the largest n_test / n_train of its runs */
};
void sl_outcome_collect(const struct sl_outcome *outcome, const char *pattern, const char *column,
                        struct sl_sample *out);
void sl_sample_release(struct sl_sample *sample);
/* The mean and spread of a sample; the table says which spread. */
struct sl_estimate sl_outcome_estimate(const struct sl_outcome *outcome,
                                       const struct sl_sample *sample);

SL_END_DECLS

#endif
