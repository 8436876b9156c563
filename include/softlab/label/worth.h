/* Worth: how many answers of one kind give labels as good as some answers of another kind. Pure
 * functions over arrays; softlab/pipeline/worth.h draws the answers. Formulas:
 * docs/internals/worth.md. */
#ifndef SOFTLAB_LABEL_WORTH_H
#define SOFTLAB_LABEL_WORTH_H

#include <stddef.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

/* What other people said about an item. */
struct sl_worth_reference {
    const double *mean; /* borrowed; n_classes: the mean of their answers' rows */
    double noise;       /* the expected squared distance of the mean from that of endless answers */
};

/* A score of one label; the lower, the better. Both are unbiased: their expectation over the people
 * of the reference is that for endless people, up to a constant that is the same for all labels. */
struct sl_worth_measure {
    const char *name, *title;
    /* `floor` is the share of the uniform distribution that is mixed into the label. */
    double (*score)(const float *label, const struct sl_worth_reference *reference,
                    size_t n_classes, double floor);
};
enum { SL_WORTH_MEASURES = 2 };
extern const struct sl_worth_measure sl_worth_measures[SL_WORTH_MEASURES];

/* The mean of `count` rows, at least two, into `mean`, and the noise of that mean. */
double sl_worth_reference_fill(const float *rows, size_t count, size_t n_classes, double *mean);

/* The score of a number of answers, for ascending numbers of at least 1. */
struct sl_worth_curve {
    const double *numbers, *scores; /* borrowed */
    size_t count;
};
/* The number of answers at which the curve first is as good as `score`, linear in the logarithm of
 * the number between two points. *beyond is -1 if the fewest answers are already better than that,
 * 1 if the most are not as good, otherwise 0; the result is then the nearest end. NaN if a score
 * is NaN. */
double sl_worth_at(const struct sl_worth_curve *curve, double score, int *beyond);

SL_END_DECLS

#endif
