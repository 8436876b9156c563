#include <assert.h>
#include <string.h>

#include "softlab/dataset.h"

/* Crop the zero-padded image at the corner (down, right), counted from the corner of the
 * padding. */
static void crop(const struct sl_image *image, size_t padding, const size_t corner[2], uint8_t *out)
{
    const size_t height = image->height, width = image->width, channels = image->channels;
    const size_t row = width * channels;
    const size_t down = corner[0], right = corner[1];
    memset(out, 0, height * row);
    for (size_t y = 0; y < height; y++) {
        if (y + down < padding || y + down - padding >= height) continue;
        size_t from = right > padding ? right - padding : 0; /* first visible column */
        size_t to = right < padding ? padding - right : 0;   /* its column in the result */
        size_t lost = from + to;
        if (lost >= width) continue;
        memcpy(out + y * row + to * channels,
               image->pixels + (y + down - padding) * row + from * channels,
               (width - lost) * channels);
    }
}

static void mirror(uint8_t *pixels, size_t height, size_t width, size_t channels)
{
    for (size_t y = 0; y < height; y++) {
        uint8_t *left = pixels + y * width * channels;
        uint8_t *right = left + (width - 1) * channels;
        for (; left < right; left += channels, right -= channels) {
            for (size_t c = 0; c < channels; c++) {
                uint8_t kept = left[c];
                left[c] = right[c];
                right[c] = kept;
            }
        }
    }
}

/* The part of [center - side / 2, center - side / 2 + side) that lies in the image. */
static void clip_square(size_t center, size_t side, size_t size, size_t *begin, size_t *end)
{
    size_t before = side / 2, after = side - before;
    *begin = center > before ? center - before : 0;
    *end = after < size - center ? center + after : size;
}

static void cut_out(uint8_t *pixels, size_t height, size_t width, size_t channels,
                    const struct sl_augment *augment, const size_t center[2])
{
    size_t top, bottom, left, right;
    clip_square(center[0], augment->cutout, height, &top, &bottom);
    clip_square(center[1], augment->cutout, width, &left, &right);
    for (size_t y = top; y < bottom; y++)
        for (size_t x = left; x < right; x++)
            memcpy(pixels + (y * width + x) * channels, augment->fill, channels);
}

void sl_augment_apply(const struct sl_augment *augment, uint64_t epoch, uint64_t item,
                      const struct sl_image *image, uint8_t *out)
{
    const size_t height = image->height, width = image->width, channels = image->channels;
    assert(channels <= sizeof augment->fill && height > 0 && width > 0);
    struct sl_rng rng;
    sl_rng_init(&rng, augment->seed, "augment", epoch, item);
    if (augment->crop_padding > 0) {
        const uint64_t places = 2 * (uint64_t)augment->crop_padding + 1;
        size_t down = (size_t)sl_rng_below(&rng, places);
        size_t right = (size_t)sl_rng_below(&rng, places);
        crop(image, augment->crop_padding, (size_t[]){down, right}, out);
    } else {
        memcpy(out, image->pixels, height * width * channels);
    }
    if (augment->flip && sl_rng_below(&rng, 2) == 1) mirror(out, height, width, channels);
    if (augment->cutout > 0) {
        size_t down = (size_t)sl_rng_below(&rng, height);
        size_t right = (size_t)sl_rng_below(&rng, width);
        cut_out(out, height, width, channels, augment, (size_t[]){down, right});
    }
}
