/* Private to verdict/: judges results. */
#ifndef SOFTLAB_VERDICT_JUDGE_H
#define SOFTLAB_VERDICT_JUDGE_H

#include "softlab/base.h"
#include "softlab/verdict/outcome.h"

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
char *sl_verdict_copy_record(const struct sl_csv_record *record, size_t count, const char **fields);

/* relation.c: the relation that a claim states. A claim's key begins with its name. */
enum sl_relation_kind {
    SL_RELATION_BETTER,
    SL_RELATION_NOT_BETTER,
    SL_RELATION_SIMILAR,
    SL_RELATION_MORE,
    SL_RELATION_LESS,
    SL_RELATION_GAIN,
    SL_RELATION_NONE
};
struct sl_relation {
    enum sl_relation_kind kind;
    const char *name, *words; /* `words` go between the names of the two rows */
};
extern const struct sl_relation sl_relations[]; /* ends with a NULL name */
/* The relation that a claim's key begins with; NULL if unknown. */
const struct sl_relation *sl_relation_find(const char *claim);
/* 1 or -1: the sign of the first mean minus the second that supports the claim; 0: not known. */
int sl_relation_sign(const struct sl_relation *relation, const struct sl_measure *metric);
/* The largest difference that still counts as alike. `unit`: what a share of 1 is in print, 1 or
 * 100. */
struct sl_margin sl_relation_margin(const struct sl_relation *relation,
                                    const struct sl_measure *metric, double unit,
                                    const double means[2]);
/* Set verdict and p from the difference with its interval, test and margin. */
void sl_judgement_decide(const struct sl_relation *relation, struct sl_judgement *judgement);

/* holm.c: Holm's correction. The first corrects one family; it reorders the list and ignores
 * judgements without p. The second corrects all outcomes of a report: a family is the claims of a
 * paper with one kind of evidence, equal claims once. */
void sl_judgements_adjust(struct sl_judgement **family, size_t count);
void sl_outcomes_adjust(struct sl_outcome *const *outcomes, size_t count);

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
    size_t n_runs[SL_CONTRAST_MAX];            /* 0: no runs of ours */
    bool is_sampled[SL_CONTRAST_MAX];          /* has a sampling error, even one of 0 */
};
/* If training sets overlap, runs are not independent: the variance of their mean is
 * s^2 (1/n + n_test / n_train) instead of s^2 / n (Nadeau and Bengio 2003). */
struct sl_summary sl_summary_of(const struct sl_sample *sample);
struct sl_interval sl_sample_interval(const struct sl_sample *sample);
/* A paired test if all samples share two runs or more, otherwise Welch's. Fills difference, error,
 * freedom, overlap, test and n_pairs; the caller sets the verdict. */
void sl_contrast_judge(const struct sl_contrast *contrast, size_t n_identities,
                       struct sl_judgement *out);

/* outcome.c */
/* The length of a cell's key up to its last slash. */
size_t sl_verdict_row_length(const char *cell);
bool sl_verdict_pattern_fits(const char *pattern, const char *row);
/* The coordinates that fill a cell of expected.csv: "a|b" in *pattern, which the caller owns, and
 * the column, borrowed. False if the table has no such cell. */
bool sl_outcome_place(const struct sl_outcome *outcome, const char *cell, char **pattern,
                      const char **column);
/* The pattern of all rows with a label set: "t2-clamp|*"; owned by the caller. */
char *sl_outcome_set_pattern(const struct sl_outcome *outcome, const char *set);
/* The published cell at these coordinates, or NULL. */
const char *sl_outcome_published(const struct sl_outcome *outcome, const char *row,
                                 const char *column);

/* The factor from our unit to the paper's: 100 for shares in per cent. */
double sl_outcome_unit(const struct sl_outcome *outcome, const char *metric);

/* terms.c: one mean of a claim. Each function takes it from one source and puts it at `index` of
 * the contrast; false if the source has none. */
struct sl_term {
    char *row, *test;   /* owned by the caller; an empty test: the row's own */
    const char *metric; /* borrowed */
};
bool sl_term_fill_runs(const struct sl_outcome *outcome, const struct sl_term *term,
                       struct sl_contrast *contrast, size_t index);
bool sl_term_fill_computed(const struct sl_outcome *outcome, const struct sl_term *term,
                           struct sl_contrast *contrast, size_t index);
bool sl_term_fill_either(const struct sl_outcome *outcome, const struct sl_term *term,
                         struct sl_contrast *contrast, size_t index);
bool sl_term_fill_published(const struct sl_outcome *outcome, const struct sl_term *term,
                            struct sl_contrast *contrast, size_t index);
/* The keys of the term's planned runs, {key: true}; how the term is computed, or else its name.
 * The caller owns both. */
json_t *sl_term_planned(const struct sl_outcome *outcome, const struct sl_term *term);
json_t *sl_term_definition(const struct sl_outcome *outcome, const struct sl_term *term);
/* The number of runs in the paper, or else in the plan. */
size_t sl_term_wanted(const struct sl_outcome *outcome, const struct sl_term *term);
/* Scores of published folds, paired by position; each fold was trained on all others. `first` is
 * the identity of the first. */
struct sl_sample sl_sample_of_folds(const json_t *values, uint32_t first);
/* Half the 95 % interval of a computed figure; NaN if it has no sampling error. */
double sl_computed_spread(const struct sl_outcome *outcome, const char *cell);
/* A published figure with the variance that its uncertainty implies; the widest reading if the kind
 * of uncertainty or the number of runs is unknown. */
struct sl_summary sl_expected_summary(const struct sl_expected_row *row);

/* evidence.c */
struct sl_term_runs {
    size_t n_here, n_wanted;
    const char *part; /* borrowed; of the specification, or NULL */
};
enum sl_evidence sl_evidence_of(const struct sl_outcome *outcome, const struct sl_term_runs *terms,
                                size_t count);
/* How the runs of a part differ from the paper's; for the whole (NULL) as the part that differs
 * most. */
enum sl_scale_kind sl_spec_scale_kind(const struct sl_spec *spec, const char *part);
/* The part that the key of a row or cell names ("pos/softmax"), or NULL. */
const char *sl_spec_part_of(const struct sl_spec *spec, const char *row);
/* n_test / n_train if the training sets of folds or seeds overlap; 0 if they are equal or disjoint.
 */
double sl_outcome_overlap(const struct sl_spec *spec, const char *part, int64_t fold);
/* Keys of the planned runs whose row matches the pattern, {key: true}; owned by the caller. */
json_t *sl_outcome_planned(const struct sl_outcome *outcome, const char *pattern);

/* claims.c */
enum sl_status sl_outcome_read_claims(struct sl_outcome *outcome, struct sl_error *err) SL_MUST_USE;

/* "cross-entropy, cifar10h" for "cifar10h/cross_entropy". */
char *sl_verdict_column_title(const char *column) SL_MUST_USE;
/* "cross-entropy on cifar10h" for the same. */
char *sl_verdict_chart_title(const char *column) SL_MUST_USE;

#endif
