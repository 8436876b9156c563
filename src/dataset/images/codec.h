/* Codecs: PNG by libpng and JPEG by libjpeg. No other files include the two libraries. */
#ifndef SOFTLAB_DATASET_IMAGES_CODEC_H
#define SOFTLAB_DATASET_IMAGES_CODEC_H

#include "base/file/stream.h"
#include "softlab/dataset/image.h"

enum sl_status sl_png_decode(const void *bytes, size_t length, const char *name,
                             struct sl_image *out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_jpeg_decode(const void *bytes, size_t length, const char *name,
                              struct sl_image *out, struct sl_error *err) SL_MUST_USE;

/* A JPEG in memory of quality 1 to 100; the caller frees *bytes. */
enum sl_status sl_jpeg_encode(const struct sl_image *image, int quality, unsigned char **bytes,
                              size_t *length, struct sl_error *err) SL_MUST_USE;

/* SL_ERR_INPUT unless the size is from 1 x 1 to SL_IMAGE_MAX_PIXELS. */
enum sl_status sl_image_check_size(size_t height, size_t width, const char *name,
                                   struct sl_error *err) SL_MUST_USE;

/* Take one row of `width` RGB pixels; anything but SL_OK ends the reading. */
typedef enum sl_status sl_row_taker(void *context, size_t row, const uint8_t *pixels,
                                    struct sl_error *err);

/* Hand the rows of a PNG to `take` from top to bottom, holding one row at a time. It must be
 * 8-bit RGB without interlacing and of exactly this size. */
enum sl_status sl_png_read_rows(struct sl_stream *stream, size_t width, size_t height,
                                sl_row_taker *take, void *context,
                                struct sl_error *err) SL_MUST_USE;

#endif
