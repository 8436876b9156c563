/* Feed: turns items into batches that networks read, and predicts. A feed is read-only after its
 * creation and borrows its data. */
#ifndef SOFTLAB_FEED_H
#define SOFTLAB_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/log.h"
#include "softlab/dataset.h"
#include "softlab/nn.h"
#include "softlab/pool.h"

SL_BEGIN_DECLS

struct sl_feed;

/* A feed of images in memory (dataset->pixels), as floats from 0 to 1, channel by channel. */
enum sl_status sl_feed_images(const struct sl_dataset *dataset, struct sl_feed **out,
                              struct sl_error *err) SL_MUST_USE;
/* A feed of rows of features (count, features). */
enum sl_status sl_feed_features(const float *values, size_t count, size_t features,
                                struct sl_feed **out, struct sl_error *err) SL_MUST_USE;
void sl_feed_destroy(struct sl_feed *feed);

size_t sl_feed_count(const struct sl_feed *feed);
struct sl_input_shape sl_feed_shape(const struct sl_feed *feed);

/* Memory for a batch. A plan reads `view`; `pixels` is the same memory, for callers that mix or
 * attack images (it holds features too; NULL for text). */
struct sl_feed_batch {
    struct sl_batch view;
    float *pixels;     /* owned; (capacity, pixels_per_item) */
    int32_t *integers; /* owned; for text */
    uint8_t *scratch;  /* owned; an augmented image for each thread */
    size_t capacity, pixels_per_item;
    struct sl_pool *pool; /* borrowed; threads that fill it, or NULL */
};
enum sl_status sl_feed_batch_create(const struct sl_feed *feed, size_t capacity,
                                    struct sl_pool *pool, struct sl_feed_batch *out,
                                    struct sl_error *err) SL_MUST_USE;
void sl_feed_batch_release(struct sl_feed_batch *batch);

/* Items to put into the first places of a batch; all borrowed. */
struct sl_feed_items {
    const struct sl_feed *feed;
    const size_t *items;
    size_t count;
    /* Images only, or NULL. Draws depend on (augment->seed, epoch, item) only. */
    const struct sl_augment *augment;
    uint64_t epoch;
    struct sl_feed_batch *batch;
};
/* Allocates nothing. */
void sl_feed_fill(const struct sl_feed_items *items);
/* The same by threads of the batch's pool that have nothing else to do. What `items` points to must
 * stay as it is until sl_pool_finish. */
void sl_feed_fill_meanwhile(struct sl_feed_items *items);

/* A predictor: a plan in evaluation mode with its batch. `pool` may be NULL. */
struct sl_tuning;
struct sl_predictor;
enum sl_status sl_predictor_create(struct sl_model *model, const struct sl_feed *feed, size_t batch,
                                   const struct sl_tuning *tuning, struct sl_pool *pool,
                                   struct sl_predictor **out, struct sl_error *err) SL_MUST_USE;
void sl_predictor_destroy(struct sl_predictor *predictor);
/* Write the logits (count, classes) of these items. `feed` must have the shape of the feed that the
 * predictor was created with; `items` NULL: the first `count`. `progress` may be NULL.
 * SL_ERR_STOPPED if the caller of the pool wants to end. */
enum sl_status sl_predict(struct sl_predictor *predictor, const struct sl_feed *feed,
                          const size_t *items, size_t count, struct sl_progress *progress,
                          float *logits, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
