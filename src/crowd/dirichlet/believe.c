/* A classifier's probabilities as the prior of items. */
#include <math.h>
#include <stdlib.h>

#include "crowd/dirichlet/fit.h"
#include "crowd/em.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

enum sl_status sl_dirichlet_cut_bins(struct sl_dirichlet_fit *fit, struct sl_error *err)
{
    const size_t n_items = fit->source.n_items, k = fit->source.n_classes;
    float *confidence = sl_data_alloc(n_items + 1, sizeof *confidence, err);
    if (!confidence) return SL_ERR_NOMEM;
    for (size_t i = 0; i < n_items; i++) {
        const float *row = fit->options->predictions + i * k;
        confidence[i] = row[sl_largest(row, k)];
    }
    qsort(confidence, n_items, sizeof *confidence, ascending);
    for (size_t bin = 0; bin + 1 < SL_DIRICHLET_BINS && n_items > 0; bin++)
        fit->model->confidence[bin] =
            (double)confidence[(bin + 1) * n_items / SL_DIRICHLET_BINS % n_items];
    free(confidence);
    return SL_OK;
}

struct sharpness {
    struct sl_dirichlet_fit *fit;
    double value;
};

static void judge(void *context, const struct sl_em_range *range)
{
    const struct sharpness *tried = context;
    struct sl_dirichlet_fit *fit = tried->fit;
    const size_t k = fit->source.n_classes;
    double *belief = fit->work + range->worker * fit->work_apart, sum = 0;
    for (size_t i = range->begin; i < range->end; i++) {
        const float *row = fit->state->posterior + i * k;
        sl_dirichlet_believe(fit->options->predictions + i * k, k, tried->value, belief);
        for (size_t c = 0; c < k; c++)
            if (row[c] > 0) sum += (double)row[c] * log(belief[c]);
    }
    fit->value[range->chunk] = sum;
}

static double judged(struct sl_dirichlet_fit *fit, double sharpness)
{
    struct sharpness tried = {fit, sharpness};
    sl_em_run(fit->source.n_items, fit->options->pool, judge, &tried);
    return sl_em_sum(fit->value);
}

void sl_dirichlet_sharpen(struct sl_dirichlet_fit *fit, double *factor)
{
    const double least = 0.01, most = 100, now = fit->model->sharpness;
    const double more = now * *factor, less = now / *factor;
    const double here = judged(fit, now), above = judged(fit, more), below = judged(fit, less);
    if (above > here && above >= below && more <= most)
        fit->model->sharpness = more;
    else if (below > here && less >= least)
        fit->model->sharpness = less;
    else
        *factor = sqrt(*factor);
}
