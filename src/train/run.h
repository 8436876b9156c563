/* Run: a training in progress. run.c creates it, loop.c runs it, run_checkpoint.c saves it. */
#ifndef SOFTLAB_TRAIN_RUN_H
#define SOFTLAB_TRAIN_RUN_H

#include "softlab/train.h"
#include "train/method.h"
#include "train/optimise.h"

/* The position of a run: all of a checkpoint but its buffers of floats. */
struct sl_training_position {
    size_t epoch, step;          /* the next step's, from 0 */
    double loss_total;           /* of this epoch so far */
    uint64_t presented, correct; /* of this epoch so far */
    double epoch_seconds;        /* spent in this epoch before this process */
    double best_score;           /* NaN: none yet */
    size_t best_epoch;           /* from 1; 0: none yet */
    uint64_t steps;              /* in total */
    uint64_t optimiser_steps[2]; /* since the last reset: the model's, the method's own */
};

struct sl_training {
    struct sl_model *model;                 /* borrowed */
    const struct sl_train_options *options; /* borrowed */
    const struct sl_recipe *recipe;         /* borrowed */
    struct sl_method *method;
    struct sl_optimiser optimiser, own_optimiser;
    struct sl_plan *full, *last; /* `last` NULL if there is no last, smaller batch */
    /* Steps take turns: while one batch is trained on, threads that wait fill the other. */
    struct sl_training_batch {
        struct sl_feed_batch batch;
        size_t *items; /* (copies * batch_size) */
        struct sl_feed_items filling;
    } batches[2];
    bool filled_ahead; /* the next step's batch is being filled */
    struct sl_augment augment;
    bool augments;
    size_t n_items, batch_size, steps_per_epoch, copies, n_classes;
    size_t *order;                   /* (n_items) positions of this epoch */
    float *targets, *gradient;       /* (copies * batch_size, n_classes) */
    float *best_values, *best_state; /* of the best epoch; NULL without SL_SELECT_BEST */
    struct sl_training_position at;
    char identity[65]; /* SHA-256 of what the run depends on */
    double saved_at;   /* clock of the last checkpoint */
};

enum sl_status sl_run_create(struct sl_model *model, const struct sl_train_options *options,
                             struct sl_training **out, struct sl_error *err) SL_MUST_USE;
void sl_run_destroy(struct sl_training *run);
/* Wait for a batch that is being filled ahead. */
void sl_run_finish_ahead(struct sl_training *run);
/* The order of this epoch's presentations, into run->order. */
void sl_run_shuffle(struct sl_training *run);

enum sl_status sl_run_save(struct sl_training *run, struct sl_error *err) SL_MUST_USE;
/* Load the checkpoint if there is one; *found says whether there is. */
enum sl_status sl_run_load(struct sl_training *run, bool *found, struct sl_error *err) SL_MUST_USE;

#endif
