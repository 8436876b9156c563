/* Computes measures, their intervals and paired tests. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/scoring/evaluate.h"
#include "softlab/base/array.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

void sl_evaluation_init(struct sl_evaluation *run, const struct sl_eval_job *job,
                        const struct sl_workplace *workplace,
                        const struct sl_metric_options *options, size_t n_models)
{
    const size_t most = sl_metric_count();
    *run = (struct sl_evaluation){
        .job = job, .workplace = workplace, .options = *options, .n_models = n_models};
    run->metrics = sl_alloc(most, sizeof *run->metrics);
    run->models = sl_alloc(n_models + 1, sizeof *run->models);
    run->each = sl_alloc(n_models * most, sizeof *run->each);
    run->intervals = sl_alloc(most, sizeof *run->intervals);
}

enum sl_status sl_eval_choose_metrics(struct sl_evaluation *run, char *const *names,
                                      struct sl_error *err)
{
    const size_t count = sl_metric_count();
    const char **known = sl_alloc(count + 1, sizeof *known);
    bool *wanted = sl_alloc(count, sizeof *wanted);
    enum sl_status status = SL_OK;
    for (size_t m = 0; m < count; m++) {
        known[m] = sl_metrics[m].name;
        wanted[m] = !names;
    }
    for (size_t i = 0; names && names[i] && status == SL_OK; i++) {
        const struct sl_metric *metric = sl_metric_find(names[i]);
        const struct sl_metric *here = metric ? NULL : sl_metric_known_as(names[i]);
        char ending[SL_SUGGESTION_TEXT];
        if (metric)
            wanted[metric - sl_metrics] = true;
        else if (here)
            status = sl_fail(err, SL_ERR_USAGE, "--metrics: \"%s\" is called %s here", names[i],
                             here->name);
        else
            status = sl_fail(err, SL_ERR_USAGE, "--metrics: no measure \"%s\"%s", names[i],
                             sl_text_suggestion(names[i], known, ", see --list", ending));
    }
    for (size_t m = 0; m < count && status == SL_OK; m++)
        if (wanted[m]) run->metrics[run->n_metrics++] = &sl_metrics[m];
    free(known);
    free(wanted);
    return status;
}

static void measure_all(struct sl_evaluation *run)
{
    const size_t n_models = run->n_models, n_metrics = run->n_metrics;
    double *column = sl_alloc(n_models, sizeof *column);
    for (size_t m = 0; m < n_metrics; m++) {
        for (size_t i = 0; i < n_models; i++) {
            column[i] = run->metrics[m]->value(run->models[i].scored, &run->options);
            run->each[i * n_metrics + m] = column[i];
        }
        run->intervals[m] = sl_mean_interval(column, n_models, 0.95);
    }
    if (n_models > 1) run->interval = "95 %, Student's t over files";
    free(column);
}

struct sl_bootstrap_options sl_eval_bootstrap(const struct sl_eval_job *job)
{
    struct sl_bootstrap_options bootstrap = sl_bootstrap_options_default();
    bootstrap.n_resamples = job->bootstrap ? job->bootstrap : 1000;
    bootstrap.seed = job->seed;
    return bootstrap;
}

/* Intervals by bootstrap, or of the difference from the other model. */
static enum sl_status find_intervals(struct sl_evaluation *run, struct sl_error *err)
{
    const struct sl_eval_job *job = run->job;
    const struct sl_bootstrap_options bootstrap = sl_eval_bootstrap(job);
    struct sl_metric_options options = run->options;
    options.pool = run->workplace->pool;
    const struct sl_scored *const models[] = {run->models[0].scored,
                                              run->models[run->n_models].scored};
    if (job->against) {
        run->paired = sl_alloc(run->n_metrics, sizeof *run->paired);
        return sl_metrics_compare(run->metrics, run->n_metrics, models, &options, &bootstrap,
                                  run->paired, err);
    }
    if (!job->bootstrap) return SL_OK;
    run->interval = "95 %, bootstrap over items";
    return sl_metrics_intervals(run->metrics, run->n_metrics, run->models[0].scored, &options,
                                &bootstrap, run->intervals, err);
}

/* Whether a measure uses bins of --bin-size. */
static bool needs_bins(const struct sl_metric *metric)
{
    return metric->reads & SL_METRIC_READS_BIN_SIZE && !strstr(metric->name, "_corrected");
}

/* Labels aggregated from few answers often have ties. */
static void warn_of_ties(const struct sl_evaluation *run)
{
    const struct sl_evaluated_model *first = &run->models[0];
    const size_t n_models = run->n_models + (run->job->against != NULL);
    for (size_t i = 0; i < n_models; i++) {
        const struct sl_scored *scored = run->models[i].scored;
        sl_say_ties(run->workplace, run->models[i].path, scored->n_tied, scored->n,
                    scored->classes);
    }
    char *labels = sl_string_printf("the labels (%s)", first->labels);
    sl_say_ties(run->workplace, labels, first->scored->n_human_tied, first->scored->n,
                first->scored->classes);
    free(labels);
}

static void warn(const struct sl_evaluation *run)
{
    const struct sl_log *log = run->workplace->log;
    const size_t n = run->models[0].scored->n, bin_size = run->options.bin_size;
    bool binned = false;
    for (size_t m = 0; m < run->n_metrics; m++) {
        binned = binned || needs_bins(run->metrics[m]);
        if (isinf(run->intervals[m].estimate))
            sl_log(log, SL_LOG_WARNING,
                   "%s is infinite: the predictions give probability 0 to a class that annotators "
                   "chose",
                   run->metrics[m]->name);
    }
    if (binned && n < bin_size)
        sl_log(log, SL_LOG_WARNING,
               "%zu %s fewer than one bin of %zu, so the published calibration errors have no "
               "value; --bin-size makes bins smaller",
               n, sl_text_plural(n, "item is", "items are"), bin_size);
    else if (binned && n < 2 * bin_size)
        sl_log(log, SL_LOG_WARNING,
               "%zu %s fewer than two bins of %zu, so the published calibration errors are 0; "
               "--bin-size makes bins smaller",
               n, sl_text_plural(n, "item is", "items are"), bin_size);
}

enum sl_status sl_eval_measure(struct sl_evaluation *run, struct sl_error *err)
{
    measure_all(run);
    SL_TRY(find_intervals(run, err));
    warn(run);
    warn_of_ties(run);
    return SL_OK;
}

static enum sl_status read_models(struct sl_evaluation *run, char *const *paths,
                                  struct sl_error *err)
{
    for (size_t i = 0; i < run->n_models; i++)
        SL_TRY(sl_eval_read(run->workplace, run->job, paths[i], &run->models[i], err));
    for (size_t i = 1; i < run->n_models; i++)
        if (run->models[i].scored->n != run->models[0].scored->n)
            return sl_fail(err, SL_ERR_INPUT, "%s has %zu item%s, %s has %zu", run->models[0].path,
                           run->models[0].scored->n,
                           sl_text_plural(run->models[0].scored->n, "", "s"), run->models[i].path,
                           run->models[i].scored->n);
    if (!run->job->against) return SL_OK;
    struct sl_eval_job other = *run->job; /* only the first model defers */
    other.defer.count = 0;
    return sl_eval_read(run->workplace, &other, other.against, &run->models[run->n_models], err);
}

enum sl_status sl_evaluate_predictions(const struct sl_eval_job *job, char *const *paths,
                                       size_t count, const struct sl_workplace *workplace,
                                       struct sl_evaluation *out, struct sl_error *err)
{
    struct sl_evaluation run;
    char **metrics = job->metrics ? sl_text_split(job->metrics) : NULL;
    enum sl_status status = SL_OK;
    sl_evaluation_init(&run, job, workplace, &job->options, count);
    SL_TRY_OUT(sl_eval_choose_metrics(&run, metrics, err));
    SL_TRY_OUT(sl_eval_check_defer(job, err));
    SL_TRY_OUT(read_models(&run, paths, err));
    SL_TRY_OUT(sl_eval_measure(&run, err));
    SL_TRY_OUT(sl_eval_defer(&run, err));
    if (job->plots) SL_TRY_OUT(sl_evaluation_write_plots(&run, job->plots, err));
    *out = run;
    run = (struct sl_evaluation){0};
out:
    if (metrics) sl_names_destroy(metrics);
    sl_evaluation_release(&run);
    return status;
}

void sl_evaluation_release(struct sl_evaluation *run)
{
    for (size_t i = 0; run->models && i <= run->n_models; i++)
        sl_eval_model_release(&run->models[i]);
    free(run->models);
    free(run->metrics);
    free(run->each);
    free(run->intervals);
    free(run->paired);
    for (size_t i = 0; i < run->n_curves; i++)
        sl_defer_curve_release(&run->curves[i]);
    free(run->curves);
}
