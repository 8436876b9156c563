/* Private to verdict/: which label sets came nearest to the truth for the time they took. */
#ifndef SOFTLAB_VERDICT_ANSWER_H
#define SOFTLAB_VERDICT_ANSWER_H

#include "verdict/judge/judge.h"

/* One label set. `gain` is, run by run, how much less its distance is than that of the set all are
 * measured against, over its own seconds. */
struct sl_answer_set {
    const char *name; /* borrowed from the specification */
    bool has_gain;    /* false for what is measured against, and without runs to pair */
    bool is_front;    /* no other set is as near for less time, or nearer for as much */
    struct sl_estimate distance, seconds, model;
    struct sl_estimate gain;
};

/* What the block "answer" of a specification asks. Indices are SIZE_MAX where there is none. */
struct sl_verdict_answer {
    const char *distance, *model; /* columns, "labels/js" and "truth/cross_entropy"; borrowed */
    struct sl_answer_set *sets;   /* owned; in the order of the specification, those with runs */
    size_t n_sets;
    size_t against;                 /* what the others are measured against */
    size_t best, next;              /* the greatest gains */
    size_t nearest;                 /* whatever it took */
    struct sl_judgement best_gains; /* whether best is nearer than against; NOT_RUN without best */
    struct sl_judgement best_first; /* whether best is before next; NOT_RUN without next */
    /* Whether the model trained on best is the better one, beside that trained on against. */
    struct sl_judgement model_better;
};

/* False if the specification asks nothing or the set to measure against has no runs. */
bool sl_verdict_answer_find(const struct sl_outcome *outcome,
                            struct sl_verdict_answer *out) SL_MUST_USE;
void sl_verdict_answer_release(struct sl_verdict_answer *answer);

#endif
