#include "crowd/dirichlet/rises.h"

#include <math.h>
#include <stdlib.h>

#include "softlab/base/memory.h"
#include "softlab/base/stats.h"

enum {
    MOST_CELLS = 1 << 24, /* of the table: 128 MB, enough for single answers of 1,000 classes */
    PER_LOGARITHM = 16,   /* factors of a product that stays in the range of double */
};

static void mark_used(const struct sl_crowd_tallies *tallies, struct sl_tally_cell *cells,
                      uint64_t *used)
{
    for (size_t t = 0; t < tallies->count; t++) {
        const size_t n_cells = sl_tally_read(tallies, t, cells);
        uint64_t total = 0;
        for (size_t i = 0; i < n_cells; i++) {
            used[cells[i].class_index] |= UINT64_C(1) << cells[i].units % SL_TALLY_UNITS;
            total += cells[i].units;
        }
        used[tallies->n_classes] |= UINT64_C(1) << total % SL_TALLY_UNITS;
    }
}

enum sl_status sl_rises_init(struct sl_rises *rises, const struct sl_dirichlet *model,
                             const struct sl_crowd_tallies *tallies, struct sl_error *err)
{
    *rises = (struct sl_rises){.model = model, .step = tallies->whole ? SL_TALLY_UNITS : 1};
    const size_t per_count =
        2 * model->n_components * (model->n_classes + 1) * (SL_TALLY_UNITS / rises->step);
    size_t most = (size_t)tallies->most + 1;
    if (most > MOST_CELLS / per_count) most = MOST_CELLS / per_count;
    if (most < 2) return SL_OK;
    rises->table = sl_data_alloc(most * per_count, sizeof *rises->table, err);
    if (!rises->table) return SL_ERR_NOMEM;
    rises->most = most;
    rises->used = sl_alloc(model->n_classes + 1, sizeof *rises->used);
    struct sl_tally_cell *cells = sl_alloc(model->n_classes, sizeof *cells);
    mark_used(tallies, cells, rises->used);
    free(cells);
    return SL_OK;
}

void sl_rises_release(struct sl_rises *rises)
{
    free(rises->used);
    free(rises->table);
    *rises = (struct sl_rises){0};
}

/* The counts `fraction`, `fraction` + 1, ... of one class and component, which are `apart` doubles
 * from each other in the table. `sum` and `slope` are those of the fraction. */
static void fill_counts(const struct sl_rises *rises, double first, double sum, double slope,
                        double *row, size_t apart)
{
    const size_t n = rises->model->n_components;
    double product = 1;
    for (size_t m = 0; m < rises->most; m++, row += apart) {
        row[0] = m > 0 ? sum + log(product) : sum;
        row[n] = slope;
        product *= first + (double)m;
        slope += 1 / (first + (double)m);
        if (m % PER_LOGARITHM) continue;
        sum += log(product);
        product = 1;
    }
}

static void fill_class(void *context, size_t c, size_t worker)
{
    struct sl_rises *rises = context;
    const size_t n = rises->model->n_components, fractions = SL_TALLY_UNITS / rises->step;
    double *rows = rises->table + c * rises->most * fractions * 2 * n;
    (void)worker;
    for (size_t j = 0; j < n; j++) {
        const double alpha = rises->model->alpha[c * n + j];
        const double log_gamma = sl_log_gamma(alpha), digamma = sl_digamma(alpha);
        fill_counts(rises, alpha, 0, 0, rows + j, fractions * 2 * n);
        for (size_t f = 1; f < fractions; f++) {
            if (!(rises->used[c] >> f & 1)) continue;
            const double first = alpha + (double)f / (double)fractions;
            fill_counts(rises, first, sl_log_gamma(first) - log_gamma, sl_digamma(first) - digamma,
                        rows + f * 2 * n + j, fractions * 2 * n);
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
    if (units % rises->step == 0 && whole < rises->most) {
        const size_t per_class = rises->most * (SL_TALLY_UNITS / rises->step);
        return rises->table + (c * per_class + (size_t)units / rises->step) * 2 * n;
    }
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
