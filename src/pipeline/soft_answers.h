/* Answers as distributions, item by item: what soft methods of crowd/ read. */
#ifndef SOFTLAB_PIPELINE_SOFT_ANSWERS_H
#define SOFTLAB_PIPELINE_SOFT_ANSWERS_H

#include "softlab/crowd.h"
#include "softlab/label.h"

struct sl_soft_answers {
    struct sl_soft_votes votes; /* borrows the arrays below */
    size_t *begin;              /* owned */
    uint32_t *annotator;        /* owned */
    float *rows;                /* owned */
};
/* Sort rows with one answer each (sl_label_options.per_annotator) by item. */
enum sl_status sl_soft_answers_init(struct sl_soft_answers *soft, const struct sl_rows *rows,
                                    const struct sl_answers *answers,
                                    struct sl_error *err) SL_MUST_USE;
void sl_soft_answers_release(struct sl_soft_answers *soft);

/* Whether one of the answers is of this kind. */
bool sl_answers_have_kind(const struct sl_answers *answers, enum sl_answer_kind kind);

#endif
