/* What methods share: the reduced cross-entropy, and mixing. */
#ifndef SOFTLAB_TRAIN_METHOD_PARTS_H
#define SOFTLAB_TRAIN_METHOD_PARTS_H

#include "train/method.h"

/* What a sum over items is multiplied by: 1, or 1 / count. */
double sl_method_scale(const struct sl_method *method, const struct sl_method_batch *batch);

/* A `loss`: soft cross-entropy of every row, all copies alike. */
void sl_method_cross_entropy(struct sl_method *method, const struct sl_method_batch *batch,
                             const float *logits, float *gradient, double *total);

/* The steps of mixup: a share from Beta(alpha, alpha) for the batch, a permutation of it, pixels
 * and targets mixed in place. An alpha of 0 mixes nothing, and then text will do. */
enum sl_status sl_method_mixup_check(const struct sl_method *method, const struct sl_feed *feed,
                                     struct sl_error *err) SL_MUST_USE;
struct sl_method_sizes sl_method_mixup_sizes(const struct sl_method *method);
void sl_method_mixup_prepare(struct sl_method *method, struct sl_method_batch *batch);

/* Methods with a mixed copy beside each item: pixels, and an alpha above 0. */
enum sl_status sl_method_copies_check(const struct sl_method *method, const struct sl_feed *feed,
                                      struct sl_error *err) SL_MUST_USE;
/* Rows [count, 2 count) become shares[i] of row i and the rest of row partners[i]. */
void sl_method_mix_copies(const size_t *partners, const float *shares, size_t count, size_t width,
                          float *rows);

/* The stream of a batch's mixing, and the share that is its first draw. */
double sl_method_draw_share(const struct sl_method *method, const struct sl_method_batch *batch,
                            struct sl_rng *rng);

#endif
