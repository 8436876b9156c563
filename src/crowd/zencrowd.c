/* ZenCrowd (Demartini, Difallah and Cudre-Mauroux 2012): an annotator is right with probability q,
 * else names any other class with equal probability; classes are equally likely beforehand. This is
 * the model without the paper's constraints between linked entities, as run by Zheng et al. (2017,
 * "ZC"). docs/internals/crowd-methods.md has the equations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/crowd_internal.h"
#include "crowd/em.h"
#include "crowd/named.h"
#include "softlab/base/memory.h"

static const double start_reliability = 0.8;

/* Lower bound of a reliability, so that one answer never decides alone. */
static const double lowest = 1e-6;

struct zencrowd {
    const struct sl_votes *votes;
    const struct sl_crowd_options *options;
    struct sl_crowd_state *state; /* skill is q */
    double *gain;                 /* owned; n_annotators: log q - log((1 - q) / (K - 1)) */
    double *wrong;                /* owned; n_annotators: log((1 - q) / (K - 1)) */
    double *scores;               /* owned; (threads, apart) */
    int64_t *right;               /* owned; (threads, right_apart) */
    size_t *counts;               /* owned */
    size_t threads, apart, right_apart;
    double likelihood[SL_CROWD_CHUNKS];
};

static void release(struct zencrowd *model)
{
    free(model->gain);
    free(model->wrong);
    free(model->scores);
    free(model->right);
    free(model->counts);
}

static enum sl_status init_model(struct zencrowd *model, struct sl_error *err)
{
    const struct sl_votes *votes = model->votes;
    model->apart = sl_em_apart(votes->n_classes, sizeof *model->scores);
    model->right_apart = sl_em_apart(votes->n_annotators, sizeof *model->right);
    model->gain = sl_data_alloc(votes->n_annotators, sizeof *model->gain, err);
    if (!model->gain) return SL_ERR_NOMEM;
    model->wrong = sl_data_alloc(votes->n_annotators, sizeof *model->wrong, err);
    if (!model->wrong) return SL_ERR_NOMEM;
    model->scores = sl_data_alloc(model->threads * model->apart, sizeof *model->scores, err);
    if (!model->scores) return SL_ERR_NOMEM;
    model->right = sl_data_alloc(model->threads * model->right_apart, sizeof *model->right, err);
    if (!model->right) return SL_ERR_NOMEM;
    SL_TRY(sl_named_counts(votes, &model->counts, err));
    for (size_t a = 0; a < votes->n_annotators; a++)
        model->state->skill[a] = sl_named_resumed(model->options, a, start_reliability);
    return SL_OK;
}

static void use_reliabilities(struct zencrowd *model)
{
    size_t n_classes = model->votes->n_classes;
    double others = n_classes > 1 ? (double)(n_classes - 1) : 1;
    for (size_t a = 0; a < model->votes->n_annotators; a++) {
        double q = model->state->skill[a];
        model->wrong[a] = log((1 - q) / others);
        model->gain[a] = log(q) - model->wrong[a];
    }
}

static void expect(void *context, const struct sl_em_range *range)
{
    struct zencrowd *model = context;
    const struct sl_votes *votes = model->votes;
    size_t n_classes = votes->n_classes;
    double *scores = model->scores + range->worker * model->apart;
    int64_t *right = model->right + range->worker * model->right_apart;
    double sum = 0;
    for (size_t i = range->begin; i < range->end; i++) {
        for (size_t k = 0; k < n_classes; k++)
            scores[k] = 0;
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1]; j++) {
            scores[votes->label[j]] += model->gain[votes->annotator[j]];
            sum += model->wrong[votes->annotator[j]];
        }
        float *row = model->state->posterior + i * n_classes;
        sum += sl_named_posterior(scores, n_classes, sl_em_gold(model->options, i), row);
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1]; j++)
            right[votes->annotator[j]] += sl_em_units(scores[votes->label[j]]);
    }
    model->likelihood[range->chunk] = sum;
}

/* The counts of earlier answers, right ones and all, from the prior confusion matrix. */
static void add_prior(const struct zencrowd *model, size_t annotator, double *right, double *all)
{
    size_t n_classes = model->votes->n_classes;
    const double *prior = model->options->prior + annotator * n_classes * n_classes;
    for (size_t k = 0; k < n_classes; k++)
        *right += prior[k * n_classes + k];
    for (size_t k = 0; k < n_classes * n_classes; k++)
        *all += prior[k];
}

static void maximise(struct zencrowd *model)
{
    double smoothing = sl_crowd_or(model->options->smoothing, 0);
    for (size_t a = 0; a < model->votes->n_annotators; a++) {
        int64_t units = 0;
        for (size_t t = 0; t < model->threads; t++)
            units += model->right[t * model->right_apart + a];
        double right = sl_em_count(units) + smoothing;
        double all = (double)model->counts[a] + 2 * smoothing;
        if (model->options->prior) add_prior(model, a, &right, &all);
        if (!(all > 0)) continue;
        double q = right / all;
        model->state->skill[a] = q < lowest ? lowest : q > 1 - lowest ? 1 - lowest : q;
    }
}

enum sl_status sl_crowd_zencrowd(const struct sl_votes *votes,
                                 const struct sl_crowd_options *options, struct sl_crowd_state *out,
                                 struct sl_error *err)
{
    struct zencrowd model = {.votes = votes,
                             .options = options,
                             .state = out,
                             .threads = sl_pool_threads(options->pool)};
    enum sl_status status;
    struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    SL_TRY_OUT(sl_crowd_state_alloc(out, size, SL_STATE_SKILL | SL_STATE_TRACE,
                                    options->max_iterations, err));
    SL_TRY_OUT(init_model(&model, err));
    double constant = -(double)votes->n_items * log((double)votes->n_classes);
    size_t n_right = model.threads * model.right_apart;
    while (out->n_iterations < options->max_iterations) {
        if (out->n_iterations > 0) maximise(&model);
        use_reliabilities(&model);
        memset(model.right, 0, n_right * sizeof *model.right);
        sl_em_run(votes->n_items, options->pool, expect, &model);
        double likelihood = sl_em_sum(model.likelihood) + constant;
        if (sl_em_step(out, likelihood, sl_em_stop_of(options, votes->count), false)) break;
    }
    sl_em_finish_votes(out, votes->begin, options);
out:
    release(&model);
    return status;
}
