/* The contribution of one row to measures that are means over items; metrics.c has the table. */
#ifndef SOFTLAB_EVAL_ITEMS_H
#define SOFTLAB_EVAL_ITEMS_H

#include "eval/eval_internal.h"

typedef double sl_eval_item(const struct sl_scored *scored, size_t row,
                            const struct sl_metric_options *options);

sl_eval_item sl_item_accuracy, sl_item_accuracy_hard, sl_item_top2, sl_item_top2_human;
sl_eval_item sl_item_second_best, sl_item_best_sba;
sl_eval_item sl_item_cross_entropy, sl_item_cross_entropy_unclipped, sl_item_cross_entropy_hard;
sl_eval_item sl_item_brier, sl_item_brier_hard;
sl_eval_item sl_item_confidence, sl_item_entropy, sl_item_human_entropy;
sl_eval_item sl_item_kl, sl_item_jensen_shannon, sl_item_jensen_shannon_distance;
sl_eval_item sl_item_l1, sl_item_wasserstein, sl_item_wasserstein_classes;

#endif
