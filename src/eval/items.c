/* Measures that are a mean over items: the contribution of one row. */
#include "eval/items.h"

#include <math.h>

#include "softlab/label/compare.h"

/* The logarithm of a clipped probability; a clip of 0 changes nothing. */
static double clipped(double log_p, double clip)
{
    return clip > 0 ? fmin(fmax(log_p, log(clip)), log1p(-clip)) : log_p;
}

double sl_eval_cross_entropy(const struct sl_scored *scored, size_t row, double clip)
{
    const size_t n_classes = scored->n_classes;
    const double *human = scored->human + row * n_classes;
    const double *log_p = scored->log_predicted + row * n_classes;
    double sum = 0;
    for (size_t k = 0; k < n_classes; k++)
        if (human[k] > 0) sum -= human[k] * clipped(log_p[k], clip);
    return sum;
}

double sl_item_accuracy(const struct sl_scored *scored, size_t row,
                        const struct sl_metric_options *options)
{
    (void)options;
    return sl_eval_is_right(scored, row);
}

double sl_item_accuracy_hard(const struct sl_scored *scored, size_t row,
                             const struct sl_metric_options *options)
{
    (void)options;
    return scored->top[row] == sl_eval_truth(scored, row);
}

double sl_item_top2(const struct sl_scored *scored, size_t row,
                    const struct sl_metric_options *options)
{
    (void)options;
    return scored->top[row] == scored->human_top[row] ||
           scored->second[row] == scored->human_top[row];
}

double sl_item_top2_human(const struct sl_scored *scored, size_t row,
                          const struct sl_metric_options *options)
{
    (void)options;
    return scored->top[row] == scored->human_top[row] ||
           scored->top[row] == scored->human_second[row];
}

double sl_item_second_best(const struct sl_scored *scored, size_t row,
                           const struct sl_metric_options *options)
{
    (void)options;
    return scored->second[row] == scored->human_second[row];
}

double sl_item_best_sba(const struct sl_scored *scored, size_t row,
                        const struct sl_metric_options *options)
{
    (void)options;
    return scored->second[row] ==
           (sl_eval_is_right(scored, row) ? scored->human_second[row] : scored->human_top[row]);
}

double sl_item_cross_entropy(const struct sl_scored *scored, size_t row,
                             const struct sl_metric_options *options)
{
    return sl_eval_cross_entropy(scored, row, options->clip);
}

double sl_item_cross_entropy_unclipped(const struct sl_scored *scored, size_t row,
                                       const struct sl_metric_options *options)
{
    (void)options;
    return sl_eval_cross_entropy(scored, row, 0);
}

double sl_item_cross_entropy_hard(const struct sl_scored *scored, size_t row,
                                  const struct sl_metric_options *options)
{
    double log_p = scored->log_predicted[row * scored->n_classes + sl_eval_truth(scored, row)];
    return -clipped(log_p, options->clip);
}

double sl_item_brier(const struct sl_scored *scored, size_t row,
                     const struct sl_metric_options *options)
{
    (void)options;
    const double *p = scored->predicted + row * scored->n_classes;
    const double *human = scored->human + row * scored->n_classes;
    double sum = 0;
    for (size_t k = 0; k < scored->n_classes; k++)
        sum += (p[k] - human[k]) * (p[k] - human[k]);
    return sum;
}

double sl_item_brier_hard(const struct sl_scored *scored, size_t row,
                          const struct sl_metric_options *options)
{
    (void)options;
    const double *p = scored->predicted + row * scored->n_classes;
    const uint32_t truth = sl_eval_truth(scored, row);
    double sum = 0;
    for (size_t k = 0; k < scored->n_classes; k++) {
        double miss = p[k] - (k == truth);
        sum += miss * miss;
    }
    return sum;
}

double sl_item_confidence(const struct sl_scored *scored, size_t row,
                          const struct sl_metric_options *options)
{
    (void)options;
    return scored->confidence[row];
}

double sl_item_entropy(const struct sl_scored *scored, size_t row,
                       const struct sl_metric_options *options)
{
    (void)options;
    return scored->entropy[row];
}

double sl_item_human_entropy(const struct sl_scored *scored, size_t row,
                             const struct sl_metric_options *options)
{
    (void)options;
    return scored->human_entropy[row];
}

/* Cross-entropy minus entropy: log-softmax stays finite where sl_label_distances would divide by a
 * probability of 0. */
double sl_item_kl(const struct sl_scored *scored, size_t row,
                  const struct sl_metric_options *options)
{
    (void)options;
    return fmax(sl_eval_cross_entropy(scored, row, 0) - scored->human_entropy[row], 0);
}

static double distance(const struct sl_scored *scored, size_t row, enum sl_label_distance_kind kind)
{
    const size_t at = row * scored->n_classes;
    return sl_label_distances[kind].between(scored->human + at, scored->predicted + at,
                                            scored->n_classes);
}

double sl_item_jensen_shannon(const struct sl_scored *scored, size_t row,
                              const struct sl_metric_options *options)
{
    (void)options;
    return distance(scored, row, SL_DISTANCE_JENSEN_SHANNON);
}

double sl_item_jensen_shannon_distance(const struct sl_scored *scored, size_t row,
                                       const struct sl_metric_options *options)
{
    (void)options;
    return sqrt(distance(scored, row, SL_DISTANCE_JENSEN_SHANNON));
}

double sl_item_l1(const struct sl_scored *scored, size_t row,
                  const struct sl_metric_options *options)
{
    (void)options;
    return distance(scored, row, SL_DISTANCE_L1);
}

double sl_item_wasserstein(const struct sl_scored *scored, size_t row,
                           const struct sl_metric_options *options)
{
    (void)options;
    return distance(scored, row, SL_DISTANCE_WASSERSTEIN_VALUES);
}

double sl_item_wasserstein_classes(const struct sl_scored *scored, size_t row,
                                   const struct sl_metric_options *options)
{
    (void)options;
    return distance(scored, row, SL_DISTANCE_WASSERSTEIN_CLASSES);
}
