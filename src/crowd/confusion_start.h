/* The confusion matrices that a model starts from: those of a saved state or of given counts, or a
 * diagonal. */
#ifndef SOFTLAB_CROWD_CONFUSION_START_H
#define SOFTLAB_CROWD_CONFUSION_START_H

#include "softlab/crowd.h"

struct sl_confusion_start {
    const struct sl_crowd_state *state; /* borrowed, or NULL */
    const double *counts;               /* borrowed; (n_annotators, K true, K said), or NULL */
    size_t n_classes;
    double right; /* the diagonal */
    float *mean;  /* owned; (K true, K said): where annotators start who are not in the state */
};

/* SL_ERR_INPUT if the state has no matrices. */
enum sl_status sl_confusion_start_init(struct sl_confusion_start *start,
                                       const struct sl_crowd_options *options, size_t n_classes,
                                       struct sl_error *err) SL_MUST_USE;
void sl_confusion_start_release(struct sl_confusion_start *start);

/* The K log-probabilities that an annotator says `said`, by true class. */
void sl_confusion_start_row(const struct sl_confusion_start *start, size_t annotator, size_t said,
                            float *out);
/* The logarithms of the class shares. */
void sl_confusion_start_classes(const struct sl_confusion_start *start, double *out);

#endif
