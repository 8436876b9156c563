/* Dawid and Skene's model by EM, and its hard and hybrid forms. */
#include <math.h>

#include "crowd/confusion.h"

/* Pseudo-counts act as a Dirichlet prior of parameters 1 + pseudo, whose mode EM finds. */
static double penalty(double count, double pseudo, double score)
{
    (void)count;
    return pseudo * score;
}

static double slope(double count, double pseudo)
{
    (void)count;
    return pseudo;
}

static double penalty_total(double count, double pseudo)
{
    (void)count;
    (void)pseudo;
    return 0;
}

/* The diagonal keeps annotators with few answers from exchanging classes together. */
#define DAWID_SKENE(how)                                                                           \
    {                                                                                              \
        .smoothing = 0.01, .diagonal = 0.3, .class_smoothing = SL_CROWD_OWN, .hardness = (how),    \
        .score = log, .penalty = penalty, .slope = slope, .penalty_total = penalty_total,          \
    }
const struct sl_confusion_model sl_confusion_ds = DAWID_SKENE(SL_HARD_NEVER);
const struct sl_confusion_model sl_confusion_ds_fast = DAWID_SKENE(SL_HARD_ALWAYS);
const struct sl_confusion_model sl_confusion_ds_hybrid = DAWID_SKENE(SL_HARD_SETTLED);

enum sl_status sl_crowd_ds(const struct sl_votes *votes, const struct sl_crowd_options *options,
                           struct sl_crowd_state *out, struct sl_error *err)
{
    return sl_confusion_run(&sl_confusion_ds, votes, options, out, err);
}

enum sl_status sl_crowd_ds_fast(const struct sl_votes *votes,
                                const struct sl_crowd_options *options, struct sl_crowd_state *out,
                                struct sl_error *err)
{
    return sl_confusion_run(&sl_confusion_ds_fast, votes, options, out, err);
}

enum sl_status sl_crowd_ds_hybrid(const struct sl_votes *votes,
                                  const struct sl_crowd_options *options,
                                  struct sl_crowd_state *out, struct sl_error *err)
{
    return sl_confusion_run(&sl_confusion_ds_hybrid, votes, options, out, err);
}
