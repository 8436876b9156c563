/* Outcome: results against a paper's table. Every cell with our figure beside the published one,
 * and every comparison the paper draws, judged. docs/internals/report.md says how. */
#ifndef SOFTLAB_VERDICT_OUTCOME_H
#define SOFTLAB_VERDICT_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/stats.h"
#include "softlab/experiment/contract.h"
#include "softlab/verdict/results.h"

SL_BEGIN_DECLS

/* A share is from 0 to 1, or per cent, and margins of shares are absolute. A count is what a file
 * holds or says: it has no sampling error. */
enum sl_metric_kind { SL_METRIC_SCORE, SL_METRIC_SHARE, SL_METRIC_COUNT };

/* What is measured. `better` is 1 where higher is better, -1 where lower is, 0 where neither is. */
struct sl_verdict_metric {
    const char *name;   /* "cross_entropy" */
    const char *column; /* what it is called in column keys: "ce"; or NULL: the name with dashes */
    const char *title;  /* "cross-entropy" */
    int better;
    enum sl_metric_kind kind;
};
extern const struct sl_verdict_metric sl_verdict_metrics[]; /* ends with a NULL name */
const struct sl_verdict_metric *sl_verdict_metric_find(const char *name, size_t length);

/* Mean over the runs of a cell. `spread` is half the 95 % interval, or the standard deviation where
 * the table prints that; NaN below two runs. A figure computed from data has no runs. */
struct sl_estimate {
    double mean, spread;
    size_t n_runs;
    bool is_computed;
};

struct sl_outcome_cell {
    char *cell; /* owned; its key in expected.csv, or "<row>/<column>" if nothing is published */
    char *row, *column; /* owned; the words of the paper's table, or ours */
    const char *metric; /* borrowed */
    char *test_set;     /* owned */
    char *pattern;      /* owned; coordinates of its runs, joined by bars; or NULL */
    struct sl_estimate here;
    double paper, uncertainty;    /* NaN: not printed */
    const char *uncertainty_kind; /* "ci95", "sd", "se" or "" */
    const char *status, *note;    /* of expected.csv; NULL if nothing is published */
    const char *reason;           /* why there is nothing here, or NULL */
    size_t paper_runs;            /* 0: not said */
    unsigned decimals;            /* of our figure */
    unsigned paper_decimals;      /* as printed */
};

/* The last: the paper claims nothing that could hold or fail; its figures are shown. */
enum sl_verdict {
    SL_VERDICT_NOT_RUN,
    SL_VERDICT_HOLDS,
    SL_VERDICT_FAILS,
    SL_VERDICT_UNDECIDED,
    SL_VERDICT_NO_CLAIM,
    SL_VERDICTS
};

/* What a verdict rests on, from the least to the most that it says about a paper's training. */
enum sl_evidence {
    SL_EVIDENCE_FILES, /* figures computed from files that authors released, without training */
    SL_EVIDENCE_SMALL, /* runs of a network or length that is not the paper's */
    SL_EVIDENCE_FEWER, /* runs of the paper's network and recipe, fewer than the paper's */
    SL_EVIDENCE_PAPER, /* as many as the paper's */
    SL_EVIDENCE_COUNT
};

/* How a claim came out: the difference it is about, in its favour where positive, with its 95 %
 * interval. */
enum sl_claim_test { SL_TEST_NONE, SL_TEST_PAIRED, SL_TEST_WELCH, SL_TEST_EXACT };
/* What still counts as alike, or as no advantage; NaN where the claim needs none. */
struct sl_margin {
    double value;     /* in the printed unit */
    bool is_absolute; /* of shares; otherwise 5 % of the larger mean */
};
struct sl_judgement {
    enum sl_verdict verdict;
    enum sl_verdict holm; /* the same after Holm's correction for the claims of its family */
    enum sl_claim_test test;
    enum sl_evidence evidence;
    struct sl_interval difference;
    double error, freedom; /* of the difference: standard error, degrees of freedom; 0: exact */
    double p;              /* the level at which the verdict turns; NaN: exact, or no interval */
    double overlap;        /* n_test / n_train of runs whose training sets overlap; 0: none do */
    double means[2];       /* of the two rows, in the printed unit; of a gain, the two advantages */
    size_t n_pairs;        /* SL_TEST_PAIRED */
    size_t n_runs;         /* of the side with the fewest; 0: no side has runs */
    size_t n_wanted;       /* that the paper has of that side */
    struct sl_margin margin;
};

struct sl_outcome_claim {
    const char *claim, *better, *worse, *metric, *test_set, *section, *words; /* owned as one */
    double unit; /* what a whole is in print: 1, or 100 */
    struct sl_judgement here;
    struct sl_judgement paper; /* by the paper's own figures; SL_VERDICT_NOT_RUN: not printed */
    /* owned; equal for claims of the same relation about the same runs and measure, in whatever
     * table or paper: such claims count once */
    char *identity;
    char *storage; /* owned */
};

/* A run of the specification: what the table's rows are made of. */
struct sl_outcome_run {
    const struct sl_result *result; /* borrowed */
    const char *part, *set, *network;
    int64_t seed, fold;
    double overlap;        /* n_test / n_train if training sets of its row overlap, or 0 */
    const json_t *renamed; /* borrowed; where columns have other names in the line, or NULL */
    char *row;             /* owned; its coordinates of the table's rows, joined by bars */
    uint32_t identity;     /* equal for runs that differ in their label set only */
    uint32_t row_number;   /* equal for runs of one row */
};

struct sl_outcome_source {
    const struct sl_spec *spec;
    const char *variant; /* "as-run", "as-published" */
    const struct sl_results *results;
    /* The runs of the specification with their keys, so that runs made for another one count here
     * too; or NULL: only what was run under its name. */
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
    json_t *computed;                 /* owned; figures without training, by key */
    json_t *samples;                  /* owned; {key: [values]} that such a figure is the mean of */
    json_t *errors;                   /* owned; {key: standard error} of others */
    const struct sl_result *exhibits; /* borrowed; the line with galleries and charts, or NULL */
    struct sl_expected *expected;     /* owned */
    struct sl_name_table *identities; /* owned */
    struct sl_name_table *places;     /* owned; coordinates that a run was found for */
    struct sl_name_table *rows;       /* owned; in the order in which runs first have them */
    char **planned; /* owned; (n_plan) the rows of the plan's runs; NULL: no row */
    double *values; /* owned; (n_runs, columns of the table), in the printed unit; NaN: none */
};

enum sl_status sl_outcome_create(const struct sl_outcome_source *source, struct sl_outcome **out,
                                 struct sl_error *err) SL_MUST_USE;
void sl_outcome_destroy(struct sl_outcome *outcome);

/* The values of a column ("test/metric", in the unit the paper prints) of the runs whose row fits
 * the pattern: coordinates joined by bars, "*" for any. */
struct sl_sample {
    double *values;       /* owned */
    uint32_t *identities; /* owned */
    size_t count;
    double overlap; /* n_test / n_train, the largest of its runs */
};
void sl_outcome_collect(const struct sl_outcome *outcome, const char *pattern, const char *column,
                        struct sl_sample *out);
void sl_sample_release(struct sl_sample *sample);
/* Its mean and spread, as the table asks. */
struct sl_estimate sl_outcome_estimate(const struct sl_outcome *outcome,
                                       const struct sl_sample *sample);

SL_END_DECLS

#endif
