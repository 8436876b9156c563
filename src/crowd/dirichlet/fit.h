/* Private to crowd/dirichlet/: EM over the tallies of a crowd, and what leaves an answer out. */
#ifndef SOFTLAB_CROWD_DIRICHLET_FIT_H
#define SOFTLAB_CROWD_DIRICHLET_FIT_H

#include "crowd/dirichlet/dirichlet.h"
#include "crowd/dirichlet/rises.h"
#include "crowd/dirichlet/tallies.h"

/* Whether the annotator answered the item more than once. */
enum sl_repeat { SL_REPEAT_NONE, SL_REPEAT_FIRST, SL_REPEAT_LATER };

/* A model and the answers that it is fitted to. */
struct sl_dirichlet_fit {
    struct sl_tally_source source;
    const struct sl_crowd_options *options; /* borrowed; gold, predictions, pool, iterations */
    struct sl_dirichlet *model;             /* borrowed */
    struct sl_crowd_state *state;           /* borrowed; its posterior has a row per item */
    double *trust;                          /* owned; n_annotators */
    uint8_t *repeat; /* owned; per answer, enum sl_repeat; NULL: nobody repeats */
    size_t n_annotators;
    struct sl_crowd_tallies tallies; /* of the source, as long as the trust does not change */
    struct sl_rises rises;
    int64_t *sums; /* owned; (threads, sums_apart), see em.c */
    double *work;  /* owned; (threads, work_apart): scores, weights, priors, beliefs and a rise */
    struct sl_tally_cell *cells; /* owned; (threads, K) */
    size_t threads, sums_apart, work_apart;
    double value[SL_CROWD_CHUNKS];
};

/* Memory for the threads. */
enum sl_status sl_dirichlet_fit_init(struct sl_dirichlet_fit *fit,
                                     struct sl_error *err) SL_MUST_USE;
void sl_dirichlet_fit_release(struct sl_dirichlet_fit *fit);
/* Fill `repeat`. */
enum sl_status sl_dirichlet_find_repeats(struct sl_dirichlet_fit *fit,
                                         struct sl_error *err) SL_MUST_USE;
/* Count the answers anew, after trust or row_weight have changed. */
enum sl_status sl_dirichlet_count(struct sl_dirichlet_fit *fit, struct sl_error *err) SL_MUST_USE;
/* At most `rounds` rounds of EM from the model as it is. */
void sl_dirichlet_improve(struct sl_dirichlet_fit *fit, size_t rounds);

/* Estimate the trust of annotators from how others answered; *changed: how many have another. */
enum sl_status sl_dirichlet_trust(struct sl_dirichlet_fit *fit, size_t *changed,
                                  struct sl_error *err) SL_MUST_USE;
/* How well the others' answers predict a stated distribution: the sum of the cross-entropy over the
 * answers that others can be compared with, negative; 0 if there are none. */
enum sl_status sl_dirichlet_leave_one_out(struct sl_dirichlet_fit *fit, double *out,
                                          struct sl_error *err) SL_MUST_USE;

/* Cut the range of a classifier's confidence into bins of equally many items. */
enum sl_status sl_dirichlet_cut_bins(struct sl_dirichlet_fit *fit,
                                     struct sl_error *err) SL_MUST_USE;
/* One step towards the sharpness that predicts the classes in state->posterior best. `factor` is
 * the size of the step, and shrinks. */
void sl_dirichlet_sharpen(struct sl_dirichlet_fit *fit, double *factor);

#endif
