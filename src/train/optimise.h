/* Optimise: schedules and optimisers as rows, over any number of flat buffers. */
#ifndef SOFTLAB_TRAIN_OPTIMISE_H
#define SOFTLAB_TRAIN_OPTIMISE_H

#include "softlab/train/recipe.h"

/* The position of a run; epoch and step count from 0, the step within its epoch. */
struct sl_moment {
    size_t epoch, step, steps_per_epoch;
};
/* The learning rate of a step. */
double sl_schedule_rate(const struct sl_recipe *recipe, struct sl_moment moment);
/* True if the optimiser is reset before this step (segments). */
bool sl_schedule_resets(const struct sl_recipe *recipe, struct sl_moment moment);

/* The optimiser of a flat buffer of values, with `n_buffers` state buffers of `count` floats. */
struct sl_optimiser {
    size_t count;
    float *state[2]; /* owned; velocity, or first and second moments */
    size_t n_state;
    uint64_t steps;       /* since the last reset */
    struct sl_pool *pool; /* borrowed; NULL after creation: the calling thread alone */
};
enum sl_status sl_optimiser_create(const struct sl_recipe *recipe, size_t count,
                                   struct sl_optimiser *out, struct sl_error *err) SL_MUST_USE;
void sl_optimiser_release(struct sl_optimiser *optimiser);
void sl_optimiser_reset(struct sl_optimiser *optimiser);
/* One step; gradients are multiplied by `scale` (clipping) first. */
void sl_optimiser_step(struct sl_optimiser *optimiser, const struct sl_recipe *recipe, double rate,
                       double scale, float *values, const float *gradients);
/* The factor by which clip_grad_norm_ scales gradients; 1 if clip is 0. */
double sl_clip_scale(double clip, double norm);

#endif
