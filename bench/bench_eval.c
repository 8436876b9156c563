/* The time of every measure over 10,000 items of 10 classes, compared with one exponential per
 * number, and the time of a bootstrap over all of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "eval_rows.h"
#include "softlab/base.h"
#include "softlab/eval.h"

enum { N_ITEMS = 10000, N_CLASSES = 10, REPEATS = 31, N_RESAMPLES = 100 };

static const double ceiling = 0.050; /* seconds that scoring with every measure may take */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double best_of(double *seconds, double took)
{
    if (!(*seconds <= took)) *seconds = took;
    return *seconds;
}

struct times {
    double create, measures, exponentials;
    double each[128]; /* per measure */
};

static enum sl_status run_once(const struct sl_rows *predictions, const struct sl_rows *labels,
                               struct times *times, struct sl_error *err)
{
    const struct sl_scored_options logits = {.logits = true};
    const struct sl_metric_options options = sl_metric_options_default();
    struct sl_scored *scored = NULL;
    double values[128], sum = 0, start = now();
    SL_TRY(sl_scored_create(predictions, labels, &logits, &scored, err));
    best_of(&times->create, now() - start);
    start = now();
    sl_metrics_all(scored, &options, values);
    best_of(&times->measures, now() - start);
    for (size_t m = 0; m < sl_metric_count(); m++) {
        start = now();
        sum += sl_metrics[m].value(scored, &options);
        best_of(&times->each[m], now() - start);
    }
    start = now();
    for (size_t i = 0; i < (size_t)N_ITEMS * N_CLASSES; i++)
        sum += exp(scored->log_predicted[i]);
    best_of(&times->exponentials, now() - start);
    sl_scored_destroy(scored);
    return isnan(sum) ? sl_fail(err, SL_ERR_NUMERIC, "a measure is not a number") : SL_OK;
}

static enum sl_status time_bootstrap(const struct sl_rows *predictions,
                                     const struct sl_rows *labels, double *seconds,
                                     struct sl_error *err)
{
    const struct sl_scored_options logits = {.logits = true};
    const struct sl_metric_options options = sl_metric_options_default();
    struct sl_bootstrap_options bootstrap = sl_bootstrap_options_default();
    const struct sl_metric *metrics[128];
    struct sl_interval intervals[128];
    struct sl_scored *scored = NULL;
    bootstrap.n_resamples = N_RESAMPLES;
    for (size_t m = 0; m < sl_metric_count(); m++)
        metrics[m] = &sl_metrics[m];
    SL_TRY(sl_scored_create(predictions, labels, &logits, &scored, err));
    double start = now();
    enum sl_status status = sl_metrics_intervals(metrics, sl_metric_count(), scored, &options,
                                                 &bootstrap, intervals, err);
    *seconds = now() - start;
    sl_scored_destroy(scored);
    return status;
}

static enum sl_status run(struct times *times, double *bootstrap, struct sl_error *err)
{
    struct sl_rows *predictions = NULL, *labels = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_rows_create(N_ITEMS, N_CLASSES, &predictions, err));
    SL_TRY_OUT(sl_rows_create(N_ITEMS, N_CLASSES, &labels, err));
    bench_fill_rows(predictions, true);
    bench_fill_rows(labels, false);
    for (size_t r = 0; r < REPEATS; r++)
        SL_TRY_OUT(run_once(predictions, labels, times, err));
    SL_TRY_OUT(time_bootstrap(predictions, labels, bootstrap, err));
out:
    sl_rows_destroy(predictions);
    sl_rows_destroy(labels);
    return status;
}

int main(void)
{
    struct times times = {.create = NAN, .measures = NAN, .exponentials = NAN};
    struct sl_error err;
    double bootstrap = 0;
    for (size_t m = 0; m < 128; m++)
        times.each[m] = NAN;
    if (run(&times, &bootstrap, &err) != SL_OK) {
        fprintf(stderr, "bench_eval: %s\n", err.message);
        return 1;
    }
    for (size_t m = 0; m < sl_metric_count(); m++)
        if (times.each[m] > 0.0005)
            printf("%-28s %7.2f ms\n", sl_metrics[m].name, 1e3 * times.each[m]);
    const double total = times.create + times.measures;
    printf(
        "%d x %d: %.1f ms to align and rank, %.1f ms for %zu measures; %.0f times one exponential "
        "each\n",
        N_ITEMS, N_CLASSES, 1e3 * times.create, 1e3 * times.measures, sl_metric_count(),
        total / times.exponentials);
    printf("bootstrap of every measure: %.2f ms per resample\n", 1e3 * bootstrap / N_RESAMPLES);
    printf("every measure within %.0f ms: %s\n", 1e3 * ceiling, total <= ceiling ? "yes" : "NO");
    return total <= ceiling ? 0 : 1;
}
