/* Private to pipeline/labels/: the replay of two sets of answers. */
#ifndef SOFTLAB_PIPELINE_LABELS_WORTH_H
#define SOFTLAB_PIPELINE_LABELS_WORTH_H

#include "softlab/answer.h"
#include "softlab/pipeline/worth.h"

/* One of the two sets. */
struct sl_worth_answers {
    struct sl_answers *answers; /* owned */
    struct sl_item_index index; /* owned */
    const char *rows;           /* the label method that makes a row of an answer; static */
    size_t n_items;             /* items of the replay, in the same order on both sides */
    size_t *begin;              /* owned; n_items + 1 */
    size_t *kept;               /* owned; the answers of every item, in the order of the draw */
};

struct sl_worth_replay {
    struct sl_worth_result *result; /* borrowed */
    struct sl_workplace workplace;  /* without a log */
    struct sl_worth_answers sides[SL_WORTH_SIDES];
    size_t n_items;
    double *mean, *noise;            /* owned; the reference of this draw, (n_items, n_classes) */
    bool *in[SL_WORTH_GROUPS];       /* owned; n_items: in the group in this draw */
    double *weight[SL_WORTH_GROUPS]; /* owned; n_items: the number of draws in the group */
    /* Owned; (n_sets, n_items): scores summed over the draws in the group. */
    double *sum[SL_WORTH_GROUPS][SL_WORTH_MEASURES];
};

/* worth_options.c: fill in the defaults of lists; SL_ERR_USAGE says what is missing or of no use.
 */
enum sl_status sl_worth_job_complete(struct sl_worth_job *job, struct sl_error *err) SL_MUST_USE;

/* worth_estimate.c: means, worths and their intervals, from the sums. */
enum sl_status sl_worth_estimate(struct sl_worth_replay *replay, struct sl_error *err) SL_MUST_USE;

#endif
