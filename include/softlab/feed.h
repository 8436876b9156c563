/* Feed: items as networks read them, batch by batch; and predicting, which is feeding without
 * learning. A feed is read-only after its creation and borrows what it stands on. */
#ifndef SOFTLAB_FEED_H
#define SOFTLAB_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/log.h"
#include "softlab/dataset.h"
#include "softlab/nn.h"

SL_BEGIN_DECLS

struct sl_feed;

/* Images in memory (dataset->pixels), as floats from 0 to 1, channel by channel. */
enum sl_status sl_feed_images(const struct sl_dataset *dataset, struct sl_feed **out,
                              struct sl_error *err) SL_MUST_USE;
/* Rows of features (count, features). */
enum sl_status sl_feed_features(const float *values, size_t count, size_t features,
                                struct sl_feed **out, struct sl_error *err) SL_MUST_USE;
void sl_feed_destroy(struct sl_feed *feed);

size_t sl_feed_count(const struct sl_feed *feed);
struct sl_input_shape sl_feed_shape(const struct sl_feed *feed);

/* Room for a batch. `view` is what a plan reads; `pixels` is the same memory, to be changed by who
 * mixes or attacks images (features lie there too; NULL for text). */
struct sl_feed_batch {
    struct sl_batch view;
    float *pixels;     /* owned; (capacity, pixels_per_item) */
    int32_t *integers; /* owned; what text needs */
    uint8_t *scratch;  /* owned; one augmented image */
    size_t capacity, pixels_per_item;
};
enum sl_status sl_feed_batch_create(const struct sl_feed *feed, size_t capacity,
                                    struct sl_feed_batch *out, struct sl_error *err) SL_MUST_USE;
void sl_feed_batch_release(struct sl_feed_batch *batch);

/* Put these items into the first places of the batch. `augment` (images only) may be NULL; its
 * draws depend on (augment->seed, epoch, item) alone. Allocates nothing. */
void sl_feed_fill(const struct sl_feed *feed, const size_t *items, size_t count,
                  const struct sl_augment *augment, uint64_t epoch, struct sl_feed_batch *batch);

/* Predicting: a plan in evaluation mode with its batch. */
struct sl_tuning;
struct sl_predictor;
enum sl_status sl_predictor_create(struct sl_model *model, const struct sl_feed *feed, size_t batch,
                                   const struct sl_tuning *tuning, struct sl_predictor **out,
                                   struct sl_error *err) SL_MUST_USE;
void sl_predictor_destroy(struct sl_predictor *predictor);
/* Logits (count, classes) of these items of `feed`, which must have the shape of the one the
 * predictor was made for; `items` NULL: the first `count`. `progress` may be NULL. */
void sl_predict(struct sl_predictor *predictor, const struct sl_feed *feed, const size_t *items,
                size_t count, struct sl_progress *progress, float *logits);

SL_END_DECLS

#endif
