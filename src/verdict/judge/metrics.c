#include <string.h>

#include "softlab/verdict/outcome.h"

const struct sl_verdict_metric sl_verdict_metrics[] = {
    {"accuracy", "accuracy", "accuracy", 1, SL_METRIC_SHARE},
    {"cross_entropy", "ce", "cross-entropy", -1, SL_METRIC_SCORE},
    {"rms_calibration", "calibration", "RMS calibration error", -1, SL_METRIC_SCORE},
    {"entropy_correlation", "entropy-r", "correlation of entropies", 1, SL_METRIC_SCORE},
    {"second_best_accuracy", NULL, "second-best accuracy", 1, SL_METRIC_SHARE},
    {"accuracy_gain", NULL, "gain in accuracy (points)", 1, SL_METRIC_SHARE},
    {"second_best_gain", NULL, "gain in second-best accuracy (points)", 1, SL_METRIC_SHARE},
    {"ce_reduction", NULL, "reduction of cross-entropy (%)", 1, SL_METRIC_SHARE},
    {"fgsm_loss", "fgsm", "FGSM loss", -1, SL_METRIC_SCORE},
    {"fgsm_accuracy", NULL, "FGSM accuracy", 1, SL_METRIC_SHARE},
    {"pgd_loss", NULL, "PGD loss", -1, SL_METRIC_SCORE},
    {"pgd_accuracy", NULL, "PGD accuracy", 1, SL_METRIC_SHARE},
    {"corruption_ce", NULL, "cross-entropy on corrupted images", -1, SL_METRIC_SCORE},
    {"confidence_correct", NULL, "confidence when right", 0, SL_METRIC_SHARE},
    {"confidence_incorrect", NULL, "confidence when wrong", 0, SL_METRIC_SHARE},
    {"seconds", NULL, "annotator time (s)", -1, SL_METRIC_COUNT},
    {"answers", NULL, "answers", 0, SL_METRIC_COUNT},
    {"items", NULL, "items", 0, SL_METRIC_COUNT},
    {"annotators", NULL, "annotators", 0, SL_METRIC_COUNT},
    {"answers_per_item", NULL, "answers per item", 0, SL_METRIC_COUNT},
    {"coder_label_ratio", NULL, "answers per item and class", 0, SL_METRIC_COUNT},
    {"observed_agreement", "agreement", "observed agreement", 0, SL_METRIC_SHARE},
    {"annotator_accuracy", NULL, "annotators' accuracy", 0, SL_METRIC_SHARE},
    {"share_accurate", NULL, "share of accurate annotators", 0, SL_METRIC_SHARE},
    {"share_never_true", "never-true", "share of items whose true class nobody named", 0,
     SL_METRIC_SHARE},
    {"share_two_classes", "two-classes", "share of items with at most two classes", 0,
     SL_METRIC_SHARE},
    {"top1_accuracy", "top1", "share of answers whose first class is true", 0, SL_METRIC_SHARE},
    {"top2_accuracy", "top2", "share of answers with the true class among the first two", 0,
     SL_METRIC_SHARE},
    {"changed_class", NULL, "share of repeated answers that change the class", 0, SL_METRIC_SHARE},
    {"mean_change", NULL, "mean change between an answer and its repeat", 0, SL_METRIC_SCORE},
    {"wasserstein_values", "wasserstein", "Wasserstein distance of values", -1, SL_METRIC_SCORE},
    {"js", NULL, "Jensen-Shannon divergence", -1, SL_METRIC_SCORE},
    {"kl", NULL, "Kullback-Leibler divergence", -1, SL_METRIC_SCORE},
    {"l1", NULL, "L1 distance", -1, SL_METRIC_SCORE},
    {"entropy", NULL, "entropy", 0, SL_METRIC_SCORE},
    {"top1_probability", NULL, "probability of the first class", 0, SL_METRIC_SHARE},
    {"possible_classes", NULL, "possible classes", 0, SL_METRIC_SCORE},
    {"inferred_share", "mean", "inferred share", 0, SL_METRIC_SHARE},
    {"median", NULL, "median inferred share", 0, SL_METRIC_SHARE},
    {"confidence", NULL, "confidence", 0, SL_METRIC_SHARE},
    {"relabelling", NULL, "distance between inferred and generating share", 0, SL_METRIC_SHARE},
    {"endpoint_correlation", "endpoint-r", "correlation with the mixing share", 0, SL_METRIC_SCORE},
    {"off_endpoint_mass", "off-endpoints", "probability mass off the mixed classes", 0,
     SL_METRIC_SHARE},
    {NULL, NULL, NULL, 0, SL_METRIC_SCORE},
};

const struct sl_verdict_metric *sl_verdict_metric_find(const char *name, size_t length)
{
    for (const struct sl_verdict_metric *metric = sl_verdict_metrics; metric->name; metric++)
        if (strlen(metric->name) == length && memcmp(metric->name, name, length) == 0)
            return metric;
    return NULL;
}
