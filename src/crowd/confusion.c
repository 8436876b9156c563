#include "crowd/confusion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/confusion_pass.h"
#include "crowd/em.h"
#include "softlab/base/memory.h"

/* The least count of a cell, so that no logarithm of 0 is taken and the row of a class that an
 * annotator never met is uniform. */
static const double least_count = 1e-10;

/* Change of the class shares (sum of absolute differences) at which the hybrid turns hard. */
static const double settled_change = 0.005;

struct fit {
    const struct sl_confusion_model *model;
    const struct sl_crowd_options *options;
    struct sl_confusion_pass pass;
    size_t n_classes;
    double smoothing, diagonal, class_smoothing;
    int64_t *units; /* owned; K: an annotator's counts by true class */
    double *totals; /* owned; K: the same with the prior */
    double *pseudo; /* owned; K: the prior's part */
};

static double pseudo_count(const struct fit *fit, size_t annotator, size_t truth, size_t said)
{
    const double *prior = fit->options->prior;
    double count = fit->smoothing + (truth == said ? fit->diagonal : 0);
    if (prior) count += prior[(annotator * fit->n_classes + truth) * fit->n_classes + said];
    return count;
}

/* An annotator's counts with the prior, summed over what was said. */
static void sum_rows(struct fit *fit, size_t annotator)
{
    const size_t n_classes = fit->n_classes;
    const int64_t *counts = fit->pass.counts + annotator * n_classes * n_classes;
    memset(fit->units, 0, n_classes * sizeof *fit->units);
    for (size_t said = 0; said < n_classes; said++)
        for (size_t k = 0; k < n_classes; k++)
            fit->units[k] += counts[said * n_classes + k];
    for (size_t k = 0; k < n_classes; k++) {
        fit->pseudo[k] = fit->smoothing * (double)n_classes + fit->diagonal;
        for (size_t said = 0; fit->options->prior && said < n_classes; said++)
            fit->pseudo[k] += fit->options->prior[(annotator * n_classes + k) * n_classes + said];
        fit->totals[k] = fit->pseudo[k] + sl_em_count(fit->units[k]);
    }
}

/* Scores of an annotator's answers `said`; returns the prior's part of the objective. Most cells of
 * a large matrix are empty; without their own prior they share one score, `empty`. */
static double update_said(const struct fit *fit, size_t annotator, size_t said, double empty)
{
    const struct sl_confusion_model *model = fit->model;
    const size_t n_classes = fit->n_classes;
    const size_t offset = (annotator * n_classes + said) * n_classes;
    const int64_t *counts = fit->pass.counts + offset;
    float *table = fit->pass.table + offset;
    double penalty = 0, empty_scores = 0;
    for (size_t k = 0; k < n_classes; k++) {
        if (counts[k] == 0 && k != said && !fit->options->prior) {
            double score = empty - fit->totals[k];
            empty_scores += score;
            table[k] = (float)score;
            continue;
        }
        double pseudo = pseudo_count(fit, annotator, k, said);
        double count = pseudo + sl_em_count(counts[k]);
        double score = model->score(count) - fit->totals[k];
        penalty += model->penalty(count, pseudo, score);
        table[k] = (float)score;
    }
    return penalty + model->empty_weight * fit->smoothing * empty_scores;
}

static double update_annotator(struct fit *fit, size_t annotator, double empty)
{
    double penalty = 0;
    sum_rows(fit, annotator);
    for (size_t k = 0; k < fit->n_classes; k++) {
        penalty += fit->model->penalty_total(fit->totals[k], fit->pseudo[k]);
        fit->totals[k] = fit->model->score(fit->totals[k]);
    }
    for (size_t said = 0; said < fit->n_classes; said++)
        penalty += update_said(fit, annotator, said, empty);
    return penalty;
}

static double update_classes(struct fit *fit)
{
    const struct sl_confusion_model *model = fit->model;
    const size_t n_classes = fit->n_classes;
    const double pseudo = fit->class_smoothing;
    double total = 0;
    for (size_t k = 0; k < n_classes; k++)
        total += pseudo + sl_em_count(fit->pass.class_counts[k]);
    double penalty = model->penalty_total(total, pseudo * (double)n_classes);
    for (size_t k = 0; k < n_classes; k++) {
        double count = pseudo + sl_em_count(fit->pass.class_counts[k]);
        fit->pass.class_score[k] = model->score(count) - model->score(total);
        penalty += model->penalty(count, pseudo, fit->pass.class_score[k]);
    }
    return penalty;
}

/* All scores from the counts of the last pass; returns the prior's part of the objective. */
static double update_scores(struct fit *fit)
{
    const double empty = fit->model->score(fit->smoothing);
    double penalty = update_classes(fit);
    for (size_t a = 0; a < fit->pass.votes->n_annotators; a++)
        penalty += update_annotator(fit, a, empty);
    return penalty;
}

static float log_probability(double probability)
{
    return (float)log(probability > least_count ? probability : least_count);
}

static void start_diagonal(struct fit *fit)
{
    const size_t n_classes = fit->n_classes;
    const double right = fit->options->start_diagonal;
    const double wrong = (1 - right) / (n_classes > 1 ? (double)(n_classes - 1) : 1);
    for (size_t i = 0; i < fit->pass.n_cells; i++)
        fit->pass.table[i] =
            log_probability(i / n_classes % n_classes == i % n_classes ? right : wrong);
    for (size_t k = 0; k < n_classes; k++)
        fit->pass.class_score[k] = -log((double)n_classes);
}

/* Scores of a saved state; new annotators start from the mean of the others. */
static enum sl_status start_resumed(struct fit *fit, const struct sl_crowd_state *state,
                                    struct sl_error *err)
{
    const size_t n_classes = fit->n_classes, n_cells = n_classes * n_classes;
    if (!state->confusion || !state->class_prior || state->n_annotators < 1)
        return sl_fail(err, SL_ERR_INPUT, "the saved state has no confusion matrices");
    float *mean = sl_data_alloc(n_cells, sizeof *mean, err);
    if (!mean) return SL_ERR_NOMEM;
    for (size_t i = 0; i < n_cells; i++) {
        double sum = 0;
        for (size_t a = 0; a < state->n_annotators; a++)
            sum += (double)state->confusion[a * n_cells + i];
        mean[i] = (float)(sum / (double)state->n_annotators);
    }
    for (size_t a = 0; a < fit->pass.votes->n_annotators; a++) {
        const float *source = a < state->n_annotators ? state->confusion + a * n_cells : mean;
        float *table = fit->pass.table + a * n_cells;
        for (size_t said = 0; said < n_classes; said++)
            for (size_t k = 0; k < n_classes; k++)
                table[said * n_classes + k] = log_probability((double)source[k * n_classes + said]);
    }
    for (size_t k = 0; k < n_classes; k++)
        fit->pass.class_score[k] = (double)log_probability(state->class_prior[k]);
    free(mean);
    return SL_OK;
}

/* The first counts. */
static enum sl_status make_first_counts(struct fit *fit, struct sl_error *err)
{
    if (fit->options->resume)
        SL_TRY(start_resumed(fit, fit->options->resume, err));
    else if (fit->options->start == SL_START_DIAGONAL)
        start_diagonal(fit);
    else
        fit->pass.shares = true;
    sl_confusion_pass_run(&fit->pass);
    fit->pass.shares = false;
    return SL_OK;
}

/* The class shares of the last pass. Returns how far they moved. */
static double move_class_shares(const struct fit *fit, double *shares)
{
    double total = 0, change = 0;
    for (size_t k = 0; k < fit->n_classes; k++)
        total += fit->class_smoothing + sl_em_count(fit->pass.class_counts[k]);
    for (size_t k = 0; k < fit->n_classes; k++) {
        double share = fit->class_smoothing + sl_em_count(fit->pass.class_counts[k]);
        change += fabs(share / total - shares[k]);
        shares[k] = share / total;
    }
    return change;
}

static void iterate(struct fit *fit, struct sl_crowd_state *out)
{
    bool done = false, fresh = false;
    move_class_shares(fit, out->class_prior);
    fit->pass.hard = fit->model->hardness == SL_HARD_ALWAYS;
    while (!done && out->n_iterations < fit->options->max_iterations) {
        double value = update_scores(fit);
        value += sl_confusion_pass_run(&fit->pass);
        done = sl_em_step(out, value, fit->options->tolerance, fresh);
        double change = move_class_shares(fit, out->class_prior);
        fresh = fit->model->hardness == SL_HARD_SETTLED && !fit->pass.hard &&
                (change <= settled_change || done);
        if (fresh) fit->pass.hard = true;
        done = done && !fresh;
    }
    out->converged = done;
}

/* Replace the table by the confusion matrices of the last counts. */
static void write_state(struct fit *fit, struct sl_crowd_state *out)
{
    const size_t n_classes = fit->n_classes, n_cells = n_classes * n_classes;
    const struct sl_votes *votes = fit->pass.votes;
    out->confusion = fit->pass.table;
    fit->pass.table = NULL;
    for (size_t a = 0; a < votes->n_annotators; a++) {
        float *confusion = out->confusion + a * n_cells;
        sum_rows(fit, a);
        out->skill[a] = 0;
        for (size_t k = 0; k < n_classes; k++) {
            for (size_t said = 0; said < n_classes; said++) {
                double count = sl_em_count(fit->pass.counts[a * n_cells + said * n_classes + k]);
                count += pseudo_count(fit, a, k, said);
                confusion[k * n_classes + said] = (float)(count / fit->totals[k]);
            }
            out->skill[a] += out->class_prior[k] * (double)confusion[k * n_classes + k];
        }
    }
    for (size_t i = 0; i < votes->n_items; i++)
        if (votes->begin[i] == votes->begin[i + 1] && sl_em_gold(fit->options, i) < 0)
            for (size_t k = 0; k < n_classes; k++)
                out->posterior[i * n_classes + k] = (float)out->class_prior[k];
}

static double at_least(double pseudo)
{
    return pseudo > least_count ? pseudo : least_count;
}

enum sl_status sl_confusion_run(const struct sl_confusion_model *model,
                                const struct sl_votes *votes,
                                const struct sl_crowd_options *options, struct sl_crowd_state *out,
                                struct sl_error *err)
{
    const struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    struct fit fit = {.model = model, .options = options, .n_classes = votes->n_classes};
    enum sl_status status = SL_OK;
    fit.smoothing = at_least(sl_crowd_or(options->smoothing, model->smoothing));
    fit.diagonal = sl_crowd_or(options->diagonal, model->diagonal);
    fit.class_smoothing = at_least(sl_crowd_or(model->class_smoothing, fit.smoothing));
    fit.units = sl_alloc(fit.n_classes, sizeof *fit.units);
    fit.totals = sl_alloc(fit.n_classes, sizeof *fit.totals);
    fit.pseudo = sl_alloc(fit.n_classes, sizeof *fit.pseudo);
    SL_TRY_OUT(sl_confusion_pass_init(&fit.pass, votes, options, err));
    SL_TRY_OUT(sl_crowd_state_alloc(out, size, SL_STATE_SKILL | SL_STATE_TRACE,
                                    options->max_iterations, err));
    fit.pass.posterior = out->posterior;
    SL_TRY_OUT(make_first_counts(&fit, err));
    iterate(&fit, out);
    write_state(&fit, out);
out:
    sl_confusion_pass_release(&fit.pass);
    free(fit.units);
    free(fit.totals);
    free(fit.pseudo);
    return status;
}
