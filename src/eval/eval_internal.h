/* Shared by the files of eval/; metrics.c has the table of measures. */
#ifndef SOFTLAB_EVAL_INTERNAL_H
#define SOFTLAB_EVAL_INTERNAL_H

#include "softlab/eval.h"
#include "softlab/nn.h"

/* Allocate all fields for `n` rows, unfilled; the three matrices only with `whole_rows`. */
enum sl_status sl_eval_allocate(size_t n, size_t n_classes, bool with_hard, bool whole_rows,
                                struct sl_scored **out, struct sl_error *err) SL_MUST_USE;

/* Write the rows in ascending order of their values, equal ones as they are. */
enum sl_status sl_eval_rank(const double *values, size_t n, uint32_t *out,
                            struct sl_error *err) SL_MUST_USE;

/* The true class of a row. */
static inline uint32_t sl_eval_truth(const struct sl_scored *scored, size_t row)
{
    return scored->hard ? (uint32_t)scored->hard[row] : scored->human_top[row];
}

/* True if prediction and people agree on the most likely class; calibration calls that right. */
static inline bool sl_eval_is_right(const struct sl_scored *scored, size_t row)
{
    return scored->top[row] == scored->human_top[row];
}

/* How many rows of a network's logits are largest at the given class. */
size_t sl_eval_n_right(const struct sl_model *model, const float *logits, const int32_t *classes,
                       size_t n);

/* -sum_k human_k log predicted_k of a row; `clip` as in struct sl_metric_options. */
double sl_eval_cross_entropy(const struct sl_scored *scored, size_t row, double clip);

/* resamples.c: statistics of rows that are drawn with replacement. */
struct sl_eval_resamples {
    size_t n_rows, n_values;
    const struct sl_bootstrap_options *bootstrap;
    struct sl_pool *pool; /* borrowed; its threads share the resamples; or NULL */
    /* Write the statistics of a resample, `n_values` of them; times[i] is how often row i was
     * drawn. Called within sl_guard, by several workers at the same time. */
    void (*statistics)(void *context, size_t worker, const uint32_t *times, double *out);
    void *context;
};
/* The statistics of all resamples, (n_values, n_resamples); the caller frees them. */
enum sl_status sl_eval_resample(const struct sl_eval_resamples *resamples, double **out,
                                struct sl_error *err) SL_MUST_USE;
/* Move the values that are not NaN to the front; returns how many there are. */
size_t sl_eval_drop_nan(double *values, size_t count);
struct sl_interval sl_eval_quantiles(const double *values, size_t count, double level,
                                     double estimate);

typedef double sl_eval_value(const struct sl_scored *scored,
                             const struct sl_metric_options *options);

sl_eval_value sl_eval_rms_published, sl_eval_mad_published, sl_eval_max_published;
sl_eval_value sl_eval_rms_corrected, sl_eval_mad_corrected, sl_eval_max_corrected;
sl_eval_value sl_eval_ece, sl_eval_mce, sl_eval_adaptive_published, sl_eval_adaptive_corrected;
sl_eval_value sl_eval_aurra, sl_eval_soft_f1, sl_eval_temperature;
sl_eval_value sl_eval_weighted_precision, sl_eval_weighted_recall, sl_eval_weighted_f1;
sl_eval_value sl_eval_crowdtruth_precision, sl_eval_crowdtruth_recall;
sl_eval_value sl_eval_crowdtruth_f1, sl_eval_crowdtruth_f1_corrected;

#endif
