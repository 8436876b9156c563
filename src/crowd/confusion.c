#include "crowd/confusion.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/confusion_pass.h"
#include "crowd/em.h"
#include "crowd/stream.h"
#include "softlab/base/memory.h"

/* The least count of a cell, so that no logarithm of 0 is taken and the row of a class that an
 * annotator never met is uniform. */
static const double least_count = 1e-10;

/* Change of the class shares (sum of absolute differences) at which the hybrid turns hard. */
static const double settled_change = 0.005;

struct fit {
    struct sl_confusion_prior prior;
    const struct sl_crowd_options *options;
    struct sl_confusion_pass pass;
    struct sl_confusion_start start;
    size_t n_classes;
    /* Of the dense form: */
    const double *added; /* borrowed; start_counts while the first scores are made, or NULL */
    int64_t *units;      /* owned; K per worker, apart: an annotator's counts by true class */
    double *totals;      /* owned; likewise: the same with the prior */
    double *pseudo;      /* owned; likewise: the prior's part */
    double *penalties;   /* owned; n_annotators */
    struct sl_crowd_state *state; /* borrowed */
};

/* What a worker has for one annotator, K each. */
struct rows {
    int64_t *units;
    double *totals, *pseudo;
};

static struct rows rows_of(const struct fit *fit, size_t worker)
{
    const size_t offset = worker * sl_em_apart(fit->n_classes, sizeof(double));
    return (struct rows){fit->units + offset, fit->totals + offset, fit->pseudo + offset};
}

/* Counts of an annotator's own history. */
static double given_count(const struct fit *fit, size_t annotator, size_t truth, size_t said)
{
    const size_t cell = (annotator * fit->n_classes + truth) * fit->n_classes + said;
    double count = fit->options->prior ? fit->options->prior[cell] : 0;
    if (fit->added) count += fit->added[cell];
    return count;
}

static bool has_history(const struct fit *fit)
{
    return fit->options->prior || fit->added;
}

static double pseudo_count(const struct fit *fit, size_t annotator, size_t truth, size_t said)
{
    double count = fit->prior.smoothing + (truth == said ? fit->prior.diagonal : 0);
    if (has_history(fit)) count += given_count(fit, annotator, truth, said);
    return count;
}

/* An annotator's counts with the prior, summed over what was said. */
static void sum_rows(const struct fit *fit, size_t annotator, const struct rows *rows)
{
    const size_t n_classes = fit->n_classes;
    const int64_t *counts = fit->pass.counts + annotator * n_classes * n_classes;
    memset(rows->units, 0, n_classes * sizeof *rows->units);
    for (size_t said = 0; said < n_classes; said++)
        for (size_t k = 0; k < n_classes; k++)
            rows->units[k] += counts[said * n_classes + k];
    for (size_t k = 0; k < n_classes; k++) {
        rows->pseudo[k] = fit->prior.smoothing * (double)n_classes + fit->prior.diagonal;
        for (size_t said = 0; has_history(fit) && said < n_classes; said++)
            rows->pseudo[k] += given_count(fit, annotator, k, said);
        rows->totals[k] = rows->pseudo[k] + sl_em_count(rows->units[k]);
    }
}

/* Scores of an annotator's answers `said`; returns the prior's part of the objective. Most cells of
 * a large matrix are empty; without their own prior they share one score, `empty`. */
static double update_said(const struct fit *fit, size_t annotator, size_t said,
                          const double *totals, double empty)
{
    const struct sl_confusion_model *model = fit->prior.model;
    const size_t n_classes = fit->n_classes;
    const size_t offset = (annotator * n_classes + said) * n_classes;
    const int64_t *counts = fit->pass.counts + offset;
    float *table = fit->pass.table + offset;
    double penalty = 0, empty_scores = 0;
    for (size_t k = 0; k < n_classes; k++) {
        if (counts[k] == 0 && k != said && !has_history(fit)) {
            double score = empty - totals[k];
            empty_scores += score;
            table[k] = (float)score;
            continue;
        }
        double pseudo = pseudo_count(fit, annotator, k, said);
        double count = pseudo + sl_em_count(counts[k]);
        double score = model->score(count) - totals[k];
        penalty += model->penalty(count, pseudo, score);
        table[k] = (float)score;
    }
    return penalty + model->slope(fit->prior.smoothing, fit->prior.smoothing) * empty_scores;
}

static void update_annotators(void *context, const struct sl_em_range *range)
{
    struct fit *fit = context;
    const struct sl_confusion_model *model = fit->prior.model;
    const double empty = model->score(fit->prior.smoothing);
    const struct rows rows = rows_of(fit, range->worker);
    for (size_t a = range->begin; a < range->end; a++) {
        double penalty = 0;
        sum_rows(fit, a, &rows);
        for (size_t k = 0; k < fit->n_classes; k++) {
            penalty += model->penalty_total(rows.totals[k], rows.pseudo[k]);
            rows.totals[k] = model->score(rows.totals[k]);
        }
        for (size_t said = 0; said < fit->n_classes; said++)
            penalty += update_said(fit, a, said, rows.totals, empty);
        fit->penalties[a] = penalty;
    }
}

static double update_classes(struct fit *fit)
{
    const struct sl_confusion_model *model = fit->prior.model;
    const size_t n_classes = fit->n_classes;
    const double pseudo = fit->prior.class_smoothing;
    double total = 0;
    for (size_t k = 0; k < n_classes; k++)
        total += pseudo + sl_em_count(fit->pass.class_counts[k]);
    double penalty = model->penalty_total(total, pseudo * (double)n_classes);
    for (size_t k = 0; k < n_classes; k++) {
        double count = pseudo + sl_em_count(fit->pass.class_counts[k]);
        double score = model->score(count) - model->score(total);
        penalty += model->penalty(count, pseudo, score);
        fit->pass.class_score[k] = score;
    }
    return penalty;
}

/* All scores from the counts of the last pass; `*penalty` gets the prior's part of the
 * objective. */
static enum sl_status update_scores(struct fit *fit, double *penalty, struct sl_error *err)
{
    double of_annotators = 0;
    *penalty = update_classes(fit);
    if (fit->pass.sparse) {
        SL_TRY(sl_sparse_update(fit->pass.sparse, &of_annotators, err));
        *penalty += of_annotators;
        return SL_OK;
    }
    sl_em_run(fit->pass.votes->n_annotators, fit->pass.pool, update_annotators, fit);
    for (size_t a = 0; a < fit->pass.votes->n_annotators; a++)
        *penalty += fit->penalties[a];
    return SL_OK;
}

static void start_annotators(void *context, const struct sl_em_range *range)
{
    const struct fit *fit = context;
    for (size_t row = range->begin * fit->n_classes; row < range->end * fit->n_classes; row++)
        sl_confusion_start_row(&fit->start, row / fit->n_classes, row % fit->n_classes,
                               fit->pass.table + row * fit->n_classes);
}

/* The first counts. */
static enum sl_status make_first_counts(struct fit *fit, struct sl_error *err)
{
    fit->pass.source = SL_PASS_SHARES;
    if (fit->options->resume || fit->options->start == SL_START_DIAGONAL) {
        SL_TRY(sl_confusion_start_init(&fit->start, fit->options, fit->n_classes, err));
        sl_confusion_start_classes(&fit->start, fit->pass.class_score);
        fit->pass.source = SL_PASS_START;
        fit->pass.start = &fit->start;
        if (!fit->pass.sparse)
            sl_em_run(fit->pass.votes->n_annotators, fit->pass.pool, start_annotators, fit);
    }
    double unused;
    SL_TRY(sl_confusion_pass_run(&fit->pass, &unused, err));
    fit->pass.source = SL_PASS_SCORES;
    return SL_OK;
}

/* The class shares of the last pass. Returns how far they moved. */
static double move_class_shares(const struct fit *fit, double *shares)
{
    double total = 0, change = 0;
    for (size_t k = 0; k < fit->n_classes; k++)
        total += fit->prior.class_smoothing + sl_em_count(fit->pass.class_counts[k]);
    for (size_t k = 0; k < fit->n_classes; k++) {
        double share = fit->prior.class_smoothing + sl_em_count(fit->pass.class_counts[k]);
        change += fabs(share / total - shares[k]);
        shares[k] = share / total;
    }
    return change;
}

/* The first scores from the caller's counts, alone or beside those of the votes; `*penalty` is 0,
 * since these counts are no prior. */
static enum sl_status start_from_counts(struct fit *fit, double *penalty, struct sl_error *err)
{
    const bool alone = fit->options->start == SL_START_GIVEN;
    fit->added = alone ? NULL : fit->options->start_counts;
    SL_TRY(update_scores(fit, penalty, err));
    fit->added = NULL;
    *penalty = 0;
    if (!alone) return SL_OK;
    SL_TRY(sl_confusion_start_init(&fit->start, fit->options, fit->n_classes, err));
    sl_em_run(fit->pass.votes->n_annotators, fit->pass.pool, start_annotators, fit);
    return SL_OK;
}

static enum sl_status iterate(struct fit *fit, struct sl_crowd_state *out, struct sl_error *err)
{
    const struct sl_em_stop stop = sl_em_stop_of(fit->options, fit->pass.votes->count);
    const bool given = fit->options->start_counts != NULL;
    bool done = false, fresh = false;
    move_class_shares(fit, out->class_prior);
    fit->pass.hard = fit->prior.model->hardness == SL_HARD_ALWAYS;
    while (!done && out->n_iterations < fit->options->max_iterations) {
        double value, of_answers;
        SL_TRY(given && out->n_iterations == 0 ? start_from_counts(fit, &value, err)
                                               : update_scores(fit, &value, err));
        SL_TRY(sl_confusion_pass_run(&fit->pass, &of_answers, err));
        value += of_answers;
        done = sl_em_step(out, value, stop, fresh || (given && out->n_iterations == 1));
        SL_TRY(sl_stream_any(fit->options, &done, err));
        double change = move_class_shares(fit, out->class_prior);
        fresh = fit->prior.model->hardness == SL_HARD_SETTLED && !fit->pass.hard &&
                (change <= settled_change || done);
        if (fresh) fit->pass.hard = true;
        done = done && !fresh;
    }
    out->converged = done;
    return SL_OK;
}

static void report_annotators(void *context, const struct sl_em_range *range)
{
    const struct fit *fit = context;
    const size_t n_classes = fit->n_classes, n_cells = n_classes * n_classes;
    const struct sl_crowd_state *out = fit->state;
    const struct rows rows = rows_of(fit, range->worker);
    for (size_t a = range->begin; a < range->end; a++) {
        float *confusion = out->confusion + a * n_cells;
        sum_rows(fit, a, &rows);
        out->skill[a] = 0;
        for (size_t k = 0; k < n_classes; k++) {
            for (size_t said = 0; said < n_classes; said++) {
                double count = sl_em_count(fit->pass.counts[a * n_cells + said * n_classes + k]);
                count += pseudo_count(fit, a, k, said);
                confusion[k * n_classes + said] = (float)(count / rows.totals[k]);
            }
            out->skill[a] += out->class_prior[k] * (double)confusion[k * n_classes + k];
        }
    }
}

/* Skills and confusion matrices of the last counts; in the dense form these replace the table. */
static enum sl_status write_state(struct fit *fit, struct sl_crowd_state *out, struct sl_error *err)
{
    const size_t n_classes = fit->n_classes;
    const struct sl_votes *votes = fit->pass.votes;
    if (fit->pass.sparse) {
        if (fit->options->confusions) {
            out->confusion = sl_crowd_confusion_alloc(votes->n_annotators, n_classes,
                                                      sizeof *out->confusion, err);
            if (!out->confusion) return SL_ERR_NOMEM;
        }
        sl_sparse_report(fit->pass.sparse, out->class_prior, out->skill, out->confusion);
    } else {
        out->confusion = fit->pass.table;
        fit->pass.table = NULL;
        fit->state = out;
        sl_em_run(votes->n_annotators, fit->pass.pool, report_annotators, fit);
    }
    for (size_t i = 0; out->posterior && i < votes->n_items; i++)
        if (votes->begin[i] == votes->begin[i + 1] && sl_em_gold(fit->options, i) < 0)
            for (size_t k = 0; k < n_classes; k++)
                out->posterior[i * n_classes + k] = (float)out->class_prior[k];
    return SL_OK;
}

static double at_least(double pseudo)
{
    return pseudo > least_count ? pseudo : least_count;
}

static void init_prior(struct sl_confusion_prior *prior, const struct sl_confusion_model *model,
                       const struct sl_crowd_options *options)
{
    prior->model = model;
    prior->smoothing = at_least(sl_crowd_or(options->smoothing, model->smoothing));
    prior->diagonal = sl_crowd_or(options->diagonal, model->diagonal);
    prior->class_smoothing = at_least(sl_crowd_or(model->class_smoothing, prior->smoothing));
}

static enum sl_status init_dense(struct fit *fit, struct sl_error *err)
{
    const size_t n_rows = fit->pass.n_workers * sl_em_apart(fit->n_classes, sizeof(double));
    assert(fit->pass.votes);
    fit->units = sl_alloc(n_rows, sizeof *fit->units);
    fit->totals = sl_alloc(n_rows, sizeof *fit->totals);
    fit->pseudo = sl_alloc(n_rows, sizeof *fit->pseudo);
    fit->penalties = sl_data_alloc(fit->pass.votes->n_annotators, sizeof *fit->penalties, err);
    return fit->penalties ? SL_OK : SL_ERR_NOMEM;
}

/* All memory but that of the sparse form's entries. */
static enum sl_status init_fit(struct fit *fit, const struct sl_votes *votes,
                               struct sl_crowd_state *out, struct sl_error *err)
{
    const struct sl_crowd_options *options = fit->options;
    const struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    SL_TRY(sl_confusion_pass_init(&fit->pass, &fit->prior, votes, options, err));
    if (!fit->pass.sparse) SL_TRY(init_dense(fit, err));
    const unsigned parts = SL_STATE_SKILL | SL_STATE_TRACE | sl_stream_parts(options);
    return sl_crowd_state_alloc(out, size, parts, options->max_iterations, err);
}

enum sl_status sl_confusion_run(const struct sl_confusion_model *model,
                                const struct sl_votes *votes,
                                const struct sl_crowd_options *options, struct sl_crowd_state *out,
                                struct sl_error *err)
{
    struct fit fit = {.options = options, .n_classes = votes->n_classes};
    enum sl_status status = SL_OK;
    init_prior(&fit.prior, model, options);
    SL_TRY_OUT(sl_stream_agree(options, init_fit(&fit, votes, out, err), err));
    fit.pass.posterior = out->posterior;
    SL_TRY_OUT(make_first_counts(&fit, err));
    SL_TRY_OUT(iterate(&fit, out, err));
    if (options->stream)
        SL_TRY_OUT(
            sl_stream_rows(votes, options, fit.pass.pool, sl_confusion_pass_rows, &fit.pass, err));
    SL_TRY_OUT(write_state(&fit, out, err));
out:
    sl_confusion_pass_release(&fit.pass);
    sl_confusion_start_release(&fit.start);
    free(fit.units);
    free(fit.totals);
    free(fit.pseudo);
    free(fit.penalties);
    return status;
}
