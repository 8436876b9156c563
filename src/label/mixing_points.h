/* Answers about mixed images as numbers, the input of the summary and the fits. */
#ifndef SOFTLAB_LABEL_MIXING_POINTS_H
#define SOFTLAB_LABEL_MIXING_POINTS_H

#include "softlab/label/mixing.h"

struct sl_mix_point {
    uint32_t a, b;
    double generated, inferred; /* shares of a */
    double confidence;          /* NaN = none given */
    uint32_t item, annotator;
};

/* The kept answers of kind mix about items in `options->only`; the caller owns `out`. SL_ERR_INPUT
 * if there are none, or naming the item of an answer whose inferred or generated share is
 * missing. */
enum sl_status sl_mix_points_take(const struct sl_answers *answers,
                                  const struct sl_mix_options *options, struct sl_mix_point **out,
                                  size_t *count, struct sl_error *err) SL_MUST_USE;

#endif
