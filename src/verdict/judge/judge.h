/* Private to verdict/: from results to verdicts. */
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

/* relation.c: what a claim says. A claim's key begins with the name of its relation. */
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
    const char *name, *words; /* words stand between the two rows */
};
extern const struct sl_relation sl_relations[]; /* ends with a NULL name */
/* NULL for an unknown one. */
const struct sl_relation *sl_relation_find(const char *claim);
/* Which way a positive difference must point: 0 if nothing says. */
int sl_relation_sign(const struct sl_relation *relation, const struct sl_verdict_metric *metric);
/* `unit` is what a whole is in print: 1, or 100. */
struct sl_margin sl_relation_margin(const struct sl_relation *relation,
                                    const struct sl_verdict_metric *metric, double unit,
                                    const double means[2]);
/* The verdict, and p, of a difference with its interval, test and margin. */
void sl_judgement_decide(const struct sl_relation *relation, struct sl_judgement *judgement);

/* holm.c: correction for many claims. Of one family; those without p are left alone, and the list
 * is reordered. Of all outcomes of a report: a family is a paper's claims of one kind of evidence,
 * those that ask the same once. */
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
    bool is_sampled[SL_CONTRAST_MAX];          /* has a sampling error, be it none that shows */
};
/* The variance of a mean over runs whose training sets overlap is s^2 (1/n + n_test / n_train)
 * (Nadeau and Bengio 2003), as s^2 / n takes them for independent. */
struct sl_summary sl_summary_of(const struct sl_sample *sample);
struct sl_interval sl_sample_interval(const struct sl_sample *sample);
/* By runs that all samples have, if there are two such runs or more; otherwise by Welch. Fills
 * difference, error, freedom, overlap, test and n_pairs; the verdict is the caller's. */
void sl_contrast_judge(const struct sl_contrast *contrast, size_t n_identities,
                       struct sl_judgement *out);

/* outcome.c */
/* The part of a cell's key before its last slash: its length. */
size_t sl_verdict_row_length(const char *cell);
bool sl_verdict_pattern_fits(const char *pattern, const char *row);
/* The coordinates that a cell of expected.csv is filled from, "a|b" in *pattern (owned by the
 * caller) and its column, borrowed; false if it is in no entry of the table. */
bool sl_outcome_place(const struct sl_outcome *outcome, const char *cell, char **pattern,
                      const char **column);
/* A label set among coordinates that are free otherwise: "t2-clamp|*"; owned by the caller. */
char *sl_outcome_set_pattern(const struct sl_outcome *outcome, const char *set);
/* The published cell at these coordinates, or NULL. */
const char *sl_outcome_published(const struct sl_outcome *outcome, const char *row,
                                 const char *column);

/* From our unit to the one the paper prints: 100 for shares in per cent. */
double sl_outcome_unit(const struct sl_outcome *outcome, const char *metric);

/* terms.c: one mean of a claim, and where it can come from. Each puts it at `index` of a contrast,
 * or says that there is none. */
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
/* The keys of the runs that the plan has for it, {key: true}; and how it is computed, or else its
 * name. The caller owns both. */
json_t *sl_term_planned(const struct sl_outcome *outcome, const struct sl_term *term);
json_t *sl_term_definition(const struct sl_outcome *outcome, const struct sl_term *term);
/* How many runs the paper had, or else the plan has. */
size_t sl_term_wanted(const struct sl_outcome *outcome, const struct sl_term *term);
/* Scores of published folds, each trained on all others, that pair by their places; `first` is the
 * identity of the first. */
struct sl_sample sl_sample_of_folds(const json_t *values, uint32_t first);
/* Half the 95 % interval of a computed figure; NaN if it is not one of a sample. */
double sl_computed_spread(const struct sl_outcome *outcome, const char *cell);
/* A printed figure with the variance that its uncertainty stands for: of an unknown kind or number
 * of runs the widest. */
struct sl_summary sl_expected_summary(const struct sl_expected_row *row);

/* evidence.c */
struct sl_term_runs {
    size_t n_here, n_wanted;
    const char *part; /* borrowed; of the specification, or NULL */
};
enum sl_evidence sl_evidence_of(const struct sl_outcome *outcome, const struct sl_term_runs *terms,
                                size_t count);
/* Of a part, or of the whole (NULL), which is as its worst part. */
enum sl_scale_kind sl_spec_scale_kind(const struct sl_spec *spec, const char *part);
/* The part that a row or cell is of by its key ("pos/softmax"), or NULL. */
const char *sl_spec_part_of(const struct sl_spec *spec, const char *row);
/* n_test / n_train of a run whose training set shares items with those of the other folds or
 * seeds, as the specification splits them; 0 if it shares none or all. */
double sl_outcome_overlap(const struct sl_spec *spec, const char *part, int64_t fold);
/* Keys of the planned runs whose row fits, {key: true}; owned by the caller. */
json_t *sl_outcome_planned(const struct sl_outcome *outcome, const char *pattern);

/* claims.c */
enum sl_status sl_outcome_read_claims(struct sl_outcome *outcome, struct sl_error *err) SL_MUST_USE;

/* "cross-entropy, cifar10h" for "cifar10h/cross_entropy". */
char *sl_verdict_column_title(const char *column) SL_MUST_USE;
/* The same as one would say it: "cross-entropy on cifar10h". */
char *sl_verdict_chart_title(const char *column) SL_MUST_USE;

#endif
