#include <string.h>

#include "softlab/experiment/outcome.h"

const struct sl_experiment_metric sl_experiment_metrics[] = {
    {"accuracy", "accuracy", "accuracy", 1},
    {"cross_entropy", "ce", "cross-entropy", -1},
    {"rms_calibration", "calibration", "RMS calibration error", -1},
    {"entropy_correlation", "entropy-r", "correlation of entropies", 1},
    {"second_best_accuracy", NULL, "second-best accuracy", 1},
    {"fgsm_loss", "fgsm", "FGSM loss", -1},
    {"fgsm_accuracy", NULL, "FGSM accuracy", 1},
    {"pgd_loss", NULL, "PGD loss", -1},
    {"pgd_accuracy", NULL, "PGD accuracy", 1},
    {"corruption_ce", NULL, "cross-entropy on corrupted images", -1},
    {"confidence_correct", NULL, "confidence when right", 0},
    {"confidence_incorrect", NULL, "confidence when wrong", 0},
    {"seconds", NULL, "annotator time (s)", -1},
    {"answers", NULL, "answers", 0},
    {"items", NULL, "items", 0},
    {"annotators", NULL, "annotators", 0},
    {"answers_per_item", NULL, "answers per item", 0},
    {"coder_label_ratio", NULL, "answers per item and class", 0},
    {"observed_agreement", "agreement", "observed agreement", 0},
    {"annotator_accuracy", NULL, "annotators' accuracy", 0},
    {"share_accurate", NULL, "share of accurate annotators", 0},
    {"share_never_true", "never-true", "share of items whose class nobody named", 0},
    {"share_two_classes", "two-classes", "share of items with at most two classes", 0},
    {"top1_accuracy", "top1", "first class is true", 0},
    {"top2_accuracy", "top2", "first two hold the true class", 0},
    {"changed_class", NULL, "share of repeats with another class", 0},
    {"mean_change", NULL, "mean change of a repeat", 0},
    {"wasserstein_values", "wasserstein", "Wasserstein distance of values", -1},
    {"js", NULL, "Jensen-Shannon divergence", -1},
    {"kl", NULL, "Kullback-Leibler divergence", -1},
    {"l1", NULL, "L1 distance", -1},
    {"entropy", NULL, "entropy", 0},
    {"top1_probability", NULL, "probability of the first class", 0},
    {"possible_classes", NULL, "possible classes", 0},
    {"inferred_share", "mean", "inferred share", 0},
    {"median", NULL, "median inferred share", 0},
    {"confidence", NULL, "confidence", 0},
    {"relabelling", NULL, "distance of inferred and generating share", 0},
    {"endpoint_correlation", "endpoint-r", "correlation with the shares mixed", 0},
    {"off_endpoint_mass", "off-endpoints", "mass off the classes mixed", 0},
    {NULL, NULL, NULL, 0},
};

const struct sl_experiment_metric *sl_experiment_metric_find(const char *name, size_t length)
{
    for (const struct sl_experiment_metric *metric = sl_experiment_metrics; metric->name; metric++)
        if (strlen(metric->name) == length && memcmp(metric->name, name, length) == 0)
            return metric;
    return NULL;
}
