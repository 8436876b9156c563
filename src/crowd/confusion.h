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

/* Where scores and counts are kept. Both forms give the same posteriors to the bit; the objective
 * is summed in another order. */
enum sl_confusion_form {
    SL_CONFUSION_ANY,    /* what is faster for the sizes at hand */
    SL_CONFUSION_DENSE,  /* every cell of every matrix; the only form for given counts */
    SL_CONFUSION_SPARSE, /* what differs from the prior (confusion_sparse.h) */
};

/* A row of a confusion matrix, or the class shares, under a Dirichlet prior: pseudo-counts
 * b[k] and counts make a[k]. Scores are score(a[k]) - score(sum of a). Beside the data's part, a
 * cell adds penalty(a[k], b[k], its score) to the objective and the sums add penalty_total. The
 * penalty is linear in the score, with `slope`, and 0 at a score of 0 if a[k] = b[k]; the slope is
 * linear in its arguments, so the slopes of a row sum to that of its sums. */
struct sl_confusion_model {
    double smoothing, diagonal; /* the method's own pseudo-counts */
    double class_smoothing;     /* on the class shares; SL_CROWD_OWN = as smoothing */
    enum sl_hardness hardness;
    enum sl_confusion_form form;
    double (*score)(double count);
    double (*penalty)(double count, double pseudo, double score);
    double (*slope)(double count, double pseudo);
    double (*penalty_total)(double count, double pseudo);
};
extern const struct sl_confusion_model sl_confusion_ds, sl_confusion_ds_fast,
    sl_confusion_ds_hybrid, sl_confusion_ibcc;

/* A model with the pseudo-counts that the options ask for. */
struct sl_confusion_prior {
    const struct sl_confusion_model *model; /* borrowed */
    double smoothing, diagonal, class_smoothing;
};

enum sl_status sl_confusion_run(const struct sl_confusion_model *model,
                                const struct sl_votes *votes,
                                const struct sl_crowd_options *options, struct sl_crowd_state *out,
                                struct sl_error *err) SL_MUST_USE;

#endif
