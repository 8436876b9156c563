/* Dawid and Skene's model with one number per annotator, the probability of saying the true class;
 * mistakes are spread evenly over the other classes. It has one cell per annotator, so it works
 * where confusion matrices would not fit in memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/crowd_internal.h"
#include "crowd/em.h"
#include "softlab/base/memory.h"

/* Skills stay away from 0 and 1, where one vote would outweigh all others forever. */
static const double own_smoothing = 0.01;
static const double least_count = 1e-10;

struct fit {
    const struct sl_votes *votes;
    const struct sl_crowd_options *options;
    double smoothing, right_smoothing;
    bool shares;
    size_t n_workers, apart, right_apart; /* and how far apart they write */
    double *gain;        /* owned; n_annotators: log odds of the named class over any other */
    double *base;        /* owned; n_annotators: log probability of a wrong class */
    size_t *n_answers;   /* owned; n_annotators */
    int64_t *right;      /* owned; (n_workers, right_apart) in units */
    int64_t *classes;    /* owned; (n_workers, apart) in units */
    double *row;         /* owned; (n_workers, apart) */
    double *class_score; /* owned; K */
    float *posterior;    /* borrowed */
    double chunk_value[SL_CROWD_CHUNKS];
};

static void release(struct fit *fit)
{
    free(fit->gain);
    free(fit->base);
    free(fit->n_answers);
    free(fit->right);
    free(fit->classes);
    free(fit->row);
    free(fit->class_score);
}

static enum sl_status init(struct fit *fit, struct sl_error *err)
{
    const size_t n_annotators = fit->votes->n_annotators, n_classes = fit->votes->n_classes;
    fit->gain = sl_data_alloc(n_annotators, sizeof *fit->gain, err);
    fit->base = sl_data_alloc(n_annotators, sizeof *fit->base, err);
    fit->n_answers = sl_data_alloc(n_annotators, sizeof *fit->n_answers, err);
    fit->apart = sl_em_apart(n_classes, sizeof *fit->classes);
    fit->right_apart = sl_em_apart(n_annotators, sizeof *fit->right);
    fit->right = sl_data_alloc(fit->right_apart * fit->n_workers, sizeof *fit->right, err);
    fit->classes = sl_alloc(fit->n_workers * fit->apart, sizeof *fit->classes);
    fit->row = sl_alloc(fit->n_workers * fit->apart, sizeof *fit->row);
    fit->class_score = sl_alloc(n_classes, sizeof *fit->class_score);
    if (!fit->gain || !fit->base || !fit->n_answers || !fit->right) return SL_ERR_NOMEM;
    memset(fit->n_answers, 0, n_annotators * sizeof *fit->n_answers);
    for (size_t v = 0; v < fit->votes->count; v++)
        fit->n_answers[fit->votes->annotator[v]]++;
    return SL_OK;
}

/* The item's log scores, or its vote shares. Returns the part of the scores that is common to all
 * classes. */
static double score_item(const struct fit *fit, size_t item, double *row)
{
    const struct sl_votes *votes = fit->votes;
    const size_t begin = votes->begin[item], end = votes->begin[item + 1];
    double common = 0;
    for (size_t k = 0; k < votes->n_classes; k++)
        row[k] = !fit->shares   ? fit->class_score[k]
                 : begin == end ? 1 / (double)votes->n_classes
                                : 0;
    for (size_t v = begin; v < end; v++) {
        if (fit->shares) {
            row[votes->label[v]] += 1 / (double)(end - begin);
        } else {
            row[votes->label[v]] += fit->gain[votes->annotator[v]];
            common += fit->base[votes->annotator[v]];
        }
    }
    return common;
}

/* Fill one item's row with its posterior; returns its log-likelihood. */
static double infer_item(const struct fit *fit, size_t item, double *row)
{
    const size_t n_classes = fit->votes->n_classes;
    const int32_t gold = sl_em_gold(fit->options, item);
    double value = score_item(fit, item, row);
    if (gold >= 0) {
        value += row[gold];
        for (size_t k = 0; k < n_classes; k++)
            row[k] = k == (size_t)gold;
    } else if (!fit->shares) {
        value += sl_em_normalise(row, 1, n_classes);
    }
    return value;
}

static void pass_chunk(void *context, const struct sl_em_range *range)
{
    struct fit *fit = context;
    const struct sl_votes *votes = fit->votes;
    const size_t n_classes = votes->n_classes;
    double *row = fit->row + range->worker * fit->apart;
    int64_t *right = fit->right + range->worker * fit->right_apart;
    int64_t *classes = fit->classes + range->worker * fit->apart;
    double value = 0;
    for (size_t i = range->begin; i < range->end; i++) {
        value += infer_item(fit, i, row);
        for (size_t v = votes->begin[i]; v < votes->begin[i + 1]; v++)
            right[votes->annotator[v]] += sl_em_units(row[votes->label[v]]);
        bool known = votes->begin[i] < votes->begin[i + 1] || sl_em_gold(fit->options, i) >= 0;
        for (size_t k = 0; k < n_classes; k++) {
            if (known) classes[k] += sl_em_units(row[k]);
            fit->posterior[i * n_classes + k] = (float)row[k];
        }
    }
    fit->chunk_value[range->chunk] = value;
}

static double run_pass(struct fit *fit)
{
    const size_t n_annotators = fit->votes->n_annotators, n_classes = fit->votes->n_classes;
    memset(fit->right, 0, fit->n_workers * fit->right_apart * sizeof *fit->right);
    memset(fit->classes, 0, fit->n_workers * fit->apart * sizeof *fit->classes);
    sl_em_run(fit->votes->n_items, fit->options->pool, pass_chunk, fit);
    for (size_t worker = 1; worker < fit->n_workers; worker++) {
        for (size_t a = 0; a < n_annotators; a++)
            fit->right[a] += fit->right[worker * fit->right_apart + a];
        for (size_t k = 0; k < n_classes; k++)
            fit->classes[k] += fit->classes[worker * fit->apart + k];
    }
    return sl_em_sum(fit->chunk_value);
}

static void set_skill(struct fit *fit, size_t annotator, double skill)
{
    const size_t n_classes = fit->votes->n_classes;
    double wrong = (1 - skill) / (n_classes > 1 ? (double)(n_classes - 1) : 1);
    wrong = wrong > least_count ? wrong : least_count;
    skill = skill > least_count ? skill : least_count;
    fit->base[annotator] = log(wrong);
    fit->gain[annotator] = log(skill) - log(wrong);
}

/* Pseudo-counts of an annotator's right and wrong answers: those of the cells of a confusion
 * matrix, summed. */
static void sum_prior(const struct fit *fit, size_t annotator, double *right, double *wrong)
{
    const size_t n_classes = fit->votes->n_classes, n_cells = n_classes * n_classes;
    const double *prior = fit->options->prior;
    *right = fit->right_smoothing;
    *wrong = fit->smoothing * (double)(n_classes - 1);
    for (size_t i = 0; prior && i < n_cells; i++)
        *(i / n_classes == i % n_classes ? right : wrong) += prior[annotator * n_cells + i];
}

/* Skills and class shares from the counts; returns the prior's part of the objective. */
static double update_skills(struct fit *fit, struct sl_crowd_state *out)
{
    const size_t n_classes = fit->votes->n_classes;
    double total = 0, penalty = 0;
    for (size_t a = 0; a < fit->votes->n_annotators; a++) {
        double prior_right, prior_wrong;
        sum_prior(fit, a, &prior_right, &prior_wrong);
        double right = sl_em_count(fit->right[a]) + prior_right;
        double all = (double)fit->n_answers[a] + prior_right + prior_wrong;
        out->skill[a] = right < all ? right / all : 1;
        set_skill(fit, a, out->skill[a]);
        penalty += prior_right * (fit->gain[a] + fit->base[a]) + prior_wrong * fit->base[a];
    }
    for (size_t k = 0; k < n_classes; k++)
        total += fit->smoothing + sl_em_count(fit->classes[k]);
    for (size_t k = 0; k < n_classes; k++) {
        out->class_prior[k] = (fit->smoothing + sl_em_count(fit->classes[k])) / total;
        fit->class_score[k] = log(out->class_prior[k]);
        penalty += fit->smoothing * fit->class_score[k];
    }
    return penalty;
}

/* Scores of a saved state or of the diagonal start; new annotators have the mean skill of the
 * others. */
static enum sl_status start_from_skills(struct fit *fit, struct sl_error *err)
{
    const struct sl_crowd_state *state = fit->options->resume;
    const size_t n_classes = fit->votes->n_classes;
    double mean = fit->options->start_diagonal;
    if (state && (!state->skill || !state->class_prior || state->n_annotators < 1))
        return sl_fail(err, SL_ERR_INPUT, "the saved state has no skills of annotators");
    for (size_t a = 0; state && a < state->n_annotators; a++)
        mean = (a ? mean : 0) + state->skill[a] / (double)state->n_annotators;
    for (size_t a = 0; a < fit->votes->n_annotators; a++)
        set_skill(fit, a, state && a < state->n_annotators ? state->skill[a] : mean);
    for (size_t k = 0; k < n_classes; k++) {
        double share = state ? state->class_prior[k] : 1 / (double)n_classes;
        fit->class_score[k] = log(share > least_count ? share : least_count);
    }
    return SL_OK;
}

static enum sl_status make_first_counts(struct fit *fit, struct sl_error *err)
{
    fit->shares = !fit->options->resume && fit->options->start == SL_START_SHARES;
    if (!fit->shares) SL_TRY(start_from_skills(fit, err));
    run_pass(fit);
    fit->shares = false;
    return SL_OK;
}

enum sl_status sl_crowd_ds_onecoin(const struct sl_votes *votes,
                                   const struct sl_crowd_options *options,
                                   struct sl_crowd_state *out, struct sl_error *err)
{
    const struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    struct fit fit = {
        .votes = votes, .options = options, .n_workers = sl_pool_threads(options->pool)};
    enum sl_status status = SL_OK;
    if (options->start_counts)
        return sl_fail(err, SL_ERR_USAGE,
                       "the method has one number per annotator and cannot start from counts");
    double smoothing = sl_crowd_or(options->smoothing, own_smoothing);
    fit.smoothing = smoothing > least_count ? smoothing : least_count;
    fit.right_smoothing = fit.smoothing + sl_crowd_or(options->diagonal, 0);
    SL_TRY_OUT(init(&fit, err));
    SL_TRY_OUT(sl_crowd_state_alloc(out, size, SL_STATE_SKILL | SL_STATE_TRACE,
                                    options->max_iterations, err));
    fit.posterior = out->posterior;
    SL_TRY_OUT(make_first_counts(&fit, err));
    for (bool done = false; !done && out->n_iterations < options->max_iterations;) {
        double value = update_skills(&fit, out);
        value += run_pass(&fit);
        done = sl_em_step(out, value, sl_em_stop_of(options, votes->count), false);
    }
    update_skills(&fit, out);
    for (size_t i = 0; i < votes->n_items; i++)
        if (votes->begin[i] == votes->begin[i + 1] && sl_em_gold(options, i) < 0)
            for (size_t k = 0; k < votes->n_classes; k++)
                out->posterior[i * votes->n_classes + k] = (float)out->class_prior[k];
out:
    release(&fit);
    return status;
}
