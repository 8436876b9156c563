/* GLAD (Whitehill, Ruvolo, Wu, Bergsma and Movellan 2009) for K classes: an annotator of ability
 * alpha is right on an item of easiness exp(b) with probability sigma(alpha exp(b)), else names
 * any other class alike. Gaussian priors of mean 1 and variance 1 on every alpha and b; classes
 * are equally likely beforehand.
 *
 * Where the authors climb the gradient of the M-step, this replaces log sigma by the quadratic
 * bound of Jaakkola and Jordan (2000), which touches it at the current value: alpha then has a
 * closed step, b one of a single variable, and the posterior density never falls.
 * docs/internals/crowd-methods.md has the equations. */
#include <math.h>
#include <stdlib.h>

#include "crowd/crowd_internal.h"
#include "crowd/em.h"
#include "crowd/named.h"
#include "softlab/base/memory.h"

enum { EASINESS_STEPS = 30, FACTORS_PER_LOGARITHM = 500 };

static const double prior_mean = 1;
static const double least_move = 1e-9; /* of b: smaller steps end the search */

struct glad {
    const struct sl_votes *votes;
    const struct sl_crowd_options *options;
    struct sl_crowd_state *state;
    struct sl_named_index index;
    double *alpha;    /* owned; n_annotators */
    double *easiness; /* owned; n_items: exp(b) */
    double *scores;   /* owned; (threads, apart) */
    size_t apart;
    struct sl_pool *pool;
    double others; /* log(K - 1) */
    double value[SL_CROWD_CHUNKS];
};

static void release(struct glad *model)
{
    sl_named_index_release(&model->index);
    free(model->alpha);
    free(model->easiness);
    free(model->scores);
}

static enum sl_status init_model(struct glad *model, struct sl_error *err)
{
    const struct sl_votes *votes = model->votes;
    model->alpha = sl_data_alloc(votes->n_annotators, sizeof *model->alpha, err);
    model->easiness = sl_data_alloc(votes->n_items, sizeof *model->easiness, err);
    model->apart = sl_em_apart(votes->n_classes, sizeof *model->scores);
    model->scores =
        sl_data_alloc(sl_pool_threads(model->pool) * model->apart, sizeof *model->scores, err);
    if (!model->alpha || !model->easiness || !model->scores) return SL_ERR_NOMEM;
    SL_TRY(sl_named_index_create(votes, &model->index, err));
    double usual = exp(prior_mean), usual_skill = 1 / (1 + exp(-prior_mean * usual));
    for (size_t a = 0; a < votes->n_annotators; a++) {
        double skill = sl_named_resumed(model->options, a, usual_skill);
        model->alpha[a] = log(skill / (1 - skill)) / usual;
    }
    for (size_t i = 0; i < votes->n_items; i++)
        model->easiness[i] = usual;
    return SL_OK;
}

/* The curvature of the bound at x, tanh(x / 2) / (2 x), from small = exp(-|x|). */
static double curvature(double x, double small)
{
    x = fabs(x);
    return x < 1e-5 ? 0.25 : (1 - small) / ((1 + small) * 2 * x);
}

/* The function that the b of one item maximises: slope exp(b) - curve exp(2 b) / 2 - (b - 1)^2 /
 * 2. */
static double easiness_value(double slope, double curve, double b)
{
    double u = exp(b);
    return slope * u - 0.5 * curve * u * u - 0.5 * (b - prior_mean) * (b - prior_mean);
}

/* Newton's method from the current b; a step that would lower the value is halved. */
static double best_easiness(double slope, double curve, double easiness)
{
    double b = log(easiness), value = easiness_value(slope, curve, b);
    for (int step = 0; step < EASINESS_STEPS; step++) {
        double u = exp(b);
        double gradient = slope * u - curve * u * u - (b - prior_mean);
        double bend = slope * u - 2 * curve * u * u - 1;
        double move = bend < 0 ? -gradient / bend : gradient;
        move = move > 1 ? 1 : move < -1 ? -1 : move;
        double next = easiness_value(slope, curve, b + move);
        while (next < value && fabs(move) > least_move) {
            move *= 0.5;
            next = easiness_value(slope, curve, b + move);
        }
        if (!(next >= value && fabs(move) > least_move)) break;
        b += move;
        value = next;
    }
    return exp(b);
}

/* E-step of one item; returns its part of the log posterior density. */
static double expect_item(struct glad *model, size_t item, double *scores)
{
    const struct sl_votes *votes = model->votes;
    size_t n_classes = votes->n_classes, n_factors = 0;
    double u = model->easiness[item], sum = 0, product = 1;
    for (size_t k = 0; k < n_classes; k++)
        scores[k] = 0;
    for (size_t j = votes->begin[item]; j < votes->begin[item + 1]; j++) {
        double x = model->alpha[votes->annotator[j]] * u;
        scores[votes->label[j]] += x + model->others;
        sum -= (x > 0 ? x : 0) + model->others;
        product *= 1 + exp(-fabs(x));
        if (++n_factors % FACTORS_PER_LOGARITHM) continue;
        sum -= log(product);
        product = 1;
    }
    float *row = model->state->posterior + item * n_classes;
    double distance = log(u) - prior_mean;
    sum += sl_named_posterior(scores, n_classes, sl_em_gold(model->options, item), row);
    return sum - log(product) - 0.5 * distance * distance;
}

static void expect(void *context, const struct sl_em_range *range)
{
    struct glad *model = context;
    double *scores = model->scores + range->worker * model->apart;
    double sum = 0;
    for (size_t i = range->begin; i < range->end; i++)
        sum += expect_item(model, i, scores);
    model->value[range->chunk] = sum;
}

static void update_easiness(void *context, const struct sl_em_range *range)
{
    struct glad *model = context;
    const struct sl_votes *votes = model->votes;
    for (size_t i = range->begin; i < range->end; i++) {
        const float *row = model->state->posterior + i * votes->n_classes;
        double slope = 0, curve = 0;
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1]; j++) {
            double alpha = model->alpha[votes->annotator[j]];
            double x = alpha * model->easiness[i];
            slope += ((double)row[votes->label[j]] - 0.5) * alpha;
            curve += curvature(x, exp(-fabs(x))) * alpha * alpha;
        }
        model->easiness[i] = best_easiness(slope, curve, model->easiness[i]);
    }
}

static void update_abilities(void *context, const struct sl_em_range *range)
{
    struct glad *model = context;
    size_t n_classes = model->votes->n_classes;
    for (size_t a = range->begin; a < range->end; a++) {
        double slope = prior_mean, curve = 1;
        for (size_t j = model->index.begin[a]; j < model->index.begin[a + 1]; j++) {
            size_t item = model->index.item[j];
            double p = (double)model->state->posterior[item * n_classes + model->index.label[j]];
            double u = model->easiness[item], x = model->alpha[a] * u;
            slope += (p - 0.5) * u;
            curve += curvature(x, exp(-fabs(x))) * u * u;
        }
        model->alpha[a] = slope / curve;
    }
}

static double log_prior_of_abilities(const struct glad *model)
{
    double sum = 0;
    for (size_t a = 0; a < model->votes->n_annotators; a++) {
        double distance = model->alpha[a] - prior_mean;
        sum -= 0.5 * distance * distance;
    }
    return sum;
}

/* Skill: the mean probability of being right on the items an annotator answered. */
static void report_skill(struct glad *model)
{
    for (size_t a = 0; a < model->votes->n_annotators; a++) {
        size_t begin = model->index.begin[a], end = model->index.begin[a + 1];
        double sum = 0;
        for (size_t j = begin; j < end; j++)
            sum += 1 / (1 + exp(-model->alpha[a] * model->easiness[model->index.item[j]]));
        model->state->skill[a] = end > begin ? sum / (double)(end - begin)
                                             : 1 / (1 + exp(-model->alpha[a] * exp(prior_mean)));
    }
}

enum sl_status sl_crowd_glad(const struct sl_votes *votes, const struct sl_crowd_options *options,
                             struct sl_crowd_state *out, struct sl_error *err)
{
    struct glad model = {.votes = votes, .options = options, .state = out, .pool = options->pool};
    model.others = votes->n_classes > 1 ? log((double)(votes->n_classes - 1)) : 0;
    enum sl_status status;
    struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    SL_TRY_OUT(sl_crowd_state_alloc(out, size, SL_STATE_SKILL | SL_STATE_TRACE,
                                    options->max_iterations, err));
    SL_TRY_OUT(init_model(&model, err));
    double constant = -(double)votes->n_items * log((double)votes->n_classes);
    while (out->n_iterations < options->max_iterations) {
        if (out->n_iterations > 0) {
            sl_em_run(votes->n_items, model.pool, update_easiness, &model);
            sl_em_run(votes->n_annotators, model.pool, update_abilities, &model);
        }
        sl_em_run(votes->n_items, model.pool, expect, &model);
        double value = sl_em_sum(model.value) + constant + log_prior_of_abilities(&model);
        if (sl_em_step(out, value, options->tolerance, false)) break;
    }
    report_skill(&model);
    sl_em_finish_votes(out, votes->begin, options);
out:
    release(&model);
    return status;
}
