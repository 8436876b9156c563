#include "softlab/dataset/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/images/codec.h"
#include "dataset/images/orientation.h"
#include "softlab/base/buffer.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"

/* The largest image with 16 bits for each of four channels, plus file overhead. */
#define FILE_LIMIT (SL_IMAGE_MAX_PIXELS * 8 + (1 << 20))

struct codec {
    const char *magic;
    size_t magic_length;
    enum sl_status (*decode)(const void *bytes, size_t length, const char *name,
                             struct sl_image *out, struct sl_error *err);
};

static const struct codec codecs[] = {
    {"\x89PNG\r\n\x1a\n", 8, sl_png_decode},
    {"\xff\xd8\xff", 3, sl_jpeg_decode},
};

enum sl_status sl_image_check_size(size_t height, size_t width, const char *name,
                                   struct sl_error *err)
{
    if (height > 0 && width > 0 && height <= SL_IMAGE_MAX_PIXELS / width) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s: %zu x %zu pixels, expected from 1 to %zu in all", name,
                   width, height, SL_IMAGE_MAX_PIXELS);
}

enum sl_status sl_image_create(size_t height, size_t width, size_t channels, struct sl_image *out,
                               struct sl_error *err)
{
    if (channels != 1 && channels != 3)
        return sl_fail(err, SL_ERR_USAGE, "an image has 1 or 3 channels, not %zu", channels);
    SL_TRY(sl_image_check_size(height, width, "image", err));
    size_t bytes = height * width * channels;
    uint8_t *pixels = sl_data_alloc(bytes, 1, err);
    if (!pixels) return SL_ERR_NOMEM;
    memset(pixels, 0, bytes);
    *out = (struct sl_image){height, width, channels, pixels};
    return SL_OK;
}

void sl_image_release(struct sl_image *image)
{
    free(image->pixels);
    *image = (struct sl_image){0};
}

static enum sl_status decode_upright(const struct codec *codec, const void *bytes, size_t length,
                                     const char *name, struct sl_image *out, struct sl_error *err)
{
    struct sl_image image = {0};
    SL_TRY(codec->decode(bytes, length, name, &image, err));
    const enum sl_status status = sl_image_turn(&image, sl_image_orientation(bytes, length), err);
    if (status == SL_OK)
        *out = image;
    else
        sl_image_release(&image);
    return status;
}

enum sl_status sl_image_decode(const void *bytes, size_t length, const char *name,
                               struct sl_image *out, struct sl_error *err)
{
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (length >= codecs[i].magic_length &&
            memcmp(bytes, codecs[i].magic, codecs[i].magic_length) == 0)
            return decode_upright(&codecs[i], bytes, length, name, out, err);
    if (length == 0) return sl_fail(err, SL_ERR_INPUT, "%s: empty, expected PNG or JPEG", name);
    char beginning[3 * 8 + 1] = "";
    for (size_t i = 0; i < length && i < 8; i++)
        snprintf(beginning + 3 * i, 4, " %02x", ((const unsigned char *)bytes)[i]);
    return sl_fail(err, SL_ERR_INPUT, "%s: neither PNG nor JPEG; the file begins with the bytes%s",
                   name, beginning);
}

enum sl_status sl_image_read(const char *path, struct sl_image *out, struct sl_error *err)
{
    struct sl_buffer bytes;
    sl_buffer_init(&bytes, FILE_LIMIT);
    enum sl_status status;
    SL_TRY_OUT(sl_file_read(path, &bytes, err));
    SL_TRY_OUT(sl_image_decode(bytes.data, bytes.length, path, out, err));
out:
    sl_buffer_release(&bytes);
    return status;
}
