/* Shared by all kinds of feed. */
#ifndef SOFTLAB_FEED_INTERNAL_H
#define SOFTLAB_FEED_INTERNAL_H

#include "softlab/feed.h"

/* Where an item goes, and which thread's scratch it may use. */
struct sl_feed_place {
    struct sl_feed_batch *batch;
    size_t place, worker;
};

/* A kind of feed. */
struct sl_feed_kind {
    /* The number of floats and of integers of one item. */
    size_t (*n_integers)(const struct sl_feed *feed);
    /* Point the parts of `view` into the memory of a batch. */
    void (*lay_out)(const struct sl_feed *feed, struct sl_feed_batch *batch);
    void (*fill)(const struct sl_feed *feed, size_t item, const struct sl_augment *augment,
                 uint64_t epoch, const struct sl_feed_place *at);
    void (*release)(struct sl_feed *feed); /* frees what it owns; may be NULL */
};

struct sl_feed {
    const struct sl_feed_kind *kind;
    size_t count;
    struct sl_input_shape shape;
    const struct sl_dataset *images; /* borrowed; images */
    const float *features;           /* borrowed; rows of features */
    struct sl_feed_text *text;       /* owned; text */
};

/* Floats of one item. */
size_t sl_feed_pixels_per_item(const struct sl_feed *feed);

#endif
