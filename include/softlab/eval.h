/* Eval: scores predictions of any framework by every measure of the four papers. A published
 * definition with quirks keeps its name; a corrected one is added beside it.
 * docs/internals/eval.md defines each measure. */
#ifndef SOFTLAB_EVAL_H
#define SOFTLAB_EVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/json.h"
#include "softlab/base/rows.h"
#include "softlab/base/stats.h"
#include "softlab/eval/measure.h"
#include "softlab/pool.h"

SL_BEGIN_DECLS

/* Predictions and people's labels, row by row, with values that several measures need. All owned.
 */
struct sl_scored {
    size_t n, n_classes;
    double *predicted;      /* (n, n_classes) probabilities */
    double *log_predicted;  /* log-softmax of logits; finite even if the probability is 0 */
    double *human;          /* (n, n_classes) distributions */
    int32_t *hard;          /* (n) true classes, or NULL: people's most likely class */
    uint32_t *top, *second; /* (n) predicted classes; of ties the last by name (sl_first_two) */
    uint32_t *human_top, *human_second; /* (n) people's classes */
    size_t n_tied, n_human_tied;        /* rows with several largest values */
    bool *unique_second;                /* (n) people's second choice outweighs their third */
    double *confidence;                 /* (n) largest predicted probability */
    double *entropy, *human_entropy;    /* (n) natural logarithm */
    double *truth_score, *choice_score; /* (n) CrowdTruth's, for the true and predicted class */
    uint32_t *by_confidence;            /* (n) rows in ascending confidence, stable */
    uint32_t *label_row;                /* (n) the row of the labels that each was made of */
    char **classes;                     /* n_classes names, or NULL */
};

struct sl_scored_options {
    bool logits;                /* the predictions are logits */
    const int32_t *hard;        /* per row of the predictions, a class of the labels; or NULL */
    const int32_t *labels_hard; /* instead of `hard`: per row of the labels, or NULL */
    const size_t *order; /* row r of the predictions is item order[r] of the labels; or NULL */
    bool softmax_counts; /* labels are counts and the reference is their softmax (Uma) */
    bool subset;         /* items without a prediction are left out; `order` implies it */
};
/* Match predictions with labels. Rows match by item if both name them, or if one does and its names
 * are row numbers of the other; otherwise in order. Classes match by name, ignoring case, if both
 * have names. The result is in the order of the labels. SL_ERR_INPUT: lengths differ, items are
 * missing (naming the first) or repeated, rows are per annotator or do not sum to 1, or classes do
 * not match. */
enum sl_status sl_scored_create(const struct sl_rows *predictions, const struct sl_rows *labels,
                                const struct sl_scored_options *options, struct sl_scored **out,
                                struct sl_error *err) SL_MUST_USE;
void sl_scored_destroy(struct sl_scored *scored);

/* Settings of measures. */
struct sl_metric_options {
    size_t bin_size;      /* items per adaptive bin; 100 */
    size_t n_bins;        /* number of equal-width or equal-mass bins; 15 */
    double clip;          /* cross-entropies clip probabilities to [clip, 1 - clip]; 1e-12 */
    struct sl_pool *pool; /* borrowed; its threads share the resamples of a bootstrap; NULL: the
                             calling thread alone */
};
struct sl_metric_options sl_metric_options_default(void);

/* The options that a measure depends on. */
enum {
    SL_METRIC_READS_BIN_SIZE = 1,
    SL_METRIC_READS_BINS = 2,
    SL_METRIC_READS_CLIP = 4,
};

/* A measure that is computed from predictions; softlab/eval/measure.h says which way it is better.
 * `per_item` is the contribution of a row if the measure is a mean over items, which
 * makes bootstrap and paired tests fast; otherwise NULL. */
struct sl_metric {
    const char *name;  /* the key in JSON: "cross_entropy" */
    const char *also;  /* its names elsewhere, separated by spaces; or NULL */
    const char *group; /* heading in tables; rows of a group are adjacent */
    const char *summary;
    const char *source; /* where it is defined: "Peterson et al. 2019" */
    unsigned reads;     /* bit set of SL_METRIC_READS_... */
    double (*value)(const struct sl_scored *scored, const struct sl_metric_options *options);
    double (*per_item)(const struct sl_scored *scored, size_t row,
                       const struct sl_metric_options *options);
    bool whole_rows; /* `value` reads whole distributions */
};
extern const struct sl_metric sl_metrics[]; /* ends with a NULL name */
const struct sl_metric *sl_metric_find(const char *name);
/* The measure that is called `name` elsewhere ("nll": cross_entropy), to suggest; or NULL. */
const struct sl_metric *sl_metric_known_as(const char *name);
size_t sl_metric_count(void);

/* All measures, in table order; `out` has sl_metric_count() values. NaN if a measure is undefined
 * for these data (no item with a unique second choice, fewer items than a bin). */
void sl_metrics_all(const struct sl_scored *scored, const struct sl_metric_options *options,
                    double *out);

/* Percentile bootstrap over items, of one measure or of several on the same resamples, which costs
 * little more. Resamples for which a measure is undefined are left out of its quantiles. */
enum sl_status sl_metric_interval(const struct sl_metric *metric, const struct sl_scored *scored,
                                  const struct sl_metric_options *options,
                                  const struct sl_bootstrap_options *bootstrap,
                                  struct sl_interval *out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_metrics_intervals(const struct sl_metric *const *metrics, size_t n_metrics,
                                    const struct sl_scored *scored,
                                    const struct sl_metric_options *options,
                                    const struct sl_bootstrap_options *bootstrap,
                                    struct sl_interval *out, struct sl_error *err) SL_MUST_USE;

/* Compare two models on the same items: the difference a - b of a measure, its interval (paired t
 * for means over items, otherwise paired bootstrap) and its p-value (McNemar's exact test if every
 * item counts 0 or 1). SL_ERR_INPUT if the two were scored against different labels. */
struct sl_paired {
    double a, b;
    struct sl_interval difference;
    double p;         /* two-sided */
    const char *test; /* "paired t", "McNemar", "paired bootstrap"; static */
};
enum sl_status sl_metric_compare(const struct sl_metric *metric, const struct sl_scored *a,
                                 const struct sl_scored *b, const struct sl_metric_options *options,
                                 const struct sl_bootstrap_options *bootstrap,
                                 struct sl_paired *out, struct sl_error *err) SL_MUST_USE;
/* Compare several measures; those that need a bootstrap use the same resamples. */
enum sl_status sl_metrics_compare(const struct sl_metric *const *metrics, size_t n_metrics,
                                  const struct sl_scored *const models[2],
                                  const struct sl_metric_options *options,
                                  const struct sl_bootstrap_options *bootstrap,
                                  struct sl_paired *out, struct sl_error *err) SL_MUST_USE;

/* Tables behind the plots. */
struct sl_reliability_bin {
    double low, high; /* of confidence */
    size_t count;
    double confidence, accuracy; /* means */
};
/* `n_bins` equal-width bins (lo, hi] into `out`. */
void sl_reliability(const struct sl_scored *scored, size_t n_bins, struct sl_reliability_bin *out);
/* out[i] is the error rate of the `i + 1` most confident items, (n) values. */
void sl_risk_coverage(const struct sl_scored *scored, double *out);

struct sl_class_score {
    size_t support, predicted, correct;
    double precision, recall, f1;
    double cross_entropy; /* of the items of this class */
};
/* Write (n_classes) scores to `out`; `clip` is the only option used. */
void sl_class_scores(const struct sl_scored *scored, const struct sl_metric_options *options,
                     struct sl_class_score *out);

SL_END_DECLS

#endif
