/* Models with a confusion matrix per annotator: Dawid-Skene by EM, its hard and hybrid forms, and
 * its variational form. They differ in how counts become scores and in what an item counts for; the
 * passes over the answers are the same. */
#ifndef SOFTLAB_CROWD_CONFUSION_H
#define SOFTLAB_CROWD_CONFUSION_H

#include "crowd/crowd_internal.h"

enum sl_hardness {
    SL_HARD_NEVER,
    SL_HARD_ALWAYS,
    SL_HARD_SETTLED, /* once the class shares change by at most .005 in an iteration */
};

/* A row of a confusion matrix, or the class shares, under a Dirichlet prior: pseudo-counts
 * b[k] and counts make a[k]. Scores are score(a[k]) - score(sum of a). `penalty` is what a row
 * adds to the objective beside the data's part, given a cell's count, pseudo-count and score;
 * `penalty_total` what the sums add. For a cell without data the penalty is
 * empty_weight x pseudo-count x score. */
struct sl_confusion_model {
    double smoothing, diagonal; /* the method's own pseudo-counts */
    double class_smoothing;     /* on the class shares; SL_CROWD_OWN = as smoothing */
    enum sl_hardness hardness;
    double (*score)(double count);
    double (*penalty)(double count, double pseudo, double score);
    double empty_weight;
    double (*penalty_total)(double count, double pseudo);
};

enum sl_status sl_confusion_run(const struct sl_confusion_model *model,
                                const struct sl_votes *votes,
                                const struct sl_crowd_options *options, struct sl_crowd_state *out,
                                struct sl_error *err) SL_MUST_USE;

#endif
