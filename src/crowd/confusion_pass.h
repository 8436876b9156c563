/* One pass over the answers with scores of confusion matrices: the posterior of every item, and its
 * counts for each annotator. */
#ifndef SOFTLAB_CROWD_CONFUSION_PASS_H
#define SOFTLAB_CROWD_CONFUSION_PASS_H

#include "crowd/confusion_sparse.h"
#include "crowd/confusion_start.h"
#include "crowd/em.h"

/* Where the posterior of a pass comes from. */
enum sl_pass_source {
    SL_PASS_SCORES, /* of the last update */
    SL_PASS_SHARES, /* the shares of the votes */
    SL_PASS_START,  /* the matrices in `start` */
};

struct sl_confusion_pass {
    const struct sl_votes *votes;           /* borrowed */
    const struct sl_crowd_options *options; /* borrowed */
    struct sl_pool *pool; /* borrowed; NULL where counts of workers are too large */
    enum sl_pass_source source;
    const struct sl_confusion_start *start; /* borrowed; for SL_PASS_START */
    bool hard;                              /* an item counts only for its most probable class */
    size_t block;                           /* items worked on at a time */
    size_t n_cells;                         /* n_annotators x K x K */
    size_t n_workers;
    size_t apart;             /* of workers, in places of 8 bytes; at least K */
    struct sl_sparse *sparse; /* owned; or NULL: `table` and `counts` */
    float *table;             /* owned; (n_annotators, K said, K true) scores */
    int64_t *counts;          /* owned; (n_workers, n_annotators, K said, K true) in units */
    double *class_score;      /* owned; K */
    int64_t *class_counts;    /* owned; (n_workers, apart) in units */
    double *scores;           /* owned; (n_workers, block, apart): K of each item */
    int64_t *mass;            /* owned; the same */
    uint32_t *support;        /* owned; (n_workers, 2 apart): an item's classes with mass */
    float *row;               /* owned; (n_workers, 2 apart): of `start` */
    float *posterior;         /* borrowed, set by the caller; (n_items, K); NULL: not kept */
    size_t window;            /* items between those that memory is rid of; 0: never */
    double chunk_value[SL_CROWD_CHUNKS];
};

enum sl_status sl_confusion_pass_init(struct sl_confusion_pass *pass,
                                      const struct sl_confusion_prior *prior,
                                      const struct sl_votes *votes,
                                      const struct sl_crowd_options *options,
                                      struct sl_error *err) SL_MUST_USE;
void sl_confusion_pass_release(struct sl_confusion_pass *pass);

/* Fill the posterior, and the counts of worker 0 with the totals of all workers and ranks. *value
 * becomes the log-likelihood, or that of the most probable classes if `hard`, and in the sparse
 * form also the part of the objective that sl_sparse_update leaves to the scores. Collective. */
enum sl_status sl_confusion_pass_run(struct sl_confusion_pass *pass, double *value,
                                     struct sl_error *err) SL_MUST_USE;

/* The posterior of a range of items once more, by the scores of the last pass, into rows (count, K)
 * that begin with the range's first item; for sl_stream_rows. In the dense form. */
void sl_confusion_pass_rows(void *context, const struct sl_em_range *range, float *rows);

#endif
