/* Private to verdict/: writes outcomes as a report, one function per part. */
#ifndef SOFTLAB_VERDICT_PRESENT_H
#define SOFTLAB_VERDICT_PRESENT_H

#include "softlab/report.h"
#include "verdict/judge/answer.h"

struct sl_presentation {
    struct sl_report *report;
    const struct sl_outcome *outcome;
    const char *badge; /* "quick scale, not a reproduction", or NULL */
    const char *id;    /* of the section, for links */
    bool is_alone;     /* the only section; the report has its title */
};
/* Wording for a scale that does not train as published. */
struct sl_scale_wording {
    const char *scale;
    const char *name;  /* "quick scale" */
    const char *badge; /* at tables and charts */
    const char *mixed; /* the badge if only some of the figures are at this scale */
    const char *means; /* follows the name in a section's first note */
    const char *about; /* follows "Figures at <name>" in the overview */
};
extern const struct sl_scale_wording sl_scale_words[];                 /* ends with a NULL scale */
const struct sl_scale_wording *sl_scale_words_find(const char *scale); /* unknown: the first */
/* True if one of the outcomes has figures at the scale. */
bool sl_scale_is_shown(const struct sl_scale_wording *words, const struct sl_presentation *shows,
                       size_t count);
/* The badge of a table or chart of several outcomes: the strongest of theirs, or NULL. */
const char *sl_present_mixed(const struct sl_presentation *shows, size_t count);
enum sl_status sl_present_outcome(const struct sl_presentation *show,
                                  struct sl_error *err) SL_MUST_USE;

/* tally.c: counts for one kind of evidence, and over all kinds. */
struct sl_tally {
    size_t n_tables, n_runs, n_filled; /* published figures that have a value here */
    size_t verdicts[SL_VERDICTS], holm[SL_VERDICTS];
};
struct sl_tallies {
    struct sl_tally sources[SL_EVIDENCE_COUNT];
    size_t n_tables, n_runs, n_published, n_filled;
    size_t n_claims;    /* equal claims once; without comparisons that claim no direction */
    size_t n_judged;    /* claims that were tested, by any evidence */
    size_t n_repeated;  /* repetitions of claims that are counted already */
    size_t n_no_claims; /* comparisons that claim no direction */
};
/* True if the specification reproduces a paper's table: it names its source or has its figures. */
bool sl_outcome_has_paper(const struct sl_outcome *outcome);
struct sl_tallies sl_tallies_count(const struct sl_presentation *shows, size_t count);
size_t sl_tally_judged(const struct sl_tally *tally);
struct sl_tally sl_tally_sum(const struct sl_tally *a, const struct sl_tally *b);

/* The verdicts over all outcomes: the summary in words, the overview as tables and charts. `shows`
 * has `count` outcomes with results, then up to `n_all` outcomes without; the claims of those count
 * too. */
void sl_present_summary(struct sl_report *report, const struct sl_presentation *shows, size_t count,
                        size_t n_all);
/* "3 hold, 0 fail and 1 is undecided". */
void sl_present_verdicts(struct sl_report *report, const size_t verdicts[SL_VERDICTS]);
enum sl_status sl_present_overview(struct sl_report *report, const struct sl_presentation *shows,
                                   size_t count, size_t n_all, struct sl_error *err) SL_MUST_USE;
/* One chart, over all outcomes, of the measure with the most published figures. */
enum sl_status sl_present_figures(struct sl_report *report, const struct sl_presentation *shows,
                                  size_t count, struct sl_error *err) SL_MUST_USE;
/* claims.c: one claim as `n_columns` cells (without a paper the last column is left out); all
 * claims of an outcome. */
enum { SL_CLAIM_COLUMNS = 8 };
extern const char *const sl_claim_columns[SL_CLAIM_COLUMNS];
void sl_present_claim(struct sl_report *report, const struct sl_outcome *outcome,
                      const struct sl_outcome_claim *claim, size_t n_columns);
void sl_present_claims(const struct sl_presentation *show);
extern const char *const sl_evidence_words[SL_EVIDENCE_COUNT];
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
/* answer.c: the answer and its evidence in words, then a section with figures, charts and a table.
 */
void sl_present_answer(const struct sl_presentation *show, const struct sl_verdict_answer *answer);
enum sl_status sl_present_answer_details(const struct sl_presentation *show,
                                         const struct sl_verdict_answer *answer,
                                         struct sl_error *err) SL_MUST_USE;
/* exhibits.c: charts and galleries that need no training; the outcome must have exhibits. */
void sl_present_exhibits(const struct sl_presentation *show);
/* A gallery. Each item has "item", "truth", "png" and, for each series, the numbers that `values`
 * returns. Incomplete items are left out. */
struct sl_shown_gallery {
    const char *title, *note;
    const char *const *series; /* (n_series) */
    size_t n_series;
    const json_t *classes, *items;
    const json_t *(*values)(const json_t *item, size_t series);
};
void sl_present_gallery(const struct sl_presentation *show, const struct sl_shown_gallery *gallery);
void sl_present_provenance(const struct sl_presentation *show);
/* The title of a metric at an axis: "cross-entropy (lower is better)". */
char *sl_verdict_axis_title(const char *metric) SL_MUST_USE;
/* Begin a chart's title with a capital. Takes `text` and returns it. */
char *sl_verdict_heading(char *text) SL_MUST_USE;
/* "resnet8 soft" for row "resnet8|soft", by its number. */
char *sl_verdict_row_title(const struct sl_outcome *outcome, uint32_t row) SL_MUST_USE;

#endif
