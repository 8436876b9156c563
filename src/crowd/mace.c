/* MACE (Hovy, Berg-Kirkpatrick, Vaswani and Hovy 2013): an annotator knows an item's class with
 * probability theta, else spams, drawing a class from an own distribution xi. Trained by
 * variational Bayes with the hyper-parameters of the authors' program, or by EM; of several starts
 * the one with the highest bound is kept. docs/internals/crowd-methods.md has the equations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/crowd_internal.h"
#include "crowd/em.h"
#include "crowd/named.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"
#include "softlab/base/stats.h"

static const double strategy_prior = 10;    /* Dirichlet on xi, every class */
static const double total_smoothing = 0.01; /* EM: over the classes */

/* Starts that end in the same optimum differ by rounding: the first is kept, so that the order of
 * items does not choose. */
static const double real_gain = 1e-8;

struct mace {
    const struct sl_votes *votes;
    const struct sl_crowd_options *options;
    struct sl_crowd_state *state;
    double *knowing; /* owned; (n_annotators, 2): log theta, log(1 - theta) */
    double *spammed; /* owned; (n_annotators, K): log((1 - theta) xi); first log xi */
    double *gain;    /* owned; (n_annotators, K): log(theta + (1 - theta) xi) minus that */
    double *known;   /* owned; (n_annotators, K): probability that a named true class was known */
    double *scores;  /* owned; (threads, apart) */
    int64_t *spam; /* owned; (threads, spam_apart), of which (n_annotators, K): answers expected to
                      be spam */
    double *penalty; /* owned; (n_annotators, 2): of theta and xi, in the bound */
    size_t *answers; /* owned; n_annotators */
    double smoothing;
    double know_prior, spam_prior, strategy_prior; /* counts added to those of the answers */
    size_t threads, apart, spam_apart;
    double likelihood[SL_CROWD_CHUNKS];
};

static void release(struct mace *model)
{
    free(model->knowing);
    free(model->spammed);
    free(model->gain);
    free(model->known);
    free(model->scores);
    free(model->spam);
    free(model->penalty);
    free(model->answers);
}

static enum sl_status init_model(struct mace *model, struct sl_error *err)
{
    const struct sl_votes *votes = model->votes;
    size_t n_classes = votes->n_classes, cells = votes->n_annotators * n_classes;
    model->knowing = sl_data_alloc(votes->n_annotators, 2 * sizeof *model->knowing, err);
    model->spammed = sl_data_alloc(cells, sizeof *model->spammed, err);
    model->gain = sl_data_alloc(cells, sizeof *model->gain, err);
    model->known = sl_data_alloc(cells, sizeof *model->known, err);
    model->spam_apart = sl_em_apart(cells, sizeof *model->spam);
    model->apart = sl_em_apart(n_classes, sizeof *model->scores);
    model->spam = sl_data_alloc(model->threads * model->spam_apart, sizeof *model->spam, err);
    model->scores = sl_data_alloc(model->threads * model->apart, sizeof *model->scores, err);
    model->penalty = sl_data_alloc(votes->n_annotators, 2 * sizeof *model->penalty, err);
    if (!model->knowing || !model->spammed || !model->gain || !model->known || !model->spam ||
        !model->scores || !model->penalty)
        return SL_ERR_NOMEM;
    return sl_named_counts(votes, &model->answers, err);
}

/* Theta near one half, or that of a resumed state. The authors' noise on xi is left out, since it
 * would make the result depend on the numbering of the classes. */
static void draw_start(struct mace *model, size_t restart)
{
    size_t n_classes = model->votes->n_classes;
    double uniform = -log((double)n_classes);
    for (size_t a = 0; a < model->votes->n_annotators; a++) {
        struct sl_rng rng;
        sl_rng_init(&rng, model->options->seed, "crowd.mace", restart, a);
        double spam = 1 + model->options->mace.noise * sl_rng_uniform(&rng);
        double know = 1 + model->options->mace.noise * sl_rng_uniform(&rng);
        double theta = sl_named_resumed(model->options, a, know / (know + spam));
        model->knowing[2 * a] = log(theta);
        model->knowing[2 * a + 1] = log(1 - theta);
        for (size_t k = 0; k < n_classes; k++)
            model->spammed[a * n_classes + k] = uniform;
    }
}

static void use_parameters(void *context, const struct sl_em_range *range)
{
    struct mace *model = context;
    size_t n_classes = model->votes->n_classes;
    for (size_t a = range->begin; a < range->end; a++) {
        double theta = exp(model->knowing[2 * a]);
        for (size_t c = a * n_classes; c < (a + 1) * n_classes; c++) {
            model->spammed[c] += model->knowing[2 * a + 1];
            double odds = theta * exp(-model->spammed[c]);
            model->gain[c] = log1p(odds);
            model->known[c] = odds / (1 + odds);
        }
    }
}

static void expect(void *context, const struct sl_em_range *range)
{
    struct mace *model = context;
    const struct sl_votes *votes = model->votes;
    size_t n_classes = votes->n_classes;
    double *scores = model->scores + range->worker * model->apart;
    int64_t *spam = model->spam + range->worker * model->spam_apart;
    double sum = 0;
    for (size_t i = range->begin; i < range->end; i++) {
        for (size_t k = 0; k < n_classes; k++)
            scores[k] = 0;
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1]; j++) {
            size_t cell = votes->annotator[j] * n_classes + votes->label[j];
            scores[votes->label[j]] += model->gain[cell];
            sum += model->spammed[cell];
        }
        float *row = model->state->posterior + i * n_classes;
        sum += sl_named_posterior(scores, n_classes, sl_em_gold(model->options, i), row);
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1]; j++) {
            size_t cell = votes->annotator[j] * n_classes + votes->label[j];
            spam[cell] += sl_em_units(1 - scores[votes->label[j]] * model->known[cell]);
        }
    }
    model->likelihood[range->chunk] = sum;
}

/* The expected spam of one annotator by class, into `counts`; returns its sum. */
static double spam_counts(const struct mace *model, size_t annotator, double *counts)
{
    size_t n_classes = model->votes->n_classes;
    double sum = 0;
    for (size_t k = 0; k < n_classes; k++) {
        int64_t units = 0;
        for (size_t t = 0; t < model->threads; t++)
            units += model->spam[t * model->spam_apart + annotator * n_classes + k];
        counts[k] = sl_em_count(units);
        sum += counts[k];
    }
    return sum;
}

/* A parameter of a Dirichlet prior with its functions, which many cells share. */
struct prior {
    double count, log_gamma, digamma;
};

static struct prior prior_of(double count)
{
    return (struct prior){count, sl_log_gamma(count), sl_digamma(count)};
}

/* One cell of a variational step; `all` is the digamma of the distribution's sum. Returns the
 * cell's part of the divergence. */
static double update_cell(double count, const struct prior *prior, double all, double *log_p)
{
    if (!(count > 0)) {
        *log_p = prior->digamma - all;
        return 0;
    }
    *log_p = sl_digamma(count + prior->count) - all;
    return prior->log_gamma - sl_log_gamma(count + prior->count) + count * *log_p;
}

/* Variational step for xi: exp(E[log p]) as logarithms. Returns the divergence of its Dirichlet
 * from the prior. */
static double update_strategy(const double *counts, size_t n, double *logs)
{
    const struct prior prior = prior_of(strategy_prior);
    double sum = (double)n * strategy_prior;
    for (size_t k = 0; k < n; k++)
        sum += counts[k];
    const double all = sl_digamma(sum);
    double divergence = sl_log_gamma(sum) - sl_log_gamma((double)n * strategy_prior);
    for (size_t k = 0; k < n; k++)
        divergence += update_cell(counts[k], &prior, all, &logs[k]);
    return divergence;
}

/* The same for theta, whose prior need not be symmetric. */
static double update_theta(const struct mace *model, double know, double spam, double *logs)
{
    const struct prior of_know = prior_of(model->know_prior), of_spam = prior_of(model->spam_prior);
    const double prior_sum = model->know_prior + model->spam_prior;
    const double sum = prior_sum + know + spam, all = sl_digamma(sum);
    double divergence = sl_log_gamma(sum) - sl_log_gamma(prior_sum);
    divergence += update_cell(know, &of_know, all, &logs[0]);
    return divergence + update_cell(spam, &of_spam, all, &logs[1]);
}

/* EM step for one distribution. Returns minus the log prior that smoothing stands for. */
static double update_point(const double *counts, size_t n, double smoothing, double *logs)
{
    double sum = (double)n * smoothing, penalty = 0;
    for (size_t k = 0; k < n; k++)
        sum += counts[k];
    for (size_t k = 0; k < n; k++) {
        double share = sum > 0 ? (counts[k] + smoothing) / sum : 1 / (double)n;
        logs[k] = share > 0 ? log(share) : log(1e-300);
        penalty -= smoothing * logs[k];
    }
    return penalty;
}

static void maximise_annotators(void *context, const struct sl_em_range *range)
{
    struct mace *model = context;
    const size_t n_classes = model->votes->n_classes;
    double *counts = model->scores + range->worker * model->apart;
    for (size_t a = range->begin; a < range->end; a++) {
        double *strategy = model->spammed + a * n_classes, *penalty = model->penalty + 2 * a;
        double spam = spam_counts(model, a, counts);
        double know = (double)model->answers[a] - spam;
        double split[2] = {know > 0 ? know : 0, spam};
        if (model->options->variational) {
            penalty[0] = update_theta(model, split[0], split[1], model->knowing + 2 * a);
            penalty[1] = update_strategy(counts, n_classes, strategy);
        } else {
            penalty[0] = update_point(split, 2, model->smoothing, model->knowing + 2 * a);
            penalty[1] = update_point(counts, n_classes, model->smoothing, strategy);
        }
    }
}

/* Returns what must be subtracted from the likelihood to get the bound. */
static double maximise(struct mace *model)
{
    double penalty = 0;
    sl_em_run(model->votes->n_annotators, model->options->pool, maximise_annotators, model);
    for (size_t i = 0; i < 2 * model->votes->n_annotators; i++)
        penalty += model->penalty[i];
    return penalty;
}

/* One start, trained. The same start always gives the same bits. */
static double train(struct mace *model, size_t restart)
{
    const struct sl_votes *votes = model->votes;
    struct sl_crowd_state *state = model->state;
    const size_t most = model->options->max_iterations;
    const struct sl_em_stop stop = sl_em_stop_of(model->options, votes->count);
    size_t spam_bytes = model->threads * model->spam_apart * sizeof *model->spam;
    double constant = -(double)votes->n_items * log((double)votes->n_classes), penalty = 0;
    draw_start(model, restart);
    state->n_iterations = 0;
    state->converged = false;
    for (size_t step = 0; step <= most; step++) {
        if (step > 0) penalty = maximise(model);
        sl_em_run(votes->n_annotators, model->options->pool, use_parameters, model);
        memset(model->spam, 0, spam_bytes);
        sl_em_run(votes->n_items, model->options->pool, expect, model);
        double bound = sl_em_sum(model->likelihood) + constant - penalty;
        if (step > 0 && sl_em_step(state, bound, stop, false)) break;
    }
    return state->n_iterations ? state->trace[state->n_iterations - 1] : 0;
}

/* The means of theta and xi, and the confusion matrix they make. */
static void report(struct mace *model)
{
    const size_t n_classes = model->votes->n_classes;
    const double xi_prior = model->strategy_prior;
    double *counts = model->scores;
    for (size_t a = 0; a < model->votes->n_annotators; a++) {
        double spam = spam_counts(model, a, counts), *xi = model->state->strategy + a * n_classes;
        double all = (double)model->answers[a] + (model->know_prior + model->spam_prior);
        double theta = all > 0 ? 1 - (spam + model->spam_prior) / all : 0.5;
        double strategy_sum = spam + (double)n_classes * xi_prior;
        model->state->skill[a] = theta < 0 ? 0 : theta;
        for (size_t k = 0; k < n_classes; k++)
            xi[k] =
                strategy_sum > 0 ? (counts[k] + xi_prior) / strategy_sum : 1 / (double)n_classes;
        for (size_t k = 0; model->state->confusion && k < n_classes * n_classes; k++) {
            double value = (1 - model->state->skill[a]) * xi[k % n_classes];
            if (k / n_classes == k % n_classes) value += model->state->skill[a];
            model->state->confusion[a * n_classes * n_classes + k] = (float)value;
        }
    }
}

enum sl_status sl_crowd_mace(const struct sl_votes *votes, const struct sl_crowd_options *options,
                             struct sl_crowd_state *out, struct sl_error *err)
{
    struct mace model = {.votes = votes,
                         .options = options,
                         .state = out,
                         .threads = sl_pool_threads(options->pool)};
    const bool bayes = options->variational;
    model.smoothing = sl_crowd_or(options->smoothing, total_smoothing / (double)votes->n_classes);
    model.know_prior = bayes ? options->mace.know_prior : model.smoothing;
    model.spam_prior = bayes ? options->mace.spam_prior : model.smoothing;
    model.strategy_prior = bayes ? strategy_prior : model.smoothing;
    enum sl_status status;
    struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    unsigned parts = SL_STATE_SKILL | SL_STATE_TRACE | SL_STATE_STRATEGY;
    if (options->confusions) parts |= SL_STATE_CONFUSION;
    SL_TRY_OUT(sl_crowd_state_alloc(out, size, parts, options->max_iterations, err));
    SL_TRY_OUT(init_model(&model, err));
    size_t n_starts = options->resume || options->restarts < 1 ? 1 : options->restarts;
    size_t best = 0;
    double best_bound = 0;
    for (size_t i = 0; i < n_starts; i++) {
        double bound = train(&model, i);
        if (i > 0 && !(bound > best_bound + real_gain * fabs(best_bound))) continue;
        best = i;
        best_bound = bound;
    }
    if (best + 1 != n_starts) train(&model, best);
    report(&model);
    sl_em_finish_votes(out, votes->begin, options);
out:
    release(&model);
    return status;
}
