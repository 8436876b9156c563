/* Shared by methods: the reduced cross-entropy, and mixing. */
#ifndef SOFTLAB_TRAIN_METHOD_PARTS_H
#define SOFTLAB_TRAIN_METHOD_PARTS_H

#include "train/method.h"

/* The factor of a sum over items: 1, or 1 / count. */
double sl_method_scale(const struct sl_method *method, const struct sl_method_batch *batch);

/* A `loss`: soft cross-entropy of every row, all copies alike. */
void sl_method_cross_entropy(struct sl_method *method, const struct sl_method_batch *batch,
                             const float *logits, float *gradient, double *total);

/* The steps of mixup: draw one share from Beta(alpha, alpha) and one permutation per batch; mix
 * pixels and targets in place. With alpha 0 nothing is mixed, so text is accepted. */
enum sl_status sl_method_mixup_check(const struct sl_method *method, const struct sl_feed *feed,
                                     struct sl_error *err) SL_MUST_USE;
struct sl_method_sizes sl_method_mixup_sizes(const struct sl_method *method);
void sl_method_mixup_prepare(struct sl_method *method, struct sl_method_batch *batch);

/* Check for methods with a mixed copy of each item: they need pixels and an alpha above 0. */
enum sl_status sl_method_copies_check(const struct sl_method *method, const struct sl_feed *feed,
                                      struct sl_error *err) SL_MUST_USE;
/* Rows [count, 2 count) become shares[i] of row i and the rest of row partners[i]. */
void sl_method_mix_copies(const size_t *partners, const float *shares, size_t count, size_t width,
                          float *rows);

/* The stream of a batch's mixing, and the share that is its first draw. */
double sl_method_draw_share(const struct sl_method *method, const struct sl_method_batch *batch,
                            struct sl_rng *rng);

#endif
