/* The model's memory, and what it says about one item. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/dirichlet/dirichlet.h"
#include "crowd/em.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"

const struct sl_dirichlet_level sl_dirichlet_start[SL_DIRICHLET_LEVELS] = {
    {.spread = 0.01, .concentration = 60},
    {.spread = 0.08, .concentration = 15},
    {.spread = 0.35, .concentration = 6},
};

/* The share of a classifier's probability that is believed; the rest is spread evenly, so that
 * answers can overrule any prediction. */
static const double believed = 0.98;

void sl_dirichlet_destroy(struct sl_dirichlet *model)
{
    if (!model) return;
    free(model->profile);
    free(model->share);
    free(model->alpha);
    free(model);
}

static enum sl_status alloc_model(size_t n_classes, struct sl_dirichlet **out, struct sl_error *err)
{
    const size_t n_components = n_classes * SL_DIRICHLET_LEVELS;
    struct sl_dirichlet *model = sl_alloc(1, sizeof *model);
    model->n_classes = n_classes;
    model->n_components = n_components;
    model->profile = sl_data_alloc(n_classes, n_classes * sizeof *model->profile, err);
    model->share = sl_data_alloc(n_components, sizeof *model->share, err);
    model->alpha = sl_data_alloc(n_classes + 1, n_components * sizeof *model->alpha, err);
    if (!model->profile || !model->share || !model->alpha) {
        sl_dirichlet_destroy(model);
        return sl_fail(err, SL_ERR_NOMEM,
                       "not enough memory for the confusions of %zu classes with each other",
                       n_classes);
    }
    *out = model;
    return SL_OK;
}

enum sl_status sl_dirichlet_create(size_t n_classes, struct sl_dirichlet **out,
                                   struct sl_error *err)
{
    struct sl_dirichlet *model = NULL;
    SL_TRY(alloc_model(n_classes, &model, err));
    const double other = n_classes > 1 ? 1 / (double)(n_classes - 1) : 0;
    for (size_t own = 0; own < n_classes; own++)
        for (size_t c = 0; c < n_classes; c++)
            model->profile[own * n_classes + c] = own == c ? 0 : other;
    for (size_t j = 0; j < model->n_components; j++)
        model->share[j] = 1 / (double)model->n_components;
    for (size_t t = 0; t < SL_DIRICHLET_LEVELS; t++) {
        model->concentration[t] = sl_dirichlet_start[t].concentration;
        model->spread[t] = sl_dirichlet_start[t].spread;
        for (size_t bin = 0; bin < SL_DIRICHLET_BINS; bin++)
            model->level_share[bin][t] = 1.0 / SL_DIRICHLET_LEVELS;
    }
    model->sharpness = model->rich_weight = 1;
    model->spammers = 0.05;
    sl_dirichlet_use_levels(model);
    *out = model;
    return SL_OK;
}

void sl_dirichlet_assign(struct sl_dirichlet *to, const struct sl_dirichlet *from)
{
    const size_t k = from->n_classes, n_components = from->n_components;
    double *profile = to->profile, *share = to->share, *alpha = to->alpha;
    *to = *from;
    to->profile = memcpy(profile, from->profile, k * k * sizeof *profile);
    to->share = memcpy(share, from->share, n_components * sizeof *share);
    to->alpha = memcpy(alpha, from->alpha, (k + 1) * n_components * sizeof *alpha);
}

enum sl_status sl_dirichlet_copy(const struct sl_dirichlet *model, struct sl_dirichlet **out,
                                 struct sl_error *err)
{
    SL_TRY(alloc_model(model->n_classes, out, err));
    sl_dirichlet_assign(*out, model);
    return SL_OK;
}

void sl_dirichlet_use_levels(struct sl_dirichlet *model)
{
    const size_t k = model->n_classes, n_components = model->n_components;
    double *totals = model->alpha + k * n_components;
    memset(totals, 0, n_components * sizeof *totals);
    for (size_t c = 0; c < k; c++)
        for (size_t j = 0; j < n_components; j++) {
            const size_t own = j / SL_DIRICHLET_LEVELS, t = j % SL_DIRICHLET_LEVELS;
            const double spread = model->spread[t];
            const double part = own == c ? 1 - spread : spread * model->profile[own * k + c];
            model->alpha[c * n_components + j] = model->concentration[t] * part;
            totals[j] += model->concentration[t] * part;
        }
}

/* ---- One item ---- */

enum sl_status sl_dirichlet_view_init(struct sl_dirichlet_view *view,
                                      const struct sl_dirichlet *model, struct sl_error *err)
{
    const size_t k = model->n_classes, n_components = model->n_components;
    double *memory = sl_data_alloc(5 * k + 5 * n_components, sizeof *memory, err);
    if (!memory) return SL_ERR_NOMEM;
    *view = (struct sl_dirichlet_view){.model = model,
                                       .count = memory,
                                       .label = memory + k,
                                       .prior = memory + 2 * k,
                                       .weight = memory + 2 * k + n_components,
                                       .scratch = memory + 2 * k + 2 * n_components};
    memset(view->count, 0, k * sizeof *view->count);
    sl_dirichlet_expect(view, NULL);
    return SL_OK;
}

void sl_dirichlet_view_release(struct sl_dirichlet_view *view)
{
    free(view->count); /* the first of one piece of memory */
    *view = (struct sl_dirichlet_view){0};
}

size_t sl_dirichlet_bin(const struct sl_dirichlet *model, const float *prediction)
{
    const double confidence = (double)prediction[sl_largest(prediction, model->n_classes)];
    size_t bin = 0;
    while (bin < SL_DIRICHLET_BINS - 1 && confidence > model->confidence[bin])
        bin++;
    return bin;
}

void sl_dirichlet_believe(const float *prediction, size_t n_classes, double sharpness, double *out)
{
    const double least = 1e-12; /* log of a probability that a classifier calls zero */
    const double largest = (double)prediction[sl_largest(prediction, n_classes)];
    double sum = 0;
    for (size_t k = 0; k < n_classes; k++) {
        const double ratio = (double)prediction[k] / largest;
        out[k] = exp(sharpness * log(ratio > least ? ratio : least));
        sum += out[k];
    }
    for (size_t k = 0; k < n_classes; k++)
        out[k] = believed * out[k] / sum + (1 - believed) / (double)n_classes;
}

void sl_dirichlet_expect(struct sl_dirichlet_view *view, const float *prediction)
{
    const struct sl_dirichlet *model = view->model;
    if (!prediction) {
        memcpy(view->prior, model->share, model->n_components * sizeof *view->prior);
        return;
    }
    const double *levels = model->level_share[sl_dirichlet_bin(model, prediction)];
    sl_dirichlet_believe(prediction, model->n_classes, model->sharpness, view->scratch);
    for (size_t j = 0; j < model->n_components; j++)
        view->prior[j] = view->scratch[j / SL_DIRICHLET_LEVELS] * levels[j % SL_DIRICHLET_LEVELS];
}

double sl_dirichlet_weigh(const double *restrict score, const double *restrict prior,
                          size_t n_components, int32_t gold, double *restrict weight)
{
    const double lowest = -80; /* a smaller probability has no consequence */
    const size_t begin = gold < 0 ? 0 : (size_t)gold * SL_DIRICHLET_LEVELS;
    const size_t end = gold < 0 ? n_components : begin + SL_DIRICHLET_LEVELS;
    double largest = score[begin], sum = 0;
    for (size_t j = begin; j < end; j++)
        largest = score[j] > largest ? score[j] : largest;
    memset(weight, 0, n_components * sizeof *weight);
    for (size_t j = begin; j < end; j++) {
        const double below = score[j] - largest;
        weight[j] = below > lowest ? below : lowest;
    }
    for (size_t j = begin; j < end; j++) /* by itself, so that it is vectorised */
        weight[j] = sl_em_exp(weight[j]);
    for (size_t j = begin; j < end; j++) {
        weight[j] *= prior[j];
        sum += weight[j];
    }
    for (size_t j = begin; j < end; j++)
        weight[j] /= sum;
    return largest + log(sum);
}

/* log(alpha (alpha + 1) ... (alpha + n - 1)), for fractions n too. */
static double log_rise(double alpha, double n)
{
    return n == 1 ? log(alpha) : sl_log_gamma(alpha + n) - sl_log_gamma(alpha);
}

void sl_dirichlet_look(struct sl_dirichlet_view *view, int32_t gold)
{
    const struct sl_dirichlet *model = view->model;
    const size_t k = model->n_classes, n_components = model->n_components;
    const double *totals = model->alpha + k * n_components;
    double *score = view->scratch;
    view->total = 0;
    for (size_t c = 0; c < k; c++)
        view->total += view->count[c];
    for (size_t j = 0; j < n_components; j++)
        score[j] = view->total > 0 ? -log_rise(totals[j], view->total) : 0;
    for (size_t c = 0; c < k; c++)
        for (size_t j = 0; j < n_components && view->count[c] > 0; j++)
            score[j] += log_rise(model->alpha[c * n_components + j], view->count[c]);
    sl_dirichlet_weigh(score, view->prior, n_components, gold, view->weight);
    sl_dirichlet_label(view);
}

void sl_dirichlet_label(struct sl_dirichlet_view *view)
{
    const struct sl_dirichlet *model = view->model;
    const size_t k = model->n_classes, n_components = model->n_components;
    const double *totals = model->alpha + k * n_components;
    double *part = view->scratch, sum = 0;
    for (size_t j = 0; j < n_components; j++)
        part[j] = view->weight[j] / (totals[j] + view->total);
    for (size_t c = 0; c < k; c++) {
        const double *alpha = model->alpha + c * n_components;
        view->label[c] = 0;
        for (size_t j = 0; j < n_components; j++)
            view->label[c] += part[j] * (alpha[j] + view->count[c]);
        sum += view->label[c];
    }
    for (size_t c = 0; c < k; c++)
        view->label[c] /= sum; /* 1 but for rounding */
}
