/* Check: what a researcher should know before people come. `softlab study check` prints it, and
 * `softlab study serve` stops at its errors. Each kind of finding is a row of a table
 * (src/study/check/check.c). */
#ifndef SOFTLAB_STUDY_CHECK_H
#define SOFTLAB_STUDY_CHECK_H

#include "softlab/study.h"

SL_BEGIN_DECLS

/* What taking part costs a person, by the largest batch and the slowest screen. */
struct sl_study_effort {
    size_t n_items;  /* of the largest batch */
    size_t n_trials; /* with repeats and checks, without practice */
    double seconds;  /* from the consent page to the last one */
    size_t minutes;  /* the same, rounded up, at least 2 */
};
enum sl_status sl_study_effort(const struct sl_study *study, struct sl_store *store,
                               struct sl_study_effort *out, struct sl_error *err) SL_MUST_USE;

/* An error stops the server; a warning may be meant. */
enum sl_finding_level { SL_FINDING_WARNING, SL_FINDING_ERROR };
struct sl_finding {
    enum sl_finding_level level;
    const char *check; /* which row of the table found it: "placeholders" */
    char *where;       /* owned: "birds/consent.md:26", "birds/items/Cat/1.png", "item 7" */
    char *problem;     /* owned: one sentence */
    char *remedy;      /* owned: what to do */
    size_t nth;        /* findings of the same check before it */
};
struct sl_findings {
    struct sl_finding *list; /* owned; those of one check stand together */
    size_t count, capacity, n_errors;
};

struct sl_study_inspection {
    int64_t now; /* ms since 1970 */
    /* Read every picture. A study that has answers was inspected before they came, and its pictures
     * are bound by their hashes. */
    bool pictures;
    bool texts; /* Read words, texts and their pictures as the server does, which has read them. */
};
/* SL_OK whatever is found; another status if the study cannot be read, or not even be rehearsed. */
enum sl_status sl_study_inspect(const struct sl_study *study, struct sl_store *store,
                                const struct sl_study_inspection *how, struct sl_findings *out,
                                struct sl_error *err) SL_MUST_USE;
void sl_findings_release(struct sl_findings *findings);
/* "birds/consent.md:26: what is wrong; what to do": heap string. */
char *sl_finding_text(const struct sl_finding *finding) SL_MUST_USE;
/* How many of the check that found this one come after the first `shown`: what a list that shows so
 * many leaves out. */
size_t sl_findings_left_out(const struct sl_findings *findings, size_t index, size_t shown);
/* [{"level": "error", "check": ..., "where": ..., "problem": ..., "remedy": ...}], a new array. */
json_t *sl_findings_json(const struct sl_findings *findings);

/* ---- What to send to whom ---- */

/* {"recruiter": "prolific", "annotators": "https://...", "how": "one sentence about this link",
 *  "test": "https://.../?test=..." or null, "outcomes": [{"outcome": "done", "when": "...",
 *  "code": "...", "url": "https://..." or null}, ...]}, a new object. `address` is where annotators
 *  reach the study, without a slash at its end. */
json_t *sl_study_links_json(const struct sl_study *study, struct sl_store *store,
                            const char *address);

SL_END_DECLS

#endif
