/* Eval: how good predictions are, by every measure of the four papers. Predictions may come from
 * any framework. Where a published definition has quirks it is kept under the published name and
 * the corrected one stands beside it. docs/internals/eval.md states each measure. */
#ifndef SOFTLAB_EVAL_H
#define SOFTLAB_EVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/json.h"
#include "softlab/base/rows.h"
#include "softlab/base/stats.h"

SL_BEGIN_DECLS

/* Predictions beside what people said, row by row, with what several measures need worked out once.
 * All owned. */
struct sl_scored {
    size_t n, n_classes;
    double *predicted;      /* (n, n_classes) probabilities */
    double *log_predicted;  /* log-softmax of logits, finite where the probability is 0 */
    double *human;          /* (n, n_classes) distributions */
    int32_t *hard;          /* (n) true classes, or NULL: the largest human one */
    uint32_t *top, *second; /* (n) of the prediction; of ties the last by name (sl_first_two) */
    uint32_t *human_top, *human_second; /* (n) */
    size_t n_tied, n_human_tied;        /* rows with several largest values */
    bool *unique_second;                /* (n) people's second choice outweighs their third */
    double *confidence;                 /* (n) largest predicted probability */
    double *entropy, *human_entropy;    /* (n) natural logarithm */
    double *truth_score, *choice_score; /* (n) CrowdTruth's, of the true and the predicted class */
    uint32_t *by_confidence;            /* (n) rows in ascending confidence, stable */
    char **classes;                     /* n_classes names, or NULL */
};

struct sl_scored_options {
    bool logits;                /* the predictions are logits */
    const int32_t *hard;        /* per row of the predictions, a class of the labels; or NULL */
    const int32_t *labels_hard; /* instead: per row of the labels, or NULL */
    const size_t *order; /* row r of the predictions is item order[r] of the labels; or NULL */
    bool softmax_counts; /* labels are counts and the reference is their softmax (Uma) */
    bool subset;         /* items without a prediction are left out; `order` implies it */
};
/* Rows are matched by item where both name them, or one does and its names are row numbers of the
 * other; else in order. Classes are matched by name where both have them, letters' case aside. The
 * result is in the order of the labels. SL_ERR_INPUT: another length, items missing (naming the
 * first), an item twice, rows per annotator, classes that cannot be matched, rows that do not sum
 * to 1. */
enum sl_status sl_scored_create(const struct sl_rows *predictions, const struct sl_rows *labels,
                                const struct sl_scored_options *options, struct sl_scored **out,
                                struct sl_error *err) SL_MUST_USE;
void sl_scored_destroy(struct sl_scored *scored);

/* Settings of measures that have some. */
struct sl_metric_options {
    size_t bin_size; /* of adaptive bins, 100 */
    size_t n_bins;   /* of equal-width and equal-mass bins, 15 */
    double clip;     /* of the probabilities in cross-entropies, to [clip, 1 - clip]; 1e-12 */
};
struct sl_metric_options sl_metric_options_default(void);

/* What a measure reads of its options; the others change nothing about it. */
enum {
    SL_METRIC_READS_BIN_SIZE = 1,
    SL_METRIC_READS_BINS = 2,
    SL_METRIC_READS_CLIP = 4,
};

/* A measure. `per_item` gives row i's share where the measure is a mean over items (for bootstrap
 * and paired tests without recomputing); NULL otherwise. */
struct sl_metric {
    const char *name;  /* the key in JSON: "cross_entropy" */
    const char *also;  /* names that it goes by elsewhere, separated by spaces; or NULL */
    const char *group; /* heading in tables; rows of a group stand together */
    const char *summary;
    const char *source; /* where it is defined: "Peterson et al. 2019" */
    int better;         /* 1 larger, -1 smaller, 0 neither */
    unsigned reads;     /* bit set of SL_METRIC_READS_... */
    double (*value)(const struct sl_scored *scored, const struct sl_metric_options *options);
    double (*per_item)(const struct sl_scored *scored, size_t row,
                       const struct sl_metric_options *options);
    bool whole_rows; /* `value` reads distributions, not only what was worked out from them */
};
extern const struct sl_metric sl_metrics[]; /* ends with a NULL name */
const struct sl_metric *sl_metric_find(const char *name);
/* The one that goes by `name` elsewhere ("nll": cross_entropy), to be suggested; or NULL. */
const struct sl_metric *sl_metric_known_as(const char *name);
size_t sl_metric_count(void);

/* Every measure at once, in table order; `out` has sl_metric_count() values. NaN where a measure
 * has no meaning for these data (no item with a unique second choice, fewer items than a bin). */
void sl_metrics_all(const struct sl_scored *scored, const struct sl_metric_options *options,
                    double *out);

/* Percentile bootstrap over items of one measure, or of several on the same resamples, which costs
 * little more. Resamples in which a measure has no meaning are left out of its quantiles. */
enum sl_status sl_metric_interval(const struct sl_metric *metric, const struct sl_scored *scored,
                                  const struct sl_metric_options *options,
                                  const struct sl_bootstrap_options *bootstrap,
                                  struct sl_interval *out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_metrics_intervals(const struct sl_metric *const *metrics, size_t n_metrics,
                                    const struct sl_scored *scored,
                                    const struct sl_metric_options *options,
                                    const struct sl_bootstrap_options *bootstrap,
                                    struct sl_interval *out, struct sl_error *err) SL_MUST_USE;

/* Two models on the same items: the difference a - b of one measure with its interval (paired t for
 * means over items, else paired bootstrap) and p-value (McNemar's exact one where every item counts
 * 0 or 1). SL_ERR_INPUT if the two were not scored against the same labels. */
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
/* The same for several measures, those that need a bootstrap on the same resamples. */
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
/* Error among the most confident `i + 1` items, (n) values, most confident first. */
void sl_risk_coverage(const struct sl_scored *scored, double *out);

struct sl_class_score {
    size_t support, predicted, correct;
    double precision, recall, f1;
    double cross_entropy; /* of the items of this class */
};
/* (n_classes) into `out`; of the options, `clip` is read. */
void sl_class_scores(const struct sl_scored *scored, const struct sl_metric_options *options,
                     struct sl_class_score *out);

SL_END_DECLS

#endif
