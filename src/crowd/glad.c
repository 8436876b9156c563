/* GLAD (Whitehill, Ruvolo, Wu, Bergsma and Movellan 2009) for K classes: an annotator of ability
 * alpha is right on an item of easiness exp(b) with probability sigma(alpha exp(b)), else names
 * any other class alike. Gaussian priors of variance 1 on every alpha and b, of mean 1 unless the
 * caller gives others; classes are equally likely beforehand, or as the caller says.
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

static const double usual_mean = 1;    /* of a prior */
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
    double others;       /* log(K - 1) */
    double *class_score; /* owned; K: logarithms of the given class prior, or NULL */
    double value[SL_CROWD_CHUNKS];
    double moved[2][SL_CROWD_CHUNKS]; /* the largest moves of the b and of the abilities */
};

static double mean_of_ability(const struct glad *model, size_t annotator)
{
    const double *means = model->options->glad.ability;
    return means ? means[annotator] : usual_mean;
}

static double mean_of_easiness(const struct glad *model, size_t item)
{
    const double *means = model->options->glad.easiness;
    return means ? means[item] : usual_mean;
}

static void release(struct glad *model)
{
    sl_named_index_release(&model->index);
    free(model->alpha);
    free(model->easiness);
    free(model->scores);
    free(model->class_score);
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
    double usual = exp(usual_mean), usual_skill = 1 / (1 + exp(-usual_mean * usual));
    const double *means = model->options->glad.ability;
    for (size_t a = 0; a < votes->n_annotators; a++) {
        double skill = sl_named_resumed(model->options, a, means ? (double)NAN : usual_skill);
        model->alpha[a] = means && isnan(skill) ? means[a] : log(skill / (1 - skill)) / usual;
    }
    for (size_t i = 0; i < votes->n_items; i++)
        model->easiness[i] = exp(mean_of_easiness(model, i));
    const double *prior = model->options->glad.class_prior;
    if (!prior) return SL_OK;
    model->class_score = sl_alloc(votes->n_classes, sizeof *model->class_score);
    for (size_t k = 0; k < votes->n_classes; k++)
        model->class_score[k] = log(prior[k]);
    return SL_OK;
}

/* The curvature of the bound at x, tanh(x / 2) / (2 x), from small = exp(-|x|). */
static double curvature(double x, double small)
{
    x = fabs(x);
    return x < 1e-5 ? 0.25 : (1 - small) / ((1 + small) * 2 * x);
}

/* What the b of one item depends on. */
struct easiness {
    double slope, curve, mean;
};

/* The function that b maximises: slope exp(b) - curve exp(2 b) / 2 - (b - mean)^2 / 2. */
static double easiness_value(const struct easiness *of, double b)
{
    double u = exp(b);
    return of->slope * u - 0.5 * of->curve * u * u - 0.5 * (b - of->mean) * (b - of->mean);
}

/* Newton's method from the current b; a step that would lower the value is halved. */
static double best_easiness(const struct easiness *of, double b)
{
    double value = easiness_value(of, b);
    for (int step = 0; step < EASINESS_STEPS; step++) {
        double u = exp(b);
        double gradient = of->slope * u - of->curve * u * u - (b - of->mean);
        double bend = of->slope * u - 2 * of->curve * u * u - 1;
        double move = bend < 0 ? -gradient / bend : gradient;
        move = move > 1 ? 1 : move < -1 ? -1 : move;
        double next = easiness_value(of, b + move);
        while (next < value && fabs(move) > least_move) {
            move *= 0.5;
            next = easiness_value(of, b + move);
        }
        if (!(next >= value && fabs(move) > least_move)) break;
        b += move;
        value = next;
    }
    return b;
}

/* E-step of one item; returns its part of the log posterior density. */
static double expect_item(struct glad *model, size_t item, double *scores)
{
    const struct sl_votes *votes = model->votes;
    size_t n_classes = votes->n_classes, n_factors = 0;
    double u = model->easiness[item], sum = 0, product = 1;
    for (size_t k = 0; k < n_classes; k++)
        scores[k] = model->class_score ? model->class_score[k] : 0;
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
    double distance = log(u) - mean_of_easiness(model, item);
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
    double moved = 0;
    for (size_t i = range->begin; i < range->end; i++) {
        const float *row = model->state->posterior + i * votes->n_classes;
        struct easiness of = {.mean = mean_of_easiness(model, i)};
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1]; j++) {
            double alpha = model->alpha[votes->annotator[j]];
            double x = alpha * model->easiness[i];
            of.slope += ((double)row[votes->label[j]] - 0.5) * alpha;
            of.curve += curvature(x, exp(-fabs(x))) * alpha * alpha;
        }
        const double before = log(model->easiness[i]), b = best_easiness(&of, before);
        moved = fmax(moved, fabs(b - before));
        model->easiness[i] = exp(b);
    }
    model->moved[0][range->chunk] = moved;
}

static void update_abilities(void *context, const struct sl_em_range *range)
{
    struct glad *model = context;
    size_t n_classes = model->votes->n_classes;
    double moved = 0;
    for (size_t a = range->begin; a < range->end; a++) {
        double slope = mean_of_ability(model, a), curve = 1;
        for (size_t j = model->index.begin[a]; j < model->index.begin[a + 1]; j++) {
            size_t item = model->index.item[j];
            double p = (double)model->state->posterior[item * n_classes + model->index.label[j]];
            double u = model->easiness[item], x = model->alpha[a] * u;
            slope += (p - 0.5) * u;
            curve += curvature(x, exp(-fabs(x))) * u * u;
        }
        moved = fmax(moved, fabs(slope / curve - model->alpha[a]));
        model->alpha[a] = slope / curve;
    }
    model->moved[1][range->chunk] = moved;
}

/* Both steps, as often as asked for or until nothing moves much. */
static void maximise(struct glad *model)
{
    const struct sl_crowd_options *options = model->options;
    double moved = HUGE_VAL;
    for (size_t step = 0; step < options->glad.steps && moved >= options->glad.accuracy; step++) {
        sl_em_run(model->votes->n_items, model->pool, update_easiness, model);
        sl_em_run(model->votes->n_annotators, model->pool, update_abilities, model);
        moved = 0;
        for (size_t chunk = 0; chunk < SL_CROWD_CHUNKS; chunk++)
            moved = fmax(moved, fmax(model->moved[0][chunk], model->moved[1][chunk]));
    }
}

static double log_prior_of_abilities(const struct glad *model)
{
    double sum = 0;
    for (size_t a = 0; a < model->votes->n_annotators; a++) {
        double distance = model->alpha[a] - mean_of_ability(model, a);
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
                                             : 1 / (1 + exp(-model->alpha[a] * exp(usual_mean)));
    }
}

/* Move alpha and b to the state. */
static void give_parameters(struct glad *model, struct sl_crowd_state *out)
{
    out->ability = model->alpha;
    out->easiness = model->easiness;
    model->alpha = model->easiness = NULL;
    for (size_t i = 0; i < model->votes->n_items; i++)
        out->easiness[i] = log(out->easiness[i]);
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
    double constant =
        model.class_score ? 0 : -(double)votes->n_items * log((double)votes->n_classes);
    while (out->n_iterations < options->max_iterations) {
        if (out->n_iterations > 0) maximise(&model);
        sl_em_run(votes->n_items, model.pool, expect, &model);
        double value = sl_em_sum(model.value) + constant + log_prior_of_abilities(&model);
        if (sl_em_step(out, value, sl_em_stop_of(options, votes->count), false)) break;
    }
    report_skill(&model);
    give_parameters(&model, out);
    sl_em_finish_votes(out, votes->begin, options);
out:
    release(&model);
    return status;
}
