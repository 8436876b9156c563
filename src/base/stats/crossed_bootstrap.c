/* Bootstrap over two crossed groupings (Owen's pigeonhole bootstrap, 2007): groups of each are
 * drawn with replacement, and a value counts (draws of its first group) x (draws of its second
 * group) times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/stats.h"

struct resampling {
    const struct sl_crossed *data;
    double *first, *second; /* owned; how often each group was drawn */
    double *weights;        /* owned; of values */
    double *sums, *totals;  /* owned; by group of the second grouping */
    size_t *order;          /* owned; values from the least to the greatest */
};

static void draw(const struct sl_bootstrap_options *options, const char *stream, uint64_t resample,
                 size_t n_groups, double *out)
{
    struct sl_rng rng;
    sl_rng_init(&rng, options->seed, stream, 0, resample);
    memset(out, 0, n_groups * sizeof *out);
    for (size_t i = 0; i < n_groups; i++)
        out[sl_rng_below(&rng, n_groups)]++;
}

static void weigh(struct resampling *r)
{
    const struct sl_crossed *data = r->data;
    for (size_t i = 0; i < data->count; i++) {
        const uint32_t second = data->second ? data->second[i] : SL_NO_GROUP;
        r->weights[i] = r->first[data->first[i]] * (second == SL_NO_GROUP ? 1 : r->second[second]);
    }
}

static double mean(const struct resampling *r)
{
    double sum = 0, total = 0;
    for (size_t i = 0; i < r->data->count; i++) {
        sum += r->weights[i] * r->data->values[i];
        total += r->weights[i];
    }
    return total > 0 ? sum / total : (double)NAN;
}

/* The value at a rank, from 0, if every value is repeated as often as it weighs. */
static double at_rank(const struct resampling *r, double rank)
{
    double before = 0;
    for (size_t i = 0; i < r->data->count; i++) {
        before += r->weights[r->order[i]];
        if (before > rank) return r->data->values[r->order[i]];
    }
    return (double)NAN;
}

static double median(const struct resampling *r)
{
    double total = 0;
    for (size_t i = 0; i < r->data->count; i++)
        total += r->weights[i];
    return (at_rank(r, floor((total - 1) / 2)) + at_rank(r, floor(total / 2))) / 2;
}

/* The mean over groups of the second grouping of the groups' own means. */
static double mean_of_means(const struct resampling *r)
{
    const struct sl_crossed *data = r->data;
    double sum = 0, total = 0;
    memset(r->sums, 0, data->n_second * sizeof *r->sums);
    memset(r->totals, 0, data->n_second * sizeof *r->totals);
    for (size_t i = 0; i < data->count; i++) {
        if (data->second[i] == SL_NO_GROUP) continue;
        r->sums[data->second[i]] += r->weights[i] * data->values[i];
        r->totals[data->second[i]] += r->weights[i];
    }
    for (size_t g = 0; g < data->n_second; g++) {
        if (!(r->totals[g] > 0)) continue;
        sum += r->second[g] * r->sums[g] / r->totals[g];
        total += r->second[g];
    }
    return total > 0 ? sum / total : (double)NAN;
}

static double (*const statistics[])(const struct resampling *r) = {
    [SL_CROSSED_MEAN] = mean,
    [SL_CROSSED_MEDIAN] = median,
    [SL_CROSSED_MEAN_OF_MEANS] = mean_of_means,
};

struct ranked {
    double value;
    size_t place;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

static enum sl_status put_in_order(struct resampling *r, struct sl_error *err)
{
    struct ranked *ranked = sl_data_alloc(r->data->count, sizeof *ranked, err);
    if (!ranked) return SL_ERR_NOMEM;
    for (size_t i = 0; i < r->data->count; i++)
        ranked[i] = (struct ranked){r->data->values[i], i};
    qsort(ranked, r->data->count, sizeof *ranked, compare_ranked);
    for (size_t i = 0; i < r->data->count; i++)
        r->order[i] = ranked[i].place;
    free(ranked);
    return SL_OK;
}

static enum sl_status allocate(struct resampling *r, struct sl_error *err)
{
    const struct sl_crossed *data = r->data;
    r->first = sl_data_alloc(data->n_first, sizeof *r->first, err);
    r->second = sl_data_alloc(data->n_second, sizeof *r->second, err);
    r->weights = sl_data_alloc(data->count, sizeof *r->weights, err);
    r->sums = sl_data_alloc(data->n_second, sizeof *r->sums, err);
    r->totals = sl_data_alloc(data->n_second, sizeof *r->totals, err);
    r->order = sl_data_alloc(data->count, sizeof *r->order, err);
    if (!r->first || !r->second || !r->weights || !r->sums || !r->totals || !r->order)
        return SL_ERR_NOMEM;
    return put_in_order(r, err);
}

static void set_all(double *counts, size_t n_groups)
{
    for (size_t i = 0; i < n_groups; i++)
        counts[i] = 1;
}

enum sl_status sl_bootstrap_crossed(enum sl_crossed_statistic statistic,
                                    const struct sl_crossed *data,
                                    const struct sl_bootstrap_options *options,
                                    struct sl_interval *out, struct sl_error *err)
{
    struct resampling r = {.data = data};
    double *replicates = NULL;
    size_t n_replicates = 0;
    enum sl_status status = SL_OK;
    *out = (struct sl_interval){(double)NAN, (double)NAN, (double)NAN};
    if (data->count == 0) return SL_OK;
    SL_TRY_OUT(allocate(&r, err));
    replicates = sl_data_alloc(options->n_resamples, sizeof *replicates, err);
    SL_TRY_OUT(replicates ? SL_OK : SL_ERR_NOMEM);
    for (size_t i = 0; i < options->n_resamples; i++) {
        draw(options, "bootstrap first", i, data->n_first, r.first);
        draw(options, "bootstrap second", i, data->n_second, r.second);
        weigh(&r);
        /* Possibly none of the values was drawn. */
        const double value = statistics[statistic](&r);
        if (!isnan(value)) replicates[n_replicates++] = value;
    }
    set_all(r.first, data->n_first);
    set_all(r.second, data->n_second);
    weigh(&r);
    *out = (struct sl_interval){
        .estimate = statistics[statistic](&r),
        .low = sl_quantile(replicates, n_replicates, (1 - options->level) / 2),
        .high = sl_quantile(replicates, n_replicates, (1 + options->level) / 2)};
out:
    free(replicates);
    free(r.first);
    free(r.second);
    free(r.weights);
    free(r.sums);
    free(r.totals);
    free(r.order);
    return status;
}
