/* Image: 8-bit pixels in memory, PNG and JPEG on disk, and resampling. */
#ifndef SOFTLAB_DATASET_IMAGE_H
#define SOFTLAB_DATASET_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/buffer.h"
#include "softlab/base/error.h"

SL_BEGIN_DECLS

struct sl_image {
    size_t height, width, channels; /* channels 1 (grey) or 3 (RGB) */
    uint8_t *pixels;                /* owned; (height, width, channels) */
};

enum sl_status sl_image_create(size_t height, size_t width, size_t channels, struct sl_image *out,
                               struct sl_error *err) SL_MUST_USE;
void sl_image_release(struct sl_image *image);

/* The longest side of an image that options allow. */
#define SL_IMAGE_MAX_SIDE ((size_t)1 << 24)

/* Decode PNG or JPEG, recognised by the first bytes, and turn it upright according to its EXIF
 * data. Palettes and 16-bit values become 8 bits per channel; transparent pixels are laid over
 * white. At most SL_IMAGE_MAX_PIXELS, so that a small file cannot claim all memory. */
#define SL_IMAGE_MAX_PIXELS ((size_t)64 << 20)
enum sl_status sl_image_read(const char *path, struct sl_image *out,
                             struct sl_error *err) SL_MUST_USE;
enum sl_status sl_image_decode(const void *bytes, size_t length, const char *name,
                               struct sl_image *out, struct sl_error *err) SL_MUST_USE;

/* The EXIF orientation of a file: 1 = upright, also if the file states none; 2 to 8 = mirrored or
 * turned, which decoding undoes. */
unsigned sl_image_orientation(const void *bytes, size_t length);

/* Height, width and channels as stated at the beginning of a file, turned upright; `pixels` is
 * NULL. Nothing is decoded, so damage further on is not noticed. */
enum sl_status sl_image_peek(const char *path, struct sl_image *out,
                             struct sl_error *err) SL_MUST_USE;

/* Write a PNG atomically. `note` (may be NULL) becomes its "Description" text. */
enum sl_status sl_image_write_png(const struct sl_image *image, const char *note, const char *path,
                                  struct sl_error *err) SL_MUST_USE;
/* The same, appended to a buffer; fast rather than small. */
enum sl_status sl_image_encode_png(const struct sl_image *image, struct sl_buffer *out,
                                   struct sl_error *err) SL_MUST_USE;

/* The same in base 64, for pictures inside text. */
enum sl_status sl_image_encode_base64(const struct sl_image *image, struct sl_buffer *out,
                                      struct sl_error *err) SL_MUST_USE;

/* Lanczos resampling (a = 3) to any size, in Pillow's convention: the window widens when
 * shrinking, rows and columns apart, intermediate values rounded to 8 bits. */
enum sl_status sl_image_resize(const struct sl_image *image, size_t height, size_t width,
                               struct sl_image *out, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
