/* Agreement, measured item by item. Private to answer/quality/. */
#ifndef SOFTLAB_ANSWER_QUALITY_INTERNAL_H
#define SOFTLAB_ANSWER_QUALITY_INTERNAL_H

#include "softlab/answer/quality.h"

struct sl_agreement {
    size_t n_classes;
    uint32_t *counts; /* owned; n_classes; all zero between items */
    uint64_t *totals; /* owned; n_classes; votes of items with two or more */
    size_t n_items, n_votes;
    double agreement;   /* sum over items */
    double disagreeing; /* sum over items of disagreeing pairs / (votes - 1) */
};

enum sl_status sl_agreement_init(struct sl_agreement *agreement, size_t n_classes,
                                 struct sl_error *err) SL_MUST_USE;
void sl_agreement_release(struct sl_agreement *agreement);
/* Add the votes of one item, possibly none. */
void sl_agreement_add(struct sl_agreement *agreement, const uint32_t *votes, size_t count);
double sl_agreement_observed(const struct sl_agreement *agreement);
double sl_agreement_alpha(const struct sl_agreement *agreement);

/* quality.c: the two classes an answer names first, UINT32_MAX where there is none. */
void sl_answer_top_two(const struct sl_answer *answer, size_t n_classes, uint32_t out[2]);
/* group.c: classes that an answer does not mark impossible. */
size_t sl_answer_count_possible(const struct sl_answer *answer, size_t n_classes);

#endif
