#include "study/images.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/dataset/image.h"

enum { FILE_BYTES = 64 << 20 };

void sl_images_init(struct sl_images *images, size_t count)
{
    *images = (struct sl_images){.pictures = sl_alloc(count ? count : 1, sizeof *images->pictures),
                                 .count = count};
}

void sl_images_release(struct sl_images *images)
{
    for (size_t i = 0; i < images->count; i++)
        free(images->pictures[i].bytes);
    free(images->pictures);
    *images = (struct sl_images){0};
}

const struct sl_picture *sl_images_find(struct sl_images *images, size_t index)
{
    struct sl_picture *picture = &images->pictures[index];
    if (!picture->bytes) return NULL;
    picture->used = ++images->askings;
    return picture;
}

static void drop(struct sl_images *images, struct sl_picture *picture)
{
    images->bytes -= picture->length;
    free(picture->bytes);
    *picture = (struct sl_picture){0};
}

static void make_room(struct sl_images *images, size_t length)
{
    while (images->bytes > 0 && images->bytes + length > SL_IMAGES_MAX_BYTES) {
        struct sl_picture *oldest = NULL;
        for (size_t i = 0; i < images->count; i++) {
            struct sl_picture *one = &images->pictures[i];
            if (one->bytes && (!oldest || one->used < oldest->used)) oldest = one;
        }
        if (!oldest) return;
        drop(images, oldest);
    }
}

void sl_images_put(struct sl_images *images, size_t index, const char *type,
                   const struct sl_buffer *bytes)
{
    if (bytes->length == 0 || bytes->length > SL_IMAGES_MAX_BYTES) return;
    struct sl_picture *picture = &images->pictures[index];
    if (picture->bytes) drop(images, picture);
    make_room(images, bytes->length);
    char *copy = sl_alloc(bytes->length, 1);
    memcpy(copy, bytes->data, bytes->length);
    *picture = (struct sl_picture){copy, bytes->length, type, ++images->askings};
    images->bytes += bytes->length;
}

/* ---- Making them ---- */

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

static enum sl_status resample(const struct sl_buffer *file, const char *path, const char *upsample,
                               size_t size, struct sl_buffer *out, struct sl_error *err)
{
    struct sl_image image = {0}, shown = {0};
    SL_TRY(sl_image_decode(file->data, file->length, path, &image, err));
    size_t longer = image.height > image.width ? image.height : image.width;
    size_t height = scaled(image.height, longer, 2 * size);
    size_t width = scaled(image.width, longer, 2 * size);
    enum sl_status status = strcmp(upsample, "nearest") == 0
                                ? resize_nearest(&image, height, width, &shown, err)
                                : sl_image_resize(&image, height, width, &shown, err);
    if (status == SL_OK) status = sl_image_encode_png(&shown, out, err);
    sl_image_release(&image);
    sl_image_release(&shown);
    return status;
}

enum sl_status sl_picture_make(const char *path, const char *upsample, size_t size,
                               struct sl_buffer *out, const char **type, struct sl_error *err)
{
    struct sl_buffer file;
    bool whole = strcmp(upsample, "none") == 0;
    if (whole) SL_TRY(sl_file_read(path, out, err));
    if (whole) {
        bool jpeg = out->length > 2 && memcmp(out->data, "\xff\xd8", 2) == 0;
        *type = jpeg ? "image/jpeg" : "image/png";
        return SL_OK;
    }
    sl_buffer_init(&file, FILE_BYTES);
    enum sl_status status = sl_file_read(path, &file, err);
    if (status == SL_OK) status = resample(&file, path, upsample, size, out, err);
    if (status == SL_OK) *type = "image/png";
    sl_buffer_release(&file);
    return status;
}
