#include "study/session/images.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/dataset/image.h"

void sl_images_init(struct sl_images *images, size_t count)
{
    *images = (struct sl_images){.pictures = sl_alloc(count ? count : 1, sizeof *images->pictures),
                                 .count = count};
}

static void destroy(struct sl_picture *picture)
{
    picture->images->bytes -= picture->length;
    free(picture->bytes);
    free(picture);
}

void sl_images_release(struct sl_images *images)
{
    for (size_t i = 0; i < images->count; i++)
        if (images->pictures[i]) destroy(images->pictures[i]);
    free(images->pictures);
    *images = (struct sl_images){0};
}

struct sl_picture *sl_images_find(struct sl_images *images, size_t index)
{
    struct sl_picture *picture = images->pictures[index];
    if (picture) picture->used = ++images->askings;
    return picture;
}

void sl_picture_hold(struct sl_picture *picture)
{
    picture->holders++;
}

/* A picture that was replaced is in no list any more. */
void sl_picture_let_go(void *picture)
{
    struct sl_picture *held = picture;
    if (--held->holders == 0 && held->images->pictures[held->index] != held) destroy(held);
}

static void drop(struct sl_images *images, size_t index)
{
    struct sl_picture *picture = images->pictures[index];
    images->pictures[index] = NULL;
    if (picture->holders == 0) destroy(picture);
}

static bool make_room(struct sl_images *images, size_t length)
{
    while (images->bytes + length > SL_IMAGES_MAX_BYTES) {
        const struct sl_picture *oldest = NULL;
        for (size_t i = 0; i < images->count; i++) {
            const struct sl_picture *one = images->pictures[i];
            if (one && one->holders == 0 && (!oldest || one->used < oldest->used)) oldest = one;
        }
        if (!oldest) return false;
        drop(images, oldest->index);
    }
    return true;
}

struct sl_picture *sl_images_put(struct sl_images *images, size_t index, const char *type,
                                 const struct sl_buffer *bytes)
{
    if (images->pictures[index]) drop(images, index);
    if (bytes->length == 0 || !make_room(images, bytes->length)) return NULL;
    struct sl_picture *picture = sl_alloc(1, sizeof *picture);
    *picture = (struct sl_picture){.bytes = sl_alloc(bytes->length, 1),
                                   .length = bytes->length,
                                   .type = type,
                                   .used = ++images->askings,
                                   .index = index,
                                   .images = images};
    memcpy(picture->bytes, bytes->data, bytes->length);
    images->bytes += bytes->length;
    images->pictures[index] = picture;
    return picture;
}

/* ---- Making pictures ---- */

static enum sl_status resize_nearest(const struct sl_image *image, size_t height, size_t width,
                                     struct sl_image *out, struct sl_error *err)
{
    SL_TRY(sl_image_create(height, width, image->channels, out, err));
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            size_t from_y = y * image->height / height, from_x = x * image->width / width;
            memcpy(out->pixels + (y * width + x) * image->channels,
                   image->pixels + (from_y * image->width + from_x) * image->channels,
                   image->channels);
        }
    }
    return SL_OK;
}

static size_t scaled(size_t side, size_t longer, size_t wanted)
{
    size_t length = (side * wanted + longer / 2) / longer;
    return length ? length : 1;
}

/* The room that web/annotator/picture.js gives a picture: the area of a square of `size`, so that a
 * panorama is no thin line, but no side longer than twice `size`. */
static size_t longer_side(const struct sl_image *image, size_t size)
{
    const bool wide = image->width > image->height;
    const double ratio = wide ? (double)image->width / (double)image->height
                              : (double)image->height / (double)image->width;
    return (size_t)lround((double)size * fmin(sqrt(ratio), 2));
}

/* Enlarged, a picture has the pixels of its file, up to LARGEST. */
static size_t wanted_side(const struct sl_image *image, const struct sl_picture_look *look)
{
    enum { LARGEST = 1600 };
    const size_t own = image->height > image->width ? image->height : image->width;
    const size_t detail = own < LARGEST ? own : LARGEST;
    const size_t wanted = 2 * longer_side(image, look->size);
    return look->large && detail > wanted ? detail : wanted;
}

static enum sl_status resample(const struct sl_buffer *file, const char *path,
                               const struct sl_picture_look *look, struct sl_buffer *out,
                               struct sl_error *err)
{
    struct sl_image image = {0}, shown = {0};
    SL_TRY(sl_image_decode(file->data, file->length, path, &image, err));
    size_t longer = image.height > image.width ? image.height : image.width;
    size_t height = scaled(image.height, longer, wanted_side(&image, look));
    size_t width = scaled(image.width, longer, wanted_side(&image, look));
    enum sl_status status = strcmp(look->upsample, "nearest") == 0
                                ? resize_nearest(&image, height, width, &shown, err)
                                : sl_image_resize(&image, height, width, &shown, err);
    if (status == SL_OK) status = sl_image_encode_png(&shown, out, err);
    sl_image_release(&image);
    sl_image_release(&shown);
    return status;
}

/* The file's own bytes. Browsers rotate a JPEG by its EXIF data; with a PNG they disagree, so it is
 * rotated here. */
static enum sl_status copy_file(const char *path, struct sl_buffer *out, const char **type,
                                struct sl_error *err)
{
    SL_TRY(sl_file_read(path, out, err));
    const bool jpeg = out->length > 2 && memcmp(out->data, "\xff\xd8", 2) == 0;
    *type = jpeg ? "image/jpeg" : "image/png";
    if (jpeg || sl_image_orientation(out->data, out->length) == 1) return SL_OK;
    struct sl_image image = {0};
    SL_TRY(sl_image_decode(out->data, out->length, path, &image, err));
    out->length = 0;
    const enum sl_status status = sl_image_encode_png(&image, out, err);
    sl_image_release(&image);
    return status;
}

enum sl_status sl_picture_make(const char *path, const struct sl_picture_look *look,
                               struct sl_buffer *out, const char **type, struct sl_error *err)
{
    struct sl_buffer file;
    if (strcmp(look->upsample, "none") == 0) return copy_file(path, out, type, err);
    sl_buffer_init(&file, SL_IMAGES_MAX_BYTES);
    enum sl_status status = sl_file_read(path, &file, err);
    if (status == SL_OK) status = resample(&file, path, look, out, err);
    if (status == SL_OK) *type = "image/png";
    sl_buffer_release(&file);
    return status;
}
