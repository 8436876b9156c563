/* Measures: what the figures of results are called, which way each is better, and its kind. Figures
 * that are not scores of predictions, such as annotators' time, have rows too. The functions that
 * compute scores are in softlab/eval.h, under the same names. */
#ifndef SOFTLAB_EVAL_MEASURE_H
#define SOFTLAB_EVAL_MEASURE_H

#include <stddef.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

/* A share lies between 0 and 1 (it is printed as such or in per cent), and its margin is absolute.
 * A count has no sampling error. */
enum sl_measure_kind { SL_MEASURE_SCORE, SL_MEASURE_SHARE, SL_MEASURE_COUNT };

struct sl_measure {
    const char *name;   /* "cross_entropy" */
    const char *column; /* its name in column keys, "ce"; NULL: `name` with dashes */
    const char *title;  /* "cross-entropy" */
    int better;         /* 1: higher is better, -1: lower is better, 0: neither */
    enum sl_measure_kind kind;
};
extern const struct sl_measure sl_measures[]; /* ends with a NULL name */
const struct sl_measure *sl_measure_find(const char *name, size_t length);
/* `better` of the measure; 0 if no measure has this name. */
int sl_measure_direction(const char *name);

SL_END_DECLS

#endif
