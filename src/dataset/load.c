/* Bringing every image of a data set into memory at one size. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/dataset.h"

/* ITU-R BT.601 luma in 16-bit fixed point, as Pillow's convert("L"). */
static uint8_t grey_of(const uint8_t *rgb)
{
    return (uint8_t)((rgb[0] * 19595u + rgb[1] * 38470u + rgb[2] * 7471u + 0x8000u) >> 16);
}

static enum sl_status change_channels(struct sl_image *image, size_t channels, struct sl_error *err)
{
    if (image->channels == channels) return SL_OK;
    struct sl_image changed;
    SL_TRY(sl_image_create(image->height, image->width, channels, &changed, err));
    size_t n_pixels = image->height * image->width;
    for (size_t i = 0; i < n_pixels; i++) {
        if (channels == 1)
            changed.pixels[i] = grey_of(image->pixels + 3 * i);
        else
            memset(changed.pixels + 3 * i, image->pixels[i], 3);
    }
    sl_image_release(image);
    *image = changed;
    return SL_OK;
}

static enum sl_status change_size(struct sl_image *image, size_t height, size_t width,
                                  struct sl_error *err)
{
    if (image->height == height && image->width == width) return SL_OK;
    struct sl_image resized;
    SL_TRY(sl_image_resize(image, height, width, &resized, err));
    sl_image_release(image);
    *image = resized;
    return SL_OK;
}

/* What the images are to become, and which fields the caller left to them. */
struct target {
    size_t height, width, channels;
    bool any_height, any_width, any_channels;
};

static const char *label_of(const struct sl_dataset *dataset, size_t index)
{
    return dataset->files ? dataset->files[index] : dataset->items[index];
}

static enum sl_status check_same(const struct sl_dataset *dataset, size_t index,
                                 const struct target *target, const struct sl_image *image,
                                 struct sl_error *err)
{
    if ((target->any_height && image->height != target->height) ||
        (target->any_width && image->width != target->width))
        return sl_fail(err, SL_ERR_INPUT, "%s is %zu x %zu pixels but %s is %zu x %zu: give a size",
                       label_of(dataset, 0), target->width, target->height,
                       label_of(dataset, index), image->width, image->height);
    if (target->any_channels && image->channels != target->channels)
        return sl_fail(err, SL_ERR_INPUT, "%s has %zu channels but %s has %zu: give a number",
                       label_of(dataset, 0), target->channels, label_of(dataset, index),
                       image->channels);
    return SL_OK;
}

/* One image in the target's form. Grey before resampling and RGB after it cost least. */
static enum sl_status fetch_image(const struct sl_dataset *dataset, size_t index,
                                  const struct target *target, uint8_t *to, struct sl_error *err)
{
    struct sl_image image = {0};
    enum sl_status status;
    SL_TRY_OUT(sl_dataset_image(dataset, index, &image, err));
    SL_TRY_OUT(check_same(dataset, index, target, &image, err));
    if (target->channels == 1) SL_TRY_OUT(change_channels(&image, 1, err));
    SL_TRY_OUT(change_size(&image, target->height, target->width, err));
    SL_TRY_OUT(change_channels(&image, target->channels, err));
    memcpy(to, image.pixels, target->height * target->width * target->channels);
out:
    sl_image_release(&image);
    return status;
}

/* Fill what the caller left open from the first image. */
static enum sl_status choose_target(const struct sl_dataset *dataset, struct target *target,
                                    struct sl_error *err)
{
    struct sl_image first;
    SL_TRY(sl_dataset_image(dataset, 0, &first, err));
    if (target->any_height) target->height = first.height;
    if (target->any_width) target->width = first.width;
    if (target->any_channels) target->channels = first.channels;
    sl_image_release(&first);
    if (target->width <= SL_IMAGE_MAX_PIXELS / target->height) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE, "%zu x %zu pixels are more than an image may have",
                   target->width, target->height);
}

static void replace_content(struct sl_dataset *dataset, const struct target *target,
                            uint8_t *pixels)
{
    free(dataset->pixels);
    for (size_t i = 0; dataset->files && i < dataset->count; i++)
        free(dataset->files[i]);
    free(dataset->files);
    dataset->files = NULL;
    dataset->pixels = pixels;
    dataset->height = target->height;
    dataset->width = target->width;
    dataset->channels = target->channels;
}

enum sl_status sl_dataset_load(struct sl_dataset *dataset, size_t height, size_t width,
                               size_t channels, struct sl_error *err)
{
    if (channels > 3 || channels == 2)
        return sl_fail(err, SL_ERR_USAGE, "an image has 1 or 3 channels, not %zu", channels);
    if (dataset->pixels && (!height || height == dataset->height) &&
        (!width || width == dataset->width) && (!channels || channels == dataset->channels))
        return SL_OK;
    if (dataset->count == 0) return sl_fail(err, SL_ERR_USAGE, "%s has no items", dataset->name);
    struct target target = {height, width, channels, !height, !width, !channels};
    SL_TRY(choose_target(dataset, &target, err));
    size_t bytes = target.height * target.width * target.channels;
    uint8_t *pixels = sl_data_alloc(dataset->count, bytes, err);
    if (!pixels) return SL_ERR_NOMEM;
    for (size_t i = 0; i < dataset->count; i++) {
        enum sl_status status = fetch_image(dataset, i, &target, pixels + i * bytes, err);
        if (status != SL_OK) {
            free(pixels);
            return status;
        }
    }
    replace_content(dataset, &target, pixels);
    return SL_OK;
}
