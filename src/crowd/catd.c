/* CATD (Li, Li, Gao, Su, Zhao, Demirbas, Fan and Han 2014): truths are weighted votes. An
 * annotator's weight is the inverse of the upper end of a confidence interval of the error
 * variance, so that few answers earn little trust. docs/internals/crowd-methods.md has the
 * equations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/crowd_internal.h"
#include "crowd/em.h"
#include "crowd/named.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"

static const double alpha = 0.05;     /* the interval covers 1 - alpha */
static const double tied = 1 - 1e-12; /* sums this close differ only by rounding */

/* Added to everyone's errors, as in Zheng et al.'s program, so that no errors do not give infinite
 * weight. */
static const double least_errors = 1e-9;

struct catd {
    const struct sl_votes *votes;
    const struct sl_crowd_options *options;
    struct sl_crowd_state *state;
    double *weight;   /* owned; n_annotators */
    double *quantile; /* owned; n_annotators: of chi-square, by the number of answers */
    double *weights;  /* owned; (threads, apart): one item's */
    int64_t *errors;  /* owned; (threads, errors_apart): answers that are not the truth */
    size_t apart, errors_apart;
    double smoothing; /* of the errors */
    bool moved[SL_CROWD_CHUNKS];
};

static void release(struct catd *model)
{
    free(model->weight);
    free(model->quantile);
    free(model->weights);
    free(model->errors);
}

static enum sl_status init_model(struct catd *model, struct sl_error *err)
{
    const struct sl_votes *votes = model->votes;
    size_t threads = sl_pool_threads(model->options->pool), *counts;
    model->apart = sl_em_apart(votes->n_classes, sizeof *model->weights);
    model->errors_apart = sl_em_apart(votes->n_annotators, sizeof *model->errors);
    model->weight = sl_data_alloc(votes->n_annotators, sizeof *model->weight, err);
    model->quantile = sl_data_alloc(votes->n_annotators, sizeof *model->quantile, err);
    model->weights = sl_data_alloc(threads * model->apart, sizeof *model->weights, err);
    model->errors = sl_data_alloc(threads * model->errors_apart, sizeof *model->errors, err);
    if (!model->weight || !model->quantile || !model->weights || !model->errors)
        return SL_ERR_NOMEM;
    SL_TRY(sl_named_counts(votes, &counts, err));
    for (size_t a = 0; a < votes->n_annotators; a++) {
        model->quantile[a] = counts[a] ? sl_chi2_quantile(alpha / 2, (double)counts[a]) : 0;
        model->weight[a] = 1;
    }
    free(counts);
    return SL_OK;
}

/* The truth of one item under the current weights: its heaviest class, or several tied ones as
 * shares. Returns whether it changed. */
static bool decide(const struct catd *model, size_t item, double *weights, float *truth)
{
    const struct sl_votes *votes = model->votes;
    size_t n_classes = votes->n_classes, n_tied = 0;
    int32_t gold = sl_em_gold(model->options, item);
    double most = 0;
    bool moved = false;
    for (size_t k = 0; k < n_classes; k++)
        weights[k] = 0;
    for (size_t j = votes->begin[item]; j < votes->begin[item + 1]; j++)
        weights[votes->label[j]] += model->weight[votes->annotator[j]];
    if (gold >= 0) weights[gold] = (double)INFINITY;
    for (size_t k = 0; k < n_classes; k++)
        if (weights[k] > most) most = weights[k];
    for (size_t k = 0; k < n_classes; k++)
        n_tied += weights[k] >= tied * most;
    for (size_t k = 0; k < n_classes; k++) {
        float share = weights[k] >= tied * most ? 1 / (float)n_tied : 0;
        moved |= truth[k] != share;
        truth[k] = share;
    }
    return moved;
}

/* Truths from weights, and everyone's errors against them. */
static void weigh(void *context, const struct sl_em_range *range)
{
    struct catd *model = context;
    const struct sl_votes *votes = model->votes;
    size_t n_classes = votes->n_classes;
    double *weights = model->weights + range->worker * model->apart;
    int64_t *errors = model->errors + range->worker * model->errors_apart;
    model->moved[range->chunk] = false;
    for (size_t i = range->begin; i < range->end; i++) {
        if (votes->begin[i] == votes->begin[i + 1]) continue;
        float *truth = model->state->posterior + i * n_classes;
        if (decide(model, i, weights, truth)) model->moved[range->chunk] = true;
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1]; j++)
            errors[votes->annotator[j]] += sl_em_units(1 - (double)truth[votes->label[j]]);
    }
}

/* Replace the truths by the posterior: each class's share of the weight. */
static void share(void *context, const struct sl_em_range *range)
{
    struct catd *model = context;
    const struct sl_votes *votes = model->votes;
    size_t n_classes = votes->n_classes;
    double *weights = model->weights + range->worker * model->apart;
    for (size_t i = range->begin; i < range->end; i++) {
        if (votes->begin[i] == votes->begin[i + 1]) continue;
        for (size_t k = 0; k < n_classes; k++)
            weights[k] = 0;
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1]; j++)
            weights[votes->label[j]] += model->weight[votes->annotator[j]];
        sl_named_shares(weights, n_classes, -1);
        for (size_t k = 0; k < n_classes; k++)
            model->state->posterior[i * n_classes + k] = (float)weights[k];
    }
}

static void update_weights(struct catd *model)
{
    size_t n_annotators = model->votes->n_annotators;
    size_t threads = sl_pool_threads(model->options->pool);
    for (size_t a = 0; a < n_annotators; a++) {
        int64_t units = 0;
        for (size_t t = 0; t < threads; t++)
            units += model->errors[t * model->errors_apart + a];
        model->weight[a] = model->quantile[a] / (sl_em_count(units) + model->smoothing);
    }
}

enum sl_status sl_crowd_catd(const struct sl_votes *votes, const struct sl_crowd_options *options,
                             struct sl_crowd_state *out, struct sl_error *err)
{
    struct catd model = {.votes = votes, .options = options, .state = out};
    model.smoothing = sl_crowd_or(options->smoothing, least_errors);
    if (model.smoothing < least_errors) model.smoothing = least_errors;
    enum sl_status status;
    struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    SL_TRY_OUT(sl_crowd_state_alloc(out, size, SL_STATE_SKILL, 0, err));
    SL_TRY_OUT(init_model(&model, err));
    memset(out->posterior, 0, votes->n_items * votes->n_classes * sizeof *out->posterior);
    size_t errors_size = sl_pool_threads(options->pool) * model.errors_apart * sizeof *model.errors;
    while (out->n_iterations < options->max_iterations && !out->converged &&
           !sl_pool_is_stopped(options->pool)) {
        if (out->n_iterations > 0) update_weights(&model);
        memset(model.errors, 0, errors_size);
        sl_em_run(votes->n_items, options->pool, weigh, &model);
        out->converged = true;
        for (size_t c = 0; c < SL_CROWD_CHUNKS; c++)
            if (model.moved[c]) out->converged = false;
        out->n_iterations++;
    }
    sl_em_run(votes->n_items, options->pool, share, &model);
    sl_em_finish_votes(out, votes->begin, options);
    SL_TRY_OUT(sl_named_skill(votes, out, err));
    out->weight = model.weight;
    model.weight = NULL;
out:
    release(&model);
    return status;
}
