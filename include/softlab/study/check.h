/* Check: problems of a study that a researcher should know before people come. `softlab study
 * check` prints them, and `softlab study serve` stops at errors. Each kind of finding is a row of a
 * table (src/study/check/check.c). */
#ifndef SOFTLAB_STUDY_CHECK_H
#define SOFTLAB_STUDY_CHECK_H

#include "softlab/study.h"

SL_BEGIN_DECLS

/* The time that taking part costs a person, for the largest batch and the slowest screen. */
struct sl_study_effort {
    size_t n_items;  /* of the largest batch */
    size_t n_trials; /* with repeats and checks, without practice */
    double seconds;  /* from the consent page to the last page */
    size_t minutes;  /* the same, rounded up, at least 2 */
};
enum sl_status sl_study_effort(const struct sl_study *study, struct sl_store *store,
                               struct sl_study_effort *out, struct sl_error *err) SL_MUST_USE;

/* An error stops the server; a warning may be intended. */
enum sl_finding_level { SL_FINDING_WARNING, SL_FINDING_ERROR };
struct sl_finding {
    enum sl_finding_level level;
    const char *check; /* the row of the table that found it: "placeholders" */
    char *where;       /* owned: "birds/consent.md:26", "birds/items/Cat/1.png", "item 7" */
    char *problem;     /* owned: one sentence */
    char *remedy;      /* owned: what to do */
    size_t nth;        /* number of findings of the same check before it */
};
struct sl_findings {
    struct sl_finding *list; /* owned; findings of one check are adjacent */
    size_t count, capacity, n_errors;
};

struct sl_study_inspection {
    int64_t now; /* ms since 1970 */
    /* Read every picture. Not needed for a study with answers: it was inspected before, and hashes
     * bind its pictures. */
    bool pictures;
    bool texts; /* read words, texts and their pictures; false if the server has read them */
};
/* SL_OK whatever is found; another status if the study cannot be read, or not even rehearsed. */
enum sl_status sl_study_inspect(const struct sl_study *study, struct sl_store *store,
                                const struct sl_study_inspection *how, struct sl_findings *out,
                                struct sl_error *err) SL_MUST_USE;
void sl_findings_release(struct sl_findings *findings);
/* "birds/consent.md:26: what is wrong; what to do": heap string. */
char *sl_finding_text(const struct sl_finding *finding) SL_MUST_USE;
/* The number of findings of the same check beyond the first `shown`: what a list of `shown` entries
 * leaves out. */
size_t sl_findings_left_out(const struct sl_findings *findings, size_t index, size_t shown);
/* [{"level": "error", "check": ..., "where": ..., "problem": ..., "remedy": ...}], a new array. */
json_t *sl_findings_json(const struct sl_findings *findings);

/* ---- What to send to whom ---- */

/* {"recruiter": "prolific", "annotators": "https://...", "how": "one sentence about this link",
 *  "test": "https://.../?test=..." or null, "outcomes": [{"outcome": "done", "when": "...",
 *  "code": "...", "url": "https://..." or null}, ...]}, a new object. `address` is where annotators
 *  reach the study, without a trailing slash. */
json_t *sl_study_links_json(const struct sl_study *study, struct sl_store *store,
                            const char *address);

/* All that is to be known of a study before people come. */
struct sl_study_review {
    struct sl_findings findings; /* owned */
    struct sl_study_effort effort;
    json_t *links; /* owned; as sl_study_links_json */
};
/* Inspect pictures and texts at the time `now` (ms since 1970), estimate the effort and make the
 * links at `address`, with a test token if there is none yet. The caller releases *out. */
enum sl_status sl_study_review(const struct sl_study *study, struct sl_store *store,
                               const char *address, int64_t now, struct sl_study_review *out,
                               struct sl_error *err) SL_MUST_USE;
void sl_study_review_release(struct sl_study_review *review);
/* The review as JSON, a new object. */
json_t *sl_study_review_json(const struct sl_study_review *review) SL_MUST_USE;

/* A list of participants to a CSV file of their links, with the columns id and link. */
struct sl_link_list {
    const char *ids;     /* a CSV file with a participant per line */
    const char *column;  /* of `ids`, which names them */
    const char *address; /* where annotators reach the study, without a trailing slash */
    const char
        *output; /* readable by its owner only, since a signed link is as good as the person */
};
/* *count becomes the number of links. SL_ERR_INPUT, with file and line, for a participant who comes
 * twice or cannot be in a link, and for a list without any; SL_ERR_USAGE if the study is open to
 * everybody. */
enum sl_status sl_study_write_links(const struct sl_study *study, struct sl_store *store,
                                    const struct sl_link_list *list, size_t *count,
                                    struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
