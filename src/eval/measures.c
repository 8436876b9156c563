/* Which way a figure is better is written here and nowhere else. */
#include "softlab/eval/measure.h"

#include <string.h>

const struct sl_measure sl_measures[] = {
    /* Figures of the papers' tables. */
    {"accuracy", "accuracy", "accuracy", 1, SL_MEASURE_SHARE},
    {"cross_entropy", "ce", "cross-entropy", -1, SL_MEASURE_SCORE},
    {"rms_calibration", "calibration", "RMS calibration error", -1, SL_MEASURE_SCORE},
    {"entropy_correlation", "entropy-r", "correlation of entropies", 1, SL_MEASURE_SCORE},
    {"second_best_accuracy", NULL, "second-best accuracy", 1, SL_MEASURE_SHARE},
    {"accuracy_gain", NULL, "gain in accuracy (points)", 1, SL_MEASURE_SHARE},
    {"second_best_gain", NULL, "gain in second-best accuracy (points)", 1, SL_MEASURE_SHARE},
    {"ce_reduction", NULL, "reduction of cross-entropy (%)", 1, SL_MEASURE_SHARE},
    {"fgsm_loss", "fgsm", "FGSM loss", -1, SL_MEASURE_SCORE},
    {"fgsm_accuracy", NULL, "FGSM accuracy", 1, SL_MEASURE_SHARE},
    {"pgd_loss", NULL, "PGD loss", -1, SL_MEASURE_SCORE},
    {"pgd_accuracy", NULL, "PGD accuracy", 1, SL_MEASURE_SHARE},
    {"corruption_ce", NULL, "cross-entropy on corrupted images", -1, SL_MEASURE_SCORE},
    {"confidence_correct", NULL, "confidence when right", 0, SL_MEASURE_SHARE},
    {"confidence_incorrect", NULL, "confidence when wrong", -1, SL_MEASURE_SHARE},
    {"seconds", NULL, "annotator time (s)", -1, SL_MEASURE_COUNT},
    {"clicks_worth", "clicks", "worth in clicks", 0, SL_MEASURE_SCORE},
    {"break_even", NULL, "seconds at which an answer breaks even", 0, SL_MEASURE_SCORE},
    {"answers", NULL, "answers", 0, SL_MEASURE_COUNT},
    {"items", NULL, "items", 0, SL_MEASURE_COUNT},
    {"annotators", NULL, "annotators", 0, SL_MEASURE_COUNT},
    {"answers_per_item", NULL, "answers per item", 0, SL_MEASURE_COUNT},
    {"coder_label_ratio", NULL, "answers per item and class", 0, SL_MEASURE_COUNT},
    {"observed_agreement", "agreement", "observed agreement", 0, SL_MEASURE_SHARE},
    {"annotator_accuracy", NULL, "annotators' accuracy", 0, SL_MEASURE_SHARE},
    {"share_accurate", NULL, "share of accurate annotators", 0, SL_MEASURE_SHARE},
    {"share_never_true", "never-true", "share of items whose true class nobody named", 0,
     SL_MEASURE_SHARE},
    {"share_two_classes", "two-classes", "share of items with at most two classes", 0,
     SL_MEASURE_SHARE},
    {"top1_accuracy", "top1", "share of answers whose first class is true", 1, SL_MEASURE_SHARE},
    {"top2_accuracy", "top2", "share with the true class among the first two", 1, SL_MEASURE_SHARE},
    {"changed_class", NULL, "share of repeated answers that change the class", 0, SL_MEASURE_SHARE},
    {"mean_change", NULL, "mean change between an answer and its repeat", 0, SL_MEASURE_SCORE},
    {"wasserstein_values", "wasserstein", "Wasserstein distance of values", -1, SL_MEASURE_SCORE},
    {"js", NULL, "Jensen-Shannon divergence", -1, SL_MEASURE_SCORE},
    {"kl", NULL, "Kullback-Leibler divergence", -1, SL_MEASURE_SCORE},
    {"l1", NULL, "L1 distance", -1, SL_MEASURE_SCORE},
    {"entropy", NULL, "entropy", 0, SL_MEASURE_SCORE},
    {"top1_probability", NULL, "probability of the first class", 0, SL_MEASURE_SHARE},
    {"possible_classes", NULL, "possible classes", 0, SL_MEASURE_SCORE},
    {"inferred_share", "mean", "inferred share", 0, SL_MEASURE_SHARE},
    {"median", NULL, "median inferred share", 0, SL_MEASURE_SHARE},
    {"confidence", NULL, "confidence", 0, SL_MEASURE_SHARE},
    {"relabelling", NULL, "distance between inferred and generating share", 0, SL_MEASURE_SHARE},
    {"endpoint_correlation", "endpoint-r", "correlation with the mixing share", 0,
     SL_MEASURE_SCORE},
    {"off_endpoint_mass", "off-endpoints", "probability mass off the mixed classes", 0,
     SL_MEASURE_SHARE},

    /* Further measures that predictions are scored by. */
    {"accuracy_hard", NULL, "accuracy against hard labels", 1, SL_MEASURE_SHARE},
    {"top2_human", NULL, "accuracy against people's first two classes", 1, SL_MEASURE_SHARE},
    {"second_best_unique", NULL, "second-best accuracy where people have one second class", 1,
     SL_MEASURE_SHARE},
    {"correct_sba", NULL, "second-best accuracy when right", 1, SL_MEASURE_SHARE},
    {"incorrect_sba", NULL, "second-best accuracy when wrong", 1, SL_MEASURE_SHARE},
    {"best_sba", NULL, "second-best accuracy with the first class as a match", 1, SL_MEASURE_SHARE},
    {"weighted_precision", NULL, "weighted precision", 1, SL_MEASURE_SHARE},
    {"weighted_recall", NULL, "weighted recall", 1, SL_MEASURE_SHARE},
    {"weighted_f1", NULL, "weighted F1", 1, SL_MEASURE_SHARE},
    {"crowdtruth_precision", NULL, "CrowdTruth precision", 1, SL_MEASURE_SHARE},
    {"crowdtruth_recall", NULL, "CrowdTruth recall", 1, SL_MEASURE_SHARE},
    {"crowdtruth_f1", NULL, "CrowdTruth F1", 1, SL_MEASURE_SHARE},
    {"crowdtruth_f1_corrected", NULL, "CrowdTruth F1, corrected", 1, SL_MEASURE_SHARE},
    {"cross_entropy_unclipped", NULL, "cross-entropy without clipping", -1, SL_MEASURE_SCORE},
    {"cross_entropy_hard", NULL, "cross-entropy against hard labels", -1, SL_MEASURE_SCORE},
    {"brier", NULL, "Brier score", -1, SL_MEASURE_SCORE},
    {"brier_hard", NULL, "Brier score against hard labels", -1, SL_MEASURE_SCORE},
    {"rms_calibration_corrected", NULL, "RMS calibration error, corrected", -1, SL_MEASURE_SCORE},
    {"mad_calibration", NULL, "mean absolute calibration error", -1, SL_MEASURE_SCORE},
    {"mad_calibration_corrected", NULL, "mean absolute calibration error, corrected", -1,
     SL_MEASURE_SCORE},
    {"max_calibration", NULL, "largest calibration error", -1, SL_MEASURE_SCORE},
    {"max_calibration_corrected", NULL, "largest calibration error, corrected", -1,
     SL_MEASURE_SCORE},
    {"ece", NULL, "expected calibration error", -1, SL_MEASURE_SCORE},
    {"mce", NULL, "maximum calibration error", -1, SL_MEASURE_SCORE},
    {"adaptive_ece", NULL, "adaptive calibration error", -1, SL_MEASURE_SCORE},
    {"adaptive_ece_corrected", NULL, "adaptive calibration error, corrected", -1, SL_MEASURE_SCORE},
    {"corruption_ce_hard", NULL, "cross-entropy against hard labels on corrupted images", -1,
     SL_MEASURE_SCORE},
    {"corruption_accuracy", NULL, "accuracy on corrupted images", 1, SL_MEASURE_SHARE},
    {"corruption_error", NULL, "error on corrupted images", -1, SL_MEASURE_SHARE},
    {"aurra", NULL, "area under response rate and accuracy", 1, SL_MEASURE_SHARE},
    {"soft_f1", NULL, "soft F1", 1, SL_MEASURE_SHARE},
    {"temperature", NULL, "temperature that fits best", 0, SL_MEASURE_SCORE},
    {"entropy_similarity", NULL, "similarity of entropies", 1, SL_MEASURE_SCORE},
    {"mean_entropy", NULL, "entropy of predictions", 0, SL_MEASURE_SCORE},
    {"human_entropy", NULL, "entropy of people's distributions", 0, SL_MEASURE_SCORE},
    {"jensen_shannon", NULL, "Jensen-Shannon divergence", -1, SL_MEASURE_SCORE},
    {"jensen_shannon_distance", NULL, "Jensen-Shannon distance", -1, SL_MEASURE_SCORE},
    {"wasserstein", NULL, "Wasserstein distance of values", -1, SL_MEASURE_SCORE},
    {"wasserstein_classes", NULL, "Wasserstein distance of classes", -1, SL_MEASURE_SCORE},
    {NULL, NULL, NULL, 0, SL_MEASURE_SCORE},
};

const struct sl_measure *sl_measure_find(const char *name, size_t length)
{
    for (const struct sl_measure *measure = sl_measures; measure->name; measure++)
        if (strlen(measure->name) == length && memcmp(measure->name, name, length) == 0)
            return measure;
    return NULL;
}

int sl_measure_direction(const char *name)
{
    const struct sl_measure *measure = sl_measure_find(name, strlen(name));
    return measure ? measure->better : 0;
}
