/* One pass over the answers with a table of scores: the posterior of every item, and its counts for
 * each annotator. */
#ifndef SOFTLAB_CROWD_CONFUSION_PASS_H
#define SOFTLAB_CROWD_CONFUSION_PASS_H

#include "softlab/crowd.h"

struct sl_confusion_pass {
    const struct sl_votes *votes;           /* borrowed */
    const struct sl_crowd_options *options; /* borrowed */
    bool shares;                            /* take the vote shares as posterior, not the scores */
    bool hard;                              /* an item counts only for its most probable class */
    size_t block;                           /* items worked on at a time */
    size_t n_cells;                         /* n_annotators x K x K */
    size_t n_workers;
    float *table;          /* owned; (n_annotators, K said, K true) scores */
    double *class_score;   /* owned; K */
    int64_t *counts;       /* owned; (n_workers, n_annotators, K said, K true) in units */
    int64_t *class_counts; /* owned; (n_workers, K) in units */
    double *scores;        /* owned; (n_workers, block, K) */
    int64_t *mass;         /* owned; (n_workers, block, K) */
    uint32_t *support;     /* owned; (n_workers, K): an item's classes with mass */
    float *posterior;      /* borrowed, set by the caller; (n_items, K) */
    double chunk_value[SL_CROWD_CHUNKS];
};

enum sl_status sl_confusion_pass_init(struct sl_confusion_pass *pass, const struct sl_votes *votes,
                                      const struct sl_crowd_options *options,
                                      struct sl_error *err) SL_MUST_USE;
void sl_confusion_pass_release(struct sl_confusion_pass *pass);

/* Fill the posterior, and the counts of worker 0 with the totals of all workers. Returns the
 * log-likelihood, or that of the most probable classes if `hard`. */
double sl_confusion_pass_run(struct sl_confusion_pass *pass);

#endif
