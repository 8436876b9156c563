/* Suspicion: which annotators may have answered without looking at the items. One score per
 * annotator, the sum of signals that each have a likelihood ratio; docs/internals/quality.md has
 * the formulas and figures.
 *
 * A flag asks a person to look at the annotator's answers. It excludes nobody and decides no
 * payment. */
#ifndef SOFTLAB_ANSWER_SUSPICION_H
#define SOFTLAB_ANSWER_SUSPICION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/answer.h"
#include "softlab/answer/quality.h"
#include "softlab/base/error.h"

SL_BEGIN_DECLS

enum sl_suspicion_signal {
    SL_SUSPECT_HABIT,   /* the answers follow the annotator's own habit, not the item */
    SL_SUSPECT_FAST,    /* far less time than others take for the same kind of answer */
    SL_SUSPECT_EVEN,    /* times that vary far less than those of others */
    SL_SUSPECT_PATTERN, /* the same percentages throughout */
    SL_SUSPECT_CHECKS,  /* attention checks answered wrong */
    SL_SUSPECT_REPEATS, /* a different class when an item was repeated */
    SL_SUSPECT_COUNT
};
extern const char *const sl_suspicion_names[SL_SUSPECT_COUNT];

struct sl_suspicion {
    double score; /* 0 to 1 */
    bool flagged; /* score >= SL_SUSPICION_FLAG */
    /* Log-likelihood ratio in nats of "did not look" against "looked", within the signal's bounds;
     * 0 if the answers give no evidence. */
    double evidence[SL_SUSPECT_COUNT];
    char *reasons[SL_SUSPECT_COUNT]; /* owned; plain words, the strongest first */
    size_t n_reasons;
};
#define SL_SUSPICION_FLAG .9

struct sl_suspicions {
    size_t n_annotators;
    struct sl_suspicion *annotators; /* owned; in the set's order */
    size_t n_flagged;
};

/* `quality` belongs to the same answers. `truth` is a class per item, or -1; NULL = the truth that
 * the answers state. It counts as one more annotator, whose reliability is learned like all
 * others. */
enum sl_status sl_suspicion_measure(const struct sl_answers *answers,
                                    const struct sl_quality *quality, const int32_t *truth,
                                    struct sl_suspicions *out, struct sl_error *err) SL_MUST_USE;
void sl_suspicions_release(struct sl_suspicions *suspicions);

SL_END_DECLS

#endif
