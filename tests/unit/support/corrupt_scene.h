/* Images to corrupt, for the tests of corruptions. */
#ifndef SOFTLAB_TESTS_CORRUPT_SCENE_H
#define SOFTLAB_TESTS_CORRUPT_SCENE_H

#include "support.h"

#include "dataset/corrupt/corrupt.h"
#include "softlab/dataset.h"

/* A picture something like a photograph: waves, a bright disk and a dark edge. Image `which` of a
 * row of different ones. */
static inline struct sl_image test_photo(size_t height, size_t width, size_t channels, size_t which)
{
    struct sl_image image;
    struct sl_error err;
    assert_ok(sl_image_create(height, width, channels, &image, &err), err);
    const double shift = (double)which;
    for (size_t i = 0; i < height * width * channels; i++) {
        const size_t row = i / channels / width, column = i / channels % width;
        const double y = (double)row, x = (double)column;
        const double c = (double)(i % channels);
        double value = 120 + 70 * sin(.37 * x + .21 * y + c + shift) + 30 * sin(1.9 * y - x);
        if (hypot(y - 14, x - 11 - fmod(shift, 7)) < 6) value = 190 + 20 * c;
        if (x > 26) value = 30 + 10 * c;
        image.pixels[i] = (uint8_t)fmin(fmax(value, 0), 255);
    }
    return image;
}

/* A picture of one value. */
static inline struct sl_image test_plain(size_t side, size_t channels, uint8_t value)
{
    struct sl_image image;
    struct sl_error err;
    assert_ok(sl_image_create(side, side, channels, &image, &err), err);
    memset(image.pixels, value, side * side * channels);
    return image;
}

/* The image corrupted, on the heap. */
static inline uint8_t *test_corrupt(const char *name, int severity, uint64_t seed, uint64_t item,
                                    const struct sl_image *image)
{
    struct sl_error err;
    const struct sl_corruption *corruption = sl_corruption_find(name);
    assert_non_null(corruption);
    uint8_t *out = sl_alloc(image->height * image->width, image->channels);
    assert_ok(sl_corrupt(corruption, severity, seed, item, image, out, &err), err);
    return out;
}

#endif
