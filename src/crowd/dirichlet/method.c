/* The two rows of the table of aggregators that fit this model: to votes and to distributions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/crowd_internal.h"
#include "crowd/dirichlet/fit.h"
#include "crowd/em.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"

enum {
    ROUNDS_AT_FIRST = 200, /* at least, before annotators are judged */
    ROUNDS_AGAIN = 100,    /* after their trust has changed */
    MOST_JUDGEMENTS = 4,
};

/* What a stated distribution may count as, in clicks, and what it counts if nobody answered the
 * same item as anybody else. */
static const double rich_weights[] = {0.5, 0.7, 1, 1.4, 2, 2.8, 4}, rich_weight_alone = 2;

/* ---- Fitting ---- */

/* How well the answers of others predict one that counts as `weight` clicks, from the same start
 * for every weight: with small ones the fit may end where nobody agrees with anybody, and would not
 * come back from there. */
static enum sl_status try_rich_weight(struct sl_dirichlet_fit *fit,
                                      const struct sl_dirichlet *start, double weight,
                                      double *agreed, struct sl_error *err)
{
    sl_dirichlet_assign(fit->model, start);
    fit->source.row_weight = weight;
    SL_TRY(sl_dirichlet_count(fit, err));
    sl_dirichlet_improve(fit, ROUNDS_AGAIN);
    SL_TRY(sl_dirichlet_leave_one_out(fit, agreed, err));
    return SL_OK;
}

/* The weight of a stated distribution with which the answers of others predict it best. */
static enum sl_status fit_rich_weight(struct sl_dirichlet_fit *fit, struct sl_error *err)
{
    double best = -HUGE_VAL, chosen = rich_weight_alone;
    struct sl_dirichlet *start = NULL;
    enum sl_status status = SL_OK;
    SL_TRY(sl_dirichlet_copy(fit->model, &start, err));
    for (size_t i = 0; i < sizeof rich_weights / sizeof *rich_weights; i++) {
        double agreed = 0;
        SL_TRY_OUT(try_rich_weight(fit, start, rich_weights[i], &agreed, err));
        if (agreed == 0) break; /* nothing was compared */
        if (!(agreed > best)) continue;
        best = agreed;
        chosen = rich_weights[i];
    }
    sl_dirichlet_assign(fit->model, start);
    fit->source.row_weight = fit->model->rich_weight = chosen;
out:
    sl_dirichlet_destroy(start);
    return status;
}

/* All rounds but those that judging annotators may need. */
static size_t rounds_at_first(const struct sl_dirichlet_fit *fit)
{
    const size_t kept = fit->state->n_iterations + (size_t)MOST_JUDGEMENTS * ROUNDS_AGAIN;
    const size_t most = fit->options->max_iterations;
    return most > kept + ROUNDS_AT_FIRST ? most - kept : ROUNDS_AT_FIRST;
}

static enum sl_status fit_model(struct sl_dirichlet_fit *fit, struct sl_error *err)
{
    SL_TRY(sl_dirichlet_fit_init(fit, err));
    fit->trust = sl_data_alloc(fit->n_annotators, sizeof *fit->trust, err);
    if (!fit->trust) return SL_ERR_NOMEM;
    for (size_t a = 0; a < fit->n_annotators; a++)
        fit->trust[a] = 1;
    fit->source.trust = fit->trust;
    SL_TRY(sl_dirichlet_find_repeats(fit, err));
    if (fit->options->predictions) SL_TRY(sl_dirichlet_cut_bins(fit, err));
    if (fit->source.rows) SL_TRY(fit_rich_weight(fit, err));
    SL_TRY(sl_dirichlet_count(fit, err));
    sl_dirichlet_improve(fit, rounds_at_first(fit));
    for (size_t i = 0; i < MOST_JUDGEMENTS; i++) {
        size_t changed = 0;
        SL_TRY(sl_dirichlet_trust(fit, &changed, err));
        if (changed == 0) break;
        SL_TRY(sl_dirichlet_count(fit, err));
        sl_dirichlet_improve(fit, ROUNDS_AGAIN);
    }
    return SL_OK;
}

/* ---- What the fitted model says about every item ---- */

struct describing {
    const struct sl_dirichlet_fit *fit;
    struct sl_dirichlet_view *views; /* one per thread */
    struct sl_tally_cell *cells;     /* (threads, K) */
};

static void describe_item(const struct sl_dirichlet_fit *fit, struct sl_dirichlet_view *view,
                          size_t item)
{
    const size_t k = fit->source.n_classes;
    struct sl_crowd_state *state = fit->state;
    const int32_t gold = sl_em_gold(fit->options, item);
    const float *prediction =
        fit->options->predictions ? fit->options->predictions + item * k : NULL;
    sl_dirichlet_expect(view, prediction);
    sl_dirichlet_look(view, gold);
    if (state->risk) state->risk[item] = gold < 0 ? sl_dirichlet_risk(view) : 0;
    if (state->gain) state->gain[item] = gold < 0 ? sl_dirichlet_gain(view) : 0;
    for (size_t c = 0; c < k; c++) {
        state->posterior[item * k + c] =
            gold < 0 ? (float)view->label[c] : (float)((size_t)gold == c);
        if (!state->low) continue;
        const struct sl_interval interval = sl_dirichlet_interval(view, c, 0.95);
        state->low[item * k + c] = gold < 0 ? (float)interval.low : (float)((size_t)gold == c);
        state->high[item * k + c] = gold < 0 ? (float)interval.high : (float)((size_t)gold == c);
    }
}

static void copy_item(struct sl_crowd_state *state, size_t from, size_t to)
{
    const size_t k = state->n_classes;
    memcpy(state->posterior + to * k, state->posterior + from * k, k * sizeof *state->posterior);
    if (state->risk) state->risk[to] = state->risk[from];
    if (state->gain) state->gain[to] = state->gain[from];
    if (!state->low) return;
    memcpy(state->low + to * k, state->low + from * k, k * sizeof *state->low);
    memcpy(state->high + to * k, state->high + from * k, k * sizeof *state->high);
}

static void describe(void *context, const struct sl_em_range *range)
{
    const struct describing *describing = context;
    const struct sl_dirichlet_fit *fit = describing->fit;
    const struct sl_crowd_tallies *tallies = &fit->tallies;
    struct sl_dirichlet_view *view = &describing->views[range->worker];
    struct sl_tally_cell *cells = describing->cells + range->worker * tallies->n_classes;
    const bool own = fit->options->gold || fit->options->predictions;
    for (size_t t = range->begin; t < range->end; t++) {
        sl_tally_counts(tallies, t, cells, view->count);
        for (size_t i = tallies->begin[t]; i < tallies->begin[t + 1]; i++)
            if (own || i == tallies->begin[t])
                describe_item(fit, view, tallies->items[i]);
            else
                copy_item(fit->state, tallies->items[tallies->begin[t]], tallies->items[i]);
    }
}

static enum sl_status describe_all(const struct sl_dirichlet_fit *fit, struct sl_error *err)
{
    struct describing describing = {
        .fit = fit,
        .views = sl_alloc(fit->threads, sizeof *describing.views),
        .cells = sl_alloc(fit->threads * fit->source.n_classes, sizeof *describing.cells)};
    enum sl_status status = SL_OK;
    for (size_t t = 0; t < fit->threads; t++)
        SL_TRY_OUT(sl_dirichlet_view_init(&describing.views[t], fit->model, err));
    sl_em_run(fit->tallies.count, fit->options->pool, describe, &describing);
out:
    for (size_t t = 0; t < fit->threads; t++)
        sl_dirichlet_view_release(&describing.views[t]);
    free(describing.views);
    free(describing.cells);
    return status;
}

/* The label of an item that nobody has answered. */
static void label_of_nobody(const struct sl_dirichlet *model, double *out)
{
    const size_t k = model->n_classes, n = model->n_components;
    for (size_t c = 0; c < k; c++) {
        out[c] = 0;
        for (size_t j = 0; j < n; j++)
            out[c] += model->share[j] * model->alpha[c * n + j] / model->alpha[k * n + j];
    }
}

static enum sl_status aggregate(const struct sl_tally_source *source, size_t n_annotators,
                                const struct sl_crowd_options *options, struct sl_crowd_state *out,
                                struct sl_error *err)
{
    const struct sl_crowd_size size = {source->n_items, n_annotators, source->n_classes};
    const unsigned parts = SL_STATE_TRACE | SL_STATE_SKILL | SL_STATE_WEIGHT |
                           (options->risks ? SL_STATE_RISK : 0) |
                           (options->intervals ? SL_STATE_INTERVALS : 0);
    struct sl_dirichlet_fit fit = {
        .source = *source, .options = options, .state = out, .n_annotators = n_annotators};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_crowd_state_alloc(out, size, parts, options->max_iterations, err));
    if (options->resume && options->resume->dirichlet)
        SL_TRY_OUT(sl_dirichlet_copy(options->resume->dirichlet, &out->dirichlet, err));
    else
        SL_TRY_OUT(sl_dirichlet_create(source->n_classes, &out->dirichlet, err));
    fit.model = out->dirichlet;
    SL_TRY_OUT(fit_model(&fit, err));
    SL_TRY_OUT(describe_all(&fit, err));
    memcpy(out->weight, fit.trust, n_annotators * sizeof *out->weight);
    memcpy(out->skill, fit.trust, n_annotators * sizeof *out->skill);
    label_of_nobody(fit.model, out->class_prior);
out:
    sl_dirichlet_fit_release(&fit);
    return status;
}

enum sl_status sl_crowd_dirichlet(const struct sl_votes *votes,
                                  const struct sl_crowd_options *options,
                                  struct sl_crowd_state *out, struct sl_error *err)
{
    const struct sl_tally_source source = {.begin = votes->begin,
                                           .n_items = votes->n_items,
                                           .n_classes = votes->n_classes,
                                           .annotator = votes->annotator,
                                           .label = votes->label};
    return aggregate(&source, votes->n_annotators, options, out, err);
}

enum sl_status sl_crowd_dirichlet_soft(const struct sl_soft_votes *votes,
                                       const struct sl_crowd_options *options,
                                       struct sl_crowd_state *out, struct sl_error *err)
{
    const struct sl_tally_source source = {.begin = votes->begin,
                                           .n_items = votes->n_items,
                                           .n_classes = votes->n_classes,
                                           .annotator = votes->annotator,
                                           .rows = votes->rows,
                                           .row_weight = 1};
    return aggregate(&source, votes->n_annotators, options, out, err);
}
