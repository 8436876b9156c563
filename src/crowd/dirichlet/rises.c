#include "crowd/dirichlet/rises.h"

#include <math.h>
#include <stdlib.h>

#include "softlab/base/memory.h"
#include "softlab/base/stats.h"

enum {
    MOST_CELLS = 1 << 24, /* of the table: 128 MB, enough for single answers of 1,000 classes */
    PER_LOGARITHM = 16,   /* factors of a product that stays in the range of double */
};

enum sl_status sl_rises_init(struct sl_rises *rises, const struct sl_dirichlet *model,
                             const struct sl_crowd_tallies *tallies, struct sl_error *err)
{
    *rises = (struct sl_rises){.model = model};
    const size_t per_count = 2 * model->n_components * (model->n_classes + 1);
    size_t most = (size_t)tallies->most + 1;
    if (most > MOST_CELLS / per_count) most = MOST_CELLS / per_count;
    if (most < 2) return SL_OK;
    rises->table = sl_data_alloc(most * per_count, sizeof *rises->table, err);
    if (!rises->table) return SL_ERR_NOMEM;
    rises->most = most;
    return SL_OK;
}

void sl_rises_release(struct sl_rises *rises)
{
    free(rises->table);
    *rises = (struct sl_rises){0};
}

static void fill_class(void *context, size_t c, size_t worker)
{
    struct sl_rises *rises = context;
    const size_t n = rises->model->n_components;
    double *rows = rises->table + c * rises->most * 2 * n;
    (void)worker;
    for (size_t j = 0; j < n; j++) {
        const double alpha = rises->model->alpha[c * n + j];
        double product = 1, sum = 0, slope = 0;
        for (size_t m = 0; m < rises->most; m++) {
            rows[m * 2 * n + j] = m > 0 ? sum + log(product) : 0;
            rows[m * 2 * n + n + j] = slope;
            product *= alpha + (double)m;
            slope += 1 / (alpha + (double)m);
            if (m % PER_LOGARITHM) continue;
            sum += log(product);
            product = 1;
        }
    }
}

void sl_rises_update(struct sl_rises *rises, struct sl_pool *pool)
{
    if (rises->most) sl_pool_run(pool, rises->model->n_classes + 1, fill_class, rises);
}

/* A few whole answers: the definition is cheaper than two gamma functions. */
static void rise_by_factors(const double *alpha, size_t n, size_t count, double *out)
{
    for (size_t j = 0; j < n; j++) {
        double product = 1, slope = 0;
        for (size_t m = 0; m < count; m++) {
            product *= alpha[j] + (double)m;
            slope += 1 / (alpha[j] + (double)m);
        }
        out[j] = log(product);
        out[n + j] = slope;
    }
}

const double *sl_rises_get(const struct sl_rises *rises, size_t c, uint64_t units, double *scratch)
{
    const size_t n = rises->model->n_components;
    const uint64_t whole = units / SL_TALLY_UNITS;
    if (units % SL_TALLY_UNITS == 0 && whole < rises->most)
        return rises->table + (c * rises->most + (size_t)whole) * 2 * n;
    const double count = (double)units / SL_TALLY_UNITS;
    const double *alpha = rises->model->alpha + c * n;
    if (units % SL_TALLY_UNITS == 0 && whole <= PER_LOGARITHM) {
        rise_by_factors(alpha, n, (size_t)whole, scratch);
        return scratch;
    }
    for (size_t j = 0; j < n; j++) {
        scratch[j] = sl_log_gamma(alpha[j] + count) - sl_log_gamma(alpha[j]);
        scratch[n + j] = sl_digamma(alpha[j] + count) - sl_digamma(alpha[j]);
    }
    return scratch;
}
