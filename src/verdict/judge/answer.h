/* Private to verdict/: which label sets came closest to the truth for their annotator time. */
#ifndef SOFTLAB_VERDICT_ANSWER_H
#define SOFTLAB_VERDICT_ANSWER_H

#include "verdict/judge/judge.h"

/* One label set. `gain` is, run by run, the baseline's distance minus the set's, divided by the
 * set's own seconds. */
struct sl_answer_set {
    const char *name; /* borrowed from the specification */
    bool has_gain;    /* false for the baseline and for a set without runs to pair */
    bool is_front;    /* no other set beats it in both distance and time */
    struct sl_estimate distance, seconds, model;
    struct sl_estimate gain;
};

/* The answer to the block "answer" of a specification. Indices are SIZE_MAX if there is none. */
struct sl_verdict_answer {
    const char *distance, *model; /* columns, "labels/js" and "truth/cross_entropy"; borrowed */
    struct sl_answer_set *sets;   /* owned; in the order of the specification, those with runs */
    size_t n_sets;
    size_t against;                   /* the baseline */
    size_t best, next;                /* the two greatest gains */
    size_t nearest;                   /* the least distance, regardless of time */
    struct sl_judgement best_gains;   /* best has a positive gain; NOT_RUN without best */
    struct sl_judgement best_first;   /* best gains more than next; NOT_RUN without next */
    struct sl_judgement model_better; /* best trains a better model than the baseline */
};

/* False if the specification has no block "answer" or its baseline has no runs. */
bool sl_verdict_answer_find(const struct sl_outcome *outcome,
                            struct sl_verdict_answer *out) SL_MUST_USE;
void sl_verdict_answer_release(struct sl_verdict_answer *answer);

#endif
