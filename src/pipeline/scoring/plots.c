/* The plots of an evaluation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/pipeline/evaluation.h"
#include "softlab/plot.h"

enum { SUBTITLE_SIZE = 300, MOST_POINTS = 400 };

static enum sl_status write_plot(const struct sl_evaluation *run, const char *folder,
                                 const struct sl_plot *plot, struct sl_error *err)
{
    char *name = sl_string_printf("%s.svg", plot->id);
    char *path = sl_path_join(folder, name);
    enum sl_status status = sl_plot_write(plot, path, err);
    if (status == SL_OK) sl_log(run->workplace->log, SL_LOG_INFO, "wrote %s", path);
    free(path);
    free(name);
    return status;
}

/* "vgg.npz, 10,000 items" */
static const char *subtitle(const struct sl_evaluated_model *model, char out[SUBTITLE_SIZE])
{
    char count[32];
    snprintf(out, SUBTITLE_SIZE, "%s, %s item%s", sl_path_name(model->path),
             sl_text_count(model->scored->n, count, sizeof count),
             sl_text_plural(model->scored->n, "", "s"));
    return out;
}

static enum sl_status plot_reliability(const struct sl_evaluation *run, const char *folder,
                                       struct sl_error *err)
{
    enum { CONFIDENCE, ACCURACY, LOW, HIGH, ITEMS, N_COLUMNS };
    const struct sl_evaluated_model *model = &run->models[0];
    const size_t n_bins = run->options.n_bins;
    struct sl_reliability_bin *bins = sl_alloc(n_bins, sizeof *bins);
    double *columns = sl_alloc(N_COLUMNS * n_bins, sizeof *columns);
    char about[SUBTITLE_SIZE];
    sl_reliability(model->scored, n_bins, bins);
    for (size_t b = 0; b < n_bins; b++) {
        columns[CONFIDENCE * n_bins + b] = bins[b].confidence;
        columns[ACCURACY * n_bins + b] = bins[b].accuracy;
        columns[LOW * n_bins + b] = bins[b].low;
        columns[HIGH * n_bins + b] = bins[b].high;
        columns[ITEMS * n_bins + b] = (double)bins[b].count;
    }
    const struct sl_plot_series series = {.count = n_bins,
                                          .x = columns + CONFIDENCE * n_bins,
                                          .y = columns + ACCURACY * n_bins,
                                          .x_low = columns + LOW * n_bins,
                                          .x_high = columns + HIGH * n_bins,
                                          .weight = columns + ITEMS * n_bins};
    const struct sl_plot plot = {.kind = SL_PLOT_RELIABILITY,
                                 .id = "reliability",
                                 .title = "Does confidence mean what it says?",
                                 .subtitle = subtitle(model, about),
                                 .x = {.label = "Confidence"},
                                 .y = {.label = "Accuracy"},
                                 .series = &series,
                                 .n_series = 1};
    enum sl_status status = write_plot(run, folder, &plot, err);
    free(columns);
    free(bins);
    return status;
}

static enum sl_status plot_confidence(const struct sl_evaluation *run, const char *folder,
                                      struct sl_error *err)
{
    const struct sl_evaluated_model *model = &run->models[0];
    const struct sl_scored *scored = model->scored;
    double *right = sl_data_alloc(scored->n, sizeof *right, err);
    double *wrong = sl_data_alloc(scored->n, sizeof *wrong, err);
    enum sl_status status = SL_ERR_NOMEM;
    if (right && wrong) {
        size_t n_right = 0, n_wrong = 0;
        for (size_t i = 0; i < scored->n; i++)
            if (scored->top[i] == scored->human_top[i])
                right[n_right++] = scored->confidence[i];
            else
                wrong[n_wrong++] = scored->confidence[i];
        char about[SUBTITLE_SIZE];
        const struct sl_plot_series series[] = {{.name = "right", .count = n_right, .x = right},
                                                {.name = "wrong", .count = n_wrong, .x = wrong}};
        const struct sl_plot plot = {.kind = SL_PLOT_HISTOGRAM,
                                     .id = "confidence",
                                     .title = "Confidence when right and when wrong",
                                     .subtitle = subtitle(model, about),
                                     .x = {.label = "Confidence", .low = 0, .high = 1},
                                     .y = {.label = "Share of these items", .unit = "%"},
                                     .series = series,
                                     .n_series = 2,
                                     .n_bins = 20,
                                     .share = true};
        status = write_plot(run, folder, &plot, err);
    }
    free(right);
    free(wrong);
    return status;
}

/* Error among the most confident items at `n_points` coverages, and what it would be if all right
 * items came before all wrong ones. */
struct curve {
    size_t n_points;
    double coverage[MOST_POINTS], risk[MOST_POINTS], best[MOST_POINTS];
};

static enum sl_status find_curve(const struct sl_scored *scored, struct curve *out,
                                 struct sl_error *err)
{
    const size_t n = scored->n;
    double *risk = sl_data_alloc(n, sizeof *risk, err);
    if (!risk) return SL_ERR_NOMEM;
    sl_risk_coverage(scored, risk);
    const double n_right = (double)n * (1 - risk[n - 1]);
    out->n_points = n < MOST_POINTS ? n : MOST_POINTS;
    for (size_t i = 0; i < out->n_points; i++) {
        size_t at = (i + 1) * n / out->n_points - 1;
        out->coverage[i] = 100 * (double)(at + 1) / (double)n;
        out->risk[i] = 100 * risk[at];
        out->best[i] = 100 * fmax(1 - n_right / (double)(at + 1), 0);
    }
    free(risk);
    return SL_OK;
}

/* Two runs may differ only in their folders. */
static const char *curve_name(const struct sl_evaluated_model *model,
                              const struct sl_evaluated_model *other)
{
    const char *name = sl_path_name(model->path);
    return other->path && strcmp(name, sl_path_name(other->path)) == 0 ? model->path : name;
}

static enum sl_status plot_risk(const struct sl_evaluation *run, const char *folder,
                                struct sl_error *err)
{
    const struct sl_evaluated_model *model = &run->models[0], *other = &run->models[run->n_models];
    struct curve *curves = sl_alloc(2, sizeof *curves);
    enum sl_status status = SL_OK;
    char about[SUBTITLE_SIZE];
    SL_TRY_OUT(find_curve(model->scored, &curves[0], err));
    if (other->scored) SL_TRY_OUT(find_curve(other->scored, &curves[1], err));
    const struct sl_plot_series series[] = {
        {.name = "best order",
         .count = curves[0].n_points,
         .x = curves[0].coverage,
         .y = curves[0].best,
         .reference = true,
         .plain = true},
        {.name = curve_name(model, other),
         .count = curves[0].n_points,
         .x = curves[0].coverage,
         .y = curves[0].risk,
         .plain = true},
        {.name = other->path ? curve_name(other, model) : NULL,
         .count = curves[1].n_points,
         .x = curves[1].coverage,
         .y = curves[1].risk,
         .plain = true},
    };
    const struct sl_plot plot = {
        .kind = SL_PLOT_LINES,
        .id = "risk-coverage",
        .title = "Error among the most confident predictions",
        .subtitle = subtitle(model, about),
        .x = {.label = "Share of predictions kept", .unit = "%", .low = 0, .high = 100},
        .y = {.label = "Error", .unit = "%"},
        .series = series,
        .n_series = other->scored ? 3 : 2};
    SL_TRY_OUT(write_plot(run, folder, &plot, err));
out:
    free(curves);
    return status;
}

/* The columns of a deferral curve, in per cent where they are shares. */
struct deferral {
    double share[SL_DEFER_POINTS], answers[SL_DEFER_POINTS];
    double accuracy[SL_DEFER_POINTS], low[SL_DEFER_POINTS], high[SL_DEFER_POINTS];
    char name[32];
};

static void fill_deferral(const struct sl_defer_curve *curve, struct deferral *out)
{
    for (size_t p = 0; p < curve->n_points; p++) {
        const struct sl_defer_point *point = &curve->points[p];
        out->share[p] = 100 * point->share;
        out->answers[p] = point->answers;
        out->accuracy[p] = 100 * point->accuracy.estimate;
        out->low[p] = 100 * point->accuracy.low;
        out->high[p] = 100 * point->accuracy.high;
    }
    snprintf(out->name, sizeof out->name, "%zu %s", curve->n_people,
             sl_text_plural(curve->n_people, "person", "people"));
}

/* Accuracy over the share of items that people decide, and over what that costs. */
static enum sl_status plot_deferral(const struct sl_evaluation *run, const char *folder,
                                    struct sl_error *err)
{
    struct deferral *columns = sl_alloc(run->n_curves, sizeof *columns);
    struct sl_plot_series shares[SL_PLOT_MAX_SERIES], costs[SL_PLOT_MAX_SERIES];
    char about[SUBTITLE_SIZE];
    for (size_t i = 0; i < run->n_curves; i++) {
        fill_deferral(&run->curves[i], &columns[i]);
        shares[i] = (struct sl_plot_series){.name = columns[i].name,
                                            .count = run->curves[i].n_points,
                                            .x = columns[i].share,
                                            .y = columns[i].accuracy,
                                            .y_low = columns[i].low,
                                            .y_high = columns[i].high,
                                            .band = true,
                                            .plain = true};
        costs[i] = shares[i];
        costs[i].x = columns[i].answers;
    }
    struct sl_plot plot = {
        .kind = SL_PLOT_LINES,
        .id = "defer",
        .title = "When people decide the least certain items",
        .subtitle = subtitle(&run->models[0], about),
        .note = "Bands: 95 % bootstrap intervals over items",
        .x = {.label = "Share of items decided by people", .unit = "%", .low = 0, .high = 100},
        .y = {.label = "Accuracy", .unit = "%"},
        .series = shares,
        .n_series = run->n_curves};
    enum sl_status status = write_plot(run, folder, &plot, err);
    plot.id = "defer-cost";
    plot.title = "Accuracy for the answers that people give";
    plot.x = (struct sl_plot_axis){.label = "Answers per item of the whole set"};
    plot.series = costs;
    if (status == SL_OK) status = write_plot(run, folder, &plot, err);
    free(columns);
    return status;
}

enum sl_status sl_evaluation_write_plots(const struct sl_evaluation *evaluation, const char *folder,
                                         struct sl_error *err)
{
    SL_TRY(sl_folder_create(folder, err));
    SL_TRY(plot_reliability(evaluation, folder, err));
    SL_TRY(plot_confidence(evaluation, folder, err));
    SL_TRY(plot_risk(evaluation, folder, err));
    return evaluation->n_curves ? plot_deferral(evaluation, folder, err) : SL_OK;
}

enum sl_status sl_weights_evaluation_write_plots(const struct sl_weights_evaluation *evaluation,
                                                 const char *folder, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (size_t t = 0; t < evaluation->n_tests && status == SL_OK; t++) {
        char *name = sl_text_replace(evaluation->names[t], "/", "-");
        char *path = evaluation->n_tests > 1 ? sl_path_join(folder, name) : sl_string_copy(folder);
        status = sl_evaluation_write_plots(&evaluation->tests[t], path, err);
        if (status != SL_OK) sl_fail_within(err, status, "test \"%s\"", evaluation->names[t]);
        free(path);
        free(name);
    }
    return status;
}
