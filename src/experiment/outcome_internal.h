/* Private to experiment/: from results to verdicts and to the report. */
#ifndef SOFTLAB_EXPERIMENT_OUTCOME_INTERNAL_H
#define SOFTLAB_EXPERIMENT_OUTCOME_INTERNAL_H

#include "softlab/base.h"
#include "softlab/experiment/outcome.h"

/* expected.c: a line of expected.csv; texts borrowed from `storage`. */
struct sl_expected_row {
    const char *cell, *row, *column, *metric, *test_set, *kind, *status, *note;
    double value, uncertainty; /* NaN: empty */
    size_t n_runs;             /* 0: empty */
    unsigned decimals;
};
struct sl_expected {
    struct sl_expected_row *rows; /* owned */
    size_t count;
    char **storage; /* owned; one per row */
};
enum sl_status sl_expected_read(const char *text, const char *name, struct sl_expected **out,
                                struct sl_error *err) SL_MUST_USE;
void sl_expected_destroy(struct sl_expected *expected);
const struct sl_expected_row *sl_expected_find(const struct sl_expected *expected,
                                               const char *cell);
/* The first `count` fields of a record as NUL-ended strings, in one block that the caller frees. */
char *sl_experiment_copy_record(const struct sl_csv_record *record, size_t count,
                                const char **fields);

/* contrast.c: a weighted sum of means. */
struct sl_summary {
    double mean;
    double variance; /* of the mean; 0: exact, NaN: not known */
    double freedom;  /* of the variance */
};
enum { SL_CONTRAST_MAX = 4 };
struct sl_contrast {
    size_t count;
    double weights[SL_CONTRAST_MAX];
    struct sl_summary summaries[SL_CONTRAST_MAX];
    struct sl_sample samples[SL_CONTRAST_MAX]; /* those of a paper are empty */
};
struct sl_summary sl_summary_of(const double *values, size_t count);
/* By runs that all samples have, if there are two such runs or more; otherwise by Welch. */
void sl_contrast_judge(const struct sl_contrast *contrast, size_t n_identities,
                       struct sl_judgement *out);

/* outcome.c */
/* The part of a cell's key before its last slash: its length. */
size_t sl_experiment_row_length(const char *cell);
bool sl_experiment_pattern_fits(const char *pattern, const char *row);
/* The coordinates that a cell of expected.csv is filled from, "a|b" in *pattern (owned by the
 * caller) and its column, borrowed; false if it is in no entry of the table. */
bool sl_outcome_place(const struct sl_outcome *outcome, const char *cell, char **pattern,
                      const char **column);
/* A label set among coordinates that are free otherwise: "t2-clamp|*"; owned by the caller. */
char *sl_outcome_set_pattern(const struct sl_outcome *outcome, const char *set);
/* The published cell at these coordinates, or NULL. */
const char *sl_outcome_published(const struct sl_outcome *outcome, const char *row,
                                 const char *column);

/* claims.c */
enum sl_status sl_outcome_read_claims(struct sl_outcome *outcome, struct sl_error *err) SL_MUST_USE;

/* present*.c: parts of the report. */
struct sl_presentation {
    struct sl_report *report;
    const struct sl_outcome *outcome;
    const char *badge; /* "quick scale, not a reproduction", or NULL */
    const char *id;    /* of its section, for links */
    bool is_alone;     /* the report is about it and has its title */
};
enum sl_status sl_present_outcome(const struct sl_presentation *show,
                                  struct sl_error *err) SL_MUST_USE;
/* What was run, at which scale, what holds and what fails, over all outcomes: in words, and as
 * tables and charts. */
void sl_present_summary(struct sl_report *report, const struct sl_presentation *shows,
                        size_t count);
/* "3 hold here, 0 fail and 1 is undecided; 2 were not run."; `n_quick` of those that hold do so at
 * quick scale only. */
void sl_present_verdicts(struct sl_report *report, const size_t verdicts[SL_VERDICTS],
                         const char *where, size_t n_quick);
enum sl_status sl_present_overview(struct sl_report *report, const struct sl_presentation *shows,
                                   size_t count, struct sl_error *err) SL_MUST_USE;
/* One chart of the measure that most outcomes share, here and in the papers. */
enum sl_status sl_present_figures(struct sl_report *report, const struct sl_presentation *shows,
                                  size_t count, struct sl_error *err) SL_MUST_USE;
/* Six cells: claim, measure, verdict, difference, test, and the verdict by the paper's figures. */
void sl_present_claim(struct sl_report *report, const struct sl_outcome_claim *claim);
void sl_present_cells(const struct sl_presentation *show);
enum sl_status sl_present_forests(const struct sl_presentation *show,
                                  struct sl_error *err) SL_MUST_USE;
enum sl_status sl_present_series(const struct sl_presentation *show,
                                 struct sl_error *err) SL_MUST_USE;
enum sl_status sl_present_curves(const struct sl_presentation *show,
                                 struct sl_error *err) SL_MUST_USE;
enum sl_status sl_present_reliability(const struct sl_presentation *show,
                                      struct sl_error *err) SL_MUST_USE;
void sl_present_galleries(const struct sl_presentation *show);
/* present_exhibits.c: charts and galleries that need no training, of an outcome that has them. */
void sl_present_exhibits(const struct sl_presentation *show);
/* A gallery from the names of its series and classes and its items, each with "item", "truth",
 * "png" and, by series, what `values` finds in it; what is not whole is left out. */
struct sl_shown_gallery {
    const char *title, *note;
    const char *const *series; /* (n_series) */
    size_t n_series;
    const json_t *classes, *items;
    const json_t *(*values)(const json_t *item, size_t series);
};
void sl_present_gallery(const struct sl_presentation *show, const struct sl_shown_gallery *gallery);
void sl_present_provenance(const struct sl_presentation *show);
/* "cross-entropy, cifar10h" for "cifar10h/cross_entropy". */
char *sl_experiment_column_title(const char *column) SL_MUST_USE;
/* The same as one would say it: "cross-entropy on cifar10h". */
char *sl_experiment_chart_title(const char *column) SL_MUST_USE;
/* The same for an axis, with the direction: "cross-entropy (lower is better)". */
char *sl_experiment_axis_title(const char *metric) SL_MUST_USE;
/* What stands at the head of a chart begins with a capital. Takes the text over. */
char *sl_experiment_heading(char *text) SL_MUST_USE;
/* "resnet8 soft" for row "resnet8|soft", by its number. */
char *sl_experiment_row_title(const struct sl_outcome *outcome, uint32_t row) SL_MUST_USE;

#endif
