/* Optimisers: a row for each, over the steps of nn/. */
#include "train/optimise.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/nn/optimiser.h"

struct step {
    const struct sl_recipe *recipe;
    float rate, scale;
    float *values;
    const float *gradients;
};

static void step_sgd(const struct sl_optimiser *optimiser, const struct step *step)
{
    const struct sl_sgd sgd = {
        .rate = step->rate,
        .momentum = (float)step->recipe->momentum,
        .weight_decay = (float)step->recipe->weight_decay,
        .nesterov = step->recipe->nesterov,
        .first = optimiser->steps == 1,
        .gradient_scale = step->scale,
        .pool = optimiser->pool,
    };
    sl_sgd_step(&sgd, step->values, step->gradients, optimiser->state[0], optimiser->count);
}

static void step_moments(const struct sl_optimiser *optimiser, const struct step *step,
                         bool rectified)
{
    const struct sl_adam adam = {
        .rate = step->rate,
        .beta1 = (float)step->recipe->beta1,
        .beta2 = (float)step->recipe->beta2,
        .epsilon = (float)step->recipe->epsilon,
        .weight_decay = (float)step->recipe->weight_decay,
        .step = optimiser->steps,
        .gradient_scale = step->scale,
        .rectified = rectified,
        .pool = optimiser->pool,
    };
    sl_adam_step(&adam, step->values, step->gradients, optimiser->state[0], optimiser->state[1],
                 optimiser->count);
}

static void step_adam(const struct sl_optimiser *optimiser, const struct step *step)
{
    step_moments(optimiser, step, false);
}

static void step_radam(const struct sl_optimiser *optimiser, const struct step *step)
{
    step_moments(optimiser, step, true);
}

static const struct {
    size_t n_state;
    void (*step)(const struct sl_optimiser *optimiser, const struct step *step);
} kinds[] = {
    [SL_OPTIMISER_SGD] = {1, step_sgd},
    [SL_OPTIMISER_ADAM] = {2, step_adam},
    [SL_OPTIMISER_RADAM] = {2, step_radam},
};

enum sl_status sl_optimiser_create(const struct sl_recipe *recipe, size_t count,
                                   struct sl_optimiser *out, struct sl_error *err)
{
    struct sl_optimiser made = {.count = count, .n_state = kinds[recipe->optimiser].n_state};
    for (size_t i = 0; i < made.n_state; i++) {
        made.state[i] = sl_data_alloc(count, sizeof(float), err);
        if (!made.state[i]) {
            sl_optimiser_release(&made);
            return SL_ERR_NOMEM;
        }
    }
    sl_optimiser_reset(&made);
    *out = made;
    return SL_OK;
}

void sl_optimiser_release(struct sl_optimiser *optimiser)
{
    for (size_t i = 0; i < optimiser->n_state; i++)
        free(optimiser->state[i]);
    *optimiser = (struct sl_optimiser){0};
}

void sl_optimiser_reset(struct sl_optimiser *optimiser)
{
    for (size_t i = 0; i < optimiser->n_state; i++)
        memset(optimiser->state[i], 0, optimiser->count * sizeof(float));
    optimiser->steps = 0;
}

void sl_optimiser_step(struct sl_optimiser *optimiser, const struct sl_recipe *recipe, double rate,
                       double scale, float *values, const float *gradients)
{
    optimiser->steps++;
    const struct step step = {.recipe = recipe,
                              .rate = (float)rate,
                              .scale = (float)scale,
                              .values = values,
                              .gradients = gradients};
    kinds[recipe->optimiser].step(optimiser, &step);
}

double sl_clip_scale(double clip, double norm)
{
    if (!(clip > 0)) return 1;
    const double scale = clip / (norm + 1e-6);
    return scale >= 1 ? 1 : scale; /* NaN stays NaN, so that the caller sees it */
}
