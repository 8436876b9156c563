/* The table of measures, and those that are not means over items and need no bins or classes. */
#include <math.h>
#include <string.h>

#include "eval/items.h"
#include "softlab/base/text.h"

struct sl_metric_options sl_metric_options_default(void)
{
    return (struct sl_metric_options){.bin_size = 100, .n_bins = 15, .clip = 1e-12};
}

enum { CHUNK = 256 };

static double mean_over_items(const struct sl_scored *scored, sl_eval_item *item,
                              const struct sl_metric_options *options)
{
    double values[CHUNK], sum = 0;
    for (size_t begin = 0; begin < scored->n; begin += CHUNK) {
        size_t count = scored->n - begin < CHUNK ? scored->n - begin : CHUNK;
        for (size_t i = 0; i < count; i++)
            values[i] = item(scored, begin + i, options);
        sum += sl_sum(values, count);
    }
    return sum / (double)scored->n;
}

/* The `value` of a measure that has a `per_item`. */
#define MEAN_OF(name)                                                                              \
    static double mean_##name(const struct sl_scored *scored,                                      \
                              const struct sl_metric_options *options)                             \
    {                                                                                              \
        return mean_over_items(scored, sl_item_##name, options);                                   \
    }
MEAN_OF(accuracy)
MEAN_OF(accuracy_hard)
MEAN_OF(top2)
MEAN_OF(top2_human)
MEAN_OF(second_best)
MEAN_OF(best_sba)
MEAN_OF(cross_entropy)
MEAN_OF(cross_entropy_unclipped)
MEAN_OF(cross_entropy_hard)
MEAN_OF(brier)
MEAN_OF(brier_hard)
MEAN_OF(confidence)
MEAN_OF(entropy)
MEAN_OF(human_entropy)
MEAN_OF(kl)
MEAN_OF(jensen_shannon)
MEAN_OF(jensen_shannon_distance)
MEAN_OF(l1)
MEAN_OF(wasserstein)
MEAN_OF(wasserstein_classes)

static double second_best_unique(const struct sl_scored *scored,
                                 const struct sl_metric_options *options)
{
    (void)options;
    size_t count = 0, hits = 0;
    for (size_t i = 0; i < scored->n; i++) {
        count += scored->unique_second[i];
        hits += scored->unique_second[i] && scored->second[i] == scored->human_second[i];
    }
    return (double)hits / (double)count;
}

static double correct_sba(const struct sl_scored *scored, const struct sl_metric_options *options)
{
    (void)options;
    size_t count = 0, hits = 0;
    for (size_t i = 0; i < scored->n; i++) {
        bool right = sl_eval_is_right(scored, i);
        count += right;
        hits += right && scored->second[i] == scored->human_second[i];
    }
    return (double)hits / (double)count;
}

static double incorrect_sba(const struct sl_scored *scored, const struct sl_metric_options *options)
{
    (void)options;
    size_t count = 0, hits = 0;
    for (size_t i = 0; i < scored->n; i++) {
        bool wrong = !sl_eval_is_right(scored, i);
        count += wrong;
        hits += wrong && scored->second[i] == scored->human_top[i];
    }
    return (double)hits / (double)count;
}

static double confidence_where(const struct sl_scored *scored, bool right)
{
    size_t count = 0;
    double sum = 0;
    for (size_t i = 0; i < scored->n; i++) {
        if (sl_eval_is_right(scored, i) != right) continue;
        sum += scored->confidence[i];
        count++;
    }
    return sum / (double)count;
}

static double confidence_correct(const struct sl_scored *scored,
                                 const struct sl_metric_options *options)
{
    (void)options;
    return confidence_where(scored, true);
}

static double confidence_incorrect(const struct sl_scored *scored,
                                   const struct sl_metric_options *options)
{
    (void)options;
    return confidence_where(scored, false);
}

static double entropy_correlation(const struct sl_scored *scored,
                                  const struct sl_metric_options *options)
{
    (void)options;
    return sl_pearson(scored->entropy, scored->human_entropy, scored->n);
}

static double entropy_similarity(const struct sl_scored *scored,
                                 const struct sl_metric_options *options)
{
    (void)options;
    double product = 0, own = 0, human = 0;
    for (size_t i = 0; i < scored->n; i++) {
        product += scored->entropy[i] * scored->human_entropy[i];
        own += scored->entropy[i] * scored->entropy[i];
        human += scored->human_entropy[i] * scored->human_entropy[i];
    }
    return product / sqrt(own * human);
}

static const char agreement[] = "agreement with people";
static const char likelihood[] = "likelihood";
static const char calibration[] = "calibration";
static const char uncertainty[] = "uncertainty";
static const char distance[] = "distance to people's distributions";
/* Sources of measures that come from no paper, and of corrected ones. */
static const char common[] = "common", corrected[] = "softlab, corrected";

const struct sl_metric sl_metrics[] = {
    {.name = "accuracy",
     .also = "acc top1 top1-accuracy",
     .group = agreement,
     .summary = "share of items on which model and people have the same most likely class",
     .source = "Peterson et al. 2019",
     .value = mean_accuracy,
     .per_item = sl_item_accuracy},
    {.name = "accuracy_hard",
     .group = agreement,
     .summary = "share of items whose most likely class is the hard label",
     .source = common,
     .value = mean_accuracy_hard,
     .per_item = sl_item_accuracy_hard},
    {.name = "top2_accuracy",
     .also = "top2",
     .group = agreement,
     .summary = "share of items with people's first choice among the model's first two",
     .source = common,
     .value = mean_top2,
     .per_item = sl_item_top2},
    {.name = "top2_human",
     .group = agreement,
     .summary = "share of items with the model's first choice among people's first two",
     .source = "Peterson et al. 2019",
     .value = mean_top2_human,
     .per_item = sl_item_top2_human},
    {.name = "second_best_accuracy",
     .also = "sba",
     .group = agreement,
     .summary = "share of items with the same second choice; ties as numpy sorts them",
     .source = "Peterson et al. 2019",
     .value = mean_second_best,
     .per_item = sl_item_second_best},
    {.name = "second_best_unique",
     .group = agreement,
     .summary = "second_best_accuracy over items on which people have a single second choice",
     .source = corrected,
     .value = second_best_unique},
    {.name = "correct_sba",
     .group = agreement,
     .summary = "share with the same second choice, of items with the same first choice",
     .source = "Peterson et al. 2019",
     .value = correct_sba},
    {.name = "incorrect_sba",
     .group = agreement,
     .summary = "share whose second choice is people's first, of items whose first is not",
     .source = "Peterson et al. 2019",
     .value = incorrect_sba},
    {.name = "best_sba",
     .group = agreement,
     .summary = "hits of correct_sba and incorrect_sba, as a share of all items",
     .source = "Peterson et al. 2019",
     .value = mean_best_sba,
     .per_item = sl_item_best_sba},
    {.name = "weighted_precision",
     .also = "precision",
     .group = agreement,
     .summary = "mean precision of the classes, weighted by their number of items",
     .source = "Uma et al. 2020",
     .value = sl_eval_weighted_precision},
    {.name = "weighted_recall",
     .also = "recall",
     .group = agreement,
     .summary = "mean recall of the classes, weighted by their number of items",
     .source = "Uma et al. 2020",
     .value = sl_eval_weighted_recall},
    {.name = "weighted_f1",
     .also = "f1 f1-score",
     .group = agreement,
     .summary = "mean F1 of the classes, weighted by their number of items",
     .source = "Uma et al. 2020",
     .value = sl_eval_weighted_f1},
    {.name = "crowdtruth_precision",
     .group = agreement,
     .summary = "mean precision of the classes; items count by how clear people were",
     .source = "Uma et al. 2020",
     .value = sl_eval_crowdtruth_precision},
    {.name = "crowdtruth_recall",
     .group = agreement,
     .summary = "mean recall of the classes; items count by how clear people were",
     .source = "Uma et al. 2020",
     .value = sl_eval_crowdtruth_recall},
    {.name = "crowdtruth_f1",
     .group = agreement,
     .summary = "mean F1 of the classes; items count by how clear people were",
     .source = "Uma et al. 2020",
     .value = sl_eval_crowdtruth_f1},
    {.name = "crowdtruth_f1_corrected",
     .group = agreement,
     .summary = "crowdtruth_f1 with false positives weighted by the predicted class",
     .source = corrected,
     .value = sl_eval_crowdtruth_f1_corrected},
    {.name = "cross_entropy",
     .also = "nll log-loss ce xent loss negative-log-likelihood soft-loss",
     .group = likelihood,
     .summary = "cross-entropy to people's distributions (nats), probabilities clipped",
     .source = "Uma et al. 2020",
     .reads = SL_METRIC_READS_CLIP,
     .value = mean_cross_entropy,
     .per_item = sl_item_cross_entropy},
    {.name = "cross_entropy_unclipped",
     .group = likelihood,
     .summary = "cross-entropy to people's distributions (nats), without clipping",
     .source = "Peterson et al. 2019",
     .value = mean_cross_entropy_unclipped,
     .per_item = sl_item_cross_entropy_unclipped},
    {.name = "cross_entropy_hard",
     .group = likelihood,
     .summary = "cross-entropy to the hard labels (nats), probabilities clipped",
     .source = "Peterson et al. 2019",
     .reads = SL_METRIC_READS_CLIP,
     .value = mean_cross_entropy_hard,
     .per_item = sl_item_cross_entropy_hard},
    {.name = "brier",
     .also = "brier-score mse",
     .group = likelihood,
     .summary = "squared distance to people's distributions",
     .source = common,
     .value = mean_brier,
     .per_item = sl_item_brier},
    {.name = "brier_hard",
     .group = likelihood,
     .summary = "squared distance to the hard labels",
     .source = "Brier 1950",
     .value = mean_brier_hard,
     .per_item = sl_item_brier_hard},
    {.name = "rms_calibration",
     .also = "rms rmsce rms-calibration-error",
     .group = calibration,
     .summary = "root mean square gap over bins of --bin-size items, without the last bin",
     .source = "Hendrycks et al. 2022 (PixMix)",
     .reads = SL_METRIC_READS_BIN_SIZE,
     .value = sl_eval_rms_published},
    {.name = "rms_calibration_corrected",
     .group = calibration,
     .summary = "root mean square gap over bins of --bin-size items, with the last bin",
     .source = corrected,
     .reads = SL_METRIC_READS_BIN_SIZE,
     .value = sl_eval_rms_corrected},
    {.name = "mad_calibration",
     .group = calibration,
     .summary = "mean gap over bins of --bin-size items, without the last bin",
     .source = "Hendrycks et al. 2022 (PixMix)",
     .reads = SL_METRIC_READS_BIN_SIZE,
     .value = sl_eval_mad_published},
    {.name = "mad_calibration_corrected",
     .group = calibration,
     .summary = "mean gap over bins of --bin-size items, with the last bin",
     .source = corrected,
     .reads = SL_METRIC_READS_BIN_SIZE,
     .value = sl_eval_mad_corrected},
    {.name = "max_calibration",
     .group = calibration,
     .summary = "largest gap over bins of --bin-size items, without the last bin",
     .source = "Hendrycks et al. 2022 (PixMix)",
     .reads = SL_METRIC_READS_BIN_SIZE,
     .value = sl_eval_max_published},
    {.name = "max_calibration_corrected",
     .group = calibration,
     .summary = "largest gap over bins of --bin-size items, with the last bin",
     .source = corrected,
     .reads = SL_METRIC_READS_BIN_SIZE,
     .value = sl_eval_max_corrected},
    {.name = "ece",
     .also = "expected-calibration-error calibration",
     .group = calibration,
     .summary = "mean gap over --bins bins of equal width",
     .source = "Guo et al. 2017",
     .reads = SL_METRIC_READS_BINS,
     .value = sl_eval_ece},
    {.name = "mce",
     .also = "maximum-calibration-error",
     .group = calibration,
     .summary = "largest gap over --bins bins of equal width",
     .source = "Guo et al. 2017",
     .reads = SL_METRIC_READS_BINS,
     .value = sl_eval_mce},
    {.name = "adaptive_ece",
     .group = calibration,
     .summary = "mean gap over --bins bins of equal mass, without the least confident item",
     .source = "Pinto et al. 2022 (RegMixup)",
     .reads = SL_METRIC_READS_BINS,
     .value = sl_eval_adaptive_published},
    {.name = "adaptive_ece_corrected",
     .group = calibration,
     .summary = "adaptive_ece with the least confident item",
     .source = corrected,
     .reads = SL_METRIC_READS_BINS,
     .value = sl_eval_adaptive_corrected},
    {.name = "aurra",
     .group = calibration,
     .summary = "mean over k of the accuracy of the k most confident items",
     .source = "Hendrycks et al. 2022 (PixMix)",
     .value = sl_eval_aurra},
    {.name = "soft_f1",
     .group = calibration,
     .summary = "soft F1 score of detecting wrong items by low confidence",
     .source = "Hendrycks et al. 2022 (PixMix)",
     .value = sl_eval_soft_f1},
    {.name = "confidence",
     .group = calibration,
     .summary = "mean largest probability",
     .source = common,
     .value = mean_confidence,
     .per_item = sl_item_confidence},
    {.name = "confidence_correct",
     .group = calibration,
     .summary = "mean largest probability where model and people agree on the class",
     .source = common,
     .value = confidence_correct},
    {.name = "confidence_incorrect",
     .group = calibration,
     .summary = "mean largest probability where model and people disagree",
     .source = common,
     .value = confidence_incorrect},
    {.name = "temperature",
     .group = calibration,
     .summary = "divisor of the logits that fits the hard labels best, 0.2 to 5",
     .source = "Hendrycks et al. 2022 (PixMix)",
     .value = sl_eval_temperature,
     .whole_rows = true},
    {.name = "entropy_correlation",
     .also = "correlation",
     .group = uncertainty,
     .summary = "Pearson's r between the entropies of predictions and of people",
     .source = "Uma et al. 2020",
     .value = entropy_correlation},
    {.name = "entropy_similarity",
     .group = uncertainty,
     .summary = "cosine similarity between the entropies of predictions and of people",
     .source = "Uma et al. 2020",
     .value = entropy_similarity},
    {.name = "mean_entropy",
     .also = "entropy",
     .group = uncertainty,
     .summary = "mean entropy of the predictions (nats)",
     .source = common,
     .value = mean_entropy,
     .per_item = sl_item_entropy},
    {.name = "human_entropy",
     .group = uncertainty,
     .summary = "mean entropy of people's distributions (nats)",
     .source = common,
     .value = mean_human_entropy,
     .per_item = sl_item_human_entropy},
    {.name = "kl",
     .also = "kld kl-divergence kullback-leibler",
     .group = distance,
     .summary = "Kullback-Leibler divergence of people from predictions (nats)",
     .source = "Uma et al. 2020",
     .value = mean_kl,
     .per_item = sl_item_kl},
    {.name = "jensen_shannon",
     .also = "js jsd jensen-shannon-divergence",
     .group = distance,
     .summary = "Jensen-Shannon divergence (nats)",
     .source = common,
     .value = mean_jensen_shannon,
     .per_item = sl_item_jensen_shannon},
    {.name = "jensen_shannon_distance",
     .also = "js-distance",
     .group = distance,
     .summary = "mean square root of the Jensen-Shannon divergence, as in SciPy",
     .source = "Uma et al. 2020",
     .value = mean_jensen_shannon_distance,
     .per_item = sl_item_jensen_shannon_distance},
    {.name = "l1",
     .also = "manhattan absolute-error mae",
     .group = distance,
     .summary = "sum of absolute differences of probabilities",
     .source = "Collins et al. 2022",
     .value = mean_l1,
     .per_item = sl_item_l1},
    {.name = "wasserstein",
     .also = "emd earth-mover",
     .group = distance,
     .summary = "Wasserstein distance between the two rows' values, ignoring classes",
     .source = "Collins et al. 2022",
     .value = mean_wasserstein,
     .per_item = sl_item_wasserstein},
    {.name = "wasserstein_classes",
     .group = distance,
     .summary = "Wasserstein distance over class indices, whose order is arbitrary",
     .source = common,
     .value = mean_wasserstein_classes,
     .per_item = sl_item_wasserstein_classes},
    {.name = NULL},
};

const struct sl_metric *sl_metric_find(const char *name)
{
    for (const struct sl_metric *metric = sl_metrics; metric->name; metric++)
        if (strcmp(metric->name, name) == 0) return metric;
    return NULL;
}

const struct sl_metric *sl_metric_known_as(const char *name)
{
    for (const struct sl_metric *metric = sl_metrics; metric->name; metric++)
        if (sl_text_known_as(name, metric->also)) return metric;
    return NULL;
}

size_t sl_metric_count(void)
{
    return sizeof sl_metrics / sizeof *sl_metrics - 1;
}

void sl_metrics_all(const struct sl_scored *scored, const struct sl_metric_options *options,
                    double *out)
{
    for (size_t m = 0; sl_metrics[m].name; m++)
        out[m] = sl_metrics[m].value(scored, options);
}
