/* Bootstrap intervals over items, and comparisons of two models on the same items. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/eval_internal.h"
#include "softlab/base/memory.h"

/* A bootstrap of several measures; keeps the value of every measure in every resample. */
struct replication {
    const struct sl_metric *const *metrics;
    size_t n_metrics;
    const struct sl_metric_options *options;
    const struct sl_bootstrap_options *bootstrap;
    const struct sl_scored *models[2]; /* the second is subtracted from the first; or NULL */
    bool resamples, whole_rows;        /* what the measures need of the models' rows */
    double *items;            /* owned; (n_metrics, n) shares of rows, of measures with any */
    double *values;           /* owned; (n_metrics, n_resamples) */
    struct sl_scored **drawn; /* owned; per thread the drawn rows of each model; NULL: no measure
                                 needs them */
    size_t n_drawn;           /* two per thread */
};

static void copy_row(const struct sl_scored *from, size_t row, struct sl_scored *to, size_t at,
                     bool whole_rows)
{
    if (from->hard) to->hard[at] = from->hard[row];
    to->top[at] = from->top[row];
    to->second[at] = from->second[row];
    to->human_top[at] = from->human_top[row];
    to->human_second[at] = from->human_second[row];
    to->unique_second[at] = from->unique_second[row];
    to->confidence[at] = from->confidence[row];
    to->entropy[at] = from->entropy[row];
    to->human_entropy[at] = from->human_entropy[row];
    to->truth_score[at] = from->truth_score[row];
    to->choice_score[at] = from->choice_score[row];
    to->label_row[at] = from->label_row[row];
    if (!whole_rows) return;
    const size_t n_classes = from->n_classes, bytes = n_classes * sizeof *from->human;
    memcpy(to->predicted + at * n_classes, from->predicted + row * n_classes, bytes);
    memcpy(to->log_predicted + at * n_classes, from->log_predicted + row * n_classes, bytes);
    memcpy(to->human + at * n_classes, from->human + row * n_classes, bytes);
}

/* Copies rows in ascending confidence, so that the resample is sorted. */
static void draw_rows(const struct sl_scored *source, const uint32_t *times, bool whole_rows,
                      struct sl_scored *drawn)
{
    size_t at = 0;
    for (size_t i = 0; i < source->n; i++) {
        size_t row = source->by_confidence[i];
        for (uint32_t t = 0; t < times[row]; t++)
            copy_row(source, row, drawn, at++, whole_rows);
    }
}

static double mean_of_drawn(const double *items, const uint32_t *times, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if (times[i] > 0) sum += times[i] * items[i];
    return sum / (double)n;
}

/* The value of every measure in one resample. */
static void replicate(void *context, size_t worker, const uint32_t *times, double *out)
{
    const struct replication *replication = context;
    const size_t n = replication->models[0]->n;
    struct sl_scored *const *drawn = replication->drawn + 2 * worker;
    for (size_t m = 0; m < 2 && drawn[m]; m++)
        draw_rows(replication->models[m], times, replication->whole_rows, drawn[m]);
    for (size_t m = 0; m < replication->n_metrics; m++) {
        const struct sl_metric *metric = replication->metrics[m];
        if (metric->per_item) {
            out[m] = mean_of_drawn(replication->items + m * n, times, n);
        } else {
            out[m] = metric->value(drawn[0], replication->options);
            if (drawn[1]) out[m] -= metric->value(drawn[1], replication->options);
        }
    }
}

/* Room for the drawn rows of each thread. */
static enum sl_status make_room(struct replication *replication, struct sl_error *err)
{
    const size_t n = replication->models[0]->n;
    replication->n_drawn = 2 * sl_pool_threads(replication->options->pool);
    replication->drawn = sl_alloc(replication->n_drawn, sizeof *replication->drawn);
    for (size_t d = 0; d < replication->n_drawn; d++) {
        const struct sl_scored *source = replication->models[d % 2];
        if (!replication->resamples || !source) continue;
        SL_TRY(sl_eval_allocate(n, source->n_classes, source->hard != NULL, replication->whole_rows,
                                &replication->drawn[d], err));
        for (size_t i = 0; i < n; i++)
            replication->drawn[d]->by_confidence[i] = (uint32_t)i;
    }
    return SL_OK;
}

static enum sl_status prepare(struct replication *replication, struct sl_error *err)
{
    const struct sl_scored *source = replication->models[0];
    const size_t n = source->n, n_metrics = replication->n_metrics;
    replication->items = sl_data_alloc(n_metrics * n, sizeof *replication->items, err);
    if (!replication->items) return SL_ERR_NOMEM;
    for (size_t m = 0; m < n_metrics; m++) {
        const struct sl_metric *metric = replication->metrics[m];
        replication->resamples = replication->resamples || !metric->per_item;
        replication->whole_rows = replication->whole_rows || metric->whole_rows;
        for (size_t i = 0; metric->per_item && i < n; i++)
            replication->items[m * n + i] = metric->per_item(source, i, replication->options);
    }
    return make_room(replication, err);
}

/* Fill `values`. */
static enum sl_status run(struct replication *replication, struct sl_error *err)
{
    const struct sl_eval_resamples resamples = {.n_rows = replication->models[0]->n,
                                                .n_values = replication->n_metrics,
                                                .bootstrap = replication->bootstrap,
                                                .pool = replication->options->pool,
                                                .statistics = replicate,
                                                .context = replication};
    SL_TRY(prepare(replication, err));
    return sl_eval_resample(&resamples, &replication->values, err);
}

static void release(struct replication *replication)
{
    for (size_t d = 0; replication->drawn && d < replication->n_drawn; d++)
        sl_scored_destroy(replication->drawn[d]);
    free(replication->drawn);
    free(replication->items);
    free(replication->values);
}

enum sl_status sl_metrics_intervals(const struct sl_metric *const *metrics, size_t n_metrics,
                                    const struct sl_scored *scored,
                                    const struct sl_metric_options *options,
                                    const struct sl_bootstrap_options *bootstrap,
                                    struct sl_interval *out, struct sl_error *err)
{
    struct replication replication = {.metrics = metrics,
                                      .n_metrics = n_metrics,
                                      .options = options,
                                      .bootstrap = bootstrap,
                                      .models = {scored, NULL}};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(run(&replication, err));
    for (size_t m = 0; m < n_metrics; m++) {
        double *values = replication.values + m * bootstrap->n_resamples;
        size_t kept = sl_eval_drop_nan(values, bootstrap->n_resamples);
        out[m] =
            sl_eval_quantiles(values, kept, bootstrap->level, metrics[m]->value(scored, options));
    }
out:
    release(&replication);
    return status;
}

enum sl_status sl_metric_interval(const struct sl_metric *metric, const struct sl_scored *scored,
                                  const struct sl_metric_options *options,
                                  const struct sl_bootstrap_options *bootstrap,
                                  struct sl_interval *out, struct sl_error *err)
{
    return sl_metrics_intervals(&metric, 1, scored, options, bootstrap, out, err);
}

/* Exact two-sided test: if only one model is right on an item, either is equally likely to be it.
 */
static double mcnemar(const double *differences, size_t n)
{
    size_t more = 0, fewer = 0;
    for (size_t i = 0; i < n; i++) {
        more += differences[i] > 0;
        fewer += differences[i] < 0;
    }
    const size_t both = more + fewer, least = more < fewer ? more : fewer;
    if (2 * least == both) return 1;
    /* P(X <= least) for X binomial (both, 1/2). */
    return fmin(2 * sl_incomplete_beta((double)(both - least), (double)least + 1, 0.5), 1);
}

static double student(const struct sl_interval *mean, const double *differences, size_t n)
{
    const double error = sl_sd(differences, n) / sqrt((double)n);
    if (error == 0) return mean->estimate == 0 ? 1 : 0;
    return 2 * sl_student_t_cdf(-fabs(mean->estimate / error), (double)n - 1);
}

/* A measure that is a mean over items. */
static enum sl_status compare_items(const struct sl_metric *metric, const struct sl_scored *a,
                                    const struct sl_scored *b,
                                    const struct sl_metric_options *options, double level,
                                    struct sl_paired *out, struct sl_error *err)
{
    double *differences = sl_data_alloc(a->n, sizeof *differences, err);
    if (!differences) return SL_ERR_NOMEM;
    bool binary = true;
    for (size_t i = 0; i < a->n; i++) {
        const double of_a = metric->per_item(a, i, options), of_b = metric->per_item(b, i, options);
        differences[i] = of_a - of_b;
        binary = binary && (of_a == 0 || of_a == 1) && (of_b == 0 || of_b == 1);
    }
    out->difference = sl_mean_interval(differences, a->n, level);
    out->p = binary ? mcnemar(differences, a->n) : student(&out->difference, differences, a->n);
    out->test = binary ? "McNemar" : "paired t";
    free(differences);
    return SL_OK;
}

/* Twice the smaller share of resamples on one side of 0; at least the resolution of `count`. */
static double bootstrap_p(const double *values, size_t count)
{
    size_t below = 0, above = 0;
    for (size_t i = 0; i < count; i++) {
        below += values[i] <= 0;
        above += values[i] >= 0;
    }
    const size_t least = below < above ? below : above;
    return fmin(2 * (double)(least + 1) / (double)(count + 1), 1);
}

/* Measures that are no means over items, all on the same resamples. */
static enum sl_status compare_resamples(struct replication *replication,
                                        struct sl_paired *const *out, struct sl_error *err)
{
    const struct sl_bootstrap_options *bootstrap = replication->bootstrap;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(run(replication, err));
    for (size_t m = 0; m < replication->n_metrics; m++) {
        double *values = replication->values + m * bootstrap->n_resamples;
        size_t kept = sl_eval_drop_nan(values, bootstrap->n_resamples);
        out[m]->difference =
            sl_eval_quantiles(values, kept, bootstrap->level, out[m]->a - out[m]->b);
        out[m]->p = bootstrap_p(values, kept);
        out[m]->test = "paired bootstrap";
    }
out:
    release(replication);
    return status;
}

static enum sl_status check_same_items(const struct sl_scored *a, const struct sl_scored *b,
                                       struct sl_error *err)
{
    if (a->n != b->n || a->n_classes != b->n_classes)
        return sl_fail(err, SL_ERR_INPUT,
                       "one model was scored on (%zu, %zu) labels, the other on (%zu, %zu)", a->n,
                       a->n_classes, b->n, b->n_classes);
    for (size_t i = 0; i < a->n * a->n_classes; i++)
        if (a->human[i] != b->human[i])
            return sl_fail(err, SL_ERR_INPUT,
                           "the two models were scored against different labels in row %zu",
                           i / a->n_classes);
    return SL_OK;
}

enum sl_status sl_metrics_compare(const struct sl_metric *const *metrics, size_t n_metrics,
                                  const struct sl_scored *const models[2],
                                  const struct sl_metric_options *options,
                                  const struct sl_bootstrap_options *bootstrap,
                                  struct sl_paired *out, struct sl_error *err)
{
    const struct sl_scored *a = models[0], *b = models[1];
    SL_TRY(check_same_items(a, b, err));
    const struct sl_metric **others = sl_alloc(n_metrics, sizeof *others);
    struct sl_paired *paired = sl_alloc(n_metrics, sizeof *paired),
                     **of_others = sl_alloc(n_metrics, sizeof(struct sl_paired *));
    struct replication replication = {
        .metrics = others, .options = options, .bootstrap = bootstrap, .models = {a, b}};
    enum sl_status status = SL_OK;
    for (size_t m = 0; m < n_metrics; m++) {
        const struct sl_metric *metric = metrics[m];
        paired[m].a = metric->value(a, options);
        paired[m].b = metric->value(b, options);
        if (metric->per_item) {
            SL_TRY_OUT(compare_items(metric, a, b, options, bootstrap->level, &paired[m], err));
        } else {
            of_others[replication.n_metrics] = &paired[m];
            others[replication.n_metrics++] = metric;
        }
    }
    if (replication.n_metrics > 0) SL_TRY_OUT(compare_resamples(&replication, of_others, err));
    memcpy(out, paired, n_metrics * sizeof *out);
out:
    free(others);
    free(of_others);
    free(paired);
    return status;
}

enum sl_status sl_metric_compare(const struct sl_metric *metric, const struct sl_scored *a,
                                 const struct sl_scored *b, const struct sl_metric_options *options,
                                 const struct sl_bootstrap_options *bootstrap,
                                 struct sl_paired *out, struct sl_error *err)
{
    return sl_metrics_compare(&metric, 1, (const struct sl_scored *const[]){a, b}, options,
                              bootstrap, out, err);
}
