#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/label.h"

/* softmax(logits / T), or p^(1/T) renormalised, of one row. */
static enum sl_status soften(const float *values, size_t n_classes, enum sl_prediction_kind kind,
                             double temperature, double *out, struct sl_error *err)
{
    double largest = -(double)INFINITY, sum = 0;
    for (size_t k = 0; k < n_classes; k++) {
        double value = (double)values[k];
        if (!isfinite(value) || (kind == SL_PREDICTION_PROBABILITIES && value < 0))
            return sl_fail(err, SL_ERR_INPUT, "class %zu: expected a %s, got %g", k,
                           kind == SL_PREDICTION_LOGITS ? "logit" : "probability", value);
        out[k] = (kind == SL_PREDICTION_LOGITS ? value : log(value)) / temperature;
        largest = fmax(largest, out[k]);
    }
    if (!isfinite(largest)) return sl_fail(err, SL_ERR_INPUT, "all probabilities are 0");
    for (size_t k = 0; k < n_classes; k++) {
        out[k] = exp(out[k] - largest);
        sum += out[k];
    }
    for (size_t k = 0; k < n_classes; k++)
        out[k] /= sum;
    return SL_OK;
}

static enum sl_status check_names(char *const *first, char *const *other, size_t count,
                                  const char *what, size_t set, struct sl_error *err)
{
    for (size_t i = 0; first && other && i < count; i++)
        if (strcmp(first[i], other[i]) != 0)
            return sl_fail(err, SL_ERR_INPUT,
                           "set %zu: %s %zu is \"%s\", but \"%s\" in the first set", set, what, i,
                           other[i], first[i]);
    return SL_OK;
}

static enum sl_status check_sets(const struct sl_rows *const *sets, size_t n_sets,
                                 struct sl_error *err)
{
    if (n_sets == 0) return sl_fail(err, SL_ERR_USAGE, "an ensemble needs at least one set");
    for (size_t s = 1; s < n_sets; s++) {
        if (sets[s]->n_rows != sets[0]->n_rows || sets[s]->n_classes != sets[0]->n_classes)
            return sl_fail(
                err, SL_ERR_INPUT, "set %zu has the shape (%zu, %zu), the first set (%zu, %zu)", s,
                sets[s]->n_rows, sets[s]->n_classes, sets[0]->n_rows, sets[0]->n_classes);
        SL_TRY(check_names(sets[0]->items, sets[s]->items, sets[0]->n_rows, "item of row", s, err));
        SL_TRY(
            check_names(sets[0]->classes, sets[s]->classes, sets[0]->n_classes, "class", s, err));
    }
    return SL_OK;
}

struct ensemble {
    const struct sl_rows *const *sets;
    size_t n_sets;
    enum sl_prediction_kind kind;
    double temperature;
    double *scratch; /* owned; room for two rows */
};

/* The mean over sets of row `index`. */
static enum sl_status mean_row(const struct ensemble *ensemble, size_t index, float *out,
                               struct sl_error *err)
{
    size_t n_classes = ensemble->sets[0]->n_classes;
    double *row = ensemble->scratch, *sum = ensemble->scratch + n_classes;
    memset(sum, 0, n_classes * sizeof *sum);
    for (size_t s = 0; s < ensemble->n_sets; s++) {
        const float *values = ensemble->sets[s]->values + index * n_classes;
        enum sl_status status =
            soften(values, n_classes, ensemble->kind, ensemble->temperature, row, err);
        if (status != SL_OK) return sl_fail_within(err, status, "set %zu, row %zu", s, index);
        for (size_t k = 0; k < n_classes; k++)
            sum[k] += row[k];
    }
    for (size_t k = 0; k < n_classes; k++)
        out[k] = (float)(sum[k] / (double)ensemble->n_sets);
    return SL_OK;
}

enum sl_status sl_rows_ensemble(const struct sl_rows *const *sets, size_t n_sets,
                                enum sl_prediction_kind kind, double temperature,
                                struct sl_rows **out, struct sl_error *err)
{
    if (!(temperature > 0 && isfinite(temperature)))
        return sl_fail(err, SL_ERR_USAGE, "temperature is %g, expected more than 0", temperature);
    struct ensemble ensemble = {
        .sets = sets, .n_sets = n_sets, .kind = kind, .temperature = temperature};
    struct sl_rows *rows = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(check_sets(sets, n_sets, err));
    size_t n_classes = sets[0]->n_classes;
    ensemble.scratch = sl_alloc(2 * n_classes, sizeof *ensemble.scratch);
    SL_TRY_OUT(sl_rows_create(sets[0]->n_rows, n_classes, &rows, err));
    for (size_t i = 0; i < rows->n_rows; i++)
        SL_TRY_OUT(mean_row(&ensemble, i, rows->values + i * n_classes, err));
    SL_TRY_OUT(sl_names_copy(sets[0]->items, rows->n_rows, &rows->items, err));
    SL_TRY_OUT(sl_names_copy(sets[0]->classes, n_classes, &rows->classes, err));
    *out = rows;
    rows = NULL;
out:
    sl_rows_destroy(rows);
    free(ensemble.scratch);
    return status;
}
