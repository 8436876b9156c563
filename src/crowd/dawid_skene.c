/* Dawid and Skene's model by EM, and its hard and hybrid forms. */
#include <math.h>

#include "crowd/confusion.h"

/* Pseudo-counts act as a Dirichlet prior of parameters 1 + pseudo, whose mode EM finds. */
static double penalty(double count, double pseudo, double score)
{
    (void)count;
    return pseudo * score;
}

static double penalty_total(double count, double pseudo)
{
    (void)count;
    (void)pseudo;
    return 0;
}

static struct sl_confusion_model dawid_skene(enum sl_hardness hardness)
{
    return (struct sl_confusion_model){
        .smoothing = 0.01,
        .diagonal = 0.3, /* otherwise annotators with few answers exchange classes together */
        .class_smoothing = SL_CROWD_OWN,
        .hardness = hardness,
        .score = log,
        .penalty = penalty,
        .empty_weight = 1,
        .penalty_total = penalty_total,
    };
}

enum sl_status sl_crowd_ds(const struct sl_votes *votes, const struct sl_crowd_options *options,
                           struct sl_crowd_state *out, struct sl_error *err)
{
    const struct sl_confusion_model model = dawid_skene(SL_HARD_NEVER);
    return sl_confusion_run(&model, votes, options, out, err);
}

enum sl_status sl_crowd_ds_fast(const struct sl_votes *votes,
                                const struct sl_crowd_options *options, struct sl_crowd_state *out,
                                struct sl_error *err)
{
    const struct sl_confusion_model model = dawid_skene(SL_HARD_ALWAYS);
    return sl_confusion_run(&model, votes, options, out, err);
}

enum sl_status sl_crowd_ds_hybrid(const struct sl_votes *votes,
                                  const struct sl_crowd_options *options,
                                  struct sl_crowd_state *out, struct sl_error *err)
{
    const struct sl_confusion_model model = dawid_skene(SL_HARD_SETTLED);
    return sl_confusion_run(&model, votes, options, out, err);
}
