/* Private to verdict/: from outcomes to the report, a function for each of its parts. */
#ifndef SOFTLAB_VERDICT_PRESENT_H
#define SOFTLAB_VERDICT_PRESENT_H

#include "softlab/report.h"
#include "verdict/judge/answer.h"

struct sl_presentation {
    struct sl_report *report;
    const struct sl_outcome *outcome;
    const char *badge; /* "quick scale, not a reproduction", or NULL */
    const char *id;    /* of its section, for links */
    bool is_alone;     /* the report is about it and has its title */
};
/* What is said of figures at a scale that does not train as published. */
struct sl_scale_wording {
    const char *scale;
    const char *name;  /* "quick scale" */
    const char *badge; /* at tables and charts */
    const char *mixed; /* at those where only some are so */
    const char *means; /* after the name, in a section's first note: the clause */
    const char *about; /* after "Figures at <name>", in the overview */
};
extern const struct sl_scale_wording sl_scale_words[];                 /* ends with a NULL scale */
const struct sl_scale_wording *sl_scale_words_find(const char *scale); /* unknown: the first */
/* Whether one of several outcomes has figures at the scale. */
bool sl_scale_is_shown(const struct sl_scale_wording *words, const struct sl_presentation *shows,
                       size_t count);
/* The warning over what several outcomes show together, the strongest of theirs; or NULL. */
const char *sl_present_mixed(const struct sl_presentation *shows, size_t count);
enum sl_status sl_present_outcome(const struct sl_presentation *show,
                                  struct sl_error *err) SL_MUST_USE;

/* tally.c: what rests on one kind of figures, and all of them together. */
struct sl_tally {
    size_t n_tables, n_runs, n_filled; /* published figures that have a value here */
    size_t verdicts[SL_VERDICTS], holm[SL_VERDICTS];
};
struct sl_tallies {
    struct sl_tally sources[SL_EVIDENCE_COUNT];
    size_t n_tables, n_runs, n_published, n_filled;
    size_t n_claims;    /* each once; without those that claim nothing */
    size_t n_judged;    /* of them, by whatever figures */
    size_t n_repeated;  /* further places that draw one of them */
    size_t n_no_claims; /* shown and not judged */
};
struct sl_tallies sl_tallies_count(const struct sl_presentation *shows, size_t count);
size_t sl_tally_judged(const struct sl_tally *tally);
struct sl_tally sl_tally_sum(const struct sl_tally *a, const struct sl_tally *b);

/* What was run, by which kind of figures, what holds and what fails, over all outcomes: in words,
 * and as tables and charts. Behind the outcomes that are shown, up to `n_all`, are tables without
 * results, whose claims are counted. */
void sl_present_summary(struct sl_report *report, const struct sl_presentation *shows, size_t count,
                        size_t n_all);
/* "3 hold, 0 fail and 1 is undecided". */
void sl_present_verdicts(struct sl_report *report, const size_t verdicts[SL_VERDICTS]);
enum sl_status sl_present_overview(struct sl_report *report, const struct sl_presentation *shows,
                                   size_t count, size_t n_all, struct sl_error *err) SL_MUST_USE;
/* One chart of the measure that most outcomes share, here and in the papers. */
enum sl_status sl_present_figures(struct sl_report *report, const struct sl_presentation *shows,
                                  size_t count, struct sl_error *err) SL_MUST_USE;
/* claims.c: the cells of a claim, as many as there are columns; the claims of a table. */
enum { SL_CLAIM_COLUMNS = 8 };
extern const char *const sl_claim_columns[SL_CLAIM_COLUMNS];
void sl_present_claim(struct sl_report *report, const struct sl_outcome_claim *claim);
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
/* answer.c: the answer in a sentence or two and what it rests on; then, in a section of its
 * own, the figures behind it, charts and the table. */
void sl_present_answer(const struct sl_presentation *show, const struct sl_verdict_answer *answer);
enum sl_status sl_present_answer_details(const struct sl_presentation *show,
                                         const struct sl_verdict_answer *answer,
                                         struct sl_error *err) SL_MUST_USE;
/* exhibits.c: charts and galleries that need no training, of an outcome that has them. */
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
/* The same for an axis, with the direction: "cross-entropy (lower is better)". */
char *sl_verdict_axis_title(const char *metric) SL_MUST_USE;
/* What stands at the head of a chart begins with a capital. Takes the text over. */
char *sl_verdict_heading(char *text) SL_MUST_USE;
/* "resnet8 soft" for row "resnet8|soft", by its number. */
char *sl_verdict_row_title(const struct sl_outcome *outcome, uint32_t row) SL_MUST_USE;

#endif
