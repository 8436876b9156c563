/* Functions of the methods that have their own file; the table is in methods.c. */
#ifndef SOFTLAB_LABEL_METHODS_INTERNAL_H
#define SOFTLAB_LABEL_METHODS_INTERNAL_H

#include <math.h>

#include "softlab/label.h"

typedef enum sl_status sl_label_row_function(const struct sl_answer *answer, size_t n_classes,
                                             const struct sl_label_options *options, double *out,
                                             struct sl_error *err);

sl_label_row_function sl_row_t1_uniform, sl_row_t1_clamp, sl_row_t1_semantic;
sl_label_row_function sl_row_t2_uniform, sl_row_t2_clamp, sl_row_t2_semantic;
sl_label_row_function sl_row_mix;

/* Merge the answers to one item: mean share of the first answer's first class, and mean confidence
 * over those that state one. SL_ERR_INPUT if they name different classes. */
enum sl_status sl_mix_merge(const struct sl_answers *answers, const size_t *chosen, size_t count,
                            struct sl_answer *out, struct sl_error *err) SL_MUST_USE;

/* Whether an answer may enter labels according to its flags. */
bool sl_answer_is_kept(const struct sl_answer *answer, unsigned keep);

/* Probabilities and shares are stored as float, but were typed with fewer digits. Round them back,
 * so that .9f + .1f is 1. */
static inline double sl_as_typed(float value)
{
    return round((double)value * 1e6) / 1e6;
}

/* Index of the largest value, the first of several. */
size_t sl_first_largest(const double *values, size_t count);

#endif
