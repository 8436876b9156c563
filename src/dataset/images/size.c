/* The size of a picture, as a file states it without being decoded. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/dataset/image.h"

/* A JPEG may have EXIF and colour profiles before its size, seldom more than this. */
enum { BEGINNING = 256 * 1024 };

static unsigned number(const unsigned char *bytes, size_t count)
{
    unsigned value = 0;
    for (size_t i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* IHDR is the first chunk: width, height, depth, colour type. */
static bool png_size(const unsigned char *bytes, size_t length, struct sl_image *out)
{
    enum { COLOUR = 2 }; /* bit of the colour type; palettes have it, too */
    if (length < 26 || memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) != 0) return false;
    *out = (struct sl_image){.height = number(bytes + 20, 4),
                             .width = number(bytes + 16, 4),
                             .channels = bytes[25] & COLOUR ? 3 : 1};
    return true;
}

/* Segment by segment to the frame header (SOF0 to SOF15 without DHT, JPG and DAC). */
static bool jpeg_size(const unsigned char *bytes, size_t length, struct sl_image *out)
{
    if (length < 4 || bytes[0] != 0xFF || bytes[1] != 0xD8) return false;
    for (size_t at = 2; at + 9 < length && bytes[at] == 0xFF;) {
        const unsigned marker = bytes[at + 1];
        if (marker == 0xFF) {
            at++;
            continue;
        }
        if (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 &&
            marker != 0xCC) {
            *out = (struct sl_image){.height = number(bytes + at + 5, 2),
                                     .width = number(bytes + at + 7, 2),
                                     .channels = bytes[at + 9] == 1 ? 1 : 3};
            return true;
        }
        at += 2 + number(bytes + at + 2, 2);
    }
    return false;
}

enum sl_status sl_image_peek(const char *path, struct sl_image *out, struct sl_error *err)
{
    int descriptor = -1;
    uint64_t size = 0;
    SL_TRY(sl_file_open(path, &descriptor, &size, err));
    const size_t length = size < BEGINNING ? (size_t)size : BEGINNING;
    unsigned char *bytes = sl_data_alloc(length + 1, 1, err);
    struct sl_image image = {0};
    enum sl_status status = bytes ? SL_OK : SL_ERR_NOMEM;
    if (status == SL_OK) status = sl_file_pread(descriptor, path, 0, bytes, length, err);
    if (status == SL_OK && !png_size(bytes, length, &image) && !jpeg_size(bytes, length, &image))
        status = sl_fail(err, SL_ERR_INPUT, "%s: no PNG or JPEG size at its beginning", path);
    if (status == SL_OK && sl_image_orientation(bytes, length) > 4) {
        const size_t height = image.height;
        image.height = image.width;
        image.width = height;
    }
    if (status == SL_OK) *out = image;
    close(descriptor);
    free(bytes);
    return status;
}
