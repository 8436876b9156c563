/* Scores per class and their means, weighted by the number of items of each class. CrowdTruth's
 * scores weight an item by how clearly people chose its class. */
#include <math.h>
#include <stdlib.h>

#include "eval/eval_internal.h"
#include "softlab/base/classes.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"

size_t sl_eval_n_right(const struct sl_model *model, const float *logits, const int32_t *classes,
                       size_t n)
{
    const size_t n_classes = sl_model_classes(model);
    char *const *names = sl_model_class_names(model);
    size_t *order = names ? sl_alloc(n_classes, sizeof *order) : NULL;
    size_t right = 0;
    if (names) sl_classes_order(names, n_classes, order);
    for (size_t i = 0; i < n; i++)
        right += sl_first_choice(logits + i * n_classes, n_classes, order) == (size_t)classes[i];
    free(order);
    return right;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static double share(size_t part, size_t whole)
{
    return ratio((double)part, (double)whole);
}

/* All but the cross-entropy. */
static void count_classes(const struct sl_scored *scored, struct sl_class_score *out)
{
    for (size_t k = 0; k < scored->n_classes; k++)
        out[k] = (struct sl_class_score){0};
    for (size_t i = 0; i < scored->n; i++) {
        uint32_t truth = sl_eval_truth(scored, i);
        out[truth].support++;
        out[scored->top[i]].predicted++;
        out[truth].correct += scored->top[i] == truth;
    }
    for (size_t k = 0; k < scored->n_classes; k++) {
        out[k].precision = share(out[k].correct, out[k].predicted);
        out[k].recall = share(out[k].correct, out[k].support);
        out[k].f1 = share(2 * out[k].correct, out[k].predicted + out[k].support);
    }
}

void sl_class_scores(const struct sl_scored *scored, const struct sl_metric_options *options,
                     struct sl_class_score *out)
{
    count_classes(scored, out);
    for (size_t i = 0; i < scored->n; i++)
        out[sl_eval_truth(scored, i)].cross_entropy +=
            sl_eval_cross_entropy(scored, i, options->clip);
    for (size_t k = 0; k < scored->n_classes; k++)
        out[k].cross_entropy /= (double)out[k].support;
}

enum score { PRECISION, RECALL, F1 };

static double weighted(const struct sl_scored *scored, enum score score)
{
    struct sl_class_score *classes = sl_alloc(scored->n_classes, sizeof *classes);
    count_classes(scored, classes);
    double sum = 0;
    for (size_t k = 0; k < scored->n_classes; k++) {
        const double values[] = {classes[k].precision, classes[k].recall, classes[k].f1};
        sum += (double)classes[k].support * values[score];
    }
    free(classes);
    return sum / (double)scored->n;
}

double sl_eval_weighted_precision(const struct sl_scored *scored,
                                  const struct sl_metric_options *options)
{
    (void)options;
    return weighted(scored, PRECISION);
}

double sl_eval_weighted_recall(const struct sl_scored *scored,
                               const struct sl_metric_options *options)
{
    (void)options;
    return weighted(scored, RECALL);
}

double sl_eval_weighted_f1(const struct sl_scored *scored, const struct sl_metric_options *options)
{
    (void)options;
    return weighted(scored, F1);
}

/* The weights of a class's items. */
struct weights {
    double hits, false_positives, false_negatives;
    size_t support;
};

static double score_weights(const struct weights *weights, enum score score)
{
    const double hits = weights->hits, with_positives = hits + weights->false_positives,
                 with_negatives = hits + weights->false_negatives;
    switch (score) {
    case PRECISION: return ratio(hits, with_positives);
    case RECALL: return ratio(hits, with_negatives);
    case F1: break;
    }
    return ratio(2 * hits, with_positives + with_negatives);
}

/* A false positive weighs 1 - clarity. Uma et al. use the clarity of the true class; that of the
 * predicted class says how clearly people chose what was predicted. */
static double crowdtruth(const struct sl_scored *scored, const double *clarity, enum score score)
{
    struct weights *classes = sl_alloc(scored->n_classes, sizeof *classes);
    for (size_t i = 0; i < scored->n; i++) {
        const uint32_t truth = sl_eval_truth(scored, i), choice = scored->top[i];
        classes[truth].support++;
        if (choice == truth) {
            classes[truth].hits += scored->truth_score[i];
        } else {
            classes[choice].false_positives += 1 - clarity[i];
            classes[truth].false_negatives += scored->truth_score[i];
        }
    }
    double sum = 0;
    for (size_t k = 0; k < scored->n_classes; k++)
        sum += (double)classes[k].support * score_weights(&classes[k], score);
    free(classes);
    return sum / (double)scored->n;
}

double sl_eval_crowdtruth_precision(const struct sl_scored *scored,
                                    const struct sl_metric_options *options)
{
    (void)options;
    return crowdtruth(scored, scored->truth_score, PRECISION);
}

double sl_eval_crowdtruth_recall(const struct sl_scored *scored,
                                 const struct sl_metric_options *options)
{
    (void)options;
    return crowdtruth(scored, scored->truth_score, RECALL);
}

double sl_eval_crowdtruth_f1(const struct sl_scored *scored,
                             const struct sl_metric_options *options)
{
    (void)options;
    return crowdtruth(scored, scored->truth_score, F1);
}

double sl_eval_crowdtruth_f1_corrected(const struct sl_scored *scored,
                                       const struct sl_metric_options *options)
{
    (void)options;
    return crowdtruth(scored, scored->choice_score, F1);
}
