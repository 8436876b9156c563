/* Shared by the files of crowd/: the methods of the table and the allocation of states.
 *
 * sl_aggregate and sl_aggregate_soft call a method after checking the options and every answer.
 * The options have numbers where the caller left them to the method. `out` is zeroed; the caller
 * releases what a failing method leaves in it. */
#ifndef SOFTLAB_CROWD_INTERNAL_H
#define SOFTLAB_CROWD_INTERNAL_H

#include "softlab/crowd.h"

typedef enum sl_status sl_crowd_method(const struct sl_votes *votes,
                                       const struct sl_crowd_options *options,
                                       struct sl_crowd_state *out, struct sl_error *err);
typedef enum sl_status sl_crowd_soft_method(const struct sl_soft_votes *votes,
                                            const struct sl_crowd_options *options,
                                            struct sl_crowd_state *out, struct sl_error *err);

sl_crowd_method sl_crowd_mv;
sl_crowd_method sl_crowd_mv_shares;
sl_crowd_method sl_crowd_gold_mv;
sl_crowd_method sl_crowd_wawa;
sl_crowd_method sl_crowd_zbs;
sl_crowd_method sl_crowd_ds;
sl_crowd_method sl_crowd_ds_onecoin;
sl_crowd_method sl_crowd_ds_fast;
sl_crowd_method sl_crowd_ds_hybrid;
sl_crowd_method sl_crowd_ibcc;
sl_crowd_method sl_crowd_glad;
sl_crowd_method sl_crowd_mace;
sl_crowd_method sl_crowd_zencrowd;
sl_crowd_method sl_crowd_kos;
sl_crowd_method sl_crowd_mmsr;
sl_crowd_method sl_crowd_catd;
sl_crowd_method sl_crowd_crowdlab;
sl_crowd_method sl_crowd_dirichlet;
sl_crowd_soft_method sl_crowd_dirichlet_soft;
sl_crowd_soft_method sl_crowd_ds_soft;
sl_crowd_soft_method sl_crowd_pool_linear;
sl_crowd_soft_method sl_crowd_pool_log;

/* The parts of a state beside the posterior and the class prior, which every method fills. */
enum {
    SL_STATE_CONFUSION = 1,
    SL_STATE_SKILL = 2,
    SL_STATE_TRACE = 4,
    SL_STATE_WEIGHT = 8,
    SL_STATE_STRATEGY = 16,
    SL_STATE_STREAMED = 32, /* without the posterior */
    SL_STATE_RISK = 64,
    SL_STATE_INTERVALS = 128,
};

struct sl_crowd_size {
    size_t n_items, n_annotators, n_classes;
};

/* Memory, not zeroed, for a state's arrays; the trace has room for `max_iterations`. */
enum sl_status sl_crowd_state_alloc(struct sl_crowd_state *state, struct sl_crowd_size size,
                                    unsigned parts, size_t max_iterations,
                                    struct sl_error *err) SL_MUST_USE;

/* n_annotators x K x K cells of `cell` bytes; NULL with SL_ERR_NOMEM and the sizes. */
void *sl_crowd_confusion_alloc(size_t n_annotators, size_t n_classes, size_t cell,
                               struct sl_error *err) SL_MUST_USE;

/* SL_ERR_INPUT naming the first value of the options' arrays, weights excepted, that is not what it
 * may be. */
enum sl_status sl_crowd_given_check(const struct sl_crowd_options *options,
                                    struct sl_crowd_size size, struct sl_error *err) SL_MUST_USE;
/* Rows of K probabilities that sum to 1; `what` names a row in the error. */
enum sl_status sl_crowd_rows_check(const float *rows, size_t count, size_t n_classes,
                                   const char *what, struct sl_error *err) SL_MUST_USE;

/* Check given weights: SL_ERR_USAGE if the method takes none, SL_ERR_INPUT if one is negative or
 * not finite or all are 0. */
enum sl_status sl_crowd_weights_check(const struct sl_aggregator *method,
                                      const struct sl_crowd_options *options, size_t n_annotators,
                                      struct sl_error *err) SL_MUST_USE;

/* Copies of the answers without those of weight 0; empty if none has weight 0. */
struct sl_crowd_kept {
    size_t *begin;       /* owned */
    uint32_t *annotator; /* owned */
    void *said;          /* owned; labels or rows */
};
void sl_crowd_kept_release(struct sl_crowd_kept *kept);
/* Replace the arrays of `votes`, a copy, by the kept answers. `weights` may be NULL. */
enum sl_status sl_crowd_keep_votes(const double *weights, struct sl_votes *votes,
                                   struct sl_crowd_kept *kept, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_crowd_keep_soft(const double *weights, struct sl_soft_votes *votes,
                                  struct sl_crowd_kept *kept, struct sl_error *err) SL_MUST_USE;

/* An option's value, or the method's own where the caller left it at SL_CROWD_OWN. */
static inline double sl_crowd_or(double value, double own)
{
    return value < 0 ? own : value;
}

#endif
