#include "softlab/feed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "feed/feed_internal.h"
#include "softlab/base/memory.h"

size_t sl_feed_pixels_per_item(const struct sl_feed *feed)
{
    return feed->shape.channels * feed->shape.height * feed->shape.width;
}

/* ---- Images ---- */

/* Bytes (pixels, channels) to floats (channels, pixels) from 0 to 1. Three channels have a loop of
 * their own, whose constant stride the compiler can use. */
static void planes_of(const uint8_t *from, size_t n_pixels, size_t channels, float *to)
{
    if (channels == 3) {
        for (size_t c = 0; c < 3; c++)
            for (size_t i = 0; i < n_pixels; i++)
                to[c * n_pixels + i] = (float)from[i * 3 + c] / 255.0f;
        return;
    }
    for (size_t c = 0; c < channels; c++)
        for (size_t i = 0; i < n_pixels; i++)
            to[c * n_pixels + i] = (float)from[i * channels + c] / 255.0f;
}

static void fill_image(const struct sl_feed *feed, size_t item, const struct sl_augment *augment,
                       uint64_t epoch, const struct sl_feed_place *at)
{
    struct sl_feed_batch *batch = at->batch;
    const struct sl_dataset *images = feed->images;
    const size_t n_pixels = images->height * images->width;
    uint8_t *bytes = images->pixels + item * n_pixels * images->channels;
    if (augment) {
        const struct sl_image image = {images->height, images->width, images->channels, bytes};
        uint8_t *augmented = batch->scratch + at->worker * batch->pixels_per_item;
        sl_augment_apply(augment, epoch, item, &image, augmented);
        bytes = augmented;
    }
    planes_of(bytes, n_pixels, images->channels,
              batch->pixels + at->place * batch->pixels_per_item);
}

static void lay_out_pixels(const struct sl_feed *feed, struct sl_feed_batch *batch)
{
    (void)feed;
    batch->view.pixels = batch->pixels;
}

static const struct sl_feed_kind images_kind = {.lay_out = lay_out_pixels, .fill = fill_image};

static struct sl_feed *make(const struct sl_feed_kind *kind, size_t count,
                            struct sl_input_shape shape)
{
    struct sl_feed *feed = sl_alloc(1, sizeof *feed);
    *feed = (struct sl_feed){.kind = kind, .count = count, .shape = shape};
    return feed;
}

enum sl_status sl_feed_images(const struct sl_dataset *dataset, struct sl_feed **out,
                              struct sl_error *err)
{
    if (!dataset->pixels)
        return sl_fail(err, SL_ERR_INPUT, "%s: the images are not in memory at one common size",
                       dataset->name);
    const struct sl_input_shape shape = {
        .channels = dataset->channels, .height = dataset->height, .width = dataset->width};
    struct sl_feed *feed = make(&images_kind, dataset->count, shape);
    feed->images = dataset;
    *out = feed;
    return SL_OK;
}

/* ---- Features ---- */

static void fill_features(const struct sl_feed *feed, size_t item, const struct sl_augment *augment,
                          uint64_t epoch, const struct sl_feed_place *at)
{
    (void)augment, (void)epoch;
    const size_t n = feed->shape.channels;
    memcpy(at->batch->pixels + at->place * n, feed->features + item * n,
           n * sizeof *feed->features);
}

static const struct sl_feed_kind features_kind = {.lay_out = lay_out_pixels, .fill = fill_features};

enum sl_status sl_feed_features(const float *values, size_t count, size_t features,
                                struct sl_feed **out, struct sl_error *err)
{
    if (features == 0) return sl_fail(err, SL_ERR_INPUT, "the rows have no features");
    const struct sl_input_shape shape = {.channels = features, .height = 1, .width = 1};
    struct sl_feed *feed = make(&features_kind, count, shape);
    feed->features = values;
    *out = feed;
    return SL_OK;
}

/* ---- Any feed ---- */

void sl_feed_destroy(struct sl_feed *feed)
{
    if (!feed) return;
    if (feed->kind->release) feed->kind->release(feed);
    free(feed);
}

size_t sl_feed_count(const struct sl_feed *feed)
{
    return feed->count;
}

struct sl_input_shape sl_feed_shape(const struct sl_feed *feed)
{
    return feed->shape;
}

enum sl_status sl_feed_batch_create(const struct sl_feed *feed, size_t capacity,
                                    struct sl_pool *pool, struct sl_feed_batch *out,
                                    struct sl_error *err)
{
    const size_t floats = sl_feed_pixels_per_item(feed);
    const size_t integers = feed->kind->n_integers ? feed->kind->n_integers(feed) : 0;
    struct sl_feed_batch batch = {.capacity = capacity, .pixels_per_item = floats, .pool = pool};
    enum sl_status status = SL_OK;
    if (floats > 0) {
        batch.pixels = sl_data_alloc(capacity, floats * sizeof *batch.pixels, err);
        batch.scratch = sl_data_alloc(sl_pool_threads(pool), floats, err);
        if (!batch.pixels || !batch.scratch) status = SL_ERR_NOMEM;
    }
    if (integers > 0) {
        batch.integers = sl_data_alloc(capacity, integers * sizeof *batch.integers, err);
        if (!batch.integers) status = SL_ERR_NOMEM;
    }
    if (status != SL_OK) {
        sl_feed_batch_release(&batch);
        return status;
    }
    feed->kind->lay_out(feed, &batch);
    *out = batch;
    return SL_OK;
}

void sl_feed_batch_release(struct sl_feed_batch *batch)
{
    free(batch->pixels);
    free(batch->integers);
    free(batch->scratch);
    *batch = (struct sl_feed_batch){0};
}

static void fill_place(void *context, size_t place, size_t worker)
{
    const struct sl_feed_items *items = context;
    const struct sl_feed_place at = {items->batch, place, worker};
    items->feed->kind->fill(items->feed, items->items[place], items->augment, items->epoch, &at);
}

static void check_items(const struct sl_feed_items *items)
{
    assert(items->count <= items->batch->capacity);
    for (size_t i = 0; i < items->count; i++)
        assert(items->items[i] < items->feed->count);
}

void sl_feed_fill(const struct sl_feed_items *items)
{
    struct sl_feed_items copy = *items;
    check_items(items);
    sl_pool_run(items->batch->pool, items->count, fill_place, &copy);
}

void sl_feed_fill_meanwhile(struct sl_feed_items *items)
{
    check_items(items);
    sl_pool_begin(items->batch->pool, items->count, fill_place, items);
}
