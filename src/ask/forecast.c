/* What a campaign on new items is expected to reach, from a pilot. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/ask_internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"
#include "softlab/base/stats.h"

static const enum sl_ask_way ways[SL_ASK_ALLOCATIONS] = {SL_ASK_EQUAL, SL_ASK_GAIN};

struct sl_ask_forecast_options sl_ask_forecast_options_default(void)
{
    return (struct sl_ask_forecast_options){.n_simulated = 2000,
                                            .n_resimulated = 500,
                                            .n_resamples = 20,
                                            .wave = 0.3,
                                            .least_pilot = 30,
                                            .seed = 1};
}

/* ---- People as the model of the pilot has them ---- */

struct drawn {
    struct sl_dirichlet_view view; /* of the model that is the truth here */
    size_t n_items, n_classes;
    double *theta; /* (n_items, K) */
    double useful; /* the share of answers that are not given by chance */
    uint64_t seed;
    struct sl_ask_quality *quality; /* per budget; the mean over items */
};

static void draw_theta(const struct sl_dirichlet *model, uint64_t seed, size_t item, double *theta)
{
    struct sl_rng rng;
    double sum = 0;
    sl_rng_init(&rng, seed, "ask.theta", 0, item);
    const size_t j = sl_rng_categorical(&rng, model->share, model->n_components);
    for (size_t k = 0; k < model->n_classes; k++) {
        const double alpha = model->alpha[k * model->n_components + j];
        theta[k] = alpha > 0 ? sl_rng_gamma(&rng, alpha) : 0;
        sum += theta[k];
    }
    if (!(sum > 0)) theta[j / SL_DIRICHLET_LEVELS] = 1; /* tiny parameters may give only zeros */
}

/* An answer by chance is recognised and counts nothing: budgets shrink, labels stay clean. */
static size_t drawn_answer(void *context, size_t item, size_t before)
{
    const struct drawn *drawn = context;
    struct sl_rng rng;
    sl_rng_init(&rng, drawn->seed, "ask.answer", before, item);
    if (!(sl_rng_uniform(&rng) < drawn->useful)) return SIZE_MAX;
    return sl_rng_categorical(&rng, drawn->theta + item * drawn->n_classes, drawn->n_classes);
}

/* How far a label is expected to be from theta, which has the posterior that the true model gives
 * it: this varies less than the distance from the theta that was drawn. */
static void drawn_look(void *context, size_t budget, size_t item, const uint32_t *counts,
                       const double *label)
{
    (void)item;
    struct drawn *drawn = context;
    struct sl_dirichlet_view *view = &drawn->view;
    for (size_t k = 0; k < drawn->n_classes; k++)
        view->count[k] = counts[k];
    sl_dirichlet_look(view, -1);
    double risk = sl_dirichlet_risk(view), square = 1 - sl_dirichlet_disagreement(view);
    for (size_t k = 0; k < drawn->n_classes; k++) {
        const double q = view->label[k];
        if (q > 0) risk += q * log(q / label[k]);
        square += label[k] * label[k] - 2 * q * label[k];
    }
    drawn->quality[budget].risk += risk / (double)drawn->n_items;
    /* A distance of 0 may come out below it by rounding. */
    drawn->quality[budget].square += fmax(square, 0) / (double)drawn->n_items;
}

static enum sl_status simulate(const struct sl_ask_fit *fit, double useful, size_t n_items,
                               const struct sl_ask_forecast_options *options,
                               struct sl_ask_quality *quality[SL_ASK_ALLOCATIONS],
                               struct sl_pool *pool, struct sl_error *err)
{
    const size_t k = fit->model->n_classes, n_budgets = options->n_budgets;
    struct drawn drawn = {
        .n_items = n_items, .n_classes = k, .useful = useful, .seed = options->seed};
    const struct sl_ask_people people = {
        .n_items = n_items, .context = &drawn, .answer = drawn_answer, .look = drawn_look};
    struct sl_ask_campaign campaign = {
        .pilot = fit, .rule = sl_ask_rule_default(), .wave = options->wave, .n_budgets = n_budgets};
    size_t *budgets = sl_alloc(n_budgets + 1, sizeof *budgets);
    enum sl_status status = SL_OK;
    for (size_t b = 0; b < n_budgets; b++)
        budgets[b] = (size_t)ceil(options->budgets[b] * (double)n_items);
    campaign.budgets = budgets;
    campaign.rule.stop = 0;
    drawn.theta = sl_alloc(n_items * k + 1, sizeof *drawn.theta);
    for (size_t i = 0; i < n_items; i++)
        draw_theta(fit->model, options->seed, i, drawn.theta + i * k);
    SL_TRY_OUT(sl_dirichlet_view_init(&drawn.view, fit->model, err));
    sl_dirichlet_expect(&drawn.view, NULL);
    for (size_t a = 0; a < SL_ASK_ALLOCATIONS; a++) {
        campaign.rule.way = ways[a];
        drawn.quality = quality[a];
        memset(drawn.quality, 0, n_budgets * sizeof *drawn.quality);
        SL_TRY_OUT(sl_ask_campaign_run(&campaign, &people, pool, err));
    }
out:
    sl_dirichlet_view_release(&drawn.view);
    free(drawn.theta);
    free(budgets);
    return status;
}

/* ---- Resamples of the pilot's items ---- */

static enum sl_status resample(const struct sl_votes *votes, uint64_t seed, size_t number,
                               struct sl_votes *out, struct sl_error *err)
{
    struct sl_rng rng;
    size_t *chosen = sl_alloc(votes->n_items + 1, sizeof *chosen), count = 0;
    sl_rng_init(&rng, seed, "ask.resample", 0, number);
    for (size_t i = 0; i < votes->n_items; i++) {
        chosen[i] = sl_rng_below(&rng, votes->n_items);
        count += votes->begin[chosen[i] + 1] - votes->begin[chosen[i]];
    }
    *out = (struct sl_votes){.n_items = votes->n_items,
                             .n_annotators = votes->n_annotators,
                             .n_classes = votes->n_classes,
                             .count = count};
    out->begin = sl_data_alloc(votes->n_items + 1, sizeof *out->begin, err);
    out->annotator = sl_data_alloc(count + 1, sizeof *out->annotator, err);
    out->label = sl_data_alloc(count + 1, sizeof *out->label, err);
    const bool all = out->begin && out->annotator && out->label;
    for (size_t i = 0, at = 0; all && i <= votes->n_items; i++) {
        out->begin[i] = at;
        if (i == votes->n_items) break;
        const size_t from = votes->begin[chosen[i]], n = votes->begin[chosen[i] + 1] - from;
        memcpy(out->annotator + at, votes->annotator + from, n * sizeof *out->annotator);
        memcpy(out->label + at, votes->label + from, n * sizeof *out->label);
        at += n;
    }
    free(chosen);
    return all ? SL_OK : SL_ERR_NOMEM;
}

static void resampled_release(struct sl_votes *votes)
{
    free(votes->begin);
    free(votes->annotator);
    free(votes->label);
    *votes = (struct sl_votes){0};
}

/* The share of the pilot's answers that count, by their annotators' trust. */
static double mean_trust(const struct sl_ask_fit *fit, const struct sl_votes *votes)
{
    double sum = 0;
    for (size_t v = 0; v < votes->count; v++)
        sum += votes->annotator[v] == SL_NO_NAME ? 1 : fit->trust[votes->annotator[v]];
    return votes->count > 0 ? sum / (double)votes->count : 1;
}

/* ---- The forecast ---- */

/* What one fit foresees: quality per allocation and budget. */
struct foreseen {
    double variation, useful;
    struct sl_ask_quality *quality[SL_ASK_ALLOCATIONS]; /* owned; n_budgets */
};

static void foreseen_release(struct foreseen *foreseen)
{
    for (size_t a = 0; a < SL_ASK_ALLOCATIONS; a++)
        free(foreseen->quality[a]);
}

static enum sl_status foresee(const struct sl_votes *votes, size_t n_items,
                              const struct sl_ask_forecast_options *options, struct sl_pool *pool,
                              struct foreseen *out, struct sl_error *err)
{
    struct sl_ask_fit *fit = NULL;
    SL_TRY(sl_ask_fit_create(votes, NULL, NULL, pool, &fit, err));
    out->variation = fit->variation;
    out->useful = mean_trust(fit, votes);
    for (size_t a = 0; a < SL_ASK_ALLOCATIONS; a++)
        out->quality[a] = sl_alloc(options->n_budgets + 1, sizeof *out->quality[a]);
    const enum sl_status status =
        simulate(fit, out->useful, n_items, options, out->quality, pool, err);
    sl_ask_fit_destroy(fit);
    return status;
}

/* Around the estimate, by the spread of the resamples, since a few of them give no quantiles: of
 * their logarithms unless it is a share of 0 to 1, or one of them is 0. */
static struct sl_interval around(double estimate, double *values, size_t count, bool share)
{
    bool logarithms = !share && estimate > 0;
    for (size_t r = 0; r < count; r++)
        logarithms = logarithms && values[r] > 0;
    for (size_t r = 0; r < count && logarithms; r++)
        values[r] = log(values[r]);
    /* NaN below two resamples */
    const double t = sl_student_t_quantile(0.975, (double)count - 1);
    const double reach = t * sl_sd(values, count);
    if (logarithms)
        return (struct sl_interval){estimate, estimate * exp(-reach), estimate * exp(reach)};
    const double low = estimate - reach, high = estimate + reach;
    return (struct sl_interval){estimate, low < 0 ? 0 : low, share && high > 1 ? 1 : high};
}

static double ratio_of(const struct foreseen *foreseen, size_t budget)
{
    const double equal = foreseen->quality[SL_ASK_BY_EQUAL][budget].risk;
    return equal > 0 ? foreseen->quality[SL_ASK_BY_GAIN][budget].risk / equal : 1;
}

static void summarise(const struct foreseen *best, const struct foreseen *others, size_t count,
                      struct sl_ask_forecast *out)
{
    double *risk = sl_alloc(count + 1, sizeof *risk), *square = sl_alloc(count + 1, sizeof *square);
    for (size_t r = 0; r < count; r++)
        risk[r] = others[r].variation;
    out->variation = around(best->variation, risk, count, true);
    for (size_t b = 0; b < out->n_budgets; b++) {
        for (size_t a = 0; a < SL_ASK_ALLOCATIONS; a++) {
            for (size_t r = 0; r < count; r++) {
                risk[r] = others[r].quality[a][b].risk;
                square[r] = others[r].quality[a][b].square;
            }
            out->risk[a][b] = around(best->quality[a][b].risk, risk, count, false);
            out->square[a][b] = around(best->quality[a][b].square, square, count, false);
        }
        for (size_t r = 0; r < count; r++)
            risk[r] = ratio_of(&others[r], b);
        out->ratio[b] = around(ratio_of(best, b), risk, count, false);
    }
    free(risk);
    free(square);
}

void sl_ask_forecast_destroy(struct sl_ask_forecast *forecast)
{
    if (!forecast) return;
    free(forecast->budgets);
    for (size_t a = 0; a < SL_ASK_ALLOCATIONS; a++) {
        free(forecast->risk[a]);
        free(forecast->square[a]);
    }
    free(forecast->ratio);
    free(forecast);
}

static struct sl_ask_forecast *make_empty(const struct sl_ask_forecast_options *options)
{
    struct sl_ask_forecast *forecast = sl_alloc(1, sizeof *forecast);
    forecast->n_budgets = options->n_budgets;
    forecast->budgets = sl_alloc(options->n_budgets + 1, sizeof *forecast->budgets);
    memcpy(forecast->budgets, options->budgets, options->n_budgets * sizeof *options->budgets);
    for (size_t a = 0; a < SL_ASK_ALLOCATIONS; a++) {
        forecast->risk[a] = sl_alloc(options->n_budgets + 1, sizeof *forecast->risk[a]);
        forecast->square[a] = sl_alloc(options->n_budgets + 1, sizeof *forecast->square[a]);
    }
    forecast->ratio = sl_alloc(options->n_budgets + 1, sizeof *forecast->ratio);
    return forecast;
}

static size_t count_twice_answered(const struct sl_votes *votes)
{
    size_t count = 0;
    for (size_t i = 0; i < votes->n_items; i++)
        count += votes->begin[i + 1] - votes->begin[i] >= 2;
    return count;
}

static bool name_one_class(const struct sl_votes *votes)
{
    for (size_t v = 1; v < votes->count; v++)
        if (votes->label[v] != votes->label[0]) return false;
    return true;
}

static enum sl_status check(const struct sl_votes *pilot, size_t n_pilot,
                            const struct sl_ask_forecast_options *options, struct sl_error *err)
{
    if (n_pilot < options->least_pilot)
        return sl_fail(err, SL_ERR_INPUT,
                       "%zu %s two answers or more; a forecast needs at least %zu, and 200 for a "
                       "narrow interval",
                       n_pilot, n_pilot == 1 ? "item has" : "items have", options->least_pilot);
    if (name_one_class(pilot))
        return sl_fail(
            err, SL_ERR_INPUT,
            "all %zu answers name one class, so that nobody can say how people disagree; "
            "give a pilot with items of other classes",
            pilot->count);
    for (size_t b = 0; b < options->n_budgets; b++)
        if (!(options->budgets[b] > (b > 0 ? options->budgets[b - 1] : 0)))
            return sl_fail(err, SL_ERR_USAGE, "budgets must be positive and ascend, got %g",
                           options->budgets[b]);
    return SL_OK;
}

enum sl_status sl_ask_forecast_create(const struct sl_votes *pilot,
                                      const struct sl_ask_forecast_options *options,
                                      struct sl_pool *pool, struct sl_ask_forecast **out,
                                      struct sl_error *err)
{
    const size_t n_pilot = count_twice_answered(pilot), n_resamples = options->n_resamples;
    SL_TRY(check(pilot, n_pilot, options, err));
    struct sl_ask_forecast *forecast = make_empty(options);
    struct foreseen best = {0}, *others = sl_alloc(n_resamples + 1, sizeof *others);
    struct sl_votes votes = {0};
    enum sl_status status = SL_OK;
    forecast->n_pilot = n_pilot;
    sl_progress_start(options->progress, "simulate campaigns", n_resamples + 1, "pilots");
    SL_TRY_OUT(foresee(pilot, options->n_simulated, options, pool, &best, err));
    forecast->useful = best.useful;
    for (size_t r = 0; r < n_resamples; r++) {
        sl_progress_set(options->progress, r + 1);
        SL_TRY_OUT(resample(pilot, options->seed, r, &votes, err));
        /* The same streams as for the estimate, so that resamples differ by their fits alone. */
        SL_TRY_OUT(foresee(&votes, options->n_resimulated, options, pool, &others[r], err));
        resampled_release(&votes);
    }
    sl_progress_set(options->progress, n_resamples + 1);
    summarise(&best, others, n_resamples, forecast);
    *out = forecast;
    forecast = NULL;
out:
    sl_progress_finish(options->progress);
    resampled_release(&votes);
    foreseen_release(&best);
    for (size_t r = 0; r < n_resamples; r++)
        foreseen_release(&others[r]);
    free(others);
    sl_ask_forecast_destroy(forecast);
    return status;
}
