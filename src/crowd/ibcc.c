/* Independent Bayesian classifier combination: Dawid and Skene's model with Dirichlet priors,
 * by variational Bayes. */
#include "crowd/confusion.h"
#include "softlab/base/stats.h"

/* A row's cells and total together subtract KL(q, prior) from the bound. */
static double penalty(double count, double pseudo, double score)
{
    if (count == pseudo) return 0;
    return sl_log_gamma(count) - sl_log_gamma(pseudo) - (count - pseudo) * score;
}

static double slope(double count, double pseudo)
{
    return pseudo - count;
}

static double penalty_total(double count, double pseudo)
{
    return sl_log_gamma(pseudo) - sl_log_gamma(count);
}

/* The priors of Li, Rubinstein and Cohn (2019): an annotator gives the right class four times as
 * often as any one wrong class. */
const struct sl_confusion_model sl_confusion_ibcc = {
    .smoothing = 1,
    .diagonal = 3,
    .class_smoothing = 1,
    .hardness = SL_HARD_NEVER,
    .score = sl_digamma,
    .penalty = penalty,
    .slope = slope,
    .penalty_total = penalty_total,
};

enum sl_status sl_crowd_ibcc(const struct sl_votes *votes, const struct sl_crowd_options *options,
                             struct sl_crowd_state *out, struct sl_error *err)
{
    return sl_confusion_run(&sl_confusion_ibcc, votes, options, out, err);
}
