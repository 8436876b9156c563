/* Learning rates: a row per schedule, each a function of the run's position. */
#include <math.h>

#include "train/optimise.h"

static double constant_rate(const struct sl_recipe *recipe, struct sl_moment moment)
{
    (void)moment;
    return recipe->rate;
}

static double step_rate(const struct sl_recipe *recipe, struct sl_moment moment)
{
    double rate = recipe->rate;
    for (size_t i = 0; i < recipe->milestones.count && i < recipe->factors.count; i++)
        if ((double)moment.epoch >= recipe->milestones.values[i]) rate *= recipe->factors.values[i];
    return rate;
}

/* The first step has the full rate; the step after the last would have rate 0. */
static double cosine_rate(const struct sl_recipe *recipe, struct sl_moment moment)
{
    const double pi = 3.14159265358979323846;
    const double epochs =
        recipe->cosine_epochs > 0 ? recipe->cosine_epochs : (double)recipe->epochs;
    const double steps = (double)moment.steps_per_epoch;
    const double done = (double)moment.epoch * steps + (double)moment.step;
    return recipe->rate / 2 * (1 + cos(pi * fmin(1, done / (epochs * steps))));
}

static const struct {
    double (*rate)(const struct sl_recipe *recipe, struct sl_moment moment);
    bool resets; /* at milestones */
} schedules[] = {
    [SL_SCHEDULE_CONSTANT] = {constant_rate, false},
    [SL_SCHEDULE_STEP] = {step_rate, false},
    [SL_SCHEDULE_SEGMENT] = {step_rate, true},
    [SL_SCHEDULE_COSINE] = {cosine_rate, false},
};

double sl_schedule_rate(const struct sl_recipe *recipe, struct sl_moment moment)
{
    return schedules[recipe->schedule].rate(recipe, moment);
}

bool sl_schedule_resets(const struct sl_recipe *recipe, struct sl_moment moment)
{
    if (!schedules[recipe->schedule].resets || moment.step > 0) return false;
    for (size_t i = 0; i < recipe->milestones.count; i++)
        if ((double)moment.epoch == recipe->milestones.values[i]) return true;
    return false;
}
