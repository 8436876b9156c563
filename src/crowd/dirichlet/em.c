/* EM for the levels, profiles and shares. The M step is a bound of Minka (2000): a rise
 * log(alpha ... (alpha + n - 1)) counts as `tau` draws of a class, its derivative times alpha. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/dirichlet/fit.h"
#include "crowd/em.h"
#include "softlab/base/memory.h"

/* The sums of a thread, in multiples of 2^-30 so that their order cannot change them: tau of every
 * class and component, then one row of slopes of the totals, one of shares, and the levels by bin.
 */
static size_t n_sums(const struct sl_dirichlet *model)
{
    const size_t n_bins = (size_t)SL_DIRICHLET_BINS * SL_DIRICHLET_LEVELS;
    return (model->n_classes + 2) * model->n_components + n_bins;
}

static const double NEGLIGIBLE = 0x1p-60; /* a share that is nothing after rounding */

static int64_t to_units(double value)
{
    return (int64_t)(value * 0x1p30 + 0.5);
}

enum sl_status sl_dirichlet_fit_init(struct sl_dirichlet_fit *fit, struct sl_error *err)
{
    const struct sl_dirichlet *model = fit->model;
    fit->threads = sl_pool_threads(fit->options->pool);
    fit->sums_apart = sl_em_apart(n_sums(model), sizeof *fit->sums);
    fit->work_apart =
        sl_em_apart(6 * model->n_components + 2 * model->n_classes, sizeof *fit->work);
    fit->sums = sl_data_alloc(fit->threads * fit->sums_apart, sizeof *fit->sums, err);
    fit->work = sl_data_alloc(fit->threads * fit->work_apart, sizeof *fit->work, err);
    fit->cells = sl_data_alloc(fit->threads * model->n_classes, sizeof *fit->cells, err);
    return fit->sums && fit->work && fit->cells ? SL_OK : SL_ERR_NOMEM;
}

void sl_dirichlet_fit_release(struct sl_dirichlet_fit *fit)
{
    sl_tallies_release(&fit->tallies);
    sl_rises_release(&fit->rises);
    free(fit->trust);
    free(fit->repeat);
    free(fit->sums);
    free(fit->work);
    free(fit->cells);
}

enum sl_status sl_dirichlet_count(struct sl_dirichlet_fit *fit, struct sl_error *err)
{
    sl_tallies_release(&fit->tallies);
    sl_rises_release(&fit->rises);
    SL_TRY(sl_tallies_create(&fit->source, &fit->tallies, err));
    return sl_rises_init(&fit->rises, fit->model, &fit->tallies, err);
}

/* ---- Expectation ---- */

/* Scores of the components for a tally. Returns the row of slopes of the total. */
static const double *score(const struct sl_dirichlet_fit *fit, const struct sl_tally_cell *cells,
                           size_t n_cells, double *scores, double *scratch)
{
    const size_t n = fit->model->n_components;
    uint64_t total = 0;
    memset(scores, 0, n * sizeof *scores);
    for (size_t i = 0; i < n_cells; i++) {
        const double *rise =
            sl_rises_get(&fit->rises, cells[i].class_index, cells[i].units, scratch);
        for (size_t j = 0; j < n; j++)
            scores[j] += rise[j];
        total += cells[i].units;
    }
    const double *rise = sl_rises_get(&fit->rises, fit->model->n_classes, total, scratch);
    for (size_t j = 0; j < n; j++)
        scores[j] -= rise[j];
    return rise + n;
}

/* What the answers to an item tell, if its class is not known. */
enum telling {
    TELLS_NOTHING, /* no answers */
    TELLS_CLASS,   /* one stated distribution: nobody to compare it with */
    TELLS_LEVEL,   /* also how alike people answer */
};

/* A lone click fits all levels alike. The shares of a lone stated distribution would count as
 * people who disagree, and draw all levels to where nobody agrees. */
static enum telling telling_of(const struct sl_tally_source *source,
                               const struct sl_tally_cell *cells, size_t n_cells)
{
    double units = 0;
    for (size_t i = 0; i < n_cells; i++)
        units += (double)cells[i].units;
    if (n_cells == 0) return TELLS_NOTHING;
    return source->rows && units <= ceil(source->row_weight * SL_TALLY_UNITS) ? TELLS_CLASS
                                                                              : TELLS_LEVEL;
}

/* The responsibilities of all items of a tally, when items have their own priors or known classes:
 * into `sum`. Leaves every item's class probabilities in the posterior, and counts levels by bin.
 * An item of which nothing is known adds nothing: it has the shares that the others have, and would
 * only keep them from moving. */
static double expect_items(struct sl_dirichlet_fit *fit, size_t tally, enum telling telling,
                           const double *scores, double *sum, double *work, int64_t *bins)
{
    const struct sl_dirichlet *model = fit->model;
    const size_t n = model->n_components, k = model->n_classes;
    double *weight = work, *prior = work + n, *belief = work + 2 * n, value = 0;
    memset(sum, 0, n * sizeof *sum);
    for (size_t i = fit->tallies.begin[tally]; i < fit->tallies.begin[tally + 1]; i++) {
        const size_t item = fit->tallies.items[i];
        const int32_t gold = sl_em_gold(fit->options, item);
        const float *prediction =
            fit->options->predictions ? fit->options->predictions + item * k : NULL;
        float *row = fit->state->posterior + item * k;
        memset(row, 0, k * sizeof *row);
        if (telling == TELLS_NOTHING && gold < 0) continue;
        const size_t bin = prediction ? sl_dirichlet_bin(model, prediction) : 0;
        if (prediction) sl_dirichlet_believe(prediction, k, model->sharpness, belief);
        for (size_t j = 0; j < n && prediction; j++)
            prior[j] =
                belief[j / SL_DIRICHLET_LEVELS] * model->level_share[bin][j % SL_DIRICHLET_LEVELS];
        const double likelihood =
            sl_dirichlet_weigh(scores, prediction ? prior : model->share, n, gold, weight);
        for (size_t j = 0; j < n; j++)
            row[j / SL_DIRICHLET_LEVELS] += (float)weight[j];
        if (telling == TELLS_CLASS && gold < 0) continue;
        value += likelihood;
        for (size_t j = 0; j < n; j++) {
            sum[j] += weight[j];
            bins[bin * SL_DIRICHLET_LEVELS + j % SL_DIRICHLET_LEVELS] += to_units(weight[j]);
        }
    }
    return value;
}

static void multiply(double *values, size_t count, double factor)
{
    for (size_t i = 0; i < count; i++)
        values[i] *= factor;
}

/* Add the draws of one class by the components; most have no share in an item. */
static void add_draws(const struct sl_dirichlet_fit *fit, struct sl_tally_cell cell,
                      const double *sum, double *scratch, int64_t *tau)
{
    const size_t n = fit->model->n_components;
    const double *alpha = fit->model->alpha + cell.class_index * n;
    const double *slope = sl_rises_get(&fit->rises, cell.class_index, cell.units, scratch) + n;
    for (size_t j = 0; j < n; j++)
        if (sum[j] > NEGLIGIBLE) tau[j] += to_units(sum[j] * alpha[j] * slope[j]);
}

static void expect(void *context, const struct sl_em_range *range)
{
    struct sl_dirichlet_fit *fit = context;
    const struct sl_dirichlet *model = fit->model;
    const size_t n = model->n_components, k = model->n_classes;
    double *scores = fit->work + range->worker * fit->work_apart, *sum = scores + n;
    double *scratch = scores + 2 * n, *work = scores + 4 * n;
    struct sl_tally_cell *cells = fit->cells + range->worker * k;
    int64_t *tau = fit->sums + range->worker * fit->sums_apart, *slopes = tau + k * n;
    int64_t *shares = slopes + n, *bins = shares + n;
    const bool own = fit->options->predictions || fit->options->gold;
    double value = 0;
    for (size_t t = range->begin; t < range->end; t++) {
        const size_t n_cells = sl_tally_read(&fit->tallies, t, cells);
        const enum telling telling = telling_of(&fit->source, cells, n_cells);
        if (telling != TELLS_LEVEL && !own) continue;
        const double *slope = score(fit, cells, n_cells, scores, scratch);
        const double items = (double)(fit->tallies.begin[t + 1] - fit->tallies.begin[t]);
        if (own)
            value += expect_items(fit, t, telling, scores, sum, work, bins);
        else
            value += items * sl_dirichlet_weigh(scores, model->share, n, -1, sum);
        if (!own) multiply(sum, n, items);
        for (size_t j = 0; j < n; j++) {
            shares[j] += to_units(sum[j]);
            slopes[j] += to_units(sum[j] * slope[j]);
        }
        for (size_t i = 0; i < n_cells; i++)
            add_draws(fit, cells[i], sum, scratch, tau + cells[i].class_index * n);
    }
    fit->value[range->chunk] = value;
}

/* ---- Maximisation ---- */

/* Add the sums of all threads to those of the first. */
static void gather(struct sl_dirichlet_fit *fit)
{
    for (size_t t = 1; t < fit->threads; t++)
        for (size_t i = 0; i < n_sums(fit->model); i++)
            fit->sums[i] += fit->sums[t * fit->sums_apart + i];
}

static void fit_levels(struct sl_dirichlet *model, const int64_t *tau, const int64_t *slopes)
{
    const size_t n = model->n_components;
    for (size_t t = 0; t < SL_DIRICHLET_LEVELS; t++) {
        const struct sl_dirichlet_level start = sl_dirichlet_start[t];
        int64_t all = 0, off = 0, slope = 0;
        for (size_t j = t; j < n; j += SL_DIRICHLET_LEVELS) {
            slope += slopes[j];
            for (size_t c = 0; c < model->n_classes; c++) {
                all += tau[c * n + j];
                if (c != j / SL_DIRICHLET_LEVELS) off += tau[c * n + j];
            }
        }
        model->concentration[t] =
            (sl_em_count(all) + 2) / (sl_em_count(slope) + 2 / start.concentration);
        model->spread[t] = (sl_em_count(off) + 2 * start.spread) / (sl_em_count(all) + 2);
    }
}

/* The draws of class c in place of class k, all levels together. */
static double confused(const struct sl_dirichlet *model, const int64_t *tau, size_t k, size_t c)
{
    const int64_t *cell = tau + c * model->n_components + k * SL_DIRICHLET_LEVELS;
    int64_t sum = 0;
    for (size_t t = 0; t < SL_DIRICHLET_LEVELS; t++)
        sum += cell[t];
    return sl_em_count(sum);
}

/* `pooled` (K) is scratch: how often each class is named in place of another. */
static void fit_profiles(struct sl_dirichlet *model, const int64_t *tau, double *pooled)
{
    const size_t k = model->n_classes;
    double all = 0;
    for (size_t c = 0; c < k; c++) {
        pooled[c] = 1;
        for (size_t own = 0; own < k; own++)
            if (own != c) pooled[c] += confused(model, tau, own, c);
        all += pooled[c];
    }
    for (size_t own = 0; own < k && k > 1; own++) {
        double *profile = model->profile + own * k, sum = 0;
        for (size_t c = 0; c < k; c++) {
            profile[c] =
                own == c ? 0 : confused(model, tau, own, c) + (double)(k - 1) * pooled[c] / all;
            sum += profile[c];
        }
        for (size_t c = 0; c < k; c++)
            profile[c] /= sum;
    }
}

/* shares ~ counts + 1 / number of levels. */
static void fit_shares(const int64_t *counts, size_t count, double *shares)
{
    double sum = 0;
    for (size_t j = 0; j < count; j++)
        sum += sl_em_count(counts[j]) + 1.0 / SL_DIRICHLET_LEVELS;
    for (size_t j = 0; j < count; j++)
        shares[j] = (sl_em_count(counts[j]) + 1.0 / SL_DIRICHLET_LEVELS) / sum;
}

static void maximise(struct sl_dirichlet_fit *fit)
{
    struct sl_dirichlet *model = fit->model;
    const size_t n = model->n_components, k = model->n_classes;
    gather(fit);
    const int64_t *tau = fit->sums, *slopes = tau + k * n, *shares = slopes + n, *bins = shares + n;
    fit_levels(model, tau, slopes);
    fit_profiles(model, tau, fit->work);
    fit_shares(shares, n, model->share);
    for (size_t bin = 0; fit->options->predictions && bin < SL_DIRICHLET_BINS; bin++)
        fit_shares(bins + bin * SL_DIRICHLET_LEVELS, SL_DIRICHLET_LEVELS, model->level_share[bin]);
    sl_dirichlet_use_levels(model);
}

static double sum_of_logs(const double *shares, size_t count)
{
    double sum = 0;
    for (size_t j = 0; j < count; j++)
        sum += log(shares[j]);
    return sum;
}

/* The logarithm of the priors of levels and shares, but for a constant. */
static double log_prior(const struct sl_dirichlet *model, bool predicted)
{
    double sum = 0;
    for (size_t t = 0; t < SL_DIRICHLET_LEVELS; t++) {
        const struct sl_dirichlet_level start = sl_dirichlet_start[t];
        const double s = model->concentration[t], spread = model->spread[t];
        sum += 2 * log(s) - 2 * s / start.concentration;
        sum += 2 * (start.spread * log(spread) + (1 - start.spread) * log1p(-spread));
    }
    for (size_t bin = 0; predicted && bin < SL_DIRICHLET_BINS; bin++)
        sum += sum_of_logs(model->level_share[bin], SL_DIRICHLET_LEVELS) / SL_DIRICHLET_LEVELS;
    if (!predicted) sum += sum_of_logs(model->share, model->n_components) / SL_DIRICHLET_LEVELS;
    return sum;
}

void sl_dirichlet_improve(struct sl_dirichlet_fit *fit, size_t rounds)
{
    const struct sl_crowd_options *options = fit->options;
    const struct sl_em_stop stop = sl_em_stop_of(options, fit->source.begin[fit->source.n_items]);
    double step = 1.5;
    for (size_t round = 0; round < rounds && fit->state->n_iterations < options->max_iterations;
         round++) {
        memset(fit->sums, 0, fit->threads * fit->sums_apart * sizeof *fit->sums);
        sl_rises_update(&fit->rises, options->pool);
        sl_em_run(fit->tallies.count, options->pool, expect, fit);
        const double value =
            sl_em_sum(fit->value) + log_prior(fit->model, options->predictions != NULL);
        if (sl_em_step(fit->state, value, stop, round == 0)) break;
        maximise(fit);
        if (options->predictions) sl_dirichlet_sharpen(fit, &step);
    }
}
